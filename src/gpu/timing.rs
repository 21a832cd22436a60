//! Times of passes from the device's timestamps, read back some frames later.

use std::sync::mpsc;

use super::{AdapterClass, Gpu, Phase};

/// The time that one pass took on the device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PassTime {
    /// The part of the frame that the pass counts towards.
    pub phase: Phase,
    /// The pass's label.
    pub label: &'static str,
    /// Milliseconds between its first and its last timestamp.
    pub milliseconds: f64,
    /// When it began, in milliseconds after the first pass of its frame.
    pub start_milliseconds: f64,
}

/// Milliseconds from the start of a frame's first pass to the end of its last, gaps included.
pub fn span_milliseconds(passes: &[PassTime]) -> f64 {
    passes.iter().map(|pass| pass.start_milliseconds + pass.milliseconds).fold(0.0, f64::max)
}

/// Timestamps around passes, read back some frames later. On a device without timestamps nothing is recorded and
/// [`PassTimer::supported`] returns false.
///
/// ```
/// use nearwater::gpu::{PassTimer, Phase, record};
/// use nearwater::primitives::ExclusiveScan;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let gpu = nearwater::gpu::Gpu::open(None, nearwater::gpu::ShaderLibrary::embedded())?;
/// let numbers = gpu.storage_with("numbers", &[1_u32; 10_000])?;
/// let passes = ExclusiveScan::new(&gpu, &numbers, 10_000)?.passes(&gpu, Phase::Build)?;
/// let mut timer = PassTimer::new(&gpu, passes.len() as u32);
/// gpu.submit(|encoder| {
///     record(&passes, encoder, Some(&mut timer));
///     timer.resolve(&gpu, encoder);
/// });
/// gpu.wait()?;
/// for pass in timer.collect(&gpu).iter().flatten() {
///     println!("{}: {:.3} ms", pass.label, pass.milliseconds);
/// }
/// # Ok(())
/// # }
/// ```
pub struct PassTimer {
    queries: Option<Queries>,
    labels: Vec<(Phase, &'static str)>,
    finished: mpsc::Receiver<Frame>,
    sender: mpsc::Sender<Frame>,
    spare: Vec<wgpu::Buffer>,
    nanoseconds_per_tick: f64,
    from_end_to_end: bool,
}

struct Queries {
    set: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    capacity: u32,
}

struct Frame {
    staging: wgpu::Buffer,
    labels: Vec<(Phase, &'static str)>,
    mapped: bool,
}

impl PassTimer {
    /// A timer for up to `pass_capacity` passes between two calls of [`PassTimer::resolve`]; further passes run
    /// untimed.
    pub fn new(gpu: &Gpu, pass_capacity: u32) -> Self {
        let capacity = (pass_capacity * 2).clamp(2, wgpu::QUERY_SET_MAX_QUERIES);
        let queries = gpu.capabilities.has_timestamps().then(|| Queries {
            set: gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("pass timestamps"),
                ty: wgpu::QueryType::Timestamp,
                count: capacity,
            }),
            resolved: timestamps(gpu, capacity, wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC),
            capacity,
        });
        let (sender, finished) = mpsc::channel();
        Self {
            queries,
            labels: Vec::new(),
            finished,
            sender,
            spare: Vec::new(),
            nanoseconds_per_tick: f64::from(gpu.queue.get_timestamp_period()),
            from_end_to_end: gpu.capabilities.class == AdapterClass::Software,
        }
    }

    /// Whether the device has timestamps.
    pub fn supported(&self) -> bool {
        self.queries.is_some()
    }

    /// Whether a pass has been timed since the last [`PassTimer::resolve`], so that the times of a frame will arrive.
    pub fn has_timed(&self) -> bool {
        !self.labels.is_empty()
    }

    fn reserve(&mut self, phase: Phase, label: &'static str) -> Option<(&wgpu::QuerySet, u32)> {
        let queries = self.queries.as_ref()?;
        let first = self.labels.len() as u32 * 2;
        if first + 2 > queries.capacity {
            return None;
        }
        self.labels.push((phase, label));
        Some((&queries.set, first))
    }

    /// The timestamp writes of a compute pass that is about to begin.
    pub fn compute_pass(&mut self, phase: Phase, label: &'static str) -> Option<wgpu::ComputePassTimestampWrites<'_>> {
        self.reserve(phase, label).map(|(query_set, first)| wgpu::ComputePassTimestampWrites {
            query_set,
            beginning_of_pass_write_index: Some(first),
            end_of_pass_write_index: Some(first + 1),
        })
    }

    /// The timestamp writes of a render pass that is about to begin.
    pub fn render_pass(&mut self, phase: Phase, label: &'static str) -> Option<wgpu::RenderPassTimestampWrites<'_>> {
        self.reserve(phase, label).map(|(query_set, first)| wgpu::RenderPassTimestampWrites {
            query_set,
            beginning_of_pass_write_index: Some(first),
            end_of_pass_write_index: Some(first + 1),
        })
    }

    /// Ends a frame: records the copy of its timestamps, which [`PassTimer::collect`] returns once the device has
    /// executed `encoder`.
    pub fn resolve(&mut self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder) {
        let labels = std::mem::take(&mut self.labels);
        let Some(queries) = &self.queries else { return };
        if labels.is_empty() {
            return;
        }
        let staging = self.spare.pop().unwrap_or_else(|| {
            timestamps(gpu, queries.capacity, wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ)
        });
        let query_count = labels.len() as u32 * 2;
        let bytes = u64::from(query_count) * 8;
        encoder.resolve_query_set(&queries.set, 0..query_count, &queries.resolved, 0);
        encoder.copy_buffer_to_buffer(&queries.resolved, 0, &staging, 0, bytes);
        let sender = self.sender.clone();
        let mapped_buffer = staging.clone();
        encoder.map_buffer_on_submit(&staging, wgpu::MapMode::Read, 0..bytes, move |result| {
            // Sending fails if the timer was dropped in the meantime; the times are then not needed.
            let _ = sender.send(Frame { staging: mapped_buffer, labels, mapped: result.is_ok() });
        });
    }

    /// Frames whose timestamps have arrived since the last call, oldest first. Never blocks.
    pub fn collect(&mut self, gpu: &Gpu) -> Vec<Vec<PassTime>> {
        // A lost device is reported through its callback; there is nothing to collect in that case.
        gpu.poll();
        let mut frames = Vec::new();
        // Reading a mapped buffer of a lost device panics, even if it was mapped before the loss.
        if gpu.lost().is_some() {
            return frames;
        }
        while let Ok(frame) = self.finished.try_recv() {
            if frame.mapped {
                let times = self.times(&frame);
                frames.push(if self.from_end_to_end { counted_from_end_to_end(&times) } else { times });
                frame.staging.unmap();
                self.spare.push(frame.staging);
            }
        }
        frames
    }

    fn times(&self, frame: &Frame) -> Vec<PassTime> {
        let view = frame.staging.slice(..frame.labels.len() as u64 * 16).get_mapped_range();
        let ticks: Vec<u64> = bytemuck::pod_collect_to_vec(&view);
        let first = ticks.iter().copied().min().unwrap_or(0);
        let milliseconds = |ticks: u64| ticks as f64 * self.nanoseconds_per_tick * 1e-6;
        let pass_time = |(&(phase, label), pair): (&(Phase, &'static str), &[u64])| PassTime {
            phase,
            label,
            milliseconds: milliseconds(pair[1].saturating_sub(pair[0])),
            start_milliseconds: milliseconds(pair[0] - first),
        };
        frame.labels.iter().zip(ticks.chunks_exact(2)).map(pass_time).collect()
    }
}

/// The same passes, each measured from the end of the one before it. llvmpipe writes the first timestamp of a pass when
/// its work is nearly done, but runs one pass after the other, so the time of a pass is the difference of successive
/// ends.
fn counted_from_end_to_end(frame: &[PassTime]) -> Vec<PassTime> {
    let end = |pass: &PassTime| pass.start_milliseconds + pass.milliseconds;
    let mut times = frame.to_vec();
    for (time, before) in times.iter_mut().skip(1).zip(frame) {
        let start_milliseconds = end(before).min(time.start_milliseconds);
        time.milliseconds = end(time) - start_milliseconds;
        time.start_milliseconds = start_milliseconds;
    }
    times
}

fn timestamps(gpu: &Gpu, count: u32, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("timestamps"),
        size: u64::from(count) * 8,
        usage,
        mapped_at_creation: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_count_towards_the_pass_after_them() {
        let pass = |start_milliseconds, milliseconds| PassTime {
            phase: Phase::Search,
            label: "p",
            milliseconds,
            start_milliseconds,
        };
        let times = counted_from_end_to_end(&[pass(0.0, 1.0), pass(50.0, 0.5), pass(50.5, 2.0)]);
        let milliseconds: Vec<f64> = times.iter().map(|time| time.milliseconds).collect();
        assert_eq!(milliseconds, [1.0, 49.5, 2.0]);
    }
}
