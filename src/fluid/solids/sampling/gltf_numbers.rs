//! Reads the numbers of glTF accessors (glTF 2.0, section 3.6.2) after checking every range: the reader of the crate
//! `gltf` slices buffers without checks, so that a wrong offset, count or type would end the program.

use glam::Vec3;
use gltf::accessor::{DataType, Dimensions, sparse};
use gltf::buffer::{Data, View};
use gltf::{Accessor, Semantic};

/// Largest number of elements of an accessor: the corners of the largest mesh, each with a vertex of its own.
const MOST: usize = 3 << 20;

/// The positions of a primitive, m, before the transformation of its node.
///
/// # Errors
/// What is wrong with them, and the mend.
pub(super) fn positions(primitive: &gltf::Primitive<'_>, buffers: &[Data]) -> Result<Vec<Vec3>, String> {
    let accessor = primitive.get(&Semantic::Positions).ok_or("a mesh in it has no positions")?;
    let kind = (accessor.data_type(), accessor.dimensions());
    if kind != (DataType::F32, Dimensions::Vec3) || accessor.normalized() {
        let reason = format!("are {:?} of {:?}; export them as three floats each", kind.1, kind.0);
        return Err(format!("the positions in accessor {} {reason}", accessor.index()));
    }
    let read = |bytes: &[u8]| Vec3::from_array([0, 4, 8].map(|at| f32::from_le_bytes(array(&bytes[at..]))));
    elements(&accessor, buffers, Vec3::ZERO, read)
}

/// The indices of a primitive's corners; `None` where its vertices are used in order.
///
/// # Errors
/// As [`positions`].
pub(super) fn indices(primitive: &gltf::Primitive<'_>, buffers: &[Data]) -> Result<Option<Vec<u32>>, String> {
    let Some(accessor) = primitive.indices() else { return Ok(None) };
    if accessor.dimensions() != Dimensions::Scalar {
        return Err(format!("the indices in accessor {} are no single numbers; export them again", accessor.index()));
    }
    let read = match accessor.data_type() {
        DataType::U8 => |bytes: &[u8]| u32::from(bytes[0]),
        DataType::U16 => |bytes: &[u8]| u32::from(u16::from_le_bytes(array(bytes))),
        DataType::U32 => |bytes: &[u8]| u32::from_le_bytes(array(bytes)),
        other => {
            return Err(format!(
                "the indices in accessor {} are {other:?}; export them as numbers without sign",
                accessor.index()
            ));
        }
    };
    elements(&accessor, buffers, 0, read).map(Some)
}

/// The first bytes of a slice that is at least as long.
fn array<const SIZE: usize>(bytes: &[u8]) -> [u8; SIZE] {
    std::array::from_fn(|place| bytes[place])
}

/// The elements of an accessor; those without a buffer are zero, and sparse ones replace others.
fn elements<T: Copy>(
    accessor: &Accessor<'_>,
    buffers: &[Data],
    zero: T,
    read: impl Fn(&[u8]) -> T,
) -> Result<Vec<T>, String> {
    let wrong = |reason: String| format!("accessor {}: {reason}; export it again", accessor.index());
    let (count, size) = (accessor.count(), accessor.size());
    if count == 0 || count > MOST {
        return Err(wrong(format!("its count is {count}, and must be from 1 to {MOST}")));
    }
    let mut values = match accessor.view() {
        Some(view) => {
            let range = Range { offset: accessor.offset(), count, size };
            let places = range.in_view(&view, buffers).map_err(wrong)?;
            places.map(&read).collect()
        }
        None => vec![zero; count],
    };
    if let Some(sparse) = accessor.sparse() {
        let replaced = Range { offset: sparse.values().offset(), count: sparse.count(), size };
        let numbers = sparse.indices();
        let (width, number): (_, fn(&[u8]) -> usize) = match numbers.index_type() {
            sparse::IndexType::U8 => (1, |bytes| bytes[0].into()),
            sparse::IndexType::U16 => (2, |bytes| u16::from_le_bytes(array(bytes)).into()),
            sparse::IndexType::U32 => (4, |bytes| u32::from_le_bytes(array(bytes)) as usize),
        };
        let range = Range { offset: numbers.offset(), count: sparse.count(), size: width };
        let (numbers, sparse_values) = (numbers.view(), sparse.values().view());
        let numbers = range.in_view(&numbers, buffers).map_err(wrong)?;
        for (place, bytes) in numbers.map(number).zip(replaced.in_view(&sparse_values, buffers).map_err(wrong)?) {
            let value =
                values.get_mut(place).ok_or_else(|| wrong(format!("it replaces element {place} of {count}")))?;
            *value = read(bytes);
        }
    }
    Ok(values)
}

/// Elements of a buffer view.
struct Range {
    /// Bytes from the beginning of the view.
    offset: usize,
    count: usize,
    /// Bytes of an element.
    size: usize,
}

impl Range {
    /// The bytes of each element, after checking that all of them lie in the view, and the view in its buffer.
    fn in_view<'a>(
        &self,
        view: &View<'_>,
        buffers: &'a [Data],
    ) -> Result<impl Iterator<Item = &'a [u8]> + use<'a>, String> {
        let &Self { offset, count, size } = self;
        let buffer = buffers.get(view.buffer().index()).map(|data| &data.0[..]).unwrap_or_default();
        let end = view.offset().checked_add(view.length()).filter(|&end| end <= buffer.len());
        let bytes = end.map(|end| &buffer[view.offset()..end]).ok_or_else(|| {
            let (index, from, length) = (view.index(), view.offset(), view.length());
            format!("its view {index} has {length} bytes from byte {from} on, and the buffer has {}", buffer.len())
        })?;
        let stride = view.stride().unwrap_or(size);
        let last = count.checked_sub(1).and_then(|steps| steps.checked_mul(stride)).unwrap_or(usize::MAX);
        let needed = last.checked_add(size).and_then(|needed| needed.checked_add(offset));
        if stride < size || needed.is_none_or(|needed| needed > bytes.len()) {
            return Err(format!(
                "{count} elements of {size} bytes, every {stride} bytes from byte {offset} on, do not fit into the {} \
                 bytes of its view {}",
                bytes.len(),
                view.index()
            ));
        }
        Ok((0..count).map(move |number| &bytes[offset + number * stride..][..size]))
    }
}
