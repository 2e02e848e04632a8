//! Closures that the methods of iterators take: of one item, or of what was folded so far and an item.

use super::super::chain::Closure;
use super::super::infer::Type;
use super::super::tree::Expr;
use super::changed::writes_outside;
use super::jump::Leavable;
use super::{Resolver, bare};
use proc_macro2::Span;
use syn::spanned::Spanned;

impl Resolver<'_> {
    /// A closure of one argument that computes a value, and the type of the value.
    pub(super) fn closure(&mut self, e: &syn::Expr, arg: &Type) -> Option<(Closure, Type)> {
        let (closure, ty, changes) = self.changing_closure(e, arg)?;
        if let Some(span) = changes {
            self.refuse_change(span);
            return None;
        }
        Some((closure, ty))
    }

    pub(super) fn refuse_change(&mut self, span: Span) {
        self.refuse(
            span,
            "a closure that changes a variable outside of it",
            "`map` and `filter` are lazy, and which items they see depends on the adapters around them",
            "write a `for` over the items, or `for_each`",
        );
    }

    /// The same with where it changes a variable outside of it.
    pub(super) fn changing_closure(
        &mut self,
        e: &syn::Expr,
        arg: &Type,
    ) -> Option<(Closure, Type, Option<Span>)> {
        let first = self.locals.len();
        let closure = self.function_of(e, 1)?;
        let (param, body) = self.scoped(false, |this| {
            let param = this.pattern(&closure.inputs[0], arg);
            let body = this.closure_body(&closure);
            (param, body)
        });
        self.refuse_copies(&closure, &body, first);
        let (ty, changes) = (body.ty.clone(), writes_outside(&body, first));
        Some((Closure { param, body: body.boxed() }, ty, changes))
    }

    /// The body of a closure; its `return`s leave it.
    pub(super) fn closure_body(&mut self, closure: &syn::ExprClosure) -> Expr {
        let (mut body, id, left_with) =
            self.inside(Leavable::Function, None, |this, _| this.expr(&closure.body));
        body = self.with_jumps_in_front(body);
        body = self.labelled(id, body, left_with);
        if let syn::ReturnType::Type(_, ty) = &closure.output
            && let Some(ty) = self.type_of(ty)
        {
            self.unify(&ty, &body.ty, body.span);
        }
        body
    }

    /// The closure that an argument is; a function by name becomes one.
    pub(super) fn function_of(&mut self, e: &syn::Expr, arity: usize) -> Option<syn::ExprClosure> {
        match bare(e) {
            syn::Expr::Closure(closure) if closure.inputs.len() == arity => Some(closure.clone()),
            syn::Expr::Path(path) => {
                let span = path.span();
                let names: Vec<syn::Ident> =
                    (0..arity).map(|k| syn::Ident::new(&format!("argument_{k}"), span)).collect();
                Some(syn::parse_quote!(|#(#names),*| #path(#(#names),*)))
            }
            // a reference to a function is called as the function
            syn::Expr::Reference(of)
                if matches!(bare(&of.expr), syn::Expr::Path(_) | syn::Expr::Field(_)) =>
            {
                self.function_of(&of.expr, arity)
            }
            // a field that is a closure
            syn::Expr::Field(field) => {
                let span = field.span();
                let names: Vec<syn::Ident> =
                    (0..arity).map(|k| syn::Ident::new(&format!("argument_{k}"), span)).collect();
                Some(syn::parse_quote!(|#(#names),*| (#field)(#(#names),*)))
            }
            other => {
                let args = ["||", "|x|", "|a, x|"][arity];
                self.refuse(
                    other.span(),
                    "this argument of an iterator's method",
                    format!("it is a closure of {arity} arguments or the name of a function"),
                    format!("write the closure where it is used: `{args} …`"),
                );
                None
            }
        }
    }
}
