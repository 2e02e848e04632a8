//! Names that patterns bind, tried where the function stands.
//!
//! ```text
//! match k { empty => 0.0, _ => x[k] }        const _: fn() = || { let empty = loop {}; };
//! ```
//!
//! A lone name in a pattern that may be refuted is a binding, or a constant of that name, which may be outside of what the
//! attribute sees. It is read as a binding; where it is a constant, the item beside the function does not compile. Names are all
//! that is looked at here; what a pattern means is the front end's.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use std::collections::BTreeSet;
use syn::parse::{Parse, ParseStream};
use syn::visit::{self, Visit};
use syn::{Arm, Expr, ExprLet, Local, Macro, Pat, PatIdent, Token};

/// The item, or nothing where no name is in question.
pub(super) fn tried(collect: impl FnOnce(&mut Names)) -> TokenStream {
    let mut names = Names::default();
    collect(&mut names);
    if names.found.is_empty() {
        return TokenStream::new();
    }
    let names = names.found;
    quote! {
        // nobody uses the names, and none is reached: that they may be bound is all
        #[allow(unused_variables, unreachable_code, clippy::all)]
        const _: fn() = || { #(let #names = loop {};)* };
    }
}

/// The names in patterns that may be refuted, each once.
#[derive(Default)]
pub(super) struct Names {
    found: BTreeSet<Ident>,
    /// Whether the pattern that is visited may be refuted.
    refutable: bool,
}

impl Names {
    fn visit_refutable(&mut self, pat: &Pat) {
        let outer = std::mem::replace(&mut self.refutable, true);
        self.visit_pat(pat);
        self.refutable = outer;
    }
}

impl Visit<'_> for Names {
    fn visit_pat_ident(&mut self, pat: &PatIdent) {
        let alone = pat.by_ref.is_none() && pat.mutability.is_none() && pat.subpat.is_none();
        // a name with a capital is read as a constant
        let capital = pat.ident.to_string().trim_start_matches("r#").starts_with(char::is_uppercase);
        if self.refutable && alone && !capital {
            self.found.insert(pat.ident.clone());
        }
        visit::visit_pat_ident(self, pat);
    }

    /// An expression in a pattern has patterns of its own.
    fn visit_expr(&mut self, e: &Expr) {
        let outer = std::mem::take(&mut self.refutable);
        visit::visit_expr(self, e);
        self.refutable = outer;
    }

    fn visit_arm(&mut self, arm: &Arm) {
        self.visit_refutable(&arm.pat);
        self.visit_expr(&arm.body);
    }

    fn visit_expr_let(&mut self, e: &ExprLet) {
        self.visit_refutable(&e.pat);
        self.visit_expr(&e.expr);
    }

    fn visit_local(&mut self, local: &Local) {
        match &local.init {
            Some(init) if init.diverge.is_some() => self.visit_refutable(&local.pat),
            _ => self.visit_pat(&local.pat),
        }
        if let Some(init) = &local.init {
            self.visit_local_init(init);
        }
    }

    fn visit_macro(&mut self, mac: &Macro) {
        if mac.path.is_ident("matches")
            && let Ok(Matches { value, pat }) = mac.parse_body()
        {
            self.visit_expr(&value);
            self.visit_refutable(&pat);
        }
    }
}

/// `matches!(value, pat if guard)`
struct Matches {
    value: Expr,
    pat: Pat,
}

impl Parse for Matches {
    fn parse(input: ParseStream<'_>) -> syn::Result<Matches> {
        let value = input.parse()?;
        input.parse::<Token![,]>()?;
        let pat = Pat::parse_multi_with_leading_vert(input)?;
        input.parse::<TokenStream>()?;
        Ok(Matches { value, pat })
    }
}
