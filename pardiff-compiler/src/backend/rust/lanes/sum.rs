//! `Reduce`s of all lanes into one element.

use super::stmt::scalar;
use super::{Context, Lanes};
use crate::backend::rust::{code, literal};
use crate::ir::{Expr, Place, ReduceOp};
use proc_macro2::{Ident, TokenStream};

/// The local of a sum in lanes.
#[derive(Clone)]
pub(super) struct Accumulator {
    name: Ident,
    /// Whether an iteration came to the sum, where not all do.
    came: Option<Ident>,
}

impl Lanes<'_, '_> {
    /// Floats are accumulated in lanes and folded in lane order, behind the loop if the element is the same in every
    /// iteration. Integers go to their element one after the other: in another order they might overflow where they do
    /// not in this one.
    pub(super) fn sum(&self, op: ReduceOp, target: &Place, value: &Expr, context: &Context) -> TokenStream {
        if !value.ty.is_float() {
            return self.one_by_one(op, target, value, context);
        }
        let ty = self.ty(value.ty);
        if target.index.iter().all(|index| self.is_invariant(index, false)) {
            let Accumulator { name, came } = self.accumulator(op, target, value, context);
            let new = self.combined(op, &code!(#name), value, context);
            let came = came.map(|came| code!(#came = true;));
            return match &context.mask {
                None => code!(#name = #new; #came),
                Some(mask) => code!(#name = #ty::select(#mask, #new, #name); #came),
            };
        }
        let mut lanes = self.value(value, context);
        if let Some(mask) = &context.mask {
            let neutral = neutral(op, value);
            lanes = code!(#ty::select(#mask, #lanes, #ty::splat(#neutral)));
        }
        self.add(op, target, &fold(op, &code!((#lanes))))
    }

    fn one_by_one(&self, op: ReduceOp, target: &Place, value: &Expr, context: &Context) -> TokenStream {
        let (values, lane) = (self.emitter.fresh("values"), self.emitter.fresh("lane"));
        let lanes = self.array(value, context);
        let add = self.add(op, target, &code!(#values[#lane]));
        let add = match &context.mask {
            None => add,
            Some(mask) => code!(if #mask.get(#lane) { #add }),
        };
        code!({ let #values = #lanes; for #lane in 0..8_usize { #add } })
    }

    /// The accumulator of a sum, declared before the loop and added to its element behind it; where the sum stands
    /// under a condition, only if it came to it, because the element need not exist otherwise.
    fn accumulator(&self, op: ReduceOp, target: &Place, value: &Expr, context: &Context) -> Accumulator {
        let known =
            |(known_op, known, _): &&(ReduceOp, Place, Accumulator)| *known_op == op && known == target;
        if let Some((_, _, accumulator)) = self.sums.borrow().iter().find(known) {
            return accumulator.clone();
        }
        let name = self.emitter.fresh(&format!("{}_lanes", self.emitter.storage(target.buffer).name()));
        let came = (!context.always).then(|| self.emitter.fresh(&format!("{name}_any")));
        let (ty, neutral) = (self.ty(value.ty), neutral(op, value));
        let declared = came.as_ref().map(|came| code!(let mut #came = false;));
        self.before.borrow_mut().extend(code!(let mut #name = #ty::splat(#neutral); #declared));
        let add = self.add(op, target, &fold(op, &code!(#name)));
        self.behind.borrow_mut().extend(match &came {
            None => add,
            Some(came) => code!(if #came { #add }),
        });
        let accumulator = Accumulator { name, came };
        self.sums.borrow_mut().push((op, target.clone(), accumulator.clone()));
        accumulator
    }

    /// `target op= value` of scalars.
    fn add(&self, op: ReduceOp, target: &Place, value: &TokenStream) -> TokenStream {
        let old = self.emitter.place(target);
        match op {
            ReduceOp::Add => code!(#old += #value;),
            ReduceOp::Mul => code!(#old *= #value;),
            ReduceOp::Min | ReduceOp::Max => {
                let new = scalar(op, &code!((#old)), value);
                code!(#old = #new;)
            }
        }
    }
}

/// What changes nothing: a NaN loses against every number.
fn neutral(op: ReduceOp, value: &Expr) -> TokenStream {
    let ty = literal::ty(value.ty);
    match op {
        ReduceOp::Add => code!(0.0),
        ReduceOp::Mul => code!(1.0),
        ReduceOp::Min | ReduceOp::Max => code!(#ty::NAN),
    }
}

/// All lanes as one value.
fn fold(op: ReduceOp, lanes: &TokenStream) -> TokenStream {
    match op {
        ReduceOp::Add => code!(#lanes.sum()),
        ReduceOp::Mul => code!(#lanes.product()),
        ReduceOp::Min => code!(#lanes.min_lane()),
        ReduceOp::Max => code!(#lanes.max_lane()),
    }
}
