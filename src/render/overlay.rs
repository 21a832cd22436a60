//! Boxes, lines and translucent spheres in the scene, drawn with depth.

use glam::Vec3;

use super::pipeline::{DrawPipeline, Groups};
use super::pipelines::overlay;
use super::solids::write_records;
use super::{ColorMap, Cut, CutOutline, Drawn, Look, TargetFormat};
use crate::gpu::{Gpu, GpuError, ShaderVariant, gpu_struct};
use crate::render::oklab::linear_from_srgb;

/// A box with thin edges and translucent faces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawnBox {
    /// Lowest corner, m.
    pub low: Vec3,
    /// Highest corner, m.
    pub high: Vec3,
    /// Linear color and opacity of the edges.
    pub edge: [f32; 4],
    /// Linear color and opacity of the faces; none are drawn at opacity 0.
    pub face: [f32; 4],
    /// Width of the edges, pixels.
    pub width: f32,
    /// Opacity where particles or solids hide it, relative to the opacity where it is visible: 0 hides it, 1 ignores
    /// depth.
    pub hidden: f32,
}

/// A straight line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawnSegment {
    /// One end, m.
    pub from: Vec3,
    /// The other end, m; the same point makes a square of `width` pixels.
    pub to: Vec3,
    /// Linear color and opacity.
    pub color: [f32; 4],
    /// Width, pixels.
    pub width: f32,
    /// Like [`DrawnBox::hidden`].
    pub hidden: f32,
}

/// A translucent sphere: a sharp outline, a faint fill, and a few lines of latitude and longitude. Parts behind
/// particles are fainter. It is not drawn while the eye is inside it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawnShell {
    /// Center, m.
    pub center: Vec3,
    /// Radius, m.
    pub radius: f32,
    /// Linear color, and opacity of the outline.
    pub color: [f32; 4],
}

/// White, the color of everything that belongs to the selection itself.
const WHITE: Vec3 = Vec3::new(0.92, 0.96, 1.0);

impl DrawnBox {
    fn of([low, high]: [Vec3; 2], color: Vec3, [edge, face]: [f32; 2]) -> Self {
        let [edge, face] = [edge, face].map(|opacity| color.extend(opacity).to_array());
        Self { low, high, edge, face, width: 1.0, hidden: 0.0 }
    }

    /// A visited cell, from its lowest to its highest corner: white edges; the current cell has wider edges and is
    /// filled at 10 %.
    pub fn visited_cell(corners: [Vec3; 2], is_current: bool) -> Self {
        let of = Self::of(corners, WHITE, if is_current { [1.0, 0.10] } else { [0.60, 0.0] });
        Self { width: if is_current { 2.2 } else { 1.2 }, hidden: 0.35, ..of }
    }

    /// A coarse cell's edges, faint.
    pub fn coarse_cell(corners: [Vec3; 2]) -> Self {
        Self::of(corners, WHITE, [0.35, 0.0])
    }

    /// A slab of a cell's border, in the orange of border particles.
    pub fn border_slab(corners: [Vec3; 2]) -> Self {
        Self::of(corners, linear_from_srgb(ColorMap::Classes.sample(1.0)), [0.30, 0.14])
    }

    /// The core of a coarse cell, in the blue of inner particles.
    pub fn inner_core(corners: [Vec3; 2]) -> Self {
        Self { width: 1.5, ..Self::of(corners, linear_from_srgb(ColorMap::Classes.sample(0.0)), [0.95, 0.30]) }
    }
}

impl DrawnSegment {
    /// A square of `size` pixels around a point, visible through everything in front of it.
    pub fn point(place: Vec3, color: [f32; 4], size: f32) -> Self {
        Self { from: place, to: place, color, width: size, hidden: 1.0 }
    }
}

impl DrawnShell {
    /// The support sphere of the selected particle, white.
    pub fn support(center: Vec3, radius: f32) -> Self {
        Self { center, radius, color: WHITE.extend(0.9).to_array() }
    }
}

gpu_struct! {
    /// A box in the layout of its shaders.
    pub struct BoxRecord {
        /// Lowest corner, m.
        pub low: [f32; 3],
        /// Width of the edges, pixels.
        pub width: f32,
        /// Highest corner, m.
        pub high: [f32; 3],
        /// Opacity where something hides it, relative to the opacity where it is visible.
        pub hidden: f32,
        /// Linear color and opacity of the edges.
        pub edge: [f32; 4],
        /// Linear color and opacity of the faces.
        pub face: [f32; 4],
    }
}

gpu_struct! {
    /// A line in the layout of its shader.
    pub struct SegmentRecord {
        /// One end, m.
        pub start: [f32; 3],
        /// Width, pixels.
        pub width: f32,
        /// The other end, m.
        pub end: [f32; 3],
        /// Opacity where something hides it, relative to the opacity where it is visible.
        pub hidden: f32,
        /// Linear color and opacity.
        pub color: [f32; 4],
    }
}

gpu_struct! {
    /// A sphere in the layout of its shader.
    pub struct ShellRecord {
        /// Center, m.
        pub center: [f32; 3],
        /// Radius, m.
        pub radius: f32,
        /// Linear color, and opacity of the outline.
        pub color: [f32; 4],
    }
}

/// The items drawn with one shader, in the order of drawing: faces come first, because they must not veil lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OverlayKind {
    BoxFaces,
    Shells,
    BoxLines,
    Segments,
}

impl OverlayKind {
    pub(super) const ALL: [Self; 4] = [Self::BoxFaces, Self::Shells, Self::BoxLines, Self::Segments];

    pub(super) fn variant(self) -> ShaderVariant {
        ShaderVariant::new(match self {
            Self::BoxFaces => "render/box_faces.wgsl",
            Self::Shells => "render/shells.wgsl",
            Self::BoxLines => "render/box_lines.wgsl",
            Self::Segments => "render/segments.wgsl",
        })
    }

    fn label(self) -> &'static str {
        match self {
            Self::BoxFaces => "faces of boxes",
            Self::Shells => "translucent spheres",
            Self::BoxLines => "edges of boxes",
            Self::Segments => "lines",
        }
    }

    /// Vertices per instance, and instances per record.
    fn vertices(self) -> (u32, u32) {
        match self {
            Self::BoxFaces => (6, 6),
            Self::Shells => (3, 1),
            Self::BoxLines => (6, 12),
            Self::Segments => (6, 1),
        }
    }
}

/// The records of one kind on the device.
struct Records {
    /// Name of the variable in the shaders.
    name: &'static str,
    buffer: Option<wgpu::Buffer>,
    count: u32,
    has_hidden: bool,
}

impl Records {
    fn new(name: &'static str) -> Self {
        Self { name, buffer: None, count: 0, has_hidden: false }
    }

    fn write<T: bytemuck::Pod>(&mut self, gpu: &Gpu, records: &[T], has_hidden: bool) -> Result<(), GpuError> {
        (self.count, self.has_hidden) = (records.len() as u32, has_hidden);
        if records.is_empty() {
            return Ok(());
        }
        let mut buffer = match self.buffer.take() {
            Some(buffer) => buffer,
            None => gpu.storage::<T>(self.name, 1)?,
        };
        write_records(gpu, (self.name, &mut buffer), records)?;
        self.buffer = Some(buffer);
        Ok(())
    }
}

/// The pipelines of one kind, for where it is hidden and where it is visible, and the bind groups of both.
struct Layer {
    hidden: DrawPipeline,
    seen: DrawPipeline,
    bound: Option<(wgpu::Buffer, [Groups; 2])>,
}

impl Layer {
    fn new(gpu: &Gpu, target: TargetFormat, kind: OverlayKind) -> Result<Self, GpuError> {
        use wgpu::CompareFunction::{GreaterEqual, Less};
        let variant = kind.variant();
        let pipeline = |fragment, compare| overlay(gpu, target, kind.label(), (&variant, fragment), compare);
        Ok(Self {
            hidden: pipeline("fragment_hidden", Less)?,
            seen: pipeline("fragment_seen", GreaterEqual)?,
            bound: None,
        })
    }
}

/// Everything in the scene besides water and solids. Allocates nothing before it is needed.
pub(super) struct Overlay {
    target: TargetFormat,
    boxes: Records,
    segments: Records,
    shells: Records,
    layers: [Option<Layer>; 4],
}

impl Overlay {
    pub(super) fn new(target: TargetFormat) -> Self {
        Self {
            target,
            boxes: Records::new("boxes"),
            segments: Records::new("segments"),
            shells: Records::new("shells"),
            layers: [const { None }; 4],
        }
    }

    /// Compiles what is compiled in `old`.
    pub(super) fn compile_like(&mut self, gpu: &Gpu, old: &Self) -> Result<(), GpuError> {
        for ((layer, old), kind) in self.layers.iter_mut().zip(&old.layers).zip(OverlayKind::ALL) {
            if old.is_some() {
                *layer = Some(Layer::new(gpu, self.target, kind)?);
            }
        }
        Ok(())
    }

    /// Takes over the items to draw next, seen from `eye`.
    pub(super) fn prepare(
        &mut self,
        gpu: &Gpu,
        frame: &wgpu::Buffer,
        eye: Vec3,
        (look, drawn): (&Look, &Drawn<'_>),
    ) -> Result<(), GpuError> {
        let (cut_box, cut_handles) = look.cut.as_ref().map(drawn_cut).unwrap_or_default();
        let mut boxes: Vec<&DrawnBox> = drawn.boxes.iter().chain(&cut_box).collect();
        let distance = |of: &DrawnBox| (0.5 * (of.low + of.high)).distance_squared(eye);
        boxes.sort_by(|a, b| distance(b).total_cmp(&distance(a)));
        let has_hidden = boxes.iter().any(|of| of.hidden > 0.0);
        let records: Vec<BoxRecord> = boxes.into_iter().map(box_record).collect();
        self.boxes.write(gpu, &records, has_hidden)?;
        let segments = || drawn.segments.iter().chain(&cut_handles);
        let records: Vec<SegmentRecord> = segments().map(segment_record).collect();
        self.segments.write(gpu, &records, segments().any(|segment| segment.hidden > 0.0))?;
        let records: Vec<ShellRecord> = drawn.shells.iter().map(shell_record).collect();
        self.shells.write(gpu, &records, true)?;
        for (place, kind) in OverlayKind::ALL.into_iter().enumerate() {
            let records = self.records(kind);
            let Some(buffer) = records.buffer.clone().filter(|_| records.count > 0) else { continue };
            let resources = [("frame", frame.as_entire_binding()), (records.name, buffer.as_entire_binding())];
            let mut layer = match self.layers[place].take() {
                Some(layer) => layer,
                None => Layer::new(gpu, self.target, kind)?,
            };
            if layer.bound.as_ref().is_none_or(|(bound, _)| *bound != buffer) {
                let bind = |pipeline: &DrawPipeline| pipeline.shader.bind(gpu, kind.label(), &resources);
                layer.bound = Some((buffer.clone(), [bind(&layer.hidden)?, bind(&layer.seen)?]));
            }
            self.layers[place] = Some(layer);
        }
        Ok(())
    }

    fn records(&self, kind: OverlayKind) -> &Records {
        match kind {
            OverlayKind::BoxFaces | OverlayKind::BoxLines => &self.boxes,
            OverlayKind::Shells => &self.shells,
            OverlayKind::Segments => &self.segments,
        }
    }

    /// Draws all items over the picture.
    pub(super) fn record(&self, pass: &mut wgpu::RenderPass<'_>) {
        for (layer, kind) in self.layers.iter().zip(OverlayKind::ALL) {
            let records = self.records(kind);
            let Some((layer, (_, [hidden, seen]))) =
                layer.as_ref().and_then(|layer| Some((layer, layer.bound.as_ref()?)))
            else {
                continue;
            };
            if records.count == 0 {
                continue;
            }
            let (vertices, instances) = kind.vertices();
            let mut draw = |pipeline: &DrawPipeline, groups: &Groups| {
                super::drawing_pass::draw(pass, pipeline, groups, (vertices, instances * records.count));
            };
            if records.has_hidden {
                draw(&layer.hidden, hidden);
            }
            draw(&layer.seen, seen);
        }
    }
}

/// The cutting box and its handles.
fn drawn_cut(cut: &Cut) -> (Vec<DrawnBox>, Vec<DrawnSegment>) {
    let edges = DrawnBox { hidden: 0.35, ..DrawnBox::of([cut.low, cut.high], WHITE, [0.75, 0.0]) };
    let active = match cut.outline {
        CutOutline::None => return (Vec::new(), Vec::new()),
        CutOutline::Edges => return (vec![edges], Vec::new()),
        CutOutline::Handles => None,
        CutOutline::Active(handle) => Some(handle),
    };
    let handles = cut.handles().into_iter().enumerate().flat_map(|(index, place)| {
        let size = if active == Some(index) { 15.0 } else { 10.0 };
        // A dark frame keeps a handle visible in front of bright water.
        let frame = DrawnSegment::point(place, [0.02, 0.03, 0.04, 0.9], size + 3.0);
        [frame, DrawnSegment::point(place, WHITE.extend(1.0).to_array(), size)]
    });
    (vec![edges], handles.collect())
}

fn box_record(of: &DrawnBox) -> BoxRecord {
    let DrawnBox { low, high, edge, face, width, hidden } = *of;
    BoxRecord { low: low.to_array(), width, high: high.to_array(), hidden, edge, face }
}

fn segment_record(segment: &DrawnSegment) -> SegmentRecord {
    let DrawnSegment { from, to, color, width, hidden } = *segment;
    SegmentRecord { start: from.to_array(), width, end: to.to_array(), hidden, color }
}

fn shell_record(shell: &DrawnShell) -> ShellRecord {
    ShellRecord { center: shell.center.to_array(), radius: shell.radius, color: shell.color }
}

#[cfg(test)]
mod tests {
    use super::{BoxRecord, OverlayKind, SegmentRecord, ShellRecord};
    use crate::gpu::{ShaderLibrary, assert_same_layout};

    #[test]
    fn the_shaders_read_the_records_at_the_same_offsets() {
        let library = ShaderLibrary::embedded();
        for kind in OverlayKind::ALL {
            let (module, _) = library.compose(&kind.variant()).expect("it composes");
            match kind {
                OverlayKind::BoxFaces | OverlayKind::BoxLines => assert_same_layout::<BoxRecord>(&module),
                OverlayKind::Shells => assert_same_layout::<ShellRecord>(&module),
                OverlayKind::Segments => assert_same_layout::<SegmentRecord>(&module),
            }
        }
    }
}
