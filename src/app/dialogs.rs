//! File dialogs of the desktop. A dialog waits for the user on a thread of its own, so that the window never hangs.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant};

use bevy::platform::cell::SyncCell;
use bevy::prelude::*;
use rfd::FileDialog;

use super::{Controls, WaterReport};

/// A dialog that ends sooner than this without a file was never shown: nobody cancels so quickly.
const UNSEEN: Duration = Duration::from_millis(300);

/// What a dialog asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DialogWish {
    /// A scene or a state to open.
    Open,
    /// The file to which the running scene is saved.
    SaveScene,
    /// The file to which states are saved and from which they are loaded.
    StateFile,
}

/// How a dialog ended.
struct Answer {
    file: Option<PathBuf>,
    was_seen: bool,
}

/// The dialog that is open, if any.
#[derive(Resource, Default)]
pub(super) struct OpenDialog(Option<(DialogWish, SyncCell<Receiver<Answer>>)>);

impl DialogWish {
    /// Shows the dialog, and waits until the user has closed it.
    fn ask(self) -> Answer {
        let began = Instant::now();
        let dialog = FileDialog::new();
        let file = match self {
            Self::Open => dialog
                .set_title("Open a scene or a state")
                .add_filter("Scenes and states", &["ron", "state"])
                .add_filter("All files", &["*"])
                .pick_file(),
            Self::SaveScene => dialog
                .set_title("Save as scene")
                .add_filter("Scenes", &["ron"])
                .set_file_name(super::scene_files::SCENE_FILE)
                .save_file(),
            Self::StateFile => dialog
                .set_title("File of the state")
                .add_filter("States", &["state"])
                .set_file_name(super::states::STATE_FILE)
                .save_file(),
        };
        Answer { was_seen: file.is_some() || began.elapsed() >= UNSEEN, file }
    }
}

/// Opens the dialog that the user asked for, and does with its file what it was for.
pub(super) fn follow_dialogs(mut open: ResMut<OpenDialog>, mut controls: ResMut<Controls>, report: Res<WaterReport>) {
    if controls.wanted_dialog.is_some() && open.0.is_none() {
        let wish = controls.wanted_dialog.take();
        open.0 = wish.map(|wish| (wish, begin(wish)));
        return;
    }
    let Some((wish, answer)) = &mut open.0 else { return };
    let wish = *wish;
    match answer.get().try_recv() {
        Err(TryRecvError::Empty) => {}
        Ok(answer) => {
            open.0 = None;
            controls.take_answer(wish, answer, &report);
        }
        Err(TryRecvError::Disconnected) => {
            open.0 = None;
            controls.take_answer(wish, Answer { file: None, was_seen: false }, &report);
        }
    }
}

fn begin(wish: DialogWish) -> SyncCell<Receiver<Answer>> {
    let (sender, receiver) = channel();
    let ask = move || {
        // The window may have been closed while the dialog was open.
        let _ = sender.send(wish.ask());
    };
    // Without a thread the sender is dropped, which is reported like a dialog that cannot be opened.
    let _ = std::thread::Builder::new().name("file dialog".into()).spawn(ask);
    SyncCell::new(receiver)
}

impl Controls {
    fn take_answer(&mut self, wish: DialogWish, answer: Answer, report: &WaterReport) {
        let Some(file) = answer.file else {
            if !answer.was_seen {
                self.load_error = Some(no_dialog(wish));
            }
            return;
        };
        match wish {
            DialogWish::Open => self.open_file(&file),
            DialogWish::SaveScene => {
                self.panel.scene_path = file.to_string_lossy().into_owned();
                self.save_scene(&report.lock());
            }
            DialogWish::StateFile => self.state_file = file.to_string_lossy().into_owned(),
        }
    }
}

/// What is said where no dialog can be opened, such as on a desktop without the portal for files.
fn no_dialog(wish: DialogWish) -> String {
    let way = match wish {
        DialogWish::Open => "drop the file onto the window, or name it on the command line",
        DialogWish::SaveScene | DialogWish::StateFile => "type the path into the field",
    };
    format!("this desktop opens no file dialog (xdg-desktop-portal is missing); {way}")
}
