//! What an app hears of its water: how full the boxes of [`WaterSensor`]s are, and splashes.
//!
//! The main world collects the sensors of each water, extraction hands them to its [`Driver`](super::Driver), and the
//! driver measures after the steps of a frame ([`EventWatch`](crate::fluid::EventWatch)). Findings arrive some frames
//! later in the water's report, from which they become messages.

mod marks;
mod systems;

pub use marks::{WaterLevel, WaterLevelChanged, WaterSensor, WaterSplash, WaterSplashes};

pub(super) use systems::{EventBook, collect_sensors, tell_events};
