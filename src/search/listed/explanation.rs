//! The explanation of lists of neighbors, which the panel shows below that of the search that writes the list.

use super::{CROWDED_FILE, FILE};
use crate::explanation::Expression::{Number, Product, Sum, Symbol as S, Term};
use crate::explanation::{Explanation, Formula, PassTag, PseudocodeLine, Symbol, Unit};

const CLEAR: &[PassTag] = &[PassTag::EntryPoint(FILE, "clear_lengths")];
const LIST: &[PassTag] = &[PassTag::PairKernel("search/list_columns.wgsl")];
const BOUND: &[PassTag] = &[PassTag::EntryPoint(FILE, "bound_chunks")];
const LIST_CROWDED: &[PassTag] = &[PassTag::EntryPoint(CROWDED_FILE, "list_crowded")];
const TRAVERSE: &[PassTag] = &[PassTag::EntryPoint(FILE, "traverse")];

/// Idea, pseudocode and memory of the lists that `neighbor-list` turns on.
pub static LIST_EXPLANATION: Explanation = Explanation {
    sentences: [
        "All pair kernels of a step need the same pairs, and the search would find them again for each.",
        "So the search runs once after the build and writes the neighbors of each particle to a list, which the pair \
         kernels read.",
        "A crowded particle, with more neighbors than the list has room for, gets a longer list, which a workgroup fills \
         by bounding boxes of chunks of particles.",
    ],
    pseudocode: &[&[
        PseudocodeLine::heading("Neighbor list, after the build"),
        PseudocodeLine::new(0, "foreach particle i do  length[i] := 0", CLEAR),
        PseudocodeLine::new(0, "foreach pair (i, j) that the search finds do", LIST),
        PseudocodeLine::new(1, "if length[i] < C then  list[i][length[i]] := j", LIST),
        PseudocodeLine::new(1, "length[i] := length[i] + 1", LIST),
        PseudocodeLine::new(0, "if length[i] > C for any i, in any step then", BOUND),
        PseudocodeLine::new(1, "foreach 256 particles do  find their bounding box", BOUND),
        PseudocodeLine::new(0, "foreach particle i with length[i] > C do", LIST_CROWDED),
        PseudocodeLine::new(1, "foreach box within r of x_i, foreach j in it do", LIST_CROWDED),
        PseudocodeLine::new(2, "if |x_i − x_j| ≤ r ∧ j ≠ i then  append j to long[i]", LIST_CROWDED),
        PseudocodeLine::heading("Traversals of the list"),
        PseudocodeLine::new(0, "foreach particle i do", TRAVERSE),
        PseudocodeLine::new(1, "if length[i] ≤ C then", TRAVERSE),
        PseudocodeLine::new(2, "foreach j in list[i] do  sum += f(i, j)", TRAVERSE),
        PseudocodeLine::new(1, "if length[i] > C then", TRAVERSE),
        PseudocodeLine::new(2, "foreach j in long[i] do  sum += f(i, j)", TRAVERSE),
        PseudocodeLine::new(2, "if there was no room for long[i] then", TRAVERSE),
        PseudocodeLine::new(3, "find every j as above, and  sum += f(i, j)", TRAVERSE),
        PseudocodeLine::new(1, "finish(i, sum)", TRAVERSE),
    ]],
    formulas: &[Formula::exact(
        "memory of the list",
        Sum(&[Term(8.0, "n"), Product(&[Number(4.0), S("C"), S("n")]), Term(16.0, "J"), Term(32.0, "u"), Number(16.0)]),
        Unit::Bytes,
        "L",
    )
    .from("the neighbors, their numbers, the indices of crowded particles, and the bounding boxes")],
    symbols: &[
        Symbol::new("C", "neighbors of a particle that the list has room for", Unit::Count),
        Symbol::new("J", "groups of four neighbors for which crowded particles have room", Unit::Count),
        Symbol::new("u", "chunks of 256 particles", Unit::Count),
        Symbol::new("L", "memory of the list of neighbors", Unit::Bytes),
    ],
    advice: &[],
};
