//! Flatland: a face-on view with cells large enough to carry labels. It shows either a prepared example in two
//! dimensions, or a slab of the user's own scene that is one cell thick.

use std::sync::Arc;

use bevy_egui::egui::{Slider, Ui};
use glam::{UVec2, UVec3, Vec3};

use super::Overlay;
use super::cut_box::scene_box;
use super::example::KeptScene;
use super::view::Label;
use crate::app::theme::{remark, section};
use crate::app::{Action, Controls, Report};
use crate::fluid::{Scene, SceneCamera, SceneEdits, Size};
use crate::render::{Cut, CutOutline, DrawnBox, View};
use crate::search::Cells;

/// Name of the prepared example's scene.
const EXAMPLE: &str = "flatland";
/// Largest number of cells for which outlines are drawn.
const MOST_CELLS: u32 = 900;
/// Largest number of cells for which coordinates are drawn.
const MOST_LABELS: u32 = 140;
/// Width of a cell on screen from which its label fits, points of the window.
const LABEL_WIDTH: f32 = 44.0;
/// Size of the image that the camera is placed for, pixels.
const PICTURE: UVec2 = UVec2::new(1600, 1000);

/// The state of Flatland while it is open.
#[derive(Clone, Debug)]
pub struct Flatland {
    /// The scene that it shows.
    scene: Arc<Scene>,
    /// The user's scene, to be restored later; `None` for a slab of the user's own scene.
    kept: Option<KeptScene>,
    /// Position, target and field of view of the camera.
    camera: Arc<SceneCamera>,
    /// The layer of cells that is shown, for a scene in three dimensions.
    layer: Option<u32>,
}

impl Flatland {
    /// The camera while Flatland is open.
    pub fn camera(&self) -> &Arc<SceneCamera> {
        &self.camera
    }

    /// Whether it shows the prepared example, so that the user's scene has to be restored later.
    pub fn is_example(&self) -> bool {
        self.kept.is_some()
    }
}

/// A camera that looks at the box along z, from so far away that perspective hardly changes the scale with depth.
fn face_on(low: Vec3, high: Vec3) -> Arc<SceneCamera> {
    let view = View::face_on(low, high, 2, PICTURE);
    // This element of a perspective matrix is the cotangent of half the vertical field of view.
    let half_angle = view.clip_from_view.y_axis.y.recip().atan();
    let target = 0.5 * (low + high);
    let eye = view.world_from_view.w_axis.truncate();
    Arc::new(SceneCamera { eye, target, vertical_fov_degrees: 2.0 * half_angle.to_degrees() })
}

impl Controls {
    /// Opens the prepared example, or closes it and restores the user's scene.
    pub(in crate::app) fn toggle_flatland(&mut self) {
        if self.lab.flatland.is_some() { self.leave_flatland() } else { self.open_flatland() }
    }

    fn open_flatland(&mut self) {
        match Scene::load(EXAMPLE) {
            Ok(scene) => {
                let scene = Arc::new(scene);
                let kept = KeptScene::of(self);
                let count = scene.usual_count(self.class);
                self.settings.size = Size::Count(count);
                self.settings.edits = SceneEdits::default();
                self.scene = Arc::clone(&scene);
                self.revision += 1;
                // An offset of half a row from the middle index selects a particle in the middle of the fluid.
                self.lab.select(super::LabSelection::Particle(count / 2 + 24));
                let camera = face_on(scene.low, scene.high);
                self.lab.flatland = Some(Flatland { scene, kept: Some(kept), camera, layer: None });
            }
            Err(error) => self.load_error = Some(error.to_string()),
        }
    }

    /// Shows a slab of the user's own scene that is one cell thick.
    fn open_slab(&mut self, report: &Report) {
        let Some((low, high)) = scene_box(report) else { return };
        let layer = report.running.as_ref().and_then(|running| running.cells).map(|cells| {
            let picked = report.lab.inspection.as_ref().and_then(|inspection| inspection.fields.first());
            let middle = 0.5 * (low.z + high.z);
            let place = picked.filter(|fields| fields.found > 0).map_or(middle, |fields| fields.position[2]);
            (((place - cells.origin.z) / cells.size.z).max(0.0) as u32).min(cells.counts.z.saturating_sub(1))
        });
        let camera = face_on(low, high);
        let layer = Some(layer.unwrap_or(0));
        self.lab.flatland = Some(Flatland { scene: Arc::clone(&self.scene), kept: None, camera, layer });
    }

    /// Restores the user's scene, settings and camera, unless the user has opened another scene since.
    pub(in crate::app) fn leave_flatland(&mut self) {
        let Some(flatland) = self.lab.flatland.take() else { return };
        let Some(kept) = flatland.kept.filter(|_| Arc::ptr_eq(&flatland.scene, &self.scene)) else { return };
        self.give_back(kept);
        self.lab.select(super::LabSelection::All);
    }

    /// Closes Flatland if the user has opened another scene.
    pub(super) fn follow_flatland(&mut self) {
        if self.lab.flatland.as_ref().is_some_and(|flatland| !Arc::ptr_eq(&flatland.scene, &self.scene)) {
            self.lab.flatland = None;
        }
    }
}

/// The controls of Flatland, for the views that offer it.
pub(super) fn flatland_controls(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    section(ui, "Flatland", &[Action::ToggleFlatland.key_label()]);
    let Some(flatland) = &mut controls.lab.flatland else {
        ui.horizontal_wrapped(|ui| {
            let hover = "water at rest in two dimensions with few large cells; your scene is kept and restored later";
            if ui.button("Flat example").on_hover_text(hover).clicked() {
                controls.act(Action::ToggleFlatland, report);
            }
            if ui.button("Slab of your scene").on_hover_text("one layer of cells of your scene, seen face on").clicked()
            {
                controls.open_slab(report);
            }
        });
        return;
    };
    let layers = report.running.as_ref().and_then(|running| running.cells).map_or(1, |cells| cells.counts.z.max(1));
    if let Some(layer) = flatland.layer.as_mut().filter(|_| layers > 1) {
        ui.horizontal(|ui| {
            ui.label("layer of cells");
            ui.spacing_mut().slider_width = (ui.available_width() - 60.0).max(40.0);
            *layer = (*layer).min(layers - 1);
            ui.add(Slider::new(layer, 0..=layers - 1));
        });
    }
    let hover = "restores your scene, your settings and your camera";
    if ui.button("Restore your scene").on_hover_text(hover).clicked() {
        controls.act(Action::ToggleFlatland, report);
    }
    remark(ui, "Cells are labeled with their coordinates x and y where there is room.");
}

/// Adds the outlines of the cells, their coordinates, and the cut to the slab.
pub(super) fn add_flatland(controls: &Controls, report: &Report, overlay: &mut Overlay) {
    let Some(flatland) = &controls.lab.flatland else { return };
    let Some((low, high)) = scene_box(report) else { return };
    let cells = report.running.as_ref().and_then(|running| running.cells);
    if let Some(layer) = flatland.layer {
        let slab = cells.map_or([low.z, high.z], |cells| {
            let from = cells.origin.z + layer.min(cells.counts.z.saturating_sub(1)) as f32 * cells.size.z;
            [from, from + cells.size.z]
        });
        let cut = overlay.cut.unwrap_or(Cut { low: low - 1.0, high: high + 1.0, outline: CutOutline::None });
        overlay.cut = Some(Cut { low: cut.low.with_z(slab[0]), high: cut.high.with_z(slab[1]), ..cut });
    }
    let columns = report.lab.columns.iter().map(|column| column.outcome.as_ref().ok().and_then(|found| found.cells));
    let all = std::iter::once(cells).chain(columns.take(overlay.markings.len().saturating_sub(1)));
    for (column, cells) in all.enumerate() {
        let Some(cells) = cells else { continue };
        let (boxes, labels) = outlines(&cells, flatland.layer);
        if overlay.boxes.len() <= column {
            overlay.boxes.resize(column + 1, Vec::new());
        }
        overlay.boxes[column].splice(0..0, boxes);
        if column == 0 && has_room(&cells, controls) {
            overlay.labels.splice(0..0, labels);
        }
    }
    // The outlines are drawn here; the general outlines are switched off so that they are not drawn twice.
    overlay.cell_edges = Some(crate::render::CellEdges::Off);
}

/// Whether a cell is wide enough on screen for its coordinates.
fn has_room(cells: &Cells, controls: &Controls) -> bool {
    let Some(projector) = controls.lab.projector else { return true };
    let corners = [cells.origin, cells.origin + cells.size.with_y(0.0).with_z(0.0)].map(|place| projector.place(place));
    matches!(corners, [Some(low), Some(high)] if high.distance(low) >= LABEL_WIDTH)
}

/// Outlines of the cells of a layer, and labels with their coordinates near the lower left corners if there are few
/// cells.
fn outlines(cells: &Cells, layer: Option<u32>) -> (Vec<DrawnBox>, Vec<Label>) {
    let UVec3 { x: across, y: high, z: deep } = cells.counts;
    let count = across.saturating_mul(high);
    if count > MOST_CELLS {
        return (Vec::new(), Vec::new());
    }
    let layer = layer.unwrap_or(0).min(deep.saturating_sub(1));
    let (mut boxes, mut labels) = (Vec::new(), Vec::new());
    for (x, y) in (0..high).flat_map(|y| (0..across).map(move |x| (x, y))) {
        let low = cells.origin + UVec3::new(x, y, layer).as_vec3() * cells.size;
        let outline = DrawnBox::coarse_cell([low, low + cells.size]);
        boxes.push(DrawnBox { hidden: 0.6, ..outline });
        if count <= MOST_LABELS {
            let place = low + cells.size * Vec3::new(0.19, 0.12, 1.0);
            labels.push(Label { place, text: format!("{x}, {y}"), is_current: false });
        }
    }
    (boxes, labels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_camera_sees_the_whole_box_face_on() {
        let (low, high) = (Vec3::new(0.0, 0.0, -0.1), Vec3::new(1.2, 0.9, 0.1));
        let camera = face_on(low, high);
        assert_eq!(camera.eye.truncate(), camera.target.truncate());
        let view = View::perspective(camera.eye, camera.target, camera.vertical_fov_degrees, PICTURE);
        for corner in [low, high] {
            let pixel = view.pixel_of(corner).expect("the corner is in front of the camera");
            assert!(pixel.cmpgt(glam::Vec2::ZERO).all() && pixel.cmplt(PICTURE.as_vec2()).all(), "{pixel}");
        }
        let height = view.pixel_of(low).expect("visible").y - view.pixel_of(high).expect("visible").y;
        assert!(height > 0.9 * PICTURE.y as f32, "the box is only {height} pixels high");
    }

    #[test]
    fn few_cells_are_labeled_and_too_many_cells_are_not_drawn() {
        let cells = |across, high| Cells {
            origin: Vec3::ZERO,
            size: Vec3::ONE,
            counts: UVec3::new(across, high, 1),
            border: None,
        };
        let (boxes, labels) = outlines(&cells(12, 9), None);
        assert_eq!((boxes.len(), labels.len()), (108, 108));
        assert_eq!(labels[13].text, "1, 1");
        let (boxes, labels) = outlines(&cells(30, 20), None);
        assert_eq!((boxes.len(), labels.len()), (600, 0));
        assert!(outlines(&cells(3_000, 2_000), None).0.is_empty());
    }
}
