// Pair kernel: the SPH density of every point, with the cubic spline kernel.

#ifdef DEPOSITS
#import nearwater::deposits
#endif

struct Particle {
    nothing: u32,
}

struct Sum {
    weight: f32,
}

struct Parameters {
    // Support radius, m: W is zero beyond it.
    radius: f32,
    // Mass of a particle, kg.
    mass: f32,
}

@group(1) @binding(0) var<uniform> parameters: Parameters;
// The caller's index of every particle in sorted order; bound by Nearwater.
@group(1) @binding(1) var<storage, read> original_from_sorted: array<u32>;
// Densities in the caller's order, kg/m³.
@group(1) @binding(2) var<storage, read_write> densities: array<f32>;

// The cubic spline of Monaghan (1992), normalized in three dimensions, 1/m³.
fn cubic_spline(distance: f32) -> f32 {
    let q = distance / parameters.radius;
    let scale = 8.0 / (3.14159265 * pow(parameters.radius, 3.0));
    return scale * select(2.0 * pow(max(1.0 - q, 0.0), 3.0), 6.0 * (q * q * q - q * q) + 1.0, q < 0.5);
}

fn load(index: u32) -> Particle {
    return Particle(0u);
}

fn zero() -> Sum {
    return Sum(0.0);
}

fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum {
    return Sum(cubic_spline(sqrt(distance_squared)));
}

fn mirror(contribution: Sum) -> Sum {
    return contribution;
}

fn add(a: Sum, b: Sum) -> Sum {
    return Sum(a.weight + b.weight);
}

fn finish(index: u32, particle: Particle, sum: Sum) {
    // A particle is not its own neighbor, and contributes to its density all the same.
    densities[original_from_sorted[index]] = parameters.mass * (sum.weight + cubic_spline(0.0));
}

#ifdef DEPOSITS
fn deposit(index: u32, sum: Sum) {
    deposits::deposit(index, sum.weight);
}

fn withdraw(index: u32) -> Sum {
    return Sum(deposits::withdraw(index));
}
#endif
