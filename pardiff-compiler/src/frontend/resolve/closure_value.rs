//! Closures as values, by closure conversion (Landin 1964, Reynolds 1972): a value is what a closure keeps, and its
//! type says which body is called with that.
//!
//! ```text
//! fn scale(a: f64) -> impl Fn(f64) -> f64 { move |x| a * x }      struct Closure { a: f64 }
//! let rule = Rule { f: scale(2.0) };                              let rule = Rule { f: Closure { a: 2.0 } };
//! (rule.f)(y)                                                     { let (a, x) = (rule.f.a, y); a * x }
//! ```
//!
//! Each closure has a type of its own, as for rustc: two of them in one place are two types that meet, and are refused.
//! A `move` closure keeps the variables that its body names. Any other one keeps nothing and sees the variables
//! themselves: they outlive it, and nothing but the closure changes them while it may be called, as the borrow checker
//! has proved.

use super::super::display::tidy;
use super::super::hygiene;
use super::super::infer::{Argument, CLOSURE, RecordType, Type};
use super::super::param_types::is_function_value;
use super::super::tree::{Expr, Kind};
use super::closure::Callable;
use super::record::is_place;
use super::{Name, Resolver, bare};
use crate::signature::{Content, Field, Record};
use crate::visit::{self, Visit};
use proc_macro2::Span;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use syn::spanned::Spanned;

/// A closure that is the type of values, and the names of what these keep.
#[derive(Clone)]
pub(super) struct Converted {
    callable: Callable,
    kept: Vec<String>,
}

/// The closures of a function that are values.
#[derive(Default)]
pub(super) struct Closures {
    /// By the names of their types.
    types: HashMap<String, Converted>,
    /// What stands for the functions that fields of structs hold.
    in_fields: Vec<Type>,
}

impl Resolver<'_> {
    /// `|x| …` where a value stands.
    pub(super) fn closure_here(&mut self, closure: &syn::ExprClosure) -> Expr {
        let callable = self.callable(closure);
        self.closure_value(&callable, true, closure.span())
    }

    /// The value of a closure under a name. What it keeps was copied where it was made: a variable that may have
    /// changed since then is refused.
    pub(super) fn closure_of_name(&mut self, callable: &Callable, span: Span) -> Expr {
        self.closure_value(callable, false, span)
    }

    fn closure_value(&mut self, callable: &Callable, is_here: bool, span: Span) -> Expr {
        let mut kept = Vec::new();
        if callable.is_move() {
            let scopes = callable.seen_by(self);
            for name in callable.names() {
                let value = match self.lookup(&name).cloned() {
                    Some(Name::Local(local)) => {
                        if !is_here && self.locals[local].mutable {
                            self.refuse_old_copy(local, span);
                        }
                        Expr::local(local, &self.locals[local].ty, span)
                    }
                    Some(Name::Closure(inner)) => self.closure_of_name(&inner, span),
                    _ => continue,
                };
                kept.push((name, value));
            }
            self.scopes = scopes;
        }
        let (names, values): (Vec<String>, Vec<Expr>) = kept.into_iter().unzip();
        let name = syn::Ident::new(&format!("{CLOSURE}{}", self.closures.types.len()), span);
        let fields = names.iter().map(|of| Field {
            member: syn::Member::Named(syn::Ident::new(of, span)),
            ty: syn::parse_quote!(_),
            content: Content::Open,
        });
        let record = Record {
            name: Some(name.clone()),
            arguments: Vec::new(),
            fields: fields.collect(),
            derives: Vec::new(),
            variants: Vec::new(),
            of_crate: None,
            is_option: false,
        };
        let parts: Vec<Type> = values.iter().map(|value| value.ty.clone()).collect();
        let arguments = parts.iter().cloned().map(Argument::Type).collect();
        self.closures.types.insert(name.to_string(), Converted { callable: callable.clone(), kept: names });
        let ty = Type::Record(Rc::new(RecordType { name, arguments, record: Rc::new(record), parts }));
        Expr::new(Kind::Tuple(values), ty, span)
    }

    /// The closure that values of a type are.
    pub(super) fn closure_of_type(&self, ty: &Type) -> Option<Converted> {
        match self.infer.peel(ty) {
            Type::Record(of) => self.closures.types.get(&of.name.to_string()).cloned(),
            _ => None,
        }
    }

    /// Notes what stands for a function in a field.
    pub(super) fn note_function_in_field(&mut self, ty: &Type) {
        self.closures.in_fields.push(ty.clone());
    }

    /// Of functions that came from outside, nothing is seen.
    pub(super) fn finish_functions_in_fields(&mut self) {
        for function in std::mem::take(&mut self.closures.in_fields) {
            if let Type::Var(_) = self.infer.peel(&function) {
                let _ = self.infer.unify(&function, &Type::UNIT);
            }
        }
    }

    /// A call of a value.
    pub(super) fn call_value(&mut self, value: Expr, call: &syn::ExprCall) -> Expr {
        let span = call.span();
        let value = self.dereferenced(value);
        let (Some(converted), Type::Record(of)) =
            (self.closure_of_type(&value.ty), self.infer.peel(&value.ty))
        else {
            return match self.infer.peel(&value.ty) {
                Type::Never => self.error(span),
                _ => self.refuse_unknown_function(call.func.span()),
            };
        };
        let mut stmts = Vec::new();
        let value = if is_place(&value) { value } else { self.named("closure", value, &mut stmts) };
        let kept = converted.kept.iter().zip(&of.parts).enumerate().map(|(at, (name, ty))| {
            let part = value.member(at, ty, span);
            let part = match self.infer.shallow(ty) {
                Type::Scalar(_) | Type::Ref(..) => part,
                _ => part.borrowed(false),
            };
            (name.clone(), part)
        });
        let kept = kept.collect();
        self.call_closure(&converted.callable, kept, call).behind(stmts, span)
    }

    pub(super) fn refuse_unknown_function(&mut self, span: Span) -> Expr {
        self.refuse(
            span,
            "a call of something that is not a name",
            "which function it is would be known only at run time",
            "choose among values: `match k { 0 => x.sin(), _ => x.cos() }`",
        )
    }

    /// An argument that is a value, where a function is asked for: a field, a variable, or what a helper returns.
    pub(super) fn closure_argument(&mut self, arg: &syn::Expr) -> Option<Expr> {
        let is_value = match bare(arg) {
            syn::Expr::Reference(of) => return self.closure_argument(&of.expr),
            syn::Expr::Path(path) => {
                let name = path.path.get_ident().map(ToString::to_string).unwrap_or_default();
                matches!(self.lookup(&name), Some(Name::Local(_)))
            }
            syn::Expr::Field(_) | syn::Expr::Call(_) | syn::Expr::MethodCall(_) => true,
            _ => false,
        };
        if !is_value {
            return None;
        }
        let value = self.expr(arg);
        let value = self.dereferenced(value);
        if self.closure_of_type(&value.ty).is_none() && !matches!(self.infer.peel(&value.ty), Type::Never) {
            self.refuse(
                value.span,
                format!("`{}` as a function", tidy(arg)),
                "which function it is would be known only at run time",
                "pass a closure, `|x| …`, or the name of a function",
            );
        }
        Some(value)
    }
}

/// Whether a helper returns a function: `impl Fn(f64) -> f64`, `Box<dyn Fn(f64) -> f64>`, `fn(f64) -> f64`.
pub(super) fn returns_function(sig: &syn::Signature) -> bool {
    matches!(&sig.output, syn::ReturnType::Type(_, ty) if is_function_value(ty))
}

/// The helper whose last closure is one with `move`: what a function returns cannot refer to its own variables, so that
/// rustc moves into it what it names.
pub(super) fn with_moved_closure(item: &syn::ItemFn) -> syn::ItemFn {
    let mut item = item.clone();
    if let Some(syn::Stmt::Expr(last, _)) = item.block.stmts.last_mut() {
        moved(last);
    }
    item
}

fn moved(e: &mut syn::Expr) {
    match e {
        syn::Expr::Closure(closure) => _ = closure.capture.get_or_insert_with(|| syn::parse_quote!(move)),
        syn::Expr::Paren(e) => moved(&mut e.expr),
        syn::Expr::Group(e) => moved(&mut e.expr),
        syn::Expr::Return(e) => e.expr.iter_mut().for_each(|e| moved(e)),
        // `Box::new(|x| …)`
        syn::Expr::Call(call) if matches!(&*call.func, syn::Expr::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "new")) =>
        {
            call.args.iter_mut().for_each(moved);
        }
        _ => {}
    }
}

impl Callable {
    fn is_move(&self) -> bool {
        self.closure.capture.is_some()
    }

    /// Lets the resolver see the names that the closure sees; those that it saw.
    fn seen_by(&self, resolver: &mut Resolver<'_>) -> Vec<super::Scope> {
        std::mem::replace(&mut resolver.scopes, self.scopes.to_vec())
    }

    /// The names of one word that stand for values in the body, its parameters apart, in alphabetical order.
    fn names(&self) -> BTreeSet<String> {
        let mut found = Values::default();
        found.visit_expr(&self.closure.body);
        let mut own = Values::default();
        self.closure.inputs.iter().for_each(|pat| own.visit_pat(pat));
        found.names.difference(&own.names).cloned().collect()
    }
}

/// Names that are values, or that patterns bind.
#[derive(Default)]
struct Values {
    names: BTreeSet<String>,
}

impl Visit for Values {
    fn visitor(&mut self) -> &mut dyn Visit {
        self
    }

    fn visit_path(&mut self, path: &syn::Path) {
        self.names.extend(path.get_ident().map(ToString::to_string));
        visit::visit_path(self, path);
    }

    fn visit_pat_ident(&mut self, pat: &syn::PatIdent) {
        self.names.insert(pat.ident.to_string());
    }

    fn visit_macro(&mut self, mac: &syn::Macro) {
        self.names.extend(hygiene::names(mac.tokens.clone()));
    }
}
