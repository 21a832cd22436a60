//! Emitters that pour water and drains that take it away. Both move particles between the box and the reservoir, where
//! particles are parked: beside the box, too far apart to see each other, with no weight for anybody, and never drawn.
//!
//! An emitter sends a layer of the lattice from its disc whenever the one before has gone a spacing, so water leaves it
//! at the rest density, as a lattice would move. What it sends are the parked particles that come first in the order of
//! the last build, so that a run can be repeated; when the reservoir is empty the jet breaks off until a drain has filled it.
//!
//! Passes at the start of a step: *emitters* (one workgroup), *mark parked* and a scan, which number the parked
//! particles, and *emit and drain* (one invocation a particle). Memory: 16 bytes for each place to park, 4 a particle. Bad at: an emitter under water, whose layers start where others have not yet
//! given way; and very large reservoirs, since the search sorts parked particles too and has cells for them.

use glam::{UVec3, Vec3};
use serde::Deserialize;

use super::boundaries::BoundarySamples;
use super::sph::ParticleState;
use super::{Dimensions, FluidError, Resolution, Scene};
use crate::gpu::{Dispatch, Gpu, Pass, Phase, ShaderVariant, gpu_struct, read_buffer};
use crate::primitives::ExclusiveScan;

const FILE: &str = "fluid/flow.wgsl";
/// Emitters, and drains, at most: one workgroup serves all of them.
pub(super) const MOST: usize = 64;
/// Distance of parked particles, in support radii.
const PARKED_APART: f32 = 1.05;
/// How far beside the box they begin, in support radii. Shaders take for parked what is more than one beside it.
const PARKED_BESIDE: f32 = 2.0;

/// A disc that water comes out of, at right angles to its velocity.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Emitter {
    /// Middle of the disc, m.
    pub center: Vec3,
    /// m.
    pub radius: f32,
    /// m/s.
    pub velocity: Vec3,
}

/// A box that swallows what gets into it, back into the reservoir.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drain {
    /// Lowest corner, m.
    pub low: Vec3,
    /// Highest corner, m.
    pub high: Vec3,
}

gpu_struct! {
    /// What the passes know of emitters and drains besides their buffers.
    pub struct FlowParameters {
        /// m.
        pub spacing: f32,
        /// Number of emitters.
        pub emitter_count: u32,
        /// Number of drains.
        pub drain_count: u32,
        /// The original index of the particle that the first parking place is for; the others follow.
        pub first_parked: u32,
    }
}

gpu_struct! {
    /// An emitter as shaders see it.
    pub struct EmitterWords {
        /// Of length 1.
        pub direction: [f32; 3],
        /// m/s.
        pub speed: f32,
        /// The first of its places in the list of all, and how many there are.
        pub first_place: u32,
        /// See above.
        pub place_count: u32,
        /// How far the last layer has gone, m; the shaders' own.
        pub gone: f32,
        /// Layers' places that are due in this step, of this emitter and those before; the shaders' own.
        pub due: u32,
    }
}

/// Where particles are parked.
pub(super) struct Parking {
    low: Vec3,
    step: f32,
    /// Along x as many as it takes.
    counts: UVec3,
    /// The original index of the particle that the first place is for.
    first: u32,
}

impl Parking {
    /// Of a scene with a reservoir or drains.
    pub(super) fn new(scene: &Scene, resolution: &Resolution) -> Option<Self> {
        // Where there are drains every particle may come to be parked.
        let count = if scene.drains.is_empty() { resolution.reservoir_count } else { resolution.particle_count };
        if count == 0 {
            return None;
        }
        let radius = resolution.support_radius;
        let step = PARKED_APART * radius;
        let mut extent = scene.high - scene.low;
        let mut low = scene.low.with_x(scene.high.x + PARKED_BESIDE * radius);
        if scene.dimensions == Dimensions::Two {
            (extent.z, low.z) = (0.0, scene.plane());
        }
        let rows = (extent / step).floor().as_uvec3() + 1;
        let columns = count.div_ceil(rows.y.saturating_mul(rows.z));
        let counts = UVec3::new(columns, rows.y, rows.z);
        Some(Self { low, step, counts, first: resolution.particle_count - count })
    }

    /// Highest x of a parked particle, m.
    pub(super) fn end(&self) -> f32 {
        self.low.x + self.step * (self.counts.x - 1) as f32
    }

    /// Where that particle is parked, m.
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
    at_start: Vec<EmitterWords>,
    /// xyz in m; len = layers' places of all emitters.
    places: wgpu::Buffer,
    /// Lowest and highest corner of each drain, m.
    drains: wgpu::Buffer,
    /// xyz in m; len = particles that may come to be parked.
    parking: wgpu::Buffer,
    /// How many parked particles come before each; len = `particle_count`.
    ranks: wgpu::Buffer,
    scan: ExclusiveScan,
}

impl Flow {
    /// `None` where nothing flows in or out.
    ///
    /// # Errors
    /// When an emitter is inside a boundary, or the device refuses.
    pub(super) fn new(
        gpu: &Gpu,
        scene: &Scene,
        resolution: &Resolution,
        boundaries: Option<&BoundarySamples>,
    ) -> Result<Option<Self>, FluidError> {
        let Some(parking) = Parking::new(scene, resolution) else { return Ok(None) };
        let (mut places, mut emitters) = (Vec::new(), Vec::new());
        for (number, emitter) in scene.emitters.iter().enumerate() {
            let first_place = places.len() as u32;
            places.extend(
                layer(scene, emitter, resolution.spacing, boundaries).map(|place| place.extend(1.0).to_array()),
            );
            let place_count = places.len() as u32 - first_place;
            if place_count == 0 {
                return Err(FluidError::EmitterBlocked(number));
            }
            emitters.push(EmitterWords {
                direction: emitter.velocity.normalize().to_array(),
                speed: emitter.velocity.length(),
                first_place,
                place_count,
                // The first layer is due at once.
                gone: resolution.spacing,
                due: 0,
            });
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
        let ranks = gpu.storage::<u32>("ranks of parked particles", count.into())?;
        Ok(Some(Self {
            scan: ExclusiveScan::new(gpu, &ranks, count)?,
            ranks,
            parameters: gpu.uniform("flow", &parameters),
            emitters: gpu.storage_with("emitters", &emitters)?,
            at_start: emitters,
            places: gpu.storage_with("emitters' places", &places)?,
            drains: gpu.storage_with("drains", &drains)?,
            parking: gpu.storage_with("parking places", &parked)?,
        }))
    }

    /// Puts the emitters back to the scene's start.
    pub(super) fn reset(&self, gpu: &Gpu) {
        gpu.queue.write_buffer(&self.emitters, 0, bytemuck::cast_slice(&self.at_start));
    }

    /// Number of emitters.
    pub(super) fn emitter_count(&self) -> u32 {
        self.at_start.len() as u32
    }

    /// The emitters as they are, read back.
    pub(super) fn emitters(&self, gpu: &Gpu) -> Result<Vec<EmitterWords>, FluidError> {
        Ok(read_buffer(gpu, &self.emitters, self.at_start.len())?)
    }

    /// Goes on from emitters that were read back.
    pub(super) fn set_emitters(&self, gpu: &Gpu, emitters: &[EmitterWords]) {
        gpu.queue.write_buffer(&self.emitters, 0, bytemuck::cast_slice(emitters));
    }

    /// The passes at the start of a step.
    pub(super) fn passes(
        &self,
        gpu: &Gpu,
        fluid: &wgpu::Buffer,
        state: &ParticleState,
    ) -> Result<Vec<Pass>, FluidError> {
        let buffers = [
            ("fluid", fluid),
            ("flow", &self.parameters),
            ("emitters", &self.emitters),
            ("places", &self.places),
            ("drains", &self.drains),
            ("parking", &self.parking),
            ("ranks", &self.ranks),
            ("positions", &state.positions),
            ("velocities", &state.velocities),
        ];
        let shader = ShaderVariant::new(FILE);
        let pass = |label, entry_point, dispatch| {
            Pass::new(gpu, (Phase::Physics, label), (&shader, entry_point), &buffers, dispatch)
        };
        let each = Dispatch::Invocations(state.count.into());
        let mut passes = vec![
            pass("emitters", "advance_emitters", Dispatch::Workgroups(1))?,
            pass("mark parked", "mark_parked", each)?,
        ];
        passes.extend(self.scan.passes(gpu, Phase::Physics)?);
        passes.push(pass("emit and drain", "emit_and_drain", each)?);
        Ok(passes)
    }
}

/// The lattice's points on an emitter's disc, m, as far as they lie in the box and outside boundaries. Exactly those:
/// nothing holds a jet together, and were they off by a hundredth of a spacing, pressure would spread it.
fn layer(
    scene: &Scene,
    emitter: &Emitter,
    spacing: f32,
    boundaries: Option<&BoundarySamples>,
) -> impl Iterator<Item = Vec3> {
    let direction = emitter.velocity.normalize();
    let reach = (emitter.radius / spacing).floor() as i32;
    let is_plane = scene.dimensions == Dimensions::Two;
    let (u, v) = if is_plane { (direction.cross(Vec3::Z), Vec3::Z) } else { direction.any_orthonormal_pair() };
    let depth = if is_plane { 0 } else { reach };
    let center = if is_plane { emitter.center.with_z(scene.plane()) } else { emitter.center };
    let points = (-reach..=reach).flat_map(move |i| (-depth..=depth).map(move |j| (i, j)));
    let in_disc = points.filter(move |&(i, j)| ((i * i + j * j) as f32).sqrt() * spacing <= emitter.radius);
    let places = in_disc.map(move |(i, j)| center + spacing * (i as f32 * u + j as f32 * v));
    places.filter(move |place| {
        let is_in_box = place.cmpge(scene.low).all() && place.cmple(scene.high).all();
        is_in_box && boundaries.is_none_or(|boundaries| !boundaries.takes(place.as_dvec3()))
    })
}
