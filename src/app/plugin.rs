//! The Bevy plugin: runs the driver in the render world and draws into every camera with [`WaterView`].

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
use crate::laboratory::PickFound;
use crate::render::{Beside, Renderer, TargetFormat, View};
use crate::search::{SearchInfo, SearchOptions};

/// Depth format of Bevy's 3D cameras.
const DEPTH_FORMAT: wgpu::TextureFormat = bevy::core_pipeline::core_3d::CORE_3D_DEPTH_FORMAT;

/// Adds the simulation to any Bevy app. It simulates in the render world, on Bevy's own device, and draws into every
/// camera that has [`WaterView`], before the app's own meshes, which hide the water where they are nearer.
///
/// Add it after Bevy's own plugins. Control it through the resource [`Controls`], and read its state from
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
    /// The scene, with the search [`SearchInfo::default_for_scenes`] and the scene's usual number of particles for the
    /// adapter.
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

    /// The scene with the given settings.
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

/// Marks a 3D camera that shows the simulation. The picture, with its floor and backdrop, fills the camera's target.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, ExtractComponent)]
pub struct WaterView {
    /// The part of the target, in pixels, that no panel covers. The rest is not drawn. `None` draws the whole target.
    pub seen: Option<URect>,
    /// Whether the camera repeats the picture of another one, in a size of its own. Its passes are not timed, and
    /// nothing is picked in its picture.
    pub repeats_another: bool,
}

/// The report of the driver, which the render world writes.
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

/// Time by which every frame advances the simulation, s, however long it takes; `None` uses the clock.
#[derive(Resource, Clone, Copy, Debug, Default)]
pub(super) struct FixedFrame(pub(super) Option<f64>);

/// The device in use. It is replaced after a loss.
#[derive(Resource, Clone, Default)]
pub(super) struct SharedGpu(pub(super) Option<Arc<Gpu>>);

/// The simulation's state in the render world.
#[derive(Resource)]
struct Water {
    // The receivers of read-backs are not `Sync`; only systems with exclusive access to this resource use them.
    driver: SyncCell<Driver>,
    renderers: Renderers,
    ready: Vec<Entity>,
}

/// For each camera, the target format and the renderers that were made for it, one for each search shown side by side.
type Renderers = EntityHashMap<(TargetFormat, Vec<Renderer>)>;

impl Plugin for NearwaterPlugin {
    fn build(&self, app: &mut App) {
        let report = WaterReport::default();
        app.add_plugins(ExtractComponentPlugin::<WaterView>::default())
            .init_resource::<FrameBudget>()
            .init_resource::<FixedFrame>()
            .insert_resource(report.clone())
            .insert_resource(SharedGpu(self.gpu.clone()))
            .add_systems(First, settle);
        let Some(render) = app.get_sub_app_mut(RenderApp) else { return };
        render
            .insert_resource(report)
            .init_resource::<FrameBudget>()
            .init_resource::<FixedFrame>()
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
            controls.load_error = controls.resume_from(Arc::clone(&controls.scene), state).err();
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

/// The shared [`Gpu`] if it wraps Bevy's device, otherwise a new one made from Bevy's device.
fn device_of(render: &mut World) -> Arc<Gpu> {
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

/// Creates the driver. Runs whenever Bevy has a new device: at the start, and after a device was lost.
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

fn extract(
    mut commands: Commands,
    controls: Extract<Res<Controls>>,
    budget: Extract<Res<FrameBudget>>,
    fixed: Extract<Res<FixedFrame>>,
) {
    commands.insert_resource(controls.clone());
    commands.insert_resource(**budget);
    commands.insert_resource(**fixed);
}

type WaterCamera<'a> = (Entity, &'a WaterView, &'a ExtractedView, &'a ViewTarget, &'a Msaa, &'a ExtractedCamera);

fn prepare(
    mut water: ResMut<Water>,
    controls: Res<Controls>,
    shared: Res<WaterReport>,
    (budget, fixed): (Res<FrameBudget>, Res<FixedFrame>),
    cameras: Query<WaterCamera<'_>>,
) {
    let Water { driver, renderers, ready } = &mut *water;
    let driver = driver.get();
    let mut report = shared.lock();
    if driver.shaders_edited() {
        report.shader_error = rebuild(driver, renderers).err();
    }
    driver.follow(&controls, &mut report);
    redraw_with_edits(driver, renderers, &mut report);
    driver.fix_frames(fixed.0);
    driver.plan(&controls, budget.0, &mut report);
    renderers.retain(|camera, _| cameras.contains(*camera));
    ready.clear();
    for (entity, water_view, view, target, msaa, camera) in &cameras {
        let format =
            TargetFormat { color: target.main_texture_format(), depth: DEPTH_FORMAT, sample_count: msaa.samples() };
        let size = camera.physical_target_size.unwrap_or(UVec2::ONE);
        let whole = View {
            world_from_view: view.world_from_view.to_matrix(),
            clip_from_view: view.clip_from_view,
            size,
            seen: water_view.seen.map(|rect| [rect.min, rect.max]),
        };
        let columns = 1 + controls.lab.columns();
        let prepared = renderers_of(renderers, (entity, format), (driver.gpu(), columns)).and_then(|renderers| {
            for (column, renderer) in renderers.iter_mut().enumerate() {
                let Some((look, drawn)) = driver.picture(&controls, column) else { return Ok(false) };
                renderer.prepare(&whole.column(column, columns), &look, &drawn)?;
            }
            Ok(true)
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
    let mut all = renderers.values_mut().flat_map(|(_, renderers)| renderers);
    all.try_for_each(Renderer::rebuild).map_err(|error| error.to_string())
}

/// Makes the renderers again if their shaders were edited. If that fails, the edit is withdrawn.
fn redraw_with_edits(driver: &mut Driver, renderers: &mut Renderers, report: &mut Report) {
    if !driver.takes_new_drawing() {
        return;
    }
    let mut rebuild = || renderers.values_mut().flat_map(|(_, renderers)| renderers).try_for_each(Renderer::rebuild);
    if let Err(error) = rebuild() {
        driver.withdraw_code(&error, report);
        if let Err(error) = rebuild() {
            report.shader_error = Some(error.to_string());
        }
    }
}

/// Returns `count` renderers of a camera, and creates those that do not exist yet for its target format.
fn renderers_of<'a>(
    renderers: &'a mut Renderers,
    (camera, format): (Entity, TargetFormat),
    (gpu, count): (&Arc<Gpu>, usize),
) -> Result<&'a mut Vec<Renderer>, GpuError> {
    let known = match renderers.entry(camera) {
        Entry::Occupied(known) if known.get().0 == format => &mut known.into_mut().1,
        entry => &mut entry.insert((format, Vec::new())).into_mut().1,
    };
    known.truncate(count);
    while known.len() < count {
        known.push(Renderer::new(gpu, format)?);
    }
    Ok(known)
}

fn simulate(mut water: ResMut<Water>, mut context: RenderContext) {
    water.driver.get().record(context.command_encoder());
}

fn draw(
    mut water: ResMut<Water>,
    view: ViewQuery<(&WaterView, &ViewTarget, &ViewDepthTexture)>,
    mut context: RenderContext,
) {
    let water = &mut *water;
    let entity = view.entity();
    let (water_view, target, depth) = view.into_inner();
    let is_first = !water_view.repeats_another;
    let is_ready = water.ready.contains(&entity);
    let Some((_, renderers)) = water.renderers.get_mut(&entity).filter(|_| is_ready) else { return };
    let driver = water.driver.get();
    // After its attachments were taken, Bevy regards the target as cleared, and later passes of the app draw over the
    // water.
    let color = target.get_color_attachment();
    let depth = depth.get_attachment(StoreOp::Store);
    for (column, renderer) in renderers.iter().enumerate() {
        let beside = if column == 0 { Beside::Nothing } else { Beside::Others };
        let timer = (column == 0 && is_first).then(|| driver.timer());
        renderer.record(context.command_encoder(), color.view, color.resolve_target, depth.view, timer, beside);
    }
    if let (Some(order), Some(renderer)) = (driver.due_pick().filter(|_| is_first), renderers.first_mut()) {
        // A shader that fails to compile here failed for the picture too, which reports the error.
        if let Ok(Some(found)) = PickFound::record(renderer, context.command_encoder(), order.what) {
            driver.take_pick(order, found);
        }
    }
}

fn resolve_timestamps(mut water: ResMut<Water>, mut context: RenderContext) {
    water.driver.get().resolve(context.command_encoder());
}
