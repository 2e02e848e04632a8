//! Expressions.

use super::super::display::tidy;
use super::super::infer::{Class, Type};
use super::super::tree::{Access, Bounds, Expr, Kind, Len};
use super::{Resolver, bare, joined};
use crate::ir::{BinOp, Int, Ty};
use std::rc::Rc;
use syn::spanned::Spanned;

impl Resolver<'_> {
    /// Resolves an expression.
    pub(in super::super) fn expr(&mut self, e: &syn::Expr) -> Expr {
        match e {
            syn::Expr::Group(e) => self.expr(&e.expr),
            syn::Expr::Paren(e) => self.expr(&e.expr),
            syn::Expr::Lit(e) => self.literal(&e.lit),
            syn::Expr::Path(e) => self.path(e),
            syn::Expr::Unary(e) => self.unary(e),
            syn::Expr::Binary(e) => self.binary(e),
            syn::Expr::Assign(e) => self.assign(e),
            syn::Expr::Cast(e) => self.cast(e),
            syn::Expr::Reference(e) => {
                let inner = self.expr(&e.expr);
                Expr { span: e.span(), ..self.reference_to(inner, e.mutability.is_some()) }
            }
            syn::Expr::Index(e) => self.index(e),
            syn::Expr::Field(e) => self.field(e),
            syn::Expr::Tuple(e) => {
                let span = e.paren_token.span.join();
                Expr::tuple(e.elems.iter().map(|e| self.expr(e)).collect(), span)
            }
            syn::Expr::Array(e) => self.array_literal(e.elems.iter(), true, e.bracket_token.span.join()),
            syn::Expr::Repeat(e) => {
                let span = e.bracket_token.span.join();
                let value = self.expr(&e.expr);
                if matches!(bare(&e.len), syn::Expr::Infer(_)) {
                    return self.refuse(
                        span,
                        "an array of inferred length",
                        "the length decides the shape of the tape",
                        "write the length: `[0.0; 3]`",
                    );
                }
                let len = self.length(&e.len);
                let ty = Type::array(value.ty.clone(), len.clone());
                let len = match len {
                    Len::Known(len) => (*len).clone(),
                    len => Expr::new(Kind::Length(len), Type::USIZE, span),
                };
                Expr::new(Kind::Repeat(value.boxed(), len.boxed()), ty, span)
            }
            // what a `const` block computes before the program runs, it computes here as well
            syn::Expr::Const(syn::ExprConst { block, .. })
            | syn::Expr::Block(syn::ExprBlock { block, label: None, .. }) => {
                let span = block.brace_token.span.join();
                let (block, ty) = self.block(block);
                Expr::new(Kind::Block(block), ty, span)
            }
            syn::Expr::If(e) => self.branch(e),
            syn::Expr::Match(e) => self.matching(e),
            syn::Expr::ForLoop(e) => self.for_loop(e),
            syn::Expr::Block(e) => self.labelled_block(e),
            syn::Expr::While(e) => self.while_loop(e),
            syn::Expr::Loop(e) => self.endless_loop(e),
            syn::Expr::Continue(e) => self.continue_loop(e),
            syn::Expr::Break(e) => self.break_out(e),
            syn::Expr::Return(e) => self.return_early(e),
            syn::Expr::Struct(e) => self.struct_literal(e),
            syn::Expr::Closure(e) => self.closure_here(e),
            syn::Expr::Call(e) => self.call(e),
            syn::Expr::MethodCall(e) => self.method_call(e),
            syn::Expr::Macro(e) => self.macro_call(&e.mac, e.span()),
            syn::Expr::Try(tried) => match self.tried(tried) {
                Some(value) => value,
                None => self.unsupported(e),
            },
            syn::Expr::Infer(e) => {
                let ty = self.fresh();
                Expr::new(Kind::Hole, ty, e.underscore_token.span)
            }
            other => self.unsupported(other),
        }
    }

    pub(super) fn literal(&mut self, lit: &syn::Lit) -> Expr {
        let span = lit.span();
        match lit {
            syn::Lit::Int(int) => {
                let suffix = int.suffix();
                if suffix == "f32" || suffix == "f64" {
                    let ty = Ty::from_name(suffix).unwrap_or(Ty::F64);
                    let digits = int.base10_digits().to_owned();
                    return Expr::new(Kind::Float(digits), Type::Scalar(ty), span);
                }
                let Ok(value) = int.base10_parse::<i128>() else {
                    return self.refuse(
                        span,
                        "an integer literal that does not fit `i128`",
                        "constants of the compiler are at most 128 bits, signed",
                        "write it as an expression of smaller numbers",
                    );
                };
                let ty = match Ty::from_name(suffix) {
                    Some(ty) => Type::Scalar(ty),
                    None => self.infer.fresh(Class::Int),
                };
                Expr::new(Kind::Int(value), ty, span)
            }
            syn::Lit::Float(float) => {
                let ty = match Ty::from_name(float.suffix()) {
                    Some(ty) => Type::Scalar(ty),
                    None => self.infer.fresh(Class::Float),
                };
                Expr::new(Kind::Float(float.base10_digits().to_owned()), ty, span)
            }
            syn::Lit::Bool(bool) => Expr::bool(bool.value, span),
            syn::Lit::Byte(byte) => {
                let ty = Type::Scalar(Ty::Int(Int::U8));
                Expr::new(Kind::Int(i128::from(byte.value())), ty, span)
            }
            syn::Lit::Char(character) => {
                let ty = Type::Scalar(Ty::Int(Int::U32));
                let code = Expr::new(Kind::Int(i128::from(u32::from(character.value()))), ty, span);
                self.character(code, span)
            }
            syn::Lit::Str(text) => self.text(&text.value(), span),
            syn::Lit::ByteStr(text) => {
                let bytes = text.value().into_iter().map(|byte| syn::LitByte::new(byte, span));
                self.expr(&syn::parse_quote_spanned!(span=> &[#(#bytes),*]))
            }
            _ => self.refuse(
                span,
                "a text of C",
                "values are floats, integers, booleans, characters and texts",
                "write it without `c`: `\"text\"`",
            ),
        }
    }

    fn unary(&mut self, e: &syn::ExprUnary) -> Expr {
        let inner = self.expr(&e.expr);
        self.unary_operator(&e.op, inner, syn::spanned::Spanned::span(e))
    }

    /// Refuses operators on arrays and tuples.
    pub(super) fn need_number(&mut self, e: &Expr, bool_too: bool) {
        let ty = self.infer.peel(&e.ty);
        let bad = match ty {
            Type::Array(..) | Type::Tuple(_) | Type::Record(_) => true,
            Type::Scalar(Ty::Bool) => !bool_too,
            _ => false,
        };
        if self.option_type(&ty).is_some() {
            self.refuse(
                e.span,
                "an operator on an `Option`",
                "operators work on numbers",
                "ask for what it holds: `a.is_some_and(|a| a < b)`, `a.is_none()`",
            );
        } else if bad {
            let ty = self.infer.show(&ty);
            self.refuse(
                e.span,
                format!("an operator on a value of type `{ty}`"),
                "operators work on numbers",
                "write a loop over the elements",
            );
        }
    }

    /// A chain of operators, `a + b + c + …`, without a recursion as deep as it is long.
    fn binary(&mut self, e: &syn::ExprBinary) -> Expr {
        let mut chain = vec![e];
        let mut innermost = bare(&e.left);
        while let syn::Expr::Binary(left) = innermost {
            chain.push(left);
            innermost = bare(&left.left);
        }
        let mut left = self.expr(innermost);
        for e in chain.into_iter().rev() {
            let right = self.expr(&e.right);
            left = self.operator(&e.op, left, right);
        }
        left
    }

    pub(super) fn operator(&mut self, written: &syn::BinOp, left: Expr, right: Expr) -> Expr {
        use syn::BinOp as Op;
        let span = joined(left.span, right.span);
        if matches!(left.kind, Kind::Error) || matches!(right.kind, Kind::Error) {
            return self.error(span);
        }
        if matches!(written, Op::Eq(_) | Op::Ne(_) | Op::Lt(_) | Op::Le(_) | Op::Gt(_) | Op::Ge(_)) {
            self.settle_compared(&left, &right, span);
        }
        if self.is_record(&left.ty) || self.is_record(&right.ty) {
            let sides = [left, right];
            let compared = self.compared_variants(written, &sides, span);
            return compared.unwrap_or_else(|| self.record_operator(written, sides.into(), span));
        }
        let op = match written {
            Op::And(_) | Op::Or(_) => {
                self.unify(&left.ty, &Type::BOOL, left.span);
                self.unify(&right.ty, &Type::BOOL, right.span);
                return if matches!(written, Op::And(_)) {
                    left.and(right, span)
                } else {
                    left.or(right, span)
                };
            }
            Op::Add(_) | Op::AddAssign(_) => BinOp::Add,
            Op::Sub(_) | Op::SubAssign(_) => BinOp::Sub,
            Op::Mul(_) | Op::MulAssign(_) => BinOp::Mul,
            Op::Div(_) | Op::DivAssign(_) => BinOp::Div,
            Op::Rem(_) | Op::RemAssign(_) => BinOp::Rem,
            Op::BitXor(_) | Op::BitXorAssign(_) => BinOp::BitXor,
            Op::BitAnd(_) | Op::BitAndAssign(_) => BinOp::BitAnd,
            Op::BitOr(_) | Op::BitOrAssign(_) => BinOp::BitOr,
            Op::Shl(_) | Op::ShlAssign(_) => BinOp::Shl,
            Op::Shr(_) | Op::ShrAssign(_) => BinOp::Shr,
            Op::Eq(_) => BinOp::Eq,
            Op::Ne(_) => BinOp::Ne,
            Op::Lt(_) => BinOp::Lt,
            Op::Le(_) => BinOp::Le,
            Op::Gt(_) => BinOp::Gt,
            Op::Ge(_) => BinOp::Ge,
            _ => {
                return self.refuse(
                    span,
                    "this operator",
                    "it is not known",
                    "write it with known operators",
                );
            }
        };
        let compound =
            quote::ToTokens::to_token_stream(written).to_string().ends_with('=') && !op.is_comparison();
        if let Some(compared) = self.member_by_member(op, &left, &right, span) {
            return compared;
        }
        if op.is_comparison()
            && let Some(compared) = self.compared_parts(op, &left, &right, span)
        {
            return compared;
        }
        let is_array = |e: &Expr| matches!(self.infer.peel(&e.ty), Type::Array(..));
        if op.is_comparison() && (is_array(&left) || is_array(&right)) {
            return self.refuse(
                span,
                "a comparison of arrays",
                "operators work on numbers",
                "compare the elements: `x.iter().zip(y.iter()).all(|(a, b)| a == b)`",
            );
        }
        let bits = matches!(op, BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor);
        self.need_number(&left, bits || op.is_comparison());
        self.need_number(&right, bits || op.is_comparison());
        let (l, r) = (self.infer.peel(&left.ty), self.infer.peel(&right.ty));
        if matches!(op, BinOp::Shl | BinOp::Shr) {
            self.restrict(&l, Class::Int, left.span);
            self.restrict(&r, Class::Int, right.span);
            self.infer.need_exact(&l);
        } else {
            self.unify(&l, &r, span);
            if bits && self.infer.class(&l) == Class::Float {
                self.restrict(&l, Class::Int, span);
            }
        }
        if compound {
            self.need_place(&left);
            return Expr::effect(Kind::AssignOp(op, left.boxed(), right.boxed()), span);
        }
        Expr { ty: if op.is_comparison() { Type::BOOL } else { l }, ..Expr::binary(op, left, right, span) }
    }

    fn assign(&mut self, e: &syn::ExprAssign) -> Expr {
        let span = syn::spanned::Spanned::span(e);
        let right = self.expr(&e.right);
        let left = self.expr(&e.left);
        if !self.may_be_assigned(&left) {
            return self.refuse(
                span,
                "a reference that is assigned again",
                "which array it stands for would be known only at run time",
                "write `let` with a new name where it changes, or index the array itself with an offset variable",
            );
        }
        self.need_place(&left);
        self.unify(&left.ty, &right.ty, span);
        if let Some(function) = self.replacement(&left) {
            return self.written_into(&function, left, right, span);
        }
        Expr::new(Kind::Assign(left.boxed(), right.boxed()), Type::UNIT, span)
    }

    /// Whether what is assigned to is a variable, which is noted, or refers to nothing.
    fn may_be_assigned(&mut self, left: &Expr) -> bool {
        match &left.kind {
            Kind::Tuple(parts) => parts.iter().all(|part| self.may_be_assigned(part)),
            Kind::Local(local) => {
                self.locals[*local].assigned = true;
                true
            }
            Kind::Hole | Kind::Error => true,
            _ => !self.refers(&left.ty),
        }
    }

    /// Whether a value of this type refers to what is elsewhere.
    pub(super) fn refers(&self, ty: &Type) -> bool {
        match self.infer.shallow(ty) {
            Type::Ref(..) => true,
            ty => ty.members().is_some_and(|parts| parts.iter().any(|part| self.refers(part))),
        }
    }

    /// Refuses what cannot be assigned to.
    fn need_place(&mut self, e: &Expr) {
        match &e.kind {
            Kind::Local(_)
            | Kind::Index(..)
            | Kind::Slice(..)
            | Kind::Field(..)
            | Kind::Deref(_)
            | Kind::Hole
            | Kind::Error => {}
            Kind::Tuple(parts) => parts.iter().for_each(|part| self.need_place(part)),
            Kind::Path(_) => {
                self.refuse(
                    e.span,
                    "an assignment to something that is not a local",
                    "a path outside the function is a constant here",
                    "pass it as a `&mut` parameter",
                );
            }
            _ => {
                self.refuse(
                    e.span,
                    "an assignment to this expression",
                    "only variables, elements and members of tuples are assigned to",
                    "assign to a variable: `y[i] = …;`",
                );
            }
        }
    }

    fn index(&mut self, e: &syn::ExprIndex) -> Expr {
        let base = self.expr(&e.expr);
        self.index_of(base, e)
    }

    pub(super) fn index_of(&mut self, base: Expr, e: &syn::ExprIndex) -> Expr {
        let span = syn::spanned::Spanned::span(e);
        let access = Access::of(&e.expr, e);
        if self.nd_rank(&base.ty) > 0 {
            return self.nd_index(base, e, access);
        }
        if let Some(extent) = super::ndarray::shape_member(&base, e) {
            return extent;
        }
        let elem = match self.infer.peel(&base.ty) {
            Type::Array(elem, _) => *elem,
            Type::Var(_) => self.array_of_some(&base.ty, base.span),
            Type::Never => return self.error(span),
            Type::Record(_) => {
                let Some(place) = self.index_of_record(base, e) else { return self.error(span) };
                return place;
            }
            other => {
                let ty = self.infer.show(&other);
                return self.refuse(
                    span,
                    format!("an index into a value of type `{ty}`"),
                    "only arrays, slices and vectors are indexed",
                    "write the type of the variable if it is an array",
                );
            }
        };
        if let syn::Expr::Range(range) = bare(&e.index) {
            let [lo, hi] = [&range.start, &range.end].map(|e| e.as_ref().map(|e| self.usize(e).boxed()));
            let inclusive = matches!(range.limits, syn::RangeLimits::Closed(_));
            let ty = Type::slice(elem);
            return Expr::new(
                Kind::Slice(base.boxed(), Bounds { lo, hi, inclusive, step: 1 }, access),
                ty,
                span,
            );
        }
        let index = self.usize(&e.index);
        Expr::new(Kind::Index(base.boxed(), index.boxed(), access), elem, span)
    }

    fn field(&mut self, e: &syn::ExprField) -> Expr {
        let span = syn::spanned::Spanned::span(e);
        let base = self.expr(&e.base);
        if let Type::Record(record) = self.infer.peel(&base.ty) {
            return self.field_of_record(base, &record, &e.member, span);
        }
        let syn::Member::Unnamed(member) = &e.member else {
            if matches!(self.infer.peel(&base.ty), Type::Never) {
                return self.error(span);
            }
            return self.refuse(
                span,
                "a field of a struct",
                "the attribute does not see a definition of the struct",
                "pass the field as a parameter of its own, or write `#[differentiate(export)]` before the struct and `uses(…)` here",
            );
        };
        let member = member.index as usize;
        match self.infer.peel(&base.ty) {
            Type::Tuple(parts) if member < parts.len() => {
                let ty = parts[member].clone();
                Expr::new(Kind::Field(base.boxed(), member), ty, span)
            }
            Type::Never => self.error(span),
            _ => self.refuse(
                span,
                format!("member `.{member}` of something that is not known to be a tuple"),
                "the members of a tuple are known from its type",
                "write the type of the variable: `let t: (f64, f64) = …;`",
            ),
        }
    }

    /// `[a, b]`, and `vec![a, b]` if not `fixed`.
    pub(super) fn array_literal<'e>(
        &mut self,
        elems: impl Iterator<Item = &'e syn::Expr>,
        fixed: bool,
        span: proc_macro2::Span,
    ) -> Expr {
        let elem = self.fresh();
        let mut parts = Vec::new();
        for e in elems {
            let part = self.expr(e);
            self.unify(&elem, &part.ty, part.span);
            parts.push(part);
        }
        if parts.is_empty() {
            return Expr::new(Kind::EmptyVec, Type::slice(elem), span);
        }
        let len = if fixed {
            Len::Known(Rc::new(Expr::new(Kind::Int(parts.len() as i128), Type::USIZE, span)))
        } else {
            Len::Dynamic
        };
        Expr::new(Kind::Array(parts), Type::array(elem, len), span)
    }
}

/// The digits of the negated value.
pub(super) fn negated(digits: &str) -> String {
    match digits.strip_prefix('-') {
        Some(positive) => positive.to_owned(),
        None => format!("-{digits}"),
    }
}

impl Access {
    /// An access to an array, as written.
    pub(super) fn of(array: &syn::Expr, access: &impl quote::ToTokens) -> Access {
        Access { array: array_name(array), text: tidy(access) }
    }
}

/// How the user calls the array of an access: the variable at its base.
pub(super) fn array_name(e: &syn::Expr) -> String {
    match bare(e) {
        syn::Expr::Index(e) => array_name(&e.expr),
        syn::Expr::Reference(e) => array_name(&e.expr),
        syn::Expr::Unary(e) => array_name(&e.expr),
        syn::Expr::MethodCall(e) => array_name(&e.receiver),
        other => tidy(other),
    }
}
