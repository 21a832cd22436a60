//! Settings of the panel that belong to the user and not to the scene. They are stored in a RON file in the platform's
//! configuration folder.
//!
//! To add a setting, add one field here, with its default, and one line each in [`UserSettings::of`] and
//! [`UserSettings::apply`]. If a file of an older version lacks the field, the default is used. Unknown fields are
//! skipped. A file that cannot be used is renamed and never overwritten.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bevy::prelude::*;
use serde::{Deserialize, Serialize};

use super::states::STATE_FILE;
use super::{Controls, FilmChoice, LessonProgress, LookChoice, VIEWS, WindowPlace, view_named};
use crate::files::{make_folder_of, read_bytes, write_whole};
use crate::render::{ColorField, DrawStyle, SolidStyle, Theme};

/// Sizes of texts and buttons, percent.
pub const UI_SCALES: [u16; 7] = [100, 125, 150, 175, 200, 225, 250];
/// Version of the file. It must be increased when the meaning of a field changes, but not when a field is added.
const VERSION: u32 = 1;
/// Largest size of the file, bytes.
const LARGEST_FILE: u64 = 1 << 20;
/// How long settings must be unchanged before they are written, so that typing a name does not write every letter.
const REST: Duration = Duration::from_millis(600);

/// The user's settings, as stored in the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct UserSettings {
    /// Version of the file.
    pub version: u32,
    /// Size of texts and buttons in percent, one of [`UI_SCALES`].
    pub ui_scale: u16,
    /// Whether the panel is shown.
    pub panel_open: bool,
    /// Place and size of the window, unless it never had another than at first.
    pub window: Option<WindowPlace>,
    /// Whether the window covers the screen.
    pub full_screen: bool,
    /// Scenes and states that were opened or saved, the latest first.
    pub recent: Vec<String>,
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
    /// What videos and pictures of the app show, and their formats.
    pub film: FilmChoice,
    /// Whether attract mode starts when there is no input.
    pub attract: bool,
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
            window: None,
            full_screen: false,
            recent: Vec::new(),
            sections: BTreeMap::new(),
            vsync: true,
            style: DrawStyle::default(),
            theme: Theme::default(),
            solids: SolidStyle::default(),
            field: ColorField::default(),
            cell_edges: false,
            badge: None,
            film: FilmChoice::default(),
            attract: true,
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
        let show = controls.kept_by_attract();
        let (field, style) = show.map_or((field, style), |kept| (kept.field, kept.style));
        Self {
            version: VERSION,
            film: controls.film.choice,
            attract: controls.attract.enabled,
            ui_scale: controls.ui_scale,
            panel_open: show.map_or(controls.panel_open, |kept| kept.panel_open),
            window: controls.window_place,
            full_screen: controls.full_screen,
            recent: controls.recent.clone(),
            sections: controls.panel.sections.clone(),
            vsync: controls.vsync,
            style,
            theme: controls.theme,
            solids: show.map_or(lesson.map_or(controls.solids, |kept| kept.solids), |kept| kept.solids),
            field,
            cell_edges: show.map_or(lesson.map_or(controls.cell_edges, |kept| kept.cell_edges), |kept| kept.cell_edges),
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
        controls.window_place = self.window;
        controls.full_screen = self.full_screen;
        controls.recent = self.recent;
        controls.panel.sections = self.sections;
        controls.vsync = self.vsync;
        controls.style = self.style;
        controls.theme = self.theme;
        controls.solids = self.solids;
        controls.field = self.field;
        controls.cell_edges = self.cell_edges;
        controls.badge = self.badge;
        controls.film.choice = self.film;
        controls.attract.enabled = self.attract;
        controls.lab.view = view_named(&self.lab_view).unwrap_or_default();
        controls.state_file = self.state_file;
        controls.lessons.progress = self.lessons;
        controls.lessons.language = self.language;
    }

    /// Reads the settings; `None` if the file does not exist yet.
    ///
    /// # Errors
    /// When the file cannot be read, is not RON, has a newer version, or contains an invalid value.
    pub fn read(file: &Path) -> Result<Option<Self>, UnusableSettings> {
        if std::fs::metadata(file).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
            return Ok(None);
        }
        let bytes = read_bytes(file, LARGEST_FILE).map_err(|reason| UnusableSettings { reason, suffix: None })?;
        let broken = |reason: String| UnusableSettings { reason, suffix: Some("broken".to_owned()) };
        if bytes.is_empty() {
            return Err(broken("it is empty".to_owned()));
        }
        let text = String::from_utf8(bytes).map_err(|_| broken("it is not a text file".to_owned()))?;
        // The version is read first, because a newer file may have other types of values.
        if let Ok(Version { version }) = ron::from_str(&text)
            && version > VERSION
        {
            let reason = format!("it has version {version}, but this program reads versions up to {VERSION}");
            return Err(UnusableSettings { reason, suffix: Some(format!("version-{version}")) });
        }
        let kept: Self = ron::from_str(&text).map_err(|error| broken(error.to_string()))?;
        if !UI_SCALES.contains(&kept.ui_scale) {
            return Err(broken(format!("ui_scale is {}, but must be one of {UI_SCALES:?}", kept.ui_scale)));
        }
        if let Some(fault) = kept.window.and_then(WindowPlace::fault).or_else(|| kept.film.fault()) {
            return Err(broken(fault));
        }
        Ok(Some(kept))
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
        make_folder_of(file).map_err(|error| not_written(&error))?;
        write_whole(file, |writer| std::io::Write::write_all(writer, text.as_bytes()))
            .map_err(|error| not_written(&error))
    }
}

/// Only the version of a file.
#[derive(Deserialize)]
struct Version {
    version: u32,
}

/// Why a file of settings cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusableSettings {
    reason: String,
    /// What is appended to the name of the file when it is set aside; `None` if it must stay, because it may be intact.
    suffix: Option<String>,
}

impl UnusableSettings {
    /// Renames the file, so that it is not overwritten when settings are saved. Returns the sentence for the user, and
    /// whether settings may be saved.
    pub fn set_aside(&self, file: &Path) -> (String, bool) {
        let begin = format!("the settings in {} are not used: {}.", file.display(), self.reason.trim_end_matches('.'));
        let Some(suffix) = &self.suffix else {
            return (format!("{begin} Changes of settings are not saved, so that the file stays as it is"), false);
        };
        match free_name(file, suffix).and_then(|free| std::fs::rename(file, &free).map(|()| free)) {
            Ok(aside) => (format!("{begin} The file was renamed to {}", aside.display()), true),
            Err(error) => (
                format!(
                    "{begin} It could not be renamed ({error}), and changes of settings are not saved, so that it \
                         stays as it is"
                ),
                false,
            ),
        }
    }
}

/// A name beside `file` that no file has yet.
fn free_name(file: &Path, suffix: &str) -> std::io::Result<PathBuf> {
    let named = |number: u32| {
        let mut name = file.as_os_str().to_owned();
        name.push(if number == 1 { format!(".{suffix}") } else { format!(".{suffix}-{number}") });
        PathBuf::from(name)
    };
    for number in 1..1_000 {
        let free = named(number);
        if !std::fs::exists(&free)? {
            return Ok(free);
        }
    }
    Err(std::io::Error::other("there are too many broken files of settings"))
}

/// The file of the user's settings in the platform's configuration folder; `None` if the system has no such folder.
pub fn user_settings_file() -> Option<PathBuf> {
    let folders = directories::ProjectDirs::from("", "", "nearwater")?;
    Some(folders.config_dir().join("settings.ron"))
}

/// The settings of the last run, as they were found at the start.
#[derive(Clone, Debug, Default)]
pub(super) struct FoundSettings {
    /// The settings; `None` if there are none, or none that can be used.
    pub(super) settings: Option<UserSettings>,
    /// Why there are none that can be used.
    error: Option<String>,
    /// The file to which settings are saved; `None` if they are not.
    file: Option<PathBuf>,
}

impl FoundSettings {
    /// Reads a file, and sets it aside if it is broken.
    pub(super) fn read(file: Option<PathBuf>) -> Self {
        let Some(file) = file else { return Self::default() };
        match UserSettings::read(&file) {
            Ok(settings) => Self { settings, error: None, file: Some(file) },
            Err(unusable) => {
                let (sentence, may_save) = unusable.set_aside(&file);
                Self { settings: None, error: Some(sentence), file: may_save.then_some(file) }
            }
        }
    }
}

/// Applies the settings at the start, and writes them when they change.
pub(super) struct SettingsPlugin {
    pub(super) found: FoundSettings,
    /// What the command line chose, which takes precedence over the settings.
    pub(super) look: LookChoice,
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
        let FoundSettings { settings, error, file } = self.found.clone();
        let look = self.look;
        let apply = move |mut commands: Commands, mut controls: ResMut<Controls>| {
            // Without a file, the controls keep what suits the device.
            settings.iter().cloned().for_each(|settings| settings.apply(&mut controls));
            controls.settings_error.clone_from(&error);
            let written = UserSettings::of(&controls);
            look.apply(&mut controls);
            if let Some(file) = file.clone() {
                let seen = UserSettings::of(&controls);
                commands.insert_resource(Kept { file, written, seen, changed: Instant::now() });
            }
        };
        app.add_systems(PreStartup, apply).add_systems(Last, keep.run_if(resource_exists::<Kept>));
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
mod tests;
