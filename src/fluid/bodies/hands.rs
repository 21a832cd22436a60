//! What somebody does to bodies while the water moves: picks and draws at them, drops and throws new ones in.

use glam::Vec3;

use super::{Bodies, Body, Drag, Picked, Pose};
use crate::fluid::boundaries::{BoundarySamples, SolidSamples};
use crate::fluid::sph::{ParticleState, Sph};
use crate::fluid::{FluidError, Simulation, Solver};
use crate::gpu::read_buffer;

/// Share of the speed of sound that a body may be thrown with: what it compresses water by.
const THROWN: f32 = 0.3;

impl Simulation {
    /// Draws at a body from the next step on, or no longer. One that is not there, or whose motion is told, is left alone.
    pub fn drag_body(&mut self, drag: Option<Drag>) {
        if let Some(bodies) = &mut self.bodies {
            bodies.set_drag(drag);
        }
    }

    /// The first body along a ray; nothing where its direction is none.
    pub fn pick(&self, origin: Vec3, direction: Vec3) -> Option<Picked> {
        let direction = direction.try_normalize()?;
        self.bodies.as_ref()?.pick(origin, direction, self.time)
    }

    /// Adds a body to the water as it is, which must leave it room, and returns its number. It goes with the next
    /// [`Simulation::reset`]. Waits for the device, and makes all buffers anew: about as long as a change of the search.
    ///
    /// # Errors
    /// When it makes no sense, moves as it is told, begins in the water, in something solid or outside the tank, is
    /// too fast, or there is no room on the device. Nothing has changed then.
    pub fn add_body(&mut self, body: &Body) -> Result<usize, FluidError> {
        let solid = self.checked_addition(body)?;
        let water = self.water()?;
        self.check_room(&solid, body, &water)?;
        self.attach(solid, body)
    }

    /// Adds a body that is thrown along its velocity from `from`, which may lie outside the tank, and returns its number:
    /// it begins at the first place on its way that is in the tank and free.
    ///
    /// # Errors
    /// As [`Simulation::add_body`]; and when it has no velocity, or no place on its way is free.
    pub fn throw_body(&mut self, body: &Body, from: Vec3) -> Result<usize, FluidError> {
        let way = body.velocity.try_normalize().filter(|_| from.is_finite()).ok_or(FluidError::NowhereToThrow)?;
        let middle = 0.5 * (self.scene.low + self.scene.high);
        let solid = self.checked_addition(&Body { position: middle, ..body.clone() })?;
        let water = self.water()?;
        let (low, high) = reach(body);
        let length = (self.scene.high - self.scene.low).length() + from.distance(middle);
        let step = 0.5 * self.resolution.spacing;
        let mut refusal = FluidError::NowhereToThrow;
        for number in 0..=(length / step) as u32 {
            let position = from + number as f32 * step * way;
            let is_in_tank = (position + low).cmpge(self.scene.low) & (position + high).cmple(self.scene.high);
            if is_in_tank.all() {
                let thrown = Body { position, ..body.clone() };
                match self.check_room(&solid, &thrown, &water) {
                    Ok(()) => return self.attach(solid, &thrown),
                    Err(error) => refusal = error,
                }
            }
        }
        Err(refusal)
    }

    /// The particles of a body that may be added, whatever is where it would be.
    fn checked_addition(&self, body: &Body) -> Result<SolidSamples, FluidError> {
        if !body.is_free() {
            return Err(FluidError::AddedNotFree);
        }
        // Its particles would come behind the cloths', where shaders take them for cloth.
        if !self.scene.cloths.is_empty() {
            return Err(FluidError::AddedBesideCloths);
        }
        let mut scene = self.scene.clone();
        scene.bodies.push(body.clone());
        scene.check(&scene.name)?;
        let resolution = &self.resolution;
        let limit = match self.scene.solver {
            Solver::Wcsph => THROWN * resolution.sound_speed,
            Solver::Pbf | Solver::Repulsion => resolution.spacing / resolution.time_step,
        };
        let speed = body.velocity.length();
        if speed > limit {
            return Err(FluidError::ThrownTooFast { speed, limit });
        }
        SolidSamples::of_body(self.scene.bodies.len(), &body.shape.surface(), resolution.spacing)
    }

    /// Positions of the fluid's particles, m, read back.
    fn water(&self) -> Result<Vec<Vec3>, FluidError> {
        let count = self.state.count as usize;
        let positions: Vec<[f32; 4]> = read_buffer(&self.gpu, &self.state.positions, count)?;
        let velocities: Vec<[f32; 4]> = read_buffer(&self.gpu, &self.state.velocities, count)?;
        let both = positions.iter().zip(&velocities);
        let water = both.filter(|(_, velocity)| velocity[3].to_bits() < self.state.fluid_count);
        Ok(water.map(|(position, _)| Vec3::from_slice(&position[..3])).collect())
    }

    /// Refuses a body where there is water or something solid.
    fn check_room(&self, solid: &SolidSamples, body: &Body, water: &[Vec3]) -> Result<(), FluidError> {
        let poses = self.bodies.as_ref().map_or(Vec::new(), |bodies| bodies.poses(self.time));
        if let Some(boundaries) = &self.boundaries {
            boundaries.check_place(solid, body, &poses)?;
        }
        let pose = body.start();
        let (low, high) = reach(body);
        let (low, high) =
            (body.position + low - self.resolution.spacing, body.position + high + self.resolution.spacing);
        let near = |place: &&Vec3| (place.cmpge(low) & place.cmple(high)).all();
        let is_wet = water.iter().filter(near).any(|place| solid.takes(pose.local(place.as_dvec3())));
        if is_wet { Err(FluidError::BodyInWater) } else { Ok(()) }
    }

    /// Adds a body without asking what is where it begins: makes everything anew that depends on the number of particles.
    pub(in crate::fluid) fn attach(&mut self, solid: SolidSamples, body: &Body) -> Result<usize, FluidError> {
        let number = self.scene.bodies.len();
        let mut scene = self.scene.clone();
        scene.bodies.push(body.clone());
        let mut resolution = self.resolution;
        resolution.boundary_count += solid.points().len() as u32;
        let boundaries = self.boundaries.get_or_insert_with(BoundarySamples::none);
        boundaries.add_body(solid, body)?;
        let boundaries = &*boundaries;
        let made = (|| {
            let state = ParticleState::new(&self.gpu, &resolution)?;
            let shared = (Some(boundaries), self.flow.as_ref());
            let sph = Sph::new(&self.gpu, &scene, &self.settings, &resolution, &state, shared)?;
            let bodies = Bodies::new(&self.gpu, &scene, Some(boundaries), &resolution)?.ok_or(FluidError::NoBodies)?;
            let passes =
                sph.passes(&self.gpu, &state, (self.flow.as_ref(), Some(&bodies.device), None), &mut self.surveyor)?;
            Ok((state, sph, bodies, passes))
        })();
        let (state, sph, bodies, passes) = made.inspect_err(|_: &FluidError| {
            // As if nothing had been.
            self.boundaries = self.boundaries.take().and_then(BoundarySamples::without_last);
        })?;

        let first = boundaries_before(&self.state);
        let samples = self.boundaries.iter().flat_map(|boundaries| boundaries.points()[first..].iter());
        let (positions, velocities): (Vec<_>, Vec<_>) = (self.state.count..)
            .zip(samples)
            .map(|(original, place)| (place.extend(1.0).to_array(), [0.0, 0.0, 0.0, f32::from_bits(original)]))
            .unzip();
        let end = u64::from(self.state.count) * size_of::<[f32; 4]>() as u64;
        self.gpu.queue.write_buffer(&state.positions, end, bytemuck::cast_slice(&positions));
        self.gpu.queue.write_buffer(&state.velocities, end, bytemuck::cast_slice(&velocities));
        self.gpu.submit(|encoder| {
            let count = u64::from(self.state.count);
            let copies = [
                (&self.state.positions, &state.positions, size_of::<[f32; 4]>() as u64 * count),
                (&self.state.velocities, &state.velocities, size_of::<[f32; 4]>() as u64 * count),
                (&self.sph.densities, &sph.densities, size_of::<[f32; 2]>() as u64 * count),
            ];
            for (from, to, bytes) in copies {
                encoder.copy_buffer_to_buffer(from, 0, to, 0, bytes);
            }
        });
        self.bodies = Some(match self.bodies.take() {
            Some(before) => before.joined_by(bodies, body),
            None => bodies,
        });
        (self.state, self.sph, self.passes) = (state, sph, passes);
        (self.scene, self.resolution) = (scene, resolution);
        self.added.push(body.clone());
        self.set_push(self.push);
        self.write_bodies();
        Ok(number)
    }
}

/// Boundary particles there are so far.
fn boundaries_before(state: &ParticleState) -> usize {
    (state.count - state.fluid_count) as usize
}

/// Lowest and highest corner of the box around a body, from its center, m.
fn reach(body: &Body) -> (Vec3, Vec3) {
    let pose = Pose { position: glam::DVec3::ZERO, ..body.start() };
    let surface = body.shape.surface();
    let places = surface.vertices.iter().map(|&vertex| pose.place(vertex));
    places.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), place| (low.min(place), high.max(place)))
}
