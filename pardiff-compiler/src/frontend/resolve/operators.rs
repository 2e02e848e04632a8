//! Operators on structs: calls of what an `impl` of the module says.

use super::super::infer::{Class, RecordType, Type};
use super::super::records::{Operator, is_reference};
use super::super::tree::{Expr, Kind};
use super::expr::negated;
use super::helper::Given;
use super::implementations::Side;
use super::{Name, Resolver};
use crate::ir::{BinOp, UnOp};
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use std::rc::Rc;
use syn::ItemFn;
use syn::spanned::Spanned;

/// The trait of an operator.
fn trait_of(op: &syn::BinOp) -> Option<&'static str> {
    use syn::BinOp::*;
    Some(match op {
        Add(_) => "Add",
        Sub(_) => "Sub",
        Mul(_) => "Mul",
        Div(_) => "Div",
        Rem(_) => "Rem",
        AddAssign(_) => "AddAssign",
        SubAssign(_) => "SubAssign",
        MulAssign(_) => "MulAssign",
        DivAssign(_) => "DivAssign",
        RemAssign(_) => "RemAssign",
        BitAnd(_) => "BitAnd",
        BitOr(_) => "BitOr",
        BitXor(_) => "BitXor",
        Shl(_) => "Shl",
        Shr(_) => "Shr",
        BitAndAssign(_) => "BitAndAssign",
        BitOrAssign(_) => "BitOrAssign",
        BitXorAssign(_) => "BitXorAssign",
        ShlAssign(_) => "ShlAssign",
        ShrAssign(_) => "ShrAssign",
        _ => return None,
    })
}

/// The operator that a trait is of, by the function of the trait.
fn operator_of(method: &str) -> Option<(&'static str, Op)> {
    Some(match method {
        "add" => ("Add", Op::Binary(syn::parse_quote!(+))),
        "sub" => ("Sub", Op::Binary(syn::parse_quote!(-))),
        "mul" => ("Mul", Op::Binary(syn::parse_quote!(*))),
        "div" => ("Div", Op::Binary(syn::parse_quote!(/))),
        "rem" => ("Rem", Op::Binary(syn::parse_quote!(%))),
        "neg" => ("Neg", Op::Unary(syn::parse_quote!(-))),
        "not" => ("Not", Op::Unary(syn::parse_quote!(!))),
        _ => return None,
    })
}

/// An operator of one value or of two.
enum Op {
    Unary(syn::UnOp),
    Binary(syn::BinOp),
}

/// The operator that compares as a method does.
fn comparison_of(method: &str) -> Option<syn::BinOp> {
    Some(match method {
        "eq" => syn::parse_quote!(==),
        "ne" => syn::parse_quote!(!=),
        "lt" => syn::parse_quote!(<),
        "le" => syn::parse_quote!(<=),
        "gt" => syn::parse_quote!(>),
        "ge" => syn::parse_quote!(>=),
        _ => return None,
    })
}

impl Resolver<'_> {
    /// `-a`, `!a` and `*a`.
    pub(super) fn unary_operator(&mut self, op: &syn::UnOp, inner: Expr, span: Span) -> Expr {
        match op {
            syn::UnOp::Deref(_) => match self.infer.shallow(&inner.ty) {
                Type::Ref(_, target) => Expr::new(Kind::Deref(inner.boxed()), *target, span),
                Type::Var(_) => {
                    let ty = inner.ty.clone();
                    Expr::new(Kind::Deref(inner.boxed()), ty, span)
                }
                Type::Never => self.error(span),
                // a copy, where rustc has a reference: an item that was chosen, an accumulator
                Type::Scalar(_) | Type::Array(..) => inner,
                Type::Record(_) => self.target_of_record(inner, span),
                other => {
                    let ty = self.infer.show(&other);
                    self.refuse(
                        span,
                        format!("`*` on a value of type `{ty}`"),
                        "only references are dereferenced",
                        "remove the `*`",
                    )
                }
            },
            syn::UnOp::Neg(_) | syn::UnOp::Not(_) if self.is_record(&inner.ty) => {
                self.unary_of_record(op, inner, span)
            }
            syn::UnOp::Neg(_) => {
                let ty = self.infer.peel(&inner.ty);
                match inner.kind {
                    Kind::Int(value) => Expr::new(Kind::Int(value.wrapping_neg()), ty, span),
                    Kind::Float(digits) => Expr::new(Kind::Float(negated(&digits)), ty, span),
                    _ => {
                        self.need_number(&inner, false);
                        Expr::new(Kind::Unary(UnOp::Neg, inner.boxed()), ty, span)
                    }
                }
            }
            syn::UnOp::Not(_) => {
                let ty = self.infer.peel(&inner.ty);
                if self.infer.class(&ty) == Class::Float {
                    self.restrict(&ty, Class::Int, span);
                }
                self.need_number(&inner, true);
                self.infer.need_exact(&ty);
                Expr::new(Kind::Unary(UnOp::Not, inner.boxed()), ty, span)
            }
            _ => self.refuse(span, "this operator", "it is not known", "write it with known operators"),
        }
    }

    /// `a.lt(&b)` of numbers: `a < b`.
    pub(super) fn comparison_by_name(
        &mut self,
        e: &syn::ExprMethodCall,
        receiver: &Expr,
        name: &str,
    ) -> Option<Expr> {
        let op = comparison_of(name).filter(|_| e.args.len() == 1)?;
        let is_number = matches!(self.infer.peel(&receiver.ty), Type::Scalar(_));
        if !is_number || self.module.records().is_of_trait(name) {
            return None;
        }
        let right = self.expr(&e.args[0]);
        let (left, right) = (self.dereferenced(receiver.clone()), self.dereferenced(right));
        Some(self.operator(&op, left, right))
    }

    /// `a.rem(b)` and `a.neg()`, where the trait is seen to be that of `std::ops`: `a % b` and `-a`.
    pub(super) fn operator_by_name(
        &mut self,
        e: &syn::ExprMethodCall,
        receiver: &Expr,
        name: &str,
    ) -> Option<Expr> {
        let (of, op) = operator_of(name)?;
        let Some(Name::Import(path)) = self.lookup(of) else { return None };
        let names = super::super::names(path);
        let is_of_std = matches!(&names[..], [root, ops, last]
            if (root == "std" || root == "core") && ops == "ops" && last == of);
        if !is_of_std || self.module.records().is_of_trait(name) {
            return None;
        }
        match (op, e.args.first()) {
            (Op::Binary(op), Some(right)) => {
                let right = self.expr(right);
                Some(self.operator(&op, receiver.clone(), right))
            }
            (Op::Unary(op), None) => {
                let value = self.dereferenced(receiver.clone());
                Some(self.unary_operator(&op, value, e.span()))
            }
            _ => None,
        }
    }

    /// `a + b`, `a += b` and the like where one side is a struct.
    pub(super) fn record_operator(&mut self, op: &syn::BinOp, sides: Vec<Expr>, span: Span) -> Expr {
        match trait_of(op) {
            Some(name) => self.operator_call(name, sides, span),
            None => match self.compared_records(op, &sides, span) {
                Some(compared) => compared,
                None => self.refuse(
                    span,
                    "this operator on a struct",
                    "`+`, `|` and their like are looked up in the `impl`s of the module, `==` is derived or looked up",
                    "compare or combine the fields: `a.x == b.x`",
                ),
            },
        }
    }

    /// `-a` or `!a` of a struct.
    pub(super) fn unary_of_record(&mut self, op: &syn::UnOp, e: Expr, span: Span) -> Expr {
        let name = if matches!(op, syn::UnOp::Neg(_)) { "Neg" } else { "Not" };
        self.operator_call(name, vec![e], span)
    }

    fn operator_call(&mut self, name: &'static str, mut sides: Vec<Expr>, span: Span) -> Expr {
        if sides.iter().any(|side| matches!(self.infer.peel(&side.ty), Type::Never)) {
            return self.error(span);
        }
        let of_crate = sides.iter().find_map(|side| self.crate_of(&side.ty));
        let Some(operator) = self.operator_on(name, &mut sides, of_crate.is_some()) else {
            let types: Vec<String> = sides.iter().map(|side| self.infer.show(&side.ty)).collect();
            if let Some(of_crate) = of_crate {
                return self.refuse(
                    span,
                    format!("an operator on values of type `{}`", types.join("` and `")),
                    format!("`{name}` for them is not among what is known of the crate `{of_crate}`"),
                    "write it for the elements",
                );
            }
            let what = format!("an operator on values of type `{}`", types.join("` and `"));
            let module = self.module;
            let fits = |operator: &&Operator| {
                let written = [&operator.left, &operator.right];
                let types: Vec<Side<'_>> = sides.iter().map(|side| &side.ty).zip(written).collect();
                self.fit(&operator.function.sig.generics, &types).is_some()
            };
            if module.operators(name).filter(fits).count() > 1 {
                let why = format!("which `impl {name}` of this module is meant is not seen from them");
                return self.refuse(
                    span,
                    what,
                    why,
                    "write the types and lengths of the values where they are made",
                );
            }
            return self.refuse(
                span,
                what,
                format!("this module has no `impl {name}` for them"),
                "write the `impl` into the module, or a function: `fn add(a: S, b: S) -> S`",
            );
        };
        let given = operator.of(&sides[0].ty);
        if name.ends_with("Assign") {
            let left = sides.remove(0);
            let (ty, at) = (Type::reference(true, left.ty.clone()), left.span);
            sides.insert(0, Expr::new(Kind::Borrow(left.boxed()), ty, at));
        }
        self.inline_with(&operator.function, 1, given, sides, std::iter::empty(), span)
    }

    /// The function of an operator for these sides. References to values of a known crate are implemented as the
    /// values are: a side is borrowed or dereferenced, as the function takes it.
    fn operator_on(
        &mut self,
        name: &'static str,
        sides: &mut [Expr],
        through_references: bool,
    ) -> Option<Operator> {
        let module = self.module;
        for through in [false, through_references] {
            let mut found = Vec::new();
            for operator in module.operators(name) {
                let types = [&operator.left, &operator.right];
                let is_taken = sides.iter().zip(types).all(|(side, ty)| {
                    // a reference is implemented apart from its value
                    let (written, own) =
                        (is_reference(ty), matches!(self.infer.shallow(&side.ty), Type::Ref(..)));
                    let assigned = name.ends_with("Assign") && std::ptr::eq(ty, &operator.left);
                    through || assigned || written == own
                });
                let types: Vec<Side<'_>> = sides.iter().map(|side| &side.ty).zip(types).collect();
                if is_taken && let Some(fit) = self.fit(&operator.function.sig.generics, &types) {
                    found.push((fit, (), operator));
                }
            }
            let Some(operator) = self.best(found) else { continue };
            if through {
                for (side, ty) in sides.iter_mut().zip([&operator.left, &operator.right]) {
                    let is_value = !matches!(self.infer.shallow(&side.ty), Type::Ref(..));
                    if !is_reference(ty) {
                        *side = self.dereferenced(side.clone());
                    } else if is_value {
                        let (ty, at) = (Type::reference(false, side.ty.clone()), side.span);
                        *side = Expr::new(Kind::Borrow(side.clone().boxed()), ty, at);
                    }
                }
            }
            return Some(operator.clone());
        }
        None
    }

    /// The function of a text by which a matrix behind a reference, whose sizes are known at run time, becomes another
    /// one of its shape: what is behind a reference may be the caller's, whose lengths stay.
    pub(super) fn replacement(&self, left: &Expr) -> Option<Rc<ItemFn>> {
        let Type::Record(of) = self.infer.peel(&left.ty) else { return None };
        let is_long = of.record.of_crate.is_some() && of.record.is_open();
        let function = self.module.records().function(&of.name.to_string(), "replaced_by");
        function.filter(|_| is_long && self.is_behind_reference(left))
    }

    /// A call of such a function.
    pub(super) fn written_into(
        &mut self,
        function: &Rc<ItemFn>,
        left: Expr,
        right: Expr,
        span: Span,
    ) -> Expr {
        let borrowed = |mutable, e: Expr| {
            let (ty, at) = (Type::reference(mutable, e.ty.clone()), e.span);
            Expr::new(Kind::Borrow(e.boxed()), ty, at)
        };
        let sides = vec![borrowed(true, left), borrowed(false, right)];
        self.inline_with(function, 1, super::helper::Given::default(), sides, std::iter::empty(), span)
    }

    fn is_behind_reference(&self, place: &Expr) -> bool {
        match &place.kind {
            Kind::Deref(_) => true,
            Kind::Field(base, _) => {
                matches!(self.infer.shallow(&base.ty), Type::Ref(..)) || self.is_behind_reference(base)
            }
            _ => false,
        }
    }

    /// The known crate whose type it is.
    pub(super) fn crate_of(&self, ty: &Type) -> Option<String> {
        match self.infer.peel(ty) {
            Type::Record(of) => of.record.of_crate.as_ref().map(|it| it.name.clone()),
            _ => None,
        }
    }

    /// `v[i]` of a struct: the element that `index` returns a reference to. `index_mut` is the same function but
    /// for its `mut`s, so that one serves what is read and what is written.
    pub(super) fn index_of_record(&mut self, base: Expr, e: &syn::ExprIndex) -> Option<Expr> {
        let span = e.span();
        let index = self.expr(&e.index);
        let functions = ["Index", "IndexMut"].map(|name| self.operator_for(name, &base.ty, Some(&index.ty)));
        let [Some(operator), written] = functions else {
            if self.operator_for("Deref", &base.ty, None).is_some() {
                let target = self.target_of_record(base, span);
                return Some(self.index_of(target, e));
            }
            let ty = self.infer.show(&self.infer.peel(&base.ty));
            self.refuse(
                span,
                format!("an index into a value of type `{ty}`"),
                "only arrays, slices, vectors and structs that implement `Index` are indexed",
                format!("name the field, or write `impl Index<usize> for {ty}` beside the struct"),
            );
            return None;
        };
        let read = &operator.function;
        if written.is_some_and(|written| without_mut(&written.function.block) != without_mut(&read.block)) {
            self.refuse(
                span,
                "an index into a struct whose `index` and `index_mut` are written differently",
                "which of them is called follows from what is done with the element",
                "write one as the other, with `&mut` for `&`",
            );
            return None;
        }
        let given = operator.of(&base.ty);
        let base = self.as_receiver(read, base);
        let element = self.inline_with(read, 1, given, vec![base, index], std::iter::empty(), span);
        Some(self.dereferenced(element))
    }

    /// `*w` of a struct that implements `Deref`, or the struct itself.
    pub(super) fn target_of_record(&mut self, e: Expr, span: Span) -> Expr {
        let Some(operator) = self.operator_for("Deref", &e.ty, None) else { return e };
        let given = operator.of(&e.ty);
        let e = self.as_receiver(&operator.function, e);
        let target = self.inline_with(&operator.function, 1, given, vec![e], std::iter::empty(), span);
        self.dereferenced(target)
    }

    /// The struct behind the `Deref` of a struct, if it is one.
    pub(super) fn behind_deref(&mut self, e: &Expr, span: Span) -> Option<(Expr, Rc<RecordType>)> {
        self.operator_for("Deref", &e.ty, None)?;
        let target = self.target_of_record(e.clone(), span);
        match self.infer.peel(&target.ty) {
            Type::Record(of) => Some((target, of)),
            _ => None,
        }
    }

    /// The `impl` of a trait for values of these types.
    pub(super) fn operator_for(&mut self, name: &str, left: &Type, right: Option<&Type>) -> Option<Operator> {
        let module = self.module;
        let mut found = Vec::new();
        for operator in module.operators(name) {
            let right = right.map(|right| (right, &operator.right));
            let sides: Vec<Side<'_>> = std::iter::once((left, &operator.left)).chain(right).collect();
            if let Some(fit) = self.fit(&operator.function.sig.generics, &sides) {
                // `From<[f64; 3]>` beside `From<&[f64; 3]>`
                let is_behind = |right: &Type| matches!(self.infer.shallow(right), Type::Ref(..));
                let as_given = right.is_none_or(|(right, written)| is_behind(right) == is_reference(written));
                found.push((fit, as_given, operator));
            }
        }
        self.best(found).cloned()
    }

    /// `a == b` of structs: their own function, or member by member where it is derived.
    fn compared_records(&mut self, op: &syn::BinOp, sides: &[Expr], span: Span) -> Option<Expr> {
        let op = match op {
            syn::BinOp::Eq(_) => BinOp::Eq,
            syn::BinOp::Ne(_) => BinOp::Ne,
            syn::BinOp::Lt(_) => BinOp::Lt,
            syn::BinOp::Le(_) => BinOp::Le,
            syn::BinOp::Gt(_) => BinOp::Gt,
            syn::BinOp::Ge(_) => BinOp::Ge,
            _ => return None,
        };
        let [left, right] = sides else { return None };
        if matches!(op, BinOp::Eq | BinOp::Ne)
            && let Some(equal) = self.operator_for("PartialEq", &left.ty, Some(&right.ty))
        {
            let given = equal.of(&left.ty);
            let sides = sides.iter().map(|side| self.as_receiver(&equal.function, side.clone())).collect();
            let equal = self.inline_with(&equal.function, 1, given, sides, std::iter::empty(), span);
            return Some(if op == BinOp::Eq { equal } else { equal.not() });
        }
        self.member_by_member(op, left, right, span).or_else(|| self.compared_parts(op, left, right, span))
    }

    /// Whether a value may be of the written type.
    pub(super) fn is_of(&mut self, have: &Type, written: &syn::Type) -> bool {
        self.fit(&syn::Generics::default(), &[(have, written)]).is_some()
    }
}

impl Operator {
    /// What stands for the parameters of its `impl`, by the type of the left side.
    pub(super) fn of(&self, left: &Type) -> Given {
        Given { own: Some((self.left.clone(), left.clone())), ..Given::default() }
    }
}

/// The text without `mut`, and without `_mut` at the end of names.
fn without_mut(of: &impl ToTokens) -> String {
    fn text(tokens: TokenStream) -> String {
        let texts = tokens.into_iter().map(|token| match token {
            TokenTree::Group(group) => format!("{:?}({})", group.delimiter(), text(group.stream())),
            TokenTree::Ident(ident) if ident == "mut" => String::new(),
            TokenTree::Ident(ident) => ident.to_string().trim_end_matches("_mut").to_owned(),
            token => token.to_string(),
        });
        texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")
    }
    text(of.to_token_stream())
}
