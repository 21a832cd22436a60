//! `nearwater` without a command: opens the app on a scene, runs a script in it, or falls back to a headless run.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use glam::UVec2;
use nearwater::depiction::Depiction;
use nearwater::fluid::SavedState;
use nearwater::video::CameraMove;

use super::CommandError;
#[cfg(feature = "app")]
use super::arguments::Looking;
use super::arguments::{Arguments, DEFAULT_SCENE, scene_file, scene_named};
use super::simulate::HeadlessRun;

/// Opens the window on a scene, or runs a script in it. Without a display and a script it simulates a short time and
/// draws a picture instead.
pub fn run(arguments: &Arguments) -> Result<ExitCode, CommandError> {
    let (common, playing) = (&arguments.common, &arguments.playing);
    #[cfg(feature = "app")]
    let script = playing.script.as_deref().map(|file| script_in(file, playing.out.as_deref())).transpose()?;
    #[cfg(feature = "app")]
    let script = script.unwrap_or_default();
    #[cfg(feature = "app")]
    let lesson = playing
        .lesson
        .as_deref()
        .map(nearwater::app::Lesson::load)
        .transpose()
        .map_err(|errors| CommandError::lesson(&errors))?;
    #[cfg(not(feature = "app"))]
    if playing.script.is_some() {
        return Err(CommandError::NoApp("--script"));
    }
    #[cfg(not(feature = "app"))]
    if playing.frames.is_some() {
        return Err(CommandError::NoApp("--frames"));
    }
    #[cfg(not(feature = "app"))]
    if playing.lesson.is_some() {
        return Err(CommandError::NoApp("--lesson"));
    }
    #[cfg(not(feature = "app"))]
    if playing.attract {
        return Err(CommandError::NoApp("--attract"));
    }
    let state = arguments.load.as_deref().map(SavedState::read).transpose()?;
    let named = arguments.scene.as_deref().or(state.as_ref().map(SavedState::scene_name));
    let scene = scene_named(named.unwrap_or(DEFAULT_SCENE))?;
    if let Some(state) = &state {
        common.refuse_settings_beside_a_state()?;
        state.check_scene(&scene)?;
    }
    let gpu = common.gpu()?;
    #[cfg(feature = "app")]
    {
        use nearwater::app::{
            AppError, AppOptions, LookChoice, run_app, use_kept_pipelines, user_pipeline_file, user_settings_file,
        };

        let &Looking { style, theme, solids, field, cell_edges } = &arguments.look;
        let mut settings =
            state.as_ref().map_or_else(|| common.settings_for(&scene, &gpu), |state| Ok(state.settings()?))?;
        // A script ignores the user's settings, so that it runs with the same ones on every machine.
        let settings_file = playing.settings.clone().or_else(|| user_settings_file().filter(|_| script.is_empty()));
        let is_scripted = !script.is_empty();
        let beside_settings = playing.settings.as_ref().map(|file| file.with_file_name("pipelines.bin"));
        let pipelines = beside_settings.or_else(user_pipeline_file).filter(|_| !is_scripted);
        if let Some(file) = &pipelines {
            use_kept_pipelines(&gpu, file);
        }
        // A script runs with the same settings on every machine, and a lesson or a state brings its own.
        let decides = !is_scripted && lesson.is_none() && state.is_none() && common.leaves_pace_open();
        let size = playing.window_size.unwrap_or(nearwater::app::WINDOW);
        let mut pace =
            pace_on(&gpu, PaceRequest { scene: &scene, size, decides }, &mut settings, settings_file.as_deref())?;
        pace.pipelines = pipelines;
        let options = AppOptions {
            state,
            script,
            lesson,
            settings_file,
            off_screen: playing.off_screen || playing.frames.is_some(),
            trial_run: playing.frames.map(|frames| super::trial::trial_run(frames, playing.display)),
            attract: playing.attract,
            window_size: playing.window_size,
            look: LookChoice { style, theme, solids, field, cell_edges },
            scene_file: arguments.scene.clone().filter(|name| scene_file(name).is_some()),
            pace,
            ..AppOptions::new(gpu.clone(), scene.clone(), settings)
        };
        match run_app(options) {
            Ok(()) => return Ok(ExitCode::SUCCESS),
            Err(error @ AppError::NoDisplay(_)) if is_scripted => return Err(CommandError::NoDisplayForScript(error)),
            Err(error @ AppError::NoDisplay(_)) => outln!("{error}; running without a window."),
            Err(error) => return Err(error.into()),
        }
    }
    let picture = Path::new("nearwater.png");
    let run = HeadlessRun {
        seconds: 1.2,
        wall_clock: Some(Duration::from_mins(1)),
        png: Some(picture),
        size: UVec2::new(1280, 800),
        camera: CameraMove::Fixed,
        depiction: Depiction::default(),
        legend: true,
        film: None,
        timings: None,
        export: None,
        probing: None,
        scene_file: arguments.scene.as_deref().and_then(scene_file),
        load: arguments.load.as_deref(),
        save: None,
    };
    run.perform(&gpu, &scene, common)
}

/// What the pace is needed for.
#[cfg(feature = "app")]
#[derive(Clone, Copy)]
struct PaceRequest<'a> {
    scene: &'a nearwater::fluid::Scene,
    /// Size of the window, pixels.
    size: UVec2,
    /// Whether solver, search and number of particles follow from it.
    decides: bool,
}

/// What is known about the pace of the device, and, if nothing else decides, the settings that keep the scene in real
/// time. The times are kept beside the user's settings.
#[cfg(feature = "app")]
fn pace_on(
    gpu: &std::sync::Arc<nearwater::gpu::Gpu>,
    request: PaceRequest<'_>,
    settings: &mut nearwater::fluid::Settings,
    beside: Option<&Path>,
) -> Result<nearwater::app::PaceOptions, CommandError> {
    use nearwater::pace::{DeviceBook, DeviceShelf, device_key};
    let shelf = beside.map(|file| DeviceShelf::new(&file.with_file_name("devices.ron")));
    let key = device_key(&gpu.capabilities);
    let mut measured = shelf.as_ref().map_or_else(|| DeviceBook::new(&key), |shelf| shelf.book_of(&key));
    let chosen = if request.decides {
        super::pace::launch(gpu, request.scene, settings, request.size, &mut measured)?
    } else {
        None
    };
    if let Some(choice) = chosen {
        settings.search = choice.search;
        settings.size = nearwater::fluid::Size::Count(choice.particles);
        settings.edits.solver = Some(choice.solver).filter(|solver| *solver != request.scene.solver);
    }
    Ok(nearwater::app::PaceOptions { measured, shelf, chosen, pipelines: None })
}

/// Reads a script whose pictures are written to a folder, which is created if it does not exist.
#[cfg(feature = "app")]
pub fn script_in(file: &Path, pictures: Option<&Path>) -> Result<nearwater::app::Script, CommandError> {
    if let Some(folder) = pictures {
        nearwater::files::make_folder(folder)?;
    }
    Ok(nearwater::app::Script::read(file, pictures).map_err(nearwater::app::AppError::from)?)
}
