//! The counters of a counting traversal, and the totals read from them.

use crate::gpu::{Gpu, GpuError};

/// The buffers of a counting traversal: the numbers of candidates and neighbors of each particle, and their totals. A
/// traversal adds to them until they are cleared.
pub struct PairCounters {
    /// Number of candidates tested for each particle, u32 in sorted order; len = `particle_count`.
    pub candidate_counts: wgpu::Buffer,
    /// Number of neighbors found for each particle, u32 in sorted order; len = `particle_count`.
    pub neighbor_counts: wgpu::Buffer,
    /// Four u32: the low and the high word of the number of candidates, then those of the number of neighbors.
    pub totals: wgpu::Buffer,
}

impl PairCounters {
    /// Creates the counters for `particle_count` particles.
    ///
    /// # Errors
    /// When they do not fit the device.
    pub fn new(gpu: &Gpu, particle_count: u32) -> Result<Self, GpuError> {
        Ok(Self {
            candidate_counts: gpu.storage::<u32>("candidates of each particle", particle_count.into())?,
            neighbor_counts: gpu.storage::<u32>("neighbors of each particle", particle_count.into())?,
            totals: gpu.storage_with("pair totals", &[0_u32; 4])?,
        })
    }

    /// Records the commands that set all counters to zero. They must precede the traversal.
    pub fn clear(&self, encoder: &mut wgpu::CommandEncoder) {
        for (_, buffer) in self.buffers() {
            encoder.clear_buffer(buffer, 0, None);
        }
    }

    pub(super) fn buffers(&self) -> [(&str, &wgpu::Buffer); 3] {
        [
            ("candidate_counts", &self.candidate_counts),
            ("neighbor_counts", &self.neighbor_counts),
            ("pair_totals", &self.totals),
        ]
    }
}

/// The totals of a counting traversal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairTotals {
    /// Number of tested pairs, each direction counted.
    pub candidates: u64,
    /// Number of pairs within the support radius, each direction counted.
    pub neighbors: u64,
}

impl PairTotals {
    /// Creates the totals from the four words of [`PairCounters::totals`].
    pub fn from_words(words: [u32; 4]) -> Self {
        let wide = |low: u32, high: u32| u64::from(low) | (u64::from(high) << 32);
        Self { candidates: wide(words[0], words[1]), neighbors: wide(words[2], words[3]) }
    }

    /// Number of candidates per neighbor; `None` if there are no neighbors.
    pub fn overhead(&self) -> Option<f64> {
        (self.neighbors > 0).then(|| self.candidates as f64 / self.neighbors as f64)
    }
}
