//! `Reduce`s of all lanes into one element.

use super::stmt::scalar;
use super::{Context, Lanes};
use crate::backend::rust::storage::Storage;
use crate::backend::rust::{Code, code, literal};
use crate::ir::Update;
use crate::ir::{BinOp, Expr, ExprKind, Float, Place, ReduceOp, Ty, offset_of};
use crate::limits::{ACCUMULATORS_OF_A_SUM, NODES_OF_AN_UNROLLED_SUM, SUMS_FOLDED_TOGETHER};
use proc_macro2::Ident;

/// The locals of a sum in lanes.
#[derive(Clone)]
pub(super) struct Accumulator {
    /// One for each part of the loop's body: vectors that follow each other do not wait for each other.
    parts: Vec<Ident>,
    /// Whether an iteration came to the sum, where not all do.
    came: Option<Ident>,
    /// Whether each part is a single register, see [`Lanes::is_narrow`].
    narrow: bool,
}

/// An accumulator that is added to its element behind the loop.
pub(super) struct Fold {
    op: ReduceOp,
    target: Place,
    ty: Ty,
    /// The accumulator, all of its parts together.
    lanes: Code,
    /// Whether an iteration came to the sum, where not all do.
    came: Option<Ident>,
    narrow: bool,
}

impl Lanes<'_, '_> {
    /// What stands behind the loop: the accumulators are folded, each in the order of its lanes, and added to their
    /// elements in the order of the sums. Plain sums of one type that follow each other are folded at once.
    pub(super) fn folds(&self) -> Code {
        let folds = self.folds.take();
        let mut tokens = Code::new();
        let mut rest = &folds[..];
        while let Some(first) = rest.first() {
            let plain = |fold: &&Fold| {
                let same = fold.ty == first.ty && fold.narrow == first.narrow;
                same && fold.op == ReduceOp::Add && fold.came.is_none()
            };
            let many = rest.iter().take_while(plain).count();
            let (group, others) = rest.split_at(many.max(1));
            rest = others;
            if many < SUMS_FOLDED_TOGETHER {
                tokens.extend(group.iter().map(|it| {
                    let lanes = &it.lanes;
                    let all = if it.narrow { code!(#lanes.total()) } else { fold(it.op, lanes) };
                    let add = self.add(it.op, &it.target, &all);
                    match &it.came {
                        None => add,
                        Some(came) => code!(if #came { #add }),
                    }
                }));
                continue;
            }
            let (isa, ty, sums) = (&self.emitter.isa, self.ty(first.ty), self.emitter.fresh("sums"));
            let lanes: Code = group.iter().map(|Fold { lanes, .. }| code!(#lanes,)).collect();
            tokens.push(match first.narrow {
                true => code!(let #sums = #isa::SumF64::totals([#lanes]);),
                false => code!(let #sums = #ty::sums([#lanes]);),
            });
            tokens.push(self.add_all(group, &sums));
        }
        tokens
    }

    /// Adds sums that are folded together; those whose elements lie side by side with one check.
    fn add_all(&self, group: &[Fold], sums: &Ident) -> Code {
        let mut tokens = Code::new();
        let mut left: Vec<usize> = (0..group.len()).collect();
        let at = |number: usize| literal::usize(number);
        while let Some(&first) = left.first() {
            let row = self.beside(group, &left);
            left.retain(|number| *number != first && !row.contains(number));
            let Some(&lowest) = row.first() else {
                let (fold, number) = (&group[first], at(first));
                tokens.push(self.add(fold.op, &fold.target, &code!(#sums[#number])));
                continue;
            };
            let target = &group[lowest].target;
            let (runtime, site) = (&self.emitter.runtime, self.emitter.site(target));
            let name = self.emitter.storage(target.buffer).name();
            let position = self.emitter.index(&self.emitter.position(target));
            let row = row.into_iter().map(at).map(|at| code!(#sums[#at]));
            tokens.push(code! {
                unsafe { #runtime::access::add_row(#name, #position, [#(#row),*], #site) };
            });
        }
        tokens
    }

    /// The sums among `left` whose elements lie side by side with that of the first one, in the order of the elements;
    /// none if that is alone. They are different elements, so it does not matter which is added to first.
    fn beside(&self, group: &[Fold], left: &[usize]) -> Vec<usize> {
        let target = &group[left[0]].target;
        if !matches!(self.emitter.storage(target.buffer), Storage::Flat { disjoint: true, .. }) {
            return Vec::new();
        }
        let (base, own) = offset_of(&self.emitter.position(target));
        let same = left.iter().filter(|&&number| group[number].target.buffer == target.buffer);
        let mut row: Vec<(i128, usize)> = same
            .filter_map(|&number| {
                let (other, offset) = offset_of(&self.emitter.position(&group[number].target));
                (other == base).then_some((offset, number))
            })
            .collect();
        row.sort_unstable();
        let apart = row.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let number_of = |offset: i128| row.iter().find(|(at, _)| *at == offset).map(|(_, number)| *number);
        let low = (0..).take_while(|&by| number_of(own - by).is_some()).last().unwrap_or(0);
        let run: Vec<usize> = (own - low..).map_while(number_of).collect();
        if apart && run.len() > 1 { run } else { Vec::new() }
    }

    /// Floats are accumulated in lanes and folded in lane order, behind the loop if the element is the same in every
    /// iteration. Integers go to their element one after the other: in another order they might overflow where they do
    /// not in this one.
    pub(super) fn sum(&self, op: ReduceOp, target: &Place, value: &Expr, context: &Context) -> Code {
        if !value.ty.is_float() {
            return self.one_by_one(op, target, value, context);
        }
        let ty = self.ty(value.ty);
        if target.index.iter().all(|index| self.is_invariant(index, false)) {
            let Accumulator { parts, came, narrow } = self.accumulator(op, target, value, context);
            let name = &parts[context.part];
            let came = came.map(|came| code!(#came = true;));
            if narrow {
                let new = self.added(&code!(#name), value, context);
                return code!(#name = #new; #came);
            }
            let new = self.combined(op, &code!(#name), value, context);
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

    fn one_by_one(&self, op: ReduceOp, target: &Place, value: &Expr, context: &Context) -> Code {
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
    /// under a condition, only if it came to it, because the element of an array need not exist otherwise.
    fn accumulator(&self, op: ReduceOp, target: &Place, value: &Expr, context: &Context) -> Accumulator {
        let known =
            |(known_op, known, _): &&(ReduceOp, Place, Accumulator)| *known_op == op && known == target;
        if let Some((_, _, accumulator)) = self.sums.borrow().iter().find(known) {
            return accumulator.clone();
        }
        let base = format!("{}_lanes", self.emitter.storage(target.buffer).name());
        let parts: Vec<Ident> = (0..self.copies).map(|_| self.emitter.fresh(&base)).collect();
        let may_lack = !context.always && !target.index.is_empty();
        let came = may_lack.then(|| self.emitter.fresh(&format!("{base}_any")));
        let (isa, ty, neutral) = (&self.emitter.isa, self.ty(value.ty), neutral(op, value));
        let narrow = self.is_narrow(op, value.ty);
        let declared = came.as_ref().map(|came| code!(let mut #came = false;));
        let opened = parts.iter().map(|part| match narrow {
            true => code!(let mut #part = #isa::SumF64::zero();),
            false => code!(let mut #part = #ty::splat(#neutral);),
        });
        self.before.borrow_mut().push(code!(#(#opened)* #declared));
        let all = parts.iter().map(|part| code!(#part));
        let all = all.reduce(|all, part| self.both(op, &all, &part)).unwrap_or_default();
        let all = if self.copies > 1 { code!((#all)) } else { all };
        let fold = Fold { op, target: target.clone(), ty: value.ty, lanes: all, came: came.clone(), narrow };
        self.folds.borrow_mut().push(fold);
        let accumulator = Accumulator { parts, came, narrow };
        self.sums.borrow_mut().push((op, target.clone(), accumulator.clone()));
        accumulator
    }

    /// Whether the accumulators of such sums are single registers.
    fn is_narrow(&self, op: ReduceOp, ty: Ty) -> bool {
        self.crowded && op == ReduceOp::Add && ty == Ty::Float(Float::F64)
    }

    /// `old + value` where `old` is a single register; a lane that is not active adds nothing.
    fn added(&self, old: &Code, value: &Expr, context: &Context) -> Code {
        match (&value.kind, &context.mask) {
            (ExprKind::Binary(BinOp::Mul, lhs, rhs), None) if self.emitter.program.fuses => {
                let (lhs, rhs) = (self.value(lhs, context), self.value(rhs, context));
                code!(#old.plus_product(#lhs, #rhs))
            }
            (_, mask) => {
                let (vector, lanes) = (self.ty(value.ty), self.value(value, context));
                let lanes = match mask {
                    None => lanes,
                    Some(mask) => code!(#vector::select(#mask, #lanes, #vector::splat(-0.0))),
                };
                code!(#old.plus(#lanes))
            }
        }
    }

    /// Two vectors of a sum as one.
    fn both(&self, op: ReduceOp, a: &Code, b: &Code) -> Code {
        let runtime = &self.emitter.runtime;
        match op {
            ReduceOp::Add => code!(#a + #b),
            ReduceOp::Min => code!(#runtime::math::min(#a, #b)),
            ReduceOp::Max => code!(#runtime::math::max(#a, #b)),
        }
    }

    /// How many sums of all lanes there are.
    pub(super) fn sums_of_all_lanes(&self) -> usize {
        let mut sums = 0;
        for stmt in &self.it.body {
            stmt.walk(&mut |stmt| {
                if let Some(Update { target, value, .. }) = stmt.as_update() {
                    let fixed = !self.own.contains(target.buffer) && !self.index_varies(target);
                    sums += usize::from(fixed && value.ty.is_float());
                }
            });
        }
        sums
    }

    /// How many vectors a short body computes at once. A sum would otherwise wait for the latency of its addition in
    /// every iteration; so would one in a loop inside, which also shares what is uniform among the vectors.
    pub(super) fn copies(&self) -> usize {
        let mut waits = self.sums_of_all_lanes() > 0;
        for stmt in &self.it.body {
            stmt.walk(&mut |stmt| waits |= stmt.as_for().is_some());
        }
        if waits && self.nodes() <= NODES_OF_AN_UNROLLED_SUM { ACCUMULATORS_OF_A_SUM } else { 1 }
    }

    /// `target op= value` of scalars.
    fn add(&self, op: ReduceOp, target: &Place, value: &Code) -> Code {
        let old = self.emitter.place(target);
        match op {
            ReduceOp::Add => code!(#old += #value;),
            ReduceOp::Min | ReduceOp::Max => {
                let new = scalar(op, &code!((#old)), value);
                code!(#old = #new;)
            }
        }
    }
}

/// What changes nothing, not even the sign of a zero; a NaN loses against every number.
fn neutral(op: ReduceOp, value: &Expr) -> Code {
    let ty = literal::ty(value.ty);
    match op {
        ReduceOp::Add => code!(-0.0),
        ReduceOp::Min | ReduceOp::Max => code!(#ty::NAN),
    }
}

/// All lanes as one value.
fn fold(op: ReduceOp, lanes: &Code) -> Code {
    match op {
        ReduceOp::Add => code!(#lanes.sum()),
        ReduceOp::Min => code!(#lanes.min_lane()),
        ReduceOp::Max => code!(#lanes.max_lane()),
    }
}
