//! What `docs/ADDING_A_PROBE.md` and `docs/ADDING_A_COLOR_FIELD.md` promise: a probe is one file and one line, and a
//! color field is one entry. Both are added here from files of this test; `tests/render.rs` draws the field.

#[path = "../common/mod.rs"]
mod common;
mod fastest_particle;
mod rise;
#[path = "../sources/mod.rs"]
mod sources;

use common::gpu;
use fastest_particle::KIND;
use glam::Vec3;
use nearwater::fluid::probes::{PROBES, Probe, ProbeKind, probe_list, probe_page};
use nearwater::fluid::{Scene, SceneEdits, Settings, Simulation, Size, SmoothingKernel};
use nearwater::legend::{Legend, LegendWords};
use nearwater::render::color_fields::COLOR_FIELDS;
use nearwater::render::{ColorField, ColorFieldInfo};
use nearwater::search::{SEARCHES, SearchInfo, SearchOptions};
use rise::RISE;

fn kinds() -> Vec<&'static ProbeKind> {
    PROBES.iter().copied().chain([&KIND]).collect()
}

fn dam(probe: &str) -> Scene {
    let mut scene = Scene::load("dam_break").expect("it is embedded");
    scene.probes = vec![Probe::parse_of(probe, &kinds()).expect("a probe")];
    scene
}

fn simulation(scene: &Scene, search: &'static SearchInfo) -> Result<Simulation, String> {
    let settings = Settings {
        search,
        options: SearchOptions::default(),
        kernel: SmoothingKernel::default(),
        size: Size::Count(400),
        seed: 7,
        edits: SceneEdits::default(),
    };
    Simulation::new(&gpu(), scene, &settings).map_err(|error| error.to_string())
}

#[test]
fn an_added_probe_is_read_on_every_search() {
    let scene = dam("FastestParticle(name: \"fast\", above: 1.0)");
    assert_eq!(scene.probe_columns()[0].head(), "fast_m_per_s");
    for search in SEARCHES {
        let mut simulation = simulation(&scene, search).expect("a simulation");
        gpu().submit(|encoder| (0..5).for_each(|_| simulation.record_step(encoder, None)));
        let frame = simulation.observe().expect("a frame");
        let above =
            frame.positions.iter().zip(&frame.velocities).filter(|(position, _)| position[1] >= scene.low.y + 1.0);
        let expected = above.map(|(_, velocity)| Vec3::from(*velocity).length()).reduce(f32::max).expect("particles");
        let [Some(found)] = simulation.readings(&frame).expect("a reading")[..] else {
            panic!("{}: no reading", search.name)
        };
        assert!(expected > 0.0 && (found / f64::from(expected) - 1.0).abs() < 1e-6, "{}: {found}", search.name);
    }
}

#[test]
fn an_added_probe_is_refused_where_it_makes_no_sense_and_listed_with_the_others() {
    let error = simulation(&dam("FastestParticle(name: \"fast\", above: 99.0)"), SEARCHES[0]).err();
    assert!(error.as_deref().is_some_and(|error| error.contains("probes[0]: must be above a height")), "{error:?}");
    let unknown = Probe::parse("FastestParticle(name: \"fast\")").expect_err("it is not registered").to_string();
    assert!(unknown.contains("FastestParticle") && unknown.contains("WaterHeight"), "{unknown}");
    assert!(probe_list(&kinds()).ends_with("FastestParticle (m/s)"), "{}", probe_list(&kinds()));
    let page = probe_page(&kinds());
    assert!(page.contains("`FastestParticle(name: \"...\", above: 0.5)`") && page.contains(KIND.definition), "{page}");
    assert!(page.contains("- `above`: height over the box's floor from which on particles count, in m; 0 by default"));
}

#[cfg(feature = "app")]
#[test]
fn an_added_probe_is_plotted() {
    use nearwater::app::ProbeHistory;
    let scene = dam("FastestParticle(name: \"fast\")");
    let mut history = ProbeHistory::of(&scene);
    history.push(0.5, &[Some(3.0)]);
    let columns: Vec<_> = history.columns().collect();
    assert!(history.is_of(&scene) && columns.len() == 1);
    assert_eq!((columns[0].0.name.as_str(), columns[0].0.unit, columns[0].1), ("fast", "m/s", [3.0].as_slice()));
}

#[test]
fn an_added_color_field_has_a_name_and_a_legend() {
    let fields: Vec<_> = COLOR_FIELDS.iter().copied().chain([&RISE]).collect();
    assert_eq!(ColorFieldInfo::by_argument(&fields, "rise-of-particles"), Ok(ColorField::new(&RISE)));
    assert!(ColorFieldInfo::arguments(&fields).ends_with(", rise-of-particles"));
    let simulation = simulation(&dam("Energy"), SEARCHES[0]).expect("a simulation");
    let legend = Legend::of(ColorField::new(&RISE), simulation.scene(), simulation.resolution(), false);
    assert_eq!(legend.name, "rise of particles");
    assert!(
        matches!(&legend.words, LegendWords::Range(low, high) if low == "0" && high.ends_with(" m/s")),
        "{legend:?}"
    );
}

/// `WaterHeight` as `water_height`.
fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}

/// Whether code has a word, not as a part of a longer one.
fn has_word(code: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word)
        .any(|(at, _)| !code[..at].ends_with(is_part) && !code[at + word.len()..].starts_with(is_part))
}

#[test]
fn nothing_but_its_own_file_and_the_registry_names_a_probe() {
    let sources = sources::sources(&["src", "shaders"]);
    for kind in PROBES {
        let file = snake_case(kind.name);
        let own = format!("src/fluid/probes/{file}.rs");
        assert!(sources.iter().any(|source| source.path == own), "{own} is missing");
        let names = |code: &str| {
            let module = code.contains(&format!("mod {file};")) || code.contains(&format!("{file}::KIND"));
            // A text may begin with the word, and another kind's name with this one.
            let quoted = format!("\"{}", kind.name);
            let is_quoted =
                code.match_indices(&quoted).any(|(at, start)| code[at + start.len()..].starts_with(['"', '(']));
            module || is_quoted || code.contains(&format!("Probe::{}", kind.name))
        };
        // Cases of validation and properties of pair kernels read probes, as scenes do.
        let may = |path: &str| {
            path == own
                || path == "src/fluid/probes/mod.rs"
                || path == "src/fluid/probes/tests.rs"
                // Color fields have some of the same names.
                || path == "src/render/color_fields.rs"
                || path.starts_with("src/validation/")
                || path == "src/verification/kernels/loads.rs"
                // Each probe that another program can compute has its own translation.
                || path == "src/lammps/probes.rs"
        };
        let foreign: Vec<_> = sources
            .iter()
            .filter(|source| names(&source.code) && !may(&source.path))
            .map(|source| &source.path)
            .collect();
        assert!(foreign.is_empty(), "{} is named in {foreign:?}", kind.name);
    }
}

#[test]
fn no_shader_and_no_second_table_names_a_color_field() {
    for source in sources::sources(&["src", "shaders"]) {
        // The numbers of fields are in the module that is written from the table.
        let is_writer = source.path == "src/render/color_field_shader.rs";
        assert!(is_writer || !has_word(&source.code, "frame.field"), "{} compares numbers of fields", source.path);
        for field in COLOR_FIELDS.iter().filter(|field| field.label.contains(' ')) {
            let is_table = source.path == "src/render/color_fields.rs";
            let argument = field.argument();
            let names = [field.label, &argument].map(|name| source.code.contains(&format!("\"{name}\"")));
            assert!(is_table || names == [false; 2], "{} names the field {}", source.path, field.label);
        }
    }
}
