//! Sections of closed surfaces with the plane of a scene of two dimensions, in which solids are sampled along lines.
//! The queries of sampling need a surface; that of a section is a prism along z which is so long that its open ends are
//! out of reach.

use std::collections::HashMap;

use glam::{DVec2, DVec3, Vec3};

use super::mesh::Mesh;

/// Size of the grid in which ends of segments are the same point, relative to the extent of the surface.
pub(super) const SAME: f64 = 1e-6;
/// Sine of the angle up to which segments lie on one line.
const STRAIGHT: f64 = 1e-4;

/// A straight part of a section.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    /// Its ends, m.
    pub ends: [DVec2; 2],
    /// Unit vector that points out of the solid.
    pub normal: DVec2,
}

/// The section of a surface with the plane at `z`, m, as straight parts that are as long as possible.
pub(super) fn section(surface: &Mesh, z: f64) -> Vec<Segment> {
    let (low, high) = surface.bounds();
    let grid = SAME * f64::from((high - low).max_element());
    let cut = |[a, b, c]: [Vec3; 3]| {
        let corners = [a, b, c].map(Vec3::as_dvec3);
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).truncate().try_normalize()?;
        // A corner in the plane counts as above it, so that every triangle has two crossed edges or none.
        let crossed = |from: DVec3, to: DVec3| {
            let (below, above) = (from.z - z, to.z - z);
            ((below < 0.0) != (above < 0.0)).then(|| from.lerp(to, below / (below - above)).truncate())
        };
        let [a, b, c] = corners;
        let mut ends = [crossed(a, b), crossed(b, c), crossed(c, a)].into_iter().flatten();
        let (one, other) = (ends.next()?, ends.next()?);
        // With the solid on the left.
        let is_forward = (other - one).perp_dot(normal) < 0.0;
        let ends = if is_forward { [one, other] } else { [other, one] };
        (one.distance(other) > grid).then_some(Segment { ends, normal })
    };
    joined(&surface.corners().filter_map(cut).collect::<Vec<_>>(), grid)
}

/// The segments with those joined that continue each other.
fn joined(segments: &[Segment], grid: f64) -> Vec<Segment> {
    let whole = |chain: Chain| {
        let (first, last) = (segments[chain.segments[0]], segments[chain.segments[chain.segments.len() - 1]]);
        Segment { ends: [first.ends[0], last.ends[1]], normal: first.normal }
    };
    chains(segments, grid, STRAIGHT).into_iter().map(whole).collect()
}

/// Segments that follow each other.
pub(super) struct Chain {
    /// Their indices, of which there is at least one.
    pub segments: Vec<usize>,
    /// Whether the first one follows the last one.
    pub is_closed: bool,
}

/// Chains of segments of which each turns by an angle of at most the arc sine of `turn` against the one before, as long
/// as possible. Ends in the same cell of a grid of this size, m, are the same point.
pub(super) fn chains(segments: &[Segment], grid: f64, turn: f64) -> Vec<Chain> {
    let key = |point: DVec2| ((point.x / grid / 4.0).round() as i64, (point.y / grid / 4.0).round() as i64);
    let starts: HashMap<_, usize> =
        segments.iter().enumerate().map(|(number, segment)| (key(segment.ends[0]), number)).collect();
    let continues = |number: usize| {
        let next = *starts.get(&key(segments[number].ends[1]))?;
        let (here, there) = (segments[number].normal, segments[next].normal);
        (next != number && here.perp_dot(there).abs() <= turn && here.dot(there) > 0.0).then_some(next)
    };
    let mut has_previous = vec![false; segments.len()];
    for next in (0..segments.len()).filter_map(continues) {
        has_previous[next] = true;
    }
    let mut is_used = vec![false; segments.len()];
    let mut found = Vec::new();
    // Where none is left that begins a chain, the rest are closed.
    let begins = (0..segments.len()).filter(|&number| !has_previous[number]);
    for first in begins.chain(0..segments.len()) {
        if is_used[first] {
            continue;
        }
        let mut chain = Chain { segments: Vec::new(), is_closed: false };
        let mut next = Some(first);
        while let Some(number) = next {
            if is_used[number] {
                chain.is_closed = number == first;
                break;
            }
            is_used[number] = true;
            chain.segments.push(number);
            next = continues(number);
        }
        found.push(chain);
    }
    found
}

/// The prism of a section along z around the plane at `z`, m, without its ends.
pub(super) fn prism(segments: &[Segment], z: f64) -> Mesh {
    let points = || segments.iter().flat_map(|segment| segment.ends);
    let low = points().fold(DVec2::INFINITY, DVec2::min);
    let high = points().fold(DVec2::NEG_INFINITY, DVec2::max);
    // Rays that are askew leave it through its sides.
    let reach = 2.0 * (high - low).length();
    let mut mesh = Mesh::default();
    for Segment { ends: [from, to], .. } in segments {
        let count = mesh.vertices.len() as u32;
        let corners = [(from, z - reach), (to, z - reach), (to, z + reach), (from, z + reach)];
        mesh.vertices.extend(corners.map(|(point, z)| point.extend(z).as_vec3()));
        // Counterclockwise from outside: with the solid on the left of the way from `from` to `to`, outside is right.
        mesh.triangles.extend([[count, count + 1, count + 2], [count, count + 2, count + 3]]);
    }
    mesh
}

#[cfg(test)]
mod tests {
    use glam::{DVec2, DVec3, Vec3};

    use super::super::SurfaceSamples;
    use super::section;
    use crate::fluid::Mesh;

    #[test]
    fn the_section_of_a_box_is_a_rectangle_of_four_lines() {
        let cuboid = Mesh::cuboid(Vec3::new(1.0, 2.0, -3.0), Vec3::new(1.9, 2.5, 3.0));
        let lines = section(&cuboid, 0.1);
        assert_eq!(lines.len(), 4, "{lines:?}");
        let around: f64 = lines.iter().map(|line| line.ends[0].distance(line.ends[1])).sum();
        assert!((around - 2.8).abs() < 1e-5, "{around} m");
        let middle = DVec2::new(1.45, 2.25);
        for line in &lines {
            assert!(line.normal.dot(line.ends[0] - middle) > 0.0, "{line:?} faces inwards");
        }
        assert!(section(&cuboid, 3.5).is_empty());
    }

    #[test]
    fn a_disc_is_sampled_evenly_along_its_rim_and_knows_its_inside() {
        let (radius, spacing, z) = (0.5_f32, 0.05, 0.3);
        let ball = Mesh::ball(Vec3::new(2.0, 1.0, z), radius, 4);
        let bounds = (Vec3::ZERO, Vec3::splat(4.0));
        let (samples, without) = SurfaceSamples::new(&[ball], spacing, bounds, Some(z)).expect("few samples");
        assert_eq!(without, None);
        let count = samples.points().len() as f32;
        let rim = std::f32::consts::TAU * (radius - 0.5 * spacing) / spacing;
        assert!((0.8 * rim..1.25 * rim).contains(&count), "{count} samples on a rim of {rim} spacings");
        for point in samples.points() {
            let away = point.distance(Vec3::new(2.0, 1.0, z));
            assert!((point.z - z).abs() < 1e-6 && (away - radius + 0.5 * spacing).abs() < 0.1 * spacing, "{point}");
        }
        let place = |x: f64| DVec3::new(2.0 + x, 1.0, z.into());
        assert!(samples.is_inside(place(0.45)) && samples.is_inside(place(-0.45)) && !samples.is_inside(place(0.51)));
        assert!(samples.takes(place(0.51)) && !samples.takes(place(0.55)));
    }
}
