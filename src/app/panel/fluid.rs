//! The sections of the panel for the solver, the material and their parameters.

use bevy_egui::egui::{Button, DragValue, Grid, Ui};

use crate::app::theme::remark;
use crate::app::{Controls, Report};
use crate::fluid::{Density, FOAM_SETTINGS, Material, Solver, SolverSetting, SolverSettings};

/// A number of the material that can be changed while the simulation runs. A value that is invalid in a scene file is
/// refused here with the same message. The numbers of solvers come from their own declarations.
struct Dial {
    label: &'static str,
    unit: &'static str,
    /// Change of the value per pixel of dragging.
    speed: f64,
    hover: &'static str,
    number: fn(&mut Material) -> &mut f32,
}

static MATERIAL: [Dial; 4] = [
    Dial {
        label: "Artificial viscosity",
        unit: "",
        speed: 0.002,
        hover: "damps particles that approach each other: 0.02 is lively, 0.2 is calm, 1 is like syrup",
        number: |material| &mut material.viscosity,
    },
    Dial {
        label: "Kinematic viscosity",
        unit: " m²/s",
        speed: 0.0005,
        hover: "physical viscosity, in addition to the artificial one; water has 1e-6, honey 0.01",
        number: |material| &mut material.kinematic_viscosity,
    },
    Dial {
        label: "XSPH",
        unit: "",
        speed: 0.002,
        hover: "fraction by which the velocity of a particle is moved toward the mean velocity of its neighbors",
        number: |material| &mut material.xsph,
    },
    Dial {
        label: "Surface tension",
        unit: " N/m",
        speed: 0.1,
        hover: "water has 0.073, which is visible in drops of a few centimeters; not every solver supports it",
        number: |material| &mut material.surface_tension,
    },
];

/// Usual coefficient of density diffusion with the continuity equation.
const DIFFUSION: f32 = 0.1;

/// Draws a button for each solver. Another solver continues from the running state.
pub(super) fn solver_control(ui: &mut Ui, controls: &mut Controls, _: &Report) {
    let running = controls.settings.edits.applied_to(&controls.scene).solver;
    ui.horizontal(|ui| {
        for solver in Solver::all() {
            let button = Button::selectable(running == solver, solver.label()).frame_when_inactive(true);
            if ui.add(button).on_hover_text(solver.idea).clicked() {
                controls.change(|settings| settings.edits.solver = Some(solver));
            }
        }
    });
}

/// Draws the numbers of the material and the settings of the solver. Changes apply to the running simulation.
pub(super) fn material_controls(ui: &mut Ui, controls: &mut Controls, _: &Report) {
    let running = controls.settings.edits.applied_to(&controls.scene);
    Grid::new("fluid numbers").num_columns(2).show(ui, |ui| {
        let mut material = running.material.clone();
        if running.solver.is_fluid() && material_dials(ui, &mut material) {
            controls.change(|settings| settings.edits.material = Some(material));
        }
        if running.solver.heeds_density {
            density_buttons(ui, controls, &running.material);
        }
        setting_dials(ui, controls, running.solver.settings, &running.solver_settings);
    });
}

/// Draws the settings of foam.
pub(super) fn foam_controls(ui: &mut Ui, controls: &mut Controls, _: &Report) {
    let running = controls.settings.edits.applied_to(&controls.scene);
    if !running.solver.is_fluid() {
        remark(ui, "the solver simulates no fluid that could foam");
        return;
    }
    Grid::new("foam numbers").num_columns(2).show(ui, |ui| {
        setting_dials(ui, controls, FOAM_SETTINGS, &running.solver_settings);
    });
}

/// Draws the buttons that select how densities are computed.
fn density_buttons(ui: &mut Ui, controls: &mut Controls, material: &Material) {
    let hover = "summed: recomputed in each step as a sum over the neighbors; integrated: advanced in time by the \
                 continuity equation with diffusion, which gives less noisy pressures";
    ui.label("Density").on_hover_text(hover);
    ui.horizontal(|ui| {
        let is_integrated = material.density != Density::Summation;
        for (integrates, words) in [(false, "summed"), (true, "integrated")] {
            let button = Button::selectable(is_integrated == integrates, words).frame_when_inactive(true);
            if ui.add(button).on_hover_text(hover).clicked() && is_integrated != integrates {
                let density =
                    if integrates { Density::Continuity { diffusion: DIFFUSION } } else { Density::Summation };
                let material = Material { density, ..material.clone() };
                controls.change(|settings| settings.edits.material = Some(material));
            }
        }
    });
    ui.end_row();
}

/// Draws a row for each dial of the material, and returns whether the user changed one.
fn material_dials(ui: &mut Ui, material: &mut Material) -> bool {
    let mut changed = false;
    for dial in &MATERIAL {
        ui.label(dial.label).on_hover_text(dial.hover);
        let value = DragValue::new((dial.number)(material)).speed(dial.speed).suffix(dial.unit);
        let response = ui.add(value.max_decimals(5).update_while_editing(false));
        changed |= response.on_hover_text(dial.hover).changed();
        ui.end_row();
    }
    changed
}

/// Draws a row for each of these settings, and applies what the user changed.
fn setting_dials(ui: &mut Ui, controls: &mut Controls, settings: &[&'static SolverSetting], values: &SolverSettings) {
    for &setting in settings {
        if let Some(value) = setting_dial(ui, setting, values) {
            controls.change(|settings| settings.edits.solver_settings.set(setting, value));
        }
    }
}

/// Draws a row for a setting, and returns its value if the user changed it.
fn setting_dial(ui: &mut Ui, setting: &SolverSetting, values: &SolverSettings) -> Option<f32> {
    let speed = setting.dial?;
    ui.label(setting.title).on_hover_text(setting.hover);
    let unit = if setting.unit == SolverSetting::NO_UNIT { String::new() } else { format!(" {}", setting.unit) };
    let mut value = values.value(setting);
    let dial = DragValue::new(&mut value).speed(speed).suffix(unit).update_while_editing(false);
    let response = ui.add(dial.max_decimals(if setting.whole { 0 } else { 5 }));
    let changed = response.on_hover_text(setting.hover).changed();
    ui.end_row();
    changed.then_some(if setting.whole { value.round() } else { value })
}
