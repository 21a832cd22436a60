//! Plays the lines of a lesson without a window, for hosts of the panel that do not run the script player: everything
//! except clicks, drags and typed text.

use super::state::LessonControls;
use crate::app::keyboard::name_of;
use crate::app::laboratory::is_measuring;
use crate::app::script::Line;
use crate::app::script_command::Command;
use crate::app::setup_command::Outcome;
use crate::app::{Action, Controls, Report};

impl Controls {
    /// Carries out the lines that the open lesson requested, as far as they need no more frames. Must be called in
    /// every frame, before [`update_lessons`](super::update_lessons). An error becomes the message of the step.
    pub fn play_lesson_without_a_window(&mut self, report: &Report) {
        while let Some(Line { number, command }) = self.lessons.next_line() {
            match self.obey_without_a_window(&command, report) {
                Ok(Outcome::Done) => self.lessons.drop_line(),
                Ok(Outcome::Again) => return,
                Err(reason) => self.fail_lesson(number, &reason),
            }
        }
    }

    fn obey_without_a_window(&mut self, command: &Command, report: &Report) -> Result<Outcome, String> {
        match command {
            Command::Setup(setup) => return setup.obey(self, report),
            Command::Key(stroke) => {
                let (code, key) = &stroke.key;
                let action = Action::of_key(&name_of(*code, key, !stroke.held.is_empty())).map(|(action, _)| action);
                let action = action.ok_or_else(|| "this key does nothing".to_owned())?;
                self.act(action, report);
            }
            Command::Water(seconds) if report.time < *seconds => return Ok(Outcome::Again),
            Command::Measured if is_measuring(self, report) => return Ok(Outcome::Again),
            Command::Wait(_) | Command::Water(_) | Command::Measured => {}
            Command::Click(..) | Command::Drag(..) | Command::Hover(_) | Command::Scroll(_) | Command::Type(_) => {
                return Err("this line needs the window of the app".to_owned());
            }
            command => self.choose(command.clone()),
        }
        Ok(Outcome::Done)
    }
}

impl LessonControls {
    /// The first line that is to be played; ends the playlist if there is none.
    fn next_line(&mut self) -> Option<Line> {
        if !self.is_playing() {
            return None;
        }
        let line = self.play.as_ref().and_then(|play| play.lines.first().cloned());
        if line.is_none() {
            self.played = self.plays;
        }
        line
    }

    /// Removes the first line.
    fn drop_line(&mut self) {
        if let Some(play) = &mut self.play {
            play.lines = play.lines.iter().skip(1).cloned().collect::<Vec<_>>().into();
        }
    }
}
