//! Simulates a scene without a window and without pictures, and prints where the water is.
//!
//!     cargo run --no-default-features --features fluid --example simulate [SECONDS]

use std::error::Error;

use nearwater::fluid::{Scene, Settings, Simulation};
use nearwater::gpu::{Gpu, ShaderLibrary};

fn main() -> Result<(), Box<dyn Error>> {
    let seconds: f64 = std::env::args().nth(1).map_or(Ok(0.2), |text| text.parse())?;
    let gpu = Gpu::open(None, ShaderLibrary::embedded())?;
    let settings = Settings::with_particles(3_000);
    let mut simulation = Simulation::new(&gpu, &Scene::load("double_dam_break")?, &settings)?;
    println!("{} on {}", simulation.scene().title, gpu.capabilities.name);
    println!("   time      lowest   middle  highest particle, m");
    let mut next = 0.0;
    loop {
        if simulation.time() >= next {
            let frame = simulation.observe()?;
            let mut heights: Vec<f32> = frame.positions.iter().map(|position| position[1]).collect();
            heights.sort_by(f32::total_cmp);
            let [low, middle, high] = [0, heights.len() / 2, heights.len() - 1].map(|place| heights[place]);
            println!("{:5.3} s    {low:8.3} {middle:8.3} {high:8.3}", simulation.time());
            next += seconds / 4.0;
        }
        if simulation.time() >= seconds {
            return Ok(());
        }
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        simulation.record_step(&mut encoder, None);
        gpu.queue.submit([encoder.finish()]);
    }
}
