//! The pictures that a format's writer receives, one after the other, on the recorder's thread.

use std::sync::mpsc::Receiver;

use image::RgbaImage;

/// What is sent to the recorder's thread.
pub(super) enum Message {
    /// The next picture, shown this many times in a row.
    Picture(RgbaImage, u64),
    /// There are no further pictures: the file is completed.
    End,
}

/// The pictures of a video in their order. Reading it fails when the recording was abandoned.
pub(super) struct Frames {
    receiver: Receiver<Message>,
    current: Option<(RgbaImage, u64)>,
}

impl Frames {
    pub(super) fn new(receiver: Receiver<Message>) -> Self {
        Self { receiver, current: None }
    }

    /// The next picture, or `None` after the last one.
    pub(super) fn next(&mut self) -> Result<Option<&RgbaImage>, String> {
        let is_shown = self.current.as_ref().is_none_or(|(_, times)| *times == 0);
        if is_shown {
            match self.receiver.recv() {
                Ok(Message::Picture(picture, times)) => self.current = Some((picture, times)),
                Ok(Message::End) => return Ok(None),
                Err(_) => return Err("the recording was abandoned".to_owned()),
            }
        }
        let Some((picture, times)) = &mut self.current else { return Ok(None) };
        *times -= 1;
        Ok(Some(picture))
    }
}
