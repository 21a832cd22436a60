//! The one selection that every view of the laboratory shows.

use std::ops::Range;

use glam::UVec3;

/// What is selected. All views share this one selection and show it in their own way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum LabSelection {
    /// Nothing.
    #[default]
    All,
    /// A particle, by its original index.
    Particle(u32),
    /// All particles in a rectangle of the image, by their original indices.
    Particles(Vec<u32>),
    /// A cell of the running search's grid.
    Cell(UVec3),
    /// A range of elements of a buffer.
    Memory {
        /// Name of the buffer's variable in the shader.
        buffer: String,
        /// Elements.
        elements: Range<u64>,
    },
    /// A pass of the time step, by its index.
    Pass(usize),
    /// A subgroup of a workgroup that serves the selected coarse cell.
    Subgroup {
        /// The coarse cell.
        cell: UVec3,
        /// Workgroup of the dispatch.
        workgroup: u32,
        /// Subgroup of the workgroup.
        subgroup: u32,
    },
}

impl LabSelection {
    /// The selection after Escape, one level up: from a subgroup to its cell, and from everything else to no selection.
    #[must_use]
    pub fn up(&self) -> Self {
        match self {
            Self::Subgroup { cell, .. } => Self::Cell(*cell),
            _ => Self::All,
        }
    }

    /// The selected particle, if a single particle is selected.
    pub fn particle(&self) -> Option<u32> {
        match self {
            Self::Particle(particle) => Some(*particle),
            _ => None,
        }
    }

    /// The selected cell, if a cell or a subgroup of a cell is selected.
    pub fn cell(&self) -> Option<UVec3> {
        match self {
            Self::Cell(cell) | Self::Subgroup { cell, .. } => Some(*cell),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_goes_up_one_level_at_a_time() {
        let cell = UVec3::new(1, 2, 3);
        let subgroup = LabSelection::Subgroup { cell, workgroup: 7, subgroup: 0 };
        assert_eq!(subgroup.up(), LabSelection::Cell(cell));
        assert_eq!(subgroup.up().up(), LabSelection::All);
        assert_eq!(LabSelection::Particle(3).up(), LabSelection::All);
    }
}
