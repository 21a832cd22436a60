//! The sections of the panel for the solver, the material, their parameters, and foam.

use bevy_egui::egui::{Button, Ui};

use super::filter;
use super::row::{About, Change, Choice, Number, Row};
use crate::app::theme::remark;
use crate::app::{Controls, Report, format};
use crate::fluid::{Density, FOAM_SETTINGS, MATERIAL_SETTINGS, Material, Scene, Solver, SolverSetting, SolverSettings};
use crate::search::same_value;

/// Usual coefficient of density diffusion with the continuity equation.
const DIFFUSION: f32 = 0.1;

/// Draws a button for each solver. Another solver continues from the running state.
pub(super) fn solver_control(ui: &mut Ui, controls: &mut Controls, _: &Report) {
    let running = edited(controls).solver;
    ui.horizontal_wrapped(|ui| {
        for solver in Solver::all() {
            if !filter::shows(ui, &[solver.label(), solver.name(), solver.idea]) {
                continue;
            }
            let button = Button::selectable(running == solver, solver.label()).frame_when_inactive(true);
            if ui.add(button).on_hover_text(solver.idea).clicked() {
                controls.change(|settings| settings.edits.solver = Some(solver));
            }
        }
    });
}

/// Whether the solver is another than the scene's.
pub(super) fn solver_differs(controls: &Controls) -> bool {
    edited(controls).solver != controls.scene.solver
}

/// Draws the numbers of the material and the settings of the solver. Changes apply to the running simulation.
pub(super) fn material_controls(ui: &mut Ui, controls: &mut Controls, _: &Report) {
    let running = edited(controls);
    if running.solver.is_fluid() {
        material_numbers(ui, controls, &running.material);
    }
    if running.solver.heeds_density {
        density_choice(ui, controls, &running.material);
    }
    setting_numbers(ui, controls, running.solver.settings, &running.solver_settings);
}

/// Draws the settings of foam.
pub(super) fn foam_controls(ui: &mut Ui, controls: &mut Controls, _: &Report) {
    let running = edited(controls);
    if running.solver.is_fluid() {
        setting_numbers(ui, controls, FOAM_SETTINGS, &running.solver_settings);
    } else if !filter::is_active(ui) {
        remark(ui, "the solver simulates no fluid that could foam");
    }
}

fn edited(controls: &Controls) -> Scene {
    controls.settings.edits.applied_to(&controls.scene)
}

/// Applies a change of the material. A material that is again the scene's is no edit.
fn change_material(controls: &mut Controls, edit: impl FnOnce(&mut Material)) {
    let mut material = edited(controls).material;
    edit(&mut material);
    let edit = (material != controls.scene.material).then_some(material);
    controls.change(|settings| settings.edits.material = edit);
}

/// Draws a row for each number of the material.
fn material_numbers(ui: &mut Ui, controls: &mut Controls, material: &Material) {
    for setting in &MATERIAL_SETTINGS {
        let Some(speed) = setting.dial else { continue };
        let (value, scene) = (setting.value(material), setting.value(&controls.scene.material));
        let (path, option) = (setting.path(), format!("--set {}=NUMBER", setting.path()));
        let about = About { hover: setting.hover, unit: setting.unit, scene_key: &path, option: &option };
        let default = default_of(scene, setting.unit);
        let row = Row { title: setting.title, about, default, differs: !same_value(value, scene), key: None };
        if let Some(change) = row.number(ui, Number { value, speed, whole: false, range: None }) {
            change_material(controls, |material| *(setting.number)(material) = change.or(scene));
        }
    }
}

/// Draws the buttons that select how densities are computed.
fn density_choice(ui: &mut Ui, controls: &mut Controls, material: &Material) {
    let scene = controls.scene.material.density;
    let about = About {
        hover: "how the density of a particle is computed",
        scene_key: "material.density",
        option: "--set material.density=summation or continuity:0.1",
        ..About::default()
    };
    let is_integrated = material.density != Density::Summation;
    let label = |density| if density == Density::Summation { "summed" } else { "integrated" };
    let default = format!("{}, the scene's", label(scene));
    let row = Row { title: "Density", about, default, differs: material.density != scene, key: None };
    let choices = [
        Choice { value: false, label: "summed", hover: "recomputed in each step as a sum over the neighbors" },
        Choice {
            value: true,
            label: "integrated",
            hover: "advanced in time by the continuity equation with diffusion, which gives less noisy pressures",
        },
    ];
    let density = match row.choices(ui, is_integrated, choices) {
        Some(Change::To(true)) => Density::Continuity { diffusion: DIFFUSION },
        Some(Change::To(false)) => Density::Summation,
        Some(Change::ToDefault) => scene,
        None => return,
    };
    change_material(controls, |material| material.density = density);
}

/// Draws a row for each of these settings that the panel shows, and applies what the user changed.
fn setting_numbers(ui: &mut Ui, controls: &mut Controls, shown: &[&'static SolverSetting], values: &SolverSettings) {
    for &setting in shown {
        let Some(speed) = setting.dial else { continue };
        let (value, scene) = (values.value(setting), controls.scene.solver_settings.value(setting));
        let (path, option) = (setting.path(), format!("--set {}=NUMBER", setting.path()));
        let unit = if setting.unit == SolverSetting::NO_UNIT { "" } else { setting.unit };
        let about = About { hover: setting.hover, unit, scene_key: &path, option: &option };
        let row = Row {
            title: setting.title,
            about,
            default: default_of(scene, unit),
            differs: !same_value(value, scene),
            key: None,
        };
        let number = Number { value, speed, whole: setting.whole, range: None };
        match row.number(ui, number) {
            Some(Change::To(value)) => {
                controls.change(|settings| settings.edits.solver_settings.set(setting, value));
            }
            Some(Change::ToDefault) => controls.change(|settings| settings.edits.solver_settings.forget(setting)),
            None => {}
        }
    }
}

fn default_of(scene: f32, unit: &str) -> String {
    format!("{} {unit}", format::number(scene.into())).trim_end().to_owned() + ", the scene's"
}
