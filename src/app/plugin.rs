//! The Bevy plugin: its options, the resources and the component that an app uses, and its systems.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bevy::core_pipeline::core_3d::{main_opaque_pass_3d, main_transparent_pass_3d};
use bevy::core_pipeline::schedule::camera_driver;
use bevy::core_pipeline::{Core3d, Core3dSystems};
use bevy::prelude::*;
use bevy::render::extract_component::{ExtractComponent, ExtractComponentPlugin};
use bevy::render::renderer::{
    RenderAdapter, RenderDevice, RenderGraph, RenderGraphSystems, RenderInstance, RenderQueue,
};
use bevy::render::{Extract, ExtractSchedule, Render, RenderApp, RenderStartup, RenderSystems};

use super::body_follower::follow_bodies;
use super::light_on_water::{AppSurroundings, extract_surroundings};
use super::mesh_shadows::MeshShadows;
use super::sensing::{EventBook, WaterLevelChanged, WaterSplash, collect_sensors, tell_events};
use super::solids::{
    SolidBook, WaterSolidTrouble, collect_solids, measure_loads, move_marked_bodies, note_changed_meshes, tell_troubles,
};
use super::sunlight::{AppLight, extract_light};
use super::transparent_layer::{TransparentLayers, prepare_layers};
use super::water::{DeviceClass, MainWater, PlacedWaters, begin_waters, extract_waters, settle_waters, usual_settings};
use super::water_drawing::{bind_depths, draw_among_meshes, draw_tank, prepare};
use super::waters::{Waters, follow, resolve_timestamps, simulate, start};
use super::{Controls, Report};
use crate::fluid::{SavedState, Scene, Settings};
use crate::gpu::{Gpu, ShaderLibrary};

/// Adds water to any Bevy app. It simulates in the render world, on Bevy's own device, and draws into every camera that
/// has [`WaterView`], among the app's own meshes: opaque meshes behind the water are seen through it, and what is
/// nearer hides it.
///
/// Add it after Bevy's own plugins. [`NearwaterPlugin::new`] brings water of its own ([`MainWater`]), which is
/// controlled through the resource [`Controls`] and reports to the resource [`WaterReport`]. More water is spawned as
/// entities with [`Water`](super::Water); an app that spawns all of it begins with [`NearwaterPlugin::without_water`].
///
/// The app's lights shine on the water: the brightest directional light and the ambient light, of the others the eight
/// that are brightest there, and the environment map of the camera. With the feature `bevy_pbr`, the shadows that
/// Bevy's meshes throw in these lights darken the water, and the water throws its own shadow and its caustics on opaque
/// meshes in the light of the brightest directional light. Transparent meshes are drawn after the water; those behind
/// it are seen through it. The camera needs a perspective projection.
///
/// ```no_run
/// use bevy::prelude::*;
/// use nearwater::app::{Controls, NearwaterPlugin, WaterView};
/// use nearwater::fluid::Scene;
///
/// fn spawn(mut commands: Commands) {
///     commands.spawn((Camera3d::default(), WaterView::default(), Transform::from_xyz(0.0, 6.0, 14.0)));
/// }
///
/// fn reset(keys: Res<ButtonInput<KeyCode>>, mut controls: ResMut<Controls>) {
///     controls.resets += u32::from(keys.just_pressed(KeyCode::KeyR));
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// App::new()
///     .add_plugins((DefaultPlugins, NearwaterPlugin::new(Scene::load("dam_break")?)))
///     .add_systems(Startup, spawn)
///     .add_systems(Update, reset)
///     .run();
/// # Ok(())
/// # }
/// ```
#[derive(Default)]
pub struct NearwaterPlugin {
    main: Option<MainScene>,
    state: Option<Arc<SavedState>>,
    gpu: Option<Arc<Gpu>>,
}

/// The scene of the water that the plugin brings, and its settings if they are chosen.
struct MainScene {
    scene: Scene,
    settings: Option<Settings>,
}

impl NearwaterPlugin {
    /// The scene, with the search [`SearchInfo::default_for_scenes`](crate::search::SearchInfo::default_for_scenes) and
    /// the scene's usual number of particles for the adapter.
    pub fn new(scene: Scene) -> Self {
        Self { main: Some(MainScene { scene, settings: None }), ..Self::default() }
    }

    /// The scene with the given settings.
    pub fn with_settings(scene: Scene, settings: &Settings) -> Self {
        Self { main: Some(MainScene { scene, settings: Some(settings.clone()) }), ..Self::default() }
    }

    /// Without water of its own, and without the resource [`Controls`]: the app spawns entities with
    /// [`Water`](super::Water).
    pub fn without_water() -> Self {
        Self::default()
    }

    /// Resumes from a saved state of the scene, with the settings of the state.
    #[must_use]
    pub fn from_state(mut self, state: Option<SavedState>) -> Self {
        self.state = state.map(Arc::new);
        self
    }

    /// Uses `gpu`, from which Bevy's own device was made, instead of wrapping Bevy's.
    #[must_use]
    pub fn on(mut self, gpu: &Arc<Gpu>) -> Self {
        self.gpu = Some(Arc::clone(gpu));
        self
    }
}

/// Marks a 3D camera that shows water.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, ExtractComponent)]
pub struct WaterView {
    /// The part of the target, in pixels, that no panel covers. The rest is not drawn. `None` draws the whole target.
    pub seen: Option<URect>,
    /// Whether the camera repeats the picture of another one, in a size of its own. Its passes are not timed, and
    /// nothing is picked in its picture.
    pub repeats_another: bool,
    /// Whether the picture shows the main water with the desktop app's floor, backdrop, lamp and box edges, in place of
    /// the app's background and light. It is then drawn before the app's meshes, and no other water is shown.
    pub brings_tank: bool,
}

/// Systems of the plugin in Bevy's schedule `Core3d`, so that passes of an app can be ordered before or after them.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WaterSystems {
    /// Draws the water among the app's opaque meshes.
    Draw,
}

/// The report of the driver of one water, which the render world writes. As a resource, that of [`MainWater`].
#[derive(Resource, Clone, Default)]
pub struct WaterReport(Arc<Mutex<Report>>);

impl WaterReport {
    /// Locks the report. Release it as soon as it was read, because the driver waits for the lock.
    pub fn lock(&self) -> MutexGuard<'_, Report> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The display's frame interval, s.
#[derive(Resource, Clone, Copy, Debug)]
pub struct FrameBudget(pub f64);

impl Default for FrameBudget {
    fn default() -> Self {
        Self(1.0 / 60.0)
    }
}

/// By how much frames advance the simulation.
#[derive(Resource, Clone, Copy, Debug, Default)]
pub(super) struct FrameTime(pub(super) super::Advance);

/// The device in use. It is replaced after a loss.
#[derive(Resource, Clone, Default)]
pub(super) struct SharedGpu(pub(super) Option<Arc<Gpu>>);

impl Plugin for NearwaterPlugin {
    fn build(&self, app: &mut App) {
        app.add_plugins(ExtractComponentPlugin::<WaterView>::default())
            .init_resource::<FrameBudget>()
            .init_resource::<FrameTime>()
            .insert_resource(SharedGpu(self.gpu.clone()))
            .add_systems(First, (begin_waters.run_if(resource_exists::<DeviceClass>), settle_waters))
            .add_systems(First, settle.run_if(resource_exists::<Controls>))
            .init_resource::<SolidBook>()
            .init_resource::<EventBook>()
            .add_message::<WaterSolidTrouble>()
            .add_message::<WaterLevelChanged>()
            .add_message::<WaterSplash>()
            .add_systems(PreUpdate, (tell_events, measure_loads))
            .add_systems(
                PostUpdate,
                (
                    bind_depths,
                    (follow_bodies, move_marked_bodies).before(TransformSystems::Propagate),
                    (note_changed_meshes, collect_solids, tell_troubles).chain().after(TransformSystems::Propagate),
                    collect_sensors.after(TransformSystems::Propagate),
                ),
            );
        if self.main.is_some() {
            app.init_resource::<WaterReport>();
        }
        let Some(render) = app.get_sub_app_mut(RenderApp) else { return };
        render
            .init_resource::<FrameBudget>()
            .init_resource::<FrameTime>()
            .init_resource::<PlacedWaters>()
            .init_resource::<AppLight>()
            .init_resource::<MeshShadows>()
            .init_resource::<AppSurroundings>()
            .init_resource::<TransparentLayers>()
            .insert_resource(SharedGpu(self.gpu.clone()))
            .add_systems(RenderStartup, start)
            .add_systems(ExtractSchedule, (extract, extract_waters, extract_light, extract_surroundings))
            .add_systems(
                Render,
                ((follow, prepare).chain(), prepare_layers)
                    .in_set(RenderSystems::PrepareResources)
                    .run_if(resource_exists::<Waters>),
            )
            .add_systems(
                RenderGraph,
                (
                    simulate.before(camera_driver),
                    resolve_timestamps.after(camera_driver).in_set(RenderGraphSystems::Render),
                )
                    .run_if(resource_exists::<Waters>),
            )
            .add_systems(
                Core3d,
                (
                    draw_tank.before(main_opaque_pass_3d),
                    draw_among_meshes
                        .in_set(WaterSystems::Draw)
                        .after(main_opaque_pass_3d)
                        .before(main_transparent_pass_3d),
                )
                    .in_set(Core3dSystems::MainPass)
                    .run_if(resource_exists::<Waters>),
            );
        #[cfg(feature = "bevy_pbr")]
        render
            .add_systems(
                Render,
                super::mesh_shadows::collect_shadows.in_set(RenderSystems::PrepareResources).before(prepare),
            )
            // Glass shows what was drawn before it, and water is more often in glass than behind it.
            .configure_sets(Core3d, WaterSystems::Draw.before(bevy::pbr::main_transmissive_pass_3d));
    }

    fn finish(&self, app: &mut App) {
        let Some(render) = app.get_sub_app_mut(RenderApp) else { return };
        let class = device_of(render.world_mut()).capabilities.class;
        app.insert_resource(DeviceClass(class));
        let Some(MainScene { scene, settings }) = &self.main else { return };
        let settings = settings.clone().unwrap_or_else(|| usual_settings(scene, class));
        let mut controls = Controls::new(scene.clone(), settings, class);
        if let Some(state) = self.state.clone() {
            controls.load_error = controls.resume_from(Arc::clone(&controls.scene), state).err();
        }
        app.insert_resource(controls);
        app.world_mut().spawn((Name::new("water"), MainWater));
    }
}

fn settle(mut controls: ResMut<Controls>, report: Res<WaterReport>) {
    let report = report.lock();
    if controls.unsettled(&report) {
        controls.settle(&report);
    }
}

/// The shared [`Gpu`] if it wraps Bevy's device, otherwise a new one made from Bevy's device.
pub(super) fn device_of(render: &mut World) -> Arc<Gpu> {
    let device = render.resource::<RenderDevice>().wgpu_device().clone();
    let last = render.resource::<SharedGpu>().0.clone();
    // Edits of shaders survive a lost device.
    let shaders = last.as_ref().map_or_else(ShaderLibrary::embedded, |gpu| gpu.shaders().clone());
    let known = last.filter(|gpu| gpu.device == device);
    known.unwrap_or_else(|| {
        let gpu = Arc::new(Gpu::from_parts(
            wgpu::Instance::clone(render.resource::<RenderInstance>()),
            wgpu::Adapter::clone(render.resource::<RenderAdapter>()),
            (device, wgpu::Queue::clone(render.resource::<RenderQueue>())),
            shaders,
        ));
        render.insert_resource(SharedGpu(Some(Arc::clone(&gpu))));
        gpu
    })
}

fn extract(mut commands: Commands, budget: Extract<Res<FrameBudget>>, time: Extract<Res<FrameTime>>) {
    commands.insert_resource(**budget);
    commands.insert_resource(**time);
}
