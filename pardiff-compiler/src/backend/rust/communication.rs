//! Operations between ranks: calls of what the runtime has in place of a communicator.
//!
//! ```text
//! call send [0, 1, 7] "…" reads(wire, s) writes(wire)
//!     world.message(Message::Send { to: 1, tag: 7 }, data(&s[..]), None, "f: `…`")
//! ```

use super::emitter::Emitter;
use super::{Code, code, literal};
use crate::ir::{BufferId, Communication, ExprKind, Operation, ReduceOp, Scan, Side, Sweep};

impl Emitter<'_> {
    pub(super) fn communication(&self, it: &Communication, reads: &[BufferId], writes: &[BufferId]) -> Code {
        let (runtime, function) = (&self.runtime, &self.function);
        let mut operands = it.operands.iter().map(|operand| self.typed(operand));
        let which = operands.next().unwrap_or_else(|| code!(0_i32));
        let rest: Vec<Code> = operands.collect();
        let op = |op: ReduceOp| match op {
            ReduceOp::Min => code!(#runtime::ranks::Op::Min),
            ReduceOp::Max => code!(#runtime::ranks::Op::Max),
            ReduceOp::Add => code!(#runtime::ranks::Op::Sum),
        };
        let truth = |is: bool| if is { code!(true) } else { code!(false) };
        let line = |peer: &Code, tag: &Code, number: &Code, sweep: Sweep| {
            let reversed = truth(sweep == Sweep::Reverse);
            code!(#runtime::ranks::Line { peer: #peer, tag: #tag, number: #number, reversed: #reversed })
        };
        let message = match (it.operation, &rest[..]) {
            (Operation::Send, [to, tag]) => code!(Send { to: #to, tag: #tag }),
            (Operation::Receive, [from, tag]) => code!(Receive { from: #from, tag: #tag }),
            (Operation::Exchange, [to, send_tag, from, receive_tag]) => code! {
                Exchange { to: #to, send_tag: #send_tag, from: #from, receive_tag: #receive_tag }
            },
            (Operation::AllReduce(of), _) => {
                let op = op(of);
                code!(AllReduce(#op))
            }
            (Operation::Reduce(of), [root]) => {
                let op = op(of);
                code!(Reduce(#op, #root))
            }
            (Operation::Owners(of), _) => {
                let op = op(of);
                code!(Owners(#op))
            }
            (Operation::Broadcast, [root]) => code!(Broadcast(#root)),
            (Operation::Gather, [root]) => code!(Gather(#root)),
            (Operation::Scatter, [root]) => code!(Scatter(#root)),
            (Operation::AllGather, _) => code!(AllGather),
            (Operation::ReduceScatter, _) => code!(ReduceScatter),
            (Operation::AllToAll, _) => code!(AllToAll),
            (Operation::Scan(scan, sweep), _) => {
                let (inclusive, reversed) = (truth(scan == Scan::Inclusive), truth(sweep == Sweep::Reverse));
                code!(Scan { inclusive: #inclusive, reversed: #reversed })
            }
            (Operation::Barrier, _) => code!(Barrier),
            (Operation::Number(side), [peer, tag]) => {
                let sends = truth(side == Side::Sent);
                code!(Number { sends: #sends, peer: #peer, tag: #tag })
            }
            (Operation::Start(side, sweep), [peer, tag, number, rest @ ..]) => {
                let line = line(peer, tag, number, sweep);
                match (side, rest) {
                    (Side::Received, [len]) => code!(StartReceive(#line, #len)),
                    _ => code!(StartSend(#line)),
                }
            }
            (Operation::Finish(side, sweep), [peer, tag, number, ..]) => {
                let line = line(peer, tag, number, sweep);
                match side {
                    Side::Sent => code!(FinishSend(#line)),
                    Side::Received => code!(FinishReceive(#line)),
                }
            }
            // refused by the verifier
            _ => return code!(),
        };
        let on = match (&self.communicators[..], it.operands.first().map(|which| &which.kind)) {
            ([only], _) => code!(#only),
            (all, Some(ExprKind::Int(which))) if (*which as usize) < all.len() => {
                let one = &all[*which as usize];
                code!(#one)
            }
            (all, _) => code!([#(#all),*][#which as usize]),
        };
        let sent = match (reads.get(1), it.elem) {
            (Some(&sent), _) => {
                let sent = self.elements(sent, false);
                code!(#runtime::ranks::data(#sent))
            }
            (None, Some(elem)) => {
                let elem = literal::ty(elem);
                code!(#runtime::ranks::data::<#elem>(&[]))
            }
            (None, None) => code!(::core::option::Option::None),
        };
        let received = writes.get(1).map_or(code!(::core::option::Option::None), |&received| {
            let received = self.elements(received, true);
            code!(#runtime::ranks::data_mut(#received))
        });
        let text = literal::string(&format!(": `{}`", it.text));
        code! {
            #runtime::ranks::Messages::message(
                #on, #runtime::ranks::Message::#message, #sent, #received, ::core::concat!(#function, #text),
            );
        }
    }
}
