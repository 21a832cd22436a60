//! A short run of random use, and wrong shaders that it must reveal.

mod common;
#[path = "common/replaced_line.rs"]
mod replaced_line;
#[path = "common/shader_folder.rs"]
mod shader_folder;

use nearwater::search::{SearchInfo, search_named};
use nearwater::soak::{Episode, Soak, SoakTotals};

use self::replaced_line::with_replaced_line;

const SEED: u64 = 20_261_123;

fn soak(folder: &tempfile::TempDir, search: Option<&'static SearchInfo>) -> Soak {
    let totals = SoakTotals::default();
    Soak { seed: SEED, search, most_particles: 400, most_steps: 40, folder: folder.path().to_owned(), totals }
}

#[test]
fn random_use_breaks_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut soak = soak(&folder, None);
    for _ in 0..8 {
        let episode = soak.episode(&common::gpu(), &|| false).expect("the device answers");
        assert!(episode.failure.is_none(), "{episode:#?}");
    }
    let SoakTotals { episodes, steps, actions, .. } = soak.totals;
    assert!(episodes == 8 && steps > 100 && actions > 30, "{:?}", soak.totals);
}

#[test]
fn an_episode_ends_when_it_is_called_off() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut soak = Soak { most_steps: 100_000, ..soak(&folder, search_named("green").ok()) };
    let asked = std::cell::Cell::new(0);
    let is_over = || {
        asked.set(asked.get() + 1);
        asked.get() > 3
    };
    let episode = soak.episode(&common::gpu(), &is_over).expect("the device answers");
    assert!(episode.failure.is_none() && episode.steps < 100, "{episode:#?}");
}

/// The first failure with a changed line in a shader.
fn failure_with(file: &str, from: &str, to: &str, episodes: u64) -> Episode {
    let (_shaders, gpu) = with_replaced_line(file, (from, to));
    let folder = tempfile::tempdir().expect("a folder");
    let mut soak = soak(&folder, Some(search_named("green").expect("a search")));
    let found = (0..episodes).map(|_| soak.episode(&gpu, &|| false).expect("the device answers"));
    let mut failures = found.filter(|episode| episode.failure.is_some());
    failures.next().unwrap_or_else(|| panic!("{episodes} episodes did not reveal \"{to}\" in {file}"))
}

#[test]
fn water_that_gains_momentum_is_found() {
    let failure = failure_with(
        "fluid/wcsph/forces.wgsl",
        "before + fluid.time_step * acceleration",
        "before + fluid.time_step * (acceleration + vec3<f32>(3.0, 0.0, 0.0))",
        12,
    );
    assert!(failure.failure.as_ref().is_some_and(|reason| reason.contains("mean velocity")), "{failure:#?}");
}

#[test]
fn water_that_explodes_is_found() {
    let failure = failure_with(
        "fluid/wcsph/forces.wgsl",
        "before + fluid.time_step * acceleration",
        "before + 30.0 * fluid.time_step * acceleration",
        12,
    );
    let reason = failure.failure.as_deref().unwrap_or_default();
    assert!(["moves at", "a density", "not finite"].iter().any(|part| reason.contains(part)), "{failure:#?}");
    assert!(failure.sequence.len() > 1, "{failure:#?}");
}

#[test]
fn particles_that_leave_the_box_are_found() {
    let failure = failure_with(
        "fluid/integration.wgsl",
        "return select(not_below, high, not_below > high);",
        // Walls without a limit alone let few through, since the images behind them hold the water.
        "return select(next, next, not_below > high) - vec3<f32>(0.0, 0.1 / fluid.inverse_spacing, 0.0);",
        12,
    );
    assert!(failure.failure.as_ref().is_some_and(|reason| reason.contains("outside the box")), "{failure:#?}");
}
