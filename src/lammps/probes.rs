//! The probes of a scene as computes and variables of LAMMPS, written into one table.
//!
//! LAMMPS reduces values of all particles to sums and largest values. That suffices for every probe of the fluid except
//! fronts below 100 percent: for these the script writes a histogram of the particles along the direction, from which
//! the front follows, and puts the foremost particle into the table.

use std::io::{self, Write};

use glam::{DVec3, Vec2, Vec3};

use super::script::{from_line, number};
use super::water::Water;
use crate::fluid::probes::circle_in_box;
use crate::fluid::{Dimensions, Probe, SmoothingKernel};

/// The kinds of probes that LAMMPS can express.
pub(super) const KINDS: [&str; 9] = [
    "WaterHeight",
    "WettedLength",
    "Pressure",
    "Front",
    "FloorForce",
    "Energy",
    "KineticEnergy",
    "Momentum",
    "DensityError",
];

/// Bins of a front's histogram per spacing.
const BINS_PER_SPACING: f64 = 4.0;

/// Writes the computes of all probes, and the table `probes.txt` of their readings.
pub(super) fn write_probes(out: &mut impl Write, water: &Water<'_>) -> io::Result<()> {
    let scene = water.scene;
    if scene.probes.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n# The scene's probes, as Nearwater defines them (docs/PROBES.md).")?;
    writeln!(out, "variable probe_steps equal \"ceil(v_probe_every/v_dt)\"")?;
    writeln!(out, "variable now equal time")?;
    let (mut heads, mut values) = (Vec::new(), String::new());
    for (index, probe) in scene.probes.iter().enumerate() {
        let one = OneProbe { probe, id: format!("p{}", index + 1), water };
        let columns: Vec<_> = probe.columns(scene.dimensions).into_iter().map(|column| column.head()).collect();
        writeln!(out, "# {}", columns.join(", "))?;
        one.write(out)?;
        let is_foremost = one.histogram().is_some();
        heads.extend(columns.into_iter().map(|head| if is_foremost { format!("{head}_foremost") } else { head }));
        for name in one.results() {
            values += " v_";
            values += &name;
        }
    }
    let heads: Vec<String> = heads.iter().map(|head| head.replace([' ', '"', '\'', '$', '&'], "_")).collect();
    writeln!(
        out,
        "fix probes all ave/time ${{probe_steps}} 1 ${{probe_steps}} v_now{values} file probes.txt &\n    title2 \"# step \
         time_s {}\"",
        heads.join(" ")
    )
}

/// A probe with the name that its computes begin with.
struct OneProbe<'a> {
    probe: &'a Probe,
    id: String,
    water: &'a Water<'a>,
}

impl OneProbe<'_> {
    /// The names of the variables that hold its readings.
    fn results(&self) -> Vec<String> {
        if self.probe.kind().name == "Momentum" {
            ["x", "y", "z"].map(|axis| format!("{}_{axis}", self.id)).to_vec()
        } else {
            vec![self.id.clone()]
        }
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        match self.probe.kind().name {
            "WaterHeight" => self.water_height(out),
            "WettedLength" => self.wetted_length(out),
            "Pressure" => self.pressure(out),
            "Front" => self.front(out),
            "FloorForce" => self.floor_force(out),
            "Energy" => self.energy(out, true),
            "KineticEnergy" => self.energy(out, false),
            "Momentum" => self.momentum(out),
            _ => self.density_error(out),
        }
    }

    fn is_flat(&self) -> bool {
        self.water.scene.dimensions == Dimensions::Two
    }

    fn half_spacing(&self) -> f64 {
        0.5 * f64::from(self.water.resolution.spacing)
    }

    fn mass(&self) -> f64 {
        self.water.resolution.particle_mass.into()
    }

    /// The number of an argument that the scene or the kind gives.
    fn argument(&self, name: &str) -> f32 {
        let argument = self.probe.kind().arguments.iter().find(|argument| argument.name == name);
        argument.map_or(f32::NAN, |argument| self.probe.number(argument))
    }

    /// The vector of an argument that the scene gives.
    fn vector(&self, name: &str) -> Vec3 {
        let argument = self.probe.kind().arguments.iter().find(|argument| argument.name == name);
        argument.map_or(Vec3::NAN, |argument| self.probe.vector(argument))
    }

    /// A sum over the fluid of a formula for each particle.
    fn sum(&self, out: &mut impl Write, part: &str, formula: &str) -> io::Result<String> {
        self.reduce(out, "sum", (part, formula))
    }

    fn reduce(&self, out: &mut impl Write, how: &str, (part, formula): (&str, &str)) -> io::Result<String> {
        let name = format!("{}_{part}", self.id);
        writeln!(out, "variable {name}_each atom \"{formula}\"")?;
        writeln!(out, "compute {name} fluid reduce {how} v_{name}_each")?;
        Ok(format!("c_{name}"))
    }

    fn result(&self, out: &mut impl Write, formula: &str) -> io::Result<()> {
        writeln!(out, "variable {} equal \"{formula}\"", self.id)
    }

    fn line(&self) -> Vec2 {
        Vec2::new(self.argument("x"), self.argument("z"))
    }

    /// 1 for a particle within a support radius of the probe's line, 0 for others.
    fn is_near(&self) -> String {
        let radius = number(self.water.resolution.support_radius);
        format!("({}<={radius})", from_line(self.line(), self.is_flat()))
    }

    fn water_height(&self, out: &mut impl Write) -> io::Result<()> {
        let floor = number(f64::from(self.water.scene.low.y) - self.half_spacing());
        let highest = self.reduce(out, "max", ("highest", &format!("{}*(y-({floor}))", self.is_near())))?;
        self.result(out, &highest)
    }

    fn wetted_length(&self, out: &mut impl Write) -> io::Result<()> {
        let scene = self.water.scene.probe_scene();
        let radius = f64::from(self.water.resolution.support_radius);
        let line = self.line();
        let foot = scene.projected(Vec3::new(line.x, 0.0, line.y)).as_dvec3();
        let volume = f64::from(self.water.resolution.spacing).powf(scene.dimensions.count());
        let count = self.sum(out, "count", &self.is_near())?;
        self.result(out, &format!("{}*{count}", number(volume / circle_in_box(&scene, foot, radius))))
    }

    fn pressure(&self, out: &mut impl Write) -> io::Result<()> {
        let (at, radius) = (self.vector("at"), self.water.resolution.support_radius);
        let mut squares = format!("(x-({}))^2+(y-({}))^2", number(at.x), number(at.y));
        if !self.is_flat() {
            squares += &["+(z-(", &number(at.z), "))^2"].concat();
        }
        writeln!(out, "variable {}_q atom \"sqrt({squares})/{}\"", self.id, number(radius))?;
        let weight = weight(self.water.kernel, &format!("v_{}_q", self.id));
        let weights = self.sum(out, "weights", &weight)?;
        // A mean within the radius is that of another depth, most of all at a floor, where water is on one side only.
        let shift = self.water.hydrostatic_shift(at);
        let pressures = self.sum(out, "pressures", &format!("v_{}_weights_each*(v_pressure+{shift})", self.id))?;
        // Without particles both sums are 0, and so is the reading.
        self.result(out, &format!("{pressures}/({weights}+({weights}==0))"))
    }

    /// The distance along the direction of a front as a formula, and the range of the box along it.
    fn distance(&self) -> (String, [f64; 2]) {
        let direction = self.vector("direction").as_dvec3().normalize();
        let [x, y, z] = direction.to_array().map(number);
        let depth = if self.is_flat() { String::new() } else { format!("+({z})*z") };
        let (low, high) = (self.water.scene.low.as_dvec3(), self.water.scene.high.as_dvec3());
        let nearest = DVec3::select(direction.cmpgt(DVec3::ZERO), low, high).dot(direction);
        let farthest = DVec3::select(direction.cmpgt(DVec3::ZERO), high, low).dot(direction);
        (format!("({x})*x+({y})*y{depth}"), [nearest, farthest])
    }

    /// The name of the file with the histogram of a front, where it needs one.
    fn histogram(&self) -> Option<String> {
        let is_quantile = self.probe.kind().name == "Front" && self.argument("percent") < 100.0;
        is_quantile.then(|| format!("{}_histogram.txt", self.id))
    }

    fn front(&self, out: &mut impl Write) -> io::Result<()> {
        let (distance, [nearest, farthest]) = self.distance();
        let below = self.argument("below");
        let spacing = f64::from(self.water.resolution.spacing);
        // Particles above the limit are put behind the box.
        let each = if below.is_finite() {
            let ceiling = number(self.water.scene.low.y + below);
            let behind = number(nearest - spacing);
            format!("(y<({ceiling}))*({distance})+(y>=({ceiling}))*({behind})")
        } else {
            distance
        };
        let foremost = self.reduce(out, "max", ("foremost", &each))?;
        if let Some(file) = self.histogram() {
            let bins = ((farthest - nearest) / spacing * BINS_PER_SPACING).ceil().clamp(1.0, 1e6);
            writeln!(
                out,
                "# Nearwater's front is {} m ahead of the place up to which {} percent of these particles are:",
                number(self.half_spacing()),
                number(self.argument("percent"))
            )?;
            writeln!(
                out,
                "fix {}_histogram fluid ave/histo ${{probe_steps}} 1 ${{probe_steps}} {} {} {bins} v_{}_foremost_each &\n    \
                 mode vector kind peratom file {file}",
                self.id,
                number(nearest),
                number(farthest),
                self.id
            )?;
        }
        self.result(out, &format!("{foremost}+{}", number(self.half_spacing())))
    }

    fn floor_force(&self, out: &mut impl Write) -> io::Result<()> {
        let floor = number(self.water.scene.low.y);
        writeln!(out, "region {}_floor block INF INF INF {floor} INF INF", self.id)?;
        writeln!(out, "group {}_walls type 2", self.id)?;
        writeln!(out, "group {}_below region {}_floor", self.id, self.id)?;
        writeln!(out, "group {}_floor intersect {}_walls {}_below", self.id, self.id, self.id)?;
        writeln!(out, "compute {}_force {}_floor reduce sum fy", self.id, self.id)?;
        self.result(out, &format!("-({})*c_{}_force", number(self.water.mass_ratio()), self.id))
    }

    fn energy(&self, out: &mut impl Write, with_potential: bool) -> io::Result<()> {
        let mut energy = "0.5*(vx^2+vy^2+vz^2)".to_owned();
        if with_potential {
            energy += &self.water.potential();
        }
        let sum = self.sum(out, "energy", &energy)?;
        self.result(out, &format!("{}*{sum}", number(self.mass())))
    }

    fn momentum(&self, out: &mut impl Write) -> io::Result<()> {
        let mass = number(self.mass());
        writeln!(out, "compute {}_sum fluid reduce sum vx vy vz", self.id)?;
        for (name, axis) in self.results().iter().zip(1..) {
            writeln!(out, "variable {name} equal \"{mass}*c_{}_sum[{axis}]\"", self.id)?;
        }
        Ok(())
    }

    fn density_error(&self, out: &mut impl Write) -> io::Result<()> {
        let rest_density = number(self.water.scene.material.rest_density);
        let count = self.sum(out, "count", &format!("(c_density>{rest_density})"))?;
        let excess = self.sum(out, "excess", &format!("(c_density>{rest_density})*(c_density/{rest_density}-1.0)"))?;
        self.result(out, &format!("100.0*{excess}/({count}+({count}==0))"))
    }
}

/// The shape of the kernel as a formula of q.
fn weight(kernel: SmoothingKernel, q: &str) -> String {
    match kernel {
        SmoothingKernel::Poly6 => format!("({q}<1.0)*(1.0-{q}^2)^3"),
        SmoothingKernel::CubicSpline => {
            format!("({q}<=0.5)*(6.0*{q}^2*({q}-1.0)+1.0)+({q}>0.5)*({q}<1.0)*2.0*(1.0-{q})^3")
        }
        SmoothingKernel::WendlandC2 => format!("({q}<1.0)*(1.0-{q})^4*(4.0*{q}+1.0)"),
    }
}
