//! The module around the differentiated functions, as far as their bodies may name it: functions to inline, constants,
//! imports, aliases.
//!
//! *Comes in*: the items of a module under `#[differentiate]`. *Goes out*: each by its name, without aliases. *Never*:
//! refuses anything: what cannot be used is refused where a function uses it.

use super::alias::Aliases;
use super::blanket_impls;
use super::configured;
use super::enums;
use super::function_fields;
use super::generic_structs::{generics_of, has_parameters};
use super::hygiene;
use super::imports::Imports;
use super::integers_of_mpi;
use super::lifetimes::Lifetimes;
use super::macros_by_example::Macros;
use super::methods::OwnType;
use super::other_words::OtherWords;
use super::phantoms;
use super::records::{self, Operator, Records};
use super::results;
use super::returned_iterators::ReturnedIterators;
use super::structs;
use super::unchecked;
use crate::refusal::Refusal;
use crate::signature::Record;
use crate::visit::{self, Visit};
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use syn::{Item, ItemFn, ItemImpl, ItemUse};

/// What a function sees of its module; nothing for a function that carries the attribute by itself.
#[derive(Clone, Default)]
pub struct Module {
    /// Whether there is one.
    pub(super) is_some: bool,
    /// Whether it stands around the function, and not elsewhere.
    is_module: bool,
    aliases: Aliases,
    /// Names that are imported as integers of `mpi`.
    pub(super) integers: Vec<syn::Ident>,
    functions: HashMap<String, Rc<ItemFn>>,
    constants: HashMap<String, Rc<Item>>,
    imports: Vec<ItemUse>,
    iterators: Imports,
    returned_iterators: ReturnedIterators,
    other_words: OtherWords,
    records: Records,
    /// The names of structs and enums that are not read yet.
    unread: HashSet<String>,
    lifetimes: Lifetimes,
    macros: Macros,
    /// As written, where there are structs or enums with parameters.
    items: Rc<Vec<Item>>,
    /// Structs and enums with parameters, by name.
    templates: HashMap<String, Item>,
    /// Those that are being read, with their arguments, each for a field of the one before.
    pub(super) reading: RefCell<Vec<String>>,
}

impl Module {
    /// Reads the items of a module.
    pub fn read(items: &[Item]) -> Module {
        Module { is_module: true, ..Module::of_items(items) }
    }

    /// Reads items that a function by itself uses.
    pub fn of_items(items: &[Item]) -> Module {
        let (lifetimes, macros) = (Lifetimes::read(items), Macros::read(items));
        let mut module = Module { is_some: true, lifetimes, macros, ..Module::default() };
        for item in items {
            match item {
                Item::Type(item) => module.aliases.add(item),
                Item::Use(item) => {
                    module.iterators.add(item);
                    let mut integers = Vec::new();
                    integers_of_mpi::imported(&item.tree, false, &mut integers);
                    integers.iter().for_each(|it| module.aliases.add(it));
                    module.integers.extend(integers.into_iter().map(|it| it.ident));
                    module.imports.push(item.clone());
                }
                _ => {}
            }
        }
        module.returned_iterators = ReturnedIterators::read(items);
        module.other_words = OtherWords::read(items);
        module.read_structs(items);
        let is_generic = |item: &Item| has_parameters(generics_of(item));
        if items.iter().any(is_generic) {
            module.items = Rc::new(items.to_vec());
        }
        for item in items.iter().filter(|item| matches!(item, Item::Trait(_))) {
            let mut item = item.clone();
            module.macros.in_item(&mut item);
            module.other_words.in_item(&mut item);
            module.aliases.in_item(&mut item);
            module.iterators.in_item(&mut item);
            module.returned_iterators.in_item(&mut item);
            results::in_item(&mut item);
            unchecked::in_item(&mut item);
            if let Item::Trait(item) = item {
                module.records.add_trait(item);
            }
        }
        // an `impl` for all types that have a trait needs to know which these are
        let (blanket, others): (Vec<&Item>, Vec<&Item>) =
            items.iter().partition(|item| blanket_impls::is_blanket(item));
        for item in others.into_iter().chain(blanket) {
            match item {
                Item::Fn(item) => {
                    let name = item.sig.ident.to_string();
                    let mut item = module.prepared(item.clone());
                    results::in_signature(&mut item);
                    let first = module.functions.get(&name);
                    if let Some(both) = first.and_then(|first| configured::either_function(first, &item)) {
                        item = both;
                    }
                    module.functions.insert(name, Rc::new(item));
                }
                Item::Const(syn::ItemConst { ident, .. }) | Item::Static(syn::ItemStatic { ident, .. }) => {
                    let (name, mut item) = (ident.to_string(), item.clone());
                    module.aliases.in_item(&mut item);
                    module.constants.insert(name, Rc::new(item));
                }
                Item::Impl(_) => {
                    let mut item = item.clone();
                    module.macros.in_item(&mut item);
                    module.other_words.in_item(&mut item);
                    module.aliases.in_item(&mut item);
                    module.iterators.in_item(&mut item);
                    module.returned_iterators.in_item(&mut item);
                    results::in_item(&mut item);
                    configured::in_item(&mut item);
                    unchecked::in_item(&mut item);
                    if let Item::Impl(item) = &item {
                        module.records.add_impl(item);
                    }
                }
                _ => {}
            }
        }
        module
    }

    /// Reads the structs and enums, each behind those that its fields name.
    fn read_structs(&mut self, items: &[Item]) {
        let mut waiting: Vec<Item> = Vec::new();
        if mentions(items.iter().map(ToTokens::to_token_stream).collect(), &[phantoms::NAME.to_owned()]) {
            self.records.insert(phantoms::NAME.to_owned(), Ok(phantoms::record()));
        }
        for item in items.iter().filter(|item| matches!(item, Item::Struct(_) | Item::Enum(_))) {
            let mut item = item.clone();
            self.aliases.in_item(&mut item);
            let Some(name) = declared(&item).cloned() else { continue };
            OwnType::in_type(&name, &mut item);
            function_fields::as_parameters(&mut item);
            match has_parameters(generics_of(&item)) {
                true => _ = self.templates.insert(name.to_string(), item),
                false => waiting.push(item),
            }
        }
        loop {
            let names: Vec<String> = waiting.iter().filter_map(declared).map(ToString::to_string).collect();
            self.unread = names.iter().cloned().collect();
            let ready = |item: &Item| !field_types(item).any(|ty| mentions(ty.to_token_stream(), &names));
            // what is left over goes round in a circle, which rustc or a refusal of the field ends
            let at = waiting.iter().position(ready).unwrap_or(0);
            if waiting.is_empty() {
                break;
            }
            let (name, record) = match waiting.remove(at) {
                Item::Struct(item) => (item.ident.to_string(), structs::read(self, &item)),
                Item::Enum(item) => (item.ident.to_string(), enums::read(self, &item)),
                _ => continue,
            };
            self.records.insert(name, record);
        }
        for name in self.templates.keys() {
            if let Some(record) = self.with_any_arguments(&syn::Ident::new(name, Span::call_site()).into()) {
                self.records.insert(name.clone(), record);
            }
        }
    }

    /// The struct that a path names, or why it cannot be used.
    pub(super) fn record(&self, path: &syn::Path) -> Option<Result<Rc<Record>, Refusal>> {
        if phantoms::is_path(path) {
            return self.records.get(phantoms::NAME).cloned();
        }
        let known = || self.records.get(&records::name_of_path(path)?.to_string()).cloned();
        self.with_any_arguments(path).or_else(known)
    }

    /// Whether there are structs or enums with parameters.
    pub(super) fn has_templates(&self) -> bool {
        !self.templates.is_empty()
    }

    /// A struct or an enum with parameters.
    pub(super) fn template(&self, name: &str) -> Option<&Item> {
        self.templates.get(name)
    }

    pub(super) fn is_module(&self) -> bool {
        self.is_module
    }

    pub(super) fn records(&self) -> &Records {
        &self.records
    }

    /// The implementations of an operator.
    pub(super) fn operators<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Operator> {
        self.records.operators().iter().filter(move |operator| operator.name == name)
    }

    /// Whether floats are in a value of this type, or may be.
    pub fn holds_floats(&self, ty: &syn::Type) -> bool {
        struct Find<'a>(&'a Module, bool);
        impl Visit for Find<'_> {
            fn visitor(&mut self) -> &mut dyn Visit {
                self
            }

            fn visit_path(&mut self, path: &syn::Path) {
                let record = self.0.with_arguments_of(path).or_else(|| self.0.record(path));
                // what cannot be used is refused where the function is
                self.1 |= path.is_ident("f64")
                    || path.is_ident("f32")
                    || path.get_ident().is_some_and(|name| self.0.unread.contains(&name.to_string()))
                    || record.is_some_and(|record| record.is_err() || record.is_ok_and(|it| it.has_floats()));
                visit::visit_path(self, path);
            }
        }
        let mut find = Find(self, false);
        find.visit_type(ty);
        find.1
    }

    /// The type of a parameter with the lifetimes that its names hide, as far as the module shows them.
    pub fn with_lifetimes(&self, ty: &syn::Type) -> syn::Type {
        self.lifetimes.written_out(ty)
    }

    /// The type of a result that lives for ever.
    pub fn lasting(&self, ty: &syn::Type) -> syn::Type {
        self.lifetimes.lasting(ty)
    }

    /// The function as the front end reads it: without aliases, imported functions of `std::iter` and `Result`s, each local
    /// variable with a name of its own. What it returns stays as it is written.
    pub fn prepared(&self, mut item: ItemFn) -> ItemFn {
        self.macros.in_function(&mut item);
        self.other_words.in_function(&mut item);
        self.aliases.in_function(&mut item);
        self.iterators.in_function(&mut item);
        self.returned_iterators.in_function(&mut item);
        results::in_body(&mut item);
        configured::in_function(&mut item);
        unchecked::in_function(&mut item);
        hygiene::separate(item)
    }

    /// A type without aliases.
    pub fn type_without_aliases(&self, ty: &syn::Type) -> syn::Type {
        let mut ty = ty.clone();
        self.aliases.in_type(&mut ty);
        ty
    }

    /// An `impl` without aliases.
    pub(super) fn without_aliases(&self, item: &ItemImpl) -> ItemImpl {
        let mut expanded = Item::Impl(item.clone());
        self.aliases.in_item(&mut expanded);
        match expanded {
            Item::Impl(item) => item,
            _ => item.clone(),
        }
    }

    /// The items as they are written, where there are structs or enums with parameters.
    pub(super) fn items(&self) -> &[Item] {
        &self.items
    }

    pub(super) fn functions(&self) -> impl Iterator<Item = (&String, &Rc<ItemFn>)> {
        self.functions.iter()
    }

    pub(super) fn constants(&self) -> impl Iterator<Item = (&String, &Rc<Item>)> {
        self.constants.iter()
    }

    pub(super) fn imports(&self) -> &[ItemUse] {
        &self.imports
    }
}

/// The name of a struct or an enum.
pub(super) fn declared(item: &Item) -> Option<&syn::Ident> {
    match item {
        Item::Struct(item) => Some(&item.ident),
        Item::Enum(item) => Some(&item.ident),
        _ => None,
    }
}

/// The types of the fields of a struct, or of the variants of an enum.
pub(super) fn field_types(item: &Item) -> impl Iterator<Item = &syn::Type> {
    let fields: Vec<&syn::Fields> = match item {
        Item::Struct(item) => vec![&item.fields],
        Item::Enum(item) => item.variants.iter().map(|variant| &variant.fields).collect(),
        _ => Vec::new(),
    };
    fields.into_iter().flatten().map(|field| &field.ty)
}

fn mentions(tokens: TokenStream, names: &[String]) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => names.contains(&ident.to_string()),
        TokenTree::Group(group) => mentions(group.stream(), names),
        _ => false,
    })
}
