//! Queues, `VecDeque`, in terms of vectors.
//!
//! ```text
//! q.push_back(v)      q.push(v)           q.front()       q.first()
//! q.push_front(v)     q.insert(0, v)      q.back()        q.last()
//! q.pop_back()        q.pop()             q.pop_front()   if q.is_empty() { None } else { Some(q.remove(0)) }
//! ```
//!
//! Legal because both hold the same elements in one order. An element that is taken from the front costs a step for
//! each one that stays.

use super::OtherWords;
use crate::visit::changing::{self as visit_mut, VisitMut};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprMethodCall, Stmt};

/// Methods that a vector has under another name, of so many arguments.
const RENAMED: [(&str, usize, &str); 6] = [
    ("push_back", 1, "push"),
    ("pop_back", 0, "pop"),
    ("front", 0, "first"),
    ("back", 0, "last"),
    ("front_mut", 0, "first_mut"),
    ("back_mut", 0, "last_mut"),
];

/// Queues as vectors.
pub(super) struct AsVectors<'a>(pub(super) &'a OtherWords);

impl VisitMut for AsVectors<'_> {
    fn visitor(&mut self) -> &mut dyn VisitMut {
        self
    }

    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        visit_mut::visit_stmt_mut(self, stmt);
        // nobody takes the element
        if let Stmt::Expr(e, Some(_)) = stmt
            && let Expr::If(taken) = &*e
            && let Some(queue) = taken_from(taken)
        {
            let span = e.span();
            *e = syn::parse_quote_spanned!(span=> if !#queue.is_empty() { #queue.remove(0); });
        }
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        visit_mut::visit_expr_mut(self, e);
        let written = match e {
            Expr::MethodCall(call) if !self.0.has(call) => as_vector(call),
            _ => None,
        };
        if let Some(written) = written {
            *e = written;
        }
    }
}

/// A call of a method that queues alone have.
fn as_vector(call: &mut ExprMethodCall) -> Option<Expr> {
    let (span, queue) = (call.method.span(), call.receiver.clone());
    let name = call.method.to_string();
    if let Some((.., own)) = RENAMED.iter().find(|(of, count, _)| *of == name && call.args.len() == *count) {
        call.method = Ident::new(own, span);
        return None;
    }
    match (name.as_str(), call.args.first()) {
        ("push_front", Some(value)) => syn::parse2(quote_spanned!(span=> #queue.insert(0, #value))).ok(),
        ("pop_front", None) => syn::parse2(taken(&queue, span)).ok(),
        ("make_contiguous", None) => syn::parse2(quote_spanned!(span=> &mut #queue[..])).ok(),
        // an element that is there
        ("unwrap", None) | ("expect", Some(_)) => {
            let Expr::If(taken) = &*queue else { return None };
            let queue = taken_from(taken)?;
            syn::parse2(quote_spanned!(span=> #queue.remove(0))).ok()
        }
        _ => None,
    }
}

/// What `pop_front` is.
fn taken(queue: &Expr, span: Span) -> TokenStream {
    quote_spanned!(span=> if #queue.is_empty() { None } else { Some(#queue.remove(0)) })
}

/// The queue whose first element `pop_front` takes, as it is written here: the same to the last word.
fn taken_from(e: &syn::ExprIf) -> Option<&Expr> {
    let Expr::MethodCall(is_empty) = &*e.cond else { return None };
    let queue = &*is_empty.receiver;
    (e.to_token_stream().to_string() == taken(queue, e.if_token.span).to_string()).then_some(queue)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues_are_vectors() {
        for (from, to) in [
            ("q.push_back(v);", "q.push(v);"),
            ("let first = q.pop_front().unwrap();", "let first = q.remove(0);"),
            ("q.pop_front();", "if !q.is_empty() { q.remove(0); };"),
            ("let v = q.pop_front();", "let v = if q.is_empty() { None } else { Some(q.remove(0)) };"),
            // what takes something else stays
            (
                "let v = if q.is_empty() { None } else { Some(q[0]) }.unwrap();",
                "let v = if q.is_empty() { None } else { Some(q[0]) }.unwrap();",
            ),
            (
                "if q.is_empty() { None } else { y += 1.0; Some(q.remove(0)) };",
                "if q.is_empty() { None } else { y += 1.0; Some(q.remove(0)) };",
            ),
        ] {
            let (mut from, to): (Stmt, Stmt) =
                (syn::parse_str(from).expect(from), syn::parse_str(to).expect(to));
            AsVectors(&OtherWords::default()).visit_stmt_mut(&mut from);
            assert_eq!(from.to_token_stream().to_string(), to.to_token_stream().to_string());
        }
    }
}
