//! Finds particles of a file that start too close to the walls of the box. A wall acts as a mirror image of the fluid
//! (`solids/walls.rs`), so that particles nearer to it than half a spacing are compressed by their own images: a
//! lattice whose outermost layers lie on the faces of the box flies apart at hundreds of times its proper speed.

use glam::{BVec3, Vec3};

use super::solids::sampling::PointGrid;
use super::{Dimensions, Scene, SmoothingKernel};

/// Density, relative to that at rest, from which on a particle counts as compressed by the walls. In a running
/// simulation, whose frames can be read back, particles come as near to the walls as a quarter of a spacing, but not
/// together; their densities stay below 1.05.
const COMPRESSED: f64 = 1.1;

/// Particles that the walls compress.
pub(super) struct Compressed {
    /// Their numbers, counted from 0.
    pub places: Vec<usize>,
    /// The highest of their densities, relative to that at rest.
    pub density: f64,
}

/// The particles at these positions, m, that are nearer to a wall than half of `spacing`, m, and are compressed by the
/// images behind the walls; `None` where there are none.
pub(super) fn compressed_by_walls(positions: &[[f32; 3]], scene: &Scene, spacing: f32) -> Option<Compressed> {
    let kernel = SmoothingKernel::default();
    let ratio = scene.radius_ratio();
    let radius = spacing * ratio;
    let flat = scene.dimensions == Dimensions::Two;
    let place = |position: &[f32; 3]| {
        let place = Vec3::from(*position);
        if flat { place.with_z(0.0) } else { place }
    };
    // Beyond a depth of half a spacing the images are at least a spacing away, as the neighbors on a lattice are.
    let wall = |at: Vec3| {
        let is_nearer_to_low = (at - scene.low).cmple(scene.high - at);
        Vec3::select(is_nearer_to_low, scene.low, scene.high)
    };
    let near_walls = |at: Vec3| {
        let near = (at - wall(at)).abs().cmplt(Vec3::splat(0.5 * spacing));
        BVec3::new(near.x, near.y, near.z && !flat)
    };
    let mut suspects = (0..positions.len()).filter(|&number| near_walls(place(&positions[number])).any()).peekable();
    suspects.peek()?;
    let (low, high) = if flat { (scene.low.with_z(0.0), scene.high.with_z(0.0)) } else { (scene.low, scene.high) };
    let mut grid = PointGrid::new(low, high, radius);
    for position in positions {
        grid.add(place(position));
    }
    let at_rest = kernel.lattice_sum(scene.dimensions, f64::from(ratio));
    // The distances from a particle to the images of the others are those from its own image to the others.
    let density_at = |at: Vec3| {
        let (mirror, near) = (2.0 * wall(at) - at, near_walls(at));
        let images = (0..8_u32).map(|number| BVec3::new(number & 1 != 0, number & 2 != 0, number & 4 != 0));
        let images = images.filter(|&behind| (behind & !near) == BVec3::FALSE);
        let shapes = |behind: BVec3| -> f64 {
            let squared = grid.near(Vec3::select(behind, mirror, at), radius);
            squared.map(|squared| kernel.shape(f64::from(squared.sqrt() / radius))).sum()
        };
        images.map(shapes).sum::<f64>() / at_rest
    };
    let mut found = Compressed { places: Vec::new(), density: 0.0 };
    for number in suspects {
        let density = density_at(place(&positions[number]));
        if density > COMPRESSED {
            found.places.push(number);
            found.density = found.density.max(density);
        }
    }
    (!found.places.is_empty()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::compressed_by_walls;
    use crate::fluid::{Dimensions, Scene};

    const SPACING: f32 = 0.125;

    /// A lattice of eight layers along each axis whose outermost ones are this many spacings from the walls of a box.
    fn lattice(inset: f32) -> Vec<[f32; 3]> {
        let at = |layer: u16| SPACING * (f32::from(layer) + inset);
        let layers = || 0..8_u16;
        layers().flat_map(|x| layers().flat_map(move |y| layers().map(move |z| [at(x), at(y), at(z)]))).collect()
    }

    fn tank() -> Scene {
        let mut scene = Scene::load("dam_break").expect("an embedded scene");
        (scene.low, scene.high) = (glam::Vec3::ZERO, glam::Vec3::new(4.0, 2.0, 2.0));
        scene.material.radius_ratio = 2.0;
        scene
    }

    #[test]
    fn a_lattice_on_the_faces_is_found_and_one_half_a_spacing_inside_is_not() {
        let scene = tank();
        for (inset, layer) in [(0.0, 8 * 8 + 8 * 7 + 7 * 7), (0.3, 8 * 8 + 8 * 7 + 7 * 7)] {
            let found = compressed_by_walls(&lattice(inset), &scene, SPACING).expect("it touches three faces");
            assert!(found.places.len() <= layer && found.places.len() > layer / 2, "{} of {layer}", found.places.len());
            assert!(found.density > 1.2, "{}", found.density);
            assert!(found.places.contains(&0), "the particle in the corner is missing");
        }
        for inset in [0.47, 0.49, 0.5, 0.7] {
            assert!(compressed_by_walls(&lattice(inset), &scene, SPACING).is_none(), "{inset} spacings");
        }
    }

    #[test]
    fn single_particles_may_lie_on_a_face_but_not_in_a_corner() {
        let scene = tank();
        assert!(compressed_by_walls(&[[1.0, 0.0, 1.0], [2.0, 0.03, 1.0]], &scene, SPACING).is_none());
        let found =
            compressed_by_walls(&[[1.0, 0.0, 1.0], [0.0, 2.0, 0.0]], &scene, SPACING).expect("eight in one place");
        assert_eq!(found.places, [1]);
        assert!(found.density > 2.0, "{}", found.density);
    }

    #[test]
    fn in_two_dimensions_the_walls_along_z_do_not_count() {
        let mut scene = tank();
        scene.dimensions = Dimensions::Two;
        let row: Vec<[f32; 3]> = lattice(0.5).into_iter().map(|[x, y, _]| [x, y, 0.0]).step_by(8).collect();
        assert!(compressed_by_walls(&row, &scene, SPACING).is_none());
        let sunk: Vec<[f32; 3]> = row.iter().map(|&[x, y, z]| [x, y - 0.5 * SPACING, z]).collect();
        assert!(compressed_by_walls(&sunk, &scene, SPACING).is_some());
    }
}
