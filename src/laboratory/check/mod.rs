//! Check mine: compares a neighbor list that another program wrote with the searches of this program.
//!
//! 1. The selected search lists the neighbors of the same points on the device ([`NeighborList`]). For a small number
//!    of points, this list is verified against the CPU oracle first.
//! 2. The lists are compared pair by pair. Pairs whose distance equals the radius within rounding are left out
//!    ([`AMBIGUOUS_FRACTION`](crate::search::AMBIGUOUS_FRACTION)).
//! 3. A list of hypotheses ([`patterns`]) is tested to find what the wrong pairs have in common, using the cells of
//!    every search. Cells and classes of particles are computed on the device with the search's own arithmetic.

mod bench;
mod classes;
mod error;
pub mod patterns;
mod wrong;

use glam::{UVec3, Vec3};

pub use bench::{CheckBench, CheckFindings, CheckOrder, CheckSource, CheckedList};
pub use classes::{ClassCheck, ClassMismatch};
pub use error::CheckError;
use patterns::{Evidence, Kind, Pattern};
pub use wrong::{MOST_KEPT, WrongPair, WrongPairs};
use wrong::{Sorting, holds_each_pair_once, rows_of, sort};

use super::Places;
use crate::gpu::{Gpu, record};
use crate::search::verify::{SearchConfiguration, first_disagreement};
use crate::search::{
    Domain, ListedNeighbors, NeighborList, NeighborSearch, ReferenceNeighbors, SearchError, SearchInput,
};

/// Up to this number of particles, the search's own list is verified against the CPU oracle first.
const MOST_FOR_REFERENCE: usize = 20_000;
/// Margin of the box around the points on each side, as a fraction of the longest edge.
const BOX_MARGIN: f32 = 1e-3;

/// Whether a list contains each pair of particles once or in both directions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Directions {
    /// Once, if the list contains no pair in both directions.
    #[default]
    Detect,
    /// Once, in either direction.
    Once,
    /// In both directions.
    Both,
}

/// The options of a check.
#[derive(Clone, Debug)]
pub struct CheckOptions {
    /// Largest distance between neighbors, m.
    pub radius: f32,
    /// Lowest and highest corner of the box that the search's cells fill, m; `None` for the bounding box of the points
    /// with a small margin.
    pub bounds: Option<(Vec3, Vec3)>,
    /// The search whose pairs are taken as correct, and whose cells and classes are shown.
    pub configuration: SearchConfiguration,
    /// Whether the list contains each pair once or in both directions.
    pub directions: Directions,
    /// For each particle, whether the other program classifies it as a border particle; `None` if it has no classes.
    pub classes: Option<Vec<bool>>,
}

/// The outcome of a check: plain data for a report, a table or a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckMine {
    /// The search whose pairs were taken as correct.
    pub configuration: SearchConfiguration,
    /// The box and the radius.
    pub domain: Domain,
    /// Number of particles.
    pub particle_count: u32,
    /// Particles outside the box; the search assigns them to the outermost cells.
    pub outside_box: u32,
    /// Whether the list was read as containing each pair once.
    pub once: bool,
    /// Whether `once` was detected rather than specified.
    pub detected: bool,
    /// Whether the search's own list was verified against the CPU oracle.
    pub against_reference: bool,
    /// Number of pairs in the list.
    pub listed: u64,
    /// Number of pairs that the search finds, counted in the same way as in the list.
    pub expected: u64,
    /// Number of pairs that both the list and the search contain.
    pub right: u64,
    /// Entries of a particle with itself, which are not errors and are left out.
    pub self_pairs: u64,
    /// The particles of these entries, by index; at most the first [`MOST_KEPT`].
    pub self_particles: Vec<u32>,
    /// Pairs missing from the list whose distance is too close to the radius for a decision.
    pub undecided_missing: u64,
    /// Pairs only in the list whose distance is too close to the radius for a decision.
    pub undecided_extra: u64,
    /// Pairs that are missing from the list.
    pub missing: WrongPairs,
    /// Pairs of the list that are farther apart than the radius.
    pub extra: WrongPairs,
    /// Repetitions: a pair that is listed three times counts twice.
    pub double: WrongPairs,
    /// What the wrong pairs of each kind have in common, if a pattern was found.
    pub patterns: Vec<Pattern>,
    /// Cells and classes of all particles according to the search; `None` if it has no cells.
    pub places: Option<Places>,
    /// The comparison of the classes that came with the list.
    pub classes: Option<ClassCheck>,
}

impl CheckMine {
    /// Whether the list is correct, and also the classes if there are any.
    pub fn agrees(&self) -> bool {
        self.kinds().iter().all(|(_, wrong)| wrong.count == 0)
            && self.classes.as_ref().is_none_or(|classes| classes.count == 0)
    }

    /// The wrong pairs, by kind.
    pub fn kinds(&self) -> [(Kind, &WrongPairs); 3] {
        [(Kind::Missing, &self.missing), (Kind::Extra, &self.extra), (Kind::Double, &self.double)]
    }

    /// The pattern that the wrong pairs of a kind have in common.
    pub fn pattern(&self, kind: Kind) -> Option<&Pattern> {
        self.patterns.iter().find(|pattern| pattern.kind == kind)
    }

    /// The cells of both particles of a pair; `None` if the search has no cells.
    pub fn cells_of(&self, pair: &WrongPair) -> Option<[UVec3; 2]> {
        let places = self.places.as_ref()?;
        Some([places.cell(pair.first), places.cell(pair.second)])
    }

    /// Whether each particle of a pair is a border particle; `None` if the search does not distinguish border
    /// particles.
    pub fn borders_of(&self, pair: &WrongPair) -> Option<[bool; 2]> {
        let places = self.places.as_ref()?;
        Some([places.is_border(pair.first)?, places.is_border(pair.second)?])
    }
}

/// Checks a list of `pairs` of indices into `points` (m). Waits for the device.
///
/// # Errors
/// When the points, the pairs or the options are invalid, the search refuses the points, or the device fails. A wrong
/// list is a result, not an error.
pub fn check(gpu: &Gpu, points: &[Vec3], pairs: &[[u32; 2]], options: &CheckOptions) -> Result<CheckMine, CheckError> {
    check_input(points, pairs, options)?;
    let particle_count = points.len() as u32;
    let (low, high) = options.bounds.unwrap_or_else(|| box_around(points));
    let domain = Domain::new(low, high, options.radius)?;
    let padded: Vec<[f32; 4]> = points.iter().map(|point| point.extend(0.0).to_array()).collect();
    let positions = gpu.storage_with("points", &padded).map_err(SearchError::from)?;
    drop(padded);
    let make = |configuration: &SearchConfiguration| {
        let options = &configuration.options;
        configuration.search.create(gpu, SearchInput { positions: &positions, particle_count, domain, options })
    };
    let search = make(&options.configuration)?;
    let truth = list_neighbors(gpu, search.as_ref())?;
    let cells = search.cells();
    drop(search);
    let against_reference = points.len() <= MOST_FOR_REFERENCE;
    if against_reference {
        verify_against_reference(points, domain, &truth, &options.configuration)?;
    }
    let places = cells.map(|cells| Places::find(gpu, &positions, particle_count, cells)).transpose();
    let places = places.map_err(SearchError::from)?;
    let classes = match (&options.classes, &places) {
        (None, _) => None,
        (Some(listed), Some(places)) if let Some(border) = places.cells.border => {
            Some(ClassCheck::new(listed, places, domain, border))
        }
        (Some(_), _) => return Err(CheckError::without_border(options.configuration.search)),
    };

    let (mine, self_particles) = rows_of(pairs, particle_count, false);
    let is_once = options.directions == Directions::Detect && holds_each_pair_once(&mine);
    let once = is_once || options.directions == Directions::Once;
    let (mine, self_particles) = if once { rows_of(pairs, particle_count, true) } else { (mine, self_particles) };
    let Sorting { missing, extra, double, undecided_missing, undecided_extra, right_count, right, farthest_right } =
        sort(points, options.radius, &mine, &truth, once);
    let self_pairs = self_particles.len() as u64;

    let wrong = [(Kind::Missing, &missing), (Kind::Extra, &extra), (Kind::Double, &double)];
    let evidence: Vec<Evidence<'_>> = wrong
        .into_iter()
        .filter(|(_, wrong)| wrong.count > 0)
        .map(|(kind, wrong)| Evidence {
            kind,
            wrong,
            points,
            domain,
            once,
            mine: &mine,
            truth: &truth,
            right: &right,
            right_count,
            farthest_right,
        })
        .collect();
    let patterns = patterns::find(&evidence, (&options.configuration, places.as_ref()), |configuration, seen| {
        // Searches that refuse the points are skipped.
        let cells = make(configuration).ok().and_then(|search| search.cells()).filter(|cells| !seen.contains(cells));
        cells.map(|cells| Places::find(gpu, &positions, particle_count, cells)).transpose()
    })
    .map_err(SearchError::from)?;
    let outside = |point: &&Vec3| point.cmplt(low).any() || point.cmpgt(high).any();
    Ok(CheckMine {
        configuration: options.configuration.clone(),
        domain,
        particle_count,
        outside_box: points.iter().filter(outside).count() as u32,
        once,
        detected: options.directions == Directions::Detect,
        against_reference,
        listed: pairs.len() as u64,
        expected: truth.indices.len() as u64 / if once { 2 } else { 1 },
        right: right_count,
        self_pairs,
        self_particles: self_particles.into_iter().take(MOST_KEPT).collect(),
        undecided_missing,
        undecided_extra,
        missing,
        extra,
        double,
        patterns,
        places,
        classes,
    })
}

fn check_input(points: &[Vec3], pairs: &[[u32; 2]], options: &CheckOptions) -> Result<(), CheckError> {
    if points.is_empty() {
        return Err(CheckError::NoPoints);
    }
    let count = u32::try_from(points.len()).map_err(|_| CheckError::TooManyPoints(points.len()))?;
    if let Some(index) = points.iter().position(|point| !point.is_finite()) {
        return Err(CheckError::NotFinite(index, points[index]));
    }
    let is_wrong = |pair: &[u32; 2]| pair.iter().any(|&index| index >= count);
    if let Some(place) = pairs.iter().position(is_wrong) {
        return Err(CheckError::NoParticle { place, pair: pairs[place], count });
    }
    match &options.classes {
        Some(classes) if classes.len() != points.len() => Err(CheckError::Classes(classes.len(), points.len())),
        _ => Ok(()),
    }
}

/// The bounding box of the points with a small margin.
fn box_around(points: &[Vec3]) -> (Vec3, Vec3) {
    let low = points.iter().copied().fold(Vec3::INFINITY, Vec3::min);
    let high = points.iter().copied().fold(Vec3::NEG_INFINITY, Vec3::max);
    let margin = BOX_MARGIN * (high - low).max_element();
    (low - margin, high + margin)
}

/// The neighbors of every particle, as listed by a search.
fn list_neighbors(gpu: &Gpu, search: &dyn NeighborSearch) -> Result<ListedNeighbors, SearchError> {
    let build = search.build_passes(gpu)?;
    gpu.submit(|encoder| record(&build, encoder, None));
    NeighborList::new(gpu, search)?.read(gpu, search)
}

/// Fails if the oracle contradicts the search.
fn verify_against_reference(
    points: &[Vec3],
    domain: Domain,
    truth: &ListedNeighbors,
    configuration: &SearchConfiguration,
) -> Result<(), CheckError> {
    let reference = ReferenceNeighbors::find(points, domain, false);
    let lists: Vec<Vec<u32>> = (0..points.len()).map(|particle| truth.of(particle).to_vec()).collect();
    match first_disagreement(&lists, &reference) {
        None => Ok(()),
        Some(disagreement) => Err(CheckError::SearchIsWrong { configuration: configuration.to_string(), disagreement }),
    }
}
