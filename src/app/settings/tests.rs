//! Tests of the file of settings: what is read back, and what happens to files that cannot be used.

use std::fs;

use super::*;
use crate::render::color_fields::BORDER_OR_INNER;

fn place() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("made/on/the/way/settings.ron");
    (folder, file)
}

#[test]
fn settings_are_read_back_as_they_were_written() {
    let (_folder, file) = place();
    assert_eq!(UserSettings::read(&file), Ok(None));
    let mine = UserSettings {
        ui_scale: 150,
        panel_open: false,
        style: DrawStyle::Smooth,
        field: ColorField::new(&BORDER_OR_INNER),
        lab_view: "race".into(),
        state_file: "mine.state".into(),
        window: Some(WindowPlace { position: Some([-40, 25]), size: [1_000, 640] }),
        full_screen: true,
        recent: vec!["a b/\"c\".ron".to_owned()],
        sections: [("display".to_owned(), false)].into(),
        ..UserSettings::default()
    };
    mine.write(&file).expect("the folder is created");
    assert_eq!(UserSettings::read(&file), Ok(Some(mine)));
    fs::write(&file, "(ui_scale: 200, a_later_setting: Some([1, 2]))").expect("the file is there");
    let read = UserSettings::read(&file).expect("unknown fields are skipped");
    assert_eq!(read, Some(UserSettings { ui_scale: 200, ..UserSettings::default() }));
}

#[test]
fn broken_files_are_set_aside_with_their_content_and_never_overwritten() {
    let (_folder, file) = place();
    let whole = ron::to_string(&UserSettings::default()).expect("text");
    let broken: [(&[u8], &str, &str); 8] = [
        (b"", "empty", "settings.ron.broken"),
        (b"(ui_scale: 200", "settings.ron", "settings.ron.broken-2"),
        (&whole.as_bytes()[..whole.len() / 2], "settings.ron", "settings.ron.broken-3"),
        (b"\x00\xff\xfe\x80binary", "not a text file", "settings.ron.broken-4"),
        (b"(ui_scale: 300)", "ui_scale is 300", "settings.ron.broken-5"),
        (b"(window: Some((position: None, size: (3, 2))))", "3 x 2", "settings.ron.broken-6"),
        (b"complete nonsense", "settings.ron", "settings.ron.broken-7"),
        (b"(version: 9, ui_scale: \"a word\")", "version 9", "settings.ron.version-9"),
    ];
    fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    for (content, part, aside) in broken {
        fs::write(&file, content).expect("the folder is writable");
        let found = FoundSettings::read(Some(file.clone()));
        let sentence = found.error.expect("the file is broken");
        assert!(sentence.contains(part) && sentence.contains(aside), "{sentence}");
        assert!(found.settings.is_none() && found.file.is_some(), "settings can be saved after {sentence}");
        assert!(!file.exists(), "the broken file is where the next settings are written");
        assert_eq!(fs::read(file.with_file_name(aside)).expect(aside), content, "{aside}");
    }
    UserSettings::default().write(&file).expect("a new file");
    assert_eq!(fs::read(file.with_file_name("settings.ron.broken")).expect("the first"), b"");
}

#[test]
fn a_file_that_cannot_be_read_stays_and_nothing_is_saved() {
    let (folder, _) = place();
    // A folder of that name cannot be read as a file, whatever rights the test has.
    let found = FoundSettings::read(Some(folder.path().to_owned()));
    let sentence = found.error.expect("a folder is no file");
    assert!(sentence.contains("not saved") && found.file.is_none(), "{sentence}");
    assert!(folder.path().is_dir());
}

#[test]
fn a_broken_file_that_cannot_be_renamed_stays_and_nothing_is_saved() {
    let (_folder, file) = place();
    fs::create_dir_all(&file).expect("a folder");
    // Renaming a folder into itself fails like a folder without the right to write, also for the superuser.
    let unusable = UnusableSettings { reason: "it is broken".to_owned(), suffix: Some("/inside".to_owned()) };
    let (sentence, may_save) = unusable.set_aside(&file);
    assert!(!may_save && sentence.contains("could not be renamed") && file.exists(), "{sentence}");
}

#[test]
fn a_folder_in_which_nothing_can_be_written_is_reported_in_a_sentence() {
    let (folder, _) = place();
    let blocked = folder.path().join("file");
    fs::write(&blocked, "no folder").expect("a file");
    let sentence = UserSettings::default().write(&blocked.join("settings.ron")).expect_err("a file is no folder");
    assert!(sentence.contains("could not be saved"), "{sentence}");
}
