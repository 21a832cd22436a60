//! Comparison of the simulation with experiments and theory: cases that run a scene of the program, compare what its
//! probes read with published values, and report the differences and the allowed differences.
//!
//! A [`Case`] consists of a scene, a way to evaluate it, published numbers and tolerances; running it gives an
//! [`Outcome`], a list of [`Check`]s and curves. Nothing is damped or filtered except as declared in the scene's file.
//! A check that could not be evaluated, because a run was too short or the simulation became unstable, has the value
//! NaN and misses.
//!
//! Methods: the front is half a spacing beyond the point behind which 99.5 % of the water below a quarter of the
//! column's width is; where the clock of an experiment was started by hand, one shift of time is fitted, and the errors
//! without it and the slope are reported as well; gauges are medians over time.

mod buoyancy;
mod case;
mod check;
mod convergence;
mod corners;
mod drop;
mod error;
mod experiment;
mod figure;
mod fit;
mod hydrostatic;
mod lobovsky;
mod martin_moyce;
mod oscillation;
mod report;
mod rotating_square;
mod scenes;
mod series;
mod shear_box;
mod sloshing;
mod spheric;
mod watch;

pub use case::{CASES, Case, Curve, Measured, Outcome};
pub use check::{Check, Tolerance, Verdict};
pub use convergence::Convergence;
pub use error::ValidationError;
pub use figure::{Axis, Figure, Look, Panel, PlottedCurve};
pub use fit::ShiftFit;
pub use report::{curve_rows, markdown, result_rows};
pub use series::Series;
pub use watch::{Health, Trial, Watched};
