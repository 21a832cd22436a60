use serde::{Deserialize, Serialize};

use super::Scene;

/// Which equations move the fluid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, Serialize)]
pub enum Solver {
    /// Weakly compressible SPH: pressure follows from density by a stiff equation of state, in small steps.
    #[default]
    Wcsph,
    /// Position Based Fluids (Macklin and Müller 2013): positions are corrected until no density is too high, in large
    /// steps.
    Pbf,
    /// The particles of Morillo, Carmona, Perea and Cordero 2014, which repel each other and are no fluid; `repulsion.rs`
    /// describes them.
    Repulsion,
}

impl Solver {
    /// All solvers, in the order of the selector.
    pub const ALL: [Self; 3] = [Self::Wcsph, Self::Pbf, Self::Repulsion];

    /// Those that move a fluid, which has a density and is compressed.
    pub const FLUIDS: [Self; 2] = [Self::Wcsph, Self::Pbf];

    /// Whether it moves a fluid.
    pub fn is_fluid(self) -> bool {
        Self::FLUIDS.contains(&self)
    }

    /// As written on screen.
    pub fn label(self) -> &'static str {
        match self {
            Self::Wcsph => "WCSPH",
            Self::Pbf => "PBF",
            Self::Repulsion => "Repulsion",
        }
    }

    /// As written on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wcsph => "wcsph",
            Self::Pbf => "pbf",
            Self::Repulsion => "repulsion",
        }
    }
}

/// What a fluid is like.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Material {
    /// kg/m³; in two dimensions kg/m² of a layer one metre thick, the same number.
    pub rest_density: f32,
    /// Speed of sound over the speed the water is expected to reach. Larger is stiffer and slower. WCSPH only.
    pub sound_speed_factor: f32,
    /// α of Monaghan's artificial viscosity, which damps particles that approach each other; dimensionless. It amounts
    /// to ν = α h c / (2 (d + 2)), with h half the support radius, c the speed of sound (for PBF that of WCSPH) and d
    /// dimensions.
    pub viscosity: f32,
    /// ν, m²/s: a real viscosity besides the artificial one, felt by particles that approach and part alike. Water has
    /// 1e-6, which no resolution in reach would show; honey 0.01.
    #[serde(default)]
    pub kinematic_viscosity: f32,
    /// Share of the difference to its neighbors' mean velocity that a particle takes on (XSPH). WCSPH only moves with
    /// it (Monaghan 1989), PBF keeps it, a step at a time (Schechter and Bridson 2012; 0.01 in the PBF paper).
    #[serde(default)]
    pub xsph: f32,
    /// σ, N/m: the tension of the free surface. Water has 0.073, which shows in drops of centimetres. WCSPH only.
    #[serde(default)]
    pub surface_tension: f32,
    /// Support radius over particle spacing.
    pub radius_ratio: f32,
    /// Where density comes from. WCSPH only.
    #[serde(default)]
    pub density: Density,
}

/// Where a particle's density comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Density {
    /// The sum over its neighbors, anew each step.
    #[default]
    Summation,
    /// The last step's, as its neighbors have changed it since, and smoothed: pressures are less noisy. Not with XSPH.
    Continuity {
        /// δ of the diffusion between neighbors, which takes the noise away; dimensionless, usually 0.1.
        diffusion: f32,
    },
}

impl Material {
    /// Whether it has a viscosity of either kind.
    pub(super) fn is_viscous(&self) -> bool {
        self.viscosity > 0.0 || self.kinematic_viscosity > 0.0
    }
}

/// What Position Based Fluids are told besides the material.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Pbf {
    /// Seconds of water in a frame.
    pub frame: f32,
    /// Steps a frame is cut into: each predicts, searches and corrects anew. 0 for as many as keep the water within 1 %
    /// of its density in the mean, with two corrections: the more the deeper and the finer it is.
    pub substeps: u32,
    /// Corrections of a step. More compress less, but shorter steps do so for less work.
    pub iterations: u32,
    /// ε of the paper's equation 11, times the support radius squared, so that it means the same at every
    /// resolution: softens the constraint where few neighbors could take a correction up. The sum it is added to is
    /// about 2 inside the water.
    pub relaxation: f32,
    /// k of the artificial pressure, equation 13, which keeps particles from clumping: the share by which the pressure
    /// between two is raised at a distance of [`Pbf::tensile_distance`].
    pub tensile: f32,
    /// |Δq| of equation 13 in support radii.
    pub tensile_distance: f32,
    /// n of equation 13.
    pub tensile_power: f32,
    /// ε of equation 16 in m/s: how much of the swirl that the damping took is given back; 0 gives none.
    pub vorticity: f32,
}

impl Pbf {
    /// More corrections than anybody has the time for; each is two passes with a name of their own.
    pub const MOST_ITERATIONS: u32 = 16;
}

impl Default for Pbf {
    /// Small steps (Macklin et al. 2019) of two corrections; one alone lets pressures swing from step to step.
    fn default() -> Self {
        Self {
            frame: 0.016,
            substeps: 0,
            iterations: 2,
            relaxation: 0.05,
            tensile: 0.1,
            tensile_distance: 0.2,
            tensile_power: 4.0,
            vorticity: 0.0,
        }
    }
}

/// What particles that repel each other are told; the material says nothing about them.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Repulsion {
    /// Of a particle, kg.
    pub mass: f32,
    /// k, N/m: two particles push each other by k times what they lack of an influence radius.
    pub stiffness: f32,
    /// kg/s: two particles that see each other brake by this times the speed at which they approach or part. The paper
    /// has none.
    pub damping: f32,
    /// s.
    pub time_step: f32,
    /// Influence radius over the spacing at the start. Above 1 a block begins by flying apart, unless it fills its box.
    pub radius_ratio: f32,
}

impl Default for Repulsion {
    /// The paper's section 6.
    fn default() -> Self {
        Self { mass: 3e-4, stiffness: 3600.0, damping: 0.0, time_step: 2e-4, radius_ratio: 1.0 }
    }
}

/// What somebody edited of a scene while it runs; `None` is what the scene says.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct SceneEdits {
    /// Which solver.
    pub solver: Option<Solver>,
    /// The material. Another radius ratio starts the scene again; everything else takes effect where the water is.
    pub material: Option<Material>,
    /// The settings of PBF.
    pub pbf: Option<Pbf>,
    /// What particles that repel each other are told.
    pub repulsion: Option<Repulsion>,
}

impl SceneEdits {
    /// The scene as edited.
    pub fn applied_to(&self, scene: &Scene) -> Scene {
        let mut edited = scene.clone();
        edited.solver = self.solver.unwrap_or(scene.solver);
        edited.material = self.material.clone().unwrap_or_else(|| scene.material.clone());
        edited.pbf = self.pbf.clone().unwrap_or_else(|| scene.pbf.clone());
        edited.repulsion = self.repulsion.clone().unwrap_or_else(|| scene.repulsion.clone());
        edited
    }
}
