//! Writes one PNG for each picture, into a folder or under a pattern of names.

use std::fs;
use std::path::{Path, PathBuf};

use image::DynamicImage;
use image::codecs::png::PngEncoder;

use super::frames::Frames;
use super::{VideoError, VideoSettings};
use crate::files::{FileError, check_writable, make_folder, write_whole};

/// Names of the pictures in a folder.
const USUAL_NAME: &str = "frame_%05d.png";
/// Most digits of a picture's number.
const MOST_DIGITS: usize = 9;

/// Whether the file's name contains the place of a picture's number, `%d` or, with leading zeros, `%05d`.
pub(super) fn has_number(file: &Path) -> bool {
    Pattern::of_name(file).is_some()
}

/// Checks that the pictures can be written, and that none of another sequence is in their way.
pub(super) fn check(file: &Path) -> Result<(), VideoError> {
    let pattern = Pattern::new(file)?;
    let is_folder = !has_number(file);
    if is_folder && !file.exists() {
        // Where the folder can be made is only known by making it, which happens with the first picture.
        let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if !parent.is_dir() {
            let reason = format!("there is no folder {}; create it first", parent.display());
            return Err(FileError::Write { file: file.display().to_string(), reason }.into());
        }
        return Ok(());
    }
    check_writable(&pattern.file(0))?;
    let folder = pattern.file(0).parent().map_or_else(PathBuf::new, Path::to_owned);
    let folder = if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder };
    let names = fs::read_dir(&folder).into_iter().flatten().flatten();
    let taken = names.map(|entry| entry.file_name().to_string_lossy().into_owned()).find(|name| pattern.makes(name));
    taken.map_or(Ok(()), |name| {
        let reason = format!("there are pictures of another sequence ({name}); name another folder or remove them");
        Err(FileError::Write { file: file.display().to_string(), reason }.into())
    })
}

/// Writes the pictures of `settings`.
pub(super) fn write(settings: &VideoSettings, frames: &mut Frames) -> Result<(), VideoError> {
    let pattern = Pattern::new(&settings.file)?;
    if !has_number(&settings.file) {
        make_folder(&settings.file)?;
    }
    let abandoned = |reason| FileError::Write { file: settings.file.display().to_string(), reason };
    let mut number = 0;
    while let Some(picture) = frames.next().map_err(abandoned)? {
        let picture = DynamicImage::from(picture.clone()).to_rgb8();
        write_whole(&pattern.file(number), |writer| picture.write_with_encoder(PngEncoder::new(writer)))?;
        number += 1;
    }
    Ok(())
}

/// The names of the pictures.
struct Pattern {
    folder: PathBuf,
    before: String,
    digits: usize,
    after: String,
}

impl Pattern {
    fn new(file: &Path) -> Result<Self, VideoError> {
        let pattern = if has_number(file) { file.to_owned() } else { file.join(USUAL_NAME) };
        Self::of_name(&pattern).ok_or_else(|| VideoError::NoNumber(file.display().to_string()))
    }

    fn of_name(file: &Path) -> Option<Self> {
        let name = file.file_name()?.to_str()?;
        let (before, rest) = name.split_once('%')?;
        let (digits, after) = rest.split_once('d')?;
        let digits = if digits.is_empty() { 1 } else { digits.strip_prefix('0')?.parse().ok()? };
        let folder = file.parent().map_or_else(PathBuf::new, Path::to_owned);
        let is_valid = (1..=MOST_DIGITS).contains(&digits) && !after.contains('%');
        is_valid.then(|| Self { folder, before: before.to_owned(), digits, after: after.to_owned() })
    }

    fn file(&self, number: u64) -> PathBuf {
        let Self { before, digits, after, .. } = self;
        self.folder.join(format!("{before}{number:0digits$}{after}"))
    }

    /// Whether a picture of this sequence could have this name.
    fn makes(&self, name: &str) -> bool {
        let number = name.strip_prefix(&self.before).and_then(|rest| rest.strip_suffix(&self.after));
        number.is_some_and(|number| {
            number.len() >= self.digits && number.chars().all(|character| character.is_ascii_digit())
        })
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::{Pattern, has_number};

    #[test]
    fn numbers_fill_the_pattern() {
        let file = |pattern: &str, number| Pattern::new(Path::new(pattern)).expect(pattern).file(number);
        assert_eq!(file("a/water_%03d.png", 7), PathBuf::from("a/water_007.png"));
        assert_eq!(file("a/water_%03d.png", 1234), PathBuf::from("a/water_1234.png"));
        assert_eq!(file("%d.png", 12), PathBuf::from("12.png"));
        assert_eq!(file("a/frames", 3), PathBuf::from("a/frames/frame_00003.png"));
        for pattern in ["water.png", "%s.png", "%5d.png", "%00d.png", "%010d.png", "%d_%d.png"] {
            assert!(!has_number(Path::new(pattern)), "{pattern}");
        }
    }

    #[test]
    fn pictures_of_the_sequence_are_recognized() {
        let pattern = Pattern::new(Path::new("water_%03d.png")).expect("a pattern");
        for (name, expected) in
            [("water_000.png", true), ("water_1234.png", true), ("water_.png", false), ("other_000.png", false)]
        {
            assert_eq!(pattern.makes(name), expected, "{name}");
        }
    }
}
