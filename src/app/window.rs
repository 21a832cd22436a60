use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;

use bevy::app::PluginGroup as _;
use bevy::prelude::*;
use bevy::render::RenderPlugin;
use bevy::render::pipelined_rendering::PipelinedRenderingPlugin;
use bevy::render::renderer::{RenderAdapter, RenderAdapterInfo, RenderInstance, RenderQueue, WgpuWrapper};
use bevy::render::settings::RenderCreation;
use bevy::window::{Monitor, PresentMode, PrimaryMonitor, PrimaryWindow, WindowResolution};
use bevy::winit::{WinitPlugin, WinitSettings};
use bevy_egui::{EguiContexts, EguiPlugin, EguiPrimaryContextPass, egui};
use bevy_panorbit_camera::PanOrbitCameraPlugin;
use thiserror::Error;

use super::pictures::{Failures, Script, ScriptPlugin};
use super::pointer::{Pointer, WaterRect};
use super::recovery::RecoveryPlugin;
use super::{
    Controls, FrameBudget, NearwaterPlugin, WaterReport, apply_theme, camera, dropped, keyboard, pointer,
    warm_up_fonts, window_ui,
};
use crate::fluid::{SavedState, Scene, Settings};
use crate::gpu::Gpu;

/// Logical pixels of a window that nobody gave a size.
const WINDOW: UVec2 = UVec2::new(1280, 800);
/// What the log tells. The window system's library remarks on every virtual display.
const LOG: &str = "warn,winit=error,nearwater=info";

/// What the app starts with.
pub struct AppOptions {
    /// The device that simulates, draws and shows.
    pub gpu: Arc<Gpu>,
    /// The first scene.
    pub scene: Scene,
    /// The first settings.
    pub settings: Settings,
    /// A state of that scene to go on from, with the settings that it was saved with.
    pub state: Option<SavedState>,
    /// Logical pixels of the window; the program's choice when `None`.
    pub window_size: Option<UVec2>,
    /// What to do at which frame without anybody at the keyboard; empty in normal use.
    pub script: Script,
}

impl AppOptions {
    /// That scene with those settings, in a window of the program's choice, left to its user.
    pub fn new(gpu: Arc<Gpu>, scene: Scene, settings: Settings) -> Self {
        Self { gpu, scene, settings, state: None, window_size: None, script: Script::default() }
    }
}

/// Why there is no window, or why it ended.
#[non_exhaustive]
#[derive(Debug, Clone, Error)]
pub enum AppError {
    /// Nothing to open a window on.
    #[error("there is no display to open a window on: {0}")]
    NoDisplay(String),
    /// A picture that the script asked for could not be written.
    #[error("the picture {} could not be written: {reason}", file.display())]
    Picture {
        /// Where it should have gone.
        file: PathBuf,
        /// The system's words.
        reason: String,
    },
    /// The window's side of the program stopped with an error; it is in the log.
    #[error("the app stopped with an error, which the log tells")]
    Stopped,
}

/// Opens the window and runs until it is closed.
///
/// # Errors
/// When there is no display, before anything is opened; or when a scripted picture cannot be written.
pub fn run_app(options: AppOptions) -> Result<(), AppError> {
    super::display::available()?;
    let failures = Failures::default();
    let mut app = quietly(|| build(options, failures.clone()))?;
    let exit = app.run();
    if let Some(failure) = failures.take() {
        return Err(failure);
    }
    if exit.is_error() { Err(AppError::Stopped) } else { Ok(()) }
}

/// Builds the app. The window system's library answers a missing display server or library by a panic, whose message
/// becomes the error.
fn quietly(build: impl FnOnce() -> App) -> Result<App, AppError> {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(build));
    std::panic::set_hook(hook);
    outcome.map_err(|panic| {
        let words =
            panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
        // What the library's error says itself stands last in it.
        let words = words.and_then(|words| words.rsplit("error: ").next()).unwrap_or("no reason given");
        AppError::NoDisplay(format!("the window system does not answer ({})", words.trim_end_matches(" })")))
    })
}

fn build(options: AppOptions, failures: Failures) -> App {
    let AppOptions { gpu, scene, settings, state, window_size, script } = options;
    let mut app = App::new();
    app.add_plugins(
        DefaultPlugins
            .build()
            // One thread after the other: what is on screen is never a frame late, and two cores are left to llvmpipe.
            .disable::<PipelinedRenderingPlugin>()
            .set(bevy::log::LogPlugin { filter: LOG.into(), ..default() })
            .set(WindowPlugin { primary_window: Some(window(window_size.unwrap_or(WINDOW))), ..default() })
            .set(WinitPlugin { run_on_any_thread: true })
            .set(RenderPlugin {
                render_creation: render_creation(&gpu),
                synchronous_pipeline_compilation: true,
                ..default()
            }),
    )
    .insert_resource(WinitSettings::continuous())
    .insert_resource(ClearColor(Color::BLACK))
    .add_plugins((
        EguiPlugin { bindless_mode_array_size: None },
        PanOrbitCameraPlugin,
        NearwaterPlugin::with_settings(scene, &settings).from_state(state).on(&gpu),
        RecoveryPlugin,
        ScriptPlugin { script, failures },
    ))
    .init_resource::<WaterRect>()
    .init_resource::<Pointer>()
    .init_resource::<camera::PlacedFor>()
    .add_systems(Startup, camera::spawn_camera)
    .add_systems(
        Update,
        (
            keyboard::read_keys,
            camera::place_camera,
            camera::fit_camera,
            pointer::guard_camera,
            pointer::take_aim,
            pointer::push_water,
            dropped::open_dropped,
            follow_display,
            present,
        )
            .chain(),
    )
    .add_systems(EguiPrimaryContextPass, draw_ui);
    app
}

/// Hands Bevy the device that the simulation runs on.
pub(super) fn render_creation(gpu: &Gpu) -> RenderCreation {
    RenderCreation::manual(
        gpu.device.clone().into(),
        RenderQueue(Arc::new(WgpuWrapper::new(gpu.queue.clone()))),
        RenderAdapterInfo(WgpuWrapper::new(gpu.adapter.get_info())),
        RenderAdapter(Arc::new(WgpuWrapper::new(gpu.adapter.clone()))),
        RenderInstance(Arc::new(WgpuWrapper::new(gpu.instance.clone()))),
    )
}

fn window(size: UVec2) -> Window {
    Window {
        title: "Nearwater".into(),
        name: Some("nearwater".into()),
        resolution: WindowResolution::new(size.x, size.y),
        present_mode: PresentMode::AutoVsync,
        desired_maximum_frame_latency: NonZero::new(2),
        ..default()
    }
}

fn draw_ui(
    mut contexts: EguiContexts,
    mut controls: ResMut<Controls>,
    report: Res<WaterReport>,
    mut water: ResMut<WaterRect>,
    mut themed: Local<bool>,
) -> Result {
    let context = contexts.ctx_mut()?;
    if !*themed {
        apply_theme(context);
        warm_up_fonts(context);
        *themed = true;
    }
    let root = egui::UiBuilder::new().layer_id(egui::LayerId::background()).max_rect(context.viewport_rect());
    let mut ui = egui::Ui::new(context.clone(), egui::Id::new("window"), root);
    // A copy: the panel takes its time, and the side that simulates may want to write meanwhile.
    let seen = report.lock().clone();
    let rect = window_ui(&mut ui, &mut controls, &seen);
    water.0 = Rect::new(rect.left(), rect.top(), rect.right(), rect.bottom());
    Ok(())
}

/// Gives a frame as long as the display shows it.
fn follow_display(monitors: Query<&Monitor, With<PrimaryMonitor>>, mut budget: ResMut<FrameBudget>) {
    let rate = monitors.iter().find_map(|monitor| monitor.refresh_rate_millihertz).filter(|rate| *rate >= 24_000);
    if let Some(rate) = rate {
        budget.0 = 1e3 / f64::from(rate);
    }
}

fn present(controls: Res<Controls>, mut window: Single<&mut Window, With<PrimaryWindow>>) {
    let mode = if controls.vsync { PresentMode::AutoVsync } else { PresentMode::AutoNoVsync };
    if window.present_mode != mode {
        window.present_mode = mode;
    }
}
