//! The state of the lessons: which one is open, at which step, what the reader has done, and the progress that is kept.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use serde::{Deserialize, Serialize};

use super::expression::Starts;
use super::kept::KeptProgram;
use super::{FIRST_LANGUAGE, Lesson, LessonError, LessonStep, StepText};
use crate::app::script::Line;

/// The embedded lessons in their order, or what is wrong with them.
static EMBEDDED: LazyLock<Vec<Result<Arc<Lesson>, Vec<LessonError>>>> =
    LazyLock::new(|| Lesson::names().into_iter().map(|name| Lesson::load(name).map(Arc::new)).collect());

/// The progress in one lesson.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LessonProgress {
    /// Name of the step that was shown last.
    pub at: String,
    /// Names of the steps that are done.
    pub done: Vec<String>,
}

/// Everything about lessons that the user controls.
#[derive(Clone, Default)]
pub struct LessonControls {
    /// Whether the panel of the lessons is shown.
    pub open: bool,
    /// Whether the panel is folded to a bar with the buttons.
    pub folded: bool,
    /// Whether other panels were hidden in the last frame, because the window is too narrow for all.
    pub(super) is_crowded: bool,
    /// The playlist after which the panel unfolds, because it was folded only for its lines.
    pub(super) unfolds_after: Option<u32>,
    /// Language of the texts; empty for [`FIRST_LANGUAGE`].
    pub language: String,
    /// The lesson that is open; `None` shows the list.
    pub running: Option<RunningLesson>,
    /// The progress in each lesson, by its name.
    pub progress: BTreeMap<String, LessonProgress>,
    /// A lesson from a folder, listed after the embedded ones.
    pub own: Option<Arc<Lesson>>,
    /// Script lines that the player is to run, if their number is not that of `played`.
    pub(in crate::app) play: Option<Playlist>,
    /// Number of the last playlist that the player has finished.
    pub(in crate::app) played: u32,
    pub(super) plays: u32,
    /// The user's scene and settings from before the lesson.
    pub(super) kept: Option<Box<KeptProgram>>,
}

/// Script lines for the player.
#[derive(Clone)]
pub(in crate::app) struct Playlist {
    pub(in crate::app) number: u32,
    pub(in crate::app) lines: Arc<Vec<Line>>,
}

/// A lesson that is open.
#[derive(Clone)]
pub struct RunningLesson {
    /// The lesson.
    pub lesson: Arc<Lesson>,
    /// Index of the step.
    pub step: usize,
    /// Which tasks of the step are done.
    pub ticked: Vec<bool>,
    /// Whether the question was answered.
    pub answered: bool,
    /// Name of the option that was chosen last.
    pub chosen: Option<String>,
    /// Names of the options that were chosen and are wrong.
    pub tried: Vec<String>,
    /// The number that is being typed.
    pub draft: String,
    /// What the last answer was answered with.
    pub verdict: Option<Verdict>,
    /// Why the step could not be set up.
    pub error: Option<String>,
    /// Values at the beginning of the step.
    pub(super) starts: Starts,
    /// Whether the setup is still running.
    pub(super) is_setting_up: bool,
    /// Number of frames since the setup was finished.
    pub(super) frames: u32,
}

/// What an answer is answered with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether the answer is right.
    pub is_right: bool,
    /// Why, as Markdown with `{expression}`s.
    pub sentence: String,
}

impl RunningLesson {
    pub(super) fn at(lesson: Arc<Lesson>, step: usize) -> Self {
        let step = step.min(lesson.steps.len().saturating_sub(1));
        Self {
            ticked: vec![false; lesson.steps[step].tasks.len()],
            lesson,
            step,
            answered: false,
            chosen: None,
            tried: Vec::new(),
            draft: String::new(),
            verdict: None,
            error: None,
            starts: Starts::new(),
            is_setting_up: true,
            frames: 0,
        }
    }

    /// The step that is shown.
    pub fn current(&self) -> &LessonStep {
        &self.lesson.steps[self.step]
    }

    /// The texts of the step in a language.
    pub fn text(&self, language: &str) -> &StepText {
        &self.lesson.text(language).steps[self.step]
    }

    /// Whether everything that the step asks for is done. A step that asks for nothing is done when it is set up.
    pub fn is_done(&self) -> bool {
        !self.is_setting_up
            && self.error.is_none()
            && self.ticked.iter().all(|ticked| *ticked)
            && (self.answered || !self.current().has_question())
    }

    /// Whether the program still prepares the step.
    pub fn is_preparing(&self) -> bool {
        self.is_setting_up && self.error.is_none()
    }

    /// Whether the last step is shown.
    pub fn is_last(&self) -> bool {
        self.step + 1 == self.lesson.steps.len()
    }
}

impl LessonControls {
    /// All lessons in their order: the embedded ones, and the one that was opened from a folder.
    pub fn all(&self) -> Vec<Arc<Lesson>> {
        let embedded = EMBEDDED.iter().filter_map(|lesson| lesson.as_ref().ok().cloned());
        embedded.chain(self.own.clone()).collect()
    }

    /// What is wrong with embedded lessons; a test keeps this empty.
    pub fn errors() -> impl Iterator<Item = &'static LessonError> {
        EMBEDDED.iter().filter_map(|lesson| lesson.as_ref().err()).flatten()
    }

    /// The language of the texts.
    pub fn language(&self) -> &str {
        if self.language.is_empty() { FIRST_LANGUAGE } else { &self.language }
    }

    /// Number of steps of a lesson that are done.
    pub fn done_in(&self, lesson: &Lesson) -> usize {
        let done = self.progress.get(&lesson.name).map(|progress| progress.done.as_slice()).unwrap_or_default();
        lesson.steps.iter().filter(|step| done.contains(&step.id)).count()
    }

    /// Whether a step of a lesson is done.
    pub fn is_step_done(&self, lesson: &Lesson, step: usize) -> bool {
        let progress = self.progress.get(&lesson.name);
        progress.is_some_and(|progress| progress.done.contains(&lesson.steps[step].id))
    }

    /// Asks the player to run script lines; those that still run are dropped.
    pub(super) fn play(&mut self, lines: Vec<Line>) {
        self.plays += 1;
        self.play = Some(Playlist { number: self.plays, lines: Arc::new(lines) });
    }

    /// Folds the panel if it hides others, because a widget that is to be pressed may be in one of them. It unfolds
    /// when the player has run the lesson's lines. Returns whether it was folded.
    pub(in crate::app) fn make_room(&mut self) -> bool {
        if !self.open || self.folded || self.running.is_none() || !self.is_crowded {
            return false;
        }
        (self.folded, self.unfolds_after) = (true, self.is_playing().then_some(self.plays));
        true
    }

    /// Whether the player still runs lines for the lesson.
    pub(in crate::app) fn is_playing(&self) -> bool {
        self.played != self.plays
    }
}

impl std::fmt::Debug for LessonControls {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let running = self.running.as_ref().map(|running| (&running.lesson.name, running.step));
        formatter
            .debug_struct("LessonControls")
            .field("open", &self.open)
            .field("running", &running)
            .field("progress", &self.progress)
            .finish_non_exhaustive()
    }
}
