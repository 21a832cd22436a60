//! The header of a PLY file: its encoding, and the elements with their properties.

use super::quoted;
use crate::files::input::without_mark;

/// Longest header, bytes.
const LONGEST: usize = 1 << 20;

/// How numbers are written after the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Ascii,
    Binary { big_endian: bool },
}

/// A type of number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Scalar {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "char" | "int8" => Self::I8,
            "uchar" | "uint8" => Self::U8,
            "short" | "int16" => Self::I16,
            "ushort" | "uint16" => Self::U16,
            "int" | "int32" => Self::I32,
            "uint" | "uint32" => Self::U32,
            "float" | "float32" => Self::F32,
            "double" | "float64" => Self::F64,
            _ => return None,
        })
    }

    /// Bytes of a number in a binary file.
    pub(super) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }
}

/// Whether a property is a number or a list of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyKind {
    Number,
    List,
}

/// A property of an element.
#[derive(Clone, Debug)]
pub(super) struct Property {
    pub name: String,
    pub kind: PropertyKind,
    /// The type of the number, or of those in the list.
    pub scalar: Scalar,
    /// The type of the length of a list.
    pub length: Scalar,
}

/// An element: a table of rows.
#[derive(Clone, Debug)]
pub(super) struct Element {
    pub name: String,
    /// Number of rows.
    pub count: usize,
    pub properties: Vec<Property>,
}

/// The header of a file.
#[derive(Debug)]
pub(super) struct Header {
    pub encoding: Encoding,
    pub elements: Vec<Element>,
    /// Number of its lines.
    pub lines: usize,
}

impl Header {
    /// The header of a file, and what follows it.
    ///
    /// # Errors
    /// What is wrong with it, in which line, and the mend.
    pub(super) fn read(bytes: &[u8]) -> Result<(Self, &[u8]), String> {
        let mut rest = without_mark(bytes);
        let (mut encoding, mut elements, mut number) = (None, Vec::<Element>::new(), 0);
        loop {
            if rest.is_empty() || bytes.len() - rest.len() > LONGEST {
                return Err("it has no line \"end_header\"; add it after the properties".to_owned());
            }
            let (line, after) = line(rest);
            (rest, number) = (after, number + 1);
            let text =
                str::from_utf8(line).map_err(|_| format!("line {number} is not text, and must be in a header"))?;
            let words: Vec<&str> = text.split_ascii_whitespace().collect();
            let at = |reason: String| format!("line {number}: {reason}");
            match words.as_slice() {
                ["ply"] if number == 1 => {}
                _ if number == 1 => return Err("its first line is not \"ply\"; give a PLY file".to_owned()),
                [] | ["comment" | "obj_info", ..] => {}
                ["format", kind, version] => encoding = Some(encoding_of(kind, version).map_err(at)?),
                ["element", name, count] => {
                    if elements.iter().any(|element| element.name == *name) {
                        return Err(at(format!("the element {} is repeated; remove one of them", quoted(name))));
                    }
                    let count = count
                        .parse()
                        .map_err(|_| at(format!("{} is not a number of rows; write a whole number", quoted(count))))?;
                    elements.push(Element { name: (*name).to_owned(), count, properties: Vec::new() });
                }
                ["property", rest @ ..] => {
                    let Some(element) = elements.last_mut() else {
                        return Err(at("a property before any element; begin with \"element vertex\"".to_owned()));
                    };
                    let property = property(rest).map_err(at)?;
                    if element.properties.iter().any(|known| known.name == property.name) {
                        let name = quoted(&property.name);
                        return Err(at(format!("the property {name} is repeated; remove one of them")));
                    }
                    element.properties.push(property);
                }
                ["end_header"] => break,
                _ => return Err(at(format!("{} is not a line of a header; remove it", quoted(text.trim())))),
            }
        }
        let encoding = encoding.ok_or("it has no line \"format ascii 1.0\" or of a binary format; add it")?;
        Ok((Self { encoding, elements, lines: number }, rest))
    }

    /// The vertices.
    pub(super) fn vertices(&self) -> Result<&Element, String> {
        let found = self.elements.iter().find(|element| element.name == "vertex");
        found.ok_or_else(|| "it has no element \"vertex\"; name the points so".to_owned())
    }

    /// Refuses more rows than the content can hold.
    pub(super) fn check_size(&self, content: &[u8]) -> Result<(), String> {
        let mut least = 0_u64;
        for element in &self.elements {
            if element.properties.is_empty() && element.count > 0 {
                return Err(format!("its element {} has no properties; add some or remove it", quoted(&element.name)));
            }
            let size = |property: &Property| match property.kind {
                PropertyKind::Number => property.scalar.size(),
                PropertyKind::List => property.length.size(),
            };
            let row: usize = element.properties.iter().map(size).sum();
            least = least.saturating_add((element.count as u64).saturating_mul(row as u64));
        }
        // The rows of a text are counted while they are read, for a message that names the line.
        if self.encoding != Encoding::Ascii && least > content.len() as u64 {
            let rows: Vec<_> =
                self.elements.iter().map(|element| format!("{} of {}", element.count, element.name)).collect();
            return Err(format!(
                "its header counts rows ({}) that need at least {least} bytes, and it has {}; export it again",
                quoted(&rows.join(", ")).replace('"', ""),
                content.len()
            ));
        }
        Ok(())
    }
}

/// The first line without its end, and what follows it. Lines end with a line feed, a carriage return, or both.
pub(super) fn line(bytes: &[u8]) -> (&[u8], &[u8]) {
    let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else { return (bytes, &[]) };
    let length = if bytes[end..].starts_with(b"\r\n") { 2 } else { 1 };
    (&bytes[..end], &bytes[end + length..])
}

fn encoding_of(kind: &str, version: &str) -> Result<Encoding, String> {
    match (kind, version) {
        ("ascii", "1.0") => Ok(Encoding::Ascii),
        ("binary_little_endian", "1.0") => Ok(Encoding::Binary { big_endian: false }),
        ("binary_big_endian", "1.0") => Ok(Encoding::Binary { big_endian: true }),
        _ => Err(format!(
            "{} is not a format; it is ascii, binary_little_endian or binary_big_endian, and 1.0",
            quoted(&format!("{kind} {version}"))
        )),
    }
}

fn property(words: &[&str]) -> Result<Property, String> {
    let scalar = |name: &str| {
        Scalar::named(name).ok_or_else(|| format!("{} is not a type of number; use one such as float", quoted(name)))
    };
    match words {
        ["list", length, of, name] => {
            let length = scalar(length)?;
            if matches!(length, Scalar::F32 | Scalar::F64) {
                return Err("the length of a list is not of a whole type; use one such as uchar".to_owned());
            }
            Ok(Property { name: (*name).to_owned(), kind: PropertyKind::List, scalar: scalar(of)?, length })
        }
        [of, name] => {
            let scalar = scalar(of)?;
            Ok(Property { name: (*name).to_owned(), kind: PropertyKind::Number, scalar, length: scalar })
        }
        _ => Err("a property is written as in \"property float x\"; correct it".to_owned()),
    }
}
