//! Methods that open an `Option`: its value where it has one, and something else where not.
//!
//! ```text
//! x.get(i).map_or(0.0, f)         if i < x.len() { f(&x[i]) } else { 0.0 }
//! solve(a).unwrap_or_else(|_| 1.0)
//! stack.pop().unwrap()            assert!(stack.len() > 0); …
//! ```

use super::conditions::{Made, opens_a_value};
use crate::frontend::resolve::changed::writes_outside;
use crate::frontend::resolve::{Resolver, bare};
use crate::frontend::results::is_read;
use crate::frontend::tree::{Expr, Kind, Stmt};
use proc_macro2::Span;
use syn::spanned::Spanned;

/// Whether nothing in front of an expression changes it.
fn is_known(e: &Expr) -> bool {
    match &e.kind {
        Kind::Int(_) | Kind::Float(_) | Kind::Bool(_) | Kind::Local(_) | Kind::Path(_) => true,
        Kind::Tuple(parts) => parts.iter().all(is_known),
        Kind::Unary(_, e) => is_known(e),
        _ => false,
    }
}

impl Resolver<'_> {
    /// `e.map_or(d, f)`, `e.map(f).unwrap_or(d)`, and what opens a `pop` or a value.
    pub(crate) fn opened_some(&mut self, e: &syn::ExprMethodCall, name: &str) -> Option<Expr> {
        let span = e.span();
        let (source, f, other) = match (name, e.args.len()) {
            ("map_or", 2) => (&*e.receiver, Some(&e.args[1]), Some(&e.args[0])),
            ("unwrap" | "expect", _) => (&*e.receiver, None, None),
            ("is_ok", 0) => return self.asked(e, "is_some"),
            ("is_err", 0) => return self.asked(e, "is_none"),
            ("is_ok_and", 1) => return self.asked(e, "is_some_and"),
            ("is_some" | "is_none", 0)
            | ("is_some_and" | "is_none_or", 1)
            | ("unwrap_or_default", 0)
            | ("unwrap_or_else", 1)
            | ("map_or_else", 2) => {
                return self.asked(e, name);
            }
            ("unwrap_or", 1) => match bare(&e.receiver) {
                syn::Expr::MethodCall(map) if map.method == "map" && map.args.len() == 1 => {
                    (&*map.receiver, Some(&map.args[0]), Some(&e.args[0]))
                }
                receiver => (receiver, None, Some(&e.args[0])),
            },
            _ => return None,
        };
        let is_pop = matches!(bare(source), syn::Expr::MethodCall(call) if call.method == "pop");
        if f.is_none() && !is_pop && !opens_a_value(source) {
            return None;
        }
        let Made { mut stmts, cond, value } = self.made_by_value(source)?;
        // evaluated whether it is needed or not
        let other = other.map(|other| {
            let other = self.expr(other);
            if is_pop && !is_known(&other) || writes_outside(&other, usize::MAX).is_some() {
                self.refuse(
                    other.span,
                    "this value in place of an item",
                    "it is evaluated behind what it may depend on or change",
                    "give it a name in front: `let other = …;`",
                );
            }
            self.named("other", other, &mut stmts)
        });
        let then = match f {
            None => value,
            Some(f) => self.applied(f, value)?,
        };
        let tail = match other {
            Some(other) => self.either(cond, then, other, span),
            None if matches!(cond.kind, Kind::Bool(true)) => then,
            None => {
                stmts.push(Stmt::assert(cond, "called `Option::unwrap()` on a `None` value", span));
                then
            }
        };
        Some(tail.behind(stmts, span))
    }

    /// `if cond { then } else { other }`
    pub(crate) fn either(&mut self, cond: Expr, then: Expr, other: Expr, span: Span) -> Expr {
        let ty = self.join(&then.ty.clone(), &other.ty.clone(), span);
        cond.choose(then, other, ty, span)
    }

    /// Whether there is a value, and what stands for it lazily.
    fn asked(&mut self, e: &syn::ExprMethodCall, name: &str) -> Option<Expr> {
        let span = e.span();
        if !name.ends_with("_else") && !opens_a_value(&e.receiver) {
            return None;
        }
        let Made { stmts, cond, value } = self.made_by_value(&e.receiver)?;
        let (then, other) = match name {
            "is_some" => return Some(cond.behind(stmts, span)),
            "is_none" => return Some(cond.not().behind(stmts, span)),
            "is_some_and" => (self.applied(&e.args[0], value)?, Expr::bool(false, span)),
            "is_none_or" => (self.applied(&e.args[0], value)?, Expr::bool(true, span)),
            "map_or_else" => (self.applied(&e.args[1], value)?, self.instead(&e.args[0])?),
            "unwrap_or_default" => {
                let zeros = Expr::new(Kind::Zeros, value.ty.clone(), span);
                (value, zeros)
            }
            _ => (value, self.instead(&e.args[0])?),
        };
        Some(self.either(cond, then, other, span).behind(stmts, span))
    }

    /// `f()`, or of a `Result` `f(error)`, which does not read the error.
    pub(super) fn instead(&mut self, f: &syn::Expr) -> Option<Expr> {
        let arity = match bare(f) {
            syn::Expr::Closure(f) => f.inputs.len().min(1),
            _ => 0,
        };
        let closure = self.function_of(f, arity)?;
        if let Some(error) = closure.inputs.first().filter(|error| is_read(error, &closure.body)) {
            return Some(self.refuse_error(error.span()));
        }
        Some(self.scoped(false, |this| this.closure_body(&closure)))
    }
}
