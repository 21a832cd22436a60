//! The checks that mutants of the searches are tried on: comparisons of a search with the oracle on a fixture.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::VerificationError;
use super::trial::{Trial, Verdict};
use crate::gpu::{Gpu, ShaderLibrary};
use crate::search::verify::{Case, SearchConfiguration, compare};
use crate::search::{Domain, Instrument, PairCounters, SearchInput, count_kernel};

/// A search with its settings on a fixture, and the shader files that its passes are composed of.
pub struct SearchTrial {
    configuration: Arc<SearchConfiguration>,
    files: Arc<BTreeSet<&'static str>>,
    case: Arc<Case>,
}

/// Returns every search on every fixture. Fixtures of about a thousand particles come first, because most mutants are
/// caught by any of them.
///
/// # Errors
/// When a search or a shader fails without any change.
pub fn search_trials(
    gpu: &Gpu,
    mut cases: Vec<Case>,
    configurations: Vec<SearchConfiguration>,
) -> Result<Vec<SearchTrial>, VerificationError> {
    cases.sort_by_key(|case| {
        let count = case.fixture().positions.len();
        (count < 1_000, count)
    });
    let capabilities = gpu.capabilities.clone();
    let validating = Gpu::validating(ShaderLibrary::embedded(), |pretended| *pretended = capabilities)?;
    let users = configurations
        .into_iter()
        .map(|configuration| {
            let files = files_of(&validating, &configuration)?;
            Ok((Arc::new(configuration), Arc::new(files)))
        })
        .collect::<Result<Vec<_>, VerificationError>>()?;
    let mut trials = Vec::new();
    for case in cases.into_iter().map(Arc::new) {
        trials.extend(users.iter().map(|(configuration, files)| SearchTrial {
            configuration: Arc::clone(configuration),
            files: Arc::clone(files),
            case: Arc::clone(&case),
        }));
    }
    Ok(trials)
}

impl Trial for SearchTrial {
    fn subject(&self) -> String {
        self.configuration.to_string()
    }

    fn fixture(&self) -> String {
        self.case.fixture().name.clone()
    }

    fn uses(&self, file: &str) -> bool {
        self.files.contains(file)
    }

    fn run(&self, gpu: &Arc<Gpu>) -> Verdict {
        match compare(gpu, &self.configuration, &self.case) {
            Ok(comparison) => {
                comparison.disagreement.map_or(Verdict::Right, |disagreement| Verdict::Wrong(disagreement.to_string()))
            }
            Err(error) => Verdict::of_error(&error.into()),
        }
    }
}

/// The shader files of the passes that a comparison runs, on a device that compiles nothing.
fn files_of(
    validating: &Gpu,
    configuration: &SearchConfiguration,
) -> Result<BTreeSet<&'static str>, VerificationError> {
    let particle_count = 4_097;
    let positions = validating.storage::<[f32; 4]>("positions", particle_count.into())?;
    let input = SearchInput {
        positions: &positions,
        particle_count,
        domain: Domain::new(glam::Vec3::ZERO, glam::Vec3::ONE, 0.1)?,
        options: &configuration.options,
    };
    let search = configuration.search.create(validating, input)?;
    let counts = validating.storage::<u32>("neighbors of each particle", particle_count.into())?;
    let deposits = validating.storage::<u32>("deposited counts", particle_count.into())?;
    let buffers = [("pair_counts", &counts), ("deposits", &deposits)];
    let counters = PairCounters::new(validating, particle_count)?;
    let mut passes = search.build_passes(validating)?;
    passes.extend(search.traversal_passes(validating, count_kernel(&buffers), None)?);
    passes.extend(search.traversal_passes(validating, count_kernel(&buffers), Some(Instrument::Count(&counters)))?);
    // Each comparison lists the neighbors, for which it scans their numbers, and sums a kernel.
    let mut files: BTreeSet<&'static str> = BTreeSet::from([
        "search/list_pairs.wgsl",
        "search/kernel_sum.wgsl",
        "primitives/exclusive_scan.wgsl",
        "primitives/workgroup_scan.wgsl",
    ]);
    for pass in &passes {
        files.extend(validating.shaders().files_of(pass.shader())?);
    }
    Ok(files)
}
