//! Ends of loops in tasks, which are asked for before the loops run where a difference may have wrapped to them.
//!
//! ```text
//! for i in 0..m parallel                  for i in 0..m parallel
//!   for j in 1..n - 1                       check n - 1 < !0 / 2 "the end of a loop is below zero"
//!     check j < len(x)              =>      for j in 1..n - 1
//!     while …                                 …
//!     y[i * n + j] += …
//! ```
//!
//! For `n = 0` the loop runs up to the largest `usize`, and never comes to its end: a check in it fails (see
//! `Analysis::bound_by_checks`). What is said of its iterations is said of runs that end. In order that is enough; tasks
//! would have written the elements of others before any check has failed. A check that stands in front of the loop fails
//! first, so loops that have none in their bodies need nothing.
//!
//! *Legality.* The check stands where the bound is evaluated, and fails where `n - 1` overflows, which is a panic wherever Rust
//! looks for it, or where a loop would run more than `isize::MAX` times.

use crate::ir::{
    BinOp, Block, BufferSet, Exec, Expr, ExprKind, For, Func, Message, Origin, Program, Stmt, StmtKind, Ty,
    is_length,
};

/// Why a check has failed.
const BELOW: &str = "the end of a loop is below zero";

/// The scalars that a difference may have wrapped to.
pub(crate) struct Differences(BufferSet);

impl Differences {
    /// Of the statements of a program.
    pub(crate) fn of(body: &[Stmt]) -> Differences {
        let mut found = Differences(BufferSet::new());
        loop {
            let mut grown = false;
            let mut see = |stmt: &Stmt| {
                if let Some((target, value)) = stmt.as_assign()
                    && target.index.is_empty()
                    && found.may_wrap(value)
                    && !found.0.contains(target.buffer)
                {
                    found.0.insert(target.buffer);
                    grown = true;
                }
            };
            crate::ir::walk(body, &mut see);
            if !grown {
                return found;
            }
        }
    }

    /// Whether a number is a difference that may have wrapped, or is made of one.
    fn may_wrap(&self, value: &Expr) -> bool {
        match &value.kind {
            ExprKind::Binary(BinOp::Sub, ..) | ExprKind::Call(Func::WrappingSub, ..) => value.ty.is_int(),
            ExprKind::Binary(BinOp::Add | BinOp::Mul, a, b) => self.may_wrap(a) || self.may_wrap(b),
            ExprKind::Call(Func::WrappingAdd | Func::WrappingMul, _, args) => {
                args.iter().any(|arg| self.may_wrap(arg))
            }
            ExprKind::Cast(inner) => self.may_wrap(inner),
            ExprKind::Load(place) => place.index.is_empty() && self.0.contains(place.buffer),
            _ => false,
        }
    }

    /// What asks for the end of a loop, in front of it; `None` where it is no difference.
    pub(crate) fn check(&self, of: &For, origin: Origin) -> Option<Stmt> {
        let asked = of.hi.ty == Ty::USIZE && self.may_wrap(&of.hi);
        let check =
            || StmtKind::Check { cond: is_length(of.hi.clone()), message: Message::Text(BELOW.into()) };
        asked.then(|| Stmt::new(check(), origin))
    }
}

/// Asks for the ends of the loops in tasks with checks in their bodies.
pub(super) fn ask(program: &mut Program) {
    let differences = Differences::of(&program.body);
    in_block(&differences, &mut program.body, false);
}

fn in_block(differences: &Differences, block: &mut Block, in_task: bool) {
    let mut at = 0;
    while at < block.len() {
        let origin = block[at].origin;
        let mut inside = in_task;
        if let Some(of) = block[at].as_for() {
            let check = differences.check(of, origin).filter(|_| in_task && has_check(&of.body));
            inside |= matches!(of.exec, Exec::Parallel(_));
            if let Some(check) = check {
                block.insert(at, check);
                at += 1;
            }
        }
        for inner in block[at].blocks_mut() {
            in_block(differences, inner, inside);
        }
        at += 1;
    }
}

fn has_check(block: &Block) -> bool {
    let mut found = false;
    let mut see = |stmt: &Stmt| found |= stmt.as_check().is_some();
    crate::ir::walk(block, &mut see);
    found
}
