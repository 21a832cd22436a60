//! The explanation of Position Based Fluids, in the notation of its paper.

use super::settings::{CORRECTED, FRAME, ITERATIONS};
use super::{CONFINEMENT_FILE, CORRECTION_FILE, DAMPING_FILE, LAMBDA_FILE, PREDICT_FILE, VELOCITY_FILE, shape};
use crate::explanation::Expression::{Product, Quotient, Sum, Symbol as S, Term};
use crate::explanation::{Explanation, Formula, PassTag, PseudocodeLine, Symbol, Unit};
use crate::fluid::solvers::explained::SolverExplanation;
use crate::fluid::solvers::viscosity::EXPLAINED as VISCOSITY;
use crate::fluid::surface_tension::EXPLAINED as SURFACE_TENSION;

const PREDICT: &[PassTag] = &[PassTag::EntryPoint(PREDICT_FILE, "predict")];
const LAMBDA: &[PassTag] = &[PassTag::PairKernel(LAMBDA_FILE)];
const CORRECTION: &[PassTag] = &[PassTag::PairKernel(CORRECTION_FILE)];
const VELOCITY: &[PassTag] = &[PassTag::EntryPoint(VELOCITY_FILE, "take_velocity")];
const DAMPING: &[PassTag] = &[PassTag::PairKernel(DAMPING_FILE)];
const CONFINEMENT: &[PassTag] = &[PassTag::PairKernel(CONFINEMENT_FILE)];

pub(super) static EXPLANATION: SolverExplanation = SolverExplanation {
    explanation: Explanation {
        sentences: [
            "Particles are first moved without regard to each other, by their velocity and gravity.",
            "A constraint then says for each particle that its density must not exceed the rest density, and a few \
             corrections move the positions toward fulfilling all constraints at once.",
            "The velocity is the distance actually moved divided by the time step, so that large steps stay stable and \
             lose energy instead of gaining it.",
        ],
        pseudocode: &[&[
            PseudocodeLine::new(0, "foreach particle i do", PREDICT),
            PseudocodeLine::new(1, "v_i := v_i + Δt f_ext(x_i);  x*_i := x_i + Δt v_i", PREDICT),
            PseudocodeLine::heading("find neighboring particles N_i(x*) (the search)"),
            PseudocodeLine::new(0, "with surface tension:  v_i := v_i + Δt σ κ_i n_i / ρ₀", SURFACE_TENSION),
            PseudocodeLine::new(0, "corrected:  D_i = traceless part of −∑_j V ∇W_ij ⊗ x_ij", LAMBDA),
            PseudocodeLine::heading("while iter < solverIterations do"),
            PseudocodeLine::new(1, "C_i = ρ_i / ρ₀ − 1,  at least 0", LAMBDA),
            PseudocodeLine::new(2, "with an ambient pressure, tension within the water, not 0", LAMBDA),
            PseudocodeLine::new(1, "λ_i = −C_i / (∑_k |∇_k C_i|² + ε)", LAMBDA),
            PseudocodeLine::new(1, "s_corr = −k (W(x_ij) / W(Δq))^n", CORRECTION),
            PseudocodeLine::new(1, "Δx_i = 1/ρ₀ ∑_j (K_i λ_i + K_j λ_j + s_corr) ∇W(x_ij)", CORRECTION),
            PseudocodeLine::new(2, "with K = 1 − D where gradients are corrected, else 1", CORRECTION),
            PseudocodeLine::new(2, "where a pair moves little in the step, ∇W is that at its start", CORRECTION),
            PseudocodeLine::new(1, "x*_i := x*_i + Δx_i", CORRECTION),
            PseudocodeLine::new(0, "v_i := (x*_i − x_i) / Δt;  x_i := x*_i", VELOCITY),
            PseudocodeLine::new(0, "where ν is high, in stages:  v_i := v_i + Δt viscosity", VISCOSITY),
            PseudocodeLine::new(0, "v_i := v_i + c ∑_j v_ij W(x_ij)  (XSPH)", DAMPING),
            PseudocodeLine::new(0, "v_i := v_i + Δt ε (N × ω_i)  (vorticity confinement)", CONFINEMENT),
        ]],
        formulas: &[
            Formula::exact("traversals in a step", Sum(&[Term(2.0, "N"), S("x")]), Unit::Count, "A")
                .from("multipliers and positions in each correction"),
            Formula::exact("steps per frame", Quotient(&[S("F"), S("Δt")]), Unit::Number, "S"),
            Formula::unmeasured("memory of the solver's own buffers", Product(&[S("M"), S("n")]), Unit::Bytes).from(
                "a second buffer of positions, those at the start, corrections; 16 bytes more with vorticity confinement",
            ),
        ],
        symbols: &[
            Symbol::new("N", "corrections in a step, solverIterations in the paper", Unit::Count),
            Symbol::new("x", "traversals for XSPH and vorticity confinement", Unit::Count),
            Symbol::new("F", "simulated time of a frame", Unit::Other("s")),
            Symbol::new("S", "steps per frame", Unit::Number),
            Symbol::new("M", "memory per particle: 16 of 48 are for corrected gradients", Unit::Bytes),
        ],
        advice: &[],
    },
    values: |problem, resolution| {
        let medium = problem.medium;
        let frame = f64::from(medium.settings.value(&FRAME));
        let shape = shape(medium);
        let damping = u32::from(super::is_damped(&shape)) + u32::from(shape.has(super::CONFINED));
        vec![
            ("N", f64::from(medium.settings.count(&ITERATIONS))),
            ("x", f64::from(damping)),
            ("F", frame),
            ("S", frame / f64::from(resolution.time_step)),
            ("M", if medium.settings.count(&CORRECTED) > 0 { 48.0 } else { 32.0 }),
        ]
    },
};
