//! The Explain panel: what the running search, the solver and the smoothing kernel do, in the notation of their papers,
//! beside the code that runs, with today's numbers in the formulas.
//!
//! The panel reads everything from the explanations of searches and solvers
//! ([`Explanation`](crate::explanation::Explanation)) and from the report, and knows no search.

mod formulas;
mod kernel_tab;
mod pseudocode;
mod search_tab;
mod slow;
mod solver_tab;
mod state;

use bevy_egui::egui::{self, Button, Id, Layout, Panel, RichText, Ui};

pub use pseudocode::lit_lines;
pub use search_tab::slowness_counters;
pub(super) use slow::slow_button;
pub use state::{ExplainControls, ExplainTab, ExplainedValues, Slowly};

use super::theme::{QUIET, TEXT, panel_frame};
use super::{Action, Controls, Report};

/// Fraction of the window's width that the panel takes at first.
const SHARE: f32 = 0.42;

/// Draws the panel at the right side of the window if it is open.
pub(super) fn explain_panel(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    if !controls.explain.open {
        return;
    }
    let width = ui.max_rect().width();
    Panel::right("explain")
        .default_size(SHARE * width)
        .size_range((0.25 * width).min(300.0)..=0.75 * width)
        .resizable(true)
        .frame(panel_frame())
        .show(ui, |ui| {
            ui.take_available_width();
            explain_ui(ui, controls, report);
        });
}

fn explain_ui(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    ui.horizontal(|ui| {
        ui.heading(RichText::new("Explain").strong());
        ui.add_space(6.0);
        for tab in ExplainTab::ALL {
            let button = Button::selectable(controls.explain.tab == tab, tab.label()).frame_when_inactive(true);
            if ui.add(button).on_hover_text(tab.hover()).clicked() {
                controls.explain.tab = tab;
            }
        }
        ui.with_layout(Layout::right_to_left(egui::Align::Center), |ui| {
            let close = Button::new("Close").shortcut_text(Action::ToggleExplain.key_label());
            if ui.add(close).on_hover_text("closes the explanations").clicked() {
                controls.act(Action::ToggleExplain, report);
            }
        });
    });
    match controls.explain.tab {
        ExplainTab::Search => search_tab::search_tab(ui, controls, report),
        ExplainTab::Solver => solver_tab::solver_tab(ui, controls, report),
        ExplainTab::Kernel => kernel_tab::kernel_tab(ui, controls, report),
    }
}

/// Draws the title of what is explained, with its source.
fn title(ui: &mut Ui, title: &str, source: &str) {
    ui.label(RichText::new(title).strong().size(16.0).color(TEXT));
    ui.label(RichText::new(source).small().color(QUIET));
}

/// Draws the sentences of the idea as one paragraph.
fn idea(ui: &mut Ui, sentences: &[&str]) {
    ui.add_space(3.0);
    ui.label(RichText::new(sentences.join(" ")).color(TEXT));
}

/// Draws the upper part of a tab, which scrolls, above the code.
fn above_code(
    ui: &mut Ui,
    controls: &mut Controls,
    report: &Report,
    content: impl FnOnce(&mut Ui, &mut Controls, &Report),
) {
    let height = ui.available_height();
    if let Some(shown) = state::shown_code(controls, report) {
        Panel::bottom(Id::new("explain code"))
            .default_size(0.36 * height)
            .size_range(60.0..=0.8 * height)
            .resizable(true)
            .frame(egui::Frame::new())
            .show(ui, |ui| {
                ui.take_available_height();
                ui.add_space(3.0);
                super::code::code_ui(ui, controls, report, &shown);
            });
    }
    egui::ScrollArea::vertical()
        // What another search shows begins at its top.
        .id_salt(("explain", controls.explain.tab, controls.settings.search.name))
        .auto_shrink(false)
        .content_margin(egui::Margin { right: 10, ..egui::Margin::ZERO })
        .show(ui, |ui| content(ui, controls, report));
}
