//! The right side of a rule of `macro_rules!`: the tokens that a call stands for.
//!
//! A name that the macro itself writes begins with [`OWN`], until it is known whether it is one of a variable:
//! variables of a macro and of its caller are different ones, of whatever name.

use super::matcher::{Bindings, Bound, Part, names_in};
use proc_macro2::{Group, Ident, Punct, Spacing, TokenStream, TokenTree};

/// Before the names that a macro writes.
pub(super) const OWN: &str = "macro_own_";

/// The tokens of the right side.
pub(super) fn transcribed(parts: &[Part], bound: &Bindings) -> Option<TokenStream> {
    let mut tokens = TokenStream::new();
    for part in parts {
        match part {
            Part::Token(TokenTree::Ident(name)) => tokens.extend([TokenTree::Ident(own(name))]),
            Part::Token(token) => tokens.extend([token.clone()]),
            Part::Group(delimiter, inner) => {
                tokens.extend([TokenTree::Group(Group::new(*delimiter, transcribed(inner, bound)?))]);
            }
            Part::Fragment(name, _) => match bound.get(name) {
                Some(Bound::One(of)) => tokens.extend(of.clone()),
                Some(Bound::Each(_)) => return None,
                None if name == "crate" => tokens.extend([TokenTree::Ident(ident("crate"))]),
                None => tokens.extend(fragment(name)),
            },
            Part::Repeat(inner, separator, _) => {
                let mut names = Vec::new();
                names_in(inner, &mut names);
                let each: Vec<(&String, &Vec<Bound>)> = names
                    .iter()
                    .filter_map(|name| match bound.get(name) {
                        Some(Bound::Each(each)) => Some((name, each)),
                        _ => None,
                    })
                    .collect();
                let (_, first) = each.first()?;
                if each.iter().any(|(_, each)| each.len() != first.len()) {
                    return None;
                }
                for at in 0..first.len() {
                    if at > 0 {
                        tokens.extend(separator.iter().cloned());
                    }
                    let mut inside = bound.clone();
                    inside.extend(each.iter().map(|(name, each)| (name.to_string(), each[at].clone())));
                    tokens.extend(transcribed(inner, &inside)?);
                }
            }
        }
    }
    Some(tokens)
}

fn fragment(name: &str) -> [TokenTree; 2] {
    [TokenTree::Punct(Punct::new('$', Spacing::Alone)), TokenTree::Ident(ident(name))]
}

fn ident(name: &str) -> Ident {
    Ident::new(name, proc_macro2::Span::call_site())
}

/// The name with the mark; keywords, and what is no name of a variable, stay.
fn own(name: &Ident) -> Ident {
    let text = name.to_string();
    let is_name = text.starts_with(char::is_lowercase) || text.starts_with('_') && text != "_";
    match is_name && syn::parse_str::<Ident>(&text).is_ok() && !text.starts_with("macro_rules") {
        true => Ident::new(&format!("{OWN}{text}"), name.span()),
        false => name.clone(),
    }
}
