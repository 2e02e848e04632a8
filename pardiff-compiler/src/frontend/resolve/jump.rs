//! Loops that end when they say so, and the jumps: `while`, `loop`, `break`, `continue`, `return`, labelled blocks.

use super::super::infer::Type;
use super::super::tree::{Block, Exit, Expr, Kind, Labelled, LoopId, Runtime};
use super::{Resolver, bare};
use crate::ir::{Checkpoint, Lengths};
use proc_macro2::Span;
use syn::spanned::Spanned;

/// What can be left or gone on with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Leavable {
    /// A `for` or `while`.
    Loop,
    /// A `loop`, whose `break` may have a value.
    Endless,
    /// A labelled block.
    Block,
    /// The body of a function or closure, left by `return`.
    Function,
}

/// Why a mark needs a counted loop.
pub(in crate::frontend) const NOT_COUNTED: [&str; 3] = [
    "`every`, `memory` or `binomial` on a loop that is not counted",
    "how many iterations it has is known when it has ended: until then it thins out the states that it keeps",
    "write `#[checkpoint(states = 100)]`",
];

/// Whether a mark asks for what follows from the number of iterations.
pub(in crate::frontend) fn needs_count(checkpoint: Checkpoint) -> bool {
    matches!(checkpoint.lengths, Lengths::Every(_) | Lengths::Memory(_) | Lengths::Binomial(_))
}

/// Something around that jumps may leave.
pub(super) struct Jumpable {
    pub(super) id: LoopId,
    pub(super) label: Option<String>,
    pub(super) what: Leavable,
    /// The type of the values that jumps out of it have, if there are any.
    pub(super) left_with: Option<Type>,
}

impl Resolver<'_> {
    /// Runs with something around that jumps may name; its id, and the type of the values that jumps out of it have, if
    /// there are any.
    pub(super) fn inside<T>(
        &mut self,
        what: Leavable,
        label: Option<&syn::Label>,
        run: impl FnOnce(&mut Self, LoopId) -> T,
    ) -> (T, LoopId, Option<Type>) {
        self.loop_count += 1;
        let id = self.loop_count;
        let label = label.map(|label| label.name.ident.to_string());
        self.loops.push(Jumpable { id, label, what, left_with: None });
        let out = run(self, id);
        let left_with = self.loops.pop().and_then(|it| it.left_with);
        (out, id, left_with)
    }

    /// `while a && let p = v { … }` is `loop { if a && let p = v { … } else { break } }`.
    fn while_matches(&mut self, e: &syn::ExprWhile) -> Expr {
        let syn::ExprWhile { attrs, label, while_token, cond, body } = e;
        let branch: syn::Expr = syn::parse_quote_spanned!(while_token.span=> if #cond #body else { break; });
        self.expr(&syn::parse_quote_spanned!(while_token.span=> #(#attrs)* #label loop { #branch }))
    }

    fn is_next_of_refused(&self, e: &syn::Expr) -> bool {
        matches!(bare(e), syn::Expr::MethodCall(call) if self.is_refused(&call.receiver))
    }

    pub(super) fn while_loop(&mut self, e: &syn::ExprWhile) -> Expr {
        let span = e.while_token.span();
        let checkpoint = self.mark_until_left(&e.attrs);
        if let Some(looped) = self.while_some(e) {
            if checkpoint.is_some() {
                return self.refuse(
                    span,
                    "`#[checkpoint]` on a `while let`",
                    "how long what it takes apart is changes in the loop",
                    "remove the mark, or write `while` with a condition",
                );
            }
            return looped;
        }
        match bare(&e.cond) {
            syn::Expr::Let(condition) if self.is_next_of_refused(&condition.expr) => return self.error(span),
            syn::Expr::Let(condition) if is_next(&condition.expr) => {
                return self.refuse(
                    condition.span(),
                    "a `while let` of an iterator",
                    "an iterator is known here only where it is used up",
                    "write `for v in items { … }`, or count: `while i < n { … }`",
                );
            }
            cond if super::control::let_token(cond).is_some() => return self.while_matches(e),
            _ => {}
        }
        let ((cond, body), id, _) = self.inside(Leavable::Loop, e.label.as_ref(), |this, _| {
            let cond = this.condition(&e.cond);
            (cond, this.loop_block(&e.body))
        });
        let runtime = Runtime { id, cond: Some(cond), body, checkpoint };
        Expr::new(Kind::While(Box::new(runtime)), Type::UNIT, span)
    }

    pub(super) fn endless_loop(&mut self, e: &syn::ExprLoop) -> Expr {
        let span = e.loop_token.span();
        let checkpoint = self.mark_until_left(&e.attrs);
        let (body, id, left_with) =
            self.inside(Leavable::Endless, e.label.as_ref(), |this, _| this.loop_block(&e.body));
        let ty = left_with.unwrap_or(Type::Never);
        Expr::new(Kind::While(Box::new(Runtime { id, cond: None, body, checkpoint })), ty, span)
    }

    pub(super) fn loop_block(&mut self, body: &syn::Block) -> Block {
        let (block, ty) = self.block(body);
        self.unify(&ty, &Type::UNIT, body.brace_token.span.join());
        block
    }

    /// The mark of a loop that is not counted, which can only be `#[checkpoint]`, with as many states as are asked
    /// for.
    fn mark_until_left(&mut self, attrs: &[syn::Attribute]) -> Option<Checkpoint> {
        let marks = self.marks(attrs);
        let span = || attrs.first().map_or_else(Span::call_site, Spanned::span);
        if marks.checkpoint.is_some_and(needs_count) {
            let [what, why, help] = NOT_COUNTED;
            self.refuse(span(), what, why, help);
        }
        if marks.parallel || marks.provide.is_some() {
            self.refuse(
                attrs.first().map_or_else(Span::call_site, Spanned::span),
                "this mark on a loop that is not counted",
                "its iterations follow each other until its condition fails, and are stored",
                "remove the mark, or write a `for` over a range",
            );
        }
        marks.checkpoint
    }

    /// `'a: { … break 'a value; … }`
    pub(super) fn labelled_block(&mut self, e: &syn::ExprBlock) -> Expr {
        let span = e.block.brace_token.span.join();
        let ((block, ty), id, left_with) =
            self.inside(Leavable::Block, e.label.as_ref(), |this, _| this.block(&e.block));
        let body = Expr::new(Kind::Block(block), ty, span);
        self.labelled(id, body, left_with)
    }

    /// An expression that jumps may leave, if some do.
    pub(super) fn labelled(&mut self, id: LoopId, body: Expr, left_with: Option<Type>) -> Expr {
        let Some(left_with) = left_with else { return body };
        let span = body.span;
        let ty = self.join(&body.ty, &left_with, span);
        Expr::new(Kind::Labelled(Box::new(Labelled { id, body })), ty, span)
    }

    pub(super) fn continue_loop(&mut self, e: &syn::ExprContinue) -> Expr {
        let is_loop = |what: Leavable| matches!(what, Leavable::Loop | Leavable::Endless);
        match self.target(e.label.as_ref(), is_loop) {
            Some(position) => Expr::jump(self.loops[position].id, Exit::Next, None, e.span()),
            None => self.refuse(
                e.span(),
                "a `continue` outside of a loop",
                "there is no iteration to go on with",
                "put it inside a loop",
            ),
        }
    }

    pub(super) fn break_out(&mut self, e: &syn::ExprBreak) -> Expr {
        let labelled = e.label.is_some();
        let leavable = |what: Leavable| match what {
            Leavable::Loop | Leavable::Endless => true,
            Leavable::Block => labelled,
            Leavable::Function => false,
        };
        match self.target(e.label.as_ref(), leavable) {
            Some(position) => self.leave(position, e.expr.as_deref(), e.span()),
            None => self.refuse(
                e.span(),
                "a `break` outside of a loop",
                "there is nothing to leave",
                "put it inside a loop, or write `return`",
            ),
        }
    }

    pub(super) fn return_early(&mut self, e: &syn::ExprReturn) -> Expr {
        let found = self.loops.iter().rposition(|it| it.what == Leavable::Function);
        match found {
            Some(position) => self.leave(position, e.expr.as_deref(), e.span()),
            None => self.error(e.span()),
        }
    }

    fn leave(&mut self, position: usize, value: Option<&syn::Expr>, span: Span) -> Expr {
        let value = value.map(|value| self.expr(value));
        self.leave_with(position, value, span)
    }

    pub(super) fn leave_with(&mut self, position: usize, value: Option<Expr>, span: Span) -> Expr {
        let ty = value.as_ref().map_or(Type::UNIT, |value| value.ty.clone());
        let ty = match self.loops[position].left_with.clone() {
            Some(known) => self.join(&known, &ty, span),
            None => ty,
        };
        self.loops[position].left_with = Some(ty);
        let id = self.loops[position].id;
        // where computing the value may jump elsewhere, leaving with it comes after: `break 'a { if c { continue } x }`
        let mut stmts = Vec::new();
        let value = value.map(|value| match value.jumps().is_empty() {
            true => value,
            false => self.named("left_with", value, &mut stmts),
        });
        Expr::jump(id, Exit::Out, value, span).behind(stmts, span)
    }

    /// The innermost thing of this function that a jump may name.
    fn target(&self, label: Option<&syn::Lifetime>, leavable: impl Fn(Leavable) -> bool) -> Option<usize> {
        let label = label.map(|label| label.ident.to_string());
        for (position, it) in self.loops.iter().enumerate().rev() {
            if it.what == Leavable::Function {
                return None;
            }
            if leavable(it.what) && label.as_ref().is_none_or(|label| it.label.as_ref() == Some(label)) {
                return Some(position);
            }
        }
        None
    }
}

/// Whether it is a step of an iterator.
fn is_next(e: &syn::Expr) -> bool {
    matches!(bare(e), syn::Expr::MethodCall(call) if call.method.to_string().starts_with("next"))
}
