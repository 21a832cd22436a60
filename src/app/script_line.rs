//! Parses one line of a script.

use std::path::{Path, PathBuf};

use bevy::math::UVec2;

use super::film::FilmOrder;
use super::keystroke::Keystroke;
use super::script_command::Command;
use super::script_words::{CommandInfo, Words};
use super::settings::UI_SCALES;
use super::setup_command::SetupCommand;
use super::{hands, lessons, setup_command};
use crate::fluid::Scene;
use crate::gpu::nearest_names;
use crate::search::{SearchOptions, search_named};
use crate::video::VideoSettings;

/// The commands of keyboard and mouse, of waiting and of the command line; [`every_command`] adds the others.
const COMMANDS: &[CommandInfo<Command>] = &[
    CommandInfo::new("wait", "wait FRAMES", |words| {
        words.number("a number of frames of at least 1", 1.0).map(|n| Command::Wait(n as u32))
    }),
    CommandInfo::new("water", "water SECONDS", |words| {
        words.number("a simulated time of at least 0 s", 0.0).map(Command::Water)
    }),
    CommandInfo::new("key", "key NAME", |words| Ok(Command::Key(Keystroke::named(words.word("a key")?)?))),
    CommandInfo::new("type", "type TEXT", |words| words.everything("a text").map(Command::Type)),
    CommandInfo::new("click", "click [left|right|middle] X Y, or click \"Label\"", |words| {
        let button = words.button();
        Ok(Command::Click(button, words.target()?))
    }),
    CommandInfo::new("hover", "hover X Y, or hover \"Label\"", |words| words.target().map(Command::Hover)),
    CommandInfo::new("drag", "drag [left|right|middle] X1 Y1 X2 Y2", |words| {
        let button = words.button();
        Ok(Command::Drag(button, words.place()?, words.place()?))
    }),
    CommandInfo::new("scroll", "scroll LINES", |words| {
        words.number("a number of lines", f64::MIN).map(|n| Command::Scroll(n as f32))
    }),
    CommandInfo::new("shot", "shot FILE.png", |words| {
        let file = words.everything("a file")?;
        let is_png = Path::new(&file).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png"));
        if is_png {
            Ok(Command::Shot(PathBuf::from(file)))
        } else {
            Err(format!("the name of a picture must end in .png, but \"{file}\" does not"))
        }
    }),
    CommandInfo::new("record", "record FILE [WxH], or record stop", |words| {
        let words = words.everything("a file, or stop")?;
        if words == "stop" {
            return Ok(Command::Record(None));
        }
        let sized = words.rsplit_once(char::is_whitespace).map(|(file, size)| (file.trim_end(), parse_size(size)));
        let (file, size) = match sized {
            Some((file, Ok(size))) => (file, Some(size)),
            _ => (words.as_str(), None),
        };
        let file = PathBuf::from(file);
        VideoSettings::new(file.clone(), UVec2::ONE).map_err(|error| error.to_string())?;
        Ok(Command::Record(Some(FilmOrder { file, size })))
    }),
    CommandInfo::new("size", "size WxH", |words| parse_size(words.word("a size")?).map(Command::Size)),
    CommandInfo::new("scale", "scale PERCENT", |words| {
        let word = words.word("a percentage")?;
        let known = word.parse().ok().filter(|percent| UI_SCALES.contains(percent));
        let all = || UI_SCALES.map(|percent| percent.to_string()).join(", ");
        known.map(Command::Scale).ok_or_else(|| format!("the scale must be one of {} percent, not \"{word}\"", all()))
    }),
    CommandInfo::new("seed", "seed NUMBER", |words| {
        let word = words.word("an integer")?;
        word.parse().map(Command::Seed).map_err(|_| format!("a seed must be an integer, not \"{word}\""))
    }),
    CommandInfo::new("set", "set NAME VALUE", |words| {
        let (name, value) = (words.word("a setting")?, words.everything("a value")?);
        if name.contains('.') {
            return setup_command::solver_setting(name, &value).map(Command::Setup);
        }
        let setting = format!("{name}={value}");
        SearchOptions::default().parse(&setting).map_err(|error| error.to_string())?;
        Ok(Command::Set(setting))
    }),
    CommandInfo::new("search", "search NAME", |words| {
        search_named(words.word("a search")?).map(Command::Search).map_err(|error| error.to_string())
    }),
    CommandInfo::new("scene", "scene NAME", |words| {
        let name = words.everything("a scene's name or RON file")?;
        Scene::load(&name).map_err(|error| error.to_string())?;
        Ok(Command::Scene(name))
    }),
    CommandInfo::new("particles", "particles COUNT", |words| {
        words.number("a number of particles of at least 1", 1.0).map(|n| Command::Particles(n as u32))
    }),
    CommandInfo::new("pause", "pause on|off", |words| words.switch("pause").map(Command::Pause)),
    CommandInfo::new("badge", "badge on|off", |words| words.switch("badge").map(Command::Badge)),
    CommandInfo::new("measured", "measured", |_| Ok(Command::Measured)),
    CommandInfo::new("lose-device", "lose-device", |_| Ok(Command::LoseDevice)),
    CommandInfo::new("quit", "quit", |_| Ok(Command::Quit)),
];

/// Reads the arguments of a line whose command is in one of the tables; `None` if it is in another one.
fn parse_from<C>(
    table: &'static [CommandInfo<C>],
    name: &str,
    rest: &str,
    wrap: fn(C) -> Command,
) -> Option<Result<Command, String>> {
    let info = table.iter().find(|info| info.name == name)?;
    let mut words = Words { rest, syntax: info.syntax };
    let command = (info.parse)(&mut words);
    Some(command.and_then(|command| match words.rest {
        "" => Ok(wrap(command)),
        more => Err(format!("\"{more}\" is unexpected; the syntax is {}", info.syntax)),
    }))
}

/// The names of all commands.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let own = COMMANDS.iter().map(|info| info.name);
    own.chain(setup_command::COMMANDS.iter().map(|info| info.name))
        .chain(hands::COMMANDS.iter().map(|info| info.name))
        .chain(lessons::COMMANDS.iter().map(|info| info.name))
}

/// Most characters of a command. Longer ones are not meant, and messages repeat what they refuse.
const LONGEST: usize = 1000;

/// Parses the command of a line; `None` if the line is empty or a comment.
pub(super) fn parse_line(line: &str) -> Result<Option<Command>, String> {
    let line = line.trim();
    let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    if name.is_empty() || name.starts_with('#') {
        return Ok(None);
    }
    let length = line.chars().count();
    if length > LONGEST {
        return Err(format!("the command has {length} characters, and at most {LONGEST} are allowed"));
    }
    // In these commands a number sign is text to type or a key, not a comment.
    let rest = if name == "type" || name == "key" { rest.trim() } else { without_comment(rest) };
    let command = parse_from(COMMANDS, name, rest, |command| command)
        .or_else(|| parse_from(setup_command::COMMANDS, name, rest, Command::Setup))
        .or_else(|| parse_from(hands::COMMANDS, name, rest, |command| Command::Setup(SetupCommand::Hands(command))))
        .or_else(|| parse_from(lessons::COMMANDS, name, rest, Command::Lesson));
    command.unwrap_or_else(|| Err(unknown(name))).map(Some)
}

/// The message for a command that does not exist.
fn unknown(name: &str) -> String {
    let nearest = nearest_names(name, names()).join(", ");
    let all: Vec<_> = names().collect();
    let meant = if nearest.is_empty() { String::new() } else { format!("did you mean {nearest}? ") };
    format!("there is no command \"{name}\"; {meant}the commands are: {}", all.join(", "))
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

fn parse_size(text: &str) -> Result<UVec2, String> {
    crate::render::parse_size(text).map_err(|right| format!("\"{text}\" is not a size; {right}"))
}

#[cfg(test)]
mod tests;
