// Pair kernel of the benchmarks and of `verify`: the sum of (1 - d²/r²)³ over a particle's neighbors. The other
// implementations in the comparison compute the same sum.
#define_import_path nearwater::kernel_sum

#ifdef DEPOSITS
#import nearwater::deposits
#endif

struct Particle {
    nothing: u32,
}

struct Sum {
    value: f32,
}

// Mirrored by `search::vanishing::KernelSum`.
struct KernelSum {
    inverse_radius_squared: f32,
    // Particles with a smaller x are special where the kernel divides the particles, m.
    special_below: f32,
    // The power of two, 1/m, by which the radius becomes less than 1 and at least 1/2.
    scale: f32,
    // Square of the scaled radius.
    scaled_radius_squared: f32,
}

@group(1) @binding(0) var<uniform> kernel_sum: KernelSum;
// Sum of the kernel over each particle's neighbors, in sorted order; len = particle_count.
@group(1) @binding(1) var<storage, read_write> sums: array<f32>;

fn load(index: u32) -> Particle {
    return Particle(0u);
}

fn is_special(position: vec3<f32>) -> bool {
    return position.x < kernel_sum.special_below;
}

fn zero() -> Sum {
    return Sum(0.0);
}

fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum {
    let w = saturate(1.0 - distance_squared * kernel_sum.inverse_radius_squared);
    return Sum(w * w * w);
}

fn scale() -> f32 {
    return kernel_sum.scale;
}

// The kernel times the scaled radius to the sixth power. The scaled radius is less than 1, so that `saturate`, which
// costs nothing where it follows an arithmetic instruction, only cuts off what is beyond the radius.
fn scaled_contribution(a: Particle, b: Particle, scaled_offset: vec3<f32>) -> Sum {
    let o = scaled_offset;
    let w = saturate(fma(-o.z, o.z, fma(-o.y, o.y, fma(-o.x, o.x, kernel_sum.scaled_radius_squared))));
    return Sum(w * w * w);
}

// The sum over the neighbors, from that of the scaled contributions of the neighbors and of the particle itself.
fn without_itself(particle: Particle, sum: Sum) -> Sum {
    let own = kernel_sum.scaled_radius_squared * kernel_sum.scaled_radius_squared * kernel_sum.scaled_radius_squared;
    return Sum((sum.value - own) / own);
}

fn mirror(contribution: Sum) -> Sum {
    return contribution;
}

fn add(a: Sum, b: Sum) -> Sum {
    return Sum(a.value + b.value);
}

fn finish(index: u32, particle: Particle, sum: Sum) {
    sums[index] = sum.value;
}

#ifdef DEPOSITS
fn deposit(index: u32, sum: Sum) {
    deposits::deposit(index, sum.value);
}

fn withdraw(index: u32) -> Sum {
    return Sum(deposits::withdraw(index));
}
#endif
