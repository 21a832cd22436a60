//! Times several searches on a scenario and waits for the result.

use super::BenchError;
use super::scenario::{InputOrder, Scenario, upload};
use super::trial::{SearchRow, SearchTrial, TrialInput};
use crate::gpu::Gpu;
use crate::search::verify::SearchConfiguration;

/// Times every configuration that accepts the scenario; the others return their refusal.
///
/// # Errors
/// When the device fails or has no timestamps, or a timed result is wrong.
pub fn time_searches(
    gpu: &Gpu,
    scenario: &Scenario,
    order: InputOrder,
    configurations: &[SearchConfiguration],
    runs: u32,
) -> Result<Vec<SearchRow>, BenchError> {
    let input = TrialInput {
        positions: upload(gpu, &scenario.positions(order))?,
        particle_count: scenario.particle_count,
        domain: scenario.domain()?,
    };
    let mut trial = SearchTrial::new(gpu, input, configurations.to_vec(), runs)?.refuse_wrong_results();
    while !trial.advance(gpu)?.is_done() {
        gpu.wait()?;
    }
    Ok(trial.rows())
}
