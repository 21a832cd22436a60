//! The components by which an app asks for events of its water, and the messages that it gets.

use bevy::prelude::*;

/// A box in which the water is measured, around the entity's place, turned and scaled with its [`Transform`]. Its
/// [`WaterLevel`] is updated, and a [`WaterLevelChanged`] is sent when it has changed by more than `step`. At most
/// [`MOST_SENSORS`](crate::fluid::MOST_SENSORS) sensors of a water are measured.
///
/// ```
/// use bevy::prelude::*;
/// use nearwater::app::{WaterLevelChanged, WaterSensor};
///
/// fn spawn(mut commands: Commands) {
///     commands.spawn((WaterSensor::new(Vec3::new(0.5, 1.0, 0.5)), Transform::from_xyz(2.0, 0.5, 1.0)));
/// }
///
/// fn hear(mut changes: MessageReader<WaterLevelChanged>) {
///     for change in changes.read() {
///         info!("{} is {:.0} % full, {:.2} m deep", change.sensor, 100.0 * change.filled, change.level);
///     }
/// }
/// # bevy::ecs::system::assert_is_system(spawn);
/// # bevy::ecs::system::assert_is_system(hear);
/// ```
#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[require(Transform, WaterLevel)]
pub struct WaterSensor {
    /// Edges of the box along the entity's axes, m, before its scale.
    pub size: Vec3,
    /// Change of the filled fraction from which a message is sent.
    pub step: f32,
    /// The entity of the water. `None` takes the nearest ancestor that is water, or else the world's only water.
    pub water: Option<Entity>,
}

impl WaterSensor {
    /// A box with these edges, m, that tells changes by 5 %.
    pub fn new(size: Vec3) -> Self {
        Self { size, step: 0.05, water: None }
    }
}

/// The water in the box of a [`WaterSensor`], as of the last measurement, some frames ago.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
pub struct WaterLevel {
    /// Volume of the water divided by that of the box, 0 to 1.
    pub filled: f32,
    /// Depth that this water would have in the box at rest, along its y, in the units of the world.
    pub level: f32,
    /// Simulated time of the measurement, s; `None` before the first.
    pub time: Option<f64>,
    /// The filled fraction that was told last.
    pub(super) told: f32,
}

/// The water in the box of a [`WaterSensor`] has risen or fallen by more than its `step` since the last message, or
/// since the first measurement.
#[derive(Message, Clone, Copy, Debug, PartialEq)]
pub struct WaterLevelChanged {
    /// The entity of the sensor.
    pub sensor: Entity,
    /// Volume of the water divided by that of the box, 0 to 1.
    pub filled: f32,
    /// The same at the last message.
    pub before: f32,
    /// Depth that this water would have in the box at rest, along its y, in the units of the world.
    pub level: f32,
}

/// Asks for the splashes of the water that it is added to, each of which sends a [`WaterSplash`].
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
pub struct WaterSplashes {
    /// Smallest speed relative to its surroundings at which water splashes, m/s in the coordinates of the water. `None`
    /// takes a fifth of the speed that the scene's water is expected to reach.
    pub least_speed: Option<f32>,
}

/// A splash has begun: near the surface, water runs into water, a solid or a wall. It is told once, however long it
/// lasts. Place and speeds are in the units of the world.
#[derive(Message, Clone, Copy, Debug, PartialEq)]
pub struct WaterSplash {
    /// The entity of the water.
    pub water: Entity,
    /// Its middle, within about four particle spacings.
    pub place: Vec3,
    /// Mean velocity of its water.
    pub velocity: Vec3,
    /// Root mean square of its velocities relative to the mean.
    pub speed: f32,
    /// Number of particles.
    pub particles: u32,
}
