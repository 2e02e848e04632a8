//! Types of known crates as units, which nobody exports: their texts are here.
//!
//! *Comes in*: the names of an item, and which features are on. *Goes out*: the units of the types that it names,
//! and these types for generated code. *Guarantees*: a name of the user means a type of a crate only where rustc
//! proves it, against the crate that the runtime depends on.

use super::known_macros::{self, Made};
use super::link::{Sources, Unit, Written};
use crate::frontend::known_crates::{self, Instance};
use crate::frontend::{Features, Options};
use proc_macro2::{Span, TokenStream};
use quote::quote;
use std::collections::{BTreeSet, HashSet};
use syn::{ExprMethodCall, Ident, Item, Path, PathSegment};

/// What of known crates an item may name.
#[derive(Clone)]
pub(super) struct KnownTypes {
    features: Features,
    /// `::pardiff`
    krate: Path,
    /// The float of types whose argument is not written: `Vector3::new(…)`.
    elem: &'static str,
    /// All names in the item.
    words: HashSet<String>,
    /// The macros that the item and what it uses declare themselves.
    macros: HashSet<String>,
}

/// The sources with what is known of other crates, if the item or what it uses may name it.
pub(super) fn knowing(sources: Sources, features: Features, attr: &TokenStream, item: &Item) -> Sources {
    if !features.num_complex && !features.glam && !features.nalgebra {
        return sources;
    }
    let mut words = HashSet::new();
    known_crates::words(quote!(#item), &mut words);
    let is_used = sources.units().iter().any(|unit| unit.instance.is_some());
    let named: Vec<_> = words.iter().filter_map(|word| known_crates::named(word, features)).collect();
    let has_macros = features.nalgebra && words.iter().any(|word| known_macros::is_known(word));
    if !is_used && named.is_empty() && !has_macros {
        return sources;
    }
    let functions: Vec<String> =
        named.iter().filter_map(|(_, function)| function.map(str::to_owned)).collect();
    words.extend(functions);
    if has_macros {
        words.extend(known_macros::FUNCTIONS.map(str::to_owned));
    }
    let only_single = words.contains("f32") && !words.contains("f64");
    let (options, _) = Options::read(attr.clone());
    let elem = if only_single { "f32" } else { "f64" };
    let mut macros = HashSet::new();
    known_macros::declared(quote!(#item), &mut macros);
    sources.items().iter().for_each(|item| known_macros::declared(quote!(#item), &mut macros));
    Sources { known: Some(KnownTypes { features, krate: options.krate(), elem, words, macros }), ..sources }
}

/// A name of a known crate in a path.
pub(super) struct Found {
    pub(super) instance: Instance,
    /// The unique name of the type.
    pub(super) unique: Ident,
    /// The function of the type that the name stands for: `dvec3(…)` is `DVec3::new(…)`.
    pub(super) function: Option<Ident>,
    /// The arguments that are not written.
    pub(super) open: usize,
}

impl KnownTypes {
    /// What a segment of a path names.
    pub(super) fn find(&self, segment: &PathSegment) -> Option<Found> {
        let (named, function) = known_crates::named(&segment.ident.to_string(), self.features)?;
        let (instance, open) = named.instance(&segment.arguments, self.elem)?;
        let function = function.map(|name| Ident::new(name, segment.ident.span()));
        Some(Found {
            unique: known_crates::unique(&instance, segment.ident.span()),
            instance,
            function,
            open,
        })
    }

    /// The type in generated code.
    pub(super) fn path(&self, instance: &Instance) -> Path {
        let (krate, of_crate) = (&self.krate, instance.path());
        syn::parse_quote!(#krate::runtime::known::#of_crate)
    }

    /// A call of a method whose sizes stand between brackets, as one of a method for these:
    /// `m.fixed_view::<2, 2>(0, 0)` is `m.fixed_view_2_2(0, 0)`; the type that it returns, or one of the size that is
    /// written.
    pub(super) fn sized(&self, call: &mut ExprMethodCall) -> Option<Instance> {
        let name = call.method.to_string();
        if !self.features.nalgebra || !matches!(&*name, "fixed_view" | "fixed_rows" | "fixed_columns") {
            return None;
        }
        let sizes = known_crates::sizes(call.turbofish.as_ref()?);
        let instance = match sizes[..] {
            [rows, columns] if name == "fixed_view" => Instance::matrix(self.elem, rows, columns),
            [rows] if name == "fixed_rows" => Instance::matrix(self.elem, rows, 1),
            [columns] if name == "fixed_columns" => Instance::matrix(self.elem, 1, columns),
            _ => return None,
        };
        let sizes: Vec<String> = sizes.iter().map(|size| format!("_{size}")).collect();
        call.method = Ident::new(&format!("{name}{}", sizes.concat()), call.method.span());
        call.turbofish = None;
        Some(instance)
    }

    /// A call of a macro that makes a value of a known type.
    pub(super) fn made(&self, mac: &syn::Macro) -> Option<Made> {
        let is_own = mac.path.get_ident().is_some_and(|name| self.macros.contains(&name.to_string()));
        known_macros::made(mac, self.elem).filter(|_| self.features.nalgebra && !is_own)
    }

    /// The trait by which rustc proves that a type is a known one.
    pub(super) fn proof(&self) -> Path {
        let krate = &self.krate;
        syn::parse_quote!(#krate::runtime::known::Is)
    }

    /// The units of types, and of those that their functions name.
    pub(super) fn units(
        &self,
        found: &BTreeSet<Instance>,
        sources: &Sources,
        written: &mut Written,
    ) -> Vec<Unit> {
        let mut words = self.words.clone();
        sources.items().iter().for_each(|item| known_crates::words(quote!(#item), &mut words));
        let unit = |(instance, items): (Instance, Vec<Item>)| {
            written.path(&known_crates::unique(&instance, Span::call_site()), self.path(&instance));
            Unit::known(instance, items)
        };
        known_crates::texts(words, found).into_iter().map(unit).collect()
    }
}
