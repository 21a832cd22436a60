//! A table with a column for each number of a particle, from which a frame is made by the names of the columns.

use super::{MOST_PARTICLES, RecordedField, RecordedFrame};

/// The names by which programs call the coordinates; compared in lower case.
const POSITION: [&[&str]; 3] = [&["x", "x_m", "xu", "px"], &["y", "y_m", "yu", "py"], &["z", "z_m", "zu", "pz"]];
/// The names by which programs call the components of the velocity.
const VELOCITY: [&[&str]; 3] = [
    &["vx", "vx_m_per_s", "u", "velocity_x", "velocity_m_per_s_x", "v_x", "vel_x"],
    &["vy", "vy_m_per_s", "v", "velocity_y", "velocity_m_per_s_y", "v_y", "vel_y"],
    &["vz", "vz_m_per_s", "w", "velocity_z", "velocity_m_per_s_z", "v_z", "vel_z"],
];
/// The names by which programs call the number of a particle.
const INDEX: &[&str] = &["id", "index", "gid", "particle_id"];

/// Columns of numbers with their names.
#[derive(Debug, Default)]
pub(super) struct Columns {
    /// Names of the columns, as in the file.
    pub names: Vec<String>,
    /// Values of each column, all of the same length.
    pub values: Vec<Vec<f32>>,
    /// The columns' numbers of particles, which single precision would round.
    pub order: Option<Vec<u64>>,
}

impl Columns {
    /// Whether a column holds the particles' numbers.
    pub(super) fn is_index(name: &str) -> bool {
        INDEX.contains(&name.to_lowercase().as_str())
    }

    fn place(&self, names: &[&str]) -> Option<usize> {
        // In the order of the names, so that "x" is taken before "xu".
        names.iter().find_map(|name| self.names.iter().position(|known| known.to_lowercase() == *name))
    }

    /// The frame: positions, velocities, and the other columns as fields.
    ///
    /// # Errors
    /// When x or y is missing, or there are no particles or too many. Without z the frame lies in a plane.
    pub(super) fn frame(mut self) -> Result<RecordedFrame, String> {
        let count = self.values.first().map_or(0, Vec::len);
        if count == 0 {
            return Err("the frame has no particles".to_owned());
        }
        if count > MOST_PARTICLES {
            return Err(format!("the frame has more than {MOST_PARTICLES} particles; leave some out"));
        }
        let [x, y, z] = POSITION.map(|names| self.place(names));
        for (place, name) in [(x, "x"), (y, "y")] {
            if place.is_none() {
                return Err(format!("its particles have no \"{name}\", but: {}", self.names.join(", ")));
            }
        }
        let velocity = VELOCITY.map(|names| self.place(names));
        let vectors = |places: [Option<usize>; 3]| -> Vec<[f32; 3]> {
            let value = |place: Option<usize>, row: usize| place.map_or(0.0, |place| self.values[place][row]);
            (0..count).map(|row| places.map(|place| value(place, row))).collect()
        };
        let position = [x, y, z];
        let (positions, velocities) = (vectors(position), vectors(velocity));
        if let Some(row) = positions.iter().position(|at| !at.iter().all(|coordinate| coordinate.is_finite())) {
            return Err(format!("particle {row} (counted from 0) is at {:?}, which is not finite", positions[row]));
        }
        let used: Vec<usize> = position.into_iter().chain(velocity).flatten().collect();
        let mut fields = Vec::new();
        for (place, (name, values)) in self.names.drain(..).zip(self.values.drain(..)).enumerate() {
            if !used.contains(&place) && !Self::is_index(&name) {
                fields.push(RecordedField { name, values });
            }
        }
        let frame = RecordedFrame { positions, velocities, fields };
        Ok(self.order.map_or(frame.clone(), |order| frame.ordered(&order)))
    }
}

impl RecordedFrame {
    /// The frame with its particles in the order of their numbers, so that each keeps its place in all frames.
    fn ordered(self, numbers: &[u64]) -> Self {
        if numbers.is_sorted() || numbers.len() != self.positions.len() {
            return self;
        }
        let mut rows: Vec<usize> = (0..numbers.len()).collect();
        rows.sort_by_key(|&row| numbers[row]);
        let ordered = |values: &[[f32; 3]]| rows.iter().map(|&row| values[row]).collect();
        let fields = self.fields.iter().map(|field| RecordedField {
            name: field.name.clone(),
            values: rows.iter().map(|&row| field.values[row]).collect(),
        });
        let fields = fields.collect();
        Self { positions: ordered(&self.positions), velocities: ordered(&self.velocities), fields }
    }
}
