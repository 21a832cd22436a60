//! Ends loops that would never end, in shaders that are not trusted.
//!
//! wgpu's own loop checks count 2^64 rounds, which protects the compiler but no user. With a budget, an invocation leaves
//! every loop after [`ROUNDS`] rounds of all its loops together, so that every pass ends. A pass that stays below the
//! budget is unchanged. The budget bounds the work of an invocation and not its time: a pass may still take seconds.

use naga::{
    AddressSpace, BinaryOperator, Block, Expression, GlobalVariable, Handle, Literal, MemoryDecorations, Module, Range,
    Scalar, Span, Statement, Type, TypeInner,
};

/// Number of rounds of all loops of an invocation together. The largest legitimate number is that of brute force, one
/// round per particle; `search::guards` refuses more than a few hundred thousand.
pub(super) const ROUNDS: u32 = 1 << 22;

/// Adds the budget to every loop of a module, which must be validated again.
pub(super) fn limit_loops(module: &mut Module) {
    let counter_type = module.types.insert(Type { name: None, inner: TypeInner::Scalar(Scalar::U32) }, Span::UNDEFINED);
    let zero = module.global_expressions.append(Expression::Literal(Literal::U32(0)), Span::UNDEFINED);
    let counter = GlobalVariable {
        name: Some("rounds_of_all_loops".to_owned()),
        space: AddressSpace::Private,
        binding: None,
        ty: counter_type,
        init: Some(zero),
        memory_decorations: MemoryDecorations::empty(),
    };
    let counter = module.global_variables.append(counter, Span::UNDEFINED);
    let functions = module.functions.iter_mut().map(|(_, function)| function);
    for function in functions.chain(module.entry_points.iter_mut().map(|entry| &mut entry.function)) {
        limit_block(&mut function.body, &mut function.expressions, counter);
    }
}

type Expressions = naga::Arena<Expression>;

fn limit_block(block: &mut Block, expressions: &mut Expressions, counter: Handle<GlobalVariable>) {
    for statement in block.iter_mut() {
        match statement {
            Statement::Block(inner) => limit_block(inner, expressions, counter),
            Statement::If { accept, reject, .. } => {
                limit_block(accept, expressions, counter);
                limit_block(reject, expressions, counter);
            }
            Statement::Switch { cases, .. } => {
                for case in cases {
                    limit_block(&mut case.body, expressions, counter);
                }
            }
            Statement::Loop { body, continuing, .. } => {
                limit_block(body, expressions, counter);
                limit_block(continuing, expressions, counter);
                let mut limited = round(expressions, counter);
                limited.append(body);
                *body = limited;
            }
            _ => {}
        }
    }
}

/// The statements `if rounds >= ROUNDS { break; } rounds = rounds + 1;`.
fn round(expressions: &mut Expressions, counter: Handle<GlobalVariable>) -> Block {
    let mut add = |expression| expressions.append(expression, Span::UNDEFINED);
    let pointer = add(Expression::GlobalVariable(counter));
    let most = add(Expression::Literal(Literal::U32(ROUNDS)));
    let one = add(Expression::Literal(Literal::U32(1)));
    // These three are next to each other, because one statement evaluates them.
    let so_far = add(Expression::Load { pointer });
    let is_spent = add(Expression::Binary { op: BinaryOperator::GreaterEqual, left: so_far, right: most });
    let next = add(Expression::Binary { op: BinaryOperator::Add, left: so_far, right: one });
    let mut block = Block::new();
    block.push(Statement::Emit(Range::new_from_bounds(so_far, next)), Span::UNDEFINED);
    let mut leave = Block::new();
    leave.push(Statement::Break, Span::UNDEFINED);
    block.push(Statement::If { condition: is_spent, accept: leave, reject: Block::new() }, Span::UNDEFINED);
    block.push(Statement::Store { pointer, value: next }, Span::UNDEFINED);
    block
}

#[cfg(test)]
mod tests {
    use crate::gpu::{
        Dispatch, Gpu, Pass, PassDescriptor, Phase, ShaderLibrary, ShaderTexts, ShaderVariant, read_buffer, record,
    };

    /// The entry point of a file whose body is replaced by `body`, run once.
    fn run(body: &str) -> Vec<[f32; 4]> {
        let file = "search/brute_force.wgsl";
        let text = format!(
            "@group(0) @binding(0) var<storage, read_write> sorted_positions: array<vec4<f32>>;\n\
             @compute @workgroup_size(1) fn stamp_indices() {{ {body} }}\n"
        );
        let gpu = Gpu::open(None, ShaderLibrary::embedded()).expect("an adapter");
        let texts = [(file.to_owned(), text.into())].into_iter().collect();
        gpu.edit_shaders(ShaderTexts::new(texts), false);
        let buffer = gpu.storage_with("positions", &[[0.0_f32; 4]]).expect("memory");
        let pass = Pass::new(
            &gpu,
            PassDescriptor {
                phase: Phase::Build,
                label: "test",
                shader: &ShaderVariant::new(file),
                entry_point: "stamp_indices",
                buffers: &[("sorted_positions", &buffer)],
                dispatch: Dispatch::Workgroups(1),
            },
        )
        .expect("it compiles");
        gpu.submit(|encoder| record([&pass], encoder, None));
        read_buffer(&gpu, &buffer, 1).expect("the device answers")
    }

    #[test]
    fn a_loop_without_an_end_ends_and_a_usual_one_is_unchanged() {
        let found = run("var n = 0.0; for (var i = 0; i < 1000; i++) { n += 1.0; } sorted_positions[0].x = n;");
        assert_eq!(found[0][0].to_bits(), 1000.0_f32.to_bits());
        // What follows the loop proves that the invocation left it.
        let found = run("loop { sorted_positions[0].x += 1.0; } sorted_positions[0].y = 7.0;");
        assert!(found[0][0] > 1000.0 && found[0][0] <= super::ROUNDS as f32, "{found:?}");
    }
}
