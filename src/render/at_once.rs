//! Compiles pipelines on several threads at once, since a driver may need a tenth of a second for each.

use std::panic::resume_unwind;
use std::thread::{Scope, ScopedJoinHandle};

use super::pipeline::DrawPipeline;
use crate::gpu::GpuError;

/// A pipeline that a thread compiles.
pub(super) struct Compiling<'scope>(ScopedJoinHandle<'scope, Result<DrawPipeline, GpuError>>);

impl<'scope> Compiling<'scope> {
    /// Begins to compile a pipeline.
    pub(super) fn begin(
        scope: &'scope Scope<'scope, '_>,
        compile: impl FnOnce() -> Result<DrawPipeline, GpuError> + Send + 'scope,
    ) -> Self {
        Self(scope.spawn(compile))
    }

    /// Waits for the pipeline.
    ///
    /// # Errors
    /// When its shader does not compile.
    pub(super) fn get(self) -> Result<DrawPipeline, GpuError> {
        self.0.join().unwrap_or_else(|panic| resume_unwind(panic))
    }
}
