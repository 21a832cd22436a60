//! Views of cloths for drawing.

use super::device::DeviceCloths;
use crate::fluid::Simulation;

/// A cloth for drawing: `columns` times `rows` particles in `positions`, starting at `first`, one row after the
/// other.
#[derive(Clone, Copy)]
pub struct ClothView<'a> {
    /// Number of particles in a row.
    pub columns: u32,
    /// Number of rows.
    pub rows: u32,
    /// Index in `positions` of the first particle of the first row.
    pub first: u32,
    /// `vec4<f32>`: xyz in m, 1; of all cloths.
    pub positions: &'a wgpu::Buffer,
    /// Original index of its first particle; the others follow in the same order.
    pub first_original: u32,
    /// Thickness for drawing, m.
    pub thickness: f32,
}

impl DeviceCloths {
    /// The cloths for drawing.
    fn views(&self) -> impl Iterator<Item = ClothView<'_>> {
        self.sheets.iter().map(|words| ClothView {
            columns: words.columns,
            rows: words.rows,
            first: words.first,
            positions: &self.state.positions,
            first_original: self.first_original + words.first,
            thickness: words.thickness,
        })
    }
}

impl Simulation {
    /// The cloths, in the scene's order. [`Simulation::change`] may replace their buffer by another.
    pub fn cloths(&self) -> impl Iterator<Item = ClothView<'_>> {
        self.solid::<DeviceCloths>().into_iter().flat_map(DeviceCloths::views)
    }
}
