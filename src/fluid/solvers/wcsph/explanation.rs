//! The explanation of weakly compressible SPH.

use super::continuity::CARRY_PASS;
use super::time_step::{ACOUSTIC, VISCOUS_SIGNAL};
use super::{FORCES_FILE, INFO};
use crate::explanation::Expression::{Number, Product, Quotient, Square, Sum, Symbol as S, Term};
use crate::explanation::{Explanation, Formula, PassTag, PseudocodeLine, Symbol, Unit};
use crate::fluid::density::DENSITY_FILE;
use crate::fluid::solvers::explained::SolverExplanation;
use crate::fluid::surface_tension::EXPLAINED as SURFACE_TENSION;

const CARRY: &[PassTag] = &[CARRY_PASS];
const DENSITY: &[PassTag] = &[PassTag::PairKernel(DENSITY_FILE)];
const FORCES: &[PassTag] = &[PassTag::PairKernel(FORCES_FILE)];

pub(super) static EXPLANATION: SolverExplanation = SolverExplanation {
    explanation: Explanation {
        sentences: [
            "The density of a particle is a sum over its neighbors, weighted by the smoothing kernel.",
            "A stiff equation of state turns a small excess of density into a large pressure, which pushes particles \
             apart before the excess grows beyond about one percent.",
            "Waves of pressure travel with the artificial speed of sound c, and a step must be so short that a wave stays \
             within the smoothing length.",
        ],
        pseudocode: &[&[
            PseudocodeLine::new(0, "with continuity:  bring ρ of the last step into sorted order", CARRY),
            PseudocodeLine::new(0, "with surface tension:  v_i := v_i + Δt σ κ_i n_i / ρ₀", SURFACE_TENSION),
            PseudocodeLine::new(0, "foreach particle i do", DENSITY),
            PseudocodeLine::new(1, "ρ_i = ∑_j m W(x_i − x_j) + walls", DENSITY),
            PseudocodeLine::new(1, "p_i = B ((ρ_i / ρ₀)⁷ − 1)", DENSITY),
            PseudocodeLine::new(1, "p_i ≥ 0; in the accurate mode only at the surface", DENSITY),
            PseudocodeLine::new(0, "foreach particle i do", FORCES),
            PseudocodeLine::new(1, "a_i = −∑_j m (p_i/ρ_i² + p_j/ρ_j²) ∇W_ij", FORCES),
            PseudocodeLine::new(2, "+ ∑_j m ν v_ij·x_ij / (x_ij² + 0.01 h²) ∇W_ij / ρ", FORCES),
            PseudocodeLine::new(2, "+ walls + g", FORCES),
            PseudocodeLine::new(1, "v_i := v_i + Δt a_i;  x_i := x_i + Δt v_i", FORCES),
        ]],
        formulas: &[
            Formula::estimate(
                "time step by the speed of sound",
                Quotient(&[
                    Term(ACOUSTIC, "h"),
                    Sum(&[Product(&[S("c"), Sum(&[Number(1.0), Term(VISCOUS_SIGNAL, "α")])]), S("u")]),
                ]),
                Unit::Other("s"),
                "Δt",
            )
            .from("Monaghan 1992; forces, viscosity and surface tension may shorten it"),
            Formula::exact(
                "stiffness of the equation of state",
                Quotient(&[Product(&[S("ρ₀"), Square(&S("c"))]), Number(7.0)]),
                Unit::Other("Pa"),
                "B",
            )
            .from("Monaghan 1994"),
            Formula::exact("traversals in a step", Number(2.0), Unit::Count, "A").from("densities, then forces"),
            Formula::unmeasured("pair contributions in a step", Product(&[S("A"), S("n"), S("k")]), Unit::Count),
        ],
        symbols: &[
            Symbol::new("c", "artificial speed of sound", Unit::Other("m/s")),
            Symbol::new("u", "speed that the fluid is expected to reach", Unit::Other("m/s")),
            Symbol::new("α", "coefficient of the artificial viscosity", Unit::Number),
            Symbol::new("B", "stiffness of the equation of state", Unit::Other("Pa")),
        ],
        advice: &[],
    },
    values: |problem, resolution| {
        let material = problem.medium.material;
        let sound = f64::from(resolution.sound_speed);
        vec![
            ("c", sound),
            ("u", problem.expected_speed),
            ("α", f64::from(material.viscosity)),
            ("B", (INFO.stiffness)(f64::from(material.rest_density), sound)),
        ]
    },
};
