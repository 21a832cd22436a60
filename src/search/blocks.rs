//! The blocks of a search's sorted order: one or two ranges of memory per cell, as in the figures of the papers. The
//! limits of the blocks are read from the search's own table, a buffer on the device.

use std::ops::Range;

use glam::UVec3;

/// Which particles of a coarse cell a block contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlockClass {
    /// The particles that have another coarse cell within reach.
    Border,
    /// The other particles.
    Inner,
}

impl BlockClass {
    /// The word shown on screen.
    pub fn label(self) -> &'static str {
        match self {
            Self::Border => "border",
            Self::Inner => "inner",
        }
    }
}

/// A range `[start, end)` of the sorted order that belongs to one cell. It is never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Block {
    /// Linear index of the cell, x fastest.
    pub cell: u32,
    /// Which of the cell's particles it contains; `None` in a search that does not distinguish them.
    pub class: Option<BlockClass>,
    /// First index in the sorted order.
    pub start: u32,
    /// One past the last index.
    pub end: u32,
}

/// The layout of a search's table of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockTable {
    /// Two words per cell: its first particle and one past its last (Green, Morillo).
    Ranges,
    /// One word per cell, its first particle, and one more word at the end (Hoetzlein, Bayraktar).
    Starts,
    /// One word per cell, its first particle, and at the end of each row along x one to four more words, the end of the
    /// row. The rows may lie in memory in any order (clipped rows).
    StartsOfRows,
    /// One word per cell, the start of its block, then one word per cell, the start of its inner particles. The block
    /// of a cell is `[border | inner]` (FENNS).
    StartsThenInnerStarts,
    /// One unused word, the start of each cell's inner block, the start of each cell's border block, and one more word
    /// at the end (CLAWS).
    InnerThenBorder,
    /// One unused word, the starts of the border block and of the inner block of each cell, and one more word at the
    /// end (CLAWS without reordering).
    BorderBesideInner,
}

/// Words of a table of [`BlockTable::StartsOfRows`] for a row of cells: one for each, and at least one for the end of
/// the row, in complete vectors of four.
pub(super) const fn words_of_row(cells: u32) -> u32 {
    (cells & !3) + 4
}

/// A search's table of blocks, and its layout.
#[derive(Clone, Debug)]
pub struct Blocks {
    /// The table, an array of u32.
    pub buffer: wgpu::Buffer,
    /// The layout of the table.
    pub table: BlockTable,
    /// Cells along each axis.
    pub cell_counts: UVec3,
    /// Number of particles.
    pub particle_count: u32,
}

impl Blocks {
    /// Number of cells.
    pub fn cell_count(&self) -> u32 {
        self.cell_counts.element_product()
    }

    /// The cell with the given linear index.
    pub fn coordinate(&self, cell: u32) -> UVec3 {
        let counts = self.cell_counts;
        UVec3::new(cell % counts.x, cell / counts.x % counts.y, cell / (counts.x * counts.y))
    }

    /// The ranges of words of the table that describe the blocks of the given cells, for [`Blocks::of_cells`].
    pub fn words_of(&self, cells: Range<u32>) -> Vec<Range<u64>> {
        let (first, end, count) = (u64::from(cells.start), u64::from(cells.end), u64::from(self.cell_count()));
        let (stretch, second) = match self.table {
            BlockTable::Ranges => (2 * first..2 * end, None),
            BlockTable::Starts => (first..end + 1, None),
            BlockTable::StartsOfRows if cells.is_empty() => (0..0, None),
            BlockTable::StartsOfRows => (self.word_of(cells.start)..self.word_of(cells.end - 1) + 2, None),
            // The word after the start of the last cell is the inner start of the first cell; the end of the last cell
            // is therefore the particle count.
            BlockTable::StartsThenInnerStarts => (first..(end + 1).min(count), Some(count + first..count + end)),
            BlockTable::InnerThenBorder => (first + 1..end + 2, Some(count + first + 1..count + end + 2)),
            BlockTable::BorderBesideInner => (2 * first + 1..2 * end + 2, None),
        };
        std::iter::once(stretch).chain(second).collect()
    }

    /// The word of a cell in a table of rows.
    fn word_of(&self, cell: u32) -> u64 {
        let row_length = u64::from(words_of_row(self.cell_counts.x));
        u64::from(cell / self.cell_counts.x) * row_length + u64::from(cell % self.cell_counts.x)
    }

    /// The blocks of the given cells in memory order, without empty blocks. `words` contains the ranges of the table
    /// that [`Blocks::words_of`] returned.
    pub fn of_cells(&self, cells: Range<u32>, words: &[Vec<u32>]) -> Vec<Block> {
        let word = |stretch: usize, place: u32| {
            let found = words.get(stretch).and_then(|stretch| stretch.get(place as usize));
            found.copied().unwrap_or(self.particle_count)
        };
        let mut blocks = Vec::new();
        let mut push = |cell: u32, class: Option<BlockClass>, start: u32, end: u32| {
            if start < end {
                blocks.push(Block { cell, class, start, end });
            }
        };
        let (border, inner) = (Some(BlockClass::Border), Some(BlockClass::Inner));
        let first = cells.start;
        for (place, cell) in (0..).zip(cells) {
            match self.table {
                BlockTable::StartsOfRows => {
                    let place = (self.word_of(cell) - self.word_of(first)) as u32;
                    push(cell, None, word(0, place), word(0, place + 1));
                }
                BlockTable::Ranges => push(cell, None, word(0, 2 * place), word(0, 2 * place + 1)),
                BlockTable::Starts => push(cell, None, word(0, place), word(0, place + 1)),
                BlockTable::StartsThenInnerStarts => {
                    push(cell, border, word(0, place), word(1, place));
                    push(cell, inner, word(1, place), word(0, place + 1));
                }
                BlockTable::InnerThenBorder => {
                    push(cell, inner, word(0, place), word(0, place + 1));
                    push(cell, border, word(1, place), word(1, place + 1));
                }
                BlockTable::BorderBesideInner => {
                    push(cell, border, word(0, 2 * place), word(0, 2 * place + 1));
                    push(cell, inner, word(0, 2 * place + 1), word(0, 2 * place + 2));
                }
            }
        }
        blocks.sort_by_key(|block| block.start);
        blocks
    }
}
