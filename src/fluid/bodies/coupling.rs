use std::sync::Arc;

use glam::{DQuat, DVec3, Vec3};

use super::world::{Load, gravity_at};
use super::{Body, BodyState, BodyView, BodyWords, DeviceBodies, LoadWords, Pose, World};
use crate::fluid::boundaries::BoundarySamples;
use crate::fluid::{FluidError, Mesh, Resolution, Scene, Solver};
use crate::gpu::Gpu;

/// The bodies of a simulation, on both sides: rapier's world, and the device's particles.
pub(in crate::fluid) struct Bodies {
    kept: Vec<Kept>,
    world: World,
    /// The passes' buffers.
    pub device: DeviceBodies,
    /// What the fluid did to each in the last step, as read back.
    loads: Vec<LoadWords>,
    words: Vec<BodyWords>,
}

/// A body and what does not change of it.
struct Kept {
    body: Body,
    surface: Arc<Mesh>,
    /// kg; infinite where the motion is told.
    mass: f64,
}

/// What a step is taken under.
#[derive(Clone, Copy)]
pub(in crate::fluid) struct StepContext<'a> {
    /// As edited.
    pub scene: &'a Scene,
    /// Its resolution.
    pub resolution: &'a Resolution,
    /// At the step's start, s.
    pub time: f64,
}

impl StepContext<'_> {
    fn time_step(&self) -> f64 {
        self.resolution.time_step.into()
    }
}

impl Bodies {
    /// Of a scene, covered by `samples`; `None` where there are none.
    pub(in crate::fluid) fn new(
        gpu: &Gpu,
        scene: &Scene,
        samples: Option<&BoundarySamples>,
        resolution: &Resolution,
    ) -> Result<Option<Self>, FluidError> {
        let Some(samples) = samples.filter(|_| !scene.bodies.is_empty()) else { return Ok(None) };
        let kept = |body: &Body| Kept {
            body: body.clone(),
            surface: body.shape.surface(),
            mass: if body.is_free() { body.shape.mass_properties(body.density).mass } else { f64::INFINITY },
        };
        let ranges = (0..scene.bodies.len()).map(|number| samples.body_range(number));
        let words = ranges.map(|range| BodyWords {
            first_sample: (range.start - samples.fixed_count()) as u32,
            sample_count: range.len() as u32,
            ..BodyWords::default()
        });
        Ok(Some(Self {
            kept: scene.bodies.iter().map(kept).collect(),
            world: World::new(scene),
            device: DeviceBodies::new(gpu, &scene.bodies, samples, resolution)?,
            loads: vec![LoadWords::default(); scene.bodies.len()],
            words: words.collect(),
        }))
    }

    /// Puts the bodies back to the scene's start.
    pub(in crate::fluid) fn reset(&mut self, scene: &Scene) {
        self.world = World::new(scene);
        self.loads.fill(LoadWords::default());
    }

    /// Writes where the bodies are, and how fast, for the next step.
    pub(in crate::fluid) fn write(&mut self, gpu: &Gpu, context: StepContext<'_>) {
        for number in 0..self.kept.len() {
            let pose = self.pose(number, context.time);
            let (mut velocity, angular_velocity) = self.velocities(number, context);
            // PBF's prediction takes the particles along as it does the fluid's.
            if context.scene.solver == Solver::Pbf && self.kept[number].body.is_free() {
                velocity += context.resolution.time_step * gravity_at(context.scene, pose.position);
            }
            self.words[number] = BodyWords {
                position: pose.position.as_vec3().to_array(),
                velocity: velocity.to_array(),
                angular_velocity: angular_velocity.to_array(),
                rotation: pose.rotation.as_quat().to_array(),
                ..self.words[number]
            };
        }
        self.device.write(gpu, &self.words);
    }

    /// After the passes of a step: submits them and waits for what the fluid did, takes the bodies a step on, and writes
    /// where they are then. `encoder` is a new one afterwards. Nothing of it when the device is lost.
    pub(in crate::fluid) fn step(&mut self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder, context: StepContext<'_>) {
        if !self.device.exchange(gpu, encoder, &mut self.loads) {
            return;
        }
        let end = context.time + context.time_step();
        let moves: Vec<_> = (0..self.kept.len()).map(|number| self.moved(number, context, end)).collect();
        self.world.step(context.resolution.time_step, moves.into_iter());
        self.write(gpu, StepContext { time: end, ..context });
    }

    /// What moves a body in a step to the time `end`.
    fn moved(&self, number: usize, context: StepContext<'_>, end: f64) -> Result<Load, Pose> {
        let kept = &self.kept[number];
        if !kept.body.is_free() {
            return Err(kept.body.told(end));
        }
        let Load { mut force, torque } = self.load(number, context.resolution);
        let pull = gravity_at(context.scene, self.world.pose(number).position) - context.scene.gravity;
        force += kept.mass as f32 * pull;
        // Where the water has gone to pieces the survey tells of it; the bodies need not follow.
        let is_finite = force.is_finite() && torque.is_finite();
        Ok(if is_finite { Load { force, torque } } else { Load::default() })
    }

    /// What the fluid did to a body in the last step.
    fn load(&self, number: usize, resolution: &Resolution) -> Load {
        let mass = f64::from(resolution.particle_mass);
        let [force, torque] =
            self.loads[number].map(|[x, y, z, _]| (mass * DVec3::new(x.into(), y.into(), z.into())).as_vec3());
        Load { force, torque }
    }

    /// Where a body is at that time, s, which is the present.
    fn pose(&self, number: usize, time: f64) -> Pose {
        let body = &self.kept[number].body;
        if body.is_free() { self.world.pose(number) } else { body.told(time) }
    }

    /// Velocity, m/s, and angular velocity, rad/s: of what is told where to go, those that take it there in a step.
    fn velocities(&self, number: usize, context: StepContext<'_>) -> (Vec3, Vec3) {
        let body = &self.kept[number].body;
        if body.is_free() {
            return self.world.velocities(number);
        }
        let time_step = context.time_step();
        let (now, then) = (body.told(context.time), body.told(context.time + time_step));
        let turned: DQuat = then.rotation * now.rotation.inverse();
        let shortest = if turned.w < 0.0 { -turned } else { turned };
        let velocity = (then.position - now.position) / time_step;
        (velocity.as_vec3(), (shortest.to_scaled_axis() / time_step).as_vec3())
    }

    /// The bodies as they are.
    pub(in crate::fluid) fn views<'a>(&'a self, context: StepContext<'a>) -> impl Iterator<Item = BodyView<'a>> {
        self.kept.iter().enumerate().map(move |(number, kept)| {
            let pose = self.pose(number, context.time);
            let (velocity, angular_velocity) = self.velocities(number, context);
            let Load { force, torque } = self.load(number, context.resolution);
            let state = BodyState {
                position: pose.position.as_vec3(),
                rotation: pose.rotation.as_quat(),
                velocity,
                angular_velocity,
                mass: kept.mass as f32,
                force,
                torque,
            };
            BodyView { body: &kept.body, surface: &kept.surface, state }
        })
    }
}
