//! Lifetimes that a type leaves out, written out.
//!
//! ```text
//! struct Data<'a> { x: &'a [f64] }        data: &Data  =>  data: &Data<'_>        -> Data  =>  -> Data<'static>
//! ```
//!
//! rustc fills them in from the whole signature. The stub of a function that is refused has other signatures, and a
//! struct, so that what it takes from the function must not leave any out.

use crate::visit::changing::{self as visit_mut, VisitMut};
use std::collections::HashMap;
use syn::{GenericArgument, Generics, Item, Lifetime, Path, PathArguments, Type, TypeReference, parse_quote};

/// How many lifetimes the types of a module have, by name, where they have some.
#[derive(Clone, Debug, Default)]
pub(super) struct Lifetimes(HashMap<String, usize>);

impl Lifetimes {
    /// Those of the types among the items.
    pub(super) fn read(items: &[Item]) -> Lifetimes {
        let declared = items.iter().filter_map(|item| match item {
            Item::Struct(item) => Some((&item.ident, &item.generics)),
            Item::Enum(item) => Some((&item.ident, &item.generics)),
            Item::Type(item) => Some((&item.ident, &item.generics)),
            _ => None,
        });
        let count = |generics: &Generics| generics.lifetimes().count();
        let counts = declared.map(|(name, generics)| (name.to_string(), count(generics)));
        Lifetimes(counts.filter(|(_, count)| *count > 0).collect())
    }

    /// The type with the lifetimes that its names hide.
    pub(super) fn written_out(&self, ty: &Type) -> Type {
        let mut ty = ty.clone();
        WriteOut { lifetimes: self, lifetime: &parse_quote!('_), in_references: false }
            .visit_type_mut(&mut ty);
        ty
    }

    /// The type of what lives for ever: every lifetime that is left out is `'static`.
    pub(super) fn lasting(&self, ty: &Type) -> Type {
        let mut ty = ty.clone();
        WriteOut { lifetimes: self, lifetime: &parse_quote!('static), in_references: true }
            .visit_type_mut(&mut ty);
        ty
    }
}

struct WriteOut<'a> {
    lifetimes: &'a Lifetimes,
    lifetime: &'a Lifetime,
    in_references: bool,
}

impl VisitMut for WriteOut<'_> {
    fn visitor(&mut self) -> &mut dyn VisitMut {
        self
    }

    fn visit_path_mut(&mut self, path: &mut Path) {
        visit_mut::visit_path_mut(self, path);
        let Some(last) = path.segments.last_mut() else { return };
        let Some(&count) = self.lifetimes.0.get(&last.ident.to_string()) else { return };
        let lifetime = self.lifetime;
        match &mut last.arguments {
            PathArguments::AngleBracketed(written) => {
                let is_lifetime = |arg: &GenericArgument| matches!(arg, GenericArgument::Lifetime(_));
                if !written.args.iter().any(is_lifetime) {
                    (0..count).for_each(|_| written.args.insert(0, parse_quote!(#lifetime)));
                }
            }
            arguments => {
                let hidden = vec![lifetime; count];
                *arguments = PathArguments::AngleBracketed(parse_quote!(<#(#hidden),*>));
            }
        }
    }

    fn visit_type_reference_mut(&mut self, reference: &mut TypeReference) {
        visit_mut::visit_type_reference_mut(self, reference);
        if self.in_references && reference.lifetime.is_none() {
            reference.lifetime = Some(self.lifetime.clone());
        }
    }

    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        if lifetime.ident == "_" {
            *lifetime = self.lifetime.clone();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::ToTokens;

    #[test]
    fn hidden_lifetimes_are_shown() {
        let file: syn::File = parse_quote! {
            struct Data<'a> { x: &'a [f64] }
            struct Pair<'a, 'b, T> { x: &'a [T], y: &'b [T] }
            struct Plain { x: f64 }
        };
        let lifetimes = Lifetimes::read(&file.items);
        for (of, is) in [
            ("&Data", "& Data < '_ >"),
            ("[Option<Data>; 2]", "[Option < Data < '_ > > ; 2]"),
            ("Pair<f64>", "Pair < '_ , '_ , f64 >"),
            ("Data<'a>", "Data < 'a >"),
            ("&Plain", "& Plain"),
        ] {
            let ty: Type = syn::parse_str(of).expect(of);
            assert_eq!(lifetimes.written_out(&ty).to_token_stream().to_string(), is);
        }
        let lasting = lifetimes.lasting(&parse_quote!((&[f64], Data, Pair<'a, '_, f64>)));
        let expected = "(& 'static [f64] , Data < 'static > , Pair < 'a , 'static , f64 >)";
        assert_eq!(lasting.to_token_stream().to_string(), expected);
    }
}
