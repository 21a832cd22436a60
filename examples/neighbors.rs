//! The neighbor searches on points of your own, without Bevy: neighbors counted and listed.
//!
//!     cargo run --no-default-features --example neighbors [SEARCH]

use std::error::Error;

use glam::Vec3;
use nearwater::gpu::{Gpu, ShaderLibrary, record};
use nearwater::search::random::uniform_cube;
use nearwater::search::{Domain, NeighborList, SearchInput, SearchOptions, search_named};

fn main() -> Result<(), Box<dyn Error>> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "hoetzlein".to_owned());
    let gpu = Gpu::open(None, ShaderLibrary::embedded())?;

    // Points in metres, in any order; the fourth number is padding.
    let points = uniform_cube(1, 10_000, 2.0);
    let padded: Vec<[f32; 4]> = points.iter().map(|point| point.extend(0.0).to_array()).collect();
    let positions = gpu.storage_with("points", &padded)?;

    // Within what distance two points are neighbors, and the box that most of them are in.
    let domain = Domain::new(Vec3::ZERO, Vec3::splat(2.0), 0.1)?;
    let particle_count = points.len() as u32;
    let options = SearchOptions::default();
    let input = SearchInput { positions: &positions, particle_count, domain, options: &options };
    let search = search_named(&name)?.create(&gpu, input)?;

    // Build the search's tables; in a simulation these passes are recorded once a step.
    let build = search.build_passes(&gpu)?;
    gpu.submit(|encoder| record(&build, encoder, None));

    let list = NeighborList::new(&gpu, search.as_ref())?;
    let neighbors = list.read(&gpu, search.as_ref())?;
    println!(
        "{} on {}: {} neighbors of {particle_count} points",
        search.info().title,
        gpu.capabilities.name,
        list.len()
    );
    for (index, point) in points.iter().enumerate().take(3) {
        println!("point {index} at {point:.3} has {:?}", neighbors.of(index));
    }
    Ok(())
}
