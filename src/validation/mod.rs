//! The water held against experiments and theory: cases that run a scene of the program, compare what its probes read, and
//! say by how much it is off and by how much it may be.
//!
//! A [`Case`] is a scene, a way to read it, published numbers and tolerances; running it gives an [`Outcome`], a list of
//! [`Check`]s and curves. Nothing is damped or filtered but by what the scene's file declares. A check that could not be made,
//! since a run was too short or the water blew up, has no number and misses.
//!
//! Methods: fronts are where all but half a percent of the water below a quarter of the column's width is behind, and half
//! a spacing more; where an experiment's clock started by hand, one shift of time is fitted, and the errors without it and
//! the slope are told too; gauges are medians over time.

mod buoyancy;
mod case;
mod check;
mod error;
mod experiment;
mod figure;
mod fit;
mod hydrostatic;
mod martin_moyce;
mod report;
mod series;
mod shear_box;
mod spheric;
mod watch;

pub use case::{CASES, Case, Curve, Measured, Outcome};
pub use check::{Check, Tolerance, Verdict};
pub use error::ValidationError;
pub use figure::{Axis, Figure, Look, Panel, PlottedCurve};
pub use fit::ShiftFit;
pub use report::{curve_rows, markdown, result_rows};
pub use series::Series;
pub use watch::{Health, Trial, Watched};
