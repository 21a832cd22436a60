//! The function `neighbors`: all neighbors of all points within a radius.

use std::collections::BTreeMap;

use nearwater::gpu::record;
use nearwater::search::{ListedNeighbors, NeighborList, SearchInput, search_named};
use numpy::{IntoPyArray as _, PyArray1};
use pyo3::prelude::*;

use crate::arguments::{number, pairs, search_options};
use crate::device;
use crate::fault::Fault;
use crate::points::GivenPoints;

/// Offsets and indices of compressed rows.
type Rows<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<u32>>);

/// Find all neighbors of every point within a radius, on the GPU.
///
/// Parameters
/// ----------
/// points : array_like, shape (n, 3) or (n, 2)
///     Coordinates in any unit of length, in double or single precision, contiguous or not.
/// radius : float
///     Largest distance between neighbors, in the same unit.
/// search : str, default "claws"
///     Name of the search; see `searches()`.
/// options : mapping, optional
///     Options of the search, for example ``{"cell-edge": "2r"}``.
/// adapter : str, optional
///     A part of the name of the adapter to use; see `adapters()`. By default the best one.
///
/// Returns
/// -------
/// offsets : numpy.ndarray of int64, shape (n + 1,)
/// indices : numpy.ndarray of uint32
///     The neighbors of point ``i`` are ``indices[offsets[i]:offsets[i + 1]]``, in ascending order, without ``i``
///     itself.
///     Points at the same place are neighbors of each other.
///
/// Raises
/// ------
/// ValueError
///     If the points are not finite or have another shape, the radius is not positive, or there are more points or
///     neighbors than the adapter holds. The message says what to change.
/// GpuError
///     If there is no GPU, or it fails.
///
/// Notes
/// -----
/// Distances are computed in single precision, after the middle of the points was moved to the origin in double
/// precision. A pair is decided differently than in exact arithmetic only if its distance differs from the radius by
/// less than about 1e-7 of the extent of the points.
#[pyfunction]
#[pyo3(signature = (points, radius, search="claws", *, options=None, adapter=None))]
pub fn neighbors<'py>(
    python: Python<'py>,
    points: Bound<'py, PyAny>,
    radius: Bound<'py, PyAny>,
    search: &str,
    options: Option<BTreeMap<String, Bound<'py, PyAny>>>,
    adapter: Option<&str>,
) -> PyResult<Rows<'py>> {
    // Far enough from the ends of double precision that scaling by the radius is exact.
    let is_good = |value: f64| (1e-290..=1e290).contains(&value);
    let radius = number("radius", &radius, is_good, "a positive length from 1e-290 to 1e290")?;
    let info = search_named(search).map_err(Fault::from)?;
    let options = search_options(info, &pairs(options)?)?;
    let gpu = device::work(python, |devices| devices.gpu(adapter))?;
    let most = (gpu.capabilities.largest_binding_bytes() / size_of::<[f32; 4]>() as u64).min(u32::MAX.into());
    let prepared = GivenPoints::new(&points, most)?.prepare(radius)?;
    let rows = device::work(python, |_| {
        let positions = gpu.storage_with("points", &prepared.positions)?;
        let input = SearchInput {
            positions: &positions,
            particle_count: prepared.positions.len() as u32,
            domain: prepared.domain,
            options: &options,
        };
        let search = info.create(&gpu, input)?;
        let build = search.build_passes(&gpu)?;
        gpu.submit(|encoder| record(&build, encoder, None));
        let list = NeighborList::new(&gpu, search.as_ref())?;
        Ok(list.read(&gpu, search.as_ref())?)
    })?;
    let ListedNeighbors { offsets, indices } = rows;
    let offsets: Vec<i64> = offsets.into_iter().map(|offset| offset as i64).collect();
    Ok((offsets.into_pyarray(python), indices.into_pyarray(python)))
}
