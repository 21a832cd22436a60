//! What the command line chose about the look of the window, which takes precedence over the user's settings.

use super::Controls;
use crate::render::{ColorField, DrawStyle, SolidStyle, Theme};

/// The look that was chosen; what is `None` follows the user's settings.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LookChoice {
    /// How the water is drawn.
    pub style: Option<DrawStyle>,
    /// Brightness of the surroundings.
    pub theme: Option<Theme>,
    /// How solids are drawn.
    pub solids: Option<SolidStyle>,
    /// The field that the colors of the particles show.
    pub field: Option<ColorField>,
    /// Whether the edges of the search's cells are drawn.
    pub cell_edges: Option<bool>,
}

impl LookChoice {
    /// Applies what was chosen.
    pub fn apply(self, controls: &mut Controls) {
        let Self { style, theme, solids, field, cell_edges } = self;
        controls.style = style.unwrap_or(controls.style);
        controls.theme = theme.unwrap_or(controls.theme);
        controls.solids = solids.unwrap_or(controls.solids);
        controls.field = field.unwrap_or(controls.field);
        controls.cell_edges = cell_edges.unwrap_or(controls.cell_edges);
    }
}
