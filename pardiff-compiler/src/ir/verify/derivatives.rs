//! Whether anything decides by a derivative.

use super::{Rule, Verifier};
use crate::ir::{Block, BufferId, BufferSet, Exec, Expr, ExprKind, Program, Role, Scheme, Stmt};

impl<'a> Verifier<'a> {
    /// After all else, in a program that is well formed otherwise.
    pub(super) fn decisions(&mut self) {
        let program = self.program;
        let derived = derived(program);
        if derived.is_empty() || !is_undecided(program) {
            return;
        }
        for &buffer in program.params.iter().chain(&program.results) {
            self.extents_decide(buffer, &derived);
        }
        self.block_decides(&program.body, &derived);
    }

    fn block_decides(&mut self, block: &'a Block, derived: &BufferSet) {
        for stmt in block {
            let around = self.current.replace(stmt);
            stmt.each_expr(&mut |expr| self.decides(expr, derived));
            let declared = stmt.as_scope().map_or(&[][..], |(buffers, _)| buffers);
            declared.iter().for_each(|&buffer| self.extents_decide(buffer, derived));
            stmt.blocks().into_iter().for_each(|block| self.block_decides(block, derived));
            self.current = around;
        }
    }

    fn extents_decide(&mut self, buffer: BufferId, derived: &BufferSet) {
        let program = self.program;
        program[buffer].dims.iter().for_each(|extent| self.decides(extent, derived));
    }

    /// A value that is no float, anywhere in the expression, is made of no derivative.
    fn decides(&mut self, expr: &Expr, derived: &BufferSet) {
        let mut found = None;
        expr.walk(&mut |part| {
            if !part.ty.is_float() {
                found = found.or_else(|| load_of(part, derived));
            }
        });
        if let Some(buffer) = found {
            let name = &self.program[buffer].name;
            self.violate(Rule::Derivative, format!("something is decided by the derivative in `{name}`"));
        }
    }
}

/// Whether there is a loop or a sum, and none is decided.
fn is_undecided(program: &Program) -> bool {
    let (mut any, mut all) = (false, true);
    let mut look = |stmt: &Stmt| {
        let of_loop = stmt.as_for().map(|it| it.exec == Exec::Undecided);
        let is_undecided = of_loop.or(stmt.as_update().map(|it| it.scheme == Scheme::Undecided));
        any |= is_undecided.is_some();
        all &= is_undecided != Some(false);
    };
    program.body.iter().for_each(|stmt| stmt.walk(&mut look));
    any && all
}

/// A buffer of the set that the expression loads from.
fn load_of(expr: &Expr, buffers: &BufferSet) -> Option<BufferId> {
    let mut found = None;
    expr.walk(&mut |part| match &part.kind {
        ExprKind::Load(place) if buffers.contains(place.buffer) => found = Some(place.buffer),
        _ => {}
    });
    found
}

/// Adjoints, tangents, and the floats that are computed from them.
fn derived(program: &Program) -> BufferSet {
    let mut derived = BufferSet::new();
    for buffer in program.buffer_ids().filter(|&buffer| program.is_derivative(buffer)) {
        derived.insert(buffer);
    }
    let mut changed = !derived.is_empty();
    while std::mem::take(&mut changed) {
        let mut spread = |stmt: &Stmt| {
            // a rule of the user computes values of values, and derivatives stand beside them
            if stmt.as_user_call().is_some() {
                return;
            }
            let mut from = false;
            stmt.each_expr(&mut |expr| from |= expr.ty.is_float() && load_of(expr, &derived).is_some());
            stmt.reads_itself(&mut |buffer| from |= derived.contains(buffer));
            if from {
                stmt.writes_itself(&mut |buffer| {
                    // the wire carries messages of both kinds
                    let carries = program[buffer].elem.is_float() && program[buffer].role != Role::Wire;
                    changed |= carries && derived.insert(buffer);
                });
            }
        };
        program.body.iter().for_each(|stmt| stmt.walk(&mut spread));
    }
    derived
}
