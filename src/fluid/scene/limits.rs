//! The largest numbers of scenes. They keep every product that the simulation forms within the range of single
//! precision, and every walk over a scene short; they are checked before anything is computed.

use glam::Vec3;

/// Largest distance of anything in a scene from the origin along an axis, m: fourth powers of lengths remain finite.
pub const LARGEST_LENGTH: f32 = 1e9;
/// Largest speed that a scene may prescribe, m/s.
pub const LARGEST_SPEED: f32 = 1e6;
/// Largest gravity, m/s².
pub const LARGEST_GRAVITY: f32 = 1e6;
/// Largest number of blocks, each of which is compared with all others.
pub const MOST_BLOCKS: usize = 4096;
/// Largest number of boundaries, each of which may be a mesh.
pub const MOST_BOUNDARIES: usize = 4096;
/// Largest number of probes, velocity fields of a block, cloths, and files of points.
pub const MOST_ENTRIES: usize = 1024;

/// What is wrong with a place or a length in m; `None` where it is finite and not too large.
pub fn fault_of_length(length: Vec3) -> Option<String> {
    let largest = length.abs().max_element();
    let is_valid = length.is_finite() && largest <= LARGEST_LENGTH;
    (!is_valid).then(|| {
        format!("reaches {largest:e} m from the origin along an axis, and at most {LARGEST_LENGTH:e} m are possible")
    })
}

/// What is wrong with a velocity in m/s; `None` where it is finite and not too large.
pub fn fault_of_velocity(velocity: Vec3) -> Option<String> {
    let is_valid = velocity.is_finite() && velocity.as_dvec3().length() <= f64::from(LARGEST_SPEED);
    let speed = velocity.as_dvec3().length();
    (!is_valid).then(|| format!("is {speed:e} m/s, and must be finite and at most {LARGEST_SPEED:e} m/s"))
}

/// What is wrong with the number of entries of a list; `None` where there are few enough.
pub fn fault_of_count(count: usize, most: usize) -> Option<String> {
    (count > most).then(|| format!("has {count} entries, and at most {most} are possible; leave some out or join them"))
}
