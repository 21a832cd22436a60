//! Gives fixed particles the pressure that the water in front of them has at their depth.
//!
//! Densities of fixed particles follow the continuity equation (dynamic boundaries, Crespo, Gómez-Gesteira and
//! Dalrymple 2007), which answers to approaching water without delay. But a fixed particle sees water on one side only,
//! so the rate is too small, the more the deeper its layer is; the force of the wall as a whole is right only because
//! water moves until it is, with pressures that alternate from layer to layer. Adami, Hu and Adams 2012 take the mean
//! of the water's pressure instead, with the hydrostatic difference to the place of the fixed particle.
//!
//! LAMMPS has no such mean, but it exchanges the energies of particles by heat conduction. Nothing here has a
//! temperature, so the energy holds the *level*, the density without its hydrostatic part, ρ + ρ₀ Φ / c² with the
//! potential Φ, as in the density diffusion of Fourtakas, Dominguez, Vacondio and Rogers 2019. What fixed particles
//! gain by conduction from the water is added to their densities, so that they approach Adami's mean; the continuity
//! equation remains for fast changes. Taken at once, the mean would be two steps late, which amplifies sound.

use std::io::{self, Write};

use super::script::number;
use super::water::{Water, lucy_half};

/// The pair style that exchanges levels.
pub(super) const STYLE: &str = "sph/heatconduction";

/// Part of the difference to the water's level that a fixed particle at a face takes over in a step. Water at rest has
/// a kinetic energy of 0.39 J/m after 1 to 2 s without the exchange, 0.33 with 0.005, 0.19 with 0.02, 0.77 with 0.1 and
/// 3.0 with 0.2, where the delay amplifies sound (`hydrostatic` with 1,440 particles).
const SHARE: f64 = 0.02;

/// Unit of levels as a multiple of the one in which a particle's energy of compression would be about as large as its
/// level. The pair style adds that energy to the same field, and it is negligible in a unit as large as this.
const UNIT: f64 = 1000.0;

/// Writes the coefficients of the exchange between water and fixed particles.
pub(super) fn write_exchange(out: &mut impl Write, water: &Water<'_>) -> io::Result<()> {
    let resolution = water.resolution;
    let radius = f64::from(resolution.support_radius);
    let volume = f64::from(resolution.spacing).powf(water.scene.dimensions.count());
    let full = volume * f64::from(water.scene.material.rest_density) / water.mass;
    // LAMMPS's rate is 2 D m / ρ Σ |W'| / r times the difference.
    let rate = 2.0 * lucy_half(water.scene.dimensions, radius / f64::from(resolution.spacing)) / full;
    let diffusivity = SHARE / f64::from(resolution.time_step) * radius * radius / rate;
    writeln!(
        out,
        "# Fixed particles approach the pressure of the water (see `fix level` below); diffusivity, m2/s; support radius, m."
    )?;
    writeln!(out, "pair_coeff 1 2*3 {STYLE} {} {}", number(diffusivity), number(radius))
}

/// Writes the fixes that set levels, and the densities of fixed particles.
pub(super) fn write_densities(out: &mut impl Write, water: &Water<'_>) -> io::Result<()> {
    let resolution = water.resolution;
    let rest_density = f64::from(water.scene.material.rest_density);
    let sound = f64::from(resolution.sound_speed);
    let volume = f64::from(resolution.spacing).powf(water.scene.dimensions.count());
    let unit = UNIT * volume * sound * sound;
    let (rest, per_potential) = (number(rest_density), number(rest_density / (sound * sound)));
    writeln!(
        out,
        "# A fixed particle sees water on one side only, so the continuity equation alone gives it a wrong pressure, and water\n\
         # at rest alternating ones. It also takes over {} of the difference between its level and that of the water near it in\n\
         # each step. A level is a density without its hydrostatic part. It is stored as the energy, which has no other use\n\
         # here, in a unit so large that the heat of compression in the same field is negligible, and exchanged as heat.\n\
         # Densities of fixed particles are at least the rest density, or else they would pull at water that leaves them.",
        number(SHARE)
    )?;
    writeln!(out, "variable level atom \"{}*(c_density+{per_potential}*({}))\"", number(unit), water.potential())?;
    writeln!(out, "fix level all set 1 0 group all sph/e v_level")?;
    writeln!(out, "compute gain all property/atom desph")?;
    writeln!(out, "variable drawn atom \"v_moved_on+dt*c_gain/{}\"", number(unit))?;
    writeln!(out, "variable held atom \"ternary(v_drawn>{rest},v_drawn,{rest})\"")?;
    writeln!(out, "fix held fixed set 1 0 group fixed sph/rho v_held d_last_rate v_rate")
}
