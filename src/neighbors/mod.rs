//! The neighbors of particles in buffers of your own, on a device of your own.
//!
//! [`Neighbors`] is the way into this library for programs that have their own renderer or solver. It needs a
//! `wgpu::Device` and a `wgpu::Queue`, and records into your encoders: it opens nothing, waits for nothing unless a
//! function says so, and allocates only when it is created or changed. Its searches are those of
//! [`SEARCHES`](crate::search::SEARCHES), and its results are counts and lists by your own indices, or whatever a
//! [`PairKernel`](crate::gpu::PairKernel) of yours computes from the pairs.
//!
//! ```
//! use glam::Vec3;
//! use nearwater::neighbors::Neighbors;
//! use nearwater::search::{Domain, search_named};
//! # fn device() -> (wgpu::Device, wgpu::Queue) {
//! #     let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
//! #     pollster::block_on(async {
//! #         let adapter = instance.request_adapter(&Default::default()).await.expect("an adapter");
//! #         let limits = adapter.limits();
//! #         let wanted = wgpu::DeviceDescriptor { required_limits: limits, ..Default::default() };
//! #         adapter.request_device(&wanted).await.expect("a device")
//! #     })
//! # }
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let (device, queue) = device();
//! // Four floats per point: x, y and z in meters, and one that is ignored.
//! let points = [[0.1_f32, 0.1, 0.1, 0.0], [0.2, 0.1, 0.1, 0.0], [0.9, 0.9, 0.9, 0.0]];
//! let positions = device.create_buffer(&wgpu::BufferDescriptor {
//!     label: None,
//!     size: size_of_val(&points) as u64,
//!     usage: wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
//!     mapped_at_creation: false,
//! });
//! queue.write_buffer(&positions, 0, bytemuck::cast_slice(&points));
//!
//! let domain = Domain::new(Vec3::ZERO, Vec3::ONE, 0.25)?;
//! let neighbors = Neighbors::new(&device, &queue, search_named("claws")?, 1_000, domain)?;
//! let mut encoder = device.create_command_encoder(&Default::default());
//! neighbors.record(&mut encoder, &positions, 3)?;
//! queue.submit([encoder.finish()]);
//!
//! let lists = neighbors.read()?;
//! assert_eq!(lists.of(0), [1]);
//! assert_eq!(lists.of(1), [0]);
//! assert!(lists.of(2).is_empty());
//! # Ok(())
//! # }
//! ```

mod error;
mod lists;
mod pair_passes;
mod places;
mod searcher;

pub use crate::search::ListedNeighbors;
pub use error::NeighborsError;
pub use pair_passes::PairPasses;
pub use searcher::{NeighborSettings, Neighbors};
