//! What a particle's color shows: the contract of a color field, and the handle by which a picture names one.

use std::fmt::{Debug, Display, Formatter, Result as FormatResult};

use serde::{Serialize, Serializer};

use super::ColorMap;

/// A color field: everything that is asked of it. Shaders, command line, keys, panel, legend and settings read it here.
pub struct ColorFieldInfo {
    /// Name in files of settings, without spaces.
    pub name: &'static str,
    /// Name on screen. With hyphens for spaces it is the name on the command line.
    pub label: &'static str,
    /// The unit, empty for plain numbers.
    pub unit: &'static str,
    /// The map that it is drawn in.
    pub map: ColorMap,
    /// How the shaders color a particle.
    pub shading: FieldShading,
    /// What it needs besides positions, velocities and densities.
    pub needs: FieldNeeds,
    /// The field that is shown in its place where the particles are no fluid and have no density.
    pub without_density: Option<&'static ColorFieldInfo>,
    /// The lowest and highest value that the map spans unless the caller chooses others.
    pub default_range: fn(&FieldScale) -> (f32, f32),
}

/// How the shaders color a particle: a WGSL expression. It may use `index`, the particle's place in the buffers,
/// `position`, in m, and what `shaders/render/field.wgsl` declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldShading {
    /// The field's value, an `f32` in the field's unit, which the map turns into a color.
    Value(&'static str),
    /// The color itself, a `vec3<f32>` of linear light.
    Color(&'static str),
}

/// The numbers that a field shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldNeeds {
    /// Nothing but what every simulation has.
    Nothing,
    /// [`super::DrawnParticles::neighbor_counts`] or [`super::DrawnParticles::candidate_counts`], which only a counting
    /// traversal fills.
    PairCounts,
    /// [`super::Drawn::custom_field`].
    CustomValues,
}

/// The numbers that say which values a field usually takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldScale {
    /// Density at rest, kg/m³.
    pub rest_density: f32,
    /// Speed that the fastest water is expected to reach, m/s.
    pub expected_speed: f32,
    /// Neighbors of a particle inside the water.
    pub expected_neighbor_count: f32,
    /// Number of particles.
    pub particle_count: u32,
}

/// A color field as a picture names it.
#[derive(Clone, Copy)]
pub struct ColorField {
    info: &'static ColorFieldInfo,
    /// Label and unit in place of the entry's own.
    custom: Option<CustomField>,
}

/// How a field that the caller computes is written on screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CustomField {
    /// Its name.
    pub label: &'static str,
    /// Its unit, empty for plain numbers.
    pub unit: &'static str,
}

impl ColorField {
    /// A field by its entry, which need not be in [`COLOR_FIELDS`](super::color_fields::COLOR_FIELDS): a renderer
    /// compiles it when it is first drawn.
    pub const fn new(info: &'static ColorFieldInfo) -> Self {
        Self { info, custom: None }
    }

    /// A field by its entry, with the caller's own label and unit.
    pub(super) const fn with_custom(info: &'static ColorFieldInfo, custom: CustomField) -> Self {
        Self { info, custom: Some(custom) }
    }

    /// The entry of the field.
    pub fn info(self) -> &'static ColorFieldInfo {
        self.info
    }

    /// As written on screen.
    pub fn label(self) -> &'static str {
        self.custom.map_or(self.info.label, |custom| custom.label)
    }

    /// The unit, empty for plain numbers.
    pub fn unit(self) -> &'static str {
        self.custom.map_or(self.info.unit, |custom| custom.unit)
    }

    /// The map it is drawn in.
    pub fn color_map(self) -> ColorMap {
        self.info.map
    }

    /// Whether the field's colors show the water as such rather than a measurement: it is then lit, and solids keep
    /// their colors.
    pub fn looks_like_water(self) -> bool {
        self.info.map == ColorMap::Water
    }

    /// The field that is shown where the particles are no fluid and have no density.
    #[must_use]
    pub fn without_density(self) -> Self {
        self.info.without_density.map_or(self, Self::new)
    }

    /// The lowest and highest value the map spans unless the caller chooses others. The colors of cells have no range;
    /// theirs counts the colors.
    pub fn default_range(self, scale: &FieldScale) -> (f32, f32) {
        (self.info.default_range)(scale)
    }
}

impl ColorFieldInfo {
    /// Name on the command line.
    pub fn argument(&self) -> String {
        self.label.replace(' ', "-")
    }

    /// The field of these that has that name on the command line.
    ///
    /// # Errors
    /// When none has; the message lists those there are.
    pub fn by_argument(fields: &[&'static Self], argument: &str) -> Result<ColorField, String> {
        let named = fields.iter().find(|field| field.argument() == argument);
        let names = || Self::arguments(fields);
        named.map(|field| ColorField::new(field)).ok_or_else(|| format!("the field is one of {}", names()))
    }

    /// The names that fields have on the command line, comma separated.
    pub fn arguments(fields: &[&'static Self]) -> String {
        fields.iter().map(|field| field.argument()).collect::<Vec<_>>().join(", ")
    }
}

impl PartialEq for ColorField {
    fn eq(&self, other: &Self) -> bool {
        self.info.name == other.info.name && self.custom == other.custom
    }
}

impl Eq for ColorField {}

impl Debug for ColorField {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> FormatResult {
        formatter.write_str(self.info.name)
    }
}

/// As on the command line.
impl Display for ColorField {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> FormatResult {
        formatter.write_str(&self.info.argument())
    }
}

impl Serialize for ColorField {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit_variant("ColorField", 0, self.info.name)
    }
}
