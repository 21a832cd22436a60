//! `nearwater lesson`: lists the lessons, and writes one as a page with pictures.

use std::process::ExitCode;

use super::CommandError;
use super::arguments::{Common, LessonArguments};

/// Lists the lessons, or writes one as a page.
#[cfg(feature = "app")]
pub fn run(common: &Common, arguments: &LessonArguments) -> Result<ExitCode, CommandError> {
    use nearwater::app::{Lesson, quantities_page};

    if arguments.quantities {
        out!("{}", quantities_page());
        return Ok(ExitCode::SUCCESS);
    }
    let Some(name) = &arguments.name else { return list() };
    let lesson = Lesson::load(name).map_err(|errors| CommandError::lesson(&errors))?;
    if let Some(file) = &arguments.html {
        return print_page(common, arguments, lesson, name, file);
    }
    show(&lesson);
    Ok(ExitCode::SUCCESS)
}

/// Lists the embedded lessons, and everything that is wrong with them.
#[cfg(feature = "app")]
fn list() -> Result<ExitCode, CommandError> {
    use nearwater::app::{FIRST_LANGUAGE, Lesson};

    let mut errors = Vec::new();
    for name in Lesson::names() {
        match Lesson::load(name) {
            Ok(lesson) => {
                let text = lesson.text(FIRST_LANGUAGE);
                outln!("{name:24} {:3} min  {:2} steps  {}", lesson.minutes, lesson.steps.len(), text.title);
            }
            Err(found) => errors.extend(found),
        }
    }
    if errors.is_empty() { Ok(ExitCode::SUCCESS) } else { Err(CommandError::lesson(&errors)) }
}

/// Prints the steps of a lesson.
#[cfg(feature = "app")]
fn show(lesson: &nearwater::app::Lesson) {
    use nearwater::app::FIRST_LANGUAGE;

    let text = lesson.text(FIRST_LANGUAGE);
    outln!("{} ({} min)", text.title, lesson.minutes);
    for (place, (step, text)) in lesson.steps.iter().zip(&text.steps).enumerate() {
        let asks = match (step.tasks.len(), step.choice.is_some(), step.number.is_some()) {
            (0, false, false) => "",
            (_, true, _) => "question with options",
            (_, _, true) => "question for a number",
            _ => "tasks",
        };
        outln!("{:3}. {:40} {asks}", place + 1, text.heading);
    }
}

/// Walks a lesson off screen and writes the page.
#[cfg(feature = "app")]
fn print_page(
    common: &Common,
    arguments: &LessonArguments,
    lesson: nearwater::app::Lesson,
    name: &str,
    file: &std::path::Path,
) -> Result<ExitCode, CommandError> {
    use nearwater::app::{AppOptions, LessonPrint, run_app};
    use nearwater::files::{check_writable, write_whole};

    use super::arguments::{DEFAULT_SCENE, scene_named};

    check_writable(file)?;
    let mut print = LessonPrint::new(lesson, name);
    let folder = tempfile::tempdir().map_err(|error| CommandError::Print(error.to_string()))?;
    let mut circumstances = String::new();
    if !arguments.no_pictures {
        let scene = scene_named(DEFAULT_SCENE)?;
        let gpu = common.gpu()?;
        let settings = common.settings_for(&scene, &gpu)?;
        let now = nearwater::laboratory::Circumstances::now(&gpu);
        circumstances = format!("Pictures and numbers: {}.", now.line());
        let script = print.script(folder.path()).map_err(CommandError::Print)?;
        run_app(AppOptions { script, off_screen: true, ..AppOptions::new(gpu, scene, settings) })?;
    }
    let page = print.page(&circumstances).map_err(|error| CommandError::Print(error.to_string()))?;
    write_whole(file, |writer| std::io::Write::write_all(writer, page.as_bytes()))?;
    outln!("the lesson was written to {}", file.display());
    Ok(ExitCode::SUCCESS)
}

/// Returns the error that this program was built without the app.
#[cfg(not(feature = "app"))]
pub fn run(_common: &Common, _arguments: &LessonArguments) -> Result<ExitCode, CommandError> {
    Err(CommandError::NoApp("lesson"))
}
