//! Picks a particle by what the running search does for it: a border particle, or the one with the most candidates. The
//! inspector records evenly distributed particles, and the best of them is selected.

use super::{LabControls, LabSelection};
use crate::app::setup_command::Outcome;
use crate::app::{Controls, Report};
use crate::laboratory::PickedFields;
use crate::search::{MOST_RECORDED, ParticleRecord};

/// Which particle is picked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::app) enum PickRule {
    /// The border particle with the most neighbors.
    Border,
    /// The inner particle with the most neighbors.
    Inner,
    /// The particle with the most candidates.
    MostCandidates,
    /// The particle with the fewest candidates.
    FewestCandidates,
    /// The particle with the most neighbors.
    MostNeighbors,
    /// The particle with the fewest neighbors.
    FewestNeighbors,
}

impl PickRule {
    /// All rules.
    pub(in crate::app) const ALL: [Self; 6] = [
        Self::Border,
        Self::Inner,
        Self::MostCandidates,
        Self::FewestCandidates,
        Self::MostNeighbors,
        Self::FewestNeighbors,
    ];

    /// Its name in scripts.
    pub(in crate::app) fn name(self) -> &'static str {
        match self {
            Self::Border => "border",
            Self::Inner => "inner",
            Self::MostCandidates => "most-candidates",
            Self::FewestCandidates => "fewest-candidates",
            Self::MostNeighbors => "most-neighbors",
            Self::FewestNeighbors => "fewest-neighbors",
        }
    }

    /// How well a particle meets the rule; `None` if it does not.
    fn rank(self, fields: &PickedFields, record: &ParticleRecord) -> Option<i64> {
        let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        let (candidates, neighbors) = (number(record.tested.len()), number(record.neighbor_count()));
        let is_border = fields.is_border > 0;
        match self {
            Self::Border => is_border.then_some(neighbors),
            Self::Inner => (!is_border).then_some(neighbors),
            Self::MostCandidates => Some(candidates),
            Self::FewestCandidates => Some(-candidates),
            Self::MostNeighbors => Some(neighbors),
            Self::FewestNeighbors => Some(-neighbors),
        }
    }
}

impl LabControls {
    /// Whether the camera moves to a particle that a script picks. Only the inspector shows a single particle's
    /// surroundings.
    pub(in crate::app) fn frames_picks(&self) -> bool {
        self.view().name == "inspector"
    }
}

/// Original indices of that many particles, evenly distributed over all.
fn sample(particle_count: u32, size: usize) -> Vec<u32> {
    let size = size.min(particle_count as usize);
    let place = |place: usize| ((2 * place as u64 + 1) * u64::from(particle_count) / (2 * size as u64)) as u32;
    (0..size).map(place).collect()
}

/// Selects a particle by a rule. Takes some frames, in which the sample is selected and recorded.
///
/// # Errors
/// When no particle of the sample meets the rule.
pub(in crate::app) fn pick_by_rule(
    controls: &mut Controls,
    report: &Report,
    rule: PickRule,
) -> Result<Outcome, String> {
    let Some(running) = &report.running else { return Ok(Outcome::Again) };
    let needs_classes = matches!(rule, PickRule::Border | PickRule::Inner);
    if needs_classes && running.cells.is_none_or(|cells| cells.border.is_none()) {
        let title = running.settings.search.title;
        return Err(format!("{title} does not distinguish border from inner particles; select fenns or claws first"));
    }
    let count = running.resolution.particle_count;
    let sizes = std::iter::successors(Some(MOST_RECORDED), |size| Some(size / 2).filter(|size| *size > 0));
    let of_size = |size| LabSelection::Particles(sample(count, size));
    let Some(size) = sizes.clone().find(|size| controls.lab.selection == of_size(*size)) else {
        controls.lab.select(of_size(MOST_RECORDED));
        return Ok(Outcome::Again);
    };
    let target = LabControls::target_of(&controls.lab.selection, report);
    let Some(inspection) = report.lab.inspection.as_deref().filter(|found| found.target == target) else {
        return Ok(Outcome::Again);
    };
    // A recording holds a limited number of events; if some were lost, fewer particles are recorded.
    if inspection.recording.lost > 0 && size > 1 {
        controls.lab.select(of_size(size / 2));
        return Ok(Outcome::Again);
    }
    let found = inspection.fields.iter().zip(&inspection.recording.particles).zip(&target.particles);
    let ranked = found.filter(|((fields, _), _)| fields.found > 0).filter_map(|((fields, record), particle)| {
        let rank = rule.rank(fields, record)?;
        Some((rank, std::cmp::Reverse(*particle)))
    });
    let Some((_, std::cmp::Reverse(best))) = ranked.max() else {
        return Err(format!(
            "none of the {} recorded particles meets the rule {}",
            target.particles.len(),
            rule.name()
        ));
    };
    controls.lab.select(LabSelection::Particle(best));
    controls.lab.wants_framing = controls.lab.frames_picks();
    Ok(Outcome::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_is_even_and_has_no_particle_twice() {
        for (count, size) in [(1_000, 64), (10, 64), (1, 64), (64, 64), (1_000_000, 32)] {
            let sample = sample(count, size);
            assert_eq!(sample.len(), size.min(count as usize));
            assert!(sample.windows(2).all(|pair| pair[0] < pair[1]), "{count}: {sample:?}");
            assert!(sample.last().is_some_and(|last| *last < count));
        }
    }
}
