//! Exports to LAMMPS: what the files contain, what is refused, and, with LAMMPS at hand, that it runs them and agrees
//! with this program. `./x test` installs LAMMPS and runs the tests that are ignored otherwise.
#![expect(clippy::unwrap_used, reason = "a test that cannot continue has failed")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nearwater::files::Recording;

fn nearwater(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_nearwater")).args(arguments).output().expect("the program was built")
}

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

fn export(scene: &str, more: &[&str], folder: &Path) -> String {
    let arguments = [&["export-lammps", scene, folder.to_str().unwrap()], more].concat();
    let output = nearwater(&arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Type and position of each particle of a data file.
fn particles(folder: &Path) -> Vec<(u8, [f32; 3])> {
    let text = fs::read_to_string(folder.join("data.water")).unwrap();
    let (head, atoms) = text.split_once("Atoms # sph\n\n").expect("a section of particles");
    let atoms = atoms.split("\n\n").next().unwrap();
    let read: Vec<_> = atoms
        .lines()
        .zip(1..)
        .map(|(line, number)| {
            let words: Vec<f32> = line.split(' ').map(|word| word.parse().unwrap()).collect();
            assert_eq!((words.len(), words[0] as usize), (8, number), "{line}");
            (words[1] as u8, [words[5], words[6], words[7]])
        })
        .collect();
    assert!(head.contains(&format!("\n{} atoms\n", read.len())), "{head}");
    read
}

#[test]
fn fluid_starts_in_the_box_and_fixed_particles_close_it() {
    let folder = folder("export_walls");
    export("dam_break", &["--particles", "1500"], &folder);
    let all = particles(&folder);
    let (low, high) = ([-5.0, 0.0, -1.5], [5.0, 6.0, 1.5]);
    let is_inside = |at: &[f32; 3]| (0..3).all(|axis| at[axis] > low[axis] && at[axis] < high[axis]);
    let of = |part: u8| all.iter().filter(move |(kind, _)| *kind == part).map(|(_, at)| *at).collect::<Vec<_>>();
    let (fluid, walls) = (of(1), of(2));
    assert!((1300..1700).contains(&fluid.len()), "{}", fluid.len());
    assert!(fluid.iter().all(is_inside) && !walls.iter().any(is_inside));
    assert!(fluid.iter().all(|at| at[0] < -0.9), "the column ends at x = -1");
    // Every place just outside a face has a fixed particle within slightly more than the half diagonal of a cell.
    let spacing = 0.33;
    for number in 0..600 {
        let place = |axis: usize| {
            let share = (number * [7, 11, 13][axis] % 97) as f32 / 96.0;
            low[axis] + share * (high[axis] - low[axis])
        };
        let mut at = [place(0), place(1), place(2)];
        let axis = number % 3;
        at[axis] = if number % 2 == 0 { low[axis] - 0.5 * spacing } else { high[axis] + 0.5 * spacing };
        let nearest = walls.iter().map(|wall| (0..3).map(|axis| (wall[axis] - at[axis]).powi(2)).sum::<f32>().sqrt());
        let nearest = nearest.fold(f32::INFINITY, f32::min);
        assert!(nearest < 0.9 * spacing, "a hole of {nearest} m at {at:?}");
    }
}

#[test]
fn the_fluid_is_that_of_the_simulation_and_boundaries_are_filled() {
    let folder = folder("export_same");
    export("dam_break", &["--particles", "1500"], &folder.join("a"));
    let frames = folder.join("frames");
    let arguments = ["simulate", "dam_break", "--particles", "1500", "--seconds", "0", "--format", "csv"];
    let output = nearwater(&[&arguments[..], &["--export", frames.to_str().unwrap(), "--every", "1"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let simulated = Recording::open(&[frames]).unwrap().read(0).unwrap().positions;
    let exported: Vec<_> = particles(&folder.join("a")).into_iter().filter(|(kind, _)| *kind == 1).collect();
    assert_eq!(exported.into_iter().map(|(_, at)| at).collect::<Vec<_>>(), simulated);

    let said = export("spheric_2", &["--particles", "3000"], &folder.join("b"));
    let filled = particles(&folder.join("b")).iter().filter(|(kind, _)| *kind == 3).count();
    // A box of 0.161 x 0.403 x 0.161 m at a spacing of 0.059 m.
    assert!((40..90).contains(&filled), "{filled} particles of boundaries; {said}");
}

#[test]
fn what_lammps_does_not_have_is_refused_by_name() {
    let folder = folder("export_refused");
    let out = folder.join("out");
    for (scene, more, parts) in [
        ("dam_break", &["--solver", "pbf"][..], &["solver", "--solver wcsph"][..]),
        ("dam_break", &["--solver", "dfsph"], &["solver", "--solver wcsph"]),
        ("dam_break", &["--set", "material.xsph=0.1"], &["XSPH", "material.xsph=0"]),
        ("dam_break", &["--set", "material.surface_tension=0.1"], &["surface tension"]),
        ("dam_break", &["--set", "foam.capacity=1000"], &["foam", "foam.capacity=0"]),
        ("hydrostatic", &[], &["viscosity at the same time", "material.viscosity=0"]),
        ("bayraktar_cloth", &["--solver", "wcsph"], &["cloths"]),
        ("flotsam", &["--solver", "wcsph"], &["bodies"]),
        ("fountain", &["--solver", "wcsph", "--set", "material.surface_tension=0"], &["emitters"]),
        ("dam_break", &["--kernel", "poly6"], &["--kernel"]),
        ("dam_break", &["--particles", "0"], &["particles is 0"]),
        // Before its boundary is sampled and the fluid beside it is counted, which would take a quarter of an hour.
        ("spheric_2", &["--particles", "2140000000"], &["LAMMPS numbers at most 2147483647", "fewer particles"]),
    ] {
        let arguments = [&["export-lammps", scene, out.to_str().unwrap()], more].concat();
        let output = nearwater(&arguments);
        let sentence = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        assert_eq!(output.status.code(), Some(2), "{scene} {more:?}: {sentence}");
        assert_eq!(sentence.lines().count(), 1, "{sentence}");
        assert!(parts.iter().all(|part| sentence.contains(part)), "{scene} {more:?}: {sentence}");
        assert!(!out.exists(), "a refused export made a folder");
    }
    let taken = folder.join("file");
    fs::write(&taken, "mine").unwrap();
    let output = nearwater(&["export-lammps", "dam_break", "--particles", "100", taken.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(fs::read_to_string(&taken).unwrap(), "mine");
}

/// The folder with LAMMPS and MPI that `./x` has set up.
fn programs() -> PathBuf {
    let folder = std::env::var("NEARWATER_LAMMPS").expect("./x test sets NEARWATER_LAMMPS");
    PathBuf::from(folder)
}

fn run_lammps(folder: &Path, processes: usize, more: &[&str]) {
    let programs = programs();
    let output = Command::new(programs.join("mpirun"))
        .args(["-n", &processes.to_string()])
        .arg(programs.join("lmp"))
        .args(["-in", "in.water", "-log", "none"])
        .args(more)
        .current_dir(folder)
        .output()
        .expect("./x test has installed LAMMPS");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", &printed[printed.len().saturating_sub(2_000)..]);
}

/// x below which 99.5 percent of the particles lower than a meter are, m.
fn front(positions: &[[f32; 3]]) -> f32 {
    let mut low: Vec<f32> = positions.iter().filter(|at| at[1] < 1.0).map(|at| at[0]).collect();
    low.sort_by(f32::total_cmp);
    low[((0.995 * low.len() as f32).ceil() as usize).clamp(1, low.len()) - 1]
}

#[test]
#[ignore = "needs LAMMPS, which ./x test installs"]
fn lammps_runs_the_dam_break_on_one_and_two_processes_and_agrees() {
    let folder = folder("lammps_dam_break");
    let mut fronts = Vec::new();
    for processes in [1, 2] {
        let run = folder.join(processes.to_string());
        export("dam_break", &["--particles", "3000"], &run);
        run_lammps(&run, processes, &["-var", "seconds", "0.5", "-var", "frame_every", "0.1"]);
        let recording = Recording::open(&[run.join("frames.lammpstrj")]).unwrap();
        assert!(recording.has_times() && recording.len() >= 5, "{:?}", recording.times());
        let last = recording.read(usize::MAX).unwrap();
        assert!((2800..3300).contains(&last.positions.len()));
        fronts.push((recording.times()[recording.len() - 1], front(&last.positions)));
        let probes = fs::read_to_string(run.join("probes.txt")).unwrap();
        let columns = probes.lines().nth(1).unwrap().split_whitespace().count() - 1;
        assert!(probes.lines().skip(2).all(|row| row.split_whitespace().count() == columns), "{probes}");
        assert!(probes.lines().count() > 40);
    }
    // The sums are made in another order, so the runs differ by rounding, which the flow amplifies.
    assert!((fronts[0].1 - fronts[1].1).abs() < 0.05, "{fronts:?}");

    let seconds = fronts[0].0.to_string();
    let frames = folder.join("ours");
    let arguments = ["simulate", "dam_break", "--particles", "3000", "--seconds", &seconds, "--format", "csv"];
    let output = nearwater(&[&arguments[..], &["--every", &seconds, "--export", frames.to_str().unwrap()]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let ours = Recording::open(&[frames]).unwrap();
    let ours = front(&ours.read(usize::MAX).unwrap().positions);
    // Measured from the wall behind the column. With 16 layers of particles the two differ by 3.3 percent here, and
    // with more by less (docs/CLUSTER.md).
    let difference = (fronts[0].1 - ours) / (ours + 5.0);
    assert!(difference.abs() < 0.045, "LAMMPS {fronts:?}, ours {ours}");
}

/// An export that takes minutes, of which `is_due` tells when it gets SIGINT.
fn interrupted(
    name: &str,
    scene: &str,
    particles: &str,
    is_due: impl Fn(&Path) -> bool,
) -> (Option<i32>, String, usize) {
    let folder = folder(name);
    let arguments = ["export-lammps", scene, folder.to_str().unwrap(), "--particles", particles];
    let mut command = Command::new(env!("CARGO_BIN_EXE_nearwater"));
    let child = command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while !is_due(&folder) {
        sleep(Duration::from_millis(20));
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.unwrap().success());
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), told, fs::read_dir(&folder).unwrap().count())
}

#[test]
fn a_signal_ends_an_export_in_one_sentence_and_leaves_no_file() {
    let start = Instant::now();
    // While the fluid beside the boundary is counted, and while the file is written.
    let is_late = |_: &Path| start.elapsed() > Duration::from_secs(2);
    let counting = interrupted("export_counting", "spheric_2", "100000000", is_late);
    let is_there = |folder: &Path| fs::read_dir(folder).unwrap().count() > 0;
    let writing = interrupted("export_writing", "dam_break", "100000000", is_there);
    for (code, told, files) in [counting, writing] {
        assert_eq!((code, files), (Some(2), 0), "{told}");
        assert!(told.starts_with("nearwater: SIGINT ended the export") && told.lines().count() == 1, "{told}");
    }
}

/// Mean of a column of the table that a run of LAMMPS wrote for its probes, from a time on, s.
fn mean_reading(folder: &Path, column: &str, from: f64) -> f64 {
    let text = fs::read_to_string(folder.join("probes.txt")).unwrap();
    let names: Vec<_> = text.lines().nth(1).unwrap().split_whitespace().skip(1).collect();
    let index =
        |name: &str| names.iter().position(|found| *found == name).unwrap_or_else(|| panic!("{name} in {names:?}"));
    let (time, column) = (index("time_s"), index(column));
    let rows = text.lines().skip(2).map(|row| row.split_whitespace().map(|word| word.parse().unwrap()).collect());
    let readings: Vec<f64> = rows.filter(|row: &Vec<f64>| row[time] >= from).map(|row| row[column]).collect();
    assert!(!readings.is_empty(), "no reading after {from} s");
    readings.iter().sum::<f64>() / readings.len() as f64
}

#[test]
#[ignore = "needs LAMMPS, which ./x test installs"]
fn water_of_lammps_at_rest_has_the_pressure_of_its_depth_down_to_the_floor() {
    let folder = folder("lammps_hydrostatic");
    export("hydrostatic", &["--particles", "1440", "--set", "material.viscosity=0"], &folder);
    run_lammps(&folder, 2, &["-var", "seconds", "2"]);
    // Pa; the tank is filled to 0.9 m. With densities by the continuity equation alone, walls have pressures that
    // alternate from layer to layer, and so has the water at the floor, where it reads 6 percent too little.
    let full = 1000.0 * 9.81 * 0.9;
    for (column, expected) in [("floor_Pa", full), ("middle_Pa", 0.5 * full), ("floor_force_N_per_m", full)] {
        let read = mean_reading(&folder, column, 1.0);
        assert!((read / expected - 1.0).abs() < 0.02, "{column} is {read}, not {expected}");
    }
}
