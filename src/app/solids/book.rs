//! The marked entities of the main world: which water they belong to, their shapes, and what is told of them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bevy::ecs::entity::EntityHashMap;
use bevy::math::Affine3A;
use bevy::prelude::*;

use super::SolidReport;
use super::driver::WantedSolid;
use super::marks::{WaterBody, WaterBoundary, WaterSolidTrouble, Weight};
use super::surface::{Meshes, Parts, is_same_scale, parts_of_place};
use crate::app::WaterReport;
use crate::app::water::{IsWater, MainWater, RunningWater, report_of, water_of};
use crate::fluid::{Body, BodyShape, Mesh as Surface, Motion};

/// How long water that has not begun waits for the meshes of its solids.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// A marked entity.
struct Entry {
    water: Option<Entity>,
    mark: Mark,
    parts: Parts,
    scale: Vec3,
    /// Its solid, or what is wrong with its meshes; `None` until these are loaded.
    shape: Option<Result<WantedSolid, String>>,
    /// Why it is no solid.
    trouble: Option<String>,
    /// What was told last.
    told: Option<String>,
    since: Instant,
}

/// What an entity is marked as.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mark {
    Boundary,
    Body(WaterBody),
}

/// All marked entities.
#[derive(Resource, Default)]
pub(in crate::app) struct SolidBook {
    entries: EntityHashMap<Entry>,
}

impl Entry {
    fn solid(&self) -> Option<&WantedSolid> {
        self.shape.as_ref()?.as_ref().ok().filter(|_| self.trouble.is_none())
    }
}

impl SolidBook {
    /// The solids of a water.
    pub(in crate::app) fn of(&self, water: Entity) -> Vec<WantedSolid> {
        let own = self.entries.values().filter(|entry| entry.water == Some(water));
        let mut solids: Vec<_> = own.filter_map(Entry::solid).cloned().collect();
        // In the order of their entities, so that runs can be repeated.
        solids.sort_by_key(|solid| solid.key);
        solids
    }

    /// Whether meshes of a water's solids are still missing, so that it should not begin.
    pub(in crate::app) fn lets_wait(&self, water: Entity) -> bool {
        let is_missing = |entry: &Entry| entry.shape.is_none() && entry.trouble.is_none();
        self.entries.values().any(|entry| entry.water == Some(water) && is_missing(entry))
    }
}

/// Forgets the shapes of meshes that have changed.
pub(in crate::app) fn note_changed_meshes(
    mut book: ResMut<SolidBook>,
    mut changes: Option<MessageReader<AssetEvent<Mesh>>>,
) {
    for change in changes.iter_mut().flat_map(MessageReader::read) {
        let AssetEvent::Modified { id } = *change else { continue };
        for entry in book.entries.values_mut().filter(|entry| entry.parts.contain(id)) {
            entry.parts = Parts::default();
        }
    }
}

type Marked<'a> = (Entity, Option<&'a WaterBoundary>, Option<&'a WaterBody>, &'a GlobalTransform, Option<&'a Name>);
type IsMarked = Or<(With<WaterBoundary>, With<WaterBody>)>;

/// Brings the book up to date with the world, after transforms were propagated.
pub(in crate::app) fn collect_solids(
    mut book: ResMut<SolidBook>,
    marked: Query<Marked<'_>, IsMarked>,
    waters: Query<(Entity, &GlobalTransform), IsWater>,
    parents: Query<&ChildOf>,
    meshes: Meshes,
) {
    book.entries.retain(|&entity, _| marked.contains(entity));
    for (entity, boundary, body, place, name) in &marked {
        let named = name.map_or_else(|| entity.to_string(), |name| format!("{name} ({entity})"));
        let mark = body.map_or(Mark::Boundary, |&body| Mark::Body(body));
        let entry = book.entries.entry(entity).or_insert_with(|| Entry {
            water: None,
            mark,
            parts: Parts::default(),
            scale: Vec3::ZERO,
            shape: None,
            trouble: None,
            told: None,
            since: Instant::now(),
        });
        let is_both = boundary.is_some() && body.is_some();
        let given = body.and_then(|body| body.water).or(boundary.and_then(|boundary| boundary.water));
        let found = water_of(entity, given, &waters, &parents);
        let outcome = match found {
            _ if is_both => Err("it is marked as a boundary and as a body; remove one of the two".to_owned()),
            Ok((water, of_water)) => {
                entry.water = Some(water);
                let place = of_water.affine().inverse() * place.affine();
                update(entry, (entity, &named), mark, place, &meshes)
            }
            Err(trouble) => {
                entry.water = None;
                Err(trouble)
            }
        };
        entry.trouble = outcome.err();
    }
}

/// Updates shape and place of an entry.
fn update(
    entry: &mut Entry,
    (entity, name): (Entity, &str),
    mark: Mark,
    place: Affine3A,
    meshes: &Meshes,
) -> Result<(), String> {
    let Some((scale, rotation, translation)) = parts_of_place(place) else {
        return Err("its place in the water is sheared, flat or not finite; scale it and its parents evenly".to_owned());
    };
    let parts = meshes.parts(entity);
    let is_same = entry.parts == parts && entry.mark == mark && is_same_scale(entry.scale, scale);
    if !is_same {
        entry.shape = None;
        (entry.parts, entry.mark, entry.scale) = (parts, mark, scale);
    }
    if entry.shape.is_none() && !entry.parts.is_empty() {
        let surface = meshes.surface(name, &entry.parts, scale);
        let made = |surface: Option<Surface>| surface.map(|surface| solid(entity, name, mark, surface)).transpose();
        entry.shape = surface.and_then(made).transpose();
    }
    match &mut entry.shape {
        Some(Ok(solid)) => {
            solid.place = (translation + rotation * solid.center, rotation);
            Ok(())
        }
        Some(Err(trouble)) => Err(trouble.clone()),
        // The water waits while a mesh is loading, but not without an end.
        None if entry.since.elapsed() < LONGEST_WAIT => Ok(()),
        None => Err("neither it nor its descendants have a mesh that was loaded; give it a Mesh3d".to_owned()),
    }
}

/// The solid of a surface, whose place is set later.
fn solid(entity: Entity, name: &str, mark: Mark, surface: Surface) -> Result<WantedSolid, String> {
    let corner = surface.vertices.first().copied().unwrap_or_default();
    let shape = BodyShape::of_mesh(name, surface).map_err(|error| error.to_string())?;
    // The shape is centered at its center of mass.
    let center = corner - shape.surface().vertices.first().copied().unwrap_or_default();
    let mut body = Body {
        shape,
        density: 1000.0,
        position: Vec3::ZERO,
        rotation: Vec3::ZERO,
        velocity: Vec3::ZERO,
        angular_velocity: Vec3::ZERO,
        friction: 1.0,
        restitution: 0.0,
        motion: Motion::Held,
    };
    if let Mark::Body(WaterBody { weight, velocity, friction, restitution, .. }) = mark {
        body.density = match weight {
            Weight::Density(density) => density,
            Weight::Mass(mass) => (f64::from(mass) / body.shape.volume()) as f32,
        };
        body = Body { velocity, friction, restitution, motion: Motion::Free, ..body };
    }
    Ok(WantedSolid { key: entity.to_bits(), body: Arc::new(body), place: (Vec3::ZERO, Quat::IDENTITY), center })
}

type WaterWithReport<'a> = (Entity, &'a GlobalTransform, Option<&'a RunningWater>, Has<MainWater>);

/// Selects entities that the simulation moves.
type IsBody = (With<WaterBody>, Without<WaterBoundary>);

/// Moves the entities of bodies to where the simulation has moved them.
pub(in crate::app) fn move_marked_bodies(
    waters: Query<WaterWithReport<'_>, IsWater>,
    main: Option<Res<WaterReport>>,
    mut bodies: Query<(&mut Transform, Option<&ChildOf>), IsBody>,
    places: Query<&GlobalTransform>,
) {
    for (_, of_water, running, is_main) in &waters {
        let Some(report) = report_of(running, is_main, main.as_deref()) else { continue };
        let report = report.lock();
        for SolidReport { key, state, center, is_free, .. } in &report.solids {
            let (Some((_, state)), true) = (state, *is_free) else { continue };
            let Some((mut place, parent)) = Entity::try_from_bits(*key).and_then(|entity| bodies.get_mut(entity).ok())
            else {
                continue;
            };
            let origin = of_water.transform_point(state.position - state.rotation * *center);
            let rotation = of_water.rotation() * state.rotation;
            let parent = parent.and_then(|parent| places.get(parent.parent()).ok());
            let (origin, rotation) = parent.map_or((origin, rotation), |parent| {
                (parent.affine().inverse().transform_point3(origin), parent.rotation().inverse() * rotation)
            });
            if place.translation != origin || place.rotation != rotation {
                (place.translation, place.rotation) = (origin, rotation);
            }
        }
    }
}

/// Tells, once for each reason, which marked entities are no solids.
pub(in crate::app) fn tell_troubles(
    mut book: ResMut<SolidBook>,
    waters: Query<WaterWithReport<'_>, IsWater>,
    main: Option<Res<WaterReport>>,
    names: Query<&Name>,
    mut told: MessageWriter<WaterSolidTrouble>,
) {
    let mut reported = EntityHashMap::<String>::default();
    for (_, _, running, is_main) in &waters {
        let Some(report) = report_of(running, is_main, main.as_deref()) else { continue };
        let report = report.lock();
        for solid in &report.solids {
            if let (Some(entity), Some(trouble)) = (Entity::try_from_bits(solid.key), &solid.trouble) {
                reported.insert(entity, trouble.clone());
            }
        }
    }
    for (&entity, entry) in &mut book.entries {
        let trouble = entry.trouble.clone().or_else(|| reported.remove(&entity));
        if trouble == entry.told {
            continue;
        }
        if let Some(reason) = &trouble {
            let named = names.get(entity).map_or_else(|_| entity.to_string(), |name| format!("{name} ({entity})"));
            warn!("{named} is not in the water as it should be: {reason}");
            told.write(WaterSolidTrouble { solid: entity, reason: reason.clone() });
        }
        entry.told = trouble;
    }
}
