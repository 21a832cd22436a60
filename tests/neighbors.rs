//! Tests `Neighbors`, which finds neighbors on a device that the caller owns, against the oracle, for every registered
//! search.

use glam::Vec3;
use nearwater::gpu::PairKernel;
use nearwater::neighbors::{NeighborSettings, Neighbors, NeighborsError};
use nearwater::search::random::uniform_cube;
use nearwater::search::{Domain, ListedNeighbors, ReferenceNeighbors, SEARCHES, SearchInfo, search_named};

/// A device that this test opens itself, as a program with its own renderer does.
struct Device {
    device: wgpu::Device,
    queue: wgpu::Queue,
}

impl Device {
    fn open() -> Self {
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
        descriptor.backends = wgpu::Backends::VULKAN | wgpu::Backends::METAL | wgpu::Backends::DX12;
        let instance = wgpu::Instance::new(descriptor);
        let (device, queue) = pollster::block_on(async {
            let adapter = instance.request_adapter(&wgpu::RequestAdapterOptions::default()).await.expect("an adapter");
            let descriptor = wgpu::DeviceDescriptor {
                required_limits: adapter.limits(),
                required_features: adapter.features()
                    & (wgpu::Features::SUBGROUP | wgpu::Features::SHADER_FLOAT32_ATOMIC),
                ..Default::default()
            };
            adapter.request_device(&descriptor).await.expect("a device")
        });
        Self { device, queue }
    }

    fn buffer(&self, bytes: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
        let usage = usage | wgpu::BufferUsages::COPY_DST;
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: bytes,
            usage,
            mapped_at_creation: false,
        })
    }

    fn positions(&self, points: &[Vec3]) -> wgpu::Buffer {
        let padded: Vec<[f32; 4]> = points.iter().map(|point| point.extend(f32::NAN).to_array()).collect();
        let buffer = self.buffer(16 * points.len().max(1) as u64, wgpu::BufferUsages::COPY_SRC);
        self.queue.write_buffer(&buffer, 0, bytemuck::cast_slice(&padded));
        buffer
    }

    fn encoder(&self) -> wgpu::CommandEncoder {
        self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
    }

    fn neighbors(&self, search: &'static SearchInfo, capacity: u32, domain: Domain) -> Neighbors {
        let settings = NeighborSettings::default();
        Neighbors::checked(&self.device, &self.queue, search, (capacity, domain), settings)
            .unwrap_or_else(|error| panic!("{}: {error}", search.name))
    }

    fn found(&self, neighbors: &Neighbors, points: &[Vec3]) -> ListedNeighbors {
        let positions = self.positions(points);
        let mut encoder = self.encoder();
        neighbors.record(&mut encoder, &positions, points.len() as u32).unwrap_or_else(|error| panic!("{error}"));
        self.queue.submit([encoder.finish()]);
        neighbors.read().unwrap_or_else(|error| panic!("{}: {error}", neighbors.search().name))
    }

    fn floats(&self, source: &wgpu::Buffer, count: usize) -> Vec<f32> {
        let staging = self.buffer(4 * count as u64, wgpu::BufferUsages::MAP_READ);
        let mut encoder = self.encoder();
        encoder.copy_buffer_to_buffer(source, 0, &staging, 0, 4 * count as u64);
        self.queue.submit([encoder.finish()]);
        staging.map_async(wgpu::MapMode::Read, .., |result| result.expect("it is mapped"));
        self.device.poll(wgpu::PollType::wait_indefinitely()).expect("the device answers");
        bytemuck::pod_collect_to_vec(&staging.get_mapped_range(..))
    }
}

/// A set of points whose pairs at the radius are decidable or absent, and what they are.
struct Case {
    name: &'static str,
    points: Vec<Vec3>,
    exact: bool,
}

fn domain() -> Domain {
    Domain::new(Vec3::ZERO, Vec3::new(2.0, 1.0, 1.0), 0.25).expect("a good domain")
}

fn cases() -> Vec<Case> {
    let random = uniform_cube(3, 700, 1.0);
    let on_faces = |index: usize, point: Vec3| {
        let faces = [0.0, 0.25, 0.5, 1.0];
        let mut point = point;
        point[index % 3] = faces[index / 3 % 4];
        point
    };
    let not_finite = |index: usize, point: Vec3| match index % 5 {
        0 => point.with_x(f32::NAN),
        1 => Vec3::splat(f32::INFINITY),
        _ => point,
    };
    let changed =
        |change: &dyn Fn(usize, Vec3) -> Vec3| random.iter().enumerate().map(|(i, &p)| change(i, p)).collect();
    vec![
        Case { name: "no points", points: Vec::new(), exact: true },
        Case { name: "one point", points: vec![Vec3::splat(0.5)], exact: true },
        Case { name: "equal points", points: vec![Vec3::new(0.3, 0.2, 0.1); 40], exact: true },
        Case { name: "random", points: random.clone(), exact: false },
        Case { name: "on the faces of the box and of cells", points: changed(&on_faces), exact: false },
        Case { name: "outside the box", points: changed(&|_, point| 4.0 * point - 1.5), exact: false },
        Case { name: "some not finite", points: changed(&not_finite), exact: false },
    ]
}

fn compare(name: &str, found: &ListedNeighbors, expected: &ReferenceNeighbors, count: usize) {
    assert_eq!(found.offsets.len(), count + 1, "{name}");
    for particle in 0..count {
        let ambiguous = &expected.ambiguous[particle];
        let listed: Vec<u32> = found.of(particle).iter().copied().filter(|index| !ambiguous.contains(index)).collect();
        assert_eq!(listed, expected.certain[particle], "{name}, particle {particle}");
    }
}

fn expected(points: &[Vec3], domain: Domain, exact: bool) -> ReferenceNeighbors {
    ReferenceNeighbors::find(points, domain, exact)
}

/// One set of buffers serves all cases, with fewer particles than places and as many, larger numbers before smaller
/// ones.
#[test]
fn every_search_finds_the_neighbors_of_the_oracle() {
    let device = Device::open();
    for search in SEARCHES {
        let mut neighbors = device.neighbors(search, 1_000, domain());
        for with_subgroups in [false, true] {
            if with_subgroups && !neighbors.use_subgroups().unwrap_or_else(|error| panic!("{error}")) {
                continue;
            }
            for Case { name, points, exact } in cases().into_iter().rev() {
                let found = device.found(&neighbors, &points);
                compare(&format!("{}: {name}", search.name), &found, &expected(&points, domain(), exact), points.len());
            }
        }
        let points = uniform_cube(4, 1_000, 1.0);
        compare(search.name, &device.found(&neighbors, &points), &expected(&points, domain(), false), 1_000);
    }
}

#[test]
fn size_and_radius_can_change_and_a_refused_change_leaves_everything_as_it_was() {
    let device = Device::open();
    let points = uniform_cube(5, 300, 1.0);
    for search in SEARCHES {
        let mut neighbors = device.neighbors(search, 10, domain());
        neighbors.resize(0).unwrap_or_else(|error| panic!("{error}"));
        assert!(device.found(&neighbors, &[]).indices.is_empty());
        neighbors.resize(300).unwrap_or_else(|error| panic!("{error}"));
        neighbors.set_radius(0.1).unwrap_or_else(|error| panic!("{error}"));
        let small = Domain { support_radius: 0.1, ..domain() };
        compare(search.name, &device.found(&neighbors, &points), &expected(&points, small, false), 300);
        for refused in
            [neighbors.set_radius(f32::NAN), neighbors.set_radius(-1.0), neighbors.reserve_lists(u64::MAX / 8)]
        {
            assert!(refused.is_err());
        }
        let far = Domain::new(Vec3::ZERO, Vec3::splat(1e9), 0.1).expect("a good domain");
        if neighbors.set_domain(far).is_ok() {
            compare(search.name, &device.found(&neighbors, &points), &expected(&points, far, false), 300);
        } else {
            assert_eq!(neighbors.domain(), small);
        }
        compare(search.name, &device.found(&neighbors, &points), &expected(&points, small, false), 300);
    }
}

#[test]
fn several_records_in_one_encoder_do_not_disturb_each_other() {
    let device = Device::open();
    let search = search_named("hoetzlein").expect("it is registered");
    let [first, second] = [device.neighbors(search, 500, domain()), device.neighbors(search, 500, domain())];
    let (many, few) = (uniform_cube(6, 500, 1.0), uniform_cube(7, 20, 0.3));
    let [of_many, of_few] = [device.positions(&many), device.positions(&few)];
    let mut encoder = device.encoder();
    first.record(&mut encoder, &of_few, 20).expect("they fit");
    second.record(&mut encoder, &of_many, 500).expect("they fit");
    first.record(&mut encoder, &of_many, 500).expect("they fit");
    second.record(&mut encoder, &of_few, 20).expect("they fit");
    device.queue.submit([encoder.finish()]);
    compare("many", &first.read().expect("lists"), &expected(&many, domain(), false), 500);
    compare("few", &second.read().expect("lists"), &expected(&few, domain(), false), 20);
}

#[test]
fn wrong_input_is_refused_in_a_sentence() {
    let device = Device::open();
    let search = search_named("claws").expect("it is registered");
    let mut neighbors = device.neighbors(search, 100, domain());
    let mut encoder = device.encoder();
    let positions = device.buffer(16 * 100, wgpu::BufferUsages::COPY_SRC);
    let refusal = |result: Result<(), NeighborsError>| result.expect_err("it is wrong").to_string();
    let sentence = refusal(neighbors.record(&mut encoder, &positions, 101));
    assert!(sentence.contains("101") && sentence.contains("capacity of 100"), "{sentence}");
    let short = device.buffer(16 * 99, wgpu::BufferUsages::COPY_SRC);
    let sentence = refusal(neighbors.record(&mut encoder, &short, 100));
    assert!(sentence.contains("1584 bytes") && sentence.contains("1600"), "{sentence}");
    let uncopied = device.buffer(16 * 100, wgpu::BufferUsages::STORAGE);
    let sentence = refusal(neighbors.record(&mut encoder, &uncopied, 100));
    assert!(sentence.contains("COPY_SRC"), "{sentence}");
    // 100 equal points have 9,900 neighbors.
    neighbors.reserve_lists(500).expect("it fits");
    neighbors.record(&mut encoder, &positions, 100).expect("they fit");
    device.queue.submit([encoder.finish()]);
    let sentence = neighbors.read().expect_err("too many").to_string();
    assert!(sentence.contains("500") && sentence.contains("reserve_lists(9900)"), "{sentence}");
}

/// The number of neighbors, by the caller's own indices.
const COUNT: &str = "
#ifdef DEPOSITS
#import nearwater::deposits
#endif

struct Particle { weight: f32 }
struct Sum { value: f32 }

@group(1) @binding(0) var<storage, read> original_from_sorted: array<u32>;
@group(1) @binding(1) var<storage, read> weights: array<f32>;
@group(1) @binding(2) var<storage, read_write> sums: array<f32>;

fn load(index: u32) -> Particle { return Particle(weights[original_from_sorted[index]]); }
fn zero() -> Sum { return Sum(0.0); }
fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum { return Sum(b.weight); }
fn mirror(contribution: Sum) -> Sum { return contribution; }
fn add(a: Sum, b: Sum) -> Sum { return Sum(a.value + b.value); }
fn finish(index: u32, particle: Particle, sum: Sum) { sums[original_from_sorted[index]] = sum.value; }
#ifdef DEPOSITS
fn deposit(index: u32, sum: Sum) { deposits::deposit(index, sum.value); }
fn withdraw(index: u32) -> Sum { return Sum(deposits::withdraw(index)); }
#endif
";

#[test]
fn a_pair_kernel_of_the_caller_runs_on_every_search() {
    let device = Device::open();
    let kernel = PairKernel::from_wgsl(COUNT).unwrap_or_else(|error| panic!("{error}"));
    let points = uniform_cube(8, 400, 1.0);
    let positions = device.positions(&points);
    let storage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
    // Both are shorter than the capacity: places without a particle read and write nothing outside of them.
    let [weights, sums] = [(); 2].map(|()| device.buffer(4 * 400, storage));
    device.queue.write_buffer(&weights, 0, bytemuck::cast_slice(&[1.0_f32; 400]));
    for search in SEARCHES {
        let mut neighbors = device.neighbors(search, 600, domain());
        let expected = device.found(&neighbors, &points);
        let buffers = [("weights", &weights), ("sums", &sums)];
        let passes = neighbors.pair_passes("count", kernel, &buffers).unwrap_or_else(|error| panic!("{error}"));
        for _ in 0..2 {
            let mut encoder = device.encoder();
            neighbors.record_pairs(&mut encoder, &positions, 400, &[&passes]).expect("they fit");
            device.queue.submit([encoder.finish()]);
        }
        for (particle, sum) in device.floats(&sums, 400).into_iter().enumerate() {
            assert_eq!(sum as usize, expected.of(particle).len(), "{}, particle {particle}", search.name);
        }
        let missing = neighbors.pair_passes("count", kernel, &buffers[..1]).err().expect("a buffer is missing");
        assert!(missing.to_string().contains("`sums`"), "{missing}");
        let vertices = device.buffer(4 * 400, wgpu::BufferUsages::VERTEX);
        let unusable = neighbors.pair_passes("count", kernel, &[("weights", &vertices), ("sums", &sums)]);
        assert!(unusable.err().expect("it cannot be bound").to_string().contains("buffers of the pair kernel"));
        neighbors.resize(700).expect("it fits");
        let stale = neighbors.record_pairs(&mut device.encoder(), &positions, 400, &[&passes]);
        assert!(stale.expect_err("the passes are old").to_string().contains("make them again"));
    }
    let neighbors = device.neighbors(SEARCHES[0], 10, domain());
    let foreign = neighbors.pair_passes("sum", PairKernel::new("search/kernel_sum.wgsl", true), &[]);
    assert!(foreign.err().expect("it is not the caller's").to_string().contains("from_wgsl"));
}
