//! Kernels whose iterations are run by blocks of threads: what all threads of a block do alike, and what they share out.
//!
//! Outside of the loops over threads every thread computes the same: scalars are registers with the same value in all of them,
//! and what goes to memory the first thread writes. Barriers stand there alone, so that all threads reach them, between
//! statements of which one writes an array that the other one touches.

use super::expr::c_type;
use super::kernel::{Word, iterator, local};
use super::stmt::{Home, Role, Writer, combined, trips_of};
use crate::ir::Update;
use crate::ir::{
    Block, BufferId, BufferSet, Expr, ExprKind, For, Place, ReduceOp, Scheme, Space, Stmt, StmtKind,
    thread_loops,
};
use crate::schedule::neutral;

/// What was done to arrays since the last barrier.
#[derive(Clone, Debug, Default)]
pub(super) struct Touched {
    read: BufferSet,
    written: BufferSet,
}

impl Touched {
    fn join(&mut self, other: &Touched) {
        self.read.union(&other.read);
        self.written.union(&other.written);
    }

    /// Whether a barrier must stand in between.
    fn meets(&self, next: &Touched) -> bool {
        self.written.meets(&next.written) || self.written.meets(&next.read) || self.read.meets(&next.written)
    }
}

impl Writer<'_> {
    /// What a block does in one iteration; behind it stands a barrier where the next one uses the same memory.
    pub(super) fn nest(&mut self, block: &Block) {
        self.role = Role::Alike;
        self.alike(block);
        // the next iteration of the kernel begins
        if self.touched.meets(&self.touches(block)) {
            self.barrier();
        }
        self.role = Role::Thread;
    }

    fn barrier(&mut self) {
        self.kernel.line("PD_BARRIER();");
        self.touched = Touched::default();
    }

    /// The statements, with a barrier wherever one must stand.
    fn alike(&mut self, block: &Block) {
        for stmt in block {
            let next = self.touches(std::slice::from_ref(stmt));
            let is_block = stmt.as_scope().is_some();
            if !is_block && self.touched.meets(&next) {
                self.barrier();
            }
            match &stmt.kind {
                StmtKind::For(each) if is_shared_out(each) => {
                    self.touched.join(&next);
                    self.shared_out(each);
                }
                StmtKind::For(each) => {
                    let before = std::mem::take(&mut self.touched);
                    self.counted(each);
                    // behind a body that writes stands a barrier, if it runs at all
                    self.touched = before;
                    if next.written.is_empty() {
                        self.touched.join(&next);
                    } else {
                        let bounds = stmt.exprs();
                        self.touched.read.union(&self.reads(bounds, &BufferSet::new()));
                    }
                }
                StmtKind::If { cond, then, els } | StmtKind::Guarded { fact: cond, then, els } => {
                    let cond = self.expr(cond);
                    let before = self.touched.clone();
                    self.kernel.open(format!("if ({cond}) {{"));
                    self.alike(then);
                    let mut after = std::mem::replace(&mut self.touched, before);
                    if !els.is_empty() {
                        self.kernel.turn("} else {");
                        self.alike(els);
                    }
                    self.kernel.close("}");
                    after.join(&next);
                    self.touched.join(&after);
                }
                StmtKind::Assign { target, .. } | StmtKind::Reduce { target, .. }
                    if self.is_register(target) =>
                {
                    self.touched.join(&next);
                    self.stmt(stmt);
                }
                StmtKind::Assign { .. } | StmtKind::Reduce { .. } => {
                    self.touched.join(&next);
                    self.kernel.open("if (threadIdx.x == 0) {");
                    self.stmt(stmt);
                    self.kernel.close("}");
                }
                StmtKind::Scope { .. } => self.stmt(stmt),
                _ => {
                    self.touched.join(&next);
                    self.stmt(stmt);
                }
            }
        }
    }

    /// The body of a loop, or of a scope, that all threads run alike. Behind the body of a loop, which comes again, stands a barrier.
    pub(super) fn alike_in(&mut self, block: &Block, again: bool) {
        self.alike(block);
        if again && !self.touches(block).written.is_empty() {
            self.barrier();
        }
    }

    /// Loops whose iterations together are the threads, neighbours along the innermost, and the sums of their scalars
    /// over them.
    fn shared_out(&mut self, each: &For) {
        let loops = thread_loops(each);
        let body = loops.last().map_or(&each.body, |last| &last.body);
        let sums = self.sums_of(body);
        self.kernel.open("{");
        for (buffer, op) in &sums {
            let (ty, start) = self.start(*buffer, *op);
            self.kernel.line(format!("{ty} part_{} = {start};", local(self.program, *buffer)));
        }
        let checks = has_checks(body);
        let head = if checks { "const bool fine = [&]() -> bool {" } else { "{" };
        self.kernel.open(head);
        for (depth, each) in loops.iter().enumerate() {
            let ty = c_type(self.program[each.iter].ty);
            let (lo, hi, step) = (self.expr(&each.lo), self.expr(&each.hi), self.expr(&each.step));
            self.kernel.line(format!("const {ty} lo_{depth} = {lo}, hi_{depth} = {hi};"));
            let trips = trips_of(each, ty, depth);
            self.kernel.line(format!("const pd_u64 step_{depth} = {step}, trips_{depth} = {trips};"));
        }
        let trips: Vec<String> = (0..loops.len()).map(|depth| format!("trips_{depth}")).collect();
        let trips = trips.join(" * ");
        self.kernel.open(format!("for (pd_u64 at = threadIdx.x; at < {trips}; at += blockDim.x) {{"));
        let mut rest = "at".to_owned();
        for (depth, each) in loops.iter().enumerate().rev() {
            self.iters.insert(each.iter);
            let (ty, name) = (c_type(self.program[each.iter].ty), iterator(self.program, each.iter));
            let number = if depth == 0 { rest.clone() } else { format!("pd_rest({rest}, trips_{depth})") };
            rest = format!("pd_part({rest}, trips_{depth})");
            self.kernel
                .line(format!("const {ty} {name} = ({ty})((pd_u64)lo_{depth} + {number} * step_{depth});"));
        }
        self.role = Role::Lane;
        self.combined = sums.iter().map(|(buffer, _)| *buffer).collect();
        self.block(body);
        self.combined.clear();
        self.role = Role::Alike;
        self.kernel.close("}");
        if checks {
            self.kernel.line("return true;");
            self.kernel.close("}();");
            // all threads leave, or none
            self.kernel.line("if (PD_ANY(!fine)) return false;");
            self.touched = Touched::default();
        } else {
            self.kernel.close("}");
        }
        for (buffer, op) in &sums {
            let ((ty, start), name) = (self.start(*buffer, *op), local(self.program, *buffer));
            let whole = format!("pd_all_of_block<{}>(part_{name}, {start})", super::launch::op_name(*op));
            let sum = combined(*op, ty, &name, &whole);
            self.kernel.line(format!("{name} = {sum};"));
        }
        self.kernel.close("}");
    }

    /// The type and the neutral element of a sum.
    fn start(&mut self, buffer: BufferId, op: ReduceOp) -> (&'static str, String) {
        let elem = self.program[buffer].elem;
        let start = neutral(op, elem).unwrap_or_else(|| Expr::int(crate::ir::Ty::USIZE, 0));
        (c_type(elem), self.expr(&start))
    }

    /// The scalars of the iteration that the threads sum up.
    fn sums_of(&self, block: &Block) -> Vec<(BufferId, ReduceOp)> {
        let mut found = Vec::new();
        block.iter().for_each(|stmt| {
            stmt.walk(&mut |stmt| {
                if let Some(Update { op, target, scheme: Scheme::ScalarReduction, .. }) = stmt.as_update()
                    && self.homes.get(&target.buffer) == Some(&Home::Register)
                    && !found.contains(&(target.buffer, op))
                {
                    found.push((target.buffer, op));
                }
            });
        });
        found
    }

    fn is_of_block(&self, id: BufferId) -> bool {
        matches!(self.homes.get(&id), Some(Home::Shared | Home::OfBlock))
    }

    fn is_register(&self, target: &Place) -> bool {
        self.homes.get(&target.buffer) == Some(&Home::Register)
    }

    /// What statements do to arrays that threads of a block have in common.
    fn touches(&self, block: &[Stmt]) -> Touched {
        let mut touched = Touched::default();
        let own = declared_by_threads(block, false);
        let is_common =
            |id: BufferId| !own.contains(id) && !self.is_register(&Place::scalar(id)) && !self.host.has(id);
        block.iter().for_each(|stmt| {
            stmt.walk(&mut |stmt| {
                touched.read.union(&self.reads(stmt.exprs(), &own));
                match stmt.as_update() {
                    // what is summed up in registers may meet; nobody reads what all blocks add to
                    Some(Update { scheme: Scheme::ScalarReduction, .. }) => {}
                    Some(Update { scheme: Scheme::Atomic, target, .. })
                        if !self.is_of_block(target.buffer) => {}
                    _ => {
                        let stored = stmt.as_store().map(|(target, _)| target.buffer);
                        touched.written.extend(stored.filter(|&buffer| is_common(buffer)));
                    }
                }
            });
        });
        touched
    }

    /// What expressions read of arrays that threads of a block have in common; they have `own` for themselves.
    fn reads(&self, exprs: Vec<&Expr>, own: &BufferSet) -> BufferSet {
        let mut read = BufferSet::new();
        for expr in exprs {
            expr.walk(&mut |expr| {
                if let ExprKind::Load(place) = &expr.kind
                    && !own.contains(place.buffer)
                    && !self.is_register(&Place::scalar(place.buffer))
                    && !self.host.has(place.buffer)
                {
                    read.insert(place.buffer);
                }
            });
        }
        read
    }

    /// An array of a block: in shared memory, or its part of one in global memory.
    pub(super) fn declare_common(&mut self, id: BufferId, constant: Option<i128>) {
        let (ty, name) = (c_type(self.program[id].elem), local(self.program, id));
        match constant {
            Some(size) if self.program[id].space == Space::Shared => {
                self.homes.insert(id, Home::Shared);
                self.kernel.top.push(format!("  __shared__ pd_shared<{ty}, {}> {name};", size.max(1)));
            }
            _ => {
                self.homes.insert(id, Home::OfBlock);
                self.writes(Word::Own(id));
                self.word(Word::Own(id));
            }
        }
    }
}

fn is_shared_out(each: &For) -> bool {
    each.exec == crate::ir::Exec::Parallel(crate::ir::Level::Block)
}

/// What loops over threads declare: each thread has its own. `inside` is whether the block is in such a loop.
fn declared_by_threads(block: &[Stmt], inside: bool) -> BufferSet {
    let mut own = BufferSet::new();
    for stmt in block {
        if let Some((buffers, _)) = stmt.as_scope()
            && inside
        {
            buffers.iter().for_each(|&id| {
                own.insert(id);
            });
        }
        let within = inside || stmt.as_for().is_some_and(is_shared_out);
        for inner in stmt.blocks() {
            own.union(&declared_by_threads(inner, within));
        }
    }
    own
}

fn has_checks(block: &Block) -> bool {
    let mut checks = false;
    block.iter().for_each(|stmt| {
        stmt.walk(&mut |stmt| checks |= stmt.as_check().is_some());
    });
    checks
}
