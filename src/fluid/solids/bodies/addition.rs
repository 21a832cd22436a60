//! Bodies that are added to a running simulation, and the saved state, which contains them.

use std::any::Any;

use super::body::Body;
use super::coupling::Bodies;
use super::device::LoadWords;
use super::outlook::Outlook;
use super::samples::{BodySamples, samples_of};
use super::saved;
use super::world::World;
use crate::fluid::FluidError;
use crate::fluid::scene::Scene;
use crate::fluid::solids::sampling::most_samples;
use crate::fluid::solids::{
    Addition, Sampled, SampledKind, SavedInput, SavedSolids, SceneSolid, Solid, SolidInfo, SurfaceSamples,
};
use crate::gpu::Gpu;

/// A body to be added.
pub(super) struct AddedBody {
    body: Body,
    count: usize,
    /// Its particles, until they are added to those of the other bodies.
    samples: Option<SurfaceSamples>,
}

impl AddedBody {
    /// A body with the particles `samples` in its own frame.
    pub(super) fn new(samples: SurfaceSamples, body: Body) -> Self {
        Self { body, count: samples.points().len(), samples: Some(samples) }
    }
}

impl Addition for AddedBody {
    fn kind(&self) -> &'static SolidInfo {
        Body::KIND
    }

    fn count(&self) -> usize {
        self.count
    }

    fn list(&self, scene: &mut Scene) {
        scene.solids.of_mut().push(self.body.clone());
    }

    fn no_particles(&self) -> Box<dyn Sampled> {
        Box::new(BodySamples::default())
    }

    fn add_particles(&mut self, sampled: &mut dyn Sampled, earlier: &[SampledKind]) -> Result<(), FluidError> {
        let bodies = (sampled as &mut dyn Any).downcast_mut::<BodySamples>();
        let (bodies, samples) = bodies.zip(self.samples.take()).ok_or(FluidError::NoSolids(Body::KIND.name))?;
        // The motion of a body that is added is free or that of the program (`Body::can_be_added`).
        bodies.add(samples, (&self.body, !self.body.is_free()), earlier)
    }

    fn remove_particles(&self, sampled: &mut dyn Sampled) {
        if let Some(bodies) = (sampled as &mut dyn Any).downcast_mut::<BodySamples>() {
            bodies.remove_last();
        }
    }

    fn joined(&self, _: &Gpu, before: Option<Box<dyn Solid>>, all: Box<dyn Solid>) -> Box<dyn Solid> {
        let before = before.and_then(|before| (before as Box<dyn Any>).downcast::<Bodies>().ok());
        match (all as Box<dyn Any>).downcast::<Bodies>() {
            Ok(all) => Box::new(match before {
                Some(before) => before.joined_by(*all, &self.body),
                None => all.with_added(1),
            }),
            Err(_) => unreachable!("bodies are created as this type"),
        }
    }
}

/// The saved state of bodies.
struct SavedBodies {
    /// Bodies that were added to those of the scene.
    added: Vec<AddedBody>,
    world: World,
    loads: Vec<LoadWords>,
    outlooks: Vec<Outlook>,
    /// Number of particles of the bodies that were removed.
    removed_count: usize,
}

/// Reads the state of bodies.
///
/// # Errors
/// When it cannot be read, or belongs to another number of bodies.
pub(super) fn read_state(input: &SavedInput<'_>) -> Result<Option<Box<dyn SavedSolids>>, FluidError> {
    let in_scene = input.scene.solids.of::<Body>().len();
    let incomplete = FluidError::IncompleteState(Body::KIND.name);
    let Some(bytes) = input.arrays.get(Body::KIND.name) else {
        return if in_scene == 0 { Ok(None) } else { Err(incomplete) };
    };
    let (added, world, loads, outlooks) = saved::read(bytes, input.scene)?;
    let (scene, spacing) = (input.scene, input.resolution.spacing);
    let most = most_samples(scene, spacing);
    let sampled = |number: usize, body: &Body| samples_of(number, body, scene, spacing, most);
    let with_particles = |(number, body): (usize, Body)| Ok(AddedBody::new(sampled(number, &body)?, body));
    let mut removed_count = 0;
    for (number, body) in input.scene.solids.of::<Body>().iter().chain(&added).enumerate() {
        if world.is_removed(number) {
            removed_count += sampled(number, body)?.points().len();
        }
    }
    let added = (in_scene..).zip(added).map(with_particles).collect::<Result<_, FluidError>>()?;
    Ok(Some(Box::new(SavedBodies { added, world, loads, outlooks, removed_count })))
}

impl SavedSolids for SavedBodies {
    fn additions(&mut self) -> Vec<Box<dyn Addition>> {
        self.added.drain(..).map(|body| Box::new(body) as Box<dyn Addition>).collect()
    }

    fn removed(&self) -> Vec<usize> {
        (0..self.world.body_count()).filter(|&body| self.world.is_removed(body)).collect()
    }

    fn removed_count(&self) -> usize {
        self.removed_count
    }

    fn restore(self: Box<Self>, _: &Gpu, solids: &mut dyn Solid) {
        if let Some(bodies) = (solids as &mut dyn Any).downcast_mut::<Bodies>() {
            bodies.restore(self.world, self.loads, self.outlooks);
        }
    }
}
