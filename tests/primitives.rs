//! The primitives, compared exactly with the CPU, on every variant of their shaders.

mod altered;
mod common;

use std::sync::{Arc, OnceLock};

use nearwater::gpu::{Capabilities, Gpu, GpuError, Phase, read_buffer, record};
use nearwater::primitives::{BitonicSort, ExclusiveScan, RadixSort};
use nearwater::search::random;
use wgpu::util::DeviceExt as _;

const SEED: u64 = 20_261_121;
/// The contents of buffers past the tested numbers, where nothing may be written.
const POISON: u32 = 0xdead_beef;

/// Sizes around those of subgroups, workgroups, tiles and blocks of every variant, and around twice those; around the
/// four blocks above which a scan takes three dispatches; and larger sizes that are multiples of none of them.
const SIZES: [u32; 36] = [
    0, 1, 2, 3, 5, 8, 31, 33, 63, 64, 65, 127, 129, 255, 256, 257, 1_023, 1_024, 1_025, 2_047, 2_048, 2_049, 4_095,
    4_096, 4_097, 6_151, 8_191, 8_192, 8_193, 12_289, 16_383, 16_384, 16_385, 20_481, 100_003, 1_000_003,
];

/// The unaltered adapter; adapters without subgroups and with wide ones; and an adapter with so few workgroups per
/// dimension that dispatches are tiled, as those of more than 65,535 workgroups are (which no 128 MiB binding of the
/// software adapter can reach).
fn devices() -> &'static [(&'static str, Arc<Gpu>)] {
    static DEVICES: OnceLock<Vec<(&'static str, Arc<Gpu>)>> = OnceLock::new();
    DEVICES.get_or_init(|| {
        vec![
            ("unaltered", common::gpu()),
            ("without subgroups", altered::altered(|capabilities| capabilities.subgroup_sizes = None)),
            (
                "with wide subgroups",
                altered::altered(|capabilities| {
                    if let Some((_, largest)) = &mut capabilities.subgroup_sizes {
                        *largest = 128;
                    }
                }),
            ),
            // The sort then takes narrower digits, where wide ones would not fit.
            (
                "with subgroups of 4 to 128 lanes and little workgroup memory",
                altered::altered(|capabilities| {
                    capabilities.subgroup_sizes = capabilities.subgroup_sizes.map(|_| (4, 128));
                    capabilities.limits.max_compute_workgroup_storage_size = 16_384;
                }),
            ),
            ("with tiled dispatches", altered::altered(tile_dispatches)),
        ]
    })
}

fn tile_dispatches(capabilities: &mut Capabilities) {
    capabilities.limits.max_compute_workgroups_per_dimension = 37;
}

/// The adapters that matter for the bitonic sort: unaltered, with the least workgroup memory, and with tiled
/// dispatches.
fn devices_for_bitonic_sort() -> [(&'static str, Arc<Gpu>); 3] {
    [
        ("unaltered", common::gpu()),
        (
            "with little workgroup memory",
            altered::altered(|capabilities| capabilities.limits.max_compute_workgroup_storage_size = 16_384),
        ),
        ("with tiled dispatches", altered::altered(tile_dispatches)),
    ]
}

/// Sizes whose workgroups a device can dispatch: the tiled one allows 37 by 37.
fn sizes_for(gpu: &Gpu) -> impl Iterator<Item = u32> {
    let rows = gpu.capabilities.limits.max_compute_workgroups_per_dimension;
    SIZES.into_iter().filter(move |&size| size / 1_000 <= rows * rows)
}

fn random_u32(index: u32) -> u32 {
    let half = |part: u64| (random::uniform(SEED, 2 * u64::from(index) + part) * 65_536.0) as u32;
    half(0) << 16 | half(1)
}

/// A buffer that ends directly after its numbers, unlike those of [`Gpu::storage`], so that not all can be read as
/// vectors.
fn unpadded(gpu: &Gpu, values: &[u32]) -> wgpu::Buffer {
    gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: Some("unpadded"),
        contents: bytemuck::cast_slice(values),
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
    })
}

fn assert_same(what: &str, found: &[u32], expected: &[u32]) {
    assert_eq!(found.len(), expected.len(), "{what}");
    if let Some(index) = (0..found.len()).find(|&index| found[index] != expected[index]) {
        panic!("{what}, seed {SEED}: element {index} is {} and should be {}", found[index], expected[index]);
    }
}

fn exclusive_scan_on_cpu(values: &[u32]) -> Vec<u32> {
    let before = |sum: &mut u32, value: &u32| {
        let next = sum.wrapping_add(*value);
        Some(std::mem::replace(sum, next))
    };
    values.iter().scan(0, before).collect()
}

/// Scans `values` twice with the same passes, from fresh copies, so that leftover state of the first run would show.
fn check_scan(gpu: &Gpu, what: &str, values: &[u32], tail: u32, make: fn(&Gpu, &[u32]) -> wgpu::Buffer) {
    let mut input = values.to_vec();
    input.extend(std::iter::repeat_n(POISON, tail as usize));
    let mut expected = exclusive_scan_on_cpu(values);
    expected.extend(std::iter::repeat_n(POISON, tail as usize));
    let buffer = make(gpu, &input);
    let scan = ExclusiveScan::new(gpu, &buffer, values.len() as u32).expect("the values fit");
    let passes = scan.passes(gpu, Phase::Build).expect("the shader compiles");
    for run in ["first", "second"] {
        gpu.queue.write_buffer(&buffer, 0, bytemuck::cast_slice(&input));
        gpu.submit(|encoder| record(&passes, encoder, None));
        let found = read_buffer::<u32>(gpu, &buffer, input.len()).expect("the device answers");
        assert_same(&format!("{run} scan of {} {what}", values.len()), &found, &expected);
    }
}

fn padded(gpu: &Gpu, values: &[u32]) -> wgpu::Buffer {
    gpu.storage_with("values", values).expect("the values fit")
}

#[test]
fn scans_match_the_cpu_at_every_size() {
    for (device, gpu) in devices() {
        for size in sizes_for(gpu) {
            // Numbers of full width, so that sums wrap around.
            let values: Vec<u32> = (0..size).map(random_u32).collect();
            check_scan(gpu, &format!("random, {device}"), &values, 0, padded);
        }
    }
}

#[test]
fn scans_read_buffers_that_end_within_a_vector() {
    for (device, gpu) in devices() {
        for size in [1, 2, 3, 4, 5, 4_097, 16_383, 16_387, 20_481, 20_482, 20_483] {
            let values: Vec<u32> = (0..size).map(random_u32).collect();
            check_scan(gpu, &format!("unpadded, {device}"), &values, 0, unpadded);
        }
    }
}

#[test]
fn scans_touch_nothing_past_their_count() {
    for (device, gpu) in devices() {
        for size in [0, 1, 2, 3, 5, 4_095, 4_096, 16_385, 16_386, 16_387, 16_388] {
            let values: Vec<u32> = (0..size).map(random_u32).collect();
            for tail in [1, 9] {
                check_scan(gpu, &format!("before a tail, {device}"), &values, tail, padded);
                check_scan(gpu, &format!("unpadded before a tail, {device}"), &values, tail, unpadded);
            }
        }
    }
}

struct SortCase<'a> {
    what: &'a str,
    keys: &'a [u32],
    key_bits: u32,
    tail: u32,
}

/// Sorts twice with the same passes, from fresh copies. The values are the indices of the keys, so that equal keys in
/// the wrong order would show; keys keep their bits above `key_bits`.
fn check_sort(gpu: &Gpu, case: &SortCase) {
    let &SortCase { what, keys, key_bits, tail } = case;
    let mask = u32::MAX.checked_shr(u32::BITS - key_bits).unwrap_or(0);
    let mut order: Vec<u32> = (0..keys.len() as u32).collect();
    order.sort_by_key(|&place| keys[place as usize] & mask);
    let sorted: Vec<u32> = order.iter().map(|&place| keys[place as usize]).collect();

    let poison = || std::iter::repeat_n(POISON, tail as usize);
    let key_input: Vec<u32> = keys.iter().copied().chain(poison()).collect();
    let value_input: Vec<u32> = (0..keys.len() as u32).chain(poison()).collect();
    let key_buffer = padded(gpu, &key_input);
    let value_buffer = padded(gpu, &value_input);
    let sort = RadixSort::new(gpu, &key_buffer, &value_buffer, keys.len() as u32, key_bits).expect("the pairs fit");
    let passes = sort.passes(gpu, Phase::Build).expect("the shader compiles");
    for run in ["first", "second"] {
        gpu.queue.write_buffer(&key_buffer, 0, bytemuck::cast_slice(&key_input));
        gpu.queue.write_buffer(&value_buffer, 0, bytemuck::cast_slice(&value_input));
        gpu.submit(|encoder| record(&passes, encoder, None));
        let read = |buffer, count| read_buffer::<u32>(gpu, buffer, count).expect("the device answers");
        let what = format!("{run} sort of {} {what} by {key_bits} bits", keys.len());
        assert_same(&format!("{what}: keys"), &read(sort.sorted_keys(), keys.len()), &sorted);
        assert_same(&format!("{what}: values"), &read(sort.sorted_values(), keys.len()), &order);
        let poisoned: Vec<u32> = poison().collect();
        for buffer in [&key_buffer, &value_buffer] {
            let behind = read(buffer, key_input.len()).split_off(keys.len());
            assert_same(&format!("{what}: behind the pairs"), &behind, &poisoned);
        }
    }
}

#[test]
fn sorts_match_the_cpu_at_every_size() {
    for (device, gpu) in devices() {
        for size in sizes_for(gpu) {
            let keys: Vec<u32> = (0..size).map(random_u32).collect();
            check_sort(gpu, &SortCase { what: &format!("random, {device}"), keys: &keys, key_bits: 24, tail: 0 });
        }
    }
}

#[test]
fn sorts_use_the_requested_number_of_bits() {
    for (device, gpu) in devices() {
        for key_bits in [0, 1, 4, 8, 9, 13, 24, 32] {
            let keys: Vec<u32> = (0..5_003).map(random_u32).collect();
            check_sort(gpu, &SortCase { what: &format!("random, {device}"), keys: &keys, key_bits, tail: 9 });
        }
    }
}

#[test]
fn sorts_are_stable_on_equal_and_ordered_keys() {
    /// The key at an index.
    type Key = fn(u32) -> u32;
    const COUNT: u32 = 9_001;
    let inputs: [(&str, Key); 6] = [
        ("equal", |_| 0x0055_aa55),
        ("highest", |_| u32::MAX),
        ("ascending", |place| place * 7),
        ("descending", |place| (COUNT - place) * 7),
        ("few different", |place| random_u32(place) % 3),
        ("in runs", |place| place / 100),
    ];
    for (device, gpu) in devices() {
        for (what, key) in inputs {
            let keys: Vec<u32> = (0..COUNT).map(key).collect();
            check_sort(gpu, &SortCase { what: &format!("{what}, {device}"), keys: &keys, key_bits: 24, tail: 3 });
            check_sort(gpu, &SortCase { what: &format!("{what}, {device}"), keys: &keys, key_bits: 32, tail: 3 });
        }
    }
}

/// Sorts pairs twice with the same passes of the bitonic sort, from fresh copies.
fn check_bitonic_sort(gpu: &Gpu, what: &str, pairs: &[(u32, u32)], tail: usize) {
    let mut sorted = pairs.to_vec();
    sorted.sort_unstable();
    let (keys, values): (Vec<u32>, Vec<u32>) = pairs.iter().copied().unzip();
    let (sorted_keys, sorted_values): (Vec<u32>, Vec<u32>) = sorted.into_iter().unzip();
    let with_tail = |numbers: Vec<u32>| [numbers, vec![POISON; tail]].concat();
    let inputs = [with_tail(keys), with_tail(values)];
    let expected = [with_tail(sorted_keys), with_tail(sorted_values)];

    let buffers = [padded(gpu, &inputs[0]), padded(gpu, &inputs[1])];
    let count = pairs.len() as u32;
    let sort = BitonicSort::new(gpu, &buffers[0], &buffers[1], count).expect("the pairs fit");
    let passes = sort.passes(gpu, Phase::Build).expect("the shader compiles");
    let mut labels: Vec<_> = passes.iter().map(|pass| pass.label).collect();
    labels.sort_unstable();
    labels.dedup();
    assert_eq!(labels.len(), passes.len(), "labels are unique");
    for run in ["first", "second"] {
        for (buffer, input) in buffers.iter().zip(&inputs) {
            gpu.queue.write_buffer(buffer, 0, bytemuck::cast_slice(input));
        }
        gpu.submit(|encoder| record(&passes, encoder, None));
        for ((buffer, expected), part) in buffers.iter().zip(&expected).zip(["keys", "values"]) {
            let found = read_buffer::<u32>(gpu, buffer, expected.len()).expect("the device answers");
            assert_same(&format!("{run} bitonic sort of {count} {what}: {part}"), &found, expected);
        }
    }
}

#[test]
fn bitonic_sorts_match_the_cpu_at_every_size() {
    for (device, gpu) in &devices_for_bitonic_sort() {
        for size in sizes_for(gpu) {
            let pairs: Vec<(u32, u32)> = (0..size).map(|place| (random_u32(place), place)).collect();
            check_bitonic_sort(gpu, &format!("random, {device}"), &pairs, 0);
        }
    }
}

#[test]
fn bitonic_sorts_order_equal_keys_by_value_and_touch_nothing_past_their_count() {
    /// The pair at an index.
    type PairAt = fn(u32) -> (u32, u32);
    const COUNT: u32 = 9_001;
    let inputs: [(&str, PairAt); 8] = [
        ("equal", |_| (7, 7)),
        ("highest", |_| (u32::MAX, u32::MAX)),
        ("of equal keys", |place| (0x0055_aa55, place)),
        ("of equal keys, reversed", |place| (5, COUNT - place)),
        ("ascending", |place| (place * 7, place)),
        ("descending", |place| ((COUNT - place) * 7, place)),
        ("of few keys and random values", |place| (random_u32(place) % 3, random_u32(place + COUNT))),
        ("in runs", |place| (place / 100, place)),
    ];
    for (device, gpu) in &devices_for_bitonic_sort() {
        for (what, pair) in inputs {
            let pairs: Vec<(u32, u32)> = (0..COUNT).map(pair).collect();
            check_bitonic_sort(gpu, &format!("{what}, {device}"), &pairs, 9);
        }
    }
}

#[test]
fn labels_are_unique() {
    for (device, gpu) in devices() {
        let (keys, values) = (padded(gpu, &[0; 2_000]), padded(gpu, &[0; 2_000]));
        let sort = RadixSort::new(gpu, &keys, &values, 2_000, 32).expect("the pairs fit");
        let mut labels: Vec<_> = sort.passes(gpu, Phase::Build).expect("it compiles").iter().map(|p| p.label).collect();
        let count = labels.len();
        assert!(count == 12 || count == 24, "{count} passes {device}");
        labels.sort_unstable();
        labels.dedup();
        assert_eq!(labels.len(), count, "{device}");
    }
}

#[test]
fn short_buffers_and_small_workgroup_memory_are_refused() {
    let gpu = common::gpu();
    let short = padded(&gpu, &[0; 4]);
    let long = padded(&gpu, &[0; 8]);
    assert!(matches!(ExclusiveScan::new(&gpu, &short, 5), Err(GpuError::TooSmall { bytes: 16, needed: 20, .. })));
    assert!(matches!(RadixSort::new(&gpu, &short, &long, 5, 8), Err(GpuError::TooSmall { .. })));
    assert!(matches!(RadixSort::new(&gpu, &long, &short, 5, 8), Err(GpuError::TooSmall { .. })));
    assert!(matches!(BitonicSort::new(&gpu, &short, &long, 5), Err(GpuError::TooSmall { .. })));
    assert!(matches!(BitonicSort::new(&gpu, &long, &short, 5), Err(GpuError::TooSmall { .. })));

    let small = altered::altered(|capabilities| capabilities.limits.max_compute_workgroup_storage_size = 512);
    let (keys, values) = (padded(&small, &[0; 8]), padded(&small, &[0; 8]));
    assert!(matches!(RadixSort::new(&small, &keys, &values, 8, 8), Err(GpuError::Unsupported { .. })));
    assert!(matches!(BitonicSort::new(&small, &keys, &values, 8), Err(GpuError::Unsupported { .. })));
}
