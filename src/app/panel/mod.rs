//! The panel at the left of the window, with the controls of the simulation and of its picture.
//!
//! The panel is a list of sections, [`SECTIONS`], each of which folds. A section is one file of this folder with one
//! function that draws its rows; its heading, its keys and whether it is open at first stand in the list.

mod bodies;
mod buttons;
mod color;
mod controls;
mod count;
mod display;
mod fluid;
mod kernel;
mod radius;
mod saved;
mod scene;
mod search;
mod section;
mod slider;
mod time;

use bevy_egui::egui::{self, RichText, ScrollArea, Ui};

use super::{Action, Controls, Report};
use crate::render::color_fields::COLOR_FIELDS;
use section::{Section, section_ui};

pub use controls::PanelControls;
pub(super) use search::option_buttons;

/// The section of the neighbor search, which the laboratory shows too.
static SEARCH: Section = Section::new("search", "Neighbor search", search::search_controls)
    .with_keys(|| [Action::PreviousSearch, Action::NextSearch].map(Action::key_label).into());

/// Every section, from top to bottom.
static SECTIONS: [&Section; 12] = [
    &SEARCH,
    &Section::new("scene", "Scene", scene::scene_control).with_keys(|| vec![Action::NextScene.key_label()]),
    &Section::new("particles", "Particles", count::count_controls)
        .with_keys(|| [Action::HalveCount, Action::DoubleCount].map(Action::key_label).into()),
    &Section::new("color", "Color", color::color_controls).with_keys(|| vec![format!("1 – {}", COLOR_FIELDS.len())]),
    &Section::new("fluid", "Fluid", fluid::solver_control).with_keys(|| vec![Action::NextSolver.key_label()]),
    &Section::new("material", "Material and solver", fluid::material_controls).folded(),
    &Section::new("foam", "Spray, foam and bubbles", fluid::foam_controls).folded(),
    &Section::new("radius", "Support radius", radius::radius_control)
        .with_keys(|| [Action::SmallerRadius, Action::LargerRadius].map(Action::key_label).into()),
    &Section::new("kernel", "Smoothing kernel", kernel::kernel_control)
        .with_keys(|| vec![Action::NextKernel.key_label()]),
    &Section::new("bodies", "Bodies", bodies::body_controls),
    &Section::new("display", "Display", display::display_controls),
    &Section::new("state", "State", saved::state_controls),
];

/// Draws every control from top to bottom, each with its key. Only `controls` is changed; the panel does not access the
/// device.
pub fn panel_ui(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    // The right margin leaves room for the scroll bar.
    let margin = egui::Margin { right: 10, ..egui::Margin::ZERO };
    ScrollArea::vertical().auto_shrink(false).content_margin(margin).show(ui, |ui| {
        title(ui, controls, report);
        time::time_controls(ui, controls, report);
        for section in SECTIONS {
            section_ui(ui, section, controls, report);
        }
    });
}

/// Draws the section of the neighbor search alone.
pub(super) fn search_section(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    section_ui(ui, &SEARCH, controls, report);
}

fn title(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    ui.horizontal(|ui| {
        ui.heading(RichText::new("Nearwater").strong());
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let help = "the list of all keys and of what the mouse does";
            buttons::action_button(ui, controls, report, (Action::ToggleHelp, "Keys"), help);
            super::lessons::lessons_button(ui, controls, report);
        });
    });
}
