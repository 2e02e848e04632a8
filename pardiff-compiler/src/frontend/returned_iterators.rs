//! Helpers that return iterators: their calls have the form of one.
//!
//! ```text
//! fn squares(x: &[f64]) -> impl Iterator<Item = f64> + '_ { x.iter().map(|v| v * v) }
//! squares(x).sum::<f64>()                                                 squares(x).into_iter().sum::<f64>()
//! ```
//!
//! Iterators are known by their form, before names are looked up. A name that other functions have as well is left
//! alone.

use super::arguments;
use super::param_types::{bare, is_iterator};
use crate::visit::changing::{self as visit_mut, VisitMut};
use crate::visit::{self, Visit};
use std::collections::BTreeMap;
use syn::spanned::Spanned;
use syn::{
    Expr, GenericArgument, Item, ItemFn, PathArguments, ReturnType, Signature, Type, parse_quote_spanned,
};

/// The names of functions, and whether all that have such a name return iterators.
#[derive(Clone, Debug, Default)]
pub(super) struct ReturnedIterators(BTreeMap<String, bool>);

impl ReturnedIterators {
    /// Reads the functions of a module.
    pub(super) fn read(items: &[Item]) -> ReturnedIterators {
        let mut found = ReturnedIterators::default();
        items.iter().for_each(|item| found.visit_item(item));
        found
    }

    /// A function whose calls of such functions, its own nested ones included, have the form of iterators.
    pub(super) fn in_function(&self, item: &mut ItemFn) {
        let mut found = self.clone();
        found.visit_block(&item.block);
        if found.0.values().any(|is_one| *is_one) {
            Written(&found).visit_block_mut(&mut item.block);
        }
    }

    /// The same of each function of an item.
    pub(super) fn in_item(&self, item: &mut Item) {
        if self.0.values().any(|is_one| *is_one) {
            Written(self).visit_item_mut(item);
        }
    }
}

impl Visit for ReturnedIterators {
    fn visitor(&mut self) -> &mut dyn Visit {
        self
    }

    fn visit_signature(&mut self, sig: &Signature) {
        let is_one = returns_iterator(sig);
        self.0.entry(sig.ident.to_string()).and_modify(|all| *all &= is_one).or_insert(is_one);
        visit::visit_signature(self, sig);
    }
}

/// Whether a function returns `impl Iterator<…>` or `Box<dyn Iterator<…>>`.
pub(super) fn returns_iterator(sig: &Signature) -> bool {
    matches!(&sig.output, ReturnType::Type(_, ty) if is_iterator(bare(ty)) || boxed(ty).is_some_and(is_iterator))
}

fn boxed(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = bare(ty) else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == "Box")?;
    let PathArguments::AngleBracketed(args) = &last.arguments else { return None };
    match args.args.first()? {
        GenericArgument::Type(ty) => Some(bare(ty)),
        _ => None,
    }
}

struct Written<'a>(&'a ReturnedIterators);

impl VisitMut for Written<'_> {
    fn visitor(&mut self) -> &mut dyn VisitMut {
        self
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        visit_mut::visit_expr_mut(self, e);
        let name = match e {
            Expr::Call(call) => match &*call.func {
                Expr::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
                _ => None,
            },
            Expr::MethodCall(call) => Some(call.method.to_string()),
            _ => None,
        };
        if name.is_some_and(|name| self.0.0.get(&name) == Some(&true)) {
            *e = parse_quote_spanned!(e.span()=> #e.into_iter());
        }
    }

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        arguments::change_each(mac, &mut |e| self.visit_expr_mut(e));
    }
}
