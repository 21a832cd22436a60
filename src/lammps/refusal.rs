//! Refuses scenes with contents that the SPH package of LAMMPS cannot express, instead of leaving these out.

use super::LammpsError;
use crate::fluid::{Boundary, FOAM_SETTINGS, Probe, Scene, Solver};

/// Refuses the first thing in an edited scene that LAMMPS cannot express.
pub(super) fn refuse_inexpressible(scene: &Scene) -> Result<(), LammpsError> {
    let found =
        of_solver(scene).or_else(|| of_material(scene)).or_else(|| of_contents(scene)).or_else(|| of_probes(scene));
    found.map_or(Ok(()), |(what, mend)| {
        Err(LammpsError::Inexpressible { scene: scene.name.clone(), what, mend: mend.to_owned() })
    })
}

/// What LAMMPS does not have, and what to do about it.
type Refused = (String, &'static str);

fn of_solver(scene: &Scene) -> Option<Refused> {
    let is_wcsph = Solver::named("wcsph").is_ok_and(|wcsph| wcsph == scene.solver);
    (!is_wcsph).then(|| (format!("the solver {}", scene.solver.title), "add --solver wcsph"))
}

fn of_material(scene: &Scene) -> Option<Refused> {
    let material = &scene.material;
    if material.xsph > 0.0 {
        Some(("XSPH".to_owned(), "add --set material.xsph=0"))
    } else if material.no_slip > 0.0 {
        Some(("walls without slip".to_owned(), "add --set material.no_slip=0"))
    } else if material.skin_friction > 0.0 {
        Some(("friction of walls".to_owned(), "add --set material.skin_friction=0"))
    } else if material.surface_tension > 0.0 {
        Some(("surface tension".to_owned(), "add --set material.surface_tension=0"))
    } else if material.ambient_pressure > 0.0 {
        Some(("an ambient pressure".to_owned(), "add --set material.ambient_pressure=0"))
    } else if material.viscosity > 0.0 && material.kinematic_viscosity > 0.0 {
        let mend = "add --set material.viscosity=0 or --set material.kinematic_viscosity=0";
        Some(("an artificial and a kinematic viscosity at the same time".to_owned(), mend))
    } else {
        None
    }
}

fn of_contents(scene: &Scene) -> Option<Refused> {
    let fixed = <Boundary as crate::fluid::solids::SceneSolid>::KIND;
    let moving = scene.solids.kinds().find(|kind| kind.name != fixed.name);
    let foam =
        FOAM_SETTINGS.iter().any(|setting| setting.name == "capacity" && scene.solver_settings.count(setting) > 0);
    if let Some(kind) = moving {
        Some((kind.field.to_owned(), "remove them from a copy of the scene's file"))
    } else if !scene.emitters.is_empty() {
        Some(("emitters".to_owned(), "remove them from a copy of the scene's file"))
    } else if !scene.drains.is_empty() {
        Some(("drains".to_owned(), "remove them from a copy of the scene's file"))
    } else if scene.reservoir > 0.0 {
        Some(("a reservoir".to_owned(), "remove it from a copy of the scene's file"))
    } else if foam {
        Some(("foam".to_owned(), "add --set foam.capacity=0"))
    } else {
        None
    }
}

fn of_probes(scene: &Scene) -> Option<Refused> {
    let unknown = |probe: &&Probe| !super::probes::KINDS.contains(&probe.kind().name);
    let is_on_solid = |probe: &&Probe| probe.surfaces().next().is_some();
    let mend = "remove it from a copy of the scene's file";
    if let Some(probe) = scene.probes.iter().find(unknown) {
        return Some((format!("a probe of the kind {}", probe.kind().name), mend));
    }
    let probe = scene.probes.iter().find(is_on_solid)?;
    Some((format!("a sensor `on` a surface ({})", probe.kind().name), mend))
}
