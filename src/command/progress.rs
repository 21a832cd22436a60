//! Progress bars of the terminal.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar of `length` steps, followed by `words` in indicatif's template language.
pub fn progress_bar(length: u64, words: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(&format!("{{bar:32}} {words}"));
    ProgressBar::new(length).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
