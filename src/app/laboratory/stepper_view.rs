//! The view "Step by step": runs one pass of a time step per key press, shows the buffers that it read and wrote as
//! strips, and highlights the particles whose data it changed.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use bevy_egui::egui::{self, Button, Grid, RichText, ScrollArea, Ui};
use glam::UVec3;

use super::LabSelection;
use super::stepper_strips::{StripStyle, strip_ui};
use super::view::{Label, Overlay, ViewInfo};
use crate::app::explain::slow_button;
use crate::app::theme::{ACCENT, QUIET, TEXT, WARNING, phase_color, remark, section};
use crate::app::{Action, Controls, Report, Slowly, format};
use crate::laboratory::{Focus, LabRequest, MarkEntry, Marking, Space, SteppedPass, SteppingFindings, SteppingOrder};
use crate::render::{DrawnBox, Mark};
use crate::search::{Cells, EXAMPLES};

/// Width of the list of passes.
const LIST: f32 = 200.0;
/// Fraction of the window's height that the strips take at first.
const DRAWER_SHARE: f32 = 0.55;
/// Largest number of particles that are highlighted.
const MOST_LIT: usize = 1 << 16;

pub(super) static INFO: ViewInfo = ViewInfo {
    name: "step_by_step",
    title: "Step by step",
    sentence: "One time step, pass by pass: what each pass reads and writes, shown as parts of the actual buffers \
               around the selected particle and its cell.",
    legend: &[Mark::Picked, Mark::Highlighted],
    begin,
    request,
    overlay,
    controls,
    numbers,
    drawer: Some(drawer),
};

/// The user's choices in the view.
#[derive(Clone, Debug, Default)]
pub struct SteppingControls {
    /// Number of requests to run the next pass.
    pub forward: u32,
    /// Number of requests to finish the step.
    pub finish: u32,
    /// Number of requests to abandon the step.
    pub abandon: u32,
    /// The playing of passes one after another, while it is on.
    pub slowly: Option<Slowly>,
    /// Index of the pass that is shown; `None` for the last pass that has run.
    shown: Option<usize>,
    /// Number of elements by which the strips are shifted, for each meaning of their indices.
    shifts: HashMap<Space, f32>,
    /// Element under the pointer.
    hovered: Option<(Space, u64)>,
    /// Particles whose data the shown pass has changed.
    lit: Option<(Arc<SteppedPass>, Arc<Vec<MarkEntry>>)>,
}

impl Controls {
    /// Whether the key for a single step runs one pass instead of one time step.
    pub(in crate::app) fn goes_through_step(&self) -> bool {
        let is_view_open = self.lab.open && self.lab.view().name == INFO.name;
        is_view_open || (self.explain.open && self.explain.steps)
    }

    /// The request to run passes, with the windows around the selected particle and its cell.
    pub(in crate::app) fn stepping_order(&self, report: &Report) -> SteppingOrder {
        let SteppingControls { forward, finish, abandon, .. } = self.lab.stepping;
        SteppingOrder { forward, finish, abandon, focus: focus(self, report) }
    }

    /// Requests the next pass.
    pub(in crate::app) fn next_pass(&mut self) {
        self.pause_for_step();
        self.lab.stepping.forward += 1;
        self.lab.stepping.shown = None;
    }

    /// Pauses the simulation; it resumes when the laboratory, or the panel that runs the step, is closed.
    pub(in crate::app) fn pause_for_step(&mut self) {
        self.stop_water();
    }
}

/// Selects a search that counts particles per cell and scans the counts, and a particle inside the fluid.
fn begin(controls: &mut Controls, report: &Report) {
    controls.pause_for_step();
    controls.show_example(|settings| {
        settings.search = EXAMPLES.scanning;
    });
    if controls.lab.selection.particle().is_none() {
        controls.lab.step_particle(0, report);
    }
    controls.lab.drawer_wanted = Some(DRAWER_SHARE);
}

fn linear(cell: UVec3, counts: UVec3) -> u64 {
    (u64::from(cell.z) * u64::from(counts.y) + u64::from(cell.y)) * u64::from(counts.x) + u64::from(cell.x)
}

/// The selected cell, or the cell of the selected particle.
fn selected_cell(controls: &Controls, report: &Report) -> Option<(UVec3, Cells)> {
    let cells = report.running.as_ref()?.cells?;
    let of_particle = || {
        let fields = report.lab.inspection.as_ref()?.fields.first().filter(|fields| fields.found > 0)?;
        Some(UVec3::from_array(fields.cell))
    };
    let cell = controls.lab.selection.cell().or_else(of_particle).filter(|cell| cell.cmplt(cells.counts).all())?;
    Some((cell, cells))
}

/// Index of the selected particle in the drawn order.
fn selected_place(controls: &Controls, report: &Report) -> Option<u32> {
    let particle = controls.lab.selection.particle()?;
    let inspection =
        report.lab.inspection.as_ref().filter(|found| found.target.particles.first() == Some(&particle))?;
    inspection.fields.first().filter(|fields| fields.found > 0).map(|fields| fields.place)
}

fn focus(controls: &Controls, report: &Report) -> Focus {
    // While the simulation is paused, particles are drawn in sorted order, so the next step finds them at the same
    // index.
    let place = selected_place(controls, report).map_or(0, u64::from);
    let cell = selected_cell(controls, report).map_or(0, |(cell, cells)| linear(cell, cells.counts));
    Focus { place, original: place, cell, elements: 0 }
}

fn request(controls: &Controls, report: &Report, request: &mut LabRequest) {
    request.stepping = Some(controls.stepping_order(report));
    request.marks_places = true;
}

/// The pass that is shown, among the passes that have run.
fn shown_pass<'a>(controls: &Controls, findings: &'a SteppingFindings) -> Option<&'a Arc<SteppedPass>> {
    let chosen = controls.lab.stepping.shown.and_then(|place| findings.stepped.get(place));
    chosen.or(findings.stepped.last())
}

/// The particles whose data a pass has changed, by their index in the drawn order.
fn touched(pass: &SteppedPass) -> Vec<MarkEntry> {
    let original: HashMap<u64, u32> = pass.links.iter().map(|link| (link.place, link.original)).collect();
    let mut places = BTreeSet::new();
    for (space, changes) in pass.report.touched_particles() {
        for element in &changes.elements {
            if places.len() >= MOST_LIT {
                break;
            }
            match space {
                Space::Particles => places.extend(original.get(element).copied()),
                _ => drop(places.insert(*element as u32)),
            }
        }
    }
    places.into_iter().map(|place| MarkEntry::new(place, Mark::Highlighted)).collect()
}

fn overlay(controls: &Controls, report: &Report) -> Overlay {
    let findings = &report.lab.stepping;
    let mut overlay = Overlay::default();
    let mut marking = Marking { others: Mark::Plain, entries: Arc::default() };
    if let (Some(pass), Some((lit_pass, lit))) = (shown_pass(controls, findings), &controls.lab.stepping.lit)
        && Arc::ptr_eq(pass, lit_pass)
    {
        let is_complete = !findings.is_half_done && findings.done > 0;
        // After the step the particles are in another order; a pass over cells changes no particle.
        marking = if is_complete || lit.is_empty() {
            Marking { others: Mark::Plain, entries: Arc::default() }
        } else {
            Marking { others: Mark::Faded, entries: Arc::clone(lit) }
        };
    }
    if let Some(place) = selected_place(controls, report).filter(|_| findings.is_half_done || findings.done == 0) {
        let mut entries = (*marking.entries).clone();
        entries.push(MarkEntry::new(place, Mark::Picked));
        marking.entries = Arc::new(entries);
    }
    overlay.markings.push(marking);
    if let Some((cell, cells)) = selected_cell(controls, report) {
        let low = cells.origin + cell.as_vec3() * cells.size;
        overlay.boxes.push(vec![DrawnBox::visited_cell([low, low + cells.size], true)]);
        let text = format!("cell {}", linear(cell, cells.counts));
        overlay.labels.push(Label { place: low + cells.size * glam::Vec3::new(0.5, 1.2, 0.5), text, is_current: true });
    }
    overlay
}

fn controls(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    section(ui, "Time step", &[Action::StepOnce.key_label()]);
    ui.horizontal_wrapped(|ui| step_buttons(ui, controls, report));
    remark(
        ui,
        "An incomplete step is finished before the simulation resumes, and abandoned if the scene or settings change.",
    );
    if controls.lab.kept_scene.is_some() {
        section(ui, "Example", &[]);
        if ui.button("Restore your scene").on_hover_text("restores your search and settings").clicked() {
            controls.leave_example();
        }
    }
}

fn step_buttons(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    let is_half_done = report.lab.stepping.is_half_done;
    let next = Button::new("Next pass").shortcut_text(Action::StepOnce.key_label());
    if ui.add(next).on_hover_text("runs one pass of the time step").clicked() {
        controls.lab.stepping.slowly = None;
        controls.next_pass();
    }
    slow_button(ui, controls);
    let finish = ui.add_enabled(is_half_done, Button::new("Finish the step"));
    if finish.on_hover_text("runs the remaining passes").clicked() {
        controls.lab.stepping.slowly = None;
        controls.lab.stepping.finish += 1;
        controls.lab.stepping.shown = None;
    }
    let abandon = ui.add_enabled(is_half_done, Button::new("Abandon the step"));
    if abandon.on_hover_text("restores the state from before the step").clicked() {
        controls.lab.stepping.slowly = None;
        controls.lab.stepping.abandon += 1;
        controls.lab.stepping.shown = None;
    }
}

fn numbers(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        let Some(pass) = shown_pass(controls, &report.lab.stepping) else {
            remark(ui, "Run the first pass to see its numbers.");
            return;
        };
        let pass = &pass.report;
        ui.heading(pass.label);
        Grid::new("pass").num_columns(2).spacing([10.0, 3.0]).show(ui, |ui| {
            let mut row = |name: &str, value: String, hover: &str| {
                ui.label(RichText::new(name).color(QUIET)).on_hover_text(hover);
                ui.label(RichText::new(value).color(TEXT)).on_hover_text(hover);
                ui.end_row();
            };
            row("pass", format!("{} of {}", pass.number, pass.pass_count), "number of the pass in this time step");
            row("phase", pass.phase.label().to_owned(), "the part of the frame that the pass belongs to");
            row("entry point", pass.entry_point.to_owned(), "the function that every invocation runs");
            let [x, y] = pass.workgroups;
            let groups = if y > 1 { format!("{x} x {y}") } else { format::count(x.into()) };
            row("workgroups", groups, "workgroups that the dispatch starts");
            let [x, y, z] = pass.workgroup_size;
            row("workgroup size", format!("{}", x * y * z), "invocations per workgroup");
            row(
                "workgroup memory",
                format::bytes(pass.workgroup_bytes.into()),
                "memory that the invocations of a workgroup share",
            );
            let lit = controls.lab.stepping.lit.as_ref().map_or(0, |(_, lit)| lit.len());
            row(
                "particles changed",
                format::count(lit as u64),
                "particles around the selection whose data the pass changed",
            );
        });
        // Outside of the grid, since a path can be wider than the panel and has to wrap.
        ui.add_space(4.0);
        remark(ui, format!("shaders/{}", pass.file)).on_hover_text("the file of the shader");
        if let Some(pair) = pass.pair_file {
            remark(ui, format!("with shaders/{pair}")).on_hover_text("what the traversal does with each pair");
        }
        let writes = pass.buffers.iter().filter_map(|buffer| buffer.changes.as_ref());
        if writes.clone().count() > 0 && writes.map(|changes| changes.count).sum::<u64>() == 0 {
            remark(
                ui,
                "The pass wrote the values that were already there: the particles were in this order before the step.",
            );
        }
    });
}

fn drawer(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    let findings = &report.lab.stepping;
    light_up(controls, findings);
    ui.horizontal(|ui| {
        step_buttons(ui, controls, report);
        if let Some(told) = &findings.told {
            ui.label(RichText::new(told).color(ACCENT));
        } else if findings.is_half_done {
            let text = format!("{} of {} passes have run", findings.done, findings.passes.len());
            ui.label(RichText::new(text).color(WARNING));
        } else if findings.done > 0 {
            ui.label(RichText::new("the step is complete; the next pass begins another").color(ACCENT));
        }
    });
    let height = ui.available_height();
    ui.horizontal_top(|ui| {
        ui.allocate_ui_with_layout(egui::vec2(LIST, height), egui::Layout::top_down(egui::Align::Min), |ui| {
            pass_list(ui, controls, findings);
        });
        ui.separator();
        ui.vertical(|ui| strips(ui, controls, report));
    });
}

/// Determines the particles that the shown pass has changed, once per pass.
fn light_up(controls: &mut Controls, findings: &SteppingFindings) {
    let Some(pass) = shown_pass(controls, findings) else {
        controls.lab.stepping.lit = None;
        return;
    };
    let is_known = controls.lab.stepping.lit.as_ref().is_some_and(|(known, _)| Arc::ptr_eq(known, pass));
    if !is_known {
        controls.lab.stepping.lit = Some((Arc::clone(pass), Arc::new(touched(pass))));
    }
}

fn pass_list(ui: &mut Ui, controls: &mut Controls, findings: &SteppingFindings) {
    let shown = shown_pass(controls, findings).map(|pass| pass.report.number);
    ScrollArea::vertical().id_salt("passes of the step").auto_shrink(false).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 1.0;
        for (number, pass) in (1..).zip(findings.passes.iter()) {
            let has_run = number <= findings.stepped.len();
            let is_shown = shown == Some(number);
            ui.horizontal(|ui| {
                let (square, _) = ui.allocate_exact_size(egui::vec2(8.0, 8.0), egui::Sense::hover());
                ui.painter().rect_filled(square, 2, phase_color(pass.phase));
                let mark = if is_shown {
                    ">"
                } else if has_run {
                    "+"
                } else {
                    " "
                };
                let color = if has_run { TEXT } else { QUIET };
                let text = RichText::new(format!("{mark} {number} {}", pass.label)).small().color(color);
                let button = ui.add_enabled(has_run, Button::selectable(is_shown, text));
                let hover = if has_run { "shows what this pass did" } else { "has not run yet" };
                if button.on_hover_text(hover).on_disabled_hover_text("has not run yet").clicked() {
                    controls.lab.stepping.shown = Some(number - 1);
                }
                if is_shown {
                    ui.scroll_to_cursor(None);
                }
            });
        }
    });
}

fn strips(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    let Some(pass) = shown_pass(controls, &report.lab.stepping).cloned() else {
        remark(
            ui,
            format!("Press {} or \"Next pass\" to run the first pass of a time step.", Action::StepOnce.key_label()),
        );
        return;
    };
    let focus = focus(controls, report);
    let has_selection = selected_place(controls, report).is_some() || controls.lab.selection.cell().is_some();
    let hovered = controls.lab.stepping.hovered.take();
    let cells = report.running.as_ref().and_then(|running| running.cells);
    ui.horizontal(|ui| {
        let title = format!("{} of {}: {}", pass.report.number, pass.report.pass_count, pass.report.label);
        ui.label(RichText::new(title).strong().color(ACCENT).size(14.0));
        ui.label(
            RichText::new("drag a strip to scroll it; changed values are underlined and marked with a dot")
                .small()
                .color(QUIET),
        );
    });
    ScrollArea::vertical().id_salt("strips of the pass").auto_shrink(false).show(ui, |ui| {
        // Written buffers come first, since they are the result of the pass.
        let mut order: Vec<usize> = (0..pass.report.buffers.len()).collect();
        order.sort_by_key(|&place| !pass.report.buffers[place].access.writes());
        for place in order {
            let buffer = &pass.report.buffers[place];
            let space = buffer.after.entry.space;
            let selected = match space {
                Space::Particles => Some(focus.place),
                Space::OriginalParticles => Some(focus.original),
                Space::Cells => Some(focus.cell),
                Space::Blocks => Some(2 * focus.cell),
                Space::Entries | Space::Other => None,
            };
            let shift = controls.lab.stepping.shifts.get(&space).copied().unwrap_or(0.0);
            let window = &buffer.after.window;
            let base = selected.unwrap_or(0);
            let center = (base as f64 + f64::from(shift)).clamp(window.start as f64, window.end.max(1) as f64 - 1.0);
            let style = StripStyle {
                center: center as u64,
                selected: selected.filter(|_| has_selection),
                hovered: hovered.and_then(|hovered| same_particle(&pass, hovered, space)),
                next_reader: pass.next_readers.get(place).copied().flatten(),
            };
            let response = ui.push_id(place, |ui| strip_ui(ui, buffer, &style)).inner;
            if response.dragged != 0.0 {
                controls.lab.stepping.shifts.insert(space, (center - base as f64) as f32 + response.dragged);
            }
            if let Some(wanted) = response.wanted {
                controls.lab.stepping.shifts.insert(space, wanted as f32 - base as f32);
            }
            if let Some(element) = response.hovered {
                controls.lab.stepping.hovered = Some((space, element));
            }
            if let (true, Space::Cells, Some(element), Some(cells)) = (response.clicked, space, response.hovered, cells)
                && element < u64::from(cells.counts.element_product())
            {
                let (index, counts) = (element as u32, cells.counts);
                let cell = UVec3::new(index % counts.x, index / counts.x % counts.y, index / (counts.x * counts.y));
                controls.lab.select(LabSelection::Cell(cell));
                controls.lab.stepping.shifts.remove(&Space::Cells);
            }
            ui.add_space(4.0);
        }
    });
}

/// The element of another index space that belongs to the same particle.
fn same_particle(pass: &SteppedPass, (of, element): (Space, u64), space: Space) -> Option<u64> {
    match (of, space) {
        (of, space) if of == space => Some(element),
        (Space::Particles, Space::OriginalParticles) => {
            pass.links.iter().find(|link| link.place == element).map(|link| link.original.into())
        }
        (Space::OriginalParticles, Space::Particles) => {
            pass.links.iter().find(|link| u64::from(link.original) == element).map(|link| link.place)
        }
        _ => None,
    }
}
