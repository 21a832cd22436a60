//! Interaction with bodies in a running simulation: picking, dragging, and adding and throwing new ones.

use std::any::Any;
use std::sync::OnceLock;

use glam::{BVec3, Quat, Vec3};

use super::addition::AddedBody;
use super::body::{Body, Pose};
use super::coupling::{Bodies, Drag, Picked, Way};
use super::error::BodyError;
use super::samples::{BodySamples, samples_of};
use super::view::BodyView;
use crate::fluid::problem::problem;
use crate::fluid::solids::sampling::most_samples;
use crate::fluid::solids::{SceneSolid, SurfaceSamples};
use crate::fluid::{FluidError, Simulation};
use crate::gpu::read_buffer;

impl Simulation {
    /// The bodies in their current state, in the scene's order, without those that were removed.
    pub fn bodies(&self) -> impl Iterator<Item = BodyView<'_>> {
        self.solid::<Bodies>().into_iter().flat_map(|bodies| bodies.present(self.step_context()))
    }

    /// Drags a body from the next step on; `None` ends it. It has no effect on a body that does not exist or has a
    /// prescribed motion.
    pub fn drag_body(&mut self, drag: Option<Drag>) {
        if let Some(bodies) = self.solid_mut::<Bodies>() {
            bodies.set_drag(drag);
        }
    }

    /// A body in its current state; `None` if there is none of that number, or it was removed.
    pub fn body(&self, number: usize) -> Option<BodyView<'_>> {
        let bodies = self.solid::<Bodies>().filter(|bodies| bodies.is_there(number))?;
        bodies.views(self.step_context()).nth(number)
    }

    /// The highest speed of walls whose motion is prescribed, m/s, at the time step of this simulation.
    pub fn fastest_motion(&self) -> f64 {
        let resolution = &self.resolution;
        let problem = problem(&self.scene, self.settings.kernel, resolution.spacing, resolution.support_radius);
        (self.scene.solver.limits)(&problem, resolution).wall_speed
    }

    /// Moves a held body evenly to another place and rotation, where it arrives after the next `within` seconds of
    /// simulated time. Its velocity on the way is that of the motion, so that it pushes the fluid, and at most
    /// [`Simulation::fastest_motion`]; where that is too slow, it arrives later. A later call replaces the way, and a
    /// reset ends it. `position` is that of its center of mass, m.
    ///
    /// # Errors
    /// When there is no such body, it is not held, or a number is not finite.
    pub fn move_body(
        &mut self,
        number: usize,
        (position, rotation): (Vec3, Quat),
        within: f64,
    ) -> Result<(), FluidError> {
        let refusal = || FluidError::from(BodyError::NotMovable(number));
        if !(position.is_finite() && rotation.is_normalized() && within.is_finite()) {
            return Err(refusal());
        }
        let to = Pose { position: position.as_dvec3(), rotation: rotation.as_dquat().normalize() };
        let way = Way { body: number, to, arrival: self.time + within, fastest: self.fastest_motion() };
        if !self.solid_mut::<Bodies>().is_some_and(|bodies| bodies.set_way(way)) {
            return Err(refusal());
        }
        self.place_solids();
        Ok(())
    }

    /// The first body along a ray; `None` if there is none, or if the direction is zero.
    pub fn pick(&self, origin: Vec3, direction: Vec3) -> Option<Picked> {
        let direction = direction.try_normalize()?;
        self.solid::<Bodies>()?.pick(origin, direction, self.time)
    }

    /// Adds a body to the current state, where its place must be free, and returns its number. The next
    /// [`Simulation::reset`] removes it. Waits for the device and recreates all buffers, which takes about as long as
    /// a change of the search.
    ///
    /// # Errors
    /// When the body is invalid, has a prescribed motion, would start in the water, in a solid or outside the tank,
    /// is too fast, or the device has no memory for it. The simulation is unchanged in that case.
    pub fn add_body(&mut self, body: &Body) -> Result<usize, FluidError> {
        let solid = self.checked_addition(body)?;
        let water = self.water()?;
        self.check_room(&solid, body, &water)?;
        self.attach(solid, body)
    }

    /// Removes a body: it no longer collides, is not drawn, and its particles take part in nothing. Its number stays
    /// reserved, so that it can return and the other bodies keep theirs. Waits for the device and recreates all
    /// buffers.
    ///
    /// # Errors
    /// When there is no such body, or the device has no memory. The simulation is unchanged in that case.
    pub fn remove_body(&mut self, number: usize) -> Result<(), FluidError> {
        self.set_solid_removed(Body::KIND, number, true)
    }

    /// Puts a removed body back where it was removed, where its place must be free.
    ///
    /// # Errors
    /// When the body was not removed, or there is water, a solid or another body in its place now.
    pub fn return_body(&mut self, number: usize) -> Result<(), FluidError> {
        let pose = self.solid::<Bodies>().and_then(|bodies| bodies.poses(self.time).get(number).copied());
        let samples = self.body_samples().samples_of_body(number);
        if let (Some(pose), Some(samples)) = (pose, samples)
            && let Some(body) = self.scene.solids.of::<Body>().get(number)
        {
            self.check_room_at(samples, (body, &pose), &self.water()?)?;
        }
        self.set_solid_removed(Body::KIND, number, false)
    }

    /// Adds a body that is thrown along its velocity from `from`, which may lie outside the tank, and returns its
    /// number. The body starts at the first position on its path that is in the tank and free.
    ///
    /// # Errors
    /// As [`Simulation::add_body`]; and when it has no velocity, or no position on its path is free.
    pub fn throw_body(&mut self, body: &Body, from: Vec3) -> Result<usize, FluidError> {
        let way = body.velocity.try_normalize().filter(|_| from.is_finite()).ok_or(BodyError::NowhereToThrow)?;
        let [wall_low, wall_high] = self.walls();
        let middle = 0.5 * (wall_low + wall_high);
        let solid = self.checked_addition(&Body { position: middle, ..body.clone() })?;
        let water = self.water()?;
        let (low, high) = reach(body);
        let length = (self.scene.high - self.scene.low).length() + from.distance(middle);
        let step = 0.5 * self.resolution.spacing;
        let mut refusal = FluidError::from(BodyError::NowhereToThrow);
        for number in 0..=(length / step) as u32 {
            let position = from + number as f32 * step * way;
            let is_in_tank = (position + low).cmpge(wall_low) & (position + high).cmple(wall_high);
            // In two dimensions only a section of the body is in the tank.
            if (is_in_tank | BVec3::new(false, false, self.scene.section().is_some())).all() {
                let thrown = Body { position, ..body.clone() };
                match self.check_room(&solid, &thrown, &water) {
                    Ok(()) => return self.attach(solid, &thrown),
                    Err(error) => refusal = error,
                }
            }
        }
        Err(refusal)
    }

    /// The particles of a body that is valid as an addition, without a check of the place where it would start.
    fn checked_addition(&self, body: &Body) -> Result<SurfaceSamples, FluidError> {
        if !body.can_be_added() {
            return Err(BodyError::AddedNotFree.into());
        }
        self.check_order(Body::KIND)?;
        let mut scene = self.scene.clone();
        scene.solids.of_mut().push(body.clone());
        scene.check(&scene.name)?;
        let resolution = &self.resolution;
        let kernel = self.settings.kernel;
        let problem = problem(&self.scene, kernel, resolution.spacing, resolution.support_radius);
        let limit = (self.scene.solver.limits)(&problem, resolution).thrown_speed;
        let speed = body.velocity.length();
        if speed > limit {
            return Err(BodyError::ThrownTooFast { speed, limit }.into());
        }
        let most = most_samples(&self.scene, resolution.spacing);
        samples_of(self.scene.solids.of::<Body>().len(), body, &self.scene, resolution.spacing, most)
    }

    /// Reads back the positions of the fluid particles, m.
    fn water(&self) -> Result<Vec<Vec3>, FluidError> {
        let count = self.state.count as usize;
        let positions: Vec<[f32; 4]> = read_buffer(&self.gpu, &self.state.positions, count)?;
        let velocities: Vec<[f32; 4]> = read_buffer(&self.gpu, &self.state.velocities, count)?;
        let both = positions.iter().zip(&velocities);
        let water = both.filter(|(_, velocity)| velocity[3].to_bits() < self.state.fluid_count);
        Ok(water.map(|(position, _)| Vec3::from_slice(&position[..3])).collect())
    }

    /// The particles of all bodies.
    fn body_samples(&self) -> &BodySamples {
        static NONE: OnceLock<BodySamples> = OnceLock::new();
        let of_bodies = self.samples.kinds().get(self.place_of(Body::KIND));
        let found = of_bodies.and_then(|(_, sampled)| (sampled.as_ref() as &dyn Any).downcast_ref());
        found.unwrap_or_else(|| NONE.get_or_init(BodySamples::default))
    }

    /// Refuses a body at the start of its motion where there is water or a solid.
    fn check_room(&self, solid: &SurfaceSamples, body: &Body, water: &[Vec3]) -> Result<(), FluidError> {
        self.check_room_at(solid, (body, &body.start()), water)
    }

    /// Refuses a body at a pose where there is water or a solid.
    fn check_room_at(
        &self,
        solid: &SurfaceSamples,
        (body, pose): (&Body, &Pose),
        water: &[Vec3],
    ) -> Result<(), FluidError> {
        let poses = self.solid::<Bodies>().map_or(Vec::new(), |bodies| bodies.poses(self.time));
        let earlier = &self.samples.kinds()[..self.place_of(Body::KIND)];
        self.body_samples().check_place(solid, (body, pose), &poses, earlier)?;
        let (low, high) = reach_at(body, pose);
        let (low, high) = (low - self.resolution.spacing, high + self.resolution.spacing);
        let near = |place: &&Vec3| (place.cmpge(low) & place.cmple(high)).all();
        let is_wet = water.iter().filter(near).any(|place| solid.takes(pose.local(place.as_dvec3())));
        if is_wet { Err(BodyError::InWater.into()) } else { Ok(()) }
    }

    /// Adds a body after the check of its place, and returns its number.
    fn attach(&mut self, samples: SurfaceSamples, body: &Body) -> Result<usize, FluidError> {
        let number = self.scene.solids.of::<Body>().len();
        self.add_solid(Box::new(AddedBody::new(samples, body.clone())))?;
        Ok(number)
    }
}

/// Lowest and highest corner of a body's bounding box, relative to its center, m.
fn reach(body: &Body) -> (Vec3, Vec3) {
    reach_at(body, &Pose { position: glam::DVec3::ZERO, ..body.start() })
}

/// Lowest and highest corner of a body's bounding box at a pose, m.
fn reach_at(body: &Body, pose: &Pose) -> (Vec3, Vec3) {
    let surface = body.shape.surface();
    let places = surface.vertices.iter().map(|&vertex| pose.place(vertex));
    places.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), place| (low.min(place), high.max(place)))
}
