//! The syntax of one option of `#[differentiate(…)]`.

use proc_macro2::TokenStream;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Ident, Path, Token};

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
    /// `(key = path, path, …)`, of `with`
    Types(Vec<(Ident, Vec<Path>)>),
    /// `= "text"`
    Text(String),
    /// Something else in parentheses or after `=`.
    Other,
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
            let types = |input: ParseStream<'_>| {
                let mut types: Vec<(Ident, Vec<Path>)> = Vec::new();
                while !input.is_empty() {
                    let path: Path = input.parse()?;
                    match (path.get_ident(), types.last_mut()) {
                        (Some(param), _) if input.peek(Token![=]) => {
                            input.parse::<Token![=]>()?;
                            types.push((param.clone(), vec![input.parse()?]));
                        }
                        (_, Some((_, types))) => types.push(path),
                        (_, None) => return Err(input.error("expected `T = f64`")),
                    }
                    if !input.is_empty() {
                        input.parse::<Token![,]>()?;
                    }
                }
                match types.is_empty() {
                    true => Err(input.error("expected `T = f64`")),
                    false => Ok(types),
                }
            };
            let count = syn::parse2::<syn::LitInt>(tokens.clone()).and_then(|count| count.base10_parse());
            match (names.parse2(tokens.clone()), named.parse2(tokens.clone())) {
                _ if name == "with" => types.parse2(tokens).map_or(Value::Other, Value::Types),
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
