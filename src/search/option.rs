//! The settings of searches: their declaration, their values, and how they are read from text.

use std::collections::BTreeMap;

use super::{SEARCHES, SearchError, SearchInfo};
use crate::gpu::nearest_names;

/// A setting of a search. The panel, the command line and every comparison read it from this single declaration.
/// Searches that list the same option share its value.
#[derive(Debug)]
pub struct SearchOption {
    /// Name on the command line.
    pub name: &'static str,
    /// Name on screen.
    pub title: &'static str,
    /// Explanation in a sentence.
    pub hover: &'static str,
    /// The values that it accepts.
    pub kind: OptionKind,
}

/// The values that an option accepts.
#[derive(Debug)]
pub enum OptionKind {
    /// One of several choices; the first is the default.
    Choice(&'static [OptionChoice]),
    /// A number.
    Number {
        /// Smallest accepted value.
        least: f32,
        /// Largest accepted value.
        most: f32,
        /// Default value.
        default: f32,
        /// Whether only whole numbers are accepted.
        whole: bool,
        /// Unit, written after the number; empty if it has none.
        suffix: &'static str,
        /// Values that the panel offers as buttons and that comparisons run.
        presets: &'static [f32],
        /// A value that is written as a word instead of digits, and the word.
        word: Option<(f32, &'static str)>,
    },
}

/// One choice of an option.
#[derive(Debug)]
pub struct OptionChoice {
    /// Name on screen and on the command line.
    pub label: &'static str,
    /// Explanation in a sentence.
    pub hover: &'static str,
}

impl SearchOption {
    /// The default value: a number, or the index of the choice.
    pub fn default_value(&self) -> f32 {
        match self.kind {
            OptionKind::Choice(_) => 0.0,
            OptionKind::Number { default, .. } => default,
        }
    }

    /// Whether a value is the default.
    pub fn is_default(&self, value: f32) -> bool {
        same_value(value, self.default_value())
    }

    /// The values that comparisons run: every choice, or the presets.
    pub fn usual_values(&self) -> Vec<f32> {
        match self.kind {
            OptionKind::Choice(choices) => (0..choices.len()).map(|place| place as f32).collect(),
            OptionKind::Number { presets, .. } => presets.to_vec(),
        }
    }

    /// Formats a value as [`SearchOption::parse`] reads it.
    pub fn label(&self, value: f32) -> String {
        match &self.kind {
            OptionKind::Choice(choices) => choices.get(value as usize).map_or("?", |choice| choice.label).to_owned(),
            OptionKind::Number { word: Some((at, word)), .. } if same_value(value, *at) => (*word).to_owned(),
            OptionKind::Number { suffix, .. } => format!("{value}{suffix}"),
        }
    }

    /// Reads a value.
    ///
    /// # Errors
    /// When the option does not accept the value; the message lists the accepted values.
    pub fn parse(&self, text: &str) -> Result<f32, SearchError> {
        let fail = |expected: String| SearchError::OptionValue { option: self.name, value: text.to_owned(), expected };
        match &self.kind {
            OptionKind::Choice(choices) => {
                let place = choices.iter().position(|choice| choice.label == text);
                let labels = || choices.iter().map(|choice| choice.label).collect::<Vec<_>>().join(", ");
                place.map(|place| place as f32).ok_or_else(|| fail(format!("one of {}", labels())))
            }
            &OptionKind::Number { least, most, whole, word, suffix, .. } => {
                if let Some((value, _)) = word.filter(|(_, word)| *word == text) {
                    return Ok(value);
                }
                let number = text
                    .strip_suffix(suffix)
                    .unwrap_or(text)
                    .parse::<f32>()
                    .ok()
                    .filter(|number| (least..=most).contains(number));
                number.filter(|number| !whole || number.fract() == 0.0).ok_or_else(|| {
                    let kind = if whole { "a whole number" } else { "a number" };
                    let word = word.map(|(_, word)| format!(", or {word}")).unwrap_or_default();
                    fail(format!("{kind} from {least} to {most}{word}"))
                })
            }
        }
    }
}

/// Whether two values of an option are equal. Values are selected and never computed, so equal values have equal bits.
pub fn same_value(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits()
}

/// The options that differ from their defaults.
///
/// ```
/// use nearwater::search::{CELL_EDGE, SearchOptions};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut options = SearchOptions::default();
/// options.parse("cell-edge=2r")?;
/// assert_eq!(options.written(&CELL_EDGE), "cell-edge=2r");
/// let refusal = options.parse("cell-edge=wide").expect_err("no such choice");
/// assert!(refusal.to_string().starts_with("the option cell-edge is \"wide\" and must be"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchOptions(BTreeMap<&'static str, f32>);

impl SearchOptions {
    /// The option's value: a number, or the index of the choice.
    pub fn value(&self, option: &SearchOption) -> f32 {
        self.0.get(option.name).copied().unwrap_or(option.default_value())
    }

    /// Formats the option's value as [`SearchOptions::parse`] reads it.
    pub fn written(&self, option: &SearchOption) -> String {
        format!("{}={}", option.name, option.label(self.value(option)))
    }

    /// Whether the option has the choice with the given label.
    pub fn is(&self, option: &SearchOption, label: &str) -> bool {
        option.label(self.value(option)) == label
    }

    /// Sets a value, in the form in which [`SearchOptions::value`] returns it.
    pub fn set(&mut self, option: &SearchOption, value: f32) {
        if option.is_default(value) {
            self.0.remove(option.name);
        } else {
            self.0.insert(option.name, value);
        }
    }

    /// Returns the same options with one of them set.
    #[must_use]
    pub fn with(mut self, option: &SearchOption, value: f32) -> Self {
        self.set(option, value);
        self
    }

    /// Those of the options that a search has.
    #[must_use]
    pub fn own_of(&self, search: &SearchInfo) -> Self {
        let is_own = |name: &&str| search.all_options().any(|option| option.name == *name);
        Self(self.0.iter().filter(|(name, _)| is_own(name)).map(|(&name, &value)| (name, value)).collect())
    }

    /// Sets an option of any search from `name=value`.
    ///
    /// # Errors
    /// When no search has the option, or the option does not accept the value.
    pub fn parse(&mut self, text: &str) -> Result<(), SearchError> {
        let (name, value) = text.split_once('=').ok_or_else(|| SearchError::OptionForm(text.to_owned()))?;
        let all = || SEARCHES.iter().flat_map(|search| search.all_options());
        let option = all().find(|option| option.name == name).ok_or_else(|| SearchError::UnknownOption {
            name: name.to_owned(),
            nearest: nearest_names(name, all().map(|option| option.name)).join(", "),
        })?;
        self.set(option, option.parse(value)?);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static NUMBER: SearchOption = SearchOption {
        name: "number",
        title: "Number",
        hover: "",
        kind: OptionKind::Number {
            least: 2.0,
            most: 8.0,
            default: 2.0,
            whole: true,
            suffix: "",
            presets: &[],
            word: Some((0.0, "auto")),
        },
    };

    #[test]
    fn every_usual_value_of_every_option_survives_formatting_and_parsing() {
        for option in SEARCHES.iter().flat_map(|search| search.all_options()) {
            assert!(option.usual_values().contains(&option.default_value()), "{}", option.name);
            for value in option.usual_values() {
                assert!(same_value(option.parse(&option.label(value)).expect("a value"), value), "{}", option.name);
            }
        }
    }

    #[test]
    fn errors_name_the_unknown_option_or_value_and_list_what_is_accepted() {
        let message = |text: &str| SearchOptions::default().parse(text).expect_err("a refusal").to_string();
        assert!(message("cell-edges=r").contains("cell-edge"), "{}", message("cell-edges=r"));
        assert!(message("cell-edge=3r").contains("r, 2r, fine"), "{}", message("cell-edge=3r"));
        assert!(message("cell-edge").contains("NAME=VALUE"), "{}", message("cell-edge"));
        assert!(same_value(NUMBER.parse("auto").expect("a word"), 0.0));
        for wrong in ["2.5", "1", "9", "NaN", "", "inf"] {
            assert!(NUMBER.parse(wrong).expect_err("a refusal").to_string().contains("from 2 to 8, or auto"));
        }
    }
}
