//! Opens and closes the laboratory and its views.

use std::sync::Arc;

use super::view::ViewInfo;
use super::views::VIEWS;
use super::{Drawer, LabControls, LabSelection, border_view};
use crate::app::{Controls, Report};

impl LabControls {
    /// The view that is shown.
    pub fn view(&self) -> &'static ViewInfo {
        VIEWS[self.view.min(VIEWS.len() - 1)]
    }
}

impl Controls {
    /// Opens the laboratory at its current view, or closes it; a simulation that the laboratory paused resumes.
    pub(in crate::app) fn toggle_laboratory(&mut self, report: &Report) {
        self.lab.open = !self.lab.open;
        self.lab.presenting = false;
        border_view::leave(self);
        if self.lab.open {
            self.choose_view(self.lab.view, report);
            return;
        }
        self.make_right();
        self.leave_flatland();
        self.leave_example();
        self.lead_camera_back();
        if std::mem::take(&mut self.lab.stopped_water) {
            self.paused = false;
        }
    }

    /// Pauses the simulation for an inspection; it resumes when the laboratory is closed.
    pub(in crate::app) fn stop_water(&mut self) {
        if !self.paused {
            self.paused = true;
            self.lab.stopped_water = true;
        }
    }

    /// Shows a view, and opens the laboratory if it is closed.
    pub(in crate::app) fn choose_view(&mut self, place: usize, report: &Report) {
        let Some(view) = VIEWS.get(place) else { return };
        if place != self.lab.view {
            self.leave_example();
            self.lead_camera_back();
            // The view before may have asked for its selection and not have had it yet.
            self.lab.wants_framing = false;
        }
        self.lab.open = true;
        self.lab.view = place;
        border_view::leave(self);
        self.lab.hovered = None;
        self.lab.drawer = if view.drawer.is_some() { Drawer::View } else { Drawer::Time };
        (view.begin)(self, report);
    }

    /// Moves the camera back to where it was before a view moved it to a selection, or cancels the move.
    fn lead_camera_back(&mut self) {
        self.lab.wanted_view = None;
        if let Some((scene, view)) = self.lab.view_before.take()
            && Arc::ptr_eq(&scene, &self.scene)
            && self.lab.flatland.is_none()
        {
            self.lab.wanted_view = Some(view);
        }
    }

    /// Shows `by` more visited ranges, or fewer if `by` is negative.
    pub(in crate::app) fn walk(&mut self, by: isize, report: &Report) {
        let particle = report.lab.inspection.as_ref().and_then(|found| found.recording.particles.first());
        let ranges = particle.map_or(0, |record| record.ranges.len());
        self.lab.walk.playing = false;
        let shown = self.lab.walk.shown.unwrap_or(if by > 0 { 0 } else { ranges });
        self.lab.walk.shown = Some(shown.saturating_add_signed(by).min(ranges));
    }

    /// Begins or ends the presenter mode of the laboratory, or that of the whole window.
    pub(in crate::app) fn toggle_presenting(&mut self) {
        let presenting = if self.lab.open { &mut self.lab.presenting } else { &mut self.presenting };
        *presenting = !*presenting;
    }

    /// Closes the topmost of these: the list of keys or a message, the selection, the presentation mode, the
    /// laboratory. Outside the laboratory it also ends the presenter mode or the filter of
    /// the panel.
    pub(in crate::app) fn close(&mut self, report: &Report) {
        let has_messages = !self.messages(report).is_empty();
        if self.help_open || has_messages || !self.lab.open {
            if self.presenting && !self.lab.open && !self.help_open && !has_messages {
                self.presenting = false;
            } else if !self.help_open && !has_messages {
                self.panel.query.clear();
            }
            self.help_open = false;
            self.dismiss(report);
        } else if self.lab.selection != LabSelection::All {
            let up = self.lab.selection.up();
            self.lab.select(up);
        } else if self.lab.overlay.stage.is_some() && self.lab.check.pair.is_some() {
            self.lab.check.pair = None;
        } else if self.lab.presenting {
            self.lab.presenting = false;
        } else {
            self.toggle_laboratory(report);
        }
    }
}
