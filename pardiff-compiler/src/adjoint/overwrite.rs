//! The entry points that overwrite: adjoints that are computed once need not be zero before.
//!
//! ```text
//!                                           if overwrite
//!                                             for k in n * n..len(d_a)
//! for i in 0..n                                 d_a[k] = 0.0
//!   for j in 0..n                           for i in 0..n
//!     d_a[i * n + j] += e            =>       if overwrite
//!     d_x[j] += e'                              for j in 0..n
//!                                                 d_a[i * n + j] = e
//!                                                 d_x[j] += e'
//!                                             else
//!                                               for j in 0..n: as it was
//! ```
//!
//! `overwrite` becomes the last parameter; the other adjoints are zero when an entry point that overwrites comes here.
//! Setting an array to zero and then adding to it moves it through memory three times instead of once, so this is for
//! loops that compute little for each element; the loop is there twice.
//!
//! *Legality.* The statement is the only one that mentions the adjoint, no condition is around it, and its loops count
//! every combination of their iterators. Its index is proved not to wrap and is `(i1 * n2 + i2) * n3 + i3 …`, each
//! iterator over all of `0..n`: these are the numbers below `n1 * n2 * …`, each once (in further dimensions, an iterator
//! over the whole dimension). So every element below is written exactly once, and every other one is set to zero. `0 + e`
//! is `e`, but for the sign of a zero.

use crate::ir::{
    BinOp, Block, BufferId, Expr, ExprKind, For, Func, IterId, Origin, Phase, Place, Program, ReduceOp, Role,
    SpanId, Stmt, StmtKind, Ty, duplicate,
};
use crate::poly::Analysis;
use std::collections::BTreeMap;

/// A loop of at most so many nodes of expressions is there twice: more of them take longer than the memory.
const SHORT: usize = 60;

/// Of a program without statements.
const NOWHERE: Origin = Origin { stmt: 0, phase: Phase::Adjoint, span: SpanId(0) };

/// Gives the program the parameter `overwrite: bool` behind the others, if an adjoint gains by it. The adjoints of inputs
/// that the program assigns need not be zero if it is true; the others must be.
pub fn overwrite(mut program: Program) -> Program {
    let mut once = found(&program);
    if once.is_empty() {
        return program;
    }
    {
        let analysis = Analysis::new(&program);
        let proved = |buffer: BufferId| {
            analysis.of(buffer).iter().all(|&id| analysis.access(id).index.iter().all(Option::is_some))
        };
        once.retain(|it| proved(it.adjoint));
    }
    if once.is_empty() {
        return program;
    }
    let flag = program.add_scalar("overwrite", Ty::Bool, Role::Input);
    program.params.push(flag);
    let mut body = std::mem::take(&mut program.body);
    let mut loops: Vec<IterId> = once.iter().map(|it| it.innermost).collect();
    loops.dedup();
    for iter in loops {
        let adjoints: Vec<BufferId> =
            once.iter().filter(|it| it.innermost == iter).map(|it| it.adjoint).collect();
        twice(&mut program, &mut body, iter, &adjoints, flag);
    }
    let origin = Origin { phase: Phase::Adjoint, ..body.first().map_or(NOWHERE, |stmt| stmt.origin) };
    let mut zeros = Block::new();
    for it in &once {
        zeros.push(rest_is_zero(&mut program, it, origin));
    }
    let cond = program.load_scalar(flag);
    program.body = vec![Stmt::new(StmtKind::If { cond, then: zeros, els: Block::new() }, origin)];
    program.body.extend(body);
    program
}

/// An adjoint whose elements are computed once each.
struct Once {
    adjoint: BufferId,
    /// The loop around the statement.
    innermost: IterId,
    /// The number of elements of the first dimension that are computed.
    computed: Expr,
}

/// The adjoints of inputs that one statement alone mentions, in a nest that covers the first of its elements.
fn found(program: &Program) -> Vec<Once> {
    let candidates = program.params.iter().copied().filter(|&id| {
        let of_input = matches!(program[id].role, Role::Adjoint(of) if program[of].role == Role::Input);
        of_input && program[id].rank() > 0 && mentions(&program.body, id) == 1
    });
    let candidates: Vec<BufferId> = candidates.collect();
    let mut found = Vec::new();
    if !candidates.is_empty() {
        look(program, &program.body, &candidates, &mut Vec::new(), &mut found);
    }
    found
}

fn mentions(block: &Block, buffer: BufferId) -> usize {
    let mut mentions = 0;
    let mut mention = |id: BufferId| mentions += usize::from(id == buffer);
    for stmt in block {
        stmt.walk(&mut |stmt| {
            match &stmt.kind {
                StmtKind::Assign { target, .. } | StmtKind::Reduce { target, .. } => mention(target.buffer),
                StmtKind::Swap { a, b } => [*a, *b].into_iter().for_each(&mut mention),
                StmtKind::Call { reads, writes, .. } => {
                    reads.iter().chain(writes).for_each(|&id| mention(id))
                }
                _ => {}
            }
            for expr in stmt.exprs() {
                expr.walk(&mut |expr| {
                    if let ExprKind::Load(place) = &expr.kind {
                        mention(place.buffer);
                    }
                });
            }
        });
    }
    mentions
}

fn look<'p>(
    program: &Program,
    block: &'p Block,
    candidates: &[BufferId],
    loops: &mut Vec<&'p For>,
    found: &mut Vec<Once>,
) {
    for stmt in block {
        match &stmt.kind {
            StmtKind::For(each) => {
                loops.push(each);
                look(program, &each.body, candidates, loops, found);
                loops.pop();
            }
            StmtKind::Scope { body, .. } => look(program, body, candidates, loops, found),
            StmtKind::Reduce { op: ReduceOp::Add, target, .. } if candidates.contains(&target.buffer) => {
                found.extend(covered(program, target, loops));
            }
            _ => {}
        }
    }
}

/// What the nest computes of the target, if each element once.
fn covered(program: &Program, target: &Place, loops: &[&For]) -> Option<Once> {
    let innermost = loops.last()?;
    let mut nodes = 0;
    let mut inner = false;
    for stmt in &innermost.body {
        stmt.walk(&mut |stmt| {
            inner |= matches!(stmt.kind, StmtKind::For(_) | StmtKind::While(_));
            stmt.exprs().into_iter().for_each(|expr| expr.walk(&mut |_| nodes += 1));
        });
    }
    let counts = |each: &&For| {
        let unit = each.step.kind == ExprKind::Int(1) && each.lo.kind == ExprKind::Int(0) && !each.inclusive;
        unit && program[each.iter].ty == Ty::USIZE && Polynomial::of(program, &each.hi).is_some()
    };
    if inner || nodes > SHORT || !loops.iter().all(counts) {
        return None;
    }
    let (first, others) = target.index.split_first()?;
    let mut rows = loops.to_vec();
    for (index, extent) in others.iter().zip(&program[target.buffer].dims[1..]) {
        let ExprKind::Iter(iter) = index.kind else { return None };
        let at = rows.iter().position(|each| each.iter == iter && each.hi == *extent)?;
        rows.remove(at);
    }
    let (outermost, rest) = rows.split_first()?;
    let mut number = Polynomial::of(program, &Expr::iter(outermost.iter, Ty::USIZE))?;
    let mut computed = outermost.hi.clone();
    for each in rest {
        let radix = Polynomial::of(program, &each.hi)?;
        let digit = Polynomial::of(program, &Expr::iter(each.iter, Ty::USIZE))?;
        number = number.times(&radix)?.plus(&digit, 1)?;
        computed = Expr::call(Ty::USIZE, Func::SaturatingMul, vec![computed, each.hi.clone()]);
    }
    let exact = Polynomial::of(program, first)? == number;
    exact.then_some(Once { adjoint: target.buffer, innermost: innermost.iter, computed })
}

/// A loop in two versions, the first of which assigns to the adjoints.
fn twice(program: &mut Program, block: &mut Block, iter: IterId, adjoints: &[BufferId], flag: BufferId) {
    for stmt in block {
        if !matches!(&stmt.kind, StmtKind::For(each) if each.iter == iter) {
            stmt.blocks_mut().into_iter().for_each(|inner| twice(program, inner, iter, adjoints, flag));
            continue;
        }
        let mut then = duplicate(program, std::slice::from_ref(stmt));
        assign(&mut then, adjoints);
        let origin = stmt.origin;
        let cond = program.load_scalar(flag);
        let pair = StmtKind::If { cond, then, els: Block::new() };
        let accumulating = std::mem::replace(stmt, Stmt::new(pair, origin));
        if let StmtKind::If { els, .. } = &mut stmt.kind {
            els.push(accumulating);
        }
    }
}

fn assign(block: &mut Block, adjoints: &[BufferId]) {
    for stmt in block {
        if let StmtKind::Reduce { target, value, .. } = &stmt.kind
            && adjoints.contains(&target.buffer)
        {
            stmt.kind = StmtKind::Assign { target: target.clone(), value: value.clone() };
        }
        stmt.blocks_mut().into_iter().for_each(|inner| assign(inner, adjoints));
    }
}

/// Sets what is not computed to zero.
fn rest_is_zero(program: &mut Program, it: &Once, origin: Origin) -> Stmt {
    let rank = program[it.adjoint].rank();
    let iters: Vec<IterId> = (0..rank).map(|_| program.add_iter("k", Ty::USIZE)).collect();
    let index = iters.iter().map(|&iter| Expr::iter(iter, Ty::USIZE)).collect();
    let value = Expr::float(program[it.adjoint].elem, 0.0);
    let mut stmt = Stmt::new(StmtKind::Assign { target: Place::new(it.adjoint, index), value }, origin);
    for (dim, iter) in iters.into_iter().enumerate().rev() {
        let mut each = For::counted(iter, Expr::extent(it.adjoint, dim), vec![stmt]);
        if dim == 0 {
            each.lo = it.computed.clone();
        }
        stmt = Stmt::new(StmtKind::For(each), origin);
    }
    stmt
}

/// A sum of products of iterators, scalar parameters and lengths, over the integers.
#[derive(PartialEq)]
struct Polynomial(BTreeMap<Vec<Factor>, i128>);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Factor {
    Iter(IterId),
    Scalar(BufferId),
    Extent(BufferId, usize),
}

impl Polynomial {
    fn of(program: &Program, expr: &Expr) -> Option<Polynomial> {
        let factor = |factor| Some(Polynomial(BTreeMap::from([(vec![factor], 1)])));
        match &expr.kind {
            ExprKind::Int(0) => Some(Polynomial(BTreeMap::new())),
            ExprKind::Int(number) => Some(Polynomial(BTreeMap::from([(Vec::new(), *number)]))),
            ExprKind::Iter(iter) => factor(Factor::Iter(*iter)),
            ExprKind::Extent(buffer, dim) if program.params.contains(buffer) => {
                factor(Factor::Extent(*buffer, *dim))
            }
            ExprKind::Load(Place { buffer, index })
                if index.is_empty()
                    && program[*buffer].role == Role::Input
                    && program.params.contains(buffer) =>
            {
                factor(Factor::Scalar(*buffer))
            }
            ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), lhs, rhs) => {
                let (lhs, rhs) = (Polynomial::of(program, lhs)?, Polynomial::of(program, rhs)?);
                match op {
                    BinOp::Add => lhs.plus(&rhs, 1),
                    BinOp::Sub => lhs.plus(&rhs, -1),
                    _ => lhs.times(&rhs),
                }
            }
            _ => None,
        }
    }

    fn plus(mut self, other: &Polynomial, scale: i128) -> Option<Polynomial> {
        for (factors, number) in &other.0 {
            let sum = self.0.entry(factors.clone()).or_default();
            *sum = sum.checked_add(number.checked_mul(scale)?)?;
        }
        self.0.retain(|_, number| *number != 0);
        Some(self)
    }

    fn times(&self, other: &Polynomial) -> Option<Polynomial> {
        let mut product = Polynomial(BTreeMap::new());
        for (a, first) in &self.0 {
            for (b, second) in &other.0 {
                let mut factors: Vec<Factor> = a.iter().chain(b).copied().collect();
                factors.sort_unstable();
                let term = Polynomial(BTreeMap::from([(factors, first.checked_mul(*second)?)]));
                product = product.plus(&term, 1)?;
            }
        }
        Some(product)
    }
}

#[cfg(test)]
mod tests {
    use super::overwrite;
    use crate::ir::interp::{Array, Value, no_paths, run};
    use crate::ir::verify::verify;
    use crate::ir::{Program, parse};

    fn program(text: &str) -> Program {
        parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    const PRODUCT: &str = "
fn f(x: in f64[_], a: in f64[_], d_a: adjoint(a) f64[len(a)], n: in usize)
  for i in 0..n
    for j in 0..n
      check i * n + j < len(a) \"a\"
    for q in 0..n down
      d_a[i * n + q] += x[i] * x[q]";

    #[test]
    fn what_is_computed_once_is_assigned() {
        let before = program(PRODUCT);
        let after = overwrite(before.clone());
        assert_eq!(verify(&after), Ok(()), "{after}");
        assert_eq!(after.params.len(), before.params.len() + 1);
        for n in [0_i128, 1, 3] {
            let args = |fill: f64| {
                let (x, a) = (Array::<f64>::floats(&[2.0, 3.0, 5.0]), Array::floats(&[1.0; 11]));
                vec![x, a, Array::floats(&[fill; 11]), Array::scalar(Value::Int(n))]
            };
            let flagged = |fill: f64, flag: bool| {
                let mut args = args(fill);
                args.push(Array::scalar(Value::Bool(flag)));
                let mut after = run(&after, args, &no_paths).unwrap_or_else(|panic| panic!("{panic:?}"));
                after.params.pop();
                after
            };
            let added =
                |fill| run(&before, args(fill), &no_paths).unwrap_or_else(|panic| panic!("{panic:?}"));
            assert_eq!(flagged(7.0, true), added(0.0), "{n}");
            assert_eq!(flagged(7.0, false), added(7.0), "{n}");
        }
    }

    #[test]
    fn rows_are_assigned_whole() {
        let after = overwrite(program(
            "
fn f(x: in f64[_], a: in f64[_, 3], d_a: adjoint(a) f64[len(a), 3])
  for i in 0..len(a)
    check i < len(x) \"x\"
    for j in 0..3
      d_a[i, j] += x[i]",
        ));
        assert_eq!(verify(&after), Ok(()), "{after}");
        assert!(after.to_string().contains("d_a[i, j] = x[i]"), "{after}");
    }

    #[test]
    fn other_adjoints_are_added_to() {
        let header = "
fn f(x: in f64[_], a: in f64[_], d_a: adjoint(a) f64[len(a)], n: in usize, m: in usize)
  for i in 0..n
    for j in 0..n
";
        for (why, body) in [
            ("each n times", "      check j < len(a) \"a\"\n      d_a[j] += x[i]"),
            ("not all", "      check i * m + j < len(a) \"a\"\n      d_a[i * m + j] += x[i]"),
            (
                "under a condition",
                "      check i * n + j < len(a) \"a\"\n      if x[i] > 0.0\n        d_a[i * n + j] += x[i]",
            ),
            (
                "twice",
                "      check i * n + j < len(a) \"a\"\n      d_a[i * n + j] += x[i]\n      d_a[i * n + j] += x[j]",
            ),
            ("it may wrap", "      d_a[i * n + j] += x[i]"),
        ] {
            let before = program(&format!("{header}{body}"));
            let after = overwrite(before.clone());
            assert_eq!(after.to_string(), before.to_string(), "{why}");
        }
    }
}
