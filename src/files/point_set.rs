//! Points as files of any format give them.

/// Points read from a file, in the order of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Points {
    /// Positions, m.
    pub positions: Vec<[f32; 3]>,
    /// Velocities, m/s; zero where the file has none. As long as `positions`.
    pub velocities: Vec<[f32; 3]>,
}

/// The message for a file with more than `most` points.
#[cfg(feature = "export")]
pub(super) fn too_many(most: usize) -> String {
    format!("it contains more than {most} points; leave some out")
}
