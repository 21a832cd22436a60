//! The quantities that conditions, questions and texts of lessons name: one table, in four files by what they describe.
//!
//! A new quantity is one entry of a table here and one line in `docs/ADDING_A_LESSON.md`, which a test compares.

mod counters;
mod picked;
mod settings;
mod views;

use std::fmt::Write as _;

use crate::app::{Controls, Report};

/// A value of a quantity.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number, in the quantity's unit.
    Number(f64),
    /// A word.
    Word(String),
}

/// The values that a quantity takes.
#[derive(Clone, Copy)]
pub enum QuantityKind {
    /// Numbers.
    Number,
    /// `yes` or `no`.
    Switch,
    /// One of the words that the function lists; any word if it lists none.
    Word(fn() -> Vec<String>),
}

/// Something that can be read from the running program.
pub struct Quantity {
    /// Name in conditions and texts.
    pub name: &'static str,
    /// What it is, as the subject of a sentence: "the number of ...".
    pub describes: &'static str,
    /// The unit of its numbers; empty if they have none.
    pub unit: &'static str,
    /// The values that it takes.
    pub kind: QuantityKind,
    /// Its present value; `None` if it was not measured or does not apply now.
    pub read: fn(&Controls, &Report) -> Option<Value>,
}

/// The table: settings, what is picked, counters and times, and what the views measure.
pub static QUANTITIES: [(&str, &[Quantity]); 4] = [
    ("Settings", settings::SETTINGS),
    ("The picked particle or cell", picked::PICKED),
    ("Counters and times", counters::COUNTERS),
    ("What the views show and measure", views::VIEW_QUANTITIES),
];

/// Every quantity, in the order of the table.
pub(super) fn every_quantity() -> impl Iterator<Item = &'static Quantity> {
    QUANTITIES.iter().flat_map(|(_, quantities)| quantities.iter())
}

impl Value {
    fn yes(is: bool) -> Self {
        Self::Word(if is { "yes" } else { "no" }.to_owned())
    }

    fn word(word: impl Into<String>) -> Self {
        Self::Word(word.into())
    }

    /// As written in the texts of lessons.
    pub fn written(&self) -> String {
        match self {
            Self::Word(word) => word.clone(),
            Self::Number(number) if number.fract() == 0.0 && (0.0..1e15).contains(number) => {
                crate::app::format::count(*number as u64)
            }
            Self::Number(number) => crate::app::format::number(*number),
        }
    }
}

/// A quantity whose values are numbers.
const fn number(
    name: &'static str,
    unit: &'static str,
    describes: &'static str,
    read: fn(&Controls, &Report) -> Option<Value>,
) -> Quantity {
    Quantity { name, describes, unit, kind: QuantityKind::Number, read }
}

/// A quantity that is `yes` or `no`.
const fn switch(
    name: &'static str,
    describes: &'static str,
    read: fn(&Controls, &Report) -> Option<Value>,
) -> Quantity {
    Quantity { name, describes, unit: "", kind: QuantityKind::Switch, read }
}

/// A quantity whose values are words.
const fn word(
    name: &'static str,
    describes: &'static str,
    words: fn() -> Vec<String>,
    read: fn(&Controls, &Report) -> Option<Value>,
) -> Quantity {
    Quantity { name, describes, unit: "", kind: QuantityKind::Word(words), read }
}

/// The table as the document shows it, in Markdown.
pub fn quantities_page() -> String {
    let mut page = String::new();
    for (title, quantities) in &QUANTITIES {
        // Writing into a string cannot fail.
        let _ = write!(page, "\n### {title}\n\n| name | values | what it is |\n|---|---|---|\n");
        for quantity in *quantities {
            let values = match quantity.kind {
                QuantityKind::Number if quantity.unit.is_empty() => "number".to_owned(),
                QuantityKind::Number => format!("number, {}", quantity.unit),
                QuantityKind::Switch => "`yes`, `no`".to_owned(),
                QuantityKind::Word(words) => match words() {
                    words if words.is_empty() => "word".to_owned(),
                    words => words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", "),
                },
            };
            let _ = writeln!(page, "| `{}` | {values} | {} |", quantity.name, quantity.describes);
        }
    }
    page
}
