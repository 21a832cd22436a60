//! The passes that measure sensors and find splashes, and their read-backs.

use std::collections::VecDeque;

use glam::{Affine3A, UVec3, Vec3};

use super::splashes::{KnownSplashes, Splash};
use crate::fluid::{FluidError, Simulation};
use crate::gpu::{Dispatch, Gpu, Pass, PassDescriptor, Phase, Readback, ShaderVariant, gpu_struct, record};

/// Largest number of sensors of a water.
pub const MOST_SENSORS: usize = 64;
/// Largest number of cells with a splash that are read back.
const MOST_SPLASHES: usize = 128;
/// Number of read-backs that may be under way; while there are as many, nothing is measured.
const UNDER_WAY: usize = 3;
/// Edge of a coarse cell, in support radii.
const CELL_EDGE: f32 = 2.0;
/// Largest number of coarse cells along an axis.
const MOST_CELLS: f32 = 48.0;
/// Smallest relative speed of a splash, as a fraction of the speed that the scene's water is expected to reach.
const LEAST_SPEED: f64 = 0.2;
/// Fewest particles of a cell with a splash, as a fraction of those of a cell at rest.
const LEAST_PARTICLES: f32 = 0.15;

/// A box in which water is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SensorBox {
    /// What the reading is given back with.
    pub key: u64,
    /// Maps the cube of edge 1 around the origin to the box, in the coordinates of the water, m.
    pub place: Affine3A,
}

/// What is measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventRequest {
    /// The boxes in which water is measured; those past [`MOST_SENSORS`] are left out.
    pub sensors: Vec<SensorBox>,
    /// Whether splashes are looked for.
    pub splashes: bool,
    /// Smallest speed relative to the mean of its surroundings at which water splashes, m/s; `None` follows from the
    /// scene.
    pub least_speed: Option<f32>,
}

impl EventRequest {
    /// Whether nothing is to be measured.
    pub fn is_empty(&self) -> bool {
        self.sensors.is_empty() && !self.splashes
    }
}

/// The water in a sensor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SensorReading {
    /// That of its box.
    pub key: u64,
    /// Volume of the water in the box at rest density, m³ (m² in two dimensions).
    pub volume: f64,
}

/// What was found at one time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventFindings {
    /// Simulated time, s.
    pub time: f64,
    /// The readings of the sensors.
    pub sensors: Vec<SensorReading>,
    /// The splashes that begin.
    pub splashes: Vec<Splash>,
}

gpu_struct! {
    /// Parameters of the passes.
    pub struct GpuWatch {
        /// Lowest corner of the coarse cells, m.
        pub low: [f32; 3],
        /// Edge of a coarse cell, m.
        pub cell_edge: f32,
        /// Number of coarse cells along each axis.
        pub cell_counts: [u32; 3],
        /// Number of particles, with those of solids.
        pub particle_count: u32,
        /// Number of fluid particles.
        pub fluid_count: u32,
        /// Number of sensors.
        pub sensor_count: u32,
        /// Fewest particles of a cell with a splash.
        pub least_particles: u32,
        /// Number of particles of a cell at rest.
        pub particles_at_rest: f32,
        /// m/s.
        pub least_speed: f32,
        /// Unit of speeds that are summed up, m/s.
        pub unit_speed: f32,
        /// Particles farther along x are in the reservoir, m.
        pub parked_beyond: f32,
        /// Unused.
        pub padding: u32,
    }
}

gpu_struct! {
    /// The rows of the map from the water to a sensor.
    pub struct GpuSensor {
        /// First row.
        pub x: [f32; 4],
        /// Second row.
        pub y: [f32; 4],
        /// Third row.
        pub z: [f32; 4],
    }
}

gpu_struct! {
    /// The sums of a coarse cell.
    pub struct GpuCellSum {
        /// Number of particles.
        pub count: u32,
        /// Sum of the squares of their speeds.
        pub squares: u32,
        /// Sum of their velocities along x.
        pub x: i32,
        /// Along y.
        pub y: i32,
        /// Along z.
        pub z: i32,
    }
}

/// Words of the results before the list of splashes.
const HEAD: usize = MOST_SENSORS + 4;
/// Words of a splash.
const SPLASH: usize = 8;
/// Words of the results.
const WORDS: usize = HEAD + MOST_SPLASHES * SPLASH;

/// Buffers and passes for one set of a simulation's buffers.
struct Made {
    build: u64,
    parameters: wgpu::Buffer,
    sensors: wgpu::Buffer,
    cells: wgpu::Buffer,
    events: wgpu::Buffer,
    passes: Vec<Pass>,
}

/// A read-back under way.
struct Pending {
    words: Readback<u32>,
    time: f64,
    keys: Vec<u64>,
    /// Volume of a particle, m³.
    particle_volume: f64,
    cell_edge: f32,
}

/// Measures sensors and finds splashes in the water of a simulation.
///
/// ```
/// use glam::{Affine3A, Vec3};
/// use nearwater::fluid::{EventRequest, EventWatch, Scene, SensorBox, Settings, Simulation};
/// use nearwater::gpu::{Gpu, ShaderLibrary};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let gpu = Gpu::open(None, ShaderLibrary::embedded())?;
/// let scene = Scene::load("dam_break")?;
/// let mut simulation = Simulation::new(&gpu, &scene, &Settings::with_particles(1_000))?;
/// let mut watch = EventWatch::default();
///
/// // The whole box is one sensor.
/// let place = Affine3A::from_scale_rotation_translation(
///     scene.high - scene.low,
///     Default::default(),
///     0.5 * (scene.low + scene.high),
/// );
/// let request = EventRequest { sensors: vec![SensorBox { key: 7, place }], ..Default::default() };
/// gpu.submit(|encoder| {
///     simulation.record_step(encoder, None);
///     watch.record(&gpu, encoder, &simulation, &request).expect("the shaders compile");
/// });
/// gpu.wait()?;
/// let findings = watch.take(&gpu);
/// let resolution = simulation.resolution();
/// let mass = f64::from(resolution.particle_mass) * f64::from(resolution.particle_count);
/// let volume = mass / f64::from(scene.material.rest_density);
/// assert_eq!(findings[0].sensors[0].key, 7);
/// assert!((findings[0].sensors[0].volume / volume - 1.0).abs() < 1e-6);
/// # Ok(())
/// # }
/// ```
#[derive(Default)]
pub struct EventWatch {
    made: Option<Made>,
    under_way: VecDeque<Pending>,
    known: KnownSplashes,
}

/// Number of coarse cells along each axis, and their edge, m.
fn cells_of(simulation: &Simulation) -> (UVec3, f32) {
    let scene = simulation.scene();
    let extent = scene.high - scene.low;
    let edge = (CELL_EDGE * simulation.resolution().support_radius).max(extent.max_element() / MOST_CELLS);
    ((extent / edge).ceil().max(Vec3::ONE).as_uvec3(), edge)
}

impl Made {
    fn new(gpu: &Gpu, simulation: &Simulation) -> Result<Self, FluidError> {
        let (counts, _) = cells_of(simulation);
        let cell_count = counts.as_u64vec3().element_product();
        let parameters = gpu.uniform("watch", &GpuWatch::default());
        let sensors = gpu.storage::<GpuSensor>("sensors", MOST_SENSORS as u64)?;
        let cells = gpu.storage::<GpuCellSum>("sums of coarse cells", cell_count)?;
        let events = gpu.storage::<u32>("events", WORDS as u64)?;
        let particles = simulation.particles();
        let shader = ShaderVariant::new("fluid/events.wgsl")
            .with_number("MOST_SENSORS", MOST_SENSORS as u32)
            .with_number("MOST_SPLASHES", MOST_SPLASHES as u32);
        let buffers = [
            ("watch", &parameters),
            ("sensors", &sensors),
            ("positions", particles.positions),
            ("velocities", particles.velocities),
            ("cells", &cells),
            ("events", &events),
        ];
        let pass = |label, entry_point, count| {
            let dispatch = Dispatch::Invocations(count);
            let shader = &shader;
            let phase = Phase::Physics;
            Pass::new(gpu, PassDescriptor { phase, label, shader, entry_point, buffers: &buffers, dispatch })
        };
        let passes = vec![
            pass("watch particles", "watch_particles", particles.count.into())?,
            pass("watch cells", "watch_cells", cell_count)?,
        ];
        Ok(Self { build: simulation.build_number(), parameters, sensors, cells, events, passes })
    }
}

/// The rows of the map from the water to a sensor.
fn rows(sensor: &SensorBox) -> GpuSensor {
    let to_sensor = sensor.place.inverse();
    let (turn, shift) = (to_sensor.matrix3.transpose(), to_sensor.translation);
    let row = |axis: usize| Vec3::from(turn.col(axis)).extend(shift[axis]).to_array();
    GpuSensor { x: row(0), y: row(1), z: row(2) }
}

impl EventWatch {
    /// Records the measurement of the current particles and its read-back; nothing while several are under way.
    ///
    /// # Errors
    /// When a shader does not compile, or the device has no memory.
    pub fn record(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        simulation: &Simulation,
        request: &EventRequest,
    ) -> Result<(), FluidError> {
        if request.is_empty() || self.under_way.len() >= UNDER_WAY {
            return Ok(());
        }
        let made = match self.made.take().filter(|made| made.build == simulation.build_number()) {
            Some(made) => self.made.insert(made),
            None => self.made.insert(Made::new(gpu, simulation)?),
        };
        let sensors = &request.sensors[..request.sensors.len().min(MOST_SENSORS)];
        let (scene, resolution, particles) = (simulation.scene(), simulation.resolution(), simulation.particles());
        let (counts, cell_edge) = cells_of(simulation);
        let particle_volume = f64::from(resolution.particle_mass) / f64::from(scene.material.rest_density);
        let dimensions = scene.dimensions.count() as i32;
        let particles_at_rest = (f64::from(cell_edge).powi(dimensions) / particle_volume) as f32;
        let expected = simulation.expected_speed();
        let usual = if request.splashes { (LEAST_SPEED * expected) as f32 } else { f32::MAX };
        let parameters = GpuWatch {
            low: scene.low.to_array(),
            cell_edge,
            cell_counts: counts.to_array(),
            particle_count: particles.count,
            fluid_count: particles.fluid_count,
            sensor_count: sensors.len() as u32,
            least_particles: (LEAST_PARTICLES * particles_at_rest).ceil().max(3.0) as u32,
            particles_at_rest,
            least_speed: request.least_speed.filter(|_| request.splashes).unwrap_or(usual),
            unit_speed: expected as f32,
            parked_beyond: particles.parked_beyond.min(f32::MAX),
            padding: 0,
        };
        gpu.write_uniform(&made.parameters, &parameters);
        let rows: Vec<GpuSensor> = sensors.iter().map(rows).collect();
        gpu.queue.write_buffer(&made.sensors, 0, bytemuck::cast_slice(&rows));
        encoder.clear_buffer(&made.cells, 0, None);
        encoder.clear_buffer(&made.events, 0, None);
        record(&made.passes, encoder, None);
        let words = Readback::record(gpu, encoder, &made.events, WORDS);
        let keys = sensors.iter().map(|sensor| sensor.key).collect();
        self.under_way.push_back(Pending { words, time: simulation.time(), keys, particle_volume, cell_edge });
        Ok(())
    }

    /// What has arrived since the last call, in the order of time. Never waits.
    pub fn take(&mut self, gpu: &Gpu) -> Vec<EventFindings> {
        // A lost device reports itself through its callback; in that case nothing arrives here.
        gpu.poll();
        let mut findings = Vec::new();
        while let Some(words) = self.under_way.front().and_then(|pending| pending.words.take()) {
            let Some(Pending { time, keys, particle_volume, cell_edge, .. }) = self.under_way.pop_front() else {
                break;
            };
            let readings = keys.iter().zip(&words);
            let sensors = readings
                .map(|(&key, &count)| SensorReading { key, volume: f64::from(count) * particle_volume })
                .collect();
            let listed = (words[MOST_SENSORS] as usize).min(MOST_SPLASHES);
            let cells: Vec<Splash> = words[HEAD..].as_chunks().0.iter().take(listed).map(splash).collect();
            let splashes = self.known.begin(&cells, cell_edge, time);
            findings.push(EventFindings { time, sensors, splashes });
        }
        findings
    }
}

fn splash(words: &[u32; SPLASH]) -> Splash {
    let vector = |at: usize| Vec3::from_array(std::array::from_fn(|axis| f32::from_bits(words[at + axis])));
    Splash { place: vector(0), particles: words[3], velocity: vector(4), speed: f32::from_bits(words[7]) }
}

#[cfg(test)]
mod tests {
    use super::{GpuCellSum, GpuSensor, GpuWatch, HEAD, MOST_SENSORS, MOST_SPLASHES, SPLASH, WORDS};
    use crate::gpu::{ShaderLibrary, ShaderVariant, assert_same_layout};

    #[test]
    fn rust_structs_have_the_layout_that_the_shaders_read() {
        let shader = ShaderVariant::new("fluid/events.wgsl")
            .with_number("MOST_SENSORS", MOST_SENSORS as u32)
            .with_number("MOST_SPLASHES", MOST_SPLASHES as u32);
        let module = ShaderLibrary::embedded().compose(&shader).expect("the shader composes").0;
        assert_same_layout::<GpuWatch>(&module);
        assert_same_layout::<GpuSensor>(&module);
        assert_same_layout::<GpuCellSum>(&module);
        let size = |name: &str| {
            let found = module.types.iter().find(|(_, kind)| kind.name.as_deref().is_some_and(|n| n.contains(name)));
            match found.expect("the type exists").1.inner {
                naga::TypeInner::Struct { span, .. } => span as usize,
                _ => panic!("{name} is no structure"),
            }
        };
        assert_eq!((size("Splash"), size("Events")), (4 * SPLASH, 4 * WORDS));
        assert_eq!(WORDS, HEAD + MOST_SPLASHES * SPLASH);
    }
}
