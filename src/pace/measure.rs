//! Measures a device when the program starts, in a given time.

use std::sync::Arc;
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use glam::UVec2;

use super::{Choice, DeviceBook, DrawingTime, Motion, PaceModel, StepTime, Wanted, choose};
use crate::bench::{BenchError, StepTiming, least_of_groups, time_of_more_steps};
use crate::depiction::{Depiction, depict, prepare, preparing_passes};
use crate::fluid::{Scene, Settings, Simulation, Size, Solver};
use crate::gpu::{AdapterClass, Gpu, GpuError};
use crate::render::{Canvas, DrawStyle, Splatting, View, usual_samples};
use crate::search::SearchInfo;

/// How long steps are timed.
const STEPS_FOR: Duration = Duration::from_millis(60);
/// How much longer the first measurement takes on a graphics device, which raises its clock rate only while it works:
/// a picture took six times as long in the first 60 ms on an H200 that had been idle.
const RAISING_CLOCK: Duration = Duration::from_millis(150);
/// A measurement is expected to take at most this many times as long as the longest one before it.
const RESERVE: f64 = 1.3;
/// How long pictures are timed when the program starts.
const PICTURES_FOR: Duration = Duration::from_millis(60);
/// Most pictures that are drawn together.
const MOST_PICTURES: u32 = 32;

/// A measurement of the device in the scene that is about to open.
pub struct LaunchMeasurement<'a> {
    /// The device.
    pub gpu: &'a Arc<Gpu>,
    /// What is to be chosen.
    pub wanted: Wanted<'a>,
    /// The settings with which the scene opens, apart from what is chosen.
    pub settings: &'a Settings,
    /// How the water is drawn.
    pub depiction: Depiction,
}

/// What is measured next.
#[derive(Clone, Copy)]
enum Trial {
    Steps(Solver, &'static SearchInfo),
    Drawing,
}

impl Trial {
    fn is_drawing(&self) -> bool {
        matches!(self, Self::Drawing)
    }
}

/// What later measurements use of earlier ones.
#[derive(Default)]
struct Bench<'scope> {
    /// The water of the first timed steps, which are those of the pair that is chosen most likely.
    water: Option<Simulation>,
    compiling: Option<ScopedJoinHandle<'scope, Result<Canvas, GpuError>>>,
    /// Whether the device has not been measured yet.
    is_idle: bool,
}

impl Bench<'_> {
    /// How long something is measured that usually takes so long to measure.
    fn measured_for(&mut self, usual: Duration, class: AdapterClass) -> Duration {
        let raises_clock = std::mem::take(&mut self.is_idle) && class != AdapterClass::Software;
        if raises_clock { usual + RAISING_CLOCK } else { usual }
    }
}

impl LaunchMeasurement<'_> {
    /// Chooses with what is known, after measuring what decides most until `limit` is over: first the pair of solver
    /// and search that is chosen without a measurement, then drawing, then the other pairs. What `measured` contains
    /// already is not measured again. The first measurement is always made, later ones only if as much time is left as
    /// the longest one took. Where a driver compiles shaders for the first time, the first measurement may take longer
    /// than `limit`; the app needs the same shaders afterwards.
    ///
    /// # Errors
    /// When the device fails. A pair that refuses the scene is left out.
    pub fn run(&self, measured: &mut DeviceBook, limit: Duration) -> Result<Option<Choice>, BenchError> {
        let start = Instant::now();
        let trials = self.trials(measured)?;
        thread::scope(|scope| {
            let mut longest = Duration::ZERO;
            let mut bench = Bench { is_idle: true, ..Bench::default() };
            let (gpu, size, style) = (self.gpu, self.wanted.scene.size, self.depiction.style);
            let making_canvas = move || canvas(gpu, size, style);
            // Shaders for drawing are compiled while steps are timed, unless steps are computed by the same processors.
            if trials.iter().any(Trial::is_drawing) && self.gpu.capabilities.class != AdapterClass::Software {
                bench.compiling = Some(scope.spawn(making_canvas));
            }
            for trial in trials {
                if start.elapsed() + longest.mul_f64(RESERVE) > limit {
                    break;
                }
                let begun = Instant::now();
                match self.measure(trial, measured, &mut bench) {
                    Err(BenchError::Fluid(error)) if error.is_refusal() => {}
                    outcome => outcome?,
                }
                longest = longest.max(begun.elapsed());
            }
            Ok::<_, BenchError>(())
        })?;
        self.choose(measured)
    }

    /// What is not known yet, the most important first.
    fn trials(&self, measured: &DeviceBook) -> Result<Vec<Trial>, BenchError> {
        let mut trials = Vec::new();
        let first = self.choose(measured)?;
        let mut pairs: Vec<_> = first.iter().map(|choice| (choice.solver, choice.search)).collect();
        for &solver in self.wanted.solvers {
            pairs.extend(self.wanted.searches.iter().map(|&search| (solver, search)));
        }
        let is_known =
            |(solver, search): &(Solver, &SearchInfo)| !measured.steps_of(solver.name(), search.name).is_empty();
        for (place, pair) in pairs.iter().enumerate() {
            if !is_known(pair) && !pairs[..place].contains(pair) {
                trials.push(Trial::Steps(pair.0, pair.1));
            }
        }
        let style = self.depiction.style;
        // The running app learns the times of pictures as well, but not whether they could be drawn faster.
        if measured.splatting.is_none() || !measured.drawings.iter().any(|time| time.style == style) {
            // Steps of the pair that is chosen come first: they decide, and their shaders are needed anyway.
            let is_first_known = pairs.first().is_some_and(is_known);
            trials.insert(usize::from(!is_first_known).min(trials.len()), Trial::Drawing);
        }
        Ok(trials)
    }

    fn choose(&self, measured: &DeviceBook) -> Result<Option<Choice>, BenchError> {
        Ok(choose(&self.model(measured), &self.wanted)?)
    }

    fn model<'a>(&self, measured: &'a DeviceBook) -> PaceModel<'a> {
        PaceModel { reference: super::reference_of(self.gpu.capabilities.class), measured }
    }

    fn measure(&self, trial: Trial, measured: &mut DeviceBook, bench: &mut Bench<'_>) -> Result<(), BenchError> {
        // Few particles, so that they are made quickly, but enough to occupy the device.
        let class = self.gpu.capabilities.class;
        let most = match class {
            AdapterClass::Discrete => 131_072,
            AdapterClass::Integrated => 32_768,
            AdapterClass::Software => 4_096,
        };
        let chosen = self.choose(measured)?;
        let particles = chosen.map_or(most, |choice| choice.particles.min(most));
        match trial {
            Trial::Steps(solver, search) => {
                let timing = StepTiming { at_least: bench.measured_for(STEPS_FOR, class), hopeless: f64::INFINITY };
                let settings = self.settings_for(solver, search, particles);
                let mut water = Simulation::new(self.gpu, self.wanted.scene.scene, &settings)?;
                let milliseconds = time_of_more_steps(&mut water, self.gpu, &timing)?;
                bench.water.get_or_insert(water);
                measured.add_step(StepTime {
                    solver: solver.name().into(),
                    search: search.name.into(),
                    particles,
                    motion: Motion::Start,
                    milliseconds,
                });
            }
            Trial::Drawing => {
                let mut water = if let Some(water) = bench.water.take() {
                    water
                } else {
                    // The shaders of the pair that is chosen are needed anyway.
                    let usual = (self.wanted.scene.scene.solver, self.settings.search);
                    let (solver, search) = chosen.map_or(usual, |choice| (choice.solver, choice.search));
                    let settings = self.settings_for(solver, search, particles);
                    still_water(self.gpu, self.wanted.scene.scene, &settings)?
                };
                let mut canvas = match bench.compiling.take() {
                    Some(compiling) => compiling.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?,
                    None => canvas(self.gpu, self.wanted.scene.size, self.depiction.style)?,
                };
                let at_least = bench.measured_for(PICTURES_FOR, class);
                let (splatting, time) = faster_drawing(self.gpu, &mut canvas, &mut water, (self.depiction, at_least))?;
                measured.set_splatting(splatting);
                measured.add_drawing(time);
            }
        }
        Ok(())
    }

    fn settings_for(&self, solver: Solver, search: &'static SearchInfo, particles: u32) -> Settings {
        let mut settings = self.settings.clone();
        settings.search = search;
        settings.size = Size::Count(particles);
        settings.edits.solver = Some(solver);
        settings
    }
}

/// A scene's water at the start, with densities, so that it can be drawn.
pub(super) fn still_water(gpu: &Arc<Gpu>, scene: &Scene, settings: &Settings) -> Result<Simulation, BenchError> {
    let mut water = Simulation::new(gpu, scene, settings)?;
    gpu.submit(|encoder| water.record_densities(encoder, None));
    Ok(water)
}

/// A canvas with the pipelines that draw the water in a style.
pub(super) fn canvas(gpu: &Arc<Gpu>, size: UVec2, style: DrawStyle) -> Result<Canvas, GpuError> {
    let mut canvas = Canvas::with_samples(gpu, size, usual_samples(gpu.capabilities.class))?;
    canvas.renderer_mut().compile(style)?;
    Ok(canvas)
}

/// The faster way to draw a simulation's particles, and the time of a picture with it. The first way is measured for so
/// long.
fn faster_drawing(
    gpu: &Gpu,
    canvas: &mut Canvas,
    simulation: &mut Simulation,
    (depiction, first): (Depiction, Duration),
) -> Result<(Splatting, DrawingTime), BenchError> {
    prepare(gpu, simulation, depiction)?;
    let simulation = &*simulation;
    let mut at_least = first;
    faster(|splatting| {
        let depiction = Depiction { splatting, ..depiction };
        time_drawing(canvas, simulation, depiction, std::mem::replace(&mut at_least, PICTURES_FOR))
    })
}

/// The faster way to draw particles, and its time, of the times that pictures take.
pub(super) fn faster(
    mut time: impl FnMut(Splatting) -> Result<DrawingTime, BenchError>,
) -> Result<(Splatting, DrawingTime), BenchError> {
    let [triangles, compute] = [time(Splatting::Triangles)?, time(Splatting::Compute)?];
    Ok(if compute.milliseconds < triangles.milliseconds {
        (Splatting::Compute, compute)
    } else {
        (Splatting::Triangles, triangles)
    })
}

/// The time of a picture of a simulation that was prepared for it, measured for so long.
pub(super) fn time_drawing(
    canvas: &mut Canvas,
    simulation: &Simulation,
    depiction: Depiction,
    at_least: Duration,
) -> Result<DrawingTime, BenchError> {
    let size = canvas.size();
    let camera = &simulation.scene().camera;
    let view = View::perspective(camera.eye, camera.target, camera.vertical_fov_degrees, size);
    let before = preparing_passes(simulation, depiction);
    let mut draw = |pictures: u32| -> Result<f64, GpuError> {
        let (look, drawn) = depict(simulation, depiction);
        canvas.time(&view, &look, &drawn, (pictures, before))
    };
    let timing = StepTiming { at_least, hopeless: f64::INFINITY };
    let milliseconds = least_of_groups(&timing, MOST_PICTURES, &mut draw)?;
    Ok(DrawingTime {
        style: depiction.style,
        particles: simulation.particles().count,
        pixels: size.x.saturating_mul(size.y),
        milliseconds,
    })
}
