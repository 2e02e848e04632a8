//! Names of the user as names of units.
//!
//! ```text
//! use forces::atoms::{Atom, pair};                  // in front of an attribute that does not see it
//! #[differentiate(uses(forces::atoms))]
//! fn energy(all: &[Atom]) -> f64 { … pair(a, b) … geo::pair(a, b) … }
//! ```
//!
//! A path means an item of a unit if its last name is that of the item, or the last but one is that of the type. Where the path
//! is not the one that `uses` names, rustc proves that they are one item: functions have a type each, and types are equal.

mod expressions;
mod values;

use super::imports::{ANY_FUNCTION, Imports, is_constant, items_of, parameters, variables};
use super::scope::{Entry, Scope, variants};
use super::unit::declared;
use super::written::Written;
use crate::frontend::{self, known_crates, linked, num_traits};
use crate::visit::changing::{self as visit_mut, VisitMut};
use proc_macro2::{Group, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::{HashMap, HashSet};
use syn::{
    Block, Expr, FnArg, Ident, Item, ItemFn, Macro, Pat, Path, PathArguments, Signature, Stmt, TraitBound,
};

/// A function that stays where it is.
pub(in super::super) fn rewrite_function(item: &mut ItemFn, scope: &Scope<'_>) -> Written {
    let mut rewriter = Rewriter::new(scope);
    rewriter.visit_item_fn_mut(item);
    rewriter.written
}

/// A type in the attribute.
pub(in super::super) fn rewrite_type(ty: &mut syn::Type, scope: &Scope<'_>) -> Written {
    let mut rewriter = Rewriter::new(scope);
    rewriter.visit_type_mut(ty);
    rewriter.written
}

/// An item that stays where it is; `own` are the names of its module, which come before those of sources.
pub(in super::super) fn rewrite_item(item: &mut Item, scope: &Scope<'_>, own: &[Item]) -> Written {
    let mut rewriter = Rewriter::new(scope);
    rewriter.read_imports(own);
    let names = own
        .to_vec()
        .iter_mut()
        .filter_map(|item| declared(item).map(|(name, ..)| name.to_string()))
        .collect();
    rewriter.bound.push(names);
    rewriter.visit_item_mut(item);
    rewriter.written
}

/// The items of a unit, with unique names.
pub(super) fn rewrite_exported(items: &[Item], number: &str, scope: &Scope<'_>) -> (Vec<Item>, Written) {
    let mut rewriter = Rewriter::new(scope);
    rewriter.exports = true;
    let mut items = items.to_vec();
    rewriter.read_imports(&items);
    let names = frontend::names_in(items.iter().map(ToTokens::to_token_stream).collect());
    rewriter.is_single = names.contains("f32") && !names.contains("f64");
    for item in &mut items {
        let variants = variants(item);
        if let Some((name, is_type, _)) = declared(item) {
            rewriter.own.insert(name.to_string(), (linked::unique(name, number), is_type));
            rewriter.own_variants.insert(name.to_string(), variants);
        }
    }
    items.retain(|item| !matches!(item, Item::Use(_)));
    for item in &mut items {
        rewriter.is_proved = matches!(item, Item::Fn(_) | Item::Impl(_));
        rewriter.visit_item_mut(item);
        if let Some((name, ..)) = declared(item) {
            *name = linked::unique(name, number);
        }
    }
    (items, rewriter.written)
}

struct Rewriter<'a> {
    scope: &'a Scope<'a>,
    /// The items of the unit itself, and whether they are types.
    own: HashMap<String, (Ident, bool)>,
    /// The variants of those that are enums.
    own_variants: HashMap<String, Vec<String>>,
    /// Whether floats are `f32` in them.
    is_single: bool,
    imports: Imports,
    /// Names that the scopes around bind, innermost last; they come first.
    bound: Vec<HashSet<String>>,
    /// What blocks import, each with its place in `bound`.
    bodies: Vec<(usize, Imports)>,
    /// Whether a type is visited.
    is_type: bool,
    /// Whether a name with a capital in the pattern that is visited is a constant.
    has_constants: bool,
    /// Whether the items go elsewhere, where names mean something else.
    exports: bool,
    /// Whether the attribute itself proves which traits bounds name.
    is_proved: bool,
    written: Written,
}

impl<'a> Rewriter<'a> {
    fn new(scope: &'a Scope<'a>) -> Rewriter<'a> {
        Rewriter {
            scope,
            own: HashMap::new(),
            own_variants: HashMap::new(),
            is_single: false,
            imports: Imports::default(),
            bound: Vec::new(),
            bodies: Vec::new(),
            is_type: false,
            has_constants: false,
            exports: false,
            is_proved: false,
            written: Written::default(),
        }
    }

    fn read_imports(&mut self, items: &[Item]) {
        for item in items {
            if let Item::Use(item) = item {
                self.imports.read(&item.tree, &mut Vec::new());
            }
        }
    }

    fn is_bound(&self, name: &Ident) -> bool {
        let name = name.to_string();
        let is_function = name.starts_with(char::is_lowercase);
        self.bound.iter().any(|names| names.contains(&name) || is_function && names.contains(ANY_FUNCTION))
    }

    /// From here on the innermost scope has the variables of the pattern.
    fn binds(&mut self, pat: &mut Pat, may_fail: bool) {
        self.matched(pat, may_fail);
        let names = variables(pat, may_fail);
        let Some(scope) = self.bound.last_mut() else { return };
        scope.extend(names.iter().cloned());
        if let Some((at, imports)) = self.bodies.last_mut()
            && *at + 1 == self.bound.len()
        {
            names.iter().for_each(|name| imports.forget(name));
        }
    }

    /// The names in a pattern. One that cannot fail has no constants: `let A = …`.
    fn matched(&mut self, pat: &mut Pat, may_fail: bool) {
        let outer = std::mem::replace(&mut self.has_constants, may_fail);
        self.visit_pat_mut(pat);
        self.has_constants = outer;
    }

    fn within<T>(&mut self, names: HashSet<String>, of: &mut T, visit: impl FnOnce(&mut Self, &mut T)) {
        self.bound.push(names);
        visit(self, of);
        self.bound.pop();
    }

    /// The path with the name of a unit in it; whether there is one.
    fn path(&mut self, path: &mut Path) -> bool {
        if let Some(mut full) = self.variant(path).or_else(|| self.by_imports(path))
            && self.seen_path(&mut full)
        {
            *path = full;
            return true;
        }
        self.seen_path(path)
    }

    /// A path that begins with a name that a block around it imports, or the module under another name, written out
    /// as it would be outside of the function. The type of a known crate, if nothing else binds its name, is what a
    /// glob of that crate brings.
    fn by_imports(&self, path: &Path) -> Option<Path> {
        let first = path.segments.first().filter(|_| path.leading_colon.is_none())?;
        let name = first.ident.to_string();
        if let Some(at) = self.bound.iter().rposition(|names| names.contains(&name)) {
            let (_, imports) = self.bodies.iter().find(|(body, _)| *body == at)?;
            return imports.written_out(path);
        }
        let known = self.scope.known?;
        if let Some(full) = self.imports.renamed(path) {
            return Some(full);
        }
        let of_crate = known.find(first)?.instance.of_crate();
        self.bodies.iter().rev().find_map(|(_, imports)| imports.of_glob(of_crate, path))
    }

    fn seen_path(&mut self, path: &mut Path) -> bool {
        let names: Vec<Ident> = path.segments.iter().map(|segment| segment.ident.clone()).collect();
        let Some(first) = names.first() else { return false };
        if names.len() == 1 || names[0] == "self" && names.len() == 2 {
            let last = &names[names.len() - 1];
            if names.len() == 1 && self.is_bound(last) {
                return false;
            }
            if let Some((unique, _)) = self.own.get(&last.to_string()) {
                let unique = unique.clone();
                return self.replace(path, names.len() - 1, &unique);
            }
        }
        let ends = [(names.len().checked_sub(2), true), (Some(names.len() - 1), false)];
        for (at, owns) in ends {
            let Some(at) = at else { continue };
            if at == 0 && self.is_bound(&names[0]) {
                continue;
            }
            if at == 0
                && let Some((unique, true)) = self.own.get(&names[0].to_string()).cloned().filter(|_| owns)
            {
                return self.replace(path, at, &unique);
            }
            let written = Path {
                leading_colon: path.leading_colon,
                segments: names[..=at].iter().cloned().map(syn::PathSegment::from).collect(),
            };
            let is_same = |entry: &&Entry| {
                let is_it = entry.certain && at == 0 && entry.last() == Some(&names[0]) && !entry.is_nested;
                is_it || text(&written) == text(&entry.path) || self.imports.means(&written, &entry.path)
            };
            let fits = |entry: &&Entry| entry.is_type || !owns;
            let entry = match self.scope.named(&names[at]).filter(fits).find(is_same) {
                Some(entry) => entry,
                None => {
                    let Some(entry) = self.scope.find(&names[at]).filter(fits) else { continue };
                    let Some(proof) = entry.proof else { continue };
                    self.written.proofs.push(proof(written.clone(), entry.path.clone()));
                    entry
                }
            };
            if entry.is_type {
                self.written.path(&entry.unique, written);
            }
            let unique = entry.unique.clone();
            return self.replace(path, at, &unique);
        }
        if self.known(path) {
            return true;
        }
        if self.exports
            && !self.is_bound(first)
            && path.leading_colon.is_none()
            && let Some(full) = self.imports.names.get(&first.to_string())
        {
            let mut full = full.clone();
            let rest: Vec<_> = path.segments.iter().skip(1).cloned().collect();
            full.segments.extend(rest);
            *path = full;
            return true;
        }
        false
    }

    /// The path with the unique name of a type of a known crate in it; whether it names one.
    fn known(&mut self, path: &mut Path) -> bool {
        let Some(known) = self.scope.known else { return false };
        let last = path.segments.len() - 1;
        for at in [last.checked_sub(1), Some(last)].into_iter().flatten() {
            let first = &path.segments[0].ident;
            // `T::Vector::new` is of an associated type; a module may have the name of a crate that is imported
            let is_type = first.to_string().starts_with(char::is_uppercase);
            if self.is_bound(first) && (at == 0 || is_type) {
                continue;
            }
            let mut written = path.clone();
            written.segments = path.segments.iter().take(at + 1).cloned().collect();
            if let Some(unit) = known.unit(&path.segments[at], self.written.known()) {
                let unique = known_crates::unique(&unit, path.segments[at].ident.span());
                self.written.unit(known, written);
                self.written.returned(unit);
                self.replace(path, at, &unique);
                path.segments[0].arguments = PathArguments::None;
                return true;
            }
            let Some(found) = known.find(&path.segments[at]) else { continue };
            // a constant or a variable may have such a name
            if found.instance.is_size() && at == last && !self.is_type {
                continue;
            }
            self.written.found(known, &found, written);
            self.replace(path, at, &found.unique);
            path.segments[0].arguments = PathArguments::None;
            path.segments.extend(found.function.map(syn::PathSegment::from));
            return true;
        }
        false
    }

    /// The path from this segment on, which has another name.
    fn replace(&mut self, path: &mut Path, at: usize, name: &Ident) -> bool {
        let mut segments: Vec<_> = path.segments.iter().skip(at).cloned().collect();
        let span = segments[0].ident.span();
        segments[0].ident = name.clone();
        segments[0].ident.set_span(span);
        path.leading_colon = None;
        path.segments = segments.into_iter().collect();
        true
    }

    /// Names in tokens that are no expressions, such as patterns.
    fn tokens(&self, tokens: TokenStream) -> TokenStream {
        let mut is_member = false;
        let renamed = tokens.into_iter().map(|token| match token {
            // a field or a method
            TokenTree::Ident(ident) if std::mem::take(&mut is_member) => TokenTree::Ident(ident),
            TokenTree::Ident(ident) => {
                let own = self.own.get(&ident.to_string()).map(|(unique, _)| unique);
                let unique =
                    own.or_else(|| self.scope.find(&ident).filter(|it| it.certain).map(|it| &it.unique));
                TokenTree::Ident(unique.filter(|_| !self.is_bound(&ident)).cloned().unwrap_or(ident))
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), self.tokens(group.stream()));
                inner.set_span(group.span());
                TokenTree::Group(inner)
            }
            token => {
                is_member = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '.');
                token
            }
        });
        renamed.collect()
    }

    fn attributes(&mut self, attrs: &mut [syn::Attribute]) {
        for attr in attrs.iter_mut().filter(|attr| frontend::is_ours(attr)) {
            if let syn::Meta::List(list) = &mut attr.meta {
                let tokens = self.tokens(std::mem::take(&mut list.tokens));
                list.tokens = frontend::with_types_of_option(tokens, &mut |ty| self.visit_type_mut(ty));
            }
        }
    }
}

/// The parameters of a function, of both kinds.
fn arguments(signature: &Signature) -> HashSet<String> {
    let mut names = parameters(&signature.generics);
    names.extend(signature.inputs.iter().flat_map(|input| match input {
        FnArg::Typed(input) => variables(&input.pat, false),
        FnArg::Receiver(_) => HashSet::new(),
    }));
    names
}

fn text(path: &Path) -> String {
    let mut path = path.clone();
    path.segments.iter_mut().for_each(|segment| segment.arguments = PathArguments::None);
    path.to_token_stream().to_string()
}

impl VisitMut for Rewriter<'_> {
    fn visitor(&mut self) -> &mut dyn VisitMut {
        self
    }

    /// What stands in an item sees the parameters of that.
    fn visit_item_mut(&mut self, item: &mut Item) {
        let names = match item {
            Item::Impl(item) => parameters(&item.generics),
            Item::Trait(item) => parameters(&item.generics),
            Item::Struct(item) => parameters(&item.generics),
            Item::Enum(item) => parameters(&item.generics),
            Item::Type(item) => parameters(&item.generics),
            _ => return visit_mut::visit_item_mut(self, item),
        };
        self.within(names, item, |this, item| visit_mut::visit_item_mut(this, item));
    }

    fn visit_item_fn_mut(&mut self, item: &mut ItemFn) {
        self.attributes(&mut item.attrs);
        let names = arguments(&item.sig);
        self.within(names, item, |this, item| visit_mut::visit_item_fn_mut(this, item));
    }

    fn visit_impl_item_fn_mut(&mut self, item: &mut syn::ImplItemFn) {
        self.attributes(&mut item.attrs);
        let names = arguments(&item.sig);
        self.within(names, item, |this, item| visit_mut::visit_impl_item_fn_mut(this, item));
    }

    fn visit_trait_item_fn_mut(&mut self, item: &mut syn::TraitItemFn) {
        let names = arguments(&item.sig);
        self.within(names, item, |this, item| visit_mut::visit_trait_item_fn_mut(this, item));
    }

    /// A variable is there behind its `let`, an item in the whole block.
    fn visit_block_mut(&mut self, block: &mut Block) {
        let depth = self.bodies.len();
        let mut imports = Imports::default();
        for stmt in &block.stmts {
            if let Stmt::Item(Item::Use(item)) = stmt {
                imports.read(&item.tree, &mut Vec::new());
            }
        }
        self.bodies.push((self.bound.len(), imports));
        self.within(items_of(block), block, |this, block| {
            for stmt in &mut block.stmts {
                let Stmt::Local(local) = stmt else {
                    this.visit_stmt_mut(stmt);
                    continue;
                };
                if let Some(init) = &mut local.init {
                    this.visit_expr_mut(&mut init.expr);
                    init.diverge.iter_mut().for_each(|(_, other)| this.visit_expr_mut(other));
                }
                let may_fail = local.init.as_ref().is_some_and(|init| init.diverge.is_some());
                this.binds(&mut local.pat, may_fail);
            }
        });
        self.bodies.truncate(depth);
    }

    fn visit_arm_mut(&mut self, arm: &mut syn::Arm) {
        self.within(variables(&arm.pat, true), arm, |this, arm| {
            this.matched(&mut arm.pat, true);
            this.visit_expr_mut(&mut arm.body);
        });
    }

    /// What a trait of numbers means is proved beside the function or the `impl` that is exported; its user need not see it.
    fn visit_trait_bound_mut(&mut self, bound: &mut TraitBound) {
        visit_mut::visit_trait_bound_mut(self, bound);
        let Some(last) = bound.path.segments.last().map(|last| last.ident.clone()) else { return };
        if self.exports && self.is_proved && !self.is_bound(&last) && num_traits::is_known(&last.to_string())
        {
            linked::proved_elsewhere(&mut bound.path);
        }
    }

    fn visit_path_mut(&mut self, path: &mut Path) {
        visit_mut::visit_path_mut(self, path);
        self.path(path);
    }

    fn visit_type_mut(&mut self, ty: &mut syn::Type) {
        let outer = std::mem::replace(&mut self.is_type, true);
        visit_mut::visit_type_mut(self, ty);
        self.is_type = outer;
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        // an expression in a pattern is a guard
        let outer = (std::mem::take(&mut self.has_constants), std::mem::take(&mut self.is_type));
        self.expr(e);
        (self.has_constants, self.is_type) = outer;
    }

    /// A name with a capital is a constant where the pattern may fail.
    fn visit_pat_mut(&mut self, pat: &mut Pat) {
        if let Pat::Ident(lone) = pat
            && self.has_constants
            && is_constant(lone)
        {
            let mut path = Path::from(lone.ident.clone());
            if !self.path(&mut path) && self.exports {
                self.mark(&mut path);
            }
            *pat = Pat::Path(syn::ExprPath { attrs: Vec::new(), qself: None, path });
            return;
        }
        visit_mut::visit_pat_mut(self, pat);
    }

    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        let before = mac.tokens.to_string();
        frontend::change_each_argument(mac, &mut |e| self.visit_expr_mut(e));
        if mac.tokens.to_string() == before {
            mac.tokens = self.tokens(std::mem::take(&mut mac.tokens));
        }
    }
}
