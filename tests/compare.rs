//! Tests of comparing neighbor lists of other programs: reading every file format, comparing pairs, recognizing the
//! pattern of every kind of damage, and refusing bad files with clear messages.

mod common;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use glam::{UVec3, Vec3};
use nearwater::files::{PairFiles, read_classes, read_finite_positions, read_pairs};
use nearwater::laboratory::check::patterns::Kind;
use nearwater::laboratory::check::{CheckMine, CheckOptions, Directions, check};
use nearwater::search::random::{uniform, uniform_cube};
use nearwater::search::verify::SearchConfiguration;
use nearwater::search::{SearchOptions, search_named};

const SEED: u64 = 20_261_122;
const RADIUS: f32 = 0.12;
const COUNT: u32 = 3_000;

fn cube() -> Vec<Vec3> {
    uniform_cube(SEED, COUNT, 1.0)
}

/// All pairs within `radius` in both directions, by testing all pairs in double precision.
fn pairs_within(points: &[Vec3], radius: f64) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    for i in 0..points.len() {
        for j in 0..points.len() {
            if i != j && points[i].as_dvec3().distance(points[j].as_dvec3()) <= radius {
                pairs.push([i as u32, j as u32]);
            }
        }
    }
    pairs
}

/// Whether a pair is missing from a list.
type IsLost<'a> = &'a dyn Fn([u32; 2]) -> bool;
/// The kind of error of a list, the expected pattern, parts of its sentence, and the list.
type WrongList = (Kind, &'static str, &'static [&'static str], Vec<[u32; 2]>);

fn options(search: &str, settings: &[&str]) -> CheckOptions {
    let mut options = SearchOptions::default();
    for setting in settings {
        options.parse(setting).expect("a valid setting");
    }
    CheckOptions {
        radius: RADIUS,
        bounds: Some((Vec3::ZERO, Vec3::ONE)),
        configuration: SearchConfiguration { search: search_named(search).expect("a known search"), options },
        directions: Directions::Detect,
        classes: None,
    }
}

/// Options for FENNS with 3 x 3 x 3 coarse cells, which are wide enough to have inner particles.
fn coarse() -> CheckOptions {
    options("fenns", &["coarse-cells=3"])
}

fn outcome(points: &[Vec3], pairs: &[[u32; 2]], options: &CheckOptions) -> CheckMine {
    check(&common::gpu(), points, pairs, options).unwrap_or_else(|error| panic!("{error}"))
}

fn counts(outcome: &CheckMine) -> [u64; 3] {
    [outcome.missing.count, outcome.extra.count, outcome.double.count]
}

/// The name and the sentence of the pattern of a kind; empty if there is none.
fn named(outcome: &CheckMine, kind: Kind) -> String {
    outcome.pattern(kind).map_or_else(String::new, |pattern| format!("{}: {pattern}", pattern.name))
}

#[test]
fn a_correct_list_agrees_in_both_directions_and_in_one() {
    let points = cube();
    let both = pairs_within(&points, RADIUS.into());
    assert!(both.len() > 30_000);
    for name in ["hoetzlein", "fenns", "claws"] {
        let found = outcome(&points, &both, &options(name, &[]));
        assert!(found.agrees() && !found.once && found.against_reference, "{name}");
        assert_eq!((found.right, found.listed), (found.expected, both.len() as u64));
        assert!(found.patterns.is_empty());
    }
    let mut once: Vec<[u32; 2]> = both.iter().copied().filter(|[i, j]| i < j).collect();
    // Some of the pairs are reversed.
    once.iter_mut().step_by(3).for_each(|pair| pair.reverse());
    let found = outcome(&points, &once, &coarse());
    assert!(found.agrees() && found.once && found.detected && found.expected == once.len() as u64);
    let mut with_themselves = both.clone();
    with_themselves.extend((0..COUNT).map(|i| [i, i]));
    let found = outcome(&points, &with_themselves, &coarse());
    assert!(found.agrees() && found.self_pairs == u64::from(COUNT) && found.self_particles.len() == COUNT as usize);
}

#[test]
fn one_removed_added_or_repeated_pair_is_found_with_its_distance_and_cells() {
    let points = cube();
    let right = pairs_within(&points, RADIUS.into());
    let cell = |index: u32| (points[index as usize] * 3.0).as_uvec3().min(UVec3::splat(2));
    let check_pair = |found: &CheckMine, kind: Kind, [i, j]: [u32; 2]| {
        let (_, wrong) = found.kinds().into_iter().find(|(of, _)| *of == kind).expect("all kinds are listed");
        assert!(!found.agrees() && wrong.count == 1 && wrong.pairs.len() == 1);
        let pair = wrong.pairs[0];
        assert_eq!([pair.first, pair.second], [i, j]);
        let distance = points[i as usize].as_dvec3().distance(points[j as usize].as_dvec3());
        assert!((pair.distance - distance).abs() < 1e-12);
        assert!((pair.beyond_radius - (distance - f64::from(RADIUS))).abs() < 1e-12);
        assert_eq!(found.cells_of(&pair), Some([cell(i), cell(j)]));
        assert!(found.borders_of(&pair).is_some());
        assert!(found.pattern(kind).is_none(), "one pair has no pattern: {:?}", found.patterns);
    };
    let mut list = right.clone();
    let removed = list.swap_remove(12_345);
    let found = outcome(&points, &list, &coarse());
    assert_eq!(counts(&found), [1, 0, 0]);
    check_pair(&found, Kind::Missing, removed);

    let far = (0..COUNT).map(|j| [7, j]).find(|&[i, j]| points[i as usize].distance(points[j as usize]) > 0.5);
    let far = far.expect("a far particle");
    let found = outcome(&points, &[right.as_slice(), &[far]].concat(), &coarse());
    assert_eq!(counts(&found), [0, 1, 0]);
    check_pair(&found, Kind::Extra, far);

    let found = outcome(&points, &[right.as_slice(), &[right[999]]].concat(), &coarse());
    assert_eq!(counts(&found), [0, 0, 1]);
    check_pair(&found, Kind::Double, right[999]);
}

#[test]
fn pairs_at_the_radius_are_left_out() {
    // The distance differs from the radius by 1e-6 of it.
    let points = [Vec3::ZERO, Vec3::new(RADIUS * (1.0 + 1e-6), 0.0, 0.0), Vec3::new(0.0, RADIUS * (1.0 - 1e-6), 0.0)];
    let found = outcome(&points, &[[0, 1], [1, 0]], &coarse());
    assert!(found.agrees());
    assert_eq!((found.undecided_missing, found.undecided_extra), (2, 2));
}

#[test]
fn the_pattern_of_missing_pairs_is_recognized() {
    let points = cube();
    let right = pairs_within(&points, RADIUS.into());
    let options = CheckOptions { directions: Directions::Both, ..coarse() };
    let places = outcome(&points, &right, &options).places.expect("FENNS has cells");
    let cell = |index: u32| places.cell(index);
    let is_border = |index: u32| places.is_border(index).expect("FENNS has classes");
    let crossed = |[i, j]: [u32; 2]| cell(i).cmpne(cell(j)).bitmask();
    let distance = |[i, j]: [u32; 2]| points[i as usize].as_dvec3().distance(points[j as usize].as_dvec3());
    // The index of each particle in its cell, and of each pair in the row of its first particle.
    let mut held = HashMap::<UVec3, u32>::new();
    let place_in_cell: Vec<u32> = (0..COUNT)
        .map(|index| {
            let place = held.entry(cell(index)).or_default();
            *place += 1;
            *place - 1
        })
        .collect();
    let cap = held.values().sum::<u32>() / held.len() as u32 - 5;
    let place_in_row = |[i, j]: [u32; 2]| right.iter().filter(|pair| pair[0] == i && pair[1] < j).count();
    let rows: Vec<usize> = right.iter().map(|&pair| place_in_row(pair)).collect();
    let row_of = |pair: [u32; 2]| rows[right.binary_search(&pair).expect("a pair of the list")];

    let cap_of_cell = format!("a cap of {cap} per cell");
    let cases: &[(&str, &[&str], IsLost<'_>)] = &[
        ("crossing", &["all ", "cross a face between cells along x (", "3 x 3 x 3"], &|pair| crossed(pair) & 1 == 1),
        ("crossing", &["cross a face between cells along y ("], &|pair| crossed(pair) & 2 == 2),
        ("crossing", &["a face between cells along z and along no other axis"], &|pair| crossed(pair) == 4),
        ("crossing", &["cross an edge between cells along x and y"], &|pair| crossed(pair) == 3),
        ("crossing", &["cross a corner"], &|pair| crossed(pair) == 7),
        ("crossing", &["in different cells"], &|pair| crossed(pair) != 0),
        ("same cell", &["both particles in the same cell"], &|pair| crossed(pair) == 0),
        ("towards", &["a cell of lower index"], &|[i, j]| {
            let index = |cell: UVec3| (cell.z * 3 + cell.y) * 3 + cell.x;
            index(cell(j)) < index(cell(i))
        }),
        ("outermost cell", &["their second particle in the last cell along z"], &|[_, j]| cell(j).z == 2),
        ("outermost cell", &["a particle in the first cell along x"], &|[i, j]| cell(i).x == 0 || cell(j).x == 0),
        ("classes", &["between border and inner particles"], &|[i, j]| is_border(i) != is_border(j)),
        ("classes", &["between inner particles"], &|[i, j]| !is_border(i) && !is_border(j)),
        ("capped cell", &[&cap_of_cell], &|[_, j]| place_in_cell[j as usize] >= cap),
        ("capped list", &["a cap of 12"], &|pair| row_of(pair) >= 12),
        ("one direction", &["below the first", "--once"], &|[i, j]| j < i && [i, j] != right[right.len() - 1]),
        ("silent particles", &["one particle, index 1234,"], &|[i, _]| i == 1_234),
        ("silent particles", &["2 particles", "index 77)"], &|pair| [77, 1_500].iter().any(|i| pair.contains(i))),
        ("unfinished last block", &["from index 2,944 on", "incomplete block of 128"], &|[i, _]| i >= 2_944),
        ("unfinished last block", &["from index 2,900 on", "the list ends there"], &|[i, j]| i >= 2_900 || j >= 2_900),
        ("smaller radius", &["0.990 times the radius"], &|pair| distance(pair) > 0.99 * f64::from(RADIUS)),
        ("smaller radius", &["taken for a diameter"], &|pair| distance(pair) > 0.5 * f64::from(RADIUS)),
        ("smaller radius", &["squared radius"], &|pair| distance(pair) > f64::from(RADIUS).powi(2)),
    ];
    let mut failures = Vec::new();
    for (name, parts, is_lost) in cases {
        let list: Vec<[u32; 2]> = right.iter().copied().filter(|&pair| !is_lost(pair)).collect();
        let found = outcome(&points, &list, &options);
        let words = named(&found, Kind::Missing);
        assert!(found.extra.count == 0 && found.double.count == 0 && found.missing.count > 0);
        if !words.starts_with(&format!("{name}: ")) || !parts.iter().all(|part| words.contains(part)) {
            failures.push(format!("expected {name} {parts:?}, found \"{words}\""));
        }
    }
    // Pairs that were removed at random have no pattern.
    let list: Vec<[u32; 2]> = right
        .iter()
        .copied()
        .zip(0..)
        .filter(|(_, place)| uniform(SEED, *place) > 0.01)
        .map(|(pair, _)| pair)
        .collect();
    let found = outcome(&points, &list, &options);
    assert!(found.missing.count > 100);
    if !found.patterns.is_empty() {
        failures.push(format!("found for pairs removed at random: {:?}", found.patterns));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn the_pattern_of_extra_and_double_pairs_is_recognized() {
    let points = cube();
    let radius = f64::from(RADIUS);
    let right = pairs_within(&points, radius);
    let green = options("green", &[]);
    let places = outcome(&points, &right, &green).places.expect("Green has cells");
    let near = |[i, j]: [u32; 2]| {
        let (a, b) = (places.cell(i), places.cell(j));
        (a.max(b) - a.min(b)).cmple(UVec3::ONE).all()
    };
    let all = || (0..COUNT).flat_map(|i| (0..COUNT).map(move |j| [i, j])).filter(|[i, j]| i != j);
    let distance = |[i, j]: [u32; 2]| points[i as usize].as_dvec3().distance(points[j as usize].as_dvec3());
    let across = |[i, j]: [u32; 2]| {
        let offset = (points[i as usize] - points[j as usize]).abs();
        (offset.x > 0.5) && Vec3::new(1.0 - offset.x, offset.y, offset.z).length() <= RADIUS
    };
    let shifted = |pairs: &[[u32; 2]]| -> Vec<[u32; 2]> {
        pairs.iter().map(|pair| pair.map(|index| index + 1)).filter(|pair| pair.iter().all(|&i| i < COUNT)).collect()
    };
    let mut shuffled: Vec<u32> = (0..COUNT).collect();
    shuffled.sort_by_key(|&index| uniform(SEED + 1, index.into()).to_bits());
    let with = |more: Vec<[u32; 2]>| [right.clone(), more].concat();
    let renamed = |name: &dyn Fn(u32) -> u32| right.iter().map(|pair| pair.map(name)).collect::<Vec<_>>();
    let cases: Vec<WrongList> = vec![
        (Kind::Extra, "rounding", &["rounding"], pairs_within(&points, radius * (1.0 + 8e-5))),
        (Kind::Extra, "larger radius", &["1.010 times"], pairs_within(&points, radius * 1.01)),
        (Kind::Extra, "larger radius", &["diameter"], pairs_within(&points, radius * 2.0)),
        (Kind::Extra, "larger radius", &["not squared"], pairs_within(&points, radius.sqrt())),
        (Kind::Extra, "periodic box", &["along x,"], with(all().filter(|&pair| across(pair)).collect())),
        (Kind::Extra, "one index", &["particle 0 as the second"], {
            with((1..COUNT).map(|i| [i, 0]).filter(|&pair| distance(pair) > radius).collect())
        }),
        (Kind::Extra, "untested distance", &["same or neighboring cells"], all().filter(|&pair| near(pair)).collect()),
        (Kind::Missing, "shifted indices", &["--one-based"], shifted(&right)),
        (Kind::Extra, "shifted indices", &["--one-based"], shifted(&right)),
        (Kind::Missing, "reversed indices", &["from the last"], renamed(&|index| COUNT - 1 - index)),
        (Kind::Extra, "other order", &["another order"], renamed(&|index| shuffled[index as usize])),
        (Kind::Double, "every pair", &["written twice"], with(right.clone())),
        (Kind::Double, "crossing", &["along y"], {
            with(right.iter().copied().filter(|&[i, j]| places.cell(i).y != places.cell(j).y).collect())
        }),
    ];
    let mut failures = Vec::new();
    for (kind, name, parts, list) in cases {
        let found = outcome(&points, &list, &green);
        let words = named(&found, kind);
        if !words.starts_with(&format!("{name}: ")) || !parts.iter().all(|part| words.contains(part)) {
            failures.push(format!("expected {name} {parts:?}, found \"{words}\" for {:?}", counts(&found)));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn classes_are_compared_with_those_of_the_search() {
    let points = cube();
    let right = pairs_within(&points, RADIUS.into());
    let places = outcome(&points, &right, &coarse()).places.expect("FENNS has cells");
    let mut classes: Vec<bool> = (0..COUNT).map(|index| places.is_border(index) == Some(true)).collect();
    let border = classes.iter().filter(|class| **class).count();
    assert!(border > 500 && border < COUNT as usize - 50, "{border} border particles");
    let with = |classes: &[bool]| CheckOptions { classes: Some(classes.to_vec()), ..coarse() };
    let found = outcome(&points, &right, &with(&classes));
    assert!(found.agrees() && found.classes.is_some_and(|check| check.count == 0));
    let wrong = (0..COUNT).find(|&index| !classes[index as usize]).expect("an inner particle");
    classes[wrong as usize] = true;
    let found = outcome(&points, &right, &with(&classes));
    assert!(!found.agrees());
    let check = found.classes.expect("the classes were compared");
    let [mismatch] = check.mismatches[..] else { panic!("{} differ", check.count) };
    assert!(mismatch.particle == wrong && mismatch.listed_as_border);
    // The cells are a third of the box wide; only the inner faces separate two cells.
    let inner_faces = points[wrong as usize].to_array().into_iter().flat_map(|x| [x - 1.0 / 3.0, x - 2.0 / 3.0]);
    let nearest = inner_faces.map(f32::abs).fold(f32::INFINITY, f32::min);
    assert!((mismatch.face_distance - nearest).abs() < 1e-5 && nearest > RADIUS);
    let refusal = nearwater::laboratory::check::check(
        &common::gpu(),
        &points,
        &right,
        &CheckOptions { classes: Some(classes), ..options("green", &[]) },
    );
    assert!(refusal.expect_err("Green has no classes").to_string().contains("fenns"));
}

/// An empty folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("compare").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the folder can be created");
    folder
}

/// An NPY file of version 1.0.
fn npy(element: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let mut header = format!("{{'descr': '{element}', 'fortran_order': False, 'shape': ({shape}), }}");
    while (header.len() + 11) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let length = (header.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\x00".as_slice(), &length, header.as_bytes(), data].concat()
}

fn lines(numbers: impl IntoIterator<Item = impl ToString>) -> String {
    numbers.into_iter().map(|number| number.to_string() + "\n").collect()
}

struct Written {
    folder: PathBuf,
    points: Vec<Vec3>,
    pairs: Vec<[u32; 2]>,
}

impl Written {
    fn new(name: &str) -> Self {
        let points = uniform_cube(SEED, 300, 1.0);
        let pairs = pairs_within(&points, 0.2);
        Self { folder: folder(name), points, pairs }
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let file = self.folder.join(name);
        fs::write(&file, content).expect("the file can be written");
        file
    }

    fn csr(&self) -> (Vec<usize>, Vec<u32>) {
        let offsets = (0..=300).map(|i| self.pairs.iter().filter(|pair| pair[0] < i).count()).collect();
        (offsets, self.pairs.iter().map(|pair| pair[1]).collect())
    }
}

fn files<'a>(neighbors: &'a Path, offsets: Option<&'a Path>) -> PairFiles<'a> {
    PairFiles { neighbors, offsets, one_based: false, particle_count: 300 }
}

#[test]
fn a_list_is_read_equally_from_every_format() {
    let written = Written::new("forms");
    let (offsets, neighbors) = written.csr();
    let flat = written.pairs.as_flattened();
    let rows = |separator: &str| lines(written.pairs.iter().map(|[i, j]| format!("{i}{separator}{j}")));
    let with_more = lines(written.pairs.iter().map(|[i, j]| format!("0.125,{j},,{i}")));
    let floats = lines(written.pairs.iter().map(|[i, j]| format!("{i}.000000e+00 {j}.000000e+00")));
    let in_two_lines = format!(
        "{}\n{}\n",
        lines(&offsets).trim_end().replace('\n', ","),
        lines(&neighbors).trim_end().replace('\n', ",")
    );
    let count = written.pairs.len();
    let bytes_of = |width: usize, swap: bool, numbers: &[u32]| -> Vec<u8> {
        let bytes = |number: &u32| {
            let mut bytes = u64::from(*number).to_le_bytes()[..width].to_vec();
            if swap {
                bytes.reverse();
            }
            bytes
        };
        numbers.iter().flat_map(bytes).collect()
    };
    let whole: Vec<u32> = offsets.iter().map(|&offset| offset as u32).chain(neighbors.iter().copied()).collect();
    let of_one: Vec<PathBuf> = vec![
        written.file("pairs.csv", rows(",")),
        written.file("pairs_header.csv", format!("i,j\n{}", rows(","))),
        written.file("pairs_named.csv", format!("distance,j,kind,i\n{with_more}")),
        written.file("pairs.tsv", rows("\t")),
        written.file("pairs.txt", format!("# made by hand\n\n{}", rows("   "))),
        written.file("pairs_crlf.csv", rows(",").replace('\n', "\r\n")),
        written.file("pairs_semicolon.csv", rows(" ; ")),
        written.file("pairs_savetxt.txt", floats),
        written.file("csr_two_lines.csv", in_two_lines),
        written.file("csr_lines.txt", lines(&offsets) + &lines(&neighbors)),
        written.file("pairs_i4.npy", npy("<i4", &format!("{count}, 2"), &bytes_of(4, false, flat))),
        written.file("pairs_u4.npy", npy("<u4", &format!("{count}, 2"), &bytes_of(4, false, flat))),
        written.file("pairs_i8.npy", npy("<i8", &format!("{count}, 2"), &bytes_of(8, false, flat))),
        written.file("pairs_u8.npy", npy("<u8", &format!("{count}, 2"), &bytes_of(8, false, flat))),
        written.file("pairs_big_endian.npy", npy(">i4", &format!("{count}, 2"), &bytes_of(4, true, flat))),
        written.file("csr.npy", npy("<i4", &format!("{},", whole.len()), &bytes_of(4, false, &whole))),
    ];
    for file in of_one {
        let read = read_pairs(&files(&file, None)).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(read.pairs, written.pairs, "{}", file.display());
    }
    let offsets_npy: Vec<u8> = offsets.iter().flat_map(|&offset| (offset as u64).to_le_bytes()).collect();
    for (offsets, neighbors) in [
        (written.file("offsets.txt", lines(&offsets)), written.file("neighbors.txt", lines(&neighbors))),
        (
            written.file("offsets.npy", npy("<i8", "301,", &offsets_npy)),
            written.file("neighbors.npy", npy("<u4", &format!("{count},"), &bytes_of(4, false, &neighbors))),
        ),
    ] {
        let read = read_pairs(&files(&neighbors, Some(&offsets))).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(read.pairs, written.pairs);
    }
    let from_one = lines(written.pairs.iter().map(|[i, j]| format!("{},{}", i + 1, j + 1)));
    let file = written.file("one_based.csv", from_one);
    let read =
        read_pairs(&PairFiles { one_based: true, ..files(&file, None) }).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(read.pairs, written.pairs);
}

#[test]
fn points_and_classes_are_read_equally_from_every_format() {
    let written = Written::new("points");
    let padded = |wide: bool| -> Vec<u8> {
        let numbers = written.points.iter().flat_map(|point| [point.x, point.y, point.z, f32::NAN]);
        numbers
            .flat_map(
                |number| if wide { f64::from(number).to_le_bytes().to_vec() } else { number.to_le_bytes().to_vec() },
            )
            .collect()
    };
    let plain: Vec<u8> = written.points.iter().flat_map(Vec3::to_array).flat_map(f32::to_le_bytes).collect();
    for file in [
        written.file(
            "points.csv",
            format!("x,y,z\n{}", lines(written.points.iter().map(|p| format!("{},{},{}", p.x, p.y, p.z)))),
        ),
        written.file("points_f4.npy", npy("<f4", "300, 3", &plain)),
        written.file("points_f4_padded.npy", npy("<f4", "300, 4", &padded(false))),
        written.file("points_f8_padded.npy", npy("<f8", "300, 4", &padded(true))),
    ] {
        assert_eq!(read_finite_positions(&file).unwrap_or_else(|error| panic!("{error}")), written.points);
    }
    let classes: Vec<bool> = (0..300).map(|index| index % 3 == 1).collect();
    let digits: Vec<u8> = classes.iter().map(|&class| u8::from(class)).collect();
    let wide: Vec<u8> = digits.iter().flat_map(|&digit| i64::from(digit).to_le_bytes()).collect();
    for file in [
        written.file("classes.txt", lines(&digits)),
        written.file("classes.csv", format!("class\n{}", lines(&digits))),
        written.file(
            "words.csv",
            format!("x,class\n{}", lines(classes.iter().map(|&c| if c { "0.5,border" } else { "0.5,inner" }))),
        ),
        written.file("bool.npy", npy("|b1", "300,", &digits)),
        written.file("bytes.npy", npy("|u1", "300,", &digits)),
        written.file("long.npy", npy("<i8", "300, 1", &wide)),
    ] {
        assert_eq!(read_classes(&file, 300).unwrap_or_else(|error| panic!("{error}")), classes, "{}", file.display());
    }
}

#[test]
fn every_bad_file_is_refused_in_one_sentence() {
    let written = Written::new("bad");
    let files_so_far = std::cell::Cell::new(0);
    let file = |ending: &str, content: &[u8]| {
        files_so_far.set(files_so_far.get() + 1);
        written.file(&format!("bad_{}.{ending}", files_so_far.get()), content)
    };
    let pairs = |content: &str| file("csv", content.as_bytes());
    let array = |element: &str, shape: &str, bytes: usize| file("npy", &npy(element, shape, &vec![0; bytes]));
    let mut fortran = npy("<i4", "4, 2", &[0; 32]);
    let place = fortran.windows(5).position(|five| five == b"False").expect("the header contains \"False\"");
    fortran[place..place + 5].copy_from_slice(b"True ");
    let long = format!("{}\n", (0..=298).map(|i| i.to_string() + ",").collect::<String>());
    let refused: Vec<(PathBuf, &[&str])> = vec![
        (pairs(""), &["empty"]),
        (pairs("\n\n"), &["no numbers"]),
        (pairs("0,1\n5,300\n"), &["line 2", "300", "numbered from 0 to 299", "points"]),
        (pairs("0,1\n-1,5\n"), &["line 2", "-1", "padding"]),
        (pairs("1,2\n300,1\n"), &["1-based", "--one-based"]),
        (pairs("0,1\n0,1.5\n"), &["line 2", "\"1.5\"", "not an integer"]),
        (pairs("0,1\n0,two\n"), &["line 2", "\"two\""]),
        (pairs("0,1\n7\n"), &["line 2", "too few"]),
        (pairs("0,1\n7,8,9\n"), &["line 2", "3 numbers"]),
        (pairs("0,1,0.5\n"), &["3 numbers", "name the columns"]),
        (pairs("u,v,w\n1,2,3\n"), &["u, v, w", "\"i\" and \"j\""]),
        (pairs(&long), &["299 numbers", "301 offsets"]),
        (pairs("0\n1\n2\n"), &["3 offsets", "301 are needed"]),
        (pairs("0,1\n1,99999999999999999999\n"), &["line 2"]),
        (pairs("0,\0\n"), &["neither text nor NPY"]),
        (written.folder.join("lost.csv"), &["lost.csv"]),
        (written.folder.clone(), &["not a file"]),
        (array("<f8", "4, 2", 64), &["<f8", "numpy.int32"]),
        (array("<i4", "4, 2", 31), &["truncated"]),
        (array("<i4", "4, 3", 48), &["(4, 3)", "(n, 2)"]),
        (array("<i4", "4, 2, 1", 32), &["(4, 2, 1)"]),
        (array("<i4", "99999999, 2", 32), &["truncated"]),
        (array("<i4", "99999999999, 99999999999", 32), &["header"]),
        (array("<i4", "4,", 16), &["4 offsets", "301"]),
        (array("|O", "4, 2", 64), &["bad_", ".npy"]),
        (written.file("fortran.npy", fortran), &["Fortran", "ascontiguousarray"]),
        (written.file("cut.npy", &b"\x93NUMPY\x01\x00\xff"[..]), &["cut.npy"]),
        (written.file("long.npy", &b"\x93NUMPY\x02\x00\xff\xff\xff\xff"[..]), &["header", "4294967295"]),
    ];
    for (file, parts) in refused {
        let sentence = read_pairs(&files(&file, None)).expect_err("a refusal").to_string();
        assert!(sentence.starts_with("cannot read ") && !sentence.contains('\n'), "{sentence}");
        for part in parts {
            assert!(sentence.contains(part), "\"{sentence}\" does not contain \"{part}\"");
        }
    }
    // CSR in two files.
    let good = written.file("neighbors.txt", lines(0..3));
    let mut offsets: Vec<i64> = vec![3; 301];
    let mut refusal = |change: &dyn Fn(&mut Vec<i64>)| {
        offsets.fill(3);
        offsets[0] = 0;
        change(&mut offsets);
        let file = written.file("offsets.txt", lines(&offsets));
        read_pairs(&files(&good, Some(&file))).map_or_else(|error| error.to_string(), |_| String::new())
    };
    assert_eq!(refusal(&|_| ()), "");
    assert!(refusal(&|offsets| offsets[0] = 1).contains("offset 0 is 1"));
    assert!(refusal(&|offsets| offsets[17] = 2).contains("offset 17 is 2, less than the one before"));
    assert!(refusal(&|offsets| offsets[300] = 4).contains("last offset is 4, but there are 3 neighbors"));
    // Points.
    for (content, part) in [("x,y,z\n0,0,0\n0,nan,0\n", "point 1"), ("x,y,z\n0,0,1e39\n", "point 0")] {
        let message = read_finite_positions(&written.file("points.csv", content)).expect_err("a refusal").to_string();
        assert!(message.contains(part) && message.contains("finite"), "{message}");
    }
    for (element, shape, part) in [("<f4", "4, 2", "(n, 3)"), ("<i4", "2, 3", "float32"), ("<f4", "9, 3", "truncated")]
    {
        let file = written.file("points.npy", npy(element, shape, &[0; 32]));
        let message = read_finite_positions(&file).expect_err("a refusal").to_string();
        assert!(message.contains(part), "{message}");
    }
    // Classes.
    for (content, part) in [("0\n1\n", "2 classes"), ("0\n2\n", "line 2"), ("x,y\n1,2\n", "\"class\"")] {
        let message = read_classes(&written.file("classes.csv", content), 300).expect_err("a refusal").to_string();
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn no_file_content_makes_the_readers_panic() {
    let written = Written::new("bytes");
    let (offsets, neighbors) = written.csr();
    let flat: Vec<u8> = written.pairs.as_flattened().iter().flat_map(|index| index.to_le_bytes()).collect();
    let count = written.pairs.len();
    let good: Vec<Vec<u8>> = vec![
        format!("i,j,x\n{}", lines(written.pairs.iter().map(|[i, j]| format!("{i},{j},0.5")))).into_bytes(),
        (lines(&offsets) + &lines(&neighbors)).into_bytes(),
        npy("<i4", &format!("{count}, 2"), &flat),
        npy(
            "<f4",
            "300, 3",
            &written.points.iter().flat_map(Vec3::to_array).flat_map(f32::to_le_bytes).collect::<Vec<u8>>(),
        ),
        b"x,y,z,class\n0,1,2,1\n".to_vec(),
    ];
    let (mut refused, mut read) = (0, 0);
    for round in 0..400_u64 {
        let number = |stream: u64, below: usize| (uniform(SEED ^ (round << 8), stream) * below as f32) as usize;
        let mut bytes = good[number(0, good.len())].clone();
        // Half of the changes are near the beginning, where the headers are.
        let span = if number(1, 2) == 0 { bytes.len().min(140) } else { bytes.len() };
        match number(2, 4) {
            0 => bytes.truncate(number(3, span)),
            1 => (0..=number(4, 6) as u64).for_each(|k| bytes[number(10 + k, span)] = number(20 + k, 256) as u8),
            2 => (0..=number(4, 6) as u64)
                .for_each(|k| bytes[number(10 + k, span)] = b"0123456789-,(){}'[]:\n"[number(20 + k, 21)]),
            _ => bytes = (0..number(3, 300) as u64).map(|k| number(40 + k, 256) as u8).collect(),
        }
        let file = written.file("mutated.csv", &bytes);
        let outcomes = [
            read_pairs(&files(&file, None)).map(drop),
            read_pairs(&files(&file, Some(&file))).map(drop),
            read_finite_positions(&file).map(drop),
            read_classes(&file, 300).map(drop),
        ];
        for outcome in outcomes {
            match outcome {
                Ok(()) => read += 1,
                Err(error) => {
                    assert!(!error.to_string().contains('\n'), "{error}");
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 800 && read > 20, "{refused} refused, {read} read");
}

fn nearwater(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_nearwater"))
        .arg("compare")
        .args(arguments)
        .output()
        .expect("the program was built")
}

#[test]
fn the_command_prints_a_report_and_returns_an_exit_code() {
    let written = Written::new("command");
    let points = written.file(
        "points.csv",
        format!("x,y,z\n{}", lines(written.points.iter().map(|p| format!("{},{},{}", p.x, p.y, p.z)))),
    );
    let list = |pairs: &[[u32; 2]]| lines(pairs.iter().map(|[i, j]| format!("{i},{j}")));
    let right = written.file("right.csv", list(&written.pairs));
    let [removed, rest @ ..] = written.pairs.as_slice() else { panic!("there are no pairs") };
    let wrong = written.file("wrong.csv", list(rest));
    let table = written.folder.join("wrong_pairs.csv");
    let text = |path: &Path| path.display().to_string();
    let (points, right, wrong, table) = (text(&points), text(&right), text(&wrong), text(&table));

    let output = nearwater(&[&points, &right, "--radius", "0.2"]);
    let report = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{report}{}", String::from_utf8_lossy(&output.stderr));
    for part in ["300 particles", "The list is right.", "CPU oracle", "in both directions"] {
        assert!(report.contains(part), "no \"{part}\" in:\n{report}");
    }
    let more = ["--search", "fenns", "--option", "coarse-cells=3", "--box", "-0.5,0,0", "1,1,1", "--csv", &table];
    let output = nearwater(&[&[points.as_str(), &wrong, "--radius", "0.2"], more.as_slice()].concat());
    let report = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{report}{}", String::from_utf8_lossy(&output.stderr));
    for part in ["The list is WRONG.", "MISSING", "fenns", "box from [-0.50000, 0.00000, 0.00000]"] {
        assert!(report.contains(part), "no \"{part}\" in:\n{report}");
    }
    let mut rows = csv::Reader::from_path(&table).expect("a CSV");
    let rows: Vec<csv::StringRecord> = rows.records().map(|row| row.expect("a valid row")).collect();
    let [row] = rows.as_slice() else { panic!("{} rows", rows.len()) };
    assert_eq!((&row[0], &row[1], &row[2]), ("missing", &*removed[0].to_string(), &*removed[1].to_string()));
    assert!(row[4].parse::<f64>().is_ok_and(|beyond| beyond < 0.0));
    assert!(row.iter().skip(5).take(6).all(|cell| cell.parse::<u32>().is_ok_and(|cell| cell < 5)));

    let (points, right) = (points.as_str(), right.as_str());
    let with = |more: &[&'static str]| [&[points, right, "--radius", "0.2"], more].concat();
    let refused: [(Vec<&str>, &str); 9] = [
        (vec![points, right], "--radius"),
        (vec!["lost.csv", right, "--radius", "0.2"], "lost.csv"),
        (vec![points, "lost.csv", "--radius", "0.2"], "lost.csv"),
        (vec![points, right, "--radius", "nan"], "NaN"),
        (with(&["--box", "1,1,1", "0,0,0"]), "box"),
        (with(&["--solver", "pbf"]), "--solver"),
        (with(&["--csv", "no/such/folder/t.csv"]), "no/such/folder"),
        ([with(&["--classes"]), vec![right]].concat(), "class"),
        (with(&["--one-based"]), "leave out --one-based"),
    ];
    for (arguments, part) in refused {
        let output = nearwater(&arguments);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        let sentence = message.lines().find(|line| line.starts_with("nearwater: ")).unwrap_or_default();
        assert!(sentence.contains(part), "the message for {arguments:?} does not contain \"{part}\": {message}");
    }
}
