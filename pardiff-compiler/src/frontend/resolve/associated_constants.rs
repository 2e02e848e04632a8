//! Constants of `impl`s of the module.

use super::super::display::{tidy, tidy_type};
use super::super::generic_structs::has_parameters;
use super::super::infer::{Argument, RecordType, Type};
use super::super::linked;
use super::super::records::{Constant, name_of};
use super::super::tree::{Expr, Kind};
use super::Resolver;
use super::associated::first_of;
use super::item::literal;
use crate::ir::Ty;
use proc_macro2::{Literal, Span, TokenStream};
use quote::{ToTokens, quote};
use std::rc::Rc;
use syn::PathSegment;

impl Resolver<'_> {
    /// `S::CONSTANT`
    pub(super) fn associated_constant(&mut self, path: &syn::Path, span: Span) -> Option<Expr> {
        let (of, last) = self.member_path(path)?;
        let all = self.module.records().constants(&of, &last.ident.to_string()).to_vec();
        if all.is_empty() {
            return None;
        }
        // the length of a field may be a constant of the struct itself, whose type is not known before
        let own = self.module.template(&of).and_then(|_| self.own_type(path));
        let all = self.of_parameter(&first_of(path), all);
        if all.is_empty() {
            return Some(self.not_of_traits(&first_of(path), last));
        }
        Some(self.one_of_constants(all, (&of, last), own, span))
    }

    /// `<S as Trait>::CONSTANT`, where the module has the `impl`.
    pub(super) fn constant_of_trait(&mut self, e: &syn::ExprPath, span: Span) -> Option<Expr> {
        let (of, last) = (e.qself.as_ref()?, e.path.segments.last()?);
        let trait_ = e.path.segments.get(of.position.checked_sub(1)?)?;
        let (named, own) = self.of_qualified(&of.ty)?;
        let mut all = self.module.records().constants(&named, &last.ident.to_string()).to_vec();
        all.retain(|one| self.is_of_written_trait(one.trait_.as_ref(), &one.generics, trait_));
        if all.is_empty() {
            let parameter = name_of(&of.ty).filter(|name| self.type_parameter(name).is_some())?;
            return Some(self.not_of_traits(&parameter, last));
        }
        let own = own.filter(|_| self.module.template(&named).is_some());
        Some(self.one_of_constants(all, (&named, last), own, span))
    }

    /// The one of these constants that is meant.
    fn one_of_constants(
        &mut self,
        mut all: Vec<Rc<Constant>>,
        (of, last): (&str, &PathSegment),
        own: Option<Type>,
        span: Span,
    ) -> Expr {
        if let Some(own) = own.as_ref().filter(|_| all.len() > 1) {
            all.retain(|item| self.fit(&item.generics, &[(own, &item.of)]).is_some());
        }
        // what a type has by itself comes first
        if all.iter().any(|item| item.trait_.is_none()) {
            all.retain(|item| item.trait_.is_none());
        }
        let [item] = &all[..] else {
            let name = &last.ident;
            let traits = all.iter().filter_map(|item| item.trait_.as_ref());
            let trait_ = traits.map(tidy_type).next().unwrap_or_else(|| "Trait".to_owned());
            return self.refuse(
                span,
                format!("`{of}::{name}`, which several `impl`s have"),
                "which of them is meant is not known here",
                format!("name the trait, `<{of} as {trait_}>::{name}`, or give them different names"),
            );
        };
        self.value_of_constant(&item.clone(), (of, last), own, span)
    }

    fn value_of_constant(
        &mut self,
        item: &Constant,
        (of, last): (&str, &PathSegment),
        own: Option<Type>,
        span: Span,
    ) -> Expr {
        let is_lone = self.module.records().constants(of, &last.ident.to_string()).len() == 1;
        let of_trait = item.trait_.as_ref().filter(|_| !is_lone);
        // a trait that is elsewhere may have no path here
        let has_path = |trait_: &syn::Path| {
            let names = super::super::hygiene::names(trait_.to_token_stream());
            !has_parameters(&item.generics) && !names.iter().any(|name| linked::is_unique(name))
        };
        let of_many = of_trait.is_some_and(|trait_| !has_path(trait_));
        let value = self.within_impl((&item.generics, &item.of), own.as_ref(), span, |this| {
            let ty = this.type_of(&item.item.ty).unwrap_or(Type::Never);
            match literal(&item.item.expr) {
                Some(kind) if matches!(ty, Type::Scalar(_)) => Ok(Expr::new(kind, ty, span)),
                // as its `impl` and the parameters of that see it; a number has no path to what traits give it
                _ if this.has_members(&ty) || of_many || Ty::from_name(of).is_some() => {
                    Ok(this.written_out(&item.item.expr, &ty, 2, span))
                }
                _ => Err(ty),
            }
        });
        let ty = match value {
            Ok(value) => return value,
            Err(Type::Never) => return self.error(span),
            Err(ty) => ty,
        };
        let (ident, name) = (syn::Ident::new(of, span), &last.ident);
        // elsewhere than in its `impl`, rustc does not infer the arguments of a struct that no value has
        let arguments = match &own {
            Some(Type::Record(own)) => self.written_arguments(own),
            _ => Some(Vec::new()),
        };
        if let Some(trait_) = of_trait {
            let tokens = quote!(<#ident as #trait_>::#name);
            let id = self.opaque(tokens.clone(), tidy(&tokens), ty, span);
            return self.path_value(id, span);
        }
        let (text, tokens) = match arguments {
            Some(arguments) if arguments.is_empty() => (format!("{of}::{name}"), quote!(#ident::#name)),
            Some(arguments) => {
                let tokens = quote!(#ident::<#(#arguments),*>::#name);
                (tidy(&tokens), tokens)
            }
            None if has_parameters(&item.generics) => {
                return self.refuse(
                    span,
                    format!("`{of}::{name}`, where the arguments of `{of}` are not known"),
                    "the constant may be another one for others",
                    format!("write them: `{of}::<…>::{name}`"),
                );
            }
            None => (format!("{of}::{name}"), quote!(#ident::#name)),
        };
        let id = self.constant_path(text, tokens, ty, span);
        self.path_value(id, span)
    }

    /// The arguments of a struct as they are written in the module, if all are known.
    fn written_arguments(&self, of: &RecordType) -> Option<Vec<TokenStream>> {
        let written = of.arguments.iter().map(|argument| match argument {
            Argument::Type(ty) => match self.infer.peel(ty) {
                Type::Scalar(ty) => syn::parse_str(&ty.to_string()).ok(),
                Type::Record(of) => {
                    let (name, arguments) = (&of.name, self.written_arguments(&of)?);
                    Some(if arguments.is_empty() { quote!(#name) } else { quote!(#name<#(#arguments),*>) })
                }
                _ => None,
            },
            Argument::Constant(len, _) => match self.number(&*len.known()?) {
                Some(number) => Some(Literal::i128_unsuffixed(number).to_token_stream()),
                None => match self.source_of(&*len.known()?).kind {
                    Kind::Path(id) => Some(self.paths[id].tokens.clone()),
                    _ => None,
                },
            },
        });
        written.collect()
    }
}
