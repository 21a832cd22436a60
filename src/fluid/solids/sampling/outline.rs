//! Places at even distances along the outline of a section. Samples lie below the outline, where a convex part is
//! shorter and a concave one longer than the outline itself, so distances are measured there. Along smooth curves they
//! are even across the many short segments that a curve consists of; sharp corners begin a new part.

use glam::{DVec2, DVec3};

use super::clip::Bounds;
use super::section::{Chain, SAME, Segment, chains};

/// Sine of the angle from which on a corner is sharp.
const SHARP: f64 = 0.5;

/// A segment of an outline.
struct Piece {
    ends: [DVec2; 2],
    /// Unit vectors out of the solid at both ends, between the normals of the segments that meet there.
    normals: [DVec2; 2],
    /// Length of the segment that lies below it, m.
    length: f64,
}

/// The smooth parts of the outline of a section.
pub(super) struct Outline {
    parts: Vec<Vec<Piece>>,
}

impl Outline {
    /// The outline of a section whose samples will lie `depth`, m, below it.
    pub(super) fn new(section: &[Segment], depth: f64) -> Self {
        let points = || section.iter().flat_map(|segment| segment.ends);
        let (low, high) = (points().fold(DVec2::INFINITY, DVec2::min), points().fold(DVec2::NEG_INFINITY, DVec2::max));
        let grid = SAME * (high - low).max_element();
        let part = |chain: Chain| {
            let count = chain.segments.len();
            let at = |place: usize| &section[chain.segments[place]];
            let piece = |place: usize| {
                let before = (place > 0 || chain.is_closed).then(|| at((place + count - 1) % count));
                let after = (place + 1 < count || chain.is_closed).then(|| at((place + 1) % count));
                Piece::new(before, at(place), after, depth)
            };
            (0..count).map(piece).collect()
        };
        Self { parts: chains(section, grid, SHARP).into_iter().map(part).collect() }
    }

    /// Visits places on the outline with the normal there, approximately `step` apart, m; of the segments only the parts
    /// in `bounds`, in the plane at `z`, m.
    pub(super) fn for_each_place(&self, step: f64, bounds: &Bounds, z: f64, mut visit: impl FnMut(DVec2, DVec2)) {
        for part in &self.parts {
            let length: f64 = part.iter().map(|piece| piece.length).sum();
            let count = (length / step).round().max(1.0);
            let step = length / count;
            let mut before = 0.0;
            for piece in part {
                let after = before + piece.length;
                if let Some([first, last]) = bounds.share(piece.ends[0].extend(z), piece.ends[1].extend(z)) {
                    // The place with the number n lies in the middle of the step with that number. Each belongs to one
                    // piece: the bounds of a piece are computed as those of the next one.
                    let number = |length: f64| (length / step - 0.5).ceil().max(0.0) as u64;
                    let from = number(before + first * piece.length).saturating_sub(1).max(number(before));
                    let end = number(before + last * piece.length).saturating_add(1).min(number(after));
                    for number in from..end {
                        let share = ((number as f64 + 0.5) * step - before) / piece.length;
                        let normal = piece.normals[0].lerp(piece.normals[1], share).normalize();
                        visit(piece.ends[0].lerp(piece.ends[1], share), normal);
                    }
                }
                before = after;
            }
        }
    }
}

impl Piece {
    /// A segment between those before and after it, where these continue it without a sharp corner.
    fn new(before: Option<&Segment>, own: &Segment, after: Option<&Segment>, depth: f64) -> Self {
        let middle =
            |other: Option<&Segment>| (own.normal + other.map_or(own.normal, |other| other.normal)).normalize();
        // The segments below two that meet at an angle, to the left in a convex corner, meet on its bisector.
        let shortened = |from: DVec2, to: DVec2| depth * (0.5 * from.angle_to(to)).tan();
        let at_start = before.map_or(0.0, |before| shortened(before.normal, own.normal));
        let at_end = after.map_or(0.0, |after| shortened(own.normal, after.normal));
        let length = own.ends[0].distance(own.ends[1]) - at_start - at_end;
        Self { ends: own.ends, normals: [middle(before), middle(after)], length: length.max(0.0) }
    }
}

/// Number of spacings along the part of a segment in a box.
pub(super) fn places_along(segment: &Segment, spacing: f64, bounds: &Bounds) -> f64 {
    let [from, to] = segment.ends;
    let in_plane = |limit: DVec3| limit.with_z(0.0);
    let flat = Bounds { low: in_plane(bounds.low), high: in_plane(bounds.high) };
    let share = flat.share(from.extend(0.0), to.extend(0.0)).map_or(0.0, |[first, last]| last - first);
    share * from.distance(to) / spacing
}

#[cfg(test)]
mod tests {
    use glam::{DVec2, DVec3};

    use super::super::clip::Bounds;
    use super::super::section::Segment;
    use super::Outline;

    const EVERYWHERE: Bounds = Bounds { low: DVec3::NEG_INFINITY, high: DVec3::INFINITY };

    /// A regular polygon around the origin, of a solid inside of it, or outside where `hollow`.
    fn polygon(corners: u32, radius: f64, hollow: bool) -> Vec<Segment> {
        let corner = |number: u32| {
            radius * DVec2::from_angle(std::f64::consts::TAU * f64::from(number % corners) / f64::from(corners))
        };
        let segment = |number: u32| {
            let (from, to) = (corner(number), corner(number + 1));
            let outwards = (from + to).normalize();
            if hollow {
                Segment { ends: [to, from], normal: -outwards }
            } else {
                Segment { ends: [from, to], normal: outwards }
            }
        };
        (0..corners).map(segment).collect()
    }

    /// Distances between the samples that follow each other, for a spacing of 1.
    fn distances(section: &[Segment]) -> Vec<f64> {
        let mut samples = Vec::new();
        Outline::new(section, 0.5)
            .for_each_place(1.0, &EVERYWHERE, 0.0, |place, normal| samples.push(place - 0.5 * normal));
        let next = samples.iter().cycle().skip(1);
        samples.iter().zip(next).map(|(one, other)| one.distance(*other)).collect()
    }

    #[test]
    fn samples_below_a_curve_are_evenly_apart_whatever_its_segments() {
        // Segments much shorter than a spacing, and of about one and two spacings.
        for corners in [400, 41, 23, 13] {
            for hollow in [false, true] {
                for radius in [4.0, 6.3, 8.5] {
                    let found = distances(&polygon(corners, radius, hollow));
                    let (least, most) = found.iter().fold((f64::MAX, 0.0_f64), |(least, most), distance| {
                        (least.min(*distance), most.max(*distance))
                    });
                    let words = format!("{corners} corners, radius {radius}, hollow {hollow}: {least} to {most}");
                    assert!(least > 0.93 && most < 1.07 && most < 1.06 * least, "{words}");
                }
            }
        }
    }

    #[test]
    fn sharp_corners_end_a_part() {
        // Each side of a square of 4 spacings has four places half a spacing from its corners and one from each other.
        let side = |from: DVec2, to: DVec2| Segment { ends: [from, to], normal: -(to - from).normalize().perp() };
        let corners = [DVec2::ZERO, DVec2::new(4.0, 0.0), DVec2::splat(4.0), DVec2::new(0.0, 4.0)];
        let section: Vec<_> = (0..4).map(|number| side(corners[number], corners[(number + 1) % 4])).collect();
        let mut places = Vec::new();
        Outline::new(&section, 0.5).for_each_place(1.0, &EVERYWHERE, 0.0, |place, normal| {
            assert!(normal.dot(place - DVec2::splat(2.0)) > 0.0, "{place}");
            places.push(place);
        });
        assert_eq!(places.len(), 16);
        assert!(places.iter().any(|place| place.distance(DVec2::new(0.5, 0.0)) < 1e-9), "{places:?}");
        // Only what lies in the box is visited.
        let half = Bounds { low: DVec3::NEG_INFINITY, high: DVec3::new(f64::INFINITY, 1.9, f64::INFINITY) };
        let mut count = 0;
        Outline::new(&section, 0.5).for_each_place(1.0, &half, 0.0, |_, _| count += 1);
        assert!((8..=10).contains(&count), "{count}");
    }
}
