use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bevy::core_pipeline::core_3d::main_opaque_pass_3d;
use bevy::core_pipeline::schedule::camera_driver;
use bevy::core_pipeline::{Core3d, Core3dSystems};
use bevy::ecs::entity::EntityHashMap;
use bevy::platform::cell::SyncCell;
use bevy::platform::collections::hash_map::Entry;
use bevy::prelude::*;
use bevy::render::camera::ExtractedCamera;
use bevy::render::extract_component::{ExtractComponent, ExtractComponentPlugin};
use bevy::render::render_resource::StoreOp;
use bevy::render::renderer::{
    RenderAdapter, RenderContext, RenderDevice, RenderGraph, RenderGraphSystems, RenderInstance, RenderQueue, ViewQuery,
};
use bevy::render::view::{ExtractedView, ViewDepthTexture, ViewTarget};
use bevy::render::{Extract, ExtractSchedule, Render, RenderApp, RenderStartup, RenderSystems};

use super::driver::Driver;
use super::{Controls, Report};
use crate::fluid::{SavedState, Scene, SceneEdits, Settings, Size};
use crate::gpu::{Gpu, GpuError, ShaderLibrary};
use crate::render::{Renderer, TargetFormat, View};
use crate::search::{SearchInfo, SearchOptions};

/// Depth format of Bevy's 3D cameras.
const DEPTH_FORMAT: wgpu::TextureFormat = bevy::core_pipeline::core_3d::CORE_3D_DEPTH_FORMAT;

/// Water in any Bevy app: simulates in the render world, on Bevy's own device, and draws into every camera that has
/// [`WaterView`], behind the app's own meshes and hidden by them where they are nearer.
///
/// Add it after Bevy's own plugins. Steer it through the resource [`Controls`], read what it does from
/// [`WaterReport`].
pub struct NearwaterPlugin {
    scene: Scene,
    search: &'static SearchInfo,
    options: SearchOptions,
    kernel: crate::fluid::SmoothingKernel,
    size: Option<Size>,
    seed: u64,
    edits: SceneEdits,
    state: Option<Arc<SavedState>>,
    gpu: Option<Arc<Gpu>>,
}

impl NearwaterPlugin {
    /// The scene, on [`SearchInfo::default_for_scenes`], with as many particles as suit the adapter.
    pub fn new(scene: Scene) -> Self {
        Self {
            scene,
            search: SearchInfo::default_for_scenes(),
            options: SearchOptions::default(),
            kernel: crate::fluid::SmoothingKernel::default(),
            size: None,
            seed: 1,
            edits: SceneEdits::default(),
            state: None,
            gpu: None,
        }
    }

    /// The scene with those settings.
    pub fn with_settings(scene: Scene, settings: &Settings) -> Self {
        Self {
            scene,
            search: settings.search,
            options: settings.options.clone(),
            kernel: settings.kernel,
            size: Some(settings.size),
            seed: settings.seed,
            edits: settings.edits.clone(),
            state: None,
            gpu: None,
        }
    }

    /// Goes on from a state of the scene, with the settings that it was saved with.
    #[must_use]
    pub fn from_state(mut self, state: Option<SavedState>) -> Self {
        self.state = state.map(Arc::new);
        self
    }

    /// Uses a device that Bevy was given, instead of wrapping Bevy's.
    #[must_use]
    pub fn on(mut self, gpu: &Arc<Gpu>) -> Self {
        self.gpu = Some(Arc::clone(gpu));
        self
    }
}

/// A 3D camera that shows the water. The picture fills the camera's whole target, floor and backdrop included.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, ExtractComponent)]
pub struct WaterView {
    /// The part of the target, in pixels, that nothing covers; the rest is not drawn. All of it when `None`.
    pub seen: Option<URect>,
}

/// What the water does, as told by the render world.
#[derive(Resource, Clone, Default)]
pub struct WaterReport(Arc<Mutex<Report>>);

impl WaterReport {
    /// The report, locked: keep it no longer than it takes to read.
    pub fn lock(&self) -> MutexGuard<'_, Report> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long the display shows a frame, s.
#[derive(Resource, Clone, Copy, Debug)]
pub struct FrameBudget(pub f64);

impl Default for FrameBudget {
    fn default() -> Self {
        Self(1.0 / 60.0)
    }
}

/// The device in use; a new one after the old was lost.
#[derive(Resource, Clone, Default)]
pub(super) struct SharedGpu(pub(super) Option<Arc<Gpu>>);

/// The render world's side.
#[derive(Resource)]
struct Water {
    // Receivers of read-backs are not `Sync`; nobody but this resource's systems asks for them.
    driver: SyncCell<Driver>,
    renderers: Renderers,
    ready: Vec<Entity>,
}

/// One renderer a camera, for the kind of target it was made for.
type Renderers = EntityHashMap<(TargetFormat, Renderer)>;

impl Plugin for NearwaterPlugin {
    fn build(&self, app: &mut App) {
        let report = WaterReport::default();
        app.add_plugins(ExtractComponentPlugin::<WaterView>::default())
            .init_resource::<FrameBudget>()
            .insert_resource(report.clone())
            .insert_resource(SharedGpu(self.gpu.clone()))
            .add_systems(First, settle);
        let Some(render) = app.get_sub_app_mut(RenderApp) else { return };
        render
            .insert_resource(report)
            .init_resource::<FrameBudget>()
            .insert_resource(SharedGpu(self.gpu.clone()))
            .add_systems(RenderStartup, start)
            .add_systems(ExtractSchedule, extract)
            .add_systems(Render, prepare.in_set(RenderSystems::PrepareResources).run_if(resource_exists::<Water>))
            .add_systems(
                RenderGraph,
                (
                    simulate.before(camera_driver),
                    resolve_timestamps.after(camera_driver).in_set(RenderGraphSystems::Render),
                )
                    .run_if(resource_exists::<Water>),
            )
            .add_systems(
                Core3d,
                draw.in_set(Core3dSystems::MainPass).before(main_opaque_pass_3d).run_if(resource_exists::<Water>),
            );
    }

    fn finish(&self, app: &mut App) {
        let Some(render) = app.get_sub_app_mut(RenderApp) else { return };
        let gpu = device_of(render.world_mut());
        let count = self.scene.usual_count(gpu.capabilities.class);
        let settings = Settings {
            search: self.search,
            options: self.options.clone(),
            kernel: self.kernel,
            size: self.size.unwrap_or(Size::Count(count)),
            seed: self.seed,
            edits: self.edits.clone(),
        };
        let mut controls = Controls::new(self.scene.clone(), settings, gpu.capabilities.class);
        if let Some(state) = self.state.clone() {
            controls.load_error = controls.go_on(Arc::clone(&controls.scene), state).err();
        }
        app.sub_app_mut(RenderApp).insert_resource(controls.clone());
        app.insert_resource(controls);
    }
}

fn settle(mut controls: ResMut<Controls>, report: Res<WaterReport>) {
    let report = report.lock();
    if controls.unsettled(&report) {
        controls.settle(&report);
    }
}

/// The device as this crate knows it, made from Bevy's where Bevy's is another.
fn device_of(render: &mut World) -> Arc<Gpu> {
    let device = render.resource::<RenderDevice>().wgpu_device().clone();
    let known = render.resource::<SharedGpu>().0.clone().filter(|gpu| gpu.device == device);
    known.unwrap_or_else(|| {
        let gpu = Arc::new(Gpu::from_parts(
            wgpu::Instance::clone(render.resource::<RenderInstance>()),
            wgpu::Adapter::clone(render.resource::<RenderAdapter>()),
            (device, wgpu::Queue::clone(render.resource::<RenderQueue>())),
            ShaderLibrary::embedded(),
        ));
        render.insert_resource(SharedGpu(Some(Arc::clone(&gpu))));
        gpu
    })
}

/// Runs whenever Bevy has a new device: at the start, and after one was lost.
fn start(world: &mut World) {
    let gpu = device_of(world);
    let driver = {
        let shared = world.resource::<WaterReport>().clone();
        let mut report = shared.lock();
        Driver::new(&gpu, &mut report)
    };
    world.insert_resource(Water {
        driver: SyncCell::new(driver),
        renderers: EntityHashMap::default(),
        ready: Vec::new(),
    });
}

fn extract(mut commands: Commands, controls: Extract<Res<Controls>>, budget: Extract<Res<FrameBudget>>) {
    commands.insert_resource(controls.clone());
    commands.insert_resource(**budget);
}

type WaterCamera<'a> = (Entity, &'a WaterView, &'a ExtractedView, &'a ViewTarget, &'a Msaa, &'a ExtractedCamera);

fn prepare(
    mut water: ResMut<Water>,
    controls: Res<Controls>,
    shared: Res<WaterReport>,
    budget: Res<FrameBudget>,
    cameras: Query<WaterCamera<'_>>,
) {
    let Water { driver, renderers, ready } = &mut *water;
    let driver = driver.get();
    let mut report = shared.lock();
    if driver.shaders_edited() {
        report.shader_error = rebuild(driver, renderers).err();
    }
    driver.follow(&controls, &mut report);
    driver.plan(&controls, budget.0, &mut report);
    renderers.retain(|camera, _| cameras.contains(*camera));
    ready.clear();
    for (entity, water_view, view, target, msaa, camera) in &cameras {
        let format =
            TargetFormat { color: target.main_texture_format(), depth: DEPTH_FORMAT, sample_count: msaa.samples() };
        let size = camera.physical_target_size.unwrap_or(UVec2::ONE);
        let view = View {
            world_from_view: view.world_from_view.to_matrix(),
            clip_from_view: view.clip_from_view,
            size,
            seen: water_view.seen.map(|rect| [rect.min, rect.max]),
        };
        let prepared = renderer_of(renderers, (entity, format), driver.gpu()).and_then(|renderer| {
            let Some((look, drawn)) = driver.picture(&controls) else { return Ok(false) };
            renderer.prepare(&view, &look, &drawn).map(|()| true)
        });
        match prepared {
            Ok(true) => ready.push(entity),
            Ok(false) => {}
            Err(error) => report.shader_error = Some(error.to_string()),
        }
    }
}

fn rebuild(driver: &mut Driver, renderers: &mut Renderers) -> Result<(), String> {
    driver.rebuild()?;
    renderers.values_mut().try_for_each(|(_, renderer)| renderer.rebuild()).map_err(|error| error.to_string())
}

/// The camera's renderer, made when there is none for such a target.
fn renderer_of<'a>(
    renderers: &'a mut Renderers,
    (camera, format): (Entity, TargetFormat),
    gpu: &Arc<Gpu>,
) -> Result<&'a mut Renderer, GpuError> {
    match renderers.entry(camera) {
        Entry::Occupied(known) if known.get().0 == format => Ok(&mut known.into_mut().1),
        entry => Ok(&mut entry.insert((format, Renderer::new(gpu, format)?)).into_mut().1),
    }
}

fn simulate(mut water: ResMut<Water>, mut context: RenderContext) {
    water.driver.get().record(context.command_encoder());
}

fn draw(
    mut water: ResMut<Water>,
    view: ViewQuery<(&ViewTarget, &ViewDepthTexture), With<WaterView>>,
    mut context: RenderContext,
) {
    let water = &mut *water;
    let entity = view.entity();
    let (target, depth) = view.into_inner();
    let Some((_, renderer)) = water.renderers.get(&entity).filter(|_| water.ready.contains(&entity)) else { return };
    // Taking the attachments tells Bevy that they are cleared, so that what the app draws next keeps the water.
    let color = target.get_color_attachment();
    let depth = depth.get_attachment(StoreOp::Store);
    renderer.record(
        context.command_encoder(),
        color.view,
        color.resolve_target,
        depth.view,
        Some(water.driver.get().timer()),
    );
}

fn resolve_timestamps(mut water: ResMut<Water>, mut context: RenderContext) {
    water.driver.get().resolve(context.command_encoder());
}
