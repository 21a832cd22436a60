//! The errors of the library as Python exceptions, each with the library's own sentence.

use nearwater::files::FileError;
use nearwater::fluid::{FluidError, SceneError};
use nearwater::gpu;
use nearwater::search::SearchError;
use pyo3::exceptions::{PyMemoryError, PyOSError, PyRuntimeError, PyValueError};
use pyo3::{PyErr, create_exception};

create_exception!(
    nearwater,
    GpuError,
    PyRuntimeError,
    "The GPU or its driver failed, or there is none; the message is a sentence that says what to do."
);

/// Why a call failed, before it becomes an exception. Work without the interpreter cannot make exceptions.
#[derive(Debug)]
pub enum Fault {
    /// An argument cannot be used: `ValueError`.
    Input(String),
    /// The device failed or there is none: `GpuError`.
    Device(String),
    /// The device has no memory left: `MemoryError`.
    Memory(String),
    /// A file cannot be read: `OSError`.
    File(String),
}

impl From<Fault> for PyErr {
    fn from(fault: Fault) -> Self {
        // The library's sentences name arguments as on the command line.
        let plain = |text: String| text.replace("--adapter", "the argument `adapter`");
        match fault {
            Fault::Input(text) => PyValueError::new_err(plain(text)),
            Fault::Device(text) => GpuError::new_err(plain(text)),
            Fault::Memory(text) => PyMemoryError::new_err(plain(text)),
            Fault::File(text) => PyOSError::new_err(plain(text)),
        }
    }
}

impl From<gpu::GpuError> for Fault {
    fn from(error: gpu::GpuError) -> Self {
        let text = error.to_string();
        match error {
            gpu::GpuError::UnknownAdapter { .. }
            | gpu::GpuError::TooLarge { .. }
            | gpu::GpuError::LoopsCut { .. }
            | gpu::GpuError::TooManyWorkgroups { .. } => Self::Input(text),
            gpu::GpuError::OutOfMemory { .. } => Self::Memory(text),
            _ => Self::Device(text),
        }
    }
}

impl From<SearchError> for Fault {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::Gpu(error) => error.into(),
            other => Self::Input(other.to_string()),
        }
    }
}

impl From<SceneError> for Fault {
    fn from(error: SceneError) -> Self {
        let text = error.to_string();
        if matches!(error, SceneError::Unreadable { .. }) { Self::File(text) } else { Self::Input(text) }
    }
}

impl From<FileError> for Fault {
    fn from(error: FileError) -> Self {
        Self::File(error.to_string())
    }
}

impl From<FluidError> for Fault {
    fn from(error: FluidError) -> Self {
        match error {
            FluidError::Gpu(error) => error.into(),
            FluidError::Search(error) => error.into(),
            FluidError::Scene(error) => error.into(),
            FluidError::File(error) => error.into(),
            other => Self::Input(other.to_string()),
        }
    }
}
