//! The checks that all searches share. Shaders run without bounds checks, so that a buffer that is too short would let
//! safe Rust read and write other device memory. A pass cannot be interrupted, so that a pass that takes seconds hangs
//! the display.
//!
//! - Lengths: the length of the positions is checked when a search is created. The length of a buffer of a traversal is
//!   checked if its shader declares it as `len = particle_count`.
//! - Time: with a support radius close to the size of the box, every search tests nearly every pair. Such a radius is
//!   refused when the search is created ([`refuse_wide_radius`]). Whether particles crowd together is known only from
//!   the positions; [`refuse_crowds`] counts candidates before a neighbor list is created. Both checks accept every
//!   input whose number of particles brute force accepts, because no search tests a pair more than once in each
//!   direction. In a running simulation the app compares the candidates of every survey with [`most_tests`].

use glam::Vec3;

use super::shares::CellMap;
use super::{Domain, NeighborSearch, SearchError, SearchInput};
use crate::gpu::{AdapterClass, Gpu, Pass, element_bytes, read_buffer};

/// Longest estimated time of a pass, s. It is well below the time after which display drivers reset the device (2 s on
/// Windows).
pub(super) const LONGEST_SECONDS: f64 = 0.5;
/// The same on a software adapter, where searches are merely slow and no display driver resets the device.
const LONGEST_SOFTWARE_SECONDS: f64 = 10.0;

/// Pair tests per second of the slowest adapter of a class. The numbers serve only to estimate whether to refuse an
/// input.
pub(super) fn pair_tests_per_second(class: AdapterClass) -> f64 {
    match class {
        AdapterClass::Discrete => 2e11,
        AdapterClass::Integrated => 2e10,
        AdapterClass::Software => 4e8,
    }
}

/// The largest number of pair tests in a pass that is accepted on an adapter of a class.
pub fn most_tests(class: AdapterClass) -> f64 {
    let seconds = if class == AdapterClass::Software { LONGEST_SOFTWARE_SECONDS } else { LONGEST_SECONDS };
    seconds * pair_tests_per_second(class)
}

/// Refuses an input whose buffer is too short for its particle count, or whose domain [`Domain::new`] would not accept.
pub(super) fn check_input(input: &SearchInput<'_>) -> Result<(), SearchError> {
    let held = input.positions.size() / size_of::<[f32; 4]>() as u64;
    if held < input.particle_count.into() {
        return Err(SearchError::TooFewPositions { held, particle_count: input.particle_count });
    }
    let Domain { low, high, support_radius } = input.domain;
    Domain::new(low, high, support_radius).map(|_| ())
}

/// Refuses a pass of a traversal that binds a buffer shorter than its shader declares: `len = particle_count`, or
/// `len = particle_count + 1`. The caller supplies these buffers for the pair kernel and the instrument.
pub(super) fn check_lengths(gpu: &Gpu, pass: Pass, particle_count: u32) -> Result<Pass, SearchError> {
    let declarations = gpu.shaders().declarations(pass.shader())?;
    for bound in pass.bindings() {
        let declared =
            declarations.iter().find(|declared| declared.place == bound.place && declared.name == bound.name);
        let Some(length) = declared.and_then(|declared| declared.length.as_deref()) else { continue };
        let Some(more) = length.strip_prefix("particle_count") else { continue };
        let elements = u64::from(particle_count) + u64::from(more.trim_start().starts_with("+ 1"));
        let needed = element_bytes::<u8>(elements * u64::from(bound.layout.stride));
        if bound.buffer.size() < needed {
            return Err(SearchError::BufferTooSmall {
                pass: pass.label,
                binding: bound.name.clone(),
                bytes: bound.buffer.size(),
                needed,
                particle_count,
            });
        }
    }
    Ok(pass)
}

/// Refuses a support radius close to the size of the box, if an even distribution of the particles in the box would
/// already require too many tests. Water fills only a part of its box, but a particle of water has at most about a
/// hundred candidates.
pub(super) fn refuse_wide_radius(gpu: &Gpu, search: &dyn NeighborSearch) -> Result<(), SearchError> {
    let most = most_tests(gpu.capabilities.class);
    let particles = f64::from(search.particle_count());
    let Some(cells) = search.cells().filter(|_| particles * particles > most) else { return Ok(()) };
    let domain = search.domain();
    let radius = f64::from(domain.support_radius);
    // In two-level searches, the cells of the local grids are as wide as the radius.
    let edge = if cells.border.is_some() { glam::DVec3::splat(radius) } else { cells.size.as_dvec3() };
    let extent = (domain.high - domain.low).as_dvec3();
    // The looked-up region extends by the radius to both sides, and on average by half a cell more.
    let looked_at = edge + 2.0 * radius;
    let parts = (0..3).map(|axis| if extent[axis] > looked_at[axis] { looked_at[axis] / extent[axis] } else { 1.0 });
    let tests = particles * particles * parts.product::<f64>();
    if tests <= most {
        return Ok(());
    }
    let limit = particles * (most / tests).sqrt();
    Err(SearchError::TooSlow {
        search: search.info().title,
        pairs: tests,
        seconds: tests / pair_tests_per_second(gpu.capabilities.class),
        adapter: gpu.capabilities.name.clone(),
        limit: limit as u32,
    })
}

/// The crowding of particles in cells of a given size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Crowd {
    /// Largest number of particles in one cell.
    most: u32,
    /// Number of pairs of particles in the same cell or in adjacent cells, each direction counted.
    pub pairs: f64,
}

impl Crowd {
    /// Counts `count` particles with these positions, m, in cells with these edges, m.
    pub fn of(count: usize, position: impl Fn(usize) -> Vec3 + Sync, cell_size: Vec3) -> Self {
        let cell_of = |particle: usize| (position(particle) / cell_size).floor().as_i64vec3();
        let counts = CellMap::fill(count, cell_of, |count: &mut u32, _| *count += 1);
        let pairs =
            |(cell, &count): (&_, &u32)| f64::from(count) * counts.around(*cell).copied().map(f64::from).sum::<f64>();
        Self { most: counts.iter().map(|(_, &count)| count).max().unwrap_or(0), pairs: counts.iter().map(pairs).sum() }
    }
}

/// Refuses a search in which so many particles crowd together that a traversal would hang the display. It counts the
/// candidates exactly, in cells as wide as those of the search, but not narrower than the radius. Waits for the device,
/// unless there are so few particles that all of them may be in one cell.
///
/// The build passes of the search must have run.
///
/// # Errors
/// When a traversal would take too long, or the device fails.
pub fn refuse_crowds(gpu: &Gpu, search: &dyn NeighborSearch) -> Result<(), SearchError> {
    refuse_counted_crowds(gpu, search, |edge| {
        let positions: Vec<[f32; 4]> = read_buffer(gpu, search.sorted_positions(), search.particle_count() as usize)?;
        Ok(Crowd::of(positions.len(), |particle| Vec3::from_slice(&positions[particle]), edge))
    })
}

/// The same with the numbers that `crowd_in` has for cells of the given edges, m. It is called only where there are so
/// many particles that the numbers matter.
pub(super) fn refuse_counted_crowds(
    gpu: &Gpu,
    search: &dyn NeighborSearch,
    crowd_in: impl FnOnce(Vec3) -> Result<Crowd, SearchError>,
) -> Result<(), SearchError> {
    let most = most_tests(gpu.capabilities.class);
    let particles = f64::from(search.particle_count());
    // A search without cells tests every pair, independently of the positions, and refuses too many particles itself.
    let Some(cells) = search.cells().filter(|_| particles * particles > most) else { return Ok(()) };
    let radius = Vec3::splat(search.domain().support_radius);
    // In two-level searches, the cells of the local grids are as wide as the radius.
    let edge = if cells.border.is_some() { radius } else { cells.size.max(radius) };
    let crowd = crowd_in(edge)?;
    if crowd.pairs <= most {
        return Ok(());
    }
    Err(SearchError::TooCrowded {
        search: search.info().title,
        most: crowd.most,
        pairs: crowd.pairs,
        seconds: crowd.pairs / pair_tests_per_second(gpu.capabilities.class),
        adapter: gpu.capabilities.name.clone(),
    })
}
