//! Bodies of which parts are outside the box. Their particles there must not crowd the cells of the search, and must
//! not change what happens in the box.

use std::collections::HashMap;

use glam::Vec3;
use nearwater::fluid::{Body, BodyShape, Dimensions, Motion, Scene, Simulation, Solver};
use nearwater::gpu::read_buffer;

use super::{body, common::gpu, cube, fluid, simulation, states, steps, tank};

const SPACING: f32 = 0.05;

/// A plate of this length along x that slides along the ceiling of the tank.
fn lid(length: f32) -> Body {
    let position = Vec3::new(0.5, 0.95, 0.5);
    let motion = Motion::Shuttle { to: position + 0.4 * Vec3::X, speed: 0.4 };
    Body { motion, ..body(BodyShape::Box { size: Vec3::new(length, 0.1, 0.6) }, 1000.0, position) }
}

/// A tank with water up to the plate of [`lid`].
fn filled(solver: Solver, dimensions: Dimensions, bodies: Vec<Body>) -> Scene {
    let mut scene = tank(solver, (Vec3::ZERO, Vec3::new(1.0, 0.9, 1.0)), bodies);
    scene.dimensions = dimensions;
    scene
}

/// Positions of all particles, m.
fn places(simulation: &Simulation) -> Vec<Vec3> {
    let buffers = simulation.particles();
    let all: Vec<[f32; 4]> = read_buffer(&gpu(), buffers.positions, buffers.count as usize).unwrap();
    all.iter().map(|place| Vec3::from_slice(&place[..3])).collect()
}

/// Number of particles in the fullest cell of a grid over the box of the search, whose edge is the support radius;
/// particles outside are in its outermost cells.
fn fullest_cell(simulation: &Simulation) -> usize {
    let domain = simulation.search_domain();
    let mut counts = HashMap::new();
    for place in places(simulation) {
        let inside = place.clamp(domain.low, domain.high) - domain.low;
        *counts.entry((inside / domain.support_radius).floor().as_ivec3()).or_insert(0) += 1;
    }
    counts.into_values().max().unwrap()
}

#[test]
fn particles_of_bodies_outside_of_the_box_crowd_no_cell() {
    for (solver, dimensions) in
        Solver::fluids().flat_map(|solver| [(solver, Dimensions::Two), (solver, Dimensions::Three)])
    {
        let bar =
            |motion| Body { motion, ..body(BodyShape::Box { size: Vec3::new(4.0, 0.1, 0.1) }, 1.0, Vec3::splat(0.5)) };
        let turning = Motion::Turn { rate: Vec3::new(0.0, 0.0, 40.0) };
        for moved in [lid(12.0), bar(turning), bar(Motion::Held)] {
            // Beside a body that moves freely, places are also corrected while pressures are looked for.
            let free = cube(0.15, 500.0, Vec3::new(0.5, 0.2, 0.5));
            let motion = moved.motion;
            let mut simulation = simulation(&filled(solver, dimensions, vec![moved, free]), SPACING);
            steps(&mut simulation, 3);
            let parked =
                places(&simulation).iter().filter(|place| place.x > simulation.particles().parked_beyond).count();
            let fullest = fullest_cell(&simulation);
            println!("{}, {dimensions:?}, {motion:?}: {parked} parked, {fullest} in a cell", solver.name());
            assert!(parked > 30, "{}, {motion:?}: only {parked} are outside", solver.name());
            // Of water at rest there are 4.8 and 10.6, and particles of solids lie beside it.
            let most = if dimensions == Dimensions::Two { 15 } else { 40 };
            assert!(fullest <= most, "{}, {dimensions:?}, {motion:?}: {fullest} in one cell", solver.name());
        }
    }
}

/// Both plates cover the tank all the time, and end outside of it.
#[test]
fn what_is_outside_of_the_box_changes_nothing_in_it() {
    for solver in Solver::fluids() {
        let after = |length: f32| {
            let mut simulation = simulation(&filled(solver, Dimensions::Two, vec![lid(length)]), SPACING);
            steps(&mut simulation, 20);
            (fluid(&simulation), states(&simulation)[0].force)
        };
        let ((mut short, push), (mut long, push_of_long)) = (after(3.0), after(12.0));
        for places in [&mut short, &mut long] {
            places.sort_by(|(a, _), (b, _)| a.to_array().map(f32::to_bits).cmp(&b.to_array().map(f32::to_bits)));
        }
        assert_eq!(short.len(), long.len(), "{}", solver.name());
        let fastest = short.iter().map(|(_, velocity)| velocity.length()).fold(0.0, f32::max);
        assert!(fastest > 1e-3, "{}: the plate moves nothing", solver.name());
        let nearest = |(place, velocity): &(Vec3, Vec3)| {
            let distance = |(other, its): &(Vec3, Vec3)| other.distance(*place).max(0.01 * its.distance(*velocity));
            long.iter().map(distance).fold(f32::INFINITY, f32::min)
        };
        let farthest = short.iter().map(nearest).fold(0.0, f32::max);
        println!("{}: {farthest:e} m apart, forces {push} and {push_of_long}", solver.name());
        assert!(farthest < 1e-5, "{}: {farthest} m apart", solver.name());
        assert!((push - push_of_long).length() < 1e-2 * push.length(), "{}: {push} and {push_of_long}", solver.name());
    }
}

/// Parking places need cells of the search, so that only bodies have some that need them.
#[test]
fn places_beside_the_box_are_kept_only_for_bodies_whose_motion_leaves_it() {
    let high = |length: f32, motion: Motion| {
        let paddle = body(BodyShape::Box { size: Vec3::new(length, 0.1, 0.1) }, 1.0, Vec3::splat(0.5));
        let simulation =
            simulation(&filled(Solver::default(), Dimensions::Three, vec![Body { motion, ..paddle }]), SPACING);
        simulation.search_domain().high.x
    };
    let turn = |rate| Motion::Turn { rate };
    let to = |to| Motion::Sway { to, period: 2.0 };
    for (length, motion) in [
        // Its corners stay within half of the diagonal, 0.495 m, of the center, and its ends at x = 0.98 otherwise.
        (0.98, turn(10.0 * Vec3::Z)),
        (0.98, turn(10.0 * Vec3::X)),
        (0.4, to(Vec3::new(0.75, 0.5, 0.5))),
        (0.4, Motion::Free),
    ] {
        assert!(high(length, motion) <= 1.0, "{length} m, {motion:?}");
    }
    for (length, motion) in [
        (1.2, turn(10.0 * Vec3::Z)),
        (1.2, turn(10.0 * Vec3::X)),
        (0.4, to(Vec3::new(0.9, 0.5, 0.5))),
        (0.4, Motion::Held),
    ] {
        assert!(high(length, motion) > 1.0, "{length} m, {motion:?}");
    }
}
