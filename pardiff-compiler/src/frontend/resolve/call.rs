//! Calls of functions: helpers of the body and the functions of std that are known.

use super::super::display::{tidy, tidy_path};
use super::super::generic_structs::arguments_of;
use super::super::infer::{Class, Type};
use super::super::std_types;
use super::super::tree::{Access, Block, Expr, Kind, Method};
use super::module::own_member;
use super::path::without_brackets;
use super::{Name, Resolver, bare};
use crate::ir::{Int, Ty};
use crate::signature::{element_in_bodies, vector_element};
use syn::spanned::Spanned;

impl Resolver<'_> {
    pub(super) fn call(&mut self, e: &syn::ExprCall) -> Expr {
        let span = e.span();
        if let syn::Expr::Closure(closure) = bare(&e.func) {
            return self.call_at_once(closure, e);
        }
        let syn::Expr::Path(func) = bare(&e.func) else {
            return match bare(&e.func) {
                syn::Expr::Field(_) | syn::Expr::Call(_) | syn::Expr::MethodCall(_) => {
                    let value = self.expr(&e.func);
                    self.call_value(value, e)
                }
                _ => self.refuse_unknown_function(e.func.span()),
            };
        };
        if let Some(func) = without_brackets(func) {
            return self.call(&syn::ExprCall { func: Box::new(syn::Expr::Path(func)), ..e.clone() });
        }
        if let Some(number) = self.of_num_traits(func, e) {
            return number;
        }
        if let Some(converted) = self.converting_call(func, e) {
            return converted;
        }
        if let Some(of) = &func.qself {
            return self.of_trait(of, func, e).unwrap_or_else(|| self.outside(func, span));
        }
        if let Some(segment) = func.path.segments.first().filter(|_| func.path.segments.len() == 1) {
            match self.lookup(&segment.ident.to_string()).cloned() {
                Some(Name::Helper(item, scopes)) => return self.inline(&item, scopes, segment, e),
                Some(Name::Closure(closure)) => return self.call_closure(&closure, Vec::new(), e),
                Some(Name::Local(id)) if matches!(self.infer.shallow(&self.locals[id].ty), Type::Never) => {
                    return self.error(span);
                }
                Some(Name::Local(id)) if self.closure_of_type(&self.locals[id].ty).is_some() => {
                    let value = Expr::local(id, &self.locals[id].ty, func.span());
                    return self.call_value(value, e);
                }
                Some(Name::Local(_)) => {
                    return self.refuse(
                        func.span(),
                        "a call of a variable",
                        "which function it is would be known only at run time",
                        "bind a closure to the name, `let f = |x| …;`, or write a nested helper: `fn square(x: f64) -> f64 { x * x }`",
                    );
                }
                Some(Name::Refused) => return self.error(span),
                _ => {}
            }
        }
        if let Some(segment) = func.path.segments.last().filter(|_| own_member(&func.path).is_some())
            && let Some(Name::Helper(item, scopes)) = self.of_module(&segment.ident.to_string())
        {
            return self.inline(&item, scopes, segment, e);
        }
        if let Some(made) = self.record_call(func, e) {
            return made;
        }
        if let Some(part) = self.of_rule(func, e) {
            return part;
        }
        let path = self.expand(&func.path);
        let names = super::names(&path);
        let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
        if names.len() > 2 && matches!(names[0], "std" | "core" | "alloc") {
            names.remove(0);
        }
        if let Some(tasks) = self.tasks(e, &names) {
            return tasks;
        }
        if let Some(message) = self.message_call(&names, e) {
            return message;
        }
        if let Some(partition) = self.partition(&names, e) {
            return partition;
        }
        if let Some(known) = self.known_function(&path, e) {
            return known;
        }
        if let Some(given) = self.by_name_of_trait(func, e) {
            return given;
        }
        match names[..] {
            ["mem", "swap"] => self.exchange(e, Method::MemSwap),
            ["mem", "replace" | "take"] => {
                self.taken_reference(e).unwrap_or_else(|| self.exchange(e, Method::MemReplace))
            }
            ["mem", "size_of"] | ["size_of"] => {
                self.size_of(&path, span).unwrap_or_else(|| self.outside(func, span))
            }
            ["array", "from_fn"] if e.args.len() == 1 => self.array_from_fn(&path, &e.args[0], span),
            ["cmp", name @ ("max" | "min")] if e.args.len() == 2 => {
                let args: Vec<Expr> = e.args.iter().map(|arg| self.expr(arg)).collect();
                self.restrict(&args[0].ty, Class::Int, args[0].span);
                let access = Access { array: String::new(), text: tidy(e) };
                self.method(name, args, access, span, func.span())
            }
            // a pointer is the value itself
            ["Box" | "Arc" | "Rc", "new"] | [_, "Box" | "Arc" | "Rc", "new"] if e.args.len() == 1 => {
                self.expr(&e.args[0])
            }
            ["Arc" | "Rc", "clone"] | [_, "Arc" | "Rc", "clone"] if e.args.len() == 1 => {
                let shared = &e.args[0];
                self.expr(&syn::parse_quote_spanned!(span=> *#shared))
            }
            ["String", "from"] | ["string", "String", "from"] if e.args.len() == 1 => {
                let text = &e.args[0];
                self.expr(&syn::parse_quote_spanned!(span=> (#text).to_vec()))
            }
            ["Vec", name] | ["vec", "Vec", name] | [.., "ArrayVec" | "SmallVec" | "VecDeque", name] => {
                self.vector(&path, name, e, func)
            }
            [ty, name] | ["primitive", ty, name] if Ty::from_name(ty).is_some() && !e.args.is_empty() => {
                let ty = Type::Scalar(Ty::from_name(ty).unwrap_or(Ty::F64));
                let args: Vec<Expr> = e.args.iter().map(|arg| self.expr(arg)).collect();
                let have = self.infer.peel(&args[0].ty);
                self.unify(&ty, &have, args[0].span);
                let access = Access { array: String::new(), text: tidy(e) };
                let name_span = path.segments.last().map_or(span, |segment| segment.ident.span());
                self.method(name, args, access, span, name_span)
            }
            ["Reverse"] | ["cmp", "Reverse"] if e.args.len() == 1 => self.reversed(&e.args[0], span),
            ["Default", "default"] | ["default", "Default", "default"] if e.args.is_empty() => {
                let ty = self.fresh();
                self.defaults.push((ty.clone(), span));
                Expr::new(Kind::Zeros, ty, span)
            }
            [ty, "default"] | ["primitive", ty, "default"]
                if Ty::from_name(ty).is_some() && e.args.is_empty() =>
            {
                Expr::new(Kind::Zeros, Type::Scalar(Ty::from_name(ty).unwrap_or(Ty::F64)), span)
            }
            ["Some"] | ["Option", "Some"] if e.args.len() == 1 => {
                let value = self.expr(&e.args[0]);
                self.some_of(value, span)
            }
            ["Err"] => self.refuse_computed_error(span),
            [.., array, name] if Resolver::is_nd_array(array) => match self.nd_made(&path, name, e) {
                Some(made) => made,
                None => self.refuse(
                    span,
                    format!("a call of `{}`", tidy_path(func)),
                    "of the functions that make arrays of `ndarray`, `zeros`, `ones` and `from_elem` are known",
                    "make one and assign its elements: `let mut a = Array1::zeros(n); for i in 0..n { a[i] = …; }`",
                ),
            },
            _ => self.outside(func, span),
        }
    }

    /// `size_of::<T>()` of a number that has one size on all machines.
    fn size_of(&mut self, path: &syn::Path, span: proc_macro2::Span) -> Option<Expr> {
        let of = arguments_of(path.segments.last()?).into_iter().next()?;
        let syn::GenericArgument::Type(of) = of else { return None };
        let ty = self.type_of(&of)?;
        let bytes = match self.infer.peel(&ty) {
            Type::Scalar(Ty::F64) => 8,
            Type::Scalar(Ty::F32) => 4,
            Type::Scalar(Ty::Int(int)) if !matches!(int, Int::Usize | Int::Isize) => {
                i128::from(int.bits() / 8)
            }
            _ => return None,
        };
        Some(Expr::new(Kind::Int(bytes), Type::USIZE, span))
    }

    fn outside(&mut self, func: &syn::ExprPath, span: proc_macro2::Span) -> Expr {
        let name = tidy_path(func);
        let last = func.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
        let of = func.path.segments.iter().rev().nth(1).map(|of| of.ident.to_string()).unwrap_or_default();
        if let Some((why, help)) = std_types::refused(&of) {
            return self.refuse(span, format!("a call of `{name}`"), why, help);
        }
        if let Some(refused) = self.refuse_of_number(func, span) {
            return refused;
        }
        if self.is_of_std(&func.path) {
            let help = match last.as_str() {
                "default" | "empty" => "write the value: `0.0`, `0`, `false`, `[0.0; N]`, `vec![]`",
                "scope" | "spawn" if of == "thread" => {
                    "write tasks of rayon: `rayon::scope(|s| { s.spawn(|_| …); })`, or `rayon::join(|| …, || …)`"
                }
                _ => "write it with operators, methods and loops",
            };
            let why = "only some functions of the standard library are known here";
            return self.refuse(span, format!("a call of `{name}`"), why, help);
        }
        if func.path.segments.first().is_some_and(|first| first.ident == "rand") {
            let why = "a random number is no function of the parameters";
            let help = "draw it where the function is called, and pass it: `noise: f64`";
            return self.refuse(span, format!("a call of `{name}`"), why, help);
        }
        let of_crate = super::functions::full_path(&last).filter(|_| func.path.segments.len() <= 2);
        let help = match last.as_str() {
            "swap" => "write `std::mem::swap(&mut a, &mut b)` in full".to_owned(),
            "from_fn" => "write `std::array::from_fn(|i| …)` in full".to_owned(),
            "max" | "min" => format!("write `a.{last}(b)`, or `std::cmp::{last}(a, b)` in full"),
            _ if of_crate.is_some() => {
                let full = of_crate.unwrap_or_default();
                format!("write `{full}(…)` if it is that one, else move `fn {last}` here")
            }
            _ if of.starts_with(char::is_uppercase) => format!(
                "write `#[differentiate(export)]` before `{of}`, `#[differentiate(export, uses({of}))]` before its \
                 `impl`, and `uses({of}, {})` here; for a type of a known crate, write its own name, or its alias into \
                 the module under the attribute",
                of.to_lowercase()
            ),
            _ => format!("write `#[differentiate(export)]` before `fn {last}` and `uses({name})` here"),
        };
        let (place, sees) = match self.module.is_module() {
            true => (
                "this module",
                "the attribute sees only the items of the module that it stands on, and what it uses",
            ),
            false => ("the body", "the attribute sees only this function, and what it uses"),
        };
        self.refuse(span, format!("a call of `{name}`, which is not in {place}"), sees, help)
    }

    /// Whether a path is one of the standard library, which nobody can move. Functions that are only imported in front of the
    /// attribute cannot be told from others.
    fn is_of_std(&self, path: &syn::Path) -> bool {
        let path = self.expand(path);
        let names = super::names(&path);
        let spelled_out = ["swap", "max", "min"].contains(&names[names.len() - 1].as_str());
        match names[0].as_str() {
            "std" | "core" | "alloc" => !spelled_out && !path.is_ident(&names[0]),
            "Default" | "Vec" | "Option" | "String" => names.len() > 1,
            ty => names.len() > 1 && Ty::from_name(ty).is_some(),
        }
    }

    /// `std::mem::swap`, `std::mem::replace`, and `std::mem::take`, which replaces by a default.
    fn exchange(&mut self, e: &syn::ExprCall, method: Method) -> Expr {
        let span = e.span();
        let mut args: Vec<Expr> = e.args.iter().map(|arg| self.expr(arg)).collect();
        let mut stmts = Vec::new();
        if let [place] = &args[..]
            && method == Method::MemReplace
        {
            let ty = self.infer.peel(&place.ty);
            let Some(new) = self.default_of(&ty, span) else {
                return self.refuse(
                    span,
                    "`std::mem::take` of this value",
                    "its default is not known: those of numbers, vectors and structs of the module are",
                    "write the value that is left there: `std::mem::replace(&mut a, value)`",
                );
            };
            let is_vector = matches!(new.kind, Kind::EmptyVec);
            args.push(if is_vector { self.named("new", new, &mut stmts) } else { new });
        }
        if args.len() != 2 {
            return self.error(span);
        }
        let access = Access::of(&e.args[0], e);
        let target = match self.infer.shallow(&args[0].ty) {
            Type::Ref(_, inner) => self.infer.shallow(&inner),
            other => other,
        };
        if self.refers(&target) {
            return self.refuse(
                span,
                "an exchange of two references",
                "which array a name stands for would be known only at run time",
                "exchange the elements: `a.swap_with_slice(b)`, or copy to local arrays and swap those",
            );
        }
        let other = match self.infer.shallow(&args[1].ty) {
            Type::Ref(_, inner) if method == Method::MemSwap => self.infer.shallow(&inner),
            other => other,
        };
        self.unify(&target, &other, span);
        let ty = if method == Method::MemSwap { Type::UNIT } else { target };
        let exchanged = Expr::new(Kind::Method(method, args, access), ty.clone(), span);
        if stmts.is_empty() {
            return exchanged;
        }
        Expr::new(Kind::Block(Block { stmts, tail: Some(exchanged.boxed()) }), ty, span)
    }

    fn vector(&mut self, path: &syn::Path, name: &str, e: &syn::ExprCall, func: &syn::ExprPath) -> Expr {
        let span = e.span();
        let elem = self.fresh();
        for segment in path.segments.iter() {
            let first = arguments_of(segment).into_iter().find_map(|argument| match argument {
                syn::GenericArgument::Type(ty) => Some(ty),
                _ => None,
            });
            if let Some(written) = element_in_bodies(segment).cloned().or(first)
                && let Some(ty) = self.type_of(&written)
            {
                self.unify(&elem, &ty, span);
            }
        }
        match (name, e.args.len()) {
            ("new", 0) => Expr::new(Kind::EmptyVec, Type::slice(elem), span),
            ("with_capacity", 1) => {
                let _capacity = self.usize(&e.args[0]);
                Expr::new(Kind::EmptyVec, Type::slice(elem), span)
            }
            ("from_iter", 1) => {
                let items = &e.args[0];
                self.expr(&syn::parse_quote_spanned!(span=> (#items).into_iter().collect::<Vec<_>>()))
            }
            ("from", 1) => {
                let arg = self.expr(&e.args[0]);
                let is_vector = |ty: &syn::Type| vector_element(ty).is_some();
                if let Some(made) = self.module_conversion(&arg, is_vector, span) {
                    return made;
                }
                let access = Access::of(&e.args[0], e);
                self.method("to_vec", vec![arg], access, span, func.span())
            }
            _ => self.outside(func, span),
        }
    }
}
