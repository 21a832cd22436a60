//! Systems for the mouse in the scene: who receives its input, where it points, and the tool of the left button.

use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_egui::input::EguiWantsInput;
use bevy_panorbit_camera::PanOrbitCamera;

use super::{Aim, Controls, Tool, WaterReport, WaterView};

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

/// Applies the tool of the left button while it is pressed: pushes or pulls the water, at the depth of the point that
/// the camera orbits, or pours some. Also notes where the ring is to be drawn.
pub(super) fn use_tool(
    (keys, buttons): (Res<ButtonInput<KeyCode>>, Res<ButtonInput<MouseButton>>),
    (time, report): (Res<Time<Real>>, Res<WaterReport>),
    window: Single<&Window, With<PrimaryWindow>>,
    water: Res<WaterRect>,
    camera: Single<&GlobalTransform, With<PanOrbitCamera>>,
    mut pointer: ResMut<Pointer>,
    mut controls: ResMut<Controls>,
) {
    let over_water = window.cursor_position().is_some_and(|place| water.0.contains(place)) && !pointer.in_panel;
    let over_water = over_water && controls.tools_act();
    let is_pressed = over_water && buttons.pressed(MouseButton::Left);
    let before = pointer.last_point.take().filter(|_| is_pressed);
    pointer.last_point = is_pressed.then_some(controls.aim.point);
    let seconds = time.delta_secs().max(1e-3);
    let velocity = before.map(|before| (controls.aim.point - before) / seconds);
    let mut hands = controls.hands.clone();
    hands.is_over_water = over_water;
    hands.is_pressed = is_pressed;
    hands.is_reversed = keys.any_pressed([KeyCode::ShiftLeft, KeyCode::ShiftRight]);
    hands.camera = [*camera.right(), *camera.up(), *camera.forward()];
    let pours = is_pressed && hands.tool == Tool::Pour;
    let builds = hands.tool == Tool::Block;
    let seen = [hands.is_over_water, hands.is_pressed, hands.is_reversed] != controls.hands.shown()
        || hands.camera != controls.hands.camera;
    if seen {
        controls.hands = hands;
    }
    let report = report.lock();
    let spout = if pours { controls.spout_over(&controls.aim, &report) } else { None };
    let push =
        velocity.filter(|_| !pours && !builds).map(|velocity| controls.push_of_tool(&controls.aim, velocity, &report));
    if builds && (is_pressed || controls.hands.block.is_some()) {
        controls.draw_block(is_pressed, &report);
    } else if controls.hands.block.is_some() {
        // Another tool was chosen while the button was pressed.
        controls.hands.block = None;
    }
    if controls.hands.spout != spout {
        controls.hands.spout = spout;
    }
    if controls.push != push {
        controls.push = push;
    }
}
