//! Values without a path: variants of enums and constants that are imported where an item stands.

use super::super::imports::{ANY_CONSTANT, KNOWN_CRATES};
use super::super::written::Proof;
use super::{Rewriter, frontend, linked, num_traits};
use crate::ir::Ty;
use syn::{Ident, Path};

impl Rewriter<'_> {
    /// A variant of an enum whose variants are imported, behind the path of the enum.
    pub(super) fn variant(&self, path: &Path) -> Option<Path> {
        let name = path.get_ident().filter(|name| !self.is_bound(name))?.to_string();
        let imports = self.bodies.iter().rev().map(|(_, imports)| imports).chain([&self.imports]);
        let has_it = |glob: &&Path| {
            glob.segments.last().is_some_and(|of| {
                let own = self.own_variants.get(&of.ident.to_string());
                let known = own.or_else(|| self.scope.find(&of.ident).map(|entry| &entry.variants));
                known.is_some_and(|variants| variants.contains(&name))
            })
        };
        let mut full = imports.flat_map(|imports| &imports.own_globs).find(has_it)?.clone();
        full.segments.extend(path.segments.iter().cloned());
        Some(full)
    }

    /// A name of a constant of `f64::consts`, which a proof beside the exported item says it is.
    pub(super) fn constant_of_std(&mut self, path: &mut Path) -> bool {
        let Some(name) = path.get_ident().filter(|name| !self.is_bound(name)) else { return false };
        if !num_traits::give(["FloatConst"], &name.to_string()) {
            return false;
        }
        let (name, float) = (name.clone(), if self.is_single { Ty::F32 } else { Ty::F64 });
        let module = Ident::new(&float.to_string(), name.span());
        *path = syn::parse_quote!(::core::#module::consts::#name);
        self.written.proofs.push(Proof::Constant(name, float));
        true
    }

    /// A value that the exported item alone sees.
    pub(super) fn mark(&self, path: &mut Path) {
        let Some(first) = path.segments.first().map(|first| first.ident.clone()) else { return };
        let text = first.to_string();
        let (is_lone, last) = (path.segments.len() == 1, path.segments.last().map(|last| last.ident.clone()));
        let is_constant_of_std = is_lone && self.bound.iter().any(|names| names.contains(ANY_CONSTANT));
        let is_known = self.is_bound(&first)
            || is_constant_of_std
            || matches!(
                text.as_str(),
                "self" | "Self" | "None" | "Some" | "Ok" | "Err" | "Ordering" | "Option"
            )
            || linked::is_unique(&text)
            || Ty::from_name(&text).is_some()
            || frontend::is_word(KNOWN_CRATES, &text);
        if is_known {
            return;
        }
        if is_lone && let Some(glob) = self.imports.globs.iter().find(|glob| is_constants(glob)) {
            let mut full = glob.clone();
            full.segments.extend(last.map(syn::PathSegment::from));
            *path = full;
            return;
        }
        if let Some(first) = path.segments.first_mut() {
            first.ident = linked::elsewhere(&first.ident);
        }
    }
}

/// `f64::consts`
fn is_constants(path: &Path) -> bool {
    path.segments.last().is_some_and(|last| last.ident == "consts")
}
