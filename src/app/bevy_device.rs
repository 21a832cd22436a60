//! Hands the device of the simulation to Bevy.

use std::sync::Arc;

use bevy::render::renderer::{RenderAdapter, RenderAdapterInfo, RenderInstance, RenderQueue, WgpuWrapper};
use bevy::render::settings::RenderCreation;

use crate::gpu::{DeviceOrigin, Gpu};

/// Bevy's renderer on the device of the simulation.
pub(super) fn render_creation(gpu: &Gpu) -> RenderCreation {
    let manual = |DeviceOrigin { instance, adapter }: &DeviceOrigin| {
        RenderCreation::manual(
            gpu.device.clone().into(),
            RenderQueue(Arc::new(WgpuWrapper::new(gpu.queue.clone()))),
            RenderAdapterInfo(WgpuWrapper::new(adapter.get_info())),
            RenderAdapter(Arc::new(WgpuWrapper::new(adapter.clone()))),
            RenderInstance(Arc::new(WgpuWrapper::new(instance.clone()))),
        )
    };
    // The app opens its devices itself, so that their origin is known.
    gpu.origin.as_ref().map_or_else(RenderCreation::default, manual)
}
