//! States to go on from: everything a step depends on, as it lies in the buffers, so that a run that goes on equals one
//! that was never broken off, bit for bit.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::bodies::SavedBodies;
use super::boundaries::SolidSamples;
use super::continuity::diffusion;
use super::flow::{EmitterWords, Flow};
use super::{FluidError, Resolution, Scene, SceneCamera, SceneEdits, Settings, Simulation, Size, SmoothingKernel};
use crate::files::{Fingerprint, state};
use crate::gpu::read_buffer;
use crate::search::{SEARCHES, SearchOptions, search_named};

const CARRIED: &str = "densities kept";
const EMITTERS: &str = "emitters";

/// A simulation's state, and what it was a state of.
#[derive(Clone, Debug, PartialEq)]
pub struct SavedState {
    description: Description,
    /// As [`super::ParticleBuffers`] has them: in the order of the last build.
    positions: Vec<[f32; 4]>,
    velocities: Vec<[f32; 4]>,
    densities: Vec<[f32; 2]>,
    /// What [`Bodies::save`](super::bodies::Bodies::save) tells; empty without any.
    bodies: Vec<u8>,
    /// Where densities are kept from step to step, as `Continuity` has them.
    carried: Option<Vec<[f32; 2]>>,
    /// Where water is poured, the emitters.
    emitters: Option<Vec<EmitterWords>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Description {
    scene: String,
    /// Of what of the scene the water depends on.
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

/// How a run that goes on from a state compares with one that was never broken off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Continuation {
    /// They are equal to the last bit.
    Exact,
    /// It was saved on another device, which rounds in its own way.
    OtherDevice {
        /// Where it was saved.
        saved: String,
        /// Where it goes on.
        here: String,
    },
    /// The search orders the particles in another way each time.
    NotRepeatable {
        /// The search's title.
        search: &'static str,
    },
}

impl fmt::Display for Continuation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact => formatter.write_str("the run goes on bit for bit"),
            Self::OtherDevice { saved, here } => write!(
                formatter,
                "the state was saved on {saved}, and goes on on {here}: the run differs from one that was never broken \
                 off, as devices round in their own ways"
            ),
            Self::NotRepeatable { search } => {
                let names: Vec<_> = SEARCHES.iter().filter(|info| info.repeatable).map(|info| info.name).collect();
                write!(
                    formatter,
                    "{search} sums up in another order each time, so a run that goes on from a state differs from one \
                     that was never broken off; searches that repeat bit for bit are {}",
                    names.join(", ")
                )
            }
        }
    }
}

impl SavedState {
    /// Writes it whole.
    ///
    /// # Errors
    /// When the file cannot be written; an older one stays as it was.
    pub fn write(&self, path: &Path) -> Result<(), FluidError> {
        let mut arrays: Vec<(&str, &[u8])> = vec![
            ("positions", bytemuck::cast_slice(&self.positions)),
            ("velocities", bytemuck::cast_slice(&self.velocities)),
            ("densities", bytemuck::cast_slice(&self.densities)),
            ("bodies", &self.bodies),
        ];
        arrays.extend(self.carried.as_ref().map(|carried| (CARRIED, bytemuck::cast_slice(carried))));
        arrays.extend(self.emitters.as_ref().map(|emitters| (EMITTERS, bytemuck::cast_slice(emitters))));
        Ok(state::write(path, &self.description, &arrays)?)
    }

    /// Reads one.
    ///
    /// # Errors
    /// When the file cannot be read, is none or a damaged one, or was written by another version.
    pub fn read(path: &Path) -> Result<Self, FluidError> {
        let (description, arrays) = state::read::<Description>(path)?;
        let count = description.particle_count as usize;
        let has = |name: &str| arrays.iter().any(|(array, _)| array == name);
        let emitters = description.emitter_count as usize;
        Ok(Self {
            carried: has(CARRIED).then(|| numbers(&arrays, CARRIED, count)).transpose()?,
            emitters: has(EMITTERS).then(|| numbers(&arrays, EMITTERS, emitters)).transpose()?,
            positions: numbers(&arrays, "positions", count)?,
            velocities: numbers(&arrays, "velocities", count)?,
            densities: numbers(&arrays, "densities", count)?,
            bodies: arrays.into_iter().find(|(name, _)| name == "bodies").map(|(_, bytes)| bytes).unwrap_or_default(),
            description,
        })
    }

    /// Name of the scene that it was saved of.
    pub fn scene_name(&self) -> &str {
        &self.description.scene
    }

    /// Refuses a scene that it was not saved of.
    ///
    /// # Errors
    /// When it has another name, or what the water depends on was edited since.
    pub fn check_scene(&self, scene: &Scene) -> Result<(), FluidError> {
        let saved = &self.description;
        if saved.scene != scene.name {
            return Err(FluidError::StateOfOtherScene { saved: saved.scene.clone(), here: scene.name.clone() });
        }
        if saved.scene_fingerprint != fingerprint(scene) {
            return Err(FluidError::StateOfChangedScene(saved.scene.clone()));
        }
        Ok(())
    }

    /// The settings that were in force.
    ///
    /// # Errors
    /// When there is no such search or option any more.
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

/// `count` vectors out of the array of that name.
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
    /// Everything the next step depends on, read back: waits for the device. A push is not part of it.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn save_state(&self) -> Result<SavedState, FluidError> {
        let count = self.state.count as usize;
        let settings = &self.settings;
        let options = settings.search.options.iter();
        Ok(SavedState {
            description: Description {
                scene: self.scene.name.clone(),
                scene_fingerprint: fingerprint(&self.loaded),
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
            positions: read_buffer(&self.gpu, &self.state.positions, count)?,
            velocities: read_buffer(&self.gpu, &self.state.velocities, count)?,
            densities: read_buffer(&self.gpu, &self.sph.densities, count)?,
            bodies: self.bodies.as_ref().map_or(Ok(Vec::new()), |bodies| bodies.save(&self.added))?,
            carried: self
                .sph
                .continuity
                .as_ref()
                .map(|kept| read_buffer(&self.gpu, &kept.carried, count))
                .transpose()?,
            emitters: self.flow.as_ref().map(|flow| flow.emitters(&self.gpu)).transpose()?,
        })
    }

    /// Takes on a state's settings and goes on from it.
    ///
    /// # Errors
    /// When it was saved of another scene, or its settings come to another resolution here, or as
    /// [`Simulation::change`].
    pub fn load_state(&mut self, saved: &SavedState) -> Result<Continuation, FluidError> {
        saved.check_scene(&self.loaded)?;
        let description = &saved.description;
        let settings = saved.settings()?;
        let resolution = settings.resolution(&self.loaded)?;
        let bodies = (!saved.bodies.is_empty()).then(|| SavedBodies::read(&saved.bodies)).transpose()?;
        let in_scene = self.loaded.bodies.len();
        let added = bodies.iter().flat_map(|bodies| &bodies.added);
        let added = (in_scene..).zip(added).map(|(number, body)| {
            Ok((SolidSamples::of_body(number, &body.shape.surface(), resolution.spacing)?, body.clone()))
        });
        let added = added.collect::<Result<Vec<_>, FluidError>>()?;
        if bodies.as_ref().map_or(0, SavedBodies::count) != in_scene + added.len() {
            return Err(FluidError::IncompleteState("bodies"));
        }
        let added_count: usize = added.iter().map(|(solid, _)| solid.points().len()).sum();
        let count = resolution.particle_count + resolution.boundary_count + added_count as u32;
        if count != description.particle_count || bits(&resolution) != description.resolution {
            return Err(FluidError::StateOfOtherResolution { saved: description.particle_count, here: count });
        }
        if diffusion(&settings.edits.applied_to(&self.loaded)).is_some() != saved.carried.is_some() {
            return Err(FluidError::IncompleteState(CARRIED));
        }
        if self.flow.is_some() != saved.emitters.is_some() {
            return Err(FluidError::IncompleteState(EMITTERS));
        }
        if !self.added.is_empty() {
            self.reset()?;
        }
        self.change(&settings)?;
        for (solid, body) in added {
            self.attach(solid, &body)?;
        }
        self.gpu.queue.write_buffer(&self.state.positions, 0, bytemuck::cast_slice(&saved.positions));
        self.gpu.queue.write_buffer(&self.state.velocities, 0, bytemuck::cast_slice(&saved.velocities));
        self.gpu.queue.write_buffer(&self.sph.densities, 0, bytemuck::cast_slice(&saved.densities));
        if let Some(cloths) = &self.cloths {
            cloths.write(&self.gpu, &saved.positions, &saved.velocities);
        }
        if let (Some(kept), Some(carried)) = (&self.sph.continuity, &saved.carried) {
            self.gpu.queue.write_buffer(&kept.carried, 0, bytemuck::cast_slice(carried));
        }
        if let (Some(flow), Some(emitters)) = (&self.flow, &saved.emitters) {
            flow.set_emitters(&self.gpu, emitters);
        }
        self.time = description.time;
        self.step_count = description.step_count;
        if let Some((bodies, saved)) = self.bodies.as_mut().zip(bodies) {
            bodies.restore(saved);
        }
        self.write_bodies();
        let here = self.device_name();
        Ok(if description.device == here {
            self.continuation()
        } else {
            Continuation::OtherDevice { saved: description.device.clone(), here }
        })
    }

    /// What can be said of a state that this simulation saves, on the same device.
    pub fn continuation(&self) -> Continuation {
        let search = self.settings.search;
        // Where several workgroups add to a sum, their order is another each time too.
        if search.repeatable && !self.sph.search.deposits() {
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

/// Of everything about a scene that the water depends on: not of its words, its camera, its probes and its usual count.
fn fingerprint(scene: &Scene) -> u64 {
    let wordless = Scene {
        title: String::new(),
        description: String::new(),
        camera: SceneCamera::default(),
        probes: Vec::new(),
        particles: None,
        ..scene.clone()
    };
    Fingerprint::EMPTY.with(format!("{wordless:?}").as_bytes()).number()
}
