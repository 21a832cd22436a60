//! The file in which the measured times of devices are kept from one start of the program to the next.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::DeviceBook;
use crate::files::{make_folder_of, write_whole};
use crate::gpu::Capabilities;

/// Version of the file. It must be increased when the meaning of a time changes.
const VERSION: u32 = 2;
/// Most devices that are kept; the oldest is forgotten first.
const MOST_DEVICES: usize = 16;
/// Largest file that is read, bytes.
const LARGEST: u64 = 1 << 20;

/// The key of a device: its name, the interface, the driver, and the program's version, since all of them change times.
pub fn device_key(capabilities: &Capabilities) -> String {
    format!(
        "{}, {:?}, driver {}, nearwater {}",
        capabilities.name,
        capabilities.backend,
        capabilities.driver,
        env!("CARGO_PKG_VERSION")
    )
}

#[derive(Serialize, Deserialize)]
struct Content {
    version: u32,
    devices: Vec<DeviceBook>,
}

/// The file of measured times.
#[derive(Clone, Debug)]
pub struct DeviceShelf {
    file: PathBuf,
}

impl DeviceShelf {
    /// The shelf in this file, which need not exist yet.
    pub fn new(file: &Path) -> Self {
        Self { file: file.to_owned() }
    }

    /// The book of a device; an empty one if the file has none. A file that cannot be used only costs a new
    /// measurement, so it is not an error.
    pub fn book_of(&self, device: &str) -> DeviceBook {
        let known = self.read().into_iter().find(|book| book.device == device);
        known.unwrap_or_else(|| DeviceBook::new(device))
    }

    /// Writes a device's book beside those of other devices.
    ///
    /// # Errors
    /// One sentence, when the file or its folder cannot be written.
    pub fn keep(&self, book: &DeviceBook) -> Result<(), String> {
        let mut devices = self.read();
        devices.retain(|other| other.device != book.device);
        devices.push(book.clone());
        let excess = devices.len().saturating_sub(MOST_DEVICES);
        devices.drain(..excess);
        let failed = |error: &dyn std::fmt::Display| format!("the measured speed of the device was not kept: {error}");
        let content = Content { version: VERSION, devices };
        let text =
            ron::ser::to_string_pretty(&content, ron::ser::PrettyConfig::new()).map_err(|error| failed(&error))?;
        make_folder_of(&self.file).map_err(|error| failed(&error))?;
        write_whole(&self.file, |writer| std::io::Write::write_all(writer, text.as_bytes()))
            .map_err(|error| failed(&error))
    }

    /// The books in the file; none if it is absent, damaged, of another version, or far too large.
    fn read(&self) -> Vec<DeviceBook> {
        let is_small = std::fs::metadata(&self.file).is_ok_and(|data| data.is_file() && data.len() <= LARGEST);
        let text = is_small.then(|| std::fs::read_to_string(&self.file).ok()).flatten();
        let content: Option<Content> = text.and_then(|text| ron::from_str(&text).ok());
        let content = content.filter(|content| content.version == VERSION);
        content.map_or_else(Vec::new, |content| content.devices.into_iter().filter(DeviceBook::is_sound).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pace::{Motion, StepTime};

    fn book(device: &str, milliseconds: f64) -> DeviceBook {
        let mut book = DeviceBook::new(device);
        book.add_step(StepTime {
            solver: "pbf".into(),
            search: "claws".into(),
            particles: 1_000,
            motion: Motion::Start,
            milliseconds,
        });
        book
    }

    #[test]
    fn books_of_several_devices_are_kept_and_the_newest_counts() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let shelf = DeviceShelf::new(&folder.path().join("made/devices.ron"));
        assert_eq!(shelf.book_of("one"), DeviceBook::new("one"));
        for kept in [book("one", 1.0), book("two", 2.0), book("one", 3.0)] {
            shelf.keep(&kept).expect("the folder is created");
        }
        assert_eq!(shelf.book_of("one"), book("one", 3.0));
        assert_eq!(shelf.book_of("two"), book("two", 2.0));
        for number in 0..MOST_DEVICES {
            shelf.keep(&book(&format!("device {number}"), 1.0)).expect("it is written");
        }
        assert_eq!(shelf.book_of("two"), DeviceBook::new("two"), "the oldest is forgotten");
    }

    #[test]
    fn a_damaged_file_is_measured_again_and_replaced() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("devices.ron");
        let shelf = DeviceShelf::new(&file);
        let texts = [
            "",
            "(version: 1",
            "(version: 99, devices: [])",
            "\u{0}\u{1}",
            "(version: 1, devices: [(device: \
             \"one\", steps: [(solver: \"pbf\", search: \"claws\", particles: 0, motion: Start, milliseconds: -1.0)])])",
        ];
        for text in texts {
            std::fs::write(&file, text).expect("the folder is there");
            assert_eq!(shelf.book_of("one"), DeviceBook::new("one"), "{text:?}");
        }
        shelf.keep(&book("one", 1.0)).expect("it is written");
        assert_eq!(shelf.book_of("one"), book("one", 1.0));
        let beneath_a_file = DeviceShelf::new(&file.join("devices.ron"));
        assert!(beneath_a_file.keep(&book("one", 1.0)).is_err());
    }
}
