//! Modules in a module under the attribute: what they hold is used as what is exported and named in `uses(…)`.
//!
//! ```text
//! #[differentiate] mod orbit {
//!     pub mod planets { pub struct Planet { … } }
//!     pub fn f(p: &planets::Planet) -> f64 { … }
//! }
//! ```
//!
//! *Guarantees*: a path means an item of such a module only where it leads there as it is written, or by the imports of
//! the module around. Derivatives are made of the outermost module alone, unless one in it has an attribute of its own.

use super::link::{self, Source, Sources};
use quote::quote;
use std::collections::HashSet;
use syn::{Ident, Item, ItemMod};

/// The sources of a module, as they are seen around it, with the modules in it.
pub(super) fn with_nested(items: &[Item], sources: &Sources) -> Sources {
    let mut all = sources.clone();
    all.used.extend(nested(items, &sources.seen_inside()));
    all
}

/// The modules among items, and those in them, with paths as these items write them; `around` is seen as these items
/// see it.
fn nested(items: &[Item], around: &Sources) -> Vec<Source> {
    let (mut known, mut found) = (around.clone(), Vec::new());
    let mut waiting: Vec<&ItemMod> = items.iter().filter_map(inline).collect();
    while !waiting.is_empty() {
        // those first that name no other
        let names: HashSet<String> = waiting.iter().map(|of| of.ident.to_string()).collect();
        let is_ready = |of: &&ItemMod| {
            let named = crate::frontend::names_in(content(of).iter().map(|item| quote!(#item)).collect());
            names.iter().all(|name| of.ident == name.as_str() || !named.contains(name))
        };
        let of = waiting.remove(waiting.iter().position(is_ready).unwrap_or(0));
        let inner = nested(content(of), &known.seen_inside());
        let mut own = known.seen_inside();
        own.used.extend(inner.iter().cloned());
        let exported = link::exported(&Item::Mod(of.clone()), Some(content(of)), &own);
        let (path, tokens) = (&of.ident, &exported.tokens);
        let Ok(source) = Source::parse(quote!({ #path } { #tokens })) else { continue };
        let inner = inner.into_iter().map(|source| source.behind(&of.ident));
        let new: Vec<Source> = std::iter::once(source.inside()).chain(inner).collect();
        known.used.extend(new.iter().cloned());
        found.extend(new);
    }
    found
}

/// A module whose items are there in every configuration.
fn inline(item: &Item) -> Option<&ItemMod> {
    let Item::Mod(of) = item else { return None };
    let is_configured = of.attrs.iter().any(|attr| attr.path().is_ident("cfg"));
    of.content.as_ref().filter(|_| !is_configured).map(|_| of)
}

fn content(of: &ItemMod) -> &[Item] {
    of.content.as_ref().map_or(&[], |(_, items)| items)
}

impl Source {
    /// With a path that is written in the module under the attribute.
    fn inside(self) -> Source {
        Source { is_inside: true, ..self }
    }

    /// The same as it is named around the module that it is in.
    fn behind(mut self, module: &Ident) -> Source {
        self.path.segments.insert(0, module.clone().into());
        self.inside()
    }
}

impl Sources {
    /// The same as they are seen in a module of the module that sees these.
    fn seen_inside(&self) -> Sources {
        let used = self.used.iter().map(|source| Source {
            path: link::seen_inside(source.path.clone()),
            is_inside: true,
            units: source.units.clone(),
        });
        Sources { used: used.collect(), known: self.known.clone() }
    }
}
