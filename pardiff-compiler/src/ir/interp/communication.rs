//! Operations between ranks.

use super::array::Value;
use super::fault::{Fault, FaultKind};
use super::machine::Machine;
use super::ranks::{Brought, Event, Line, Step};
use super::{Array, Given, Number, Outcome};
use crate::ir::{
    BinOp, BufferId, Communication, Expr, Float, OpaqueId, Operation, Place, Program, ReduceOp, Scan, Side,
    Sweep, Ty,
};
use std::cell::RefCell;
use std::rc::Rc;

/// Runs a program on several ranks, each with arguments of its own; a message is sent when it is received if
/// `rendezvous` says so. All ranks waiting for each other is a fault.
pub fn run_ranks<N: Number>(
    program: &Program,
    args: &[Vec<Array<N>>],
    paths: &dyn Fn(OpaqueId) -> Option<Given<N>>,
    rendezvous: bool,
) -> Result<Vec<Outcome<N>>, Fault> {
    let world = Rc::new(RefCell::new(super::ranks::World::new(args.len(), rendezvous)));
    let mut ended: Vec<Option<Outcome<N>>> = args.iter().map(|_| None).collect();
    loop {
        let mut waits = None;
        let before: usize = world.borrow().events.iter().map(Vec::len).sum();
        for ((rank, args), ended) in
            args.iter().enumerate().zip(&mut ended).filter(|(_, ended)| ended.is_none())
        {
            let mut machine = Machine::new(program, super::Limits::default());
            machine.world = world.clone();
            machine.rank.rank = rank;
            machine.bind(args.clone(), paths)?;
            match machine.block(&program.body) {
                Ok(()) => *ended = Some(machine.finish()),
                Err(fault) if fault.kind == FaultKind::Waits => waits = Some(fault),
                Err(fault) => return Err(fault),
            }
        }
        let Some(fault) = waits else { return Ok(ended.into_iter().flatten().collect()) };
        if world.borrow().events.iter().map(Vec::len).sum::<usize>() == before {
            return Err(fault);
        }
    }
}

impl<N: Number> Machine<'_, N> {
    pub(super) fn communication(
        &mut self,
        it: &Communication,
        reads: &[BufferId],
        writes: &[BufferId],
    ) -> Result<(), Fault> {
        let operands = it.operands.iter().map(|operand| self.int(operand)).collect::<Result<Vec<_>, _>>()?;
        let operands = operands.get(1..).unwrap_or_default();
        let sent = match reads.get(1) {
            Some(&sent) => {
                let len: usize = self.array(sent)?.dims.iter().product();
                (0..len).map(|at| self.read(sent, at)).collect::<Result<Vec<_>, _>>()?
            }
            None => Vec::new(),
        };
        let received = writes.get(1).copied();
        match (it.operation, operands) {
            (Operation::Send, &[peer, tag]) => {
                let line = self.line(Side::Sent, peer, tag, None)?;
                let number = self.begin(Step::Send(line, sent))?;
                self.step(Step::Sent(line, number)).map(|_| ())
            }
            (Operation::Receive, &[peer, tag]) => {
                let line = self.line(Side::Received, peer, tag, None)?;
                let number = self.begin(Step::Receive(line))?;
                self.take(line, number, received)
            }
            (Operation::Exchange, &[to, send_tag, from, receive_tag]) => {
                let out = self.line(Side::Sent, to, send_tag, None)?;
                let back = self.line(Side::Received, from, receive_tag, None)?;
                let sending = self.begin(Step::Send(out, sent))?;
                let receiving = self.begin(Step::Receive(back))?;
                self.take(back, receiving, received)?;
                self.step(Step::Sent(out, sending)).map(|_| ())
            }
            (Operation::Number(side), &[peer, tag]) => {
                let number = self.rank.numbers.entry((side, peer, tag)).or_default();
                *number += 1;
                let number = *number - 1;
                self.arrive(received, vec![Value::Int(number)])
            }
            (Operation::Start(side, sweep), &[peer, tag, number, ..]) => {
                let line = self.line(side, peer, tag, (sweep == Sweep::Reverse).then_some(number))?;
                let step = match side {
                    Side::Sent => Step::Send(line, sent),
                    Side::Received => Step::Receive(line),
                };
                let in_line = self.begin(step)?;
                let key = (side, (line.0, line.1, tag, Some(number)), sweep);
                self.rank.begun.entry(key).or_default().push(in_line);
                Ok(())
            }
            (Operation::Finish(side, sweep), &[peer, tag, number, ..]) => {
                let line = self.line(side, peer, tag, (sweep == Sweep::Reverse).then_some(number))?;
                let key = (side, (line.0, line.1, tag, Some(number)), sweep);
                let begun = self.rank.begun.get_mut(&key).filter(|begun| !begun.is_empty());
                let Some(in_line) = begun.map(|begun| begun.remove(0)) else {
                    return Err(Fault::unsupported(format!(
                        "the end of a message that has not begun: {}",
                        it.text
                    )));
                };
                match side {
                    Side::Sent => self.step(Step::Sent(line, in_line)).map(|_| ()),
                    Side::Received => self.take(line, in_line, received),
                }
            }
            (operation, operands) => {
                let round = self.rank.round;
                self.rank.round += 1;
                let root = operands.first().copied();
                self.step(Step::Bring(round, Brought { operation, root, sent }))?;
                let Event::All(all) = self.step(Step::Brought(round))? else {
                    return Err(Fault::unsupported("an operation of all ranks"));
                };
                if all.iter().any(|one| (one.operation, one.root) != (operation, root)) {
                    return Err(Fault::unsupported(format!("ranks are in different operations: {all:?}")));
                }
                let Some(received) = received else { return Ok(()) };
                let values = self.together(operation, root, &all, received)?;
                self.arrive(Some(received), values)
            }
        }
    }

    /// A step, or what came of it before.
    fn step(&mut self, step: Step<N>) -> Result<Event<N>, Fault> {
        self.burn()?;
        let (rank, at) = (self.rank.rank, self.rank.at);
        self.rank.at += 1;
        let mut world = self.world.borrow_mut();
        if let Some(event) = world.events[rank].get(at) {
            return Ok(event.clone());
        }
        match world.step(rank, step) {
            Some(event) => {
                world.events[rank].push(event.clone());
                Ok(event)
            }
            None => Err(Fault::new(FaultKind::Waits, format!("rank {rank} waits for another one"))),
        }
    }

    fn begin(&mut self, step: Step<N>) -> Result<usize, Fault> {
        match self.step(step)? {
            Event::Number(number) => Ok(number),
            _ => Err(Fault::unsupported("a message without a number")),
        }
    }

    fn take(&mut self, line: Line, number: usize, to: Option<BufferId>) -> Result<(), Fault> {
        match self.step(Step::Received(line, number))? {
            Event::Values(values) => self.arrive(to, values),
            _ => Err(Fault::unsupported("a message without values")),
        }
    }

    fn line(&self, side: Side, peer: i128, tag: i128, number: Option<i128>) -> Result<Line, Fault> {
        let size = self.world.borrow().size;
        let own = self.rank.rank;
        let peer = usize::try_from(peer).ok().filter(|&peer| peer < size);
        let Some(peer) = peer else { return Err(Fault::new(FaultKind::OutOfRange, "there is no such rank")) };
        Ok(match side {
            Side::Sent => (own, peer, tag, number),
            Side::Received => (peer, own, tag, number),
        })
    }

    /// Writes what arrived.
    fn arrive(&mut self, to: Option<BufferId>, values: Vec<Value<N>>) -> Result<(), Fault> {
        let Some(to) = to else { return Ok(()) };
        let dims = self.array(to)?.dims.clone();
        if dims.iter().product::<usize>() != values.len() {
            let name = &self.program[to].name;
            return Err(Fault::unsupported(format!(
                "{} numbers arrive in `{name}` of {dims:?}",
                values.len()
            )));
        }
        for (at, value) in values.into_iter().enumerate() {
            let mut index = vec![Expr::usize(0); dims.len()];
            let mut rest = at;
            for (slot, &extent) in index.iter_mut().zip(&dims).rev() {
                *slot = Expr::usize(rest % extent);
                rest /= extent;
            }
            let place = Place::new(to, index);
            let position = self.locate_to_write(&place)?;
            self.write(&place, position, value)?;
        }
        Ok(())
    }

    /// What this rank gets from an operation of all.
    fn together(
        &self,
        operation: Operation,
        root: Option<i128>,
        all: &[Brought<N>],
        received: BufferId,
    ) -> Result<Vec<Value<N>>, Fault> {
        let (rank, elem) = (self.rank.rank, self.program[received].elem);
        let len: usize = self.array(received)?.dims.iter().product();
        let is_root = root == Some(rank as i128);
        let of_root = || {
            let of = root.and_then(|root| usize::try_from(root).ok()).and_then(|root| all.get(root));
            of.map(|of| of.sent.clone())
                .ok_or_else(|| Fault::new(FaultKind::OutOfRange, "there is no such rank"))
        };
        let joined = || all.iter().flat_map(|one| one.sent.iter().copied()).collect::<Vec<_>>();
        let part = |whole: Vec<Value<N>>| whole.into_iter().skip(rank * len).take(len).collect();
        let zeros =
            || vec![if elem.is_float() { Value::Float(N::constant(0.0)) } else { Value::Int(0) }; len];
        Ok(match operation {
            Operation::AllReduce(op) => reduced(op, all, elem)?,
            Operation::Reduce(op) if is_root => reduced(op, all, elem)?,
            Operation::Gather if is_root => joined(),
            Operation::Reduce(_) | Operation::Gather => zeros(),
            Operation::Broadcast => of_root()?,
            Operation::Scatter => part(of_root()?),
            Operation::AllGather => joined(),
            Operation::ReduceScatter => part(reduced(ReduceOp::Add, all, elem)?),
            Operation::AllToAll => {
                let each = len / all.len().max(1);
                all.iter().flat_map(|one| one.sent.iter().copied().skip(rank * each).take(each)).collect()
            }
            Operation::Scan(scan, sweep) => {
                let others = match sweep {
                    Sweep::Forward => 0..rank + usize::from(scan == Scan::Inclusive),
                    Sweep::Reverse => rank + usize::from(scan == Scan::Exclusive)..all.len(),
                };
                if others.is_empty() { zeros() } else { reduced(ReduceOp::Add, &all[others], elem)? }
            }
            Operation::Owners(op) => owners(op, all)?,
            _ => return Err(Fault::unsupported("an operation between ranks")),
        })
    }
}

/// The numbers of all ranks reduced one by one, in the order of ranks.
fn reduced<N: Number>(op: ReduceOp, all: &[Brought<N>], elem: Ty) -> Result<Vec<Value<N>>, Fault> {
    let mut ranks = all.iter().map(|one| one.sent.clone());
    let mut total = ranks.next().unwrap_or_default();
    for own in ranks {
        if own.len() != total.len() {
            return Err(Fault::unsupported("ranks bring arrays of different lengths"));
        }
        for (sum, value) in total.iter_mut().zip(own) {
            *sum = combined(op, *sum, value, elem)?;
        }
    }
    Ok(total)
}

fn combined<N: Number>(op: ReduceOp, a: Value<N>, b: Value<N>, elem: Ty) -> Result<Value<N>, Fault> {
    let cannot = || Fault::unsupported("numbers that are not reduced");
    match (op, a, b) {
        (ReduceOp::Add, Value::Float(a), Value::Float(b)) => {
            let float = if elem == Ty::F32 { Float::F32 } else { Float::F64 };
            N::arithmetic(BinOp::Add, a, b, float).map(Value::Float).ok_or_else(cannot)
        }
        (ReduceOp::Add, Value::Int(a), Value::Int(b)) => Ok(Value::Int(a + b)),
        (ReduceOp::Min | ReduceOp::Max, a, b) => match (a.real(), b.real()) {
            (Some(x), Some(y)) => Ok(if is_better(op, y, x) { b } else { a }),
            _ => Err(cannot()),
        },
        _ => Err(cannot()),
    }
}

fn is_better(op: ReduceOp, new: f64, old: f64) -> bool {
    if op == ReduceOp::Min { new < old } else { new > old }
}

/// For each number the first rank that has the least or the greatest.
fn owners<N: Number>(op: ReduceOp, all: &[Brought<N>]) -> Result<Vec<Value<N>>, Fault> {
    let len = all.first().map_or(0, |first| first.sent.len());
    let owner = |at: usize| {
        let mut best: Option<(usize, f64)> = None;
        for (rank, one) in all.iter().enumerate() {
            let value = one.sent.get(at).and_then(|value| value.real());
            let value = value.ok_or_else(|| Fault::unsupported("numbers without an order"))?;
            if best.is_none_or(|(_, best)| is_better(op, value, best)) {
                best = Some((rank, value));
            }
        }
        Ok(Value::Int(best.map_or(0, |(rank, _)| rank as i128)))
    };
    (0..len).map(owner).collect()
}
