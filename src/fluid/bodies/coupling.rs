use std::sync::Arc;

use glam::{DQuat, DVec3, Vec3};
use rapier3d::parry::query::Ray;
use rapier3d::parry::shape::SharedShape;

use super::world::{Load, contact_shape, gravity_at, pose_to_rapier, to_rapier};
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
    drag: Option<Drag>,
}

/// A hand that draws a point of a body towards a place, as a spring that swings no more than once would.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drag {
    /// Which body.
    pub body: usize,
    /// Where it is held, in the body's own frame, m.
    pub point: Vec3,
    /// Where the point is drawn to, m.
    pub target: Vec3,
}

/// What a ray meets first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Picked {
    /// Which body.
    pub body: usize,
    /// How far along the ray, m.
    pub distance: f32,
    /// Where, m.
    pub place: Vec3,
    /// The same in the body's own frame, m.
    pub point: Vec3,
}

/// Circular frequency of the spring that a drag is, 1/s: it arrives within some tenths of a second.
const DRAG_RATE: f32 = 12.0;

/// What was saved of bodies.
pub(in crate::fluid) struct SavedBodies {
    /// Those that were added to the scene's.
    pub added: Vec<Body>,
    world: World,
    loads: Vec<LoadWords>,
}

impl SavedBodies {
    /// As [`Bodies::save`] wrote them.
    pub(in crate::fluid) fn read(bytes: &[u8]) -> Result<Self, FluidError> {
        let (added, world, loads): (Vec<(Body, Mesh)>, World, _) =
            postcard::from_bytes(bytes).map_err(|error| FluidError::StateOfBodies(error.to_string()))?;
        let with_surface = |(mut body, surface): (Body, Mesh)| {
            body.shape.set_model(surface);
            body
        };
        Ok(Self { added: added.into_iter().map(with_surface).collect(), world, loads })
    }

    /// How many bodies there were.
    pub(in crate::fluid) fn count(&self) -> usize {
        self.loads.len()
    }
}

/// A body and what does not change of it.
struct Kept {
    body: Body,
    surface: Arc<Mesh>,
    /// kg; infinite where the motion is told.
    mass: f64,
    /// Of the axis that it turns most easily around, about, kg m².
    least_inertia: f32,
    /// As contacts feel it.
    contact: SharedShape,
}

impl Kept {
    fn new(body: &Body) -> Self {
        let properties = body.shape.mass_properties(body.density);
        // Gershgorin's bound of the least eigenvalue.
        let least = |axis: usize| {
            let column = properties.inertia.col(axis).abs();
            2.0 * column[axis] - column.element_sum()
        };
        let inertia = (0..3).map(least).fold(f64::INFINITY, f64::min);
        Self {
            body: body.clone(),
            surface: body.shape.surface(),
            mass: if body.is_free() { properties.mass } else { f64::INFINITY },
            least_inertia: inertia.max(1e-3 * properties.inertia.col(0).x) as f32,
            contact: contact_shape(&body.shape),
        }
    }
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
        Ok(Some(Self {
            kept: scene.bodies.iter().map(Kept::new).collect(),
            world: World::new(scene),
            device: DeviceBodies::new(gpu, &scene.bodies, samples, resolution)?,
            loads: vec![LoadWords::default(); scene.bodies.len()],
            words: words_of(samples, scene.bodies.len()),
            drag: None,
        }))
    }

    /// These with one that was added: the buffers are those of `all`, made for both.
    pub(in crate::fluid) fn joined_by(self, all: Self, added: &Body) -> Self {
        let (mut world, mut loads) = (self.world, self.loads);
        world.add(added);
        loads.push(LoadWords::default());
        Self { world, loads, drag: self.drag, ..all }
    }

    /// What the next step depends on, with the bodies that were added to the scene's.
    pub(in crate::fluid) fn save(&self, added: &[Body]) -> Result<Vec<u8>, FluidError> {
        let added: Vec<(&Body, &Mesh)> =
            self.kept[self.kept.len() - added.len()..].iter().map(|kept| (&kept.body, kept.surface.as_ref())).collect();
        postcard::to_stdvec(&(added, &self.world, &self.loads))
            .map_err(|error| FluidError::StateOfBodies(error.to_string()))
    }

    /// Takes on what was saved of as many bodies.
    pub(in crate::fluid) fn restore(&mut self, saved: SavedBodies) {
        self.world = saved.world;
        self.loads = saved.loads;
        self.drag = None;
    }

    /// Puts the bodies back to the scene's start.
    pub(in crate::fluid) fn reset(&mut self, scene: &Scene) {
        self.world = World::new(scene);
        self.loads.fill(LoadWords::default());
        self.drag = None;
    }

    /// Draws at a body from the next step on, or no longer. One that is not there, is told where to go or is drawn nowhere is
    /// left alone.
    pub(in crate::fluid) fn set_drag(&mut self, drag: Option<Drag>) {
        self.drag = drag.filter(|drag| {
            let is_free = self.kept.get(drag.body).is_some_and(|kept| kept.body.is_free());
            is_free && drag.point.is_finite() && drag.target.is_finite()
        });
    }

    /// The first body along a ray, whose direction has length 1.
    pub(in crate::fluid) fn pick(&self, origin: Vec3, direction: Vec3, time: f64) -> Option<Picked> {
        let ray = Ray::new(to_rapier(origin), to_rapier(direction));
        let met = self.kept.iter().enumerate().filter_map(|(body, kept)| {
            let pose = self.pose(body, time);
            let at = pose_to_rapier(pose.position.as_vec3(), pose.rotation.as_quat());
            let distance = kept.contact.cast_ray(&at, &ray, f32::MAX, true)?;
            let place = origin + distance * direction;
            Some(Picked { body, distance, place, point: pose.local(place.as_dvec3()).as_vec3() })
        });
        met.min_by(|a, b| a.distance.total_cmp(&b.distance))
    }

    /// Where the bodies are at that time, s, which is the present.
    pub(in crate::fluid) fn poses(&self, time: f64) -> Vec<Pose> {
        (0..self.kept.len()).map(|number| self.pose(number, time)).collect()
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
        let Load { mut force, mut torque } = self.load(number, context.resolution);
        let pull = gravity_at(context.scene, self.world.pose(number).position) - context.scene.gravity;
        force += kept.mass as f32 * pull;
        if let Some(drag) = self.drag.filter(|drag| drag.body == number) {
            let drawn = self.drawn(drag, context);
            force += drawn.force;
            torque += drawn.torque;
        }
        // Where the water has gone to pieces the survey tells of it; the bodies need not follow.
        let is_finite = force.is_finite() && torque.is_finite();
        Ok(if is_finite { Load { force, torque } } else { Load::default() })
    }

    /// What a drag does to its body. Its damping takes the step's end into account, so that it stays calm however light the
    /// body is; and it draws no harder than it takes to get as fast as the water in the time that it needs.
    fn drawn(&self, drag: Drag, context: StepContext<'_>) -> Load {
        let kept = &self.kept[drag.body];
        let pose = self.world.pose(drag.body);
        let (velocity, angular_velocity) = self.world.velocities(drag.body);
        let arm = (pose.rotation * drag.point.as_dvec3()).as_vec3();
        let way = drag.target - (pose.position.as_vec3() + arm);
        let speed = velocity + angular_velocity.cross(arm);
        let time_step = context.resolution.time_step;
        let water = context.scene.material.rest_density * kept.body.shape.volume() as f32;
        // The water around goes along.
        let mass = kept.mass as f32 + 0.5 * water;
        let stiffness = mass * DRAG_RATE * DRAG_RATE;
        let damping = 2.0 * mass * DRAG_RATE + stiffness * time_step;
        let give = (kept.mass as f32).recip() + arm.length_squared() / kept.least_inertia;
        let wanted = (stiffness * way - damping * speed) / (1.0 + damping * time_step * give);
        let fastest = context.resolution.sound_speed / context.scene.material.sound_speed_factor;
        let force = wanted.clamp_length_max(2.0 * mass * DRAG_RATE * fastest);
        // A hand does not let it swing for long.
        let calm = 0.5 * DRAG_RATE * kept.least_inertia / (1.0 + 0.5 * DRAG_RATE * time_step) * angular_velocity;
        Load { force, torque: arm.cross(force) - calm }
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

/// Of bodies whose poses are not known yet.
fn words_of(samples: &BoundarySamples, count: usize) -> Vec<BodyWords> {
    let ranges = (0..count).map(|number| samples.body_range(number));
    let words = ranges.map(|range| BodyWords {
        first_sample: (range.start - samples.fixed_count()) as u32,
        sample_count: range.len() as u32,
        ..BodyWords::default()
    });
    words.collect()
}
