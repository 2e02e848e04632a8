//! Parameters for the sizes of types of known crates: what `with` says of one holds in the whole item.
//!
//! ```text
//! struct Filter<T: RealField, const N: usize> { p: SMatrix<T, N, N> }
//! impl<T: RealField, const N: usize> Filter<T, N> {
//!     #[differentiate(with(T = f64, N = 2))] fn predict(&mut self) { … }
//! }
//! struct Filter { p: Matrix2 }
//! ```
//!
//! *Comes in*: the item with its attributes. *Goes out*: what the parameters stand for that `with` names. *Guarantees*:
//! wherever the item writes an argument for such a parameter, it is that size, or the parameter is left out.

use crate::frontend;
use crate::frontend::known_crates::size;
use crate::visit::{self, Visit};
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::HashMap;
use syn::parse::Parser;
use syn::{GenericArgument, GenericParam, Generics, ImplItem, Item, Path, PathArguments, Type};

/// What parameters for sizes stand for, by their names: a number, or a type such as `U3`.
pub(super) fn given(item: &Item, attr: &TokenStream, used: &[Item]) -> HashMap<String, Type> {
    let mut found: HashMap<String, Vec<Type>> = HashMap::new();
    for (param, of) in frontend::given_in(quote::quote!(#[differentiate(#attr)] #item)) {
        if size(&of).is_some() {
            found.entry(param.to_string()).or_default().push(of);
        }
    }
    let is_one = |of: &[Type]| of.iter().all(|it| size(it) == size(&of[0]));
    let one = |(param, of): (String, Vec<Type>)| is_one(&of).then(|| (param, of[0].clone()));
    let mut sizes: HashMap<String, Type> = found.into_iter().filter_map(one).collect();
    if sizes.is_empty() {
        return sizes;
    }
    let mut declared = HashMap::new();
    used.iter().chain([item]).for_each(|item| declare(item, &mut declared));
    loop {
        let mut written = Arguments { declared: &declared, sizes: &sizes, others: Vec::new() };
        used.iter().chain([item]).for_each(|item| written.visit_item(item));
        let others = written.others;
        if others.iter().all(|param| !sizes.contains_key(param)) {
            return sizes;
        }
        others.iter().for_each(|param| drop(sizes.remove(param)));
    }
}

/// The parameters of items by the names of these, lifetimes apart.
fn declare(item: &Item, into: &mut HashMap<String, Vec<String>>) {
    let mut add = |name: &syn::Ident, generics: &Generics| {
        let name_of = |param: &GenericParam| match param {
            GenericParam::Type(param) => Some(param.ident.to_string()),
            GenericParam::Const(param) => Some(param.ident.to_string()),
            GenericParam::Lifetime(_) => None,
        };
        into.insert(name.to_string(), generics.params.iter().filter_map(name_of).collect());
    };
    match item {
        Item::Struct(of) => add(&of.ident, &of.generics),
        Item::Enum(of) => add(&of.ident, &of.generics),
        Item::Type(of) => add(&of.ident, &of.generics),
        Item::Trait(of) => add(&of.ident, &of.generics),
        Item::Fn(of) => add(&of.sig.ident, &of.sig.generics),
        Item::Impl(of) => {
            for part in &of.items {
                if let ImplItem::Fn(of) = part {
                    add(&of.sig.ident, &of.sig.generics);
                }
            }
        }
        Item::Mod(of) => of.content.iter().flat_map(|(_, items)| items).for_each(|item| declare(item, into)),
        _ => {}
    }
}

/// Finds parameters for which another size is written than the one that they stand for.
struct Arguments<'a> {
    declared: &'a HashMap<String, Vec<String>>,
    sizes: &'a HashMap<String, Type>,
    others: Vec<String>,
}

impl Arguments<'_> {
    fn size_of(&self, argument: &GenericArgument) -> Option<usize> {
        let ty: Type = syn::parse2(argument.to_token_stream()).ok()?;
        match &ty {
            Type::Path(path) => {
                match path.path.get_ident().and_then(|name| self.sizes.get(&name.to_string())) {
                    Some(given) => size(given),
                    None => size(&ty),
                }
            }
            _ => None,
        }
    }
}

impl Arguments<'_> {
    /// The arguments of items in the tokens of a macro; those that the macro is given may be any size.
    fn in_tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        for (at, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Group(group) => self.in_tokens(group.stream()),
                TokenTree::Ident(name) if self.declared.contains_key(&name.to_string()) => {
                    let rest = tokens[at..].iter().cloned().collect();
                    let read = |input: syn::parse::ParseStream<'_>| {
                        Ok((input.parse::<Path>()?, input.parse::<TokenStream>()?))
                    };
                    match read.parse2(rest) {
                        Ok((path, _)) => self.visit_path(&path),
                        Err(_) => self.others.extend(self.declared[&name.to_string()].clone()),
                    }
                }
                _ => {}
            }
        }
    }
}

impl Visit for Arguments<'_> {
    fn visitor(&mut self) -> &mut dyn Visit {
        self
    }

    fn visit_macro(&mut self, mac: &syn::Macro) {
        self.in_tokens(mac.tokens.clone());
    }

    fn visit_path(&mut self, path: &Path) {
        visit::visit_path(self, path);
        for segment in &path.segments {
            let PathArguments::AngleBracketed(list) = &segment.arguments else { continue };
            let Some(params) = self.declared.get(&segment.ident.to_string()) else { continue };
            let written = list
                .args
                .iter()
                .filter(|arg| matches!(arg, GenericArgument::Type(_) | GenericArgument::Const(_)));
            for (param, argument) in params.iter().zip(written) {
                let Some(given) = self.sizes.get(param).and_then(size) else { continue };
                let is_open = matches!(argument, GenericArgument::Type(Type::Infer(_)));
                let written = match argument {
                    GenericArgument::Const(value) => value.to_token_stream().to_string().parse().ok(),
                    argument => self.size_of(argument),
                };
                if !is_open && written != Some(given) {
                    self.others.push(param.clone());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parameters that stand for a size, with that.
    fn sizes(item: &str) -> Vec<(String, Option<usize>)> {
        let item: Item = syn::parse_str(item).expect(item);
        let found = given(&item, &TokenStream::new(), &[]).into_iter();
        let mut found: Vec<_> = found.map(|(param, of)| (param, size(&of))).collect();
        found.sort();
        found
    }

    #[test]
    fn a_parameter_stands_for_one_size_in_an_item() {
        let module = |more: &str| {
            format!(
                "mod m {{ pub struct Filter<T, const N: usize> {{ p: SMatrix<T, N, N> }}
                 #[differentiate(with(T = f64, N = 2, D = U3))]
                 pub fn f<T, const N: usize, D: Dim>(of: &Filter<T, N>, x: &OVector<T, D>) -> T {{ of.p[(0, 0)] * x[0] }}
                 {more} }}"
            )
        };
        let both = vec![("D".to_owned(), Some(3)), ("N".to_owned(), Some(2))];
        for same in
            ["", "fn g(of: &Filter<f64, 2>) {}", "type Small = Filter<f64, 2>;", "fn g(of: Filter<_, _>) {}"]
        {
            assert_eq!(sizes(&module(same)), both, "{same}");
        }
        for other in [
            "fn g(of: &Filter<f64, 3>) {}",
            "type Large = Filter<f64, 3>;",
            "fn g<const M: usize>(of: &Filter<f64, M>) {}",
            "fn g(of: &Filter<f64, { 1 + 1 }>) {}",
            "impl Filter<f64, 3> { fn g(&self) {} }",
            "#[differentiate(with(N = 3))] fn g<const N: usize>(x: &[f64; N]) -> f64 { x[0] }",
            "made!(fn g(of: &Filter<f64, 3>) {});",
            "macro_rules! made { ($n:literal) => { fn g(of: &Filter<f64, $n>) {} }; }",
        ] {
            assert_eq!(sizes(&module(other)), both[..1], "{other}");
        }
    }
}
