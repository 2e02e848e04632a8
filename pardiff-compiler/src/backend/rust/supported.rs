//! What this back end refuses: a program that asks for something that later passes and back ends bring. The front
//! end and the passes before this one ask for none of it, so each of these is a defect of the compiler that becomes
//! an error message instead of wrong code.

use crate::ir::{Buffer, Callee, Exec, For, Layout, Level, Program, Role, Scheme, SpanId, Stmt, StmtKind};
use crate::refusal::Refusal;

/// Refuses what the back end does not do.
pub(super) fn check(program: &Program) -> Result<(), Refusal> {
    let refuse = |span: SpanId, what: &str| {
        let span = program.spans.get(span.0 as usize).copied();
        let span = span.unwrap_or_else(proc_macro2::Span::call_site);
        Refusal::new(
            span,
            format!("internal error of pardiff: the Rust back end does not do {what}"),
            "the program was not lowered completely",
            "please report the function to the authors of pardiff",
        )
    };
    let mut first = None;
    for buffer in &program.buffers {
        if let Some(what) = layout(buffer) {
            first.get_or_insert((SpanId(0), what));
        }
    }
    for stmt in &program.body {
        stmt.walk(&mut |stmt| {
            if let Some(what) = statement(program, stmt) {
                first.get_or_insert((stmt.origin.span, what));
            }
        });
    }
    first.map_or(Ok(()), |(span, what)| Err(refuse(span, what)))
}

fn layout(buffer: &Buffer) -> Option<&'static str> {
    match (&buffer.layout, buffer.rank()) {
        (Layout::RowMajor, _) => None,
        (Layout::PackedTriangular, 2..) => None,
        (Layout::Growing | Layout::Reserved | Layout::Padded(_), 1..) => None,
        _ => Some("layouts of more dimensions than the buffer has"),
    }
}

fn statement(program: &Program, stmt: &Stmt) -> Option<&'static str> {
    match &stmt.kind {
        StmtKind::For(For { exec: Exec::Parallel(Level::Grid | Level::Block), .. }) => Some("loops of a GPU"),
        StmtKind::Reduce { scheme: Scheme::Atomic, .. } => Some("atomic sums"),
        StmtKind::Call {
            callee:
                Callee::Product(_)
                | Callee::Reserve(_)
                | Callee::Communication(_)
                | Callee::Seam
                | Callee::User(_),
            ..
        } => None,
        StmtKind::Call { .. } => Some("calls"),
        // both are the caller's arrays, or both are in the order of their layout
        StmtKind::Swap { a, b } => {
            let outside = |role| matches!(role, Role::Input | Role::InOut | Role::Output);
            let (a, b) = (&program[*a], &program[*b]);
            (a.rank() > 1 && outside(a.role) != outside(b.role)).then_some("this exchange of arrays")
        }
        _ => None,
    }
}
