//! Changes the valid files of `tests/corpus` at random, ten thousand times each, and reads them: no reader may panic, take
//! a second, or reserve far more memory than its input has. The generator is a few lines of this file instead of
//! `proptest` or `arbitrary`: these build values of types, and what breaks parsers is text that is almost valid.

#![expect(unsafe_code, reason = "an allocator that counts is written with it")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nearwater::files::read_points;
use nearwater::fluid::{Mesh, Scene};

/// Number of changed files of each kind.
const INPUTS: u64 = 10_000;
/// Memory that a reader may hold at a time: this, and a multiple of its input.
const FIXED_BYTES: usize = 4 << 20;
const BYTES_PER_BYTE: usize = 16;

/// Counts what the current thread holds.
struct Counting;

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
}

fn count(change: isize) {
    // A thread that ends has no counters any more.
    let _ = HELD.try_with(|held| {
        held.set(held.get() + change);
        let _ = MOST.try_with(|most| most.set(most.get().max(held.get())));
    });
}

// SAFETY: all calls are passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size().cast_signed());
        // SAFETY: the caller's promise is that of this function.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        count(-layout.size().cast_signed());
        // SAFETY: as above.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Random numbers by xorshift (Marsaglia 2003), the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end.max(1)
    }

    fn range(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.below(length + 1);
        start..(start + self.below(24)).min(length)
    }
}

/// Numbers and marks at which parsers stumble.
const TOKENS: [&str; 28] = [
    "0",
    "-1",
    "1",
    "255",
    "65536",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "1e38",
    "3.4e38",
    "1e39",
    "-1e300",
    "1e-45",
    "nan",
    "inf",
    "\r",
    "\n",
    "\r\n",
    "\u{feff}",
    "(",
    ")",
    "[",
    "]",
    "\"",
    ",",
    ":",
    "\0",
    "é",
];

/// The bytes with one to four changes.
fn mutated(original: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = original.to_vec();
    for _ in 0..=random.below(4) {
        match random.below(6) {
            0 => {
                let place = random.below(bytes.len());
                if let Some(byte) = bytes.get_mut(place) {
                    *byte ^= 1 << random.below(8);
                }
            }
            1 => drop(bytes.drain(random.range(bytes.len()))),
            2 => {
                let (range, place) = (random.range(bytes.len()), random.below(bytes.len()));
                let copy = bytes[range].to_vec();
                bytes.splice(place..place, copy);
            }
            3 => bytes.truncate(random.below(bytes.len() + 1)),
            4 => {
                let place = random.below(bytes.len() + 1);
                bytes.splice(place..place, TOKENS[random.below(TOKENS.len())].bytes());
            }
            _ => replace_number(&mut bytes, random),
        }
    }
    bytes
}

/// Replaces one of the numbers in a text.
fn replace_number(bytes: &mut Vec<u8>, random: &mut Random) {
    let is_part = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'e');
    let starts: Vec<usize> =
        (0..bytes.len()).filter(|&at| bytes[at].is_ascii_digit() && (at == 0 || !is_part(&bytes[at - 1]))).collect();
    let Some(&start) = starts.get(random.below(starts.len())) else { return };
    let end = start + bytes[start..].iter().take_while(|byte| is_part(byte)).count();
    bytes.splice(start..end, TOKENS[random.below(15)].bytes());
}

fn corpus(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(name)).expect("it is in the corpus")
}

/// Reads changed copies of a file of the corpus, which itself must be valid. `read` returns the error's sentence.
fn attack(name: &str, read: impl Fn(&[u8]) -> Result<(), String>) {
    let original = corpus(name);
    assert_eq!(read(&original), Ok(()), "{name} is not valid");
    let mut refused = 0;
    for number in 0..INPUTS {
        let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ (number + 1));
        random.below(1);
        let bytes = mutated(&original, &mut random);
        let shown = || String::from_utf8_lossy(&bytes).into_owned();
        let before = HELD.with(Cell::get);
        MOST.with(|most| most.set(before));
        let started = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| read(&bytes)));
        let (took, held) = (started.elapsed(), MOST.with(Cell::get) - before);
        let Ok(outcome) = outcome else { panic!("change {number} of {name} panics:\n{}", shown()) };
        assert!(took < Duration::from_secs(1), "change {number} of {name} took {took:?}:\n{}", shown());
        let limit = FIXED_BYTES + BYTES_PER_BYTE * bytes.len();
        assert!(held <= limit.cast_signed(), "change {number} of {name} held {held} bytes:\n{}", shown());
        if let Err(sentence) = outcome {
            refused += 1;
            assert!(!sentence.is_empty() && sentence.len() < 4_000, "change {number} of {name}: {sentence}");
        }
    }
    // Changes that nothing notices are few: comments, names, and digits.
    assert!(refused > INPUTS / 4, "only {refused} of {INPUTS} changes of {name} were refused");
}

/// The path of a file with this content, for readers of files.
fn file_of(name: &str, bytes: &[u8]) -> PathBuf {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&file, bytes).expect("it can be written");
    file
}

#[test]
fn changed_scenes_are_read_or_refused() {
    attack("tank.ron", |bytes| {
        let text = String::from_utf8_lossy(bytes);
        Scene::parse("tank.ron", &text).map(drop).map_err(|error| error.to_string())
    });
}

#[test]
fn changed_points_are_read_or_refused() {
    for name in ["points.ply", "points.csv"] {
        attack(name, |bytes| {
            read_points(&file_of(&format!("mutated-{name}"), bytes)).map(drop).map_err(|error| error.to_string())
        });
    }
}

#[test]
fn changed_meshes_are_read_or_refused() {
    for name in ["tetrahedron.obj", "tetrahedron.gltf"] {
        attack(name, |bytes| Mesh::from_file(name, bytes).map(drop).map_err(|error| error.to_string()));
    }
}
