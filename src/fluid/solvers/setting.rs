//! Settings of solvers: numbers that are declared once, from which scene files, the panel, the command line, the help
//! and the checks of ranges are derived.

use std::collections::BTreeMap;

/// A numeric setting of one solver.
#[derive(Debug)]
pub struct SolverSetting {
    /// The solver's name, which is also the name of the group of its settings in scene files.
    pub solver: &'static str,
    /// Name in scene files and, after the solver's name, on the command line.
    pub name: &'static str,
    /// Name on screen.
    pub title: &'static str,
    /// Its effect, for hover texts and the help.
    pub hover: &'static str,
    /// The unit, or what the number counts; "without unit" where it has none.
    pub unit: &'static str,
    /// The smallest allowed value.
    pub least: f32,
    /// The largest allowed value.
    pub most: f32,
    /// The value unless a scene or a user chooses another.
    pub default: f32,
    /// Whether it is a whole number.
    pub whole: bool,
    /// Change of the value per pixel of dragging in the panel; `None` if the panel does not show it.
    pub dial: Option<f64>,
}

impl SolverSetting {
    /// The unit of a number that has none.
    pub const NO_UNIT: &str = "without unit";

    /// Its full name, as in `pbf.substeps`.
    pub fn path(&self) -> String {
        format!("{}.{}", self.solver, self.name)
    }

    /// What is wrong with a value; `None` if it is allowed.
    pub fn fault(&self, value: f32) -> Option<String> {
        let Self { least, most, unit, .. } = self;
        let wrong = || format!("is {value}, and must be from {least} to {most} {unit}");
        (!(*least..=*most).contains(&value)).then(wrong)
    }

    /// A value as text in scene files.
    pub fn written(&self, value: f32) -> String {
        if self.whole { format!("{}", value as u32) } else { format!("{value:?}") }
    }
}

/// The settings of solvers that a scene or a user chose; every other has its default.
///
/// ```
/// use nearwater::fluid::{Solver, SolverSettings};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let setting = Solver::named("pbf")?.settings.iter().find(|setting| setting.name == "iterations");
/// let setting = setting.expect("PBF has a number of iterations");
/// let settings = SolverSettings::default().with(setting, 8.0);
/// assert_eq!((settings.count(setting), SolverSettings::default().value(setting)), (8, setting.default));
/// assert!(setting.fault(-1.0).is_some(), "a sentence that states the limits");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SolverSettings(BTreeMap<(&'static str, &'static str), f32>);

impl SolverSettings {
    /// The setting's value.
    pub fn value(&self, setting: &SolverSetting) -> f32 {
        self.chosen(setting).unwrap_or(setting.default)
    }

    /// The value of a setting that is a whole number.
    pub fn count(&self, setting: &SolverSetting) -> u32 {
        self.value(setting) as u32
    }

    /// The value that was chosen, if any.
    pub fn chosen(&self, setting: &SolverSetting) -> Option<f32> {
        self.0.get(&(setting.solver, setting.name)).copied()
    }

    /// Chooses a value.
    pub fn set(&mut self, setting: &SolverSetting, value: f32) {
        self.0.insert((setting.solver, setting.name), value);
    }

    /// Returns a setting to its default, or to the scene's value if these are edits of a scene.
    pub fn forget(&mut self, setting: &SolverSetting) {
        self.0.remove(&(setting.solver, setting.name));
    }

    /// The same settings with one chosen.
    #[must_use]
    pub fn with(mut self, setting: &SolverSetting, value: f32) -> Self {
        self.set(setting, value);
        self
    }

    /// These settings where `edits` chose nothing, and `edits` where it did.
    #[must_use]
    pub fn edited_by(&self, edits: &Self) -> Self {
        let mut edited = self.clone();
        edited.0.extend(&edits.0);
        edited
    }
}

#[cfg(test)]
mod tests {
    use super::{SolverSetting, SolverSettings};

    static COUNT: SolverSetting = SolverSetting {
        solver: "toy",
        name: "count",
        title: "Count",
        hover: "",
        unit: "steps",
        least: 1.0,
        most: 8.0,
        default: 2.0,
        whole: true,
        dial: None,
    };

    #[test]
    fn edits_override_the_scene_even_where_they_choose_the_default() {
        let scene = SolverSettings::default().with(&COUNT, 4.0);
        assert_eq!(SolverSettings::default().count(&COUNT), 2);
        assert_eq!(scene.edited_by(&SolverSettings::default()).count(&COUNT), 4);
        assert_eq!(scene.edited_by(&SolverSettings::default().with(&COUNT, 2.0)).count(&COUNT), 2);
    }

    #[test]
    fn values_out_of_range_are_named_with_the_range() {
        assert_eq!(COUNT.fault(8.0), None);
        for wrong in [0.0, 9.0, f32::NAN] {
            let reason = COUNT.fault(wrong).expect("a fault");
            assert!(reason.contains("from 1 to 8 steps"), "{reason}");
        }
    }
}
