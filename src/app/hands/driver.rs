//! Carries out the user's orders in the running simulation, and undoes them.

use std::time::{Duration, Instant};

use glam::Vec3;

use super::block::block_between;
use super::{HandsOrder, Preset};
use crate::app::{Controls, Report};
use crate::fluid::{Face, FluidError, Simulation};

/// Number of actions that can be undone.
const MOST_UNDONE: usize = 50;
/// Orders of the same kind within this time are undone together: those of a slider that is dragged, or of a key that
/// is held.
const TOGETHER: Duration = Duration::from_millis(900);

/// What restores the state before an action.
#[derive(Clone, Debug, PartialEq)]
enum Undo {
    /// Replaces gravity; `None` returns to the scene's.
    Gravity(Option<Vec3>),
    /// Moves a wall.
    Wall(Face, f32),
    /// Moves all walls, in the order of [`Face::ALL`].
    Walls([f32; 6]),
    /// Returns a removed body.
    Return(usize),
    /// Removes a thrown body.
    Remove(usize),
    /// Removes a drawn block.
    RemoveBlock(usize),
    /// Selects a preset, with the gravity that was set beside it.
    Preset(Preset, Option<Vec3>),
}

impl Undo {
    /// The action that it undoes, for the panel.
    fn names(&self) -> String {
        match self {
            Self::Gravity(_) => "gravity".into(),
            Self::Wall(face, _) => format!("{face} wall"),
            Self::Walls(_) => "walls".into(),
            Self::Return(_) => "removed body".into(),
            Self::Remove(_) => "thrown body".into(),
            Self::RemoveBlock(_) => "block".into(),
            Self::Preset(..) => "preset".into(),
        }
    }

    /// Whether it undoes an earlier action of the same kind too.
    fn covers(&self, earlier: &Self) -> bool {
        match (self, earlier) {
            (Self::Gravity(_), Self::Gravity(_)) => true,
            (Self::Wall(face, _), Self::Wall(other, _)) => face == other,
            _ => false,
        }
    }
}

/// Carries out the orders. Belongs to the [`Driver`](crate::app::Driver).
#[derive(Default)]
pub(in crate::app) struct HandsDriver {
    /// Number of the last order that was handled.
    handled: u32,
    undo: Vec<Undo>,
    /// When the last action was done.
    last: Option<Instant>,
    preset: Preset,
    is_pouring: bool,
    refused: Option<(u32, String)>,
    /// Time of the simulation in the last frame, s: it decreases when particles are placed anew.
    time: f64,
    /// Name of its scene.
    scene: String,
    /// The last sentence about a wall that was announced.
    told: Option<String>,
}

impl HandsDriver {
    /// Carries out new orders and pours water. Returns whether the buffers were made anew, or the particles changed in
    /// another way than by a step.
    pub(in crate::app) fn follow(
        &mut self,
        simulation: &mut Simulation,
        controls: &Controls,
        report: &mut Report,
    ) -> bool {
        let is_other = self.scene != simulation.scene().name;
        if is_other || simulation.time() < self.time {
            self.undo.clear();
            self.preset = Preset::Calm;
            self.scene.clone_from(&simulation.scene().name);
        }
        self.time = simulation.time();
        let build = simulation.build_number();
        let hands = &controls.hands;
        let handled = self.handled;
        for numbered in hands.orders.iter().filter(|numbered| numbered.number > handled) {
            self.refused = None;
            if let Err(error) = self.obey(simulation, &numbered.order) {
                let sentence = error.to_string();
                report.failure = Some(sentence.clone());
                self.refused = Some((numbered.number, sentence));
            }
        }
        self.handled = self.handled.max(hands.issued);
        if hands.spout.is_some() || self.is_pouring {
            self.is_pouring = hands.spout.is_some();
            if let Err(error) = simulation.pour(hands.spout) {
                report.failure = Some(error.to_string());
            }
        }
        let stop = simulation.wall_stop();
        if let Some(sentence) = stop.as_ref().filter(|sentence| self.told.as_ref() != Some(sentence)) {
            report.announce(sentence.clone());
        }
        self.told = stop;
        self.report(simulation, report);
        simulation.build_number() != build
    }

    /// Remembers a body that was thrown.
    pub(in crate::app) fn note_thrown(&mut self, body: usize) {
        self.note(Undo::Remove(body));
    }

    fn note(&mut self, undo: Undo) {
        let now = Instant::now();
        let is_together = self.last.replace(now).is_some_and(|last| now - last < TOGETHER);
        let is_covered = self.undo.last().is_some_and(|last| undo.covers(last));
        if is_together && is_covered {
            return;
        }
        self.undo.push(undo);
        if self.undo.len() > MOST_UNDONE {
            self.undo.remove(0);
        }
    }

    fn obey(&mut self, simulation: &mut Simulation, order: &HandsOrder) -> Result<(), FluidError> {
        match order {
            HandsOrder::Gravity(gravity) => {
                let before = simulation.chosen_gravity();
                simulation.set_gravity(*gravity)?;
                self.note(Undo::Gravity(before));
            }
            HandsOrder::Wall { face, inset } => {
                let before = simulation.wall_inset(*face);
                simulation.move_wall(*face, *inset)?;
                self.note(Undo::Wall(*face, before));
            }
            HandsOrder::WallsBack => {
                let before = insets(simulation);
                Face::of(simulation.scene().dimensions).try_for_each(|face| simulation.move_wall(face, 0.0))?;
                self.note(Undo::Walls(before));
            }
            HandsOrder::RemoveBodyAt(aim) => {
                if let Some(picked) = simulation.pick(aim.origin, aim.direction) {
                    simulation.remove_body(picked.body)?;
                    self.note(Undo::Return(picked.body));
                }
            }
            HandsOrder::RemoveBody(body) => {
                simulation.remove_body(*body)?;
                self.note(Undo::Return(*body));
            }
            HandsOrder::Block(corners) => {
                let number = simulation.add_body(&block_between(*corners))?;
                self.note(Undo::RemoveBlock(number));
            }
            HandsOrder::Preset(preset) => {
                let before = Undo::Preset(self.preset, simulation.chosen_gravity());
                self.set_preset(simulation, *preset, preset.gravity())?;
                self.note(before);
            }
            HandsOrder::Undo => {
                if let Some(undo) = self.undo.pop() {
                    self.last = None;
                    // What cannot be undone now, because water has come where a body was, can be undone later.
                    self.undo(simulation, &undo).inspect_err(|_| self.undo.push(undo.clone()))?;
                }
            }
        }
        Ok(())
    }

    fn undo(&mut self, simulation: &mut Simulation, undo: &Undo) -> Result<(), FluidError> {
        match undo {
            Undo::Gravity(gravity) => simulation.set_gravity(*gravity),
            Undo::Wall(face, inset) => simulation.move_wall(*face, *inset),
            Undo::Walls(insets) => {
                let mut all = Face::of(simulation.scene().dimensions);
                all.try_for_each(|face| simulation.move_wall(face, insets[face.index()]))
            }
            Undo::Return(body) => simulation.return_body(*body),
            Undo::Remove(body) | Undo::RemoveBlock(body) => simulation.remove_body(*body),
            Undo::Preset(preset, gravity) => self.set_preset(simulation, *preset, *gravity),
        }
    }

    fn set_preset(
        &mut self,
        simulation: &mut Simulation,
        preset: Preset,
        gravity: Option<Vec3>,
    ) -> Result<(), FluidError> {
        let sway = preset.sway(simulation);
        simulation.set_sway(sway)?;
        simulation.set_gravity(gravity)?;
        self.preset = preset;
        Ok(())
    }

    fn report(&self, simulation: &Simulation, report: &mut Report) {
        let hands = &mut report.hands;
        hands.gravity = simulation.gravity();
        hands.scene_gravity = simulation.gravity_of_scene();
        hands.strongest_gravity = simulation.strongest_gravity();
        hands.walls = simulation.walls();
        hands.insets = insets(simulation);
        hands.most_insets = Face::ALL.map(|face| simulation.most_wall_inset(face));
        hands.stop.clone_from(&self.told);
        hands.sways = simulation.sways();
        hands.preset = self.preset;
        hands.undo = self.undo.last().map(Undo::names);
        hands.handled = self.handled;
        hands.refused.clone_from(&self.refused);
    }
}

/// How far inward the walls are wanted, m, in the order of [`Face::ALL`].
fn insets(simulation: &Simulation) -> [f32; 6] {
    Face::ALL.map(|face| simulation.wall_inset(face))
}
