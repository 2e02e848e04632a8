//! The analysis of one program: every access with its index as affine forms, every loop with its bounds, and what is
//! known at every place.

use super::access::{Access, AccessId, Loop, PointId};
use super::affine::{Affine, Sym, SymKind, Symbols};
use super::points::Point;
use super::postconditions::ForAll;
use super::set::Constraint;
use super::structure::{Lifetime, NestId, StmtId, Structure, address};
use crate::ir::{Block, BufferId, BufferSet, Expr, ExprKind, IterId, Place, Program, Stmt, StmtKind};
use crate::map::Map;
use std::cell::RefCell;
use std::collections::HashSet;

/// Points, and the number that a sum of terms is not below there, negated.
pub(super) type Stated = Vec<(PointId, i128)>;

/// What is known of a program; see the module's documentation.
#[derive(Debug)]
pub struct Analysis<'p> {
    /// The program.
    pub program: &'p Program,
    pub(super) structure: Structure<'p>,
    pub(super) symbols: Symbols,
    pub(super) points: Vec<Point>,
    /// How many points are around each, and a short way to them.
    pub(super) ways_up: Vec<(u32, PointId)>,
    /// Where is known that a sum of terms is not below minus some number.
    pub(super) stated: Map<Vec<(Sym, i128)>, Stated>,
    /// Where is known that a form has not wrapped.
    pub(super) in_range: Map<Affine, Vec<PointId>>,
    pub(super) loops: Vec<Option<Loop>>,
    /// The ring form of the one value that a local ever has, where it has one.
    pub(super) values: Map<BufferId, (AccessId, Option<Affine>)>,
    /// Of the locals that have several: each value, if it has a form, and where it is assigned.
    pub(super) assigned: Map<BufferId, Vec<(Option<Affine>, PointId)>>,
    /// What such locals are known not to be less than; those that were asked for.
    pub(super) least: Map<BufferId, Option<Affine>>,
    /// Whether a local is a symbol even where its value has a form.
    pub(super) locals_are_symbols: bool,
    /// The integer locals that conditions compare with something, if their values may have wrapped: what is known of these is
    /// known of what they hold.
    pub(super) compared: BufferSet,
    /// Whether those locals are symbols.
    pub(super) compared_are_symbols: bool,
    /// As `values`, with those locals as symbols.
    pub(super) values_by_compared: Map<BufferId, Option<Affine>>,
    /// Whether only checks are asked about, and not accesses.
    of_checks: bool,
    /// Whether the questions are about the program in its own order alone, see [`Analysis::in_hindsight`].
    pub(super) is_in_order: bool,
    /// The buffers whose scopes are around the place that is analysed.
    pub(super) live: Vec<BufferId>,
    /// Extents of buffers with a scope, as ring forms.
    pub(super) extents: Map<(BufferId, usize), Option<Affine>>,
    /// Index of each access before any proof.
    pub(super) raw: Vec<Vec<Option<Affine>>>,
    /// As `raw`, with the locals that conditions compare as symbols, where that makes another form.
    pub(super) by_compared: Map<AccessId, Affine>,
    /// Checks of an index, with the index and what is known behind them.
    pub(super) checked: Vec<(StmtId, Affine, PointId)>,
    /// Bounds that do not wrap where loops of these ranges have iterations.
    pub(super) bounds: Vec<(Vec<(Affine, Affine)>, Affine)>,
    pub(super) usize_max: Sym,
    pub(super) isize_max: Sym,
    pub(super) flat: Map<BufferId, super::delinearise::Strides>,
    pub(super) cache: RefCell<super::dependence::Cache>,
    /// Whether forms are known not to be negative at points; forgotten when more is known at one.
    pub(super) implied: RefCell<Map<(PointId, Affine), bool>>,
    /// What the types of symbols say of them, without upper bounds and with them; forgotten when more is known of one.
    pub(super) of_types: RefCell<Map<(Sym, bool), Vec<Constraint>>>,
}

impl<'p> Analysis<'p> {
    /// Analyses a program that the verifier accepts.
    pub fn new(program: &'p Program) -> Analysis<'p> {
        let mut analysis = Analysis::start(program, false);
        let mut next = 0;
        analysis.block(&program.body, NestId(0), PointId(0), &mut next);
        analysis.delinearise();
        analysis
    }

    /// The same of runs that come to their ends, of which is known from the beginning what checks prove later: where
    /// `a[k * n + j]` passes for all rows, `i * n + j` has not wrapped in any. Only for questions about the order of the
    /// program itself: tasks in parallel would come to an index before the check that says that the run does not end.
    pub fn in_hindsight(program: &'p Program) -> Analysis<'p> {
        let mut first = Analysis::start(program, true);
        first.is_in_order = true;
        let end = first.block(&program.body, NestId(0), PointId(0), &mut 0);
        let known: Vec<ForAll> =
            first.around(end).flat_map(|id| first.points[id.0 as usize].for_all.clone()).collect();
        let mut analysis = Analysis::start(program, false);
        analysis.is_in_order = true;
        analysis.symbols = first.symbols;
        analysis.points[0].for_all = known;
        analysis.block(&program.body, NestId(0), PointId(0), &mut 0);
        analysis.delinearise();
        analysis
    }

    /// The checks `index < len` of a program that the verifier accepts whose index is proved not to wrap, in any run that
    /// comes to its end: without looking at accesses, and at what holds no check.
    pub fn exact_checks(program: &'p Program) -> HashSet<StmtId> {
        let mut analysis = Analysis::start(program, true);
        let mut next = 0;
        analysis.block(&program.body, NestId(0), PointId(0), &mut next);
        analysis.checks_that_fit()
    }

    fn start(program: &'p Program, of_checks: bool) -> Analysis<'p> {
        let mut symbols = Symbols::default();
        let usize_max = symbols.intern(SymKind::UsizeMax, None, &[], true);
        let isize_max = symbols.intern(SymKind::IsizeMax, None, &[], true);
        let structure = Structure::new(program);
        let raw = vec![Vec::new(); structure.accesses.len()];
        let root = Point {
            parent: None,
            constraints: Vec::new(),
            facts: Vec::new(),
            in_range: Vec::new(),
            for_all: Vec::new(),
            exact: true,
        };
        Analysis {
            program,
            symbols,
            points: vec![root],
            ways_up: vec![(0, PointId(0))],
            stated: Map::default(),
            in_range: Map::default(),
            loops: vec![None; program.iters.len()],
            values: Map::default(),
            assigned: Map::default(),
            least: Map::default(),
            locals_are_symbols: false,
            compared: compared(program),
            compared_are_symbols: false,
            values_by_compared: Map::default(),
            of_checks,
            is_in_order: false,
            live: Vec::new(),
            extents: Map::default(),
            raw,
            by_compared: Map::default(),
            checked: Vec::new(),
            bounds: Vec::new(),
            usize_max,
            isize_max,
            flat: Map::default(),
            cache: RefCell::default(),
            implied: RefCell::default(),
            of_types: RefCell::default(),
            structure,
        }
    }

    /// All accesses, in order of appearance.
    pub fn accesses(&self) -> &[Access<'p>] {
        &self.structure.accesses
    }

    /// An access.
    pub fn access(&self, id: AccessId) -> &Access<'p> {
        &self.structure.accesses[id.0 as usize]
    }

    /// The access of a load or target, which must be the node in the analysed program itself and not a copy.
    pub fn at(&self, place: &Place) -> Option<AccessId> {
        self.structure.by_place.get(&address(place)).copied()
    }

    /// The number of a statement, which must be the node in the analysed program itself and not a copy.
    pub fn stmt(&self, stmt: &Stmt) -> Option<StmtId> {
        self.structure.stmt_id(stmt)
    }

    /// The accesses of a buffer, in order of appearance.
    pub fn of(&self, buffer: BufferId) -> &[AccessId] {
        &self.structure.of_buffer[buffer.0 as usize]
    }

    /// The writes and updates of a buffer.
    pub fn writes(&self, buffer: BufferId) -> impl Iterator<Item = AccessId> + '_ {
        self.structure.writes_of[buffer.0 as usize].iter().copied()
    }

    /// Where a buffer lives.
    pub fn lifetime(&self, buffer: BufferId) -> Lifetime {
        self.structure.lifetimes[buffer.0 as usize]
    }

    /// The loops of a nest, outermost first.
    pub fn loops(&self, nest: NestId) -> &[IterId] {
        self.structure.loops(nest)
    }

    /// The loops around an access, outermost first.
    pub fn loops_around(&self, id: AccessId) -> &[IterId] {
        self.loops(self.access(id).nest)
    }

    /// A loop of the program; `None` for an iterator without one.
    pub fn loop_of(&self, iter: IterId) -> Option<&Loop> {
        self.loops[iter.0 as usize].as_ref()
    }

    /// Analyses a block; gives what is known behind it, as far as it holds in the same iteration.
    pub(super) fn block(
        &mut self,
        block: &'p Block,
        nest: NestId,
        mut point: PointId,
        next: &mut u32,
    ) -> PointId {
        for stmt in block {
            let this = StmtId(*next);
            *next += 1;
            if self.of_checks && !stmt.blocks().is_empty() && !has_check(stmt) {
                stmt.blocks().into_iter().flatten().for_each(|inner| inner.walk(&mut |_| *next += 1));
                continue;
            }
            point = self.stmt_at(stmt, this, nest, point, next);
        }
        point
    }

    fn stmt_at(
        &mut self,
        stmt: &'p Stmt,
        this: StmtId,
        nest: NestId,
        point: PointId,
        next: &mut u32,
    ) -> PointId {
        if !self.of_checks && stmt.as_while().is_none() {
            stmt.each_expr(&mut |expr| self.index_loads(expr, point));
        }
        match &stmt.kind {
            StmtKind::For(body) => {
                let (inner, point_inside) = self.enter_for(body, nest, point);
                let end = self.block(&body.body, inner, point_inside, next);
                self.behind(body.iter, point_inside, end, point)
            }
            StmtKind::While(body) => self.enter_while(body, nest, point, next),
            StmtKind::Assign { target, value } => {
                if !self.of_checks {
                    self.index_place(target, point);
                }
                self.remember_value(target, value, point);
                point
            }
            StmtKind::Reduce { target, .. } => {
                if !self.of_checks {
                    self.index_place(target, point);
                }
                point
            }
            StmtKind::Check { cond, .. } => self.check(cond, this, point),
            StmtKind::If { cond, then, els } | StmtKind::Guarded { fact: cond, then, els } => {
                for (block, truth) in [(then, true), (els, false)] {
                    let mut at = point;
                    if !block.is_empty() {
                        let (constraints, exact) = self.condition(cond, truth, point);
                        at = self.point_in(point, constraints, exact);
                    }
                    self.block(block, nest, at, next);
                }
                point
            }
            StmtKind::Scope { buffers, body } => {
                for &buffer in buffers {
                    self.remember_extents(buffer, point);
                }
                let outside = self.live.len();
                self.live.extend(buffers);
                let behind = self.block(body, nest, point, next);
                self.live.truncate(outside);
                behind
            }
            StmtKind::Fork { tasks } => {
                for task in tasks {
                    self.block(task, nest, point, next);
                }
                point
            }
            StmtKind::Swap { .. } | StmtKind::Call { .. } => {
                for access in &mut self.structure.accesses {
                    if access.stmt == this {
                        access.point = point;
                    }
                }
                stmt.as_reserve().map_or(point, |rows| self.reached(rows, point))
            }
        }
    }

    pub(super) fn inner_nest(&self, outer: NestId, iter: IterId) -> NestId {
        let outer = self.loops(outer);
        let inner = |loops: &&Vec<IterId>| loops.split_last() == Some((&iter, outer));
        let at = self.structure.nests.iter().position(|loops| inner(&loops));
        NestId(at.unwrap_or_default() as u32)
    }

    pub(super) fn iterator(&mut self, iter: IterId) -> Sym {
        let ty = self.program[iter].ty;
        self.symbols.intern(SymKind::Iter(iter), Some(ty), &[iter], false)
    }
}

/// The integer variables that conditions of `if`s compare.
fn compared(program: &Program) -> BufferSet {
    let mut set = BufferSet::new();
    let mut add = |side: &Expr| {
        let mut side = side;
        while let ExprKind::Cast(operand) = &side.kind {
            side = operand;
        }
        if let ExprKind::Load(place) = &side.kind
            && side.ty.is_int()
            && place.index.is_empty()
        {
            set.insert(place.buffer);
        }
    };
    let mut of_condition = |stmt: &Stmt| {
        if let Some((cond, _, _)) = stmt.as_if() {
            cond.walk(&mut |node| {
                if let ExprKind::Binary(op, lhs, rhs) = &node.kind
                    && op.is_comparison()
                {
                    add(lhs);
                    add(rhs);
                }
            });
        }
    };
    crate::ir::walk(&program.body, &mut of_condition);
    set
}

/// Whether there is a check in a statement.
fn has_check(stmt: &Stmt) -> bool {
    stmt.as_check().is_some() || stmt.blocks().into_iter().flatten().any(has_check)
}
