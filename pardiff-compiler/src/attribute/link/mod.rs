//! Items of other modules and crates: `export` makes a macro that hands an item on, `uses` asks for it.
//!
//! ```text
//! #[differentiate(export)] fn pair(…)      =>   macro_rules! __pardiff_pair_… { … }    mod pair { use __pardiff_pair_… as source; }
//! #[differentiate(uses(pair))] fn energy   =>   pair::source! { (::pardiff::__with) … }  =>  ::pardiff::__with! { { unit… } … }
//! ```
//!
//! rustc finds the macro by the user's own path, so imports, globs, re-exports and renamed crates work. A **unit** is what one
//! attribute exports: an item, or the items of a module, with names that are unique in all crates; behind it come the units that
//! it uses, so that a user names only what it calls. *Guarantees*: a name of the user stands for an item of a unit only where
//! rustc proves that it is that item, see [`scope`]. *Never*: emits a name of a unit where it cannot be seen.

mod carrier;
mod chain;
mod imports;
mod names;
mod scope;
#[cfg(test)]
mod tests;
mod unit;
mod written;

pub(super) use carrier::{carried, carrier_of};
pub(super) use chain::{Resumed, asked, resumed};
pub(super) use names::{rewrite_function, rewrite_item, rewrite_type};
pub(super) use scope::{Scope, seen_inside};
pub(super) use unit::{Exported, Source, Unit, declared, exported};
pub(super) use written::Written;

use super::known_crates::KnownTypes;
use crate::frontend::known_crates::Instance;
use std::collections::BTreeSet;
use syn::{Ident, Item, Path, Type, Visibility};

/// What `uses(…)` brought, and what is known of other crates.
#[derive(Clone, Default)]
pub(super) struct Sources {
    pub(super) used: Vec<Source>,
    /// If the item may name types of known crates.
    pub(super) known: Option<KnownTypes>,
}

impl Sources {
    pub(super) fn is_empty(&self) -> bool {
        self.used.is_empty() && self.known.is_none()
    }

    /// What parameters for sizes of types of known crates stand for.
    pub(super) fn sizes(&self) -> Vec<(Ident, Type)> {
        self.known.iter().flat_map(KnownTypes::sizes).collect()
    }

    /// With the texts of the types of known crates that were found.
    pub(super) fn with_known(&self, written: &mut Written) -> Sources {
        let Some(known) = &self.known else { return self.clone() };
        let instances = self.units().into_iter().filter_map(|unit| unit.instance.clone());
        let found = instances.chain(written.known().cloned()).chain(known.of_literals());
        let found: BTreeSet<Instance> = found.collect();
        let units = known.units(&found, self, written);
        let mut sources = self.clone();
        // a unit with its items comes before the same one without
        sources.used.insert(
            0,
            Source {
                path: Path::from(Ident::new("known", proc_macro2::Span::call_site())),
                is_inside: false,
                units,
            },
        );
        sources
    }

    /// Who sees a type of a unit, by its unique name.
    pub(super) fn visibility(&self, of: &Ident) -> Option<Visibility> {
        let mut items = self.items();
        items.iter_mut().find_map(|item| {
            let (name, is_type, vis) = declared(item)?;
            (is_type && name == of).then(|| vis.clone())
        })
    }

    /// The items of all units, each once.
    pub(super) fn items(&self) -> Vec<Item> {
        self.units().into_iter().flat_map(|unit| unit.items.clone()).collect()
    }

    /// All units, each once.
    pub(super) fn units(&self) -> Vec<&Unit> {
        let mut units: Vec<&Unit> = Vec::new();
        for unit in self.used.iter().flat_map(|source| &source.units) {
            if units.iter().all(|known| known.number != unit.number) {
                units.push(unit);
            }
        }
        units
    }
}
