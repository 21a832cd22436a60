//! Reproducible random numbers: the input of the benchmarks and of the random fixtures.

/// splitmix64 (Steele, Lea, Flood 2014). Other implementations that the benchmarks are compared with use the same
/// generator, so that all of them get the same input bit by bit.
pub(crate) fn splitmix64(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Returns number `index` of the stream with the given seed, in [0, 1) with 24 bits.
pub fn uniform(seed: u64, index: u64) -> f32 {
    (splitmix64(seed.wrapping_add(index)) >> 40) as f32 * (1.0 / 16_777_216.0)
}

/// Returns `count` points distributed uniformly in a cube of edge `edge`, m, whose lowest corner is the origin.
/// Particle i uses the numbers 3i, 3i + 1 and 3i + 2.
pub fn uniform_cube(seed: u64, count: u32, edge: f32) -> Vec<glam::Vec3> {
    let coordinate = |index: u64| uniform(seed, index) * edge;
    (0..u64::from(count))
        .map(|i| glam::Vec3::new(coordinate(3 * i), coordinate(3 * i + 1), coordinate(3 * i + 2)))
        .collect()
}
