//! Roles of particles for drawing: a list of particles with their roles, and one role for all other particles.

use super::LaboratoryError;
use super::drawn_places::DrawnPlaces;
use crate::gpu::{Dispatch, Gpu, Pass, PassDescriptor, PassTimer, Phase, ShaderVariant, gpu_struct, record};
use crate::render::Mark;

gpu_struct! {
    /// Parameters of the marking passes.
    pub struct MarkParameters {
        /// Number of particles.
        pub particle_count: u32,
        /// Number of entries in the list.
        pub entry_count: u32,
        /// Role of the particles that are not in the list.
        pub others: u32,
        /// 1 if entries refer to indices in the drawn order, 0 if they refer to identities.
        pub by_place: u32,
    }
}

gpu_struct! {
    /// A particle and its role.
    pub struct MarkEntry {
        /// Its identity, or its index in the drawn order.
        pub particle: u32,
        /// A [`Mark`] as a number.
        pub role: u32,
    }
}

/// How the entries of a list refer to particles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Naming {
    /// By identity, which does not change during the simulation.
    Identity,
    /// By index in the drawn order.
    Place,
}

/// Largest number of entries in the list.
const MOST_ENTRIES: usize = 1 << 17;

/// The roles of all particles on the device, in the drawn order.
pub struct Marker {
    parameters: wgpu::Buffer,
    entries: wgpu::Buffer,
    marks: wgpu::Buffer,
    passes: [Pass; 3],
    particle_count: u32,
    entry_count: u32,
}

impl Marker {
    /// Allocates the roles of that many particles. `identities` is `array<vec4<f32>>` in the drawn order, with each
    /// particle's identity as the bits of the fourth component.
    ///
    /// # Errors
    /// When the buffers do not fit the device.
    pub fn new(gpu: &Gpu, identities: &wgpu::Buffer, particle_count: u32) -> Result<Self, LaboratoryError> {
        let parameters = gpu.uniform("mark parameters", &MarkParameters::default());
        let entries = gpu.storage::<MarkEntry>("marked particles", MOST_ENTRIES as u64)?;
        let marks = gpu.storage::<u32>("marks", particle_count.into())?;
        let drawn = DrawnPlaces::new(gpu, identities, particle_count)?;
        let buffers = [
            ("mark_parameters", &parameters),
            ("drawn_places", &drawn.places),
            ("entries", &entries),
            ("marks", &marks),
        ];
        let shader = ShaderVariant::new("laboratory/scatter_marks.wgsl");
        let pass = |label, entry_point, invocations: u64| {
            Pass::new(
                gpu,
                PassDescriptor {
                    phase: Phase::Drawing,
                    label,
                    shader: &shader,
                    entry_point,
                    buffers: &buffers,
                    dispatch: Dispatch::Invocations(invocations),
                },
            )
        };
        let passes = [
            drawn.pass,
            pass("fill marks", "fill", particle_count.into())?,
            pass("scatter marks", "scatter", MOST_ENTRIES as u64)?,
        ];
        Ok(Self { parameters, entries, marks, passes, particle_count, entry_count: 0 })
    }

    /// Sets the roles that the next [`Marker::record`] writes; returns the number of entries that did not fit.
    pub fn set(&mut self, gpu: &Gpu, others: Mark, naming: Naming, entries: &[MarkEntry]) -> usize {
        let kept = &entries[..entries.len().min(MOST_ENTRIES)];
        self.entry_count = kept.len() as u32;
        let parameters = MarkParameters {
            particle_count: self.particle_count,
            entry_count: self.entry_count,
            others: others as u32,
            by_place: u32::from(naming == Naming::Place),
        };
        gpu.write_uniform(&self.parameters, &parameters);
        if !kept.is_empty() {
            gpu.queue.write_buffer(&self.entries, 0, bytemuck::cast_slice(kept));
        }
        entries.len() - kept.len()
    }

    /// Records the passes that write the roles: after the particles were sorted and before they are drawn.
    pub fn record(&self, encoder: &mut wgpu::CommandEncoder, timer: Option<&mut PassTimer>) {
        record(&self.passes, encoder, timer);
    }

    /// The roles: u32 in the drawn order; len = `particle_count`.
    pub fn marks(&self) -> &wgpu::Buffer {
        &self.marks
    }
}

impl MarkEntry {
    /// A particle in a role.
    pub fn new(particle: u32, role: Mark) -> Self {
        Self { particle, role: role as u32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::{ShaderLibrary, assert_same_layout};

    #[test]
    fn the_shader_reads_parameters_and_entries_at_the_same_offsets() {
        let variant = ShaderVariant::new("laboratory/scatter_marks.wgsl");
        let (module, _) = ShaderLibrary::embedded().compose(&variant).unwrap_or_else(|error| panic!("{error}"));
        assert_same_layout::<MarkParameters>(&module);
        assert_same_layout::<MarkEntry>(&module);
    }
}
