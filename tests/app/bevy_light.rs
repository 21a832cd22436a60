//! Light between water and the meshes of Bevy's own renderer: shadows in both directions, transparent meshes, and
//! environment maps. The program does without that renderer, so the tests need its feature:
//! `cargo test --test app --features bevy_scene bevy_light`.

use bevy::light::{EnvironmentMapLight, NotShadowCaster};
use bevy::prelude::*;
use image::RgbaImage;

use nearwater::app::Controls;
use nearwater::render::DrawStyle;

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

/// A roof between the lamp and the right half of the water darkens it, wherever Bevy keeps the lamp's maps of shadows.
#[test]
fn a_mesh_darkens_the_water_in_the_light_of_lamps() {
    let power = 4_000_000.0;
    let lamp_at = Transform::from_xyz(0.0, 4.0, 4.0).looking_at(Vec3::new(0.0, 0.4, 0.0), Vec3::Y);
    let spot = || SpotLight { intensity: power, range: 50.0, shadow_maps_enabled: true, outer_angle: 0.6, ..default() };
    let point = || PointLight { intensity: power, range: 50.0, shadow_maps_enabled: true, ..default() };
    for others in [false, true] {
        for is_spot in [false, true] {
            let context = format!("a spot light: {is_spot}, with others: {others}");
            let mut world = World::with_water();
            world.app.insert_resource(GlobalAmbientLight { brightness: 0.0, ..default() });
            if others {
                // Lights with maps of their own, which take the first layers, and shine away from the water.
                let away = Transform::from_xyz(0.0, 4.0, 8.0).looking_to(Vec3::Z, Vec3::Y);
                world.app.world_mut().spawn((SpotLight { range: 1.0, ..spot() }, away));
                world.app.world_mut().spawn((PointLight { range: 1.0, ..point() }, away));
                let sun = DirectionalLight { illuminance: 1.0, shadow_maps_enabled: true, ..default() };
                world.app.world_mut().spawn((sun, away));
            }
            let lamp = if is_spot {
                world.app.world_mut().spawn((spot(), lamp_at)).id()
            } else {
                world.app.world_mut().spawn((point(), lamp_at)).id()
            };
            let lit = halves(&world.picture());
            assert!(lit[0] > 20.0, "{context}: the lamp does not shine: {lit:?}");
            let mesh = world.app.world_mut().resource_mut::<Assets<Mesh>>().add(Cuboid::new(3.0, 0.1, 3.0));
            let material = world.app.world_mut().resource_mut::<Assets<StandardMaterial>>().add(Color::WHITE);
            let place = Transform::from_xyz(1.5, 2.6, 2.6);
            world.app.world_mut().spawn((Mesh3d(mesh), MeshMaterial3d(material), place));
            let shaded = halves(&world.picture());
            assert!(shaded[1] < 0.5 * lit[1], "{context}: under the roof the water is {}, not {}", shaded[1], lit[1]);
            assert!(
                (shaded[0] - lit[0]).abs() < 0.05 * lit[0],
                "{context}: beside it {} and not {}",
                shaded[0],
                lit[0]
            );
            if is_spot {
                world.app.world_mut().get_mut::<SpotLight>(lamp).expect("a light").shadow_maps_enabled = false;
            } else {
                world.app.world_mut().get_mut::<PointLight>(lamp).expect("a light").shadow_maps_enabled = false;
            }
            let again = halves(&world.picture());
            assert!(
                (again[1] - lit[1]).abs() < 0.02 * lit[1],
                "{context}: without a map {} and not {}",
                again[1],
                lit[1]
            );
        }
    }
}

/// A blue pane that hides nothing else, behind the water, in front of it, and of a kind that is not there.
#[test]
fn transparent_meshes_are_seen_through_clear_water_and_before_it() {
    for samples in [1, 4] {
        let mut world = World::with_samples(samples);
        world.app.world_mut().resource_mut::<Controls>().style = DrawStyle::Water;
        let without = world.picture();
        let middle = world.pixel_of(Vec3::new(0.0, 0.3, 0.0));
        let beside = UVec2::new(20, middle.y);
        let mesh = world.app.world_mut().resource_mut::<Assets<Mesh>>().add(Cuboid::new(12.0, 6.0, 0.02));
        let material = StandardMaterial {
            base_color: Color::linear_rgba(0.0, 0.0, 1.0, 0.5),
            unlit: true,
            alpha_mode: AlphaMode::Blend,
            ..default()
        };
        let material = world.app.world_mut().resource_mut::<Assets<StandardMaterial>>().add(material);
        let behind = Transform::from_xyz(0.0, 0.5, -2.0);
        let pane = world.app.world_mut().spawn((Mesh3d(mesh), MeshMaterial3d(material), behind)).id();
        let seen = world.picture();
        let pixel = |picture: &RgbaImage, place: UVec2| picture.get_pixel(place.x, place.y).0.map(i32::from);
        let (through, clear) = (pixel(&seen, middle), pixel(&without, middle));
        assert!(
            through[2] > clear[2] + 60,
            "{samples} samples: behind the water the pane shows {through:?}, not {clear:?}"
        );
        let open = pixel(&seen, beside);
        assert!(
            open[2] > 150 && open[0] > 150,
            "{samples} samples: beside the water, half a pane over red is {open:?}"
        );

        world.app.world_mut().get_mut::<Transform>(pane).expect("it has a place").translation.z = 2.0;
        let before = pixel(&world.picture(), middle);
        // Half of the pane's light, over half of the water's.
        assert!(before[2] > clear[2] + 60, "{samples} samples: before the water the pane shows {before:?}");
        let same = pixel(&world.picture(), beside);
        assert!((same[2] - open[2]).abs() < 4, "{samples} samples: beside the water {same:?}, and behind it {open:?}");

        let main = world.main_water();
        *world.app.world_mut().get_mut::<Visibility>(main).expect("water can be hidden") = Visibility::Hidden;
        let dry = pixel(&world.picture(), middle);
        assert!((dry[2] - open[2]).abs() < 4, "{samples} samples: without water {dry:?}, and not {open:?}");
    }
}

#[test]
fn the_environment_map_of_the_camera_lights_the_water() {
    let mut world = World::with_water();
    world.app.insert_resource(GlobalAmbientLight { brightness: 0.0, ..default() });
    let mean = |picture: &RgbaImage| {
        let shown: Vec<_> = picture.pixels().filter(|pixel| !is_red(**pixel)).collect();
        let channel = |index: usize| shown.iter().map(|pixel| f32::from(pixel[index])).sum::<f32>();
        Vec3::new(channel(0), channel(1), channel(2)) / shown.len().max(1) as f32
    };
    for style in [DrawStyle::Beads, DrawStyle::Water] {
        world.app.world_mut().resource_mut::<Controls>().style = style;
        let usual = mean(&world.picture());
        let (green, blue) = (Color::linear_rgb(0.0, 1.0, 0.0), Color::linear_rgb(0.0, 0.0, 1.0));
        let mut images = world.app.world_mut().resource_mut::<Assets<Image>>();
        let mut map = EnvironmentMapLight::hemispherical_gradient(&mut images, green, Color::BLACK, blue);
        map.intensity = 3_000.0;
        let camera = world.camera();
        world.app.world_mut().entity_mut(camera).insert(map);
        let lit = mean(&world.picture());
        // The water is seen from above, so that its top shows the upper half of the surroundings. Without other lights,
        // there is no lamp of the renderer either.
        assert!(lit.y > 20.0 && lit.y > lit.z, "{style:?}: under a green sky the water is {lit}");
        world.app.world_mut().get_mut::<EnvironmentMapLight>(camera).expect("a map").intensity = 3.0;
        let dark = mean(&world.picture());
        assert!(dark.y < 0.3 * lit.y, "{style:?}: in a thousandth of the light the water is {dark} and not {lit}");
        world.app.world_mut().get_mut::<EnvironmentMapLight>(camera).expect("a map").intensity = 3_000.0;
        world.app.world_mut().get_mut::<EnvironmentMapLight>(camera).expect("a map").rotation =
            Quat::from_rotation_x(std::f32::consts::PI);
        let turned = mean(&world.picture());
        assert!(turned.z > turned.y, "{style:?}: with the map upside down the water is {turned}");
        world.app.world_mut().entity_mut(camera).remove::<EnvironmentMapLight>();
        let again = mean(&world.picture());
        assert!((again - usual).length() < 3.0, "{style:?}: without the map the water is {again} and not {usual}");
    }
}
