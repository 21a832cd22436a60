//! The integers of a file, independent of whether it is text or NPY.

use std::fs::File;
use std::io::BufReader;

use super::MOST_PAIRS;
use super::indices::{Indices, too_many};
use super::text::Text;
use crate::files::npy::{NpyArray, in_brackets};

/// An opened file of integers, which are not read yet.
pub(super) enum Numbers {
    /// An NPY file.
    Array(NpyArray<BufReader<File>>),
    /// A text file.
    Text(Text),
}

impl Numbers {
    /// Calls `take` with all numbers, regardless of how they are split into lines.
    pub(super) fn flat(self, take: impl FnMut(i64)) -> Result<(), String> {
        match self {
            Self::Array(array) => {
                if array.shape().iter().filter(|&&size| size != 1).count() > 1 {
                    let shape = in_brackets(array.shape());
                    return Err(format!("its shape is {shape}, but must be (n)"));
                }
                array.whole_numbers(take)
            }
            Self::Text(text) => text.flat(take),
        }
    }

    /// Calls `take` with each pair of indices: the rows of an array of two columns, or a text's columns `i` and `j`.
    pub(super) fn pairs(self, indices: &mut Indices, mut take: impl FnMut([u32; 2])) -> Result<(), String> {
        let array = match self {
            Self::Text(text) => return text.pairs(indices, take),
            Self::Array(array) => array,
        };
        if array.shape()[0] > MOST_PAIRS {
            return Err(too_many());
        }
        let (mut row, mut first) = (0, None);
        array.whole_numbers(|number| {
            indices.set_place("row", row);
            let index = indices.take(number);
            match first.take() {
                None => first = Some(index),
                Some(first) => {
                    take([first, index]);
                    row += 1;
                }
            }
        })
    }
}
