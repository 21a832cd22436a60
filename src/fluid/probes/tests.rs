//! Tests of the readings of probes for four particles, and of the probes that are refused.

use std::sync::Arc;

use glam::{DQuat, DVec3, Vec3};

use super::{
    MeasuredSolid, MeasuredSurface, PROBES, Probe, ProbeColumn, ProbeInput, ProbeSurface, WallLoad, first_fault,
    probe_list, probe_page,
};
use crate::files::Frame;
use crate::fluid::{Boundary, CentralGravity, Dimensions, Mesh, Scene, SmoothingKernel};

fn scene(probes: &str) -> Scene {
    let text = format!(
        "(title: \"\", description: \"\", low: (-1.0, 2.0, -1.0), high: (9.0, 12.0, 1.0),
        blocks: [(low: (-1.0, 2.0, -1.0), high: (9.0, 4.0, 1.0))], gravity: (0.0, -10.0, 0.0), probes: [{probes}],
        material: (rest_density: 1000.0, sound_speed_factor: 10.0, viscosity: 0.1, radius_ratio: 2.0),
        camera: (eye: (1.0, 1.0, 1.0), target: (0.0, 0.0, 0.0), vertical_fov_degrees: 40.0))"
    );
    Scene::parse("probed.ron", &text).unwrap_or_else(|error| panic!("{error}"))
}

/// Four particles: one above the other at x = 0, one a little beside them, and one far away and high up.
fn frame() -> Frame {
    Frame {
        time: 0.0,
        step: 0,
        indices: vec![0, 1, 2, 3],
        positions: vec![[0.0, 2.25, 0.0], [0.0, 2.75, 0.0], [0.5, 3.25, 0.0], [8.0, 10.0, 0.0]],
        velocities: vec![[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 0.0], [-3.0, 0.0, 4.0]],
        densities: vec![1010.0, 990.0, 1030.0, 500.0],
        pressures: vec![300.0, 100.0, 0.0, 0.0],
    }
}

fn readings(scene: &Scene, frame: &Frame) -> Vec<Option<f64>> {
    readings_with(scene, frame, &[])
}

fn readings_with(scene: &Scene, frame: &Frame, solids: &[MeasuredSolid]) -> Vec<Option<f64>> {
    readings_of_walls(scene, frame, solids, None)
}

fn readings_of_walls(
    scene: &Scene,
    frame: &Frame,
    solids: &[MeasuredSolid],
    wall_loads: Option<&[WallLoad]>,
) -> Vec<Option<f64>> {
    let input = ProbeInput {
        frame,
        bodies: &[],
        solids,
        scene: scene.probe_scene(),
        spacing: 0.5,
        support_radius: 1.0,
        particle_mass: 2.0,
        kernel: SmoothingKernel::Poly6,
        wall_loads,
    };
    input.readings(&scene.probes)
}

fn read(probes: &str) -> Vec<Option<f64>> {
    readings(&scene(probes), &frame())
}

#[test]
fn heights_are_over_the_floor_and_end_half_a_spacing_above_the_highest_particle() {
    let height = |x: f32, z: f32| read(&format!("WaterHeight(name: \"h\", x: {x:?}, z: {z:?})"));
    assert_eq!(height(0.0, 0.0), [Some(1.5)], "the particle beside the line is within the radius");
    assert_eq!(height(-0.6, 0.0), [Some(1.0)], "the particle beside the line is beyond the radius");
    assert_eq!(height(0.5, 0.9), [Some(1.5)]);
    assert_eq!(height(4.0, 0.0), [Some(0.0)], "a dry place");
}

#[test]
fn wetted_lengths_measure_the_volume_of_water_near_the_line() {
    // Particles 0.5 m apart fill x = 0 to 8 m and z = -1 to 1 m up to a height of 2 m; one drop is 5 m above them.
    let mut filled = frame();
    let place = |n: u16| [n % 16, n / 16 % 4, n / 64].map(|n| 0.25 + 0.5 * f32::from(n));
    filled.positions = (0..256).map(place).map(|[x, y, z]| [x, y + 2.0, z - 1.0]).collect();
    filled.positions.push([4.0, 9.0, 0.0]);
    let length = |x: f32, z: f32, dimensions| {
        let mut scene = scene(&format!("WettedLength(name: \"w\", x: {x:?}, z: {z:?})"));
        scene.dimensions = dimensions;
        readings(&scene, &filled)[0].expect("a reading")
    };
    // Twelve columns of four particles within 1 m, over a circle of 3.14 m² in a box from z = -1 to 1, and the drop.
    let expected = (48.0 + 1.0) * 0.125 / std::f64::consts::PI;
    let found = length(4.0, 0.0, Dimensions::Three);
    assert!((found / expected - 1.0).abs() < 1e-3, "{found}, not {expected}");
    // At the side wall only half of the circle is in the box.
    let expected = (6.0 * 4.0 + 1.0) * 0.125 / (0.5 * std::f64::consts::PI);
    let found = length(4.0, 1.0, Dimensions::Three);
    assert!((found / expected - 1.0).abs() < 0.2, "{found}, not {expected}");
    assert!(length(8.9, 0.0, Dimensions::Three).abs() < 1e-12, "a dry place");
    let apart = length(0.0, 0.0, Dimensions::Two) - length(0.0, 0.7, Dimensions::Two);
    assert!(apart.abs() < 1e-12, "z has an effect in two dimensions");
}

/// What a particle at this place gives to the walls.
fn load([x, y, z]: [f64; 3], across: [f64; 3]) -> WallLoad {
    WallLoad { place: DVec3::new(x, y, z), across: across.into(), along: DVec3::new(0.0, 0.0, 0.5) }
}

#[test]
fn walls_are_named_by_the_direction_in_which_they_lie() {
    // Which wall bears what is tested in `solids/walls.rs`. The box is as high as it is wide, and 2 m deep.
    let loads = [load([4.0, 2.25, 0.0], [0.0, -7.0, 0.0]), load([-0.75, 6.0, 0.0], [-3.0, 0.0, 0.0])];
    let read = |probe: &str| readings_of_walls(&scene(probe), &frame(), &[], Some(&loads))[0];
    let force = |towards: &str| read(&format!("WallForce(name: \"w\", towards: {towards})"));
    assert_eq!(read("FloorForce"), Some(7.0));
    assert_eq!(force("(0.0, -1.0, 0.0)"), Some(7.0));
    assert_eq!(force("(-2.0, 0.0, 0.0)"), Some(3.0));
    assert_eq!(force("(1.0, 0.0, 0.0)"), Some(0.0), "the water is at the other end");
    // There is no force before the first step.
    assert_eq!(readings(&scene("FloorForce"), &frame()), [None]);
    let mut plane = scene("FloorForce");
    plane.dimensions = Dimensions::Two;
    assert_eq!(plane.probe_columns()[0].head(), "floor_force_N_per_m");
    let mut flat = scene("FloorForce");
    flat.dimensions = Dimensions::Two;
    for (towards, part) in [("(1.0, 1.0, 0.0)", "along one of the axes"), ("(0.0, 0.0, 1.0)", "along x or y")] {
        flat.probes = vec![Probe::parse(&format!("WallForce(name: \"w\", towards: {towards})")).expect("a probe")];
        let (_, fault) = first_fault(&flat.probes, &flat.probe_scene()).expect("a refusal");
        assert!(fault.contains(part), "{fault}");
    }
}

#[test]
fn pressures_of_few_particles_are_means_weighted_by_the_kernel() {
    let pressure = |x: f32, y: f32| read(&format!("Pressure(name: \"p\", at: ({x:?}, {y:?}, 0.0))"));
    let weight = |distance_squared: f64| (1.0 - distance_squared).powi(3);
    let (own, other, beside) = (weight(0.0), weight(0.25), weight(0.5));
    let [Some(middle)] = pressure(0.0, 2.75)[..] else { panic!("no pressure") };
    let expected = (300.0 * other + 100.0 * own) / (own + other + beside);
    assert!((middle / expected - 1.0).abs() < 1e-12, "{middle}, not {expected}");
    assert_eq!(pressure(4.0, 3.0), [Some(0.0)], "a dry place");
    // The mean of a uniform pressure equals that pressure, also at a wall; without gravity images have that of the
    // particle.
    let mut even = frame();
    even.pressures.fill(70.0);
    let mut near = scene("Pressure(name: \"p\", at: (-0.7, 2.0, 0.3))");
    near.gravity = Vec3::ZERO;
    assert!((readings(&near, &even)[0].expect("a reading") - 70.0).abs() < 1e-12);
}

#[test]
fn pressures_at_rest_are_read_right_everywhere_and_sensors_take_means_over_their_disc() {
    // Particles 0.25 m apart fill the box to 2 m above its floor, at rest: the surface is at y = 4 m. They are moved a
    // little, as in settled water.
    let mut still = frame();
    let count = [40_u16, 8, 8];
    let jitter = |n: u16, axis: u16| 0.03 * (f32::from(n.wrapping_mul(7919).wrapping_add(axis * 13) % 17) / 8.0 - 1.0);
    let place = |n: u16| [n % count[0], n / count[0] % count[1], n / count[0] / count[1]];
    let shifted = |n: u16| [0, 1, 2].map(|axis| 0.125 + 0.25 * f32::from(place(n)[axis]) + jitter(n, axis as u16));
    let at_rest = |y: f32| 10_000.0 * (4.0 - y);
    still.positions = (0..count.iter().product()).map(shifted).map(|[x, y, z]| [x - 1.0, y + 2.0, z - 1.0]).collect();
    still.pressures = still.positions.iter().map(|position| at_rest(position[1])).collect();
    let read = |text: &str, dimensions, frame: &Frame| {
        let mut scene = scene(&format!("Pressure(name: \"p\", {text})"));
        scene.dimensions = dimensions;
        readings(&scene, frame)[0].expect("a reading")
    };
    let mut layer = still.clone();
    let flat = still.positions.iter().zip(&still.pressures).filter(|(position, _)| (0.0..0.25).contains(&position[2]));
    (layer.positions, layer.pressures) = flat.map(|(&[x, y, _], &pressure)| ([x, y, 0.0], pressure)).unzip();
    for (x, y, z) in
        [(4.0, 3.0, 0.0), (4.0, 2.0, 0.0), (-1.0, 2.5, 0.0), (-1.0, 2.0, -1.0), (9.0, 3.2, 1.0), (4.0, 3.9, 0.0)]
    {
        for (dimensions, frame) in [(Dimensions::Three, &still), (Dimensions::Two, &layer)] {
            let text = format!("at: ({x:?}, {y:?}, {z:?})");
            let (found, expected) = (read(&text, dimensions, frame), f64::from(at_rest(y)));
            // Images continue the water beside a wall and below it, but nothing continues it above its surface.
            assert!((found - expected).abs() < 0.02 * 20_000.0, "{text}: {found} Pa, not {expected}");
        }
    }
    // A pressure that is not linear: the mean over a sensor on the left wall is that of its points.
    let curved = |z: f32| 1e4 * z * z;
    still.pressures = still.positions.iter().map(|position| curved(position[2])).collect();
    let [point, sensor] =
        ["", ", across: 1.6"].map(|across| read(&format!("at: (-1.0, 3.0, 0.0){across}"), Dimensions::Three, &still));
    // The mean of z² over a disc is a sixteenth of the diameter's square, 0.16, whatever the direction of its points.
    // The kernel adds the same to both, but less beside the walls across z, behind which the images' pressures fall
    // again.
    assert!((sensor - point - 1500.0).abs() < 120.0, "{sensor} - {point}");
}

/// The box's left half is dry behind a plate of 0.2 m, whose surface is given lying and turned upright.
fn plate() -> MeasuredSolid {
    let lying = Mesh::cuboid(Vec3::new(-3.0, -0.1, -2.0), Vec3::new(3.0, 0.1, 2.0));
    MeasuredSolid {
        name: ProbeSurface::Solid { list: "boundaries".to_owned(), number: 0 },
        loads: vec![(DVec3::new(4.0, 3.0, 0.0), DVec3::new(-5.0, 2.0, 0.0)), (DVec3::new(4.0, 5.0, 0.0), DVec3::NEG_X)],
        surface: Some(MeasuredSurface {
            mesh: Arc::new(lying),
            rotation: DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2),
            translation: DVec3::new(4.0, 4.0, 0.0),
        }),
    }
}

/// A scene with one solid, which [`plate`] stands for.
fn scene_with_plate(probes: &str) -> Scene {
    let mut scene = scene("");
    scene.solids.set(vec![Boundary::Sphere { center: Vec3::new(4.0, 4.0, 0.0), radius: 1.0 }]);
    scene.probes = ron::from_str(&format!("[{probes}]")).expect("RON");
    scene
}

#[test]
fn sensors_on_a_solid_move_with_it_and_feel_one_side_only() {
    // Water at rest to the right of the plate and, under twice the pressure, to its left; the surface is at y = 5 m.
    let mut water = frame();
    let place = |n: u16| [n % 36, n / 36 % 12, n / 432].map(|n| 0.125 + 0.25 * f32::from(n));
    water.positions = (0..3456).map(place).map(|[x, y, z]| [x, y + 2.0, z - 1.0]).collect();
    water.positions.retain(|[x, ..]| (x - 4.0).abs() > 0.2);
    let at_rest = |y: f32| 10_000.0 * (5.0 - y);
    let side = |x: f32| if x > 4.0 { 1.0 } else { 2.0 };
    water.pressures = water.positions.iter().map(|[x, y, _]| side(*x) * at_rest(*y)).collect();
    let read = |text: &str, dimensions| {
        let mut scene = scene_with_plate(&format!("Pressure(name: \"p\", on: \"boundaries[0]\", {text})"));
        scene.dimensions = dimensions;
        readings_with(&scene, &water, &[plate()])[0].expect("a reading")
    };
    // In the frame of the plate, x is upwards and y to the left.
    for (at, expected) in [
        ("(-0.5, -0.1, 0.0)", 15_000.0),
        ("(-0.5, -0.3, 0.0)", 15_000.0),
        ("(-0.5, 0.1, 0.0)", 30_000.0),
        ("(-2.0, -0.1, 1.0)", 30_000.0),
    ] {
        for more in ["", ", across: 0.5"] {
            let found = read(&format!("at: {at}{more}"), Dimensions::Three);
            assert!((found / expected - 1.0).abs() < 0.03, "{at}{more}: {found} Pa, not {expected}");
        }
    }
    let mut layer = frame();
    let flat = water.positions.iter().zip(&water.pressures).filter(|(position, _)| (0.0..0.25).contains(&position[2]));
    (layer.positions, layer.pressures) = flat.map(|(&[x, y, _], &pressure)| ([x, y, 0.0], pressure)).unzip();
    let mut scene = scene_with_plate("Pressure(name: \"p\", on: \"boundaries[0]\", at: (-0.5, 0.1, 9.0))");
    scene.dimensions = Dimensions::Two;
    let found = readings_with(&scene, &layer, &[plate()])[0].expect("a reading");
    assert!((found / 30_000.0 - 1.0).abs() < 0.03, "{found} Pa");
    // A solid that was removed.
    assert_eq!(readings(&scene, &layer), [None]);
}

#[test]
fn forces_and_moments_are_sums_over_a_solid_and_walls_have_the_moment_of_their_water() {
    let scene = scene_with_plate(
        "Force(name: \"f\", on: \"boundaries[0]\"), \
         Moment(name: \"m\", on: \"boundaries[0]\", about: (3.0, 3.0, 0.0)), \
         Force(name: \"b\", on: \"left\"), Moment(name: \"n\", on: \"left\", about: (-1.0, 5.0, 0.0))",
    );
    assert!(scene.check("probed.ron").is_ok());
    // Pushed to the left one meter above the point, it turns counterclockwise.
    let loads = [load([-0.75, 5.5, 0.0], [-2.0, 0.0, 0.0]), load([-0.75, 6.5, 0.0], [-2.0, 0.0, 0.0])];
    let heads: Vec<_> = scene.probe_columns().iter().map(ProbeColumn::head).collect();
    assert_eq!((heads[0].as_str(), heads[5].as_str()), ("f_x_N", "m_z_N_m"));
    let row = readings_of_walls(&scene, &frame(), &[plate()], Some(&loads));
    let row: Vec<f64> = row.into_iter().map(Option::unwrap_or_default).collect();
    assert_eq!(row[..6], [-6.0, 2.0, 0.0, 0.0, 0.0, 2.0 + 2.0]);
    let found = [row[6], row[7], row[8], row[11]];
    assert!(
        found.iter().zip([-4.0, 0.0, 1.0, 4.0]).all(|(found, expected)| (found - expected).abs() < 1e-9),
        "{row:?}"
    );
    // There is no force before the first step.
    let plate = MeasuredSolid { loads: Vec::new(), ..plate() };
    assert_eq!(readings_with(&scene, &frame(), &[plate]), [None; 12]);
}

#[test]
fn fronts_exclude_the_foremost_half_percent_and_high_particles() {
    assert_eq!(read("Front(name: \"f\", direction: (1.0, 0.0, 0.0))"), [Some(8.25)]);
    assert_eq!(read("Front(name: \"f\", direction: (3.0, 0.0, 0.0), below: 1.0)"), [Some(0.25)]);
    assert_eq!(read("Front(name: \"f\", direction: (-1.0, 0.0, 0.0))"), [Some(0.25)]);
    assert_eq!(read("Front(name: \"f\", direction: (1.0, 0.0, 0.0), percent: 75.0)"), [Some(0.75)]);
    assert_eq!(read("Front(name: \"f\", direction: (1.0, 0.0, 0.0), below: 0.1)"), [None]);
    // A thousand particles at 0, 1, 2 ... mm: 99.5 % are at or behind 994 mm, all at 999 mm.
    let mut many = frame();
    many.positions = (0..1000_u16).map(|x| [f32::from(x) / 1024.0, 3.0, 0.0]).collect();
    for (percent, last) in [(99.5, 994.0), (100.0, 999.0), (50.0, 499.0)] {
        let scene = scene(&format!("Front(name: \"f\", direction: (1.0, 0.0, 0.0), percent: {percent:?})"));
        assert_eq!(readings(&scene, &many), [Some(last / 1024.0 + 0.25)], "{percent} %");
    }
}

#[test]
fn energy_momentum_and_density_error_are_sums_over_the_particles() {
    // Masses of 2 kg, g = 10 m/s², heights over the floor 0.25, 0.75, 1.25 and 8 m.
    let (kinetic, potential) = (1.0 + 4.0 + 25.0, 20.0 * (0.25 + 0.75 + 1.25 + 8.0));
    let values = read("Energy, KineticEnergy, Momentum, DensityError");
    let [energy, moving, x, y, z, error] = values[..] else { panic!("{values:?}") };
    assert_eq!([energy, moving], [Some(kinetic + potential), Some(kinetic)]);
    assert_eq!([x, y, z], [Some(-4.0), Some(4.0), Some(8.0)]);
    let error = error.expect("a reading");
    assert!((error - 2.0).abs() < 1e-9, "1 % and 3 %: {error}");
    let mut scene = scene("Energy");
    scene.gravity = Vec3::ZERO;
    scene.central_gravity = CentralGravity { center: Vec3::new(0.0, 2.25, 0.0), strength: 4.0 };
    let spring = 4.0 * (0.0 + 0.25 + 1.25 + (64.0 + 7.75 * 7.75));
    assert_eq!(readings(&scene, &frame()), [Some(kinetic + spring)]);
}

#[test]
fn columns_name_units_which_are_per_meter_in_two_dimensions() {
    let mut scene = scene(
        "WaterHeight(name: \"H1\", x: 0.0), Pressure(name: \"P1\", at: (0.0, 3.0, 0.0)), Energy, Momentum, \
         DensityError",
    );
    let momentum = ["momentum_x_kg_m_per_s", "momentum_y_kg_m_per_s", "momentum_z_kg_m_per_s"];
    let rest = ["H1_m", "P1_Pa", "energy_J"];
    let expected: Vec<_> = rest.into_iter().chain(momentum).chain(["density_error_percent"]).collect();
    let heads = |scene: &Scene| scene.probe_columns().iter().map(ProbeColumn::head).collect::<Vec<_>>();
    assert_eq!(heads(&scene), expected);
    scene.dimensions = Dimensions::Two;
    assert_eq!(heads(&scene)[2..4], ["energy_J_per_m", "momentum_x_kg_per_s"]);
    // The plane is at z = 0, whatever z the probe has.
    scene.probes = vec![Probe::parse("WaterHeight(name: \"H1\", x: 0.0, z: 50.0)").expect("a probe")];
    assert_eq!(readings(&scene, &frame()), [Some(1.5)]);
}

#[test]
fn invalid_probes_are_refused_with_their_index() {
    let refused = [
        ("WaterHeight(name: \"\", x: 0.0)", "probes[0]: must have a name"),
        ("Energy, WaterHeight(name: \"h\", x: 9.5)", "probes[1]: must lie in the box"),
        ("Pressure(name: \"p\", at: (0.0, 1.0, 0.0))", "probes[0]: must lie in the box"),
        ("Pressure(name: \"p\", at: (0.0, NaN, 0.0))", "probes[0]: must lie in the box"),
        ("Pressure(name: \"p\", at: (0.0, 3.0, 0.0), across: -1.0)", "probes[0]: must have a diameter `across`"),
        ("Front(name: \"f\", direction: (0.0, 0.0, 0.0))", "probes[0]: must have a direction"),
        ("Front(name: \"f\", direction: (1.0, 0.0, 0.0), below: -1.0)", "probes[0]: must have a positive height below"),
        (
            "Front(name: \"f\", direction: (1.0, 0.0, 0.0), percent: 101.0)",
            "probes[0]: must have a percent from 1 to 100",
        ),
        ("Energy, Energy", "probes[1]: has the name of an earlier probe"),
        ("Force(name: \"f\", on: \"boundaries[0]\")", "probes[0]: must be `on` a side of the box"),
        ("Force(name: \"f\", on: \"left\", mean_over: -1.0)", "probes[0]: must have a time `mean_over`"),
        ("Moment(name: \"m\", on: \"left\", about: (0.0, inf, 0.0))", "probes[0]: must have a finite point `about`"),
    ];
    let good = scene("");
    for (probes, sentence) in refused {
        let mut scene = good.clone();
        scene.probes = ron::from_str(&format!("[{probes}]")).expect("RON");
        let error = scene.check("probed.ron").expect_err("it is invalid").to_string();
        assert!(error.contains(sentence), "{error}");
    }
}

#[test]
fn misspelled_probes_and_arguments_are_refused_with_the_valid_names() {
    let refused = [
        ("Heat(name: \"h\")", "Heat", "WaterHeight"),
        ("WaterHeight(name: \"h\")", "`x`", ""),
        ("WaterHeight(x: 0.0)", "`name`", ""),
        ("WaterHeight(name: \"h\", y: 0.0)", "`y`", "`z`"),
        ("WaterHeight(name: \"h\", x: 0.0, x: 1.0)", "`x`", ""),
        ("WaterHeight(name: \"h\", x: \"left\")", "1:", ""),
        ("BodyForce(name: \"f\", body: -1)", "1:", ""),
        ("Force(name: \"f\", on: \"floor\")", "\"floor\"", "bottom"),
        ("Force(name: \"f\")", "`on`", ""),
    ];
    for (text, named, offered) in refused {
        let error = Probe::parse(text).expect_err(text).to_string();
        assert!(error.contains(named) && error.contains(offered), "{text}: {error}");
    }
    // The message of a scene file names the field and the nearest valid names.
    let good = include_str!("../../../assets/scenes/dam_break.ron");
    let error = Scene::parse("mine.ron", &good.replace("x: -4.9", "xx: -4.9")).expect_err("xx is no argument");
    assert!(error.to_string().contains("field xx: there is no such field; the nearest names are x"), "{error}");
}

#[test]
fn every_kind_is_listed_and_documented() {
    for kind in PROBES {
        let listed = format!("{} ({})", kind.name, kind.unit.in_space);
        assert!(probe_list(PROBES).contains(&listed), "{listed} is not listed");
        assert!(!kind.measures.is_empty() && kind.definition.ends_with('.'), "{} is not defined", kind.name);
        assert_eq!(
            PROBES.iter().filter(|other| other.name == kind.name).count(),
            1,
            "there are two kinds named {}",
            kind.name
        );
    }
    let page = probe_page(PROBES);
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/PROBES.md");
    if std::env::var_os("NEARWATER_WRITE_DOCS").is_some() {
        std::fs::write(file, &page).expect("the page is written");
    }
    let written = std::fs::read_to_string(file).unwrap_or_default();
    assert_eq!(
        written, page,
        "docs/PROBES.md is not what the registry says; run this test with NEARWATER_WRITE_DOCS=1"
    );
}
