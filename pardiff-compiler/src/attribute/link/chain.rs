//! Asking for one source after the other.

use super::Sources;
use super::unit::{self, Source};
use crate::refusal::Refusal;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Ident, Path};

/// The macro that hands a function or a module on, in the module of its name.
pub(super) const SOURCE: &str = "exported_by_differentiate";

/// Asks for the first of the paths; what comes back is given to [`resumed`] with the attribute and the item.
pub(in super::super) fn asked(
    krate: &TokenStream,
    paths: &[Path],
    attr: &TokenStream,
    item: &TokenStream,
) -> TokenStream {
    ask(krate, paths, attr, item, &TokenStream::new())
}

fn ask(
    krate: &TokenStream,
    paths: &[Path],
    attr: &TokenStream,
    item: &TokenStream,
    collected: &TokenStream,
) -> TokenStream {
    let Some((first, rest)) = paths.split_first() else { return TokenStream::new() };
    let source = macro_of(first);
    quote!(#source! { (#krate::__with) { #krate } { #first } { #attr } { #item } { #collected } { #(#rest,)* } })
}

/// The macro that hands on what the path names: a type or a constant, which is no module, has one of its own name.
fn macro_of(path: &Path) -> TokenStream {
    let name = path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
    if name.starts_with(char::is_uppercase) {
        return path.to_token_stream();
    }
    let source = Ident::new(SOURCE, path.span());
    quote_spanned!(path.span()=> #path::#source)
}

/// What an attribute goes on with.
pub(in super::super) struct Resumed {
    pub(in super::super) attr: TokenStream,
    pub(in super::super) item: TokenStream,
    pub(in super::super) sources: Sources,
}

/// With the source that was asked for: the next question, or the attribute and its item with all sources.
///
/// # Errors
///
/// Tokens that a source of this version does not make.
pub(in super::super) fn resumed(input: TokenStream) -> Result<Result<Resumed, TokenStream>, Refusal> {
    let groups: Vec<TokenStream> = input
        .into_iter()
        .filter_map(|token| match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(group.stream()),
            _ => None,
        })
        .collect();
    let [source, krate, path, attr, item, collected, left] = &groups[..] else {
        return Err(unit::not_ours(TokenStream::new().span()));
    };
    let collected = quote!(#collected { { #path } { #source } });
    let left = paths(left.clone());
    if !left.is_empty() {
        return Ok(Err(ask(krate, &left, attr, item, &collected)));
    }
    let sources = collected.into_iter().filter_map(|token| match token {
        TokenTree::Group(group) => Some(Source::parse(group.stream())),
        _ => None,
    });
    let sources = Sources { used: sources.collect::<Result<_, _>>()?, known: None };
    Ok(Ok(Resumed { attr: attr.clone(), item: item.clone(), sources }))
}

fn paths(tokens: TokenStream) -> Vec<Path> {
    use syn::parse::Parser;
    let list = syn::punctuated::Punctuated::<Path, syn::Token![,]>::parse_terminated.parse2(tokens);
    list.map(|list| list.into_iter().collect()).unwrap_or_default()
}
