//! Tests of the panel's section of scenes: the menu with stills, saving, recent files, and the copied command line.

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use nearwater::app::{Action, Report, SceneEntry, UserSettings};
use nearwater::fluid::{Scene, Size, Solver};
use nearwater::search::SEARCHES;

use super::fixture::{PanelApp, click, shows, window};

/// Width and height of a still, pixels.
const STILL: (u32, u32) = (160, 100);
/// Bytes that all stills together may have.
const MOST_BYTES: usize = 800_000;

fn harness() -> Harness<'static, PanelApp> {
    let mut app = PanelApp::new(SEARCHES[0].name, 4_096, Report::default());
    app.accept(None);
    window(app, [1280.0, 1600.0])
}

#[test]
fn every_scene_has_a_still_of_the_right_size_and_all_are_small() {
    let entries = SceneEntry::all();
    assert_eq!(entries.len(), Scene::names().len());
    let mut bytes = 0;
    for entry in entries {
        let still = entry.still().unwrap_or_else(|| {
            panic!("{} has no still; run nearwater thumbnails assets/thumbnails --only {}", entry.name, entry.name)
        });
        let picture =
            image::load_from_memory(still).unwrap_or_else(|error| panic!("{}: {error}", entry.name)).to_rgb8();
        assert_eq!(picture.dimensions(), STILL, "{}", entry.name);
        let mut colors: Vec<_> = picture.pixels().map(|pixel| pixel.0).collect();
        colors.sort_unstable();
        colors.dedup();
        assert!(colors.len() > 300, "{} has only {} colors, as if nothing had been drawn", entry.name, colors.len());
        assert!(!entry.title.is_empty() && !entry.description.is_empty());
        bytes += still.len();
    }
    assert!(bytes < MOST_BYTES, "all stills have {bytes} bytes");
}

#[test]
fn the_menu_lists_every_scene_and_opens_the_one_that_is_clicked() {
    for entry in SceneEntry::all().iter().filter(|entry| ["bayraktar_cloth", "beach"].contains(&entry.name)) {
        let mut harness = harness();
        let running = harness.state().controls.scene.title.clone();
        harness.get_all_by_value(&running).next().expect("the menu").click();
        harness.run();
        for other in SceneEntry::all() {
            assert!(harness.query_all_by_label(&other.title).next().is_some(), "{} is not in the menu", other.name);
        }
        click(&mut harness, &entry.title);
        assert_eq!(harness.state().controls.scene.name, entry.name);
    }
}

#[test]
fn a_saved_scene_loads_with_its_edits_and_becomes_recent() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("edited.ron");
    let mut harness = harness();
    let controls = &mut harness.state_mut().controls;
    let solver = Solver::named("pbf").expect("a solver");
    let mut material = controls.scene.material.clone();
    material.viscosity = 0.3;
    let setting = solver.settings[0];
    controls.change(|settings| {
        settings.edits.solver = Some(solver);
        settings.edits.material = Some(material);
        settings.edits.solver_settings.set(setting, setting.most);
        settings.size = Size::Count(12_345);
    });
    controls.panel.scene_path = file.to_string_lossy().into_owned();
    click(&mut harness, "Save as scene");
    assert!(shows(&harness, "the scene was saved to"));
    let controls = &mut harness.state_mut().controls;
    let expected = controls.settings.edits.applied_to(&controls.scene);
    let saved = Scene::load(&controls.panel.scene_path).expect("a scene");
    assert_eq!(saved.name, "edited");
    assert_eq!(saved, Scene { name: saved.name.clone(), particles: Some(12_345), ..expected });
    let text = std::fs::read_to_string(&file).expect("a file");
    assert!(text.contains("// Copy this file, change what you like"), "the comments of the scene are lost");
    assert_eq!(UserSettings::of(controls).recent, [file.to_string_lossy()]);

    click(&mut harness, "Recent files");
    click(&mut harness, "edited.ron");
    let controls = &mut harness.state_mut().controls;
    assert_eq!((controls.scene.name.as_str(), controls.settings.edits.solver), ("edited", None));
    // The file is named by its path in a command, and a scene that was opened from a file can be saved again.
    assert!(controls.command_line(nearwater::app::CommandKind::Window).expect("a file").contains("edited.ron"));
    click(&mut harness, "Save as scene");
    assert!(harness.state().controls.messages(&harness.state().report).is_empty());

    std::fs::remove_file(&file).expect("the file is there");
    click(&mut harness, "Recent files");
    click(&mut harness, "edited.ron");
    assert!(shows(&harness, "does not exist any more"));
    assert!(harness.state().controls.recent.is_empty());
}

#[test]
fn a_scene_is_not_saved_under_a_wrong_name_or_where_it_cannot_be() {
    let mut harness = harness();
    for (path, part) in
        [("scene.txt", "must end in .ron"), ("", "must end in .ron"), ("/no/such/folder/a.ron", "/no/such")]
    {
        harness.state_mut().controls.panel.scene_path = path.to_owned();
        click(&mut harness, "Save as scene");
        assert!(shows(&harness, part), "{path:?}: {:?}", harness.state().controls.load_error);
        click(&mut harness, "Dismiss");
    }
}

#[test]
fn the_command_line_is_copied_and_said_on_screen() {
    let mut harness = harness();
    let expected = harness.state().controls.command_line(nearwater::app::CommandKind::Window).expect("a command");
    harness.get_by_label("Copy as command line").click();
    harness.step();
    let copied = harness.output().platform_output.commands.iter().find_map(|command| match command {
        bevy_egui::egui::OutputCommand::CopyText(text) => Some(text.clone()),
        _ => None,
    });
    assert_eq!(copied.as_deref(), Some(expected.as_str()));
    harness.run();
    assert!(shows(&harness, "copied to the clipboard: nearwater dam_break"));
}

#[test]
fn presenting_leaves_a_caption_and_the_timings_until_escape() {
    let mut harness = harness();
    let report = Report::default();
    harness.state_mut().controls.act(Action::TogglePresenting, &report);
    harness.run();
    assert!(harness.query_by_label("Pause Space").is_none(), "the panel is shown");
    let app = harness.state();
    let (title, search) = (app.controls.scene.title.clone(), app.controls.settings.search.title);
    harness.get_by_label(&title);
    assert!(shows(&harness, &format!("particles, WCSPH, {search}")), "the caption does not say by which methods");
    harness.get_by_label("frames/s");
    harness.state_mut().controls.act(Action::Close, &report);
    harness.run();
    harness.get_by_label("Pause Space");
}
