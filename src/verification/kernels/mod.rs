//! Physical properties of the pair kernels of all solvers, each computed with small scenes in a moment, for mutants of
//! `shaders/fluid`. A property is a list of measures with their limits; it is violated when one exceeds its limit.

mod at_once;
mod buoyant;
mod drops;
mod even;
mod foam;
mod in_time;
mod light_cloth;
mod loads;
mod repelled;
mod run;
mod sloshing;
mod solid_pressures;
mod sums;
mod surfaces;
mod tension;
mod visiting;
mod water;

use std::collections::BTreeSet;
use std::sync::Arc;

use super::VerificationError;
use super::trial::{Trial, Verdict};
use crate::fluid::{Scene, Simulation};
use crate::gpu::{Gpu, ShaderLibrary};
use visiting::TWICE;
use water::{WATERS, Water};

/// A number that a property limits.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// What it is, with its unit unless it has none.
    pub what: String,
    /// Its value.
    pub value: f64,
    /// Its largest allowed value.
    pub most: f64,
}

impl Measure {
    fn new(what: impl Into<String>, value: f64, most: f64) -> Self {
        Self { what: what.into(), value, most }
    }

    /// Whether the value is a number within its limit.
    pub fn holds(&self) -> bool {
        self.value <= self.most
    }
}

/// What a property's measures are.
type Measured = Result<Vec<Measure>, VerificationError>;

/// A physical property that water of any solver must have.
struct Property {
    name: &'static str,
    /// Whether it takes less than a second on a software adapter.
    is_quick: bool,
    /// The scenes that it is measured with; none for water that it does not concern.
    scenes: fn(&Water) -> Result<Vec<Scene>, VerificationError>,
    measure: fn(&Arc<Gpu>, &Water, &[Scene]) -> Measured,
}

/// From the fastest to the slowest.
const PROPERTIES: [&Property; 28] = [
    &drops::STOPPED,
    &drops::LEFT_ALONE,
    &light_cloth::LIGHT_CLOTH,
    &surfaces::FALLING,
    &surfaces::FLAT,
    &surfaces::SQUEEZED,
    &repelled::REPELLED,
    &even::EVEN,
    &at_once::DENSITY,
    &at_once::CONTINUITY,
    &at_once::PAIR,
    &at_once::MOMENTUM,
    &tension::TENSION,
    &solid_pressures::SOLID_PRESSURES,
    &foam::FOAM,
    &loads::SHARED,
    &at_once::IMAGES,
    &at_once::MOVING_WALLS,
    &at_once::TRAVERSALS,
    &surfaces::LIFTED,
    &drops::VISITED,
    &at_once::REACTION,
    &at_once::CONFINEMENT,
    &loads::BORNE,
    &in_time::FRICTION,
    &in_time::REST,
    &sloshing::SLOSHING,
    &buoyant::BUOYANT,
];

/// A property of one kind of water.
pub struct KernelProperty {
    water: &'static Water,
    property: &'static Property,
    scenes: Vec<Scene>,
    files: BTreeSet<&'static str>,
}

/// Returns every property with every kind of water that it concerns, from the fastest to the slowest.
///
/// # Errors
/// When a scene or a shader is faulty.
pub fn kernel_properties(gpu: &Gpu) -> Result<Vec<KernelProperty>, VerificationError> {
    let capabilities = gpu.capabilities.clone();
    let validating = Gpu::validating(ShaderLibrary::embedded(), |pretended| *pretended = capabilities)?;
    let mut properties = Vec::new();
    for property in PROPERTIES {
        for water in &WATERS {
            let scenes = (property.scenes)(water)?;
            let mut files = BTreeSet::new();
            for scene in &scenes {
                let simulation = Simulation::new(&validating, scene, &TWICE.settings(scene)?)?;
                let observing = simulation.observing_passes()?;
                for pass in simulation.all_passes().chain(&observing) {
                    files.extend(validating.shaders().files_of(pass.shader())?);
                }
            }
            if !scenes.is_empty() {
                properties.push(KernelProperty { water, property, scenes, files });
            }
        }
    }
    Ok(properties)
}

impl KernelProperty {
    /// Whether it takes less than a second on a software adapter, once its shaders are compiled.
    pub fn is_quick(&self) -> bool {
        self.property.is_quick
    }

    /// What is measured, with the limits.
    ///
    /// # Errors
    /// When the device or a shader fails.
    pub fn measure(&self, gpu: &Arc<Gpu>) -> Result<Vec<Measure>, VerificationError> {
        (self.property.measure)(gpu, self.water, &self.scenes)
    }
}

impl Trial for KernelProperty {
    fn subject(&self) -> String {
        self.water.name.to_owned()
    }

    fn fixture(&self) -> String {
        self.property.name.to_owned()
    }

    fn uses(&self, file: &str) -> bool {
        self.files.contains(file)
    }

    fn run(&self, gpu: &Arc<Gpu>) -> Verdict {
        match self.measure(gpu) {
            Ok(measures) => {
                let wrong = measures.iter().find(|measure| !measure.holds());
                wrong.map_or(Verdict::Right, |Measure { what, value, most }| {
                    Verdict::Wrong(format!("{what} is {value:.3e} and may be {most:.1e}"))
                })
            }
            Err(error) => Verdict::of_error(&error),
        }
    }
}
