//! What the user has chosen about the panel itself.

use std::collections::BTreeMap;

use crate::app::Controls;
use crate::app::scene_files::SCENE_FILE;

/// State of the panel itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PanelControls {
    /// The sections that the user opened (true) or folded (false), by their names. All others are as they are at first.
    pub sections: BTreeMap<String, bool>,
    /// The words that controls must contain to be shown; empty shows all.
    pub query: String,
    /// The file to which the running scene is saved.
    pub scene_path: String,
    /// Whether every section is open, because a script or a lesson looks for a control.
    pub(super) is_searched: bool,
    /// Whether the field of the query is to receive the keyboard.
    pub(super) wants_query: bool,
}

impl Default for PanelControls {
    fn default() -> Self {
        Self {
            sections: BTreeMap::new(),
            query: String::new(),
            scene_path: SCENE_FILE.to_owned(),
            is_searched: false,
            wants_query: false,
        }
    }
}

impl PanelControls {
    /// Opens every section until the user folds one, and ends the filter; returns whether that changed anything.
    pub(in crate::app) fn show_everything(&mut self) -> bool {
        let was_shown = std::mem::replace(&mut self.is_searched, true) && self.query.is_empty();
        self.query.clear();
        !was_shown
    }
}

impl Controls {
    /// Shows the panel, and gives the keyboard to the field that filters it.
    pub(in crate::app) fn find_control(&mut self) {
        self.panel_open = true;
        self.panel.wants_query = true;
    }
}
