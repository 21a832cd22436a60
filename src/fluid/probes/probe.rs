//! A probe of a scene: a kind with its name and arguments.

use std::collections::BTreeMap;

use glam::Vec3;

use super::argument::ArgumentValue;
use super::syntax::ProbeSyntax;
use super::{PROBES, ProbeArgument, ProbeColumn, ProbeInput, ProbeKind, ProbeName, ProbeReading, ProbeSurface};
use crate::fluid::{Dimensions, SceneError};

/// A probe of a scene.
///
/// ```
/// use nearwater::fluid::{Scene, Settings, Simulation};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let gpu = nearwater::gpu::Gpu::open(None, nearwater::gpu::ShaderLibrary::embedded())?;
/// let scene = Scene::load("martin_moyce")?;
/// let simulation = Simulation::new(&gpu, &scene, &Settings::with_particles(500))?;
/// let readings = simulation.readings(&simulation.observe()?)?;
/// for (column, value) in scene.probe_columns().iter().zip(&readings) {
///     println!("{column:?}: {value:?}");
/// }
/// assert_eq!(readings.len(), scene.probe_columns().len());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    pub(super) kind: &'static ProbeKind,
    /// The name that the scene gives; empty where the kind has a fixed one.
    pub(super) name: String,
    /// The values of the kind's arguments, by the arguments' names.
    pub(super) values: BTreeMap<&'static str, ArgumentValue>,
}

impl Probe {
    /// Reads a probe as scene files write it, such as `WaterHeight(name: "H1", x: 0.2)`.
    ///
    /// # Errors
    /// When the text is not a valid probe; the message names the position and how to fix it.
    pub fn parse(text: &str) -> Result<Self, SceneError> {
        Self::parse_of(text, PROBES)
    }

    /// As [`Probe::parse`], with these kinds instead of the registered ones.
    ///
    /// # Errors
    /// When the text is not a valid probe of one of these kinds; the message names the position and how to fix it.
    pub fn parse_of(text: &str, kinds: &[&'static ProbeKind]) -> Result<Self, SceneError> {
        ron::Options::default()
            .from_str_seed(text, ProbeSyntax { kinds })
            .map_err(|error| SceneError::Probe { text: text.to_owned(), reason: error.to_string() })
    }

    /// Its kind.
    pub fn kind(&self) -> &'static ProbeKind {
        self.kind
    }

    /// The number given for an argument; NaN where the kind declares no such number.
    pub fn number(&self, argument: &ProbeArgument) -> f32 {
        match self.values.get(argument.name) {
            Some(ArgumentValue::Number(number)) => *number,
            _ => f32::NAN,
        }
    }

    /// The vector given for an argument; NaN where the kind declares no such vector.
    pub fn vector(&self, argument: &ProbeArgument) -> Vec3 {
        match self.values.get(argument.name) {
            Some(ArgumentValue::Vector(vector)) => *vector,
            _ => Vec3::NAN,
        }
    }

    /// The number of the body given for an argument; `None` where the kind declares no such body.
    pub fn body(&self, argument: &ProbeArgument) -> Option<usize> {
        match self.values.get(argument.name) {
            Some(ArgumentValue::Body(body)) => Some(*body),
            _ => None,
        }
    }

    /// The side of the box or the solid given for an argument; `None` where the scene gives none.
    pub fn surface(&self, argument: &ProbeArgument) -> Option<&ProbeSurface> {
        match self.values.get(argument.name) {
            Some(ArgumentValue::Surface(surface)) => surface.as_ref(),
            _ => None,
        }
    }

    /// The sides and solids that its arguments name.
    pub fn surfaces(&self) -> impl Iterator<Item = &ProbeSurface> {
        self.values.values().filter_map(|value| match value {
            ArgumentValue::Surface(surface) => surface.as_ref(),
            _ => None,
        })
    }

    /// Whether it reads the particles of solids.
    pub fn reads_solids(&self) -> bool {
        self.kind.reads_solids
    }

    /// Whether it reads forces on sides of the box.
    pub fn reads_walls(&self) -> bool {
        self.kind.reads_walls && !self.surfaces().any(|surface| matches!(surface, ProbeSurface::Solid { .. }))
    }

    /// The columns of its readings.
    pub fn columns(&self, dimensions: Dimensions) -> Vec<ProbeColumn> {
        let name = match self.kind.column {
            ProbeName::Fixed(name) => name,
            ProbeName::Given => &self.name,
        };
        let unit = self.kind.unit.of(dimensions);
        match self.kind.reading {
            ProbeReading::Scalar(_) => vec![ProbeColumn { name: name.to_owned(), unit }],
            ProbeReading::Vector(_) => {
                ["x", "y", "z"].map(|axis| ProbeColumn { name: format!("{name}_{axis}"), unit }).to_vec()
            }
        }
    }

    /// Its readings, one number for each of its columns; `None` where there is nothing to read.
    pub fn read(&self, input: &ProbeInput<'_>) -> Vec<Option<f64>> {
        match self.kind.reading {
            ProbeReading::Scalar(read) => vec![read(self, input)],
            ProbeReading::Vector(read) => {
                let vector = read(self, input);
                (0..3).map(|axis| vector.map(|vector| vector[axis])).collect()
            }
        }
    }
}
