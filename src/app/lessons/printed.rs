//! The printed lesson: one HTML page with pictures, questions, and the answers as the program computed them.
//!
//! The pictures and values come from the program itself: a script walks the lesson off screen, carries out its tasks,
//! and keeps the present values of every step.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::command::{LessonCommand, Records, StepWanted};
use super::interpolation::with_written;
use super::lesson::{Choice, Lesson, OptionText, StepText};
use super::markdown::html;
use super::records::StepRecord;
use super::{FIRST_LANGUAGE, LessonStep};
use crate::app::Script;
use crate::app::keystroke::Keystroke;
use crate::app::script::Line;
use crate::app::script_command::Command;

/// The style of the page, for the screen and for paper.
const STYLE: &str = include_str!("printed.css");

/// A picture of a step.
#[derive(Clone, Debug)]
pub struct PrintedPicture {
    /// Index of the step.
    pub step: usize,
    /// The PNG file.
    pub file: PathBuf,
}

/// A lesson that is being printed.
pub struct LessonPrint {
    lesson: Lesson,
    /// The name or folder by which it is opened.
    name: String,
    /// The values when a step begins, and when its tasks are carried out.
    before: Records,
    after: Records,
    /// The pictures, in the order of the steps.
    pub pictures: Vec<PrintedPicture>,
}

impl LessonPrint {
    /// A lesson that was loaded by that name or folder, before it was played.
    pub fn new(lesson: Lesson, name: &str) -> Self {
        Self {
            lesson,
            name: name.to_owned(),
            before: Records::default(),
            after: Records::default(),
            pictures: Vec::new(),
        }
    }

    /// The script that walks the lesson, takes the pictures into a folder, and keeps the values.
    ///
    /// # Errors
    /// When the key that hides the text of the lesson is unknown, which does not happen.
    pub fn script(&mut self, folder: &Path) -> Result<Script, String> {
        let mut commands = vec![
            Command::Lesson(LessonCommand::Open(self.name.clone())),
            // The page has the texts; the pictures show the rest of the window.
            Command::Key(Keystroke::named("t")?),
        ];
        let lesson = |command| Command::Lesson(command);
        for (place, step) in self.lesson.steps.iter().enumerate() {
            if place > 0 {
                commands.push(lesson(LessonCommand::Step(StepWanted::Next)));
            }
            commands.push(lesson(LessonCommand::Expect("step_ready = yes".into())));
            // The numbers of the first frames are still being measured.
            commands.push(Command::Wait(10));
            commands.push(lesson(LessonCommand::Record(self.before.clone())));
            if step.picture {
                let file = folder.join(format!("step_{:02}.png", place + 1));
                commands.push(Command::Shot(file.clone()));
                self.pictures.push(PrintedPicture { step: place, file });
            }
            if !step.tasks.is_empty() {
                commands.push(lesson(LessonCommand::Show));
                if !step.has_question() {
                    commands.push(lesson(LessonCommand::Expect("step_done = yes".into())));
                }
                commands.push(Command::Wait(10));
            }
            commands.push(lesson(LessonCommand::Record(self.after.clone())));
        }
        let lines = commands.into_iter().enumerate().map(|(place, command)| Line { number: place + 1, command });
        Ok(Script::of_lines(&format!("the lesson {}", self.lesson.name), lines.collect()))
    }

    /// The page. Without pictures and values, when the lesson was not played, values are left out.
    ///
    /// # Errors
    /// When a picture cannot be read.
    pub fn page(&self, circumstances: &str) -> std::io::Result<String> {
        let text = self.lesson.text(FIRST_LANGUAGE);
        let by_step = |records: &Records| -> BTreeMap<usize, StepRecord> {
            records.all().into_iter().map(|record| (record.step, record)).collect()
        };
        let (before, after) = (by_step(&self.before), by_step(&self.after));
        let mut page = String::new();
        let title = escaped(&text.title);
        let _ = write!(
            page,
            "<!DOCTYPE html>\n<html lang=\"{FIRST_LANGUAGE}\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n\
             <style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n<p class=\"note\">A lesson of Nearwater, about {} \
             minutes. {}</p>\n{}",
            self.lesson.minutes,
            escaped(circumstances),
            html(&with_record(&text.introduction, None)),
        );
        for (place, step) in self.lesson.steps.iter().enumerate() {
            let picture = self.pictures.iter().find(|picture| picture.step == place);
            write_step(&mut page, (place, step, &text.steps[place]), before.get(&place), picture)?;
        }
        page += "<h1 class=\"answers\">Answers</h1>\n";
        if after.is_empty() {
            page += "<p class=\"note\">This page was made without a graphics device, so it has no measured numbers: \
                     run the lesson in Nearwater to see them.</p>\n";
        }
        for (place, step) in self.lesson.steps.iter().enumerate().filter(|(_, step)| step.asks()) {
            write_answer(&mut page, (place, step, &text.steps[place]), after.get(&place));
        }
        page += "</body>\n</html>\n";
        Ok(page)
    }
}

/// Writes a step with its picture and its question.
fn write_step(
    page: &mut String,
    (place, step, text): (usize, &LessonStep, &StepText),
    record: Option<&StepRecord>,
    picture: Option<&PrintedPicture>,
) -> std::io::Result<()> {
    let written = |text: &str| html(&with_record(text, record));
    let heading = escaped(&text.heading);
    let _ = write!(page, "<section>\n<h2>{}. {heading}</h2>\n{}", place + 1, written(&text.body));
    if let Some(picture) = picture {
        let bytes = STANDARD.encode(std::fs::read(&picture.file)?);
        let _ = writeln!(page, "<img alt=\"{heading}\" src=\"data:image/png;base64,{bytes}\">");
    }
    if !text.tasks.is_empty() {
        page.push_str("<ul class=\"tasks\">\n");
        for task in &text.tasks {
            let _ = writeln!(page, "<li>{}</li>", written(task));
        }
        page.push_str("</ul>\n");
    }
    if step.has_question() {
        let _ = write!(page, "<div class=\"question\">\n{}", written(&text.question));
        if text.options.is_empty() {
            page.push_str("<p class=\"line\">Your answer:</p>\n");
        } else {
            page.push_str("<ol class=\"options\">\n");
            for option in &text.options {
                let _ = writeln!(page, "<li>{}</li>", written(&option.text));
            }
            page.push_str("</ol>\n");
        }
        page.push_str("</div>\n");
    }
    page.push_str("</section>\n");
    Ok(())
}

/// The answer of a step.
fn write_answer(page: &mut String, (place, step, text): (usize, &LessonStep, &StepText), record: Option<&StepRecord>) {
    let written = |text: &str| html(&with_record(text, record));
    let _ = writeln!(page, "<h3>{}. {}</h3>", place + 1, escaped(&text.heading));
    let truth = record.and_then(|record| record.truth.as_deref());
    if let Some(number) = &step.number {
        let unit = number.of.unit();
        let value = truth.map_or("as the program measures it".to_owned(), |truth| format!("{truth} {unit}"));
        let _ = writeln!(page, "<p><b>{}</b></p>", escaped(value.trim()));
    }
    if let Some(choice) = &step.choice {
        let is_right = |option: &OptionText| match choice {
            Choice::Options(right) => right.contains(&option.name),
            Choice::Live(_) => truth == Some(option.name.as_str()),
        };
        page.push_str("<ol class=\"options\">\n");
        for option in &text.options {
            let class = if is_right(option) { " class=\"right\"" } else { "" };
            let mark = if is_right(option) { "<b>Right.</b> " } else { "" };
            let _ = writeln!(page, "<li{class}>{mark}{}{}</li>", written(&option.text), written(&option.reason));
        }
        page.push_str("</ol>\n");
    }
    page.push_str(&written(&text.answer));
}

/// The text with the recorded values.
fn with_record(text: &str, record: Option<&StepRecord>) -> String {
    with_written(text, |value| record?.values.get(value).cloned())
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
