//! The bitonic sort of key-value pairs: its stages, dispatches and limits.

use super::check_length;
use crate::gpu::{
    Capabilities, Dispatch, Gpu, GpuError, Pass, PassDescriptor, Phase, ShaderVariant, element_bytes, gpu_struct,
};

const FILE: &str = "primitives/bitonic_sort.wgsl";
/// Every WebGPU device supports this many invocations per workgroup.
const WORKGROUP_SIZE: u32 = 256;
/// Tiles of 2,048 pairs fit the workgroup memory of every WebGPU device; beyond 4,096, fewer workgroups run
/// concurrently.
const TILE_BITS: std::ops::RangeInclusive<u32> = 11..=12;
const PAIR_BYTES: u32 = 8;
/// Logarithm of the number of consecutive pairs that a workgroup reads and writes together in steps that compare
/// distant pairs: a cache line of keys.
const LEAST_RUN_BITS: u32 = 5;

gpu_struct! {
    /// Parameters of one dispatch.
    pub struct MergePass {
        /// Pairs to sort, at least one.
        pub count: u32,
        /// The last step compares pairs whose indices differ in this bit, and each earlier step uses the next higher
        /// bit.
        pub lowest_bit: u32,
        /// Number of steps in the dispatch; all bits of a tile if `lowest_bit` is 0.
        pub step_count: u32,
        /// 1 if the first step is the first of its stage, which compares each pair with its mirror image; otherwise 0.
        pub mirrors: u32,
    }
}

/// Labels of a stage's dispatches.
macro_rules! stage_labels {
    ($($stage:literal)*) => {
        [$([
            concat!("sort 2^", $stage, " part 1"),
            concat!("sort 2^", $stage, " part 2"),
            concat!("sort 2^", $stage, " part 3"),
            concat!("sort 2^", $stage, " part 4"),
            concat!("sort 2^", $stage, " part 5"),
        ]),*]
    };
}

/// Largest number of pairs that stages of 31 bits can sort; a binding holds fewer.
const LARGEST_COUNT: u32 = 1 << 31;

/// Labels by stage, from the first stage longer than the smallest tile to the last one of a list that u32 can index.
static LABELS: [[&str; 5]; 20] = stage_labels!(12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);

/// In-place sort of u32 keys with a u32 value each, ascending by key and, among equal keys, by value: it is therefore
/// stable where values ascend, and its result never depends on the order of execution.
///
/// The sort takes `log n (log n + 1) / 2` steps of comparisons between fixed indices. It neither counts nor scatters,
/// which suits processors that can only gather. Steps that compare pairs within 4,096 pairs (2,048 where workgroup
/// memory is small) share a dispatch, so 2^20 pairs take 210 steps in 18 dispatches. Any length is possible: missing
/// pairs past the end count as higher than all others and never move. It needs no memory beyond the caller's.
/// Limitations: with many pairs it is slow, because every dispatch reads and writes all of them, several times as often
/// as the radix sort.
///
/// Source: Batcher 1968, "Sorting networks and their applications"; Purcell et al. 2003, "Photon mapping on
/// programmable graphics hardware", uses one dispatch per step.
///
/// ```
/// use nearwater::gpu::{Phase, read_buffer, record};
/// use nearwater::primitives::BitonicSort;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let gpu = nearwater::gpu::Gpu::open(None, nearwater::gpu::ShaderLibrary::embedded())?;
/// let keys = gpu.storage_with("keys", &[40_u32, 10, 30, 20])?;
/// let values = gpu.storage_with("values", &[0_u32, 1, 2, 3])?;
/// let passes = BitonicSort::new(&gpu, &keys, &values, 4)?.passes(&gpu, Phase::Build)?;
/// gpu.submit(|encoder| record(&passes, encoder, None));
/// assert_eq!(read_buffer::<u32>(&gpu, &values, 4)?, [1, 3, 2, 0]);
/// # Ok(())
/// # }
/// ```
pub struct BitonicSort {
    keys: wgpu::Buffer,
    values: wgpu::Buffer,
    count: u32,
    tile_bits: u32,
}

impl BitonicSort {
    /// A sort of the first `count` elements of `keys` and `values`; elements past them are not touched.
    ///
    /// # Errors
    /// When a buffer is shorter than `count`, there are more than 2^31 pairs, or the adapter's workgroup memory is too
    /// small.
    pub fn new(gpu: &Gpu, keys: &wgpu::Buffer, values: &wgpu::Buffer, count: u32) -> Result<Self, GpuError> {
        check_length("the bitonic sort's keys", keys, count)?;
        check_length("the bitonic sort's values", values, count)?;
        if count > LARGEST_COUNT {
            return Err(GpuError::TooLarge {
                what: "the bitonic sort".to_owned(),
                bytes: element_bytes::<u32>(count.into()),
                limit: element_bytes::<u32>(LARGEST_COUNT.into()),
                remedy: "sort fewer pairs".to_owned(),
            });
        }
        let tile_bits = tile_bits(&gpu.capabilities, count)?;
        Ok(Self { keys: keys.clone(), values: values.clone(), count, tile_bits })
    }

    /// Number of passes: one for the tiles, and those of every longer stage; none if there is nothing to sort.
    pub fn pass_count(&self) -> u32 {
        let of_stages = merges(self.count, self.tile_bits).map(|(_, merges)| merges.len() as u32).sum::<u32>();
        if self.count < 2 { 0 } else { 1 + of_stages }
    }

    /// The passes, in order; none if there is nothing to sort.
    ///
    /// # Errors
    /// When a shader does not compile or the adapter cannot dispatch that many tiles.
    pub fn passes(&self, gpu: &Gpu, phase: Phase) -> Result<Vec<Pass>, GpuError> {
        if self.count < 2 {
            return Ok(Vec::new());
        }
        let variant = variant(self.tile_bits);
        let pass = |label, entry_point, merge_pass: MergePass| {
            let uniform = gpu.uniform("bitonic merge", &merge_pass);
            let buffers = [("merge_pass", &uniform), ("keys", &self.keys), ("values", &self.values)];
            let dispatch = Dispatch::Workgroups(merge_pass.workgroup_count(self.tile_bits));
            Pass::new(gpu, PassDescriptor { phase, label, shader: &variant, entry_point, buffers: &buffers, dispatch })
        };
        let whole_tiles = MergePass { count: self.count, lowest_bit: 0, step_count: self.tile_bits, mirrors: 0 };
        let mut passes = vec![pass("sort tiles", "sort_tiles", whole_tiles)?];
        for (stage, merges) in merges(self.count, self.tile_bits) {
            let labels = &LABELS[(stage - TILE_BITS.start() - 1) as usize];
            for (merge_pass, label) in merges.into_iter().zip(labels) {
                passes.push(pass(label, "merge", merge_pass)?);
            }
        }
        Ok(passes)
    }
}

/// The shader for tiles of `2^tile_bits` pairs.
pub(super) fn variant(tile_bits: u32) -> ShaderVariant {
    ShaderVariant::new(FILE).with_number("WORKGROUP_SIZE", WORKGROUP_SIZE).with_number("TILE_BITS", tile_bits)
}

/// The logarithm of a tile's length: as long as workgroup memory allows, but no longer than needed for all pairs.
pub(super) fn tile_bits(capabilities: &Capabilities, count: u32) -> Result<u32, GpuError> {
    let bytes = capabilities.limits.max_compute_workgroup_storage_size;
    let longest = TILE_BITS.rev().find(|bits| PAIR_BYTES << bits <= bytes).ok_or_else(|| GpuError::Unsupported {
        adapter: capabilities.name.clone(),
        reason: "its workgroup memory is too small for the bitonic sort".to_owned(),
    })?;
    Ok(longest.min(last_stage(count)))
}

/// The logarithm of the smallest power of two that is not less than `count`; at least 1.
fn last_stage(count: u32) -> u32 {
    (u32::BITS - count.saturating_sub(1).leading_zeros()).max(1)
}

/// Every stage longer than a tile, with its dispatches. Steps that reach beyond a tile are distributed evenly over the
/// dispatches, because fewer steps in a dispatch make longer runs of consecutive pairs.
pub(super) fn merges(count: u32, tile_bits: u32) -> impl Iterator<Item = (u32, Vec<MergePass>)> {
    (tile_bits + 1..=last_stage(count)).map(move |stage| {
        let far_steps = stage - tile_bits;
        let dispatch_count = far_steps.div_ceil(tile_bits - LEAST_RUN_BITS);
        let mut highest_bit = stage;
        let mut merges: Vec<_> = (0..dispatch_count)
            .map(|dispatch| {
                let step_count = (far_steps + dispatch) / dispatch_count;
                highest_bit -= step_count;
                MergePass { count, lowest_bit: highest_bit, step_count, mirrors: u32::from(dispatch == 0) }
            })
            .collect();
        merges.push(MergePass { count, lowest_bit: 0, step_count: tile_bits, mirrors: 0 });
        (stage, merges)
    })
}

impl MergePass {
    /// Number of workgroups that cover every block of pairs that are brought together; the last block may be
    /// incomplete.
    fn workgroup_count(&self, tile_bits: u32) -> u64 {
        let block_bits = self.lowest_bit + self.step_count;
        u64::from(self.count).div_ceil(1 << block_bits) << (block_bits - tile_bits)
    }
}
