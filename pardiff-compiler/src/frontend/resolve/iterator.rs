//! Iterator chains: from method calls to a description of what is iterated over.

use super::super::chain::{Chain, ChainKind, Each};
use super::super::infer::{Class, Type};
use super::super::tree::{Access, Block, Expr, Kind, Len, LoopId, Method, Pattern};
use super::changed::root;
use super::jump::Leavable;
use super::{Resolver, bare, is_word, names, rayon};
use crate::ir::{Marks, RayonId};
use std::rc::Rc;
use syn::spanned::Spanned;

const SOURCES: &str = "iter iter_mut into_iter drain chunks chunks_mut chunks_exact chunks_exact_mut rchunks rchunks_exact chunk_by \
    windows array_windows outer_iter outer_iter_mut axis_iter axis_iter_mut indexed_iter indexed_iter_mut";
const ADAPTERS: &str = "rev step_by skip take zip enumerate map filter filter_map copied cloned chain flat_map flatten \
    scan take_while skip_while map_while cycle inspect fuse";

/// Functions of `std::iter`, and how many arguments they take.
const OF_ITER: [(&str, usize); 7] = [
    ("once", 1),
    ("repeat", 1),
    ("repeat_n", 2),
    ("zip", 2),
    ("successors", 2),
    ("from_fn", 1),
    ("repeat_with", 1),
];

/// Adapters that are not part of the language, each with what to write instead.
const OTHERS: [(&str, &str); 2] = [
    ("peekable", "index the next element: `x[i + 1]`"),
    ("by_ref", "write one loop over all items, or slice: `x[..k].iter()` and `x[k..].iter()`"),
];

/// Whether a method makes an iterator of one.
pub(super) fn is_adapter(name: &str) -> bool {
    is_word(ADAPTERS, name)
}

/// Whether an expression is an iterator, by its form.
pub(super) fn is_chain(e: &syn::Expr) -> bool {
    match bare(e) {
        syn::Expr::Range(_) => true,
        syn::Expr::Call(call) => OF_ITER.iter().any(|(name, arguments)| is_of_iter(call, name, *arguments)),
        syn::Expr::MethodCall(call) => {
            let name = call.method.to_string();
            let name = name.as_str();
            let other = OTHERS.iter().any(|(other, _)| *other == name);
            is_word(SOURCES, name)
                || rayon::sequential(name).is_some()
                || (is_word(ADAPTERS, name) || other || rayon::HINTS.contains(&name))
                    && is_chain(&call.receiver)
        }
        _ => false,
    }
}

impl Resolver<'_> {
    /// `for pattern in iterator`
    pub(super) fn each_loop(&mut self, e: &syn::ExprForLoop) -> Expr {
        let span = e.for_token.span();
        let written = self.with_own_source(&e.expr);
        if written.is_none()
            && let Some(value) = self.own_iterator(e)
        {
            return value;
        }
        let of = written.as_ref().unwrap_or(&e.expr);
        let mut marks = self.marks_of(e);
        let chain = if is_chain(of) { self.chain_in_order(of) } else { self.items(of) };
        let Some(chain) = chain else { return self.error(span) };
        self.scopes.push(super::Scope::default());
        let pattern = self.pattern(&e.pat, &chain.item);
        let name = self.counter(&pattern, &chain);
        let (body, id) = self.body_of_for(e, &name, &mut marks);
        Expr::effect(Kind::Each(Box::new(Each { id, pattern, name, chain, marks, body })), span)
    }

    /// The marks of a `for`.
    pub(super) fn marks_of(&mut self, e: &syn::ExprForLoop) -> Marks {
        let marks = self.marks(&e.attrs);
        Marks { rayon: self.starts_tasks(&e.body).then_some(RayonId::TASKS), ..marks }
    }

    /// The body of a `for` whose counter is called `name`, and its number; ends the scope of its pattern.
    pub(super) fn body_of_for(
        &mut self,
        e: &syn::ExprForLoop,
        name: &str,
        marks: &mut Marks,
    ) -> (Block, LoopId) {
        if self.options.parallel.iter().any(|parallel| *parallel == name) {
            marks.parallel = true;
            self.parallel_seen.push(name.to_owned());
        }
        let (body, id, _) = self.inside(Leavable::Loop, e.label.as_ref(), |this, _| this.loop_block(&e.body));
        self.scopes.pop();
        (body, id)
    }

    /// What `IntoIterator` makes of an expression; `None` if it was refused.
    pub(super) fn items(&mut self, e: &syn::Expr) -> Option<Chain> {
        if is_chain(e) {
            return self.chain(bare(e));
        }
        if let Some(parts) = self.fixed_parts(e) {
            return parts;
        }
        if let Some(written) = self.with_own_source(e) {
            return self.chain(&written);
        }
        let array = self.expr(e);
        if self.is_own_iterator(&array.ty) {
            return Some(self.own_items(array));
        }
        let array = self.own_copy(array);
        self.elements(array, None)
    }

    /// An array of known length that is iterated over by value: the iterator has a copy of it, so that what changes the
    /// variable meanwhile changes none of its items. A vector is moved, and a variable that is not `mut` stays as it is.
    pub(super) fn own_copy(&mut self, array: Expr) -> Expr {
        let ty = self.infer.shallow(&array.ty);
        let changes = |local: usize| self.locals[local].mutable;
        let known = matches!(&ty, Type::Array(_, Len::Known(_) | Len::Open(_)));
        if !known || !root(&array).is_some_and(changes) {
            return array;
        }
        let span = array.span;
        let access = Access { array: "items".to_owned(), text: "items".to_owned() };
        Expr::new(Kind::Method(Method::ToOwned, vec![array], access), ty, span)
    }

    /// The elements of an array: by reference where it is one, else as `by_ref` says.
    pub(super) fn elements(&mut self, array: Expr, by_ref: Option<bool>) -> Option<Chain> {
        let outer = self.infer.shallow(&array.ty);
        let by_ref = match (&outer, by_ref) {
            (_, Some(mutable)) => Some(mutable),
            (Type::Ref(mutable, _), None) => Some(*mutable),
            _ => None,
        };
        if let (Kind::Array(_), Type::Array(elem, _)) = (&array.kind, self.infer.peel(&array.ty))
            && self.is_place_of_more(&elem)
        {
            return Some(self.one_by_one(array, by_ref));
        }
        let rank = self.nd_rank(&array.ty);
        let elem = if rank > 1 { self.nd_element(&array.ty) } else { self.element_of(&array)? };
        let item = match by_ref {
            Some(mutable) => Type::reference(mutable, elem),
            None => elem,
        };
        if rank > 1 {
            return Some(Chain::new(
                ChainKind::Numbers { arrays: vec![array], rank, indexed: false, text: String::new() },
                item,
            ));
        }
        Some(Chain::new(ChainKind::Elements(array), item))
    }

    /// Whether values of a type stand for what is elsewhere and more than a number: places that are written to, slices.
    fn is_place_of_more(&self, ty: &Type) -> bool {
        match self.infer.shallow(ty) {
            Type::Ref(true, _) => true,
            Type::Ref(false, of) => !self.is_element(&of),
            ty => ty.members().is_some_and(|parts| parts.iter().any(|part| self.is_place_of_more(part))),
        }
    }

    /// The elements of an array that is written out, one behind the other: they need not be numbers that lie in an array.
    ///
    /// ```text
    /// for (gate, rate) in [(&mut m, a), (&mut h, b)] { … }        { let (gate, rate) = (&mut m, a); … } { … }
    /// ```
    fn one_by_one(&mut self, array: Expr, by_ref: Option<bool>) -> Chain {
        let Kind::Array(parts) = array.kind else {
            return Chain::new(ChainKind::Elements(array), Type::Never);
        };
        let once = parts.into_iter().map(|part| {
            let item = match by_ref {
                Some(mutable) => Type::reference(mutable, part.ty.clone()),
                None => part.ty.clone(),
            };
            Chain::new(ChainKind::Once(part), item)
        });
        let chained = once.reduce(|a, b| {
            let item = a.item.clone();
            Chain::new(ChainKind::Chain(Box::new(a), Box::new(b)), item)
        });
        chained.unwrap_or_else(|| Chain::new(ChainKind::Elements(self.error(array.span)), Type::Never))
    }

    /// The type of the elements of what must be an array.
    pub(super) fn element_of(&mut self, array: &Expr) -> Option<Type> {
        match self.infer.peel(&array.ty) {
            Type::Array(elem, _) => Some(*elem),
            ty @ Type::Var(_) if self.infer.class(&ty) == Class::Any => {
                Some(self.array_of_some(&ty, array.span))
            }
            Type::Never => None,
            other => {
                let ty = self.infer.show(&other);
                self.refuse(
                    array.span,
                    format!("an iteration over a value of type `{ty}`"),
                    "what is iterated over are ranges, arrays and the iterators that these have",
                    "write `for i in 0..n { … }` or `for v in x.iter() { … }`",
                );
                None
            }
        }
    }

    /// An iterator that `is_chain` found, whose items may be made in any order, or not at all.
    pub(super) fn chain(&mut self, e: &syn::Expr) -> Option<Chain> {
        let chain = self.chain_in_order(e)?;
        if let Some(span) = chain.changes {
            self.refuse_change(span);
            return None;
        }
        Some(chain)
    }

    /// The same for what makes each item once, in order.
    pub(super) fn chain_in_order(&mut self, e: &syn::Expr) -> Option<Chain> {
        match bare(e) {
            syn::Expr::Range(range) => self.range(range),
            syn::Expr::Call(call) if is_of_iter(call, "repeat", 1) || is_of_iter(call, "repeat_n", 2) => {
                let item = self.expr(&call.args[0]);
                let ty = item.ty.clone();
                let once = Chain::new(ChainKind::Once(item), ty.clone());
                let repeated = Chain::new(ChainKind::Cycle(Box::new(once)), ty.clone());
                let Some(times) = call.args.get(1) else { return Some(repeated) };
                let times = self.usize(times);
                Some(Chain::new(ChainKind::Take(Box::new(repeated), times), ty))
            }
            syn::Expr::Call(call) if is_of_iter(call, "once", 1) => {
                let item = self.expr(&call.args[0]);
                let (ty, span) = (item.ty.clone(), item.span);
                let len = Len::Known(Rc::new(Expr::usize(1, span)));
                self.elements(Expr::new(Kind::Array(vec![item]), Type::array(ty, len), span), None)
            }
            syn::Expr::Call(call) if is_of_iter(call, "zip", 2) => {
                let (a, b) = (&call.args[0], &call.args[1]);
                self.chain(&syn::parse_quote_spanned!(call.span()=> (#a).into_iter().zip(#b)))
            }
            syn::Expr::Call(call) if is_of_iter(call, "successors", 2) => self.successors(call),
            syn::Expr::Call(call) if is_of_iter(call, "from_fn", 1) => self.calls_of(call, true),
            syn::Expr::Call(call) if is_of_iter(call, "repeat_with", 1) => self.calls_of(call, false),
            syn::Expr::MethodCall(call) => {
                let name = call.method.to_string();
                if is_chain(&call.receiver) { self.adapter(call, &name) } else { self.source(call, &name) }
            }
            other => self.items(other),
        }
    }

    fn adapter(&mut self, call: &syn::ExprMethodCall, name: &str) -> Option<Chain> {
        if rayon::is_parallel(&call.receiver)
            && let Some(help) = rayon::refused(name)
        {
            self.refuse_rayon(call, name, help);
            return None;
        }
        if let Some((_, help)) = OTHERS.iter().find(|(other, _)| *other == name) {
            self.refuse(
                call.method.span(),
                format!("the iterator adapter `{name}`"),
                "a chain here becomes one loop with a counter from which every item follows",
                *help,
            );
            return None;
        }
        let inner = self.chain(&call.receiver)?;
        self.adapted(call, name, inner)
    }

    /// What an adapter makes of the items of `inner`.
    pub(super) fn adapted(&mut self, call: &syn::ExprMethodCall, name: &str, inner: Chain) -> Option<Chain> {
        if matches!((name, call.args.len()), ("into_iter" | "into_par_iter", 0)) {
            return Some(Chain { parallel: name == "into_par_iter", ..inner });
        }
        let (parallel, mut changes) = (inner.parallel, None);
        match (name, call.args.len()) {
            // these iterators stay at their end
            ("fuse", 0) => return Some(inner),
            ("inspect", 1) if !parallel => return self.inspected(call, inner),
            _ => {}
        }
        if parallel && rayon::HINTS.contains(&name) && call.args.len() == 1 {
            self.usize(&call.args[0]);
            return Some(inner);
        }
        let item = inner.item.clone();
        if let Some(irregular) = self.irregular(call, name, &inner) {
            return irregular;
        }
        if (name, call.args.len()) == ("enumerate", 0) && inner.leaves_out() && !parallel {
            return self.counted(call, inner);
        }
        let countable = matches!(name, "map" | "filter" | "copied" | "cloned" | "rev");
        let inner = if countable { inner } else { self.by_position(inner) };
        if name == "zip" && inner.leaves_out() && !parallel {
            let collected = self.collected(inner, call.method.span())?;
            return self.adapted(call, name, collected);
        }
        if matches!((name, call.args.len()), ("skip" | "step_by", 1)) && inner.is_in_order() && !parallel {
            return self.skipped(call, inner);
        }
        let refused = inner.leaves_out() && name != "take" || inner.is_in_order() && name == "cycle";
        if !countable && refused {
            let filter = if inner.any(&|kind| matches!(kind, ChainKind::Filter(..))) {
                "`filter`"
            } else {
                "an adapter that leaves items out or makes several of one"
            };
            self.refuse(
                call.method.span(),
                format!("`{name}` behind {filter}"),
                "how many items have passed the filter is known only when they are counted",
                format!("write a `for` with `if` and a counter; before {filter}, `{name}` counts all items"),
            );
            return None;
        }
        let inner = Box::new(inner);
        let (kind, item) = match (name, call.args.len()) {
            ("rev", 0) => {
                if self.is_endless(&inner) {
                    self.refuse(
                        call.method.span(),
                        "`rev` of an iterator without an end",
                        "there is no last item to begin with",
                        "give the range an end: `(0..n).rev()`",
                    );
                    return None;
                }
                (ChainKind::Rev(inner), item)
            }
            ("cycle", 0) => (ChainKind::Cycle(inner), item),
            ("enumerate", 0) => (ChainKind::Enumerate(inner), Type::Tuple(vec![Type::USIZE, item])),
            ("copied" | "cloned", 0) => {
                let item = match self.infer.shallow(&item) {
                    Type::Ref(_, inner) => *inner,
                    other => other,
                };
                (ChainKind::Copied(inner), item)
            }
            ("step_by" | "skip" | "take", 1) => {
                let by = self.usize(&call.args[0]);
                let kind = match name {
                    "step_by" => ChainKind::StepBy(inner, by),
                    "skip" => ChainKind::Skip(inner, by),
                    _ => ChainKind::Take(inner, by),
                };
                (kind, item)
            }
            ("zip", 1) => {
                let other = self.items(&call.args[0])?;
                let mut other = self.by_position(other);
                if other.leaves_out() {
                    other = self.collected(other, call.args[0].span())?;
                }
                let item = Type::Tuple(vec![item, other.item.clone()]);
                (ChainKind::Zip(inner, Box::new(other)), item)
            }
            ("map", 1) => {
                let (closure, ty, changed) = self.changing_closure(&call.args[0], &item)?;
                // the lengths of rows are asked of the closure as well
                if let Some(span) = changed.filter(|_| parallel || !self.is_element(&ty)) {
                    self.refuse_change(span);
                    return None;
                }
                changes = changed;
                (ChainKind::Map(inner, closure), ty)
            }
            ("filter", 1) => {
                let seen = Type::reference(false, item.clone());
                let (closure, ty) = self.closure(&call.args[0], &seen)?;
                self.unify(&ty, &Type::BOOL, closure.body.span);
                (ChainKind::Filter(inner, closure), item)
            }
            _ => {
                self.wrong_arguments(call, name);
                return None;
            }
        };
        Some(Chain { kind, item, parallel, changes })
    }

    pub(super) fn wrong_arguments(&mut self, call: &syn::ExprMethodCall, name: &str) {
        self.refuse(
            call.method.span(),
            format!("`{name}` with {} arguments", call.args.len()),
            "an iterator has no such method",
            "write it as in the documentation of `std::iter::Iterator`",
        );
    }

    pub(super) fn is_endless(&self, chain: &Chain) -> bool {
        match &chain.kind {
            ChainKind::Range { hi, .. } => hi.is_none(),
            // ends by itself
            ChainKind::Take(..) | ChainKind::TakeWhile(..) => false,
            ChainKind::Zip(a, b) => self.is_endless(a) && self.is_endless(b),
            ChainKind::Cycle(_) => true,
            kind => kind.sources().into_iter().any(|source| self.is_endless(source)),
        }
    }

    /// How the counter of a loop over `chain` is called: as the user calls what equals it.
    pub(super) fn counter(&self, pattern: &Pattern, chain: &Chain) -> String {
        match (&chain.kind, pattern) {
            (_, Pattern::Deref(pattern)) => self.counter(pattern, chain),
            (ChainKind::Map(inner, closure), _) => self.counter(&closure.param, inner),
            (
                ChainKind::Filter(inner, _)
                | ChainKind::Rev(inner)
                | ChainKind::Skip(inner, _)
                | ChainKind::Take(inner, _)
                | ChainKind::StepBy(inner, _)
                | ChainKind::Copied(inner)
                | ChainKind::TakeWhile(inner, _)
                | ChainKind::SkipWhile(inner, _)
                | ChainKind::Chain(inner, _),
                _,
            ) => self.counter(pattern, inner),
            (ChainKind::FlatMap(outer, inner), _) => self.counter(&inner.param, outer),
            (ChainKind::Zip(a, _), Pattern::Tuple(parts)) if parts.len() == 2 => self.counter(&parts[0], a),
            (ChainKind::Enumerate(_), Pattern::Tuple(parts)) => match parts.first() {
                Some(Pattern::Bind(local)) => self.locals[*local].name.clone(),
                _ => "k".to_owned(),
            },
            (ChainKind::Range { .. }, Pattern::Bind(local)) => self.locals[*local].name.clone(),
            _ => "k".to_owned(),
        }
    }
}

/// Whether it is a call of a function of `std::iter`.
fn is_of_iter(call: &syn::ExprCall, name: &str, arguments: usize) -> bool {
    let syn::Expr::Path(path) = bare(&call.func) else { return false };
    let names = names(&path.path).join("::");
    let of =
        names.strip_suffix(name).is_some_and(|of| matches!(of, "std::iter::" | "core::iter::" | "iter::"));
    call.args.len() == arguments && of
}
