//! The bodies' buffers and passes.

use std::ops::Range;
use std::sync::mpsc;
use std::time::Duration;

use super::body::Body;
use super::samples::BodySamples;
use crate::fluid::FluidError;
use crate::fluid::flow::Parking;
use crate::fluid::passes::PassMaker;
use crate::fluid::shader::FluidShader;
use crate::fluid::solids::{Sampled, SceneSolid, Shown, SolidInput, StageOfViscosity};
use crate::fluid::step_part::StepPart;
use crate::gpu::{Dispatch, Gpu, Pass, gpu_struct};

const FILE: &str = "fluid/bodies/bodies.wgsl";
const STAGES_FILE: &str = "fluid/bodies/stages.wgsl";
const PRESSURES_FILE: &str = "fluid/bodies/pressures.wgsl";

const BEGIN_STAGES: FluidShader = FluidShader::single(STAGES_FILE, "begin_stages");
const TAKE_STAGE: FluidShader = FluidShader::single(STAGES_FILE, "take_stage");
const SHOW_STAGED: FluidShader = FluidShader::single(STAGES_FILE, "show_staged");
const TAKE_PRESSURES: FluidShader = FluidShader::single(PRESSURES_FILE, "take_pressures");
const SHOW_PLACES: FluidShader = FluidShader::single(PRESSURES_FILE, "show_places");

/// Places the bodies' particles according to the poses of the bodies.
fn move_bodies() -> FluidShader {
    FluidShader::single(FILE, "move_bodies").with(&["MOVE"])
}

/// Sums up the load of the fluid on each body.
fn gather_loads() -> FluidShader {
    FluidShader::single(FILE, "gather_loads").with(&["GATHER"])
}

/// All shaders that the passes use.
pub(super) fn shaders() -> Vec<FluidShader> {
    vec![move_bodies(), gather_loads(), BEGIN_STAGES, TAKE_STAGE, SHOW_STAGED, TAKE_PRESSURES, SHOW_PLACES]
}

/// In place of a parking place of a body that does not leave the box.
pub(super) const STAYS: u32 = u32::MAX;

/// Longest wait for another thread to report that a read-back has arrived.
const LONGEST_CALLBACK: Duration = Duration::from_secs(10);

gpu_struct! {
    /// Parameters of all bodies for the passes.
    pub struct GpuBodies {
        /// The first parking place of particles of solids, m.
        pub parking_low: [f32; 3],
        /// Distance between parking places, m.
        pub parking_step: f32,
        /// Number of parking places along y and z.
        pub parking_rows: [u32; 2],
        /// Original index of the first particle of the first body; the others follow.
        pub first: u32,
        /// Number of particles of all bodies.
        pub sample_count: u32,
    }
}

gpu_struct! {
    /// A body in the layout of the shaders.
    pub struct GpuBody {
        /// Position of the center of mass, m.
        pub position: [f32; 3],
        /// Index of its first particle among those of all bodies.
        pub first_sample: u32,
        /// Velocity of the center of mass that its particles have in the step, m/s.
        pub velocity: [f32; 3],
        /// Number of its particles.
        pub sample_count: u32,
        /// The same of its rotation, rad/s.
        pub angular_velocity: [f32; 3],
        /// Number of the parking place of its first particle; [`STAYS`] where it does not leave the box.
        pub first_parking: u32,
        /// Rotation from its own frame to the world's: x, y, z, w.
        pub rotation: [f32; 4],
    }
}

gpu_struct! {
    /// What a body's motion within a step follows from. Where the motion is prescribed, all are zero except
    /// for the velocities.
    pub struct Course {
        /// Velocity of the center of mass at the start of the step, m/s.
        pub velocity: [f32; 3],
        /// Mass of a fluid particle over that of the body.
        pub inverse_mass: f32,
        /// At the start of the step, rad/s.
        pub angular_velocity: [f32; 3],
        /// Unused, as the others of this name.
        pub padding_x: u32,
        /// Acceleration by everything besides viscosity, m/s².
        pub acceleration: [f32; 3],
        pub padding_y: u32,
        /// rad/s².
        pub angular_acceleration: [f32; 3],
        pub padding_z: u32,
        /// Acceleration by everything besides the water, m/s².
        pub alone: [f32; 3],
        pub padding_alone: u32,
        /// rad/s².
        pub angular_alone: [f32; 3],
        pub padding_angular: u32,
        /// Mass of a fluid particle times the inverse of the inertia in the world's frame, 1/m²; columns.
        pub inverse_inertia: [[f32; 4]; 3],
    }
}

/// Load of the fluid on a body divided by the mass of a fluid particle: force, m/s², and torque, m²/s²; and the
/// velocity, m/s, and angular velocity, rad/s, after the stages of viscosity, with 1 in the fourth component of the
/// velocity if the step had stages. The other fourth components are unused.
pub(super) type LoadWords = [[f32; 4]; 4];

/// The bodies' buffers.
pub(super) struct DeviceBodies {
    parameters: wgpu::Buffer,
    /// [`GpuBody`]; len = bodies.
    bodies: wgpu::Buffer,
    /// [`Course`]; len = bodies.
    courses: wgpu::Buffer,
    /// `Staged` in body.wgsl; len = bodies.
    staged: wgpu::Buffer,
    /// The same after pressures (pressures.wgsl).
    pressed: wgpu::Buffer,
    /// xyz in m in the body's frame, bits of the body's number; one body after the other.
    samples: wgpu::Buffer,
    /// [`LoadWords`]; len = bodies.
    loads: wgpu::Buffer,
    /// A copy of `loads` that the CPU can read.
    staging: wgpu::Buffer,
    count: usize,
    /// Range of their particles among those of all solids.
    own: Range<usize>,
    arrived: mpsc::Receiver<bool>,
    sender: mpsc::Sender<bool>,
}

impl DeviceBodies {
    /// The buffers of bodies with the particles `samples`.
    pub(super) fn new(input: &SolidInput<'_>, samples: &BodySamples) -> Result<Self, FluidError> {
        let SolidInput { gpu, scene, resolution, first, .. } = *input;
        let count = samples.body_count();
        let of_body = |number: usize| {
            let points = samples.of_body(number).iter();
            points.map(move |point| point.extend(f32::from_bits(number as u32)).to_array())
        };
        let local: Vec<[f32; 4]> = (0..count).flat_map(of_body).collect();
        let parking = Parking::of_solids(scene, resolution, samples.parking_count());
        let parameters = GpuBodies {
            parking_low: parking.low().to_array(),
            parking_step: parking.step(),
            parking_rows: parking.rows(),
            first: resolution.particle_count + first as u32,
            sample_count: local.len() as u32,
        };
        let loads = gpu.storage::<LoadWords>("loads of bodies", count as u64)?;
        let staging = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("loads of bodies on their way"),
            size: loads.size(),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let (sender, arrived) = mpsc::channel();
        Ok(Self {
            parameters: gpu.uniform("all bodies", &parameters),
            bodies: gpu.storage::<GpuBody>("bodies", count as u64)?,
            courses: gpu.storage::<Course>("courses of bodies", count as u64)?,
            staged: gpu.storage::<[[f32; 4]; 4]>("bodies in stages of viscosity", count as u64)?,
            pressed: gpu.storage::<[[f32; 4]; 4]>("bodies under pressure", count as u64)?,
            samples: gpu.storage_with("bodies' particles", &local)?,
            loads,
            staging,
            count,
            own: first..first + local.len(),
            arrived,
            sender,
        })
    }

    /// Writes the bodies for the next submission.
    pub(super) fn write(&self, gpu: &Gpu, bodies: &[GpuBody], courses: &[Course]) {
        gpu.queue.write_buffer(&self.bodies, 0, bytemuck::cast_slice(bodies));
        gpu.queue.write_buffer(&self.courses, 0, bytemuck::cast_slice(courses));
    }

    /// Submits what was recorded in `encoder`, waits for it, and copies the resulting loads into `loads`; `encoder`
    /// is replaced by a new one. Returns `false` when the device is lost.
    pub(super) fn exchange(&self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder, loads: &mut [LoadWords]) -> bool {
        // What is left of an exchange that failed.
        self.arrived.try_iter().for_each(drop);
        let descriptor = wgpu::CommandEncoderDescriptor { label: Some("after an exchange with bodies") };
        let next = gpu.device.create_command_encoder(&descriptor);
        let mut recorded = std::mem::replace(encoder, next);
        recorded.copy_buffer_to_buffer(&self.loads, 0, &self.staging, 0, self.staging.size());
        let sender = self.sender.clone();
        recorded.map_buffer_on_submit(&self.staging, wgpu::MapMode::Read, .., move |result| {
            // There is no receiver any more if the simulation was dropped.
            let _ = sender.send(result.is_ok());
        });
        gpu.queue.submit([recorded.finish()]);
        // The callback runs on whichever thread polls the device, and may not have finished when this thread has
        // waited.
        let arrived = gpu.wait().is_ok() && self.arrived.recv_timeout(LONGEST_CALLBACK).unwrap_or(false);
        if arrived {
            let bytes = size_of_val(loads) as u64;
            loads.copy_from_slice(bytemuck::cast_slice(&self.staging.slice(..bytes).get_mapped_range()));
        }
        // Also where nothing arrived: the next exchange could not map a buffer that waits to be mapped.
        self.staging.unmap();
        arrived
    }
}

impl DeviceBodies {
    fn named(&self) -> [(&'static str, &wgpu::Buffer); 6] {
        [
            ("moved", &self.parameters),
            ("bodies", &self.bodies),
            ("courses", &self.courses),
            ("staged", &self.staged),
            ("samples", &self.samples),
            ("loads", &self.loads),
        ]
    }

    /// *velocities of bodies*: gives the bodies' particles in a buffer of velocities those after the last stage.
    fn show(&self, maker: &PassMaker<'_>, velocities: &wgpu::Buffer) -> Result<Pass, FluidError> {
        let own = [self.named().as_slice(), &[("staged_velocities", velocities)]].concat();
        maker.each("velocities of bodies", &SHOW_STAGED, &own)
    }
}

impl StepPart for DeviceBodies {
    /// *move bodies*: places the bodies' particles according to the poses of the bodies.
    fn before_build(&self, maker: &PassMaker<'_>) -> Result<Vec<Pass>, FluidError> {
        let Some(boundary) = &maker.context.boundary else { return Err(FluidError::NoSolids(Body::KIND.name)) };
        let weights = &boundary.all_weights[self.own.clone()];
        let weights = maker.gpu.storage_with("weights of bodies' particles", weights)?;
        let own = [self.named().as_slice(), &[("sample_weights", &weights)]].concat();
        Ok(vec![maker.each("move bodies", &move_bodies(), &own)?])
    }

    fn before_stages(&self, maker: &PassMaker<'_>, velocities: &wgpu::Buffer) -> Result<Vec<Pass>, FluidError> {
        let bodies = Dispatch::Invocations(self.count as u64);
        let begin = maker.dispatched("begin stages", &BEGIN_STAGES, &self.named(), bodies)?;
        Ok(vec![begin, self.show(maker, velocities)?])
    }

    fn after_stage(&self, maker: &PassMaker<'_>, stage: &StageOfViscosity<'_>) -> Result<Vec<Pass>, FluidError> {
        let own = [self.named().as_slice(), &[("stage", stage.factors)]].concat();
        let workgroups = Dispatch::Workgroups(self.count as u64);
        let taken = maker.dispatched("stage of bodies", &TAKE_STAGE, &own, workgroups)?;
        Ok(vec![taken, self.show(maker, stage.velocities)?])
    }

    fn after_pressures(&self, maker: &PassMaker<'_>, shown: Shown<'_>) -> Result<Vec<Pass>, FluidError> {
        let own = self.named().map(|(name, buffer)| (name, if name == "staged" { &self.pressed } else { buffer }));
        let workgroups = Dispatch::Workgroups(self.count as u64);
        let taken = maker.dispatched("pressures on bodies", &TAKE_PRESSURES, &own, workgroups)?;
        let (label, shader, bound) = match shown {
            Shown::Velocities(velocities) => {
                ("velocities under pressure", &SHOW_STAGED, ("staged_velocities", velocities))
            }
            Shown::Places(places) => ("places under pressure", &SHOW_PLACES, ("places", places)),
        };
        Ok(vec![taken, maker.each(label, shader, &[own.as_slice(), &[bound]].concat())?])
    }

    /// *gather loads*: sums up the load of the fluid on each body.
    fn after_step(&self, maker: &PassMaker<'_>) -> Result<Vec<Pass>, FluidError> {
        let workgroups = Dispatch::Workgroups(self.count as u64);
        Ok(vec![maker.dispatched("gather loads", &gather_loads(), &self.named(), workgroups)?])
    }
}

#[cfg(test)]
mod tests {
    use super::{Course, GpuBodies, GpuBody, TAKE_STAGE, move_bodies};
    use crate::gpu::{ShaderLibrary, ShaderVariant, assert_same_layout};

    #[test]
    fn rust_structs_have_the_layout_that_the_shaders_read() {
        let shader = ShaderVariant::new(move_bodies().file()).with_flag("MOVE");
        let module = ShaderLibrary::embedded().compose(&shader).expect("the shader composes").0;
        assert_same_layout::<GpuBodies>(&module);
        assert_same_layout::<GpuBody>(&module);
        let stages = ShaderVariant::new(TAKE_STAGE.file());
        assert_same_layout::<Course>(&ShaderLibrary::embedded().compose(&stages).expect("the shader composes").0);
    }
}
