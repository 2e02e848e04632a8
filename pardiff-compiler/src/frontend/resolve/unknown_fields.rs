//! Fields and parameters of types that are not known: a value without them is as good where nobody reads them.
//!
//! ```text
//! struct Layer { name: String, weights: Vec<f64> }
//! layer.weights[i]                                    // read as of any struct
//! Layer { name: format!("{i}"), weights }             // the name is made by nobody
//! layer.name.len()                                    // refused
//! Layer::new("first", weights)                        // nor is an argument of such a type
//! ```
//!
//! Legal as printing is: what is left out changes no variable.

use super::super::display::tidy_type;
use super::super::errors;
use super::super::generic_structs::arguments_of;
use super::super::hygiene;
use super::super::infer::{RecordType, Type};
use super::super::param_types;
use super::super::pointers;
use super::super::tree::{Block, Expr, Kind, Method};
use super::{Name, Resolver};
use crate::refusal::Refusal;
use crate::signature::{Content, member_name};
use proc_macro2::Span;
use quote::ToTokens;
use std::rc::Rc;
use syn::GenericArgument;
use syn::spanned::Spanned;

impl RecordType {
    /// Whether the type of a field is not known; that of a function is a parameter of the struct.
    pub(super) fn has_unknown(&self, at: usize) -> bool {
        let is_empty = matches!(&self.parts[at], Type::Tuple(parts) if parts.is_empty());
        is_empty && matches!(self.record.fields[at].content, Content::Unknown { .. })
    }
}

impl Resolver<'_> {
    /// The type of a field; a field whose type is not known holds nothing.
    pub(super) fn type_of_field(&mut self, ty: &syn::Type, content: &Content) -> Type {
        match content {
            Content::Unknown { .. } => Type::UNIT,
            _ => self.type_of(ty).unwrap_or(Type::Never),
        }
    }

    /// Why a field is refused where it is read.
    pub(super) fn unknown_field(&self, of: &RecordType, at: usize, span: Span) -> Refusal {
        let field = &of.record.fields[at];
        let (why, help) = match param_types::shape(self.module, &field.ty) {
            Err(Refusal { why, help, .. }) => (why, help),
            Ok(_) => (
                "fields that are read are floats, integers, booleans, arrays, slices, vectors and options of them, \
                 and other structs of the module"
                    .to_owned(),
                "pass what it holds as a parameter of its own, `x: &[f64]`".to_owned(),
            ),
        };
        let (member, ty) = (member_name(&field.member), tidy_type(&field.ty));
        let what = format!("the field `{member}: {ty}` of the struct `{}`, which is used here", of.name);
        Refusal::new(span, what, why, help)
    }

    /// Leaves out the value of a field whose type is not known.
    pub(super) fn left_out(&mut self, value: &syn::Expr) {
        if !errors::does_nothing(value) {
            self.refuse(
                value.span(),
                "the value of a field whose type is not known, which may change a variable",
                "derivatives leave out what is computed for it",
                "compute it in front, in a variable",
            );
        }
    }

    /// Binds what the pattern of a field names, if its type is not known.
    pub(super) fn binds_unknown(&mut self, of: &RecordType, at: usize, pat: &syn::Pat) -> bool {
        if !of.has_unknown(at) {
            return false;
        }
        let refusal = self.unknown_field(of, at, pat.span());
        match pat {
            syn::Pat::Wild(_) => {}
            syn::Pat::Ident(pat) if pat.subpat.is_none() => {
                self.bind(&pat.ident.to_string(), Name::Unknown(Rc::new(refusal)));
            }
            _ => self.refusals.0.push(refusal),
        }
        true
    }

    /// Refuses what replaces a value with such a field behind a reference, where the caller would see the other field.
    pub(in super::super) fn refuse_replaced(&mut self, body: &Block) {
        let mut found = Vec::new();
        body.children(&mut |e| self.replaced(e, &mut found));
        self.refusals.0.append(&mut found);
    }

    fn replaced(&self, e: &Expr, found: &mut Vec<Refusal>) {
        let places = match &e.kind {
            Kind::Assign(left, _) => std::slice::from_ref(&**left),
            Kind::Method(
                Method::Fill
                | Method::CopyFrom
                | Method::SwapElements
                | Method::Reverse
                | Method::RotateLeft
                | Method::RotateRight
                | Method::MemReplace,
                args,
                _,
            ) => &args[..args.len().min(1)],
            Kind::Method(Method::SwapWith | Method::MemSwap, args, _) => &args[..],
            _ => &[],
        };
        let others = places.iter().filter(|place| !self.is_own(place));
        found.extend({ others }.find_map(|place| self.refuse_place(&place.ty, e.span)));
        e.children(&mut |child| self.replaced(child, found));
    }

    fn refuse_place(&self, ty: &Type, span: Span) -> Option<Refusal> {
        match self.infer.peel(ty) {
            Type::Array(elem, _) => self.refuse_place(&elem, span),
            Type::Tuple(parts) => parts.iter().find_map(|part| self.refuse_place(part, span)),
            Type::Record(of) => {
                let (record, field) = of.record.unknown()?;
                let name = record.name.as_ref().map_or_else(String::new, ToString::to_string);
                Some(Refusal::new(
                    span,
                    format!("a value of `{name}` that is replaced behind a reference"),
                    format!(
                        "derivatives leave its field `{}` as it is, whose type is not known",
                        member_name(&field.member)
                    ),
                    "assign the other fields one by one: `x.a = y.a;`",
                ))
            }
            _ => None,
        }
    }

    /// Whether a place is a part of a variable that is no reference.
    fn is_own(&self, place: &Expr) -> bool {
        match &place.kind {
            Kind::Local(_) => !matches!(self.infer.shallow(&place.ty), Type::Ref(..)),
            Kind::Index(base, ..) | Kind::Slice(base, ..) | Kind::Field(base, _) | Kind::Borrow(base) => {
                self.is_own(base)
            }
            Kind::Deref(base) => matches!(base.kind, Kind::Borrow(_)) && self.is_own(base),
            Kind::Method(_, args, _) => args.first().is_some_and(|of| self.is_own(of)),
            _ => false,
        }
    }

    /// Why a parameter of a helper is refused where it is read, if its type is not known. Functions and iterators are
    /// other arguments.
    pub(super) fn unknown_parameter(&self, sig: &syn::Signature, ty: &syn::Type) -> Option<Refusal> {
        let is_parameter = |name: &str| sig.generics.type_params().any(|param| param.ident == name);
        let shape = |ty: &syn::Type| {
            let ty = pointers::without(self.module, ty);
            param_types::shape_within(self.module, &is_parameter, &ty).err()
        };
        match param_types::bare(ty) {
            syn::Type::ImplTrait(of) => {
                // `impl Into<String>`
                let paths = of.bounds.iter().filter_map(|bound| match bound {
                    syn::TypeParamBound::Trait(bound) => bound.path.segments.last(),
                    _ => None,
                });
                let arguments = paths.flat_map(arguments_of).filter_map(|argument| match argument {
                    GenericArgument::Type(ty) => shape(&ty),
                    _ => None,
                });
                { arguments }.next()
            }
            ty => {
                // what a type parameter stands for is known where it is, also in `T::Scalar`
                let is_known = |name: &String| {
                    ["impl", "dyn", "Self", "fn"].contains(&name.as_str())
                        || is_parameter(name)
                        || self.type_parameter(name).is_some()
                };
                shape(ty).filter(|_| !hygiene::names(ty.to_token_stream()).iter().any(is_known))
            }
        }
    }
}
