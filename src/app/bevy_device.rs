//! Hands the device of the simulation to Bevy.

use std::sync::Arc;

use bevy::render::renderer::{RenderAdapter, RenderAdapterInfo, RenderInstance, RenderQueue, WgpuWrapper};
use bevy::render::settings::RenderCreation;

use crate::gpu::Gpu;

/// Bevy's renderer on the device of the simulation.
pub(super) fn render_creation(gpu: &Gpu) -> RenderCreation {
    RenderCreation::manual(
        gpu.device.clone().into(),
        RenderQueue(Arc::new(WgpuWrapper::new(gpu.queue.clone()))),
        RenderAdapterInfo(WgpuWrapper::new(gpu.adapter.get_info())),
        RenderAdapter(Arc::new(WgpuWrapper::new(gpu.adapter.clone()))),
        RenderInstance(Arc::new(WgpuWrapper::new(gpu.instance.clone()))),
    )
}
