//! `unsafe` blocks around accesses without bounds checks, as accesses with checks: whether an index is in range is
//! proved or checked in generated code in any case.
//!
//! ```text
//! unsafe { *x.get_unchecked(i) }                  { *(&x[i]) }
//! unsafe { *y.get_unchecked_mut(i) = a; }         { *(&mut y[i]) = a; }
//! ```
//!
//! Legal where such accesses are all that is unsafe in the block. What else may be is a call, a pointer, a variable
//! `static mut` or a macro; blocks with calls by name, macros, or names of constants stay, and are refused.

use crate::visit::changing::{self as visit_mut, VisitMut};
use crate::visit::{self, Visit};
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::{Block, Expr, ExprMethodCall, Item, ItemFn};

/// The function with checked accesses.
pub(super) fn in_function(item: &mut ItemFn) {
    Checked.visit_item_fn_mut(item);
}

/// An item of a module with checked accesses.
pub(super) fn in_item(item: &mut Item) {
    Checked.visit_item_mut(item);
}

struct Checked;

impl VisitMut for Checked {
    fn visitor(&mut self) -> &mut dyn VisitMut {
        self
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        visit_mut::visit_expr_mut(self, e);
        if let Expr::Unsafe(of) = e
            && is_of_accesses(&of.block)
        {
            Indexed.visit_block_mut(&mut of.block);
            let block = of.block.clone();
            *e = Expr::Block(syn::ExprBlock { attrs: Vec::new(), label: None, block });
        }
    }
}

/// `x.get_unchecked(i)`: whether it lends the element to be written.
fn access(call: &ExprMethodCall) -> Option<bool> {
    let is_plain = call.args.len() == 1 && call.turbofish.is_none();
    match call.method.to_string().as_str() {
        "get_unchecked" if is_plain => Some(false),
        "get_unchecked_mut" if is_plain => Some(true),
        _ => None,
    }
}

/// Whether there are such accesses in a block, and nothing that may be unsafe besides.
fn is_of_accesses(block: &Block) -> bool {
    struct Found {
        accesses: bool,
        others: bool,
    }
    impl Visit for Found {
        fn visitor(&mut self) -> &mut dyn Visit {
            self
        }

        fn visit_expr(&mut self, e: &Expr) {
            match e {
                Expr::MethodCall(call) => self.accesses |= access(call).is_some(),
                Expr::Call(_) | Expr::Macro(_) | Expr::RawAddr(_) => self.others = true,
                Expr::Path(path) => {
                    let name = path.path.get_ident().map(ToString::to_string).unwrap_or_default();
                    self.others |= !name.starts_with(|first: char| first.is_lowercase() || first == '_');
                }
                _ => {}
            }
            visit::visit_expr(self, e);
        }

        fn visit_macro(&mut self, _: &syn::Macro) {
            self.others = true;
        }
    }
    let mut found = Found { accesses: false, others: false };
    found.visit_block(block);
    found.accesses && !found.others
}

struct Indexed;

impl VisitMut for Indexed {
    fn visitor(&mut self) -> &mut dyn VisitMut {
        self
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        visit_mut::visit_expr_mut(self, e);
        if let Expr::MethodCall(call) = e
            && let Some(mutable) = access(call)
        {
            let (of, at) = (&call.receiver, &call.args[0]);
            let tokens = match mutable {
                true => quote_spanned!(call.span()=> (&mut #of[#at])),
                false => quote_spanned!(call.span()=> (&#of[#at])),
            };
            if let Ok(indexed) = syn::parse2(tokens) {
                *e = indexed;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::ToTokens;

    fn checked(body: &str) -> String {
        let mut item: ItemFn = syn::parse_str(&format!("fn f() {{ {body} }}")).expect(body);
        in_function(&mut item);
        item.block.to_token_stream().to_string()
    }

    fn tokens(text: &str) -> String {
        text.parse::<proc_macro2::TokenStream>().expect(text).to_string()
    }

    #[test]
    fn accesses_are_checked() {
        for (from, to) in [
            ("unsafe { *x.get_unchecked(i) }", "{ { *(&x[i]) } }"),
            (
                "unsafe { let a = x.get_unchecked(1..n); *y.get_unchecked_mut(i + 1) += a[0]; }",
                "{ { let a = (&x[1..n]); *(&mut y[i + 1]) += a[0]; } }",
            ),
            (
                "(0..n).map(|i| unsafe { rows.get_unchecked(i).sin() }).sum()",
                "{ (0..n).map(|i| { (&rows[i]).sin() }).sum() }",
            ),
        ] {
            assert_eq!(checked(from), tokens(to), "{from}");
        }
    }

    #[test]
    fn other_unsafe_blocks_stay() {
        for body in [
            "unsafe { x[0] }",
            "unsafe { SCALE * *x.get_unchecked(0) }",
            "unsafe { g(*x.get_unchecked(0)) }",
            "unsafe { m::scale * *x.get_unchecked(0) }",
            "unsafe { assume!(i < n); *x.get_unchecked(0) }",
        ] {
            assert_eq!(checked(body), tokens(&format!("{{ {body} }}")), "{body}");
        }
    }
}
