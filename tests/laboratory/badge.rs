//! Tests of the oracle badge: it reports no error for any search and setting, detects a wrong search at the first
//! check, and describes the errors correctly.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::common;
use crate::replaced_line::with_replaced_line;
use glam::Vec3;
use nearwater::fluid::{Scene, SceneEdits, Settings, Simulation, Size, SmoothingKernel};
use nearwater::gpu::{Gpu, record};
use nearwater::laboratory::{Badge, BadgeInput, Fault, Specimen, Verdict};
use nearwater::search::fixtures::{Fixture, FixtureSize, fixtures};
use nearwater::search::verify::SearchConfiguration;
use nearwater::search::{
    CELL_RADII, DIRECT_CELLS_ONLY, ReferenceNeighbors, SEARCHES, SearchError, SearchOptions, search_named,
};

const SEED: u64 = 20_261_122;

fn upload(gpu: &Gpu, positions: &[Vec3]) -> wgpu::Buffer {
    let padded: Vec<[f32; 4]> = positions.iter().map(|p| p.extend(0.0).to_array()).collect();
    gpu.storage_with("positions", &padded).expect("the buffer fits")
}

fn specimen(gpu: &Gpu, configuration: &SearchConfiguration, fixture: &Fixture) -> Result<Specimen, SearchError> {
    let positions = upload(gpu, &fixture.positions);
    Specimen::new(gpu, configuration, (&positions, fixture.positions.len() as u32), fixture.domain)
}

fn input(specimen: &Specimen) -> BadgeInput<'_> {
    BadgeInput {
        search: specimen.search.as_ref(),
        identities: None,
        particle_count: specimen.particle_count,
        domain: specimen.domain,
    }
}

/// Waits for the verdict of the recorded check.
fn verdict(gpu: &Gpu, badge: &mut Badge) -> Verdict {
    loop {
        gpu.wait().expect("the device answers");
        if let Some(verdict) = badge.take(gpu).expect("the device answers") {
            return verdict;
        }
    }
}

fn check(gpu: &Gpu, specimen: &Specimen) -> Verdict {
    let mut badge = Badge::new(gpu, input(specimen), SEED).expect("a badge");
    gpu.submit(|encoder| {
        record(&specimen.build, encoder, None);
        badge.record(gpu, encoder, Instant::now());
    });
    verdict(gpu, &mut badge)
}

fn fixture(name: &str) -> Fixture {
    let all = fixtures(FixtureSize::Small, SEED).expect("valid boxes");
    all.into_iter().find(|fixture| fixture.name == name).expect("a fixture with that name")
}

#[test]
fn the_badge_finds_no_error_in_any_search_and_setting() {
    let gpu = common::gpu();
    let (mut checked, mut undecided) = (0, 0);
    // Only some of the sizes near those of workgroups, since all of them would take minutes on a software adapter.
    let sizes = ["uniform 0", "uniform 1", "uniform 65", "uniform 1023", "uniform 4097"];
    let wanted = |fixture: &&Fixture| !fixture.name.starts_with("uniform") || sizes.contains(&&*fixture.name);
    for fixture in fixtures(FixtureSize::Small, SEED).expect("valid boxes").iter().filter(wanted) {
        for configuration in SearchConfiguration::all() {
            let specimen = match specimen(&gpu, &configuration, fixture) {
                Ok(specimen) => specimen,
                Err(refusal) if refusal.is_refusal() => continue,
                Err(error) => panic!("{configuration} on \"{}\": {error}", fixture.name),
            };
            let verdict = check(&gpu, &specimen);
            assert!(verdict.is_right(), "{configuration} on \"{}\": {}", fixture.name, verdict.sentence());
            checked += verdict.checked;
            undecided += verdict.undecided;
        }
    }
    assert!(checked > 10_000, "only {checked} particles were checked");
    assert!(undecided * 10 < checked, "{undecided} of {checked} were undecided");
}

/// Asserts that a verdict reports errors, and that every reported offender has that error according to the oracle.
fn assert_offenders_are_wrong(verdict: &Verdict, fixture: &Fixture, fault: Fault) {
    assert!(!verdict.is_right() && verdict.wrong > 0, "{}", verdict.sentence());
    let reference = ReferenceNeighbors::find(&fixture.positions, fixture.domain, false);
    let radius = f64::from(fixture.domain.support_radius);
    assert!(!verdict.offenders.is_empty());
    for offender in &verdict.offenders {
        assert_eq!(offender.fault, fault, "{}", offender.sentence());
        assert_eq!(offender.position, fixture.positions[offender.particle as usize]);
        assert!(!offender.partners.is_empty());
        for partner in &offender.partners {
            assert_eq!(partner.fault, fault);
            let position = fixture.positions[partner.particle as usize];
            assert_eq!(partner.position, position);
            let distance = f64::from(position.distance(offender.position));
            assert!((partner.radii - distance / radius).abs() < 1e-4);
            let is_neighbor = reference.certain[offender.particle as usize].contains(&partner.particle);
            assert_eq!(is_neighbor, fault != Fault::Extra);
        }
        let expected = reference.certain[offender.particle as usize].len();
        let found = expected - if fault == Fault::Missing { offender.partners.len() } else { 0 };
        if fault == Fault::Missing {
            assert!((found..found + 2).contains(&(offender.found as usize)), "{}", offender.sentence());
        }
    }
    assert!(verdict.sentence().starts_with(verdict.search.title), "{}", verdict.sentence());
}

#[test]
fn a_search_that_skips_a_cell_is_detected_at_the_first_check() {
    let fixture = fixture("uniform 4097");
    let line = "for (var x = cells.low.x; x <= cells.high.x; x++) {";
    let replacement = "for (var x = cells.low.x; x < cells.high.x; x++) {";
    let (_folder, gpu) = with_replaced_line("search/green.wgsl", (line, replacement));
    let configuration = SearchConfiguration {
        search: search_named("green").expect("a registered search"),
        options: SearchOptions::default(),
    };
    let verdict = check(&gpu, &specimen(&gpu, &configuration, &fixture).expect("a search"));
    assert_offenders_are_wrong(&verdict, &fixture, Fault::Missing);
    let [offender, ..] = verdict.offenders.as_slice() else { panic!("no offender is described") };
    let (own, other) = (offender.cell.expect("a grid"), offender.partners[0].cell.expect("a grid"));
    assert!(other.x > own.x, "{}", verdict.sentence());
    assert!(verdict.sentence().contains(&format!("in cell ({}, {}, {}) is missing", own.x, own.y, own.z)));
}

#[test]
fn repeated_pairs_and_lost_deposits_are_distinguished() {
    let fixture = fixture("uniform 4097");
    let line = "                for (var other = range.x; other < range.y; other++) {";
    let twice = "                for (var again = range.x; again < 2u * range.y - range.x; again++) {
                    let other = range.x + (again - range.x) / 2u;";
    let (_folder, gpu) = with_replaced_line("search/green.wgsl", (line, twice));
    let configuration = SearchConfiguration {
        search: search_named("green").expect("a registered search"),
        options: SearchOptions::default(),
    };
    let verdict = check(&gpu, &specimen(&gpu, &configuration, &fixture).expect("a search"));
    assert_offenders_are_wrong(&verdict, &fixture, Fault::Double);

    // A traversal that visits all pairs but loses a sum lists every neighbor, but counts too few.
    let (_folder, gpu) = with_replaced_line(
        "search/finish_deposits.wgsl",
        (
            "pair::finish(index, pair::load(index), pair::withdraw(index));",
            "pair::finish(index, pair::load(index), pair::zero());",
        ),
    );
    let configuration = SearchConfiguration {
        search: search_named("claws").expect("a registered search"),
        options: SearchOptions::default(),
    };
    let verdict = check(&gpu, &specimen(&gpu, &configuration, &fixture).expect("a search"));
    assert!(verdict.wrong > 0);
    assert!(verdict.offenders.iter().all(|offender| offender.fault == Fault::WrongSum), "{}", verdict.sentence());
}

#[test]
fn a_cell_narrower_than_the_radius_is_exact_unless_only_direct_cells_are_visited() {
    let gpu = common::gpu();
    let fixture = fixture("uniform 4097");
    let mut tried = 0;
    for search in SEARCHES.iter().filter(|search| search.options.iter().any(|option| option.name == CELL_RADII.name)) {
        let options = SearchOptions::default().with(&CELL_RADII, 0.6);
        let narrow = SearchConfiguration { search, options: options.clone() };
        assert!(check(&gpu, &specimen(&gpu, &narrow, &fixture).expect("a search")).is_right(), "{narrow}");
        let wrong = SearchConfiguration { search, options: options.with(&DIRECT_CELLS_ONLY, 1.0) };
        let verdict = check(&gpu, &specimen(&gpu, &wrong, &fixture).expect("a search"));
        assert_offenders_are_wrong(&verdict, &fixture, Fault::Missing);
        tried += 1;
    }
    assert!(tried >= 2);
}

fn dam_break(gpu: &Arc<Gpu>, search: &'static nearwater::search::SearchInfo, options: SearchOptions) -> Simulation {
    let scene = Scene::load("dam_break").expect("a scene");
    let settings = Settings {
        search,
        options,
        kernel: SmoothingKernel::ALL[0],
        size: Size::Count(2_000),
        seed: 1,
        edits: SceneEdits::default(),
    };
    Simulation::new(gpu, &scene, &settings).expect("a dam break")
}

fn simulation_input(simulation: &Simulation) -> BadgeInput<'_> {
    BadgeInput {
        search: simulation.search(),
        identities: Some(simulation.sorted_identities()),
        particle_count: simulation.particles().count,
        domain: simulation.search_domain(),
    }
}

#[test]
fn the_badge_checks_a_running_simulation_with_every_search() {
    let gpu = common::gpu();
    for &search in SEARCHES {
        let mut simulation = dam_break(&gpu, search, SearchOptions::default());
        let mut badge = Badge::new(&gpu, simulation_input(&simulation), SEED).expect("a badge");
        assert!(badge.is_of(simulation.search()));
        for _ in 0..3 {
            gpu.submit(|encoder| {
                (0..10).for_each(|_| simulation.record_step(encoder, None));
                badge.record(&gpu, encoder, Instant::now());
            });
            let verdict = verdict(&gpu, &mut badge);
            assert!(verdict.is_right() && verdict.checked == 64, "{}", verdict.sentence());
        }
        let options = SearchOptions::default().with(&CELL_RADII, 0.6).with(&DIRECT_CELLS_ONLY, 1.0);
        if search.options.iter().any(|option| option.name == CELL_RADII.name) {
            let wrong = Settings { options, ..simulation.settings().clone() };
            simulation.change(&wrong).expect("the settings are valid");
            assert!(!badge.is_of(simulation.search()));
            let mut badge = Badge::new(&gpu, simulation_input(&simulation), SEED).expect("a badge");
            gpu.submit(|encoder| {
                simulation.record_step(encoder, None);
                badge.record(&gpu, encoder, Instant::now());
            });
            assert!(!verdict(&gpu, &mut badge).is_right(), "{search:?} is deliberately wrong");
        }
    }
}

#[test]
fn a_sorted_order_without_one_particle_is_detected() {
    let gpu = common::gpu();
    let fixture = fixture("uniform 4097");
    let configuration = SearchConfiguration { search: SEARCHES[1], options: SearchOptions::default() };
    let specimen = specimen(&gpu, &configuration, &fixture).expect("a search");
    let mut identities: Vec<[u32; 4]> = (0..specimen.particle_count).map(|index| [0, 0, 0, index]).collect();
    identities[17][3] = 18;
    let identities = gpu.storage_with("identities", &identities).expect("the buffer fits");
    let input = BadgeInput { identities: Some(&identities), ..input(&specimen) };
    let mut badge = Badge::new(&gpu, input, SEED).expect("a badge");
    gpu.submit(|encoder| {
        record(&specimen.build, encoder, None);
        badge.record(&gpu, encoder, Instant::now());
    });
    let verdict = verdict(&gpu, &mut badge);
    assert!(!verdict.order_is_complete && !verdict.is_right(), "{}", verdict.sentence());
}

#[test]
fn checks_are_due_according_to_their_cost_and_never_overlap() {
    let gpu = common::gpu();
    let fixture = fixture("uniform 4097");
    let configuration = SearchConfiguration { search: SEARCHES[1], options: SearchOptions::default() };
    let specimen = specimen(&gpu, &configuration, &fixture).expect("a search");
    let mut badge = Badge::new(&gpu, input(&specimen), SEED).expect("a badge");
    let now = Instant::now();
    assert!(badge.due(now));
    gpu.submit(|encoder| {
        record(&specimen.build, encoder, None);
        badge.record(&gpu, encoder, now);
    });
    assert!(!badge.due(now + Duration::from_hours(1)), "a check is in progress");
    let verdict = verdict(&gpu, &mut badge);
    let milliseconds = verdict.milliseconds.expect("the adapter has timestamps");
    assert!(milliseconds > 0.0);
    let interval = badge.interval().as_secs_f64();
    assert!(
        interval >= 0.5 && milliseconds * 1e-3 <= 0.02 * interval * 1.000_1,
        "{milliseconds} ms every {interval} s"
    );
    assert!(!badge.due(now + badge.interval() / 2) && badge.due(now + badge.interval()));
}
