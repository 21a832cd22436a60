//! States in the app: what runs is saved into a file, and goes on from one.

use std::path::Path;
use std::sync::Arc;

use super::Controls;
use crate::fluid::{SavedState, Scene};

/// The file that states go to and come from until another is named.
pub(super) const STATE_FILE: &str = "nearwater.state";

/// A state that one revision of the controls begins with.
#[derive(Clone, Debug)]
pub struct GoingOn {
    /// Which revision.
    pub revision: u64,
    /// What it goes on from.
    pub state: Arc<SavedState>,
}

impl Controls {
    /// Saves the state of what runs, into the file that [`Controls::state_file`] names.
    pub fn save_state(&mut self) {
        self.saves += 1;
    }

    /// Goes on from the state in a file, in the scene that it was saved of.
    pub fn load_state(&mut self, file: &Path) {
        self.load_error = self.try_state(file).err();
    }

    /// Opens what somebody drops onto the window: a scene, or a state.
    pub fn open_file(&mut self, file: &Path) {
        match file.extension() {
            Some(ending) if ending == "ron" => self.load_scene(&file.to_string_lossy()),
            _ => self.load_state(file),
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
                "{}: the state was saved of the scene {name:?}, which is not one of the program's; open its file first",
                file.display()
            ));
        };
        self.go_on(scene, state)
    }

    /// Goes on from a state of `scene`.
    ///
    /// # Errors
    /// When it was saved of another scene, or with a search that there is no more. Nothing has changed then.
    pub fn go_on(&mut self, scene: Arc<Scene>, state: Arc<SavedState>) -> Result<(), String> {
        state.check_scene(&scene).map_err(|error| error.to_string())?;
        self.settings = state.settings().map_err(|error| error.to_string())?;
        self.scene = scene;
        self.revision += 1;
        self.going_on = Some(GoingOn { revision: self.revision, state });
        Ok(())
    }

    /// The state that this revision begins with, if it does.
    pub(super) fn state_to_go_on_from(&self) -> Option<&SavedState> {
        self.going_on.as_ref().filter(|going_on| going_on.revision == self.revision).map(|going_on| &*going_on.state)
    }
}
