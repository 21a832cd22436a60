//! The exclusive scan of u32: its block sums and dispatches.

use super::{check_length, shader_variant, workgroup_size};
use crate::gpu::{
    Capabilities, Dispatch, Gpu, GpuError, Pass, PassDescriptor, Phase, ShaderVariant, VECTOR_BYTES, gpu_struct,
};

const FILE: &str = "primitives/exclusive_scan.wgsl";
/// Four rows of one four-component vector each: the shader scans the four row sums as one vector.
const NUMBERS_PER_INVOCATION: u32 = 16;
/// Up to this many blocks, one workgroup that processes them in sequence finishes before three dispatches do.
const SERIAL_BLOCKS: u32 = 4;

gpu_struct! {
    /// The amount of data that one dispatch scans.
    pub struct ScanLength {
        /// Numbers to scan.
        pub count: u32,
        /// Number of blocks that they fill; the last may be incomplete.
        pub block_count: u32,
    }
}

/// In-place exclusive scan of u32 with wrapping addition: afterwards `values[i]` is the sum of the former
/// `values[..i]`.
///
/// Reduce-then-scan in three dispatches, of which up to four blocks need only the second: sum every block of 4,096
/// numbers (with subgroups of 32); scan those sums in one workgroup; scan every block, starting from its scanned sum.
/// The numbers are read twice and written once; the block sums take one byte per 1,024 numbers. Limitations: past some
/// hundred million numbers, the single workgroup that scans the block sums becomes slow.
///
/// ```
/// use nearwater::gpu::{Phase, read_buffer, record};
/// use nearwater::primitives::ExclusiveScan;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let gpu = nearwater::gpu::Gpu::open(None, nearwater::gpu::ShaderLibrary::embedded())?;
/// let numbers = gpu.storage_with("numbers", &[5_u32, 1, 2, 7])?;
/// let passes = ExclusiveScan::new(&gpu, &numbers, 4)?.passes(&gpu, Phase::Build)?;
/// gpu.submit(|encoder| record(&passes, encoder, None));
/// assert_eq!(read_buffer::<u32>(&gpu, &numbers, 4)?, [0, 5, 6, 8]);
/// # Ok(())
/// # }
/// ```
pub struct ExclusiveScan {
    values: Numbers,
    blocks: Option<Numbers>,
}

/// An array that a dispatch scans, with its length in a uniform buffer.
struct Numbers {
    buffer: wgpu::Buffer,
    length: ScanLength,
    length_uniform: wgpu::Buffer,
}

impl Numbers {
    fn new(gpu: &Gpu, buffer: wgpu::Buffer, count: u32) -> Self {
        let block_length = workgroup_size(&gpu.capabilities) * NUMBERS_PER_INVOCATION;
        let length = ScanLength { count, block_count: count.div_ceil(block_length) };
        Self { buffer, length, length_uniform: gpu.uniform("scan length", &length) }
    }

    /// Reads the array as vectors if the buffer ends on a complete vector, as every buffer of [`Gpu::storage`] does.
    fn variant(&self, gpu: &Gpu) -> ShaderVariant {
        let by_vectors = self.buffer.size() >= (u64::from(self.length.count) * 4).next_multiple_of(VECTOR_BYTES);
        variant(&gpu.capabilities, by_vectors)
    }
}

/// The shader, which reads whole vectors or one number at a time.
pub(super) fn variant(capabilities: &Capabilities, by_vectors: bool) -> ShaderVariant {
    shader_variant(capabilities, FILE, workgroup_size(capabilities)).with_flag_if(by_vectors, "VECTORS")
}

impl ExclusiveScan {
    /// A scan of the first `count` elements of `values`; elements past them are not touched.
    ///
    /// # Errors
    /// When `values` is shorter than `count`, or the block sums do not fit the device.
    pub fn new(gpu: &Gpu, values: &wgpu::Buffer, count: u32) -> Result<Self, GpuError> {
        check_length("the exclusive scan", values, count)?;
        let values = Numbers::new(gpu, values.clone(), count);
        let block_count = values.length.block_count;
        let blocks = (block_count > SERIAL_BLOCKS)
            .then(|| gpu.storage::<u32>("scan block sums", block_count.into()))
            .transpose()?
            .map(|sums| Numbers::new(gpu, sums, block_count));
        Ok(Self { values, blocks })
    }

    /// The passes, in order; none if there is nothing to scan.
    ///
    /// # Errors
    /// When a shader does not compile or the adapter cannot dispatch that many blocks.
    pub fn passes(&self, gpu: &Gpu, phase: Phase) -> Result<Vec<Pass>, GpuError> {
        let serial_pass = |label, numbers: &Numbers| {
            let buffers = [("scan_length", &numbers.length_uniform), ("values", &numbers.buffer)];
            let shader = numbers.variant(gpu);
            Pass::new(
                gpu,
                PassDescriptor {
                    phase,
                    label,
                    shader: &shader,
                    entry_point: "scan_serially",
                    buffers: &buffers,
                    dispatch: Dispatch::Workgroups(1),
                },
            )
        };
        let Some(sums) = &self.blocks else {
            return if self.values.length.count == 0 {
                Ok(Vec::new())
            } else {
                Ok(vec![serial_pass("scan", &self.values)?])
            };
        };
        let buffers = [
            ("scan_length", &self.values.length_uniform),
            ("values", &self.values.buffer),
            ("block_sums", &sums.buffer),
        ];
        let block_pass = |label, entry_point| {
            let dispatch = Dispatch::Workgroups(self.values.length.block_count.into());
            Pass::new(
                gpu,
                PassDescriptor {
                    phase,
                    label,
                    shader: &self.values.variant(gpu),
                    entry_point,
                    buffers: &buffers,
                    dispatch,
                },
            )
        };
        Ok(vec![
            block_pass("scan reduce", "reduce")?,
            serial_pass("scan block sums", sums)?,
            block_pass("scan blocks", "scan_blocks")?,
        ])
    }

    /// Number of passes: none without numbers, one if a workgroup scans all blocks in sequence, otherwise three.
    pub fn pass_count(&self) -> u32 {
        match (&self.blocks, self.values.length.count) {
            (Some(_), _) => 3,
            (None, 0) => 0,
            (None, _) => 1,
        }
    }

    /// Bytes that it allocates beyond the values: the block sums.
    pub fn bytes(&self) -> u64 {
        self.blocks.as_ref().map_or(0, |sums| sums.buffer.size())
    }
}
