//! Reads points from an NPY array of three or four columns.

use std::io::Read;

use super::Points;
use super::npy::{NpyArray, in_brackets};
use super::point_set::too_many;

pub(super) fn read(file: impl Read, bytes: u64, most: usize) -> Result<Points, String> {
    let array = NpyArray::open(file, bytes)?;
    let &[rows, columns @ (3 | 4)] = array.shape() else {
        return Err(format!("its shape is {}, but must be (n, 3) or (n, 4)", in_brackets(array.shape())));
    };
    if rows > most as u64 {
        return Err(too_many(most));
    }
    let mut points = Points { positions: Vec::with_capacity(rows as usize), velocities: vec![[0.0; 3]; rows as usize] };
    let (mut row, mut column) = ([0.0; 4], 0);
    array.real_numbers(|number| {
        row[column] = number;
        column += 1;
        if column == columns as usize {
            points.positions.push([row[0], row[1], row[2]]);
            column = 0;
        }
    })?;
    Ok(points)
}
