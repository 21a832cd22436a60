//! Tests of the primitives that need no device, for adapters of every kind.

use super::bitonic_sort::{self, MergePass};
use super::exclusive_scan::{self, ScanLength};
use super::radix_sort::{DigitPass, TileShape};
use crate::gpu::imagined::{SUBGROUP_SIZES, adapter};
use crate::gpu::{GpuError, GpuStruct, ShaderLibrary, ShaderVariant, assert_same_layout, interface_of};

/// Composes a variant; checks its workgroup size, that every entry point exists, and that `T` has the same layout as in
/// Rust. Returns the bytes of workgroup memory of each entry point.
fn check_variant<T: GpuStruct>(variant: &ShaderVariant, entry_points: &[&str]) -> Vec<u32> {
    let (module, info) = ShaderLibrary::embedded().compose(variant).unwrap_or_else(|error| panic!("{error}"));
    assert_same_layout::<T>(&module);
    let bytes_of = |entry_point: &&str| {
        let interface = interface_of(&module, &info, entry_point).expect("the entry point is there");
        assert_eq!(Some(interface.workgroup_size[0]), variant.definitions["WORKGROUP_SIZE"], "{variant:?}");
        interface.workgroup_bytes
    };
    entry_points.iter().map(bytes_of).collect()
}

#[test]
fn every_variant_of_the_scan_composes() {
    for sizes in SUBGROUP_SIZES {
        for by_vectors in [false, true] {
            let variant = exclusive_scan::variant(&adapter(sizes, 16_384), by_vectors);
            check_variant::<ScanLength>(&variant, &["reduce", "scan_serially", "scan_blocks"]);
        }
    }
}

#[test]
fn every_variant_of_the_sort_composes_and_fits_its_workgroup_memory() {
    for sizes in SUBGROUP_SIZES {
        for workgroup_memory in [16_384, 32_768, 49_152] {
            let adapter = adapter(sizes, workgroup_memory);
            // No adapter is refused: digits are narrower where 32 subgroups of four lanes would need 256 bins each.
            let shape = TileShape::new(&adapter).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(shape.workgroup_size % adapter.subgroup_sizes.map_or(1, |(_, largest)| largest), 0);
            let bytes =
                check_variant::<DigitPass>(&shape.variant(&adapter), &["count_digits", "scan_tiles", "scatter"]);
            let is_narrow = sizes.is_none() || (sizes == Some((4, 128)) && workgroup_memory < 49_152);
            assert_eq!(shape.digit_bits, if is_narrow { 4 } else { 8 }, "{}", adapter.name);
            assert_eq!(bytes[2], shape.workgroup_bytes(&adapter), "{}", adapter.name);
            assert!(bytes.iter().all(|&bytes| bytes <= workgroup_memory), "{}: {bytes:?}", adapter.name);
        }
    }
}

#[test]
fn digits_cover_the_key_bits_once_in_the_fewest_passes() {
    for digit_bits in [4, 8] {
        let shape = TileShape { workgroup_size: 64, digit_bits };
        for key_bits in 0..=u32::BITS {
            let passes = shape.digit_passes(1_000, key_bits);
            assert_eq!(passes.len() as u32, key_bits.div_ceil(digit_bits));
            let mut covered = 0_u64;
            for pass in &passes {
                assert!(pass.mask > 0 && pass.mask < pass.bin_count && pass.bin_count <= 1 << digit_bits, "{pass:?}");
                let bits = u64::from(pass.mask) << pass.shift;
                assert_eq!(bits & covered, 0, "{key_bits} bits: {pass:?} overlaps the digits below");
                covered |= bits;
            }
            assert_eq!(covered, (1 << key_bits) - 1, "{key_bits} bits");
        }
    }
}

#[test]
fn every_variant_of_the_bitonic_sort_composes_and_fits_its_workgroup_memory() {
    for (workgroup_memory, count) in [(16_384, 1 << 20), (32_767, 4_096), (32_768, 4_096), (49_152, 1), (49_152, 1_025)]
    {
        let tile_bits = bitonic_sort::tile_bits(&adapter(None, workgroup_memory), count).expect("a tile fits");
        let variant = bitonic_sort::variant(tile_bits);
        let bytes = check_variant::<MergePass>(&variant, &["sort_tiles", "merge"]);
        assert_eq!(bytes, [8 << tile_bits; 2]);
        assert!(8 << tile_bits <= workgroup_memory);
        let is_longest = tile_bits == 12 || 16 << tile_bits > workgroup_memory;
        assert!(is_longest || (count <= 1 << tile_bits && count > 1 << (tile_bits - 1)) || tile_bits == 1);
    }
    let refusal = bitonic_sort::tile_bits(&adapter(None, 16_383), 8).expect_err("no tile fits");
    assert!(matches!(refusal, GpuError::Unsupported { .. }), "{refusal}");
}

#[test]
fn merges_take_the_steps_of_every_stage_once_from_the_farthest_to_the_nearest() {
    for tile_bits in [11, 12] {
        for count in [2, 2_048, 2_049, 4_096, 4_097, 1 << 20, (1 << 20) + 1, 1 << 31] {
            let mut length = 1_u64 << tile_bits;
            for (stage, merges) in bitonic_sort::merges(count, tile_bits) {
                assert!(length < count.into(), "{count} pairs need no stage {stage}");
                length *= 2;
                assert_eq!(length, 1 << stage);
                assert!(merges.len() <= 5, "no label for all {} parts of stage {stage}", merges.len());
                let mut bits = Vec::new();
                for (place, merge) in merges.iter().enumerate() {
                    assert_eq!(merge.mirrors, u32::from(place == 0), "only a stage's first step mirrors");
                    assert!(merge.step_count > 0 && (merge.lowest_bit == 0 || merge.lowest_bit >= tile_bits));
                    let run_bits = tile_bits - merge.step_count;
                    assert!(if merge.lowest_bit == 0 { run_bits == 0 } else { run_bits >= 5 }, "{merge:?}");
                    bits.extend((merge.lowest_bit..merge.lowest_bit + merge.step_count).rev());
                }
                assert_eq!(bits, (0..stage).rev().collect::<Vec<_>>(), "stage {stage}");
            }
            assert!(length >= count.into(), "{count} pairs are not all sorted");
        }
    }
}
