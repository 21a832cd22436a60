//! What an episode does, chosen at random from its seed alone.

use std::fmt;

use glam::{UVec2, Vec3};

use super::materials::{CHANGES, Change};
use crate::fluid::{Face, Scene, SceneEdits, Settings, Size, SmoothingKernel, Solver};
use crate::random_stream::Stream;
use crate::render::DrawStyle;
use crate::search::SearchInfo;
use crate::search::verify::SearchConfiguration;

/// Fewest and most actions of an episode.
const ACTIONS: std::ops::Range<u64> = 5..14;
/// Fewest steps of one action.
const FEWEST_STEPS: u32 = 4;
/// Fewest particles.
const FEWEST: u32 = 100;
/// Sizes of pictures that stress the division into tiles and rows, besides random ones.
const SIZES: [UVec2; 4] = [UVec2::new(1, 1), UVec2::new(1, 301), UVec2::new(257, 1), UVec2::new(640, 400)];

/// Something that a user may do.
#[derive(Clone, Debug)]
pub(super) enum Action {
    Steps(u32),
    Search(SearchConfiguration),
    Solver(Solver),
    Kernel(SmoothingKernel),
    /// A number of the material is set to this share of its largest value.
    Material {
        change: &'static Change,
        share: f32,
    },
    Particles(u32),
    /// A push along a ray between two points, as shares of the box.
    Push {
        from: Vec3,
        to: Vec3,
        inward: f32,
    },
    Release,
    /// Gravity in this direction, as strong as the scene's.
    Gravity(Vec3),
    /// A wall is moved inward by this share of the farthest possible.
    Wall {
        face: Face,
        share: f32,
    },
    Reset,
    SaveAndLoad,
    Picture {
        size: UVec2,
        style: DrawStyle,
    },
}

impl fmt::Display for Action {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Steps(count) => write!(formatter, "{count} steps"),
            Self::Search(configuration) => write!(formatter, "search {configuration}"),
            Self::Solver(solver) => write!(formatter, "solver {}", solver.name()),
            Self::Kernel(kernel) => write!(formatter, "kernel {kernel:?}"),
            Self::Material { change, share } => write!(formatter, "{} by a share of {share}", change.name()),
            Self::Particles(count) => write!(formatter, "{count} particles"),
            Self::Push { from, to, inward } => {
                write!(formatter, "push from {from} to {to} of the box, inward {inward}")
            }
            Self::Release => formatter.write_str("no push"),
            Self::Gravity(direction) => write!(formatter, "gravity towards {direction}"),
            Self::Wall { face, share } => write!(formatter, "{face} wall by {share} of its way"),
            Self::Reset => formatter.write_str("reset"),
            Self::SaveAndLoad => formatter.write_str("save and load"),
            Self::Picture { size, style } => write!(formatter, "picture of {}x{} ({style:?})", size.x, size.y),
        }
    }
}

/// An episode before it is carried out.
pub(super) struct Plan {
    pub scene: Scene,
    pub settings: Settings,
    pub actions: Vec<Action>,
    /// Whether nothing acts on the fluid from outside, so that its momentum stays.
    pub is_isolated: bool,
}

impl Plan {
    /// The episode with this seed, with at most so many particles, and so many steps of one action.
    pub fn random(seed: u64, search: Option<&'static SearchInfo>, most: (u32, u32)) -> Self {
        let mut stream = Stream::new(seed);
        // Every other episode serves all traversals by the searches themselves, the others by lists of neighbors.
        let in_use =
            if seed.is_multiple_of(2) { SearchConfiguration::all } else { SearchConfiguration::all_without_lists };
        let configurations = in_use().into_iter();
        let configurations: Vec<_> = configurations.filter(|of| search.is_none_or(|only| of.search == only)).collect();
        let is_isolated = stream.one_in(5);
        let scene = if is_isolated { drifting_ball(&mut stream) } else { shipped_scene(&mut stream) };
        let chosen = &configurations[stream.below(configurations.len() as u64) as usize];
        let edits = if stream.one_in(2) {
            SceneEdits { solver: Some(solver(&mut stream, is_isolated)), ..SceneEdits::default() }
        } else {
            SceneEdits::default()
        };
        let settings = Settings {
            search: chosen.search,
            options: chosen.options.clone(),
            kernel: SmoothingKernel::default(),
            size: Size::Count(stream.mostly_small(FEWEST, most.0)),
            seed: stream.below(1 << 32),
            edits,
        };
        let length = ACTIONS.start + stream.below(ACTIONS.end - ACTIONS.start);
        let next = |_| action(&mut stream, (&configurations, most), is_isolated);
        let actions = (0..length).map(next).collect();
        Self { scene, settings, actions, is_isolated }
    }

    /// The beginning in words.
    pub fn start(&self) -> String {
        let Settings { search, options, size, .. } = &self.settings;
        let configuration = SearchConfiguration { search, options: options.clone() };
        let solver = self.settings.edits.solver.unwrap_or(self.scene.solver);
        format!("{}, {size:?}, {}, {configuration}", self.scene.name, solver.name())
    }
}

fn solver(stream: &mut Stream, is_fluid: bool) -> Solver {
    let all: Vec<_> = Solver::all().filter(|solver| solver.is_fluid() || !is_fluid).collect();
    all[stream.below(all.len() as u64) as usize]
}

fn action(
    stream: &mut Stream,
    (configurations, (most_particles, most_steps)): (&[SearchConfiguration], (u32, u32)),
    is_isolated: bool,
) -> Action {
    // What acts from outside comes last.
    match stream.below(if is_isolated { 14 } else { 20 }) {
        0..=4 => Action::Steps(stream.mostly_small(FEWEST_STEPS, most_steps)),
        5 | 6 => Action::Search(configurations[stream.below(configurations.len() as u64) as usize].clone()),
        7 => Action::Solver(solver(stream, is_isolated)),
        8 => Action::Kernel(stream.pick(&SmoothingKernel::ALL)),
        9 | 10 => Action::SaveAndLoad,
        11 => {
            let random = UVec2::new(1 + stream.below(400) as u32, 1 + stream.below(300) as u32);
            let size = if stream.one_in(2) { random } else { stream.pick(&SIZES) };
            Action::Picture { size, style: stream.pick(&[DrawStyle::Beads, DrawStyle::Smooth, DrawStyle::Water]) }
        }
        12 | 13 => {
            Action::Material { change: &CHANGES[stream.below(CHANGES.len() as u64) as usize], share: stream.number() }
        }
        14 => Action::Particles(stream.mostly_small(FEWEST, most_particles)),
        15 => Action::Push { from: stream.point(), to: stream.point(), inward: stream.between(-0.5, 0.5) },
        16 => Action::Release,
        17 => Action::Gravity(stream.point() - 0.5),
        18 => Action::Wall { face: stream.pick(&Face::ALL), share: stream.between(0.0, 0.6) },
        _ => Action::Reset,
    }
}

/// One of the scenes of the program.
fn shipped_scene(stream: &mut Stream) -> Scene {
    let name = stream.pick(&Scene::names());
    match Scene::load(name) {
        Ok(scene) => scene,
        Err(error) => unreachable!("the scene {name} ships with the program: {error}"),
    }
}

/// A ball that drifts slowly in the middle of a box without gravity, too far from its walls to reach one.
fn drifting_ball(stream: &mut Stream) -> Scene {
    let velocity = 0.2 * (stream.point() - 0.5);
    let text = format!(
        "(title: \"Drifting ball\", description: \"\", low: (0.0, 0.0, 0.0), high: (4.0, 4.0, 4.0),
        blocks: [(low: (1.4, 1.4, 1.4), high: (2.6, 2.6, 2.6), shape: Ball, velocity: ({}, {}, {}))],
        gravity: (0.0, 0.0, 0.0),
        material: (rest_density: 1000.0, sound_speed_factor: 10.0, viscosity: 0.1, radius_ratio: 2.0))",
        velocity.x, velocity.y, velocity.z
    );
    match Scene::parse("drifting_ball.ron", &text) {
        Ok(scene) => scene,
        Err(error) => unreachable!("the scene is valid: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Action, Plan};

    #[test]
    fn a_seed_repeats_its_episode_and_every_action_occurs() {
        let mut found = std::collections::BTreeSet::new();
        for seed in 0..200 {
            let (plan, again) = (Plan::random(seed, None, (1_000, 40)), Plan::random(seed, None, (1_000, 40)));
            let text = |plan: &Plan| format!("{} {:?}", plan.start(), plan.actions);
            assert_eq!(text(&plan), text(&again));
            found.extend(plan.actions.iter().map(|action| format!("{action:?}").chars().take(5).collect::<String>()));
            if plan.is_isolated {
                let acts_from_outside =
                    |action: &Action| matches!(action, Action::Push { .. } | Action::Gravity(_) | Action::Wall { .. });
                assert!(!plan.actions.iter().any(acts_from_outside), "{:?}", plan.actions);
            }
        }
        assert_eq!(found.len(), 13, "{found:?}");
    }
}
