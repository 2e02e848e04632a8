//! Which `impl` is meant where several have a function of one name: the one whose types are those of the arguments.
//!
//! ```text
//! impl Mul<f64> for V { … }       v * 2.0         impl Apply<f64> for S { … }         s.apply(x)
//! impl Mul<V> for V { … }         v * w           impl Apply<[f64; 2]> for S { … }    s.apply([x, y])
//! impl Matrix<2, 2> { fn inverse(&self) … }       impl Matrix<3, 3> { fn inverse(&self) … }
//! ```
//!
//! A parameter of an `impl` stands for anything that has its traits, and for the same wherever it is written. rustc has
//! checked that one `impl` is meant; where the types that are known here leave several, the call is refused.

use super::super::display::same_text;
use super::super::generic_structs::arguments_of;
use super::super::infer::{Argument, Class, Type};
use super::super::instances::bounds_of;
use super::super::num_traits;
use super::super::records::{self, Function};
use super::super::tree::{Expr, Len};
use super::helper::Given;
use super::type_parameters::behind_traits;
use super::{Resolver, bare};
use crate::ir::{Int, Ty};
use proc_macro2::Span;
use std::rc::Rc;
use syn::{GenericArgument, Generics, ItemFn, PathArguments};

/// How well a value fits where a type is written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// Nothing of it is known yet, and no number is written.
    Unlikely,
    /// Not all of it is known yet.
    Open,
    /// It is a number that is of this type if nothing else says what it is.
    Usual,
    Exact,
}

/// The value of one argument, or all that is known of it, and the type that is written for it.
pub(super) type Side<'a> = (&'a Type, &'a syn::Type);

/// What the parameters of an `impl` stand for.
#[derive(Default)]
struct Bound {
    /// Variables from this one on are such parameters.
    first: usize,
    types: Vec<(usize, Type)>,
    lengths: Vec<(Len, Len)>,
}

/// A call of a function that several `impl`s may have.
pub(super) struct Called<'a> {
    /// The name of the type, and that of the function.
    pub(super) of: &'a str,
    pub(super) segment: &'a syn::PathSegment,
    /// The type, where it is known without the arguments.
    pub(super) own: Option<Type>,
    pub(super) receiver: Option<Expr>,
    pub(super) args: Vec<&'a syn::Expr>,
    pub(super) span: Span,
}

impl Resolver<'_> {
    /// The value of a call of one of these functions.
    pub(super) fn call_one_of(&mut self, mut all: Vec<Function>, called: Called<'_>) -> Expr {
        let Called { of, segment, own, receiver, args, span } = called;
        let own = own.or_else(|| receiver.as_ref().map(|receiver| self.infer.peel(&receiver.ty)));
        let is_method = receiver.is_some();
        let mut evaluated: Vec<Expr> = receiver.into_iter().collect();
        let mut rest = &args[..];
        if let Some(own) = own.as_ref().filter(|_| all.len() > 1) {
            all.retain(|function| self.fit(&function.item.sig.generics, &[(own, &function.of)]).is_some());
        }
        let converts = segment.ident == "from" && all.iter().all(|function| function.is_of_trait("From"));
        if let [value] = rest
            && converts
            && !is_method
        {
            evaluated.push(self.expr(value));
            rest = &[];
            // a value converts to its own type as it is
            let is_own = matches!(self.infer.shallow(&evaluated[0].ty), Type::Record(own) if own.name == of);
            if is_own && self.fitting(all.clone(), &evaluated).is_empty() {
                return evaluated.remove(0);
            }
        }
        if all.len() > 1 {
            let functions = rest.iter().position(|arg| matches!(bare(arg), syn::Expr::Closure(_)));
            let (first, others) = rest.split_at(functions.unwrap_or(rest.len()));
            evaluated.extend(first.iter().map(|arg| self.expr(arg)));
            rest = others;
            if evaluated.iter().any(|arg| matches!(self.infer.peel(&arg.ty), Type::Never)) {
                return self.error(span);
            }
            all = self.fitting(all, &evaluated);
        }
        let name = &segment.ident;
        let function = match &all[..] {
            [one] => one.clone(),
            [] => {
                let types: Vec<String> = evaluated.iter().map(|arg| self.infer.show(&arg.ty)).collect();
                return self.refuse(
                    name.span(),
                    format!("`{of}::{name}` of values of type `{}`", types.join("` and `")),
                    "no `impl` of this module has it for them",
                    "write the types of the values where they are made, or the `impl`",
                );
            }
            _ => return self.refuse_implementations(&all, of, name),
        };
        if is_method {
            evaluated[0] = self.as_receiver(&function.item, evaluated[0].clone());
        }
        let given = self.given(&function.item, segment, function.params);
        let given = match own {
            Some(own) => given.of(&function, own),
            None => given,
        };
        self.inline_with(&function.item, 1, given, evaluated, rest.iter().copied(), span)
    }

    /// The one that fits best. What a number without a suffix is, may follow from the traits before a type parameter.
    pub(super) fn best<K: Copy + Ord, T>(&self, found: Vec<(Fit, K, T)>) -> Option<T> {
        let best = found.iter().map(|(fit, rank, _)| (*fit, *rank)).max()?;
        let others = found.iter().filter(|(fit, rank, _)| (*fit, *rank) == best || self.is_generic()).count();
        if best.0 < Fit::Exact && others > 1 {
            return None;
        }
        found.into_iter().find(|(fit, rank, _)| (*fit, *rank) == best).map(|(.., found)| found)
    }

    /// Those of the functions that take these arguments best.
    fn fitting(&mut self, all: Vec<Function>, args: &[Expr]) -> Vec<Function> {
        let mut found: Vec<(Fit, Function)> = Vec::new();
        for strict in [true, false] {
            for function in &all {
                if let Some(fit) = self.fit_of_arguments(&function.item, args, strict) {
                    found.push((fit, function.clone()));
                }
            }
            if !found.is_empty() {
                break;
            }
        }
        if self.is_generic() {
            return found.into_iter().map(|(_, function)| function).collect();
        }
        let best = found.iter().map(|(fit, _)| *fit).max();
        found.retain(|(fit, _)| Some(*fit) == best);
        // what a type has by itself comes before what traits give it
        if found.iter().filter(|(_, function)| function.trait_.is_none()).count() == 1 {
            found.retain(|(_, function)| function.trait_.is_none());
        }
        found.into_iter().map(|(_, function)| function).collect()
    }

    /// How well arguments fit the parameters of a function; if strict, references where it takes references.
    fn fit_of_arguments(&mut self, item: &ItemFn, args: &[Expr], strict: bool) -> Option<Fit> {
        let typed = item.sig.inputs.iter().filter_map(|arg| match arg {
            syn::FnArg::Typed(arg) => Some(arg),
            syn::FnArg::Receiver(_) => None,
        });
        let mut sides = Vec::new();
        for (arg, param) in args.iter().zip(typed) {
            let is_receiver = matches!(&*param.pat, syn::Pat::Ident(pat) if pat.ident == "self");
            let is_reference = matches!(&*param.ty, syn::Type::Reference(_));
            let is_other = match self.infer.shallow(&arg.ty) {
                Type::Ref(..) => !is_reference && !is_parameter(&item.sig.generics, &param.ty),
                Type::Var(_) => false,
                _ => is_reference,
            };
            if strict && is_other && !is_receiver {
                return None;
            }
            sides.push((&arg.ty, &*param.ty));
        }
        self.fit(&item.sig.generics, &sides)
    }

    fn refuse_implementations(&mut self, all: &[Function], of: &str, name: &syn::Ident) -> Expr {
        if self.is_generic() {
            return self.refuse(
                name.span(),
                format!("`{of}::{name}`, which several `impl`s have"),
                "which of them is meant depends on the traits of the type parameters",
                "give them different names",
            );
        }
        let trait_ = all.iter().find_map(|function| function.trait_.as_ref());
        let help = match trait_ {
            Some(trait_) => {
                format!("name the trait: `<{of} as {}>::{name}(…)`", super::super::display::tidy_type(trait_))
            }
            None => "write the types of the values where they are made".to_owned(),
        };
        self.refuse(
            name.span(),
            format!("`{of}::{name}`, which several `impl`s have"),
            "the types of the arguments, as far as they are known here, do not say which of them is meant",
            help,
        )
    }

    /// How well values fit where these types are written behind the parameters of an `impl` or of a function; none if
    /// they do not.
    pub(super) fn fit(&mut self, generics: &Generics, sides: &[Side<'_>]) -> Option<Fit> {
        let (refusals, had_errors, open) = (self.refusals.0.len(), self.has_errors, self.open_lengths.len());
        let mut bound = Bound { first: self.infer.count(), ..Bound::default() };
        let wanted = self.seen_from(1, |this| {
            this.scoped(true, |this| {
                let params = this.declare_parameters(generics);
                let types = sides.iter().map(|(_, written)| this.type_of(&behind_traits(written)));
                (params, types.collect::<Option<Vec<Type>>>())
            })
        });
        self.refusals.0.truncate(refusals);
        self.open_lengths.truncate(open);
        self.has_errors = had_errors;
        let (params, Some(wanted)) = wanted else { return None };
        let mut fit = Fit::Exact;
        for ((have, _), wanted) in sides.iter().zip(&wanted) {
            fit = fit.min(self.fits(have, wanted, &mut bound)?);
        }
        for (name, var) in params {
            let found = bound.types.iter().find(|(of, _)| *of == var).map(|(_, ty)| ty.clone());
            if found.is_some_and(|ty| !self.has_traits(generics, &name, &ty)) {
                return None;
            }
        }
        Some(fit)
    }

    /// Declares the parameters of an `impl` or a function, which stand for anything; the variables of the types.
    pub(super) fn declare_parameters(&mut self, generics: &Generics) -> Vec<(syn::Ident, usize)> {
        let mut types = Vec::new();
        for param in &generics.params {
            match param {
                syn::GenericParam::Type(param) => {
                    let written = param.default.as_ref().and_then(|(_, ty)| self.type_of(ty));
                    let ty = written.unwrap_or_else(|| self.fresh());
                    if let Type::Var(var) = ty {
                        types.push((param.ident.clone(), var));
                    }
                    if let Some(scope) = self.scopes.last_mut() {
                        scope.types.insert(param.ident.to_string(), ty);
                    }
                }
                syn::GenericParam::Const(param) => {
                    let ty = self.type_of(&param.ty).unwrap_or(Type::USIZE);
                    self.bind(&param.ident.to_string(), super::Name::Length(Len::Open(Rc::default()), ty));
                }
                syn::GenericParam::Lifetime(_) => {}
            }
        }
        self.declare_bounds(generics);
        types
    }

    /// Runs as something in an `impl` for a type sees it.
    pub(super) fn within_impl<T>(
        &mut self,
        (generics, of): (&Generics, &syn::Type),
        own: Option<&Type>,
        span: Span,
        run: impl FnOnce(&mut Self) -> T,
    ) -> T {
        self.seen_from(1, |this| {
            this.scoped(true, |this| {
                this.declare_parameters(generics);
                if let Some(own) = own
                    && let Some(written) = this.type_of(of)
                {
                    this.unify(own, &written, span);
                }
                run(this)
            })
        })
    }

    /// Whether a type has the traits before a parameter, as far as that is seen.
    fn has_traits(&self, generics: &Generics, name: &syn::Ident, ty: &Type) -> bool {
        let ty = self.infer.peel(ty);
        let traits = bounds_of(generics, name).into_iter().filter_map(num_traits::name_of);
        let mut traits = traits.filter(|name| name != "Sized" && name != "Copy" && name != "Clone");
        let records = self.module.records();
        match &ty {
            Type::Var(_) | Type::Never => true,
            Type::Scalar(_) | Type::Record(_) => {
                let named = self.infer.named(&ty);
                let is_number = matches!(ty, Type::Scalar(_));
                traits.all(|name| match records.trait_(&name) {
                    Some(_) => records.has_trait(&named, &name),
                    None => is_number || records.has_trait(&named, &name) || !num_traits::is_known(&name),
                })
            }
            _ => traits.next().is_none(),
        }
    }

    fn fits(&self, have: &Type, wanted: &Type, bound: &mut Bound) -> Option<Fit> {
        let (have, wanted) = (self.infer.shallow(have), self.infer.shallow(wanted));
        match (&have, &wanted) {
            (Type::Never, _) | (_, Type::Never) => Some(Fit::Exact),
            (_, Type::Var(var)) if *var >= bound.first => {
                match bound.types.iter().find(|(of, _)| of == var).map(|(_, ty)| ty.clone()) {
                    Some(known) => self.fits(&have, &known, bound),
                    None => {
                        bound.types.push((*var, have));
                        Some(Fit::Exact)
                    }
                }
            }
            (Type::Var(a), Type::Var(b)) if a == b => Some(Fit::Exact),
            (Type::Var(_), _) => match (self.infer.class(&have), self.infer.peel(&wanted)) {
                (Class::Any, Type::Scalar(_) | Type::Var(_)) => Some(Fit::Open),
                (Class::Any, _) => Some(Fit::Unlikely),
                (Class::Float, Type::Scalar(Ty::F64)) => Some(Fit::Usual),
                (Class::Int, Type::Scalar(Ty::Int(Int::I32))) => Some(Fit::Usual),
                (Class::Float, Type::Scalar(ty)) => ty.is_float().then_some(Fit::Open),
                (Class::Int, Type::Scalar(ty)) => ty.is_int().then_some(Fit::Open),
                (_, Type::Var(_)) => Some(Fit::Open),
                _ => None,
            },
            (_, Type::Var(_)) => self.fits(&wanted, &have, bound).map(|fit| fit.min(Fit::Open)),
            (Type::Ref(_, a), Type::Ref(_, b)) => self.fits(a, b, bound),
            (Type::Ref(_, a), _) => self.fits(a, &wanted, bound),
            (_, Type::Ref(_, b)) => self.fits(&have, b, bound),
            (Type::Scalar(a), Type::Scalar(b)) => (a == b).then_some(Fit::Exact),
            (Type::Tuple(a), Type::Tuple(b)) => {
                let mut parts = a.iter().zip(b).filter(|_| a.len() == b.len());
                (a.len() == b.len()).then_some(())?;
                parts.try_fold(Fit::Exact, |fit, (a, b)| Some(fit.min(self.fits(a, b, bound)?)))
            }
            (Type::Array(a, len), Type::Array(b, other)) => {
                Some(self.fits(a, b, bound)?.min(self.fits_length(len, other, bound)?))
            }
            (Type::Record(a), Type::Record(b)) if a.name == b.name => {
                let mut both = a.arguments.iter().zip(&b.arguments);
                both.try_fold(Fit::Exact, |fit, both| {
                    let fits = match both {
                        (Argument::Type(a), Argument::Type(b)) => self.fits(a, b, bound)?,
                        (Argument::Constant(a, _), Argument::Constant(b, _)) => {
                            self.fits_length(a, b, bound)?
                        }
                        _ => return None,
                    };
                    Some(fit.min(fits))
                })
            }
            _ => None,
        }
    }

    fn fits_length(&self, have: &Len, wanted: &Len, bound: &mut Bound) -> Option<Fit> {
        let is_open = |len: &Len| matches!(len, Len::Open(_)) && len.known().is_none();
        match (have, wanted) {
            (Len::Axis, Len::Axis) | (Len::Dynamic, Len::Dynamic) => Some(Fit::Exact),
            (Len::Axis, _) | (_, Len::Axis) => None,
            (_, wanted) if is_open(wanted) => {
                match bound.lengths.iter().find(|(of, _)| of.is(wanted)).map(|(_, len)| len.clone()) {
                    Some(known) if is_open(&known) => Some(Fit::Open),
                    Some(known) => self.fits_length(have, &known, bound),
                    None => {
                        bound.lengths.push((wanted.clone(), have.clone()));
                        Some(Fit::Exact)
                    }
                }
            }
            _ => match (have.known(), wanted.known()) {
                (Some(a), Some(b)) => match self.are_equal(&a, &b) {
                    Some(equal) => equal.then_some(Fit::Exact),
                    None => Some(Fit::Open),
                },
                _ => Some(Fit::Open),
            },
        }
    }

    /// The `impl Sum` or `impl Product` of a struct for such items.
    pub(super) fn accumulating(&mut self, of: &str, trait_: &str, item: &Type) -> Vec<Function> {
        let mut all = self.module.records().functions(of, trait_).to_vec();
        let written = |function: &Function| {
            let written = function.trait_.as_ref().and_then(|path| path.segments.last());
            // `Sum` alone is of the type itself
            let written = written.map(types_of).and_then(|types| types.into_iter().next());
            written.unwrap_or_else(|| function.of.clone())
        };
        all.retain(|function| self.fit(&function.item.sig.generics, &[(item, &written(function))]).is_some());
        // texts of known crates have one for both
        let is_reference = matches!(self.infer.shallow(item), Type::Ref(..));
        let is_alike = |function: &Function| records::is_reference(&written(function)) == is_reference;
        if all.iter().any(is_alike) {
            all.retain(is_alike);
        }
        all
    }

    /// Whether what is written between the brackets of a trait is what an `impl` has there.
    pub(super) fn is_of_written_trait(
        &mut self,
        trait_: Option<&syn::Path>,
        generics: &Generics,
        written: &syn::PathSegment,
    ) -> bool {
        let Some(own) = trait_.and_then(|path| path.segments.last()) else { return false };
        if own.ident != written.ident {
            return false;
        }
        let PathArguments::AngleBracketed(_) = &written.arguments else { return true };
        let (asked, own) = (arguments_of(written), arguments_of(own));
        if asked.len() != own.len() {
            return false;
        }
        let mut types = Vec::new();
        for (asked, own) in asked.iter().zip(&own) {
            match (asked, own) {
                (_, own) if is_const(generics, own) => {}
                (GenericArgument::Type(asked), GenericArgument::Type(own)) => {
                    let Some(asked) = self.type_of(asked) else { return false };
                    types.push((asked, own));
                }
                (GenericArgument::Const(asked), GenericArgument::Const(own)) => {
                    let is_number = |e: &syn::Expr| matches!(e, syn::Expr::Lit(_));
                    if is_number(asked) && is_number(own) && !same_text(asked, own) {
                        return false;
                    }
                }
                _ => {}
            }
        }
        let sides: Vec<Side<'_>> = types.iter().map(|(asked, own)| (asked, *own)).collect();
        self.fit(generics, &sides).is_some()
    }
}

impl Given {
    /// The same for a function of the `impl` of a type.
    pub(super) fn of(self, function: &Function, own: Type) -> Given {
        Given { own: Some((function.of.clone(), own)), ..self }
    }
}

/// The types between the brackets of a trait.
fn types_of(trait_: &syn::PathSegment) -> Vec<syn::Type> {
    let types = arguments_of(trait_).into_iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    types.collect()
}

/// Whether an argument is a const parameter: `N`, which looks like a type.
pub(super) fn is_const(generics: &Generics, argument: &GenericArgument) -> bool {
    let GenericArgument::Type(syn::Type::Path(ty)) = argument else { return false };
    generics.const_params().any(|param| ty.path.is_ident(&param.ident))
}

/// Whether a type is a type parameter.
fn is_parameter(generics: &Generics, ty: &syn::Type) -> bool {
    generics
        .type_params()
        .any(|param| matches!(ty, syn::Type::Path(path) if path.path.is_ident(&param.ident)))
}
