//! Quantities of lessons: the picked particle, from the recording of the running search, and the picked cell.

use super::{Quantity, Value, number, switch, word};
use crate::app::laboratory::{Visits, inspected_particle};
use crate::app::{Controls, LabSelection, Report};

/// A number of the picked particle's visits.
fn of_visits(controls: &Controls, report: &Report, value: impl FnOnce(&Visits) -> f64) -> Option<Value> {
    let (_, visits) = inspected_particle(controls, report)?;
    Some(Value::Number(value(&visits)))
}

pub(super) static PICKED: &[Quantity] = &[
    switch("picked", "whether a single particle is picked and its search has been recorded", |controls, report| {
        Some(Value::yes(inspected_particle(controls, report).is_some()))
    }),
    number("index", "", "the original index of the picked particle", |controls, _| {
        controls.lab.selection.particle().map(|particle| Value::Number(particle.into()))
    }),
    number("place", "", "the place of the picked particle in the sorted order", |controls, report| {
        inspected_particle(controls, report).map(|(fields, _)| Value::Number(fields.place.into()))
    }),
    word(
        "class",
        "the class of the picked particle, for a search with coarse cells",
        || vec!["border".to_owned(), "inner".to_owned()],
        |controls, report| {
            report.running.as_ref()?.cells?.border?;
            let (fields, _) = inspected_particle(controls, report)?;
            Some(Value::word(if fields.is_border > 0 { "border" } else { "inner" }))
        },
    ),
    number("cells_visited", "", "the number of cells that were visited for the picked particle", |controls, report| {
        of_visits(controls, report, |visits| visits.cells as f64)
    }),
    number(
        "ranges",
        "",
        "the number of ranges of memory that were visited for the picked particle",
        |controls, report| of_visits(controls, report, |visits| visits.ranges as f64),
    ),
    number(
        "chunks",
        "",
        "the number of chunks in workgroup memory that were searched for the picked particle",
        |controls, report| of_visits(controls, report, |visits| visits.chunks as f64),
    ),
    number("candidates", "", "the number of candidates of the picked particle", |controls, report| {
        of_visits(controls, report, |visits| visits.candidates as f64)
    }),
    number("neighbors", "", "the number of neighbors of the picked particle", |controls, report| {
        of_visits(controls, report, |visits| visits.neighbors as f64)
    }),
    number(
        "rejected",
        "",
        "the number of candidates of the picked particle that are no neighbors",
        |controls, report| of_visits(controls, report, |visits| (visits.candidates - visits.neighbors) as f64),
    ),
    number(
        "once",
        "",
        "the number of pairs of the picked particle whose single evaluation serves both particles",
        |controls, report| of_visits(controls, report, |visits| visits.once as f64),
    ),
    number("bytes_read", "bytes", "the bytes that were read for the picked particle", |controls, report| {
        of_visits(controls, report, |visits| visits.bytes as f64)
    }),
    number("density", "kg/m³", "the density of the picked particle", |controls, report| {
        inspected_particle(controls, report).map(|(fields, _)| Value::Number(fields.density.into()))
    }),
    number("pressure", "Pa", "the pressure of the picked particle", |controls, report| {
        let (fields, _) = inspected_particle(controls, report)?;
        Some(Value::Number(f64::from(fields.pressure_term) * f64::from(fields.density).powi(2)))
    }),
    number("speed", "m/s", "the speed of the picked particle", |controls, report| {
        let (fields, _) = inspected_particle(controls, report)?;
        Some(Value::Number(glam::Vec3::from_array(fields.velocity).length().into()))
    }),
    number("height", "m", "the height of the picked particle above the origin", |controls, report| {
        inspected_particle(controls, report).map(|(fields, _)| Value::Number(fields.position[1].into()))
    }),
    number("walked", "", "the number of visited ranges that the inspector shows", |controls, report| {
        let all = of_visits(controls, report, |visits| visits.ranges as f64);
        controls.lab.walk.shown.map(|shown| Value::Number(shown as f64)).or(all)
    }),
    switch("picked_cell", "whether a cell is picked", |controls, _| {
        Some(Value::yes(controls.lab.selection.cell().is_some()))
    }),
    number("chosen", "", "the number of particles that are selected with a rectangle", |controls, _| {
        match &controls.lab.selection {
            LabSelection::Particles(particles) => Some(Value::Number(particles.len() as f64)),
            _ => None,
        }
    }),
    number("compared", "", "the number of searches that the inspector compares with the running one", |controls, _| {
        Some(Value::Number(controls.lab.columns() as f64))
    }),
];
