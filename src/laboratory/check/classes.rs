//! Compares the classes (border or inner) of a file with those of a search.

use super::super::Places;
use super::MOST_KEPT;
use crate::search::{AMBIGUOUS_FRACTION, Domain};

/// A particle whose class in the file differs from its class according to the search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClassMismatch {
    /// Its index.
    pub particle: u32,
    /// Whether it is a border particle in the file; the search says the opposite.
    pub listed_as_border: bool,
    /// Distance to the nearest face between its coarse cell and another cell, m; negative if there is no other cell.
    pub face_distance: f32,
}

/// The comparison of the classes in a file with those of a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClassCheck {
    /// Number of border particles in the file.
    pub listed_border: u64,
    /// Number of border particles according to the search.
    pub search_border: u64,
    /// Number of particles whose class differs.
    pub count: u64,
    /// The first [`MOST_KEPT`] of them.
    pub mismatches: Vec<ClassMismatch>,
    /// Number of particles that are left out because their distance to the face equals the radius within rounding.
    pub undecided: u64,
}

impl ClassCheck {
    /// Compares the classes of all particles; `border` is the width of the search's border, m.
    pub(super) fn new(listed: &[bool], places: &Places, domain: Domain, border: f32) -> Self {
        // The border is as wide as the radius plus a margin for rounding; another program may leave out the margin.
        let margin = border - domain.support_radius + AMBIGUOUS_FRACTION as f32 * domain.support_radius;
        let mut check = Self::default();
        for (particle, &listed_as_border) in (0..).zip(listed) {
            let is_border = places.is_border(particle) == Some(true);
            check.listed_border += u64::from(listed_as_border);
            check.search_border += u64::from(is_border);
            if listed_as_border == is_border {
                continue;
            }
            let face_distance = places.face_distances[particle as usize];
            if (face_distance - domain.support_radius).abs() <= margin {
                check.undecided += 1;
                continue;
            }
            check.count += 1;
            if check.mismatches.len() < MOST_KEPT {
                check.mismatches.push(ClassMismatch { particle, listed_as_border, face_distance });
            }
        }
        check
    }
}
