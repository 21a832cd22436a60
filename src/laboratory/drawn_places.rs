//! Finds the index in the drawn order of the particle with each identity. Views refer to particles by their identities,
//! which do not change when a search sorts memory, while the state of the particles is stored in the drawn order.

use super::LaboratoryError;
use crate::gpu::{Dispatch, Gpu, Pass, PassDescriptor, Phase, ShaderVariant, gpu_struct};

const FILE: &str = "laboratory/find_drawn.wgsl";

gpu_struct! {
    /// Parameters of the pass.
    pub struct PlaceParameters {
        /// Number of particles, including boundary particles.
        pub particle_count: u32,
    }
}

/// The index in the drawn order for each identity, recomputed whenever the pass is recorded.
pub struct DrawnPlaces {
    /// u32 by identity; len = `particle_count`.
    pub places: wgpu::Buffer,
    /// The pass that computes them, to be recorded after the particles were sorted.
    pub pass: Pass,
}

impl DrawnPlaces {
    /// Allocates the indices of that many particles. `identities` is `array<vec4<f32>>` in the drawn order, with each
    /// particle's identity as the bits of the fourth component.
    ///
    /// # Errors
    /// When the buffer does not fit the device or the shader does not compile.
    pub fn new(gpu: &Gpu, identities: &wgpu::Buffer, particle_count: u32) -> Result<Self, LaboratoryError> {
        let places = gpu.storage::<u32>("drawn places", particle_count.into())?;
        let parameters = gpu.uniform("place parameters", &PlaceParameters { particle_count });
        let buffers = [("place_parameters", &parameters), ("identities", identities), ("drawn_places", &places)];
        let shader = ShaderVariant::new(FILE);
        let dispatch = Dispatch::Invocations(particle_count.into());
        let pass = Pass::new(
            gpu,
            PassDescriptor {
                phase: Phase::Drawing,
                label: "find drawn places",
                shader: &shader,
                entry_point: "find_drawn",
                buffers: &buffers,
                dispatch,
            },
        )?;
        Ok(Self { places, pass })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::{ShaderLibrary, assert_same_layout};

    #[test]
    fn the_shader_reads_the_count_at_the_same_offset() {
        let (module, _) = ShaderLibrary::embedded().compose(&ShaderVariant::new(FILE)).expect("it composes");
        assert_same_layout::<PlaceParameters>(&module);
    }
}
