//! What `impl`s of the module hold: functions and methods of structs, and the structs' own constructors.

use super::super::infer::{RecordType, Type};
use super::super::records::{Function, SELF, name_of, name_of_path};
use super::super::tree::{Access, Expr, Kind, Len, Method};
use super::implementations::Called;
use super::{Resolver, bare};
use proc_macro2::Span;
use std::rc::Rc;
use syn::spanned::Spanned;
use syn::{Ident, Member, PathArguments, PathSegment};

impl Resolver<'_> {
    /// `S(a, b)` and `S::new(a)`.
    pub(super) fn record_call(&mut self, func: &syn::ExprPath, e: &syn::ExprCall) -> Option<Expr> {
        let span = e.span();
        if let Some(variant) = self.variant_call(&func.path, e) {
            return Some(variant);
        }
        if let Some(found) = self.record_of_path(&func.path) {
            let Ok(record) = found else { return Some(self.error(span)) };
            let fields = record.record.fields.iter().map(|field| Some(&field.ty));
            let args = e.args.iter().zip(fields.chain(std::iter::repeat(None)));
            let args = args.map(|(arg, ty)| match ty {
                Some(ty) => self.expr_as(arg, ty),
                None => self.expr(arg),
            });
            let args: Vec<Expr> = args.collect();
            let tuple = record.record.fields.iter().all(|field| matches!(field.member, Member::Unnamed(_)));
            if !tuple || args.len() != record.parts.len() {
                return Some(self.refuse(
                    span,
                    format!("a call of `{}` with {} arguments", record.name, args.len()),
                    format!("the struct has {} fields", record.parts.len()),
                    "give each field its value",
                ));
            }
            for (part, arg) in record.parts.iter().zip(&args) {
                self.unify(part, &arg.ty, arg.span);
            }
            return Some(Expr::new(Kind::Tuple(args), Type::Record(record.clone()), span));
        }
        let (of, last, own) = match self.of_associated_type(&func.path) {
            Some((own, last)) => (self.infer.named(&own), last, Some(own)),
            None => {
                let (of, last) = self.member_path(&func.path)?;
                (of, last, self.own_type(&func.path))
            }
        };
        let name = last.ident.to_string();
        if name == "from"
            && let [arg] = &e.args.iter().collect::<Vec<_>>()[..]
            && let Some(own) = own.as_ref().filter(|_| self.is_of_crate(&of) || self.has_conversions(&of))
        {
            return Some(self.conversion_to(&of, own, arg, span));
        }
        let all = self.module.records().functions(&of, &name).to_vec();
        if let ([function], Some(own), [arg]) = (&all[..], &own, &e.args.iter().collect::<Vec<_>>()[..])
            && name == "from"
            && function.is_of_trait("From")
        {
            let value = self.expr(arg);
            if self.is_reflexive(own, &value.ty) {
                return Some(value);
            }
            let (args, receiver, own) = (Vec::new(), Some(value), Some(own.clone()));
            return Some(self.call_one_of(all, Called { of: &of, segment: last, own, receiver, args, span }));
        }
        if all.is_empty() {
            if let Some(own) = own.as_ref().filter(|_| name == "default" && e.args.is_empty())
                && let Some(value) = self.default_of(own, span)
            {
                return Some(value);
            }
            let known = matches!(self.module.records().get(&of), Some(Ok(_)));
            return known.then(|| self.no_function(&of, &name, last.ident.span()));
        }
        let parameter = first_of(&func.path);
        let all = self.of_parameter(&parameter, all);
        if all.is_empty() {
            return Some(self.not_of_traits(&parameter, last));
        }
        let (args, receiver) = (e.args.iter().collect(), None);
        Some(self.call_one_of(all, Called { of: &of, segment: last, own, receiver, args, span }))
    }

    /// Refuses what no trait that is seen gives a type parameter.
    pub(super) fn not_of_traits(&mut self, parameter: &str, last: &PathSegment) -> Expr {
        let parameter = if parameter == SELF { "Self" } else { parameter };
        self.refuse(
            last.ident.span(),
            format!("`{}` of the type parameter `{parameter}`", last.ident),
            "no trait before it that the attribute sees has it",
            "write the trait and its `impl`s into this module, or name them in `uses(…)`",
        )
    }

    /// The type whose function or constant a path names, with the arguments that are written.
    pub(super) fn own_type(&mut self, path: &syn::Path) -> Option<Type> {
        let mut of = path.clone();
        of.segments.pop();
        of.segments.pop_punct();
        let parameter = name_of_path(&of).and_then(|name| self.type_parameter(&name.to_string()));
        if let Some(ty) = parameter {
            return Some(self.infer.peel(ty));
        }
        let record = self.module.record(&of)?.ok()?;
        Some(self.record_type(&record))
    }

    /// `<S as Trait>::name(a)`, where the module has the `impl`.
    pub(super) fn of_trait(
        &mut self,
        of: &syn::QSelf,
        func: &syn::ExprPath,
        e: &syn::ExprCall,
    ) -> Option<Expr> {
        let last = func.path.segments.last()?;
        let trait_ = func.path.segments.get(of.position.checked_sub(1)?)?;
        let (named, own) = self.of_qualified(&of.ty)?;
        let all = self.of_written_trait(&named, trait_, last);
        if all.is_empty() {
            return None;
        }
        let (args, receiver, span) = (e.args.iter().collect(), None, e.span());
        Some(self.call_one_of(all, Called { of: &named, segment: last, own, receiver, args, span }))
    }

    /// The type between the brackets of `<S as Trait>`, and its name.
    pub(super) fn of_qualified(&mut self, of: &syn::Type) -> Option<(String, Option<Type>)> {
        let written = name_of(of)?;
        Some(match self.type_parameter(&written).map(|ty| self.infer.peel(ty)) {
            Some(ty) => (self.infer.named(&ty), Some(ty)),
            None => (written, self.type_of(of)),
        })
    }

    /// The functions that a trait gives a type, where that trait is written.
    fn of_written_trait(&mut self, of: &str, trait_: &PathSegment, function: &PathSegment) -> Vec<Function> {
        let all = self.module.records().functions(of, &function.ident.to_string()).to_vec();
        all.into_iter()
            .filter(|function| {
                self.is_of_written_trait(function.trait_.as_ref(), &function.item.sig.generics, trait_)
            })
            .collect()
    }

    /// `Trait::name(a)` with a trait of the module: what it gives the type of `a`.
    pub(super) fn by_name_of_trait(&mut self, func: &syn::ExprPath, e: &syn::ExprCall) -> Option<Expr> {
        let (written, last) = (func.path.segments.first()?, func.path.segments.last()?);
        if func.path.segments.len() != 2 || self.module.records().trait_(&written.ident.to_string()).is_none()
        {
            return None;
        }
        let receiver = self.expr(e.args.first()?);
        let of = self.infer.named(&receiver.ty);
        let all = self.of_written_trait(&of, written, last);
        if all.is_empty() {
            return None;
        }
        let (args, receiver) = (e.args.iter().skip(1).collect(), Some(receiver));
        Some(
            self.call_one_of(
                all,
                Called { of: &of, segment: last, own: None, receiver, args, span: e.span() },
            ),
        )
    }

    /// Whether a struct is a type of a known crate.
    fn is_of_crate(&self, of: &str) -> bool {
        matches!(self.module.records().get(of), Some(Ok(record)) if record.of_crate.is_some())
    }

    /// Whether `S::from` is that of `impl From<…> for S` of the module, and not a function of its own.
    fn has_conversions(&self, of: &str) -> bool {
        let from = self.module.records().functions(of, "from");
        from.len() > 1 && from.iter().all(|function| function.is_of_trait("From"))
    }

    /// `S::from(a)`, by the type of `a`.
    fn conversion_to(&mut self, of: &str, own: &Type, arg: &syn::Expr, span: Span) -> Expr {
        let arg = self.expr(arg);
        let Some(operator) = self.operator_for("From", own, Some(&arg.ty)) else {
            if self.is_reflexive(own, &arg.ty) {
                return arg;
            }
            if matches!(self.infer.peel(&arg.ty), Type::Never) {
                return self.error(span);
            }
            let from = self.infer.show(&arg.ty);
            return self.refuse(
                span,
                format!("a conversion of `{from}` to `{of}`"),
                match self.is_of_crate(of) {
                    true => "it is not among what is known of the crate",
                    false => "no `impl` of this module has it",
                },
                format!("write the elements: `{of}::new(…)`"),
            );
        };
        let arg = if operator.takes_reference() { arg } else { self.dereferenced(arg) };
        let given = operator.of(own);
        self.inline_with(&operator.function, 1, given, vec![arg], std::iter::empty(), span)
    }

    /// Whether `S::from` of a value of a type is that of the standard library, which every type has of itself.
    fn is_reflexive(&mut self, own: &Type, of: &Type) -> bool {
        let (Type::Record(own), Type::Record(of)) = (self.infer.peel(own), self.infer.shallow(of)) else {
            return false;
        };
        let has_own = self.operator_for("From", &Type::Record(own.clone()), Some(&Type::Record(of.clone())));
        let is_one = own.name == of.name && has_own.is_none();
        is_one && own.parts.iter().zip(&of.parts).all(|(own, of)| self.infer.unify(own, of).is_ok())
    }

    /// Whether `S::default()` is derived, for all that is in it as well, so that it is zeros.
    fn derives_default(&self, of: &Rc<RecordType>) -> bool {
        self.is_element(&Type::Record(of.clone()))
            && !of.record.has_enums()
            && of.record.derives("Default")
            && of.parts.iter().all(|part| self.has_derived_defaults(part))
    }

    fn has_derived_defaults(&self, ty: &Type) -> bool {
        match self.infer.shallow(ty) {
            Type::Array(elem, _) => self.has_derived_defaults(&elem),
            Type::Tuple(parts) => parts.iter().all(|part| self.has_derived_defaults(part)),
            Type::Record(of) => self.derives_default(&of),
            _ => true,
        }
    }

    /// What a derived `Default` gives: zeros, or the default of each field.
    fn derived_default(&mut self, of: &Rc<RecordType>, span: Span) -> Option<Expr> {
        let ty = Type::Record(of.clone());
        if self.derives_default(of) {
            return Some(Expr::new(Kind::Zeros, ty, span));
        }
        if of.record.is_enum() || !of.record.derives("Default") {
            return None;
        }
        let parts = of.parts.iter().map(|part| self.default_of(part, span)).collect::<Option<Vec<_>>>()?;
        Some(Expr::new(Kind::Tuple(parts), ty, span))
    }

    /// What `Default` gives a type that is known.
    pub(super) fn default_of(&mut self, ty: &Type, span: Span) -> Option<Expr> {
        if let Some(of) = self.option_type(ty) {
            return Some(self.none(of, span));
        }
        match self.infer.shallow(ty) {
            Type::Array(elem, Len::Dynamic) => Some(Expr::new(Kind::EmptyVec, Type::slice(*elem), span)),
            Type::Array(elem, _) => matches!(self.infer.shallow(&elem), Type::Scalar(_))
                .then(|| Expr::new(Kind::Zeros, ty.clone(), span)),
            Type::Tuple(parts) => {
                let parts =
                    parts.iter().map(|part| self.default_of(part, span)).collect::<Option<Vec<_>>>()?;
                Some(Expr::tuple(parts, span))
            }
            Type::Record(record) => {
                let of = record.name.to_string();
                let all = self.module.records().functions(&of, "default").to_vec();
                if all.is_empty() {
                    return self.derived_default(&record, span);
                }
                let (segment, own) = (Ident::new("default", span).into(), Some(Type::Record(record)));
                let (args, receiver) = (Vec::new(), None);
                Some(self.call_one_of(all, Called { of: &of, segment: &segment, own, receiver, args, span }))
            }
            Type::Scalar(_) | Type::Var(_) => Some(Expr::new(Kind::Zeros, ty.clone(), span)),
            Type::Ref(..) | Type::Never => None,
        }
    }

    /// Whether what `Default` gives a type is zeros.
    fn is_zeros(&mut self, ty: &Type) -> bool {
        match self.infer.shallow(ty) {
            Type::Array(elem, _) => self.is_zeros(&elem),
            Type::Tuple(parts) => parts.iter().all(|part| self.is_zeros(part)),
            Type::Record(record) => {
                let of = record.name.to_string();
                self.module.records().function(&of, "default").is_none() && self.derives_default(&record)
            }
            _ => true,
        }
    }

    /// Refuses `Default::default()` where it calls a function of the module: which one is known too late.
    pub(super) fn finish_defaults(&mut self) {
        for (ty, span) in std::mem::take(&mut self.defaults) {
            if !self.is_zeros(&ty) {
                let ty = self.infer.show(&ty);
                self.refusals.push(
                    span,
                    format!("`Default::default()` of `{ty}`"),
                    "its type follows from what is done with the value, and the `impl` that it calls with it",
                    format!("name the type: `{ty}::default()`"),
                );
            }
        }
    }

    pub(super) fn no_function(&mut self, of: &str, name: &str, span: Span) -> Expr {
        if let Some(Ok(record)) = self.module.records().get(of)
            && let Some(of_crate) = record.of_crate.as_ref().map(|it| it.name.clone())
        {
            return self.refuse(
                span,
                format!("`{of}::{name}`, which is not known of the crate `{of_crate}`"),
                "the derivatives of its functions follow from a text of them, which this one is not in",
                format!("write it by operators and functions that are known, as a helper: `fn {name}(v: {of}, …) …`"),
            );
        }
        if name == "into"
            && let all = self.module.records().converted()
            && let Some((first, others)) = all.split_first()
        {
            let others: String = others.iter().map(|to| format!(" or `{to}::from(…)`")).collect();
            let help = format!("name the type whose function it is: `{first}::from(…)`{others}");
            return self.refuse(
                span,
                format!("`{of}::into`, whose type follows from where the value goes"),
                "that is looked for in the type of a `let` alone",
                help,
            );
        }
        self.refuse(
            span,
            format!("the function `{of}::{name}`"),
            "the attribute sees only what an `impl` holds that stands in this module or that it uses",
            format!("write `#[differentiate(export, uses({of}))]` before the `impl` with `fn {name}`, and `uses({})` here", of.to_lowercase()),
        )
    }

    /// The struct and the last segment of `S::name`.
    pub(super) fn member_path<'p>(&self, path: &'p syn::Path) -> Option<(String, &'p syn::PathSegment)> {
        let last = path.segments.last()?;
        let mut of = path.clone();
        of.segments.pop();
        of.segments.pop_punct();
        let name = name_of_path(&of)?.to_string();
        let name = match self.type_parameter(&name).map(|ty| self.infer.peel(ty)) {
            Some(Type::Record(record)) => record.name.to_string(),
            // what a trait of the module gives a number
            Some(Type::Scalar(ty)) => return Some((ty.to_string(), last)),
            // `f64::zero()`, and what the standard library gives a number by the same name comes first
            None if self.is_given_by_trait(&name, &last.ident.to_string()) => return Some((name, last)),
            _ => name,
        };
        self.module.records().get(&name)?;
        Some((name, last))
    }

    /// `a.norm()`, where `a` is a struct with such a function; anything else is left to the others.
    pub(super) fn record_method(&mut self, e: &syn::ExprMethodCall, name: &str) -> Option<Expr> {
        let module = self.module;
        let is_copy = matches!(name, "clone" | "to_owned");
        if !module.is_some || (!module.records().has_function(name) && !is_copy) {
            return None;
        }
        // what is no variable or field may be an iterator, which is resolved as a whole
        let receiver = bare(&e.receiver);
        if matches!(receiver, syn::Expr::Range(_)) || super::iterator::is_chain(receiver) {
            return None;
        }
        let refusals = self.refusals.0.len();
        let mut receiver = self.receiver(e);
        let Type::Record(mut record) = self.infer.peel(&receiver.ty) else {
            self.not_the_receiver(e, receiver, refusals);
            return None;
        };
        while !is_copy && module.records().function(&record.name.to_string(), name).is_none() {
            let Some((target, of)) = self.behind_deref(&receiver, e.span()) else { break };
            (receiver, record) = (target, of);
        }
        let of = record.name.to_string();
        let all = module.records().functions(&of, name).to_vec();
        if let Some(refused) = self.refuse_unseen(&receiver.ty, name, &all, e.method.span()) {
            return Some(refused);
        }
        if all.is_empty() {
            if !is_copy || !e.args.is_empty() {
                return Some(self.no_function(&of, name, e.method.span()));
            }
            let kind = Kind::Method(Method::ToOwned, vec![receiver], Access::default());
            return Some(Expr::new(kind, Type::Record(record), e.span()));
        }
        let segment = method_segment(e);
        let all = match self.parameter_of(&e.receiver) {
            Some(parameter) => match self.of_parameter(&parameter, all) {
                none if none.is_empty() => return Some(self.not_of_traits(&parameter, &segment)),
                all => all,
            },
            None => all,
        };
        let (args, receiver, span) = (e.args.iter().collect(), Some(receiver), e.span());
        Some(self.call_one_of(all, Called { of: &of, segment: &segment, own: None, receiver, args, span }))
    }
}

/// A method as a part of a path: `norm::<3>`.
pub(super) fn method_segment(e: &syn::ExprMethodCall) -> PathSegment {
    let arguments = match &e.turbofish {
        Some(args) => PathArguments::AngleBracketed(args.clone()),
        None => PathArguments::None,
    };
    PathSegment { ident: e.method.clone(), arguments }
}

/// The name that a path begins with, if more follows.
pub(super) fn first_of(path: &syn::Path) -> String {
    let first = path.segments.first().filter(|_| path.segments.len() > 1);
    first.map(|first| first.ident.to_string()).unwrap_or_default()
}
