//! Items inside the body: constants, imports and helper functions.

use super::super::configured;
use super::super::display::same_text;
use super::super::hygiene;
use super::super::infer::Type;
use super::super::tree::{Expr, Kind};
use super::{Name, Resolver};
use quote::ToTokens;
use std::collections::HashMap;
use std::rc::Rc;
use syn::spanned::Spanned;
use syn::{Item, UseTree};

impl Resolver<'_> {
    /// Declares the items of a block; they are visible in the whole of it.
    pub(super) fn items_of(&mut self, stmts: &[syn::Stmt]) {
        let items = || {
            stmts.iter().filter_map(|stmt| if let syn::Stmt::Item(item) = stmt { Some(item) } else { None })
        };
        for item in items() {
            match item {
                Item::Fn(item) => {
                    configured::refuse(&item.attrs, &mut self.refusals);
                    self.bind(
                        &item.sig.ident.to_string(),
                        Name::Helper(Rc::new(item.clone()), self.scopes.len()),
                    );
                }
                Item::Use(item) => {
                    configured::refuse(&item.attrs, &mut self.refusals);
                    let prefix =
                        syn::Path { leading_colon: item.leading_colon, segments: Default::default() };
                    self.import(&item.tree, prefix, item);
                }
                _ => {}
            }
        }
        let mut waiting: Vec<&Item> = items().collect();
        // a constant behind those of the block that it names
        while !waiting.is_empty() {
            let names: Vec<&syn::Ident> = waiting.iter().filter_map(|item| constant_name(item)).collect();
            let stands_alone = |item: &&Item| {
                let own = constant_name(item);
                let named = hygiene::names(item.to_token_stream());
                names.iter().all(|name| Some(*name) == own || !named.contains(&name.to_string()))
            };
            let at = waiting.iter().position(stands_alone).unwrap_or(0);
            self.constant_item(waiting.remove(at));
        }
    }

    fn constant_item(&mut self, item: &Item) {
        let (attrs, ident, ty, value) = match item {
            Item::Const(item) => (&item.attrs, &item.ident, &item.ty, &item.expr),
            Item::Static(item) => {
                if let syn::StaticMutability::Mut(token) = &item.mutability {
                    self.refuse(
                        token.span(),
                        "a `static mut`",
                        "its value may change between calls",
                        "pass the value as a parameter",
                    );
                    return;
                }
                (&item.attrs, &item.ident, &item.ty, &item.expr)
            }
            Item::Fn(_) | Item::Use(_) => return,
            Item::Struct(syn::ItemStruct { ident, .. }) | Item::Enum(syn::ItemEnum { ident, .. }) => {
                let help =
                    format!("put `{ident}` and this function into one `#[differentiate] mod m {{ … }}`");
                let why = "types are seen in a module that the attribute stands on";
                self.refuse(item.span(), "a type declared in the body", why, help);
                self.bind(&ident.to_string(), Name::Refused);
                return;
            }
            other => {
                let what = match other {
                    Item::Union(_) => "a type declared in the body",
                    Item::Type(_) => "a type alias in the body",
                    Item::Macro(_) => "a macro declared or called as an item in the body",
                    Item::Impl(_) | Item::Trait(_) => "an `impl` or `trait` in the body",
                    Item::Mod(_) => "a module in the body",
                    _ => "this item in the body",
                };
                self.refuse(
                    other.span(),
                    what,
                    "the body of a differentiated function holds statements, constants, imports and helper functions",
                    match other {
                        Item::Impl(_) | Item::Trait(_) => {
                            "put it, its type and this function into one `#[differentiate] mod m { … }`"
                        }
                        _ => "move it out of the function, and use plain `f64`, slices and nested helper `fn`s inside",
                    },
                );
                return;
            }
        };
        configured::refuse(attrs, &mut self.refusals);
        let name = ident.to_string();
        if name == "_" {
            return;
        }
        let Some(ty) = self.type_of(ty) else { return };
        if let Type::Scalar(_) = ty
            && let Some(kind) = literal(value)
        {
            let value = Expr::new(kind, ty, ident.span());
            self.bind(&name, Name::Literal(Rc::new(value)));
            self.declare_constant(item, ident);
            return;
        }
        if self.is_of_slices(&ty) {
            let value = self.constant_rows(item, &ty, self.scopes.len(), ident.span());
            return self.bind(&name, Name::Literal(Rc::new(value)));
        }
        if self.has_members(&ty) {
            let value = self.written_out(value, &ty, self.scopes.len(), ident.span());
            self.bind(&name, Name::Literal(Rc::new(value)));
            return;
        }
        let declared = self.declare_constant(item, ident);
        let id = self.opaque(declared.to_token_stream(), declared.to_string(), ty, ident.span());
        self.paths[id].range = range(value);
        self.bind(&name, Name::Path(id));
    }

    /// The generated bodies declare a constant of the body, once: a helper that is inlined twice declares it twice. Literals
    /// stand for themselves, except in lengths. All constants stand there in one scope, so that one whose name means
    /// something else elsewhere gets another, and names those that it sees as they are called there.
    pub(super) fn declare_constant(&mut self, item: &Item, ident: &syn::Ident) -> syn::Ident {
        let seen = self.scopes.iter().flat_map(|scope| scope.constants.iter().cloned()).collect();
        let tokens = hygiene::renamed(self.with_imports(item).to_token_stream(), &seen);
        let numbered = (2..).map(|number| quote::format_ident!("{ident}_{number}", span = ident.span()));
        let names = std::iter::once(ident.clone()).chain(numbered).filter_map(|name| {
            let own = HashMap::from([(ident.to_string(), name.clone())]);
            syn::parse2::<Item>(hygiene::renamed(tokens.clone(), &own)).ok().map(|declared| (name, declared))
        });
        for (name, declared) in names {
            let known = self.items.iter().any(|item| same_text(item, &declared));
            if !known && (self.is_declared(&name) || self.is_used(&name)) {
                continue;
            }
            if !known {
                self.items.push(declared);
            }
            if let Some(scope) = self.scopes.last_mut() {
                scope.constants.push((ident.to_string(), name.clone()));
            }
            return name;
        }
        ident.clone()
    }

    /// A constant whose value sees the imports of the body that it names.
    fn with_imports(&self, item: &Item) -> Item {
        let mut item = item.clone();
        let value = match &mut item {
            Item::Const(item) => &mut item.expr,
            Item::Static(item) => &mut item.expr,
            _ => return item,
        };
        let mut names: Vec<String> = hygiene::names(value.to_token_stream()).into_iter().collect();
        names.sort_unstable();
        let imports = names.iter().filter_map(|name| {
            // those of the module are seen where the bodies stand
            let mut inner = self.scopes.iter().skip(1).rev();
            let Name::Import(path) = inner.find_map(|scope| scope.names.get(name))? else { return None };
            let name = quote::format_ident!("{name}");
            Some(quote::quote!(use #path as #name;))
        });
        let imports: Vec<proc_macro2::TokenStream> = imports.collect();
        if !imports.is_empty() {
            **value = syn::parse_quote_spanned!(value.span()=> { #(#imports)* #value });
        }
        item
    }

    /// Whether a name stands for something else already, outside of the scope of a constant of that name.
    fn is_used(&self, name: &syn::Ident) -> bool {
        let text = name.to_string();
        self.paths.iter().any(|path| path.used && path.tokens.to_string() == text)
    }

    /// Whether the generated bodies declare a constant of that name.
    pub(super) fn is_declared(&self, ident: &syn::Ident) -> bool {
        self.items.iter().any(|item| constant_name(item) == Some(ident))
    }

    pub(super) fn refuse_second_constant(&mut self, ident: &syn::Ident) {
        self.refuse(
            ident.span(),
            format!("two constants called `{ident}`"),
            "the generated bodies declare the constants of the body once, in front",
            "give them different names",
        );
    }

    pub(super) fn import(&mut self, tree: &UseTree, mut prefix: syn::Path, item: &syn::ItemUse) {
        match tree {
            UseTree::Path(tree) => {
                prefix.segments.push(tree.ident.clone().into());
                self.import(&tree.tree, prefix, item);
            }
            UseTree::Name(tree) => {
                let name = if tree.ident == "self" {
                    prefix.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default()
                } else {
                    prefix.segments.push(tree.ident.clone().into());
                    tree.ident.to_string()
                };
                self.bind(&name, Name::Import(prefix));
            }
            UseTree::Rename(tree) => {
                if tree.ident != "self" {
                    prefix.segments.push(tree.ident.clone().into());
                }
                self.bind(&tree.rename.to_string(), Name::Import(prefix));
            }
            UseTree::Glob(_) => {
                let names = super::names(&prefix);
                if let Some(Ok(record)) =
                    self.module.record(&prefix).filter(|it| it.as_ref().is_ok_and(|it| it.is_enum()))
                {
                    for variant in &record.variants {
                        let mut path = prefix.clone();
                        path.segments.push(variant.name.clone().into());
                        self.bind(&variant.name.to_string(), Name::Import(path));
                    }
                } else if names.last().is_some_and(|name| name == "consts") || self.has_functions(&prefix) {
                    self.globs.push(prefix);
                } else {
                    if matches!(&names[..], [root, ops] if (root == "std" || root == "core") && ops == "ops")
                    {
                        self.import_operators(&prefix);
                    }
                    self.items.push(Item::Use(item.clone()));
                }
            }
            UseTree::Group(tree) => {
                for tree in &tree.items {
                    self.import(tree, prefix.clone(), item);
                }
            }
        }
    }
}

impl Resolver<'_> {
    /// The traits of `use std::ops::*`, but for names that something else has.
    fn import_operators(&mut self, ops: &syn::Path) {
        for name in super::super::records::OPERATORS.split_whitespace() {
            if self.lookup(name).is_none() {
                let mut path = ops.clone();
                path.segments.push(syn::Ident::new(name, ops.span()).into());
                self.bind(name, Name::Import(path));
            }
        }
    }
}

/// The name of a constant item.
pub(in super::super) fn constant_name(item: &Item) -> Option<&syn::Ident> {
    match item {
        Item::Const(item) => Some(&item.ident),
        Item::Static(item) => Some(&item.ident),
        _ => None,
    }
}

/// The least and the greatest of the integers of a table, if all of them are literals.
pub(super) fn range(e: &syn::Expr) -> Option<(i128, i128)> {
    match super::bare(e) {
        syn::Expr::Array(array) => {
            let mut ranges = array.elems.iter().map(range);
            let first = ranges.next()??;
            ranges.try_fold(first, |(least, greatest), next| {
                next.map(|(low, high)| (least.min(low), greatest.max(high)))
            })
        }
        syn::Expr::Repeat(repeat) => range(&repeat.expr),
        syn::Expr::Reference(reference) => range(&reference.expr),
        e => match literal(e)? {
            Kind::Int(value) => Some((value, value)),
            _ => None,
        },
    }
}

/// The value of a constant that is a literal, possibly negated.
pub(in super::super) fn literal(e: &syn::Expr) -> Option<Kind> {
    match super::bare(e) {
        syn::Expr::Lit(lit) => match &lit.lit {
            syn::Lit::Int(int) if matches!(int.suffix(), "f32" | "f64") => {
                Some(Kind::Float(int.base10_digits().to_owned()))
            }
            syn::Lit::Int(int) => int.base10_parse().ok().map(Kind::Int),
            syn::Lit::Float(float) => Some(Kind::Float(float.base10_digits().to_owned())),
            syn::Lit::Bool(bool) => Some(Kind::Bool(bool.value)),
            _ => None,
        },
        syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Neg(_), expr, .. }) => match literal(expr)? {
            Kind::Int(value) => Some(Kind::Int(-value)),
            Kind::Float(digits) => Some(Kind::Float(super::expr::negated(&digits))),
            _ => None,
        },
        _ => None,
    }
}
