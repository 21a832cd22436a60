//! The systems that the laboratory runs every frame: they read the pointer, advance the walk, and derive the request to
//! the simulation and the overlay of the scene from the selection.

use std::sync::Arc;

use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_panorbit_camera::PanOrbitCamera;

use super::cut_box::{self, add_cut, scene_box};
use super::flatland::add_flatland;
use super::{LabControls, LabSelection, Overlay, Projector, WantedView};
use crate::app::pointer::{Pointer, WaterRect};
use crate::app::{Controls, Report, WaterReport};
use crate::laboratory::{LabRequest, MarkEntry, Marking, PickWhat};
use crate::render::Mark;

/// A press that moves farther than this is a drag, logical pixels.
const CLICK_SLACK: f32 = 4.0;
/// Time for which the walk shows each range, s.
const WALK_REST: f32 = 0.35;

/// Distance of the camera from the selected particle, support radii.
const FRAMING: f32 = 9.0;

/// The position in the scene where the left button was pressed.
#[derive(Resource, Clone, Copy, Debug, Default)]
pub(in crate::app) struct LabPress(Option<Vec2>);

/// Picks the particle under the pointer on a click, and all particles in a rectangle on a drag with Shift.
pub(in crate::app) fn pick_with_pointer(
    buttons: Res<ButtonInput<MouseButton>>,
    keys: Res<ButtonInput<KeyCode>>,
    (window, water): (Single<&Window, With<PrimaryWindow>>, Res<WaterRect>),
    (pointer, report): (Res<Pointer>, Res<WaterReport>),
    mut press: ResMut<LabPress>,
    mut controls: ResMut<Controls>,
) {
    if !controls.lab.open {
        press.0 = None;
        return;
    }
    let Some(at) = window.cursor_position() else { return };
    let free = !pointer.in_panel() && water.0.contains(at);
    if drag_cut(&mut controls, &report.lock(), at, free, &buttons) {
        return;
    }
    if buttons.just_pressed(MouseButton::Left) && free {
        press.0 = Some(at);
    }
    let shift = keys.any_pressed([KeyCode::ShiftLeft, KeyCode::ShiftRight]);
    let begun = press.0.filter(|from| shift && from.distance(at) > CLICK_SLACK);
    let band = begun.map(|from| cut_box::band(from, at, controls.ui_scale));
    if controls.lab.band != band {
        controls.lab.band = band;
    }
    let Some(from) = press.0.filter(|_| buttons.just_released(MouseButton::Left)) else { return };
    press.0 = None;
    controls.lab.band = None;
    let scale = window.scale_factor();
    let rectangle = shift && from.distance(at) > CLICK_SLACK;
    if rectangle {
        controls.lab.pick(PickWhat::Within(from * scale, at * scale));
    } else if from.distance(at) <= CLICK_SLACK {
        controls.lab.pick(PickWhat::At(at * scale));
    }
    // Inspected particles must not move.
    controls.stop_water();
}

/// Lets the pointer drag the handles of the cutting box. Returns whether the cutting box uses the left button.
fn drag_cut(
    controls: &mut Controls,
    report: &Report,
    at: Vec2,
    free: bool,
    buttons: &ButtonInput<MouseButton>,
) -> bool {
    if controls.lab.cut.is_none() {
        return false;
    }
    let at = cut_box::in_points(at, controls.ui_scale);
    let (Some(projector), Some(scene)) = (controls.lab.projector, scene_box(report)) else { return false };
    let Some(cut) = &mut controls.lab.cut else { return false };
    if cut.is_dragged() {
        cut.drag(at);
        if !buttons.pressed(MouseButton::Left) {
            cut.release();
        }
        return true;
    }
    free && cut.press(scene, &projector, at, buttons.just_pressed(MouseButton::Left))
}

/// Selects what was picked, advances the walk, and computes the request and the overlay of this frame.
pub(in crate::app) fn follow_selection(
    time: Res<Time>,
    report: Res<WaterReport>,
    window: Single<&Window, With<PrimaryWindow>>,
    camera: Single<(&Camera, &GlobalTransform), With<PanOrbitCamera>>,
    mut controls: ResMut<Controls>,
) {
    if !controls.lab.open {
        // Compared first, because a mutable access marks the controls as changed and triggers the systems that react to
        // that.
        if controls.explain.open || controls.lab.request != LabRequest::default() {
            let report = report.lock().clone();
            controls.advance_slowly(&report, time.delta_secs());
            update(&mut controls, &report);
        }
        return;
    }
    let report = report.lock().clone();
    controls.advance_slowly(&report, time.delta_secs());
    let (camera, transform) = *camera;
    let window_points = window.size() * 100.0 / f32::from(controls.ui_scale);
    let clip_from_world = camera.clip_from_view() * transform.to_matrix().inverse();
    controls.lab.projector = Some(Projector { clip_from_world, window: window_points });
    take_pick(&mut controls.lab, &report);
    frame_selection(&mut controls.lab, &report);
    advance_walk(&mut controls.lab, &report, time.delta_secs());
    update(&mut controls, &report);
}

/// Derives the request from the selection, and the overlay of the scene from the results. While the laboratory is
/// closed there is no overlay, and only the explanations request something.
pub fn update(controls: &mut Controls, report: &Report) {
    if !controls.lab.open {
        let mut request = LabRequest::default();
        controls.request_for_explanations(report, &mut request);
        (controls.lab.request, controls.lab.overlay) = (request, Arc::default());
        return;
    }
    controls.follow_flatland();
    let view = controls.lab.view();
    let mut request = controls.lab.base_request(report);
    (view.request)(controls, report, &mut request);
    controls.request_for_explanations(report, &mut request);
    let mut overlay: Overlay = (view.overlay)(controls, report);
    if overlay.markings.is_empty() && !controls.lab.chosen.entries.is_empty() {
        overlay.markings.push(Marking { others: Mark::Plain, entries: Arc::clone(&controls.lab.chosen.entries) });
    }
    mark_wrong_particles(&mut overlay, controls, report);
    add_cut(&controls.lab, report, controls.cell_edges, &mut overlay);
    add_flatland(controls, report, &mut overlay);
    request.markings.clone_from(&overlay.markings);
    request.pick = controls.lab.pick;
    controls.lab.request = request;
    if *controls.lab.overlay != overlay {
        controls.lab.overlay = Arc::new(overlay);
    }
}

/// Marks the particles that the oracle badge found wrong in every view, except the selected particle.
fn mark_wrong_particles(overlay: &mut Overlay, controls: &Controls, report: &Report) {
    let selected = controls.lab.selection.particle();
    let wrong = report.badge.wrong_particles().filter(|&particle| Some(particle) != selected);
    let wrong: Vec<MarkEntry> = wrong.map(|particle| MarkEntry::new(particle, Mark::Wrong)).collect();
    if wrong.is_empty() {
        return;
    }
    if overlay.markings.is_empty() {
        overlay.markings.push(Marking { others: Mark::Plain, entries: Arc::default() });
    }
    if let Some(marking) = overlay.markings.first_mut() {
        Arc::make_mut(&mut marking.entries).extend(wrong);
    }
}

fn take_pick(lab: &mut LabControls, report: &Report) {
    let Some(picked) = report.lab.picked.as_ref().filter(|picked| picked.number > lab.taken_pick) else { return };
    lab.taken_pick = picked.number;
    match &picked.particles[..] {
        [] => {}
        [one] => lab.select(LabSelection::Particle(*one)),
        many => lab.select(LabSelection::Particles(many.to_vec())),
    }
}

/// Moves the camera to the selected particle, close enough that its support sphere fills a large part of the image.
fn frame_selection(lab: &mut LabControls, report: &Report) {
    let Some(particle) = lab.selection.particle().filter(|_| lab.wants_framing && lab.flatland.is_none()) else {
        return;
    };
    let (Some(running), Some(inspection)) = (&report.running, &report.lab.inspection) else { return };
    let fields = inspection.fields.first().filter(|fields| fields.found > 0);
    if let Some(fields) = fields.filter(|_| inspection.target.particles == [particle]) {
        let distance = FRAMING * running.resolution.support_radius;
        lab.wanted_view = Some(WantedView { target: Vec3::from_array(fields.position), eye: None, distance });
        lab.wants_framing = false;
    }
}

fn advance_walk(lab: &mut LabControls, report: &Report, seconds: f32) {
    if !lab.walk.playing {
        return;
    }
    let particle = report.lab.inspection.as_ref().and_then(|inspection| inspection.recording.particles.first());
    let ranges = particle.map_or(0, |record| record.ranges.len());
    lab.walk.wait -= seconds;
    if lab.walk.wait <= 0.0 {
        lab.walk.wait = WALK_REST;
        let next = lab.walk.shown.unwrap_or(0) + 1;
        lab.walk.shown = Some(next.min(ranges));
        lab.walk.playing = next < ranges;
    }
}
