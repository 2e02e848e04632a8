//! `impl`s for all types that have some traits, or convert to something: which structs these are.
//!
//! ```text
//! impl<T: Norm> Twice for T { … }            the structs with an `impl Norm`
//! impl<T: Into<Lab>> Distance for T { … }    `Lab` itself, and the structs that `impl From<…> for Lab` converts
//! ```

use super::generic_structs::arguments_of;
use super::num_traits;
use super::records::{Records, name_of};
use syn::{GenericArgument, Item, TypeParamBound};

impl Records {
    /// The structs that have all traits of the module, and all conversions, that are among these bounds, if some are.
    pub(super) fn structs_behind(&self, bounds: Vec<&TypeParamBound>) -> Vec<String> {
        let said =
            |of: &str| -> Vec<bool> { bounds.iter().filter_map(|bound| self.has(of, bound)).collect() };
        let meets = |of: &&String| {
            let said = said(of);
            !said.is_empty() && said.iter().all(|has| *has)
        };
        let mut found: Vec<String> = self.names().filter(meets).cloned().collect();
        found.sort();
        found
    }

    /// Whether a struct has a trait of the module or a conversion; `None` of another bound.
    fn has(&self, of: &str, bound: &TypeParamBound) -> Option<bool> {
        let name = num_traits::name_of(bound)?;
        if self.trait_(&name).is_some() {
            return Some(self.has_trait(of, &name));
        }
        let TypeParamBound::Trait(bound) = bound else { return None };
        let last = bound.path.segments.last().filter(|_| name == "Into")?;
        let to = match &arguments_of(last)[..] {
            [GenericArgument::Type(to)] => name_of(to).filter(|to| self.get(to).is_some())?,
            _ => return None,
        };
        let converts = self.operators().iter().any(|from| {
            let sides = [&from.left, &from.right].map(name_of);
            from.name == "From" && !from.takes_reference() && sides == [Some(to.clone()), Some(of.to_owned())]
        });
        Some(to == of || converts)
    }
}

/// Whether an `impl` is for all types that have some traits.
pub(super) fn is_blanket(item: &Item) -> bool {
    let Item::Impl(item) = item else { return false };
    let of = name_of(&item.self_ty);
    item.generics.type_params().any(|param| of.as_ref().is_some_and(|of| param.ident == of))
}
