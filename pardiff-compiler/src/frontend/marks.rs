//! The marks `#[parallel]`, `#[sequential]`, `#[replay]`, `#[store]` and `#[checkpoint]` on loops: read for the IR,
//! removed from the primal, which rustc must accept.

use super::Refusals;
use crate::ir::{Checkpoint, Count, Lengths, Marks, Provide};
use crate::visit::changing::{self as visit_mut, VisitMut};
use proc_macro2::Span;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Block, Expr, Item, ItemFn};

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
            Expr::ForLoop(e) => unmark(&mut e.attrs, &mut e.body),
            Expr::While(e) => unmark(&mut e.attrs, &mut e.body),
            Expr::Loop(e) => unmark(&mut e.attrs, &mut e.body),
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

/// Removes the marks of a loop. Constants that they name are mentioned in the body, so that rustc finds them used.
fn unmark(attrs: &mut Vec<Attribute>, body: &mut Block) {
    let mut amount = None;
    for attr in attrs.extract_if(.., |attr| is_mark(attr)) {
        if attr.path().is_ident("checkpoint") {
            checkpoint(&attr, &mut amount);
        }
    }
    if let Some((_, constant)) = amount {
        body.stmts.insert(0, syn::parse_quote!(let _: usize = #constant;));
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

/// A length that a constant gives, and the constant.
pub(super) type Amount = (fn(Count) -> Lengths, Expr);

/// `#[checkpoint]`, with one of `every = n`, `states = n`, `memory = "n MB"` and `binomial = n`, and with `levels = n`.
fn checkpoint(attr: &Attribute, amount: &mut Option<Amount>) -> Option<Checkpoint> {
    let mut asked = Checkpoint::LEAST;
    if attr.meta.require_path_only().is_ok() {
        return Some(asked);
    }
    let list = Punctuated::<syn::MetaNameValue, syn::Token![,]>::parse_terminated;
    for option in attr.parse_args_with(list).ok()? {
        let name = option.path.get_ident()?.to_string();
        let of: fn(Count) -> Lengths = match name.as_str() {
            "levels" if asked.levels.is_none() => {
                let levels = number(&option.value).and_then(|levels| u8::try_from(levels).ok());
                asked.levels = Some(levels.filter(|&levels| levels <= MOST_LEVELS)?);
                continue;
            }
            _ if asked.lengths != Lengths::Least => return None,
            "every" => Lengths::Every,
            "states" => Lengths::States,
            "memory" => Lengths::Memory,
            "binomial" => Lengths::Binomial,
            _ => return None,
        };
        let bytes = || bytes(&option.value).filter(|_| name == "memory");
        asked.lengths = match number(&option.value).or_else(bytes) {
            Some(number) => of(Count::Number(number)),
            None if matches!(option.value, Expr::Lit(_)) => return None,
            None => {
                *amount = Some((of, option.value));
                of(Count::Number(1))
            }
        };
    }
    let is_flat = matches!(asked.lengths, Lengths::Binomial(_));
    Some(asked).filter(|asked| !is_flat || asked.levels.is_none())
}

fn number(value: &Expr) -> Option<u64> {
    let Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(number), .. }) = value else { return None };
    number.base10_parse().ok().filter(|&number| number > 0)
}

/// The bytes that `"512 MB"` says.
fn bytes(value: &Expr) -> Option<u64> {
    let Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = value else { return None };
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

/// The marks among the attributes of a loop, and a length that is not a number yet.
pub(super) fn read(attrs: &[Attribute], refusals: &mut Refusals) -> (Marks, Option<Amount>) {
    let (mut marks, mut amount) = (Marks::default(), None);
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
            _ => match checkpoint(attr, &mut amount) {
                Some(checkpoint) => marks.checkpoint = Some(checkpoint),
                None => refusals.push(
                    attr.span(),
                    "these arguments of `#[checkpoint]`",
                    "it takes one of `every = 100` iterations, `states = 50`, `memory = \"512 MB\"` (or kB, GB, or \
                     a number of bytes) and `binomial = 50` states, each a literal or an expression of constants, \
                     and `levels`, a literal from 1 to 8, without `binomial`",
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
    (marks, amount)
}
