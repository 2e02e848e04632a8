//! The syntax of one option of `#[differentiate(…)]`.

use crate::ir::Ty;
use proc_macro2::{Group, Literal, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Ident, LitInt, Path, Token, Type};

/// `name`, `name(a, b)`, `name(8)` or `name = path`
pub(super) struct Entry {
    pub(super) name: Ident,
    pub(super) value: Value,
}

pub(super) enum Value {
    None,
    List(Vec<Ident>),
    /// `(a::b, c)`
    Paths(Vec<Path>),
    Path(Path),
    /// `(8)`
    Count(usize),
    /// `(key = path, …)`
    Named(Vec<(Ident, Path)>),
    /// `(key = type, type, …)`, of `with`; a number stands for a const parameter
    Types(Vec<(Ident, Vec<Type>)>),
    /// `= "text"`
    Text(String),
    /// Something else in parentheses or after `=`.
    Other,
}

const WITH: &str = "with";

/// `T = f64, f32, U = f64`
fn types(input: ParseStream<'_>) -> syn::Result<Vec<(Ident, Vec<Type>)>> {
    let mut types: Vec<(Ident, Vec<Type>)> = Vec::new();
    while !input.is_empty() {
        match types.last_mut() {
            _ if input.peek(Ident) && input.peek2(Token![=]) => {
                let param = input.parse()?;
                input.parse::<Token![=]>()?;
                types.push((param, vec![type_or_number(input)?]));
            }
            Some((_, types)) => types.push(input.parse()?),
            None => return Err(input.error("expected `T = f64`")),
        }
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
    }
    match types.is_empty() {
        true => Err(input.error("expected `T = f64`")),
        false => Ok(types),
    }
}

/// `f64`, or `3`.
fn type_or_number(input: ParseStream<'_>) -> syn::Result<Type> {
    if input.peek(LitInt) {
        input.parse::<Literal>().map(|it| Type::Verbatim(it.into_token_stream()))
    } else {
        input.parse()
    }
}

/// What `with(…)` says in an attribute on one of these tokens, or on what stands in them.
pub(crate) fn given_in(tokens: TokenStream) -> Vec<(Ident, Type)> {
    let (mut found, mut is_with) = (Vec::new(), false);
    for token in tokens {
        let is_given = std::mem::take(&mut is_with);
        match token {
            TokenTree::Group(group) => match types.parse2(group.stream()) {
                Ok(given) if is_given => {
                    found.extend(
                        given.into_iter().filter_map(|(param, mut types)| Some((param, types.pop()?))),
                    );
                }
                _ => found.extend(given_in(group.stream())),
            },
            token => is_with = matches!(token, TokenTree::Ident(name) if name == WITH),
        }
    }
    found
}

/// The options with each type in `with(…)` changed.
pub(crate) fn with_types_of_option(tokens: TokenStream, change: &mut dyn FnMut(&mut Type)) -> TokenStream {
    let mut is_with = false;
    let changed = tokens.into_iter().map(|token| match token {
        TokenTree::Group(group) if is_with => {
            is_with = false;
            let Ok(mut types) = types.parse2(group.stream()) else { return TokenTree::Group(group) };
            types.iter_mut().flat_map(|(_, types)| types).for_each(&mut *change);
            let params = types.iter().map(|(param, types)| quote::quote!(#param = #(#types),*));
            let mut changed = Group::new(group.delimiter(), quote::quote!(#(#params),*));
            changed.set_span(group.span());
            TokenTree::Group(changed)
        }
        token => {
            is_with = matches!(&token, TokenTree::Ident(name) if name == WITH);
            token
        }
    });
    changed.collect()
}

/// Whether the path is one of a function, by its name.
pub(super) fn is_function(path: &Path) -> bool {
    let name = path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
    Ty::from_name(&name).is_none() && name.starts_with(char::is_lowercase)
}

impl Parse for Entry {
    fn parse(input: ParseStream) -> syn::Result<Entry> {
        let name = Ident::parse_any(input)?;
        let value = if input.peek(syn::token::Paren) {
            let content;
            syn::parenthesized!(content in input);
            let tokens: TokenStream = content.parse()?;
            let names = |input: ParseStream<'_>| {
                Punctuated::<Ident, Token![,]>::parse_terminated_with(input, Ident::parse_any)
            };
            let named = |input: ParseStream<'_>| {
                Punctuated::<(Ident, Path), Token![,]>::parse_terminated_with(input, |input| {
                    let key = Ident::parse_any(input)?;
                    input.parse::<Token![=]>()?;
                    Ok((key, input.call(Path::parse_mod_style)?))
                })
            };
            let paths = |input: ParseStream<'_>| {
                Punctuated::<Path, Token![,]>::parse_terminated_with(input, Path::parse_mod_style)
            };
            let count = syn::parse2::<syn::LitInt>(tokens.clone()).and_then(|count| count.base10_parse());
            match (names.parse2(tokens.clone()), named.parse2(tokens.clone())) {
                _ if name == WITH => types.parse2(tokens).map_or(Value::Other, Value::Types),
                _ if count.is_ok() => Value::Count(count?),
                (Ok(list), _) => Value::List(list.into_iter().collect()),
                (_, Ok(list)) => Value::Named(list.into_iter().collect()),
                _ => {
                    paths.parse2(tokens).map_or(Value::Other, |list| Value::Paths(list.into_iter().collect()))
                }
            }
        } else if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            if input.peek(syn::Lit) {
                match input.parse::<syn::Lit>()? {
                    syn::Lit::Str(text) => Value::Text(text.value()),
                    _ => Value::Other,
                }
            } else {
                Value::Path(input.call(Path::parse_mod_style)?)
            }
        } else {
            Value::None
        };
        Ok(Entry { name, value })
    }
}
