//! The marks `#[parallel]`, `#[sequential]`, `#[replay]`, `#[store]` and `#[checkpoint]` on loops: read for the IR,
//! removed from the primal, which rustc must accept.

use super::Refusals;
use crate::ir::{Checkpoint, Lengths, Marks, Provide};
use crate::visit::changing::{self as visit_mut, VisitMut};
use proc_macro2::Span;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, Item, ItemFn};

const NAMES: [&str; 5] = ["parallel", "sequential", "replay", "store", "checkpoint"];

/// Each level runs the iterations once more, and is one more copy of the loop.
const MOST_LEVELS: u8 = 8;

fn is_mark(attr: &Attribute) -> bool {
    NAMES.iter().any(|name| attr.path().is_ident(name))
}

/// Removes every mark from the loops of the function, and makes the groups that a `macro_rules!` macro leaves around
/// its arguments visible: rustc forgets them when it reads what an attribute returns, and `$scale * x` with
/// `2.0 + 1.0` for `$scale` would change its meaning.
pub fn strip(item: &mut ItemFn) {
    Strip.visit_item_fn_mut(item);
}

/// As [`strip`], of an item of a module.
pub fn strip_item(item: &mut Item) {
    Strip.visit_item_mut(item);
}

struct Strip;

impl VisitMut for Strip {
    fn visitor(&mut self) -> &mut dyn VisitMut {
        self
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        match expr {
            Expr::ForLoop(e) => e.attrs.retain(|attr| !is_mark(attr)),
            Expr::While(e) => e.attrs.retain(|attr| !is_mark(attr)),
            Expr::Loop(e) => e.attrs.retain(|attr| !is_mark(attr)),
            _ => {}
        }
        visit_mut::visit_expr_mut(self, expr);
        if let Expr::Group(group) = expr
            && is_compound(&group.expr)
        {
            let inner = std::mem::replace(&mut *group.expr, Expr::PLACEHOLDER);
            *expr = Expr::Paren(syn::ExprParen {
                attrs: std::mem::take(&mut group.attrs),
                paren_token: syn::token::Paren(Span::mixed_site()),
                expr: Box::new(inner),
            });
        }
    }
}
/// Whether operators around an expression could tear it apart.
fn is_compound(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::Assign(_)
            | Expr::Binary(_)
            | Expr::Break(_)
            | Expr::Cast(_)
            | Expr::Closure(_)
            | Expr::If(_)
            | Expr::Match(_)
            | Expr::Range(_)
            | Expr::Reference(_)
            | Expr::Return(_)
            | Expr::Unary(_)
    )
}

/// `#[checkpoint]`, with one of `every = n`, `states = n` and `memory = "n MB"`, and with `levels = n`.
fn checkpoint(attr: &Attribute) -> Option<Checkpoint> {
    let mut asked = Checkpoint::LEAST;
    if attr.meta.require_path_only().is_ok() {
        return Some(asked);
    }
    let list = Punctuated::<syn::MetaNameValue, syn::Token![,]>::parse_terminated;
    for option in attr.parse_args_with(list).ok()? {
        let Expr::Lit(syn::ExprLit { lit, .. }) = &option.value else { return None };
        let number = || match lit {
            syn::Lit::Int(number) => number.base10_parse().ok().filter(|&number: &u64| number > 0),
            _ => None,
        };
        let small = || number().and_then(|number| u32::try_from(number).ok());
        let name = option.path.get_ident()?.to_string();
        match name.as_str() {
            "levels" if asked.levels.is_none() => {
                asked.levels = Some(u8::try_from(small()?).ok().filter(|&levels| levels <= MOST_LEVELS)?);
            }
            _ if asked.lengths != Lengths::Least => return None,
            "every" => asked.lengths = Lengths::Every(small()?),
            "states" => asked.lengths = Lengths::States(small()?),
            "memory" => asked.lengths = Lengths::Memory(number().or_else(|| bytes(lit))?),
            _ => return None,
        }
    }
    Some(asked)
}

/// The bytes that `"512 MB"` says.
fn bytes(lit: &syn::Lit) -> Option<u64> {
    let syn::Lit::Str(text) = lit else { return None };
    let text = text.value();
    let (number, unit) = text.split_at(text.find(|at: char| !at.is_ascii_digit())?);
    let unit: u64 = match unit.trim() {
        "B" => 1,
        "kB" => 1_000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(unit).filter(|&bytes| bytes > 0)
}

/// The marks among the attributes of a loop.
pub(super) fn read(attrs: &[Attribute], refusals: &mut Refusals) -> Marks {
    let mut marks = Marks::default();
    for attr in attrs.iter().filter(|attr| is_mark(attr)) {
        let name = attr.path().get_ident().map(ToString::to_string).unwrap_or_default();
        if name != "checkpoint" && attr.meta.require_path_only().is_err() {
            refusals.push(
                attr.span(),
                format!("`#[{name}]` takes no arguments"),
                "it applies to the loop below it",
                format!("write `#[{name}]`"),
            );
        }
        match name.as_str() {
            "parallel" => marks.parallel = true,
            "sequential" => marks.sequential = true,
            "replay" | "store" if marks.provide.is_some() => refusals.push(
                attr.span(),
                "a loop is either replayed or stored",
                "two marks contradict each other",
                "keep one of `#[replay]` and `#[store]`",
            ),
            "replay" => marks.provide = Some(Provide::Replay),
            "store" => marks.provide = Some(Provide::Store),
            _ => match checkpoint(attr) {
                Some(checkpoint) => marks.checkpoint = Some(checkpoint),
                None => refusals.push(
                    attr.span(),
                    "these arguments of `#[checkpoint]`",
                    "it takes one of `every = 100` iterations, `states = 50` and `memory = \"512 MB\"` (or kB, GB, or a number \
                     of bytes), and `levels` from 1 to 8, all literals",
                    "write `#[checkpoint(memory = \"512 MB\")]`, or `#[checkpoint]` for one level that takes the least \
                     memory",
                ),
            },
        }
    }
    let with = match marks {
        Marks { parallel: true, .. } => Some("parallel"),
        Marks { provide: Some(Provide::Replay), .. } => Some("replay"),
        _ => None,
    };
    if let Some(with) = with.filter(|_| marks.checkpoint.is_some()) {
        refusals.push(
            attrs.first().map_or_else(Span::call_site, Spanned::span),
            format!("a loop with `#[checkpoint]` and `#[{with}]`"),
            "checkpoints are for iterations that follow from each other",
            format!("keep one of `#[checkpoint]` and `#[{with}]`"),
        );
    }
    if marks.parallel && marks.sequential {
        let span = attrs.first().map_or_else(Span::call_site, Spanned::span);
        refusals.push(
            span,
            "a loop is either parallel or sequential",
            "two marks contradict each other",
            "keep one of `#[parallel]` and `#[sequential]`",
        );
    }
    marks
}
