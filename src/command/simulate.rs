//! `nearwater simulate`: runs a scene without a window and writes the requested output.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use glam::UVec2;
use image::codecs::png::PngEncoder;
use nearwater::bench::median;
use nearwater::depiction::{Depiction, depict, prepare};
use nearwater::files::{check_writable, write_whole};
use nearwater::fluid::{FoamCounts, SavedState, Scene, SceneCamera, Simulation, Survey};
use nearwater::gpu::{Gpu, PassTimer, span_milliseconds};
use nearwater::legend::Legend;
use nearwater::legend_picture::draw_legend;
use nearwater::pace::reference_of;
use nearwater::panic_report::{self, panic_on_purpose};
use nearwater::render::{Canvas, FOAM_PASS, View};
use nearwater::video::CameraMove;

use super::CommandError;
use super::arguments::{Common, SimulateArguments, scene_file, scene_named};
use super::filming::{Film, Filming};
use super::interrupt::Interrupts;
use super::plausibility::implausible;
use super::progress::progress_bar;
use super::recorder::{Export, Probing, Recorder};
use super::same_file::{NamedFile, refuse_same_files};
use super::step_count::step_count;
use super::timings::Timings;

/// Number of steps recorded into one submission: few enough that a slow adapter finishes several submissions a second.
const STEPS_A_SUBMISSION: u64 = 8;

/// Runs a scene for a simulated time without a window, then draws and reports what the arguments request.
pub fn run(common: &Common, arguments: &SimulateArguments) -> Result<ExitCode, CommandError> {
    if !(arguments.seconds.is_finite() && arguments.seconds >= 0.0) {
        return Err(CommandError::Seconds(arguments.seconds));
    }
    let named = match (&arguments.scene, &arguments.load) {
        (None, Some(state)) => SavedState::read(state)?.scene_name().to_owned(),
        (scene, _) => scene.clone().unwrap_or_default(),
    };
    let scene = scene_named(&named)?;
    let film = arguments.filming()?;
    let gpu = common.gpu()?;
    let run = HeadlessRun {
        seconds: arguments.seconds,
        wall_clock: None,
        png: arguments.png.as_deref(),
        size: arguments.size,
        camera: arguments.camera.parse()?,
        depiction: arguments.depiction(),
        legend: !arguments.no_legend,
        film: film.as_ref(),
        timings: arguments.timings.as_deref(),
        export: arguments.export(),
        probing: arguments.probing(),
        scene_file: scene_file(&named),
        load: arguments.load.as_deref(),
        save: arguments.save.as_deref(),
    };
    run.perform(&gpu, &scene, common)
}

/// Upper bound on the number of passes that draw a picture.
const DRAWING_PASSES: u32 = 40;

/// A run without a window: its length and its output.
pub struct HeadlessRun<'a> {
    /// Time to simulate, s.
    pub seconds: f64,
    /// Wall-clock time after which the run stops early.
    pub wall_clock: Option<Duration>,
    /// File in which the last frame is drawn.
    pub png: Option<&'a Path>,
    /// Size of that picture, pixels.
    pub size: UVec2,
    /// From where it and the video are seen.
    pub camera: CameraMove,
    /// What the picture shows.
    pub depiction: Depiction,
    /// Whether the picture gets a color legend.
    pub legend: bool,
    /// A video of the run.
    pub film: Option<&'a Filming>,
    /// File for each step's pass times.
    pub timings: Option<&'a Path>,
    /// Export of frames.
    pub export: Option<Export>,
    /// Readings of the scene's probes.
    pub probing: Option<Probing<'a>>,
    /// The file of the scene, if it is not one of the program's.
    pub scene_file: Option<&'a Path>,
    /// A saved state from which the run resumes.
    pub load: Option<&'a Path>,
    /// File for the state at the end.
    pub save: Option<&'a Path>,
}

impl HeadlessRun<'_> {
    /// Simulates `scene`, writes the requested files, and prints the timings.
    pub fn perform(&self, gpu: &Arc<Gpu>, scene: &Scene, common: &Common) -> Result<ExitCode, CommandError> {
        // Files that cannot be written are reported before the simulation runs, not after.
        for file in [self.png, self.timings, self.save].into_iter().flatten() {
            check_writable(file)?;
        }
        self.film.map_or(Ok(()), Filming::check)?;
        self.refuse_same_files(scene)?;
        let interrupts = Interrupts::watch().map_err(CommandError::Signals)?;
        let mut simulation = self.start(gpu, scene, common)?;
        let start = Start { step: simulation.step_count(), time: simulation.time() };
        let step_count = step_count(self.seconds, simulation.resolution().time_step.into())?;
        let mut timings = Timings::default();
        let mut recorder = Recorder::new(self.export.as_ref(), self.probing, &simulation)?;
        let depiction = self.depiction_on(gpu);
        let film = self.film.map(|filming| Film::new((filming, &self.camera, depiction), gpu, &simulation));
        let mut film = film.transpose()?;
        let mut elapsed = Duration::ZERO;
        let run = Run { step_count, interrupts: &interrupts, timings: &mut timings, elapsed: &mut elapsed };
        let ran =
            catch_unwind(AssertUnwindSafe(|| self.steps(gpu, &mut simulation, run, (&mut recorder, film.as_mut()))));
        let ran =
            ran.unwrap_or_else(|_| Err(CommandError::Panicked { state: panic_report::save_last_state(&simulation) }));
        // From here on nothing returns early: whatever fails, the other files are written.
        let mut failures = Vec::new();
        let mut note = |result: Result<(), CommandError>| failures.extend(result.err());
        // The frames and pictures so far are there even if the run has failed.
        note(film.map_or(Ok(()), Film::finish));
        note(recorder.finish());
        let reached = ran.and_then(|()| self.conclude(gpu, &mut simulation, (start, &timings, elapsed), &mut note));
        if let Some(file) = self.timings {
            note(timings.write(file).map(|()| outln!("the timings of every step were written to {}", file.display())));
        }
        let (time, wanted) = (simulation.time() - start.time, self.seconds);
        note(reached.map_err(|reason| CommandError::Early { time, wanted, reason: Box::new(reason) }));
        let is_complete = simulation.step_count() - start.step >= step_count;
        if let Some(signal) = interrupts.signal().filter(|_| !is_complete) {
            note(Err(CommandError::Interrupted { signal, time, wanted }));
        }
        CommandError::all(failures).map(|()| ExitCode::SUCCESS)
    }

    /// Surveys, saves and draws the state at the end of the run, and prints the report. Files that cannot be written
    /// are given to `note`.
    ///
    /// # Errors
    /// When the device is lost.
    fn conclude(
        &self,
        gpu: &Arc<Gpu>,
        simulation: &mut Simulation,
        (start, timings, elapsed): (Start, &Timings, Duration),
        note: &mut dyn FnMut(Result<(), CommandError>),
    ) -> Result<(), CommandError> {
        // Read before the survey, which sorts the particles.
        let state = self.save.map(|_| simulation.save_state()).transpose();
        let survey = final_survey(gpu, simulation)?;
        report(simulation, start, timings, elapsed, survey);
        report_foam(simulation);
        for warning in implausible(simulation, survey) {
            outln!("warning: {warning}");
        }
        if survey.not_finite > 0 {
            note(Err(CommandError::NotFinite(survey.not_finite, simulation.time())));
        } else {
            note(state.map_err(CommandError::from).and_then(|state| {
                let Some((file, state)) = self.save.zip(state) else { return Ok(()) };
                state.write(file)?;
                outln!("the state was saved to {}: {}", file.display(), simulation.continuation());
                Ok(())
            }));
        }
        let camera = self.camera_at(simulation.time() - start.time, &simulation.scene().camera);
        note(self.png.map_or(Ok(()), |file| self.picture(gpu, (simulation, survey), &camera, file)));
        Ok(())
    }

    /// The camera of the picture after `time` s of the run: that of a video at its end.
    fn camera_at(&self, time: f64, scene: &SceneCamera) -> SceneCamera {
        let pace = self.film.map_or(1.0, |filming| filming.settings.pace);
        self.camera.at(time / pace, scene)
    }

    /// What pictures show, with particles drawn in the way that is faster on such devices.
    fn depiction_on(&self, gpu: &Gpu) -> Depiction {
        Depiction { splatting: reference_of(gpu.capabilities.class).splatting.unwrap_or_default(), ..self.depiction }
    }

    /// Draws the state into a PNG.
    fn picture(
        &self,
        gpu: &Arc<Gpu>,
        (simulation, survey): (&mut Simulation, Survey),
        camera: &SceneCamera,
        file: &Path,
    ) -> Result<(), CommandError> {
        let mut picture = draw(gpu, simulation, camera, (self.size, self.depiction_on(gpu)))?;
        if self.legend && self.depiction.shows_field() {
            let (scene, resolution) = (simulation.scene(), simulation.resolution());
            let legend = Legend::of(self.depiction.field, scene, resolution, survey.border.is_some());
            if let Err(sentence) = draw_legend(&mut picture, &legend) {
                outln!("{sentence}");
            }
        }
        write_whole(file, |writer| picture.write_with_encoder(PngEncoder::new(writer)))?;
        outln!("the last frame was drawn to {}", file.display());
        Ok(())
    }

    /// Refuses outputs that are the same file, or one of the run's inputs.
    fn refuse_same_files(&self, scene: &Scene) -> Result<(), CommandError> {
        let read = scene.point_files(self.scene_file.and_then(Path::parent));
        let mut inputs = NamedFile::given([("the scene", self.scene_file), ("--load", self.load)]);
        inputs.extend(read.iter().map(|path| NamedFile { what: "a file of the scene", path }));
        let list = self.export.as_ref().map(Export::list);
        let outputs = NamedFile::given([
            ("--export", list.as_deref()),
            ("--probes", self.probing.map(|probing| probing.file)),
            ("--video", self.film.map(|film| film.settings.file.as_path())),
            ("--save", self.save),
            ("--timings", self.timings),
            ("--png", self.png),
        ]);
        refuse_same_files(&inputs, &outputs)
    }

    /// Creates the simulation, at the start of its scene or in the loaded state.
    fn start(&self, gpu: &Arc<Gpu>, scene: &Scene, common: &Common) -> Result<Simulation, CommandError> {
        let Some(file) = self.load else {
            let mut simulation = Simulation::new(gpu, scene, &common.settings_for(scene, gpu)?)?;
            describe(gpu, &simulation);
            // Not done for a loaded state: it contains densities already, and sorting it would change the next step.
            gpu.submit(|encoder| simulation.record_densities(encoder, None));
            gpu.wait()?;
            return Ok(simulation);
        };
        common.refuse_settings_beside_a_state()?;
        let state = SavedState::read(file)?;
        state.check_scene(scene)?;
        let mut simulation = Simulation::new(gpu, scene, &state.settings()?)?;
        let continuation = simulation.load_state(&state)?;
        describe(gpu, &simulation);
        outln!("resumes at {:.3} s, step {}: {continuation}", simulation.time(), simulation.step_count());
        Ok(simulation)
    }

    /// Runs the time steps until they are done or a signal arrives.
    ///
    /// # Errors
    /// When the device is lost or a frame cannot be drawn.
    fn steps(
        &self,
        gpu: &Arc<Gpu>,
        simulation: &mut Simulation,
        run: Run<'_>,
        (recorder, mut film): (&mut Recorder, Option<&mut Film<'_>>),
    ) -> Result<(), CommandError> {
        let Run { step_count, interrupts, timings, elapsed } = run;
        let mut timer = PassTimer::new(gpu, simulation.passes().count() as u32);
        timings.supported = timer.supported();
        let progress = progress_bar(step_count, "step {pos}/{len}, {msg}{eta} left");
        let started = Instant::now();
        recorder.record(simulation)?;
        film.as_mut().map_or(Ok(()), |film| film.record(simulation))?;
        let mut done = 0;
        let out_of_time = || self.wall_clock.is_some_and(|limit| started.elapsed() >= limit);
        while done < step_count && !out_of_time() && interrupts.signal().is_none() {
            let of_film = film.as_ref().map_or(u64::MAX, |film| film.steps_until_due(simulation));
            let due = recorder.steps_until_due(simulation.time()).min(of_film);
            let batch = STEPS_A_SUBMISSION.min(step_count - done).min(due);
            let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            for _ in 0..batch {
                simulation.record_step(&mut encoder, Some(&mut timer));
                timer.resolve(gpu, &mut encoder);
                timings.recorded(simulation.step_count(), simulation.time());
            }
            gpu.queue.submit([encoder.finish()]);
            gpu.wait()?;
            panic_on_purpose("step");
            timings.arrived(timer.collect(gpu));
            done += batch;
            recorder.record(simulation)?;
            film.as_mut().map_or(Ok(()), |film| film.record(simulation))?;
            let pictures = film.as_ref().map_or_else(String::new, |film| film.progress());
            progress.set_message(recorder.progress() + &pictures);
            progress.set_position(done);
            let other = recorder.spent() + film.as_ref().map_or(Duration::ZERO, |film| film.spent());
            *elapsed = started.elapsed().saturating_sub(other);
        }
        progress.finish_and_clear();
        Ok(())
    }
}

/// Where a run begins.
#[derive(Clone, Copy)]
struct Start {
    step: u64,
    /// s.
    time: f64,
}

/// The steps of a run, and what is noted about them.
struct Run<'a> {
    step_count: u64,
    interrupts: &'a Interrupts,
    timings: &'a mut Timings,
    /// Wall-clock time that the steps took, without the recorder's and the film's.
    elapsed: &'a mut Duration,
}

/// A positive number in a notation that does not round it to zero.
fn positive(number: f32) -> String {
    if (0.01..1e6).contains(&number) { format!("{number:.4}") } else { format!("{number:.3e}") }
}

fn describe(gpu: &Gpu, simulation: &Simulation) {
    let resolution = simulation.resolution();
    let settings = simulation.settings();
    panic_report::note_run(simulation.scene(), settings);
    outln!("{}: {}", simulation.scene().title, gpu.capabilities.name);
    outln!(
        "{} particles, spacing {} m, radius {} m, step {} ms, {} ({} bytes)",
        resolution.particle_count,
        positive(resolution.spacing),
        positive(resolution.support_radius),
        positive(resolution.time_step * 1e3),
        settings.search.title,
        simulation.search_bytes()
    );
    let (of_cloths, of_boundaries) = (resolution.cloth_count, resolution.boundary_count - resolution.cloth_count);
    if of_boundaries > 0 {
        outln!("{of_boundaries} further particles represent boundaries and bodies");
    }
    if of_cloths > 0 {
        outln!("{of_cloths} further particles represent cloth");
    }
    if resolution.reservoir_count > 0 {
        outln!("{} of the particles start in the reservoir", resolution.reservoir_count);
    }
    for notice in simulation.notices() {
        outln!("{notice}");
    }
}

/// Computes the densities and the survey of the final state, and waits for them.
fn final_survey(gpu: &Gpu, simulation: &mut Simulation) -> Result<Survey, CommandError> {
    gpu.submit(|encoder| {
        simulation.record_densities(encoder, None);
        simulation.record_survey(encoder);
    });
    gpu.wait()?;
    Ok(simulation.take_survey().ok_or_else(|| gpu.lost_error("the survey did not arrive"))?)
}

fn report(simulation: &Simulation, start: Start, timings: &Timings, elapsed: Duration, survey: Survey) {
    let seconds = elapsed.as_secs_f64();
    let simulated = simulation.time() - start.time;
    outln!(
        "{} steps, {:.3} s simulated in {seconds:.2} s: {:.3} times real time",
        simulation.step_count() - start.step,
        simulated,
        simulated / seconds.max(1e-9)
    );
    timings.print_medians();
    if let Some(overhead) = survey.pairs.overhead() {
        let resolution = simulation.resolution();
        let count = f64::from((resolution.particle_count + resolution.boundary_count).max(1));
        outln!(
            "{:.1} candidates and {:.1} neighbors per particle, {overhead:.2} candidates per neighbor",
            survey.pairs.candidates as f64 / count,
            survey.pairs.neighbors as f64 / count
        );
    }
    if simulation.resolution().reservoir_count > 0 {
        outln!("{} particles are in the box, the others in the reservoir", survey.present);
    }
    // The repulsion solver has no densities, and a scene may contain cloth but no fluid.
    if simulation.scene().solver.is_fluid() && survey.present > 0 {
        out!("density {:.1} to {:.1} kg/m3, ", survey.lowest_density, survey.highest_density);
    }
    outln!("highest speed {:.2} m/s, {} outside the box", survey.highest_speed, survey.outside);
    for (figure, value) in simulation.scene().solver.figures.iter().zip(survey.figures) {
        let warning = if figure.is_warning(value) { " (warning)" } else { "" };
        outln!("{}: {} {}{warning}", figure.name, nearwater::format::number(value.into()), figure.unit);
    }
}

/// Prints how much spray, foam and how many bubbles there are, and what a step of them took.
fn report_foam(simulation: &mut Simulation) {
    let (Some(counts), Some(every)) = (simulation.take_foam_counts(), simulation.steps_of_foam()) else { return };
    let FoamCounts { spray, foam, bubbles } = counts;
    outln!("{} diffuse particles: {spray} of spray, {foam} of foam, {bubbles} bubbles", counts.total());
    if let Some(milliseconds) = median(simulation.take_foam_times()) {
        outln!("a step of foam, every {every} steps of the water: {milliseconds:.3} ms (median)");
    }
}

/// Draws the state as that camera sees it, and prints how long drawing took.
pub fn draw(
    gpu: &Arc<Gpu>,
    simulation: &mut Simulation,
    camera: &SceneCamera,
    (size, depiction): (UVec2, Depiction),
) -> Result<image::RgbaImage, CommandError> {
    prepare(gpu, simulation, depiction)?;
    let (look, drawn) = depict(simulation, depiction);
    let view = View::perspective(camera.eye, camera.target, camera.vertical_fov_degrees, size);
    let mut timer = PassTimer::new(gpu, DRAWING_PASSES);
    let mut canvas = Canvas::new(gpu, size)?;
    let picture = canvas.draw(&view, &look, &drawn, Some(&mut timer))?;
    gpu.submit(|encoder| timer.resolve(gpu, encoder));
    gpu.wait()?;
    for passes in timer.collect(gpu) {
        outln!("drawing took {:.3} ms at {}x{} pixels", span_milliseconds(&passes), size.x, size.y);
        if let Some(foam) = passes.iter().find(|pass| pass.label == FOAM_PASS) {
            outln!("of these, spray, foam and bubbles took {:.3} ms", foam.milliseconds);
        }
    }
    Ok(picture)
}
