//! The systems of the pace: the choice at the start, the size of the picture, learning, and compiling ahead.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use bevy::prelude::*;

use super::background::{Background, compile_ahead};
use super::learning::{Learning, learn};
use crate::app::pointer::WaterRect;
use crate::app::{Controls, FrameBudget, WaterReport};
use crate::pace::{Choice, DeviceBook, DeviceShelf};

/// What was found out about the device before the window opened.
#[derive(Clone, Debug, Default)]
pub struct PaceOptions {
    /// The times that are known of this device.
    pub measured: DeviceBook,
    /// Where they are kept; `None` keeps them nowhere.
    pub shelf: Option<DeviceShelf>,
    /// What was chosen; `None` where the user's arguments decided.
    pub chosen: Option<Choice>,
    /// Where compiled shaders are kept; `None` keeps them nowhere.
    pub pipelines: Option<PathBuf>,
}

/// Adds the systems of the pace.
pub(in crate::app) struct PacePlugin {
    pub(in crate::app) options: PaceOptions,
}

impl Plugin for PacePlugin {
    fn build(&self, app: &mut App) {
        let PaceOptions { measured, shelf, chosen, pipelines } = self.options.clone();
        let measured = Arc::new(measured);
        let now = Instant::now();
        app.insert_resource(Learning { shelf, looked: now, written_at: now, written: Arc::new(DeviceBook::default()) })
            .insert_resource(Background::keeping(pipelines))
            .add_systems(PreStartup, move |mut controls: ResMut<Controls>, report: Res<WaterReport>| {
                controls.pace.measured = Arc::clone(&measured);
                controls.pace.keeps_real_time = chosen.is_some();
                controls.splatting = controls.faster_splatting();
                if let Some(choice) = chosen {
                    report.lock().announce(format!("chosen for this device: {choice}"));
                }
            })
            .add_systems(Update, (follow_window, compile_ahead))
            .add_systems(Last, learn);
    }
}

/// Keeps the size of the picture and the display's interval where the estimates look for them.
fn follow_window(mut controls: ResMut<Controls>, water: Res<WaterRect>, budget: Res<FrameBudget>) {
    let size = water.0.size().max(Vec2::ONE).as_uvec2();
    // Compared first, because a mutable access marks the controls as changed.
    if controls.pace.size != size && water.0.width() > 1.0 {
        controls.pace.size = size;
    }
    if controls.pace.refresh.to_bits() != budget.0.to_bits() {
        controls.pace.refresh = budget.0;
    }
}
