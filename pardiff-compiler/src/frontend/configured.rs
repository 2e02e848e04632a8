//! `#[cfg(…)]` on statements, as conditions that the compiler behind us knows.
//!
//! ```text
//! #[cfg(debug_assertions)] assert!(x > 0.0);                    if cfg!(debug_assertions) { assert!(x > 0.0); }
//! #[cfg(fine)] let n = 64;  #[cfg(not(fine))] let n = 8;        let n = if cfg!(fine) { 64 } else { 8 };
//! #[cfg(fine)] { a }  #[cfg(not(fine))] { b }                   if cfg!(fine) { a } else { b }
//! #[cfg(fine)] fn f() { a }  #[cfg(not(fine))] fn f() { b }     fn f() { if cfg!(fine) { a } else { b } }
//! ```
//!
//! Two methods of an `impl` are as two functions. Legal where both sides compile: of what a statement names, other
//! things than variables and functions, which are resolved here, and those of `core`, may be missing in one
//! configuration. Such statements keep their attribute, and are refused.

use super::{Refusals, errors};
use crate::visit::changing::{self as visit_mut, VisitMut};
use crate::visit::{self, Visit};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Block, ImplItem, ImplItemFn, Item, ItemFn, Local, Meta, Path, Signature, Stmt, Token};

/// The function with conditions for attributes.
pub(super) fn in_function(item: &mut ItemFn) {
    Conditions.visit_block_mut(&mut item.block);
}

/// An item of a module with conditions for attributes.
pub(super) fn in_item(item: &mut Item) {
    if let Item::Impl(item) = item {
        item.items = with_one_of_two(std::mem::take(&mut item.items));
    }
    Conditions.visit_item_mut(item);
}

/// Attributes that change nothing of what an item computes.
const INERT: [&str; 10] =
    ["allow", "expect", "warn", "deny", "forbid", "doc", "inline", "cold", "must_use", "deprecated"];

/// `#[cfg]` inside a function: which version is compiled is not known when the attribute runs.
pub(super) fn refuse(attrs: &[Attribute], refusals: &mut Refusals) {
    for attr in attrs {
        let decides = attr.path().is_ident("cfg") || attr.path().is_ident("cfg_attr") && !adds_nothing(attr);
        if decides {
            refusals.push(
                attr.span(),
                format!("`#[{}]` inside the function", super::display::tidy(attr.path())),
                "an attribute does not see which configuration is active",
                "write `if cfg!(…) { … }`, or put the attribute on the whole function",
            );
        }
    }
}

/// `#[cfg_attr(fast, inline)]`: nothing is computed otherwise with it. What `#[differentiate]` says of a function
/// is of its own derivatives, but for a rule by hand.
fn adds_nothing(attr: &Attribute) -> bool {
    let Meta::List(list) = &attr.meta else { return false };
    let Ok(parts) = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated) else {
        return false;
    };
    parts.iter().skip(1).all(|part| {
        let is_ours = part.path().segments.last().is_some_and(|last| last.ident == "differentiate");
        INERT.iter().any(|name| part.path().is_ident(name))
            || is_ours && !part.to_token_stream().to_string().contains("custom")
    })
}

struct Conditions;

impl VisitMut for Conditions {
    fn visitor(&mut self) -> &mut dyn VisitMut {
        self
    }

    fn visit_block_mut(&mut self, block: &mut Block) {
        let mut stmts: Vec<Stmt> = Vec::new();
        for stmt in std::mem::take(&mut block.stmts) {
            match (stmts.last_mut(), stmt) {
                (Some(Stmt::Local(first)), Stmt::Local(second)) if either(first, &second).is_some() => {
                    *first = either(first, &second).unwrap_or(second);
                }
                (
                    Some(Stmt::Expr(syn::Expr::Block(first), _)),
                    Stmt::Expr(syn::Expr::Block(second), semi),
                ) if either_block(first, &second).is_some() => {
                    let chosen = either_block(first, &second).unwrap_or(syn::Expr::Block(second));
                    stmts.pop();
                    stmts.push(Stmt::Expr(chosen, semi));
                }
                (_, stmt) => stmts.push(stmt),
            }
        }
        block.stmts = stmts.into_iter().map(conditional).collect();
        visit_mut::visit_block_mut(self, block);
    }
}

/// The condition of the only attribute that is one.
fn condition(attrs: &[Attribute]) -> Option<TokenStream> {
    let [attr] = attrs else { return None };
    match &attr.meta {
        Meta::List(list) if list.path.is_ident("cfg") => Some(list.tokens.clone()),
        _ => None,
    }
}

/// A statement that makes no variable, under its condition.
fn conditional(mut stmt: Stmt) -> Stmt {
    if let Stmt::Macro(of) = &mut stmt
        && errors::is_print(&of.mac)
    {
        of.attrs.retain(|attr| !attr.path().is_ident("cfg"));
        return stmt;
    }
    let mut bare = stmt.clone();
    let condition = match &mut bare {
        Stmt::Macro(of) if of.semi_token.is_some() => condition(&std::mem::take(&mut of.attrs)),
        Stmt::Expr(e, semi) if semi.is_some() || has_no_value(e) => {
            attributes(e).and_then(|attrs| condition(&std::mem::take(attrs)))
        }
        _ => None,
    };
    match condition {
        Some(condition) if compiles_always(&bare) => {
            syn::parse_quote!(if cfg!(#condition) { #bare })
        }
        _ => stmt,
    }
}

/// Whether it is a statement without a semicolon, and none that stands for a value.
fn has_no_value(e: &syn::Expr) -> bool {
    match e {
        syn::Expr::Block(e) => !matches!(e.block.stmts.last(), Some(Stmt::Expr(_, None))),
        e => matches!(e, syn::Expr::ForLoop(_)),
    }
}

fn attributes(e: &mut syn::Expr) -> Option<&mut Vec<Attribute>> {
    use syn::Expr::*;
    Some(match e {
        Assign(e) => &mut e.attrs,
        Binary(e) => &mut e.attrs,
        Block(e) => &mut e.attrs,
        Call(e) => &mut e.attrs,
        ForLoop(e) => &mut e.attrs,
        If(e) => &mut e.attrs,
        Macro(e) => &mut e.attrs,
        MethodCall(e) => &mut e.attrs,
        _ => return None,
    })
}

/// Two variables of one name, of which one is there.
fn either(first: &Local, second: &Local) -> Option<Local> {
    let a = condition_or_not(&first.attrs, &second.attrs)?;
    let same = first.pat.to_token_stream().to_string() == second.pat.to_token_stream().to_string();
    if !same {
        return None;
    }
    let value = |local: &Local| {
        let init = local.init.as_ref().filter(|init| init.diverge.is_none())?;
        compiles_always(&init.expr).then(|| init.expr.clone())
    };
    let (pat, x, y) = (&first.pat, value(first)?, value(second)?);
    match syn::parse_quote!(let #pat = if cfg!(#a) { #x } else { #y };) {
        Stmt::Local(local) => Some(local),
        _ => None,
    }
}

/// Two blocks, of which one is there.
fn either_block(first: &syn::ExprBlock, second: &syn::ExprBlock) -> Option<syn::Expr> {
    let a = condition_or_not(&first.attrs, &second.attrs)?;
    let is_plain = |of: &syn::ExprBlock| of.label.is_none() && compiles_always(&of.block);
    let (x, y) = (&first.block, &second.block);
    (is_plain(first) && is_plain(second)).then(|| syn::parse_quote!(if cfg!(#a) #x else #y))
}

/// Two helpers of one signature, of which one is there.
pub(super) fn either_function(first: &ItemFn, second: &ItemFn) -> Option<ItemFn> {
    let block =
        either_body((&first.attrs, &first.sig, &first.block), (&second.attrs, &second.sig, &second.block))?;
    Some(ItemFn { attrs: Vec::new(), block: Box::new(block), ..second.clone() })
}

/// What an `impl` holds, with one method for two of one signature.
fn with_one_of_two(items: Vec<ImplItem>) -> Vec<ImplItem> {
    let mut parts: Vec<ImplItem> = Vec::new();
    for part in items {
        match (parts.last_mut(), part) {
            (Some(ImplItem::Fn(first)), ImplItem::Fn(second)) => match either_method(first, &second) {
                Some(both) => *first = both,
                None => parts.push(ImplItem::Fn(second)),
            },
            (_, part) => parts.push(part),
        }
    }
    parts
}

/// Two methods of one signature, of which one is there.
fn either_method(first: &ImplItemFn, second: &ImplItemFn) -> Option<ImplItemFn> {
    let block =
        either_body((&first.attrs, &first.sig, &first.block), (&second.attrs, &second.sig, &second.block))?;
    Some(ImplItemFn { attrs: Vec::new(), block, ..second.clone() })
}

fn either_body(
    (first, sig, x): (&[Attribute], &Signature, &Block),
    (second, other, y): (&[Attribute], &Signature, &Block),
) -> Option<Block> {
    let conditions = |attrs: &[Attribute]| -> Vec<Attribute> {
        let inert = |attr: &&Attribute| !INERT.iter().any(|name| attr.path().is_ident(name));
        attrs.iter().filter(inert).cloned().collect()
    };
    let a = condition_or_not(&conditions(first), &conditions(second))?;
    let same = sig.to_token_stream().to_string() == other.to_token_stream().to_string();
    (same && compiles_always(x) && compiles_always(y)).then(|| syn::parse_quote!({ if cfg!(#a) #x else #y }))
}

/// The condition of the first, if that of the second is its negation.
fn condition_or_not(first: &[Attribute], second: &[Attribute]) -> Option<TokenStream> {
    let (a, b) = (condition(first)?, condition(second)?);
    let is_not = |a: &TokenStream, b: &TokenStream| quote!(not(#a)).to_string() == b.to_string();
    (is_not(&a, &b) || is_not(&b, &a)).then_some(a)
}

/// Whether all that is named are variables, functions, and what every program sees: numbers of `core`, and functions
/// of `libm`, which generated code does not call.
fn compiles_always(of: &impl ToTokens) -> bool {
    struct Named(bool);
    impl Visit for Named {
        fn visitor(&mut self) -> &mut dyn Visit {
            self
        }

        fn visit_path(&mut self, path: &Path) {
            let is_plain =
                path.get_ident().is_some_and(|name| !name.to_string().starts_with(char::is_uppercase));
            let first = path.segments.first().map(|first| first.ident.to_string()).unwrap_or_default();
            let is_known = path.segments.len() > 1 && super::is_word("core f32 f64 libm usize", &first);
            self.0 &= is_plain || is_known;
            visit::visit_path(self, path);
        }
    }
    let mut named = Named(true);
    match syn::parse2::<Block>(quote!({ #of })) {
        Ok(block) => named.visit_block(&block),
        Err(_) => return false,
    }
    named.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn configured(body: &str) -> String {
        let mut item: ItemFn = syn::parse_str(&format!("fn f() {{ {body} }}")).expect(body);
        in_function(&mut item);
        item.block.to_token_stream().to_string()
    }

    fn tokens(text: &str) -> String {
        text.parse::<TokenStream>().expect(text).to_string()
    }

    #[test]
    fn statements_under_conditions() {
        for (from, to) in [
            ("#[cfg(a)] assert!(x > 0.0);", "{ if cfg!(a) { assert!(x > 0.0); } }"),
            ("#[cfg(feature = \"b\")] { x += 1.0; };", "{ if cfg!(feature = \"b\") { { x += 1.0; }; } }"),
            ("#[cfg(a)] println!(\"{x}\");", "{ println!(\"{x}\"); }"),
            ("#[cfg(a)] { x += 1.0; } x", "{ if cfg!(a) { { x += 1.0; } } x }"),
            (
                "let y = 1.0; #[cfg(a)] { x + core::f64::consts::PI } #[cfg(not(a))] { libm::sin(y) }",
                "{ let y = 1.0; if cfg!(a) { x + core::f64::consts::PI } else { libm::sin(y) } }",
            ),
            (
                "#[cfg(a)] let n: usize = 64; #[cfg(not(a))] let n: usize = 8; g(n);",
                "{ let n: usize = if cfg!(a) { 64 } else { 8 }; g(n); }",
            ),
        ] {
            assert_eq!(configured(from), tokens(to), "{from}");
        }
    }

    #[test]
    fn one_helper_of_two() {
        let item = |text: &str| syn::parse_str::<ItemFn>(text).expect(text);
        let both =
            |a: &str, b: &str| Some(either_function(&item(a), &item(b))?.to_token_stream().to_string());
        let (first, second) = (
            "#[inline] #[cfg(a)] fn f(x: f64) -> f64 { x }",
            "#[cfg(not(a))] fn f(x: f64) -> f64 { 2.0 * x }",
        );
        let one = "fn f(x: f64) -> f64 { if cfg!(a) { x } else { 2.0 * x } }";
        assert_eq!(both(first, second), Some(tokens(one)));
        for other in [
            "#[cfg(b)] fn f(x: f64) -> f64 { x }",
            "#[cfg(not(a))] fn f(y: f64) -> f64 { y }",
            "#[cfg(not(a))] fn f(x: f64) -> f64 { gpu::f(x) }",
        ] {
            assert_eq!(both(first, other), None);
        }
    }

    #[test]
    fn one_method_of_two() {
        let mut item: Item = syn::parse_quote! {
            impl MulAdd for f64 {
                #[cfg(not(a))]
                #[inline(always)]
                fn times(self, a: f64) -> f64 { self * a }
                #[cfg(a)]
                fn times(self, a: f64) -> f64 { self.mul_add(a, 0.0) }
            }
        };
        in_item(&mut item);
        let one: Item = syn::parse_quote! {
            impl MulAdd for f64 {
                fn times(self, a: f64) -> f64 { if cfg!(not(a)) { self * a } else { self.mul_add(a, 0.0) } }
            }
        };
        assert_eq!(item.to_token_stream().to_string(), one.to_token_stream().to_string());
    }

    #[test]
    fn what_may_not_compile_keeps_its_attribute() {
        for body in [
            "#[cfg(a)] let n = 64; g(1);",
            "#[cfg(a)] let n = 64; #[cfg(b)] let n = 8;",
            "#[cfg(a)] let n = 64; #[cfg(not(a))] let m = 8;",
            "#[cfg(a)] { x += SCALE; };",
            "#[cfg(a)] gpu::start(x);",
            "#[cfg(a)] { gpu::start(x) } #[cfg(not(a))] { f(x) }",
        ] {
            assert_eq!(configured(body), tokens(&format!("{{ {body} }}")), "{body}");
        }
    }
}
