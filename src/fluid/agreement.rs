//! Compares runs of the same scene on all searches, which must agree up to rounding.

use std::sync::Arc;

use glam::Vec3;

use super::{FluidError, Scene, Settings, Simulation};
use crate::files::Frame;
use crate::gpu::Gpu;
use crate::search::{SEARCHES, SearchInfo, SearchOptions};

/// How a run on one search compares with the run on the first of [`SEARCHES`], brute force, from the same state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchAgreement {
    /// The search.
    pub search: &'static SearchInfo,
    /// Largest deviation of a particle's position, support radii.
    pub position: f64,
    /// Largest relative deviation of a particle's density.
    pub density: f64,
    /// Deviation of the fluid's front, the largest x of all particles, support radii.
    pub front: f64,
}

/// Advances a scene by `before` steps on the search of `settings`, and from that state by `steps` steps on each
/// search with its default options. The runs differ only by rounding, since each search adds the same terms in a
/// different order; but a flow amplifies such differences, so `steps` should be small.
///
/// # Errors
/// As [`Simulation::new`], or when the device is lost.
///
/// ```
/// use nearwater::fluid::agreement_of_searches;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let gpu = nearwater::gpu::Gpu::open(None, nearwater::gpu::ShaderLibrary::embedded())?;
/// # let scene = nearwater::fluid::Scene::load("dam_break")?;
/// # let settings = nearwater::fluid::Settings::with_particles(500);
/// for agreement in agreement_of_searches(&gpu, &scene, &settings, (2, 1))? {
///     assert!(agreement.position < 1e-3, "{} differs", agreement.search.title);
/// }
/// # Ok(())
/// # }
/// ```
pub fn agreement_of_searches(
    gpu: &Arc<Gpu>,
    scene: &Scene,
    settings: &Settings,
    (before, steps): (u64, u64),
) -> Result<Vec<SearchAgreement>, FluidError> {
    let mut simulation = Simulation::new(gpu, scene, settings)?;
    record_steps(gpu, &mut simulation, before)?;
    let saved = simulation.save_state()?;
    let radius = f64::from(simulation.resolution().support_radius);
    let mut run = |search| {
        simulation.load_state(&saved)?;
        simulation.change(&Settings { search, options: SearchOptions::default(), ..settings.clone() })?;
        simulation.restore_carried(&saved)?;
        record_steps(gpu, &mut simulation, steps)?;
        simulation.observe()
    };
    let expected = run(SEARCHES[0])?;
    let mut agreements = Vec::new();
    for &search in &SEARCHES[1..] {
        agreements.push(SearchAgreement::between(search, &run(search)?, &expected, radius));
    }
    Ok(agreements)
}

impl SearchAgreement {
    fn between(search: &'static SearchInfo, found: &Frame, expected: &Frame, radius: f64) -> Self {
        let distances = found.positions.iter().zip(&expected.positions);
        let distances = distances.map(|(&a, &b)| Vec3::from(a).as_dvec3().distance(Vec3::from(b).as_dvec3()));
        let densities = found.densities.iter().zip(&expected.densities);
        let front = |frame: &Frame| frame.positions.iter().map(|place| f64::from(place[0])).fold(f64::MIN, f64::max);
        Self {
            search,
            position: distances.fold(0.0, f64::max) / radius,
            density: densities.map(|(&a, &b)| f64::from((a / b - 1.0).abs())).fold(0.0, f64::max),
            front: (front(found) - front(expected)).abs() / radius,
        }
    }
}

/// Records steps in submissions that are short enough for a software adapter's watchdog.
fn record_steps(gpu: &Gpu, simulation: &mut Simulation, steps: u64) -> Result<(), FluidError> {
    const BATCH: u64 = 50;
    for batch in (0..steps).step_by(BATCH as usize) {
        gpu.submit(|encoder| (batch..steps.min(batch + BATCH)).for_each(|_| simulation.record_step(encoder, None)));
        gpu.wait()?;
    }
    Ok(())
}
