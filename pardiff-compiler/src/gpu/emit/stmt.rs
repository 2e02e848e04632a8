//! Statements as CUDA C: what one thread does. It stands in a function that returns whether no check failed.

use super::expr::{Element, c_type};
use super::kernel::{Kernel, Word, iterator, local};
use super::nest::Touched;
use crate::gpu::host::Host;
use crate::ir::{
    Block, BufferId, Expr, For, IterId, Message, Order, Place, Program, ReduceOp, Scheme, SpanId, Stmt,
    StmtKind, Ty, While,
};
use crate::limits::ELEMENTS_OF_A_THREAD;
use std::collections::{HashMap, HashSet};

/// Where a buffer that a kernel declares lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Home {
    /// A variable.
    Register,
    /// An array of the thread, of constant length.
    Local,
    /// A part of an array in global memory, the thread's number innermost: neighbouring threads touch neighbours.
    Own,
    /// An array in the shared memory of the block.
    Shared,
    /// The block's part of an array in global memory.
    OfBlock,
}

/// What the thread that a kernel speaks of is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// One that runs an iteration of the kernel's loops by itself.
    Thread,
    /// One of a block that runs an iteration: all its threads do alike.
    Alike,
    /// The same, in a loop whose iterations are the threads.
    Lane,
}

/// A check that may fail on the device.
#[derive(Clone, Debug)]
pub(super) struct Site {
    /// What the panic says.
    pub(super) message: Message,
    pub(super) span: SpanId,
    pub(super) speaker: Speaker,
}

/// Who panics, in the words of the CPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Speaker {
    /// The function, with its name.
    Function,
    /// Rust itself.
    Rust,
    /// Rust's `clamp` of floats of this type, whose bits the operands are.
    Clamp(Ty),
}

/// The scalars in the memory of the device.
#[derive(Clone, Debug, Default)]
pub(super) struct Cells {
    numbers: HashMap<BufferId, (Ty, usize)>,
    /// How many there are of each type.
    counts: Vec<(Ty, usize)>,
}

impl Cells {
    /// Every scalar of the program that is neither the host's nor a thread's.
    pub(super) fn add(&mut self, program: &Program, id: BufferId) {
        let ty = match program[id].elem {
            ty @ Ty::Float(_) => ty,
            _ => Ty::Int(crate::ir::Int::U64),
        };
        if self.numbers.contains_key(&id) {
            return;
        }
        let at = match self.counts.iter_mut().find(|(known, _)| *known == ty) {
            Some((_, count)) => {
                *count += 1;
                *count - 1
            }
            None => {
                self.counts.push((ty, 1));
                0
            }
        };
        self.numbers.insert(id, (ty, at));
    }

    /// The type as which a scalar is kept, and its number.
    pub(super) fn of(&self, id: BufferId) -> (Ty, usize) {
        self.numbers.get(&id).copied().unwrap_or((Ty::F64, usize::MAX))
    }

    pub(super) fn counts(&self) -> &[(Ty, usize)] {
        &self.counts
    }
}

/// The number of iterations of a loop whose bounds and step are in variables with this number.
pub(super) fn trips_of(each: &For, ty: &str, number: usize) -> String {
    let (lo, hi, step) = (format!("lo_{number}"), format!("hi_{number}"), format!("step_{number}"));
    match each.inclusive {
        true => format!("{lo} <= {hi} ? pd_trip_count<{ty}>({lo}, {hi}, 1) / {step} + 1 : 0"),
        false => format!("pd_trip_count<{ty}>({lo}, {hi}, {step})"),
    }
}

/// Writes one kernel.
pub(super) struct Writer<'a> {
    pub(super) program: &'a Program,
    pub(super) host: &'a Host<'a>,
    pub(super) cells: &'a Cells,
    pub(super) sites: &'a mut Vec<Site>,
    pub(super) kernel: Kernel,
    /// Arrays that it writes.
    pub(super) written: Vec<Word>,
    /// What it declares.
    pub(super) homes: HashMap<BufferId, Home>,
    /// Its iterators.
    pub(super) iters: HashSet<IterId>,
    /// The elements that it sums over all threads.
    pub(super) sums: Vec<(Place, ReduceOp)>,
    /// Arrays of which threads have copies to add to, and the operation.
    pub(super) copies: Vec<(BufferId, ReduceOp)>,
    pub(super) role: Role,
    /// Whether the threads of a block run iterations of their own.
    pub(super) tiled: bool,
    /// Scalars that the loop over threads around sums up.
    pub(super) combined: Vec<BufferId>,
    /// What the threads of a block did since the last barrier.
    pub(super) touched: Touched,
    /// For names of loop variables.
    loops: usize,
}

impl<'a> Writer<'a> {
    pub(super) fn new(
        program: &'a Program,
        host: &'a Host<'a>,
        cells: &'a Cells,
        sites: &'a mut Vec<Site>,
        name: String,
    ) -> Writer<'a> {
        let kernel = Kernel::new(name);
        Writer {
            program,
            host,
            cells,
            sites,
            kernel,
            written: Vec::new(),
            homes: HashMap::new(),
            iters: HashSet::new(),
            sums: Vec::new(),
            copies: Vec::new(),
            role: Role::Thread,
            tiled: false,
            combined: Vec::new(),
            touched: Touched::default(),
            loops: 0,
        }
    }

    /// The name of a word in the text.
    pub(super) fn word(&mut self, word: Word) -> String {
        self.kernel.word(self.program, word)
    }

    pub(super) fn writes(&mut self, word: Word) {
        if !self.written.contains(&word) {
            self.written.push(word);
        }
    }

    /// What the thread does, in a function that leaves at a failed check; `before` computes what it needs.
    pub(super) fn body(&mut self, before: &[String], block: &Block, fine: &str) {
        self.kernel.open(format!("{fine} [&]() -> bool {{"));
        before.iter().for_each(|line| self.kernel.line(line.clone()));
        match crate::ir::has_block_loops(block) {
            true => self.nest(block),
            false => self.block(block),
        }
        self.kernel.line("return true;");
        self.kernel.close("}();");
    }

    pub(super) fn block(&mut self, block: &Block) {
        block.iter().for_each(|stmt| self.stmt(stmt));
    }

    pub(super) fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::For(each) => self.counted(each),
            StmtKind::While(While { counter, head, cond, body, .. }) => {
                self.iters.insert(*counter);
                let name = iterator(self.program, *counter);
                self.kernel.open(format!("for (pd_u64 {name} = 0;; {name}++) {{"));
                self.block(head);
                let cond = self.expr(cond);
                self.kernel.line(format!("if (!{cond}) break;"));
                self.block(body);
                self.kernel.close("}");
            }
            StmtKind::If { cond, then, els } | StmtKind::Guarded { fact: cond, then, els } => {
                let cond = self.expr(cond);
                self.kernel.open(format!("if ({cond}) {{"));
                self.block(then);
                if !els.is_empty() {
                    self.kernel.turn("} else {");
                    self.block(els);
                }
                self.kernel.close("}");
            }
            StmtKind::Assign { target, value } => {
                let value = self.expr(value);
                self.store(target, value);
            }
            StmtKind::Reduce { op, target, value, scheme } => self.reduce(*op, target, value, *scheme),
            StmtKind::Scope { buffers, body } => {
                self.kernel.open("{");
                buffers.iter().for_each(|&id| self.declare(id));
                self.inside(body, false);
                self.kernel.close("}");
            }
            StmtKind::Swap { a, b } => self.swap(*a, *b),
            StmtKind::Fork { tasks } => tasks.iter().for_each(|task| self.block(task)),
            StmtKind::Check { cond, message } => {
                let cond = self.expr(cond);
                let mut operands: Vec<String> =
                    message.operands().into_iter().map(|it| self.expr(it)).collect();
                operands.resize(3, "0".to_owned());
                let operands: Vec<String> = operands.iter().map(|it| format!("(pd_u64)({it})")).collect();
                let (failed, number) =
                    (self.word(Word::Failed), self.site(message.clone(), stmt.origin.span));
                let operands = operands.join(", ");
                self.kernel.line(format!(
                    "if (!{cond}) {{ pd_fail({failed}, {number}, {operands}); return false; }}"
                ));
            }
            // refused before
            StmtKind::Call { .. } => {}
        }
    }

    /// The body of a loop, which comes again, or of a scope.
    fn inside(&mut self, body: &Block, again: bool) {
        match self.role {
            Role::Alike => self.alike_in(body, again),
            Role::Thread | Role::Lane => self.block(body),
        }
    }

    pub(super) fn counted(&mut self, each: &For) {
        self.iters.insert(each.iter);
        let (ty, name) = (c_type(self.program[each.iter].ty), iterator(self.program, each.iter));
        let (lo, hi, step) = (self.expr(&each.lo), self.expr(&each.hi), self.expr(&each.step));
        self.loops += 1;
        let number = self.loops;
        self.kernel.open("{");
        self.kernel.line(format!("const {ty} lo_{number} = {lo}, hi_{number} = {hi};"));
        let unit = each.is_by_one();
        match each.order {
            Order::Up if unit => {
                self.kernel
                    .open(format!("for ({ty} {name} = lo_{number}; {name} < hi_{number}; {name}++) {{"));
            }
            Order::Down if unit => {
                self.kernel.open(format!("for ({ty} {name} = hi_{number}; {name}-- > lo_{number};) {{"));
            }
            order => {
                let trips = trips_of(each, ty, number);
                self.kernel.line(format!("const pd_u64 step_{number} = {step}, trips_{number} = {trips};"));
                let at = match order {
                    Order::Up => format!("k_{number}"),
                    Order::Down => format!("(trips_{number} - 1 - k_{number})"),
                };
                self.kernel.open(format!(
                    "for (pd_u64 k_{number} = 0; k_{number} < trips_{number}; k_{number}++) {{"
                ));
                self.kernel
                    .line(format!("const {ty} {name} = ({ty})((pd_u64)lo_{number} + {at} * step_{number});"));
            }
        }
        self.inside(&each.body, true);
        self.kernel.close("}");
        self.kernel.close("}");
    }

    /// Declares what a thread has of its own; the host takes the memory of what is neither small nor of constant length.
    fn declare(&mut self, id: BufferId) {
        let buffer = &self.program[id];
        let (ty, name) = (c_type(buffer.elem), local(self.program, id));
        if buffer.rank() == 0 {
            self.homes.insert(id, Home::Register);
            self.kernel.line(format!("{ty} {name};"));
            return;
        }
        let size = crate::ir::layout::size(&buffer.layout, &buffer.dims);
        let constant = match size.map(|size| size.kind) {
            Some(crate::ir::ExprKind::Int(size)) => Some(size),
            _ => None,
        };
        match constant {
            _ if self.role == Role::Alike => self.declare_common(id, constant),
            Some(size) if size <= ELEMENTS_OF_A_THREAD => {
                self.homes.insert(id, Home::Local);
                self.kernel.line(format!("pd_local<{ty}, {}> {name};", size.max(1)));
            }
            _ => {
                self.homes.insert(id, Home::Own);
                self.writes(Word::Own(id));
                self.word(Word::Own(id));
            }
        }
    }

    /// `target = value`
    pub(super) fn store(&mut self, target: &Place, value: String) {
        let line = match self.element(target) {
            Element::Register(name) => format!("{name} = {value};"),
            Element::Of { array, at, word } => {
                if let Some(word) = word {
                    self.writes(word);
                }
                let kept = c_type(self.kept(target));
                format!("pd_store({array}, {at}, ({kept})({value}));")
            }
        };
        self.kernel.line(line);
    }

    fn reduce(&mut self, op: ReduceOp, target: &Place, value: &Expr, scheme: Scheme) {
        let ty = c_type(self.program[target.buffer].elem);
        let value = self.expr(value);
        match scheme {
            Scheme::ScalarReduction if self.combined.contains(&target.buffer) => {
                let part = format!("part_{}", local(self.program, target.buffer));
                let combined = combined(op, ty, &part, &value);
                self.kernel.line(format!("{part} = {combined};"));
            }
            Scheme::ScalarReduction if self.sum_of(target).is_some() => {
                let sum = self.sum_of(target).unwrap_or_default();
                let combined = combined(op, ty, &format!("sum_{sum}"), &value);
                self.kernel.line(format!("sum_{sum} = {combined};"));
            }
            Scheme::PrivateCopies => {
                let word = Word::Own(target.buffer);
                let (array, at) = (self.word(word), self.position(target));
                self.writes(word);
                let at = match self.role {
                    Role::Thread => format!("{at} * pd_threads() + pd_thread()"),
                    Role::Lane if self.tiled => format!("{at} * pd_threads() + pd_thread()"),
                    Role::Alike | Role::Lane => {
                        format!("(pd_u64)blockIdx.x * {} + {at}", self.size(target.buffer))
                    }
                };
                let combined = combined(op, ty, &format!("pd_load({array}, at)"), &value);
                self.kernel.line(format!(
                    "{{ const pd_u64 at = {at}; pd_store({array}, at, ({ty})({combined})); }}"
                ));
                if !self.copies.contains(&(target.buffer, op)) {
                    self.copies.push((target.buffer, op));
                }
            }
            Scheme::SharedCopies => {
                let (array, at) = (copies_of(self.program, target.buffer), self.position(target));
                let combined = combined(op, ty, &format!("pd_load({array}, at)"), &value);
                self.kernel.line(format!(
                    "{{ const pd_u64 at = {at} * 128 + threadIdx.x; pd_store({array}, at, ({ty})({combined})); }}"
                ));
            }
            // what a thread has of its own nobody else adds to
            Scheme::Atomic if !self.is_own(target.buffer) => {
                if let Element::Of { array, at, word } = self.element(target) {
                    word.into_iter().for_each(|word| self.writes(word));
                    self.kernel.line(match op {
                        ReduceOp::Max => format!("if ({value}) pd_mark({array}, {at});"),
                        _ => format!("pd_atomic_add({array}, {at}, ({ty})({value}));"),
                    });
                }
            }
            _ => {
                let old = self.load(target);
                let new = combined(op, ty, &old, &value);
                self.store(target, new);
            }
        }
    }

    /// Whether a thread has a buffer to itself.
    fn is_own(&self, id: BufferId) -> bool {
        matches!(self.homes.get(&id), Some(Home::Register | Home::Local | Home::Own))
    }

    /// The number of the sum over all threads that a place is.
    fn sum_of(&self, target: &Place) -> Option<usize> {
        self.sums.iter().position(|(place, _)| place == target)
    }

    /// Exchanges two buffers of equal extents and layout element by element.
    fn swap(&mut self, a: BufferId, b: BufferId) {
        let buffer = &self.program[a];
        let ty = c_type(buffer.elem);
        if buffer.rank() == 0 {
            let [first, second] = [a, b].map(Place::scalar);
            let (kept, other) = (self.load(&first), self.load(&second));
            self.kernel.open("{");
            self.kernel.line(format!("const {ty} kept = {kept};"));
            self.store(&first, other);
            self.store(&second, "kept".to_owned());
            self.kernel.close("}");
            return;
        }
        let size = self.size(a);
        self.kernel.open(format!("for (pd_u64 at = 0; at < {size}; at++) {{"));
        let [first, second] = [a, b].map(|id| self.flat(id));
        self.kernel.line(format!("const {ty} kept = pd_load({first});"));
        self.kernel.line(format!("pd_store({first}, pd_load({second}));"));
        self.kernel.line(format!("pd_store({second}, kept);"));
        self.kernel.close("}");
    }

    /// The number of elements of an array.
    pub(super) fn size(&mut self, id: BufferId) -> String {
        let buffer = &self.program[id];
        let extents: Vec<Expr> = (0..buffer.rank()).map(|dim| Expr::extent(id, dim)).collect();
        let size = crate::ir::layout::size(&buffer.layout, &extents).unwrap_or(Expr::usize(0));
        self.expr(&size)
    }

    /// The array and the position of the element number `at` of its memory, which is written.
    fn flat(&mut self, id: BufferId) -> String {
        let word = match self.homes.get(&id) {
            Some(Home::Own) => Word::Own(id),
            Some(_) => return format!("{}, at", local(self.program, id)),
            None => Word::Array(id),
        };
        self.writes(word);
        let array = self.word(word);
        match word {
            Word::Own(_) => format!("{array}, at * pd_threads() + pd_thread()"),
            _ => format!("{array}, at"),
        }
    }

    /// The number of a check.
    fn site(&mut self, message: Message, span: SpanId) -> usize {
        self.sites.push(Site { message, span, speaker: Speaker::Function });
        self.sites.len() - 1
    }

    /// The number of a panic of Rust itself.
    pub(super) fn plain_site(&mut self, text: &str) -> usize {
        self.site_of(Speaker::Rust, text)
    }

    /// The number of the panic of `clamp`.
    pub(super) fn clamp_site(&mut self, elem: Ty) -> usize {
        self.site_of(Speaker::Clamp(elem), "min > max, or either was NaN.")
    }

    fn site_of(&mut self, speaker: Speaker, text: &str) -> usize {
        let message = Message::Text(text.to_owned());
        let is_same = |site: &Site| site.speaker == speaker && site.message == message;
        if let Some(known) = self.sites.iter().position(is_same) {
            return known;
        }
        self.sites.push(Site { message, span: SpanId(0), speaker });
        self.sites.len() - 1
    }
}

/// The copies of an array that the threads of a block have in shared memory: those of an element side by side.
pub(super) fn copies_of(program: &Program, id: BufferId) -> String {
    format!("copies_of_{}", local(program, id))
}

/// `a op b`
pub(super) fn combined(op: ReduceOp, ty: &str, a: &str, b: &str) -> String {
    let is_float = ty == "float" || ty == "double";
    match op {
        ReduceOp::Add if is_float => format!("({a} + {b})"),
        ReduceOp::Add => format!("pd_add<{ty}>({a}, {b})"),
        ReduceOp::Min => format!("pd_min({a}, {b})"),
        ReduceOp::Max => format!("pd_max({a}, {b})"),
    }
}
