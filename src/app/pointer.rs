use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_egui::input::EguiWantsInput;
use bevy_panorbit_camera::PanOrbitCamera;

use super::{Aim, Controls, Report, WaterReport, WaterView};
use crate::fluid::Push;

/// Radius that the pointer pushes within, of the box's shortest edge; at least three support radii, so that coarse
/// water feels it too.
const PUSH_RADIUS: f32 = 0.12;

/// The part of the window that shows the water, logical pixels.
#[derive(Resource, Clone, Copy, Debug, Default)]
pub(super) struct WaterRect(pub(super) Rect);

/// Whose the pointer is, and where it last touched the water.
#[derive(Resource, Clone, Copy, Debug, Default)]
pub(super) struct Pointer {
    in_panel: bool,
    last_point: Option<Vec3>,
}

/// Decides whether the pointer works in the panel or on the water. A drag belongs to where it began until every
/// button is up, so the camera never moves while the pointer works in the panel. Shift makes the right button pan, for
/// those who have no middle one.
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

/// Keeps where somebody points: with the pointer where it is on the water, else through the middle of the picture.
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

/// Lets the left button drag the water along with the pointer, at the depth of the point that the camera orbits.
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
    let pushes = buttons.pressed(MouseButton::Left) && !pointer.in_panel;
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
