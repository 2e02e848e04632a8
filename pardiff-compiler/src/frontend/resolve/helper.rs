//! Helper functions of the body: inlined at each call.

use super::super::generic_structs::{EarlyTypes, arguments_of, parameters};
use super::super::hygiene::names;
use super::super::infer::{Class, Type};
use super::super::linked;
use super::super::param_types::is_function_value;
use super::super::pointers;
use super::super::returned_iterators::returns_iterator;
use super::super::tree::{Expr, Inline, Kind, Len, LocalId, Pattern};
use super::bounds::parameter_of;
use super::changed::changed_outside;
use super::closure_value::{returns_function, with_moved_closure};
use super::type_parameters::behind_traits;
use super::{Inlined, Name, Resolver, bare, closure};
use crate::ir::{Float, Ty};
use crate::limits::INLINED_BODIES;
use quote::ToTokens;
use std::collections::HashMap;
use std::rc::Rc;
use syn::spanned::Spanned;
use syn::{GenericArgument, GenericParam};

/// What stands between the brackets of a call.
#[derive(Clone, Default)]
pub(super) struct Given {
    /// One for each type parameter, unless it is `_`.
    pub(super) types: Vec<Option<Type>>,
    /// One for each const parameter, unless it is `_`.
    pub(super) consts: Vec<Option<Expr>>,
    /// The type that the `impl` around is written for, and the type whose function it is.
    pub(super) own: Option<(syn::Type, Type)>,
}

impl Resolver<'_> {
    pub(super) fn inline(
        &mut self,
        item: &Rc<syn::ItemFn>,
        scopes: usize,
        segment: &syn::PathSegment,
        call: &syn::ExprCall,
    ) -> Expr {
        let given = self.given(item, segment, 0);
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
            let inlined = Inlined { item: Rc::as_ptr(item), types: String::new() };
            if self.inlining.contains(&inlined) || given.types.iter().any(Option::is_some) {
                return self.refuse_iterator_argument(item, span);
            }
            self.inlining.push(inlined);
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
        // those that are bound to names, and are no values
        let mut functions = HashMap::new();
        for arg in rest {
            let param = typed.get(args.len());
            if let Some(refusal) = param.and_then(|param| self.unknown_parameter(&item.sig, &param.ty)) {
                self.left_out(arg);
                functions.insert(args.len(), Name::Unknown(Rc::new(refusal)));
                args.push(Expr::new(Kind::Tuple(Vec::new()), Type::UNIT, arg.span()));
                continue;
            }
            let arity = typed.get(args.len()).and_then(|param| closure::arity(&item.sig, &param.ty));
            if param.is_some_and(|param| pointers::is_text_or_to_one(self.module, &param.ty)) {
                // one that is not known is as good where nobody reads it
                let refusals = self.refusals.0.len();
                let text = self.expr(arg);
                if let Some(refusal) = self.refusals.0.get(refusals).cloned() {
                    self.refusals.0.truncate(refusals);
                    self.left_out(arg);
                    functions.insert(args.len(), Name::Unknown(Rc::new(refusal)));
                    args.push(Expr::new(Kind::Tuple(Vec::new()), Type::UNIT, arg.span()));
                } else {
                    args.push(text);
                }
                continue;
            }
            let Some(arity) = arity else {
                args.push(match typed.get(args.len()) {
                    Some(param) => self.expr_as(arg, &param.ty),
                    None => self.expr(arg),
                });
                continue;
            };
            if let Some(value) = self.closure_argument(arg) {
                args.push(value);
                continue;
            }
            let Some(function) = self.function_argument(arg, arity) else { return self.error(span) };
            functions.insert(args.len(), function);
            args.push(Expr::new(Kind::Tuple(Vec::new()), Type::UNIT, arg.span()));
        }
        let inlined = self.inlined_with(item, &args);
        let is_inside = self.inlining.contains(&inlined);
        if is_inside && let Some(refused) = self.refuse_recursion(item, &args, span) {
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
        let is_first = functions.is_empty() && !is_inside;
        let again = is_first.then(|| self.as_loops(item)).flatten();
        let again = again.map(|looped| (looped, given.clone(), args.clone()));
        let refusals = self.refusals.0.len();
        self.inlining.push(inlined);
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

    /// A helper with the types that its type parameters have in a call.
    fn inlined_with(&self, item: &Rc<syn::ItemFn>, args: &[Expr]) -> Inlined {
        let is_generic = item.sig.generics.type_params().next().is_some();
        let types = args.iter().filter(|_| is_generic).map(|arg| self.infer.show(&self.infer.peel(&arg.ty)));
        Inlined { item: Rc::as_ptr(item), types: types.collect::<Vec<_>>().join(", ") }
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
        self.declare_types(item, given.types.clone());
        let coerced = typed.iter().zip(args).map(|(param, arg)| self.coerced(&param.ty, arg));
        let args: Vec<Expr> = coerced.collect();
        let consts = self.const_generics(item, &given, typed, &args, span);
        if let Some((written, own)) = &given.own
            && let Some(written) = self.type_of(written)
        {
            self.unify(&written, own, span);
        }
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
            let is_closure = self.closure_of_type(&arg.ty).is_some() && is_function_value(&param.ty);
            let ty =
                match Some(&param.ty).filter(|_| !is_closure).and_then(|ty| self.type_of(&behind_traits(ty)))
                {
                    Some(ty) => ty,
                    None => arg.ty.clone(),
                };
            self.note_unseen_argument(&arg.ty, &param.ty);
            self.unify(&ty, &arg.ty, arg.span);
            if let Some((name, local)) = self.accumulator_as(&param.pat, arg).filter(|_| unchanged) {
                self.bind(&name, Name::Local(local));
                params.push((Pattern::Wild, ty));
                continue;
            }
            let pattern = self.pattern(&param.pat, &ty);
            if let (Pattern::Bind(id), Some(of)) = (&pattern, parameter_of(&item.sig.generics, &param.ty)) {
                self.declare_value(*id, of);
            }
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
        let types = typed.iter().zip(&params).map(|(param, (_, ty))| (&*param.ty, ty.clone()));
        self.arguments_of_traits(item, &types.collect::<Vec<_>>());
        let moved = returns_function(&item.sig).then(|| with_moved_closure(item));
        let item = moved.as_ref().unwrap_or(item);
        let returned = match &item.sig.output {
            _ if moved.is_some() => self.fresh(),
            syn::ReturnType::Default => Type::UNIT,
            syn::ReturnType::Type(_, ty) => match self.type_of(ty) {
                Some(ty) => ty,
                None => self.fresh(),
            },
        };
        let own = given.own.map(|(_, own)| own);
        let around = own.into_iter().chain(params.iter().map(|(_, ty)| ty.clone())).chain([returned.clone()]);
        self.usual_types(item, &around.collect::<Vec<_>>());
        let (body, ty, id) = self.function_body(&self.with_converted_exits(item));
        self.unify(&returned, &ty, item.sig.ident.span());
        let name = linked::plain(&item.sig.ident.to_string());
        let inline = Inline { id, name, consts, params, args, body };
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

    /// The arguments of `name::<f64, 3>`, which the caller sees; parameters before them are those of an `impl`.
    pub(super) fn given(&mut self, item: &syn::ItemFn, segment: &syn::PathSegment, of_impl: usize) -> Given {
        let mut given = Given::default();
        let mut written = arguments_of(segment).into_iter();
        for (at, param) in parameters(&item.sig.generics).enumerate() {
            let written = if at < of_impl { None } else { written.next() };
            match (param, written) {
                (GenericParam::Const(_), Some(GenericArgument::Const(value))) => {
                    given.consts.push(Some(self.expr(&value)));
                }
                (GenericParam::Const(_), Some(GenericArgument::Type(syn::Type::Path(path)))) => {
                    given.consts.push(Some(self.expr(&syn::parse_quote!(#path))));
                }
                (GenericParam::Const(_), _) => given.consts.push(None),
                (GenericParam::Type(param), Some(GenericArgument::Type(ty))) => {
                    let is_function = closure::arity_of_parameter(&item.sig.generics, &param.ident).is_some();
                    let is_open = is_function || matches!(ty, syn::Type::Infer(_));
                    given.types.push(if is_open { None } else { self.type_of(&ty) });
                }
                _ => given.types.push(None),
            }
        }
        given
    }

    /// Declares the const parameters of a helper. Their values are those between the brackets, lengths of arguments
    /// that are known at run time alone, or what follows from the types that meet.
    fn const_generics(
        &mut self,
        item: &syn::ItemFn,
        given: &Given,
        typed: &[&syn::PatType],
        args: &[Expr],
        span: proc_macro2::Span,
    ) -> Vec<(LocalId, usize, usize)> {
        let mut consts = Vec::new();
        let mut written = given.consts.iter();
        for param in item.sig.generics.const_params() {
            let name = param.ident.to_string();
            let ty = self.type_of(&param.ty).unwrap_or(Type::USIZE);
            if let Some(value) = written.next().cloned().flatten() {
                self.unify(&value.ty, &ty, span);
                self.bind(&name, Name::Length(Len::of(value), ty));
                continue;
            }
            let found = typed.iter().enumerate().find_map(|(position, param)| {
                let dim = dimension(&param.ty, &name)?;
                matches!(self.length_of(&args[position].ty, dim), Some(Len::Dynamic))
                    .then_some((position, dim))
            });
            if let Some((position, dim)) = found {
                let id = self.hidden(&name, ty, false, param.ident.span());
                consts.push((id, position, dim));
                self.bind(&name, Name::Local(id));
                continue;
            }
            let of_impl = given.own.as_ref().map(|(of, _)| of.to_token_stream()).unwrap_or_default();
            let is_named = |tokens| names(tokens).contains(&name);
            let sig = &item.sig;
            if !is_named(of_impl)
                && !is_named(sig.inputs.to_token_stream())
                && !is_named(sig.output.to_token_stream())
            {
                if let Some((_, syn::Type::Verbatim(size))) = self.size_given(&name) {
                    let value = self.expr(&syn::parse_quote!(#size));
                    self.unify(&value.ty, &ty, span);
                    self.bind(&name, Name::Length(Len::of(value), ty));
                    continue;
                }
                self.refuse(
                    span,
                    format!("the value of `{name}` is not known"),
                    "it is not the length of an argument or of the result",
                    format!("write a number for `{name}` between the brackets: `{}::<{name}>(…)`", sig.ident),
                );
                continue;
            }
            let (len, _) = self.open_length(span);
            self.bind(&name, Name::Length(len, ty));
        }
        consts
    }

    /// What a parameter for sizes stands for in the whole item.
    pub(super) fn size_given(&self, name: &str) -> Option<(syn::Ident, syn::Type)> {
        self.options.sizes.iter().find(|(of, _)| of == name).cloned()
    }

    /// The length of a dimension, if the type has it.
    fn length_of(&self, ty: &Type, dim: usize) -> Option<Len> {
        let mut ty = self.infer.peel(ty);
        for _ in 0..dim {
            let Type::Array(elem, _) = ty else { return None };
            ty = self.infer.peel(&elem);
        }
        match ty {
            Type::Array(_, len) => Some(len),
            _ => None,
        }
    }

    /// What stands for a type parameter about which nothing is known yet, where it is an argument of a struct, as
    /// [`EarlyTypes`] says. Where it is another, types do not agree.
    fn usual_types(&mut self, item: &syn::ItemFn, around: &[Type]) {
        for param in item.sig.generics.type_params() {
            if closure::arity_of_parameter(&item.sig.generics, &param.ident).is_some() {
                continue;
            }
            let Some(ty) = self.type_parameter(&param.ident.to_string()).cloned() else { continue };
            let Type::Var(var) = self.infer.peel(&ty) else { continue };
            if self.infer.class(&ty) == Class::Int {
                continue;
            }
            let Some(at) = around.iter().find_map(|of| self.infer.argument_of(of, var)) else { continue };
            let float = |float| syn::parse_str(&Ty::Float(float).to_string()).ok();
            let usual = match self.early {
                EarlyTypes::Fallback => float(Float::F64),
                EarlyTypes::Usual => {
                    self.usual_arguments.get(&at).cloned().unwrap_or_else(|| float(self.float))
                }
            };
            self.has_early_types = true;
            if let Some(usual) = usual.and_then(|usual| self.seen_from(1, |this| this.type_of(&usual))) {
                self.unify(&ty, &usual, param.ident.span());
            }
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
