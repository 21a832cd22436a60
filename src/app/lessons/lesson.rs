//! A lesson as it was read: its steps, what they check, and its texts in every language.

use std::collections::BTreeMap;
use std::fmt::{Display, Formatter, Result as FormatResult};

use super::{Condition, Expression};
use crate::app::script::Line;

/// The language that every lesson has, and that is shown where it lacks the chosen one.
pub const FIRST_LANGUAGE: &str = "en";

/// A lesson.
#[derive(Clone)]
pub struct Lesson {
    /// Name of its folder.
    pub name: String,
    /// About how long it takes.
    pub minutes: u32,
    /// The steps, at least one; the texts have the same number.
    pub steps: Vec<LessonStep>,
    /// The texts by language; [`FIRST_LANGUAGE`] is among them.
    pub texts: BTreeMap<String, LessonText>,
    /// The path of `lesson.ron` in messages.
    pub(super) file: String,
}

/// A step: what it sets up and what it checks.
#[derive(Clone)]
pub struct LessonStep {
    /// Name in progress files and texts, unique in the lesson.
    pub id: String,
    /// Script lines that set the program up.
    pub(super) setup: Vec<Line>,
    /// Conditions that the reader makes true, each of which stays done once it was true.
    pub tasks: Vec<Condition>,
    /// Script lines that do what the step asks for.
    pub(super) show: Vec<Line>,
    /// The question with options.
    pub choice: Option<Choice>,
    /// The question for a number.
    pub number: Option<Number>,
    /// Whether the printed lesson has a picture of this step.
    pub picture: bool,
}

/// Which options of a question are right.
#[derive(Clone)]
pub enum Choice {
    /// The options with these names.
    Options(Vec<String>),
    /// The option whose name is the present value of a word quantity, for answers that depend on the device.
    Live(Expression),
}

/// A question for a number, which is compared with the running program.
#[derive(Clone)]
pub struct Number {
    /// The quantity, or a formula of quantities.
    pub of: Expression,
    /// The largest accepted difference as a share of the true value.
    pub tolerance: f64,
}

/// The texts of a lesson in one language. All are Markdown in which `{expression}` stands for a present value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LessonText {
    /// The title.
    pub title: String,
    /// What the lesson is about.
    pub introduction: String,
    /// The texts of the steps, in their order.
    pub steps: Vec<StepText>,
}

/// The texts of a step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepText {
    /// The heading.
    pub heading: String,
    /// The explanation.
    pub body: String,
    /// One text for each task.
    pub tasks: Vec<String>,
    /// The question; empty if the step has none.
    pub question: String,
    /// The options of a choice.
    pub options: Vec<OptionText>,
    /// What a wrong number is answered with, after whether it is too large or too small.
    pub hint: String,
    /// What is shown once the step is done.
    pub answer: String,
}

/// The texts of an option.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OptionText {
    /// Name in `lesson.ron`.
    pub name: String,
    /// The option.
    pub text: String,
    /// Why it is right or wrong, shown after it was chosen.
    pub reason: String,
}

/// What is wrong with a file of a lesson: one sentence with the file, the line and the remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LessonError {
    /// The file.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong, and how to correct it.
    pub reason: String,
}

impl Display for LessonError {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> FormatResult {
        write!(formatter, "{}, line {}: {}", self.file, self.line, self.reason)
    }
}

impl Lesson {
    /// The texts in a language, or in [`FIRST_LANGUAGE`] if the lesson is not translated.
    pub fn text(&self, language: &str) -> &LessonText {
        static EMPTY: LessonText = LessonText { title: String::new(), introduction: String::new(), steps: Vec::new() };
        self.texts.get(language).or_else(|| self.texts.get(FIRST_LANGUAGE)).unwrap_or(&EMPTY)
    }

    /// Index of the step with that name.
    pub fn step_named(&self, id: &str) -> Option<usize> {
        self.steps.iter().position(|step| step.id == id)
    }

    /// Script lines that set up a step from any state of the program: the setups since the last one that opens a scene.
    pub(super) fn whole_setup(&self, step: usize) -> Vec<Line> {
        let opens_scene = |step: &LessonStep| step.setup.iter().any(|line| line.command.opens_scene());
        let first = self.steps[..=step].iter().rposition(opens_scene).unwrap_or(0);
        self.steps[first..=step].iter().flat_map(|step| step.setup.iter().cloned()).collect()
    }
}

impl LessonStep {
    /// Whether the reader has to do or answer something.
    pub fn asks(&self) -> bool {
        !self.tasks.is_empty() || self.has_question()
    }

    /// Whether it asks a question.
    pub fn has_question(&self) -> bool {
        self.choice.is_some() || self.number.is_some()
    }

    /// Whether it can show the reader what to do.
    pub fn can_show(&self) -> bool {
        !self.show.is_empty()
    }
}
