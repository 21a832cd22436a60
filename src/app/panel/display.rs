//! The section of the panel for the picture: style, surroundings, solids, edges of cells, plots and the size of texts.

use bevy_egui::egui::{Checkbox, ComboBox, Ui};

use super::filter;
use super::row::{About, Choice, Row};
use crate::app::badge_ui::badge_row;
use crate::app::theme::{key_cap, remark};
use crate::app::{Action, Controls, Report, UI_SCALES, format};
use crate::fluid::probes::PROBES;
use crate::render::{DrawStyle, LookCells, SolidStyle, Splatting, Theme};

/// Draws what concerns the picture, and the numbers of the running scene.
pub(super) fn display_controls(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    picture_rows(ui, controls);
    cell_edges_row(ui, controls, report);
    badge_row(ui, controls, report);
    probes_row(ui, controls);
    window_rows(ui, controls);
    if !filter::is_active(ui) {
        running_scene(ui, report);
    }
}

/// Draws the styles of water and solids, and the surroundings.
fn picture_rows(ui: &mut Ui, controls: &mut Controls) {
    let usual = DrawStyle::default_for(controls.class);
    let about = About { hover: "how the water is drawn", option: "--style", ..About::default() };
    let (default, differs) = (usual.label().to_owned(), controls.style != usual);
    let row = Row { title: "Water", about, default, differs, key: Some(Action::NextStyle) };
    let choices = DrawStyle::ALL.map(|value| Choice { value, label: value.label(), hover: "" });
    if let Some(change) = row.choices_below(ui, controls.style, choices) {
        controls.style = change.or(usual);
    }

    let about = About { hover: "brightness of the room around the water", option: "--theme", ..About::default() };
    let (default, differs) = (Theme::default().name().to_owned(), controls.theme != Theme::default());
    let row = Row { title: "Surroundings", about, default, differs, key: None };
    let choices = Theme::ALL.map(|value| Choice { value, label: value.name(), hover: "" });
    if let Some(change) = row.choices(ui, controls.theme, choices) {
        controls.theme = change.or(Theme::default());
    }

    let hover = "how particles become a picture: all of clear water, and the shadows of the other styles; the faster way is \
                 measured when the program starts";
    // What was measured on this device is the default.
    let measured = controls.faster_splatting();
    let (default, differs) = (measured.name().to_owned(), controls.splatting != measured);
    let row = Row { title: "Splats", about: About { hover, ..About::default() }, default, differs, key: None };
    let choices = Splatting::ALL.map(|value| Choice { value, label: value.name(), hover: "" });
    if let Some(change) = row.choices(ui, controls.splatting, choices) {
        controls.splatting = change.or(measured);
    }

    let about = About { hover: "boundaries, bodies and cloth", option: "--solids", ..About::default() };
    let (default, differs) = (SolidStyle::default().label().to_owned(), controls.solids != SolidStyle::default());
    let row = Row { title: "Solids", about, default, differs, key: Some(Action::NextSolidStyle) };
    let choices = SolidStyle::ALL.map(|value| Choice {
        value,
        label: value.label(),
        hover: match value {
            SolidStyle::Mesh => "draws the surfaces of solids",
            SolidStyle::Particles => "draws the particles that represent solids in the simulation and the search",
            SolidStyle::Hidden => "draws no solids",
        },
    });
    if let Some(change) = row.choices(ui, controls.solids, choices) {
        controls.solids = change.or(SolidStyle::default());
    }
}

fn cell_edges_row(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    let few = report.running.as_ref().is_none_or(|running| running.has_drawable_cells);
    let about = About {
        hover: "draws the edges of the cells that contain particles; for FENNS and CLAWS also those of each cell's \
                inner part",
        option: "--cell-edges",
        ..About::default()
    };
    let (default, differs) = ("off".to_owned(), controls.cell_edges);
    let row = Row { title: "Edges of cells", about, default, differs, key: Some(Action::ToggleCellEdges) };
    let limit = LookCells::EDGES_LIMIT;
    let why_not = format!("the search has no cells, or more than {limit}, whose edges would cover the water");
    let change = row.framed(ui, |ui| {
        let mut on = controls.cell_edges;
        let checkbox = ui.add_enabled(few, Checkbox::new(&mut on, row.title));
        let response = checkbox.on_hover_ui(|ui| row.tooltip(ui)).on_disabled_hover_text(why_not);
        response.changed().then_some(on)
    });
    if let Some(change) = change {
        controls.cell_edges = change.or(false);
    }
}

fn probes_row(ui: &mut Ui, controls: &mut Controls) {
    let measured: Vec<_> = PROBES.iter().map(|kind| kind.measures).collect();
    let hover = format!("plots what the scene file's probes measure; there are probes for: {}", measured.join("; "));
    let about = About { hover: &hover, scene_key: "probes", ..About::default() };
    let (default, differs) = ("off".to_owned(), controls.probes_open);
    let row = Row { title: "Plots of probes", about, default, differs, key: Some(Action::ToggleProbes) };
    if let Some(change) = row.switch(ui, controls.probes_open) {
        controls.probes_open = change.or(false);
    }
}

/// Draws what concerns the window: synchronization with the display, and the size of texts.
fn window_rows(ui: &mut Ui, controls: &mut Controls) {
    let about = About {
        hover: "draws at most as many frames as the display shows; without it, frames are drawn as often as possible",
        ..About::default()
    };
    let (default, differs) = ("on".to_owned(), !controls.vsync);
    let row = Row { title: "Wait for the display (vsync)", about, default, differs, key: Some(Action::ToggleVsync) };
    if let Some(change) = row.switch(ui, controls.vsync) {
        controls.vsync = change.or(true);
    }

    let about = About { hover: "size of texts and buttons; saved for the next start", unit: "%", ..About::default() };
    let percent = |percent: u16| format!("{percent} %");
    let (default, differs) = (percent(UI_SCALES[0]), controls.ui_scale != UI_SCALES[0]);
    let row = Row { title: "Text size", about, default, differs, key: None };
    let change = row.show(ui, |ui, _| {
        let mut chosen = controls.ui_scale;
        let combo = ComboBox::from_id_salt("ui scale").selected_text(percent(chosen)).width(70.0);
        combo.show_ui(ui, |ui| {
            for scale in UI_SCALES {
                ui.selectable_value(&mut chosen, scale, percent(scale));
            }
        });
        for action in [Action::SmallerUi, Action::LargerUi] {
            key_cap(ui, &action.key_label());
        }
        (chosen != controls.ui_scale).then_some(chosen)
    });
    if let Some(change) = change {
        controls.ui_scale = change.or(UI_SCALES[0]);
    }
}

/// Draws the description and the numbers of the running scene.
fn running_scene(ui: &mut Ui, report: &Report) {
    let Some(running) = &report.running else { return };
    ui.add_space(4.0);
    let resolution = running.resolution;
    remark(ui, running.scene.description.clone());
    for notice in &running.notices {
        remark(ui, notice.clone());
    }
    remark(
        ui,
        format!(
            "spacing {}, time step {} ms, speed of sound {} m/s",
            format::length(resolution.spacing.into()),
            format::number(f64::from(resolution.time_step) * 1e3),
            format::number(resolution.sound_speed.into()),
        ),
    );
}
