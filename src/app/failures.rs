//! Why the app ends early.

use std::sync::{Arc, Mutex, PoisonError};

use bevy::prelude::*;

use super::AppError;

/// The first error of the app, which is returned when the app ends.
#[derive(Clone, Debug, Default, Resource)]
pub(super) struct Failures(Arc<Mutex<Option<AppError>>>);

impl Failures {
    pub(super) fn take(&self) -> Option<AppError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    pub(super) fn note(&self, failure: AppError) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(failure);
    }

    pub(super) fn any(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }
}
