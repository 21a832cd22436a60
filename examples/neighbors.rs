//! Finds the neighbors of points on a device of one's own, and prints those of the first three points.
//!
//!     cargo run --no-default-features --example neighbors [SEARCH]

#[path = "shared/device.rs"]
mod device;

use std::error::Error;

use glam::Vec3;
use nearwater::neighbors::Neighbors;
use nearwater::search::random::uniform_cube;
use nearwater::search::{Domain, search_named};

fn main() -> Result<(), Box<dyn Error>> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "claws".to_owned());
    let device = device::Opened::open()?;

    // Points in meters, in any order.
    let points = uniform_cube(1, 10_000, 2.0);
    let positions = device.vectors(&points);

    // The box that most of the points are in, and the distance within which two points are neighbors.
    let domain = Domain::new(Vec3::ZERO, Vec3::splat(2.0), 0.1)?;
    let mut neighbors = Neighbors::new(&device.device, &device.queue, search_named(&name)?, 10_000, domain)?;
    let subgroups = if neighbors.use_subgroups()? { "with" } else { "without" };

    // In a program of your own, record this into the encoder of every step; nothing waits until you read.
    let mut encoder = device.encoder();
    neighbors.record(&mut encoder, &positions, 10_000)?;
    device.queue.submit([encoder.finish()]);

    let lists = neighbors.read()?;
    let title = neighbors.search().title;
    println!("{title} on {}, {subgroups} subgroup operations:", device.name);
    println!("10000 points have {} neighbors, each pair counted twice", lists.indices.len());
    for (index, point) in points.iter().enumerate().take(3) {
        println!("point {index} at {point:.3} has {:?}", lists.of(index));
    }
    Ok(())
}
