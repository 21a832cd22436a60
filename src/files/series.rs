//! A series of frames in a folder: one file per frame, and a list of the frames with their times.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::leftovers::delete_leftovers;
use super::{FileError, Frame, WholeWriter, csv_frame, make_folder, ply_frame, vtk_frame, write_whole};

/// File format of exported frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameFormat {
    /// VTK in XML (`.vtu`), and a `.pvd` file that `ParaView` opens as a time series.
    Vtk,
    /// Binary little-endian PLY.
    Ply,
    /// CSV with a header of names and units.
    Csv,
}

impl FrameFormat {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::Vtk, Self::Ply, Self::Csv];

    /// Name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vtk => "vtk",
            Self::Ply => "ply",
            Self::Csv => "csv",
        }
    }

    fn ending(self) -> &'static str {
        match self {
            Self::Vtk => "vtu",
            Self::Ply => "ply",
            Self::Csv => "csv",
        }
    }

    /// Path of the file in a folder that lists the frames with their times.
    pub fn list_in(self, folder: &Path) -> PathBuf {
        folder.join(self.list_name())
    }

    /// Name of the file that lists the frames with their times.
    fn list_name(self) -> &'static str {
        match self {
            Self::Vtk => "water.pvd",
            Self::Ply | Self::Csv => "frames.csv",
        }
    }
}

/// Prefix of the name of every frame's file.
const STEM: &str = "water_";

/// Frames in a folder, one file per frame, and a list of their times. The list is rewritten after every frame, so that
/// an interrupted series can be opened too.
///
/// ```
/// use nearwater::files::{FrameFormat, FrameSeries};
/// use nearwater::fluid::Simulation;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let gpu = nearwater::gpu::Gpu::open(None, nearwater::gpu::ShaderLibrary::embedded())?;
/// # let scene = nearwater::fluid::Scene::load("dam_break")?;
/// # let settings = nearwater::fluid::Settings::with_particles(500);
/// let simulation = Simulation::new(&gpu, &scene, &settings)?;
/// let folder = tempfile::tempdir()?;
/// let mut series = FrameSeries::new(folder.path(), FrameFormat::Vtk)?;
/// series.add(&simulation.observe()?)?;
/// assert!(series.list().exists());
/// # Ok(())
/// # }
/// ```
pub struct FrameSeries {
    folder: PathBuf,
    format: FrameFormat,
    frames: Vec<(String, f64, u64)>,
}

impl FrameSeries {
    /// Starts a series in a folder, which is created if it does not exist.
    ///
    /// # Errors
    /// When the folder cannot be created, or already contains frames, which would be mixed up with the new ones.
    pub fn new(folder: &Path, format: FrameFormat) -> Result<Self, FileError> {
        let fail = |reason: &dyn std::fmt::Display| FileError::write(folder, reason);
        make_folder(folder)?;
        delete_leftovers(folder, is_of_series);
        for entry in fs::read_dir(folder).map_err(|error| fail(&error))?.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if is_of_series(&name) {
                return Err(fail(&format_args!(
                    "it contains frames of another run ({name}); name another folder or remove them"
                )));
            }
        }
        let series = Self { folder: folder.to_owned(), format, frames: Vec::new() };
        series.write_list()?;
        Ok(series)
    }

    /// Writes the next frame.
    ///
    /// # Errors
    /// When the frame cannot be written; the frames before it are kept.
    pub fn add(&mut self, frame: &Frame) -> Result<(), FileError> {
        let name = format!("{STEM}{:05}.{}", self.frames.len(), self.format.ending());
        let path = self.folder.join(&name);
        match self.format {
            FrameFormat::Vtk => write_whole(&path, |writer| vtk_frame::write(frame, writer)),
            FrameFormat::Ply => write_whole(&path, |writer| ply_frame::write(frame, writer)),
            FrameFormat::Csv => write_whole(&path, |writer| csv_frame::write(frame, writer)),
        }?;
        self.frames.push((name, frame.time, frame.step));
        self.write_list()
    }

    /// Number of frames written so far.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Whether no frame was written yet.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// Path of the list of frames, which is the file to open in a viewer.
    pub fn list(&self) -> PathBuf {
        self.format.list_in(&self.folder)
    }

    fn write_list(&self) -> Result<(), FileError> {
        let text = match self.format {
            FrameFormat::Vtk => collection(&self.frames),
            FrameFormat::Ply | FrameFormat::Csv => table(&self.frames),
        };
        write_whole(&self.list(), |writer: &mut WholeWriter| writer.write_all(text.as_bytes()))
    }
}

/// Whether a file of this name belongs to a series.
fn is_of_series(name: &str) -> bool {
    let is_frame = name.starts_with(STEM) && FrameFormat::ALL.iter().any(|format| name.ends_with(format.ending()));
    is_frame || FrameFormat::ALL.iter().any(|format| name == format.list_name())
}

/// A `ParaView` collection: the frames' files with their times. The names are generated here and need no XML escaping.
fn collection(frames: &[(String, f64, u64)]) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n  \
         <Collection>\n",
    );
    for (name, time, _) in frames {
        // Writing into a string does not fail.
        let _ = writeln!(text, "    <DataSet timestep=\"{time}\" group=\"\" part=\"0\" file=\"{name}\"/>");
    }
    text + "  </Collection>\n</VTKFile>\n"
}

fn table(frames: &[(String, f64, u64)]) -> String {
    let mut text = String::from("file,time_s,step\n");
    for (name, time, step) in frames {
        let _ = writeln!(text, "{name},{time},{step}");
    }
    text
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "the values are read back bit for bit")]
mod tests {
    use std::fs;

    use ply_rs_bw::parser::Parser;
    use ply_rs_bw::ply::{DefaultElement, Encoding, Property};
    use vtkio::Vtk;
    use vtkio::model::{Attribute, DataSet, Piece, UnstructuredGridPiece};

    use super::{FrameFormat, FrameSeries};
    use crate::files::Frame;

    fn frame(count: u16) -> Frame {
        let number = |place: u16, more: f32| f32::from(place) / 3.0 + more;
        Frame {
            time: 0.1 + 0.2,
            step: 7,
            indices: (0..count.into()).map(|index| 3 * index).collect(),
            positions: (0..count).map(|place| [number(place, 0.0), number(place, 1.0), number(place, -2.0)]).collect(),
            velocities: (0..count).map(|place| [number(place, 1e-7), 0.0, -1e9]).collect(),
            densities: (0..count).map(|place| number(place, 1000.0)).collect(),
            pressures: (0..count).map(|place| number(place, 0.5)).collect(),
        }
    }

    fn written(format: FrameFormat, frames: &[Frame]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        let mut series = FrameSeries::new(&folder.path().join("frames"), format).expect("the folder is new");
        for frame in frames {
            series.add(frame).expect("it can be written");
        }
        assert_eq!(series.len(), frames.len());
        folder
    }

    #[test]
    fn vtk_is_read_back_bit_for_bit_and_the_series_has_times() {
        let frame = frame(500);
        let folder = written(FrameFormat::Vtk, &[Frame { time: 0.0, ..frame.clone() }, frame.clone()]);
        let file = folder.path().join("frames/water_00001.vtu");
        let text = fs::read_to_string(&file).expect("it is there");
        assert!(text.ends_with("</VTKFile>"), "the end is missing: {}", &text[text.len() - 40..]);
        let DataSet::UnstructuredGrid { pieces, .. } = Vtk::import(&file).expect("vtkio reads it").data else {
            panic!("no unstructured grid")
        };
        let [Piece::Inline(piece)] = pieces.as_slice() else { panic!("not one piece") };
        let UnstructuredGridPiece { points, cells, data } = piece.as_ref();
        assert_eq!(points.clone().into_vec::<f32>().expect("floats"), frame.positions.as_flattened());
        assert_eq!((cells.num_cells(), cells.num_verts()), (500, 500));
        let array = |name: &str| {
            let found = data.point.iter().find_map(|attribute| match attribute {
                Attribute::DataArray(array) if array.name == name => Some(array.data.clone()),
                _ => None,
            });
            found.unwrap_or_else(|| panic!("no array {name}"))
        };
        let floats = |name: &str| array(name).into_vec::<f32>().expect("floats");
        assert_eq!(floats("velocity_m_per_s"), frame.velocities.as_flattened());
        assert_eq!(floats("density_kg_per_m3"), frame.densities);
        assert_eq!(floats("pressure_Pa"), frame.pressures);
        assert_eq!(array("index").into_vec::<u32>().expect("indices"), frame.indices);
        let list = fs::read_to_string(folder.path().join("frames/water.pvd")).expect("it is there");
        for line in
            ["timestep=\"0\" group=\"\" part=\"0\" file=\"water_00000.vtu\"", "timestep=\"0.30000000000000004\""]
        {
            assert!(list.contains(line), "{list}");
        }
    }

    #[test]
    fn ply_is_read_back_bit_for_bit() {
        let frame = frame(500);
        let folder = written(FrameFormat::Ply, std::slice::from_ref(&frame));
        let mut file = fs::File::open(folder.path().join("frames/water_00000.ply")).expect("it is there");
        let ply = Parser::<DefaultElement>::new().read_ply(&mut file).expect("it is PLY");
        assert_eq!(ply.header.encoding, Encoding::BinaryLittleEndian);
        assert!(ply.header.comments.iter().any(|comment| comment.contains("velocity_m_per_s")), "{:?}", ply.header);
        let vertices = &ply.payload["vertex"];
        assert_eq!(vertices.len(), frame.count());
        for (place, vertex) in vertices.iter().enumerate() {
            let float = |name: &str| match vertex[name] {
                Property::Float(float) => float,
                ref other => panic!("{name} is {other:?}"),
            };
            assert_eq!([float("x"), float("y"), float("z")], frame.positions[place]);
            assert_eq!([float("vx"), float("vy"), float("vz")], frame.velocities[place]);
            assert_eq!((float("density"), float("pressure")), (frame.densities[place], frame.pressures[place]));
            assert_eq!(vertex["index"], Property::UInt(frame.indices[place]));
        }
    }

    #[test]
    fn csv_is_read_back_bit_for_bit_by_the_names_of_its_columns() {
        let frame = frame(500);
        let folder = written(FrameFormat::Csv, std::slice::from_ref(&frame));
        let mut rows = csv::Reader::from_path(folder.path().join("frames/water_00000.csv")).expect("it is there");
        let header = rows.headers().expect("a header").clone();
        let records: Vec<_> = rows.records().map(|record| record.expect("a row")).collect();
        assert_eq!(records.len(), frame.count());
        for (place, record) in records.iter().enumerate() {
            let float = |name: &str| {
                let column = header.iter().position(|column| column == name).unwrap_or_else(|| panic!("no {name}"));
                record[column].parse::<f32>().expect("a number")
            };
            assert_eq!([float("x_m"), float("y_m"), float("z_m")], frame.positions[place]);
            let velocity = [float("vx_m_per_s"), float("vy_m_per_s"), float("vz_m_per_s")];
            assert_eq!(velocity, frame.velocities[place]);
            assert_eq!(float("density_kg_per_m3").to_bits(), frame.densities[place].to_bits());
            assert_eq!(float("pressure_Pa").to_bits(), frame.pressures[place].to_bits());
            assert_eq!(record[0], frame.indices[place].to_string());
        }
        let list = fs::read_to_string(folder.path().join("frames/frames.csv")).expect("it is there");
        assert_eq!(list, "file,time_s,step\nwater_00000.csv,0.30000000000000004,7\n");
    }

    #[test]
    fn a_frame_without_particles_can_be_written() {
        for format in FrameFormat::ALL {
            written(format, &[Frame::default()]);
        }
    }

    #[test]
    fn a_folder_with_another_series_is_refused() {
        let folder = written(FrameFormat::Ply, &[frame(3)]);
        let error = FrameSeries::new(&folder.path().join("frames"), FrameFormat::Vtk).err().expect("it is taken");
        assert!(error.to_string().contains("frames of another run"), "{error}");
        let error = FrameSeries::new(&folder.path().join("no/frames"), FrameFormat::Vtk).err().expect("no parent");
        assert!(error.to_string().contains("no/frames"), "{error}");
    }
}
