//! The property of random programs finds faults: those that it found, and those that a test makes.

use crate::property::{Floats, Kind, Residues, check, front, stages, style, verdict};
use crate::random::{Case, program};
use pardiff_compiler::ir::{ExprKind, Phase, Program, Role, Stmt, StmtKind};

/// An element that a loop replaces twice, of an array that is stored as a whole before the loop: its gradient was wrong.
#[test]
fn an_element_that_is_replaced_twice_has_the_gradient_of_the_oracle() {
    let seed = 501_504;
    let found = verdict(&program(seed, style(seed)), seed);
    assert!(found.is_ok(), "{seed}: {found:?}");
}

/// An adjoint with one contribution turned round is found out, unless it was never executed.
#[test]
fn a_wrong_adjoint_is_found_out() {
    let (mut wrong, mut found) = (0, 0);
    for seed in 1..60 {
        let source = program(seed, style(seed));
        let Ok((lowered, reference)) = front(&source) else { continue };
        let Ok(mut stages) = stages(lowered, reference, seed) else { continue };
        let program = stages.simplified.clone();
        let mut contributions = 0;
        for stmt in &program.body {
            stmt.walk(&mut |it| contributions += usize::from(is_contribution(&program, it)));
        }
        if contributions == 0 {
            continue;
        }
        let mut skip = seed as usize % contributions;
        turn_round(&program, &mut stages.simplified.body, &mut skip);
        let verdict = if source.exact {
            check::<Residues>(&source, &stages, seed, Case::Usual)
        } else {
            check::<Floats>(&source, &stages, seed, Case::Usual)
        };
        wrong += 1;
        found += usize::from(verdict.is_err_and(|it| it.kind == Kind::Gradient("simplified")));
    }
    assert!(wrong > 40, "only {wrong} programs to change");
    assert!(found * 10 > wrong * 6, "{found} of {wrong} wrong adjoints were found out");
}

/// Whether something is added to an adjoint, or is the first thing that would be.
fn is_contribution(program: &Program, stmt: &Stmt) -> bool {
    let adds = match &stmt.kind {
        StmtKind::Reduce { .. } => true,
        StmtKind::Assign { target, value } => {
            matches!(program[target.buffer].role, Role::Adjoint(_)) && value.kind != ExprKind::Float(0.0)
        }
        _ => false,
    };
    adds && stmt.origin.phase == Phase::Adjoint
}

/// Negates the contribution after `skip` others.
fn turn_round(program: &Program, block: &mut [Stmt], skip: &mut usize) {
    for stmt in block {
        if is_contribution(program, stmt) {
            if let (StmtKind::Reduce { value, .. } | StmtKind::Assign { value, .. }, 0) =
                (&mut stmt.kind, *skip)
            {
                *value = -value.clone();
            }
            *skip = skip.wrapping_sub(1);
        }
        stmt.blocks_mut().into_iter().for_each(|inner| turn_round(program, inner, skip));
    }
}
