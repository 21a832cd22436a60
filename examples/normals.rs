//! Estimates the normals of a point cloud with a pair kernel (`normals.wgsl`): points on a ball, whose normals are
//! known. Prints the angles between estimated and true normals.
//!
//!     cargo run --no-default-features --example normals [SEARCH]

#[path = "shared/device.rs"]
mod device;
#[path = "shared/read.rs"]
mod read;

use std::error::Error;

use glam::Vec3;
use nearwater::gpu::PairKernel;
use nearwater::neighbors::Neighbors;
use nearwater::search::random::uniform_cube;
use nearwater::search::{Domain, search_named};

const POINTS: u32 = 5_000;
/// Distance within which points belong to the same patch of the surface, m.
const PATCH: f32 = 0.12;

fn main() -> Result<(), Box<dyn Error>> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "hoetzlein".to_owned());
    let device = device::Opened::open()?;
    let points: Vec<Vec3> =
        uniform_cube(1, POINTS, 2.0).into_iter().map(|at| (at - 1.0).normalize_or(Vec3::X)).collect();
    let positions = device.vectors(&points);
    let normals = device.storage(4 * POINTS as usize);

    let domain = Domain::new(Vec3::NEG_ONE, Vec3::ONE, PATCH)?;
    let neighbors = Neighbors::new(&device.device, &device.queue, search_named(&name)?, POINTS, domain)?;
    let kernel = PairKernel::from_wgsl(include_str!("normals.wgsl"))?;
    let passes = neighbors.pair_passes("normals", kernel, &[("normals", &normals)])?;
    let mut encoder = device.encoder();
    neighbors.record_pairs(&mut encoder, &positions, POINTS, &[&passes])?;
    device.queue.submit([encoder.finish()]);

    let found = device.read(&normals, 4 * POINTS as usize)?;
    let angle =
        |(normal, point): (&[f32], &Vec3)| Vec3::from_slice(normal).dot(*point).abs().min(1.0).acos().to_degrees();
    let mut angles: Vec<f32> = found.chunks_exact(4).zip(&points).map(angle).collect();
    angles.sort_by(f32::total_cmp);
    println!("{POINTS} points on a ball, {} on {}", neighbors.search().title, device.name);
    println!(
        "angle to the true normal: median {:.2}°, largest {:.2}°",
        angles[angles.len() / 2],
        angles[angles.len() - 1]
    );
    Ok(())
}
