//! Text dumps of LAMMPS: frames one after the other, each with a head of `ITEM:` lines and a line for each particle.

use std::fs::File;
use std::io::{BufRead, BufReader, Seek, SeekFrom};
use std::path::Path;

use super::MOST_PARTICLES;
use super::columns::Columns;

/// Longest accepted line, bytes: a file without line breaks is no dump, and is not read into memory.
const LONGEST_LINE: u64 = 1 << 16;

/// A frame in a dump.
pub(super) struct Indexed {
    /// Place of its first byte.
    pub offset: u64,
    /// s, where the dump says it.
    pub time: Option<f64>,
    /// Lowest and highest corner of the box, m, where it has no tilt.
    pub bounds: Option<[[f32; 3]; 2]>,
}

/// The frames of a dump.
pub(super) struct Index {
    /// The complete frames.
    pub frames: Vec<Indexed>,
    /// What is wrong after them, as the end of a sentence that begins with the file.
    pub notice: Option<String>,
}

/// The head of a frame.
#[derive(Default)]
struct Head {
    step: i64,
    time: Option<f64>,
    count: usize,
    bounds: Option<[[f64; 2]; 3]>,
    columns: Vec<String>,
}

/// Lines of a dump, and how many bytes were read.
struct Lines {
    reader: BufReader<File>,
    line: String,
    bytes: u64,
}

/// Why a frame cannot be read.
enum Flaw {
    /// The file ends before the frame does.
    Ends,
    /// Something in it is wrong.
    Wrong(String),
}

impl From<Flaw> for String {
    fn from(flaw: Flaw) -> Self {
        match flaw {
            Flaw::Ends => "it ends in the middle of a frame".to_owned(),
            Flaw::Wrong(reason) => reason,
        }
    }
}

impl Lines {
    fn open(file: &Path, offset: u64) -> Result<Self, String> {
        let mut opened = File::open(file).map_err(|error| error.to_string())?;
        opened.seek(SeekFrom::Start(offset)).map_err(|error| error.to_string())?;
        Ok(Self { reader: BufReader::with_capacity(1 << 20, opened), line: String::new(), bytes: offset })
    }

    /// Reads the next line into `line`, without its end; `false` at the end of the file. A last line without its end is
    /// incomplete, because LAMMPS ends every line.
    fn next(&mut self) -> Result<bool, Flaw> {
        self.line.clear();
        let wrong = |error: std::io::Error| Flaw::Wrong(error.to_string());
        let read = std::io::Read::take(&mut self.reader, LONGEST_LINE).read_line(&mut self.line).map_err(wrong)?;
        self.bytes += read as u64;
        if read as u64 == LONGEST_LINE {
            return Err(Flaw::Wrong(
                "it has a line of more than 65,536 bytes, so it is no text dump of LAMMPS".to_owned(),
            ));
        }
        let is_whole = self.line.ends_with('\n');
        self.line.truncate(self.line.trim_end().len());
        if read > 0 && !is_whole { Err(Flaw::Ends) } else { Ok(read > 0) }
    }

    fn expect(&mut self) -> Result<&str, Flaw> {
        if self.next()? { Ok(&self.line) } else { Err(Flaw::Ends) }
    }

    fn number<T: std::str::FromStr>(&mut self, what: &str) -> Result<T, Flaw> {
        let line = self.expect()?;
        line.trim().parse().map_err(|_| Flaw::Wrong(format!("\"{}\" is not {what}", shortened(line))))
    }

    /// Reads the head of the next frame; `None` at the end of the file.
    fn head(&mut self) -> Result<Option<Head>, Flaw> {
        let mut head = Head::default();
        if !self.next()? {
            return Ok(None);
        }
        loop {
            let Some(item) = self.line.strip_prefix("ITEM: ").map(str::to_owned) else {
                let line = shortened(&self.line);
                return Err(Flaw::Wrong(format!(
                    "\"{line}\" stands where a text dump of LAMMPS has a line \"ITEM: ...\""
                )));
            };
            if item.starts_with("TIMESTEP") {
                head.step = self.number("a number of a time step")?;
            } else if item.starts_with("TIME") {
                head.time = Some(self.number("a time")?);
            } else if item.starts_with("UNITS") {
                self.expect()?;
            } else if item.starts_with("NUMBER OF ATOMS") {
                head.count = self.number("a number of particles")?;
                if head.count > MOST_PARTICLES {
                    return Err(Flaw::Wrong(format!(
                        "a frame has more than {MOST_PARTICLES} particles; leave some out"
                    )));
                }
            } else if item.starts_with("BOX BOUNDS") {
                let mut bounds = [[0.0; 2]; 3];
                for along in &mut bounds {
                    let line = self.expect()?;
                    let mut numbers = line.split_whitespace().map(str::parse::<f64>);
                    let (Some(Ok(low)), Some(Ok(high))) = (numbers.next(), numbers.next()) else {
                        return Err(Flaw::Wrong(format!(
                            "\"{}\" does not give the bounds of the box",
                            shortened(line)
                        )));
                    };
                    *along = [low, high];
                }
                head.bounds = Some(bounds);
            } else if let Some(columns) = item.strip_prefix("ATOMS") {
                head.columns = columns.split_whitespace().map(str::to_owned).collect();
                if head.columns.is_empty() {
                    return Err(Flaw::Wrong("its line \"ITEM: ATOMS\" names no columns".to_owned()));
                }
                return Ok(Some(head));
            } else {
                return Err(Flaw::Wrong(format!("\"ITEM: {}\" is not known from dumps of LAMMPS", shortened(&item))));
            }
            self.expect()?;
        }
    }
}

fn shortened(line: &str) -> String {
    line.chars().take(40).collect()
}

/// Finds the frames of a dump. A dump that ends in the middle of a frame has those before it, and a notice.
pub(super) fn index(file: &Path) -> Result<Index, String> {
    let mut lines = Lines::open(file, 0)?;
    let mut frames = Vec::new();
    loop {
        let offset = lines.bytes;
        let found = lines.head().and_then(|head| {
            for _ in 0..head.as_ref().map_or(0, |head| head.count) {
                lines.expect()?;
            }
            Ok(head)
        });
        match found {
            Ok(None) => return Ok(Index { frames, notice: None }),
            Ok(Some(head)) => {
                let corner = |end: usize| head.bounds.map(|bounds| bounds.map(|along| along[end] as f32));
                let bounds = corner(0).zip(corner(1)).map(|(low, high)| [low, high]);
                frames.push(Indexed { offset, time: head.time, bounds });
            }
            Err(Flaw::Ends) => {
                let notice = if frames.is_empty() {
                    "ends in the middle of its first frame".to_owned()
                } else {
                    let count = frames.len();
                    format!("ends in the middle of frame {}; the {count} frames before it are played", count + 1)
                };
                return if frames.is_empty() {
                    Err(format!("it {notice}"))
                } else {
                    Ok(Index { frames, notice: Some(notice) })
                };
            }
            Err(Flaw::Wrong(reason)) => return Err(reason),
        }
    }
}

/// Reads the frame that begins at a place. Coordinates that are fractions of the box (`xs`, `ys`, `zs`) are scaled.
pub(super) fn read(file: &Path, offset: u64) -> Result<Columns, String> {
    let mut lines = Lines::open(file, offset)?;
    let head = lines.head()?.ok_or("the frame is gone; the file was changed")?;
    let mut columns = Columns { names: head.columns.clone(), ..Columns::default() };
    columns.values = vec![Vec::with_capacity(head.count); head.columns.len()];
    let number_column = head.columns.iter().position(|name| Columns::is_index(name));
    let mut numbers = Vec::new();
    for row in 0..head.count {
        let line = lines.expect()?;
        let mut words = line.split_whitespace();
        for (place, values) in columns.values.iter_mut().enumerate() {
            let word = words.next().ok_or_else(|| {
                format!("particle {row} (counted from 0) of time step {} has fewer values than columns", head.step)
            })?;
            if number_column == Some(place) {
                numbers.push(word.parse::<u64>().unwrap_or_default());
            }
            // Words such as names of elements are no numbers.
            values.push(word.parse().unwrap_or(f32::NAN));
        }
    }
    columns.order = number_column.map(|_| numbers);
    let scaled = ["xs", "ys", "zs"].into_iter().zip(["x", "y", "z"]).enumerate();
    for (axis, (scaled, plain)) in scaled {
        let Some(place) = columns.names.iter().position(|name| name == scaled) else { continue };
        let Some(bounds) = head.bounds else { return Err(format!("it has \"{scaled}\" but no bounds of the box")) };
        let [low, high] = bounds[axis];
        for value in &mut columns.values[place] {
            *value = (low + f64::from(*value) * (high - low)) as f32;
        }
        plain.clone_into(&mut columns.names[place]);
    }
    Ok(columns)
}
