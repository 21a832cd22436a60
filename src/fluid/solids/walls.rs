//! Flat walls without particles: behind each wall of the box the fluid continues as its own mirror image. Near an edge
//! or in a corner there are images of images, so that the fluid there is surrounded by fluid as everywhere else.
//!
//! The images are not stored. A neighbor j of a particle i has an image behind a wall that is at the height zᵢ + zⱼ
//! from i, where z are the heights above the wall. That is never nearer than j itself, so the neighbors that a search
//! finds include all that have an image within the support radius, and every pair kernel evaluates the images of a pair
//! together with the pair (`images.wgsl`). An axis has at most one image in reach, since the box is wider than the
//! support radius.
//!
//! An image has the density of its original, and the velocity of its original with the component towards the wall
//! reversed: walls are slippery, and artificial viscosity damps what hits them. With the material's `no_slip`,
//! viscosity sees the components along the wall reversed as well (J. P. Morris, P. J. Fox and Y. Zhu, Modeling low
//! Reynolds number incompressible flows using SPH, Journal of Computational Physics 136 (1997), section 2.8), and its
//! `skin_friction` brakes the layer beside a wall (`integration.wgsl`). Its pressure contains the hydrostatic
//! difference between both places, as that of solids does (S. Adami, X. Y. Hu and N. A. Adams, A generalized wall
//! boundary condition for smoothed particle hydrodynamics, Journal of Computational Physics 231 (2012), equation 27);
//! without it the pressure would have a kink at the floor, and the lowest layer would bear too much.
//!
//! Along a wall the forces of a pair of images on i and on j are opposite, and towards the wall they are the same. A
//! sum therefore has two parts, of which `mirror` reverses the first.
//!
//! On the lattice that the fluid starts in, with layers at ½, 1½, 2½ ... spacings from the wall, the images continue
//! the lattice, and density and forces at walls, edges and corners are those of the interior.
//!
//! Viscosity acts between particles and images as well, also at right angles to a wall. Still water of DFSPH keeps
//! small velocities, which its shifts cancel, and so a wall bears a part of the weight by viscosity; readings of forces
//! on walls contain it (`WallViscosity`).
//!
//! Source: mirror images are those of L. D. Libersky and A. G. Petschek, Smooth particle hydrodynamics with strength of
//! materials, Advances in the Free-Lagrange Method (1991); evaluating them within the pairs of a neighbor search is our
//! own. Limitations: the method is for flat walls at right angles. Central gravity has no hydrostatic difference.

use glam::DVec3;

use super::corrections::Corrections;
use crate::fluid::Face;
use crate::fluid::smoothing_kernel::{Dimensions, SmoothingKernel};
use crate::fluid::viscous_weight::viscous_weight;

/// Particles at a wall of the box, and what their pressure forces depend on.
pub(in crate::fluid) struct Wall<'a> {
    /// Which wall.
    pub face: Face,
    /// Lowest and highest corner of the box, m.
    pub low: DVec3,
    /// Highest corner of the box, m.
    pub high: DVec3,
    /// Support radius, m.
    pub radius: f64,
    /// Ratio of the support radius to the spacing.
    pub radius_ratio: f64,
    /// The smoothing kernel.
    pub kernel: SmoothingKernel,
    /// Dimensions of the scene.
    pub dimensions: Dimensions,
    /// Mass of a particle, kg.
    pub mass: f64,
    /// kg/m³.
    pub rest_density: f64,
    /// m/s².
    pub gravity: DVec3,
    /// Positions, m.
    pub positions: &'a [DVec3],
    /// Pressures, Pa.
    pub pressures: &'a [f32],
    /// Densities, kg/m³.
    pub densities: &'a [f32],
    /// The particles of solids: position, m, and the mass that each represents over that of a particle. Their images
    /// press on the fluid as well.
    pub solids: &'a [(DVec3, f64)],
    /// Whether the solver corrects the gradients of pressure (`corrections.rs`).
    pub is_corrected: bool,
    /// Velocities, m/s; only read with a viscosity.
    pub velocities: &'a [DVec3],
    /// The viscosity that acts between particles and the images behind the wall; `None` where the force on the wall is
    /// that of pressure alone.
    pub viscosity: Option<WallViscosity<'a>>,
}

/// The viscosity between particles and the images behind walls, as the solver uses it (`viscous_push` in
/// viscosity.wgsl), and the velocities that it depends on besides those of the particles.
#[derive(Clone, Copy, Debug)]
pub struct WallViscosity<'a> {
    /// 2 α c h of the artificial viscosity between particles that approach each other, m²/s.
    pub approach: f64,
    /// Strength of the kinematic viscosity as in `FluidParameters`, kg/(m³ s).
    pub kinematic: f64,
    /// Added to the square of a distance in the artificial viscosity, m².
    pub floor: f64,
    /// Share of the velocity along a wall that images reverse (`velocity_for_friction` in images.wgsl).
    pub no_slip: f64,
    /// Velocities of the low and the high walls, m/s.
    pub of_walls: [DVec3; 2],
    /// Velocities of the particles of solids, m/s, in their order.
    pub of_solids: &'a [DVec3],
}

/// The factors of sums over the lattice, which are the same for all pairs at a wall.
#[derive(Clone, Copy)]
struct Scales {
    /// By which pressure terms times slopes and offsets give accelerations, kg/m⁵.
    pressure: f64,
    /// The same without the factor on the forces of pressure, for the artificial viscosity, kg/m⁵.
    gradient: f64,
}

impl Wall<'_> {
    /// The force of the fluid on the wall, out of the box, N (N/m in two dimensions): that of pressure, and of
    /// viscosity where it is given.
    pub(in crate::fluid) fn force(&self) -> f64 {
        let mut sum = 0.0;
        self.for_each_push(|push, _| sum += push);
        sum
    }

    /// The moment of that force about a point, N m (N in two dimensions). Each pair acts at the point of the wall
    /// between both particles.
    pub(in crate::fluid) fn moment(&self, about: DVec3) -> DVec3 {
        let Face { axis, is_high } = self.face;
        let mut outward = DVec3::ZERO;
        outward[axis] = if is_high { 1.0 } else { -1.0 };
        let mut sum = DVec3::ZERO;
        self.for_each_push(|push, mut place| {
            place[axis] = if is_high { self.high[axis] } else { self.low[axis] };
            sum += (place - about).cross(push * outward);
        });
        sum
    }

    /// Calls `visit` with the force of each pair on the wall, out of the box, N, and the point between its particles,
    /// m.
    fn for_each_push(&self, mut visit: impl FnMut(f64, DVec3)) {
        let mut near: Vec<usize> = (0..self.positions.len()).filter(|&i| self.height(i) < self.radius).collect();
        let along = usize::from(self.face.axis == 0);
        near.sort_unstable_by(|&i, &j| self.positions[i][along].total_cmp(&self.positions[j][along]));
        let corrections = self.is_corrected.then(|| Corrections::new(self, &near));
        let corrections = corrections.as_ref();
        let gradient = self.density_scale() / (self.radius * self.radius);
        let scales = Scales { pressure: self.pressure_scale(), gradient };
        for (place, &i) in near.iter().enumerate() {
            for &j in &near[place..] {
                if self.positions[j][along] - self.positions[i][along] >= self.radius {
                    break;
                }
                if self.height(i) + self.height(j) < self.radius {
                    let other = if i == j { 0.0 } else { self.push(j, i, corrections, scales) };
                    let push = self.push(i, j, corrections, scales) + other;
                    visit(self.mass * push, self.positions[i].midpoint(self.positions[j]));
                }
            }
        }
        let is_near = |place: DVec3| self.height_of(place) < self.radius;
        let solids = self.solids.iter().enumerate();
        for (number, &(place, share)) in solids.filter(|(_, (place, share))| *share > 0.0 && is_near(*place)) {
            // `near` is sorted along this axis.
            let first = near.partition_point(|&i| self.positions[i][along] <= place[along] - self.radius);
            for &i in &near[first..] {
                if self.positions[i][along] - place[along] >= self.radius {
                    break;
                }
                let push = self.push_of(i, place, |offset, mirrored| {
                    let term = self.pressure_term_of_solid(i, offset);
                    let taken =
                        corrections.map_or(DVec3::ZERO, |some| some.of_solid(2.0 * self.own_term(i), i, offset));
                    let viscous = self.viscosity.as_ref().map_or(0.0, |some| {
                        let density = f64::from(self.densities[i]) + self.rest_density;
                        let parting = some.parting(self.velocities[i], some.of_solids[number], mirrored, offset);
                        self.viscous_push(some, parting, offset.length(), scales) / density
                    });
                    self.pressure_push(term * offset - taken, offset, scales) + viscous * offset
                });
                visit(self.mass * share * push, self.positions[i].midpoint(place));
            }
        }
    }

    /// Distance of particle i from the wall, m.
    fn height(&self, i: usize) -> f64 {
        self.height_of(self.positions[i])
    }

    /// Distance of a place from the wall, m.
    pub(super) fn height_of(&self, place: DVec3) -> f64 {
        let axis = self.face.axis;
        let place = place[axis];
        (if self.face.is_high { self.high[axis] - place } else { place - self.low[axis] }).max(0.0)
    }

    /// Acceleration of particle i off the wall by all images of j that are mirrored at it, m/s².
    fn push(&self, i: usize, j: usize, corrections: Option<&Corrections>, scales: Scales) -> f64 {
        self.push_of(i, self.positions[j], |offset, mirrored| {
            let terms = [i, j].map(|i| self.own_term(i));
            let taken = corrections.map_or(DVec3::ZERO, |some| some.of_image(terms, [i, j], mirrored, offset));
            let viscous = self.viscosity.as_ref().map_or(0.0, |some| {
                let density = f64::from(self.densities[i]) + f64::from(self.densities[j]);
                let parting = some.parting(self.velocities[i], self.velocities[j], mirrored, offset);
                self.viscous_push(some, parting, offset.length(), scales) / density
            });
            self.pressure_push(self.pressure_term(i, j, offset) * offset - taken, offset, scales) + viscous * offset
        })
    }

    /// Acceleration of particle i off the wall by all images of a place `b` that are mirrored at it, m/s², from the
    /// acceleration by an image at an offset.
    fn push_of(&self, i: usize, b: DVec3, by_image: impl Fn(DVec3, [bool; 3]) -> DVec3) -> f64 {
        let mut sum = 0.0;
        let Face { axis, is_high } = self.face;
        self.for_each_image(self.positions[i], b, |offset, mirrored| {
            // Behind this wall, and not behind the opposite one.
            if mirrored[axis] && (offset[axis] < 0.0) == is_high {
                sum += by_image(offset, mirrored)[axis];
            }
        });
        if is_high { -sum } else { sum }
    }

    /// The acceleration by the pressure terms of a pair that were applied to this offset, m/s².
    fn pressure_push(&self, applied: DVec3, offset: DVec3, scales: Scales) -> DVec3 {
        -scales.pressure * self.kernel.slope_over_q(offset.length() / self.radius) * applied
    }

    /// The acceleration by viscosity over the offset of a pair, times the sum of both densities, kg/(m³ s²): as in
    /// viscosity.wgsl.
    fn viscous_push(&self, viscosity: &WallViscosity<'_>, parting: f64, distance: f64, scales: Scales) -> f64 {
        let q = distance / self.radius;
        let gradient = scales.gradient * self.kernel.slope_over_q(q);
        let braked = viscosity.approach * gradient * parting.min(0.0) / (distance * distance + viscosity.floor);
        braked - viscosity.kinematic * viscous_weight(q) * parting / (distance * distance)
    }

    /// Calls `visit` with the offset of a place `a` from another one, `b`, and from each of the images of that within
    /// the support radius, m, and the axes along which the image is mirrored.
    pub(super) fn for_each_image(&self, a: DVec3, b: DVec3, mut visit: impl FnMut(DVec3, [bool; 3])) {
        let flat = self.dimensions == Dimensions::Two;
        // In two dimensions there are no images along z, and all particles have the same depth.
        let [x, y, z] = [0, 1, 2].map(|axis| match (flat, axis) {
            (true, 2) => [0.0, f64::INFINITY, f64::INFINITY],
            _ => {
                [a[axis] - b[axis], a[axis] + b[axis] - 2.0 * self.low[axis], a[axis] + b[axis] - 2.0 * self.high[axis]]
            }
        });
        for (first, &x) in x.iter().enumerate() {
            for (second, &y) in y.iter().enumerate() {
                for (third, &z) in z.iter().enumerate() {
                    let offset = DVec3::new(x, y, z);
                    if offset.length_squared() < self.radius * self.radius {
                        visit(offset, [first, second, third].map(|number| number > 0));
                    }
                }
            }
        }
    }

    /// The factor by which a sum of shapes gives a density, kg/m³.
    pub(super) fn density_scale(&self) -> f64 {
        self.mass * self.kernel.lattice_normalization(self.dimensions, self.radius, self.radius_ratio)
    }

    /// The factor by which pressure terms times slopes and offsets give accelerations, kg/m⁵.
    pub(super) fn pressure_scale(&self) -> f64 {
        let moment = self.kernel.lattice_moment(self.dimensions, self.radius_ratio);
        self.density_scale() / (self.radius * self.radius * moment)
    }

    /// Pressure / density² of a particle, m⁵/(kg s²).
    fn own_term(&self, i: usize) -> f64 {
        f64::from(self.pressures[i]) / f64::from(self.densities[i]).powi(2)
    }

    /// The pressure terms of i and of the image of j at this offset, as in forces.wgsl.
    fn pressure_term(&self, i: usize, j: usize, offset: DVec3) -> f64 {
        let term = |i: usize| self.own_term(i);
        let away = self.positions[i] - offset - self.positions[j];
        let deeper = self.rest_density * self.gravity.dot(away) / f64::from(self.densities[j]).powi(2);
        term(i) + term(j) + deeper.clamp(-term(j).max(0.0), term(j).max(0.0))
    }
}

impl WallViscosity<'_> {
    /// The product of an offset and the velocity at which a particle with the velocity `of_a` parts from the image of
    /// one with `of_b`, m²/s.
    fn parting(&self, of_a: DVec3, of_b: DVec3, mirrored: [bool; 3], offset: DVec3) -> f64 {
        let count: i32 = mirrored.iter().map(|&mirrored| i32::from(mirrored)).sum();
        let mut parting = 0.0;
        for axis in 0..3 {
            // Behind a low wall an image has the smaller coordinate.
            let wall = self.of_walls[usize::from(offset[axis] < 0.0)][axis];
            let image = if mirrored[axis] { 2.0 * wall - of_b[axis] } else { of_b[axis] };
            let reversed = (1.0 - 2.0 * self.no_slip).powi(count - i32::from(mirrored[axis]));
            parting += (of_a[axis] - reversed * image) * offset[axis];
        }
        parting
    }
}

impl Wall<'_> {
    /// The pressure terms of i and of the image of a solid's particle at this offset, which mirrors the pressure of i.
    fn pressure_term_of_solid(&self, i: usize, offset: DVec3) -> f64 {
        let term = self.own_term(i);
        term + (term - self.gravity.dot(offset) / self.rest_density).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::Wall;
    use crate::fluid::{Dimensions, Face, SmoothingKernel};

    /// Pa. The water is deeper than its layers.
    const PRESSURE: f32 = 4000.0;

    /// The force on the floor of a box that is filled with layers of the lattice under the same pressure, over pressure
    /// times area.
    fn share(kernel: SmoothingKernel, dimensions: Dimensions, radius_ratio: f64, gravity: DVec3) -> f64 {
        share_of([0.1; 2], kernel, dimensions, radius_ratio, gravity, false)
    }

    /// The same of a lattice whose layers have these distances along the floor and upwards, m.
    fn share_of(
        [spacing, rise]: [f64; 2],
        kernel: SmoothingKernel,
        dimensions: Dimensions,
        radius_ratio: f64,
        gravity: DVec3,
        is_corrected: bool,
    ) -> f64 {
        let across = 6;
        let depth = if dimensions == Dimensions::Two { 1 } else { across };
        let center = |along: i32| f64::from(along) + 0.5;
        let steps = DVec3::new(spacing, rise, spacing);
        let positions: Vec<DVec3> = (0..across)
            .flat_map(|x| (0..5).flat_map(move |y| (0..depth).map(move |z| [x, y, z].map(center).into())))
            .map(|place: DVec3| place * steps)
            .collect();
        let radius = radius_ratio * 0.1;
        let edge = f64::from(across) * spacing;
        let floor = Wall {
            face: Face::FLOOR,
            low: DVec3::ZERO,
            high: DVec3::splat(edge),
            radius,
            radius_ratio,
            kernel,
            dimensions,
            mass: 1000.0 * 0.1_f64.powi(dimensions.count() as i32),
            rest_density: 1000.0,
            gravity,
            positions: &positions,
            pressures: &vec![PRESSURE; positions.len()],
            densities: &vec![1000.0; positions.len()],
            solids: &[],
            is_corrected,
            velocities: &[],
            viscosity: None,
        };
        let area = edge.powi(dimensions.count() as i32 - 1);
        floor.force() / (f64::from(PRESSURE) * area)
    }

    #[test]
    fn a_lattice_under_uniform_pressure_loads_the_floor_with_pressure_times_area() {
        for kernel in SmoothingKernel::ALL {
            for dimensions in [Dimensions::Two, Dimensions::Three] {
                for ratio in [1.5, 2.0, 2.2, 2.6, 3.0, 4.0] {
                    let share = share(kernel, dimensions, ratio, DVec3::ZERO);
                    assert!((share - 1.0).abs() < 1e-9, "{kernel:?} {dimensions:?} {ratio}: {share}");
                }
            }
        }
    }

    /// A lattice that is stretched along the floor and compressed upwards, without a change of its volume, under the
    /// same pressure: the sums that are not corrected resist the change of shape (docs/VALIDATION.md).
    #[test]
    fn corrected_gradients_bear_the_pressure_in_a_stretched_lattice() {
        let share = |[spacing, rise]: [f64; 2], is_corrected| {
            let kernel = SmoothingKernel::WendlandC2;
            share_of([spacing, rise], kernel, Dimensions::Two, 2.6, DVec3::ZERO, is_corrected)
        };
        let even = share([0.1; 2], true);
        assert!((even - 1.0).abs() < 1e-9, "{even}");
        let [plain, corrected] = [false, true].map(|is_corrected| share([0.103, 0.1 / 1.03], is_corrected));
        println!("{plain}, {corrected}");
        assert!((corrected - 1.0).abs() < 0.4 * (plain - 1.0).abs(), "{plain}, {corrected}");
    }

    #[test]
    fn every_wall_of_a_full_cube_bears_the_same_force() {
        let edge = 0.5;
        let center = |along: u32| (f64::from(along) + 0.5) * 0.1;
        let positions: Vec<DVec3> = (0..125).map(|n| [n % 5, n / 5 % 5, n / 25].map(center).into()).collect();
        let force = |face: Face| {
            let wall = Wall {
                face,
                low: DVec3::ZERO,
                high: DVec3::splat(edge),
                radius: 0.22,
                radius_ratio: 2.2,
                kernel: SmoothingKernel::WendlandC2,
                dimensions: Dimensions::Three,
                mass: 1.0,
                rest_density: 1000.0,
                gravity: DVec3::ZERO,
                positions: &positions,
                pressures: &vec![PRESSURE; positions.len()],
                densities: &vec![1000.0; positions.len()],
                solids: &[],
                is_corrected: false,
                velocities: &[],
                viscosity: None,
            };
            wall.force()
        };
        let floor = force(Face::FLOOR);
        assert!(floor > 0.0);
        for axis in 0..3 {
            for is_high in [false, true] {
                let found = force(Face { axis, is_high });
                assert!((found / floor - 1.0).abs() < 1e-9, "{axis} {is_high}: {found} instead of {floor}");
            }
        }
    }

    #[test]
    fn water_under_the_floor_would_have_a_higher_pressure() {
        let gravity = DVec3::new(0.0, -9.81, 0.0);
        let share = |ratio| share(SmoothingKernel::WendlandC2, Dimensions::Two, ratio, gravity);
        assert!(share(2.2) > 1.02 && share(3.0) > share(2.2), "{} {}", share(2.2), share(3.0));
    }
}
