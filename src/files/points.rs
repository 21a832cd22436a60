//! Reads points from a PLY, NPY or CSV file, whichever its first bytes and its name say it is.

use std::ffi::OsStr;
use std::fmt::Display;
use std::io::BufReader;
use std::path::Path;

use glam::Vec3;

use super::npy::NPY;
use super::open::{OpenedFile, open};
use super::{FileError, Points, csv_points, npy_points, ply_points, read_bytes};

/// Largest accepted number of points, more than fit a buffer binding of any device.
const MOST_POINTS: usize = 1 << 28;
/// Largest accepted file: 32 bytes for each of [`MOST_POINTS`].
const MOST_BYTES: u64 = 32 * MOST_POINTS as u64;

/// First bytes of every PLY file.
const PLY: [u8; 3] = *b"ply";
/// The same after a byte order mark.
const MARKED_PLY: [u8; 6] = *b"\xef\xbb\xbfply";

/// Reads positions and, where the file has them, velocities. From PLY it reads the vertex properties x, y, z and vx,
/// vy, vz; from CSV the columns of those names, with or without the unit that an exported frame appends; from NPY the
/// first three of three or four columns.
///
/// # Errors
/// When the file cannot be read, has none of these formats, contains no points or too many, or lacks a coordinate.
pub fn read_points(path: &Path) -> Result<Points, FileError> {
    let fail = |reason: &dyn Display| FileError::read(path, reason);
    let OpenedFile { file, bytes, begin } = open(path, MOST_BYTES, ("a PLY, NPY or CSV file", "points"))?;
    let ending = path.extension().map(OsStr::to_ascii_lowercase).unwrap_or_default();
    let points = if begin.starts_with(&PLY) || begin.starts_with(&MARKED_PLY) {
        drop(file);
        read_bytes(path, MOST_BYTES).and_then(|bytes| ply_points::read(&bytes, MOST_POINTS))
    } else if begin == NPY {
        npy_points::read(BufReader::new(file), bytes, MOST_POINTS)
    } else if ending == "csv" {
        csv_points::read(file, MOST_POINTS)
    } else {
        Err("it is neither PLY nor NPY, and its name does not end in .csv; give one of these".to_owned())
    }
    .map_err(|reason| fail(&reason))?;
    if points.positions.is_empty() {
        return Err(fail(&"it contains no points"));
    }
    Ok(points)
}

/// Reads the positions alone, as [`read_points`] does, and checks that all of them are finite.
///
/// # Errors
/// Those of [`read_points`], and a coordinate that is not finite in single precision.
pub fn read_finite_positions(path: &Path) -> Result<Vec<Vec3>, FileError> {
    let positions: Vec<Vec3> = read_points(path)?.positions.into_iter().map(Vec3::from_array).collect();
    match positions.iter().position(|position| !position.is_finite()) {
        None => Ok(positions),
        Some(index) => {
            let position = positions[index];
            let reason =
                format_args!("point {index} (counted from 0) is at {position}, which is not finite; correct it");
            Err(FileError::read(path, reason))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::read_points;
    use crate::files::{Frame, FrameFormat, FrameSeries, Points};

    fn file(name: &str, content: &[u8]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join(name);
        fs::write(&file, content).expect("it can be written");
        (folder, file)
    }

    fn points(name: &str, content: &str) -> Points {
        let (_folder, file) = file(name, content.as_bytes());
        read_points(&file).unwrap_or_else(|error| panic!("{error}"))
    }

    fn refusal(name: &str, content: &str) -> String {
        let (_folder, file) = file(name, content.as_bytes());
        let sentence = read_points(&file).expect_err("a refusal").to_string();
        assert!(sentence.starts_with("cannot read ") && sentence.contains(name), "{sentence}");
        assert!(!sentence.contains('\n'), "{sentence}");
        sentence
    }

    #[test]
    fn csv_is_read_by_the_names_of_its_columns() {
        let read = points("a.csv", "z,name,x, Y \n3,drop,1,2\n6.5,\"a, b\",4e0, -5\n");
        assert_eq!(read.positions, [[1.0, 2.0, 3.0], [4.0, -5.0, 6.5]]);
        assert_eq!(read.velocities, [[0.0; 3]; 2]);
        let read = points("a.csv", "x,y,z,vx,vy,vz\n1,2,3,4,5,6\n");
        assert_eq!(read.velocities, [[4.0, 5.0, 6.0]]);
    }

    #[test]
    fn ply_is_read_in_spite_of_other_elements_and_properties() {
        let header = "ply\nformat ascii 1.0\nelement camera 1\nproperty list uchar int views\nelement vertex 2\n\
                      property uchar red\nproperty double z\nproperty float y\nproperty short x\nelement face 1\n\
                      property list uchar int vertex_indices\nend_header\n";
        let read = points("a.ply", &format!("{header}2 7 8\n255 3.5 2.5 1\n0 6 5 4\n3 0 1 0\n"));
        assert_eq!(read.positions, [[1.0, 2.5, 3.5], [4.0, 5.0, 6.0]]);
        assert_eq!(read.velocities, [[0.0; 3]; 2]);
    }

    #[test]
    fn an_exported_frame_is_read_back_bit_for_bit() {
        let number = |place: u16, more: f32| f32::from(place) / 3.0 + more;
        let frame = Frame {
            time: 1.0,
            step: 1,
            indices: (0..100).collect(),
            positions: (0..100).map(|place| [number(place, 0.0), number(place, 1.0), number(place, 2.0)]).collect(),
            velocities: (0..100).map(|place| [number(place, 3.0), -1e-9, number(place, 4.0)]).collect(),
            densities: vec![1000.0; 100],
            pressures: vec![0.0; 100],
        };
        for (format, name) in [(FrameFormat::Ply, "water_00000.ply"), (FrameFormat::Csv, "water_00000.csv")] {
            let folder = tempfile::tempdir().expect("a folder");
            let mut series = FrameSeries::new(folder.path(), format).expect("the folder is empty");
            series.add(&frame).expect("it can be written");
            let read = read_points(&folder.path().join(name)).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!((read.positions, read.velocities), (frame.positions.clone(), frame.velocities.clone()));
        }
    }

    #[test]
    fn files_without_points_are_rejected_in_one_sentence() {
        let ply = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n";
        let refused = [
            ("a.csv", String::new(), "it is empty"),
            ("a.csv", "x,y,z\n".into(), "no points"),
            ("a.csv", "x,y\n1,2\n".into(), "no column \"z\""),
            ("a.csv", "x,y,z,vx\n1,2,3,4\n".into(), "no column \"vy\""),
            ("a.csv", "x,y,z\n1,2,3\n1,two,3\n".into(), "line 3, column \"y\": \"two\" is not a number"),
            ("a.csv", "x,y,z\n1,2,3\n1,2\n".into(), "line 3"),
            ("a.csv", "x,x,y,z\n1,1,2,3\n".into(), "two columns \"x\""),
            ("a.obj", "v 1 2 3\n".into(), "neither PLY"),
            ("a.ply", "solid teapot\n".into(), "neither PLY"),
            ("a.ply", "ply\nformat ascii 1.0\nelement face 0\nend_header\n".into(), "no element \"vertex\""),
            ("a.ply", format!("{ply}end_header\n1 2\n"), "no property \"z\""),
            ("a.ply", format!("{ply}property float z\nproperty float vy\nend_header\n1 2 3 4\n"), "no property \"vx\""),
            ("a.ply", format!("{ply}property list uchar float z\nend_header\n1 2 1 3\n"), "\"z\" is a list"),
            ("a.ply", format!("{ply}property float z\nend_header\n1 2\n"), "line 8 has 2 numbers"),
            ("a.ply", format!("{ply}property float z\nend_header\n"), "it ends after 0 of 1 rows"),
            ("a.ply", format!("{ply}property float z\nend_header\n").replace("vertex 1", "vertex 0"), "no points"),
            (
                "a.ply",
                format!("{ply}property float z\nend_header\n").replace("vertex 1", "vertex 4000000000"),
                "more than 268435456 points",
            ),
            ("a.ply", "ply\nno header".into(), "a.ply"),
        ];
        for (name, content, part) in refused {
            let sentence = refusal(name, &content);
            assert!(sentence.contains(part), "the message \"{sentence}\" does not contain \"{part}\"");
        }
        let folder = tempfile::tempdir().expect("a folder");
        let lost = read_points(&folder.path().join("lost.ply")).expect_err("no file").to_string();
        assert!(lost.contains("lost.ply"), "{lost}");
        assert!(read_points(folder.path()).expect_err("a folder").to_string().contains("not a file"));
        // A sparse file occupies no disk space, and must be rejected by its size alone.
        let huge = folder.path().join("huge.csv");
        fs::File::create(&huge).and_then(|file| file.set_len(1 << 40)).expect("the file system supports sparse files");
        assert!(read_points(&huge).expect_err("huge").to_string().contains("1099511627776 bytes"));
    }
}
