//! Particles with velocities of their own.

use glam::Vec3;

use super::drawing::{Particles, gpu};

/// The same particles with the velocities `velocity(index)`, m/s.
pub fn moving(mut particles: Particles, velocity: impl Fn(u32) -> Vec3) -> Particles {
    let of = |index| velocity(index).extend(f32::from_bits(index)).to_array();
    let velocities: Vec<[f32; 4]> = (0..particles.count).map(of).collect();
    particles.buffers[1] = gpu().storage_with("velocities", &velocities).expect("memory");
    particles
}

/// The same particles without velocities, because fast drops are long.
pub fn at_rest(particles: Particles) -> Particles {
    moving(particles, |_| Vec3::ZERO)
}
