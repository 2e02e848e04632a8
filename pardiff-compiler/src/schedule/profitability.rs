//! Loops with little work beside the other loops of a program are not worth the code of tasks.
//!
//! Sizes are not known before the program runs: all are taken for the same number. So a loop over edges has a thousandth of the
//! work of a nest over nodes, features and features, whatever the graph is; and is all of it where there are many
//! edges. What counts is whether another loop goes through the sizes of the loop and more, or whether an iteration does
//! hardly anything, so that memory is as fast in order.

use super::cost::{self, nominal_trips, nominal_work};
use super::prices::KEPT_ELEMENT;
use crate::ir::{Block, BufferId, BufferSet, Expr, ExprKind, For, Place, Program, Stmt};
use crate::limits::{LIGHT_ITERATION, LIGHT_STEP, NAMES_OF_NAMES};
use crate::map::Map;

/// Whether it takes less to keep what a program adds to these buffers, an element in each iteration, than to run the
/// primal once more.
pub fn is_cheaper_to_keep(program: &Program, buffers: &BufferSet, primal: &Program) -> bool {
    fn additions(block: &Block, times: f64, buffers: &BufferSet) -> f64 {
        let of = |stmt: &Stmt| {
            let own = stmt.as_sum().is_some_and(|sum| buffers.contains(sum.target.buffer));
            let inner = times * stmt.as_for().map_or(1.0, nominal_trips);
            let blocks = stmt.blocks().into_iter().map(|block| additions(block, inner, buffers));
            if own { times } else { blocks.sum() }
        };
        block.iter().map(of).sum()
    }
    KEPT_ELEMENT * additions(&program.body, 1.0, buffers) <= nominal_work(&primal.body)
}

/// What the loops of a program are about before sizes are known.
pub(super) struct Beside<'p> {
    program: &'p Program,
    /// Less work is little.
    least: f64,
    /// The sizes of the loops that have more, each with the loops around it.
    large: Vec<Vec<Expr>>,
    /// What integers are that are computed once.
    values: Map<BufferId, Option<Expr>>,
}

impl<'p> Beside<'p> {
    /// The loops of a program of which the part `little` of its work is little.
    pub(super) fn of(program: &'p Program, little: f64) -> Beside<'p> {
        let least = nominal_work(&program.body) * little;
        let mut values: Map<BufferId, Option<Expr>> = Map::default();
        crate::ir::walk(&program.body, &mut |stmt| {
            if let Some((target, value)) = stmt.as_assign()
                && target.index.is_empty()
                && value.ty.is_int()
            {
                let first = !values.contains_key(&target.buffer);
                values.insert(target.buffer, first.then(|| value.clone()));
            }
        });
        let mut beside = Beside { program, least, large: Vec::new(), values };
        beside.block(&program.body, 1.0, &[]);
        beside
    }

    fn block(&mut self, block: &Block, times: f64, around: &[Expr]) {
        for stmt in block {
            let (mut times, mut sizes) = (times, around.to_vec());
            if let Some(each) = stmt.as_for() {
                self.add_sizes(each, &mut sizes);
                if times * nominal_work(std::slice::from_ref(stmt)) >= self.least {
                    self.large.push(sizes.clone());
                }
                times *= nominal_trips(each);
            }
            stmt.blocks().into_iter().for_each(|inner| self.block(inner, times, &sizes));
        }
    }

    /// Whether a loop, which stands in loops over these sizes and has so much work in all, has little.
    pub(super) fn is_little(&self, stmt: &Stmt, work: f64, around: &[Expr]) -> bool {
        let (weight, loops) = weight(stmt);
        let light = if around.is_empty() || loops > 1 { LIGHT_ITERATION } else { LIGHT_STEP };
        work < self.least && (weight <= light || self.is_part(stmt, around))
    }

    /// Whether a loop with more work goes through all sizes of this one.
    fn is_part(&self, stmt: &Stmt, around: &[Expr]) -> bool {
        let mut sizes = around.to_vec();
        stmt.walk(&mut |stmt| {
            if let Some(each) = stmt.as_for() {
                self.add_sizes(each, &mut sizes);
            }
        });
        self.large.iter().any(|large| sizes.iter().all(|size| large.contains(size)))
    }

    /// Adds what the number of iterations is computed from; elements of one array stand for each other.
    pub(super) fn add_sizes(&self, each: &For, sizes: &mut Vec<Expr>) {
        [&each.lo, &each.hi].into_iter().for_each(|bound| self.add(bound, NAMES_OF_NAMES, sizes));
    }

    fn add(&self, size: &Expr, names: usize, sizes: &mut Vec<Expr>) {
        match &size.kind {
            ExprKind::Extent(buffer, dim) => match self.program[*buffer].dims.get(*dim) {
                Some(of) if of.kind != size.kind && names > 0 => self.add(of, names - 1, sizes),
                _ => sizes.push(size.clone()),
            },
            ExprKind::Load(place) => match self.values.get(&place.buffer) {
                Some(Some(value)) if names > 0 => self.add(value, names - 1, sizes),
                _ => sizes.push(Place::scalar(place.buffer).load(size.ty)),
            },
            ExprKind::Opaque(_) => sizes.push(size.clone()),
            _ => size.operands().iter().for_each(|part| self.add(part, names, sizes)),
        }
    }
}

/// What the statements of a loop evaluate, each of them once, and how many loops there are.
fn weight(stmt: &Stmt) -> (usize, usize) {
    let (mut sum, mut loops) = (0, 0);
    stmt.walk(&mut |stmt| {
        if stmt.as_for().is_some() {
            loops += 1;
        } else if stmt.as_check().is_none() {
            sum += stmt.exprs().into_iter().map(cost::evaluation).sum::<usize>();
        }
    });
    (sum, loops)
}

#[cfg(test)]
mod tests {
    use super::is_cheaper_to_keep;
    use crate::ir::parse;

    #[test]
    fn a_gradient_is_kept_where_an_iteration_is_heavier_than_its_element() {
        let program = |value: &str| {
            let head = "fn f(x: in f64[_], g: inout f64[_]) -> r: f64\n  r = 0.0\n  for i in 0..len(x)\n";
            parse(&format!("{head}    r += {value}\n    g[i] += x[i]\n"))
                .unwrap_or_else(|error| panic!("{error:?}"))
        };
        let keeps = |value: &str| {
            let program = program(value);
            let sums = [program.params[1]].into_iter().collect();
            is_cheaper_to_keep(&program, &sums, &program)
        };
        assert!(!keeps("x[i] * x[i]"));
        assert!(keeps("exp(x[i] * x[i])"));
    }
}
