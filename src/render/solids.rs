//! Solids and cloth as meshes: their surfaces on the device, their poses, and the draws.

use std::sync::Arc;

use glam::{Mat4, Quat, Vec3};

use super::left_out::LeftOut;
use super::pipeline::{DrawPipeline, Groups};
use super::solid_pipelines::{SolidPipelines, SolidTarget};
use super::surface::{Corner, corners, reach};
use super::{Drawn, Look, SolidStyle, Surface, TargetFormat};
use crate::gpu::{Gpu, GpuError, element_bytes, gpu_struct};

/// Pairs of squares of a cloth's pattern along its shorter side.
const CHECKS: f32 = 4.0;

/// A solid and its pose. Each surface is uploaded once, however many solids use it and wherever they move; it is
/// identified by its `Arc`.
#[derive(Clone, Debug)]
pub struct DrawnSolid {
    /// Its triangles, in its own frame.
    pub surface: Arc<dyn Surface>,
    /// Rotation from its own frame to the world's.
    pub rotation: Quat,
    /// Position of its own origin, m.
    pub translation: Vec3,
    /// Linear color, each component 0 to 1.
    pub color: Vec3,
}

/// A cloth: a grid of points in a buffer.
#[derive(Clone, Copy, Debug)]
pub struct DrawnCloth<'a> {
    /// Points along a row; with fewer than two, nothing is drawn.
    pub columns: u32,
    /// Number of rows.
    pub rows: u32,
    /// `vec4f`: position, m, row by row; w is not read.
    pub positions: &'a wgpu::Buffer,
    /// Index of the first point in the buffer.
    pub first: u32,
    /// Linear color, each component 0 to 1.
    pub color: Vec3,
}

impl DrawnCloth<'_> {
    /// Number of squares between its points.
    fn squares(&self) -> u64 {
        u64::from(self.columns.saturating_sub(1)) * u64::from(self.rows.saturating_sub(1))
    }
}

gpu_struct! {
    /// A solid in the layout of its shader.
    pub struct Solid {
        /// From its own frame to the world's.
        pub world_from_body: [[f32; 4]; 4],
        /// Linear color; w is unused.
        pub color: [f32; 4],
    }
}

gpu_struct! {
    /// A cloth in the layout of its shader.
    pub struct Cloth {
        /// Linear color.
        pub color: [f32; 3],
        /// Index of the first point in the buffer.
        pub first: u32,
        /// Columns of the grid.
        pub columns: u32,
        /// Rows of the grid.
        pub rows: u32,
        /// Number of squares of the pattern along each direction.
        pub checks: [u32; 2],
    }
}

/// Properties of the solids that the frame's parameters need.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Standing {
    /// Number of solids and cloths that are drawn.
    pub(super) count: u32,
    /// Greatest height of a solid, m.
    pub(super) top: f32,
}

/// A surface on the device.
struct Known {
    surface: Arc<dyn Surface>,
    corners: wgpu::Buffer,
    corner_count: u32,
    reach: f32,
}

/// A draw: its bind groups by target, and its number of vertices.
struct Draw {
    is_cloth: bool,
    groups: [Groups; 3],
    vertices: u32,
    number: u32,
}

/// The resources that the bind groups of a frame's draws refer to; the groups are created again when these change.
#[derive(PartialEq)]
struct Held {
    solids: Vec<(wgpu::Buffer, u32)>,
    cloths: Vec<(wgpu::Buffer, u32)>,
    records: [wgpu::Buffer; 2],
}

/// Solids and cloths on the device.
pub(super) struct Solids {
    picture: TargetFormat,
    left_out: LeftOut,
    /// Compiled for the first solid and the first cloth.
    solid_pipelines: Option<SolidPipelines>,
    cloth_pipelines: Option<SolidPipelines>,
    known: Vec<Known>,
    solid_records: wgpu::Buffer,
    cloth_records: wgpu::Buffer,
    /// Corners or points of each solid and cloth, and the number of vertices it is drawn with.
    rigid: Vec<(wgpu::Buffer, u32)>,
    cloths: Vec<(wgpu::Buffer, u32)>,
    held: Option<Held>,
    draws: Vec<Draw>,
}

impl Solids {
    pub(super) fn new(gpu: &Gpu, picture: TargetFormat, left_out: LeftOut) -> Result<Self, GpuError> {
        Ok(Self {
            picture,
            left_out,
            solid_pipelines: None,
            cloth_pipelines: None,
            known: Vec::new(),
            solid_records: gpu.storage::<Solid>("solids", 1)?,
            cloth_records: gpu.storage::<Cloth>("cloths", 1)?,
            rigid: Vec::new(),
            cloths: Vec::new(),
            held: None,
            draws: Vec::new(),
        })
    }

    /// Compiles what is compiled in `old`.
    pub(super) fn compile_like(&mut self, gpu: &Gpu, old: &Self) -> Result<(), GpuError> {
        self.compile(gpu, old.solid_pipelines.is_some(), old.cloth_pipelines.is_some())
    }

    fn compile(&mut self, gpu: &Gpu, has_solids: bool, has_cloths: bool) -> Result<(), GpuError> {
        for (pipelines, file, is_needed) in [
            (&mut self.solid_pipelines, SolidPipelines::SOLID, has_solids),
            (&mut self.cloth_pipelines, SolidPipelines::CLOTH, has_cloths),
        ] {
            if is_needed && pipelines.is_none() {
                *pipelines = Some(SolidPipelines::new(gpu, file, (self.picture, self.left_out))?);
            }
        }
        Ok(())
    }

    /// Takes over what is drawn next: poses are written each time, surfaces once. Solids without a valid position,
    /// without triangles or without squares are skipped.
    pub(super) fn prepare(&mut self, gpu: &Gpu, look: &Look, drawn: &Drawn<'_>) -> Result<Standing, GpuError> {
        let is_mesh = look.solids == SolidStyle::Mesh;
        let solids = if is_mesh { drawn.solids.as_slice() } else { &[] };
        let cloths = if is_mesh { drawn.cloths.as_slice() } else { &[] };
        self.known.retain(|known| solids.iter().any(|solid| known.is(&solid.surface)));
        self.rigid.clear();
        let mut records = Vec::new();
        let mut top = f32::NEG_INFINITY;
        for solid in solids {
            let known = self.known(gpu, &solid.surface)?;
            let world_from_body = Mat4::from_rotation_translation(solid.rotation.normalize(), solid.translation);
            if known.corner_count > 0 && world_from_body.is_finite() {
                top = top.max(solid.translation.y + known.reach);
                let entry = (known.corners.clone(), known.corner_count);
                self.rigid.push(entry);
                let color = solid.color.extend(0.0).to_array();
                records.push(Solid { world_from_body: world_from_body.to_cols_array_2d(), color });
            }
        }
        write_records(gpu, ("solids", &mut self.solid_records), &records)?;
        self.cloths.clear();
        let mut records = Vec::new();
        for cloth in cloths {
            let vertices = cloth.squares().saturating_mul(6);
            if vertices == 0 {
                continue;
            }
            let places = u64::from(cloth.columns) * u64::from(cloth.rows);
            let places = places.saturating_add(cloth.first.into());
            let (bytes, needed) = (cloth.positions.size(), places.saturating_mul(size_of::<[f32; 4]>() as u64));
            let too_small = GpuError::TooSmall { what: "a cloth", bytes, needed };
            let Some(vertices) = u32::try_from(vertices).ok().filter(|_| needed <= bytes) else {
                return Err(too_small);
            };
            self.cloths.push((cloth.positions.clone(), vertices));
            records.push(cloth_record(cloth));
        }
        write_records(gpu, ("cloths", &mut self.cloth_records), &records)?;
        self.compile(gpu, !self.rigid.is_empty(), !self.cloths.is_empty())?;
        Ok(Standing { count: (self.rigid.len() + self.cloths.len()) as u32, top })
    }

    /// The surface on the device, uploaded if it is new.
    fn known(&mut self, gpu: &Gpu, surface: &Arc<dyn Surface>) -> Result<&Known, GpuError> {
        let known = self.known.iter().position(|known| known.is(surface));
        let index = known.unwrap_or(self.known.len());
        if known.is_none() {
            self.known.push(Known::new(gpu, surface)?);
        }
        Ok(&self.known[index])
    }

    /// Binds what is drawn next together with the resources that all drawing shaders share. `is_new` states that the
    /// latter have changed.
    pub(super) fn bind(
        &mut self,
        gpu: &Gpu,
        shared: &[(&str, wgpu::BindingResource<'_>)],
        is_new: bool,
    ) -> Result<(), GpuError> {
        let held = Held {
            solids: self.rigid.clone(),
            cloths: self.cloths.clone(),
            records: [self.solid_records.clone(), self.cloth_records.clone()],
        };
        if !is_new && self.held.as_ref() == Some(&held) {
            return Ok(());
        }
        self.draws.clear();
        self.held = None;
        for (is_cloth, pipelines, names, records, drawn) in [
            (false, &self.solid_pipelines, ["corners", "solids"], &self.solid_records, &self.rigid),
            (true, &self.cloth_pipelines, ["places", "cloths"], &self.cloth_records, &self.cloths),
        ] {
            let Some(pipelines) = pipelines else { continue };
            for (number, (buffer, vertices)) in (0..).zip(drawn) {
                let mut resources = shared.to_vec();
                resources.push((names[0], buffer.as_entire_binding()));
                resources.push((names[1], records.as_entire_binding()));
                let groups = |target: SolidTarget| {
                    let DrawPipeline { label, shader, .. } = pipelines.of(target);
                    shader.bind(gpu, label, &resources)
                };
                let [shadow, behind, picture] = SolidTarget::ALL.map(groups);
                self.draws.push(Draw { is_cloth, groups: [shadow?, behind?, picture?], vertices: *vertices, number });
            }
        }
        self.held = Some(held);
        Ok(())
    }

    /// Draws all solids and cloths.
    pub(super) fn record(&self, pass: &mut wgpu::RenderPass<'_>, target: SolidTarget) {
        for draw in &self.draws {
            let pipelines = if draw.is_cloth { &self.cloth_pipelines } else { &self.solid_pipelines };
            let Some(pipelines) = pipelines else { continue };
            pass.set_pipeline(&pipelines.of(target).pipeline);
            for (index, group) in &draw.groups[target as usize] {
                pass.set_bind_group(*index, group, &[]);
            }
            pass.draw(0..draw.vertices, draw.number..draw.number + 1);
        }
    }

    /// Whether there is anything to draw.
    pub(super) fn is_empty(&self) -> bool {
        self.draws.is_empty()
    }
}

impl Known {
    fn new(gpu: &Gpu, surface: &Arc<dyn Surface>) -> Result<Self, GpuError> {
        let triangles = surface.triangles().len();
        let bytes = element_bytes::<[Corner; 3]>(triangles as u64);
        let limit = gpu.capabilities.largest_binding_bytes();
        if bytes > limit {
            let (what, remedy) = (format!("drawing a solid of {triangles} triangles"), "simplify its mesh".to_owned());
            return Err(GpuError::TooLarge { what, bytes, limit, remedy });
        }
        let corners = corners(surface.as_ref());
        Ok(Self {
            surface: Arc::clone(surface),
            corner_count: corners.len() as u32,
            corners: gpu.storage_with("a solid's corners", &corners)?,
            reach: reach(surface.as_ref()),
        })
    }

    fn is(&self, surface: &Arc<dyn Surface>) -> bool {
        // Because the `Arc` is kept here, no other surface can have the same address.
        std::ptr::addr_eq(Arc::as_ptr(&self.surface), Arc::as_ptr(surface))
    }
}

fn cloth_record(cloth: &DrawnCloth<'_>) -> Cloth {
    let shorter = cloth.columns.min(cloth.rows) - 1;
    // Even numbers, so that a cloth looks the same from both ends.
    let along = |places: u32| 2 * (CHECKS * (places - 1) as f32 / shorter as f32).round() as u32;
    let checks = [cloth.columns, cloth.rows].map(along);
    let DrawnCloth { columns, rows, first, color, .. } = *cloth;
    Cloth { color: color.to_array(), first, columns, rows, checks }
}

/// Writes the records, into a larger buffer if they no longer fit.
pub(super) fn write_records<T: bytemuck::Pod>(
    gpu: &Gpu,
    (label, buffer): (&'static str, &mut wgpu::Buffer),
    records: &[T],
) -> Result<(), GpuError> {
    if element_bytes::<T>(records.len() as u64) > buffer.size() {
        *buffer = gpu.storage::<T>(label, records.len().next_power_of_two() as u64)?;
    }
    if !records.is_empty() {
        gpu.queue.write_buffer(buffer, 0, bytemuck::cast_slice(records));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Cloth, Solid};
    use crate::gpu::{ShaderLibrary, assert_same_layout};
    use crate::render::left_out::LeftOut;
    use crate::render::solid_pipelines::SolidPipelines;

    #[test]
    fn the_shaders_read_solids_and_cloths_at_the_same_offsets() {
        let library = ShaderLibrary::embedded();
        for variant in SolidPipelines::variants(LeftOut::default()) {
            let (module, _) = library.compose(&variant).expect("it composes");
            match variant.file {
                SolidPipelines::SOLID => assert_same_layout::<Solid>(&module),
                _ => assert_same_layout::<Cloth>(&module),
            }
        }
    }
}
