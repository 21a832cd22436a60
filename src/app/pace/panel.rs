//! The part of the panel about real time: presets, the estimate for the number of particles that is being selected, and
//! the search that would be faster.

use bevy_egui::egui::{Button, RichText, Ui, vec2};

use super::state::Asked;
use crate::app::theme::{QUIET, WARNING, remark};
use crate::app::{Controls, Report, format};
use crate::fluid::Size;
use crate::laboratory::SearchLimits;
use crate::pace::{FrameLoad, PRESETS};

/// Draws the presets, and the pace of the number of particles that runs or is being selected. `last` is the largest
/// number that the search allows on this device.
pub(in crate::app) fn pace_ui(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    let limits = report.limits.of(controls.settings.search);
    let last = limits.map_or(u64::MAX, SearchLimits::last_offered);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        let words = RichText::new("Real time").small();
        let button = Button::selectable(controls.pace.keeps_real_time, words).frame_when_inactive(true);
        let hover = "as many particles as this device moves in real time with this search and solver";
        if ui.add(button).on_hover_text(hover).clicked() {
            controls.take_real_time(report);
        }
        for preset in PRESETS {
            let particles = preset.particles;
            let selected = controls.settings.size == Size::Count(particles) && !controls.pace.keeps_real_time;
            let button = Button::selectable(selected, RichText::new(preset.name).small()).frame_when_inactive(true);
            // Estimated only while the tooltip is shown.
            let hover = |ui: &mut Ui| {
                let estimate = controls.estimate_at(report, particles);
                ui.label(format!(
                    "{} particles, {}{}",
                    format::count(particles.into()),
                    preset.hover,
                    estimate.map_or_else(String::new, |load| format!("; {}", pace_words(&load)))
                ));
            };
            let why = limits.map(SearchLimits::why_it_ends).unwrap_or_default();
            let response = ui.add_enabled(u64::from(particles) <= last, button);
            if response.on_hover_ui(hover).on_disabled_hover_text(why).clicked() {
                controls.pace.keeps_real_time = false;
                controls.change(|settings| settings.size = Size::Count(particles));
            }
        }
    });
    let drafted = controls.count_draft.map(|count| count as u32);
    let running = Asked::of_running(report).map(|asked| asked.particles);
    let Some(load) = drafted.or(running).and_then(|particles| controls.estimate_at(report, particles)) else { return };
    let color = if load.capacity() >= 0.9 { QUIET } else { WARNING };
    let hover = format!(
        "estimated from what was measured on this device: {} ms a step of {} s, {} ms for drawing",
        format::number(load.step),
        format::number(load.time_step),
        format::number(load.drawing),
    );
    ui.label(RichText::new(pace_words(&load)).small().color(color)).on_hover_text(hover);
}

/// The pace of a load in words.
fn pace_words(load: &FrameLoad) -> String {
    let rate = 1.0 / load.frame();
    if load.capacity() >= 1.0 {
        format!("estimate: real time at {rate:.0} frames/s")
    } else {
        format!("estimate: {}x real time at {rate:.0} frames/s", format::number(load.real_time_factor()))
    }
}

/// Draws a line that names a faster search than the selected one, with a button that selects it.
pub(in crate::app) fn faster_search_ui(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    let Some((search, ratio)) = controls.faster_search(report) else {
        if report.running.is_some() {
            remark(ui, "the fastest search here, within a tenth");
        }
        return;
    };
    ui.horizontal_wrapped(|ui| {
        let button = Button::new(RichText::new("Fastest here").small()).min_size(vec2(84.0, 0.0));
        let hover = "selects the search whose steps are estimated to be the shortest in this scene on this device";
        if ui.add(button).on_hover_text(hover).clicked() {
            controls.choose_search(search);
        }
        remark(ui, format!("{} takes {:.0} % of the time", search.title, 100.0 / ratio));
    });
}
