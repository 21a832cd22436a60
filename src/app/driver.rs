//! The side of the app that simulates: owns the simulation, follows the controls, plans and records frames, and
//! reports.

use std::collections::VecDeque;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use glam::Vec3;

use super::code::{EditTarget, LiveCode};
use super::hands::{self, HandsDriver};
use super::pacing::{Advance, Frame};
use super::playback::PlaybackDriver;
use super::solids::{SolidsDriver, WantedSolid};
use super::squeeze::SqueezeWatch;
use super::toss::{Grip, Held};
use super::{Controls, ExplainedValues, OrderEvent, Pacer, ProbeHistory, Report, Running, Speedometer, Toss, format};
use crate::depiction::{Depiction, depict, has_drawable_cells, shown_field};
use crate::fluid::{Continuation, EventRequest, EventWatch, FluidError, Push, Resolution, Scene, Simulation, Survey};
use crate::gpu::{AdapterClass, Gpu, GpuError, PassTimer, Phase, ShaderWatcher};
use crate::laboratory::check::CheckBench;
use crate::laboratory::{BadgeKeeper, Jobs, LimitsCard, MemoryOrder, PickFound, PickOrder, Stepping, Workbench};
use crate::pace::budget_at;
use crate::panic_report::{self, panic_on_purpose};
use crate::render::{
    CellEdges, ColorField, Cut, CutOutline, DrawStyle, Drawn, DrawnMarks, FieldNeeds, Look, SolidStyle,
};
use crate::search::most_tests;

/// Largest number of passes that a frame times: those of one step and of the drawing.
const TIMED_PASSES: u32 = 192;
/// Largest number of findings that wait for the app.
const MOST_FINDINGS: usize = 64;
/// Shortest time between two readings of the probes.
const PROBES_EVERY: Duration = Duration::from_millis(50);
/// The time between two readings is at least this many times the duration of a reading, so that readings take at most
/// this fraction of the time.
const PROBES_SHARE: u32 = 12;
/// Time between two surveys (counts of pairs and of invalid particles) for the overlay. A survey costs about as much as
/// a time step.
const SURVEY_EVERY: Duration = Duration::from_millis(700);
/// The same on software adapters, where a frame with a survey in place of its steps shows no motion.
const SOFTWARE_SURVEY_EVERY: Duration = Duration::from_secs(2);
/// How long an edited shader file must be unchanged before it is compiled, because editors write a file in several
/// steps.
const EDIT_REST: Duration = Duration::from_millis(150);
/// Longest predicted time step that is accepted when the user increases the number of particles, ms.
const LONGEST_STEP: f64 = 2_000.0;
/// Smallest number of particles from which the time of a step is scaled to others: the passes of fewer particles take a
/// fixed time, which says nothing about many.
const FEWEST_TO_SCALE: u32 = 4_096;

/// Owns the simulation and follows the controls: decides what a frame computes, records it, and reports. It does not
/// depend on Bevy or a window.
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
    started: Instant,
    last_frame: Instant,
    advance: Advance,
    squeeze: SqueezeWatch,
    last_survey: Option<Instant>,
    last_probing: Option<(Instant, Duration)>,
    saves: u32,
    tosses: u32,
    grip: Grip,
    hands: HandsDriver,
    /// Meshes of the app that are solids of the water.
    solids: SolidsDriver,
    /// Finds out what happens in the water.
    watch: EventWatch,
    /// What it is to find out.
    wanted_events: EventRequest,
    /// Why nothing is found out.
    event_error: Option<String>,
    /// Frames of a recording in place of time steps.
    playback: PlaybackDriver,
    /// Time of a step with bodies including the wait for its loads, ms, measured in the last frame with steps.
    waited: Option<f64>,
    stale: bool,
    plan: Plan,
    workbench: Workbench,
    jobs: Jobs,
    badge: BadgeKeeper,
    /// A time step that the laboratory runs pass by pass.
    stepping: Stepping,
    check: CheckBench,
    /// Whether the search's tables were built from the particles that are drawn.
    sorted: bool,
    /// Whether pairs were counted since the particles were last moved or sorted.
    surveyed: bool,
    /// Number of shuffles of the memory made so far.
    shuffles: u32,
    /// The interval of sorting in memory that was last set.
    resort_set: ResortSet,
    /// For each timed frame whose times have not arrived, the step that it timed; `None` if it timed no step.
    timed_steps: VecDeque<Option<u64>>,
    /// Largest number of candidates of a traversal with which the simulation may go on.
    most_candidates: f64,
    /// The user's own simulation, while the laboratory shows an example, and the number of the shader edits that its
    /// passes were made with.
    shelved: Option<(Arc<Scene>, Simulation, u64)>,
    code: LiveCode,
    /// Number of timed frames under way whose passes were made with other shaders.
    outdated_frames: usize,
}

/// The interval of sorting in memory that was set, and in which simulation.
#[derive(Clone, Copy, PartialEq, Eq)]
struct ResortSet {
    /// Build number of the simulation.
    build: u64,
    /// Steps between two sorts.
    interval: u64,
}

/// The work of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Number of time steps.
    pub steps: u32,
    /// Whether densities are computed without moving the particles, because the frame has no step that computes them.
    pub densities: bool,
    /// Whether pairs are counted.
    pub survey: bool,
    /// Whether the water is drawn at smoothed positions.
    pub smooths: bool,
}

/// After a panic, whichever thread it was in, the last state is saved beside its report, if there is still time for it.
impl Drop for Driver {
    fn drop(&mut self) {
        if panic_report::has_panicked()
            && let Some(file) = self.simulation.as_ref().and_then(panic_report::save_last_state)
        {
            let _ = writeln!(io::stderr(), "nearwater: the last state was saved to {}", file.display());
        }
    }
}

impl Driver {
    /// A driver without a simulation; the first [`Driver::follow`] creates it.
    pub fn new(gpu: &Arc<Gpu>, report: &mut Report) -> Self {
        let capabilities = &gpu.capabilities;
        report.adapter = format!("{} ({}, {:?})", capabilities.name, capabilities.class, capabilities.backend);
        report.has_timestamps = capabilities.has_timestamps();
        report.limits = Arc::new(LimitsCard::new(capabilities));
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
            started: Instant::now(),
            last_frame: Instant::now(),
            advance: Advance::Clock,
            squeeze: SqueezeWatch::default(),
            last_survey: None,
            last_probing: None,
            saves: 0,
            tosses: 0,
            grip: Grip::Open,
            hands: HandsDriver::default(),
            solids: SolidsDriver::default(),
            watch: EventWatch::default(),
            wanted_events: EventRequest::default(),
            event_error: None,
            playback: PlaybackDriver::default(),
            waited: None,
            stale: true,
            plan: Plan::default(),
            workbench: Workbench::default(),
            jobs: Jobs::default(),
            badge: BadgeKeeper::default(),
            stepping: Stepping::default(),
            check: CheckBench::default(),
            sorted: false,
            surveyed: false,
            shuffles: 0,
            resort_set: ResortSet { build: 0, interval: 1 },
            timed_steps: VecDeque::new(),
            most_candidates: most_tests(capabilities.class),
            shelved: None,
            code: LiveCode::default(),
            outdated_frames: 0,
        }
    }

    /// The device on which everything runs.
    pub fn gpu(&self) -> &Arc<Gpu> {
        &self.gpu
    }

    /// The timer of this frame, for the drawing passes.
    pub fn timer(&mut self) -> &mut PassTimer {
        &mut self.timer
    }

    /// Whether there is a simulation.
    pub(super) fn has_begun(&self) -> bool {
        self.simulation.is_some()
    }

    /// Sets the meshes of the app that are solids of the water from the next frame on.
    pub(super) fn want_solids(&mut self, wanted: &[WantedSolid]) {
        self.solids.want(wanted);
    }

    /// Sets what is to be found out of the water from the next frame on.
    pub(super) fn want_events(&mut self, wanted: &EventRequest) {
        self.wanted_events.clone_from(wanted);
    }

    /// Brings the simulation in line with the controls. If a change is refused, the old simulation keeps running and
    /// the report contains the reason.
    pub fn follow(&mut self, controls: &Controls, report: &mut Report) {
        self.leave_half_done_step(controls);
        let running = EditTarget { simulation: &mut self.simulation, stepping: &mut self.stepping };
        if self.code.follow(&self.gpu, running, &controls.code, report) {
            self.use_new_code(report);
        }
        if self.applied != controls.revision {
            self.applied = controls.revision;
            let outcome = self.refuse_to_hang(controls, report).and_then(|()| self.apply(controls));
            report.applied = controls.revision;
            match outcome {
                Ok(continuation) => {
                    if let Some(simulation) = &self.simulation {
                        panic_report::note_run(simulation.scene(), simulation.settings());
                    }
                    report.refused = None;
                    self.playback.forget();
                    self.pacer.restart();
                    report.timings.clear();
                    report.code.original = None;
                    Arc::make_mut(&mut report.step_times).clear();
                    let before = report.survey.take();
                    let runs_on = self.simulation.as_ref().filter(|simulation| simulation.step_count() > 0);
                    if let Some(simulation) = runs_on.filter(|_| continuation.is_none()) {
                        self.squeeze.settings_changed(simulation.scene(), before.as_ref());
                    }
                    self.sorted = false;
                    self.resume_after_crowding(report);
                    // A loaded state contains densities already, and sorting it would change the next step.
                    self.stale = continuation.is_none();
                    if let Some(continuation) = continuation {
                        report.announce(continuation.to_string());
                    }
                }
                Err(refusal) => report.refused = Some(refusal),
            }
        }
        if self.resets != controls.resets {
            self.resets = controls.resets;
            if let Err(error) = self.reset() {
                report.refused = Some(error.to_string());
            }
            self.playback.forget();
            self.resume_after_crowding(report);
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
        if !controls.keeps_own_simulation() {
            self.shelved = None;
        }
        // The tables of a partly run step refer to the order of its build, which must not change under it.
        if !self.stepping.is_half_done() {
            self.order_memory(controls.lab.request.memory, report);
        }
        if let Some(simulation) = &mut self.simulation {
            pull(simulation, &mut self.grip, controls.push);
        }
        if let Some(simulation) = self.simulation.as_mut().filter(|_| !self.stepping.is_half_done())
            && self.hands.follow(simulation, controls, report)
        {
            report.timings.clear();
            (self.stale, self.sorted) = (true, false);
        }
        if let Some(simulation) = self.simulation.as_mut().filter(|_| !self.stepping.is_half_done())
            && !controls.keeps_own_simulation()
            && self.solids.follow(simulation)
        {
            report.timings.clear();
            (self.stale, self.sorted) = (true, false);
        }
        if let Some(simulation) = self.simulation.as_mut().filter(|_| !self.stepping.is_half_done())
            && self.playback.follow(&self.gpu, simulation, controls.shown_recording(), report)
        {
            (self.stale, self.sorted) = (true, false);
        }
        self.code.describe(&self.gpu, self.simulation.as_ref(), report);
    }

    /// Forgets what refers to passes that were made again from edited shaders, and sorts the particles with the new
    /// ones before anything is drawn, so that the badge checks them in this frame.
    fn use_new_code(&mut self, report: &mut Report) {
        self.badge.forget();
        self.workbench.forget();
        self.jobs.interrupt("a shader was edited");
        Arc::make_mut(&mut report.step_times).clear();
        report.survey = None;
        self.outdated_frames = self.timed_steps.len();
        self.last_survey = None;
        (self.stale, self.sorted, self.surveyed) = (true, false, false);
    }

    /// Whether the renderers must compile their shaders again, because one of them was edited.
    pub fn takes_new_drawing(&mut self) -> bool {
        self.code.take_undrawn(&self.gpu)
    }

    /// Returns to the shaders before the last edit, which a renderer could not use.
    pub fn withdraw_code(&mut self, error: &GpuError, report: &mut Report) {
        let running = EditTarget { simulation: &mut self.simulation, stepping: &mut self.stepping };
        if self.code.withdraw(&self.gpu, running, error, report) {
            self.use_new_code(report);
        }
    }

    /// Returns to the first frame. Particles that an edited shader has moved are replaced together with their buffers,
    /// after which shaders need no checks.
    fn reset(&mut self) -> Result<(), FluidError> {
        let is_dirty = self.gpu.shaders().edits().has_written();
        let (Some(simulation), Some(scene)) = (&mut self.simulation, &self.scene) else { return Ok(()) };
        let is_cleaned = is_dirty && self.gpu.shaders().edits().texts().is_empty();
        if !is_cleaned && !self.solids.has_some() {
            return simulation.reset();
        }
        let with = self.solids.scene_with(scene, simulation.settings());
        if is_cleaned {
            self.shelved = None;
            self.code.forget_what_edits_wrote(&self.gpu);
        }
        let made = Simulation::new(&self.gpu, &with.scene, &simulation.settings().clone());
        *simulation = made.inspect_err(|_| {
            if is_cleaned {
                self.gpu.shaders().edits().mark_written();
            }
        })?;
        self.solids.adopt(with);
        Ok(())
    }

    /// Sets the largest number of candidates of a traversal with which the simulation may go on, in place of the
    /// number that the class of the adapter determines.
    pub fn limit_candidates(&mut self, most: f64) {
        self.most_candidates = most;
    }

    fn resume_after_crowding(&mut self, report: &mut Report) {
        if report.crowded.take().is_some() {
            self.gpu.forget_cut_loops();
        }
        self.last_survey = None;
    }

    /// Abandons a partly run step before the particles are replaced, and finishes it before they are saved or a body is
    /// added.
    fn leave_half_done_step(&mut self, controls: &Controls) {
        let Some(simulation) = self.simulation.as_mut().filter(|_| self.stepping.is_half_done()) else { return };
        if self.playback.wants_other(controls.shown_recording()) {
            self.stepping.abandon(&self.gpu, simulation, "another frame of the recording is shown");
            return;
        }
        let is_thrown = controls.toss.as_ref().is_some_and(|toss| toss.number != self.tosses);
        if self.applied != controls.revision {
            self.stepping.abandon(&self.gpu, simulation, "the scene or its settings were changed");
        } else if self.resets != controls.resets {
            self.stepping.abandon(&self.gpu, simulation, "the scene was reset to its first frame");
        } else if self.saves != controls.saves || is_thrown {
            let why = if is_thrown { "a body was thrown" } else { "the state was to be saved" };
            self.sorted &= !self.stepping.finish(&self.gpu, simulation, why);
        }
    }

    /// Applies the laboratory's requests concerning the order of the particles in memory, and records when.
    fn order_memory(&mut self, order: MemoryOrder, report: &mut Report) {
        let Some(simulation) = &mut self.simulation else { return };
        let interval = order.resort_interval.max(1);
        let step = simulation.step_count();
        let mut note = |event| Arc::make_mut(&mut report.step_times).mark(step, event);
        let mut outcome = Ok(());
        let wanted = ResortSet { build: simulation.build_number(), interval };
        if self.resort_set != wanted {
            let before = simulation.resort_interval();
            outcome = simulation.set_resort_interval(interval);
            // Set after a failure too, so that it is not tried in every frame.
            self.resort_set = wanted;
            if before != interval {
                note(OrderEvent::Interval(interval));
                self.sorted = false;
            }
        }
        if order.shuffles > self.shuffles {
            self.shuffles = order.shuffles;
            outcome = outcome.and(simulation.shuffle_memory(order.shuffles.into()));
            note(OrderEvent::Shuffled);
            self.sorted = false;
        }
        if let Err(error) = outcome {
            report.failure = Some(error.to_string());
        }
    }

    fn throw(&mut self, toss: &Toss, report: &mut Report) {
        let Some(simulation) = &mut self.simulation else { return };
        let thrown = simulation.throw_body(&toss.body, toss.from).map(|body| self.hands.note_thrown(body));
        report.failure = thrown.err().map(|error| error.to_string());
        if report.failure.is_none() {
            report.timings.clear();
            self.stale = true;
        }
    }

    /// Saves the state. This is called between two frames, when all recorded work has been submitted.
    fn save(&self, file: &Path, report: &mut Report) {
        let Some(simulation) = &self.simulation else { return };
        let saved = simulation.save_state().and_then(|state| state.write(file));
        report.failure = saved.err().map(|error| error.to_string());
        if report.failure.is_none() {
            report.announce(format!("the state was saved to {}: {}", file.display(), simulation.continuation()));
        }
    }

    /// Refuses a number of particles whose time steps would block the window. The prediction scales the measured time
    /// of a step linearly, where the step has enough particles; brute force, whose work grows quadratically, has a
    /// limit of its own.
    fn refuse_to_hang(&self, controls: &Controls, report: &Report) -> Result<(), String> {
        let (Some(simulation), Some(step)) = (&self.simulation, report.timings.step_milliseconds()) else {
            return Ok(());
        };
        // Before solids take their room: to sample them takes seconds where there are millions of particles.
        let count_of = |scene: &Scene, size| Resolution::before_solids(scene, size).map(|(_, count)| count);
        let running = count_of(simulation.scene(), simulation.settings().size);
        let settings = &controls.settings;
        let wanted = count_of(&settings.edits.applied_to(&controls.scene), settings.size);
        let Some((running, wanted)) = running.zip(wanted) else { return Ok(()) };
        let each = f64::from(step) / running.max(FEWEST_TO_SCALE.into()) as f64;
        let predicted = each * wanted as f64;
        if predicted <= LONGEST_STEP || wanted <= running {
            return Ok(());
        }
        Err(format!(
            "{} particles would take about {} s per step on {}, which would block the window; use at most about {}",
            format::count(wanted),
            format::number(predicted * 1e-3),
            self.gpu.capabilities.name,
            format::short_count((LONGEST_STEP / each) as u64),
        ))
    }

    /// Creates or changes the simulation, and returns how it resumes if it was loaded from a state.
    fn apply(&mut self, controls: &Controls) -> Result<Option<Continuation>, String> {
        let state = controls.state_to_resume_from();
        let edits = self.gpu.shaders().edits();
        let is_shelved = self.shelved.as_ref().is_some_and(|(scene, ..)| Arc::ptr_eq(scene, &controls.scene));
        if let Some((_, simulation, number)) = self.shelved.as_mut().filter(|_| is_shelved)
            && *number != edits.number()
        {
            simulation.remake_passes().map_err(|error| error.to_string())?;
        }
        if let Some((scene, simulation, _)) = self.shelved.take_if(|_| is_shelved) {
            (self.scene, self.simulation) = (Some(scene), Some(simulation));
        }
        let same_scene = self.scene.as_ref().is_some_and(|scene| Arc::ptr_eq(scene, &controls.scene));
        let outcome = if let Some(simulation) = self.simulation.as_mut().filter(|_| same_scene) {
            match state {
                Some(state) => simulation.load_state(state).map(Some),
                None => simulation.change(&controls.settings).map(|()| None),
            }
        } else {
            // A new scene has new buffers, unless the old simulation is kept for later.
            let is_example = controls.keeps_own_simulation();
            let is_cleaned = edits.has_written() && edits.texts().is_empty() && !is_example && self.shelved.is_none();
            if is_cleaned {
                self.code.forget_what_edits_wrote(&self.gpu);
            }
            // A saved state contains the bodies that were there.
            let begins_with_solids = self.solids.has_some() && !is_example && state.is_none();
            let with = begins_with_solids.then(|| self.solids.scene_with(&controls.scene, &controls.settings));
            let scene = with.as_ref().map_or(controls.scene.as_ref(), |with| &with.scene);
            let made = Simulation::new(&self.gpu, scene, &controls.settings);
            let outcome = made.and_then(|mut simulation| {
                let continuation = state.map(|state| simulation.load_state(state)).transpose()?;
                if let Some(with) = with {
                    self.solids.adopt(with);
                }
                let before = self.scene.replace(Arc::clone(&controls.scene)).zip(self.simulation.replace(simulation));
                if is_example && self.shelved.is_none() {
                    self.shelved = before.map(|(scene, simulation)| (scene, simulation, edits.number()));
                }
                Ok(continuation)
            });
            if is_cleaned && outcome.is_err() {
                edits.mark_written();
            }
            outcome
        };
        outcome.map_err(|error| error.to_string())
    }

    /// Whether a shader file was edited and has been unchanged for a moment. Forgets the compiled kernels then.
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

    /// Compiles the simulation's passes again from the current shader files.
    ///
    /// # Errors
    /// When a shader does not compile; the old passes stay in use.
    pub fn rebuild(&mut self) -> Result<(), String> {
        self.badge.forget();
        self.workbench.forget();
        if let Some(simulation) = self.simulation.as_ref() {
            self.stepping.abandon(&self.gpu, simulation, "a shader was edited");
        }
        self.simulation.as_mut().map_or(Ok(()), Simulation::rebuild_pipelines).map_err(|error| error.to_string())
    }

    /// Sets by how much the next frames advance the simulated time.
    pub fn set_advance(&mut self, advance: Advance) {
        self.advance = advance;
    }

    /// Passes on the times of passes that have arrived since the last frame.
    fn take_times(&mut self, controls: &Controls, report: &mut Report) {
        for frame in self.timer.collect(&self.gpu) {
            let step = self.timed_steps.pop_front().flatten();
            if self.outdated_frames > 0 {
                self.outdated_frames -= 1;
                continue;
            }
            report.timings.push(&frame);
            if step.is_some() {
                self.code.timed_step();
            }
            if let Some(step) = step.filter(|_| controls.lab.open) {
                Arc::make_mut(&mut report.step_times).push(step, &frame);
            }
        }
    }

    /// Passes on the last survey, if one has arrived, and what it finds.
    fn take_survey(&mut self, report: &mut Report) {
        let Some(simulation) = &mut self.simulation else { return };
        let Some(survey) = simulation.take_survey() else { return };
        report.survey = Some(survey);
        if let Some(news) = self.squeeze.tell(simulation.scene(), &survey) {
            report.announce(news);
        }
        report.crowded = crowding(&self.gpu, simulation, &survey, self.most_candidates).or(report.crowded.take());
    }

    /// Collects results that the device has finished, and decides on the work of this frame. `refresh` is the display's
    /// frame interval, s.
    pub fn plan(&mut self, controls: &Controls, refresh: f64, report: &mut Report) -> Plan {
        self.take_times(controls, report);
        self.take_survey(report);
        let now = Instant::now();
        let elapsed = (now - self.last_frame).as_secs_f64();
        self.last_frame = now;
        let Some(simulation) = &mut self.simulation else {
            self.plan = Plan::default();
            return self.plan;
        };
        report.foam = simulation.take_foam_counts().or_else(|| report.foam.filter(|_| simulation.foam().is_some()));
        report.foam_cost.follow(simulation);
        report.events.extend(self.watch.take(&self.gpu));
        report.events.drain(..report.events.len().saturating_sub(MOST_FINDINGS));
        if let Some(error) = self.event_error.take() {
            report.failure = Some(error);
        }
        if controls.probes_open {
            read_probes(simulation, &mut self.last_probing, report);
        }
        let requested_steps = controls.single_steps.wrapping_sub(self.single_steps);
        self.single_steps = controls.single_steps;
        // A step that is run pass by pass is never mixed with whole steps. It starts on tables built in an earlier
        // frame.
        let runs = controls.shown_recording().is_none() && (!controls.paused || requested_steps > 0);
        let mut finished_early = false;
        if self.stepping.is_half_done() && runs {
            let why = if controls.paused { "a whole step was requested" } else { "the simulation was resumed" };
            finished_early = self.stepping.finish(&self.gpu, simulation, why);
            self.sorted &= !finished_early;
        } else if self.stepping.is_half_done() || (self.sorted && !self.stale && !runs) {
            let order = controls.lab.request.stepping.as_ref();
            self.sorted &= !self.stepping.follow(&self.gpu, simulation, order);
        }
        let requested_steps = requested_steps.saturating_sub(u32::from(finished_early));
        let is_half_done = self.stepping.is_half_done();
        // The survey computes the numbers of neighbors and candidates that these fields show.
        let counts_always = shown_field(controls.field, simulation.scene()).info().needs == FieldNeeds::PairCounts;
        // A software adapter has time for either the steps or a survey of the water as the last step left it; with both,
        // the frame would be late.
        let is_slow = self.gpu.capabilities.class == AdapterClass::Software && self.advance == Advance::Clock;
        let every = if is_slow { SOFTWARE_SURVEY_EVERY } else { SURVEY_EVERY };
        let due = self.last_survey.is_none_or(|last| now - last >= every);
        let has_tables = self.last_survey.is_some() && !self.stale && !is_half_done;
        let steps_freely = runs && !controls.paused && report.crowded.is_none();
        let counts_only = is_slow && due && has_tables && steps_freely && !counts_always;
        let time_step = f64::from(simulation.resolution().time_step);
        let frame = Frame {
            elapsed,
            time_step,
            slow_motion: controls.slow_motion,
            budget: budget_at(self.gpu.capabilities.class, refresh),
            // With bodies the CPU waits for every step, which takes longer than the passes alone.
            step: report.timings.step_milliseconds().map(|step| f64::from(step).max(self.waited.unwrap_or(0.0))),
            drawing: f64::from(report.timings.phase_milliseconds(Phase::Drawing)),
        };
        let steps = if report.crowded.is_some() || controls.shown_recording().is_some() {
            0
        } else if controls.paused {
            requested_steps
        } else if counts_only {
            0
        } else {
            self.pacer.steps_by(self.advance, &frame)
        };
        report.overstatement = self.pacer.overstatement();
        self.speedometer.frame(now, steps, time_step);
        let moved = steps > 0 || self.stale;
        let mut survey = counts_only || moved && !is_half_done && (due || counts_always);
        // In the laboratory the drawn particles must be those from which the search's tables were built.
        let unsorted = (controls.lab.open || controls.lab.request.stepping.is_some()) && !self.sorted;
        let densities = steps == 0 && !is_half_done && (self.stale || unsorted);
        let moved = steps > 0 || densities;
        // Counts that the laboratory shows must belong to the current particles, even if these no longer move.
        survey |= !is_half_done && controls.lab.request.needs_pair_counts() && (moved || !self.surveyed);
        if survey {
            self.last_survey = Some(now);
        }
        let smooths = controls.depiction().style == DrawStyle::Water && !is_half_done;
        self.plan = Plan { steps, densities, survey, smooths };
        if let Some(Err(error)) = smooths.then(|| simulation.make_smoothed_positions()) {
            report.failure = Some(error.to_string());
        }
        self.surveyed = survey || (self.surveyed && !moved);
        if moved {
            self.sorted = self.plan.densities;
        }
        self.workbench.follow(&self.gpu, simulation, &controls.lab.request, moved);
        // A secondary cost map waits for the next survey instead of computing with the counts of an older order.
        let counted = survey || (moved && !controls.lab.request.cost_is_secondary);
        self.workbench.follow_counts(&self.gpu, simulation, &controls.lab.request, counted);
        let previous = report.lab.stepping.told.take();
        report.lab.clone_from(self.workbench.collect(&self.gpu));
        report.lab.check = self.check.follow(&self.gpu, controls.lab.request.check.as_ref());
        report.badge.clone_from(self.badge.follow(&self.gpu, simulation, controls.badge));
        let order = controls.lab.measure.order.as_ref().filter(|_| controls.lab.open);
        report.jobs.clone_from(self.jobs.follow(&self.gpu, Some(&*simulation), order));
        if !controls.lab.open {
            self.jobs.forget_damaged_water();
        }
        report.lab.stepping.clone_from(self.stepping.collect(&self.gpu));
        if let Some(news) = report.lab.stepping.told.clone().filter(|news| Some(news) != previous.as_ref()) {
            report.announce(news);
        }
        self.stale = false;
        self.write_report(steps, report);
        if let Some(simulation) = self.simulation.as_ref().filter(|_| controls.explain.open) {
            report.explained = ExplainedValues::of(&self.gpu, simulation, report);
        }
        self.plan
    }

    fn write_report(&self, steps: u32, report: &mut Report) {
        let (Some(simulation), Some(scene)) = (&self.simulation, &self.scene) else { return };
        report.running = Some(Running {
            scene: Arc::clone(scene),
            settings: simulation.settings().clone(),
            resolution: *simulation.resolution(),
            notices: simulation.notices().to_vec(),
            search_bytes: simulation.search_bytes(),
            cells: simulation.search_cells(),
            has_drawable_cells: has_drawable_cells(simulation),
            body_count: simulation.bodies().count(),
        });
        self.report_motion(report);
        report.step_count = simulation.step_count();
        report.speed = self.speedometer.speed();
        if steps > 0 {
            report.steps_per_frame = steps;
        }
    }

    /// Reports the time and where bodies are. With bodies the steps of a frame are finished when they are recorded, so
    /// that an app that does not draw in a thread of its own knows them in its next frame.
    pub fn report_motion(&self, report: &mut Report) {
        let Some(simulation) = &self.simulation else { return };
        report.bodies = simulation.bodies().map(|body| body.state).collect();
        self.solids.report(simulation, report);
        report.time = self.playback.time().unwrap_or(simulation.time());
    }

    /// Records the planned passes. Only the last step is timed, because timestamps are written at the borders of
    /// compute passes, and a compute pass for every dispatch of every step would cost too much.
    pub fn record(&mut self, encoder: &mut wgpu::CommandEncoder) {
        let Some(simulation) = &mut self.simulation else { return };
        let begun = Instant::now();
        if self.plan.steps > 0 {
            let seconds = f64::from(self.plan.steps) * f64::from(simulation.resolution().time_step);
            self.solids.lead(simulation, seconds);
        }
        for step in 1..=self.plan.steps {
            let timer = (step == self.plan.steps).then_some(&mut self.timer);
            simulation.record_step(encoder, timer);
        }
        if simulation.step_count() > 10 {
            panic_on_purpose("frame");
        }
        if self.plan.steps > 0 {
            let each = begun.elapsed().as_secs_f64() * 1e3 / f64::from(self.plan.steps);
            self.waited = simulation.bodies().next().map(|_| each);
        }
        if self.plan.densities {
            simulation.record_densities(encoder, Some(&mut self.timer));
        }
        if self.plan.survey {
            simulation.record_survey(encoder);
        }
        let is_timed = self.plan.steps > 0 || self.plan.densities;
        if self.plan.smooths {
            simulation.record_smoothed_positions(encoder, is_timed.then_some(&mut self.timer));
        }
        if is_timed {
            let watched = self.watch.record(&self.gpu, encoder, simulation, &self.wanted_events);
            self.event_error = watched.err().map(|error| error.to_string());
            self.code.recorded();
        }
        if self.stepping.is_half_done() {
            self.badge.tables_changed();
            self.workbench.record_marks(encoder);
        } else {
            self.badge.record(&self.gpu, encoder, is_timed);
            self.workbench.record(&self.gpu, encoder, simulation);
        }
    }

    /// Records the copy of this frame's timestamps. Must be called after everything that is timed.
    pub fn resolve(&mut self, encoder: &mut wgpu::CommandEncoder) {
        if self.timer.has_timed() {
            let step = self.simulation.as_ref().map(Simulation::step_count);
            self.timed_steps.push_back(step.filter(|_| self.plan.steps > 0));
        }
        self.timer.resolve(&self.gpu, encoder);
    }

    /// The renderer's settings and input for a column of compared searches; `None` before there is a simulation.
    pub fn picture(&self, controls: &Controls, column: usize) -> Option<(Look, Drawn<'_>)> {
        let simulation = self.simulation.as_ref()?;
        let overlay = &controls.lab.overlay;
        let values = self.workbench.cost_values();
        let is_there = |field: ColorField| field.info().needs != FieldNeeds::CustomValues || values.is_some();
        let color = overlay.color.filter(|color| controls.lab.open && is_there(color.field));
        let recorded =
            self.playback.colors(controls.shown_recording(), simulation.particles().count).filter(|_| color.is_none());
        let field = recorded.as_ref().map_or(controls.field, |recorded| recorded.field);
        let depiction = Depiction { field, ..controls.depiction() };
        let (mut look, mut drawn) = depict(
            simulation,
            color.map_or(depiction, |color| Depiction { field: color.field, style: DrawStyle::Beads, ..depiction }),
        );
        drawn.solids.retain(|solid| !self.solids.is_drawn_by_app(solid));
        if let Some(recorded) = &recorded {
            (look.low, look.high) = recorded.range;
            drawn.custom_field = Some(recorded.values);
        }
        if controls.lab.open {
            if let Some((low, high)) = color.and_then(|color| color.range) {
                // A color map needs a range of positive width, even if all values are equal.
                (look.low, look.high) = (low, if high > low { high } else { low + 1.0 });
            }
            drawn.custom_field = values.or(drawn.custom_field);
            if let Some(edges) = overlay.cell_edges {
                look.cell_edges = edges;
            }
            drawn.marks = self.workbench.marks(column).map(|roles| DrawnMarks { roles });
            drawn.boxes = overlay.boxes.get(column).cloned().unwrap_or_default();
            drawn.segments.clone_from(&overlay.segments);
            drawn.shells.clone_from(&overlay.shells);
            look.cut = overlay.cut;
            if let Some(stage) = &overlay.stage {
                clear_stage(&mut look, &mut drawn, stage.corners);
            }
            look.blink = self.started.elapsed().as_secs_f32().fract();
            if let Some(water) = controls.lab.damaged_lesson().and_then(|lesson| self.jobs.damaged_water(lesson)) {
                drawn.particles.positions = &water.positions;
                drawn.particles.count = water.count;
                drawn.particles.fluid_count = drawn.particles.fluid_count.min(water.count);
                drawn.particles.parked_beyond = f32::INFINITY;
                drawn.marks = Some(DrawnMarks { roles: water.marks() });
            }
        }
        if controls.tools_act() {
            hands::draw(&mut drawn, simulation, controls);
        }
        Some((look, drawn))
    }

    /// The requested pick, once the drawn particles are those of the search's tables and no step moves them.
    pub fn due_pick(&self) -> Option<PickOrder> {
        self.workbench.due_pick().filter(|_| self.sorted && self.plan.steps == 0)
    }

    /// Passes on the result that a renderer recorded for a pick.
    pub fn take_pick(&mut self, order: PickOrder, found: PickFound) {
        self.workbench.take_pick(order, found);
    }
}

/// Replaces the tank, the water and the solids by an empty box.
fn clear_stage(look: &mut Look, drawn: &mut Drawn<'_>, [low, high]: [Vec3; 2]) {
    (look.box_low, look.box_high) = (low, high);
    look.solids = SolidStyle::Hidden;
    look.cell_edges = CellEdges::Off;
    look.style = DrawStyle::Beads;
    // An inverted cutting box contains no particle, so none is drawn.
    look.cut = Some(Cut { low: Vec3::MAX, high: Vec3::MIN, outline: CutOutline::None });
    drawn.marks = None;
}

/// Drags whatever was under the pointer when the drag began: a body, or the water.
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

/// Reads the scene's probes when a reading is due. Each reading waits for the device, so the interval grows with the
/// duration of a reading.
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

/// Why the simulation must make no further steps, if the survey shows that so many particles crowd together that a pass
/// would soon take longer than a display driver waits, or that a software adapter has left out neighbors.
fn crowding(gpu: &Gpu, simulation: &Simulation, survey: &Survey, most: f64) -> Option<String> {
    const REMEDY: &str = "reset the scene, or choose a smaller support radius or another search";
    let candidates = survey.pairs.candidates as f64;
    if survey.loops_cut {
        let adapter = gpu.capabilities.name.clone();
        return Some(format!("the simulation was stopped: {}; {REMEDY}", GpuError::LoopsCut { adapter }));
    }
    (candidates > most).then(|| {
        format!(
            "the simulation was stopped, because so many particles are close together that {} tests {candidates:.1e} \
             candidates in each pass, and longer passes would block the display; {REMEDY}",
            simulation.settings().search.title,
        )
    })
}
