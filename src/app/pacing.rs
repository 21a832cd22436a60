/// The slow-motion key's share of real time.
const SLOW_MOTION: f64 = 0.25;
/// Share of a frame left to the steps and the drawing; the rest is the panel, the window system and chance.
const GPU_SHARE: f64 = 0.85;
/// Longest stretch of the clock that a frame tries to make up for, s. A window that was dragged or a shader that was
/// compiled must not be followed by a burst of steps.
const LONGEST_DEBT: f64 = 0.1;

/// What a frame knows when it decides on its steps.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// Seconds of the clock since the last frame.
    pub elapsed: f64,
    /// Seconds of water in one step.
    pub time_step: f64,
    /// Whether the water runs in slow motion.
    pub slow_motion: bool,
    /// Seconds a frame may take.
    pub budget: f64,
    /// Measured ms of one step, where the device tells.
    pub step: Option<f64>,
    /// Measured ms of the drawing; 0 where the device does not tell.
    pub drawing: f64,
}

impl Frame {
    /// Seconds that this frame may really take: where drawing alone fills the budget, the steps get half as long
    /// again, since water that hardly moves is worse than a frame that is half as long again.
    fn target(&self) -> f64 {
        self.budget.max(1.5e-3 * self.drawing / GPU_SHARE)
    }
}

/// Decides how many time steps a frame makes: as many as real time asks for, at most what fits into the frame. The
/// step itself never changes, so on a slow device the water runs slower.
#[derive(Clone, Debug)]
pub struct Pacer {
    owed: f64,
    limit: f64,
    last_steps: u32,
    smoothed: Option<f64>,
}

impl Default for Pacer {
    fn default() -> Self {
        Self { owed: 0.0, limit: 1.0, last_steps: 0, smoothed: None }
    }
}

impl Pacer {
    /// Steps to make in this frame.
    pub fn steps(&mut self, frame: &Frame) -> u32 {
        let pace = if frame.slow_motion { SLOW_MOTION } else { 1.0 };
        self.owed += frame.elapsed.min(LONGEST_DEBT) * pace;
        let asked = (self.owed / frame.time_step).floor();
        self.learn(frame);
        let fits = frame.step.map_or(self.limit, |step| {
            let left = frame.target() * GPU_SHARE * 1e3 - frame.drawing;
            self.limit.min(left / step.max(1e-6))
        });
        let steps = asked.min(fits.floor().max(1.0));
        // What did not fit is forgotten: the water is slower, and does not run after the clock.
        self.owed = (self.owed - steps * frame.time_step).min(frame.time_step);
        self.last_steps = steps as u32;
        self.last_steps
    }

    /// Adjusts the limit from what the last frames took: a little more after a frame that used all its steps in
    /// time, clearly less after one that was late.
    fn learn(&mut self, frame: &Frame) {
        let smoothed = self.smoothed.map_or(frame.elapsed, |before| before + 0.25 * (frame.elapsed - before));
        self.smoothed = Some(smoothed);
        let target = frame.target();
        // Steps that take less than a quarter of a late frame are not what made it late.
        let steps_cost = frame.step.map(|step| f64::from(self.last_steps) * step * 1e-3);
        let to_blame = self.last_steps > 1 && steps_cost.is_none_or(|cost| cost > smoothed * 0.25);
        if smoothed > target * 1.2 && to_blame {
            let cut = (target / smoothed).clamp(0.7, 0.95);
            self.limit = (self.limit.min(f64::from(self.last_steps)) * cut).max(1.0);
        } else if (smoothed < target * 1.1 || !to_blame) && f64::from(self.last_steps) >= self.limit.floor() {
            // Where steps are timed the times hold the limit down, and it may grow fast.
            let (share, least) = if frame.step.is_some() { (0.25, 1.0) } else { (0.05, 0.25) };
            self.limit += (self.limit * share).max(least);
        }
    }

    /// Starts over after a change of what a step costs.
    pub fn restart(&mut self) {
        *self = Self { owed: self.owed, ..Self::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::{Frame, Pacer};

    /// Plays `frames` frames on a device whose step and drawing take those ms, and returns the steps of the last
    /// second of the clock and the longest frame in it.
    fn play(step: f64, drawing: f64, timestamps: bool, slow_motion: bool) -> (u32, f64) {
        let budget = 1.0 / 60.0;
        let (mut pacer, mut elapsed) = (Pacer::default(), budget);
        let mut frames = Vec::new();
        for _ in 0..900 {
            let (step_told, drawing_told) = if timestamps { (Some(step), drawing) } else { (None, 0.0) };
            let frame = Frame { elapsed, time_step: 1e-3, slow_motion, budget, step: step_told, drawing: drawing_told };
            let steps = pacer.steps(&frame);
            // The display shows a frame at its next refresh.
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
    fn a_fast_device_runs_in_real_time_and_slow_motion_takes_a_quarter_of_the_steps() {
        for timestamps in [true, false] {
            let (steps, _) = play(0.1, 1.0, timestamps, false);
            assert!((950..=1000).contains(&steps), "timestamps {timestamps}: {steps} steps of 1 ms a second");
            let (steps, _) = play(0.1, 1.0, timestamps, true);
            assert!((235..=250).contains(&steps), "timestamps {timestamps}: {steps} steps in slow motion");
        }
    }

    #[test]
    fn a_slow_device_makes_fewer_steps_and_keeps_its_frames() {
        let (steps, longest) = play(4.0, 2.0, true, false);
        assert!((100..400).contains(&steps), "{steps} steps");
        assert!(longest < 1.5 / 60.0, "a frame took {longest} s");
        // Without timestamps the limit is found by trying, which costs a late frame now and then.
        let (steps, _) = play(4.0, 2.0, false, false);
        assert!((100..400).contains(&steps), "{steps} steps without timestamps");
    }

    #[test]
    fn a_step_longer_than_a_frame_is_still_made() {
        let (steps, _) = play(100.0, 2.0, true, false);
        assert!(steps >= 8, "{steps} steps of 100 ms in a second");
    }

    #[test]
    fn slow_drawing_does_not_freeze_the_water() {
        let (steps, longest) = play(0.5, 140.0, true, false);
        assert!(steps >= 4 * 100, "{steps} steps of 0.5 ms in a second whose frames draw for 140 ms");
        assert!(longest < 0.25, "a frame took {longest} s");
    }

    #[test]
    fn a_stall_is_not_made_up_for() {
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
        assert!(after_stall <= 101, "{after_stall} steps after five seconds' stall");
    }
}
