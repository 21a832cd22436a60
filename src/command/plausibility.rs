//! Warnings about results that are finite but cannot be right: speeds beyond what energy allows, and densities that no
//! nearly incompressible fluid has.

use nearwater::fluid::{Simulation, Survey};

/// Factor by which single particles may be faster than the scene's falls, throws and pushes: a jet between two fronts
/// concentrates their energy.
const FASTER: f64 = 3.0;
/// Factor by which the density may exceed that at rest. Deep under an impact 1.1 is usual.
const DENSER: f32 = 1.5;

/// What cannot be right in the state that `survey` describes, in whole sentences; empty for a plausible one. Scenes
/// without a fluid have no densities, and their solver brings an energy of its own.
pub fn implausible(simulation: &Simulation, survey: Survey) -> Vec<String> {
    let scene = simulation.scene();
    if !scene.solver.is_fluid() || survey.present == 0 {
        return Vec::new();
    }
    let (expected, rest) = (simulation.expected_speed(), scene.material.rest_density);
    let cause = match simulation.solid_lighter_than_a_particle() {
        Some((number, mass)) => format!(
            "body {number} weighs {mass:.3} kg, less than one particle of the fluid ({:.3} kg), which therefore throws \
             it about: use more particles, or make it heavier",
            simulation.resolution().particle_mass
        ),
        None => "the particles may have started too close together, or the run is unstable".to_owned(),
    };
    let mut warnings = Vec::new();
    if f64::from(survey.highest_speed) > FASTER * expected {
        warnings.push(format!(
            "the highest speed is {:.3} m/s, and the scene has energy for {expected:.3} m/s; where waves close, single \
             particles of a jet can be as fast; otherwise {cause}",
            survey.highest_speed
        ));
    }
    if survey.highest_density > DENSER * rest {
        warnings.push(format!(
            "the highest density is {:.1} kg/m3, {:.1} times that at rest; {cause}",
            survey.highest_density,
            survey.highest_density / rest
        ));
    }
    warnings
}
