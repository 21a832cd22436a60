use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::pacing::Frame;
use super::toss::{Grip, Held};
use super::{Controls, Pacer, ProbeHistory, Report, Running, Speedometer, Toss, words};
use crate::depiction::{depict, has_drawable_cells, shown_field};
use crate::fluid::{Continuation, Push, Scene, Simulation};
use crate::gpu::{AdapterClass, Gpu, PassTimer, Phase, ShaderWatcher};
use crate::render::{ColorField, Drawn, Look};

/// Passes that a frame times: those of one step, and the drawing.
const TIMED_PASSES: u32 = 96;
/// Least time from one reading of the probes to the next.
const PROBES_EVERY: Duration = Duration::from_millis(50);
/// What reading them may take of the time, at most: one in so many.
const PROBES_SHARE: u32 = 12;
/// How often pairs are counted and particles looked at for the overlay: the count costs about as much as a step.
const SURVEY_EVERY: Duration = Duration::from_millis(700);
/// How long a shader file must rest before it is compiled: editors write in several goes.
const EDIT_REST: Duration = Duration::from_millis(150);
/// Seconds a frame may take on a program that plays a graphics card: it will not reach the display's rate, and asking
/// it for a little more water a frame costs nothing.
const SOFTWARE_FRAME: f64 = 0.08;

/// Longest step that is let through when somebody asks for more particles, ms.
const LONGEST_STEP: f64 = 2_000.0;

/// Owns the simulation and follows the controls: decides what a frame computes, records it, and reports. Knows
/// nothing of windows.
pub struct Driver {
    gpu: Arc<Gpu>,
    simulation: Option<Simulation>,
    scene: Option<Arc<Scene>>,
    timer: PassTimer,
    pacer: Pacer,
    speedometer: Speedometer,
    watcher: Option<ShaderWatcher>,
    edited: Option<Instant>,
    applied: u64,
    resets: u32,
    single_steps: u32,
    last_frame: Instant,
    last_survey: Option<Instant>,
    last_probing: Option<(Instant, Duration)>,
    saves: u32,
    tosses: u32,
    grip: Grip,
    /// Ms of waiting that a step with bodies takes, from the steps of the last frame that had some.
    waited: Option<f64>,
    stale: bool,
    plan: Plan,
}

/// What a frame computes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Time steps.
    pub steps: u32,
    /// Whether densities are computed with nothing moved, since no step does it.
    pub densities: bool,
    /// Whether pairs are counted.
    pub survey: bool,
}

impl Driver {
    /// A driver with no simulation yet; the first [`Driver::follow`] makes it.
    pub fn new(gpu: &Arc<Gpu>, report: &mut Report) -> Self {
        let capabilities = &gpu.capabilities;
        report.adapter = format!("{} ({}, {:?})", capabilities.name, capabilities.class, capabilities.backend);
        report.has_timestamps = capabilities.has_timestamps();
        let watcher = gpu.shaders().folder().and_then(|folder| match ShaderWatcher::new(folder) {
            Ok(watcher) => Some(watcher),
            Err(error) => {
                report.shader_error = Some(format!("{} cannot be watched for edits: {error}", folder.display()));
                None
            }
        });
        Self {
            gpu: Arc::clone(gpu),
            simulation: None,
            scene: None,
            timer: PassTimer::new(gpu, TIMED_PASSES),
            pacer: Pacer::default(),
            speedometer: Speedometer::default(),
            watcher,
            edited: None,
            applied: 0,
            resets: 0,
            single_steps: 0,
            last_frame: Instant::now(),
            last_survey: None,
            last_probing: None,
            saves: 0,
            tosses: 0,
            grip: Grip::Open,
            waited: None,
            stale: true,
            plan: Plan::default(),
        }
    }

    /// The device everything runs on.
    pub fn gpu(&self) -> &Arc<Gpu> {
        &self.gpu
    }

    /// The timer of this frame, for the passes that draw.
    pub fn timer(&mut self) -> &mut PassTimer {
        &mut self.timer
    }

    /// Makes the simulation what the controls ask for; on refusal the old one runs on, and the report says why.
    pub fn follow(&mut self, controls: &Controls, report: &mut Report) {
        if self.applied != controls.revision {
            self.applied = controls.revision;
            let outcome = self.refuse_to_hang(controls, report).and_then(|()| self.apply(controls));
            report.applied = controls.revision;
            match outcome {
                Ok(continuation) => {
                    report.refused = None;
                    self.pacer.restart();
                    report.timings.clear();
                    report.survey = None;
                    self.last_survey = None;
                    // A state holds densities already, and sorting it would change what the next step does.
                    self.stale = continuation.is_none();
                    if let Some(continuation) = continuation {
                        report.tell(continuation.to_string());
                    }
                }
                Err(refusal) => report.refused = Some(refusal),
            }
        }
        if self.resets != controls.resets {
            self.resets = controls.resets;
            if let Some(Err(error)) = self.simulation.as_mut().map(Simulation::reset) {
                report.refused = Some(error.to_string());
            }
            self.stale = true;
        }
        if self.saves != controls.saves {
            self.saves = controls.saves;
            self.save(Path::new(&controls.state_file), report);
        }
        if let Some(toss) = controls.toss.as_ref().filter(|toss| toss.number != self.tosses) {
            self.tosses = toss.number;
            self.throw(toss, report);
        }
        if let Some(simulation) = &mut self.simulation {
            pull(simulation, &mut self.grip, controls.push);
        }
    }

    fn throw(&mut self, toss: &Toss, report: &mut Report) {
        let Some(simulation) = &mut self.simulation else { return };
        let thrown = simulation.throw_body(&toss.body, toss.from);
        report.failure = thrown.err().map(|error| error.to_string());
        if report.failure.is_none() {
            report.timings.clear();
            self.stale = true;
        }
    }

    /// Saves the state between two frames: everything that was recorded has been handed to the device.
    fn save(&self, file: &Path, report: &mut Report) {
        let Some(simulation) = &self.simulation else { return };
        let saved = simulation.save_state().and_then(|state| state.write(file));
        report.failure = saved.err().map(|error| error.to_string());
        if report.failure.is_none() {
            report.tell(format!("the state is in {}: {}", file.display(), simulation.continuation()));
        }
    }

    /// Refuses a count whose steps would hold the window up, going by what a step takes now: the work grows with the
    /// number of particles, except for brute force, which refuses by itself.
    fn refuse_to_hang(&self, controls: &Controls, report: &Report) -> Result<(), String> {
        let (Some(running), Some(step)) = (&report.running, report.timings.step_milliseconds()) else { return Ok(()) };
        let Ok(wanted) = controls.settings.resolution(&controls.scene) else { return Ok(()) };
        let each = f64::from(step) / f64::from(running.resolution.particle_count.max(1));
        let predicted = each * f64::from(wanted.particle_count);
        if predicted <= LONGEST_STEP || wanted.particle_count <= running.resolution.particle_count {
            return Ok(());
        }
        Err(format!(
            "{} particles would take about {} s a step on {}, and the window would hang; it takes about {} here",
            words::count(wanted.particle_count.into()),
            words::number(predicted * 1e-3),
            self.gpu.capabilities.name,
            words::short_count((LONGEST_STEP / each) as u64),
        ))
    }

    /// Says how a run goes on, where it goes on from a state.
    fn apply(&mut self, controls: &Controls) -> Result<Option<Continuation>, String> {
        let state = controls.state_to_go_on_from();
        let same_scene = self.scene.as_ref().is_some_and(|scene| Arc::ptr_eq(scene, &controls.scene));
        let outcome = if let Some(simulation) = self.simulation.as_mut().filter(|_| same_scene) {
            match state {
                Some(state) => simulation.load_state(state).map(Some),
                None => simulation.change(&controls.settings).map(|()| None),
            }
        } else {
            let made = Simulation::new(&self.gpu, &controls.scene, &controls.settings);
            made.and_then(|mut simulation| {
                let continuation = state.map(|state| simulation.load_state(state)).transpose()?;
                self.simulation = Some(simulation);
                self.scene = Some(Arc::clone(&controls.scene));
                Ok(continuation)
            })
        };
        outcome.map_err(|error| error.to_string())
    }

    /// Whether somebody edited a shader and then left it alone for a moment.
    pub fn shaders_edited(&mut self) -> bool {
        if self.watcher.as_ref().is_some_and(ShaderWatcher::changed) {
            self.edited = Some(Instant::now());
        }
        let rested = self.edited.is_some_and(|edited| edited.elapsed() >= EDIT_REST);
        if rested {
            self.edited = None;
            self.gpu.forget_kernels();
        }
        rested
    }

    /// Makes the simulation's passes from the shader files as they are now.
    ///
    /// # Errors
    /// When one does not compile; the old passes stay in use.
    pub fn rebuild(&mut self) -> Result<(), String> {
        self.simulation.as_mut().map_or(Ok(()), Simulation::rebuild_pipelines).map_err(|error| error.to_string())
    }

    /// Takes in what the device has finished, and decides what this frame computes. `refresh` is how long the display
    /// shows a frame, s.
    pub fn plan(&mut self, controls: &Controls, refresh: f64, report: &mut Report) -> Plan {
        for frame in self.timer.collect(&self.gpu) {
            report.timings.push(&frame);
        }
        let now = Instant::now();
        let elapsed = (now - self.last_frame).as_secs_f64();
        self.last_frame = now;
        let Some(simulation) = &mut self.simulation else {
            self.plan = Plan::default();
            return self.plan;
        };
        if let Some(survey) = simulation.take_survey() {
            report.survey = Some(survey);
        }
        if controls.probes_open {
            read_probes(simulation, &mut self.last_probing, report);
        }
        let asked_singly = controls.single_steps.wrapping_sub(self.single_steps);
        self.single_steps = controls.single_steps;
        let time_step = f64::from(simulation.resolution().time_step);
        let steps = if controls.paused {
            asked_singly
        } else {
            let drawing = f64::from(report.timings.phase_milliseconds(Phase::Drawing));
            self.pacer.steps(&Frame {
                elapsed,
                time_step,
                slow_motion: controls.slow_motion,
                budget: if self.gpu.capabilities.class == AdapterClass::Software { SOFTWARE_FRAME } else { refresh },
                // With bodies a step is waited for, which costs more than its passes do.
                step: report.timings.step_milliseconds().map(|step| f64::from(step).max(self.waited.unwrap_or(0.0))),
                drawing,
            })
        };
        self.speedometer.frame(now, steps, time_step);
        let due = self.last_survey.is_none_or(|last| now - last >= SURVEY_EVERY);
        let moved = steps > 0 || self.stale;
        // The neighbor and candidate counts that particles are coloured by are the survey's.
        let field = shown_field(controls.field, simulation.scene());
        let survey = moved && (due || matches!(field, ColorField::NeighborCount | ColorField::CandidateCount));
        if survey {
            self.last_survey = Some(now);
        }
        self.plan = Plan { steps, densities: steps == 0 && self.stale, survey };
        self.stale = false;
        self.tell(steps, report);
        self.plan
    }

    fn tell(&self, steps: u32, report: &mut Report) {
        let (Some(simulation), Some(scene)) = (&self.simulation, &self.scene) else { return };
        report.running = Some(Running {
            scene: Arc::clone(scene),
            settings: simulation.settings().clone(),
            resolution: *simulation.resolution(),
            notices: simulation.notices().to_vec(),
            search_bytes: simulation.search_bytes(),
            has_drawable_cells: has_drawable_cells(simulation),
            body_count: simulation.scene().bodies.len(),
        });
        report.time = simulation.time();
        report.step_count = simulation.step_count();
        report.speed = self.speedometer.speed();
        if steps > 0 {
            report.steps_per_frame = steps;
        }
    }

    /// Records the planned passes. Only the last step is timed: timestamps stand at the borders of compute passes,
    /// and a pass for every dispatch of every step would cost more than it tells.
    pub fn record(&mut self, encoder: &mut wgpu::CommandEncoder) {
        let Some(simulation) = &mut self.simulation else { return };
        let begun = Instant::now();
        for step in 1..=self.plan.steps {
            let timer = (step == self.plan.steps).then_some(&mut self.timer);
            simulation.record_step(encoder, timer);
        }
        if self.plan.steps > 0 {
            let each = begun.elapsed().as_secs_f64() * 1e3 / f64::from(self.plan.steps);
            self.waited = (!simulation.scene().bodies.is_empty()).then_some(each);
        }
        if self.plan.densities {
            simulation.record_densities(encoder, Some(&mut self.timer));
        }
        if self.plan.survey {
            simulation.record_survey(encoder);
        }
    }

    /// Records the copy of this frame's timestamps; to be called after everything that is timed.
    pub fn resolve(&mut self, encoder: &mut wgpu::CommandEncoder) {
        self.timer.resolve(&self.gpu, encoder);
    }

    /// What a renderer draws, and how; `None` before there is a simulation.
    pub fn picture(&self, controls: &Controls) -> Option<(Look, Drawn<'_>)> {
        let simulation = self.simulation.as_ref()?;
        Some(depict(simulation, controls.depiction()))
    }
}

/// Lets the pointer drag what it began on: a body, or the water.
fn pull(simulation: &mut Simulation, grip: &mut Grip, push: Option<Push>) {
    let Some(Push { origin, direction, .. }) = push else {
        *grip = Grip::Open;
        simulation.drag_body(None);
        simulation.set_push(None);
        return;
    };
    if *grip == Grip::Open {
        *grip = Held::picked(simulation, origin, direction).map_or(Grip::Water, Grip::Body);
    }
    let held = if let Grip::Body(held) = grip { Some(held) } else { None };
    simulation.set_push(push.filter(|_| held.is_none()));
    simulation.drag_body(held.map(|held| held.pull(origin, direction)));
}

/// Reads the scene's probes where it is time to: they wait for the device, so the longer that takes the rarer they are.
fn read_probes(simulation: &Simulation, last: &mut Option<(Instant, Duration)>, report: &mut Report) {
    let scene = simulation.scene();
    if !report.probes.is_of(scene) {
        report.probes = Arc::new(ProbeHistory::of(scene));
    }
    let rested = last.is_none_or(|(at, took)| at.elapsed() >= PROBES_EVERY.max(took * PROBES_SHARE));
    if scene.probes.is_empty() || !rested || !report.probes.wants(simulation.time()) {
        return;
    }
    let begun = Instant::now();
    report.probe_error = Arc::make_mut(&mut report.probes).read(simulation).err().map(|error| error.to_string());
    *last = Some((begun, begun.elapsed()));
}
