//! A body with its state at one time.

use std::sync::Arc;

use super::body::Body;
use crate::fluid::Mesh;
use crate::fluid::solids::BodyState;

/// A body of a simulation.
#[derive(Clone, Copy, Debug)]
pub struct BodyView<'a> {
    /// The body in the scene.
    pub body: &'a Body,
    /// Its surface in its own frame, around its center of mass, m.
    pub surface: &'a Arc<Mesh>,
    /// Its current state.
    pub state: BodyState,
}
