//! Finds the files of a recording: in a folder, or by a list of frames with their times.

use std::cmp::Ordering;
use std::fs;
use std::path::{Path, PathBuf};

use super::{ENDINGS, FileError, Format};

/// The lists of frames that this program writes into a folder.
const TABLE: &str = "frames.csv";

/// A file with the time of its frame, s.
type Timed = (PathBuf, Option<f64>);

/// The files that a path stands for: a file itself, the files of a list, or the frames in a folder.
pub(super) fn files_of(path: &Path) -> Result<Vec<Timed>, FileError> {
    let fail = |reason: String| FileError::read(path, reason);
    let about = fs::metadata(path).map_err(|error| fail(error.to_string()))?;
    if about.is_dir() {
        return in_folder(path);
    }
    if !about.is_file() {
        return Err(fail("it is neither a file nor a folder; give one of these".to_owned()));
    }
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("pvd")) {
        collection(path)
    } else if path.file_name().is_some_and(|name| name == TABLE) {
        table(path)
    } else {
        Ok(vec![(path.to_owned(), None)])
    }
}

fn in_folder(folder: &Path) -> Result<Vec<Timed>, FileError> {
    let fail = |reason: String| FileError::read(folder, reason);
    let entries = fs::read_dir(folder).map_err(|error| fail(error.to_string()))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(|path| path.is_file()).collect();
    files.sort_by(|one, other| by_numbers(&one.to_string_lossy(), &other.to_string_lossy()));
    let ends = |path: &Path, ending: &str| path.extension().is_some_and(|found| found.eq_ignore_ascii_case(ending));
    let lists: Vec<&PathBuf> = files.iter().filter(|file| ends(file, "pvd")).collect();
    match lists.as_slice() {
        [] => {}
        [list] => return collection(list),
        [..] => return Err(fail(format!("it contains {} series (.pvd); name one of them", lists.len()))),
    }
    if let Some(list) = files.iter().find(|file| file.file_name().is_some_and(|name| name == TABLE)) {
        return table(list);
    }
    let format = |file: &PathBuf| ENDINGS.iter().find(|(ending, _)| ends(file, ending)).map(|(_, format)| *format);
    let mut found: Vec<Format> = Vec::new();
    for format in files.iter().filter_map(format) {
        if !found.contains(&format) {
            found.push(format);
        }
    }
    match found.as_slice() {
        [] => Err(fail("it contains no dumps of LAMMPS, no VTK, PLY or CSV files; name another folder".to_owned())),
        [one] => Ok(files.iter().filter(|file| format(file) == Some(*one)).map(|file| (file.clone(), None)).collect()),
        [..] => Err(fail("it contains frames of several formats; name the files of one of them".to_owned())),
    }
}

/// The frames of a `ParaView` collection.
fn collection(list: &Path) -> Result<Vec<Timed>, FileError> {
    let text = fs::read_to_string(list).map_err(|error| FileError::read(list, error))?;
    let folder = list.parent().unwrap_or(Path::new("."));
    let attribute = |element: &str, name: &str| {
        let begin = element.find(&format!("{name}=\""))? + name.len() + 2;
        let length = element[begin..].find('"')?;
        Some(element[begin..begin + length].to_owned())
    };
    let elements = text.split("<DataSet").skip(1).map(|element| element.split('>').next().unwrap_or_default());
    let frames: Vec<Timed> = elements
        .filter_map(|element| {
            let time = attribute(element, "timestep").and_then(|time| time.parse().ok());
            Some((folder.join(attribute(element, "file")?), time))
        })
        .collect();
    if frames.is_empty() { Err(FileError::read(list, "it lists no frames")) } else { Ok(frames) }
}

/// The frames of a table with the columns `file` and `time_s`.
fn table(list: &Path) -> Result<Vec<Timed>, FileError> {
    let fail = |reason: String| FileError::read(list, reason);
    let mut reader = csv::Reader::from_path(list).map_err(|error| fail(error.to_string()))?;
    let header = reader.headers().map_err(|error| fail(error.to_string()))?.clone();
    let column = |name: &str| header.iter().position(|head| head == name);
    let file =
        column("file").ok_or_else(|| fail("it has no column \"file\"; name the frames themselves".to_owned()))?;
    let time = column("time_s");
    let folder = list.parent().unwrap_or(Path::new("."));
    let mut frames = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| fail(error.to_string()))?;
        frames.push((folder.join(&record[file]), time.and_then(|column| record[column].parse().ok())));
    }
    if frames.is_empty() { Err(fail("it lists no frames".to_owned())) } else { Ok(frames) }
}

/// Compares names such that numbers in them count by their values: `frame_9` comes before `frame_10`.
pub(super) fn by_numbers(one: &str, other: &str) -> Ordering {
    let (mut a, mut b) = (one.as_bytes(), other.as_bytes());
    while let (Some(&first), Some(&second)) = (a.first(), b.first()) {
        if first.is_ascii_digit() && second.is_ascii_digit() {
            let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let (in_a, in_b) = (digits(a), digits(b));
            let trimmed =
                |text: &[u8]| -> Vec<u8> { text.iter().copied().skip_while(|&digit| digit == b'0').collect() };
            let (left, right) = (trimmed(&a[..in_a]), trimmed(&b[..in_b]));
            let order = left.len().cmp(&right.len()).then_with(|| left.cmp(&right));
            if order != Ordering::Equal {
                return order;
            }
            (a, b) = (&a[in_a..], &b[in_b..]);
        } else if first == second {
            (a, b) = (&a[1..], &b[1..]);
        } else {
            return first.cmp(&second);
        }
    }
    a.len().cmp(&b.len())
}
