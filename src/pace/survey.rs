//! Times every solver with every search at several numbers of particles, and every style of drawing.

use std::sync::Arc;
use std::time::Duration;

use glam::UVec2;

use super::measure::{canvas, faster, still_water, time_drawing};
use super::{DeviceBook, DrawingTime, Motion, StepTime};
use crate::bench::{BenchError, StepTiming, time_of_more_steps, time_of_step};
use crate::depiction::{Depiction, prepare};
use crate::fluid::{Scene, Settings, Simulation, Size, Solver};
use crate::gpu::{AdapterClass, Gpu};
use crate::render::{DrawStyle, Splatting};
use crate::search::{SEARCHES, SearchInfo};

/// Simulated time after which water counts as moving, s. The column of the dam break has fallen about half its height
/// then.
const MOVING_FROM: f64 = 0.3;
/// How long steps are timed.
const STEPS_FOR: Duration = Duration::from_millis(100);
/// How long pictures are timed. A device that was idle while the processor made the water raises its clock in that
/// time.
const PICTURES_FOR: Duration = Duration::from_millis(500);
/// A search is not timed with more particles once its steps take longer than this, ms.
const LONGEST_STEP: f64 = 250.0;
/// Longest wall-clock time until the water moves; where it would take longer, the time of moving water is that of the
/// first steps.
const LONGEST_WAY: f64 = 12.0;

/// A survey of a device in one scene.
pub struct PaceSurvey<'a> {
    /// The device.
    pub gpu: &'a Arc<Gpu>,
    /// The scene.
    pub scene: &'a Scene,
    /// Its settings, apart from solver, search and number of particles.
    pub settings: &'a Settings,
}

/// A measured time.
#[derive(Clone, Debug)]
pub enum Surveyed {
    /// Of a step.
    Step(StepTime),
    /// Of a picture.
    Drawing(DrawingTime),
    /// The faster way to draw particles, which the times of pictures after it are of.
    Splatting(Splatting),
}

impl PaceSurvey<'_> {
    /// Measures everything and passes each time to `heard` as soon as it is known.
    ///
    /// # Errors
    /// When the device fails. Pairs that refuse the scene are left out.
    pub fn run(&self, mut heard: impl FnMut(Surveyed)) -> Result<(), BenchError> {
        for solver in Solver::fluids() {
            for &search in SEARCHES {
                for &particles in self.counts() {
                    match self.steps(solver, search, particles) {
                        Ok([start, moving]) => {
                            let slowest = start.milliseconds.max(moving.milliseconds);
                            heard(Surveyed::Step(start));
                            heard(Surveyed::Step(moving));
                            if slowest > LONGEST_STEP {
                                break;
                            }
                        }
                        Err(BenchError::Fluid(error)) if error.is_refusal() => break,
                        Err(error) => return Err(error),
                    }
                }
            }
        }
        let splatting = self.faster_splatting()?;
        heard(Surveyed::Splatting(splatting));
        for style in DrawStyle::ALL {
            for picture in self.pictures() {
                let depiction = Depiction { style, splatting, ..Depiction::default() };
                heard(Surveyed::Drawing(self.drawing(picture, depiction)?));
            }
        }
        Ok(())
    }

    /// The faster way to draw many particles in the usual style.
    fn faster_splatting(&self) -> Result<Splatting, BenchError> {
        let style = DrawStyle::default_for(self.gpu.capabilities.class);
        let [_, picture, _] = self.pictures();
        let time = |splatting| self.drawing(picture, Depiction { style, splatting, ..Depiction::default() });
        Ok(faster(time)?.0)
    }

    fn drawing(&self, (particles, size): (u32, UVec2), depiction: Depiction) -> Result<DrawingTime, BenchError> {
        let settings = self.settings_for(self.scene.solver, self.settings.search, particles);
        let mut water = still_water(self.gpu, self.scene, &settings)?;
        prepare(self.gpu, &mut water, depiction)?;
        time_drawing(&mut canvas(self.gpu, size, depiction.style)?, &water, depiction, PICTURES_FOR)
    }

    /// The time of a step at the start and in motion.
    fn steps(&self, solver: Solver, search: &'static SearchInfo, particles: u32) -> Result<[StepTime; 2], BenchError> {
        let settings = self.settings_for(solver, search, particles);
        let timing = StepTiming { at_least: STEPS_FOR, hopeless: f64::INFINITY };
        let start = time_of_step(self.gpu, self.scene, &settings, &timing)?;
        let mut simulation = Simulation::new(self.gpu, self.scene, &settings)?;
        let steps = (MOVING_FROM / f64::from(simulation.resolution().time_step)).ceil();
        let mut moving = start;
        if steps * start < LONGEST_WAY * 1e3 {
            for _ in 0..steps as u64 {
                self.gpu.submit(|encoder| simulation.record_step(encoder, None));
            }
            moving = time_of_more_steps(&mut simulation, self.gpu, &timing)?;
        }
        Ok([(Motion::Start, start), (Motion::Moving, moving)].map(|(motion, milliseconds)| StepTime {
            solver: solver.name().into(),
            search: search.name.into(),
            particles: simulation.particles().count,
            motion,
            milliseconds,
        }))
    }

    fn settings_for(&self, solver: Solver, search: &'static SearchInfo, particles: u32) -> Settings {
        let mut settings = Settings { search, size: Size::Count(particles), ..self.settings.clone() };
        settings.edits.solver = Some(solver);
        settings
    }

    fn counts(&self) -> &'static [u32] {
        match self.gpu.capabilities.class {
            AdapterClass::Discrete => &[8_192, 32_768, 131_072, 524_288, 2_097_152],
            AdapterClass::Integrated => &[8_192, 32_768, 131_072, 524_288],
            AdapterClass::Software => &[2_048, 4_096, 16_384],
        }
    }

    /// Numbers of particles and sizes of pictures from which the cost of a particle and of a pixel follow.
    fn pictures(&self) -> [(u32, UVec2); 3] {
        let [few, many, small, large] = match self.gpu.capabilities.class {
            AdapterClass::Software => [2_048, 16_384, 320, 640],
            AdapterClass::Discrete | AdapterClass::Integrated => [65_536, 524_288, 960, 1_920],
        };
        let size = |width: u32| UVec2::new(width, width * 5 / 8);
        [(few, size(small)), (many, size(small)), (few, size(large))]
    }
}

/// Adds what a survey has found to a book.
impl Extend<Surveyed> for DeviceBook {
    fn extend<T: IntoIterator<Item = Surveyed>>(&mut self, found: T) {
        for found in found {
            match found {
                Surveyed::Step(time) => self.add_step(time),
                Surveyed::Drawing(time) => self.add_drawing(time),
                Surveyed::Splatting(splatting) => self.set_splatting(splatting),
            }
        }
    }
}
