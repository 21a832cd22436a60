//! The numbers of diffuse particles of each class, read back with or without waiting.

use std::collections::VecDeque;

use crate::gpu::{Gpu, Readback};

/// Largest number of read-backs that are pending; a further one replaces the oldest.
const UNDER_WAY: usize = 4;

/// How many diffuse particles there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FoamCounts {
    /// Drops in the air.
    pub spray: u32,
    /// Foam on the surface.
    pub foam: u32,
    /// Bubbles in the water.
    pub bubbles: u32,
}

impl FoamCounts {
    /// All diffuse particles.
    pub fn total(self) -> u32 {
        self.spray + self.foam + self.bubbles
    }

    /// The counts in the words of the device's `Control`, as in foam.wgsl.
    pub(super) fn from_words(words: &[u32]) -> Option<Self> {
        let &[_, spray, foam, bubbles] = words.first_chunk::<4>()?;
        Some(Self { spray, foam, bubbles })
    }
}

/// Counts whose read-back is pending.
#[derive(Default)]
pub(super) struct PendingCounts(VecDeque<Readback<u32>>);

impl PendingCounts {
    /// Records a read-back of the device's `Control`.
    pub(super) fn record(&mut self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder, control: &wgpu::Buffer) {
        self.0.push_back(Readback::record(gpu, encoder, control, 4));
        if self.0.len() > UNDER_WAY {
            self.0.pop_front();
        }
    }

    /// The latest counts that have arrived since the last call. Never waits.
    pub(super) fn take(&mut self) -> Option<FoamCounts> {
        let mut latest = None;
        while let Some(words) = self.0.front().and_then(Readback::take) {
            latest = FoamCounts::from_words(&words);
            self.0.pop_front();
        }
        latest
    }
}
