//! Runs the passes of time steps one after another, slowly enough to follow them in the pseudocode and in the code.

use bevy_egui::egui::{Button, RichText, Ui};

use super::Slowly;
use super::state::current_pass;
use crate::app::theme::{QUIET, WARNING, phase_color};
use crate::app::{Action, Controls, Report};
use crate::laboratory::{CostField, CostRequest, LabRequest};

/// Time for which each pass is shown, s.
const REST: f32 = 0.5;

impl Controls {
    /// Starts or stops running the passes of time steps one after another, two per second.
    pub fn toggle_slowly(&mut self) {
        if self.lab.stepping.slowly.take().is_some() {
            return;
        }
        self.explain.steps = self.explain.open;
        self.explain.chosen_code = None;
        self.pause_for_step();
        self.lab.stepping.slowly = Some(Slowly::default());
    }

    /// Stops running passes slowly, and resumes the water outside of the laboratory if it ran before.
    pub(super) fn stop_slowly(&mut self) {
        self.lab.stepping.slowly = None;
        if self.explain.steps && !self.lab.open && std::mem::take(&mut self.lab.stopped_water) {
            self.paused = false;
        }
    }

    /// Requests the next pass if it is due and the last one has been read back. `seconds` is the time since the last
    /// call.
    pub fn advance_slowly(&mut self, report: &Report, seconds: f32) {
        if !self.paused {
            // The user has resumed the simulation, so whole steps run again.
            self.explain.steps = false;
        }
        if !self.paused || !self.goes_through_step() {
            self.lab.stepping.slowly = None;
        }
        let findings = &report.lab.stepping;
        let Some(slowly) = &mut self.lab.stepping.slowly else { return };
        slowly.wait -= seconds;
        let has_settled = !findings.passes.is_empty() && findings.stepped.len() == findings.done;
        if slowly.wait <= 0.0 && has_settled {
            slowly.wait = REST;
            self.next_pass();
        }
    }

    /// Adds to the laboratory's request what the panel needs: the passes of a step that it runs slowly, and the idle
    /// lanes, which are computed whenever pairs are counted anyway.
    pub(in crate::app) fn request_for_explanations(&self, report: &Report, request: &mut LabRequest) {
        if request.stepping.is_none() && self.explain.open && self.explain.steps {
            request.stepping = Some(self.stepping_order(report));
        }
        if self.explain.open && request.cost.is_none() {
            request.cost = Some(CostRequest { field: CostField::LanesIdle, per_cell: false });
            request.cost_is_secondary = true;
        }
    }
}

/// Draws the buttons that run a step slowly or pass by pass, and names the pass that has run last.
pub(super) fn slow_controls(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    ui.horizontal_wrapped(|ui| {
        slow_button(ui, controls);
        let next = Button::new("Next pass").shortcut_text(Action::StepOnce.key_label());
        if ui.add(next).on_hover_text("pauses the simulation and runs one pass of a time step").clicked() {
            controls.lab.stepping.slowly = None;
            controls.explain.steps = true;
            controls.explain.chosen_code = None;
            controls.next_pass();
        }
        let stepping = &report.lab.stepping;
        match (current_pass(controls, report), stepping.current()) {
            (Some(_), Some(pass)) => {
                let text = format!("pass {} of {}: {}", stepping.done, stepping.passes.len(), pass.label);
                ui.label(RichText::new(text).small().color(phase_color(pass.phase)));
            }
            _ if controls.lab.stepping.slowly.is_some() => {
                ui.label(RichText::new("the first pass is about to run").small().color(WARNING));
            }
            _ => {
                ui.label(RichText::new("at full speed, passes are too short to follow").small().color(QUIET));
            }
        }
    });
}

/// Draws the button that starts or stops running passes slowly.
pub(in crate::app) fn slow_button(ui: &mut Ui, controls: &mut Controls) {
    let is_slow = controls.lab.stepping.slowly.is_some();
    let button = Button::selectable(is_slow, if is_slow { "Stop" } else { "Run slowly" }).frame_when_inactive(true);
    let hover = "runs the passes of a time step one after another, two per second, and highlights each of them in the \
                 pseudocode and in the code";
    if ui.add(button).on_hover_text(hover).clicked() {
        controls.toggle_slowly();
    }
}
