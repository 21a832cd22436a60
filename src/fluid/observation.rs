//! Reads the particles back at one time, for files and probes.

use std::sync::Arc;

use glam::{DVec3, Vec3};

use super::context::StoredLoad;
use super::passes::PassMaker;
use super::probes::{MeasuredSolid, MeasuredSurface, Probe, ProbeInput, ProbeScene, ProbeSurface, WallLoad};
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
        Ok(self.observed()?.0)
    }

    /// The pressures that act in the solver's forces, Pa, in the order of a frame, whose pressures may be smoother.
    ///
    /// # Errors
    /// As [`Simulation::observe`].
    #[cfg(feature = "laboratory")]
    pub(crate) fn acting_pressures(&self) -> Result<Vec<f32>, FluidError> {
        let (frame, acting) = self.observed()?;
        Ok(acting.unwrap_or(frame.pressures))
    }

    /// A frame, and the pressures that act where those of the frame are smoother.
    fn observed(&self) -> Result<(Frame, Option<Vec<f32>>), FluidError> {
        let count = self.state.count as usize;
        let kept = self.gpu.storage::<[f32; 2]>("densities while observing", count as u64)?;
        let from_state = self.pressures_are_of_last_step();
        let Observing { take_pressures, pressures, evened } = self.observing()?;

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
        if let Some((passes, _)) = &evened {
            record(passes, &mut encoder, None);
        }
        let positions =
            Readback::<[f32; 4]>::record(&self.gpu, &mut encoder, self.model.context.search.sorted_positions(), count);
        let sorted =
            Readback::<[f32; 4]>::record(&self.gpu, &mut encoder, &self.model.context.sorted_velocities, count);
        let densities = Readback::<[f32; 2]>::record(&self.gpu, &mut encoder, &self.model.context.densities, count);
        let acting = Readback::<f32>::record(&self.gpu, &mut encoder, &pressures, count);
        let evened = evened.map(|(_, evened)| Readback::<f32>::record(&self.gpu, &mut encoder, &evened, count));
        copy(&mut encoder, &kept, &self.model.context.densities);
        self.gpu.queue.submit([encoder.finish()]);

        let velocities = sorted.wait(&self.gpu)?;
        let (positions, densities) = (positions.wait(&self.gpu)?, densities.wait(&self.gpu)?);
        let acting = acting.wait(&self.gpu)?;
        let evened = evened.map(|evened| evened.wait(&self.gpu)).transpose()?;
        let mut order = by_original_index(&velocities[..count]);
        // Particles of solids have the highest indices, and parked particles lie outside the box.
        let drawn = self.particles();
        let is_water: Vec<bool> = order
            .iter()
            .take(drawn.fluid_count as usize)
            .map(|&place| positions[place][0] <= drawn.parked_beyond)
            .collect();
        let mut number = is_water.iter();
        order.truncate(is_water.len());
        order.retain(|_| number.next() == Some(&true));
        let pressed = !from_state || self.step_count > 0;
        let xyz = |values: &[[f32; 4]]| order.iter().map(|&place| [0, 1, 2].map(|axis| values[place][axis])).collect();
        let indices: Vec<u32> = order.iter().map(|&place| velocities[place][3].to_bits()).collect();
        let of_water = |pressures: &Vec<f32>| -> Vec<f32> {
            indices.iter().map(|&index| if pressed { pressures[index as usize] } else { 0.0 }).collect()
        };
        let pressures = of_water(evened.as_ref().unwrap_or(&acting));
        let acting = evened.is_some().then(|| of_water(&acting));
        let frame = Frame {
            time: self.time,
            step: self.step_count,
            positions: xyz(&positions),
            velocities: xyz(&velocities),
            densities: order.iter().map(|&place| densities[place][0]).collect(),
            pressures,
            indices,
        };
        Ok((frame, acting))
    }

    /// What [`Simulation::observe`] runs besides the passes of the densities.
    ///
    /// # Errors
    /// When a shader does not compile, or the device has no memory for the buffers.
    pub fn observing_passes(&self) -> Result<Vec<Pass>, FluidError> {
        let Observing { take_pressures, evened, .. } = self.observing()?;
        Ok(take_pressures.into_iter().chain(evened.into_iter().flat_map(|(passes, _)| passes)).collect())
    }

    fn pressures_are_of_last_step(&self) -> bool {
        self.scene.solver.pressures == PressureSource::LastStep
    }

    fn observing(&self) -> Result<Observing, FluidError> {
        let context = &self.model.context;
        let pressures = self.gpu.storage::<f32>("pressures", self.state.count.into())?;
        let from_state = self.pressures_are_of_last_step();
        let buffers = [
            ("fluid", &context.parameters),
            ("densities", &context.densities),
            ("ordered_velocities", if from_state { &self.state.velocities } else { &context.sorted_velocities }),
            ("pressures", &pressures),
        ];
        let shader = ShaderVariant::new("fluid/pressures.wgsl");
        let descriptor = PassDescriptor {
            phase: Phase::Physics,
            label: "pressures",
            shader: &shader,
            entry_point: "take_pressures",
            buffers: &buffers,
            dispatch: Dispatch::Invocations(self.state.count.into()),
        };
        let take_pressures = [Pass::new(&self.gpu, descriptor)?];
        let maker = PassMaker { gpu: &self.gpu, context, state: &self.state, parts: &[] };
        let evened = self.model.solver.even_pressures(&maker, &pressures)?;
        Ok(Observing { take_pressures, pressures, evened })
    }
}

/// The passes that compute the pressures of an observed frame, with the buffers, in the order of the original indices.
struct Observing {
    take_pressures: [Pass; 1],
    /// As they act on the fluid, Pa.
    pressures: wgpu::Buffer,
    /// Means of them for files and probes, Pa, where the solver makes such.
    evened: Option<(Vec<Pass>, wgpu::Buffer)>,
}

impl Simulation {
    /// The readings of the scene's probes from a frame of the current time, in the order of
    /// [`super::Scene::probe_columns`]; `None` where there is nothing to read. They are those of the moment:
    /// [`super::probes::ProbeMeans`] takes the means over windows of time. Waits for the device where probes measure
    /// solids.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn readings(&self, frame: &Frame) -> Result<Vec<Option<f64>>, FluidError> {
        let bodies = self.body_states();
        let particles = self.solid_particles()?;
        let solids = self.measured_solids(&particles);
        let wall_loads = self.wall_loads(frame, &particles)?;
        let [low, high] = self.walls();
        let input = ProbeInput {
            frame,
            bodies: &bodies,
            solids: &solids,
            scene: ProbeScene { low, high, ..self.scene.probe_scene() },
            spacing: self.resolution.spacing,
            support_radius: self.resolution.support_radius,
            particle_mass: self.resolution.particle_mass,
            kernel: self.settings.kernel,
            wall_loads: wall_loads.as_deref(),
        };
        Ok(input.readings(&self.scene.probes))
    }

    /// What the walls of the box bore by each particle in the last step; `None` before it, and where no probe reads it.
    fn wall_loads(&self, frame: &Frame, solids: &[SolidParticle]) -> Result<Option<Vec<WallLoad>>, FluidError> {
        let buffer = self.model.context.wall_loads.as_ref().filter(|_| self.model.has_forces);
        let Some(buffer) = buffer else { return Ok(None) };
        let mut encoder = self.gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let stored = Readback::<StoredLoad>::record(&self.gpu, &mut encoder, buffer, self.state.count as usize);
        self.gpu.queue.submit([encoder.finish()]);
        let stored = stored.wait(&self.gpu)?;
        let of_water = frame.indices.iter().zip(&frame.positions);
        let of_water = of_water.map(|(&index, &position)| (index as usize, Vec3::from(position).as_dvec3()));
        let of_solids = (self.state.fluid_count as usize..).zip(solids.iter().map(|particle| particle.place));
        // The walls feel the opposite of what they do.
        let force = |accelerations: [f32; 4]| -f64::from(self.resolution.particle_mass) * xyz(accelerations);
        let load = |(index, place): (usize, DVec3)| {
            let [iterated, across, along] = stored.get(index)?.map(force);
            Some(WallLoad { place, across: iterated + across, along })
        };
        Ok(Some(of_water.chain(of_solids).filter_map(load).collect()))
    }

    /// The solids that the scene's probes name.
    fn measured_solids(&self, particles: &[SolidParticle]) -> Vec<MeasuredSolid> {
        let mut solids: Vec<MeasuredSolid> = Vec::new();
        for name in self.scene.probes.iter().flat_map(Probe::surfaces) {
            let ProbeSurface::Solid { list, number } = name else { continue };
            let Some((kind, range)) = self.samples.range_of(list, *number) else { continue };
            if solids.iter().any(|solid| solid.name == *name) {
                continue;
            }
            let surface = self.solids[kind].surface(*number, self.step_context()).map(|view| MeasuredSurface {
                mesh: Arc::clone(view.surface),
                rotation: view.rotation.as_dquat(),
                translation: view.translation.as_dvec3(),
            });
            // There is no force before the first step.
            let own = particles.get(range).filter(|_| self.model.has_forces).unwrap_or_default();
            let loads = own.iter().map(|particle| (particle.place, particle.force)).collect();
            solids.push(MeasuredSolid { name: name.clone(), loads, surface });
        }
        solids
    }

    /// The particles of all solids in the last step; empty where none of the scene's probes reads them.
    fn solid_particles(&self) -> Result<Vec<SolidParticle>, FluidError> {
        let is_read = self.scene.probes.iter().any(|probe| probe.reads_solids() || probe.reads_walls());
        let boundary = self.model.context.boundary.as_ref().filter(|_| is_read);
        let Some(boundary) = boundary else { return Ok(Vec::new()) };
        let fluid_count = self.state.fluid_count as usize;
        let (all, own) = (self.state.count as usize, self.state.count as usize - fluid_count);
        let mut encoder = self.gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut vectors = |buffer, count| Readback::<[f32; 4]>::record(&self.gpu, &mut encoder, buffer, count);
        let (positions, velocities) = (vectors(&self.state.positions, all), vectors(&self.state.velocities, all));
        let forces = vectors(&boundary.reactions, own);
        self.gpu.queue.submit([encoder.finish()]);
        let (positions, velocities) = (positions.wait(&self.gpu)?, velocities.wait(&self.gpu)?);
        let forces = forces.wait(&self.gpu)?;
        let mass = f64::from(self.resolution.particle_mass);
        let particle = |&force: &[f32; 4]| SolidParticle { place: DVec3::ZERO, force: mass * xyz(force) };
        let mut particles: Vec<_> = forces.iter().take(own).map(particle).collect();
        for (&position, velocity) in positions.iter().zip(&velocities) {
            let number = (velocity[3].to_bits() as usize).checked_sub(fluid_count);
            if let Some(particle) = number.and_then(|number| particles.get_mut(number)) {
                particle.place = xyz(position);
            }
        }
        Ok(particles)
    }
}

/// A particle of a solid as probes need it.
struct SolidParticle {
    /// m.
    place: DVec3,
    /// Force of the fluid in the last step, N.
    force: DVec3,
}

fn xyz([x, y, z, _]: [f32; 4]) -> DVec3 {
    DVec3::new(x.into(), y.into(), z.into())
}

/// Indices into `velocities`, in the order of the original indices that the velocities contain.
fn by_original_index(velocities: &[[f32; 4]]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..velocities.len()).collect();
    order.sort_unstable_by_key(|&place| velocities[place][3].to_bits());
    order
}
