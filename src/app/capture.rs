//! Takes pictures of what a camera draws: copies its texture after everything is drawn, and delivers the picture some
//! frames later.
//!
//! Bevy's own screenshots panic when the device is lost while one is under way, and drop all requests of a target but
//! one per frame. Here, a picture that a lost device does not deliver is taken again on the next one.

use std::sync::{Arc, Mutex, PoisonError};

use bevy::asset::RenderAssetUsages;
use bevy::core_pipeline::schedule::camera_driver;
use bevy::ecs::system::{IntoObserverSystem, SystemParam};
use bevy::platform::cell::SyncCell;
use bevy::prelude::*;
use bevy::render::renderer::{RenderContext, RenderGraph, RenderGraphSystems};
use bevy::render::sync_world::RenderEntity;
use bevy::render::view::ViewTarget;
use bevy::render::{Extract, ExtractSchedule, RenderApp};

use super::plugin::SharedGpu;
use crate::gpu::{Gpu, Readback, TextureRows};

/// Delivers a picture of a camera to whoever observes the entity of the request.
#[derive(EntityEvent)]
pub(super) struct PictureTaken {
    entity: Entity,
    /// The picture. Rows are from the top, pixels are in the format of Bevy's windows.
    pub(super) image: Image,
}

/// Requests pictures.
#[derive(SystemParam)]
pub(super) struct Photographer<'w, 's> {
    commands: Commands<'w, 's>,
    desk: Res<'w, Desk>,
}

impl Photographer<'_, '_> {
    /// Requests a picture of what a camera draws in this frame, which `receive` gets within a few frames.
    pub(super) fn take<B: Bundle, M>(&mut self, camera: Entity, receive: impl IntoObserverSystem<PictureTaken, B, M>) {
        let request = self.commands.spawn_empty().observe(receive).id();
        let mut orders = self.desk.lock();
        orders.wanted.push(Order { request, camera });
        orders.pending += 1;
    }

    /// Number of pictures that were requested and not received yet.
    pub(super) fn pending(&self) -> u32 {
        self.desk.lock().pending
    }
}

/// A picture that is wanted.
#[derive(Clone, Copy)]
struct Order {
    /// The entity that receives it.
    request: Entity,
    /// The camera, in the main world.
    camera: Entity,
}

/// What main world and render world know of pictures.
#[derive(Default)]
struct Orders {
    wanted: Vec<Order>,
    done: Vec<(Entity, Image)>,
    pending: u32,
}

/// Where orders are placed and pictures are fetched.
#[derive(Resource, Clone, Default)]
struct Desk(Arc<Mutex<Orders>>);

impl Desk {
    fn lock(&self) -> std::sync::MutexGuard<'_, Orders> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Adds pictures to the app.
pub(super) struct CapturePlugin;

impl Plugin for CapturePlugin {
    fn build(&self, app: &mut App) {
        let desk = Desk::default();
        app.insert_resource(desk.clone()).add_systems(First, deliver);
        let Some(render) = app.get_sub_app_mut(RenderApp) else { return };
        render
            .insert_resource(desk)
            .init_resource::<FrameOrders>()
            .insert_resource(Underway { shots: SyncCell::new(Vec::new()), gpu: None })
            .add_systems(ExtractSchedule, accept)
            .add_systems(RenderGraph, copy.after(camera_driver).in_set(RenderGraphSystems::Render));
    }
}

/// Hands out the pictures that have arrived.
fn deliver(mut commands: Commands, desk: Res<Desk>) {
    let mut orders = desk.lock();
    for (entity, image) in std::mem::take(&mut orders.done) {
        orders.pending -= 1;
        commands.trigger(PictureTaken { entity, image });
        commands.entity(entity).despawn();
    }
}

/// The orders of this frame with their cameras in the render world.
#[derive(Resource, Default)]
struct FrameOrders(Vec<(Order, Entity)>);

/// Takes the orders of cameras that are drawn in this frame; the others wait.
fn accept(desk: Res<Desk>, mut frame: ResMut<FrameOrders>, cameras: Extract<Query<&RenderEntity>>) {
    let mut orders = desk.lock();
    let (now, later) = std::mem::take(&mut orders.wanted).into_iter().partition(|order| cameras.contains(order.camera));
    orders.wanted = later;
    let in_render_world = |order: Order| Some((order, cameras.get(order.camera).ok()?.id()));
    frame.0.extend(Vec::into_iter(now).filter_map(in_render_world));
}

/// A picture on its way from the device.
struct Shot {
    order: Order,
    bytes: Readback<u8>,
    rows: TextureRows,
    format: wgpu::TextureFormat,
}

/// The pictures on their way.
#[derive(Resource)]
struct Underway {
    shots: SyncCell<Vec<Shot>>,
    /// The device that makes them.
    gpu: Option<Arc<Gpu>>,
}

/// Copies what the cameras have drawn, and fetches earlier copies that have arrived.
fn copy(
    mut frame: ResMut<FrameOrders>,
    mut underway: ResMut<Underway>,
    desk: Res<Desk>,
    gpu: Res<SharedGpu>,
    views: Query<&ViewTarget>,
    mut context: RenderContext,
) {
    let Some(gpu) = &gpu.0 else { return };
    let Underway { shots, gpu: before } = &mut *underway;
    let shots = shots.get();
    if before.as_ref().is_none_or(|before| !Arc::ptr_eq(before, gpu)) {
        // What the lost device has not delivered is taken again.
        *before = Some(Arc::clone(gpu));
        desk.lock().wanted.extend(shots.drain(..).map(|shot| shot.order));
    }
    shots.retain(|shot| {
        let Some(bytes) = shot.bytes.take() else { return true };
        desk.lock().done.push((shot.order.request, shot.picture(&bytes)));
        false
    });
    for (order, camera) in frame.0.drain(..) {
        match views.get(camera) {
            Ok(view) => shots.push(Shot::take(order, gpu, view, context.command_encoder())),
            // A camera that draws nothing in this frame, such as that of a minimized window.
            Err(_) => desk.lock().wanted.push(order),
        }
    }
}

impl Shot {
    fn take(order: Order, gpu: &Gpu, view: &ViewTarget, encoder: &mut wgpu::CommandEncoder) -> Self {
        let texture = view.main_texture();
        let rows = TextureRows::new(UVec2::new(texture.width(), texture.height()));
        let bytes = rows.record(gpu, encoder, texture, &rows.staging(gpu));
        Self { order, bytes, rows, format: texture.format() }
    }

    fn picture(&self, padded: &[u8]) -> Image {
        let pixels = self.rows.pixels(padded);
        let usages = RenderAssetUsages::MAIN_WORLD;
        Image::new(self.rows.extent(), wgpu::TextureDimension::D2, pixels, self.format, usages)
    }
}
