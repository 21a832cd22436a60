//! The particles of all of a scene's solids.

use std::ops::Range;

use glam::DVec3;

use super::contract::{SampleInput, SampledKind, Solid, SolidInfo, SolidInput, Start};
use crate::fluid::resolution::Resolution;
use crate::fluid::scene::Scene;
use crate::fluid::{FluidError, SmoothingKernel};
use crate::gpu::Gpu;
use crate::search::in_ranges;

#[cfg(test)]
thread_local! {
    /// How often a thread has sampled the solids of a scene. To sample them takes seconds where there are millions of
    /// particles, so tests count it.
    pub(in crate::fluid) static SAMPLINGS: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}

/// The particles of all of a scene's solids, one kind after the other.
#[derive(Default)]
pub(in crate::fluid) struct SampledSolids {
    kinds: Vec<SampledKind>,
}

impl SampledSolids {
    /// Covers the solids of a scene with particles.
    ///
    /// # Errors
    /// When there would be too many particles, a solid has none, or solids overlap.
    pub(in crate::fluid) fn new(scene: &Scene, spacing: f32) -> Result<Self, FluidError> {
        #[cfg(test)]
        SAMPLINGS.set(SAMPLINGS.get() + 1);
        let mut solids = Self::default();
        for info in scene.solids.kinds() {
            let sampled = (info.sample)(&SampleInput { scene, spacing, earlier: &solids.kinds })?;
            solids.kinds.extend(sampled.map(|sampled| (info, sampled)));
        }
        Ok(solids)
    }

    /// Whether there are no particles.
    pub(in crate::fluid) fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Number of particles of all kinds.
    pub(in crate::fluid) fn count(&self) -> usize {
        self.kinds.iter().map(|(_, sampled)| sampled.count()).sum()
    }

    /// Number of particles of kinds that are single layers.
    pub(in crate::fluid) fn thin_count(&self) -> usize {
        self.kinds.iter().filter(|(info, _)| info.is_thin).map(|(_, sampled)| sampled.count()).sum()
    }

    /// Whether some kinds displace initial fluid.
    pub(in crate::fluid) fn takes_room(&self) -> bool {
        self.kinds.iter().any(|(info, _)| info.takes_room)
    }

    /// Initial position and velocity of each particle, one kind after the other.
    pub(in crate::fluid) fn starts(&self) -> Vec<Start> {
        self.kinds.iter().flat_map(|(_, sampled)| sampled.starts()).collect()
    }

    /// Whether no fluid may start at a position, because a solid is there or too near.
    pub(in crate::fluid) fn takes(&self, place: DVec3) -> bool {
        self.kinds.iter().any(|(_, sampled)| sampled.takes(place))
    }

    /// Which of `count` places solids take (see [`Self::takes`]), looked up by all cores.
    pub(in crate::fluid) fn taken(&self, count: usize, place: impl Fn(usize) -> DVec3 + Sync) -> Vec<bool> {
        if !self.takes_room() {
            return vec![false; count];
        }
        in_ranges(count, |range| range.map(|number| self.takes(place(number))).collect::<Vec<_>>()).concat()
    }

    /// The negative weight of each particle (see boundaries.wgsl).
    pub(in crate::fluid) fn weights(
        &self,
        kernel: SmoothingKernel,
        scene: &Scene,
        resolution: &Resolution,
    ) -> Vec<f32> {
        self.kinds.iter().flat_map(|(_, sampled)| sampled.weights(kernel, scene, resolution)).collect()
    }

    /// The share of the rest density that water at rest gives to each particle (see [`Sampled::water_shares`]).
    ///
    /// [`Sampled::water_shares`]: super::Sampled::water_shares
    pub(in crate::fluid) fn water_shares(
        &self,
        kernel: SmoothingKernel,
        scene: &Scene,
        resolution: &Resolution,
    ) -> Vec<f32> {
        self.kinds.iter().flat_map(|(_, sampled)| sampled.water_shares(kernel, scene, resolution)).collect()
    }

    /// How much the solid of each particle gives way to pressure (see [`Sampled::mobilities`]).
    ///
    /// [`Sampled::mobilities`]: super::Sampled::mobilities
    pub(in crate::fluid) fn mobilities(&self, scene: &Scene, resolution: &Resolution) -> Vec<f32> {
        self.kinds.iter().flat_map(|(_, sampled)| sampled.mobilities(scene, resolution)).collect()
    }

    /// Number of parking places of all kinds (see [`Sampled::parking_count`]).
    ///
    /// [`Sampled::parking_count`]: super::Sampled::parking_count
    pub(in crate::fluid) fn parking_count(&self) -> u32 {
        self.kinds.iter().map(|(_, sampled)| sampled.parking_count()).sum()
    }

    /// The place among the kinds of that whose solids a field of scene files lists, and the range of the particles of
    /// one of these solids among those of all kinds; `None` where there is no such solid.
    pub(in crate::fluid) fn range_of(&self, field: &str, number: usize) -> Option<(usize, Range<usize>)> {
        let place = self.kinds.iter().position(|(info, _)| info.field == field)?;
        let first: usize = self.kinds[..place].iter().map(|(_, sampled)| sampled.count()).sum();
        let own = self.kinds[place].1.range_of(number)?;
        Some((place, first + own.start..first + own.end))
    }

    /// The kinds with their particles.
    pub(in crate::fluid) fn kinds(&self) -> &[SampledKind] {
        &self.kinds
    }

    /// The kinds with their particles, mutable; their order must remain that of [`super::SceneSolids::kinds`].
    pub(in crate::fluid) fn kinds_mut(&mut self) -> &mut Vec<SampledKind> {
        &mut self.kinds
    }

    /// Input for the creation of each kind's buffers.
    pub(in crate::fluid) fn inputs<'a>(
        &'a self,
        gpu: &'a Gpu,
        scene: &'a Scene,
        resolution: &'a Resolution,
    ) -> impl Iterator<Item = (&'static SolidInfo, SolidInput<'a>)> {
        let (mut next, mut next_parking) = (0, 0);
        self.kinds.iter().map(move |(info, sampled)| {
            let (first, first_parking) = (next, next_parking);
            next += sampled.count();
            next_parking += sampled.parking_count();
            (*info, SolidInput { gpu, scene, resolution, samples: sampled.as_ref(), first, first_parking })
        })
    }

    /// The solids on the device.
    ///
    /// # Errors
    /// When the device has no memory for them.
    pub(in crate::fluid) fn on_device(
        &self,
        gpu: &Gpu,
        scene: &Scene,
        resolution: &Resolution,
    ) -> Result<Vec<Box<dyn Solid>>, FluidError> {
        self.inputs(gpu, scene, resolution).map(|(info, input)| (info.create)(&input)).collect()
    }
}
