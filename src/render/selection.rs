//! Finds the particles in a rectangle of the picture.

use glam::Vec2;

use super::Mark;
use crate::gpu::{Dispatch, Gpu, GpuError, Pass, PassDescriptor, Phase, Readback, ShaderVariant, gpu_struct, record};

/// The shader that finds them.
pub(super) const SELECT: &str = "render/select.wgsl";

gpu_struct! {
    /// The rectangle and the roles, in the layout of the shader.
    pub struct Rectangle {
        /// Lowest corner, pixels from the upper left of the picture.
        pub low: [f32; 2],
        /// Highest corner.
        pub high: [f32; 2],
        /// Role of particles inside.
        pub inside: u32,
        /// Role of the others.
        pub outside: u32,
        /// Padding.
        pub padding: [u32; 2],
    }
}

/// The particles in a rectangle of the picture.
pub struct Selection {
    /// `u32`: the role of each particle in the drawn order, suitable for [`super::DrawnMarks::roles`].
    pub roles: wgpu::Buffer,
    /// Number of particles inside, one element.
    pub count: Readback<u32>,
}

/// Records the passes of a selection. `corners` are any two opposite corners.
pub(super) fn select(
    gpu: &Gpu,
    encoder: &mut wgpu::CommandEncoder,
    (frame, positions, velocities, particle_count): (&wgpu::Buffer, &wgpu::Buffer, &wgpu::Buffer, u32),
    ([one, other], [inside, outside]): ([Vec2; 2], [Mark; 2]),
) -> Result<Selection, GpuError> {
    let rectangle = Rectangle {
        low: one.min(other).to_array(),
        high: one.max(other).to_array(),
        inside: inside as u32,
        outside: outside as u32,
        padding: [0; 2],
    };
    let rectangle = gpu.uniform("rectangle", &rectangle);
    let roles = gpu.storage::<u32>("roles", particle_count.into())?;
    // New buffers are initialized with zeros.
    let selected_count = gpu.storage::<u32>("selected count", 1)?;
    let pass = Pass::new(
        gpu,
        PassDescriptor {
            phase: Phase::Drawing,
            label: "select",
            shader: &ShaderVariant::new(SELECT),
            entry_point: "select_rectangle",
            buffers: &[
                ("frame", frame),
                ("rectangle", &rectangle),
                ("positions", positions),
                ("velocities", velocities),
                ("roles", &roles),
                ("selected_count", &selected_count),
            ],
            dispatch: Dispatch::Invocations(particle_count.into()),
        },
    )?;
    record([&pass], encoder, None);
    let count = Readback::record(gpu, encoder, &selected_count, 1);
    Ok(Selection { roles, count })
}

#[cfg(test)]
mod tests {
    use super::{Rectangle, SELECT};
    use crate::gpu::{ShaderLibrary, ShaderVariant, assert_same_layout};

    #[test]
    fn the_shader_reads_the_rectangle_at_the_same_offsets() {
        let (module, _) = ShaderLibrary::embedded().compose(&ShaderVariant::new(SELECT)).expect("it composes");
        assert_same_layout::<Rectangle>(&module);
    }
}
