//! Saved states: everything that a step depends on, exactly as it is in the buffers, so that a run that resumes from
//! a saved state equals an uninterrupted run bit for bit.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::context::{Carried, CarriedArray};
use super::flow::{Flow, GpuEmitter};
use super::model::Features;
use super::solids::bodies::{Bodies, SavedBodies, samples_of};
use super::solvers::{SOLVERS, SolverInfo, SolverSetting};
use super::{FluidError, Resolution, Scene, SceneCamera, SceneEdits, Settings, Simulation, Size, SmoothingKernel};
use crate::files::{Fingerprint, state};
use crate::gpu::read_buffer;
use crate::search::{SEARCHES, SearchOptions, search_named};

const EMITTERS: &str = "emitters";
/// Names of the arrays that are saved for every solver.
const OWN: [&str; 5] = ["positions", "velocities", "densities", "bodies", EMITTERS];

/// A simulation's state, and a description of the scene, settings and device that it was saved with.
#[derive(Clone, Debug, PartialEq)]
pub struct SavedState {
    description: Description,
    /// As in [`super::ParticleBuffers`]: in the order of the last build.
    positions: Vec<[f32; 4]>,
    velocities: Vec<[f32; 4]>,
    densities: Vec<[f32; 2]>,
    /// The result of [`Bodies::save`]; empty where the scene has no bodies.
    bodies: Vec<u8>,
    /// The arrays that the solver carries from step to step, with their labels.
    carried: Vec<(String, Vec<u8>)>,
    /// The emitters, where the scene has a reservoir or drains.
    emitters: Option<Vec<GpuEmitter>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Description {
    scene: String,
    /// Fingerprint of everything in the scene that the motion depends on.
    scene_fingerprint: u64,
    /// Adapter and driver.
    device: String,
    search: String,
    options: Vec<String>,
    kernel: SmoothingKernel,
    size: Size,
    seed: u64,
    edits: SceneEdits,
    particle_count: u32,
    emitter_count: u32,
    /// Bits of spacing, support radius, particle mass and time step.
    resolution: [u32; 4],
    /// s.
    time: f64,
    step_count: u64,
}

/// How a run that resumes from a saved state compares with an uninterrupted one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Continuation {
    /// The two runs are equal to the last bit.
    Exact,
    /// The state was saved on another device, which rounds differently.
    OtherDevice {
        /// The device where it was saved.
        saved: String,
        /// The device where the run resumes.
        here: String,
    },
    /// The search sums up in an order that differs from run to run.
    NotRepeatable {
        /// The search's title.
        search: &'static str,
    },
}

impl fmt::Display for Continuation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact => formatter.write_str("the run resumes bit for bit"),
            Self::OtherDevice { saved, here } => write!(
                formatter,
                "the state was saved on {saved} and resumes on {here}: the run differs from an uninterrupted one, \
                 because devices round differently"
            ),
            Self::NotRepeatable { search } => {
                let names: Vec<_> = SEARCHES.iter().filter(|info| info.repeatable).map(|info| info.name).collect();
                write!(
                    formatter,
                    "{search} sums up in an order that differs from run to run, so a run that resumes from a saved \
                     state differs from an uninterrupted one; searches that repeat bit for bit are {}",
                    names.join(", ")
                )
            }
        }
    }
}

impl SavedState {
    /// Writes the state to a file.
    ///
    /// # Errors
    /// When the file cannot be written; an existing file is left unchanged.
    pub fn write(&self, path: &Path) -> Result<(), FluidError> {
        let mut arrays: Vec<(&str, &[u8])> = vec![
            ("positions", bytemuck::cast_slice(&self.positions)),
            ("velocities", bytemuck::cast_slice(&self.velocities)),
            ("densities", bytemuck::cast_slice(&self.densities)),
            ("bodies", &self.bodies),
        ];
        arrays.extend(self.carried.iter().map(|(label, bytes)| (label.as_str(), bytes.as_slice())));
        arrays.extend(self.emitters.as_ref().map(|emitters| (EMITTERS, bytemuck::cast_slice(emitters))));
        Ok(state::write(path, &self.description, &arrays)?)
    }

    /// Reads a state from a file.
    ///
    /// # Errors
    /// When the file cannot be read, is not a saved state, is damaged, or was written by an incompatible version.
    pub fn read(path: &Path) -> Result<Self, FluidError> {
        let (description, arrays) = state::read::<Description>(path)?;
        let count = description.particle_count as usize;
        let has = |name: &str| arrays.iter().any(|(array, _)| array == name);
        let emitters = description.emitter_count as usize;
        Ok(Self {
            emitters: has(EMITTERS).then(|| numbers(&arrays, EMITTERS, emitters)).transpose()?,
            positions: numbers(&arrays, "positions", count)?,
            velocities: numbers(&arrays, "velocities", count)?,
            densities: numbers(&arrays, "densities", count)?,
            bodies: arrays
                .iter()
                .find(|(name, _)| name == "bodies")
                .map(|(_, bytes)| bytes.clone())
                .unwrap_or_default(),
            carried: arrays.into_iter().filter(|(name, _)| !OWN.contains(&name.as_str())).collect(),
            description,
        })
    }

    /// The saved bytes of an array that the solver carries.
    fn bytes_of(&self, array: &CarriedArray) -> Result<&[u8], FluidError> {
        let length = self.positions.len() * array.words as usize * size_of::<u32>();
        let found = self.carried.iter().find(|(label, bytes)| label == array.label && bytes.len() == length);
        found.map(|(_, bytes)| bytes.as_slice()).ok_or(FluidError::IncompleteState(array.label))
    }

    /// Name of the scene that the state was saved from.
    pub fn scene_name(&self) -> &str {
        &self.description.scene
    }

    /// Refuses a scene that the state was not saved from.
    ///
    /// # Errors
    /// When the scene has another name, or was edited since in a way that affects the motion.
    pub fn check_scene(&self, scene: &Scene) -> Result<(), FluidError> {
        let saved = &self.description;
        if saved.scene != scene.name {
            return Err(FluidError::StateOfOtherScene { saved: saved.scene.clone(), here: scene.name.clone() });
        }
        // The fingerprint of an older state does not cover the settings of solvers that were added after it was
        // saved.
        let known = (1..=SOLVERS.len()).map(|count| fingerprint(scene, &SOLVERS[..count]));
        if !known.into_iter().any(|known| known == saved.scene_fingerprint) {
            return Err(FluidError::StateOfChangedScene(saved.scene.clone()));
        }
        Ok(())
    }

    /// The settings that were in force.
    ///
    /// # Errors
    /// When the search or one of its options no longer exists.
    pub fn settings(&self) -> Result<Settings, FluidError> {
        let saved = &self.description;
        let mut options = SearchOptions::default();
        for option in &saved.options {
            options.parse(option)?;
        }
        Ok(Settings {
            search: search_named(&saved.search)?,
            options,
            kernel: saved.kernel,
            size: saved.size,
            seed: saved.seed,
            edits: saved.edits.clone(),
        })
    }
}

/// The `count` elements of the array with that name.
fn numbers<T: bytemuck::Pod>(
    arrays: &[(String, Vec<u8>)],
    name: &'static str,
    count: usize,
) -> Result<Vec<T>, FluidError> {
    let bytes = arrays.iter().find(|(array, _)| array == name).map(|(_, bytes)| bytes);
    let bytes = bytes.filter(|bytes| bytes.len() == count * size_of::<T>());
    Ok(bytemuck::pod_collect_to_vec(bytes.ok_or(FluidError::IncompleteState(name))?))
}

impl Simulation {
    /// Reads back everything that the next step depends on, and waits for the device. A push is not included.
    ///
    /// # Errors
    /// When the device is lost, or an edited shader has moved the particles.
    pub fn save_state(&self) -> Result<SavedState, FluidError> {
        if self.gpu.shaders().edits().has_written() {
            return Err(FluidError::EditedShaders);
        }
        let count = self.state.count as usize;
        let settings = &self.settings;
        let options = settings.search.options.iter();
        Ok(SavedState {
            description: Description {
                scene: self.scene.name.clone(),
                scene_fingerprint: fingerprint(&self.loaded, SOLVERS),
                device: self.device_name(),
                search: settings.search.name.to_owned(),
                options: options.map(|option| settings.options.written(option)).collect(),
                kernel: settings.kernel,
                size: settings.size,
                seed: settings.seed,
                edits: settings.edits.clone(),
                particle_count: self.state.count,
                emitter_count: self.flow.as_ref().map_or(0, Flow::emitter_count),
                resolution: bits(&self.resolution),
                time: self.time,
                step_count: self.step_count,
            },
            positions: self.positions_of_state()?,
            velocities: read_buffer(&self.gpu, &self.state.velocities, count)?,
            densities: read_buffer(&self.gpu, &self.model.context.densities, count)?,
            bodies: self.solid::<Bodies>().map_or(Ok(Vec::new()), Bodies::save)?,
            carried: self.model.context.carried.iter().map(|carried| self.saved(carried)).collect::<Result<_, _>>()?,
            emitters: self.flow.as_ref().map(|flow| flow.emitters(&self.gpu)).transpose()?,
        })
    }

    fn saved(&self, carried: &Carried) -> Result<(String, Vec<u8>), FluidError> {
        let words = self.state.count as usize * carried.array.words as usize;
        let words: Vec<u32> = read_buffer(&self.gpu, &carried.unsorted, words)?;
        Ok((carried.array.label.to_owned(), bytemuck::cast_slice(&words).to_vec()))
    }

    /// Positions, m, with 0 in the fourth component. The device stores there the place of the particle before the
    /// last sort, which no step reads and which would make the bytes of two equivalent states differ.
    fn positions_of_state(&self) -> Result<Vec<[f32; 4]>, FluidError> {
        let mut positions: Vec<[f32; 4]> = read_buffer(&self.gpu, &self.state.positions, self.state.count as usize)?;
        for position in &mut positions {
            position[3] = 0.0;
        }
        Ok(positions)
    }

    /// Applies a state's settings and resumes from it.
    ///
    /// # Errors
    /// When the state was saved from another scene, or its settings lead to another resolution here, or as
    /// [`Simulation::change`].
    pub fn load_state(&mut self, saved: &SavedState) -> Result<Continuation, FluidError> {
        saved.check_scene(&self.loaded)?;
        let description = &saved.description;
        let settings = saved.settings()?;
        let resolution = settings.resolution(&self.loaded)?;
        let bodies = (!saved.bodies.is_empty()).then(|| SavedBodies::read(&saved.bodies)).transpose()?;
        let in_scene = self.loaded.bodies.len();
        let added = bodies.iter().flat_map(|bodies| &bodies.added);
        let added = (in_scene..)
            .zip(added)
            .map(|(number, body)| Ok((samples_of(number, &body.shape.surface(), resolution.spacing)?, body.clone())));
        let added = added.collect::<Result<Vec<_>, FluidError>>()?;
        if bodies.as_ref().map_or(0, SavedBodies::count) != in_scene + added.len() {
            return Err(FluidError::IncompleteState("bodies"));
        }
        let added_count: usize = added.iter().map(|(solid, _)| solid.points().len()).sum();
        let count = resolution.particle_count + resolution.boundary_count + added_count as u32;
        if count != description.particle_count || bits(&resolution) != description.resolution {
            return Err(FluidError::StateOfOtherResolution { saved: description.particle_count, here: count });
        }
        let edited = settings.edits.applied_to(&self.loaded);
        for array in (edited.solver.carried)(&Features::of(&edited).shape) {
            saved.bytes_of(array)?;
        }
        if self.flow.is_some() != saved.emitters.is_some() {
            return Err(FluidError::IncompleteState(EMITTERS));
        }
        if self.solids.iter().any(|solid| solid.has_additions()) {
            self.reset()?;
        }
        self.change(&settings)?;
        for (solid, body) in added {
            self.attach(solid, &body)?;
        }
        self.gpu.queue.write_buffer(&self.state.positions, 0, bytemuck::cast_slice(&saved.positions));
        self.gpu.queue.write_buffer(&self.state.velocities, 0, bytemuck::cast_slice(&saved.velocities));
        self.gpu.queue.write_buffer(&self.model.context.densities, 0, bytemuck::cast_slice(&saved.densities));
        let (positions, velocities) = (&saved.positions, &saved.velocities);
        self.solids.iter().for_each(|solid| solid.take_particles(&self.gpu, positions, velocities));
        for carried in &self.model.context.carried {
            self.gpu.queue.write_buffer(&carried.unsorted, 0, saved.bytes_of(carried.array)?);
        }
        if let (Some(flow), Some(emitters)) = (&self.flow, &saved.emitters) {
            flow.set_emitters(&self.gpu, emitters);
        }
        self.time = description.time;
        self.step_count = description.step_count;
        if let Some((bodies, saved)) = self.solid_mut::<Bodies>().zip(bodies) {
            bodies.restore(saved);
        }
        self.place_solids();
        let here = self.device_name();
        Ok(if description.device == here {
            self.continuation()
        } else {
            Continuation::OtherDevice { saved: description.device.clone(), here }
        })
    }

    /// How exactly a run on the same device resumes from a state that this simulation saves.
    pub fn continuation(&self) -> Continuation {
        let search = self.settings.search;
        // Where several workgroups add to one sum, the order of the additions also differs from run to run.
        if search.repeatable && !self.model.context.search.deposits() {
            Continuation::Exact
        } else {
            Continuation::NotRepeatable { search: search.title }
        }
    }

    fn device_name(&self) -> String {
        let capabilities = &self.gpu.capabilities;
        format!("{} ({})", capabilities.name, capabilities.driver)
    }
}

fn bits(resolution: &Resolution) -> [u32; 4] {
    [resolution.spacing, resolution.support_radius, resolution.particle_mass, resolution.time_step].map(f32::to_bits)
}

/// The fingerprint of everything in a scene that the motion depends on, which excludes its texts, its camera, its
/// probes and its default particle count. It covers all settings of each solver in `solvers`, written as when each
/// solver had a field of its own in the scene, so that states saved at that time can still be read.
fn fingerprint(scene: &Scene, solvers: &[&SolverInfo]) -> u64 {
    let wordless = Scene {
        title: String::new(),
        description: String::new(),
        camera: SceneCamera::default(),
        probes: Vec::new(),
        particles: None,
        ..scene.clone()
    };
    let groups: Vec<_> = solvers
        .iter()
        .filter(|info| !info.settings.is_empty())
        .map(|info| {
            let value = |setting: &&SolverSetting| setting.written(scene.solver_settings.value(setting));
            let numbers = info.settings.iter().map(|setting| format!("{}: {}", setting.name, value(setting)));
            format!("{}: {} {{ {} }}", info.name, info.scene_name, numbers.collect::<Vec<_>>().join(", "))
        })
        .collect();
    let settings = format!("solver_settings: {:?}", scene.solver_settings);
    let text = format!("{wordless:?}").replacen(&settings, &groups.join(", "), 1);
    Fingerprint::EMPTY.with(text.as_bytes()).number()
}
