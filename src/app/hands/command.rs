//! The script commands of what the user does to the water, the box and gravity, and of attract mode.

use glam::Vec3;

use super::{HandsOrder, PRESETS, Preset, Tool};
use crate::app::script_words::{CommandInfo, Words};
use crate::app::setup_command::Outcome;
use crate::app::{Controls, Report};
use crate::fluid::Face;
use crate::gpu::nearest_names;

/// A command of this file.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::app) enum HandsCommand {
    /// Selects a tool of the left mouse button.
    Tool(Tool),
    /// Sets the reach, as a fraction of the box's shortest edge.
    Reach(f32),
    /// Sets the strength.
    Strength(f32),
    /// Gives an order, and waits until it is carried out.
    Order(HandsOrder),
    /// Starts or ends attract mode.
    Attract(bool),
}

/// The commands.
pub(in crate::app) const COMMANDS: &[CommandInfo<HandsCommand>] = &[
    CommandInfo::new("tool", "tool push|pull|pour|block", |words| {
        let word = words.word("a tool")?;
        let tool = Tool::ALL.into_iter().find(|tool| tool.name() == word).map(HandsCommand::Tool);
        tool.ok_or_else(|| format!("the tool must be push, pull, pour or block, not \"{word}\""))
    }),
    CommandInfo::new("reach", "reach PERCENT", |words| {
        limited(words, "a reach of 4 to 50 percent", [4.0, 50.0]).map(|percent| HandsCommand::Reach(0.01 * percent))
    }),
    CommandInfo::new("strength", "strength FACTOR", |words| {
        limited(words, "a strength of 0.1 to 4", [0.1, 4.0]).map(HandsCommand::Strength)
    }),
    CommandInfo::new("gravity", "gravity X Y Z, or gravity scene", |words| {
        if words.rest == "scene" {
            words.word("scene")?;
            return Ok(HandsCommand::Order(HandsOrder::Gravity(None)));
        }
        let mut part = || words.number("an acceleration in m/s²", f64::MIN).map(|number| number as f32);
        Ok(HandsCommand::Order(HandsOrder::Gravity(Some(Vec3::new(part()?, part()?, part()?)))))
    }),
    CommandInfo::new("wall", "wall FACE METERS, or wall back", |words| {
        let word = words.word("a wall")?;
        // With a distance, it is the wall at the back.
        if word == "back" && words.rest.is_empty() {
            return Ok(HandsCommand::Order(HandsOrder::WallsBack));
        }
        let all = || Face::ALL.map(Face::name).join(", ");
        let face = Face::named(word);
        let face = face.ok_or_else(|| format!("\"{word}\" is not a wall; the walls are {}, or back for all", all()))?;
        let inset = words.number("a distance of at least 0 m", 0.0)? as f32;
        Ok(HandsCommand::Order(HandsOrder::Wall { face, inset }))
    }),
    CommandInfo::new("remove-body", "remove-body NUMBER", |words| {
        let number = words.index("a number of a body from 0 on")? as usize;
        Ok(HandsCommand::Order(HandsOrder::RemoveBody(number)))
    }),
    CommandInfo::new("block", "block X1 Y1 Z1 X2 Y2 Z2", |words| {
        let mut part = || words.number("a coordinate in m", f64::MIN).map(|number| number as f32);
        let [one, other] = [Vec3::new(part()?, part()?, part()?), Vec3::new(part()?, part()?, part()?)];
        if one.cmpeq(other).any() {
            return Err(format!("the corners {one} and {other} leave the block no volume; move one along x, y and z"));
        }
        Ok(HandsCommand::Order(HandsOrder::Block([one.min(other), one.max(other)])))
    }),
    CommandInfo::new("preset", "preset NAME", |words| {
        let word = words.word("a preset")?;
        let preset = Preset::named(word).map(|preset| HandsCommand::Order(HandsOrder::Preset(preset)));
        preset.ok_or_else(|| {
            let names = || PRESETS.iter().map(|preset| preset.name());
            let (nearest, all) = (nearest_names(word, names()).join(", "), names().collect::<Vec<_>>().join(", "));
            format!("there is no preset \"{word}\"; did you mean {nearest}? The presets are {all}")
        })
    }),
    CommandInfo::new("undo", "undo", |_| Ok(HandsCommand::Order(HandsOrder::Undo))),
    CommandInfo::new("attract", "attract on|off", |words| words.switch("attract").map(HandsCommand::Attract)),
];

fn limited(words: &mut Words<'_>, what: &str, [least, most]: [f64; 2]) -> Result<f32, String> {
    let number = words.number(what, f64::MIN)?;
    if (least..=most).contains(&number) { Ok(number as f32) } else { Err(format!("{number} is not {what}")) }
}

impl HandsCommand {
    /// Carries the command out; an order is finished once the driver has followed it.
    ///
    /// # Errors
    /// Why the simulation refuses the order.
    pub(in crate::app) fn obey(&self, controls: &mut Controls, report: &Report) -> Result<Outcome, String> {
        match self {
            Self::Tool(tool) => controls.hands.tool = *tool,
            Self::Reach(reach) => controls.hands.reach = *reach,
            Self::Strength(strength) => controls.hands.strength = *strength,
            Self::Attract(on) => controls.attract.wanted = Some(*on),
            Self::Order(order) => {
                let Some(number) = controls.hands.awaited else {
                    controls.hands.awaited = Some(controls.hands.order(order.clone()));
                    return Ok(Outcome::Again);
                };
                if report.hands.handled < number {
                    return Ok(Outcome::Again);
                }
                controls.hands.awaited = None;
                if let Some((_, sentence)) = report.hands.refused.as_ref().filter(|(refused, _)| *refused == number) {
                    return Err(sentence.clone());
                }
            }
        }
        Ok(Outcome::Done)
    }
}
