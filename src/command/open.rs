use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use glam::UVec2;
use nearwater::depiction::Depiction;

use super::CommandError;
use super::arguments::{Arguments, scene_named};
use super::simulate::HeadlessRun;

/// Opens the window on a scene; with no display, simulates a little and draws a picture instead.
pub fn run(arguments: &Arguments) -> Result<ExitCode, CommandError> {
    let scene = scene_named(&arguments.scene)?;
    let gpu = arguments.common.gpu()?;
    #[cfg(feature = "app")]
    {
        use nearwater::app::{AppError, AppOptions, run_app};
        let settings = arguments.common.settings_for(&scene, &gpu)?;
        let options = AppOptions::new(gpu.clone(), scene.clone(), settings);
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
        load: None,
        save: None,
    };
    run.perform(&gpu, &scene, &arguments.common)
}
