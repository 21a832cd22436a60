//! The light of a caller's scene on water that stands in the caller's picture, on any adapter: lamps, the shadows of
//! the scene's meshes, and its surroundings.

use glam::{Mat3, Mat4, Vec3, Vec4};
use nearwater::render::{
    Beam, DrawStyle, Drawn, Environment, Lamp, LampMaps, Lighting, Look, SceneLight, SceneShadows, ShadowMap,
    Surroundings,
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

/// Shadows of the key light alone.
pub fn shadows<'a>(depths: &'a wgpu::Texture, maps: &[ShadowMap]) -> SceneShadows<'a> {
    SceneShadows { depths, faces: None, maps: maps.to_vec(), of_lamps: Vec::new() }
}

fn picture(style: DrawStyle, lighting: Lighting, scene_light: SceneLight<'_>) -> Outcome {
    let look = Look { lighting, surroundings: Surroundings::Light, ..water(style) };
    let particles = block();
    draw(
        1,
        &Wall { color: [0.0; 3], distance: 4.0, ..Wall::default() },
        &look,
        &Drawn { scene_light, ..particles.drawn() },
    )
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
        let shadows = Some(shadows(&depths, maps));
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

/// A map as a camera at `from` sees the scene with right angles along its edges.
fn face(from: Vec3, towards: Vec3, layer: u32) -> ShadowMap {
    let up = if towards.y.abs() > 0.9 { Vec3::X } else { Vec3::Y };
    let view = Mat4::look_to_rh(from, towards, up);
    let clip = Mat4::perspective_infinite_reverse_rh(std::f32::consts::FRAC_PI_2, 1.0, 0.1);
    ShadowMap { clip_from_world: clip * view, layer }
}

#[test]
fn meshes_between_a_lamp_and_the_water_darken_it_and_no_other_light() {
    let textures = maps();
    let dark = Lighting { key: Vec3::ZERO, room: Vec3::ZERO, ..Lighting::default() };
    let lamp = |light| Lamp::Near { position: EYE, light, range: 50.0, beam: None };
    let (green, blue) = (Vec3::new(0.0, 8.0, 0.0), Vec3::new(0.0, 0.0, 8.0));
    let faces = |layer: u32| {
        let directions = [Vec3::X, -Vec3::X, Vec3::Y, -Vec3::Y, Vec3::Z, -Vec3::Z];
        let maps = directions.map(|towards| face(EYE, towards, layer)).to_vec();
        LampMaps { are_faces: true, maps }
    };
    // As of a spot light that sees all of the block.
    let cone = |layer| LampMaps { are_faces: false, maps: vec![face(EYE, forward(), layer)] };
    let away = LampMaps { are_faces: false, maps: vec![face(EYE, -forward(), 1)] };
    for style in DrawStyle::ALL {
        let seen = |of_lamps: Vec<LampMaps>, faces: Option<&wgpu::Texture>| {
            let shadows = Some(SceneShadows { depths: &textures, faces, maps: Vec::new(), of_lamps });
            let lamps = vec![lamp(green), lamp(blue)];
            light_at(&picture(style, dark, SceneLight { lamps, shadows, ..SceneLight::default() }), 0)
        };
        let all = seen(Vec::new(), None);
        assert!(all.y > 1e-3 && all.z > 1e-3, "{style:?}: in green and blue light the water is {all}");
        for (lit, shaded, texture) in [(faces(0), faces(1), Some(&textures)), (cone(0), cone(1), None)] {
            let open = seen(vec![lit], texture);
            assert!((open - all).length() < 1e-3 * all.length(), "{style:?}: empty maps change {all} to {open}");
            let only_blue = seen(vec![shaded.clone()], texture);
            assert!(
                only_blue.y < 1e-6 && (only_blue.z - all.z).abs() < 1e-3 * all.z,
                "{style:?}: with the green lamp in shadow the water is {only_blue}, and without shadows {all}"
            );
            let only_green = seen(vec![LampMaps::default(), shaded], texture);
            assert!(only_green.z < 1e-6 && only_green.y > 1e-3, "{style:?}: with the blue one {only_green}");
        }
        let beyond = seen(vec![away.clone()], None);
        assert!((beyond - all).length() < 1e-3 * all.length(), "{style:?}: a map behind the lamp: {beyond}, not {all}");
    }
}

/// A cube that shows `above` in the upper half and `below` in the lower half, in two levels.
fn cube([above, below]: [[u8; 4]; 2]) -> wgpu::Texture {
    let gpu = gpu();
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("surroundings"),
        size: wgpu::Extent3d { width: 2, height: 2, depth_or_array_layers: 6 },
        mip_level_count: 2,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba8Unorm,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    // The faces are those towards +x, -x, +y, -y, +z and -z; rows of the sides go downwards.
    let side = [above, above, below, below];
    for (layer, face) in (0..).zip([side, side, [above; 4], [below; 4], side, side]) {
        for (level, size) in [(0, 2), (1, 1)] {
            let origin = wgpu::Origin3d { x: 0, y: 0, z: layer };
            let place = wgpu::TexelCopyTextureInfo {
                texture: &texture,
                mip_level: level,
                origin,
                aspect: wgpu::TextureAspect::All,
            };
            let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(4 * size), rows_per_image: None };
            let extent = wgpu::Extent3d { width: size, height: size, depth_or_array_layers: 1 };
            gpu.queue.write_texture(place, face.as_flattened(), layout, extent);
        }
    }
    texture
}

/// The face of the block that is seen looks downwards, so that it shows what is below; with turned surroundings, what
/// is above.
#[test]
fn the_surroundings_of_the_scene_light_the_water_in_place_of_its_own() {
    let green_above = cube([[0, 255, 0, 255], [255, 0, 0, 255]]);
    let dark = Lighting { key: Vec3::ZERO, room: Vec3::ZERO, ..Lighting::default() };
    assert!(forward().y > 0.0, "the camera looks up at the block");
    for style in DrawStyle::ALL {
        let seen = |turned: bool, strength: f32| {
            let cube_from_world = if turned { Mat3::from_diagonal(Vec3::new(1.0, -1.0, -1.0)) } else { Mat3::IDENTITY };
            let textures = [&green_above, &green_above];
            let features = gpu().device.features();
            let environment = Environment::new(textures, features, (cube_from_world, strength));
            assert!(environment.is_some(), "a cube of bytes can be filtered");
            light_at(&picture(style, dark, SceneLight { environment, ..SceneLight::default() }), 0)
        };
        let (upright, turned) = (seen(false, 1.0), seen(true, 1.0));
        assert!(upright.x > 2.0 * upright.y && upright.x > 1e-3, "{style:?}: over a red ground the water is {upright}");
        assert!(turned.y > 2.0 * turned.x && turned.y > 1e-3, "{style:?}: over a green ground the water is {turned}");
        let bright = seen(false, 4.0);
        assert!((bright.x / upright.x - 4.0).abs() < 0.2, "{style:?}: four times as bright, {upright} is {bright}");
        assert_eq!(seen(false, 0.0), Vec3::ZERO, "{style:?}: without any light");
    }
    let flat = maps();
    let refused = Environment::new([&flat, &green_above], gpu().device.features(), (Mat3::IDENTITY, 1.0));
    assert!(refused.is_none(), "a map of shadows is no surroundings");
}
