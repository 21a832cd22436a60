//! The slider of values that restart the scene.

use std::ops::RangeInclusive;

use bevy_egui::egui::{Slider, SliderClamping, Ui};

/// The state of a slider's handle in this frame.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Slid {
    /// The handle was not touched.
    No,
    /// The handle is being dragged.
    Moving,
    /// The handle was released, or the value was changed by a click.
    Released,
}

impl Slid {
    /// The value, while the handle is dragged and the value is not applied yet.
    pub(super) fn then_some(self, value: f64) -> Option<f64> {
        (self == Self::Moving).then_some(value)
    }
}

/// Draws a logarithmic slider with its value at the right. The values that it sets restart the scene, so they are
/// applied when the handle is released, not while it is dragged.
pub(super) fn slider(
    ui: &mut Ui,
    value: &mut f64,
    range: RangeInclusive<f64>,
    words: impl Fn(f64) -> String,
    tooltip: impl FnOnce(&mut Ui),
) -> Slid {
    ui.horizontal(|ui| {
        ui.spacing_mut().slider_width = (ui.available_width() - 76.0).max(60.0);
        let slider =
            Slider::new(&mut *value, range).logarithmic(true).clamping(SliderClamping::Never).show_value(false);
        let response = ui.add(slider).on_hover_ui(tooltip);
        ui.label(words(*value));
        if response.drag_stopped() || (response.changed() && !response.dragged()) {
            Slid::Released
        } else if response.dragged() {
            Slid::Moving
        } else {
            Slid::No
        }
    })
    .inner
}
