//! Quantities of lessons: counters of all particles, the search's cells and memory, and measured times.

use super::{Quantity, Value, number};
use crate::app::{Controls, Report};
use crate::fluid::Survey;
use crate::gpu::Phase;
use crate::search::Cells;

/// A number of the last survey.
fn of_survey(report: &Report, value: impl FnOnce(&Survey) -> Option<f64>) -> Option<Value> {
    value(report.survey.as_ref()?).map(Value::Number)
}

/// A number per fluid particle.
fn per_particle(report: &Report, count: impl FnOnce(&Survey) -> u64) -> Option<Value> {
    of_survey(report, |survey| (survey.present > 0).then(|| count(survey) as f64 / f64::from(survey.present)))
}

fn of_cells(report: &Report, value: impl FnOnce(&Cells, f64) -> f64) -> Option<Value> {
    let running = report.running.as_ref()?;
    let radius = f64::from(running.resolution.support_radius);
    running.cells.map(|cells| Value::Number(value(&cells, radius)))
}

/// The median time of a phase's passes; `None` before it was measured.
fn of_phase(report: &Report, phase: Phase) -> Option<Value> {
    let milliseconds = f64::from(report.timings.phase_milliseconds(phase));
    (milliseconds > 0.0).then_some(Value::Number(milliseconds))
}

fn border_share(_: &Controls, report: &Report) -> Option<Value> {
    of_survey(report, |survey| Some(100.0 * f64::from(survey.border?) / f64::from(survey.present.max(1))))
}

pub(super) static COUNTERS: &[Quantity] = &[
    number("all_candidates", "", "the number of candidates of all particles together", |_, report| {
        of_survey(report, |survey| Some(survey.pairs.candidates as f64))
    }),
    number("all_neighbors", "", "the number of neighbors of all particles together", |_, report| {
        of_survey(report, |survey| Some(survey.pairs.neighbors as f64))
    }),
    number("candidates_per_particle", "", "the mean number of candidates of a particle", |_, report| {
        per_particle(report, |survey| survey.pairs.candidates)
    }),
    number("neighbors_per_particle", "", "the mean number of neighbors of a particle", |_, report| {
        per_particle(report, |survey| survey.pairs.neighbors)
    }),
    number("candidates_per_neighbor", "", "the number of candidates for each neighbor, the overhead", |_, report| {
        of_survey(report, |survey| survey.pairs.overhead())
    }),
    number("border", "", "the number of border particles, for a search with coarse cells", |_, report| {
        of_survey(report, |survey| survey.border.map(f64::from))
    }),
    number("inner", "", "the number of inner particles, for a search with coarse cells", |_, report| {
        of_survey(report, |survey| survey.border.map(|border| f64::from(survey.present.saturating_sub(border))))
    }),
    number("border_share", "%", "the share of border particles, for a search with coarse cells", border_share),
    number("cells", "", "the number of cells of the running search", |_, report| {
        of_cells(report, |cells, _| f64::from(cells.counts.element_product()))
    }),
    number("cell_edge_x", "r", "the width of a cell along x, in support radii", |_, report| {
        of_cells(report, |cells, radius| f64::from(cells.size.x) / radius)
    }),
    number("cell_edge_y", "r", "the height of a cell, in support radii", |_, report| {
        of_cells(report, |cells, radius| f64::from(cells.size.y) / radius)
    }),
    number("cell_edge_z", "r", "the width of a cell along z, in support radii", |_, report| {
        of_cells(report, |cells, radius| f64::from(cells.size.z) / radius)
    }),
    number("search_bytes", "bytes", "the memory of the search's own buffers", |_, report| {
        report.running.as_ref().map(|running| Value::Number(running.search_bytes as f64))
    }),
    number("mean_density", "kg/m³", "the mean density of the water", |_, report| {
        of_survey(report, |survey| Some(survey.mean_density.into()))
    }),
    number("highest_density", "kg/m³", "the highest density of a particle", |_, report| {
        of_survey(report, |survey| Some(survey.highest_density.into()))
    }),
    number("compression", "%", "the mean excess over the rest density", |_, report| {
        of_survey(report, |survey| Some(survey.mean_compression.into()))
    }),
    number("highest_speed", "m/s", "the speed of the fastest particle", |_, report| {
        of_survey(report, |survey| Some(survey.highest_speed.into()))
    }),
    number("build_ms", "ms", "the median time of building the search's tables in a step", |_, report| {
        of_phase(report, Phase::Build)
    }),
    number("search_ms", "ms", "the median time of the traversals of a step", |_, report| {
        of_phase(report, Phase::Search)
    }),
    number("physics_ms", "ms", "the median time of the physics of a step", |_, report| {
        of_phase(report, Phase::Physics)
    }),
    number("step_ms", "ms", "the median time of a whole step", |_, report| {
        report.timings.step_milliseconds().map(|milliseconds| Value::Number(milliseconds.into()))
    }),
    number("real_time", "", "the simulated seconds per second; 1 is real time", |_, report| {
        Some(Value::Number(report.speed.real_time_factor))
    }),
];
