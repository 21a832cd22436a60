//! Another number of particles in a running simulation: all buffers are made anew, and the current particles are
//! renumbered and written into them.

use glam::Vec3;

use super::MOST_PLACES;
use crate::fluid::flow::Flow;
use crate::fluid::foam::{Foam, FoamInput};
use crate::fluid::model::{Model, solid_arrays};
use crate::fluid::particles::ParticleState;
use crate::fluid::simulation::parts;
use crate::fluid::step::StepPasses;
use crate::fluid::{FluidError, Resolution, Scene, Simulation};
use crate::gpu::read_buffer;

/// What changes with the number of particles. The particles of solids have changed already.
pub(super) struct Recount<'a> {
    /// The resolution with the new numbers.
    pub resolution: Resolution,
    /// The original index that a particle gets, from the one it has; `None` for those that are taken out.
    pub renumbered: &'a dyn Fn(u32) -> Option<u32>,
    /// Original index, position, m, and velocity, m/s, of each new particle.
    pub added: Vec<(u32, Vec3, Vec3)>,
    /// Whether there are places for a spout.
    pub has_spout: bool,
}

impl Simulation {
    /// Emitters and drains for another number of particles, with the current state of the emitters. The places of a
    /// running spout are written when it is next moved, in the same frame.
    ///
    /// # Errors
    /// When the device is lost or has no memory.
    pub(in crate::fluid) fn flow_for(
        &self,
        scene: &Scene,
        resolution: &Resolution,
    ) -> Result<Option<Flow>, FluidError> {
        self.flow_of(scene, resolution, self.has_spout())
    }

    fn flow_of(&self, scene: &Scene, resolution: &Resolution, has_spout: bool) -> Result<Option<Flow>, FluidError> {
        let places = if has_spout { MOST_PLACES } else { 0 };
        let flow = Flow::new(&self.gpu, scene, resolution, &self.samples, places)?;
        if let (Some(flow), Some(before)) = (&flow, &self.flow) {
            flow.set_emitters(&self.gpu, &before.emitters(&self.gpu)?);
        }
        Ok(flow)
    }

    /// Makes all buffers anew for another number of particles. Waits for the device. Arrays that a solver carries from
    /// step to step are reset.
    ///
    /// # Errors
    /// When the device is lost or has no memory. The simulation is unchanged in that case.
    pub(super) fn recount(&mut self, recount: Recount<'_>) -> Result<(), FluidError> {
        let Recount { resolution, renumbered, added, has_spout } = recount;
        let (gpu, scene) = (&self.gpu, &self.scene);
        let count = self.state.count as usize;
        let old_positions: Vec<[f32; 4]> = read_buffer(gpu, &self.state.positions, count)?;
        let old_velocities: Vec<[f32; 4]> = read_buffer(gpu, &self.state.velocities, count)?;
        let old_densities: Vec<[f32; 2]> = read_buffer(gpu, &self.model.context.densities, count)?;
        let (mut positions, mut velocities, mut densities) = (Vec::new(), Vec::new(), Vec::new());
        for ((position, velocity), density) in old_positions.into_iter().zip(old_velocities).zip(old_densities) {
            let [x, y, z, word] = velocity;
            if let Some(original) = renumbered(word.to_bits()) {
                positions.push(position);
                velocities.push([x, y, z, f32::from_bits(original)]);
                densities.push(density);
            }
        }
        for (original, place, velocity) in added {
            positions.push(place.extend(1.0).to_array());
            velocities.push(velocity.extend(f32::from_bits(original)).to_array());
            densities.push([0.0; 2]);
        }

        let state = ParticleState::new(gpu, &resolution)?;
        let flow = self.flow_of(scene, &resolution, has_spout)?;
        let solid_arrays = solid_arrays(scene, self.settings.kernel, &resolution, &self.samples);
        let model = Model::new(gpu, scene, &self.settings, &resolution, &state, solid_arrays)?;
        let fresh = self.samples.on_device(gpu, scene, &resolution)?;
        let all_parts = parts(flow.as_ref(), fresh.iter().map(Box::as_ref));
        let passes = StepPasses::new(gpu, &model, (&state, None), &all_parts, &mut self.surveyor)?;
        let (settings, context) = (&self.settings, &model.context);
        let input = FoamInput { gpu, scene, settings, resolution: &resolution, state: &state, context };
        let foam = Foam::after(self.foam.as_ref(), &input)?;

        gpu.queue.write_buffer(&state.positions, 0, bytemuck::cast_slice(&positions));
        gpu.queue.write_buffer(&state.velocities, 0, bytemuck::cast_slice(&velocities));
        gpu.queue.write_buffer(&model.context.densities, 0, bytemuck::cast_slice(&densities));
        let before = std::mem::take(&mut self.solids);
        self.solids = before.into_iter().zip(fresh).map(|(solid, fresh)| solid.with_buffers_of(fresh)).collect();
        self.solids.iter().for_each(|solid| solid.take_particles(&self.gpu, &positions, &velocities));
        let interval = self.resort_interval();
        (self.state, self.model, self.passes, self.foam, self.flow) = (state, model, passes, foam, flow);
        // The old one was made for another number of particles.
        self.kept_order = None;
        self.resolution = resolution;
        self.set_resort_interval(interval)?;
        self.set_push(self.push);
        self.adopt_hands();
        self.place_solids();
        Ok(())
    }
}
