//! A color field that the program does not have: how fast particles rise.

use nearwater::render::{ColorFieldInfo, ColorMap, FieldNeeds, FieldShading};

pub static RISE: ColorFieldInfo = ColorFieldInfo {
    name: "Rise",
    label: "rise of particles",
    unit: "m/s",
    map: ColorMap::Ember,
    shading: FieldShading::Value("max(velocities[index].y, 0.0)"),
    needs: FieldNeeds::Nothing,
    without_density: None,
    default_range: |scale| (0.0, scale.expected_speed),
};
