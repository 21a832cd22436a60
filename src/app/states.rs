//! Saves the state of the running simulation, and resumes from saved states.

use std::path::Path;
use std::sync::Arc;

use super::Controls;
use crate::fluid::{SavedState, Scene};

/// Default file of saved states.
pub(super) const STATE_FILE: &str = "nearwater.state";

/// A request to resume from a saved state.
#[derive(Clone, Debug)]
pub struct ResumeRequest {
    /// The revision of the controls to which the request belongs.
    pub revision: u64,
    /// The state from which the simulation resumes.
    pub state: Arc<SavedState>,
}

impl Controls {
    /// Requests that the state of the running simulation be saved to [`Controls::state_file`].
    pub fn save_state(&mut self) {
        self.saves += 1;
    }

    /// Resumes from the state in a file, in the scene of the state.
    pub fn load_state(&mut self, file: &Path) {
        self.load_error = self.try_state(file).err();
    }

    /// Opens a file that was dropped onto the window: a scene if it ends in `.ron`, otherwise a saved state.
    pub fn open_file(&mut self, file: &Path) {
        match file.extension() {
            Some(ending) if ending.eq_ignore_ascii_case("ron") => self.load_scene(&file.to_string_lossy()),
            _ => self.load_state(file),
        }
        if self.load_error.is_none() {
            self.remember(file);
        }
    }

    fn try_state(&mut self, file: &Path) -> Result<(), String> {
        let state = Arc::new(SavedState::read(file).map_err(|error| error.to_string())?);
        let name = state.scene_name();
        let scene = if name == self.scene.name {
            Arc::clone(&self.scene)
        } else if Scene::names().contains(&name) {
            Arc::new(Scene::load(name).map_err(|error| error.to_string())?)
        } else {
            return Err(format!(
                "{}: the state belongs to the scene {name:?}, which is not built in; open the file of that scene first",
                file.display()
            ));
        };
        self.resume_from(scene, state)
    }

    /// Resumes from a state of `scene`.
    ///
    /// # Errors
    /// When the state belongs to another scene, or its search no longer exists. Nothing is changed then.
    pub fn resume_from(&mut self, scene: Arc<Scene>, state: Arc<SavedState>) -> Result<(), String> {
        state.check_scene(&scene).map_err(|error| error.to_string())?;
        self.settings = state.settings().map_err(|error| error.to_string())?;
        self.scene = scene;
        self.playback = None;
        self.revision += 1;
        self.resume_request = Some(ResumeRequest { revision: self.revision, state });
        Ok(())
    }

    /// The state from which the current revision resumes, if it does.
    pub(super) fn state_to_resume_from(&self) -> Option<&SavedState> {
        self.resume_request
            .as_ref()
            .filter(|resume_request| resume_request.revision == self.revision)
            .map(|resume_request| &*resume_request.state)
    }
}
