//! How fast a device runs a scene: estimates of the time of a step and of a picture, and the choice of search, solver
//! and number of particles that keeps a scene in real time.
//!
//! A [`DeviceBook`] holds the times that were measured on one device. The program contains two of them, of a graphics
//! card and of a software adapter ([`reference_of`]). The [`PaceModel`] of a device takes the shape of the curves from
//! the reference of its class and the scale from its own measurements, so that few of these are enough.
//! [`LaunchMeasurement`] makes the first ones in a given time, and a [`DeviceShelf`] keeps them in a file.

mod book;
mod choice;
mod defaults;
mod frame_load;
mod measure;
mod model;
mod reference;
mod shelf;
mod survey;

pub use book::{DeviceBook, DrawingTime, Motion, StepTime};
pub use choice::{Choice, Limits, PRESETS, Preset, Wanted, choose};
pub use defaults::{budget_at, choose_steps, leading_searches, usual_budget};
pub use frame_load::{FrameLoad, GPU_SHARE};
pub use measure::LaunchMeasurement;
pub use model::{PaceModel, SceneLoad};
pub use reference::reference_of;
pub use shelf::{DeviceShelf, device_key};
pub use survey::{PaceSurvey, Surveyed};
