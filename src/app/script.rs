//! The script language, which `docs/SCRIPTS.md` describes: a text file of commands for the app, one per line.
//!
//! This file defines the parsed form and reads a whole file; [`super::script_line`] parses one line. Everything that
//! can be checked without a device is checked here, before the app starts.

use std::path::Path;

use thiserror::Error;

use super::film::FilmOrder;
use super::script_command::Command;
use super::script_line::parse_line;
use super::window::WINDOW;
use crate::files::{check_writable, read_text};
use crate::video::VideoSettings;

/// Largest size of a script, bytes.
const LARGEST_FILE: u64 = 1 << 20;

/// A sequence of commands for the app. Empty in normal use.
#[derive(Clone, Debug, Default)]
pub struct Script {
    pub(super) lines: Vec<Line>,
    name: String,
}

/// A command and its line in the file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    /// Line number, counted from 1.
    pub(super) number: usize,
    pub(super) command: Command,
}

/// Why a script cannot be run: one sentence that names the file and the line.
#[non_exhaustive]
#[derive(Debug, Clone, Error, PartialEq, Eq)]
pub enum ScriptError {
    /// The file could not be read.
    #[error("the script {file} cannot be read: {reason}")]
    Unreadable {
        /// Its path.
        file: String,
        /// The message of the operating system.
        reason: String,
    },
    /// A line is invalid.
    #[error("{file}, line {line}: {reason}")]
    Line {
        /// The script's path.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong with the line, and how to correct it.
        reason: String,
    },
}

impl Script {
    /// Reads a script. Its pictures are written to the folder `pictures`, or to the script's own folder if that is
    /// `None`.
    ///
    /// # Errors
    /// When the file cannot be read, or a line of it is invalid.
    pub fn read(file: &Path, pictures: Option<&Path>) -> Result<Self, ScriptError> {
        let name = file.display().to_string();
        let text =
            read_text(file, LARGEST_FILE).map_err(|reason| ScriptError::Unreadable { file: name.clone(), reason })?;
        let beside = file.parent().unwrap_or(Path::new(""));
        Self::parse(&name, &text, pictures.unwrap_or(beside))
    }

    /// Parses the text of a script called `name`, whose pictures are written to the folder `pictures`.
    ///
    /// # Errors
    /// When a line is invalid.
    pub fn parse(name: &str, text: &str, pictures: &Path) -> Result<Self, ScriptError> {
        let mut lines: Vec<Line> = Vec::new();
        for (place, text) in text.lines().enumerate() {
            let number = place + 1;
            let wrong = |reason| ScriptError::Line { file: name.to_owned(), line: number, reason };
            let Some(mut command) = parse_line(text).map_err(wrong)? else { continue };
            if let Some(quit) = lines.iter().find(|line| line.command == Command::Quit) {
                return Err(wrong(format!("no command can follow quit, which is in line {}", quit.number)));
            }
            if let Command::Shot(file) = &mut command {
                *file = pictures.join(&*file);
                let same = lines.iter().find(|line| matches!(&line.command, Command::Shot(other) if other == file));
                if let Some(same) = same {
                    let name = file.display();
                    return Err(wrong(format!(
                        "{name} is already the picture of line {}; choose another name",
                        same.number
                    )));
                }
                check_writable(file).map_err(|error| wrong(error.to_string()))?;
            }
            if let Command::Record(order) = &mut command {
                let before = lines.iter().rev().find(|line| matches!(line.command, Command::Record(_)));
                check_record(order.as_mut(), before, pictures).map_err(wrong)?;
            }
            lines.push(Line { number, command });
        }
        Ok(Self { lines, name: name.to_owned() })
    }

    /// A script of these commands; `name` names it in messages.
    pub(super) fn of_lines(name: &str, lines: Vec<Line>) -> Self {
        Self { lines, name: name.to_owned() }
    }

    /// Whether the script has no commands.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The files of its pictures, in the order of the commands.
    pub fn pictures<'a>(&'a self) -> Vec<&'a Path> {
        let file = |line: &'a Line| if let Command::Shot(file) = &line.command { Some(file.as_path()) } else { None };
        self.lines.iter().filter_map(file).collect()
    }

    /// The error for a line whose command failed.
    pub(super) fn error(&self, line: usize, reason: String) -> ScriptError {
        ScriptError::Line { file: self.name.clone(), line, reason }
    }
}

/// Puts the video of a command into the folder `pictures`, and checks it; `before` is the last command of its kind.
fn check_record(order: Option<&mut FilmOrder>, before: Option<&Line>, pictures: &Path) -> Result<(), String> {
    let running = before.filter(|line| matches!(line.command, Command::Record(Some(_))));
    match (order, running) {
        (None, None) => Err("there is no video to stop; begin one with record FILE".to_owned()),
        (Some(_), Some(running)) => {
            Err(format!("the video of line {} is still being recorded; end it with record stop first", running.number))
        }
        (Some(order), None) => {
            order.file = pictures.join(&order.file);
            let settings = VideoSettings::new(order.file.clone(), order.size.unwrap_or(WINDOW));
            settings.and_then(|settings| settings.check()).map(drop).map_err(|error| error.to_string())
        }
        (None, Some(_)) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use bevy::input::mouse::MouseButton;
    use bevy::math::{UVec2, Vec2};

    use super::*;
    use crate::app::script_words::Target;

    fn parse(text: &str) -> Result<Vec<Line>, String> {
        let script = Script::parse("test.script", text, &std::env::temp_dir());
        script.map(|script| script.lines).map_err(|error| error.to_string())
    }

    #[test]
    fn every_command_is_read() {
        let text = "# a comment\n\nwait 3 # another\nwater 0.5\nmeasured\nkey shift+x\nkey #\ntype two # words\nclick \"One step\"\n\
                    click right 3 4.5\nhover \"#\"\ndrag middle 1 2 3 4\nscroll -2\nsize 640x400\nscale 150\nseed 9\n\
                    set cell-edge r\nset look-up 27 cells\nsearch green\nscene drop\nparticles 500\npause on\nbadge off\nlose-device\nshot a.png\n\
                    record a film.mp4 320x200\nrecord stop\nquit";
        let lines = parse(text).expect("every line is right");
        assert_eq!(lines[0], Line { number: 3, command: Command::Wait(3) });
        assert_eq!(lines.len(), 26);
        let order = FilmOrder { file: std::env::temp_dir().join("a film.mp4"), size: Some(UVec2::new(320, 200)) };
        assert_eq!(lines[23].command, Command::Record(Some(order)));
        assert_eq!(lines[5].command, Command::Type("two # words".into()));
        assert_eq!(lines[6].command, Command::Click(MouseButton::Left, Target::Label("One step".into())));
        assert_eq!(lines[7].command, Command::Click(MouseButton::Right, Target::Place(Vec2::new(3.0, 4.5))));
        assert_eq!(lines[15].command, Command::Set("look-up=27 cells".into()));
        assert_eq!(lines[22].command, Command::Shot(std::env::temp_dir().join("a.png")));
    }

    #[test]
    fn an_invalid_line_is_reported_with_its_number_and_a_correction() {
        for (text, parts) in [
            ("wait 1\nwiat 2", ["line 2: ", "\"wiat\"", "wait"]),
            ("wait", ["line 1: ", "wait", "frames"]),
            ("wait 0", ["line 1: ", "\"0\"", "1"]),
            ("key nothing", ["line 1: ", "\"nothing\"", "escape"]),
            ("click \"Open", ["line 1: ", "quotation mark", "\"Open"]),
            ("click 3", ["line 1: ", "X Y", "click"]),
            ("shot a.jpg", ["line 1: ", "a.jpg", ".png"]),
            ("shot a.png\nshot a.png", ["line 2: ", "a.png", "line 1"]),
            ("shot no/such/a.png", ["line 1: ", "no/such", "cannot write"]),
            ("record a.avi", ["line 1: ", "a.avi", ".mp4"]),
            ("record stop", ["line 1: ", "no video", "record FILE"]),
            ("record a.mp4\nrecord b.mp4", ["line 2: ", "line 1", "record stop"]),
            ("record a.mp4 8000x8000", ["line 1: ", "8000", "ffmpeg"]),
            ("scale 155", ["line 1: ", "155", "100"]),
            ("size 3x3", ["line 1: ", "3x3", "1280x800"]),
            ("search gren", ["line 1: ", "gren", "green"]),
            ("scene damn_break", ["line 1: ", "damn_break", "dam_break"]),
            ("set cell-edge 9r", ["line 1: ", "9r", "2r"]),
            ("pause maybe", ["line 1: ", "maybe", "on"]),
            ("wait 1 2", ["line 1: ", "\"2\"", "wait"]),
            ("quit\nwait 1", ["line 2: ", "quit", "line 1"]),
        ] {
            let error = parse(text).expect_err(text);
            for part in parts {
                assert!(error.contains(part), "{text:?} is reported as {error:?}, which does not contain {part:?}");
            }
        }
    }
}
