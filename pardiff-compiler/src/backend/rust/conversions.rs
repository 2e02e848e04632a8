//! Conversions of values to products in bodies, and back: of an enum what a variant holds, zeros for the others; of a type
//! with private members what the runtime says that it consists of.
//!
//! ```text
//! match &shape { Shape::Ball { radius } => (0, *radius, ZERO), Shape::Slab(sides) => (1, ZERO, *sides) }     // product
//! match product.0 { 0 => Shape::Ball { radius: product.1 }, _ => Shape::Slab(product.2) }                   // value
//! match (&mut d_shape, product.0) {                                                                         // written
//!     (Shape::Ball { radius }, 0) => *radius = d_product.1,
//!     (Shape::Slab(sides), 1) => *sides = d_product.2,
//!     (other, _) => *other = …the value…,
//! }
//! ```
//!
//! Which variant a derivative has is that of the value which it belongs to, `like`: derivatives of products have none.

use super::contract::Contract;
use super::contract_records::{Made, respanned};
use super::names::Names;
use super::reading::path;
use super::{Code, code, literal};
use crate::ir::Int;
use crate::signature::{Content, Record, Variant};
use proc_macro2::Ident;
use std::cell::RefCell;
use std::rc::Rc;
use syn::{Index, Type};

/// An array around values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    /// `[T]`
    Slice,
    /// `[T; N]`
    Array,
    /// The members of a batch, which one value stands for.
    Batch,
}

/// The arrays around the values of a type; in a batch the elements of the outermost one are arrays.
pub(super) fn levels(ty: &Type, is_batched: bool) -> Vec<Level> {
    fn of(ty: &Type) -> Vec<Level> {
        let (level, elem) = match super::contract_types::bare(ty) {
            Type::Reference(reference) => return of(&reference.elem),
            Type::Slice(slice) => (Level::Slice, &*slice.elem),
            Type::Array(array) => (Level::Array, &*array.elem),
            ty => match crate::signature::vector_element(ty) {
                Some(elem) => (Level::Slice, elem),
                None => return Vec::new(),
            },
        };
        std::iter::once(level).chain(of(elem)).collect()
    }
    let mut levels = of(ty);
    if is_batched {
        levels.insert(levels.len().min(1), Level::Batch);
    }
    levels
}

/// Of values of one type of records.
pub(super) struct Conversion<'a> {
    pub(super) runtime: &'a Code,
    pub(super) record: &'a Rc<Record>,
    names: RefCell<Names>,
}

/// A derivative and the value which it belongs to, in messages.
pub(super) struct Companion<'a> {
    /// The function.
    pub(super) function: &'a str,
    /// What it is.
    pub(super) word: &'a str,
    pub(super) name: &'a str,
    /// What the value is called.
    pub(super) of: &'a str,
}

impl<'a> Conversion<'a> {
    pub(super) fn new(contract: &'a Contract<'_>, record: &'a Rc<Record>) -> Conversion<'a> {
        let mut names = Names::default();
        contract.all_names().for_each(|name| names.take(name));
        Conversion { runtime: &contract.runtime, record, names: RefCell::new(names) }
    }

    pub(super) fn fresh(&self, word: &str) -> Ident {
        self.names.borrow_mut().fresh(word)
    }

    fn made(&self) -> Made<'a> {
        Made { runtime: self.runtime, path: None, keeps_floats: true }
    }

    /// The products of values.
    pub(super) fn products(&self, levels: &[Level], place: &Code) -> Code {
        let Some((level, inner)) = levels.split_first() else { return self.product_of(self.record, place) };
        let at = self.fresh("at");
        let (element, each) = (self.products(inner, &code!(#place[#at])), self.fresh("each"));
        let of_each = || self.products(inner, &code!((*#each)));
        match level {
            Level::Slice => {
                let element = of_each();
                code!(#place.iter().map(|#each| #element).collect::<::std::vec::Vec<_>>())
            }
            Level::Array | Level::Batch => code!(::core::array::from_fn(|#at| #element)),
        }
    }

    /// Products of zeros, as many as there are in a model.
    pub(super) fn zeros(&self, levels: &[Level], model: &Code) -> Code {
        let Some((level, inner)) = levels.split_first() else { return self.zero_of(self.record) };
        let element = self.zeros(inner, model);
        match level {
            Level::Slice => code!(#model.iter().map(|_| #element).collect::<::std::vec::Vec<_>>()),
            Level::Array | Level::Batch => code!(::core::array::from_fn(|_| #element)),
        }
    }

    /// The values of products, of the variants of `like`, as a `ty` where that is a vector.
    pub(super) fn values(&self, levels: &[Level], like: &Code, from: &Code, ty: &Code) -> Code {
        let Some((level, inner)) = levels.split_first() else {
            return self.value_of(self.record, like, from);
        };
        let at = self.fresh("at");
        let like = if *level == Level::Batch { like.clone() } else { code!(#like[#at]) };
        let element = self.values(inner, &like, &code!(#from[#at]), ty);
        match level {
            Level::Slice => code!((0..#from.len()).map(|#at| #element).collect::<#ty>()),
            Level::Array | Level::Batch => code!(::core::array::from_fn(|#at| #element)),
        }
    }

    /// The checks that derivatives are of the variants of `like`, both as products.
    pub(super) fn alike(&self, levels: &[Level], like: &Code, own: &Code, of: &Companion<'_>) -> Code {
        self.levels_alike(levels, [like, own], of, [String::new(), String::new()], &mut Vec::new())
    }

    fn levels_alike(
        &self,
        levels: &[Level],
        [like, own]: [&Code; 2],
        of: &Companion<'_>,
        [of_like, of_own]: [String; 2],
        at: &mut Vec<(Ident, bool)>,
    ) -> Code {
        let Some((level, inner)) = levels.split_first() else {
            return self.record_alike(self.record, [like, own], of, [&of_like, &of_own], at);
        };
        let name = self.fresh("at");
        // other lengths are found by the body
        let len = match level {
            Level::Slice => code!(#own.len().min(#like.len())),
            Level::Array | Level::Batch => code!(#own.len()),
        };
        let (like, of_like) = match level {
            Level::Batch => (like.clone(), of_like),
            _ => (code!(#like[#name]), of_like + "[{}]"),
        };
        at.push((name.clone(), *level != Level::Batch));
        let checks =
            self.levels_alike(inner, [&like, &code!(#own[#name])], of, [of_like, of_own + "[{}]"], at);
        at.pop();
        if checks.is_empty() { checks } else { code!(for #name in 0..#len { #checks }) }
    }

    fn product_of(&self, record: &Record, place: &Code) -> Code {
        if record.is_private() {
            let (runtime, held) = (self.runtime, self.fresh("held"));
            let fields = record.fields.iter().enumerate().map(|(at, field)| {
                let index = Index::from(at);
                self.product(&field.content, &code!(#held.#index))
            });
            return code!({ let #held = #runtime::known::Private::members(&#place); (#(#fields,)*) });
        }
        let arm = |variant: &Variant| {
            let (pattern, held) = self.pattern(record, variant);
            let values = self.fields_of(record, variant, &held);
            code!(#pattern => (#(#values,)*),)
        };
        if record.is_option {
            let (held, zero) = (self.fresh("held"), self.zero(&record.fields[1].content));
            let value = self.product(&record.fields[1].content, &code!((*#held)));
            return code! {
                match &#place {
                    ::core::option::Option::Some(#held) => (true, #value),
                    ::core::option::Option::None => (false, #zero),
                }
            };
        }
        if record.is_enum() {
            let arms = record.variants.iter().map(arm);
            return code!(match &#place { #(#arms)* });
        }
        let fields = record.fields.iter().map(|field| {
            let member = respanned(&field.member);
            self.product(&field.content, &code!(#place.#member))
        });
        code!((#(#fields,)*))
    }

    /// The members of the product of a variant.
    fn fields_of(&self, record: &Record, variant: &Variant, held: &[Ident]) -> Vec<Code> {
        let fields = record.fields.iter().enumerate().map(|(at, field)| {
            if at == 0 {
                return discriminant(variant);
            }
            match variant.holds.iter().position(|(_, held)| *held == at) {
                Some(position) => {
                    let name = &held[position];
                    self.product(&field.content, &code!((*#name)))
                }
                None => self.zero(&field.content),
            }
        });
        fields.collect()
    }

    fn product(&self, content: &Content, place: &Code) -> Code {
        match content {
            content if !has_products(content) => self.made().content(content, Some(place)),
            Content::Record(record) => self.product_of(record, place),
            Content::Array(elem) | Content::Vector(elem, _) => {
                let at = self.fresh("at");
                let element = self.product(elem, &code!(#place[#at]));
                code!(::core::array::from_fn(|#at| #element))
            }
            Content::Unknown { .. } => code!(()),
            Content::Scalar(_) | Content::Open => code!(#place),
        }
    }

    fn zero_of(&self, record: &Record) -> Code {
        let fields = record.fields.iter().map(|field| self.zero(&field.content));
        code!((#(#fields,)*))
    }

    fn zero(&self, content: &Content) -> Code {
        match content {
            content if !has_products(content) => self.made().content(content, None),
            Content::Record(record) => self.zero_of(record),
            Content::Array(elem) | Content::Vector(elem, _) => {
                let element = self.zero(elem);
                code!(::core::array::from_fn(|_| #element))
            }
            Content::Unknown { .. } => code!(()),
            Content::Scalar(_) | Content::Open => code!(),
        }
    }

    pub(super) fn value_of(&self, record: &Record, like: &Code, from: &Code) -> Code {
        let field = |at: usize| {
            let index = Index::from(at);
            self.value(&record.fields[at].content, &code!(#like.#index), &code!(#from.#index))
        };
        if record.is_option {
            let value = field(1);
            return code! {
                if #like.0 { ::core::option::Option::Some(#value) } else { ::core::option::Option::None }
            };
        }
        if let Some((last, others)) = record.variants.split_last() {
            let made = |variant: &Variant| {
                let path = path(record, variant);
                let held = variant.holds.iter().map(|(member, at)| {
                    let (member, value) = (respanned(member), field(*at));
                    code!(#member: #value)
                });
                code!(#path { #(#held),* })
            };
            let arms = others.iter().map(|variant| {
                let (number, made) = (discriminant(variant), made(variant));
                code!(#number => #made,)
            });
            let last = made(last);
            return code!(match #like.0 { #(#arms)* _ => #last });
        }
        let values = (0..record.fields.len()).map(field);
        if record.is_private() {
            let runtime = self.runtime;
            return code!(#runtime::known::Private::of_members((#(#values,)*)));
        }
        let Some(name) = record.name.as_ref().map(super::contract::generated) else {
            return code!((#(#values,)*));
        };
        let members = record.fields.iter().zip(values).map(|(field, value)| {
            let member = respanned(&field.member);
            code!(#member: #value)
        });
        code!(#name { #(#members),* })
    }

    pub(super) fn value(&self, content: &Content, like: &Code, from: &Code) -> Code {
        match content {
            content if !has_products(content) => self.made().content(content, Some(from)),
            Content::Record(record) => self.value_of(record, like, from),
            Content::Array(elem) | Content::Vector(elem, _) => {
                let at = self.fresh("at");
                let element = self.value(elem, &code!(#like[#at]), &code!(#from[#at]));
                code!(::core::array::from_fn(|#at| #element))
            }
            Content::Scalar(_) | Content::Open | Content::Unknown { .. } => code!(#from),
        }
    }

    fn record_alike(
        &self,
        record: &Record,
        [like, own]: [&Code; 2],
        of: &Companion<'_>,
        texts: [&str; 2],
        at: &mut Vec<(Ident, bool)>,
    ) -> Code {
        let mut checks = Code::new();
        if record.holds_values() {
            let runtime = self.runtime;
            let names: Vec<Code> =
                record.variants.iter().map(|variant| literal::string(&variant.name.to_string())).collect();
            let text = |name: &str, text: &str, is_own: bool| {
                let at = at.iter().filter(|(_, is_both)| is_own || *is_both).map(|(at, _)| at);
                let template = literal::string(&format!("{name}{text}"));
                code!(&::std::format!(#template #(, #at)*))
            };
            let (name, primal) = (text(of.name, texts[1], true), text(of.of, texts[0], false));
            let [function, word] = [of.function, of.word].map(literal::string);
            checks.push(code! {
                if #own.0 != #like.0 {
                    let variants = [#(#names),*];
                    #runtime::wrong_variant(
                        #function, #word, #name, variants[#own.0 as usize], #primal, variants[#like.0 as usize]
                    )
                }
            });
        }
        let inner: Code = (0..record.fields.len())
            .map(|position| {
                let field = &record.fields[position];
                let index = Index::from(position);
                let inner = [&code!(#like.#index), &code!(#own.#index)];
                let member = match () {
                    () if record.is_option || record.is_enum() => String::new(),
                    () => super::contract_lent::shown([&field.member]),
                };
                let [of_like, of_own] = texts.map(|text| format!("{text}{member}"));
                self.content_alike(&field.content, inner, of, [&of_like, &of_own], at)
            })
            .collect();
        checks.push(match record.is_option && !inner.is_empty() {
            true => code!(if #like.0 && #own.0 { #inner }),
            false => inner,
        });
        checks
    }

    fn content_alike(
        &self,
        content: &Content,
        [like, own]: [&Code; 2],
        of: &Companion<'_>,
        texts: [&str; 2],
        at: &mut Vec<(Ident, bool)>,
    ) -> Code {
        match content {
            Content::Record(record) if record.has_products() => {
                self.record_alike(record, [like, own], of, texts, at)
            }
            Content::Array(elem) if has_products(elem) => {
                let name = self.fresh("at");
                at.push((name.clone(), true));
                let parts = [&code!(#like[#name]), &code!(#own[#name])];
                let [of_like, of_own] = texts.map(|text| format!("{text}[{{}}]"));
                let checks = self.content_alike(elem, parts, of, [&of_like, &of_own], at);
                at.pop();
                if checks.is_empty() { checks } else { code!(for #name in 0..#own.len() { #checks }) }
            }
            _ => code!(),
        }
    }

    /// The pattern of a variant, with names for what it holds.
    pub(super) fn pattern(&self, record: &Record, variant: &Variant) -> (Code, Vec<Ident>) {
        let (path, held) = (path(record, variant), variant.holds.iter().map(|_| self.fresh("held")));
        let held: Vec<Ident> = held.collect();
        let members = variant.holds.iter().zip(&held).map(|((member, _), name)| {
            let member = respanned(member);
            code!(#member: #name)
        });
        (code!(#path { #(#members),* }), held)
    }
}

pub(super) fn has_products(content: &Content) -> bool {
    matches!(content, Content::Unknown { .. }) || content.record().is_some_and(|record| record.has_products())
}

pub(super) fn discriminant(variant: &Variant) -> Code {
    literal::int(Int::I64, i128::from(variant.discriminant), true)
}
