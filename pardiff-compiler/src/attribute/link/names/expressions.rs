//! Names in expressions, and the variables that these bind.

use super::super::super::known_crates::of_axis;
use super::super::imports::variables;
use super::{Rewriter, VisitMut, linked, visit_mut};
use std::collections::HashSet;
use syn::Expr;

impl Rewriter<'_> {
    /// The names in an expression.
    pub(super) fn expr(&mut self, e: &mut Expr) {
        if let Some(known) = self.scope.known
            && let Some(unit) = known.of_unit(e)
        {
            self.written.unit(known, unit);
        }
        if let Some(known) = self.scope.known
            && let Some((path, of)) = known.of_vector(e)
        {
            self.written.sized(known, path, &of);
        }
        self.scope.known.into_iter().for_each(|known| known.lines(e));
        match e {
            Expr::Call(call) => {
                match &mut *call.func {
                    Expr::Path(func) if func.qself.is_none() => {
                        let is_own = self.path(&mut func.path);
                        if is_own && call.args.is_empty() {
                            of_axis(&mut func.path, self.written.known());
                        }
                        visit_mut::visit_path_mut(self, &mut func.path);
                        // what a constant calls is not inlined
                        if self.bound.is_empty() && self.exports {
                            let is_function =
                                |it: &syn::PathSegment| !it.ident.to_string().starts_with(char::is_uppercase);
                            match func.path.segments.first_mut() {
                                Some(first) if is_own && is_function(first) => {
                                    first.ident = linked::elsewhere(&first.ident)
                                }
                                _ => self.mark(&mut func.path),
                            }
                        }
                    }
                    func => self.visit_expr_mut(func),
                }
                call.args.iter_mut().for_each(|arg| self.visit_expr_mut(arg));
            }
            Expr::MethodCall(call) if self.scope.known.is_some() => {
                let known = self.scope.known;
                let instance =
                    known.and_then(|known| known.written_part(call).or_else(|| known.read_part(call)));
                instance.into_iter().for_each(|of| self.written.returned(of));
                visit_mut::visit_expr_mut(self, e);
            }
            Expr::Macro(of) if self.scope.known.is_some() => {
                if let Some(known) = self.scope.known
                    && let Some(made) = known.made(&of.mac)
                {
                    self.written.made(known, made.of, made.zeros);
                    *e = made.call;
                }
                visit_mut::visit_expr_mut(self, e);
            }
            Expr::Path(value) if value.qself.is_none() => {
                visit_mut::visit_path_mut(self, &mut value.path);
                if !self.path(&mut value.path) && self.exports && !self.constant_of_std(&mut value.path) {
                    self.mark(&mut value.path);
                }
            }
            Expr::Closure(closure) => {
                let names = closure.inputs.iter().flat_map(|pat| variables(pat, false)).collect();
                self.within(names, e, |this, e| visit_mut::visit_expr_mut(this, e));
            }
            Expr::ForLoop(looped) => {
                self.visit_expr_mut(&mut looped.expr);
                self.within(HashSet::new(), looped, |this, looped| {
                    this.binds(&mut looped.pat, false);
                    this.visit_block_mut(&mut looped.body);
                });
            }
            Expr::If(choice) => {
                self.within(HashSet::new(), choice, |this, choice| {
                    this.visit_expr_mut(&mut choice.cond);
                    this.visit_block_mut(&mut choice.then_branch);
                });
                choice.else_branch.iter_mut().for_each(|(_, other)| self.visit_expr_mut(other));
            }
            Expr::While(looped) => self.within(HashSet::new(), looped, |this, looped| {
                this.visit_expr_mut(&mut looped.cond);
                this.visit_block_mut(&mut looped.body);
            }),
            // the variables are there in what follows the condition
            Expr::Let(condition) => {
                self.visit_expr_mut(&mut condition.expr);
                self.binds(&mut condition.pat, true);
            }
            e => visit_mut::visit_expr_mut(self, e),
        }
    }
}
