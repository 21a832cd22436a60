//! Records a video of a simulation without a window: half a second of water, at a third of its speed.
//!
//!     cargo run --no-default-features --features render,video --example recording [FILE.mp4|FILE.gif]

use std::error::Error;
use std::path::PathBuf;

use glam::UVec2;
use nearwater::depiction::{Depiction, depict};
use nearwater::fluid::{Scene, Settings, Simulation};
use nearwater::gpu::{Gpu, ShaderLibrary};
use nearwater::render::{Canvas, View};
use nearwater::video::{VideoRecorder, VideoSettings};

const SIZE: UVec2 = UVec2::new(480, 270);
/// Simulated time, s.
const SECONDS: f64 = 0.5;

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).map_or_else(|| std::env::temp_dir().join("nearwater.gif"), PathBuf::from);
    let gpu = Gpu::open(None, ShaderLibrary::embedded())?;
    let settings = Settings::with_particles(3_000);
    let mut simulation = Simulation::new(&gpu, &Scene::load("double_dam_break")?, &settings)?;
    let camera = simulation.scene().camera.clone();
    let view = View::perspective(camera.eye, camera.target, camera.vertical_fov_degrees, SIZE);
    let mut canvas = Canvas::new(&gpu, SIZE)?;
    let mut recorder = VideoRecorder::start(VideoSettings { pace: 1.0 / 3.0, ..VideoSettings::new(file, SIZE)? }, 0.0)?;

    // The colors show densities and speeds, which the first picture needs before the first step.
    gpu.submit(|encoder| simulation.record_densities(encoder, None));
    while simulation.time() < SECONDS {
        if recorder.needs(simulation.time()) {
            let (look, drawn) = depict(&simulation, Depiction::default());
            recorder.add(simulation.time(), canvas.draw(&view, &look, &drawn, None)?)?;
        }
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        simulation.record_step(&mut encoder, None);
        gpu.queue.submit([encoder.finish()]);
    }
    println!("{} on {}", recorder.finish()?, gpu.capabilities.name);
    Ok(())
}
