//! Bodies in a rapier world, which handles contacts and time integration.

use glam::{DVec3, Quat, Vec3};
use rapier3d::math::{Matrix, Pose as RapierPose, Rotation, Vector};
use rapier3d::prelude::{
    CoefficientCombineRule, Collider, ColliderBuilder, FrictionModel, LockedAxes, MassProperties as RapierMass,
    PhysicsWorld, RigidBody, RigidBodyBuilder, RigidBodyHandle, SharedShape, TriMeshFlags,
};
use serde::{Deserialize, Serialize};

use super::body::{Body, Motion, Pose};
use super::shape::BodyShape;
use crate::fluid::solids::Obstacle;
use crate::fluid::{Dimensions, Mesh, Scene};

/// Force and torque on a free body in a step, without contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Load {
    /// N.
    pub force: Vec3,
    /// Torque about the center of mass, N m.
    pub torque: Vec3,
}

/// Bodies, the tank and the obstacles of other kinds in rapier, for the contacts among bodies and with fixed solids.
#[derive(Serialize, Deserialize)]
pub(super) struct World {
    physics: PhysicsWorld,
    /// Handle of each body.
    handles: Vec<RigidBodyHandle>,
}

/// Converts a vector to rapier's type, which is from another version of the same library.
pub(super) fn to_rapier(vector: Vec3) -> Vector {
    Vector::from_array(vector.to_array())
}

pub(super) fn from_rapier(vector: Vector) -> Vec3 {
    Vec3::from_array(vector.to_array())
}

pub(super) fn pose_to_rapier(position: Vec3, rotation: Quat) -> RapierPose {
    RapierPose::from_parts(to_rapier(position), Rotation::from_array(rotation.to_array()))
}

impl World {
    /// The world in the scene's initial state.
    pub(super) fn new(scene: &Scene) -> Self {
        let mut physics = PhysicsWorld { gravity: to_rapier(scene.gravity), ..PhysicsWorld::default() };
        let parameters = &mut physics.integration_parameters;
        // The default tolerances are lengths for bodies of about one meter.
        let bodies = scene.solids.of::<Body>();
        let extents = bodies.iter().map(|body| body.shape.extent());
        parameters.length_unit = extents.fold(f32::INFINITY, f32::min).min((scene.high - scene.low).max_element());
        parameters.normalized_max_linear_velocity = f32::MAX;
        parameters.contact_recycling = false;
        parameters.friction_model = FrictionModel::Coulomb;
        // In two dimensions nothing moves along z, and bodies may be deeper than the tank.
        let axes = if scene.dimensions == Dimensions::Two { 2 } else { 3 };
        for (axis, normal) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().enumerate().take(axes) {
            for (inwards, face) in [(normal, scene.low), (-normal, scene.high)] {
                let wall = SharedShape::halfspace(to_rapier(inwards));
                let wall = ColliderBuilder::new(wall).translation(to_rapier(face[axis] * normal));
                physics.colliders.insert(of_tank(wall));
            }
        }
        for obstacle in scene.solids.kinds().flat_map(|info| (info.obstacles)(scene)) {
            physics.colliders.insert(of_tank(obstacle_collider(&obstacle)));
        }
        let mut world = Self { physics, handles: Vec::new() };
        for body in bodies {
            world.add(body, scene.dimensions);
        }
        world
    }

    /// Adds a body at its initial pose.
    pub(super) fn add(&mut self, body: &Body, dimensions: Dimensions) {
        let start = body.start();
        let pose = pose_to_rapier(start.position.as_vec3(), start.rotation.as_quat());
        let builder = if body.is_free() {
            let mass = body.shape.mass_properties(body.density, dimensions);
            let inertia = Matrix::from_cols_array(&mass.inertia.as_mat3().to_cols_array());
            let properties = RapierMass::with_inertia_matrix(Vector::ZERO, mass.mass as f32, inertia);
            let spin = body.angular_velocity * std::f32::consts::PI / 180.0;
            let locked = match dimensions {
                Dimensions::Two => {
                    LockedAxes::TRANSLATION_LOCKED_Z | LockedAxes::ROTATION_LOCKED_X | LockedAxes::ROTATION_LOCKED_Y
                }
                Dimensions::Three => LockedAxes::empty(),
            };
            RigidBodyBuilder::dynamic()
                .locked_axes(locked)
                .additional_mass_properties(properties)
                .linvel(to_rapier(body.velocity))
                .angvel(to_rapier(spin))
        } else {
            RigidBodyBuilder::kinematic_position_based()
        };
        // The fluid acts on a body at all times, so it must not sleep.
        let handle = self.physics.bodies.insert(builder.pose(pose).can_sleep(false));
        let collider = ColliderBuilder::new(contact_shape(body))
            .density(0.0)
            .friction(body.friction)
            .friction_combine_rule(CoefficientCombineRule::Min)
            .restitution(body.restitution)
            .restitution_combine_rule(CoefficientCombineRule::Max);
        self.physics.colliders.insert_with_parent(collider, handle, &mut self.physics.bodies);
        self.handles.push(handle);
    }

    /// Takes a step of this length, s: free bodies move under gravity, contacts and their load, and bodies with a
    /// prescribed motion to their pose at the end of the step.
    pub(super) fn step(&mut self, time_step: f32, moves: impl Iterator<Item = Result<Load, Pose>>) {
        self.physics.integration_parameters.dt = time_step;
        for (&handle, moved) in self.handles.iter().zip(moves) {
            let Some(body) = self.physics.bodies.get_mut(handle) else { continue };
            match moved {
                Ok(load) => {
                    body.reset_forces(false);
                    body.reset_torques(false);
                    body.add_force(to_rapier(load.force), true);
                    body.add_torque(to_rapier(load.torque), true);
                }
                Err(told) => {
                    let pose = pose_to_rapier(told.position.as_vec3(), told.rotation.as_quat());
                    body.set_next_kinematic_position(pose);
                }
            }
        }
        self.physics.step();
    }

    /// Takes a step as the one before, to find out whether a world that was read can be used. It may panic.
    pub(super) fn try_step(&mut self) {
        self.physics.step();
    }

    /// Adopts the current gravity, m/s², and the current walls of the box, m.
    pub(super) fn fit(&mut self, gravity: Vec3, [low, high]: [Vec3; 2]) {
        self.physics.gravity = to_rapier(gravity);
        for (_, collider) in self.physics.colliders.iter_mut() {
            let Some(normal) = collider.shape().as_halfspace().map(|wall| from_rapier(wall.normal)) else { continue };
            let inward = if normal.element_sum() > 0.0 { low } else { high };
            let place = to_rapier(inward * normal.abs());
            if collider.translation() != place {
                collider.set_translation(place);
            }
        }
    }

    /// Removes a body, or puts it back where it was.
    pub(super) fn set_removed(&mut self, body: usize, removed: bool) {
        if let Some(body) = self.handles.get(body).and_then(|&handle| self.physics.bodies.get_mut(handle)) {
            body.set_enabled(!removed);
        }
    }

    /// Whether a body was removed.
    pub(super) fn is_removed(&self, body: usize) -> bool {
        self.handles.get(body).is_some_and(|&handle| !self.physics.bodies[handle].is_enabled())
    }

    /// Whether a world that was read has `count` bodies, each of which exists, at a finite place and with a finite
    /// velocity. What rapier keeps beyond that is taken as it is.
    pub(super) fn is_sound(&self, count: usize) -> bool {
        let is_sound = |&handle: &RigidBodyHandle| {
            self.physics.bodies.get(handle).is_some_and(|body| {
                let pose = body.position();
                let vectors = [pose.translation, body.linvel(), body.angvel()].map(from_rapier);
                let rotation = Quat::from_array(pose.rotation.to_array());
                vectors.iter().all(|vector| vector.is_finite()) && rotation.is_finite() && rotation.length() > 0.5
            })
        };
        self.handles.len() == count && self.handles.iter().all(is_sound)
    }

    /// Number of bodies, including those that were removed.
    pub(super) fn body_count(&self) -> usize {
        self.handles.len()
    }

    /// The pose of a free body.
    pub(super) fn pose(&self, body: usize) -> Pose {
        let pose = self.body(body).position();
        Pose {
            position: from_rapier(pose.translation).as_dvec3(),
            rotation: Quat::from_array(pose.rotation.to_array()).as_dquat().normalize(),
        }
    }

    /// Velocity, m/s, and angular velocity, rad/s, of a free body.
    pub(super) fn velocities(&self, body: usize) -> (Vec3, Vec3) {
        let body = self.body(body);
        (from_rapier(body.linvel()), from_rapier(body.angvel()))
    }

    fn body(&self, number: usize) -> &RigidBody {
        &self.physics.bodies[self.handles[number]]
    }
}

/// A collider of a fixed solid, whose friction and restitution are such that a contact uses those of the other body.
fn of_tank(collider: ColliderBuilder) -> Collider {
    collider
        .friction(1.0)
        .friction_combine_rule(CoefficientCombineRule::Min)
        .restitution(0.0)
        .restitution_combine_rule(CoefficientCombineRule::Max)
        .build()
}

/// The shape of a body for contacts and rays. Meshes have their convex hull, but one that is held is never met by
/// fixed solids, so it has its surface, and what floats in a bowl meets the bowl and not its hull.
pub(super) fn contact_shape(body: &Body) -> SharedShape {
    match &body.shape {
        BodyShape::Box { size } => SharedShape::cuboid(0.5 * size.x, 0.5 * size.y, 0.5 * size.z),
        BodyShape::Sphere { radius } => SharedShape::ball(*radius),
        BodyShape::Mesh { model, .. } if body.motion == Motion::Held => mesh_collider(model),
        BodyShape::Mesh { model, .. } => {
            let points: Vec<Vector> = model.vertices.iter().map(|&vertex| to_rapier(vertex)).collect();
            // A closed mesh that is not flat has a hull; if it is too thin for one, its bounding box is used.
            SharedShape::convex_hull(&points).unwrap_or_else(|| {
                let (low, high) = model.bounds();
                let half = 0.5 * (high - low);
                SharedShape::cuboid(half.x, half.y, half.z)
            })
        }
    }
}

fn obstacle_collider(obstacle: &Obstacle) -> ColliderBuilder {
    match obstacle {
        Obstacle::Box { low, high } => {
            let half = 0.5 * (*high - *low);
            ColliderBuilder::cuboid(half.x, half.y, half.z).translation(to_rapier(0.5 * (*low + *high)))
        }
        Obstacle::Ball { center, radius } => ColliderBuilder::ball(*radius).translation(to_rapier(*center)),
        Obstacle::Cylinder { foot, radius, height } => {
            ColliderBuilder::cylinder(0.5 * height, *radius).translation(to_rapier(*foot + 0.5 * *height * Vec3::Y))
        }
        Obstacle::Surface(surface) => ColliderBuilder::new(mesh_collider(surface)),
    }
}

fn mesh_collider(surface: &Mesh) -> SharedShape {
    let vertices: Vec<Vector> = surface.vertices.iter().map(|&vertex| to_rapier(vertex)).collect();
    let flags = TriMeshFlags::ORIENTED | TriMeshFlags::FIX_INTERNAL_EDGES;
    SharedShape::trimesh_with_flags(vertices.clone(), surface.triangles.clone(), flags)
        .or_else(|_| SharedShape::trimesh(vertices, surface.triangles.clone()))
        // Only a mesh without triangles is refused here, and such a mesh is refused when the scene is read.
        .unwrap_or_else(|_| SharedShape::ball(0.0))
}

/// The acceleration by the scene's uniform and central gravity at a position, m/s².
pub(super) fn gravity_at(scene: &Scene, place: DVec3) -> Vec3 {
    let pull = &scene.central_gravity;
    scene.gravity + (f64::from(pull.strength) * (pull.center.as_dvec3() - place)).as_vec3()
}
