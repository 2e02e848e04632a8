//! Operations between ranks.

use super::{Rule, Verifier};
use crate::ir::{BufferId, Communication, Int, Layout, Operation, Role, Side, Ty};

impl Verifier<'_> {
    pub(super) fn communication(&mut self, it: &Communication, reads: &[BufferId], writes: &[BufferId]) {
        it.operands.iter().for_each(|operand| self.typed_expr(operand, Ty::Int(Int::I32), "a rank or a tag"));
        let fits = it.operation.arity() == Some(it.operands.len().saturating_sub(1));
        self.require(fits, Rule::Communication, || {
            "an operation has as many operands as its table says".to_owned()
        });
        let of = |id: &BufferId| self.program.buffers.get(id.0 as usize);
        let wires = [reads, writes].map(|list| list.first().and_then(of).map(|it| it.role));
        self.require(wires == [Some(Role::Wire); 2], Rule::Communication, || {
            "a call between ranks reads and writes the wire first".to_owned()
        });
        let arrays: Vec<_> =
            [reads, writes].into_iter().filter_map(|list| list.get(1)).filter_map(of).collect();
        for array in &arrays {
            self.require(array.layout == Layout::RowMajor && array.rank() > 0, Rule::Communication, || {
                format!("`{}` is no row-major array", array.name)
            });
        }
        let is_silent =
            matches!(it.operation, Operation::Start(Side::Received, _) | Operation::Finish(Side::Sent, _));
        self.require(it.elem.is_some() == is_silent, Rule::Communication, || {
            "a message says what it consists of where no array does".to_owned()
        });
        let alike = arrays.windows(2).all(|two| two[0].elem == two[1].elem);
        let owners = matches!(it.operation, Operation::Owners(_));
        self.require(alike || owners, Rule::Communication, || {
            "what is sent and what is received are of one type".to_owned()
        });
    }
}
