//! The fluid: scenes, and the solvers and solids that run on any of the neighbor searches. Scenes have three or two
//! dimensions: a scene of two dimensions is one layer of particles, with kernels, masses and walls normalized for the
//! plane, and uses the same passes.
//!
//! Where to begin reading: `simulation.rs` holds a scene on the device, `step.rs` defines the order of a step,
//! `context.rs` the buffers that all solvers and solids share, `solvers/` contains the solvers, and `scene/` the
//! description of a scene and its files. Solids are in `solids/`, each kind in a folder of its own; how they act on
//! the fluid is described in `solids/sampling/mod.rs`, the walls of the box in `solids/walls.rs`, and emitters and
//! drains in `flow.rs`.
//!
//! After a step every buffer is in the order of that step's sort. Memory per particle: positions and velocities take
//! 16 bytes each, in addition to the shared arrays (`context.rs`), the solver's arrays and the search's buffers.

mod additions;
mod agreement;
mod contact;
mod context;
mod density;
mod emitter_layer;
mod error;
mod events;
mod expected_motion;
mod explained;
mod flow;
mod foam;
mod hands;
mod initial_particles;
mod kernel_explanation;
mod lattice;
mod material;
mod material_settings;
mod memory_order;
mod model;
mod need_of_neighbors;
mod observation;
mod parameters;
mod particles;
mod passes;
mod point_fluid;
mod points_at_walls;
pub mod probes;
mod problem;
mod push;
#[cfg(test)]
mod random_scenes;
mod resolution;
mod resolving;
mod resting;
mod saved_state;
mod scene;
mod setting_groups;
mod settings;
mod shader;
mod simulation;
mod smoothed_positions;
mod smoothing_kernel;
mod solid_state;
pub mod solids;
mod solvers;
mod step;
mod step_part;
mod surface_tension;
mod survey;
#[cfg(test)]
mod tests;
mod viscous_weight;

pub use agreement::{SearchAgreement, agreement_of_searches};
pub use context::CarriedArray;
pub use error::{FluidError, SceneError};
pub use events::{EventFindings, EventRequest, EventWatch, MOST_SENSORS, SensorBox, SensorReading, Splash};
pub use flow::{Drain, Emitter};
#[cfg(feature = "laboratory")]
pub(crate) use foam::FoamWork;
pub use foam::{FOAM_SETTINGS, FoamCounts, FoamParticles};
pub use hands::{Face, HandsError, Spout, Sway, TiltSway, WallSway};
pub use initial_particles::InitialParticles;
pub use kernel_explanation::KernelExplanation;
pub use material::{Density, Material};
pub use material_settings::{MATERIAL_SETTINGS, MaterialEdits, MaterialSetting};
pub use passes::PassMaker;
pub use point_fluid::PointFluid;
pub use probes::{Probe, ProbeColumn};
pub use push::Push;
pub use resolution::Resolution;
pub use saved_state::{Continuation, SavedState};
pub use scene::{Axis, Block, BlockShape, CentralGravity, Scene, SceneCamera, SceneEdits, VelocityField};
pub use setting_groups::every_setting;
pub use settings::{Settings, Size};
pub use shader::{FluidShader, Surroundings};
pub use simulation::{ParticleBuffers, Simulation};
pub use smoothing_kernel::{Dimensions, SmoothingKernel};
#[cfg(feature = "bodies")]
pub use solids::bodies::{Body, BodyShape, BodyView, Drag, Impulse, Motion, Picked};
pub use solids::cloths::{Cloth, Pin};
#[cfg(feature = "laboratory")]
pub(crate) use solids::core_reach;
pub use solids::fixed::Boundary;
pub use solids::sampling::{Mesh, MeshError};
pub use solids::{BodyState, SceneSolids};
pub use solvers::{
    Accuracy, CreateSolver, FigureValues, FluidSolver, Limits, MOST_FIGURES, Medium, PressureSource, Problem,
    SOLVER_SYMBOLS, SOLVERS, Shape, Solver, SolverExplanation, SolverFigure, SolverInfo, SolverInput, SolverSetting,
    SolverSettings,
};
#[cfg(feature = "laboratory")]
pub(crate) use surface_tension::SurfaceScale;
pub use survey::Survey;
#[cfg(feature = "laboratory")]
pub(crate) use viscous_weight::{viscous_normalization, viscous_weight};
