//! The explanation of the repelling particles of Morillo et al.

use super::settings::{DAMPING, STIFFNESS};
use super::{FILE, TWELVE_SPRINGS};
use crate::explanation::Expression::{Number, Product, Quotient, Square, Sum, Symbol as S};
use crate::explanation::{Explanation, Formula, PassTag, PseudocodeLine, Symbol, Unit};
use crate::fluid::solvers::explained::SolverExplanation;

const REPULSION: &[PassTag] = &[PassTag::PairKernel(FILE)];

pub(super) static EXPLANATION: SolverExplanation = SolverExplanation {
    explanation: Explanation {
        sentences: [
            "Each particle pushes its neighbors away, the more the closer they are, as a spring between them would.",
            "Gravity pulls the particles down, so that they settle into a heap; they have no density and are no fluid.",
            "The system was made to test a neighbor search: almost all of its time is spent finding neighbors.",
        ],
        pseudocode: &[&[
            PseudocodeLine::new(0, "foreach particle i do", REPULSION),
            PseudocodeLine::new(1, "F_i = ∑_j κ (R − d_ij) x_ij / d_ij", REPULSION),
            PseudocodeLine::new(2, "− γ v_i + m g + walls", REPULSION),
            PseudocodeLine::new(1, "v_i := v_i + Δt F_i / m;  x_i := x_i + Δt v_i", REPULSION),
        ]],
        formulas: &[
            Formula::unmeasured(
                "stability, at most 4",
                Quotient(&[
                    Sum(&[
                        Product(&[Number(TWELVE_SPRINGS), S("κ"), Square(&S("Δt"))]),
                        Product(&[Number(2.0 * TWELVE_SPRINGS), S("γ"), S("Δt")]),
                    ]),
                    S("m"),
                ]),
                Unit::Number,
            )
            .from("twelve springs around a particle"),
            Formula::exact("traversals in a step", Number(1.0), Unit::Count, "A"),
            Formula::unmeasured("pair contributions in a step", Product(&[S("n"), S("k")]), Unit::Count),
            Formula::unmeasured("mass of all particles", Product(&[S("n"), S("m")]), Unit::Other("kg")),
        ],
        symbols: &[
            Symbol::new("κ", "stiffness of the springs, k in the paper", Unit::Other("N/m")),
            Symbol::new("γ", "damping", Unit::Other("kg/s")),
        ],
        advice: &[],
    },
    values: |problem, _| {
        let number = |setting| f64::from(problem.medium.settings.value(setting));
        vec![("κ", number(&STIFFNESS)), ("γ", number(&DAMPING))]
    },
};
