//! Presets that move walls and gravity in time. Their periods follow from the size of the tank and the depth of its
//! water, so that waves build up in every scene.

use std::f32::consts::{PI, TAU};

use glam::Vec3;

use crate::fluid::{Dimensions, Face, Simulation, Sway, TiltSway, WallSway};

/// What moves gravity and walls in time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preset {
    /// Nothing.
    #[default]
    Calm,
    /// The left wall pushes waves.
    WaveMaker,
    /// Gravity tilts to and fro, so that the water swings from wall to wall.
    Slosh,
    /// Both at once, faster and stronger.
    Storm,
    /// There is no gravity.
    Weightless,
}

/// All presets.
pub const PRESETS: [Preset; 5] = [Preset::Calm, Preset::WaveMaker, Preset::Slosh, Preset::Storm, Preset::Weightless];

/// A tilt or a stroke, and its period.
struct Swing {
    /// rad, or a fraction of the tank's length.
    size: f32,
    /// As a fraction of the period of the longest standing wave.
    period: f32,
}

impl Preset {
    /// Name in scripts.
    pub fn name(self) -> &'static str {
        match self {
            Self::Calm => "calm",
            Self::WaveMaker => "wave-maker",
            Self::Slosh => "slosh",
            Self::Storm => "storm",
            Self::Weightless => "weightless",
        }
    }

    /// Name on screen.
    pub fn label(self) -> &'static str {
        match self {
            Self::Calm => "Calm",
            Self::WaveMaker => "Wave maker",
            Self::Slosh => "Slosh",
            Self::Storm => "Storm",
            Self::Weightless => "Weightless",
        }
    }

    /// What it does, for the panel.
    pub fn hover(self) -> &'static str {
        match self {
            Self::Calm => "the scene's gravity, and no wall moves by itself",
            Self::WaveMaker => "the left wall moves to and fro and makes waves",
            Self::Slosh => "gravity tilts to and fro, in time with the water's own swinging",
            Self::Storm => "gravity tilts and the left wall pushes, both quickly",
            Self::Weightless => "no gravity",
        }
    }

    /// The preset with this name.
    pub fn named(name: &str) -> Option<Self> {
        PRESETS.into_iter().find(|preset| preset.name() == name)
    }

    /// Gravity in place of the scene's, m/s².
    pub(super) fn gravity(self) -> Option<Vec3> {
        (self == Self::Weightless).then_some(Vec3::ZERO)
    }

    fn wall(self) -> Option<Swing> {
        match self {
            Self::WaveMaker => Some(Swing { size: 0.07, period: 0.6 }),
            Self::Storm => Some(Swing { size: 0.08, period: 0.45 }),
            _ => None,
        }
    }

    fn tilt(self) -> Option<Swing> {
        match self {
            Self::Slosh => Some(Swing { size: 0.12, period: 1.0 }),
            Self::Storm => Some(Swing { size: 0.22, period: 0.7 }),
            _ => None,
        }
    }

    /// The motion in a running simulation; `None` where nothing moves.
    pub(super) fn sway(self, simulation: &Simulation) -> Option<Sway> {
        let scene = simulation.scene();
        let extent = scene.high - scene.low;
        let period = standing_wave(simulation, extent.x);
        let face = Face::ALL[0];
        let wall = self.wall().map(|Swing { size, period: part }| WallSway {
            face,
            stroke: (size * extent.x).min(simulation.most_wall_inset(face) - simulation.wall_inset(face)).max(0.0),
            period: part * period,
        });
        // About an axis across the tank, and in three dimensions a little aside, so that waves run in both directions.
        let aside = if scene.dimensions == Dimensions::Two { 0.0 } else { 0.35 };
        let axis = Vec3::new(aside, 0.0, 1.0);
        let tilt =
            self.tilt().map(|Swing { size, period: part }| TiltSway { axis, angle: size, period: part * period });
        (wall.is_some() || tilt.is_some()).then_some(Sway { tilt, wall })
    }
}

/// Period of the longest standing wave along a tank of this length, s: T = 2π / √(g k tanh(k d)) with the wave number
/// k = π / length and the depth d (linear wave theory, e.g. H. Lamb, Hydrodynamics, article 257).
fn standing_wave(simulation: &Simulation, length: f32) -> f32 {
    let (scene, resolution) = (simulation.scene(), simulation.resolution());
    let extent = scene.high - scene.low;
    let is_plane = scene.dimensions == Dimensions::Two;
    let volume = resolution.particle_count as f32 * resolution.spacing.powi(if is_plane { 2 } else { 3 });
    let floor = extent.x * if is_plane { 1.0 } else { extent.z };
    let depth = (volume / floor).min(extent.y);
    let gravity = simulation.gravity_of_scene().length();
    let gravity = if gravity > 0.0 { gravity } else { 9.81_f32.min(simulation.strongest_gravity()) };
    let number = PI / length;
    TAU / (gravity * number * (number * depth).tanh()).sqrt()
}
