//! The errors of devices, shaders and buffers.

use thiserror::Error;

use super::ShaderFault;

/// Why a device, a shader or a buffer is not available. Each message names the thing and what to do about it.
#[non_exhaustive]
#[derive(Debug, Clone, Error)]
pub enum GpuError {
    /// No adapter answered at all.
    #[error(
        "no Vulkan, Metal or DX12 adapter was found; install a graphics driver, or the software one \
         (Debian and Ubuntu: apt-get install mesa-vulkan-drivers libvulkan1)"
    )]
    NoAdapter,
    /// The name given with `--adapter` matches no adapter.
    #[error("no adapter has a name that contains \"{wanted}\", or this number; the adapters are: {available}")]
    UnknownAdapter {
        /// The name that was requested.
        wanted: String,
        /// Names of the adapters that answered, comma separated.
        available: String,
    },
    /// The adapter lacks something that the program requires.
    #[error("the adapter {adapter} cannot run Nearwater: {reason}; choose another with --adapter")]
    Unsupported {
        /// The adapter's name.
        adapter: String,
        /// What it lacks.
        reason: String,
    },
    /// The driver refused to open the device.
    #[error("the adapter {adapter} refused to open a device: {reason}")]
    Device {
        /// The adapter's name.
        adapter: String,
        /// The driver's message.
        reason: String,
    },
    /// The folder given with `--shaders` contains no shaders.
    #[error("{0} contains no shaders; give a copy of the folder `shaders` of the source")]
    NoShaders(String),
    /// A shader file is missing from the library.
    #[error("there is no shader \"{file}\" in {place}")]
    MissingShader {
        /// Path below `shaders/`.
        file: String,
        /// "the program" or the folder given with `--shaders`.
        place: String,
    },
    /// A shader does not compose or validate.
    #[error("the shader {file} does not compile: {message}")]
    Shader {
        /// Path below `shaders/`.
        file: String,
        /// The message of naga or of the driver, with line numbers.
        message: String,
        /// The place of the error; `None` if the compiler names none.
        fault: Option<Box<ShaderFault>>,
    },
    /// The device refused what shaders that compile are to be run with.
    #[error("the device refuses the edited shaders: {0}")]
    EditRefused(String),
    /// A pass was given no buffer for one of its bindings.
    #[error("the pass \"{pass}\" was given no buffer for its binding `{binding}`")]
    Unbound {
        /// Label of the pass.
        pass: String,
        /// The WGSL variable's name.
        binding: String,
    },
    /// A pass was given two buffers for one name.
    #[error(
        "the pass \"{pass}\" was given two buffers for its binding `{binding}`; give one of its variables another name"
    )]
    BoundTwice {
        /// Label of the pass.
        pass: String,
        /// The WGSL variables' name.
        binding: String,
    },
    /// A buffer is larger than the adapter can bind.
    #[error("{what} needs {bytes} bytes, and the adapter binds at most {limit}; {remedy}")]
    TooLarge {
        /// What the buffer holds.
        what: String,
        /// Bytes that were requested.
        bytes: u64,
        /// The adapter's limit in bytes.
        limit: u64,
        /// What to change.
        remedy: String,
    },
    /// A buffer is shorter than the number of elements that a pass works on.
    #[error("{what} needs a buffer of {needed} bytes and was given one of {bytes}; make the buffer larger")]
    TooSmall {
        /// What the buffer is for.
        what: &'static str,
        /// Bytes the buffer has.
        bytes: u64,
        /// Bytes it needs.
        needed: u64,
    },
    /// Timing was requested on a device without timestamps.
    #[error("the adapter {adapter} has no timestamps, so nothing can be timed on it; choose another with --adapter")]
    NoTimestamps {
        /// The adapter's name.
        adapter: String,
    },
    /// A result differs from the CPU's.
    #[error("{what} is wrong on {adapter}: element {index} is {found} and should be {expected}; please report it")]
    WrongResult {
        /// What was computed.
        what: String,
        /// The adapter's name.
        adapter: String,
        /// The first number that is wrong.
        index: usize,
        /// The value on the device.
        found: u32,
        /// The value on the CPU.
        expected: u32,
    },
    /// A software adapter has ended a search's loops before their time.
    #[error(
        "{adapter} ends the loops of an invocation after 65,535 rounds, and a search needed more of them: particles lack \
         neighbors, since too many crowd in one place; spread them, use fewer or a smaller radius, or another adapter"
    )]
    LoopsCut {
        /// The adapter's name.
        adapter: String,
    },
    /// The driver had no memory left.
    #[error("the adapter does not have {bytes} bytes of memory left for {what}; use fewer particles or a smaller box")]
    OutOfMemory {
        /// What the buffer holds.
        what: String,
        /// Bytes that were requested.
        bytes: u64,
    },
    /// A pass would need more workgroups than two dimensions of a dispatch hold.
    #[error("the pass \"{pass}\" needs {workgroups} workgroups, and the adapter allows {limit}")]
    TooManyWorkgroups {
        /// Label of the pass.
        pass: String,
        /// Workgroups needed.
        workgroups: u64,
        /// Square of the adapter's limit in one dimension.
        limit: u64,
    },
    /// A picture has no pixels, or more than a texture can hold.
    #[error("a picture of {width}x{height} pixels cannot be drawn; give each side from 1 to {limit} pixels")]
    PictureSize {
        /// Pixels across.
        width: u32,
        /// Pixels down.
        height: u32,
        /// The adapter's limit for one side.
        limit: u32,
    },
    /// The device has no memory for the textures and buffers of a picture.
    #[error("the adapter has no memory left for a picture of {width}x{height} pixels; choose a smaller size")]
    PictureMemory {
        /// Pixels across.
        width: u32,
        /// Pixels down.
        height: u32,
    },
    /// The device had no memory for an operation.
    #[error("the adapter has no memory left; use fewer particles or a smaller picture, or end other programs")]
    NoMemory,
    /// The device refused an operation, which is a fault of this program or of the driver.
    #[error("the adapter refused an operation, which is a fault of the program or the driver; please report it: {0}")]
    Refused(String),
    /// The device was lost, or a read-back failed.
    #[error("the device stopped answering: {0}")]
    Lost(String),
}

impl GpuError {
    /// The error of an operation that the device refused.
    pub(crate) fn refused(error: &wgpu::Error) -> Self {
        match error {
            wgpu::Error::OutOfMemory { .. } => Self::NoMemory,
            other => Self::Refused(other.to_string().split_whitespace().collect::<Vec<_>>().join(" ")),
        }
    }

    /// The error of textures or buffers that could not be created for a picture of this size, pixels.
    #[cfg(feature = "render")]
    pub(crate) fn of_picture(error: &wgpu::Error, [width, height]: [u32; 2]) -> Self {
        match error {
            wgpu::Error::OutOfMemory { .. } => Self::PictureMemory { width, height },
            other => Self::refused(other),
        }
    }

    /// The error of a shader that the device refuses although it composes.
    pub(crate) fn refused_shader(file: &str, error: &wgpu::Error) -> Self {
        Self::Shader { file: file.to_owned(), message: error.to_string(), fault: None }
    }
}
