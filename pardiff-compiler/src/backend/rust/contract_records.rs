//! Structs in the contract: their names inside the module, zeros of their floats, values whose other members are those of
//! the primal.

use super::contract_types::referent;
use super::reading::path;
use super::{Code, code, literal};
use crate::ir::Int;
use crate::signature::{Content, Field, Leaf, Param, ParamKind, Record, Signature, sharing_pointer};
use crate::visit::changing::{self as visit_mut, VisitMut};
use proc_macro2::{Ident, Span};
use quote::format_ident;
use syn::{Member, Type};

/// Writes the structs of the type as they are named inside the module `f`: they stand beside it.
pub(super) fn outside(ty: &mut Type, signature: &Signature) {
    struct Outside(Vec<Ident>);
    impl VisitMut for Outside {
        fn visitor(&mut self) -> &mut dyn VisitMut {
            self
        }

        fn visit_path_mut(&mut self, path: &mut syn::Path) {
            visit_mut::visit_path_mut(self, path);
            let own = path.segments.first().is_some_and(|first| first.ident == "self");
            if let Some(last) = path.segments.last()
                && (path.segments.len() == 1 || own)
                && self.0.contains(&last.ident)
            {
                let last = last.clone();
                *path = syn::parse_quote!(super::#last);
            }
        }
    }
    let params = signature.params.iter().filter_map(|param| param.record.as_ref());
    let results = signature.result.members().iter().filter_map(|member| member.record.as_ref());
    let records = params.chain(results).flat_map(|record| record.names());
    let borrowed = signature.borrowed.iter().flat_map(|of| &of.records);
    Outside(records.chain(borrowed).cloned().collect()).visit_type_mut(ty);
}

/// Sets one member of the adjoint of a parameter to zero.
pub(super) fn cleared(name: &Ident, leaf: &Leaf, kind: ParamKind, runtime: &Code) -> Code {
    let array = matches!(kind, ParamKind::Slice { .. } | ParamKind::ArrayRef { .. } | ParamKind::Array);
    let depth = leaf.path.last().map_or(0, |(depth, _)| *depth);
    debug_assert!(array || leaf.path.first().is_none_or(|(depth, _)| *depth == 0));
    let record = Ident::new("record", Span::mixed_site());
    let mut place = code!(#name);
    let mut loops = Vec::new();
    for at in 0..=depth {
        let members = leaf.path.iter().filter(|(depth, _)| *depth == at).map(|(_, member)| code!(.#member));
        place = code!(#place #(#members)*);
        if at < depth {
            loops.push(code!(for #record in #place.iter_mut()));
            place = code!(#record);
        }
    }
    let clear = code!(#place = #runtime::Zero::ZERO;);
    loops.into_iter().rev().fold(clear, |body, head| code!(#head { #body }))
}

/// How a value is made after the model of another one, or of none.
pub(super) struct Made<'a> {
    /// The path of the runtime.
    pub(super) runtime: &'a Code,
    /// The path of the module of its struct from where it is made.
    pub(super) path: Option<Code>,
    /// Whether floats are those of the model, and not zero.
    pub(super) keeps_floats: bool,
}

impl Made<'_> {
    /// A value of the parameter's own shape, newly allocated; what are no floats is the model's.
    pub(super) fn like(&self, param: &Param, record: &Record, model: &Ident) -> Code {
        let each = Ident::new("each", Span::mixed_site());
        if let Some(elem) = &param.elements {
            return self.elements(elem, model);
        }
        match referent(&param.ty) {
            Type::Slice(slice) => {
                let element = self.value(&slice.elem, record, code!(#each));
                code!(#model.iter().map(|#each| #element).collect())
            }
            ty => self.value(ty, record, code!(#model)),
        }
    }

    /// The same of the elements of a slice.
    pub(super) fn elements(&self, elem: &Content, model: &Ident) -> Code {
        let each = Ident::new("each", Span::mixed_site());
        let element = self.content(elem, Some(&code!((*#each))));
        code!(#model.iter().map(|#each| #element).collect())
    }

    pub(super) fn value(&self, ty: &Type, record: &Record, model: Code) -> Code {
        match super::contract_types::bare(ty) {
            Type::Array(array) => {
                let [at, each] = ["at", "each"].map(|name| Ident::new(name, Span::mixed_site()));
                if !matches!(super::contract_types::bare(&array.elem), Type::Array(_)) {
                    let element = self.value(&array.elem, record, code!(#model[#at]));
                    return code!(::core::array::from_fn(|#at| #element));
                }
                // an index for each dimension
                let element = self.value(&array.elem, record, code!(#each));
                code!(::core::array::from_fn(|#at| { let #each = &#model[#at]; #element }))
            }
            _ => self.content_of(record, Some(&model)),
        }
    }

    fn literal(&self, record: &Record, model: Option<&Code>) -> Code {
        if record.of_crate.is_some() {
            let runtime = self.runtime;
            return match model.filter(|_| record.is_open()) {
                Some(model) => code!(#runtime::known::zeros_like(&#model)),
                None => code!(#runtime::Zero::ZERO),
            };
        }
        let values = record.fields.iter().map(|field| {
            let member = &field.member;
            let of = model.map(|model| code!(#model.#member));
            let value = self.content(&field.content, of.as_ref());
            match sharing_pointer(&field.ty).filter(|_| !self.is_cloned(&field.content)) {
                Some(_) => code!({ let elements: ::std::vec::Vec<_> = #value; elements.into() }),
                None => value,
            }
        });
        let Some(name) = &record.name else { return code!((#(#values,)*)) };
        let is_unknown = |field: &Field| matches!(field.content, Content::Unknown { .. });
        if let Some(model) = model.filter(|_| record.fields.iter().any(is_unknown)) {
            // such a field may be private here
            let made = Ident::new("made", Span::mixed_site());
            let known = record.fields.iter().zip(values).filter(|(field, _)| !is_unknown(field));
            let fields = known.map(|(field, value)| {
                let member = respanned(&field.member);
                code!(#made.#member = #value;)
            });
            let fields: Vec<Code> = fields.collect();
            let mutable = (!fields.is_empty()).then(|| code!(mut));
            return code!({ let #mutable #made = #model.clone(); #(#fields)* #made });
        }
        let name = super::contract::generated(name);
        let prefix = self.path.as_ref().map(|path| code!(#path::));
        let fields = record.fields.iter().zip(values).map(|(field, value)| {
            let member = respanned(&field.member);
            code!(#member: #value)
        });
        code!(#prefix #name { #(#fields),* })
    }

    /// A variant of an enum that holds nothing.
    fn variant(&self, of: &Record, variant: Option<Ident>) -> Code {
        let names: Vec<Ident> = of.name.iter().chain(&variant).map(super::contract::generated).collect();
        let prefix = self.path.as_ref().map(|path| code!(#path::));
        match &names[..] {
            [of, variant] => code!(#prefix #of::#variant),
            _ => code!(::core::unreachable!()),
        }
    }

    /// A value of the variant of the model.
    fn variant_like(&self, record: &Record, model: &Code) -> Code {
        let prefix = self.path.as_ref().map(|path| code!(#path::));
        let arms = record.variants.iter().map(|variant| {
            let path = path(record, variant);
            let held = |at: usize| format_ident!("held_{at}", span = Span::mixed_site());
            let members = variant.holds.iter().map(|(member, at)| {
                let (member, held) = (respanned(member), held(*at));
                code!(#member: #held)
            });
            let values = variant.holds.iter().map(|(member, at)| {
                let (member, held) = (respanned(member), held(*at));
                let value = self.content(&record.fields[*at].content, Some(&code!((*#held))));
                code!(#member: #value)
            });
            code!(#prefix #path { #(#members),* } => #prefix #path { #(#values),* },)
        });
        code!(match &#model { #(#arms)* })
    }

    fn content_of(&self, record: &Record, model: Option<&Code>) -> Code {
        match model {
            Some(model) if record.is_option => {
                let each = Ident::new("each", Span::mixed_site());
                let value = record.fields.last().map(|it| self.content(&it.content, Some(&code!((*#each)))));
                code!(::core::option::Option::as_ref(&#model).map(|#each| #value))
            }
            None if record.is_option => code!(::core::option::Option::None),
            Some(model) if record.holds_values() && !self.keeps_floats && record.has_floats() => {
                self.variant_like(record, model)
            }
            Some(model) if record.is_moved() && record.derives("Clone") => code!(#model.clone()),
            Some(model) if record.is_moved() => self.variant_like(record, model),
            Some(model) if record.of_crate.is_some() && self.keeps_floats => code!(#model.clone()),
            Some(model) if record.is_enum() => model.clone(),
            None if record.is_enum() => {
                let first = record.variants.first().map(|variant| variant.name.clone());
                self.variant(record, first)
            }
            model => self.literal(record, model),
        }
    }

    /// Whether a vector is a clone of that of the model.
    fn is_cloned(&self, content: &Content) -> bool {
        match content {
            Content::Vector(elem, _) if elem.record().is_some() || elem.is_vector() => false,
            content => self.keeps_floats || !content.has_floats(),
        }
    }

    pub(super) fn content(&self, content: &Content, model: Option<&Code>) -> Code {
        let runtime = self.runtime;
        match (content, model) {
            (Content::Record(record), model) => self.content_of(record, model),
            (Content::Array(elem), model) if elem.record().is_some() => {
                let at = Ident::new("at", Span::mixed_site());
                let of = model.map(|model| code!(#model[#at]));
                let index = if model.is_some() { code!(#at) } else { code!(_) };
                if let (Content::Array(_), Some(of)) = (&**elem, &of) {
                    // an index for each dimension
                    let each = Ident::new("each", Span::mixed_site());
                    let element = self.content(elem, Some(&code!(#each)));
                    return code!(::core::array::from_fn(|#index| { let #each = &#of; #element }));
                }
                let element = self.content(elem, of.as_ref());
                code!(::core::array::from_fn(|#index| #element))
            }
            (Content::Vector(elem, _), Some(model)) if elem.record().is_some() || elem.is_vector() => {
                let each = Ident::new("each", Span::mixed_site());
                let element = self.content(elem, Some(&code!((*#each))));
                code!(#model.iter().map(|#each| #element).collect())
            }
            (Content::Vector(..), Some(model)) => match self.is_cloned(content) {
                true => code!(#model.clone()),
                false => code!(#model.iter().map(|_| #runtime::Zero::ZERO).collect()),
            },
            (content, Some(model)) if self.keeps_floats || !content.has_floats() => model.clone(),
            _ => code!(#runtime::Zero::ZERO),
        }
    }
}

/// Puts an enum that is returned into its place, by the discriminant that was computed.
///
/// ```text
/// result.shape = match result_kind { 0 => Shape::Flat, 4 => Shape::Round, _ => Shape::Other };
/// ```
pub(super) fn chosen(of: &Record, leaf: &Leaf, result: &Ident, kind: &Ident, runtime: &Code) -> Option<Code> {
    let mut record = of;
    let mut way = Code::new();
    for (_, member) in &leaf.path {
        if record.is_enum() {
            break;
        }
        let field = record.fields.iter().find(|field| field.member == *member)?;
        let member = respanned(member);
        way.push(code!(.#member));
        record = field.content.record()?;
    }
    let (last, others) = record.variants.split_last()?;
    let made = Made { runtime, path: None, keeps_floats: false };
    let arms = others.iter().map(|variant| {
        let (number, made) = (
            literal::int(Int::I64, variant.discriminant.into(), false),
            made.variant(record, Some(variant.name.clone())),
        );
        code!(#number => #made,)
    });
    let last = made.variant(record, Some(last.name.clone()));
    Some(code!(#result #way = match #kind { #(#arms)* _ => #last };))
}

/// A value for a result before it is computed, beside the function.
pub(crate) fn initial(ty: &Type, record: Option<&Record>, runtime: &Code) -> Code {
    match (super::contract_types::bare(ty), record) {
        (_, None) => code!(#runtime::Zero::ZERO),
        (Type::Array(array), record) => {
            let element = initial(&array.elem, record, runtime);
            code!(::core::array::from_fn(|_| #element))
        }
        (_, Some(record)) => Made { runtime, path: None, keeps_floats: false }.content_of(record, None),
    }
}

/// A place that is written to; what is shared there becomes its own first.
pub(super) fn written_place(place: Code, pointer: Option<&Ident>) -> Code {
    match pointer {
        Some(pointer) if pointer == "Arc" => code!((*::std::sync::Arc::make_mut(&mut #place))),
        Some(_) => code!((*::std::rc::Rc::make_mut(&mut #place))),
        None => place,
    }
}

/// The field by name, with the hygiene of generated code.
pub(super) fn respanned(member: &Member) -> Code {
    super::user(&member)
}
