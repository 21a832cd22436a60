// llvmpipe ends every loop of an invocation without an error once all of its loops together have had 65,535 iterations,
// so that a particle with more candidates would lack neighbors. On software adapters every traversal ends with this
// check, which tests whether loops still run. If they do not, a later read-back returns an error (`Gpu::loop_limit`).
#define_import_path nearwater::loop_limit

// 1 if the loops of an invocation were ended; len = 1.
@group(2) @binding(7) var<storage, read_write> loops_cut: atomic<u32>;

// Must be called last. Adding the flag prevents the compiler from eliminating the loop. A number from a uniform buffer
// would do so too, but Mesa's software rasterizer compiles a shader again at every dispatch if a loop of it ends by
// uniforms alone, and keeps all copies: with wgpu's checks, CLAWS took 100 MB more every second (docs/RELIABILITY.md).
fn check() {
    let wanted = 2u + atomicLoad(&loops_cut);
    var rounds = 0u;
    while rounds < wanted {
        rounds += 1u;
    }
    if rounds < wanted {
        atomicStore(&loops_cut, 1u);
    }
}
