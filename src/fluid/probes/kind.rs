//! The contract of a kind of probe.

use glam::DVec3;

use super::{Probe, ProbeArgument, ProbeInput, ProbeScene, ProbeUnit};

/// A kind of probe: an entry of the registry with everything that the program needs of it.
#[derive(Debug)]
pub struct ProbeKind {
    /// Name in scene files, such as `WaterHeight`. Its file is this name in snake case.
    pub name: &'static str,
    /// The measured quantity in a few words, for lists and hover texts.
    pub measures: &'static str,
    /// Definition of the quantity and its limitations, in whole sentences, for `docs/PROBES.md`.
    pub definition: &'static str,
    /// The names of its columns.
    pub column: ProbeName,
    /// The unit of its columns.
    pub unit: ProbeUnit,
    /// Whether it reads solids ([`super::MeasuredSolid`]), whose particles are read back from the device only for such
    /// probes.
    pub reads_solids: bool,
    /// Whether it reads forces on sides of the box where it is not on a solid. They are stored in each step only for such
    /// probes.
    pub reads_walls: bool,
    /// The arguments that a scene gives it besides a name, in the order of the documentation.
    pub arguments: &'static [&'static ProbeArgument],
    /// Returns what is wrong with a probe of this kind in a scene and what is allowed; `None` where it is valid. The
    /// name and the numbers of bodies were checked before.
    pub check: fn(&Probe, &ProbeScene) -> Option<&'static str>,
    /// Evaluates it.
    pub reading: ProbeReading,
}

/// The names of a probe's columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbeName {
    /// A fixed name: the scene gives no name, and contains at most one such probe.
    Fixed(&'static str),
    /// The name that the scene gives as `name`.
    Given,
}

/// The function that evaluates a probe; it returns `None` where there is nothing to read.
#[derive(Clone, Copy, Debug)]
pub enum ProbeReading {
    /// One number.
    Scalar(fn(&Probe, &ProbeInput<'_>) -> Option<f64>),
    /// Three numbers, along x, y and z.
    Vector(fn(&Probe, &ProbeInput<'_>) -> Option<DVec3>),
}

impl PartialEq for ProbeKind {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}
