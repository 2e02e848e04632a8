//! What may be named of what `uses(…)` brought, and how rustc proves that a name means it.

use super::super::known_crates::KnownTypes;
use super::Sources;
use super::unit::{Source, declared};
use super::written::Proof;
use crate::backend::rust::{is_relative, relocated_path};
use crate::frontend::linked;
use proc_macro2::{Span, TokenTree};
use quote::{ToTokens, format_ident};
use syn::{GenericParam, Generics, Ident, Item, Path, Visibility};

/// What the user may name of its sources.
pub(in super::super) struct Scope<'a> {
    entries: Vec<Entry>,
    pub(super) known: Option<&'a KnownTypes>,
}

pub(super) struct Entry {
    pub(super) unique: Ident,
    pub(super) is_type: bool,
    /// How it is written where the attribute stands.
    pub(super) path: Path,
    /// Whether a name alone is certainly it.
    pub(super) certain: bool,
    pub(super) proof: Option<fn(Path, Path) -> Proof>,
    /// Of an enum.
    pub(super) variants: Vec<String>,
    /// Whether it is of a module in the module under the attribute, which a path means only if it leads there.
    pub(super) is_nested: bool,
}

impl Scope<'_> {
    /// For what stands beside the attribute.
    pub(in super::super) fn of(sources: &Sources) -> Scope<'_> {
        let entries = sources.used.iter().flat_map(|source| entries(source, |path| path)).collect();
        Scope { entries, known: sources.known.as_ref() }
    }

    /// For what stands in the module under the attribute.
    pub(in super::super) fn inside(sources: &Sources) -> Scope<'_> {
        let entries = sources
            .used
            .iter()
            .flat_map(|source| {
                entries(source, |path| if source.is_inside { path } else { seen_inside(path) })
            })
            .collect();
        Scope { entries, known: sources.known.as_ref() }
    }

    pub(super) fn find(&self, name: &Ident) -> Option<&Entry> {
        let own = name.to_string();
        let mut all = self.entries.iter().filter(|entry| !entry.is_nested);
        let by_path = all.clone().find(|entry| entry.last() == Some(name));
        by_path.or_else(|| all.find(|entry| linked::plain(&entry.unique.to_string()) == own))
    }

    /// All that may be meant by a name, which their paths or they themselves have.
    pub(super) fn named<'s>(&'s self, name: &'s Ident) -> impl Iterator<Item = &'s Entry> {
        let is_named =
            |entry: &&Entry| entry.last() == Some(name) || *name == linked::plain(&entry.unique.to_string());
        self.entries.iter().filter(is_named)
    }
}

/// A path as it is written in the module under the attribute.
pub(in super::super) fn seen_inside(path: Path) -> Path {
    let mut inside = relocated_path(&path);
    if is_relative(&path) {
        inside.segments.insert(0, format_ident!("super").into());
    }
    inside
}

impl Entry {
    /// Its name where the attribute stands.
    pub(super) fn last(&self) -> Option<&Ident> {
        self.path.segments.last().map(|last| &last.ident)
    }
}

fn entries(source: &Source, seen: impl Fn(Path) -> Path) -> Vec<Entry> {
    let Some(unit) = source.units.first() else { return Vec::new() };
    let mut items = unit.items.clone();
    let entries = items.iter_mut().filter_map(|item| {
        let (proof, variants) = (proof_of(item), variants(item));
        let (name, is_type, vis) = declared(item)?;
        let mut path = source.path.clone();
        if unit.is_module {
            if matches!(vis, Visibility::Inherited) {
                return None;
            }
            path.segments
                .push(Ident::new(&linked::plain(&name.to_string()), source_span(&source.path)).into());
        }
        let path = seen(path);
        let certain = path.get_ident().is_some();
        let is_nested = source.is_inside;
        Some(Entry { unique: name.clone(), is_type, certain, path, proof, variants, is_nested })
    });
    entries.collect()
}

/// The names of the variants of an enum.
pub(super) fn variants(item: &Item) -> Vec<String> {
    match item {
        Item::Enum(item) => item.variants.iter().map(|variant| variant.ident.to_string()).collect(),
        _ => Vec::new(),
    }
}

fn source_span(path: &Path) -> Span {
    path.segments.last().map_or_else(Span::call_site, |last| last.ident.span())
}

/// How rustc proves that two paths name one item; no way for what has parameters, for traits and for constants.
fn proof_of(item: &Item) -> Option<fn(Path, Path) -> Proof> {
    let plain =
        |generics: &Generics| generics.params.iter().all(|it| matches!(it, GenericParam::Lifetime(_)));
    match item {
        Item::Fn(item) => {
            let opens = item.sig.inputs.to_token_stream().into_iter().any(|token| match token {
                TokenTree::Ident(ident) => ident == "impl",
                _ => false,
            });
            (plain(&item.sig.generics) && !opens).then_some(Proof::Function)
        }
        Item::Struct(item) => plain(&item.generics).then_some(Proof::Type),
        Item::Enum(item) => plain(&item.generics).then_some(Proof::Type),
        _ => None,
    }
}
