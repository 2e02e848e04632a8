//! Messages that do not wait. They begin where the function begins them, and end with the scope of their requests:
//! before, nobody may touch what they send or receive, and who waits for one waits for nothing else.
//!
//! ```text
//! scope(|scope| {                                     under_way = 0
//!     let r = left.immediate_receive_into(scope, &mut u[..m]);
//!                                                     n = number_of_receive [left, 0]; start_receive [left, 0, n, m]
//!                                                     begun = true; under_way += 1
//!     r.wait();                                       under_way -= 1
//! })                                                  check under_way == 0
//!                                                     if begun { t = finish_receive [left, 0, n]; u[..m] = t }
//! ```
//!
//! What such an end needs is kept: in scalars, or in vectors that grow where the message begins in a loop of the
//! scope.

use super::super::communicators::BetweenRanks;
use super::super::tree::{Access, Exit, Expr as Tree};
use super::messages::Part;
use super::value::{Value, View};
use super::{Emit, Frame};
use crate::ir::{
    BinOp, Buffer, BufferId, Communication, Expr, ExprKind, Int, Layout, Message, Operation, Place, Role,
    Side, StmtKind, Sweep, Ty,
};

/// A scope of requests.
pub(super) struct Requests {
    /// Where it keeps what it needs at its end.
    frame: usize,
    /// How many targets of jumps are around it.
    targets: usize,
    /// How many requests nobody has waited for, and how many of them are in the collection.
    under_way: BufferId,
    collected: BufferId,
    /// What variables hold when the scope begins.
    first: Vec<(BufferId, Expr)>,
    begun: Vec<Begun>,
}

/// A message that ends with the scope.
#[derive(Clone)]
struct Begun {
    side: Side,
    /// The number of the communicator, the rank, the tag and the number of the message.
    operands: Vec<Expr>,
    text: String,
    elem: Ty,
    /// How long it is.
    len: Expr,
    /// Where it is received.
    part: Option<Part>,
    often: Often,
}

/// How often a message begins in its scope.
#[derive(Clone, Copy)]
enum Often {
    /// Once, where the flag is set.
    If(BufferId),
    /// So many times: what is kept is in vectors.
    Times(BufferId),
}

impl Begun {
    /// What the end of the message needs.
    fn needs(&mut self) -> Vec<&mut Expr> {
        let mut all: Vec<&mut Expr> = self.operands.iter_mut().chain([&mut self.len]).collect();
        match &mut self.part {
            Some(Part::Array(view)) => {
                all.extend(view.prefix.iter_mut().chain(&mut view.offset).chain([&mut view.len]));
                let cuts = view.cuts.iter_mut();
                all.extend(cuts.flat_map(|cut| cut.offset.iter_mut().chain([&mut cut.len])));
            }
            Some(Part::Number(Value::Place(place, _), _)) => all.extend(&mut place.index),
            Some(Part::Number(..)) | None => {}
        }
        all
    }
}

impl Emit<'_> {
    pub(super) fn between_ranks(
        &mut self,
        of: BetweenRanks,
        args: &[Tree],
        access: &Access,
        e: &Tree,
    ) -> Value {
        match of {
            BetweenRanks::Operation(operation, sides) => {
                self.communicate(operation, sides, args, access);
                Value::UNIT
            }
            BetweenRanks::Scope => {
                self.requests(&args[0]);
                Value::UNIT
            }
            BetweenRanks::Begin(side) => self.start(side, args, access, e),
            BetweenRanks::Wait => self.wait(&args[0]),
            BetweenRanks::Collect => self.collect_request(&args[0]),
            BetweenRanks::Collected => self.collected_requests(),
            BetweenRanks::WaitForCollected => self.wait_for_collected(),
        }
    }

    /// A scope of requests.
    fn requests(&mut self, body: &Tree) {
        if self.requests.is_some() {
            self.refuse(
                body.span,
                "a scope of requests in another one",
                "requests of the outer one could be waited for in the inner one",
                "begin all messages in one scope, or write one scope behind the other",
            );
            return;
        }
        let frame = self.frames.len();
        self.frames.push(Frame::default());
        let [under_way, collected] =
            ["under_way", "collected"].map(|name| self.scalar_local(name, Ty::USIZE));
        let first = vec![(under_way, Expr::usize(0)), (collected, Expr::usize(0))];
        let targets = self.targets.len();
        self.requests = Some(Requests { frame, targets, under_way, collected, first, begun: Vec::new() });
        let body = self.block(|this| this.effect(body));
        let Some(requests) = self.requests.take() else { return };
        for (buffer, value) in requests.first {
            self.assign_scalar(buffer, value);
        }
        self.append(body);
        let none = Expr::binary(BinOp::Eq, self.program.load_scalar(under_way), Expr::usize(0));
        let message = Message::Text("a request is not waited for before its scope ends".to_owned());
        self.push(StmtKind::Check { cond: none, message });
        for begun in requests.begun {
            self.end(begun);
        }
        let block = self.close(frame);
        self.append(block);
    }

    /// `left.immediate_send(scope, &u[..m])`, `left.immediate_receive_into(scope, &mut u[..m])`
    fn start(&mut self, side: Side, args: &[Tree], access: &Access, e: &Tree) -> Value {
        if self.requests.is_none() {
            self.refuse(
                e.span,
                "a message that does not wait, outside of a scope of requests",
                "where it is waited for must be seen",
                "write `mpi::request::scope(|scope| { … })`, and begin it there",
            );
            return Value::Tuple(vec![Value::Scalar(Expr::int(Ty::Int(Int::I32), 0))]);
        }
        let request = Value::Tuple(vec![Value::Scalar(Expr::int(Ty::Int(Int::I32), 0))]);
        let [operands @ .., buffer] = args else { return request };
        let operands = self.numbers(operands);
        let Some(part) = self.part_of_message(buffer) else { return request };
        let text = &access.text;
        let operands = self.next(side, &operands, text);
        let (elem, dims) = match &part {
            Part::Array(view) => (self.program[view.buffer].elem, self.dims(view)),
            Part::Number(_, ty) => (*ty, Vec::new()),
        };
        let len = self.length_of_message(dims);
        match side {
            Side::Sent => {
                let packed = self.packed(&part);
                self.request(Operation::Start(side, Sweep::Forward), &operands, text, Ok(&packed));
            }
            Side::Received => {
                self.request(
                    Operation::Start(side, Sweep::Forward),
                    &operands,
                    text,
                    Err((elem, len.clone())),
                );
            }
        }
        let part = (side == Side::Received).then_some(part);
        self.keep(Begun {
            side,
            operands,
            text: text.clone(),
            elem,
            len,
            part,
            often: Often::If(BufferId(0)),
        });
        self.change_count(|requests| requests.under_way, BinOp::Add, Expr::usize(1));
        request
    }

    fn wait(&mut self, request: &Tree) -> Value {
        self.value(request);
        self.change_count(|requests| requests.under_way, BinOp::Sub, Expr::usize(1));
        Value::UNIT
    }

    /// `requests.add(request)`
    fn collect_request(&mut self, request: &Tree) -> Value {
        self.value(request);
        self.change_count(|requests| requests.collected, BinOp::Add, Expr::usize(1));
        Value::UNIT
    }

    fn collected_requests(&mut self) -> Value {
        match &self.requests {
            Some(requests) => Value::Scalar(self.program.load_scalar(requests.collected)),
            None => Value::Scalar(Expr::usize(0)),
        }
    }

    fn wait_for_collected(&mut self) -> Value {
        let Some(collected) = self.requests.as_ref().map(|it| it.collected) else { return Value::UNIT };
        let all = self.program.load_scalar(collected);
        self.change_count(|requests| requests.under_way, BinOp::Sub, all);
        self.assign_scalar(collected, Expr::usize(0));
        Value::UNIT
    }

    fn change_count(&mut self, which: impl Fn(&Requests) -> BufferId, op: BinOp, by: Expr) {
        if let Some(count) = self.requests.as_ref().map(which) {
            let value = Expr::binary(op, self.program.load_scalar(count), by);
            self.assign_scalar(count, value);
        }
    }

    /// A message that waits, with a number as those have that do not.
    pub(super) fn as_requests(&mut self, call: &Communication, packed: Option<&View>, room: Option<&View>) {
        let [which, rest @ ..] = &call.operands[..] else { return };
        let text = &call.text;
        let line = |at: usize| [which.clone(), rest[at].clone(), rest[at + 1].clone()];
        let sent = packed.map(|packed| (packed, line(0)));
        let received = room.map(|room| (room, line(rest.len() - 2)));
        let received = received.map(|(room, line)| {
            let line = self.next(Side::Received, &line, text);
            let shape = self.shape_of_message(room);
            self.request(Operation::Start(Side::Received, Sweep::Forward), &line, text, Err(shape));
            (room, line)
        });
        let sent = sent.map(|(packed, line)| {
            let line = self.next(Side::Sent, &line, text);
            self.request(Operation::Start(Side::Sent, Sweep::Forward), &line, text, Ok(packed));
            (packed, line)
        });
        if let Some((room, line)) = received {
            self.request(Operation::Finish(Side::Received, Sweep::Forward), &line, text, Ok(room));
        }
        if let Some((packed, line)) = sent {
            let shape = self.shape_of_message(packed);
            self.request(Operation::Finish(Side::Sent, Sweep::Forward), &line, text, Err(shape));
        }
    }

    /// The operands of a message, and its number.
    fn next(&mut self, side: Side, line: &[Expr], text: &str) -> Vec<Expr> {
        let number = self.alloc("number", Ty::Int(Int::I32), vec![Expr::usize(1)], None);
        let operation = Operation::Number(side);
        let call = Communication {
            operation,
            operands: line.to_vec(),
            elem: None,
            carries: None,
            text: text.to_owned(),
        };
        self.call_between_ranks(call, None, Some(number.buffer));
        let span = self.program[self.origin.span];
        let first = self.element(&number, Expr::usize(0));
        let number = self.load(first, span);
        let number = self.snapshot("message_number", number);
        line.iter().cloned().chain([number]).collect()
    }

    /// The begin or the end of a message, with what it carries, or its type and its length.
    fn request(
        &mut self,
        operation: Operation,
        operands: &[Expr],
        text: &str,
        of: Result<&View, (Ty, Expr)>,
    ) {
        let mut call = Communication {
            operation,
            operands: operands.to_vec(),
            elem: None,
            carries: None,
            text: text.to_owned(),
        };
        match (of, operation) {
            (Ok(view), Operation::Start(..)) => self.call_between_ranks(call, Some(view.buffer), None),
            (Ok(view), _) => self.call_between_ranks(call, None, Some(view.buffer)),
            (Err((elem, len)), _) => {
                call.elem = Some(elem);
                call.operands.push(len.cast(Ty::Int(Int::I32)));
                self.call_between_ranks(call, None, None);
            }
        }
    }

    fn shape_of_message(&mut self, view: &View) -> (Ty, Expr) {
        let dims = self.dims(view);
        (self.program[view.buffer].elem, self.length_of_message(dims))
    }

    fn length_of_message(&mut self, dims: Vec<Expr>) -> Expr {
        let len = dims.into_iter().reduce(|a, b| Expr::binary(BinOp::Mul, a, b)).unwrap_or(Expr::usize(1));
        if self.is_stable(&len) { len } else { self.snapshot("message_len", len) }
    }

    /// Keeps what the end of a message needs until its scope ends.
    fn keep(&mut self, mut begun: Begun) {
        let Some(requests) = &self.requests else { return };
        let in_loop = self.targets[requests.targets..].iter().any(|it| it.target.exit == Exit::Next);
        let frame = requests.frame;
        let needs: Vec<Expr> = begun.needs().into_iter().map(|need| need.clone()).collect();
        let (ty, start) = if in_loop { (Ty::USIZE, Expr::usize(0)) } else { (Ty::Bool, Expr::bool(false)) };
        let often = self.kept_buffer("begun", ty, frame);
        if let Some(requests) = &mut self.requests {
            requests.first.push((often, start));
        }
        let kept = needs.into_iter().map(|need| {
            if self.is_visible(&need, frame) {
                return need;
            }
            let ty = need.ty;
            let buffer = self.kept_buffer("kept", ty, frame);
            if in_loop {
                self.lengths.insert(buffer, often);
                self.program[buffer].layout = Layout::Growing;
                self.program[buffer].dims = vec![Expr::extent(buffer, 0)];
                let place = Place::new(buffer, vec![self.program.load_scalar(often)]);
                self.push(StmtKind::Assign { target: place.clone(), value: need });
                return place.load(ty);
            }
            self.immutable.insert(buffer);
            self.assign_scalar(buffer, need);
            self.program.load_scalar(buffer)
        });
        let kept: Vec<Expr> = kept.collect();
        begun.needs().into_iter().zip(kept).for_each(|(need, kept)| *need = kept);
        let next = match in_loop {
            true => Expr::binary(BinOp::Add, self.program.load_scalar(often), Expr::usize(1)),
            false => Expr::bool(true),
        };
        self.assign_scalar(often, next);
        begun.often = if in_loop { Often::Times(often) } else { Often::If(often) };
        if let Some(requests) = &mut self.requests {
            requests.begun.push(begun);
        }
    }

    /// A variable of the scope of requests.
    fn kept_buffer(&mut self, name: &str, ty: Ty, frame: usize) -> BufferId {
        let buffer = self.program.add_buffer(Buffer::new(name, ty, Vec::new(), Role::Local));
        self.frames[frame].buffers.push(buffer);
        buffer
    }

    /// Whether an expression has the same value at the end of the scope.
    fn is_visible(&self, e: &Expr, frame: usize) -> bool {
        match &e.kind {
            ExprKind::Load(place) if place.index.is_empty() && self.immutable.contains(&place.buffer) => {
                self.frames[..frame].iter().any(|frame| frame.buffers.contains(&place.buffer))
            }
            _ => self.is_fixed(e),
        }
    }

    /// The end of a message.
    fn end(&mut self, begun: Begun) {
        match begun.often {
            Often::If(flag) => {
                let then = self.block(|this| this.end_once(&begun));
                let cond = self.program.load_scalar(flag);
                self.push(StmtKind::If { cond, then, els: Vec::new() });
            }
            Often::Times(times) => {
                let times = self.program.load_scalar(times);
                self.for_each(std::slice::from_ref(&times), &mut |this, index| {
                    let mut one = begun.clone();
                    for need in one.needs() {
                        if let ExprKind::Load(place) = &need.kind
                            && !place.index.is_empty()
                        {
                            let place = Place::new(place.buffer, index.to_vec());
                            *need = this.snapshot("kept", place.load(need.ty));
                        }
                    }
                    this.end_once(&one);
                });
            }
        }
    }

    fn end_once(&mut self, begun: &Begun) {
        let Begun { side, operands, text, elem, len, part, .. } = begun;
        let operation = Operation::Finish(*side, Sweep::Forward);
        match part {
            Some(part) => {
                let room = self.room(part);
                self.request(operation, operands, text, Ok(&room));
                self.unpack(part, &room);
            }
            None => self.request(operation, operands, text, Err((*elem, len.clone()))),
        }
    }
}
