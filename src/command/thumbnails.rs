//! `nearwater thumbnails`: draws the stills of the scene menu.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use glam::UVec2;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{DynamicImage, imageops};
use nearwater::depiction::Depiction;
use nearwater::files::{make_folder, write_whole};
use nearwater::fluid::{Dimensions, Scene, Simulation};
use nearwater::gpu::Gpu;
use nearwater::render::DrawStyle;

use super::CommandError;
use super::arguments::{Common, ThumbnailArguments, scene_named};
use super::simulate::draw;
use super::step_count::step_count;

/// Width and height of a still, pixels.
const STILL: [u32; 2] = [160, 100];
/// The picture is drawn this many times as large, and reduced, which smooths its edges.
const OVERSAMPLING: u32 = 4;
/// Number of time steps in a submission.
const BATCH: u64 = 8;

/// Draws a still of every built-in scene whose name contains the given text.
pub fn run(common: &Common, arguments: &ThumbnailArguments) -> Result<ExitCode, CommandError> {
    make_folder(&arguments.folder)?;
    let gpu = common.gpu()?;
    let wanted = arguments.only.as_deref().unwrap_or_default();
    for name in Scene::names().into_iter().filter(|name| name.contains(wanted)) {
        let scene = scene_named(name)?;
        let seconds = arguments.seconds.unwrap_or_else(|| usual_moment(&scene));
        let file = arguments.folder.join(format!("{name}.png"));
        still(&gpu, &scene, common, (seconds, &file))?;
        outln!("{name} at {seconds:.2} s was drawn to {}", file.display());
    }
    Ok(ExitCode::SUCCESS)
}

/// The time at which a scene is well under way, s: somewhat longer than a fall from the top of the box, and longer
/// still where water is first poured in.
fn usual_moment(scene: &Scene) -> f64 {
    let height = f64::from(scene.high.y - scene.low.y);
    let gravity = f64::from(scene.gravity.length());
    if gravity == 0.0 {
        return 1.0;
    }
    let fall = (2.0 * height / gravity).sqrt();
    if scene.emitters.is_empty() { 1.1 * fall } else { 2.5 * fall }
}

fn still(gpu: &Arc<Gpu>, scene: &Scene, common: &Common, (seconds, file): (f64, &Path)) -> Result<(), CommandError> {
    let mut simulation = Simulation::new(gpu, scene, &common.settings_for(scene, gpu)?)?;
    step_count(seconds, simulation.resolution().time_step.into())?;
    while simulation.time() < seconds {
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        for _ in 0..BATCH {
            simulation.record_step(&mut encoder, None);
        }
        gpu.queue.submit([encoder.finish()]);
        gpu.wait()?;
    }
    gpu.submit(|encoder| simulation.record_densities(encoder, None));
    gpu.wait()?;
    let size = OVERSAMPLING * UVec2::from_array(STILL);
    // Nothing is seen of clear water that is one particle deep.
    let style = if scene.dimensions == Dimensions::Two { DrawStyle::Beads } else { DrawStyle::Water };
    let depiction = Depiction { style, ..Depiction::default() };
    let camera = simulation.scene().camera.clone();
    let picture = draw(gpu, &mut simulation, &camera, (size, depiction))?;
    let small = imageops::resize(&picture, STILL[0], STILL[1], imageops::FilterType::Triangle);
    let opaque = DynamicImage::ImageRgba8(small).to_rgb8();
    write_whole(file, |writer| {
        let encoder = PngEncoder::new_with_quality(writer, CompressionType::Best, FilterType::Adaptive);
        opaque.write_with_encoder(encoder)
    })?;
    Ok(())
}
