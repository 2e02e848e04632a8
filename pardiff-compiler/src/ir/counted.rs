//! What the bounds of a counted loop say.

use super::{Block, BufferSet, Exec, Expr, ExprKind, For, IterId, Marks, Order, Program, Ty};
use crate::ir::{Origin, Stmt, StmtKind};

impl For {
    /// `for iter in 0..hi`, undecided and unmarked.
    pub fn counted(iter: IterId, hi: Expr, body: Block) -> For {
        For {
            iter,
            lo: Expr::usize(0),
            hi,
            inclusive: false,
            step: Expr::usize(1),
            order: Order::Up,
            exec: Exec::Undecided,
            marks: Marks::default(),
            body,
        }
    }

    /// The same loop around another body; its own is not copied.
    pub fn around(&self, body: Block) -> For {
        For {
            iter: self.iter,
            lo: self.lo.clone(),
            hi: self.hi.clone(),
            inclusive: self.inclusive,
            step: self.step.clone(),
            order: self.order,
            exec: self.exec,
            marks: self.marks,
            body,
        }
    }

    /// The loop directly inside, if it is all that the body has.
    pub fn inner(&self) -> Option<&For> {
        match &self.body[..] {
            [only] => only.as_for(),
            _ => None,
        }
    }

    /// The loop as a statement.
    pub fn stmt(self, origin: Origin) -> Stmt {
        Stmt::new(StmtKind::For(self), origin)
    }

    /// The first value, the bound and the step.
    pub fn bounds(&self) -> [&Expr; 3] {
        [&self.lo, &self.hi, &self.step]
    }

    /// Whether it is over `lo..hi`, by one.
    pub fn is_by_one(&self) -> bool {
        !self.inclusive && self.step.kind == ExprKind::Int(1)
    }

    /// Whether it is over `lo..hi` of `usize`, by one.
    pub fn is_plain(&self) -> bool {
        self.is_by_one() && self.lo.ty == Ty::USIZE
    }

    /// Whether it is over `0..hi` of `usize`, by one.
    pub fn is_from_zero(&self) -> bool {
        self.is_plain() && self.lo.kind == ExprKind::Int(0)
    }

    /// Whether its first value or its bound reads a buffer of the set.
    pub fn bounds_read(&self, program: &Program, set: &BufferSet) -> bool {
        self.lo.reads_any(program, set) || self.hi.reads_any(program, set)
    }

    /// Whether it is over the lanes of blocks.
    pub fn is_in_lanes(&self) -> bool {
        matches!(self.exec, Exec::Lanes { .. })
    }

    /// Whether nobody has given it to tasks or lanes.
    pub fn is_in_order(&self) -> bool {
        matches!(self.exec, Exec::Sequential | Exec::Undecided)
    }

    /// How often it runs, if its bounds are numbers.
    pub fn constant_trip(&self) -> Option<usize> {
        let (lo, hi, step) = (self.lo.as_usize()?, self.hi.as_usize()?, self.step.as_usize()?);
        let hi = hi.checked_add(usize::from(self.inclusive))?;
        (step > 0).then(|| hi.saturating_sub(lo).div_ceil(step))
    }
}

impl Expr {
    /// The number that it is, if it is one.
    pub fn as_int(&self) -> Option<i128> {
        match self.kind {
            ExprKind::Int(value) => Some(value),
            _ => None,
        }
    }

    /// The same where it is a `usize` at least in value.
    pub fn as_usize(&self) -> Option<usize> {
        self.as_int().and_then(|value| usize::try_from(value).ok())
    }
}
