//! The files that were opened or saved last: scenes and states.

use std::path::{Path, PathBuf};

use super::Controls;

/// How many files are remembered.
const MOST: usize = 10;

impl Controls {
    /// Puts a file at the beginning of the list of recent files.
    pub fn remember(&mut self, file: &Path) {
        // A relative path would mean another file when the program is started elsewhere.
        let whole = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
        let name = whole.to_string_lossy().into_owned();
        self.recent.retain(|other| *other != name);
        self.recent.insert(0, name);
        self.recent.truncate(MOST);
    }

    /// Opens a recent file. One that no longer exists is removed from the list, which is said on screen.
    pub fn open_recent(&mut self, place: usize) {
        let Some(name) = self.recent.get(place).cloned() else { return };
        let file = PathBuf::from(&name);
        if file.is_file() {
            self.open_file(&file);
        } else {
            self.recent.remove(place);
            self.load_error = Some(format!("{name} does not exist any more, and was removed from the recent files"));
        }
    }
}
