//! Random loop nests with random accesses, in machine arithmetic that does wrap.

use super::build::*;
use super::enumeration::Facts;
use super::trace::Tracer;
use crate::ir::*;
use crate::poly::{Analysis, Answer};

/// A linear congruential generator: the same programs on every machine.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }

    pub(super) fn range(&mut self, low: i128, high: i128) -> i128 {
        low + i128::from(self.below((high - low + 1) as u64))
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

const U8: Ty = Ty::Int(Int::U8);
const I32: Ty = Ty::Int(Int::I32);

struct Generator {
    b: Builder,
    random: Random,
    /// Iterators in scope.
    iters: Vec<(IterId, Ty)>,
    size: BufferId,
    width: BufferId,
    narrow: BufferId,
    y: BufferId,
    other: BufferId,
    grid: BufferId,
    index: BufferId,
    local: BufferId,
}

impl Generator {
    fn new(seed: u64) -> Generator {
        let mut b = Builder::new();
        let size = b.scalar("n", Ty::USIZE, Role::Input);
        let width = b.scalar("m", Ty::USIZE, Role::Input);
        let narrow = b.scalar("k", U8, Role::Input);
        let y = b.slice("y", Ty::F64, Role::InOut);
        let grid = b.slice("grid", Ty::F64, Role::InOut);
        let index = b.slice("index", Ty::USIZE, Role::Input);
        let other = b.slice("other", Ty::F64, Role::InOut);
        let local = b.buffer("local", Ty::F64, vec![n(8)], Role::Local);
        Generator {
            b,
            random: Random(seed),
            iters: Vec::new(),
            size,
            width,
            narrow,
            y,
            other,
            grid,
            index,
            local,
        }
    }

    fn leaf(&mut self, ty: Ty) -> Expr {
        let fitting: Vec<IterId> =
            self.iters.iter().filter(|(_, of)| *of == ty).map(|(iter, _)| *iter).collect();
        if !fitting.is_empty() && self.random.chance(70) {
            let iter = fitting[self.random.below(fitting.len() as u64) as usize];
            return Expr::iter(iter, ty);
        }
        match ty {
            U8 if self.random.chance(30) => self.b.get(self.narrow),
            U8 => Expr::int(U8, if self.random.chance(30) { 250 } else { self.random.range(0, 4) }),
            Ty::USIZE if self.random.chance(30) => {
                let scalar = if self.random.chance(50) { self.size } else { self.width };
                self.b.get(scalar)
            }
            _ => Expr::int(ty, self.random.range(0, 3)),
        }
    }

    /// A random integer expression, mostly affine.
    fn expr(&mut self, ty: Ty, depth: u32) -> Expr {
        if depth == 0 || self.random.chance(30) {
            return self.leaf(ty);
        }
        match self.random.below(12) {
            0..=3 => self.expr(ty, depth - 1) + self.expr(ty, depth - 1),
            4..=5 => self.expr(ty, depth - 1) - self.expr(ty, depth - 1),
            6 => self.expr(ty, depth - 1) * Expr::int(ty, self.random.range(0, 3)),
            7 => {
                let from = [U8, I32, Ty::USIZE][self.random.below(3) as usize];
                self.expr(from, depth - 1).cast(ty)
            }
            8 => {
                let op = if self.random.chance(50) { BinOp::Div } else { BinOp::Rem };
                Expr::binary(op, self.expr(ty, depth - 1), Expr::int(ty, self.random.range(1, 3)))
            }
            9 => {
                let func = [Func::IntMin, Func::IntMax, Func::WrappingSub, Func::AbsDiff]
                    [self.random.below(4) as usize];
                let func = if func == Func::AbsDiff && ty == I32 { Func::IntMin } else { func };
                Expr::call(ty, func, vec![self.expr(ty, depth - 1), self.expr(ty, depth - 1)])
            }
            10 if ty == Ty::USIZE => {
                let at = self.expr(ty, depth - 1);
                self.b.at(self.index, vec![at])
            }
            _ => self.leaf(ty),
        }
    }

    fn place(&mut self) -> Place {
        match self.random.below(5) {
            0 => {
                let index = self.expr(Ty::USIZE, 1);
                Place::new(self.local, vec![index])
            }
            1 => {
                let (row, column) = (self.expr(Ty::USIZE, 1), self.expr(Ty::USIZE, 1));
                Place::new(self.grid, vec![row * self.b.get(self.width) + column])
            }
            _ => {
                let index = self.expr(Ty::USIZE, 2);
                Place::new(self.y, vec![index])
            }
        }
    }

    fn statement(&mut self, block: &mut Block) {
        let target = self.place();
        let read = self.place();
        for place in [&read, &target] {
            if self.random.chance(50) {
                let check = self.b.check(place.buffer, place.index[0].clone());
                block.push(check);
            }
        }
        let value = read.load(Ty::F64);
        block.push(if self.random.chance(30) { add_to(target, value) } else { assign(target, value) });
    }

    fn condition(&mut self) -> Expr {
        let op =
            [BinOp::Lt, BinOp::Le, BinOp::Eq, BinOp::Ne, BinOp::Gt, BinOp::Ge][self.random.below(6) as usize];
        let ty = if self.random.chance(70) { Ty::USIZE } else { U8 };
        let first = Expr::binary(op, self.expr(ty, 1), self.expr(ty, 1));
        if self.random.chance(20) {
            let op = if self.random.chance(50) { BinOp::BitAnd } else { BinOp::BitOr };
            let second = Expr::binary(BinOp::Lt, self.expr(ty, 1), self.expr(ty, 1));
            return Expr::binary(op, first, second);
        }
        first
    }

    fn block(&mut self, depth: u32) -> Block {
        let mut block = Vec::new();
        if self.random.chance(8) {
            block.push(stmt(StmtKind::Swap { a: self.y, b: self.other }));
        }
        for _ in 0..1 + self.random.below(2) {
            match self.random.below(if depth == 0 { 3 } else { 8 }) {
                0..=2 => self.statement(&mut block),
                3 => {
                    let cond = self.condition();
                    let (then, els) = (self.block(depth - 1), self.block(depth - 1));
                    block.push(stmt(StmtKind::If { cond, then, els }));
                }
                _ => {
                    let ty = [Ty::USIZE, Ty::USIZE, Ty::USIZE, U8, I32][self.random.below(5) as usize];
                    let lo = if self.random.chance(60) { Expr::int(ty, 0) } else { self.expr(ty, 1) };
                    let hi = if ty == Ty::USIZE && self.random.chance(60) {
                        let scalar = if self.random.chance(50) { self.size } else { self.width };
                        self.b.get(scalar)
                    } else {
                        self.expr(ty, 1)
                    };
                    // keeps the number of iterations small whatever wraps
                    let cap = Expr::call(ty, Func::IntMin, vec![hi, Expr::int(ty, 5)]);
                    let hi = if self.random.chance(50) && ty == Ty::USIZE { cap_free(cap) } else { cap };
                    let iter = self.b.program.add_iter("i", ty);
                    self.iters.push((iter, ty));
                    let body = self.block(depth - 1);
                    self.iters.pop();
                    let step = if self.random.chance(80) { 1 } else { 2 };
                    let order = if self.random.chance(70) { Order::Up } else { Order::Down };
                    let inclusive = self.random.chance(20);
                    block.push(for_with(iter, lo, hi, inclusive, step, order, body));
                }
            }
        }
        block
    }

    fn program(mut self) -> Program {
        let mut body = self.block(3);
        if self.random.chance(50) {
            body = vec![scope(&[self.local], body)];
        } else {
            let iter = self.b.program.add_iter("t", Ty::USIZE);
            body = vec![for_loop(iter, n(0), n(2), vec![scope(&[self.local], body)])];
        }
        self.b.program.body = body;
        self.b.program
    }
}

/// Nests over the rows and columns of a flat array, every access checked.
impl Generator {
    fn digit(&mut self) -> Expr {
        let digit = self.leaf(Ty::USIZE);
        match self.random.below(6) {
            0 => digit + n(1),
            1 => digit - n(1),
            _ => digit,
        }
    }

    fn element(&mut self, block: &mut Block) -> Place {
        let (row, column) = (self.digit(), self.digit());
        let place = Place::new(self.grid, vec![row * self.b.get(self.width) + column]);
        if self.random.chance(90) {
            let check = self.b.check(place.buffer, place.index[0].clone());
            block.push(check);
        }
        place
    }

    fn grid_block(&mut self, depth: u32) -> Block {
        let mut block = Vec::new();
        for _ in 0..1 + self.random.below(2) {
            if depth == 0 || self.random.chance(20) {
                let (read, target) = (self.element(&mut block), self.element(&mut block));
                block.push(assign(target, read.load(Ty::F64)));
                continue;
            }
            let (iter, _) = self.b.iter("i");
            let hi = match self.random.below(6) {
                0 => self.leaf(Ty::USIZE),
                1 => self.b.get(self.size),
                2 => self.b.get(self.width) - n(1),
                3 => self.b.get(self.size) - n(2),
                _ => self.b.get(self.width),
            };
            // multiples of these times the large widths wrap to zero
            let lo = if self.random.chance(60) { n(0) } else { n([2, 4, 8][self.random.below(3) as usize]) };
            let lo = if self.random.chance(80) { lo } else { self.leaf(Ty::USIZE) + n(1) };
            let inclusive = self.random.chance(15);
            self.iters.push((iter, Ty::USIZE));
            let mut body = self.grid_block(depth - 1);
            if self.random.chance(10) {
                body = vec![when(self.condition(), body)];
            }
            self.iters.pop();
            block.push(for_with(iter, lo, hi, inclusive, 1, Order::Up, body));
        }
        block
    }

    fn grids(mut self) -> Program {
        let depth = 2 + self.random.below(2) as u32;
        self.b.program.body = self.grid_block(depth);
        self.b.program
    }
}

/// The bound itself where it is a parameter, which is small.
fn cap_free(cap: Expr) -> Expr {
    match cap.kind {
        ExprKind::Call(_, _, args) if matches!(args[0].kind, ExprKind::Load(_)) => args[0].clone(),
        kind => Expr { ty: Ty::USIZE, kind },
    }
}

/// `n`, `m`, `k` and the length of the slices; products with the large ones wrap.
const RUNS: [(i128, i128, i128, i128); 7] =
    [(0, 1, 3, 9), (1, 2, 0, 40), (2, 3, 2, 40), (3, 1, 1, 6), (4, 3, 4, 40), (5, 4, 3, 40), (6, 5, 255, 60)];
const WRAPPING_RUNS: [(i128, i128, i128, i128); 6] = [
    (2, 3, 0, 40),
    (3, 2, 0, 40),
    (5, 4, 0, 40),
    (5, 1 << 62, 0, 60),
    (4, 1 << 63, 0, 60),
    (9, 1 << 61, 0, 60),
];

#[derive(Default, Debug)]
struct Score {
    asked: u32,
    never: u32,
    proved: u32,
    unwitnessed: u32,
    yes: u32,
}

#[test]
fn answers_agree_with_enumeration() {
    let score = compare_all(70, &RUNS, |seed| Generator::new(seed * 7919 + 1).program());
    // what never happens in the runs is mostly proved, and what is said to happen mostly does
    assert!(score.proved * 100 >= score.never * 60, "{score:?}");
    assert!(score.unwitnessed * 100 <= score.yes * 20, "{score:?}");
}

#[test]
fn rows_and_columns_agree_with_enumeration() {
    let score = compare_all(40, &WRAPPING_RUNS, |seed| Generator::new(seed * 104729 + 5).grids());
    assert!(score.proved * 100 >= score.never * 30, "{score:?}");
}

/// `PARDIFF_POLY_PROGRAMS` asks for more programs.
fn compare_all(programs: u64, runs: &[(i128, i128, i128, i128)], program: impl Fn(u64) -> Program) -> Score {
    let more = std::env::var("PARDIFF_POLY_PROGRAMS").ok().and_then(|number| number.parse().ok());
    let mut score = Score::default();
    for seed in 0..more.unwrap_or(programs) {
        let program = program(seed);
        let analysis = Analysis::new(&program);
        let mut facts = Facts::default();
        for &(size, width, narrow, length) in runs {
            let mut tracer = Tracer::new(&analysis);
            let params: Vec<BufferId> = program.params.clone();
            for (&buffer, value) in params.iter().zip([size, width, narrow]) {
                tracer.set(buffer, &[], value);
            }
            for &buffer in &params[3..] {
                tracer.set_extent(buffer, length);
            }
            let mut random = Random(seed);
            for at in 0..60 {
                tracer.set(params[5], &[at], random.range(0, 5));
            }
            let (events, complete) = tracer.run();
            facts.observe(&analysis, &events);
            facts.observe_writes_between(&analysis, &events);
            if complete {
                facts.observe_coverage(&analysis, &events);
            }
        }
        compare(&analysis, &facts, &mut score, seed);
    }
    score
}

fn compare(analysis: &Analysis<'_>, facts: &Facts, score: &mut Score, seed: u64) {
    let mut judge = |answer: Answer, happens: bool, what: &dyn Fn() -> String| {
        assert!(!happens || answer != Answer::No, "seed {seed}: {}\n{:#?}", what(), analysis.program.body);
        score.asked += 1;
        if happens {
            score.yes += u32::from(answer == Answer::Yes);
        } else {
            score.never += 1;
            score.proved += u32::from(answer == Answer::No);
            score.yes += u32::from(answer == Answer::Yes);
            score.unwitnessed += u32::from(answer == Answer::Yes);
        }
    };
    for a in analysis.accesses() {
        if !facts.executed.contains(&a.id) {
            continue;
        }
        let answer = analysis.overwritten_after(a.id).answer;
        judge(answer, facts.overwritten.contains(&a.id), &|| format!("overwritten {:?}", a.id));
        for &b in analysis.of(a.buffer) {
            if !facts.executed.contains(&b) {
                continue;
            }
            let answer = analysis.same_element(a.id, b);
            judge(answer, facts.same.contains(&(a.id, b)), &|| format!("same {:?} {b:?}", a.id));
            let around = analysis.loops_around(a.id).iter().zip(analysis.loops_around(b));
            let common = around.take_while(|(a, b)| a == b).count();
            for shared in (0..=common).filter(|_| !a.kind.writes() && analysis.access(b).kind.writes()) {
                let loops = &analysis.loops_around(a.id)[..shared];
                let uncovered = analysis.covers(a.id, &[b], loops).not();
                let happens = facts.uncovered.contains(&(a.id, b, shared));
                judge(uncovered, happens, &|| format!("covers {:?} {b:?} {loops:?}", a.id));
            }
            let depth = analysis.loops(analysis.lifetime(a.buffer).nest).len();
            for &iter in &analysis.loops_around(a.id)[depth..] {
                if !a.kind.writes() && !analysis.access(b).kind.writes() {
                    let affecting = analysis.affecting(iter, a.buffer, &[a.id, b]);
                    let happens = facts.affected.contains(&(iter, a.id, b));
                    assert!(
                        !happens || affecting != Answer::No,
                        "seed {seed}: affecting {iter:?} {:?} {b:?}",
                        a.id
                    );
                }
                let carried = analysis.carries(iter, a.id, b);
                let key = (iter, a.id, b);
                judge(carried.answer, facts.carried.contains(&key), &|| format!("carries {key:?}"));
                if let Some(distance) = carried.distance {
                    let mut seen = facts.distances.iter().filter(|(of, _)| *of == key);
                    assert!(seen.all(|(_, d)| *d == distance), "seed {seed}: distance of {key:?}");
                }
            }
        }
    }
}
