//! What other words of the accepted language say: queues, searches, and what known crates add to loops and iterators.
//!
//! *Comes in*: a function without macros of its module. *Goes out*: the same with vectors, bisections, loops and
//! iterators of the standard library. *Guarantees*: a name that a function of the module has is left alone. *Never*:
//! changes a signature.

mod binary_search;
mod deques;
mod itertools;
mod unrolled;

use deques::Deques;
use syn::{Item, ItemFn};

/// The functions of a module whose names are no such words there.
#[derive(Clone, Default)]
pub(super) struct OtherWords {
    deques: Deques,
}

impl OtherWords {
    /// Reads the functions of a module.
    pub(super) fn read(items: &[Item]) -> OtherWords {
        OtherWords { deques: Deques::read(items) }
    }

    pub(super) fn in_function(&self, item: &mut ItemFn) {
        unrolled::in_function(item);
        itertools::in_function(item);
        binary_search::in_function(item);
        self.deques.in_function(item);
    }

    /// The same in each function of an item.
    pub(super) fn in_item(&self, item: &mut Item) {
        unrolled::in_item(item);
        itertools::in_item(item);
        binary_search::in_item(item);
        self.deques.in_item(item);
    }
}
