// The table of the search by clipped rows: one entry per cell, row by row along x, and one more at the end of each row,
// so that the range of every part of a row lies between two entries.
#define_import_path nearwater::clipped_rows_table

#import nearwater::grid::Grid

// The entry of a cell; the entry after that of a row's last cell is the end of the row.
fn table_index(grid: Grid, cell: vec3<u32>) -> u32 {
    return (cell.z * grid.cell_counts.y + cell.y) * (grid.cell_counts.x + 1u) + cell.x;
}
