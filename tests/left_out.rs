//! Tests what a library without some cargo features says of scenes that need them. In a build with these features there
//! is nothing to test: `cargo test --no-default-features --features fluid --test left_out`.
#![cfg(not(any(feature = "bodies", feature = "meshes", feature = "export")))]

use nearwater::fluid::Scene;

/// A scene with one more field.
fn refusal(field: &str) -> String {
    let text = format!(
        "(title: \"t\", description: \"d\", low: (0.0, 0.0, 0.0), high: (2.0, 2.0, 2.0), gravity: (0.0, -9.81, 0.0), \
         blocks: [(low: (0.0, 0.0, 0.0), high: (1.0, 1.0, 1.0))], material: (rest_density: 1000.0, viscosity: 0.0, \
         sound_speed_factor: 10.0, radius_ratio: 2.0), \
         {field}, camera: (eye: (1.0, 1.0, 5.0), target: (0.0, 0.0, 0.0), vertical_fov_degrees: 40.0))"
    );
    Scene::parse("mine.ron", &text).expect_err("the build lacks what the scene needs").to_string()
}

#[test]
fn a_scene_that_needs_a_missing_feature_is_refused_with_its_name() {
    let bodies = refusal("bodies: [(shape: Ball(radius: 0.1), density: 500.0, position: (1.0, 1.5, 1.0))]");
    assert!(bodies.contains("field bodies") && bodies.contains("cargo feature `bodies`"), "{bodies}");
    let mesh = refusal("boundaries: [(mesh: \"beach.obj\")]");
    assert!(mesh.contains("cargo feature `meshes`"), "{mesh}");
    let points = refusal("points: [(file: \"drops.csv\", spacing: 0.1)]");
    assert!(points.contains("drops.csv") && points.contains("cargo feature `export`"), "{points}");
}

#[test]
fn every_scene_of_the_program_is_read_or_refused_for_a_missing_feature() {
    let mut read = 0;
    for name in Scene::names() {
        match Scene::load(name) {
            Ok(_) => read += 1,
            Err(error) => assert!(error.to_string().contains("build it with the cargo feature"), "{name}: {error}"),
        }
    }
    assert!(read > 5, "only {read} scenes need neither bodies nor meshes");
}
