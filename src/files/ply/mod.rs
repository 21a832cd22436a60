//! Reads the vertices of PLY files, ASCII or binary (Turk, The PLY polygon file format, 1994). The header is checked
//! against the size of the file before memory is reserved, errors name the line, and nothing in the file is ignored
//! silently: rows beyond those that the header counts are refused, and so are repeated elements and properties.

mod ascii;
mod binary;
mod header;

pub(super) use header::PropertyKind;
use header::{Encoding, Header};

/// The vertices of a file: a column of numbers for each property.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Vertices {
    /// Names and kinds of the properties.
    pub properties: Vec<(String, PropertyKind)>,
    /// The values of each property, all of the same length; those of lists are NaN.
    pub values: Vec<Vec<f64>>,
}

impl Vertices {
    /// Reads a file of at most `most` vertices, of which `wanted` are those whose values are kept; the others get empty
    /// columns.
    ///
    /// # Errors
    /// What is wrong with the file and where, and the mend.
    pub(super) fn read(bytes: &[u8], most: usize, wanted: impl Fn(&str) -> bool) -> Result<Self, String> {
        let (header, content) = Header::read(bytes)?;
        let vertices = header.vertices()?;
        if vertices.count > most {
            return Err(format!("it has more than {most} points; leave some out"));
        }
        header.check_size(content)?;
        let kept = vertices.properties.iter().map(|property| wanted(&property.name)).collect();
        let mut columns = Columns { values: vec![Vec::new(); vertices.properties.len()], kept };
        match header.encoding {
            Encoding::Ascii => ascii::read(&header, content, &mut columns)?,
            Encoding::Binary { big_endian } => binary::read(&header, content, big_endian, &mut columns)?,
        }
        let properties = vertices.properties.iter().map(|property| (property.name.clone(), property.kind)).collect();
        Ok(Self { properties, values: columns.values })
    }
}

/// The columns of the vertices while they are read.
struct Columns {
    values: Vec<Vec<f64>>,
    /// Whether each property's values are kept.
    kept: Vec<bool>,
}

impl Columns {
    fn push(&mut self, property: usize, value: f64) {
        if self.kept[property] {
            self.values[property].push(value);
        }
    }
}

/// Text from a file as it is quoted in messages.
fn quoted(text: &str) -> String {
    const LONGEST: usize = 40;
    let short: String = text.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    if text.chars().count() > LONGEST { format!("\"{short}...\"") } else { format!("\"{short}\"") }
}

#[cfg(test)]
mod tests {
    use super::{PropertyKind, Vertices};

    const HEADER: &str = "ply\nformat ascii 1.0\ncomment a, b\nelement vertex 2\nproperty float x\nproperty double y\n";

    fn read(text: &str) -> Result<Vertices, String> {
        Vertices::read(text.as_bytes(), 100, |_| true)
    }

    #[test]
    fn line_ends_and_marks_of_all_systems_are_read_alike() {
        let text = format!("{HEADER}end_header\n1 2.5\n-3e1 4\n");
        let expected = Vertices {
            properties: vec![("x".to_owned(), PropertyKind::Number), ("y".to_owned(), PropertyKind::Number)],
            values: vec![vec![1.0, -30.0], vec![2.5, 4.0]],
        };
        for text in [text.clone(), text.replace('\n', "\r\n"), text.replace('\n', "\r"), format!("\u{feff}{text}")] {
            assert_eq!(read(&text).as_ref(), Ok(&expected), "{text:?}");
        }
    }

    #[test]
    fn binary_files_of_both_orders_skip_other_elements_and_lists() {
        for big in [false, true] {
            let order = if big { "big" } else { "little" };
            let mut bytes = format!(
                "ply\nformat binary_{order}_endian 1.0\nelement camera 1\nproperty list uchar short views\n\
                 element vertex 2\nproperty list uint8 float32 weights\nproperty uint16 id\nproperty float x\n\
                 element face 1\nproperty list uchar int vertex_indices\nend_header\n"
            )
            .into_bytes();
            let short = |number: i16| if big { number.to_be_bytes() } else { number.to_le_bytes() };
            let word = |number: u32| if big { number.to_be_bytes() } else { number.to_le_bytes() };
            bytes.push(2);
            bytes.extend([short(7), short(8)].concat());
            for (id, x) in [(300_i16, 1.5_f32), (301, -2.0)] {
                bytes.push(1);
                bytes.extend(word(0.5_f32.to_bits()));
                bytes.extend(short(id));
                bytes.extend(word(x.to_bits()));
            }
            bytes.push(1);
            bytes.extend(word(0));
            let read = Vertices::read(&bytes, 9, |name| name != "weights").expect("it is valid");
            assert_eq!(read.values, [vec![], vec![300.0, 301.0], vec![1.5, -2.0]], "{order}");
            let refuse = |bytes: &[u8]| Vertices::read(bytes, 9, |_| true).expect_err("it is faulty");
            assert!(refuse(&bytes[..bytes.len() - 1]).contains("ends in"), "{}", refuse(&bytes[..bytes.len() - 1]));
            bytes.push(0);
            assert!(refuse(&bytes).contains("1 bytes follow"), "{}", refuse(&bytes));
        }
    }

    #[test]
    fn faults_are_told_with_their_line_and_the_mend() {
        let whole = |rows: &str| format!("{HEADER}end_header\n{rows}");
        let cases = [
            (whole("1 2\n3 4\n5 6\n"), "line 10: 1 line follows the 2 vertices"),
            (whole("1 2\n3 4\n5 6\n7 8\n"), "line 10: 2 lines follow the 2 vertices"),
            (whole("1 2\n"), "1 of 2 rows"),
            (whole("1 2\n3 u\n"), "line 9: \"u\" is not a number"),
            (whole("1 2\n3\n"), "line 9 has 1 number, and the properties of \"vertex\" need 2"),
            (whole("1 2\n3 4 5\n"), "line 9 has 3 numbers"),
            (format!("{HEADER}property float x\nend_header\n1 2 3\n4 5 6\n"), "line 7: the property \"x\" is repeated"),
            (format!("{HEADER}element vertex 1\nend_header\n"), "line 7: the element \"vertex\" is repeated"),
            (format!("{HEADER}property quad z\nend_header\n"), "line 7: \"quad\" is not a type of number"),
            (format!("{HEADER}weights 7\nend_header\n"), "line 7: \"weights 7\" is not a line of a header"),
            (HEADER.to_owned(), "no line \"end_header\""),
            ("ply\nelement vertex 1\nproperty float x\nend_header\n1\n".into(), "no line \"format"),
            ("ply\nformat ascii 2.0\nend_header\n".into(), "line 2: \"ascii 2.0\""),
            ("ply\nformat ascii 1.0\nproperty float x\nend_header\n".into(), "line 3: a property before any element"),
            ("ply\nformat ascii 1.0\nelement vertex -1\nend_header\n".into(), "line 3: \"-1\" is not a number of rows"),
            ("ply\nformat ascii 1.0\nelement vertex 101\nproperty int x\nend_header\n".into(), "more than 100 points"),
            (
                "ply\nformat ascii 1.0\nelement face 99999999\nproperty int a\nelement vertex 1\nproperty int x\nend_header\n1"
                    .into(),
                "it ends after 1 of 99999999 rows of the element \"face\"",
            ),
            ("ply\nformat ascii 1.0\nelement face 99\nelement vertex 1\nproperty int x\nend_header\n1".into(), "no properties"),
        ];
        for (text, part) in cases {
            let told = read(&text).expect_err(part);
            assert!(told.contains(part) && !told.contains('\n'), "\"{told}\" lacks \"{part}\"");
            assert!(told.len() < 200, "{told}");
        }
    }
}
