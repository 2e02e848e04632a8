//! Conditions, loops and checks of lanes.

use super::{Context, Lanes};
use crate::backend::rust::stmt::is_below;
use crate::backend::rust::{Code, code, literal};
use crate::ir::{
    BinOp, Block, Expr, ExprKind, Flavour, For, Func, Message, Order, Place, Stmt, StmtKind, Ty,
};
use crate::limits::{OPERATIONS_OF_A_CHEAP_BLOCK, OPERATIONS_UNDER_A_CONDITION};
use proc_macro2::Ident;

impl Lanes<'_, '_> {
    /// A uniform condition is a condition. Otherwise each arm runs under its mask, or not at all if that is empty.
    pub(super) fn branch(&self, cond: &Expr, then: &Block, els: &Block, copies: &[Context]) -> Code {
        if !self.varies_expr(cond) {
            let inner = sometimes(copies);
            let cond = self.emitter.untyped(cond);
            let (then, els) = (self.block(then, &inner), self.block(els, &inner));
            return if els.is_empty() {
                code!(if #cond { #then })
            } else {
                code!(if #cond { #then } else { #els })
            };
        }
        let copies = copies.iter().map(|context| {
            if let Some(choice) = self.choice(cond, then, els, context) {
                return choice;
            }
            let condition = self.emitter.fresh("condition");
            let value = self.value(cond, context);
            let arms = [(code!(#condition), then), (code!(!#condition), els)].map(|(lanes, block)| {
                if block.is_empty() {
                    return code!();
                }
                self.under(&lanes, block, context)
            });
            let [mut taken, not_taken] = arms;
            // most vectors are whole: which lanes of the last one count is asked where one may be active
            if context.always
                && context.mask.is_some()
                && els.is_empty()
                && !self.is_cheap(then, OPERATIONS_OF_A_CHEAP_BLOCK)
            {
                taken = code!(if #condition.any() { #taken });
            }
            let mask = self.ty(Ty::Bool);
            code!({ let #condition: #mask = #value; #taken #not_taken })
        });
        copies.collect()
    }

    /// Two arms that give one local a value each: the lanes choose, without a mask for each arm.
    fn choice(&self, cond: &Expr, then: &Block, els: &Block, context: &Context) -> Option<Code> {
        let (Some((target, yes)), Some((other, no))) = (only_value(then), only_value(els)) else {
            return None;
        };
        let cheap = |block: &Block| self.is_cheap(block, OPERATIONS_OF_A_CHEAP_BLOCK);
        if target != other || yes.ty.is_int() || !cheap(then) || !cheap(els) {
            return None;
        }
        let chosen = Expr::select(cond.clone(), yes.clone(), no.clone());
        let value = self.value(&chosen, context);
        Some(self.write_local(target, yes.ty, &value, context))
    }

    /// A block in those active lanes that are set in `lanes`, if there are any. What is cheap runs without the question:
    /// where lanes seldom agree, a jump that is foretold wrongly costs more than a few operations that no lane keeps.
    fn under(&self, lanes: &Code, block: &Block, context: &Context) -> Code {
        let (mask, ty) = (self.emitter.fresh("active"), self.ty(Ty::Bool));
        let lanes = match &context.mask {
            None => lanes.clone(),
            Some(outer) => code!(#outer & #lanes),
        };
        let within = context.mask.is_some() && !context.always;
        let idle = self
            .is_cheap(block, if within { OPERATIONS_UNDER_A_CONDITION } else { OPERATIONS_OF_A_CHEAP_BLOCK });
        let (part, made_in) = (context.part, self.depth.get());
        let inner = Context { mask: Some(mask.clone()), always: false, idle, part, made_in };
        let block = self.block(block, std::slice::from_ref(&inner));
        if idle {
            return code!(let #mask: #ty = #lanes; #block);
        }
        code!(let #mask: #ty = #lanes; if #mask.any() { #block })
    }

    /// Whether a block consists of so few operations on values of lanes, sums of all lanes into scalars, and checks that
    /// are the same for all lanes.
    fn is_cheap(&self, block: &Block, most: usize) -> bool {
        let mut operations = 0;
        block.iter().all(|stmt| self.is_cheap_stmt(stmt, &mut operations)) && operations <= most
    }

    fn is_cheap_stmt(&self, stmt: &Stmt, operations: &mut usize) -> bool {
        match &stmt.kind {
            StmtKind::Assign { target, value } => {
                *operations += 1;
                self.is_register(target) && !value.ty.is_int() && is_cheap_value(value, operations)
            }
            StmtKind::Reduce { target, value, .. } => {
                *operations += 1;
                let sum = !self.own.contains(target.buffer) && target.index.is_empty();
                (self.is_register(target) || sum) && value.ty.is_float() && is_cheap_value(value, operations)
            }
            StmtKind::Check { cond, message } => {
                !self.varies_expr(cond) && message.operands().iter().all(|it| !self.varies_expr(it))
            }
            StmtKind::Scope { buffers, body } => {
                buffers.iter().all(|&buffer| self.emitter.program[buffer].rank() == 0)
                    && body.iter().all(|stmt| self.is_cheap_stmt(stmt, operations))
            }
            StmtKind::If { cond, then, els } => {
                *operations += 1;
                is_cheap_value(cond, operations)
                    && then.iter().chain(els).all(|stmt| self.is_cheap_stmt(stmt, operations))
            }
            _ => false,
        }
    }

    fn is_register(&self, place: &Place) -> bool {
        place.index.is_empty() && self.varying.contains(place.buffer)
    }

    /// With uniform bounds the loop is a loop; otherwise it runs as long as some lane does.
    pub(super) fn inner_loop(&self, it: &For, copies: &[Context]) -> Code {
        if self.varying_iters.contains(&it.iter) {
            return copies.iter().map(|context| self.ragged_loop(it, context)).collect();
        }
        let name = self.emitter.iter(it.iter);
        let values = self.emitter.values(it);
        // what a loop does that runs anyway, every iteration of the lanes does
        let inner = if runs_anyway(it) { copies.to_vec() } else { sometimes(copies) };
        let body = self.in_loop(|| self.block(&it.body, &inner));
        code!(for #name in #values { #body })
    }

    fn in_loop(&self, write: impl FnOnce() -> Code) -> Code {
        self.depth.set(self.depth.get() + 1);
        let code = write();
        self.depth.set(self.depth.get() - 1);
        code
    }

    fn ragged_loop(&self, it: &For, context: &Context) -> Code {
        let name = self.emitter.iter(it.iter);
        let runtime = &self.emitter.runtime;
        let [lo, hi, step] = it.bounds().map(|bound| self.array(bound, context));
        let [first, steps, trips, trip] =
            ["first", "steps", "trips", "trip"].map(|base| self.emitter.fresh(base));
        let ty = literal::ty(self.emitter.program[it.iter].ty);
        let [lane, low, high, stride, trip_total, bounds, longest] =
            ["lane", "lo", "hi", "step", "total", "bounds", "longest"].map(|word| self.name(word));
        let trip_count = if it.inclusive {
            code! {
                if #low <= #high {
                    let #longest = #high.abs_diff(#low) as u128 % #stride as u128 == 0;
                    usize::saturating_add(#runtime::trip_count(#low, #high, #stride), #longest as usize)
                } else {
                    0_usize
                }
            }
        } else {
            code!(#runtime::trip_count(#low, #high, #stride))
        };
        let number = match it.order {
            Order::Up => code!(#trip),
            Order::Down => code!(usize::wrapping_sub(#trip_total, 1).wrapping_sub(#trip)),
        };
        let mask = self.ty(Ty::Bool);
        let running = code! {
            #mask::from_array(#runtime::simd::map1(#trips, |#trip_total: usize| #trip < #trip_total))
        };
        let body = self.in_loop(|| self.under(&running, &it.body, context));
        let of_lane = code! {
            |#lane: usize| {
                let (#low, #high, #stride) = (#first[#lane], #bounds[#lane], #steps[#lane]);
                #trip_count
            }
        };
        let counted = match &context.mask {
            None => code!(#runtime::simd::map1([0, 1, 2, 3, 4, 5, 6, 7], #of_lane)),
            Some(mask) => code!(#runtime::simd::map_active(#mask, 0_usize, #of_lane)),
        };
        code! {{
            let (#first, #steps): ([#ty; 8], [usize; 8]) = (#lo, #step);
            let #bounds: [#ty; 8] = #hi;
            let #trips: [usize; 8] = #counted;
            let #longest = #trips.into_iter().fold(0, usize::max);
            for #trip in 0..#longest {
                let #name: [#ty; 8] = #runtime::simd::map2(
                    #runtime::simd::zip(#first, #steps),
                    #trips,
                    |(#low, #stride), #trip_total| #low.wrapping_add(usize::wrapping_mul(#number, #stride) as #ty)
                );
                #body
            }
        }}
    }

    /// Panics if an active lane fails, with the operands of the first one that does.
    pub(super) fn check(&self, cond: &Expr, message: &Message, line: &Code, context: &Context) -> Code {
        let uniform = !self.varies_expr(cond) && message.operands().iter().all(|it| !self.varies_expr(it));
        if uniform {
            let check = self.emitter.check(cond, message, line);
            return match context.mask.as_ref().filter(|_| context.idle) {
                Some(mask) => {
                    let cond = self.emitter.untyped(cond);
                    code!(if !(#cond) && #mask.any() { #check })
                }
                None => check,
            };
        }
        if let Message::Bounds { array, access, index, len } = message
            && is_below(cond, index, len)
        {
            return self.range_check([array, access], index, len, line, context);
        }
        let (runtime, function) = (&self.emitter.runtime, &self.emitter.function);
        let (failed, lane) = (self.emitter.fresh("failed"), self.name("lane"));
        let (part, made_in) = (context.part, self.depth.get());
        let inner = Context { mask: Some(failed.clone()), always: false, idle: false, part, made_in };
        let condition = self.value(cond, context);
        let lanes = match &context.mask {
            None => code!(!(#condition)),
            Some(mask) => code!(#mask & !(#condition)),
        };
        let operand = |expr: &Expr| {
            let lanes = self.array(expr, &inner);
            let cast = if expr.ty == Ty::USIZE { code!() } else { code!(as usize) };
            code!((#lanes)[#lane] #cast)
        };
        let panic = match message {
            Message::Bounds { array, access, index, len } => {
                let (array, access) = (literal::string(array), literal::string(access));
                let (index, len) = (operand(index), operand(len));
                code!(#runtime::out_of_range(#function, #array, #access, #line, #index, #len))
            }
            Message::Slice { array, access, start, end, len } => {
                let (array, access) = (literal::string(array), literal::string(access));
                let (start, end, len) = (operand(start), operand(end), operand(len));
                code!(#runtime::slice_out_of_range(#function, #array, #access, #line, [#start, #end], #len))
            }
            Message::Text(text) => {
                let text = literal::string(text);
                code!(#runtime::failed(#function, #text, #line))
            }
        };
        let (first, mask) = (first(&failed), self.ty(Ty::Bool));
        code!({
            let #failed: #mask = #lanes;
            if #failed.any() {
                let #lane: usize = #first;
                #panic
            }
        })
    }

    /// Panics if the index of an active lane is not below the length.
    fn range_check(
        &self,
        [array, access]: [&str; 2],
        index: &Expr,
        len: &Expr,
        line: &Code,
        context: &Context,
    ) -> Code {
        let (runtime, function) = (&self.emitter.runtime, &self.emitter.function);
        let (array, access) = (self.emitter.string(array), self.emitter.string(access));
        let [index, len] = [index, len].map(|operand| self.array(operand, context));
        let mask = self.active(context);
        let site = code!(&#runtime::access::Site(#function, #array, #access));
        code!(#runtime::access::all_in_range(#index, #len, #mask, #line, #site);)
    }
}

/// Whether a value is made of scalars by operations that a vector has in one instruction; counts them.
fn is_cheap_value(value: &Expr, operations: &mut usize) -> bool {
    let mut cheap = true;
    value.walk(&mut |expr| {
        let (plain, operation) = match &expr.kind {
            ExprKind::Float(_) | ExprKind::Bool(_) => (true, false),
            ExprKind::Load(place) => (place.index.is_empty(), false),
            ExprKind::Binary(op, ..) => (!matches!(op, BinOp::Div | BinOp::Rem), true),
            ExprKind::Call(func, flavour, _) => {
                let fused = *func == Func::MulAdd && *flavour == Flavour::Polynomial;
                (fused || matches!(func, Func::Abs | Func::Max | Func::Min), true)
            }
            ExprKind::Unary(..) | ExprKind::Select(_) => (true, true),
            _ => (false, true),
        };
        cheap &= plain && !expr.ty.is_int();
        *operations += usize::from(operation);
    });
    cheap
}

/// What a block assigns, if it does nothing else.
fn only_value(block: &Block) -> Option<(&Place, &Expr)> {
    match &block[..] {
        [only] => only.as_assign(),
        _ => None,
    }
}

/// Whether the loop runs at least once whatever the numbers are.
fn runs_anyway(it: &For) -> bool {
    matches!((&it.lo.kind, &it.hi.kind), (ExprKind::Int(lo), ExprKind::Int(hi)) if lo < hi)
}

/// The same copies, where not every iteration comes.
fn sometimes(copies: &[Context]) -> Vec<Context> {
    copies.iter().map(|context| Context { always: false, ..context.clone() }).collect()
}

/// The first lane of a mask that has one.
fn first(mask: &Ident) -> Code {
    code!(#mask.first_active())
}
