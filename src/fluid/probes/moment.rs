//! Moment of the fluid's force on a side of the box or on a solid.

use glam::DVec3;

use super::{
    ArgumentKind, MEAN_OVER, ON, Probe, ProbeArgument, ProbeInput, ProbeKind, ProbeName, ProbeReading, ProbeScene,
    ProbeSurface, ProbeUnit,
};

pub(super) static KIND: ProbeKind = ProbeKind {
    name: "Moment",
    measures: "moment of the water's force on a side of the box or a solid",
    definition: "Moment about a point of the force that `Force` reads, along x, y and z: the sum of the arm from the \
                 point times the force (cross product), as on the hinge of a gate. Where the point is that of a hinge, \
                 the component along its axis is the torque that must hold it.",
    column: ProbeName::Given,
    unit: ProbeUnit { in_space: "N m", in_plane: "N m/m" },
    reads_solids: true,
    reads_walls: true,
    arguments: &[&ON, &ABOUT, &MEAN_OVER],
    check: is_about_a_point,
    reading: ProbeReading::Vector(moment),
};

static ABOUT: ProbeArgument = ProbeArgument {
    name: "about",
    unit: "m",
    meaning: "the point, in the frame of the scene; its z is ignored in two dimensions",
    kind: ArgumentKind::Vector,
};

fn is_about_a_point(probe: &Probe, _: &ProbeScene) -> Option<&'static str> {
    (!probe.vector(&ABOUT).is_finite()).then_some("must have a finite point `about`, in m")
}

fn moment(probe: &Probe, input: &ProbeInput<'_>) -> Option<DVec3> {
    let about = input.scene.projected(probe.vector(&ABOUT)).as_dvec3();
    match probe.surface(&ON)? {
        ProbeSurface::Side(face) => input.moment_on_wall(*face, about),
        solid @ ProbeSurface::Solid { .. } => input.solid(solid)?.moment(about),
    }
}
