use bevy_egui::egui::{Button, CollapsingHeader, DragValue, Grid, Ui};

use super::theme::section;
use super::{Action, Controls};
use crate::fluid::{Density, Material, Pbf, Repulsion, Solver};

/// A number that can be turned while the water moves. What a scene file would refuse is refused here in the same words.
struct Dial<T> {
    label: &'static str,
    unit: &'static str,
    /// What a pixel of dragging adds.
    speed: f64,
    hover: &'static str,
    number: fn(&mut T) -> Number<'_>,
}

enum Number<'a> {
    Real(&'a mut f32),
    Whole(&'a mut u32),
}

static MATERIAL: [Dial<Material>; 4] = [
    Dial {
        label: "Artificial viscosity",
        unit: "",
        speed: 0.002,
        hover: "0.02 is lively, 0.2 calm, 1 syrup: damps particles that approach each other",
        number: |material| Number::Real(&mut material.viscosity),
    },
    Dial {
        label: "Kinematic viscosity",
        unit: " m²/s",
        speed: 0.0005,
        hover: "a real viscosity besides; water has 1e-6, honey 0.01",
        number: |material| Number::Real(&mut material.kinematic_viscosity),
    },
    Dial {
        label: "XSPH",
        unit: "",
        speed: 0.002,
        hover: "share of the difference to its neighbors' velocity that a particle takes on",
        number: |material| Number::Real(&mut material.xsph),
    },
    Dial {
        label: "Surface tension",
        unit: " N/m",
        speed: 0.1,
        hover: "water has 0.073, which shows in drops of centimetres (WCSPH)",
        number: |material| Number::Real(&mut material.surface_tension),
    },
];

static PBF: [Dial<Pbf>; 5] = [
    Dial {
        label: "Substeps",
        unit: " a frame",
        speed: 0.05,
        hover: "steps that a frame of water is cut into: shorter ones compress less and lose less energy; 0 is as many as \
                keep the water within 1 %",
        number: |pbf| Number::Whole(&mut pbf.substeps),
    },
    Dial {
        label: "Iterations",
        unit: " a step",
        speed: 0.05,
        hover: "corrections of each step: more compress less",
        number: |pbf| Number::Whole(&mut pbf.iterations),
    },
    Dial {
        label: "Relaxation",
        unit: "",
        speed: 0.005,
        hover: "softens corrections where few neighbors could take them up",
        number: |pbf| Number::Real(&mut pbf.relaxation),
    },
    Dial {
        label: "Tensile pressure",
        unit: "",
        speed: 0.002,
        hover: "keeps particles from clumping",
        number: |pbf| Number::Real(&mut pbf.tensile),
    },
    Dial {
        label: "Vorticity",
        unit: " m/s",
        speed: 0.005,
        hover: "gives back swirl that was damped",
        number: |pbf| Number::Real(&mut pbf.vorticity),
    },
];

static REPULSION: [Dial<Repulsion>; 3] = [
    Dial {
        label: "Stiffness",
        unit: " N/m",
        speed: 10.0,
        hover: "two particles push each other by this times what they lack of the radius; the paper has 3600",
        number: |repulsion| Number::Real(&mut repulsion.stiffness),
    },
    Dial {
        label: "Damping",
        unit: " kg/s",
        speed: 0.0005,
        hover: "brakes particles that approach or part; the paper has none, and its particles bounce for long",
        number: |repulsion| Number::Real(&mut repulsion.damping),
    },
    Dial {
        label: "Time step",
        unit: " s",
        speed: 0.00001,
        hover: "stiffer particles need shorter steps; the paper has 0.0002",
        number: |repulsion| Number::Real(&mut repulsion.time_step),
    },
];

/// Diffusion of densities that are kept from step to step, as is usual.
const DIFFUSION: f32 = 0.1;

/// Solver and material, in force where the water is.
pub(super) fn fluid_controls(ui: &mut Ui, controls: &mut Controls) {
    section(ui, "Fluid", &[Action::NextSolver.key_label()]);
    let running = controls.settings.edits.applied_to(&controls.scene);
    ui.horizontal(|ui| {
        for solver in Solver::ALL {
            let button = Button::selectable(running.solver == solver, solver.label()).frame_when_inactive(true);
            let hover = match solver {
                Solver::Wcsph => "pressure by a stiff equation of state, in many small steps",
                Solver::Pbf => {
                    "Position Based Fluids: positions corrected until no place is too dense, in few large steps"
                }
                Solver::Repulsion => {
                    "Morillo et al. 2014: particles that push each other away, no fluid; starts the scene again"
                }
            };
            if ui.add(button).on_hover_text(hover).clicked() {
                controls.change(|settings| settings.edits.solver = Some(solver));
            }
        }
    });
    CollapsingHeader::new("Material and solver").show(ui, |ui| {
        Grid::new("fluid numbers").num_columns(2).show(ui, |ui| {
            let mut material = running.material.clone();
            if running.solver.is_fluid() && dials(ui, &MATERIAL, &mut material) {
                controls.change(|settings| settings.edits.material = Some(material));
            }
            if running.solver == Solver::Wcsph {
                density_buttons(ui, controls, &running.material);
            }
            let mut pbf = running.pbf.clone();
            if running.solver == Solver::Pbf && dials(ui, &PBF, &mut pbf) {
                controls.change(|settings| settings.edits.pbf = Some(pbf));
            }
            let mut repulsion = running.repulsion.clone();
            if running.solver == Solver::Repulsion && dials(ui, &REPULSION, &mut repulsion) {
                controls.change(|settings| settings.edits.repulsion = Some(repulsion));
            }
        });
    });
}

/// Where WCSPH's densities come from.
fn density_buttons(ui: &mut Ui, controls: &mut Controls, material: &Material) {
    let hover = "summed over the neighbors anew each step, or the last step's as the neighbors changed it, smoothed, whose \
                 pressures are less noisy";
    ui.label("Density").on_hover_text(hover);
    ui.horizontal(|ui| {
        let kept = material.density != Density::Summation;
        for (keeps, words) in [(false, "summed"), (true, "kept")] {
            let button = Button::selectable(kept == keeps, words).frame_when_inactive(true);
            if ui.add(button).on_hover_text(hover).clicked() && kept != keeps {
                let density = if keeps { Density::Continuity { diffusion: DIFFUSION } } else { Density::Summation };
                let material = Material { density, ..material.clone() };
                controls.change(|settings| settings.edits.material = Some(material));
            }
        }
    });
    ui.end_row();
}

/// Whether one of them was turned.
fn dials<T>(ui: &mut Ui, dials: &[Dial<T>], values: &mut T) -> bool {
    let mut turned = false;
    for dial in dials {
        ui.label(dial.label).on_hover_text(dial.hover);
        let response = match (dial.number)(values) {
            Number::Real(number) => ui.add(
                DragValue::new(number).speed(dial.speed).max_decimals(5).suffix(dial.unit).update_while_editing(false),
            ),
            Number::Whole(number) => {
                ui.add(DragValue::new(number).speed(dial.speed).suffix(dial.unit).update_while_editing(false))
            }
        };
        turned |= response.on_hover_text(dial.hover).changed();
        ui.end_row();
    }
    turned
}
