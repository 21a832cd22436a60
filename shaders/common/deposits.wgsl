// Floating-point sums that several workgroups add to. Atomic addition of floats is an extension; adapters without it
// compare and exchange the bits. Bound only where a traversal uses deposits.
#define_import_path nearwater::deposits

// Sums that traversals add to, as f32 or as the bits of f32, one particle after the other in sorted order. They are
// zeroed before the first pass and by `withdraw`. len = particle_count times the floats of a sum.
#ifdef FLOAT_ATOMICS
@group(1) @binding(7) var<storage, read_write> deposits: array<atomic<f32>>;

fn deposit(slot: u32, value: f32) {
    atomicAdd(&deposits[slot], value);
}

fn withdraw(slot: u32) -> f32 {
    return atomicExchange(&deposits[slot], 0.0);
}
#else
@group(1) @binding(7) var<storage, read_write> deposits: array<atomic<u32>>;

fn deposit(slot: u32, value: f32) {
    var seen = atomicLoad(&deposits[slot]);
    loop {
        let result = atomicCompareExchangeWeak(&deposits[slot], seen, bitcast<u32>(bitcast<f32>(seen) + value));
        if result.exchanged {
            break;
        }
        seen = result.old_value;
    }
}

fn withdraw(slot: u32) -> f32 {
    return bitcast<f32>(atomicExchange(&deposits[slot], 0u));
}
#endif

// Adds to three consecutive sums, beginning at `slot`.
fn deposit_vector(slot: u32, value: vec3<f32>) {
    deposit(slot, value.x);
    deposit(slot + 1u, value.y);
    deposit(slot + 2u, value.z);
}

// The same for a value that is zero for most pairs, which then costs no atomic addition.
fn deposit_rare_vector(slot: u32, value: vec3<f32>) {
    if any(value != vec3<f32>(0.0)) {
        deposit_vector(slot, value);
    }
}

fn withdraw_vector(slot: u32) -> vec3<f32> {
    let x = withdraw(slot);
    let y = withdraw(slot + 1u);
    return vec3<f32>(x, y, withdraw(slot + 2u));
}
