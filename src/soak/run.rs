//! Carries out the actions of an episode and checks the run after each.

use std::path::PathBuf;
use std::sync::Arc;

use glam::{DVec3, Vec3};

use super::Fault;
use super::materials::Scales;
use super::plan::{Action, Plan};
use crate::depiction::{Depiction, depict, prepare};
use crate::fluid::{Push, SavedState, Settings, Simulation, Size, Survey};
use crate::gpu::Gpu;
use crate::render::{Canvas, View};

/// Factor by which particles may be faster than the scene's falls, throws and pushes, of all solvers and gravities that
/// the episode has had. Three is usual in a run (`nearwater simulate` warns beyond); switching the solver adds to it.
const FASTER: f64 = 8.0;
/// Factor by which the density may exceed that at rest.
const DENSER: f32 = 2.5;
/// Density relative to that at rest from which on a new kernel finds the water squeezed. Its pressure then has enough
/// energy for nearly `FASTER`, v = c √(2/7 (r⁶/6 + 1/r − 7/6)) with r this ratio and c ten times the expected speed.
const SQUEEZED: f32 = 1.4;
/// Largest change of the mean velocity of a fluid on which nothing acts, relative to the largest speed: rounding adds
/// up.
const DRIFT: f64 = 1e-3;
/// Fewest and most steps that are recorded into one submission, after which a run can end. Many steps of few particles
/// keep a graphics card busy; few of many end soon.
const STEPS_A_SUBMISSION: std::ops::RangeInclusive<u32> = 8..=64;
/// Particles of all steps of a submission.
const PARTICLES_A_SUBMISSION: u32 = 1 << 17;

/// An episode that is being carried out.
pub(super) struct Run {
    gpu: Arc<Gpu>,
    simulation: Simulation,
    state_file: PathBuf,
    steps: u64,
    /// Speed that the scene was expected to reach at the beginning, m/s, which is what materials are measured by.
    speed_of_scene: f64,
    /// The highest speed that could be expected so far, m/s.
    expected_speed: f64,
    /// The mean velocity at the beginning, m/s, where nothing acts from outside.
    drift: Option<DVec3>,
    /// Whether a new kernel has found the water squeezed since it began.
    is_squeezed: bool,
}

impl Run {
    /// Opens the scene of a plan.
    pub fn begin(gpu: &Arc<Gpu>, plan: &Plan, state_file: PathBuf) -> Result<Self, Fault> {
        let simulation = Simulation::new(gpu, &plan.scene, &plan.settings)?;
        let mut run = Self {
            gpu: Arc::clone(gpu),
            expected_speed: simulation.expected_speed(),
            speed_of_scene: simulation.expected_speed(),
            simulation,
            state_file,
            steps: 0,
            drift: None,
            is_squeezed: false,
        };
        run.check()?;
        if plan.is_isolated {
            run.drift = Some(run.motion()?.mean);
        }
        Ok(run)
    }

    /// Number of time steps so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Carries out an action; steps end early when `is_over` says so.
    pub fn act(&mut self, action: &Action, is_over: &dyn Fn() -> bool) -> Result<(), Fault> {
        match action {
            Action::Steps(count) => self.step(*count, is_over)?,
            Action::Search(of) => self.change(|settings| {
                (settings.search, settings.options) = (of.search, of.options.clone());
            })?,
            Action::Solver(solver) => self.change(|settings| settings.edits.solver = Some(*solver))?,
            Action::Kernel(kernel) => {
                self.change(|settings| settings.kernel = *kernel)?;
                let survey = self.survey()?;
                self.is_squeezed |= survey.highest_density > SQUEEZED * self.simulation.scene().material.rest_density;
            }
            Action::Material { change, share } => {
                let support_radius = self.simulation.resolution().support_radius.into();
                let scales = Scales { speed: self.speed_of_scene, support_radius };
                let material = change.applied_to(&self.simulation.scene().material, *share, &scales);
                // The forces of a tension add up to zero only as far as the curvature is resolved, which the few
                // particles of a ball do not do (`surface_tension.rs`).
                self.drift = self.drift.filter(|_| material.surface_tension <= 0.0);
                self.change(|settings| settings.edits.material = Some(material))?;
            }
            Action::Particles(count) => self.change(|settings| settings.size = Size::Count(*count))?,
            Action::Push { from, to, inward } => self.push(*from, *to, *inward),
            Action::Release => self.simulation.set_push(None),
            Action::Gravity(direction) => {
                let strength = self.simulation.gravity_of_scene().length();
                self.simulation.set_gravity(Some(strength * direction.normalize_or_zero()))?;
            }
            Action::Wall { face, share } => {
                let inset = share * self.simulation.most_wall_inset(*face);
                self.simulation.move_wall(*face, inset)?;
            }
            Action::Reset => {
                self.simulation.reset()?;
                self.is_squeezed = false;
            }
            Action::SaveAndLoad => self.save_and_load()?,
            Action::Picture { size, style } => {
                let mut canvas = Canvas::new(&self.gpu, *size)?;
                let camera = &self.simulation.scene().camera;
                let view = View::perspective(camera.eye, camera.target, camera.vertical_fov_degrees, *size);
                let depiction = Depiction { style: *style, ..Depiction::default() };
                prepare(&self.gpu, &mut self.simulation, depiction)?;
                let (look, drawn) = depict(&self.simulation, depiction);
                let picture = canvas.draw(&view, &look, &drawn, None)?;
                if (picture.width(), picture.height()) != (size.x, size.y) {
                    return Err(Fault::Wrong(format!(
                        "the picture has {}x{} pixels",
                        picture.width(),
                        picture.height()
                    )));
                }
            }
        }
        self.expected_speed = self.expected_speed.max(self.simulation.expected_speed());
        Ok(())
    }

    fn step(&mut self, count: u32, is_over: &dyn Fn() -> bool) -> Result<(), Fault> {
        let particles = self.simulation.resolution().particle_count.max(1);
        let most = (PARTICLES_A_SUBMISSION / particles).clamp(*STEPS_A_SUBMISSION.start(), *STEPS_A_SUBMISSION.end());
        let mut left = count;
        while left > 0 && !is_over() {
            let batch = left.min(most);
            let mut encoder = self.gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            (0..batch).for_each(|_| self.simulation.record_step(&mut encoder, None));
            self.gpu.queue.submit([encoder.finish()]);
            self.gpu.wait()?;
            left -= batch;
            self.steps += u64::from(batch);
        }
        Ok(())
    }

    fn change(&mut self, edit: impl FnOnce(&mut Settings)) -> Result<(), Fault> {
        let mut settings = self.simulation.settings().clone();
        edit(&mut settings);
        Ok(self.simulation.change(&settings)?)
    }

    fn push(&mut self, from: Vec3, to: Vec3, inward: f32) {
        let scene = self.simulation.scene();
        let extent = scene.high - scene.low;
        let speed = self.simulation.expected_speed() as f32;
        self.simulation.set_push(Some(Push {
            origin: scene.low + from * extent,
            direction: (to - from).try_normalize().unwrap_or(Vec3::X),
            velocity: speed * (to - from),
            radius: 0.3 * extent.min_element(),
            inward: inward * speed,
            strength: 1.0,
        }));
    }

    /// Saves the state into a file and loads it. What is read must be what was written, and what is loaded as well.
    fn save_and_load(&mut self) -> Result<(), Fault> {
        let saved = self.simulation.save_state()?;
        saved.write(&self.state_file)?;
        // What cannot be read back is no refusal.
        let read =
            SavedState::read(&self.state_file).map_err(|error| Fault::Wrong(format!("its own state: {error}")))?;
        if read != saved {
            return Err(Fault::Wrong("the state is not read as it was written".to_owned()));
        }
        let loaded = self.simulation.load_state(&read);
        loaded.map_err(|error| Fault::Wrong(format!("the state that was just saved is refused: {error}")))?;
        if self.simulation.save_state()? != saved {
            return Err(Fault::Wrong("a loaded state is not the one that was saved".to_owned()));
        }
        Ok(())
    }

    /// The current densities and what follows from them.
    fn survey(&mut self) -> Result<Survey, Fault> {
        let simulation = &mut self.simulation;
        self.gpu.submit(|encoder| {
            simulation.record_densities(encoder, None);
            simulation.record_survey(encoder);
        });
        self.gpu.wait()?;
        simulation.take_survey().ok_or_else(|| Fault::Device(self.gpu.lost_error("no survey arrived")))
    }

    /// Checks the current state. Returns what is not judged and why: densities where a figure of the solver warns,
    /// and speeds as well where a body weighs less than a particle, or a kernel has found the water squeezed.
    pub fn check(&mut self) -> Result<Option<String>, Fault> {
        let survey = self.survey()?;
        // On a software adapter that ends long loops, nothing can be concluded.
        if survey.loops_cut {
            self.gpu.forget_cut_loops();
            return Err(Fault::Refused("the adapter has cut loops short".to_owned()));
        }
        let warning = self.check_survey(&survey)?;
        self.check_drift()?;
        Ok(warning)
    }

    fn check_survey(&self, survey: &Survey) -> Result<Option<String>, Fault> {
        let wrong = |words: String| Err(Fault::Wrong(words));
        let (simulation, scene) = (&self.simulation, self.simulation.scene());
        let count = simulation.resolution().particle_count;
        let has_reservoir = simulation.has_reservoir();
        if survey.not_finite > 0 {
            return wrong(format!("{} particles are not finite", survey.not_finite));
        }
        if survey.present > count || (survey.present < count && !has_reservoir) {
            return wrong(format!("there are {} particles instead of {count}", survey.present));
        }
        if survey.outside > 0 {
            return wrong(format!("{} particles are outside the box", survey.outside));
        }
        if !scene.solver.is_fluid() || survey.present == 0 {
            return Ok(None);
        }
        if simulation.solid_lighter_than_a_particle().is_some() {
            return Ok(Some("not judged, since a body weighs less than a particle".to_owned()));
        }
        // Where particles rest in groups, as Poly6 lets them, another kernel finds the water compressed, and its
        // pressure throws it apart: 1,880 kg/m³ became 54 m/s where 5.7 are expected.
        if self.is_squeezed {
            return Ok(Some("not judged, since another kernel has found the water squeezed".to_owned()));
        }
        if f64::from(survey.highest_speed) > FASTER * self.expected_speed {
            return wrong(format!(
                "a particle moves at {} m/s where {} m/s are expected",
                survey.highest_speed, self.expected_speed
            ));
        }
        // Densities are judged unless a figure of the solver warns. That is "not converged" of DFSPH: the share of
        // steps in which the iterations end before the divergence is as small as the settings allow, so that pressures
        // are too low to keep the particles apart. Overlay and reports say so; what the density then is, is no secret
        // fault. The mean error of density cannot serve, since it stays small where a few particles are much too dense.
        // Solvers without such a figure are always judged.
        let warning = scene.solver.figures.iter().zip(survey.figures).find(|(figure, value)| figure.is_warning(*value));
        let rest = scene.material.rest_density;
        if warning.is_none() && survey.highest_density > DENSER * rest {
            return wrong(format!("a density is {} kg/m3 where {rest} kg/m3 is that at rest", survey.highest_density));
        }
        Ok(warning.map(|(figure, _)| format!("densities not judged, since \"{}\" warns", figure.name)))
    }

    /// Checks the momentum, as long as no particle is near a wall.
    fn check_drift(&mut self) -> Result<(), Fault> {
        let Some(before) = self.drift else { return Ok(()) };
        let motion = self.motion()?;
        if motion.is_near_wall {
            self.drift = None;
            return Ok(());
        }
        let change = motion.mean.distance(before);
        if change > DRIFT * motion.fastest.max(self.expected_speed) {
            return Err(Fault::Wrong(format!(
                "the mean velocity has changed from {before} to {} m/s, although nothing acts from outside",
                motion.mean
            )));
        }
        Ok(())
    }

    fn motion(&self) -> Result<Motion, Fault> {
        let frame = self.simulation.observe()?;
        let (scene, reach) = (self.simulation.scene(), self.simulation.resolution().support_radius);
        let velocities = frame.velocities.iter().map(|&velocity| Vec3::from(velocity).as_dvec3());
        let (sum, fastest) = velocities
            .fold((DVec3::ZERO, 0.0_f64), |(sum, fastest), velocity| (sum + velocity, fastest.max(velocity.length())));
        let is_inside = |place: Vec3| place.cmpgt(scene.low + reach).all() && place.cmplt(scene.high - reach).all();
        Ok(Motion {
            mean: sum / frame.velocities.len().max(1) as f64,
            fastest,
            is_near_wall: !frame.positions.iter().all(|&place| is_inside(place.into())),
        })
    }
}

/// How the fluid moves as a whole.
struct Motion {
    /// m/s.
    mean: DVec3,
    /// m/s.
    fastest: f64,
    is_near_wall: bool,
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glam::{UVec3, Vec3};

    use super::{Action, Fault, Plan, Run};
    use crate::fluid::{Scene, SceneEdits, Settings, Size, SmoothingKernel};
    use crate::gpu::{Gpu, ShaderLibrary};
    use crate::search::{SearchOptions, search_named};

    fn run(gpu: &Arc<Gpu>, folder: &tempfile::TempDir) -> Result<Run, Fault> {
        let settings = Settings {
            search: search_named("hoetzlein").expect("a search"),
            options: SearchOptions::default(),
            kernel: SmoothingKernel::Poly6,
            size: Size::Count(120),
            seed: 1,
            edits: SceneEdits::default(),
        };
        let scene = Scene::load("spheric_2").expect("it ships with the program");
        Run::begin(gpu, &Plan { scene, settings, actions: Vec::new(), is_isolated: false }, folder.path().join("state"))
    }

    /// Groups of four particles on a lattice on the floor, as dense as water with Poly6.
    fn set_groups(run: &mut Run) {
        let scene = run.simulation.scene();
        let apart = run.simulation.resolution().spacing * 4.0_f32.cbrt();
        let count = run.simulation.resolution().particle_count;
        let (low, high) = (scene.low, scene.high);
        let across = ((high - low) / apart).as_uvec3();
        let place = |particle: u32| {
            let group = particle / 4;
            let along = UVec3::new(group % across.x, group / (across.x * across.z), group / across.x % across.z);
            let beside = [Vec3::ONE, Vec3::NEG_X, Vec3::NEG_Y, Vec3::NEG_Z][particle as usize % 4];
            low + apart * (along.as_vec3() + 0.5 + 0.01 * beside)
        };
        let places: Vec<Vec3> = (0..count).map(place).collect();
        run.simulation.set_particles(&places, &vec![Vec3::ZERO; places.len()]).expect("they are in the box");
    }

    #[test]
    fn the_pressure_of_water_that_another_kernel_finds_squeezed_is_no_fault_until_a_reset() {
        let gpu = Gpu::open(None, ShaderLibrary::embedded()).expect("a device");
        let folder = tempfile::tempdir().expect("a folder");
        let mut run = run(&gpu, &folder).expect("it begins");
        set_groups(&mut run);
        assert_eq!(run.check().expect("dense as water"), None);
        run.act(&Action::Kernel(SmoothingKernel::WendlandC2), &|| false).expect("a kernel");
        run.act(&Action::Steps(10), &|| false).expect("steps");
        let unjudged = run.check().expect("no fault").expect("a reason");
        assert!(unjudged.contains("squeezed"), "{unjudged}");
        run.is_squeezed = false;
        let fault = run.check().expect_err("a fault without that reason").to_string();
        assert!(fault.contains("m/s"), "{fault}");
        run.act(&Action::Reset, &|| false).expect("a reset");
        assert_eq!(run.check().expect("no fault"), None);
    }
}
