//! What bodies wrote to products, written to values in place.
//!
//! ```text
//! spring.stiffness = product.1;                       // of `struct Spring { name: String, stiffness: f64 }`
//! ```

use super::contract_records::respanned;
use super::conversions::{Conversion, Level, discriminant, has_products};
use super::{Code, code};
use crate::signature::{Content, Record};
use syn::Index;

impl Conversion<'_> {
    /// Writes products to values; fields whose types are not known stay.
    pub(super) fn stored(&self, levels: &[Level], place: &Code, from: &Code) -> Code {
        if !self.record.has_unknown() {
            let values = self.values(levels, from, from, &code!(::std::vec::Vec<_>));
            return match levels.first() {
                Some(Level::Slice) => {
                    code!(for (place, value) in #place.iter_mut().zip(#values) { *place = value; })
                }
                _ => code!(#place = #values;),
            };
        }
        let Some((_, inner)) = levels.split_first() else {
            return self.record_stored(self.record, place, from);
        };
        let at = self.fresh("at");
        let each = self.stored(inner, &code!(#place[#at]), &code!(#from[#at]));
        code!(for #at in 0..#from.len() { #each })
    }

    fn record_stored(&self, record: &Record, place: &Code, from: &Code) -> Code {
        let fields = record.fields.iter().enumerate().map(|(at, field)| {
            let (member, index) = (respanned(&field.member), Index::from(at));
            self.content_stored(&field.content, &code!(#place.#member), &code!(#from.#index))
        });
        fields.collect()
    }

    fn content_stored(&self, content: &Content, place: &Code, from: &Code) -> Code {
        match content {
            Content::Unknown { .. } => code!(),
            Content::Record(record) if record.has_unknown() => self.record_stored(record, place, from),
            Content::Array(elem) if elem.record().is_some_and(|record| record.has_unknown()) => {
                let at = self.fresh("at");
                let each = self.content_stored(elem, &code!(#place[#at]), &code!(#from[#at]));
                code!(for #at in 0..#from.len() { #each })
            }
            content => {
                let value = self.value(content, from, from);
                code!(#place = #value;)
            }
        }
    }

    /// Writes the floats of products to values, which become of the variants of `like`. Where an option has no value,
    /// its derivative becomes `None` if `is_through`, as behind a `&mut`, and stays otherwise.
    pub(super) fn written(
        &self,
        levels: &[Level],
        place: &Code,
        [like, from]: [&Code; 2],
        is_through: bool,
    ) -> Code {
        let Some((level, inner)) = levels.split_first() else {
            return self.record_written(self.record, place, [like, from], is_through);
        };
        let at = self.fresh("at");
        let like = if *level == Level::Batch { like.clone() } else { code!(#like[#at]) };
        let each = self.written(inner, &code!(#place[#at]), [&like, &code!(#from[#at])], is_through);
        code!(for #at in 0..#from.len() { #each })
    }

    fn record_written(
        &self,
        record: &Record,
        place: &Code,
        [like, from]: [&Code; 2],
        is_through: bool,
    ) -> Code {
        if record.is_private() {
            let value = self.value_of(record, like, from);
            return code!(#place = #value;);
        }
        let field = |at: usize, place: &Code| {
            let index = Index::from(at);
            let parts = [&code!(#like.#index), &code!(#from.#index)];
            self.content_written(&record.fields[at].content, place, parts, is_through)
        };
        if record.is_option {
            let (held, other) = (self.fresh("held"), self.fresh("other"));
            let inner = field(1, &code!((*#held)));
            let (value, none) = (self.value_of(record, like, from), code!(::core::option::Option::None));
            let absent = is_through.then(|| code!(*#other = #none;));
            return code! {
                match (#like.0, &mut #place) {
                    (true, ::core::option::Option::Some(#held)) => { #inner }
                    (true, #other) => *#other = #value,
                    (false, #other) => { #absent }
                }
            };
        }
        if record.is_enum() {
            if !record.holds_values() {
                return code!();
            }
            let arms = record.variants.iter().map(|variant| {
                let (pattern, held) = self.pattern(record, variant);
                let number = discriminant(variant);
                let parts = variant.holds.iter().zip(&held);
                let written: Code = parts.map(|((_, at), held)| field(*at, &code!((*#held)))).collect();
                code!((#pattern, #number) => { #written })
            });
            let arms: Vec<Code> = arms.collect();
            let (other, value) = (self.fresh("other"), self.value_of(record, like, from));
            return code! {
                match (&mut #place, #like.0) { #(#arms)* (#other, _) => *#other = #value, }
            };
        }
        let fields = record.fields.iter().enumerate().map(|(at, of)| {
            let member = respanned(&of.member);
            field(at, &code!(#place.#member))
        });
        fields.collect()
    }

    fn content_written(
        &self,
        content: &Content,
        place: &Code,
        [like, from]: [&Code; 2],
        is_through: bool,
    ) -> Code {
        match content {
            Content::Record(record) if record.has_products() => {
                self.record_written(record, place, [like, from], is_through)
            }
            Content::Record(record) if record.of_crate.is_some() && record.has_floats() => {
                code!(#place = #from.clone();)
            }
            Content::Record(record) => {
                let fields = record.fields.iter().map(|field| {
                    let member = respanned(&field.member);
                    let [place, from] = [place, from].map(|of| code!(#of.#member));
                    self.content_written(&field.content, &place, [like, &from], is_through)
                });
                fields.collect()
            }
            Content::Array(elem) if elem.record().is_some() => {
                let at = self.fresh("at");
                let like = if has_products(elem) { code!(#like[#at]) } else { like.clone() };
                let [place, of] = [place, from].map(|of| code!(#of[#at]));
                let each = self.content_written(elem, &place, [&like, &of], is_through);
                code!(for #at in 0..#from.len() { #each })
            }
            content if content.has_floats() => code!(#place = #from;),
            _ => code!(),
        }
    }
}
