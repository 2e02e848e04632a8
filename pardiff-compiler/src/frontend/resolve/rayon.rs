//! rayon's parallel iterators: chains like those of std, whose items are used in any order.
//!
//! How rayon groups the items of a `reduce` or `fold` is open, so the value is that of any grouping: here one group, in
//! the order of the source. Where the grouping would show (an operation that is not associative, a start that is not
//! neutral), the program has no one value, and is refused.

use super::super::display::tidy;
use super::super::tree::{Block, Expr, Kind, Stmt};
use super::{Resolver, bare};
use crate::visit::changing::{self as visit_mut, VisitMut};
use proc_macro2::Span;
use syn::spanned::Spanned;

/// What makes a parallel iterator, and what makes the same one of std.
const SOURCES: [(&str, &str); 8] = [
    ("par_iter", "iter"),
    ("par_iter_mut", "iter_mut"),
    ("into_par_iter", "into_iter"),
    ("par_chunks", "chunks"),
    ("par_chunks_mut", "chunks_mut"),
    ("par_chunks_exact", "chunks_exact"),
    ("par_chunks_exact_mut", "chunks_exact_mut"),
    ("par_windows", "windows"),
];

/// How many items a task of the primal has at least or at most: nothing that a value depends on.
pub(super) const HINTS: [&str; 2] = ["with_min_len", "with_max_len"];

/// What is not part of the language, each with what to write instead.
const OTHERS: [(&str, &str); 21] = [
    ("for_each_with", "declare the value inside the closure of `for_each`"),
    ("for_each_init", "declare the value inside the closure of `for_each`"),
    ("map_with", "declare the value inside the closure of `map`"),
    ("map_init", "declare the value inside the closure of `map`"),
    ("fold_with", "write `fold(|| start, |a, x| …)`"),
    ("fold_chunks", "write `fold(|| start, |a, x| …)`, or `par_chunks(n)`"),
    ("reduce_with", "write `reduce(|| 0.0, |a, b| a + b)`, with the value of no items"),
    ("try_for_each", "write `for_each`, and check before it what may fail"),
    ("try_reduce", "write `reduce`, and check before it what may fail"),
    ("try_fold", "write `fold`, and check before it what may fail"),
    ("interleave", "write two chains, one behind the other"),
    ("update", "change the item in `for_each`, or compute another one in `map`"),
    ("inspect", "remove it"),
    ("chunks", "write `x.par_chunks(n)` over the array itself"),
    ("fold_chunks_with", "write `fold(|| start, |a, x| …)`"),
    ("max", "write `reduce(|| i32::MIN, |a, b| a.max(b))`"),
    ("min", "write `reduce(|| i32::MAX, |a, b| a.min(b))`"),
    ("max_by", "write `reduce(|| f64::NEG_INFINITY, f64::max)`"),
    ("min_by", "write `reduce(|| f64::INFINITY, f64::min)`"),
    ("collect_into_vec", "write `let v: Vec<f64> = ….collect();`"),
    ("while_some", "write a sequential loop with `break`"),
];

/// Adapters and ends whose items follow from no counter: such a chain is that of std, whose items come in the same
/// order.
const IN_ORDER: [(&str, &str); 10] = [
    ("filter_map", "filter_map"),
    ("flat_map", "flat_map"),
    ("flat_map_iter", "flat_map"),
    ("flatten", "flatten"),
    ("flatten_iter", "flatten"),
    ("chain", "chain"),
    ("any", "any"),
    ("all", "all"),
    ("unzip", "unzip"),
    ("partition", "partition"),
];

/// The name of the same source of std.
pub(super) fn sequential(name: &str) -> Option<&'static str> {
    SOURCES.iter().find(|(parallel, _)| *parallel == name).map(|(_, sequential)| *sequential)
}

/// What to write instead of a method of parallel iterators that is refused.
pub(super) fn refused(name: &str) -> Option<&'static str> {
    OTHERS.iter().find(|(other, _)| *other == name).map(|(_, help)| *help)
}

/// Whether an expression is a parallel iterator, by its form.
pub(super) fn is_parallel(e: &syn::Expr) -> bool {
    match bare(e) {
        syn::Expr::MethodCall(call) => {
            sequential(&call.method.to_string()).is_some() || is_parallel(&call.receiver)
        }
        _ => false,
    }
}

fn in_order(name: &str) -> Option<&'static str> {
    IN_ORDER.iter().find(|(parallel, _)| *parallel == name).map(|(_, of_std)| *of_std)
}

/// Whether a chain has such a method.
fn has(e: &syn::ExprMethodCall, is_it: &dyn Fn(&str) -> bool) -> bool {
    let below = || matches!(bare(&e.receiver), syn::Expr::MethodCall(below) if has(below, is_it));
    is_it(&e.method.to_string()) || below()
}

/// Writes chains with the methods of std.
struct OfStd;

impl VisitMut for OfStd {
    fn visitor(&mut self) -> &mut dyn VisitMut {
        self
    }

    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        visit_mut::visit_expr_mut(self, e);
        let syn::Expr::MethodCall(call) = e else { return };
        let name = call.method.to_string();
        if HINTS.contains(&&*name) {
            *e = (*call.receiver).clone();
        } else if let Some(of_std) = sequential(&name).or_else(|| in_order(&name)) {
            call.method = syn::Ident::new(of_std, call.method.span());
        }
    }
}

impl Resolver<'_> {
    /// A method of a parallel iterator, or one that makes or bridges to one; `None` if it is none of these.
    pub(super) fn parallel(&mut self, e: &syn::ExprMethodCall, name: &str) -> Option<Expr> {
        if name == "par_bridge" {
            let help = "write `par_iter()`, `par_chunks(n)` or `(0..n).into_par_iter()`";
            return Some(self.refuse_rayon(e, name, help));
        }
        if name.starts_with("par_sort") {
            let help = "sort indices outside of the function, and pass them";
            return Some(self.refuse_rayon(e, name, help));
        }
        if name.starts_with("par_") && sequential(name).is_none() {
            let help = "write `par_iter`, `par_chunks`, `par_windows` or `(0..n).into_par_iter()`";
            return Some(self.refuse_rayon(e, name, help));
        }
        if !is_parallel(&e.receiver) {
            return None;
        }
        if let Some(help) = refused(name) {
            return Some(self.refuse_rayon(e, name, help));
        }
        if has(e, &|name| in_order(name).is_some()) && !has(e, &|name| name == "reduce" || name == "fold") {
            let mut e = syn::Expr::MethodCall(e.clone());
            OfStd.visit_expr_mut(&mut e);
            return Some(self.expr(&e));
        }
        let of_folds = is_fold(&e.receiver);
        match (name, e.args.len()) {
            ("reduce", 2) => Some(self.reduce(e, of_folds)),
            ("sum" | "product", 0) if of_folds => Some(self.total(e)),
            ("map", 1) if of_folds => None,
            ("fold", 2) => Some(self.refuse(
                e.method.span(),
                "a parallel `fold` that is not reduced",
                "it makes as many partial results as rayon makes groups, which is open",
                "write `.reduce(|| 0.0, |a, b| a + b)` or `.sum::<f64>()` behind it",
            )),
            _ if of_folds => Some(self.refuse(
                e.method.span(),
                format!("`{name}` of the partial results of a `fold`"),
                "how many there are is open",
                "write `.reduce(|| 0.0, |a, b| a + b)` or `.sum::<f64>()` behind `fold`",
            )),
            _ => None,
        }
    }

    pub(super) fn refuse_rayon(&mut self, e: &syn::ExprMethodCall, name: &str, help: &str) -> Expr {
        self.refuse(
            e.method.span(),
            format!("the parallel iterator method `{name}`"),
            "a chain here becomes one loop over its items, and ends in `for_each`, `sum`, `product`, `reduce`, `count`, `any`, `all`, \
             `collect`, `unzip` or `partition`",
            help,
        )
    }

    /// `reduce(|| identity, op)`, of items or of partial folds.
    fn reduce(&mut self, e: &syn::ExprMethodCall, of_folds: bool) -> Expr {
        let span = e.span();
        if of_folds {
            let Some(folded) = self.partial(&e.receiver) else { return self.error(span) };
            let Some(start) = self.start(&e.args[0]) else { return self.error(span) };
            return self.combined(start, folded, &e.args[1], span);
        }
        let Some(chain) = self.chain(&e.receiver) else { return self.error(span) };
        let Some(start) = self.start(&e.args[0]) else { return self.error(span) };
        self.unify(&start.ty, &chain.item, start.span);
        let Some(op) = self.function_of(&e.args[1], 2) else { return self.error(span) };
        if self.is_regrouped(&op, &start, true) {
            self.folded(chain, start, &op, span)
        } else {
            self.error(span)
        }
    }

    /// The value of `|| start`.
    fn start(&mut self, e: &syn::Expr) -> Option<Expr> {
        match bare(e) {
            syn::Expr::Closure(closure) if closure.inputs.is_empty() => {
                Some(self.scoped(false, |this| this.closure_body(closure)))
            }
            syn::Expr::Path(path) => {
                let call: syn::Expr = syn::parse_quote!(#path());
                Some(self.expr(&call))
            }
            other => {
                self.refuse(
                    other.span(),
                    "this start of a parallel `reduce` or `fold`",
                    "each group of items starts with a value of its own, so a closure makes it",
                    "write `|| 0.0`",
                );
                None
            }
        }
    }

    /// The partial results of a fold, as if there were one, possibly mapped.
    fn partial(&mut self, e: &syn::Expr) -> Option<Expr> {
        let syn::Expr::MethodCall(call) = bare(e) else { return None };
        let span = call.span();
        if call.method == "map" {
            let inner = self.partial(&call.receiver)?;
            let ty = inner.ty.clone();
            let (closure, mapped) = self.closure(&call.args[0], &ty)?;
            let body = closure.body.behind(vec![Stmt::Let(closure.param, Some(inner), span)], span);
            return Some(Expr { ty: mapped, ..body });
        }
        let chain = self.chain(&call.receiver)?;
        let start = self.start(&call.args[0])?;
        let op = self.function_of(&call.args[1], 2)?;
        self.is_regrouped(&op, &start, false).then(|| self.folded(chain, start, &op, span))
    }

    /// `{ let a = start; let b = value; op(a, b) }`
    fn combined(&mut self, start: Expr, value: Expr, op: &syn::Expr, span: Span) -> Expr {
        let Some(op) = self.function_of(op, 2) else { return self.error(span) };
        self.unify(&start.ty, &value.ty, span);
        if !self.is_regrouped(&op, &start, true) {
            return self.error(span);
        }
        let ty = start.ty.clone();
        self.scoped(false, |this| {
            let first = this.pattern(&op.inputs[0], &ty);
            let second = this.pattern(&op.inputs[1], &ty);
            let body = this.closure_body(&op);
            this.unify(&ty, &body.ty, body.span);
            let stmts = vec![Stmt::Let(first, Some(start), span), Stmt::Let(second, Some(value), span)];
            Expr { ty, ..body.behind(stmts, span) }
        })
    }

    /// `sum` and `product` of the partial results of a fold.
    fn total(&mut self, e: &syn::ExprMethodCall) -> Expr {
        let Some(folded) = self.partial(&e.receiver) else { return self.error(e.span()) };
        self.unify_written(e, &folded.ty);
        folded
    }
}

/// What is known of an operation on one number of an accumulator.
enum Grouping {
    /// Any grouping gives the same, up to rounding, if the start is this number.
    Neutral(f64, &'static str),
    /// Groupings differ.
    Differs,
    /// Nothing is known, or nothing has to be.
    Open,
}

impl Resolver<'_> {
    /// Refuses an operation whose value depends on how items are grouped, as far as that can be seen. `both`: the
    /// operation combines two partial results, else a partial result and an item.
    fn is_regrouped(&mut self, op: &syn::ExprClosure, start: &Expr, both: bool) -> bool {
        let before = self.refusals.0.len();
        if let (Some(first), Some(second)) = (op.inputs.first(), op.inputs.get(1)) {
            self.check_grouping(&op.body, (first, second), start, both);
        }
        self.refusals.0.len() == before
    }

    fn check_grouping(&mut self, body: &syn::Expr, params: (&syn::Pat, &syn::Pat), start: &Expr, both: bool) {
        match (bare(body), &start.kind) {
            (syn::Expr::Block(block), _) if block.block.stmts.len() == 1 => {
                if let [syn::Stmt::Expr(tail, None)] = &block.block.stmts[..] {
                    self.check_grouping(tail, params, start, both);
                }
            }
            (syn::Expr::Tuple(parts), Kind::Tuple(starts)) if parts.elems.len() == starts.len() => {
                for (part, start) in parts.elems.iter().zip(starts) {
                    self.check_grouping(part, params, start, both);
                }
            }
            // what an operator of a struct does is open
            (syn::Expr::Binary(_), _) if self.is_record(&start.ty) => {}
            (syn::Expr::Binary(binary), _) => match grouping(binary, params, both) {
                Grouping::Neutral(neutral, why) if number(start) != Some(neutral) => {
                    let what = if both { "`reduce`" } else { "`fold`" };
                    self.refuse(
                        start.span,
                        format!("this start of a parallel {what}"),
                        format!("rayon uses it once for each group of items, so it must be {why}, or the value depends on the grouping"),
                        format!("start with `{neutral:.1}`, and apply your start behind the chain"),
                    );
                }
                Grouping::Differs => {
                    self.refuse(
                        binary.span(),
                        format!("`{}` as the operation of a parallel `reduce`", tidy(binary)),
                        "rayon groups the items in a way that is open, and the value depends on it",
                        "write an operation whose grouping does not matter (`a + b`, `a * b`, `a.max(b)`), or a sequential `fold`",
                    );
                }
                Grouping::Neutral(..) | Grouping::Open => {}
            },
            _ => {}
        }
    }
}

fn grouping(e: &syn::ExprBinary, (first, second): (&syn::Pat, &syn::Pat), both: bool) -> Grouping {
    let of = |e: &syn::Expr, pat: &syn::Pat| root(e).is_some_and(|name| binds(pat, name));
    let acc_left = of(&e.left, first);
    let acc_right = of(&e.right, first);
    let combines = (acc_left && of(&e.right, second)) || (acc_right && of(&e.left, second));
    let updates = (acc_left && !mentions(&e.right, first)) || (acc_right && !mentions(&e.left, first));
    if both && !combines || !both && !updates {
        return Grouping::Open;
    }
    let sum = Grouping::Neutral(0.0, "neutral for `+`: zero");
    let product = Grouping::Neutral(1.0, "neutral for `*`: one");
    match e.op {
        syn::BinOp::Add(_) => sum,
        syn::BinOp::Mul(_) => product,
        syn::BinOp::Sub(_) | syn::BinOp::Div(_) | syn::BinOp::Rem(_) if both => Grouping::Differs,
        syn::BinOp::Sub(_) if acc_left => sum,
        syn::BinOp::Div(_) if acc_left => product,
        _ => Grouping::Open,
    }
}

/// The variable that a place is part of: `a`, `*a`, `a.0`.
fn root(e: &syn::Expr) -> Option<&syn::Ident> {
    match bare(e) {
        syn::Expr::Path(path) => path.path.get_ident(),
        syn::Expr::Field(field) => root(&field.base),
        syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Deref(_), expr, .. }) => root(expr),
        _ => None,
    }
}

fn binds(pat: &syn::Pat, name: &syn::Ident) -> bool {
    match pat {
        syn::Pat::Ident(pat) => pat.ident == *name,
        syn::Pat::Type(pat) => binds(&pat.pat, name),
        syn::Pat::Reference(pat) => binds(&pat.pat, name),
        syn::Pat::Paren(pat) => binds(&pat.pat, name),
        syn::Pat::Tuple(pat) => pat.elems.iter().any(|pat| binds(pat, name)),
        syn::Pat::Slice(pat) => pat.elems.iter().any(|pat| binds(pat, name)),
        _ => false,
    }
}

/// Whether a variable of the pattern stands in the expression.
fn mentions(e: &syn::Expr, pat: &syn::Pat) -> bool {
    struct Find<'a>(&'a syn::Pat, bool);
    impl crate::visit::Visit for Find<'_> {
        fn visitor(&mut self) -> &mut dyn crate::visit::Visit {
            self
        }

        fn visit_ident(&mut self, name: &syn::Ident) {
            self.1 |= binds(self.0, name);
        }
    }
    let mut find = Find(pat, false);
    crate::visit::Visit::visit_expr(&mut find, e);
    find.1
}

/// The value of a literal.
fn number(e: &Expr) -> Option<f64> {
    match &e.kind {
        Kind::Int(value) => Some(*value as f64),
        Kind::Float(digits) => digits.parse().ok(),
        Kind::Unary(crate::ir::UnOp::Neg, inner) => number(inner).map(|value| -value),
        Kind::Cast(inner) => number(inner),
        Kind::Block(Block { stmts, tail: Some(tail) }) if stmts.is_empty() => number(tail),
        _ => None,
    }
}

/// Whether an expression is a `fold` of a parallel iterator, possibly mapped.
fn is_fold(e: &syn::Expr) -> bool {
    match bare(e) {
        syn::Expr::MethodCall(call) if call.method == "fold" => is_parallel(&call.receiver),
        syn::Expr::MethodCall(call) if call.method == "map" => is_fold(&call.receiver),
        _ => false,
    }
}
