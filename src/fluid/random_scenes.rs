//! Scenes with numbers beyond any sense, at any resolution, through everything that is computed of a scene before a
//! device is needed: resolution, solids, lattice, reservoir, emitters, and the domain and the cells of searches. Each
//! must be refused in a sentence or give finite places, within a second.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use glam::Vec3;

use super::emitter_layer::{Disc, check_disc};
use super::flow::Parking;
use super::particles::check_size_within;
use super::solids::SampledSolids;
use super::{InitialParticles, Resolution, Scene, Size, SmoothingKernel};
use crate::random_stream::Stream;
use crate::search::in_ranges;
use crate::search::verify::SearchConfiguration;
use crate::search::{CellEdge, Domain, Grid};

/// A scene with an entry of each kind.
const SCENE: &str = include_str!("../../tests/corpus/tank.ron");
/// Numbers that replace those of the scene.
const NUMBERS: [&str; 26] = [
    "0.0",
    "-0.0",
    "1e-45",
    "1e-38",
    "1e-30",
    "1e-9",
    "0.001",
    "0.05",
    "0.3",
    "0.7",
    "1.0",
    "1.9",
    "3.0",
    "7.0",
    "20.0",
    "1e3",
    "1e5",
    "1e6",
    "1e9",
    "1e12",
    "1e30",
    "3.4e38",
    "1e39",
    "inf",
    "NaN",
    "16777217.0",
];
/// Longest time for one scene.
const LONGEST: Duration = Duration::from_secs(1);
/// Most places of a kind that are looked at.
const MOST_PLACES: usize = 2_000;
/// Particles that the device would hold.
const MOST_PARTICLES: u64 = 10_000;
/// Cells that a table of a search may have, as on a device with bindings of 128 MiB.
const MOST_CELLS: u64 = 1 << 24;

/// The text of the scene with one to three other numbers.
fn changed(stream: &mut Stream) -> String {
    let mut text = SCENE.to_owned();
    for _ in 0..=stream.below(3) {
        let is_part = |character: char| character.is_ascii_digit() || character == '.' || character == '-';
        let starts: Vec<usize> = text
            .char_indices()
            .filter(|&(at, character)| {
                character.is_ascii_digit() && !text[..at].ends_with(|c: char| c.is_alphanumeric() || is_part(c))
            })
            .map(|(at, _)| at)
            .collect();
        let start = starts[stream.below(starts.len() as u64) as usize];
        let length = text[start..].find(|character| !is_part(character)).unwrap_or(text.len() - start);
        let sign = if stream.one_in(5) { "-" } else { "" };
        text.replace_range(start..start + length, &format!("{sign}{}", stream.pick(&NUMBERS)));
    }
    text
}

/// The resolution of a random count or radius, sensible ones more often.
fn resolution(stream: &mut Stream, scene: &Scene) -> Result<Resolution, String> {
    let kernel = stream.pick(&SmoothingKernel::ALL);
    let size = if stream.one_in(2) {
        Size::Count(stream.pick(&[0, 1, 2, 30, 100, 300, 700, 2_000_000_000, u32::MAX]))
    } else {
        Size::Radius(stream.pick(&[0.0, 1e-30, 1e-9, 0.35, 0.5, 0.7, 1.0, 3.0, 1e4, 1e20, 3e38, f32::NAN]))
    };
    // As before everything that is computed for a device.
    check_size_within(MOST_PARTICLES, scene, size).map_err(|error| error.to_string())?;
    let made = match size {
        Size::Count(count) => Resolution::from_count(scene, kernel, count),
        Size::Radius(radius) => Resolution::from_radius(scene, kernel, radius),
    };
    made.map_err(|error| error.to_string())
}

/// Computes everything, or says why not.
fn compute(stream: &mut Stream, scene: &Scene) -> Result<(), String> {
    let resolution = resolution(stream, scene)?;
    let spacing = resolution.spacing;
    assert!(spacing.is_finite() && spacing > 0.0 && resolution.time_step > 0.0, "{resolution:?}");
    let particles = InitialParticles::new(scene, &resolution, 7).map_err(|error| error.to_string())?;
    let mut visited = 0;
    let looked_at = particles.visit(|place, velocity| {
        assert!(place.is_finite() && velocity.is_finite(), "a particle at {place} with {velocity}");
        visited += 1;
        if visited < MOST_PLACES { Ok(()) } else { Err(()) }
    });
    assert!(looked_at.is_ok() || visited == MOST_PLACES);
    if let Some(parking) = Parking::new(scene, &resolution) {
        assert!(
            parking.low().is_finite() && parking.end().is_finite(),
            "parked from {} to {}",
            parking.low(),
            parking.end()
        );
        assert!(parking.place(resolution.particle_count - 1).is_finite());
    }
    SampledSolids::new(scene, spacing).map_err(|error| error.to_string())?;
    for (number, emitter) in scene.emitters.iter().enumerate() {
        check_disc(scene, number, spacing).map_err(|error| error.to_string())?;
        assert!(Disc::new(scene, emitter, spacing).places().take(MOST_PLACES).all(Vec3::is_finite));
    }
    let domain = Domain::new(scene.low, scene.high, resolution.support_radius).map_err(|error| error.to_string())?;
    for configuration in SearchConfiguration::all() {
        let cell = CellEdge::chosen(&configuration.options).cell_size(resolution.support_radius);
        let name = configuration.search.name;
        let grid = Grid::new(name, domain, cell, resolution.particle_count, MOST_CELLS);
        let grid = grid.map_err(|error| error.to_string())?;
        assert!(u64::from(grid.cell_count) <= MOST_CELLS && grid.cell_count > 0, "{} cells", grid.cell_count);
        assert!(grid.inverse_cell_size.iter().all(|inverse| inverse.is_finite()), "{:?}", grid.inverse_cell_size);
    }
    Ok(())
}

/// How long this thread has been running on a core, where the system tells, or else the time since `began`. Other
/// threads and programs do not count then.
fn run_time(began: Instant) -> Duration {
    let spent = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = spent.as_deref().and_then(|text| text.split(' ').next()).and_then(|word| word.parse().ok());
    nanoseconds.map_or_else(|| began.elapsed(), Duration::from_nanos)
}

/// What became of some of the scenes.
#[derive(Default)]
struct Tally {
    computed: u64,
    slowest: Duration,
}

/// Reads and computes the scene of a seed.
fn attempt(seed: u64, tally: &mut Tally) {
    let text = changed(&mut Stream::new(seed));
    let once = || {
        let mut stream = Stream::new(!seed);
        let began = Instant::now();
        let before = run_time(began);
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let scene = Scene::parse("random.ron", &text).map_err(|error| error.to_string())?;
            compute(&mut stream, &scene)
        }));
        (outcome, run_time(began).saturating_sub(before))
    };
    let (outcome, mut took) = once();
    if took >= LONGEST {
        // Where only the time since the beginning is known, the machine may have been busy with something else.
        took = took.min(once().1);
    }
    tally.slowest = tally.slowest.max(took);
    assert!(took < LONGEST, "{text}\nseed {seed} took {took:?}");
    match outcome {
        Ok(Ok(())) => tally.computed += 1,
        Ok(Err(reason)) => {
            assert!(!reason.trim().is_empty() && !reason.contains('\n'), "seed {seed} is refused by {reason:?}");
        }
        Err(panic) => panic!("{text}\nseed {seed} panics: {panic:?}"),
    }
}

#[test]
fn scenes_beyond_any_sense_are_computed_or_refused() {
    let inputs = std::env::var("NEARWATER_INPUTS").map_or(10_000, |text| text.parse().expect("a whole number"));
    let tallies = in_ranges(inputs, |seeds| {
        let mut tally = Tally::default();
        seeds.for_each(|seed| attempt(seed as u64, &mut tally));
        tally
    });
    let computed: u64 = tallies.iter().map(|tally| tally.computed).sum();
    let slowest = tallies.iter().map(|tally| tally.slowest).max().unwrap_or_default();
    println!("{computed} of {inputs} scenes were computed, the others refused; the slowest took {slowest:?}");
    // Both ways must be taken.
    let inputs = inputs as u64;
    assert!((inputs / 20..inputs / 2).contains(&computed), "{computed} of {inputs} were computed");
}
