//! Reads arrays of numbers from NPY files, the format of `numpy.save`. The crate `npyz` parses them; this module
//! rejects beforehand headers that no array of numbers has and files that are shorter than their header states.

use std::fmt::Display;
use std::io::{Cursor, Read};

use npyz::{DType, Deserialize, NpyFile, NpyHeader, Order, TypeChar};

/// First bytes of every NPY file.
pub(super) const NPY: [u8; 6] = *b"\x93NUMPY";

/// Largest accepted header, bytes. For an array of numbers `numpy` writes 118 or 246.
const LONGEST_HEADER: usize = 4_096;
/// Largest accepted number of digits in a header, so that the product of the numbers in it fits 64 bits.
const MOST_DIGITS: usize = 18;

/// An array whose header was read and whose elements were not.
pub(super) struct NpyArray<R: Read> {
    file: NpyFile<R>,
    type_char: TypeChar,
    element_bytes: u64,
}

impl<R: Read> NpyArray<R> {
    /// Reads the header of a file of `bytes` bytes.
    pub(super) fn open(mut file: R, bytes: u64) -> Result<Self, String> {
        let header_bytes = header_bytes(&mut file)?;
        let whole = header_bytes.len() as u64;
        let header = NpyHeader::from_reader(Cursor::new(header_bytes)).map_err(one_line)?;
        let type_name = header.dtype().descr();
        let DType::Plain(element) = header.dtype() else {
            return Err(format!("its elements have the type {type_name}, but must be plain numbers"));
        };
        let element_bytes = element.size_field();
        if header.order() != Order::C && header.shape().len() > 1 {
            return Err("its array is in Fortran order; save numpy.ascontiguousarray(array) instead".to_owned());
        }
        let needed = header.len().checked_mul(element_bytes).and_then(|data| data.checked_add(whole));
        if needed.is_none_or(|needed| needed > bytes) {
            let shape = in_brackets(header.shape());
            return Err(format!("it is truncated: {bytes} bytes are too few for the {shape} elements of its header"));
        }
        let type_char = element.type_char();
        Ok(Self { file: NpyFile::with_header(header, file), type_char, element_bytes })
    }

    /// Number of elements along each dimension.
    pub(super) fn shape(&self) -> &[u64] {
        self.file.shape()
    }

    /// Calls `take` with every element of an array of floating point numbers, converted to single precision, in C order
    /// (the last dimension varies fastest).
    pub(super) fn real_numbers(self, take: impl FnMut(f32)) -> Result<(), String> {
        match (self.type_char, self.element_bytes) {
            (TypeChar::Float, 4) => self.each::<f32, f32>(|number| number, take),
            (TypeChar::Float, 8) => self.each::<f64, f32>(|number| number as f32, take),
            _ => Err(format!(
                "its elements have the type {}, but must be float32 or float64; save array.astype(numpy.float32)",
                self.file.dtype().descr()
            )),
        }
    }

    /// Calls `take` with every element of an array of integers or Booleans, in C order (the last dimension varies
    /// fastest).
    pub(super) fn whole_numbers(self, take: impl FnMut(i64)) -> Result<(), String> {
        match (self.type_char, self.element_bytes) {
            (TypeChar::Bool, 1) => self.each::<bool, i64>(i64::from, take),
            (TypeChar::Int, 1) => self.each::<i8, i64>(i64::from, take),
            (TypeChar::Int, 2) => self.each::<i16, i64>(i64::from, take),
            (TypeChar::Int, 4) => self.each::<i32, i64>(i64::from, take),
            (TypeChar::Int, 8) => self.each::<i64, i64>(|number| number, take),
            (TypeChar::Uint, 1) => self.each::<u8, i64>(i64::from, take),
            (TypeChar::Uint, 2) => self.each::<u16, i64>(i64::from, take),
            (TypeChar::Uint, 4) => self.each::<u32, i64>(i64::from, take),
            // A number beyond the range of i64 is larger than any index, and so is the number that replaces it.
            (TypeChar::Uint, 8) => self.each::<u64, i64>(|number| number.try_into().unwrap_or(i64::MAX), take),
            _ => Err(format!(
                "its elements have the type {}, but must be integers; save array.astype(numpy.int32)",
                self.file.dtype().descr()
            )),
        }
    }

    fn each<T: Deserialize, N>(self, convert: fn(T) -> N, mut take: impl FnMut(N)) -> Result<(), String> {
        let elements = self.file.data::<T>().map_err(one_line)?;
        for element in elements {
            take(convert(element.map_err(one_line)?));
        }
        Ok(())
    }
}

/// A shape in the notation of `numpy`.
pub(super) fn in_brackets(shape: &[u64]) -> String {
    let sizes: Vec<_> = shape.iter().map(u64::to_string).collect();
    format!("({})", sizes.join(", "))
}

/// Reads the bytes before the data, and rejects those that cannot belong to an array of numbers.
fn header_bytes(file: &mut impl Read) -> Result<Vec<u8>, String> {
    let mut bytes = vec![0; 8];
    file.read_exact(&mut bytes).map_err(one_line)?;
    // Version 1 of the format stores the header's length in two bytes, later versions in four.
    let length_bytes = if bytes[6] == 1 { 2 } else { 4 };
    let mut length = [0; 4];
    file.read_exact(&mut length[..length_bytes]).map_err(one_line)?;
    bytes.extend(&length[..length_bytes]);
    let length = u32::from_le_bytes(length) as usize;
    if length > LONGEST_HEADER {
        return Err(format!(
            "its header has {length} bytes, but that of an array of numbers has at most {LONGEST_HEADER}; save the \
             array with numpy.save"
        ));
    }
    let start = bytes.len();
    bytes.resize(start + length, 0);
    file.read_exact(&mut bytes[start..]).map_err(one_line)?;
    let header = &bytes[start..];
    let plain = header.iter().all(|byte| byte.is_ascii() && *byte != b'\\');
    if !plain || header.iter().filter(|byte| byte.is_ascii_digit()).count() > MOST_DIGITS {
        return Err("its header does not describe an array of numbers; save the array with numpy.save".to_owned());
    }
    Ok(bytes)
}

/// The library's message on one line.
fn one_line(error: impl Display) -> String {
    error.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
}
