//! Walks through lessons: opens and leaves them, goes from step to step, and notices what the reader has done.

use std::sync::Arc;

use super::expression::Source;
use super::kept::KeptProgram;
use super::state::RunningLesson;
use super::{Lesson, LessonError};
use crate::app::setup_command::is_settled;
use crate::app::{Controls, Report};

/// Number of frames for which a value at the beginning of a step may be missing before the step begins without it.
const MOST_FRAMES_TO_START: u32 = 240;

impl Controls {
    /// Opens a lesson at the step where it was left, or at its first step if it was finished.
    pub fn open_lesson(&mut self, lesson: Arc<Lesson>, report: &Report) {
        let at = self.lessons.progress.get(&lesson.name).and_then(|progress| lesson.step_named(&progress.at));
        let finished = self.lessons.done_in(&lesson) == lesson.steps.len();
        let step = at.filter(|_| !finished).unwrap_or(0);
        self.open_lesson_at(lesson, step, report);
    }

    /// Opens a lesson at a step, and keeps the user's own scene and settings.
    pub fn open_lesson_at(&mut self, lesson: Arc<Lesson>, step: usize, report: &Report) {
        if self.lessons.running.is_none() {
            // The laboratory gives back what its examples have replaced.
            if self.lab.open {
                self.toggle_laboratory(report);
            }
            self.lessons.kept = Some(Box::new(KeptProgram::of(self)));
        }
        self.lessons.open = true;
        self.lessons.running = Some(RunningLesson::at(lesson, step));
        self.set_step_up(report);
    }

    /// Loads a lesson by name or folder and opens it.
    ///
    /// # Errors
    /// Everything that is wrong with the lesson.
    pub fn load_lesson(&mut self, name_or_folder: &str, report: &Report) -> Result<(), Vec<LessonError>> {
        let lesson = Arc::new(Lesson::load(name_or_folder)?);
        if !Lesson::names().contains(&lesson.name.as_str()) {
            self.lessons.own = Some(Arc::clone(&lesson));
        }
        self.open_lesson(lesson, report);
        Ok(())
    }

    /// Leaves the lesson, keeps its progress, and restores the user's own scene and settings.
    pub fn leave_lesson(&mut self, report: &Report) {
        self.lessons.running = None;
        self.lessons.play(Vec::new());
        if let Some(kept) = self.lessons.kept.take() {
            kept.restore(self, report);
        }
    }

    /// Sets the step up from any state of the program.
    pub fn set_step_up(&mut self, report: &Report) {
        let Some(running) = &mut self.lessons.running else { return };
        *running = RunningLesson::at(Arc::clone(&running.lesson), running.step);
        let lines = running.lesson.whole_setup(running.step);
        self.tidy_up(report);
        self.lessons.play(lines);
        self.note_step();
    }

    /// Goes to a step. The next step is set up on top of what the reader has done, any other from the last scene on.
    pub fn go_to_step(&mut self, step: usize, report: &Report) {
        let Some(running) = &mut self.lessons.running else { return };
        if step >= running.lesson.steps.len() {
            return;
        }
        let is_next = step == running.step + 1 && running.error.is_none();
        *running = RunningLesson::at(Arc::clone(&running.lesson), step);
        if is_next {
            let lines = running.current().setup.clone();
            self.lessons.play(lines);
            self.note_step();
        } else {
            self.set_step_up(report);
        }
    }

    /// Carries out the tasks of the step.
    pub fn show_me_how(&mut self) {
        let Some(running) = self.lessons.running.as_ref().filter(|running| !running.is_preparing()) else { return };
        let lines = running.current().show.clone();
        self.lessons.play(lines);
    }

    /// Reports that a line of the lesson could not be carried out.
    pub(in crate::app) fn fail_lesson(&mut self, line: usize, reason: &str) {
        self.lessons.played = self.lessons.plays;
        if let Some(running) = &mut self.lessons.running {
            running.error = Some(format!("{}, line {line}: {reason}", running.lesson.file));
        }
    }

    /// Keeps which step is shown.
    fn note_step(&mut self) {
        let Some(running) = &self.lessons.running else { return };
        let progress = self.lessons.progress.entry(running.lesson.name.clone()).or_default();
        progress.at.clone_from(&running.current().id);
    }

    /// Keeps that the step is done, if it is.
    fn note_done(&mut self) {
        let Some(running) = self.lessons.running.as_ref().filter(|running| running.is_done()) else { return };
        let progress = self.lessons.progress.entry(running.lesson.name.clone()).or_default();
        if !progress.done.contains(&running.current().id) {
            progress.done.push(running.current().id.clone());
        }
    }
}

/// Notices that a setup is finished and that tasks are done. Runs once a frame while a lesson is open.
pub fn update_lessons(controls: &mut Controls, report: &Report) {
    if controls.lessons.unfolds_after.is_some() && !controls.lessons.is_playing() {
        (controls.lessons.folded, controls.lessons.unfolds_after) = (false, None);
    }
    let Some(mut running) = controls.lessons.running.take() else { return };
    if !controls.lessons.is_playing() && is_settled(controls, report) {
        if running.is_setting_up
            && running.error.is_none()
            && let Some(refusal) = report.refusal()
        {
            running.error = Some(format!("the setup of this step was refused: {refusal}"));
        }
        keep_starts(&mut running, controls, report);
    }
    if !running.is_setting_up && running.error.is_none() && is_settled(controls, report) {
        let source = Source { controls, report, starts: &running.starts };
        let holds: Vec<bool> = running.current().tasks.iter().map(|task| task.holds(source)).collect();
        running.ticked.iter_mut().zip(holds).for_each(|(ticked, holds)| *ticked |= holds);
    }
    controls.lessons.running = Some(running);
    controls.note_done();
}

/// Keeps the values at the beginning of the step; the step begins when all are there.
fn keep_starts(running: &mut RunningLesson, controls: &Controls, report: &Report) {
    if !running.is_setting_up || running.error.is_some() {
        return;
    }
    let mut is_complete = true;
    let symbols: Vec<_> = running.current().tasks.iter().flat_map(super::Condition::symbols).collect();
    for (symbol, _) in symbols.into_iter().filter(|(_, of_start)| *of_start) {
        let value = symbol.read(controls, report);
        is_complete &= value.is_some();
        if let Some(value) = value {
            running.starts.insert(symbol.name(), value);
        }
    }
    running.frames += 1;
    running.is_setting_up = !is_complete && running.frames < MOST_FRAMES_TO_START;
}
