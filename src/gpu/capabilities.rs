//! What an adapter or an opened device can do: its class, limits, features and subgroup sizes.

use std::fmt;

/// The kind of processor that an adapter is, in order of preference when an adapter is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AdapterClass {
    /// A graphics card with memory of its own.
    Discrete,
    /// Part of the processor, or a virtual machine's share of a card.
    Integrated,
    /// A rasterizer that runs on the CPU, such as llvmpipe.
    Software,
}

impl AdapterClass {
    pub(super) fn of(device_type: wgpu::DeviceType) -> Self {
        match device_type {
            wgpu::DeviceType::DiscreteGpu => Self::Discrete,
            wgpu::DeviceType::Cpu => Self::Software,
            wgpu::DeviceType::IntegratedGpu | wgpu::DeviceType::VirtualGpu | wgpu::DeviceType::Other => {
                Self::Integrated
            }
        }
    }

    /// Number of particles that a scene starts with on such an adapter when no count is given.
    pub fn default_particle_count(self) -> u32 {
        match self {
            Self::Discrete => 262_144,
            Self::Integrated => 65_536,
            Self::Software => 4_096,
        }
    }
}

impl fmt::Display for AdapterClass {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Discrete => "discrete",
            Self::Integrated => "integrated",
            Self::Software => "software",
        })
    }
}

/// The capabilities of an opened device, queried once.
#[derive(Clone, Debug)]
pub struct Capabilities {
    /// The adapter's name as reported by the driver.
    pub name: String,
    /// Driver name and version, as far as the backend reports them.
    pub driver: String,
    /// Vulkan, Metal or DX12.
    pub backend: wgpu::Backend,
    /// Discrete, integrated or software.
    pub class: AdapterClass,
    /// The device's limits; everything that the adapter offers was requested.
    pub limits: wgpu::Limits,
    /// The features that were requested and granted.
    pub features: wgpu::Features,
    /// Smallest and largest number of invocations in a subgroup; `None` where shaders have no subgroup operations, or
    /// the device's subgroups were found not to be what shaders rely on when it was opened.
    pub subgroup_sizes: Option<(u32, u32)>,
}

impl Capabilities {
    /// Optional features that make something faster or measurable. None is required.
    pub(super) const WANTED: wgpu::Features =
        wgpu::Features::TIMESTAMP_QUERY.union(wgpu::Features::SUBGROUP).union(wgpu::Features::SHADER_FLOAT32_ATOMIC);

    pub(super) fn new(info: &wgpu::AdapterInfo, features: wgpu::Features, limits: wgpu::Limits) -> Self {
        let driver = format!("{} {}", info.driver, info.driver_info).trim().to_owned();
        Self {
            name: info.name.clone(),
            driver,
            backend: info.backend,
            class: AdapterClass::of(info.device_type),
            limits,
            features,
            subgroup_sizes: features
                .contains(wgpu::Features::SUBGROUP)
                .then_some((info.subgroup_min_size, info.subgroup_max_size)),
        }
    }

    /// Whether passes can be timed on the device.
    pub fn has_timestamps(&self) -> bool {
        self.features.contains(wgpu::Features::TIMESTAMP_QUERY)
    }

    /// Bytes that one storage binding can hold: the smaller of the binding limit and the buffer limit.
    pub fn largest_binding_bytes(&self) -> u64 {
        self.limits.max_storage_buffer_binding_size.min(self.limits.max_buffer_size)
    }

    /// One line of text for each optional feature that is missing; empty when none is.
    pub fn missing(&self) -> Vec<&'static str> {
        let has = |feature| self.features.contains(feature);
        let wanted = [
            (has(wgpu::Features::TIMESTAMP_QUERY), "timestamps: pass times read \"not supported\""),
            (self.subgroup_sizes.is_some(), "subgroup operations: the radix sort takes twice the passes"),
            (has(wgpu::Features::SHADER_FLOAT32_ATOMIC), "atomic addition of floats"),
        ];
        wanted.into_iter().filter(|(is_there, _)| !is_there).map(|(_, words)| words).collect()
    }
}
