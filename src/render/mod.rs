//! The picture: particles as lit spheres, solids as lit meshes, their box, a floor and a backdrop, drawn from the
//! simulation's buffers.
//!
//! Plain wgpu, so that a window's renderer and a headless run draw the same picture: [`Renderer::prepare`] takes a
//! [`View`], a [`Look`] and what is [`Drawn`], [`Renderer::record`] writes these passes into somebody's encoder:
//!
//! 1. *light map*: every particle leaves a blot where its shadow falls on the floor, so that the floor knows how much
//!    water the light passes, and a particle how much lies above it.
//! 2. *solids' shadow*: how high solids stand in the light's way. Like the fifth pass, left out where there are none.
//! 3. *spheres*: which particle each pixel sees, and how far away. Every fragment finds its sphere exactly on a
//!    triangle around the outline. Spheres may lie a hundred deep, so this pass does nothing else.
//! 4. *relief across*, *down*, *normal*: the large shape of the water. In a coarse picture, the distances of the
//!    particles seen are blurred along rows and columns, but not across borders, and give a normal (the idea of van
//!    der Laan, Green and Sainz, "Screen space fluid rendering with curvature flow", 2009, with a blur for the flow).
//! 5. *thickness* and *solids behind water*, for [`DrawStyle::Smooth`] alone: metres of water along each ray of the
//!    coarse picture, and what it shows of solids.
//! 6. *picture*: the water, shaded once a pixel; then solids, the floor and the backdrop where no water is, and last the
//!    edges of the box and of the search's cells.
//!
//! Depth is reversed and reaches to infinity: 1 at the near plane, cleared to 0. Colours are linear light, bent only
//! near white, so that the water on screen has the colours of the legend.

mod canvas;
mod color_field;
mod color_map;
mod frame;
mod look;
mod oklab;
mod pipeline;
mod pipelines;
mod renderer;
mod solid_pipelines;
mod solids;
mod surface;
mod textures;
mod view;

pub use canvas::Canvas;
pub use color_field::{ColorField, FieldScale};
pub use color_map::ColorMap;
pub use look::{DrawStyle, Drawn, DrawnParticles, Look, LookCells, SolidStyle};
pub use oklab::{Oklab, linear_from_srgb, srgb_bytes};
pub use pipelines::{TargetFormat, shader_variants};
pub use renderer::Renderer;
pub use solids::{DrawnCloth, DrawnSolid};
pub use surface::Surface;
pub use view::View;
