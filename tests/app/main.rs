//! Tests of the app without a window: the driver of the simulation, the panel, and the views of the laboratory with
//! their panels and drawers. They are one program, because linking with Bevy is slow.

#[path = "../common/mod.rs"]
mod common;
mod fixture;
#[path = "../common/replaced_line.rs"]
mod replaced_line;
#[path = "../common/shader_folder.rs"]
mod shader_folder;

mod bevy_events;
#[cfg(feature = "bevy_pbr")]
mod bevy_light;
mod bevy_loads;
mod bevy_solids;
mod bevy_world;
mod border;
mod check;
mod driver;
mod explain;
mod hands;
mod lessons;
mod live_code;
mod pace;
mod panel;
mod race;
mod rows;
mod scenes;
mod space;
mod time;
