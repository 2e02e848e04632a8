//! Statements of lanes.

use super::rows::address;
use super::{Context, Declared, Lanes};
use crate::backend::rust::storage::Storage;
use crate::backend::rust::{Code, code, literal};
use crate::ir::{BinOp, Block, BufferId, Expr, ExprKind, Place, ReduceOp, Stmt, StmtKind, Ty, UnOp};

impl Lanes<'_, '_> {
    /// Whether every statement has a vector form.
    pub(super) fn supported(&self) -> bool {
        let mut supported = true;
        for stmt in &self.it.body {
            stmt.walk(&mut |stmt| {
                supported &= match &stmt.kind {
                    // one element that every iteration overwrites is no lane loop's
                    StmtKind::Assign { target, .. } => self.is_local(target) || self.index_varies(target),
                    StmtKind::Reduce { target, .. } => {
                        !self.own.contains(target.buffer) || self.is_local(target)
                    }
                    StmtKind::Scope { buffers, .. } => {
                        buffers.iter().all(|buffer| self.is_local(&Place::scalar(*buffer)))
                    }
                    StmtKind::If { .. } | StmtKind::Guarded { .. } => true,
                    StmtKind::For(_) | StmtKind::Check { .. } => true,
                    StmtKind::While(_)
                    | StmtKind::Swap { .. }
                    | StmtKind::Fork { .. }
                    | StmtKind::Call { .. } => false,
                };
            });
        }
        supported
    }

    /// The statements of a block, each for all copies of the body before the next one: what the copies have in common,
    /// and the headers of the loops in it, is there once. Lanes do not depend on each other, so neither do copies.
    pub(super) fn block(&self, block: &Block, copies: &[Context]) -> Code {
        self.find_rows(block);
        let known = self.positions.borrow().len();
        let stmts = self.stmts(block, copies);
        // the names of the block
        self.positions.borrow_mut().truncate(known);
        stmts
    }

    fn stmts(&self, block: &Block, copies: &[Context]) -> Code {
        block.iter().map(|stmt| self.stmt(stmt, copies)).collect()
    }

    fn stmt(&self, stmt: &Stmt, copies: &[Context]) -> Code {
        match &stmt.kind {
            StmtKind::Scope { buffers, body } => {
                let initial = self.initial_assignments(buffers, body);
                let later = buffers.iter().filter(|buffer| !initial.contains(buffer));
                let declarations = later.flat_map(|buffer| {
                    let copies = if self.varying.contains(*buffer) { copies } else { &copies[..1] };
                    copies.iter().map(|context| self.declare(*buffer, context))
                });
                let declarations: Code = declarations.collect();
                let body = self.stmts(body, copies);
                code!(#declarations #body)
            }
            StmtKind::If { cond, then, els } | StmtKind::Guarded { fact: cond, then, els } => {
                let rows = self.rows_before(stmt, copies);
                let branch = self.branch(cond, then, els, copies);
                code!(#rows #branch)
            }
            StmtKind::For(it) => self.inner_loop(it, copies),
            StmtKind::Assign { target, .. } | StmtKind::Reduce { target, .. } => {
                let uniform = self.own.contains(target.buffer) && !self.varying.contains(target.buffer);
                let copies = if uniform { &copies[..1] } else { copies };
                copies.iter().map(|context| self.update(stmt, context)).collect()
            }
            StmtKind::Check { cond, message } => {
                let line = self.emitter.line(stmt.origin.span);
                copies.iter().map(|context| self.check(cond, message, &line, context)).collect()
            }
            // without a vector form: refused before
            StmtKind::While(_) | StmtKind::Swap { .. } | StmtKind::Fork { .. } | StmtKind::Call { .. } => {
                code!()
            }
        }
    }

    /// Locals that are declared by their first mention, which assigns to them in every lane of the scope; the statement
    /// is noted.
    fn initial_assignments(&self, buffers: &[BufferId], body: &Block) -> Vec<BufferId> {
        let scalar = |buffer: &BufferId| {
            let storage = self.emitter.storage(*buffer);
            self.varying.contains(*buffer) && matches!(storage, Storage::Scalar { .. })
        };
        let mut undecided: Vec<BufferId> = buffers.iter().copied().filter(scalar).collect();
        let mut initial = Vec::new();
        for stmt in body {
            if undecided.is_empty() {
                break;
            }
            let mentions = self.emitter.mentioned(stmt);
            if let Some((target, value)) = stmt.as_assign()
                && undecided.contains(&target.buffer)
                && !reads(value, target.buffer)
            {
                initial.push(target.buffer);
                self.initial.borrow_mut().insert(address(stmt));
            }
            undecided.retain(|&buffer| !mentions.contains(buffer));
        }
        initial
    }

    fn update(&self, stmt: &Stmt, context: &Context) -> Code {
        self.here.set(address(stmt));
        let update = match (stmt.as_assign(), stmt.as_update()) {
            (Some((target, value)), _) => self.assign(target, value, context),
            (_, Some(it)) => self.reduce(it.op, it.target, it.value, context),
            (None, None) => code!(),
        };
        self.here.set(0);
        let prelude = self.prelude.take();
        code!(#prelude #update)
    }

    fn declare(&self, buffer: BufferId, context: &Context) -> Code {
        if !self.varying.contains(buffer) {
            return self.emitter.declare(buffer, None);
        }
        self.note_declared(buffer, context, false);
        let elem = self.emitter.program[buffer].elem;
        let ty = self.ty(elem);
        let zero = crate::backend::rust::storage::suffixed_zero(elem);
        let zero = if elem.is_int() { code!([#zero; 8]) } else { code!(#ty::splat(#zero)) };
        let name = self.local(buffer, context.part);
        match self.emitter.storage(buffer) {
            Storage::Stack { elements, .. } => {
                let elements = literal::usize(*elements);
                code!(let mut #name = [#zero; #elements];)
            }
            _ => code!(let mut #name: #ty = #zero;),
        }
    }

    fn note_declared(&self, buffer: BufferId, context: &Context, has_value: bool) {
        let (part, mask, depth) = (context.part, context.mask.clone(), self.depth.get());
        self.declared.borrow_mut().push(Declared { buffer, part, mask, depth, has_value });
    }

    /// Whether what is written to lanes that are not active is not seen: every lane that is active now was so when the
    /// local was declared, and the other way round; or no lane has a value yet, because this is the first assignment and
    /// no loop repeats it; or no lane that is not active ever has one, because no other statement writes the local and the
    /// active lanes have been the same since it was declared, however often loops repeat the statement (a masked store,
    /// which the compiler behind us makes of a choice in memory, is microcode on some processors). A lane without a value
    /// is not read: programs assign before they read.
    fn owns_all_lanes(&self, target: &Place, ty: Ty, context: &Context) -> bool {
        let mut declared = self.declared.borrow_mut();
        let same = |it: &&mut Declared| it.buffer == target.buffer && it.part == context.part;
        let Some(local) = declared.iter_mut().rev().find(same) else { return context.mask.is_none() };
        let first = !local.has_value && local.depth == self.depth.get();
        let alone = self.emitter.writes(target.buffer) == 1 && context.made_in <= local.depth;
        local.has_value = true;
        context.mask.is_none()
            || local.mask == context.mask
            || (alone || first && target.index.is_empty()) && ty.is_float()
    }

    fn assign(&self, target: &Place, value: &Expr, context: &Context) -> Code {
        if !self.own.contains(target.buffer) {
            let with_others = self.row_set(target, value, context);
            return with_others.unwrap_or_else(|| self.store(target, value, context));
        }
        if !self.varying.contains(target.buffer) {
            return self.emitter.assign(target, value);
        }
        if self.index_varies(target) {
            return self.each_local(target, value, context, |_, value| value.clone());
        }
        let new = self.value(value, context);
        if self.initial.borrow().contains(&self.here.get()) {
            self.note_declared(target.buffer, context, true);
            let (name, ty) = (self.local(target.buffer, context.part), self.ty(value.ty));
            let mutable = if self.emitter.writes(target.buffer) > 1 { code!(mut) } else { code!() };
            return code!(let #mutable #name: #ty = #new;);
        }
        self.write_local(target, value.ty, &new, context)
    }

    /// `target = new` in the active lanes.
    pub(super) fn write_local(&self, target: &Place, ty: Ty, new: &Code, context: &Context) -> Code {
        let element = self.local_element(target, context);
        let all = self.owns_all_lanes(target, ty, context);
        let Some(mask) = context.mask.as_ref().filter(|_| !all) else { return code!(#element = #new;) };
        let runtime = &self.emitter.runtime;
        let vector = self.ty(ty);
        match ty {
            Ty::Bool => code!(#element = (#mask & (#new)) | (!#mask & #element);),
            Ty::Int(_) => code!(#element = #runtime::simd::select_array(#mask, #new, #element);),
            Ty::Float(_) => code!(#element = #vector::select(#mask, #new, #element);),
        }
    }

    fn reduce(&self, op: ReduceOp, target: &Place, value: &Expr, context: &Context) -> Code {
        let own = self.own.contains(target.buffer);
        if own && !self.varying.contains(target.buffer) {
            return self.emitter.reduce(op, target, value);
        }
        if own && !self.index_varies(target) && value.ty.is_float() {
            let element = self.local_element(target, context);
            let new = self.combined(op, &element, value, context);
            return self.write_local(target, value.ty, &new, context);
        }
        if own {
            return self.each_local(target, value, context, |old, value| scalar(op, old, value));
        }
        if !self.index_varies(target) {
            return self.sum(op, target, value, context);
        }
        if let Some(update) = self.row_sum(target, value, context) {
            return update;
        }
        if let Some(update) = self.update_members(target, value, context, |old, value| scalar(op, old, value))
        {
            return update;
        }
        let reach = self.reach(target, context);
        if value.ty.is_float()
            && matches!(reach, super::access::Reach::Run(_) | super::access::Reach::Consecutive(_))
        {
            let old = self.load(target, value.ty, context);
            let new = self.combined(op, &old, value, context);
            return self.store_vector(target, &reach, &new, context);
        }
        let ty = literal::ty(value.ty);
        let update = match op {
            ReduceOp::Add => code!(::core::ops::Add::add),
            ReduceOp::Min => code!(<#ty>::min),
            ReduceOp::Max => code!(<#ty>::max),
        };
        self.each(target, reach, value, context, &update)
    }

    /// `old op value` of floats; the sum of a product is fused where the machine does that in one instruction, if the
    /// program allows it.
    pub(super) fn combined(&self, op: ReduceOp, old: &Code, value: &Expr, context: &Context) -> Code {
        let (runtime, fuses) = (&self.emitter.runtime, self.emitter.program.fuses);
        match (op, &value.kind) {
            (ReduceOp::Add, ExprKind::Binary(BinOp::Mul, lhs, rhs)) if fuses => {
                let (lhs, rhs) = (self.value(lhs, context), self.value(rhs, context));
                code!(#runtime::math::mul_add(#lhs, #rhs, #old))
            }
            (ReduceOp::Add, ExprKind::Unary(UnOp::Neg, negated)) => match &negated.kind {
                ExprKind::Binary(BinOp::Mul, lhs, rhs) if fuses => {
                    let lhs = Expr::unary(UnOp::Neg, (**lhs).clone());
                    let (lhs, rhs) = (self.value(&lhs, context), self.value(rhs, context));
                    code!(#runtime::math::mul_add(#lhs, #rhs, #old))
                }
                _ => {
                    let value = self.value(negated, context);
                    code!(#old - (#value))
                }
            },
            _ => {
                let value = self.value(value, context);
                match op {
                    ReduceOp::Add => code!(#old + (#value)),
                    ReduceOp::Min => code!(#runtime::math::min(#old, #value)),
                    ReduceOp::Max => code!(#runtime::math::max(#old, #value)),
                }
            }
        }
    }

    /// Updates a local of lanes, lane after lane.
    fn each_local(
        &self,
        target: &Place,
        value: &Expr,
        context: &Context,
        update: impl Fn(&Code, &Code) -> Code,
    ) -> Code {
        let name = self.local(target.buffer, context.part);
        let runtime = &self.emitter.runtime;
        let values = self.array(value, context);
        let [lane, positions, all, element, updated, old, here] =
            ["lane", "index", "values", "element", "updated", "old", "here"].map(|word| self.name(word));
        let (place, index) = if target.index.is_empty() {
            (code!(#name), code!())
        } else {
            let index = self.array(&self.emitter.position(target), context);
            (code!(#name[#positions[#lane]]), code!(let #positions: [usize; 8] = #index;))
        };
        let active = context.mask.as_ref().map_or_else(|| code!(true), |mask| code!(#mask.get(#lane)));
        let new = update(&code!(#element), &code!(#all[#lane]));
        let (read, write) = match value.ty {
            Ty::Int(_) => (code!(#place[#lane]), code!(#place[#lane] = #updated;)),
            ty => {
                let ty = self.ty(ty);
                (
                    code!(#place.get(#lane)),
                    code! {
                        #place = #ty::from_array(#runtime::simd::map2(
                            [0, 1, 2, 3, 4, 5, 6, 7],
                            #place.to_array(),
                            |#here: usize, #old| if #here == #lane { #updated } else { #old }
                        ));
                    },
                )
            }
        };
        code! {{
            let #all = #values;
            #index
            for #lane in 0..8_usize {
                if #active {
                    let #element = #read;
                    let #updated = #new;
                    #write
                }
            }
        }}
    }
}

/// Whether the value is made of the buffer's.
fn reads(value: &Expr, buffer: BufferId) -> bool {
    value.any(&mut |expr| matches!(&expr.kind, ExprKind::Load(place) if place.buffer == buffer))
}

/// `old op value` of scalars.
pub(super) fn scalar(op: ReduceOp, old: &Code, value: &Code) -> Code {
    match op {
        ReduceOp::Add => code!(#old + #value),
        ReduceOp::Min => code!(#old.min(#value)),
        ReduceOp::Max => code!(#old.max(#value)),
    }
}
