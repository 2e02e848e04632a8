//! Tokens as a person would have typed them, for messages and plans.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use quote::ToTokens;

/// `x[i * d + j]` of tokens that `to_string` shows as `x [i * d + j]`.
pub(super) fn tidy(tokens: &impl ToTokens) -> String {
    let mut out = String::new();
    let mut state = State::Start;
    write(tokens.to_token_stream(), &mut out, &mut state);
    out
}

/// The same for types, whose angle brackets are no operators.
pub fn tidy_type(tokens: &impl ToTokens) -> String {
    tidy_path(tokens).replace("::<", "<")
}

/// The same for paths in expressions.
pub(super) fn tidy_path(tokens: &impl ToTokens) -> String {
    tidy(tokens).replace(" < ", "<").replace(" > ::", ">::").replace(" >", ">")
}

/// Whether two pieces of syntax have the same tokens, wherever they stand.
pub(super) fn same_text(a: &impl ToTokens, b: &impl ToTokens) -> bool {
    a.to_token_stream().to_string() == b.to_token_stream().to_string()
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    /// Nothing yet, or after an opening bracket or a prefix operator.
    Start,
    /// After an operand.
    Operand,
    /// After a binary operator, a comma or a keyword: a space is due.
    Space,
}

fn write(tokens: TokenStream, out: &mut String, state: &mut State) {
    let mut operator = String::new();
    let (mut lifetime, mut named) = (false, false);
    for tree in tokens {
        // `&'static [f64]`
        let is_behind_lifetime = std::mem::take(&mut named);
        match tree {
            TokenTree::Punct(punct) if punct.as_char() == '\'' => {
                flush(&mut operator, out, state);
                if *state != State::Start {
                    out.push(' ');
                }
                out.push('\'');
                *state = State::Start;
                lifetime = true;
            }
            TokenTree::Punct(punct) => {
                operator.push(punct.as_char());
                let glued = punct.spacing() == Spacing::Joint && operator.len() < 3;
                let ends = matches!(punct.as_char(), ',' | ';' | '?') || (operator == "!" && !glued);
                if !glued || ends {
                    push_operator(&operator, out, state);
                    operator.clear();
                }
            }
            TokenTree::Ident(ident) => {
                flush(&mut operator, out, state);
                let text = ident.to_string();
                if *state != State::Start && !lifetime {
                    out.push(' ');
                }
                named = std::mem::take(&mut lifetime);
                let keyword =
                    matches!(text.as_str(), "as" | "in" | "if" | "else" | "match" | "mut" | "return");
                out.push_str(&text);
                *state = if keyword { State::Space } else { State::Operand };
            }
            TokenTree::Literal(literal) => {
                flush(&mut operator, out, state);
                if *state != State::Start {
                    out.push(' ');
                }
                out.push_str(&literal.to_string());
                *state = State::Operand;
            }
            TokenTree::Group(group) => {
                flush(&mut operator, out, state);
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Brace => ("{ ", " }"),
                    Delimiter::None => ("", ""),
                };
                let spaced = *state == State::Space
                    || is_behind_lifetime
                    || (*state == State::Operand && group.delimiter() == Delimiter::Brace);
                if spaced {
                    out.push(' ');
                }
                out.push_str(open);
                *state = State::Start;
                write(group.stream(), out, state);
                out.push_str(close);
                *state = State::Operand;
            }
        }
    }
    flush(&mut operator, out, state);
}

fn flush(operator: &mut String, out: &mut String, state: &mut State) {
    if !operator.is_empty() {
        push_operator(operator, out, state);
        operator.clear();
    }
}

fn push_operator(operator: &str, out: &mut String, state: &mut State) {
    match operator {
        "." | "::" | "..=" | ".." | "?" => {
            if *state == State::Space {
                out.push(' ');
            }
            out.push_str(operator);
            *state = State::Start;
        }
        "," | ";" | ":" => {
            out.push_str(operator);
            *state = State::Space;
        }
        "!" if *state == State::Operand => {
            out.push('!');
        }
        _ if *state == State::Operand => {
            out.push(' ');
            out.push_str(operator);
            *state = State::Space;
        }
        // a prefix operator
        _ => {
            if *state == State::Space {
                out.push(' ');
            }
            out.push_str(operator);
            *state = State::Start;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::tidy;

    #[test]
    fn reads_as_typed() {
        for text in [
            "x[i * d + j]",
            "-y[i - 1].abs()",
            "f64::max(a, -b)",
            "&mut x[a..b + 1]",
            "x[idx[i]][(j + 1) % n]",
            "a as usize",
            "&x[..]",
            "*r += 1.0",
            "!(a && b)",
            "assert!(n > 0)",
            "std::f64::consts::PI",
            "x[2..=k]",
            "&'static [f64]",
        ] {
            let tokens: proc_macro2::TokenStream = text.parse().unwrap();
            assert_eq!(tidy(&tokens), text);
        }
    }
}
