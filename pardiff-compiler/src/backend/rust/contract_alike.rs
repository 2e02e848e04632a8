//! Checks of derivatives of elements with vectors: an adjoint or a tangent has vectors as long as the value, and is of
//! the same variants.
//!
//! ```text
//! if d_layers.len() != layers.len() { …panic… }
//! for (at, (each, each_of)) in d_layers.iter_mut().zip(layers.iter()).enumerate() {
//!     if each.weights.len() != each_of.weights.len() { …panic… }
//!     match (&each.act, &each_of.act) { (Act::Leaky(..), Act::Leaky(..)) => {}, …, _ => …panic… }
//!     if let Some(of) = &each_of.bias { each.bias.get_or_insert_with(|| …zeros…); … }
//! }
//! ```

use super::contract::Contract;
use super::contract_lent::{called, shown};
use super::contract_records::{Made, respanned};
use super::reading::path;
use super::{Code, code, literal};
use crate::backend::interface::{Access, Argument};
use crate::signature::{Content, Record};
use proc_macro2::{Ident, Span};
use quote::format_ident;
use syn::Member;

/// A derivative and its model: what both are called, with a `{}` for each index, and where they are.
pub(super) struct Compared {
    pub(super) names: [String; 2],
    pub(super) places: [Code; 2],
    pub(super) indices: Vec<Ident>,
    /// Whether options of the derivative that are `None` get zeros.
    pub(super) fills: bool,
}

impl Compared {
    fn member(&self, member: &Member) -> Compared {
        let own = respanned(member);
        Compared {
            names: self.names.each_ref().map(|name| format!("{name}{}", shown([member]))),
            places: self.places.each_ref().map(|place| code!(#place.#own)),
            indices: self.indices.clone(),
            fills: self.fills,
        }
    }

    /// What both hold.
    fn held(&self, [own, of]: [&Ident; 2]) -> Compared {
        Compared {
            names: self.names.clone(),
            places: [code!((*#own)), code!((*#of))],
            indices: self.indices.clone(),
            fills: self.fills,
        }
    }
}

impl Contract<'_> {
    /// The checks that the vectors with floats in the elements of a companion are as long as those of its parameter,
    /// and that it is of the same variants.
    pub(super) fn lengths_in_elements(&self, argument: &Argument<'_>, elem: &Content) -> Code {
        let Argument { primal, name, .. } = argument;
        let compared = Compared {
            names: [name, primal].map(|name| called(argument, name)),
            places: [code!(#name), code!(#primal)],
            indices: Vec::new(),
            fills: argument.access != Access::Read,
        };
        if argument.param.product.as_ref().is_some_and(|product| product.is_one) {
            let places = [code!(#name[0]), code!(#primal[0])];
            return self.as_long_within(elem, argument.word(), Compared { places, ..compared }, false);
        }
        self.elements_as_long(elem, argument.word(), compared)
    }

    /// The checks that both have as many elements, whose vectors are as long.
    pub(super) fn elements_as_long(&self, elem: &Content, derivative: &str, compared: Compared) -> Code {
        let Compared { names: [name, model], places: [own, of], indices, fills } = &compared;
        let (runtime, function) = (&self.runtime, literal::string(&self.signature.shown()));
        let word = literal::string(derivative);
        let [name_text, model_text] = [name, model].map(|text| literal::string(text));
        let check = code! {
            if #own.len() != #of.len() {
                let (own_text, model_text) = (
                    ::std::format!(#name_text, #(#indices),*),
                    ::std::format!(#model_text, #(#indices),*),
                );
                #runtime::wrong_shape(#function, #word, &own_text, #own.len(), &model_text, #of.len())
            }
        };
        let at = format_ident!("at_{}", indices.len(), span = Span::mixed_site());
        let [each, each_of] = ["each", "each_of"].map(|name| Ident::new(name, Span::mixed_site()));
        let inner = Compared {
            names: [name, model].map(|name| format!("{name}[{{}}]")),
            places: match elem {
                Content::Record(record) if record.is_sum() => [code!((*#each)), code!((*#each_of))],
                _ => [code!(#each), code!(#each_of)],
            },
            indices: indices.iter().cloned().chain([at.clone()]).collect(),
            fills: *fills,
        };
        let inner = self.as_long_within(elem, derivative, inner, false);
        if inner.is_empty() {
            return check;
        }
        let is_filled = *fills && elem.record().is_some_and(|record| record.has_options());
        let by = if is_filled { code!(iter_mut) } else { code!(iter) };
        code! {
            #check
            for (#at, (#each, #each_of)) in #own.#by().zip(#of.iter()).enumerate() { #inner }
        }
    }

    /// The same of the vectors in a value.
    fn as_long_within(
        &self,
        content: &Content,
        derivative: &str,
        compared: Compared,
        of_crate: bool,
    ) -> Code {
        match content {
            Content::Record(record) if record.is_option && record.has_floats() => {
                self.options_alike(record, derivative, compared)
            }
            Content::Record(record) if record.is_option => Code::new(),
            Content::Record(record) if record.is_enum() => self.variants_alike(record, derivative, compared),
            Content::Record(record) => {
                let fields = record.fields.iter().map(|field| {
                    let compared = compared.member(&field.member);
                    self.as_long_within(&field.content, derivative, compared, record.of_crate.is_some())
                });
                fields.collect()
            }
            Content::Vector(elem, _) if elem.has_floats() => {
                let places = compared.places.each_ref().map(|place| match of_crate {
                    true => code!(#place.as_slice()),
                    false => place.clone(),
                });
                self.elements_as_long(elem, derivative, Compared { places, ..compared })
            }
            _ => Code::new(),
        }
    }

    /// The same of options. Where the value is there, that of an adjoint is zero if it is `None`, and a tangent has
    /// the vectors.
    fn options_alike(&self, record: &Record, derivative: &str, compared: Compared) -> Code {
        let [own, of] = ["own", "of"].map(|name| Ident::new(name, Span::mixed_site()));
        let ([own_place, of_place], value) = (&compared.places, &record.fields[1].content);
        let inner = self.as_long_within(value, derivative, compared.held([&own, &of]), false);
        if compared.fills {
            let made = Made { runtime: &self.runtime, path: None, keeps_floats: false };
            let zero = made.content(value, Some(&code!((*#of))));
            return code! {
                if let ::core::option::Option::Some(#of) = &#of_place {
                    let #own = #own_place.get_or_insert_with(|| #zero);
                    #inner
                }
            };
        }
        let absent = value.has_vectors().then(|| {
            let wrong = self.wrong_variant(derivative, &compared, [code!("None"), code!("Some")]);
            code!((::core::option::Option::None, ::core::option::Option::Some(_)) => #wrong,)
        });
        if inner.is_empty() && absent.is_none() {
            return Code::new();
        }
        code! {
            match (&#own_place, &#of_place) {
                (::core::option::Option::Some(#own), ::core::option::Option::Some(#of)) => { #inner }
                #absent
                _ => {}
            }
        }
    }

    /// The same of enums.
    fn variants_alike(&self, record: &Record, derivative: &str, compared: Compared) -> Code {
        if !record.holds_values() {
            return Code::new();
        }
        let reference = if compared.fills && record.has_options() { code!(&mut) } else { code!(&) };
        let held = |word: &str, at: usize| format_ident!("{word}_{at}", span = Span::mixed_site());
        let arms = record.variants.iter().map(|variant| {
            let parts = variant.holds.iter().map(|(member, at)| {
                let (member, own, of) = (respanned(member), held("own", *at), held("of", *at));
                let of_it = compared.held([&own, &of]);
                let inner = self.as_long_within(&record.fields[*at].content, derivative, of_it, false);
                (code!(#member: #own,), code!(#member: #of,), inner)
            });
            let parts: Vec<_> = parts.filter(|(.., inner)| !inner.is_empty()).collect();
            let path = path(record, variant);
            let (own, of) = (parts.iter().map(|it| &it.0), parts.iter().map(|it| &it.1));
            let inner = parts.iter().map(|it| &it.2);
            code!((#path { #(#own)* .. }, #path { #(#of)* .. }) => { #(#inner)* })
        });
        let [own_place, of_place] = &compared.places;
        let names = [own_place, of_place].map(|place| {
            let arms = record.variants.iter().map(|variant| {
                let (path, name) = (path(record, variant), literal::string(&variant.name.to_string()));
                code!(#path { .. } => #name,)
            });
            code!(match &#place { #(#arms)* })
        });
        let wrong = self.wrong_variant(derivative, &compared, names);
        let others = (record.variants.len() > 1).then(|| code!(_ => #wrong,));
        code!(match (#reference #own_place, &#of_place) { #(#arms)* #others })
    }

    fn wrong_variant(&self, derivative: &str, compared: &Compared, [own, of]: [Code; 2]) -> Code {
        let Compared { names: [name, model], indices, .. } = compared;
        let (runtime, function) = (&self.runtime, literal::string(&self.signature.shown()));
        let [word, name, model] = [derivative, name, model].map(literal::string);
        code! {
            #runtime::wrong_variant(
                #function, #word, &::std::format!(#name, #(#indices),*), #own,
                &::std::format!(#model, #(#indices),*), #of
            )
        }
    }
}
