//! Clear water: its bind groups, and the passes that only this style records.

use glam::UVec2;

use super::clear_pipelines::ClearPipelines;
use super::drawing_pass::{attachment, begin, draw, restrict, triangles};
use super::frame::caustic_mesh;
use super::pipeline::{DrawPipeline, Groups};
use super::renderer::{SQUARE, TRIANGLE};
use super::solid_pipelines::SolidTarget;
use super::solids::Solids;
use super::splats::{BoundSplats, SplatRecorder};
use super::textures::Textures;
use crate::gpu::{Gpu, GpuError, PassTimer};

/// How often the surface is smoothed along rows and columns.
const TURNS: usize = 2;

/// The bind groups of [`ClearPipelines`].
pub(super) struct BoundClear {
    light_map: Groups,
    sun_surface: Groups,
    sun_across: Groups,
    sun_down: Groups,
    caustic_corners: Groups,
    caustics: Groups,
    spheres: Groups,
    depth: Groups,
    lumps: Groups,
    lumps_out: Groups,
    across: Groups,
    down: Groups,
    normal: Groups,
    floor_behind: Groups,
    background_behind: Groups,
    thickness: Groups,
    water: Groups,
    over: Groups,
    drop_mask: Groups,
    drops: Groups,
}

impl BoundClear {
    /// Binds the renderer's `resources` and, where a pass reads what another has written, the `textures` between them.
    pub(super) fn new(
        gpu: &Gpu,
        pipelines: &ClearPipelines,
        textures: &Textures,
        resources: &[(&str, wgpu::BindingResource<'_>)],
    ) -> Result<Self, GpuError> {
        // Of two resources with the same name, the first is bound.
        let names = ("names", wgpu::BindingResource::TextureView(&textures.clear_names));
        let resources: Vec<_> = [names].into_iter().chain(resources.iter().cloned()).collect();
        let bind = |pipeline: &DrawPipeline| pipeline.shader.bind(gpu, pipeline.label, &resources);
        let reading = |views: &[(&'static str, &wgpu::TextureView)], pipeline: &DrawPipeline| {
            let mut all = resources.clone();
            all.extend(views.iter().map(|&(name, view)| (name, wgpu::BindingResource::TextureView(view))));
            pipeline.shader.bind(gpu, pipeline.label, &all)
        };
        let depths = |view, pipeline| reading(&[("depths", view)], pipeline);
        let surface = [("surface_depths", &textures.relief_across), ("surface_normals", &textures.relief)];
        let drops = [("drop_layer", &textures.drop_layer), ("drop_depths", &textures.drop_depth)];
        let layer = [("water_layer", &textures.clear_layer), ("water_depths", &textures.clear_depth)];
        Ok(Self {
            light_map: bind(&pipelines.light_map)?,
            sun_surface: bind(&pipelines.sun_surface)?,
            sun_across: depths(&textures.sun_surface, &pipelines.sun_across)?,
            sun_down: depths(&textures.sun_across, &pipelines.sun_down)?,
            caustic_corners: bind(&pipelines.caustic_corners)?,
            caustics: reading(&[("caustic_corners", &textures.caustic_corners)], &pipelines.caustics)?,
            spheres: bind(&pipelines.spheres)?,
            depth: bind(&pipelines.depth)?,
            lumps: depths(&textures.relief_across, &pipelines.lumps)?,
            lumps_out: depths(&textures.relief_down, &pipelines.lumps_out)?,
            across: depths(&textures.relief_across, &pipelines.across)?,
            down: depths(&textures.relief_down, &pipelines.down)?,
            normal: depths(&textures.relief_across, &pipelines.normal)?,
            floor_behind: bind(&pipelines.floor_behind)?,
            background_behind: bind(&pipelines.background_behind)?,
            thickness: bind(&pipelines.thickness)?,
            water: reading(&surface, &pipelines.water)?,
            over: reading(&[layer, drops].concat(), &pipelines.over)?,
            drop_mask: reading(&surface, &pipelines.drop_mask)?,
            drops: reading(&[surface, layer].concat(), &pipelines.drops)?,
        })
    }
}

/// What the passes of clear water need.
pub(super) struct ClearWater<'a> {
    pub(super) pipelines: &'a ClearPipelines,
    pub(super) bound: &'a BoundClear,
    pub(super) textures: &'a Textures,
    pub(super) solids: &'a Solids,
    /// Draws the particles in place of triangles, if there are any.
    pub(super) splats: Option<BoundSplats<'a>>,
    /// Number of particles.
    pub(super) count: u32,
    /// The part of the picture that is drawn.
    pub(super) seen: [UVec2; 2],
    /// Whether the water stands in a picture of the caller, which is kept already.
    pub(super) in_picture: bool,
}

impl ClearWater<'_> {
    /// Records what the sun sees: the length of its light's path in water, the surface that it meets, and the caustics
    /// behind it.
    pub(super) fn record_sunlight(&self, encoder: &mut wgpu::CommandEncoder, mut timer: Option<&mut PassTimer>) {
        let Self { pipelines, bound, textures, .. } = self;
        let cleared = |view| Some(attachment(view, None, wgpu::Color::TRANSPARENT));
        let particles = triangles(self.count);

        if let Some(splats) = &self.splats {
            let mut recorder = SplatRecorder { encoder, timer: timer.as_deref_mut() };
            splats.record_light(&mut recorder, &textures.light_map);
            splats.record_sun_surface(&mut recorder, &textures.sun_surface);
        } else {
            let mut pass = begin(encoder, "light map", cleared(&textures.light_map), None, timer.as_deref_mut());
            draw(&mut pass, &pipelines.light_map, &bound.light_map, particles);
            drop(pass);

            let depth = Some((&textures.sun_depth, wgpu::LoadOp::Clear(0.0)));
            let mut pass = begin(encoder, "sun surface", cleared(&textures.sun_surface), depth, timer.as_deref_mut());
            draw(&mut pass, &pipelines.sun_surface, &bound.sun_surface, particles);
        }

        for _ in 0..TURNS {
            for (view, pipeline, groups) in [
                (&textures.sun_across, &pipelines.sun_across, &bound.sun_across),
                (&textures.sun_surface, &pipelines.sun_down, &bound.sun_down),
            ] {
                let mut pass = begin(encoder, pipeline.label, cleared(view), None, timer.as_deref_mut());
                draw(&mut pass, pipeline, groups, (TRIANGLE, 1));
            }
        }

        let corners = cleared(&textures.caustic_corners);
        let mut pass = begin(encoder, "caustic corners", corners, None, timer.as_deref_mut());
        draw(&mut pass, &pipelines.caustic_corners, &bound.caustic_corners, (TRIANGLE, 1));
        drop(pass);

        let mesh = caustic_mesh(textures.sizes.caustics);
        let mut pass = begin(encoder, "caustics", cleared(&textures.caustics), None, timer);
        draw(&mut pass, &pipelines.caustics, &bound.caustics, (SQUARE * mesh * mesh, 1));
    }

    /// Records the layer of the water, and what it is made of: its spheres, its smoothed surface, the scene behind it,
    /// and its thickness.
    pub(super) fn record_surface(&self, encoder: &mut wgpu::CommandEncoder, mut timer: Option<&mut PassTimer>) {
        let Self { pipelines, bound, textures, .. } = self;
        let cleared = |view| Some(attachment(view, None, wgpu::Color::TRANSPARENT));
        let scale = textures.sizes.relief_scale;

        if let Some(splats) = &self.splats {
            let mut recorder = SplatRecorder { encoder, timer: timer.as_deref_mut() };
            splats.record_numbers(&mut recorder, &textures.clear_names);
        } else {
            let depth = Some((&textures.clear_depth, wgpu::LoadOp::Clear(0.0)));
            let mut pass = begin(encoder, "spheres", cleared(&textures.clear_names), depth, timer.as_deref_mut());
            restrict(&mut pass, self.seen, 1);
            draw(&mut pass, &pipelines.spheres, &bound.spheres, triangles(self.count));
        }

        let mut coarse = vec![
            (&textures.relief_across, &pipelines.depth, &bound.depth),
            (&textures.relief_down, &pipelines.lumps, &bound.lumps),
            (&textures.relief_across, &pipelines.lumps_out, &bound.lumps_out),
        ];
        for _ in 0..TURNS {
            coarse.push((&textures.relief_down, &pipelines.across, &bound.across));
            coarse.push((&textures.relief_across, &pipelines.down, &bound.down));
        }
        coarse.push((&textures.relief, &pipelines.normal, &bound.normal));
        for (view, pipeline, groups) in coarse {
            let mut pass = begin(encoder, pipeline.label, cleared(view), None, timer.as_deref_mut());
            restrict(&mut pass, self.seen, scale);
            draw(&mut pass, pipeline, groups, (TRIANGLE, 1));
        }

        if !self.in_picture {
            let depths = Some((&textures.solid_depths, wgpu::LoadOp::Clear(0.0)));
            let label = "scene behind water";
            let mut pass = begin(encoder, label, cleared(&textures.solids_behind), depths, timer.as_deref_mut());
            restrict(&mut pass, self.seen, 1);
            self.solids.record(&mut pass, SolidTarget::Behind);
            draw(&mut pass, &pipelines.floor_behind, &bound.floor_behind, (SQUARE, 1));
            draw(&mut pass, &pipelines.background_behind, &bound.background_behind, (TRIANGLE, 1));
        }

        if let Some(splats) = &self.splats {
            let timer = timer.as_deref_mut();
            splats.record_thickness(&mut SplatRecorder { encoder, timer }, &textures.solid_depths, &textures.thickness);
        } else {
            let mut pass = begin(encoder, "thickness", cleared(&textures.thickness), None, timer.as_deref_mut());
            restrict(&mut pass, self.seen, scale);
            draw(&mut pass, &pipelines.thickness, &bound.thickness, triangles(self.count));
        }

        let depth = Some((&textures.clear_depth, wgpu::LoadOp::Clear(0.0)));
        let mut pass =
            begin(encoder, pipelines.water.label, cleared(&textures.clear_layer), depth, timer.as_deref_mut());
        restrict(&mut pass, self.seen, 1);
        draw(&mut pass, &pipelines.water, &bound.water, (TRIANGLE, 1));
        drop(pass);

        let mask = Some((&textures.drop_depth, wgpu::LoadOp::Clear(0.0)));
        let mut pass = begin(encoder, pipelines.drop_mask.label, None, mask, timer.as_deref_mut());
        restrict(&mut pass, self.seen, 1);
        draw(&mut pass, &pipelines.drop_mask, &bound.drop_mask, (TRIANGLE, 1));
        drop(pass);

        let mask = Some((&textures.drop_depth, wgpu::LoadOp::Load));
        let mut pass = begin(encoder, pipelines.drops.label, cleared(&textures.drop_layer), mask, timer);
        restrict(&mut pass, self.seen, 1);
        draw(&mut pass, &pipelines.drops, &bound.drops, (TRIANGLE, 1));
    }

    /// Puts the layers of the surface and of drops over the picture that a pass draws.
    pub(super) fn draw_over(&self, pass: &mut wgpu::RenderPass<'_>) {
        draw(pass, &self.pipelines.over, &self.bound.over, (TRIANGLE, 1));
    }
}
