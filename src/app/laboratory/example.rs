//! Prepared examples: a view can run its own scene and settings while it is shown; leaving it restores the user's.

use std::sync::Arc;

use crate::app::Controls;
use crate::fluid::{Scene, Settings};

/// The user's scene and settings from before a view showed its example.
#[derive(Clone, Debug)]
pub struct KeptScene {
    scene: Arc<Scene>,
    settings: Settings,
}

impl KeptScene {
    /// The user's present scene and settings.
    pub(super) fn of(controls: &Controls) -> Self {
        Self { scene: Arc::clone(&controls.scene), settings: controls.settings.clone() }
    }
}

impl Controls {
    /// Changes the settings for an example, and keeps the user's own.
    pub(in crate::app) fn show_example(&mut self, edit: impl FnOnce(&mut Settings)) {
        let kept = KeptScene::of(self);
        self.change(edit);
        if self.lab.kept_scene.is_none() && self.settings != kept.settings {
            self.lab.kept_scene = Some(kept);
        }
    }

    /// Runs another scene with other settings as an example, and keeps the user's own.
    pub(in crate::app) fn show_example_scene(&mut self, scene: Scene, edit: impl FnOnce(&mut Settings)) {
        let kept = KeptScene::of(self);
        self.lab.kept_scene.get_or_insert(kept);
        self.scene = Arc::new(scene);
        self.revision += 1;
        self.change(edit);
    }

    /// Restores the user's scene and settings from before the example.
    pub(in crate::app) fn leave_example(&mut self) {
        if let Some(kept) = self.lab.kept_scene.take() {
            self.give_back(kept);
        }
    }

    /// Restores a scene and its settings.
    pub(super) fn give_back(&mut self, KeptScene { scene, settings }: KeptScene) {
        if !Arc::ptr_eq(&scene, &self.scene) {
            self.scene = scene;
            self.revision += 1;
        }
        self.change(|now| *now = settings);
    }
}
