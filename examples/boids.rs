//! A flock of boids whose rules are a pair kernel of one's own (`boids.wgsl`), moved on the device. Prints how well
//! boids agree with their neighbors on a direction: 0 where all fly elsewhere, 1 where all fly the same way.
//!
//!     cargo run --no-default-features --example boids [SEARCH]

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
use nearwater::search::random::uniform_cube;
use nearwater::search::{Domain, search_named};

const BOIDS: u32 = 1_000;
/// m.
const HALF_EDGE: f32 = 2.0;
/// Distance within which boids see each other, m.
const SIGHT: f32 = 0.6;
/// s.
const TIME_STEP: f32 = 0.05;

fn main() -> Result<(), Box<dyn Error>> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "hoetzlein".to_owned());
    let device = device::Opened::open()?;
    let centered = |seed| uniform_cube(seed, BOIDS, 2.0 * HALF_EDGE).into_iter().map(|point| point - HALF_EDGE);
    let places = device.vectors(&centered(1).collect::<Vec<_>>());
    let start: Vec<Vec3> = centered(1_000_000).map(Vec3::normalize_or_zero).collect();
    // The velocities of a step and of the next one, which change places after every step.
    let velocities = [device.vectors(&start), device.vectors(&start)];

    let domain = Domain::new(Vec3::splat(-HALF_EDGE), Vec3::splat(HALF_EDGE), SIGHT)?;
    let mut neighbors = Neighbors::new(&device.device, &device.queue, search_named(&name)?, BOIDS, domain)?;
    // In a dense flock everybody may see everybody.
    neighbors.reserve_lists(u64::from(BOIDS) * u64::from(BOIDS))?;
    let kernel = PairKernel::from_wgsl(include_str!("boids.wgsl"))?;
    let parameters = device.uniform(&[TIME_STEP, 1.0, HALF_EDGE]);
    let step = |from: usize| {
        let buffers = [
            ("parameters", &parameters),
            ("places", &places),
            ("velocities", &velocities[from]),
            ("next_velocities", &velocities[1 - from]),
        ];
        neighbors.pair_passes("flock", kernel, &buffers)
    };
    let steps = [step(0)?, step(1)?];

    println!("{BOIDS} boids, {} on {}", neighbors.search().title, device.name);
    for second in (0..=20).step_by(4) {
        let mut encoder = device.encoder();
        neighbors.record(&mut encoder, &places, BOIDS)?;
        device.queue.submit([encoder.finish()]);
        let lists = neighbors.read()?;
        let floats = device.read(&velocities[0], 4 * BOIDS as usize)?;
        let headings: Vec<Vec3> =
            floats.chunks_exact(4).map(|vector| Vec3::from_slice(vector).normalize_or_zero()).collect();
        let around = |boid: usize| lists.of(boid).iter().map(|&other| headings[other as usize]).sum::<Vec3>();
        let agreement = |boid: usize| headings[boid].dot(around(boid).normalize_or_zero());
        println!("after {second:2} s: agreement {:.2}", (0..headings.len()).map(agreement).sum::<f32>() / BOIDS as f32);
        let mut encoder = device.encoder();
        for number in 0..80 {
            neighbors.record_pairs(&mut encoder, &places, BOIDS, &[&steps[number % 2]])?;
        }
        device.queue.submit([encoder.finish()]);
    }
    Ok(())
}
