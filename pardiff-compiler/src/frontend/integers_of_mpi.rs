//! The names that the crate `mpi` has for `i32`, written out.
//!
//! ```text
//! use mpi::{Count, Rank};
//! fn counts(size: Rank) -> Vec<Count> { … }      fn counts(size: i32) -> Vec<i32> { … }
//! ```
//!
//! In a module these are the names that it imports from `mpi` or `ranks`; an attribute on a function with communicators
//! takes any of these names for one. An item beside the function, which does not compile where it is another type,
//! proves it.

use super::module::Module;
use super::{communicators, display};
use crate::visit::changing::{self, VisitMut};
use proc_macro2::{Ident, Span};
use syn::spanned::Spanned;
use syn::{FnArg, ItemFn, ItemType, Path, Type, UseTree};

/// Whether a name is one of them.
fn is_name(name: &Ident) -> bool {
    ["Rank", "Tag", "Count"].iter().any(|it| name == it)
}

/// Those that are imported, as aliases.
pub(super) fn imported(tree: &UseTree, is_of_mpi: bool, found: &mut Vec<ItemType>) {
    let mut add = |name: &Ident, shown: &Ident| {
        if is_of_mpi && is_name(name) {
            found.push(syn::parse_quote!(type #shown = i32;));
        }
    };
    match tree {
        UseTree::Path(path) => {
            let is_of_mpi = is_of_mpi || path.ident == "mpi" || path.ident == "ranks";
            imported(&path.tree, is_of_mpi, found);
        }
        UseTree::Group(group) => group.items.iter().for_each(|tree| imported(tree, is_of_mpi, found)),
        UseTree::Name(name) => add(&name.ident, &name.ident),
        UseTree::Rename(name) => add(&name.ident, &name.rename),
        UseTree::Glob(_) => {}
    }
}

/// Writes them out in a function with communicators; what was taken for them there and by the module, and where.
pub(super) fn written_out(item: &mut ItemFn, module: &Module) -> Vec<(Path, Span)> {
    let is_communicator = |arg: &FnArg| match arg {
        FnArg::Typed(arg) => {
            let ty = match &*arg.ty {
                Type::Reference(reference) => &*reference.elem,
                ty => ty,
            };
            let ty = if let Type::Paren(inner) = ty { &*inner.elem } else { ty };
            matches!(communicators::record(ty), Some(Ok(record)) if communicators::is_communicator(&record))
        }
        FnArg::Receiver(_) => false,
    };
    let of_module = module.integers.iter().map(|name| (Path::from(name.clone()), name.span()));
    let mut names = Names { module, own: Vec::new(), found: of_module.collect() };
    if item.sig.inputs.iter().any(is_communicator) {
        names.own = item.sig.generics.type_params().map(|param| param.ident.clone()).collect();
        names.visit_item_fn_mut(item);
    }
    names.found
}

struct Names<'a> {
    module: &'a Module,
    /// Type parameters.
    own: Vec<Ident>,
    found: Vec<(Path, Span)>,
}

impl VisitMut for Names<'_> {
    fn visitor(&mut self) -> &mut dyn VisitMut {
        self
    }

    fn visit_type_mut(&mut self, ty: &mut Type) {
        let name = match &*ty {
            Type::Path(path) if path.qself.is_none() => path.path.segments.last().map(|last| &last.ident),
            _ => None,
        };
        if let (Some(name), Type::Path(path)) = (name, &*ty)
            && is_name(name)
            && !self.own.contains(name)
            && self.module.record(&path.path).is_none()
        {
            let (path, span) = (path.path.clone(), ty.span());
            if !self.found.iter().any(|(found, _)| display::same_text(found, &path)) {
                self.found.push((path, span));
            }
            let integer = Ident::new("i32", span);
            *ty = syn::parse_quote!(#integer);
            return;
        }
        changing::visit_type_mut(self, ty);
    }
}
