//! Derivatives of operations between ranks. Each is a linear map from what all ranks send to what they receive:
//!
//! ```text
//! forward                              reverse
//! send s to p                          receive t from p; s_bar += t
//! receive r from p                     send r_bar to p; r_bar = 0
//! send s to p, receive r from q        send r_bar to q, receive t from p; r_bar = 0; s_bar += t
//! all_reduce sum s -> r                all_reduce sum r_bar -> t; r_bar = 0; s_bar += t
//! reduce sum, broadcast                each other
//! gather, scatter                      each other
//! all_gather, reduce_scatter           each other
//! barrier                              barrier
//! start_send s                         finish_receive t; s_bar += t
//! finish_send                          start_receive
//! start_receive                        finish_send
//! finish_receive r                     start_send r_bar; r_bar = 0
//! ```
//!
//! A rank cannot see whether what it sends matters to another one. So the wire decides: where anything that is
//! received may matter, each message of floats has its adjoint, of zeros where there is none. All ranks run one
//! program, so both sides of each message decide alike. The events of a rank come in reverse order, so messages of
//! one line match as before, and there is a deadlock only where the forward sweep has one. Messages that do not
//! wait match by the numbers that the forward sweep gave them.

use super::reverse_stmt::Sweep;
use super::tangent::Tangents;
use crate::ir::{
    Block, Buffer, BufferId, Callee, Communication, Derivative, Expr, Operation, Origin, Phase, Place,
    Program, ReduceOp, Role, Scheme, Stmt, StmtKind, Ty, over_elements,
};

/// Whether derivatives go with the operation: that of numbers that have none goes alone.
fn carries(program: &Program, it: &Communication, reads: &[BufferId], writes: &[BufferId]) -> bool {
    let mut arrays = reads.iter().chain(writes).filter(|&&it| program[it].role != Role::Wire);
    arrays.all(|&it| program[it].elem.is_float()) && it.elem.is_none_or(Ty::is_float)
}

impl<'p> Sweep<'p> {
    /// The reversal of a call between ranks, whose wire is active; nothing where the operation is not linear.
    pub(super) fn reverse_communication(
        &mut self,
        stmt: &'p Stmt,
        it: &'p Communication,
        reads: &'p [BufferId],
        writes: &'p [BufferId],
    ) -> Option<Block> {
        if !carries(self.primal, it, reads, writes) {
            return Some(Block::new());
        }
        let origin = Origin { phase: Phase::Adjoint, ..stmt.origin };
        let operands = it.operands.iter().map(|operand| self.value_at(operand, stmt)).collect();
        let callee = Callee::Communication(Box::new(it.transposed(operands)?));
        let (wire, sent, received) = (reads[0], reads.get(1), writes.get(1));
        let (mut own, mut before, mut behind) = (Vec::new(), Block::new(), Block::new());
        let (mut sends, mut receives) = (vec![wire], vec![wire]);
        if let Some(received) = received {
            match self.adjoint.get(received) {
                Some(&adjoint) => {
                    sends.push(adjoint);
                    behind.extend(self.zero(adjoint, origin));
                }
                None => {
                    let zeros = self.like(*received, "zeros", stmt);
                    before.extend(self.zero(zeros, origin));
                    own.push(zeros);
                    sends.push(zeros);
                }
            }
        }
        if let Some(sent) = sent {
            let arrived = self.like(*sent, "arrived", stmt);
            own.push(arrived);
            receives.push(arrived);
            if let Some(&adjoint) = self.adjoint.get(sent) {
                behind.push(self.added(adjoint, arrived, origin));
            }
        }
        let call = Stmt::new(StmtKind::Call { callee, reads: sends, writes: receives }, origin);
        let all: Block = before.into_iter().chain([call]).chain(behind).collect();
        Some(if own.is_empty() { all } else { vec![Stmt::scope(own, all, origin)] })
    }

    /// An array of the shape that one of the primal has at a statement.
    fn like(&mut self, of: BufferId, name: &str, stmt: &'p Stmt) -> BufferId {
        let it = &self.primal[of];
        let dims = it.dims.iter().map(|extent| self.value_at(extent, stmt)).collect();
        self.out.add_buffer(Buffer::new(name, it.elem, dims, Role::Local))
    }

    /// `to[..] += from[..]`
    fn added(&mut self, to: BufferId, from: BufferId, origin: Origin) -> Stmt {
        let elem = self.out[from].elem;
        let extents = (0..self.out[from].rank()).map(|dim| self.extent_in_scope(from, dim)).collect();
        over_elements(&mut self.out, extents, origin, &mut |index| {
            let value = Place::new(from, index.to_vec()).load(elem);
            let target = Place::new(to, index.to_vec());
            Stmt::new(
                StmtKind::Reduce { op: ReduceOp::Add, target, value, scheme: Scheme::Undecided },
                origin,
            )
        })
    }
}

impl Tangents<'_> {
    /// The call of the tangents, before that of the values: on all ranks both messages are in this order.
    pub(super) fn tangent_communication(
        &mut self,
        it: &Communication,
        reads: &[BufferId],
        writes: &[BufferId],
        origin: Origin,
    ) -> Option<Stmt> {
        let is_barrier = it.operation == Operation::Barrier;
        if is_barrier || !carries(self.program, it, reads, writes) || !self.activity.is_active(reads[0]) {
            return None;
        }
        let (mut own, mut before) = (Vec::new(), Block::new());
        let mut lists = [reads, writes].map(|list| vec![list[0]]);
        for (list, of) in lists.iter_mut().zip([reads.get(1), writes.get(1)]) {
            let Some(&of) = of else { continue };
            let tangent = self.tangent(of).unwrap_or_else(|| {
                let Buffer { elem, dims, .. } = self.program[of].clone();
                let zeros = self.program.add_buffer(Buffer::new("zeros", elem, dims.clone(), Role::Local));
                before.push(over_elements(self.program, dims, origin, &mut |index| {
                    Stmt::assign(Place::new(zeros, index.to_vec()), Expr::float(elem, 0.0), origin)
                }));
                own.push(zeros);
                zeros
            });
            list.push(tangent);
        }
        let [reads, writes] = lists;
        let it = Communication { carries: Some(Derivative::Tangent), ..it.clone() };
        let kind = StmtKind::Call { callee: Callee::Communication(Box::new(it)), reads, writes };
        before.push(Stmt::new(kind, origin));
        match own.is_empty() {
            true => before.pop(),
            false => Some(Stmt::scope(own, before, origin)),
        }
    }
}
