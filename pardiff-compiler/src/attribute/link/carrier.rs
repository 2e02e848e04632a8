//! The macro that hands a unit on, and the module through which it is found.

use super::chain::SOURCE;
use super::unit::Exported;
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{format_ident, quote};
use syn::Visibility;

/// The macro, and the name by which it is imported.
fn macro_of(name: &str, vis: &Visibility, unit: &Exported) -> (TokenStream, Ident) {
    let Exported { number, tokens, .. } = unit;
    let hidden = format_ident!("__pardiff_{}_{}", name, number, span = Span::call_site());
    // only then it is seen by other crates
    let export = matches!(vis, Visibility::Public(_)).then(|| quote!(#[macro_export]));
    // an item may be exported before anybody uses it, and holds the user's code as it was written
    let source = quote! {
        #[doc(hidden)]
        #export
        #[allow(unused_macros, clippy::all)]
        macro_rules! #hidden {
            (($($then:tt)*) $($state:tt)*) => { $($then)* ! { { #tokens } $($state)* } };
        }
    };
    (source, hidden)
}

/// A type or a constant: the macro has its name.
pub(in super::super) fn carrier_of(name: &Ident, vis: &Visibility, unit: &Exported) -> TokenStream {
    let (source, hidden) = macro_of(&name.to_string(), vis, unit);
    quote!(#source #[doc(hidden)] #[allow(unused_imports)] #vis use #hidden as #name;)
}

/// A function, an `impl` or a module: the macro is in the module `name`, which `generated` holds or which is made.
pub(in super::super) fn carried(
    name: &Ident,
    vis: &Visibility,
    inside: &Visibility,
    unit: &Exported,
    generated: TokenStream,
) -> TokenStream {
    let (source, hidden) = macro_of(&name.to_string(), vis, unit);
    let found = Ident::new(SOURCE, Span::call_site());
    let import = quote!(#[doc(hidden)] #[allow(unused_imports)] #inside use #hidden as #found;);
    let (tokens, is_there) = with_import(generated, name, &import);
    let module =
        (!is_there).then(|| quote!(#[doc(hidden)] #[allow(non_snake_case)] #vis mod #name { #import }));
    quote!(#source #tokens #module)
}

/// The tokens with the import in the module of that name, and whether there is one.
fn with_import(tokens: TokenStream, name: &Ident, import: &TokenStream) -> (TokenStream, bool) {
    let mut tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is_module = |at: usize| match &tokens[at..] {
        [TokenTree::Ident(word), TokenTree::Ident(of), TokenTree::Group(group), ..] => {
            word == "mod" && of == name && group.delimiter() == Delimiter::Brace
        }
        _ => false,
    };
    let Some(at) = (0..tokens.len()).find(|at| is_module(*at)) else {
        return (tokens.into_iter().collect(), false);
    };
    if let TokenTree::Group(group) = &mut tokens[at + 2] {
        let inner = group.stream();
        let mut with = Group::new(group.delimiter(), quote!(#inner #import));
        with.set_span(group.span());
        *group = with;
    }
    (tokens.into_iter().collect(), true)
}
