//! The section of the panel that selects the number of particles.

use bevy_egui::egui::{Button, RichText, Ui};

use super::filter;
use super::radius::points_have_a_size;
use super::row::About;
use super::slider::{Slid, slider};
use crate::app::pace::pace_ui;
use crate::app::{Controls, Report, format};
use crate::fluid::Size;
use crate::laboratory::{MOST_OFFERED, SearchLimits};

/// Numbers of particles that have buttons.
const PRESETS: [u32; 6] = [4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304];
/// Lower end of the slider of the number of particles. The upper end depends on the device and the search.
const LEAST_COUNT: f64 = 1_000.0;

/// The number of particles.
pub(super) const COUNT: About<'_> = About {
    hover: "number of fluid particles, at which the scene starts anew",
    unit: "",
    scene_key: "particles",
    option: "--particles",
};

/// Draws the slider and the buttons of the number of particles.
pub(super) fn count_controls(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    if !filter::shows(ui, &[COUNT.hover, COUNT.scene_key, COUNT.option]) || points_have_a_size(ui, controls) {
        return;
    }
    let running = report.running.as_ref().map(|running| f64::from(running.resolution.particle_count));
    let limits = report.limits.of(controls.settings.search);
    let last = limits.map_or(MOST_OFFERED, SearchLimits::last_offered);
    let why = limits.map(SearchLimits::why_it_ends).unwrap_or_default();
    let mut value = controls.count_draft.or(running).unwrap_or(LEAST_COUNT);
    let range = LEAST_COUNT..=(last as f64).max(LEAST_COUNT);
    let hover = format!("{}\n{why}", COUNT.hover);
    let about = About { hover: hover.trim_end(), ..COUNT };
    let usual = format::count(controls.scene.usual_count(controls.class).into());
    let response = slider(ui, &mut value, range, |value| format::count(value as u64), |ui| about.tooltip(ui, &usual));
    controls.count_draft = response.then_some(value);
    if let Slid::Released = response {
        controls.pace.keeps_real_time = false;
        controls.change(|settings| settings.size = Size::Count(value as u32));
    }
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        for preset in PRESETS {
            let selected = controls.settings.size == Size::Count(preset);
            let button = Button::selectable(selected, RichText::new(format::short_count(preset.into())).small());
            let hover = format!("{} particles", format::count(preset.into()));
            let button = ui.add_enabled(u64::from(preset) <= last, button.frame_when_inactive(true));
            if button.on_hover_text(hover).on_disabled_hover_text(&why).clicked() {
                controls.pace.keeps_real_time = false;
                controls.change(|settings| settings.size = Size::Count(preset));
            }
        }
    });
    pace_ui(ui, controls, report);
}

/// Whether the resolution is not the scene's usual number of particles on this device.
pub(super) fn size_differs(controls: &Controls) -> bool {
    controls.scene.points_spacing().is_none()
        && controls.settings.size != Size::Count(controls.scene.usual_count(controls.class))
}

/// Returns to the scene's usual number of particles on this device.
pub(super) fn restore_size(controls: &mut Controls) {
    let usual = Size::Count(controls.scene.usual_count(controls.class));
    controls.change(|settings| settings.size = usual);
}
