//! The command line that the panel copies is read by the program's own definition of its arguments, and gives the same
//! controls.

use std::process::Command;

use clap::Parser as _;
use nearwater::app::{CommandKind, Controls, LookChoice};
use nearwater::fluid::{
    Density, MATERIAL_SETTINGS, SOLVERS, Scene, Settings, Size, SmoothingKernel, Solver, every_setting,
};
use nearwater::gpu::AdapterClass;
use nearwater::render::{ColorField, DrawStyle, SolidStyle, Theme};
use nearwater::search::{OptionKind, SEARCHES};

use super::*;

/// Random numbers by xorshift (Marsaglia 2003), the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end
    }

    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    fn between(&mut self, least: f32, most: f32) -> f32 {
        let most = most.min(1e6);
        (least + (most - least) * self.below(1_000_003) as f32 / 1_000_003.0).clamp(least, most)
    }

    fn coin(&mut self) -> bool {
        self.below(2) == 0
    }
}

/// Controls with random values for everything that a command line can express.
fn random_controls(random: &mut Random) -> Controls {
    let names = Scene::names();
    let scene = Scene::load(random.of(&names)).expect("an embedded scene");
    let mut material = scene.material.clone();
    for setting in &MATERIAL_SETTINGS {
        if random.coin() {
            *(setting.number)(&mut material) = random.between(0.0, 3.0);
        }
    }
    if random.coin() {
        material.density = Density::Continuity { diffusion: random.between(0.0, 1.0) };
    }
    let mut settings = Settings {
        search: random.of(SEARCHES),
        options: SearchOptions::default(),
        kernel: random.of(&SmoothingKernel::ALL),
        size: if random.coin() {
            Size::Radius(random.between(0.001, 1.0))
        } else {
            Size::Count(random.below(5_000_000) as u32)
        },
        seed: if random.coin() { Settings::DEFAULT_SEED } else { random.below(usize::MAX) as u64 },
        edits: SceneEdits {
            solver: random.coin().then(|| Solver::named(random.of(SOLVERS).name).expect("a solver")),
            material: (material != scene.material).then_some(material),
            solver_settings: SolverSettings::default(),
        },
    };
    for option in SEARCHES.iter().flat_map(|search| search.all_options()) {
        let usual = random.of(&option.usual_values());
        let value = match option.kind {
            OptionKind::Number { least, most, whole, .. } if random.coin() => {
                let number = random.between(least, most);
                if whole { number.round() } else { number }
            }
            _ => usual,
        };
        settings.options.set(option, value);
    }
    for setting in every_setting().filter(|_| random.coin()).collect::<Vec<_>>() {
        let value = random.between(setting.least, setting.most);
        settings.edits.solver_settings.set(setting, if setting.whole { value.round() } else { value });
    }
    if scene.points_spacing().is_some() {
        settings.size = Size::Count(scene.usual_count(AdapterClass::Discrete));
    }
    let mut controls = Controls::new(scene, settings, AdapterClass::Discrete);
    controls.style = random.of(&DrawStyle::ALL);
    controls.theme = random.of(&Theme::ALL);
    controls.solids = random.of(&SolidStyle::ALL);
    controls.field = random.of(&ColorField::all().collect::<Vec<_>>());
    controls.cell_edges = random.coin();
    controls
}

/// The words that a POSIX shell makes of a command.
fn words_of(command: &str) -> Vec<String> {
    let output = Command::new("sh").args(["-c", &format!("printf '%s\\0' {command}")]).output().expect("a shell");
    let text = String::from_utf8(output.stdout).expect("text");
    text.trim_end_matches('\0').split('\0').map(str::to_owned).collect()
}

#[test]
fn the_copied_command_line_gives_the_same_scene_settings_and_look() {
    let mut random = Random(20_261_123);
    for _ in 0..200 {
        let controls = random_controls(&mut random);
        let command = controls.command_line(CommandKind::Window).expect("an embedded scene");
        let arguments =
            Arguments::try_parse_from(words_of(&command)).unwrap_or_else(|error| panic!("{command}: {error}"));
        let scene = scene_named(arguments.scene.as_deref().expect("a scene")).expect("an embedded scene");
        assert_eq!(scene, *controls.scene, "{command}");
        let common = &arguments.common;
        let search = common.search().expect("a search");
        let settings =
            common.settings_of(&scene, search, AdapterClass::Discrete).unwrap_or_else(|error| panic!("{error}"));
        let options = controls.settings.options.own_of(controls.settings.search);
        assert_eq!(settings, Settings { options, ..controls.settings.clone() }, "{command}");
        let Looking { style, theme, solids, field, cell_edges } = arguments.look;
        let mut fresh = Controls::new(scene, settings, AdapterClass::Discrete);
        LookChoice { style, theme, solids, field, cell_edges }.apply(&mut fresh);
        assert_eq!(fresh.depiction(), controls.depiction(), "{command}");

        let command = controls.command_line(CommandKind::Simulate(0.25)).expect("an embedded scene");
        let arguments =
            Arguments::try_parse_from(words_of(&command)).unwrap_or_else(|error| panic!("{command}: {error}"));
        let Some(Verb::Simulate(simulate)) = &arguments.verb else { panic!("{command} does not simulate") };
        assert_eq!((simulate.scene.as_deref(), simulate.seconds), (Some(controls.scene.name.as_str()), 0.25));
        assert_eq!(simulate.depiction(), controls.depiction(), "{command}");
        let search = arguments.common.search().expect("a search");
        let settings = arguments.common.settings_of(&controls.scene, search, AdapterClass::Discrete);
        let options = controls.settings.options.own_of(controls.settings.search);
        assert_eq!(settings.expect("settings"), Settings { options, ..controls.settings.clone() }, "{command}");
    }
}

#[test]
fn a_scene_of_a_file_is_named_by_its_path_and_one_of_no_file_is_refused() {
    let mut controls = random_controls(&mut Random(7));
    let mut scene = (*controls.scene).clone();
    scene.name = "it's mine".to_owned();
    controls.scene = Arc::new(scene);
    controls.scene_file = Some("/a folder/it's mine.ron".to_owned());
    let command = controls.command_line(CommandKind::Window).expect("a file");
    assert_eq!(words_of(&command)[1], "/a folder/it's mine.ron", "{command}");
    controls.scene_file = None;
    let sentence = controls.command_line(CommandKind::Window).expect_err("no file");
    assert!(sentence.contains("it's mine") && sentence.contains("save it"), "{sentence}");
}
