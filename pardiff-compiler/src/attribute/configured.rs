//! `#[cfg(…)]` in an item: rustc decides before the item is read.
//!
//! ```text
//! #[differentiate(attr)]                    #[derive(::pardiff::__Configured)]
//! mod m { #[cfg(fine)] use … }      =>      #[::pardiff::__removed]
//!                                           enum Item { Tokens = { stringify! { attr } mod m { #[cfg(fine)] use … } 0 } }
//! ```
//!
//! An attribute sees conditions as they are written. A `derive` is given what it stands on without what is configured
//! out, in all depths; it stands before types alone, so the item stands in the number of a variant. What is derived is the
//! item and its derivatives. `__removed` is nothing: the type is never declared.
//!
//! *Guarantees*: what is read is what rustc compiles. *Never*: asked for methods, which stand where no type can.

use crate::frontend::Options;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::quote;
use syn::{FnArg, Item};

/// The item for rustc to decide its conditions, if it has some.
pub(super) fn asked(attr: &TokenStream, parsed: &Item, item: &TokenStream) -> Option<TokenStream> {
    let is_method = match parsed {
        Item::Fn(function) => function.sig.inputs.iter().any(|arg| matches!(arg, FnArg::Receiver(_))),
        _ => false,
    };
    if is_method || !has_conditions(item.clone()) {
        return None;
    }
    let krate = Options::read(attr.clone()).0.krate();
    Some(quote! {
        #[derive(#krate::__Configured)]
        #[#krate::__removed]
        enum Item { Tokens = { stringify! { #attr } #item 0 } }
    })
}

/// The attribute and the item that such a type holds.
pub(super) fn answered(holder: TokenStream) -> Option<(TokenStream, TokenStream)> {
    let held = last_braces(last_braces(holder)?)?;
    let held: Vec<TokenTree> = held.into_iter().collect();
    let [_, _, TokenTree::Group(attr), item @ .., _] = &held[..] else { return None };
    Some((attr.stream(), without_conditions(item)))
}

/// The tokens without `#[cfg(…)]`: rustc leaves those that hold. What macros are given is not decided.
fn without_conditions(tokens: &[TokenTree]) -> TokenStream {
    let mut kept: Vec<TokenTree> = Vec::new();
    for token in tokens {
        let TokenTree::Group(group) = token else {
            kept.push(token.clone());
            continue;
        };
        let before = |back: usize| kept.len().checked_sub(back).map(|at| kept[at].to_string());
        let (first, second, third) = (before(1), before(2), before(3));
        let is = |token: &Option<String>, sign: &str| token.as_deref() == Some(sign);
        let is_inner = is(&first, "!") && is(&second, "#");
        let is_attribute = group.delimiter() == Delimiter::Bracket && (is(&first, "#") || is_inner);
        let is_cfg =
            matches!(group.stream().into_iter().next(), Some(TokenTree::Ident(name)) if name == "cfg");
        if is_attribute && is_cfg {
            kept.truncate(kept.len() - if is_inner { 2 } else { 1 });
            continue;
        }
        // `name! { … }` and `macro_rules! name { … }`
        if !is_attribute
            && !is_inner
            && (is(&first, "!") && is_word(&second) || is(&second, "!") && is_word(&third))
        {
            kept.push(token.clone());
            continue;
        }
        let inner: Vec<TokenTree> = group.stream().into_iter().collect();
        let mut inner = Group::new(group.delimiter(), without_conditions(&inner));
        inner.set_span(group.span());
        kept.push(TokenTree::Group(inner));
    }
    kept.into_iter().collect()
}

fn is_word(token: &Option<String>) -> bool {
    token.as_ref().is_some_and(|text| text.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}

/// What stands between the last braces; those that hold a whole expression may be in invisible ones.
fn last_braces(tokens: TokenStream) -> Option<TokenStream> {
    let groups = tokens.into_iter().filter_map(|token| match token {
        TokenTree::Group(group) => Some(group),
        _ => None,
    });
    let last = groups.last()?;
    match last.delimiter() {
        Delimiter::Brace => Some(last.stream()),
        Delimiter::None => last_braces(last.stream()),
        Delimiter::Bracket | Delimiter::Parenthesis => None,
    }
}

/// Whether `#[cfg(…)]` or `#[cfg_attr(…)]` occurs.
fn has_conditions(tokens: TokenStream) -> bool {
    let mut after_sign = false;
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => {
            let is_attribute = std::mem::take(&mut after_sign) && group.delimiter() == Delimiter::Bracket;
            (is_attribute && is_condition(group.stream())) || has_conditions(group.stream())
        }
        TokenTree::Punct(sign) => {
            // `#![cfg(…)]` as well
            after_sign = sign.as_char() == '#' || after_sign && sign.as_char() == '!';
            false
        }
        _ => {
            after_sign = false;
            false
        }
    })
}

fn is_condition(attribute: TokenStream) -> bool {
    let first = attribute.into_iter().next();
    matches!(first, Some(TokenTree::Ident(name)) if name == "cfg" || name == "cfg_attr")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> TokenStream {
        text.parse().expect(text)
    }

    #[test]
    fn items_with_conditions_go_through_rustc() {
        let item = tokens("mod m { pub fn f(x: f64) -> f64 { #[cfg(fine)] let x = 2.0 * x; x } }");
        let parsed: Item = syn::parse2(item.clone()).expect("an item");
        let asked = asked(&tokens("forward"), &parsed, &item).expect("a condition");
        let (attr, held) = answered(asked).expect("the item");
        // rustc leaves a condition that holds
        let left = tokens("mod m { pub fn f(x: f64) -> f64 { let x = 2.0 * x; x } }");
        assert_eq!((attr.to_string(), held.to_string()), ("forward".to_owned(), left.to_string()));
    }

    #[test]
    fn conditions_that_hold_are_removed_but_for_those_in_macros() {
        let held: Vec<TokenTree> = tokens(
            "#[cfg(a)] mod m { #![cfg(b)] #[inline] fn f() { #[cfg(c)] let x = !(y); g!(#[cfg(d)] x) } \
             macro_rules! h { () => { #[cfg(e)] fn k() {} } } }",
        )
        .into_iter()
        .collect();
        let left = tokens(
            "mod m { #[inline] fn f() { let x = !(y); g!(#[cfg(d)] x) } \
             macro_rules! h { () => { #[cfg(e)] fn k() {} } } }",
        );
        assert_eq!(without_conditions(&held).to_string(), left.to_string());
    }

    #[test]
    fn items_without_conditions_and_methods_do_not() {
        for item in [
            "fn f(x: f64) -> f64 { if cfg!(fine) { x } else { 2.0 * x } }",
            "#[inline] fn f(x: f64) -> f64 { let x = cfg[(x)]; x }",
            "fn f(&self, x: f64) -> f64 { #[cfg(fine)] return x; 2.0 * x }",
        ] {
            let parsed: Item = syn::parse2(tokens(item)).expect(item);
            assert!(asked(&TokenStream::new(), &parsed, &tokens(item)).is_none(), "{item}");
        }
    }
}
