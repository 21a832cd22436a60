//! Surface tension, the same for every solver: three pair kernels between the search and the solver's own passes
//! (`shaders/fluid/surface_tension`).
//!
//! 1. *surface* computes the gradient of a color that is 1 in the fluid and 0 outside of it; it points into the
//!    fluid.
//! 2. *normals* smooths these gradients, and computes the viscosity of the surface.
//! 3. *curvature* computes the curvature κ from the differences of the normals n of neighbors along the surface,
//!    and adds the acceleration σ κ n δ / ρ₀ to the velocities that the solver begins its step with (J. U.
//!    Brackbill, D. B. Kothe and C. Zemach, A continuum method for modeling surface tension, Journal of
//!    Computational Physics 100, 1992; with particles J. P. Morris, Simulating surface tension with smoothed
//!    particle hydrodynamics, International Journal for Numerical Methods in Fluids 33, 2000). With PBF, whose
//!    search sorts predictions, these velocities act from the next step on.
//!
//! δ spreads the force over the particles of the surface, whose layers lie looser or denser in every solver. So δ
//! is not the gradient itself, whose integral would change with them: a particle has the square of its smoothed
//! gradient as its share, divided by the sum of the shares around it, weighted by their distances *along* the
//! surface. These quotients add up to the same over the layers of a surface, however thick it is and however dense
//! its layers are. Only where the sum falls below a part of that at a flat surface, in spray and in the disorder
//! within the water, it is replaced by that. The weights and the viscosity of the surface are our own.
//!
//! **Curvature instead of forces of pairs.** Until 2026-11-26 pairs of particles attracted each other at larger
//! distances and repelled each other at short ones (N. Akinci, G. Akinci and M. Teschner, Versatile surface tension
//! and adhesion for SPH fluids, ACM Transactions on Graphics 32, 2013), which keeps momentum exactly. Their forces
//! cancel within the fluid only on the mean. They put it under a pressure of some σ over the spacing, thirty times
//! that in a drop of twenty particles across, and freeze it as a crystal; such a drop did not oscillate.
//! docs/VALIDATION.md has what else was tried.
//!
//! **Viscosity of the surface.** Where the curvature is not resolved, these forces are not those of an energy, and
//! would shake the particles of the surface the more the longer. Pairs of them therefore have a viscosity of 0.9
//! √(σ Δx / ρ₀), which damps waves of a few spacings in a period and those of a whole drop hardly.
//!
//! **Walls and solids.** A surface meets the walls of the box at a right angle, since the images continue it.
//! Particles of solids count as fluid in the gradient, of which the part across the solid is then left out, so that
//! the surface meets them at a right angle too.
//!
//! Memory per particle, where there is a tension: 48 bytes.
//!
//! Limitations: the forces of a closed surface add up to zero only as far as its curvature is resolved, to some
//! thousandths of those on one of its sides for drops, to some hundredths where corners are sharp. Solids do not
//! feel that water at rest on them pulls at the line in which they meet. Films and threads of one or two particles
//! have hardly any gradient, so that nothing pulls them together. Below a concave surface water is under tension, which
//! DFSPH and PBF bear with an ambient pressure only; without one such a surface can tear open. A number of
//! steps that a scene gives is refused where they are longer than `Problem::capillary_step`, since the surface would
//! become unstable.

use super::FluidError;
use super::passes::PassMaker;
use super::shader::FluidShader;
use super::{Dimensions, Material, Resolution, Scene, SmoothingKernel};
use crate::explanation::PassTag;
use crate::gpu::Pass;

const GRADIENT_FILE: &str = "fluid/surface_tension/gradient.wgsl";
const NORMAL_FILE: &str = "fluid/surface_tension/normal.wgsl";
const CURVATURE_FILE: &str = "fluid/surface_tension/curvature.wgsl";

/// What the explanations of solvers name these passes by.
pub(super) const EXPLAINED: &[PassTag] =
    &[PassTag::PairKernel(GRADIENT_FILE), PassTag::PairKernel(NORMAL_FILE), PassTag::PairKernel(CURVATURE_FILE)];

const GRADIENT: FluidShader = FluidShader::pair_with_images(GRADIENT_FILE, true);
const NORMAL: FluidShader = FluidShader::pair_with_images(NORMAL_FILE, true);
// Its weights depend on the distance along the surface, so that they do not vanish at the radius.
const CURVATURE: FluidShader = FluidShader::pair_with_images(CURVATURE_FILE, false);

/// Smallest sum of shares around a particle that its own is divided by, over that at a flat surface. Drops of few
/// particles, around which there is less, then feel less of the tension.
const LEAST: f64 = 0.4;

/// The viscosity of the surface in units of the speed of the shortest waves times the spacing.
const VISCOSITY: f64 = 0.9;

/// Whether the scene's fluid has a surface with a tension.
pub(super) fn has_surface_tension(scene: &Scene) -> bool {
    scene.material.surface_tension > 0.0 && scene.solver.is_fluid()
}

/// The passes of the surface tension, which change the velocities that the solver begins its step with.
///
/// # Errors
/// When a shader does not compile, or the device lacks memory.
pub(super) fn surface_tension_passes(maker: &PassMaker<'_>) -> Result<Vec<Pass>, FluidError> {
    let count = maker.particle_count().into();
    let normals = maker.gpu.storage::<[f32; 4]>("normals of the surface", count)?;
    let drags = maker.gpu.storage::<[f32; 4]>("drags at the surface", count)?;
    let own = [("normals", &normals), ("drags", &drags)];
    let mut passes = maker.pairs("surface", &GRADIENT, &own, None)?;
    passes.extend(maker.pairs("normals", &NORMAL, &own, None)?);
    passes.extend(maker.pairs("curvature", &CURVATURE, &own, None)?);
    Ok(passes)
}

/// The factors of the force of the tension.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct SurfaceScale {
    /// What the mean of the principal curvatures gives in acceleration for a share of 1 in the surface, m³/s².
    pub term: f64,
    /// The smallest sum of shares, weighted by the kernel's shape, that a share is divided by.
    pub least: f64,
    /// The viscosity of the surface, m²/s.
    pub viscosity: f64,
}

impl SurfaceScale {
    /// The factors of the scene at this resolution; zero without surface tension.
    pub(crate) fn of(scene: &Scene, kernel: SmoothingKernel, resolution: &Resolution) -> Self {
        if !has_surface_tension(scene) {
            return Self::default();
        }
        let spacing = f64::from(resolution.spacing);
        let flat = FlatSurface::new(kernel, scene.dimensions, f64::from(resolution.support_radius) / spacing);
        let sum_of_curvatures = scene.dimensions.count() - 1.0;
        let Material { surface_tension, rest_density, .. } = scene.material;
        // m³/s²; with the spacing it gives the viscosity in which the shortest waves are damped in a period.
        let whole = f64::from(surface_tension) / f64::from(rest_density);
        Self {
            term: sum_of_curvatures * whole * flat.layer / spacing,
            least: LEAST * flat.layer * flat.shares,
            viscosity: VISCOSITY * (whole * spacing).sqrt(),
        }
    }
}

/// A flat surface of the lattice.
#[derive(Debug)]
struct FlatSurface {
    /// The kernel's shape, added up over the particles of one layer.
    layer: f64,
    /// The squares of the smoothed gradients, added up over all layers.
    shares: f64,
    /// The gradient of the color times the support radius, over the color, at a particle whose upper half has nothing.
    steepest: f64,
}

/// The gradient of the color on a flat free surface, times the support radius over the color there, which is a half.
/// `ratio`: support radius over spacing.
pub(super) fn steepest_gradient(kernel: SmoothingKernel, dimensions: Dimensions, ratio: f64) -> f64 {
    FlatSurface::new(kernel, dimensions, ratio).steepest
}

impl FlatSurface {
    /// `ratio`: support radius over spacing.
    fn new(kernel: SmoothingKernel, dimensions: Dimensions, ratio: f64) -> Self {
        let reach = ratio as i32;
        let across = if dimensions == Dimensions::Two { 0 } else { reach };
        let scale = kernel.lattice_normalization(dimensions, ratio, ratio);
        // The sums of the kernel's shape and of its gradient over a layer that lies so many layers below a
        // particle, the gradient times the support radius.
        let layer = |down: i32| {
            let places = (-reach..=reach).flat_map(|x| (-across..=across).map(move |z| x * x + z * z + down * down));
            let q = places.map(|squared| f64::from(squared).sqrt() / ratio).filter(|q| *q < 1.0);
            q.fold((0.0, 0.0), |(value, slope), q| {
                (value + kernel.shape(q), slope - kernel.slope_over_q(q) * f64::from(down) / ratio)
            })
        };
        let layers: Vec<(i32, (f64, f64))> = (-reach..=reach).map(|down| (down, layer(down))).collect();
        let gradient = |below: i32| -> f64 {
            let seen = layers.iter().filter(|(down, _)| below >= 0 && below + down >= 0);
            scale * seen.map(|(_, (_, slope))| slope).sum::<f64>()
        };
        let smoothed = |below: i32| -> f64 {
            scale * layers.iter().map(|(down, (value, _))| value * gradient(below + down)).sum::<f64>()
        };
        // Below these layers there is no gradient.
        let own_layer = layer(0).0;
        Self {
            layer: own_layer,
            shares: (0..=2 * reach).map(|below| smoothed(below).powi(2)).sum(),
            // A layer is a spacing thick.
            steepest: 2.0 * scale * own_layer * ratio,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::steepest_gradient;
    use crate::fluid::{Dimensions, SmoothingKernel};

    #[test]
    fn the_gradient_at_a_surface_is_that_of_the_integral() {
        // Twice the integral of the kernel over the plane through its center, times the support radius, computed outside
        // of this program.
        let integrals = [
            (SmoothingKernel::Poly6, 2.315, 2.446),
            (SmoothingKernel::CubicSpline, 2.710, 2.781),
            (SmoothingKernel::WendlandC2, 2.949, 2.978),
        ];
        for (kernel, in_plane, in_space) in integrals {
            for (dimensions, expected) in [(Dimensions::Two, in_plane), (Dimensions::Three, in_space)] {
                let found = steepest_gradient(kernel, dimensions, 2.6);
                assert!(
                    (found / expected - 1.0_f64).abs() < 0.03,
                    "{kernel:?}, {dimensions:?}: {found}, not {expected}"
                );
            }
        }
    }
}
