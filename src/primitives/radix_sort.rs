//! The radix sort of key-value pairs: its tiles, digits and dispatches.

use super::{check_length, shader_variant, subgroup_sizes, workgroup_size};
use crate::gpu::{Capabilities, Dispatch, Gpu, GpuError, Pass, PassDescriptor, Phase, ShaderVariant, gpu_struct};

const FILE: &str = "primitives/radix_sort.wgsl";
/// The sixteen rows of the shader.
const KEYS_PER_INVOCATION: u32 = 16;

gpu_struct! {
    /// Parameters of one digit's dispatches.
    pub struct DigitPass {
        /// Pairs to sort, at least one.
        pub count: u32,
        /// Number of tiles that they fill; the last may be incomplete.
        pub tile_count: u32,
        /// Bins of each tile: two to the power of the number of bits of the widest digit.
        pub bin_count: u32,
        /// Number of key bits below the digit.
        pub shift: u32,
        /// The bits of the digit, shifted down to bit 0.
        pub mask: u32,
    }
}

/// Labels of a digit's three passes.
macro_rules! digit_labels {
    ($($digit:literal)*) => {
        [$([
            concat!("sort digit ", $digit, " count"),
            concat!("sort digit ", $digit, " scan"),
            concat!("sort digit ", $digit, " scatter"),
        ]),*]
    };
}

/// Labels by digit: 32 bits in digits of at least four bits.
static LABELS: [[&str; 3]; 8] = digit_labels!(0 1 2 3 4 5 6 7);

/// The tile and digit sizes of a sort on a particular adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TileShape {
    /// Invocations of a workgroup, each with [`KEYS_PER_INVOCATION`] keys of the tile.
    pub(super) workgroup_size: u32,
    /// Bits of the widest digit.
    pub(super) digit_bits: u32,
}

impl TileShape {
    /// With subgroup operations, digits have eight bits; without them, every invocation has its own bins, and only
    /// digits of four bits leave room for those. The same holds if subgroups may have 4 to 128 lanes: a workgroup that
    /// holds one of the largest size may then have 32 of the smallest. The workgroup is the largest that its memory
    /// allows, because a larger tile has longer runs of equal digits to write.
    pub(super) fn new(capabilities: &Capabilities) -> Result<Self, GpuError> {
        let memory = capabilities.limits.max_compute_workgroup_storage_size;
        let widest: &[u32] = if capabilities.subgroup_sizes.is_some() { &[8, 4] } else { &[4] };
        let sizes = || {
            let smaller = |size: &u32| (size / 2 >= subgroup_sizes(capabilities).1).then_some(size / 2);
            std::iter::successors(Some(workgroup_size(capabilities)), smaller)
        };
        let shapes = widest
            .iter()
            .flat_map(|&digit_bits| sizes().map(move |workgroup_size| Self { workgroup_size, digit_bits }));
        shapes.into_iter().find(|shape| shape.workgroup_bytes(capabilities) <= memory).ok_or_else(|| {
            GpuError::Unsupported {
                adapter: capabilities.name.clone(),
                reason: "its workgroup memory is too small for the radix sort".to_owned(),
            }
        })
    }

    /// Workgroup memory of `scatter` in bytes: its four arrays, and the partial sums of the scan that it calls.
    pub(super) fn workgroup_bytes(self, capabilities: &Capabilities) -> u32 {
        let bins = 1 << self.digit_bits;
        let subgroups = self.workgroup_size.div_ceil(subgroup_sizes(capabilities).0);
        4 * (subgroups * bins + 2 * bins + self.tile_length()) + 16 * subgroups
    }

    /// Workgroups of `scan_tiles`, in which each subgroup scans one digit: enough even if all subgroups have the
    /// largest size.
    fn scan_workgroups(self, capabilities: &Capabilities, bin_count: u32) -> u32 {
        bin_count.div_ceil(self.workgroup_size / subgroup_sizes(capabilities).1)
    }

    fn tile_length(self) -> u32 {
        self.workgroup_size * KEYS_PER_INVOCATION
    }

    pub(super) fn variant(self, capabilities: &Capabilities) -> ShaderVariant {
        let is_wide = capabilities.subgroup_sizes.is_some_and(|(_, largest)| largest > u32::BITS);
        shader_variant(capabilities, FILE, self.workgroup_size)
            .with_number("DIGIT_BITS", self.digit_bits)
            .with_flag_if(is_wide, "WIDE_SUBGROUPS")
    }

    /// The passes over `key_bits` bits: as few as the widest digit allows, all of equal width except the last, because
    /// fewer bins make longer runs to write.
    pub(super) fn digit_passes(self, count: u32, key_bits: u32) -> Vec<DigitPass> {
        let pass_count = key_bits.div_ceil(self.digit_bits);
        let width = key_bits.checked_div(pass_count).map_or(0, |_| key_bits.div_ceil(pass_count));
        (0..pass_count)
            .map(|digit| {
                let shift = digit * width;
                DigitPass {
                    count,
                    tile_count: count.div_ceil(self.tile_length()),
                    bin_count: 1 << width,
                    shift,
                    mask: (1 << width.min(key_bits - shift)) - 1,
                }
            })
            .collect()
    }
}

/// Number of bits of the widest digit that a device sorts by.
///
/// # Errors
/// When its workgroup memory is too small.
pub(crate) fn radix_digit_bits(capabilities: &Capabilities) -> Result<u32, GpuError> {
    TileShape::new(capabilities).map(|shape| shape.digit_bits)
}

/// Stable sort of u32 keys with a u32 value each, by the low bits of the key, least significant digit first.
///
/// For each digit of up to eight bits: the keys of every tile are counted by digit; for each digit the tiles' counts
/// are scanned, which determines where each tile's keys go; then every tile is ranked, ordered in workgroup memory and
/// written out. Both directions of the ping-pong take 16 bytes per pair, of which half belong to the caller; the counts
/// take one kilobyte per tile, that is a quarter of a byte per pair for subgroups of 32. Without subgroup operations
/// digits have four bits, so there are twice as many passes. Limitations: few pairs are not faster, because a digit
/// costs three dispatches regardless of the length.
///
/// Source: Merrill and Grimshaw 2011, "High performance and scalable radix sorting" (three steps per digit); Ashkiani
/// et al. 2016, "GPU Multisplit" (ranking by ballots).
///
/// ```
/// use nearwater::gpu::{Phase, read_buffer, record};
/// use nearwater::primitives::RadixSort;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let gpu = nearwater::gpu::Gpu::open(None, nearwater::gpu::ShaderLibrary::embedded())?;
/// let keys = gpu.storage_with("keys", &[40_u32, 10, 30, 20])?;
/// let values = gpu.storage_with("values", &[0_u32, 1, 2, 3])?;
/// let sort = RadixSort::new(&gpu, &keys, &values, 4, 32)?;
/// let passes = sort.passes(&gpu, Phase::Build)?;
/// gpu.submit(|encoder| record(&passes, encoder, None));
/// assert_eq!(read_buffer::<u32>(&gpu, sort.sorted_keys(), 4)?, [10, 20, 30, 40]);
/// assert_eq!(read_buffer::<u32>(&gpu, sort.sorted_values(), 4)?, [1, 3, 2, 0]);
/// # Ok(())
/// # }
/// ```
pub struct RadixSort {
    shape: TileShape,
    /// The caller's buffer, then the sort's own.
    keys: [wgpu::Buffer; 2],
    values: [wgpu::Buffer; 2],
    digits: Option<Digits>,
}

/// The buffers of the passes, if there are any passes.
struct Digits {
    passes: Vec<(DigitPass, wgpu::Buffer)>,
    tile_bins: wgpu::Buffer,
    digit_counts: wgpu::Buffer,
}

impl RadixSort {
    /// A sort of the first `count` of `keys` and `values` by the low `key_bits` bits; 32 or more means the complete
    /// key. Both buffers are overwritten, as one half of the ping-pong, but not past `count`.
    ///
    /// # Errors
    /// When a buffer is shorter than `count`, the sort's own buffers do not fit the device, or its workgroup memory
    /// is too small.
    pub fn new(
        gpu: &Gpu,
        keys: &wgpu::Buffer,
        values: &wgpu::Buffer,
        count: u32,
        key_bits: u32,
    ) -> Result<Self, GpuError> {
        check_length("the radix sort's keys", keys, count)?;
        check_length("the radix sort's values", values, count)?;
        let shape = TileShape::new(&gpu.capabilities)?;
        // A single pair is already sorted, and sorting by zero bits changes nothing.
        let digit_passes = if count > 1 { shape.digit_passes(count, key_bits.min(u32::BITS)) } else { Vec::new() };
        let own_count = if digit_passes.is_empty() { 0 } else { count.into() };
        let digits = digit_passes.first().map(|pass| Digits::new(gpu, *pass, &digit_passes)).transpose()?;
        Ok(Self {
            shape,
            keys: [keys.clone(), gpu.storage::<u32>("sort keys", own_count)?],
            values: [values.clone(), gpu.storage::<u32>("sort values", own_count)?],
            digits,
        })
    }

    /// The passes, in order; none if there is nothing to sort.
    ///
    /// # Errors
    /// When a shader does not compile or the adapter cannot dispatch that many tiles.
    pub fn passes(&self, gpu: &Gpu, phase: Phase) -> Result<Vec<Pass>, GpuError> {
        let Some(digits) = &self.digits else { return Ok(Vec::new()) };
        let variant = self.shape.variant(&gpu.capabilities);
        let mut passes = Vec::new();
        for (digit, ((pass, uniform), &[count, scan, scatter])) in digits.passes.iter().zip(&LABELS).enumerate() {
            let (from, to) = (digit % 2, (digit + 1) % 2);
            let buffers = [
                ("digit_pass", uniform),
                ("keys_in", &self.keys[from]),
                ("values_in", &self.values[from]),
                ("keys_out", &self.keys[to]),
                ("values_out", &self.values[to]),
                ("tile_bins", &digits.tile_bins),
                ("digit_counts", &digits.digit_counts),
            ];
            for (label, entry_point, workgroups) in [
                (count, "count_digits", pass.tile_count),
                (scan, "scan_tiles", self.shape.scan_workgroups(&gpu.capabilities, pass.bin_count)),
                (scatter, "scatter", pass.tile_count),
            ] {
                let dispatch = Dispatch::Workgroups(workgroups.into());
                passes.push(Pass::new(
                    gpu,
                    PassDescriptor { phase, label, shader: &variant, entry_point, buffers: &buffers, dispatch },
                )?);
            }
        }
        Ok(passes)
    }

    fn sorted_half(&self) -> usize {
        self.digits.as_ref().map_or(0, |digits| digits.passes.len() % 2)
    }

    /// The keys in order, after the passes have run: the caller's buffer or the sort's own.
    pub fn sorted_keys(&self) -> &wgpu::Buffer {
        &self.keys[self.sorted_half()]
    }

    /// The values in the order of their keys, after the passes have run.
    pub fn sorted_values(&self) -> &wgpu::Buffer {
        &self.values[self.sorted_half()]
    }

    /// Number of digits, each of which takes three passes; 0 if there is nothing to sort.
    pub fn digit_count(&self) -> u32 {
        self.digits.as_ref().map_or(0, |digits| digits.passes.len() as u32)
    }

    /// Bytes of the counts of digits.
    pub fn table_bytes(&self) -> u64 {
        self.digits.as_ref().map_or(0, |digits| digits.tile_bins.size() + digits.digit_counts.size())
    }

    /// Bytes that it allocates beyond the caller's keys and values.
    pub fn bytes(&self) -> u64 {
        self.keys[1].size() + self.values[1].size() + self.table_bytes()
    }
}

impl Digits {
    fn new(gpu: &Gpu, first: DigitPass, passes: &[DigitPass]) -> Result<Self, GpuError> {
        let bin_total = u64::from(first.bin_count) * u64::from(first.tile_count);
        let tile_bins = gpu.storage::<u32>("sort bins", bin_total)?;
        let digit_counts = gpu.storage::<u32>("sort digit counts", first.bin_count.into())?;
        let passes = passes.iter().map(|pass| (*pass, gpu.uniform("sort digit", pass))).collect();
        Ok(Self { passes, tile_bins, digit_counts })
    }
}
