//! Types in place of type parameters.

use super::associated_types;
use super::module::Module;
use super::records;
use crate::visit::changing::{self as visit_mut, VisitMut};
use quote::format_ident;
use syn::{Ident, ItemFn, Macro, Type};

/// Writes types in place of type parameters, and in place of the associated types of these parameters what the types
/// have there.
pub(super) fn fill_types(item: &mut ItemFn, module: &Module, of: &dyn Fn(&Ident) -> Option<Type>) {
    let name_of =
        |name: &str| of(&format_ident!("{name}")).map(|ty| records::name_of(&ty).unwrap_or_default());
    associated_types::in_function(item, module.records(), &name_of);
    Fill(of).visit_item_fn_mut(item);
}

struct Fill<'a>(&'a dyn Fn(&Ident) -> Option<Type>);

impl VisitMut for Fill<'_> {
    fn visitor(&mut self) -> &mut dyn VisitMut {
        self
    }

    fn visit_type_mut(&mut self, ty: &mut Type) {
        if let Type::Path(path) = &*ty
            && path.qself.is_none()
            && let Some(name) = path.path.get_ident()
            && let Some(of) = (self.0)(name)
        {
            *ty = of;
            return;
        }
        visit_mut::visit_type_mut(self, ty);
    }

    /// An item of the body has parameters of its own, and does not see these.
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    /// `vec![Vec::<T>::new(); n]`
    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        super::arguments::change_each(mac, &mut |e| self.visit_expr_mut(e));
    }
}
