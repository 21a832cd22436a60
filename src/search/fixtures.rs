//! Fixtures: particle sets that are prone to reveal errors of searches, for `nearwater verify` and the tests.

use glam::{UVec3, Vec3};

use super::random::{uniform, uniform_cube};
use super::{Domain, SearchError};

/// A named set of particles with a box and a support radius.
///
/// ```
/// use nearwater::search::ReferenceNeighbors;
/// use nearwater::search::fixtures::{FixtureSize, fixtures};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let all = fixtures(FixtureSize::Small, 1)?;
/// let smallest = all.iter().filter(|fixture| fixture.positions.len() > 1).min_by_key(|one| one.positions.len());
/// let fixture = smallest.expect("several fixtures");
/// let neighbors = ReferenceNeighbors::find(&fixture.positions, fixture.domain, fixture.exact_ties);
/// println!("{}: {} ambiguous pairs", fixture.name, neighbors.ambiguous_pair_count());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Fixture {
    /// Name in tables.
    pub name: String,
    /// Positions, m.
    pub positions: Vec<Vec3>,
    /// Box and support radius.
    pub domain: Domain,
    /// Whether single precision computes every squared distance exactly, so that pairs exactly at the radius are
    /// decidable.
    pub exact_ties: bool,
}

/// The size of the sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FixtureSize {
    /// Up to about five thousand particles each, and one set of 65,537: minutes for all searches on a software adapter.
    Small,
    /// Up to four million particles, for a graphics card.
    Full,
}

/// Returns all fixtures of a size. Random positions depend on `seed`.
///
/// # Errors
/// Only if the box or the radius of a fixture is invalid.
pub fn fixtures(size: FixtureSize, seed: u64) -> Result<Vec<Fixture>, SearchError> {
    let mut builder = Builder { list: Vec::new(), seed };
    builder.sizes(size)?;
    builder.shapes(size)?;
    builder.lattices()?;
    builder.boxes()?;
    builder.coarse_cells()?;
    builder.orders()?;
    builder.scales()?;
    builder.secant_planes()?;
    builder.not_finite()?;
    Ok(builder.list)
}

struct Builder {
    list: Vec<Fixture>,
    seed: u64,
}

impl Builder {
    fn add(
        &mut self,
        name: &str,
        positions: Vec<Vec3>,
        (low, high, radius): (Vec3, Vec3, f32),
    ) -> Result<(), SearchError> {
        let domain = Domain::new(low, high, radius)?;
        self.list.push(Fixture { name: name.to_owned(), positions, domain, exact_ties: false });
        Ok(())
    }

    fn add_exact(&mut self, name: &str, positions: Vec<Vec3>, bounds: (Vec3, Vec3, f32)) -> Result<(), SearchError> {
        self.add(name, positions, bounds)?;
        self.list.iter_mut().last().into_iter().for_each(|fixture| fixture.exact_ties = true);
        Ok(())
    }

    /// A number in [0, 1) that depends on the seed and the stream.
    fn number(&self, stream: u64, index: u64) -> f32 {
        uniform(self.seed ^ stream.wrapping_mul(0xA076_1D64_78BD_642F), index)
    }

    fn vector(&self, stream: u64, index: u64) -> Vec3 {
        Vec3::new(
            self.number(stream, 3 * index),
            self.number(stream, 3 * index + 1),
            self.number(stream, 3 * index + 2),
        )
    }

    /// Uniform sets with counts close to the sizes of workgroups and tiles. In large sets, the radius contains about 20
    /// neighbors.
    fn sizes(&mut self, size: FixtureSize) -> Result<(), SearchError> {
        let large: &[u32] = match size {
            FixtureSize::Small => &[65_537],
            FixtureSize::Full => &[65_537, 1_048_576, 4_194_303],
        };
        for &count in [0, 1, 2, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1_023, 1_025, 4_097].iter().chain(large) {
            let radius = (20.0 / (4.19 * count.max(20) as f32)).cbrt();
            let positions = uniform_cube(self.seed, count, 1.0);
            self.add(&format!("uniform {count}"), positions, (Vec3::ZERO, Vec3::ONE, radius))?;
        }
        Ok(())
    }

    fn shapes(&mut self, size: FixtureSize) -> Result<(), SearchError> {
        let count: u64 = match size {
            FixtureSize::Small => 3_000,
            FixtureSize::Full => 50_000,
        };
        let unit = |radius| (Vec3::ZERO, Vec3::ONE, radius);
        let clustered: Vec<Vec3> = (0..count)
            .map(|i| self.vector(1, i % 12) * 0.9 + (self.vector(2, i) + self.vector(3, i) - 1.0) * 0.04)
            .collect();
        self.add("clustered", clustered, unit(0.01))?;
        let blob: Vec<Vec3> = (0..count).map(|i| Vec3::splat(0.7) + self.vector(4, i) * 0.04).collect();
        self.add("one dense blob in an empty box", blob, unit(0.008))?;
        self.add_exact("all coincident", vec![Vec3::new(0.25, 0.5, 0.75); 600], unit(0.125))?;
        let pairs: Vec<Vec3> = (0..count / 4).flat_map(|i| [self.vector(5, i); 2]).collect();
        self.add("coincident pairs", pairs, unit(0.02))?;
        let line: Vec<Vec3> = (0..count / 2).map(|i| Vec3::new(self.number(6, i), 0.5, 0.5)).collect();
        self.add("a line", line, unit(0.01))?;
        let plane: Vec<Vec3> = (0..count).map(|i| self.vector(7, i) * Vec3::new(1.0, 0.0, 1.0)).collect();
        self.add("a plane on the floor", plane, unit(0.03))?;
        let outside: Vec<Vec3> = (0..count / 2).map(|i| self.vector(8, i) * 3.0 - 1.0).collect();
        self.add("most outside the box", outside, unit(0.15))?;
        Ok(())
    }

    /// Lattices whose spacing divides the radius, in binary fractions, so that every tie at the radius is exact and
    /// every particle is on a face or a corner of a cell.
    fn lattices(&mut self) -> Result<(), SearchError> {
        let lattice = |counts: UVec3, spacing: f32, origin: Vec3| -> Vec<Vec3> {
            (0..counts.element_product())
                .map(|i| UVec3::new(i % counts.x, i / counts.x % counts.y, i / (counts.x * counts.y)))
                .map(|place| origin + place.as_vec3() * spacing)
                .collect()
        };
        let cube = UVec3::splat(13);
        let sorted = lattice(cube, 0.0625, Vec3::ZERO);
        let reversed: Vec<Vec3> = sorted.iter().rev().copied().collect();
        let bounds = |origin: Vec3, radius| (origin, origin + 0.75, radius);
        self.add_exact("lattice, ties at r = spacing", sorted.clone(), bounds(Vec3::ZERO, 0.0625))?;
        self.add_exact("lattice, ties at r = 2 spacings", sorted, bounds(Vec3::ZERO, 0.125))?;
        self.add_exact("lattice, reversed order", reversed, bounds(Vec3::ZERO, 0.125))?;
        let negative = Vec3::new(-4.0, -2.5, -0.375);
        self.add_exact("lattice, negative coordinates", lattice(cube, 0.0625, negative), bounds(negative, 0.125))?;
        let far = Vec3::new(1024.0, -2048.0, 512.0);
        self.add_exact("lattice, far from the origin", lattice(cube, 0.0625, far), bounds(far, 0.125))?;
        self.add_exact(
            "lattice, on corners of cells twice as wide",
            lattice(cube, 0.25, Vec3::ZERO),
            (Vec3::ZERO, Vec3::splat(3.0), 0.5),
        )
    }

    fn boxes(&mut self) -> Result<(), SearchError> {
        let long: Vec<Vec3> = (0..2_000).map(|i| self.vector(9, i) * Vec3::new(1000.0, 1.0, 1.0)).collect();
        self.add("box 1000:1:1", long, (Vec3::ZERO, Vec3::new(1000.0, 1.0, 1.0), 0.9))?;
        let tall: Vec<Vec3> = (0..2_000).map(|i| self.vector(10, i) * Vec3::new(0.3, 5.0, 1.1)).collect();
        self.add("box 0.3:5:1.1", tall, (Vec3::ZERO, Vec3::new(0.3, 5.0, 1.1), 0.12))?;
        let spread: Vec<Vec3> = (0..600).map(|i| self.vector(11, i)).collect();
        self.add("r = the box", spread.clone(), (Vec3::ZERO, Vec3::ONE, 1.0))?;
        self.add("r larger than the box", spread.clone(), (Vec3::ZERO, Vec3::ONE, 2.5))?;
        self.add("r tiny", spread.clone(), (Vec3::ZERO, Vec3::ONE, 0.011))?;
        self.add("r just under a tenth", spread.clone(), (Vec3::ZERO, Vec3::ONE, 0.099_99))?;
        self.add("r just over a tenth", spread, (Vec3::ZERO, Vec3::ONE, 0.100_01))?;
        let flat: Vec<Vec3> = (0..1_000).map(|i| self.vector(12, i) * Vec3::new(1.0, 0.0, 1.0)).collect();
        self.add("a box without height", flat, (Vec3::ZERO, Vec3::new(1.0, 0.0, 1.0), 0.05))?;
        for (name, high) in
            [("box 1:1000:1", Vec3::new(1.0, 1000.0, 1.0)), ("box 1:1:1000", Vec3::new(1.0, 1.0, 1000.0))]
        {
            let long: Vec<Vec3> = (0..1_500).map(|i| self.vector(13, i) * high).collect();
            self.add(name, long, (Vec3::ZERO, high, 1.1))?;
        }
        Ok(())
    }

    /// A box of 90 m, in which 6, 10 or 18 coarse cells along an axis have edges of 15, 9 and 5 m.
    fn coarse_cells(&mut self) -> Result<(), SearchError> {
        let cube = |radius| (Vec3::ZERO, Vec3::splat(90.0), radius);
        // Each coordinate is on a face of some or all of the three grids, or at a distance of the radius or half the
        // radius.
        let near_faces = |builder: &Self, i: u64| {
            let place = |axis: u64| {
                let pick = |stream, count: f32| (builder.number(stream, 3 * i + axis) * count).floor();
                [15.0, 45.0, 5.0, 9.0][pick(14, 4.0) as usize] * pick(15, 3.0) + (pick(16, 5.0) - 2.0) * 0.625
            };
            Vec3::new(place(0), place(1), place(2)).clamp(Vec3::ZERO, Vec3::splat(90.0))
        };
        let faces: Vec<Vec3> = (0..2_500).map(|i| near_faces(self, i)).collect();
        self.add_exact("on faces and corners of coarse cells", faces, cube(1.25))?;
        let spread: Vec<Vec3> = (0..3_000).map(|i| self.vector(17, i) * 90.0).collect();
        for (name, radius) in [
            ("r just under half a coarse cell", 2.499),
            ("r just over half a coarse cell", 2.501),
            ("r just under a coarse cell", 4.999),
            ("r just over a coarse cell", 5.001),
        ] {
            self.add(name, spread.clone(), cube(radius))?;
        }
        // All particles are in two coarse cells, on both sides of the face between them.
        let crowd: Vec<Vec3> =
            (0..4_000).map(|i| Vec3::new(45.0, 47.0, 47.0) + (self.vector(18, i) - 0.5) * 4.0).collect();
        self.add("thousands in two coarse cells", crowd, cube(1.0))
    }

    /// The same particles in several orders, for builds whose result depends on the order.
    fn orders(&mut self) -> Result<(), SearchError> {
        let unit = (Vec3::ZERO, Vec3::ONE, 0.1);
        let key = |p: &Vec3| ((p.z * 10.0) as u32, (p.y * 10.0) as u32, (p.x * 10.0) as u32);
        let mut sorted: Vec<Vec3> = (0..2_000).map(|i| self.vector(19, i)).collect();
        self.add("unsorted", sorted.clone(), unit)?;
        sorted.sort_by_key(key);
        self.add("sorted by cell", sorted.clone(), unit)?;
        sorted.reverse();
        self.add("sorted by cell, reversed", sorted, unit)
    }

    /// Coordinates with little precision relative to the radius: far from the origin, far outside the box, very small
    /// and very large.
    fn scales(&mut self) -> Result<(), SearchError> {
        let around = |builder: &Self, origin: Vec3, edge: f32| -> Vec<Vec3> {
            (0..1_500).map(|i| origin + builder.vector(20, i) * edge).collect()
        };
        let far = Vec3::new(-3_000.0, 5_000.0, 700.0);
        self.add("random, far from the origin", around(self, far, 1.0), (far, far + 1.0, 0.1))?;
        let small = 1e-6;
        self.add("a box of a micrometer", around(self, Vec3::ZERO, small), (Vec3::ZERO, Vec3::splat(small), 1e-7))?;
        let large = 1e6;
        self.add(
            "a box of a thousand kilometers",
            around(self, Vec3::ZERO, large),
            (Vec3::ZERO, Vec3::splat(large), 1e5),
        )?;
        let mut stray = around(self, Vec3::ZERO, 1.0);
        for (position, i) in stray.iter_mut().zip(0..400) {
            *position = (self.vector(21, i) - 0.5) * 10_f32.powi((i % 7) as i32);
        }
        self.add("some very far outside the box", stray, (Vec3::ZERO, Vec3::ONE, 0.1))
    }

    /// Particles on the faces and on the middle planes of cells twice as wide as the reach. The octants of Morillo's
    /// search meet at the middle planes ("secant planes" in the paper).
    fn secant_planes(&mut self) -> Result<(), SearchError> {
        // At this distance from the origin, the bound on rounding is 1/512, so that half a cell is exactly 1/8.
        let (high, radius) = (Vec3::splat(1024.0), 0.125 - 1.0 / 512.0);
        let low = high - 0.75;
        // In each cell and along each axis: a face, the middle plane, and one radius to both sides of the plane.
        let offsets = [0.0, 0.125 - radius, 0.125, 0.125 + radius];
        let offset = |place: u32| offsets[place as usize % 4] + (place / 4) as f32 * 0.25;
        let ties: Vec<Vec3> =
            (0..12 * 12 * 12).map(|i| low + Vec3::new(offset(i % 12), offset(i / 12 % 12), offset(i / 144))).collect();
        self.add_exact("secant planes, ties at r", ties, (low, high, radius))?;

        let bounds = (Vec3::ZERO, Vec3::ONE, 0.15);
        let reach = Domain::new(bounds.0, bounds.1, bounds.2)?.reach();
        let plane = |place: f32| (place / reach).round() * reach;
        let on_planes = (0..900).map(|i| {
            let place = self.vector(22, i);
            Vec3::from_array(std::array::from_fn(|axis| match (i + axis as u64) % 4 {
                0 => plane(place[axis]).next_down(),
                1 => plane(place[axis]),
                2 => plane(place[axis]).next_up(),
                _ => place[axis],
            }))
        });
        // A particle very close to a plane, and a neighbor almost one radius away on the same side.
        let beside = (0..450).flat_map(|i| {
            let (axis, side) = (i as usize % 3, if i % 2 == 0 { reach } else { -reach });
            let mut first = self.vector(23, i);
            first[axis] = plane(first[axis]) + 1e-4 * side;
            let mut second = first;
            second[axis] += (1.0 - 5e-5) * side;
            [first, second]
        });
        let near: Vec<Vec3> = on_planes.chain(beside).collect();
        self.add("on secant planes and very close to them", near, bounds)
    }

    /// Particles with coordinates that are NaN or infinite, as an unstable solver produces them. They have no
    /// neighbors, and the neighbors of the other particles are unaffected.
    fn not_finite(&mut self) -> Result<(), SearchError> {
        let bad = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
        let mut positions: Vec<Vec3> = (0..3_000).map(|i| self.vector(24, i)).collect();
        for (place, position) in positions.iter_mut().enumerate().step_by(7) {
            let number = place / 7;
            // One coordinate or all of them, alternately; mostly NaN.
            let value = bad[(number % 5) / 2 * usize::from(number % 5 > 2)];
            match number % 4 {
                3 => *position = Vec3::splat(value),
                axis => position[axis] = value,
            }
        }
        self.add("some positions not finite", positions, (Vec3::ZERO, Vec3::ONE, 0.1))
    }
}
