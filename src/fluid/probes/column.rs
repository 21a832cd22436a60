//! Names and units of what probes read.

use crate::fluid::Dimensions;

/// The unit of a probe. In two dimensions there is a layer one meter thick, and extensive quantities are given per
/// meter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProbeUnit {
    /// In scenes of three dimensions.
    pub in_space: &'static str,
    /// In scenes of two dimensions.
    pub in_plane: &'static str,
}

impl ProbeUnit {
    /// A unit that is the same in two and in three dimensions.
    pub const fn same(unit: &'static str) -> Self {
        Self { in_space: unit, in_plane: unit }
    }

    /// The unit in scenes with these dimensions.
    pub fn of(self, dimensions: Dimensions) -> &'static str {
        match dimensions {
            Dimensions::Three => self.in_space,
            Dimensions::Two => self.in_plane,
        }
    }
}

/// One number that a probe reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeColumn {
    /// The name that the scene or the kind of probe gives it.
    pub name: String,
    /// Its unit.
    pub unit: &'static str,
}

impl ProbeColumn {
    /// Name and unit as one word: the head of the column in a CSV file.
    pub fn head(&self) -> String {
        let unit = self.unit.replace('%', "percent").replace('/', "_per_").replace(' ', "_");
        format!("{}_{unit}", self.name)
    }
}
