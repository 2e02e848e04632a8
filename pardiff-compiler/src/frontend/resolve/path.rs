//! Paths as values: locals, constants of the body, associated constants of machine types, and opaque user paths.

use super::super::display::tidy;
use super::super::infer::Type;
use super::super::linked;
use super::super::param_types::bare;
use super::super::tree::{Expr, Kind, PathId};
use super::module::own_member;
use super::{Name, Resolver};
use crate::ir::{Float, Int, Ty};
use proc_macro2::Span;
use quote::ToTokens;
use syn::spanned::Spanned;

impl Resolver<'_> {
    /// `None::<f64>` and `Option::<f64>::None`
    fn none_of_path(&mut self, path: &syn::Path, span: Span) -> Option<Expr> {
        let names = super::names(path);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let (last, around) = names.split_last()?;
        let is_none =
            *last == "None" && matches!(around, [] | ["Option"] | ["std" | "core", "option", "Option"]);
        let of = is_none.then(|| self.fresh())?;
        for segment in &path.segments {
            if let syn::PathArguments::AngleBracketed(args) = &segment.arguments
                && let Some(syn::GenericArgument::Type(ty)) = args.args.first()
                && let Some(ty) = self.type_of(ty)
            {
                self.unify(&of, &ty, span);
            }
        }
        Some(self.none(of, span))
    }

    pub(super) fn path(&mut self, e: &syn::ExprPath) -> Expr {
        if let Some(e) = without_brackets(e) {
            return self.path(&e);
        }
        let span = e.span();
        if let Some(ident) = e.path.get_ident().filter(|_| e.qself.is_none()) {
            let name = ident.to_string();
            match name.as_str() {
                "self" if matches!(self.lookup("self"), Some(Name::Local(_) | Name::Refused)) => {}
                "self" | "Self" => return self.refuse_self(span),
                "None" => {
                    let of = self.fresh();
                    return self.none(of, span);
                }
                _ => {}
            }
            match self.lookup(&name).cloned() {
                Some(Name::Local(id)) => {
                    return Expr::local(id, &self.locals[id].ty, span);
                }
                Some(Name::Literal(value)) => return Expr { span, ..(*value).clone() },
                Some(Name::Path(id)) => return self.path_value(id, span),
                Some(Name::Length(len, ty)) => return Expr::new(Kind::Length(len), ty, span),
                Some(Name::Helper(item, _)) => {
                    let function = self.function_argument(&syn::Expr::Path(e.clone()), item.sig.inputs.len());
                    let Some(Name::Closure(callable)) = function else { return self.error(span) };
                    return self.closure_of_name(&callable, span);
                }
                Some(Name::Closure(callable)) => return self.closure_of_name(&callable, span),
                Some(Name::Constant(item)) => return self.module_constant(&item, span),
                Some(Name::Refused) => return self.error(span),
                Some(Name::Unknown(refusal)) => {
                    self.bind(&name, Name::Refused);
                    self.refusals.0.push((*refusal).clone());
                    return self.error(span);
                }
                Some(Name::Spawner) => {
                    return self.refuse(
                        span,
                        "the handle of a scope as a value",
                        "tasks are started where the scope is seen",
                        format!("write `{name}.spawn(|_| …)` inside of the scope"),
                    );
                }
                Some(Name::Import(_)) | None => {}
            }
        }
        if e.path.segments.iter().any(|segment| segment.ident == "Self" || segment.ident == "self")
            && e.path.segments.first().is_some_and(|segment| segment.ident == "Self")
        {
            return self.refuse_self(span);
        }
        if e.qself.is_none()
            && let Some(ident) = own_member(&e.path)
            && let Some(Name::Constant(item)) = self.of_module(&ident.to_string())
        {
            return self.module_constant(&item, span);
        }
        if e.path.segments.len() > 1
            && let Some(arity) = self.arity_of_path(e)
            && let Some(Name::Closure(callable)) = self.function_argument(&syn::Expr::Path(e.clone()), arity)
        {
            return self.closure_of_name(&callable, span);
        }
        if e.qself.is_none()
            && let Some(value) = self.variant(&e.path, span).or_else(|| self.unit_struct(&e.path, span))
        {
            return value;
        }
        if e.qself.is_none()
            && let Some(constant) = self.associated_constant(&e.path, span)
        {
            return constant;
        }
        if let Some(constant) = self.constant_of_trait(e, span) {
            return constant;
        }
        if let Some(number) = self.constant_of_number(e, span) {
            return number;
        }
        if let Some(refused) = self.refuse_member_of_parameter(&e.path, span) {
            return refused;
        }
        let path = self.expand(&e.path);
        if let Some(none) = self.none_of_path(&path, span) {
            return none;
        }
        if e.qself.is_none()
            && let Some(known) = self.associated(&path, span)
        {
            return known;
        }
        let tokens = match &e.qself {
            Some(_) => e.to_token_stream(),
            None => path.to_token_stream(),
        };
        // one of the body that is not visible here
        if let Some(ident) = path.get_ident().filter(|ident| self.is_declared(ident)) {
            self.refuse_second_constant(ident);
        }
        let text = tidy(&tokens);
        if linked::is_elsewhere(&text) {
            let name = linked::plain(&text);
            let last = path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
            return self.refuse(
                span,
                format!("`{name}`, which an exported item sees where it stands"),
                "here the name means something else",
                format!(
                    "write `#[differentiate(export)]` before it and `uses({})` beside that `export`",
                    linked::plain(&last)
                ),
            );
        }
        let ty = self.fresh();
        let id = self.opaque(tokens, text, ty, span);
        self.path_value(id, span)
    }

    pub(super) fn path_value(&mut self, id: PathId, span: proc_macro2::Span) -> Expr {
        self.paths[id].used = true;
        Expr::new(Kind::Path(id), self.paths[id].ty.clone(), span)
    }

    fn refuse_self(&mut self, span: proc_macro2::Span) -> Expr {
        self.refuse(
            span,
            "`self` or `Self`",
            "an attribute on a function does not see the type it belongs to",
            "pass the fields as parameters of a free function",
        )
    }

    /// The path with imports of the body filled in.
    pub(super) fn expand(&self, path: &syn::Path) -> syn::Path {
        let Some(first) = path.segments.first().filter(|_| path.leading_colon.is_none()) else {
            return path.clone();
        };
        if let Some(Name::Import(prefix)) = self.lookup(&first.ident.to_string()) {
            let mut full = prefix.clone();
            full.segments.extend(path.segments.iter().skip(1).cloned());
            return full;
        }
        let of_glob = |glob: &syn::Path| {
            let mut full = glob.clone();
            full.segments.extend(path.segments.iter().cloned());
            let is_constant = glob.segments.last().is_some_and(|last| last.ident == "consts")
                && float_constant(&first.ident.to_string(), Float::F64).is_some();
            (is_constant || self.is_known_function(&full)).then_some(full)
        };
        let full = self.globs.iter().rev().filter(|_| path.segments.len() == 1).find_map(of_glob);
        full.unwrap_or_else(|| path.clone())
    }

    /// `f64::EPSILON`, `std::f64::consts::PI`, `usize::MAX` and the like.
    fn associated(&mut self, path: &syn::Path, span: proc_macro2::Span) -> Option<Expr> {
        let names = super::names(path);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        if let Some(ordering) = self.ordering(&names, span) {
            return Some(ordering);
        }
        let (ty, name) = match names[..] {
            ["std" | "core", ty, "consts", name] | [ty, "consts", name] => {
                (Ty::from_name(ty).filter(|ty| ty.is_float())?, name)
            }
            ["std" | "core", ty, name] | [ty, name] => (Ty::from_name(ty)?, name),
            _ => return None,
        };
        let exact = |ty: Ty, kind: Kind| Some(Expr::new(kind, Type::Scalar(ty), span));
        match ty {
            Ty::Float(float) => {
                if let Some(value) = float_constant(name, float) {
                    return exact(ty, Kind::Float(value));
                }
            }
            Ty::Int(int) if int != Int::Usize && int != Int::Isize => match name {
                "MIN" => return exact(ty, Kind::Int(int.min())),
                "MAX" => {
                    if let Some(max) = int.max() {
                        return exact(ty, Kind::Int(max));
                    }
                }
                _ => {}
            },
            _ => {}
        }
        let of = match name {
            "BITS" | "DIGITS" | "MANTISSA_DIGITS" | "RADIX" => Ty::Int(Int::U32),
            "MAX_EXP" | "MIN_EXP" | "MAX_10_EXP" | "MIN_10_EXP" => Ty::Int(Int::I32),
            _ => ty,
        };
        let id = self.opaque(path.to_token_stream(), tidy(path), Type::Scalar(of), span);
        Some(self.path_value(id, span))
    }
}

/// `T::name` of `<T>::name`, which is what a type becomes that a macro is given.
pub(super) fn without_brackets(e: &syn::ExprPath) -> Option<syn::ExprPath> {
    let of = e.qself.as_ref().filter(|of| of.position == 0)?;
    let syn::Type::Path(ty) = bare(&of.ty) else { return None };
    let mut path = ty.path.clone();
    if let Some(syn::PathArguments::AngleBracketed(args)) =
        path.segments.last_mut().map(|last| &mut last.arguments)
    {
        args.colon2_token = Some(Default::default());
    }
    path.segments.extend(e.path.segments.iter().cloned());
    Some(syn::ExprPath { attrs: e.attrs.clone(), qself: ty.qself.clone(), path })
}

/// The finite constants of the float types, as digits that read back to the same value.
fn float_constant(name: &str, float: Float) -> Option<String> {
    macro_rules! of {
        ($ty:ident) => {{
            use std::$ty::consts::*;
            let value = match name {
                "EPSILON" => $ty::EPSILON,
                "MIN_POSITIVE" => $ty::MIN_POSITIVE,
                "MAX" => $ty::MAX,
                "MIN" => $ty::MIN,
                "PI" => PI,
                "TAU" => TAU,
                "E" => E,
                "SQRT_2" => SQRT_2,
                "FRAC_1_SQRT_2" => FRAC_1_SQRT_2,
                "FRAC_1_PI" => FRAC_1_PI,
                "FRAC_2_PI" => FRAC_2_PI,
                "FRAC_2_SQRT_PI" => FRAC_2_SQRT_PI,
                "FRAC_PI_2" => FRAC_PI_2,
                "FRAC_PI_3" => FRAC_PI_3,
                "FRAC_PI_4" => FRAC_PI_4,
                "FRAC_PI_6" => FRAC_PI_6,
                "FRAC_PI_8" => FRAC_PI_8,
                "LN_2" => LN_2,
                "LN_10" => LN_10,
                "LOG2_E" => LOG2_E,
                "LOG10_E" => LOG10_E,
                "LOG2_10" => LOG2_10,
                "LOG10_2" => LOG10_2,
                _ => return None,
            };
            format!("{value:e}")
        }};
    }
    Some(match float {
        Float::F64 => of!(f64),
        Float::F32 => of!(f32),
    })
}
