//! The section of the panel that selects the support radius.

use bevy_egui::egui::Ui;

use super::filter;
use super::row::About;
use super::slider::{Slid, slider};
use crate::app::theme::remark;
use crate::app::{Controls, Report, format};
use crate::fluid::Size;

/// The support radius.
pub(super) const RADIUS: About<'_> = About {
    hover: "particles closer than this are neighbors; the number of particles follows from it",
    unit: "m",
    scene_key: "",
    option: "--radius",
};

/// Draws the slider of the support radius.
pub(super) fn radius_control(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    if !filter::shows(ui, &[RADIUS.hover, RADIUS.option]) || points_have_a_size(ui, controls) {
        return;
    }
    let extent = f64::from((controls.scene.high - controls.scene.low).min_element());
    let running = report.running.as_ref().map(|running| f64::from(running.resolution.support_radius));
    let mut value = controls.radius_draft.or(running).unwrap_or(extent / 10.0);
    let range = extent / 300.0..=extent;
    let response = slider(ui, &mut value, range, format::length, |ui| RADIUS.tooltip(ui, ""));
    controls.radius_draft = response.then_some(value);
    if let Slid::Released = response {
        controls.change(|settings| settings.size = Size::Radius(value as f32));
    }
}

/// Whether the scene's particles come from files that set their spacing. If so, draws a remark in place of the control.
pub(super) fn points_have_a_size(ui: &mut Ui, controls: &Controls) -> bool {
    let spacing = controls.scene.points_spacing();
    if let Some(spacing) = spacing {
        remark(ui, format!("set by the scene's files: spacing {}", format::length(spacing.into())));
    }
    spacing.is_some()
}
