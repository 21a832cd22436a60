//! The kinds of water that the properties are measured with: every solver with the settings that change its pair
//! kernels.

use glam::Vec3;

use crate::fluid::{Density, Scene, Solver};
use crate::verification::VerificationError;

/// How a solver finds pressures, which decides what can be measured of its water and how exactly.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    /// By an equation of state. Every force follows from the places, velocities and densities before the step.
    EquationOfState,
    /// By corrections of places until densities are those at rest. Velocities are differences of places, whose rounding
    /// is divided by the step, and viscosity is limited as that of an implicit step would be.
    Positions,
    /// By solving for pressures that leave neither errors of density nor divergence, which also moves particles without
    /// changing their velocities. Drift by XSPH and viscosity change velocities before that.
    Projection,
}

/// A solver with settings.
pub(super) struct Water {
    pub name: &'static str,
    solver: &'static str,
    settings: &'static [&'static str],
    pub density: Density,
    pub method: Method,
    /// Whether the forces of a pair point along their offset.
    pub is_central: bool,
    /// The setting that turns confinement of vorticity on, where the solver has it.
    pub confinement: Option<&'static str>,
}

const PLAIN: Water = Water {
    name: "wcsph",
    solver: "wcsph",
    settings: &[],
    density: Density::Summation,
    method: Method::EquationOfState,
    is_central: true,
    confinement: None,
};

const PROJECTED: Water =
    Water { name: "dfsph", solver: "dfsph", method: Method::Projection, is_central: false, ..PLAIN };

/// All kinds.
pub(super) const WATERS: [Water; 6] = [
    PLAIN,
    Water { name: "wcsph with integrated densities", density: Density::Continuity { diffusion: 0.1 }, ..PLAIN },
    Water { name: "accurate wcsph", settings: &["wcsph.accurate=1"], is_central: false, ..PLAIN },
    // Enough iterations for pressures that can be compared with theory.
    Water {
        name: "pbf",
        solver: "pbf",
        settings: &["pbf.substeps=8", "pbf.iterations=8"],
        method: Method::Positions,
        confinement: Some("pbf.vorticity=0.5"),
        ..PLAIN
    },
    PROJECTED,
    Water {
        name: "dfsph without corrected gradients",
        settings: &["dfsph.corrected=0"],
        is_central: true,
        ..PROJECTED
    },
];

impl Water {
    /// Whether its density is the plain sum over neighbors.
    pub fn sums_densities(&self) -> bool {
        self.density == Density::Summation && !self.settings.contains(&"wcsph.accurate=1")
    }

    /// Whether drift by XSPH can be added to it.
    pub fn takes_xsph(&self) -> bool {
        self.method != Method::EquationOfState || self.sums_densities()
    }

    /// A scene of this water.
    pub fn scene(&self, tank: &Tank) -> Result<Scene, VerificationError> {
        let Tank { low, high, block, gravity, dimensions, ratio, material, solids } = tank;
        let at = |place: &Vec3| format!("({:?}, {:?}, {:?})", place.x, place.y, place.z);
        let text = format!(
            "(title: \"\", description: \"\", low: {}, high: {}, blocks: [(low: {}, high: {})], gravity: (0.0, {gravity:?}, 0.0),
            dimensions: {dimensions}, {solids}
            material: (rest_density: 1000.0, sound_speed_factor: 10.0, radius_ratio: {ratio:?}, {material}))",
            at(low),
            at(high),
            at(&block[0]),
            at(&block[1]),
        );
        let mut scene = Scene::parse(self.name, &text).map_err(crate::fluid::FluidError::from)?;
        scene.solver = Solver::named(self.solver)?;
        scene.material.density = self.density;
        for setting in self.settings {
            scene.solver_settings.parse(setting)?;
        }
        Ok(scene)
    }
}

/// Distance of the particles at rest, m.
pub(super) const SPACING: f32 = 0.1;

/// A box with a block of water.
pub(super) struct Tank {
    /// m.
    pub low: Vec3,
    /// m.
    pub high: Vec3,
    /// Lowest and highest corner, m.
    pub block: [Vec3; 2],
    /// m/s², along y.
    pub gravity: f32,
    pub dimensions: u8,
    /// Support radius in spacings.
    pub ratio: f32,
    /// Fields of the material; `viscosity` is among them.
    pub material: &'static str,
    /// Other fields of the scene, each followed by a comma.
    pub solids: &'static str,
}

impl Tank {
    /// A box in space without gravity.
    pub fn still(low: Vec3, high: Vec3, block: [Vec3; 2]) -> Self {
        Self { low, high, block, gravity: 0.0, dimensions: 3, ratio: 2.2, material: "viscosity: 0.5", solids: "" }
    }

    /// A box in two dimensions with its low corner at the origin.
    pub fn flat(width: f32, height: f32, block: [Vec3; 2]) -> Self {
        let low = Vec3::new(0.0, 0.0, -0.5 * SPACING);
        let block = [block[0].with_z(low.z), block[1].with_z(-low.z)];
        Self { dimensions: 2, ..Self::still(low, Vec3::new(width, height, -low.z), block) }
    }
}
