//! Functions of scalars with a derivative given by hand: `#[differentiate(custom(partials = d_erf))] fn erf(x: f64) ->
//! f64`.
//!
//! The body of such a function is not looked into. A call is the call itself, the rule inlined as any helper, and the
//! function [`Func::Attach`], whose derivative is the rule's value:
//!
//! ```text
//! v = apply erf(x)             // no derivative of its own
//! p = d_erf(x)                 // ordinary code, which has derivatives itself
//! attach(v, p, x)              // v, with the derivative p
//! ```
//!
//! A rule may call functions with rules, its own among them: `W' = W / (x (1 + W))`. Derivatives of second order need
//! the rule of such a call, and none needs that of a call in the rule of a rule.

use super::super::infer::Type;
use super::super::options::Options;
use super::super::rule::Rule;
use super::super::tree::{Access, Expr, Kind, Method};
use super::helper::Given;
use super::{Name, Resolver, user_function};
use crate::ir::{Func, Ty};
use proc_macro2::Span;
use quote::quote;
use std::rc::Rc;
use syn::spanned::Spanned;
use syn::{Ident, ItemFn};

/// The first segment of what a call with a rule is made of; no crate has this name.
pub(super) const OURS: &str = "__pardiff";

/// How deep rules inside rules are attached: as often as a derivative is taken.
const DEPTH: usize = 2;

impl Resolver<'_> {
    /// A call of a function with a rule, where it is one.
    pub(super) fn with_rule<'e>(
        &mut self,
        item: &Rc<ItemFn>,
        args: &[Expr],
        rest: impl Iterator<Item = &'e syn::Expr>,
        span: Span,
    ) -> Option<Expr> {
        let rule = rule_of(item)?;
        let shim = match self.shim(item, &rule) {
            Ok(shim) => Rc::new(shim),
            Err((at, why, help)) => {
                let what = format!("the rule of `{}`", item.sig.ident);
                return Some(self.refuse(at, what, why, help));
            }
        };
        Some(self.inline_with(&shim, 1, Given::default(), args.to_vec(), rest, span))
    }

    /// The function that is inlined in place of one with a rule; or where that cannot be, why, and what to do.
    fn shim(&mut self, item: &ItemFn, rule: &Rule) -> Result<ItemFn, (Span, String, String)> {
        let (sig, own) = (&item.sig, &item.sig.ident);
        let partials = match rule {
            Rule::Partials(partials) => partials,
            Rule::Arrays(_) => return user_function::shim(item, rule),
        };
        if !sig.generics.params.is_empty() {
            let why = "it has parameters in `<…>`, and the rule is for one function";
            return Err((sig.generics.span(), why.into(), "write a function for each type".into()));
        }
        let mut params = Vec::new();
        for arg in &sig.inputs {
            let scalar = match arg {
                syn::FnArg::Typed(arg) => scalar(&arg.ty),
                syn::FnArg::Receiver(_) => None,
            };
            let Some(ty) = scalar else {
                let why = "its parameters are not all scalars";
                let help = "pass numbers: `fn f(x: f64, k: i32) -> f64`";
                return Err((arg.span(), why.into(), help.into()));
            };
            params.push((Ident::new(&format!("operand_{}", params.len()), Span::mixed_site()), ty));
        }
        let returned = match &sig.output {
            syn::ReturnType::Type(_, ty) => scalar(ty).filter(|ty| ty.is_float()),
            syn::ReturnType::Default => None,
        };
        let floats: Vec<&(Ident, Ty)> = params.iter().filter(|(_, ty)| ty.is_float()).collect();
        if returned.is_none() || floats.is_empty() || floats.iter().any(|(_, ty)| Some(*ty) != returned) {
            let why = "what it takes and returns is not of one float type";
            return Err((sig.span(), why.into(), "write `fn f(x: f64, k: i32) -> f64`".into()));
        }
        let Some(Name::Helper(known, 1)) = self.of_module(&partials.to_string()) else {
            let why = format!("`{partials}` is no function of this module");
            let help = format!("write `fn {partials}(…)` beside `{own}`: its arguments are those of `{own}`");
            return Err((partials.span(), why, help));
        };
        let count = count(&known.sig.output);
        if known.sig.inputs.len() != params.len() || count != Some(floats.len()) {
            let wanted = match floats.len() {
                1 => "the derivative".to_owned(),
                n => format!("an array or a tuple of {n} derivatives, one for each float argument in order"),
            };
            let why = format!("`{partials}` does not take the arguments of `{own}` and return {wanted}");
            return Err((known.sig.span(), why, format!("change `{partials}`")));
        }
        let is_array =
            matches!(&known.sig.output, syn::ReturnType::Type(_, ty) if matches!(**ty, syn::Type::Array(_)));
        let ours = Ident::new(OURS, Span::mixed_site());
        let names: Vec<&Ident> = params.iter().map(|(name, _)| name).collect();
        let apply = quote!(#ours::apply(#own #(, #names)*));
        let body = match self.rule_depth < DEPTH {
            false => apply,
            true => {
                let part = |k: usize| match (floats.len(), is_array) {
                    (1, false) => quote!(partials),
                    (_, true) => quote!(partials[#k]),
                    (_, false) => {
                        let k = syn::Index::from(k);
                        quote!(partials.#k)
                    }
                };
                let value = floats.iter().enumerate().fold(quote!(value), |value, (k, (operand, _))| {
                    let part = part(k);
                    quote!(#ours::attach(#value, #part, #operand))
                });
                quote!(let value = #apply; let partials = #ours::rule(#partials #(, #names)*); #value)
            }
        };
        let types = params.iter().map(|(_, ty)| type_name(*ty));
        let result = type_name(returned.unwrap_or(Ty::F64));
        let shim = quote!(fn #own(#(#names: #types),*) -> #result { #body });
        syn::parse2(shim)
            .map_err(|error| (sig.span(), error.to_string(), "write the function by itself".into()))
    }

    /// What the body of a shim calls.
    pub(super) fn of_rule(&mut self, func: &syn::ExprPath, e: &syn::ExprCall) -> Option<Expr> {
        let [ours, what] = [func.path.segments.first()?, func.path.segments.last()?];
        if ours.ident != OURS {
            return None;
        }
        let span = e.span();
        let access = Access { array: String::new(), text: String::new() };
        Some(match what.ident.to_string().as_str() {
            "apply" => {
                let syn::Expr::Path(function) = e.args.first()? else { return None };
                let args: Vec<Expr> = e.args.iter().skip(1).map(|arg| self.expr(arg)).collect();
                let float = args.iter().find(|arg| matches!(arg.ty, Type::Scalar(ty) if ty.is_float()));
                let ty = float.map_or(Type::Scalar(Ty::F64), |arg| arg.ty.clone());
                let ident = function.path.get_ident()?;
                let path = self.opaque(quote!(#ident), ident.to_string(), ty.clone(), span);
                Expr::new(Kind::Method(Method::Apply(path), args, access), ty, span)
            }
            "user" => return self.user_call(e),
            "rule" => {
                let syn::Expr::Path(partials) = e.args.first()? else { return None };
                let Some(Name::Helper(item, scopes)) =
                    self.of_module(&partials.path.get_ident()?.to_string())
                else {
                    return None;
                };
                // a rule that leads back to itself ends where its depth does
                let around = std::mem::take(&mut self.inlining);
                self.rule_depth += 1;
                let value = self.inline_with(
                    &item,
                    scopes,
                    Given::default(),
                    Vec::new(),
                    e.args.iter().skip(1),
                    span,
                );
                self.rule_depth -= 1;
                self.inlining = around;
                value
            }
            _ => {
                let args: Vec<Expr> = e.args.iter().map(|arg| self.expr(arg)).collect();
                let ty = args.first()?.ty.clone();
                args.iter().for_each(|arg| {
                    let have = self.infer.peel(&arg.ty);
                    self.unify(&ty, &have, span);
                });
                let method = Method::Scalar(Func::Attach.name());
                Expr::new(Kind::Method(method, args, access), ty, span)
            }
        })
    }
}

/// The rule that a helper carries.
pub(super) fn rule_of(item: &ItemFn) -> Option<Rule> {
    let ours = item.attrs.iter().filter(|attr| super::super::options::is_ours(attr));
    ours.filter_map(|attr| attr.meta.require_list().ok())
        .find_map(|list| Options::read(list.tokens.clone()).0.custom)
}

/// The type of a number, where it is written plainly.
pub(super) fn scalar(ty: &syn::Type) -> Option<Ty> {
    match ty {
        syn::Type::Path(path) => Ty::from_name(&path.path.get_ident()?.to_string()),
        syn::Type::Group(group) => scalar(&group.elem),
        _ => None,
    }
}

fn type_name(ty: Ty) -> Ident {
    Ident::new(&ty.to_string(), Span::mixed_site())
}

/// How many derivatives a function returns.
fn count(output: &syn::ReturnType) -> Option<usize> {
    let syn::ReturnType::Type(_, ty) = output else { return None };
    match &**ty {
        syn::Type::Tuple(tuple) => Some(tuple.elems.len()),
        syn::Type::Array(array) => match &array.len {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(len), .. }) => len.base10_parse().ok(),
            _ => None,
        },
        ty => scalar(ty).map(|_| 1),
    }
}
