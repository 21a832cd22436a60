//! The oracle badge: while the simulation runs, the search's result for a sample of particles is compared with brute
//! force on the device, using the tables of the last build.
//!
//! A check has three parts. First, the particles of a new random sample are marked. Then the running search's own
//! traversal runs with a pair kernel that counts the neighbors of the sampled particles, sums hashes of the neighbors'
//! identities, and lists them. Finally, one workgroup per sampled particle tests it against every particle. Pairs whose
//! distance differs from the radius by at most [`AMBIGUOUS_FRACTION`] of it may or may not be found: the sums must
//! match the certain neighbors with any subset of the ambiguous ones. In addition, the hashes of all identities are
//! summed, which shows whether the sorted order still contains every particle exactly once.
//!
//! What a check can miss: a search that is wrong for a fraction p of the particles passes a check of S particles with
//! probability (1 - p)^S. With S = 64, one check detects damage to 5 % of the particles with a probability of 96 %,
//! while damage to a single one of a million particles is detected only after many hours. Positions that the build
//! copied wrongly are not detected, because brute force reads the same sorted positions; `nearwater verify` checks
//! both. Two different sets with the same number of neighbors have equal sums with a probability of 2^-32.
//!
//! Memory while the badge is on: 16 bytes per particle, or 8 for a search that does not deposit, and about 1.3 MB.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use glam::{UVec3, Vec3};

use super::LaboratoryError;
use crate::format;
use crate::gpu::{
    Dispatch, Gpu, GpuError, PairKernel, Pass, PassDescriptor, PassTimer, Phase, Readback, ShaderVariant, gpu_struct,
    record_as_one,
};
use crate::search::random::uniform;
use crate::search::{AMBIGUOUS_FRACTION, BoundPairKernel, Cells, Domain, NeighborSearch, SearchInfo};

const FILE: &str = "laboratory/judge_sample.wgsl";
const KERNEL: PairKernel = PairKernel::new("laboratory/sample_neighbors.wgsl", false);

/// Sampled particles of a check.
const SAMPLE: u32 = 64;
/// Largest number of listed neighbors per sampled particle; equals `LISTED_MOST` in sample.wgsl.
const LISTED_MOST: usize = 512;
/// Equals `FOUND_STRIDE` in sample.wgsl.
const FOUND_STRIDE: usize = 4 + LISTED_MOST;
/// These equal `JUDGED_FIRST`, `JUDGED_STRIDE` and `AMBIGUOUS_MOST` in `judge_sample.wgsl`.
const JUDGED_FIRST: usize = 4;
const JUDGED_STRIDE: usize = 20;
const AMBIGUOUS_MOST: usize = 8;
/// Marks the absence of an identity or a slot; equals `NO_INDEX` in sample.wgsl.
const NO_INDEX: u32 = u32::MAX;
/// Largest number of wrong particles that a verdict describes.
const NAMED_MOST: usize = 8;

/// Largest fraction of the time that checks may take.
const LARGEST_SHARE: f64 = 0.02;
/// Shortest time between two checks.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(500);

gpu_struct! {
    /// Parameters of the badge's passes.
    pub struct SampleParameters {
        /// Number of particles.
        pub particle_count: u32,
        /// Number of sampled particles.
        pub sample_count: u32,
        /// Squared distance up to which a pair is certainly a neighbor, m².
        pub certain_squared: f32,
        /// Squared distance beyond which a pair is certainly not a neighbor, m².
        pub ambiguous_squared: f32,
    }
}

/// The search that is checked.
#[derive(Clone, Copy)]
pub struct BadgeInput<'a> {
    /// The search, whose build passes have run before each check.
    pub search: &'a dyn NeighborSearch,
    /// The identity of each particle: the fourth word of `array<vec4<u32>>` in sorted order, a permutation of all
    /// numbers below `particle_count`. If `None`, the identity is the index in the search's input, which
    /// [`NeighborSearch::sorted_positions`] contains.
    pub identities: Option<&'a wgpu::Buffer>,
    /// Number of particles.
    pub particle_count: u32,
    /// The box and the support radius.
    pub domain: Domain,
}

/// Checks one search repeatedly. Its buffers exist only as long as the badge.
pub struct Badge {
    search: &'static SearchInfo,
    cells: Option<Cells>,
    radius: f32,
    particle_count: u32,
    sample_count: u32,
    sorted_positions: wgpu::Buffer,
    sampled_places: wgpu::Buffer,
    found: wgpu::Buffer,
    deposits: wgpu::Buffer,
    judged: wgpu::Buffer,
    listed: wgpu::Buffer,
    expected: wgpu::Buffer,
    passes: Vec<Pass>,
    /// Sum of the hashes of all identities.
    expected_hash: u32,
    timer: PassTimer,
    seed: u64,
    check_count: u64,
    cost: Option<Duration>,
    last_check: Option<Instant>,
    stage: Stage,
}

enum Stage {
    Idle,
    /// The words of the sample are being read back since that time.
    Judging(Readback<u32>, Instant),
    /// The sample contains wrong particles, and the two lists of their neighbors are being read back.
    Naming(Box<Judgment>, Arrival, Arrival),
}

/// A read-back that is needed together with another one.
enum Arrival {
    Awaited(Readback<[u32; 4]>),
    Here(Vec<[u32; 4]>),
}

/// The numbers of a check, before the wrong particles are described.
struct Judgment {
    verdict: Verdict,
    wrong: Vec<(usize, Judged)>,
}

/// What the device found for a sampled particle.
#[derive(Clone, Copy, Debug)]
struct Judged {
    identity: u32,
    /// How often the traversal finished the particle's sum; 1 in a correct search.
    finished: u32,
    count: u32,
    hash: u32,
    listed: u32,
    certain: u32,
    certain_hash: u32,
    ambiguous: u32,
    ambiguous_hashes: [u32; AMBIGUOUS_MOST],
    position: Vec3,
}

/// What one check found.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The search that was checked.
    pub search: &'static SearchInfo,
    /// Number of particles that were compared with brute force.
    pub checked: u32,
    /// How many of them were wrong.
    pub wrong: u32,
    /// How many have too many neighbors close to the radius for a decision.
    pub undecided: u32,
    /// Whether the sorted order contains every particle exactly once.
    pub order_is_complete: bool,
    /// Wrong particles with their errors, at most 8.
    pub offenders: Vec<Offender>,
    /// Time of the check on the device, ms; `None` if it was not measured.
    pub milliseconds: Option<f64>,
}

/// A particle with wrong neighbors.
#[derive(Clone, Debug, PartialEq)]
pub struct Offender {
    /// Its original index.
    pub particle: u32,
    /// Its position, m.
    pub position: Vec3,
    /// Its cell; `None` if the search has no cells.
    pub cell: Option<UVec3>,
    /// The kind of error.
    pub fault: Fault,
    /// Number of neighbors that the search found.
    pub found: u32,
    /// Number of neighbors by brute force, without those whose distance is too close to the radius for a decision.
    pub expected: u32,
    /// The wrong partners, sorted by distance. Empty if the particle has more neighbors than are listed, or if all
    /// neighbors were visited but their sum was lost.
    pub partners: Vec<Partner>,
}

/// The kind of error of a particle or a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A neighbor that was not found.
    Missing,
    /// A pair that was found although its distance exceeds the radius or its partner does not exist.
    Extra,
    /// A neighbor that was found more than once.
    Double,
    /// The sum over all pairs was never delivered, or more than once.
    Unfinished,
    /// The pairs were visited, but their sum is wrong.
    WrongSum,
}

/// A wrong partner of a particle: missing, extra, or found more than once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Partner {
    /// The kind of error.
    pub fault: Fault,
    /// Its original index.
    pub particle: u32,
    /// Its position, m.
    pub position: Vec3,
    /// Its cell; `None` if the search has no cells.
    pub cell: Option<UVec3>,
    /// Its distance divided by the support radius.
    pub radii: f64,
}

impl Badge {
    /// Creates a badge for one search. `seed` determines the samples.
    ///
    /// # Errors
    /// When the buffers do not fit the device or a shader does not compile.
    pub fn new(gpu: &Gpu, input: BadgeInput<'_>, seed: u64) -> Result<Self, LaboratoryError> {
        let count = input.particle_count;
        let sample_count = SAMPLE.min(count);
        let radius = f64::from(input.domain.support_radius);
        let squared = |factor: f64| (radius * factor).powi(2) as f32;
        let parameters = SampleParameters {
            particle_count: count,
            sample_count,
            certain_squared: squared(1.0 - AMBIGUOUS_FRACTION),
            ambiguous_squared: squared(1.0 + AMBIGUOUS_FRACTION),
        };
        let parameters = gpu.uniform("badge", &parameters);
        let deposited = if input.search.deposits() { 2 * u64::from(count) } else { 0 };
        let slots = u64::from(sample_count);
        let marks = gpu.storage::<[u32; 2]>("marks of sampled particles", count.into())?;
        let sampled_places = gpu.storage::<u32>("sampled places", slots)?;
        let found = gpu.storage::<u32>("neighbors found of the sample", slots * FOUND_STRIDE as u64)?;
        let deposits = gpu.storage::<u32>("deposited hashes", deposited)?;
        let judged = gpu.storage::<u32>("judged sample", JUDGED_FIRST as u64 + slots * JUDGED_STRIDE as u64)?;
        let listed = gpu.storage::<[u32; 4]>("listed neighbors", slots * LISTED_MOST as u64)?;
        let expected = gpu.storage::<[u32; 4]>("expected neighbors", slots * LISTED_MOST as u64)?;
        let sorted_positions = input.search.sorted_positions().clone();
        let buffers = [
            ("badge", &parameters),
            ("identities", input.identities.unwrap_or(&sorted_positions)),
            ("sorted_positions", &sorted_positions),
            ("sampled_places", &sampled_places),
            ("marks", &marks),
            ("found", &found),
            ("judged", &judged),
            ("listed", &listed),
            ("expected", &expected),
        ];
        let shader = ShaderVariant::new(FILE);
        let pass = |label, entry_point, dispatch| {
            Pass::new(
                gpu,
                PassDescriptor {
                    phase: Phase::Search,
                    label,
                    shader: &shader,
                    entry_point,
                    buffers: &buffers,
                    dispatch,
                },
            )
        };
        let mut passes = vec![
            pass("mark particles", "mark_particles", Dispatch::Invocations(count.into()))?,
            pass("mark sample", "mark_sample", Dispatch::Invocations(slots))?,
        ];
        let kernel = BoundPairKernel {
            label: "sample neighbors",
            kernel: KERNEL,
            definitions: &[],
            buffers: &[("marks", &marks), ("found", &found), ("deposits", &deposits)],
        };
        passes.extend(input.search.traversal_passes(gpu, kernel, None)?);
        passes.push(pass("judge sample", "judge", Dispatch::Workgroups(slots))?);
        Ok(Self {
            search: input.search.info(),
            cells: input.search.cells(),
            radius: input.domain.support_radius,
            particle_count: count,
            sample_count,
            sorted_positions,
            sampled_places,
            found,
            deposits,
            judged,
            listed,
            expected,
            passes,
            expected_hash: (0..count).map(hash).fold(0, u32::wrapping_add),
            timer: PassTimer::new(gpu, 1),
            seed,
            check_count: 0,
            cost: None,
            last_check: None,
            stage: Stage::Idle,
        })
    }

    /// Whether the badge was created for exactly these buffers of the search; if not, a new badge must be created.
    pub fn is_of(&self, search: &dyn NeighborSearch) -> bool {
        self.sorted_positions == *search.sorted_positions()
    }

    /// Whether a check is due. Checks take at most 2 % of the time, according to their measured cost.
    pub fn due(&self, now: Instant) -> bool {
        let after = |last: Instant| now.saturating_duration_since(last) >= self.interval();
        matches!(self.stage, Stage::Idle) && self.last_check.is_none_or(after)
    }

    /// Time from one check to the next.
    pub fn interval(&self) -> Duration {
        let cost = self.cost.unwrap_or_default();
        SHORTEST_INTERVAL.max(cost.div_f64(LARGEST_SHARE))
    }

    /// Records a check after a build of the search, whose tables must not have changed since. Does nothing while
    /// another check is in progress.
    pub fn record(&mut self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder, now: Instant) {
        if !matches!(self.stage, Stage::Idle) {
            return;
        }
        self.last_check = Some(now);
        let places = self.draw_sample();
        if !places.is_empty() {
            gpu.queue.write_buffer(&self.sampled_places, 0, bytemuck::cast_slice(&places));
        }
        for buffer in [&self.found, &self.deposits, &self.judged] {
            encoder.clear_buffer(buffer, 0, None);
        }
        record_as_one(&self.passes, encoder, &mut self.timer, (Phase::Search, "oracle badge"));
        self.timer.resolve(gpu, encoder);
        let words = JUDGED_FIRST + self.sample_count as usize * JUDGED_STRIDE;
        self.stage = Stage::Judging(Readback::record(gpu, encoder, &self.judged, words), now);
    }

    /// Draws distinct places of the sorted order.
    fn draw_sample(&mut self) -> Vec<u32> {
        self.check_count += 1;
        let stream = self.seed.wrapping_add(self.check_count << 32);
        if self.sample_count == self.particle_count {
            return (0..self.particle_count).collect();
        }
        let mut places = BTreeSet::new();
        let mut drawn = 0;
        while places.len() < self.sample_count as usize {
            let place = (uniform(stream, drawn) * self.particle_count as f32) as u32;
            places.insert(place.min(self.particle_count - 1));
            drawn += 1;
        }
        places.into_iter().collect()
    }

    /// The verdict of the last check, once it has arrived. Never waits. A sample with errors takes further calls,
    /// because the lists of the neighbors are read back too.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn take(&mut self, gpu: &Gpu) -> Result<Option<Verdict>, LaboratoryError> {
        if let Some(reason) = gpu.lost() {
            return Err(GpuError::Lost(reason).into());
        }
        let times = self.timer.collect(gpu);
        if let Some(check) = times.last().and_then(|passes| passes.first()) {
            self.cost = Some(Duration::from_secs_f64(check.milliseconds.max(0.0) * 1e-3));
        }
        match std::mem::replace(&mut self.stage, Stage::Idle) {
            Stage::Idle => Ok(None),
            Stage::Judging(readback, since) => {
                let Some(words) = readback.take() else {
                    self.stage = Stage::Judging(readback, since);
                    return Ok(None);
                };
                if !self.timer.supported() {
                    // The time until the answer arrived is an upper bound of the check's cost.
                    self.cost = Some(since.elapsed());
                }
                let judgment = self.judge(&words);
                if judgment.wrong.is_empty() {
                    return Ok(Some(judgment.verdict));
                }
                let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
                let entries = self.sample_count as usize * LISTED_MOST;
                let lists = [&self.listed, &self.expected]
                    .map(|list| Arrival::Awaited(Readback::record(gpu, &mut encoder, list, entries)));
                gpu.queue.submit([encoder.finish()]);
                let [listed, expected] = lists;
                self.stage = Stage::Naming(Box::new(judgment), listed, expected);
                Ok(None)
            }
            Stage::Naming(mut judgment, listed, expected) => match (listed.poll(), expected.poll()) {
                (Arrival::Here(listed), Arrival::Here(expected)) => {
                    let offenders = judgment.wrong.iter().take(NAMED_MOST);
                    judgment.verdict.offenders =
                        offenders.map(|(slot, judged)| self.name(*slot, judged, (&listed, &expected))).collect();
                    Ok(Some(judgment.verdict))
                }
                (listed, expected) => {
                    self.stage = Stage::Naming(judgment, listed, expected);
                    Ok(None)
                }
            },
        }
    }

    fn judge(&self, words: &[u32]) -> Judgment {
        let samples = words[JUDGED_FIRST..].chunks_exact(JUDGED_STRIDE).map(Judged::new);
        let judged: Vec<_> = samples.take(self.sample_count as usize).enumerate().collect();
        let is_wrong = |(_, judged): &&(usize, Judged)| judged.outcome() == Outcome::Wrong;
        let undecided = judged.iter().filter(|(_, judged)| judged.outcome() == Outcome::Undecided).count() as u32;
        let wrong: Vec<_> = judged.iter().filter(is_wrong).copied().collect();
        let verdict = Verdict {
            search: self.search,
            checked: self.sample_count,
            wrong: wrong.len() as u32,
            undecided,
            order_is_complete: words[0] == self.particle_count && words[1] == self.expected_hash,
            offenders: Vec::new(),
            milliseconds: self.cost.map(|cost| cost.as_secs_f64() * 1e3),
        };
        Judgment { verdict, wrong }
    }

    /// Describes the error of a sampled particle, using the lists of the search and of brute force.
    fn name(&self, slot: usize, judged: &Judged, (listed, expected): (&[[u32; 4]], &[[u32; 4]])) -> Offender {
        let of_slot = |list: &[[u32; 4]], length: u32| -> Vec<Entry> {
            let entries = list.iter().skip(slot * LISTED_MOST).take((length as usize).min(LISTED_MOST));
            entries.map(|words| Entry::new(*words)).collect()
        };
        let lists_are_complete =
            [judged.listed, judged.certain + judged.ambiguous].iter().all(|&n| n as usize <= LISTED_MOST);
        let mut partners = Vec::new();
        if lists_are_complete {
            let found = of_slot(listed, judged.listed);
            let expected = of_slot(expected, judged.certain + judged.ambiguous);
            let certain = f64::from(self.radius) * (1.0 - AMBIGUOUS_FRACTION);
            let mut times: BTreeMap<u32, u32> = BTreeMap::new();
            for entry in &found {
                *times.entry(entry.identity).or_default() += 1;
            }
            let mut partner = |fault, entry: &Entry| {
                let distance = entry.position.as_dvec3().distance(judged.position.as_dvec3());
                if fault != Fault::Missing || distance <= certain {
                    partners.push(Partner {
                        fault,
                        particle: entry.identity,
                        position: entry.position,
                        cell: self.cell_of(entry.position),
                        radii: distance / f64::from(self.radius),
                    });
                }
            };
            expected.iter().filter(|e| !times.contains_key(&e.identity)).for_each(|e| partner(Fault::Missing, e));
            let mut seen = BTreeSet::new();
            for entry in found.iter().filter(|entry| seen.insert(entry.identity)) {
                if !expected.iter().any(|other| other.identity == entry.identity) {
                    partner(Fault::Extra, entry);
                } else if times[&entry.identity] > 1 {
                    partner(Fault::Double, entry);
                }
            }
            partners.sort_by(|a, b| a.radii.total_cmp(&b.radii));
        }
        let fault = match partners.first() {
            _ if judged.finished != 1 => Fault::Unfinished,
            Some(partner) => partner.fault,
            None if lists_are_complete => Fault::WrongSum,
            None if judged.count < judged.certain => Fault::Missing,
            None => Fault::Extra,
        };
        Offender {
            particle: judged.identity,
            position: judged.position,
            cell: self.cell_of(judged.position),
            fault,
            found: judged.count,
            expected: judged.certain,
            partners,
        }
    }

    /// The cell of the search's grid that contains a position, by the formula of `grid::cell_coord`.
    fn cell_of(&self, position: Vec3) -> Option<UVec3> {
        let cells = self.cells?;
        let place = (position - cells.origin) * cells.size.recip();
        Some(place.clamp(Vec3::ZERO, cells.counts.as_vec3()).as_uvec3().min(cells.counts - 1))
    }
}

impl Arrival {
    fn poll(self) -> Self {
        match self {
            Self::Awaited(readback) => readback.take().map_or_else(|| Self::Awaited(readback), Self::Here),
            Self::Here(entries) => Self::Here(entries),
        }
    }
}

/// A listed partner.
struct Entry {
    identity: u32,
    position: Vec3,
}

impl Entry {
    fn new([x, y, z, identity]: [u32; 4]) -> Self {
        Self { identity, position: Vec3::new(f32::from_bits(x), f32::from_bits(y), f32::from_bits(z)) }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Right,
    Wrong,
    Undecided,
}

impl Judged {
    fn new(words: &[u32]) -> Self {
        let mut ambiguous_hashes = [0; AMBIGUOUS_MOST];
        ambiguous_hashes.copy_from_slice(&words[9..9 + AMBIGUOUS_MOST]);
        let coordinate = |word: usize| f32::from_bits(words[word]);
        Self {
            identity: words[1],
            finished: words[2],
            count: words[3],
            hash: words[4],
            listed: words[5],
            certain: words[6],
            certain_hash: words[7],
            ambiguous: words[8],
            ambiguous_hashes,
            position: Vec3::new(coordinate(17), coordinate(18), coordinate(19)),
        }
    }

    /// Compares the search's sums with those of the certain neighbors and every subset of the ambiguous ones.
    fn outcome(&self) -> Outcome {
        if self.finished != 1 {
            return Outcome::Wrong;
        }
        let Some(more) = self.count.checked_sub(self.certain).filter(|&more| more <= self.ambiguous) else {
            return Outcome::Wrong;
        };
        let ambiguous = self.ambiguous as usize;
        if ambiguous > AMBIGUOUS_MOST {
            return Outcome::Undecided;
        }
        let hash_of = |set: u32| {
            let members = (0..ambiguous).filter(|member| set >> member & 1 == 1);
            members.map(|member| self.ambiguous_hashes[member]).fold(self.certain_hash, u32::wrapping_add)
        };
        let fits = (0..1_u32 << ambiguous).any(|set| set.count_ones() == more && hash_of(set) == self.hash);
        if fits { Outcome::Right } else { Outcome::Wrong }
    }
}

/// The same function as `identity_hash` in sample.wgsl.
fn hash(identity: u32) -> u32 {
    let mut bits = identity ^ (identity >> 16);
    bits = bits.wrapping_mul(0x7feb_352d);
    bits ^= bits >> 15;
    bits = bits.wrapping_mul(0x846c_a68b);
    bits ^ (bits >> 16)
}

impl Verdict {
    /// Whether no error was found.
    pub fn is_right(&self) -> bool {
        self.wrong == 0 && self.order_is_complete
    }

    /// The result as a sentence, without a full stop.
    pub fn sentence(&self) -> String {
        let search = self.search.title;
        match self.offenders.first() {
            Some(offender) => format!("{search}: {}", offender.sentence()),
            None if !self.order_is_complete => {
                format!("{search}: the sorted order does not contain every particle exactly once")
            }
            None => {
                let sure = format::count((self.checked - self.undecided).into());
                format!(
                    "{search}: {sure} of {} sampled particles have exactly the neighbors that brute force finds",
                    format::count(self.checked.into())
                )
            }
        }
    }
}

impl Offender {
    /// The error as a sentence that follows the search's name, without a full stop.
    pub fn sentence(&self) -> String {
        let in_cell = |cell: Option<UVec3>| cell.map(|c| format!("in cell ({}, {}, {})", c.x, c.y, c.z));
        let who = format!(
            "particle {}{}",
            format::count(self.particle.into()),
            in_cell(self.cell).map(|cell| format!(" {cell}")).unwrap_or_default()
        );
        let counts = format!(
            "the search found {} neighbors, and brute force found {}",
            format::count(self.found.into()),
            format::count(self.expected.into())
        );
        let first = self.partners.iter().find(|partner| partner.fault == self.fault);
        let Some(partner) = first else {
            return match self.fault {
                Fault::Unfinished => format!("the sum of {who} was not finished exactly once; {counts}"),
                Fault::WrongSum => format!("the sum over the neighbors of {who} is wrong; {counts}"),
                Fault::Missing | Fault::Extra | Fault::Double => format!("{who} has wrong neighbors; {counts}"),
            };
        };
        let other = if partner.particle == NO_INDEX {
            return format!("{who} has a neighbor that does not exist; {counts}");
        } else {
            format::count(partner.particle.into())
        };
        let place = match in_cell(partner.cell) {
            Some(cell) => format!("{:.2} r away, {cell}", partner.radii),
            None => format!("{:.2} r away", partner.radii),
        };
        match partner.fault {
            Fault::Extra => format!("{who} has {other} as a neighbor, which is {place}"),
            Fault::Double => format!("{who} has its neighbor {other} more than once, {place}"),
            Fault::Missing | Fault::Unfinished | Fault::WrongSum => {
                format!("{who} is missing neighbor {other}, {place}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::{ShaderLibrary, assert_same_layout};

    fn judged(found: &[u32], certain: &[u32], ambiguous: &[u32]) -> Judged {
        let sum = |set: &[u32]| set.iter().copied().map(hash).fold(0, u32::wrapping_add);
        let mut ambiguous_hashes = [0; AMBIGUOUS_MOST];
        ambiguous_hashes.iter_mut().zip(ambiguous).for_each(|(place, &identity)| *place = hash(identity));
        Judged {
            identity: 0,
            finished: 1,
            count: found.len() as u32,
            hash: sum(found),
            listed: found.len() as u32,
            certain: certain.len() as u32,
            certain_hash: sum(certain),
            ambiguous: ambiguous.len() as u32,
            ambiguous_hashes,
            position: Vec3::ZERO,
        }
    }

    #[test]
    fn any_of_the_ambiguous_neighbors_may_be_found_and_nothing_else() {
        assert_eq!(judged(&[1, 2], &[1, 2], &[]).outcome(), Outcome::Right);
        assert_eq!(judged(&[1, 2, 9], &[1, 2], &[8, 9]).outcome(), Outcome::Right);
        assert_eq!(judged(&[1, 2, 7], &[1, 2], &[8, 9]).outcome(), Outcome::Wrong);
        assert_eq!(judged(&[1], &[1, 2], &[]).outcome(), Outcome::Wrong);
        assert_eq!(judged(&[1, 8], &[1, 2], &[8]).outcome(), Outcome::Wrong, "one missing, one extra");
        assert_eq!(judged(&[1, 1], &[1, 2], &[]).outcome(), Outcome::Wrong, "one twice instead of another");
        let many: Vec<u32> = (10..20).collect();
        assert_eq!(judged(&[1, 10], &[1], &many).outcome(), Outcome::Undecided);
        assert_eq!(judged(&[], &[1], &many).outcome(), Outcome::Wrong);
        assert_eq!(Judged { finished: 2, ..judged(&[1], &[1], &[]) }.outcome(), Outcome::Wrong);
    }

    #[test]
    fn an_offender_is_described_with_both_cells() {
        let partner = Partner {
            fault: Fault::Missing,
            particle: 77,
            position: Vec3::ZERO,
            cell: Some(UVec3::new(4, 4, 5)),
            radii: 0.431,
        };
        let offender = Offender {
            particle: 1234,
            position: Vec3::ZERO,
            cell: Some(UVec3::new(3, 4, 5)),
            fault: Fault::Missing,
            found: 3,
            expected: 4,
            partners: vec![partner],
        };
        let expected = "particle 1,234 in cell (3, 4, 5) is missing neighbor 77, 0.43 r away, in cell (4, 4, 5)";
        assert_eq!(offender.sentence(), expected);
    }

    #[test]
    fn shader_and_host_agree_on_layout_and_constants() {
        let (module, _) = ShaderLibrary::embedded().compose(&ShaderVariant::new(FILE)).expect("it composes");
        assert_same_layout::<SampleParameters>(&module);
        let source = |file: &str| ShaderLibrary::embedded().source(file).expect("an embedded file");
        let numbers = [
            ("laboratory/sample.wgsl", format!("LISTED_MOST: u32 = {LISTED_MOST}u")),
            (FILE, format!("AMBIGUOUS_MOST: u32 = {AMBIGUOUS_MOST}u")),
            (FILE, format!("JUDGED_STRIDE: u32 = {JUDGED_STRIDE}u")),
            (FILE, format!("JUDGED_FIRST: u32 = {JUDGED_FIRST}u")),
        ];
        for (file, number) in numbers {
            assert!(source(file).contains(&number), "{file} does not contain \"{number}\"");
        }
    }
}
