//! The words of a script's line: how commands declare their syntax and read their arguments.

use bevy::input::mouse::MouseButton;
use bevy::math::Vec2;

/// A command that a line of a script can give, and how the rest of its line is read.
pub(super) struct CommandInfo<C: 'static> {
    /// The first word of the line.
    pub name: &'static str,
    /// The whole line as a reader would write it.
    pub syntax: &'static str,
    /// Reads the arguments.
    pub parse: fn(&mut Words<'_>) -> Result<C, String>,
}

impl<C> CommandInfo<C> {
    /// A command with this name and syntax, which `parse` reads.
    pub(super) const fn new(
        name: &'static str,
        syntax: &'static str,
        parse: fn(&mut Words<'_>) -> Result<C, String>,
    ) -> Self {
        Self { name, syntax, parse }
    }
}

/// Target of a movement of the pointer.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Target {
    /// A position in logical pixels from the window's upper left corner.
    Place(Vec2),
    /// The widget with this label.
    Label(String),
}

/// The rest of a line that is being parsed.
pub(super) struct Words<'a> {
    /// What was not read yet.
    pub rest: &'a str,
    /// The syntax of the command, for error messages.
    pub syntax: &'static str,
}

impl<'a> Words<'a> {
    /// The next word; `what` describes it for the error message.
    pub(super) fn word(&mut self, what: &str) -> Result<&'a str, String> {
        let (word, rest) = self.rest.split_once(char::is_whitespace).unwrap_or((self.rest, ""));
        self.rest = rest.trim_start();
        if word.is_empty() { Err(format!("{what} is missing; the syntax is {}", self.syntax)) } else { Ok(word) }
    }

    /// The next word, which turns `what` on or off.
    pub(super) fn switch(&mut self, what: &str) -> Result<bool, String> {
        match self.word("on or off")? {
            "on" => Ok(true),
            "off" => Ok(false),
            other => Err(format!("{what} must be on or off, not \"{other}\"")),
        }
    }

    /// The rest of the line; `what` describes it for the error message.
    pub(super) fn everything(&mut self, what: &str) -> Result<String, String> {
        let rest = std::mem::take(&mut self.rest);
        if rest.is_empty() {
            Err(format!("{what} is missing; the syntax is {}", self.syntax))
        } else {
            Ok(rest.to_owned())
        }
    }

    /// A number of at least `least`, within the range of single precision. With a `least` of 1 it is a count and must
    /// be an integer.
    pub(super) fn number(&mut self, what: &str, least: f64) -> Result<f64, String> {
        let word = self.word(what)?;
        let counts = least >= 1.0;
        let fits = |number: &f64| {
            (*number as f32).is_finite()
                && *number >= least
                && (!counts || (number.fract() == 0.0 && *number <= f64::from(u32::MAX)))
        };
        let number = word.parse::<f64>().ok().filter(fits);
        number.ok_or_else(|| format!("\"{word}\" is not {what}; the syntax is {}", self.syntax))
    }

    /// The number of a thing, counted from 0.
    pub(super) fn index(&mut self, what: &str) -> Result<u32, String> {
        let word = self.word(what)?;
        word.parse().map_err(|_| format!("\"{word}\" is not {what}; the syntax is {}", self.syntax))
    }

    /// A mouse button; the left one if none is named.
    pub(super) fn button(&mut self) -> MouseButton {
        let (word, rest) = self.rest.split_once(char::is_whitespace).unwrap_or((self.rest, ""));
        let button = match word {
            "left" => MouseButton::Left,
            "right" => MouseButton::Right,
            "middle" => MouseButton::Middle,
            _ => return MouseButton::Left,
        };
        self.rest = rest.trim_start();
        button
    }

    /// A position in the window.
    pub(super) fn place(&mut self) -> Result<Vec2, String> {
        let what = "a position X Y in pixels of the window";
        Ok(Vec2::new(self.number(what, 0.0)? as f32, self.number(what, 0.0)? as f32))
    }

    /// A position, or a label in quotation marks.
    pub(super) fn target(&mut self) -> Result<Target, String> {
        let Some(quoted) = self.rest.strip_prefix('"') else { return self.place().map(Target::Place) };
        let (label, rest) = quoted
            .split_once('"')
            .filter(|(label, _)| !label.trim().is_empty())
            .ok_or_else(|| format!("a label must be enclosed in quotation marks, but {} is not", self.rest))?;
        self.rest = rest.trim_start();
        Ok(Target::Label(label.to_owned()))
    }
}
