//! Entities of an app that follow the rigid bodies of a scene, so that the app's own meshes float.

use bevy::prelude::*;

use super::water::{MainWater, RunningWater};
use super::{Report, WaterReport};
use crate::fluid::BodyState;

/// Moves its entity with a rigid body of a water's scene, which water, gravity and contacts move: the entity's
/// [`Transform`] becomes the place of the body's center of mass and its rotation, in the world, and keeps its scale.
/// The entity needs no parent, and should show a mesh of the body's shape; hide the body itself by `controls.solids =
/// SolidStyle::Hidden`.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
#[require(Transform)]
pub struct FollowsBody {
    /// The entity of the water.
    pub water: Entity,
    /// Number of the body, counted from 0 in the order of the scene, and then of those that were added later.
    pub body: usize,
}

/// Moves the followers. A body that does not exist yet, or no longer, leaves its followers where they are.
pub(super) fn follow_bodies(
    mut followers: Query<(&FollowsBody, &mut Transform), Without<RunningWater>>,
    waters: Query<(&GlobalTransform, Option<&RunningWater>, Has<MainWater>)>,
    main: Option<Res<WaterReport>>,
) {
    for (&FollowsBody { water, body }, mut place) in &mut followers {
        let Ok((of_water, running, is_main)) = waters.get(water) else { continue };
        let report = if is_main { main.as_deref() } else { running.map(|running| &running.report) };
        let state = report.and_then(|report| body_state(&report.lock(), body));
        if let Some(BodyState { position, rotation, .. }) = state {
            place.translation = of_water.transform_point(position);
            place.rotation = of_water.rotation() * rotation;
        }
    }
}

fn body_state(report: &Report, body: usize) -> Option<BodyState> {
    report.bodies.get(body).copied()
}
