//! The code pane: the WGSL of an entry point.

use bevy_egui::egui::{RichText, ScrollArea, Ui};

use super::theme::{ACCENT, TEXT};
use super::{Controls, Report};
use crate::gpu::ShaderLibrary;

/// The code that the pane shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::app) struct ShownCode {
    /// The file, as a path below `shaders/`.
    pub file: String,
    /// The entry point to scroll to.
    pub entry_point: Option<String>,
    /// Whether its pass has run last in a step that runs pass by pass.
    pub is_running: bool,
}

/// Draws the source of the entry point, or of the whole file.
pub(in crate::app) fn code_ui(ui: &mut Ui, _: &mut Controls, _: &Report, shown: &ShownCode) {
    let source = ShaderLibrary::embedded().source(&shown.file).unwrap_or_default();
    let start = shown.entry_point.as_ref().and_then(|name| source.find(&format!("fn {name}("))).unwrap_or_default();
    let color = if shown.is_running { ACCENT } else { TEXT };
    ScrollArea::both().id_salt(("code", &shown.file, &shown.entry_point)).auto_shrink(false).show(ui, |ui| {
        ui.label(RichText::new(&source[start..]).monospace().color(color));
    });
}
