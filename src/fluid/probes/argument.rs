//! Arguments that a scene file gives a probe besides its name: positions, directions, limits.

use glam::Vec3;

use super::ProbeSurface;

/// One argument of a kind of probe.
#[derive(Debug)]
pub struct ProbeArgument {
    /// Name in scene files.
    pub name: &'static str,
    /// Unit, empty for plain numbers.
    pub unit: &'static str,
    /// Meaning, in a sentence without its full stop.
    pub meaning: &'static str,
    /// Type, and the value that it has where the scene leaves it out.
    pub kind: ArgumentKind,
}

/// The type of an argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ArgumentKind {
    /// A number, with a default where the scene may leave it out.
    Number(Option<f32>),
    /// Three numbers.
    Vector,
    /// The number of one of the scene's bodies, counted from 0.
    Body,
    /// A side of the box or one of the scene's solids.
    Surface,
    /// The same, or nothing where the scene leaves it out.
    OptionalSurface,
}

impl ArgumentKind {
    /// The value where the scene gives none; `None` where it must give one.
    pub(super) fn default_value(self) -> Option<ArgumentValue> {
        match self {
            Self::Number(default) => default.map(ArgumentValue::Number),
            Self::OptionalSurface => Some(ArgumentValue::Surface(None)),
            Self::Vector | Self::Body | Self::Surface => None,
        }
    }
}

/// The value of an argument.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ArgumentValue {
    Number(f32),
    Vector(Vec3),
    Body(usize),
    Surface(Option<ProbeSurface>),
}

/// Position of a vertical line along x.
pub static X: ProbeArgument =
    ProbeArgument { name: "x", unit: "m", meaning: "position of the line", kind: ArgumentKind::Number(None) };

/// Position of a vertical line along z.
pub static Z: ProbeArgument = ProbeArgument {
    name: "z",
    unit: "m",
    meaning: "position of the line; ignored in two dimensions",
    kind: ArgumentKind::Number(Some(0.0)),
};

/// Which body a probe reads.
pub static BODY: ProbeArgument = ProbeArgument {
    name: "body",
    unit: "",
    meaning: "the number of one of the scene's bodies, counted from 0",
    kind: ArgumentKind::Body,
};

/// The side of the box or the solid that a probe measures.
pub static ON: ProbeArgument = ProbeArgument {
    name: "on",
    unit: "",
    meaning: "a side of the box (left, right, bottom, top, back, front), or a solid by the scene's list and its number, \
              counted from 0",
    kind: ArgumentKind::Surface,
};

/// The time over which [`super::ProbeMeans`] takes the mean of a probe's readings.
pub static MEAN_OVER: ProbeArgument = ProbeArgument {
    name: "mean_over",
    unit: "s",
    meaning: "the reading is the mean over the last seconds of this number; 0 for that of the moment",
    kind: ArgumentKind::Number(Some(0.0)),
};
