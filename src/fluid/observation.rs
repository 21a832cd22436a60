//! Reads the particles back at one time, for files and probes.

use super::probes::{ProbeInput, ProbeScene};
use super::solvers::PressureSource;
use super::{FluidError, Simulation};
use crate::files::Frame;
use crate::gpu::{Dispatch, Pass, PassDescriptor, Phase, Readback, ShaderVariant, record};

impl Simulation {
    /// The current fluid particles, without solids and parked particles, in the order of their original indices.
    /// Waits for the device. Densities belong to the current positions, and so do pressures, unless the solver only
    /// has pressures of the last step; those are zero before the first step. Observing does not change the state: an
    /// observed run equals an unobserved one bit for bit.
    ///
    /// # Errors
    /// When the device has no memory for the buffers, or is lost.
    pub fn observe(&self) -> Result<Frame, FluidError> {
        let count = self.state.count as usize;
        let pressures = self.gpu.storage::<f32>("pressures", count as u64)?;
        let kept = self.gpu.storage::<[f32; 2]>("densities while observing", count as u64)?;
        let from_state = self.scene.solver.pressures == PressureSource::LastStep;
        let buffers = [
            ("fluid", &self.model.context.parameters),
            ("densities", &self.model.context.densities),
            ("pressures", &pressures),
        ];
        let shader = ShaderVariant::new("fluid/pressures.wgsl");
        let dispatch = Dispatch::Invocations(self.state.count.into());
        let take_pressures = [Pass::new(
            &self.gpu,
            PassDescriptor {
                phase: Phase::Physics,
                label: "pressures",
                shader: &shader,
                entry_point: "take_pressures",
                buffers: &buffers,
                dispatch,
            },
        )?];

        let mut encoder = self.gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let copy = |encoder: &mut wgpu::CommandEncoder, from: &wgpu::Buffer, to: &wgpu::Buffer| {
            encoder.copy_buffer_to_buffer(from, 0, to, 0, to.size());
        };
        // Keep the densities for drawing, which are in the order of the last build; they are restored below.
        copy(&mut encoder, &self.model.context.densities, &kept);
        // The passes of the densities would overwrite the pressures of the last step.
        if from_state {
            record(&take_pressures, &mut encoder, None);
        }
        record(&self.passes.densities, &mut encoder, None);
        if !from_state {
            record(&take_pressures, &mut encoder, None);
        }
        let positions =
            Readback::<[f32; 4]>::record(&self.gpu, &mut encoder, self.model.context.search.sorted_positions(), count);
        let sorted =
            Readback::<[f32; 4]>::record(&self.gpu, &mut encoder, &self.model.context.sorted_velocities, count);
        let unsorted = Readback::<[f32; 4]>::record(&self.gpu, &mut encoder, &self.state.velocities, count);
        let densities = Readback::<[f32; 2]>::record(&self.gpu, &mut encoder, &self.model.context.densities, count);
        let pressures = Readback::<f32>::record(&self.gpu, &mut encoder, &pressures, count);
        copy(&mut encoder, &kept, &self.model.context.densities);
        self.gpu.queue.submit([encoder.finish()]);

        let (velocities, unsorted) = (sorted.wait(&self.gpu)?, unsorted.wait(&self.gpu)?);
        let (positions, densities) = (positions.wait(&self.gpu)?, densities.wait(&self.gpu)?);
        let pressures = pressures.wait(&self.gpu)?;
        let mut order = by_original_index(&velocities[..count]);
        let mut order_of_pressures = if from_state { by_original_index(&unsorted[..count]) } else { order.clone() };
        // Particles of solids have the highest indices, and parked particles lie outside the box.
        let drawn = self.particles();
        let is_water: Vec<bool> = order
            .iter()
            .take(drawn.fluid_count as usize)
            .map(|&place| positions[place][0] <= drawn.parked_beyond)
            .collect();
        for order in [&mut order, &mut order_of_pressures] {
            let mut number = is_water.iter();
            order.truncate(is_water.len());
            order.retain(|_| number.next() == Some(&true));
        }
        let pressed = !from_state || self.step_count > 0;
        let xyz = |values: &[[f32; 4]]| order.iter().map(|&place| [0, 1, 2].map(|axis| values[place][axis])).collect();
        Ok(Frame {
            time: self.time,
            step: self.step_count,
            indices: order.iter().map(|&place| velocities[place][3].to_bits()).collect(),
            positions: xyz(&positions),
            velocities: xyz(&velocities),
            densities: order.iter().map(|&place| densities[place][0]).collect(),
            pressures: order_of_pressures.iter().map(|&place| if pressed { pressures[place] } else { 0.0 }).collect(),
        })
    }
}

impl Simulation {
    /// The readings of the scene's probes from a frame of the current time, in the order of
    /// [`super::Scene::probe_columns`]; `None` where there is nothing to read.
    pub fn readings(&self, frame: &Frame) -> Vec<Option<f64>> {
        let bodies = self.body_states();
        let [low, high] = self.walls();
        let input = ProbeInput {
            frame,
            bodies: &bodies,
            scene: ProbeScene { low, high, ..self.scene.probe_scene() },
            spacing: self.resolution.spacing,
            support_radius: self.resolution.support_radius,
            particle_mass: self.resolution.particle_mass,
            kernel: self.settings.kernel,
        };
        input.readings(&self.scene.probes)
    }
}

/// Indices into `velocities`, in the order of the original indices that the velocities contain.
fn by_original_index(velocities: &[[f32; 4]]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..velocities.len()).collect();
    order.sort_unstable_by_key(|&place| velocities[place][3].to_bits());
    order
}
