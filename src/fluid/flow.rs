//! Emitters that pour fluid into the box and drains that remove it. Both move particles between the box and the
//! reservoir, where particles are parked: beside the box, too far apart to be neighbors, with a weight of zero, and
//! never drawn. Beyond them are the places for particles of solids that have moved out of the box.
//!
//! An emitter sends a layer of particles from its disc (`emitter_layer.rs`) whenever the previous layer has moved by
//! one spacing, so fluid leaves it at the rest density. Each layer is turned by the golden angle against the one before
//! it. It sends the parked particles that come first in the order of the last build, so that runs are repeatable. When
//! the reservoir holds less than a layer, the jet stops until a drain has refilled it.
//!
//! The water up to a support radius in front of a disc is in the emitter's nozzle: it moves at the emitter's velocity,
//! whatever pushes it. Without that, pressure in the jet pushed its last layer back, the next layer was placed too near
//! to it, and PBF, which turns every overlap into motion, blew the jet apart.
//!
//! Passes at the start of a step: *emitters* (one workgroup), *mark parked* and a scan, which number the parked
//! particles, and *emit and drain* (one invocation per particle). Memory: 16 bytes for each parking place, and 4 per
//! particle. Limitation: very large reservoirs are slow, since the search also sorts parked particles and allocates
//! cells for them.

use glam::{UVec3, Vec3};
use serde::Deserialize;

use super::emitter_layer::{Layer, check_disc};
use super::hands::idle_spout;
use super::passes::PassMaker;
use super::shader::FluidShader;
use super::solids::SampledSolids;
use super::step_part::StepPart;
use super::{Dimensions, FluidError, Resolution, Scene};
use crate::gpu::{Dispatch, Gpu, Pass, Phase, gpu_struct, read_buffer};
use crate::primitives::ExclusiveScan;

const FILE: &str = "fluid/flow.wgsl";
/// Largest number of emitters, and of drains, since one workgroup handles all of them.
pub(super) const MOST: usize = 64;
/// Distance between parked particles, in support radii; above 1, so that they are not neighbors.
const PARKED_APART: f32 = 1.05;
/// Distance of the first parked particles from the box, in support radii. Shaders treat particles more than one
/// support radius beyond the box as parked.
const PARKED_BESIDE: f32 = 2.0;

/// A disc that fluid is emitted from, at right angles to its velocity.
///
/// ```
/// use nearwater::fluid::Emitter;
///
/// let jet: Emitter = ron::from_str("(center: (0.0, 2.0, 0.0), radius: 0.1, velocity: (1.0, 0.0, 0.0))")?;
/// assert_eq!(jet.velocity.x, 1.0);
/// # Ok::<(), ron::error::SpannedError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Emitter {
    /// Center of the disc, m.
    pub center: Vec3,
    /// m.
    pub radius: f32,
    /// m/s.
    pub velocity: Vec3,
}

/// A box that moves the particles that enter it back to the reservoir.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drain {
    /// Lowest corner, m.
    pub low: Vec3,
    /// Highest corner, m.
    pub high: Vec3,
}

gpu_struct! {
    /// Parameters of the passes of emitters and drains.
    pub struct FlowParameters {
        /// m.
        pub spacing: f32,
        /// Number of emitters.
        pub emitter_count: u32,
        /// Number of drains.
        pub drain_count: u32,
        /// Original index of the particle of the first parking place; the others follow in order.
        pub first_parked: u32,
    }
}

gpu_struct! {
    /// An emitter in the layout of the shaders.
    pub struct GpuEmitter {
        /// Of length 1.
        pub direction: [f32; 3],
        /// m/s.
        pub speed: f32,
        /// Index of its first place in the list of the places of all emitters.
        pub first_place: u32,
        /// Number of its places.
        pub place_count: u32,
        /// Distance that the last layer has moved, m; written by the shaders.
        pub gone: f32,
        /// Number of layers that have been due so far, modulo 2³²; written by the shaders. In states of versions that
        /// sent the same layer again and again, any number stands here, from which the turns then begin.
        pub layers: u32,
    }
}

/// The places where particles are parked.
pub(super) struct Parking {
    low: Vec3,
    step: f32,
    /// Number of places along each axis; along x as many as needed.
    counts: UVec3,
    /// Original index of the particle of the first place.
    first: u32,
}

impl Parking {
    /// The parking places of a scene; `None` where it has neither a reservoir nor drains.
    pub(super) fn new(scene: &Scene, resolution: &Resolution) -> Option<Self> {
        // A drain may move any particle to the reservoir.
        let count = if scene.drains.is_empty() { resolution.reservoir_count } else { resolution.particle_count };
        if count == 0 {
            return None;
        }
        Some(Self::beyond(scene.high.x, (scene, resolution), (resolution.particle_count - count, count)))
    }

    /// Parking places for `count` particles of solids, beyond those of the fluid; the first has the number 0.
    pub(super) fn of_solids(scene: &Scene, resolution: &Resolution, count: u32) -> Self {
        let of_fluid = Self::new(scene, resolution);
        let end = of_fluid.map_or(scene.high.x, |parking| parking.end());
        Self::beyond(end, (scene, resolution), (0, count))
    }

    /// Parking places for `count` particles, of which the first has the original index `first`, beside the box and
    /// farther along x than `x`, m.
    pub(super) fn beyond(x: f32, (scene, resolution): (&Scene, &Resolution), (first, count): (u32, u32)) -> Self {
        let radius = resolution.support_radius;
        let step = PARKED_APART * radius;
        let mut extent = scene.high - scene.low;
        let mut low = scene.low.with_x(x + PARKED_BESIDE * radius);
        if scene.dimensions == Dimensions::Two {
            (extent.z, low.z) = (0.0, scene.plane());
        }
        let rows = (extent / step).floor().as_uvec3().saturating_add(UVec3::ONE);
        let columns = count.div_ceil(rows.y.saturating_mul(rows.z));
        let counts = UVec3::new(columns, rows.y, rows.z);
        Self { low, step, counts, first }
    }

    /// The first place, m.
    pub(super) fn low(&self) -> Vec3 {
        self.low
    }

    /// Distance between places, m.
    pub(super) fn step(&self) -> f32 {
        self.step
    }

    /// Number of places along y and z.
    pub(super) fn rows(&self) -> [u32; 2] {
        [self.counts.y, self.counts.z]
    }

    /// Highest x of a parked particle, m.
    pub(super) fn end(&self) -> f32 {
        self.low.x + self.step * self.counts.x.saturating_sub(1) as f32
    }

    /// Parking place of the particle with this original index, m.
    pub(super) fn place(&self, original: u32) -> Vec3 {
        let number = original - self.first;
        let (y, rest) = (number % self.counts.y, number / self.counts.y);
        let place = UVec3::new(rest / self.counts.z, y, rest % self.counts.z);
        self.low + self.step * place.as_vec3()
    }
}

/// The buffers of emitters, drains and the reservoir.
pub(super) struct Flow {
    parameters: wgpu::Buffer,
    emitters: wgpu::Buffer,
    at_start: Vec<GpuEmitter>,
    /// Place of the user's spout in the list of emitters; `None` where there is none.
    spout: Option<usize>,
    /// Number of places to fill in a step, of an emitter and those before it; len = number of emitters.
    due: wgpu::Buffer,
    /// The layers of all emitters, in the layout of the shader, m.
    places: wgpu::Buffer,
    /// Lowest and highest corner of each drain, m.
    drains: wgpu::Buffer,
    /// xyz in m; len = number of particles that may be parked.
    parking: wgpu::Buffer,
    /// Number of parked particles before each particle, and in all; len = `particle_count` + 1.
    ranks: wgpu::Buffer,
    scan: ExclusiveScan,
}

impl Flow {
    /// Creates the buffers; `None` where the scene has neither a reservoir nor drains. If `spout_places` is positive,
    /// the last emitter is a spout that the user moves, with at most that many places.
    ///
    /// # Errors
    /// When an emitter is inside a boundary, or the device has no memory for the buffers.
    pub(super) fn new(
        gpu: &Gpu,
        scene: &Scene,
        resolution: &Resolution,
        solids: &SampledSolids,
        spout_places: u32,
    ) -> Result<Option<Self>, FluidError> {
        let Some(parking) = Parking::new(scene, resolution) else { return Ok(None) };
        let (mut places, mut emitters) = (Vec::new(), Vec::new());
        for (number, emitter) in scene.emitters.iter().enumerate() {
            check_disc(scene, number, resolution.spacing)?;
            let is_free = |place: Vec3| is_free(scene, solids, place);
            let layer = Layer::new(scene, emitter, resolution.spacing, &is_free);
            if layer.count() == 0 {
                return Err(FluidError::EmitterBlocked(number));
            }
            emitters.push(GpuEmitter {
                direction: emitter.velocity.normalize().to_array(),
                speed: emitter.velocity.length(),
                first_place: places.len() as u32,
                place_count: layer.count(),
                // The first layer is due at once.
                gone: resolution.spacing,
                layers: 0,
            });
            places.extend(layer.words());
        }
        let spout = (spout_places > 0).then_some(emitters.len());
        if spout.is_some() {
            emitters.push(idle_spout(places.len() as u32, resolution.spacing));
            places.resize(places.len() + (spout_places + Layer::EXTRA) as usize, [0.0; 4]);
        }
        let drains: Vec<_> = scene
            .drains
            .iter()
            .flat_map(|drain| [drain.low, drain.high])
            .map(|corner| corner.extend(0.0).to_array())
            .collect();
        let parked: Vec<_> = (parking.first..resolution.particle_count)
            .map(|original| parking.place(original).extend(1.0).to_array())
            .collect();
        let parameters = FlowParameters {
            spacing: resolution.spacing,
            emitter_count: emitters.len() as u32,
            drain_count: scene.drains.len() as u32,
            first_parked: parking.first,
        };
        let count = resolution.particle_count + resolution.boundary_count;
        let ranks = gpu.storage::<u32>("ranks of parked particles", u64::from(count) + 1)?;
        Ok(Some(Self {
            scan: ExclusiveScan::new(gpu, &ranks, count + 1)?,
            ranks,
            parameters: gpu.uniform("flow", &parameters),
            emitters: gpu.storage_with("emitters", &emitters)?,
            due: gpu.storage::<u32>("particles due", emitters.len() as u64)?,
            at_start: emitters,
            spout,
            places: gpu.storage_with("emitters' places", &places)?,
            drains: gpu.storage_with("drains", &drains)?,
            parking: gpu.storage_with("parking places", &parked)?,
        }))
    }

    /// Resets the emitters to their initial state.
    pub(super) fn reset(&self, gpu: &Gpu) {
        gpu.queue.write_buffer(&self.emitters, 0, bytemuck::cast_slice(&self.at_start));
    }

    /// Number of emitters.
    pub(super) fn emitter_count(&self) -> u32 {
        self.at_start.len() as u32
    }

    /// The current state of the emitters, read back from the device.
    pub(super) fn emitters(&self, gpu: &Gpu) -> Result<Vec<GpuEmitter>, FluidError> {
        Ok(read_buffer(gpu, &self.emitters, self.at_start.len())?)
    }

    /// Moves the user's spout: what it is, and its layer. Nothing happens where there is no spout.
    pub(super) fn write_spout(&self, gpu: &Gpu, spout: &Emitter, layer: &Layer) {
        let Some(number) = self.spout else { return };
        let first_place = self.at_start[number].first_place;
        let words: Vec<_> = layer.words().collect();
        let start = u64::from(first_place) * size_of::<[f32; 4]>() as u64;
        gpu.queue.write_buffer(&self.places, start, bytemuck::cast_slice(&words));
        let emitter = GpuEmitter {
            direction: spout.velocity.normalize().to_array(),
            speed: spout.velocity.length(),
            place_count: layer.count(),
            ..self.at_start[number]
        };
        self.write_but_layers(gpu, number, &emitter);
    }

    /// Stops the user's spout.
    pub(super) fn stop_spout(&self, gpu: &Gpu) {
        let Some(number) = self.spout else { return };
        self.write_but_layers(gpu, number, &self.at_start[number]);
    }

    /// Writes an emitter, but for its layers so far, which stay as they are on the device.
    fn write_but_layers(&self, gpu: &Gpu, number: usize, emitter: &GpuEmitter) {
        let kept = std::mem::offset_of!(GpuEmitter, gone);
        let start = (number * size_of::<GpuEmitter>()) as u64;
        gpu.queue.write_buffer(&self.emitters, start, &bytemuck::bytes_of(emitter)[..kept]);
    }

    /// Restores how far the latest layers have moved and which ones they are, from emitters of a state that
    /// [`check_emitters`] accepts. All else is known here: shaders use their places without a check.
    pub(super) fn restore_emitters(&self, gpu: &Gpu, saved: &[GpuEmitter]) {
        let own = self.at_start.iter().zip(saved);
        let restored: Vec<_> =
            own.map(|(own, saved)| GpuEmitter { gone: saved.gone, layers: saved.layers, ..*own }).collect();
        self.set_emitters(gpu, &restored);
    }

    /// Restores the state of emitters that were read back from the device.
    pub(super) fn set_emitters(&self, gpu: &Gpu, emitters: &[GpuEmitter]) {
        gpu.queue.write_buffer(&self.emitters, 0, bytemuck::cast_slice(emitters));
    }
}

/// Whether an emitter may place a particle here: in the box and outside solids.
pub(super) fn is_free(scene: &Scene, solids: &SampledSolids, place: Vec3) -> bool {
    place.cmpge(scene.low).all() && place.cmple(scene.high).all() && !solids.takes(place.as_dvec3())
}

/// Refuses emitters of a state that are not as many as `count`, or whose layers have moved by more than a spacing, m.
///
/// # Errors
/// As said.
pub(super) fn check_emitters(saved: &[GpuEmitter], count: usize, spacing: f32) -> Result<(), FluidError> {
    // Rounding may leave a layer a little before its places or beyond the next ones.
    let has_moved = |emitter: &GpuEmitter| emitter.gone.abs() <= 2.0 * spacing;
    if saved.len() == count && saved.iter().all(has_moved) {
        return Ok(());
    }
    let wanted = "as many as those of the scene, each with a layer that has moved by at most a spacing";
    Err(FluidError::StateContent { what: "the emitters", wanted })
}

impl StepPart for Flow {
    fn before_step(&self, maker: &PassMaker<'_>) -> Result<Vec<Pass>, FluidError> {
        let own = [
            ("flow", &self.parameters),
            ("emitters", &self.emitters),
            ("due", &self.due),
            ("places", &self.places),
            ("drains", &self.drains),
            ("parking", &self.parking),
            ("ranks", &self.ranks),
        ];
        let shader = |entry_point| FluidShader::single(FILE, entry_point);
        let mut passes = vec![
            maker.dispatched("emitters", &shader("advance_emitters"), &own, Dispatch::Workgroups(1))?,
            maker.each("mark parked", &shader("mark_parked"), &own)?,
        ];
        passes.extend(self.scan.passes(maker.gpu, Phase::Physics)?);
        passes.push(maker.each("emit and drain", &shader("emit_and_drain"), &own)?);
        Ok(passes)
    }
}
