//! The box and the support radius of a search, the uniform grid over the box, and the settings that searches with one
//! grid share.

use glam::{UVec3, Vec3};

use super::{Cells, OptionChoice, OptionKind, SearchError, SearchInput, SearchOption, SearchOptions};
use crate::gpu::{Gpu, gpu_struct};

/// The box that contains the particles, and the support radius. Particles outside the box are found too, because a grid
/// assigns them to its outermost cells.
///
/// ```
/// use glam::Vec3;
/// use nearwater::search::Domain;
///
/// let domain = Domain::new(Vec3::ZERO, Vec3::new(2.0, 1.0, 1.0), 0.1);
/// assert!(domain.is_ok());
/// let refusal = Domain::new(Vec3::ZERO, Vec3::ONE, -0.1).expect_err("a negative radius");
/// assert!(refusal.to_string().starts_with("the support radius is -0.1 m and must be a positive length"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Domain {
    /// Lowest corner of the box, m.
    pub low: Vec3,
    /// Highest corner of the box, m.
    pub high: Vec3,
    /// Support radius, m: particles at this distance or less are neighbors.
    pub support_radius: f32,
}

impl Domain {
    /// Smallest support radius, m. Shaders compare squared distances with the squared radius, and may flush numbers
    /// below the smallest normal number to zero; with a smaller radius, particles farther apart would count as
    /// neighbors.
    pub const SMALLEST_RADIUS: f32 = 3.2e-16;
    /// Largest support radius, m. The square of a larger radius overflows.
    pub const LARGEST_RADIUS: f32 = 1.8e19;

    /// Creates a domain after checking its numbers.
    ///
    /// # Errors
    /// When the radius is not between [`Domain::SMALLEST_RADIUS`] and [`Domain::LARGEST_RADIUS`], a corner of the box
    /// is farther than the latter from the origin along an axis or not finite, or `low` exceeds `high` along an axis.
    pub fn new(low: Vec3, high: Vec3, support_radius: f32) -> Result<Self, SearchError> {
        if !(Self::SMALLEST_RADIUS..=Self::LARGEST_RADIUS).contains(&support_radius) {
            return Err(SearchError::Radius(support_radius));
        }
        let is_moderate = |corner: Vec3| corner.abs().cmple(Vec3::splat(Self::LARGEST_RADIUS)).all();
        if !(is_moderate(low) && is_moderate(high) && low.cmple(high).all()) {
            return Err(SearchError::Box(low, high));
        }
        Ok(Self { low, high, support_radius })
    }

    /// The reach of a traversal along an axis, m: the support radius plus a bound on the rounding of a coordinate
    /// difference, so that a pair exactly at the radius is never lost between two cells.
    pub(super) fn reach(&self) -> f32 {
        let largest = self.low.abs().max(self.high.abs()).max_element().max(self.support_radius);
        // A traversal that clips rows to the sphere performs about ten rounded operations between a coordinate and a
        // cell.
        self.support_radius + 16.0 * f32::EPSILON * largest
    }
}

/// The cell edge, for searches that have one grid.
pub static CELL_EDGE: SearchOption = SearchOption {
    name: "cell-edge",
    title: "Cell edge",
    hover: "edge of a grid cell in support radii; larger cells are fewer and contain more particles",
    kind: OptionKind::Choice(&[
        OptionChoice { label: "r", hover: "27 cells contain all neighbors, with few candidates" },
        OptionChoice {
            label: "2r",
            hover: "the baselines of the FENNS and CLAWS papers use this edge: fewer cells, more candidates",
        },
        OptionChoice {
            label: "fine",
            hover: "rows of cross section r by r are divided into cells of length r/4 and clipped to the sphere of the \
                    radius: four times the cells, the fewest candidates",
        },
    ]),
};

/// The cell edge as a number that replaces [`CELL_EDGE`], for the papers' tables and for lessons.
pub static CELL_RADII: SearchOption = SearchOption {
    name: "cell-radii",
    title: "Other edge",
    hover: "edge of a grid cell as any number of support radii; replaces the cell edge above",
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

/// Which cells a particle looks up, for searches that have one grid.
pub static LOOK_UP: SearchOption = SearchOption {
    name: "look-up",
    title: "Look-up",
    hover: "which cells a particle looks up for candidates",
    kind: OptionKind::Choice(&[
        OptionChoice {
            label: "touched cells",
            hover: "the cells that overlap the cube of the radius around it: up to 8 cells of edge 2r, or 27 of edge r",
        },
        OptionChoice {
            label: "27 cells",
            hover: "as in the papers of Green and Hoetzlein: its own cell and the 26 around it, for every cell edge",
        },
    ]),
};

/// Whether the options select the look-up of all 27 cells.
pub(super) fn looks_up_27(options: &SearchOptions) -> bool {
    options.is(&LOOK_UP, "27 cells")
}

/// Restricts the look-up of searches with one grid to a particle's own cell and the cells around it, for every cell
/// edge. It loses neighbors wherever an edge is shorter than the radius. No search lists this option, so that neither
/// the panel nor the command line offers it; the laboratory sets it to demonstrate the error.
pub static DIRECT_CELLS_ONLY: SearchOption = SearchOption {
    name: "direct-cells-only",
    title: "Direct cells only",
    hover: "looks up adjacent cells only; deliberately wrong where a cell is narrower than the radius",
    kind: OptionKind::Choice(&[
        OptionChoice { label: "off", hover: "looks up every cell within the radius" },
        OptionChoice { label: "on", hover: "looks up 27 cells" },
    ]),
};

/// The choices of [`CELL_EDGE`] as a type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CellEdge {
    /// r: 27 cells contain all neighbors, with few candidates.
    #[default]
    Radius,
    /// 2r, as the baselines of the FENNS and CLAWS papers: fewer cells, more candidates.
    TwiceRadius,
    /// r in y and z, r/4 in x, and rows clipped to the sphere: finer than in either paper, for a search that reads a
    /// row of cells as one range. There are four times as many cells, and a search that looks up cell by cell takes
    /// three times as long.
    FineRows,
}

impl CellEdge {
    /// All variants, in the order of the choices of [`CELL_EDGE`].
    pub const ALL: [Self; 3] = [Self::Radius, Self::TwiceRadius, Self::FineRows];

    /// The edges of a cell for the given support radius, m.
    pub fn cell_size(self, support_radius: f32) -> Vec3 {
        match self {
            Self::Radius => Vec3::splat(support_radius),
            Self::TwiceRadius => Vec3::splat(2.0 * support_radius),
            Self::FineRows => Vec3::new(0.25 * support_radius, support_radius, support_radius),
        }
    }

    /// The variant that the options select.
    pub fn chosen(options: &SearchOptions) -> Self {
        Self::ALL.get(options.value(&CELL_EDGE) as usize).copied().unwrap_or_default()
    }
}

gpu_struct! {
    /// A uniform grid over the box, in the layout of the shaders.
    pub struct Grid {
        /// Lowest corner, m.
        pub origin: [f32; 3],
        /// Squared support radius, m².
        pub radius_squared: f32,
        /// Cells along each axis.
        pub cell_counts: [u32; 3],
        /// Reach of a traversal along an axis, m: the support radius plus a bound on rounding.
        pub reach: f32,
        /// Reciprocals of a cell's edges, 1/m.
        pub inverse_cell_size: [f32; 3],
        /// Number of particles.
        pub particle_count: u32,
        /// Edges of a cell, m.
        pub cell_size: [f32; 3],
        /// Number of cells.
        pub cell_count: u32,
    }
}

impl Grid {
    /// The grid of a search with one grid: cells of the selected edge, each of which occupies `bytes_per_cell` of a
    /// binding.
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
        // One entry past the last cell is reserved.
        let cell_limit = gpu.capabilities.largest_binding_bytes() / bytes_per_cell - 1;
        let mut grid = Self::new(search, input.domain, cell_size, input.particle_count, cell_limit)?;
        if input.options.is(&DIRECT_CELLS_ONLY, "on") {
            grid.reach = cell_size.min_element();
        }
        Ok(grid)
    }

    /// The grid of cells with edges `cell_size`, m, over the box.
    ///
    /// # Errors
    /// When there would be more than `cell_limit` cells.
    pub(crate) fn new(
        search: &'static str,
        domain: Domain,
        cell_size: Vec3,
        particle_count: u32,
        cell_limit: u64,
    ) -> Result<Self, SearchError> {
        let extent = (domain.high - domain.low).as_dvec3() / cell_size.as_dvec3();
        let counts = extent.ceil().max(glam::DVec3::ONE);
        // Conversions and products saturate.
        let cells = counts.to_array().iter().fold(1_u128, |cells, &count| cells.saturating_mul(count as u128));
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

    /// The cells of the grid, for drawing.
    pub(super) fn cells(&self) -> Cells {
        let [origin, size] = [self.origin, self.cell_size].map(Vec3::from_array);
        Cells { origin, size, counts: UVec3::from_array(self.cell_counts), border: None }
    }
}

impl Cells {
    /// The cells in the layout of the shaders, with the border as the reach and without the fields that only a
    /// traversal needs.
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

/// Mean volume of the cells that are looked up for a particle, m³: 27 cells, or those that overlap the cube of the
/// radius around it, which along each axis cover the diameter and one cell more on average.
pub(super) fn looked_up_volume(looks_up_27: bool, cell_size: Vec3, support_radius: f32) -> f64 {
    let widths = if looks_up_27 { 3.0 * cell_size } else { cell_size + 2.0 * support_radius };
    f64::from(widths.element_product())
}

/// Mean volume of the rows of cells along x that are clipped to the sphere around a particle, m³: each row covers the
/// chord of the sphere at the row's distance and one cell more on average. The mean is taken over positions in a cell.
pub(super) fn clipped_rows_volume(cell_size: Vec3, support_radius: f32) -> f64 {
    const PLACES: u32 = 16;
    let (size, radius) = (cell_size.as_dvec3(), f64::from(support_radius));
    // Distances from a position to the rows below, at and above it along an axis, in which rows are as wide as cells.
    let gaps = |edge: f64, place: u32| {
        let inside = (f64::from(place) + 0.5) / f64::from(PLACES) * edge;
        let reached = (radius / edge).ceil() as i32;
        (-reached..=reached).map(move |row| {
            let low = f64::from(row) * edge - inside;
            low.max(-(low + edge)).max(0.0)
        })
    };
    let mut volume = 0.0;
    for y_place in 0..PLACES {
        for z_place in 0..PLACES {
            for y in gaps(size.y, y_place) {
                for z in gaps(size.z, z_place) {
                    let chord_squared = radius * radius - y * y - z * z;
                    if chord_squared >= 0.0 {
                        volume += (2.0 * chord_squared.sqrt() + size.x) * size.y * size.z;
                    }
                }
            }
        }
    }
    volume / f64::from(PLACES * PLACES)
}

impl Cells {
    /// Values of the volumes of [`super::explained::VOLUMES`], m³: of a coarse cell, and of its inner region on
    /// average. The outermost faces of the grid have no cell beyond them and therefore no border.
    pub(super) fn class_volumes(&self) -> [(&'static str, f64); 2] {
        let (size, counts) = (self.size.as_dvec3(), self.counts.as_dvec3());
        let border = f64::from(self.border.unwrap_or(0.0));
        let inner = |axis: usize| {
            let faces = counts[axis] - 1.0;
            // If two borders of a cell meet, only its outermost cells keep an inner region.
            let (outer, middle) = ((size[axis] - border).max(0.0), (size[axis] - 2.0 * border).max(0.0));
            if faces < 1.0 { size[axis] } else { (2.0 * outer + (faces - 1.0) * middle) / counts[axis] }
        };
        [("V", size.element_product()), ("V_i", (0..3).map(inner).product())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::{ShaderLibrary, ShaderVariant, assert_same_layout};

    #[test]
    fn the_grid_has_the_same_layout_in_shaders_and_in_rust() {
        for file in
            ["search/brute_force.wgsl", "search/sorted_cells.wgsl", "search/bayraktar.wgsl", "search/hoetzlein.wgsl"]
        {
            let (module, _) = ShaderLibrary::embedded().compose(&ShaderVariant::new(file)).expect("it composes");
            assert_same_layout::<Grid>(&module);
        }
    }

    #[test]
    fn invalid_radii_and_boxes_are_refused() {
        for radius in [0.0, -1.0, f32::NAN, f32::INFINITY, 1e-20, 1e-30, f32::MIN_POSITIVE, 1e20, f32::MAX] {
            assert!(matches!(Domain::new(Vec3::ZERO, Vec3::ONE, radius), Err(SearchError::Radius(_))), "{radius}");
        }
        assert!(matches!(Domain::new(Vec3::ONE, Vec3::ZERO, 1.0), Err(SearchError::Box(..))));
        assert!(matches!(Domain::new(Vec3::NAN, Vec3::ONE, 1.0), Err(SearchError::Box(..))));
        for edge in [1e20, 3.4e38, f32::INFINITY] {
            assert!(
                matches!(Domain::new(Vec3::splat(-edge), Vec3::splat(edge), 1.0), Err(SearchError::Box(..))),
                "{edge}"
            );
        }
    }

    #[test]
    fn the_largest_box_is_refused_by_its_number_of_cells() {
        let far = Vec3::splat(Domain::LARGEST_RADIUS);
        let domain = Domain::new(-far, far, Domain::SMALLEST_RADIUS).expect("its corners are just possible");
        let error =
            Grid::new("green", domain, Vec3::splat(Domain::SMALLEST_RADIUS), 1, 1000).expect_err("too many cells");
        assert!(matches!(error, SearchError::TooManyCells { .. }), "{error}");
    }

    #[test]
    fn the_squares_of_the_smallest_and_the_largest_radius_have_full_precision() {
        for radius in [Domain::SMALLEST_RADIUS, Domain::LARGEST_RADIUS] {
            assert!(Domain::new(Vec3::ZERO, Vec3::splat(radius), radius).is_ok());
            let square = radius * radius;
            assert!(square.is_normal() && (square * f32::EPSILON).is_normal(), "{radius}");
        }
        let message = Domain::new(Vec3::ZERO, Vec3::ONE, 1e-30).expect_err("its square is zero").to_string();
        assert!(message.contains("3.2e-16") && message.contains("1.8e19"), "{message}");
    }

    #[test]
    fn a_grid_beyond_the_cell_limit_is_refused_with_the_limit() {
        let domain = Domain::new(Vec3::ZERO, Vec3::splat(100.0), 0.5).expect("a good domain");
        let refusal = Grid::new("Test", domain, Vec3::splat(0.5), 1, 1_000).expect_err("8 million cells");
        assert!(refusal.to_string().contains("8000000 cells"), "{refusal}");
        assert!(refusal.to_string().contains("1000"), "{refusal}");
    }
}
