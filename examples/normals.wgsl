// Pair kernel: sums of the offsets to a point's neighbors and of their products, from which the normal of a surface
// through the points follows (H. Hoppe et al., Surface reconstruction from unorganized points, SIGGRAPH 1992).

#ifdef DEPOSITS
#import nearwater::deposits
#endif

struct Particle {
    nothing: u32,
}

struct Sum {
    offset: vec3<f32>,
    neighbors: f32,
    // xx, yy and zz of the offsets.
    squares: vec3<f32>,
    // yz, zx and xy.
    products: vec3<f32>,
}

// The caller's index of every point in sorted order; bound by Nearwater.
@group(1) @binding(0) var<storage, read> original_from_sorted: array<u32>;
// Normals in the caller's order, of length 1 and either sign.
@group(1) @binding(1) var<storage, read_write> normals: array<vec4<f32>>;

fn load(index: u32) -> Particle {
    return Particle(0u);
}

fn zero() -> Sum {
    return Sum(vec3<f32>(0.0), 0.0, vec3<f32>(0.0), vec3<f32>(0.0));
}

fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum {
    return Sum(-offset, 1.0, offset * offset, offset.yzx * offset.zxy);
}

fn mirror(contribution: Sum) -> Sum {
    return Sum(-contribution.offset, contribution.neighbors, contribution.squares, contribution.products);
}

fn add(a: Sum, b: Sum) -> Sum {
    return Sum(a.offset + b.offset, a.neighbors + b.neighbors, a.squares + b.squares, a.products + b.products);
}

// The direction along which the points spread the least: the eigenvector of the smallest eigenvalue of the covariance.
// Power iteration with the adjugate, whose eigenvalues are in reverse order, converges to it.
fn finish(index: u32, particle: Particle, sum: Sum) {
    let share = 1.0 / (sum.neighbors + 1.0);
    let mean = share * sum.offset;
    let diagonal = share * sum.squares - mean * mean;
    let others = share * sum.products - mean.yzx * mean.zxy;
    let x = vec3<f32>(diagonal.x, others.z, others.y);
    let y = vec3<f32>(others.z, diagonal.y, others.x);
    let z = vec3<f32>(others.y, others.x, diagonal.z);
    let rows = mat3x3<f32>(cross(y, z), cross(z, x), cross(x, y));
    // The longest row of the adjugate is closest to the eigenvector.
    let lengths = vec3<f32>(dot(rows[0], rows[0]), dot(rows[1], rows[1]), dot(rows[2], rows[2]));
    var normal = rows[0];
    if lengths.y > lengths.x && lengths.y >= lengths.z {
        normal = rows[1];
    } else if lengths.z > lengths.x {
        normal = rows[2];
    }
    for (var round = 0; round < 8; round++) {
        normal = normalize(normal);
        normal = rows * normal;
    }
    normals[original_from_sorted[index]] = vec4<f32>(normalize(normal), 0.0);
}

#ifdef DEPOSITS
fn deposit(index: u32, sum: Sum) {
    deposits::deposit_vector(10u * index, sum.offset);
    deposits::deposit(10u * index + 3u, sum.neighbors);
    deposits::deposit_vector(10u * index + 4u, sum.squares);
    deposits::deposit_vector(10u * index + 7u, sum.products);
}

fn withdraw(index: u32) -> Sum {
    let offset = deposits::withdraw_vector(10u * index);
    let neighbors = deposits::withdraw(10u * index + 3u);
    let squares = deposits::withdraw_vector(10u * index + 4u);
    return Sum(offset, neighbors, squares, deposits::withdraw_vector(10u * index + 7u));
}
#endif
