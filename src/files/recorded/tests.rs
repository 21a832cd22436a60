//! Recordings of every format, complete and damaged.

use std::fs;
use std::path::{Path, PathBuf};

use super::Recording;
use super::list::by_numbers;
use crate::files::{Frame, FrameFormat, FrameSeries};

/// A dump with two frames in different orders, the second of them cut off by `cut` bytes.
fn dump(cut: usize) -> String {
    let head = |step: u32, time: f64| {
        format!(
            "ITEM: TIMESTEP\n{step}\nITEM: UNITS\nsi\nITEM: TIME\n{time}\nITEM: NUMBER OF ATOMS\n3\n\
             ITEM: BOX BOUNDS ff ff ff\n-1 1\n0 2\n-3 3\nITEM: ATOMS id x y z vx vy vz density element\n"
        )
    };
    let first = head(0, 0.0) + "2 0.2 0 0 0 2 0 1002 H\n1 0.1 0 0 1 0 0 1001 O\n3 0.3 0 0 0 0 3 1003 O\n";
    let second = head(100, 0.5) + "1 0.5 1 0 1 0 0 1004 O\n3 0.7 1 0 0 0 3 1006 O\n2 0.6 1 0 0 2 0 1005 H\n";
    first + &second[..second.len() - cut]
}

fn opened(files: &[(&str, &str)]) -> (tempfile::TempDir, Result<Recording, String>) {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, content) in files {
        fs::write(folder.path().join(name), content).expect("it can be written");
    }
    let opened = Recording::open(&[folder.path().to_owned()]).map_err(|error| error.to_string());
    (folder, opened)
}

#[test]
fn a_dump_is_read_in_the_order_of_the_numbers_with_all_fields() {
    let (_folder, recording) = opened(&[("a.lammpstrj", &dump(0))]);
    let recording = recording.expect("it is a dump");
    assert_eq!((recording.times(), recording.has_times()), (&[0.0, 0.5][..], true));
    assert_eq!(recording.bounds(), Some([[-1.0, 0.0, -3.0], [1.0, 2.0, 3.0]]));
    assert_eq!(recording.notices().len(), 0);
    let frame = recording.read(1).expect("it is complete");
    assert_eq!(frame.positions, [[0.5, 1.0, 0.0], [0.6, 1.0, 0.0], [0.7, 1.0, 0.0]]);
    assert_eq!(frame.velocities, [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]]);
    let names: Vec<_> = frame.fields.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["density", "element"]);
    assert_eq!(frame.fields[0].values, [1004.0, 1005.0, 1006.0]);
    assert!(frame.fields[1].values.iter().all(|value| value.is_nan()), "letters are no numbers");
    let of = |time: f64| recording.frame_at(time);
    assert_eq!([of(-1.0), of(0.0), of(0.49), of(0.5), of(9.0)], [0, 0, 0, 1, 1]);
}

#[test]
fn a_dump_that_ends_in_a_frame_plays_up_to_there_and_says_so() {
    // The cut falls into a line, between two lines, into the head, and into the end of the last line.
    for cut in [5, 26, 120, 1] {
        let (_folder, recording) = opened(&[("a.dump", &dump(cut))]);
        let recording = recording.expect("one frame is complete");
        assert_eq!(recording.len(), 1, "cut by {cut} bytes");
        let notice = recording.notices().join(" ");
        assert!(notice.contains("a.dump ends in the middle of frame 2; the 1 frames before it"), "{notice}");
        recording.read(0).expect("it is complete");
    }
    let whole = dump(0);
    let (_folder, refused) = opened(&[("a.dump", &whole[..whole.len() / 4])]);
    let sentence = refused.expect_err("no frame is complete");
    assert!(sentence.contains("ends in the middle of its first frame"), "{sentence}");
}

#[test]
fn scaled_coordinates_are_fractions_of_the_box() {
    let text = dump(0).replace("id x y z", "id xs ys zs");
    let (_folder, recording) = opened(&[("a.dump", &text)]);
    let frame = recording.expect("it is a dump").read(0).expect("it is complete");
    let expected = [-0.8, 0.0, -3.0];
    assert!((0..3).all(|axis| (frame.positions[0][axis] - expected[axis]).abs() < 1e-6), "{:?}", frame.positions);
}

#[test]
fn the_series_of_this_program_are_read_back_in_every_format() {
    let frame = |shift: f32| Frame {
        time: f64::from(shift),
        step: 1,
        indices: vec![0, 1],
        positions: vec![[shift, 0.25, 0.5], [1.0, 2.0, 3.0]],
        velocities: vec![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
        densities: vec![1000.0, 1001.0],
        pressures: vec![5.0, 6.0],
    };
    for format in FrameFormat::ALL {
        let folder = tempfile::tempdir().expect("a folder");
        let mut series = FrameSeries::new(folder.path(), format).expect("the folder is empty");
        for shift in [0.0, 0.5] {
            series.add(&frame(shift)).expect("it can be written");
        }
        for path in [folder.path().to_owned(), series.list()] {
            let recording = Recording::open(&[path]).unwrap_or_else(|error| panic!("{format:?}: {error}"));
            assert_eq!(recording.times(), [0.0, 0.5], "{format:?}");
            let read = recording.read(1).unwrap_or_else(|error| panic!("{format:?}: {error}"));
            let expected = frame(0.5);
            assert_eq!((read.positions, read.velocities), (expected.positions, expected.velocities), "{format:?}");
            let fields: Vec<_> = read.fields.iter().map(|field| field.values.as_slice()).collect();
            assert_eq!(fields, [&expected.densities[..], &expected.pressures[..]], "{format:?}");
        }
    }
}

#[test]
fn frames_of_other_programs_are_read() {
    // Legacy VTK as SPlisHSPlasH writes it, in text.
    let legacy = "# vtk DataFile Version 4.1\nSPlisHSPlasH particle data\nASCII\nDATASET UNSTRUCTURED_GRID\n\
                  POINTS 2 float\n0 1 2\n3 4 5\nCELLS 2 4\n1 0\n1 1\nCELL_TYPES 2\n1\n1\nPOINT_DATA 2\n\
                  SCALARS id unsigned_int 1\nLOOKUP_TABLE id_table\n1\n0\nVECTORS velocity float\n7 8 9\n10 11 12\n";
    let (_folder, recording) = opened(&[("a_1.vtk", legacy), ("a_2.vtk", legacy), ("a_10.vtk", legacy)]);
    let recording = recording.expect("it is VTK");
    assert_eq!((recording.len(), recording.has_times()), (3, false));
    assert!(recording.file(2).ends_with("a_10.vtk"));
    let frame = recording.read(0).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(frame.positions, [[3.0, 4.0, 5.0], [0.0, 1.0, 2.0]], "in the order of the numbers");
    assert_eq!(frame.velocities, [[10.0, 11.0, 12.0], [7.0, 8.0, 9.0]]);

    // CSV with the names of PySPH, in two dimensions.
    let (_folder, recording) = opened(&[("b.csv", "x,y,u,v,rho,p,m\n1,2,3,4,1000,5,0.5\n")]);
    let frame = recording.expect("it is CSV").read(0).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((frame.positions[0], frame.velocities[0]), ([1.0, 2.0, 0.0], [3.0, 4.0, 0.0]));
    let names: Vec<_> = frame.fields.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["rho", "p", "m"]);
}

#[test]
fn what_is_no_recording_is_refused_in_one_sentence() {
    let refused = |path: &Path| Recording::open(&[path.to_owned()]).expect_err("a refusal").to_string();
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, content: &str| -> PathBuf {
        let file = folder.path().join(name);
        fs::write(&file, content).expect("it can be written");
        file
    };
    let cases = [
        (refused(&folder.path().join("none.dump")), "none.dump"),
        (refused(folder.path()), "it contains no dumps"),
        (refused(&file("a.bgeo", "x")), "export VTK or PLY from SPlisHSPlasH"),
        (refused(&file("b.dump", "hello\n")), "\"hello\" stands where"),
        (refused(&file("c.dump", "")), "no complete frame"),
        (refused(&file("d.pvd", "<VTKFile/>")), "lists no frames"),
        (refused(&file("e.dump", "ITEM: TIMESTEP\nten\n")), "\"ten\" is not a number of a time step"),
    ];
    file("f.ply", "ply\n");
    for (sentence, part) in cases {
        assert!(sentence.contains(part) && !sentence.contains('\n'), "{sentence}");
    }
    fs::remove_file(folder.path().join("d.pvd")).expect("it is there");
    assert!(refused(folder.path()).contains("several formats"));
    assert!(Recording::open(&[]).expect_err("nothing is named").to_string().contains("no file is named"));
    // Frames of other formats are read when they are shown.
    for (name, content, part) in [
        ("g.csv", "a,b\n1,2\n", "no \"x\", but: a, b"),
        ("h.csv", "x,y,z\n1,wide,3\n", "not finite"),
        ("i.csv", "x,y,z\n", "no particles"),
        ("j.ply", "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nend_header\n1 2\n", ""),
        ("k.vtu", "<VTKFile", ""),
    ] {
        let recording = Recording::open(&[file(name, content)]).expect("only the name is read");
        let sentence = recording.read(0).expect_err("a refusal").to_string();
        assert!(sentence.contains(part) && sentence.contains(name) && !sentence.contains('\n'), "{sentence}");
    }
}

#[test]
fn numbers_in_names_count_by_their_values() {
    let mut names = ["b_2", "a_10", "a_9", "a_010x", "a_1"];
    names.sort_by(|one, other| by_numbers(one, other));
    assert_eq!(names, ["a_1", "a_9", "a_10", "a_010x", "b_2"]);
}
