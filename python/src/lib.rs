//! The extension module of the Python package `nearwater`: neighbor searches and simulations on NumPy arrays.
//!
//! Python calls `neighbors` (`neighbors.rs`) or makes a `Simulation` (`simulation.rs`); what can be chosen is listed by
//! the functions of `listing.rs`. Arguments are checked in `arguments.rs` and `points.rs` before any work, all work on
//! the device goes through [`device::work`], which releases the interpreter and turns panics into errors, and every
//! error becomes an exception in `fault.rs`.

mod arguments;
mod device;
mod fault;
mod listing;
mod neighbors;
mod points;
mod simulation;

use pyo3::prelude::*;

/// GPU neighbor searches and particle fluids on NumPy arrays.
#[pymodule]
mod _nearwater {
    #[pymodule_export]
    use super::fault::GpuError;
    #[pymodule_export]
    use super::listing::{Adapter, Search, adapters, scenes, searches, solvers};
    #[pymodule_export]
    use super::neighbors::neighbors;
    #[pymodule_export]
    use super::simulation::Simulation;
}
