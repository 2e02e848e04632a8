//! Casts, and conversions between numbers that keep the value.
//!
//! ```text
//! let y: f64 = k.into();    f64::from(k)       k as f64
//! usize::try_from(k)        k.try_into()       if fits(k) { Some(k as usize) } else { None }
//! ```
//!
//! Which type a number is converted to may follow from where it goes. rustc has checked that there is a conversion which
//! loses nothing (`From`), or one that fails where the value does not fit (`TryFrom`), and a cast does the same to values
//! that fit.

use super::super::display::same_text;
use super::super::infer::{Class, Type};
use super::super::known_crates;
use super::super::param_types::{self, Shape};
use super::super::returns::{each_exit, is_call_of};
use super::super::tree::{Access, Expr, Kind, Method};
use super::helper::Given;
use super::option::conditions::Made;
use super::{Resolver, bare};
use crate::ir::{Int, Ty};
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{GenericArgument, PathArguments};

/// A call of a function that converts: whether it may fail, and the type that it converts to, if it says so.
struct Conversion {
    fails: bool,
    to: Option<Type>,
}

impl Resolver<'_> {
    /// `e as T`
    pub(super) fn cast(&mut self, e: &syn::ExprCast) -> Expr {
        let span = syn::spanned::Spanned::span(e);
        if let Some(constant) = self.cast_of_path(e) {
            return constant;
        }
        let inner = self.expr(&e.expr);
        let inner = self.discriminant(&inner).unwrap_or(inner);
        let ty = match param_types::shape(self.module, &e.ty) {
            Ok(Shape::Scalar(ty)) => Type::Scalar(ty),
            Ok(Shape::Infer) => self.fresh(),
            Ok(Shape::Record(record)) if known_crates::is_character(&record) => {
                let u32 = Type::Scalar(Ty::Int(Int::U32));
                let code = Expr::new(Kind::Cast(inner.boxed()), u32, span);
                return self.character(code, span);
            }
            Ok(_) => {
                return self.refuse(
                    span,
                    "a cast to something that is not a number",
                    "casts convert scalars",
                    "write `as f64` or `as usize`",
                );
            }
            Err(refusal) => {
                self.refusals.0.push(refusal);
                return self.error(span);
            }
        };
        // An integer literal takes the type that it is cast to, as in rustc.
        if let (Kind::Int(_), Type::Scalar(Ty::Int(_))) = (&inner.kind, &ty)
            && matches!(self.infer.shallow(&inner.ty), Type::Var(_))
        {
            self.unify(&inner.ty, &ty, span);
        }
        self.need_number(&inner, true);
        Expr::new(Kind::Cast(inner.boxed()), ty, span)
    }

    /// `CONSTANT as f64` is a constant whose type is known, whatever the type of `CONSTANT` is.
    fn cast_of_path(&mut self, e: &syn::ExprCast) -> Option<Expr> {
        let syn::Expr::Path(_) = bare(&e.expr) else { return None };
        let Ok(Shape::Scalar(to)) = param_types::shape(self.module, &e.ty) else { return None };
        let known: Vec<bool> = self.paths.iter().map(|path| path.used).collect();
        let inner = self.expr(&e.expr);
        let Kind::Path(id) = inner.kind else { return None };
        let Type::Var(_) = self.infer.peel(&inner.ty) else { return None };
        self.paths[id].used = known.get(id).copied().unwrap_or(false);
        let tokens = self.paths[id].tokens.clone();
        let text = format!("{} as {to}", self.paths[id].text);
        let to_token = quote::format_ident!("{}", to.to_string());
        let cast = self.opaque(quote::quote!((#tokens as #to_token)), text, Type::Scalar(to), inner.span);
        Some(self.path_value(cast, inner.span))
    }

    /// `f64::from(k)`, `usize::try_from(k)`, `Into::into(k)` and the like of a number; `None` if it is another call.
    pub(super) fn converting_call(&mut self, func: &syn::ExprPath, e: &syn::ExprCall) -> Option<Expr> {
        let Conversion { fails, to } = self.conversion(func).filter(|_| e.args.len() == 1)?;
        let span = e.span();
        let number = self.expr(&e.args[0]);
        if !self.is_number(&number.ty) {
            return self.converted_by_module(to, number, span);
        }
        if !fails {
            return Some(self.converted(number, to, span));
        }
        let made = self.tried_conversion(number, to, span);
        Some(self.paired(made, span))
    }

    /// `usize::try_from(k)` and `k.try_into()` where the `Option` is taken apart at once.
    pub(super) fn made_by_conversion(&mut self, e: &syn::Expr) -> Option<Made> {
        let (number, to) = match e {
            syn::Expr::MethodCall(call) if call.args.is_empty() => (&*call.receiver, None),
            syn::Expr::Call(call) if call.args.len() == 1 => {
                let syn::Expr::Path(func) = bare(&call.func) else { return None };
                if let Some(made) = self.made_by_num_traits(func, call) {
                    return Some(made);
                }
                let conversion = self.conversion(func).filter(|it| it.fails)?;
                (&call.args[0], conversion.to)
            }
            _ => return None,
        };
        let number = self.expr(number);
        self.is_number(&number.ty).then(|| self.tried_conversion(number, to, e.span()))
    }

    /// A number of another type. A conversion to a type that no variable fixes is refused at the end.
    pub(super) fn converted(&mut self, number: Expr, to: Option<Type>, span: Span) -> Expr {
        let to = to.unwrap_or_else(|| {
            let open = self.fresh();
            self.conversions.push((open.clone(), span));
            open
        });
        if let (Type::Var(_), Class::Float, Type::Scalar(Ty::Float(_))) =
            (self.infer.shallow(&number.ty), self.infer.class(&number.ty), &to)
        {
            self.unify(&number.ty, &to, span);
        }
        let number = self.dereferenced(number);
        Expr::new(Kind::Cast(number.boxed()), to, span)
    }

    pub(super) fn is_number(&self, ty: &Type) -> bool {
        matches!(self.infer.peel(ty), Type::Scalar(_) | Type::Var(_))
    }

    fn tried_conversion(&mut self, number: Expr, to: Option<Type>, span: Span) -> Made {
        let mut stmts = Vec::new();
        let number = self.under_name("number", number, &mut stmts);
        let value = self.converted(number.clone(), to, span);
        let args = vec![number, value.clone()];
        let cond = Expr::method(Method::Fits, args, &Access::default(), Type::BOOL, span);
        Made { stmts, cond, value }
    }

    /// The value of an expression of a written type: that is what `x.into()` makes, or which collection `collect`.
    pub(super) fn expr_as(&mut self, e: &syn::Expr, ty: &syn::Type) -> Expr {
        if let Some(call) = self.converted_as(e, ty) {
            return self.expr(&call);
        }
        let module = self.module;
        // `impl From<V> for [f64; 3]`
        if let syn::Expr::MethodCall(call) = bare(e)
            && call.method == "into"
            && module.operators("From").any(|of| same_text(&of.left, ty))
        {
            let value = self.expr(&call.receiver);
            let made = self.module_conversion(&value, |left| same_text(left, ty), call.span());
            if let Some(made) = made {
                return made;
            }
        }
        self.expr(e)
    }

    /// `T::from(x)` for `x.into()` of the written type `T`, if its conversions are known besides those of numbers;
    /// `e.collect::<T>()` for `e.collect()`, if that makes an `Option`.
    pub(super) fn converted_as(&self, e: &syn::Expr, ty: &syn::Type) -> Option<syn::Expr> {
        let syn::Expr::MethodCall(call) = bare(e) else { return None };
        if call.method == "collect" && call.turbofish.is_none() {
            let is_option = matches!(param_types::shape(self.module, ty), Ok(Shape::Option(..)));
            let turbofish = is_option.then(|| syn::parse_quote!(::<#ty>))?;
            return Some(syn::Expr::MethodCall(syn::ExprMethodCall {
                turbofish: Some(turbofish),
                ..call.clone()
            }));
        }
        let from = self.impl_path_of(ty).filter(|_| call.method == "into" && call.args.is_empty())?;
        let value = &call.receiver;
        Some(syn::parse_quote_spanned!(call.method.span()=> #from(#value)))
    }

    /// The path of `from` of a type, if it is known besides conversions of numbers.
    fn impl_path_of(&self, ty: &syn::Type) -> Option<syn::Path> {
        let syn::Type::Path(written) = ty else { return None };
        let is_vec = matches!(param_types::shape(self.module, ty), Ok(Shape::Vec(_)));
        let is_record = self.module.record(&written.path).is_some_and(|record| record.is_ok());
        let mut path = Some(written.path.clone()).filter(|_| is_vec || is_record)?;
        for segment in &mut path.segments {
            if self.module.template(&segment.ident.to_string()).is_some() {
                // what these are follows from where the value goes, and may be named where the struct is declared
                segment.arguments = PathArguments::None;
            } else if let PathArguments::AngleBracketed(args) = &mut segment.arguments {
                args.colon2_token = Some(Default::default());
            }
        }
        path.segments.push(syn::parse_quote!(from));
        Some(path)
    }

    /// The body of a helper with what it returns converted to the type that is written.
    pub(in super::super) fn with_converted_exits(&self, item: &syn::ItemFn) -> syn::Block {
        let mut body = (*item.block).clone();
        let syn::ReturnType::Type(_, ty) = &item.sig.output else { return body };
        let inner = match param_types::shape(self.module, ty) {
            Ok(Shape::Option(_, inner)) => Some(inner),
            _ => None,
        };
        each_exit(&mut body, &mut |e| {
            let (e, ty) = match (e, &inner) {
                (syn::Expr::Call(call), Some(inner)) if is_call_of(call, "Some") && call.args.len() == 1 => {
                    (&mut call.args[0], &**inner)
                }
                (e, _) => (e, &**ty),
            };
            if let Some(converted) = self.converted_as(e, ty) {
                *e = converted;
            }
        });
        body
    }

    /// `x.into()` where one `impl From<…>` of the module takes such a value.
    pub(super) fn by_one_conversion(
        &mut self,
        e: &syn::ExprMethodCall,
        value: &Expr,
        name: &str,
    ) -> Option<Expr> {
        let is_into = name == "into" && e.args.is_empty();
        is_into.then(|| self.module_conversion(value, |_| true, e.span())).flatten()
    }

    /// What the one `impl From<…> for T` of the module makes of a value, for such types `T`.
    pub(super) fn module_conversion(
        &mut self,
        value: &Expr,
        is_meant: impl Fn(&syn::Type) -> bool,
        span: Span,
    ) -> Option<Expr> {
        let module = self.module;
        let mut all = Vec::new();
        for of in module.operators("From").filter(|of| is_meant(&of.left)) {
            if let Some(fit) = self.fit(&of.function.sig.generics, &[(&value.ty, &of.right)]) {
                // `From<[f64; 3]>` beside `From<&[f64; 3]>`
                let is_behind = matches!(self.infer.shallow(&value.ty), Type::Ref(..));
                all.push(((fit, of.takes_reference() == is_behind), of));
            }
        }
        let best = all.iter().map(|(fit, _)| *fit).max()?;
        all.retain(|(fit, _)| *fit == best);
        let [(_, one)] = all[..] else { return None };
        let value = self.dereferenced(value.clone());
        Some(self.inline_with(&one.function, 1, Given::default(), vec![value], std::iter::empty(), span))
    }

    /// An `impl From<Kind> for f64` of the module.
    fn converted_by_module(&mut self, to: Option<Type>, value: Expr, span: Span) -> Option<Expr> {
        let to = self.infer.show(&to?);
        let records = self.module.records();
        let Some(item) = records.function(&to, "from").filter(|_| records.functions(&to, "from").len() == 1)
        else {
            let from = self.infer.show(&value.ty);
            return Some(self.refuse(
                span,
                format!("a conversion of `{from}` to `{to}`"),
                "conversions between numbers are known, and one `impl From<…>` of the module for each type",
                "write a function that converts, and call it by its name",
            ));
        };
        Some(self.inline_with(&item, 1, Given::default(), vec![value], [].into_iter(), span))
    }

    /// Whether a path names a function that converts to a number.
    fn conversion(&mut self, func: &syn::ExprPath) -> Option<Conversion> {
        let last = func.path.segments.last()?.ident.to_string();
        let fails = last.starts_with("try_");
        if last == "convert" && func.qself.is_none() {
            return self.conversion_of_nalgebra(func);
        }
        let to_own = matches!(last.as_str(), "from" | "try_from");
        if !to_own && !matches!(last.as_str(), "into" | "try_into") {
            return None;
        }
        let path = if func.qself.is_some() { func.path.clone() } else { self.expand(&func.path) };
        let of = path.segments.iter().rev().nth(1);
        // `<f64>::from`, `<f64 as From<f32>>::from`
        if let Some(own) = func.qself.as_ref().filter(|_| to_own) {
            return Some(Conversion { fails, to: Some(self.scalar_named(&own.ty)?) });
        }
        let of = of?;
        let name = of.ident.to_string();
        if matches!(name.as_str(), "From" | "TryFrom") && to_own {
            return Some(Conversion { fails, to: None });
        }
        if matches!(name.as_str(), "Into" | "TryInto") && !to_own {
            let to = match &of.arguments {
                PathArguments::AngleBracketed(args) => match args.args.first() {
                    Some(GenericArgument::Type(ty)) => Some(self.scalar_named(ty)?),
                    _ => None,
                },
                _ => None,
            };
            return Some(Conversion { fails, to });
        }
        let in_module = path.segments.iter().rev().nth(2).is_none_or(|module| module.ident == "primitive");
        if !to_own || !in_module {
            return None;
        }
        let ty = &of.ident;
        Some(Conversion { fails, to: Some(self.scalar_named(&syn::parse_quote!(#ty))?) })
    }

    /// `nalgebra::convert(x)`, `na::convert::<f64, T>(x)`: between floats it is a cast.
    fn conversion_of_nalgebra(&mut self, func: &syn::ExprPath) -> Option<Conversion> {
        let path = self.expand(&func.path);
        let names = super::super::names(&path);
        let is_known = matches!(&names[..], [of, _] if of == "nalgebra" || of == "na");
        if !is_known || !self.options.features.nalgebra {
            return None;
        }
        let to = match &func.path.segments.last()?.arguments {
            PathArguments::AngleBracketed(args) => match args.args.iter().nth(1) {
                Some(GenericArgument::Type(syn::Type::Infer(_))) | None => None,
                Some(GenericArgument::Type(ty)) => Some(self.scalar_named(ty)?),
                Some(_) => return None,
            },
            _ => None,
        };
        Some(Conversion { fails: false, to })
    }

    /// A number's type as written, or what a type parameter stands for.
    fn scalar_named(&mut self, ty: &syn::Type) -> Option<Type> {
        if let syn::Type::Path(path) = ty
            && let Some(of) = path.path.get_ident().and_then(|name| self.type_parameter(&name.to_string()))
        {
            return Some(self.infer.peel(of)).filter(|of| self.is_number(of));
        }
        match param_types::shape(self.module, ty).ok()? {
            Shape::Scalar(ty) => Some(Type::Scalar(ty)),
            _ => None,
        }
    }

    /// Refuses conversions to what is no number, or not known.
    pub(super) fn finish_conversions(&mut self) {
        for (to, span) in std::mem::take(&mut self.conversions) {
            let (class, to) = (self.infer.class(&to), self.infer.peel(&to));
            let known = "conversions between numbers are known";
            let (what, why, help) = match &to {
                Type::Scalar(_) | Type::Never => continue,
                Type::Var(_) if class != Class::Any || self.has_errors => continue,
                Type::Var(_) => {
                    let why = "the type that it converts to is not known";
                    (String::new(), why, "write the type: `f64::from(x)`".to_owned())
                }
                to if self.option_type(to).is_some() => {
                    (" to an `Option`".to_owned(), known, "write `Some(x)`".to_owned())
                }
                to => {
                    let to = self.infer.show(to);
                    let help = format!("name the type whose function it is: `{to}::from(x)`");
                    (format!(" to `{to}`"), known, help)
                }
            };
            self.refusals.push(span, format!("a conversion{what}"), why, help);
            // and not that of its variable as well
            let _ = self.infer.unify(&to, &Type::Scalar(Ty::F64));
        }
    }
}

/// What makes two types that meet one.
pub(super) fn of_one_side(a: &str, b: &str) -> &'static str {
    let is_float = |ty: &str| matches!(ty, "f64" | "f32" | "{float}");
    match (is_float(a), is_float(b)) {
        (true, true) => "convert one side: `x as f64`",
        _ if [a, b].contains(&"{integer}") && is_float(a) != is_float(b) => {
            "write the number with a point: `2.0`; convert a variable: `n as f64`"
        }
        (true, false) | (false, true)
            if crate::ir::Ty::from_name(if is_float(a) { b } else { a }).is_some() =>
        {
            "convert the integer: `n as f64`"
        }
        _ => "convert one side with `as`, or write the type of the variable",
    }
}
