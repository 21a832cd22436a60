//! Finds the search with which a scene runs fastest on a device, by running a few steps with each.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::{BenchError, StepTiming, time_of_step};
use crate::fluid::{Scene, Settings};
use crate::gpu::Gpu;
use crate::search::{SEARCHES, SearchInfo};

/// Wall-clock time for which steps of each search are timed. It is longer than an idle device takes to raise its clock
/// rate.
const LONG_ENOUGH: Duration = Duration::from_millis(120);
/// A search whose first steps take this many times as long as those of the fastest so far is not timed any further.
const HOPELESS: f64 = 4.0;

/// The time of a step with one search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepTime {
    /// The search.
    pub search: &'static SearchInfo,
    /// Wall-clock time of a step, ms.
    pub milliseconds: f64,
}

/// The searches in the order of their speed in a scene.
#[derive(Clone, Debug)]
pub struct Ranking {
    /// The searches that accept the scene, the fastest first; never empty.
    times: Vec<StepTime>,
}

impl Ranking {
    /// The fastest search.
    pub fn fastest(&self) -> StepTime {
        self.times[0]
    }

    /// All searches that accept the scene, the fastest first.
    pub fn times(&self) -> &[StepTime] {
        &self.times
    }
}

impl fmt::Display for Ranking {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let StepTime { search, milliseconds } = self.fastest();
        write!(formatter, "{} is the fastest search here, with {milliseconds:.2} ms a step", search.title)?;
        let others = self.times.iter().skip(1);
        let ratio = |other: &StepTime| format!("{} {:.2}", other.search.title, other.milliseconds / milliseconds);
        let others: Vec<_> = others.map(ratio).collect();
        if others.is_empty() { Ok(()) } else { write!(formatter, "; times as long: {}", others.join(", ")) }
    }
}

/// Runs the scene for a fraction of a second with every search that accepts it. The settings other than the search are
/// kept. Takes a few seconds.
///
/// # Errors
/// When no search accepts the scene, or the device fails.
pub fn rank_searches(gpu: &Arc<Gpu>, scene: &Scene, settings: &Settings) -> Result<Ranking, BenchError> {
    let mut times: Vec<StepTime> = Vec::new();
    let mut refusal = None;
    for &search in SEARCHES {
        let best = times.iter().map(|time| time.milliseconds).fold(f64::INFINITY, f64::min);
        let timing = StepTiming { at_least: LONG_ENOUGH, hopeless: HOPELESS * best };
        match time_of_step(gpu, scene, &Settings { search, ..settings.clone() }, &timing) {
            Ok(milliseconds) => times.push(StepTime { search, milliseconds }),
            Err(BenchError::Fluid(error)) if error.is_refusal() => {
                refusal = Some(BenchError::Fluid(error));
            }
            Err(error) => return Err(error),
        }
    }
    times.sort_by(|one, other| one.milliseconds.total_cmp(&other.milliseconds));
    match refusal {
        Some(error) if times.is_empty() => Err(error),
        _ => Ok(Ranking { times }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fluid::{SceneEdits, Size, SmoothingKernel};
    use crate::gpu::ShaderLibrary;
    use crate::search::SearchOptions;

    #[test]
    fn every_search_is_timed_and_the_fastest_comes_first() {
        let gpu = Gpu::open(None, ShaderLibrary::embedded().checked()).expect("an adapter");
        let scene = Scene::load("drop").expect("an embedded scene");
        let settings = Settings {
            search: SearchInfo::default_for_scenes(),
            options: SearchOptions::default(),
            kernel: SmoothingKernel::default(),
            size: Size::Count(400),
            seed: 7,
            edits: SceneEdits::default(),
        };
        let ranking = rank_searches(&gpu, &scene, &settings).expect("every search accepts so few particles");
        assert_eq!(ranking.times().len(), SEARCHES.len());
        assert!(ranking.times().is_sorted_by(|one, other| one.milliseconds <= other.milliseconds));
        assert!(ranking.fastest().milliseconds > 0.0);
        let words = ranking.to_string();
        assert!(SEARCHES.iter().all(|search| words.contains(search.title)), "{words}");
    }
}
