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
//! small velocities, which its shifts cancel, and so a wall bears a part of the weight by viscosity.
//!
//! Forces on walls are those that the particles felt. Where a probe reads them, the passes of a step store what each
//! particle gets from walls (`loads.wgsl`), whatever it is: forces of images, skin friction, and what keeps particles
//! off the walls. `WallLoads` says which wall bears it. Computed from the particles alone, forces would lack what rests
//! on the walls by these limits: up to 15 % where films spread (docs/VALIDATION.md).
//!
//! Source: mirror images are those of L. D. Libersky and A. G. Petschek, Smooth particle hydrodynamics with strength of
//! materials, Advances in the Free-Lagrange Method (1991); evaluating them within the pairs of a neighbor search is our
//! own. Limitations: the method is for flat walls at right angles. Central gravity has no hydrostatic difference.

use glam::DVec3;

use crate::fluid::Face;
use crate::fluid::smoothing_kernel::Dimensions;

/// What the walls of the box bore by one particle in the last time step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallLoad {
    /// Position of the particle, m.
    pub place: DVec3,
    /// Force on the walls by pressure, by viscosity at right angles to them, and by what keeps particles off them, N
    /// (N/m in two dimensions).
    pub across: DVec3,
    /// Force on the walls by friction along them, N (N/m in two dimensions).
    pub along: DVec3,
}

/// The loads of all particles, and the walls that bear them.
#[derive(Clone, Copy)]
pub(in crate::fluid) struct WallLoads<'a> {
    /// Of the particles of fluid and solids.
    pub loads: &'a [WallLoad],
    /// Lowest corner of the box, m.
    pub low: DVec3,
    /// Highest corner of the box, m.
    pub high: DVec3,
    /// How far walls act, m.
    pub radius: f64,
    /// Dimensions of the scene.
    pub dimensions: Dimensions,
}

impl WallLoads<'_> {
    /// Force on a wall, N (N/m in two dimensions).
    pub(in crate::fluid) fn force(&self, face: Face) -> DVec3 {
        self.loads.iter().map(|load| self.share(load, face)).sum()
    }

    /// Moment of that force about a point, N m (N in two dimensions). Each particle acts at the point of the wall
    /// beside it.
    pub(in crate::fluid) fn moment(&self, face: Face, about: DVec3) -> DVec3 {
        let at = if face.is_high { self.high } else { self.low };
        let of = |load: &WallLoad| {
            let mut place = load.place;
            place[face.axis] = at[face.axis];
            (place - about).cross(self.share(load, face))
        };
        self.loads.iter().map(of).sum()
    }

    /// The part of a load that a wall bears. A particle that is near a wall along an axis presses on that wall along
    /// this axis, and rubs along the walls of the other axes, in an edge the more the nearer they are. What a wall does
    /// along an axis without a wall in reach by other means than friction, it does along itself.
    fn share(&self, load: &WallLoad, face: Face) -> DVec3 {
        if load.across == DVec3::ZERO && load.along == DVec3::ZERO {
            return DVec3::ZERO;
        }
        let heights = [0, 1, 2].map(|axis| self.nearest(load.place, axis));
        let own = heights[face.axis];
        if own.1 != face.is_high {
            return DVec3::ZERO;
        }
        let nearest = (0..3).min_by(|&one, &other| heights[one].0.total_cmp(&heights[other].0));
        let mut share = DVec3::ZERO;
        for axis in 0..3 {
            let is_near = heights[axis].0 < self.radius;
            let bears = if is_near { axis == face.axis } else { nearest == Some(face.axis) };
            if bears {
                share[axis] += load.across[axis];
            }
            if axis != face.axis {
                // In two dimensions the distance along z is infinite.
                let nearness = |height: f64| (self.radius - height).max(1e-12 * self.radius / (1.0 + height));
                let others: f64 = (0..3).filter(|&other| other != axis).map(|other| nearness(heights[other].0)).sum();
                share[axis] += load.along[axis] * nearness(own.0) / others;
            }
        }
        share
    }

    /// Distance from the nearer wall of an axis, m, and whether that is the high one.
    fn nearest(&self, place: DVec3, axis: usize) -> (f64, bool) {
        if axis == 2 && self.dimensions == Dimensions::Two {
            return (f64::INFINITY, false);
        }
        let [low, high] = [place[axis] - self.low[axis], self.high[axis] - place[axis]];
        (low.min(high).max(0.0), high < low)
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::{WallLoad, WallLoads};
    use crate::fluid::{Dimensions, Face};

    fn forces(dimensions: Dimensions, load: WallLoad) -> [DVec3; 6] {
        let loads = [load];
        let walls = WallLoads { loads: &loads, low: DVec3::ZERO, high: DVec3::splat(10.0), radius: 1.0, dimensions };
        Face::ALL.map(|face| walls.force(face))
    }

    #[test]
    fn particles_press_on_the_wall_across_and_rub_along_the_others() {
        let (across, along) = (DVec3::new(-3.0, -5.0, 0.5), DVec3::new(0.2, 0.4, 0.0));
        let load = WallLoad { place: DVec3::new(0.5, 0.25, 5.0), across, along };
        let [left, right, bottom, top, back, front] = forces(Dimensions::Two, load);
        // Along x it can rub on the floor only, and along y on the left wall only. There is no wall along z, where the
        // nearest one bears what there is.
        assert!((left - DVec3::new(-3.0, 0.4, 0.0)).length() < 1e-5, "{left}");
        assert!((bottom - DVec3::new(0.2, -5.0, 0.5)).length() < 1e-5, "{bottom}");
        assert_eq!([right, top, back, front], [DVec3::ZERO; 4]);
    }

    #[test]
    fn friction_along_an_edge_is_borne_by_both_walls_and_all_forces_are_the_load() {
        let load = WallLoad { place: DVec3::new(9.5, 0.25, 5.0), across: DVec3::ONE, along: DVec3::new(0.0, 0.0, 5.0) };
        let all = forces(Dimensions::Three, load);
        assert!((all[1].z / all[2].z - 2.0 / 3.0).abs() < 0.3, "{all:?}");
        assert!((all[1].x - 1.0).abs() < 1e-12 && (all[2].y - 1.0).abs() < 1e-12, "{all:?}");
        for place in [DVec3::new(9.5, 0.25, 5.0), DVec3::splat(0.1), DVec3::splat(5.0), DVec3::new(0.1, 9.9, 0.3)] {
            for dimensions in [Dimensions::Two, Dimensions::Three] {
                let load = WallLoad { place, across: DVec3::new(1.0, -2.0, 3.0), along: DVec3::new(-0.3, 0.2, 0.1) };
                let missing = forces(dimensions, load).iter().sum::<DVec3>() - load.across - load.along;
                assert!(missing.length() < 1e-12, "{missing} at {place} in {dimensions:?}");
            }
        }
    }
}
