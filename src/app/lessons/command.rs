//! Script commands that walk lessons, for tests and pictures: they open a lesson, go through its steps, answer as a
//! reader would, and check what the program says.

use std::sync::{Arc, Mutex, PoisonError};

use super::records::StepRecord;
use super::{Condition, Lesson};
use crate::app::script_words::CommandInfo;

/// A command that walks a lesson.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::app) enum LessonCommand {
    /// Opens a lesson, given by name or folder, at its first step.
    Open(String),
    /// Leaves the lesson.
    Leave,
    /// Goes to a step.
    Step(StepWanted),
    /// Carries out the tasks of the step as "Show me how" does.
    Show,
    /// Answers the question of the step.
    Answer(AnswerWanted),
    /// Waits until a condition is true, and fails if it stays false.
    Expect(String),
    /// Keeps the present values and the answer of the step.
    Record(Records),
}

/// Which step is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::app) enum StepWanted {
    /// The step with this number, counted from 1.
    Number(usize),
    /// The next step.
    Next,
    /// The previous step.
    Previous,
}

/// Which answer is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::app) enum AnswerWanted {
    /// The right one: an option, or the present value.
    Right,
    /// Every wrong one: each wrong option, or numbers above and below the tolerance. Fails if one of them passes.
    Wrong,
    /// This name of an option, or this number.
    Text(String),
}

/// Where the values of steps are kept.
#[derive(Clone, Debug, Default)]
pub(in crate::app) struct Records(Arc<Mutex<Vec<StepRecord>>>);

impl PartialEq for Records {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Records {
    /// Adds the record of a step.
    pub(super) fn push(&self, record: StepRecord) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(record);
    }

    /// Everything that was recorded.
    pub(super) fn all(&self) -> Vec<StepRecord> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The commands of this file.
pub(in crate::app) const COMMANDS: &[CommandInfo<LessonCommand>] = &[
    CommandInfo::new("lesson", "lesson NAME|FOLDER|none", |words| {
        let name = words.everything("a lesson's name or folder")?;
        if name == "none" {
            return Ok(LessonCommand::Leave);
        }
        if let Err(errors) = Lesson::load(&name) {
            return Err(errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
        }
        Ok(LessonCommand::Open(name))
    }),
    CommandInfo::new("step", "step NUMBER|next|previous", |words| {
        let wanted = match words.rest {
            "next" => words.word("next").map(|_| StepWanted::Next)?,
            "previous" => words.word("previous").map(|_| StepWanted::Previous)?,
            _ => StepWanted::Number(words.number("the number of a step, counted from 1", 1.0)? as usize),
        };
        Ok(LessonCommand::Step(wanted))
    }),
    CommandInfo::new("show", "show", |_| Ok(LessonCommand::Show)),
    CommandInfo::new("answer", "answer right|wrong|OPTION|NUMBER", |words| {
        let wanted = match words.everything("an answer")?.as_str() {
            "right" => AnswerWanted::Right,
            "wrong" => AnswerWanted::Wrong,
            other => AnswerWanted::Text(other.to_owned()),
        };
        Ok(LessonCommand::Answer(wanted))
    }),
    CommandInfo::new("expect", "expect CONDITION", |words| {
        let text = words.everything("a condition")?;
        Condition::parse(&text)?;
        Ok(LessonCommand::Expect(text))
    }),
];
