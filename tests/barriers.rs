//! Barriers whose absence shows on few devices: memory of a workgroup is prepared by one invocation and used by all.
//! Where subgroups run in order, as they usually do, the first invocation is always early enough, with and without a
//! barrier. Here the last one prepares it instead: with the barrier nothing changes, and without it results are wrong
//! wherever subgroups run in order, as on llvmpipe.

#[path = "common/replaced_line.rs"]
mod replaced_line;
#[path = "common/shader_folder.rs"]
mod shader_folder;

use nearwater::search::fixtures::{FixtureSize, fixtures};
use nearwater::search::verify::{Case, SearchConfiguration, compare};
use nearwater::search::{SearchOptions, search_named};

use self::replaced_line::with_replaced_line;

const SEED: u64 = 20_261_121;

/// Compares a search with the oracle, on a device on which a text of a shader is replaced.
fn stays_right(file: &str, from: &str, to: &str) {
    let (_folder, gpu) = with_replaced_line(file, (from, to));
    let search = search_named("claws").expect("it is there");
    let configuration = SearchConfiguration { search, options: SearchOptions::default() };
    let all = fixtures(FixtureSize::Small, SEED).expect("fixtures have good boxes");
    for fixture in all.into_iter().filter(|fixture| ["uniform 257", "uniform 4097"].contains(&&*fixture.name)) {
        let case = Case::new(fixture);
        let comparison = compare(&gpu, &configuration, &case).expect("it fits");
        assert!(comparison.disagreement.is_none(), "{}: {:?}", case.fixture().name, comparison.disagreement);
    }
}

#[test]
fn the_cell_of_a_workgroup_is_found_after_it_was_forgotten() {
    let from = "if order(place) == 0u {\n        found_cell = NO_CELL;";
    let to = "if order(place) == WORKGROUP_SIZE - 1u {\n        found_cell = NO_CELL;";
    stays_right("search/claws_work.wgsl", from, to);
}

#[test]
fn the_queue_is_emptied_before_visitors_are_appended() {
    let from = "if order(place) == 0u {\n            atomicStore(&queue_asked, 0u);";
    let to = "if order(place) == WORKGROUP_SIZE - 1u {\n            atomicStore(&queue_asked, 0u);";
    stays_right("search/claws.wgsl", from, to);
}
