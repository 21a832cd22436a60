//! What the particles are like at one time, read back: for files and probes.

use super::{FluidError, Probed, Simulation, Solver};
use crate::files::Frame;
use crate::gpu::{Dispatch, Pass, Phase, Readback, ShaderVariant, record};

impl Simulation {
    /// The water as it is, without solids and what waits to be poured, in the order of their original indices: waits for the device. Densities are those
    /// of the positions; pressures too, of PBF those that the last step's corrections amounted to, and zero before the
    /// first. Changes nothing: a run that is observed is bit for bit the one that is not.
    ///
    /// # Errors
    /// When the device has no room for it, or is lost.
    pub fn observe(&self) -> Result<Frame, FluidError> {
        let count = self.state.count as usize;
        let pressures = self.gpu.storage::<f32>("pressures", count as u64)?;
        let kept = self.gpu.storage::<[f32; 2]>("densities while observing", count as u64)?;
        let from_state = self.scene.solver == Solver::Pbf;
        let observed = if from_state { &self.state.positions } else { self.sph.search.sorted_positions() };
        let buffers = [
            ("fluid", &self.sph.parameters),
            ("observed_positions", observed),
            ("densities", &self.sph.densities),
            ("pressures", &pressures),
        ];
        let shader = (&ShaderVariant::new("fluid/pressures.wgsl"), "take_pressures");
        let dispatch = Dispatch::Invocations(self.state.count.into());
        let take_pressures = [Pass::new(&self.gpu, (Phase::Physics, "pressures"), shader, &buffers, dispatch)?];

        let mut encoder = self.gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let copy = |encoder: &mut wgpu::CommandEncoder, from: &wgpu::Buffer, to: &wgpu::Buffer| {
            encoder.copy_buffer_to_buffer(from, 0, to, 0, to.size());
        };
        // The densities that are drawn stand in the order of the last build, and stay so.
        copy(&mut encoder, &self.sph.densities, &kept);
        // PBF's pressures are of its last step; the passes of the densities would put the equation of state's there.
        if from_state {
            record(&take_pressures, &mut encoder, None);
        }
        record(&self.passes.densities, &mut encoder, None);
        if !from_state {
            record(&take_pressures, &mut encoder, None);
        }
        let positions =
            Readback::<[f32; 4]>::record(&self.gpu, &mut encoder, self.sph.search.sorted_positions(), count);
        let sorted = Readback::<[f32; 4]>::record(&self.gpu, &mut encoder, &self.sph.sorted_velocities, count);
        let unsorted = Readback::<[f32; 4]>::record(&self.gpu, &mut encoder, &self.state.velocities, count);
        let densities = Readback::<[f32; 2]>::record(&self.gpu, &mut encoder, &self.sph.densities, count);
        let pressures = Readback::<f32>::record(&self.gpu, &mut encoder, &pressures, count);
        copy(&mut encoder, &kept, &self.sph.densities);
        self.gpu.queue.submit([encoder.finish()]);

        let (velocities, unsorted) = (sorted.wait(&self.gpu)?, unsorted.wait(&self.gpu)?);
        let (positions, densities) = (positions.wait(&self.gpu)?, densities.wait(&self.gpu)?);
        let pressures = pressures.wait(&self.gpu)?;
        let mut order = by_original_index(&velocities[..count]);
        let mut order_of_pressures = if from_state { by_original_index(&unsorted[..count]) } else { order.clone() };
        // Boundary particles have the highest indices; parked water waits outside the box.
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
    /// What the scene's probes read off a frame observed just now, in the order of [`super::Scene::probe_columns`]; `None`
    /// where there is nothing to read.
    pub fn readings(&self, frame: &Frame) -> Vec<Option<f64>> {
        let bodies: Vec<_> = self.bodies().map(|view| view.state).collect();
        let (scene, resolution, kernel) = (&self.scene, &self.resolution, self.settings.kernel);
        Probed { frame, bodies: &bodies, scene, resolution, kernel }.readings()
    }
}

/// Places of the particles, in the order of the original indices that their velocities carry.
fn by_original_index(velocities: &[[f32; 4]]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..velocities.len()).collect();
    order.sort_unstable_by_key(|&place| velocities[place][3].to_bits());
    order
}
