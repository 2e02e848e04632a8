//! Expressions of lanes. Floats are vectors and truth values masks; integers, and what has no vector form, are
//! computed lane by lane on arrays, where inactive lanes evaluate nothing that may panic.

use super::{Context, Lanes};
use crate::backend::rust::call_of;
use crate::backend::rust::storage::suffixed_zero;
use crate::backend::rust::{Code, code, literal};
use crate::ir::{BinOp, Expr, ExprKind, Flavour, Func, Int, Ty, UnOp};
use proc_macro2::{Ident, Span};

impl Lanes<'_, '_> {
    /// The value as a vector, a mask or an array.
    pub(super) fn value(&self, expr: &Expr, context: &Context) -> Code {
        self.lanes(expr, context).0
    }

    /// The value, in parentheses where it is an operator's.
    fn operand(&self, expr: &Expr, context: &Context) -> Code {
        let (tokens, is_operator) = self.lanes(expr, context);
        if is_operator { code!((#tokens)) } else { tokens }
    }

    /// A uniform value as a scalar: computed before the loop where nothing in the loop can change it and every
    /// iteration computes it.
    fn scalar(&self, expr: &Expr, context: &Context) -> Code {
        let mut costly = false;
        expr.walk(&mut |expr| {
            costly |= match &expr.kind {
                ExprKind::Load(place) => !place.index.is_empty(),
                ExprKind::Call(..) | ExprKind::Apply(..) | ExprKind::Binary(BinOp::Div | BinOp::Rem, ..) => {
                    true
                }
                _ => false,
            };
        });
        if !(costly && context.always && self.is_invariant(expr, false)) {
            return self.emitter.untyped(expr);
        }
        let known =
            self.hoisted.borrow().iter().find(|(known, _)| known == expr).map(|(_, name)| name.clone());
        let name = known.unwrap_or_else(|| {
            let base = match &expr.kind {
                ExprKind::Load(place) => format!("{}_here", self.emitter.storage(place.buffer).name()),
                _ => "invariant".to_owned(),
            };
            let name = self.emitter.fresh(&base);
            let (ty, value) = (literal::ty(expr.ty), self.emitter.typed(expr));
            self.before.borrow_mut().push(code!(let #name: #ty = #value;));
            self.hoisted.borrow_mut().push((expr.clone(), name.clone()));
            name
        });
        code!(#name)
    }

    fn lanes(&self, expr: &Expr, context: &Context) -> (Code, bool) {
        if !self.varies_expr(expr) {
            let scalar = self.scalar(expr, context);
            return match expr.ty {
                Ty::Int(_) => (code!([#scalar; 8]), false),
                ty => {
                    let ty = self.ty(ty);
                    (code!(#ty::splat(#scalar)), false)
                }
            };
        }
        match &expr.kind {
            ExprKind::Load(place) if self.own.contains(place.buffer) && !self.index_varies(place) => {
                (self.local_element(place, context), false)
            }
            ExprKind::Load(place) if !self.own.contains(place.buffer) && expr.ty != Ty::Bool => {
                (self.load(place, expr.ty, context), false)
            }
            ExprKind::Unary(UnOp::Neg, operand) if expr.ty.is_float() => {
                let operand = self.operand(operand, context);
                (code!(-#operand), true)
            }
            ExprKind::Unary(UnOp::Not, operand) if expr.ty == Ty::Bool => {
                let operand = self.operand(operand, context);
                (code!(!#operand), true)
            }
            ExprKind::Binary(op, lhs, rhs) if lhs.ty.is_float() => {
                match self.float_operator(*op, lhs, rhs, context) {
                    Some(tokens) => tokens,
                    None => (self.packed(expr, context), false),
                }
            }
            ExprKind::Binary(op, lhs, rhs) if lhs.ty.is_word() && op.is_comparison() => {
                match self.comparison(*op, lhs, rhs, context) {
                    Some(tokens) => tokens,
                    None => (self.packed(expr, context), false),
                }
            }
            ExprKind::Binary(op, lhs, rhs) if lhs.ty == Ty::Bool => {
                match self.bool_operator(*op, lhs, rhs, context) {
                    Some(tokens) => (tokens, true),
                    None => (self.packed(expr, context), false),
                }
            }
            ExprKind::Call(func, flavour, args) if expr.ty.is_float() => {
                match self.vector_function(*func, *flavour, args, context) {
                    Some(tokens) => (tokens, false),
                    None => (self.packed(expr, context), false),
                }
            }
            ExprKind::Apply(..) => (self.packed(expr, context), false),
            ExprKind::Call(Func::IsNan, _, args) => {
                let name = self.emitter.fresh("number");
                let operand = self.value(&args[0], context);
                (code!({ let #name = #operand; #name.ne(#name) }), false)
            }
            ExprKind::Cast(operand) if expr.ty.is_float() && operand.ty.is_float() => {
                let (value, isa) = (self.value(operand, context), &self.emitter.isa);
                (
                    match (expr.ty, operand.ty) {
                        (Ty::F64, Ty::F32) => code!(#isa::widen(#value)),
                        (Ty::F32, Ty::F64) => code!(#isa::narrow(#value)),
                        _ => value,
                    },
                    false,
                )
            }
            ExprKind::Select(parts) => {
                let [cond, yes, no] = &**parts;
                let [cond, yes, no] = [cond, yes, no].map(|part| self.value(part, context));
                let runtime = &self.emitter.runtime;
                let tokens = match expr.ty {
                    Ty::Bool => {
                        let (name, mask) = (self.emitter.fresh("condition"), self.ty(Ty::Bool));
                        code!({ let #name: #mask = #cond; (#name & (#yes)) | (!#name & (#no)) })
                    }
                    Ty::Int(_) => code!(#runtime::simd::select_array(#cond, #yes, #no)),
                    ty => {
                        let ty = self.ty(ty);
                        code!(#ty::select(#cond, #yes, #no))
                    }
                };
                (tokens, false)
            }
            _ => (self.packed(expr, context), false),
        }
    }

    /// What is computed lane by lane, as lanes.
    fn packed(&self, expr: &Expr, context: &Context) -> Code {
        let array = self.array(expr, context);
        match expr.ty {
            Ty::Int(_) => array,
            ty => {
                let ty = self.ty(ty);
                code!(#ty::from_array(#array))
            }
        }
    }

    fn float_operator(&self, op: BinOp, lhs: &Expr, rhs: &Expr, context: &Context) -> Option<(Code, bool)> {
        let (left, right) = (self.operand(lhs, context), self.operand(rhs, context));
        Some(match op {
            BinOp::Add => (code!(#left + #right), true),
            BinOp::Sub => (code!(#left - #right), true),
            BinOp::Mul => (code!(#left * #right), true),
            BinOp::Div => (code!(#left / #right), true),
            BinOp::Lt => (code!(#left.lt(#right)), false),
            BinOp::Le => (code!(#left.le(#right)), false),
            BinOp::Gt => (code!(#left.gt(#right)), false),
            BinOp::Ge => (code!(#left.ge(#right)), false),
            BinOp::Eq => (code!(#left.eq(#right)), false),
            BinOp::Ne => (code!(#left.ne(#right)), false),
            _ => return None,
        })
    }

    /// A comparison of positions, in vectors.
    fn comparison(&self, op: BinOp, lhs: &Expr, rhs: &Expr, context: &Context) -> Option<(Code, bool)> {
        if !matches!(op, BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge) {
            return None;
        }
        let (runtime, mask) = (&self.emitter.runtime, self.ty(Ty::Bool));
        let positions = |expr: &Expr| {
            let array = self.array(expr, context);
            if expr.ty == Ty::USIZE { array } else { code!(#runtime::simd::in_order(#array)) }
        };
        let (a, b) = (positions(lhs), positions(rhs));
        Some(match op {
            BinOp::Lt => (code!(#mask::less(#a, #b)), false),
            BinOp::Gt => (code!(#mask::less(#b, #a)), false),
            BinOp::Le => (code!(!#mask::less(#b, #a)), true),
            _ => (code!(!#mask::less(#a, #b)), true),
        })
    }

    fn bool_operator(&self, op: BinOp, lhs: &Expr, rhs: &Expr, context: &Context) -> Option<Code> {
        let (left, right) = (self.operand(lhs, context), self.operand(rhs, context));
        Some(match op {
            BinOp::BitAnd => code!(#left & #right),
            BinOp::BitOr => code!(#left | #right),
            BinOp::BitXor | BinOp::Ne => code!(#left ^ #right),
            BinOp::Eq => code!(!(#left ^ #right)),
            _ => return None,
        })
    }

    fn vector_function(
        &self,
        func: Func,
        flavour: Flavour,
        args: &[Expr],
        context: &Context,
    ) -> Option<Code> {
        let runtime = &self.emitter.runtime;
        let name = match func.polynomial() {
            Some(name) if flavour == Flavour::Polynomial => name,
            _ if func.is_exact_in_lanes() => func.name(),
            _ => return None,
        };
        if func == Func::Powi {
            return Some(self.integer_power(&args[0], &args[1], context));
        }
        let name = Ident::new(name, Span::mixed_site());
        let args = args.iter().map(|arg| self.value(arg, context));
        Some(code!(#runtime::math::#name(#(#args),*)))
    }

    /// An integer power: of the vector where all lanes have the same exponent, else lane by lane with the same bits.
    fn integer_power(&self, base: &Expr, exponent: &Expr, context: &Context) -> Code {
        let (runtime, isa) = (&self.emitter.runtime, &self.emitter.isa);
        if !self.varies_expr(exponent) {
            let (base, exponent) = (self.value(base, context), self.scalar(exponent, context));
            return code!(#runtime::math::powi(#base, #exponent));
        }
        let ty = self.ty(base.ty);
        let scalar = literal::ty(base.ty);
        let power = self.lane_by_lane(base.ty, &[base, exponent], false, context, |operands| {
            let [base, exponent] = operands else { return code!() };
            code!(#runtime::math::powi(#runtime::simd::Lane::<#isa, #scalar>::new(#base), #exponent).value())
        });
        code!(#ty::from_array(#power))
    }

    /// The value as an array of eight scalars.
    pub(super) fn array(&self, expr: &Expr, context: &Context) -> Code {
        let runtime = &self.emitter.runtime;
        if !self.varies_expr(expr) {
            let scalar = self.scalar(expr, context);
            return code!([#scalar; 8]);
        }
        // integers are arrays already; the others go through a vector where they have one
        let vector = || {
            let value = self.operand(expr, context);
            if expr.ty.is_int() { value } else { code!(#value.to_array()) }
        };
        match &expr.kind {
            ExprKind::Iter(iter) if *iter == self.it.iter => {
                let (name, ty) = (self.lane_iter(context.part), literal::ty(expr.ty));
                match expr.ty {
                    Ty::USIZE => code!(#runtime::simd::iota(#name)),
                    _ => {
                        let lane = self.name("lane");
                        code! {
                            #runtime::simd::map1([0, 1, 2, 3, 4, 5, 6, 7], |#lane: #ty| #name.wrapping_add(#lane))
                        }
                    }
                }
            }
            ExprKind::Iter(iter) => {
                let name = self.emitter.iter(*iter);
                code!(#name)
            }
            ExprKind::Load(place) if self.own.contains(place.buffer) => {
                if self.index_varies(place) {
                    self.picked(place, expr.ty, context)
                } else {
                    vector()
                }
            }
            ExprKind::Load(place) if expr.ty == Ty::Bool => self.load(place, expr.ty, context),
            ExprKind::Load(_) | ExprKind::Select(_) => vector(),
            ExprKind::Unary(UnOp::Neg, operand) if expr.ty.is_int() => {
                self.lane_by_lane(expr.ty, &[operand], !expr.is_total(), context, |a| code!(-#(#a)*))
            }
            ExprKind::Unary(UnOp::Not, operand) if expr.ty.is_int() => {
                self.lane_by_lane(expr.ty, &[operand], false, context, |a| code!(!#(#a)*))
            }
            // what is kept in no lane but the active ones overflows in none of the others
            ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), lhs, rhs)
                if let (Ty::Int(_), Some(mask)) = (expr.ty, &context.mask) =>
            {
                let function = self.function(*op, lhs.ty);
                let keep = |array: Code| match expr.ty {
                    Ty::USIZE => code!(#mask.keep(#array)),
                    _ => code!(#runtime::simd::keep(#mask, #array)),
                };
                let (a, b) = (self.array(lhs, context), self.array(rhs, context));
                let (kept_a, kept_b) = (self.is_kept(lhs), self.is_kept(rhs));
                // a product with zero is zero
                let (keeps_a, keeps_b) = match op {
                    BinOp::Mul => (!kept_a && !kept_b, false),
                    _ => (!kept_a, !kept_b),
                };
                let a = if keeps_a { keep(a) } else { a };
                let b = if keeps_b { keep(b) } else { b };
                self.zipped(&function, &a, &b)
            }
            ExprKind::Binary(op, lhs, rhs) if lhs.ty.is_int() || !self.has_vector(*op, lhs.ty) => {
                let partial = lhs.ty.is_int() && is_partial(*op, rhs);
                let function = self.function(*op, lhs.ty);
                if !partial || context.mask.is_none() {
                    return self.zipped(&function, &self.array(lhs, context), &self.array(rhs, context));
                }
                self.lane_by_lane(expr.ty, &[lhs, rhs], partial, context, |a| code!(#function(#(#a),*)))
            }
            ExprKind::Call(func, flavour, args) => {
                let vectors = expr.ty.is_float()
                    && (func.is_exact_in_lanes()
                        || (*flavour == Flavour::Polynomial && func.polynomial().is_some()));
                if vectors || *func == Func::IsNan {
                    return vector();
                }
                let operands: Vec<&Expr> = args.iter().collect();
                let partial = !func.is_total();
                self.lane_by_lane(expr.ty, &operands, partial, context, |a| call_of(runtime, *func, a))
            }
            ExprKind::Apply(function, args) => {
                let (lane, zero, mask) = (self.name("lane"), suffixed_zero(expr.ty), self.active(context));
                let names: Vec<Ident> = args.iter().map(|_| self.emitter.fresh("operand")).collect();
                let bindings = names.iter().zip(args).map(|(name, arg)| {
                    let (ty, array) = (literal::ty(arg.ty), self.array(arg, context));
                    code!(let #name: [#ty; 8] = #array;)
                });
                let call = self.emitter.apply(*function, names.iter().map(|name| code!(#name[#lane])));
                code! {{
                    #(#bindings)*
                    #runtime::simd::map_active(#mask, #zero, |#lane: usize| #call)
                }}
            }
            ExprKind::Cast(operand) if !(expr.ty.is_float() && operand.ty.is_float()) => {
                let ty = literal::ty(expr.ty);
                if is_number(expr.ty) && is_number(operand.ty) {
                    let array = self.array(operand, context);
                    let from = literal::ty(operand.ty);
                    return code!(#runtime::simd::map1(#array, <#from as #runtime::simd::As<#ty>>::cast));
                }
                self.lane_by_lane(expr.ty, &[operand], false, context, |a| code!(#(#a)* as #ty))
            }
            _ => vector(),
        }
    }

    /// Whether an array under a mask is one of zeros where the mask is not set: sums, differences and products are those of
    /// zeros there.
    fn is_kept(&self, expr: &Expr) -> bool {
        matches!(expr.kind, ExprKind::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul, ..))
            && self.varies_expr(expr)
    }

    /// The operation of the lanes of two arrays of integers. By a function that has a name: each closure is a type of its own,
    /// with a copy of what calls it for each level.
    fn zipped(&self, function: &Code, a: &Code, b: &Code) -> Code {
        let runtime = &self.emitter.runtime;
        code!(#runtime::simd::map2(#a, #b, #function))
    }

    /// The function that an operator stands for, which panics where the operator would.
    fn function(&self, op: BinOp, operands: Ty) -> Code {
        let (runtime, ty) = (&self.emitter.runtime, literal::ty(operands));
        match op {
            BinOp::Add => code!(::core::ops::Add::add),
            BinOp::Sub => code!(::core::ops::Sub::sub),
            BinOp::Mul => code!(::core::ops::Mul::mul),
            BinOp::Div => code!(::core::ops::Div::div),
            BinOp::Rem => code!(::core::ops::Rem::rem),
            BinOp::BitAnd => code!(::core::ops::BitAnd::bitand),
            BinOp::BitOr => code!(::core::ops::BitOr::bitor),
            BinOp::BitXor => code!(::core::ops::BitXor::bitxor),
            BinOp::Shl => code!(::core::ops::Shl::shl),
            BinOp::Shr => code!(::core::ops::Shr::shr),
            BinOp::Eq => code!(#runtime::simd::eq::<#ty>),
            BinOp::Ne => code!(#runtime::simd::ne::<#ty>),
            BinOp::Lt => code!(#runtime::simd::lt::<#ty>),
            BinOp::Le => code!(#runtime::simd::le::<#ty>),
            BinOp::Gt => code!(#runtime::simd::gt::<#ty>),
            BinOp::Ge => code!(#runtime::simd::ge::<#ty>),
        }
    }

    fn has_vector(&self, op: BinOp, operands: Ty) -> bool {
        use BinOp::*;
        match operands {
            Ty::Float(_) => op != Rem,
            Ty::Bool => matches!(op, BitAnd | BitOr | BitXor | Eq | Ne),
            Ty::Int(_) => false,
        }
    }

    /// `operation` of the lanes of the operands, of type `ty`; inactive lanes are zero without evaluating it where it
    /// is partial.
    fn lane_by_lane(
        &self,
        ty: Ty,
        operands: &[&Expr],
        partial: bool,
        context: &Context,
        operation: impl Fn(&[Code]) -> Code,
    ) -> Code {
        let runtime = &self.emitter.runtime;
        let arrays: Vec<Code> = operands.iter().map(|operand| self.array(operand, context)).collect();
        let names: Vec<Code> = ["lhs", "rhs", "third"]
            .into_iter()
            .take(arrays.len())
            .map(|word| self.name(word))
            .map(|name| code!(#name))
            .collect();
        let result = operation(&names);
        let types = operands.iter().map(|operand| literal::ty(operand.ty));
        let lane = self.name("lane");
        match (&context.mask, partial) {
            (Some(mask), true) => {
                let zero = suffixed_zero(ty);
                let operands = names.iter().zip(&arrays).zip(types);
                let bindings = operands.map(|((name, array), ty)| code!(let #name: [#ty; 8] = #array;));
                let elements = names.iter().map(|name| code!(let #name = #name[#lane];));
                code! {{
                    #(#bindings)*
                    #runtime::simd::map_active(#mask, #zero, |#lane: usize| {
                        #(#elements)*
                        #result
                    })
                }}
            }
            _ => {
                let parameters = names.iter().zip(types).map(|(name, ty)| code!(#name: #ty));
                match arrays.len() {
                    1 => code!(#runtime::simd::map1(#(#arrays),*, |#(#parameters),*| #result)),
                    2 => code!(#runtime::simd::map2(#(#arrays),*, |#(#parameters),*| #result)),
                    _ => {
                        let types = operands.iter().map(|operand| literal::ty(operand.ty));
                        let [a, b, c] = &arrays[..] else { return code!() };
                        let [x, y, z] = &names[..] else { return code!() };
                        code! {
                            #runtime::simd::map2(
                                #a,
                                #runtime::simd::zip(#b, #c),
                                |#x, (#y, #z)| { let (#x, #y, #z): (#(#types),*) = (#x, #y, #z); #result }
                            )
                        }
                    }
                }
            }
        }
    }

    /// An element of a local array at an index that differs between lanes.
    fn picked(&self, place: &crate::ir::Place, ty: Ty, context: &Context) -> Code {
        let runtime = &self.emitter.runtime;
        let name = self.local(place.buffer, context.part);
        let index = self.array(&self.emitter.position(place), context);
        let zero = suffixed_zero(ty);
        let (lane, positions) = (self.name("lane"), self.name("index"));
        let element = match (self.is_lanes(place), ty) {
            (false, _) => code!(#name[#positions[#lane]]),
            (true, Ty::Float(_) | Ty::Bool) => code!(#name[#positions[#lane]].get(#lane)),
            (true, Ty::Int(_)) => code!(#name[#positions[#lane]][#lane]),
        };
        let picked = match &context.mask {
            None => code!(#runtime::simd::map1([0, 1, 2, 3, 4, 5, 6, 7], |#lane: usize| #element)),
            Some(mask) => code!(#runtime::simd::map_active(#mask, #zero, |#lane: usize| #element)),
        };
        code! {{
            let #positions: [usize; 8] = #index;
            #picked
        }}
    }
}

/// Whether the runtime converts numbers of the type by a function with a name.
fn is_number(ty: Ty) -> bool {
    ty.is_float() || matches!(ty, Ty::Int(int) if !matches!(int, Int::U128 | Int::I128))
}

/// Whether an integer operation may panic.
fn is_partial(op: BinOp, rhs: &Expr) -> bool {
    use BinOp::*;
    match op {
        Add | Sub | Mul => true,
        Div | Rem | Shl | Shr => !matches!(rhs.kind, ExprKind::Int(by) if (1..8).contains(&by)),
        _ => false,
    }
}
