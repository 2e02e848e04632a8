//! Runs the integers of a program as Rust does without overflow checks and records every access.

use crate::ir::*;
use crate::poly::{AccessId, AccessKind, Analysis};
use std::collections::HashMap;

/// One executed access.
#[derive(Clone, Debug)]
pub(super) struct Event {
    pub(super) access: AccessId,
    /// The values of the iterators around it.
    pub(super) at: Vec<(IterId, i128)>,
    /// The element; of a whole buffer none.
    pub(super) element: Option<Vec<i128>>,
    /// Which instance of the buffer's scope.
    pub(super) lifetime: u32,
}

pub(super) struct Tracer<'a, 'p> {
    analysis: &'a Analysis<'p>,
    values: HashMap<(BufferId, Vec<i128>), i128>,
    extents: HashMap<(BufferId, usize), i128>,
    at: Vec<(IterId, i128)>,
    lifetimes: HashMap<BufferId, u32>,
    events: Vec<Event>,
    steps: u32,
    endless: bool,
    stopped: bool,
}

/// A run ends after so many iterations: what it did until then, it did.
const STEPS: u32 = 120;

fn wrap(ty: Ty, value: i128) -> i128 {
    let Ty::Int(int) = ty else { return value };
    if int.bits() == 128 {
        return value;
    }
    let size = 1i128 << int.bits();
    let low = value.rem_euclid(size);
    if int.is_signed() && low >= size / 2 { low - size } else { low }
}

impl<'a, 'p> Tracer<'a, 'p> {
    pub(super) fn new(analysis: &'a Analysis<'p>) -> Tracer<'a, 'p> {
        Tracer {
            analysis,
            values: HashMap::new(),
            extents: HashMap::new(),
            at: Vec::new(),
            lifetimes: HashMap::new(),
            events: Vec::new(),
            steps: 0,
            endless: false,
            stopped: false,
        }
    }

    pub(super) fn set(&mut self, buffer: BufferId, index: &[i128], value: i128) {
        self.values.insert((buffer, index.to_vec()), value);
    }

    pub(super) fn set_extent(&mut self, buffer: BufferId, value: i128) {
        self.extents.insert((buffer, 0), value);
    }

    /// What is executed, and whether that is all: no check failed and nothing ran too long. Nothing if the run is
    /// known not to come to its end: it enters a loop that is too long to end and is stopped.
    pub(super) fn run(mut self) -> (Vec<Event>, bool) {
        self.block(&self.analysis.program.body);
        if self.stopped && self.endless {
            self.events.clear();
        }
        (self.events, !self.stopped)
    }

    fn record(&mut self, id: AccessId, element: Option<Vec<i128>>) {
        let buffer = self.analysis.access(id).buffer;
        let lifetime = self.lifetimes.get(&buffer).copied().unwrap_or(0);
        let around = self.analysis.loops_around(id);
        let at = self.at.iter().copied().filter(|(iter, _)| around.contains(iter)).collect();
        self.events.push(Event { access: id, at, element, lifetime });
    }

    fn place(&mut self, place: &Place) -> Vec<i128> {
        let element: Vec<i128> = place.index.iter().map(|index| self.eval(index)).collect();
        let id = self.analysis.at(place).expect("a node of the program");
        self.record(id, Some(element.clone()));
        element
    }

    fn eval(&mut self, expr: &Expr) -> i128 {
        let value = match &expr.kind {
            ExprKind::Int(number) => *number,
            ExprKind::Bool(value) => i128::from(*value),
            ExprKind::Float(_) | ExprKind::Opaque(_) | ExprKind::Apply(..) => 0,
            ExprKind::Iter(iter) => self.at.iter().find(|(at, _)| at == iter).map_or(0, |&(_, value)| value),
            ExprKind::Extent(buffer, dim) => self.extents.get(&(*buffer, *dim)).copied().unwrap_or(0),
            ExprKind::Load(place) => {
                let element = self.place(place);
                self.values.get(&(place.buffer, element)).copied().unwrap_or(0)
            }
            ExprKind::Unary(UnOp::Neg, operand) => -self.eval(operand),
            ExprKind::Unary(UnOp::Not, operand) if operand.ty == Ty::Bool => 1 - self.eval(operand),
            ExprKind::Unary(UnOp::Not, operand) => -self.eval(operand) - 1,
            ExprKind::Cast(operand) => self.eval(operand),
            ExprKind::Binary(op, lhs, rhs) => {
                let (a, b) = (self.eval(lhs), self.eval(rhs));
                if lhs.ty.is_float() {
                    return 0;
                }
                match op {
                    BinOp::Add => a + b,
                    BinOp::Sub => a - b,
                    BinOp::Mul => wrap(expr.ty, a) * wrap(expr.ty, b),
                    BinOp::Div if b != 0 => a / b,
                    BinOp::Rem if b != 0 => a % b,
                    BinOp::Div | BinOp::Rem => {
                        self.stopped = true;
                        0
                    }
                    BinOp::BitAnd => a & b,
                    BinOp::BitOr => a | b,
                    BinOp::BitXor => a ^ b,
                    BinOp::Shl => a << b,
                    BinOp::Shr => a >> b,
                    BinOp::Eq => i128::from(a == b),
                    BinOp::Ne => i128::from(a != b),
                    BinOp::Lt => i128::from(a < b),
                    BinOp::Le => i128::from(a <= b),
                    BinOp::Gt => i128::from(a > b),
                    BinOp::Ge => i128::from(a >= b),
                }
            }
            ExprKind::Call(func, _, args) => {
                let args: Vec<i128> = args.iter().map(|arg| self.eval(arg)).collect();
                match (func, &args[..]) {
                    (Func::IntMin, [a, b]) => *a.min(b),
                    (Func::IntMax, [a, b]) => *a.max(b),
                    (Func::WrappingSub, [a, b]) => a - b,
                    (Func::WrappingAdd, [a, b]) => a + b,
                    (Func::SaturatingSub, [a, b]) => (a - b).max(0),
                    (Func::AbsDiff, [a, b]) => (a - b).abs(),
                    _ => 0,
                }
            }
            ExprKind::Select(parts) => {
                let values: Vec<i128> = parts.iter().map(|part| self.eval(part)).collect();
                if values[0] != 0 { values[1] } else { values[2] }
            }
        };
        wrap(expr.ty, value)
    }

    fn block(&mut self, block: &[Stmt]) {
        for stmt in block {
            if self.stopped {
                return;
            }
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::For(of) => {
                let (lo, hi) = (self.eval(&of.lo), self.eval(&of.hi));
                let step = self.eval(&of.step);
                let hi = if of.inclusive { hi + 1 } else { hi };
                let trips = if hi > lo { (hi - lo + step - 1) / step } else { 0 };
                self.endless |= trips >= 1 << 63;
                for trip in 0..trips {
                    let trip = if of.order == Order::Down { trips - 1 - trip } else { trip };
                    self.at.push((of.iter, lo + step * trip));
                    self.block(&of.body);
                    self.at.pop();
                    self.steps += 1;
                    self.stopped |= self.steps > STEPS;
                    if self.stopped {
                        break;
                    }
                }
            }
            StmtKind::If { cond, then, els } | StmtKind::Guarded { fact: cond, then, els } => {
                let block = if self.eval(cond) != 0 { then } else { els };
                self.block(block);
            }
            StmtKind::Assign { target, value } => {
                let value = self.eval(value);
                let element = self.write(target);
                self.values.insert((target.buffer, element), value);
            }
            StmtKind::Reduce { target, value, .. } => {
                self.eval(value);
                self.write(target);
            }
            StmtKind::Check { cond, message } => {
                self.stopped |= self.eval(cond) == 0;
                if !self.stopped {
                    message.operands().into_iter().for_each(|operand| {
                        self.eval(operand);
                    });
                }
            }
            StmtKind::Scope { buffers, body } => {
                for &buffer in buffers {
                    let dims = self.analysis.program[buffer].dims.clone();
                    for (dim, extent) in dims.iter().enumerate() {
                        let extent = if let ExprKind::Int(number) = extent.kind { number } else { 0 };
                        self.extents.insert((buffer, dim), extent);
                    }
                    *self.lifetimes.entry(buffer).or_insert(0) += 1;
                }
                self.block(body);
            }
            StmtKind::Swap { a, b } => {
                for kind in [AccessKind::Read, AccessKind::Write] {
                    self.whole(stmt, *a, kind);
                    self.whole(stmt, *b, kind);
                }
            }
            StmtKind::While(_) | StmtKind::Fork { .. } | StmtKind::Call { .. } => {
                unreachable!("not generated")
            }
        }
    }

    /// The index of a target is evaluated before the value, but the write comes last.
    fn write(&mut self, target: &Place) -> Vec<i128> {
        let element: Vec<i128> = target.index.iter().map(|index| self.eval(index)).collect();
        let id = self.analysis.at(target).expect("a node of the program");
        self.record(id, Some(element.clone()));
        element
    }

    fn whole(&mut self, stmt: &Stmt, buffer: BufferId, kind: AccessKind) {
        let this = self.analysis.stmt(stmt);
        let of = self.analysis.of(buffer).iter().copied();
        let found = of.filter(|&id| {
            let access = self.analysis.access(id);
            access.place.is_none() && access.kind == kind && Some(access.stmt) == this
        });
        for id in found.collect::<Vec<_>>() {
            self.record(id, None);
        }
    }
}
