//! What a probe is on: a side of the box, or a solid of the scene.

use std::fmt::{Display, Formatter, Result as FormatResult};

use super::ProbeScene;
use crate::fluid::{Dimensions, Face};

/// A side of the box, or a solid by its place in the scene file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProbeSurface {
    /// A side of the box.
    Side(Face),
    /// A solid.
    Solid {
        /// The field of scene files that lists it.
        list: String,
        /// Its place in that list, counted from 0.
        number: usize,
    },
}

impl ProbeSurface {
    /// Reads it as scene files write it: the name of a side, or a solid such as `boundaries[0]`.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if let Some(face) = Face::named(text) {
            return Ok(Self::Side(face));
        }
        let solid = || {
            let (list, rest) = text.split_once('[')?;
            Some(Self::Solid { list: list.to_owned(), number: rest.strip_suffix(']')?.parse().ok()? })
        };
        solid().ok_or_else(|| {
            let sides = Face::ALL.map(Face::name).join(", ");
            format!("\"{text}\" must be a side of the box ({sides}) or a solid such as \"boundaries[0]\"")
        })
    }

    /// Whether the scene has it.
    pub(super) fn is_in(&self, scene: &ProbeScene) -> bool {
        match self {
            Self::Side(face) => face.axis < 2 || scene.dimensions == Dimensions::Three,
            Self::Solid { list, number } => {
                scene.solid_counts.iter().any(|(name, count)| name == list && number < count)
            }
        }
    }
}

impl Display for ProbeSurface {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> FormatResult {
        match self {
            Self::Side(face) => face.fmt(formatter),
            Self::Solid { list, number } => write!(formatter, "{list}[{number}]"),
        }
    }
}
