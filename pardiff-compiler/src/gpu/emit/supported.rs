//! What has no place on a GPU yet. Each refusal says what to write instead.

use crate::gpu::host::Host;
use crate::ir::{BufferId, Callee, Expr, ExprKind, Int, Program, SpanId, Stmt, StmtKind, Ty};
use crate::refusal::Refusal;
use proc_macro2::Span;

/// Refuses what the back end does not do.
pub(super) fn check(program: &Program) -> Result<(), Vec<Refusal>> {
    let mut search = Search { program, host: Host::of(program), refusals: Vec::new() };
    search.block(&program.body, true);
    for &it in program.params.iter().chain(&program.results) {
        search.element(it);
    }
    if search.refusals.is_empty() { Ok(()) } else { Err(search.refusals) }
}

struct Search<'p> {
    program: &'p Program,
    host: Host<'p>,
    refusals: Vec<Refusal>,
}

impl Search<'_> {
    fn refuse(&mut self, span: SpanId, what: String, why: &str, help: &str) {
        if self.refusals.iter().any(|known| known.what == what) {
            return;
        }
        let span = self.program.spans.get(span.0 as usize).copied();
        self.refusals.push(Refusal::new(span.unwrap_or_else(Span::call_site), what, why, help));
    }

    fn block(&mut self, block: &[Stmt], here: bool) {
        for stmt in block {
            let span = stmt.origin.span;
            for expr in stmt.exprs() {
                self.expr(expr, span);
            }
            match &stmt.kind {
                StmtKind::Scope { buffers, .. } => {
                    for &id in buffers {
                        self.element(id);
                        self.array(id, span);
                    }
                }
                StmtKind::Call { callee: Callee::Scan(_) | Callee::Sort(_), .. }
                    if here && self.host.runs(stmt) => {}
                StmtKind::Call { callee: Callee::User(call), .. } => self.refuse(
                    span,
                    format!("a call of `{}`, which has a rule, with `cuda`", call.function),
                    "the function itself is compiled for the CPU alone",
                    "write it in the language of the attribute, without `custom`, or remove `cuda`",
                ),
                StmtKind::Call { .. } => self.refuse(
                    span,
                    "a call that the compiler does not look into, with `cuda`".to_owned(),
                    "kernels call what the compiler wrote alone",
                    "write the function inside this one, or remove `cuda`",
                ),
                StmtKind::Swap { a, b } => {
                    let is_param = |id: &BufferId| self.program.params.contains(id);
                    let alike = self.program[*a].layout == self.program[*b].layout;
                    if is_param(a) || is_param(b) || !alike {
                        self.refuse(
                            span,
                            "an exchange with a parameter, with `cuda`".to_owned(),
                            "a caller's buffer stays the caller's",
                            "copy the elements in a loop, or remove `cuda`",
                        );
                    }
                }
                _ => {}
            }
            let here = here && self.host.runs(stmt);
            stmt.blocks().into_iter().for_each(|inner| self.block(inner, here));
        }
    }

    fn element(&mut self, id: BufferId) {
        if matches!(self.program[id].elem, Ty::Int(Int::I128 | Int::U128)) {
            self.refuse(
                SpanId(0),
                format!("`{}`, an integer of 128 bits, with `cuda`", self.program[id].name),
                "kernels have integers of 64 bits",
                "use a `u64` or an `i64`, or remove `cuda`",
            );
        }
    }

    /// A local array: its memory is taken by the host, for all threads.
    fn array(&mut self, id: BufferId, span: SpanId) {
        let buffer = &self.program[id];
        if buffer.layout.grows() {
            self.refuse(
                span,
                format!("`{}`, an array that grows as it is written, with `cuda`", buffer.name),
                "memory on the GPU is taken before kernels run; a loop that ends when it says so, or a `push`, needs more of it as it \
                 goes",
                "write a `for` loop over a range whose length follows from sizes and scalar parameters, or remove `cuda`",
            );
        } else if !buffer.dims.iter().all(|dim| self.host.knows(dim)) {
            self.refuse(
                span,
                format!("`{}`, a local array whose length is known on the GPU alone, with `cuda`", buffer.name),
                "memory on the GPU is taken before kernels run",
                "give it a length that follows from sizes and scalar parameters, the greatest that occurs, or remove `cuda`",
            );
        }
    }

    fn expr(&mut self, expr: &Expr, span: SpanId) {
        let (mut wide, mut function) = (false, None);
        expr.walk(&mut |expr| {
            wide |= matches!(expr.ty, Ty::Int(Int::I128 | Int::U128));
            if let ExprKind::Apply(id, _) = expr.kind {
                function = Some(id);
            }
        });
        if let Some(function) = function {
            self.refuse(
                span,
                format!("a call of `{}`, which has a rule, with `cuda`", self.program[function].text),
                "the function itself is compiled for the CPU alone",
                "write it in the language of the attribute, without `custom`, or remove `cuda`",
            );
        }
        if wide {
            self.refuse(
                span,
                "integers of 128 bits, with `cuda`".to_owned(),
                "kernels have integers of 64 bits",
                "use `u64` or `i64`, or remove `cuda`",
            );
        }
    }
}
