//! The table of color fields.
//!
//! A field is one entry: the number by which the shaders know it, its key, its place in the panel, its name on the
//! command line and its legend follow from its place in [`COLOR_FIELDS`] and from what it says of itself.

use std::fmt::{Formatter, Result as FormatResult};

use serde::de::{EnumAccess, Error, VariantAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::color_field::FieldShading::{Color, Value};
use super::{ColorField, ColorFieldInfo, ColorMap, CustomField, FieldNeeds};
use crate::identifier::Identifier;

/// Every field that needs no buffer of the caller, in the order of their keys. Pictures start on the first.
pub static COLOR_FIELDS: &[&ColorFieldInfo] = &[
    &SPEED,
    &DENSITY,
    &PRESSURE,
    &NEIGHBOR_COUNT,
    &CANDIDATE_COUNT,
    &CELL,
    &BORDER_OR_INNER,
    &PLACE_IN_THE_BUFFERS,
    &OVERHEAD,
];

impl ColorField {
    /// The values of [`super::Drawn::custom_field`]. It has no key and is not listed, because it needs that buffer.
    pub const fn custom(custom: CustomField) -> Self {
        Self::with_custom(&CUSTOM, custom)
    }

    /// The values of [`super::Drawn::custom_field`] by the particles' original indices, such as the numbers that a
    /// recording has.
    pub const fn recorded(custom: CustomField) -> Self {
        Self::with_custom(&RECORDED, custom)
    }

    /// The fields of [`COLOR_FIELDS`], in the order of their keys.
    pub fn all() -> impl ExactSizeIterator<Item = Self> {
        COLOR_FIELDS.iter().map(|info| Self::new(info))
    }
}

impl Default for ColorField {
    fn default() -> Self {
        Self::new(COLOR_FIELDS[0])
    }
}

impl<'de> Deserialize<'de> for ColorField {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_enum("ColorField", &[], Name)
    }
}

/// Reads the name of a listed field as serde reads a variant without fields.
struct Name;

impl<'de> Visitor<'de> for Name {
    type Value = ColorField;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> FormatResult {
        formatter.write_str("the name of a color field")
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<ColorField, A::Error> {
        let (Identifier(name), variant) = data.variant()?;
        variant.unit_variant()?;
        let named = COLOR_FIELDS.iter().find(|field| field.name == name);
        let names = || COLOR_FIELDS.iter().map(|field| field.name).collect::<Vec<_>>().join(", ");
        let refusal = || Error::custom(format!("there is no color field {name}; there are {}", names()));
        named.map(|field| ColorField::new(field)).ok_or_else(refusal)
    }
}

/// Length of the velocity.
static SPEED: ColorFieldInfo = ColorFieldInfo {
    name: "Speed",
    label: "speed",
    unit: "m/s",
    map: ColorMap::Water,
    shading: Value("length(velocities[index].xyz)"),
    needs: FieldNeeds::Nothing,
    without_density: None,
    default_range: |scale| (0.0, scale.expected_speed),
};

static DENSITY: ColorFieldInfo = ColorFieldInfo {
    name: "Density",
    label: "density",
    unit: "kg/m³",
    map: ColorMap::Ember,
    shading: Value("densities[index].x"),
    needs: FieldNeeds::Nothing,
    without_density: Some(&NEIGHBOR_COUNT),
    // Weakly compressible water stays within a percent inside; at its surface the kernel reaches into the air.
    default_range: |scale| (0.8 * scale.rest_density, 1.05 * scale.rest_density),
};

static PRESSURE: ColorFieldInfo = ColorFieldInfo {
    name: "Pressure",
    label: "pressure",
    unit: "Pa",
    map: ColorMap::Ember,
    shading: Value("densities[index].y * densities[index].x * densities[index].x"),
    needs: FieldNeeds::Nothing,
    without_density: None,
    // The pressure that stops water of the expected speed (Bernoulli): ρ v² / 2.
    default_range: |scale| (0.0, 0.5 * scale.rest_density * scale.expected_speed * scale.expected_speed),
};

/// Particles within the support radius.
static NEIGHBOR_COUNT: ColorFieldInfo = ColorFieldInfo {
    name: "NeighborCount",
    label: "neighbor count",
    unit: "",
    map: ColorMap::Ember,
    shading: Value("f32(neighbor_counts[index])"),
    needs: FieldNeeds::PairCounts,
    without_density: None,
    default_range: |scale| (0.0, 1.25 * scale.expected_neighbor_count),
};

/// Particles that the search tested for the particle.
static CANDIDATE_COUNT: ColorFieldInfo = ColorFieldInfo {
    name: "CandidateCount",
    label: "candidate count",
    unit: "",
    map: ColorMap::Ember,
    shading: Value("f32(candidate_counts[index])"),
    needs: FieldNeeds::PairCounts,
    without_density: None,
    // 27 cells of edge r hold 6.4 times the neighbors (27 over the unit sphere's volume).
    default_range: |scale| (0.0, 8.0 * scale.expected_neighbor_count),
};

/// The cell of the search that the particle is in.
static CELL: ColorFieldInfo = ColorFieldInfo {
    name: "Cell",
    label: "cell",
    unit: "",
    map: ColorMap::Cells,
    shading: Color("cell_color(position)"),
    needs: FieldNeeds::Nothing,
    without_density: None,
    default_range: |_| (0.0, ColorMap::CELL_COLORS as f32),
};

/// Border or inner, where the search tells them apart.
pub static BORDER_OR_INNER: ColorFieldInfo = ColorFieldInfo {
    name: "Class",
    label: "border or inner",
    unit: "",
    map: ColorMap::Classes,
    shading: Color("palette_at(f32(is_border(position)))"),
    needs: FieldNeeds::Nothing,
    without_density: None,
    default_range: |_| (0.0, 1.0),
};

/// The particle's place in the buffers, which the search's sort decides.
pub static PLACE_IN_THE_BUFFERS: ColorFieldInfo = ColorFieldInfo {
    name: "BufferPosition",
    label: "place in the buffers",
    unit: "",
    map: ColorMap::Turn,
    shading: Value("f32(index)"),
    needs: FieldNeeds::Nothing,
    without_density: None,
    default_range: |scale| (0.0, scale.particle_count.max(1) as f32),
};

/// Candidates over neighbors: how many particles the search tested for each neighbor it found.
static OVERHEAD: ColorFieldInfo = ColorFieldInfo {
    name: "Overhead",
    label: "overhead",
    unit: "candidates per neighbor",
    map: ColorMap::Ember,
    shading: Value("f32(candidate_counts[index]) / f32(max(neighbor_counts[index], 1u))"),
    needs: FieldNeeds::PairCounts,
    without_density: None,
    // Every candidate a neighbor, and somewhat more than the 6.4 of 27 cells.
    default_range: |_| (1.0, 8.0),
};

/// The values of [`super::Drawn::custom_field`] by the particles' original indices, which do not change as the search
/// sorts.
pub(super) static RECORDED: ColorFieldInfo = ColorFieldInfo {
    name: "Recorded",
    label: "recorded",
    shading: Color("custom_color(bitcast<u32>(velocities[index].w))"),
    ..CUSTOM_VALUES
};

/// The values of [`super::Drawn::custom_field`]; not listed, because it needs that buffer.
pub(super) static CUSTOM: ColorFieldInfo = CUSTOM_VALUES;

const CUSTOM_VALUES: ColorFieldInfo = ColorFieldInfo {
    name: "Custom",
    label: "custom",
    unit: "",
    map: ColorMap::Ember,
    shading: Color("custom_color(index)"),
    needs: FieldNeeds::CustomValues,
    without_density: None,
    default_range: |_| (0.0, 1.0),
};

#[cfg(test)]
mod tests {
    use super::{COLOR_FIELDS, ColorField, ColorFieldInfo};

    #[test]
    fn every_field_is_found_by_its_names_and_saved_under_one() {
        for (place, field) in ColorField::all().enumerate() {
            assert_eq!(ColorFieldInfo::by_argument(COLOR_FIELDS, &field.info().argument()), Ok(field));
            let saved = ron::to_string(&field).expect("a name");
            assert_eq!(ron::from_str(&saved), Ok(field), "{saved}");
            assert_eq!(ColorField::all().position(|other| other == field), Some(place), "two fields {field:?}");
        }
        assert_eq!(ron::to_string(&ColorField::default()).as_deref(), Ok("Speed"), "as saved by earlier versions");
        let error = ron::from_str::<ColorField>("Heat").expect_err("no such field").to_string();
        assert!(error.contains("no color field Heat; there are Speed"), "{error}");
        let error = ColorFieldInfo::by_argument(COLOR_FIELDS, "heat").expect_err("no such field");
        assert!(error.contains("speed, density") && error.contains("place-in-the-buffers"), "{error}");
    }
}
