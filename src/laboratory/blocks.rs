//! Reads back how a search has divided its sorted order into blocks, for the memory strip.

use std::ops::Range;

use super::LaboratoryError;
use crate::gpu::{Gpu, Readback};
use crate::search::{Block, Blocks};

/// Largest number of cells whose blocks are read at once.
pub const MOST_CELLS_READ: u32 = 16_384;

/// Blocks that are being read back from the device.
pub struct BlockReader {
    blocks: Blocks,
    cells: Range<u32>,
    stretches: Vec<(Readback<u32>, Option<Vec<u32>>)>,
}

impl BlockReader {
    /// Records the read-back of the blocks of the cells with those linear indices, as the last preceding build in
    /// `encoder` leaves them.
    ///
    /// # Errors
    /// When there are no such cells, or more than [`MOST_CELLS_READ`].
    pub fn ask(
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        blocks: &Blocks,
        cells: Range<u32>,
    ) -> Result<Self, LaboratoryError> {
        let count = blocks.cell_count();
        if cells.start >= cells.end || cells.end > count {
            return Err(LaboratoryError::NoCells { first: cells.start, end: cells.end, count });
        }
        if cells.end - cells.start > MOST_CELLS_READ {
            return Err(LaboratoryError::TooManyCells { requested: cells.end - cells.start, limit: MOST_CELLS_READ });
        }
        let words = blocks.words_of(cells.clone()).into_iter();
        let stretches =
            words.map(|words| (Readback::record_range(gpu, encoder, &blocks.buffer, words), None)).collect();
        Ok(Self { blocks: blocks.clone(), cells, stretches })
    }

    /// The same as [`BlockReader::ask`], for all cells.
    ///
    /// # Errors
    /// When there are more than [`MOST_CELLS_READ`]; use [`BlockReader::ask`] for the cells around the selection then.
    pub fn ask_all(gpu: &Gpu, encoder: &mut wgpu::CommandEncoder, blocks: &Blocks) -> Result<Self, LaboratoryError> {
        Self::ask(gpu, encoder, blocks, 0..blocks.cell_count())
    }

    /// The blocks in the order of memory, once they have arrived; `None` before. Never waits.
    pub fn take(&mut self, gpu: &Gpu) -> Option<Vec<Block>> {
        // The error is ignored: a lost device is reported through its callback, and nothing arrives.
        gpu.poll();
        for (readback, words) in &mut self.stretches {
            if words.is_none() {
                *words = readback.take();
            }
        }
        let words: Option<Vec<_>> = self.stretches.iter().map(|(_, words)| words.clone()).collect();
        Some(self.blocks.of_cells(self.cells.clone(), &words?))
    }
}
