//! Tail duplication: where branches choose more than a value, what follows goes into each branch.
//!
//! ```text
//! let (from, to) = match t % 2 {              match t % 2 {
//!     0 => (&a, &mut b),                          0 => { let (from, to) = (&a, &mut b); step(from, to); }
//!     _ => (&b, &mut a),                =>        _ => { let (from, to) = (&b, &mut a); step(from, to); }
//! };                                          }
//! step(from, to);
//! ```
//!
//! What is chosen is what a `&mut` refers to, or which function is called, which the values of variables cannot say.
//!
//! Legal because what follows runs once, after the branch that is taken, and names nothing that the branch declares. Its
//! price is code, which is limited.

use super::super::hygiene::names;
use super::super::infer::Type;
use super::super::param_types::behind_trait;
use super::super::tree::Block;
use super::closure::held;
use super::{Name, Resolver, bare};
use crate::limits::DUPLICATED_TAILS;
use crate::visit::{self, Visit};
use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use std::collections::HashSet;
use syn::spanned::Spanned;
use syn::{Expr, Pat, Stmt, parse_quote_spanned};

impl Resolver<'_> {
    /// The statements from such a `let` on, as a block that goes on in the scope that is open.
    pub(super) fn with_tail_in_branches(&mut self, stmts: &[Stmt]) -> Option<(Block, Type)> {
        let (Stmt::Local(local), rest) = stmts.split_first()? else { return None };
        let init = local.init.as_ref().filter(|init| init.diverge.is_none() && local.attrs.is_empty())?;
        let (pat, mut branches) = (&local.pat, (*init.expr).clone());
        let mut is_chosen = matches!(pat, Pat::Type(of) if behind_trait(&of.ty).is_some());
        let mut count: usize = 0;
        each_end(&mut branches, &mut |end| {
            count += usize::from(!leaves(end));
            is_chosen |= self.is_more_than_value(end);
        });
        // items are declared for the whole block
        let rest: Vec<&Stmt> = rest.iter().filter(|stmt| !matches!(stmt, Stmt::Item(_))).collect();
        let rest = quote!(#(#rest)*);
        let duplicated = self.duplicated + size(rest.clone()) * count.saturating_sub(1);
        if !is_chosen || count < 2 || duplicated > DUPLICATED_TAILS {
            return None;
        }
        let mut declared = Declared::default();
        declared.visit_expr(&branches);
        if declared.0.intersection(&names(rest.clone())).next().is_some() {
            return None;
        }
        self.duplicated = duplicated;
        each_end(&mut branches, &mut |end| {
            if !leaves(end) {
                *end = parse_quote_spanned!(end.span()=> { let #pat = #end; #rest });
            }
        });
        let mut block = Block::default();
        let e = self.expr(&branches);
        let e = self.jumps_in_front(e, &mut block.stmts);
        let ty = e.ty.clone();
        block.tail = Some(e.boxed());
        Some((block, ty))
    }

    /// Whether an end of branches is a `&mut` or a function, or a tuple with one.
    fn is_more_than_value(&self, end: &Expr) -> bool {
        match bare(end) {
            Expr::Reference(of) if of.mutability.is_some() => true,
            Expr::Tuple(of) => of.elems.iter().any(|part| self.is_more_than_value(part)),
            Expr::Path(path) => {
                let name = path.path.get_ident().map(ToString::to_string).unwrap_or_default();
                match self.lookup(&name) {
                    Some(Name::Local(local)) => {
                        matches!(self.infer.shallow(&self.locals[*local].ty), Type::Ref(true, _))
                    }
                    Some(Name::Closure(_) | Name::Helper(..)) => true,
                    _ => false,
                }
            }
            end => matches!(held(end), Expr::Closure(_)),
        }
    }
}

/// The names that branches declare, those in closures apart.
#[derive(Default)]
struct Declared(HashSet<String>);

impl Visit for Declared {
    fn visitor(&mut self) -> &mut dyn Visit {
        self
    }

    fn visit_expr(&mut self, e: &Expr) {
        if !matches!(e, Expr::Closure(_)) {
            visit::visit_expr(self, e);
        }
    }

    fn visit_item(&mut self, item: &syn::Item) {
        self.0.extend(names(item.to_token_stream()));
    }

    fn visit_pat_ident(&mut self, pat: &syn::PatIdent) {
        self.0.insert(pat.ident.to_string());
        visit::visit_pat_ident(self, pat);
    }
}

/// The expressions that branches end with; the expression itself if it has no branches.
fn each_end(e: &mut Expr, visit: &mut dyn FnMut(&mut Expr)) {
    match e {
        Expr::Group(of) => each_end(&mut of.expr, visit),
        Expr::Paren(of) => each_end(&mut of.expr, visit),
        Expr::If(branch) => {
            end_of_block(&mut branch.then_branch, visit);
            branch.else_branch.iter_mut().for_each(|(_, els)| each_end(els, visit));
        }
        Expr::Match(branch) => branch.arms.iter_mut().for_each(|arm| each_end(&mut arm.body, visit)),
        Expr::Block(block) if block.label.is_none() => end_of_block(&mut block.block, visit),
        e => visit(e),
    }
}

fn end_of_block(block: &mut syn::Block, visit: &mut dyn FnMut(&mut Expr)) {
    if let Some(Stmt::Expr(tail, _)) = block.stmts.last_mut() {
        each_end(tail, visit);
    }
}

/// Whether an expression has no value: what follows it never runs.
fn leaves(e: &Expr) -> bool {
    match bare(e) {
        Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) => true,
        Expr::Macro(of) => {
            ["panic", "unreachable", "todo", "unimplemented"].iter().any(|name| of.mac.path.is_ident(name))
        }
        _ => false,
    }
}

/// How many tokens these are, those in groups included.
fn size(tokens: TokenStream) -> usize {
    let size = |token| match token {
        TokenTree::Group(group) => 1 + size(group.stream()),
        _ => 1,
    };
    tokens.into_iter().map(size).sum()
}

#[cfg(test)]
mod tests {
    use proc_macro2::TokenStream;

    /// The expansion of a function with so many statements behind the choice.
    fn expanded(statements: usize) -> String {
        let behind = "*at += x[0];".repeat(statements);
        let function = format!(
            "fn f(x: &[f64], k: usize) -> f64 {{ let (mut a, mut b) = (0.0, 1.0); let at = if k == 0 {{ &mut a }} \
             else {{ &mut b }}; {behind} a * b }}"
        );
        crate::expand(TokenStream::new(), function.parse().expect("tokens")).to_string()
    }

    #[test]
    fn what_follows_does_not_name_what_a_branch_declares() {
        let chosen = |name: &str| {
            let function = format!(
                "fn f(x: &[f64], k: Option<f64>) -> f64 {{ let b = x[0]; let (mut p, mut q) = (0.0, 1.0); let at = match k {{ \
                 Some({name}) => {{ p += {name}; &mut p }} None => &mut q }}; *at += b; p * q }}"
            );
            let expanded = crate::expand(TokenStream::new(), function.parse().expect("tokens")).to_string();
            !expanded.contains("a `&mut` reference that is chosen by a branch")
        };
        assert!(chosen("a") && !chosen("b"));
    }

    #[test]
    fn what_follows_is_written_again_if_it_is_short() {
        assert!(!expanded(3).contains("compile_error"));
        assert!(expanded(600).contains("a `&mut` reference that is chosen by a branch"));
    }
}
