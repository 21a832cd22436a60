//! Chooses solver, search and number of particles for a scene on a device.

use std::fmt;

use super::{FrameLoad, PaceModel, SceneLoad};
use crate::fluid::{FluidError, Solver};
use crate::format;
use crate::search::SearchInfo;

/// Pace that a choice leaves in reserve: scenes with splashes take longer than the measured ones.
const RESERVE: f64 = 1.05;
/// Digits to which a number of particles is rounded.
const DIGITS: i32 = 3;

/// A solver, a search and a number of particles, with what they cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// The solver.
    pub solver: Solver,
    /// The search.
    pub search: &'static SearchInfo,
    /// Number of particles.
    pub particles: u32,
    /// The estimated work of a frame.
    pub load: FrameLoad,
}

impl Choice {
    /// Whether the scene keeps up with real time.
    pub fn is_real_time(&self) -> bool {
        self.load.capacity() >= 1.0
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let particles = format::short_count(self.particles.into());
        write!(formatter, "{particles} particles, {}, {}: ", self.solver.label(), self.search.title)?;
        if self.is_real_time() {
            write!(formatter, "real time")
        } else {
            write!(formatter, "about {} times real time", format::number(self.load.real_time_factor()))
        }
    }
}

/// A named number of particles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// Name on screen.
    pub name: &'static str,
    /// Number of particles.
    pub particles: u32,
    /// For which devices it is meant.
    pub hover: &'static str,
}

/// The named numbers of particles, fewest first.
pub const PRESETS: [Preset; 4] = [
    Preset { name: "Laptop", particles: 32_768, hover: "for graphics that share the memory of the processor" },
    Preset { name: "Desktop", particles: 131_072, hover: "for a graphics card" },
    Preset { name: "Workstation", particles: 524_288, hover: "for a fast graphics card" },
    Preset { name: "Insane", particles: 4_194_304, hover: "for patient owners of the fastest graphics cards" },
];

/// The fewest and the most particles that a search may be given on a device.
pub type Limits<'a> = &'a dyn Fn(&SearchInfo) -> (u32, u32);

/// What is to be chosen for.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    /// The scene and its picture.
    pub scene: SceneLoad<'a>,
    /// The solvers to choose from.
    pub solvers: &'a [Solver],
    /// The searches to choose from.
    pub searches: &'a [&'static SearchInfo],
    /// The numbers of particles to choose from.
    pub limits: Limits<'a>,
    /// This number of particles instead of one that is chosen.
    pub particles: Option<u32>,
}

/// The solver and the search with which the scene has the most particles in real time. Where none keeps up with real
/// time, or where the number of particles is given, those with the highest pace. `None` where no time is known.
///
/// # Errors
/// When no number of particles suits the scene.
pub fn choose(model: &PaceModel<'_>, wanted: &Wanted<'_>) -> Result<Option<Choice>, FluidError> {
    let mut best: Option<Choice> = None;
    let mut refusal = None;
    for &solver in wanted.solvers {
        for &search in wanted.searches {
            match most_in_real_time(model, wanted, solver, search) {
                Ok(choice) => best = choice.into_iter().chain(best).max_by(|one, other| rank(one).cmp_to(rank(other))),
                Err(error) => refusal = Some(error),
            }
        }
    }
    match (best, refusal) {
        (None, Some(error)) => Err(error),
        (best, _) => Ok(best),
    }
}

/// What decides between two choices: the number of particles of those in real time, then the pace.
#[derive(Clone, Copy)]
struct Rank {
    particles: u32,
    capacity: f64,
}

impl Rank {
    fn cmp_to(self, other: Self) -> std::cmp::Ordering {
        self.particles.cmp(&other.particles).then(self.capacity.total_cmp(&other.capacity))
    }
}

fn rank(choice: &Choice) -> Rank {
    let capacity = choice.load.capacity();
    Rank { particles: if capacity >= RESERVE { choice.particles } else { 0 }, capacity }
}

/// The largest number of particles in real time with a solver and a search, or the smallest number if none is.
fn most_in_real_time(
    model: &PaceModel<'_>,
    wanted: &Wanted<'_>,
    solver: Solver,
    search: &'static SearchInfo,
) -> Result<Option<Choice>, FluidError> {
    let at = |particles: u32| -> Result<Option<Choice>, FluidError> {
        let load = model.load(&wanted.scene, solver, search, particles)?;
        Ok(load.map(|load| Choice { solver, search, particles, load }))
    };
    if let Some(particles) = wanted.particles {
        return at(particles);
    }
    let (least, most) = (wanted.limits)(search);
    let Some(mut best) = at(least)? else { return Ok(None) };
    if best.load.capacity() < RESERVE {
        return Ok(Some(best));
    }
    let last = at(most.max(least))?;
    if let Some(last) = last.filter(|last| last.load.capacity() >= RESERVE) {
        return Ok(Some(last));
    }
    // The pace falls with the number of particles, so halving the interval of its logarithm finds the last one.
    let (mut low, mut high) = (f64::from(least.max(1)).ln(), f64::from(most.max(least)).ln());
    for _ in 0..20 {
        let middle = 0.5 * (low + high);
        match at(rounded(middle.exp()).clamp(least, most.max(least)))? {
            Some(choice) if choice.load.capacity() >= RESERVE => {
                if choice.particles >= best.particles {
                    best = choice;
                }
                low = middle;
            }
            _ => high = middle,
        }
    }
    Ok(Some(best))
}

/// A number of particles with few digits, which is easier to read and to compare.
fn rounded(particles: f64) -> u32 {
    let unit = 10.0_f64.powi((particles.max(1.0).log10().floor() as i32 + 1 - DIGITS).max(0));
    ((particles / unit).floor() * unit) as u32
}

#[cfg(test)]
mod tests {
    use glam::UVec2;

    use super::*;
    use crate::fluid::{SOLVERS, Scene, SmoothingKernel};
    use crate::pace::{DeviceBook, DrawingTime, Motion, StepTime};
    use crate::render::DrawStyle;
    use crate::search::search_named;

    /// A device on which a step of a pair of solver and search takes some nanoseconds a particle.
    fn device(costs: &[(&str, &str, f64)]) -> DeviceBook {
        let steps = costs.iter().flat_map(|&(solver, search, nanoseconds)| {
            [1_000_u32, 1_000_000].map(|particles| StepTime {
                solver: solver.into(),
                search: search.into(),
                particles,
                motion: Motion::Moving,
                milliseconds: 1e-6 * nanoseconds * f64::from(particles),
            })
        });
        let drawings =
            [(1_000, 1_000, 1.0), (2_000, 1_000, 1.0), (1_000, 2_000, 1.0)].map(|(particles, pixels, milliseconds)| {
                DrawingTime { style: DrawStyle::Water, particles, pixels, milliseconds }
            });
        DeviceBook { device: "a device".into(), steps: steps.collect(), drawings: drawings.into(), splatting: None }
    }

    fn solver(name: &str) -> Solver {
        Solver(SOLVERS.iter().find(|info| info.name == name).expect("a solver"))
    }

    fn chosen(book: &DeviceBook, most: u32, particles: Option<u32>) -> Choice {
        let scene = Scene::load("dam_break").expect("an embedded scene");
        let nothing = DeviceBook::default();
        let searches = ["claws", "fenns"].map(|name| search_named(name).expect("a search"));
        let wanted = Wanted {
            scene: SceneLoad {
                scene: &scene,
                kernel: SmoothingKernel::default(),
                style: DrawStyle::Water,
                size: UVec2::new(1_280, 720),
                budget: 1.0 / 60.0,
            },
            solvers: &[solver("wcsph"), solver("pbf")],
            searches: &searches,
            limits: &|_| (4_096, most),
            particles,
        };
        let model = PaceModel { reference: book, measured: &nothing };
        choose(&model, &wanted).expect("the scene suits").expect("times are known")
    }

    #[test]
    fn the_most_particles_in_real_time_win_and_the_pace_is_neither_missed_nor_wasted() {
        let book =
            device(&[("wcsph", "claws", 1.0), ("wcsph", "fenns", 2.0), ("pbf", "claws", 40.0), ("pbf", "fenns", 30.0)]);
        let choice = chosen(&book, 4_000_000, None);
        let others =
            [("wcsph", "claws"), ("wcsph", "fenns"), ("pbf", "claws"), ("pbf", "fenns")].map(|(name, search)| {
                let one = device(&[(name, search, book.steps_of(name, search)[0].milliseconds * 1e3)]);
                chosen(&one, 4_000_000, None).particles
            });
        assert_eq!(choice.particles, others.into_iter().max().expect("four of them"));
        let capacity = choice.load.capacity();
        assert!((1.05..1.1).contains(&capacity), "{capacity}");
        assert!(choice.to_string().ends_with(": real time"), "{choice}");
    }

    #[test]
    fn the_limit_of_the_device_is_kept_and_a_slow_device_takes_the_fewest_particles_at_the_highest_pace() {
        let book = device(&[("wcsph", "claws", 1.0), ("pbf", "claws", 1.0)]);
        assert_eq!(chosen(&book, 20_000, None).particles, 20_000);
        let slow = device(&[("wcsph", "claws", 5e5), ("pbf", "claws", 5e6), ("pbf", "fenns", 1.1e6)]);
        let choice = chosen(&slow, 4_000_000, None);
        assert_eq!(choice.particles, 4_096);
        assert!(!choice.is_real_time());
        let paces = [("wcsph", "claws", 5e5), ("pbf", "fenns", 1.1e6)]
            .map(|cost| chosen(&device(&[cost]), 4_000_000, None).load.capacity());
        assert!((choice.load.capacity() - paces[0].max(paces[1])).abs() < 1e-9);
        assert!(choice.to_string().contains("times real time"), "{choice}");
    }

    #[test]
    fn a_given_number_of_particles_is_kept() {
        let book = device(&[("wcsph", "claws", 1.0), ("wcsph", "fenns", 0.5)]);
        let choice = chosen(&book, 4_000_000, Some(777_777));
        assert_eq!((choice.particles, choice.search.name), (777_777, "fenns"));
    }
}
