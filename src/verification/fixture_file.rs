//! Fixtures as RON files: a failure that random fixtures found, small enough to read, for `verify --only FILE`.

use std::io::Write as _;
use std::path::Path;

use glam::Vec3;
use ron::ser::PrettyConfig;
use serde::{Deserialize, Serialize};

use super::VerificationError;
use crate::files::{FileError, read_text, write_whole};
use crate::search::Domain;
use crate::search::fixtures::Fixture;

/// Largest size of a file, bytes: more than the largest fixture of `verify --full` needs.
const LARGEST_FILE: u64 = 256 << 20;

/// The content of a file.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct FixtureFile {
    /// Name in tables.
    name: String,
    /// Lowest corner of the box, m.
    low: [f32; 3],
    /// Highest corner of the box, m.
    high: [f32; 3],
    /// Support radius, m.
    radius: f32,
    /// Whether single precision computes every squared distance exactly, so that ties at the radius count.
    exact_ties: bool,
    /// Positions, m; coordinates may be `NaN`, `inf` and `-inf`.
    positions: Vec<[f32; 3]>,
}

/// Writes a fixture with a comment above it, atomically. Every number is read back with the same bits.
///
/// # Errors
/// When the file cannot be written.
pub fn write_fixture(path: &Path, fixture: &Fixture, comment: &str) -> Result<(), VerificationError> {
    let Fixture { name, positions, domain, exact_ties } = fixture;
    let file = FixtureFile {
        name: name.clone(),
        low: domain.low.to_array(),
        high: domain.high.to_array(),
        radius: domain.support_radius,
        exact_ties: *exact_ties,
        positions: positions.iter().map(Vec3::to_array).collect(),
    };
    let content = ron::ser::to_string_pretty(&file, PrettyConfig::new().depth_limit(2))
        .map_err(|error| FileError::Write { file: path.display().to_string(), reason: error.to_string() })?;
    write_whole(path, |writer| {
        comment.lines().try_for_each(|line| writeln!(writer, "// {line}"))?;
        writeln!(writer, "{content}")
    })?;
    Ok(())
}

/// Reads a fixture that [`write_fixture`] wrote, or one written by hand.
///
/// # Errors
/// When the file cannot be read, is not a fixture, or its box or radius is invalid.
pub fn read_fixture(path: &Path) -> Result<Fixture, VerificationError> {
    let fail = |reason: String| FileError::Read { file: path.display().to_string(), reason };
    let text = read_text(path, LARGEST_FILE).map_err(fail)?;
    let file: FixtureFile = ron::from_str(&text)
        .map_err(|error| fail(format!("it is not a fixture as `verify --endless` writes them: {error}")))?;
    let domain = Domain::new(file.low.into(), file.high.into(), file.radius)?;
    let positions = file.positions.into_iter().map(Vec3::from_array).collect();
    Ok(Fixture { name: file.name, positions, domain, exact_ties: file.exact_ties })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_a_fixture_is_read_back_with_its_bits() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.ron");
        let positions = vec![
            Vec3::new(0.1, -1e-30, 3.4e38),
            Vec3::new(f32::NAN, f32::INFINITY, f32::NEG_INFINITY),
            Vec3::new(1.0_f32.next_up(), -0.0, f32::MIN_POSITIVE / 8.0),
        ];
        let domain = Domain::new(Vec3::splat(-0.3), Vec3::splat(1.1), 0.123_456_79).expect("a box");
        let written = Fixture { name: "\"three\"".to_owned(), positions, domain, exact_ties: true };
        write_fixture(&path, &written, "found\nby hand").expect("it is written");
        let read = read_fixture(&path).expect("it is read");
        let bits = |fixture: &Fixture| -> Vec<[u32; 3]> {
            fixture.positions.iter().map(|position| position.to_array().map(f32::to_bits)).collect()
        };
        assert_eq!(bits(&read), bits(&written));
        assert_eq!((read.name, read.domain, read.exact_ties), (written.name, written.domain, written.exact_ties));
    }

    #[test]
    fn files_that_are_no_fixtures_are_refused_by_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let refusal = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).expect("it is written");
            read_fixture(&path).expect_err("a refusal").to_string()
        };
        assert!(refusal("a.ron", "(name: 3)").contains("a.ron"));
        let box_inside_out =
            "(name: \"\", low: (1, 0, 0), high: (0, 0, 0), radius: 1, exact_ties: false, positions: [])";
        assert!(refusal("b.ron", box_inside_out).contains("box"), "{}", refusal("b.ron", box_inside_out));
        assert!(read_fixture(&folder.path().join("c.ron")).expect_err("a refusal").to_string().contains("c.ron"));
    }
}
