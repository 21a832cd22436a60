//! Conditions of lessons: comparisons of quantities that are joined by `and`, such as
//! `class = border and candidates < 100`.

use super::expression::{Expression, Source};
use super::quantities::Value;
use super::symbol::{Symbol, Values};
use crate::gpu::nearest_names;

/// Two numbers whose difference is less than this share of the larger one are equal.
const SAME: f64 = 1e-6;
/// The comparisons. Those of two characters come first, because their first character is one of the others.
const COMPARISONS: [&str; 6] = ["<=", ">=", "!=", "<", ">", "="];

/// A parsed condition.
#[derive(Clone)]
pub struct Condition {
    parts: Vec<Part>,
}

#[derive(Clone)]
enum Part {
    /// A word quantity is one of these words, or none of them if `is` is false.
    Word { symbol: Symbol, is: bool, words: Vec<String> },
    /// A comparison of two numbers.
    Numbers { left: Expression, comparison: &'static str, right: Expression },
}

impl Condition {
    /// Parses a condition.
    ///
    /// # Errors
    /// One sentence on what is wrong and how to correct it.
    pub fn parse(text: &str) -> Result<Self, String> {
        text.split(" and ").map(Part::parse).collect::<Result<_, _>>().map(|parts| Self { parts })
    }

    /// Whether it is true now. A quantity without a value makes it false.
    pub(super) fn holds(&self, source: Source<'_>) -> bool {
        self.parts.iter().all(|part| part.holds(source))
    }

    /// Every symbol in it, each with whether its value at the beginning of the step is meant.
    pub(super) fn symbols(&self) -> Vec<(Symbol, bool)> {
        let of = |part: &Part| match part {
            Part::Word { symbol, .. } => vec![(*symbol, false)],
            Part::Numbers { left, right, .. } => [left.symbols(), right.symbols()].concat(),
        };
        self.parts.iter().flat_map(of).collect()
    }
}

impl Part {
    fn parse(text: &str) -> Result<Self, String> {
        let (place, comparison) = text
            .char_indices()
            .find_map(|(place, _)| Some((place, *COMPARISONS.iter().find(|c| text[place..].starts_with(**c))?)))
            .ok_or_else(|| {
                format!(
                    "\"{}\" compares nothing; write, for example, \"search = green\" or \"candidates < 100\"",
                    text.trim()
                )
            })?;
        let left = Expression::parse(&text[..place])?;
        let right = text[place + comparison.len()..].trim();
        if let Some(symbol) = left.symbol()
            && let Values::Words(allowed) = symbol.values()
        {
            let is = match comparison {
                "=" => true,
                "!=" => false,
                _ => return Err(format!("\"{}\" is a word, which can only be compared with = or !=", symbol.name())),
            };
            let words: Vec<String> = right.split('|').map(|word| word.trim().to_owned()).collect();
            words.iter().try_for_each(|word| check_word(symbol, word, &allowed))?;
            return Ok(Self::Word { symbol, is, words });
        }
        let right = Expression::parse(right)?;
        left.must_be_a_number()?;
        right.must_be_a_number()?;
        Ok(Self::Numbers { left, comparison, right })
    }

    fn holds(&self, source: Source<'_>) -> bool {
        match self {
            Self::Word { symbol, is, words } => {
                let value = symbol.read(source.controls, source.report);
                value.is_some_and(|value| words.iter().any(|word| value == Value::Word(word.clone())) == *is)
            }
            Self::Numbers { left, comparison, right } => {
                let (Some(left), Some(right)) = (left.number(source), right.number(source)) else { return false };
                let same = (left - right).abs() <= SAME * left.abs().max(right.abs());
                match *comparison {
                    "=" => same,
                    "!=" => !same,
                    "<" => left < right && !same,
                    ">" => left > right && !same,
                    "<=" => left < right || same,
                    _ => left > right || same,
                }
            }
        }
    }
}

fn check_word(symbol: Symbol, word: &str, allowed: &[String]) -> Result<(), String> {
    if allowed.is_empty() || allowed.iter().any(|known| known == word) {
        return Ok(());
    }
    let name = symbol.name();
    let nearest = nearest_names(word, allowed.iter().map(String::as_str)).join(", ");
    let all = allowed.join(", ");
    Err(format!("{name} is never \"{word}\"; did you mean {nearest}? It is one of: {all}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::lessons::test_source::with_source;

    #[test]
    fn conditions_compare_words_and_numbers_of_the_running_program() {
        with_source(|source| {
            let holds = |text: &str| Condition::parse(text).unwrap_or_else(|error| panic!("{error}")).holds(source);
            for (text, expected) in [
                ("search = green", true),
                ("search != green", false),
                ("search = claws | green", true),
                ("search != claws | green", false),
                ("cell-edge = 2r", true),
                ("cell-edge = r", false),
                ("paused = no", true),
                ("view = none", true),
                ("particles > 1000", true),
                ("particles <= particles", true),
                ("particles < particles", false),
                ("particles != particles", false),
                ("search = green and particles < 10", false),
                ("pbf.iterations = 2", true),
                ("candidates > 0", false),
                ("candidates != 7", false),
            ] {
                assert_eq!(holds(text), expected, "{text}");
            }
        });
    }

    #[test]
    fn a_wrong_condition_is_reported_with_what_is_wrong() {
        for (text, parts) in [
            ("search = gren", &["gren", "green"][..]),
            ("serch = green", &["serch", "search"]),
            ("view = inspecter", &["inspecter", "inspector"]),
            ("cell-edge = 9r", &["9r", "2r"]),
            ("search > green", &["search", "= or !="]),
            ("paused", &["compares nothing"]),
            ("paused = on", &["yes, no"]),
            ("particles > search", &["search", "word"]),
            ("particles > ", &["missing"]),
            ("search = green and ", &["compares nothing"]),
        ] {
            let error = Condition::parse(text).err().unwrap_or_else(|| panic!("{text:?} is accepted"));
            for part in parts {
                assert!(error.contains(part), "{text:?}: {error}");
            }
        }
    }
}
