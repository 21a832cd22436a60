//! The panel at the left of the window, with the controls of the simulation and of its picture.
//!
//! The panel is a list of sections, [`SECTIONS`], each of which folds. A section is one file of this folder with one
//! function that draws its rows; its heading, its tooltip, its keys, its default and whether it is open at first stand
//! in the list.

mod buttons;
mod color;
mod controls;
mod count;
mod display;
mod film;
mod filter;
mod find;
mod fluid;
mod hands;
mod kernel;
mod radius;
mod row;
mod saved;
mod scene;
mod search;
mod section;
mod slider;
mod thrown;
mod time;

use bevy_egui::egui::{self, RichText, ScrollArea, Ui};

use super::theme::remark;
use super::{Action, Controls, Report, format};
use crate::fluid::SmoothingKernel;
use crate::render::ColorField;
use crate::render::color_fields::COLOR_FIELDS;
use crate::search::SearchInfo;
use row::NOTHING;
use section::{Default, Section, section_ui};

pub use controls::PanelControls;
pub(super) use row::{About, Change, Row};
pub(super) use search::option_row;

/// The section of the neighbor search, which the laboratory shows too.
static SEARCH: Section = Section {
    about: About { hover: "how the neighbors of particles are found", option: "--search", ..NOTHING },
    keys: || [Action::PreviousSearch, Action::NextSearch].map(Action::key_label).into(),
    default: Some(Default {
        words: |_| SearchInfo::default_for_scenes().title.to_owned(),
        differs: |controls| *controls.settings.search != *SearchInfo::default_for_scenes(),
        restore: |controls| controls.choose_search(SearchInfo::default_for_scenes()),
    }),
    ..Section::new("search", "Neighbor search", search::search_controls)
};

/// Every section, from top to bottom.
static SECTIONS: [&Section; 14] = [
    &SEARCH,
    &Section {
        about: About { hover: "what is in the tank at the start", option: "the first argument", ..NOTHING },
        keys: || vec![Action::NextScene.key_label()],
        ..Section::new("scene", "Scene", scene::scene_control)
    },
    &Section {
        about: count::COUNT,
        keys: || [Action::HalveCount, Action::DoubleCount].map(Action::key_label).into(),
        default: Some(Default {
            words: |controls| format::count(controls.scene.usual_count(controls.class).into()),
            differs: count::size_differs,
            restore: count::restore_size,
        }),
        ..Section::new("particles", "Particles", count::count_controls)
    },
    &Section {
        about: About { hover: "what the colors of the particles show", option: "--field", ..NOTHING },
        keys: || vec![format!("1 – {}", COLOR_FIELDS.len())],
        default: Some(Default {
            words: |_| ColorField::default().label().to_owned(),
            differs: |controls| controls.field != ColorField::default(),
            restore: |controls| controls.field = ColorField::default(),
        }),
        ..Section::new("color", "Color", color::color_controls)
    },
    &Section {
        about: About {
            hover: "the method that moves the particles",
            scene_key: "solver",
            option: "--solver",
            ..NOTHING
        },
        keys: || vec![Action::NextSolver.key_label()],
        default: Some(Default {
            words: |controls| format!("{}, the scene's", controls.scene.solver.label()),
            differs: fluid::solver_differs,
            restore: |controls| controls.change(|settings| settings.edits.solver = None),
        }),
        ..Section::new("fluid", "Fluid", fluid::solver_control)
    },
    &Section {
        about: About { hover: "numbers of the fluid and of the solver; they act on the running scene", ..NOTHING },
        open: false,
        ..Section::new("material", "Material and solver", fluid::material_controls)
    },
    &Section {
        about: About { hover: "what fast water throws up and traps", scene_key: "foam", ..NOTHING },
        open: false,
        ..Section::new("foam", "Spray, foam and bubbles", fluid::foam_controls)
    },
    &Section {
        about: radius::RADIUS,
        keys: || [Action::SmallerRadius, Action::LargerRadius].map(Action::key_label).into(),
        ..Section::new("radius", "Support radius", radius::radius_control)
    },
    &Section {
        about: About { hover: "the weight of a neighbor by its distance", option: "--kernel", ..NOTHING },
        keys: || vec![Action::NextKernel.key_label()],
        default: Some(Default {
            words: |_| SmoothingKernel::default().label().to_owned(),
            differs: |controls| controls.settings.kernel != SmoothingKernel::default(),
            restore: |controls| controls.change(|settings| settings.kernel = SmoothingKernel::default()),
        }),
        ..Section::new("kernel", "Smoothing kernel", kernel::kernel_control)
    },
    &Section {
        about: About { hover: "what Drop and Shoot throw into the water", ..NOTHING },
        ..Section::new("bodies", "Bodies", thrown::body_controls)
    },
    &Section {
        about: About { hover: "how the picture and the window look", ..NOTHING },
        ..Section::new("display", "Display", display::display_controls)
    },
    &Section {
        about: About { hover: "videos and pictures of the window, or of the water alone", ..NOTHING },
        keys: || [Action::ToggleRecording, Action::TakePicture].map(Action::key_label).into(),
        open: false,
        ..Section::new("recording", "Recording", film::film_controls)
    },
    &Section {
        about: About { hover: "files from which the simulation can resume", option: "--load", ..NOTHING },
        ..Section::new("state", "State", saved::state_controls)
    },
    &Section {
        about: About { hover: "what you do to the water, the box and gravity while the water runs", ..NOTHING },
        keys: || vec![Action::NextTool.key_label()],
        ..Section::new("hands", "Hands", hands::hands_section)
    },
];

/// Draws every control from top to bottom, each with its key. Only `controls` is changed; the panel does not access the
/// device.
pub fn panel_ui(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    // The right margin leaves room for the scroll bar.
    let margin = egui::Margin { right: 10, ..egui::Margin::ZERO };
    ScrollArea::vertical().auto_shrink(false).content_margin(margin).show(ui, |ui| {
        title(ui, controls, report);
        find::find_field(ui, &mut controls.panel);
        filter::begin(ui, &controls.panel.query);
        if !filter::is_active(ui) {
            time::time_controls(ui, controls, report);
            super::playback::playback_controls(ui, controls);
        }
        let shown = SECTIONS.iter().filter(|section| section_ui(ui, section, controls, report)).count();
        filter::begin(ui, "");
        if shown == 0 {
            remark(ui, format!("no control contains \"{}\"; Esc shows all again", controls.panel.query.trim()));
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
