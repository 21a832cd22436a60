//! The kind of solid that moves as a rigid body.

use std::path::Path;

use super::addition::read_state;
use super::body::{Body, MOST_BODIES};
use super::coupling::Bodies;
use super::device;
use super::error::BodyError;
use super::samples::BodySamples;
use crate::fluid::resolution::Resolution;
use crate::fluid::scene::Scene;
use crate::fluid::solids::{Sampled, SceneSolid, SolidInfo};
use crate::fluid::solvers::Limits;
use crate::fluid::{FluidError, SceneError};

static INFO: SolidInfo = SolidInfo {
    name: "bodies",
    field: "bodies",
    takes_room: true,
    is_thin: false,
    in_plane: true,
    load,
    fault,
    falling: |scene| {
        let free = scene.solids.of::<Body>().iter().filter(|body| body.is_free());
        free.map(|body| (body.position, body.velocity)).collect()
    },
    lightest_layer: |_| None,
    lightest_body: |scene| {
        let free = scene.solids.of::<Body>().iter().filter(|body| body.is_free());
        free.map(|body| body.mass_per_area(scene.dimensions)).min_by(f64::total_cmp)
    },
    spacing_for: |_, _| None,
    measured: |scene| scene.solids.of::<Body>().len(),
    // They know each other anyway, and other kinds cannot follow their motion.
    obstacles: |_| Vec::new(),
    sample: |input| Ok(BodySamples::new(input)?.map(|samples| Box::new(samples) as Box<dyn Sampled>)),
    check: check_speed,
    notices: |_, _| Vec::new(),
    shaders: device::shaders,
    create: |input| Ok(Box::new(Bodies::new(input)?)),
    read_state,
};

impl SceneSolid for Body {
    const KIND: &'static SolidInfo = &INFO;
}

fn load(scene: &mut Scene, file: &str, folder: Option<&Path>) -> Result<(), SceneError> {
    for (index, body) in scene.solids.of_mut::<Body>().iter_mut().enumerate() {
        body.load(folder).map_err(|error| SceneError::Value {
            file: file.to_owned(),
            field: format!("bodies[{index}].shape"),
            reason: error.to_string(),
        })?;
    }
    Ok(())
}

fn fault(scene: &Scene) -> Option<(String, String)> {
    let count = scene.solids.of::<Body>().len();
    if count > MOST_BODIES {
        let most = format!("has {count} entries, and at most {MOST_BODIES} are possible; leave some out");
        return Some(("bodies".to_owned(), most));
    }
    scene.solids.of::<Body>().iter().enumerate().find_map(|(index, body)| {
        let (field, reason) = body.fault(scene)?;
        Some((format!("bodies[{index}].{field}"), reason.to_owned()))
    })
}

/// Refuses bodies whose prescribed motion is faster than the solver's limit.
fn check_speed(scene: &Scene, _: &Resolution, limits: &Limits) -> Result<(), FluidError> {
    let &Limits { wall_speed, wall_advice: mend, .. } = limits;
    let bodies = scene.solids.of::<Body>();
    let too_fast = bodies.iter().position(|body| f64::from(body.told_speed()) > wall_speed);
    too_fast.map_or(Ok(()), |body| {
        let speed = bodies[body].told_speed();
        Err(BodyError::WallTooFast { body, speed, limit: wall_speed as f32, mend }.into())
    })
}
