//! Helper functions of the body: inlined at each call.

use super::super::infer::Type;
use super::super::linked;
use super::super::returned_iterators::returns_iterator;
use super::super::tree::{ConstSource, Expr, Inline, Kind, Len, LocalId, Pattern};
use super::changed::changed_outside;
use super::type_parameters::behind_traits;
use super::{Name, Resolver, bare, closure};
use crate::limits::INLINED_BODIES;
use std::collections::HashMap;
use std::rc::Rc;
use syn::spanned::Spanned;
use syn::{GenericArgument, GenericParam, PathArguments};

/// What stands between the brackets of a call.
#[derive(Clone, Default)]
pub(super) struct Given {
    /// One for each type parameter, unless it is `_`.
    types: Vec<Option<Type>>,
    consts: Vec<Expr>,
}

impl Resolver<'_> {
    pub(super) fn inline(
        &mut self,
        item: &Rc<syn::ItemFn>,
        scopes: usize,
        segment: &syn::PathSegment,
        call: &syn::ExprCall,
    ) -> Expr {
        let given = self.given(item, segment);
        self.inline_with(item, scopes, given, Vec::new(), call.args.iter(), call.span())
    }

    /// A call with some arguments evaluated already.
    pub(super) fn inline_with<'e>(
        &mut self,
        item: &Rc<syn::ItemFn>,
        scopes: usize,
        given: Given,
        mut args: Vec<Expr>,
        rest: impl Iterator<Item = &'e syn::Expr>,
        span: proc_macro2::Span,
    ) -> Expr {
        let rest: Vec<&syn::Expr> = rest.collect();
        if let Some((written, passed)) = self.with_iterators(item, args.len(), &rest) {
            if self.inlining.contains(&Rc::as_ptr(item)) || given.types.iter().any(Option::is_some) {
                return self.refuse_iterator_argument(item, span);
            }
            self.inlining.push(Rc::as_ptr(item));
            let value =
                self.inline_with(&Rc::new(written), scopes, Given::default(), args, passed.iter(), span);
            self.inlining.pop();
            return value;
        }
        if scopes == 1
            && let Some(value) = self.with_rule(item, &args, rest.iter().copied(), span)
        {
            return value;
        }
        let name = linked::plain(&item.sig.ident.to_string());
        self.inlined += 1;
        if self.inlined > INLINED_BODIES {
            return self.refuse(
                span,
                format!("more than {INLINED_BODIES} calls of helpers"),
                "each is inlined",
                "call the helper in a loop",
            );
        }
        if !self.accepted(item) {
            return self.error(span);
        }
        let typed: Vec<&syn::PatType> = item
            .sig
            .inputs
            .iter()
            .filter_map(|arg| if let syn::FnArg::Typed(arg) = arg { Some(arg) } else { None })
            .collect();
        let mut functions = HashMap::new();
        for arg in rest {
            let arity = typed.get(args.len()).and_then(|param| closure::arity(&item.sig, &param.ty));
            let Some(arity) = arity else {
                args.push(match typed.get(args.len()) {
                    Some(param) => self.expr_as(arg, &param.ty),
                    None => self.expr(arg),
                });
                continue;
            };
            let Some(function) = self.function_argument(arg, arity) else { return self.error(span) };
            functions.insert(args.len(), function);
            args.push(Expr::new(Kind::Tuple(Vec::new()), Type::UNIT, arg.span()));
        }
        if self.inlining.contains(&Rc::as_ptr(item))
            && let Some(refused) = self.refuse_recursion(item, &args, span)
        {
            return refused;
        }
        if typed.len() != args.len() {
            return self.refuse(
                span,
                format!("a call of `{name}` with {} arguments", args.len()),
                format!("it takes {}", typed.len()),
                "pass as many arguments as it has parameters",
            );
        }
        let is_first = functions.is_empty() && !self.inlining.contains(&Rc::as_ptr(item));
        let again = is_first.then(|| self.as_loops(item)).flatten();
        let again = again.map(|looped| (looped, given.clone(), args.clone()));
        let refusals = self.refusals.0.len();
        self.inlining.push(Rc::as_ptr(item));
        let inlined = self.seen_from(scopes, |this| {
            this.scoped(true, |this| this.instance(item, given, args, functions, &typed, span))
        });
        self.inlining.pop();
        match again {
            Some((looped, given, args)) if self.endless.remove(&Rc::as_ptr(item)) => {
                self.refusals.0.truncate(refusals);
                self.inline_with(&looped, scopes, given, args, std::iter::empty(), span)
            }
            _ => inlined,
        }
    }

    fn refuse_iterator_argument(&mut self, item: &syn::ItemFn, span: proc_macro2::Span) -> Expr {
        self.refuse(
            span,
            format!("an iterator as an argument of `{}`", linked::plain(&item.sig.ident.to_string())),
            "the helper is called inside of itself, or its types are written between brackets",
            "take what is iterated over, `x: &[f64]`, and leave the brackets out",
        )
    }

    fn instance(
        &mut self,
        item: &syn::ItemFn,
        given: Given,
        args: Vec<Expr>,
        mut functions: HashMap<usize, Name>,
        typed: &[&syn::PatType],
        span: proc_macro2::Span,
    ) -> Expr {
        self.declare_types(item, given.types);
        let coerced = typed.iter().zip(args).map(|(param, arg)| self.coerced(&param.ty, arg));
        let args: Vec<Expr> = coerced.collect();
        let consts = self.const_generics(item, &given.consts, typed, &args, span);
        let mut params = Vec::new();
        let unchanged = functions.is_empty() && !self.accumulators.is_empty() && {
            let mut changed = false;
            for arg in &args {
                changed_outside(arg, usize::MAX, &mut |local, _| {
                    changed |= self.accumulators.contains(&local)
                });
            }
            !changed
        };
        for (position, (param, arg)) in typed.iter().zip(&args).enumerate() {
            if let Some(function) = functions.remove(&position) {
                if let syn::Pat::Ident(pat) = &*param.pat {
                    self.bind(&pat.ident.to_string(), function);
                }
                params.push((Pattern::Wild, Type::UNIT));
                continue;
            }
            let ty = match self.type_of(&behind_traits(&param.ty)) {
                Some(ty) => ty,
                None => arg.ty.clone(),
            };
            self.unify(&ty, &arg.ty, arg.span);
            if let Some((name, local)) = self.accumulator_as(&param.pat, arg).filter(|_| unchanged) {
                self.bind(&name, Name::Local(local));
                params.push((Pattern::Wild, ty));
                continue;
            }
            let pattern = self.pattern(&param.pat, &ty);
            self.know(&pattern, arg);
            params.push((pattern, ty));
        }
        if returns_iterator(&item.sig) {
            let (body, ty, id) = self.iterating_body(item, span);
            let name = linked::plain(&item.sig.ident.to_string());
            return Expr::new(
                Kind::Inline(Box::new(Inline { id, name, consts, params, args, body })),
                ty,
                span,
            );
        }
        let returned = match &item.sig.output {
            syn::ReturnType::Default => Type::UNIT,
            syn::ReturnType::Type(_, ty) => match self.type_of(ty) {
                Some(ty) => ty,
                None => self.fresh(),
            },
        };
        let (body, ty, id) = self.function_body(&self.with_converted_exits(item));
        self.unify(&returned, &ty, item.sig.ident.span());
        let name = linked::plain(&item.sig.ident.to_string());
        let inline = Inline { id, name, consts, params, args, body };
        let returned = self.as_the_caller_has_it(&returned);
        Expr::new(Kind::Inline(Box::new(inline)), returned, span)
    }

    /// `&*a` where a reference to another type is asked for, and the struct `a` implements `Deref`.
    fn coerced(&mut self, asked: &syn::Type, arg: Expr) -> Expr {
        let is_coerced = matches!(asked, syn::Type::Reference(_))
            && self.operator_for("Deref", &arg.ty, None).is_some()
            && !self.is_of(&arg.ty, asked);
        if !is_coerced {
            return arg;
        }
        let span = arg.span;
        let target = self.target_of_record(arg, span);
        self.borrowed(target, false)
    }

    /// The name of a parameter that is the accumulator of a fold around the call, and the accumulator. Where the call
    /// does not change it, it needs no copy, and the members of the result are seen to be sums.
    fn accumulator_as(&self, param: &syn::Pat, arg: &Expr) -> Option<(String, LocalId)> {
        let local = match &arg.kind {
            Kind::Local(local) => *local,
            Kind::Borrow(inner) => match inner.kind {
                Kind::Local(local) => local,
                _ => return None,
            },
            _ => return None,
        };
        match param {
            syn::Pat::Ident(pat)
                if pat.mutability.is_none() && pat.by_ref.is_none() && pat.subpat.is_none() =>
            {
                self.accumulators.contains(&local).then(|| (pat.ident.to_string(), local))
            }
            _ => None,
        }
    }

    /// The arguments of `name::<f64, 3>`, which the caller sees.
    pub(super) fn given(&mut self, item: &syn::ItemFn, segment: &syn::PathSegment) -> Given {
        let types = self.given_types(item, segment);
        let PathArguments::AngleBracketed(args) = &segment.arguments else {
            return Given { types, consts: Vec::new() };
        };
        let args = args.args.iter().filter(|arg| !matches!(arg, GenericArgument::Lifetime(_)));
        // a default is what the parameter of an `impl` is, which has no place between these brackets
        let params = item.sig.generics.params.iter().filter(|param| match param {
            GenericParam::Lifetime(_) => false,
            GenericParam::Type(param) => param.default.is_none(),
            GenericParam::Const(param) => param.default.is_none(),
        });
        let mut consts: Vec<Expr> = Vec::new();
        for (_, arg) in params.zip(args).filter(|(param, _)| matches!(param, GenericParam::Const(_))) {
            match arg {
                GenericArgument::Const(e) => consts.push(self.expr(e)),
                GenericArgument::Type(syn::Type::Path(path)) => {
                    let path = path.path.clone();
                    let e = syn::ExprPath { attrs: Vec::new(), qself: None, path };
                    consts.push(self.expr(&syn::Expr::Path(e)));
                }
                _ => {}
            }
        }
        Given { types, consts }
    }

    fn const_generics(
        &mut self,
        item: &syn::ItemFn,
        given: &[Expr],
        typed: &[&syn::PatType],
        args: &[Expr],
        span: proc_macro2::Span,
    ) -> Vec<(usize, ConstSource)> {
        let mut consts = Vec::new();
        let generics = item.sig.generics.params.iter().filter_map(|param| match param {
            syn::GenericParam::Const(param) => Some(param),
            _ => None,
        });
        let mut given = given.iter();
        for param in generics {
            let name = param.ident.to_string();
            let ty = match self.type_of(&param.ty) {
                Some(ty) => ty,
                None => Type::USIZE,
            };
            let id = self.hidden(&name, ty.clone(), false, param.ident.span());
            // a default is what the parameter of an `impl` is
            let default = param.default.as_ref().map(|(_, value)| self.of_signature(value));
            let source = match default.or_else(|| given.next().cloned()) {
                Some(value) => {
                    self.unify(&value.ty, &ty, span);
                    ConstSource::Given(value)
                }
                None => {
                    let found = typed.iter().enumerate().find_map(|(position, param)| {
                        Some(ConstSource::LenOf(position, dimension(&param.ty, &name)?))
                    });
                    let found = found.or_else(|| {
                        let of_struct = self.argument_of_structs(&item.sig, &name)?;
                        self.unify(&of_struct.ty, &ty, span);
                        Some(ConstSource::Given((*of_struct).clone()))
                    });
                    match found.or_else(|| self.length_of_result(item, &name, id, span)) {
                        Some(source) => source,
                        None => {
                            self.refuse(
                                span,
                                format!("the value of `{name}` is not known"),
                                "it is not the length of an argument or of the result",
                                format!(
                                    "write a number for `{name}` between the brackets: `{}::<{name}>(…)`",
                                    item.sig.ident
                                ),
                            );
                            continue;
                        }
                    }
                }
            };
            let value = match &source {
                ConstSource::Given(value) => Some(Rc::new(value.clone())),
                ConstSource::LenOf(position, dim) => self.constant_length(&args[*position].ty, *dim),
            };
            if let Some(value) = value {
                self.const_values.insert(id, value);
            }
            consts.push((id, source));
            self.bind(&name, Name::Local(id));
        }
        consts
    }

    /// The length of an array in the result, which follows from where that goes: `let h: [f64; 3] = layer(x);`
    fn length_of_result(
        &mut self,
        item: &syn::ItemFn,
        name: &str,
        id: LocalId,
        span: proc_macro2::Span,
    ) -> Option<ConstSource> {
        let syn::ReturnType::Type(_, ty) = &item.sig.output else { return None };
        if !is_a_length(ty, name) {
            return None;
        }
        let (open, value) = self.open_length(span);
        self.lengths_of_results.insert(id, open);
        Some(ConstSource::Given(value))
    }

    /// The type of a result as the caller has it: lengths that follow from there are open.
    fn as_the_caller_has_it(&self, ty: &Type) -> Type {
        match ty {
            Type::Array(elem, len) => {
                let open = match len {
                    Len::Known(len) => match len.kind {
                        Kind::Local(local) => self.lengths_of_results.get(&local),
                        _ => None,
                    },
                    _ => None,
                };
                let len = open.unwrap_or(len).clone();
                Type::array(self.as_the_caller_has_it(elem), len)
            }
            Type::Tuple(parts) => {
                Type::Tuple(parts.iter().map(|part| self.as_the_caller_has_it(part)).collect())
            }
            other => other.clone(),
        }
    }

    /// The length of a dimension, if the type says it.
    fn constant_length(&self, ty: &Type, dim: usize) -> Option<Rc<Expr>> {
        let mut ty = self.infer.peel(ty);
        for _ in 0..dim {
            let Type::Array(elem, _) = ty else { return None };
            ty = self.infer.peel(&elem);
        }
        match ty {
            Type::Array(_, Len::Known(len)) => Some(len),
            _ => None,
        }
    }

    /// Refuses helpers that cannot be inlined.
    fn accepted(&mut self, item: &syn::ItemFn) -> bool {
        let before = self.refusals.0.len();
        super::super::configured::refuse(&item.attrs, &mut self.refusals);
        let sig = &item.sig;
        if let Some(token) = &sig.asyncness {
            self.refuse(
                token.span(),
                "an `async` helper",
                "a gradient is computed at once",
                "remove `async`",
            );
        }
        if let syn::Safety::Unsafe(token) = &sig.safety {
            self.refuse(
                token.span(),
                "an `unsafe` helper",
                "the generated functions are safe for every input",
                "write it without `unsafe`",
            );
        }
        self.known_bounds(sig);
        self.refusals.0.len() == before
    }
}

/// Whether some array in a type has the length `name`.
fn is_a_length(ty: &syn::Type, name: &str) -> bool {
    match ty {
        syn::Type::Tuple(tuple) => tuple.elems.iter().any(|ty| is_a_length(ty, name)),
        ty => dimension(ty, name).is_some(),
    }
}

/// Which dimension of a type `[[T; M]; N]` has the length `name`.
fn dimension(ty: &syn::Type, name: &str) -> Option<usize> {
    match ty {
        syn::Type::Group(ty) => dimension(&ty.elem, name),
        syn::Type::Paren(ty) => dimension(&ty.elem, name),
        syn::Type::Reference(ty) => dimension(&ty.elem, name),
        syn::Type::Slice(ty) => Some(dimension(&ty.elem, name)? + 1),
        syn::Type::Array(array) => match bare(&array.len) {
            syn::Expr::Path(path) if path.path.is_ident(name) => Some(0),
            _ => Some(dimension(&array.elem, name)? + 1),
        },
        _ => None,
    }
}
