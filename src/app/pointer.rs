//! Systems for the mouse in the scene: who receives its input, where it points, and the push on the water.

use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_egui::input::EguiWantsInput;
use bevy_panorbit_camera::PanOrbitCamera;

use super::{Aim, Controls, Report, WaterReport, WaterView};
use crate::fluid::Push;

/// Radius of the pointer's push as a fraction of the box's shortest edge. The radius is at least three support radii,
/// so that it contains enough particles at low resolution.
const PUSH_RADIUS: f32 = 0.12;

/// The part of the window that shows the scene, logical pixels.
#[derive(Resource, Clone, Copy, Debug, Default)]
pub(super) struct WaterRect(pub(super) Rect);

/// Whether the panel or the scene receives the pointer's input, and the last point at which it pushed the water.
#[derive(Resource, Clone, Copy, Debug, Default)]
pub(super) struct Pointer {
    in_panel: bool,
    last_point: Option<Vec3>,
}

impl Pointer {
    /// Whether the panel receives the pointer's input.
    pub(super) fn in_panel(&self) -> bool {
        self.in_panel
    }
}

/// Decides whether the panel or the scene receives the pointer's input. A drag belongs to the part in which it began
/// until every button is released, so that the camera does not move during a drag in the panel. With shift the right
/// button pans, for mice without a middle button.
pub(super) fn guard_camera(
    keys: Res<ButtonInput<KeyCode>>,
    buttons: Res<ButtonInput<MouseButton>>,
    egui: Res<EguiWantsInput>,
    water: Res<WaterRect>,
    window: Single<&Window, With<PrimaryWindow>>,
    mut pointer: ResMut<Pointer>,
    mut cameras: Query<&mut PanOrbitCamera>,
) {
    let pressed = buttons.get_pressed().count();
    let began_now = pressed == buttons.get_just_pressed().count();
    if pressed == 0 || began_now {
        let on_water = window.cursor_position().is_some_and(|position| water.0.contains(position));
        pointer.in_panel = !on_water || egui.wants_any_pointer_input();
    }
    let shift = keys.any_pressed([KeyCode::ShiftLeft, KeyCode::ShiftRight]);
    let [orbit, pan] =
        if shift { [MouseButton::Middle, MouseButton::Right] } else { [MouseButton::Right, MouseButton::Middle] };
    for mut camera in &mut cameras {
        let wanted = PanOrbitCamera { enabled: !pointer.in_panel, button_orbit: orbit, button_pan: pan, ..*camera };
        camera.set_if_neq(wanted);
    }
}

/// Stores the ray through the pointer if the pointer is over the scene, or otherwise the ray through the picture's
/// center.
pub(super) fn take_aim(
    window: Single<&Window, With<PrimaryWindow>>,
    water: Res<WaterRect>,
    camera: Single<(&Camera, &GlobalTransform, &PanOrbitCamera), With<WaterView>>,
    mut controls: ResMut<Controls>,
) {
    let (camera, transform, orbit) = *camera;
    let place = window.cursor_position().filter(|position| water.0.contains(*position)).unwrap_or(water.0.center());
    let Ok(ray) = camera.viewport_to_world(transform, place) else { return };
    let distance = ray.intersect_plane(orbit.focus, InfinitePlane3d::new(transform.forward()));
    let point = distance.map_or(orbit.focus, |distance| ray.get_point(distance));
    let aim = Aim { origin: ray.origin, direction: *ray.direction, point };
    if controls.aim != aim {
        controls.aim = aim;
    }
}

/// Pushes the water along with the pointer while the left button is pressed, at the depth of the point that the camera
/// orbits.
pub(super) fn push_water(
    buttons: Res<ButtonInput<MouseButton>>,
    time: Res<Time<Real>>,
    window: Single<&Window, With<PrimaryWindow>>,
    camera: Single<(&Camera, &GlobalTransform, &PanOrbitCamera), With<WaterView>>,
    mut pointer: ResMut<Pointer>,
    report: Res<WaterReport>,
    mut controls: ResMut<Controls>,
) {
    let (camera, transform, orbit) = *camera;
    // In the laboratory the left button selects particles and cells instead.
    let pushes = buttons.pressed(MouseButton::Left) && !pointer.in_panel && !controls.lab.open;
    let ray = window
        .cursor_position()
        .filter(|_| pushes)
        .and_then(|position| camera.viewport_to_world(transform, position).ok());
    let point = ray.and_then(|ray| {
        let distance = ray.intersect_plane(orbit.focus, InfinitePlane3d::new(transform.forward()))?;
        Some(ray.get_point(distance))
    });
    let seconds = time.delta_secs().max(1e-3);
    let velocity = point.zip(pointer.last_point).map(|(now, before)| (now - before) / seconds);
    pointer.last_point = point;
    let push = ray.zip(velocity).map(|(ray, velocity)| Push {
        origin: ray.origin,
        direction: *ray.direction,
        velocity,
        radius: push_radius(&report.lock()),
        ..Push::default()
    });
    if controls.push != push {
        controls.push = push;
    }
}

fn push_radius(report: &Report) -> f32 {
    report.running.as_ref().map_or(0.0, |running| {
        let extent = (running.scene.high - running.scene.low).min_element();
        (extent * PUSH_RADIUS).max(3.0 * running.resolution.support_radius)
    })
}
