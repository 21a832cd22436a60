//! Arguments that a scene file gives a probe besides its name: positions, directions, limits.

use glam::Vec3;

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
}

impl ArgumentKind {
    /// The value where the scene gives none; `None` where it must give one.
    pub(super) fn default_value(self) -> Option<ArgumentValue> {
        match self {
            Self::Number(default) => default.map(ArgumentValue::Number),
            Self::Vector | Self::Body => None,
        }
    }
}

/// The value of an argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ArgumentValue {
    Number(f32),
    Vector(Vec3),
    Body(usize),
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
