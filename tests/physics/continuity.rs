//! Density by the continuity equation: what it conserves, how diffusion smooths it, and switching it while the water
//! moves.

use glam::{DVec3, Vec3};
use nearwater::fluid::{Density, Material, Scene, SceneEdits, Settings, Simulation, Size, SmoothingKernel, Solver};
use nearwater::search::random::uniform;
use nearwater::search::search_named;
use nearwater::search::verify::SearchConfiguration;

use super::common::gpu;
use super::{SEED, density_survey, plane_scene, run_steps, settings, small_dam_break, state, still_scene, survey};

const KERNEL: SmoothingKernel = SmoothingKernel::WendlandC2;
const CONTINUITY: Density = Density::Continuity { diffusion: 0.1 };

/// The pressures in a column.
#[derive(Debug)]
struct Pressures {
    /// Root mean square of the difference between row means and the weight above, divided by that of the weight.
    error: f64,
    /// Root mean square of the difference between particles and the mean of their row and time, divided by the weight
    /// at the foot.
    noise: f64,
}

/// A column at rest, 20 layers high, over ten periods of its oscillation.
fn column(density: Density) -> Pressures {
    const SAMPLES: u32 = 40;
    let spacing = 0.05_f32;
    let mut scene = plane_scene(Solver::named("wcsph").unwrap(), (0.5, 1.3), (0.5, 1.0));
    scene.material.viscosity = 0.1;
    scene.material.radius_ratio = 3.0;
    scene.material.density = density;
    let mut simulation = Simulation::new(&gpu(), &scene, &settings(KERNEL, Size::Radius(3.0 * spacing))).unwrap();
    run_steps(&mut simulation, 1500);
    let mut rows = [(0.0_f64, 0.0_f64, 0.0_f64); 9];
    let (mut surface, mut scatter, mut count) = (0.0, 0.0, 0.0_f64);
    for _ in 0..SAMPLES {
        run_steps(&mut simulation, 50);
        let frame = simulation.observe().unwrap();
        let mut now = [(0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64); 9];
        let row_of = |position: &[f32; 3]| (position[1] / 0.1) as usize;
        for (position, &pressure) in frame.positions.iter().zip(&frame.pressures) {
            if let Some(row) = rows.get_mut(row_of(position)) {
                let (height, pressure) = (f64::from(position[1]), f64::from(pressure));
                *row = (row.0 + 1.0, row.1 + pressure, row.2 + height);
                let now = &mut now[row_of(position)];
                *now = (
                    now.0 + 1.0,
                    now.1 + pressure,
                    now.2 + pressure * pressure,
                    now.3 + height,
                    now.4 + height * height,
                );
            }
        }
        for (number, pressure, squares, height, heights) in now {
            // Subtracts the decrease of pressure with height within the row.
            let fall = (9810.0_f64).powi(2) * (heights / number - (height / number).powi(2));
            scatter += squares - pressure * pressure / number - number * fall;
            count += number;
        }
        let top = frame.positions.iter().map(|position| position[1]).fold(0.0, f32::max);
        surface += (f64::from(top) + 0.025) / f64::from(SAMPLES);
    }
    let health = density_survey(&mut simulation);
    assert_eq!((health.not_finite, health.outside), (0, 0));
    assert!(health.highest_density < 1020.0 && health.lowest_density > 750.0, "{density:?}: {health:?}");
    let (mut errors, mut all) = (0.0, 0.0);
    for (count, pressure, height) in rows {
        let expected = 9810.0 * (surface - height / count);
        errors += (pressure / count - expected).powi(2);
        all += expected.powi(2);
    }
    Pressures { error: (errors / all).sqrt(), noise: (scatter / count).max(0.0).sqrt() / 9810.0 }
}

#[test]
fn a_column_whose_density_diffuses_has_less_noise_in_its_pressure() {
    let [summed, kept] = [Density::Summation, CONTINUITY].map(column);
    println!("summed up {summed:?}, kept {kept:?}");
    assert!(kept.error < 0.03, "{kept:?}");
    assert!(kept.noise < 0.5 * summed.noise, "{kept:?}, and summed up {summed:?}");
}

#[test]
fn densities_without_diffusion_agree_with_sums_over_the_neighbors() {
    let scene = still_scene(3.0, (Vec3::ONE, Vec3::splat(2.0)), 2.2);
    let run = |density: Density| {
        let mut scene = scene.clone();
        scene.material.density = density;
        let mut simulation = Simulation::new(&gpu(), &scene, &settings(KERNEL, Size::Count(3000))).unwrap();
        // Compressed, so that all particles except those at the surface start with their sums, and stirred.
        let places: Vec<_> = state(&simulation).positions.iter().map(|place| 1.5 + 0.99 * (*place - 1.5)).collect();
        let stir = |place: &Vec3| 0.5 * (7.0 * Vec3::new(place.y, place.z, place.x)).map(f32::sin);
        simulation.set_particles(&places, &places.iter().map(stir).collect::<Vec<_>>()).unwrap();
        run_steps(&mut simulation, 1);
        let first = state(&simulation).densities;
        run_steps(&mut simulation, 6);
        (places, first, state(&simulation).densities)
    };
    let (places, first, summed) = run(Density::Summation);
    let (_, _, kept) = run(Density::Continuity { diffusion: 0.0 });
    let mut compared = 0;
    let mut changed = 0.0_f32;
    for (index, (&a, &b)) in kept.iter().zip(&summed).enumerate() {
        // Surface particles start at the rest density instead of their sums and push the others; only particles that
        // sound has not yet reached from there are compared.
        if (places[index] - 1.5).abs().max_element() < 0.2 && first[index].min(b) > 1000.5 {
            assert!((a / b - 1.0).abs() < 2e-5, "particle {index}: {a}, summed up {b}");
            compared += 1;
            changed = changed.max((b / first[index] - 1.0).abs());
        }
    }
    println!("{compared} particles are comparable, and changed by up to {changed}");
    assert!(compared > 100 && changed > 0.005, "{compared}, {changed}");
}

#[test]
fn momentum_is_conserved_and_diffusion_sums_to_zero() {
    let mut scene = still_scene(8.0, (Vec3::splat(3.0), Vec3::splat(5.0)), 2.0);
    scene.material.density = Density::Continuity { diffusion: 0.5 };
    let mut simulation = Simulation::new(&gpu(), &scene, &settings(KERNEL, Size::Count(2000))).unwrap();
    let count = u64::from(simulation.resolution().particle_count);
    let vector = |index: u64| Vec3::from_array([0, 1, 2].map(|axis| uniform(SEED, 3 * index + axis)));
    let positions: Vec<_> = (0..count).map(|index| Vec3::splat(3.0) + 2.0 * vector(index)).collect();
    let velocities: Vec<_> = (0..count).map(|index| vector(index + count) - 0.5).collect();
    simulation.set_particles(&positions, &velocities).unwrap();
    run_steps(&mut simulation, 10);
    let after = state(&simulation);
    let gained: Vec<DVec3> = after.velocities.iter().zip(&velocities).map(|(b, a)| (b - a).as_dvec3()).collect();
    let (whole, all) =
        (gained.iter().sum::<DVec3>().length(), gained.iter().map(|gained| gained.length()).sum::<f64>());
    println!("momentum changed by {:e} of what was exchanged", whole / all);
    assert!(all / count as f64 > 0.1, "the forces had no effect");
    assert!(whole / all < 1e-6, "{:e}", whole / all);

    // The first step is the same with and without diffusion, and the second has the same positions.
    let after_two = |diffusion: f32| {
        let mut scene = scene.clone();
        scene.material.density = Density::Continuity { diffusion };
        let mut simulation = Simulation::new(&gpu(), &scene, &settings(KERNEL, Size::Count(2000))).unwrap();
        simulation.set_particles(&positions, &velocities).unwrap();
        run_steps(&mut simulation, 2);
        state(&simulation).densities
    };
    let pairs = after_two(0.2).into_iter().zip(after_two(0.0));
    let differences: Vec<f64> = pairs.map(|(with, without)| f64::from(with) - f64::from(without)).collect();
    let (sum, moved) = (differences.iter().sum::<f64>(), differences.iter().map(|moved| moved.abs()).sum::<f64>());
    println!("{moved} kg/m³ diffused, {sum} are left over");
    assert!(moved > 1000.0 && sum.abs() < 1e-4 * moved, "{sum} of {moved}");
}

#[test]
fn densities_are_the_same_with_every_search() {
    let mut scene = Scene::load("drop").unwrap();
    scene.material.density = CONTINUITY;
    let mut expected: Option<(Vec<Vec3>, Vec<f32>)> = None;
    let usual = |of: &SearchConfiguration| of.is_usual() || of.search.name == "brute_force";
    for SearchConfiguration { search, options } in SearchConfiguration::all_in_steps().into_iter().filter(usual) {
        let settings = Settings { search, options, ..settings(KERNEL, Size::Count(600)) };
        let mut simulation = Simulation::new(&gpu(), &scene, &settings).unwrap();
        run_steps(&mut simulation, 5);
        let found = state(&simulation);
        let radius = simulation.resolution().support_radius;
        let Some((places, densities)) = &expected else {
            expected = Some((found.positions, found.densities));
            continue;
        };
        for (a, b) in found.positions.iter().zip(places) {
            assert!(a.distance(*b) < 1e-5 * radius, "{}: a particle at {a}, not {b}", search.name);
        }
        for (a, b) in found.densities.iter().zip(densities) {
            assert!((a - b).abs() < 1e-4 * b, "{}: density {a}, not {b}", search.name);
        }
    }
}

#[test]
fn the_setting_can_change_in_motion_and_observing_does_not_change_the_run() {
    let scene = small_dam_break();
    let mut settings = settings(KERNEL, Size::Count(500));
    let mut simulation = Simulation::new(&gpu(), &scene, &settings).unwrap();
    for (density, search) in [(CONTINUITY, "green"), (Density::Summation, "claws"), (CONTINUITY, "hoetzlein")] {
        let material = Material { density, ..scene.material.clone() };
        settings.edits = SceneEdits { material: Some(material), ..SceneEdits::default() };
        settings.search = search_named(search).unwrap();
        simulation.change(&settings).unwrap();
        run_steps(&mut simulation, 100);
        let health = survey(&mut simulation);
        assert_eq!((health.not_finite, health.outside), (0, 0), "{density:?}");
        assert!(health.highest_density < 1100.0 && health.highest_speed < 4.0, "{density:?}: {health:?}");
    }
    let places = state(&simulation).positions;
    density_survey(&mut simulation);
    let shown = state(&simulation);
    assert_eq!(shown.positions, places);
    density_survey(&mut simulation);
    assert_eq!(state(&simulation).densities, shown.densities, "observing changed the densities");
    run_steps(&mut simulation, 1);
    // The densities of the step are those that were shown: of the same positions, from the same state.
    for (a, b) in state(&simulation).densities.iter().zip(&shown.densities) {
        assert!((a - b).abs() <= 1e-5 * b, "{a}, and {b} were shown");
    }

    let mut wrong = settings.clone();
    let material = Material { density: CONTINUITY, xsph: 0.1, ..scene.material.clone() };
    wrong.edits.material = Some(material);
    let refusal = simulation.change(&wrong).unwrap_err().to_string();
    assert!(refusal.contains("material.xsph"), "{refusal}");
}
