use crate::gpu::{Gpu, GpuError};

/// Buffers that a counting traversal adds to until they are cleared: candidates and neighbors of each particle, and
/// their totals.
pub struct PairCounters {
    /// Candidates tested for each particle, u32 in sorted order; len = `particle_count`.
    pub candidate_counts: wgpu::Buffer,
    /// Neighbors found for each particle, u32 in sorted order; len = `particle_count`.
    pub neighbor_counts: wgpu::Buffer,
    /// Four u32: low and high word of all candidates, low and high word of all neighbors.
    pub totals: wgpu::Buffer,
}

impl PairCounters {
    /// Counters for that many particles.
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

    /// Sets everything to zero; to be recorded before the traversal.
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

/// What a counting traversal found in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairTotals {
    /// Pairs tested, each direction counted.
    pub candidates: u64,
    /// Pairs within the radius, each direction counted.
    pub neighbors: u64,
}

impl PairTotals {
    /// From the four words of [`PairCounters::totals`].
    pub fn from_words(words: [u32; 4]) -> Self {
        let wide = |low: u32, high: u32| u64::from(low) | (u64::from(high) << 32);
        Self { candidates: wide(words[0], words[1]), neighbors: wide(words[2], words[3]) }
    }

    /// Candidates tested for each neighbor found; `None` when nothing was found.
    pub fn overhead(&self) -> Option<f64> {
        (self.neighbors > 0).then(|| self.candidates as f64 / self.neighbors as f64)
    }
}
