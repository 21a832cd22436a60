//! Ends loops that would never end, in shaders that are not trusted.
//!
//! wgpu's own loop checks count 2^64 rounds, which protects the compiler but no user. With a budget, an invocation
//! leaves every loop after [`ROUNDS`] rounds of all its loops together, so that every pass ends. A pass that stays
//! below the budget is unchanged. The budget bounds the work of an invocation and not its time: a pass may still take
//! seconds.

use naga::{
    AddressSpace, BinaryOperator, Block, Expression, GlobalVariable, Handle, Literal, MemoryDecorations, Module, Range,
    Scalar, Span, Statement, Type, TypeInner,
};

/// Number of rounds of all loops of an invocation together. The largest legitimate number is that of brute force, one
/// round per particle; `search::guards` refuses more than a few hundred thousand.
pub(super) const ROUNDS: u32 = 1 << 22;

/// Adds a budget of that many rounds to every loop of a module, which must be validated again.
pub(super) fn limit_loops(module: &mut Module, rounds: u32) {
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
        limit_block(&mut function.body, &mut function.expressions, (counter, rounds));
    }
}

/// The variable that counts the rounds, and how many there may be.
type Budget = (Handle<GlobalVariable>, u32);
type Expressions = naga::Arena<Expression>;

fn limit_block(block: &mut Block, expressions: &mut Expressions, budget: Budget) {
    for statement in block.iter_mut() {
        match statement {
            Statement::Block(inner) => limit_block(inner, expressions, budget),
            Statement::If { accept, reject, .. } => {
                limit_block(accept, expressions, budget);
                limit_block(reject, expressions, budget);
            }
            Statement::Switch { cases, .. } => {
                for case in cases {
                    limit_block(&mut case.body, expressions, budget);
                }
            }
            Statement::Loop { body, continuing, .. } => {
                limit_block(body, expressions, budget);
                limit_block(continuing, expressions, budget);
                let mut limited = round(expressions, budget);
                limited.append(body);
                *body = limited;
            }
            _ => {}
        }
    }
}

/// The statements `if so_far >= rounds { break; } so_far = so_far + 1;`.
fn round(expressions: &mut Expressions, (counter, rounds): Budget) -> Block {
    let mut add = |expression| expressions.append(expression, Span::UNDEFINED);
    let pointer = add(Expression::GlobalVariable(counter));
    let most = add(Expression::Literal(Literal::U32(rounds)));
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
    use std::borrow::Cow;

    use super::limit_loops;
    use crate::gpu::{Gpu, ShaderLibrary, read_buffer};

    /// Runs the body of a function once, with at most 100 rounds of all its loops. A software adapter has a limit of
    /// its own, which is far higher.
    fn run(body: &str) -> [u32; 4] {
        let text = format!(
            "@group(0) @binding(0) var<storage, read_write> found: array<u32, 4>;\n\
             fn inner() {{ for (var i = 0; i < 30; i++) {{ found[1] += 1u; }} }}\n\
             @compute @workgroup_size(1) fn main() {{ {body} }}\n"
        );
        let mut module = naga::front::wgsl::parse_str(&text).expect("it is WGSL");
        limit_loops(&mut module, 100);
        let gpu = Gpu::open(None, ShaderLibrary::embedded()).expect("an adapter");
        let source = wgpu::ShaderSource::Naga(Cow::Owned(module));
        let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
        let pipeline = gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        let buffer = gpu.storage_with("found", &[[0_u32; 4]]).expect("memory");
        let entries = [wgpu::BindGroupEntry { binding: 0, resource: buffer.as_entire_binding() }];
        let layout = &pipeline.get_bind_group_layout(0);
        let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries });
        gpu.submit(|encoder| {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(1, 1, 1);
        });
        read_buffer(&gpu, &buffer, 1).expect("the device answers")[0]
    }

    #[test]
    fn loops_without_an_end_end_and_usual_ones_are_unchanged() {
        assert_eq!(run("for (var i = 0; i < 60; i++) { found[0] += 1u; } inner(); found[2] = 7u;"), [60, 30, 7, 0]);
        assert_eq!(run("loop { found[0] += 1u; } found[2] = 7u;"), [100, 0, 7, 0], "it left the loop and went on");
        // Rounds of functions that a loop calls count as well, so that nested loops do not multiply the budget. Each
        // call takes a round more than its 30, in which it finds that it is done; three calls are complete.
        assert_eq!(run("loop { inner(); found[0] += 1u; }")[1], 93);
        let found = run("while true { if found[0] < 5u { found[0] += 1u; } else { loop { found[3] += 1u; } } }");
        assert_eq!((found[0], found[0] + found[3] < 100), (5, true), "{found:?}");
    }
}
