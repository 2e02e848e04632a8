//! A copy of an array of which neither changes is the array.
//!
//! ```text
//! scope rows: usize[len(start)]               for i in 0..n
//!   for k in 0..len(start)              =>      s += x[start[i]]
//!     rows[k] = start[k]
//!   for i in 0..n
//!     s += x[rows[i]]
//! ```
//!
//! `Sparse { start: start.to_vec(), … }` and `x0.to_vec()` give what follows an array of its own. What is known of the parameter,
//! above all that nobody writes it, is then known of it.
//!
//! *Legality.* The loops that fill the copy, of as many elements as it has, are all that writes it, and nothing writes what it is
//! copied from. So an element has the value of the other array wherever it is read: before it is copied its content is
//! unspecified. An index in range of one is in range of the other.

pub(super) mod parts;

use crate::ir::{Block, BufferId, Expr, ExprKind, For, IterId, Layout, Order, Place, Program, Role, Stmt};
use crate::map::Map;

/// Lets what reads such copies read the arrays.
pub fn read(mut program: Program) -> Program {
    let mut uses = Uses { writes: vec![0; program.buffers.len()], whole: vec![false; program.buffers.len()] };
    let mut copies: Map<BufferId, BufferId> = Map::default();
    for stmt in &program.body {
        stmt.walk(&mut |stmt| {
            uses.add(stmt);
            copies.extend(copied(&program, stmt));
        });
    }
    copies.retain(|&copy, &mut from| {
        let unique = uses.writes[copy.0 as usize] == 1 && uses.writes[from.0 as usize] == 0;
        unique && !uses.whole[copy.0 as usize] && !uses.whole[from.0 as usize]
    });
    if copies.is_empty() {
        return program;
    }
    program.with_body(|program, body| remove(program, body, &copies));
    for buffer in &mut program.buffers {
        buffer.dims.iter_mut().for_each(|dim| *dim = renamed(dim, &copies));
    }
    program
}

/// By buffer, what statements do with it.
struct Uses {
    /// How many write it.
    writes: Vec<u32>,
    /// Whether one names it as a whole.
    whole: Vec<bool>,
}

impl Uses {
    fn add(&mut self, stmt: &Stmt) {
        stmt.writes_itself(&mut |buffer| self.writes[buffer.0 as usize] += 1);
        stmt.whole().for_each(|it| self.whole[it.0 as usize] = true);
    }
}

/// The copy that a nest of loops fills, and the parameter that it is copied from.
fn copied(program: &Program, stmt: &Stmt) -> Option<(BufferId, BufferId)> {
    let outer = stmt.as_for()?;
    let (copy, from) = filled(outer, &mut Vec::new(), program)?;
    let (a, b) = (&program[copy], &program[from]);
    let plain = a.role == Role::Local && a.layout == Layout::RowMajor && b.layout == Layout::RowMajor;
    (plain && program.params.contains(&from) && a.elem == b.elem).then_some((copy, from))
}

fn filled(each: &For, iters: &mut Vec<IterId>, program: &Program) -> Option<(BufferId, BufferId)> {
    let counts = each.lo.kind == ExprKind::Int(0) && each.step.kind == ExprKind::Int(1);
    let [inner] = &each.body[..] else { return None };
    if !counts || each.inclusive || each.order != Order::Up {
        return None;
    }
    iters.push(each.iter);
    let found = if let Some(inner) = inner.as_for() {
        filled(inner, iters, program)
    } else {
        let by_iters = |place: &Place| {
            let all = place.index.iter().zip(&*iters);
            place.index.len() == iters.len()
                && all.into_iter().all(|(index, it)| index.kind == ExprKind::Iter(*it))
        };
        inner.as_assign().and_then(|(target, value)| match &value.kind {
            ExprKind::Load(from) if by_iters(target) && by_iters(from) => Some((target.buffer, from.buffer)),
            _ => None,
        })
    };
    let at = iters.len() - 1;
    iters.pop();
    let (copy, from) = found?;
    let is_whole = |array: BufferId| is_extent(program, array, at, &each.hi);
    (is_whole(copy) && is_whole(from)).then_some((copy, from))
}

/// Whether a number is what a dimension of an array is.
fn is_extent(program: &Program, array: BufferId, dim: usize, number: &Expr) -> bool {
    program[array].dims.get(dim).is_some_and(|declared| declared == number)
        || number.kind == ExprKind::Extent(array, dim)
}

/// Removes the copies from a block, their declarations and the loops that fill them.
fn remove(program: &Program, block: &mut Block, copies: &Map<BufferId, BufferId>) {
    for mut stmt in std::mem::take(block) {
        if copied(program, &stmt).is_some_and(|(copy, _)| copies.contains_key(&copy)) {
            continue;
        }
        stmt.exprs_mut().into_iter().for_each(|expr| *expr = renamed(expr, copies));
        stmt.blocks_mut().into_iter().for_each(|inner| remove(program, inner, copies));
        if let Some((buffers, _)) = stmt.as_scope_mut() {
            buffers.retain(|buffer| !copies.contains_key(buffer));
        }
        block.extend(stmt.unwrapped());
    }
}

fn renamed(expr: &Expr, copies: &Map<BufferId, BufferId>) -> Expr {
    expr.map(&mut |mut node| {
        if let ExprKind::Load(Place { buffer, .. }) | ExprKind::Extent(buffer, _) = &mut node.kind
            && let Some(&from) = copies.get(buffer)
        {
            *buffer = from;
        }
        node
    })
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::equivalence::{assert_pass, assert_unchanged};
    use crate::ir::interp::Array;

    #[test]
    fn a_copy_of_what_nobody_writes_is_not_made() {
        let run =
            |n: usize| vec![Array::floats(&vec![0.5; n]), Array::ints(&vec![0; n]), Array::int(n as i128)];
        assert_pass(
            read,
            "
            fn f(x: in f64[_], start: in usize[_], n: in usize) -> r: f64
              scope rows: usize[len(start)], y: f64[len(x)], s: f64
                for k in 0..len(start)
                  rows[k] = start[k]
                for c in 0..len(x)
                  y[c] = x[c]
                s = 0.0
                for i in 0..n
                  check i < len(start) index \"rows\" \"rows[i]\"
                  check rows[i] < len(y) index \"y\" \"y[rows[i]]\"
                  s = s + y[rows[i]]
                r = s
            ",
            "
            fn f(x: in f64[_], start: in usize[_], n: in usize) -> r: f64
              scope s: f64
                s = 0.0
                for i in 0..n
                  check i < len(start) index \"rows\" \"rows[i]\"
                  check start[i] < len(x) index \"y\" \"y[rows[i]]\"
                  s = s + x[start[i]]
                r = s
            ",
            [0, 1, 4].map(run).into(),
        );
    }

    #[test]
    fn what_changes_is_copied() {
        // the copy, what it is copied from, and what is not the whole of it
        for (source, write) in [("start", "rows[i] = 1"), ("other", "other[i] = 1"), ("start[0]", "s = 1.0")]
        {
            let (from, index) = match source {
                "start[0]" => ("start", "0"),
                other => (other, "k"),
            };
            assert_unchanged(
                read,
                &format!(
                    "
                    fn f(x: in f64[_], start: in usize[_], other: inout usize[_], n: in usize) -> r: f64
                      scope rows: usize[len({from})], s: f64
                        for k in 0..len({from})
                          rows[k] = {from}[{index}]
                        s = 0.0
                        for i in 0..n
                          {write}
                          check rows[i] < len(x) index \"x\" \"x[rows[i]]\"
                          s = s + x[rows[i]]
                        r = s
                    "
                ),
            );
        }
    }
}
