//! Runs checks that are ordered from a window: a separate thread reads the files and compares the lists, so that frames
//! continue.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::thread;

use glam::Vec3;

use super::{CheckMine, CheckOptions, Directions, check};
use crate::files::{ListForm, PairFiles, read_classes, read_finite_positions, read_pairs, write_whole};
use crate::gpu::Gpu;
use crate::search::verify::SearchConfiguration;
use crate::search::{COARSE_CELLS, SEARCHES, SearchInfo, SearchOptions};

/// Largest number of points that an image shows.
const MOST_SHOWN: usize = 4_000;
/// The example: points, and a list without the pairs across faces between coarse cells along x.
const EXAMPLE: [(&str, &str); 2] = [
    ("example_points.csv", include_str!("../../../assets/laboratory/example_points.csv")),
    ("example_neighbors.csv", include_str!("../../../assets/laboratory/example_neighbors.csv")),
];
/// Radius of the example's list, m.
const EXAMPLE_RADIUS: f32 = 0.14;
/// Coarse cells along each axis of the example's box.
const EXAMPLE_CELLS: f32 = 3.0;

/// Where the points and the list come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum CheckSource {
    /// The prepared example.
    #[default]
    Example,
    /// Files of the user.
    Files {
        /// The points.
        points: PathBuf,
        /// The list: pairs, or CSR.
        neighbors: PathBuf,
        /// CSR offsets, if they are in a separate file.
        offsets: Option<PathBuf>,
        /// Classes of the particles.
        classes: Option<PathBuf>,
        /// Whether the first particle is number 1.
        one_based: bool,
    },
}

/// An order for a check, which is carried out once.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckOrder {
    /// Number of the order, so that each order is carried out once.
    pub number: u32,
    /// Where the points and the list come from.
    pub source: CheckSource,
    /// Largest distance between neighbors, m.
    pub radius: f32,
    /// Lowest and highest corner of the box that the cells fill, m; `None` for a box around the points.
    pub bounds: Option<(Vec3, Vec3)>,
    /// The search whose pairs are taken as correct.
    pub configuration: SearchConfiguration,
    /// Whether the list contains each pair once or in both directions.
    pub directions: Directions,
}

impl CheckOrder {
    /// The check of the prepared example.
    pub fn example(number: u32) -> Self {
        let has_coarse_cells = |search: &&SearchInfo| search.options.iter().any(|it| it.name == COARSE_CELLS.name);
        let search = SEARCHES.iter().copied().find(has_coarse_cells).unwrap_or(SearchInfo::default_for_scenes());
        Self {
            number,
            source: CheckSource::Example,
            radius: EXAMPLE_RADIUS,
            bounds: Some((Vec3::ZERO, Vec3::ONE)),
            configuration: SearchConfiguration {
                search,
                options: SearchOptions::default().with(&COARSE_CELLS, EXAMPLE_CELLS),
            },
            directions: Directions::Detect,
        }
    }

    /// Reads the files and compares the lists. Waits for the device.
    ///
    /// # Errors
    /// When a file cannot be read or the check refuses its content: one sentence that names the cause and how to fix
    /// it.
    pub fn carry_out(&self, gpu: &Gpu) -> Result<CheckedList, String> {
        let CheckSource::Files { points, neighbors, offsets, classes, one_based } = &self.source else {
            return self.carry_out_example(gpu);
        };
        let points = read_finite_positions(points).map_err(|error| error.to_string())?;
        let particle_count = points.len() as u32;
        let files = PairFiles { neighbors, offsets: offsets.as_deref(), one_based: *one_based, particle_count };
        let list = read_pairs(&files).map_err(|error| error.to_string())?;
        let classes = classes.as_deref().map(|file| read_classes(file, particle_count)).transpose();
        let options = CheckOptions {
            radius: self.radius,
            bounds: self.bounds,
            configuration: self.configuration.clone(),
            directions: self.directions,
            classes: classes.map_err(|error| error.to_string())?,
        };
        let mine = check(gpu, &points, &list.pairs, &options).map_err(|error| error.to_string())?;
        Ok(CheckedList { points, form: list.form, mine })
    }

    /// Writes the example to a temporary folder and reads it like files of the user.
    fn carry_out_example(&self, gpu: &Gpu) -> Result<CheckedList, String> {
        let folder = tempfile::tempdir().map_err(|error| format!("the example needs a temporary folder: {error}"))?;
        let [points, neighbors] = EXAMPLE.map(|(name, text)| (folder.path().join(name), text));
        for (file, text) in [&points, &neighbors] {
            write_whole(file, |writer| writer.write_all(text.as_bytes())).map_err(|error| error.to_string())?;
        }
        let source = CheckSource::Files {
            points: points.0,
            neighbors: neighbors.0,
            offsets: None,
            classes: None,
            one_based: false,
        };
        Self { source, ..self.clone() }.carry_out(gpu)
    }
}

/// A list that was checked, with its points.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedList {
    /// The points, m.
    pub points: Vec<Vec3>,
    /// The format of the list.
    pub form: ListForm,
    /// The outcome of the check.
    pub mine: CheckMine,
}

impl CheckedList {
    /// Points for an image of all of them: every k-th point, at most 4,000, m.
    pub fn overview(&self) -> Vec<Vec3> {
        self.points.iter().copied().step_by(self.points.len().div_ceil(MOST_SHOWN).max(1)).collect()
    }

    /// Points within a distance `reach` (m) of a position: every k-th of them, at most 4,000, m.
    pub fn around(&self, place: Vec3, reach: f32) -> Vec<Vec3> {
        let near: Vec<Vec3> = self.points.iter().copied().filter(|point| point.distance(place) <= reach).collect();
        near.iter().copied().step_by(near.len().div_ceil(MOST_SHOWN).max(1)).collect()
    }
}

/// The state of the orders.
#[derive(Clone, Debug, Default)]
pub struct CheckFindings {
    /// Number of the order that is being carried out.
    pub under_way: Option<u32>,
    /// Number of the last completed order, with its outcome or the reason why there is none.
    pub outcome: Option<(u32, Result<Arc<CheckedList>, String>)>,
}

/// Carries out orders, one after the other. It has no resources before the first order.
#[derive(Default)]
pub struct CheckBench {
    under_way: Option<(u32, Receiver<Result<CheckedList, String>>)>,
    /// Number of the last order that was started.
    begun: u32,
    findings: CheckFindings,
}

impl CheckBench {
    /// Starts the order, if it is new and no other is in progress, and collects finished results. Never waits.
    pub fn follow(&mut self, gpu: &Arc<Gpu>, order: Option<&Arc<CheckOrder>>) -> CheckFindings {
        if let Some((number, receiver)) = &self.under_way {
            let arrived = match receiver.try_recv() {
                Err(TryRecvError::Empty) => None,
                Ok(outcome) => Some(outcome.map(Arc::new)),
                Err(TryRecvError::Disconnected) => {
                    Some(Err("the check ended without a result; please report this with the program's log".to_owned()))
                }
            };
            if let Some(outcome) = arrived {
                self.findings.outcome = Some((*number, outcome));
                self.under_way = None;
            }
        }
        if let Some(order) = order.filter(|order| order.number != self.begun && self.under_way.is_none()) {
            self.begin(gpu, order);
        }
        self.findings.under_way = self.under_way.as_ref().map(|(number, _)| *number);
        self.findings.clone()
    }

    fn begin(&mut self, gpu: &Arc<Gpu>, order: &Arc<CheckOrder>) {
        self.begun = order.number;
        let (sender, receiver) = mpsc::channel();
        let (gpu, order) = (Arc::clone(gpu), Arc::clone(order));
        let number = order.number;
        let thread = thread::Builder::new().name("check of a neighbor list".to_owned());
        // Sending fails if the window was closed in the meantime, and the result is dropped.
        let spawned = thread.spawn(move || drop(sender.send(order.carry_out(&gpu))));
        match spawned {
            Ok(_) => self.under_way = Some((number, receiver)),
            Err(error) => {
                let reason = format!("the thread for the check could not be started: {error}");
                self.findings.outcome = Some((number, Err(reason)));
            }
        }
    }
}
