//! What the water exerts on marked solids, for apps and physics engines that move these themselves.

use bevy::ecs::entity::EntityHashMap;
use bevy::prelude::*;

use super::SolidReport;
use crate::app::WaterReport;
use crate::app::water::{IsWater, MainWater, RunningWater, report_of};
use crate::fluid::Impulse;

/// The force and torque of the water on the entity's solid, a [`WaterBoundary`](super::WaterBoundary) or a
/// [`WaterBody`](super::WaterBody), in the world's coordinates. The app adds the component, and the plugin writes it in
/// `PreUpdate`, one frame after the steps that it describes, or two where Bevy draws in a thread of its own
/// (`PipelinedRenderingPlugin`). Weight and contacts with other solids are not contained.
///
/// With it a physics engine can move bodies that are boundaries for the water: the engine applies the load to the body,
/// and the body's motion pushes the water. Three precautions keep that stable.
///
/// - *One clock.* Advance the engine by [`seconds`](Self::seconds), so that it waits for water that is slower than real
///   time.
/// - *Short frames.* The answer of the water is late by a frame, which feeds the bobbing of what floats, all the more
///   the longer it is. Let the water make as many steps in a frame as make up 1/60 s, or fewer.
/// - *Added mass.* Water must be accelerated together with a body. Its resistance arrives after the engine has taken
///   its step; where the moved water is heavier than the body, each answer is larger than the last one, and the body is
///   shaken apart (Causin, Gerbeau and Nobile 2005). A [`share`](Self::share) of ρ / (ρ + ρ₀), for a body of density ρ
///   in a fluid of density ρ₀, takes up as much of each answer as the body can follow.
///
/// ```
/// use nearwater::app::WaterLoad;
///
/// // A body that is half as dense as water.
/// let load = WaterLoad::with_share(500.0 / (500.0 + 1000.0));
/// assert_eq!(WaterLoad::default().share, 1.0);
/// ```
#[derive(Component, Clone, Copy, Debug, PartialEq)]
pub struct WaterLoad {
    /// How much of a frame's mean force and torque is taken, 0 to 1; the rest stays as it was. 1 takes them as they
    /// are.
    pub share: f32,
    /// Force, N where the water is not scaled.
    pub force: Vec3,
    /// Torque about [`center`](Self::center), N m where the water is not scaled.
    pub torque: Vec3,
    /// The center of the solid's volume.
    pub center: Vec3,
    /// Simulated time of the water since the last frame of the app, over which the mean was taken, s. It is zero in
    /// frames without steps of the water, which leave the load as it was.
    pub seconds: f64,
}

impl Default for WaterLoad {
    /// Each frame's load as it is.
    fn default() -> Self {
        Self { share: 1.0, force: Vec3::ZERO, torque: Vec3::ZERO, center: Vec3::ZERO, seconds: 0.0 }
    }
}

impl WaterLoad {
    /// A load that takes a share of each frame's.
    pub fn with_share(share: f32) -> Self {
        Self { share, ..Self::default() }
    }

    /// Takes up the mean load of a frame in which the water has moved on.
    fn take(&mut self, force: Vec3, torque: Vec3) {
        let share = self.share.clamp(0.0, 1.0);
        self.force = self.force.lerp(force, share);
        self.torque = self.torque.lerp(torque, share);
    }
}

/// What was known of a solid when its load was last written.
#[derive(Clone, Copy)]
pub(in crate::app) struct Seen {
    /// Its number in the simulation, and what the water had given to it.
    given: Option<(usize, Impulse)>,
    /// Simulated time, s.
    time: f64,
}

type WaterWithReport<'a> = (&'a GlobalTransform, Option<&'a RunningWater>, Has<MainWater>);

/// Writes the loads, as the differences of impulses between two frames of the app. No step of the water is missed or
/// taken twice that way, whichever of its reports the app sees.
pub(in crate::app) fn measure_loads(
    mut loads: Query<&mut WaterLoad>,
    mut seen: Local<EntityHashMap<Seen>>,
    waters: Query<WaterWithReport<'_>, IsWater>,
    main: Option<Res<WaterReport>>,
) {
    seen.retain(|&entity, _| loads.contains(entity));
    loads.iter_mut().filter(|load| load.seconds > 0.0).for_each(|mut load| load.seconds = 0.0);
    for (of_water, running, is_main) in &waters {
        let Some(report) = report_of(running, is_main, main.as_deref()) else { continue };
        let report = report.lock();
        for SolidReport { key, state, impulse, .. } in &report.solids {
            let Some((entity, mut load)) =
                Entity::try_from_bits(*key).and_then(|entity| Some((entity, loads.get_mut(entity).ok()?)))
            else {
                continue;
            };
            let now = Seen { given: state.map(|(number, _)| (number, *impulse)), time: report.time };
            let before = seen.insert(entity, now).filter(|before| before.time <= now.time);
            let Some(seconds) = before.map(|before| now.time - before.time) else {
                // It is new, or the water has begun again.
                (load.force, load.torque) = (Vec3::ZERO, Vec3::ZERO);
                continue;
            };
            if seconds <= 0.0 {
                continue;
            }
            load.seconds = seconds;
            let Some((number, state)) = state else {
                load.take(Vec3::ZERO, Vec3::ZERO);
                continue;
            };
            let known = before.and_then(|before| before.given).filter(|(before, _)| before == number);
            let given = *impulse - known.map_or(Impulse::default(), |(_, impulse)| impulse);
            let in_world = |vector: glam::DVec3| of_water.rotation() * (vector / seconds).as_vec3();
            let size = of_water.scale().x;
            load.take(size * in_world(given.linear), size * size * in_world(given.angular));
            load.center = of_water.transform_point(state.position);
        }
    }
}
