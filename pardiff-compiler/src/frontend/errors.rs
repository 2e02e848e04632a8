//! The values of errors, which nobody here computes.
//!
//! ```text
//! Err(Error::new("singular", k))                              None
//! anyhow::ensure!(x > 0.0, "negative {x}")                    if !(x > 0.0) { return None; }
//! ```
//!
//! A derivative of a function that may fail first runs the function itself, which makes the error and returns it;
//! what is left out here is the same error a second time, or one of a helper that somebody drops. Legal where
//! making it changes no variable: a panic of its making is that of the function itself.

use proc_macro2::{Span, TokenTree};
use quote::quote_spanned;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, Macro, Token};

/// Methods that may change what they are called on.
const CHANGING: &str = "append clear drain entry extend extend_from_slice fill get_or_insert get_or_insert_with insert \
    next next_back nth pop pop_front pop_back push push_back push_front push_str remove replace resize retain reverse \
    rotate_left rotate_right sort sort_by sort_by_key sort_unstable sort_unstable_by split_off swap swap_remove take truncate";

/// Whether making an error changes nothing: it has no assignments, blocks and references through which
/// something is written, and calls nothing that changes what it is called on.
pub(super) fn does_nothing(e: &Expr) -> bool {
    let all = |args: &Punctuated<Expr, Token![,]>| args.iter().all(does_nothing);
    match e {
        Expr::Lit(_) | Expr::Path(_) => true,
        Expr::Paren(e) => does_nothing(&e.expr),
        Expr::Group(e) => does_nothing(&e.expr),
        Expr::Reference(e) => e.mutability.is_none() && does_nothing(&e.expr),
        Expr::Field(e) => does_nothing(&e.base),
        Expr::Unary(e) => does_nothing(&e.expr),
        Expr::Binary(e) => !is_assignment(e.op) && does_nothing(&e.left) && does_nothing(&e.right),
        Expr::Index(e) => does_nothing(&e.expr) && does_nothing(&e.index),
        Expr::Cast(e) => does_nothing(&e.expr),
        Expr::Closure(e) => does_nothing(&e.body),
        Expr::Tuple(e) => all(&e.elems),
        Expr::Array(e) => all(&e.elems),
        Expr::Struct(e) => {
            e.rest.as_ref().is_none_or(|rest| does_nothing(rest))
                && e.fields.iter().all(|field| does_nothing(&field.expr))
        }
        Expr::Call(call) => matches!(&*call.func, Expr::Path(_)) && all(&call.args),
        Expr::MethodCall(call) => {
            let name = call.method.to_string();
            let changes = super::is_word(CHANGING, &name) || name.ends_with("_mut");
            !changes && does_nothing(&call.receiver) && all(&call.args)
        }
        Expr::Macro(e) => {
            let name = e.mac.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
            let makes = ["format", "anyhow", "eyre", "concat", "stringify", "vec"].contains(&name.as_str());
            makes && printed(&e.mac).is_some_and(|args| args.iter().all(does_nothing))
        }
        _ => false,
    }
}

fn is_assignment(op: syn::BinOp) -> bool {
    quote::ToTokens::to_token_stream(&op).to_string().ends_with('=')
        && !matches!(op, syn::BinOp::Eq(_) | syn::BinOp::Ne(_) | syn::BinOp::Le(_) | syn::BinOp::Ge(_))
}

/// The arguments of a macro that prints or formats: of `name = value`, the value.
pub(super) fn printed(mac: &Macro) -> Option<Vec<Expr>> {
    let args = Punctuated::<Expr, Token![,]>::parse_terminated.parse2(mac.tokens.clone()).ok()?;
    let value = |arg: Expr| match arg {
        Expr::Assign(named) => *named.right,
        arg => arg,
    };
    Some(args.into_iter().map(value).collect())
}

/// Whether a macro prints or logs: those of the standard library, of `log` and of `tracing`. A level alone,
/// `info!`, is one of them if a text is among its arguments; another macro of that name may change variables.
pub(super) fn is_print(mac: &Macro) -> bool {
    let names = super::names(&mac.path);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let level = |name: &str| ["error", "warn", "info", "debug", "trace"].contains(&name);
    match names[..] {
        ["println" | "print" | "eprintln" | "eprint"]
        | ["std", "println" | "print" | "eprintln" | "eprint"] => true,
        [name] => level(name) && has_text(mac),
        ["log" | "tracing", name] => level(name) || name == "log" || name == "event",
        _ => false,
    }
}

fn has_text(mac: &Macro) -> bool {
    mac.tokens.clone().into_iter().any(|token| match token {
        TokenTree::Literal(literal) => literal.to_string().contains('"'),
        _ => false,
    })
}

/// `bail!(…)` and `ensure!(condition, …)` of the crates `anyhow` and `eyre`, as the `return` that they are.
pub(super) fn left_early(mac: &Macro) -> Option<Expr> {
    let names = super::names(&mac.path);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let name = match names[..] {
        [name] | ["anyhow" | "eyre" | "color_eyre", name] | ["color_eyre", "eyre", name] => name,
        _ => return None,
    };
    let (args, span): (Vec<Expr>, Span) = (printed(mac)?, mac.path.span());
    let (condition, error) = match (name, &args[..]) {
        ("bail", error) => (None, error),
        ("ensure", [condition, error @ ..]) => (Some(condition), error),
        _ => return None,
    };
    if !error.iter().all(does_nothing) {
        return None;
    }
    let tokens = match condition {
        Some(condition) => quote_spanned!(span=> if !(#condition) { return None; }),
        None => quote_spanned!(span=> return None),
    };
    syn::parse2(tokens).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::ToTokens;

    fn of(text: &str) -> Expr {
        syn::parse_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn making_an_error_changes_nothing() {
        for text in [
            "Error::new(\"singular\", k + 1)",
            "E::At { row: i - 1, ..E::default() }",
            "format!(\"{x} {k:?} {n}\", k = x[0], n = x.len())",
            "anyhow!(\"{}\", -x.norm())",
            "Box::new(E(a <= b))",
            "\"text\".into()",
            "Box::new(|x| x.to_string())",
        ] {
            assert!(does_nothing(&of(text)), "{text}");
        }
        for text in [
            "{ k += 1; E(k) }",
            "E(k += 1)",
            "E(k <<= 1)",
            "E(stack.pop())",
            "make(&mut x)",
            "E(x.iter_mut().len())",
            "(|| E(1))()",
            "format!(\"{}\", it.next())",
        ] {
            assert!(!does_nothing(&of(text)), "{text}");
        }
    }

    #[test]
    fn early_returns_of_other_crates() {
        let left = |text: &str| {
            let mac: Macro = syn::parse_str(text).expect(text);
            left_early(&mac).map(|e| e.to_token_stream().to_string())
        };
        assert_eq!(left("bail!(\"no {k}\")").as_deref(), Some("return None"));
        let ensured = Some("if ! (x > 0.0) { return None ; }");
        assert_eq!(left("anyhow::ensure!(x > 0.0)").as_deref(), ensured);
        assert_eq!(left("ensure!(x > 0.0, Error::Negative { x })").as_deref(), ensured);
        assert_eq!(left("bail!(\"{}\", it.next())"), None);
        assert_eq!(left("other::bail!(\"no\")"), None);
        assert_eq!(left("println!(\"no\")"), None);
    }

    #[test]
    fn macros_that_print() {
        let prints = |text: &str| is_print(&syn::parse_str(text).expect(text));
        for text in [
            "println!()",
            "log::debug!(x)",
            "tracing::info!(x, \"text\")",
            "warn!(\"{x}\")",
            "info!(target: \"a\", \"b\")",
        ] {
            assert!(prints(text), "{text}");
        }
        // a macro of the user's
        for text in ["trace!(x)", "info!(x += 1.0)", "mine::info!(\"x\")", "writeln!(f, \"x\")"] {
            assert!(!prints(text), "{text}");
        }
    }
}
