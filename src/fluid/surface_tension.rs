//! Surface tension, the same for every solver: two pair kernels before the solver's own passes (`shaders/fluid/
//! surface_tension`).
//!
//! *Surface* finds the surface by the gradient n of a color that is 1 in the fluid and 0 outside of it, and stores the
//! stress σ (|n| 1 − n n / |n|), a tension along the surface (J. U. Brackbill, D. B. Kothe and C. Zemach, A continuum
//! method for modeling surface tension, Journal of Computational Physics 100, 1992; as a stress, B. Lafaurie, C.
//! Nardone, R. Scardovelli, S. Zaleski and G. Zanetti, Modelling merging and fragmentation in multiphase flows with
//! SURFER, Journal of Computational Physics 113, 1994). *Pull at the surface* gives each pair the force by the sum of its stresses (X. Y. Hu and
//! N. A. Adams, A multi-phase SPH method for macroscopic and mesoscopic flows, Journal of Computational Physics 213,
//! 2006), which changes the velocities that the solver begins its step with.
//!
//! There are no particles outside of the fluid, so that stress and forces are cut off at the surface. How much of the
//! tension is left depends on kernel and radius ratio only; the stress is divided by what is left at a flat surface of
//! the lattice (`left_at_flat_surface`). σ therefore means the same at every resolution.
//!
//! The forces of a pair are opposite. They do not act along the pair, but the stress is symmetric, so that torques add
//! up to nearly zero over the neighbors.
//!
//! Walls and solids count as fluid where the color is concerned, and the surface goes on behind them: at a wall as its
//! mirror image, at a right angle, and in a solid at any angle, which stays as it is. A solid feels the opposite of
//! what it does to the surface.
//!
//! Memory per particle, where there is a tension: 24 bytes, and 16 with solids.
//!
//! Limitations: films and threads of one or two particles have hardly any gradient, so that nothing pulls them
//! together. Contact angles cannot be chosen.

use super::FluidError;
use super::passes::PassMaker;
use super::shader::FluidShader;
use super::{Dimensions, Material, Resolution, Scene, SmoothingKernel};
use crate::gpu::Pass;

const GRADIENT: FluidShader = FluidShader::pair_with_images("fluid/surface_tension/gradient.wgsl", true);
const NORMAL: FluidShader = FluidShader::pair_with_images("fluid/surface_tension/normal.wgsl", true);
const CURVATURE: FluidShader = FluidShader::pair_with_images("fluid/surface_tension/curvature.wgsl", true);

/// Smallest sum of shares around a particle that its own is divided by, over that at a flat surface. Drops of few
/// particles, around which there is less, then feel less of the tension.
const LEAST: f64 = 0.4;

/// The viscosity of the surface in units of the speed of the shortest waves times the spacing.
const VISCOSITY: f64 = 0.4;

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
    let gradients = maker.gpu.storage::<[f32; 4]>("gradients of the color", count)?;
    let normals = maker.gpu.storage::<[f32; 4]>("normals of the surface", count)?;
    let drags = maker.gpu.storage::<[f32; 4]>("drags at the surface", count)?;
    let own = [("gradients", &gradients), ("normals", &normals), ("drags", &drags)];
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
}

impl FlatSurface {
    /// `ratio`: support radius over spacing.
    fn new(kernel: SmoothingKernel, dimensions: Dimensions, ratio: f64) -> Self {
        let reach = ratio as i32;
        let across = if dimensions == Dimensions::Two { 0 } else { reach };
        let scale = kernel.lattice_normalization(dimensions, ratio, ratio);
        // The sums of the kernel's shape and of its gradient over a layer that lies so many layers below a particle, the
        // gradient times the support radius.
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
        Self { layer: layer(0).0, shares: (0..=2 * reach).map(|below| smoothed(below).powi(2)).sum() }
    }
}
