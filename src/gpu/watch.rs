use std::path::Path;
use std::sync::mpsc;

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};

/// Tells when a file below the folder of `--shaders` changed.
pub struct ShaderWatcher {
    changes: mpsc::Receiver<()>,
    _watcher: RecommendedWatcher,
}

impl ShaderWatcher {
    /// Watches `folder` and everything below it.
    ///
    /// # Errors
    /// When the system refuses to watch it; the message is the system's.
    pub fn new(folder: &Path) -> Result<Self, notify::Error> {
        let (sender, changes) = mpsc::channel();
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            if event.is_ok_and(|event| !event.kind.is_access()) {
                // The receiver goes with the watcher.
                let _ = sender.send(());
            }
        })?;
        watcher.watch(folder, RecursiveMode::Recursive)?;
        Ok(Self { changes, _watcher: watcher })
    }

    /// Whether anything changed since the last call.
    pub fn changed(&self) -> bool {
        self.changes.try_iter().count() > 0
    }
}
