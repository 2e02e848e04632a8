//! Written types to types of the tree.

use super::super::associated_types;
use super::super::function_fields::is_function_parameter;
use super::super::generic_structs::{generics_of, parameters};
use super::super::infer::{Argument, Class, Type};
use super::super::param_types::{self, Shape};
use super::super::pointers;
use super::super::tree::Len;
use super::{Resolver, ordering};
use crate::ndarray::Form;
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{GenericArgument, GenericParam};

impl Resolver<'_> {
    /// The type as written; refuses what it cannot be.
    pub(in super::super) fn type_of(&mut self, ty: &syn::Type) -> Option<Type> {
        if let syn::Type::Path(path) = ty
            && ordering::is_named(&path.path)
            && self.module.record(&path.path).is_none()
        {
            return Some(ordering::ORDERING);
        }
        let stands_for = |name: &str| {
            let ty = self.infer.peel(self.type_parameter(name)?);
            matches!(ty, Type::Scalar(_) | Type::Record(_)).then(|| self.infer.named(&ty))
        };
        let ty = &associated_types::written_out(ty, self.module.records(), &stands_for);
        let ty = &pointers::without(self.module, ty);
        let is_parameter = |name: &str| self.type_parameter(name).is_some();
        match param_types::shape_within(self.module, &is_parameter, ty) {
            Ok(shape) => Some(self.type_of_shape(shape)),
            Err(refusal) => {
                self.refusals.0.push(refusal);
                None
            }
        }
    }

    fn type_of_shape(&mut self, shape: Shape) -> Type {
        match shape {
            Shape::Scalar(ty) => Type::Scalar(ty),
            Shape::Array(elem, len) => {
                let elem = self.type_of_shape(*elem);
                let len = self.length(&len);
                Type::array(elem, len)
            }
            Shape::Slice(elem) | Shape::Vec(elem) => {
                let elem = self.type_of_shape(*elem);
                Type::slice(elem)
            }
            Shape::Option(of, _) => {
                let of = self.type_of_shape(*of);
                let of = match of {
                    Type::Ref(false, inner) if self.is_element(&inner) => *inner,
                    of => of,
                };
                Type::Tuple(vec![Type::BOOL, of])
            }
            Shape::Ref(mutable, inner) => Type::reference(mutable, self.type_of_shape(*inner)),
            Shape::Tuple(parts) => {
                Type::Tuple(parts.into_iter().map(|(_, part)| self.type_of_shape(part)).collect())
            }
            Shape::NdArray(form, rank, elem) => {
                let array = nd_array(rank, Type::Scalar(elem));
                match form {
                    Form::View => Type::reference(false, array),
                    Form::ViewMut => Type::reference(true, array),
                    Form::Owned | Form::Ref => array,
                }
            }
            Shape::Record(record) => self.record_type(&record),
            Shape::Infer => self.infer.fresh(Class::Any),
            Shape::Parameter(name) => {
                self.type_parameter(&name).cloned().unwrap_or_else(|| self.infer.fresh(Class::Any))
            }
        }
    }

    /// The arguments of a struct or an enum with parameters, as far as they are written.
    pub(super) fn arguments_of(
        &mut self,
        template: &syn::Item,
        written: &[GenericArgument],
        span: Span,
    ) -> Vec<Argument> {
        let mut written = written.iter();
        let all = parameters(generics_of(template)).map(|param| match (param, written.next()) {
            (GenericParam::Const(param), written) => {
                let ty = self.seen_from(1, |this| this.type_of(&param.ty)).unwrap_or(Type::USIZE);
                let len = match written {
                    Some(GenericArgument::Const(value)) => self.constant_of(value, &ty),
                    Some(GenericArgument::Type(syn::Type::Path(path))) => {
                        self.constant_of(&syn::parse_quote!(#path), &ty)
                    }
                    _ => self.open_length(span).0,
                };
                Argument::Constant(len, ty)
            }
            (param, written) => {
                let ty = match written {
                    // what marks alone may be a type that is not known here, and so is that of a function
                    Some(GenericArgument::Type(ty)) => {
                        let refusals = self.refusals.0.len();
                        let known = self.type_of(ty);
                        self.refusals.0.truncate(refusals);
                        known.unwrap_or_else(|| self.fresh())
                    }
                    _ => self.fresh(),
                };
                if let GenericParam::Type(param) = param
                    && is_function_parameter(generics_of(template), &param.ident)
                {
                    self.note_function_in_field(&ty);
                }
                Argument::Type(ty)
            }
        });
        all.collect()
    }

    /// The `N` of `[T; N]`.
    pub(in super::super) fn length(&mut self, len: &syn::Expr) -> Len {
        if let syn::Expr::Infer(_) = super::bare(len) {
            return self.open_length(len.span()).0;
        }
        self.constant_of(len, &Type::USIZE)
    }

    /// A constant in a type, `{ N }` as well.
    fn constant_of(&mut self, value: &syn::Expr, ty: &Type) -> Len {
        let value = match super::bare(value) {
            syn::Expr::Block(block) => match &block.block.stmts[..] {
                [syn::Stmt::Expr(inner, None)] => self.expr(inner),
                _ => self.expr(value),
            },
            value => self.expr(value),
        };
        self.unify(&value.ty, ty, value.span);
        Len::of(value)
    }
}

/// An array of `ndarray`.
pub(super) fn nd_array(rank: usize, elem: Type) -> Type {
    (0..rank).fold(elem, |inner, _| Type::array(inner, Len::Axis))
}
