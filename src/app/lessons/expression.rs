//! Expressions over the quantities of the running program, as lessons write them: `candidates / neighbors`.
//!
//! A sum or difference of products of numbers, names of quantities, `start(NAME)` and parentheses. Names may contain
//! hyphens (`cell-edge`), so a minus sign between names needs spaces around it.

use super::quantities::Value;
use super::symbol::{Symbol, Values};
use crate::app::{Controls, Report};

/// A parsed expression.
#[derive(Clone)]
pub struct Expression(Node);

#[derive(Clone)]
enum Node {
    Number(f64),
    Symbol(Symbol),
    /// The value that the quantity had when the step was set up.
    Start(Symbol),
    Minus(Box<Node>),
    Binary(char, Box<Node>, Box<Node>),
}

/// The values that quantities had when the step was set up, by name.
pub(super) type Starts = std::collections::BTreeMap<String, Value>;

/// The running program, from which quantities are read.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    /// What the user has chosen.
    pub(super) controls: &'a Controls,
    /// What runs.
    pub(super) report: &'a Report,
    /// The values at the beginning of the step.
    pub(super) starts: &'a Starts,
}

impl Expression {
    /// Parses an expression.
    ///
    /// # Errors
    /// One sentence on what is wrong and how to correct it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parser = Parser { rest: text.trim() };
        let node = parser.sum()?;
        if parser.rest.is_empty() {
            Ok(Self(node))
        } else {
            Err(format!("\"{}\" is unexpected in the expression \"{}\"", parser.rest, text.trim()))
        }
    }

    /// The value; `None` while a quantity in it has none, or if the result is not a finite number.
    pub(super) fn value(&self, source: Source<'_>) -> Option<Value> {
        match &self.0 {
            Node::Symbol(symbol) => symbol.read(source.controls, source.report),
            node => number(node, source).map(Value::Number),
        }
    }

    /// The value if it is a number.
    pub(super) fn number(&self, source: Source<'_>) -> Option<f64> {
        number(&self.0, source)
    }

    /// The symbol, if the expression is a single name.
    pub(super) fn symbol(&self) -> Option<Symbol> {
        if let Node::Symbol(symbol) = self.0 { Some(symbol) } else { None }
    }

    /// The unit, if the expression is a single name.
    pub fn unit(&self) -> &'static str {
        self.symbol().map_or("", Symbol::unit)
    }

    /// Every symbol in it, each with whether its value at the beginning of the step is meant.
    pub(super) fn symbols(&self) -> Vec<(Symbol, bool)> {
        let mut found = Vec::new();
        collect(&self.0, &mut found);
        found
    }

    /// An error if the expression is not a number.
    pub(super) fn must_be_a_number(&self) -> Result<(), String> {
        for (symbol, _) in self.symbols() {
            if let Values::Words(_) = symbol.values() {
                return Err(format!(
                    "\"{}\" is a word and not a number; a word can only be compared with = or !=",
                    symbol.name()
                ));
            }
        }
        Ok(())
    }
}

fn collect(node: &Node, found: &mut Vec<(Symbol, bool)>) {
    match node {
        Node::Number(_) => {}
        Node::Symbol(symbol) => found.push((*symbol, false)),
        Node::Start(symbol) => found.push((*symbol, true)),
        Node::Minus(inner) => collect(inner, found),
        Node::Binary(_, left, right) => {
            collect(left, found);
            collect(right, found);
        }
    }
}

fn number(node: &Node, source: Source<'_>) -> Option<f64> {
    let as_number = |value| if let Value::Number(number) = value { Some(number) } else { None };
    let value = match node {
        Node::Number(number) => *number,
        Node::Symbol(symbol) => as_number(symbol.read(source.controls, source.report)?)?,
        Node::Start(symbol) => as_number(source.starts.get(&symbol.name())?.clone())?,
        Node::Minus(inner) => -number(inner, source)?,
        Node::Binary(operator, left, right) => {
            let (left, right) = (number(left, source)?, number(right, source)?);
            match operator {
                '+' => left + right,
                '-' => left - right,
                '*' => left * right,
                _ => left / right,
            }
        }
    };
    value.is_finite().then_some(value)
}

struct Parser<'a> {
    rest: &'a str,
}

impl<'a> Parser<'a> {
    fn sum(&mut self) -> Result<Node, String> {
        let mut left = self.product()?;
        while let Some(operator) = self.operator(&['+', '-']) {
            left = Node::Binary(operator, Box::new(left), Box::new(self.product()?));
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<Node, String> {
        let mut left = self.factor()?;
        while let Some(operator) = self.operator(&['*', '/']) {
            left = Node::Binary(operator, Box::new(left), Box::new(self.factor()?));
        }
        Ok(left)
    }

    fn factor(&mut self) -> Result<Node, String> {
        if self.operator(&['-']).is_some() {
            return Ok(Node::Minus(Box::new(self.factor()?)));
        }
        if self.operator(&['(']).is_some() {
            let inner = self.sum()?;
            return self.closed(inner);
        }
        let word = self.word();
        if word.is_empty() {
            let found =
                if self.rest.is_empty() { "nothing follows".into() } else { format!("\"{}\" follows", self.rest) };
            return Err(format!("a number or the name of a quantity is missing where {found}"));
        }
        if word.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
            let read = word.parse().map(Node::Number);
            return read.map_err(|_| format!("\"{word}\" is not a number"));
        }
        if word == "start" && self.operator(&['(']).is_some() {
            let symbol = Symbol::named(self.word())?;
            return self.closed(Node::Start(symbol));
        }
        Symbol::named(word).map(Node::Symbol)
    }

    fn closed(&mut self, node: Node) -> Result<Node, String> {
        self.operator(&[')']).map(|_| node).ok_or_else(|| "a closing parenthesis is missing".to_owned())
    }

    /// The next character if it is one of these.
    fn operator(&mut self, operators: &[char]) -> Option<char> {
        let first = self.rest.chars().next().filter(|first| operators.contains(first))?;
        self.rest = self.rest[first.len_utf8()..].trim_start();
        Some(first)
    }

    /// The next number or name; empty if there is neither.
    fn word(&mut self) -> &'a str {
        let belongs = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
        let starts = self.rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '.');
        let end = if starts { self.rest.find(|c| !belongs(c)).unwrap_or(self.rest.len()) } else { 0 };
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        word
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::lessons::tests::with_source;

    #[test]
    fn expressions_are_computed_in_the_usual_order() {
        with_source(|source| {
            let value = |text: &str| Expression::parse(text).unwrap_or_else(|error| panic!("{error}")).number(source);
            assert_eq!(value("1 + 2 * 3 - 4 / 2"), Some(5.0));
            assert_eq!(value("(1 + 2) * -3"), Some(-9.0));
            assert_eq!(value("2 - 1 - 1"), Some(0.0));
            assert_eq!(value("0.5*4"), Some(2.0));
            assert_eq!(value("1 / 0"), None, "an infinite value is none");
            assert_eq!(value("particles / particles"), Some(1.0));
            assert_eq!(value("start(particles)"), None, "no value was kept at the beginning");
        });
    }

    #[test]
    fn a_wrong_expression_is_reported_with_what_is_wrong() {
        for (text, part) in [
            ("candidate", "candidates"),
            ("1 +", "missing"),
            ("(1 + 2", "parenthesis"),
            ("1 2", "\"2\" is unexpected"),
            ("start(nothing)", "\"nothing\""),
            ("1..2", "not a number"),
            ("", "missing"),
        ] {
            let error = Expression::parse(text).err().unwrap_or_else(|| panic!("{text:?} is accepted"));
            assert!(error.contains(part), "{text:?}: {error}");
        }
        let word = Expression::parse("search + 1").expect("it has the form of an expression");
        assert!(word.must_be_a_number().expect_err("a word").contains("\"search\""));
    }
}
