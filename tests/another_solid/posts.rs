//! A toy kind of solid in files of its own, outside the program's crate: upright posts that swing back and forth along
//! a line, each with a phase of its own on the device. Posts can be added while a scene runs.

use std::any::Any;
use std::f32::consts::TAU;
use std::sync::Arc;

use glam::{DVec3, Quat, Vec3};
use nearwater::fluid::solids::{
    Addition, Mover, Obstacle, RigidView, SampleInput, Sampled, SampledKind, SavedArrays, SavedInput, SavedSolids,
    SceneSolid, Solid, SolidInfo, SolidInput, SolidView, Start, StepContext, StepPart, SurfaceSamples,
    boundary_weights,
};
use nearwater::fluid::{FluidError, FluidShader, Limits, Mesh, PassMaker, Resolution, Scene, SmoothingKernel};
use nearwater::gpu::{Dispatch, Gpu, GpuStruct, Pass, read_buffer};

/// A post in the form of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Post {
    /// Center of its lower end in the middle of its motion, m.
    pub foot: Vec3,
    /// m.
    pub radius: f32,
    /// m.
    pub height: f32,
    /// From the middle of its motion to one end, m; zero for a post that stands still.
    pub swing: Vec3,
    /// Duration of an oscillation, s.
    pub period: f32,
}

impl SceneSolid for Post {
    const KIND: &'static SolidInfo = &INFO;
}

impl Post {
    fn surface(&self) -> Mesh {
        Mesh::cylinder(self.foot, self.radius, self.height, 24)
    }

    /// Rate of the phase, 1/s.
    fn rate(&self) -> f32 {
        TAU / self.period
    }

    fn is_still(&self) -> bool {
        self.swing == Vec3::ZERO
    }

    fn words(&self) -> [f32; 9] {
        let ([x, y, z], [u, v, w]) = (self.foot.to_array(), self.swing.to_array());
        [x, y, z, self.radius, self.height, u, v, w, self.period]
    }

    fn from_words([x, y, z, radius, height, u, v, w, period]: [f32; 9]) -> Self {
        Self { foot: Vec3::new(x, y, z), radius, height, swing: Vec3::new(u, v, w), period }
    }
}

pub static INFO: SolidInfo = SolidInfo {
    name: "posts",
    field: "posts",
    takes_room: true,
    is_thin: false,
    in_plane: false,
    load: |_, _, _| Ok(()),
    fault: |scene| {
        let is_right = |post: &Post| post.radius > 0.0 && post.height > 0.0 && post.period > 0.0;
        let wrong = posts(scene).iter().position(|post| !is_right(post))?;
        Some((format!("posts[{wrong}]"), "radius, height and period must be positive".to_owned()))
    },
    falling: |_| Vec::new(),
    lightest_layer: |_| None,
    lightest_body: |_| None,
    spacing_for: |_, _| None,
    measured: |_| 0,
    obstacles: |scene| {
        let still = posts(scene).iter().filter(|post| post.is_still());
        let shape = |post: &Post| Obstacle::Cylinder { foot: post.foot, radius: post.radius, height: post.height };
        still.map(shape).collect()
    },
    sample: |input| Ok(Some(Box::new(PostSamples::new(input)?))),
    check: |scene, _, limits| check(scene, limits),
    notices: |scene, _| vec![format!("{} posts stand in the water", posts(scene).len())],
    shaders: || vec![place(), swing()],
    create: |input| Ok(Box::new(Posts::new(input)?)),
    read_state: |input| Ok(SavedPosts::read(input)?.map(|saved| Box::new(saved) as Box<dyn SavedSolids>)),
};

fn posts(scene: &Scene) -> &[Post] {
    scene.solids.of()
}

/// Refuses posts that swing faster than the solver allows.
fn check(scene: &Scene, limits: &Limits) -> Result<(), FluidError> {
    let fastest = |post: &Post| f64::from(post.swing.length() * post.rate());
    let wrong = posts(scene).iter().position(|post| fastest(post) > limits.wall_speed);
    wrong.map_or(Ok(()), |number| {
        let reason = format!("reaches {:.3} m/s, and at most {:.3} are possible", fastest(&posts(scene)[number]), {
            limits.wall_speed
        });
        Err(FluidError::Solid { solid: format!("posts[{number}].swing"), reason })
    })
}

fn samples_of(post: &Post, spacing: f32) -> Result<SurfaceSamples, FluidError> {
    Ok(SurfaceSamples::new(&[post.surface()], spacing, (Vec3::NEG_INFINITY, Vec3::INFINITY), None)?.0)
}

/// The particles of each post in the middle of its motion.
struct PostSamples(Vec<SurfaceSamples>);

impl PostSamples {
    fn new(input: &SampleInput<'_>) -> Result<Self, FluidError> {
        posts(input.scene).iter().map(|post| samples_of(post, input.spacing)).collect::<Result<_, _>>().map(Self)
    }

    fn points(&self) -> impl Iterator<Item = (u32, Vec3)> {
        (0..).zip(&self.0).flat_map(|(post, samples)| samples.points().iter().map(move |&point| (post, point)))
    }
}

impl Sampled for PostSamples {
    fn starts(&self) -> Vec<Start> {
        // The first pass of a step sets their velocity.
        self.points().map(|(_, point)| (point, Vec3::ZERO)).collect()
    }

    fn count(&self) -> usize {
        self.points().count()
    }

    fn takes(&self, place: DVec3) -> bool {
        self.0.iter().any(|samples| samples.takes(place))
    }

    fn is_inside(&self, place: DVec3) -> bool {
        self.0.iter().any(|samples| samples.is_inside(place))
    }

    fn weights(&self, kernel: SmoothingKernel, scene: &Scene, resolution: &Resolution) -> Vec<f32> {
        let weights =
            |samples: &SurfaceSamples| boundary_weights(samples.points(), kernel, scene.dimensions, resolution);
        self.0.iter().flat_map(weights).collect()
    }
}

const FILE: &str = "fluid/posts/posts.wgsl";

/// Places the particles according to the phases of the posts.
fn place() -> FluidShader {
    FluidShader::single(FILE, "place_posts").with(&["PLACE"])
}

/// Advances the phases by a step.
fn swing() -> FluidShader {
    FluidShader::single(FILE, "swing_posts").with(&["SWING"])
}

/// Mirrors the struct of the same name in posts.wgsl.
#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct PostParameters {
    first: u32,
    sample_count: u32,
    post_count: u32,
}

impl GpuStruct for PostParameters {
    const NAME: &'static str = "PostParameters";
    const FIELDS: &'static [(&'static str, usize)] = &[("first", 0), ("sample_count", 4), ("post_count", 8)];
}

/// The posts on the device.
pub struct Posts {
    parameters: wgpu::Buffer,
    /// Swing of each post, m, and the rate of its phase, 1/s.
    motions: wgpu::Buffer,
    /// Particles in the middle of the motion, m, and the bits of the post's number.
    samples: wgpu::Buffer,
    /// Phase of each post.
    phases: wgpu::Buffer,
    count: u32,
    surfaces: Vec<Arc<Mesh>>,
    /// The phases as computed on the CPU, for drawing only.
    shown: Vec<f32>,
    /// Those that were added to those of the scene; they are the last ones.
    added: Vec<Post>,
}

impl Posts {
    fn new(input: &SolidInput<'_>) -> Result<Self, FluidError> {
        let (gpu, posts) = (input.gpu, posts(input.scene));
        let samples: &PostSamples = (input.samples as &dyn Any).downcast_ref().expect("the particles of posts");
        let motions: Vec<_> = posts.iter().map(|post| post.swing.extend(post.rate()).to_array()).collect();
        let points: Vec<_> =
            samples.points().map(|(post, point)| point.extend(f32::from_bits(post)).to_array()).collect();
        let parameters = PostParameters {
            first: input.resolution.particle_count + input.first as u32,
            sample_count: points.len() as u32,
            post_count: posts.len() as u32,
        };
        Ok(Self {
            parameters: gpu.uniform("posts", &parameters),
            motions: gpu.storage_with("motions of posts", &motions)?,
            samples: gpu.storage_with("particles of posts", &points)?,
            phases: gpu.storage_with("phases of posts", &vec![0.0_f32; posts.len()])?,
            count: posts.len() as u32,
            surfaces: posts.iter().map(|post| Arc::new(post.surface())).collect(),
            shown: vec![0.0; posts.len()],
            added: Vec::new(),
        })
    }

    fn set_phases(&mut self, gpu: &Gpu, phases: &[f32]) {
        gpu.queue.write_buffer(&self.phases, 0, bytemuck::cast_slice(phases));
        self.shown = phases.to_vec();
    }

    fn own(&self) -> [(&str, &wgpu::Buffer); 4] {
        [("posts", &self.parameters), ("motions", &self.motions), ("samples", &self.samples), ("phases", &self.phases)]
    }
}

impl StepPart for Posts {
    fn before_build(&self, maker: &PassMaker<'_>) -> Result<Vec<Pass>, FluidError> {
        Ok(vec![maker.each("place posts", &place(), &self.own())?])
    }

    fn after_step(&self, maker: &PassMaker<'_>) -> Result<Vec<Pass>, FluidError> {
        let dispatch = Dispatch::Invocations(self.count.into());
        Ok(vec![maker.dispatched("swing posts", &swing(), &self.own(), dispatch)?])
    }
}

impl Solid for Posts {
    fn reset(&mut self, gpu: &Gpu, _: &Scene) {
        let phases = vec![0.0; self.shown.len()];
        self.set_phases(gpu, &phases);
    }

    fn finish_step(&mut self, _: &Gpu, _: &mut wgpu::CommandEncoder, context: StepContext<'_>) {
        for (phase, post) in self.shown.iter_mut().zip(posts(context.scene)) {
            *phase += context.time_step() as f32 * post.rate();
        }
    }

    fn views<'a>(&'a self, context: StepContext<'a>) -> Vec<SolidView<'a>> {
        let view = |((surface, phase), post): ((&'a Arc<Mesh>, &f32), &Post)| {
            let translation = phase.sin() * post.swing;
            let mover = if post.is_still() { Mover::Nothing } else { Mover::Scene };
            SolidView::Rigid(RigidView { surface, rotation: Quat::IDENTITY, translation, mover })
        };
        self.surfaces.iter().zip(&self.shown).zip(posts(context.scene)).map(view).collect()
    }

    fn save(&self, gpu: &Gpu, arrays: &mut SavedArrays) -> Result<(), FluidError> {
        let phases: Vec<f32> = read_buffer(gpu, &self.phases, self.shown.len())?;
        arrays.add(INFO.name, bytemuck::cast_slice(&phases).to_vec());
        let added: Vec<_> = self.added.iter().map(Post::words).collect();
        arrays.add(ADDED, bytemuck::cast_slice(&added).to_vec());
        Ok(())
    }

    fn extend(&self, scene: &mut Scene) {
        scene.solids.of_mut().extend_from_slice(&self.added);
    }

    fn has_additions(&self) -> bool {
        !self.added.is_empty()
    }
}

/// Name of the array of added posts.
const ADDED: &str = "posts added";

/// A post that is added to a running simulation.
pub struct AddedPost {
    post: Post,
    count: usize,
    /// Its particles, until they are added to those of the others.
    samples: Option<SurfaceSamples>,
}

impl AddedPost {
    pub fn new(post: Post, spacing: f32) -> Result<Self, FluidError> {
        let samples = samples_of(&post, spacing)?;
        Ok(Self { post, count: samples.points().len(), samples: Some(samples) })
    }
}

impl Addition for AddedPost {
    fn kind(&self) -> &'static SolidInfo {
        &INFO
    }

    fn count(&self) -> usize {
        self.count
    }

    fn list(&self, scene: &mut Scene) {
        scene.solids.of_mut().push(self.post.clone());
    }

    fn no_particles(&self) -> Box<dyn Sampled> {
        Box::new(PostSamples(Vec::new()))
    }

    fn add_particles(&mut self, sampled: &mut dyn Sampled, _: &[SampledKind]) -> Result<(), FluidError> {
        let samples = (sampled as &mut dyn Any).downcast_mut::<PostSamples>().expect("the particles of posts");
        samples.0.extend(self.samples.take());
        Ok(())
    }

    fn remove_particles(&self, sampled: &mut dyn Sampled) {
        (sampled as &mut dyn Any).downcast_mut::<PostSamples>().expect("the particles of posts").0.pop();
    }

    fn joined(&self, gpu: &Gpu, before: Option<Box<dyn Solid>>, all: Box<dyn Solid>) -> Box<dyn Solid> {
        let posts = |solids: Box<dyn Solid>| (solids as Box<dyn Any>).downcast::<Posts>().expect("posts");
        let mut all = posts(all);
        if let Some(before) = before.map(posts) {
            let bytes = u64::from(before.count) * size_of::<f32>() as u64;
            gpu.submit(|encoder| encoder.copy_buffer_to_buffer(&before.phases, 0, &all.phases, 0, bytes));
            all.shown[..before.shown.len()].copy_from_slice(&before.shown);
            all.added = before.added;
        }
        all.added.push(self.post.clone());
        all
    }
}

/// The saved phases, and the posts that were added.
struct SavedPosts {
    phases: Vec<f32>,
    added: Vec<AddedPost>,
}

impl SavedPosts {
    fn read(input: &SavedInput<'_>) -> Result<Option<Self>, FluidError> {
        let added: Vec<[f32; 9]> = bytemuck::pod_collect_to_vec(input.arrays.get(ADDED).unwrap_or_default());
        let count = posts(input.scene).len() + added.len();
        if count == 0 {
            return Ok(None);
        }
        let bytes = input.arrays.get(INFO.name).filter(|bytes| bytes.len() == count * size_of::<f32>());
        let bytes = bytes.ok_or(FluidError::IncompleteState(INFO.name))?;
        let spacing = input.resolution.spacing;
        let added = added.into_iter().map(|words| AddedPost::new(Post::from_words(words), spacing));
        Ok(Some(Self { phases: bytemuck::pod_collect_to_vec(bytes), added: added.collect::<Result<_, _>>()? }))
    }
}

impl SavedSolids for SavedPosts {
    fn additions(&mut self) -> Vec<Box<dyn Addition>> {
        self.added.drain(..).map(|post| Box::new(post) as Box<dyn Addition>).collect()
    }

    fn restore(self: Box<Self>, gpu: &Gpu, solids: &mut dyn Solid) {
        (solids as &mut dyn Any).downcast_mut::<Posts>().expect("the posts").set_phases(gpu, &self.phases);
    }
}
