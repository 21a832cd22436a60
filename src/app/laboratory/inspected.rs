//! The inspected particle, and rows of numbers, for all views that show them.

use bevy_egui::egui::{RichText, Ui};

use crate::app::theme::{QUIET, TEXT};
use crate::laboratory::{Inspection, PickedFields};
use crate::search::ParticleRecord;

/// The first particle of an inspection, if it was found: its state, and the record of its neighbor search.
pub(super) fn first_particle(inspection: &Inspection) -> Option<(&PickedFields, &ParticleRecord)> {
    let fields = inspection.fields.first().filter(|fields| fields.found > 0)?;
    Some((fields, inspection.recording.particles.first()?))
}

/// A row of a grid of numbers, with an explanation.
pub(super) fn row(ui: &mut Ui, name: &str, value: String, hover: &str) {
    ui.label(RichText::new(name).color(QUIET)).on_hover_text(hover);
    ui.label(RichText::new(value).color(TEXT)).on_hover_text(hover);
    ui.end_row();
}
