//! The rows of a binary PLY file.

use super::header::{Header, PropertyKind, Scalar};
use super::{Columns, quoted};

/// Reads all rows, and keeps the numbers of the vertices.
pub(super) fn read(header: &Header, content: &[u8], big_endian: bool, columns: &mut Columns) -> Result<(), String> {
    let mut numbers = Numbers { rest: content, big_endian };
    for element in &header.elements {
        let is_vertex = element.name == "vertex";
        for row in 0..element.count {
            for (place, property) in element.properties.iter().enumerate() {
                let ends = || {
                    let name = quoted(&element.name);
                    format!("it ends in row {row} (counted from 0) of {} of {name}; export it again", element.count)
                };
                let value = match property.kind {
                    PropertyKind::Number => numbers.next(property.scalar).ok_or_else(ends)?,
                    PropertyKind::List => {
                        let length = numbers.next(property.length).ok_or_else(ends)?.max(0.0) as usize;
                        numbers.skip(length.saturating_mul(property.scalar.size())).ok_or_else(ends)?;
                        f64::NAN
                    }
                };
                if is_vertex {
                    columns.push(place, value);
                }
            }
        }
    }
    match numbers.rest.len() {
        0 => Ok(()),
        more => Err(format!("{more} bytes follow the rows that the header counts; correct the count or remove them")),
    }
}

struct Numbers<'a> {
    rest: &'a [u8],
    big_endian: bool,
}

impl Numbers<'_> {
    fn next(&mut self, scalar: Scalar) -> Option<f64> {
        match scalar {
            Scalar::I8 => self.bytes().map(|bytes| i8::from_le_bytes(bytes).into()),
            Scalar::U8 => self.bytes().map(|bytes| u8::from_le_bytes(bytes).into()),
            Scalar::I16 => self.bytes().map(|bytes| i16::from_le_bytes(bytes).into()),
            Scalar::U16 => self.bytes().map(|bytes| u16::from_le_bytes(bytes).into()),
            Scalar::I32 => self.bytes().map(|bytes| i32::from_le_bytes(bytes).into()),
            Scalar::U32 => self.bytes().map(|bytes| u32::from_le_bytes(bytes).into()),
            Scalar::F32 => self.bytes().map(|bytes| f32::from_le_bytes(bytes).into()),
            Scalar::F64 => self.bytes().map(f64::from_le_bytes),
        }
    }

    /// The next bytes, the least significant one first.
    fn bytes<const SIZE: usize>(&mut self) -> Option<[u8; SIZE]> {
        let (taken, rest) = self.rest.split_first_chunk::<SIZE>()?;
        self.rest = rest;
        let mut bytes = *taken;
        if self.big_endian {
            bytes.reverse();
        }
        Some(bytes)
    }

    fn skip(&mut self, count: usize) -> Option<()> {
        self.rest = self.rest.get(count..)?;
        Some(())
    }
}
