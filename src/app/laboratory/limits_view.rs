//! The view "Limits card": what the device offers, what each search requires, and which limits of the sliders follow
//! from that.

use bevy_egui::egui::{self, Color32, Grid, RichText, ScrollArea, Ui};

use super::view::ViewInfo;
use crate::app::theme::{ACCENT, QUIET, TEXT, WARNING, remark, section};
use crate::app::{Controls, Report, format};
use crate::laboratory::SearchLimits;
use crate::search::Support;

pub(super) static INFO: ViewInfo = ViewInfo {
    name: "limits",
    title: "Limits card",
    sentence: "What this device offers, what each search requires, and which limits of the sliders follow from that.",
    legend: &[],
    begin: ViewInfo::begin_as_it_is,
    request: ViewInfo::request_nothing,
    overlay: ViewInfo::overlay_nothing,
    controls,
    numbers,
    drawer: Some(drawer),
};

/// A sign beside the word, so that the meaning does not depend on the color alone.
fn sign(support: Support) -> (&'static str, Color32) {
    match support {
        Support::Met => ("+", ACCENT),
        Support::WorkedAround => ("~", WARNING),
        Support::Unmet => ("x", Color32::from_rgb(240, 110, 100)),
    }
}

fn support_label(ui: &mut Ui, support: Support) {
    let (sign, color) = sign(support);
    ui.label(RichText::new(format!("{sign} {}", support.label())).color(color));
}

fn controls(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    section(ui, "How to read it", &[]);
    for (support, words) in [
        (Support::Met, "the device supports the requirement"),
        (Support::WorkedAround, "the device does not support it, and the search uses a slower replacement"),
        (Support::Unmet, "the device does not support it, and the search refuses to run"),
    ] {
        ui.horizontal_wrapped(|ui| {
            support_label(ui, support);
            remark(ui, words);
        });
    }
    section(ui, "Maximum number of particles", &[]);
    if let Some(limits) = report.limits.of(controls.settings.search) {
        remark(ui, limits.why_it_ends());
    }
    ui.add_space(4.0);
    let copy =
        ui.button("Copy as text").on_hover_text("copies the whole card to the clipboard, for example for a bug report");
    if copy.clicked() {
        ui.ctx().copy_text(report.limits.text());
    }
}

/// The device, at the right.
fn numbers(ui: &mut Ui, _: &mut Controls, report: &Report) {
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        ui.heading("This device");
        for fact in &report.limits.facts {
            ui.add_space(3.0);
            ui.label(RichText::new(fact.name).small().color(QUIET)).on_hover_text(fact.meaning);
            ui.label(RichText::new(&fact.value).color(TEXT)).on_hover_text(fact.meaning);
        }
        if report.limits.facts.is_empty() {
            remark(ui, "No device has been opened yet.");
        }
    });
}

/// The requirements of every search, below the scene.
fn drawer(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        for limits in &report.limits.searches {
            ui.push_id(limits.search.name, |ui| search_rows(ui, limits, *limits.search == *controls.settings.search));
        }
    });
}

fn search_rows(ui: &mut Ui, limits: &SearchLimits, is_running: bool) {
    ui.add_space(4.0);
    ui.horizontal(|ui| {
        ui.label(RichText::new(limits.search.title).strong().color(ACCENT));
        support_label(ui, limits.support());
        if let Some(most) = limits.most_particles() {
            let text = format!("at most {} particles", format::count(most));
            ui.label(RichText::new(text).color(TEXT)).on_hover_text(limits.why_it_ends());
        }
        if is_running {
            remark(ui, "currently running");
        }
    });
    let width = ui.available_width();
    Grid::new("needs").num_columns(3).spacing([12.0, 2.0]).show(ui, |ui| {
        for (what, met) in &limits.needs {
            support_label(ui, met.support);
            ui.label(RichText::new(*what).color(QUIET));
            // A grid does not limit the width of its last column, so the text would not wrap without this.
            ui.scope(|ui| {
                ui.set_max_width((width - 420.0).max(160.0));
                ui.add(egui::Label::new(RichText::new(&met.words).color(TEXT)).wrap());
            });
            ui.end_row();
        }
    });
}
