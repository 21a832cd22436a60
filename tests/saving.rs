//! A disk that is full at the n-th byte of a state, and a process that is killed while it saves one: the file is the
//! old one or the new one, and whole.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use nearwater::files::check_writable;
use nearwater::fluid::SavedState;

const STATE: &str = "water.state";
/// Number of times that a process is killed while it saves.
const KILLS: u64 = 100;
/// The variable that makes this program save a state again and again, for [`a_killed_process_leaves_a_whole_state`].
const SAVES_INTO: &str = "NEARWATER_TEST_SAVES_INTO";

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("saving").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Runs a short simulation that saves its state, where no file can have more than `most` bytes. The limit of the system
/// ends a write in its middle, as a full disk does; the signal that comes with it is ignored.
fn save(folder: &Path, particles: u32, most: Option<u64>) -> Output {
    let limit = most.map_or_else(String::new, |bytes| format!("prlimit --fsize={bytes}:{bytes} "));
    let script = format!(
        "trap '' XFSZ; exec {limit}{} simulate drop --seconds 0.002 --particles {particles} --save {STATE}",
        env!("CARGO_BIN_EXE_nearwater")
    );
    let mut command = Command::new("sh");
    command.args(["-c", &script]).current_dir(folder).stdin(Stdio::null());
    command.output().expect("sh is there")
}

#[test]
fn a_disk_that_is_full_at_any_byte_keeps_the_old_state() {
    let folder = folder("full");
    let file = folder.join(STATE);
    assert!(save(&folder, 300, None).status.success());
    let new = fs::metadata(&file).expect("it was saved").len();
    assert!(save(&folder, 200, None).status.success());
    let old = fs::read(&file).expect("it was saved");
    let mut places = vec![0, 1, 15, 16, 20, 100, 4_095, 4_096, 4_097, new / 2, new - 9, new - 8, new - 1];
    places.dedup();
    for most in places {
        let output = save(&folder, 300, Some(most));
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{most} bytes: {told}");
        assert_eq!(told.trim_end(), format!("nearwater: cannot write {STATE}: File too large"), "{most} bytes");
        assert!(fs::read(&file).expect("it is there") == old, "{most} bytes: the old state is lost");
        assert_eq!(names(&folder), [STATE], "{most} bytes");
    }
    let output = save(&folder, 300, Some(new));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(fs::metadata(&file).expect("it is there").len(), new);
}

/// Not a test of its own: the process that is killed.
#[test]
fn saves_until_it_is_killed() {
    let Ok(folder) = std::env::var(SAVES_INTO) else { return };
    let states = ["one", "two"].map(|name| SavedState::read(&Path::new(&folder).join(name)).expect("it was saved"));
    for state in states.iter().cycle() {
        state.write(&Path::new(&folder).join(STATE)).expect("it can be written");
    }
}

#[test]
fn a_killed_process_leaves_a_whole_state() {
    let folder = folder("killed");
    let file = folder.join(STATE);
    for (name, particles) in [("one", 3_000), ("two", 4_000)] {
        assert!(save(&folder, particles, None).status.success());
        fs::rename(&file, folder.join(name)).expect("it was saved");
    }
    let [one, two] = ["one", "two"].map(|name| fs::read(folder.join(name)).expect("it was saved"));
    let (mut leftovers, mut found) = (0, [0, 0]);
    for number in 0..KILLS {
        fs::copy(folder.join("one"), &file).expect("it can be copied");
        let mut child = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "saves_until_it_is_killed"])
            .env(SAVES_INTO, &folder)
            .stdout(Stdio::null())
            .spawn()
            .expect("it runs");
        // Until it has begun to write, and then for another time that differs.
        let started = Instant::now();
        let is_old = || fs::metadata(&file).is_ok_and(|about| about.len() == one.len() as u64);
        while is_old() && started.elapsed() < Duration::from_secs(20) {
            std::hint::spin_loop();
        }
        std::thread::sleep(Duration::from_micros(number * number % 7 * 300 + number * 41));
        child.kill().expect("it is our child");
        child.wait().expect("it was killed");
        let bytes = fs::read(&file).expect("it is there");
        assert!(bytes == one || bytes == two, "kill {number}: {} bytes, neither old nor new", bytes.len());
        SavedState::read(&file).unwrap_or_else(|error| panic!("kill {number}: {error}"));
        found[usize::from(bytes == two)] += 1;
        leftovers += names(&folder).len() - 3;
        // As the next run that writes the file does.
        check_writable(&file).expect("it can be written");
        assert_eq!(names(&folder), ["one", "two", STATE], "kill {number}: a temporary file stays");
    }
    println!("{KILLS} kills: {found:?} states of each kind, {leftovers} unfinished files were left and deleted");
    // Otherwise nothing was killed in the middle of saving.
    assert!(leftovers > 10 && found.iter().all(|count| *count > 10), "{leftovers} unfinished files, {found:?}");
}
