// Which of the two classes an invocation serves into which a pair kernel divides the particles (gpu/pair_kernel.rs):
// with ONLY_COMMON the common ones, and with BOTH_CLASSES the one that it has chosen by `serve_class`. Otherwise it may
// serve both, with the code for the special ones.
#define_import_path nearwater::division

#ifdef BOTH_CLASSES
var<private> is_of_special: bool;

// Must be called before any function of the pair kernel.
fn serve_class(is_special: bool) {
    is_of_special = is_special;
}
#endif

// Whether the particles that the invocation serves may be special ones.
fn may_serve_special() -> bool {
#ifdef ONLY_COMMON
    return false;
#else
#ifdef BOTH_CLASSES
    return is_of_special;
#else
    return true;
#endif
#endif
}
