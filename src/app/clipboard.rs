//! Puts texts that a button copied into the clipboard of the desktop, by the program that each desktop has for it.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

use bevy::prelude::*;
use bevy_egui::{EguiOutput, egui};

use super::Controls;

/// The programs that write their input into the clipboard, each with its arguments, in the order in which they are
/// tried.
const PROGRAMS: &[&[&str]] = if cfg!(target_os = "macos") {
    &[&["pbcopy"]]
} else if cfg!(windows) {
    &[&["clip"]]
} else {
    &[&["wl-copy"], &["xclip", "-selection", "clipboard"], &["xsel", "--clipboard", "--input"]]
};

/// Why texts could not be copied, from the threads that tried.
#[derive(Resource)]
pub(super) struct CopyFailures {
    sender: Sender<String>,
    receiver: Mutex<Receiver<String>>,
}

impl Default for CopyFailures {
    fn default() -> Self {
        let (sender, receiver) = channel();
        Self { sender, receiver: Mutex::new(receiver) }
    }
}

/// Copies what the frame's buttons asked for. The programs run on a thread of their own, so that the window never
/// waits.
pub(super) fn copy_texts(outputs: Query<&EguiOutput>, failures: Res<CopyFailures>, mut controls: ResMut<Controls>) {
    let commands = outputs.iter().flat_map(|output| &output.platform_output.commands);
    for command in commands {
        if let egui::OutputCommand::CopyText(text) = command {
            let (text, sender) = (text.clone(), failures.sender.clone());
            let copy = move || {
                if let Err(sentence) = copied_by(PROGRAMS, &text) {
                    // The app may have ended.
                    let _ = sender.send(sentence);
                }
            };
            // Without a thread nothing is copied; the next click tries again.
            let _ = std::thread::Builder::new().name("clipboard".into()).spawn(copy);
        }
    }
    let failure = failures.receiver.lock().ok().and_then(|receiver| receiver.try_recv().ok());
    if let Some(sentence) = failure {
        controls.note = None;
        controls.load_error = Some(sentence);
    }
}

/// Gives a text to the first of the programs that takes it.
fn copied_by(programs: &[&[&str]], text: &str) -> Result<(), String> {
    let names: Vec<_> = programs.iter().filter_map(|program| program.first().copied()).collect();
    if programs.iter().any(|program| takes(program, text)) {
        return Ok(());
    }
    Err(format!(
        "nothing was copied, because none of the programs {} works here; the text is:\n{text}",
        names.join(", ")
    ))
}

fn takes(program: &[&str], text: &str) -> bool {
    let [name, arguments @ ..] = program else { return false };
    let child =
        Command::new(name).args(arguments).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let Ok(mut child) = child else { return false };
    // The pipe is closed when it is dropped, which ends the input.
    let written = child.stdin.take().is_some_and(|mut input| input.write_all(text.as_bytes()).is_ok());
    child.wait().is_ok_and(|status| status.success()) && written
}

#[cfg(all(test, unix))]
mod tests {
    use super::copied_by;

    #[test]
    fn the_first_program_that_works_gets_the_text_and_a_failure_shows_it() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("copied");
        let write = format!("cat > '{}'", file.display());
        copied_by(&[&["no-such-program"], &["false"], &["sh", "-c", &write]], "a 'text'").expect("sh is there");
        assert_eq!(std::fs::read_to_string(&file).expect("the program ran"), "a 'text'");
        let sentence = copied_by(&[&["no-such-program"], &["false"]], "a text").expect_err("none works");
        assert!(sentence.contains("no-such-program, false") && sentence.ends_with("a text"), "{sentence}");
    }
}
