//! The pair kernel of the benchmarks, the sum of (1 - d²/r²)³, and the check of its sums. It vanishes at the radius,
//! so that traversals evaluate it for every candidate without a branch: another path than that of the kernels that
//! count and list neighbors.

use glam::Vec3;

use super::{BoundPairKernel, NeighborSearch, SearchError};
use crate::gpu::{Gpu, PairKernel, gpu_struct, read_buffer, record};

/// The pair kernel.
pub const KERNEL_SUM: PairKernel = PairKernel::new("search/kernel_sum.wgsl", true);

gpu_struct! {
    /// Parameters of the pair kernel.
    pub struct KernelSum {
        /// Reciprocal of the squared support radius, 1/m².
        pub inverse_radius_squared: f32,
    }
}

/// Largest relative difference between single and double precision.
const RELATIVE: f64 = 1e-4;
/// Difference that always counts as rounding. The nearest neighbor that could be missed contributes about 1.
const ABSOLUTE: f64 = 1e-3;

/// The sum of each particle in sorted order, by the traversal that physics runs; the build passes must have run.
///
/// # Errors
/// When a buffer does not fit the device, a shader does not compile, or the device is lost.
pub(super) fn sums(gpu: &Gpu, search: &dyn NeighborSearch) -> Result<Vec<f32>, SearchError> {
    let count = search.particle_count();
    let parameters = KernelSum { inverse_radius_squared: search.domain().support_radius.powi(2).recip() };
    let parameters = gpu.uniform("kernel sum", &parameters);
    let sums = gpu.storage::<f32>("kernel sums", count.into())?;
    let deposits = gpu.storage::<f32>("deposited kernel sums", count.into())?;
    let buffers = [("kernel_sum", &parameters), ("sums", &sums), ("deposits", &deposits)];
    let pair = BoundPairKernel { label: "sum kernel", kernel: KERNEL_SUM, definitions: &[], buffers: &buffers };
    let passes = search.traversal_passes(gpu, pair, None)?;
    gpu.submit(|encoder| record(&passes, encoder, None));
    Ok(read_buffer(gpu, &sums, count as usize)?)
}

/// The first particle whose sum differs from that over its neighbors, all by original index; `original` is the original
/// index for each place of the sorted order. Without a result where positions are not finite, since what `saturate`
/// makes of a distance that is not a number is undefined.
pub(super) fn first_wrong(
    positions: &[Vec3],
    radius: f32,
    lists: &[Vec<u32>],
    original: &[u32],
    sums: &[f32],
) -> Option<u32> {
    if !positions.iter().all(|position| position.is_finite()) {
        return None;
    }
    let inverse = f64::from(radius).powi(2).recip();
    let is_wrong = |&(index, sum): &(&u32, &f32)| {
        let center = positions[*index as usize].as_dvec3();
        let weight = |other: &u32| {
            let distance_squared = positions[*other as usize].as_dvec3().distance_squared(center);
            (1.0 - distance_squared * inverse).max(0.0).powi(3)
        };
        let expected: f64 = lists[*index as usize].iter().map(weight).sum();
        let difference = (f64::from(*sum) - expected).abs();
        difference.is_nan() || difference > ABSOLUTE + RELATIVE * expected
    };
    original.iter().zip(sums).find(is_wrong).map(|(index, _)| *index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::{ShaderLibrary, ShaderVariant, assert_same_layout};

    #[test]
    fn shaders_see_the_kernel_sum_as_rust_does() {
        let variant = ShaderVariant::new("search/hoetzlein.wgsl").with_pair(KERNEL_SUM).with_flag("TRAVERSAL");
        let (module, _) = ShaderLibrary::embedded().compose(&variant).expect("it composes");
        assert_same_layout::<KernelSum>(&module);
    }

    #[test]
    fn a_sum_that_lacks_a_neighbor_or_is_no_number_is_wrong() {
        let positions = [Vec3::ZERO, Vec3::new(0.5, 0.0, 0.0), Vec3::new(2.0, 0.0, 0.0)];
        let lists = [vec![1], vec![0], vec![]];
        let right = 0.75_f32.powi(3);
        let verdict = |sums: [f32; 3]| first_wrong(&positions, 1.0, &lists, &[1, 0, 2], &sums);
        assert_eq!(verdict([right, right, 0.0]), None);
        assert_eq!(verdict([0.0, right, 0.0]), Some(1));
        assert_eq!(verdict([right, right, right]), Some(2));
        assert_eq!(verdict([right, f32::NAN, 0.0]), Some(0));
    }
}
