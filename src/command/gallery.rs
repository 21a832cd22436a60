//! `nearwater gallery`: draws the pictures of the gallery and writes the page that shows them.

use std::process::ExitCode;

use super::CommandError;
use super::arguments::{Common, GalleryArguments};

/// Draws the pictures of the gallery off screen and writes the page that shows them.
#[cfg(feature = "app")]
pub fn run(common: &Common, arguments: &GalleryArguments) -> Result<ExitCode, CommandError> {
    use nearwater::app::{AppOptions, GalleryEntry, gallery_page, run_app};
    use nearwater::files::{make_folder, write_whole};

    use super::arguments::{DEFAULT_SCENE, scene_named};

    let all = GalleryEntry::all();
    let wanted = arguments.only.as_deref().unwrap_or_default().to_lowercase();
    let is_wanted = |entry: &&GalleryEntry| {
        entry.name.to_lowercase().contains(&wanted) || entry.title.to_lowercase().contains(&wanted)
    };
    let entries: Vec<_> = all.iter().filter(is_wanted).cloned().collect();
    if entries.is_empty() {
        let available = all.iter().map(|entry| entry.name.as_str()).collect::<Vec<_>>().join(", ");
        return Err(CommandError::Picture { wanted, available });
    }
    make_folder(&arguments.folder)?;
    let scene = scene_named(DEFAULT_SCENE)?;
    let gpu = common.gpu()?;
    for entry in &entries {
        outln!("{}", entry.title);
        let script = entry.script(&arguments.folder).map_err(nearwater::app::AppError::from)?;
        let settings = common.settings_for(&scene, &gpu)?;
        run_app(AppOptions { script, off_screen: true, ..AppOptions::new(gpu.clone(), scene.clone(), settings) })?;
    }
    let file = arguments.folder.join("GALLERY.md");
    let page = gallery_page(&entries, "").map_err(nearwater::app::AppError::from)?;
    write_whole(&file, |writer| std::io::Write::write_all(writer, page.as_bytes()))?;
    outln!("the page with the pictures was written to {}", file.display());
    Ok(ExitCode::SUCCESS)
}

/// Returns the error that this program was built without the app.
#[cfg(not(feature = "app"))]
pub fn run(_common: &Common, _arguments: &GalleryArguments) -> Result<ExitCode, CommandError> {
    Err(CommandError::NoApp("gallery"))
}
