//! Operations between ranks: linear maps from what all ranks send to what they receive.
//!
//! The call that one belongs to reads the wire and what is sent, and writes the wire and what is received, in this
//! order; what is sent and what is received are whole arrays of one dimension, and what is received is overwritten.
//! The wire stands for all messages under way: it orders operations, and derivatives flow through it.
//!
//! A message that does not wait is four calls. It has a number, by which its derivative finds its way although both
//! sides wait in orders of their own: the n-th message that is sent to a rank with a tag is the n-th that is
//! received.
//!
//! ```text
//! n = number_of_send [1, 7]                   m = number_of_receive [0, 7]
//! start_send [1, 7, n] s                      start_receive [0, 7, m, len] f64
//! finish_send [1, 7, n, len] f64              r = finish_receive [0, 7, m]
//! ```

use super::{Derivative, Expr, ReduceOp, Ty};

/// An operation between ranks.
#[derive(Clone, PartialEq, Debug)]
pub struct Communication {
    /// What is done.
    pub operation: Operation,
    /// The number of the communicator, and the operands of the operation, each an `i32`.
    pub operands: Vec<Expr>,
    /// What the message consists of, where no array of the call says it.
    pub elem: Option<Ty>,
    /// Whether it carries derivatives of what another one does, and which.
    pub carries: Option<Derivative>,
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
    /// Each rank gets, in the order of ranks, the part that each of them sends to it.
    AllToAll,
    /// Each rank gets the sum of what the ranks up to itself send; in reverse, of those from itself on.
    Scan(Scan, Sweep),
    /// For each number, who has the least or the greatest: an `i32`.
    Owners(ReduceOp),
    /// Nobody goes on before all are there.
    Barrier,
    /// The number of the next message to or from a rank with a tag: an `i32`.
    Number(Side),
    /// Begins a message to or from a rank, with a tag and a number, and how long it is if it is received.
    Start(Side, Sweep),
    /// Waits for one that was begun, with how long it is if it is sent.
    Finish(Side, Sweep),
}

/// Whether a scan of a rank has the numbers of that rank.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scan {
    /// It has.
    Inclusive,
    /// It has not; where there are no others it is zero.
    Exclusive,
}

/// Which end of a message.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    /// At the rank that it comes from.
    Sent,
    /// At the rank that it goes to.
    Received,
}

/// Whose messages: derivatives begin where the function waited, so that their order is not that of the function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Sweep {
    /// Messages of the function.
    Forward,
    /// Their derivatives, which go the other way.
    Reverse,
}

impl Side {
    fn other(self) -> Side {
        match self {
            Side::Sent => Side::Received,
            Side::Received => Side::Sent,
        }
    }
}

impl Sweep {
    fn other(self) -> Sweep {
        match self {
            Sweep::Forward => Sweep::Reverse,
            Sweep::Reverse => Sweep::Forward,
        }
    }
}

impl Operation {
    /// Its name and the number of operands besides the communicator.
    pub const ALL: [(Operation, &'static str, usize); 32] = [
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
        (Operation::AllToAll, "all_to_all", 0),
        (Operation::Scan(Scan::Inclusive, Sweep::Forward), "scan_sum", 0),
        (Operation::Scan(Scan::Inclusive, Sweep::Reverse), "scan_sum_back", 0),
        (Operation::Scan(Scan::Exclusive, Sweep::Forward), "exclusive_scan_sum", 0),
        (Operation::Scan(Scan::Exclusive, Sweep::Reverse), "exclusive_scan_sum_back", 0),
        (Operation::Owners(ReduceOp::Min), "owners_min", 0),
        (Operation::Owners(ReduceOp::Max), "owners_max", 0),
        (Operation::Barrier, "barrier", 0),
        (Operation::Number(Side::Sent), "number_of_send", 2),
        (Operation::Number(Side::Received), "number_of_receive", 2),
        (Operation::Start(Side::Sent, Sweep::Forward), "start_send", 3),
        (Operation::Start(Side::Received, Sweep::Forward), "start_receive", 4),
        (Operation::Finish(Side::Sent, Sweep::Forward), "finish_send", 4),
        (Operation::Finish(Side::Received, Sweep::Forward), "finish_receive", 3),
        (Operation::Start(Side::Sent, Sweep::Reverse), "start_send_back", 3),
        (Operation::Start(Side::Received, Sweep::Reverse), "start_receive_back", 4),
        (Operation::Finish(Side::Sent, Sweep::Reverse), "finish_send_back", 4),
        (Operation::Finish(Side::Received, Sweep::Reverse), "finish_receive_back", 3),
    ];

    /// Its name in the text form.
    pub fn name(self) -> &'static str {
        Operation::ALL.iter().find(|(it, ..)| *it == self).map_or("?", |(_, name, _)| name)
    }

    /// The number of operands besides the communicator.
    pub fn arity(self) -> Option<usize> {
        Operation::ALL.iter().find(|(it, ..)| *it == self).map(|(.., arity)| *arity)
    }

    /// The transposed map, which takes what was received and gives what was sent: of sums all get the sum, whom a
    /// message went to it comes from.
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
            Operation::AllToAll => Operation::AllToAll,
            Operation::Scan(scan, sweep) => Operation::Scan(scan, sweep.other()),
            Operation::Barrier => Operation::Barrier,
            Operation::Start(side, sweep) => Operation::Finish(side.other(), sweep.other()),
            Operation::Finish(side, sweep) => Operation::Start(side.other(), sweep.other()),
            Operation::AllReduce(_) | Operation::Reduce(_) | Operation::Owners(_) | Operation::Number(_) => {
                return None;
            }
        })
    }
}

impl Communication {
    /// The transposed map with other operands, for adjoints; none of an operation that is not linear.
    pub fn transposed(&self, operands: Vec<Expr>) -> Option<Communication> {
        let operation = self.operation.transposed()?;
        let operands = match (operation, &operands[..]) {
            // what was received goes back to whom it came from
            (Operation::Exchange, [on, to, send_tag, from, receive_tag]) => {
                [on, from, receive_tag, to, send_tag].map(Expr::clone).to_vec()
            }
            _ => operands,
        };
        let carries = Some(Derivative::Adjoint);
        Some(Communication { operation, operands, carries, elem: self.elem, text: self.text.clone() })
    }

    /// The operand that is the length of the message, where no array says it.
    pub fn length_mut(&mut self) -> Option<&mut Expr> {
        match self.operation {
            Operation::Start(Side::Received, _) | Operation::Finish(Side::Sent, _) => {
                self.operands.last_mut()
            }
            _ => None,
        }
    }
}
