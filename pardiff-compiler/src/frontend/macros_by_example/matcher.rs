//! The left side of a rule of `macro_rules!`: which tokens it matches, and what its fragments are then.

use proc_macro2::{Delimiter, Group, Spacing, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::HashMap;
use syn::ext::IdentExt;
use syn::parse::discouraged::Speculative;
use syn::parse::{ParseStream, Parser};

/// What a name with a `$` stands for.
#[derive(Clone)]
pub(super) enum Bound {
    One(TokenStream),
    /// One for each repetition.
    Each(Vec<Bound>),
}

pub(super) type Bindings = HashMap<String, Bound>;

/// A part of one side of a rule.
pub(super) enum Part {
    Token(TokenTree),
    Group(Delimiter, Vec<Part>),
    /// `$name:kind`, on the right side `$name`
    Fragment(String, String),
    /// `$(…) separator op`
    Repeat(Vec<Part>, Vec<TokenTree>, char),
}

/// Reads a side of a rule: on the left one, names have kinds.
pub(super) fn parts(tokens: TokenStream, is_left: bool) -> Option<Vec<Part>> {
    let mut tokens = tokens.into_iter().peekable();
    let mut parts = Vec::new();
    while let Some(token) = tokens.next() {
        let part = match token {
            TokenTree::Group(group) => Part::Group(group.delimiter(), self::parts(group.stream(), is_left)?),
            TokenTree::Punct(punct) if punct.as_char() == '$' => match tokens.next()? {
                TokenTree::Ident(name) => {
                    let colon = tokens.next_if(|token| is_left && is_punct(token, ':'));
                    let kind = colon.and_then(|_| tokens.next());
                    let kind = kind.map(|kind| kind.to_string()).unwrap_or_default();
                    Part::Fragment(name.to_string(), kind)
                }
                TokenTree::Group(group) => {
                    let (mut separator, repeated) = (Vec::new(), self::parts(group.stream(), is_left)?);
                    let op = loop {
                        match tokens.next()? {
                            TokenTree::Punct(punct) if matches!(punct.as_char(), '*' | '+' | '?') => {
                                break punct.as_char();
                            }
                            token => separator.push(token),
                        }
                    };
                    Part::Repeat(repeated, separator, op)
                }
                _ => return None,
            },
            token => Part::Token(token),
        };
        parts.push(part);
    }
    Some(parts)
}

/// What the fragments of the left side are where it matches the tokens.
pub(super) fn matched(parts: &[Part], tokens: TokenStream) -> Option<Bindings> {
    let all = |input: ParseStream| {
        let mut bound = Bindings::new();
        sequence(parts, input, &mut bound)?;
        Ok(bound)
    };
    all.parse2(tokens).ok()
}

fn sequence(parts: &[Part], input: ParseStream, bound: &mut Bindings) -> syn::Result<()> {
    for part in parts {
        match part {
            Part::Token(token) => exactly(token, input)?,
            Part::Group(delimiter, inner) => {
                let group = group(*delimiter, input)?;
                bound.extend(matched(inner, group.stream()).ok_or_else(|| input.error("other tokens"))?);
            }
            Part::Fragment(name, kind) => {
                let tokens = fragment(kind, input)?;
                bound.insert(name.clone(), Bound::One(tokens));
            }
            Part::Repeat(inner, separator, op) => {
                let mut found: Vec<Bindings> = Vec::new();
                while !input.is_empty() && (*op != '?' || found.is_empty()) {
                    let (fork, mut one) = (input.fork(), Bindings::new());
                    let mut separators = separator.iter().filter(|_| !found.is_empty());
                    let next = separators.try_for_each(|token| exactly(token, &fork));
                    let from = fork.cursor();
                    if next.is_err() || sequence(inner, &fork, &mut one).is_err() || fork.cursor() == from {
                        break;
                    }
                    input.advance_to(&fork);
                    found.push(one);
                }
                if *op == '+' && found.is_empty() {
                    return Err(input.error("nothing is repeated"));
                }
                let mut names = Vec::new();
                names_in(inner, &mut names);
                for name in names {
                    let each = found.iter_mut().filter_map(|one| one.remove(&name)).collect();
                    bound.insert(name, Bound::Each(each));
                }
            }
        }
    }
    Ok(())
}

/// The names of fragments.
pub(super) fn names_in(parts: &[Part], names: &mut Vec<String>) {
    for part in parts {
        match part {
            Part::Fragment(name, _) => names.push(name.clone()),
            Part::Group(_, inner) | Part::Repeat(inner, ..) => names_in(inner, names),
            Part::Token(_) => {}
        }
    }
}

fn exactly(token: &TokenTree, input: ParseStream) -> syn::Result<()> {
    let next: TokenTree = input.parse()?;
    if next.to_string() == token.to_string() { Ok(()) } else { Err(input.error("another token")) }
}

fn group(delimiter: Delimiter, input: ParseStream) -> syn::Result<Group> {
    match input.parse()? {
        TokenTree::Group(group) if group.delimiter() == delimiter => Ok(group),
        _ => Err(input.error("no such group")),
    }
}

fn fragment(kind: &str, input: ParseStream) -> syn::Result<TokenStream> {
    Ok(match kind {
        "ident" => syn::Ident::parse_any(input)?.into_token_stream(),
        "tt" => one_token(input)?,
        "expr" | "expr_2021" => operand(input.parse::<syn::Expr>()?.into_token_stream()),
        "literal" => {
            let sign: Option<syn::Token![-]> = input.parse()?;
            let literal: syn::Lit = input.parse()?;
            operand(quote::quote!(#sign #literal))
        }
        "ty" => input.parse::<syn::Type>()?.into_token_stream(),
        "path" => input.parse::<syn::Path>()?.into_token_stream(),
        "pat" => syn::Pat::parse_multi_with_leading_vert(input)?.into_token_stream(),
        "pat_param" => syn::Pat::parse_single(input)?.into_token_stream(),
        "block" => input.parse::<syn::Block>()?.into_token_stream(),
        "item" => input.parse::<syn::Item>()?.into_token_stream(),
        "meta" => input.parse::<syn::Meta>()?.into_token_stream(),
        "vis" => input.parse::<syn::Visibility>()?.into_token_stream(),
        "lifetime" => input.parse::<syn::Lifetime>()?.into_token_stream(),
        _ => return Err(input.error("a fragment of another kind")),
    })
}

/// The tokens of an expression as one operand.
fn operand(tokens: TokenStream) -> TokenStream {
    if tokens.clone().into_iter().count() == 1 {
        return tokens;
    }
    TokenTree::Group(Group::new(Delimiter::None, tokens)).into()
}

/// A token of Rust: operators of several characters and lifetimes are one.
fn one_token(input: ParseStream) -> syn::Result<TokenStream> {
    const OPERATORS: &str = "<<= >>= ... ..= && || == != <= >= => -> += -= *= /= %= ^= &= |= << >> .. ::";
    if let Ok(lifetime) = input.parse::<syn::Lifetime>() {
        return Ok(lifetime.into_token_stream());
    }
    let mut tokens = vec![input.parse::<TokenTree>()?];
    let mut text = tokens[0].to_string();
    while let Some(TokenTree::Punct(last)) = tokens.last()
        && last.spacing() == Spacing::Joint
    {
        let fork = input.fork();
        let Ok(next @ TokenTree::Punct(_)) = fork.parse::<TokenTree>() else { break };
        text.push_str(&next.to_string());
        if !super::super::is_word(OPERATORS, &text) {
            break;
        }
        input.advance_to(&fork);
        tokens.push(next);
    }
    Ok(tokens.into_iter().collect())
}

fn is_punct(token: &TokenTree, char: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == char)
}
