//! The section of the panel that selects the smoothing kernel.

use bevy_egui::egui::{Button, RichText, Ui};

use super::filter;
use crate::app::{Controls, Report};
use crate::fluid::SmoothingKernel;

/// Draws a button for each smoothing kernel.
pub(super) fn kernel_control(ui: &mut Ui, controls: &mut Controls, _: &Report) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        for kernel in SmoothingKernel::ALL {
            if !filter::shows(ui, &[kernel.label(), kernel.name()]) {
                continue;
            }
            let label = RichText::new(kernel.label()).small();
            let button = Button::selectable(controls.settings.kernel == kernel, label);
            if ui.add(button.frame_when_inactive(true)).on_hover_text(kernel.definition()).clicked() {
                controls.change(|settings| settings.kernel = kernel);
            }
        }
    });
}
