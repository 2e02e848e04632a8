//! Type parameters of helpers that follow from the trait of an argument.
//!
//! ```text
//! impl<S: Float> Coordinates<S> for Polar<S> { … }
//! fn radius<T: Float>(at: &impl Coordinates<T>) -> T { … }        radius(&polar): `T` is the `S` of `polar`
//! fn radius<P: Coordinates<T>, T: Float>(at: &P) -> T { … }       the same
//! ```
//!
//! As in rustc, this says something where one `impl` of the trait is for the type of the argument.

use super::super::infer::Type;
use super::super::instances::bounds_of;
use super::Resolver;
use super::implementations::is_const;
use super::type_parameters::bounds_in;
use quote::ToTokens;
use syn::{GenericArgument, ImplItem, ItemImpl, PathArguments, TypeParamBound};

impl Resolver<'_> {
    /// Finds such parameters of a helper, where the arguments have these types.
    pub(super) fn arguments_of_traits(&mut self, item: &syn::ItemFn, typed: &[(&syn::Type, Type)]) {
        let params = item.sig.generics.type_params().map(|param| &param.ident);
        let is_open = |name: &syn::Ident| {
            let of = self.type_parameter(&name.to_string()).map(|ty| self.infer.peel(ty));
            matches!(of, Some(Type::Var(_)))
        };
        let open: Vec<&syn::Ident> = params.filter(|name| is_open(name)).collect();
        if open.is_empty() {
            return;
        }
        let mut bounds: Vec<(Type, TypeParamBound)> = Vec::new();
        for param in item.sig.generics.type_params() {
            let Some(of) = self.type_parameter(&param.ident.to_string()).cloned() else { continue };
            let written = bounds_of(&item.sig.generics, &param.ident).into_iter();
            bounds.extend(written.map(|bound| (of.clone(), bound.clone())));
        }
        for (written, of) in typed {
            let behind = bounds_in(written).into_iter().flatten();
            bounds.extend(behind.map(|bound| (of.clone(), bound.clone())));
        }
        for (of, bound) in bounds {
            let names = super::super::hygiene::names(bound.to_token_stream());
            if open.iter().any(|name| names.contains(&name.to_string())) {
                self.argument_of_trait(&of, &bound);
            }
        }
    }

    /// The type that `impl`s of the module give a type parameter, `T::Vector`, and the rest of a path that begins so.
    pub(super) fn of_associated_type<'p>(
        &mut self,
        path: &'p syn::Path,
    ) -> Option<(Type, &'p syn::PathSegment)> {
        let mut segments = path.segments.iter();
        let (param, name, last) = (segments.next()?, segments.next()?, segments.next()?);
        let of = self.type_parameter(&param.ident.to_string()).map(|ty| self.infer.peel(ty))?;
        if segments.next().is_some() || matches!(of, Type::Var(_) | Type::Never) {
            return None;
        }
        let mut found: Vec<Type> = Vec::new();
        for item in self.module.records().implementations() {
            let Some(written) = associated(&item, &name.ident) else { continue };
            if self.fit(&item.generics, &[(&of, &item.self_ty)]).is_none() {
                continue;
            }
            let around = (&item.generics, &*item.self_ty);
            found.extend(
                self.within_impl(around, Some(&of), name.ident.span(), |this| this.type_of(&written)),
            );
        }
        let first = found.pop()?;
        let shown = self.infer.show(&first);
        found.iter().all(|other| self.infer.show(other) == shown).then_some((first, last))
    }

    /// Makes the arguments of a trait those of the one `impl` for a type.
    fn argument_of_trait(&mut self, of: &Type, bound: &TypeParamBound) -> Option<()> {
        let TypeParamBound::Trait(bound) = bound else { return None };
        let last = bound.path.segments.last()?;
        let PathArguments::AngleBracketed(written) = &last.arguments else { return None };
        let of = self.infer.peel(of);
        if matches!(of, Type::Var(_) | Type::Never) {
            return None;
        }
        let is_of_it = |item: &ItemImpl| {
            item.trait_
                .as_ref()
                .is_some_and(|(path, _)| path.segments.last().is_some_and(|it| it.ident == last.ident))
        };
        let mut impls = self.module.records().implementations();
        impls.retain(|item| is_of_it(item));
        let mut fitting = Vec::new();
        for item in &impls {
            if self.fit(&item.generics, &[(&of, &item.self_ty)]).is_some() {
                fitting.push(item);
            }
        }
        let [one] = fitting[..] else { return None };
        let own = arguments_of_impl(one);
        for (at, argument) in written.args.iter().enumerate() {
            let (argument, own) = match argument {
                GenericArgument::Type(ty) => (ty, own.get(at).cloned().flatten()),
                GenericArgument::AssocType(ty) => (&ty.ty, associated(one, &ty.ident)),
                _ => continue,
            };
            let Some(own) = own else { continue };
            let Some(asked) = self.type_of(argument) else { continue };
            let span = last.ident.span();
            let given =
                self.within_impl((&one.generics, &one.self_ty), Some(&of), span, |this| this.type_of(&own));
            if let Some(given) = given {
                self.unify(&asked, &given, span);
            }
        }
        Some(())
    }
}

/// The arguments of the trait of an `impl` that are types.
fn arguments_of_impl(item: &ItemImpl) -> Vec<Option<syn::Type>> {
    let last = item.trait_.as_ref().and_then(|(path, ..)| path.segments.last());
    let Some(PathArguments::AngleBracketed(own)) = last.map(|last| &last.arguments) else {
        return Vec::new();
    };
    let types = own.args.iter().map(|argument| match argument {
        GenericArgument::Type(ty) if !is_const(&item.generics, argument) => Some(ty.clone()),
        _ => None,
    });
    types.collect()
}

/// An associated type of an `impl`.
fn associated(item: &ItemImpl, name: &syn::Ident) -> Option<syn::Type> {
    item.items.iter().find_map(|part| match part {
        ImplItem::Type(ty) if ty.ident == *name => Some(ty.ty.clone()),
        _ => None,
    })
}
