//! Reopens a lost graphics device, and reports other errors of the device without ending the app.

use std::time::{Duration, Instant};

use bevy::prelude::*;
use bevy::render::error_handler::{ErrorType, RenderError, RenderErrorHandler, RenderErrorPolicy};
use bevy::render::render_resource::SpecializedRenderPipelines;
use bevy::render::{GpuResourceAppExt as _, RenderApp};
use bevy::window::PrimaryWindow;
use bevy_egui::render::EguiPipeline;
use bevy_egui::render::systems::{EguiRenderData, EguiTransforms};

use super::bevy_device::render_creation;
use super::plugin::SharedGpu;
use super::{WaterReport, format};
use crate::gpu::Gpu;

/// Time between two attempts to reopen a lost device.
const RETRY_EVERY: Duration = Duration::from_secs(2);

/// Keeps the app running when the device fails. A lost device is opened again; the panel stays as it was, and the scene
/// restarts. Any other error is reported and ignored.
pub(super) struct RecoveryPlugin;

impl Plugin for RecoveryPlugin {
    fn build(&self, app: &mut App) {
        app.insert_resource(RenderErrorHandler(handle));
        let Some(render) = app.get_sub_app_mut(RenderApp) else { return };
        // The panel's buffers and pipelines belong to the lost device, and bevy_egui creates them only once.
        render
            .init_gpu_resource::<EguiTransforms>()
            .init_gpu_resource::<EguiRenderData>()
            .init_gpu_resource::<SpecializedRenderPipelines<EguiPipeline>>();
    }
}

/// Time of the last attempt to open the device.
#[derive(Resource)]
struct LastTry(Instant);

fn handle(error: &RenderError, main: &mut World, render: &mut World) -> RenderErrorPolicy {
    let report = main.resource::<WaterReport>().clone();
    let reason = format::first_line(&error.description).to_owned();
    if error.ty != ErrorType::DeviceLost {
        report.lock().device_error =
            Some(format!("the graphics device reported an error, and the app continues: {reason}"));
        return RenderErrorPolicy::Ignore;
    }
    if main.get_resource::<LastTry>().is_some_and(|last| last.0.elapsed() < RETRY_EVERY) {
        return RenderErrorPolicy::StopRendering;
    }
    main.insert_resource(LastTry(Instant::now()));
    let Some(old) = main.resource::<SharedGpu>().0.clone() else { return RenderErrorPolicy::StopRendering };
    match Gpu::open(Some(&old.capabilities.name), old.shaders().clone()) {
        Ok(gpu) => {
            report.lock().device_error =
                Some(format!("the device was lost ({reason}) and opened again; the scene was restarted"));
            let creation = render_creation(&gpu);
            main.insert_resource(SharedGpu(Some(gpu.clone())));
            render.insert_resource(SharedGpu(Some(gpu)));
            RenderErrorPolicy::Recover(creation)
        }
        Err(error) => {
            // Nothing can be drawn, so the error is shown in the title bar.
            let title = format!("Nearwater: the device was lost and could not be opened again yet: {error}");
            if let Ok(mut window) = main.query_filtered::<&mut Window, With<PrimaryWindow>>().single_mut(main) {
                window.title = title;
            }
            RenderErrorPolicy::StopRendering
        }
    }
}
