//! The files of the app: settings, scripts and lessons.

use std::fs;
use std::path::{Path, PathBuf};

use nearwater::app::{Lesson, Script, UserSettings};

use super::attack::{Attack, file_of, inputs};
use super::changes::mutated;

/// A script with most commands.
const SCRIPT: &str = "# a comment
wait 3
water 0.5
key shift+f1
type some text
hover 100 200
click right 10 20
click \"Reset\"
drag left 10 20 300 400
scroll -2.5
shot first.png
size 800x600
scale 125
scene drop
search claws
set pbf.substeps 4
particles 500
seed 7
pause on
view inspector
pick 12
pick-cell 1 2 3
compare green hoetzlein
camera 1 1 6 0 0 0
solver dfsph
kernel cubic_spline
radius 0.2
color speed
style smooth
cell-edges on
slow off
reset
tool pull
reach 20
strength 1.5
gravity 0 -9.81 0
wall left 0.1
block 0.1 0.1 0.1 0.2 0.2 0.2
remove-body 0
preset slosh
undo
attract off
";

#[test]
fn changed_settings_are_read_or_refused() {
    let file = file_of("mutated-original-settings.ron", b"");
    let settings = UserSettings {
        recent: vec!["a.ron".to_owned(), "a \"quoted\" one.state".to_owned()],
        sections: [("Water".to_owned(), true), ("Film".to_owned(), false)].into(),
        full_screen: true,
        ..UserSettings::default()
    };
    settings.write(&file).expect("it can be written");
    let original = fs::read(&file).expect("it was written");
    // Unknown fields are skipped, and names in texts may be any.
    Attack { name: "settings", original: &original, inputs: inputs(), change: &mutated, refused_of: 5 }.run(|bytes| {
        let file = file_of("mutated-settings.ron", bytes);
        UserSettings::read(&file).map(drop).map_err(|error| format!("{error:?}"))
    });
}

#[test]
fn changed_scripts_are_read_or_refused() {
    let pictures = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mutated-pictures");
    fs::create_dir_all(&pictures).expect("a folder can be made");
    let attack = Attack {
        name: "a script",
        original: SCRIPT.as_bytes(),
        inputs: inputs(),
        change: &mutated,
        // Most numbers may have any value, and comments any text.
        refused_of: 5,
    };
    attack.run(|bytes| {
        let text = String::from_utf8_lossy(bytes);
        Script::parse("mutated.script", &text, &pictures).map(drop).map_err(|error| error.to_string())
    });
}

#[test]
fn changed_lessons_are_read_or_refused() {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/lessons/01_neighbors");
    for changed in ["lesson.ron", "en.md"] {
        let folder: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("mutated-lesson-{changed}"));
        fs::create_dir_all(&folder).expect("a folder can be made");
        for file in ["lesson.ron", "en.md"] {
            fs::copy(from.join(file), folder.join(file)).expect("it ships with the program");
        }
        let original = fs::read(from.join(changed)).expect("it ships with the program");
        let name = folder.to_string_lossy().into_owned();
        // Most of a lesson is prose.
        let refused_of = if changed == "en.md" { 20 } else { 5 };
        Attack { name: changed, original: &original, inputs: inputs(), change: &mutated, refused_of }.run(|bytes| {
            fs::write(folder.join(changed), bytes).expect("it can be written");
            Lesson::load(&name).map(drop).map_err(|errors| {
                assert!(errors.iter().all(|error| !error.to_string().is_empty()), "a refusal without a sentence");
                errors.first().map(ToString::to_string).unwrap_or_default()
            })
        });
    }
}
