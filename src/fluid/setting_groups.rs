//! The groups of settings in scene files, saved states and on the command line: one for each solver, and that of foam.

use super::FluidError;
use super::foam::FOAM_SETTINGS;
use super::material_settings::{MATERIAL_SETTINGS, MaterialSetting};
use super::solvers::{SOLVERS, SolverSetting, SolverSettings};
use crate::gpu::nearest_names;

/// The settings of a solver, or those of foam.
#[derive(Clone, Copy, Debug)]
pub(super) struct SettingGroup {
    /// Name of the group in scene files, and before the name of each setting on the command line.
    pub name: &'static str,
    /// Name of the struct that scene files may write before the group.
    pub scene_name: &'static str,
    /// Whose settings they are, for messages.
    pub title: &'static str,
    /// The settings.
    pub settings: &'static [&'static SolverSetting],
}

/// All groups that have settings.
pub(super) fn groups() -> impl Iterator<Item = SettingGroup> {
    let of_solvers = SOLVERS.iter().map(|info| SettingGroup {
        name: info.name,
        scene_name: info.scene_name,
        title: info.title,
        settings: info.settings,
    });
    let of_foam = SettingGroup { name: "foam", scene_name: "Foam", title: "foam", settings: FOAM_SETTINGS };
    of_solvers.chain([of_foam]).filter(|group| !group.settings.is_empty())
}

/// The settings of all groups.
pub fn every_setting() -> impl Iterator<Item = &'static SolverSetting> {
    groups().flat_map(|group| group.settings).copied()
}

impl SolverSettings {
    /// Settings from texts as on the command line, each of the form `SOLVER.SETTING=4`.
    ///
    /// # Errors
    /// As [`SolverSettings::parse`].
    pub fn parsed<T: AsRef<str>>(texts: &[T]) -> Result<Self, FluidError> {
        let mut settings = Self::default();
        texts.iter().try_for_each(|text| settings.parse(text.as_ref()))?;
        Ok(settings)
    }

    /// Sets the value of a setting from text as on the command line.
    ///
    /// # Errors
    /// When there is no such setting, or the value is invalid.
    pub fn parse(&mut self, text: &str) -> Result<(), FluidError> {
        let (path, value) = text.split_once('=').ok_or_else(|| FluidError::SettingForm(text.to_owned()))?;
        let setting = every_setting()
            .find(|setting| setting.path() == path)
            .ok_or_else(|| FluidError::UnknownSetting { name: path.to_owned(), nearest: nearest(path) })?;
        let refuse =
            |expected| FluidError::SettingValue { setting: path.to_owned(), value: value.to_owned(), expected };
        let number: f32 = value.parse().map_err(|_| refuse("a number".to_owned()))?;
        if setting.whole && number.fract() != 0.0 {
            return Err(refuse("a whole number".to_owned()));
        }
        if let Some(reason) = setting.fault(number) {
            return Err(refuse(reason.rsplit("must be ").next().unwrap_or_default().to_owned()));
        }
        self.set(setting, number);
        Ok(())
    }
}

fn nearest(path: &str) -> String {
    let of_material = MATERIAL_SETTINGS.iter().map(MaterialSetting::path);
    let paths: Vec<_> = every_setting().map(SolverSetting::path).chain(of_material).collect();
    if path.contains('.') {
        return nearest_names(path, paths.iter().map(String::as_str)).join(", ");
    }
    // Without its group, a name is compared with the names in all groups.
    let name = |path: &str| path.split_once('.').map_or_else(String::new, |(_, name)| name.to_owned());
    let names: Vec<_> = paths.iter().map(|path| name(path)).collect();
    let nearest = nearest_names(path, names.iter().map(String::as_str));
    let of_name = |wanted: &str| paths.iter().filter(|path| name(path) == wanted).cloned().collect::<Vec<_>>();
    nearest.into_iter().flat_map(of_name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::{SolverSettings, every_setting, groups};

    #[test]
    fn every_default_is_in_its_range_and_read_as_it_is_written() {
        for setting in every_setting() {
            assert_eq!(setting.fault(setting.default), None, "{}", setting.path());
            let mut settings = SolverSettings::default();
            settings.parse(&format!("{}={}", setting.path(), setting.written(setting.default))).expect("a setting");
            assert_eq!(settings.chosen(setting), Some(setting.default), "{}", setting.path());
        }
    }

    #[test]
    fn messages_of_invalid_settings_and_values_name_them() {
        let setting = every_setting().find(|setting| setting.whole).expect("a whole number");
        let path = setting.path();
        let message = |text: &str| SolverSettings::default().parse(text).expect_err("a refusal").to_string();
        assert!(message(&format!("{path}s=1")).contains(&path), "{}", message(&format!("{path}s=1")));
        assert!(message(&path).contains("NAME=VALUE"), "{}", message(&path));
        for wrong in ["much", "0.5", "1e9", "NaN"] {
            let text = message(&format!("{path}={wrong}"));
            assert!(text.contains(&path) && text.contains(wrong), "{text}");
        }
    }

    #[test]
    fn settings_name_the_group_that_lists_them() {
        for group in groups() {
            assert!(group.settings.iter().all(|setting| setting.solver == group.name), "{}", group.name);
        }
    }
}
