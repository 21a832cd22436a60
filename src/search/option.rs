use std::collections::BTreeMap;

use super::{SEARCHES, SearchError};
use crate::gpu::nearest_names;

/// A setting of a search: named once, and from there in the panel, on the command line and in every comparison.
/// Searches that list the same option share its value.
#[derive(Debug)]
pub struct SearchOption {
    /// Name on the command line.
    pub name: &'static str,
    /// Name on screen.
    pub title: &'static str,
    /// What it does, in a sentence.
    pub hover: &'static str,
    /// What it can be.
    pub kind: OptionKind,
}

/// What an option can be.
#[derive(Debug)]
pub enum OptionKind {
    /// One of several, the first unless somebody chooses.
    Choice(&'static [OptionChoice]),
    /// A number.
    Number {
        /// The smallest that makes sense.
        least: f32,
        /// The largest.
        most: f32,
        /// Unless somebody chooses.
        default: f32,
        /// Whether it counts something.
        whole: bool,
        /// Written behind the number: its unit, where it has one.
        suffix: &'static str,
        /// Worth one click.
        presets: &'static [f32],
        /// What the numbers mean where digits do not say it: a value and its word.
        word: Option<(f32, &'static str)>,
    },
}

/// One of several.
#[derive(Debug)]
pub struct OptionChoice {
    /// As written on screen and on the command line.
    pub label: &'static str,
    /// What it means, in a sentence.
    pub hover: &'static str,
}

impl SearchOption {
    /// The value unless somebody chooses: a number, or the place among the choices.
    pub fn default_value(&self) -> f32 {
        match self.kind {
            OptionKind::Choice(_) => 0.0,
            OptionKind::Number { default, .. } => default,
        }
    }

    /// Whether a value is the one unless somebody chooses.
    pub fn is_default(&self, value: f32) -> bool {
        same_value(value, self.default_value())
    }

    /// Every choice, or the presets: the values that comparisons run.
    pub fn usual_values(&self) -> Vec<f32> {
        match self.kind {
            OptionKind::Choice(choices) => (0..choices.len()).map(|place| place as f32).collect(),
            OptionKind::Number { presets, .. } => presets.to_vec(),
        }
    }

    /// A value in words, as [`SearchOption::parse`] reads it.
    pub fn label(&self, value: f32) -> String {
        match &self.kind {
            OptionKind::Choice(choices) => choices.get(value as usize).map_or("?", |choice| choice.label).to_owned(),
            OptionKind::Number { word: Some((at, word)), .. } if same_value(value, *at) => (*word).to_owned(),
            OptionKind::Number { suffix, .. } => format!("{value}{suffix}"),
        }
    }

    /// The value that a text names.
    ///
    /// # Errors
    /// When it names none; the message says what there is.
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

/// Whether two values of an option are the same one. They are chosen and never computed, so equal ones have equal bits.
pub fn same_value(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits()
}

/// The options that somebody chose; every other has its default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchOptions(BTreeMap<&'static str, f32>);

impl SearchOptions {
    /// The option's value: a number, or the place among the choices.
    pub fn value(&self, option: &SearchOption) -> f32 {
        self.0.get(option.name).copied().unwrap_or(option.default_value())
    }

    /// The option's value as [`SearchOptions::parse`] reads it.
    pub fn written(&self, option: &SearchOption) -> String {
        format!("{}={}", option.name, option.label(self.value(option)))
    }

    /// Whether the option is that one of its choices.
    pub fn is(&self, option: &SearchOption, label: &str) -> bool {
        option.label(self.value(option)) == label
    }

    /// Chooses a value, as [`SearchOptions::value`] gives it.
    pub fn set(&mut self, option: &SearchOption, value: f32) {
        if option.is_default(value) {
            self.0.remove(option.name);
        } else {
            self.0.insert(option.name, value);
        }
    }

    /// The same options with one chosen.
    #[must_use]
    pub fn with(mut self, option: &SearchOption, value: f32) -> Self {
        self.set(option, value);
        self
    }

    /// Reads `name=value`, for any option of any search.
    ///
    /// # Errors
    /// When there is no such option or value.
    pub fn parse(&mut self, text: &str) -> Result<(), SearchError> {
        let (name, value) = text.split_once('=').ok_or_else(|| SearchError::OptionForm(text.to_owned()))?;
        let all = || SEARCHES.iter().flat_map(|search| search.options).copied();
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
    fn every_usual_value_of_every_option_is_read_as_it_is_written() {
        for option in SEARCHES.iter().flat_map(|search| search.options) {
            assert!(option.usual_values().contains(&option.default_value()), "{}", option.name);
            for value in option.usual_values() {
                assert!(same_value(option.parse(&option.label(value)).expect("a value"), value), "{}", option.name);
            }
        }
    }

    #[test]
    fn what_is_no_option_or_no_value_is_named_with_what_there_is() {
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
