//! Types of crates that are known: a text in the accepted language for each, which is read as a module's items are.
//!
//! ```text
//! fn energy(at: &[glam::DVec3]) -> f64 { … at[i].dot(at[j]) … }
//! struct DVec3__pd… { pub x: f64, … }      impl DVec3__pd… { fn dot(self, rhs: DVec3__pd…) -> f64 { … } }     // of the text
//! fn energy(at: &[DVec3__pd…]) -> f64 { … at[i].dot(at[j]) … }
//! ```
//!
//! *Comes in*: the names of an item, and which features are on. *Goes out*: the items of the texts whose names occur, with names
//! that are unique, and the types of the crates for generated code. *Guarantees*: a type of the user means one of a crate only
//! where rustc proves it, against the crate that the runtime depends on. *Never*: reads a text, or a function of one, whose
//! name does not occur.

mod complex;
mod family;
mod glam;
mod nalgebra;
mod template;

use super::link::{Sources, Unit, Written};
use crate::frontend::{Features, Options, linked};
pub(super) use family::Instance;
use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::quote;
use std::collections::{BTreeSet, HashSet, hash_map::DefaultHasher};
use std::hash::{Hash, Hasher};
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
}

/// The sources with what is known of other crates, if the item or what it uses may name it.
pub(super) fn knowing(sources: Sources, features: Features, attr: &TokenStream, item: &Item) -> Sources {
    if !features.num_complex && !features.glam && !features.nalgebra {
        return sources;
    }
    let mut words = HashSet::new();
    collect(quote!(#item), &mut words);
    let is_used = sources.units().iter().any(|unit| unit.instance.is_some());
    let named: Vec<_> = words.iter().filter_map(|word| family::named(word, features)).collect();
    if !is_used && named.is_empty() {
        return sources;
    }
    let functions: Vec<String> = named.iter().filter_map(|(_, function)| function.map(str::to_owned)).collect();
    words.extend(functions);
    let only_single = words.contains("f32") && !words.contains("f64");
    let (options, _) = Options::read(attr.clone());
    let elem = if only_single { "f32" } else { "f64" };
    Sources { known: Some(KnownTypes { features, krate: options.krate(), elem, words }), ..sources }
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
        let (named, function) = family::named(&segment.ident.to_string(), self.features)?;
        let (instance, open) = named.instance(&segment.arguments, self.elem)?;
        let function = function.map(|name| Ident::new(name, segment.ident.span()));
        Some(Found { unique: unique(&instance, segment.ident.span()), instance, function, open })
    }

    /// The type in generated code.
    pub(super) fn path(&self, instance: &Instance) -> Path {
        let (krate, of_crate) = (&self.krate, instance.path());
        syn::parse_quote!(#krate::runtime::known::#of_crate)
    }

    /// A call of a method whose sizes stand between brackets, as one of a method for these: `m.fixed_view::<2, 2>(0, 0)` is
    /// `m.fixed_view_2_2(0, 0)`; the type that it returns, or one of the size that is written.
    pub(super) fn sized(&self, call: &mut ExprMethodCall) -> Option<Instance> {
        let name = call.method.to_string();
        if !self.features.nalgebra || !matches!(&*name, "fixed_view" | "fixed_rows" | "fixed_columns") {
            return None;
        }
        let sizes: Vec<usize> = call.turbofish.as_ref()?.args.iter().filter_map(family::number).collect();
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
        for item in sources.items() {
            collect(quote!(#item), &mut words);
        }
        let mut units = Vec::new();
        for (instance, text) in template::selected(words, found) {
            let name = unique(&instance, Span::call_site());
            let file: Result<syn::File, _> = syn::parse2(renamed(text, &instance));
            debug_assert!(file.is_ok(), "{instance}: {:?}", file.err());
            let mut items = file.map(|file| file.items).unwrap_or_default();
            items.iter_mut().for_each(|item| marked(item, &instance));
            written.path(&name, self.path(&instance));
            units.push(Unit::known(instance.number(), instance, items));
        }
        units
    }
}

/// Says of a struct which crate it is of.
fn marked(item: &mut Item, of: &Instance) {
    if let Item::Struct(item) = item {
        let of_crate = of.of_crate();
        item.attrs.push(syn::parse_quote!(#[known_crate = #of_crate]));
        if of.is_local() {
            item.attrs.push(syn::parse_quote!(#[local]));
        }
    }
}

/// The name of a type that the values of a type consist of, or that functions of it return.
fn inner_type(ident: &Ident) -> Option<&'static str> {
    Some(match &*ident.to_string() {
        "OwnStorage" => "ArrayStorage",
        "OwnLu" => "LU",
        "OwnCholesky" => "Cholesky",
        _ => return None,
    })
}

/// The tokens of a text with unique names in place of types.
fn renamed(tokens: TokenStream, own: &Instance) -> TokenStream {
    let mut tokens = tokens.into_iter().peekable();
    let mut out = TokenStream::new();
    while let Some(token) = tokens.next() {
        let token = match token {
            TokenTree::Group(group) => Group::new(group.delimiter(), renamed(group.stream(), own)).into(),
            TokenTree::Ident(ident) if ident == "Own" => unique(own, ident.span()).into(),
            TokenTree::Ident(ident) if inner_type(&ident).is_some() => {
                let name = inner_type(&ident).unwrap_or_default();
                linked::unique(&Ident::new(name, ident.span()), &own.number()).into()
            }
            TokenTree::Ident(ident) => match family::mentioned(&ident, &mut tokens) {
                Some(instance) => unique(&instance, ident.span()).into(),
                None => ident.into(),
            },
            token => token,
        };
        out.extend([token]);
    }
    out
}

/// The instance that a key names, as [`Unit::known`] writes it.
pub(super) fn of_key(key: &str) -> Option<Instance> {
    let segment: PathSegment = syn::parse_str(key).ok()?;
    let (named, _) = family::named(&segment.ident.to_string(), family::ALL)?;
    Some(named.instance(&segment.arguments, "f64")?.0)
}

/// The name of a type where its text is read.
fn unique(instance: &Instance, span: Span) -> Ident {
    linked::unique(&Ident::new(&instance.name(), span), &instance.number())
}

impl Instance {
    /// The number of its unit, which is the same everywhere.
    pub(super) fn number(&self) -> String {
        let mut hasher = DefaultHasher::new();
        self.to_string().hash(&mut hasher);
        let mut digits = format!("{:016x}", hasher.finish());
        digits.truncate(linked::DIGITS);
        digits
    }
}

fn collect(tokens: TokenStream, words: &mut HashSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => {
                words.insert(linked::plain(&ident.to_string()));
            }
            TokenTree::Group(group) => collect(group.stream(), words),
            TokenTree::Punct(punct) => {
                words.insert(punct.as_char().to_string());
            }
            TokenTree::Literal(_) => {}
        }
    }
}
