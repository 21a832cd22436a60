//! The running scene and every setting as a command line that opens or simulates the same.

use std::path::Path;

use super::Controls;
use crate::fluid::{MaterialEdits, Scene, Settings, Size, every_setting};

/// What the command does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CommandKind {
    /// Opens the window.
    Window,
    /// Simulates a time without a window, s.
    Simulate(f64),
}

impl Controls {
    /// The command line that starts the program with this scene and these settings. Texts with characters that a shell
    /// interprets are quoted for POSIX shells.
    ///
    /// # Errors
    /// When the scene is in no file and not built in, so that no command line can name it.
    pub fn command_line(&self, kind: CommandKind) -> Result<String, String> {
        let mut words = vec!["nearwater".to_owned()];
        if let CommandKind::Simulate(_) = kind {
            words.push("simulate".to_owned());
        }
        words.push(self.scene_argument()?);
        if let CommandKind::Simulate(seconds) = kind {
            words.extend(["--seconds".to_owned(), format!("{seconds}")]);
        }
        words.extend(self.setting_arguments());
        words.extend(self.look_arguments());
        Ok(words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "))
    }

    /// How the command line names the scene.
    fn scene_argument(&self) -> Result<String, String> {
        let name = &self.scene.name;
        let is_of_scene = |file: &&String| Path::new(file).file_stem().is_some_and(|stem| *stem == **name);
        match self.scene_file.as_ref().filter(is_of_scene) {
            Some(file) => Ok(file.clone()),
            None if Scene::names().contains(&name.as_str()) => Ok(name.clone()),
            None => {
                Err(format!("the scene \"{name}\" is in no file that a command could name; save it as a scene first"))
            }
        }
    }

    fn setting_arguments(&self) -> Vec<String> {
        let Settings { search, options, kernel, size, seed, edits } = &self.settings;
        let mut words = vec!["--search".to_owned(), search.name.to_owned()];
        // Those of other searches have no effect, and the command line refuses them.
        for option in search.all_options() {
            if !option.is_default(options.value(option)) {
                words.extend(["--option".to_owned(), options.written(option)]);
            }
        }
        words.extend(["--kernel".to_owned(), kernel.name().to_owned()]);
        if self.scene.points_spacing().is_none() {
            words.extend(match size {
                Size::Count(count) => ["--particles".to_owned(), count.to_string()],
                Size::Radius(radius) => ["--radius".to_owned(), format!("{radius:?}")],
            });
        }
        if *seed != Settings::DEFAULT_SEED {
            words.extend(["--seed".to_owned(), seed.to_string()]);
        }
        if let Some(solver) = edits.solver {
            words.extend(["--solver".to_owned(), solver.name().to_owned()]);
        }
        let mut set = |text: String| words.extend(["--set".to_owned(), text]);
        if let Some(material) = &edits.material {
            MaterialEdits::between(&self.scene.material, material).into_iter().for_each(&mut set);
        }
        for setting in every_setting() {
            if let Some(value) = edits.solver_settings.chosen(setting) {
                set(format!("{}={}", setting.path(), setting.written(value)));
            }
        }
        words
    }

    fn look_arguments(&self) -> Vec<String> {
        let mut words = vec![
            "--style".to_owned(),
            self.style.name().to_owned(),
            "--theme".to_owned(),
            self.theme.name().to_owned(),
            "--solids".to_owned(),
            self.solids.label().to_owned(),
            "--field".to_owned(),
            self.field.info().argument(),
        ];
        words.push(format!("--cell-edges={}", self.cell_edges));
        words
    }
}

/// A word as a POSIX shell reads it back.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:,+%@".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
