//! Shadows between water and the meshes of Bevy's own renderer, in both directions. The program does without that
//! renderer, so the tests need its feature: `cargo test --test app --features bevy_scene bevy_shadows`.

use bevy::light::NotShadowCaster;
use bevy::prelude::*;
use image::RgbaImage;

use crate::bevy_world::{World, is_red};

/// Mean brightness of the water left and right of the middle of the picture, in sRGB bytes.
fn halves(picture: &RgbaImage) -> [f32; 2] {
    let mut sums = [Vec2::ZERO; 2];
    for (x, _, pixel) in picture.enumerate_pixels().filter(|(.., pixel)| !is_red(**pixel)) {
        // The shadow's edge is left out.
        let half = match x.cast_signed() - picture.width().cast_signed() / 2 {
            ..-3 => 0,
            3.. => 1,
            _ => continue,
        };
        sums[half] += Vec2::new(f32::from(pixel[1]) + f32::from(pixel[2]), 2.0);
    }
    sums.map(|sum| sum.x / sum.y)
}

#[test]
fn a_mesh_darkens_the_water_where_its_shadow_falls() {
    let mut world = World::with_water();
    world.app.insert_resource(GlobalAmbientLight { brightness: 5.0, ..default() });
    let sun = DirectionalLight { shadow_maps_enabled: true, ..default() };
    world.app.world_mut().spawn((sun, Transform::from_xyz(0.0, 4.0, 4.0).looking_at(Vec3::ZERO, Vec3::Y)));
    let lit = halves(&world.picture());

    // Above the camera's picture, between the sun and the right half of the water.
    let mesh = world.app.world_mut().resource_mut::<Assets<Mesh>>().add(Cuboid::new(3.0, 0.1, 3.0));
    let material = world.app.world_mut().resource_mut::<Assets<StandardMaterial>>().add(Color::WHITE);
    let place = Transform::from_xyz(1.5, 3.5, 3.0);
    let roof = world.app.world_mut().spawn((Mesh3d(mesh), MeshMaterial3d(material), place)).id();
    let shaded = halves(&world.picture());
    assert!(shaded[1] < 0.75 * lit[1], "under the roof the water is {}, and {} without it", shaded[1], lit[1]);
    assert!((shaded[0] - lit[0]).abs() < 0.05 * lit[0], "beside the shadow it is {} and not {}", shaded[0], lit[0]);

    let main = world.main_water();
    world.app.world_mut().get_mut::<Transform>(main).expect("water has a place").rotate_y(0.5);
    let turned = halves(&world.picture());
    assert!(turned[1] < 0.75 * turned[0], "with turned water the shadow is {} and the light {}", turned[1], turned[0]);
    *world.app.world_mut().get_mut::<Transform>(main).expect("water has a place") = Transform::IDENTITY;

    world.app.world_mut().entity_mut(roof).insert(NotShadowCaster);
    let again = halves(&world.picture());
    assert!((again[1] - lit[1]).abs() < 0.02 * lit[1], "a mesh without a shadow: {} and not {}", again[1], lit[1]);
}

#[test]
fn water_darkens_a_mesh_where_its_shadow_falls() {
    let mut world = World::with_water();
    world.remove_wall();
    world.app.insert_resource(GlobalAmbientLight { brightness: 5.0, ..default() });
    let sun = DirectionalLight { shadow_maps_enabled: true, illuminance: 3_000.0, ..default() };
    world.app.world_mut().spawn((sun, Transform::from_xyz(-4.0, 4.0, 1.0).looking_at(Vec3::ZERO, Vec3::Y)));
    let mesh = world.app.world_mut().resource_mut::<Assets<Mesh>>().add(Cuboid::new(6.0, 0.1, 4.0));
    let material = StandardMaterial { perceptual_roughness: 1.0, reflectance: 0.0, ..Color::WHITE.into() };
    let material = world.app.world_mut().resource_mut::<Assets<StandardMaterial>>().add(material);
    let below = Transform::from_xyz(0.0, -0.05, 0.0);
    world.app.world_mut().spawn((Mesh3d(mesh), MeshMaterial3d(material), below));

    let main = world.main_water();
    let shaded = world.picture();
    *world.app.world_mut().get_mut::<Visibility>(main).expect("water can be hidden") = Visibility::Hidden;
    let lit = world.picture();
    // The light comes from the left, so that 0.6 m of water throw a shadow 0.6 m long to the right of the tank.
    let places = [Vec3::new(0.75, 0.0, 0.1), Vec3::new(-0.9, 0.0, 0.1), Vec3::new(1.6, 0.0, 0.1)];
    let [shadow, left, beyond] = places.map(|place| {
        let UVec2 { x, y } = world.pixel_of(place);
        let light = |picture: &RgbaImage| f32::from(picture.get_pixel(x, y)[1]);
        light(&shaded) / light(&lit)
    });
    assert!(shadow < 0.8, "in the shadow of the water the mesh has {shadow} of its brightness");
    assert!((left - 1.0).abs() < 0.03, "on the side of the light it has {left}");
    assert!((beyond - 1.0).abs() < 0.03, "beyond the shadow it has {beyond}");
}
