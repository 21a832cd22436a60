//! The cells of a search as boxes: the complete cell, its inner core, and the border around the core.

use glam::{UVec3, Vec3};

use crate::search::Cells;

/// A cell from its lowest to its highest corner, m. Cells beyond the end of the grid give boxes beside the grid.
pub fn cell_box(cells: &Cells, cell: UVec3) -> [Vec3; 2] {
    let low = cells.origin + cell.as_vec3() * cells.size;
    [low, low + cells.size]
}

/// The part of a cell that is farther than [`Cells::border`] from every other cell, as defined by `grid::is_border`:
/// there is no border along faces without a cell on the other side. `None` where no part of the cell is that far away,
/// and where the search does not distinguish border particles.
pub fn inner_core(cells: &Cells, cell: UVec3) -> Option<[Vec3; 2]> {
    let border = Vec3::splat(cells.border?);
    let [low, high] = cell_box(cells, cell);
    let low = low + Vec3::select(cell.cmpgt(UVec3::ZERO), border, Vec3::ZERO);
    let high = high - Vec3::select((cell + 1).cmplt(cells.counts), border, Vec3::ZERO);
    low.cmplt(high).all().then_some([low, high])
}

/// The border of a cell: slabs that do not overlap and together are the cell without its core. The complete cell where
/// it has no core; nothing where the search does not distinguish border particles.
pub fn border_slabs(cells: &Cells, cell: UVec3) -> Vec<[Vec3; 2]> {
    if cells.border.is_none() {
        return Vec::new();
    }
    let whole = cell_box(cells, cell);
    let Some([core_low, core_high]) = inner_core(cells, cell) else { return vec![whole] };
    let mut slabs = Vec::new();
    let [mut low, mut high] = whole;
    // The slabs along an axis extend over what those of the earlier axes leave.
    for axis in 0..3 {
        if core_low[axis] > low[axis] {
            let mut slab_high = high;
            slab_high[axis] = core_low[axis];
            slabs.push([low, slab_high]);
        }
        if core_high[axis] < high[axis] {
            let mut slab_low = low;
            slab_low[axis] = core_high[axis];
            slabs.push([slab_low, high]);
        }
        low[axis] = core_low[axis];
        high[axis] = core_high[axis];
    }
    slabs
}

#[cfg(test)]
mod tests {
    use glam::{UVec3, Vec3};

    use super::{border_slabs, cell_box, inner_core};
    use crate::search::Cells;

    fn cells(border: Option<f32>) -> Cells {
        Cells { origin: Vec3::new(-1.0, 0.0, 2.0), size: Vec3::new(1.0, 0.5, 2.0), counts: UVec3::new(3, 2, 1), border }
    }

    fn volume([low, high]: &[Vec3; 2]) -> f32 {
        (high - low).element_product()
    }

    #[test]
    fn slabs_and_core_are_the_cell_and_share_nothing() {
        let cells = cells(Some(0.1));
        for index in 0..6_u32 {
            let cell = UVec3::new(index % 3, index / 3, 0);
            let whole = cell_box(&cells, cell);
            let core = inner_core(&cells, cell).expect("the border is thin");
            let parts: Vec<_> = border_slabs(&cells, cell).into_iter().chain([core]).collect();
            let sum: f32 = parts.iter().map(volume).sum();
            assert!((sum - volume(&whole)).abs() < 1e-5, "{cell}: {sum}");
            for (place, [low, high]) in parts.iter().enumerate() {
                assert!(low.cmpge(whole[0]).all() && high.cmple(whole[1]).all(), "{cell}: {low} to {high}");
                for [other_low, other_high] in &parts[..place] {
                    let shared = (high.min(*other_high) - low.max(*other_low)).min_element();
                    assert!(shared < 1e-6, "{cell}: {low} and {other_low} overlap");
                }
            }
        }
    }

    #[test]
    fn faces_without_a_cell_behind_them_have_no_border() {
        let [low, high] = inner_core(&cells(Some(0.1)), UVec3::ZERO).expect("a core");
        assert!((low - Vec3::new(-1.0, 0.0, 2.0)).length() < 1e-6, "{low}");
        assert!((high - Vec3::new(-0.1, 0.4, 4.0)).length() < 1e-6, "{high}");
    }

    #[test]
    fn a_wide_border_leaves_no_core_and_no_classes_leave_no_border() {
        let wide = cells(Some(0.6));
        let middle = UVec3::new(1, 0, 0);
        assert_eq!(inner_core(&wide, middle), None);
        assert_eq!(border_slabs(&wide, middle), vec![cell_box(&wide, middle)]);
        assert_eq!(inner_core(&cells(None), middle), None);
        assert!(border_slabs(&cells(None), middle).is_empty());
    }
}
