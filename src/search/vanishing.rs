//! The pair kernel of the benchmarks, the sum of (1 - d²/r²)³, and the check of its sums. It vanishes at the radius,
//! so that traversals evaluate it for every candidate without a branch: another path than that of the kernels that
//! count and list neighbors. The check evaluates it in one pass, in scaled coordinates and in meters, and in two,
//! for common and special particles, as the kernels of the solvers do near walls.

use glam::Vec3;

use super::{BoundPairKernel, NeighborSearch, SearchError};
use crate::gpu::{Gpu, PairKernel, gpu_struct, read_buffer, record};

/// The pair kernel.
pub const KERNEL_SUM: PairKernel = PairKernel { scales: true, ..PairKernel::new("search/kernel_sum.wgsl", true) };

gpu_struct! {
    /// Parameters of the pair kernel.
    pub struct KernelSum {
        /// Reciprocal of the squared support radius, 1/m².
        pub inverse_radius_squared: f32,
        /// Particles with a smaller x are special where the kernel divides the particles, m.
        pub special_below: f32,
        /// The power of two, 1/m, by which the support radius becomes less than 1 and at least 1/2.
        pub scale: f32,
        /// Square of the scaled support radius.
        pub scaled_radius_squared: f32,
    }
}

/// Largest relative difference between single and double precision.
const RELATIVE: f64 = 1e-4;
/// Difference that always counts as rounding. The nearest neighbor that could be missed contributes about 1.
const ABSOLUTE: f64 = 1e-3;

impl KernelSum {
    /// The parameters for a support radius, m, where the kernel does not divide the particles.
    pub fn whole(support_radius: f32) -> Self {
        let scale = below_one(support_radius);
        Self {
            inverse_radius_squared: support_radius.powi(2).recip(),
            special_below: 0.0,
            scale,
            scaled_radius_squared: (scale * support_radius).powi(2),
        }
    }
}

/// The power of two by which a length becomes less than 1 and at least 1/2.
fn below_one(length: f32) -> f32 {
    let biased_exponent = (length.to_bits() >> 23).clamp(1, 252);
    f32::from_bits((253 - biased_exponent) << 23)
}

/// The same kernel without its functions for scaled coordinates.
const IN_METERS: PairKernel = PairKernel { scales: false, ..KERNEL_SUM };
/// The same kernel where it divides the particles.
const DIVIDED: PairKernel = PairKernel { divides: true, ..KERNEL_SUM };

/// The sums of each particle in sorted order, by the traversals that physics runs; the build passes must have run.
pub(super) struct Sums {
    /// Of all particles in one pass, in scaled coordinates if the search uses them; len = particle count.
    pub whole: Vec<f32>,
    /// The same in meters; len = particle count.
    pub in_meters: Vec<f32>,
    /// Of those in the upper half of the box along x in a pass for common particles, and of the others in one for
    /// special particles; len = particle count. `None` for searches that serve both in one pass.
    pub divided: Option<Vec<f32>>,
}

impl Sums {
    /// Computes the sums over particles that lie at `sorted`, in the search's order.
    ///
    /// # Errors
    /// When a buffer does not fit the device, a shader does not compile, or the device is lost.
    pub fn new(
        gpu: &Gpu,
        search: &dyn NeighborSearch,
        sorted: impl Iterator<Item = Vec3>,
    ) -> Result<Self, SearchError> {
        let domain = search.domain();
        let special_below = 0.5 * domain.low.x + 0.5 * domain.high.x;
        let parameters = KernelSum { special_below, ..KernelSum::whole(domain.support_radius) };
        let is_special = |(_, position): &(usize, Vec3)| position.x < parameters.special_below;
        let (special, common): (Vec<_>, Vec<_>) = sorted.enumerate().partition(is_special);
        let mut divided = vec![special.len() as u32, common.len() as u32];
        divided.extend(special.into_iter().chain(common).map(|(place, _)| place as u32));
        let divided = gpu.storage_with("divided particles", &divided)?;
        let parameters = gpu.uniform("kernel sum", &parameters);
        let whole = sums(gpu, search, KERNEL_SUM, (&parameters, &divided))?;
        let in_meters = sums(gpu, search, IN_METERS, (&parameters, &divided))?;
        // Searches that deposit sums do not divide the particles.
        let in_both = || sums(gpu, search, DIVIDED, (&parameters, &divided));
        let divided = search.gathers().then(in_both).transpose()?;
        Ok(Self { whole, in_meters, divided })
    }
}

fn sums(
    gpu: &Gpu,
    search: &dyn NeighborSearch,
    kernel: PairKernel,
    (parameters, divided): (&wgpu::Buffer, &wgpu::Buffer),
) -> Result<Vec<f32>, SearchError> {
    let count = search.particle_count();
    let sums = gpu.storage::<f32>("kernel sums", count.into())?;
    let deposits = gpu.storage::<f32>("deposited kernel sums", count.into())?;
    let buffers =
        [("kernel_sum", parameters), ("sums", &sums), ("deposits", &deposits), ("divided_particles", divided)];
    let pair = BoundPairKernel { label: "sum kernel", kernel, definitions: &[], buffers: &buffers };
    let passes = search.traversal_passes(gpu, pair, None)?;
    gpu.submit(|encoder| record(&passes, encoder, None));
    Ok(read_buffer(gpu, &sums, count as usize)?)
}

/// Whether the sums over particles at `positions` are defined. Where a position is not finite, a distance may not be a
/// number, and what `saturate` makes of it is undefined.
pub(super) fn is_defined(positions: &[Vec3]) -> bool {
    positions.iter().all(|position| position.is_finite())
}

/// Whether the sum of a particle differs from that over its neighbors, all by original index.
pub(super) fn is_wrong((positions, radius): (&[Vec3], f32), index: u32, neighbors: &[u32], sum: f32) -> bool {
    let inverse = f64::from(radius).powi(2).recip();
    let center = positions[index as usize].as_dvec3();
    let weight = |other: &u32| {
        let distance_squared = positions[*other as usize].as_dvec3().distance_squared(center);
        (1.0 - distance_squared * inverse).max(0.0).powi(3)
    };
    let expected: f64 = neighbors.iter().map(weight).sum();
    let difference = (f64::from(sum) - expected).abs();
    difference.is_nan() || difference > ABSOLUTE + RELATIVE * expected
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::gpu::{AdapterClass, ShaderLibrary, ShaderVariant, assert_same_layout};
    use crate::search::listed::UseOfList;
    use crate::search::random::uniform_cube;
    use crate::search::{Domain, SEARCHES, SearchInput, SearchOptions};

    #[test]
    fn shaders_see_the_kernel_sum_as_rust_does() {
        let variant = ShaderVariant::new("search/hoetzlein.wgsl").with_pair(KERNEL_SUM).with_flag("TRAVERSAL");
        let (module, _) = ShaderLibrary::embedded().compose(&variant).expect("it composes");
        assert_same_layout::<KernelSum>(&module);
    }

    #[test]
    fn scaled_radii_lie_between_a_half_and_one() {
        for radius in [1e-30, 0.02, 0.5, 0.75, 0.999_999_94, 1.0, 1.5, 2.0, 1e30_f32] {
            let sum = KernelSum::whole(radius);
            assert!((0.5..1.0).contains(&(sum.scale * radius)), "{radius}");
            assert_eq!(sum.scale.to_bits() & 0x007f_ffff, 0, "{radius}: {} is no power of two", sum.scale);
        }
    }

    /// Software adapters list the common particles, and the others skip the special ones in place.
    #[test]
    fn divided_particles_are_served_alike_on_every_class_of_adapter() {
        let (edge, radius) = (10.0, 1.0);
        let points = uniform_cube(7, 2_000, edge);
        let domain = Domain::new(Vec3::ZERO, Vec3::splat(edge), radius).expect("a box");
        let positions: Vec<[f32; 4]> = points.iter().map(|point| point.extend(0.0).to_array()).collect();
        let options = SearchOptions::default();
        let with_list = UseOfList::On.among(&options);
        for class in [AdapterClass::Software, AdapterClass::Discrete] {
            let opened = Gpu::open(None, ShaderLibrary::embedded().checked()).expect("an adapter");
            let mut gpu = Arc::into_inner(opened).expect("nothing else has it");
            gpu.capabilities.class = class;
            let buffer = gpu.storage_with("positions", &positions).expect("memory");
            for (info, options) in SEARCHES.iter().flat_map(|info| [(info, &options), (info, &with_list)]) {
                let input = SearchInput { positions: &buffer, particle_count: 2_000, domain, options };
                let search = info.create(&gpu, input).expect("a small input");
                let build = search.build_passes(&gpu).expect("it compiles");
                gpu.submit(|encoder| record(&build, encoder, None));
                let sorted: Vec<[f32; 4]> =
                    read_buffer(&gpu, search.sorted_positions(), 2_000).expect("the device answers");
                let sorted = sorted.into_iter().map(|[x, y, z, _]| Vec3::new(x, y, z));
                let sums = Sums::new(&gpu, search.as_ref(), sorted).expect("they fit");
                for (particle, sum) in sums.divided.iter().flatten().enumerate() {
                    let expected = sums.whole[particle];
                    assert!((sum - expected).abs() < 1e-3, "{} on {class:?}: {sum}, {expected}", info.name);
                }
                assert_eq!(sums.divided.is_some(), search.gathers(), "{}", info.name);
            }
        }
    }

    #[test]
    fn a_sum_that_lacks_a_neighbor_or_is_no_number_is_wrong() {
        let positions = [Vec3::ZERO, Vec3::new(0.5, 0.0, 0.0), Vec3::new(2.0, 0.0, 0.0)];
        let right = 0.75_f32.powi(3);
        let is_wrong = |index: u32, neighbors: &[u32], sum: f32| is_wrong((&positions, 1.0), index, neighbors, sum);
        assert!(!is_wrong(0, &[1], right) && !is_wrong(2, &[], 0.0));
        assert!(is_wrong(1, &[0], 0.0) && is_wrong(2, &[], right) && is_wrong(0, &[1], f32::NAN));
        assert!(is_defined(&positions) && !is_defined(&[Vec3::new(0.0, f32::INFINITY, 0.0)]));
    }
}
