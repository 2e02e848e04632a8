//! Operators on structs: calls of what an `impl` of the module says.

use super::super::infer::Type;
use super::super::tree::{Expr, Kind};
use super::Resolver;
use proc_macro2::Span;

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
        _ => return None,
    })
}

impl Resolver<'_> {
    /// `a + b`, `a += b` and the like where one side is a struct.
    pub(super) fn record_operator(&mut self, op: &syn::BinOp, sides: Vec<Expr>, span: Span) -> Expr {
        match trait_of(op) {
            Some(name) => self.operator_call(name, sides, span),
            None => self.refuse(
                span,
                "this operator on a struct",
                "only `+`, `-`, `*`, `/` and `%` are looked up in the `impl`s of the module",
                "compare or combine the fields: `a.x == b.x`",
            ),
        }
    }

    /// `-a` of a struct.
    pub(super) fn negated_record(&mut self, e: Expr, span: Span) -> Expr {
        self.operator_call("Neg", vec![e], span)
    }

    fn operator_call(&mut self, name: &'static str, mut sides: Vec<Expr>, span: Span) -> Expr {
        if sides.iter().any(|side| matches!(self.infer.peel(&side.ty), Type::Never)) {
            return self.error(span);
        }
        let module = self.module;
        let mut found = None;
        for operator in module.operators(name) {
            let types = [&operator.left, &operator.right];
            let fit = sides.iter().zip(types).all(|(side, ty)| {
                // a reference is implemented apart from its value
                let (written, own) =
                    (is_reference(ty), matches!(self.infer.shallow(&side.ty), Type::Ref(..)));
                let assigned = name.ends_with("Assign") && std::ptr::eq(ty, &operator.left);
                (assigned || written == own) && self.is_of(&side.ty, ty)
            });
            if fit {
                found = Some(operator.function.clone());
                break;
            }
        }
        let Some(function) = found else {
            let types: Vec<String> = sides.iter().map(|side| self.infer.show(&side.ty)).collect();
            return self.refuse(
                span,
                format!("an operator on values of type `{}`", types.join("` and `")),
                format!("this module has no `impl {name}` for them"),
                "write the `impl` into the module, or a function: `fn add(a: S, b: S) -> S`",
            );
        };
        if name.ends_with("Assign") {
            let left = sides.remove(0);
            let (ty, at) = (Type::reference(true, left.ty.clone()), left.span);
            sides.insert(0, Expr::new(Kind::Borrow(left.boxed()), ty, at));
        }
        self.inline_with(&function, 1, super::helper::Given::default(), sides, std::iter::empty(), span)
    }

    /// Whether a value may be of the written type, by its outermost constructor.
    fn is_of(&mut self, have: &Type, written: &syn::Type) -> bool {
        let refusals = self.refusals.0.len();
        let wanted = self.seen_from(1, |this| this.type_of(written));
        self.refusals.0.truncate(refusals);
        let Some(wanted) = wanted else { return false };
        match (self.infer.peel(have), self.infer.peel(&wanted)) {
            (Type::Record(a), Type::Record(b)) => a.name == b.name,
            (Type::Scalar(a), Type::Scalar(b)) => a == b,
            (Type::Var(_), Type::Scalar(b)) => match self.infer.class(have) {
                super::Class::Float => b.is_float(),
                super::Class::Int => b.is_int(),
                super::Class::Any => true,
            },
            (Type::Array(..), Type::Array(..)) => true,
            _ => false,
        }
    }
}

fn is_reference(ty: &syn::Type) -> bool {
    match ty {
        syn::Type::Group(ty) => is_reference(&ty.elem),
        syn::Type::Paren(ty) => is_reference(&ty.elem),
        ty => matches!(ty, syn::Type::Reference(_)),
    }
}
