//! A stream of random numbers that begins at a seed.

use glam::Vec3;

use crate::search::random::splitmix64;

/// Random numbers from splitmix64; the same for the same seed on every machine.
pub(crate) struct Stream {
    state: u64,
}

impl Stream {
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    fn next(&mut self) -> u64 {
        let value = splitmix64(self.state);
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        value
    }

    /// A number in [0, 1).
    pub fn number(&mut self) -> f32 {
        (self.next() >> 40) as f32 * (1.0 / 16_777_216.0)
    }

    /// A number in [low, high).
    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        low + self.number() * (high - low)
    }

    /// A whole number from `fewest` to below `most`, small ones more often: its logarithm is uniform.
    pub fn mostly_small(&mut self, fewest: u32, most: u32) -> u32 {
        self.between((fewest as f32).ln(), (most.max(fewest + 1) as f32).ln()).exp() as u32
    }

    /// A whole number below `end`, which must not be zero.
    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// Whether an event with a chance of one in `times` happens.
    pub fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// A point in the unit cube.
    pub fn point(&mut self) -> Vec3 {
        Vec3::new(self.number(), self.number(), self.number())
    }

    /// One of several values; there must be one.
    pub fn pick<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len() as u64) as usize]
    }

    /// Puts values into a random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, values: &mut [T]) {
        for end in (1..values.len()).rev() {
            values.swap(end, self.below(end as u64 + 1) as usize);
        }
    }
}
