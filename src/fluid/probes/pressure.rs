//! Pressure at a point or on the disc of a sensor.

use glam::{DVec3, Vec3};

use super::pressure_fit::{Neighborhood, Place};
use super::{
    ArgumentKind, MEAN_OVER, ON, Probe, ProbeArgument, ProbeInput, ProbeKind, ProbeName, ProbeReading, ProbeScene,
    ProbeSurface, ProbeUnit,
};
use crate::fluid::Dimensions;

pub(super) static KIND: ProbeKind = ProbeKind {
    name: "Pressure",
    measures: "pressure at a point or on a sensor",
    definition: "Pressure at a point, or the mean over the disc of a sensor: the value there of the linear function \
                 that fits the pressures of the particles within a support radius best, weighted by the smoothing kernel \
                 (least squares). Behind the walls of the box the images of the particles count too, with the \
                 hydrostatic difference to their places, as in the solver's model of walls; so a reading on a wall is one \
                 at its surface. It is never outside the range of the pressures that it is made of; with fewer than six \
                 particles and images (ten in three dimensions) it is their weighted mean (Shepard 1968), and 0 where \
                 there are no particles. With `on`, the sensor is at the nearest point of that side or of the surface of \
                 that solid, with which it moves. Particles behind a solid's surface do not count there, and those in \
                 front of it have images behind it, like those of walls; the pressure by which a solid accelerates the \
                 water in the last half spacing is therefore missing. The disc lies along the surface, without `on` along \
                 the wall of the box that is nearest to its middle; in two dimensions it is a line.",
    column: ProbeName::Given,
    unit: ProbeUnit::same("Pa"),
    reads_solids: false,
    reads_walls: false,
    arguments: &[&AT, &ACROSS, &SENSOR_ON, &MEAN_OVER],
    check: fault,
    reading: ProbeReading::Scalar(pressure),
};

static AT: ProbeArgument = ProbeArgument {
    name: "at",
    unit: "m",
    meaning: "the point, or the middle of the sensor, on a solid in the frame of the solid (for a body from its center of \
              mass, along its own axes); its z is ignored in two dimensions",
    kind: ArgumentKind::Vector,
};

static ACROSS: ProbeArgument = ProbeArgument {
    name: "across",
    unit: "m",
    meaning: "diameter of the sensor; 0 for a point",
    kind: ArgumentKind::Number(Some(0.0)),
};

static SENSOR_ON: ProbeArgument = ProbeArgument { kind: ArgumentKind::OptionalSurface, ..ON };

/// Rings of points of a disc at which the pressure is evaluated, and points on each.
const RINGS: u32 = 3;
const ON_RING: u32 = 6;

fn fault(probe: &Probe, scene: &ProbeScene) -> Option<&'static str> {
    let size = scene.high - scene.low;
    let widest = if scene.dimensions == Dimensions::Two { size.truncate().max_element() } else { size.max_element() };
    let at = probe.vector(&AT);
    let is_on_solid = matches!(probe.surface(&SENSOR_ON), Some(ProbeSurface::Solid { .. }));
    if !(scene.contains(at) || is_on_solid && at.is_finite()) {
        Some("must lie in the box, in m")
    } else if !(0.0..=widest).contains(&probe.number(&ACROSS)) {
        Some("must have a diameter `across` from 0 to the longest edge of the box, in m")
    } else {
        None
    }
}

fn pressure(probe: &Probe, input: &ProbeInput<'_>) -> Option<f64> {
    let place = place(probe, input)?;
    let across = f64::from(probe.number(&ACROSS));
    let near = Neighborhood::around(place, 0.5 * across, input);
    let points = if across > 0.0 { disc(place, across, &input.scene) } else { vec![place.at] };
    Some(points.iter().map(|&point| near.pressure_at(point)).sum::<f64>() / points.len() as f64)
}

/// Where the sensor is; `None` where its solid is not there.
fn place(probe: &Probe, input: &ProbeInput<'_>) -> Option<Place> {
    let scene = &input.scene;
    let at = probe.vector(&AT).as_dvec3();
    let inward = |axis: usize, is_high: bool| {
        let mut normal = DVec3::ZERO;
        normal[axis] = if is_high { -1.0 } else { 1.0 };
        normal
    };
    let in_box = scene.projected(probe.vector(&AT)).as_dvec3();
    match probe.surface(&SENSOR_ON) {
        None => {
            // Along the nearest wall of the box.
            let (low, high) = (in_box - scene.low.as_dvec3(), scene.high.as_dvec3() - in_box);
            let axes = if scene.dimensions == Dimensions::Two { 0..2 } else { 0..3 };
            let axis = axes.min_by(|&a, &b| low.min(high)[a].total_cmp(&low.min(high)[b])).unwrap_or(0);
            Some(Place { at: in_box, normal: inward(axis, high[axis] < low[axis]), is_on_solid: false })
        }
        Some(ProbeSurface::Side(face)) => {
            let mut at = in_box;
            at[face.axis] = (if face.is_high { scene.high } else { scene.low })[face.axis].into();
            Some(Place { at, normal: inward(face.axis, face.is_high), is_on_solid: false })
        }
        Some(solid @ ProbeSurface::Solid { .. }) => {
            let surface = input.solid(solid)?.surface.as_ref()?;
            let plane = (scene.dimensions == Dimensions::Two).then(|| f64::from(scene.projected(Vec3::ZERO).z));
            let (at, normal) = surface.nearest(at, plane)?;
            Some(Place { at, normal, is_on_solid: true })
        }
    }
}

/// Points that are spread evenly over a sensor's disc of this diameter, m; in two dimensions over a line.
fn disc(Place { at, normal, .. }: Place, across: f64, scene: &ProbeScene) -> Vec<DVec3> {
    let middles = |count: u32| (0..count).map(move |number| (f64::from(number) + 0.5) / f64::from(count));
    if scene.dimensions == Dimensions::Two {
        let along = normal.cross(DVec3::Z);
        return middles(RINGS * ON_RING).map(|share| at + (share - 0.5) * across * along).collect();
    }
    let (one, other) = normal.any_orthonormal_pair();
    // Rings of equal areas, with as many points each, so that no direction counts more than another.
    let rings = (0_u32..).zip(middles(RINGS)).flat_map(|(ring, share)| {
        let turn = f64::from(ring) / f64::from(RINGS * ON_RING);
        middles(ON_RING).map(move |angle| (share.sqrt(), std::f64::consts::TAU * (angle + turn)))
    });
    rings.map(|(far, angle)| at + 0.5 * across * far * (angle.cos() * one + angle.sin() * other)).collect()
}
