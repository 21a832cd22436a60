//! The places of [`Neighbors`](super::Neighbors): a search sorts a fixed number of particles, so that places without a
//! particle are parked beside the box, each farther than the support radius from all others.
//!
//! Nothing is allocated to record a new number of particles: the number reaches the device as four digits to base 256,
//! each copied from a table of all digits, because a write through the queue would apply to a whole submission.

use glam::Vec3;

use super::NeighborsError;
use crate::gpu::{Dispatch, Gpu, Pass, PassDescriptor, Phase, ShaderVariant, gpu_struct};
use crate::search::{Domain, NeighborSearch};

const FILE: &str = "neighbors/places.wgsl";
/// Bytes of a position.
pub(super) const POSITION_BYTES: u64 = size_of::<[f32; 4]>() as u64;
/// Base of the digits.
const BASE: u32 = 256;
/// Largest number of rows of parking places along an axis, which bounds the conversion of a box's extent.
const MOST_ROWS: f32 = 65_536.0;

gpu_struct! {
    /// Where places without a particle are parked, in the layout of the shader.
    pub struct Parking {
        /// The first parking place, m.
        pub first: [f32; 3],
        /// Number of places of the search.
        pub capacity: u32,
        /// Distance between the places of a row, m.
        pub in_row: [f32; 3],
        /// Number of places in a row.
        pub row_length: u32,
        /// Distance between rows, m.
        pub between_rows: [f32; 3],
        /// Number of rows in a layer.
        pub row_count: u32,
        /// Distance between layers, m.
        pub between_layers: [f32; 3],
        /// Fills the struct to a multiple of 16 bytes.
        pub unused: u32,
    }
}

impl Parking {
    /// Parking places beyond the largest face of the box. A layer of them has a place for every two radii of the face,
    /// so that they spread over as many cells as possible: grids assign them to their outermost cells.
    pub(super) fn new(domain: Domain, capacity: u32) -> Self {
        let largest = domain.low.abs().max(domain.high.abs()).max_element();
        // Wide enough that rounding of coordinates never moves two places within a radius of each other.
        let step = 2.0 * domain.support_radius + 16.0 * f32::EPSILON * largest;
        let extent = domain.high - domain.low;
        let rows = (extent / step).floor().clamp(Vec3::ZERO, Vec3::splat(MOST_ROWS - 1.0)).as_uvec3() + 1;
        let places = |axis: usize| u64::from(rows[(axis + 1) % 3]) * u64::from(rows[(axis + 2) % 3]);
        let outwards = (0..3).max_by_key(|&axis| places(axis)).unwrap_or(0);
        let along = |axis: usize| (Vec3::AXES[axis % 3] * step).to_array();
        let first = domain.low + Vec3::AXES[outwards] * (extent[outwards] + step);
        Self {
            first: first.to_array(),
            capacity,
            in_row: along(outwards + 1),
            row_length: rows[(outwards + 1) % 3],
            between_rows: along(outwards + 2),
            row_count: rows[(outwards + 2) % 3],
            between_layers: along(outwards),
            unused: 0,
        }
    }
}

/// The positions that the search sorts, and the number of particles among them.
pub(super) struct Places {
    /// Positions in the caller's order, m; len = capacity.
    pub positions: wgpu::Buffer,
    /// The number of particles of the last record in four digits to base [`BASE`], the lowest first.
    pub count_digits: wgpu::Buffer,
    /// Every digit.
    digits: wgpu::Buffer,
    parking: wgpu::Buffer,
    capacity: u32,
}

impl Places {
    pub(super) fn new(gpu: &Gpu, domain: Domain, capacity: u32) -> Result<Self, NeighborsError> {
        Ok(Self {
            positions: gpu.storage::<[f32; 4]>("positions of the caller", capacity.into())?,
            count_digits: gpu.storage::<u32>("number of particles", 4)?,
            digits: gpu.storage_with::<u32>("digits", &(0..BASE).collect::<Vec<_>>())?,
            parking: gpu.uniform("parking places", &Parking::new(domain, capacity)),
            capacity,
        })
    }

    fn pass(
        &self,
        gpu: &Gpu,
        entry_point: &'static str,
        buffers: &[(&str, &wgpu::Buffer)],
    ) -> Result<Pass, NeighborsError> {
        let descriptor = PassDescriptor {
            phase: Phase::Build,
            label: entry_point,
            shader: &ShaderVariant::new(FILE),
            entry_point,
            buffers,
            dispatch: Dispatch::Invocations(self.capacity.into()),
        };
        Ok(Pass::new(gpu, descriptor)?)
    }

    /// The pass that parks the places without a particle; it runs before the search's passes.
    pub(super) fn take_pass(&self, gpu: &Gpu) -> Result<Pass, NeighborsError> {
        let buffers =
            [("parking", &self.parking), ("count_digits", &self.count_digits), ("positions", &self.positions)];
        self.pass(gpu, "take_positions", &buffers)
    }

    /// The pass that writes the caller's index of every sorted particle; it runs after the search's build passes.
    pub(super) fn order_pass(
        &self,
        gpu: &Gpu,
        search: &dyn NeighborSearch,
        original_from_sorted: &wgpu::Buffer,
    ) -> Result<Pass, NeighborsError> {
        let buffers = [
            ("parking", &self.parking),
            ("sorted_positions", search.sorted_positions()),
            ("original_from_sorted", original_from_sorted),
        ];
        self.pass(gpu, "write_order", &buffers)
    }

    /// Records the copies of `count` positions and of their number.
    pub(super) fn record(&self, encoder: &mut wgpu::CommandEncoder, positions: &wgpu::Buffer, count: u32) {
        if count > 0 {
            encoder.copy_buffer_to_buffer(positions, 0, &self.positions, 0, u64::from(count) * POSITION_BYTES);
        }
        for (place, digit) in (0..).zip(count.to_le_bytes()) {
            encoder.copy_buffer_to_buffer(&self.digits, 4 * u64::from(digit), &self.count_digits, 4 * place, 4);
        }
    }
}

/// The number that the digits write.
pub(super) fn number(digits: &[u32]) -> u32 {
    digits.iter().rev().fold(0, |number, digit| number * BASE + digit)
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::{FILE, Parking, number};
    use crate::gpu::{ShaderLibrary, ShaderVariant, assert_same_layout};
    use crate::search::Domain;

    #[test]
    fn the_parking_has_the_same_layout_in_shaders_and_in_rust() {
        let (module, _) = ShaderLibrary::embedded().compose(&ShaderVariant::new(FILE)).expect("it composes");
        assert_same_layout::<Parking>(&module);
    }

    #[test]
    fn digits_are_read_as_they_are_written() {
        for count in [0, 1, 255, 256, 65_537, u32::MAX] {
            assert_eq!(number(&count.to_le_bytes().map(u32::from)), count);
        }
    }

    #[test]
    fn parking_places_are_farther_than_the_radius_from_each_other_and_from_the_box() {
        for (low, high, radius) in [
            (Vec3::ZERO, Vec3::ONE, 0.1),
            (Vec3::splat(-1e6), Vec3::splat(-1e6 + 4.0), 0.25),
            (Vec3::ZERO, Vec3::new(5.0, 0.0, 5.0), 0.3),
            (Vec3::ONE, Vec3::ONE, 1e-3),
        ] {
            let parking = Parking::new(Domain::new(low, high, radius).expect("a good domain"), 1_000);
            let [first, in_row, rows, layers] =
                [parking.first, parking.in_row, parking.between_rows, parking.between_layers].map(Vec3::from_array);
            let places: Vec<Vec3> = (0..1_000_u32)
                .map(|index| {
                    let row = index / parking.row_length;
                    first
                        + (index % parking.row_length) as f32 * in_row
                        + (row % parking.row_count) as f32 * rows
                        + (row / parking.row_count) as f32 * layers
                })
                .collect();
            for (index, place) in places.iter().enumerate() {
                assert!(place.distance(place.clamp(low, high)) > radius, "{place} is too close to the box");
                for other in &places[index + 1..] {
                    assert!(place.distance(*other) > radius, "{place} and {other} in the box from {low}");
                }
            }
        }
    }
}
