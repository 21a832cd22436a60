//! Every variant of the shaders of CLAWS composes and fits the workgroup memory of all kinds of adapters.

use super::options::{LOCAL_GRID, MERGED_ROWS, PAIRS_ONCE, REORDER, SCHEDULE, SHARED_QUEUE};
use super::variants::{queue_capacity, sizes, variant};
use super::{BUILD_FILE, ORDER_FILE, SCHEDULE_FILE, TRAVERSAL_FILE};
use crate::gpu::imagined::{SUBGROUP_SIZES, adapter};
use crate::gpu::{Capabilities, PairKernel, ShaderLibrary, ShaderVariant, assert_same_layout, interface_of};
use crate::search::domain::Grid;
use crate::search::{ScheduleRequest, SearchOption, SearchOptions};

/// The ideas of the paper, and the two additions of this project that affect the traversal.
static IDEAS: [&SearchOption; 6] = [&REORDER, &MERGED_ROWS, &PAIRS_ONCE, &SCHEDULE, &SHARED_QUEUE, &LOCAL_GRID];

/// Every combination of these settings.
fn combinations() -> impl Iterator<Item = SearchOptions> {
    (0..1_u32 << IDEAS.len()).map(|bits| {
        let chosen = (0..).zip(IDEAS).map(|(place, option)| (option, f32::from((bits >> place & 1) as u8)));
        chosen.fold(SearchOptions::default(), |options, (option, value)| options.with(option, value))
    })
}

/// Composes a variant, and checks the layout of its grid, and the size and memory of its entry points, against the
/// adapter.
fn check(adapter: &Capabilities, variant: &ShaderVariant, entry_points: &[&str]) -> naga::Module {
    let (module, info) = ShaderLibrary::embedded().compose(variant).unwrap_or_else(|error| panic!("{error}"));
    assert_same_layout::<Grid>(&module);
    for entry_point in entry_points {
        let interface = interface_of(&module, &info, entry_point).expect("the entry point exists");
        let (size, bytes) = (interface.workgroup_size[0], interface.workgroup_bytes);
        assert!(size <= adapter.limits.max_compute_invocations_per_workgroup, "{entry_point}: {size} invocations");
        let limit = adapter.limits.max_compute_workgroup_storage_size;
        assert!(bytes <= limit, "{entry_point} on {}: {bytes} of {limit} bytes", adapter.name);
    }
    module
}

fn adapters() -> impl Iterator<Item = Capabilities> {
    let memories = [(16_384, 256), (32_768, 1_024), (49_152, 1_024), (65_536, 1_024)];
    SUBGROUP_SIZES.into_iter().flat_map(move |sizes| {
        memories.map(|(memory, invocations)| {
            let mut adapter = adapter(sizes, memory);
            adapter.limits.max_compute_invocations_per_workgroup = invocations;
            adapter.limits.max_compute_workgroup_size_x = invocations;
            adapter
        })
    })
}

#[test]
fn every_variant_composes_and_fits_its_workgroup_memory() {
    let forces = PairKernel::new("fluid/wcsph/forces.wgsl", false);
    let every = combinations().map(|options| (adapter(Some((32, 32)), 49_152), options));
    // Only the number of ranges affects the amount of memory.
    let extremes = || combinations().step_by(63);
    let cases = adapters().flat_map(|adapter| extremes().map(move |options| (adapter.clone(), options)));
    for (adapter, options) in cases.chain(every) {
        let shader = |file| variant(&adapter, &options, file);
        let build = ["clear_counters", "count_particles", "reorder"];
        check(&adapter, &shader(BUILD_FILE), &build);
        check(&adapter, &shader(ORDER_FILE), &["order_blocks"]);
        let module = check(&adapter, &shader(SCHEDULE_FILE), &["write_schedule"]);
        assert_same_layout::<ScheduleRequest>(&module);
        let traversal = shader(TRAVERSAL_FILE).with_pair(forces).with_flag("CUBIC_SPLINE");
        let traversal = traversal.with_flag("TRAVERSAL").with_flag("DEPOSITS");
        check(&adapter, &traversal, &["traverse"]);
    }
}

#[test]
fn every_pair_kernel_composes_with_and_without_counters_and_float_atomics() {
    let kernels = [
        ("search/count_pairs.wgsl", false),
        ("search/list_pairs.wgsl", false),
        ("search/kernel_sum.wgsl", true),
        ("fluid/density.wgsl", true),
        ("fluid/wcsph/forces.wgsl", false),
    ];
    for adapter in [Some((8, 8)), None].map(|sizes| adapter(sizes, 32_768)) {
        for (file, vanishes_at_radius) in kernels {
            for flags in 0..4 {
                let traversal = variant(&adapter, &SearchOptions::default(), TRAVERSAL_FILE)
                    .with_pair(PairKernel::new(file, vanishes_at_radius))
                    .with_flag("CUBIC_SPLINE")
                    .with_flag("TRAVERSAL")
                    .with_flag("DEPOSITS")
                    .with_flag_if(vanishes_at_radius, "PAIR_VANISHES")
                    .with_flag_if(flags & 1 > 0, "COUNT_PAIRS")
                    .with_flag_if(flags & 2 > 0, "FLOAT_ATOMICS");
                check(&adapter, &traversal, &["traverse"]);
            }
        }
    }
}

#[test]
fn chunks_are_large_and_the_queue_holds_what_a_subgroup_adds() {
    for adapter in adapters() {
        let sizes = sizes(&adapter);
        assert!(sizes.chunk_capacity >= 300, "{}: {sizes:?}", adapter.name);
        let largest = adapter.subgroup_sizes.map_or(1, |(_, largest)| largest);
        // A subgroup adds four blocks of visitors as long as itself at once, or waits for the next round.
        assert!(queue_capacity(&adapter) >= 4 * largest, "{}", adapter.name);
    }
}
