//! Enums, options and types with private members in the functions around bodies, which take products: arguments are
//! converted before the call, and what it wrote after it.
//!
//! ```text
//! fn accumulate_converting(overwrite: bool, shape: &Shape, d_shape: &mut Shape, seed: f64) -> f64 {
//!     let shape_product: (i64, f64, [f64; 2]) = match shape { … };
//!     let mut d_shape_product: (i64, f64, [f64; 2]) = match d_shape { … };
//!     if d_shape_product.0 != shape_product.0 { …panic… }
//!     let value = Self::accumulate(overwrite, &shape_product, &mut d_shape_product, seed);
//!     match (d_shape, shape_product.0) { … }                                              // the gradient is written
//!     value
//! }
//! ```
//!
//! The adjoint of what is behind a `&mut` has the variant of the value after the call, and gets that of the value before
//! it. It is looked at after the call, which says what the variant is. Nothing is converted back after a panic.

use super::contract::Contract;
use super::contract_lent::members;
use super::contract_records::written_place;
use super::contract_types::{batched, owned};
use super::conversions::{Companion, Conversion, Level, levels};
use super::names::{Names, unraw};
use super::{Code, code, user};
use crate::backend::interface::{Access, Argument, SeedArgument};
use crate::ir::Derivative;
use crate::modes::Mode;
use crate::signature::{Content, Param, ParamKind, Product, Record, ResultShape};
use proc_macro2::{Ident, Span};
use std::rc::Rc;

/// What stands around the call of a body.
#[derive(Default)]
pub(super) struct Around {
    pub(super) converted: Code,
    /// The checks after the call.
    checks: Code,
    /// The derivatives after these.
    after: Code,
    /// The values after that.
    last: Code,
    pub(super) list: Vec<Code>,
    /// The products of arguments: the names of the parameters of the body, and of local variables.
    primals: Vec<(Ident, Ident)>,
}

impl Around {
    /// What stands after the call.
    pub(super) fn end(&self) -> Code {
        let Around { checks, after, last, .. } = self;
        code!(#checks #after #last)
    }
}

/// The name of the function's own parameter that a parameter of bodies is, or is a part of.
fn own_name(param: &Param) -> &Ident {
    param.product.as_ref().map_or(&param.name, |product| &product.of)
}

impl<'a> Contract<'a> {
    /// Whether a parameter of bodies is something that the function returns.
    pub(super) fn is_returned(&self, param: &Param) -> bool {
        self.signature.params.iter().all(|own| own.name != *own_name(param))
    }

    /// The function's own argument that an argument of a body is, or is a part of.
    pub(super) fn argument_of(&self, argument: &Argument<'_>, mode: Mode) -> Option<&Argument<'a>> {
        let mut own = self.interface.of_mode(mode);
        own.find(|own| own.param.name == *own_name(argument.param) && own.steps == argument.steps)
    }

    /// Hands an argument on to a body.
    pub(super) fn convert(
        &self,
        own: &Argument<'_>,
        argument: &Argument<'_>,
        mode: Mode,
        names: &mut Names,
        around: &mut Around,
    ) {
        let Some(product) = &argument.param.product else {
            around.list.push(self.handed_on(own));
            return;
        };
        let around_values = levels(&product.ty, argument.batch.is_some());
        let is_written = argument.access != Access::Read;
        let is_lent = is_written || !matches!(argument.param.kind, ParamKind::Scalar | ParamKind::Array);
        let pointer = product.pointer.as_ref().filter(|_| is_written);
        let place = written_place(part(own, product, &around_values), pointer);
        let reference = match (is_lent, is_written) {
            (false, _) => code!(),
            (true, false) => code!(&),
            (true, true) => code!(&mut),
        };
        let Some(record) = &product.record else {
            around.list.push(match (product.is_one, is_written) {
                (true, true) => code!(::core::slice::from_mut(&mut #place)),
                (true, false) => code!(::core::slice::from_ref(&#place)),
                (false, _) => code!(#reference #place),
            });
            return;
        };
        let types = Conversion::new(self, record);
        let local = names.fresh(&format!("{}_product", unraw(&argument.name)));
        let (made, ty) = (types.products(&around_values, &place), owned_type(argument));
        let binding = is_written.then(|| code!(mut));
        around.converted.push(code!(let #binding #local: #ty = #made;));
        around.list.push(code!(#reference #local));
        if argument.is_primal() {
            around.primals.push((argument.param.name.clone(), local.clone()));
            if is_written {
                around.last.push(types.stored(&around_values, &place, &code!(#local)));
            }
            return;
        }
        let primal =
            self.interface.of_mode(mode).find(|it| it.is_primal() && std::ptr::eq(it.param, own.param));
        let known =
            around.primals.iter().find(|(of, _)| *of == argument.param.name).map(|(_, local)| local.clone());
        let (Some(primal), Some(like)) = (primal, known) else { return };
        let is_through = argument.access == Access::Through;
        let is_adjoint = argument.steps.contains(&Derivative::Adjoint);
        let shown = |of: &Ident| format!("{}{}", unraw(of), super::contract_lent::shown(&product.way));
        let (name, of) = (shown(&own.name), shown(&own.primal));
        let function = self.signature.shown();
        let companion = Companion { function: &function, word: own.word(), name: &name, of: &of };
        let checks = types.alike(&around_values, &code!(#like), &code!(#local), &companion);
        match is_through && is_adjoint {
            true => around.checks.push(checks),
            false => around.converted.push(checks),
        }
        if !is_written {
            return;
        }
        // what is given by value is moved, and what is written is of another variant now
        let is_before = is_through && is_adjoint;
        let is_moved = matches!(argument.param.kind, ParamKind::Scalar | ParamKind::Array);
        let (like, before) = match is_before || is_moved {
            true => {
                let around_primal = levels(&product.ty, false);
                let model = types.products(&around_primal, &part(primal, product, &around_primal));
                let (name, ty) = (names.fresh("like"), owned(&argument.param.ty));
                (name.clone(), code!(let #name: #ty = #model;))
            }
            false => (like, code!()),
        };
        around.after.push(before);
        around.after.push(types.written(&around_values, &place, [&code!(#like), &code!(#local)], is_through));
    }

    /// The adjoints of what is returned as bodies take them, and the checks of them after the call.
    pub(super) fn converted_seeds(
        &self,
        inner: &Contract<'_>,
        mode: Mode,
        names: &mut Names,
        around: &mut Around,
    ) {
        let is_batched = mode.is_batched(&[Derivative::Adjoint]);
        for (seed, of_body) in self.interface.seeds.iter().zip(&inner.interface.seeds) {
            let name = &seed.name;
            let product_of = of_body.member.product_of.as_ref();
            let Some((record, value)) = product_of.zip(self.returned_of(&self.value, seed)) else {
                around.list.push(code!(#name));
                continue;
            };
            let (types, around_values) = (Conversion::new(self, record), levels(&seed.member.ty, is_batched));
            let local = names.fresh(&format!("{}_product", unraw(name)));
            let (made, ty) = (
                types.products(&around_values, &code!(#name)),
                user(&self.of_seed(&of_body.member.ty, is_batched)),
            );
            around.converted.push(code!(let #local: #ty = #made;));
            around.list.push(code!(#local.clone()));
            let (function, shown) = (self.signature.shown(), unraw(name));
            let companion =
                Companion { function: &function, word: "adjoint", name: &shown, of: "what is returned" };
            around.checks.push(types.alike(&around_values, &value, &code!(#local), &companion));
        }
    }

    /// The member of what is returned that a seed is for.
    fn returned_of(&self, value: &Ident, seed: &SeedArgument<'_>) -> Option<Code> {
        let member = self.returned().iter().position(|member| std::ptr::eq(member, seed.member))?;
        Some(self.returned_at(value, member))
    }

    /// A member of what is returned.
    pub(super) fn returned_at(&self, value: &Ident, at: usize) -> Code {
        match self.signature.result {
            ResultShape::Tuple(_) => {
                let at = syn::Index::from(at);
                code!(#value.#at)
            }
            ResultShape::One(_) | ResultShape::Unit => code!(#value),
        }
    }

    /// What a function returns whose body returned `value`, and `tangent` where the mode has one.
    pub(super) fn value_of_call(&self, inner: &Contract<'_>, mode: Mode, call: Code) -> (Code, Option<Code>) {
        let (value, tangent) = (&self.value, &self.locals.tangents);
        let has_tangent = mode.returns_tangent() && !self.interface.seeds.is_empty();
        if self.returned().is_empty() {
            return (code!(#call;), self.signature.failure.is_some().then(|| code!(())));
        }
        let converted = |record: &Option<Rc<_>>, ty, is_batched, like: &Code, from: &Code| match record {
            Some(record) => {
                let around_values = levels(ty, is_batched);
                Conversion::new(self, record).values(&around_values, like, from, &code!(::std::vec::Vec<_>))
            }
            None => from.clone(),
        };
        let values = inner.returned().iter().enumerate().map(|(at, member)| {
            let place = self.returned_at(value, at);
            converted(&member.product_of, &self.returned()[at].ty, false, &place, &place)
        });
        let result = match self.signature.result {
            ResultShape::Tuple(_) => code!((#(#values,)*)),
            ResultShape::One(_) | ResultShape::Unit => code!(#(#values)*),
        };
        if !has_tangent {
            return (code!(let #value = #call;), Some(result));
        }
        let (is_batched, count) = (mode.is_batched(&[Derivative::Tangent]), self.interface.seeds.len());
        let tangents = self.interface.seeds.iter().zip(&inner.interface.seeds).enumerate().filter_map(
            |(at, (seed, of_body))| {
                let index = syn::Index::from(at);
                let from = if count == 1 { code!(#tangent) } else { code!(#tangent.#index) };
                let like = self.returned_of(value, seed)?;
                Some(converted(&of_body.member.product_of, &seed.member.ty, is_batched, &like, &from))
            },
        );
        let tangents: Vec<Code> = tangents.collect();
        let tangents = if count == 1 { code!(#(#tangents)*) } else { code!((#(#tangents),*)) };
        // tangents are of the variants of the values, which are converted last
        let made = Ident::new("made", Span::mixed_site());
        (code!(let (#value, #tangent) = #call;), Some(code!({ let #made = #tangents; (#result, #made) })))
    }
}

/// The part of an argument that a body takes.
fn part(own: &Argument<'_>, product: &Product, around: &[Level]) -> Code {
    let (name, way) = (&own.name, members(&product.way));
    let is_reference = match own.param.kind {
        ParamKind::Scalar => !own.is_primal() && own.access != Access::Read,
        _ => true,
    };
    match product.way.is_empty() && around.is_empty() && is_reference {
        true => code!((*#name)),
        false => code!(#name #way),
    }
}

/// The type of a product of an argument, owned.
pub(super) fn owned_type(argument: &Argument<'_>) -> Code {
    match argument.batch {
        Some(width) => owned(&batched(&argument.param.ty, width)),
        None => owned(&argument.param.ty),
    }
}

/// The variants of the enums and options in a product by which a tape is known, in words and as code.
pub(super) fn variants(primal: &Argument<'_>) -> Vec<(String, Code)> {
    fn of(record: &Record, text: &str, place: &Code, all: &mut Vec<(String, Code)>) {
        if record.is_option {
            all.push((format!("`{text}.is_some()`"), code!(#place.0)));
        } else if record.holds_values() {
            all.push((format!("the variant of `{text}`"), code!(#place.0)));
        }
        for (at, field) in record.fields.iter().enumerate() {
            if let Content::Record(inner) = &field.content
                && inner.has_sum_types()
            {
                let index = syn::Index::from(at);
                let member = match record.is_option || record.is_enum() {
                    true => String::new(),
                    false => super::contract_lent::shown([&field.member]),
                };
                of(inner, &format!("{text}{member}"), &code!(#place.#index), all);
            }
        }
    }
    let (mut all, name) = (Vec::new(), &primal.name);
    if let Some(Product { of: own, way, record: Some(record), .. }) = primal.param.product.as_deref()
        && matches!(primal.param.kind, ParamKind::Scalar | ParamKind::ScalarRef { .. })
    {
        let text = format!("{}{}", unraw(own), super::contract_lent::shown(way));
        of(record, &text, &code!(#name), &mut all);
    }
    all
}
