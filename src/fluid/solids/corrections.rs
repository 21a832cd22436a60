//! Corrections of the gradients of pressure on the CPU, for the forces on walls that probes read: the tensors that
//! `corrections.wgsl` computes on the device, from the same sums. `solvers/wcsph/accurate.rs` explains them.

use glam::{DMat3, DVec3};

use super::walls::Wall;
use crate::fluid::smoothing_kernel::Dimensions;

/// Largest correction, as a share of the pressure term: `MOST_CORRECTED` in corrections.wgsl.
const MOST_CORRECTED: f64 = 0.4;
/// Summed densities over the rest density between which a particle counts more and more as within the fluid: `SURFACE`
/// and `WITHIN` in `equation_of_state.wgsl`.
const SURFACE: f64 = 0.88;
const WITHIN: f64 = 0.96;

/// What the correction takes from the pressure terms of the particles near a wall, as shares of them.
pub(super) struct Corrections {
    /// In the order of the particles; zero for those that are not near the wall.
    tensors: Vec<DMat3>,
}

impl Corrections {
    /// The corrections of the particles in `near`.
    pub(super) fn new(wall: &Wall<'_>, near: &[usize]) -> Self {
        let along = usize::from(wall.face.axis == 0);
        // The neighbors of the particles that are nearer to the wall than a radius are nearer than two.
        let fluid = wall.positions.iter().map(|&place| (place, 1.0));
        let mut others: Vec<_> = fluid.chain(wall.solids.iter().copied().filter(|solid| solid.1 > 0.0)).collect();
        others.retain(|&(place, _)| wall.height_of(place) < 2.0 * wall.radius);
        others.sort_unstable_by(|a, b| a.0[along].total_cmp(&b.0[along]));
        let mut tensors = vec![DMat3::ZERO; wall.positions.len()];
        for &i in near {
            let from = others.partition_point(|other| other.0[along] <= wall.positions[i][along] - wall.radius);
            let reach = wall.positions[i][along] + wall.radius;
            let around = others[from..].iter().take_while(|other| other.0[along] < reach);
            tensors[i] = correction(wall, wall.positions[i], around);
        }
        Self { tensors }
    }

    /// The part of the pressure terms of i and of an image of j that is taken from their offset, m⁶/(kg s²).
    pub(super) fn of_image(&self, terms: [f64; 2], [i, j]: [usize; 2], mirrored: [bool; 3], offset: DVec3) -> DVec3 {
        let reflection = DMat3::from_diagonal(DVec3::from(mirrored.map(|mirrored| if mirrored { -1.0 } else { 1.0 })));
        terms[0] * (self.tensors[i] * offset) + terms[1] * (reflection * self.tensors[j] * reflection * offset)
    }

    /// The same of i and of an image of a solid's particle, which has no correction of its own.
    pub(super) fn of_solid(&self, term: f64, i: usize, offset: DVec3) -> DVec3 {
        term * (self.tensors[i] * offset)
    }
}

/// The correction of a particle at a place, from the particles around it with their weights, itself included.
fn correction<'a>(wall: &Wall<'_>, at: DVec3, around: impl Iterator<Item = &'a (DVec3, f64)>) -> DMat3 {
    let (mut shapes, mut moment) = (0.0, DMat3::ZERO);
    for &(place, weight) in around {
        wall.for_each_image(at, place, |offset, _| {
            let q = offset.length() / wall.radius;
            shapes += weight * wall.kernel.shape(q);
            let gradient = -weight * wall.kernel.slope_over_q(q) * offset;
            moment += DMat3::from_cols(gradient * offset.x, gradient * offset.y, gradient * offset.z);
        });
    }
    let flat = wall.dimensions == Dimensions::Two;
    let count = if flat { 2.0 } else { 3.0 };
    let along = DVec3::new(1.0, 1.0, if flat { 0.0 } else { 1.0 });
    let moment = wall.pressure_scale() / wall.rest_density * moment;
    let trace = moment.x_axis.x + moment.y_axis.y + moment.z_axis.z;
    let deviator = moment - DMat3::from_diagonal(trace / count * along);
    let size = deviator.to_cols_array().iter().map(|entry| entry * entry).sum::<f64>().sqrt();
    let density = wall.density_scale() * shapes / wall.rest_density;
    let within = ((density - SURFACE) / (WITHIN - SURFACE)).clamp(0.0, 1.0);
    within * (MOST_CORRECTED / size.max(1e-6)).min(1.0) * deviator
}
