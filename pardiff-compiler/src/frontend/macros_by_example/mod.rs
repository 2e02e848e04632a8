//! Macros by example: calls of a `macro_rules!` that the attribute sees, as what they stand for.
//!
//! ```text
//! macro_rules! horner { ($x:expr; $($c:expr),*) => {{ let mut sum = 0.0; $( sum = sum * $x + $c; )* sum }} }
//! horner!(t; a, b)                { let mut sum = 0.0; sum = sum * t + a; sum = sum * t + b; sum }
//! ```
//!
//! A call is expanded as rustc does it: the first rule that matches, `$x:expr` as one operand, and a name of its own
//! for each variable of the macro that a variable of the caller could be mistaken for. What rustc expands in the user's
//! item is not touched: a call that is not understood stays, and is refused where it stands.

mod calls;
mod matcher;
mod transcriber;

use super::hygiene;
use crate::limits::{EXPANDED_MACROS, NESTED_MACROS};
use crate::visit::changing::{self as visit_mut, VisitMut};
use crate::visit::{self, Visit};
use calls::calls;
use matcher::{Part, matched, parts};
use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use syn::{Block, Expr, ImplItem, Item, ItemFn, ItemImpl, ItemMacro, Macro, Pat, Stmt, Type};
use transcriber::{OWN, transcribed};

/// The macros that are declared by rules.
#[derive(Clone, Default)]
pub(super) struct Macros(Vec<Rc<Declared>>);

/// A macro with its rules.
struct Declared {
    name: String,
    /// Whether it is one of a body, whose variables it may name.
    is_local: bool,
    rules: Vec<(Vec<Part>, Vec<Part>)>,
}

impl Macros {
    /// Those among the items.
    pub(super) fn read(items: &[Item]) -> Macros {
        Macros(items.iter().filter_map(|item| declared(item, false)).collect())
    }

    /// The function with what macros stand for.
    pub(super) fn in_function(&self, item: &mut ItemFn) {
        if !calls(|find| find.visit_item_fn(item)) {
            return;
        }
        let mut variables = Variables::default();
        variables.visit_item_fn(item);
        Expand::new(self, hygiene::names(item.to_token_stream()), variables).visit_block_mut(&mut item.block);
    }

    /// An item of a module.
    pub(super) fn in_item(&self, item: &mut Item) {
        if !calls(|find| find.visit_item(item)) {
            return;
        }
        let mut variables = Variables::default();
        variables.visit_item(item);
        Expand::new(self, hygiene::names(item.to_token_stream()), variables).visit_item_mut(item);
    }
}

/// The items that calls among the items of a module make. Those with an attribute of ours are differentiated where
/// rustc makes them.
pub fn items_of_macros(items: &[Item]) -> Vec<Item> {
    let mut expand = Expand::new(&Macros::default(), HashSet::new(), Variables::default());
    let mut made = Vec::new();
    for item in items {
        match item {
            Item::Macro(of) if of.ident.is_some() => expand.macros.0.extend(declared(item, false)),
            Item::Macro(of) => made.extend(expand.items(&of.mac).unwrap_or_default()),
            _ => {}
        }
    }
    made.retain(|item| !hygiene::names(item.to_token_stream()).contains("differentiate"));
    made
}

/// Expands the calls of macros of the module between the functions of `impl`s; what they make comes last.
pub fn expand_in_impls(items: &mut [Item]) {
    let mut expand = Expand::new(&Macros::default(), HashSet::new(), Variables::default());
    for item in items {
        match item {
            Item::Macro(_) => expand.macros.0.extend(declared(item, false)),
            Item::Impl(of) => expand.impl_items(&mut of.items),
            _ => {}
        }
    }
}

/// The macro that an item declares.
fn declared(item: &Item, is_local: bool) -> Option<Rc<Declared>> {
    let Item::Macro(ItemMacro { ident: Some(name), mac, .. }) = item else { return None };
    let mut rules = Vec::new();
    let mut tokens = mac.tokens.clone().into_iter().peekable();
    while let Some(TokenTree::Group(left)) = tokens.next() {
        tokens.next_if(|token| token.to_string() == "=")?;
        tokens.next_if(|token| token.to_string() == ">")?;
        let Some(TokenTree::Group(right)) = tokens.next() else { return None };
        rules.push((parts(left.stream(), true)?, parts(right.stream(), false)?));
        tokens.next_if(|token| token.to_string() == ";");
    }
    let name = name.to_string();
    mac.path.is_ident("macro_rules").then(|| Rc::new(Declared { name, is_local, rules }))
}

struct Expand {
    macros: Macros,
    /// Names that variables of macros do not get.
    taken: HashSet<String>,
    /// Those of the function.
    variables: HashMap<String, usize>,
    /// Calls around the one that is expanded.
    depth: usize,
    expanded: usize,
}

impl Expand {
    fn new(macros: &Macros, taken: HashSet<String>, variables: Variables) -> Expand {
        Expand { macros: macros.clone(), taken, variables: variables.0, depth: 0, expanded: 0 }
    }

    fn find(&self, mac: &Macro) -> Option<Rc<Declared>> {
        let name = mac.path.segments.last()?.ident.to_string();
        self.macros.0.iter().rev().find(|it| it.name == name).cloned()
    }

    /// What a call stands for, its own names marked.
    fn transcribed(&mut self, mac: &Macro) -> Option<(TokenStream, Variables)> {
        let of = self.find(mac).filter(|_| self.depth < NESTED_MACROS && self.expanded < EXPANDED_MACROS)?;
        self.expanded += 1;
        let mut rules = of.rules.iter();
        let (bound, right) =
            rules.find_map(|(left, right)| Some((matched(left, mac.tokens.clone())?, right)))?;
        let tokens = transcribed(right, &bound)?;
        let mut variables = Variables::default();
        variables.visit_block(&syn::parse2(quote::quote!({ #tokens })).ok()?);
        // a name that the macro has from where it is declared may be another variable where it is called
        let mut free = HashSet::new();
        own_names(tokens.clone(), &mut free);
        let is_one = |name: &String| {
            !variables.0.contains_key(&format!("{OWN}{name}"))
                && self.variables.get(name).is_some_and(|count| *count > usize::from(of.is_local))
        };
        (!free.iter().any(is_one)).then_some((tokens, variables))
    }

    /// The call as syntax. Its variables get names of their own where they could be others: those that `given` names.
    fn parsed<T>(
        &mut self,
        mac: &Macro,
        parse: impl Fn(TokenStream) -> syn::Result<T>,
        given: impl Fn(&Expand, &str) -> bool,
    ) -> Option<T> {
        let (tokens, variables) = self.transcribed(mac)?;
        let mut renamed = HashMap::new();
        for name in variables.0.into_keys() {
            let Some(plain) = name.strip_prefix(OWN) else { continue };
            if !given(self, plain) {
                continue;
            }
            if is_called(tokens.clone(), &name) {
                return None;
            }
            let mut numbered = (1..).map(|at| format!("{plain}_{at}"));
            let new = numbered.find(|new| self.taken.insert(new.clone()))?;
            renamed.insert(name.clone(), Ident::new(&new, proc_macro2::Span::call_site()));
        }
        parse(unmarked(hygiene::renamed(tokens, &renamed))).ok()
    }

    fn expression(&mut self, mac: &Macro) -> Option<Expr> {
        let given = hygiene::names(mac.tokens.clone());
        let parse = |tokens: TokenStream| match syn::parse2::<Expr>(tokens.clone()) {
            Ok(e) => Ok(e),
            // `{ a; b }` may end with a semicolon
            Err(_) => syn::parse2(quote::quote!({ #tokens })),
        };
        let e = self.parsed(mac, parse, |_, name| given.contains(name))?;
        let group = syn::token::Group { span: mac.path.segments.last()?.ident.span() };
        Some(Expr::Group(syn::ExprGroup { attrs: Vec::new(), group_token: group, expr: Box::new(e) }))
    }

    /// Statements, whose variables live on.
    fn statements(&mut self, mac: &Macro) -> Option<Vec<Stmt>> {
        let parse = |tokens| syn::parse2::<Block>(quote::quote!({ #tokens })).map(|block| block.stmts);
        self.parsed(mac, parse, |this, name| this.taken.contains(name))
    }

    fn items(&mut self, mac: &Macro) -> Option<Vec<Item>> {
        let given = hygiene::names(mac.tokens.clone());
        let parse = |tokens| syn::parse2::<syn::File>(tokens).map(|file| file.items);
        let items = self.parsed(mac, parse, |_, name| given.contains(name))?;
        self.depth += 1;
        let mut all = Vec::new();
        for item in items {
            match &item {
                Item::Macro(of) if of.ident.is_some() => self.macros.0.extend(declared(&item, false)),
                Item::Macro(of) => all.extend(self.items(&of.mac)?),
                _ => all.push(item),
            }
        }
        for item in &mut all {
            if let Item::Impl(of) = item {
                self.impl_items(&mut of.items);
            }
        }
        self.depth -= 1;
        Some(all)
    }

    /// The same between the functions of an `impl`.
    fn impl_items(&mut self, items: &mut Vec<ImplItem>) {
        let parse = |tokens| syn::parse2::<ItemImpl>(quote::quote!(impl Own { #tokens })).map(|of| of.items);
        let mut made = Vec::new();
        items.retain(|item| {
            let ImplItem::Macro(of) = item else { return true };
            let given = hygiene::names(of.mac.tokens.clone());
            let parsed = self.parsed(&of.mac, parse, |_, name| given.contains(name));
            let is_known = parsed.is_some();
            made.extend(parsed.unwrap_or_default());
            !is_known
        });
        if !made.is_empty() {
            self.depth += 1;
            self.impl_items(&mut made);
            self.depth -= 1;
            items.extend(made);
        }
    }

    /// Goes on in what a call stands for.
    fn inside(&mut self, visit: impl FnOnce(&mut Expand)) {
        self.depth += 1;
        visit(self);
        self.depth -= 1;
    }

    /// What another macro is given.
    fn tokens(&mut self, tokens: TokenStream) -> TokenStream {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let (mut out, mut at) = (TokenStream::new(), 0);
        while at < tokens.len() {
            if let [TokenTree::Ident(_), TokenTree::Punct(_), TokenTree::Group(_), ..] = &tokens[at..]
                && let call = tokens[at..at + 3].iter().cloned().collect()
                && let Ok(mac) = syn::parse2::<Macro>(call)
                && let Some(mut e) = self.expression(&mac)
            {
                self.inside(|this| this.visit_expr_mut(&mut e));
                out.extend([TokenTree::Group(Group::new(Delimiter::Parenthesis, e.into_token_stream()))]);
                at += 3;
                continue;
            }
            out.extend([match &tokens[at] {
                TokenTree::Group(group) => {
                    let mut inner = Group::new(group.delimiter(), self.tokens(group.stream()));
                    inner.set_span(group.span());
                    TokenTree::Group(inner)
                }
                token => token.clone(),
            }]);
            at += 1;
        }
        out
    }
}

impl VisitMut for Expand {
    fn visitor(&mut self) -> &mut dyn VisitMut {
        self
    }

    fn visit_block_mut(&mut self, block: &mut Block) {
        let known = self.macros.0.len();
        let last = block.stmts.len().saturating_sub(1);
        let mut stmts = Vec::new();
        for (at, mut stmt) in std::mem::take(&mut block.stmts).into_iter().enumerate() {
            match &stmt {
                Stmt::Item(item) if declared(item, true).is_some() => {
                    self.macros.0.extend(declared(item, true));
                    continue;
                }
                Stmt::Macro(of) => {
                    let ends = of.semi_token.is_some() || at < last;
                    if let Some(made) = self.statements(&of.mac) {
                        let mut block = Block { brace_token: block.brace_token, stmts: made };
                        if let Some(Stmt::Expr(e, semi @ None)) = block.stmts.last_mut()
                            && ends
                        {
                            *semi = Some(syn::token::Semi(syn::spanned::Spanned::span(e)));
                        }
                        self.inside(|this| this.visit_block_mut(&mut block));
                        stmts.append(&mut block.stmts);
                        continue;
                    }
                }
                _ => {}
            }
            self.visit_stmt_mut(&mut stmt);
            stmts.push(stmt);
        }
        block.stmts = stmts;
        self.macros.0.truncate(known);
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        if let Expr::Macro(of) = e
            && let Some(made) = self.expression(&of.mac)
        {
            *e = made;
            return self.inside(|this| this.visit_expr_mut(e));
        }
        visit_mut::visit_expr_mut(self, e);
    }

    fn visit_pat_mut(&mut self, pat: &mut Pat) {
        let parse = |tokens| syn::parse::Parser::parse2(Pat::parse_multi_with_leading_vert, tokens);
        if let Pat::Macro(of) = pat
            && let Some(made) = self.parsed(&of.mac, parse, |_, _| true)
        {
            *pat = made;
            return self.inside(|this| this.visit_pat_mut(pat));
        }
        visit_mut::visit_pat_mut(self, pat);
    }

    fn visit_type_mut(&mut self, ty: &mut Type) {
        if let Type::Macro(of) = ty
            && let Some(made) = self.parsed(&of.mac, syn::parse2, |_, _| false)
        {
            *ty = made;
            return self.inside(|this| this.visit_type_mut(ty));
        }
        visit_mut::visit_type_mut(self, ty);
    }

    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        if !self.macros.0.is_empty() {
            mac.tokens = self.tokens(std::mem::take(&mut mac.tokens));
        }
    }
}

/// The names that patterns bind, and how often.
#[derive(Default)]
struct Variables(HashMap<String, usize>);

impl Visit for Variables {
    fn visitor(&mut self) -> &mut dyn Visit {
        self
    }

    fn visit_pat_ident(&mut self, pat: &syn::PatIdent) {
        *self.0.entry(pat.ident.to_string()).or_default() += 1;
        visit::visit_pat_ident(self, pat);
    }
}

/// The names that the macro writes, but for those of fields and methods.
fn own_names(tokens: TokenStream, names: &mut HashSet<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is = |at: Option<usize>, text: &str| {
        at.and_then(|at| tokens.get(at)).is_some_and(|it| it.to_string() == text)
    };
    for (at, token) in tokens.iter().enumerate() {
        let is_part = is(at.checked_sub(1), ".") && !is(at.checked_sub(2), ".");
        let is_field = is(Some(at + 1), ":") && !is(Some(at + 2), ":");
        match token {
            TokenTree::Group(group) => own_names(group.stream(), names),
            TokenTree::Ident(ident) if !is_part && !is_field => {
                names.extend(ident.to_string().strip_prefix(OWN).map(str::to_owned));
            }
            _ => {}
        }
    }
}

/// Whether a name stands before parentheses, where it is that of a closure or of a function.
fn is_called(tokens: TokenStream, name: &str) -> bool {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    tokens.iter().enumerate().any(|(at, token)| match token {
        TokenTree::Group(group) => is_called(group.stream(), name),
        TokenTree::Ident(ident) if ident == name => {
            matches!(tokens.get(at + 1), Some(TokenTree::Group(of)) if of.delimiter() == Delimiter::Parenthesis)
        }
        _ => false,
    })
}

/// The tokens with the names as the macro writes them.
fn unmarked(tokens: TokenStream) -> TokenStream {
    let plain = |token| match token {
        TokenTree::Ident(ident) => match ident.to_string().strip_prefix(OWN) {
            Some(name) => TokenTree::Ident(Ident::new(name, ident.span())),
            None => TokenTree::Ident(ident),
        },
        TokenTree::Group(group) => {
            let mut inner = Group::new(group.delimiter(), unmarked(group.stream()));
            inner.set_span(group.span());
            TokenTree::Group(inner)
        }
        token => token,
    };
    tokens.into_iter().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(items: &str, function: &str) -> String {
        let items = syn::parse_str::<syn::File>(items).expect(items).items;
        let mut item: ItemFn = syn::parse_str(function).expect(function);
        Macros::read(&items).in_function(&mut item);
        item.block.to_token_stream().to_string()
    }

    fn tokens(text: &str) -> String {
        text.parse::<TokenStream>().expect(text).to_string()
    }

    const HORNER: &str = "macro_rules! horner {
        ($x:expr; $($c:expr),* $(,)?) => {{ let mut sum = 0.0; $( sum = sum * $x + $c; )* sum }};
    }";

    #[test]
    fn a_call_is_what_it_stands_for() {
        assert_eq!(
            expanded(HORNER, "fn f(t: f64) -> f64 { horner!(t; 1.0, t.a(2),) }"),
            tokens("{ { let mut sum = 0.0; sum = sum * t + 1.0; sum = sum * t + t.a(2); sum } }")
        );
    }

    #[test]
    fn variables_of_the_macro_are_others() {
        assert_eq!(
            expanded(HORNER, "fn f(sum: f64) -> f64 { horner!(sum; 1.0) }"),
            tokens("{ { let mut sum_1 = 0.0; sum_1 = sum_1 * sum + 1.0; sum_1 } }")
        );
        let exchange =
            "macro_rules! exchange { ($a:ident, $b:ident) => { let kept = $a; $a = $b; $b = kept; } }";
        assert_eq!(
            expanded(exchange, "fn f(kept: f64) { exchange!(x, y); g(kept) }"),
            tokens("{ let kept_1 = x; x = y; y = kept_1; g(kept) }")
        );
    }

    /// `scale` is a function of the module, and `x` the first of two variables.
    #[test]
    fn a_name_that_may_be_another_variable_is_left_alone() {
        let scaled = "macro_rules! scaled { ($x:expr) => { scale($x) } }";
        let body = "{ let scale = |x| 2.0 * x; scaled!(y) }";
        assert_eq!(expanded(scaled, &format!("fn f(y: f64) -> f64 {body}")), tokens(body));
        let body =
            |after| format!("{{ let x = 1.0; macro_rules! first {{ () => {{ x }} }} {after} first!() }}");
        assert_eq!(expanded("", &format!("fn f() -> f64 {}", body(""))), tokens("{ let x = 1.0; x }"));
        let shadowed = expanded("", &format!("fn f() -> f64 {}", body("let x = 2.0;")));
        assert_eq!(shadowed, tokens("{ let x = 1.0; let x = 2.0; first!() }"));
    }

    #[test]
    fn rules_are_tried_in_order() {
        let count =
            "macro_rules! count { () => { 0 }; ($first:tt $($rest:tt)*) => { 1 + count!($($rest)*) }; }";
        assert_eq!(
            expanded(count, "fn f() -> i32 { assert!(count!(=> b) == 2); 0 }"),
            tokens("{ assert!((1 + 1 + 0) == 2); 0 }")
        );
        // no rule matches
        assert_eq!(expanded(HORNER, "fn f() { horner!() }"), tokens("{ horner!() }"));
    }

    #[test]
    fn items_are_made_by_macros_of_macros() {
        let text = "macro_rules! both { ($($name:ident),*) => { $( one!($name); )* } }
            macro_rules! one { ($name:ident) => { pub fn $name(x: f64) -> f64 { x } } }
            both!(first, second);";
        let items = items_of_macros(&syn::parse_str::<syn::File>(text).expect(text).items);
        let names: Vec<String> = items
            .iter()
            .filter_map(|item| match item {
                Item::Fn(item) => Some(item.sig.ident.to_string()),
                _ => None,
            })
            .collect();
        assert_eq!(names, ["first", "second"]);
    }
}
