//! Closures under a name, `let f = |x: f64| a * x;`, and closures that helpers take: each call is the body in its place.

use super::super::display::tidy;
use super::super::infer::Type;
use super::super::param_types::behind_trait;
use super::super::tree::{Block, Expr, Inline, Kind, LocalId, Pattern, Stmt};
use super::changed::changed_outside;
use super::{Name, Resolver, Scope, bare, functions};
use crate::ir::Ty;
use crate::limits::INLINED_BODIES;
use proc_macro2::Span;
use std::collections::HashMap;
use std::rc::Rc;
use syn::spanned::Spanned;
use syn::{GenericParam, PathArguments, TypeParamBound, WherePredicate};

/// A closure that can be called.
#[derive(Clone)]
pub(super) struct Callable {
    pub(super) closure: Rc<syn::ExprClosure>,
    /// The names that it sees.
    pub(super) scopes: Rc<Vec<Scope>>,
    /// How many helpers were being inlined where it stands: only those call it by themselves.
    inlining: usize,
}

impl Resolver<'_> {
    /// `let f = |x| …;`, `let f = f64::sin;`, `let f: fn(f64) -> f64 = square;`, `let f: &dyn Fn(f64) -> f64 = &|x| …;`
    pub(super) fn let_closure(&mut self, local: &syn::Local) -> Option<Stmt> {
        let init = local.init.as_ref().filter(|init| init.diverge.is_none())?;
        let (pat, pointer) = match &local.pat {
            syn::Pat::Type(pat) => (&*pat.pat, Some(behind_trait(&pat.ty).and_then(arity_of_function)?)),
            pat => (pat, None),
        };
        let syn::Pat::Ident(pat) = pat else { return None };
        let behind =
            if pointer.is_some() && pat.mutability.is_none() { held(&init.expr) } else { bare(&init.expr) };
        let function = match behind {
            syn::Expr::Closure(closure) => Name::Closure(self.callable(closure)),
            path @ syn::Expr::Path(named) if pat.mutability.is_none() => {
                let arity = pointer.or_else(|| self.arity_of_path(named))?;
                self.function_argument(path, arity)?
            }
            _ => return None,
        };
        self.bind(&pat.ident.to_string(), function);
        Some(Stmt::Expr(unit(init.expr.span())))
    }

    /// How many arguments the function of a path takes, if it is seen to be one.
    pub(super) fn arity_of_path(&self, path: &syn::ExprPath) -> Option<usize> {
        let names = super::names(&path.path);
        match &names.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            _ if path.qself.is_some() => None,
            [name] => match self.lookup(name)? {
                Name::Helper(item, _) => Some(item.sig.inputs.len()),
                Name::Closure(callable) => Some(callable.closure.inputs.len()),
                _ => None,
            },
            [of, name] if Ty::from_name(of).is_some_and(Ty::is_float) => Some(functions(name).0?.arity()),
            [of, name] => Some(self.module.records().function(of, name)?.sig.inputs.len()),
            _ => None,
        }
    }

    pub(super) fn callable(&self, closure: &syn::ExprClosure) -> Callable {
        Callable {
            closure: Rc::new(closure.clone()),
            scopes: Rc::new(self.scopes.clone()),
            inlining: self.inlining.len(),
        }
    }

    /// `(|x| …)(a)`
    pub(super) fn call_at_once(&mut self, closure: &syn::ExprClosure, call: &syn::ExprCall) -> Expr {
        let callable = self.callable(closure);
        self.call_closure(&callable, Vec::new(), call)
    }

    /// The body in place of a call; what the closure keeps is under its names.
    pub(super) fn call_closure(
        &mut self,
        callable: &Callable,
        kept: Vec<(String, Expr)>,
        call: &syn::ExprCall,
    ) -> Expr {
        let span = call.span();
        let closure = &callable.closure;
        self.inlined += 1;
        if self.inlined > INLINED_BODIES || closure.inputs.len() != call.args.len() {
            return self.refuse(
                span,
                format!("a call of a closure with {} arguments", call.args.len()),
                format!("it takes {}, and at most {INLINED_BODIES} calls are inlined", closure.inputs.len()),
                "pass as many arguments as it has parameters, and call it in loops",
            );
        }
        let (mut args, mut functions) = (Vec::new(), HashMap::new());
        for (at, (pat, arg)) in closure.inputs.iter().zip(&call.args).enumerate() {
            let Some(arity) = arity_of_pattern(pat) else {
                args.push(self.expr(arg));
                continue;
            };
            if let Some(value) = self.closure_argument(arg) {
                args.push(value);
                continue;
            }
            let Some(function) = self.function_argument(arg, arity) else { return self.error(span) };
            functions.insert(at, function);
            args.push(unit(arg.span()));
        }
        if args.iter().any(|arg| matches!(arg.kind, Kind::Error)) {
            return self.error(span);
        }
        let scopes = std::mem::replace(&mut self.scopes, callable.scopes.to_vec());
        let inlining = self.inlining.split_off(callable.inlining.min(self.inlining.len()));
        let first = self.locals.len();
        let (names, kept): (Vec<String>, Vec<Expr>) = kept.into_iter().unzip();
        let (params, body) = self.scoped(false, |this| {
            let own = names.iter().zip(&kept).map(|(name, value)| {
                let local = this.declare(name, value.ty.clone(), false, span);
                (Pattern::Bind(local), value.ty.clone())
            });
            let own: Vec<(Pattern, Type)> = own.collect();
            let params = closure.inputs.iter().zip(&args).enumerate().map(|(at, (pat, arg))| {
                if let (Some(function), Some(name)) = (functions.remove(&at), name_of(pat)) {
                    this.bind(&name, function);
                    return (Pattern::Wild, Type::UNIT);
                }
                // a `&mut [f64]` may be passed as the `&[f64]` that is written
                let ty = match pat {
                    _ if this.closure_of_type(&arg.ty).is_some() => arg.ty.clone(),
                    syn::Pat::Type(pat) => this.type_of(&pat.ty).unwrap_or_else(|| arg.ty.clone()),
                    _ => arg.ty.clone(),
                };
                this.unify(&ty, &arg.ty, arg.span);
                let pat = if let syn::Pat::Type(pat) = pat { &*pat.pat } else { pat };
                (this.pattern(pat, &ty), ty)
            });
            let params: Vec<(Pattern, Type)> = own.into_iter().chain(params.collect::<Vec<_>>()).collect();
            (params, this.closure_body(closure))
        });
        self.scopes = scopes;
        self.inlining.truncate(callable.inlining);
        self.inlining.extend(inlining);
        self.refuse_copies(closure, &body, first);
        self.refuse_old_copies(closure, &body, first);
        self.refuse_changed_copies(&names, &params, &body);
        let args = kept.into_iter().chain(args).collect();
        self.loop_count += 1;
        let ty = body.ty.clone();
        let block = Block { stmts: Vec::new(), tail: Some(body.boxed()) };
        let inline = Inline {
            id: self.loop_count,
            name: "closure".to_owned(),
            consts: Vec::new(),
            params,
            args,
            body: block,
        };
        Expr::new(Kind::Inline(Box::new(inline)), ty, span)
    }

    /// Refuses a `move` closure whose copies of variables may be older than the variables where it is called.
    fn refuse_old_copies(&mut self, closure: &syn::ExprClosure, body: &Expr, first: LocalId) {
        if closure.capture.is_none() {
            return;
        }
        let mut read = Vec::new();
        variables(body, &mut read);
        let changing = read.into_iter().find(|&(local, _)| local < first && self.locals[local].mutable);
        if let Some((local, span)) = changing {
            self.refuse_old_copy(local, span);
        }
    }

    pub(super) fn refuse_old_copy(&mut self, local: LocalId, span: Span) {
        let name = self.locals[local].name.clone();
        self.refuse(
            span,
            format!("a `move` closure with a copy of `{name}`, which may change"),
            "the closure has the value of where it is made, and is inlined where it is called",
            format!("remove `move`, or copy it first: `let own = {name};`"),
        );
    }

    /// Refuses a closure that changes what it keeps, which the next call would see.
    fn refuse_changed_copies(&mut self, names: &[String], params: &[(Pattern, Type)], body: &Expr) {
        let kept = params.iter().take(names.len()).filter_map(|(pattern, ty)| match pattern {
            Pattern::Bind(local) if !matches!(self.infer.shallow(ty), Type::Ref(true, _)) => Some(*local),
            _ => None,
        });
        let kept: Vec<LocalId> = kept.collect();
        let mut found = None;
        changed_outside(body, usize::MAX, &mut |local, span| {
            if kept.contains(&local) {
                found.get_or_insert((local, span));
            }
        });
        if let Some((local, span)) = found {
            let name = self.locals[local].name.clone();
            self.refuse(
                span,
                format!("a closure that changes its copy of `{name}`"),
                "the next call of it would see the change, and a closure is a value here that stays",
                format!("pass it with each call: `|x, {name}: &mut f64| …`"),
            );
        }
    }

    /// What a function that is an argument stands for; `arity` is how many arguments it takes.
    pub(super) fn function_argument(&mut self, arg: &syn::Expr, arity: usize) -> Option<Name> {
        match bare(arg) {
            syn::Expr::Reference(inner) => self.function_argument(&inner.expr, arity),
            syn::Expr::Closure(closure) => Some(Name::Closure(self.callable(closure))),
            syn::Expr::Path(path) => {
                let known = path.path.get_ident().and_then(|name| self.lookup(&name.to_string()));
                if let Some(known @ Name::Closure(_)) = known {
                    return Some(known.clone());
                }
                // a function sees other names than the helper that calls it
                let names: Vec<syn::Ident> =
                    (0..arity).map(|k| syn::Ident::new(&format!("argument_{k}"), path.span())).collect();
                let closure = syn::parse_quote!(|#(#names),*| #path(#(#names),*));
                Some(Name::Closure(self.callable(&closure)))
            }
            other => {
                self.refuse(
                    other.span(),
                    format!("`{}` as a function", tidy(other)),
                    "which function it is would be known only at run time",
                    "pass a closure, `|x| …`, or the name of a function",
                );
                None
            }
        }
    }
}

/// How many arguments a parameter of a closure takes when it is called.
fn arity_of_pattern(pat: &syn::Pat) -> Option<usize> {
    let syn::Pat::Type(typed) = pat else { return None };
    arity(&syn::parse_quote!(fn closure()), &typed.ty).filter(|_| name_of(pat).is_some())
}

/// The name that a pattern with a type is.
fn name_of(pat: &syn::Pat) -> Option<String> {
    match pat {
        syn::Pat::Type(typed) => name_of(&typed.pat),
        syn::Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => Some(pat.ident.to_string()),
        _ => None,
    }
}

fn unit(span: Span) -> Expr {
    Expr::new(Kind::Tuple(Vec::new()), Type::UNIT, span)
}

/// The variables that an expression names.
fn variables(e: &Expr, found: &mut Vec<(LocalId, Span)>) {
    if let Kind::Local(local) = e.kind {
        found.push((local, e.span));
    }
    e.children(&mut |child| variables(child, found));
}

/// How many arguments a parameter of this type takes when it is called: `impl Fn(f64) -> f64`, `&dyn Fn(f64) -> f64`, or
/// a type parameter of these.
pub(super) fn arity(sig: &syn::Signature, ty: &syn::Type) -> Option<usize> {
    match ty {
        syn::Type::Group(ty) => arity(sig, &ty.elem),
        syn::Type::Paren(ty) => arity(sig, &ty.elem),
        syn::Type::Reference(ty) => arity(sig, &ty.elem),
        syn::Type::Path(path) => arity_of_parameter(&sig.generics, path.path.get_ident()?),
        ty => arity_of_function(ty),
    }
}

/// The same for `impl Fn(f64) -> f64`, `dyn Fn(f64) -> f64` and `fn(f64) -> f64`.
fn arity_of_function(ty: &syn::Type) -> Option<usize> {
    match ty {
        syn::Type::ImplTrait(ty) => of_bounds(ty.bounds.iter()),
        syn::Type::TraitObject(ty) => of_bounds(ty.bounds.iter()),
        syn::Type::FnPtr(ty) => Some(ty.inputs.len()),
        _ => None,
    }
}

/// What a reference refers to, or `Box::new` and its like hold.
pub(super) fn held(e: &syn::Expr) -> &syn::Expr {
    match bare(e) {
        syn::Expr::Reference(of) => held(&of.expr),
        syn::Expr::Call(call) => match (bare(&call.func), call.args.first()) {
            (syn::Expr::Path(path), Some(arg)) => match &super::names(&path.path)[..] {
                [.., of, new] if new == "new" && ["Box", "Arc", "Rc"].contains(&&**of) => held(arg),
                _ => e,
            },
            _ => e,
        },
        e => e,
    }
}

/// The same for a type parameter.
pub(super) fn arity_of_parameter(generics: &syn::Generics, name: &syn::Ident) -> Option<usize> {
    let declared = generics.params.iter().find_map(|param| match param {
        GenericParam::Type(param) if param.ident == *name => Some(of_bounds(param.bounds.iter())),
        _ => None,
    })?;
    declared.or_else(|| {
        let clause = generics.where_clause.as_ref()?;
        clause.predicates.iter().find_map(|predicate| match predicate {
            WherePredicate::Type(bound) => match &bound.bounded_ty {
                syn::Type::Path(path) if path.path.is_ident(name) => of_bounds(bound.bounds.iter()),
                _ => None,
            },
            _ => None,
        })
    })
}

fn of_bounds<'b>(mut bounds: impl Iterator<Item = &'b TypeParamBound>) -> Option<usize> {
    bounds.find_map(|bound| {
        let TypeParamBound::Trait(bound) = bound else { return None };
        let last = bound.path.segments.last()?;
        match &last.arguments {
            PathArguments::Parenthesized(args) if last.ident.to_string().starts_with("Fn") => {
                Some(args.inputs.len())
            }
            _ => None,
        }
    })
}
