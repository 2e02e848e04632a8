//! The one row of an array that a loop writes.

use super::{BufferId, Expr, For, Place, Program, Stmt, StmtKind, written};

impl For {
    /// The first index of all elements of `array` that the loop writes, if it is one, and nothing in the loop changes what it
    /// is made of: an array that grows by rows has that row from the first iteration on.
    pub fn written_row(&self, program: &Program, array: BufferId) -> Option<&Expr> {
        let mut targets: Vec<&Place> = Vec::new();
        let (mut changed, mut inside) = (written(&self.body), vec![self.iter]);
        let mut is_plain = program[array].rank() > 0;
        let mut visit = |stmt: &'_ Stmt| match &stmt.kind {
            StmtKind::Scope { buffers, .. } => buffers.iter().for_each(|&it| _ = changed.insert(it)),
            StmtKind::For(each) => inside.push(each.iter),
            StmtKind::While(each) => inside.push(each.counter),
            StmtKind::Swap { a, b } => is_plain &= *a != array && *b != array,
            StmtKind::Call { writes, .. } => is_plain &= !writes.contains(&array),
            _ => {}
        };
        self.body.iter().for_each(|stmt| stmt.walk(&mut visit));
        self.body.iter().for_each(|stmt| targets_in(stmt, array, &mut targets));
        let row = targets.first()?.index.first()?;
        let stays = !row.reads_any(program, &changed) && !inside.iter().any(|&iter| row.mentions(iter));
        (is_plain && stays && targets.iter().all(|target| target.index[0] == *row)).then_some(row)
    }
}

/// The elements of an array that a statement writes.
fn targets_in<'s>(stmt: &'s Stmt, array: BufferId, targets: &mut Vec<&'s Place>) {
    match &stmt.kind {
        StmtKind::Assign { target, .. } | StmtKind::Reduce { target, .. } if target.buffer == array => {
            targets.push(target);
        }
        _ => {}
    }
    stmt.blocks().into_iter().flatten().for_each(|inner| targets_in(inner, array, targets));
}

#[cfg(test)]
mod tests {
    use crate::ir::{StmtKind, parse};

    #[test]
    fn a_row_is_one_whose_index_the_loop_does_not_change() {
        let row = |index: &str, more: &str| {
            let text = format!(
                "fn f(n: in usize, k: in usize, x: in f64[_], y: inout f64[_])
  scope t: tape f64[_, n] growing, s: usize
    s = 0
    for i in 0..n
      t[{index}, i] = x[i]
      {more}
"
            );
            let program = parse(&text).unwrap_or_else(|e| panic!("{text}\n{e}"));
            let StmtKind::Scope { buffers, body } = &program.body[0].kind else { unreachable!() };
            let StmtKind::For(each) = &body[1].kind else { unreachable!() };
            each.written_row(&program, buffers[0]).is_some()
        };
        assert!(row("k", "y[i] += t[k, i]"));
        assert!(row("k", "t[k, 0] = 1.0"));
        assert!(row("s", "y[i] += t[k, i]"));
        assert!(!row("i", "y[i] += t[k, i]"));
        assert!(!row("k", "t[k + 1, 0] = 1.0"));
        assert!(!row("s", "s = s + 1"));
    }
}
