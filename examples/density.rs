//! Computes the SPH density of a point cloud with a pair kernel (`density.wgsl`): a block of water at rest, whose
//! density is that of water inside and less at its faces.
//!
//!     cargo run --no-default-features --example density [SEARCH]

#[path = "shared/device.rs"]
mod device;
#[path = "shared/read.rs"]
mod read;
#[path = "shared/uniform.rs"]
mod uniform;

use std::error::Error;

use glam::Vec3;
use nearwater::gpu::PairKernel;
use nearwater::neighbors::Neighbors;
use nearwater::search::{Domain, search_named};

/// Points along each edge of the block.
const EDGE: usize = 20;
/// Distance between points, m.
const SPACING: f32 = 0.05;
/// kg/m³.
const DENSITY_OF_WATER: f32 = 1_000.0;

fn main() -> Result<(), Box<dyn Error>> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "claws".to_owned());
    let device = device::Opened::open()?;

    let place =
        |index: usize| Vec3::new((index % EDGE) as f32, (index / EDGE % EDGE) as f32, (index / EDGE / EDGE) as f32);
    let points: Vec<Vec3> = (0..EDGE.pow(3)).map(|index| SPACING * (place(index) + 0.5)).collect();
    let count = points.len();
    let positions = device.vectors(&points);

    let radius = 2.4 * SPACING;
    let domain = Domain::new(Vec3::ZERO, Vec3::splat(EDGE as f32 * SPACING), radius)?;
    let neighbors = Neighbors::new(&device.device, &device.queue, search_named(&name)?, count as u32, domain)?;

    let kernel = PairKernel::from_wgsl(include_str!("density.wgsl"))?.vanishing_at_radius();
    let parameters = device.uniform(&[radius, DENSITY_OF_WATER * SPACING.powi(3)]);
    let densities = device.storage(count);
    let passes = neighbors.pair_passes("density", kernel, &[("parameters", &parameters), ("densities", &densities)])?;

    let mut encoder = device.encoder();
    neighbors.record_pairs(&mut encoder, &positions, count as u32, &[&passes])?;
    device.queue.submit([encoder.finish()]);
    let densities = device.read(&densities, count)?;

    let at = |x: usize| densities[x + EDGE * (EDGE / 2) + EDGE * EDGE * (EDGE / 2)];
    println!(
        "{} on {}: the density along a line through {count} points, kg/m³:",
        neighbors.search().title,
        device.name
    );
    for x in [0, 1, 2, EDGE / 2] {
        println!("{:.3} m from the face: {:7.1}", SPACING * (x as f32 + 0.5), at(x));
    }
    Ok(())
}
