//! Water in the render world: a driver for each entity, which simulates on Bevy's own device.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bevy::ecs::entity::{EntityHashMap, EntityHashSet};
use bevy::prelude::*;
use bevy::render::renderer::RenderContext;

use super::plugin::{FrameBudget, FrameTime, device_of};
use super::water::PlacedWaters;
use super::water_drawing::Renderers;
use super::{Driver, Report};
use crate::gpu::Gpu;
use crate::render::Renderer;

/// One entity's water on the device.
pub(super) struct SimulatedWater {
    pub(super) driver: Driver,
    pub(super) renderers: Renderers,
    /// The cameras in which it is drawn in this frame.
    pub(super) ready: Vec<InCamera>,
    pub(super) is_main: bool,
}

/// Where a water is in the view of a camera.
#[derive(Clone, Copy)]
pub(super) struct InCamera {
    pub(super) camera: Entity,
    /// Distance of the middle of its box, m.
    pub(super) distance: f32,
    /// The coordinate of the nearest corner of its box along the view; negative in front of the camera, m.
    pub(super) nearest: f32,
}

/// All water on the device, by the entities of the main world.
#[derive(Resource)]
pub(super) struct Waters {
    gpu: Arc<Gpu>,
    // The receivers of read-backs are not `Sync`; and the pass that draws transparent meshes behind water has to read
    // the rest of the world as well.
    all: Mutex<EntityHashMap<SimulatedWater>>,
}

impl Waters {
    /// All water, without waiting.
    pub(super) fn all(&mut self) -> &mut EntityHashMap<SimulatedWater> {
        self.all.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// All water, for a system that has the whole world.
    pub(super) fn lock(&self) -> MutexGuard<'_, EntityHashMap<SimulatedWater>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Begins without any water. Runs whenever Bevy has a new device: at the start, and after a device was lost.
pub(super) fn start(world: &mut World) {
    let gpu = device_of(world);
    world.insert_resource(Waters { gpu, all: Mutex::default() });
}

/// Brings every simulation in line with its controls, and plans the frame.
pub(super) fn follow(
    mut waters: ResMut<Waters>,
    placed: Res<PlacedWaters>,
    (budget, time): (Res<FrameBudget>, Res<FrameTime>),
) {
    let gpu = Arc::clone(&waters.gpu);
    let all = waters.all();
    let present: EntityHashSet = placed.0.iter().map(|water| water.entity).collect();
    all.retain(|entity, _| present.contains(entity));
    // All water shares one device.
    let share = budget.0 / placed.0.len().max(1) as f64;
    for water in &placed.0 {
        let mut report = water.report.lock();
        let SimulatedWater { driver, renderers, .. } = all.entry(water.entity).or_insert_with(|| SimulatedWater {
            driver: Driver::new(&gpu, &mut report),
            renderers: Renderers::default(),
            ready: Vec::new(),
            is_main: water.is_main,
        });
        if driver.shaders_edited() {
            report.shader_error = rebuild(driver, renderers).err();
        }
        driver.want_solids(&water.solids);
        driver.want_events(&water.events);
        if water.waits && !driver.has_begun() {
            continue;
        }
        driver.follow(&water.controls, &mut report);
        redraw_with_edits(driver, renderers, &mut report);
        driver.set_advance(time.0);
        driver.plan(&water.controls, share, &mut report);
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

/// Records the planned time steps, and reports where they have moved bodies.
pub(super) fn simulate(mut waters: ResMut<Waters>, placed: Res<PlacedWaters>, mut context: RenderContext) {
    for water in &placed.0 {
        let Some(simulated) = waters.all().get_mut(&water.entity) else { continue };
        simulated.driver.record(context.command_encoder());
        simulated.driver.report_motion(&mut water.report.lock());
    }
}

/// Records the copies of this frame's timestamps.
pub(super) fn resolve_timestamps(mut waters: ResMut<Waters>, mut context: RenderContext) {
    for water in waters.all().values_mut() {
        water.driver.resolve(context.command_encoder());
    }
}
