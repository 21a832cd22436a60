//! Reads neighbor lists and particle classes of other programs: pairs or compressed sparse rows (CSR), as text or NPY.

mod classes;
mod indices;
mod numbers;
mod text;

use std::io::BufReader;
use std::path::Path;

pub use classes::read_classes;
use indices::{Indices, Rows};
use numbers::Numbers;

use super::FileError;
use super::npy::{NPY, NpyArray, in_brackets};
use super::open::{OpenedFile, open};

/// Largest accepted number of pairs, more than fit a buffer of any device.
const MOST_PAIRS: u64 = 1 << 29;
/// The longest text of that many pairs: two indices of ten digits, a comma and an end of line.
const MOST_BYTES: u64 = 23 * MOST_PAIRS;

/// The files of a neighbor list, and the parameters for reading them.
///
/// ```
/// use nearwater::files::{PairFiles, read_pairs};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("pairs.csv");
/// std::fs::write(&file, "i,j\n0,1\n1,0\n")?;
/// let files = PairFiles { neighbors: &file, offsets: None, one_based: false, particle_count: 2 };
/// assert_eq!(read_pairs(&files)?.pairs, [[0, 1], [1, 0]]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PairFiles<'a> {
    /// File of pairs, or of the neighbors' indices particle after particle, or of both arrays of CSR, offsets first.
    pub neighbors: &'a Path,
    /// File of the place in `neighbors` at which each particle's neighbors start, followed by the number of neighbors;
    /// len = `particle_count` + 1. `None` when `neighbors` contains both arrays, or pairs.
    pub offsets: Option<&'a Path>,
    /// Whether the first particle is number 1 in the files rather than 0.
    pub one_based: bool,
    /// Number of particles for which the list was made.
    pub particle_count: u32,
}

/// Format of a neighbor list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListForm {
    /// Two indices per pair.
    Pairs,
    /// Compressed sparse rows: the neighbors of all particles one after the other, with offsets.
    Csr,
}

/// A neighbor list that another program wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedPairs {
    /// Zero-based indices of a particle and its neighbor, each below the number of particles, in the order of the file.
    pub pairs: Vec<[u32; 2]>,
    /// Format of the file.
    pub form: ListForm,
}

/// Reads a neighbor list. Text may separate numbers by commas, semicolons, tabs or blanks. Its first line may name the
/// columns; the columns `i` and `j` are then selected. An NPY array contains integers and has the shape (n, 2) for
/// pairs or (n) for CSR.
///
/// # Errors
/// When a file cannot be read, is too large, is not such a list, or contains an index that is not that of a particle.
/// The message names the file, the line or element, and how to correct it.
pub fn read_pairs(files: &PairFiles<'_>) -> Result<ListedPairs, FileError> {
    let mut indices = Indices::new(files);
    let Some(offsets_file) = files.offsets else {
        return with_numbers(files.neighbors, |numbers| {
            let whole = read_one(numbers, files, &mut indices)?;
            indices.check()?;
            Ok(whole)
        });
    };
    let mut rows = Rows::new(files);
    with_numbers(offsets_file, |numbers| numbers.flat(|number| rows.take_offset(number)))?;
    rows.check_offsets().map_err(|reason| FileError::read(offsets_file, reason))?;
    with_numbers(files.neighbors, |numbers| numbers.flat(|number| rows.take_index(indices.take(number))))?;
    indices.check().map_err(|reason| FileError::read(files.neighbors, reason))?;
    let pairs = rows.pairs().map_err(|reason| FileError::read(offsets_file, reason))?;
    Ok(ListedPairs { pairs, form: ListForm::Csr })
}

/// Opens a file of numbers and calls `read` with it.
fn with_numbers<T>(path: &Path, read: impl FnOnce(Numbers) -> Result<T, String>) -> Result<T, FileError> {
    let OpenedFile { file, bytes, begin } = open(path, MOST_BYTES, ("a CSV, text or NPY file", "pairs"))?;
    let numbers = if begin == NPY {
        NpyArray::open(BufReader::new(file), bytes).map(Numbers::Array)
    } else {
        text::Text::new(file).map(Numbers::Text)
    };
    numbers.and_then(read).map_err(|reason| FileError::read(path, reason))
}

/// Reads a list that is contained in one file.
fn read_one(numbers: Numbers, files: &PairFiles<'_>, indices: &mut Indices) -> Result<ListedPairs, String> {
    let is_pairs = match &numbers {
        Numbers::Array(array) => match *array.shape() {
            [_, 2] => true,
            [_] => false,
            _ => {
                let shape = in_brackets(array.shape());
                return Err(format!("its shape is {shape}, but must be (n, 2) for pairs or (n) for CSR"));
            }
        },
        Numbers::Text(text) => text.holds_pairs(files.particle_count)?,
    };
    if is_pairs {
        let mut pairs = Vec::new();
        numbers.pairs(indices, |pair| pairs.push(pair))?;
        return Ok(ListedPairs { pairs, form: ListForm::Pairs });
    }
    let mut rows = Rows::new(files);
    numbers.flat(|number| {
        if rows.has_all_offsets() { rows.take_index(indices.take(number)) } else { rows.take_offset(number) }
    })?;
    rows.check_offsets()?;
    Ok(ListedPairs { pairs: rows.pairs()?, form: ListForm::Csr })
}
