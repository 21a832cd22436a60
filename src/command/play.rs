//! `nearwater play`: opens recorded frames in the app.

use std::process::ExitCode;
use std::sync::Arc;

use nearwater::playback::Playback;

use super::CommandError;
use super::arguments::{Common, PlayArguments};

/// Opens the window on a recording, or runs a script on it.
pub fn run(common: &Common, arguments: &PlayArguments) -> Result<ExitCode, CommandError> {
    common.refuse(
        &["--particles", "--radius", "--seed"],
        "a recording has its own particles, whose distance --spacing sets",
    )?;
    // Read before a device is opened, so that a wrong path is reported at once.
    let playback = Arc::new(Playback::open(&arguments.paths, arguments.spacing)?);
    for notice in playback.recording.notices() {
        outln!("{notice}");
    }
    open(common, arguments, playback)
}

#[cfg(not(feature = "app"))]
fn open(_: &Common, _: &PlayArguments, _: Arc<Playback>) -> Result<ExitCode, CommandError> {
    Err(CommandError::NoApp("play"))
}

#[cfg(feature = "app")]
fn open(common: &Common, arguments: &PlayArguments, playback: Arc<Playback>) -> Result<ExitCode, CommandError> {
    use nearwater::app::{AppError, AppOptions, LookChoice, run_app, user_settings_file};

    let script = arguments.script.as_deref().map(|file| super::open::script_in(file, arguments.out.as_deref()));
    let script = script.transpose()?.unwrap_or_default();
    let is_scripted = !script.is_empty();
    let scene = playback.first_scene()?;
    let gpu = common.gpu()?;
    let settings = common.settings_for(&scene, &gpu)?;
    let super::arguments::Looking { style, theme, solids, field, cell_edges } = arguments.look;
    let options = AppOptions {
        script,
        settings_file: arguments.settings.clone().or_else(|| user_settings_file().filter(|_| !is_scripted)),
        off_screen: arguments.off_screen,
        window_size: arguments.window_size,
        look: LookChoice { style, theme, solids, field, cell_edges },
        playback: Some(playback),
        ..AppOptions::new(gpu, scene, settings)
    };
    match run_app(options) {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(error @ AppError::NoDisplay(_)) if is_scripted => Err(CommandError::NoDisplayForScript(error)),
        Err(error) => Err(error.into()),
    }
}
