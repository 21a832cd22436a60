// Sums of floats that several workgroups add to, by compare-exchange: atomic addition of floats is an extension
// that many adapters lack. Bound only where a traversal deposits.
#define_import_path nearwater::deposits

// Bits of floats, zeroed before the first pass and by `withdraw`; len = particle_count times the floats of a sum.
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
