//! The settings of the search by clipped rows, and how those that are left to the program are chosen.

use glam::Vec3;

use crate::gpu::{Gpu, PairKernel};
use crate::search::domain::Grid;
use crate::search::measured_density::neighbors_within;
use crate::search::{OptionKind, SearchError, SearchInput, SearchOption};

/// The value of a setting that the program chooses.
const AUTO: (f32, &str) = (0.0, "auto");

/// Rows per support radius along y and z.
pub(super) static ACROSS: SearchOption = SearchOption {
    name: "rows-across",
    title: "Rows per radius",
    hover: "rows of cells per support radius along y and z; more rows fit the sphere better and are shorter",
    kind: OptionKind::Number {
        least: 1.0,
        most: 4.0,
        default: AUTO.0,
        whole: true,
        suffix: "",
        presets: &[0.0, 1.0, 2.0],
        word: Some(AUTO),
    },
};

/// Cells per support radius along x.
pub(super) static ALONG: SearchOption = SearchOption {
    name: "cells-along",
    title: "Cells per radius",
    hover: "cells per support radius along a row; more cells cut a row closer to the sphere, and the table grows",
    kind: OptionKind::Number {
        least: 1.0,
        most: 16.0,
        default: AUTO.0,
        whole: true,
        suffix: "",
        presets: &[0.0, 4.0, 8.0],
        word: Some(AUTO),
    },
};

/// Particles that an invocation owns.
pub(super) static OWNED: SearchOption = SearchOption {
    name: "owned",
    title: "Owned particles",
    hover: "consecutive particles that one invocation serves; more share each load, and need more registers",
    kind: OptionKind::Number {
        least: 1.0,
        most: 4.0,
        default: AUTO.0,
        whole: true,
        suffix: "",
        presets: &[0.0, 1.0, 2.0, 3.0, 4.0],
        word: Some(AUTO),
    },
};

/// How the traversal is composed for a class of pair kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Weight {
    /// Particles that an invocation owns.
    pub owned: u32,
    /// Invocations of a workgroup.
    pub workgroup: u32,
}

/// The chosen settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Choice {
    /// Edges of a cell in support radii.
    pub cell: Vec3,
    /// For pair kernels that vanish at the radius, which are evaluated for every candidate.
    pub light: Weight,
    /// For the other pair kernels.
    pub heavy: Weight,
}

/// Neighbors of a particle from which rows of half a radius are faster than rows of a radius (H200, November 2026).
const DENSE: f64 = 120.0;
/// Neighbors of a particle from which cells of an eighth of a radius are faster than those of a quarter.
const CROWDED: f64 = 60.0;

impl Choice {
    /// The settings that the options give, and for the others those that suit the density of the particles.
    pub(super) fn new(gpu: &Gpu, input: &SearchInput<'_>) -> Self {
        let given =
            |option: &SearchOption| Some(input.options.value(option)).filter(|&value| !option.is_default(value));
        let all_given = [&ACROSS, &ALONG, &OWNED].iter().all(|option| given(option).is_some());
        let neighbors = if all_given { 0.0 } else { neighbors_within(gpu, input) };
        let across = given(&ACROSS).unwrap_or(if neighbors >= DENSE { 2.0 } else { 1.0 });
        let along = given(&ALONG).unwrap_or(if neighbors >= CROWDED { 8.0 } else { 4.0 });
        let owned = |automatic| given(&OWNED).map_or(automatic, |value| value as u32);
        Self {
            cell: Vec3::new(along.recip(), across.recip(), across.recip()),
            light: Weight { owned: owned(3), workgroup: 128 },
            heavy: Weight { owned: owned(1), workgroup: 256 },
        }
    }

    /// Rows per support radius along y and z, rounded up.
    pub(super) fn rows_across(&self) -> u32 {
        self.cell.y.recip().ceil() as u32
    }

    /// The composition for a pair kernel.
    pub(super) fn for_kernel(&self, kernel: PairKernel) -> Weight {
        let weight = if kernel.vanishes_at_radius { self.light } else { self.heavy };
        // Divided particles are served one by one: the next one of a row may belong to the other pass.
        if kernel.divides { Weight { owned: 1, ..weight } } else { weight }
    }
}

/// Entries of the table per particle, beyond which the cells are made coarser: the table would otherwise take longer
/// to scan than the particles to sort.
const ENTRIES_PER_PARTICLE: u64 = 8;
/// Entries of a table that is never made coarser.
const SMALL_TABLE: u64 = 1 << 16;

/// The grid of the chosen cells over the box, with the edges doubled until the table fits: first along the rows, down
/// to cubes, and then along all axes.
///
/// # Errors
/// When even the coarsest table would have more than `limit` entries.
pub(super) fn grid(
    title: &'static str,
    input: &SearchInput<'_>,
    mut choice: Choice,
    limit: u64,
) -> Result<(Grid, Choice), SearchError> {
    let wanted = (ENTRIES_PER_PARTICLE * u64::from(input.particle_count)).max(SMALL_TABLE).min(limit);
    let extent = (input.domain.high - input.domain.low).as_dvec3();
    loop {
        let size = choice.cell * input.domain.support_radius;
        let counts = (extent / size.as_dvec3()).ceil().max(glam::DVec3::ONE);
        let entries = (counts.x + 4.0) * counts.y * counts.z;
        let is_single = counts == glam::DVec3::ONE;
        if entries <= wanted as f64 || is_single {
            return Ok((Grid::new(title, input.domain, size, input.particle_count, limit)?, choice));
        }
        if choice.cell.x < choice.cell.y {
            choice.cell.x *= 2.0;
        } else {
            choice.cell *= 2.0;
        }
    }
}
