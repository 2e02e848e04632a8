//! What other words of the accepted language say: queues, searches, and what known crates add to loops and iterators.
//!
//! *Comes in*: a function without macros of its module. *Goes out*: the same with vectors, bisections, loops and
//! iterators of the standard library. *Guarantees*: a name that a function of the module has is left alone. *Never*:
//! changes a signature.

mod binary_search;
mod deques;
mod itertools;
mod unrolled;

use crate::visit::changing::VisitMut;
use crate::visit::{self, Visit};
use std::collections::HashSet;
use syn::{ExprMethodCall, Item, ItemFn, Signature};

/// The functions of a module: of a method that has such a name, types would say which is meant.
#[derive(Clone, Default)]
pub(super) struct OtherWords {
    own: HashSet<String>,
}

impl OtherWords {
    /// Reads the functions of a module.
    pub(super) fn read(items: &[Item]) -> OtherWords {
        let mut own = OtherWords::default();
        items.iter().for_each(|item| own.visit_item(item));
        own
    }

    pub(super) fn in_function(&self, item: &mut ItemFn) {
        self.each(&mut |words| words.visit_item_fn_mut(item));
    }

    /// The same in each function of an item.
    pub(super) fn in_item(&self, item: &mut Item) {
        self.each(&mut |words| words.visit_item_mut(item));
    }

    fn each(&self, visit: &mut dyn FnMut(&mut dyn VisitMut)) {
        visit(&mut unrolled::AsLoops);
        visit(&mut itertools::WriteOut(self));
        visit(&mut binary_search::Opened(self));
        visit(&mut deques::AsVectors(self));
    }

    /// Whether a method may be one of the module.
    fn has(&self, call: &ExprMethodCall) -> bool {
        self.own.contains(&call.method.to_string())
    }
}

impl Visit for OtherWords {
    fn visitor(&mut self) -> &mut dyn Visit {
        self
    }

    fn visit_signature(&mut self, sig: &Signature) {
        self.own.insert(sig.ident.to_string());
        visit::visit_signature(self, sig);
    }
}
