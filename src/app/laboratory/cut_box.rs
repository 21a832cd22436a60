//! The cutting box: two handles per axis, moved in the scene or with sliders; fluid outside of the box is not drawn.

use bevy_egui::egui::{self, Checkbox, Slider, Ui};
use glam::{Vec2, Vec3};

use super::{LabControls, Overlay, Projector};
use crate::app::theme::{remark, section};
use crate::app::{Controls, Report, format};
use crate::render::{CellEdges, Cut, CutOutline};

/// The pointer grabs a handle up to this distance from it, points.
const REACH: f32 = 16.0;
/// Smallest distance between the two handles of an axis, as a fraction of the edge of the scene's box.
const LEAST: f32 = 0.01;
/// Where the box is not cut, it extends beyond the scene's box by this fraction of the edge, since particles can
/// protrude.
const SLACK: f32 = 0.01;

/// The cutting box, in fractions of the scene's box, so that it also fits the next scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LabCut {
    /// Lowest corner; 0 is the scene's.
    pub low: Vec3,
    /// Highest corner; 1 is the scene's.
    pub high: Vec3,
    /// The handle that is hovered or dragged, as an index into [`Cut::handles`].
    pub active: Option<usize>,
    grip: Option<Grip>,
}

/// A handle that is being dragged.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Grip {
    face: usize,
    /// Position of the pointer when the drag began, points of the window.
    pointer: Vec2,
    /// Position of the handle when the drag began, as a fraction of the edge.
    share: f32,
    /// Displacement of the handle on screen for the whole edge, points of the window.
    along: Vec2,
}

impl Default for LabCut {
    /// The half that is farther from the default camera, which looks along -z: the fluid is cut open in the middle.
    fn default() -> Self {
        Self { low: Vec3::ZERO, high: Vec3::new(1.0, 1.0, 0.5), active: None, grip: None }
    }
}

impl LabCut {
    /// The cutting box in a scene whose box reaches from `low` to `high`, m.
    pub fn cut(&self, low: Vec3, high: Vec3) -> Cut {
        let edges = high - low;
        let place = |share: Vec3| {
            let beyond = Vec3::select(share.cmple(Vec3::ZERO), Vec3::splat(-SLACK), Vec3::ZERO)
                + Vec3::select(share.cmpge(Vec3::ONE), Vec3::splat(SLACK), Vec3::ZERO);
            low + (share + beyond) * edges
        };
        let outline = self.active.map_or(CutOutline::Handles, CutOutline::Active);
        Cut { low: place(self.low), high: place(self.high), outline }
    }

    /// Whether a handle is being dragged.
    pub fn is_dragged(&self) -> bool {
        self.grip.is_some()
    }

    fn share(&mut self, face: usize) -> &mut f32 {
        if face.is_multiple_of(2) { &mut self.low[face / 2] } else { &mut self.high[face / 2] }
    }

    /// The handle closest to a position in the window, if it is within [`REACH`].
    fn handle_at(&self, (low, high): (Vec3, Vec3), projector: &Projector, pointer: Vec2) -> Option<usize> {
        let handles = self.cut(low, high).handles();
        let distances = handles.iter().enumerate().filter_map(|(face, &place)| {
            let at = projector.place(place)?;
            Some((face, Vec2::new(at.x, at.y).distance(pointer)))
        });
        let nearest = distances.min_by(|a, b| a.1.total_cmp(&b.1));
        nearest.filter(|(_, distance)| *distance <= REACH).map(|(face, _)| face)
    }

    /// Updates the hovered handle and, if `pressed`, starts dragging it. Returns whether a drag started.
    pub fn press(&mut self, scene: (Vec3, Vec3), projector: &Projector, pointer: Vec2, pressed: bool) -> bool {
        self.active = self.handle_at(scene, projector, pointer);
        let Some(face) = self.active.filter(|_| pressed) else { return false };
        let (low, high) = scene;
        let place = self.cut(low, high).handles()[face];
        let mut beside = place;
        // Over a hundredth of the edge the perspective projection is nearly linear.
        let step = 0.01 * (high - low)[face / 2];
        beside[face / 2] += step;
        let (Some(from), Some(to)) = (projector.place(place), projector.place(beside)) else { return false };
        let along = Vec2::new(to.x - from.x, to.y - from.y) * 100.0;
        let share = *self.share(face);
        self.grip = Some(Grip { face, pointer, share, along });
        true
    }

    /// Moves the dragged handle along its axis, by the pointer's displacement along that axis on screen.
    pub fn drag(&mut self, pointer: Vec2) {
        let Some(Grip { face, pointer: from, share, along }) = self.grip else { return };
        // An axis that points towards the camera has no direction on screen.
        if along.length_squared() < 1.0 {
            return;
        }
        self.active = Some(face);
        self.set(face, share + (pointer - from).dot(along) / along.length_squared());
    }

    /// Ends the drag.
    pub fn release(&mut self) {
        self.grip = None;
    }

    /// Moves a handle to a fraction of the edge, limited to the scene's box and to its own side of the opposite handle.
    pub fn set(&mut self, face: usize, share: f32) {
        let axis = face / 2;
        let (least, most) =
            if face.is_multiple_of(2) { (0.0, self.high[axis] - LEAST) } else { (self.low[axis] + LEAST, 1.0) };
        *self.share(face) = share.clamp(least, most);
    }
}

/// The scene's box, m.
pub(super) fn scene_box(report: &Report) -> Option<(Vec3, Vec3)> {
    report.running.as_ref().map(|running| (running.scene.low, running.scene.high))
}

/// Adds the cutting box to an overlay, unless the view has its own cut, and restricts the outlined cells to the
/// selection.
pub(super) fn add_cut(lab: &LabControls, report: &Report, wants_cells: bool, overlay: &mut Overlay) {
    let Some((low, high)) = scene_box(report) else { return };
    if let (None, Some(cut)) = (&overlay.cut, &lab.cut) {
        overlay.cut = Some(cut.cut(low, high));
    }
    if wants_cells && overlay.cell_edges.is_none() {
        overlay.cell_edges = Some(around_selection(lab, report).unwrap_or(CellEdges::All));
    }
}

/// The cells around the selected particle, if there is one: outlines of all cells would hide the fluid.
fn around_selection(lab: &LabControls, report: &Report) -> Option<CellEdges> {
    lab.shown().particle()?;
    let radius = Vec3::splat(report.running.as_ref()?.resolution.support_radius);
    let fields = report.lab.inspection.as_ref()?.fields.first().filter(|fields| fields.found > 0)?;
    let center = Vec3::from_array(fields.position);
    Some(CellEdges::Within { low: center - radius, high: center + radius })
}

/// The controls of the cutting box, which every view has.
pub(super) fn cut_controls(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    section(ui, "Cutting box", &[]);
    let mut is_on = controls.lab.cut.is_some();
    let hover = "hides the fluid outside of a box; drag the box's handles in the scene, or move the sliders here";
    if ui.add(Checkbox::new(&mut is_on, "cut the fluid open")).on_hover_text(hover).changed() {
        controls.lab.cut = is_on.then(LabCut::default);
    }
    let (Some(cut), Some((low, high))) = (&mut controls.lab.cut, scene_box(report)) else { return };
    for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
        for (face, end) in [(2 * axis, "from"), (2 * axis + 1, "to")] {
            ui.horizontal(|ui| {
                ui.label(format!("{name} {end}"));
                let edge = high[axis] - low[axis];
                let mut place = low[axis] + *cut.share(face) * edge;
                ui.spacing_mut().slider_width = (ui.available_width() - 74.0).max(40.0);
                let slider = Slider::new(&mut place, low[axis]..=high[axis])
                    .custom_formatter(|place, _| format!("{} m", format::number(place)));
                let response = ui.add(slider);
                if response.changed() {
                    cut.set(face, (place - low[axis]) / edge.max(f32::MIN_POSITIVE));
                }
                if response.hovered() || response.dragged() {
                    cut.active = Some(face);
                }
            });
        }
    }
    ui.horizontal(|ui| {
        if ui.button("Whole box").on_hover_text("moves every handle back to the walls of the scene").clicked() {
            *cut = LabCut { low: Vec3::ZERO, high: Vec3::ONE, ..*cut };
        }
        if ui.button("Middle slice").on_hover_text("a thin slice along z, in the middle").clicked() {
            *cut = LabCut { low: Vec3::new(0.0, 0.0, 0.45), high: Vec3::new(1.0, 1.0, 0.55), ..*cut };
        }
    });
    remark(ui, "A particle is drawn if its center is inside the box.");
}

/// Converts a position in the window from logical pixels to points of the interface.
pub(super) fn in_points(pixels: Vec2, ui_scale: u16) -> Vec2 {
    pixels * 100.0 / f32::from(ui_scale)
}

/// Converts a rectangle between two corners from logical pixels to points of the interface.
pub(super) fn band(from: Vec2, to: Vec2, ui_scale: u16) -> egui::Rect {
    let [from, to] = [from, to].map(|place| in_points(place, ui_scale)).map(|place| egui::pos2(place.x, place.y));
    egui::Rect::from_two_pos(from, to)
}

#[cfg(test)]
mod tests {
    use glam::{Mat4, Vec2, Vec3};

    use super::LabCut;
    use crate::app::Projector;

    const SCENE: (Vec3, Vec3) = (Vec3::ZERO, Vec3::new(2.0, 1.0, 1.0));

    fn projector() -> Projector {
        let view = Mat4::look_to_rh(Vec3::new(1.0, 0.5, 5.0), Vec3::NEG_Z, Vec3::Y);
        let clip_from_world = Mat4::perspective_infinite_reverse_rh(0.6, 1.6, 0.01) * view;
        Projector { clip_from_world, window: Vec2::new(1600.0, 1000.0) }
    }

    #[test]
    fn a_handle_follows_the_pointer_along_its_axis_and_stops_before_the_other() {
        let (projector, mut cut) = (projector(), LabCut::default());
        let at = |cut: &LabCut, face: usize| {
            let place = cut.cut(SCENE.0, SCENE.1).handles()[face];
            let at = projector.place(place).expect("the handle is in front of the camera");
            Vec2::new(at.x, at.y)
        };
        let (low, high) = (at(&cut, 0), at(&cut, 1));
        assert!(!cut.press(SCENE, &projector, (low + high) / 2.0 + Vec2::new(0.0, 60.0), true), "no handle is there");
        assert!(cut.press(SCENE, &projector, high, true) && cut.is_dragged());
        let target = low + 0.75 * (high - low);
        // Only the displacement along the axis counts.
        cut.drag(target + Vec2::new(0.0, 37.0));
        cut.release();
        assert!((cut.high.x - 0.75).abs() < 0.02, "{cut:?}");
        assert!(at(&cut, 1).distance(target) < 12.0, "the handle is not under the pointer");
        assert!(cut.press(SCENE, &projector, at(&cut, 1), true));
        cut.drag(low - Vec2::new(500.0, 0.0));
        assert!(cut.high.x > cut.low.x, "the handle went past the other one: {cut:?}");
        assert!(
            cut.cut(SCENE.0, SCENE.1).low.x < 0.0,
            "an uncut side must include particles that protrude from the scene"
        );
    }
}
