//! What the traits before a type parameter say where several `impl`s have a name.
//!
//! ```text
//! fn area<S: Shape>(s: &S) -> f64 { S::SIDES … s.scale() … }     // those of `Shape`, whatever else the type has
//! trait Shape { fn area(&self) -> f64 { self.scale() … } }       // the same
//! ```
//!
//! A type parameter has what its traits have and nothing else. So what a type has by itself is never meant by the name
//! of a parameter, nor by a value whose declared type is that parameter.

use super::super::GivenType;
use super::super::infer::Type;
use super::super::instances::bounds_of;
use super::super::records::{Constant, Function};
use super::super::tree::LocalId;
use super::{Name, Resolver, bare};
use std::rc::Rc;
use syn::{Generics, Ident, PathSegment, TypeParamBound};

/// What an `impl` has.
pub(super) trait OfImpl: Clone {
    /// The trait, if it is one of a trait.
    fn of_trait(&self) -> Option<&syn::Path>;
    /// The parameters of the `impl`, at least.
    fn generics(&self) -> &Generics;
}

impl OfImpl for Function {
    fn of_trait(&self) -> Option<&syn::Path> {
        self.trait_.as_ref()
    }

    fn generics(&self) -> &Generics {
        &self.item.sig.generics
    }
}

impl OfImpl for Rc<Constant> {
    fn of_trait(&self) -> Option<&syn::Path> {
        self.trait_.as_ref()
    }

    fn generics(&self) -> &Generics {
        &self.generics
    }
}

impl Resolver<'_> {
    /// Notes the traits before the type parameters of a helper. A parameter without any has no members in code that
    /// rustc accepts; texts of known crates call there what the types themselves have.
    pub(super) fn declare_bounds(&mut self, generics: &Generics) {
        for param in generics.type_params() {
            let bounds: Vec<_> = bounds_of(generics, &param.ident).into_iter().cloned().collect();
            if !bounds.is_empty() && self.size_given(&param.ident.to_string()).is_none() {
                self.declare_bounds_of(&param.ident, bounds);
            }
        }
    }

    /// Declares the type parameters of the function itself that stand for structs, and its values of these types.
    pub(in super::super) fn declare_given_types(&mut self, types: &[GivenType]) {
        for given in types {
            if !matches!(given.of, syn::Type::Path(_) | syn::Type::Tuple(_) | syn::Type::Array(_)) {
                continue;
            }
            let Some(of) = self.type_of(&given.of) else { continue };
            if let Some(scope) = self.scopes.last_mut() {
                scope.types.insert(given.name.to_string(), of);
            }
            if given.bounds.iter().any(|bound| self.unseen(bound, 0).is_some()) {
                let traits = self.declared_traits(given.bounds.clone());
                self.scopes.last_mut().into_iter().for_each(|scope| scope.traits.extend(traits.clone()));
            }
            if !given.bounds.is_empty() {
                self.declare_bounds_of(&given.name, given.bounds.clone());
            }
            for value in &given.values {
                if let Some(Name::Local(id)) = self.lookup(&value.to_string()).cloned() {
                    self.declare_value(id, &given.name);
                }
            }
        }
    }

    fn declare_bounds_of(&mut self, param: &Ident, mut bounds: Vec<TypeParamBound>) {
        if let Some(of) = self.type_parameter(&param.to_string()).cloned() {
            self.note_unseen(&of, &bounds);
        }
        let mut traits: Vec<PathSegment> = Vec::new();
        while let Some(bound) = bounds.pop() {
            let TypeParamBound::Trait(bound) = bound else { continue };
            let Some(last) = bound.path.segments.last().cloned() else { continue };
            // rustc refuses circles
            if let Some(item) = self.module.records().trait_(&last.ident.to_string())
                && traits.len() < 64
            {
                // their arguments may be parameters of the trait
                let is_plain = item.generics.params.is_empty();
                bounds.extend(
                    item.supertraits.iter().cloned().map(|above| if is_plain { above } else { lone(above) }),
                );
            }
            traits.push(last);
        }
        if let Some(scope) = self.scopes.last_mut() {
            scope.bounds.insert(param.to_string(), traits);
        }
    }

    /// Notes that the declared type of a value is a type parameter, or a reference to it.
    pub(super) fn declare_value(&mut self, id: LocalId, param: &Ident) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.values.insert(id, param.to_string());
        }
    }

    /// The type parameter that is the declared type of a value.
    pub(super) fn parameter_of(&self, value: &syn::Expr) -> Option<String> {
        let syn::Expr::Path(path) = bare(value) else { return None };
        let Some(Name::Local(id)) = self.lookup(&path.path.get_ident()?.to_string()) else { return None };
        self.scopes.iter().rev().find_map(|scope| scope.values.get(id).cloned())
    }

    /// Those that a type parameter has; all where the name is that of no parameter.
    pub(super) fn of_parameter<T: OfImpl>(&mut self, name: &str, all: Vec<T>) -> Vec<T> {
        let Some(bounds) = self.bounds(name).cloned() else { return all };
        let of_traits: Vec<T> = all.into_iter().filter(|one| one.of_trait().is_some()).collect();
        let mut named = of_traits.clone();
        named.retain(|one| {
            bounds.iter().any(|bound| self.is_of_written_trait(one.of_trait(), one.generics(), bound))
        });
        let is_unseen = self.type_parameter(name).is_some_and(|ty| self.unseen_before(ty).is_some());
        if named.is_empty() && !is_unseen { of_traits } else { named }
    }

    /// The traits before the type parameters that a number may be of.
    pub(super) fn bounds_of_type(&self, ty: &Type) -> Vec<PathSegment> {
        let mut bounds = Vec::new();
        for scope in self.scopes.iter().rev() {
            for (name, traits) in &scope.bounds {
                let of = scope.types.get(name).map(|of| self.infer.peel(of));
                match (&of, ty) {
                    (Some(Type::Scalar(of)), Type::Scalar(ty)) if of != ty => {}
                    (Some(Type::Scalar(_) | Type::Var(_)), _) => bounds.extend(traits.iter().cloned()),
                    _ => {}
                }
            }
            if scope.function {
                break;
            }
        }
        bounds
    }

    fn bounds(&self, name: &str) -> Option<&Vec<PathSegment>> {
        for scope in self.scopes.iter().rev() {
            if let Some(found) = scope.bounds.get(name) {
                return Some(found);
            }
            if scope.function {
                break;
            }
        }
        None
    }
}

/// The type parameter that a type is, or a reference to.
pub(in super::super) fn parameter_of<'a>(generics: &'a Generics, ty: &syn::Type) -> Option<&'a Ident> {
    match ty {
        syn::Type::Group(ty) => parameter_of(generics, &ty.elem),
        syn::Type::Paren(ty) => parameter_of(generics, &ty.elem),
        syn::Type::Reference(ty) => parameter_of(generics, &ty.elem),
        syn::Type::Path(ty) => {
            generics.type_params().map(|param| &param.ident).find(|it| ty.path.is_ident(*it))
        }
        _ => None,
    }
}

/// The trait without its arguments.
fn lone(mut bound: TypeParamBound) -> TypeParamBound {
    if let TypeParamBound::Trait(bound) = &mut bound
        && let Some(last) = bound.path.segments.last_mut()
    {
        last.arguments = syn::PathArguments::None;
    }
    bound
}
