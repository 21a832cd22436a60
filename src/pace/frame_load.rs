//! How a frame's time is divided between time steps and drawing, and the pace of simulated time that follows.

/// Fraction of a frame available to the steps and the drawing; the rest is for the panel, the window system and
/// fluctuations.
pub const GPU_SHARE: f64 = 0.85;

/// The work of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameLoad {
    /// Time of one step, ms.
    pub step: f64,
    /// Simulated time of one step, s.
    pub time_step: f64,
    /// Time of the drawing, ms.
    pub drawing: f64,
    /// Time that a frame may take, s: usually the interval of the display.
    pub budget: f64,
}

impl FrameLoad {
    /// Time that a frame may actually take, s. If drawing alone fills the budget, the frame becomes half as long again
    /// as the drawing to leave time for steps, because a simulation that hardly moves is worse than a longer frame.
    pub fn target(&self) -> f64 {
        self.budget.max(1.5e-3 * self.drawing / GPU_SHARE)
    }

    /// Number of steps for which a frame of the target's length has time; not rounded.
    pub fn steps(&self) -> f64 {
        (self.target() * GPU_SHARE * 1e3 - self.drawing) / self.step.max(1e-6)
    }

    /// The simulated time that the device could compute in a second, s. From 1 on, the scene runs in real time.
    pub fn capacity(&self) -> f64 {
        let steps = self.steps();
        if steps >= 1.0 {
            steps * self.time_step / self.target()
        } else {
            // A frame always makes a step, and becomes longer if there is no time for it.
            self.time_step * 1e3 * GPU_SHARE / (self.step + self.drawing)
        }
    }

    /// The pace of simulated time as a fraction of real time, at most 1.
    pub fn real_time_factor(&self) -> f64 {
        self.capacity().min(1.0)
    }

    /// Length of a frame, s.
    pub fn frame(&self) -> f64 {
        let wanted = self.target() / self.time_step;
        let steps = self.steps().clamp(1.0, wanted.max(1.0));
        self.budget.max((steps * self.step + self.drawing) * 1e-3 / GPU_SHARE)
    }
}

#[cfg(test)]
mod tests {
    use super::FrameLoad;

    #[test]
    fn the_pace_follows_from_the_times_of_steps_and_drawing() {
        let load = FrameLoad { step: 1.0, time_step: 2e-3, drawing: 2.0, budget: 1.0 / 60.0 };
        // 14.17 ms less 2 ms leave 12.17 steps of 2 ms in 16.67 ms.
        assert!((load.capacity() - 12.17 * 2e-3 * 60.0).abs() < 1e-2, "{}", load.capacity());
        assert!((load.real_time_factor() - 1.0).abs() < 1e-9);
        assert!((load.frame() - 1.0 / 60.0).abs() < 1e-9, "a frame that makes the steps of real time is not longer");
        let slow = FrameLoad { step: 100.0, ..load };
        assert!((slow.capacity() - 2e-3 * 0.85 / 0.102).abs() < 1e-6, "{}", slow.capacity());
        assert!((slow.frame() - 0.12).abs() < 1e-9, "{}", slow.frame());
        let drawn = FrameLoad { drawing: 34.0, ..load };
        assert!((drawn.target() - 0.06).abs() < 1e-9, "drawing of 34 ms makes frames of 60 ms");
        assert!((drawn.steps() - 17.0).abs() < 1e-9, "{}", drawn.steps());
    }
}
