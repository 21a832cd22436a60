//! The parts of explanations that the searches with radix sorted cells share.

use super::FILE;
use crate::explanation::Expression::{Number, Sum, Symbol as S, Term};
use crate::explanation::{Expression, Formula, PassTag, PseudocodeLine, Symbol, Unit};
use crate::search::explained::{RADIX_COUNT, RADIX_SCAN, RADIX_SCATTER};

const HASH: &[PassTag] = &[PassTag::EntryPoint(FILE, "hash_particles")];
const CLEAR: &[PassTag] = &[PassTag::EntryPoint(FILE, "clear_cells")];
const FIND: &[PassTag] = &[PassTag::EntryPoint(FILE, "find_cells")];

/// The sort and the table of cells.
pub(in crate::search) const SORT_LINES: &[PseudocodeLine] = &[
    PseudocodeLine::new(0, "foreach particle i do", HASH),
    PseudocodeLine::new(1, "key[i] := Hash(⌊x_i / e⌋);  value[i] := i", HASH),
    PseudocodeLine::heading("RadixSort(key, value), once per digit:"),
    PseudocodeLine::new(1, "count the digits of each tile", RADIX_COUNT),
    PseudocodeLine::new(1, "prefix sum of the counts over all tiles", RADIX_SCAN),
    PseudocodeLine::new(1, "scatter keys and values in the order of the digit", RADIX_SCATTER),
    PseudocodeLine::new(0, "foreach cell h do  start[h] := end[h] := 0", CLEAR),
    PseudocodeLine::new(0, "foreach place p do", FIND),
    PseudocodeLine::new(1, "if key[p] ≠ key[p − 1] then  start[key[p]] := p", FIND),
    PseudocodeLine::new(1, "if key[p] ≠ key[p + 1] then  end[key[p]] := p + 1", FIND),
    PseudocodeLine::new(1, "output[p] := input[value[p]]", FIND),
];

/// The memory of the tables.
pub(in crate::search) const MEMORY: Formula =
    Formula::exact("memory of the search", Sum(&[Term(16.0, "n"), Term(8.0, "m³"), S("s")]), Unit::Bytes, "M")
        .from("keys and indices twice, a start and an end for each cell");

/// The memory as the FENNS paper gives it.
pub(in crate::search) const PAPER_MEMORY: Formula =
    Formula::unmeasured("memory in the paper", PAPER_BYTES, Unit::Bytes).from("FENNS paper, section 4.3");

const PAPER_BYTES: Expression = Sum(&[Term(8.0, "n"), Term(4.0, "m³")]);

/// The dispatches of a build.
pub(in crate::search) const DISPATCHES: Formula =
    Formula::exact("dispatches of a build", Sum(&[Term(3.0, "d"), Number(3.0)]), Unit::Count, "B")
        .from("three for each digit of the key");

/// The symbols of these formulas.
pub(in crate::search) const SYMBOLS: [Symbol; 2] = [
    Symbol::new("d", "digits of a key, by which the radix sort passes over all particles", Unit::Count),
    Symbol::new("s", "memory of the radix sort for counts of digits", Unit::Bytes),
];
