//! The flat walls of the box: density and pressure beside floor, wall, edge and corner are those of the interior.

use glam::Vec3;
use nearwater::fluid::{Block, Dimensions, Scene, Settings, Simulation, Size, SmoothingKernel, Solver};
use nearwater::search::{SEARCHES, search_named};

use super::common::gpu;
use super::{density_survey, plane_scene, run_steps, settings, still_scene};

const KERNEL: SmoothingKernel = SmoothingKernel::WendlandC2;

/// The centers of a lattice that fills a box from its low corner.
fn lattice(spacing: f32, counts: [u32; 3], plane: Option<f32>) -> Vec<Vec3> {
    let places = (0..counts[0]).flat_map(|x| (0..counts[1]).flat_map(move |y| (0..counts[2]).map(move |z| [x, y, z])));
    let center = |place: [u32; 3]| Vec3::from(place.map(|along| (along as f32 + 0.5) * spacing));
    places.map(center).map(|place| plane.map_or(place, |z| place.with_z(z))).collect()
}

#[test]
fn a_full_box_has_the_rest_density_in_every_corner_and_stays_at_rest() {
    let spacing = 0.1_f32;
    for solver in Solver::fluids() {
        for ratio in [2.0, 2.2, 2.6, 3.0] {
            for dimensions in [Dimensions::Two, Dimensions::Three] {
                let name = format!("{} in {dimensions:?} dimensions at ratio {ratio}", solver.name());
                let edge = Vec3::splat(7.0 * spacing);
                let mut scene = if dimensions == Dimensions::Two {
                    plane_scene(solver, (edge.x, edge.y), (edge.x, edge.y))
                } else {
                    Scene { solver, ..still_scene(edge.x, (Vec3::ZERO, edge), ratio) }
                };
                scene.material.radius_ratio = ratio;
                scene.gravity = Vec3::ZERO;
                let size = Size::Radius(ratio * spacing);
                let mut simulation = Simulation::new(&gpu(), &scene, &settings(KERNEL, size)).unwrap();
                let flat = dimensions == Dimensions::Two;
                let plane = flat.then_some(0.5 * (scene.low.z + scene.high.z));
                let places = lattice(spacing, [7, 7, if flat { 1 } else { 7 }], plane);
                simulation.set_particles(&places, &vec![Vec3::ZERO; places.len()]).unwrap();
                let health = density_survey(&mut simulation);
                for density in [health.lowest_density, health.highest_density] {
                    assert!((density / 1000.0 - 1.0).abs() < 2e-5, "{name}: {density} kg/m³");
                }
                run_steps(&mut simulation, 20);
                let after = simulation.observe().unwrap();
                let fastest = after.velocities.iter().map(|&v| Vec3::from(v).length()).fold(0.0, f32::max);
                // Rounding of the densities alone moves stiff water a little.
                assert!(fastest < 5e-3, "{name}: {fastest} m/s");
            }
        }
    }
}

/// Searches that gather serve particles near walls in a pass of their own; a particle that is missing there would lose
/// its images. FENNS and CLAWS serve all particles alike unless they have a halo and no list of neighbors.
#[test]
fn a_particle_that_is_just_in_reach_of_an_image_has_it_with_every_search() {
    let (spacing, ratio) = (0.1_f32, 2.2);
    let radius = ratio * spacing;
    // Above a particle on the floor, where the wall has hardly any influence left, and beyond that.
    let heights = [0.7, 0.8, 0.85, 0.9, 0.94, 1.05];
    let places: Vec<_> = (0_u8..)
        .zip(heights)
        .flat_map(|(column, height)| {
            let foot = Vec3::new(0.5 + 3.0 * radius * f32::from(column), 0.0, 2.5);
            [foot, foot + Vec3::Y * height * radius]
        })
        .collect();
    for solver in Solver::fluids() {
        let scene = Scene { solver, ..still_scene(5.0, (Vec3::ONE, Vec3::new(1.2, 1.2, 1.3)), ratio) };
        let densities = |search, options: &[&str]| {
            let mut settings =
                Settings { search: search_named(search).unwrap(), ..settings(KERNEL, Size::Radius(radius)) };
            for option in options {
                settings.options.parse(option).unwrap();
            }
            let mut simulation = Simulation::new(&gpu(), &scene, &settings).unwrap();
            simulation.set_particles(&places, &vec![Vec3::ZERO; places.len()]).unwrap();
            gpu().submit(|encoder| simulation.record_densities(encoder, None));
            simulation.observe().unwrap().densities
        };
        let expected = densities("fenns", &[]);
        assert!(expected.iter().all(|&density| density > 0.0), "{}: {expected:?}", solver.name());
        let of_every_search = SEARCHES.iter().map(|search| (search.name, &[][..]));
        let with_halo: &[&str] = &["halo=on", "neighbor-list=off"];
        for (found_in, options) in of_every_search.chain(["fenns", "claws"].map(|search| (search, with_halo))) {
            for (found, expected) in densities(found_in, options).into_iter().zip(&expected) {
                let name = solver.name();
                assert!((found - expected).abs() < 2e-6 * expected, "{name} on {found_in}: {found}, not {expected}");
            }
        }
    }
}

/// Mean over particles and times of the pressure divided by the weight above.
#[derive(Default)]
struct Region {
    sum: f64,
    count: f64,
}

impl Region {
    fn add(&mut self, ratio: f64) {
        self.sum += ratio;
        self.count += 1.0;
    }

    fn mean(&self) -> f64 {
        self.sum / self.count
    }
}

#[test]
fn water_at_rest_has_the_pressure_of_its_depth_beside_floor_walls_and_in_corners() {
    let (spacing, across, high) = (0.05_f32, 16, 14);
    for solver in Solver::fluids() {
        for ratio in [2.2, 3.0] {
            let (width, depth) = (across as f32 * spacing, high as f32 * spacing);
            let mut scene = plane_scene(solver, (width, depth + 0.3), (width, depth));
            scene.material.radius_ratio = ratio;
            // As viscous as syrup, so that it is at rest after two seconds.
            scene.material.kinematic_viscosity = 0.2;
            scene.solver_settings.parse("pbf.substeps=8").unwrap();
            scene.solver_settings.parse("pbf.iterations=8").unwrap();
            let size = Size::Radius(ratio * spacing);
            let mut simulation = Simulation::new(&gpu(), &scene, &settings(KERNEL, size)).unwrap();
            while simulation.time() < 2.0 {
                run_steps(&mut simulation, 100);
            }
            let [mut corner, mut floor, mut wall, mut interior] = <[Region; 4]>::default();
            for _ in 0..20 {
                run_steps(&mut simulation, 10);
                let frame = simulation.observe().unwrap();
                let mut heights: Vec<f32> = frame.positions.iter().map(|position| position[1]).collect();
                heights.sort_by(|a, b| b.total_cmp(a));
                let surface = f64::from(heights[across / 2] + 0.5 * spacing);
                for (&[x, y, _], &pressure) in frame.positions.iter().zip(&frame.pressures) {
                    let ratio = f64::from(pressure) / (9810.0 * (surface - f64::from(y)));
                    let (beside, low) = (x.min(width - x) < spacing, y < spacing);
                    match (beside, low) {
                        (true, true) => corner.add(ratio),
                        (false, true) => floor.add(ratio),
                        (true, false) if y < 0.5 * depth => wall.add(ratio),
                        (false, false) if y < 0.5 * depth => interior.add(ratio),
                        _ => {}
                    }
                }
            }
            let name = format!("{} at ratio {ratio}", solver.name());
            let means = [&corner, &floor, &wall, &interior].map(Region::mean);
            println!("{name}: pressure over depth in corners, floor, walls, interior: {means:.4?}");
            assert_eq!(corner.count as usize, 20 * 2, "{name}: two particles are in the corners");
            // Pressures of iterations are less exact than those of an equation of state. The closed form that walls had
            // before gave 1.33 in the corners at a ratio of 2.2 and 1.64 at 3.
            let bound = match solver.name() {
                "wcsph" => 0.02,
                // Deep water at rest is restless with DFSPH (docs/VALIDATION.md).
                "dfsph" => 0.15,
                _ => 0.05,
            };
            assert!(means.iter().all(|mean| (mean - 1.0).abs() < bound), "{name}: {means:.4?}");
        }
    }
}

#[test]
fn walls_are_slippery_and_stop_what_hits_them() {
    for solver in Solver::fluids() {
        let mut scene = still_scene(1.0, (Vec3::ZERO, Vec3::new(1.0, 0.3, 1.0)), 2.2);
        scene.solver = solver;
        scene.gravity = Vec3::new(0.0, -9.81, 0.0);
        // A sheet of water slides along the floor.
        scene.blocks = vec![Block { velocity: Vec3::X, ..Block::at_rest(Vec3::ZERO, Vec3::new(0.5, 0.2, 1.0)) }];
        let mut simulation = Simulation::new(&gpu(), &scene, &settings(KERNEL, Size::Radius(0.11))).unwrap();
        while simulation.time() < 0.1 {
            run_steps(&mut simulation, 10);
        }
        let frame = simulation.observe().unwrap();
        let speeds: Vec<f32> = frame.velocities.iter().map(|velocity| velocity[0]).collect();
        let mean = speeds.iter().sum::<f32>() / speeds.len() as f32;
        // It spreads under gravity, against the wall behind it too, but no wall holds it back.
        assert!(mean >= 0.999, "{}: {mean} m/s", solver.name());
        assert!(frame.positions.iter().flatten().all(|&along| (0.0..=1.0).contains(&along)), "{}", solver.name());
    }
}

/// The smallest distance between two of these positions, m.
fn smallest_gap(positions: &[[f32; 3]]) -> f32 {
    let pairs = positions.iter().enumerate().flat_map(|(i, a)| positions[..i].iter().map(move |b| (a, b)));
    pairs.map(|(&a, &b)| Vec3::from(a).distance(b.into())).fold(f32::INFINITY, f32::min)
}

#[test]
fn a_film_in_the_floor_that_hits_a_wall_is_lifted_and_not_pressed_into_the_corner() {
    let (spacing, speed) = (0.05_f32, 8.0_f32);
    for solver in Solver::fluids() {
        let mut scene = plane_scene(solver, (1.5, 1.0), (0.7, spacing));
        scene.blocks[0].velocity = Vec3::X * speed;
        let size = Size::Radius(2.2 * spacing);
        let mut simulation = Simulation::new(&gpu(), &scene, &settings(KERNEL, size)).unwrap();
        let frame = simulation.observe().unwrap();
        // A line of particles whose centers are in the floor, where each coincides with its mirror image.
        let places: Vec<Vec3> = (0..frame.positions.len())
            .map(|place| Vec3::new(0.4 + 0.07 * place as f32, 0.0, frame.positions[place][2]))
            .collect();
        simulation.set_particles(&places, &vec![Vec3::X * speed; places.len()]).unwrap();
        while simulation.time() < 0.2 {
            run_steps(&mut simulation, 5);
        }
        let after = simulation.observe().unwrap();
        let fastest = after.velocities.iter().map(|&v| Vec3::from(v).length()).fold(0.0, f32::max);
        let gap = smallest_gap(&after.positions) / spacing;
        println!("{}: {fastest} m/s, particles {gap} spacings apart", solver.name());
        assert!(fastest < 1.5 * speed, "{}: {fastest} m/s", solver.name());
        // Two single particles are far below the rest density, so DFSPH does not keep them apart.
        let least = if solver.name() == "dfsph" { 0.02 } else { 0.2 };
        assert!(gap > least, "{}: two particles are {gap} spacings apart", solver.name());
    }
}
