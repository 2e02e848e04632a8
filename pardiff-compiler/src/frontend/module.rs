//! The module around the differentiated functions, as far as their bodies may name it: functions to inline, constants,
//! imports, aliases.
//!
//! *Comes in*: the items of a module under `#[differentiate]`. *Goes out*: each by its name, without aliases. *Never*:
//! refuses anything: what cannot be used is refused where a function uses it.

use super::alias::Aliases;
use super::hygiene;
use std::collections::HashMap;
use std::rc::Rc;
use syn::{Item, ItemFn, ItemUse};

/// What a function sees of its module; nothing for a function that carries the attribute by itself.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// Whether there is one.
    pub(super) is_some: bool,
    aliases: Aliases,
    functions: HashMap<String, Rc<ItemFn>>,
    constants: HashMap<String, Rc<Item>>,
    imports: Vec<ItemUse>,
}

impl Module {
    /// Reads the items of a module.
    pub fn read(items: &[Item]) -> Module {
        let mut module = Module { is_some: true, ..Module::default() };
        for item in items {
            if let Item::Type(item) = item {
                module.aliases.add(item);
            }
        }
        for item in items {
            match item {
                Item::Fn(item) => {
                    let name = item.sig.ident.to_string();
                    let item = module.prepared(item.clone());
                    module.functions.insert(name, Rc::new(item));
                }
                Item::Const(syn::ItemConst { ident, .. }) | Item::Static(syn::ItemStatic { ident, .. }) => {
                    let (name, mut item) = (ident.to_string(), item.clone());
                    module.aliases.in_item(&mut item);
                    module.constants.insert(name, Rc::new(item));
                }
                Item::Use(item) => module.imports.push(item.clone()),
                _ => {}
            }
        }
        module
    }

    /// The function as the front end reads it: without aliases, each local variable with a name of its own.
    pub fn prepared(&self, mut item: ItemFn) -> ItemFn {
        self.aliases.in_function(&mut item);
        hygiene::separate(item)
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
