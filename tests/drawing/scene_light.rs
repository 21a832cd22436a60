//! The light of a caller's scene on water that stands in the caller's picture, on any adapter: lamps, and the shadows of
//! the scene's meshes.

use glam::{Mat4, Vec3, Vec4};
use nearwater::render::{
    Beam, DrawStyle, Drawn, Lamp, Lighting, Look, SceneLight, SceneShadows, ShadowMap, Surroundings,
};

use crate::drawing::{EYE, SIZE, forward, gpu};
use crate::in_picture::{Outcome, Wall, block, draw, water};

/// Maps of two layers: nothing is in the path of the light in the first, and everything is in shadow in the second.
pub fn maps() -> wgpu::Texture {
    let gpu = gpu();
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("maps of shadows"),
        size: wgpu::Extent3d { width: 256, height: 256, depth_or_array_layers: 2 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Depth32Float,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING,
        view_formats: &[],
    });
    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    for (layer, depth) in [(0, 0.0), (1, 1.0)] {
        let view = texture.create_view(&wgpu::TextureViewDescriptor {
            dimension: Some(wgpu::TextureViewDimension::D2),
            base_array_layer: layer,
            array_layer_count: Some(1),
            ..Default::default()
        });
        let pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &view,
                depth_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Clear(depth), store: wgpu::StoreOp::Store }),
                stencil_ops: None,
            }),
            ..Default::default()
        });
        drop(pass);
    }
    gpu.queue.submit([encoder.finish()]);
    texture
}

/// A map that contains the points with x from `low` to `high`, all at half of its depth.
pub fn map(low: f32, high: f32, layer: u32) -> ShadowMap {
    let scale = 2.0 / (high - low);
    let columns = [Vec4::X * scale, Vec4::Y * 0.1, Vec4::ZERO, Vec4::new(-scale * low - 1.0, 0.0, 0.5, 1.0)];
    let [x, y, z, w] = columns;
    ShadowMap { clip_from_world: Mat4::from_cols(x, y, z, w), layer }
}

fn picture(style: DrawStyle, lighting: Lighting, scene_light: SceneLight<'_>) -> Outcome {
    let look = Look { lighting, surroundings: Surroundings::Light, ..water(style) };
    let particles = block();
    draw(1, &Wall { color: [0.0; 3], distance: 4.0 }, &look, &Drawn { scene_light, ..particles.drawn() })
}

/// Mean light around a point right of the middle of the picture by some pixels.
fn light_at(outcome: &Outcome, right: i32) -> Vec3 {
    let mut sum = Vec3::ZERO;
    for row in SIZE.y / 2 - 8..SIZE.y / 2 + 8 {
        let first = (row * SIZE.x + SIZE.x / 2).saturating_add_signed(right - 8) as usize;
        sum += outcome.light[first..first + 16].iter().map(|&light| Vec3::from(light)).sum::<Vec3>();
    }
    sum / 256.0
}

#[test]
fn meshes_between_the_key_light_and_the_water_darken_it_where_they_throw_their_shadow() {
    let depths = maps();
    // Against the direction of view, so that the nearest face of the block is lit.
    let lighting = Lighting { towards: Vec3::new(0.1, 0.4, 1.0), room: Vec3::splat(0.02), ..Lighting::default() };
    let seen = |style, maps: &[ShadowMap]| {
        let shadows = Some(SceneShadows { depths: &depths, maps: maps.to_vec() });
        let outcome = picture(style, lighting, SceneLight { shadows, ..SceneLight::default() });
        (light_at(&outcome, -40), light_at(&outcome, 40))
    };
    for style in DrawStyle::ALL {
        let (left, right) = seen(style, &[]);
        let (lit_left, lit_right) = seen(style, &[map(-9.0, 9.0, 0)]);
        assert_eq!((lit_left, lit_right), (left, right), "{style:?}: an empty map changes the picture");
        // Of two maps that contain a point, the first is the finer one.
        let (dark_left, same_right) = seen(style, &[map(-9.0, 0.0, 1), map(-9.0, 9.0, 0)]);
        assert!(dark_left.z < 0.8 * left.z, "{style:?}: {dark_left} in the shadow, and {left} without it");
        assert!(
            (same_right - right).length() < 0.02 * right.length(),
            "{style:?}: {same_right} beside it, not {right}"
        );
        let (outside, _) = seen(style, &[map(5.0, 9.0, 1)]);
        assert_eq!(outside, left, "{style:?}: a map that does not contain the water changes the picture");
    }
}

#[test]
fn lamps_light_the_water_within_their_range_and_beam() {
    let dark = Lighting { key: Vec3::ZERO, room: Vec3::ZERO, ..Lighting::default() };
    let lit = |style, lamp| {
        let lamps = vec![lamp];
        light_at(&picture(style, dark, SceneLight { lamps, ..SceneLight::default() }), 0)
    };
    let near = |range, beam| Lamp::Near { position: EYE, light: Vec3::new(0.0, 8.0, 0.0), range, beam };
    let beam = |direction| Some(Beam { direction, inner_angle: 0.2, outer_angle: 0.4 });
    for style in DrawStyle::ALL {
        let all = lit(style, near(50.0, None));
        assert!(all.y > 0.001 && all.x == 0.0 && all.z == 0.0, "{style:?}: in green light the water is {all}");
        let distant = lit(style, Lamp::Distant { towards: -forward(), light: Vec3::new(0.0, 4.0, 0.0) });
        assert!(distant.y > 0.001 && distant.x == 0.0, "{style:?}: in distant green light the water is {distant}");
        assert_eq!(lit(style, near(1.0, None)), Vec3::ZERO, "{style:?}: beyond the range");
        let aimed = lit(style, near(50.0, beam(forward())));
        assert!((aimed - all).length() < 0.05 * all.length(), "{style:?}: in the beam {aimed}, and without one {all}");
        assert_eq!(lit(style, near(50.0, beam(Vec3::X))), Vec3::ZERO, "{style:?}: beside the beam");
    }
}
