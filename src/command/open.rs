use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use glam::UVec2;
use nearwater::depiction::Depiction;
use nearwater::fluid::SavedState;

use super::CommandError;
use super::arguments::{Arguments, DEFAULT_SCENE, scene_named};
use super::simulate::HeadlessRun;

/// Opens the window on a scene; with no display, simulates a little and draws a picture instead.
pub fn run(arguments: &Arguments) -> Result<ExitCode, CommandError> {
    let common = &arguments.common;
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
        use nearwater::app::{AppError, AppOptions, run_app};
        let settings =
            state.as_ref().map_or_else(|| common.settings_for(&scene, &gpu), |state| Ok(state.settings()?))?;
        let options = AppOptions { state, ..AppOptions::new(gpu.clone(), scene.clone(), settings) };
        match run_app(options) {
            Ok(()) => return Ok(ExitCode::SUCCESS),
            Err(error @ AppError::NoDisplay(_)) => println!("{error}; running headless."),
            Err(error) => return Err(error.into()),
        }
    }
    let picture = Path::new("nearwater.png");
    let run = HeadlessRun {
        seconds: 1.2,
        wall_clock: Some(Duration::from_mins(1)),
        png: Some(picture),
        size: UVec2::new(1280, 800),
        depiction: Depiction::default(),
        timings: None,
        export: None,
        probing: None,
        load: arguments.load.as_deref(),
        save: None,
    };
    run.perform(&gpu, &scene, common)
}
