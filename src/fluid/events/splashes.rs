//! Splashes from the cells of a frame: neighbors are joined, and a splash that lasts is reported once.

use glam::Vec3;

/// Distance up to which two cells belong to the same splash, in edges of a cell: those that share a corner do.
const TOGETHER: f32 = 1.8;
/// Distance up to which a splash goes on, in edges of a cell.
const SAME: f32 = 3.0;
/// Simulated time without a splash at a place after which one is a new one, s.
const REST: f64 = 0.25;

/// Water that runs into water, a solid or a wall near the surface.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Splash {
    /// Its middle, m, within about the edge of a coarse cell.
    pub place: Vec3,
    /// Mean velocity of its water, m/s.
    pub velocity: Vec3,
    /// Root mean square of the velocities relative to the mean of their cell, m/s, where it is largest.
    pub speed: f32,
    /// Number of particles.
    pub particles: u32,
}

/// The splashes that were reported.
#[derive(Default)]
pub(super) struct KnownSplashes {
    /// Place, m, and the last time at which it was seen, s.
    known: Vec<(Vec3, f64)>,
    time: f64,
}

impl KnownSplashes {
    /// The splashes that begin at a time, s, from all cells with a splash.
    pub(super) fn begin(&mut self, cells: &[Splash], cell_edge: f32, time: f64) -> Vec<Splash> {
        if time < self.time {
            self.known.clear();
        }
        self.time = time;
        self.known.retain(|&(_, seen)| time - seen <= REST);
        let mut new = Vec::new();
        for splash in joined(cells, TOGETHER * cell_edge) {
            let is_near = |place: &Vec3| place.distance(splash.place) <= SAME * cell_edge;
            if let Some(known) = self.known.iter_mut().find(|(place, _)| is_near(place)) {
                *known = (splash.place, time);
            } else {
                self.known.push((splash.place, time));
                new.push(splash);
            }
        }
        new
    }
}

/// Joins the cells that are up to `within` apart, m.
fn joined(cells: &[Splash], within: f32) -> Vec<Splash> {
    let mut rest = cells.to_vec();
    let mut splashes = Vec::new();
    while let Some(first) = rest.pop() {
        let mut members = vec![first];
        let mut next = 0;
        while next < members.len() {
            let place = members[next].place;
            members.extend(rest.extract_if(.., |cell| cell.place.distance(place) <= within));
            next += 1;
        }
        let weight = |cell: &Splash| cell.particles as f32;
        let whole: f32 = members.iter().map(weight).sum();
        let mean = |of: fn(&Splash) -> Vec3| members.iter().map(|cell| weight(cell) * of(cell)).sum::<Vec3>() / whole;
        splashes.push(Splash {
            place: mean(|cell| cell.place),
            velocity: mean(|cell| cell.velocity),
            speed: members.iter().map(|cell| cell.speed).fold(0.0, f32::max),
            particles: members.iter().map(|cell| cell.particles).sum(),
        });
    }
    splashes
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::{KnownSplashes, Splash};

    fn cell(x: f32) -> Splash {
        Splash { place: Vec3::X * x, velocity: Vec3::NEG_Y, speed: 1.0 + x, particles: 10 }
    }

    #[test]
    fn neighboring_cells_are_one_splash_which_is_reported_once() {
        let mut known = KnownSplashes::default();
        let begun = known.begin(&[cell(0.0), cell(9.0), cell(1.0)], 1.0, 0.0);
        assert_eq!(begun.len(), 2, "{begun:?}");
        let both = begun.iter().find(|splash| splash.particles == 20).expect("two cells are joined");
        assert!((both.place.x - 0.5).abs() < 1e-6 && (both.speed - 2.0).abs() < 1e-6, "{both:?}");
        // It goes on for a second, and moves on.
        for frame in 1..=20_u8 {
            let time = 0.05 * f64::from(frame);
            let again = known.begin(&[cell(0.1 * f32::from(frame))], 1.0, time);
            assert!(again.is_empty(), "at {time} s: {again:?}");
        }
        assert_eq!(known.begin(&[cell(2.0)], 1.0, 1.5).len(), 1, "a splash after a rest is a new one");
        assert_eq!(known.begin(&[cell(2.0)], 1.0, 0.0).len(), 1, "a scene that begins again has new splashes");
    }
}
