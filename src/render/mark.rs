//! The role that the laboratory assigns to a particle, and how each role is drawn: one visual language for every view.

use glam::Vec3;

use super::oklab::{Oklab, srgb_bytes};
use crate::gpu::ShaderVariant;

/// The relation of a particle to the current selection. Written as `u32` into [`DrawnMarks::roles`]; shaders use the
/// names of [`Mark::definition`].
#[repr(u32)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mark {
    /// Drawn as it would be without marks.
    #[default]
    Plain = 0,
    /// The selected particle: a white sphere with a white ring around it.
    Picked,
    /// A neighbor of the selected particle: a teal sphere.
    Neighbor,
    /// Tested and farther away than the support radius: a hollow amber ring.
    Rejected,
    /// Unrelated to the selection: the surface of all such particles is drawn as one faint gray veil.
    Faded,
    /// Highlighted because it is pointed at in another view: its field's color, brightened, with a white outline.
    Highlighted,
    /// The search returned a wrong result for it: a red sphere with a white cross, in a red ring, blinking with
    /// [`super::Look::blink`].
    Wrong,
    /// A visitor that a subgroup keeps: its field's color with a dark outline.
    Visitor,
    /// A visitor that a subgroup discards: a hollow gray ring.
    Dropped,
}

/// A role for every particle.
#[derive(Clone, Copy, Debug)]
pub struct DrawnMarks<'a> {
    /// `u32`: the particle's [`Mark`], in the order of [`super::DrawnParticles::positions`] and at least as many. A
    /// number that belongs to no mark is drawn in magenta.
    pub roles: &'a wgpu::Buffer,
}

impl Mark {
    /// All marks, in the order of their numbers.
    pub const ALL: [Self; 9] = [
        Self::Plain,
        Self::Picked,
        Self::Neighbor,
        Self::Rejected,
        Self::Faded,
        Self::Highlighted,
        Self::Wrong,
        Self::Visitor,
        Self::Dropped,
    ];

    /// Opacity of the veil of faded particles, 0 to 1.
    pub const VEIL: f32 = 0.15;

    /// Name shown in a legend.
    pub fn label(self) -> &'static str {
        match self {
            Self::Plain => "water",
            Self::Picked => "selected particle",
            Self::Neighbor => "neighbor",
            Self::Rejected => "tested and rejected",
            Self::Faded => "never tested",
            Self::Highlighted => "highlighted",
            Self::Wrong => "wrong pair",
            Self::Visitor => "visitor, kept",
            Self::Dropped => "visitor, dropped",
        }
    }

    /// The name under which [`Mark::define`] passes the mark's number to shaders, for `#{NAME}u`.
    pub fn definition(self) -> &'static str {
        match self {
            Self::Plain => "MARK_PLAIN",
            Self::Picked => "MARK_PICKED",
            Self::Neighbor => "MARK_NEIGHBOR",
            Self::Rejected => "MARK_REJECTED",
            Self::Faded => "MARK_FADED",
            Self::Highlighted => "MARK_HIGHLIGHTED",
            Self::Wrong => "MARK_WRONG",
            Self::Visitor => "MARK_VISITOR",
            Self::Dropped => "MARK_DROPPED",
        }
    }

    /// Passes the numbers of all marks to a shader.
    #[must_use]
    pub fn define(variant: ShaderVariant) -> ShaderVariant {
        Self::ALL.into_iter().fold(variant, |variant, mark| variant.with_number(mark.definition(), mark as u32))
    }

    /// The color of the mark in sRGB; `None` where the particle keeps its field's color.
    pub fn color(self) -> Option<[u8; 3]> {
        let (lightness, chroma, hue) = match self {
            Self::Plain | Self::Highlighted | Self::Visitor => return None,
            Self::Picked => (1.0, 0.0, 0.0),
            Self::Neighbor => (0.70, 0.115, 192.0),
            Self::Rejected => (0.82, 0.155, 78.0),
            Self::Faded => (0.80, 0.012, 240.0),
            Self::Wrong => (0.67, 0.21, 27.0),
            Self::Dropped => (0.86, 0.01, 240.0),
        };
        Some(srgb_bytes(Oklab::from_lch(lightness, chroma, hue).to_linear_in_gamut()))
    }

    /// The name and value of the definition that passes [`Mark::color`] to the renderer's shaders: 0xRRGGBB in sRGB.
    fn color_definition(self) -> Option<(&'static str, u32)> {
        let name = match self {
            Self::Plain | Self::Highlighted | Self::Visitor => return None,
            Self::Picked => "COLOR_PICKED",
            Self::Neighbor => "COLOR_NEIGHBOR",
            Self::Rejected => "COLOR_REJECTED",
            Self::Faded => "COLOR_FADED",
            Self::Wrong => "COLOR_WRONG",
            Self::Dropped => "COLOR_DROPPED",
        };
        self.color().map(|[red, green, blue]| (name, u32::from_be_bytes([0, red, green, blue])))
    }

    /// Passes the colors of all marks to one of the renderer's shaders.
    pub(super) fn define_colors(variant: ShaderVariant) -> ShaderVariant {
        let colors = Self::ALL.into_iter().filter_map(Self::color_definition);
        colors.fold(variant, |variant, (name, color)| variant.with_number(name, color))
    }

    /// [`Mark::color`] as linear color.
    pub fn linear_color(self) -> Option<Vec3> {
        self.color().map(super::oklab::linear_from_srgb)
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::super::color_map::tests::dichromats;
    use super::super::oklab::Oklab;
    use super::Mark;

    /// The color of a mark as it reaches the eye: the veil lies over a dark room.
    fn seen(mark: Mark) -> Option<Vec3> {
        let room = Vec3::splat(0.035);
        let opacity = if mark == Mark::Faded { Mark::VEIL } else { 1.0 };
        mark.linear_color().map(|color| room.lerp(color, opacity))
    }

    #[test]
    fn roles_seen_together_stay_apart_for_every_eye() {
        use Mark::{Dropped, Faded, Neighbor, Picked, Rejected, Wrong};
        let eyes = dichromats().into_iter().chain([("all cones", glam::Mat3::IDENTITY)]);
        for (name, eye) in eyes {
            let lab = |mark| {
                let seen = eye * seen(mark).expect("a color of its own");
                Oklab::from_linear(seen.clamp(Vec3::ZERO, Vec3::ONE))
            };
            let together = [Picked, Neighbor, Rejected, Faded, Wrong];
            let pairs =
                together.iter().enumerate().flat_map(|(place, &a)| together[..place].iter().map(move |&b| (a, b)));
            for (one, other) in pairs.chain([(Dropped, Picked), (Dropped, Neighbor), (Dropped, Wrong)]) {
                let (a, b) = (lab(one), lab(other));
                let apart = Vec3::new(a.lightness - b.lightness, a.a - b.a, a.b - b.b).length();
                // Five just noticeable differences of 0.02.
                assert!(apart > 0.1, "{name}: {one:?} and {other:?} are {apart} apart");
            }
        }
    }

    #[test]
    fn the_numbers_are_the_places_in_the_list() {
        for (number, mark) in (0..).zip(Mark::ALL) {
            assert_eq!(mark as u32, number);
        }
    }
}
