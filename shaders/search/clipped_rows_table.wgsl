// The table of the search by clipped rows: one entry per cell, row by row along x, and at least one more at the end of
// each row, so that the range of every part of a row lies between two entries. Rows are a multiple of four entries
// long, which the build reads as vectors.
#define_import_path nearwater::clipped_rows_table

#import nearwater::grid::Grid

// The entry of a cell; the entry after that of a row's last cell is the end of the row.
fn table_index(grid: Grid, cell: vec3<u32>) -> u32 {
    let row_length = (grid.cell_counts.x & ~3u) + 4u;
    return (cell.z * grid.cell_counts.y + cell.y) * row_length + cell.x;
}
