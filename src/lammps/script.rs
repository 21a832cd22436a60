//! Writes the commented input script of LAMMPS.

use std::io::{self, Write};
use std::path::Path;

use glam::{Vec2, Vec3};

use super::data_file::one_line;
use super::fixed_pressure;
use super::places::{Part, Places};
use super::probes::write_probes;
use super::water::{Viscosity, Water};
use super::{DATA, SCRIPT};
use crate::files::{FileError, write_whole};
use crate::fluid::Dimensions;

/// Extra distance of LAMMPS's neighbor lists as a fraction of the support radius, which lets them serve several steps.
const SKIN: f64 = 0.1;

/// Writes the script beside its data file.
pub(super) fn write(path: &Path, places: &Places<'_>, water: &Water<'_>) -> Result<(), FileError> {
    write_whole(path, |writer| {
        write_head(writer, places, water)?;
        write_particles(writer, water)?;
        write_forces(writer, water)?;
        write_motion(writer, water)?;
        write_probes(writer, water)?;
        write_output(writer)
    })
}

/// A number as LAMMPS reads it, in the single precision that the scene has.
pub(super) fn number(value: impl Into<f64>) -> String {
    (value.into() as f32).to_string()
}

fn write_head(out: &mut impl Write, places: &Places<'_>, water: &Water<'_>) -> io::Result<()> {
    let (scene, resolution, counts) = (water.scene, water.resolution, places.counts());
    writeln!(out, "# {}: the scene \"{}\" of Nearwater.", one_line(&scene.title), one_line(&scene.name))?;
    writeln!(out, "#")?;
    writeln!(out, "#     mpirun -n 4 lmp -in {SCRIPT} -var seconds 2 -var frame_every 0.05 -var probe_every 0.01")?;
    writeln!(out, "#     nearwater play frames.lammpstrj")?;
    writeln!(out, "#")?;
    writeln!(
        out,
        "# {} particles of fluid (type 1), {} of the walls of the box (2), {} of fixed boundaries (3); spacing {} m.",
        counts.fluid,
        counts.walls,
        counts.boundaries,
        number(resolution.spacing)
    )?;
    writeln!(out, "# Units are SI, and y points up. LAMMPS must have been built with its package SPH.\n")?;
    writeln!(out, "# Simulated time, and the simulated time between frames and between readings of the probes, s.")?;
    writeln!(out, "variable seconds index 2")?;
    writeln!(out, "variable frame_every index 0.05")?;
    writeln!(out, "variable probe_every index 0.01")?;
    writeln!(out, "# Length of a time step, s, as Nearwater's WCSPH takes it.")?;
    writeln!(out, "variable dt equal {}\n", number(resolution.time_step))?;
    writeln!(out, "units si")?;
    if scene.dimensions == Dimensions::Two {
        writeln!(out, "# One layer of particles; masses and forces are those per meter of depth.")?;
        writeln!(out, "dimension 2\nboundary f f p")?;
    } else {
        writeln!(out, "dimension 3\nboundary f f f")?;
    }
    writeln!(out, "atom_style sph")?;
    writeln!(
        out,
        "# The water moves through a box that is mostly empty, so processes share it by recursive bisection."
    )?;
    writeln!(out, "comm_style tiled")?;
    writeln!(out, "# The viscosity needs the velocities of particles of other processes.")?;
    writeln!(out, "comm_modify vel yes")
}

fn write_particles(out: &mut impl Write, water: &Water<'_>) -> io::Result<()> {
    let ratio = number(water.mass_ratio());
    writeln!(out, "\nread_data {DATA}")?;
    writeln!(out, "group fluid type {}", Part::Fluid as u8)?;
    writeln!(out, "group fixed type {} {}", Part::Wall as u8, Part::Boundary as u8)?;
    writeln!(
        out,
        "# kg. LAMMPS has no factor on its pressure forces, so this mass is the one at which the gradients of its kernel are\n\
         # exact in the lattice; Nearwater's own mass is {ratio} times as large, and the probes below use that one."
    )?;
    writeln!(out, "mass * {}", number(water.mass))?;
    writeln!(out, "balance 1.05 rcb weight group 2 fluid 1.0 fixed 0.2")
}

fn write_forces(out: &mut impl Write, water: &Water<'_>) -> io::Result<()> {
    let (scene, resolution) = (water.scene, water.resolution);
    let style = water.viscosity.style();
    let coefficients = |viscosity: f64| {
        format!(
            "{} {} {} {}",
            number(scene.material.rest_density),
            number(resolution.sound_speed),
            number(viscosity),
            number(resolution.support_radius)
        )
    };
    writeln!(
        out,
        "\n# Tait's equation of state, p = rho0 c^2 / 7 ((rho / rho0)^7 - 1), and the pressure forces of Monaghan."
    )?;
    match water.viscosity {
        Viscosity::Artificial(_) => writeln!(
            out,
            "# Rest density, kg/m3; speed of sound, m/s; artificial viscosity, half of Nearwater's alpha because LAMMPS\n\
             # multiplies with the support radius instead of half of it; support radius, m."
        )?,
        Viscosity::Dynamic(_) => {
            writeln!(out, "# Rest density, kg/m3; speed of sound, m/s; dynamic viscosity, Pa s; support radius, m.")?;
        }
    }
    writeln!(out, "pair_style hybrid/overlay {style} {}", fixed_pressure::STYLE)?;
    writeln!(out, "pair_coeff * * {style} {}", coefficients(water.viscosity.coefficient()))?;
    writeln!(out, "# Water slides along walls and boundaries without friction, as in Nearwater.")?;
    writeln!(out, "pair_coeff 1 2*3 {style} {}", coefficients(0.0))?;
    fixed_pressure::write_exchange(out, water)?;
    writeln!(out, "neighbor {} bin", number(SKIN * f64::from(resolution.support_radius)))?;
    writeln!(out, "neigh_modify delay 0 every 1 check yes exclude group fixed fixed")?;
    let gravity = scene.gravity;
    if gravity != Vec3::ZERO {
        let [x, y, z] = gravity.as_dvec3().normalize().to_array().map(number);
        writeln!(out, "\n# m/s2, and its direction.")?;
        writeln!(out, "fix gravity fluid gravity {} vector {x} {y} {z}", number(gravity.length()))?;
    }
    let central = &scene.central_gravity;
    if central.strength > 0.0 {
        writeln!(out, "\n# A force towards a point that is proportional to the distance from it.")?;
        let axes = if scene.dimensions == Dimensions::Two { 2 } else { 3 };
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            let formula = if axis < axes {
                let factor = number(-f64::from(central.strength) * water.mass);
                format!("{factor}*({name}-({}))", number(central.center[axis]))
            } else {
                "0.0*x".to_owned()
            };
            writeln!(out, "variable pull_{name} atom \"{formula}\"")?;
        }
        writeln!(out, "fix pull fluid addforce v_pull_x v_pull_y v_pull_z")?;
    }
    Ok(())
}

fn write_motion(out: &mut impl Write, water: &Water<'_>) -> io::Result<()> {
    let scene = water.scene;
    let rest_density = number(scene.material.rest_density);
    let flat = scene.dimensions == Dimensions::Two;
    writeln!(out, "\ntimestep ${{dt}}")?;
    writeln!(out, "fix move fluid sph")?;
    writeln!(out, "# Fixed particles have densities of their own, so that pressure holds the water off.")?;
    writeln!(out, "fix hold fixed sph/stationary")?;
    writeln!(
        out,
        "# LAMMPS computes forces from densities that are half a time step old, which amplifies sound until the water bursts.\n\
         # So densities are moved on by this half step, with the rates of this step and of the last one."
    )?;
    writeln!(out, "compute density all sph/rho/atom")?;
    writeln!(out, "compute rate all property/atom drho")?;
    writeln!(out, "fix rates all property/atom d_last_rate")?;
    writeln!(out, "variable rate atom c_rate")?;
    writeln!(out, "variable moved_on atom \"c_density+0.5*dt*(c_rate-d_last_rate)\"")?;
    writeln!(out, "# `fix set` uses computes as they are; this fix has them computed in every step.")?;
    writeln!(out, "variable nothing equal 0")?;
    writeln!(out, "fix fresh all ave/time 1 1 1 v_nothing")?;
    writeln!(out, "fix move_on fluid set 1 0 group fluid sph/rho v_moved_on d_last_rate v_rate")?;
    fixed_pressure::write_densities(out, water)?;
    writeln!(out, "# Water that reaches a face of the box in spite of that is reflected.")?;
    let faces = |axis: usize, name: &str| {
        format!(" {name}lo {} {name}hi {}", number(scene.low[axis]), number(scene.high[axis]))
    };
    let depth = if flat { String::new() } else { faces(2, "z") };
    writeln!(out, "fix reflect fluid wall/reflect{}{}{depth}", faces(0, "x"), faces(1, "y"))?;
    if flat {
        writeln!(out, "fix plane all enforce2d")?;
    }
    writeln!(out, "fix balance all balance 500 1.1 rcb weight group 2 fluid 1.0 fixed 0.2")?;
    writeln!(out, "\n# Pa.")?;
    let stiffness = number(water.stiffness());
    writeln!(out, "variable pressure atom \"{stiffness}*((c_density/{rest_density})^7-1.0)\"")
}

fn write_output(out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "\n# Frames of the fluid, which Nearwater plays.")?;
    writeln!(out, "variable frame_steps equal \"ceil(v_frame_every/v_dt)\"")?;
    writeln!(out, "dump frames fluid custom ${{frame_steps}} frames.lammpstrj id x y z vx vy vz c_density v_pressure")?;
    writeln!(out, "dump_modify frames sort id time yes units yes format float %.7g colname c_density density")?;
    writeln!(out, "dump_modify frames colname v_pressure pressure")?;
    writeln!(out, "\nthermo_style custom step time cpu atoms")?;
    writeln!(out, "thermo 100")?;
    writeln!(out, "variable steps equal \"ceil(v_seconds/v_dt)\"")?;
    writeln!(out, "run ${{steps}}")
}

/// A distance in the horizontal plane from a vertical line, as a formula.
pub(super) fn from_line(line: Vec2, flat: bool) -> String {
    let along = format!("(x-({}))", number(line.x));
    if flat { format!("abs{along}") } else { format!("sqrt({along}^2+(z-({}))^2)", number(line.y)) }
}
