//! Owns the oracle badge of the running search: creates it, starts its checks after builds, and accumulates its
//! results.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Badge, BadgeInput, Verdict};
use crate::fluid::Simulation;
use crate::format;
use crate::gpu::{AdapterClass, Gpu};

/// If checks would be farther apart than this, the badge is off by default.
const LONGEST_INTERVAL: Duration = Duration::from_secs(20);
/// Seed of the random samples.
const SEED: u64 = 1;

/// The state and the results of the badge.
#[derive(Clone, Debug, Default)]
pub struct BadgeReport {
    /// Whether it is on.
    pub on: bool,
    /// Why it is off by default; `None` if it is on by default.
    pub why_off: Option<String>,
    /// Number of sampled particles that were compared with brute force since the search was created.
    pub checked: u64,
    /// The last check.
    pub last: Option<Arc<Verdict>>,
    /// The last check since the search was created that found an error.
    pub wrong: Option<Arc<Verdict>>,
    /// Time from one check to the next.
    pub interval: Duration,
    /// Why checks are impossible.
    pub error: Option<String>,
}

/// Owns the badge of the running search while the badge is on.
#[derive(Default)]
pub struct BadgeKeeper {
    badge: Option<Badge>,
    made_for: Option<u64>,
    too_expensive: Option<Duration>,
    /// Whether the tables were built since the last check, and have not changed since.
    fresh: bool,
    report: BadgeReport,
}

impl BadgeKeeper {
    /// Creates or drops the badge, and collects its results. `wanted` is the user's choice; with `None`, the class of
    /// the adapter and the cost of a check decide. Never waits.
    pub fn follow(&mut self, gpu: &Gpu, simulation: &Simulation, wanted: Option<bool>) -> &BadgeReport {
        self.report.why_off = self.why_off(gpu.capabilities.class);
        self.report.on = wanted.unwrap_or(self.report.why_off.is_none());
        if !self.report.on {
            *self = Self {
                too_expensive: self.too_expensive,
                report: BadgeReport { why_off: self.report.why_off.take(), ..BadgeReport::default() },
                ..Self::default()
            };
            return &self.report;
        }
        if self.made_for != Some(simulation.build_number()) {
            self.made_for = Some(simulation.build_number());
            self.fresh = false;
            let input = BadgeInput {
                search: simulation.search(),
                identities: Some(simulation.sorted_identities()),
                particle_count: simulation.particles().count,
                domain: simulation.search_domain(),
            };
            let made = Badge::new(gpu, input, SEED);
            self.report = BadgeReport { on: true, why_off: self.report.why_off.take(), ..BadgeReport::default() };
            self.report.error = made.as_ref().err().map(ToString::to_string);
            self.badge = made.ok();
        }
        let Some(badge) = &mut self.badge else { return &self.report };
        match badge.take(gpu) {
            Ok(None) => {}
            Ok(Some(verdict)) => {
                self.report.checked += u64::from(verdict.checked - verdict.undecided);
                self.report.interval = badge.interval();
                self.too_expensive = Some(badge.interval()).filter(|interval| *interval > LONGEST_INTERVAL);
                let verdict = Arc::new(verdict);
                if !verdict.is_right() {
                    self.report.wrong = Some(Arc::clone(&verdict));
                }
                self.report.last = Some(verdict);
            }
            Err(error) => {
                self.report.error = Some(error.to_string());
                self.badge = None;
            }
        }
        &self.report
    }

    fn why_off(&self, class: AdapterClass) -> Option<String> {
        if class == AdapterClass::Software {
            return Some(
                "off by default on this device: checks would slow down the simulation on a software adapter".to_owned(),
            );
        }
        let interval = self.too_expensive?;
        Some(format!(
            "off by default on this device: to take less than 2 % of the time, checks would have to be {} s apart",
            format::number(interval.as_secs_f64())
        ))
    }

    /// Postpones the next check until the tables were built again, because passes of a step that is run pass by pass
    /// have changed them.
    pub fn tables_changed(&mut self) {
        self.fresh = false;
    }

    /// Records a check if one is due. `built` says that the search's tables were built earlier in this frame.
    pub fn record(&mut self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder, built: bool) {
        self.fresh |= built;
        let now = Instant::now();
        if let Some(badge) = self.badge.as_mut().filter(|badge| badge.due(now))
            && self.fresh
        {
            badge.record(gpu, encoder, now);
            self.fresh = false;
        }
    }

    /// Makes the next call of [`BadgeKeeper::follow`] create a new badge, for example after shaders were reloaded.
    pub fn forget(&mut self) {
        self.made_for = None;
    }
}

impl BadgeReport {
    /// The particles that flash in the scene: the offenders, and their missing or wrong partners.
    pub fn wrong_particles(&self) -> impl Iterator<Item = u32> {
        let offenders = self.wrong.iter().flat_map(|verdict| &verdict.offenders);
        offenders.flat_map(|offender| {
            let partners = offender.partners.iter().map(|partner| partner.particle);
            [offender.particle].into_iter().chain(partners).filter(|&particle| particle != u32::MAX)
        })
    }
}
