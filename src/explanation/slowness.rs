//! One sentence on what costs the most time, computed from counters and times.

use super::Unit;
use crate::format;

/// Share of the step below which no cause is named as the main one.
const NOTABLE: f64 = 0.2;

/// What can take most of the time of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlownessCause {
    /// Most tested particles are not neighbors.
    Candidates,
    /// Lanes of a subgroup wait for the lane with the most work.
    Divergence,
    /// The sort and the tables of the build.
    Build,
    /// A workgroup takes so much workgroup memory that few workgroups run at a time.
    WorkgroupMemory,
    /// Passes that do not belong to the search.
    Elsewhere,
}

/// What helps a search against a cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advice {
    /// The cause.
    pub cause: SlownessCause,
    /// What helps, as the second half of a sentence: "a cell edge of r has fewer candidates".
    pub words: &'static str,
}

impl Advice {
    /// What helps against a cause.
    pub const fn new(cause: SlownessCause, words: &'static str) -> Self {
        Self { cause, words }
    }
}

/// The counters and times from which the sentence is computed; `None` where something was not measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SlownessCounters {
    /// Candidates per neighbor; 1 if only neighbors are tested.
    pub candidates_per_neighbor: Option<f64>,
    /// Fraction of the rounds in which a lane waits for other lanes, 0 to 1.
    pub idle_lanes: Option<f64>,
    /// Time of the passes of the build, ms.
    pub build: Option<f64>,
    /// Time of the traversals that test candidates, ms: those that read a list of neighbors test none.
    pub traversal: Option<f64>,
    /// Time of all passes of a step, ms.
    pub step: Option<f64>,
    /// Workgroup memory that a workgroup of the traversal allocates, and that the device has for one workgroup, bytes.
    pub workgroup_memory: Option<(u32, u32)>,
}

/// The main cause, and a sentence about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Slowness {
    /// The main cause; `None` if nothing was counted or no cause takes a fifth of the step.
    pub cause: Option<SlownessCause>,
    /// A sentence with the numbers.
    pub sentence: String,
}

impl SlownessCounters {
    /// Fractions of the step that the build and the traversals take. Without times, the traversal counts as all.
    fn shares(&self) -> (Option<f64>, f64) {
        let of_step = |part: Option<f64>| Some(part? / self.step.filter(|step| *step > 0.0)?);
        (of_step(self.build), of_step(self.traversal).unwrap_or(1.0))
    }

    /// The fraction of the step that each cause takes, as far as it was measured. The time of a traversal is divided
    /// into the rounds in which lanes wait, the tests of particles that are not neighbors, and those of neighbors.
    pub fn losses(&self) -> Vec<(SlownessCause, f64)> {
        let (build, traversal) = self.shares();
        let idle = self.idle_lanes.map(|idle| idle.clamp(0.0, 1.0));
        let wasted = self.candidates_per_neighbor.map(|candidates| 1.0 - 1.0 / candidates.max(1.0));
        let elsewhere = build.map(|build| (1.0 - build - traversal).max(0.0));
        [
            (SlownessCause::Candidates, wasted.map(|wasted| traversal * (1.0 - idle.unwrap_or(0.0)) * wasted)),
            (SlownessCause::Divergence, idle.map(|idle| traversal * idle)),
            (SlownessCause::Build, build),
            (SlownessCause::Elsewhere, elsewhere),
        ]
        .into_iter()
        .filter_map(|(cause, loss)| Some((cause, loss?)))
        .collect()
    }

    /// Number of workgroups whose memory fits at a time where only the memory of one workgroup is available.
    fn resident(&self) -> Option<u32> {
        let (used, limit) = self.workgroup_memory?;
        limit.checked_div(used)
    }

    fn sentence(&self, cause: SlownessCause, loss: f64) -> String {
        let percent = |share: f64| Unit::Share.written(share);
        let milliseconds = |time: Option<f64>| format::number(time.unwrap_or_default());
        match cause {
            SlownessCause::Candidates => format!(
                "Candidates cost the most: {} distances are computed per neighbor, so that about {} of the step goes \
                 to particles that are not neighbors",
                format::number(self.candidates_per_neighbor.unwrap_or_default()),
                percent(loss),
            ),
            SlownessCause::Divergence => format!(
                "Divergence costs the most: lanes wait for others of their subgroup in {} of the rounds, which is \
                 about {} of the step",
                percent(self.idle_lanes.unwrap_or_default()),
                percent(loss),
            ),
            SlownessCause::Build => format!(
                "The build costs the most: the sort and the tables take {} of {} ms, {} of the step",
                milliseconds(self.build),
                milliseconds(self.step),
                percent(loss),
            ),
            SlownessCause::Elsewhere => format!(
                "The search is not what costs the most: {} of the step, which takes {} ms, is spent in other passes",
                percent(loss),
                milliseconds(self.step),
            ),
            SlownessCause::WorkgroupMemory => {
                let (used, limit) = self.workgroup_memory.unwrap_or_default();
                format!(
                    "Workgroup memory limits the search: a workgroup takes {} of {}, so that few workgroups run at a \
                     time and barriers leave lanes without work",
                    format::bytes(used.into()),
                    format::bytes(limit.into()),
                )
            }
        }
    }
}

/// Names the main cause of the time of a step in one sentence, with what helps against it if `advice` contains it.
pub fn why_slow(counters: &SlownessCounters, advice: &[Advice]) -> Slowness {
    let losses = counters.losses();
    let Some(&(cause, loss)) = losses.iter().max_by(|one, other| one.1.total_cmp(&other.1)) else {
        return Slowness { cause: None, sentence: "Nothing has been counted or timed yet.".into() };
    };
    // What memory costs cannot be measured, so it is named only if nothing that is measured explains the time.
    let (cause, loss) = match counters.resident() {
        Some(0..=1) if loss < NOTABLE => (SlownessCause::WorkgroupMemory, NOTABLE),
        _ => (cause, loss),
    };
    if loss < NOTABLE {
        let sentence = format!(
            "Nothing stands out: the largest loss that was measured is {} of the step.",
            Unit::Share.written(loss)
        );
        return Slowness { cause: None, sentence };
    }
    let mut sentence = counters.sentence(cause, loss);
    if let Some(advice) = advice.iter().find(|advice| advice.cause == cause) {
        sentence += "; ";
        sentence += advice.words;
    }
    sentence.push('.');
    Slowness { cause: Some(cause), sentence }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A change of the counters, the cause that it brings about, and a part of the sentence.
    type Case = (fn(&mut SlownessCounters), SlownessCause, &'static str);

    /// A step of 10 ms, most of it in a traversal that tests few candidates in vain.
    const EVEN: SlownessCounters = SlownessCounters {
        candidates_per_neighbor: Some(1.1),
        idle_lanes: Some(0.05),
        build: Some(1.0),
        traversal: Some(8.0),
        step: Some(10.0),
        workgroup_memory: Some((4_096, 49_152)),
    };

    fn slowness(alter: impl FnOnce(&mut SlownessCounters)) -> Slowness {
        let mut counters = EVEN;
        alter(&mut counters);
        why_slow(&counters, &[Advice::new(SlownessCause::Candidates, "narrower cells have fewer")])
    }

    #[test]
    fn the_main_cause_follows_the_counters() {
        assert_eq!(slowness(|_| ()).cause, None);
        assert!(slowness(|_| ()).sentence.starts_with("Nothing stands out"));
        let cases: [Case; 5] = [
            (|it| it.candidates_per_neighbor = Some(6.5), SlownessCause::Candidates, "6.50 distances"),
            (|it| it.idle_lanes = Some(0.6), SlownessCause::Divergence, "60.0 % of the rounds"),
            (|it| (it.build, it.traversal) = (Some(7.0), Some(2.0)), SlownessCause::Build, "7.00 of 10.0 ms, 70.0 %"),
            (|it| it.traversal = Some(2.0), SlownessCause::Elsewhere, "70.0 % of the step"),
            (
                |it| it.workgroup_memory = Some((40_000, 49_152)),
                SlownessCause::WorkgroupMemory,
                "takes 40.0 kB of 49.2 kB",
            ),
        ];
        for (alter, cause, numbers) in cases {
            let found = slowness(alter);
            assert_eq!(found.cause, Some(cause), "{}", found.sentence);
            assert!(found.sentence.contains(numbers), "{}", found.sentence);
        }
    }

    #[test]
    fn the_numbers_of_the_sentence_change_with_the_counters() {
        let many = slowness(|it| it.candidates_per_neighbor = Some(6.5)).sentence;
        let more = slowness(|it| it.candidates_per_neighbor = Some(13.0)).sentence;
        // 8 of 10 ms, of which lanes wait 5 %, times 1 - 1 / 6.5 and 1 - 1 / 13.
        assert!(many.contains("about 64.3 % of the step"), "{many}");
        assert!(more.contains("13.0 distances") && more.contains("about 70.2 % of the step"), "{more}");
        assert!(many.ends_with("; narrower cells have fewer."), "{many}");
        let diverging = slowness(|it| it.idle_lanes = Some(0.6)).sentence;
        assert!(!diverging.contains("narrower"), "the advice is for another cause: {diverging}");
    }

    #[test]
    fn idle_lanes_reduce_the_share_of_candidates() {
        let loss = |idle: f64| {
            let counters = SlownessCounters { candidates_per_neighbor: Some(4.0), idle_lanes: Some(idle), ..EVEN };
            counters.losses()[0].1
        };
        assert!((loss(0.0) - 0.6).abs() < 1e-12 && (loss(0.5) - 0.3).abs() < 1e-12);
    }

    #[test]
    fn without_times_the_traversal_counts_as_the_whole_step() {
        let counters = SlownessCounters { candidates_per_neighbor: Some(4.0), ..SlownessCounters::default() };
        let found = why_slow(&counters, &[]);
        assert_eq!(found.cause, Some(SlownessCause::Candidates));
        assert!(found.sentence.contains("75.0 %"), "{}", found.sentence);
        let unknown = why_slow(&SlownessCounters::default(), &[]);
        assert!(unknown.cause.is_none() && unknown.sentence.contains("yet"), "{}", unknown.sentence);
    }
}
