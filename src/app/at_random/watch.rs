//! Watches the app while it is used at random: the device reports no error, particles stay finite, in the box and
//! complete, the badge finds no wrong neighbor, the simulation answers, lines and frames end, and neither memory nor
//! handles grow.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::time::{Duration, Instant};

use bevy::prelude::*;

use super::RandomUse;
use crate::app::failures::Failures;
use crate::app::setup_command::is_settled;
use crate::app::{AppError, Controls, Report, WaterReport};
use crate::soak::{Growth, Usage};

/// Longest time that a frame may take. On a software adapter, opening a scene compiles for some seconds.
const LONGEST_FRAME: Duration = Duration::from_secs(90);
/// Most frames in a row in which the simulation does not run as the controls say.
const MOST_UNSETTLED: u32 = 900;
/// Most frames in which a line is carried out; a command that gets no answer gives up after 600.
const MOST_FRAMES_OF_A_LINE: u64 = 1_500;

/// Generations after which the growth of memory is judged. An app has many parts, which are used for the first time
/// during an hour.
const FEWEST_GENERATIONS: usize = 24;
/// Frames after which a verdict of the badge is no longer about what the laboratory has shown.
const FRAMES_AFTER_LABORATORY: u32 = 60;

/// What was done and found so far.
#[derive(Resource)]
pub(super) struct Watch {
    random: RandomUse,
    file: Option<File>,
    lines: u64,
    refused: u64,
    frames: u64,
    /// The frame in which the line began.
    line_began: u64,
    /// Frames in a row in which the simulation did not run as the controls say.
    unsettled: u32,
    /// Frames since the laboratory was open.
    since_laboratory: u32,
    began: Instant,
    frame: Option<Instant>,
    slowest: Duration,
    /// The line during which the slowest frame was.
    slowest_line: String,
    line: String,
    growth: Growth,
    failure: Option<String>,
    is_over: bool,
}

impl Watch {
    pub(super) fn new(random: RandomUse) -> Self {
        let file = OpenOptions::new().create(true).write(true).truncate(true).open(&random.lines);
        let failure = file.as_ref().err().map(|error| format!("{} cannot be written: {error}", random.lines.display()));
        Self {
            random,
            file: file.ok(),
            lines: 0,
            refused: 0,
            frames: 0,
            line_began: 0,
            unsettled: 0,
            since_laboratory: 0,
            began: Instant::now(),
            frame: None,
            slowest: Duration::ZERO,
            slowest_line: String::new(),
            line: String::new(),
            growth: Growth::judged_after(FEWEST_GENERATIONS),
            failure,
            is_over: false,
        }
    }

    /// Whether no further line is to begin. A frame may carry out several lines, so that this is asked before each.
    pub(super) fn is_over(&self) -> bool {
        self.is_over || (self.random.is_over)(self.lines)
    }

    /// Notes the line that is about to be carried out. It is written at once, since the process may end in it.
    pub(super) fn begin(&mut self, line: &str) {
        self.lines += 1;
        self.line_began = self.frames;
        line.clone_into(&mut self.line);
        if let Some(file) = &mut self.file
            && let Err(error) = writeln!(file, "{line}")
        {
            self.failure = Some(format!("{} cannot be written: {error}", self.random.lines.display()));
        }
    }

    pub(super) fn refuse(&mut self, reason: &str) {
        self.refused += 1;
        if let Some(file) = &mut self.file {
            // A comment of the script; if it cannot be written, the next line reports it.
            let _ = writeln!(file, "# refused: {reason}");
        }
    }

    /// Notes what the process holds at the end of a generation.
    pub(super) fn note(&mut self) {
        let usage = Usage::now();
        let held = usage
            .map_or_else(String::new, |usage| format!("; {} MiB, {} handles", usage.resident >> 20, usage.handles));
        (self.random.tell)(&format!("{}{held}", self.summary()));
        if let Some(usage) = usage {
            self.growth.note(usage);
        }
        if let Some(fault) = self.growth.fault() {
            self.failure.get_or_insert(fault);
        }
    }

    fn summary(&self) -> String {
        format!(
            "{} lines, {} of them refused, {} frames in {:.0} s; the slowest frame took {:.1} s, during \"{}\"",
            self.lines,
            self.refused,
            self.frames,
            self.began.elapsed().as_secs_f64(),
            self.slowest.as_secs_f64(),
            self.slowest_line
        )
    }

    /// Judges the time that the last frame took, and the number of frames of the line.
    fn judge_frame(&mut self) {
        self.frames += 1;
        if self.frames > self.line_began + MOST_FRAMES_OF_A_LINE {
            self.failure.get_or_insert(format!("the line did not end within {MOST_FRAMES_OF_A_LINE} frames"));
        }
        let now = Instant::now();
        let Some(took) = self.frame.replace(now).map(|before| now - before) else { return };
        if took > self.slowest {
            self.slowest = took;
            self.slowest_line.clone_from(&self.line);
        }
        if took > LONGEST_FRAME {
            self.failure.get_or_insert(format!("a frame took {:.0} s", took.as_secs_f64()));
        }
    }

    fn judge_settling(&mut self, controls: &Controls, report: &Report) {
        self.unsettled = if is_settled(controls, report) { 0 } else { self.unsettled + 1 };
        if self.unsettled > MOST_UNSETTLED {
            self.failure
                .get_or_insert(format!("the simulation did not do what was asked for in {MOST_UNSETTLED} frames"));
        }
    }
}

/// Judges a frame, and ends the app when something is wrong or time is over.
pub(super) fn watch(
    mut watch: ResMut<Watch>,
    controls: Res<Controls>,
    report: Res<WaterReport>,
    failures: Res<Failures>,
    mut exits: MessageWriter<AppExit>,
) {
    if watch.is_over {
        return;
    }
    watch.judge_frame();
    {
        let report = report.lock();
        watch.judge_settling(&controls, &report);
        watch.since_laboratory = if controls.lab.open { 0 } else { watch.since_laboratory.saturating_add(1) };
        if let Some(fault) = fault_of(&report, watch.since_laboratory < FRAMES_AFTER_LABORATORY) {
            watch.failure.get_or_insert(fault);
        }
    }
    if let Some(reason) = watch.failure.take() {
        watch.is_over = true;
        failures.note(AppError::RandomUse { reason, line: watch.line.clone(), lines: watch.random.lines.clone() });
        exits.write(AppExit::error());
    } else if (watch.random.is_over)(watch.lines) {
        watch.is_over = true;
        (watch.random.tell)(&watch.summary());
        exits.write(AppExit::Success);
    }
}

/// What is wrong with the running simulation, if anything. The laboratory may show a search that is wrong on purpose.
fn fault_of(report: &Report, is_in_laboratory: bool) -> Option<String> {
    let is_fault = |error: &&String| error.contains("reported an error");
    if let Some(error) = report.device_error.as_ref().filter(is_fault) {
        return Some(error.clone());
    }
    // With an edited shader everything may be wrong.
    if !report.code.in_use.is_empty() || report.code.has_written {
        return None;
    }
    if let Some(verdict) = report.badge.wrong.as_ref().filter(|_| !is_in_laboratory) {
        return Some(format!("the badge found wrong neighbors: {verdict:?}"));
    }
    let (survey, running) = (report.survey.as_ref()?, report.running.as_ref()?);
    if survey.loops_cut {
        return None;
    }
    let count = running.resolution.particle_count;
    if survey.not_finite == 0 && survey.outside == 0 && survey.present <= count {
        return None;
    }
    let [low, high] = report.hands.walls;
    Some(format!(
        "of {} particles, where at most {count} are expected, {} are not finite and {} outside of the box from {low} to \
         {high}, in {} with {} at {:.4} s",
        survey.present,
        survey.not_finite,
        survey.outside,
        running.scene.name,
        running.scene.solver.name(),
        report.time
    ))
}
