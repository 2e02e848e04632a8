//! Statements to tokens.

use super::emitter::{Emitter, Mentions};
use super::expr::{CAST, is_untyped};
use super::storage::Storage;
use super::{Code, code, literal, task};
use crate::ir::{
    BinOp, Block, BufferId, Callee, Expr, ExprKind, For, Layout, Message, Order, Place, ReduceOp, Role, Stmt,
    StmtKind, Ty, UnOp, While,
};
use crate::map::Map;
use std::rc::Rc;

/// A block with the scopes that need no braces dissolved into declarations.
enum Item<'a> {
    Declare(BufferId),
    Stmt(&'a Stmt),
}

impl<'a> Item<'a> {
    fn stmt(&self) -> Option<&'a Stmt> {
        match self {
            Item::Stmt(stmt) => Some(stmt),
            Item::Declare(_) => None,
        }
    }
}

impl Emitter<'_> {
    /// The statements of a block, without braces; what the last scope declares lives to the end of the block.
    pub(super) fn block(&self, block: &Block) -> Code {
        let mut items = Vec::new();
        self.flatten(block, true, &mut items);
        self.closed(&items)
    }

    /// The statements of a function's body; the scalars that it returns are declared among them. Its memory ends with the arena.
    pub(super) fn function(&self, results: &[BufferId], block: &Block) -> Code {
        let mut items: Vec<Item> = results.iter().map(|result| Item::Declare(*result)).collect();
        self.flatten(block, true, &mut items);
        self.items(&items)
    }

    /// Statements with what they declare, whose memory ends behind them.
    fn closed(&self, items: &[Item<'_>]) -> Code {
        let left = items.iter().rev().filter_map(|item| match item {
            Item::Declare(buffer) if !self.hoisted.contains(buffer) => Some(self.leave(*buffer)),
            _ => None,
        });
        let (stmts, left) = (self.items(items), left.collect::<Code>());
        code!(#stmts #left)
    }

    /// Names are unique in the whole function, so a scope needs braces only where it frees memory before the
    /// statements behind it.
    fn flatten<'b>(&self, block: &'b Block, last: bool, items: &mut Vec<Item<'b>>) {
        for (at, stmt) in block.iter().enumerate() {
            let last = last && at + 1 == block.len();
            match stmt.as_scope() {
                Some((buffers, body))
                    if last
                        || buffers
                            .iter()
                            .all(|buffer| !matches!(self.storage(*buffer), Storage::Heap { .. })) =>
                {
                    items.extend(self.declared(buffers));
                    self.flatten(body, last, items);
                }
                _ => items.push(Item::Stmt(stmt)),
            }
        }
    }

    /// A local is declared by its first assignment where that stands in the same block and is the first mention; an
    /// array by the loops that fill it with a constant.
    fn items(&self, items: &[Item<'_>]) -> Code {
        let mut undecided: Map<BufferId, usize> = Map::default();
        // a declaration that is made by the statement of this number, and what it starts with
        let mut first: Map<usize, (usize, &Expr)> = Map::default();
        let mut declares: Map<usize, BufferId> = Map::default();
        for (at, item) in items.iter().enumerate() {
            if let Item::Stmt(stmt) = item
                && let Some((buffer, value)) = self.initial(stmt)
                && let Some(declaration) = undecided.remove(&buffer)
            {
                first.insert(declaration, (at, value));
                declares.insert(at, buffer);
            }
            if !undecided.is_empty() {
                let mentioned = match item {
                    Item::Declare(buffer) => {
                        let mut mentions = Mentions::default();
                        let dims = &self.program[*buffer].dims;
                        dims.iter().for_each(|extent| mentions.add_expr(self.program, extent));
                        Rc::new(mentions.buffers)
                    }
                    Item::Stmt(stmt) => self.mentioned(stmt),
                };
                undecided.retain(|&buffer, _| !mentioned.contains(buffer));
            }
            if let Item::Declare(buffer) = item {
                undecided.insert(*buffer, at);
            }
        }
        let stmts: Vec<Option<&Stmt>> = items.iter().map(Item::stmt).collect();
        let rows = self.rows_among(&stmts);
        let written = |at: usize, item: &Item<'_>| match item {
            Item::Declare(buffer) if self.hoisted.contains(buffer) => self.enter(*buffer),
            Item::Declare(buffer) => match (first.get(&at), self.storage(*buffer)) {
                (Some(_), Storage::Scalar { .. }) => code!(),
                (Some((_, value)), _) => self.declare(*buffer, Some(value)),
                (None, _) => self.declare(*buffer, None),
            },
            Item::Stmt(stmt) => match declares.get(&at) {
                Some(buffer) => {
                    stmt.as_assign().map_or(code!(), |(_, value)| self.declare_with(*buffer, value))
                }
                None => self.sum_in_row(&rows, at, stmt).unwrap_or_else(|| self.stmt(stmt)),
            },
        };
        let tokens = items.iter().enumerate().map(|(at, item)| {
            let (read, written) = (self.open_rows(&rows, at), written(at, item));
            self.close_rows(&rows, at);
            code!(#read #written)
        });
        tokens.collect()
    }

    /// What a statement makes a whole local hold, whatever it held before: `t = value` of a scalar, or loops over all
    /// elements of an array that assign one constant.
    fn initial<'b>(&self, stmt: &'b Stmt) -> Option<(BufferId, &'b Expr)> {
        if let Some((target, value)) = stmt.as_assign() {
            let mut mentions = Mentions::default();
            mentions.add_expr(self.program, value);
            let scalar = matches!(self.storage(target.buffer), Storage::Scalar { .. });
            return (scalar && !mentions.buffers.contains(target.buffer)).then_some((target.buffer, value));
        }
        let mut loops = Vec::new();
        let mut stmt = stmt;
        while let Some(it) = stmt.as_for() {
            loops.push(it);
            let [inner] = &it.body[..] else { return None };
            stmt = inner;
        }
        let (target, value) = stmt.as_assign()?;
        let array = &self.program[target.buffer];
        let local = match self.storage(target.buffer) {
            Storage::Stack { .. } | Storage::Heap { grows: false, .. } => {
                array.layout == Layout::RowMajor && !self.hoisted.contains(&target.buffer)
            }
            _ => false,
        };
        let constant = matches!(value.kind, ExprKind::Float(_) | ExprKind::Int(_) | ExprKind::Bool(_));
        let all = loops.len() == array.rank()
            && loops.iter().enumerate().all(|(dim, it)| {
                let whole = it.hi == array.dims[dim] || it.hi == Expr::extent(target.buffer, dim);
                let unit = it.lo.as_usize() == Some(0) && it.step.as_usize() == Some(1);
                let index = &target.index[dim].kind;
                whole && unit && !it.inclusive && matches!(index, ExprKind::Iter(iter) if *iter == it.iter)
            });
        (local && constant && all).then_some((target.buffer, value))
    }

    /// A scalar that is declared by its first assignment.
    fn declare_with(&self, buffer: BufferId, value: &Expr) -> Code {
        let name = self.storage(buffer).name();
        let ty = literal::ty(self.program[buffer].elem);
        let mutable = if self.writes(buffer) > 1 { code!(mut) } else { code!() };
        let value = self.typed(value);
        code!(let #mutable #name: #ty = #value;)
    }

    fn stmt(&self, stmt: &Stmt) -> Code {
        match &stmt.kind {
            StmtKind::For(it) => self.any_loop(it),
            StmtKind::While(While { counter, head, cond, body, .. }) => {
                let counter = self.iter(*counter);
                let mut items = Vec::new();
                self.flatten(head, false, &mut items);
                let (head, stop, body) = (self.items(&items), self.negated(cond), self.block(body));
                code!(for #counter in 0_usize.. { #head if #stop { break; } #body })
            }
            StmtKind::If { cond, then, els } | StmtKind::Guarded { fact: cond, then, els } => {
                self.branch(cond, then, els)
            }
            StmtKind::Assign { target, value } => self.assign(target, value),
            StmtKind::Reduce { op, target, value, .. } => self.reduce(*op, target, value),
            StmtKind::Scope { body, buffers } => {
                let mut items = self.declared(buffers);
                self.flatten(body, true, &mut items);
                let body = self.closed(&items);
                code!({ #body })
            }
            StmtKind::Swap { a, b } => self.swap(*a, *b),
            StmtKind::Fork { tasks } => {
                let tasks = tasks.iter().map(|task| self.block(task)).map(|task| code!({ #task }));
                code!(#(#tasks)*)
            }
            StmtKind::Check { cond, message } => {
                let line = self.line(stmt.origin.span);
                self.check(cond, message, &line)
            }
            StmtKind::Call { callee: Callee::Product(product), reads, .. } => self.product(product, reads),
            StmtKind::Call { callee: Callee::Reserve(rows), writes, .. } => self.reach(rows, writes),
            StmtKind::Call { callee: Callee::Communication(it), reads, writes } => {
                self.communication(it, reads, writes)
            }
            StmtKind::Call { callee: Callee::Seam, .. } => self.seam(),
            StmtKind::Call { callee: Callee::User(call), reads, writes } => {
                self.user_call(call, reads, writes)
            }
            // refused before emission
            StmtKind::Call { .. } => code!(),
        }
    }

    /// A loop of tasks, in vectors, or as it is.
    pub(super) fn any_loop(&self, it: &For) -> Code {
        match task::is_task_loop(self, it) {
            true => self.task_loop(it),
            false => {
                let special = self.lane_loop(it).or_else(|| self.row_ahead(it));
                special.unwrap_or_else(|| self.counted_loop(it))
            }
        }
    }

    /// The buffers of a scope that are variables.
    fn declared<'b>(&self, buffers: &[BufferId]) -> Vec<Item<'b>> {
        let variables = buffers.iter().filter(|&&buffer| self.program[buffer].role != Role::Wire);
        variables.map(|buffer| Item::Declare(*buffer)).collect()
    }

    fn branch(&self, cond: &Expr, then: &Block, els: &Block) -> Code {
        if then.is_empty() && !els.is_empty() {
            let (cond, els) = (self.negated(cond), self.block(els));
            return code!(if #cond { #els });
        }
        let (cond, then) = (self.untyped(cond), self.block(then));
        let next = match &els[..] {
            [] => return code!(if #cond { #then }),
            [only] => only.as_if().filter(|(_, second, rest)| !second.is_empty() || rest.is_empty()),
            _ => None,
        };
        if let Some((next, second, rest)) = next {
            let rest = self.branch(next, second, rest);
            code!(if #cond { #then } else #rest)
        } else {
            let els = self.block(els);
            code!(if #cond { #then } else { #els })
        }
    }

    /// `Order::Down` visits the values of `step_by` from the last, which std does where the number of values is an
    /// exact size; elsewhere the runtime counts.
    fn counted_loop(&self, it: &For) -> Code {
        let (name, values, body) = (self.iter(it.iter), self.values(it), self.block(&it.body));
        code!(for #name in #values { #body })
    }

    /// The values of a loop's iterator.
    pub(super) fn values(&self, it: &For) -> Code {
        let runtime = &self.runtime;
        // one of the two says the type
        let lo_typed = is_untyped(&it.lo);
        let lo = self.operand(&it.lo, CAST, lo_typed);
        let hi = self.operand(&it.hi, CAST, !is_untyped(&it.lo));
        let range = if it.inclusive { code!(#lo..=#hi) } else { code!(#lo..#hi) };
        let unit = it.step.as_usize() == Some(1);
        let exact = self.program[it.iter].ty == Ty::USIZE && !it.inclusive;
        let step = self.typed(&it.step);
        match it.order {
            Order::Up if unit => range,
            Order::Up => code!((#range).step_by(#step)),
            Order::Down if unit => code!((#range).rev()),
            Order::Down if exact => code!((#range).step_by(#step).rev()),
            Order::Down => {
                let first = self.operand(&it.lo, CAST, lo_typed);
                let bound = self.operand(&it.hi, CAST, !is_untyped(&it.lo));
                match it.inclusive {
                    true => code!(#runtime::strided_down_inclusive(#first, #bound, #step)),
                    false => code!(#runtime::strided_down(#first, #bound, #step)),
                }
            }
        }
    }

    /// `target op value` with the target as a place that can be written.
    fn write(&self, target: &Place, update: impl Fn(Code) -> Code) -> Code {
        let Storage::Heap { name, grows: true, .. } = self.storage(target.buffer) else {
            return update(self.place(target));
        };
        let position = self.position(target);
        let index = self.typed(&position);
        let mut mentions = Mentions::default();
        mentions.add_expr(self.program, &position);
        if mentions.buffers.contains(target.buffer) {
            let position = &self.position;
            let update = update(code!(*#name.slot(#position)));
            return code!({ let #position: usize = #index; #update });
        }
        update(code!(*#name.slot(#index)))
    }

    /// Room for rows of an array that has more of them from now on.
    fn reach(&self, rows: &Expr, writes: &[BufferId]) -> Code {
        let rows = self.typed(rows);
        let reached = writes.iter().map(|&array| {
            let mut lengths =
                (1..self.program[array].rank()).map(|dim| self.typed(&Expr::extent(array, dim)));
            let first = lengths.next().unwrap_or_else(|| code!(1));
            let row = lengths.fold(first, |row, length| code!(usize::saturating_mul(#row, #length)));
            let name = self.storage(array).name();
            code!(#name.reach(#rows, #row);)
        });
        reached.collect()
    }

    pub(super) fn assign(&self, target: &Place, value: &Expr) -> Code {
        if let ExprKind::Binary(op, before, by) = &value.kind
            && matches!(&before.kind, ExprKind::Load(place) if place == target)
            && let Some(update) = compound(*op)
        {
            let shift = matches!(op, BinOp::Shl | BinOp::Shr);
            let by = if shift { self.untyped(by) } else { self.typed(by) };
            return self.write(target, |target| code!(#target #update #by;));
        }
        let value = self.typed(value);
        self.write(target, |target| code!(#target = #value;))
    }

    pub(super) fn reduce(&self, op: ReduceOp, target: &Place, value: &Expr) -> Code {
        match (op, &value.kind) {
            // exact for floats; for integers the negation might overflow where the difference does not
            (ReduceOp::Add, ExprKind::Unary(UnOp::Neg, value)) if value.ty.is_float() => {
                let value = self.typed(value);
                self.write(target, |target| code!(#target -= #value;))
            }
            (ReduceOp::Add, _) => {
                let value = self.typed(value);
                self.write(target, |target| code!(#target += #value;))
            }
            (ReduceOp::Min | ReduceOp::Max, _) => {
                let value = self.typed(value);
                let before = match self.storage(target.buffer) {
                    Storage::Scalar { reference: true, .. }
                    | Storage::Flat { disjoint: true, .. }
                    | Storage::Records { disjoint: true, .. } => {
                        let place = self.place(target);
                        code!((#place))
                    }
                    _ => self.place(target),
                };
                let value = match op {
                    ReduceOp::Min => code!(#before.min(#value)),
                    _ => code!(#before.max(#value)),
                };
                self.write(target, |target| code!(#target = #value;))
            }
        }
    }

    fn swap(&self, a: BufferId, b: BufferId) -> Code {
        let (first, second) = (self.storage(a), self.storage(b));
        let (a, b) = (first.name(), second.name());
        match (first, second) {
            (Storage::Host { .. }, _) | (_, Storage::Host { .. }) => {
                code!(#a[..].swap_with_slice(&mut #b[..]);)
            }
            _ => {
                let [a, b] = [first, second].map(|storage| match storage {
                    Storage::Scalar { name, reference: true } => code!(#name),
                    storage => {
                        let name = storage.name();
                        code!(&mut #name)
                    }
                });
                code!(::core::mem::swap(#a, #b);)
            }
        }
    }

    pub(super) fn check(&self, cond: &Expr, message: &Message, line: &Code) -> Code {
        let (runtime, function) = (&self.runtime, &self.function);
        let negated = || self.negated(cond);
        let size = |expr: &Expr| match expr.ty {
            Ty::USIZE => self.typed(expr),
            _ => {
                let operand = self.operand(expr, CAST + 1, false);
                code!(#operand as usize)
            }
        };
        match message {
            Message::Bounds { array, access, index, len } if is_below(cond, index, len) => {
                let (array, access) = (self.string(array), self.string(access));
                let (index, len) = (self.typed(index), self.typed(len));
                let site = code!(&#runtime::access::Site(#function, #array, #access));
                code!(#runtime::access::in_range(#index, #len, #line, #site);)
            }
            Message::Bounds { array, access, index, len } => {
                let (array, access) = (self.string(array), self.string(access));
                let (index, len) = (size(index), size(len));
                let negated = negated();
                code!(if #negated { #runtime::out_of_range(#function, #array, #access, #line, #index, #len) })
            }
            Message::Slice { array, access, start, end, len } => {
                let (array, access) = (self.string(array), self.string(access));
                let (start, end, len) = (size(start), size(end), size(len));
                let negated = negated();
                code!(if #negated {
                    #runtime::slice_out_of_range(#function, #array, #access, #line, [#start, #end], #len)
                })
            }
            Message::Text(text) => {
                let text = literal::string(text);
                let negated = negated();
                code!(if #negated { #runtime::failed(#function, #text, #line) })
            }
        }
    }
}

/// Whether the condition is `index < len` of `usize`.
pub(super) fn is_below(cond: &Expr, index: &Expr, len: &Expr) -> bool {
    let ExprKind::Binary(BinOp::Lt, lhs, rhs) = &cond.kind else { return false };
    **lhs == *index && **rhs == *len && index.ty == Ty::USIZE
}

/// `x = x op e` is written `x op= e`.
fn compound(op: BinOp) -> Option<Code> {
    Some(match op {
        BinOp::Add => code!(+=),
        BinOp::Sub => code!(-=),
        BinOp::Mul => code!(*=),
        BinOp::Div => code!(/=),
        BinOp::Rem => code!(%=),
        BinOp::BitAnd => code!(&=),
        BinOp::BitOr => code!(|=),
        BinOp::BitXor => code!(^=),
        BinOp::Shl => code!(<<=),
        BinOp::Shr => code!(>>=),
        _ => return None,
    })
}
