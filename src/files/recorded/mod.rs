//! Recordings of particles: frames that this or another program has written, read from the disk one at a time.
//!
//! Formats: text dumps of LAMMPS (styles `atom` and `custom`), VTK (XML and legacy), PLY, and CSV. A folder is searched
//! for a list of frames (`.pvd`, or `frames.csv` of this program) or for files of one of these formats; several files
//! are played in the order of the numbers in their names. Only where frames begin is kept in memory.

mod columns;
mod csv;
mod dump;
mod list;
mod ply;
mod vtk;

use std::path::{Path, PathBuf};

use super::FileError;
use columns::Columns;

/// Largest accepted number of particles of a frame, more than fit a buffer binding of any device.
const MOST_PARTICLES: usize = 1 << 28;

/// The particles of one frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordedFrame {
    /// Positions, m, in the order of the particles' numbers where the file has any, otherwise in that of the file.
    pub positions: Vec<[f32; 3]>,
    /// Velocities, m/s; zero where the file has none. As long as `positions`.
    pub velocities: Vec<[f32; 3]>,
    /// Everything else that the file has a number of for every particle.
    pub fields: Vec<RecordedField>,
}

/// A number for every particle of a frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordedField {
    /// Its name in the file.
    pub name: String,
    /// The values, in the order of the positions; NaN for those that are not numbers.
    pub values: Vec<f32>,
}

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Dump,
    Vtk,
    Ply,
    Csv,
}

/// Endings of the names of files, without the dot, and their formats.
const ENDINGS: [(&str, Format); 8] = [
    ("lammpstrj", Format::Dump),
    ("dump", Format::Dump),
    ("trj", Format::Dump),
    ("vtu", Format::Vtk),
    ("vtp", Format::Vtk),
    ("vtk", Format::Vtk),
    ("ply", Format::Ply),
    ("csv", Format::Csv),
];

/// Where a frame is.
#[derive(Clone, Debug, PartialEq)]
struct Place {
    file: PathBuf,
    format: Format,
    /// Place of its first byte; 0 in formats with one frame per file.
    offset: u64,
    /// s; `None` where neither the file nor a list says it.
    time: Option<f64>,
}

/// A sequence of frames on the disk.
///
/// ```
/// use nearwater::files::Recording;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = std::env::temp_dir().join(format!("nearwater-recording-{}", std::process::id()));
/// std::fs::create_dir_all(&folder)?;
/// for (number, x) in [(9, 0.25), (10, 0.5)] {
///     std::fs::write(folder.join(format!("frame{number}.csv")), format!("x,y,z\n{x},0,0\n1,0,0\n"))?;
/// }
/// // Frames are in the order of the numbers in their names, and are read when they are asked for.
/// let recording = Recording::open(&[folder.clone()])?;
/// assert_eq!((recording.len(), recording.has_times()), (2, false));
/// assert_eq!(recording.read(1)?.positions, [[0.5, 0.0, 0.0], [1.0, 0.0, 0.0]]);
/// # std::fs::remove_dir_all(folder)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    places: Vec<Place>,
    times: Vec<f64>,
    has_times: bool,
    /// Union of the boxes that the frames state, m.
    bounds: Option<[[f32; 3]; 2]>,
    notices: Vec<String>,
}

impl Recording {
    /// Opens the files and folders of a recording, and finds where its frames begin. Dumps are read through once for
    /// this, and of other formats nothing is read yet.
    ///
    /// # Errors
    /// When nothing is named, a file cannot be read or has no format of this list, a folder contains no frames or files
    /// of several formats, or there is no complete frame.
    pub fn open(paths: &[PathBuf]) -> Result<Self, FileError> {
        let mut recording =
            Self { places: Vec::new(), times: Vec::new(), has_times: false, bounds: None, notices: Vec::new() };
        for path in paths {
            for (file, time) in list::files_of(path)? {
                recording.add(&file, time)?;
            }
        }
        let Some(first) = paths.first() else {
            return Err(FileError::read(Path::new("a recording"), "no file is named; name a folder or files"));
        };
        if recording.places.is_empty() {
            return Err(FileError::read(first, "it has no complete frame; run the simulation for longer"));
        }
        let said: Option<Vec<f64>> = recording.places.iter().map(|place| place.time).collect();
        let said = said.filter(|times| times.windows(2).all(|pair| pair[0] < pair[1]));
        recording.has_times = said.is_some();
        let counted = || (0..recording.places.len()).map(|number| number as f64 / FRAMES_A_SECOND).collect();
        recording.times = said.unwrap_or_else(counted);
        Ok(recording)
    }

    fn add(&mut self, file: &Path, time: Option<f64>) -> Result<(), FileError> {
        let format = format_of(file)?;
        if format != Format::Dump {
            self.places.push(Place { file: file.to_owned(), format, offset: 0, time });
            return Ok(());
        }
        let found = dump::index(file).map_err(|reason| FileError::read(file, reason))?;
        self.notices.extend(found.notice.map(|notice| format!("{} {notice}", file.display())));
        for frame in found.frames {
            if let Some([low, high]) = frame.bounds {
                let [least, most] = self.bounds.get_or_insert([low, high]);
                *least = std::array::from_fn(|axis| least[axis].min(low[axis]));
                *most = std::array::from_fn(|axis| most[axis].max(high[axis]));
            }
            self.places.push(Place { file: file.to_owned(), format, offset: frame.offset, time: frame.time.or(time) });
        }
        Ok(())
    }

    /// Number of frames, at least 1.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Never: a recording has at least one frame.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Times of the frames, s, ascending. Where the files do not say them, there are 25 frames a second.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// Whether the files or a list say the times.
    pub fn has_times(&self) -> bool {
        self.has_times
    }

    /// Lowest and highest corner of the boxes that the frames state, m; `None` where they state none.
    pub fn bounds(&self) -> Option<[[f32; 3]; 2]> {
        self.bounds
    }

    /// What the user should know, in whole sentences: where a file ends in the middle of a frame.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// The file of a frame.
    pub fn file(&self, frame: usize) -> &Path {
        &self.places[frame.min(self.places.len() - 1)].file
    }

    /// Number of the last frame whose time is not after `time`, s; 0 before the first.
    pub fn frame_at(&self, time: f64) -> usize {
        self.times.partition_point(|&at| at <= time).saturating_sub(1)
    }

    /// Reads a frame; of numbers beyond the last one, the last frame.
    ///
    /// # Errors
    /// When the file cannot be read, is incomplete, lacks a coordinate, or has no particles or too many.
    pub fn read(&self, frame: usize) -> Result<RecordedFrame, FileError> {
        let Place { file, format, offset, .. } = &self.places[frame.min(self.places.len() - 1)];
        let read = || -> Result<RecordedFrame, String> {
            let columns: Columns = match format {
                Format::Dump => dump::read(file, *offset)?,
                Format::Vtk => vtk::read(file)?,
                Format::Ply => ply::read(file)?,
                Format::Csv => csv::read(file)?,
            };
            columns.frame()
        };
        read().map_err(|reason| FileError::read(file, reason))
    }
}

/// The pace of frames without times.
const FRAMES_A_SECOND: f64 = 25.0;

/// The format that the ending of a file's name states.
fn format_of(file: &Path) -> Result<Format, FileError> {
    let ending = file.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    let known = ENDINGS.iter().find(|(name, _)| *name == ending);
    known.map(|(_, format)| *format).ok_or_else(|| {
        let mend = match ending.as_str() {
            "bgeo" => "export VTK or PLY from SPlisHSPlasH instead of Partio's bgeo",
            "hdf5" | "npz" => "convert it, for PySPH with `pysph dump_vtk`",
            _ => "give a dump of LAMMPS (.lammpstrj or .dump), VTK (.vtu, .vtp or .vtk), PLY or CSV",
        };
        FileError::read(file, format!("files that end in \".{ending}\" are not played; {mend}"))
    })
}

#[cfg(test)]
mod tests;
