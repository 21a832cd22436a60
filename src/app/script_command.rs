//! The commands of a script in parsed form.

use std::path::PathBuf;

use bevy::input::mouse::MouseButton;
use bevy::math::{UVec2, Vec2};

use super::Controls;
use super::film::FilmOrder;
use super::keystroke::Keystroke;
use super::lessons::LessonCommand;
use super::script_words::Target;
use super::setup_command::SetupCommand;
use crate::fluid::Size;
use crate::search::SearchInfo;

/// One command.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Command {
    /// Waits for a number of frames.
    Wait(u32),
    /// Waits until the simulation has reached a time, s, counted from the scene's first frame.
    Water(f64),
    /// Waits until the laboratory has finished the requested measurement.
    Measured,
    /// Presses and releases a key.
    Key(Keystroke),
    /// Types text into the field with the keyboard focus.
    Type(String),
    /// Moves the pointer.
    Hover(Target),
    /// Moves the pointer, then presses and releases a button.
    Click(MouseButton, Target),
    /// Presses a button at the first position and releases it at the second, in logical pixels of the window.
    Drag(MouseButton, Vec2, Vec2),
    /// Turns the mouse wheel by a number of lines; positive is away from the user.
    Scroll(f32),
    /// Writes a picture of the whole window to a file.
    Shot(PathBuf),
    /// Records a video, or ends the one that is being recorded.
    Record(Option<FilmOrder>),
    /// Sets the size of the window, logical pixels.
    Size(UVec2),
    /// Sets the size of texts and buttons, percent.
    Scale(u16),
    /// Sets the seed of all random numbers.
    Seed(u64),
    /// Changes a setting of a search, given as `NAME=VALUE`.
    Set(String),
    /// Selects a search.
    Search(&'static SearchInfo),
    /// Opens a scene, given by name or RON file.
    Scene(String),
    /// Sets the number of particles.
    Particles(u32),
    /// Pauses the simulation if true, or resumes it.
    Pause(bool),
    /// Turns the oracle badge on if true, or off.
    Badge(bool),
    /// Sets up a view, a picked particle, the camera or a setting.
    Setup(SetupCommand),
    /// Walks a lesson.
    Lesson(LessonCommand),
    /// Destroys the graphics device, as a driver reset does.
    LoseDevice,
    /// Ends the app.
    Quit,
}

impl Command {
    /// Whether a lesson may contain it: commands for files, the window, the device and lessons themselves are excluded.
    pub(super) fn is_for_lessons(&self) -> bool {
        !matches!(
            self,
            Self::Shot(_)
                | Self::Record(_)
                | Self::Size(_)
                | Self::Scale(_)
                | Self::Seed(_)
                | Self::Lesson(_)
                | Self::LoseDevice
                | Self::Quit
        )
    }

    /// Whether it opens a scene.
    pub(super) fn opens_scene(&self) -> bool {
        matches!(self, Self::Scene(_))
    }
}

impl Controls {
    /// Carries out a command that sets a control of the panel or of the command line; other commands do nothing.
    pub(super) fn choose(&mut self, command: Command) {
        match command {
            Command::Record(order) => {
                self.film.recording = order.is_some();
                // The video that ends keeps its order until it is complete.
                self.film.order = order.or(self.film.order.take());
            }
            Command::Scale(percent) => self.ui_scale = percent,
            Command::Seed(seed) => self.change(|settings| settings.seed = seed),
            Command::Set(setting) => self.change(|settings| {
                // The setting is valid, because it was parsed when the script was read.
                let _ = settings.options.parse(&setting);
            }),
            Command::Search(search) => self.choose_search(search),
            Command::Scene(name) => self.load_scene(&name),
            Command::Particles(count) => self.change(|settings| settings.size = Size::Count(count)),
            Command::Pause(paused) => self.paused = paused,
            Command::Badge(on) => self.badge = Some(on),
            _ => {}
        }
    }
}
