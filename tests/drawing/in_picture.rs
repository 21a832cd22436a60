//! Water in a picture that the caller has drawn before, on any adapter: what is behind it is seen through it, what is
//! in front hides it, and nothing else of the picture changes.

#![expect(clippy::float_cmp, reason = "pixels that nothing was drawn over keep their bits")]

use std::sync::Arc;

use glam::{Quat, Vec3};
use nearwater::fluid::Mesh;
use nearwater::render::{
    DrawStyle, Drawn, DrawnSolid, Lighting, Look, PictureTarget, Renderer, Splatting, Surroundings, TargetFormat,
};

use crate::drawing::{EYE, Particles, SIZE, away, field_named, forward, gpu, look};
use crate::listed;

/// Distance of the particles in a block of water, m.
const SPACING: f32 = 0.1;
/// Distance between the eye and the middle of the block, m.
const MIDDLE: f32 = 2.0;
/// Distance of the nearest face of the block, m.
const FACE: f32 = 1.7;
/// The near plane of the tests' camera, m.
const NEAR: f32 = 0.01;
const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;
const RED: [f64; 3] = [1.0, 0.0, 0.0];
const GREEN: [f64; 3] = [0.0, 1.0, 0.0];

/// A picture that shows one color, at one distance.
#[derive(Default)]
pub struct Wall {
    pub color: [f64; 3],
    pub distance: f32,
    /// What transparent things cover the whole picture with, premultiplied, if there are any.
    pub veil: Option<[f64; 4]>,
}

/// What a picture contains after the water was drawn into it.
pub struct Outcome {
    /// Linear light of each pixel, rows from the top.
    pub light: Vec<[f32; 3]>,
    /// Depth of each pixel; only of pictures with one sample.
    depth: Vec<f32>,
}

impl Outcome {
    pub fn middle(&self) -> [f32; 3] {
        self.light[((SIZE.y / 2) * SIZE.x + SIZE.x / 2) as usize]
    }

    fn corner(&self) -> [f32; 3] {
        self.light[0]
    }
}

pub fn water(style: DrawStyle) -> Look {
    let field = field_named("speed");
    Look {
        style,
        field,
        particle_radius: Look::particle_radius_of(SPACING),
        surroundings: Surroundings::Picture,
        ..look()
    }
}

/// A block of water in the middle of the picture of [`away`], which does not reach its corners.
pub fn block() -> Particles {
    let view = away().world_from_view;
    let mut positions = Vec::new();
    for layer in -2..=2 {
        for row in -4..=4 {
            for column in -4..=4 {
                let place = Vec3::new(column as f32, row as f32, layer as f32);
                let middle = view.w_axis.truncate() + MIDDLE * forward();
                positions.push(middle + SPACING * view.transform_vector3(place));
            }
        }
    }
    Particles::new(&positions, |_| 0.0)
}

/// The bits of a number of 16 bits as a number.
fn half(bits: u16) -> f32 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f32::from(bits & 1023) / 1024.0);
    let size = if exponent == 0 { fraction * 2_f32.powi(-14) } else { (1.0 + fraction) * 2_f32.powi(exponent - 15) };
    if bits >> 15 == 1 { -size } else { size }
}

fn linear(byte: u8) -> f32 {
    let srgb = f32::from(byte) / 255.0;
    if srgb <= 0.040_45 { srgb / 12.92 } else { ((srgb + 0.055) / 1.055).powf(2.4) }
}

pub fn draw(samples: u32, wall: &Wall, look: &Look, drawn: &Drawn<'_>) -> Outcome {
    draw_with(&mut None, samples, (wall, look, drawn))
}

/// Draws into a picture of a wall. With [`Surroundings::Light`] the picture has 16-bit floats. A renderer that is not
/// there yet is made, and serves later pictures with as many samples.
fn draw_with(
    renderer: &mut Option<Renderer>,
    samples: u32,
    (wall, look, drawn): (&Wall, &Look, &Drawn<'_>),
) -> Outcome {
    let gpu = gpu();
    let is_light = look.surroundings == Surroundings::Light;
    let color = if is_light { wgpu::TextureFormat::Rgba16Float } else { wgpu::TextureFormat::Rgba8UnormSrgb };
    let texture = |format, sample_count| {
        let usage = wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING;
        gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: wgpu::Extent3d { width: SIZE.x, height: SIZE.y, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count,
            dimension: wgpu::TextureDimension::D2,
            format,
            usage: if sample_count == 1 { usage | wgpu::TextureUsages::COPY_SRC } else { usage },
            view_formats: &[],
        })
    };
    let view = |texture: &wgpu::Texture| texture.create_view(&wgpu::TextureViewDescriptor::default());
    let (shown, depth) = (texture(color, 1), texture(DEPTH, samples));
    let sampled = (samples > 1).then(|| view(&texture(color, samples)));
    let (shown_view, depth_view) = (view(&shown), view(&depth));
    let veil = wall.veil.map(|_| view(&texture(color, 1)));
    let target = PictureTarget {
        color: sampled.as_ref().unwrap_or(&shown_view),
        resolve: sampled.is_some().then_some(&shown_view),
        depth: &depth_view,
        transparent: veil.as_ref(),
    };
    let renderer = renderer.get_or_insert_with(|| {
        Renderer::new(gpu, TargetFormat { color, depth: DEPTH, sample_count: samples }).expect("a renderer")
    });
    renderer.prepare(&away(), look, drawn).expect("a picture");

    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let [r, g, b] = wall.color;
    let pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("wall"),
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view: target.color,
            depth_slice: None,
            resolve_target: target.resolve,
            ops: wgpu::Operations {
                load: wgpu::LoadOp::Clear(wgpu::Color { r, g, b, a: 1.0 }),
                store: wgpu::StoreOp::Store,
            },
        })],
        depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
            view: target.depth,
            depth_ops: Some(wgpu::Operations {
                load: wgpu::LoadOp::Clear(NEAR / wall.distance),
                store: wgpu::StoreOp::Store,
            }),
            stencil_ops: None,
        }),
        ..Default::default()
    });
    drop(pass);
    if let (Some(view), Some([r, g, b, a])) = (&veil, wall.veil) {
        let ops =
            wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color { r, g, b, a }), store: wgpu::StoreOp::Store };
        let cleared = wgpu::RenderPassColorAttachment { view, depth_slice: None, resolve_target: None, ops };
        let pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("veil"),
            color_attachments: &[Some(cleared)],
            ..Default::default()
        });
        drop(pass);
    }
    renderer.record_in(&mut encoder, &target, None).expect("it is recorded");

    let read = |encoder: &mut wgpu::CommandEncoder, texture: &wgpu::Texture, bytes: u32| {
        let staging = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: u64::from(SIZE.x * SIZE.y * bytes),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        // The width of the picture fits copies without padding.
        let bytes_per_row = Some(SIZE.x * bytes);
        let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row, rows_per_image: None };
        let size = wgpu::Extent3d { width: SIZE.x, height: SIZE.y, depth_or_array_layers: 1 };
        let target = wgpu::TexelCopyBufferInfo { buffer: &staging, layout };
        encoder.copy_texture_to_buffer(texture.as_image_copy(), target, size);
        staging
    };
    let colors = read(&mut encoder, &shown, if is_light { 8 } else { 4 });
    let depths = (samples == 1).then(|| read(&mut encoder, &depth, 4));
    gpu.queue.submit([encoder.finish()]);
    listed::assert_shaders_are_listed();
    let bytes = |staging: wgpu::Buffer| {
        staging.slice(..).map_async(wgpu::MapMode::Read, |mapped| mapped.expect("it is mapped"));
        gpu.device.poll(wgpu::PollType::wait_indefinitely()).expect("the device answers");
        staging.slice(..).get_mapped_range().to_vec()
    };
    let colors = bytes(colors);
    let light = if is_light {
        let halves = |pixel: &[u8]| std::array::from_fn(|c| half(u16::from_le_bytes([pixel[2 * c], pixel[2 * c + 1]])));
        colors.chunks_exact(8).map(halves).collect()
    } else {
        colors.chunks_exact(4).map(|pixel| std::array::from_fn(|c| linear(pixel[c]))).collect()
    };
    let depths = depths.map(bytes).unwrap_or_default();
    let depth = depths.chunks_exact(4).map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
    Outcome { light, depth: depth.collect() }
}

#[test]
fn what_is_behind_clear_water_is_seen_through_it_and_nothing_is_drawn_beside_it() {
    let particles = block();
    for samples in [1, 4] {
        let mut renderer = None;
        for splatting in Splatting::ALL {
            let look = Look { splatting, ..water(DrawStyle::Water) };
            let mut seen = |color| {
                let wall = Wall { color, distance: 4.0, ..Wall::default() };
                draw_with(&mut renderer, samples, (&wall, &look, &particles.drawn()))
            };
            let (red, green) = (seen(RED), seen(GREEN));
            let ([r, ..], [_, g, _]) = (red.middle(), green.middle());
            assert!(r > 0.4 && red.middle()[1] < 0.5 * r, "{samples}: the red wall is seen as {:?}", red.middle());
            assert!(g > 0.4 && green.middle()[0] < 0.5 * g, "{samples}: the green one as {:?}", green.middle());
            assert_ne!(red.middle(), [1.0, 0.0, 0.0], "the water is not drawn");
            assert_eq!(red.corner(), [1.0, 0.0, 0.0], "something is drawn beside the water");
            assert_eq!(green.corner(), [0.0, 1.0, 0.0], "something is drawn beside the water");
            let kept = red.light.iter().filter(|light| **light == [1.0, 0.0, 0.0]).count();
            assert!(kept > red.light.len() / 3, "{kept} pixels show the wall as it was");
        }
    }
}

/// They are drawn over what is behind them, as much as they cover it, and where no water is they are left to the
/// caller.
#[test]
fn transparent_things_behind_water_are_seen_through_it_only() {
    let particles = block();
    for samples in [1, 4] {
        for style in [DrawStyle::Water, DrawStyle::Smooth] {
            let seen =
                |color, veil| draw(samples, &Wall { color, distance: 4.0, veil }, &water(style), &particles.drawn());
            let covered = seen(GREEN, Some([0.0, 0.0, 1.0, 1.0]));
            let blue = seen([0.0, 0.0, 1.0], None);
            let difference = |one: [f32; 3], other: [f32; 3]| Vec3::from(one).distance(Vec3::from(other));
            let context = format!("{style:?}, {samples} samples");
            assert!(difference(covered.middle(), blue.middle()) < 0.01, "{context}: a blue veil hides a green wall");
            assert_eq!(covered.corner(), [0.0, 1.0, 0.0], "{context}: the veil is drawn beside the water");
            let half = seen(RED, Some([0.0, 0.5, 0.0, 0.5]));
            let mixed = seen([0.5, 0.5, 0.0], None);
            assert!(
                difference(half.middle(), mixed.middle()) < 0.02,
                "{context}: half a veil of green over red is seen as {:?}, and their mean as {:?}",
                half.middle(),
                mixed.middle()
            );
        }
    }
}

#[test]
fn opaque_particles_hide_what_is_behind_them() {
    let particles = block();
    for samples in [1, 4] {
        let seen = |color| {
            draw(
                samples,
                &Wall { color, distance: 4.0, ..Wall::default() },
                &water(DrawStyle::Beads),
                &particles.drawn(),
            )
        };
        let (red, green) = (seen(RED), seen(GREEN));
        assert_eq!(red.middle(), green.middle(), "the wall shows through");
        assert_ne!(red.middle(), red.corner(), "the particles are not drawn");
        assert_eq!(red.corner(), [1.0, 0.0, 0.0], "something is drawn beside the particles");
    }
}

#[test]
fn smooth_water_takes_on_the_color_of_what_is_behind_it() {
    let particles = block();
    for samples in [1, 4] {
        let seen = |color| {
            draw(
                samples,
                &Wall { color, distance: 4.0, ..Wall::default() },
                &water(DrawStyle::Smooth),
                &particles.drawn(),
            )
        };
        let ([red, ..], [less, ..]) = (seen(RED).middle(), seen(GREEN).middle());
        assert!(red > less, "behind a red wall the water has {red} red, behind a green one {less}");
    }
}

#[test]
fn what_is_in_front_of_water_and_solids_hides_them() {
    let particles = block();
    for samples in [1, 4] {
        let mut renderer = None;
        for style in DrawStyle::ALL {
            let solid = DrawnSolid {
                surface: Arc::new(Mesh::cuboid(Vec3::splat(-0.3), Vec3::splat(0.3))),
                rotation: Quat::IDENTITY,
                translation: EYE + MIDDLE * forward(),
                color: Vec3::ONE,
            };
            for solids in [vec![], vec![solid]] {
                let drawn = Drawn { solids, ..particles.drawn() };
                let wall = Wall { color: RED, distance: 1.0, ..Wall::default() };
                let hidden = draw_with(&mut renderer, samples, (&wall, &water(style), &drawn));
                let others = hidden.light.iter().filter(|light| **light != [1.0, 0.0, 0.0]).count();
                assert_eq!(others, 0, "{style:?} with {samples} samples and {} solids", drawn.solids.len());
            }
        }
    }
}

#[test]
fn solids_of_the_scene_stand_in_the_picture() {
    let solid = DrawnSolid {
        surface: Arc::new(Mesh::cuboid(Vec3::splat(-0.2), Vec3::splat(0.2))),
        rotation: Quat::IDENTITY,
        translation: EYE + 3.0 * forward(),
        color: Vec3::new(0.0, 0.0, 1.0),
    };
    let particles = block();
    for style in [DrawStyle::Smooth, DrawStyle::Water] {
        let seen = |solids| {
            let drawn = Drawn { solids, ..particles.drawn() };
            draw(1, &Wall { color: RED, distance: 4.0, ..Wall::default() }, &water(style), &drawn).middle()
        };
        let (without, with) = (seen(vec![]), seen(vec![solid.clone()]));
        assert!(with[0] < 0.95 * without[0], "{style:?}: {with:?} with a blue solid, and without it {without:?}");
    }
}

#[test]
fn the_water_writes_its_depth() {
    let particles = block();
    for style in DrawStyle::ALL {
        let Outcome { depth, .. } =
            draw(1, &Wall { color: RED, distance: 4.0, ..Wall::default() }, &water(style), &particles.drawn());
        let distance = NEAR / depth[((SIZE.y / 2) * SIZE.x + SIZE.x / 2) as usize];
        assert!((distance - FACE).abs() < 0.12, "{style:?}: the water is {distance} m away");
        assert!((NEAR / depth[0] - 4.0).abs() < 1e-3, "{style:?}: the wall is {} m away", NEAR / depth[0]);
    }
}

#[test]
fn the_light_of_the_caller_shines_on_the_water() {
    let particles = block();
    let wall = Wall { color: RED, distance: 4.0, ..Wall::default() };
    let lit = |lighting| draw(1, &wall, &Look { lighting, ..water(DrawStyle::Beads) }, &particles.drawn()).middle();
    let usual = lit(Lighting::default());
    let none = lit(Lighting { key: Vec3::ZERO, room: Vec3::ZERO, ..Lighting::default() });
    assert!(none.iter().all(|light| *light < 1e-3), "without light the water shows {none:?}");
    let blue = lit(Lighting { key: Vec3::Z, room: Vec3::ZERO, ..Lighting::default() });
    assert!(blue[2] > 0.01 && blue[0] < 1e-3, "in blue light the water shows {blue:?}");
    // The face that is seen looks backwards and down.
    let towards_face = lit(Lighting { towards: -forward() + Vec3::Y, ..Lighting::default() });
    let from_behind = lit(Lighting { towards: forward(), ..Lighting::default() });
    assert!(towards_face[1] > from_behind[1], "{towards_face:?} and {from_behind:?}, usually {usual:?}");
}

#[test]
fn light_that_the_caller_compresses_is_not_compressed_before() {
    let particles = block();
    let look = Look { surroundings: Surroundings::Light, ..water(DrawStyle::Water) };
    let bright =
        draw(1, &Wall { color: [0.0, 4.0, 0.0], distance: 4.0, ..Wall::default() }, &look, &particles.drawn()).middle();
    assert!(bright[1] > 2.5, "light of 4 is seen through clear water as {}", bright[1]);
}
