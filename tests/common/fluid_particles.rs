//! The particles of the fluid among those of a simulation on the shared device.

use glam::Vec3;
use nearwater::fluid::Simulation;
use nearwater::gpu::read_buffer;

use super::common::gpu;

/// Positions, m, and velocities, m/s, of the fluid's particles.
pub fn fluid(simulation: &Simulation) -> Vec<(Vec3, Vec3)> {
    let buffers = simulation.particles();
    let count = buffers.count as usize;
    let positions: Vec<[f32; 4]> = read_buffer(&gpu(), buffers.positions, count).unwrap();
    let velocities: Vec<[f32; 4]> = read_buffer(&gpu(), buffers.velocities, count).unwrap();
    let both = positions.iter().zip(&velocities).filter(|(_, velocity)| velocity[3].to_bits() < buffers.fluid_count);
    both.map(|(position, velocity)| (Vec3::from_slice(&position[..3]), Vec3::from_slice(&velocity[..3]))).collect()
}
