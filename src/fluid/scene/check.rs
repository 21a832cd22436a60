//! Checks of scenes: refuses values that no simulation can run with.

use glam::Vec3;

use super::limits::{
    LARGEST_GRAVITY, LARGEST_SPEED, MOST_BLOCKS, MOST_ENTRIES, fault_of_count, fault_of_length, fault_of_velocity,
};
use super::{Block, Scene};
use crate::fluid::flow::MOST;
use crate::fluid::foam::fault_of_foam;
use crate::fluid::probes::first_fault;
use crate::fluid::setting_groups::every_setting;
use crate::fluid::solvers::Medium;
use crate::fluid::{Density, Dimensions, PointFluid, SceneError};

impl Scene {
    /// Refuses particles from files that no simulation can start with. This is separate from [`Scene::check`], which
    /// runs more often, because there may be very many of them.
    pub(in crate::fluid) fn check_points(&self, file: &str) -> Result<(), SceneError> {
        let spacing = self.points_spacing().unwrap_or_default();
        let other = |fluid: &PointFluid| fluid.spacing.to_bits() != spacing.to_bits();
        let fault = |fluid: &PointFluid| {
            fluid.fault(self).or_else(|| {
                let reason = || {
                    format!(
                        "the spacing is {}, and that of points[0] is {spacing}; use the same spacing for all",
                        fluid.spacing
                    )
                };
                other(fluid).then(reason)
            })
        };
        let found = self.points.iter().enumerate().find_map(|(index, fluid)| Some((index, fault(fluid)?)));
        found.map_or(Ok(()), |(index, reason)| {
            Err(SceneError::Value { file: file.to_owned(), field: format!("points[{index}]"), reason })
        })
    }

    /// Refuses values that no simulation can run with; `file` names the scene in messages.
    pub(in crate::fluid) fn check(&self, file: &str) -> Result<(), SceneError> {
        let refuse = |field: String, reason: &str| {
            Err(SceneError::Value { file: file.to_owned(), field, reason: reason.to_owned() })
        };
        if !upright(self.low, self.high) {
            return refuse("high".into(), "the box must be finite, and high must be greater than low along each axis");
        }
        for (field, corner) in [("low", self.low), ("high", self.high)] {
            if let Some(reason) = fault_of_length(corner) {
                return refuse(field.into(), &reason);
            }
        }
        let counts = [
            ("blocks", self.blocks.len(), MOST_BLOCKS),
            ("probes", self.probes.len(), MOST_ENTRIES),
            ("points", self.points.len(), MOST_ENTRIES),
        ];
        for (field, count, most) in counts {
            if let Some(reason) = fault_of_count(count, most) {
                return refuse(field.into(), &reason);
            }
        }
        if self.particles == Some(0) {
            return refuse("particles".into(), "must be at least 1");
        }
        let can_be_alone = self.solids.kinds().any(|info| (info.spacing_for)(self, 1).is_some());
        if !self.has_fluid() && !can_be_alone {
            let reason = "there is no fluid; add a block, points from a file, an emitter or a cloth";
            return refuse("blocks".into(), reason);
        }
        for (index, block) in self.blocks.iter().enumerate() {
            let field = format!("blocks[{index}]");
            if !upright(block.low, block.high) {
                return refuse(field, "the block must be finite, and high must be greater than low along each axis");
            }
            if let Some((part, reason)) = block.fault_of_velocity(self.dimensions) {
                return refuse(format!("{field}.{part}"), &reason);
            }
            if let Some(reason) = fault_of_count(block.fields.len(), MOST_ENTRIES) {
                return refuse(format!("{field}.fields"), &reason);
            }
            let fastest = block.fastest();
            if fastest.is_nan() || fastest > LARGEST_SPEED {
                let fastest = if fastest.is_finite() { fastest } else { block.velocity.abs().max_element() };
                let reason =
                    format!("gives a speed of {fastest:e} m/s, and at most {LARGEST_SPEED:e} m/s are possible");
                let part = if block.fields.is_empty() { "velocity" } else { "fields" };
                return refuse(format!("{field}.{part}"), &reason);
            }
            if block.low.cmplt(self.low).any() || block.high.cmpgt(self.high).any() {
                return Err(SceneError::OutsideBox {
                    file: file.to_owned(),
                    block: index,
                    low: block.low,
                    high: block.high,
                    box_low: self.low,
                    box_high: self.high,
                });
            }
            let overlaps = |other: &Block| {
                let along = block.low.cmplt(other.high) & other.low.cmplt(block.high);
                along.x && along.y && (along.z || self.dimensions == Dimensions::Two)
            };
            if self.blocks[..index].iter().any(overlaps) {
                return refuse(field, "the block overlaps an earlier one; move them apart or join them");
            }
        }
        for info in self.solids.kinds() {
            if let Some((field, reason)) = (info.fault)(self) {
                return refuse(field, &reason);
            }
        }
        self.check_flow(&refuse)?;
        if !(self.gravity.is_finite() && self.gravity.abs().max_element() <= LARGEST_GRAVITY) {
            let reason =
                format!("is {}, and must be finite and at most {LARGEST_GRAVITY:e} m/s² along each axis", self.gravity);
            return refuse("gravity".into(), &reason);
        }
        if let Some(reason) = fault_of_length(self.central_gravity.center) {
            return refuse("central_gravity.center".into(), &reason);
        }
        if self.dimensions == Dimensions::Two {
            if self.gravity.z != 0.0 {
                return refuse("gravity".into(), "must have no z component in a scene of 2 dimensions");
            }
            if let Some(info) = self.solids.kinds().find(|info| !info.in_plane) {
                return refuse(
                    info.field.into(),
                    "are only possible in a scene of 3 dimensions; leave them out of one of 2",
                );
            }
        }
        self.check_ranges(&refuse)?;
        if let Some((index, fault)) = first_fault(&self.probes, &self.probe_scene()) {
            return refuse(format!("probes[{index}]"), fault);
        }
        let camera = &self.camera;
        if !(camera.eye.is_finite() && camera.target.is_finite() && camera.eye != camera.target) {
            return refuse("camera.eye".into(), "eye and target must be finite and different points");
        }
        Ok(())
    }

    /// Refuses emitters and drains with invalid values.
    fn check_flow(&self, refuse: &dyn Fn(String, &str) -> Result<(), SceneError>) -> Result<(), SceneError> {
        let most = format!("has more than {MOST} entries; leave some out");
        if self.emitters.len() > MOST {
            return refuse("emitters".into(), &most);
        }
        if self.drains.len() > MOST {
            return refuse("drains".into(), &most);
        }
        if !(0.0..=1e9).contains(&self.reservoir) {
            return refuse("reservoir".into(), "must be from 0 to 1e9 m³");
        }
        if !self.emitters.is_empty() && self.reservoir == 0.0 {
            return refuse("reservoir".into(), "is empty; set the volume in m³ that emitters may pour");
        }
        for (index, emitter) in self.emitters.iter().enumerate() {
            let refuse = |field: &str, reason: &str| refuse(format!("emitters[{index}].{field}"), reason);
            let is_in_box = emitter.center.cmpge(self.low).all() && emitter.center.cmple(self.high).all();
            if !is_in_box {
                return refuse("center", "must lie in the box");
            }
            if !(emitter.radius.is_finite() && emitter.radius > 0.0) {
                return refuse("radius", "must be positive and finite, in m");
            }
            if !(emitter.velocity.is_finite() && emitter.velocity.try_normalize().is_some()) {
                return refuse("velocity", "must be finite and not zero, in m/s");
            }
            if let Some(reason) = fault_of_velocity(emitter.velocity) {
                return refuse("velocity", &reason);
            }
            if self.dimensions == Dimensions::Two && emitter.velocity.z != 0.0 {
                return refuse("velocity", "must have no z component in a scene of 2 dimensions");
            }
        }
        let fault = self.drains.iter().position(|drain| !upright(drain.low, drain.high));
        fault.map_or(Ok(()), |index| {
            let reason = "the drain must be finite, and high must be greater than low along each axis";
            refuse(format!("drains[{index}].high"), reason)
        })
    }

    /// Refuses numbers outside their ranges.
    fn check_ranges(&self, refuse: &dyn Fn(String, &str) -> Result<(), SceneError>) -> Result<(), SceneError> {
        let material = &self.material;
        let diffusion = match material.density {
            Density::Summation => 0.0,
            Density::Continuity { diffusion } => diffusion,
        };
        let ranges = [
            ("material.rest_density", material.rest_density, 1e-3, 1e6, "kg/m³"),
            ("material.sound_speed_factor", material.sound_speed_factor, 5.0, 100.0, "times the water's speed"),
            ("material.viscosity", material.viscosity, 0.0, 10.0, "without unit"),
            ("material.kinematic_viscosity", material.kinematic_viscosity, 0.0, 1e4, "m²/s"),
            ("material.no_slip", material.no_slip, 0.0, 1.0, "without unit"),
            ("material.skin_friction", material.skin_friction, 0.0, 10.0, "without unit"),
            ("material.xsph", material.xsph, 0.0, 1.0, "without unit"),
            ("material.surface_tension", material.surface_tension, 0.0, 1e6, "N/m"),
            ("material.ambient_pressure", material.ambient_pressure, 0.0, 1e9, "Pa"),
            ("material.radius_ratio", material.radius_ratio, 1.5, 4.0, "spacings"),
            ("material.density.diffusion", diffusion, 0.0, 1.0, "without unit"),
            ("central_gravity.strength", self.central_gravity.strength, 0.0, 1e6, "1/s²"),
            ("camera.vertical_fov_degrees", self.camera.vertical_fov_degrees, 1.0, 170.0, "degrees"),
        ];
        for (field, value, least, most, unit) in ranges {
            if !(least..=most).contains(&value) {
                return refuse(field.into(), &format!("is {value}, and must be from {least} to {most} {unit}"));
            }
        }
        // The solver may come from another crate, and is not in the registry then.
        for setting in every_setting().chain(self.solver.settings.iter().copied()) {
            if let Some(reason) = self.solver_settings.chosen(setting).and_then(|value| setting.fault(value)) {
                return refuse(setting.path(), &reason);
            }
        }
        if let Some((field, reason)) = fault_of_foam(&self.solver_settings) {
            return refuse(field, &reason);
        }
        let fault = (self.solver.fault)(Medium { material, settings: &self.solver_settings });
        fault.map_or(Ok(()), |(field, reason)| refuse(field, &reason))
    }
}

fn upright(low: Vec3, high: Vec3) -> bool {
    low.is_finite() && high.is_finite() && low.cmplt(high).all()
}
