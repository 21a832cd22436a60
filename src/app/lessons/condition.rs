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
    Word { symbol: Symbol, is: bool, words: Vec<Word> },
    /// A comparison of two numbers.
    Numbers { left: Expression, comparison: &'static str, right: Expression },
}

#[derive(Clone)]
enum Word {
    This(String),
    /// The word that a quantity had when the step was set up.
    Start(Symbol),
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
            Part::Word { symbol, words, .. } => {
                let starts = words.iter().filter_map(|word| match word {
                    Word::Start(symbol) => Some((*symbol, true)),
                    Word::This(_) => None,
                });
                starts.chain([(*symbol, false)]).collect()
            }
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
            let words = right.split('|').map(|word| Word::parse(symbol, word.trim(), &allowed));
            return Ok(Self::Word { symbol, is, words: words.collect::<Result<_, _>>()? });
        }
        let right = Expression::parse(right)?;
        left.must_be_a_number()?;
        right.must_be_a_number()?;
        Ok(Self::Numbers { left, comparison, right })
    }

    fn holds(&self, source: Source<'_>) -> bool {
        match self {
            Self::Word { symbol, is, words } => {
                let Some(value) = symbol.read(source.controls, source.report) else { return false };
                let compared: Option<Vec<bool>> = words.iter().map(|word| word.is(&value, source)).collect();
                compared.is_some_and(|compared| compared.contains(&true) == *is)
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

impl Word {
    fn parse(of: Symbol, word: &str, allowed: &[String]) -> Result<Self, String> {
        if let Some(name) = word.strip_prefix("start(").and_then(|rest| rest.strip_suffix(')')) {
            let symbol = Symbol::named(name.trim())?;
            return match symbol.values() {
                Values::Words(_) => Ok(Self::Start(symbol)),
                Values::Numbers => Err(format!("\"{}\" is a number, and {} is a word", symbol.name(), of.name())),
            };
        }
        if allowed.is_empty() || allowed.iter().any(|known| known == word) {
            return Ok(Self::This(word.to_owned()));
        }
        let name = of.name();
        let nearest = nearest_names(word, allowed.iter().map(String::as_str)).join(", ");
        let all = allowed.join(", ");
        Err(format!("{name} is never \"{word}\"; did you mean {nearest}? It is one of: {all}"))
    }

    /// Whether a value is this word; `None` if the word at the beginning of the step is not known.
    fn is(&self, value: &Value, source: Source<'_>) -> Option<bool> {
        match self {
            Self::This(word) => Some(*value == Value::Word(word.clone())),
            Self::Start(symbol) => source.starts.get(&symbol.name()).map(|start| value == start),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::lessons::tests::with_source;

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
                ("search != start(search)", false),
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
            ("search = start(particles)", &["number"]),
            ("search = green and ", &["compares nothing"]),
        ] {
            let error = Condition::parse(text).err().unwrap_or_else(|| panic!("{text:?} is accepted"));
            for part in parts {
                assert!(error.contains(part), "{text:?}: {error}");
            }
        }
    }
}
