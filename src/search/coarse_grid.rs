//! The coarse grid of the two-level searches (FENNS, CLAWS). It has as many cells as counters fit workgroup memory,
//! independently of the number of particles.

use glam::{DVec3, UVec3, Vec3};

use super::domain::Grid;
use super::{Cells, OptionKind, SearchInput, SearchOption};

/// The number of coarse cells along each edge of a cubic box. A box of another shape has the same total number of
/// cells.
pub static COARSE_CELLS: SearchOption = SearchOption {
    name: "coarse-cells",
    title: "Coarse cells",
    hover: "coarse cells along each edge of a cubic box; auto uses as many as counters fit workgroup memory",
    kind: OptionKind::Number {
        least: 1.0,
        most: 64.0,
        default: AUTO,
        whole: true,
        suffix: "",
        presets: &[AUTO, 6.0, 10.0, 18.0],
        word: Some((AUTO, "auto")),
    },
};

const AUTO: f32 = 0.0;

impl Grid {
    /// The coarse grid of roughly cubic cells no narrower than the support radius, so that the 27 cells around a
    /// particle contain all its neighbors. It has as many cells as [`COARSE_CELLS`] requests, and at most `cell_limit`.
    pub(super) fn coarse(input: &SearchInput<'_>, cell_limit: u32) -> Self {
        let asked = input.options.value(&COARSE_CELLS);
        let budget = if asked == AUTO { cell_limit } else { (asked.powi(3) as u32).min(cell_limit) };
        let reach = input.domain.reach();
        let extent = input.domain.high - input.domain.low;
        let counts = finest_counts(extent, reach, budget);
        let cell_size = (extent / counts.as_vec3()).max(Vec3::splat(reach));
        Self {
            origin: input.domain.low.to_array(),
            radius_squared: input.domain.support_radius * input.domain.support_radius,
            cell_counts: counts.to_array(),
            reach,
            inverse_cell_size: cell_size.recip().to_array(),
            particle_count: input.particle_count,
            cell_size: cell_size.to_array(),
            cell_count: counts.element_product(),
        }
    }

    /// The local grid of a coarse cell of this grid whose lowest corner is the origin. The local grid extends beyond
    /// the coarse cell by `overlap`, m, on every side and has at most `cell_limit` cells, which are no narrower than
    /// the support radius except for rounding.
    pub(super) fn local(&self, overlap: f32, cell_limit: u32) -> Self {
        let extent = Vec3::from_array(self.cell_size) + 2.0 * overlap;
        // The tolerance prevents that cells become twice as wide only because the reach includes a bound on rounding.
        let counts = finest_counts(extent, self.reach * 0.999, cell_limit);
        let cell_size = extent / counts.as_vec3();
        Self {
            origin: [-overlap; 3],
            cell_counts: counts.to_array(),
            inverse_cell_size: cell_size.recip().to_array(),
            cell_size: cell_size.to_array(),
            cell_count: counts.element_product(),
            ..*self
        }
    }

    /// The coarse cells with the width of their borders, for drawing.
    pub(super) fn coarse_cells(&self) -> Cells {
        Cells { border: Some(self.reach), ..self.cells() }
    }
}

/// The number of cells along each axis of `extent`: cells of the smallest common edge that is at least `narrowest` and
/// for which the total number of cells does not exceed `budget`.
fn finest_counts(extent: Vec3, narrowest: f32, budget: u32) -> UVec3 {
    let extent = extent.as_dvec3();
    let counts = |edge: f64| (extent / edge).floor().max(DVec3::ONE);
    let fits = |edge: f64| counts(edge).element_product() <= f64::from(budget.max(1));
    let mut narrow = f64::from(narrowest);
    let mut wide = extent.max_element().max(narrow);
    if fits(narrow) {
        wide = narrow;
    }
    // Bisection to double precision, because a cell's edge may be a millionth of the edge of the box.
    for _ in 0..64 {
        let edge = 0.5 * (narrow + wide);
        if fits(edge) {
            wide = edge;
        } else {
            narrow = edge;
        }
    }
    counts(wide).as_uvec3()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Domain;

    fn counts(high: Vec3, radius: f32, budget: u32) -> UVec3 {
        let domain = Domain::new(Vec3::ZERO, high, radius).expect("a good domain");
        finest_counts(domain.high - domain.low, domain.reach(), budget)
    }

    #[test]
    fn a_cube_has_the_grid_of_the_paper() {
        assert_eq!(counts(Vec3::splat(180.0), 0.2, 18 * 18 * 18), UVec3::splat(18));
        assert_eq!(counts(Vec3::splat(90.0), 1.5, 18 * 18 * 18 + 18), UVec3::splat(18));
    }

    #[test]
    fn cells_are_at_least_as_wide_as_the_radius_and_within_the_budget() {
        for (high, radius) in [
            (Vec3::new(1000.0, 1.0, 1.0), 0.9),
            (Vec3::new(1.0, 0.0, 1.0), 0.05),
            (Vec3::ONE, 2.5),
            (Vec3::ONE, 1e-3),
            (Vec3::ZERO, 1.0),
            (Vec3::new(0.3, 5.0, 1.1), 0.12),
        ] {
            for budget in [1, 8, 1_000, 5_832] {
                let found = counts(high, radius, budget);
                assert!(found.element_product() <= budget, "{found} cells of {budget}");
                let narrowest = (high / found.as_vec3()).max(Vec3::splat(radius)).min_element();
                assert!(found.cmpeq(UVec3::ONE).all() || narrowest >= radius, "{found} in {high}");
                assert!((0..3).all(|axis| found[axis] == 1 || high[axis] / found[axis] as f32 >= radius));
            }
        }
        assert!(counts(Vec3::new(1000.0, 1.0, 1.0), 0.9, 5_832).x > 1_000, "a long box is divided along its length");
    }
}
