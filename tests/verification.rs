//! The verification beyond fixed fixtures: random fixtures, the reduction of a failure, and mutants of the shaders, in
//! sizes for a software adapter.

mod common;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use nearwater::gpu::{Gpu, GpuError, ShaderLibrary};
use nearwater::search::fixtures::{FixtureSize, fixtures};
use nearwater::search::verify::{Case, SearchConfiguration, compare};
use nearwater::search::{SearchOptions, search_named};
use nearwater::verification::{
    Endless, EndlessTotals, Fate, KernelProperty, Measure, Mutant, MutantBench, TestDevice, Trial, VerificationError,
    kernel_mutants, kernel_properties, mutants, read_fixture, search_trials, test_devices,
};

const SEED: u64 = 20_261_123;

fn default_of(search: &str) -> SearchConfiguration {
    SearchConfiguration { search: search_named(search).expect("it is there"), options: SearchOptions::default() }
}

fn endless(searches: &[&str], folder: &tempfile::TempDir) -> Endless {
    Endless {
        configurations: searches.iter().map(|search| default_of(search)).collect(),
        seed: SEED,
        most_particles: 1_500,
        folder: folder.path().to_owned(),
    }
}

#[test]
fn searches_are_right_on_random_fixtures_with_and_without_checks_and_float_atomics() {
    let devices = test_devices(&common::gpu().capabilities.name, &ShaderLibrary::embedded()).expect("an adapter");
    let is_with = |words: &str| devices.iter().any(|device| device.name.contains(words));
    assert!(is_with("with checks") && is_with("without checks") && is_with("compare-exchange"));
    let device_count = devices.len() as u64;
    let folder = tempfile::tempdir().expect("a folder");
    // A search that gathers, and the one that deposits with most shaders.
    let endless = endless(&["hoetzlein", "claws"], &folder);
    let (mut names, mut totals) = (Vec::new(), EndlessTotals::default());
    for (number, device) in (0..2 * device_count).zip(devices.iter().cycle()) {
        let round = endless.round(number, device).expect("the devices answer");
        totals.add(&round);
        assert!(round.failure.is_none(), "{}", round.failure.expect("a failure"));
        names.push(round.fixture);
    }
    let EndlessTotals { fixtures, comparisons, refused, pairs } = totals;
    assert_eq!((fixtures, comparisons + refused), (2 * device_count, 4 * device_count));
    assert!(pairs > 10_000, "only {pairs} pairs on {names:#?}");
}

/// Green's search loses the last particle of each cell.
#[test]
fn a_failure_is_reduced_to_two_particles_and_repeated_from_its_file() {
    let library = ShaderLibrary::embedded();
    let gpu = Gpu::open(Some(&common::gpu().capabilities.name), library.clone()).expect("it was opened before");
    let mutant = Mutant {
        file: "search/green.wgsl".to_owned(),
        line: "for (var other = range.x; other < range.y; other++) {".to_owned(),
        line_number: 1,
        from: "other < range.y".to_owned(),
        to: "other + 1u < range.y".to_owned(),
        occurrence: 1,
        equivalent: String::new(),
    };
    let text = mutant.apply(&library.original(&mutant.file).expect("a shader")).expect("it fits");
    gpu.edit_shaders(Arc::new(BTreeMap::from([(mutant.file.clone(), Arc::from(text))])), true);
    let folder = tempfile::tempdir().expect("a folder");
    let device = TestDevice { name: "a wrong shader".to_owned(), gpu: Arc::clone(&gpu) };
    let endless = endless(&["green"], &folder);
    let failure = (0..20)
        .find_map(|number| endless.round(number, &device).expect("the device answers").failure)
        .expect("it is wrong");
    let (whole, smallest) = failure.particles;
    assert!(whole > 2 && smallest == 2, "{failure}");
    let fixture = read_fixture(&failure.file).expect("it was written");
    assert_eq!(fixture.positions.len(), 2);
    let case = Case::new(fixture);
    let again = compare(&gpu, &default_of("green"), &case).expect("two particles");
    assert!(again.disagreement.is_some(), "{failure}");
    let right = compare(&common::gpu(), &default_of("green"), &case).expect("two particles");
    assert_eq!(right.disagreement, None);
}

#[test]
fn every_mutant_of_the_list_changes_a_valid_shader() {
    let library = ShaderLibrary::embedded();
    let (mut mutants, kernels) = (mutants().expect("the list is valid"), kernel_mutants().expect("the list is valid"));
    assert!(mutants.len() >= 80 && kernels.len() >= 40, "only {} and {} mutants", mutants.len(), kernels.len());
    mutants.extend(kernels);
    for (place, mutant) in mutants.iter().enumerate() {
        let text = library.original(&mutant.file).expect("a shader");
        assert_ne!(mutant.apply(&text).unwrap_or_else(|error| panic!("{error}")), text, "{mutant}");
        assert!(!mutants[..place].contains(mutant), "{mutant} is listed twice");
    }
}

/// Fates of mutants of Hoetzlein's search on one fixture.
fn fates(changes: &[(&str, &str, &str)]) -> Result<BTreeMap<String, Fate>, VerificationError> {
    let mutants: Vec<Mutant> = changes
        .iter()
        .map(|(line, from, to)| Mutant {
            file: "search/hoetzlein.wgsl".to_owned(),
            line: (*line).to_owned(),
            line_number: 1,
            from: (*from).to_owned(),
            to: (*to).to_owned(),
            occurrence: 1,
            equivalent: String::new(),
        })
        .collect();
    let all = fixtures(FixtureSize::Small, SEED).expect("fixtures have good boxes");
    let cases = all.into_iter().filter(|fixture| fixture.name == "uniform 257").map(Case::new).collect();
    let gpu = common::gpu();
    let trials = search_trials(&gpu, cases, vec![default_of("hoetzlein"), default_of("brute_force")])?;
    let bench = MutantBench::new(&gpu, trials);
    let found = Mutex::new(BTreeMap::new());
    bench.run(&mutants, 1, |mutant, fate| {
        found.lock().expect("no panic").insert(mutant.to.clone(), fate.clone());
    })?;
    Ok(found.into_inner().expect("no panic"))
}

#[test]
fn mutants_are_caught_whether_they_are_wrong_or_never_end_and_harmless_ones_survive() {
    let line = "for (var y = cells.low.y; y <= cells.high.y; y++) {";
    let fates = fates(&[
        (line, "y <= cells", "y < cells"),
        (line, "y++", ""),
        (line, "y <= cells", "y  <= cells"),
        (line, "y <= cells", "yy <= cells"),
    ])
    .expect("the mutants fit");
    assert!(matches!(&fates["y < cells"], Fate::Caught { subject, .. } if subject.contains("hoetzlein")));
    assert!(matches!(&fates[""], Fate::Caught { .. }), "a loop without an end: {:?}", fates[""]);
    assert_eq!(fates["y  <= cells"], Fate::Survived { subjects: 1, checks: 1 }, "it changes nothing");
    assert!(matches!(&fates["yy <= cells"], Fate::Invalid(_)), "{:?}", fates["yy <= cells"]);
}

#[test]
fn a_mutant_that_fits_no_line_is_refused() {
    let refusal = fates(&[("no such line", "a", "b")]).expect_err("a refusal");
    assert!(matches!(&refusal, VerificationError::Mutant { .. }), "{refusal}");
    assert!(!matches!(&refusal, VerificationError::Gpu(GpuError::MissingShader { .. })));
}

/// Properties that a few steps show; `verify --mutants=kernels` checks the others as well.
#[test]
fn pair_kernels_have_their_physical_properties() {
    let gpu = common::gpu();
    let properties = kernel_properties(&gpu).expect("the scenes are valid");
    let mut wrong = Vec::new();
    for property in properties.iter().filter(|property| property.is_quick()) {
        let name = format!("{} on {}", property.subject(), property.fixture());
        let measures = property.measure(&gpu).unwrap_or_else(|error| panic!("{name}: {error}"));
        for Measure { what, value, most } in &measures {
            println!("{name}: {what} is {value:.1e} and may be {most:.1e}");
        }
        assert!(!measures.is_empty(), "{name} measures nothing");
        let violated = measures.into_iter().filter(|measure| !measure.holds());
        wrong.extend(violated.map(|measure| format!("{name}: {measure:?}")));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Runs the mutants whose lines contain these texts on the properties whose names contain `name`, and expects all of
/// them to be caught.
fn all_are_caught(name: &str, lines: &[&str]) {
    let gpu = common::gpu();
    let mut properties = kernel_properties(&gpu).expect("the scenes are valid");
    properties.retain(|property| property.fixture().contains(name));
    let is_chosen = |mutant: &Mutant| lines.iter().any(|line| mutant.line.contains(line));
    let chosen: Vec<Mutant> =
        kernel_mutants().expect("the list is valid").into_iter().filter(|mutant| is_chosen(mutant)).collect();
    assert_eq!(chosen.len(), lines.len(), "{chosen:?}");
    let bench = MutantBench::new(&gpu, properties);
    bench
        .run(&chosen, 1, |mutant, fate| assert!(matches!(fate, Fate::Caught { .. }), "{mutant}: {fate}"))
        .expect("all is right without a mutant");
}

/// Water at rest hides these; only water that changes its shape shows them.
#[test]
fn wrong_corrections_and_images_are_caught_by_the_period_of_waves() {
    all_are_caught(
        "sloshes",
        &[
            "sum.acceleration -= left * scale * mirrored_share",
            "sum.correction -= corrected * of_pair",
            "sum.squares += dot(gradient_a, gradient_a)",
            "image_terms(particle, particle, vec3<f32>(0.0)).rate);",
        ],
    );
}

/// Where a solid counts once, water flows into it all the time without a rate of its density.
#[test]
fn solids_that_count_once_are_caught_by_the_lift_of_a_disc() {
    all_are_caught("lifts a disc", &["sum.rate *= mirrored_count"]);
}

/// Momentum alone would not show these: they add what presses on one wall to the friction along another.
#[test]
fn wrong_friction_along_walls_is_caught_by_what_each_of_them_bears() {
    all_are_caught("bears the friction", &["return select(force, vec3<f32>(0.0), mirrored)", "let friction = 0.5"]);
}

/// A few of the list, with the properties that a few steps show.
#[test]
fn wrong_pair_kernels_are_caught_by_physical_properties() {
    let gpu = common::gpu();
    let mut properties = kernel_properties(&gpu).expect("the scenes are valid");
    properties.retain(KernelProperty::is_quick);
    let mutants = kernel_mutants().expect("the list is valid");
    let files = [
        "density",
        "images",
        "boundaries",
        "wcsph/forces",
        "pbf/lambda",
        "pbf/confinement",
        "dfsph/factor",
        "contact/stop",
        "contact/react",
    ];
    let first = |file: &&str| {
        let path = format!("fluid/{file}.wgsl");
        mutants.iter().find(|mutant| mutant.file == path).expect("each of these files has mutants").clone()
    };
    let chosen: Vec<Mutant> = files.iter().map(first).collect();
    let found = Mutex::new(Vec::new());
    let bench = MutantBench::new(&gpu, properties);
    bench
        .run(&chosen, 1, |mutant, fate| found.lock().expect("no panic").push((mutant.to_string(), fate.clone())))
        .expect("all is right without a mutant");
    for (mutant, fate) in found.into_inner().expect("no panic") {
        println!("{mutant}: {fate}");
        assert!(matches!(fate, Fate::Caught { .. }), "{mutant}: {fate}");
    }
}
