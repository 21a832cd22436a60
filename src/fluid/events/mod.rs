//! What happens in the water, for programs that react to it: how much water is in the boxes of sensors, and where
//! water splashes. It is measured on the device after a frame's steps, and read back without waiting.
//!
//! A splash is found where masses of water run into each other near the surface: in a coarse cell, some support radii
//! wide, whose water moves relative to its mean velocity at a given speed or more. Water that falls as a whole does not
//! splash before it meets other water, a solid or a wall; still water never does. `splashes.rs` joins the cells of a
//! splash and reports it once.

mod splashes;
mod watch;

pub use splashes::Splash;
pub use watch::{EventFindings, EventRequest, EventWatch, MOST_SENSORS, SensorBox, SensorReading};
