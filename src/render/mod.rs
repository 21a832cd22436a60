//! Drawing: particles as shaded spheres, solids as shaded meshes, their box, a floor and a backdrop, drawn directly
//! from the simulation's buffers.
//!
//! The renderer is plain wgpu, so that a window and a headless run draw the same picture: [`Renderer::prepare`] takes a
//! [`View`], a [`Look`] and the [`Drawn`] data, and [`Renderer::record`] writes these passes into the caller's encoder:
//!
//! 1. *light map*: every particle leaves a blot where its shadow falls on the floor; the map determines how much light
//!    the water lets through to the floor, and how much water is above a particle.
//! 2. *solids' shadow*: the height of solids in the path of the light. Like the fifth pass, it is omitted if there are
//!    none.
//! 3. *spheres*: which particle each pixel shows, and how far away it is. Every fragment computes its sphere exactly on
//!    a triangle around the outline. Up to a hundred spheres may overlap, so this pass does nothing else. Where
//!    particles have roles ([`Mark`]), a second pass of this kind, *faded spheres*, draws the faded ones into a picture
//!    of their own.
//! 4. *relief across*, *down*, *normal*: the large shape of the water. In a coarse picture, the distances of the
//!    visible particles are blurred along rows and columns, but not across borders, and give a normal (the idea of van
//!    der Laan, Green and Sainz, "Screen space fluid rendering with curvature flow", 2009, with a blur in place of the
//!    flow).
//! 5. *thickness* and *solids behind water*, only for [`DrawStyle::Smooth`]: the length of each ray of the coarse
//!    picture in water, m, and the solids that it shows.
//! 6. *draw foam*, only where there is any (`foam.rs`): light and optical depth of spray, foam and bubbles, added up
//!    for each pixel, after the depth of solids.
//! 7. *picture*: the water, shaded once per pixel; then solids, the floor and the backdrop where there is no water, and
//!    finally everything else in the scene: the veil of faded particles, the search's cells, boxes, lines, and the
//!    edges of the box.
//!
//! Clear water ([`DrawStyle::Water`]) replaces passes 1 and 3 to 5, and is drawn over the finished picture:
//!
//! 1. *light map*, *sun surface* with *across* and *down*, *caustics*: what the sun sees of the water, smoothed, and
//!    the light that the refracted rays leave on the floor.
//! 2. *spheres*, *water depth*, *find* and *take out lumps*, *across*, *down*, *normal*: the smoothed surface that the
//!    camera sees, without drops and lumps in front of it.
//! 3. *scene behind water*: everything else, as linear light and with depths, for refraction.
//! 4. *thickness*: the length of each ray in water before it meets that scene.
//! 5. *clear water*: the light of that surface, in a layer that *picture* puts over everything else with smooth edges;
//!    over both it draws drops and lumps.
//!
//! Water that stands in a picture of the caller's does not draw solids, floor and backdrop of its own. *Light on
//! meshes* darkens and colors what the picture shows where its light passes through the water (`mesh_light.rs`), and
//! *picture behind water* keeps it for refraction (`picture_behind.rs`).
//!
//! Depth is reversed and extends to infinity: 1 at the near plane, cleared to 0. Colors are linear and compressed only
//! near white, so that the water on screen has the colors of the legend.

mod at_once;
mod bound_scene_light;
mod canvas;
mod cell_shapes;
mod clear_pipelines;
mod clear_water;
mod color_field;
mod color_field_shader;
pub mod color_fields;
mod color_map;
mod drawing_pass;
mod foam;
mod formats;
mod frame;
mod left_out;
mod look;
mod mark;
mod mesh_light;
mod oklab;
mod overlay;
mod picker;
mod picture_behind;
mod pipeline;
mod pipelines;
mod renderer;
mod role_partition;
mod scene_light;
mod selection;
mod solid_pipelines;
mod solids;
mod splats;
mod surface;
mod textures;
mod variants;
mod view;

pub use canvas::{Canvas, parse_size, usual_samples};
pub use cell_shapes::{border_slabs, cell_box, inner_core};
pub use color_field::{ColorField, ColorFieldInfo, CustomField, FieldNeeds, FieldScale, FieldShading};
pub use color_map::ColorMap;
pub use foam::FOAM_PASS;
pub use formats::TargetFormat;
pub use look::{
    CellEdges, Cut, CutOutline, DensityScale, DrawStyle, Drawn, DrawnFoam, DrawnParticles, Lighting, Look, LookCells,
    SolidStyle, Splatting, Surroundings, Theme,
};
pub use mark::{DrawnMarks, Mark};
pub use oklab::{Oklab, linear_from_srgb, srgb_bytes};
pub use overlay::{DrawnBox, DrawnSegment, DrawnShell};
pub use picker::PickReadback;
pub use picture_behind::PictureTarget;
pub use renderer::{Beside, Renderer};
pub use scene_light::{Beam, Environment, Lamp, LampMaps, SceneLight, SceneShadows, ShadowMap};
pub use selection::Selection;
pub use solids::{DrawnCloth, DrawnSolid};
pub use surface::Surface;
pub use variants::shader_variants;
pub use view::{Ray, View};
