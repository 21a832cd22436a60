//! Changes of the material while the water moves: numbers that a user may choose, between none and as much as the scene
//! can bear. They follow from the scene's scales, so that the same share means as much in a drop as in a harbor.

use crate::fluid::{MATERIAL_SETTINGS, Material};

/// The scales of a scene.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scales {
    /// The highest speed that the scene is expected to reach as it is shipped, m/s.
    pub speed: f64,
    /// The support radius, m.
    pub support_radius: f64,
}

/// A number of the material that may change.
#[derive(Debug)]
pub(super) struct Change {
    /// Its name in [`MATERIAL_SETTINGS`].
    name: &'static str,
    /// The largest value, for a density at rest, kg/m³.
    most: fn(&Scales, f64) -> f64,
}

/// What may change. The largest tension moves the surface of a drop of one support radius, and the largest viscosity
/// the momentum across one, as fast as the scene's water moves; the largest ambient pressure is that which stops it.
pub(super) static CHANGES: [Change; 6] = [
    Change { name: "surface_tension", most: |of, density| density * of.speed * of.speed * of.support_radius },
    Change { name: "kinematic_viscosity", most: |of, _| of.speed * of.support_radius },
    Change { name: "viscosity", most: |_, _| 0.5 },
    Change { name: "no_slip", most: |_, _| 1.0 },
    Change { name: "xsph", most: |_, _| 0.2 },
    Change { name: "ambient_pressure", most: |of, density| density * of.speed * of.speed },
];

impl Change {
    /// The material with this share of the largest value. It grows with the third power of the share, so that weak
    /// effects occur as well as strong ones, and the value is zero for a share below a fifth.
    pub fn applied_to(&self, material: &Material, share: f32, scales: &Scales) -> Material {
        let most = (self.most)(scales, material.rest_density.into()) as f32;
        let value = if share < 0.2 { 0.0 } else { share.powi(3) * most };
        let mut changed = material.clone();
        if let Some(setting) = MATERIAL_SETTINGS.iter().find(|setting| setting.name == self.name) {
            *(setting.number)(&mut changed) = value;
        }
        changed
    }

    pub fn name(&self) -> &'static str {
        self.name
    }
}

#[cfg(test)]
mod tests {
    use super::{CHANGES, Scales};
    use crate::fluid::{MATERIAL_SETTINGS, Scene};

    #[test]
    fn every_change_changes_its_own_number() {
        let material = Scene::load("dam_break").expect("a scene").material;
        let scales = Scales { speed: 5.0, support_radius: 0.05 };
        for change in &CHANGES {
            let (none, much) = (change.applied_to(&material, 0.1, &scales), change.applied_to(&material, 1.0, &scales));
            for setting in &MATERIAL_SETTINGS {
                let is_changed = setting.value(&none) < setting.value(&much);
                assert_eq!(is_changed, setting.name == change.name, "{} and {}", setting.name, change.name);
            }
        }
    }
}
