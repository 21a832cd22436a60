//! Reads changed copies of a valid file, and fails unless each is read or refused as a reader should.

use std::fs::{self, File};
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::changes::{Random, mutated};
use super::counting::counted;

/// Memory that a reader may hold at a time: this, and a multiple of its input.
const FIXED_BYTES: usize = 4 << 20;
const BYTES_PER_BYTE: usize = 16;
/// Longest time that reading a file may take.
const LONGEST: Duration = Duration::from_secs(1);
/// Most bytes of an error's sentence.
const LONGEST_SENTENCE: usize = 4_000;

/// An attack on one reader.
pub struct Attack<'a> {
    /// Name of the file in messages.
    pub name: &'a str,
    /// A valid file.
    pub original: &'a [u8],
    /// Number of changed copies.
    pub inputs: u64,
    /// Makes a changed copy.
    pub change: &'a dyn Fn(&[u8], &mut Random) -> Vec<u8>,
    /// The share of the copies that must be refused: one in so many.
    pub refused_of: u64,
}

impl Attack<'_> {
    /// Calls `read` with each copy, which returns the error's sentence.
    pub fn run(&self, mut read: impl FnMut(&[u8]) -> Result<(), String>) {
        let Self { name, original, inputs, change, refused_of } = *self;
        assert_eq!(read(original), Ok(()), "{name} is not valid");
        let mut refused = 0;
        for number in 0..inputs {
            let bytes = change(original, &mut Random::of_change(number));
            let shown = || String::from_utf8_lossy(&bytes[..bytes.len().min(4_000)]).into_owned();
            let started = Instant::now();
            let (outcome, held) = counted(|| catch_unwind(AssertUnwindSafe(|| read(&bytes))));
            let took = started.elapsed();
            let Ok(outcome) = outcome else { panic!("change {number} of {name} panics:\n{}", shown()) };
            assert!(took < LONGEST, "change {number} of {name} took {took:?}:\n{}", shown());
            let limit = FIXED_BYTES + BYTES_PER_BYTE * bytes.len();
            assert!(held <= limit, "change {number} of {name} held {held} bytes:\n{}", shown());
            if let Err(sentence) = outcome {
                refused += 1;
                assert!(!sentence.is_empty(), "change {number} of {name} is refused without a sentence");
                assert!(sentence.len() < LONGEST_SENTENCE, "change {number} of {name}: {sentence}");
            }
        }
        // Changes that nothing notices are few: comments, names, and digits.
        assert!(refused > inputs / refused_of, "only {refused} of {inputs} changes of {name} were refused");
    }
}

/// Number of changed files of each kind: `NEARWATER_INPUTS`, or else as many as take less than a minute.
pub fn inputs() -> u64 {
    let wanted = std::env::var("NEARWATER_INPUTS").ok();
    wanted.map_or(10_000, |text| text.parse().expect("NEARWATER_INPUTS is a whole number"))
}

/// Reads changed copies of a file of the corpus.
pub fn attack(name: &str, read: impl FnMut(&[u8]) -> Result<(), String>) {
    Attack { name, original: &corpus(name), inputs: inputs(), change: &mutated, refused_of: 4 }.run(read);
}

/// The content of a file of the corpus.
pub fn corpus(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(name)).expect("it is in the corpus")
}

/// The path of a file with this content, for readers of files.
pub fn file_of(name: &str, bytes: &[u8]) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // File systems wait for the disk where a file is emptied and written again, so it is never empty in between.
    let mut file = File::options().write(true).create(true).truncate(false).open(&path).expect("it can be made");
    file.write_all(bytes).and_then(|()| file.set_len(bytes.len() as u64)).expect("it can be written");
    path
}

/// Faulty readers, each of which an attack must reveal.
mod faulty {
    use std::time::Duration;

    use super::{Attack, mutated};

    fn attack(read: impl FnMut(&[u8]) -> Result<(), String>) {
        Attack { name: "numbers", original: b"12 34 56 78", inputs: 200, change: &mutated, refused_of: 4 }.run(read);
    }

    fn parsed(bytes: &[u8]) -> Result<Vec<u32>, String> {
        let words = String::from_utf8_lossy(bytes).into_owned();
        words.split(' ').map(|word| word.parse().map_err(|_| format!("{word} is no number"))).collect()
    }

    #[test]
    fn a_careful_reader_passes() {
        attack(|bytes| parsed(bytes).map(drop));
    }

    #[test]
    #[should_panic(expected = "panics")]
    fn a_reader_that_panics_is_found() {
        attack(|bytes| {
            let numbers = parsed(bytes)?;
            assert!(numbers.iter().all(|number| *number < 1_000_000));
            Ok(())
        });
    }

    #[test]
    #[should_panic(expected = "held")]
    fn a_reader_that_trusts_a_length_is_found() {
        attack(|bytes| {
            let numbers = parsed(bytes)?;
            let length = numbers.iter().copied().max().unwrap_or_default();
            drop(std::hint::black_box(Vec::<u8>::with_capacity(length as usize)));
            Ok(())
        });
    }

    #[test]
    #[should_panic(expected = "took")]
    fn a_reader_that_is_slow_is_found() {
        attack(|bytes| {
            if parsed(bytes)?.len() != 4 {
                std::thread::sleep(Duration::from_millis(1_100));
            }
            Ok(())
        });
    }

    #[test]
    #[should_panic(expected = "without a sentence")]
    fn a_reader_that_says_nothing_is_found() {
        attack(|bytes| parsed(bytes).map(drop).map_err(|_| String::new()));
    }

    #[test]
    #[should_panic(expected = "were refused")]
    fn a_reader_that_accepts_everything_is_found() {
        attack(|_| Ok(()));
    }
}
