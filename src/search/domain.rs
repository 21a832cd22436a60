use glam::{UVec3, Vec3};

use super::{Cells, OptionChoice, OptionKind, SearchError, SearchInput, SearchOption, SearchOptions};
use crate::gpu::{Gpu, gpu_struct};

/// The box that particles live in and the radius within which they are neighbors. Particles outside the box are
/// found too: a grid counts them into its outermost cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Domain {
    /// Lowest corner of the box, m.
    pub low: Vec3,
    /// Highest corner of the box, m.
    pub high: Vec3,
    /// Largest distance between neighbors, m; a pair exactly that far apart is one.
    pub support_radius: f32,
}

impl Domain {
    /// Checks the numbers.
    ///
    /// # Errors
    /// When the radius is not positive and finite or the box not finite and upright.
    pub fn new(low: Vec3, high: Vec3, support_radius: f32) -> Result<Self, SearchError> {
        if !(support_radius.is_finite() && support_radius > 0.0) {
            return Err(SearchError::Radius(support_radius));
        }
        if !(low.is_finite() && high.is_finite() && low.cmple(high).all()) {
            return Err(SearchError::Box(low, high));
        }
        Ok(Self { low, high, support_radius })
    }

    /// How far a traversal looks along an axis: the radius and what rounding can add to a coordinate difference, so
    /// that a pair exactly on the radius is never lost between two cells.
    pub(super) fn reach(&self) -> f32 {
        let largest = self.low.abs().max(self.high.abs()).max_element().max(self.support_radius);
        // A traversal that clips rows to the sphere rounds some ten times between a coordinate and a cell.
        self.support_radius + 16.0 * f32::EPSILON * largest
    }
}

/// Edges of a grid's cells, for searches that have one grid.
pub static CELL_EDGE: SearchOption = SearchOption {
    name: "cell-edge",
    title: "Cell edge",
    hover: "edges of a grid cell in support radii: larger cells are fewer and hold more",
    kind: OptionKind::Choice(&[
        OptionChoice { label: "r", hover: "27 cells hold all neighbors, with few candidates" },
        OptionChoice {
            label: "2r",
            hover: "as the FENNS and CLAWS papers run their baselines: fewer cells, more candidates",
        },
        OptionChoice {
            label: "fine",
            hover: "rows of r by r cut into r/4, and read no farther than the sphere reaches: four times the cells, \
                    the fewest candidates",
        },
    ]),
};

/// Edge of a grid's cells as a number, in place of [`CELL_EDGE`]: what a table or a lesson asks for.
pub static CELL_RADII: SearchOption = SearchOption {
    name: "cell-radii",
    title: "Other edge",
    hover: "edge of a grid cell as any number of support radii, in place of the cell edge above",
    kind: OptionKind::Number {
        least: 0.1,
        most: 1_000.0,
        default: 0.0,
        whole: false,
        suffix: "r",
        presets: &[0.0, 0.6, 4.0],
        word: Some((0.0, "none")),
    },
};

/// [`CELL_EDGE`] as a type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CellEdge {
    /// r: 27 cells hold all neighbors, with few candidates.
    #[default]
    Radius,
    /// 2r, as the FENNS and CLAWS papers run their baselines: fewer cells, more candidates.
    TwiceRadius,
    /// r in y and z, r/4 in x, and rows clipped to the sphere: finer than either paper, for a search that reads a
    /// row of cells as one range. Costs four times the cells, and one that looks up cell by cell three times as long.
    FineRows,
}

impl CellEdge {
    /// All, in the order of the choices of [`CELL_EDGE`].
    pub const ALL: [Self; 3] = [Self::Radius, Self::TwiceRadius, Self::FineRows];

    /// A cell's edges for that support radius, m.
    pub fn cell_size(self, support_radius: f32) -> Vec3 {
        match self {
            Self::Radius => Vec3::splat(support_radius),
            Self::TwiceRadius => Vec3::splat(2.0 * support_radius),
            Self::FineRows => Vec3::new(0.25 * support_radius, support_radius, support_radius),
        }
    }

    /// The one that was chosen.
    pub fn chosen(options: &SearchOptions) -> Self {
        Self::ALL.get(options.value(&CELL_EDGE) as usize).copied().unwrap_or_default()
    }
}

gpu_struct! {
    /// A uniform grid over the box, as shaders see it.
    pub struct Grid {
        /// Lowest corner, m.
        pub origin: [f32; 3],
        /// Squared support radius, m².
        pub radius_squared: f32,
        /// Cells along each axis.
        pub cell_counts: [u32; 3],
        /// How far a traversal looks along an axis, m.
        pub reach: f32,
        /// Reciprocal of a cell's edges, 1/m.
        pub inverse_cell_size: [f32; 3],
        /// Number of particles.
        pub particle_count: u32,
        /// A cell's edges, m.
        pub cell_size: [f32; 3],
        /// Number of cells.
        pub cell_count: u32,
    }
}

impl Grid {
    /// The grid of a search with one grid: cells of the chosen edge, each taking `bytes_per_cell` of a binding.
    ///
    /// # Errors
    /// When the cells do not fit a binding.
    pub(super) fn for_input(
        gpu: &Gpu,
        search: &'static str,
        input: &SearchInput<'_>,
        bytes_per_cell: u64,
    ) -> Result<Self, SearchError> {
        let radius = input.domain.support_radius;
        let radii = input.options.value(&CELL_RADII);
        let cell_size = if CELL_RADII.is_default(radii) {
            CellEdge::chosen(input.options).cell_size(radius)
        } else {
            Vec3::splat(radii * radius)
        };
        // One cell is kept back for the entry past the last.
        let cell_limit = gpu.capabilities.largest_binding_bytes() / bytes_per_cell - 1;
        Self::new(search, input.domain, cell_size, input.particle_count, cell_limit)
    }

    /// Cells of edges `cell_size` over the box.
    ///
    /// # Errors
    /// When there would be more than `cell_limit` cells.
    pub(super) fn new(
        search: &'static str,
        domain: Domain,
        cell_size: Vec3,
        particle_count: u32,
        cell_limit: u64,
    ) -> Result<Self, SearchError> {
        let extent = (domain.high - domain.low).as_dvec3() / cell_size.as_dvec3();
        let counts = extent.ceil().max(glam::DVec3::ONE);
        let cells = counts.to_array().iter().map(|&count| count as u128).product::<u128>();
        if cells > u128::from(cell_limit.min(u64::from(u32::MAX / 2))) {
            return Err(SearchError::TooManyCells { search, cells, edge: cell_size.x, limit: cell_limit });
        }
        let counts = UVec3::new(counts.x as u32, counts.y as u32, counts.z as u32);
        Ok(Self {
            origin: domain.low.to_array(),
            radius_squared: domain.support_radius * domain.support_radius,
            cell_counts: counts.to_array(),
            reach: domain.reach(),
            inverse_cell_size: cell_size.recip().to_array(),
            particle_count,
            cell_size: cell_size.to_array(),
            cell_count: counts.element_product(),
        })
    }

    /// The grid's cells, for drawing.
    pub(super) fn cells(&self) -> Cells {
        let [origin, size] = [self.origin, self.cell_size].map(Vec3::from_array);
        Cells { origin, size, counts: UVec3::from_array(self.cell_counts), border: None }
    }
}

impl Cells {
    /// The cells as shaders see them, with their border for reach, and without what only a traversal needs.
    pub fn grid(&self) -> Grid {
        Grid {
            origin: self.origin.to_array(),
            cell_counts: self.counts.to_array(),
            reach: self.border.unwrap_or(0.0),
            inverse_cell_size: self.size.recip().to_array(),
            cell_size: self.size.to_array(),
            cell_count: self.counts.element_product(),
            ..Grid::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::{ShaderLibrary, ShaderVariant, assert_same_layout};

    #[test]
    fn shaders_see_the_grid_as_rust_does() {
        for file in [
            "search/brute_force.wgsl",
            "search/green.wgsl",
            "search/bayraktar.wgsl",
            "search/hoetzlein.wgsl",
            "search/morillo.wgsl",
        ] {
            let (module, _) = ShaderLibrary::embedded().compose(&ShaderVariant::new(file)).expect("it composes");
            assert_same_layout::<Grid>(&module);
        }
    }

    #[test]
    fn a_radius_or_box_that_is_none_is_named() {
        for radius in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            assert!(matches!(Domain::new(Vec3::ZERO, Vec3::ONE, radius), Err(SearchError::Radius(_))));
        }
        assert!(matches!(Domain::new(Vec3::ONE, Vec3::ZERO, 1.0), Err(SearchError::Box(..))));
        assert!(matches!(Domain::new(Vec3::NAN, Vec3::ONE, 1.0), Err(SearchError::Box(..))));
    }

    #[test]
    fn a_grid_past_its_limit_is_refused_with_the_limit() {
        let domain = Domain::new(Vec3::ZERO, Vec3::splat(100.0), 0.5).expect("a good domain");
        let refusal = Grid::new("Test", domain, Vec3::splat(0.5), 1, 1_000).expect_err("8 million cells");
        assert!(refusal.to_string().contains("8000000 cells"), "{refusal}");
        assert!(refusal.to_string().contains("1000"), "{refusal}");
    }
}
