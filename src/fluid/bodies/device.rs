use std::sync::mpsc;
use std::time::Duration;

use super::Body;
use crate::fluid::boundaries::BoundarySamples;
use crate::fluid::sph::{ParticleState, Sph};
use crate::fluid::{FluidError, Resolution};
use crate::gpu::{Dispatch, Gpu, Pass, Phase, ShaderVariant, gpu_struct};

const FILE: &str = "fluid/bodies.wgsl";

/// How long another thread may take over telling that a read-back is there.
const LONGEST_CALLBACK: Duration = Duration::from_secs(10);

gpu_struct! {
    /// What the passes know of all bodies.
    pub struct BodiesWords {
        /// The original index of the first body's first particle; the others follow.
        pub first: u32,
        /// Particles of all bodies.
        pub sample_count: u32,
    }
}

gpu_struct! {
    /// A body as shaders see it.
    pub struct BodyWords {
        /// Of the center of mass, m.
        pub position: [f32; 3],
        /// The first of its particles among those of all bodies.
        pub first_sample: u32,
        /// Of the center of mass, m/s.
        pub velocity: [f32; 3],
        /// How many particles it has.
        pub sample_count: u32,
        /// rad/s.
        pub angular_velocity: [f32; 3],
        /// Nothing.
        pub padding: u32,
        /// From its own frame to the world's: x, y, z, w.
        pub rotation: [f32; 4],
    }
}

/// What the fluid does to a body, over the mass of a fluid particle: force, m/s², and torque, m²/s², with a fourth component
/// that is nothing.
pub(in crate::fluid) type LoadWords = [[f32; 4]; 2];

/// The bodies' buffers.
pub(in crate::fluid) struct DeviceBodies {
    parameters: wgpu::Buffer,
    /// [`BodyWords`]; len = bodies.
    bodies: wgpu::Buffer,
    /// xyz in m in the body's frame, bits of the body's number; body by body.
    samples: wgpu::Buffer,
    /// [`LoadWords`]; len = bodies.
    loads: wgpu::Buffer,
    /// The same where the CPU can read it.
    staging: wgpu::Buffer,
    count: usize,
    /// Boundary particles before the first of a body's.
    fixed_count: usize,
    arrived: mpsc::Receiver<bool>,
    sender: mpsc::Sender<bool>,
}

/// What bodies add to a step.
pub(in crate::fluid) struct BodyPasses {
    /// Before the search sorts.
    pub move_bodies: Pass,
    /// After the fluid's last reaction.
    pub gather_loads: Pass,
}

impl DeviceBodies {
    /// Room for a scene's bodies, covered by `samples`.
    pub(super) fn new(
        gpu: &Gpu,
        bodies: &[Body],
        samples: &BoundarySamples,
        resolution: &Resolution,
    ) -> Result<Self, FluidError> {
        let fixed_count = samples.fixed_count();
        let of_body = |number: usize| {
            let points = samples.of_body(number).iter();
            points.map(move |point| point.extend(f32::from_bits(number as u32)).to_array())
        };
        let local: Vec<[f32; 4]> = (0..bodies.len()).flat_map(of_body).collect();
        let parameters =
            BodiesWords { first: resolution.particle_count + fixed_count as u32, sample_count: local.len() as u32 };
        let loads = gpu.storage::<LoadWords>("loads of bodies", bodies.len() as u64)?;
        let staging = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("loads of bodies on their way"),
            size: loads.size(),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let (sender, arrived) = mpsc::channel();
        Ok(Self {
            parameters: gpu.uniform("all bodies", &parameters),
            bodies: gpu.storage::<BodyWords>("bodies", bodies.len() as u64)?,
            samples: gpu.storage_with("bodies' particles", &local)?,
            loads,
            staging,
            count: bodies.len(),
            fixed_count,
            arrived,
            sender,
        })
    }

    /// Where the bodies are from the next submission on.
    pub(super) fn write(&self, gpu: &Gpu, bodies: &[BodyWords]) {
        gpu.queue.write_buffer(&self.bodies, 0, bytemuck::cast_slice(bodies));
    }

    /// Compiles the shaders and binds them.
    pub(in crate::fluid) fn passes(
        &self,
        gpu: &Gpu,
        sph: &Sph,
        state: &ParticleState,
    ) -> Result<BodyPasses, FluidError> {
        let Some(boundary) = &sph.boundary else { return Err(FluidError::NoBodies) };
        let weights = gpu.storage_with("weights of bodies' particles", &boundary.all_weights[self.fixed_count..])?;
        let buffers = [
            ("fluid", &sph.parameters),
            ("moved", &self.parameters),
            ("bodies", &self.bodies),
            ("samples", &self.samples),
            ("sample_weights", &weights),
            ("positions", &state.positions),
            ("velocities", &state.velocities),
            ("boundary_weights", &boundary.weights),
            ("reactions", &boundary.reactions),
            ("loads", &self.loads),
        ];
        let pass = |label, flag, entry_point, dispatch| {
            let shader = ShaderVariant::new(FILE).with_flag(flag);
            Pass::new(gpu, (Phase::Physics, label), (&shader, entry_point), &buffers, dispatch)
        };
        let particles = Dispatch::Invocations(state.count.into());
        Ok(BodyPasses {
            move_bodies: pass("move bodies", "MOVE", "move_bodies", particles)?,
            gather_loads: pass("gather loads", "GATHER", "gather_loads", Dispatch::Workgroups(self.count as u64))?,
        })
    }

    /// Submits what `encoder` holds, waits for it, and puts the loads that it came to into `loads`; `encoder` is a new one
    /// then. `false` when the device is lost.
    pub(super) fn exchange(&self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder, loads: &mut [LoadWords]) -> bool {
        let descriptor = wgpu::CommandEncoderDescriptor { label: Some("after an exchange with bodies") };
        let next = gpu.device.create_command_encoder(&descriptor);
        let mut recorded = std::mem::replace(encoder, next);
        recorded.copy_buffer_to_buffer(&self.loads, 0, &self.staging, 0, self.staging.size());
        let sender = self.sender.clone();
        recorded.map_buffer_on_submit(&self.staging, wgpu::MapMode::Read, .., move |result| {
            // Nobody listens any more when the simulation was dropped.
            let _ = sender.send(result.is_ok());
        });
        gpu.queue.submit([recorded.finish()]);
        // Whichever thread polls the device tells of the arrival, and may be still at it when this one has waited.
        let arrived = gpu.wait().is_ok() && self.arrived.recv_timeout(LONGEST_CALLBACK).unwrap_or(false);
        if arrived {
            let bytes = size_of_val(loads) as u64;
            loads.copy_from_slice(bytemuck::cast_slice(&self.staging.slice(..bytes).get_mapped_range()));
            self.staging.unmap();
        }
        arrived
    }
}
