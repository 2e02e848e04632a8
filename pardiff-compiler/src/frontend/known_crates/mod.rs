//! Types of crates that are known: a text in the accepted language for each, which is read as a module's items are.
//!
//! ```text
//! fn energy(at: &[glam::DVec3]) -> f64 { … at[i].dot(at[j]) … }
//! struct DVec3__pd… { pub x: f64, … }      impl DVec3__pd… { fn dot(self, rhs: DVec3__pd…) -> f64 { … } }
//! ```
//!
//! *Comes in*: names and their arguments, and the words of an item. *Goes out*: which type a name means, and the
//! items of its text that the words ask for, with names that are unique. *Never*: reads a text, or a function of
//! one, whose name does not occur.

mod complex;
mod core;
mod family;
mod glam;
mod lexemes;
mod nalgebra;
mod template;
#[cfg(test)]
mod tests;

pub(crate) use family::{Instance, is_size, named, size, sizes};
pub(crate) use nalgebra::LARGEST;

use super::linked;
use crate::signature::{Content, Record};
use proc_macro2::{Spacing, Span, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::{BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use syn::{Ident, Item, PathSegment};

/// The items of the texts of types, and of those that these need, as far as words ask for them.
pub(crate) fn texts(words: HashSet<String>, found: &BTreeSet<Instance>) -> Vec<(Instance, Vec<Item>)> {
    let texts = template::selected(words, found).into_iter().map(|(instance, text)| {
        let file: Result<syn::File, _> = syn::parse_str(&renamed(&text, &instance));
        debug_assert!(file.is_ok(), "{instance}: {:?}", file.err());
        let mut items = file.map(|file| file.items).unwrap_or_default();
        items.iter_mut().for_each(|item| marked(item, &instance));
        (instance, items)
    });
    texts.collect()
}

/// Says of a struct which crate it is of.
fn marked(item: &mut Item, of: &Instance) {
    if let Item::Struct(item) = item {
        let of_crate = of.of_crate();
        item.attrs.push(syn::parse_quote!(#[known_crate = #of_crate]));
        if of.is_private() {
            item.attrs.push(syn::parse_quote!(#[private]));
        }
    }
}

/// The name of a type that the values of a type consist of, or that functions of it return.
fn inner_type(name: &str) -> Option<&'static str> {
    Some(match name {
        "OwnStorage" => "ArrayStorage",
        "OwnLu" => "LU",
        "OwnCholesky" => "Cholesky",
        _ => return None,
    })
}

/// The text with unique names in place of types.
fn renamed(mut text: &str, own: &Instance) -> String {
    let text_of = |of: &Instance| linked::unique_text(&of.name(), &of.number());
    let (number, unique_own) = (own.number(), text_of(own));
    let mut out = String::with_capacity(2 * text.len());
    while let Some(lexeme) = lexemes::next(&mut text) {
        match lexeme {
            "Own" => out.push_str(&unique_own),
            lexeme => match (inner_type(lexeme), family::mentioned(lexeme, &mut text)) {
                (Some(inner), _) => out.push_str(&linked::unique_text(inner, &number)),
                (_, Some(instance)) => out.push_str(&text_of(&instance)),
                (None, None) => out.push_str(lexeme),
            },
        }
    }
    out
}

/// The instance that a key names: a type as [`Instance`] is shown.
pub(crate) fn of_key(key: &str) -> Option<Instance> {
    let segment: PathSegment = syn::parse_str(key).ok()?;
    let (named, _) = family::named(&segment.ident.to_string(), family::ALL)?;
    Some(named.instance(&segment.arguments, "f64")?.0)
}

/// Whether a record is the type of characters.
pub(super) fn is_character(record: &Record) -> bool {
    record.name.as_ref().is_some_and(|name| *name == unique(&Instance::CHAR, Span::call_site()))
}

/// Whether a record is a type of the standard library that holds one integer.
pub(super) fn is_of_std(record: &Record) -> bool {
    record.is_private()
        && !record.has_floats()
        && record.fields.iter().all(|field| matches!(field.content, Content::Scalar(_)))
}

/// The name of a type where its text is read.
pub(crate) fn unique(instance: &Instance, span: Span) -> Ident {
    linked::unique(&Ident::new(&instance.name(), span), &instance.number())
}

impl Instance {
    /// The number of its unit, which is the same everywhere.
    pub(crate) fn number(&self) -> String {
        let mut hasher = DefaultHasher::new();
        self.to_string().hash(&mut hasher);
        let mut digits = format!("{:016x}", hasher.finish());
        digits.truncate(linked::DIGITS);
        digits
    }
}

/// The names and signs in tokens.
pub(crate) fn words(tokens: TokenStream, into: &mut HashSet<String>) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(ident) => {
                into.insert(linked::plain(&ident.to_string()));
            }
            TokenTree::Group(group) => words(group.stream(), into),
            TokenTree::Punct(punct) => {
                let mut sign = punct.as_char().to_string();
                if let (Spacing::Joint, Some(TokenTree::Punct(next))) = (punct.spacing(), tokens.peek()) {
                    let both = format!("{sign}{}", next.as_char());
                    if both == "->" || lexemes::ASSIGNING.contains(&&*both) {
                        (sign, _) = (both, tokens.next());
                    }
                }
                into.insert(sign);
            }
            TokenTree::Literal(_) => {}
        }
    }
}

/// Why a type is not known that has the name of one of a known crate.
pub(crate) fn switched_off(name: &str, features: super::Features) -> Option<&'static str> {
    if named(name, features).is_some() {
        return None;
    }
    let (known, None) = named(name, family::ALL)? else { return None };
    Some(known.feature())
}

/// Whether it is the name of a size that is known at run time.
fn is_open_size(token: TokenTree) -> bool {
    matches!(token, TokenTree::Ident(name) if name == "Dyn" || name == "Dynamic")
}

/// Why a type that has the name of one of a known crate is none that is known, and what to write instead; `None` if it
/// has no such name, or no arguments.
pub(crate) fn not_an_instance(written: &PathSegment) -> Option<(&'static str, String)> {
    if written.arguments.is_none() {
        return None;
    }
    let name = written.ident.to_string();
    let has_open_size = written.arguments.to_token_stream().into_iter().any(is_open_size);
    if let Some(numbers) = nalgebra::of_open_size(&name, has_open_size) {
        return Some(("how many numbers it has is known only at run time", numbers.to_owned()));
    }
    let (named, None) = named(&name, family::ALL)? else { return None };
    if named.instance(&written.arguments, "f64").is_some() {
        // a number in the place of a parameter
        return Some((
            "a parameter of it stands for several sizes in this item, and types of known crates have one for each name",
            "give the parameter another name where it has another size, or write a module for each size"
                .to_owned(),
        ));
    }
    let open = named.dims.iter().filter(|dim| dim.is_none()).count();
    let sizes = ", 3".repeat(open);
    let why = match open {
        0 => "a type of a known crate has its float between its brackets, `f64` or `f32`",
        _ => {
            "a type of a known crate has its float, and its sizes up to 6, between its brackets; what a parameter \
             stands for is said by `with`"
        }
    };
    Some((
        why,
        format!(
            "write `{name}<f64{sizes}>`, or of a parameter `N` what it is, `#[differentiate(with(N = 3))]`"
        ),
    ))
}
