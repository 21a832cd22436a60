//! The panel's controls of a recording: the slider over its frames, and the recorded numbers that colors can show.

use bevy_egui::egui::{Button, RichText, Slider, Ui};

use crate::app::theme::remark;
use crate::app::{Controls, format};

/// Draws the slider and the buttons, where a recording is open.
pub(in crate::app) fn playback_controls(ui: &mut Ui, controls: &mut Controls) {
    let Some(recorded) = &mut controls.playback else { return };
    let recording = &recorded.playback.recording;
    let count = recording.len();
    let mut frame = recorded.frame();
    ui.add_space(6.0);
    let time = recording.times()[frame];
    let when = if recording.has_times() {
        format!("Frame {} of {}, {:.3} s", frame + 1, format::count(count as u64), time)
    } else {
        format!("Frame {} of {}", frame + 1, format::count(count as u64))
    };
    ui.label(RichText::new(when).strong());
    ui.spacing_mut().slider_width = (ui.available_width() - 8.0).max(60.0);
    let slider = Slider::new(&mut frame, 0..=count.saturating_sub(1)).show_value(false);
    let moved = ui.add_enabled(count > 1, slider).on_hover_text("the frame of the recording that is shown");
    for notice in recording.notices() {
        remark(ui, notice.clone());
    }
    let mut chosen = recorded.field;
    if !recorded.playback.fields.is_empty() {
        remark(ui, "recorded numbers, as colors:".to_owned());
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = 4.0;
            for (place, name) in recorded.playback.fields.iter().enumerate() {
                let is_shown = chosen == Some(place);
                // The names of this program's own fields are buttons of the section "Color" as well.
                let words = format!("recorded {name}");
                let button = Button::selectable(is_shown, RichText::new(words).small()).frame_when_inactive(true);
                let hover =
                    "shows this number of the file; a field of the section \"Color\" is computed from the positions";
                if ui.add(button).on_hover_text(hover).clicked() {
                    chosen = (!is_shown).then_some(place);
                }
            }
        });
    }
    recorded.field = chosen;
    if moved.changed() {
        recorded.go_to(frame);
        controls.paused = true;
    }
}
