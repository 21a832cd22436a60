//! The ways in which searches visit pairs, each with a search that visits them so: the results of pair kernels must not
//! depend on it.

use crate::fluid::{Scene, SceneEdits, Settings, Size, SmoothingKernel};
use crate::search::{SearchOptions, UseOfList, search_named};
use crate::verification::VerificationError;

use super::run::SEED;
use super::water::SPACING;

/// A way of visiting pairs.
pub(super) struct Visiting {
    pub words: &'static str,
    search: &'static str,
    options: &'static [&'static str],
}

/// What properties run with that do not compare ways.
pub(super) const TWICE: Visiting = Visiting { words: "twice", search: "hoetzlein", options: &[] };
pub(super) const ONCE: Visiting = Visiting { words: "once", search: "brute_force", options: &["pairs=once"] };
pub(super) const ONCE_IN_WORKGROUPS: Visiting =
    Visiting { words: "once in several workgroups", search: "claws", options: &[] };

pub(super) const FROM_A_LIST: Visiting =
    Visiting { words: "from a list", search: "hoetzlein", options: &["neighbor-list=on"] };

impl Visiting {
    /// The settings that a scene of a property runs with.
    pub fn settings(&self, scene: &Scene) -> Result<Settings, VerificationError> {
        // From a list, every pair is visited twice.
        let mut options = UseOfList::Off.among(&SearchOptions::default());
        for option in self.options {
            options.parse(option)?;
        }
        Ok(Settings {
            search: search_named(self.search)?,
            options,
            kernel: SmoothingKernel::WendlandC2,
            size: Size::Radius(scene.radius_ratio() * SPACING),
            seed: SEED,
            edits: SceneEdits::default(),
        })
    }
}
