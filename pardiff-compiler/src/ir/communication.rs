//! Operations between ranks: linear maps from what all ranks send to what they receive.
//!
//! The call that one belongs to reads the wire and what is sent, and writes the wire and what is received, in this order;
//! what is sent and what is received are whole arrays of one dimension, and what is received is overwritten. The wire
//! stands for all messages under way: it orders operations, and derivatives flow through it.

use super::{Expr, ReduceOp};

/// An operation between ranks.
#[derive(Clone, PartialEq, Debug)]
pub struct Communication {
    /// What is done.
    pub operation: Operation,
    /// The number of the communicator, and the operands of the operation, each an `i32`.
    pub operands: Vec<Expr>,
    /// The call as the user wrote it.
    pub text: String,
}

/// What is done. Where one rank is the root, its number is the operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operation {
    /// To a rank, with a tag.
    Send,
    /// From a rank, with a tag.
    Receive,
    /// To a rank, with a tag, and from a rank, with a tag.
    Exchange,
    /// All ranks get the numbers of all, reduced one by one.
    AllReduce(ReduceOp),
    /// The root gets them, others zeros.
    Reduce(ReduceOp),
    /// All ranks get what the root sends.
    Broadcast,
    /// The root gets what all ranks send, others zeros.
    Gather,
    /// Each rank gets its part of what the root sends.
    Scatter,
    /// All ranks get what all ranks send.
    AllGather,
    /// Each rank gets its part of the sum of what all ranks send.
    ReduceScatter,
    /// For each number, who has the least or the greatest: an `i32`.
    Owners(ReduceOp),
    /// Nobody goes on before all are there.
    Barrier,
}

impl Operation {
    /// Its name and the number of operands besides the communicator.
    pub const ALL: [(Operation, &'static str, usize); 17] = [
        (Operation::Send, "send", 2),
        (Operation::Receive, "receive", 2),
        (Operation::Exchange, "exchange", 4),
        (Operation::AllReduce(ReduceOp::Add), "all_reduce_sum", 0),
        (Operation::AllReduce(ReduceOp::Min), "all_reduce_min", 0),
        (Operation::AllReduce(ReduceOp::Max), "all_reduce_max", 0),
        (Operation::Reduce(ReduceOp::Add), "reduce_sum", 1),
        (Operation::Reduce(ReduceOp::Min), "reduce_min", 1),
        (Operation::Reduce(ReduceOp::Max), "reduce_max", 1),
        (Operation::Broadcast, "broadcast", 1),
        (Operation::Gather, "gather", 1),
        (Operation::Scatter, "scatter", 1),
        (Operation::AllGather, "all_gather", 0),
        (Operation::ReduceScatter, "reduce_scatter", 0),
        (Operation::Owners(ReduceOp::Min), "owners_min", 0),
        (Operation::Owners(ReduceOp::Max), "owners_max", 0),
        (Operation::Barrier, "barrier", 0),
    ];

    /// Its name in the text form.
    pub fn name(self) -> &'static str {
        Operation::ALL.iter().find(|(it, ..)| *it == self).map_or("?", |(_, name, _)| name)
    }

    /// The number of operands besides the communicator.
    pub fn arity(self) -> Option<usize> {
        Operation::ALL.iter().find(|(it, ..)| *it == self).map(|(.., arity)| *arity)
    }

    /// The transposed map, which takes what was received and gives what was sent: of sums all get the sum, whom a message
    /// went to it comes from.
    fn transposed(self) -> Option<Operation> {
        Some(match self {
            Operation::Send => Operation::Receive,
            Operation::Receive => Operation::Send,
            Operation::Exchange => Operation::Exchange,
            Operation::AllReduce(ReduceOp::Add) => Operation::AllReduce(ReduceOp::Add),
            Operation::Reduce(ReduceOp::Add) => Operation::Broadcast,
            Operation::Broadcast => Operation::Reduce(ReduceOp::Add),
            Operation::Gather => Operation::Scatter,
            Operation::Scatter => Operation::Gather,
            Operation::AllGather => Operation::ReduceScatter,
            Operation::ReduceScatter => Operation::AllGather,
            Operation::Barrier => Operation::Barrier,
            Operation::AllReduce(_) | Operation::Reduce(_) | Operation::Owners(_) => return None,
        })
    }
}

impl Communication {
    /// The transposed map with other operands; none of an operation that is not linear.
    pub fn transposed(&self, operands: Vec<Expr>) -> Option<Communication> {
        let operation = self.operation.transposed()?;
        let operands = match (operation, &operands[..]) {
            // what was received goes back to whom it came from
            (Operation::Exchange, [on, to, send_tag, from, receive_tag]) => {
                [on, from, receive_tag, to, send_tag].map(Expr::clone).to_vec()
            }
            _ => operands,
        };
        Some(Communication { operation, operands, text: self.text.clone() })
    }
}
