//! Types that mark and hold nothing: `PhantomData`, and type parameters that stand in it alone.
//!
//! ```text
//! struct Length<T, Unit> { value: T, unit: PhantomData<Unit> }
//! fn double<T: Float, U>(x: Length<T, U>) -> Length<T, U>       fn double<T: Float>(x: Length<T, ()>) -> Length<T, ()>
//! ```
//!
//! *Guarantees*: a parameter that is taken for `()` has no bounds, and stands only where structs of the module hold
//! nothing of it, so that `()` is one of the types that the function may be called with.

use super::Target;
use super::generic_structs::generics_of;
use super::module::{Module, declared, field_types};
use super::num_traits;
use crate::signature::{OfCrate, Record};
use crate::visit::{self, Visit};
use proc_macro2::Span;
use quote::{ToTokens, quote};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use syn::{GenericArgument, Generics, Ident, Item, Path, PathArguments, Signature, TypeParamBound};

pub(super) const NAME: &str = "PhantomData";

/// `PhantomData` as a struct without fields.
pub(super) fn record() -> Rc<Record> {
    let derives = ["Clone", "Copy", "Debug", "Default", "PartialEq", "Eq", "PartialOrd"];
    Rc::new(Record {
        name: Some(Ident::new(NAME, Span::call_site())),
        arguments: Vec::new(),
        fields: Vec::new(),
        derives: derives.map(str::to_owned).to_vec(),
        variants: Vec::new(),
        of_crate: Some(OfCrate { name: "core".to_owned(), is_private: false }),
        is_option: false,
    })
}

/// Whether a path is that of the standard library: `std::marker::PhantomData`.
pub(super) fn is_path(path: &Path) -> bool {
    let names = super::names(path);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    matches!(names[..], ["std" | "core", "marker", NAME] | ["marker", NAME])
}

/// The function without type parameters that mark alone.
pub fn without(module: &Module, mut target: Target) -> Target {
    let structs: HashMap<String, &Item> =
        module.items().iter().filter_map(|item| Some((declared(item)?.to_string(), item))).collect();
    if structs.is_empty() {
        return target;
    }
    let marks = Marks::of(&structs);
    let generics = &target.item.sig.generics;
    let bounded = super::hygiene::names(generics.where_clause.to_token_stream());
    let mut uses = Uses { marks: &marks, found: HashSet::new() };
    uses.visit_signature(&Signature { generics: Generics::default(), ..target.item.sig.clone() });
    let named = super::hygiene::names(target.item.sig.inputs.to_token_stream());
    let phantoms = generics.type_params().filter(|param| {
        let name = param.ident.to_string();
        param.bounds.iter().all(is_met)
            && !bounded.contains(&name)
            && !uses.found.contains(&name)
            && named.contains(&name)
    });
    let phantoms: HashMap<String, _> = phantoms.map(|param| (param.ident.to_string(), quote!(()))).collect();
    if phantoms.is_empty() {
        return target;
    }
    let names: Vec<Ident> = generics.type_params().map(|param| param.ident.clone()).collect();
    for name in names.iter().filter(|name| phantoms.contains_key(&name.to_string())) {
        target.take_parameter(name, syn::parse_quote!(()));
    }
    target.fill(&phantoms);
    target
}

/// Whether `()` has the trait.
fn is_met(bound: &TypeParamBound) -> bool {
    let met = "Clone Copy Debug Default Eq Hash Ord PartialEq PartialOrd Send Sized Sync";
    num_traits::name_of(bound).is_none_or(|name| super::is_word(met, &name))
}

/// The structs and enums of a module, with the positions of the arguments that mark alone.
struct Marks(HashMap<String, HashSet<usize>>);

impl Marks {
    /// The most of them: a position counts until something holds what is there.
    fn of(structs: &HashMap<String, &Item>) -> Marks {
        let all = structs.iter().map(|(name, item)| {
            let types = generics_of(item).type_params().count();
            (name.clone(), (0..types).collect())
        });
        let mut marks = Marks(all.collect());
        loop {
            let mut held = Vec::new();
            for (name, item) in structs {
                let mut uses = Uses { marks: &marks, found: HashSet::new() };
                field_types(item).for_each(|ty| uses.visit_type(ty));
                for (at, param) in generics_of(item).type_params().enumerate() {
                    if marks.0[name].contains(&at) && uses.found.contains(&param.ident.to_string()) {
                        held.push((name.clone(), at));
                    }
                }
            }
            if held.is_empty() {
                return marks;
            }
            for (name, at) in held {
                marks.0.entry(name).and_modify(|positions| {
                    positions.remove(&at);
                });
            }
        }
    }
}

/// Finds names in types, but for those that mark alone.
struct Uses<'a> {
    marks: &'a Marks,
    found: HashSet<String>,
}

impl Visit for Uses<'_> {
    fn visitor(&mut self) -> &mut dyn Visit {
        self
    }

    fn visit_path(&mut self, path: &Path) {
        let Some(last) = path.segments.last() else { return };
        let name = last.ident.to_string();
        if name == NAME {
            return;
        }
        match (self.marks.0.get(&name), &last.arguments) {
            (Some(marks), PathArguments::AngleBracketed(args)) => {
                let types = args.args.iter().filter(|arg| !matches!(arg, GenericArgument::Lifetime(_)));
                for (at, arg) in types.enumerate() {
                    if let GenericArgument::Type(ty) = arg
                        && !marks.contains(&at)
                    {
                        self.visit_type(ty);
                    }
                }
            }
            _ => {
                self.found.extend(path.segments.iter().map(|segment| segment.ident.to_string()));
                visit::visit_path(self, path);
            }
        }
    }
}
