//! Second order: adds tangents to a reversal.
//!
//! *Comes in*: a reversal whose tapes have their final form. *Goes out*: the same with tangents. Those of the adjoints of
//! inputs are the product of the Hessian with the direction, and parameters in the place of these adjoints. Where the
//! function returns one float, its adjoint is one and no parameter. *Legality*: nothing reads the adjoint of an input,
//! which is only added to, so that its own sum is not computed.

use super::activity::Activity;
use super::tangent;
use crate::ir::{BufferId, Expr, Program, Role, Stmt};
use crate::pass::{Context, UnitSeed};

/// Adds the tangents.
pub(super) fn second_order(program: &mut Program, context: &mut Context) {
    let adjoints = |program: &Program, role: Role| -> Vec<BufferId> {
        let is_of =
            |&id: &BufferId| matches!(program[id].role, Role::Adjoint(of) if program[of].role == role);
        program.params.iter().copied().filter(is_of).collect()
    };
    let gradient = adjoints(program, Role::Input);
    let (through, seeds) = (adjoints(program, Role::InOut), adjoints(program, Role::Output));
    if let (Some(unit), &[seed], Some(first)) = (context.unit_seed, &seeds[..], program.body.first())
        && program[seed].rank() == 0
    {
        let origin = first.origin;
        let [zero, one] = [0.0, 1.0].map(|value| Expr::float(program[seed].elem, value));
        let value = match unit {
            UnitSeed::One => one,
            UnitSeed::OfFirst(rank) => {
                let is_first = program.load_scalar(rank).equal(Expr::int(program[rank].elem, 0));
                Expr::select(is_first, one, zero)
            }
        };
        let one = Stmt::set(seed, value, origin);
        program.params.retain(|&id| id != seed);
        program.with_body(|_, body| {
            let inner = std::iter::once(one).chain(std::mem::take(body)).collect();
            body.push(Stmt::scope(vec![seed], inner, origin));
        });
    }
    let is_state = |&id: &BufferId| program[id].role == Role::InOut && program[id].elem.is_float();
    let states: Vec<BufferId> = program.params.iter().copied().filter(is_state).collect();
    let is_float = |&id: &BufferId| program[id].elem.is_float();
    let results: Vec<BufferId> = program.results.iter().copied().filter(is_float).collect();
    let independents = [&context.wrt[..], &states, &through].concat();
    let dependents = [&results[..], &states, &through, &gradient].concat();
    let activity = Activity::between(program, &independents, &dependents);
    let with = [&context.wrt[..], &through, &gradient].concat();
    tangent::add(program, context, activity, &with, gradient.into_iter().collect(), tangent::OF_HVP);
}
