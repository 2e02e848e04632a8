//! Random programs in other clothes: the same program as a module of functions, methods, closures and constants, with
//! rayon's iterators, `for_each` and labels.
//!
//! *Comes in*: the source of a function, as [`source`](super::source) prints it. *Goes out*: the items of a module, one of
//! them the function. *Guarantees*: both compute the same, bit for bit where sums are made in order: what is moved, is
//! moved whole, and evaluated in the order in which it was.

use super::draw::Draw;
use quote::{format_ident, quote};
use std::collections::HashMap;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, FnArg, Ident, Item, ItemFn, Pat, Stmt, parse_quote};

/// A program as a module.
pub struct Dressed {
    /// What stands beside the function.
    pub items: Vec<Item>,
    pub main: ItemFn,
}

impl Dressed {
    /// The items of the module, as source.
    pub fn source(&self) -> String {
        let (items, main) = (&self.items, &self.main);
        quote!(use rayon::prelude::*; #(#items)* #main).to_string()
    }
}

/// How a helper is called.
#[derive(Clone)]
enum Form {
    /// As a method of a struct of its first scalars.
    Method { record: Ident, fields: Vec<Ident>, by_path: bool },
    /// By a function that takes it.
    Applied(Ident),
}

/// Dresses a function; the same way for the same seed.
pub fn dress(main: ItemFn, seed: u64) -> Dressed {
    let mut dresser = Dresser {
        draw: Draw::new(seed ^ 0xd7e5),
        items: Vec::new(),
        forms: HashMap::new(),
        constants: HashMap::new(),
        pairs: HashMap::new(),
        labels: 0,
    };
    let mut main = main;
    let stmts = std::mem::take(&mut main.block.stmts);
    let mut body = Vec::new();
    let helpers: Vec<ItemFn> = stmts.iter().filter_map(nested).cloned().collect();
    for stmt in stmts {
        match stmt {
            Stmt::Item(Item::Fn(helper)) => {
                let alone = !helpers.iter().any(|other| calls(other, &helper.sig.ident))
                    && !helpers.iter().any(|other| calls(&helper, &other.sig.ident));
                body.extend(dresser.helper(helper, alone));
            }
            Stmt::Item(item @ Item::Const(_)) => dresser.constant(item),
            stmt => body.push(stmt),
        }
    }
    main.block.stmts = body;
    dresser.visit_item_fn_mut(&mut main);
    let mut items = std::mem::take(&mut dresser.items);
    items.iter_mut().for_each(|item| dresser.visit_item_mut(item));
    items.append(&mut dresser.items);
    Dressed { items, main }
}

fn nested(stmt: &Stmt) -> Option<&ItemFn> {
    match stmt {
        Stmt::Item(Item::Fn(helper)) => Some(helper),
        _ => None,
    }
}

/// Whether a function names another.
fn calls(function: &ItemFn, name: &Ident) -> bool {
    struct Find<'a>(&'a Ident, bool);
    impl Visit<'_> for Find<'_> {
        fn visit_ident(&mut self, ident: &Ident) {
            self.1 |= ident == self.0;
        }
        fn visit_macro(&mut self, mac: &syn::Macro) {
            let text = mac.tokens.to_string();
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            self.1 |= text.split(|c| !is_word(c)).any(|word| self.0 == word);
        }
    }
    let mut find = Find(name, false);
    find.visit_block(&function.block);
    find.1
}

/// A name of a type.
fn camel(prefix: &str, name: &Ident) -> Ident {
    format_ident!("{prefix}{}", name.to_string().replace('_', "").to_uppercase())
}

struct Dresser {
    draw: Draw,
    items: Vec<Item>,
    forms: HashMap<String, Form>,
    /// What stands for a constant.
    constants: HashMap<String, Expr>,
    /// Variables that were tuples.
    pairs: HashMap<String, Ident>,
    labels: usize,
}

impl Dresser {
    /// Moves a helper to where it is called in another way, or leaves it in the body.
    fn helper(&mut self, helper: ItemFn, alone: bool) -> Option<Stmt> {
        let name = helper.sig.ident.clone();
        let typed: Vec<&syn::PatType> = helper
            .sig
            .inputs
            .iter()
            .filter_map(|arg| if let FnArg::Typed(arg) = arg { Some(arg) } else { None })
            .collect();
        let (output, block) = (&helper.sig.output, &helper.block);
        match if alone { self.draw.below(5) } else { 1 } {
            0 => return Some(Stmt::Item(Item::Fn(helper))),
            2 => {
                let inputs = &helper.sig.inputs;
                // only a closure with braces may name its type
                return Some(parse_quote!(let #name = |#inputs| #output #block;));
            }
            3 => {
                let record = camel("Of", &name);
                let is_scalar = |ty: &syn::Type| matches!(ty, syn::Type::Path(_));
                let scalars: Vec<&&syn::PatType> =
                    typed.iter().take_while(|arg| is_scalar(&arg.ty)).collect();
                let rest = &typed[scalars.len()..];
                let names = |args: &[&&syn::PatType]| -> Vec<Ident> {
                    let name = |arg: &&&syn::PatType| match &*arg.pat {
                        Pat::Ident(pat) => pat.ident.clone(),
                        _ => format_ident!("unnamed"),
                    };
                    args.iter().map(name).collect()
                };
                let fields = names(&scalars);
                let types = scalars.iter().map(|arg| &arg.ty);
                let stmts = &block.stmts;
                self.items.push(parse_quote!(
                    #[derive(Clone, Copy)]
                    pub struct #record { #(pub #fields: #types),* }
                ));
                let pats = scalars.iter().map(|arg| &arg.pat);
                let way = self.draw.below(3);
                let (receiver, bound): (FnArg, Vec<Stmt>) = match self.draw.below(3) {
                    0 => {
                        (parse_quote!(self), vec![parse_quote!(let #record { #(#fields: #pats),* } = self;)])
                    }
                    1 => (
                        parse_quote!(&self),
                        vec![parse_quote!(let #record { #(#fields: #pats),* } = *self;)],
                    ),
                    _ => (
                        parse_quote!(&self),
                        pats.zip(&fields).map(|(pat, field)| parse_quote!(let #pat = self.#field;)).collect(),
                    ),
                };
                self.items.push(parse_quote!(
                    impl #record {
                        fn #name(#receiver, #(#rest),*) #output { #(#bound)* #(#stmts)* }
                    }
                ));
                // by its path only where the value itself is passed
                let by_path = way == 0;
                self.forms.insert(name.to_string(), Form::Method { record, fields, by_path });
            }
            4 => {
                let apply = format_ident!("apply_{name}");
                let types = typed.iter().map(|arg| &arg.ty);
                let args: Vec<Ident> = (0..typed.len()).map(|k| format_ident!("given_{k}")).collect();
                let declared = args.iter().zip(&typed).map(|(arg, param)| {
                    let ty = &param.ty;
                    quote!(#arg: #ty)
                });
                self.items.push(parse_quote!(
                    fn #apply(called: impl Fn(#(#types),*) #output, #(#declared),*) #output { called(#(#args),*) }
                ));
                self.items.push(Item::Fn(helper));
                self.forms.insert(name.to_string(), Form::Applied(apply));
            }
            _ => self.items.push(Item::Fn(helper)),
        }
        None
    }

    fn constant(&mut self, item: Item) {
        let Item::Const(constant) = &item else { return };
        let (name, ty, value) = (&constant.ident, &constant.ty, &constant.expr);
        let owner = camel("Fixed", name);
        let is_scalar = matches!(&**ty, syn::Type::Path(_));
        match self.draw.below(3) {
            0 => {
                self.items.push(parse_quote!(pub struct #owner { pub unused: f64 }));
                self.items.push(parse_quote!(impl #owner { const #name: #ty = #value; }));
                self.constants.insert(name.to_string(), parse_quote!(#owner::#name));
            }
            1 if is_scalar => {
                self.items.push(parse_quote!(pub struct #owner { pub held: #ty, pub other: f64 }));
                self.items.push(parse_quote!(const #name: #owner = #owner { other: 0.5, held: #value };));
                self.constants.insert(name.to_string(), parse_quote!(#name.held));
            }
            _ => self.items.push(item),
        }
    }

    /// `let pair: (f64, i32) = (a, b);` with a struct in place of the tuple.
    fn pair(&mut self, local: &mut syn::Local) {
        let Pat::Type(typed) = &local.pat else { return };
        let (Pat::Ident(pat), syn::Type::Tuple(tuple)) = (&*typed.pat, &*typed.ty) else { return };
        let Some(init) = &local.init else { return };
        let Expr::Tuple(values) = &*init.expr else { return };
        if !self.draw.chance(60) {
            return;
        }
        let record = camel("Pair", &pat.ident);
        let fields: Vec<Ident> = (0..values.elems.len()).map(|k| format_ident!("m{k}")).collect();
        let (types, values) = (tuple.elems.iter(), values.elems.iter());
        self.items.push(parse_quote!(
            #[derive(Clone, Copy)]
            pub struct #record { #(pub #fields: #types),* }
        ));
        self.pairs.insert(pat.ident.to_string(), record.clone());
        let pat = pat.clone();
        let made: Stmt = parse_quote!(let #pat = #record { #(#fields: #values),* };);
        if let Stmt::Local(made) = made {
            *local = made;
        }
    }

    /// The iterators of a chain, as rayon's.
    fn parallel(&self, chain: &mut Expr) {
        let Expr::MethodCall(call) = chain else { return };
        let new = match call.method.to_string().as_str() {
            "iter" => "par_iter",
            "chunks_exact" => "par_chunks_exact",
            "windows" => "par_windows",
            name => {
                if name == "zip" {
                    call.args.iter_mut().for_each(|other| self.parallel(other));
                }
                if let Expr::Paren(range) = &*call.receiver
                    && matches!(&*range.expr, Expr::Range(_))
                {
                    let range = &call.receiver;
                    *call.receiver = parse_quote!(#range.into_par_iter());
                    return;
                }
                return self.parallel(&mut call.receiver);
            }
        };
        call.method = Ident::new(new, call.method.span());
    }
}

impl VisitMut for Dresser {
    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        self.pair(local);
        visit_mut::visit_local_mut(self, local);
    }

    /// `vec![value; n]`, `vec![a, b]` and `assert!(cond)`.
    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        let tokens = &mac.tokens;
        match syn::parse2::<Expr>(quote!([#tokens])) {
            Ok(mut list) => {
                self.visit_expr_mut(&mut list);
                mac.tokens = match list {
                    Expr::Array(list) => {
                        let list = list.elems;
                        quote!(#list)
                    }
                    Expr::Repeat(repeat) => {
                        let (value, len) = (repeat.expr, repeat.len);
                        quote!(#value; #len)
                    }
                    other => quote!(#other),
                };
            }
            Err(error) => panic!("{error}"),
        }
    }

    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        visit_mut::visit_stmt_mut(self, stmt);
        let Stmt::Expr(Expr::ForLoop(looped), _) = stmt else { return };
        let chained = matches!(&*looped.expr, Expr::MethodCall(call) if call.method != "rev" && call.method != "step_by");
        if chained && looped.label.is_none() && !jumps(&looped.body) && self.draw.chance(50) {
            let (pat, chain, body) = (&looped.pat, &looped.expr, &looped.body);
            *stmt = parse_quote!(#chain.for_each(|#pat| #body););
        }
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        visit_mut::visit_expr_mut(self, e);
        match e {
            Expr::Path(path) => {
                let constant = path.path.get_ident().and_then(|name| self.constants.get(&name.to_string()));
                if let Some(constant) = constant {
                    *e = constant.clone();
                }
            }
            Expr::Field(field) => {
                if let (Expr::Path(base), syn::Member::Unnamed(at)) = (&*field.base, &field.member)
                    && base.path.get_ident().is_some_and(|name| self.pairs.contains_key(&name.to_string()))
                {
                    field.member = syn::Member::Named(format_ident!("m{}", at.index));
                }
            }
            Expr::Call(call) => {
                let Expr::Path(func) = &*call.func else { return };
                let Some(name) = func.path.get_ident().cloned() else { return };
                let args = &call.args;
                match self.forms.get(&name.to_string()) {
                    Some(Form::Method { record, fields, by_path }) => {
                        let (first, rest): (Vec<_>, Vec<_>) =
                            args.iter().enumerate().partition(|(k, _)| *k < fields.len());
                        let (first, rest) =
                            (first.iter().map(|(_, arg)| arg), rest.iter().map(|(_, arg)| arg));
                        let made: Expr = parse_quote!(#record { #(#fields: #first),* });
                        *e = match by_path {
                            true => parse_quote!(#record::#name(#made, #(#rest),*)),
                            false => parse_quote!((#made).#name(#(#rest),*)),
                        };
                    }
                    Some(Form::Applied(apply)) => *e = parse_quote!(#apply(#name, #args)),
                    None => {}
                }
            }
            Expr::MethodCall(call) => {
                let ends = matches!(call.method.to_string().as_str(), "sum" | "collect");
                if ends && is_chain(&call.receiver) && self.draw.chance(50) {
                    self.parallel(&mut call.receiver);
                }
            }
            Expr::ForLoop(syn::ExprForLoop { label, body, .. })
            | Expr::While(syn::ExprWhile { label, body, .. })
            | Expr::Loop(syn::ExprLoop { label, body, .. }) => {
                let mut own = Labels { label: None, found: false };
                own.visit_block_mut(body);
                if own.found && self.draw.chance(50) {
                    let name =
                        syn::Lifetime::new(&format!("'l{}", self.labels), proc_macro2::Span::call_site());
                    self.labels += 1;
                    *label = Some(parse_quote!(#name:));
                    Labels { label: Some(name), found: false }.visit_block_mut(body);
                }
            }
            _ => {}
        }
    }
}

/// Whether an expression is a chain of adapters over an iterator.
fn is_chain(e: &Expr) -> bool {
    match e {
        Expr::MethodCall(call) => match call.method.to_string().as_str() {
            "iter" | "chunks_exact" | "windows" => true,
            "rev" | "skip" | "take" | "step_by" | "enumerate" | "zip" | "map" | "filter" => {
                is_chain(&call.receiver)
            }
            _ => false,
        },
        Expr::Paren(range) => matches!(&*range.expr, Expr::Range(_)),
        _ => false,
    }
}

/// Whether something in a block leaves it, or a loop in it.
fn jumps(block: &syn::Block) -> bool {
    struct Find(bool);
    impl Visit<'_> for Find {
        fn visit_expr(&mut self, e: &Expr) {
            self.0 |= matches!(e, Expr::Break(_) | Expr::Continue(_) | Expr::Return(_));
            visit::visit_expr(self, e);
        }
    }
    let mut find = Find(false);
    find.visit_block(block);
    find.0
}

/// Gives the jumps of one loop, not those of loops in it, a label.
struct Labels {
    label: Option<syn::Lifetime>,
    found: bool,
}

impl VisitMut for Labels {
    fn visit_expr_mut(&mut self, e: &mut Expr) {
        match e {
            Expr::Break(syn::ExprBreak { label, .. }) | Expr::Continue(syn::ExprContinue { label, .. }) => {
                self.found |= label.is_none();
                if label.is_none() {
                    *label = self.label.clone();
                }
            }
            Expr::ForLoop(_) | Expr::While(_) | Expr::Loop(_) | Expr::Closure(_) => {}
            other => visit_mut::visit_expr_mut(self, other),
        }
    }
}
