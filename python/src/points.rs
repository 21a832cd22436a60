//! Points from NumPy as the searches take them: four floats per point, in units of length that suit single precision.

use glam::Vec3;
use nearwater::search::Domain;
use numpy::{PyReadonlyArray2, PyUntypedArray, PyUntypedArrayMethods as _};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::fault::Fault;

/// Largest extent of the points in radii. Beyond it, coordinates in single precision are rounded by more than a
/// hundredth of the radius.
const LARGEST_EXTENT: f64 = 160_000.0;

/// Radii whose squares, and those of their fractions, single precision represents. Lengths are scaled for others only,
/// so that messages usually name lengths as they were given; by a power of two, which rounds nothing.
const USUAL_RADII: std::ops::RangeInclusive<f64> = 1e-9..=1e9;

/// The points of a call, checked for shape and type, and their values not yet.
pub enum GivenPoints<'py> {
    /// Single precision.
    Single(PyReadonlyArray2<'py, f32>),
    /// Double precision.
    Double(PyReadonlyArray2<'py, f64>),
}

/// Points as a search takes them.
pub struct Prepared {
    /// Coordinates relative to the middle of the points, possibly scaled, and a zero.
    pub positions: Vec<[f32; 4]>,
    /// The box around them, and the radius in the same unit.
    pub domain: Domain,
}

impl<'py> GivenPoints<'py> {
    /// Accepts arrays, and everything that NumPy makes an array of, with two or three numbers in each row.
    pub fn new(points: &Bound<'py, PyAny>, most: u64) -> PyResult<Self> {
        let python = points.py();
        let numpy = python.import("numpy")?;
        if points.is_instance(&numpy.getattr("ma")?.getattr("MaskedArray")?)? {
            return Err(PyValueError::new_err(
                "points is a masked array, and a search has no masks; give points[~points.mask.any(axis=1)].data",
            ));
        }
        let array = numpy.call_method1("asarray", (points,))?;
        let shape = array.cast::<PyUntypedArray>()?.shape().to_vec();
        if shape.len() != 2 || !(2..=3).contains(&shape[1]) {
            let given: Vec<_> = shape.iter().map(ToString::to_string).collect();
            let comma = if shape.len() == 1 { "," } else { "" };
            return Err(PyValueError::new_err(format!(
                "points has the shape ({}{comma}) and must have (n, 3), or (n, 2) for points in a plane",
                given.join(", ")
            )));
        }
        let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
        if !["f", "i", "u"].contains(&kind.as_str()) {
            let dtype = array.getattr("dtype")?;
            return Err(PyValueError::new_err(format!("points has the type {dtype} and must contain real numbers")));
        }
        if shape[0] as u64 > most {
            return Err(PyValueError::new_err(format!(
                "{} points are more than the {most} that one buffer of this adapter holds; search them in parts",
                shape[0]
            )));
        }
        let single: bool = array.getattr("dtype")?.eq(numpy.call_method1("dtype", ("float32",))?)?;
        let wanted = if single { "float32" } else { "float64" };
        let array = numpy.call_method1("require", (array, wanted, ["C", "A"]))?;
        Ok(if single { Self::Single(array.extract()?) } else { Self::Double(array.extract()?) })
    }

    /// Moves the points into the middle and scales them.
    pub fn prepare(&self, radius: f64) -> Result<Prepared, Fault> {
        let slice_error = |_| Fault::Input("points is not contiguous after NumPy has copied it".to_owned());
        match self {
            Self::Single(array) => prepare(array.as_slice().map_err(slice_error)?, array.shape()[1], radius),
            Self::Double(array) => prepare(array.as_slice().map_err(slice_error)?, array.shape()[1], radius),
        }
    }
}

fn prepare<T: Copy + Into<f64>>(values: &[T], columns: usize, radius: f64) -> Result<Prepared, Fault> {
    let rows = || {
        values.chunks_exact(columns).map(|row| {
            let mut point = [0.0; 3];
            point.iter_mut().zip(row).for_each(|(place, &value)| *place = value.into());
            point
        })
    };
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for (index, point) in rows().enumerate() {
        if !point.iter().all(|value| value.is_finite()) {
            return Err(Fault::Input(format!(
                "points[{index}] is {:?}, which is not finite; leave such points out",
                &point[..columns]
            )));
        }
        for axis in 0..3 {
            low[axis] = low[axis].min(point[axis]);
            high[axis] = high[axis].max(point[axis]);
        }
    }
    let scale = if USUAL_RADII.contains(&radius) { 1.0 } else { (-radius.log2().round()).exp2() };
    let middle = [0, 1, 2].map(|axis| 0.5 * low[axis] + 0.5 * high[axis]);
    let extent = (0..3).map(|axis| high[axis] - low[axis]).fold(0.0, f64::max);
    if extent / radius > LARGEST_EXTENT {
        return Err(Fault::Input(format!(
            "the points extend over {extent:e}, which is more than {LARGEST_EXTENT} times the radius of {radius:e}; \
             single precision would round them too much, so search them in parts, or use a larger radius"
        )));
    }
    let positions: Vec<[f32; 4]> = rows()
        .map(|point| {
            let [x, y, z] = [0, 1, 2].map(|axis| ((point[axis] - middle[axis]) * scale) as f32);
            [x, y, z, 0.0]
        })
        .collect();
    let corners = positions.iter().map(|&[x, y, z, _]| Vec3::new(x, y, z));
    let corners = corners.map(|point| (point, point)).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
    let (low, high) = corners.unwrap_or_default();
    Ok(Prepared { positions, domain: Domain::new(low, high, (radius * scale) as f32)? })
}
