//! Writes the running scene to a file.

use std::path::{Path, PathBuf};

use super::{Controls, Report};
use crate::files::write_whole;
use crate::fluid::{Scene, Size};

/// The file to which a scene is saved unless the user names another.
pub(super) const SCENE_FILE: &str = "my_scene.ron";

impl Controls {
    /// Writes the scene with every edit to [`PanelControls::scene_path`](super::PanelControls), and says so on screen,
    /// or why it is impossible.
    pub fn save_scene(&mut self, report: &Report) {
        let path = self.panel.scene_path.trim().to_owned();
        match self.write_scene(&path, report) {
            Ok(file) => {
                self.note(format!("the scene was saved to {}", file.display()));
                self.remember(&file);
            }
            Err(sentence) => self.load_error = Some(sentence),
        }
    }

    fn write_scene(&self, path: &str, report: &Report) -> Result<PathBuf, String> {
        let file = Path::new(path);
        if file.extension().is_none_or(|ending| !ending.eq_ignore_ascii_case("ron")) {
            return Err(format!("the name of a scene file must end in .ron, but \"{path}\" does not"));
        }
        let source = self.scene_file.as_deref().unwrap_or(&self.scene.name);
        let text = Scene::text(source).map_err(|error| error.to_string())?;
        let particles = match self.settings.size {
            _ if self.scene.points_spacing().is_some() => None,
            Size::Count(count) => Some(count),
            Size::Radius(_) => report.running.as_ref().map(|running| running.resolution.particle_count),
        };
        let edited = self
            .scene
            .edited_text(&text, &self.settings.edits, particles, file)
            .map_err(|error| format!("the scene is not saved: {error}"))?;
        write_whole(file, |writer| std::io::Write::write_all(writer, edited.as_bytes()))
            .map_err(|error| error.to_string())?;
        Ok(file.to_owned())
    }
}
