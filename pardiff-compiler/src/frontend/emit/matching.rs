//! `match`: a chain of tests on values that are evaluated once.
//!
//! Alternatives that bind a name in different places are arms of their own, which is what Rust makes of their guards as well:
//!
//! ```text
//! match (p, q) { (k, 0) | (0, k) if k > 2 => e, … }     if q == 0 && p > 2 { e } else if p == 0 && q > 2 { e } else { … }
//! ```

use super::super::infer::Type;
use super::super::tree::{Arm, Expr as Tree, Kind, LocalId, Match, MatchPattern};
use super::Emit;
use super::value::Value;
use crate::ir::{BinOp, Expr, StmtKind, Ty, UnOp};
use std::collections::BTreeMap;

impl Emit<'_> {
    pub(super) fn matching(&mut self, m: &Match, dest: &Value) {
        let value = self.value(&m.scrutinee);
        let value = self.matched(&m.scrutinee.ty, value);
        let arms: Vec<(MatchPattern, &Arm)> = m
            .arms
            .iter()
            .flat_map(|arm| alternatives(&arm.pattern).into_iter().map(move |pattern| (pattern, arm)))
            .collect();
        self.arms(&arms, &value, dest);
    }

    /// The value as its patterns see it: what is behind a `&mut` is bound as places, which arms may write to, and the rest is
    /// as it was in front of them.
    fn matched(&mut self, ty: &Type, value: Value) -> Value {
        match (self.infer.shallow(ty), value) {
            (Type::Ref(true, _), value) => self.stabilise(value, "matched"),
            (Type::Tuple(types), Value::Tuple(parts)) => {
                Value::Tuple(types.iter().zip(parts).map(|(ty, part)| self.matched(ty, part)).collect())
            }
            (_, value) => self.freeze(value, "matched"),
        }
    }

    fn arms(&mut self, arms: &[(MatchPattern, &Arm)], value: &Value, dest: &Value) {
        let Some(((pattern, arm), rest)) = arms.split_first() else { return };
        let cond = self.test(pattern, value, arm.body.span);
        let cond = match &arm.guard {
            // rustc has made sure that the arms cover every value, so that the last one needs no test
            None if rest.is_empty() => None,
            None => cond,
            Some(guard) => Some(self.guarded(cond, guard)),
        };
        let Some(cond) = cond else { return self.into(&arm.body, dest) };
        let then = self.block(|this| this.into(&arm.body, dest));
        let els = self.block(|this| this.arms(rest, value, dest));
        self.push(StmtKind::If { cond, then, els });
    }

    fn guarded(&mut self, cond: Option<Expr>, guard: &Tree) -> Expr {
        let Some(cond) = cond else { return self.scalar(guard) };
        if self.is_simple(guard) {
            let guard = self.scalar(guard);
            return Expr::binary(BinOp::BitAnd, cond, guard);
        }
        let buffer = self.scalar_local("guard", Ty::Bool);
        self.assign_scalar(buffer, cond);
        let cond = self.program.load_scalar(buffer);
        let then = self.block(|this| {
            let guard = this.scalar(guard);
            this.assign_scalar(buffer, guard);
        });
        self.push(StmtKind::If { cond: cond.clone(), then, els: Vec::new() });
        cond
    }

    /// The condition under which a pattern matches, `None` if always; binds its names.
    pub(super) fn test(
        &mut self,
        pattern: &MatchPattern,
        value: &Value,
        span: proc_macro2::Span,
    ) -> Option<Expr> {
        match pattern {
            MatchPattern::Wild => None,
            MatchPattern::Bind(local, inner) => {
                let bind = super::super::tree::Pattern::Bind(*local);
                self.bind_value(&bind, value.clone(), span);
                inner.as_ref().and_then(|inner| self.test(inner, value, span))
            }
            MatchPattern::Value(constant) => {
                if let Kind::Bool(truth) = constant.kind {
                    let value = self.load(value.clone(), span);
                    return Some(if truth { value } else { Expr::unary(UnOp::Not, value) });
                }
                let constant = self.scalar(constant);
                let value = self.load(value.clone(), span);
                Some(Expr::binary(BinOp::Eq, value, constant))
            }
            MatchPattern::Range(lo, hi, inclusive) => {
                let value = self.load(value.clone(), span);
                let mut cond = None;
                if let Some(lo) = lo {
                    let lo = self.scalar(lo);
                    cond = both(cond, Some(Expr::binary(BinOp::Ge, value.clone(), lo)));
                }
                if let Some(hi) = hi {
                    let hi = self.scalar(hi);
                    let op = if *inclusive { BinOp::Le } else { BinOp::Lt };
                    cond = both(cond, Some(Expr::binary(op, value, hi)));
                }
                cond
            }
            MatchPattern::Or(cases) => {
                let mut any: Option<Expr> = None;
                let mut always = false;
                for case in cases {
                    match self.test(case, value, span) {
                        None => always = true,
                        Some(cond) => {
                            any = Some(match any {
                                None => cond,
                                Some(any) => Expr::binary(BinOp::BitOr, any, cond),
                            });
                        }
                    }
                }
                any.filter(|_| !always)
            }
            MatchPattern::Tuple(patterns) => {
                let Value::Tuple(parts) = value else {
                    self.refuse(
                        span,
                        "a tuple pattern on something that is not a tuple",
                        "the members of a tuple are known from its type",
                        "match on `(a, b)`",
                    );
                    return None;
                };
                let mut cond = None;
                for (pattern, part) in patterns.iter().zip(parts) {
                    let part = self.test(pattern, part, span);
                    cond = both(cond, part);
                }
                cond
            }
            MatchPattern::Array(patterns) => {
                let Value::View(view) = value else { return None };
                let mut cond = None;
                for (at, pattern) in patterns.iter().enumerate() {
                    let element = self.element(view, Expr::usize(at));
                    let part = self.test(pattern, &element, span);
                    cond = both(cond, part);
                }
                cond
            }
        }
    }
}

/// The pattern as patterns that bind each name in one place, in the order in which they are tried.
pub(super) fn alternatives(pattern: &MatchPattern) -> Vec<MatchPattern> {
    match pattern {
        MatchPattern::Or(cases) if places(pattern).is_none() => cases.iter().flat_map(alternatives).collect(),
        MatchPattern::Tuple(parts) | MatchPattern::Array(parts) => {
            let mut all = vec![Vec::new()];
            for part in parts {
                let of_part = alternatives(part);
                all = all
                    .iter()
                    .flat_map(|front: &Vec<MatchPattern>| {
                        of_part.iter().map(|last| [&front[..], std::slice::from_ref(last)].concat())
                    })
                    .collect();
            }
            let of: fn(Vec<MatchPattern>) -> MatchPattern = match pattern {
                MatchPattern::Array(_) => MatchPattern::Array,
                _ => MatchPattern::Tuple,
            };
            all.into_iter().map(of).collect()
        }
        MatchPattern::Bind(local, Some(inner)) => {
            let inner = alternatives(inner).into_iter();
            inner.map(|inner| MatchPattern::Bind(*local, Some(Box::new(inner)))).collect()
        }
        other => vec![other.clone()],
    }
}

/// Which member of the value each name is bound to, if that is one for every alternative.
fn places(pattern: &MatchPattern) -> Option<BTreeMap<LocalId, Vec<usize>>> {
    let mut found = BTreeMap::new();
    match pattern {
        MatchPattern::Wild | MatchPattern::Value(_) | MatchPattern::Range(..) => {}
        MatchPattern::Bind(local, inner) => {
            found.insert(*local, Vec::new());
            if let Some(inner) = inner {
                found.extend(places(inner)?);
            }
        }
        MatchPattern::Tuple(parts) | MatchPattern::Array(parts) => {
            for (at, part) in parts.iter().enumerate() {
                let inner = places(part)?.into_iter();
                found.extend(inner.map(|(local, path)| (local, [&[at], &path[..]].concat())));
            }
        }
        MatchPattern::Or(cases) => {
            let mut cases = cases.iter().map(places);
            found = cases.next().flatten().unwrap_or_default();
            if !cases.all(|case| case.as_ref() == Some(&found)) {
                return None;
            }
        }
    }
    Some(found)
}

fn both(a: Option<Expr>, b: Option<Expr>) -> Option<Expr> {
    match (a, b) {
        (Some(a), Some(b)) => Some(Expr::binary(BinOp::BitAnd, a, b)),
        (a, b) => a.or(b),
    }
}
