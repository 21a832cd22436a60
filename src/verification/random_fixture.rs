//! Random fixtures: particles in boxes of any shape, place and scale, in clusters, planes, lines and lattices, in
//! several orders, with radii from few to many neighbors.

use glam::{UVec3, Vec3};

use crate::random_stream::Stream;
use crate::search::fixtures::Fixture;
use crate::search::verify::Case;
use crate::search::{Domain, SearchError};

/// Most pairs of particles in adjacent cells for each particle, on average. With more, tests would take long and find
/// nothing that fewer do not.
const MOST_CANDIDATES: f64 = 2_500.0;
/// Most radii along the longest edge of the box, so that grids do not have more cells than devices hold.
const MOST_RADII: f32 = 250.0;

/// How the particles are distributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arrangement {
    Uniform,
    Clusters,
    Plane,
    Line,
    CoincidentGroups,
    CellFaces,
    Lattice,
}

const ARRANGEMENTS: [Arrangement; 7] = [
    Arrangement::Uniform,
    Arrangement::Clusters,
    Arrangement::Plane,
    Arrangement::Line,
    Arrangement::CoincidentGroups,
    Arrangement::CellFaces,
    Arrangement::Lattice,
];

/// The order in which the particles are given to the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    AsMade,
    Shuffled,
    Sorted,
    Reversed,
}

/// Returns the random fixture of a seed, with up to `most` particles.
///
/// # Errors
/// Only if box or radius are invalid.
pub fn random_fixture(seed: u64, most: u32) -> Result<Fixture, SearchError> {
    let mut stream = Stream::new(seed);
    let count = particle_count(&mut stream, most);
    let arrangement = stream.pick(&ARRANGEMENTS);
    let order = stream.pick(&[Order::AsMade, Order::Shuffled, Order::Sorted, Order::Reversed]);
    let mut fixture = if arrangement == Arrangement::Lattice {
        lattice(&mut stream, count)?
    } else {
        scattered(&mut stream, count, arrangement)?
    };
    fixture = thinned(fixture);
    let Domain { low, support_radius, .. } = fixture.domain;
    match order {
        Order::AsMade => {}
        Order::Shuffled => stream.shuffle(&mut fixture.positions),
        Order::Sorted | Order::Reversed => {
            let key = |p: &Vec3| ((*p - low) / support_radius).floor().as_ivec3().to_array();
            fixture.positions.sort_by_cached_key(|position| {
                let [x, y, z] = key(position);
                [z, y, x]
            });
            if order == Order::Reversed {
                fixture.positions.reverse();
            }
        }
    }
    fixture.name = format!("{arrangement:?}, {order:?}, {}, seed {seed:#x}", fixture.name);
    Ok(fixture)
}

/// Mostly any number of particles, with as many small as large ones; sometimes one close to the size of a workgroup.
fn particle_count(stream: &mut Stream, most: u32) -> u32 {
    let count = if stream.one_in(3) {
        stream.pick(&[32_u32, 64, 128, 256, 512, 1_024, 4_096]) * (1 + stream.below(4) as u32) + stream.below(3) as u32
            - 1
    } else {
        (most as f32).powf(stream.between(0.1, 1.0)) as u32
    };
    count.min(most)
}

/// The edges of a box, m, and its lowest corner.
fn random_box(stream: &mut Stream) -> (Vec3, Vec3) {
    let scale = if stream.one_in(3) { 10_f32.powf(stream.between(-6.0, 6.0)) } else { 1.0 };
    let shape = match stream.below(5) {
        0 => Vec3::new(1.0, 0.05, 1.0),
        1 => Vec3::new(0.04, 1.0, 0.03),
        2 => stream.point() + 0.1,
        _ => Vec3::ONE,
    };
    let extent = shape * scale;
    let low = match stream.below(4) {
        0 => -0.5 * extent,
        1 => (stream.point() - 0.5) * scale * 10_f32.powf(stream.between(0.0, 3.5)),
        _ => Vec3::ZERO,
    };
    (extent, low)
}

fn scattered(stream: &mut Stream, count: u32, arrangement: Arrangement) -> Result<Fixture, SearchError> {
    let (extent, low) = random_box(stream);
    let centers: Vec<Vec3> = (0..=stream.below(12)).map(|_| stream.point()).collect();
    let width = 10_f32.powf(stream.between(-2.5, -0.7));
    let group = 2 + stream.below(3) as usize;
    let axis = stream.below(3) as usize;
    let mut places: Vec<Vec3> = (0..count)
        .map(|_| {
            let mut place = stream.point();
            match arrangement {
                Arrangement::Clusters => {
                    // A sum of two uniform numbers, so that a cluster is denser in its middle.
                    place = stream.pick(&centers) + (place + stream.point() - 1.0) * width;
                }
                Arrangement::Plane => place[axis] = centers[0][axis],
                Arrangement::Line => {
                    let along = place[axis];
                    place = centers[0];
                    place[axis] = along;
                }
                _ => {}
            }
            place
        })
        .collect();
    if arrangement == Arrangement::CoincidentGroups {
        for start in (0..places.len()).step_by(group) {
            let end = (start + group).min(places.len());
            let first = places[start];
            places[start..end].fill(first);
        }
    }
    let mut positions: Vec<Vec3> = places.into_iter().map(|place| low + place * extent).collect();
    let radius = random_radius(stream, &positions, extent);
    if arrangement == Arrangement::CellFaces {
        for position in &mut positions {
            let axis = stream.below(3) as usize;
            let face = low[axis] + ((position[axis] - low[axis]) / radius).round() * radius;
            position[axis] = stream.pick(&[face.next_down(), face, face.next_up()]);
        }
    }
    let mut name = format!("{count} particles");
    if stream.one_in(4) {
        let reach = 10_f32.powf(stream.between(0.3, 4.0));
        for position in &mut positions {
            if stream.one_in(20) {
                *position = low + (stream.point() - 0.5) * extent * reach;
            }
        }
        name += ", some outside";
    }
    if stream.one_in(10) {
        for position in &mut positions {
            if stream.one_in(30) {
                position[stream.below(3) as usize] = stream.pick(&[f32::NAN, f32::INFINITY, f32::NEG_INFINITY]);
            }
        }
        name += ", some not finite";
    }
    let domain = Domain::new(low, low + extent, radius)?;
    Ok(Fixture { name, positions, domain, exact_ties: false })
}

/// A radius within which half of a sample of the particles has at least a random number of neighbors.
fn random_radius(stream: &mut Stream, positions: &[Vec3], extent: Vec3) -> f32 {
    const SAMPLE: u64 = 24;
    let neighbors = 10_f32.powf(stream.between(0.0, 1.8)) as usize;
    let mut distances: Vec<f32> = Vec::new();
    if positions.len() > 1 {
        for _ in 0..SAMPLE {
            let center = positions[stream.below(positions.len() as u64) as usize];
            let mut squared: Vec<f32> = positions.iter().map(|position| position.distance_squared(center)).collect();
            let place = neighbors.min(squared.len() - 1);
            distances.push(squared.select_nth_unstable_by(place, f32::total_cmp).1.sqrt());
        }
    }
    distances.sort_by(f32::total_cmp);
    let radius = distances.get(distances.len() / 2).copied().unwrap_or(0.0);
    radius.max(extent.max_element() / MOST_RADII)
}

/// A lattice whose spacing is a power of two, with a radius of one to three spacings, so that ties at the radius are
/// exact.
fn lattice(stream: &mut Stream, count: u32) -> Result<Fixture, SearchError> {
    let edge = (count as f32).cbrt().max(1.0);
    let counts = match stream.below(3) {
        0 => UVec3::new((edge * 2.0) as u32, edge as u32, (edge / 2.0) as u32),
        1 => UVec3::new(count.isqrt().min(200), 1, count.isqrt().min(200)),
        _ => UVec3::splat(edge as u32),
    };
    let counts = counts.max(UVec3::ONE);
    let spacing = 2_f32.powi(stream.below(21) as i32 - 10);
    let origin = Vec3::from_array(std::array::from_fn(|_| (stream.below(2_001) as f32 - 1_000.0) * spacing));
    let spacings = stream.pick(&[1.0, 2.0, 3.0]);
    let positions = (0..counts.element_product())
        .map(|i| UVec3::new(i % counts.x, i / counts.x % counts.y, i / (counts.x * counts.y)))
        .map(|place| origin + place.as_vec3() * spacing)
        .collect();
    let high = origin + (counts - 1).as_vec3() * spacing;
    let domain = Domain::new(origin, high, spacings * spacing)?;
    let name = format!("{counts} particles, ties at r = {spacings} spacings");
    Ok(Fixture { name, positions, domain, exact_ties: true })
}

/// Removes every other particle until the searches have a bearable number of candidates.
fn thinned(mut fixture: Fixture) -> Fixture {
    loop {
        let case = Case::new(fixture);
        let count = case.fixture().positions.len();
        let is_bearable = count < 64 || case.candidate_pairs() <= MOST_CANDIDATES * count as f64;
        fixture = case.into_fixture();
        if is_bearable {
            return fixture;
        }
        fixture.positions = fixture.positions.into_iter().step_by(2).collect();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_seed_always_gives_the_same_fixture() {
        let bits = |fixture: &Fixture| -> Vec<[u32; 3]> {
            fixture.positions.iter().map(|position| position.to_array().map(f32::to_bits)).collect()
        };
        for seed in 0..20 {
            let [one, other] = [0, 1].map(|_| random_fixture(seed, 2_000).expect("a fixture"));
            assert_eq!((bits(&one), one.domain, &one.name), (bits(&other), other.domain, &other.name));
        }
    }

    #[test]
    fn seeds_give_all_arrangements_in_bearable_sizes_with_neighbors() {
        let (mut kinds, mut with_neighbors, mut outside, mut not_finite, mut exact) = (BTreeSet::new(), 0, 0, 0, 0);
        for seed in 1_000..1_300 {
            let fixture = random_fixture(seed, 2_000).expect("a fixture");
            assert!(fixture.positions.len() <= 2_000, "{}", fixture.name);
            kinds.insert(fixture.name.split(',').next().unwrap_or_default().to_owned());
            outside += u32::from(fixture.name.contains("outside"));
            not_finite += u32::from(fixture.positions.iter().any(|position| !position.is_finite()));
            exact += u32::from(fixture.exact_ties);
            let case = Case::new(fixture);
            with_neighbors += u32::from(case.reference().certain.iter().any(|neighbors| !neighbors.is_empty()));
        }
        assert_eq!(kinds.len(), ARRANGEMENTS.len(), "{kinds:?}");
        assert!(with_neighbors > 250, "only {with_neighbors} of 300 have neighbors");
        assert!(outside > 20 && not_finite > 10 && exact > 20, "{outside} {not_finite} {exact}");
    }
}
