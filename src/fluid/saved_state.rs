//! Saved states: everything that a step depends on, exactly as it is in the buffers, so that a run that resumes from
//! a saved state equals an uninterrupted run bit for bit.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::context::{Carried, CarriedArray};
use super::flow::{Flow, GpuEmitter, Parking, check_emitters};
use super::foam::{SavedFoam, foam_capacity};
use super::hands::SavedHands;
use super::model::Features;
use super::particles::check_size;
use super::solids::{SOLIDS, SavedArrays, SavedInput, SolidInfo};
use super::solvers::{SOLVERS, SolverInfo, SolverSetting};
use super::{FluidError, Resolution, Scene, SceneCamera, SceneEdits, Settings, Simulation, Size, SmoothingKernel};
use crate::files::{Fingerprint, state};
use crate::gpu::read_buffer;
use crate::search::same_value;
use crate::search::{SEARCHES, SearchOptions, search_named};

const EMITTERS: &str = "emitters";
/// Names of the arrays that are saved for every solver and every kind of solid.
const OWN: [&str; 4] = ["positions", "velocities", "densities", EMITTERS];

/// Latest time of a state, s, and its largest number of steps: beyond any run, and exact in double precision.
const LATEST: f64 = 1e15;
const MOST_STEPS: u64 = 1 << 53;

/// A simulation's state, and a description of the scene, settings and device that it was saved with.
///
/// ```
/// use nearwater::fluid::{SavedState, Simulation};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let gpu = nearwater::gpu::Gpu::open(None, nearwater::gpu::ShaderLibrary::embedded())?;
/// # let scene = nearwater::fluid::Scene::load("dam_break")?;
/// # let settings = nearwater::fluid::Settings::with_particles(500);
/// let mut simulation = Simulation::new(&gpu, &scene, &settings)?;
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("dam_break.nearwater");
/// simulation.save_state()?.write(&file)?;
///
/// let state = SavedState::read(&file)?;
/// state.check_scene(&scene)?;
/// println!("{}", simulation.load_state(&state)?);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SavedState {
    description: Description,
    /// As in [`super::ParticleBuffers`]: in the order of the last build.
    positions: Vec<[f32; 4]>,
    velocities: Vec<[f32; 4]>,
    densities: Vec<[f32; 2]>,
    /// The arrays of the kinds of solids and of foam, and those that the solver carries from step to step under their
    /// labels.
    others: SavedArrays,
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
        ];
        arrays.extend(self.others.iter());
        arrays.extend(self.emitters.as_ref().map(|emitters| (EMITTERS, bytemuck::cast_slice(emitters))));
        Ok(state::write(path, &self.description, &arrays)?)
    }

    /// Reads a state from a file.
    ///
    /// # Errors
    /// When the file cannot be read, is not a saved state, is damaged, was written by an incompatible version, or
    /// contains numbers that are not finite.
    pub fn read(path: &Path) -> Result<Self, FluidError> {
        let (description, arrays) = state::read::<Description>(path)?;
        let count = description.particle_count as usize;
        let has = |name: &str| arrays.iter().any(|(array, _)| array == name);
        let emitters = description.emitter_count as usize;
        let state = Self {
            emitters: has(EMITTERS).then(|| numbers(&arrays, EMITTERS, emitters)).transpose()?,
            positions: numbers(&arrays, "positions", count)?,
            velocities: numbers(&arrays, "velocities", count)?,
            densities: numbers(&arrays, "densities", count)?,
            others: arrays.into_iter().filter(|(name, _)| !OWN.contains(&name.as_str())).collect::<Vec<_>>().into(),
            description,
        };
        state.check_numbers()?;
        Ok(state)
    }

    /// Refuses particles that are not finite, which no run that could be saved contains.
    fn check_numbers(&self) -> Result<(), FluidError> {
        let is_finite = |numbers: &[f32]| numbers.iter().all(|number| number.is_finite());
        // The fourth component of a velocity is the particle's number.
        let are_finite = |place: usize| {
            is_finite(&self.positions[place][..3])
                && is_finite(&self.velocities[place][..3])
                && is_finite(&self.densities[place][..1])
        };
        let count = self.positions.len();
        let broken = (0..count).filter(|&place| !are_finite(place)).count();
        if broken > 0 {
            return Err(FluidError::StateNotFinite { broken, count });
        }
        let Description { time, step_count, .. } = self.description;
        if !((0.0..=LATEST).contains(&time) && step_count <= MOST_STEPS) {
            return Err(FluidError::StateTime { time, step_count });
        }
        self.check_identities()
    }

    /// Refuses velocities whose fourth words are not the original indices of the particles, each once. Shaders use them
    /// as indices without a check.
    fn check_identities(&self) -> Result<(), FluidError> {
        let mut is_there = vec![false; self.velocities.len()];
        for velocity in &self.velocities {
            match is_there.get_mut(velocity[3].to_bits() as usize) {
                Some(found) if !*found => *found = true,
                _ => {
                    let wanted = "those from 0 on, each once";
                    return Err(FluidError::StateContent { what: "the numbers of its particles", wanted });
                }
            }
        }
        Ok(())
    }

    /// The saved bytes of an array that the solver carries, which contains finite numbers.
    fn bytes_of(&self, array: &CarriedArray) -> Result<&[u8], FluidError> {
        let length = self.positions.len() * array.words as usize * size_of::<u32>();
        let found = self.others.get(array.label).filter(|bytes| bytes.len() == length);
        let bytes = found.ok_or(FluidError::IncompleteState(array.label))?;
        if bytemuck::pod_collect_to_vec::<u8, f32>(bytes).iter().all(|number| number.is_finite()) {
            Ok(bytes)
        } else {
            Err(FluidError::StateContent { what: array.label, wanted: "finite numbers" })
        }
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
        // The fingerprint of an older state does not cover solvers, kinds of solids and last settings of solvers that
        // were added after it was saved.
        let of = |solvers: usize, fewer| {
            (1..=SOLIDS.len()).map(move |kinds| fingerprint(scene, &SOLVERS[..solvers], &SOLIDS[..kinds], fewer))
        };
        let with_fewer = |solvers: usize| (0..1 << solvers).flat_map(move |fewer| of(solvers, fewer));
        let mut known = (1..=SOLVERS.len()).flat_map(with_fewer);
        if !known.any(|known| known == saved.scene_fingerprint) {
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
    /// Reads back everything that the next step depends on, and waits for the device. Neither a push nor a spout is
    /// included.
    ///
    /// # Errors
    /// When the device is lost, or an edited shader has moved the particles.
    pub fn save_state(&self) -> Result<SavedState, FluidError> {
        if self.gpu.shaders().edits().has_written() {
            return Err(FluidError::EditedShaders);
        }
        let count = self.state.count as usize;
        let settings = &self.settings;
        let options = settings.search.all_options();
        let mut others = SavedArrays::default();
        self.solids.iter().try_for_each(|solid| solid.save(&self.gpu, &mut others))?;
        for carried in &self.model.context.carried {
            others.add(carried.array.label, self.saved(carried)?);
        }
        if let Some(foam) = &self.foam {
            foam.save(&self.gpu, &mut others)?;
        }
        SavedHands::save(&self.hands, &mut others);
        Ok(SavedState {
            description: Description {
                scene: self.scene.name.clone(),
                scene_fingerprint: fingerprint(&self.loaded, SOLVERS, SOLIDS, 0),
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
            others,
            emitters: self.flow.as_ref().map(|flow| flow.emitters(&self.gpu)).transpose()?,
        })
    }

    fn saved(&self, carried: &Carried) -> Result<Vec<u8>, FluidError> {
        let words = self.state.count as usize * carried.array.words as usize;
        let words: Vec<u32> = read_buffer(&self.gpu, &carried.unsorted, words)?;
        Ok(bytemuck::cast_slice(&words).to_vec())
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
        let edited = settings.edits.applied_to(&self.loaded);
        edited.check(&edited.name)?;
        check_size(&self.gpu, &edited, settings.size)?;
        let mut resolution = settings.resolution(&self.loaded)?;
        let input = SavedInput { scene: &self.loaded, resolution: &resolution, arrays: &saved.others };
        let (mut solids, mut additions) = (Vec::new(), Vec::new());
        for info in self.loaded.solids.every_kind() {
            if let Some(mut state) = (info.read_state)(&input)? {
                additions.extend(state.additions());
                solids.push((info, state));
            }
        }
        let mut all = edited.clone();
        for addition in &additions {
            addition.list(&mut all);
        }
        resolution.shorten_step(&edited, &all, settings.kernel);
        let added_count: usize = additions.iter().map(|addition| addition.count()).sum();
        let hands = SavedHands::read(&saved.others, &self.loaded, &resolution)?;
        let removed_count: usize = solids.iter().map(|(_, state)| state.removed_count()).sum();
        let of_solids = (resolution.boundary_count as usize + added_count).saturating_sub(removed_count);
        let count = u64::from(resolution.particle_count) + u64::from(hands.poured) + of_solids as u64;
        if count != u64::from(description.particle_count) || !is_same(bits(&resolution), description.resolution) {
            return Err(FluidError::StateOfOtherResolution { saved: description.particle_count, here: count });
        }
        for array in (edited.solver.carried)(&Features::of(&edited).shape) {
            saved.bytes_of(array)?;
        }
        let foam = SavedFoam::read(&saved.others, foam_capacity(&self.gpu, &edited, &settings.edits, &resolution))?;
        let flows = Parking::new(&edited, &resolution).is_some() || hands.poured > 0;
        if flows != saved.emitters.is_some() {
            return Err(FluidError::IncompleteState(EMITTERS));
        }
        if let Some(emitters) = &saved.emitters {
            let spouts = usize::from(hands.poured > 0);
            check_emitters(emitters, edited.emitters.len() + spouts, resolution.spacing)?;
        }
        if self.hands.poured_count() > 0 || self.solids.iter().any(|solid| solid.has_additions()) {
            self.reset()?;
        }
        self.change(&settings)?;
        additions.into_iter().try_for_each(|addition| self.add_solid(addition))?;
        for (info, state) in &solids {
            state.removed().into_iter().try_for_each(|number| self.set_solid_removed(info, number, true))?;
        }
        if hands.poured > 0 {
            self.grow_reservoir(hands.poured)?;
        }
        self.gpu.queue.write_buffer(&self.state.positions, 0, bytemuck::cast_slice(&saved.positions));
        self.gpu.queue.write_buffer(&self.state.velocities, 0, bytemuck::cast_slice(&saved.velocities));
        self.gpu.queue.write_buffer(&self.model.context.densities, 0, bytemuck::cast_slice(&saved.densities));
        let (positions, velocities) = (&saved.positions, &saved.velocities);
        self.solids.iter().for_each(|solid| solid.take_particles(&self.gpu, positions, velocities));
        self.restore_carried(saved)?;
        self.smoothing.forget();
        if let Some(of_state) = &self.foam {
            of_state.restore(&self.gpu, foam.as_ref());
        }
        if let (Some(flow), Some(emitters)) = (&self.flow, &saved.emitters) {
            flow.restore_emitters(&self.gpu, emitters);
        }
        self.time = description.time;
        self.step_count = description.step_count;
        self.model.has_forces = false;
        for (info, state) in solids {
            let place = self.place_of(info);
            if let Some(solids) = self.solids.get_mut(place) {
                state.restore(&self.gpu, solids.as_mut());
            }
        }
        self.restore_hands(hands);
        self.place_solids();
        let here = self.device_name();
        Ok(if description.device == here {
            self.continuation()
        } else {
            Continuation::OtherDevice { saved: description.device.clone(), here }
        })
    }

    /// Restores the arrays that the solver carries, for example after another search has reset them.
    ///
    /// # Errors
    /// When the state lacks one of them.
    pub(super) fn restore_carried(&self, saved: &SavedState) -> Result<(), FluidError> {
        for carried in &self.model.context.carried {
            self.gpu.queue.write_buffer(&carried.unsorted, 0, saved.bytes_of(carried.array)?);
        }
        Ok(())
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

/// Whether two resolutions agree in all that their motion depends on: the mass, the third number, follows from the
/// rest. In states that were saved before 2026-11-24 a particle is up to 4 % lighter.
fn is_same(one: [u32; 4], other: [u32; 4]) -> bool {
    [0, 1, 3].iter().all(|&place| one[place] == other[place])
}

fn bits(resolution: &Resolution) -> [u32; 4] {
    [resolution.spacing, resolution.support_radius, resolution.particle_mass, resolution.time_step].map(f32::to_bits)
}

/// The fingerprint of everything in a scene that the motion depends on, which excludes its texts, its camera, its
/// probes and its default particle count. It covers all settings of each solver in `solvers`, and the solids of each
/// kind in `kinds` and of others that the scene has, written as when each solver and each kind had a field of its own
/// in the scene, so that states saved at that time can still be read. Each bit of `fewer` leaves out the last setting
/// of the solver at its place, if it has its default value: settings that are added later stand last.
fn fingerprint(scene: &Scene, solvers: &[&SolverInfo], kinds: &[&SolidInfo], fewer: u32) -> u64 {
    let wordless = Scene {
        title: String::new(),
        description: String::new(),
        camera: SceneCamera::default(),
        probes: Vec::new(),
        particles: None,
        ..scene.clone()
    };
    let is_default = |setting: &SolverSetting| same_value(scene.solver_settings.value(setting), setting.default);
    let groups: Vec<_> = (0..)
        .zip(solvers)
        .filter(|(_, info)| match info.settings {
            [] => false,
            // A solver that had no setting when states were saved may have got one since.
            [only] => !is_default(only),
            _ => true,
        })
        .map(|(place, info): (u32, _)| {
            let value = |setting: &&SolverSetting| setting.written(scene.solver_settings.value(setting));
            let settings = match info.settings {
                [older @ .., last] if fewer >> place & 1 == 1 && is_default(last) => older,
                all => all,
            };
            let numbers = settings.iter().map(|setting| format!("{}: {}", setting.name, value(setting)));
            format!("{}: {} {{ {} }}", info.name, info.scene_name, numbers.collect::<Vec<_>>().join(", "))
        })
        .collect();
    let settings = format!("solver_settings: {:?}", scene.solver_settings);
    let solids = format!("solids: {:?}", scene.solids);
    let text = format!("{wordless:?}").replacen(&settings, &groups.join(", "), 1);
    let text = text.replacen(&solids, &scene.solids.as_fields(kinds), 1);
    Fingerprint::EMPTY.with(text.as_bytes()).number()
}

#[cfg(test)]
mod tests {
    use super::fingerprint;
    use crate::fluid::Scene;
    use crate::fluid::solids::SOLIDS;
    use crate::fluid::solvers::SOLVERS;

    const SCENE: &str = "(
        title: \"\", description: \"\", low: (0.0, 0.0, 0.0), high: (1.0, 1.0, 1.0),
        blocks: [(low: (0.0, 0.0, 0.0), high: (1.0, 0.4, 1.0))], gravity: (0.0, -9.81, 0.0),
        boundaries: [Sphere(center: (0.5, 0.2, 0.5), radius: 0.15)],
        bodies: [(shape: Sphere(radius: 0.1), position: (0.2, 0.55, 0.2))],
        cloths: [(corner: (0.2, 0.8, 0.2), along: (0.6, 0.0, 0.0), across: (0.0, 0.0, 0.6), counts: (5, 5),
            density: 200.0, stretch: 500.0, shear: 100.0, bend: 1.0)],
        material: (rest_density: 1000.0, sound_speed_factor: 10.0, viscosity: 0.5, radius_ratio: 2.2),
        pbf: (substeps: 4),
        camera: (eye: (1.0, 1.0, 1.0), target: (0.0, 0.0, 0.0), vertical_fov_degrees: 40.0),
    )";

    /// The number was computed by the program as it was when each solver and each kind of solid had a field of its own.
    /// With another number, states that were saved before cannot be read any more.
    #[test]
    fn the_fingerprint_of_a_scene_is_that_of_older_states() {
        let scene = Scene::parse("golden.ron", SCENE).expect("a scene");
        // The second solver has got a setting since.
        let of_older = |scene: &Scene| fingerprint(scene, &SOLVERS[..3], &SOLIDS[..3], 0b10);
        assert_eq!(of_older(&scene), 1_631_342_350_830_021_855);
        let mut changed = scene.clone();
        changed.solver_settings.set(SOLVERS[1].settings.last().expect("a setting"), 0.0);
        assert_eq!(of_older(&changed), fingerprint(&changed, &SOLVERS[..3], &SOLIDS[..3], 0));
        let fingerprint = |scene, solvers, kinds| fingerprint(scene, solvers, kinds, 0);
        // A kind that was added later counts only where a scene has solids of it.
        let without = Scene { solids: scene.solids.of::<crate::fluid::Boundary>().to_vec().into(), ..scene.clone() };
        assert_ne!(fingerprint(&without, SOLVERS, &SOLIDS[..1]), fingerprint(&without, SOLVERS, &SOLIDS[..3]));
        assert_ne!(fingerprint(&without, SOLVERS, &SOLIDS[..1]), fingerprint(&scene, SOLVERS, &SOLIDS[..1]));
        assert_eq!(fingerprint(&scene, SOLVERS, &SOLIDS[..2]), fingerprint(&scene, SOLVERS, &SOLIDS[..3]));
    }
}
