//! The view "Border and inner": the two classes of particles that FENNS and CLAWS distinguish, where they are in space
//! and in memory, and which particles one coarse cell reads, keeps and drops to find its neighbors.

use std::sync::Arc;

use bevy_egui::egui::{Button, Slider, Ui};
use glam::{UVec3, Vec3};

use super::border_example;
use super::border_numbers::{self, coarse_cells};
use super::inspected::first_particle;
use super::strip_view::{self, ORIGINAL, StripWindow, cell_name, chosen_chunk};
use super::view::{Label, Overlay, ViewInfo};
use super::{Drawer, LabSelection};
use crate::app::theme::{remark, section};
use crate::app::{Controls, Report};
use crate::laboratory::{LabRequest, MarkEntry, Marking};
use crate::render::color_fields::BORDER_OR_INNER;
use crate::render::{
    ColorField, Cut, CutOutline, DrawStyle, DrawnBox, DrawnSegment, DrawnShell, Mark, border_slabs, cell_box,
    inner_core,
};
use crate::search::{BlockClass, Cells, LocalGrid};

/// The largest number of cells in a layer for which shells and cores are drawn.
const MOST_CELLS: u32 = 64;
/// Fraction of the window's height that the memory strip needs.
const DRAWER_SHARE: f32 = 0.27;
/// Color (linear RGB) and opacity of the lines of a local grid.
const LOCAL_LINES: [f32; 4] = [0.92, 0.96, 1.0, 0.75];

pub(super) static INFO: ViewInfo = ViewInfo {
    name: "border_and_inner",
    title: "Border and inner",
    sentence: "Border particles (orange) have another coarse cell within the support radius and are read by its \
               workgroups; inner particles (blue) do not, and only their own cell reads them.",
    legend: &[Mark::Picked, Mark::Neighbor, Mark::Highlighted, Mark::Visitor, Mark::Dropped, Mark::Faded],
    begin,
    request,
    overlay,
    controls,
    numbers: border_numbers::numbers,
    drawer: Some(strip_view::drawer),
};

/// The user's choices in this view.
#[derive(Clone, Debug)]
pub struct BorderControls {
    /// The color field and drawing style that the user had before this view was opened.
    look: Option<(ColorField, DrawStyle)>,
    /// Whether the fluid is cut open.
    pub cut: bool,
    /// Depth of the cut, as a fraction of the box along z; `None` if the cut follows the selection.
    pub depth: Option<f32>,
    /// Which chunk of the selected coarse cell is shown.
    pub chunk: usize,
    /// The visible part of memory.
    pub window: StripWindow,
}

impl BorderControls {
    /// The user's own color field and drawing style, while the view replaces them.
    pub fn kept_look(&self) -> Option<(ColorField, DrawStyle)> {
        self.look
    }
}

impl Default for BorderControls {
    fn default() -> Self {
        Self { look: None, cut: true, depth: None, chunk: 0, window: StripWindow::default() }
    }
}

fn begin(controls: &mut Controls, _: &Report) {
    if controls.lab.border.look.is_none() {
        controls.lab.border.look = Some((controls.field, controls.style));
    }
    (controls.field, controls.style) = (ColorField::new(&BORDER_OR_INNER), DrawStyle::Beads);
    controls.lab.drawer_wanted = Some(DRAWER_SHARE);
    border_example::show(controls);
}

/// Restores the user's color field and drawing style if this view is no longer shown.
pub(super) fn leave(controls: &mut Controls) {
    let is_in_front = controls.lab.open && std::ptr::eq(controls.lab.view(), &raw const INFO);
    if !is_in_front && let Some(look) = controls.lab.border.look.take() {
        (controls.field, controls.style) = look;
    }
}

fn request(controls: &Controls, report: &Report, request: &mut LabRequest) {
    if matches!(controls.lab.hovered, Some(LabSelection::Memory { .. })) {
        // Hovering over a range of memory does not change which particle or cell is inspected.
        request.target = super::LabControls::target_of(&controls.lab.selection, report);
    }
    let has_cells = report.running.as_ref().is_some_and(|running| running.cells.is_some());
    if request.target.cell.is_some() && !has_cells {
        request.target.cell = None;
    }
    if controls.lab.drawer == Drawer::View || controls.lab.selection != LabSelection::All {
        request.strip = strip_view::wanted(controls, report);
    }
}

/// The z coordinate at which the fluid is cut open, m; `None` if it is not cut.
fn cut_depth(controls: &Controls, report: &Report) -> Option<f32> {
    let running = report.running.as_ref().filter(|_| controls.lab.border.cut)?;
    let (low, high) = (running.scene.low.z, running.scene.high.z);
    if let Some(share) = controls.lab.border.depth {
        return Some(low + share * (high - low));
    }
    let layer = |cells: Cells, layer: u32| cells.origin.z + (layer as f32 + 0.5) * cells.size.z;
    if let (Some(cell), Some(cells)) = (controls.lab.selection.cell(), running.cells) {
        return Some(layer(cells, cell.z));
    }
    if controls.lab.selection.particle().is_some()
        && let Some((fields, _)) = report.lab.inspection.as_deref().and_then(first_particle)
    {
        return Some(fields.position[2] + 0.1 * running.resolution.spacing);
    }
    Some(coarse_cells(report).map_or(0.5 * (low + high), |cells| layer(cells, cells.counts.z / 2)))
}

/// The part of a box behind the cut, extended by `before` (m) in front of it so that particles at the cut do not hide
/// it.
fn behind([low, high]: [Vec3; 2], cut: Option<f32>, before: f32) -> Option<[Vec3; 2]> {
    let front = cut.map_or(high.z, |cut| high.z.min(cut + before));
    (low.z < front).then_some([low, high.with_z(front)])
}

/// Collects the boxes, labels and markings that the view draws in the scene.
struct Picture<'a> {
    controls: &'a Controls,
    report: &'a Report,
    cut: Option<f32>,
    spacing: f32,
    boxes: Vec<DrawnBox>,
    overlay: Overlay,
}

fn overlay(controls: &Controls, report: &Report) -> Overlay {
    let Some(running) = &report.running else { return Overlay::default() };
    let cut = cut_depth(controls, report);
    let spacing = running.resolution.spacing;
    let mut picture = Picture { controls, report, cut, spacing, boxes: Vec::new(), overlay: Overlay::default() };
    if let Some(cells) = coarse_cells(report) {
        match &controls.lab.selection {
            LabSelection::Cell(cell) | LabSelection::Subgroup { cell, .. } => picture.cell(&cells, *cell),
            LabSelection::Particle(_) => picture.particle_cell(&cells),
            _ => picture.layer(&cells),
        }
    }
    picture.particle();
    picture.markings();
    picture.overlay.boxes = vec![picture.boxes];
    picture.overlay.cut = cut.map(|depth| Cut {
        low: running.scene.low - 1.0,
        high: (running.scene.high + 1.0).with_z(depth),
        outline: CutOutline::None,
    });
    picture.overlay
}

impl Picture<'_> {
    /// Draws the shell and core of a cell; returns the positions for the labels of the core and of the shell.
    fn shell(&mut self, cells: &Cells, cell: UVec3) -> [Option<Vec3>; 2] {
        let (cut, before) = (self.cut, 0.6 * self.spacing);
        let middle = |[low, high]: [Vec3; 2]| (0.5 * (low + high)).with_z(high.z);
        let core = inner_core(cells, cell).and_then(|corners| behind(corners, cut, before));
        let slabs: Vec<_> =
            border_slabs(cells, cell).into_iter().filter_map(|corners| behind(corners, cut, before)).collect();
        // The slab that is closest to the viewer has room for a label.
        let front = slabs.iter().copied().max_by(|a, b| a[1].z.total_cmp(&b[1].z)).map(middle);
        self.boxes.extend(slabs.into_iter().map(DrawnBox::border_slab));
        self.boxes.extend(core.map(DrawnBox::inner_core));
        [core.map(middle), front]
    }

    fn label(&mut self, place: Option<Vec3>, text: impl Into<String>, is_current: bool) {
        self.overlay.labels.extend(place.map(|place| Label { place, text: text.into(), is_current }));
    }

    /// Draws the layer of cells that the cut plane intersects.
    fn layer(&mut self, cells: &Cells) {
        let counts = cells.counts;
        let depth = self.cut.unwrap_or(cells.origin.z + (counts.z as f32 - 0.5) * cells.size.z);
        let layer = (((depth - cells.origin.z) / cells.size.z).max(0.0) as u32).min(counts.z - 1);
        if counts.x * counts.y > MOST_CELLS {
            return;
        }
        for number in 0..counts.x * counts.y {
            let cell = UVec3::new(number % counts.x, number / counts.x, layer);
            let [core, shell] = self.shell(cells, cell);
            if counts.x * counts.y <= 12 {
                self.label(core, format!("inner of {}", cell_name(cell)), false);
            }
            if cell == UVec3::new(counts.x / 2, counts.y / 2, layer) {
                self.label(shell, "border", false);
            }
        }
    }

    /// Draws the cell of the selected particle.
    fn particle_cell(&mut self, cells: &Cells) {
        let found = self.report.lab.inspection.as_deref().and_then(first_particle);
        let Some(cell) = found.map(|(fields, _)| UVec3::from_array(fields.cell)) else { return };
        self.shell(cells, cell);
    }

    /// Draws the support sphere of the selected particle.
    fn particle(&mut self) {
        if self.controls.lab.selection.particle().is_none() {
            return;
        }
        let Some((fields, _)) = self.report.lab.inspection.as_deref().and_then(first_particle) else { return };
        let center = Vec3::from_array(fields.position);
        if let Some(running) = &self.report.running {
            self.overlay.shells.push(DrawnShell::support(center, running.resolution.support_radius));
        }
    }

    /// Draws the selected coarse cell: its shell and core, the local grid of its chunk, and the cells whose border
    /// blocks it reads.
    fn cell(&mut self, cells: &Cells, cell: UVec3) {
        self.shell(cells, cell);
        let before = 0.6 * self.spacing;
        let whole = behind(cell_box(cells, cell), self.cut, before);
        self.boxes.extend(whole.map(|corners| DrawnBox::visited_cell(corners, true)));
        self.label(whole.map(|[low, high]| high.with_x(0.5 * (low.x + high.x))), cell_name(cell), true);
        let (controls, report) = (self.controls, self.report);
        let Some(chunk) = chosen_chunk(controls, report) else { return };
        if let Some(grid) = &chunk.grid {
            self.local_grid(grid);
        }
        let Some(strip) = &report.lab.strip else { return };
        for read in strip.read_by(chunk) {
            let other = strip.coordinate(read.block.cell);
            if other == cell || read.block.class != Some(BlockClass::Border) {
                continue;
            }
            // Cells of other layers would overlap these on screen; the list at the right shows all of them.
            if other.z != cell.z {
                continue;
            }
            let Some([low, high]) = behind(cell_box(cells, other), self.cut, before) else { continue };
            self.boxes.push(DrawnBox::visited_cell([low, high], false));
            let place = (0.5 * (low + high)).with_z(high.z);
            self.label(Some(place), format!("keeps {} of {}", read.kept, read.checked), false);
        }
    }

    /// Draws the lines of a local grid at the cut, or on its front face.
    fn local_grid(&mut self, grid: &LocalGrid) {
        let low = grid.origin;
        let high = low + grid.counts.as_vec3() * grid.cell_size;
        let Some([low, high]) = behind([low, high], self.cut, 0.7 * self.spacing) else { return };
        let line = |from: Vec3, to: Vec3| DrawnSegment { from, to, color: LOCAL_LINES, width: 1.2, hidden: 0.0 };
        for (axis, other) in [(0, 1), (1, 0)] {
            for number in 0..=grid.counts[axis] {
                let mut from = low.with_z(high.z);
                from[axis] = low[axis] + number as f32 * grid.cell_size[axis];
                let mut to = from;
                to[other] = high[other];
                self.overlay.segments.push(line(from, to));
            }
        }
    }

    fn markings(&mut self) {
        let (lab, report) = (&self.controls.lab, self.report);
        let mut others = Mark::Faded;
        let mut entries = Vec::new();
        let strip = report.lab.strip.as_deref();
        let found = report.lab.inspection.as_deref().and_then(first_particle);
        match (&lab.hovered, &lab.selection) {
            (Some(LabSelection::Memory { buffer, elements }), _) => {
                let Some(strip) = strip else { return };
                let identities: Vec<u32> = if buffer == ORIGINAL {
                    (elements.start as u32..elements.end as u32).collect()
                } else {
                    (elements.start as u32..elements.end as u32)
                        .filter_map(|place| strip.at(place).map(|at| at.identity))
                        .collect()
                };
                entries.extend(identities.into_iter().map(|identity| MarkEntry::new(identity, Mark::Highlighted)));
            }
            (_, LabSelection::Particle(particle)) => {
                others = Mark::Plain;
                if let Some((_, record)) = found {
                    let neighbors = record.tested.iter().filter(|tested| tested.accepted);
                    entries.extend(neighbors.map(|tested| MarkEntry::new(tested.identity, Mark::Neighbor)));
                }
                entries.push(MarkEntry::new(*particle, Mark::Picked));
            }
            (_, LabSelection::Particles(particles)) => {
                entries.extend(particles.iter().map(|&particle| MarkEntry::new(particle, Mark::Highlighted)));
            }
            (_, LabSelection::Cell(_) | LabSelection::Subgroup { .. }) => {
                let Some(chunk) = chosen_chunk(self.controls, report) else { return };
                let role = |kept| if kept { Mark::Visitor } else { Mark::Dropped };
                entries.extend(chunk.visitors.iter().map(|of| MarkEntry::new(of.identity, role(of.kept))));
                entries.extend(chunk.members.iter().map(|of| MarkEntry::new(of.identity, Mark::Highlighted)));
            }
            _ => return,
        }
        self.overlay.markings = vec![Marking { others, entries: Arc::new(entries) }];
    }
}

fn controls(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    section(ui, "Example", &[]);
    if border_example::is_shown(controls) {
        if ui
            .button("Restore your scene")
            .on_hover_text("restores your scene and settings from the first frame")
            .clicked()
        {
            border_example::give_back(controls);
        }
        remark(ui, "A full cube of water at rest in 3 x 3 x 3 coarse cells.");
    } else if ui.button("Prepared example").on_hover_text("a full cube of water that contains both classes").clicked() {
        border_example::show(controls);
    }
    cut_controls(ui, controls, report);
    if coarse_cells(report).is_some() {
        cell_controls(ui, controls, report);
    }
}

fn cut_controls(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    section(ui, "Cut", &[]);
    ui.checkbox(&mut controls.lab.border.cut, "Cut open").on_hover_text("hides the particles in front of the cut");
    if !controls.lab.border.cut {
        return;
    }
    let depth = cut_depth(controls, report).zip(report.running.as_ref());
    let share = depth.map_or(0.5, |(depth, running)| {
        (depth - running.scene.low.z) / (running.scene.high.z - running.scene.low.z).max(f32::MIN_POSITIVE)
    });
    // Rounded to the digits that the slider shows; otherwise the slider's own rounding would count as a change by the
    // user.
    let shown = (100.0 * share.clamp(0.0, 1.0)).round() / 100.0;
    let mut chosen = shown;
    ui.horizontal(|ui| {
        ui.spacing_mut().slider_width = (ui.available_width() - 120.0).max(40.0);
        if ui.add(Slider::new(&mut chosen, 0.0..=1.0).fixed_decimals(2).text("depth")).changed()
            && (chosen - shown).abs() > 1e-3
        {
            controls.lab.border.depth = Some(chosen);
        }
    });
    if controls.lab.border.depth.is_some()
        && ui.button("Cut at the selection").on_hover_text("the cut follows the selection again").clicked()
    {
        controls.lab.border.depth = None;
    }
}

/// Controls that select a coarse cell and one of its chunks.
fn cell_controls(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    section(ui, "Coarse cell", &[]);
    let Some(cells) = coarse_cells(report) else { return };
    let found = report.lab.inspection.as_deref().and_then(first_particle);
    let own = found.map(|(fields, _)| UVec3::from_array(fields.cell));
    ui.horizontal_wrapped(|ui| {
        if controls.lab.selection.particle().is_some() {
            let button = ui.add_enabled(own.is_some(), Button::new("Its coarse cell"));
            if button.on_hover_text("the coarse cell of the selected particle").clicked()
                && let Some(cell) = own
            {
                choose(controls, cell);
            }
        }
        if ui.button("Middle cell").on_hover_text("the coarse cell in the middle of the box").clicked() {
            choose(controls, cells.counts / 2);
        }
    });
    let Some(cell) = controls.lab.selection.cell() else {
        remark(ui, "Select one, or click a block of the memory strip, to see what its workgroups read.");
        return;
    };
    ui.horizontal(|ui| {
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            let mut step = |ui: &mut Ui, sign: &str, next: Option<u32>, way: &str| {
                let next = next.filter(|&next| next < cells.counts[axis]);
                let button = ui.add_enabled(next.is_some(), Button::new(format!("{name}{sign}")));
                if button.on_hover_text(format!("the next coarse cell {way} {name}")).clicked()
                    && let Some(next) = next
                {
                    let mut other = cell;
                    other[axis] = next;
                    choose(controls, other);
                }
            };
            step(ui, "-", cell[axis].checked_sub(1), "against");
            step(ui, "+", cell[axis].checked_add(1), "along");
        }
    });
    let inspection = report.lab.inspection.as_deref();
    let chunks = inspection.map_or(0, |inspection| inspection.recording.chunks.len());
    if chunks > 1 {
        ui.horizontal(|ui| {
            ui.spacing_mut().slider_width = (ui.available_width() - 120.0).max(40.0);
            let mut number = controls.lab.border.chunk.min(chunks - 1) + 1;
            let slider = Slider::new(&mut number, 1..=chunks).text("chunk");
            if ui.add(slider).on_hover_text("which part of the cell is held in workgroup memory").changed() {
                controls.lab.border.chunk = number - 1;
            }
        });
    }
}

fn choose(controls: &mut Controls, cell: UVec3) {
    controls.lab.border.chunk = 0;
    controls.lab.select(LabSelection::Cell(cell));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_end_at_the_cut_and_vanish_in_front_of_it() {
        let corners = [Vec3::ZERO, Vec3::ONE];
        assert_eq!(behind(corners, None, 0.1), Some(corners));
        assert_eq!(behind(corners, Some(0.5), 0.1), Some([Vec3::ZERO, Vec3::new(1.0, 1.0, 0.6)]));
        assert_eq!(behind(corners, Some(-0.5), 0.1), None);
    }
}
