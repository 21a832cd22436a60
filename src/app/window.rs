//! The desktop app: opens the window, assembles plugins and systems, and runs until the window is closed.

use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bevy::app::{PluginGroup as _, PluginGroupBuilder};
use bevy::asset::AssetEventSystems;
use bevy::light::LightPlugin;
use bevy::log::LogPlugin;
use bevy::prelude::*;
use bevy::render::RenderPlugin;
use bevy::render::pipelined_rendering::PipelinedRenderingPlugin;
use bevy::window::{
    Monitor, MonitorSelection, PresentMode, PrimaryMonitor, PrimaryWindow, WindowMode, WindowResolution,
};
use bevy::winit::{WinitPlugin, WinitSettings};
use bevy_egui::{EguiContexts, EguiPlugin, EguiPostUpdateSet, EguiPreUpdateSet, EguiPrimaryContextPass, egui};
use bevy_panorbit_camera::PanOrbitCameraPlugin;
use thiserror::Error;

use super::at_random::RandomUsePlugin;
use super::attract::AttractPlugin;
use super::bevy_device::render_creation;
use super::capture::CapturePlugin;
use super::clipboard::{CopyFailures, copy_texts};
use super::dialogs::{OpenDialog, follow_dialogs};
use super::failures::Failures;
use super::film::FilmPlugin;
use super::off_screen::OffScreenPlugin;
use super::pace::{PacePlugin, TrialRunPlugin};
use super::player::PlayerPlugin;
use super::pointer::{Pointer, WaterRect};
use super::recovery::RecoveryPlugin;
use super::script::{Script, ScriptError};
use super::settings::{FoundSettings, SettingsPlugin};
use super::window_place::{WindowPlace, follow_window};
use super::{
    Controls, FrameBudget, Lesson, LookChoice, NearwaterPlugin, PaceOptions, PlaybackControls, RandomUse, TrialRun,
    WaterReport, apply_theme, camera, dropped, keyboard, laboratory, pointer, update_lessons, warm_up_fonts, window_ui,
};
use crate::fluid::{SavedState, Scene, Settings};
use crate::gpu::Gpu;
use crate::panic_report::panic_on_purpose;
use crate::playback::Playback;

/// Default size of the window, logical pixels.
pub const WINDOW: UVec2 = UVec2::new(1280, 800);
/// The code with which Bevy ends the app after Ctrl+C in the terminal, which is no error.
const INTERRUPTED: u8 = 130;
/// Filter of the log. winit writes a warning for every virtual display.
const LOG: &str = "warn,winit=error,nearwater=info";
/// Whether an app of this process has set up the log already, which is possible only once per process.
static LOG_IS_SET: AtomicBool = AtomicBool::new(false);

/// Options with which the app starts.
pub struct AppOptions {
    /// The device that simulates, draws and shows.
    pub gpu: Arc<Gpu>,
    /// The first scene.
    pub scene: Scene,
    /// The first settings.
    pub settings: Settings,
    /// A saved state of that scene from which the app resumes, with the settings of the state.
    pub state: Option<SavedState>,
    /// Size of the window, logical pixels; the default size if `None`.
    pub window_size: Option<UVec2>,
    /// A script that the app runs; empty in normal use.
    pub script: Script,
    /// A lesson with which the app opens.
    pub lesson: Option<Lesson>,
    /// Whether the app draws into an image instead of a window, and ends when its script ends.
    pub off_screen: bool,
    /// Whether the app starts in attract mode.
    pub attract: bool,
    /// The file of the first scene; `None` if it is built in.
    pub scene_file: Option<String>,
    /// What the command line chose about the look of the window.
    pub look: LookChoice,
    /// The file of the user's settings; if `None`, they are neither read nor written.
    pub settings_file: Option<PathBuf>,
    /// What is known about the pace of the device.
    pub pace: PaceOptions,
    /// A recording whose frames are shown in place of a simulation; `scene` is then its first scene.
    pub playback: Option<Arc<Playback>>,
    /// Measures frames off screen against the clock, and ends.
    pub trial_run: Option<TrialRun>,
    /// Uses the app at random after the script, until that is over.
    pub random_use: Option<RandomUse>,
}

impl AppOptions {
    /// A scene with its settings in a window of the default size, without a script or a file of user settings.
    pub fn new(gpu: Arc<Gpu>, scene: Scene, settings: Settings) -> Self {
        Self {
            gpu,
            scene,
            settings,
            state: None,
            window_size: None,
            script: Script::default(),
            lesson: None,
            off_screen: false,
            attract: false,
            scene_file: None,
            look: LookChoice::default(),
            settings_file: None,
            pace: PaceOptions::default(),
            playback: None,
            trial_run: None,
            random_use: None,
        }
    }
}

/// Why the app could not start, or why it stopped.
#[non_exhaustive]
#[derive(Debug, Clone, Error)]
pub enum AppError {
    /// There is no display.
    #[error("there is no display to open a window on: {0}")]
    NoDisplay(String),
    /// A picture of the script could not be written.
    #[error("the picture {} could not be written: {reason}", file.display())]
    Picture {
        /// The file of the picture.
        file: PathBuf,
        /// The message of the operating system or of a library.
        reason: String,
    },
    /// A video of the script could not be recorded.
    #[error("the video could not be recorded: {0}")]
    Video(String),
    /// A line of the script is invalid or failed.
    #[error(transparent)]
    Script(#[from] ScriptError),
    /// Something went wrong while the app was used at random.
    #[error(
        "{reason}; the last line was \"{line}\", and all lines are in {}, which `nearwater --script` repeats",
        lines.display()
    )]
    RandomUse {
        /// What went wrong.
        reason: String,
        /// The line of the script that was carried out.
        line: String,
        /// The file of all lines.
        lines: PathBuf,
    },
    /// The app was started off screen without a script, its only possible input there.
    #[error("the app has nothing to do off screen without a script; name one with --script FILE")]
    NoScript,
    /// The app stopped with an error, which is in the log.
    #[error("the app stopped with an error; see the log")]
    Stopped,
}

/// Opens the window and runs until it is closed, or, off screen, until the script ends.
///
/// # Errors
/// When there is no display to open a window on, which is checked first, or when a command of the script fails.
pub fn run_app(options: AppOptions) -> Result<(), AppError> {
    let has_input = !options.script.is_empty() || options.trial_run.is_some() || options.random_use.is_some();
    if options.off_screen && !has_input {
        return Err(AppError::NoScript);
    }
    if !options.off_screen {
        super::display::available()?;
    }
    let failures = Failures::default();
    let mut app = catch_window_panic(|| build(options, failures.clone()))?;
    let exit = app.run();
    if let Some(failure) = failures.take() {
        return Err(failure);
    }
    match exit {
        AppExit::Success => Ok(()),
        AppExit::Error(code) if code.get() == INTERRUPTED => Ok(()),
        AppExit::Error(_) => Err(AppError::Stopped),
    }
}

/// Builds the app. winit, and Bevy's plugin for it, panic when the display server or one of its libraries is missing;
/// the panic's message becomes the error. Any other panic is a fault of the program and stays one.
fn catch_window_panic(build: impl FnOnce() -> App) -> Result<App, AppError> {
    let hook: Arc<PanicHook> = Arc::from(std::panic::take_hook());
    let is_of_the_window = Arc::new(AtomicBool::new(false));
    std::panic::set_hook(Box::new({
        let (hook, is_of_the_window) = (Arc::clone(&hook), Arc::clone(&is_of_the_window));
        move |panic| {
            if panic.location().is_some_and(|place| place.file().contains("winit")) {
                is_of_the_window.store(true, Ordering::Relaxed);
            } else {
                hook(panic);
            }
        }
    }));
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(build));
    std::panic::set_hook(Box::new(move |panic| hook(panic)));
    outcome.map_err(|panic| {
        if !is_of_the_window.load(Ordering::Relaxed) {
            std::panic::resume_unwind(panic);
        }
        let words =
            panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
        // The library's own error is the last part of the message.
        let words = words.and_then(|words| words.rsplit("error: ").next()).unwrap_or("no reason given");
        AppError::NoDisplay(format!("the window system does not respond ({})", words.trim_end_matches(" })")))
    })
}

type PanicHook = dyn Fn(&std::panic::PanicHookInfo<'_>) + Send + Sync;

/// `bevy_egui` writes letters that are drawn for the first time into a texture in this schedule. If changes of assets
/// were collected before that, these letters would be missing for a frame, and from a picture of it.
fn show_new_letters(app: &mut App) {
    app.configure_sets(PostUpdate, AssetEventSystems.after(EguiPostUpdateSet::PostProcessOutput));
}

fn build(options: AppOptions, failures: Failures) -> App {
    let AppOptions {
        gpu,
        scene,
        settings,
        state,
        window_size,
        script,
        lesson,
        off_screen,
        attract,
        scene_file,
        look,
        settings_file,
        pace,
        playback,
        trial_run,
        random_use,
    } = options;
    panic_on_purpose("window");
    let found = FoundSettings::read(settings_file);
    // Off screen the window has the same size on every machine.
    let last = found.settings.as_ref().and_then(|settings| settings.window).filter(|_| !off_screen);
    let mut app = App::new();
    app.add_plugins(plugins_of_bevy(&gpu, window(window_size, last), off_screen))
        .insert_resource(WinitSettings::continuous())
        .insert_resource(ClearColor(Color::BLACK))
        .add_plugins((
            (EguiPlugin { bindless_mode_array_size: None }, show_new_letters),
            PanOrbitCameraPlugin,
            NearwaterPlugin::with_settings(scene, &settings).from_state(state).on(&gpu),
            RecoveryPlugin,
            AttractPlugin {
                starts_when_idle: script.is_empty() && !off_screen && playback.is_none() && random_use.is_none(),
                starts_now: attract,
            },
            PlayerPlugin {
                script,
                failures,
                ends: off_screen && trial_run.is_none() && random_use.is_none(),
                is_random: random_use.is_some(),
            },
            SettingsPlugin { found, look },
            CapturePlugin,
            FilmPlugin,
            PacePlugin { options: pace },
        ))
        .init_resource::<WaterRect>()
        .init_resource::<Pointer>()
        .init_resource::<OpenDialog>()
        .init_resource::<CopyFailures>()
        .add_systems(Last, copy_texts)
        .init_resource::<camera::PlacedFor>()
        .init_resource::<laboratory::LabPress>()
        .add_systems(Startup, camera::spawn_camera)
        .add_systems(
            PreUpdate,
            keyboard::keep_tab_from_widgets.after(EguiPreUpdateSet::ProcessInput).before(EguiPreUpdateSet::BeginPass),
        )
        .add_systems(
            Update,
            (
                keyboard::read_keys,
                camera::place_camera,
                camera::lead_camera,
                camera::fit_camera,
                super::playback::play,
                pointer::guard_camera,
                pointer::take_aim,
                pointer::use_tool,
                laboratory::pick_with_pointer,
                laboratory::follow_selection,
                follow_lesson,
                camera::follow_laboratory,
                (dropped::open_dropped, follow_dialogs).chain(),
                follow_display,
                present,
            )
                .chain(),
        )
        .add_systems(EguiPrimaryContextPass, draw_ui);
    app.add_systems(Startup, move |mut controls: ResMut<Controls>| controls.scene_file.clone_from(&scene_file));
    let opened = playback.map(PlaybackControls::new);
    app.add_systems(Startup, move |mut controls: ResMut<Controls>| controls.playback.clone_from(&opened));
    if let Some(lesson) = lesson.map(Arc::new) {
        let open = move |mut controls: ResMut<Controls>, report: Res<WaterReport>| {
            controls.open_lesson(Arc::clone(&lesson), &report.lock());
        };
        app.add_systems(Startup, open);
    }
    if off_screen {
        app.add_plugins(OffScreenPlugin { follows_clock: trial_run.is_some() || random_use.is_some() });
    } else {
        app.add_systems(Update, follow_window);
    }
    if let Some(run) = trial_run {
        app.add_plugins(TrialRunPlugin { run });
    }
    if let Some(random) = random_use {
        app.add_plugins(RandomUsePlugin { random });
    }
    app
}

/// Bevy's own plugins, on the device of the simulation.
fn plugins_of_bevy(gpu: &Gpu, window: Window, off_screen: bool) -> PluginGroupBuilder {
    let mut plugins = DefaultPlugins
        .build()
        // Without pipelined rendering the picture is never a frame late, and two cores are left to llvmpipe.
        .disable::<PipelinedRenderingPlugin>()
        // The water has a lamp of its own.
        .disable::<LightPlugin>()
        .set(WindowPlugin { primary_window: Some(window), ..default() })
        .set(WinitPlugin { run_on_any_thread: true })
        .set(RenderPlugin {
            render_creation: render_creation(gpu),
            synchronous_pipeline_compilation: true,
            ..default()
        });
    plugins = if LOG_IS_SET.swap(true, Ordering::Relaxed) {
        plugins.disable::<LogPlugin>()
    } else {
        plugins.set(LogPlugin { filter: LOG.into(), ..default() })
    };
    if off_screen { plugins.disable::<WinitPlugin>() } else { plugins }
}

/// The window at the start: of the size that the command line gives, otherwise as it was in the last run.
fn window(size: Option<UVec2>, last: Option<WindowPlace>) -> Window {
    let size = size.or(last.map(|last| UVec2::from_array(last.size))).unwrap_or(WINDOW);
    Window {
        position: last.map(WindowPlace::position).unwrap_or_default(),
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
    mut warmed_up: Local<Option<f32>>,
) -> Result {
    let context = contexts.ctx_mut()?;
    if warmed_up.is_none() {
        apply_theme(context);
        // The program has its own keys and its own setting for the size of the interface.
        context.options_mut(|options| options.zoom_with_keyboard = false);
    }
    // Another scale needs new glyphs.
    let pixels_per_point = context.pixels_per_point();
    if warmed_up.replace(pixels_per_point) != Some(pixels_per_point) {
        warm_up_fonts(context);
    }
    // The zoom factor applies from the next frame on; this frame is laid out with the current one.
    let scale = context.zoom_factor();
    context.set_zoom_factor(f32::from(controls.ui_scale) / 100.0);
    let root = egui::UiBuilder::new().layer_id(egui::LayerId::background()).max_rect(context.viewport_rect());
    let mut ui = egui::Ui::new(context.clone(), egui::Id::new("window"), root);
    // The panel reads a copy, so that the driver can write the report while the panel is drawn.
    let seen = report.lock().clone();
    let rect = window_ui(&mut ui, &mut controls, &seen);
    let rect = rect * scale;
    water.0 = Rect::new(rect.left(), rect.top(), rect.right(), rect.bottom());
    Ok(())
}

/// Notices what the reader of a lesson has done.
fn follow_lesson(report: Res<WaterReport>, mut controls: ResMut<Controls>) {
    // Compared first, because a mutable access marks the controls as changed.
    if controls.lessons.running.is_some() {
        update_lessons(&mut controls, &report.lock());
    }
}

/// Sets the time budget of a frame to the display's frame interval.
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
    let wanted = if controls.full_screen {
        WindowMode::BorderlessFullscreen(MonitorSelection::Current)
    } else {
        WindowMode::Windowed
    };
    if window.mode != wanted {
        window.mode = wanted;
    }
}
