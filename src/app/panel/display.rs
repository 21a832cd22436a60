//! The section of the panel for the picture: style, surroundings, solids, edges of cells, plots and the size of texts.

use bevy_egui::egui::{self, Button, ComboBox, RichText, Ui};

use super::buttons::key_at_the_right;
use crate::app::badge_ui::badge_checkbox;
use crate::app::theme::{key_cap, remark};
use crate::app::{Action, Controls, Report, UI_SCALES, format};
use crate::fluid::probes::PROBES;
use crate::render::{DrawStyle, LookCells, SolidStyle, Theme};

/// Draws what concerns the picture, and the numbers of the running scene.
pub(super) fn display_controls(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        for style in DrawStyle::ALL {
            let button = Button::selectable(controls.style == style, RichText::new(style.label()).small());
            if ui.add(button.frame_when_inactive(true)).clicked() {
                controls.style = style;
            }
        }
        key_at_the_right(ui, Action::NextStyle);
    });
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        ui.label("Surroundings").on_hover_text("brightness of the room around the water");
        for theme in Theme::ALL {
            let button = Button::selectable(controls.theme == theme, RichText::new(theme.name()).small());
            if ui.add(button.frame_when_inactive(true)).clicked() {
                controls.theme = theme;
            }
        }
    });
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        ui.label("Solids").on_hover_text("boundaries, bodies and cloth");
        for solids in SolidStyle::ALL {
            let hover = match solids {
                SolidStyle::Mesh => "draws the surfaces of solids",
                SolidStyle::Particles => "draws the particles that represent solids in the simulation and the search",
                SolidStyle::Hidden => "draws no solids",
            };
            let button = Button::selectable(controls.solids == solids, RichText::new(solids.label()).small());
            if ui.add(button.frame_when_inactive(true)).on_hover_text(hover).clicked() {
                controls.solids = solids;
            }
        }
        key_at_the_right(ui, Action::NextSolidStyle);
    });
    cell_edges_control(ui, controls, report);
    badge_checkbox(ui, controls, report);
    ui.horizontal(|ui| {
        ui.checkbox(&mut controls.probes_open, "Plots of probes").on_hover_text(probes_hover());
        key_at_the_right(ui, Action::ToggleProbes);
    });
    ui.horizontal(|ui| {
        ui.checkbox(&mut controls.vsync, "Wait for the display (vsync)");
        key_at_the_right(ui, Action::ToggleVsync);
    });
    ui_scale_control(ui, controls);
    ui.add_space(4.0);
    if let Some(running) = &report.running {
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
}

fn probes_hover() -> String {
    let measured: Vec<_> = PROBES.iter().map(|kind| kind.measures).collect();
    format!("plots what the scene file's probes measure; there are probes for: {}", measured.join("; "))
}

/// Draws the control of the size of texts and buttons.
fn ui_scale_control(ui: &mut Ui, controls: &mut Controls) {
    ui.horizontal(|ui| {
        ui.label("Text size").on_hover_text("the size of texts and buttons in percent; saved for the next start");
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            key_cap(ui, &Action::LargerUi.key_label());
            key_cap(ui, &Action::SmallerUi.key_label());
            let percent = |percent: u16| format!("{percent} %");
            let combo = ComboBox::from_id_salt("ui scale").selected_text(percent(controls.ui_scale)).width(70.0);
            combo.show_ui(ui, |ui| {
                for scale in UI_SCALES {
                    ui.selectable_value(&mut controls.ui_scale, scale, percent(scale));
                }
            });
        });
    });
}

fn cell_edges_control(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    ui.horizontal(|ui| {
        let few = report.running.as_ref().is_none_or(|running| running.has_drawable_cells);
        let hover = "draws the edges of the cells that contain particles; for FENNS and CLAWS also those of each \
                     cell's inner part";
        let limit = LookCells::EDGES_LIMIT;
        let why_not = format!("the search has no cells, or more than {limit}, whose edges would cover the water");
        let checkbox = egui::Checkbox::new(&mut controls.cell_edges, "Edges of cells");
        ui.add_enabled(few, checkbox).on_hover_text(hover).on_disabled_hover_text(why_not);
        key_at_the_right(ui, Action::ToggleCellEdges);
    });
}
