use std::fmt;

/// What kind of processor an adapter is, best first: the order in which one is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AdapterClass {
    /// A graphics card with memory of its own.
    Discrete,
    /// Part of the processor, or a virtual machine's share of a card.
    Integrated,
    /// A program that plays a graphics card, such as llvmpipe.
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

    /// Particles a scene starts with on such an adapter when nobody asks for a count.
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

/// What an opened device can do, asked once.
#[derive(Clone, Debug)]
pub struct Capabilities {
    /// The adapter's name, as the driver gives it.
    pub name: String,
    /// Driver name and version, as far as the backend tells.
    pub driver: String,
    /// Vulkan, Metal or DX12.
    pub backend: wgpu::Backend,
    /// Discrete, integrated or software.
    pub class: AdapterClass,
    /// The device's limits; all that the adapter offers were asked for.
    pub limits: wgpu::Limits,
    /// The features that were asked for and granted.
    pub features: wgpu::Features,
    /// Smallest and largest number of invocations in a subgroup; `None` where shaders have no subgroup operations.
    pub subgroup_sizes: Option<(u32, u32)>,
}

impl Capabilities {
    /// Features that make something faster or visible when present. None is required.
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

    /// Bytes one storage binding can hold: the smaller of the binding and buffer limits.
    pub fn largest_binding_bytes(&self) -> u64 {
        self.limits.max_storage_buffer_binding_size.min(self.limits.max_buffer_size)
    }

    /// One line a wanted feature that is missing, in words; empty when nothing is.
    pub fn missing(&self) -> Vec<&'static str> {
        let wanted = [
            (wgpu::Features::TIMESTAMP_QUERY, "timestamps: pass times read \"not supported\""),
            (wgpu::Features::SUBGROUP, "subgroup operations: the radix sort takes twice the passes"),
            (wgpu::Features::SHADER_FLOAT32_ATOMIC, "atomic addition of floats"),
        ];
        wanted.into_iter().filter(|(feature, _)| !self.features.contains(*feature)).map(|(_, words)| words).collect()
    }
}
