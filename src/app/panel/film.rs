//! The section of the panel for videos and pictures: what they show, their size, format, rate and pace.

use bevy_egui::egui::{ComboBox, Ui};

use super::buttons::two_buttons;
use super::filter;
use super::row::{About, Choice, Row};
use crate::app::film::{PACES, RATES, SIZES};
use crate::app::theme::remark;
use crate::app::{Action, Controls, FilmChoice, FilmContent, FilmFormat, Report};
use crate::video::VideoEncoder;

/// Draws the controls of recording.
pub(super) fn film_controls(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    let recording = controls.film.recording;
    let choice = &mut controls.film.choice;
    ui.add_enabled_ui(!recording, |ui| {
        content_rows(ui, choice);
        format_rows(ui, choice);
    });
    if !filter::shows(ui, &["record video picture screenshot"]) {
        return;
    }
    let words = if recording { "Stop" } else { "Record" };
    let record = (Action::ToggleRecording, words, "records a video into the current folder until it is stopped");
    let picture = (Action::TakePicture, "Picture", "writes a picture (PNG) into the current folder");
    two_buttons(ui, controls, report, [record, picture]);
    if recording {
        remark(ui, "the water advances by the time between two pictures of the video, however long that takes");
    }
}

/// Draws what videos and pictures show, and the size of those of the water alone.
fn content_rows(ui: &mut Ui, choice: &mut FilmChoice) {
    let usual = FilmChoice::default();
    let about = About { hover: "what videos and pictures show", ..About::default() };
    let (default, differs) = ("Window".to_owned(), choice.content != usual.content);
    let row = Row { title: "Shows", about, default, differs, key: None };
    let contents = [
        (FilmContent::Window, "Window", "the window as it is, with the panel unless it is hidden"),
        (FilmContent::Water, "Water alone", "the water without panels, in any size"),
    ];
    let contents = contents.map(|(value, label, hover)| Choice { value, label, hover });
    if let Some(change) = row.choices(ui, choice.content, contents) {
        choice.content = change.or(usual.content);
    }
    if choice.content == FilmContent::Water {
        let sizes = [None].into_iter().chain(SIZES.map(Some));
        let words = |size: Option<[u32; 2]>| {
            size.map_or_else(|| "as the window".to_owned(), |[width, height]| format!("{width} x {height}"))
        };
        let about = About { hover: "size of videos and pictures", unit: "pixels", ..About::default() };
        choose(ui, ("Picture size", about), (&mut choice.size, usual.size), sizes, words);
    }
}

/// Draws format, encoder, rate and pace of videos.
fn format_rows(ui: &mut Ui, choice: &mut FilmChoice) {
    let usual = FilmChoice::default();
    let about = About { hover: "format of videos", option: "simulate --video FILE", ..About::default() };
    let (default, differs) = ("MP4".to_owned(), choice.format != usual.format);
    let row = Row { title: "Video", about, default, differs, key: None };
    let formats = [
        (FilmFormat::Mp4, "MP4", "H.264, which every player shows"),
        (FilmFormat::Gif, "GIF", "an animated picture with few colors, which repeats"),
        (FilmFormat::Pngs, "PNGs", "a folder with a picture without losses for each moment"),
    ];
    let formats = formats.map(|(value, label, hover)| Choice { value, label, hover });
    if let Some(change) = row.choices(ui, choice.format, formats) {
        choice.format = change.or(usual.format);
    }
    if choice.format == FilmFormat::Mp4 {
        let about = About { hover: "which encoder makes the MP4 file", option: "--encoder", ..About::default() };
        let (default, differs) = (usual.encoder.name().to_owned(), choice.encoder != usual.encoder);
        let row = Row { title: "Encoder", about, default, differs, key: None };
        let encoders = VideoEncoder::ALL.map(|value| Choice {
            value,
            label: value.name(),
            hover: match value {
                VideoEncoder::BuiltIn => "OpenH264, a part of the program",
                VideoEncoder::Ffmpeg => "your own ffmpeg with libx264: smaller files, and pictures beyond 3840 x 2160",
            },
        });
        if let Some(change) = row.choices(ui, choice.encoder, encoders) {
            choice.encoder = change.or(usual.encoder);
        }
    }
    let rates = [None].into_iter().chain(RATES.map(Some));
    let words = |rate: Option<u32>| rate.map_or_else(|| "usual".to_owned(), |rate| rate.to_string());
    let hover = "pictures per second of the video; usual are 60, and 25 for a GIF";
    let about = About { hover, unit: "1/s", option: "--fps", ..About::default() };
    choose(ui, ("Frame rate", about), (&mut choice.rate, usual.rate), rates, words);
    let hover = "simulated time in percent of the video's: 100 is real time, less is slow motion";
    let about = About { hover, unit: "%", option: "--pace", ..About::default() };
    choose(ui, ("Video pace", about), (&mut choice.pace_percent, usual.pace_percent), PACES, |pace| {
        format!("{pace} %")
    });
}

/// Draws a row with a list of values.
fn choose<T: Copy + PartialEq>(
    ui: &mut Ui,
    (title, about): (&str, About<'_>),
    (value, usual): (&mut T, T),
    values: impl IntoIterator<Item = T>,
    words: impl Fn(T) -> String,
) {
    let row = Row { title, about, default: words(usual), differs: *value != usual, key: None };
    let change = row.show(ui, |ui, _| {
        let mut chosen = *value;
        ComboBox::from_id_salt(title).selected_text(words(chosen)).width(110.0).show_ui(ui, |ui| {
            for value in values {
                ui.selectable_value(&mut chosen, value, words(value));
            }
        });
        (chosen != *value).then_some(chosen)
    });
    if let Some(change) = change {
        *value = change.or(usual);
    }
}
