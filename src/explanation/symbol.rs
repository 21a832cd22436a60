//! Symbols of formulas, their units, and their values.

use crate::format;

/// Unit of a symbol or of the result of a formula, which determines how its value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A whole number without a unit.
    Count,
    /// A number without a unit.
    Number,
    /// Meters.
    Meters,
    /// Bytes.
    Bytes,
    /// Milliseconds.
    Milliseconds,
    /// A fraction from 0 to 1, written in percent.
    Share,
    /// A number with the given unit.
    Other(&'static str),
}

impl Unit {
    /// A value with its unit: "4,096", "0.100 m", "65.5 kB", "12 %".
    pub fn written(self, value: f64) -> String {
        match self {
            Self::Count if value.fract() == 0.0 => Self::plain(value),
            Self::Count | Self::Number => format::number(value),
            Self::Meters => format::length(value),
            Self::Bytes => format::bytes(value.max(0.0) as u64),
            Self::Milliseconds => format!("{} ms", format::number(value)),
            Self::Share => format!("{} %", format::number(100.0 * value)),
            Self::Other(unit) => format!("{} {unit}", format::number(value)),
        }
    }

    /// A value as a factor in a formula, without a unit and without rounding whole numbers: "65,536", "0.100".
    pub fn plain(value: f64) -> String {
        let magnitude = value.abs();
        if magnitude.fract() == 0.0 && magnitude < 1e15 {
            let sign = if value < 0.0 { "-" } else { "" };
            format!("{sign}{}", format::count(magnitude as u64))
        } else {
            format::number(value)
        }
    }
}

/// A symbol of formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The letter, as the paper writes it: "n", "m³".
    pub name: &'static str,
    /// Its meaning: "particles", "cells of the grid".
    pub meaning: &'static str,
    /// Its unit.
    pub unit: Unit,
}

impl Symbol {
    /// A symbol with its meaning and unit.
    pub const fn new(name: &'static str, meaning: &'static str, unit: Unit) -> Self {
        Self { name, meaning, unit }
    }
}

/// Values of symbols by name. A symbol without a value has not been measured yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Values(Vec<(&'static str, f64)>);

impl Values {
    /// The value of a symbol; `None` if it is unknown.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    /// Sets the value of a symbol, in place of an earlier one.
    pub fn set(&mut self, name: &'static str, value: f64) {
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name, value)),
        }
    }

    /// The names of all symbols that have a value.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|(name, _)| *name)
    }
}

impl Extend<(&'static str, f64)> for Values {
    fn extend<T: IntoIterator<Item = (&'static str, f64)>>(&mut self, values: T) {
        values.into_iter().for_each(|(name, value)| self.set(name, value));
    }
}

impl FromIterator<(&'static str, f64)> for Values {
    fn from_iter<T: IntoIterator<Item = (&'static str, f64)>>(values: T) -> Self {
        let mut all = Self::default();
        all.extend(values);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::{Unit, Values};

    #[test]
    fn values_are_written_with_their_units() {
        assert_eq!(Unit::Count.written(65_536.0), "65,536");
        assert_eq!(Unit::Count.written(41.25), "41.2");
        assert_eq!(Unit::Meters.written(0.1), "0.100 m");
        assert_eq!(Unit::Bytes.written(65_536.0), "65.5 kB");
        assert_eq!(Unit::Share.written(0.125), "12.5 %");
        assert_eq!(Unit::Other("kg/m³").written(1000.0), "1000 kg/m³");
        assert_eq!(Unit::plain(-16.0), "-16");
        assert_eq!(Unit::plain(12_345_678.0), "12,345,678");
    }

    #[test]
    fn a_later_value_replaces_an_earlier_one() {
        let mut values: Values = [("n", 1.0), ("m³", 8.0), ("n", 2.0)].into_iter().collect();
        assert_eq!((values.get("n"), values.get("m³"), values.get("k")), (Some(2.0), Some(8.0), None));
        values.set("k", 30.0);
        assert_eq!(values.names().collect::<Vec<_>>(), ["n", "m³", "k"]);
    }
}
