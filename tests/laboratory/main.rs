//! Tests of the laboratory's computations without a window, in one program because linking is slow.
#![expect(clippy::unwrap_used, reason = "a test that cannot continue has failed")]

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/replaced_line.rs"]
mod replaced_line;
#[path = "../common/shader_folder.rs"]
mod shader_folder;
#[path = "../tank/mod.rs"]
mod tank;

mod badge;
mod check;
mod measure;
mod memory;
mod schedule;
mod space;
mod strip;
