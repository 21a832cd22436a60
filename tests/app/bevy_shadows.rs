//! Shadows that meshes of Bevy's own renderer throw on water. The program does without that renderer, so the test needs
//! its feature: `cargo test --test app --features bevy_scene bevy_shadows`.

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
