//! A fixture with everything about it that does not depend on the search, computed once for all searches.

use std::sync::{Mutex, OnceLock, PoisonError};

use glam::Vec3;

use crate::gpu::Gpu;
use crate::search::fixtures::Fixture;
use crate::search::guards::{Crowd, refuse_counted_crowds};
use crate::search::{NeighborSearch, ReferenceNeighbors, SearchError};

/// A fixture, its true neighbors, and how its particles crowd in cells of each size that a search has asked for. All of
/// this is computed on first use and kept.
pub struct Case {
    fixture: Fixture,
    reference: OnceLock<ReferenceNeighbors>,
    crowds: Mutex<Vec<(Vec3, Crowd)>>,
}

impl Case {
    /// Takes a fixture; nothing is computed yet.
    pub fn new(fixture: Fixture) -> Self {
        Self { fixture, reference: OnceLock::new(), crowds: Mutex::default() }
    }

    /// The fixture.
    pub fn fixture(&self) -> &Fixture {
        &self.fixture
    }

    /// The fixture alone, without what was computed for it.
    pub fn into_fixture(self) -> Fixture {
        self.fixture
    }

    /// Number of pairs of particles in the same or in adjacent cells as wide as the radius, each direction counted.
    pub fn candidate_pairs(&self) -> f64 {
        self.crowd(Vec3::splat(self.fixture.domain.support_radius)).pairs
    }

    /// The neighbors according to the oracle.
    pub fn reference(&self) -> &ReferenceNeighbors {
        let Fixture { positions, domain, exact_ties, .. } = &self.fixture;
        self.reference.get_or_init(|| ReferenceNeighbors::find(positions, *domain, *exact_ties))
    }

    /// As [`refuse_crowds`](crate::search::refuse_crowds), for a search over this fixture whose build passes have run.
    ///
    /// # Errors
    /// When a traversal would take too long.
    pub(super) fn refuse_crowds(&self, gpu: &Gpu, search: &dyn NeighborSearch) -> Result<(), SearchError> {
        refuse_counted_crowds(gpu, search, |edge| Ok(self.crowd(edge)))
    }

    /// How the particles crowd in cells of a size, m.
    fn crowd(&self, edge: Vec3) -> Crowd {
        let mut crowds = self.crowds.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, crowd)) = crowds.iter().find(|(counted, _)| *counted == edge) {
            return *crowd;
        }
        let positions = &self.fixture.positions;
        let crowd = Crowd::of(positions.len(), |particle| positions[particle], edge);
        crowds.push((edge, crowd));
        crowd
    }
}
