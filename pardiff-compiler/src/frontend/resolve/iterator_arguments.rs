//! Iterators as arguments of helpers: what they are made of is passed, and the chain is written in the helper.
//!
//! ```text
//! fn mean(v: impl Iterator<Item = f64>, n: usize) -> f64 { v.sum::<f64>() / n as f64 }
//! mean(x.iter().map(|x| a * x), n)
//!
//! fn mean(v_0: &[f64], v_1: impl Fn(&f64) -> f64, n: usize) -> f64 {
//!     let v = v_0.iter().map(v_1);
//!     v.sum::<f64>() / n as f64
//! }
//! mean(x, |x| a * x, n)
//! ```
//!
//! Legal because an iterator makes its items where it is used up, and each call of a helper is its body in its place.

use super::super::hygiene;
use super::super::num_traits;
use super::iterator::is_chain;
use super::named_iterator::parts_of_chain;
use super::{Resolver, bare};
use crate::visit::changing::{self as visit_mut, VisitMut};
use proc_macro2::TokenStream;
use quote::ToTokens;
use std::rc::Rc;
use syn::{
    Expr, FnArg, GenericParam, Generics, Ident, ItemFn, Pat, Type, TypeParamBound, WherePredicate,
    parse_quote,
};

/// The traits of iterators, and of what becomes one.
pub(super) const TRAITS: &str = "Iterator IntoIterator DoubleEndedIterator ExactSizeIterator";

impl Resolver<'_> {
    /// The helper that takes what its iterators are made of, and its arguments, of which the first `given` are
    /// evaluated; none where it takes no iterator.
    pub(super) fn with_iterators(
        &self,
        item: &Rc<ItemFn>,
        given: usize,
        args: &[&Expr],
    ) -> Option<(ItemFn, Vec<Expr>)> {
        let is_one =
            |arg: &FnArg| matches!(arg, FnArg::Typed(arg) if is_iterator(&item.sig.generics, &arg.ty));
        if !item.sig.inputs.iter().any(is_one) || item.sig.inputs.len() != given + args.len() {
            return None;
        }
        let mut written = ItemFn::clone(item);
        let (mut inputs, mut passed) = (Vec::new(), Vec::new());
        for (at, input) in std::mem::take(&mut written.sig.inputs).into_iter().enumerate() {
            let arg = at.checked_sub(given).map(|at| args[at]);
            let (true, Some(arg), FnArg::Typed(typed)) = (is_one(&input), arg, &input) else {
                passed.extend(arg.cloned());
                inputs.push(input);
                continue;
            };
            let Pat::Ident(pat) = &*typed.pat else { return None };
            let chain = if is_chain(arg) { arg.clone() } else { parse_quote!((#arg).into_iter()) };
            let named = parts_of_chain(&pat.ident, &chain, &item.block.stmts)?;
            for part in &named.parts {
                let (name, init) = (&part.pat, &part.init.as_ref()?.expr);
                inputs.push(parse_quote!(#name: _));
                passed.push((**init).clone());
            }
            let mut names = Names {
                name: pat.ident.to_string(),
                taken: quote::quote!(#item #chain),
                parts: named.parts.iter().map(|part| part.pat.to_token_stream().to_string()).collect(),
                found: Vec::new(),
            };
            let mut value = named.value;
            names.visit_expr_mut(&mut value);
            for (name, of, ty) in names.found {
                inputs.push(parse_quote!(#name: #ty));
                passed.push(of);
            }
            written.block.stmts.insert(0, parse_quote!(let #pat = #value;));
        }
        written.sig.inputs = inputs.into_iter().collect();
        without_iterators(&mut written.sig.generics);
        Some((written, passed))
    }
}

/// Whether a parameter of this type is an iterator: `impl Iterator<Item = f64>`, or a type parameter that is one.
pub(super) fn is_iterator(generics: &Generics, ty: &Type) -> bool {
    match ty {
        Type::Group(ty) => is_iterator(generics, &ty.elem),
        Type::Paren(ty) => is_iterator(generics, &ty.elem),
        Type::ImplTrait(ty) => ty.bounds.iter().any(is_of_iterators),
        Type::Path(path) => path.path.get_ident().is_some_and(|name| {
            generics
                .type_params()
                .any(|param| param.ident == *name && param.bounds.iter().any(is_of_iterators))
                || clauses(generics).any(|of| is_of(of, &name.to_string()))
        }),
        _ => false,
    }
}

fn is_of_iterators(bound: &TypeParamBound) -> bool {
    num_traits::name_of(bound).is_some_and(|name| super::is_word(TRAITS, &name))
}

fn clauses(generics: &Generics) -> impl Iterator<Item = &WherePredicate> {
    generics.where_clause.iter().flat_map(|clause| &clause.predicates)
}

/// Whether a clause says that a type is an iterator.
fn is_of(clause: &WherePredicate, name: &str) -> bool {
    matches!(clause, WherePredicate::Type(of)
        if of.bounded_ty.to_token_stream().to_string() == name && of.bounds.iter().any(is_of_iterators))
}

/// Removes the type parameters that are iterators, and what is said of them.
fn without_iterators(generics: &mut Generics) {
    let all = generics.clone();
    let name = |param: &GenericParam| match param {
        GenericParam::Type(param) => Some(param.ident.clone()),
        _ => None,
    };
    let is_one = |name: &Ident| is_iterator(&all, &parse_quote!(#name));
    let gone: Vec<String> =
        all.params.iter().filter_map(name).filter(is_one).map(|name| name.to_string()).collect();
    let params = std::mem::take(&mut generics.params).into_iter();
    generics.params =
        params.filter(|param| !name(param).is_some_and(|it| gone.contains(&it.to_string()))).collect();
    if let Some(clause) = &mut generics.where_clause {
        let predicates = std::mem::take(&mut clause.predicates).into_iter();
        let names = |of: &WherePredicate| hygiene::names(of.to_token_stream());
        clause.predicates =
            predicates.filter(|of| !gone.iter().any(|name| names(of).contains(name))).collect();
    }
}

/// Takes functions, and what is iterated over, out of a chain: they see the names of the caller.
struct Names {
    name: String,
    /// In which a new name must not stand.
    taken: TokenStream,
    /// What has a new name already.
    parts: Vec<String>,
    found: Vec<(Ident, Expr, Type)>,
}

impl Names {
    fn take(&mut self, e: &mut Expr, of: Expr, ty: Type) {
        let word = format!("{}_of_{}", self.name, self.found.len());
        let name = hygiene::fresh(&word, self.taken.clone());
        *e = parse_quote!(#name);
        self.found.push((name, of, ty));
    }
}

impl VisitMut for Names {
    fn visitor(&mut self) -> &mut dyn VisitMut {
        self
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        let Expr::MethodCall(call) = e else { return visit_mut::visit_expr_mut(self, e) };
        let method = call.method.to_string();
        let receiver = &mut call.receiver;
        match bare(receiver) {
            Expr::Path(_) | Expr::Field(_) => {
                if !self.parts.contains(&receiver.to_token_stream().to_string()) {
                    let of = match method.ends_with("_mut") {
                        true => parse_quote!(&mut #receiver),
                        false => parse_quote!(&#receiver),
                    };
                    self.take(receiver, of, parse_quote!(_));
                }
            }
            _ => self.visit_expr_mut(receiver),
        }
        let takes_values = super::is_word("zip chain skip take step_by", &method);
        for arg in &mut call.args {
            let arity = match bare(arg) {
                Expr::Closure(closure) => closure.inputs.len(),
                Expr::Path(path) if !takes_values && path.path.get_ident().is_some() => 1,
                _ => {
                    self.visit_expr_mut(arg);
                    continue;
                }
            };
            let any: Vec<Type> = (0..arity).map(|_| parse_quote!(_)).collect();
            let function = arg.clone();
            self.take(arg, function, parse_quote!(impl Fn(#(#any),*) -> _));
        }
    }
}
