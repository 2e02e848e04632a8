//! Associated types of type parameters: the types that `impl`s of the module give them.
//!
//! ```text
//! trait Lerp { type Scalar; fn lerp(&self, to: &Self, t: &Self::Scalar) -> Self; }
//! impl Lerp for f64 { type Scalar = f64; … }
//! fn middle<T: Lerp>(a: &T, b: &T, t: &T::Scalar) -> T          t: &f64, where `T` is `f64`
//! ```
//!
//! `<T as Lerp>::Scalar` is that of one trait. A name that several `impl`s give one type, `Output` of operators, is
//! none.

use super::records::Records;
use crate::ir::Ty;
use crate::visit::changing::{self as visit_mut, VisitMut};
use syn::{Type, TypePath};

/// The type with what its parameters have in their place; `name_of` says what a parameter stands for.
pub(super) fn written_out(ty: &Type, records: &Records, name_of: &dyn Fn(&str) -> Option<String>) -> Type {
    let mut ty = ty.clone();
    AssociatedTypes { records, name_of }.visit_type_mut(&mut ty);
    ty
}

/// The same of the types of a function.
pub(super) fn in_function(
    item: &mut syn::ItemFn,
    records: &Records,
    name_of: &dyn Fn(&str) -> Option<String>,
) {
    AssociatedTypes { records, name_of }.visit_item_fn_mut(item);
}

struct AssociatedTypes<'a> {
    records: &'a Records,
    name_of: &'a dyn Fn(&str) -> Option<String>,
}

impl AssociatedTypes<'_> {
    fn of(&self, ty: &TypePath) -> Option<Type> {
        let last = ty.path.segments.last()?.ident.to_string();
        let of = match &ty.qself {
            Some(of) => match &*of.ty {
                Type::Path(of) => of.path.get_ident()?.to_string(),
                _ => return None,
            },
            None if ty.path.segments.len() == 2 => ty.path.segments[0].ident.to_string(),
            None => return None,
        };
        // `Self::Scalar` of a trait above that of an `impl` is `f64::Scalar` there
        let of = (self.name_of)(&of).unwrap_or(of);
        self.records.associated_type(&of, &last).cloned().or_else(|| of_nalgebra(&of, &last))
    }
}

/// What a float is to the traits of numbers of `nalgebra`: the real numbers that it is one of, and its own lane.
fn of_nalgebra(of: &str, name: &str) -> Option<Type> {
    let is_itself = matches!(name, "RealField" | "SimdRealField" | "Element");
    let is_float = Ty::from_name(of).is_some_and(Ty::is_float);
    syn::parse_str(of).ok().filter(|_| is_itself && is_float)
}

impl VisitMut for AssociatedTypes<'_> {
    fn visitor(&mut self) -> &mut dyn VisitMut {
        self
    }

    fn visit_type_mut(&mut self, ty: &mut Type) {
        if let Type::Path(path) = ty
            && let Some(of) = self.of(path)
        {
            *ty = of;
            return;
        }
        visit_mut::visit_type_mut(self, ty);
    }

    /// An item of the body has parameters of its own.
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}
