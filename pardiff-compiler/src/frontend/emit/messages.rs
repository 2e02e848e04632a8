//! Operations between ranks: sections are copied to arrays of their own, which calls send and receive as a whole.
//!
//! ```text
//! left.send(&u[m..2 * m])       packed[..] = u[m..2 * m]; call send packed
//! left.receive_into(&mut r)     call receive packed; r = packed
//! all_reduce_into(&s, &mut r, SystemOperation::min())      of floats
//!     owner = who has the smallest; mine = s where this rank has it, zero elsewhere; r = the sum of all that are `mine`
//! ```
//!
//! So the derivative of a minimum goes to the first rank that has it, as any condition has it.

use super::super::communicators::Sides;
use super::super::infer::Type;
use super::super::tree::{Access, Expr as Tree};
use super::Emit;
use super::value::{Value, View};
use crate::ir::{
    BinOp, BufferId, Callee, Communication, Expr, Int, Operation, ReduceOp, Role, Scan, StmtKind, Ty,
};

/// What is sent, or where it is received.
#[derive(Clone)]
pub(super) enum Part {
    Array(View),
    Number(Value, Ty),
}

impl Emit<'_> {
    pub(super) fn communicate(&mut self, operation: Operation, sides: Sides, args: &[Tree], access: &Access) {
        let operands = operation.arity().map_or(0, |arity| arity + 1);
        let (numbers, buffers) = args.split_at(operands.min(args.len()));
        let numbers = self.numbers(numbers);
        let parts: Vec<Part> = buffers.iter().filter_map(|buffer| self.part_of_message(buffer)).collect();
        if parts.len() < buffers.len() {
            return;
        }
        let (sent, received) = match (sides, &parts[..]) {
            (Sides::Sent, [sent]) => (Some(sent), None),
            (Sides::Received, [received]) => (None, Some(received)),
            (Sides::InPlace, [both]) => (Some(both), Some(both)),
            (Sides::Both, [sent, received]) => (Some(sent), Some(received)),
            _ => (None, None),
        };
        let packed = sent.map(|sent| self.packed(sent));
        let room = received.map(|received| self.room(received));
        let which = numbers.first().cloned();
        let call = Communication {
            operation,
            operands: numbers,
            elem: None,
            carries: None,
            text: access.text.clone(),
        };
        match (operation, &packed) {
            (Operation::Send | Operation::Receive | Operation::Exchange, _) if self.has_requests => {
                self.as_requests(&call, packed.as_ref(), room.as_ref());
            }
            (Operation::AllReduce(op @ (ReduceOp::Min | ReduceOp::Max)), Some(packed))
            | (Operation::Reduce(op @ (ReduceOp::Min | ReduceOp::Max)), Some(packed))
                if self.program[packed.buffer].elem.is_float() =>
            {
                let mine = self.of_owner(op, packed, &call);
                let sum = match operation {
                    Operation::Reduce(_) => Operation::Reduce(ReduceOp::Add),
                    _ => Operation::AllReduce(ReduceOp::Add),
                };
                let call = Communication { operation: sum, ..call };
                self.call_between_ranks(call, Some(mine.buffer), room.as_ref().map(|room| room.buffer));
            }
            _ => {
                let sent = packed.as_ref().map(|packed| packed.buffer);
                self.call_between_ranks(call, sent, room.as_ref().map(|room| room.buffer));
            }
        }
        if let (Some(received), Some(room)) = (received, room) {
            let first = matches!(operation, Operation::Scan(Scan::Exclusive, _)).then_some(which).flatten();
            self.arrive(first, received, &room);
        }
    }

    /// Copies what arrived, but on the first rank of this communicator, if there is one that is excepted.
    fn arrive(&mut self, but_first_of: Option<Expr>, received: &Part, room: &View) {
        let Some(which) = but_first_of else { return self.unpack(received, room) };
        let rank = self.own_rank(&which);
        let is_behind = Expr::binary(BinOp::Ne, rank, Expr::int(Ty::Int(Int::I32), 0));
        let then = self.block(|this| this.unpack(received, room));
        self.push(StmtKind::If { cond: is_behind, then, els: Vec::new() });
    }

    /// Ranks and tags as values that stay.
    pub(super) fn numbers(&mut self, numbers: &[Tree]) -> Vec<Expr> {
        let numbers: Vec<Value> = self.operands(&numbers.iter().collect::<Vec<_>>());
        let stable = numbers.into_iter().map(|number| {
            let span = self.program[self.origin.span];
            let number = self.load(number, span);
            if self.is_stable(&number) { number } else { self.snapshot("peer", number) }
        });
        stable.collect()
    }

    /// Copies what arrived to where it is received.
    pub(super) fn unpack(&mut self, part: &Part, room: &View) {
        match part {
            Part::Array(view) => self.copy(view, room),
            Part::Number(place, _) => {
                let value = self.element(room, Expr::usize(0));
                self.store(place, value);
            }
        }
    }

    pub(super) fn part_of_message(&mut self, e: &Tree) -> Option<Part> {
        if let Type::Array(..) = self.infer.peel(&e.ty) {
            let view = self.array(e)?;
            let mut value = self.stabilise(Value::View(view), "message");
            if let Value::View(view) = &mut value {
                view.owned = false;
            }
            return match value {
                Value::View(view) => Some(Part::Array(view)),
                _ => None,
            };
        }
        let ty = self.scalar_type(e);
        let value = self.place(e);
        Some(Part::Number(self.stabilise(value, "message"), ty))
    }

    /// A copy of what is sent.
    pub(super) fn packed(&mut self, part: &Part) -> View {
        let packed = self.room(part);
        match part {
            Part::Array(view) => self.copy(&packed, view),
            Part::Number(value, _) => {
                let target = self.element(&packed, Expr::usize(0));
                self.store(&target, value.clone());
            }
        }
        packed
    }

    /// An array of the shape of what is sent or received.
    pub(super) fn room(&mut self, part: &Part) -> View {
        match part {
            Part::Array(view) => {
                let dims = self.dims(view);
                self.alloc_like(view, "message", dims, None)
            }
            Part::Number(_, ty) => self.alloc("message", *ty, vec![Expr::usize(1)], None),
        }
    }

    /// What this rank has of the smallest or largest numbers of all ranks; a zero that changes no sum elsewhere.
    fn of_owner(&mut self, op: ReduceOp, packed: &View, call: &Communication) -> View {
        let dims = self.dims(packed);
        let elem = self.program[packed.buffer].elem;
        let owner = self.alloc("owner", Ty::Int(Int::I32), dims.clone(), None);
        let which = call.operands[0].clone();
        let owners = Operation::Owners(op);
        let asked = Communication { operation: owners, operands: vec![which.clone()], ..call.clone() };
        self.call_between_ranks(asked, Some(packed.buffer), Some(owner.buffer));
        let mine = self.alloc("mine", elem, dims.clone(), None);
        let rank = self.own_rank(&which);
        self.for_each(&dims, &mut |this, index| {
            let span = this.program[this.origin.span];
            let [owner, own] = [&owner, packed].map(|view| {
                let value = this.element_at(view, index);
                this.load(value, span)
            });
            let is_own = Expr::binary(BinOp::Eq, owner, rank.clone());
            let value = Expr::select(is_own, own, Expr::float(elem, -0.0));
            let target = this.element_at(&mine, index);
            this.store(&target, Value::Scalar(value));
        });
        mine
    }

    /// This rank in a communicator.
    fn own_rank(&mut self, which: &Expr) -> Expr {
        let ranks: Vec<(BufferId, BufferId)> = self.communicators.clone();
        let mut all = ranks
            .into_iter()
            .map(|(which, rank)| (self.program.load_scalar(which), self.program.load_scalar(rank)));
        let (_, first) = all.next().unwrap_or((which.clone(), Expr::int(Ty::Int(Int::I32), 0)));
        all.fold(first, |rank, (other, own)| {
            Expr::select(Expr::binary(BinOp::Eq, which.clone(), other), own, rank)
        })
    }

    pub(super) fn call_between_ranks(
        &mut self,
        it: Communication,
        sent: Option<BufferId>,
        received: Option<BufferId>,
    ) {
        let wire = self.wire();
        let reads = [wire].into_iter().chain(sent).collect();
        let writes = [wire].into_iter().chain(received).collect();
        self.push(StmtKind::Call { callee: Callee::Communication(Box::new(it)), reads, writes });
    }

    /// What stands for the messages under way, one for all communicators.
    fn wire(&mut self) -> BufferId {
        if let Some(wire) = self.wire {
            return wire;
        }
        let wire = self.program.add_scalar("wire", Ty::F64, Role::Wire);
        self.frames[0].buffers.push(wire);
        self.wire = Some(wire);
        wire
    }
}
