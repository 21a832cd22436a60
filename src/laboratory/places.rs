//! Computes the cells and classes of particles on the device, with the search's own arithmetic.

use glam::UVec3;

use crate::gpu::{
    Dispatch, Gpu, GpuError, Pass, PassDescriptor, Phase, ShaderVariant, gpu_struct, read_buffer, record,
};
use crate::search::{Cells, Grid};

const FILE: &str = "laboratory/particle_places.wgsl";

gpu_struct! {
    /// A particle's cell and class, as the shader writes them.
    pub struct Place {
        /// Cell along each axis.
        pub cell: [u32; 3],
        /// 1 for a border particle; 0 for an inner particle, and if the search does not distinguish the two.
        pub is_border: u32,
    }
}

/// The cell and class of every particle, in the order of the particles.
#[derive(Clone, Debug, PartialEq)]
pub struct Places {
    /// The cells.
    pub cells: Cells,
    /// Cell and class of each particle.
    pub places: Vec<Place>,
    /// Distance of each particle to the nearest face between its cell and another cell, m; negative if there is no
    /// other cell.
    pub face_distances: Vec<f32>,
}

impl Places {
    /// Finds the cells and classes of `particle_count` positions (`array<vec4<f32>>`, the fourth component is ignored)
    /// for the cells of a search. Waits for the device.
    ///
    /// # Errors
    /// When there are too many positions for the device, or the device fails.
    pub fn find(gpu: &Gpu, positions: &wgpu::Buffer, particle_count: u32, cells: Cells) -> Result<Self, GpuError> {
        let grid = gpu.uniform("cells", &Grid { particle_count, ..cells.grid() });
        let places = gpu.storage::<Place>("places of particles", particle_count.into())?;
        let face_distances = gpu.storage::<f32>("distances to faces", particle_count.into())?;
        let buffers = [
            ("grid_parameters", &grid),
            ("positions", positions),
            ("places", &places),
            ("face_distances", &face_distances),
        ];
        let shader = ShaderVariant::new(FILE);
        let dispatch = Dispatch::Invocations(particle_count.into());
        let pass = Pass::new(
            gpu,
            PassDescriptor {
                phase: Phase::Physics,
                label: "find places",
                shader: &shader,
                entry_point: "find_places",
                buffers: &buffers,
                dispatch,
            },
        )?;
        gpu.submit(|encoder| record([&pass], encoder, None));
        let count = particle_count as usize;
        Ok(Self {
            cells,
            places: read_buffer(gpu, &places, count)?,
            face_distances: read_buffer(gpu, &face_distances, count)?,
        })
    }

    /// A particle's cell along each axis.
    pub fn cell(&self, particle: u32) -> UVec3 {
        UVec3::from_array(self.places[particle as usize].cell)
    }

    /// Whether it is a border particle; `None` if the search does not distinguish border and inner particles.
    pub fn is_border(&self, particle: u32) -> Option<bool> {
        self.cells.border.map(|_| self.places[particle as usize].is_border != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::{FILE, Place};
    use crate::gpu::{ShaderLibrary, ShaderVariant, assert_same_layout};
    use crate::search::Grid;

    #[test]
    fn the_shader_has_the_same_layout_of_grid_and_places() {
        let (module, _) = ShaderLibrary::embedded().compose(&ShaderVariant::new(FILE)).expect("it composes");
        assert_same_layout::<Grid>(&module);
        assert_same_layout::<Place>(&module);
    }
}
