//! Traits of other crates before type parameters: what they give a type is not seen.
//!
//! ```text
//! fn root<T: Float + Unseen>(x: T) -> T { x.sqrt() }       // that of `Float`
//! fn twice<T: Float + Unseen>(x: T) -> T { x.twice() }     // refused: it may be one of `Unseen`
//! ```
//!
//! A value whose type is a parameter has the methods of the traits before that parameter, and rustc refuses a name that
//! two of them have. So a method that a trait gives which is seen is that one, whatever the others give.

use super::super::communicators;
use super::super::infer::Type;
use super::super::num_traits;
use super::super::tree::Expr;
use super::bounds::OfImpl;
use super::{Resolver, is_word, iterator_arguments};
use crate::visit::Visit;
use proc_macro2::Span;
use syn::TypeParamBound;

/// What values have by traits of the standard library whose names nobody gives to something else.
const ALWAYS: &str = "clone eq ge gt into le lt ne partial_cmp to_owned";

/// The traits that types stand behind.
#[derive(Default)]
pub(super) struct Bounds(pub(super) Vec<TypeParamBound>);

impl Visit for Bounds {
    fn visitor(&mut self) -> &mut dyn Visit {
        self
    }

    fn visit_type_param_bound(&mut self, bound: &TypeParamBound) {
        self.0.push(bound.clone());
    }
}

impl Resolver<'_> {
    /// Notes that a type has a trait that is not seen, if one of these bounds is such a trait.
    pub(super) fn note_unseen(&mut self, ty: &Type, bounds: &[TypeParamBound]) {
        let unseen = bounds.iter().find_map(|bound| self.unseen(bound, 0));
        if let (Some(name), Some(scope)) = (unseen, self.scopes.last_mut()) {
            scope.unseen.push((ty.clone(), name));
        }
    }

    /// The same for the type of an argument, or of its elements, where the type that is written has these bounds.
    pub(super) fn note_unseen_argument(&mut self, ty: &Type, written: &syn::Type) {
        let mut found = Bounds::default();
        found.visit_type(written);
        let mut ty = self.infer.peel(ty);
        self.note_unseen(&ty, &found.0);
        while let Type::Array(elem, _) = ty {
            ty = self.infer.peel(&elem);
            self.note_unseen(&ty, &found.0);
        }
    }

    /// The trait, or one above it in the module, whose functions are not seen.
    pub(super) fn unseen(&self, bound: &TypeParamBound, depth: usize) -> Option<String> {
        let TypeParamBound::Trait(of) = bound else { return None };
        let name = num_traits::name_of(bound)?;
        let is_lone = of.path.segments.len() == 1 && of.path.leading_colon.is_none();
        match self.module.records().trait_(&name).filter(|_| is_lone) {
            // rustc refuses circles
            Some(item) if depth < 16 => {
                item.supertraits.iter().find_map(|above| self.unseen(above, depth + 1))
            }
            Some(_) => None,
            None => {
                let is_seen = num_traits::is_seen(&name)
                    || is_word(iterator_arguments::TRAITS, &name)
                    || communicators::is_trait(&of.path);
                (!is_seen).then_some(name)
            }
        }
    }

    /// The trait before a type parameter that may be this type, whose functions are not seen.
    pub(super) fn unseen_before(&self, ty: &Type) -> Option<String> {
        let ty = self.infer.peel(ty);
        for scope in self.scopes.iter().rev() {
            let may_be = |of: &Type| match (&self.infer.peel(of), &ty) {
                (Type::Var(_), Type::Never) | (Type::Never, _) => false,
                (Type::Var(_), _) | (_, Type::Var(_)) => true,
                (Type::Scalar(a), Type::Scalar(b)) => a == b,
                (Type::Record(a), Type::Record(b)) => a.name == b.name,
                (Type::Array(..), Type::Array(..)) | (Type::Tuple(_), Type::Tuple(_)) => true,
                _ => false,
            };
            if let Some((_, name)) = scope.unseen.iter().find(|(of, _)| may_be(of)) {
                return Some(name.clone());
            }
            if scope.function {
                break;
            }
        }
        None
    }

    /// Whether one of these is of a trait before a type parameter.
    fn has_one_of_bounds<T: OfImpl>(&self, all: &[T]) -> bool {
        all.iter()
            .filter_map(|one| one.of_trait()?.segments.last())
            .any(|last| self.traits().iter().any(|name| last.ident == name))
    }

    /// Refuses a method of a type parameter that no trait gives which is seen; `all` are those of `impl`s.
    pub(super) fn refuse_unseen<T: OfImpl>(
        &mut self,
        ty: &Type,
        name: &str,
        all: &[T],
        span: Span,
    ) -> Option<Expr> {
        let unseen = self.unseen_before(ty)?;
        if is_word(ALWAYS, name) || self.is_given(name) || self.has_one_of_bounds(all) {
            return None;
        }
        let help = match self.module.is_module() {
            true => format!("write `trait {unseen}` and its `impl`s into this module"),
            false => format!(
                "put `trait {unseen}`, its `impl`s and this function into one `#[differentiate] mod m {{ … }}`"
            ),
        };
        Some(self.refuse(
            span,
            format!("the method `{name}`, which may be one of the trait `{unseen}`"),
            "what the functions of that trait do is not seen by the attribute",
            help,
        ))
    }
}
