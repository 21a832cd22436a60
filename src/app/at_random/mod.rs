//! Random use of the app without an end: a script whose lines are made at random ([`lines`]), and a watch over what the
//! app does with them ([`watch`]). `nearwater soak --window` runs it.

mod lines;
mod watch;

use std::path::PathBuf;
use std::sync::Arc;

use bevy::prelude::*;

use self::lines::{Next, RandomLines};
use self::watch::Watch;

/// Random use that is asked for.
#[derive(Clone)]
pub struct RandomUse {
    /// Seed of the lines.
    pub seed: u64,
    /// Largest number of particles.
    pub most_particles: u32,
    /// Receives every line before it is carried out, so that a file of them repeats what was done.
    pub lines: PathBuf,
    /// Receives a sentence after each generation, and at the end.
    pub tell: Arc<dyn Fn(&str) + Send + Sync>,
    /// Whether it ends, given the number of lines so far.
    pub is_over: Arc<dyn Fn(u64) -> bool + Send + Sync>,
}

/// Carries out random lines, and watches.
pub(super) struct RandomUsePlugin {
    pub(super) random: RandomUse,
}

impl Plugin for RandomUsePlugin {
    fn build(&self, app: &mut App) {
        let RandomUse { seed, most_particles, .. } = self.random;
        app.insert_resource(Source(RandomLines::new(seed, most_particles)))
            .insert_resource(Watch::new(self.random.clone()))
            .add_systems(Last, watch::watch);
    }
}

/// Where the lines come from.
#[derive(Resource)]
struct Source(RandomLines);

/// The next line, if the app is used at random and this is not over yet.
pub(super) fn next_line(world: &mut World) -> Option<String> {
    loop {
        if world.get_resource::<Watch>()?.is_over() {
            return None;
        }
        match world.resource_mut::<Source>().0.next() {
            Next::Line(line) => {
                world.resource_mut::<Watch>().begin(&line);
                return Some(line);
            }
            Next::Note => world.resource_mut::<Watch>().note(),
        }
    }
}

/// Notes that the app refused a line in a sentence. Returns false if the app is not used at random.
pub(super) fn refuse(world: &mut World, reason: &str) -> bool {
    let Some(mut watch) = world.get_resource_mut::<Watch>() else { return false };
    watch.refuse(reason);
    true
}
