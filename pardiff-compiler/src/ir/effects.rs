//! What a statement reads and writes, and which expressions always have a value.

use super::{BinOp, Func};
use super::{BufferId, Expr, ExprKind, For, IterId, Phase, Place, Program, Stmt, StmtKind, UnOp, walk};
use crate::steps;

/// A set of buffers of one program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BufferSet {
    words: Vec<u64>,
}

impl BufferSet {
    /// The empty set.
    pub fn new() -> BufferSet {
        BufferSet::default()
    }

    /// Adds buffers.
    pub fn extend(&mut self, buffers: impl IntoIterator<Item = BufferId>) {
        buffers.into_iter().for_each(|buffer| _ = self.insert(buffer));
    }

    /// Whether there is no buffer in it.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// Adds a buffer; whether it is new.
    pub fn insert(&mut self, buffer: BufferId) -> bool {
        let (word, bit) = (buffer.0 as usize / 64, 1u64 << (buffer.0 % 64));
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let words: &mut [u64] = &mut self.words;
        let new = words[word] & bit == 0;
        words[word] |= bit;
        new
    }

    /// Removes a buffer.
    pub fn remove(&mut self, buffer: BufferId) {
        if let Some(word) = self.words.get_mut(buffer.0 as usize / 64) {
            *word &= !(1u64 << (buffer.0 % 64));
        }
    }

    /// Removes every buffer of `other`.
    pub fn subtract(&mut self, other: &BufferSet) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, less)| *word &= !less);
    }

    /// Whether the buffer is in the set.
    pub fn contains(&self, buffer: BufferId) -> bool {
        let (words, at): (&[u64], usize) = (&self.words, buffer.0 as usize / 64);
        at < words.len() && words[at] >> (buffer.0 % 64) & 1 == 1
    }

    /// Its buffers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = BufferId> + '_ {
        let bits = |(at, &word): (usize, &u64)| {
            let bits = std::iter::successors(Some(word), |word| Some(word & word.wrapping_sub(1)));
            bits.take_while(|&word| word != 0)
                .map(move |word| BufferId(at as u32 * 64 + word.trailing_zeros()))
        };
        self.words.iter().enumerate().flat_map(bits)
    }

    /// Whether the two sets have a buffer in common. A plain loop: passes ask it often, in builds without optimisation.
    pub fn meets(&self, other: &BufferSet) -> bool {
        let (a, b): (&[u64], &[u64]) = (&self.words, &other.words);
        let mut at = a.len().min(b.len());
        steps::count(at);
        while at > 0 && a[at - 1] & b[at - 1] == 0 {
            at -= 1;
        }
        at > 0
    }

    /// Adds every buffer of `other`; whether one of them is new.
    pub fn union(&mut self, other: &BufferSet) -> bool {
        if other.words.len() > self.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        steps::count(other.words.len());
        let mut changed = false;
        for (word, &more) in self.words.iter_mut().zip(&other.words) {
            changed |= more & !*word != 0;
            *word |= more;
        }
        changed
    }
}

impl FromIterator<BufferId> for BufferSet {
    fn from_iter<I: IntoIterator<Item = BufferId>>(buffers: I) -> BufferSet {
        let mut set = BufferSet::new();
        set.extend(buffers);
        set
    }
}

impl Expr {
    /// Calls `visit` on each buffer whose content the expression reads, an extent that grows included.
    pub fn reads(&self, program: &Program, visit: &mut dyn FnMut(BufferId)) {
        self.walk(&mut |expr| match &expr.kind {
            ExprKind::Load(place) => visit(place.buffer),
            ExprKind::Extent(buffer, _) if program[*buffer].layout.grows() => visit(*buffer),
            _ => {}
        });
    }

    /// The buffers whose content it reads.
    pub fn read_set(&self, program: &Program) -> BufferSet {
        let mut set = BufferSet::new();
        self.reads(program, &mut |buffer| _ = set.insert(buffer));
        set
    }

    /// Whether it reads the buffer.
    pub fn reads_buffer(&self, program: &Program, buffer: BufferId) -> bool {
        let grows = program[buffer].layout.grows();
        self.any(&mut |part| match &part.kind {
            ExprKind::Load(place) => place.buffer == buffer,
            ExprKind::Extent(of, _) => grows && *of == buffer,
            _ => false,
        })
    }

    /// Whether it reads a buffer of the set.
    pub fn reads_any(&self, program: &Program, set: &BufferSet) -> bool {
        let mut found = false;
        self.reads(program, &mut |buffer| found |= set.contains(buffer));
        found
    }

    /// Whether it mentions one of the iterators.
    pub fn mentions_any(&self, iters: &[IterId]) -> bool {
        self.any(&mut |part| matches!(&part.kind, ExprKind::Iter(iter) if iters.contains(iter)))
    }

    /// Whether the value depends on the iterator directly (not through a buffer).
    pub fn mentions(&self, iter: IterId) -> bool {
        self.any(&mut |part| matches!(part.kind, ExprKind::Iter(it) if it == iter))
    }

    /// Whether it loads an element of the buffer.
    pub fn loads(&self, buffer: BufferId) -> bool {
        self.any(&mut |part| matches!(&part.kind, ExprKind::Load(place) if place.buffer == buffer))
    }

    /// Whether it loads an element of a buffer of the set.
    pub fn loads_any(&self, set: &BufferSet) -> bool {
        self.any(&mut |part| matches!(&part.kind, ExprKind::Load(place) if set.contains(place.buffer)))
    }

    /// Calls `visit` on each buffer of which it loads an element or asks for an extent.
    pub fn each_named(&self, visit: &mut dyn FnMut(BufferId)) {
        self.walk(&mut |part| part.named().into_iter().for_each(&mut *visit));
    }

    /// Whether it names the buffer: loads an element of it or asks for an extent.
    pub fn names(&self, buffer: BufferId) -> bool {
        self.any(&mut |part| part.named() == Some(buffer))
    }

    /// Whether it names a buffer of the set.
    pub fn names_any(&self, set: &BufferSet) -> bool {
        self.any(&mut |part| part.named().is_some_and(|buffer| set.contains(buffer)))
    }

    /// The buffer of which it is an element or an extent.
    fn named(&self) -> Option<BufferId> {
        match self.kind {
            ExprKind::Load(Place { buffer, .. }) | ExprKind::Extent(buffer, _) => Some(buffer),
            _ => None,
        }
    }

    /// Whether it has a value whatever its operands are. Partial are, in builds with overflow checks, integer
    /// arithmetic and what [`Func::is_total`] says; a load counts as total where its indices are, because the
    /// `Check` of the access stands before it and stays.
    pub fn is_total(&self) -> bool {
        self.all(&mut node_is_total)
    }

    /// Whether dropping it from a statement of that phase changes no panic of the primal program.
    pub fn may_be_dropped(&self, phase: Phase) -> bool {
        phase != Phase::Primal || self.is_total()
    }
}

fn node_is_total(expr: &Expr) -> bool {
    use BinOp::*;
    match &expr.kind {
        ExprKind::Unary(UnOp::Neg, operand) => operand.ty.is_float(),
        ExprKind::Binary(Add | Sub | Mul | Div | Rem | Shl | Shr, lhs, rhs) => {
            let partial = match (&expr.kind, &rhs.kind) {
                // a division by a positive number has a value; so has a shift by one below the width
                (ExprKind::Binary(Div | Rem, ..), ExprKind::Int(by)) => *by <= 0,
                (ExprKind::Binary(Div | Rem, ..), ExprKind::Call(Func::IntMax, _, args)) => {
                    !args.iter().any(|least| matches!(least.kind, ExprKind::Int(1..)))
                }
                (ExprKind::Binary(Shl | Shr, ..), ExprKind::Int(by)) => {
                    !matches!(lhs.ty, super::Ty::Int(int) if (0..i128::from(int.bits())).contains(by))
                }
                _ => true,
            };
            lhs.ty.is_float() || !partial
        }
        ExprKind::Call(func, _, _) => Func::is_total(*func),
        ExprKind::Apply(..) => false,
        _ => true,
    }
}

impl Stmt {
    /// Calls `visit` on each buffer that the statement, or one inside it, may write.
    pub fn writes(&self, visit: &mut dyn FnMut(BufferId)) {
        self.walk(&mut |stmt| stmt.writes_itself(visit));
    }

    /// Whether it, or one inside it, mentions the buffer, see [`mentioned`].
    pub fn mentions(&self, program: &Program, buffer: BufferId) -> bool {
        mentioned(program, std::slice::from_ref(self)).contains(buffer)
    }

    /// Whether it, or one inside it, may write the buffer.
    pub fn writes_to(&self, buffer: BufferId) -> bool {
        let mut found = false;
        self.writes(&mut |written| found |= written == buffer);
        found
    }

    /// Whether it, or one inside it, may write a buffer of the set.
    pub fn writes_any(&self, set: &BufferSet) -> bool {
        let mut found = false;
        self.writes(&mut |written| found |= set.contains(written));
        found
    }

    /// The same without those inside.
    pub fn writes_itself(&self, visit: &mut dyn FnMut(BufferId)) {
        match &self.kind {
            StmtKind::Assign { target, .. } | StmtKind::Reduce { target, .. } => visit(target.buffer),
            StmtKind::Swap { a, b } => {
                visit(*a);
                visit(*b);
            }
            StmtKind::Call { writes, .. } => writes.iter().copied().for_each(visit),
            StmtKind::For(_)
            | StmtKind::While(_)
            | StmtKind::If { .. }
            | StmtKind::Scope { .. }
            | StmtKind::Fork { .. }
            | StmtKind::Check { .. }
            | StmtKind::Guarded { .. } => {}
        }
    }

    /// Calls `visit` on each buffer that the statement itself may read besides what its expressions read: what it updates,
    /// exchanges, or gives to a call.
    pub fn reads_itself(&self, visit: &mut dyn FnMut(BufferId)) {
        self.as_update().map(|update| update.target.buffer).into_iter().for_each(&mut *visit);
        self.as_swap().into_iter().flatten().for_each(&mut *visit);
        self.given().iter().copied().for_each(visit);
    }

    /// The buffers of which the statement itself may read and write every element: those of an exchange, and those that
    /// a call is given, what it reads first.
    pub fn whole(&self) -> impl Iterator<Item = BufferId> + '_ {
        let (first, second): (&[BufferId], &[BufferId]) = match &self.kind {
            StmtKind::Swap { a, b } => (std::slice::from_ref(a), std::slice::from_ref(b)),
            StmtKind::Call { reads, writes, .. } => (reads, writes),
            StmtKind::Assign { .. }
            | StmtKind::Reduce { .. }
            | StmtKind::For(_)
            | StmtKind::While(_)
            | StmtKind::If { .. }
            | StmtKind::Scope { .. }
            | StmtKind::Fork { .. }
            | StmtKind::Check { .. }
            | StmtKind::Guarded { .. } => (&[], &[]),
        };
        first.iter().chain(second).copied()
    }

    /// The buffers that the statement itself writes, and those that it reads as a whole.
    pub fn touches(&self) -> impl Iterator<Item = BufferId> + '_ {
        self.as_store().map(|(target, _)| target.buffer).into_iter().chain(self.whole())
    }

    /// The buffers that it declares.
    pub fn declares(&self) -> &[BufferId] {
        self.as_scope().map_or(&[], |(buffers, _)| buffers)
    }

    /// Whether nothing is known of the statement but which buffers it is given: a call.
    pub fn is_opaque(&self) -> bool {
        matches!(self.kind, StmtKind::Call { .. })
    }

    /// The buffers that a call reads.
    pub fn given(&self) -> &[BufferId] {
        if let StmtKind::Call { reads, .. } = &self.kind { reads } else { &[] }
    }

    /// The buffers that the statement itself names outside of expressions, to be renamed: targets, those of exchanges and
    /// calls, those that it declares.
    pub fn buffers_mut(&mut self) -> Vec<&mut BufferId> {
        match &mut self.kind {
            StmtKind::Assign { target, .. } | StmtKind::Reduce { target, .. } => vec![&mut target.buffer],
            StmtKind::Swap { a, b } => vec![a, b],
            StmtKind::Call { reads, writes, .. } => reads.iter_mut().chain(writes).collect(),
            StmtKind::Scope { buffers, .. } => buffers.iter_mut().collect(),
            StmtKind::For(_)
            | StmtKind::While(_)
            | StmtKind::If { .. }
            | StmtKind::Fork { .. }
            | StmtKind::Check { .. }
            | StmtKind::Guarded { .. } => Vec::new(),
        }
    }

    /// The iterator or counter of the loop that it is, to be renamed.
    pub fn iter_mut(&mut self) -> Option<&mut IterId> {
        match &mut self.kind {
            StmtKind::For(each) => Some(&mut each.iter),
            StmtKind::While(each) => Some(&mut each.counter),
            _ => None,
        }
    }

    /// The expressions that the statement itself evaluates, extents of the buffers of a `Scope` included.
    pub fn evaluates<'a>(&'a self, program: &'a Program) -> Vec<&'a Expr> {
        let mut all = Vec::new();
        self.each_evaluated(program, &mut |expr| all.push(expr));
        all
    }

    /// Calls `visit` on each of these expressions.
    pub fn each_evaluated<'a>(&'a self, program: &'a Program, visit: &mut dyn FnMut(&'a Expr)) {
        match &self.kind {
            StmtKind::Scope { buffers, .. } => {
                buffers.iter().for_each(|&buffer| program[buffer].dims.iter().for_each(&mut *visit));
            }
            _ => self.each_expr(visit),
        }
    }
}

/// What statements read and write.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    /// What they may read, extents of the buffers that they declare included.
    pub reads: BufferSet,
    /// What they may write.
    pub writes: BufferSet,
}

impl Effects {
    /// Of statements.
    pub fn of(program: &Program, block: &[Stmt]) -> Effects {
        let mut effects = Effects::default();
        walk(block, &mut |stmt| {
            let Effects { reads, writes } = &mut effects;
            stmt.each_evaluated(program, &mut |expr| expr.reads(program, &mut |read| _ = reads.insert(read)));
            reads.extend(stmt.given().iter().copied());
            stmt.writes_itself(&mut |written| _ = writes.insert(written));
        });
        effects
    }

    /// Takes in others.
    pub fn join(&mut self, other: &Effects) {
        self.reads.union(&other.reads);
        self.writes.union(&other.writes);
    }

    /// The same on other buffers.
    pub fn without(mut self, buffers: &[BufferId]) -> Effects {
        for &buffer in buffers {
            self.reads.remove(buffer);
            self.writes.remove(buffer);
        }
        self
    }

    /// Whether one of the two writes what the other touches.
    pub fn conflicts(&self, other: &Effects) -> bool {
        self.writes.meets(&other.writes) || self.writes.meets(&other.reads) || self.reads.meets(&other.writes)
    }
}

/// What statements mention: what they may read or write, or ask the extent of.
pub fn mentioned(program: &Program, block: &[Stmt]) -> BufferSet {
    let mut set = BufferSet::new();
    let mut add = |stmt: &Stmt| {
        stmt.each_evaluated(program, &mut |expr| {
            expr.each_named(&mut |buffer| _ = set.insert(buffer));
        });
        stmt.given().iter().for_each(|&buffer| _ = set.insert(buffer));
        stmt.writes_itself(&mut |buffer| _ = set.insert(buffer));
    };
    walk(block, &mut add);
    set
}

/// Which iteration of a loop alone does something, if it has it, and what: the loop consists of a condition that compares the
/// iterator with what no iteration changes.
pub fn only_iteration<'a>(program: &Program, each: &'a For) -> Option<(&'a Expr, &'a [Stmt])> {
    let [only] = &each.body[..] else { return None };
    let (cond, then, els) = only.as_if()?;
    let ExprKind::Binary(BinOp::Eq, a, b) = &cond.kind else { return None };
    let iter = ExprKind::Iter(each.iter);
    let at = match (a.kind == iter, b.kind == iter) {
        (true, false) => b,
        (false, true) => a,
        _ => return None,
    };
    let is_fixed = !at.mentions(each.iter) && at.is_total() && !at.reads_any(program, &written(then));
    (els.is_empty() && is_fixed).then_some((&**at, &**then))
}

/// The buffers that the scopes of a block declare.
pub fn declared(block: &[Stmt]) -> BufferSet {
    let mut set = BufferSet::new();
    walk(block, &mut |stmt| set.extend(stmt.declares().iter().copied()));
    set
}

/// What a block may write.
pub fn written(block: &[Stmt]) -> BufferSet {
    let mut set = BufferSet::new();
    walk(block, &mut |stmt| stmt.writes_itself(&mut |buffer| _ = set.insert(buffer)));
    set
}
