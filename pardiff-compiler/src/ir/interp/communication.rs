//! Operations between ranks, on one rank alone: what is sent is what is received.

use super::Number;
use super::array::Value;
use super::fault::Fault;
use super::machine::Machine;
use crate::ir::{BufferId, Communication, Expr, Operation, Place};

impl<N: Number> Machine<'_, N> {
    pub(super) fn communication(
        &mut self,
        it: &Communication,
        reads: &[BufferId],
        writes: &[BufferId],
    ) -> Result<(), Fault> {
        let others = match it.operation {
            Operation::Send | Operation::Receive => true,
            Operation::Exchange => self.int(&it.operands[1])? != 0 || self.int(&it.operands[3])? != 0,
            _ => false,
        };
        if others {
            return Err(Fault::unsupported("messages between several ranks"));
        }
        let (Some(&sent), Some(&received)) = (reads.get(1), writes.get(1)) else { return Ok(()) };
        let (dims, len) = {
            let array = self.array(received)?;
            (array.dims.clone(), array.dims.iter().product())
        };
        for at in 0..len {
            self.burn()?;
            let value = match it.operation {
                Operation::Owners(_) => Value::Int(0),
                _ => self.read(sent, at)?,
            };
            let mut index = vec![Expr::usize(0); dims.len()];
            let mut rest = at;
            for (slot, &extent) in index.iter_mut().zip(&dims).rev() {
                *slot = Expr::usize(rest % extent);
                rest /= extent;
            }
            let place = Place::new(received, index);
            let position = self.locate_to_write(&place)?;
            self.write(&place, position, value)?;
        }
        Ok(())
    }
}
