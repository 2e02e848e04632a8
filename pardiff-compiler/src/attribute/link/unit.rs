//! What one `export` exports, as tokens and back.

use super::Sources;
use super::names::rewrite_exported;
use super::scope::Scope;
use super::written::Written;
use crate::frontend::known_crates::{self, Instance};
use crate::frontend::linked;
use crate::refusal::Refusal;
use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use syn::spanned::Spanned;
use syn::{Ident, Item, Path, Visibility};

/// The version whose sources can be read.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What one attribute exports.
#[derive(Clone)]
pub(in super::super) struct Unit {
    /// The end of its names.
    pub(super) number: String,
    /// Whether it is a module, whose items are named behind its name.
    pub(super) is_module: bool,
    /// The file that it stands in.
    pub(super) file: String,
    pub(super) items: Vec<Item>,
    /// The type of a known crate that it is; its items are those of a text, which is not handed on.
    pub(in super::super) instance: Option<Instance>,
}

/// What a path of `uses(…)` stands for.
#[derive(Clone)]
pub(in super::super) struct Source {
    pub(in super::super) path: Path,
    /// Whether the path is as the module under the attribute writes it, and not as it is written around it.
    pub(in super::super) is_inside: bool,
    /// Its own unit, and behind it those that it uses.
    pub(in super::super) units: Vec<Unit>,
}

/// The tokens of a unit and of those that it uses.
pub(in super::super) struct Exported {
    pub(super) number: String,
    pub(in super::super) tokens: TokenStream,
    /// How it writes what it uses.
    pub(in super::super) written: Written,
}

/// The unit of an item, whose imports and names are those of its place. `items` are those of a module.
pub(in super::super) fn exported(item: &Item, items: Option<&[Item]>, sources: &Sources) -> Exported {
    let number = number(item);
    let file = item.span().file();
    let own = items.unwrap_or_else(|| std::slice::from_ref(item));
    let scope = if items.is_some() { Scope::inside(sources) } else { Scope::of(sources) };
    let (rewritten, written) = rewrite_exported(own, &number, &scope);
    let kind = if items.is_some() { quote!(module) } else { quote!(item) };
    let own = quote!({ #kind #VERSION #number #file #(#rewritten)* });
    let used = sources.units();
    let used = used.iter().filter(|unit| unit.instance.is_none()).map(|unit| {
        let Unit { number, is_module, file, items, .. } = unit;
        let kind = if *is_module { quote!(module) } else { quote!(item) };
        quote!({ #kind #VERSION #number #file #(#items)* })
    });
    let handed_on = sources.units().into_iter().filter_map(|unit| unit.instance.clone());
    let known: BTreeSet<Instance> = handed_on.chain(written.known().cloned()).collect();
    let known = known.iter().map(|instance| {
        let key = instance.to_string();
        quote!({ known #VERSION "" #key })
    });
    let used = used.chain(known);
    Exported { tokens: quote!(#own #(#used)*), number, written }
}

/// A number that no other unit has: made of the crate, the place and the text.
fn number(item: &Item) -> String {
    let mut hasher = DefaultHasher::new();
    let span = item.span();
    for name in ["CARGO_PKG_NAME", "CARGO_PKG_VERSION", "CARGO_CRATE_NAME"] {
        std::env::var(name).unwrap_or_default().hash(&mut hasher);
    }
    span.file().hash(&mut hasher);
    (span.start().line, span.start().column).hash(&mut hasher);
    item.to_token_stream().to_string().hash(&mut hasher);
    let mut digits = format!("{:016x}", hasher.finish());
    digits.truncate(linked::DIGITS);
    digits
}

impl Source {
    /// `{ path } { units }`
    pub(in super::super) fn parse(tokens: TokenStream) -> Result<Source, Refusal> {
        let span = tokens.span();
        let groups: Vec<Group> = groups(tokens);
        let [path, units] = &groups[..] else { return Err(not_ours(span)) };
        let path: Path = syn::parse2(path.stream()).map_err(|_| not_ours(span))?;
        let units = groups_of(units.stream()).map(|unit| Unit::parse(unit.stream(), path.span()));
        Ok(Source { units: units.collect::<Result<_, _>>()?, path, is_inside: false })
    }
}

fn groups(tokens: TokenStream) -> Vec<Group> {
    groups_of(tokens).collect()
}

fn groups_of(tokens: TokenStream) -> impl Iterator<Item = Group> {
    tokens.into_iter().filter_map(|token| match token {
        TokenTree::Group(group) => Some(group),
        _ => None,
    })
}

impl Unit {
    /// The text of a type of a known crate.
    pub(in super::super) fn known(instance: Instance, items: Vec<Item>) -> Unit {
        Unit {
            number: instance.number(),
            is_module: false,
            file: String::new(),
            items,
            instance: Some(instance),
        }
    }

    fn parse(tokens: TokenStream, used_at: Span) -> Result<Unit, Refusal> {
        let mut tokens = tokens.into_iter();
        let mut text = || tokens.next().map(|token| token.to_string().trim_matches('"').to_owned());
        let (kind, version, number, file) = (text(), text(), text(), text());
        if version.as_deref() != Some(VERSION) {
            return Err(not_ours(used_at));
        }
        if kind.as_deref() == Some("known") {
            let instance = file.as_deref().and_then(known_crates::of_key);
            return instance.map(|of| Unit::known(of, Vec::new())).ok_or_else(|| not_ours(used_at));
        }
        let parsed: Result<syn::File, _> = syn::parse2(tokens.collect());
        match (number, file, parsed) {
            (Some(number), Some(file), Ok(parsed)) => Ok(Unit {
                number,
                is_module: kind.as_deref() == Some("module"),
                file,
                items: parsed.items,
                instance: None,
            }),
            _ => Err(not_ours(used_at)),
        }
    }
}

/// A source that another version of pardiff made.
pub(super) fn not_ours(span: Span) -> Refusal {
    Refusal::new(
        span,
        "an exported item that cannot be read",
        "another version of pardiff exported it",
        "let both crates depend on one version of pardiff",
    )
}

/// The name of an item that can be named, whether it is a type, and who sees it.
pub(in super::super) fn declared(item: &mut Item) -> Option<(&mut Ident, bool, &Visibility)> {
    Some(match item {
        Item::Fn(item) => (&mut item.sig.ident, false, &item.vis),
        Item::Const(item) => (&mut item.ident, false, &item.vis),
        Item::Static(item) => (&mut item.ident, false, &item.vis),
        Item::Struct(item) => (&mut item.ident, true, &item.vis),
        Item::Enum(item) => (&mut item.ident, true, &item.vis),
        Item::Trait(item) => (&mut item.ident, true, &item.vis),
        Item::Type(item) => (&mut item.ident, true, &item.vis),
        _ => return None,
    })
}
