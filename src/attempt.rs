//! Runs what may panic for reasons that are no fault of the program.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    /// Whether this thread tries something that may panic.
    static IS_TRYING: Cell<bool> = const { Cell::new(false) };
}

/// Runs what may panic because of its input or the device, as libraries do that are given damaged data or lose the
/// device; `None` if it did, which is not reported.
pub(crate) fn attempt<T>(work: impl FnOnce() -> T) -> Option<T> {
    let before = IS_TRYING.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    IS_TRYING.set(before);
    result.ok()
}

/// Whether this thread is in an [`attempt`], so that its panic is not to be reported.
#[cfg(any(feature = "fluid", test))]
pub(crate) fn is_attempt() -> bool {
    IS_TRYING.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attempt_ends_with_a_panic_and_may_be_made_within_another() {
        let outer = attempt(|| {
            assert_eq!(attempt(|| 1), Some(1));
            assert_eq!(attempt(|| -> u32 { panic!("within an attempt") }), None);
            is_attempt()
        });
        assert_eq!(outer, Some(true));
        assert!(!is_attempt());
    }
}
