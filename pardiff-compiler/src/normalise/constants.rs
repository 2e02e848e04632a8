//! Arrays that hold constants stand in front of everything, once.
//!
//! ```text
//! before                                   after
//!   for i in 0..n                            scope e: i32[3]
//!     scope e: i32[3]                          e[0] = 0
//!       e[0] = 0                               e[1] = 1
//!       e[1] = 1                               e[2] = -1
//!       e[2] = -1                              for i in 0..n
//!       for q in 0..3                            for q in 0..3
//!         s += x[i] * e[q] as f64                  s += x[i] * e[q] as f64
//! ```
//!
//! So are tables written: `const E: [(i32, i32); 9]`, `let ends = [(0, 1), (1, 2)]`. Stored again in every iteration, their
//! values would be kept in tapes for the reversal, and a store in each iteration would stand in the way of others.
//!
//! *Legality.* Each element is written once, with a literal, directly in the block that declares the array and in front
//! of all that reads it there; nothing else writes it. So it has one value wherever the array is visible, and stores that
//! cannot panic may come earlier and be done though nobody would have done them. Arrays of the same constants are one.

use super::localise::rename;
use crate::ir::{
    Block, Buffer, BufferId, Expr, ExprKind, Layout, Program, Role, Stmt, StmtKind, UnOp, mentioned,
};
use std::collections::{BTreeMap, HashMap};

/// Moves the arrays of constants to the front.
pub fn lift(mut program: Program) -> Program {
    let found = {
        let mut writes: HashMap<BufferId, usize> = HashMap::new();
        let mut count = |buffer| *writes.entry(buffer).or_default() += 1;
        program.body.iter().for_each(|stmt| stmt.writes(&mut count));
        let mut found = Found { program: &program, writes, arrays: Vec::new() };
        program.body.iter().for_each(|stmt| stmt.walk(&mut |stmt| found.scope(stmt)));
        found.arrays
    };
    if found.is_empty() {
        return program;
    }
    let mut first: BTreeMap<String, BufferId> = BTreeMap::new();
    let mut names: HashMap<BufferId, BufferId> = HashMap::new();
    for (buffer, contents) in found {
        names.insert(buffer, *first.entry(contents).or_insert(buffer));
    }
    for buffer in &mut program.buffers {
        buffer.dims.iter_mut().for_each(|dim| rename(dim, &|buffer| names.get(&buffer).copied()));
    }
    let mut stores = Block::new();
    let mut body = std::mem::take(&mut program.body);
    body.iter_mut().for_each(|stmt| take(stmt, &names, &mut stores));
    let origin = stores[0].origin;
    let mut buffers: Vec<BufferId> = first.into_values().collect();
    buffers.sort_unstable();
    stores.extend(body);
    program.body = vec![Stmt::new(StmtKind::Scope { buffers, body: stores }, origin)];
    program
}

/// The arrays of constants, each with what tells its contents from others.
struct Found<'a> {
    program: &'a Program,
    /// How many statements write a buffer.
    writes: HashMap<BufferId, usize>,
    arrays: Vec<(BufferId, String)>,
}

impl Found<'_> {
    fn scope(&mut self, stmt: &Stmt) {
        let Some((buffers, body)) = stmt.as_scope() else { return };
        for &buffer in buffers {
            if let Some(elements) = elements(&self.program[buffer])
                && self.writes.get(&buffer) == Some(&elements)
                && let Some(contents) = contents(self.program, buffer, elements, body)
            {
                self.arrays.push((buffer, contents));
            }
        }
    }
}

/// How many elements a local array of constant extents has.
fn elements(buffer: &Buffer) -> Option<usize> {
    let local = buffer.role == Role::Local && buffer.layout == Layout::RowMajor && buffer.rank() > 0;
    let dims = buffer.dims.iter().map(|dim| match dim.kind {
        ExprKind::Int(len) => usize::try_from(len).ok(),
        _ => None,
    });
    local.then(|| dims.product()).flatten()
}

/// What the statements of its scope write to an array, if that is one literal for each element in front of all reads.
fn contents(program: &Program, buffer: BufferId, elements: usize, body: &[Stmt]) -> Option<String> {
    let mut values: BTreeMap<Vec<i128>, &Expr> = BTreeMap::new();
    for stmt in body {
        match constant_store(stmt, buffer) {
            Some((index, value)) => _ = values.insert(index, value),
            None if mentioned(program, std::slice::from_ref(stmt)).contains(buffer) => return None,
            None => {}
        }
        if values.len() == elements {
            let it = &program[buffer];
            return Some(format!("{:?} {:?} {values:?}", it.elem, it.dims));
        }
    }
    None
}

/// Where a statement stores a literal in the array, and which.
fn constant_store(stmt: &Stmt, buffer: BufferId) -> Option<(Vec<i128>, &Expr)> {
    let (target, value) = stmt.as_assign()?;
    let index = target.index.iter().map(|index| match index.kind {
        ExprKind::Int(at) => Some(at),
        _ => None,
    });
    (target.buffer == buffer && is_literal(value))
        .then(|| Some((index.collect::<Option<_>>()?, value)))
        .flatten()
}

fn is_literal(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Float(_) | ExprKind::Int(_) | ExprKind::Bool(_) => true,
        ExprKind::Unary(UnOp::Neg, inner) => inner.ty.is_float() && is_literal(inner),
        _ => false,
    }
}

/// Takes the declarations and stores of the arrays out of a statement, keeps the stores of the first one of each, and names
/// that one in loads.
fn take(stmt: &mut Stmt, names: &HashMap<BufferId, BufferId>, stores: &mut Block) {
    for expr in stmt.exprs_mut() {
        rename(expr, &|buffer| names.get(&buffer).copied());
    }
    if let Some((buffers, _)) = stmt.as_scope_mut() {
        buffers.retain(|buffer| !names.contains_key(buffer));
    }
    for block in stmt.blocks_mut() {
        for mut stmt in std::mem::take(block) {
            let of =
                stmt.as_assign().and_then(|(target, _)| Some((target.buffer, *names.get(&target.buffer)?)));
            match of {
                Some((buffer, first)) if buffer == first => stores.push(stmt),
                Some(_) => {}
                None => {
                    take(&mut stmt, names, stores);
                    block.extend(stmt.unwrapped());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::lift;
    use crate::equivalence::{assert_pass, assert_unchanged};
    use crate::ir::interp::Array;

    #[test]
    fn arrays_of_constants_stand_in_front() {
        assert_pass(
            lift,
            "
            fn f(x: in f64[_]) -> s: f64
              s = 0.0
              for i in 0..len(x)
                scope e: i32[2], w: f64[2], o: i32[2]
                  e[0] = 0
                  w[0] = 0.5
                  e[1] = -1
                  w[1] = -0.25
                  for q in 0..2
                    s += x[i] * e[q] as f64 * w[q]
                  o[0] = 0
                  o[1] = -1
                  for q.2 in 0..2
                    s += x[i] * o[q.2] as f64
            ",
            "
            fn f(x: in f64[_]) -> s: f64
              scope e: i32[2], w: f64[2]
                e[0] = 0
                w[0] = 0.5
                e[1] = -1
                w[1] = -0.25
                s = 0.0
                for i in 0..len(x)
                  for q in 0..2
                    s += x[i] * e[q] as f64 * w[q]
                  for q.2 in 0..2
                    s += x[i] * e[q.2] as f64
            ",
            vec![vec![Array::floats(&[1.0, 2.0, 5.0])]],
        );
    }

    #[test]
    fn what_is_written_again_or_partly_or_read_before_or_computed_stays() {
        assert_unchanged(
            lift,
            "
            fn f(x: in f64[_]) -> s: f64
              s = 0.0
              for i in 0..len(x)
                scope again: f64[1], part: f64[2], mixed: f64[2], below: f64[1]
                  again[0] = 1.0
                  s += again[0] * x[i]
                  again[0] = 2.0
                  s += again[0]
                  part[1] = 1.0
                  s += part[1]
                  mixed[0] = 1.0
                  mixed[1] = x[i]
                  s += mixed[0] * mixed[1]
                  if i > 0
                    below[0] = 1.0
                    s += below[0]
            ",
        );
    }
}
