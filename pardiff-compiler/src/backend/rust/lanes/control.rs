//! Conditions, loops and checks of lanes.

use super::{Context, Lanes};
use crate::backend::rust::{code, literal};
use crate::ir::{Block, Expr, For, Message, Order, Ty};
use proc_macro2::{Ident, TokenStream};

impl Lanes<'_, '_> {
    /// A uniform condition is a condition. Otherwise each arm runs under its mask, or not at all if that is empty.
    pub(super) fn branch(&self, cond: &Expr, then: &Block, els: &Block, copies: &[Context]) -> TokenStream {
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
            let condition = self.emitter.fresh("condition");
            let value = self.value(cond, context);
            let arms = [(code!(#condition), then), (code!(!#condition), els)].map(|(lanes, block)| {
                if block.is_empty() {
                    return code!();
                }
                self.under(&lanes, block, context)
            });
            let [then, els] = arms;
            code!({ let #condition: S::Mask = #value; #then #els })
        });
        copies.collect()
    }

    /// A block in those active lanes that are set in `lanes`, if there are any.
    fn under(&self, lanes: &TokenStream, block: &Block, context: &Context) -> TokenStream {
        let mask = self.emitter.fresh("active");
        let lanes = match &context.mask {
            None => lanes.clone(),
            Some(outer) => code!(#outer & #lanes),
        };
        let inner = Context { mask: Some(mask.clone()), always: false, part: context.part };
        let block = self.block(block, std::slice::from_ref(&inner));
        code!(let #mask: S::Mask = #lanes; if #mask.any() { #block })
    }

    /// With uniform bounds the loop is a loop; otherwise it runs as long as some lane does.
    pub(super) fn inner_loop(&self, it: &For, copies: &[Context]) -> TokenStream {
        if self.varying_iters.contains(&it.iter) {
            return copies.iter().map(|context| self.ragged_loop(it, context)).collect();
        }
        let name = self.emitter.iter(it.iter);
        let (values, body) = (self.emitter.values(it), self.block(&it.body, &sometimes(copies)));
        code!(for #name in #values { #body })
    }

    fn ragged_loop(&self, it: &For, context: &Context) -> TokenStream {
        let name = self.emitter.iter(it.iter);
        let runtime = &self.emitter.runtime;
        let [lo, hi, step] = [&it.lo, &it.hi, &it.step].map(|bound| self.array(bound, context));
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
        let running = code! {
            S::Mask::from_array(#runtime::simd::map1(#trips, |#trip_total: usize| #trip < #trip_total))
        };
        let body = self.under(&running, &it.body, context);
        let active = match &context.mask {
            None => code!(true),
            Some(mask) => code!(#mask.get(#lane)),
        };
        code! {{
            let (#first, #steps): ([#ty; 8], [usize; 8]) = (#lo, #step);
            let #bounds: [#ty; 8] = #hi;
            let #trips: [usize; 8] = #runtime::simd::map1([0, 1, 2, 3, 4, 5, 6, 7], |#lane: usize| {
                let (#low, #high, #stride) = (#first[#lane], #bounds[#lane], #steps[#lane]);
                if #active { #trip_count } else { 0 }
            });
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
    pub(super) fn check(
        &self,
        cond: &Expr,
        message: &Message,
        line: &TokenStream,
        context: &Context,
    ) -> TokenStream {
        let uniform = !self.varies_expr(cond) && message.operands().iter().all(|it| !self.varies_expr(it));
        if uniform {
            return self.emitter.check(cond, message, line);
        }
        let (runtime, function) = (&self.emitter.runtime, &self.emitter.function);
        let (failed, lane) = (self.emitter.fresh("failed"), self.name("lane"));
        let inner = Context { mask: Some(failed.clone()), always: false, part: context.part };
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
        let first = first(&failed);
        code!({
            let #failed: S::Mask = #lanes;
            if #failed.any() {
                let #lane: usize = #first;
                #panic
            }
        })
    }
}

/// The same copies, where not every iteration comes.
fn sometimes(copies: &[Context]) -> Vec<Context> {
    copies.iter().map(|context| Context { always: false, ..context.clone() }).collect()
}

/// The first lane of a mask that has one.
fn first(mask: &Ident) -> TokenStream {
    code!(#mask.to_array().into_iter().position(|failed| failed).unwrap_or(0))
}
