//! Reads integers from text files, as `numpy.savetxt`, CSV writers and `printf` write them.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek};

use csv::{ByteRecord, Reader, ReaderBuilder, Trim};

use super::MOST_PAIRS;
use super::indices::{Indices, too_many};

/// Accepted names of the two columns of a pair, in lower case; upper case is accepted too.
const PAIR_NAMES: [[&str; 2]; 5] =
    [["i", "j"], ["first", "second"], ["particle", "neighbor"], ["source", "target"], ["a", "b"]];

/// Number of bytes at the beginning of a file from which the separator is detected.
const BEGINNING: u64 = 1 << 16;

/// An opened text file of numbers, whose first line was read.
pub(super) struct Text {
    reader: Reader<BufReader<File>>,
    first: ByteRecord,
    /// Whether numbers are separated by blanks, several of which then count as one separator.
    blank: bool,
    /// Names of the columns in lower case, where the first line is a header.
    names: Option<Vec<String>>,
}

impl Text {
    pub(super) fn new(mut file: File) -> Result<Self, String> {
        let mut beginning = Vec::new();
        (&mut file).take(BEGINNING).read_to_end(&mut beginning).map_err(|error| error.to_string())?;
        file.rewind().map_err(|error| error.to_string())?;
        if beginning.contains(&0) {
            return Err("it is neither text nor NPY; give a file of one of these formats".to_owned());
        }
        let delimiter = delimiter(&beginning);
        let blank = delimiter == b' ';
        let mut reader = ReaderBuilder::new()
            .delimiter(delimiter)
            .comment(Some(b'#'))
            .has_headers(false)
            .flexible(true)
            .trim(Trim::All)
            .from_reader(BufReader::new(file));
        let mut first = ByteRecord::new();
        if !reader.read_byte_record(&mut first).map_err(|error| error.to_string())? {
            return Err("it contains no numbers".to_owned());
        }
        let is_named = fields(&first).any(|field| number(field).is_none());
        let names = is_named
            .then(|| columns(&first, blank).map(|name| String::from_utf8_lossy(name).to_ascii_lowercase()).collect());
        Ok(Self { reader, first, blank, names })
    }

    /// Whether each line is a pair, rather than a part of the arrays of CSR.
    pub(super) fn holds_pairs(&self, particle_count: u32) -> Result<bool, String> {
        if let Some(names) = &self.names {
            return Ok(names.len() > 1);
        }
        let found = fields(&self.first).count();
        let offsets = particle_count as usize + 1;
        match found {
            2 => Ok(true),
            1 => Ok(false),
            _ if found == offsets => Ok(false),
            _ => Err(format!(
                "its first line has {found} numbers: write two for pairs, or name the columns in a first line (such as \
                 i,j,distance), or write the {offsets} offsets of CSR in the first line and the neighbors after it"
            )),
        }
    }

    /// Names of the columns, where the first line is a header.
    pub(super) fn names(&self) -> Option<&[String]> {
        self.names.as_deref()
    }

    /// Whether numbers are separated by blanks.
    pub(super) fn is_blank_separated(&self) -> bool {
        self.blank
    }

    /// Calls `take` with the number and the fields of each line, except the header and empty lines.
    pub(super) fn lines(mut self, mut take: impl FnMut(u64, &ByteRecord) -> Result<(), String>) -> Result<(), String> {
        let line = |record: &ByteRecord| record.position().map_or(0, csv::Position::line);
        if self.names.is_none() {
            take(line(&self.first), &self.first)?;
        }
        let mut record = ByteRecord::new();
        while self.reader.read_byte_record(&mut record).map_err(|error| error.to_string())? {
            if fields(&record).next().is_some() {
                take(line(&record), &record)?;
            }
        }
        Ok(())
    }

    pub(super) fn flat(self, mut take: impl FnMut(i64)) -> Result<(), String> {
        self.lines(|line, record| fields(record).try_for_each(|field| whole(line, field).map(&mut take)))
    }

    pub(super) fn pairs(self, indices: &mut Indices, mut take: impl FnMut([u32; 2])) -> Result<(), String> {
        let named = self.names.as_deref().map(pair_columns).transpose()?;
        let blank = self.blank;
        let mut count = 0;
        self.lines(|line, record| {
            indices.set_place("line", line);
            let [first, second] = if let Some(places) = named {
                places.map(|place| columns(record, blank).nth(place))
            } else {
                let mut numbers = fields(record);
                let pair = [numbers.next(), numbers.next()];
                if numbers.next().is_some() {
                    return Err(format!("line {line} has {} numbers, but a pair has two", fields(record).count()));
                }
                pair
            };
            let (Some(first), Some(second)) = (first, second) else {
                return Err(format!("line {line} has {} numbers, which is too few for a pair", fields(record).count()));
            };
            if count == MOST_PAIRS {
                return Err(too_many());
            }
            count += 1;
            let first = indices.take(whole(line, first)?);
            take([first, indices.take(whole(line, second)?)]);
            Ok(())
        })
    }
}

/// Positions of the two columns of a pair in the header.
fn pair_columns(names: &[String]) -> Result<[usize; 2], String> {
    let place = |name: &str| names.iter().position(|found| found == name);
    let named = PAIR_NAMES.iter().find_map(|[first, second]| Some([place(first)?, place(second)?]));
    match named {
        Some(columns) => Ok(columns),
        None if names.len() == 2 => Ok([0, 1]),
        None => {
            let names = names.iter().take(8).map(|name| name.escape_debug().to_string()).collect::<Vec<_>>();
            Err(format!("its columns are {}; name the two indices of a pair \"i\" and \"j\"", names.join(", ")))
        }
    }
}

/// The fields of a record that count as columns: all of them, or without the empty ones where blanks separate them.
pub(super) fn columns(record: &ByteRecord, blank: bool) -> impl Iterator<Item = &[u8]> {
    record.iter().filter(move |field| !blank || !field.is_empty())
}

/// The fields of a record, without the empty ones that result from consecutive blanks or a trailing comma.
pub(super) fn fields(record: &ByteRecord) -> impl Iterator<Item = &[u8]> {
    record.iter().filter(|field| !field.is_empty())
}

/// The separator in the first line that is neither empty nor a comment: a comma, a semicolon, a tab or else a blank.
fn delimiter(beginning: &[u8]) -> u8 {
    let mut lines = beginning.lines().map_while(Result::ok);
    let first = lines.find(|line| !line.trim().is_empty() && !line.starts_with('#')).unwrap_or_default();
    let first = first.trim();
    [b',', b';', b'\t'].into_iter().find(|&byte| first.contains(char::from(byte))).unwrap_or(b' ')
}

fn number(field: &[u8]) -> Option<f64> {
    std::str::from_utf8(field).ok()?.parse().ok()
}

/// Parses an integer. It may be written as a floating point number, as `numpy.savetxt` does.
fn whole(line: u64, field: &[u8]) -> Result<i64, String> {
    let exact = std::str::from_utf8(field).ok().and_then(|text| text.parse().ok());
    let rounded = || number(field).filter(|number| number.fract() == 0.0).map(|number| number as i64);
    exact.or_else(rounded).ok_or_else(|| {
        let text: String = String::from_utf8_lossy(field).chars().take(40).collect();
        format!("line {line}: \"{}\" is not an integer", text.escape_debug())
    })
}
