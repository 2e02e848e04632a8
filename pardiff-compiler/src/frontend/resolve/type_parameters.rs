//! Type parameters of helpers: each call of a helper is its body in its place, so that each has types of its own.
//!
//! ```text
//! fn total<P: Potential>(p: &P, x: &[f64]) -> f64 { … P::ORDER … p.energy(x[i]) … }
//! total(&well, x)      // P is the type of `well`, whose `impl`s are looked into
//! ```
//!
//! What a function of a value does whose type is a parameter, is what the traits in front of it say, and a struct may have
//! another one of that name. So these traits are of the module, or those of the standard library that stand for
//! operators, and a name that is not unique is refused.
//!
//! `&dyn Potential` and `impl Potential` in front of an argument stand for its type as well: which it is, is seen where
//! the helper is called, and what rustc calls at run time is that.

use super::super::communicators;
use super::super::display::same_text;
use super::super::infer::Type;
use super::super::instances;
use super::super::num_traits;
use super::super::records::{Function, SELF};
use super::super::returned_iterators::returns_iterator;
use super::super::tree::Expr;
use super::associated::method_segment;
use super::implementations::Called;
use super::num_traits::names_floats;
use super::unseen_traits::Bounds;
use super::{Resolver, is_word, iterator_arguments};
use crate::ir::Ty;
use crate::visit::Visit;
use crate::visit::changing::{self as visit_mut, VisitMut};
use proc_macro2::Span;
use quote::ToTokens;
use syn::GenericParam;
use syn::spanned::Spanned;

impl Resolver<'_> {
    /// Refuses traits of iterators, and of known crates that are switched off, as bounds of type parameters of a helper.
    pub(super) fn known_bounds(&mut self, sig: &syn::Signature) {
        let mut bounds = Bounds::default();
        let mut sig = sig.clone();
        // a trait whose own function this is needs no look at what else it has
        let of_struct = |param: &GenericParam| match param {
            GenericParam::Type(param) => {
                param.ident == SELF && param.default.as_ref().is_some_and(|(_, ty)| number(ty).is_none())
            }
            _ => false,
        };
        let params = std::mem::take(&mut sig.generics.params).into_iter();
        sig.generics.params = params.filter(|param| !of_struct(param)).collect();
        if returns_iterator(&sig) {
            sig.output = syn::ReturnType::Default;
        }
        bounds.visit_signature(&sig);
        for bound in instances::with_those_above(self.module, bounds.0) {
            let Some(name) = num_traits::name_of(&bound) else { continue };
            let what = format!("a type behind the trait `{name}`");
            if is_word(iterator_arguments::TRAITS, &name) {
                self.refuse(
                    bound.span(),
                    what,
                    "an iterator is known here only where it is used up, and not in a helper that it is given to",
                    "take what is iterated over, `x: &[f64]`, or a function of the number of an item, \
                     `f: impl Fn(usize) -> f64`",
                );
            } else if num_traits::is_known(&name) && self.module.records().trait_(&name).is_none() {
                let (of_crate, feature, is_on) = num_traits::origin(&name, self.options.features);
                if !is_on {
                    let (why, help) = num_traits::switched_off(of_crate, feature);
                    self.refuse(bound.span(), what, why, help);
                }
            }
        }
    }

    /// Whether this is in a helper with type parameters.
    pub(super) fn is_generic(&self) -> bool {
        // what a trait provides for a struct has none but that
        self.type_parameters().any(|(name, ty)| name != SELF || !matches!(ty, Type::Record(_)))
    }

    /// Whether a number may be a value whose type is a parameter.
    fn is_generic_over_numbers(&self) -> bool {
        self.type_parameters().any(|(_, ty)| !matches!(ty, Type::Record(_)))
    }

    /// The type parameters of the function around, with what they stand for.
    fn type_parameters(&self) -> impl Iterator<Item = (&String, Type)> {
        let around = self.scopes.iter().rev().find(|scope| !scope.types.is_empty() || scope.function);
        let types = around.into_iter().flat_map(|scope| &scope.types);
        types.map(|(name, ty)| (name, self.infer.peel(ty)))
    }

    /// A function that a trait of the module gives a number, in a helper with type parameters; elsewhere those of the
    /// standard library come first.
    pub(super) fn scalar_of_trait(&mut self, e: &syn::ExprMethodCall, name: &str) -> Option<Expr> {
        let is_chain = super::iterator::is_chain(&e.receiver);
        if is_chain || !self.is_generic_over_numbers() || !self.module.records().is_of_trait(name) {
            return None;
        }
        let span = e.method.span();
        let receiver = self.receiver(e);
        if self.has_errors && matches!(self.infer.peel(&receiver.ty), Type::Never | Type::Var(_)) {
            return Some(self.error(span));
        }
        let shown = self.infer.named(&receiver.ty);
        let all = self.module.records().functions(&shown, name).to_vec();
        if let Some(refused) = self.refuse_unseen(&receiver.ty, name, &all, span) {
            return Some(refused);
        }
        if all.is_empty() {
            // no `impl` for it: what a trait of numbers gives it is meant
            let is_number = matches!(self.infer.peel(&receiver.ty), Type::Scalar(_)) && self.is_given(name);
            return (!is_number).then(|| self.unknown_method_of_trait(name, &shown, span));
        }
        let is_of_std = |function: &Function| calls_that_of_std(&function.item, name);
        let is_other = super::functions(name).0.is_some() && !all.iter().all(is_of_std);
        let is_of_parameter = self.parameter_of(&e.receiver).is_some();
        if is_other && !is_of_parameter && self.scopes.iter().any(|scope| scope.has_floats) {
            return Some(self.refuse(
                span,
                format!("`{name}` of a number, which a trait of this module and the standard library have"),
                "which of them is meant depends on whether the value is a number of a type parameter",
                "give that of the trait another name, or write no type of floats in this function",
            ));
        }
        let segment = method_segment(e);
        let (args, receiver, span) = (e.args.iter().collect(), Some(receiver), e.span());
        Some(self.call_one_of(all, Called { of: &shown, segment: &segment, own: None, receiver, args, span }))
    }

    pub(super) fn unknown_method_of_trait(&mut self, name: &str, of: &str, span: Span) -> Expr {
        self.refuse(
            span,
            format!("`{name}` of a value of type `{of}`"),
            "no `impl` of this module for that type has it",
            "write the `impl`, or the type of the value where it is made: `2.0_f64`",
        )
    }

    /// Refuses what belongs to a type parameter about which nothing is known yet.
    pub(super) fn refuse_open_parameter(&mut self, name: &str, text: &str, span: Span) -> Option<Expr> {
        let ty = self.type_parameter(name).map(|ty| self.infer.peel(ty))?;
        let is_open = matches!(ty, Type::Var(_));
        is_open.then(|| {
            self.refuse(
                span,
                format!("`{text}`, where `{name}` is not known yet"),
                "helpers are inlined where they are called, and the type follows from what comes after that",
                format!(
                    "write what `{name}` is where the helper is called, between brackets: `S::<f64>::new()`"
                ),
            )
        })
    }

    /// Refuses what belongs to a type parameter that stands for no struct: `T::ZERO` of a number.
    pub(super) fn refuse_member_of_parameter(&mut self, path: &syn::Path, span: Span) -> Option<Expr> {
        let first = path.segments.first().filter(|_| path.segments.len() > 1)?;
        let name = first.ident.to_string();
        if let Some(refused) = self.refuse_open_parameter(&name, &super::super::display::tidy(path), span) {
            return Some(refused);
        }
        let ty = self.type_parameter(&name)?;
        let (shown, text) = (self.infer.show(&ty.clone()), super::super::display::tidy(path));
        Some(self.refuse(
            span,
            format!("`{text}`, where `{}` is `{shown}`", first.ident),
            "only what structs of the module have is looked into",
            "pass it as an argument",
        ))
    }

    /// What a type parameter of the helper that is being inlined stands for.
    pub(super) fn type_parameter(&self, name: &str) -> Option<&Type> {
        for scope in self.scopes.iter().rev() {
            if let Some(found) = scope.types.get(name) {
                return Some(found);
            }
            if scope.function {
                break;
            }
        }
        None
    }

    /// Declares the type parameters of a helper in the scope of its body.
    pub(super) fn declare_types(&mut self, item: &syn::ItemFn, given: Vec<Option<Type>>) {
        let mut given = given.into_iter();
        for param in &item.sig.generics.params {
            let GenericParam::Type(param) = param else { continue };
            // a default is what the parameter of an `impl` is
            let size = self.size_given(&param.ident.to_string()).map(|(_, ty)| ty);
            let default = param.default.as_ref().map(|(_, ty)| ty).or(size.as_ref());
            let default = default.and_then(|ty| self.type_of(ty));
            let given = given.next().flatten();
            let ty = default.or(given).unwrap_or_else(|| self.fresh());
            if let Some(scope) = self.scopes.last_mut() {
                scope.types.insert(param.ident.to_string(), ty);
            }
        }
        let mut bounds = Bounds::default();
        bounds.visit_signature(&syn::Signature { output: syn::ReturnType::Default, ..item.sig.clone() });
        let has_unseen = bounds.0.iter().any(|bound| self.unseen(bound, 0).is_some());
        let traits = self.declared_traits(bounds.0);
        if (has_unseen || traits.iter().any(|name| num_traits::is_known(name)))
            && let Some(scope) = self.scopes.last_mut()
        {
            scope.traits = traits;
        }
        let is_behind = item.sig.inputs.iter().any(|arg| match arg {
            syn::FnArg::Typed(arg) => !same_text(&behind_traits(&arg.ty), &arg.ty),
            syn::FnArg::Receiver(_) => false,
        });
        if is_behind && let Some(scope) = self.scopes.last_mut() {
            // a type without a name
            scope.types.insert("impl".to_owned(), Type::UNIT);
        }
        self.declare_bounds(&item.sig.generics);
        if self.is_generic_over_numbers() {
            let has_floats = names_floats(item);
            if let Some(scope) = self.scopes.last_mut() {
                scope.has_floats = has_floats;
            }
        }
    }
}

/// The number that a type is.
fn number(ty: &syn::Type) -> Option<Ty> {
    Ty::from_name(&super::super::display::tidy_type(ty))
}

/// Whether a function does what that of the standard library with its name does: `self.sqrt()`,
/// `f64::max(self, other)`, `f64::abs(*self)`.
fn calls_that_of_std(item: &syn::ItemFn, name: &str) -> bool {
    let [syn::Stmt::Expr(body, None)] = &item.block.stmts[..] else { return false };
    let args: Vec<&syn::Expr> = match body {
        syn::Expr::MethodCall(call) if call.method == name => {
            std::iter::once(&*call.receiver).chain(&call.args).collect()
        }
        syn::Expr::Call(call) => match &*call.func {
            syn::Expr::Path(path) => match &super::super::names(&path.path)[..] {
                [of, last] if last == name && Ty::from_name(of).is_some() => call.args.iter().collect(),
                _ => return false,
            },
            _ => return false,
        },
        _ => return false,
    };
    let params = item.sig.inputs.iter().map(|arg| match arg {
        syn::FnArg::Typed(arg) => arg.pat.to_token_stream().to_string(),
        syn::FnArg::Receiver(_) => "self".to_owned(),
    });
    params.eq(args.iter().map(|arg| referent(arg).to_token_stream().to_string()))
}

/// The value that an expression dereferences.
fn referent(e: &syn::Expr) -> &syn::Expr {
    match super::bare(e) {
        syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Deref(_), expr, .. }) => referent(expr),
        e => e,
    }
}

/// The type of a parameter where what stands behind a trait is that of the argument.
pub(super) fn behind_traits(ty: &syn::Type) -> syn::Type {
    struct Behind;
    impl VisitMut for Behind {
        fn visitor(&mut self) -> &mut dyn VisitMut {
            self
        }

        fn visit_type_mut(&mut self, ty: &mut syn::Type) {
            match ty {
                // of a communicator it is known
                ty if communicators::record(ty).is_some() => {}
                syn::Type::ImplTrait(_) | syn::Type::TraitObject(_) => *ty = syn::parse_quote!(_),
                _ => visit_mut::visit_type_mut(self, ty),
            }
        }
    }
    let mut ty = ty.clone();
    Behind.visit_type_mut(&mut ty);
    ty
}

/// The traits before a type, or before what a reference is to.
pub(super) fn bounds_in(ty: &syn::Type) -> Option<Vec<&syn::TypeParamBound>> {
    match ty {
        syn::Type::Group(ty) => bounds_in(&ty.elem),
        syn::Type::Paren(ty) => bounds_in(&ty.elem),
        syn::Type::Reference(ty) => bounds_in(&ty.elem),
        syn::Type::ImplTrait(ty) => Some(ty.bounds.iter().collect()),
        syn::Type::TraitObject(ty) => Some(ty.bounds.iter().collect()),
        _ => None,
    }
}
