//! A trial run of the app off screen against the clock, which measures how evenly it shows frames.
//!
//! There is no display off screen, so one is imitated: as with a window, the processor prepares a frame while the
//! device works on the one before it, and a frame is shown at the first refresh after the device has finished it. The
//! run begins with steady frames; then search, number of particles and scene are switched, and the frames after each
//! switch are measured too.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bevy::app::AppExit;
use bevy::prelude::*;

use crate::app::plugin::SharedGpu;
use crate::app::{Action, Controls, WaterReport};

/// Frames that are not measured at the start: the first ones compile shaders, and the number of steps settles.
const FRAMES_BEFORE: u32 = 90;
/// Frames that are measured after each switch.
const FRAMES_AFTER: u32 = 90;
/// Time between two questions whether the device has finished a frame.
const POLLED_EVERY: Duration = Duration::from_micros(200);
/// What is switched, in this order.
const SWITCHES: [(&str, Action); 6] = [
    ("next search", Action::NextSearch),
    ("the search after it", Action::NextSearch),
    ("half the particles", Action::HalveCount),
    ("twice the particles", Action::DoubleCount),
    ("next scene", Action::NextScene),
    ("the scene after it", Action::NextScene),
];

/// A trial run that is asked for.
#[derive(Clone, Copy, Debug)]
pub struct TrialRun {
    /// Number of steady frames.
    pub frames: u32,
    /// Refreshes of the imitated display per second.
    pub display: f64,
    /// Receives the result as soon as the steady frames are measured; its switches are empty.
    pub tell_steady: fn(&TrialResult),
    /// Receives the whole result before the app ends.
    pub tell_switches: fn(&TrialResult),
}

/// A measured frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrialFrame {
    /// Time from refresh to refresh, ms.
    pub shown_after: f64,
    /// Time that the processor needed for the frame and the device for the one before it, whichever took longer, ms.
    pub work: f64,
    /// Number of steps.
    pub steps: u64,
    /// Simulated time, s.
    pub simulated: f64,
}

/// The frames after a switch.
#[derive(Clone, Debug)]
pub struct TrialSwitch {
    /// What was switched.
    pub what: &'static str,
    /// What ran afterwards.
    pub runs: String,
    /// The frames, the first of which made the switch.
    pub frames: Vec<TrialFrame>,
}

/// The result of a trial run.
#[derive(Clone, Debug, Default)]
pub struct TrialResult {
    /// What ran.
    pub runs: String,
    /// The steady frames.
    pub steady: Vec<TrialFrame>,
    /// The switches.
    pub switches: Vec<TrialSwitch>,
}

/// Measures frames, and imitates the display.
pub(in crate::app) struct TrialRunPlugin {
    pub(in crate::app) run: TrialRun,
}

#[derive(Resource)]
struct Trial {
    run: TrialRun,
    /// When the first frame began; refreshes are counted from there.
    begun: Instant,
    /// When the current frame began.
    frame: Instant,
    /// Steps and simulated time at that moment.
    steps: u64,
    time: f64,
    number: u32,
    /// Becomes true when the device has finished the last frame.
    finished: Option<Arc<AtomicBool>>,
    result: TrialResult,
}

impl Plugin for TrialRunPlugin {
    fn build(&self, app: &mut App) {
        let now = Instant::now();
        app.insert_resource(Trial {
            run: self.run,
            begun: now,
            frame: now,
            steps: 0,
            time: 0.0,
            number: 0,
            finished: None,
            result: TrialResult::default(),
        })
        .add_systems(First, end_frame);
    }
}

/// Ends the frame that was just submitted: waits for the device and for the display, notes the times, and switches what
/// is due.
fn end_frame(
    mut trial: ResMut<Trial>,
    mut controls: ResMut<Controls>,
    report: Res<WaterReport>,
    gpu: Res<SharedGpu>,
    mut exit: MessageWriter<AppExit>,
) {
    let trial = &mut *trial;
    if let Some(gpu) = &gpu.0 {
        let finished = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&finished);
        gpu.queue.on_submitted_work_done(move || told.store(true, Ordering::Release));
        // The frame before is waited for by asking again and again: a wait needs the number of a submission, and an
        // empty submission that has one makes some drivers (Mesa's lavapipe) wait for everything before it.
        if let Some(before) = trial.finished.replace(finished) {
            while !before.load(Ordering::Acquire) {
                gpu.poll();
                if gpu.lost().is_some() {
                    exit.write(AppExit::error());
                    return;
                }
                std::thread::sleep(POLLED_EVERY);
            }
        }
    }
    let work = trial.frame.elapsed();
    let refresh = 1.0 / trial.run.display;
    let passed = trial.begun.elapsed().as_secs_f64();
    let next = trial.begun + Duration::from_secs_f64((passed / refresh).ceil().max(1.0) * refresh);
    std::thread::sleep(next.saturating_duration_since(Instant::now()));
    let report = report.lock();
    let frame = TrialFrame {
        shown_after: (next - trial.frame).as_secs_f64() * 1e3,
        work: work.as_secs_f64() * 1e3,
        steps: report.step_count.saturating_sub(trial.steps),
        simulated: (report.time - trial.time).max(0.0),
    };
    (trial.frame, trial.steps, trial.time) = (next, report.step_count, report.time);
    let after = trial.number.checked_sub(FRAMES_BEFORE);
    trial.number += 1;
    let Some(place) = after else { return };
    if place < trial.run.frames {
        trial.result.steady.push(frame);
    } else if let Some(switch) = trial.result.switches.last_mut() {
        switch.frames.push(frame);
    }
    let runs = || {
        let running = report.running.as_ref();
        running.map_or_else(String::new, |running| {
            let solver = running.settings.edits.applied_to(&running.scene).solver;
            format!(
                "{}: {} particles, {}, {}",
                running.scene.title,
                crate::format::count(running.resolution.particle_count.into()),
                solver.label(),
                running.settings.search.title
            )
        })
    };
    if place + 1 == trial.run.frames {
        trial.result.runs = runs();
        (trial.run.tell_steady)(&trial.result);
    }
    let Some(since) = (place + 1).checked_sub(trial.run.frames) else { return };
    if since.is_multiple_of(FRAMES_AFTER) {
        if let Some(last) = trial.result.switches.last_mut() {
            last.runs = runs();
        }
        if let Some(&(what, action)) = SWITCHES.get((since / FRAMES_AFTER) as usize) {
            trial.result.switches.push(TrialSwitch { what, runs: String::new(), frames: Vec::new() });
            controls.act(action, &report);
        } else {
            (trial.run.tell_switches)(&trial.result);
            exit.write(AppExit::Success);
        }
    }
}
