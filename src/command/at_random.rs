//! What the commands that run at random until they are stopped have in common.

use std::time::{SystemTime, UNIX_EPOCH};

use nearwater::gpu::{AdapterClass, Gpu};

use super::arguments::Common;

/// The seed and the largest number of particles of a run at random.
#[derive(Clone, Copy, Debug)]
pub struct AtRandom {
    /// That of `--seed`, or a different one at each start.
    pub seed: u64,
    /// That of `--particles`, or what suits the adapter.
    pub most_particles: u32,
}

impl AtRandom {
    /// What the arguments say, with the usual numbers of particles on a software, an integrated and a discrete adapter.
    pub fn new(common: &Common, gpu: &Gpu, [software, integrated, discrete]: [u32; 3]) -> Self {
        let usual = match gpu.capabilities.class {
            AdapterClass::Software => software,
            AdapterClass::Integrated => integrated,
            AdapterClass::Discrete => discrete,
        };
        let of_now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64);
        Self { seed: common.seed.unwrap_or_else(of_now), most_particles: common.particles.unwrap_or(usual) }
    }
}
