//! The contract of a view of the laboratory.

use bevy_egui::egui::Ui;
use glam::Vec3;

use crate::app::{Controls, Report};
use crate::laboratory::{LabRequest, Marking};
use crate::render::{CellEdges, ColorField, Cut, DrawnBox, DrawnSegment, DrawnShell, Mark};

/// A text in the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// Its position in the scene, m.
    pub place: Vec3,
    /// The text.
    pub text: String,
    /// Whether it belongs to the current element and is drawn brighter.
    pub is_current: bool,
}

/// What the colors of the particles mean in a view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OverlayColor {
    /// The field that they show, in place of the field that the user selected. [`ColorField::custom`] shows the cost
    /// map.
    pub field: ColorField,
    /// Values at the ends of the color map; `None` for the usual range of the field.
    pub range: Option<(f32, f32)>,
}

/// What a view draws in the scene in addition to the fluid, in one column for the running search and one for each
/// compared search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overlay {
    /// Roles of particles, one marking per column; empty if the fluid is drawn without roles.
    pub markings: Vec<Marking>,
    /// Boxes of each column.
    pub boxes: Vec<Vec<DrawnBox>>,
    /// Lines and points.
    pub segments: Vec<DrawnSegment>,
    /// Translucent spheres.
    pub shells: Vec<DrawnShell>,
    /// Texts in the first column.
    pub labels: Vec<Label>,
    /// The box outside of which the fluid is not drawn; `None` if the view does not cut the fluid.
    pub cut: Option<Cut>,
    /// What the colors of the particles mean, if the view replaces the user's color field.
    pub color: Option<OverlayColor>,
    /// Which cells of the search are outlined, if the view overrides the user's choice of all or none.
    pub cell_edges: Option<CellEdges>,
    /// Replaces the tank, the fluid and the solids by a stage; `None` keeps them.
    pub stage: Option<Stage>,
}

/// An empty box in place of the tank, with the part of it that the camera shows. When the stage is left, the camera
/// returns to where it was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stage {
    /// Lowest and highest corner, m.
    pub corners: [Vec3; 2],
    /// Center of the sphere that the camera shows completely, m.
    pub target: Vec3,
    /// Radius of that sphere, m.
    pub size: f32,
    /// Direction from its center to the camera, of any length.
    pub direction: Vec3,
}

/// A view of the laboratory.
pub struct ViewInfo {
    /// Name in settings, scripts and lessons.
    pub name: &'static str,
    /// Name on screen.
    pub title: &'static str,
    /// One sentence that describes what the view shows.
    pub sentence: &'static str,
    /// Roles that its legend explains.
    pub legend: &'static [Mark],
    /// Called when the view is opened: prepares an example that shows the purpose of the view, if the present scene
    /// does not.
    pub begin: fn(&mut Controls, &Report),
    /// Adds to the request what the view needs beside the inspection of the selection.
    pub request: fn(&Controls, &Report, &mut LabRequest),
    /// Returns what the view draws in the scene.
    pub overlay: fn(&Controls, &Report) -> Overlay,
    /// Shows its controls, at the left.
    pub controls: fn(&mut Ui, &mut Controls, &Report),
    /// Shows its numbers, at the right.
    pub numbers: fn(&mut Ui, &mut Controls, &Report),
    /// Shows its content in the drawer below the scene; `None` if the drawer shows the passes only.
    pub drawer: Option<fn(&mut Ui, &mut Controls, &Report)>,
}

impl ViewInfo {
    /// For a view that needs no preparation.
    pub fn begin_as_it_is(_: &mut Controls, _: &Report) {}

    /// For a view that requests nothing beside the inspection.
    pub fn request_nothing(_: &Controls, _: &Report, _: &mut LabRequest) {}

    /// For a view that draws nothing in the scene.
    pub fn overlay_nothing(_: &Controls, _: &Report) -> Overlay {
        Overlay::default()
    }
}
