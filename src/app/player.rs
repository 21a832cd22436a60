//! Runs a script: turns its commands, frame by frame, into input of keyboard and mouse and into changes of the
//! controls.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use bevy::input::{ButtonState, InputSystems};
use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_egui::EguiPreUpdateSet;

use super::failures::Failures;
use super::film::Film;
use super::keystroke::Keystroke;
use super::laboratory::is_measuring;
use super::lessons::{LessonCommand, obey};
use super::plugin::SharedGpu;
use super::script::{Line, Script};
use super::script_command::Command;
use super::script_line::parse_line;
use super::script_words::Target;
use super::setup_command::{Outcome, SetupCommand};
use super::{AppError, Controls, WaterReport, at_random, labels, pictures, synthetic_input};

/// Number of frames before a picture is taken, so that the effects of earlier commands are laid out and drawn. A
/// floating part of the panel, for example, is measured in its first frame and shown in its second.
const FRAMES_BEFORE_A_PICTURE: u32 = 3;
/// Number of frames that scrolling to a widget takes.
const FRAMES_OF_SCROLLING: u32 = 2;
/// Number of frames that a drag takes.
const FRAMES_OF_A_DRAG: u32 = 12;
/// Number of frames without a time step after which the command `water` fails, and without an answer of the simulation
/// after which a command that sets something up fails.
const MOST_STILL_FRAMES: u32 = 600;

/// Runs a script in an app, and logs the time until the app's first frame.
pub(super) struct PlayerPlugin {
    pub(super) script: Script,
    pub(super) failures: Failures,
    /// Whether the app ends with its script.
    pub(super) ends: bool,
    /// Whether lines at random follow.
    pub(super) is_random: bool,
}

/// For how long the simulation has taken no step.
#[derive(Default)]
struct Standstill {
    /// The simulation's step number.
    step: u64,
    /// Frames for which it has not changed.
    frames: u32,
}

#[derive(Resource)]
struct Playing {
    script: Script,
    lines: VecDeque<Line>,
    /// Number of the line to which `steps` belong.
    line: usize,
    steps: VecDeque<Step>,
    ends: bool,
    frame: u32,
    started: Instant,
    /// While `water` waits: how long the simulation has stood still.
    standstill: Standstill,
    /// The lines of the open lesson, which run before those of the script.
    aside: Aside,
}

/// Lines that a lesson runs.
#[derive(Default)]
struct Aside {
    /// Number of the playlist that runs or was run last.
    number: u32,
    lines: VecDeque<Line>,
    /// Number of the line to which `steps` belong.
    line: usize,
    steps: VecDeque<Step>,
}

/// A part of a command.
#[derive(Clone, Debug)]
enum Step {
    /// Changes the controls immediately.
    Choose(Command),
    /// Waits for a number of frames.
    Frames(u32),
    /// Waits until the simulation has reached a time, s.
    Water(f64),
    /// Waits until the requested measurement is finished.
    Measured,
    /// Presses or releases a key.
    Key(Keystroke, ButtonState),
    /// Moves the pointer.
    Move(Vec2),
    /// Scrolls until a widget is visible.
    Reveal(String),
    /// Moves the pointer onto a widget.
    MoveTo(String),
    /// Presses or releases a mouse button.
    Button(MouseButton, ButtonState),
    /// Turns the mouse wheel.
    Wheel(f32),
    /// Requests a picture.
    Shot(PathBuf),
    /// Waits until a picture is written; with the number of frames for which the command has waited.
    Written(Arc<AtomicBool>, u32),
    /// Waits until a video is being recorded, or until none is; likewise.
    Recording(bool, u32),
    /// Sets something up; with the number of frames for which the command has waited.
    Setup(SetupCommand, u32),
    /// Walks a lesson; likewise.
    Lesson(LessonCommand, u32),
    /// Destroys the graphics device.
    LoseDevice,
    /// Ends the app.
    Quit,
}

/// What follows a step.
enum Then {
    /// The next step, in the same frame.
    Next,
    /// The next step, in the next frame.
    NextFrame,
    /// The same step again, in the next frame.
    Again,
}

impl Plugin for PlayerPlugin {
    fn build(&self, app: &mut App) {
        app.insert_resource(self.failures.clone())
            .insert_resource(Playing {
                lines: self.script.lines.iter().cloned().collect(),
                script: self.script.clone(),
                line: 0,
                steps: VecDeque::new(),
                ends: self.ends,
                frame: 0,
                started: Instant::now(),
                standstill: Standstill::default(),
                aside: Aside::default(),
            })
            .add_systems(PreUpdate, play.before(InputSystems));
        if !self.script.is_empty() || self.is_random {
            app.add_systems(PreUpdate, labels::prepare_contexts.in_set(EguiPreUpdateSet::InitContexts));
        }
    }
}

/// Runs the steps of this frame.
fn play(world: &mut World) {
    world.resource_scope(|world, mut playing: Mut<Playing>| {
        playing.frame += 1;
        if playing.frame == 2 {
            info!("first frame after {:.2} s", playing.started.elapsed().as_secs_f64());
        }
        if world.resource::<Failures>().any() {
            world.write_message(AppExit::error());
            return;
        }
        if let Err(reason) = playing.frame(world) {
            // Whoever uses the app at random goes on after a refusal, as users do.
            if at_random::refuse(world, &reason) {
                playing.steps.clear();
                return;
            }
            let error = playing.script.error(playing.line, reason);
            world.resource::<Failures>().note(AppError::Script(error));
            world.write_message(AppExit::error());
        }
    });
}

impl Playing {
    fn frame(&mut self, world: &mut World) -> Result<(), String> {
        loop {
            if self.lesson_takes_the_frame(world) {
                return Ok(());
            }
            let Some(step) = self.steps.pop_front() else {
                self.add_random_line(world)?;
                let Some(Line { number, command }) = self.lines.pop_front() else {
                    if self.ends && !self.script.is_empty() {
                        world.write_message(AppExit::Success);
                    }
                    return Ok(());
                };
                self.line = number;
                self.steps = steps_of(command);
                continue;
            };
            let then = self.take(step.clone(), world)?;
            match then {
                Then::Next => {}
                Then::NextFrame => return Ok(()),
                Then::Again => {
                    self.steps.push_front(step);
                    return Ok(());
                }
            }
        }
    }

    /// Adds a line at the end of the script if the app is used at random.
    fn add_random_line(&mut self, world: &mut World) -> Result<(), String> {
        if self.lines.is_empty()
            && let Some(line) = at_random::next_line(world)
            && let Some(command) = parse_line(&line)?
        {
            self.lines.push_back(Line { number: self.line + 1, command });
        }
        Ok(())
    }

    /// Runs the lines that the open lesson requested. Returns whether they need another frame. An error becomes the
    /// message of the lesson's step and ends the lines.
    fn lesson_takes_the_frame(&mut self, world: &mut World) -> bool {
        let wanted = world.resource::<Controls>().lessons.play.clone();
        let Some(wanted) = wanted.filter(|_| world.resource::<Controls>().lessons.is_playing()) else { return false };
        if self.aside.number != wanted.number {
            let lines = wanted.lines.iter().cloned().collect();
            self.aside = Aside { number: wanted.number, lines, ..Aside::default() };
            labels::list_widgets(world);
        }
        loop {
            let Some(step) = self.aside.steps.pop_front() else {
                let Some(Line { number, command }) = self.aside.lines.pop_front() else {
                    world.resource_mut::<Controls>().lessons.played = wanted.number;
                    return false;
                };
                self.aside.line = number;
                self.aside.steps = steps_of(command);
                continue;
            };
            // A step may put what is left of it before the steps of its own queue.
            std::mem::swap(&mut self.steps, &mut self.aside.steps);
            let then = self.take(step.clone(), world);
            std::mem::swap(&mut self.steps, &mut self.aside.steps);
            match then {
                Ok(Then::Next) => {}
                Ok(Then::NextFrame) => return true,
                Ok(Then::Again) => {
                    self.aside.steps.push_front(step);
                    return true;
                }
                Err(reason) => {
                    let line = self.aside.line;
                    world.resource_mut::<Controls>().fail_lesson(line, &reason);
                    return false;
                }
            }
        }
    }

    fn take(&mut self, step: Step, world: &mut World) -> Result<Then, String> {
        match step {
            Step::Setup(command, frames) => {
                let report = world.resource::<WaterReport>().lock().clone();
                match command.obey(&mut world.resource_mut::<Controls>(), &report)? {
                    Outcome::Done => Ok(Then::Next),
                    Outcome::Again => {
                        self.wait_on(Step::Setup(command, frames + 1), frames, "the simulation does not answer")
                    }
                }
            }
            Step::Lesson(command, frames) => {
                let report = world.resource::<WaterReport>().lock().clone();
                match obey(&command, &mut world.resource_mut::<Controls>(), &report, frames)? {
                    Outcome::Done => Ok(Then::NextFrame),
                    Outcome::Again => {
                        self.steps.push_front(Step::Lesson(command, frames + 1));
                        Ok(Then::NextFrame)
                    }
                }
            }
            Step::Choose(command) => {
                choose(command, world);
                Ok(Then::Next)
            }
            Step::Frames(frames) => {
                if frames > 1 {
                    self.steps.push_front(Step::Frames(frames - 1));
                }
                Ok(if frames == 0 { Then::Next } else { Then::NextFrame })
            }
            Step::Water(seconds) => self.wait_for_water(seconds, world),
            Step::Measured => {
                let is_running = is_measuring(world.resource::<Controls>(), &world.resource::<WaterReport>().lock());
                Ok(if is_running { Then::Again } else { Then::Next })
            }
            Step::Key(stroke, state) => {
                synthetic_input::key(world, &stroke, state);
                Ok(Then::NextFrame)
            }
            Step::Move(place) => {
                synthetic_input::move_pointer(world, place);
                Ok(Then::NextFrame)
            }
            Step::Reveal(label) => {
                if let Err(reason) = labels::reveal(world, &label) {
                    // A lesson may hide the panel with the widget, or the user may have folded or filtered away its
                    // section.
                    let mut controls = world.resource_mut::<Controls>();
                    if !controls.lessons.make_room() && !controls.panel.show_everything() {
                        return Err(reason);
                    }
                    self.steps.push_front(Step::Reveal(label));
                    self.steps.push_front(Step::Frames(FRAMES_OF_SCROLLING));
                }
                Ok(Then::NextFrame)
            }
            Step::MoveTo(label) => {
                let place = labels::place_of(world, &label)?;
                synthetic_input::move_pointer(world, place);
                Ok(Then::NextFrame)
            }
            Step::Button(button, state) => {
                synthetic_input::button(world, button, state);
                Ok(Then::NextFrame)
            }
            Step::Wheel(lines) => {
                synthetic_input::wheel(world, lines);
                Ok(Then::NextFrame)
            }
            Step::Shot(file) => {
                let is_written = pictures::take(world, &file)?;
                self.steps.push_front(Step::Written(is_written, 0));
                Ok(Then::NextFrame)
            }
            Step::Written(is_written, frames) => {
                if is_written.load(Ordering::Relaxed) {
                    return Ok(Then::Next);
                }
                self.wait_on(Step::Written(is_written, frames + 1), frames, "the device does not deliver the picture")
            }
            Step::Recording(wanted, frames) => {
                if world.resource::<Film>().is_recording() == wanted {
                    return Ok(Then::Next);
                }
                let late = if wanted { "the video does not begin" } else { "the video does not end" };
                self.wait_on(Step::Recording(wanted, frames + 1), frames, late)
            }
            Step::LoseDevice => {
                if let Some(gpu) = &world.resource::<SharedGpu>().0 {
                    gpu.device.destroy();
                    // wgpu reports the loss when the device is polled.
                    let _ = gpu.wait();
                }
                Ok(Then::NextFrame)
            }
            Step::Quit => {
                world.write_message(AppExit::Success);
                Ok(Then::NextFrame)
            }
        }
    }

    /// Takes `step` in the next frame, unless the command has waited for too many frames already.
    fn wait_on(&mut self, step: Step, frames: u32, late: &str) -> Result<Then, String> {
        if frames > MOST_STILL_FRAMES {
            return Err(format!("{late} within {MOST_STILL_FRAMES} frames; see the messages in the window"));
        }
        self.steps.push_front(step);
        Ok(Then::NextFrame)
    }

    fn wait_for_water(&mut self, seconds: f64, world: &World) -> Result<Then, String> {
        let controls = world.resource::<Controls>();
        let (time, steps, is_followed) = {
            let report = world.resource::<WaterReport>().lock();
            (report.time, report.step_count, report.applied == controls.revision)
        };
        // Before the driver has applied the last change, the reported time is that of the old simulation.
        if time >= seconds && is_followed {
            self.standstill = Standstill::default();
            return Ok(Then::Next);
        }
        if controls.paused {
            return Err(format!(
                "the simulation is paused at {time:.3} s and never reaches {seconds} s; add \"pause off\" before this \
                 line"
            ));
        }
        let frames = if self.standstill.step == steps { self.standstill.frames + 1 } else { 1 };
        self.standstill = Standstill { step: steps, frames };
        if frames > MOST_STILL_FRAMES {
            return Err(format!("the simulation has stopped at {time:.3} s and never reaches {seconds} s"));
        }
        Ok(Then::Again)
    }
}

/// The steps of a command. Each step that sends input takes a frame, as input of a user takes at least one.
fn steps_of(command: Command) -> VecDeque<Step> {
    let both = [ButtonState::Pressed, ButtonState::Released];
    match command {
        Command::Wait(frames) => [Step::Frames(frames)].into(),
        Command::Water(seconds) => [Step::Water(seconds)].into(),
        // A click before this command takes effect in the frame after it.
        Command::Measured => [Step::Frames(2), Step::Measured].into(),
        Command::Key(stroke) => both.map(|state| Step::Key(stroke.clone(), state)).into(),
        Command::Type(text) => text
            .chars()
            .map(Keystroke::typing)
            .flat_map(|stroke| both.map(|state| Step::Key(stroke.clone(), state)))
            .collect(),
        Command::Hover(target) => moves_to(target),
        Command::Click(button, target) => {
            let mut steps = moves_to(target);
            steps.extend(both.map(|state| Step::Button(button, state)));
            steps
        }
        Command::Drag(button, from, to) => {
            let mut steps = VecDeque::from([Step::Move(from), Step::Button(button, ButtonState::Pressed)]);
            let place = |frame| from.lerp(to, frame as f32 / FRAMES_OF_A_DRAG as f32);
            steps.extend((1..=FRAMES_OF_A_DRAG).map(|frame| Step::Move(place(frame))));
            steps.push_back(Step::Button(button, ButtonState::Released));
            steps
        }
        Command::Scroll(lines) => [Step::Wheel(lines)].into(),
        Command::Shot(file) => [Step::Frames(FRAMES_BEFORE_A_PICTURE), Step::Shot(file)].into(),
        Command::Record(order) => {
            let starts = order.is_some();
            [Step::Choose(Command::Record(order)), Step::Recording(starts, 0)].into()
        }
        Command::Setup(command) => [Step::Setup(command, 0)].into(),
        Command::Lesson(command) => [Step::Lesson(command, 0)].into(),
        Command::LoseDevice => [Step::LoseDevice].into(),
        Command::Quit => [Step::Quit].into(),
        command => [Step::Choose(command)].into(),
    }
}

fn moves_to(target: Target) -> VecDeque<Step> {
    match target {
        Target::Place(place) => [Step::Move(place)].into(),
        // The tree of widgets is that of the previous frame, so widgets that the last command opened appear a frame
        // later.
        Target::Label(label) => [
            Step::Frames(FRAMES_OF_SCROLLING),
            Step::Reveal(label.clone()),
            Step::Frames(FRAMES_OF_SCROLLING),
            Step::MoveTo(label),
        ]
        .into(),
    }
}

/// Applies a command that sets a control of the panel or of the command line.
fn choose(command: Command, world: &mut World) {
    if let Command::Size(size) = command {
        let mut windows = world.query_filtered::<&mut Window, With<PrimaryWindow>>();
        if let Ok(mut window) = windows.single_mut(world) {
            window.resolution.set(size.x as f32, size.y as f32);
        }
        return;
    }
    world.resource_mut::<Controls>().choose(command);
}
