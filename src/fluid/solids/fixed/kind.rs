//! The kind of solid that is fixed in space.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use glam::{DVec3, Quat, Vec3};

use super::boundary::Boundary;
use super::error::BoundaryError;
use crate::fluid::resolution::Resolution;
use crate::fluid::scene::Scene;
use crate::fluid::scene::limits::{MOST_BOUNDARIES, fault_of_count, fault_of_length};
use crate::fluid::solids::sampling::{Mesh, most_samples};
use crate::fluid::solids::{
    Mover, RigidView, SampleInput, Sampled, SceneSolid, Solid, SolidInfo, SolidInput, SolidView, Start, StepContext,
    SurfaceSamples, boundary_weights,
};
use crate::fluid::step_part::StepPart;
use crate::fluid::{FluidError, SceneError, SmoothingKernel};

static INFO: SolidInfo = SolidInfo {
    name: "fixed",
    field: "boundaries",
    takes_room: true,
    is_thin: false,
    in_plane: true,
    load,
    fault,
    falling: |_| Vec::new(),
    lightest_layer: |_| None,
    lightest_body: |_| None,
    spacing_for: |_, _| None,
    measured: |_| 0,
    obstacles: |scene| scene.solids.of::<Boundary>().iter().map(Boundary::obstacle).collect(),
    sample: |input| Ok(FixedSamples::new(input)?.map(|samples| Box::new(samples) as Box<dyn Sampled>)),
    check: |_, _, _| Ok(()),
    notices: |_, _| Vec::new(),
    shaders: Vec::new,
    create: |input| Ok(Box::new(FixedSolids::new(input))),
    read_state: |_| Ok(None),
};

impl SceneSolid for Boundary {
    const KIND: &'static SolidInfo = &INFO;
}

fn load(scene: &mut Scene, file: &str, folder: Option<&Path>) -> Result<(), SceneError> {
    for (index, solid) in scene.solids.of_mut::<Boundary>().iter_mut().enumerate() {
        solid.load(folder).map_err(|error| SceneError::Mesh {
            file: file.to_owned(),
            field: format!("{}[{index}]", INFO.field),
            error,
        })?;
    }
    Ok(())
}

fn fault(scene: &Scene) -> Option<(String, String)> {
    let boundaries = scene.solids.of::<Boundary>();
    if let Some(reason) = fault_of_count(boundaries.len(), MOST_BOUNDARIES) {
        return Some((INFO.field.to_owned(), reason));
    }
    boundaries.iter().enumerate().find_map(|(index, boundary)| {
        if let Some((field, reason)) = boundary.fault() {
            return Some((format!("boundaries[{index}].{field}"), reason.to_owned()));
        }
        let (low, high) = boundary.surface().bounds();
        let reason = fault_of_length(low).or_else(|| fault_of_length(high))?;
        Some((format!("boundaries[{index}]"), reason))
    })
}

/// The particles of all boundaries of a scene, sampled as one solid.
struct FixedSamples(SurfaceSamples);

impl FixedSamples {
    fn new(input: &SampleInput<'_>) -> Result<Option<Self>, FluidError> {
        let SampleInput { scene, spacing, .. } = *input;
        let surfaces: Vec<Mesh> = scene.solids.of::<Boundary>().iter().map(Boundary::surface).collect();
        if surfaces.is_empty() {
            return Ok(None);
        }
        let (fixed, without) = SurfaceSamples::at_most(
            most_samples(scene, spacing),
            &surfaces,
            spacing,
            (scene.low, scene.high),
            scene.section(),
        )?;
        match without {
            Some(boundary) => Err(BoundaryError::WithoutParticles { boundary, spacing }.into()),
            None => Ok(Some(Self(fixed))),
        }
    }

    /// Positions of the particles, m.
    #[cfg(test)]
    fn points(&self) -> &[Vec3] {
        self.0.points()
    }
}

impl Sampled for FixedSamples {
    fn starts(&self) -> Vec<Start> {
        self.0.points().iter().map(|&point| (point, Vec3::ZERO)).collect()
    }

    fn count(&self) -> usize {
        self.0.points().len()
    }

    fn takes(&self, place: DVec3) -> bool {
        self.0.takes(place)
    }

    fn is_inside(&self, place: DVec3) -> bool {
        self.0.is_inside(place)
    }

    fn range_of(&self, number: usize) -> Option<Range<usize>> {
        self.0.range_of(number)
    }

    fn weights(&self, kernel: SmoothingKernel, scene: &Scene, resolution: &Resolution) -> Vec<f32> {
        boundary_weights(self.0.points(), kernel, scene.dimensions, resolution)
    }

    fn water_shares(&self, kernel: SmoothingKernel, scene: &Scene, resolution: &Resolution) -> Vec<f32> {
        self.0.water_shares(kernel, scene.dimensions, resolution, Some((scene.low, scene.high)))
    }
}

/// Boundaries on the device: surfaces for drawing, and no passes.
struct FixedSolids {
    /// Their surfaces at their places in the scene.
    surfaces: Vec<Arc<Mesh>>,
}

impl FixedSolids {
    fn new(input: &SolidInput<'_>) -> Self {
        Self {
            surfaces: input.scene.solids.of::<Boundary>().iter().map(|boundary| Arc::new(boundary.surface())).collect(),
        }
    }
}

/// A surface in its place, which is that of its vertices.
fn view_of(surface: &Arc<Mesh>) -> RigidView<'_> {
    RigidView { surface, rotation: Quat::IDENTITY, translation: Vec3::ZERO, mover: Mover::Nothing }
}

impl StepPart for FixedSolids {}

impl Solid for FixedSolids {
    fn views<'a>(&'a self, _: StepContext<'a>) -> Vec<SolidView<'a>> {
        self.surfaces.iter().map(view_of).map(SolidView::Rigid).collect()
    }

    fn surface<'a>(&'a self, number: usize, _: StepContext<'a>) -> Option<RigidView<'a>> {
        self.surfaces.get(number).map(view_of)
    }
}

#[cfg(test)]
mod tests {
    use glam::{DVec3, Vec3};

    use super::FixedSamples;
    use crate::fluid::solids::{SampleInput, Sampled};
    use crate::fluid::{Boundary, FluidError, Scene};
    use crate::search::random::uniform;

    const SPACING: f32 = 0.1;

    fn sample(boundaries: Vec<Boundary>, spacing: f32) -> Result<FixedSamples, FluidError> {
        let scene = Scene { solids: boundaries.into(), ..Scene::load("dam_break").expect("it ships with the program") };
        let input = SampleInput { scene: &scene, spacing, earlier: &[] };
        Ok(FixedSamples::new(&input)?.expect("there are boundaries"))
    }

    fn cuboid(low: Vec3, high: Vec3) -> Boundary {
        Boundary::Box { low, high }
    }

    #[test]
    fn a_box_of_whole_spacings_is_covered_by_the_lattice() {
        let samples = sample(vec![cuboid(Vec3::ONE, Vec3::new(2.0, 1.8, 1.5))], SPACING).expect("it fits");
        // The outer layer of 10 by 8 by 5 points. The box of the scene ends at z = 1.5.
        assert_eq!(samples.points().len(), 10 * 8 * 5 - 8 * 6 * 3);
        for point in samples.points() {
            let place = (*point - 1.0) / SPACING - 0.5;
            assert!((place - place.round()).abs().max_element() < 1e-4, "{point} is off the lattice");
        }
    }

    #[test]
    fn samples_are_even_without_holes_and_half_a_spacing_below_the_surface() {
        let sphere = Boundary::Sphere { center: Vec3::new(0.0, 2.0, 0.0), radius: 1.0 };
        let cylinder = Boundary::Cylinder { foot: Vec3::new(3.0, 1.0, 0.0), radius: 0.7, height: 1.3 };
        let tilted = cuboid(Vec3::new(-3.03, 1.0, -0.57), Vec3::new(-2.0, 1.77, 0.71));
        for boundary in [sphere, cylinder, tilted] {
            let samples = sample(vec![boundary.clone()], SPACING).expect("it fits");
            let points = samples.points();
            for (number, point) in points.iter().enumerate() {
                let nearest = points[..number].iter().map(|other| other.distance(*point)).fold(f32::INFINITY, f32::min);
                assert!(nearest >= 0.8 * SPACING, "{boundary:?}: two samples {nearest} m apart");
            }
            // Every point one spacing outside the layer has a sample within slightly more than a spacing.
            let surface = boundary.surface();
            let corners: Vec<_> = surface.corners().collect();
            for number in 0..2_000 {
                let [a, b, c] = corners[number as usize * 7919 % corners.len()];
                let (mut u, mut v) = (uniform(3, 2 * number), uniform(3, 2 * number + 1));
                if u + v > 1.0 {
                    (u, v) = (1.0 - u, 1.0 - v);
                }
                let normal = (b - a).cross(c - a).normalize();
                let place = a + u * (b - a) + v * (c - a);
                let outside = place + 0.5 * SPACING * normal;
                let nearest = points.iter().map(|point| point.distance(outside)).fold(f32::INFINITY, f32::min);
                assert!(nearest < 1.35 * SPACING, "{boundary:?}: a hole of {nearest} m at {place}");
                assert!(samples.takes((place - 0.3 * SPACING * normal).as_dvec3()), "{boundary:?} at {place}");
                assert!(!samples.takes((place + 0.5 * SPACING * normal).as_dvec3()), "{boundary:?} at {place}");
            }
        }
    }

    #[test]
    fn thin_parts_are_sampled_in_their_middle_and_buried_ones_not_at_all() {
        let plate = cuboid(Vec3::new(-1.0, 1.0, -1.0), Vec3::new(1.0, 1.02, 1.0));
        let samples = sample(vec![plate], SPACING).expect("it fits");
        assert!(samples.points().iter().all(|point| (point.y - 1.01).abs() < 1e-4));
        assert!((350..=400).contains(&samples.points().len()), "{}", samples.points().len());
        // Two stacked boxes are sampled like the single box that they form, except at the edge between them.
        let lower = cuboid(Vec3::new(0.0, 1.0, 0.0), Vec3::new(1.0, 1.5, 1.0));
        let upper = cuboid(Vec3::new(0.0, 1.5, 0.0), Vec3::new(1.0, 2.0, 1.0));
        let stacked = sample(vec![lower, upper], SPACING).expect("they fit");
        assert!(stacked.points().iter().all(|point| {
            let inside = (*point - Vec3::new(0.0, 1.0, 0.0)).min(Vec3::new(1.0, 2.0, 1.0) - *point);
            inside.min_element() < 0.051
        }));
        assert!(stacked.takes(DVec3::new(0.5, 1.5, 0.5)));
    }

    #[test]
    fn too_many_and_missing_particles_are_refused() {
        let large = cuboid(Vec3::new(-5.0, 0.0, -1.5), Vec3::new(5.0, 6.0, 1.5));
        let error = sample(vec![large], 1e-3).err().expect("216 million");
        assert!(matches!(error, FluidError::TooManyBoundaryParticles { limit: 16_777_216, .. }), "{error}");
        let outside = cuboid(Vec3::splat(20.0), Vec3::splat(21.0));
        let inside = cuboid(Vec3::new(-1.0, 1.0, -1.0), Vec3::new(1.0, 3.0, 1.0));
        let error = sample(vec![inside, outside], SPACING).err().expect("it is not in the box").to_string();
        assert!(error.contains("boundaries[1]"), "{error}");
    }
}
