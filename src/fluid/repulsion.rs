//! The particles of D. Morillo, R. Carmona, J. J. Perea and J. M. Cordero, A more efficient parallel method for
//! neighbour search using CUDA, VRIPHYS 2014, section 6, on whichever neighbor search is chosen. They are no fluid: they
//! repel each other, fall, and have no density.
//!
//! The paper says of its simulation that particles interact "by means of a force limited by the influence radius that
//! are inversely proportional to the distance between themselves", with k = 3600 N/m, m = 3·10⁻⁴ kg and a time step of
//! 2·10⁻⁴ s, under gravity, by "the second-order Euler method". It gives no formula. Taken here is
//!
//! F = k (R − d) along the line between two particles at a distance d below the influence radius R,
//!
//! since k then has the paper's unit and the step bears it: k dt² / m is 0.48, and twelve particles around one, each at
//! its radius, stay below the stable 4 / 8. (Taken as k / d the force would send particles at a centimetre's distance
//! 50 m in one step.) The method is taken as velocities half a step before their positions, which symplectic Euler
//! computes and which is of second order; the step x + v dt + a dt² / 2, v + a dt would gain energy from any spring. A
//! wall is felt as the particle's mirror image behind it. `damping` is ours, and 0 is the paper's.
//!
//! One time step is *build* and *reorder* as of a fluid, then *repulsion*, one pair kernel that moves particles too. The
//! influence radius is the search's; at the start particles are as far apart, unless `radius_ratio` says otherwise, since the
//! paper does not tell. What a fluid's particle has of density and pressure
//! stands for their mass in the cube of a spacing, and for the virial's pressure, Σ F d / 6 over that cube.
//!
//! Bad at: anything that is to look like water. It settles into a heap that creeps like sand without friction.

use super::sph::{BoundaryBuffers, ParticleState, Sph};
use super::{FluidError, Repulsion, Resolution, Scene};
use crate::gpu::{Gpu, PairKernel, Pass, gpu_struct};
use crate::search::{BoundPairKernel, PairCounters};

const REPULSION: PairKernel = PairKernel { file: "fluid/repulsion.wgsl", vanishes_at_radius: false };

/// Largest eigenvalue of the springs of a particle with the twelve neighbors that spheres of one size can touch, over
/// the stiffness of one.
const TWELVE_SPRINGS: f64 = 8.0;

impl Repulsion {
    /// What is wrong with numbers that each by itself makes sense: the field and the reason.
    pub(super) fn fault(&self) -> Option<(&'static str, String)> {
        let (mass, step) = (f64::from(self.mass), f64::from(self.time_step));
        // Symplectic Euler with a braking force of the velocity before it: dt² ω² + 2 dt γ < 4.
        let of_damping = TWELVE_SPRINGS * 2.0 * f64::from(self.damping) * step / mass;
        let of_stiffness = TWELVE_SPRINGS * f64::from(self.stiffness) * step * step / mass;
        // The defaults use all of it but a hundredth part.
        if of_damping > 4.0 {
            let most = 4.0 * mass / (TWELVE_SPRINGS * 2.0 * step);
            let reason = format!(
                "is {} kg/s, and particles of {mass} kg bear {most:.3} in steps of {step} s; take shorter steps or less",
                self.damping
            );
            return Some(("damping", reason));
        }
        let most = (4.0 - of_damping) * mass / (TWELVE_SPRINGS * step * step);
        let reason = || {
            format!(
                "is {} N/m, and particles of {mass} kg with twelve neighbors each bear {most:.0} in steps of {step} s; \
                 take shorter steps or less",
                self.stiffness
            )
        };
        (of_damping + of_stiffness > 4.0).then(|| ("stiffness", reason()))
    }
}

gpu_struct! {
    /// What the pair kernel of repelling particles knows besides `FluidParameters`.
    pub struct RepulsionParameters {
        /// R, m.
        pub radius: f32,
        /// k over the mass, 1/s².
        pub stiffness: f32,
        /// Damping over the mass, 1/s.
        pub damping: f32,
        /// Mass over the cube of a spacing, in two dimensions its square: kg/m³.
        pub density: f32,
        /// Turns a sum of acceleration times distance into pressure / density², m³/kg.
        pub virial: f32,
    }
}

impl RepulsionParameters {
    pub(super) fn new(scene: &Scene, resolution: &Resolution) -> Self {
        let (repulsion, dimensions) = (&scene.repulsion, scene.dimensions.count());
        let mass = f64::from(repulsion.mass);
        let density = mass / f64::from(resolution.spacing).powf(dimensions);
        Self {
            radius: resolution.support_radius,
            stiffness: (f64::from(repulsion.stiffness) / mass) as f32,
            damping: (f64::from(repulsion.damping) / mass) as f32,
            density: density as f32,
            // Half of it, since each pair is seen from both sides, and a share for each direction.
            virial: (0.5 / dimensions / density) as f32,
        }
    }
}

/// What repelling particles have beyond [`Sph`].
pub(super) struct RepulsionBuffers {
    parameters: wgpu::Buffer,
}

impl RepulsionBuffers {
    pub(super) fn new(gpu: &Gpu, scene: &Scene, resolution: &Resolution) -> Self {
        Self { parameters: gpu.uniform("repulsion", &RepulsionParameters::new(scene, resolution)) }
    }

    /// Rewrites the numbers of a scene whose passes are the same.
    pub(super) fn write(&self, gpu: &Gpu, scene: &Scene, resolution: &Resolution) {
        gpu.write_uniform(&self.parameters, &RepulsionParameters::new(scene, resolution));
    }

    /// The passes over the pairs, which move particles where `moves`, and else leave their pressures only.
    pub(super) fn passes(
        &self,
        gpu: &Gpu,
        sph: &Sph,
        state: &ParticleState,
        (label, moves): (&'static str, bool),
        counters: Option<&PairCounters>,
    ) -> Result<Vec<Pass>, FluidError> {
        let mut buffers = vec![
            ("fluid", &sph.parameters),
            ("repulsion", &self.parameters),
            ("push", &sph.push),
            ("sorted_positions", sph.search.sorted_positions()),
            ("sorted_velocities", &sph.sorted_velocities),
            ("densities", &sph.densities),
            ("positions", &state.positions),
            ("velocities", &state.velocities),
        ];
        buffers.extend(sph.deposits.as_ref().map(|deposits| ("deposits", deposits)));
        buffers.extend(sph.boundary.iter().flat_map(BoundaryBuffers::named));
        let flags = [moves.then_some("MOVES"), sph.boundary.is_some().then_some("BOUNDARY")];
        let definitions: Vec<_> = flags.into_iter().flatten().map(|flag| (flag, None)).collect();
        let pair = BoundPairKernel { label, kernel: REPULSION, definitions: &definitions, buffers: &buffers };
        Ok(sph.search.traversal_passes(gpu, pair, counters)?)
    }
}

#[cfg(test)]
mod tests {
    use crate::fluid::Repulsion;

    #[test]
    fn the_papers_numbers_are_borne_and_little_more_is() {
        assert_eq!(Repulsion::default().fault(), None);
        let stiffer = Repulsion { stiffness: 3800.0, ..Repulsion::default() };
        let (field, reason) = stiffer.fault().expect("it would blow up");
        assert!(field == "stiffness" && reason.contains("is 3800 N/m") && reason.contains("bear 3750"), "{reason}");
        assert_eq!(Repulsion { time_step: 1e-4, ..stiffer.clone() }.fault(), None);
        let braked = Repulsion { damping: 0.02, ..Repulsion::default() };
        assert!(braked.fault().expect("no room is left").1.contains("bear 3550"), "{:?}", braked.fault());
        let braked = Repulsion { damping: 1.0, ..Repulsion::default() };
        assert_eq!(braked.fault().expect("it would turn velocities around").0, "damping");
    }
}
