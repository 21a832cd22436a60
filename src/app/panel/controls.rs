//! What the user has chosen about the panel itself.

use std::collections::BTreeMap;

/// State of the panel itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PanelControls {
    /// The sections that the user opened (true) or folded (false), by their names. All others are as they are at first.
    pub sections: BTreeMap<String, bool>,
}
