//! The density of the particles, measured when the search is created: neighbors of a few particles, counted by testing
//! every particle.

use crate::gpu::{
    Dispatch, Gpu, GpuError, Pass, PassDescriptor, Phase, ShaderVariant, gpu_struct, read_buffer, record,
};
use crate::search::SearchInput;

const FILE: &str = "search/measured_density.wgsl";

/// Sampled particles. Their median is not moved by particles that a scene keeps in one place until it needs them, as
/// long as these are fewer than the others.
const SAMPLES: u32 = 63;
/// Tests of all samples together, beyond which there are fewer samples.
const TESTS: u64 = 1 << 28;

gpu_struct! {
    /// Parameters of the count, in the layout of the shader.
    pub struct Sampling {
        /// Number of particles.
        pub particle_count: u32,
        /// Number of sampled particles.
        pub sample_count: u32,
        /// Squared support radius, m².
        pub radius_squared: f32,
    }
}

/// The neighbors of a particle: the median over a few of them; 0 where there are no particles or the device does not
/// answer, which is reported when the search is used. Waits for the device.
pub(super) fn neighbors_within(gpu: &Gpu, input: &SearchInput<'_>) -> f64 {
    if input.particle_count == 0 {
        return 0.0;
    }
    let counts = counts_around(gpu, input).unwrap_or_default();
    f64::from(median(counts).unwrap_or(0).saturating_sub(1))
}

fn median(mut counts: Vec<u32>) -> Option<u32> {
    counts.sort_unstable();
    counts.get(counts.len() / 2).copied()
}

fn counts_around(gpu: &Gpu, input: &SearchInput<'_>) -> Result<Vec<u32>, GpuError> {
    let most = (TESTS / u64::from(input.particle_count)).clamp(1, SAMPLES.into()) as u32;
    let sample_count = most.min(input.particle_count);
    let sampling = Sampling {
        particle_count: input.particle_count,
        sample_count,
        radius_squared: input.domain.support_radius.powi(2),
    };
    let sampling = gpu.uniform("sampled particles", &sampling);
    let found = gpu.storage_with("particles around sampled ones", &vec![0_u32; sample_count as usize])?;
    let buffers = [("sampling", &sampling), ("positions", input.positions), ("found", &found)];
    let pass = Pass::new(
        gpu,
        PassDescriptor {
            phase: Phase::Build,
            label: "measure density",
            shader: &ShaderVariant::new(FILE),
            entry_point: "count_around",
            buffers: &buffers,
            dispatch: Dispatch::Workgroups(sample_count.into()),
        },
    )?;
    gpu.submit(|encoder| record([&pass], encoder, None));
    read_buffer(gpu, &found, sample_count as usize)
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::gpu::{ShaderLibrary, assert_same_layout};
    use crate::search::{Domain, SearchOptions};

    #[test]
    fn the_sampling_has_the_same_layout_in_shaders_and_in_rust() {
        let (module, _) = ShaderLibrary::embedded().compose(&ShaderVariant::new(FILE)).expect("it composes");
        assert_same_layout::<Sampling>(&module);
    }

    #[test]
    fn neighbors_on_a_lattice_are_counted_and_a_parked_crowd_does_not_matter() {
        let gpu = Gpu::open(None, ShaderLibrary::embedded().checked()).expect("an adapter");
        // A line of particles a meter apart, each with three neighbors to either side, and a crowd in one point.
        let mut positions: Vec<[f32; 4]> = (0..3_000).map(|i| [i as f32, 0.0, 0.0, 0.0]).collect();
        positions.resize(5_000, [-1e6, 0.0, 0.0, 0.0]);
        let buffer = gpu.storage_with("positions", &positions).expect("memory");
        let domain = Domain::new(Vec3::ZERO, Vec3::splat(3_000.0), 3.5).expect("a box");
        let options = SearchOptions::default();
        let input = SearchInput { positions: &buffer, particle_count: 5_000, domain, options: &options };
        assert!((neighbors_within(&gpu, &input) - 6.0).abs() < 1e-9);
        assert!(neighbors_within(&gpu, &SearchInput { particle_count: 0, ..input }).abs() < 1e-9);
    }
}
