//! Constructs outside the accepted language: one row each, with what to write instead.

use super::super::display::tidy;
use super::super::tree::Expr;
use super::Resolver;
use quote::ToTokens;
use syn::spanned::Spanned;

impl Resolver<'_> {
    /// Refuses an expression that no other file knows.
    pub(super) fn unsupported(&mut self, e: &syn::Expr) -> Expr {
        let span = e.span();
        let (span, what, why, help) = match e {
            syn::Expr::Async(_) | syn::Expr::Await(_) => (
                span,
                "`async` and `.await`",
                "a gradient is computed at once",
                "compute the inputs first and pass them as parameters",
            ),
            syn::Expr::Unsafe(e) => {
                return self.refuse(
                    e.unsafe_token.span(),
                    "an `unsafe` block",
                    "what it does cannot be checked, and the generated functions are safe for every input",
                    safe(&e.block),
                );
            }
            syn::Expr::RawAddr(_) => {
                (span, "a raw pointer", "what it points to cannot be followed", "use a slice and an index")
            }
            syn::Expr::Let(_) => (
                span,
                "`let` as a condition",
                "values are scalars and arrays of them",
                "compare instead: `if x > 0 { … }`",
            ),
            syn::Expr::Range(_) => (
                span,
                "a range as a value",
                "ranges are known in `for` and between the brackets of a slice",
                "write the range where it is used: `for i in a..b { … }` or `&x[a..b]`",
            ),
            syn::Expr::Try(_) | syn::Expr::TryBlock(_) => (
                span,
                "the `?` operator",
                "a function here has one exit, at its end",
                "check before: `assert!(condition);`",
            ),
            syn::Expr::Yield(_) => (span, "`yield`", "a function here returns once", "write to a slice"),
            other => {
                let text = tidy(other);
                return self.refuse(
                    span,
                    format!("`{text}`"),
                    "this construct is not part of the accepted language",
                    "write it with `let`, `for`, `if`, `match`, arithmetic and indexing",
                );
            }
        };
        self.refuse(span, what, why, help)
    }
}

/// What does the same as an `unsafe` block of one expression: a function of C, a `static mut`.
fn safe(block: &syn::Block) -> String {
    let [syn::Stmt::Expr(e, None)] = &block.stmts[..] else { return ANY_SAFE.to_owned() };
    let e = match e {
        syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Deref(_), expr, .. }) => &**expr,
        e => e,
    };
    match e {
        // of the library of C, declared under `extern "C"`
        syn::Expr::Call(syn::ExprCall { func, args, .. }) => {
            let name = super::bare(func).to_token_stream().to_string();
            let name = name.rsplit(':').next().unwrap_or_default().trim();
            match super::functions::of_c(name) {
                Some(path) => format!("call `{path}({})`", tidy(args)),
                None => ANY_SAFE.to_owned(),
            }
        }
        syn::Expr::Path(path) => {
            let name = path.path.segments.last().map(|last| last.ident.to_string().to_lowercase());
            let name = name.unwrap_or_default();
            format!("pass its value as a parameter, `{name}: f64`, and write `{name}` here")
        }
        _ => ANY_SAFE.to_owned(),
    }
}

const ANY_SAFE: &str = "index the slice: `x[i]`; pass what else it reads as a parameter";
