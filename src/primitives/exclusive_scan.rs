use super::{check_length, shader_variant};
use crate::gpu::{Dispatch, Gpu, GpuError, Pass, Phase, ShaderVariant, VECTOR_BYTES, gpu_struct};

const FILE: &str = "primitives/exclusive_scan.wgsl";
/// The most that every WebGPU device runs, for as few block sums as possible.
const WORKGROUP_SIZE: u32 = 256;
/// Four rows of one vector of four: the shader scans the four row sums as one vector.
const NUMBERS_PER_INVOCATION: u32 = 16;
const BLOCK_LENGTH: u32 = WORKGROUP_SIZE * NUMBERS_PER_INVOCATION;
/// Up to this many blocks, one workgroup that takes block after block is done before three dispatches are.
const SERIAL_BLOCKS: u32 = 4;

gpu_struct! {
    /// How much one dispatch scans.
    pub struct ScanLength {
        /// Numbers to scan.
        pub count: u32,
        /// Blocks they fill, the last perhaps in part.
        pub block_count: u32,
    }
}

impl ScanLength {
    fn new(count: u32) -> Self {
        Self { count, block_count: count.div_ceil(BLOCK_LENGTH) }
    }
}

/// Labels of the passes: sums of blocks, scan of those sums, scan of the blocks.
pub(super) type ScanLabels = [&'static str; 3];

/// In-place exclusive scan, with wrapping addition, of u32: afterwards `values[i]` is the sum of the former
/// `values[..i]`.
///
/// Reduce-then-scan in three dispatches, of which up to 16,384 numbers need only the second: sum every block of
/// 4,096 numbers; scan those sums in one workgroup; scan every block, starting from its sum. The numbers are read
/// twice and written once; the block sums take a byte for 1,024 numbers. Bad at lengths past some hundred million,
/// where the one workgroup becomes slow.
pub struct ExclusiveScan {
    values: Numbers,
    blocks: Option<Numbers>,
}

/// An array that a dispatch scans, with its length in a uniform.
struct Numbers {
    buffer: wgpu::Buffer,
    length: ScanLength,
    length_uniform: wgpu::Buffer,
}

impl Numbers {
    fn new(gpu: &Gpu, buffer: wgpu::Buffer, count: u32) -> Self {
        let length = ScanLength::new(count);
        Self { buffer, length, length_uniform: gpu.uniform("scan length", &length) }
    }

    /// By vectors where the buffer ends on a whole one, as every [`Gpu::storage`] does.
    fn variant(&self, gpu: &Gpu) -> ShaderVariant {
        let by_vectors = self.buffer.size() >= (u64::from(self.length.count) * 4).next_multiple_of(VECTOR_BYTES);
        shader_variant(&gpu.capabilities, FILE, WORKGROUP_SIZE).with_flag_if(by_vectors, "VECTORS")
    }
}

impl ExclusiveScan {
    /// A scan of the first `count` elements of `values`; nothing behind them is touched.
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

    /// The passes, in order; none when there is nothing to scan.
    ///
    /// # Errors
    /// When a shader does not compile or the adapter cannot dispatch so many blocks.
    pub fn passes(&self, gpu: &Gpu, phase: Phase) -> Result<Vec<Pass>, GpuError> {
        self.labelled_passes(gpu, phase, &["scan reduce", "scan block sums", "scan blocks"])
    }

    pub(super) fn labelled_passes(
        &self,
        gpu: &Gpu,
        phase: Phase,
        &[reduce, serial, blocks]: &ScanLabels,
    ) -> Result<Vec<Pass>, GpuError> {
        let serial_pass = |numbers: &Numbers| {
            let buffers = [("scan_length", &numbers.length_uniform), ("values", &numbers.buffer)];
            let kernel = (&numbers.variant(gpu), "scan_serially");
            Pass::new(gpu, (phase, serial), kernel, &buffers, Dispatch::Workgroups(1))
        };
        let Some(sums) = &self.blocks else {
            return if self.values.length.count == 0 { Ok(Vec::new()) } else { Ok(vec![serial_pass(&self.values)?]) };
        };
        let buffers = [
            ("scan_length", &self.values.length_uniform),
            ("values", &self.values.buffer),
            ("block_sums", &sums.buffer),
        ];
        let block_pass = |label, entry_point| {
            let dispatch = Dispatch::Workgroups(self.values.length.block_count.into());
            Pass::new(gpu, (phase, label), (&self.values.variant(gpu), entry_point), &buffers, dispatch)
        };
        Ok(vec![block_pass(reduce, "reduce")?, serial_pass(sums)?, block_pass(blocks, "scan_blocks")?])
    }

    /// Bytes it owns beyond the values: the block sums.
    pub fn bytes(&self) -> u64 {
        self.blocks.as_ref().map_or(0, |sums| sums.buffer.size())
    }
}
