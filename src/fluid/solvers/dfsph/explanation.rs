//! The explanation of divergence-free SPH, in the notation of its paper.

use super::settings::{CORRECTED, COURANT, ITERATIONS};
use super::{CARRY_FILE, FACTOR_FILE, FORCES_FILE, INTEGRATE_FILE, MEASURE_FILE, PRESSURE_FILE, RATE_FILE};
use crate::explanation::Expression::{Number, Product, Quotient, Sum, Symbol as S, Term};
use crate::explanation::{Explanation, Formula, PassTag, PseudocodeLine, Symbol, Unit};
use crate::fluid::solvers::explained::SolverExplanation;
use crate::fluid::solvers::viscosity::EXPLAINED as VISCOSITY;
use crate::fluid::surface_tension::EXPLAINED as SURFACE_TENSION;

const CARRY: &[PassTag] = &[PassTag::EntryPoint(CARRY_FILE, "carry_pressures")];
const FACTOR: &[PassTag] = &[PassTag::PairKernel(FACTOR_FILE)];
const PRESSURE: &[PassTag] = &[PassTag::PairKernel(PRESSURE_FILE)];
const RATE: &[PassTag] = &[PassTag::PairKernel(RATE_FILE)];
const DECIDE: &[PassTag] =
    &[PassTag::EntryPoint(MEASURE_FILE, "measure_parts"), PassTag::EntryPoint(MEASURE_FILE, "decide")];
const FORCES: &[PassTag] = &[PassTag::PairKernel(FORCES_FILE)];
const INTEGRATE: &[PassTag] = &[PassTag::EntryPoint(INTEGRATE_FILE, "integrate")];

pub(super) static EXPLANATION: SolverExplanation = SolverExplanation {
    explanation: Explanation {
        sentences: [
            "The pressures are unknowns: they are iterated until the motion that they cause compresses the water nowhere.",
            "There are two pressures: one removes the divergence of the velocities and starts from that of the last step, \
             and the other one corrects errors of the density by shifts of the positions, which leave the velocities as \
             they are.",
            "Each iteration reaches one support radius farther, and the device itself ends them as soon as the mean error \
             is below its tolerance, so that calm water costs little and steps can be ten times those of WCSPH.",
        ],
        pseudocode: &[&[
            PseudocodeLine::new(0, "with surface tension:  v_i := v_i + Δt σ κ_i n_i / ρ₀", SURFACE_TENSION),
            PseudocodeLine::new(0, "bring κ_v and κ of the last step into sorted order", CARRY),
            PseudocodeLine::new(0, "ρ_i = ∑_j m W_ij;  α_i = ρ_i / (|∑_j m ∇W_ij|² + ∑_j |m ∇W_ij|²)", FACTOR),
            PseudocodeLine::new(0, "κ_i := κ_i / 2 + ω α_i (ρ_i − ρ₀) / Δt², at the surface ≥ 0", FACTOR),
            PseudocodeLine::new(0, "corrected:  D_i = traceless part of −∑_j V ∇W_ij ⊗ x_ij", FACTOR),
            PseudocodeLine::new(0, "where ν is high, in stages:  v_i := v_i + Δt viscosity", VISCOSITY),
            PseudocodeLine::new(0, "v*_i = v_i + Δt (g + viscosity)", FORCES),
            PseudocodeLine::heading("while mean of Δt Dρ/Dt > η_v ρ₀"),
            PseudocodeLine::new(1, "Dρ_i/Dt = ∑_j m (v_i − v_j)·∇W_ij", RATE),
            PseudocodeLine::new(1, "κ_v_i := max(κ_v_i + ω α_i Dρ_i/Dt / Δt, 0)", RATE),
            PseudocodeLine::new(2, "with an ambient pressure, tension within the water, not 0", RATE),
            PseudocodeLine::new(1, "v_i := v*_i − Δt ∑_j m (κ_v_i/ρ_i K_i + κ_v_j/ρ_j K_j) ∇W_ij", PRESSURE),
            PseudocodeLine::new(2, "with K = 1 − D where gradients are corrected, else 1", PRESSURE),
            PseudocodeLine::new(1, "once:  d_i = −Δt² ∑_j m (κ_i/ρ_i + κ_j/ρ_j) ∇W_ij", PRESSURE),
            PseudocodeLine::new(1, "mean error;  another iteration?", DECIDE),
            PseudocodeLine::new(0, "x_i := x_i + Δt v_i + d_i", INTEGRATE),
        ]],
        formulas: &[
            Formula::estimate(
                "time step by the CFL condition",
                Quotient(&[Product(&[S("C"), S("Δx")]), S("u")]),
                Unit::Other("s"),
                "Δt",
            )
            .from("forces, surface tension and the largest step may shorten it"),
            Formula::exact("traversals recorded in a step", Sum(&[Number(2.0), Term(2.0, "N")]), Unit::Count, "A")
                .from("those of iterations that are not needed are skipped; a kinematic viscosity adds up to 8"),
            Formula::unmeasured("memory of the solver's own arrays", Product(&[S("M"), S("n")]), Unit::Bytes)
                .from("factor, errors and pressures of the iterations, two copies of the kept pressures, corrections"),
        ],
        symbols: &[
            Symbol::new("C", "Courant number", Unit::Number),
            Symbol::new("u", "speed that the fluid is expected to reach", Unit::Other("m/s")),
            Symbol::new("N", "largest number of iterations", Unit::Count),
            Symbol::new("M", "memory per particle: 16 of 60 are for corrected gradients", Unit::Bytes),
        ],
        advice: &[],
    },
    values: |problem, _| {
        let settings = problem.medium.settings;
        vec![
            ("C", f64::from(settings.value(&COURANT))),
            ("u", problem.expected_speed),
            ("N", f64::from(settings.count(&ITERATIONS))),
            ("M", if settings.count(&CORRECTED) > 0 { 60.0 } else { 44.0 }),
        ]
    },
};
