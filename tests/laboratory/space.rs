//! Tests of cost maps and of the statistics of a selection: both must agree with the search's own counters.

use std::sync::Arc;

use crate::common;
use nearwater::fluid::{Scene, SceneEdits, Settings, Simulation, Size, SmoothingKernel};
use nearwater::gpu::{Gpu, read_buffer};
use nearwater::laboratory::{CostField, CostMap, CostRequest, CostSummary, Gatherer, MOST_GATHERED, Places};
use nearwater::search::{SEARCHES, SearchInfo, SearchOptions};

/// A scene after some steps, sorted and surveyed like a paused simulation.
fn frozen(gpu: &Arc<Gpu>, scene: &str, search: &'static SearchInfo) -> Simulation {
    let scene = Scene::load(scene).expect("a scene");
    let settings = Settings {
        search,
        options: SearchOptions::default(),
        kernel: SmoothingKernel::WendlandC2,
        size: Size::Count(2_000),
        seed: 5,
        edits: SceneEdits::default(),
    };
    let mut simulation = Simulation::new(gpu, &scene, &settings).expect("a scene");
    gpu.submit(|encoder| {
        (0..20).for_each(|_| simulation.record_step(encoder, None));
        simulation.record_densities(encoder, None);
        simulation.record_survey(encoder);
    });
    simulation
}

/// Counters and state of every particle, in the drawn order.
struct Counted {
    candidates: Vec<u32>,
    neighbors: Vec<u32>,
    speeds: Vec<f64>,
    identities: Vec<u32>,
    /// Whether the particle is a fluid particle that is not in the reservoir.
    present: Vec<bool>,
    cells: Vec<u32>,
    border: Vec<bool>,
}

impl Counted {
    fn read(gpu: &Gpu, simulation: &Simulation) -> Self {
        let particles = simulation.particles();
        let count = particles.count as usize;
        let counters = |buffer| -> Vec<u32> { read_buffer(gpu, buffer, count).expect("an answer") };
        let vectors = |buffer| -> Vec<[f32; 4]> { read_buffer(gpu, buffer, count).expect("an answer") };
        let velocities = vectors(particles.velocities);
        let identities: Vec<u32> = velocities.iter().map(|velocity| velocity[3].to_bits()).collect();
        let positions = vectors(particles.positions);
        let is_present =
            |place: usize| identities[place] < particles.fluid_count && positions[place][0] <= particles.parked_beyond;
        let speed = |velocity: &[f32; 4]| velocity[..3].iter().map(|part| f64::from(part * part)).sum::<f64>().sqrt();
        let places = simulation
            .search_cells()
            .map(|cells| (cells, Places::find(gpu, particles.positions, particles.count, cells).expect("an answer")));
        let cell = |place: u32| {
            places.as_ref().map_or(0, |(cells, places)| {
                let cell = places.cell(place);
                (cell.z * cells.counts.y + cell.y) * cells.counts.x + cell.x
            })
        };
        let is_border = |place| places.as_ref().and_then(|(_, places)| places.is_border(place)).unwrap_or(false);
        Self {
            candidates: counters(particles.candidate_counts),
            neighbors: counters(particles.neighbor_counts),
            speeds: velocities.iter().map(speed).collect(),
            present: (0..count).map(is_present).collect(),
            cells: (0..particles.count).map(cell).collect(),
            border: (0..particles.count).map(is_border).collect(),
            identities,
        }
    }

    fn in_cell(&self, cell: u32) -> impl Iterator<Item = usize> {
        (0..self.cells.len()).filter(move |&place| self.present[place] && self.cells[place] == cell)
    }

    /// The value of a field according to its definition; `None` if the particle has no value.
    fn value(&self, place: usize, field: CostField, subgroup: usize) -> Option<f64> {
        let [candidates, neighbors] = [self.candidates[place], self.neighbors[place]].map(f64::from);
        self.present[place].then_some(())?;
        Some(match field {
            CostField::Candidates => candidates,
            CostField::Neighbors => neighbors,
            CostField::Overhead => (neighbors > 0.0).then_some(candidates / neighbors)?,
            CostField::Occupancy => self.in_cell(self.cells[place]).count() as f64,
            CostField::LanesIdle => {
                let group =
                    self.candidates.chunks(subgroup).nth(place / subgroup).expect("every particle is in a subgroup");
                let longest = f64::from(group.iter().copied().max().unwrap_or(0).max(1));
                1.0 - candidates / longest
            }
        })
    }
}

fn mapped(gpu: &Gpu, map: &mut CostMap, request: CostRequest) -> CostSummary {
    map.follow(gpu, request, false);
    gpu.submit(|encoder| map.record(gpu, encoder));
    gpu.wait().expect("the device answers");
    map.take().expect("the summary has arrived")
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-5 * a.abs().max(b.abs()).max(1.0)
}

#[test]
fn cost_maps_agree_with_the_counters() {
    let gpu = common::gpu();
    let scenes = SEARCHES.iter().map(|search| ("dam_break", *search)).chain([("bayraktar_fountain", SEARCHES[1])]);
    for (scene, search) in scenes {
        let simulation = frozen(&gpu, scene, search);
        let counted = Counted::read(&gpu, &simulation);
        let present = counted.present.iter().filter(|present| **present).count();
        let mut map = CostMap::new(&gpu, &simulation).expect("the buffers fit");
        for field in CostField::ALL {
            for per_cell in [false, true] {
                let about = format!("{field:?} of {} in {scene}, per cell {per_cell}", search.name);
                let found = mapped(&gpu, &mut map, CostRequest { field, per_cell });
                let own = |place| counted.value(place, field, found.subgroup_size as usize);
                let expected = |place| {
                    if !per_cell {
                        return own(place);
                    }
                    own(place)?;
                    let of_cell: Vec<f64> = counted.in_cell(counted.cells[place]).filter_map(own).collect();
                    Some(of_cell.iter().sum::<f64>() / of_cell.len() as f64)
                };
                // Particles of a cell have the same mean, so a sample of them is enough.
                let step = if per_cell || field == CostField::Occupancy { 37 } else { 1 };
                let values: Vec<f32> = read_buffer(&gpu, map.values(), counted.cells.len()).expect("an answer");
                for place in (0..values.len()).step_by(step) {
                    let value = Some(f64::from(values[place])).filter(|value| !value.is_nan());
                    let expected = expected(place);
                    let agree = match (value, expected) {
                        (Some(value), Some(expected)) => close(value, expected),
                        (value, expected) => value == expected,
                    };
                    assert!(agree, "{about}: {value:?} instead of {expected:?} at {place}");
                }
                let shown: Vec<f64> =
                    values.iter().filter(|value| !value.is_nan()).map(|&value| value.into()).collect();
                assert_eq!(found.with_value as usize, shown.len(), "{about}");
                assert_eq!((found.with_value + found.without_value) as usize, present, "{about}");
                assert_eq!(found.bins.iter().sum::<u32>(), found.with_value, "{about}: the histogram lost particles");
                let (low, high) = shown.iter().fold((f64::MAX, 0.0_f64), |(l, h), &v| (l.min(v), h.max(v)));
                assert!(close(found.low.into(), low) && close(found.high.into(), high), "{about}: {found:?}");
                let mean = shown.iter().sum::<f64>() / shown.len() as f64;
                assert!(
                    (found.mean - mean).abs() <= 1e-4 * (high - low).max(1.0),
                    "{about}: mean {} instead of {mean}",
                    found.mean
                );
            }
        }
    }
}

#[test]
fn statistics_of_a_selection_agree_with_the_counters_of_its_particles() {
    let gpu = common::gpu();
    for &search in SEARCHES {
        let simulation = frozen(&gpu, "dam_break", search);
        let counted = Counted::read(&gpu, &simulation);
        let chosen: Arc<Vec<u32>> = Arc::new((0..700).map(|number| number * 2 + 11).chain([4_000_000_000]).collect());
        let mut gatherer = Gatherer::new(&gpu, &simulation).expect("the buffers fit");
        gatherer.follow(&gpu, &chosen, false);
        gpu.submit(|encoder| gatherer.record(&gpu, encoder));
        gpu.wait().expect("the device answers");
        let found = gatherer.take().expect("the statistics have arrived");
        let places: Vec<usize> =
            (0..counted.identities.len()).filter(|&place| chosen.contains(&counted.identities[place])).collect();
        assert_eq!((found.found, places.len()), (700, 700), "{}: one of the identities does not exist", search.name);
        let sum = |values: &[u32]| places.iter().map(|&place| u64::from(values[place])).sum::<u64>();
        assert_eq!(found.candidates.sum as u64, sum(&counted.candidates), "{}", search.name);
        assert_eq!(found.neighbors.sum as u64, sum(&counted.neighbors), "{}", search.name);
        assert!(found.neighbors.sum > 700.0, "{} found no neighbors", search.name);
        let speeds = places.iter().map(|&place| counted.speeds[place]).sum::<f64>();
        assert!((found.speed.sum - speeds).abs() < 1e-3 * speeds, "{}", search.name);
        assert!((900.0..1_100.0).contains(&found.density.mean()), "{}: {:?}", search.name, found.density);
        let border = places.iter().filter(|&&place| counted.border[place]).count();
        let has_border = simulation.search_cells().is_some_and(|cells| cells.border.is_some());
        assert_eq!(found.border, has_border.then_some(border), "{}", search.name);
        for spread in [&found.candidates, &found.neighbors, &found.density, &found.speed] {
            assert_eq!(spread.bins.iter().sum::<u32>(), 700, "{}: a histogram lost particles", search.name);
        }
    }
}

#[test]
fn particles_beyond_the_capacity_are_left_out() {
    let gpu = common::gpu();
    let simulation = frozen(&gpu, "dam_break", SEARCHES[1]);
    let chosen = Arc::new(vec![1; MOST_GATHERED + 9]);
    let mut gatherer = Gatherer::new(&gpu, &simulation).expect("the buffers fit");
    gatherer.follow(&gpu, &chosen, false);
    gpu.submit(|encoder| gatherer.record(&gpu, encoder));
    gpu.wait().expect("the device answers");
    assert_eq!(gatherer.take().expect("the statistics have arrived").found, MOST_GATHERED);
}
