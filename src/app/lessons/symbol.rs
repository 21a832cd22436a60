//! What a name in a condition of a lesson stands for: a quantity of the table, an option of a search, or a setting of a
//! solver.

use super::Quantity;
use super::quantities::{QuantityKind, Value, every_quantity};
use crate::app::{Controls, Report};
use crate::fluid::{SolverSetting, every_setting};
use crate::gpu::nearest_names;
use crate::search::{OptionKind, SEARCHES, SearchOption};

/// A quantity of the running program that a lesson can name.
#[derive(Clone, Copy)]
pub(super) enum Symbol {
    /// An entry of the table.
    Quantity(&'static Quantity),
    /// An option of a search.
    Option(&'static SearchOption),
    /// A setting of a solver.
    Setting(&'static SolverSetting),
}

/// The values that a symbol takes.
pub(super) enum Values {
    /// Numbers.
    Numbers,
    /// One of these words; any word if the list is empty.
    Words(Vec<String>),
}

impl Symbol {
    /// The symbol with that name.
    ///
    /// # Errors
    /// When there is none; the message suggests similar names.
    pub(super) fn named(name: &str) -> Result<Self, String> {
        let options = || SEARCHES.iter().flat_map(|search| search.all_options());
        let quantity = every_quantity().find(|quantity| quantity.name == name).map(Self::Quantity);
        let option = || options().find(|option| option.name == name).map(Self::Option);
        let setting = || every_setting().find(|setting| setting.path() == name).map(Self::Setting);
        quantity.or_else(option).or_else(setting).ok_or_else(|| {
            let settings: Vec<String> = every_setting().map(SolverSetting::path).collect();
            let names = every_quantity().map(|quantity| quantity.name).chain(options().map(|option| option.name));
            let nearest = nearest_names(name, names.chain(settings.iter().map(String::as_str))).join(", ");
            format!(
                "there is no quantity \"{name}\"; did you mean {nearest}? docs/ADDING_A_LESSON.md lists all of them"
            )
        })
    }

    /// Its name in conditions.
    pub(super) fn name(self) -> String {
        match self {
            Self::Quantity(quantity) => quantity.name.to_owned(),
            Self::Option(option) => option.name.to_owned(),
            Self::Setting(setting) => setting.path(),
        }
    }

    /// What it is, for messages that say that it has no value.
    pub(super) fn describes(self) -> &'static str {
        match self {
            Self::Quantity(quantity) => quantity.describes,
            Self::Option(option) => option.hover,
            Self::Setting(setting) => setting.hover,
        }
    }

    /// The unit of its numbers; empty if they have none.
    pub(super) fn unit(self) -> &'static str {
        match self {
            Self::Quantity(quantity) => quantity.unit,
            Self::Option(option) => match option.kind {
                OptionKind::Number { suffix, .. } => suffix,
                OptionKind::Choice(_) => "",
            },
            Self::Setting(setting) if setting.unit == SolverSetting::NO_UNIT => "",
            Self::Setting(setting) => setting.unit,
        }
    }

    /// The values that it takes.
    pub(super) fn values(self) -> Values {
        match self {
            Self::Quantity(Quantity { kind: QuantityKind::Number, .. }) | Self::Setting(_) => Values::Numbers,
            Self::Quantity(Quantity { kind: QuantityKind::Switch, .. }) => {
                Values::Words(vec!["yes".to_owned(), "no".to_owned()])
            }
            Self::Quantity(Quantity { kind: QuantityKind::Word(words), .. }) => Values::Words(words()),
            Self::Option(option) => match option.kind {
                OptionKind::Choice(choices) => {
                    Values::Words(choices.iter().map(|choice| choice.label.to_owned()).collect())
                }
                OptionKind::Number { .. } => Values::Numbers,
            },
        }
    }

    /// Its present value; `None` if the program has not measured it, or it does not apply now.
    pub(super) fn read(self, controls: &Controls, report: &Report) -> Option<Value> {
        match self {
            Self::Quantity(quantity) => (quantity.read)(controls, report),
            Self::Option(option) => {
                let value = report.running.as_ref()?.settings.options.value(option);
                Some(match option.kind {
                    OptionKind::Choice(_) => Value::Word(option.label(value)),
                    OptionKind::Number { .. } => Value::Number(value.into()),
                })
            }
            Self::Setting(setting) => {
                let running = report.running.as_ref()?;
                let edited = running.settings.edits.applied_to(&running.scene);
                Some(Value::Number(edited.solver_settings.value(setting).into()))
            }
        }
    }
}
