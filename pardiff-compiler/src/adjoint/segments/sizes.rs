//! How many segments each level has, and how many steps a segment.
//!
//! With `c` segments at each of `l` levels, each of which runs the steps once more, `s` steps take
//!
//! ```text
//! l * c * state + s / c^l * step
//! ```
//!
//! bytes, `state` for what a segment begins with and `step` for what a step puts on tapes. That is least where
//! `c^(l + 1) = s * step / state`.

use crate::ir::{
    Block, BufferId, Checkpoint, Count, Expr, ExprKind, Float, Func, Lengths, Origin, Program, Role, Stmt,
    StmtKind, Ty, While,
};
use crate::schedule::cost::{saturating_add, saturating_mul};

/// What the lengths of segments are made of.
pub(super) struct Sizes {
    asked: Checkpoint,
    /// The steps of the loop.
    steps: Expr,
    /// Whether a step is reversed by itself: the innermost level has segments of one step.
    by_step: bool,
    /// How many segments a level has that says nothing else.
    parts: Option<BufferId>,
    /// How many levels have them, where that is not known before: the others have one.
    levels: Option<BufferId>,
    /// The steps of the loop if all of its tapes are kept, and zero if they are not, where that is asked for.
    pub(super) taped: Option<BufferId>,
}

/// The scalars of one level.
pub(super) struct Level {
    /// The steps of a segment but the last.
    pub(super) segment: BufferId,
    pub(super) segments: BufferId,
}

impl Level {
    pub(super) fn new(program: &mut Program, depth: usize) -> Level {
        let of_level = if depth == 0 { String::new() } else { format!("_{}", depth + 1) };
        let [segment, segments] = ["segment", "segments"]
            .map(|name| program.add_scalar(&format!("{name}{of_level}"), Ty::USIZE, Role::Local));
        Level { segment, segments }
    }
}

/// What steps and states take, as scalars, and the bytes of tapes that stay whole.
struct Bytes {
    step: Expr,
    state: Expr,
    whole: Expr,
}

impl Sizes {
    pub(super) fn new(program: &mut Program, asked: Checkpoint, by_step: bool, steps: Expr) -> Sizes {
        let by_memory = matches!(asked.lengths, Lengths::Memory(_));
        let by_parts = by_memory || asked.lengths == Lengths::Least || asked.levels() > 1;
        let mut scalar = |is: bool, name: &str| is.then(|| program.add_scalar(name, Ty::USIZE, Role::Local));
        let (parts, levels) = (scalar(by_parts, "parts"), scalar(by_memory, "levels"));
        Sizes { asked, steps, by_step, parts, levels, taped: scalar(by_memory, "taped") }
    }

    /// How many levels there are.
    pub(super) fn depth(&self) -> usize {
        match (self.by_step, self.asked) {
            (false, asked) => asked.levels(),
            (true, asked) if asked == Checkpoint::every(1) => 1,
            (true, asked) => asked.levels() + 1,
        }
    }

    /// The scalars that live around all levels.
    pub(super) fn scalars(&self) -> Vec<BufferId> {
        [self.parts, self.levels, self.taped].into_iter().flatten().collect()
    }

    /// Statements that set them, where the outermost segments are so long if that is not asked for; `whole`: what is
    /// kept in every case.
    pub(super) fn assigned(
        &self,
        program: &mut Program,
        outermost: Option<Expr>,
        (tapes, carried, whole): (&[BufferId], &[BufferId], &[BufferId]),
        origin: Origin,
    ) -> Block {
        let Some(parts) = self.parts else { return Block::new() };
        let sum = |all: &[BufferId], without: usize| {
            let each = all.iter().map(|&of| bytes(program, of, without));
            each.fold(Expr::usize(0), saturating_add)
        };
        let of_state = sum(carried, 0);
        // what a step begins with is what is kept of it
        let of_step = if self.by_step { of_state.clone() } else { sum(tapes, 1) };
        let whole = sum(whole, 0);
        let [step, state] =
            ["step_bytes", "state_bytes"].map(|name| program.add_scalar(name, Ty::USIZE, Role::Local));
        let mut body = vec![Stmt::set(step, of_step, origin), Stmt::set(state, of_state, origin)];
        let bytes = Bytes { step: program.load_scalar(step), state: program.load_scalar(state), whole };
        let mut build = Choice { program: &mut *program, sizes: self, parts, bytes: &bytes, origin };
        match self.asked.lengths {
            Lengths::Least if outermost.is_none() => {
                body.extend(build.parts(self.asked.levels(), &self.steps));
            }
            Lengths::Memory(most) => body.extend(build.within(most)),
            _ => {
                let length = outermost.unwrap_or_else(|| self.outermost(program));
                let segment = least(length, self.steps.clone());
                let mut build = Choice { program, sizes: self, parts, bytes: &bytes, origin };
                body.extend(build.parts(self.asked.levels() - 1, &segment));
            }
        }
        vec![Stmt::scope(vec![step, state], body, origin)]
    }

    /// How many steps a segment of the outermost level has.
    fn outermost(&self, program: &Program) -> Expr {
        match (self.asked.lengths, self.parts) {
            (Lengths::Every(steps), _) => number(steps),
            (Lengths::States(states), _) => div_ceil(self.steps.clone(), number(states)),
            (Lengths::Least | Lengths::Memory(_), Some(parts)) => {
                div_ceil(self.in_segments(program), program.load_scalar(parts))
            }
            (Lengths::Binomial(_), _) | (Lengths::Least | Lengths::Memory(_), None) => self.steps.clone(),
        }
    }

    /// The steps that run in segments.
    pub(super) fn in_segments(&self, program: &Program) -> Expr {
        match self.taped {
            Some(taped) => self.steps.clone() - program.load_scalar(taped),
            None => self.steps.clone(),
        }
    }

    /// Statements that set the lengths of a level, of so many steps.
    pub(super) fn of_level(
        &self,
        program: &Program,
        level: &Level,
        steps: &Expr,
        depth: usize,
        origin: Origin,
    ) -> Block {
        let segment = match (depth, self.parts) {
            _ if self.by_step && depth + 1 == self.depth() => Expr::usize(1),
            (0, _) => self.outermost(program),
            (_, None) => steps.clone(),
            (_, Some(parts)) => {
                let parts = program.load_scalar(parts);
                let parts = match self.levels {
                    Some(levels) => {
                        let is_used = Expr::usize(depth).below(program.load_scalar(levels));
                        Expr::select(is_used, parts, Expr::usize(1))
                    }
                    None => parts,
                };
                div_ceil(steps.clone(), parts)
            }
        };
        let count = div_ceil(steps.clone(), program.load_scalar(level.segment));
        let is_step = segment.as_usize() == Some(1);
        let segment = if is_step { segment } else { most(segment, 1) };
        vec![Stmt::set(level.segment, segment, origin), Stmt::set(level.segments, count, origin)]
    }

    /// How many slots a tape of the innermost level has.
    pub(super) fn slots(&self, program: &Program, level: &Level) -> Expr {
        least(program.load_scalar(level.segment), self.steps.clone())
    }
}

/// Chooses the number of segments.
struct Choice<'a> {
    program: &'a mut Program,
    sizes: &'a Sizes,
    parts: BufferId,
    bytes: &'a Bytes,
    origin: Origin,
}

impl Choice<'_> {
    fn set(&self, scalar: BufferId, value: Expr) -> Stmt {
        Stmt::set(scalar, value, self.origin)
    }

    /// The number of segments with which so many levels take the least memory.
    fn parts(&mut self, levels: usize, steps: &Expr) -> Block {
        let state = most(self.bytes.state.clone(), 1);
        let all = saturating_mul(steps.clone(), self.bytes.step.clone());
        if levels == 1 {
            let root = Expr::call(Ty::USIZE, Func::Isqrt, vec![all / state]);
            return vec![self.set(self.parts, most(least(root, steps.clone()), 1))];
        }
        let parts = self.program.load_scalar(self.parts);
        let is_less = saturating_mul(power(&parts, levels + 1), state).below(all);
        let counter = self.program.add_iter("part", Ty::USIZE);
        let body = vec![self.set(self.parts, parts.clone() + Expr::usize(1))];
        let cond = parts.below(steps.clone()) & is_less;
        let search = While { counter, head: Block::new(), cond, body, checkpoint: None };
        vec![self.set(self.parts, Expr::usize(1)), Stmt::new(StmtKind::While(search), self.origin)]
    }

    /// All on tapes where that takes no more than so many bytes, and else the fewest levels that do.
    fn within(&mut self, most: Count) -> Block {
        let (Some(levels), Some(taped)) = (self.sizes.levels, self.sizes.taped) else { return Block::new() };
        let steps = self.sizes.steps.clone();
        let whole = saturating_mul(steps.clone(), self.bytes.step.clone());
        let fits = saturating_add(self.bytes.whole.clone(), whole).at_most(number(most));
        let mut all = vec![self.set(taped, Expr::select(fits, steps.clone(), Expr::usize(0)))];
        let deepest = self.sizes.asked.levels();
        let mut inside = Block::new();
        for level in (1..=deepest).rev() {
            let mut choice = vec![self.set(levels, Expr::usize(level))];
            choice.extend(self.parts(level, &steps));
            if level < deepest {
                let exceeds = number(most).below(self.need(level, deepest));
                choice.push(Stmt::when(exceeds, inside, self.origin));
            }
            inside = choice;
        }
        all.extend(inside);
        all
    }

    /// The bytes of so many levels: states, one more a level to run again from, and the tapes of a segment. Levels
    /// that have one segment keep a state as well.
    fn need(&self, levels: usize, deepest: usize) -> Expr {
        let parts = self.program.load_scalar(self.parts);
        let kept = saturating_mul(Expr::usize(levels), parts.clone());
        let states = saturating_add(kept, Expr::usize(deepest - levels + deepest));
        let segment = div_ceil(self.sizes.steps.clone(), power(&parts, levels));
        let tapes = saturating_mul(segment, self.bytes.step.clone());
        let states = saturating_mul(states, self.bytes.state.clone());
        saturating_add(saturating_add(states, tapes), self.bytes.whole.clone())
    }
}

fn power(of: &Expr, exponent: usize) -> Expr {
    (1..exponent).fold(of.clone(), |power, _| saturating_mul(power, of.clone()))
}

pub(super) fn most(size: Expr, at_least: usize) -> Expr {
    Expr::call(Ty::USIZE, Func::IntMax, vec![size, Expr::usize(at_least)])
}

pub(super) fn least(a: Expr, b: Expr) -> Expr {
    Expr::call(Ty::USIZE, Func::IntMin, vec![a, b])
}

pub(super) fn div_ceil(a: Expr, b: Expr) -> Expr {
    Expr::call(Ty::USIZE, Func::DivCeil, vec![a, b])
}

/// A number of a mark, as far as a `usize` goes; at least one.
pub(super) fn number(count: Count) -> Expr {
    const UNIT: u64 = 1 << 20;
    let number = match count {
        Count::Number(number) => number,
        Count::Constant(id) => return most(Expr { ty: Ty::USIZE, kind: ExprKind::Opaque(id) }, 1),
    };
    match usize::try_from(number).ok().filter(|_| number <= u64::from(u32::MAX)) {
        Some(number) => Expr::usize(number),
        None => {
            let [units, unit, rest] =
                [number / UNIT, UNIT, number % UNIT].map(|number| Expr::int(Ty::USIZE, number.into()));
            let units = Expr::call(Ty::USIZE, Func::SaturatingMul, vec![units, unit]);
            Expr::call(Ty::USIZE, Func::SaturatingAdd, vec![units, rest])
        }
    }
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
