//! Parses one line of a script.

use std::path::{Path, PathBuf};

use bevy::input::mouse::MouseButton;
use bevy::math::{UVec2, Vec2};

use super::keystroke::Keystroke;
use super::script_command::{Command, Target};
use super::settings::UI_SCALES;
use super::{lessons, setup_command};
use crate::fluid::Scene;
use crate::gpu::nearest_names;
use crate::search::{SearchOptions, search_named};

/// A command: its name, its syntax, and the function that parses the rest of its line.
pub(super) type CommandInfo = (&'static str, &'static str, fn(&mut Words<'_>) -> Result<Command, String>);

/// The commands of keyboard and mouse, of waiting and of the command line; [`every_command`] adds the others.
const COMMANDS: &[CommandInfo] = &[
    ("wait", "wait FRAMES", |words| {
        words.number("a number of frames of at least 1", 1.0).map(|n| Command::Wait(n as u32))
    }),
    ("water", "water SECONDS", |words| words.number("a simulated time of at least 0 s", 0.0).map(Command::Water)),
    ("key", "key NAME", |words| Ok(Command::Key(Keystroke::named(words.word("a key")?)?))),
    ("type", "type TEXT", |words| words.everything("a text").map(Command::Type)),
    ("click", "click [left|right|middle] X Y, or click \"Label\"", |words| {
        let button = words.button();
        Ok(Command::Click(button, words.target()?))
    }),
    ("hover", "hover X Y, or hover \"Label\"", |words| words.target().map(Command::Hover)),
    ("drag", "drag [left|right|middle] X1 Y1 X2 Y2", |words| {
        let button = words.button();
        Ok(Command::Drag(button, words.place()?, words.place()?))
    }),
    ("scroll", "scroll LINES", |words| words.number("a number of lines", f64::MIN).map(|n| Command::Scroll(n as f32))),
    ("shot", "shot FILE.png", |words| {
        let file = words.everything("a file")?;
        let is_png = Path::new(&file).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png"));
        if is_png {
            Ok(Command::Shot(PathBuf::from(file)))
        } else {
            Err(format!("the name of a picture must end in .png, but \"{file}\" does not"))
        }
    }),
    ("size", "size WxH", |words| parse_size(words.word("a size")?).map(Command::Size)),
    ("scale", "scale PERCENT", |words| {
        let word = words.word("a percentage")?;
        let known = word.parse().ok().filter(|percent| UI_SCALES.contains(percent));
        let all = || UI_SCALES.map(|percent| percent.to_string()).join(", ");
        known.map(Command::Scale).ok_or_else(|| format!("the scale must be one of {} percent, not \"{word}\"", all()))
    }),
    ("seed", "seed NUMBER", |words| {
        let word = words.word("an integer")?;
        word.parse().map(Command::Seed).map_err(|_| format!("a seed must be an integer, not \"{word}\""))
    }),
    ("set", "set NAME VALUE", |words| {
        let (name, value) = (words.word("a setting")?, words.everything("a value")?);
        if name.contains('.') {
            return setup_command::solver_setting(name, &value);
        }
        let setting = format!("{name}={value}");
        SearchOptions::default().parse(&setting).map_err(|error| error.to_string())?;
        Ok(Command::Set(setting))
    }),
    ("search", "search NAME", |words| {
        search_named(words.word("a search")?).map(Command::Search).map_err(|error| error.to_string())
    }),
    ("scene", "scene NAME", |words| {
        let name = words.everything("a scene's name or RON file")?;
        Scene::load(&name).map_err(|error| error.to_string())?;
        Ok(Command::Scene(name))
    }),
    ("particles", "particles COUNT", |words| {
        words.number("a number of particles of at least 1", 1.0).map(|n| Command::Particles(n as u32))
    }),
    ("pause", "pause on|off", |words| words.switch("pause").map(Command::Pause)),
    ("badge", "badge on|off", |words| words.switch("badge").map(Command::Badge)),
    ("measured", "measured", |_| Ok(Command::Measured)),
    ("lose-device", "lose-device", |_| Ok(Command::LoseDevice)),
    ("quit", "quit", |_| Ok(Command::Quit)),
];

fn every_command() -> impl Iterator<Item = &'static CommandInfo> {
    [COMMANDS, setup_command::COMMANDS, lessons::COMMANDS].into_iter().flatten()
}

/// Parses the command of a line; `None` if the line is empty or a comment.
pub(super) fn parse_line(line: &str) -> Result<Option<Command>, String> {
    let line = line.trim();
    let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    if name.is_empty() || name.starts_with('#') {
        return Ok(None);
    }
    let names = || every_command().map(|(name, ..)| *name);
    let Some((_, usage, read)) = every_command().find(|(known, ..)| *known == name) else {
        let nearest = nearest_names(name, names()).join(", ");
        let all: Vec<_> = names().collect();
        let meant = if nearest.is_empty() { String::new() } else { format!("did you mean {nearest}? ") };
        return Err(format!("there is no command \"{name}\"; {meant}the commands are: {}", all.join(", ")));
    };
    // In these commands a number sign is text to type or a key, not a comment.
    let rest = if name == "type" || name == "key" { rest.trim() } else { without_comment(rest) };
    let mut words = Words { rest, usage };
    let command = read(&mut words)?;
    match words.rest {
        "" => Ok(Some(command)),
        more => Err(format!("\"{more}\" is unexpected; the syntax is {usage}")),
    }
}

/// The text before a number sign that follows a space and is outside quotation marks.
fn without_comment(text: &str) -> &str {
    let mut quoted = false;
    let mut before = ' ';
    for (place, character) in text.char_indices() {
        match character {
            '"' => quoted = !quoted,
            '#' if !quoted && before.is_whitespace() => return text[..place].trim(),
            _ => {}
        }
        before = character;
    }
    text.trim()
}

/// The rest of a line that is being parsed.
pub(super) struct Words<'a> {
    rest: &'a str,
    usage: &'static str,
}

impl<'a> Words<'a> {
    /// The rest of the line that was not read yet.
    pub(super) fn rest(&self) -> &'a str {
        self.rest
    }

    /// The next word; `what` describes it for the error message.
    pub(super) fn word(&mut self, what: &str) -> Result<&'a str, String> {
        let (word, rest) = self.rest.split_once(char::is_whitespace).unwrap_or((self.rest, ""));
        self.rest = rest.trim_start();
        if word.is_empty() { Err(format!("{what} is missing; the syntax is {}", self.usage)) } else { Ok(word) }
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
            Err(format!("{what} is missing; the syntax is {}", self.usage))
        } else {
            Ok(rest.to_owned())
        }
    }

    /// A number of at least `least`. With a `least` of 1 it is a count and must be an integer.
    pub(super) fn number(&mut self, what: &str, least: f64) -> Result<f64, String> {
        let word = self.word(what)?;
        let counts = least >= 1.0;
        let fits = |number: &f64| {
            number.is_finite()
                && *number >= least
                && (!counts || (number.fract() == 0.0 && *number <= f64::from(u32::MAX)))
        };
        let number = word.parse::<f64>().ok().filter(fits);
        number.ok_or_else(|| format!("\"{word}\" is not {what}; the syntax is {}", self.usage))
    }

    /// A mouse button; the left one if none is named.
    fn button(&mut self) -> MouseButton {
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
    fn place(&mut self) -> Result<Vec2, String> {
        let what = "a position X Y in pixels of the window";
        Ok(Vec2::new(self.number(what, 0.0)? as f32, self.number(what, 0.0)? as f32))
    }

    /// A position, or a label in quotation marks.
    fn target(&mut self) -> Result<Target, String> {
        let Some(quoted) = self.rest.strip_prefix('"') else { return self.place().map(Target::Place) };
        let (label, rest) = quoted
            .split_once('"')
            .filter(|(label, _)| !label.trim().is_empty())
            .ok_or_else(|| format!("a label must be enclosed in quotation marks, but {} is not", self.rest))?;
        self.rest = rest.trim_start();
        Ok(Target::Label(label.to_owned()))
    }
}

fn parse_size(text: &str) -> Result<UVec2, String> {
    crate::render::parse_size(text).map_err(|right| format!("\"{text}\" is not a size; {right}"))
}
