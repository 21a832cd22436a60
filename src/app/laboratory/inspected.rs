//! The inspected particle and the totals of its search, and rows of numbers, for all views that show them and for the
//! conditions of lessons.

use bevy_egui::egui::{RichText, Ui};

use crate::app::theme::{QUIET, TEXT};
use crate::app::{Controls, Report};
use crate::laboratory::{Inspection, PickedFields};
use crate::search::ParticleRecord;

/// The first particle of an inspection, if it was found: its state, and the record of its neighbor search.
pub(super) fn first_particle(inspection: &Inspection) -> Option<(&PickedFields, &ParticleRecord)> {
    let fields = inspection.fields.first().filter(|fields| fields.found > 0)?;
    Some((fields, inspection.recording.particles.first()?))
}

/// Bytes of a candidate's position.
const POSITION_BYTES: usize = size_of::<[f32; 4]>();
/// Bytes of the two ends of a range.
const RANGE_BYTES: usize = 2 * size_of::<u32>();

/// What the search visited for a particle, in total.
pub(in crate::app) struct Visits {
    /// Cells whose particles were candidates.
    pub(in crate::app) cells: usize,
    /// Ranges of consecutive candidates in memory.
    pub(in crate::app) ranges: usize,
    /// Chunks in workgroup memory that were searched.
    pub(in crate::app) chunks: usize,
    /// Particles whose distance was computed.
    pub(in crate::app) candidates: usize,
    /// Candidates within the support radius.
    pub(in crate::app) neighbors: usize,
    /// Pairs whose single evaluation serves both particles.
    pub(in crate::app) once: usize,
    /// Bytes that were read.
    pub(in crate::app) bytes: usize,
}

impl Visits {
    /// The totals of a record.
    pub(super) fn of(record: &ParticleRecord) -> Self {
        let (candidates, ranges) = (record.tested.len(), record.ranges.len());
        Self {
            cells: record.ranges.iter().filter_map(|range| range.cells).map(|(a, b)| (b - a) as usize + 1).sum(),
            ranges,
            chunks: record.grids.len(),
            candidates,
            neighbors: record.neighbor_count(),
            once: record.tested.iter().filter(|tested| tested.both_ways).count(),
            bytes: POSITION_BYTES * (candidates + 1) + RANGE_BYTES * ranges,
        }
    }
}

/// The selected particle and the totals of its search; `None` until exactly the selected particle has been recorded.
pub(in crate::app) fn inspected_particle(controls: &Controls, report: &Report) -> Option<(PickedFields, Visits)> {
    let selected = controls.lab.selection.particle().filter(|_| controls.lab.open)?;
    let inspection = report.lab.inspection.as_deref().filter(|found| found.target.particles == [selected])?;
    let (fields, record) = first_particle(inspection)?;
    Some((*fields, Visits::of(record)))
}

/// A row of a grid of numbers, with an explanation.
pub(super) fn row(ui: &mut Ui, name: &str, value: String, hover: &str) {
    ui.label(RichText::new(name).color(QUIET)).on_hover_text(hover);
    ui.label(RichText::new(value).color(TEXT)).on_hover_text(hover);
    ui.end_row();
}
