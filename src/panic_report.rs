//! The report of a panic: what the program was doing, written into a file when a fault of its own ends it.
//!
//! The binary installs the hook ([`install`]); whoever knows the adapter, the scene or the settings notes them
//! ([`note_adapter`], [`note_run`]). On a panic the hook writes the report into the system's folder for temporary
//! files, or else into the current folder, or else to the standard error, and says where in one sentence. Further
//! panics, as of other threads, are added to the same report. Where a simulation outlives the panic, its last state is
//! saved beside the report ([`save_last_state`]). The process then ends with [`EXIT_CODE`], also when the panic was in
//! a thread that nobody waits for ([`has_panicked`]).

use std::backtrace::Backtrace;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::attempt::is_attempt;
use crate::fluid::{Scene, Settings, Simulation};
use crate::gpu::Capabilities;

/// The exit code of the program after a panic, which is also that of Rust's runtime.
pub const EXIT_CODE: u8 = 101;

/// What a report says about the program besides the panic itself. Empty texts are not known yet.
#[derive(Clone, Debug, Default)]
struct Facts {
    adapter: String,
    scene: String,
    settings: String,
}

static FACTS: Mutex<Facts> =
    Mutex::new(Facts { adapter: String::new(), scene: String::new(), settings: String::new() });
/// The report of the first panic; `None` where it could not be written.
static REPORT: Mutex<Option<PathBuf>> = Mutex::new(None);
static HAS_PANICKED: AtomicBool = AtomicBool::new(false);

/// Notes the device that is in use, in place of an earlier one.
pub fn note_adapter(capabilities: &Capabilities) {
    let Capabilities { name, driver, backend, class, .. } = capabilities;
    let missing = capabilities.missing();
    let lacking = if missing.is_empty() { String::new() } else { format!("; without {}", missing.join(", ")) };
    facts().adapter = format!("{name} ({driver}; {backend:?}, {class}{lacking})");
}

/// Notes the scene that runs and its settings, in place of earlier ones.
pub fn note_run(scene: &Scene, settings: &Settings) {
    let Settings { search, options, kernel, size, seed, edits } = settings;
    let options: Vec<_> = search.all_options().map(|option| options.written(option)).collect();
    let mut facts = facts();
    facts.scene.clone_from(&scene.name);
    facts.settings = format!(
        "search {} ({}), solver {}, kernel {kernel:?}, size {size:?}, seed {seed}, edits {edits:?}",
        search.name,
        options.join(", "),
        scene.solver.name
    );
}

fn facts() -> MutexGuard<'static, Facts> {
    // A panic while the lock was held leaves whole texts, so a poisoned lock is as good as any.
    FACTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether some thread has panicked since the hook was installed.
pub fn has_panicked() -> bool {
    HAS_PANICKED.load(Ordering::Relaxed)
}

/// Saves the state of a simulation that outlives a panic beside the report, and returns the file; `None` where there is
/// no report, or the state cannot be read back or written any more.
pub fn save_last_state(simulation: &Simulation) -> Option<PathBuf> {
    let report = REPORT.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let file = report?.with_extension("state");
    // What has panicked may do so again.
    let saved = catch_unwind(AssertUnwindSafe(|| simulation.save_state().and_then(|state| state.write(&file))));
    matches!(saved, Ok(Ok(()))).then_some(file)
}

/// Makes panics write a report in place of Rust's own message.
pub fn install() {
    set_hook(Box::new(report));
}

/// Nothing in it may panic, or wait for a lock that the panicking thread may hold.
fn report(panic: &PanicHookInfo<'_>) {
    if is_attempt() {
        return;
    }
    let is_first = !HAS_PANICKED.swap(true, Ordering::Relaxed);
    let what = place_of(panic);
    if !is_first {
        let earlier = REPORT.try_lock().ok().and_then(|report| report.clone());
        if let Some(mut file) = earlier.and_then(|file| OpenOptions::new().append(true).open(file).ok()) {
            let _ = write!(file, "\nAnother panic: {what}\n{}\n", Backtrace::force_capture());
        }
        return;
    }
    let text = text(&what, &Backtrace::force_capture().to_string());
    let written = folders().into_iter().find_map(|folder| write_into(&folder, &text));
    let line = what.lines().next().unwrap_or_default();
    let sentence = match &written {
        Some(file) => format!(
            "nearwater: a fault of the program ended it ({line}); please send the report {} to its developers",
            file.display()
        ),
        None => format!(
            "nearwater: a fault of the program ended it ({line}); no report of it could be written into a file, so it \
             follows here\n{text}"
        ),
    };
    if let Ok(mut report) = REPORT.try_lock() {
        *report = written;
    }
    let _ = writeln!(io::stderr(), "{sentence}");
}

/// What the panic said, in which thread, and where.
fn place_of(panic: &PanicHookInfo<'_>) -> String {
    let said = panic.payload_as_str().unwrap_or("without a message");
    let thread = std::thread::current();
    let place = panic.location().map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
    // The place first, because messages may have several lines.
    format!("at {place} in the thread {}: {said}", thread.name().unwrap_or("without a name"))
}

/// The whole report.
fn text(what: &str, backtrace: &str) -> String {
    let mut text = format!("Nearwater {} ended because of a fault of its own.\n\n", env!("CARGO_PKG_VERSION"));
    let mut add = |name: &str, value: &str| {
        let _ = writeln!(text, "{name}: {value}");
    };
    add("panic", what);
    let arguments: Vec<_> = std::env::args_os().map(|argument: OsString| format!("{}", argument.display())).collect();
    add("command line", &arguments.join(" "));
    add("system", &format!("{} on {}", std::env::consts::OS, std::env::consts::ARCH));
    add("built with the app", if cfg!(feature = "app") { "yes" } else { "no" });
    // The lock is held by the panicking thread only if formatting a note has panicked.
    let facts = FACTS.try_lock().map(|facts| facts.clone()).unwrap_or_default();
    for (name, value) in [("adapter", facts.adapter), ("scene", facts.scene), ("settings", facts.settings)] {
        add(name, if value.is_empty() { "not known yet" } else { &value });
    }
    let _ = writeln!(text, "\nbacktrace:\n{backtrace}");
    text
}

/// Where reports are written: the first folder that can be written to.
fn folders() -> [PathBuf; 2] {
    [std::env::temp_dir(), std::env::current_dir().unwrap_or_default()]
}

/// Writes the report into a new file of a folder.
fn write_into(folder: &Path, text: &str) -> Option<PathBuf> {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let file = folder.join(format!("nearwater-panic-{seconds}-{}.txt", std::process::id()));
    let mut writer = OpenOptions::new().write(true).create_new(true).open(&file).ok()?;
    let written = writer.write_all(text.as_bytes()).and_then(|()| writer.sync_all());
    if written.is_err() {
        // A file with half a report would hide that there is none.
        let _ = std::fs::remove_file(&file);
        return None;
    }
    Some(file)
}

/// The variable of the environment that makes a debug build panic on purpose, for tests.
#[cfg(debug_assertions)]
const VARIABLE: &str = "NEARWATER_PANIC";

/// Panics if this is a debug build and the variable `NEARWATER_PANIC` of the environment names this place. Release
/// builds contain nothing of it.
#[track_caller]
pub fn panic_on_purpose(place: &str) {
    #[cfg(debug_assertions)]
    assert!(std::env::var_os(VARIABLE).is_none_or(|wanted| wanted != place), "a panic on purpose: {place}");
    #[cfg(not(debug_assertions))]
    let _ = place;
}
