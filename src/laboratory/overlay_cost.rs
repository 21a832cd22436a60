//! Measures the cost of the laboratory's overlays: each overlay is added separately to the same image of the same
//! frozen particles, and its passes are timed on the device.

use std::sync::Arc;
use std::time::{Duration, Instant};

use glam::{UVec2, Vec3};

use super::{Badge, BadgeInput, Inspector, LaboratoryError, MarkEntry, Marker, Naming, Target};
use crate::bench::Spread;
use crate::depiction::{Depiction, depict};
use crate::fluid::Simulation;
use crate::gpu::{Gpu, GpuError, PassTimer, span_milliseconds};
use crate::render::{
    Canvas, CellEdges, ColorField, CustomField, Cut, CutOutline, Drawn, DrawnBox, DrawnMarks, DrawnShell, Look, Mark,
    View, cell_box,
};

/// Size of the image, the default size of the window, pixels.
const SIZE: UVec2 = UVec2::new(1280, 800);
/// Capacity of the timer, larger than the number of passes of any image.
const PASSES: u32 = 96;
/// An idle device lowers its clock, so times count only after the device has worked for this long.
const WARM_UP: Duration = Duration::from_millis(200);

/// The time of one overlay.
#[derive(Clone, Copy, Debug)]
pub struct OverlayCost {
    /// Name of the overlay.
    pub name: &'static str,
    /// How often the cost arises: in every frame, or once per selection or check.
    pub paid: &'static str,
    /// Time on the device, ms; for an overlay that is drawn, the additional time of the image.
    pub milliseconds: Spread,
}

/// An overlay that is drawn: its name, and a function that adds it to the plain image.
type Overlay<'a> = (&'static str, Box<dyn Fn(&mut Look, &mut Drawn<'a>) + 'a>);

/// Times every overlay on the present particles; of the drawn ones, the plain image comes first.
///
/// # Errors
/// When the device has no timestamps, has too little memory or is lost, or a shader does not compile.
pub fn overlay_costs(
    gpu: &Arc<Gpu>,
    simulation: &mut Simulation,
    runs: u32,
) -> Result<Vec<OverlayCost>, LaboratoryError> {
    if !gpu.capabilities.has_timestamps() {
        return Err(GpuError::NoTimestamps { adapter: gpu.capabilities.name.clone() }.into());
    }
    gpu.submit(|encoder| {
        simulation.record_densities(encoder, None);
        simulation.record_survey(encoder);
    });
    gpu.wait()?;
    let simulation = &*simulation;
    let mut costs = Vec::new();

    let middle = simulation.particles().fluid_count / 2;
    let mut inspector = Inspector::new(gpu, simulation.subject())?;
    inspector.aim(gpu, &Target { particles: vec![middle], cell: None });
    let mut timer = PassTimer::new(gpu, PASSES);
    let mut found = None;
    let recording = timed(gpu, &mut timer, runs, |encoder, timer| {
        if let Some(inspection) = inspector.take() {
            found = Some(inspection);
        }
        inspector.record(gpu, encoder, Some(timer));
    })?;
    let found = found.or_else(|| inspector.take()).ok_or_else(|| gpu.lost_error("the recording did not arrive"))?;
    costs.push(OverlayCost { name: "recording one particle", paid: "once per selection", milliseconds: recording });

    let particles = simulation.particles();
    let mut marker = Marker::new(gpu, particles.velocities, particles.count)?;
    let tested = found.recording.particles.first().map(|record| record.tested.as_slice()).unwrap_or_default();
    let role = |accepted| if accepted { Mark::Neighbor } else { Mark::Rejected };
    let entries: Vec<_> = tested.iter().map(|tested| MarkEntry::new(tested.identity, role(tested.accepted))).collect();
    marker.set(gpu, Mark::Faded, Naming::Identity, &entries);
    let marking = timed(gpu, &mut timer, runs, |encoder, timer| marker.record(encoder, Some(timer)))?;
    costs.push(OverlayCost { name: "giving particles their roles", paid: "every frame", milliseconds: marking });

    let input = BadgeInput {
        search: simulation.search(),
        identities: Some(simulation.sorted_identities()),
        particle_count: particles.count,
        domain: simulation.search_domain(),
    };
    let mut badge = Badge::new(gpu, input, 1)?;
    let mut checks = Vec::new();
    for _ in 0..runs {
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        badge.record(gpu, &mut encoder, Instant::now());
        gpu.queue.submit([encoder.finish()]);
        gpu.wait()?;
        checks.extend(badge.take(gpu)?.and_then(|verdict| verdict.milliseconds));
    }
    costs.push(OverlayCost { name: "oracle badge", paid: "once per check", milliseconds: Spread::of(checks) });

    costs.extend(drawn_costs(gpu, simulation, (&marker, Vec3::from_array(found.fields[0].position)), runs)?);
    Ok(costs)
}

/// Times of the drawn overlays, each as the difference from the plain image.
fn drawn_costs(
    gpu: &Arc<Gpu>,
    simulation: &Simulation,
    (marker, center): (&Marker, Vec3),
    runs: u32,
) -> Result<Vec<OverlayCost>, LaboratoryError> {
    let scene = simulation.scene();
    let radius = simulation.resolution().support_radius;
    let cut =
        Cut { low: scene.low, high: scene.low.midpoint(scene.high).with_y(scene.high.y), outline: CutOutline::Handles };
    let around = [center - 2.0 * radius, center + 2.0 * radius];
    let cells: Vec<DrawnBox> = simulation.search_cells().map_or_else(Vec::new, |cells| {
        let coord = |place: Vec3| ((place - cells.origin) / cells.size).max(Vec3::ZERO).as_uvec3();
        let (low, high) = (coord(around[0]), coord(around[1]).min(cells.counts - 1));
        let boxes = (low.z..=high.z).flat_map(|z| (low.y..=high.y).map(move |y| (y, z)));
        let boxes = boxes.flat_map(|(y, z)| (low.x..=high.x).map(move |x| glam::UVec3::new(x, y, z)));
        boxes.take(400).map(|cell| DrawnBox::visited_cell(cell_box(&cells, cell), false)).collect()
    });
    let costs = gpu.storage_with("a cost map", &vec![0.5_f32; simulation.particles().count as usize])?;
    let overlays: Vec<Overlay<'_>> = vec![
        ("plain picture", Box::new(|_: &mut Look, _: &mut Drawn<'_>| {})),
        ("roles of particles", Box::new(|_, drawn| drawn.marks = Some(DrawnMarks { roles: marker.marks() }))),
        (
            "visited cells and support sphere",
            Box::new(move |_, drawn| {
                drawn.boxes.clone_from(&cells);
                drawn.shells.push(DrawnShell::support(center, radius));
            }),
        ),
        ("cutting box", Box::new(move |look, _| look.cut = Some(cut))),
        (
            "the search's cells around a particle",
            Box::new(move |look, _| look.cell_edges = CellEdges::Within { low: around[0], high: around[1] }),
        ),
        (
            "cost map",
            Box::new(|look, drawn| {
                look.field = ColorField::custom(CustomField { label: "cost", unit: "" });
                (look.low, look.high) = (0.0, 1.0);
                drawn.custom_field = Some(&costs);
            }),
        ),
    ];
    let camera = &scene.camera;
    let view = View::perspective(camera.eye, camera.target, camera.vertical_fov_degrees, SIZE);
    let mut timer = PassTimer::new(gpu, PASSES);
    // Each overlay has its own canvas, so that its time does not include the textures that another one needs.
    let mut canvases = Vec::new();
    for _ in &overlays {
        canvases.push(Canvas::new(gpu, SIZE)?);
    }
    let mut times = vec![Vec::new(); overlays.len()];
    let started = Instant::now();
    let mut round = 0;
    // Interleaved, so that a change of the device's clock affects all overlays.
    while round < runs {
        let is_warm = started.elapsed() >= WARM_UP;
        for ((canvas, (_, change)), times) in canvases.iter_mut().zip(&overlays).zip(&mut times) {
            let (mut look, mut drawn) = depict(simulation, Depiction::default());
            change(&mut look, &mut drawn);
            canvas.draw(&view, &look, &drawn, Some(&mut timer))?;
            gpu.submit(|encoder| timer.resolve(gpu, encoder));
            gpu.wait()?;
            let frames = timer.collect(gpu);
            if is_warm {
                times.extend(frames.iter().map(|passes| span_milliseconds(passes)));
            }
        }
        round += u32::from(is_warm);
    }
    let plain = times[0].clone();
    let over = |times: &[f64]| Spread::of(times.iter().zip(&plain).map(|(with, without)| with - without).collect());
    let cost = |(place, (name, _)): (usize, &Overlay<'_>)| OverlayCost {
        name,
        paid: "every frame",
        milliseconds: if place == 0 { Spread::of(plain.clone()) } else { over(&times[place]) },
    };
    Ok(overlays.iter().enumerate().map(cost).collect())
}

/// Times the passes that `work` records, after a warm-up.
fn timed(
    gpu: &Gpu,
    timer: &mut PassTimer,
    runs: u32,
    mut work: impl FnMut(&mut wgpu::CommandEncoder, &mut PassTimer),
) -> Result<Spread, LaboratoryError> {
    let started = Instant::now();
    let mut times = Vec::new();
    while times.len() < runs as usize {
        let is_warm = started.elapsed() >= WARM_UP;
        gpu.submit(|encoder| {
            work(encoder, timer);
            timer.resolve(gpu, encoder);
        });
        gpu.wait()?;
        let frames = timer.collect(gpu);
        if is_warm {
            times.extend(frames.iter().map(|passes| span_milliseconds(passes)));
        }
    }
    Ok(Spread::of(times))
}
