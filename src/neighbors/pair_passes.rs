//! The passes of a caller's pair kernel on a search of [`Neighbors`](super::Neighbors).

use super::NeighborsError;
use crate::gpu::{Gpu, GpuError, PairKernel, Pass};
use crate::search::{BoundPairKernel, NeighborSearch, SearchError};

/// A pair kernel combined with the search of a [`Neighbors`](super::Neighbors), and its buffers. It becomes stale when
/// size or domain of those change.
pub struct PairPasses {
    pub(super) label: &'static str,
    /// The buffers for which the passes were made.
    pub(super) generation: u64,
    pub(super) passes: Vec<Pass>,
}

impl PairPasses {
    pub(super) fn new(
        gpu: &Gpu,
        search: &dyn NeighborSearch,
        (label, generation): (&'static str, u64),
        kernel: PairKernel,
        (original_from_sorted, buffers): (&wgpu::Buffer, &[(&str, &wgpu::Buffer)]),
    ) -> Result<Self, NeighborsError> {
        if kernel.own_text().is_none() {
            return Err(NeighborsError::OfTheProgram(kernel.file));
        }
        let words = u64::from(kernel.sum_words());
        let count = if search.deposits() { u64::from(search.particle_count()) } else { 0 };
        // Zeroed by wgpu, and then by `withdraw`.
        let deposits = gpu.storage::<u32>("deposits of a pair kernel", count * words)?;
        let mut bound = buffers.to_vec();
        for (name, buffer) in [("original_from_sorted", original_from_sorted), ("deposits", &deposits)] {
            if !bound.iter().any(|(given, _)| *given == name) {
                bound.push((name, buffer));
            }
        }
        let pair = BoundPairKernel { label, kernel, definitions: &[], buffers: &bound };
        let passes = search.traversal_passes(gpu, pair, None).map_err(|error| match error {
            SearchError::Gpu(GpuError::EditRefused(reason)) => NeighborsError::Buffers(reason),
            other => other.into(),
        })?;
        Ok(Self { label, generation, passes })
    }
}
