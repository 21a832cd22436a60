//! Reopens a lost graphics device, and reports other errors of the device without ending the app.
//!
//! wgpu tells one listener of a loss. Bevy registers its own, and tells the app a frame later; until then, reading what
//! the device has mapped would end the program with a panic. So the app listens itself ([`watch_loss`]), and has Bevy
//! ask what to do about it by an error that it makes on purpose ([`tell_loss`]).

use std::sync::Arc;
use std::time::{Duration, Instant};

use bevy::prelude::*;
use bevy::render::error_handler::{ErrorType, RenderError, RenderErrorHandler, RenderErrorPolicy};
use bevy::render::render_resource::SpecializedRenderPipelines;
use bevy::render::{GpuResourceAppExt as _, RenderApp, RenderStartup};
use bevy::window::PrimaryWindow;
use bevy_egui::render::EguiPipeline;
use bevy_egui::render::systems::{EguiRenderData, EguiTransforms};

use super::bevy_device::render_creation;
use super::plugin::SharedGpu;
use super::{WaterReport, format};
use crate::gpu::Gpu;

/// Time between two attempts to reopen a lost device.
const RETRY_EVERY: Duration = Duration::from_secs(2);

/// Longest time to wait for a device that made an error, to learn whether it is lost.
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// Keeps the app running when the device fails. A lost device is opened again; the panel stays as it was, and the scene
/// restarts. Any other error is reported and ignored.
pub(super) struct RecoveryPlugin;

impl Plugin for RecoveryPlugin {
    fn build(&self, app: &mut App) {
        // Before Bevy asks for errors and draws, so that no frame is drawn on a lost device.
        app.insert_resource(RenderErrorHandler(handle)).add_systems(Last, tell_loss);
        let Some(render) = app.get_sub_app_mut(RenderApp) else { return };
        render.add_systems(RenderStartup, watch_loss);
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

/// What an error of the device calls for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    /// It is out of memory, and goes on.
    TellOfMemory,
    /// It goes on.
    Tell,
    /// It came from the lost device, which the renderer uses until the next frame.
    Replace,
    /// It is lost, and an attempt to open it was made just now.
    Wait,
    /// It is lost.
    Reopen,
}

/// What an error calls for, where the device in use is lost or not, this long after the last attempt to open a lost
/// one, and where the renderer has taken that device or still waits for it.
fn answer_to(error: ErrorType, is_lost: bool, since_try: Option<Duration>, is_taken: bool) -> Answer {
    match error {
        _ if !is_lost && !is_taken => Answer::Replace,
        _ if is_lost || error == ErrorType::DeviceLost => {
            let waits = since_try.is_some_and(|since| since < RETRY_EVERY);
            if waits { Answer::Wait } else { Answer::Reopen }
        }
        ErrorType::OutOfMemory => Answer::TellOfMemory,
        _ => Answer::Tell,
    }
}

/// The device that the renderer has taken. Devices cannot be compared themselves: those of two instances of wgpu count
/// as equal.
#[derive(Resource)]
struct TakenGpu(Arc<Gpu>);

/// Listens for the loss of a device that the renderer has just taken.
fn watch_loss(mut commands: Commands, gpu: Res<SharedGpu>) {
    if let Some(gpu) = &gpu.0 {
        gpu.watch_loss();
        commands.insert_resource(TakenGpu(Arc::clone(gpu)));
    }
}

/// Makes Bevy call [`handle`] where the device is lost: what is written to a buffer of a lost device is an error.
fn tell_loss(gpu: Res<SharedGpu>) {
    let Some(gpu) = gpu.0.as_ref().filter(|gpu| gpu.lost().is_some()) else { return };
    let usage = wgpu::BufferUsages::COPY_DST;
    let descriptor =
        wgpu::BufferDescriptor { label: Some("of a lost device"), size: 4, usage, mapped_at_creation: false };
    gpu.queue.write_buffer(&gpu.device.create_buffer(&descriptor), 0, &[0; 4]);
}

/// The message of a lost device. What is created on such a device is invalid at once, but wgpu tells of the loss only
/// when a poll finds that nothing is left to do; until then, errors of the loss look like errors of the program.
fn loss_of(gpu: &Gpu) -> Option<String> {
    gpu.lost().or_else(|| {
        let _ = gpu.poll_as(wgpu::PollType::Wait { submission_index: None, timeout: Some(LONGEST_WAIT) });
        gpu.lost()
    })
}

fn handle(error: &RenderError, main: &mut World, render: &mut World) -> RenderErrorPolicy {
    let report = main.resource::<WaterReport>().clone();
    let old = main.resource::<SharedGpu>().0.clone();
    let loss = old.as_ref().and_then(|gpu| loss_of(gpu));
    let reason = format::first_line(loss.as_ref().unwrap_or(&error.description)).to_owned();
    let since_try = main.get_resource::<LastTry>().map(|last| last.0.elapsed());
    let taken = render.get_resource::<TakenGpu>();
    let is_taken = old.as_ref().zip(taken).is_none_or(|(gpu, taken)| Arc::ptr_eq(gpu, &taken.0));
    match answer_to(error.ty, loss.is_some(), since_try, is_taken) {
        Answer::TellOfMemory => {
            let sentence = "the graphics device has no memory left, and the app continues; choose fewer particles or a \
                            smaller window, or close other programs that use the device";
            report.lock().device_error = Some(sentence.to_owned());
            return RenderErrorPolicy::Ignore;
        }
        Answer::Tell => {
            let sentence = format!("the graphics device reported an error, and the app continues: {reason}");
            report.lock().device_error = Some(sentence);
            return RenderErrorPolicy::Ignore;
        }
        // To ignore the error would make Bevy go on with the lost device, and forget that it was about to change it.
        Answer::Replace => {
            return old
                .map_or(RenderErrorPolicy::StopRendering, |gpu| RenderErrorPolicy::Recover(render_creation(&gpu)));
        }
        Answer::Wait => return RenderErrorPolicy::StopRendering,
        Answer::Reopen => {}
    }
    main.insert_resource(LastTry(Instant::now()));
    let Some(old) = old else { return RenderErrorPolicy::StopRendering };
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bevy::ecs::world::World;
    use bevy::render::error_handler::{ErrorType, RenderError, RenderErrorPolicy};

    use super::{Answer, SharedGpu, TakenGpu, WaterReport, answer_to, handle, loss_of};
    use crate::gpu::{Gpu, ShaderLibrary};

    #[test]
    fn a_loss_is_told_from_other_errors() {
        let of = |error, is_lost| {
            [None, Some(0.1), Some(3.0)]
                .map(|seconds| answer_to(error, is_lost, seconds.map(Duration::from_secs_f64), true))
        };
        assert_eq!(of(ErrorType::Validation, false), [Answer::Tell; 3]);
        assert_eq!(of(ErrorType::Validation, true), [Answer::Reopen, Answer::Wait, Answer::Reopen]);
        assert_eq!(of(ErrorType::DeviceLost, false), [Answer::Reopen, Answer::Wait, Answer::Reopen]);
        assert_eq!(of(ErrorType::OutOfMemory, false), [Answer::TellOfMemory; 3]);
    }

    #[test]
    fn errors_of_a_lost_device_do_not_keep_its_successor_from_the_renderer() {
        let [lost, opened] = [(); 2].map(|()| Gpu::open(None, ShaderLibrary::embedded()).expect("there is a device"));
        let error = RenderError { ty: ErrorType::Validation, description: "an echo".to_owned(), source: None };
        let report = WaterReport::default();
        let mut main = World::new();
        main.insert_resource(report.clone());
        main.insert_resource(SharedGpu(Some(opened)));
        let mut render = World::new();
        lost.device.destroy();
        render.insert_resource(TakenGpu(lost));
        assert!(matches!(handle(&error, &mut main, &mut render), RenderErrorPolicy::Recover(_)));
        assert!(report.lock().device_error.is_none());

        let opened = main.resource::<SharedGpu>().0.clone().expect("it was inserted");
        render.insert_resource(TakenGpu(opened));
        assert!(matches!(handle(&error, &mut main, &mut render), RenderErrorPolicy::Ignore));
        assert!(report.lock().device_error.is_some(), "an error of the device in use is told");
    }

    #[test]
    fn a_device_is_known_to_be_lost_before_it_tells() {
        let gpu = Gpu::open(None, ShaderLibrary::embedded()).expect("there is a device");
        assert!(loss_of(&gpu).is_none());
        gpu.device.destroy();
        assert!(gpu.lost().is_none(), "wgpu tells of a loss where it is polled");
        assert!(loss_of(&gpu).is_some());
    }
}
