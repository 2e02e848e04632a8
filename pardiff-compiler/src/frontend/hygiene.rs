//! Local variables of one name that `macro_rules!` keeps apart.
//!
//! ```text
//! macro_rules! cube { ($of:ident) => { fn cube($of: f64) -> f64 { let mut product = 1.0; … product * $of … } } }
//! cube!(product);     // two variables of the name `product`: the macro's and the caller's
//! ```
//!
//! rustc tells them apart by the context of their spans. The front end resolves names as text, so that it would mix
//! them up; therefore names that are bound in several contexts are made different first. Items are not hygienic and
//! keep their names. The context is read from the span's `Debug` form (`#3 bytes(…)`), the only place where stable Rust
//! shows it.

use crate::visit::{self, Visit};
use proc_macro2::{Delimiter, Group, Ident, Spacing, Span, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::{HashMap, HashSet};
use syn::ItemFn;

/// The function with a name of its own for each local variable that differs in context alone. The names of
/// parameters stay.
pub(super) fn separate(item: ItemFn) -> ItemFn {
    separate_by(item, context)
}

/// The context of a span; empty where there is only one.
fn context(span: Span) -> String {
    let text = format!("{span:?}");
    let context = text.split(" bytes").next().unwrap_or_default();
    if context.starts_with('#') { context.to_owned() } else { String::new() }
}

fn separate_by(item: ItemFn, context: impl Fn(Span) -> String) -> ItemFn {
    let mut binders = Binders { context: &context, names: HashMap::new() };
    // the signature comes first, and the first context of a name keeps it
    binders.visit_item_fn(&item);
    let shared: Vec<(String, Vec<String>)> =
        binders.names.into_iter().filter(|(_, contexts)| contexts.len() > 1).collect();
    if shared.is_empty() {
        return item;
    }
    let tokens = item.to_token_stream();
    let mut taken = HashSet::new();
    every_name(tokens.clone(), &mut taken);
    let mut renamed = HashMap::new();
    for (name, contexts) in shared {
        for context in contexts.into_iter().skip(1) {
            let mut numbered = (1..).map(|number| format!("{name}_{number}"));
            let Some(new) = numbered.find(|new| taken.insert(new.clone())) else { continue };
            renamed.insert((name.clone(), context), new);
        }
    }
    syn::parse2(rename(tokens, &renamed, &context)).unwrap_or(item)
}

/// The contexts in which each name is bound, in order.
struct Binders<'a, F> {
    context: &'a F,
    names: HashMap<String, Vec<String>>,
}

impl<F: Fn(Span) -> String> Visit for Binders<'_, F> {
    fn visitor(&mut self) -> &mut dyn Visit {
        self
    }

    fn visit_pat_ident(&mut self, pat: &syn::PatIdent) {
        let context = (self.context)(pat.ident.span());
        let contexts = self.names.entry(pat.ident.to_string()).or_default();
        if !contexts.contains(&context) {
            contexts.push(context);
        }
        visit::visit_pat_ident(self, pat);
    }
}

/// A name that none of the tokens is.
pub(super) fn fresh(name: &str, tokens: TokenStream) -> Ident {
    let taken = names(tokens);
    let mut name = name.to_owned();
    while taken.contains(&name) {
        name.push('_');
    }
    Ident::new(&name, Span::call_site())
}

/// The same with the span of what it is made for, at which panics then point.
pub(super) fn fresh_at(name: &str, span: Span, tokens: TokenStream) -> Ident {
    let mut name = fresh(name, tokens);
    name.set_span(span);
    name
}

/// The names in tokens.
pub fn names(tokens: TokenStream) -> HashSet<String> {
    let mut names = HashSet::new();
    every_name(tokens, &mut names);
    names
}

/// The tokens with other names, except of methods, fields, functions and parts of paths.
pub(super) fn renamed(tokens: TokenStream, new: &HashMap<String, Ident>) -> TokenStream {
    let new = new.iter().map(|(name, new)| ((name.clone(), String::new()), new.to_string())).collect();
    rename(tokens, &new, &|_| String::new())
}

/// The tokens with others in place of names, wherever these stand. In `T::zero()`, what stands for `T` is a name or
/// gets brackets.
pub fn replaced(tokens: TokenStream, new: &HashMap<String, TokenStream>) -> TokenStream {
    let mut replaced = TokenStream::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let is_path = matches!(tokens.peek(), Some(TokenTree::Punct(punct)) if punct.as_char() == ':' && punct.spacing() == Spacing::Joint);
        match token {
            TokenTree::Ident(name) if let Some(new) = new.get(&name.to_string()) => {
                let is_name = syn::parse2::<Ident>(new.clone()).is_ok();
                replaced.extend(if is_path && !is_name { quote::quote!(<#new>) } else { new.clone() });
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), self::replaced(group.stream(), new));
                inner.set_span(group.span());
                replaced.extend([TokenTree::Group(inner)]);
            }
            token => replaced.extend([token]),
        }
    }
    replaced
}

fn every_name(tokens: TokenStream, names: &mut HashSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => _ = names.insert(ident.to_string()),
            TokenTree::Group(group) => every_name(group.stream(), names),
            _ => {}
        }
    }
}

/// Renames variables, but neither methods and fields (`.name`), nor parts of paths, nor functions (`name(…)`).
fn rename(
    tokens: TokenStream,
    renamed: &HashMap<(String, String), String>,
    context: &dyn Fn(Span) -> String,
) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is = |at: Option<usize>, c: char| matches!(at.and_then(|at| tokens.get(at)), Some(TokenTree::Punct(punct)) if punct.as_char() == c);
    let path = |at: usize| is(Some(at), ':') && is(Some(at + 1), ':');
    let new = tokens.iter().enumerate().map(|(at, token)| match token {
        TokenTree::Group(group) => {
            let mut inner = Group::new(group.delimiter(), rename(group.stream(), renamed, context));
            inner.set_span(group.span());
            TokenTree::Group(inner)
        }
        TokenTree::Ident(ident) => {
            let called = matches!(tokens.get(at + 1), Some(TokenTree::Group(group))
                if group.delimiter() == Delimiter::Parenthesis);
            let field = is(at.checked_sub(1), '.') && !is(at.checked_sub(2), '.');
            let in_path = path(at + 1) || at.checked_sub(2).is_some_and(path);
            let new = renamed.get(&(ident.to_string(), context(ident.span())));
            match new.filter(|_| !called && !field && !in_path) {
                Some(new) => TokenTree::Ident(Ident::new(new, ident.span())),
                None => TokenTree::Ident(ident.clone()),
            }
        }
        token => token.clone(),
    });
    new.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A context for each line: what stands in one line comes from one macro.
    fn separated(text: &str) -> String {
        let item: ItemFn = text.parse::<TokenStream>().map(syn::parse2).expect("tokens").expect("a function");
        let line = |span: Span| span.start().line.to_string();
        separate_by(item, line).to_token_stream().to_string()
    }

    fn tokens(text: &str) -> String {
        text.parse::<TokenStream>().expect("tokens").to_string()
    }

    #[test]
    fn variables_of_two_contexts_get_two_names() {
        assert_eq!(
            separated(
                "fn f(t: f64) -> f64 {\n let mut t = 1.0; t += 2.0; for i in 0..t {} t.t(t(t), a::t) \n + g }"
            ),
            tokens(
                "fn f(t: f64) -> f64 { let mut t_1 = 1.0; t_1 += 2.0; for i in 0..t_1 {} t_1.t(t(t_1), a::t) + g }"
            )
        );
    }

    #[test]
    fn names_of_one_context_stay() {
        let text = "fn f(t: f64) -> f64 { let t = t; vec![t] }";
        assert_eq!(separated(text), tokens(text));
    }
}
