//! Locals that name an index give way to what they name.
//!
//! ```text
//! before                                   after
//!   for i in 0..n                            for i in 0..n
//!     for j in 0..m                            for j in 0..m
//!       c = i * m + j                            c = i * m + j
//!       check c < len(y)                         check i * m + j < len(y)
//!       check c - 1 < len(x)                     check i * m + j - 1 < len(x)
//!       y[c] = x[c - 1]                          y[i * m + j] = x[i * m + j - 1]
//! ```
//!
//! So checks leave their loops, rows and columns are known, and lanes run along a row, as if the source had written the
//! index out.
//!
//! *Legality.* One statement of the program writes the local. Its value is made of constants, lengths, iterators and
//! scalars by sums, differences and products of `usize`s, and no statement behind it in its block writes one of these
//! scalars; iterators around the block do not change in it. So wherever the local is read behind the statement, the formula
//! has the same bits, and where arithmetic that overflows panics, it panicked at the statement, which stays. Only what names
//! nothing but indices is replaced: what conditions compare is a number that they say something about. And only names of
//! elements that are written somewhere, of their neighbours, and of elements along a row that are read where their
//! index is computed: of what is read elsewhere, a name is as good, and cheaper.

use crate::ir::{
    BinOp, Block, BufferId, BufferSet, Expr, ExprKind, Message, Place, Program, Role, Stmt, StmtKind, Ty,
};
use crate::limits::FORWARDED_INDEX;

/// Writes indices out.
pub fn write_out(mut program: Program) -> Program {
    let mut body = std::mem::take(&mut program.body);
    let declared = open_names(&program, &mut body);
    program.body = in_scope(declared, body);
    let mut names = Names::of(&program);
    program.with_body(|program, body| names.block(program, body));
    program
}

/// What a closure or another function computes an index from is declared where its result is:
///
/// ```text
/// scope row: usize                         row = i
///   row = i                         =>     c = row * m + j
///   c = row * m + j                        y[c] = 1.0
/// y[c] = 1.0
/// ```
///
/// A scalar's content is unspecified where its scope begins, so it may begin earlier and end later. Gives what the block has
/// to declare.
fn open_names(program: &Program, block: &mut Block) -> Vec<BufferId> {
    let mut declared = Vec::new();
    let mut open = Vec::with_capacity(block.len());
    for mut stmt in std::mem::take(block) {
        match &mut stmt.kind {
            StmtKind::Scope { buffers, body } => {
                buffers.extend(open_names(program, body));
                let names =
                    |buffer: &BufferId| program[*buffer].rank() == 0 && program[*buffer].elem.is_int();
                if buffers.iter().all(names) && body.iter().all(|stmt| stmt.as_assign().is_some()) {
                    declared.append(buffers);
                    open.append(body);
                    continue;
                }
            }
            _ => {
                for inner in stmt.blocks_mut() {
                    let declared = open_names(program, inner);
                    *inner = in_scope(declared, std::mem::take(inner));
                }
            }
        }
        open.push(stmt);
    }
    *block = open;
    declared
}

/// The block with what it has to declare.
fn in_scope(declared: Vec<BufferId>, body: Block) -> Block {
    match body.first().map(|stmt| stmt.origin) {
        Some(origin) if !declared.is_empty() => {
            vec![Stmt::new(StmtKind::Scope { buffers: declared, body }, origin)]
        }
        _ => body,
    }
}

struct Names {
    /// By buffer: how many statements write it.
    writes: Vec<u32>,
    /// Scalars that are read elsewhere than in indices, checks of indices and formulas.
    elsewhere: BufferSet,
    /// By scalar: the locals in whose formulas it is read.
    formulas: Vec<Vec<BufferId>>,
    /// Scalars in the indices of elements that are written, and of their neighbours.
    places: BufferSet,
    /// Names that follow an iterator step by step, so that the elements of its iterations lie beside each other.
    along: BufferSet,
    /// Names that were written out.
    gone: BufferSet,
}

impl Names {
    fn of(program: &Program) -> Names {
        let count = program.buffers.len();
        let mut names = Names {
            writes: vec![0; count],
            elsewhere: BufferSet::new(),
            formulas: vec![Vec::new(); count],
            places: BufferSet::new(),
            along: BufferSet::new(),
            gone: BufferSet::new(),
        };
        for extent in program.buffers.iter().flat_map(|buffer| &buffer.dims) {
            names.read(extent, false, None);
        }
        for stmt in &program.body {
            stmt.walk(&mut |stmt| {
                names.stmt(program, stmt);
            });
        }
        names.add_neighbours();
        names
    }

    /// What is made of the index of an element that is written, `e = c + 1`, is one of a neighbour: adjoints are written there.
    fn add_neighbours(&mut self) {
        let mut found: Vec<BufferId> = self.places.iter().collect();
        while let Some(place) = found.pop() {
            for &neighbour in &self.formulas[place.0 as usize] {
                if self.places.insert(neighbour) {
                    found.push(neighbour);
                }
            }
        }
    }

    fn stmt(&mut self, program: &Program, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign { target, value } | StmtKind::Reduce { target, value, .. } => {
                self.writes[target.buffer.0 as usize] += 1;
                target.index.iter().for_each(|index| {
                    self.place(index);
                    self.read(index, true, None);
                });
                let formula = is_name(program, target) && stmt.as_assign().is_some();
                if formula && self.follows(value) {
                    self.along.insert(target.buffer);
                }
                self.read(value, false, formula.then_some(target.buffer));
            }
            StmtKind::Check { cond, message } => {
                let of_index = !matches!(message, Message::Text(_));
                [cond].into_iter().chain(message.operands()).for_each(|expr| self.read(expr, of_index, None));
            }
            _ => {
                stmt.each_expr(&mut |expr| self.read(expr, false, None));
                if stmt.blocks().is_empty() {
                    stmt.writes(&mut |buffer| self.writes[buffer.0 as usize] += 2);
                }
            }
        }
    }

    /// Whether a value is one more in the next iteration of a loop.
    fn follows(&self, value: &Expr) -> bool {
        match &value.kind {
            ExprKind::Iter(_) => true,
            ExprKind::Load(place) => self.along.contains(place.buffer),
            ExprKind::Binary(BinOp::Add, lhs, rhs) => self.follows(lhs) || self.follows(rhs),
            ExprKind::Binary(BinOp::Sub, lhs, _) => self.follows(lhs),
            _ => false,
        }
    }

    /// An index of an element that is written.
    fn place(&mut self, index: &Expr) {
        index.walk(&mut |node| {
            if let ExprKind::Load(place) = &node.kind {
                self.places.insert(place.buffer);
            }
        });
    }

    fn read(&mut self, expr: &Expr, in_index: bool, formula: Option<BufferId>) {
        if let ExprKind::Load(place) = &expr.kind {
            if place.index.is_empty() {
                match formula {
                    _ if in_index => {}
                    Some(of) => self.formulas[place.buffer.0 as usize].push(of),
                    None => _ = self.elsewhere.insert(place.buffer),
                }
            }
            return place.index.iter().for_each(|index| self.read(index, true, None));
        }
        if let ExprKind::Binary(_, lhs, rhs) = &expr.kind {
            [lhs, rhs].into_iter().for_each(|operand| self.read(operand, in_index, formula));
        }
        expr.operands().iter().for_each(|operand| self.read(operand, in_index, formula));
    }

    /// The last names first: what they are made of may be names as well.
    fn block(&mut self, program: &Program, block: &mut Block) {
        for at in (0..block.len()).rev() {
            block[at].blocks_mut().into_iter().for_each(|inner| self.block(program, inner));
            let (before, rest) = block.split_at_mut(at + 1);
            let Some((target, value)) = before[at].as_assign() else { continue };
            if self.may_go(program, target, value, rest) {
                rest.iter_mut().for_each(|stmt| replace_in(stmt, target.buffer, value));
                self.gone.insert(target.buffer);
            }
        }
    }

    /// Whether the scalar is part of a name that was written out.
    fn names_gone(&self, name: BufferId) -> bool {
        self.formulas[name.0 as usize].iter().any(|&of| self.gone.contains(of))
    }

    /// Whether elements along a row are read at a name, in the iteration that computes it.
    fn is_along_row(&self, name: BufferId, rest: &[Stmt]) -> bool {
        self.along.contains(name) && rest.iter().any(|stmt| reads_element_at(stmt, name))
    }

    fn may_go(&self, program: &Program, target: &Place, value: &Expr, rest: &[Stmt]) -> bool {
        let name = target.buffer;
        if !is_name(program, target)
            || self.writes[name.0 as usize] != 1
            || self.elsewhere.contains(name)
            || !(self.places.contains(name) || self.names_gone(name) || self.is_along_row(name, rest))
            || !self.formulas[name.0 as usize].iter().all(|&of| self.gone.contains(of))
        {
            return false;
        }
        let (mut nodes, mut moves, mut is_formula) = (0, false, true);
        let mut sources = BufferSet::new();
        value.walk(&mut |node| {
            nodes += 1;
            moves |= match &node.kind {
                ExprKind::Iter(_) => true,
                // what a closure calls an iterator
                ExprKind::Load(place) => is_name(program, place) && self.writes[place.buffer.0 as usize] == 1,
                _ => false,
            };
            is_formula &= node.ty == Ty::USIZE
                && match &node.kind {
                    ExprKind::Int(_) | ExprKind::Iter(_) | ExprKind::Extent(..) => true,
                    ExprKind::Load(place) => {
                        sources.insert(place.buffer);
                        place.index.is_empty()
                    }
                    ExprKind::Binary(op, ..) => matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul),
                    _ => false,
                };
        });
        let mut stays = true;
        rest.iter().for_each(|stmt| stmt.writes(&mut |buffer| stays &= !sources.contains(buffer)));
        is_formula && moves && nodes <= FORWARDED_INDEX && stays
    }
}

/// Whether an element at an index that `name` is part of is read in a statement, and not in a loop in it.
fn reads_element_at(stmt: &Stmt, name: BufferId) -> bool {
    let mut found = false;
    let mut look = |part: &Expr| found |= matches!(&part.kind, ExprKind::Load(place) if place.buffer == name);
    stmt.each_expr(&mut |expr| {
        expr.walk(&mut |node| {
            if let ExprKind::Load(place) = &node.kind {
                place.index.iter().for_each(|index| index.walk(&mut look));
            }
        });
    });
    let is_loop = stmt.is_loop();
    let inside = |stmt: &Stmt| stmt.blocks().into_iter().flatten().any(|stmt| reads_element_at(stmt, name));
    found || !is_loop && inside(stmt)
}

/// Whether a place is a local that could name an index.
fn is_name(program: &Program, target: &Place) -> bool {
    let buffer = &program[target.buffer];
    target.index.is_empty() && buffer.elem == Ty::USIZE && buffer.role == Role::Local
}

/// Writes the name out in the indices of a statement and of those inside it, and in checks of indices.
fn replace_in(stmt: &mut Stmt, name: BufferId, formula: &Expr) {
    let whole = |expr: &mut Expr| {
        if mentions(expr, name) {
            *expr = expr.map(&mut |node| match &node.kind {
                ExprKind::Load(place) if place.buffer == name => formula.clone(),
                _ => node,
            });
        }
    };
    match &mut stmt.kind {
        StmtKind::Check { message: Message::Text(_), .. } => {}
        StmtKind::Check { cond, message } => [cond].into_iter().chain(message.operands_mut()).for_each(whole),
        _ => {
            if let Some((target, _)) = stmt.as_store_mut() {
                target.index.iter_mut().for_each(whole);
            }
            for expr in stmt.exprs_mut() {
                if mentions(expr, name) {
                    *expr = expr.map(&mut |mut node| {
                        if let ExprKind::Load(place) = &mut node.kind {
                            place.index.iter_mut().for_each(whole);
                        }
                        node
                    });
                }
            }
        }
    }
    for inner in stmt.blocks_mut() {
        inner.iter_mut().for_each(|stmt| replace_in(stmt, name, formula));
    }
}

fn mentions(expr: &Expr, name: BufferId) -> bool {
    expr.any(&mut |node| matches!(&node.kind, ExprKind::Load(place) if place.buffer == name))
}

#[cfg(test)]
mod tests {
    use super::write_out;
    use crate::equivalence::{assert_pass, assert_unchanged};
    use crate::ir::interp::{Array, Value};

    #[test]
    fn indices_are_written_out() {
        let size = |n| Array::scalar(Value::Int(n));
        assert_pass(
            write_out,
            "
            fn f(x: in f64[_], p: in usize[_], y: inout f64[_], n: in usize, m: in usize)
              for i in 0..n
                scope row: usize
                  row = i * m
                  for j in 0..m
                    scope c: usize
                      c = row + j
                      check c < len(y) index \"y\" \"y[c]\"
                      check c + 1 < len(p) index \"p\" \"p[c + 1]\"
                      y[c] += x[p[c + 1]] * x[c]
            ",
            "
            fn f(x: in f64[_], p: in usize[_], y: inout f64[_], n: in usize, m: in usize)
              for i in 0..n
                scope row: usize
                  row = i * m
                  for j in 0..m
                    scope c: usize
                      c = row + j
                      check i * m + j < len(y) index \"y\" \"y[c]\"
                      check i * m + j + 1 < len(p) index \"p\" \"p[c + 1]\"
                      y[i * m + j] += x[p[i * m + j + 1]] * x[i * m + j]
            ",
            [(2, 3), (0, 3), (3, 3)]
                .map(|(n, m)| {
                    let x = Array::floats(&[1.0, 2.0, 4.0, 8.0, 16.0, 32.0]);
                    let p = Array::usizes(&[0, 1, 1, 2, 0, 5, 3]);
                    vec![x.clone(), p, x, size(n), size(m)]
                })
                .into(),
        );
    }

    #[test]
    fn neighbours_of_what_is_written_are_written_out() {
        let size = |n| Array::scalar(Value::Int(n));
        assert_pass(
            write_out,
            "
            fn f(x: in f64[_], y: inout f64[_], n: in usize, m: in usize)
              for i in 1..n
                for j in 0..m
                  scope c: usize, e: usize, s: usize
                    c = i * m + j
                    e = c - 1
                    s = e - m + 1
                    y[c] = x[e] * x[s]
            ",
            "
            fn f(x: in f64[_], y: inout f64[_], n: in usize, m: in usize)
              for i in 1..n
                for j in 0..m
                  scope c: usize, e: usize, s: usize
                    c = i * m + j
                    e = c - 1
                    s = e - m + 1
                    y[i * m + j] = x[i * m + j - 1] * x[i * m + j - 1 - m + 1]
            ",
            [(2, 3), (0, 3), (3, 2)]
                .map(|(n, m)| {
                    let x = Array::floats(&[1.0, 2.0, 4.0, 8.0, 16.0, 32.0]);
                    vec![x.clone(), x, size(n), size(m)]
                })
                .into(),
        );
    }

    #[test]
    fn elements_of_rows_that_are_read_are_written_out() {
        let size = |n| Array::scalar(Value::Int(n));
        assert_pass(
            write_out,
            "
            fn f(x: in f64[_], y: inout f64[_], n: in usize, m: in usize)
              for i in 0..n
                scope row: usize
                  row = i * m
                  for j in 0..m
                    scope c: usize
                      c = row + j
                      y[i] += x[c] * x[c + 1]
            ",
            "
            fn f(x: in f64[_], y: inout f64[_], n: in usize, m: in usize)
              for i in 0..n
                scope row: usize
                  row = i * m
                  for j in 0..m
                    scope c: usize
                      c = row + j
                      y[i] += x[i * m + j] * x[i * m + j + 1]
            ",
            [(2, 2), (3, 0)]
                .map(|(n, m)| {
                    let x = Array::floats(&[1.0, 2.0, 4.0, 8.0, 16.0, 32.0]);
                    vec![x.clone(), x, size(n), size(m)]
                })
                .into(),
        );
    }

    #[test]
    fn what_is_more_than_an_index_or_changes_keeps_its_name() {
        for body in [
            // compared
            "c = i * m\n    if c < n\n      y[c] = 1.0",
            // a source changes
            "c = i * k\n    k = k + 1\n    y[c] = 1.0",
            // written twice
            "c = i * m\n    y[c] = 1.0\n    c = i\n    y[c] = 2.0",
            // an element of an array, a quotient, no iterator
            "c = p[i]\n    y[c] = 1.0",
            "c = i / m\n    y[c] = 1.0",
            "c = n * m\n    y[c] = 1.0",
            // no row of what is read, or read in a loop
            "c = i * m\n    y[i] = y[c] * y[c]",
            "c = i * m\n    for j in 0..m\n      y[i] += y[c]",
            // read by a name that stays
            "c = i * m\n    k = c + 1\n    y[c] = 1.0",
        ] {
            let head = "fn f(p: in usize[_], y: inout f64[_], n: in usize, m: in usize, k: inout usize)";
            assert_unchanged(
                write_out,
                &format!(
                    "\n{head}\n  for i in 0..n\n    scope c: usize\n      {}\n",
                    body.replace('\n', "\n  ")
                ),
            );
        }
    }
}
