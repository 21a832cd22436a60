//! The coupling of bodies and fluid: the rapier world, and the loads on the particles that represent the bodies.

use std::any::Any;
use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3, Mat3, Vec3};
use rapier3d::parry::query::Ray;
use rapier3d::parry::shape::SharedShape;

use super::body::{Body, Motion, Pose};
use super::device::{Course, DeviceBodies, GpuBody, LoadWords, STAYS};
use super::outlook::{Outlook, Twist};
use super::samples::BodySamples;
use super::saved;
use super::view::{BodyView, Impulse};
use super::world::{Load, World, contact_shape, gravity_at, pose_to_rapier, to_rapier};
use crate::fluid::passes::PassMaker;
use crate::fluid::resolution::Resolution;
use crate::fluid::scene::Scene;
use crate::fluid::solids::{
    BodyState, Mover, RigidView, SavedArrays, SceneSolid, Shown, Solid, SolidInput, SolidView, StageOfViscosity,
    StepContext,
};
use crate::fluid::step_part::StepPart;
use crate::fluid::{Dimensions, FluidError, Mesh};
use crate::gpu::{Gpu, Pass};

/// The bodies of a simulation: the rapier world on the CPU, and the particles on the device.
pub(super) struct Bodies {
    kept: Vec<Kept>,
    world: World,
    dimensions: Dimensions,
    /// The passes' buffers.
    device: DeviceBodies,
    /// Load of the fluid on each body in the last step, as read back.
    loads: Vec<LoadWords>,
    /// Sums of these loads over time.
    impulses: Vec<Impulse>,
    words: Vec<GpuBody>,
    courses: Vec<Course>,
    /// What is expected of the motion of each free body.
    outlooks: Vec<Outlook>,
    /// Number of bodies that were added to those of the scene; they are the last ones.
    added: usize,
    drag: Option<Drag>,
    /// Held bodies that the program moves, until they are removed.
    ways: Vec<Way>,
}

/// The way of a held body to another pose.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    /// Number of the body.
    pub body: usize,
    /// The pose at its end.
    pub to: Pose,
    /// Simulated time at which the body arrives, s, if its speed allows it.
    pub arrival: f64,
    /// Highest speed of any point of the body, m/s.
    pub fastest: f64,
}

impl Way {
    /// The pose at the end of a step that begins at `from`; `reach` is the distance of the body's farthest point from
    /// its center, m.
    fn next(&self, from: Pose, reach: f64, context: StepContext<'_>) -> Pose {
        let step = context.time_step();
        let turn = from.rotation.angle_between(self.to.rotation);
        let length = from.position.distance(self.to.position) + reach * turn;
        // The tolerance is for rounding of the time, without which a last step would be left over.
        let remaining = (self.arrival - context.time) / step;
        let share = if remaining > 1.0 + 1e-6 { remaining.recip() } else { 1.0 };
        let most = self.fastest * step;
        let share = if length * share > most { most / length } else { share };
        if share >= 1.0 {
            return self.to;
        }
        Pose {
            position: from.position.lerp(self.to.position, share),
            rotation: from.rotation.slerp(self.to.rotation, share),
        }
    }
}

/// A drag of a point of a body towards a target, by a strongly damped spring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drag {
    /// Number of the body.
    pub body: usize,
    /// The dragged point, in the body's own frame, m.
    pub point: Vec3,
    /// The target of the point, m.
    pub target: Vec3,
}

/// The first intersection of a ray with a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Picked {
    /// Number of the body.
    pub body: usize,
    /// Distance along the ray, m.
    pub distance: f32,
    /// The intersection, m.
    pub place: Vec3,
    /// The intersection in the body's own frame, m.
    pub point: Vec3,
}

/// Angular frequency of the spring of a drag, 1/s: the point reaches the target within some tenths of a second.
const DRAG_RATE: f32 = 12.0;

/// A body with its constant properties.
struct Kept {
    body: Body,
    surface: Arc<Mesh>,
    /// Distance of its farthest point from its center of mass, m.
    reach: f64,
    /// Mass, kg, in two dimensions kg/m; infinite for a prescribed motion.
    mass: f64,
    /// Inverse of the inertia in its own frame, 1/(kg m²), in two dimensions 1/(kg m) around z alone; zero for a
    /// prescribed motion.
    inverse_inertia: DMat3,
    /// Approximation of the smallest principal moment of inertia, kg m².
    least_inertia: f32,
    /// Shape for contacts.
    contact: SharedShape,
}

impl Kept {
    fn new(body: &Body, dimensions: Dimensions) -> Self {
        let properties = body.shape.mass_properties(body.density, dimensions);
        // Gershgorin's lower bound of the smallest eigenvalue.
        let least = |axis: usize| {
            let column = properties.inertia.col(axis).abs();
            2.0 * column[axis] - column.element_sum()
        };
        let inertia = (0..3).map(least).fold(f64::INFINITY, f64::min);
        let surface = body.shape.surface();
        Self {
            body: body.clone(),
            reach: surface.vertices.iter().map(|vertex| vertex.length()).fold(0.0, f32::max).into(),
            surface,
            mass: if body.is_free() { properties.mass } else { f64::INFINITY },
            inverse_inertia: match dimensions {
                _ if !body.is_free() => DMat3::ZERO,
                Dimensions::Two => DMat3::from_diagonal(DVec3::Z / properties.inertia.z_axis.z),
                Dimensions::Three => properties.inertia.inverse(),
            },
            least_inertia: inertia.max(1e-3 * properties.inertia.col(0).x) as f32,
            contact: contact_shape(body),
        }
    }

    /// What its motion within a step follows from, with the mass of a fluid particle, kg.
    fn course(&self, now: Twist, pose: &Pose, (outlook, particle_mass): (Outlook, f32)) -> Course {
        let start =
            Course { velocity: now.linear.to_array(), angular_velocity: now.angular.to_array(), ..Course::default() };
        if !self.body.is_free() {
            return start;
        }
        let mass = f64::from(particle_mass);
        let turned = DMat3::from_quat(pose.rotation);
        let inverse = turned * self.inverse_inertia * turned.transpose() * mass;
        let column = |column: DVec3| column.as_vec3().extend(0.0).to_array();
        Course {
            inverse_mass: (mass / self.mass) as f32,
            acceleration: outlook.unbraked.linear.to_array(),
            angular_acceleration: outlook.unbraked.angular.to_array(),
            alone: outlook.alone.linear.to_array(),
            angular_alone: outlook.alone.angular.to_array(),
            inverse_inertia: [inverse.x_axis, inverse.y_axis, inverse.z_axis].map(column),
            ..start
        }
    }
}

impl Bodies {
    /// The bodies of a scene.
    ///
    /// # Errors
    /// When the device has no memory for them.
    pub(super) fn new(input: &SolidInput<'_>) -> Result<Self, FluidError> {
        let samples =
            (input.samples as &dyn Any).downcast_ref::<BodySamples>().ok_or(FluidError::NoSolids(Body::KIND.name))?;
        let bodies = input.scene.solids.of::<Body>();
        Ok(Self {
            kept: bodies.iter().map(|body| Kept::new(body, input.scene.dimensions)).collect(),
            world: World::new(input.scene),
            dimensions: input.scene.dimensions,
            device: DeviceBodies::new(input, samples)?,
            loads: vec![LoadWords::default(); bodies.len()],
            impulses: vec![Impulse::default(); bodies.len()],
            words: words_of(samples, input.first_parking),
            courses: vec![Course::default(); bodies.len()],
            outlooks: falling(input.scene),
            added: 0,
            drag: None,
            ways: Vec::new(),
        })
    }

    /// These bodies with an added one; the buffers are those of `all`, which were made for all bodies.
    pub(super) fn joined_by(self, all: Self, added: &Body) -> Self {
        let (mut world, mut loads, mut impulses) = (self.world, self.loads, self.impulses);
        let mut outlooks = self.outlooks;
        world.add(added, all.dimensions);
        loads.push(LoadWords::default());
        impulses.push(Impulse::default());
        outlooks.extend(all.outlooks.last());
        Self { world, loads, impulses, outlooks, drag: self.drag, ways: self.ways, added: self.added + 1, ..all }
    }

    /// The bodies that were added to those of the scene.
    fn added(&self) -> &[Kept] {
        &self.kept[self.kept.len() - self.added..]
    }

    /// The same bodies, the last `added` of which are not from the scene.
    pub(super) fn with_added(self, added: usize) -> Self {
        Self { added, ..self }
    }

    /// Restores the saved world, the loads of the last step, and what is expected, of the same number of bodies.
    pub(super) fn restore(&mut self, world: World, loads: Vec<LoadWords>, outlooks: Vec<Outlook>) {
        self.world = world;
        self.loads = loads;
        self.outlooks = outlooks;
        self.impulses.fill(Impulse::default());
        self.drag = None;
        self.ways.clear();
    }

    /// Drags a body from the next step on; `None` ends it. A drag of a body that does not exist or has a prescribed
    /// motion, or with values that are not finite, is ignored.
    pub(super) fn set_drag(&mut self, drag: Option<Drag>) {
        self.drag = drag.filter(|drag| {
            let is_free = self.kept.get(drag.body).is_some_and(|kept| kept.body.is_free()) && self.is_there(drag.body);
            is_free && drag.point.is_finite() && drag.target.is_finite()
        });
    }

    /// Moves a held body along a way from the next step on. Returns whether there is such a body.
    pub(super) fn set_way(&mut self, way: Way) -> bool {
        let is_held = self.kept.get(way.body).is_some_and(|kept| kept.body.motion == Motion::Held);
        if !is_held || !self.is_there(way.body) {
            return false;
        }
        self.ways.retain(|other| other.body != way.body);
        self.ways.push(way);
        true
    }

    /// The first body along a ray, whose direction has length 1.
    pub(super) fn pick(&self, origin: Vec3, direction: Vec3, time: f64) -> Option<Picked> {
        let ray = Ray::new(to_rapier(origin), to_rapier(direction));
        let there = self.kept.iter().enumerate().filter(|(body, _)| self.is_there(*body));
        let met = there.filter_map(|(body, kept)| {
            let pose = self.pose(body, time);
            let at = pose_to_rapier(pose.position.as_vec3(), pose.rotation.as_quat());
            let distance = kept.contact.cast_ray(&at, &ray, f32::MAX, true)?;
            let place = origin + distance * direction;
            Some(Picked { body, distance, place, point: pose.local(place.as_dvec3()).as_vec3() })
        });
        met.min_by(|a, b| a.distance.total_cmp(&b.distance))
    }

    /// Whether a body exists and was not removed.
    pub(super) fn is_there(&self, body: usize) -> bool {
        body < self.kept.len() && !self.world.is_removed(body)
    }

    /// The poses of the bodies at the current time, s.
    pub(super) fn poses(&self, time: f64) -> Vec<Pose> {
        (0..self.kept.len()).map(|number| self.pose(number, time)).collect()
    }

    /// The load that moves a free body in a step until its end, or the pose of a body with a prescribed motion at
    /// that time.
    fn moved(&self, number: usize, context: StepContext<'_>) -> Result<Load, Pose> {
        let kept = &self.kept[number];
        if !kept.body.is_free() {
            return Err(self.next_pose(number, context));
        }
        let Load { mut force, mut torque } = self.load(number, context.resolution);
        let pull = gravity_at(context.scene, self.world.pose(number).position) - context.scene.gravity;
        force += kept.mass as f32 * pull;
        if let Some(drag) = self.drag.filter(|drag| drag.body == number) {
            let drawn = self.drawn(drag, context);
            force += drawn.force;
            torque += drawn.torque;
        }
        // If the simulation of the fluid has become unstable, the survey reports it; the bodies ignore such loads.
        let is_finite = force.is_finite() && torque.is_finite();
        Ok(if is_finite { Load { force, torque } } else { Load::default() })
    }

    /// The load of a drag on its body. The damping is implicit, so that it is stable for bodies of any mass, and the
    /// force is limited to what accelerates the body to the fluid's expected speed within the time scale of the drag.
    fn drawn(&self, drag: Drag, context: StepContext<'_>) -> Load {
        let kept = &self.kept[drag.body];
        let pose = self.world.pose(drag.body);
        let (velocity, angular_velocity) = self.world.velocities(drag.body);
        let arm = (pose.rotation * drag.point.as_dvec3()).as_vec3();
        let way = drag.target - (pose.position.as_vec3() + arm);
        let speed = velocity + angular_velocity.cross(arm);
        let time_step = context.resolution.time_step;
        let water = context.scene.material.rest_density * kept.body.shape.room(context.scene.dimensions) as f32;
        // Half of the displaced fluid is added, because the surrounding fluid moves along (added mass).
        let mass = kept.mass as f32 + 0.5 * water;
        let stiffness = mass * DRAG_RATE * DRAG_RATE;
        let damping = 2.0 * mass * DRAG_RATE + stiffness * time_step;
        let give = (kept.mass as f32).recip() + arm.length_squared() / kept.least_inertia;
        let wanted = (stiffness * way - damping * speed) / (1.0 + damping * time_step * give);
        let fastest = context.resolution.sound_speed / context.scene.material.sound_speed_factor;
        let force = wanted.clamp_length_max(2.0 * mass * DRAG_RATE * fastest);
        // Damps the rotation, so that the body does not swing for long.
        let calm = 0.5 * DRAG_RATE * kept.least_inertia / (1.0 + 0.5 * DRAG_RATE * time_step) * angular_velocity;
        Load { force, torque: arm.cross(force) - calm }
    }

    /// Load of the fluid on a body in the last step.
    fn load(&self, number: usize, resolution: &Resolution) -> Load {
        let mass = f64::from(resolution.particle_mass);
        let [force, torque, ..] =
            self.loads[number].map(|[x, y, z, _]| (mass * DVec3::new(x.into(), y.into(), z.into())).as_vec3());
        Load { force, torque }
    }

    /// The acceleration of a free body by the water in the last step; zero for others.
    fn by_water(&self, number: usize) -> Twist {
        let Course { inverse_mass, inverse_inertia, .. } = self.courses[number];
        let [force, torque, ..] = self.loads[number].map(|[x, y, z, _]| Vec3::new(x, y, z));
        let [x, y, z] = inverse_inertia.map(|[x, y, z, _]| Vec3::new(x, y, z));
        Twist { linear: inverse_mass * force, angular: Mat3::from_cols(x, y, z) * torque }
    }

    /// The velocities of a body after the stages of viscosity of the last step; `None` if it had none.
    fn staged(&self, number: usize) -> Option<Twist> {
        let [.., [x, y, z, is_staged], [turn_x, turn_y, turn_z, _]] = self.loads[number];
        let after = Twist { linear: Vec3::new(x, y, z), angular: Vec3::new(turn_x, turn_y, turn_z) };
        (is_staged > 0.0).then_some(after)
    }

    /// Current velocities of all bodies.
    fn twists(&self, context: StepContext<'_>) -> Vec<Twist> {
        let twist = |number| {
            let (linear, angular) = self.velocities(number, context);
            Twist { linear, angular }
        };
        (0..self.kept.len()).map(twist).collect()
    }

    /// The pose of a body at the current time, s.
    fn pose(&self, number: usize, time: f64) -> Pose {
        let body = &self.kept[number].body;
        match body.motion {
            Motion::Free | Motion::Held if self.dimensions == Dimensions::Two => self.world.pose(number).in_plane(),
            Motion::Free | Motion::Held => self.world.pose(number),
            Motion::Sway { .. } | Motion::Shuttle { .. } | Motion::Turn { .. } => body.told(time),
        }
    }

    /// The pose of a body with a prescribed motion at the end of a step.
    fn next_pose(&self, number: usize, context: StepContext<'_>) -> Pose {
        let kept = &self.kept[number];
        if kept.body.motion != Motion::Held {
            return kept.body.told(context.time + context.time_step());
        }
        let now = self.pose(number, context.time);
        let way = self.ways.iter().find(|way| way.body == number);
        way.map_or(now, |way| way.next(now, kept.reach, context))
    }

    /// Velocity, m/s, and angular velocity, rad/s; for a prescribed motion those that lead to its pose at the end of
    /// the step.
    fn velocities(&self, number: usize, context: StepContext<'_>) -> (Vec3, Vec3) {
        let body = &self.kept[number].body;
        if body.is_free() {
            let (velocity, angular_velocity) = self.world.velocities(number);
            return match self.dimensions {
                Dimensions::Two => (velocity.with_z(0.0), angular_velocity.z * Vec3::Z),
                Dimensions::Three => (velocity, angular_velocity),
            };
        }
        let time_step = context.time_step();
        let (now, then) = (self.pose(number, context.time), self.next_pose(number, context));
        let turned: DQuat = then.rotation * now.rotation.inverse();
        let shortest = if turned.w < 0.0 { -turned } else { turned };
        let velocity = (then.position - now.position) / time_step;
        (velocity.as_vec3(), (shortest.to_scaled_axis() / time_step).as_vec3())
    }

    /// As [`Bodies::views`], without bodies that were removed.
    pub(super) fn present<'a>(&'a self, context: StepContext<'a>) -> impl Iterator<Item = BodyView<'a>> {
        self.views(context).enumerate().filter(|(body, _)| self.is_there(*body)).map(|(_, view)| view)
    }

    /// The bodies in their current state, including those that were removed.
    pub(super) fn views<'a>(&'a self, context: StepContext<'a>) -> impl Iterator<Item = BodyView<'a>> {
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
            BodyView { body: &kept.body, surface: &kept.surface, state, impulse: self.impulses[number] }
        })
    }
}

impl StepPart for Bodies {
    fn before_build(&self, maker: &PassMaker<'_>) -> Result<Vec<Pass>, FluidError> {
        self.device.before_build(maker)
    }

    fn before_stages(&self, maker: &PassMaker<'_>, velocities: &wgpu::Buffer) -> Result<Vec<Pass>, FluidError> {
        self.device.before_stages(maker, velocities)
    }

    fn after_stage(&self, maker: &PassMaker<'_>, stage: &StageOfViscosity<'_>) -> Result<Vec<Pass>, FluidError> {
        self.device.after_stage(maker, stage)
    }

    fn after_pressures(&self, maker: &PassMaker<'_>, shown: Shown<'_>) -> Result<Vec<Pass>, FluidError> {
        let has_free = self.kept.iter().any(|kept| kept.body.is_free());
        if has_free { self.device.after_pressures(maker, shown) } else { Ok(Vec::new()) }
    }

    fn after_step(&self, maker: &PassMaker<'_>) -> Result<Vec<Pass>, FluidError> {
        self.device.after_step(maker)
    }
}

impl Solid for Bodies {
    fn reset(&mut self, _: &Gpu, scene: &Scene) {
        self.world = World::new(scene);
        self.outlooks = falling(scene);
        self.loads.fill(LoadWords::default());
        self.impulses.fill(Impulse::default());
        self.drag = None;
        self.ways.clear();
    }

    /// Writes poses and velocities of the bodies for the next step.
    fn place(&mut self, gpu: &Gpu, context: StepContext<'_>) {
        for number in 0..self.kept.len() {
            let (kept, outlook) = (&self.kept[number], self.outlooks[number]);
            let pose = self.pose(number, context.time);
            let (linear, angular) = self.velocities(number, context);
            let now = Twist { linear, angular };
            // Solvers that predict answer the motion that is expected, and move the particles of bodies by it.
            let is_predicted = context.scene.solver.predicts && kept.body.is_free();
            let then = if is_predicted { now.plus(context.resolution.time_step, outlook.expected()) } else { now };
            self.words[number] = GpuBody {
                position: pose.position.as_vec3().to_array(),
                velocity: then.linear.to_array(),
                angular_velocity: then.angular.to_array(),
                rotation: pose.rotation.as_quat().to_array(),
                ..self.words[number]
            };
            self.courses[number] = kept.course(now, &pose, (outlook, context.resolution.particle_mass));
        }
        self.device.write(gpu, &self.words, &self.courses);
    }

    /// Finishes a step after its passes: submits them and waits for the loads, integrates the motion of the bodies,
    /// and writes their new poses. `encoder` is replaced by a new one. When the device is lost, the bodies do not
    /// move.
    fn finish_step(&mut self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder, context: StepContext<'_>) {
        let has_some = (0..self.kept.len()).any(|body| self.is_there(body));
        if !has_some || !self.device.exchange(gpu, encoder, &mut self.loads) {
            return;
        }
        for number in 0..self.kept.len() {
            let Load { force, torque } = self.load(number, context.resolution);
            let [linear, angular] = [force, torque].map(|load| context.time_step() * load.as_dvec3());
            self.impulses[number] += Impulse { linear, angular };
        }
        self.world.fit(context.scene.gravity, context.walls);
        let end = context.time + context.time_step();
        let moves: Vec<_> = (0..self.kept.len()).map(|number| self.moved(number, context)).collect();
        let starts = self.twists(context);
        self.world.step(context.resolution.time_step, moves.into_iter());
        let ends = self.twists(context);
        for (number, (start, end)) in starts.into_iter().zip(ends).enumerate() {
            let (staged, by_water) = (self.staged(number), self.by_water(number));
            self.outlooks[number].take_in(context.resolution.time_step, (start, end), staged, by_water);
        }
        self.place(gpu, StepContext { time: end, ..context });
    }

    fn views<'a>(&'a self, context: StepContext<'a>) -> Vec<SolidView<'a>> {
        self.present(context).map(rigid).map(SolidView::Rigid).collect()
    }

    fn surface<'a>(&'a self, number: usize, context: StepContext<'a>) -> Option<RigidView<'a>> {
        Self::views(self, context).nth(number).filter(|_| self.is_there(number)).map(rigid)
    }

    fn body_states(&self, context: StepContext<'_>) -> Vec<BodyState> {
        Self::views(self, context).map(|view| view.state).collect()
    }

    fn save(&self, _: &Gpu, arrays: &mut SavedArrays) -> Result<(), FluidError> {
        let added = self.added().iter().map(|kept| (&kept.body, kept.surface.as_ref())).collect();
        arrays.add(Body::KIND.name, saved::write(added, &self.world, &self.loads, &self.outlooks)?);
        Ok(())
    }

    fn extend(&self, scene: &mut Scene) {
        scene.solids.of_mut().extend(self.added().iter().map(|kept| kept.body.clone()));
    }

    fn has_additions(&self) -> bool {
        self.added > 0 || (0..self.kept.len()).any(|body| self.world.is_removed(body))
    }

    fn is_removable(&self, number: usize) -> bool {
        self.is_there(number)
    }

    fn set_removed(&mut self, number: usize, removed: bool) {
        self.world.set_removed(number, removed);
        self.drag = self.drag.filter(|drag| drag.body != number);
        self.ways.retain(|way| way.body != number);
    }

    fn with_buffers_of(self: Box<Self>, fresh: Box<dyn Solid>) -> Box<dyn Solid> {
        match (fresh as Box<dyn Any>).downcast::<Self>() {
            Ok(fresh) => {
                let Self { world, loads, impulses, outlooks, drag, ways, added, .. } = *self;
                Box::new(Self { world, loads, impulses, outlooks, added, drag, ways, ..*fresh })
            }
            Err(_) => unreachable!("bodies are created as this type"),
        }
    }
}

/// What is expected of the bodies of a scene at its start.
fn falling(scene: &Scene) -> Vec<Outlook> {
    let bodies = scene.solids.of::<Body>().iter();
    bodies.map(|body| Outlook::falling(gravity_at(scene, body.position.as_dvec3()))).collect()
}

/// A body as pictures and sensors see it.
fn rigid(BodyView { body, surface, state, .. }: BodyView<'_>) -> RigidView<'_> {
    let mover = if body.is_free() { Mover::Forces } else { Mover::Scene };
    RigidView { surface, rotation: state.rotation, translation: state.position, mover }
}

/// The bodies in the layout of the shaders, without their poses; `first_parking` is the first parking place of bodies.
fn words_of(samples: &BodySamples, first_parking: u32) -> Vec<GpuBody> {
    let words = |number| {
        let range = samples.range_of(number);
        GpuBody {
            first_sample: range.start as u32,
            sample_count: range.len() as u32,
            first_parking: samples.parking_of(number).map_or(STAYS, |place| first_parking + place),
            ..GpuBody::default()
        }
    };
    (0..samples.body_count()).map(words).collect()
}
