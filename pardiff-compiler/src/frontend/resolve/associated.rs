//! What `impl`s of the module hold: functions, methods and constants of structs, and the structs' own constructors.

use super::super::infer::Type;
use super::super::records::{Operator, name_of, name_of_path};
use super::super::tree::{Expr, Kind, Len};
use super::helper::Given;
use super::item::literal;
use super::{Resolver, bare};
use crate::ir::Ty;
use proc_macro2::Span;
use quote::quote;
use syn::spanned::Spanned;
use syn::{Member, PathArguments};

impl Resolver<'_> {
    /// `S(a, b)` and `S::new(a)`.
    pub(super) fn record_call(&mut self, func: &syn::ExprPath, e: &syn::ExprCall) -> Option<Expr> {
        let span = e.span();
        self.same_arguments(&func.path);
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
        let (of, last) = self.member_path(&func.path)?;
        let name = last.ident.to_string();
        if name == "from" && e.args.len() == 1 && (self.is_of_crate(&of) || self.has_conversions(&of)) {
            return Some(self.conversion_to(&of, &e.args[0], span));
        }
        let Some(item) = self.module.records().function(&of, &name) else {
            if name == "default" && e.args.is_empty() && self.derives_default(&of) {
                let record = self.module.records().get(&of).and_then(|record| record.clone().ok())?;
                return Some(Expr::new(Kind::Zeros, self.record_type(&record), span));
            }
            let known = matches!(self.module.records().get(&of), Some(Ok(_)));
            return known.then(|| self.no_function(&of, &name, last.ident.span()));
        };
        if let Some(refused) = self.refuse_several(&of, &name, last.ident.span()) {
            return Some(refused);
        }
        let given = self.given(&item, last);
        Some(self.inline_with(&item, 1, given, Vec::new(), e.args.iter(), span))
    }

    /// `<S as Trait>::name(a)`, where the module has the `impl`.
    pub(super) fn of_trait(
        &mut self,
        of: &syn::QSelf,
        func: &syn::ExprPath,
        e: &syn::ExprCall,
    ) -> Option<Expr> {
        self.same_arguments_in(&of.ty);
        let (written, last) = (name_of(&of.ty)?, func.path.segments.last()?);
        let trait_ = func.path.segments.get(of.position.checked_sub(1)?)?.ident.to_string();
        let parameter = self.type_parameter(&written).map(|ty| self.infer.show(&self.infer.peel(ty)));
        let of = parameter.unwrap_or(written);
        let item = self.module.records().function_of_trait(&of, &trait_, &last.ident.to_string())?;
        let given = self.given(&item, last);
        Some(self.inline_with(&item, 1, given, Vec::new(), e.args.iter(), e.span()))
    }

    /// `Trait::name(a)` with a trait of the module: what it gives the type of `a`.
    pub(super) fn by_name_of_trait(&mut self, func: &syn::ExprPath, e: &syn::ExprCall) -> Option<Expr> {
        let (written, last) = (func.path.segments.first()?, func.path.segments.last()?);
        let (trait_, name) = (written.ident.to_string(), last.ident.to_string());
        if func.path.segments.len() != 2 || self.module.records().trait_(&trait_).is_none() {
            return None;
        }
        let receiver = self.expr(e.args.first()?);
        let of = self.infer.show(&self.infer.peel(&receiver.ty));
        let item = self.module.records().function_of_trait(&of, &trait_, &name)?;
        let given = self.given(&item, last);
        Some(self.inline_with(&item, 1, given, vec![receiver], e.args.iter().skip(1), e.span()))
    }

    /// Whether a struct is a type of a known crate.
    fn is_of_crate(&self, of: &str) -> bool {
        matches!(self.module.records().get(of), Some(Ok(record)) if record.of_crate.is_some())
    }

    /// Whether `S::from` is that of several `impl From<…> for S` of the module, and not a function of its own.
    fn has_conversions(&self, of: &str) -> bool {
        let is_one = |operator: &&Operator| name_of(&operator.left).is_some_and(|left| left == of);
        let text = |item: &syn::ItemFn| quote!(#item).to_string();
        let from: Vec<String> =
            self.module.operators("From").filter(is_one).map(|operator| text(&operator.function)).collect();
        let named = self.module.records().function(of, "from");
        from.len() > 1 && named.is_some_and(|named| from.contains(&text(&named)))
    }

    /// `S::from(a)`, by the type of `a`.
    fn conversion_to(&mut self, of: &str, arg: &syn::Expr, span: Span) -> Expr {
        let arg = self.expr(arg);
        let Some(Ok(record)) = self.module.records().get(of).cloned() else { return self.error(span) };
        let own = self.record_type(&record);
        let Some(function) = self.operator_for("From", &own, Some(&arg.ty)) else {
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
        let arg = self.dereferenced(arg);
        self.inline_with(&function, 1, Given::default(), vec![arg], std::iter::empty(), span)
    }

    /// Whether `S::default()` is derived, for all that is in it as well, so that it is zeros.
    fn derives_default(&mut self, of: &str) -> bool {
        let Some(Ok(record)) = self.module.records().get(of) else { return false };
        let mut inner =
            record.fields.iter().filter_map(|field| field.content.record()).flat_map(|of| of.names());
        let ty = self.record_type(record);
        self.is_element(&ty)
            && !record.has_enums()
            && record.derives("Default")
            && inner.all(|name| self.derives_default(&name.to_string()))
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
                let function = self.module.records().function(&of, "default");
                match function {
                    Some(item) => Some(self.inline_with(
                        &item,
                        1,
                        Given::default(),
                        Vec::new(),
                        std::iter::empty(),
                        span,
                    )),
                    None => self.derives_default(&of).then(|| Expr::new(Kind::Zeros, ty.clone(), span)),
                }
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
                self.module.records().function(&of, "default").is_none() && self.derives_default(&of)
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
    fn member_path<'p>(&self, path: &'p syn::Path) -> Option<(String, &'p syn::PathSegment)> {
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

    /// `S::CONSTANT`
    pub(super) fn associated_constant(&mut self, path: &syn::Path, span: Span) -> Option<Expr> {
        let (of, last) = self.member_path(path)?;
        let item = self.module.records().constant(&of, &last.ident.to_string())?;
        if let Some(refused) = self.refuse_several(&of, &last.ident.to_string(), span) {
            return Some(refused);
        }
        self.same_arguments(path);
        let ty = self.seen_from(1, |this| this.type_without_arguments(&item.ty));
        let Some(ty) = ty else { return Some(self.error(span)) };
        if let (Type::Scalar(_), Some(kind)) = (&ty, literal(&item.expr)) {
            return Some(Expr::new(kind, ty, span));
        }
        // a number has no path to what traits give it
        if self.has_members(&ty) || Ty::from_name(&of).is_some() {
            return Some(self.written_out(&item.expr, &ty, 1, span));
        }
        let (ident, name) = (syn::Ident::new(&of, span), &last.ident);
        // elsewhere than in its `impl`, rustc does not infer the arguments of a struct that no value has
        let tokens = match self.module.struct_arguments.get(&of) {
            Some(arguments) => quote!(#ident::<#(#arguments),*>::#name),
            None => quote!(#ident::#name),
        };
        let id = self.constant_path(format!("{of}::{name}"), tokens, ty, span);
        Some(self.path_value(id, span))
    }

    /// `a.norm()`, where `a` is a struct with such a function; anything else is left to the others.
    pub(super) fn record_method(&mut self, e: &syn::ExprMethodCall, name: &str) -> Option<Expr> {
        let module = self.module;
        if !module.is_some || (!module.records().has_function(name) && name != "clone") {
            return None;
        }
        // what is no variable or field may be an iterator, which is resolved as a whole
        let receiver = bare(&e.receiver);
        if matches!(receiver, syn::Expr::Range(_)) || super::iterator::is_chain(receiver) {
            return None;
        }
        let refusals = self.refusals.0.len();
        let mut receiver = self.expr(receiver);
        let Type::Record(mut record) = self.infer.peel(&receiver.ty) else {
            self.refusals.0.truncate(refusals);
            return None;
        };
        while name != "clone" && module.records().function(&record.name.to_string(), name).is_none() {
            let Some((target, of)) = self.behind_deref(&receiver, e.span()) else { break };
            (receiver, record) = (target, of);
        }
        let of = record.name.to_string();
        let item = match module.records().function(&of, name) {
            Some(item) => item,
            None if name == "clone" && e.args.is_empty() => {
                let span = e.span();
                let access = super::super::tree::Access::default();
                let kind = Kind::Method(super::super::tree::Method::ToOwned, vec![receiver], access);
                return Some(Expr::new(kind, Type::Record(record), span));
            }
            None => return Some(self.no_function(&of, name, e.method.span())),
        };
        let given = match &e.turbofish {
            Some(args) => {
                let arguments = PathArguments::AngleBracketed(args.clone());
                self.given(&item, &syn::PathSegment { ident: e.method.clone(), arguments })
            }
            None => Given::default(),
        };
        if let Some(refused) = self.refuse_several(&of, name, e.method.span()) {
            return Some(refused);
        }
        let receiver = self.as_receiver(&item, receiver);
        Some(self.inline_with(&item, 1, given, vec![receiver], e.args.iter(), e.span()))
    }
}
