//! Names that patterns bind, tried where the function stands.
//!
//! ```text
//! match k { empty => 0.0, _ => x[k] }        const _: fn() = || { let empty = loop {}; };
//! ```
//!
//! A lone name in a pattern that may be refuted is a binding, or a constant of that name, which may be outside of what the
//! attribute sees. It is read as a binding; where it is a constant, the item beside the function does not compile. Names are all
//! that is looked at here; what a pattern means is the front end's.

use crate::visit::{self, Visit};
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use std::collections::{BTreeSet, HashSet};
use syn::parse::{Parse, ParseStream};
use syn::{Arm, Block, Expr, ExprLet, Item, ItemUse, Local, Macro, Pat, PatIdent, Token, UseTree};

/// The item, or nothing where no name is in question.
pub(super) fn tried(collect: impl FnOnce(&mut Names)) -> TokenStream {
    let mut names = Names::default();
    collect(&mut names);
    if names.found.is_empty() {
        return TokenStream::new();
    }
    let uses: Vec<&ItemUse> = names.uses.iter().filter(|item| names.may_import(&item.tree)).collect();
    let names: Vec<&Ident> = names.found.iter().collect();
    let bound = quote!(#(let #names = loop {};)*);
    quote! {
        // nobody uses the names, and none is reached: that they may be bound is all
        #[allow(unused_variables, unused_imports, unreachable_code, clippy::all)]
        const _: fn() = || { #({ #uses #bound })* #bound };
    }
}

/// The names in patterns that may be refuted, each once.
#[derive(Default)]
pub(super) struct Names {
    found: BTreeSet<Ident>,
    /// Whether the pattern that is visited may be refuted.
    refutable: bool,
    /// What bodies import, by whose names their patterns may go.
    uses: Vec<ItemUse>,
    /// Whether a body is visited.
    in_body: bool,
    /// The types and modules that bodies declare, which are seen there alone.
    local: HashSet<Ident>,
}

impl Names {
    fn visit_refutable(&mut self, pat: &Pat) {
        let outer = std::mem::replace(&mut self.refutable, true);
        self.visit_pat(pat);
        self.refutable = outer;
    }

    /// Whether one of the names may come from outside by this import.
    fn may_import(&self, tree: &UseTree) -> bool {
        match tree {
            UseTree::Path(path) => !self.local.contains(&path.ident) && self.may_import(&path.tree),
            UseTree::Name(name) => self.found.contains(&name.ident),
            UseTree::Rename(name) => self.found.contains(&name.rename),
            UseTree::Group(group) => group.items.iter().any(|tree| self.may_import(tree)),
            UseTree::Glob(_) => true,
        }
    }
}

impl Visit for Names {
    fn visitor(&mut self) -> &mut dyn Visit {
        self
    }

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

    fn visit_block(&mut self, block: &Block) {
        let outer = std::mem::replace(&mut self.in_body, true);
        visit::visit_block(self, block);
        self.in_body = outer;
    }

    fn visit_item_use(&mut self, item: &ItemUse) {
        if self.in_body {
            self.uses.push(item.clone());
        }
    }

    fn visit_item(&mut self, item: &Item) {
        let declared = match item {
            Item::Enum(item) => Some(&item.ident),
            Item::Struct(item) => Some(&item.ident),
            Item::Mod(item) => Some(&item.ident),
            _ => None,
        };
        if self.in_body {
            self.local.extend(declared.cloned());
        }
        visit::visit_item(self, item);
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
