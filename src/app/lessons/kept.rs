//! The user's scene, settings and display from before a lesson, which are restored when the lesson is left and are what
//! the file of user settings keeps.

use std::sync::Arc;

use crate::app::{Controls, PlaybackControls, Report};
use crate::fluid::{Scene, Settings};
use crate::render::{ColorField, DrawStyle, SolidStyle};

/// What a lesson changes.
#[derive(Clone)]
pub(in crate::app) struct KeptProgram {
    scene: Arc<Scene>,
    settings: Settings,
    playback: Option<PlaybackControls>,
    /// The color field.
    pub(in crate::app) field: ColorField,
    /// How the water is drawn.
    pub(in crate::app) style: DrawStyle,
    /// How solids are drawn.
    pub(in crate::app) solids: SolidStyle,
    /// Whether the edges of cells are drawn.
    pub(in crate::app) cell_edges: bool,
    /// Whether the badge is on.
    pub(in crate::app) badge: Option<bool>,
    paused: bool,
    slow_motion: bool,
}

impl KeptProgram {
    /// The present state, after the laboratory was closed.
    pub(super) fn of(controls: &Controls) -> Self {
        Self {
            scene: Arc::clone(&controls.scene),
            settings: controls.settings.clone(),
            playback: controls.playback.clone(),
            field: controls.field,
            style: controls.style,
            solids: controls.solids,
            cell_edges: controls.cell_edges,
            badge: controls.badge,
            paused: controls.paused,
            slow_motion: controls.slow_motion,
        }
    }

    /// Restores the state; the scene starts again from its first frame.
    pub(super) fn restore(self, controls: &mut Controls, report: &Report) {
        controls.tidy_up(report);
        if !Arc::ptr_eq(&controls.scene, &self.scene) {
            controls.scene = self.scene;
            controls.revision += 1;
        }
        controls.playback = self.playback;
        controls.change(|settings| *settings = self.settings);
        (controls.field, controls.style, controls.solids) = (self.field, self.style, self.solids);
        (controls.cell_edges, controls.badge) = (self.cell_edges, self.badge);
        (controls.paused, controls.slow_motion) = (self.paused, self.slow_motion);
    }
}

impl Controls {
    /// The user's own display while a lesson is open, which changes it.
    pub(in crate::app) fn kept_by_lesson(&self) -> Option<&KeptProgram> {
        self.lessons.kept.as_deref()
    }
}
