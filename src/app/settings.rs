//! Settings of the panel that belong to the user and not to the scene. They are stored in a RON file in the platform's
//! configuration folder.
//!
//! To add a setting, add one field here, with its default, and one line each in [`UserSettings::of`] and
//! [`UserSettings::apply`]. If a file of an older version lacks the field, the default is used. Unknown fields are
//! skipped, so that an older program can read a newer file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bevy::prelude::*;
use serde::{Deserialize, Serialize};

use super::states::STATE_FILE;
use super::{Controls, LessonProgress, VIEWS, view_named};
use crate::files::write_whole;
use crate::render::{ColorField, DrawStyle, SolidStyle, Theme};

/// Sizes of texts and buttons, percent.
pub const UI_SCALES: [u16; 7] = [100, 125, 150, 175, 200, 225, 250];
/// Version of the file. It must be increased when the meaning of a field changes, but not when a field is added.
const VERSION: u32 = 1;
/// How long settings must be unchanged before they are written, so that typing a name does not write every letter.
const REST: Duration = Duration::from_millis(600);

/// The user's settings, as stored in the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct UserSettings {
    /// Version of the file.
    pub version: u32,
    /// Size of texts and buttons in percent, one of [`UI_SCALES`].
    pub ui_scale: u16,
    /// Whether the panel is shown.
    pub panel_open: bool,
    /// The sections of the panel that the user opened (true) or folded (false), by their names.
    pub sections: BTreeMap<String, bool>,
    /// Whether drawing is synchronized with the display.
    pub vsync: bool,
    /// How the water is drawn.
    pub style: DrawStyle,
    /// Brightness of the scene's surroundings.
    pub theme: Theme,
    /// How solids are drawn.
    pub solids: SolidStyle,
    /// The field that the colors of the particles show.
    pub field: ColorField,
    /// Whether the edges of the search's cells are drawn.
    pub cell_edges: bool,
    /// Whether the oracle badge is on; `None` decides by the adapter.
    pub badge: Option<bool>,
    /// Name of the view with which the laboratory opens; the first view if the name is unknown.
    pub lab_view: String,
    /// The file to which states are saved and from which they are loaded.
    pub state_file: String,
    /// The progress in the lessons, by their names.
    pub lessons: BTreeMap<String, LessonProgress>,
    /// Language of the lessons; empty for the first one.
    pub language: String,
}

impl Default for UserSettings {
    fn default() -> Self {
        Self {
            version: VERSION,
            ui_scale: UI_SCALES[0],
            panel_open: true,
            sections: BTreeMap::new(),
            vsync: true,
            style: DrawStyle::default(),
            theme: Theme::default(),
            solids: SolidStyle::default(),
            field: ColorField::default(),
            cell_edges: false,
            badge: None,
            lab_view: VIEWS[0].name.into(),
            state_file: STATE_FILE.into(),
            lessons: BTreeMap::new(),
            language: String::new(),
        }
    }
}

impl UserSettings {
    /// The current settings.
    pub fn of(controls: &Controls) -> Self {
        let lesson = controls.kept_by_lesson();
        // A view of the laboratory may change field and style while it is open; the user's own are stored.
        let (field, style) = controls.lab.border.kept_look().unwrap_or((controls.field, controls.style));
        // So does a lesson.
        let (field, style) = lesson.map_or((field, style), |kept| (kept.field, kept.style));
        Self {
            version: VERSION,
            ui_scale: controls.ui_scale,
            panel_open: controls.panel_open,
            sections: controls.panel.sections.clone(),
            vsync: controls.vsync,
            style,
            theme: controls.theme,
            solids: lesson.map_or(controls.solids, |kept| kept.solids),
            field,
            cell_edges: lesson.map_or(controls.cell_edges, |kept| kept.cell_edges),
            badge: lesson.map_or(controls.badge, |kept| kept.badge),
            lab_view: controls.lab.view().name.into(),
            state_file: controls.state_file.clone(),
            lessons: controls.lessons.progress.clone(),
            language: controls.lessons.language.clone(),
        }
    }

    /// Applies the settings to the controls.
    pub fn apply(self, controls: &mut Controls) {
        controls.ui_scale = self.ui_scale;
        controls.panel_open = self.panel_open;
        controls.panel.sections = self.sections;
        controls.vsync = self.vsync;
        controls.style = self.style;
        controls.theme = self.theme;
        controls.solids = self.solids;
        controls.field = self.field;
        controls.cell_edges = self.cell_edges;
        controls.badge = self.badge;
        controls.lab.view = view_named(&self.lab_view).unwrap_or_default();
        controls.state_file = self.state_file;
        controls.lessons.progress = self.lessons;
        controls.lessons.language = self.language;
    }

    /// Reads the settings; returns the defaults if the file does not exist yet.
    ///
    /// # Errors
    /// One sentence, when the file cannot be read, is not RON, has a newer version, or contains an invalid value.
    pub fn read(file: &Path) -> Result<Self, String> {
        let text = match std::fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(not_read(file, error)),
        };
        let kept: Self = ron::from_str(&text).map_err(|error| not_read(file, error))?;
        if kept.version > VERSION {
            let newer = format!("it has version {}, but this program reads versions up to {VERSION}", kept.version);
            return Err(not_read(file, newer));
        }
        if !UI_SCALES.contains(&kept.ui_scale) {
            return Err(not_read(file, format!("ui_scale is {}, but must be one of {UI_SCALES:?}", kept.ui_scale)));
        }
        Ok(kept)
    }

    /// Writes the settings, and creates the folder if it does not exist. When writing fails, an existing file is
    /// unchanged.
    ///
    /// # Errors
    /// One sentence, when the folder cannot be created or the file cannot be written.
    pub fn write(&self, file: &Path) -> Result<(), String> {
        let not_written = |error: &dyn std::fmt::Display| format!("the settings could not be saved: {error}");
        let text =
            ron::ser::to_string_pretty(self, ron::ser::PrettyConfig::new()).map_err(|error| not_written(&error))?;
        if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(|error| not_written(&format!("{}: {error}", folder.display())))?;
        }
        write_whole(file, |writer| std::io::Write::write_all(writer, text.as_bytes()))
            .map_err(|error| not_written(&error))
    }
}

fn not_read(file: &Path, reason: impl std::fmt::Display) -> String {
    format!("the settings in {} are not used: {reason}. The file is kept until you change a setting", file.display())
}

/// The file of the user's settings in the platform's configuration folder; `None` if the system has no such folder.
pub fn user_settings_file() -> Option<PathBuf> {
    let folders = directories::ProjectDirs::from("", "", "nearwater")?;
    Some(folders.config_dir().join("settings.ron"))
}

/// Reads the settings at the start, and writes them when they change.
pub(super) struct SettingsPlugin {
    pub(super) file: Option<PathBuf>,
}

/// The content of the file, and the changes since it was written.
#[derive(Resource)]
struct Kept {
    file: PathBuf,
    written: UserSettings,
    seen: UserSettings,
    changed: Instant,
}

impl Plugin for SettingsPlugin {
    fn build(&self, app: &mut App) {
        let Some(file) = self.file.clone() else { return };
        let read = move |mut commands: Commands, mut controls: ResMut<Controls>| {
            match UserSettings::read(&file) {
                // Without a file, the controls keep what suits the device.
                Ok(settings) if file.exists() => settings.apply(&mut controls),
                Ok(_) => {}
                Err(sentence) => controls.settings_error = Some(sentence),
            }
            let now = UserSettings::of(&controls);
            let (written, seen, changed) = (now.clone(), now, Instant::now());
            commands.insert_resource(Kept { file: file.clone(), written, seen, changed });
        };
        app.add_systems(PreStartup, read).add_systems(Last, keep);
    }
}

/// Writes changed settings once they have been unchanged for [`REST`], or when the app ends.
fn keep(mut kept: ResMut<Kept>, mut controls: ResMut<Controls>, mut ends: MessageReader<AppExit>) {
    let now = UserSettings::of(&controls);
    if kept.seen != now {
        kept.seen.clone_from(&now);
        kept.changed = Instant::now();
    }
    let ends = ends.read().count() > 0;
    if kept.written == now || !(ends || kept.changed.elapsed() >= REST) {
        return;
    }
    if let Err(sentence) = now.write(&kept.file) {
        controls.settings_error = Some(sentence.clone());
        if ends {
            error!("{sentence}");
        }
    }
    // Set after a failure too, so that writing is not tried in every frame.
    kept.written = now;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::color_fields::BORDER_OR_INNER;

    #[test]
    fn settings_are_read_back_and_unreadable_ones_are_reported() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("made/on/the/way/settings.ron");
        assert_eq!(UserSettings::read(&file), Ok(UserSettings::default()));
        let mine = UserSettings {
            ui_scale: 150,
            panel_open: false,
            style: DrawStyle::Smooth,
            field: ColorField::new(&BORDER_OR_INNER),
            lab_view: "race".into(),
            state_file: "mine.state".into(),
            ..UserSettings::default()
        };
        mine.write(&file).expect("the folder is created");
        assert_eq!(UserSettings::read(&file), Ok(mine));

        let after = |text: &str| {
            std::fs::write(&file, text).expect("the file is there");
            UserSettings::read(&file)
        };
        let read = after("(ui_scale: 200, a_later_setting: Some([1, 2]))").expect("unknown fields are skipped");
        assert_eq!(read, UserSettings { ui_scale: 200, ..UserSettings::default() });
        for (text, part) in
            [("(ui_scale: 200", "settings.ron"), ("(version: 9)", "version 9"), ("(ui_scale: 300)", "ui_scale is 300")]
        {
            let sentence = after(text).expect_err(text);
            assert!(sentence.contains(part), "{text:?}: {sentence}");
        }
    }
}
