//! The devices of this process, opened on first use and kept, and the one way in which anything runs on them.

use std::any::Any;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nearwater::gpu::{Gpu, ShaderLibrary};
use pyo3::Python;

use crate::fault::Fault;

/// The opened devices by the requested name, and the process that opened them.
struct Devices {
    opened: HashMap<Option<String>, Arc<Gpu>>,
    process: Option<u32>,
}

/// Locked for as long as anything runs on a device: calls from several threads of Python take turns, because the
/// library's checks of a device belong to one piece of work at a time.
static DEVICES: Mutex<Option<Devices>> = Mutex::new(None);

/// The devices while they are in use by this thread.
pub struct Access(MutexGuard<'static, Option<Devices>>);

impl Access {
    /// The device whose name contains `wanted`, or the best one.
    pub fn gpu(&mut self, wanted: Option<&str>) -> Result<Arc<Gpu>, Fault> {
        let devices = self.0.get_or_insert_with(|| Devices { opened: HashMap::new(), process: None });
        devices.process.get_or_insert(process::id());
        let key = wanted.map(str::to_lowercase);
        if let Some(gpu) = devices.opened.get(&key).filter(|gpu| gpu.lost().is_none()) {
            return Ok(Arc::clone(gpu));
        }
        let gpu = Gpu::open(wanted, ShaderLibrary::embedded())?;
        devices.opened.insert(key, Arc::clone(&gpu));
        Ok(gpu)
    }
}

/// Runs `work` on the devices while other threads of Python go on. A panic in it, which would be an error of Nearwater,
/// becomes a fault too, and the devices are opened anew after it.
pub fn work<T: Send>(
    python: Python<'_>,
    work: impl FnOnce(&mut Access) -> Result<T, Fault> + Send,
) -> Result<T, Fault> {
    python.detach(|| {
        let mut access = Access(DEVICES.lock().unwrap_or_else(PoisonError::into_inner));
        if access.0.as_ref().and_then(|devices| devices.process).is_some_and(|id| id != process::id()) {
            return Err(Fault::Device(
                "this process was forked from one that had opened a GPU, which a driver does not survive; start workers \
                 with multiprocessing.get_context(\"spawn\")"
                    .to_owned(),
            ));
        }
        catch_unwind(AssertUnwindSafe(|| work(&mut access))).unwrap_or_else(|panic| {
            if let Some(devices) = access.0.as_mut() {
                devices.opened.clear();
            }
            Err(Fault::Device(format!("Nearwater failed: {}; please report it", message_of(panic.as_ref()))))
        })
    })
}

/// The text of a panic.
fn message_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without a message")
}
