//! What can be chosen: adapters, searches, solvers and scenes.

use nearwater::fluid::{Scene, Solver};
use nearwater::gpu::{Capabilities, adapter_capabilities};
use nearwater::search::{SEARCHES, SearchInfo};
use pyo3::prelude::*;

use crate::device;

/// An adapter of this machine: a GPU with its driver, or a software renderer.
#[pyclass(frozen, get_all, module = "nearwater")]
pub struct Adapter {
    /// Name as reported by the driver.
    name: String,
    /// "discrete", "integrated" or "software".
    kind: String,
    /// "Vulkan", "Metal" or "Dx12".
    backend: String,
    /// Driver name and version.
    driver: String,
    /// Bytes of the largest buffer that a search can use.
    largest_buffer: u64,
}

impl Adapter {
    fn of(capabilities: &Capabilities) -> Self {
        Self {
            name: capabilities.name.clone(),
            kind: capabilities.class.to_string(),
            backend: format!("{:?}", capabilities.backend),
            driver: capabilities.driver.clone(),
            largest_buffer: capabilities.largest_binding_bytes(),
        }
    }
}

#[pymethods]
impl Adapter {
    fn __repr__(&self) -> String {
        format!("<Adapter {:?}, {}, {}>", self.name, self.kind, self.backend)
    }
}

/// A neighbor search.
#[pyclass(frozen, get_all, module = "nearwater")]
pub struct Search {
    /// Name for the argument `search`.
    name: &'static str,
    /// Name on screen.
    title: &'static str,
    /// Authors, title, venue and year.
    paper: &'static str,
    /// The idea in one sentence.
    idea: &'static str,
    /// Names of its options.
    options: Vec<&'static str>,
}

impl Search {
    fn of(info: &'static SearchInfo) -> Self {
        let options = info.options.iter().map(|option| option.name).collect();
        Self { name: info.name, title: info.title, paper: info.paper, idea: info.idea, options }
    }
}

#[pymethods]
impl Search {
    fn __repr__(&self) -> String {
        format!("<Search {:?}: {}>", self.name, self.title)
    }
}

/// List the adapters of this machine, best first; the first one is used unless an argument names another.
#[pyfunction]
pub fn adapters(python: Python<'_>) -> PyResult<Vec<Adapter>> {
    Ok(device::work(python, |_| Ok(adapter_capabilities().iter().map(Adapter::of).collect()))?)
}

/// List the neighbor searches.
#[pyfunction]
pub fn searches() -> Vec<Search> {
    SEARCHES.iter().map(|info| Search::of(info)).collect()
}

/// List the names of the solvers.
#[pyfunction]
pub fn solvers() -> Vec<&'static str> {
    Solver::all().map(Solver::name).collect()
}

/// List the names of the scenes that come with the package.
#[pyfunction]
pub fn scenes() -> Vec<&'static str> {
    Scene::names()
}
