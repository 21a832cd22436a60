//! Weights of boundary particles, from their volumes.

use glam::Vec3;

use super::point_grid::PointGrid;
use crate::fluid::{Dimensions, Resolution, SmoothingKernel};

/// The factor g of Akinci's volumes V = g / Σ W, which accounts for the missing layers behind a single layer of
/// boundary particles. It is chosen such that a lattice whose first layer is one spacing away from a flat layer of
/// boundary particles has the rest density there.
fn layer_share(kernel: SmoothingKernel, dimensions: Dimensions, radius_ratio: f64) -> f64 {
    let layers = kernel.lattice_layers(dimensions, radius_ratio);
    let shapes = |wanted: i32| layers.iter().find(|layer| layer.layer == wanted).map_or(0.0, |layer| layer.shapes);
    let missing: f64 = layers.iter().filter(|layer| layer.layer < 0).map(|layer| layer.shapes).sum();
    let whole: f64 = layers.iter().map(|layer| layer.shapes).sum();
    // Each particle of the layer, which is one spacing away, counts as g · whole / shapes(0) fluid particles.
    missing / shapes(1) * shapes(0) / whole
}

/// The sum of the weights of a flat layer of boundary particles, without their sign, divided by the number of lattice
/// places on it.
pub fn layer_weight(kernel: SmoothingKernel, dimensions: Dimensions, radius_ratio: f64) -> f64 {
    let layers = kernel.lattice_layers(dimensions, radius_ratio);
    let own = layers.iter().find(|layer| layer.layer == 0).map_or(0.0, |layer| layer.shapes);
    layer_share(kernel, dimensions, radius_ratio) * kernel.lattice_sum(dimensions, radius_ratio) / own
}

/// The weight of each boundary particle: the mass that it represents divided by a fluid particle's mass, with a
/// negative sign, by which shaders distinguish it from fluid particles.
pub fn boundary_weights(
    points: &[Vec3],
    kernel: SmoothingKernel,
    dimensions: Dimensions,
    resolution: &Resolution,
) -> Vec<f32> {
    let radius = resolution.support_radius;
    let ratio = f64::from(radius) / f64::from(resolution.spacing);
    let lattice = layer_share(kernel, dimensions, ratio) * kernel.lattice_sum(dimensions, ratio);
    let low = points.iter().copied().fold(Vec3::INFINITY, Vec3::min);
    let high = points.iter().copied().fold(Vec3::NEG_INFINITY, Vec3::max);
    let mut grid = PointGrid::new(low, high, radius);
    for &point in points {
        grid.add(point);
    }
    let weight = |&point: &Vec3| {
        // Includes the particle itself.
        let near = grid.near(point, radius);
        let sum: f64 = near.map(|squared| kernel.shape(f64::from(squared.sqrt() / radius))).sum();
        (-lattice / sum) as f32
    };
    points.iter().map(weight).collect()
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::{boundary_weights, layer_share};
    use crate::fluid::{Dimensions, Resolution, Scene, SmoothingKernel};

    #[test]
    fn the_share_is_that_of_the_table() {
        // Figures for the cubic spline, computed from the formula by a separate program.
        let table = [(Dimensions::Three, 2.0, 0.70), (Dimensions::Three, 2.4, 0.59), (Dimensions::Two, 3.0, 0.51)];
        for (dimensions, ratio, expected) in table {
            let share = layer_share(SmoothingKernel::CubicSpline, dimensions, ratio);
            // The table has two digits.
            assert!((share - expected).abs() < 0.006, "{dimensions:?} {ratio}: {share}, not {expected}");
        }
    }

    #[test]
    fn a_flat_layer_gives_the_rest_density_whatever_its_spacing() {
        let scene = Scene::load("dam_break").expect("it ships with the program");
        for kernel in SmoothingKernel::ALL {
            for ratio in [2.0_f32, 2.2, 2.4, 3.0] {
                let scene = {
                    let mut scene = scene.clone();
                    scene.material.radius_ratio = ratio;
                    scene
                };
                let resolution = Resolution::from_radius(&scene, kernel, 0.1 * ratio).expect("it fits");
                for (step, tolerance) in [(0.1_f32, 1e-4), (0.05, 0.01), (0.08, 0.02)] {
                    let row = |number: i32| step * number as f32;
                    let points: Vec<_> =
                        (-30..=30).flat_map(|x| (-30..=30).map(move |z| Vec3::new(row(x), 0.0, row(z)))).collect();
                    let weights = boundary_weights(&points, kernel, Dimensions::Three, &resolution);
                    // The density of the particle above the middle, from the lattice and from the layer.
                    let shape = |offset: Vec3| kernel.shape(f64::from(offset.length() / (0.1 * ratio)));
                    let whole = kernel.lattice_sum(Dimensions::Three, f64::from(ratio));
                    let layers = kernel.lattice_layers(Dimensions::Three, f64::from(ratio));
                    let fluid: f64 = layers.iter().filter(|layer| layer.layer >= 0).map(|layer| layer.shapes).sum();
                    let place = Vec3::new(0.0, 0.1, 0.0);
                    let solid: f64 = points
                        .iter()
                        .zip(&weights)
                        .map(|(&point, &weight)| -f64::from(weight) * shape(place - point))
                        .sum();
                    let density = (fluid + solid) / whole;
                    assert!((density - 1.0).abs() < tolerance, "{kernel:?} {ratio} {step}: {density}");
                }
            }
        }
    }
}
