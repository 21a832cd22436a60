//! Quantities of lessons: what the user has set, as the running simulation has it.

use super::{Quantity, Value, number, switch, word};
use crate::app::{Report, Running};
use crate::fluid::{Material, SOLVERS, Scene, SmoothingKernel};
use crate::render::color_fields::COLOR_FIELDS;
use crate::render::{DrawStyle, SolidStyle};
use crate::search::SEARCHES;

fn of_running(report: &Report, value: impl FnOnce(&Running) -> f64) -> Option<Value> {
    report.running.as_ref().map(|running| Value::Number(value(running)))
}

fn of_material(report: &Report, value: impl FnOnce(&Material) -> f32) -> Option<Value> {
    let running = report.running.as_ref()?;
    Some(Value::Number(value(&running.settings.edits.applied_to(&running.scene).material).into()))
}

fn names<T: Copy>(list: &[T], name: impl Fn(T) -> &'static str) -> Vec<String> {
    list.iter().map(|entry| name(*entry).to_owned()).collect()
}

pub(super) static SETTINGS: &[Quantity] = &[
    word(
        "scene",
        "the running scene",
        || Scene::names().into_iter().map(str::to_owned).collect(),
        |_, report| report.running.as_ref().map(|running| Value::word(&running.scene.name)),
    ),
    word(
        "search",
        "the running neighbor search",
        || names(SEARCHES, |search| search.name),
        |_, report| report.running.as_ref().map(|running| Value::word(running.settings.search.name)),
    ),
    word(
        "solver",
        "the running solver",
        || names(SOLVERS, |solver| solver.name),
        |_, report| {
            let running = report.running.as_ref()?;
            Some(Value::word(running.settings.edits.applied_to(&running.scene).solver.name()))
        },
    ),
    word(
        "kernel",
        "the smoothing kernel",
        || names(&SmoothingKernel::ALL, SmoothingKernel::name),
        |_, report| report.running.as_ref().map(|running| Value::word(running.settings.kernel.name())),
    ),
    number("particles", "", "the number of fluid particles", |_, report| {
        of_running(report, |running| f64::from(running.resolution.particle_count))
    }),
    number("radius", "m", "the support radius", |_, report| {
        of_running(report, |running| f64::from(running.resolution.support_radius))
    }),
    number("spacing", "m", "the spacing of the lattice of particles", |_, report| {
        of_running(report, |running| f64::from(running.resolution.spacing))
    }),
    number("radius_ratio", "", "the support radius divided by the spacing", |_, report| {
        of_running(report, |running| {
            f64::from(running.resolution.support_radius) / f64::from(running.resolution.spacing)
        })
    }),
    number("mass", "kg", "the mass of a particle", |_, report| {
        of_running(report, |running| f64::from(running.resolution.particle_mass))
    }),
    number("time_step", "ms", "the length of a time step", |_, report| {
        of_running(report, |running| 1e3 * f64::from(running.resolution.time_step))
    }),
    number("sound_speed", "m/s", "the artificial speed of sound", |_, report| {
        of_running(report, |running| f64::from(running.resolution.sound_speed))
    }),
    number(
        "sound_speed_factor",
        "",
        "the speed of sound divided by the speed of a fall through the scene",
        |_, report| of_material(report, |material| material.sound_speed_factor),
    ),
    number("viscosity", "", "the artificial viscosity", |_, report| of_material(report, |material| material.viscosity)),
    number("bodies", "", "the number of rigid bodies in the scene", |_, report| {
        of_running(report, |running| running.body_count as f64)
    }),
    switch("paused", "whether the simulation is paused", |controls, _| Some(Value::yes(controls.paused))),
    switch("slow", "whether the simulation runs in slow motion", |controls, _| Some(Value::yes(controls.slow_motion))),
    number("time", "s", "the simulated time since the scene's first frame", |_, report| {
        Some(Value::Number(report.time))
    }),
    number("steps", "", "the number of time steps since the scene's first frame", |_, report| {
        Some(Value::Number(report.step_count as f64))
    }),
    word(
        "color",
        "what the colors of the particles show",
        || COLOR_FIELDS.iter().map(|field| field.argument()).collect(),
        |controls, _| Some(Value::word(controls.field.info().argument())),
    ),
    word(
        "style",
        "how the water is drawn",
        || names(&DrawStyle::ALL, DrawStyle::label),
        |controls, _| Some(Value::word(controls.style.label())),
    ),
    word(
        "solids",
        "how solids are drawn",
        || names(&SolidStyle::ALL, SolidStyle::label),
        |controls, _| Some(Value::word(controls.solids.label())),
    ),
    switch("cell_edges", "whether the edges of the search's cells are drawn", |controls, _| {
        Some(Value::yes(controls.cell_edges))
    }),
    switch("plots", "whether the plots of the scene's probes are shown", |controls, _| {
        Some(Value::yes(controls.probes_open))
    }),
];
