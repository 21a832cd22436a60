//! Random lines of scripts: keys, clicks anywhere, typing, sizes of the window, scenes, settings, tools, lessons,
//! videos.

use glam::UVec2;

use crate::app::actions::KEYS;
use crate::app::hands::{PRESETS, Tool};
use crate::app::laboratory::PickRule;
use crate::app::settings::UI_SCALES;
use crate::app::{Lesson, VIEWS};
use crate::fluid::{Face, Scene, SmoothingKernel, Solver};
use crate::random_stream::Stream;
use crate::render::ColorField;
use crate::search::SEARCHES;

/// Lines between two returns to the usual state.
const GENERATION: u32 = 120;
/// Sides of the smallest and the largest window, logical pixels.
const SMALLEST: UVec2 = UVec2::new(16, 16);
const LARGEST: UVec2 = UVec2::new(1600, 1000);
/// Fewest particles.
const FEWEST: u32 = 100;
/// The size of the window in the usual state.
const USUAL: UVec2 = UVec2::new(640, 400);
/// What closes everything that a generation may have opened, opens the device again, and lets the water flow. The usual
/// scene needs few particles, so that every generation ends alike.
const RETURN: [&str; 18] = [
    "key escape",
    "attract off",
    "lesson none",
    "view none",
    "slow off",
    // A window of another size ends a video.
    "size 320x200",
    "wait 3",
    "size 640x400",
    "scale 100",
    "badge on",
    "lose-device",
    "wait 20",
    "scene dam_break",
    "particles 400",
    "style water",
    "gravity scene",
    "pause off",
    "wait 30",
];
/// Characters that are typed. There is no slash, so that typed names of files stay in the current folder.
const TYPED: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789 .,-+=[];'_";

/// What the app does next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// A line of a script.
    Line(String),
    /// Everything is closed: what the process holds now can be compared with the same moment of other generations.
    Note,
}

/// An endless stream of lines, which follows from its seed.
pub(super) struct RandomLines {
    stream: Stream,
    most_particles: u32,
    /// Lines that were made already, the next one last.
    ready: Vec<Next>,
    /// Random lines of this generation so far.
    count: u32,
    window: UVec2,
    /// Number of pictures so far.
    pictures: u32,
}

impl RandomLines {
    pub(super) fn new(seed: u64, most_particles: u32) -> Self {
        let mut lines =
            Self { stream: Stream::new(seed), most_particles, ready: Vec::new(), count: 0, window: USUAL, pictures: 0 };
        lines.return_to_usual();
        lines
    }

    /// The next line.
    pub(super) fn next(&mut self) -> Next {
        if let Some(next) = self.ready.pop() {
            return next;
        }
        if self.count == GENERATION {
            self.return_to_usual();
            return self.next();
        }
        self.count += 1;
        let line = self.line();
        // Most things that are done take effect within a few frames, and some only in the water that follows.
        if self.stream.one_in(2) {
            let frames = if self.stream.one_in(8) { 40 } else { 6 };
            let wait = format!("wait {}", 1 + self.stream.below(frames));
            self.ready.push(Next::Line(wait));
        }
        Next::Line(line)
    }

    fn return_to_usual(&mut self) {
        self.count = 0;
        self.window = USUAL;
        self.ready.push(Next::Note);
        self.ready.extend(RETURN.iter().rev().map(|line| Next::Line((*line).to_owned())));
        // The first of each, so that no name of one is written here.
        let usual = [
            SEARCHES.first().map(|search| format!("search {}", search.name)),
            Solver::all().next().map(|solver| format!("solver {}", solver.name())),
        ];
        self.ready.extend(usual.into_iter().flatten().map(Next::Line));
    }

    fn line(&mut self) -> String {
        let stream = &mut self.stream;
        match stream.below(100) {
            0..=17 => self.press(),
            18..=33 => self.point(),
            34..=37 => {
                let length = 1 + stream.below(8);
                let text: String = (0..length).map(|_| char::from(stream.pick(TYPED))).collect();
                // A text begins and ends with characters that are not cut off.
                format!("type x{text}x")
            }
            38..=43 => self.resize(),
            44..=45 => format!("scale {}", stream.pick(&UI_SCALES)),
            46..=50 => format!("scene {}", stream.pick(&Scene::names())),
            51..=54 => format!("particles {}", stream.mostly_small(FEWEST, self.most_particles)),
            55..=60 => format!("search {}", stream.pick(SEARCHES).name),
            61..=65 => self.setting(),
            66..=69 => self.look(),
            70..=78 => self.laboratory(),
            79..=89 => self.hands(),
            90..=93 => self.lesson(),
            // Begins or ends a video.
            94..=95 => "key f9".to_owned(),
            96 => {
                self.pictures += 1;
                format!("shot random_{}.png", self.pictures)
            }
            97 => format!("seed {}", stream.below(1 << 40)),
            98 => "pause off".to_owned(),
            _ => "reset".to_owned(),
        }
    }

    fn press(&mut self) -> String {
        let stream = &mut self.stream;
        if stream.one_in(5) {
            return format!("key {}", stream.below(10));
        }
        format!("key {}", stream.pick(KEYS).key)
    }

    /// A position in the window, as text.
    fn place(&mut self) -> String {
        let share = self.stream.point();
        let place = share.truncate() * self.window.as_vec2();
        format!("{:.0} {:.0}", place.x, place.y)
    }

    fn point(&mut self) -> String {
        let button = self.stream.pick(&["left", "left", "left", "right", "middle"]);
        let place = self.place();
        match self.stream.below(10) {
            0 => format!("hover {place}"),
            1..=3 => format!("drag {button} {place} {}", self.place()),
            4 => format!("scroll {}", self.stream.below(21) as i32 - 10),
            _ => format!("click {button} {place}"),
        }
    }

    fn resize(&mut self) -> String {
        let stream = &mut self.stream;
        let mut side = |axis: usize| stream.mostly_small(SMALLEST[axis], LARGEST[axis]);
        let size = UVec2::new(side(0), side(1));
        // Usually large enough that a click meets something.
        self.window = if stream.one_in(3) { size } else { size.max(USUAL) };
        format!("size {}x{}", self.window.x, self.window.y)
    }

    fn setting(&mut self) -> String {
        let stream = &mut self.stream;
        match stream.below(5) {
            0 | 1 => {
                let solvers: Vec<_> = Solver::all().collect();
                format!("solver {}", stream.pick(&solvers).name())
            }
            2 => format!("kernel {}", stream.pick(&SmoothingKernel::ALL).name()),
            _ => {
                let options: Vec<_> = SEARCHES.iter().flat_map(|search| search.options).collect();
                let option = stream.pick(&options);
                format!("set {} {}", option.name, option.label(stream.pick(&option.usual_values())))
            }
        }
    }

    fn look(&mut self) -> String {
        let stream = &mut self.stream;
        match stream.below(6) {
            0 | 1 => format!("style {}", stream.pick(&["particles", "smooth", "water"])),
            2 if stream.one_in(2) => format!("slow {}", on_or_off(stream)),
            2 => format!("cell-edges {}", on_or_off(stream)),
            3 if stream.one_in(2) => "camera scene".to_owned(),
            3 => format!("camera {}", coordinates(stream, -8.0, 8.0, 6)),
            _ => {
                let fields: Vec<_> = ColorField::all().collect();
                format!("color {}", stream.pick(&fields).info().label.to_lowercase().replace(' ', "-"))
            }
        }
    }

    fn laboratory(&mut self) -> String {
        let stream = &mut self.stream;
        match stream.below(8) {
            0..=3 => format!("view {}", VIEWS[stream.below(VIEWS.len() as u64) as usize].name),
            4 => format!("pick {}", stream.below(400)),
            5 => format!("pick {}", stream.pick(&PickRule::ALL).name()),
            6 => format!("pick-cell {} {} {}", stream.below(6), stream.below(6), stream.below(6)),
            _ if stream.one_in(2) => "view none".to_owned(),
            _ => format!("compare {}", stream.pick(SEARCHES).name),
        }
    }

    fn hands(&mut self) -> String {
        let stream = &mut self.stream;
        match stream.below(13) {
            0 | 1 => format!("tool {}", stream.pick(&Tool::ALL).name()),
            2 => format!("reach {:.1}", stream.between(4.0, 50.0)),
            3 => format!("strength {:.2}", stream.between(0.1, 4.0)),
            4 => format!("gravity {}", coordinates(stream, -10.0, 10.0, 3)),
            5 => "gravity scene".to_owned(),
            6 => format!("wall {} {:.2}", stream.pick(&Face::ALL).name(), stream.between(0.0, 1.5)),
            7 => "wall back".to_owned(),
            8 => format!("block {}", coordinates(stream, -1.0, 4.0, 6)),
            9 => format!("preset {}", stream.pick(&PRESETS).name()),
            10 => format!("remove-body {}", stream.below(4)),
            11 => format!("attract {}", on_or_off(stream)),
            _ => "undo".to_owned(),
        }
    }

    fn lesson(&mut self) -> String {
        let stream = &mut self.stream;
        match stream.below(6) {
            0 | 1 => format!("lesson {}", stream.pick(&Lesson::names())),
            2 => "step next".to_owned(),
            3 => "show".to_owned(),
            4 => format!("answer {}", stream.pick(&["right", "wrong"])),
            _ => "lesson none".to_owned(),
        }
    }
}

fn on_or_off(stream: &mut Stream) -> &'static str {
    stream.pick(&["on", "off"])
}

/// Random numbers between two limits, as text: coordinates, m, or an acceleration, m/s².
fn coordinates(stream: &mut Stream, low: f32, high: f32, count: usize) -> String {
    let numbers: Vec<_> = (0..count).map(|_| format!("{:.3}", stream.between(low, high))).collect();
    numbers.join(" ")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Next, RandomLines};
    use crate::app::script_line::{names, parse_line};

    /// Commands that random use leaves out: those that wait for something that may never happen, that end the app, that
    /// need a recording, and those for which it presses keys.
    const LEFT_OUT: [&str; 7] = ["water", "measured", "expect", "quit", "frame", "radius", "record"];

    #[test]
    fn every_line_is_read_and_every_command_occurs() {
        let mut lines = RandomLines::new(7, 1_500);
        let mut found = BTreeSet::new();
        for _ in 0..20_000 {
            let Next::Line(line) = lines.next() else { continue };
            let command = parse_line(&line).unwrap_or_else(|reason| panic!("{line}: {reason}"));
            assert!(command.is_some(), "{line}");
            found.insert(line.split(' ').next().unwrap_or_default().to_owned());
        }
        let missing: Vec<_> = names().filter(|name| !found.contains(*name) && !LEFT_OUT.contains(name)).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn a_seed_repeats_its_lines() {
        let (mut one, mut other) = (RandomLines::new(3, 900), RandomLines::new(3, 900));
        assert!((0..2_000).all(|_| one.next() == other.next()));
    }
}
