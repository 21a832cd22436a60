//! What the explanations of all searches share: the symbols of the papers with their values in a running search, the
//! formulas that hold for every search, and lines of pseudocode of passes that several searches have.

use std::f64::consts::PI;

use super::{LARGEST_SUM, NeighborSearch, PairTotals, halo};
use crate::explanation::Expression::{Product, Quotient, Symbol as S};
use crate::explanation::{Expression, Formula, PassTag, PseudocodeLine, Symbol, Unit, Values};

/// The symbols that every search has, as the papers of FENNS and CLAWS use them.
pub static SEARCH_SYMBOLS: &[Symbol] = &[
    Symbol::new("n", "particles", Unit::Count),
    Symbol::new("r", "search radius", Unit::Meters),
    Symbol::new("m³", "cells of the grid, m along each edge of a cubic box", Unit::Count),
    Symbol::new("l³", "coarse cells, l along each edge of a cubic box", Unit::Count),
    Symbol::new("e", "longest edge of a cell", Unit::Meters),
    Symbol::new("k", "neighbors of a particle, on average", Unit::Number),
    Symbol::new("c", "candidates tested for a particle, on average", Unit::Number),
    Symbol::new("T", "tests of one traversal, counted on the device", Unit::Count),
    Symbol::new("o", "candidates per neighbor", Unit::Number),
    Symbol::new("M", "memory of the search's own buffers", Unit::Bytes),
    Symbol::new("D", "memory of the deposited sums", Unit::Bytes),
    Symbol::new("B", "dispatches of a build", Unit::Count),
    Symbol::new("β", "share of border particles", Unit::Share),
    Symbol::new("π", "ratio of a circle's circumference to its diameter", Unit::Number),
];

/// The formulas that hold for every search, also for one without an explanation.
pub static SEARCH_FORMULAS: &[Formula] = &[
    Formula::exact("tests of one traversal", Product(&[S("n"), S("c")]), Unit::Count, "T"),
    Formula::exact("candidates per neighbor", Quotient(&[S("c"), S("k")]), Unit::Number, "o"),
];

/// The tests of one traversal if the particles are evenly distributed: the density of particles follows from the number
/// of neighbors in the sphere, and `v` is the mean volume of the cells that are looked up for a particle.
pub(super) const TESTS_OF_CELLS: Expression = Quotient(&[
    Product(&[Expression::Number(3.0), S("n"), Expression::Sum(&[S("k"), Expression::Number(1.0)]), S("v")]),
    Product(&[Expression::Number(4.0), S("π"), Expression::Cube(&S("r"))]),
]);

/// The symbol `v` of [`TESTS_OF_CELLS`].
pub(super) const LOOKED_UP: Symbol =
    Symbol::new("v", "volume of the cells looked up for a particle, on average", Unit::Other("m³"));

/// Memory of the deposits, which the caller allocates: the floats of the largest sum for each particle, or none with a
/// halo.
pub(super) const DEPOSITS: Formula = Formula::exact(
    "memory of the deposited sums",
    Product(&[Expression::Number(4.0 * LARGEST_SUM as f64), S("n"), S("d")]),
    Unit::Bytes,
    "D",
)
.from("six floats per particle, the largest sum of the physics; none with a halo");

const HALO_ORDER: &[PassTag] = &[PassTag::EntryPoint(halo::ORDER_FILE, "order_cells")];
const HALO_GATHER: &[PassTag] = &[PassTag::EntryPoint(halo::GATHER_FILE, "traverse")];

/// The lines of the last build pass and of the traversal with a halo.
pub(super) const HALO_LINES: &[PseudocodeLine] = &[
    PseudocodeLine::heading("with a halo (not in the paper), one group per cell or chunk:"),
    PseudocodeLine::new(0, "sort it by the sides of the cell within r, and a finer grid", HALO_ORDER),
    PseudocodeLine::new(0, "foreach chunk do  box := its bounding box, and r around it", HALO_ORDER),
    PseudocodeLine::new(0, "foreach particle of the cell, or within r of it around it do", HALO_GATHER),
    PseudocodeLine::new(1, "if particle ∈ box then  put it into the local grid", HALO_GATHER),
    PseudocodeLine::new(0, "foreach particle of the chunk do  gather from the local grid", HALO_GATHER),
];

/// The symbols of a search that offers a halo, to which `halo::symbols` gives values: `d` is in [`DEPOSITS`].
pub(super) const HALO_SYMBOLS: [Symbol; 2] = [
    Symbol::new("d", "1 if sums are deposited, 0 with a halo", Unit::Count),
    Symbol::new("h", "tables of a halo: starts, parts of cells, chunks", Unit::Bytes),
];

/// The share of border particles if the particles are evenly distributed.
pub(super) const BORDER_SHARE: Formula = Formula::estimate(
    "share of border particles, evenly distributed",
    Expression::Difference(&[Expression::Number(1.0), Quotient(&[S("V_i"), S("V")])]),
    Unit::Share,
    "β",
)
.from("a particle is inner if it is farther than r from every other coarse cell");

/// The symbols of [`BORDER_SHARE`].
pub(super) const VOLUMES: [Symbol; 2] = [
    Symbol::new("V", "volume of a coarse cell", Unit::Other("m³")),
    Symbol::new("V_i", "volume of its inner region, on average", Unit::Other("m³")),
];

/// The number of dispatches of the exclusive scan, and the memory of its block sums.
pub(super) const SCAN_SYMBOLS: [Symbol; 2] = [
    Symbol::new("q", "dispatches of the prefix sum", Unit::Count),
    Symbol::new("s", "memory of the prefix sum for sums of blocks", Unit::Bytes),
];

/// The passes of the exclusive scan.
pub(super) const SCAN: &[PassTag] = &[
    PassTag::EntryPoint("primitives/exclusive_scan.wgsl", "reduce"),
    PassTag::EntryPoint("primitives/exclusive_scan.wgsl", "scan_serially"),
    PassTag::EntryPoint("primitives/exclusive_scan.wgsl", "scan_blocks"),
];

/// The passes of the radix sort, one list for each of its three steps.
pub(super) const RADIX_COUNT: &[PassTag] = &[PassTag::EntryPoint("primitives/radix_sort.wgsl", "count_digits")];
pub(super) const RADIX_SCAN: &[PassTag] = &[PassTag::EntryPoint("primitives/radix_sort.wgsl", "scan_tiles")];
pub(super) const RADIX_SCATTER: &[PassTag] = &[PassTag::EntryPoint("primitives/radix_sort.wgsl", "scatter")];

/// The last pass of a traversal that deposits.
pub(super) const FINISH: &[PassTag] = &[PassTag::EntryPoint("search/finish_deposits.wgsl", "finish_deposits")];

/// The lines of the last pass of a traversal that deposits.
pub(super) const FINISH_LINES: &[PseudocodeLine] = &[
    PseudocodeLine::new(0, "foreach particle i do", FINISH),
    PseudocodeLine::new(1, "sum := deposited sum of i;  deposited sum of i := 0", FINISH),
    PseudocodeLine::new(1, "InvokeFinishNeighborIterationFunction(i, sum)", FINISH),
];

/// The values of all symbols of a search: those of [`SEARCH_SYMBOLS`], and those that the search itself adds. Symbols
/// that need counters have values if `totals` are given, and `B` if the number of build passes is.
pub fn search_values(search: &dyn NeighborSearch, totals: Option<PairTotals>, build_passes: Option<usize>) -> Values {
    let (count, domain) = (search.particle_count(), search.domain());
    let particles = f64::from(count);
    let mut values: Values =
        [("n", particles), ("r", f64::from(domain.support_radius)), ("π", PI)].into_iter().collect();
    if let Some(cells) = search.cells() {
        let name = if cells.border.is_some() { "l³" } else { "m³" };
        values.set(name, f64::from(cells.counts.element_product()));
        values.set("e", f64::from(cells.size.max_element()));
    }
    values.set("M", search.bytes() as f64);
    if search.deposits() {
        values.set("D", search.deposit_bytes(count, LARGEST_SUM) as f64);
    }
    if let Some(passes) = build_passes {
        values.set("B", passes as f64);
    }
    if let Some(totals) = totals.filter(|_| count > 0) {
        values.set("T", totals.candidates as f64);
        values.set("c", totals.candidates as f64 / particles);
        values.set("k", totals.neighbors as f64 / particles);
        if let Some(overhead) = totals.overhead() {
            values.set("o", overhead);
        }
    }
    values.extend(search.symbols());
    values
}
