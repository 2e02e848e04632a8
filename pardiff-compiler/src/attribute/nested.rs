//! A module moved into one beside it: paths that lead out of it lead out of both.
//!
//! ```text
//! mod f_of_f64 { use super::State; pub(super) struct Bodies; … }
//! mod f { pub mod f_of_f64 { use super::super::State; pub(in super::super) struct Bodies; … } }
//! ```
//!
//! In the body of a function a module sees what is in it and in modules around, and not what is beside it.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::quote;

/// The tokens of an item of the module.
pub(super) fn moved(item: TokenStream) -> TokenStream {
    moved_at(item, 0)
}

/// The tokens in a module that is so many modules deep in the one that is moved.
fn moved_at(tokens: TokenStream, depth: usize) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let (mut out, mut at) = (TokenStream::new(), 0);
    while let Some(token) = tokens.get(at) {
        match token {
            TokenTree::Group(group) => {
                let is_visibility = at.checked_sub(1).is_some_and(|before| is(&tokens[before], "pub"));
                let is_module = at.checked_sub(2).is_some_and(|before| is(&tokens[before], "mod"));
                let inner = moved_at(group.stream(), depth + usize::from(is_module));
                let inner = match is_visibility && depth == 0 && group.stream().to_string() == "super" {
                    true => quote!(in #inner),
                    false => inner,
                };
                let mut group_of_inner = Group::new(group.delimiter(), inner);
                group_of_inner.set_span(group.span());
                out.extend([TokenTree::Group(group_of_inner)]);
                at += 1;
            }
            token if is(token, "super") => {
                let length = supers(&tokens[at..]);
                if length > depth {
                    out.extend(quote!(super::));
                }
                let end = at + 3 * length - 2;
                out.extend(tokens[at..end].iter().cloned());
                at = end;
            }
            token => {
                out.extend([token.clone()]);
                at += 1;
            }
        }
    }
    out
}

/// How many `super` a path begins with.
fn supers(tokens: &[TokenTree]) -> usize {
    let mut count = 1;
    while tokens.get(3 * count).is_some_and(|token| is(token, "super"))
        && tokens[3 * count - 2..3 * count].iter().all(|token| is(token, ":"))
    {
        count += 1;
    }
    count
}

fn is(token: &TokenTree, text: &str) -> bool {
    match token {
        TokenTree::Ident(ident) => ident == text,
        TokenTree::Punct(punct) => text.len() == 1 && text.starts_with(punct.as_char()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_out_of_a_module_lead_out_of_one_more() {
        let items = quote! {
            use super::State;
            pub(super) struct Bodies;
            pub(crate) fn f(x: &super::super::Part<super::State>) -> self::Gradient { super::g(x) }
            mod beside { use super::Bodies; pub(super) type E = super::super::Error; }
        };
        let expected = quote! {
            use super::super::State;
            pub(in super::super) struct Bodies;
            pub(crate) fn f(x: &super::super::super::Part<super::super::State>) -> self::Gradient {
                super::super::g(x)
            }
            mod beside { use super::Bodies; pub(super) type E = super::super::super::Error; }
        };
        assert_eq!(moved(items).to_string(), expected.to_string());
    }
}
