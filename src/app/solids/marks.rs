//! The components that make meshes of an app solid for its water, and the message about those that cannot be.

use bevy::prelude::*;

/// Makes a mesh a solid that water cannot enter, at rest or moved by the app.
///
/// The entity and its descendants together must have a closed surface: their [`Mesh3d`] is used, or those of a scene
/// that was loaded from a file, with the scale of their [`Transform`]s. The entity's transform moves the solid: in the
/// time steps of a frame it goes evenly to where the entity is, with the velocity of that motion, and so pushes the
/// water. In water that runs slower than real time the motion is as much faster. A motion that is too fast for the
/// water's time step lags behind, which a [`WaterSolidTrouble`] tells.
///
/// Water that has not begun waits for the meshes of its solids, and leaves out what would start inside them. A solid
/// that comes later needs a place without water; until it has one, it is not in the water, and a
/// [`WaterSolidTrouble`] says so. Despawning the entity or removing this component removes the solid.
///
/// ```no_run
/// use bevy::prelude::*;
/// use nearwater::app::{NearwaterPlugin, Water, WaterBoundary};
/// use nearwater::fluid::Scene;
///
/// /// A board that sweeps through the water.
/// #[derive(Component)]
/// struct Board;
///
/// fn spawn(mut commands: Commands, mut meshes: ResMut<Assets<Mesh>>) {
///     commands.spawn(Water::new(Scene::load("dam_break").expect("a scene of the program")));
///     let board = meshes.add(Cuboid::new(0.2, 1.0, 2.0));
///     commands.spawn((Board, WaterBoundary::default(), Mesh3d(board), Transform::from_xyz(3.0, 0.5, 1.0)));
/// }
///
/// fn sweep(time: Res<Time>, mut boards: Query<&mut Transform, With<Board>>) {
///     for mut place in &mut boards {
///         place.translation.x = 3.0 + 0.5 * time.elapsed_secs().sin();
///     }
/// }
///
/// fn main() {
///     App::new()
///         .add_plugins((DefaultPlugins, NearwaterPlugin::without_water()))
///         .add_systems(Startup, spawn)
///         .add_systems(Update, sweep)
///         .run();
/// }
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[require(Transform)]
pub struct WaterBoundary {
    /// The entity of the water. `None` takes the nearest ancestor that is water, or else the world's only water.
    pub water: Option<Entity>,
}

/// How heavy a [`WaterBody`] is, in the coordinates of its water.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Weight {
    /// Density of the volume that the surface encloses, kg/m³. Water has 1000 kg/m³ in most scenes.
    Density(f32),
    /// Mass, kg.
    Mass(f32),
}

/// Makes a mesh a rigid body that water, gravity and contacts with other solids of the same water move: the simulation
/// writes the entity's [`Transform`], except for its scale. A change that the app makes to place or rotation is
/// overwritten.
///
/// What is said about meshes, scale, water that waits and despawning at [`WaterBoundary`] is true of bodies as well. A
/// body must begin inside the water's box. Contacts use the convex hull of its surface.
///
/// ```
/// use bevy::math::Vec3;
/// use nearwater::app::{WaterBody, Weight};
///
/// let crate_of_wood = WaterBody::with_density(600.0);
/// let boat = WaterBody { weight: Weight::Mass(120.0), velocity: Vec3::X, ..WaterBody::default() };
/// assert_eq!(crate_of_wood.weight, Weight::Density(600.0));
/// assert_eq!(boat.water, None);
/// ```
#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[require(Transform)]
pub struct WaterBody {
    /// The entity of the water. `None` takes the nearest ancestor that is water, or else the world's only water.
    pub water: Option<Entity>,
    /// How heavy it is.
    pub weight: Weight,
    /// Velocity at which it begins, m/s, in the coordinates of the water.
    pub velocity: Vec3,
    /// Coefficient of Coulomb friction, 0 to 10; a contact uses the smaller of two.
    pub friction: f32,
    /// Coefficient of restitution, 0 to 1; a contact uses the larger of two.
    pub restitution: f32,
}

impl Default for WaterBody {
    /// Half as dense as water.
    fn default() -> Self {
        Self { water: None, weight: Weight::Density(500.0), velocity: Vec3::ZERO, friction: 0.5, restitution: 0.2 }
    }
}

impl WaterBody {
    /// A body with a density, kg/m³, at rest.
    pub fn with_density(density: f32) -> Self {
        Self { weight: Weight::Density(density), ..Self::default() }
    }
}

/// Says, once for each reason, why a marked entity is not in the water as it should be. The plugin also logs it.
#[derive(Message, Clone, Debug, PartialEq, Eq)]
pub struct WaterSolidTrouble {
    /// The marked entity.
    pub solid: Entity,
    /// One sentence that names the cause and how to fix it.
    pub reason: String,
}
