//! What the traits of `num-traits` give a type parameter, where it stands for a number.
//!
//! ```text
//! T::one()    T::epsilon()    T::PI()          1.0    f64::EPSILON    core::f64::consts::PI
//! T::from(k).unwrap()    x.to_f64()            k as f64    Some(x as f64)
//! x.to_usize()                                 if x > -1.0 && x < 2^64 { Some(x as usize) } else { None }
//! ```
//!
//! A cast to a float always has a value, as in `num-traits`; one to an integer has one where the number without its
//! fraction is in range, where `as` would saturate. Only what the traits before the parameters give is looked up: a
//! method of a float that none of them has is one of a trait that is not seen.

use super::super::display::{same_text, tidy};
use super::super::infer::{Class, Type};
use super::super::instances::{self, Instance};
use super::super::linked;
use super::super::num_traits;
use super::super::tree::{Access, Expr, Kind, Method};
use super::option::conditions::Made;
use super::{Name, Resolver, bare};
use crate::ir::{BinOp, Float, Int, Ty};
use crate::visit::{self, Visit};
use proc_macro2::Span;
use quote::{ToTokens, format_ident};
use syn::spanned::Spanned;

/// Whether a path is one of the crate `num-traits`.
fn is_num_traits(path: &syn::Path) -> bool {
    path.segments.first().is_some_and(|first| first.ident == "num_traits" || first.ident == "num")
}

/// Whether a function with type parameters has floats of another type, as far as its text shows.
pub(super) fn names_floats(item: &syn::ItemFn) -> bool {
    let mut without_defaults = item.clone();
    without_defaults.sig.generics.type_params_mut().for_each(|param| param.default = None);
    let names = super::super::hygiene::names(without_defaults.to_token_stream());
    names.contains("f64") || names.contains("f32") || has_other_values(item)
}

/// Whether a function takes values from fields, functions or methods that are no functions of floats: their types
/// may be floats that it does not name.
fn has_other_values(item: &syn::ItemFn) -> bool {
    /// The type parameters, and whether there is such a value.
    struct Find(Vec<String>, bool);
    impl Visit for Find {
        fn visitor(&mut self) -> &mut dyn Visit {
            self
        }

        fn visit_expr(&mut self, e: &syn::Expr) {
            self.1 |= match e {
                syn::Expr::Field(_) | syn::Expr::Macro(_) => true,
                // `T::one()`
                syn::Expr::Call(call) => match &*call.func {
                    syn::Expr::Path(path) => {
                        !path.path.segments.first().is_some_and(|of| self.0.contains(&of.ident.to_string()))
                    }
                    _ => true,
                },
                syn::Expr::MethodCall(call) => super::functions(&call.method.to_string()).0.is_none(),
                _ => false,
            };
            visit::visit_expr(self, e);
        }
    }
    let params = item.sig.generics.type_params().map(|param| param.ident.to_string());
    let mut find = Find(params.collect(), false);
    find.visit_item_fn(item);
    find.1
}

impl Resolver<'_> {
    /// Declares what the type parameters of the function stand for, and the traits before them.
    pub(in super::super) fn declare_instance(&mut self, instance: &Instance, item: &syn::ItemFn) {
        let traits = self.declared_traits(instances::all_bounds(&item.sig.generics));
        if let Some(scope) = self.scopes.last_mut() {
            let types = instance.0.iter().map(|(name, ty)| (name.to_string(), Type::Scalar(*ty)));
            scope.types.extend(types);
            scope.traits = traits;
            scope.has_floats = names_floats(item);
        }
        self.declare_bounds(&item.sig.generics);
    }

    /// The names of traits before type parameters, and of those above them in the module. Those that are taken for
    /// traits of `num-traits` are noted, each once.
    pub(super) fn declared_traits(&mut self, bounds: Vec<syn::TypeParamBound>) -> Vec<String> {
        let bounds = instances::with_those_above(self.module, bounds);
        let names = bounds.iter().filter_map(num_traits::name_of).collect();
        for bound in bounds {
            let syn::TypeParamBound::Trait(bound) = bound else { continue };
            let path = self.expand(&bound.path);
            let is_of_module = bound
                .path
                .get_ident()
                .is_some_and(|name| self.module.records().trait_(&name.to_string()).is_some());
            let is_known =
                path.segments.last().is_some_and(|last| num_traits::is_known(&last.ident.to_string()));
            if is_known && !is_of_module && !linked::is_proved_elsewhere(&path) {
                self.trust(path, bound.span());
            }
        }
        names
    }

    /// The traits before the type parameters of the function whose body this is.
    pub(super) fn traits(&self) -> &[String] {
        for scope in self.scopes.iter().rev() {
            if !scope.traits.is_empty() || scope.function {
                return &scope.traits;
            }
        }
        &[]
    }

    pub(super) fn is_given(&self, name: &str) -> bool {
        num_traits::give(self.traits().iter().map(String::as_str), name)
    }

    /// Refuses a method of floats that no trait before the type parameters gives.
    pub(super) fn refuse_hidden(&mut self, receiver: &Type, name: &str, span: Span) -> Option<Expr> {
        let is_float = self.infer.class(receiver) == Class::Float;
        let (float, _) = super::functions(name);
        if !is_float || float.is_none() || self.traits().is_empty() || self.is_given(name) {
            return None;
        }
        Some(self.refuse(
            span,
            format!("the method `{name}` in a function with type parameters"),
            "no trait before these has it, so that it may be one of a trait which is not seen",
            format!(
                "write `f64::{name}(…)` if the value is an `f64`, or add the bound `Float` of `num_traits`"
            ),
        ))
    }

    /// `T::name(…)`, `<T as Float>::name(…)` and `Float::name(x, …)`, which traits of `num-traits` give.
    pub(super) fn of_num_traits(&mut self, func: &syn::ExprPath, e: &syn::ExprCall) -> Option<Expr> {
        if let Some(made) = self.made_by_num_traits(func, e) {
            return Some(self.paired(made, e.span()));
        }
        let last = func.path.segments.last()?;
        let (name, span) = (last.ident.to_string(), e.span());
        let access = || Access { array: String::new(), text: tidy(e) };
        if self.is_of_named_trait(func, &name) || self.is_of_nalgebra(func) {
            match name.as_str() {
                _ if !e.args.is_empty() => {
                    let args: Vec<Expr> = e.args.iter().map(|arg| self.expr(arg)).collect();
                    return Some(self.number_method(&name, args, access(), span, last.ident.span()));
                }
                "zero" => return Some(Expr::new(Kind::Zeros, self.fresh(), span)),
                "one" => return Some(Expr { span, ..self.expr(&syn::parse_quote!(1.0)) }),
                _ => {}
            }
        }
        if matches!(&*name, "zero" | "one")
            && self.is_given(&name)
            && let Some(number) = self.zero_or_one(func, name == "one", span)
        {
            return Some(number);
        }
        let is_default = name == "default" && self.traits().iter().any(|it| it == "Default");
        let of = self.number_of_path(func).filter(|_| is_default || self.is_given(&name))?;
        let ty = format_ident!("{}", of.to_string());
        if !e.args.is_empty() {
            let args: Vec<Expr> = e.args.iter().map(|arg| self.expr(arg)).collect();
            let have = self.infer.peel(&args[0].ty);
            self.unify(&Type::Scalar(of), &have, args[0].span);
            return Some(self.number_method(&name, args, access(), span, last.ident.span()));
        }
        let whole = |value: i128| match of {
            Ty::Float(_) => Kind::Float(format!("{value}.0")),
            _ => Kind::Int(value),
        };
        let kind = match name.as_str() {
            "default" => whole(0),
            "neg_zero" => {
                Kind::Unary(crate::ir::UnOp::Neg, Expr::new(whole(0), Type::Scalar(of), span).boxed())
            }
            "two_pi" => return Some(Expr { span, ..self.path(&syn::parse_quote!(core::#ty::consts::TAU)) }),
            _ => {
                let path: syn::ExprPath = match num_traits::constant(&name) {
                    Some(constant) => {
                        let constant = format_ident!("{constant}");
                        syn::parse_quote!(#ty::#constant)
                    }
                    None => {
                        // `T::pi()` of nalgebra
                        let constant = format_ident!("{}", name.to_uppercase());
                        syn::parse_quote!(core::#ty::consts::#constant)
                    }
                };
                return Some(Expr { span, ..self.path(&path) });
            }
        };
        Some(Expr::new(kind, Type::Scalar(of), span))
    }

    /// `T::zero()`, `T::ONE`
    fn zero_or_one(&mut self, of: &syn::ExprPath, is_one: bool, span: Span) -> Option<Expr> {
        let ty = self.type_of_path(of)?;
        let kind = match ty {
            Type::Scalar(Ty::Int(_)) => Kind::Int(is_one.into()),
            Type::Scalar(Ty::Float(_)) => Kind::Float(format!("{}.0", u8::from(is_one))),
            Type::Var(_) => {
                // of a float whose type follows from where it goes
                self.restrict(&ty, Class::Float, span);
                Kind::Float(format!("{}.0", u8::from(is_one)))
            }
            _ => return None,
        };
        Some(Expr::new(kind, ty, span))
    }

    /// `T::ONE` and `T::ZERO`, which traits of `num-traits` give.
    pub(super) fn constant_of_number(&mut self, e: &syn::ExprPath, span: Span) -> Option<Expr> {
        let name = e.path.segments.last()?.ident.to_string();
        if !matches!(&*name, "ZERO" | "ONE") || !self.is_given(&name) {
            return None;
        }
        self.zero_or_one(e, name == "ONE", span)
    }

    /// Refuses a call of something else that traits of numbers give, or that `num-traits` has beside them.
    pub(super) fn refuse_of_number(&mut self, func: &syn::ExprPath, span: Span) -> Option<Expr> {
        let names = super::super::names(&func.path);
        let (first, name) = (names.first()?, tidy(func));
        if let Some(refused) = self.refuse_open_parameter(first, &name, span) {
            return Some(refused);
        }
        if self.type_parameter(first).is_some() {
            return Some(self.refuse(
                span,
                format!("a call of `{name}`"),
                "of what traits give a number, the functions of `num_traits` that have a derivative or a constant value are known, \
                 and those of traits of the module",
                "pass its value as an argument",
            ));
        }
        let is_trait = names.len() == 2 && self.traits().iter().any(|it| it == first || first == "NumCast");
        if !is_trait && !["num_traits", "num"].contains(&first.as_str()) {
            return None;
        }
        let help = match names.last()?.as_str() {
            "cast" | "from" => "write `T::from(x).unwrap()`, which says what it becomes",
            "zero" | "one" => "write `T::zero()` or `T::one()`",
            "clamp" => "write `x.max(least).min(most)`",
            "pow" => "write `x.powi(n)`",
            _ => "call the function of the type, `T::sqrt(x)`, or the method, `x.sqrt()`",
        };
        let why = "of `num_traits`, what its traits give the type parameters is known";
        Some(self.refuse(span, format!("a call of `{name}`"), why, help))
    }

    /// `T::from(x)`, `T::from_f64(x)`, `num_traits::cast::<f64, T>(x)`
    pub(super) fn made_by_num_traits(&mut self, func: &syn::ExprPath, e: &syn::ExprCall) -> Option<Made> {
        let name = func.path.segments.last()?.ident.to_string();
        let (from, to) = match name.strip_prefix("from") {
            Some(of) if e.args.len() == 1 && name != "from_real" && self.is_given(&name) => {
                let from = of.strip_prefix('_').and_then(Ty::from_name).map(Type::Scalar);
                let to = self.type_of_path(func)?;
                (from, Some(to).filter(|to| matches!(to, Type::Scalar(_) | Type::Var(_)))?)
            }
            None if name == "cast" && e.args.len() == 1 => self.types_of_cast(func)?,
            _ => return None,
        };
        let number = self.expr(&e.args[0]);
        if let Some(from) = from {
            self.unify(&from, &number.ty, number.span);
        }
        Some(self.cast_if_in_range(number, &to, e.span()))
    }

    /// The types of `num_traits::cast::<f64, T>`, also imported.
    fn types_of_cast(&mut self, func: &syn::ExprPath) -> Option<(Option<Type>, Type)> {
        let path = self.expand(&func.path);
        if !self.options.features.num_traits || path.segments.len() == 1 || !is_num_traits(&path) {
            return None;
        }
        let syn::PathArguments::AngleBracketed(args) = &func.path.segments.last()?.arguments else {
            return Some((None, self.fresh()));
        };
        let mut types = args.args.iter().map(|arg| match arg {
            syn::GenericArgument::Type(syn::Type::Infer(_)) => None,
            syn::GenericArgument::Type(ty) => self.type_of(ty),
            _ => None,
        });
        let (from, to) = (types.next()?, types.next()?);
        Some((from, to.unwrap_or_else(|| self.fresh())))
    }

    /// `x.to_f64()`
    pub(super) fn made_by_cast(&mut self, call: &syn::ExprMethodCall, name: &str) -> Option<Made> {
        let to = name.strip_prefix("to_").and_then(Ty::from_name)?;
        if !self.is_given(name) && !self.is_imported_cast(name, call.method.span()) {
            return None;
        }
        let number = self.expr(&call.receiver);
        if let Type::Record(record) = self.infer.peel(&number.ty) {
            self.no_function(&record.name.to_string(), name, call.span());
        }
        Some(self.cast_if_in_range(number, &Type::Scalar(to), call.span()))
    }

    /// Methods whose names floats do not have.
    pub(super) fn of_traits_of_numbers(&mut self, e: &syn::ExprMethodCall, name: &str) -> Option<Expr> {
        if let Some(made) = self.made_by_cast(e, name) {
            return Some(self.paired(made, e.span()));
        }
        if name == "as_" && self.is_given(name) {
            let number = self.expr(&e.receiver);
            let to = self.target_of_as(&number.ty);
            return Some(self.converted(number, to, e.span()));
        }
        let own = super::super::is_word(
            "is_zero is_one inv is_positive is_negative real conjugate modulus norm1 modulus_squared from_real",
            name,
        );
        if !own || !self.is_given(name) {
            return None;
        }
        let receiver = self.receiver(e);
        Some(self.number_method(name, vec![receiver], Access::of(&e.receiver, e), e.span(), e.method.span()))
    }

    /// What `x.as_()` becomes, where the bounds of parameters of its type, `AsPrimitive<f64>`, agree on that.
    fn target_of_as(&mut self, of: &Type) -> Option<Type> {
        let of = self.infer.peel(of);
        let types = self.bounds_of_type(&of).into_iter().filter(|bound| bound.ident == "AsPrimitive");
        let arguments = types.filter_map(|bound| match bound.arguments {
            syn::PathArguments::AngleBracketed(arguments) => arguments.args.into_iter().next(),
            _ => None,
        });
        let arguments: Vec<syn::GenericArgument> = arguments.collect();
        let mut types = arguments.iter().filter_map(|argument| match argument {
            syn::GenericArgument::Type(ty) => self.type_of(ty).map(|ty| self.infer.peel(&ty)),
            _ => None,
        });
        let first = types.next()?;
        types.all(|ty| matches!((&first, &ty), (Type::Scalar(a), Type::Scalar(b)) if a == b)).then_some(first)
    }

    /// A method that traits of numbers give; the receiver is the first argument.
    fn number_method(&mut self, name: &str, args: Vec<Expr>, access: Access, span: Span, at: Span) -> Expr {
        let is_float = self.infer.class(&self.infer.peel(&args[0].ty)) == Class::Float;
        let name = match name {
            "is_zero" | "is_one" => {
                let (value, one) = (self.dereferenced(args[0].clone()), name == "is_one");
                let number = if is_float {
                    Kind::Float(format!("{}.0", u8::from(one)))
                } else {
                    Kind::Int(one.into())
                };
                let number = Expr::new(number, value.ty.clone(), span);
                return Expr::binary(BinOp::Eq, value, number, span);
            }
            // a number is the real part of itself
            "real" | "conjugate" | "from_real" => return self.dereferenced(args[0].clone()),
            "modulus_squared" => {
                let mut stmts = Vec::new();
                let number = self.dereferenced(args[0].clone());
                let number = self.under_name("number", number, &mut stmts);
                let squared = Expr::binary(BinOp::Mul, number.clone(), number, span);
                return squared.behind(stmts, span);
            }
            "modulus" | "norm1" => "abs",
            "inv" => "recip",
            "is_positive" if is_float => "is_sign_positive",
            "is_negative" if is_float => "is_sign_negative",
            name => name,
        };
        self.method(name, args, access, span, at)
    }

    /// The number that the type before `::name` is: `T`, `<T>`, `<T as Float>`.
    fn number_of_path(&mut self, func: &syn::ExprPath) -> Option<Ty> {
        match self.type_of_path(func)? {
            Type::Scalar(ty) => Some(ty),
            _ => None,
        }
    }

    /// The type before `::name`, `T`, `<T>` or `<T as Float>`, as far as it is known.
    fn type_of_path(&mut self, func: &syn::ExprPath) -> Option<Type> {
        let ty = match &func.qself {
            Some(own) => match &own.ty.as_ref() {
                // written out where the function is an instance
                syn::Type::Path(path) => match path.path.get_ident().map(ToString::to_string) {
                    Some(name) => {
                        self.type_parameter(&name).cloned().or(Ty::from_name(&name).map(Type::Scalar))?
                    }
                    None => return None,
                },
                _ => return None,
            },
            None if func.path.segments.len() == 3 => self.of_associated_type(&func.path)?.0,
            None => {
                let first = func.path.segments.first().filter(|_| func.path.segments.len() == 2)?;
                self.type_parameter(&first.ident.to_string())?.clone()
            }
        };
        Some(self.infer.peel(&ty))
    }

    /// `Float::name`, where `Float` stands before a type parameter, and `num_traits::Float::name`, also imported.
    fn is_of_named_trait(&mut self, func: &syn::ExprPath, name: &str) -> bool {
        let path = self.expand(&func.path);
        let names = super::super::names(&path);
        let [.., of, _] = &names[..] else { return false };
        if func.qself.is_some() || !num_traits::give([of.as_str()], name) {
            return false;
        }
        if names.len() == 2 && self.traits().contains(of) {
            return true;
        }
        let is_seen = self.options.features.num_traits && is_num_traits(&path);
        if is_seen {
            let mut of = path;
            of.segments.pop();
            of.segments.pop_punct();
            self.trust(of, func.span());
        }
        is_seen
    }

    /// `nalgebra::zero()`, `na::one()`
    fn is_of_nalgebra(&self, func: &syn::ExprPath) -> bool {
        let names = super::super::names(&self.expand(&func.path));
        let is_it = matches!(&names[..], [of, name]
            if matches!(of.as_str(), "nalgebra" | "na") && matches!(name.as_str(), "zero" | "one"));
        is_it && func.qself.is_none() && self.options.features.nalgebra
    }

    /// Whether a trait that is imported from `num_traits` gives numbers a cast of this name.
    fn is_imported_cast(&mut self, name: &str, span: Span) -> bool {
        let Some(Name::Import(path)) = self.lookup("ToPrimitive") else { return false };
        let path = path.clone();
        let is_seen = self.options.features.num_traits
            && is_num_traits(&path)
            && num_traits::give(["ToPrimitive"], name);
        if is_seen {
            self.trust(path, span);
        }
        is_seen
    }

    /// Notes what is taken for a trait of `num-traits`.
    fn trust(&mut self, path: syn::Path, span: Span) {
        if !self.trusted.iter().any(|(it, _)| same_text(it, &path)) {
            self.trusted.push((path, span));
        }
    }

    /// A number of another type, if it has a value there. A type that is not known yet is one of floats.
    fn cast_if_in_range(&mut self, number: Expr, to: &Type, span: Span) -> Made {
        let number = self.dereferenced(number);
        let Type::Scalar(Ty::Int(int)) = self.infer.peel(to) else {
            self.restrict(to, Class::Float, span);
            self.conversions.push((to.clone(), span));
            let value = Expr::new(Kind::Cast(number.boxed()), to.clone(), span);
            return Made { stmts: Vec::new(), cond: Expr::bool(true, span), value };
        };
        let mut stmts = Vec::new();
        let number = self.under_name("number", number, &mut stmts);
        let value = Expr::new(Kind::Cast(number.clone().boxed()), to.clone(), span);
        let cond = match self.infer.peel(&number.ty) {
            Type::Scalar(Ty::Float(from)) => self.is_in_range(&number, from, int, span),
            _ if self.infer.class(&number.ty) == Class::Float => {
                self.unify(&number.ty, &Type::Scalar(Ty::F64), span);
                self.is_in_range(&number, Float::F64, int, span)
            }
            _ => {
                let args = vec![number, value.clone()];
                Expr::method(Method::Fits, args, &Access::default(), Type::BOOL, span)
            }
        };
        Made { stmts, cond, value }
    }

    /// Whether a float without its fraction is an integer of this type. The bounds are exact: where `MAX` is no
    /// float, the cast rounds it to the power of two above.
    fn is_in_range(&mut self, number: &Expr, from: Float, to: Int, span: Span) -> Expr {
        let (float, int) = (format_ident!("{}", Ty::Float(from).to_string()), format_ident!("{}", to.name()));
        let is_wider = to.bits() < if from == Float::F64 { 64 } else { 32 };
        let (op, least): (BinOp, syn::Expr) = match (to.is_signed(), is_wider) {
            (true, true) => (BinOp::Gt, syn::parse_quote!(#int::MIN as #float - 1.0)),
            (true, false) => (BinOp::Ge, syn::parse_quote!(#int::MIN as #float)),
            (false, _) => (BinOp::Gt, syn::parse_quote!(-1.0)),
        };
        let mut compared = |op, bound: &syn::Expr| {
            let bound = self.expr(bare(bound));
            self.unify(&number.ty, &bound.ty, span);
            Expr::binary(op, number.clone(), Expr { span, ..bound }, span)
        };
        let above = compared(op, &least);
        above.and(compared(BinOp::Lt, &syn::parse_quote!(#int::MAX as #float + 1.0)), span)
    }
}
