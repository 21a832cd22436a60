//! Watching the folder of `--shaders` for edits.

use std::path::Path;
use std::sync::mpsc;

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};

/// Reports when a file below a folder has changed.
pub struct ShaderWatcher {
    changes: mpsc::Receiver<()>,
    _watcher: RecommendedWatcher,
}

impl ShaderWatcher {
    /// Watches `folder` and everything below it.
    ///
    /// # Errors
    /// When the operating system refuses to watch it; the message is the system's.
    pub fn new(folder: &Path) -> Result<Self, notify::Error> {
        let (sender, changes) = mpsc::channel();
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            if event.is_ok_and(|event| !event.kind.is_access()) {
                // Sending fails only after the watcher was dropped.
                let _ = sender.send(());
            }
        })?;
        watcher.watch(folder, RecursiveMode::Recursive)?;
        Ok(Self { changes, _watcher: watcher })
    }

    /// Whether anything has changed since the last call.
    pub fn changed(&self) -> bool {
        self.changes.try_iter().count() > 0
    }
}

#[cfg(test)]
mod tests {
    use super::ShaderWatcher;

    #[test]
    fn an_edit_below_the_folder_is_seen() {
        let folder = std::env::temp_dir().join(format!("nearwater-watch-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("fluid")).expect("a folder can be made");
        let watcher = ShaderWatcher::new(&folder).expect("the folder can be watched");
        assert!(!watcher.changed(), "nothing was edited yet");
        std::fs::write(folder.join("fluid/density.wgsl"), "edited").expect("it can be written");
        let seen = (0..300).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(10));
            watcher.changed()
        });
        std::fs::remove_dir_all(&folder).expect("the folder is ours");
        assert!(seen, "no edit was seen within 3 s");
    }
}
