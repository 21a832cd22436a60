//! The registry of solvers, which move the particles, and the selection of solvers and their settings by name.
//!
//! A solver is a folder here and one below `shaders/fluid`, a [`SolverInfo`], and one line in [`SOLVERS`];
//! `docs/ADDING_A_SOLVER.md` shows an example.

mod contract;
mod dfsph;
mod explained;
mod figure;
mod jacobi;
mod pbf;
mod problem;
mod repulsion;
mod setting;
mod viscous_share;
mod wcsph;

pub use contract::{
    Accuracy, CreateSolver, FluidSolver, Limits, PressureSource, Shape, Solver, SolverInfo, SolverInput,
};
pub use explained::{SOLVER_SYMBOLS, SolverExplanation};
pub use figure::{FigureValues, MOST_FIGURES, SolverFigure};
pub use problem::{Medium, Problem};
pub use setting::{SolverSetting, SolverSettings};

use super::FluidError;
use crate::gpu::nearest_names;

/// Every solver, in the order of the selector. A new one must be added at the end, because saved states depend on the
/// order.
pub static SOLVERS: &[&SolverInfo] = &[&wcsph::INFO, &pbf::INFO, &repulsion::INFO, &dfsph::INFO];

impl Default for Solver {
    /// The solver of a scene that names none.
    fn default() -> Self {
        Self(SOLVERS[0])
    }
}

impl Solver {
    /// All solvers, in the order of the selector.
    pub fn all() -> impl Iterator<Item = Self> {
        SOLVERS.iter().map(|info| Self(info))
    }

    /// All fluid solvers.
    pub fn fluids() -> impl Iterator<Item = Self> {
        Self::all().filter(|solver| solver.is_fluid())
    }

    /// The solver with this name on the command line.
    ///
    /// # Errors
    /// When there is none; the message names them all.
    pub fn named(name: &str) -> Result<Self, FluidError> {
        let names = || SOLVERS.iter().map(|info| info.name).collect::<Vec<_>>().join(", ");
        Self::all().find(|solver| solver.name() == name).ok_or_else(|| FluidError::UnknownSolver { names: names() })
    }
}

/// The settings of all solvers.
pub fn every_setting() -> impl Iterator<Item = &'static SolverSetting> {
    SOLVERS.iter().flat_map(|info| info.settings).copied()
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
    let paths: Vec<_> = every_setting().map(SolverSetting::path).collect();
    nearest_names(path, paths.iter().map(String::as_str)).join(", ")
}

#[cfg(test)]
mod tests {
    use super::{SOLVERS, SolverSettings, every_setting};

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
    fn settings_name_the_solver_that_declares_them() {
        for info in SOLVERS {
            assert!(info.settings.iter().all(|setting| setting.solver == info.name), "{}", info.name);
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
}
