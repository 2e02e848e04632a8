//! Parameters that borrow, structs and tuples with references in them, and options of references, as their parts.
//!
//! ```text
//! struct Grid<'a> { x: &'a [f64], step: f64 }
//! fn f(grid: &Grid, pair: (&[f64], &[f64]), weights: Option<&[f64]>) -> f64 { … }
//!
//! fn f(grid_x: &[f64], grid_step: f64, pair_0: &[f64], pair_1: &[f64], weights_is_some: bool, weights: &[f64])
//!     -> f64
//! {
//!     let grid = &Grid { x: grid_x, step: grid_step };
//!     let pair = (pair_0, pair_1);
//!     let weights = weights_is_some.then_some(weights);
//!     …
//! }
//! ```
//!
//! Legal because nothing but its parts is in such a value. What is behind a `&mut` consists of references alone: a
//! number there would be a copy, to which the function writes in vain.
//!
//! Public functions take the parameter as it is written, and derivatives of its parts.

use super::communicators;
use super::display::tidy;
use super::hygiene;
use super::module::Module;
use super::options::Options;
use super::param_types::{Shape, bare, content, lent, shape};
use super::phantoms;
use super::pointers;
use super::vector_params;
use crate::signature::{Borrowed, BorrowedPart, Content, Record, member_name};
use crate::visit::changing::{self as visit_mut, VisitMut};
use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{FnArg, ItemFn, Member, Pat, PathArguments, Stmt, Type};

/// The function with the parts of parameters in the place of these, which are local variables. The receiver is called
/// `self`.
pub(super) fn taken_apart(
    module: &Module,
    receiver: Option<&Ident>,
    mut item: ItemFn,
) -> (ItemFn, Vec<Borrowed>) {
    let mut apart = Apart { module, taken: item.to_token_stream(), parts: Vec::new() };
    let (mut lets, mut all) = (Vec::<Stmt>::new(), Vec::new());
    for arg in std::mem::take(&mut item.sig.inputs) {
        let found = match &arg {
            FnArg::Typed(arg) => match &*arg.pat {
                Pat::Ident(pat) => {
                    let own = pointers::parameter(module, &pat.ident, &arg.ty);
                    let own = own.map(|of| (pat.ident.to_token_stream(), of));
                    let mut apart = || apart.parameter(&pat.ident, &arg.ty)?.ok();
                    let of = own.or_else(|| apart().map(|of| (of.value.clone(), of)));
                    of.map(|of| (pat.clone(), of))
                }
                _ => None,
            },
            FnArg::Receiver(_) => None,
        };
        let Some((mut pat, (value, of))) = found else {
            item.sig.inputs.push(arg);
            continue;
        };
        item.sig.inputs.extend(of.parts.iter().map(|BorrowedPart { name, ty, .. }| {
            let part: FnArg = syn::parse_quote!(#name: #ty);
            part
        }));
        if receiver == Some(&pat.ident) {
            pat.ident = Ident::new("self", pat.ident.span());
        }
        lets.push(syn::parse_quote_spanned!(pat.span()=> let #pat = #value;));
        all.push(of);
    }
    item.block.stmts.splice(0..0, lets);
    (item, all)
}

/// The options with the parts of a parameter in its place.
pub(super) fn options(options: &Options, all: &[Borrowed]) -> Options {
    let named = |name: &Ident| match all.iter().find(|of| of.name.unraw() == name.unraw()) {
        Some(of) => {
            let floats = of.parts.iter().filter(|part| part.has_floats);
            floats.map(|part| Ident::new(&part.name.to_string(), name.span())).collect()
        }
        None => vec![name.clone()],
    };
    let wrt = options.wrt.as_ref().map(|wrt| wrt.iter().flat_map(named).collect());
    Options { wrt, ..options.clone() }
}

/// The path of the type of a method without names of lifetimes: what is made of parts has its own.
pub(super) fn without_lifetimes(path: TokenStream) -> TokenStream {
    let mut is_lifetime = false;
    let tokens = path.into_iter().map(|token| match token {
        TokenTree::Group(group) => {
            let mut inner = Group::new(group.delimiter(), without_lifetimes(group.stream()));
            inner.set_span(group.span());
            TokenTree::Group(inner)
        }
        TokenTree::Ident(name) if std::mem::take(&mut is_lifetime) && name != "static" => {
            Ident::new("_", name.span()).into()
        }
        token => {
            is_lifetime = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '\'');
            token
        }
    });
    tokens.collect()
}

/// Whether a `&mut` is in a value of this type.
pub fn writes_through(module: &Module, ty: &Type) -> bool {
    fn of(module: &Module, shape: &Shape) -> bool {
        match shape {
            Shape::Ref(mutable, inner) => *mutable || of(module, inner),
            Shape::Tuple(members) => members.iter().any(|(_, member)| of(module, member)),
            Shape::Record(record) if is_borrowed(shape) => {
                record.fields.iter().any(|field| writes_through(module, &field.ty))
            }
            _ => false,
        }
    }
    shape(module, ty).is_ok_and(|shape| of(module, &shape))
}

/// Why a parameter that borrows is not taken apart; nothing of others.
pub(super) fn obstacle(module: &Module, name: &str, ty: &Type) -> Option<Obstacle> {
    let mut apart = Apart { module, taken: TokenStream::new(), parts: Vec::new() };
    apart.parameter(&syn::parse_str(name).ok()?, ty)?.err()
}

/// A part of a parameter that is in the way.
pub(super) struct Obstacle {
    /// Where it is.
    pub(super) part: String,
    pub(super) why: &'static str,
}

const OTHERS: &str = "what borrows holds numbers, arrays, slices, references, and structs of these";

/// Who may write to a place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The function alone, and nobody sees it.
    Own,
    /// Nobody.
    Shared,
    /// The function, and its caller sees it.
    Unique,
}

impl Place {
    fn behind(mutable: bool) -> Place {
        if mutable { Place::Unique } else { Place::Shared }
    }
}

struct Apart<'a> {
    module: &'a Module,
    /// What holds the names that are taken.
    taken: TokenStream,
    parts: Vec<BorrowedPart>,
}

impl Apart<'_> {
    /// A parameter that borrows; `None` if it does not.
    fn parameter(&mut self, name: &Ident, ty: &Type) -> Option<Result<Borrowed, Obstacle>> {
        let (reference, of) = match bare(ty) {
            Type::Reference(reference) => (Some(reference.mutability.is_some()), &*reference.elem),
            of => (None, of),
        };
        let of_shape = shape(self.module, of).ok().filter(is_borrowed)?;
        self.parts.clear();
        let place = reference.map_or(Place::Own, Place::behind);
        let value = match self.value(&name.to_token_stream(), name, of, place) {
            Ok(value) => value,
            Err(obstacle) => return Some(Err(obstacle)),
        };
        let is_copied = !matches!(&of_shape, Shape::Record(record) if !record.derives("Copy"));
        let is_written = || {
            self.parts.iter().any(|part| matches!(&part.ty, Type::Reference(it) if it.mutability.is_some()))
        };
        let (lent, value) = match reference {
            Some(true) => (ty.clone(), quote!(&mut #value)),
            Some(false) => (ty.clone(), quote!(&#value)),
            None if is_copied => (ty.clone(), value),
            None if is_written() => (syn::parse_quote!(&mut #ty), value),
            None => (syn::parse_quote!(&#ty), value),
        };
        let is_record =
            |name: &String| self.module.records().get(name).is_some() || self.module.template(name).is_some();
        let records = hygiene::names(ty.to_token_stream()).into_iter().filter(is_record);
        Some(Ok(Borrowed {
            name: name.clone(),
            ty: self.module.with_lifetimes(&lent),
            records: records.map(|name| Ident::new(&name, Span::call_site())).collect(),
            parts: std::mem::take(&mut self.parts),
            value,
        }))
    }

    /// A value of this type, made of parts, which are read from a place.
    fn value(
        &mut self,
        read: &TokenStream,
        name: &Ident,
        ty: &Type,
        place: Place,
    ) -> Result<TokenStream, Obstacle> {
        let because = |why| Obstacle { part: tidy(read), why };
        let of = shape(self.module, ty)
            .map_err(|_| because("its type is not known, and it stands beside references"))?;
        let numbers = |of: &Shape| content(of).ok_or_else(|| because(OTHERS));
        Ok(match (&of, bare(ty)) {
            (Shape::Ref(mutable, inner), Type::Reference(reference)) => {
                let (mutability, referent) = (reference.mutability, &reference.elem);
                if *mutable && place == Place::Shared {
                    return Err(because("nobody writes through a `&mut` behind a `&`"));
                }
                let held = match &**inner {
                    Shape::Slice(elem) => content(elem),
                    Shape::Vec(elem) if !mutable => content(elem),
                    inner => content(inner).or_else(|| lent(inner)),
                };
                match held {
                    Some(held) => self.part(name, ty, quote!(&#mutability *#read), &held).to_token_stream(),
                    None => {
                        let value = self.value(read, name, referent, Place::behind(*mutable))?;
                        quote!(&#mutability #value)
                    }
                }
            }
            _ if place == Place::Unique && !is_borrowed(&of) => {
                return Err(because(
                    "what borrows is taken apart, and this is no reference: the function would write to a copy of it",
                ));
            }
            (Shape::Option(inner, of_ty), _) if content(&of).is_none() => match (&**inner, bare(of_ty)) {
                (Shape::Ref(false, of), Type::Reference(reference)) if place != Place::Unique => {
                    self.option(read, name, of, &reference.elem)?
                }
                (Shape::Ref(true, of), _)
                    if place == Place::Own
                        && let Shape::Slice(elem) = &**of =>
                {
                    self.optional_slice(read, name, elem, of_ty)?
                }
                (Shape::Ref(..), _) => {
                    return Err(because(
                        "which variable a `&mut` in an option stands for is known only at run time",
                    ));
                }
                _ => return Err(because(OTHERS)),
            },
            (Shape::Record(record), Type::Path(path)) if is_borrowed(&of) => {
                let path = without_arguments(&path.path);
                let values = self.members(read, name, record, place)?;
                let values = record.fields.iter().zip(values).map(|(field, value)| match &field.member {
                    Member::Named(member) => quote!(#member: #value),
                    Member::Unnamed(_) => value,
                });
                match record.fields.first().map(|field| &field.member) {
                    Some(Member::Unnamed(_)) => quote!(#path(#(#values),*)),
                    _ => quote!(#path { #(#values),* }),
                }
            }
            (Shape::Tuple(members), _) if is_borrowed(&of) => {
                let values = members.iter().enumerate().map(|(at, (ty, _))| {
                    let index = syn::Index::from(at);
                    self.value(&quote!(#read.#index), &self.fresh(name, &at.to_string()), ty, place)
                });
                let values = values.collect::<Result<Vec<_>, _>>()?;
                quote!((#(#values,)*))
            }
            (Shape::Record(record), Type::Path(path)) if record.fields.is_empty() && !record.is_enum() => {
                let is_phantom = record.name.as_ref().is_some_and(|name| name == phantoms::NAME);
                let braces = (!is_phantom).then(|| quote!({}));
                let path = without_arguments(&path.path);
                quote!(#path #braces)
            }
            (Shape::Vec(elem), held) if vector_params::element(held).is_some_and(|(_, boxed)| !boxed) => {
                let part = self.part(name, &syn::parse_quote!(&#ty), quote!(&#read), &numbers(elem)?);
                quote!(#part.to_vec())
            }
            _ => {
                let held = content(&of).or_else(|| lent(&of)).ok_or_else(|| because(OTHERS))?;
                if is_copied(&held) {
                    return Ok(self.part(name, ty, read.clone(), &held).to_token_stream());
                }
                if !held.record().is_some_and(|record| record.derives("Clone")) {
                    return Err(because(
                        "what borrows is taken apart into references and copies, and its type does not derive `Clone`",
                    ));
                }
                let part = self.part(name, &syn::parse_quote!(&#ty), quote!(&#read), &held);
                quote!(#part.clone())
            }
        })
    }

    /// The fields of a struct.
    fn members(
        &mut self,
        read: &TokenStream,
        name: &Ident,
        record: &Record,
        place: Place,
    ) -> Result<Vec<TokenStream>, Obstacle> {
        let values = record.fields.iter().map(|field| {
            let member = &field.member;
            self.value(&quote!(#read.#member), &self.fresh(name, &member_name(member)), &field.ty, place)
        });
        values.collect()
    }

    /// An option of a reference: a slice, which is empty where there is none.
    fn option(
        &mut self,
        read: &TokenStream,
        name: &Ident,
        of: &Shape,
        ty: &Type,
    ) -> Result<TokenStream, Obstacle> {
        let because = || Obstacle { part: tidy(read), why: OTHERS };
        if let Shape::Slice(elem) = of {
            return self.optional_slice(read, name, elem, &syn::parse_quote!(&#ty));
        }
        let held = content(of).ok_or_else(because)?;
        let read = quote!(#read.map_or(&[][..], ::core::slice::from_ref));
        let part = self.part(name, &syn::parse_quote!(&[#ty]), read, &held);
        Ok(quote_spanned!(name.span()=> #part.first()))
    }

    /// An option of a slice: whether there is one, and the slice, which is empty where there is none.
    fn optional_slice(
        &mut self,
        read: &TokenStream,
        name: &Ident,
        elem: &Shape,
        ty: &Type,
    ) -> Result<TokenStream, Obstacle> {
        let held = content(elem).ok_or_else(|| Obstacle { part: tidy(read), why: OTHERS })?;
        let flag = self.fresh(name, "is_some");
        let (is_some, of_flag) = (quote!(#read.is_some()), Content::Scalar(crate::ir::Ty::Bool));
        let flag = self.part(&flag, &syn::parse_quote!(bool), is_some, &of_flag);
        let part = self.part(name, ty, quote!(#read.unwrap_or_default()), &held);
        let is_mutable = matches!(bare(ty), Type::Reference(reference) if reference.mutability.is_some());
        let part = if is_mutable { quote!(&mut *#part) } else { part.to_token_stream() };
        Ok(quote_spanned!(name.span()=> #flag.then_some(#part)))
    }

    /// A part, which is a parameter of this name.
    fn part(&mut self, name: &Ident, ty: &Type, read: TokenStream, held: &Content) -> Ident {
        let mut ty = ty.clone();
        Elided.visit_type_mut(&mut ty);
        self.taken.extend(name.to_token_stream());
        self.parts.push(BorrowedPart { name: name.clone(), ty, read, has_floats: held.has_floats() });
        name.clone()
    }

    fn fresh(&self, name: &Ident, member: &str) -> Ident {
        hygiene::fresh_at(&format!("{}_{member}", name.unraw()), name.span(), self.taken.clone())
    }
}

fn without_arguments(path: &syn::Path) -> syn::Path {
    let mut path = path.clone();
    path.segments.iter_mut().for_each(|segment| segment.arguments = PathArguments::None);
    path
}

/// Whether references are in a struct or a tuple, or an option is of one.
fn is_borrowed(of: &Shape) -> bool {
    match of {
        Shape::Record(record) => record.is_open() && !record.is_lent() && !communicators::is_known(record),
        Shape::Tuple(members) => !members.is_empty() && content(of).is_none(),
        Shape::Option(..) => content(of).or_else(|| lent(of)).is_none(),
        _ => false,
    }
}

/// Whether a value is `Copy`.
fn is_copied(held: &Content) -> bool {
    match held {
        Content::Scalar(_) => true,
        Content::Array(elem) => is_copied(elem),
        Content::Record(record) if record.name.is_some() => record.derives("Copy"),
        Content::Record(record) => record.fields.iter().all(|field| is_copied(&field.content)),
        Content::Vector(..) | Content::Open | Content::Unknown { .. } => false,
    }
}

/// Leaves out the lifetimes of references, which are those of the whole value, but for `'static`.
struct Elided;

impl VisitMut for Elided {
    fn visitor(&mut self) -> &mut dyn VisitMut {
        self
    }

    fn visit_type_reference_mut(&mut self, reference: &mut syn::TypeReference) {
        reference.lifetime = reference.lifetime.take().filter(|lifetime| lifetime.ident == "static");
        visit_mut::visit_type_reference_mut(self, reference);
    }
}
