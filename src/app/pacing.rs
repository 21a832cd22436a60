//! Decides how many time steps each frame makes.

use crate::pace::{FrameLoad, GPU_SHARE};

/// Speed in slow motion, as a fraction of real time.
pub(super) const SLOW_MOTION: f64 = 0.25;
/// Longest wall-clock time for which a frame catches up, s. A pause such as the dragging of the window or the
/// compilation of a shader must not be followed by a burst of steps.
const LONGEST_DEBT: f64 = 0.1;

/// The pace of the water relative to real time.
fn pace(slow_motion: bool) -> f64 {
    if slow_motion { SLOW_MOTION } else { 1.0 }
}

/// The measured times of passes, as a multiple of what they really take, at most: passes that are timed one by one take
/// longer than the same passes together, and the sum of those of steps and drawing may be almost twice the work of a
/// frame.
const MOST_TRUST: f64 = 2.0;
/// Growth of the trust after a frame that was in time although real time wanted more steps.
const TRUST_GROWTH: f64 = 1.01;
/// Fall of the trust after a frame that was late because it was too great.
const TRUST_LOSS: f64 = 0.97;
/// Two such frames show that the trust was too great if it differed by less than this fraction between them; one alone
/// may have had another cause.
const SAME_TRUST: f64 = 0.03;
/// Growth per frame of the largest trust that such frames allow: 1 % in ten seconds at 60 frames per second, so that a
/// device at its limit misses a frame about every twenty seconds.
const CEILING_GROWTH: f64 = 1.000_02;
/// A frame is late if it takes longer than this multiple of the time that it may take: a software adapter may take
/// three refreshes of the usual display, and is late if it takes four.
const LATE: f64 = 1.25;
/// Fall per frame of the number of steps that were made in time, since the cost of a step changes with the water.
const PROOF_DECAY: f64 = 0.999;

/// A frame that takes less than this multiple of the time that it may take is only just late, by one of several
/// refreshes. Longer ones have a cause that fewer steps would not have helped, such as a shader that is compiled.
const JUST_LATE: f64 = 1.7;
/// Frames over which the share of such frames is a mean.
const REMEMBERED: f64 = 60.0;
/// The share of frames that are just late from which a step less is made, whatever makes them late: frames that are
/// just in time leave no room for what else the machine does.
const OFTEN: f64 = 0.035;
/// The share of frames that are late at all, by however much, from which a step less is made. It is larger, since a
/// shader that is compiled makes frames late that fewer steps would not have helped; where a frame may take a single
/// refresh, though, each late one takes two.
const TOO_OFTEN: f64 = 0.08;
/// By how much a step must fit more than the measured times say before it is made again, steps.
const STEP_MARGIN: f64 = 0.1;

/// By how much a frame advances the simulated time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Advance {
    /// By the time that has passed on the clock, or by less where the device is slower.
    #[default]
    Clock,
    /// By this time, s, however long the frame takes.
    Fixed(f64),
    /// By at most this time, s, which is that between two pictures of a video. If its steps take longer than a user
    /// would wait for a frame, several frames share them, and a picture is due after the last one.
    Shared(f64),
}

/// Longest frame for the steps of a video, s. It is far longer than that of a display, so that drawing does not take
/// most of the time, and short enough for a window that answers.
const LONGEST_SHARE: f64 = 0.1;

/// The data from which the number of steps of a frame follows.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// Wall-clock time since the last frame, s.
    pub elapsed: f64,
    /// Simulated time of one step, s.
    pub time_step: f64,
    /// Whether the simulation runs in slow motion.
    pub slow_motion: bool,
    /// Time that a frame may take, s.
    pub budget: f64,
    /// Measured time of one step, ms; `None` where the device has no timestamps.
    pub step: Option<f64>,
    /// Measured time of the drawing, ms; 0 where the device has no timestamps.
    pub drawing: f64,
}

impl Frame {
    /// The work of this frame if steps and drawing take their measured times divided by `trust`.
    fn load(&self, trust: f64) -> FrameLoad {
        FrameLoad {
            step: self.step.unwrap_or_default() / trust,
            time_step: self.time_step,
            drawing: self.drawing / trust,
            budget: self.budget,
        }
    }
}

/// Decides how many time steps a frame makes: as many as real time requires, but at most as many as fit into the frame.
/// The length of a step never changes, so that the simulation runs slower than real time on a slow device.
#[derive(Clone, Debug)]
pub struct Pacer {
    owed: f64,
    limit: f64,
    last_steps: u32,
    smoothed: Option<f64>,
    /// The measured times of steps and drawing, as a multiple of what they are taken for; less than 1 only if frames are
    /// often late.
    trust: f64,
    /// The largest trust that no late frame contradicts.
    ceiling: f64,
    /// Most steps of a recent frame that was in time. Frames with as many steps that are late have another cause, such
    /// as a shader that is compiled.
    proven: f64,
    /// The trust with which a frame was late for the last time although no other cause is known.
    suspected: f64,
    /// Whether the measured times alone kept the last frame from making all steps that were due.
    was_held_back: bool,
    /// The share of frames that are just late, and of those that are late at all.
    just_late: f64,
    late: f64,
}

impl Default for Pacer {
    fn default() -> Self {
        Self {
            owed: 0.0,
            limit: 1.0,
            last_steps: 0,
            smoothed: None,
            trust: 1.0,
            ceiling: MOST_TRUST,
            proven: 0.0,
            suspected: f64::INFINITY,
            was_held_back: false,
            just_late: 0.0,
            late: 0.0,
        }
    }
}

impl Pacer {
    /// Number of steps of a frame that is to advance the simulated time by so much.
    pub fn steps_by(&mut self, advance: Advance, frame: &Frame) -> u32 {
        match advance {
            Advance::Clock => self.steps(frame),
            Advance::Fixed(seconds) => self.all_steps(seconds, frame.time_step, frame.slow_motion),
            Advance::Shared(seconds) => self.shared_steps(frame, seconds),
        }
    }

    /// Number of steps to make in this frame.
    pub fn steps(&mut self, frame: &Frame) -> u32 {
        self.owed += frame.elapsed.min(LONGEST_DEBT) * pace(frame.slow_motion);
        let steps = self.fitting_steps(frame);
        // Steps that did not fit are dropped: the simulation runs slower and does not catch up later.
        self.owed = (self.owed - f64::from(steps) * frame.time_step).min(frame.time_step);
        steps
    }

    /// Number of steps of a frame while several frames share `interval` seconds of simulated time ([`Advance::Shared`]).
    pub fn shared_steps(&mut self, frame: &Frame, interval: f64) -> u32 {
        if self.owed < frame.time_step {
            self.owed += interval * pace(frame.slow_motion);
        }
        let steps = self.fitting_steps(&Frame { budget: frame.budget.max(LONGEST_SHARE), ..*frame });
        self.owed -= f64::from(steps) * frame.time_step;
        steps
    }

    /// The steps that are due, as far as they fit into the frame.
    fn fitting_steps(&mut self, frame: &Frame) -> u32 {
        let due = (self.owed / frame.time_step).floor();
        self.adjust_limit(frame);
        self.adjust_trust(frame);
        let measured = frame.step.map(|_| frame.load(self.trust).steps());
        let fits = measured.map_or(self.limit, |measured| self.limit.min(measured));
        self.was_held_back = measured.is_some_and(|measured| measured <= self.limit && measured < due);
        self.last_steps = due.min(fits.floor().max(1.0)) as u32;
        self.last_steps
    }

    /// Number of steps for `elapsed` seconds, regardless of how long they take, for runs without a user.
    pub fn all_steps(&mut self, elapsed: f64, time_step: f64, slow_motion: bool) -> u32 {
        self.owed += elapsed * pace(slow_motion);
        let steps = (self.owed / time_step).floor();
        self.owed -= steps * time_step;
        steps as u32
    }

    /// Adjusts the limit to the duration of the last frames: it grows a little after a frame that made all its steps in
    /// time, and shrinks clearly after one that was late.
    fn adjust_limit(&mut self, frame: &Frame) {
        let smoothed = self.smoothed.map_or(frame.elapsed, |before| before + 0.25 * (frame.elapsed - before));
        self.smoothed = Some(smoothed);
        let target = frame.load(self.trust).target();
        // If the steps took less than a quarter of a late frame, something else made it late.
        let steps_cost = frame.step.map(|step| f64::from(self.last_steps) * step * 1e-3);
        let to_blame = self.last_steps > 1 && steps_cost.is_none_or(|cost| cost > smoothed * 0.25);
        if smoothed > target * 1.2 && to_blame {
            let cut = (target / smoothed).clamp(0.7, 0.95);
            self.limit = (self.limit.min(f64::from(self.last_steps)) * cut).max(1.0);
        } else if (smoothed < target * 1.1 || !to_blame) && f64::from(self.last_steps) >= self.limit.floor() {
            // If steps are timed, their measured time bounds the number of steps too, and the limit may grow fast.
            let (share, least) = if frame.step.is_some() { (0.25, 1.0) } else { (0.05, 0.25) };
            self.limit += (self.limit * share).max(least);
        }
    }

    /// Trusts that more steps fit than the measured times say while frames are in time, and fewer after a late one.
    fn adjust_trust(&mut self, frame: &Frame) {
        self.ceiling = (self.ceiling * CEILING_GROWTH).min(MOST_TRUST);
        let steps = f64::from(self.last_steps);
        let target = frame.load(self.trust).target();
        let is_late = frame.elapsed > LATE * target;
        let is_just_late = is_late && frame.elapsed < JUST_LATE * target;
        let mean = |share: f64, now: bool| share + (f64::from(u8::from(now)) - share) / REMEMBERED;
        self.just_late = mean(self.just_late, is_just_late);
        self.late = mean(self.late, is_late);
        let is_often_late = is_just_late && self.just_late > OFTEN || is_late && self.late > TOO_OFTEN;
        if let Some(step) = frame.step.filter(|step| *step > 0.0 && is_often_late && steps > 1.0) {
            // With this trust just not as many steps fit.
            let fewer = ((steps - STEP_MARGIN) * step + frame.drawing) / (target * GPU_SHARE * 1e3);
            self.trust = self.trust.min(fewer);
            self.ceiling = self.trust;
            self.proven = steps - 1.0;
            (self.just_late, self.late) = (0.0, 0.0);
        } else if !is_late {
            self.proven = steps.max(self.proven * PROOF_DECAY);
            if self.was_held_back {
                self.trust = (self.trust * TRUST_GROWTH).min(self.ceiling);
            }
        } else if self.trust > 1.0 && steps > self.proven {
            let lower = (self.trust * TRUST_LOSS).max(1.0);
            if (self.trust / self.suspected - 1.0).abs() < SAME_TRUST {
                self.ceiling = lower;
            }
            self.suspected = self.trust;
            self.trust = lower;
        }
    }

    /// How many times as long passes take one by one as together, as far as frames in time have shown.
    pub fn overstatement(&self) -> f64 {
        self.trust.max(1.0)
    }

    /// Starts over after a change of the cost of a step.
    pub fn restart(&mut self) {
        *self = Self { owed: self.owed, ..Self::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::{Frame, Pacer};

    /// Runs 900 frames on a model of a device on which a step and the drawing take these times, ms. Returns the number
    /// of steps in the last second, and the longest frame in it, s.
    fn play(step: f64, drawing: f64, timestamps: bool, slow_motion: bool) -> (u32, f64) {
        let budget = 1.0 / 60.0;
        let (mut pacer, mut elapsed) = (Pacer::default(), budget);
        let mut frames = Vec::new();
        for _ in 0..900 {
            let (measured_step, measured_drawing) = if timestamps { (Some(step), drawing) } else { (None, 0.0) };
            let frame =
                Frame { elapsed, time_step: 1e-3, slow_motion, budget, step: measured_step, drawing: measured_drawing };
            let steps = pacer.steps(&frame);
            // The display shows a frame at the next refresh after it is finished.
            let cost = (f64::from(steps) * step + drawing) * 1e-3;
            elapsed = (cost / budget).ceil().max(1.0) * budget;
            frames.push((steps, elapsed));
        }
        let mut last = 0.0;
        let second: Vec<_> = frames
            .iter()
            .rev()
            .take_while(|frame| {
                last += frame.1;
                last < 1.0
            })
            .collect();
        (second.iter().map(|frame| frame.0).sum(), second.iter().map(|frame| frame.1).fold(0.0, f64::max))
    }

    #[test]
    fn frames_of_a_fixed_length_make_all_steps() {
        let mut pacer = Pacer::default();
        let steps: u32 = (0..60).map(|_| pacer.all_steps(1.0 / 60.0, 3e-4, false)).sum();
        assert!((3_332..=3_333).contains(&steps), "{steps} steps of 0.3 ms in a second");
        assert_eq!(pacer.all_steps(0.4, 0.01, true), 10, "a quarter of the steps in slow motion");
    }

    /// 16 steps of 40 ms belong to a picture, which as one frame would take 0.64 s.
    #[test]
    fn frames_share_the_steps_between_two_pictures_of_a_video() {
        let (interval, time_step) = (1.0 / 60.0, 1e-3);
        for step in [Some(40.0), None] {
            let (mut pacer, mut elapsed) = (Pacer::default(), interval);
            let (mut total, mut longest) = (0, 0.0_f64);
            for number in 0..600 {
                let frame = Frame { elapsed, time_step, slow_motion: false, budget: interval, step, drawing: 0.0 };
                let steps = pacer.shared_steps(&frame, interval);
                assert!(steps > 0, "frame {number} makes no step");
                total += steps;
                elapsed = f64::from(steps) * 0.04;
                if number > 30 {
                    longest = longest.max(elapsed);
                }
            }
            assert!(longest < 0.17, "measured {step:?}: a frame takes {longest} s");
            assert!(total > 900, "measured {step:?}: {total} steps in 600 frames");
        }
        // Where all steps fit, every frame has a picture, and none are lost.
        let mut pacer = Pacer::default();
        let frame =
            Frame { elapsed: 0.01, time_step, slow_motion: false, budget: interval, step: Some(0.1), drawing: 0.0 };
        let steps: Vec<_> = (0..90).map(|_| pacer.shared_steps(&frame, interval)).collect();
        let rest = &steps[30..];
        assert!((999..=1_001).contains(&rest.iter().sum::<u32>()), "{rest:?}");
        assert!(rest.iter().all(|steps| (16..=17).contains(steps)), "{rest:?}");
    }

    #[test]
    fn a_fast_device_runs_in_real_time_and_slow_motion_takes_a_quarter_of_the_steps() {
        for timestamps in [true, false] {
            let (steps, _) = play(0.1, 1.0, timestamps, false);
            assert!((950..=1000).contains(&steps), "timestamps {timestamps}: {steps} steps of 1 ms a second");
            let (steps, _) = play(0.1, 1.0, timestamps, true);
            assert!((235..=250).contains(&steps), "timestamps {timestamps}: {steps} steps in slow motion");
        }
    }

    #[test]
    fn a_slow_device_makes_fewer_steps_and_keeps_its_frame_rate() {
        let (steps, longest) = play(4.0, 2.0, true, false);
        assert!((100..400).contains(&steps), "{steps} steps");
        assert!(longest < 1.5 / 60.0, "a frame took {longest} s");
        // Without timestamps the limit is found by trial, which makes a frame late now and then.
        let (steps, _) = play(4.0, 2.0, false, false);
        assert!((100..400).contains(&steps), "{steps} steps without timestamps");
    }

    /// Every eighth frame takes 8 ms longer, as with another program on the machine.
    #[test]
    fn a_device_whose_frames_are_often_late_makes_a_step_less() {
        let (refresh, budget) = (1.0 / 60.0, 0.05);
        let (mut pacer, mut elapsed) = (Pacer::default(), refresh);
        let mut frames = Vec::new();
        for number in 0..1_200 {
            let frame = Frame { elapsed, time_step: 0.016, slow_motion: false, budget, step: Some(9.0), drawing: 20.0 };
            let steps = pacer.steps(&frame);
            let disturbed = if number % 8 == 0 { 8.0 } else { 0.0 };
            elapsed = ((f64::from(steps) * 6.0 + 28.0 + disturbed) * 1e-3 / refresh).ceil() * refresh;
            frames.push((steps, elapsed));
        }
        let last = &frames[600..];
        let late = last.iter().filter(|(_, elapsed)| *elapsed > 1.25 * budget).count();
        let steps: u32 = last.iter().map(|(steps, _)| steps).sum();
        assert!(late < 20, "{late} of 600 frames are late");
        assert!(steps >= 1_100, "only {steps} steps in 600 frames, of which two fit each");
    }

    #[test]
    fn a_device_that_may_take_three_refreshes_does_not_take_four() {
        let (refresh, budget) = (1.0 / 60.0, 0.05);
        let (mut pacer, mut elapsed) = (Pacer::default(), refresh);
        let mut frames = Vec::new();
        for _ in 0..900 {
            let frame =
                Frame { elapsed, time_step: 0.016, slow_motion: false, budget, step: Some(17.0), drawing: 20.0 };
            let steps = pacer.steps(&frame);
            // 8 ms are spent on the host, so that one step takes 45 ms and two take 62.
            elapsed = ((f64::from(steps) * 17.0 + 28.0) * 1e-3 / refresh).ceil() * refresh;
            frames.push(elapsed);
        }
        let late = frames[300..].iter().filter(|&&elapsed| elapsed > 0.051).count();
        assert!(late <= 6, "{late} of 600 frames are late");
    }

    #[test]
    fn measured_times_that_are_too_long_do_not_keep_the_water_from_real_time() {
        // Passes that are timed one by one take 1.8 ms, and 1 ms together; real time wants 10 steps a frame.
        let budget = 1.0 / 60.0;
        let (mut pacer, mut elapsed) = (Pacer::default(), budget);
        let mut made = Vec::new();
        for number in 0..900 {
            let frame =
                Frame { elapsed, time_step: budget / 10.0, slow_motion: false, budget, step: Some(1.8), drawing: 2.0 };
            let steps = pacer.steps(&frame);
            // For some seconds a shader is compiled now and then, which makes a frame late.
            let hitch = if number < 300 && number % 25 == 0 { 20.0 } else { 0.0 };
            elapsed = ((f64::from(steps) + 2.0 + hitch) * 1e-3 / budget).ceil().max(1.0) * budget;
            made.push((steps, elapsed));
        }
        let last = &made[made.len() - 60..];
        let steps: u32 = last.iter().map(|(steps, _)| steps).sum();
        assert!((590..=600).contains(&steps), "{steps} steps in the last second, in which 600 are due");
        assert!(last.iter().all(|(_, elapsed)| *elapsed < 1.5 * budget), "no frame is late");
    }

    #[test]
    fn drawing_whose_measured_time_is_too_long_does_not_keep_the_water_from_real_time() {
        // Steps and drawing take 1 and 6 ms, of which passes that are timed one by one make 1.7 and 10; real time wants
        // 8 steps a frame.
        let budget = 1.0 / 60.0;
        let (mut pacer, mut elapsed) = (Pacer::default(), budget);
        let mut made = Vec::new();
        for _ in 0..900 {
            let frame =
                Frame { elapsed, time_step: budget / 8.0, slow_motion: false, budget, step: Some(1.7), drawing: 10.0 };
            let steps = pacer.steps(&frame);
            elapsed = ((f64::from(steps) + 6.0) * 1e-3 / budget).ceil().max(1.0) * budget;
            made.push((steps, elapsed));
        }
        let last = &made[made.len() - 60..];
        let steps: u32 = last.iter().map(|(steps, _)| steps).sum();
        assert!((470..=480).contains(&steps), "{steps} steps in the last second, in which 480 are due");
        assert!(last.iter().all(|(_, elapsed)| *elapsed < 1.5 * budget), "no frame is late");
    }

    #[test]
    fn frames_of_which_many_take_two_refreshes_make_fewer_steps() {
        // Real time wants 8 steps of 1 ms a frame, which takes 6 ms more; every fourth frame takes a third longer.
        let budget = 1.0 / 60.0;
        let (mut pacer, mut elapsed) = (Pacer::default(), budget);
        let mut made = Vec::new();
        for number in 0..1_800 {
            let frame =
                Frame { elapsed, time_step: budget / 8.0, slow_motion: false, budget, step: Some(1.7), drawing: 10.0 };
            let steps = pacer.steps(&frame);
            let longer = if number % 4 == 0 { 4.0 / 3.0 } else { 1.0 };
            elapsed = (longer * (f64::from(steps) + 6.0) * 1e-3 / budget).ceil().max(1.0) * budget;
            made.push((steps, elapsed));
        }
        let last = &made[900..];
        let late = last.iter().filter(|(_, elapsed)| *elapsed > 1.5 * budget).count();
        let steps: u32 = last.iter().map(|(steps, _)| steps).sum();
        assert!(late < 30, "{late} of 900 frames are late");
        assert!(steps > 900 * 5, "only {steps} steps in 900 frames, of which six always fit each");
    }

    #[test]
    fn a_step_longer_than_a_frame_is_still_made() {
        let (steps, _) = play(100.0, 2.0, true, false);
        assert!(steps >= 8, "{steps} steps of 100 ms in a second");
    }

    #[test]
    fn slow_drawing_does_not_stop_the_simulation() {
        let (steps, longest) = play(0.5, 140.0, true, false);
        assert!(steps >= 4 * 100, "{steps} steps of 0.5 ms in a second whose frames draw for 140 ms");
        assert!(longest < 0.25, "a frame took {longest} s");
    }

    #[test]
    fn a_stall_is_not_followed_by_a_burst_of_steps() {
        let mut pacer = Pacer::default();
        let frame = Frame {
            elapsed: 1.0 / 60.0,
            time_step: 1e-3,
            slow_motion: false,
            budget: 1.0 / 60.0,
            step: Some(0.01),
            drawing: 0.0,
        };
        for _ in 0..200 {
            pacer.steps(&frame);
        }
        let after_stall = pacer.steps(&Frame { elapsed: 5.0, ..frame });
        assert!(after_stall <= 101, "{after_stall} steps after a stall of five seconds");
    }
}
