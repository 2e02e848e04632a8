//! How many steps a segment has, and how many slots a tape.

use super::Window;
use crate::adjoint::inplace_tapes::{in_slot, plus};
use crate::ir::{
    BinOp, Block, BufferId, Checkpoint, Expr, ExprKind, Float, For, Func, Origin, Place, Program, Role, Stmt,
    Ty,
};
use crate::schedule::cost::{saturating_add, saturating_mul, trip_count};

/// How long segments are.
pub(super) struct Sizes {
    /// The steps of a segment but the last.
    pub(super) segment: BufferId,
    pub(super) segments: BufferId,
    /// The steps of the loop.
    pub(super) steps: Expr,
}

impl Sizes {
    pub(super) fn new(program: &mut Program, each: &For) -> Sizes {
        let [segment, segments] =
            ["segment", "segments"].map(|name| program.add_scalar(name, Ty::USIZE, Role::Local));
        Sizes { segment, segments, steps: trip_count(each) }
    }

    /// Statements that say how long segments are, where the loop is as `asked`.
    pub(super) fn assigned(
        &self,
        program: &mut Program,
        asked: Checkpoint,
        (tapes, carried): (&[Window], &[BufferId]),
        origin: Origin,
    ) -> Block {
        match asked {
            Checkpoint::Every(steps) => {
                self.lengths(program, tapes, Expr::usize(steps as usize), origin).to_vec()
            }
            Checkpoint::Least => self.by_bytes(program, tapes, carried, origin),
        }
    }

    /// Tapes of `k` steps and the states in front of `steps / k`
    /// segments take `k * step + steps / k * state` bytes, which is least for the root of `steps * state / step`.
    fn by_bytes(
        &self,
        program: &mut Program,
        tapes: &[Window],
        carried: &[BufferId],
        origin: Origin,
    ) -> Block {
        let [step, state] =
            ["step_bytes", "state_bytes"].map(|name| program.add_scalar(name, Ty::USIZE, Role::Local));
        let slot = |window: &Window| bytes(program, window.tape, 1);
        let windows = tapes.iter().filter(|window| window.slots > 0);
        let windows = windows.map(|window| saturating_mul(Expr::usize(window.slots), slot(window)));
        let of_state = carried.iter().map(|&of| bytes(program, of, 0)).chain(windows);
        let of_state = of_state.fold(Expr::usize(0), saturating_add);
        let of_step = tapes.iter().map(slot).fold(Expr::usize(0), saturating_add);
        let set = |scalar: BufferId, value: Expr| Stmt::set(scalar, value, origin);
        let mut body = vec![set(step, of_step), set(state, of_state)];
        let buffers = vec![step, state];
        let (step, state) = (program.load_scalar(step), program.load_scalar(state));
        let share = saturating_mul(self.steps.clone(), state) / most(step, 1);
        let root = Expr::call(Ty::USIZE, Func::Isqrt, vec![share]);
        body.extend(self.lengths(program, tapes, root, origin));
        vec![Stmt::scope(buffers, body, origin)]
    }

    fn lengths(&self, program: &Program, tapes: &[Window], steps: Expr, origin: Origin) -> [Stmt; 2] {
        // a window is moved slot by slot, to where it has been read already
        let least = tapes.iter().map(|window| window.slots).fold(1, usize::max);
        let count = call(Func::DivCeil, self.steps.clone(), program.load_scalar(self.segment));
        [
            Stmt::set(self.segment, most(steps, least), origin),
            Stmt::set(self.segments, most(count, 1), origin),
        ]
    }

    /// How many slots a tape has: the windows of all segments, and the steps of one.
    pub(super) fn slots(&self, program: &Program, window: &Window) -> Expr {
        let steps = call(Func::IntMin, program.load_scalar(self.segment), self.steps.clone());
        if window.slots == 0 {
            return steps;
        }
        saturating_add(saturating_mul(program.load_scalar(self.segments), Expr::usize(window.slots)), steps)
    }

    /// Where the slots are after the last step that followed a number of steps in one tape.
    pub(super) fn after_all(
        &self,
        program: &Program,
        tapes: &[Window],
        up: &For,
        place: &Place,
    ) -> Option<Place> {
        let window = tapes.iter().find(|window| window.tape == place.buffer)?;
        let (slot, rest) = place.index.split_first()?;
        let behind = match &slot.kind {
            _ if *slot == up.hi => 0,
            ExprKind::Binary(BinOp::Add, _, by) => match by.kind {
                ExprKind::Int(by) => usize::try_from(by).ok()?,
                _ => return None,
            },
            _ => return None,
        };
        let last = program.load_scalar(self.segments) - Expr::usize(1);
        let start = last.clone() * program.load_scalar(self.segment);
        let base = last * Expr::usize(window.slots);
        Some(in_slot(window.tape, plus(&(base + (self.steps.clone() - start)), behind), rest))
    }
}

fn most(size: Expr, least: usize) -> Expr {
    call(Func::IntMax, size, Expr::usize(least))
}

pub(super) fn call(func: Func, a: Expr, b: Expr) -> Expr {
    Expr::call(Ty::USIZE, func, vec![a, b])
}

/// The bytes of an array without its first dimensions.
fn bytes(program: &Program, buffer: BufferId, without: usize) -> Expr {
    let of = &program[buffer];
    let elem = match of.elem {
        Ty::Int(int) => int.bits() as usize / 8,
        Ty::Float(Float::F32) => 4,
        Ty::Float(Float::F64) => 8,
        Ty::Bool => 1,
    };
    of.dims[without..].iter().cloned().fold(Expr::usize(elem), saturating_mul)
}
