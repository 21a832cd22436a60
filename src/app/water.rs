//! Water in the main world: the components of its entities, and what the render world is told of them.

use std::sync::Arc;

use bevy::prelude::*;
use bevy::render::Extract;

use super::sensing::EventBook;
use super::solids::{SolidBook, WantedSolid};
use super::{Controls, WaterReport};
use crate::fluid::{EventRequest, Scene, SceneEdits, Settings, Size, SmoothingKernel};
use crate::gpu::AdapterClass;
use crate::search::{SearchInfo, SearchOptions};

/// Water as an entity: a scene that is simulated and drawn at the entity's [`Transform`], while its [`Visibility`]
/// allows. Any number of them can be in one world.
///
/// The scene's coordinates are those of the entity, so that a box whose lowest corner is at the origin stands on the
/// entity's place. Rotation and a uniform scale change the picture, and not the simulation: gravity turns with the
/// entity, and time passes as in the scene. Water with a scale that is not uniform, or not positive, is not drawn.
/// Hidden water is simulated too; pause it in its [`RunningWater`] if it should rest.
///
/// ```no_run
/// use bevy::prelude::*;
/// use nearwater::app::{RunningWater, Water};
/// use nearwater::fluid::Scene;
///
/// /// Two tanks, the second one half as large.
/// fn spawn(mut commands: Commands) -> Result {
///     commands.spawn((Water::new(Scene::load("dam_break")?), Transform::from_xyz(-6.0, 0.0, 0.0)));
///     let half = Transform::from_xyz(6.0, 0.0, 0.0).with_scale(Vec3::splat(0.5));
///     commands.spawn((Water::new(Scene::load("wave_maker")?), half));
///     Ok(())
/// }
///
/// fn pause(keys: Res<ButtonInput<KeyCode>>, mut waters: Query<&mut RunningWater>) {
///     for mut water in &mut waters {
///         water.controls.paused ^= keys.just_pressed(KeyCode::Space);
///     }
/// }
/// # App::new().add_systems(Startup, spawn).add_systems(Update, pause);
/// ```
#[derive(Component, Clone, Debug)]
#[require(Transform, Visibility)]
pub struct Water {
    scene: Arc<Scene>,
    settings: Option<Settings>,
}

impl Water {
    /// The scene, with the search [`SearchInfo::default_for_scenes`] and the scene's usual number of particles for the
    /// adapter.
    pub fn new(scene: Scene) -> Self {
        Self { scene: Arc::new(scene), settings: None }
    }

    /// The scene with the given settings.
    pub fn with_settings(scene: Scene, settings: Settings) -> Self {
        Self { scene: Arc::new(scene), settings: Some(settings) }
    }
}

/// What steers an entity with [`Water`], and what it reports. The plugin adds it to entities that have none.
#[derive(Component, Clone)]
pub struct RunningWater {
    /// What the app selects: pause, style, scene, settings and much more.
    pub controls: Controls,
    /// What runs, and what it costs.
    pub report: WaterReport,
}

impl RunningWater {
    /// Water with its settings on an adapter of a class, with the defaults for everything else.
    pub fn new(water: &Water, class: AdapterClass) -> Self {
        let settings = water.settings.clone().unwrap_or_else(|| usual_settings(&water.scene, class));
        let controls = Controls::new(Scene::clone(&water.scene), settings, class);
        Self { controls, report: WaterReport::default() }
    }
}

/// The settings with which a scene opens if the app does not choose others.
pub(super) fn usual_settings(scene: &Scene, class: AdapterClass) -> Settings {
    Settings {
        search: SearchInfo::default_for_scenes(),
        options: SearchOptions::default(),
        kernel: SmoothingKernel::default(),
        size: Size::Count(scene.usual_count(class)),
        seed: 1,
        edits: SceneEdits::default(),
    }
}

/// Marks the entity of the water that [`NearwaterPlugin::new`](super::NearwaterPlugin::new) brings. It is steered by
/// the resource [`Controls`] and reports to the resource [`WaterReport`]; like all water, it stands where its
/// [`Transform`] says.
#[derive(Component, Clone, Copy, Debug, Default)]
#[require(Transform, Visibility)]
pub struct MainWater;

/// The class of the adapter, on which usual numbers of particles depend.
#[derive(Resource, Clone, Copy)]
pub(super) struct DeviceClass(pub(super) AdapterClass);

/// Adds what steers them to new entities with water.
pub(super) fn begin_waters(
    mut commands: Commands,
    class: Res<DeviceClass>,
    waters: Query<(Entity, &Water), Without<RunningWater>>,
) {
    for (entity, water) in &waters {
        commands.entity(entity).insert(RunningWater::new(water, class.0));
    }
}

/// Returns refused changes of the entities' controls to what runs.
pub(super) fn settle_waters(mut waters: Query<&mut RunningWater>) {
    for mut water in &mut waters {
        let report = water.report.clone();
        let report = report.lock();
        // Compared first, because a mutable access marks the component as changed.
        if water.controls.unsettled(&report) {
            water.controls.settle(&report);
        }
    }
}

/// The report of a water.
pub(super) fn report_of<'a>(
    running: Option<&'a RunningWater>,
    is_main: bool,
    main: Option<&'a WaterReport>,
) -> Option<&'a WaterReport> {
    if is_main { main } else { running.map(|running| &running.report) }
}

/// The water that an entity belongs to, with its place: the one that it names, the nearest ancestor that is water, or
/// the only one of the world.
///
/// # Errors
/// A sentence, if there is none.
pub(super) fn water_of<'a>(
    entity: Entity,
    named: Option<Entity>,
    waters: &'a Query<(Entity, &GlobalTransform), IsWater>,
    parents: &Query<&ChildOf>,
) -> Result<(Entity, &'a GlobalTransform), String> {
    let above = || parents.iter_ancestors(entity).find(|&ancestor| waters.contains(ancestor));
    match named.or_else(above) {
        Some(water) => waters
            .get(water)
            .map_err(|_| format!("its field `water` names {water}, which is no water; name an entity with Water")),
        None => waters.single().map_err(|_| match waters.iter().count() {
            0 => "there is no water in the world; spawn an entity with Water".to_owned(),
            count => format!(
                "there are {count} waters in the world; name one in its field `water`, or make it a child of one"
            ),
        }),
    }
}

/// What the render world is told of an entity with water in a frame.
pub(super) struct PlacedWater {
    pub(super) entity: Entity,
    pub(super) is_main: bool,
    pub(super) controls: Controls,
    pub(super) report: WaterReport,
    pub(super) transform: GlobalTransform,
    pub(super) is_visible: bool,
    /// Its marked solids.
    pub(super) solids: Vec<WantedSolid>,
    /// Whether it should not begin yet, because meshes of its solids are missing.
    pub(super) waits: bool,
    /// What is to be measured in it.
    pub(super) events: EventRequest,
}

/// All water of a frame.
#[derive(Resource, Default)]
pub(super) struct PlacedWaters(pub(super) Vec<PlacedWater>);

type WaterEntity<'a> = (Entity, &'a GlobalTransform, &'a InheritedVisibility, Option<&'a RunningWater>, Has<MainWater>);

/// Selects water of both kinds.
pub(super) type IsWater = Or<(With<Water>, With<MainWater>)>;

/// Copies every water of the main world.
pub(super) fn extract_waters(
    mut placed: ResMut<PlacedWaters>,
    main: Extract<Option<Res<Controls>>>,
    main_report: Extract<Option<Res<WaterReport>>>,
    waters: Extract<Query<WaterEntity<'_>, IsWater>>,
    (solids, events): (Extract<Res<SolidBook>>, Extract<Res<EventBook>>),
) {
    placed.0.clear();
    for (entity, transform, visibility, running, is_main) in &waters {
        let steered = if is_main {
            main.as_deref().zip(main_report.as_deref())
        } else {
            running.map(|running| (&running.controls, &running.report))
        };
        let Some((controls, report)) = steered else { continue };
        placed.0.push(PlacedWater {
            entity,
            is_main,
            controls: controls.clone(),
            report: report.clone(),
            transform: *transform,
            is_visible: visibility.get(),
            solids: solids.of(entity),
            waits: solids.lets_wait(entity),
            events: events.of(entity),
        });
    }
}
