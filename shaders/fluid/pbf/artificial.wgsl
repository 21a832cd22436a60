// The artificial pressure of PBF, which keeps particles from clumping: a fraction of the pressure of a pair that grows
// as it comes closer. It is a fraction of the pair's own pressure, as in its source (Monaghan 2000, equation 3.1).
// Equation 13 of the PBF paper makes it a constant length per correction instead, which has a stronger effect the
// shorter the step is, and blows apart water in free fall.
#define_import_path nearwater::pbf_artificial

#import nearwater::pbf::pbf
#import nearwater::smoothing_kernel::shape

// The factor on the multipliers of a pair at this distance over the support radius.
fn with_artificial(q: f32) -> f32 {
    return 1.0 + pbf.tensile * pow(shape(q) * pbf.inverse_tensile_shape, pbf.tensile_power);
}
