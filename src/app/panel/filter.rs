//! The filter of the panel: the words that the user typed, and which rows contain them.
//!
//! The filter is stored in egui's temporary memory for the time in which the panel is drawn, so that every row can ask
//! it without passing it through each section. Outside the panel nothing is filtered.

use bevy_egui::egui::{Id, Ui};

/// The words that rows must contain, and what is known of the section that is being drawn.
#[derive(Clone, Default)]
struct Filter {
    /// In lower case; empty if nothing is filtered.
    words: Vec<String>,
    /// Text of the heading of the section, in lower case.
    heading: String,
    /// Number of rows that were drawn in the section.
    shown: usize,
}

fn with<R>(ui: &Ui, change: impl FnOnce(&mut Filter) -> R) -> R {
    ui.data_mut(|data| change(data.get_temp_mut_or_default(Id::new("filter of the panel"))))
}

/// Filters the rows that follow by the words of `query`. An empty query ends the filter.
pub(super) fn begin(ui: &Ui, query: &str) {
    let words = query.to_lowercase().split_whitespace().map(str::to_owned).collect();
    with(ui, |filter| *filter = Filter { words, ..Filter::default() });
}

/// Whether rows are being filtered.
pub(super) fn is_active(ui: &Ui) -> bool {
    with(ui, |filter| !filter.words.is_empty())
}

/// Begins a section whose heading has this text.
pub(super) fn begin_section(ui: &Ui, heading: &str) {
    with(ui, |filter| {
        filter.heading = heading.to_lowercase();
        filter.shown = 0;
    });
}

/// Number of rows of the section that were drawn.
pub(super) fn shown(ui: &Ui) -> usize {
    with(ui, |filter| filter.shown)
}

/// Whether a row with these texts is drawn: each word is in one of them or in the heading of its section.
pub(super) fn shows(ui: &Ui, texts: &[&str]) -> bool {
    with(ui, |filter| {
        let is_in = |word: &String| {
            filter.heading.contains(word.as_str()) || texts.iter().any(|text| text.to_lowercase().contains(word))
        };
        let shows = filter.words.iter().all(is_in);
        filter.shown += usize::from(shows);
        shows
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy_egui::egui;

    #[test]
    fn a_row_is_shown_if_every_word_is_in_it_or_in_its_heading() {
        egui::__run_test_ui(|ui| {
            begin(ui, "Visc material");
            begin_section(ui, "Material and solver");
            assert!(shows(ui, &["Artificial viscosity", "damps particles"]));
            assert!(!shows(ui, &["Surface tension", "water has 0.073"]));
            assert_eq!(shown(ui), 1);
            begin_section(ui, "Color");
            assert!(!shows(ui, &["Artificial viscosity"]), "no text contains \"material\"");
            assert!(shows(ui, &["viscosity", "material.viscosity"]), "the key contains both");
            begin(ui, " ");
            assert!(!is_active(ui) && shows(ui, &["anything"]));
        });
    }
}
