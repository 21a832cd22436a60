//! Tests of how scene files are read, and of the messages of refused ones.

use std::f32::consts::PI;
use std::path::Path;

use glam::Vec3;

use super::{Axis, BlockShape, CentralGravity, Scene, SceneEdits};
use crate::fluid::{Dimensions, Material, SceneError, Solver, SolverSettings, lattice};

const GOOD: &str = "\
// A comment: with a colon.
(
    title: \"Test\",
    description: \"A block.\",
    low: (-5.0, 0.0, -1.5),
    high: (5.0, 6.0, 1.5),
    blocks: [
        (low: (-5.0, 0.0, -1.5), high: (-1.0, 4.0, 1.5)),
    ],
    gravity: (0.0, -9.81, 0.0), // Down: a long way.
    material: (rest_density: 1000.0, sound_speed_factor: 10.0, viscosity: 0.08,
        radius_ratio: 2.2),
    camera: (
        eye: (5.5, 5.5, 11.0),
        target: (0.0, 1.4, 0.0),
        vertical_fov_degrees: 40.0,
    ),
)
";

fn error(edit: (&str, &str)) -> SceneError {
    let text = GOOD.replacen(edit.0, edit.1, 1);
    assert_ne!(text, GOOD, "the edit {edit:?} changes nothing");
    Scene::parse("mine.ron", &text).expect_err("the edit spoils the scene")
}

fn line_of(text: &str) -> usize {
    1 + GOOD.lines().position(|line| line.contains(text)).expect("the scene has that line")
}

/// Asserts that the error names file, line and field, both in its fields and in its message.
fn assert_syntax(edit: (&str, &str), expected_line: usize, expected_field: &str) {
    let error = error(edit);
    let SceneError::Syntax { file, line, field, .. } = &error else { panic!("{edit:?}: {error}") };
    assert_eq!((file.as_str(), *line, field.as_str()), ("mine.ron", expected_line, expected_field), "{error}");
    let sentence = error.to_string();
    assert!(sentence.starts_with(&format!("mine.ron, line {expected_line}, column ")), "{sentence}");
    assert!(sentence.contains(&format!("field {expected_field}")), "{sentence}");
}

#[test]
fn errors_in_ron_name_file_line_and_field() {
    assert_syntax(("rest_density: 1000.0", "rest_density: water"), line_of("rest_density: 1"), "rest_density");
    assert_syntax(("gravity: (0.0, -9.81, 0.0)", "gravity: (0.0, -9.81)"), line_of("gravity: (0.0, -9"), "gravity");
    assert_syntax(("viscosity: 0.08", "viscosity: \"thick\""), line_of("viscosity: 0"), "viscosity");
}

#[test]
fn misspelled_and_missing_fields_are_named() {
    assert_syntax(("viscosity: 0", "viscocity: 0"), line_of("viscosity: 0"), "viscocity");
    assert_syntax(("gravity: (0.0, -9.81, 0.0),", ""), GOOD.lines().count(), "gravity");
}

#[test]
fn invalid_values_are_refused_by_name() {
    let refused = [
        (("high: (5.0, 6.0, 1.5)", "high: (-5.0, 6.0, 1.5)"), "field high"),
        (("rest_density: 1000.0", "rest_density: 0.0"), "material.rest_density"),
        (("radius_ratio: 2.2", "radius_ratio: 20.0"), "material.radius_ratio"),
        (("vertical_fov_degrees: 40.0", "vertical_fov_degrees: 0.0"), "camera.vertical_fov_degrees"),
        (("eye: (5.5, 5.5, 11.0)", "eye: (inf, 5.5, 11.0)"), "camera.eye"),
        (("blocks: [", "blocks: [(low: (-2.0, 0.0, 0.0), high: (0.0, 1.0, 1.0)),"), "blocks[1]"),
    ];
    for (edit, name) in refused {
        let sentence = error(edit).to_string();
        assert!(sentence.contains(name) && sentence.starts_with("mine.ron"), "{sentence}");
    }
}

#[test]
fn the_message_of_a_misspelled_field_lists_the_nearest_names() {
    let sentence = error(("viscosity: 0", "xshp: 0.1, viscosity: 0")).to_string();
    assert!(sentence.contains("field xshp") && sentence.contains("nearest names are xsph"), "{sentence}");
    let sentence = error(("camera: (", "pbf: (iteration: 3),\n    camera: (")).to_string();
    assert!(sentence.contains("field iteration") && sentence.contains("iterations"), "{sentence}");
}

/// The lists of solids are not fields of the struct, but are read and refused like those.
#[test]
fn errors_in_the_lists_of_solids_name_line_and_field() {
    let gravity = line_of("gravity");
    let with = |lists: &str| format!("{lists}\n    gravity: (0.0");
    let assert_refused = |lists: &str, field: &str| assert_syntax(("gravity: (0.0", &with(lists)), gravity, field);
    assert_refused("boundries: [],", "boundries");
    assert_refused("boundaries: [Sphere(center: (0.0, 0.0, 0.0), raduis: 1.0)],", "raduis");
    assert_refused("boundaries: [Spere(center: (0.0, 0.0, 0.0), radius: 1.0)],", "boundaries");
    assert_refused("bodies: [(shape: Sphere(radius: 0.2), position: (0.0, 1.0))],", "position");
    assert_refused("cloths: [(corner: (0.0, 0.0, 0.0), density: heavy)],", "density");
    assert_refused("bodies: [], bodies: [],", "bodies");
    for (lists, nearest) in [("boundries: [],", "names are boundaries"), ("bodies: [(shap: 1)],", "names are shape")] {
        let sentence = error(("gravity: (0.0", &with(lists))).to_string();
        assert!(sentence.contains(nearest), "{sentence}");
    }
}

#[test]
fn the_defaults_of_a_scene_are_plain_water_in_three_dimensions() {
    let scene = Scene::parse("mine.ron", GOOD).expect("a good scene");
    assert_eq!((scene.solver, scene.dimensions), (Solver::default(), Dimensions::Three));
    assert_eq!(
        (&scene.solver_settings, &scene.central_gravity),
        (&SolverSettings::default(), &CentralGravity::default())
    );
    let plain = Material { kinematic_viscosity: 0.0, xsph: 0.0, surface_tension: 0.0, ..scene.material.clone() };
    assert_eq!(scene.material, plain);
}

#[test]
fn every_setting_is_read_and_refused_where_it_is_invalid() {
    let more = "
dimensions: 2,
solver: Pbf,
central_gravity: (center: (0.0, 1.0, 0.0), strength: 4.0),
pbf: (frame: 0.02, substeps: 4, iterations: 6, relaxation: 0.1, tensile: 0.0, vorticity: 0.1),
camera: (";
    let text = GOOD.replacen("\n    camera: (", more, 1).replacen("radius_ratio", "xsph: 0.1, radius_ratio", 1);
    let scene = Scene::parse("mine.ron", &text).expect("a good scene");
    assert_eq!((scene.solver.name(), scene.dimensions), ("pbf", Dimensions::Two));
    let mut expected = SolverSettings::default();
    for chosen in ["frame=0.02", "substeps=4", "iterations=6", "relaxation=0.1", "tensile=0", "vorticity=0.1"] {
        expected.parse(&format!("pbf.{chosen}")).expect("a setting");
    }
    assert_eq!(scene.solver_settings, expected);
    assert_eq!(scene.material, Material { xsph: 0.1, ..scene.material.clone() });
    let refused = [
        ("dimensions: 2", "dimensions: 4", "must be 2 or 3"),
        ("iterations: 6", "iterations: 0", "pbf.iterations"),
        ("iterations: 6", "iterations: 17", "from 1 to 16"),
        ("frame: 0.02", "frame: NaN", "pbf.frame"),
        ("xsph: 0.1", "xsph: -0.1", "material.xsph"),
        ("strength: 4.0", "strength: -1.0", "central_gravity.strength"),
        ("solver: Pbf", "solver: Pfb", "solver"),
        ("(0.0, -9.81, 0.0)", "(0.0, -9.81, 1.0)", "no z component in a scene of 2 dimensions"),
    ];
    for (from, to, name) in refused {
        let wrong = text.replacen(from, to, 1);
        assert_ne!(wrong, text, "{from}");
        let sentence = Scene::parse("mine.ron", &wrong).expect_err("a refusal").to_string();
        assert!(sentence.starts_with("mine.ron") && sentence.contains(name), "{to}: {sentence}");
    }
}

#[test]
fn an_ambient_pressure_is_read_refused_and_kept() {
    let with = |solver: &str, pressure: &str| {
        let material = format!("ambient_pressure: {pressure}, radius_ratio");
        GOOD.replacen("radius_ratio", &material, 1).replacen(
            "\n    camera: (",
            &format!("\n    {solver}, camera: ("),
            1,
        )
    };
    let read = |text: &str| Scene::parse("mine.ron", text);
    for solver in ["solver: Dfsph", "solver: Pbf", "solver: Wcsph, wcsph: (accurate: 1)"] {
        let scene = read(&with(solver, "101325.0")).expect(solver);
        assert!((scene.material.ambient_pressure - 101_325.0).abs() < 1e-3, "{solver}");
        for (pressure, mend) in [("-1.0", "from 0 to"), ("NaN", "from 0 to"), ("inf", "from 0 to")] {
            let sentence = read(&with(solver, pressure)).expect_err(pressure).to_string();
            assert!(sentence.contains("material.ambient_pressure") && sentence.contains(mend), "{sentence}");
        }
    }
    let sentence = read(&with("solver: Wcsph", "101325.0")).expect_err("the plain mode").to_string();
    assert!(sentence.contains("material.ambient_pressure") && sentence.contains("wcsph.accurate"), "{sentence}");

    // Edits are what saved states contain; states of earlier programs have materials without it, whose text must not
    // change.
    let text = with("solver: Dfsph", "0.0");
    let scene = read(&text).expect("0 is none given");
    assert!(!format!("{:?}", scene.material).contains("ambient_pressure"));
    let material = Material { ambient_pressure: 2000.5, ..scene.material.clone() };
    assert!(format!("{material:?}").contains("2000.5"));
    let edits = SceneEdits { material: Some(material), ..SceneEdits::default() };
    let saved = ron::to_string(&edits).expect("edits are written");
    assert_eq!(ron::from_str::<SceneEdits>(&saved).expect("and read"), edits);
    let edited = scene.edited_text(&text, &edits, None, Path::new("mine.ron")).expect("it is saved as a scene");
    assert_eq!(read(&edited).expect("and read").material, edits.applied_to(&scene).material);
}

#[test]
fn fluid_outside_the_box_is_refused_with_the_extents_of_both() {
    let error = error(("high: (-1.0, 4.0, 1.5)", "high: (-1.0, 7.0, 1.5)"));
    assert!(matches!(error, SceneError::OutsideBox { block: 0, .. }), "{error}");
    assert!(error.to_string().contains("blocks[0]") && error.to_string().contains("[5, 6, 1.5]"), "{error}");
}

#[test]
fn invalid_emitters_and_drains_are_refused() {
    let poured = "reservoir: 1.0, emitters: [(center: (0.0, 5.0, 0.0), radius: 0.5, velocity: (0.0, -1.0, 0.0))],
        drains: [(low: (0.0, 0.0, 0.0), high: (1.0, 1.0, 1.0))], gravity";
    let text = GOOD.replacen("gravity", poured, 1);
    let scene = Scene::parse("mine.ron", &text).expect("a good scene");
    assert_eq!((scene.emitters.len(), scene.drains.len()), (1, 1));
    for (from, to, expected) in [
        ("reservoir: 1.0", "reservoir: 0.0", "field reservoir: is empty"),
        ("reservoir: 1.0", "reservoir: -1.0", "field reservoir: must be"),
        ("(0.0, 5.0, 0.0)", "(0.0, 7.0, 0.0)", "field emitters[0].center"),
        ("radius: 0.5", "radius: 0.0", "field emitters[0].radius"),
        ("(0.0, -1.0, 0.0)", "(0.0, 0.0, 0.0)", "field emitters[0].velocity"),
        ("high: (1.0, 1.0, 1.0)", "high: (1.0, 0.0, 1.0)", "field drains[0].high"),
    ] {
        let sentence = Scene::parse("mine.ron", &text.replacen(from, to, 1)).expect_err(expected).to_string();
        assert!(sentence.contains(expected), "{sentence}");
    }
}

#[test]
fn shapes_and_velocity_fields_of_blocks_are_read_and_checked() {
    let block = "blocks: [(low: (0.0, 1.0, -1.0), high: (2.0, 3.0, 1.0), shape: Cylinder(Y), velocity: (1.0, 0.0, 0.0),
        fields: [Rotation(center: (1.0, 2.0, 0.0), rate: (0.0, 0.0, 2.0)),
            Strain(center: (1.0, 2.0, 0.0), rate: (0.5, -0.5, 0.0)),
            Shear(center: (1.0, 2.0, 0.0), along: (1.0, 0.0, 0.0), across: (0.0, 1.0, 0.0), rate: 3.0)]),";
    let text = GOOD.replacen("blocks: [", block, 1);
    let scene = Scene::parse("mine.ron", &text).expect("a good scene");
    assert_eq!(scene.blocks[0].shape, BlockShape::Cylinder(Axis::Y));
    // At a distance of (0, 1, 0) from the center: (-2, 0) by the rotation, (0, -0.5) and (3, 0).
    let velocity = scene.blocks[0].velocity_at(Vec3::new(1.0, 3.0, 0.0));
    assert!((velocity - Vec3::new(2.0, -0.5, 0.0)).length() < 1e-6, "{velocity}");
    let flat = |text: &str| text.replacen("gravity", "dimensions: 2, gravity", 1);
    assert!(Scene::parse("mine.ron", &flat(&text)).is_ok());
    for (from, to, expected) in [
        ("Cylinder(Y)", "Cone", "shape"),
        ("rate: (0.0, 0.0, 2.0)", "rate: (0.0, inf, 2.0)", "field blocks[0].fields[0].rate: must be finite"),
        (
            "(0.5, -0.5, 0.0)",
            "(0.5, 0.5, 0.0)",
            "field blocks[0].fields[1].rate: must have components whose sum is zero",
        ),
        ("across: (0.0, 1.0", "across: (1.0, 1.0", "field blocks[0].fields[2].across: must be at right angles"),
        ("across: (0.0, 1.0", "across: (0.0, 0.0", "field blocks[0].fields[2].across: must be a direction"),
        ("velocity: (1.0, 0.0", "velocity: (inf, 0.0", "field blocks[0].velocity: must be finite"),
    ] {
        let wrong = text.replacen(from, to, 1);
        assert_ne!(wrong, text, "{from}");
        let sentence = Scene::parse("mine.ron", &wrong).expect_err(expected).to_string();
        assert!(sentence.contains(expected), "{sentence}");
    }
    for (from, to, expected) in [
        ("rate: (0.0, 0.0, 2.0)", "rate: (0.0, 1.0, 2.0)", "fields[0].rate: must have a z component only"),
        ("(0.5, -0.5, 0.0)", "(0.5, 0.0, -0.5)", "fields[1].rate: must have no z component"),
        ("across: (0.0, 1.0, 0.0)", "across: (0.0, 0.0, 1.0)", "fields[2].along: must have no z component"),
        ("velocity: (1.0, 0.0, 0.0)", "velocity: (1.0, 0.0, 1.0)", "blocks[0].velocity: must have no z component"),
    ] {
        let wrong = flat(&text.replacen(from, to, 1));
        let sentence = Scene::parse("mine.ron", &wrong).expect_err(expected).to_string();
        assert!(sentence.contains(expected), "{sentence}");
    }
}

#[test]
fn round_blocks_hold_the_particles_of_their_volume_with_the_velocities_of_their_fields() {
    let field = "shape: Ball, fields: [Rotation(center: (-3.0, 2.0, 0.0), rate: (0.0, 0.0, 2.0))]";
    let edit = format!("high: (-1.0, 4.0, 1.5), {field}");
    let text = GOOD.replacen("high: (-1.0, 4.0, 1.5)", &edit, 1);
    for dimensions in ["2", "3"] {
        let text = text.replacen("gravity", &format!("dimensions: {dimensions}, gravity"), 1);
        let scene = Scene::parse("mine.ron", &text).expect("a good scene");
        let spacing = 0.05_f32;
        let placed = lattice::fill_alone(&scene, spacing, 1);
        assert_eq!(placed.len() as u64, lattice::count(&scene, spacing), "the number that was counted before");
        // Half extents of 2, 2 and 1.5 m.
        let volume = if dimensions == "2" { PI * 4.0 } else { 4.0 / 3.0 * PI * 6.0 };
        let found = placed.len() as f32 * spacing.powi(dimensions.parse().expect("a number"));
        assert!((found / volume - 1.0).abs() < 0.02, "{dimensions}: {found}, not {volume}");
        for particle in &placed {
            let away = particle.position - Vec3::new(-3.0, 2.0, 0.0);
            assert!((particle.velocity - 2.0 * Vec3::Z.cross(away)).length() < 1e-5, "at {}", particle.position);
        }
    }
}

#[test]
fn a_scene_without_a_camera_sees_its_whole_box() {
    let from = GOOD.find("    camera: (").expect("the scene has a camera");
    let text = format!("{})\n", &GOOD[..from]);
    for flat in [false, true] {
        let text = if flat { text.replacen("gravity", "dimensions: 2, gravity", 1) } else { text.clone() };
        let scene = Scene::parse("mine.ron", &text).expect("a good scene");
        let camera = &scene.camera;
        let forward = (camera.target - camera.eye).normalize();
        let (right, tangent) =
            (forward.cross(Vec3::Y).normalize(), (0.5 * camera.vertical_fov_degrees.to_radians()).tan());
        let up = right.cross(forward);
        for number in 0..8 {
            let is_high = glam::BVec3::new(number & 1 != 0, number & 2 != 0, number & 4 != 0);
            let corner = Vec3::select(is_high, scene.high, scene.low);
            let corner = if flat { corner.with_z(0.0) } else { corner };
            let away = corner - camera.eye;
            let depth = away.dot(forward);
            assert!(away.dot(up).abs() < tangent * depth, "{corner} is above or below the picture");
            assert!(away.dot(right).abs() < 4.0 / 3.0 * tangent * depth, "{corner} is beside the picture");
        }
    }
}

#[test]
fn solids_in_two_dimensions_keep_to_the_plane() {
    let with = |lists: &str| format!("{lists} dimensions: 2, gravity");
    let parse = |lists: &str| Scene::parse("mine.ron", &GOOD.replacen("gravity", &with(lists), 1));
    let gate = "bodies: [(shape: Box(size: (0.1, 4.0, 1.0)), position: (0.0, 2.0, 0.0), rotation: (0.0, 0.0, 5.0),
        motion: Shuttle(to: (0.0, 5.0, 0.0), speed: 1.0))],";
    assert!(parse("boundaries: [Sphere(center: (1.0, 1.0, 0.0), radius: 0.5)],").is_ok());
    assert!(parse(gate).is_ok());
    let free = gate.replace("Shuttle(to: (0.0, 5.0, 0.0), speed: 1.0)", "Free").replace("4.0, 1.0)", "4.0, 9.0)");
    assert!(parse(&free).is_ok(), "it may be deeper than the tank");
    for (lists, expected) in [
        (
            "cloths: [(corner: (1.0, 1.0, 0.0), along: (1.0, 0.0, 0.0), across: (0.0, 0.0, 1.0), density: 2.0,
            stretch: 100.0, shear: 10.0, bend: 1.0)],"
                .to_owned(),
            "field cloths: are only possible",
        ),
        (gate.replace("(0.0, 5.0, 0.0), speed", "(0.0, 5.0, 1.0), speed"), "bodies[0].motion: must keep its z"),
        (gate.replace("(0.0, 0.0, 5.0)", "(5.0, 0.0, 0.0)"), "bodies[0].rotation: must be around z only"),
        (free.replace("2.0, 0.0)", "2.0, 0.1)"), "bodies[0].position: must be in the middle of the tank along z"),
        (free.replace("motion", "velocity: (0.0, 0.0, 1.0), motion"), "bodies[0].velocity: must have no part along z"),
        (
            gate.replace("Shuttle(to: (0.0, 5.0, 0.0), speed: 1.0)", "Turn(rate: (1.0, 0.0, 0.0))"),
            "bodies[0].motion: must turn around z only",
        ),
    ] {
        let sentence = parse(&lists).expect_err(expected).to_string();
        assert!(sentence.contains(expected), "{sentence}");
    }
}

#[test]
fn a_scene_without_fluid_is_refused() {
    let from = GOOD.find("        (low:").expect("the scene has a block");
    let to = from + GOOD[from..].find('\n').expect("more lines follow");
    let error = Scene::parse("mine.ron", &format!("{}{}", &GOOD[..from], &GOOD[to..])).expect_err("no fluid");
    assert!(error.to_string().contains("field blocks: there is no fluid"), "{error}");
}

#[test]
fn messages_name_the_nearest_scenes_or_the_path_of_a_missing_file() {
    let unknown = Scene::load("dambreak").expect_err("no such scene").to_string();
    assert!(unknown.contains("the nearest names are dam_break"), "{unknown}");
    let lost = Scene::load("/nowhere/mine.ron").expect_err("no such file").to_string();
    assert!(lost.contains("/nowhere/mine.ron"), "{lost}");
}
