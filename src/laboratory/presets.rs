//! The lessons of the view "Break it": each changes the particles, the box or the settings in a way that a search
//! handles badly, and names the number that reveals the effect. All lessons except one leave every search exact.

use glam::Vec3;

use super::LaboratoryError;
use crate::search::random::uniform;
use crate::search::verify::SearchConfiguration;
use crate::search::{CELL_RADII, DIRECT_CELLS_ONLY, Domain, SEARCHES};

/// A lesson.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Name on the command line and in files.
    pub name: &'static str,
    /// Name on screen.
    pub title: &'static str,
    /// Describes what happens and why, in a sentence.
    pub sentence: &'static str,
    /// The number that reveals the effect.
    pub reveals: Reveals,
    /// Whether the search is deliberately made wrong.
    pub is_wrong: bool,
    apply: fn(Undamaged<'_>) -> Result<Damaged, LaboratoryError>,
}

/// The number that reveals the effect of a lesson.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reveals {
    /// Bytes of the search's tables.
    Bytes,
    /// Number of particles in the fullest cell.
    LargestCell,
    /// Candidates tested per particle.
    Candidates,
    /// Time of build and traversal, ms.
    Time,
    /// Candidates tested per neighbor.
    Overhead,
    /// Number of sampled particles that the badge finds wrong.
    Wrong,
}

impl Reveals {
    /// The name of the number, with its unit.
    pub fn label(self) -> &'static str {
        match self {
            Self::Bytes => "bytes of the search's tables",
            Self::LargestCell => "particles in the fullest cell",
            Self::Candidates => "candidates per particle",
            Self::Time => "build and traversal [ms]",
            Self::Overhead => "candidates per neighbor",
            Self::Wrong => "wrong particles in the sample",
        }
    }
}

/// The input of a lesson.
#[derive(Clone, Copy)]
pub struct Undamaged<'a> {
    /// Positions, m.
    pub positions: &'a [Vec3],
    /// The box and the support radius.
    pub domain: Domain,
    /// The search and its settings.
    pub configuration: &'a SearchConfiguration,
    /// Seed of the random numbers.
    pub seed: u64,
}

/// The output of a lesson.
#[derive(Clone, Debug)]
pub struct Damaged {
    /// Positions, m; the same number as in the input.
    pub positions: Vec<Vec3>,
    /// The box and the support radius.
    pub domain: Domain,
    /// The search and its settings.
    pub configuration: SearchConfiguration,
}

impl Preset {
    /// The lesson of that name.
    pub fn named(name: &str) -> Option<&'static Self> {
        PRESETS.iter().find(|preset| preset.name == name)
    }

    /// Applies the lesson to particles, box and settings.
    ///
    /// # Errors
    /// When the lesson does not apply to the search; the message names the searches that it applies to.
    pub fn apply(&self, undamaged: Undamaged<'_>) -> Result<Damaged, LaboratoryError> {
        (self.apply)(undamaged)
    }
}

/// All lessons.
pub static PRESETS: &[Preset] = &[
    Preset {
        name: "outlier",
        title: "One far outlier",
        sentence: "A single particle is ten box lengths away and the grid is extended to contain it, so nearly all \
                   cells of the search's table are empty.",
        reveals: Reveals::Bytes,
        is_wrong: false,
        apply: outlier,
    },
    Preset {
        name: "one-cell",
        title: "Everything in one cell",
        sentence: "All particles are within a third of the radius of each other, so every particle is a neighbor of \
                   every other and no grid can save a distance test.",
        reveals: Reveals::LargestCell,
        is_wrong: false,
        apply: one_cell,
    },
    Preset {
        name: "narrow-cells",
        title: "Cells narrower than the radius (deliberately wrong)",
        sentence: "The cells are 0.6 r wide and only the 27 nearest cells are visited, so neighbors beyond the next \
                   cell are never tested, and the search silently returns wrong results.",
        reveals: Reveals::Wrong,
        is_wrong: true,
        apply: narrow_cells,
    },
    Preset {
        name: "shuffled",
        title: "Shuffled memory",
        sentence: "The same particles are in a random order in memory: every result is the same, but the build reads \
                   its input from scattered addresses.",
        reveals: Reveals::Time,
        is_wrong: false,
        apply: shuffled,
    },
    Preset {
        name: "dense",
        title: "Extreme density",
        sentence: "All distances between particles are halved, so each particle has eight times as many neighbors; the \
                   number of pairs grows with the square of the density.",
        reveals: Reveals::Candidates,
        is_wrong: false,
        apply: dense,
    },
    Preset {
        name: "wide-radius",
        title: "Radius near the box",
        sentence: "The support radius is nine tenths of the shortest side of the box, so the grid has hardly more than \
                   one cell along that side and the search degenerates to brute force.",
        reveals: Reveals::Candidates,
        is_wrong: false,
        apply: wide_radius,
    },
    Preset {
        name: "full-cell",
        title: "Overfull coarse cell",
        sentence: "Half of the particles are in a cube with an edge of 2 r, so one coarse cell has more particles than \
                   fit into workgroup memory at once, and a few workgroups do most of the work.",
        reveals: Reveals::LargestCell,
        is_wrong: false,
        apply: full_cell,
    },
];

impl Undamaged<'_> {
    fn damaged(&self, positions: Vec<Vec3>) -> Damaged {
        Damaged { positions, domain: self.domain, configuration: self.configuration.clone() }
    }

    /// A random point of the unit cube for each particle.
    fn random(&self, index: usize) -> Vec3 {
        let number = |axis: u64| uniform(self.seed, 3 * index as u64 + axis);
        Vec3::new(number(0), number(1), number(2))
    }
}

fn outlier(undamaged: Undamaged<'_>) -> Result<Damaged, LaboratoryError> {
    let mut positions = undamaged.positions.to_vec();
    let Domain { low, high, support_radius } = undamaged.domain;
    // Only along the longest side: along all three axes, the number of cells would grow by a factor of about a
    // thousand.
    let extent = high - low;
    let axis = extent.max_position();
    let mut far = high;
    far[axis] += 10.0 * extent[axis].max(support_radius);
    if let Some(last) = positions.last_mut() {
        *last = far;
    }
    Ok(Damaged { domain: Domain::new(low, far, support_radius)?, ..undamaged.damaged(positions) })
}

#[expect(clippy::unnecessary_wraps, reason = "all lessons have the same signature")]
fn one_cell(undamaged: Undamaged<'_>) -> Result<Damaged, LaboratoryError> {
    let Domain { low, high, support_radius } = undamaged.domain;
    // The center of the cell that contains the center of the box, if the cell edge equals the radius.
    let cell = ((0.5 * (high - low)) / support_radius).floor();
    let middle = (low + (cell + 0.5) * support_radius).min(high);
    let near = |index| middle + (undamaged.random(index) - 0.5) * 0.3 * support_radius;
    Ok(undamaged.damaged((0..undamaged.positions.len()).map(near).collect()))
}

fn narrow_cells(undamaged: Undamaged<'_>) -> Result<Damaged, LaboratoryError> {
    let has_edge = |configuration: &&SearchConfiguration| {
        configuration.search.options.iter().any(|option| option.name == CELL_RADII.name)
    };
    if !has_edge(&undamaged.configuration) {
        let others =
            SEARCHES.iter().filter(|search| search.options.iter().any(|option| option.name == CELL_RADII.name));
        return Err(LaboratoryError::NoCellEdge {
            lesson: "Cells narrower than the radius",
            search: undamaged.configuration.search.title,
            others: others.map(|search| search.title).collect::<Vec<_>>().join(" or "),
        });
    }
    let mut damaged = undamaged.damaged(undamaged.positions.to_vec());
    damaged.configuration.options.set(&CELL_RADII, 0.6);
    damaged.configuration.options.set(&DIRECT_CELLS_ONLY, 1.0);
    Ok(damaged)
}

#[expect(clippy::unnecessary_wraps, reason = "all lessons have the same signature")]
fn shuffled(undamaged: Undamaged<'_>) -> Result<Damaged, LaboratoryError> {
    let mut order: Vec<usize> = (0..undamaged.positions.len()).collect();
    order.sort_by_cached_key(|&index| (uniform(undamaged.seed, index as u64).to_bits(), index));
    Ok(undamaged.damaged(order.into_iter().map(|index| undamaged.positions[index]).collect()))
}

#[expect(clippy::unnecessary_wraps, reason = "all lessons have the same signature")]
fn dense(undamaged: Undamaged<'_>) -> Result<Damaged, LaboratoryError> {
    let count = undamaged.positions.len().max(1) as f32;
    let middle = undamaged.positions.iter().sum::<Vec3>() / count;
    let pressed = undamaged.positions.iter().map(|&position| middle + 0.5 * (position - middle));
    Ok(undamaged.damaged(pressed.collect()))
}

fn wide_radius(undamaged: Undamaged<'_>) -> Result<Damaged, LaboratoryError> {
    let Domain { low, high, support_radius } = undamaged.domain;
    let radius = (0.9 * (high - low).min_element()).max(support_radius);
    let domain = Domain::new(low, high, radius)?;
    Ok(Damaged { domain, ..undamaged.damaged(undamaged.positions.to_vec()) })
}

#[expect(clippy::unnecessary_wraps, reason = "all lessons have the same signature")]
fn full_cell(undamaged: Undamaged<'_>) -> Result<Damaged, LaboratoryError> {
    let Domain { low, high, support_radius } = undamaged.domain;
    let corner = low + 0.25 * (high - low);
    let crowd = |index: usize| corner + undamaged.random(index) * 2.0 * support_radius;
    let place = |(index, &position): (usize, &Vec3)| if index % 2 == 0 { crowd(index) } else { position };
    Ok(undamaged.damaged(undamaged.positions.iter().enumerate().map(place).collect()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::search::SearchOptions;

    #[test]
    fn every_lesson_changes_its_input_and_keeps_the_number_of_particles() {
        let positions: Vec<Vec3> = (0..500).map(|i| Vec3::splat(uniform(1, i))).collect();
        let domain = Domain::new(Vec3::ZERO, Vec3::ONE, 0.1).expect("a valid domain");
        for search in SEARCHES {
            let configuration = SearchConfiguration { search, options: SearchOptions::default() };
            for preset in PRESETS {
                let undamaged = Undamaged { positions: &positions, domain, configuration: &configuration, seed: 1 };
                let damaged = match preset.apply(undamaged) {
                    Ok(damaged) => damaged,
                    Err(error) => {
                        assert!(preset.is_wrong && error.to_string().contains(search.title), "{error}");
                        continue;
                    }
                };
                assert_eq!(damaged.positions.len(), positions.len());
                let same = damaged.positions == positions
                    && damaged.domain == domain
                    && damaged.configuration == configuration;
                assert!(!same, "{} changes nothing", preset.name);
                assert!(preset.sentence.ends_with('.') && !preset.sentence.contains("  "), "{}", preset.sentence);
                assert_eq!(Preset::named(preset.name).map(|found| found.title), Some(preset.title));
            }
        }
        assert_eq!(PRESETS.iter().map(|preset| preset.name).collect::<BTreeSet<_>>().len(), PRESETS.len());
    }
}
