//! An element loop as a loop over blocks of lanes.

use super::cost;
use super::distribute::Distribution;
use super::divergence::Divergence;
use super::scalar_replacement::{loads, updates};
use super::{branchless, factor, fuse, ranges, tile, unroll_fields};
use crate::ir::LoopFacts;
use crate::ir::{
    BinOp, Block, BufferId, BufferSet, Exec, Expr, ExprKind, For, Func, IterId, Program, Role, Stmt,
    StmtKind, Ty, declared, scoped,
};

/// An element loop as a loop over blocks.
pub(super) struct Blocks {
    /// The statement that takes its place.
    pub(super) stmt: Stmt,
    /// The number of elements in a block.
    pub(super) width: BufferId,
    /// Locals with an element for each lane.
    pub(super) expanded: BufferSet,
    /// Iterators of the loops over its lanes.
    pub(super) over_lanes: Vec<IterId>,
}

/// The loop over blocks that stands for an element loop, or why there is none.
pub(super) fn blocks(program: &mut Program, element: &Stmt, for_: &For) -> Result<Blocks, String> {
    if !for_.is_plain() {
        return Err("it does not count up by one in `usize`".to_owned());
    }
    let mut for_ = for_.clone();
    let untiled = Divergence::of(program, &for_);
    fuse::fuse(program, &untiled, &mut for_.body);
    tile::tile(program, &untiled, for_.iter, &mut for_.body);
    branchless::branchless(&mut for_.body, &untiled.locals, &mut BufferSet::new());
    let lanes = Divergence::of(program, &for_).with_totals(program, &for_);
    let mut bounds = [&for_.lo, &for_.hi].into_iter();
    if bounds.any(|bound| bound.reads_any(program, &lanes.written)) {
        return Err("it changes what its bounds are computed from".to_owned());
    }
    let first = program.add_iter("b", Ty::USIZE);
    let width = program.add_scalar("w", Ty::USIZE, Role::Local);
    let mut distribution = Distribution {
        program,
        lanes: &lanes,
        element: for_.iter,
        first,
        width,
        expanded: BufferSet::new(),
        hoisted: Vec::new(),
        over_lanes: Vec::new(),
    };
    let mut body = distribution.list(std::mem::take(&mut for_.body), true)?;
    let Distribution { expanded, hoisted, program, over_lanes, .. } = distribution;
    let mut rewrite =
        Rewrite { element: for_.iter, first, expanded: &expanded, over_lanes: &over_lanes, complete: true };
    rewrite.block(&mut body, None);
    if !rewrite.complete {
        return Err("a value that differs between iterations is needed outside of them".to_owned());
    }
    // what runs lane after lane may have arrays of its own, but not of a size that has an element for each lane
    let own = declared(&body);
    let differs = |buffer: &BufferId| {
        own.contains(*buffer) && program[*buffer].dims.iter().any(|dim| dim.reads_any(program, &expanded))
    };
    if let Some(buffer) = program.buffer_ids().find(differs) {
        return Err(format!("the size of `{}` differs between iterations", program[buffer].name));
    }
    ranges::restrict(program, &mut body, &over_lanes);
    body.iter_mut().for_each(|stmt| in_registers(program, stmt));
    factor::factor_out(program, &mut body, &over_lanes);
    let whole =
        expanded.is_empty() && hoisted.is_empty() && over_lanes.len() == 1 && holds(&body, &over_lanes);
    let parts = Parts { first, width, expanded: &expanded, hoisted, whole };
    let stmt = assemble(program, element, &for_, body, parts);
    Ok(Blocks { stmt, width, expanded, over_lanes })
}

/// Holds in registers what a lane loop loads or updates more than once.
pub(super) fn in_registers(program: &mut Program, stmt: &mut Stmt) {
    match stmt.as_for_mut().filter(|each| each.is_in_lanes()) {
        Some(each) => {
            unroll_fields::write_out(program, each);
            updates::hold(program, each);
            loads::reuse_loads(program, each);
        }
        None => stmt.blocks_mut().into_iter().flatten().for_each(|stmt| in_registers(program, stmt)),
    }
}

/// Whether one of the loops stands in the block, in no other loop and under no condition.
fn holds(block: &Block, loops: &[IterId]) -> bool {
    block.iter().any(|stmt| match stmt.as_scope() {
        Some((_, body)) => holds(body, loops),
        None => stmt.as_for().is_some_and(|each| loops.contains(&each.iter)),
    })
}

struct Parts<'a> {
    first: IterId,
    width: BufferId,
    expanded: &'a BufferSet,
    hoisted: Vec<BufferId>,
    /// Whether nothing is kept for a block, so that all elements are one.
    whole: bool,
}

/// The body of a block in the loop over blocks, in the scopes of the locals that live around it.
fn assemble(program: &mut Program, element: &Stmt, for_: &For, body: Block, parts: Parts<'_>) -> Stmt {
    let Parts { first, width, expanded, hoisted, whole } = parts;
    let stmt = |kind| Stmt::new(kind, element.origin);
    let partial = hoisted.iter().any(|&buffer| program[buffer].dims.iter().any(|dim| !dim.is_total()));
    let (lanes, mut fitting) = lanes_that_fit(program, expanded, &body);
    let all = match for_.lo.kind {
        ExprKind::Int(0) => for_.hi.clone(),
        _ => Expr::call(Ty::USIZE, Func::SaturatingSub, vec![for_.hi.clone(), for_.lo.clone()]),
    };
    if whole {
        fitting = Some(Expr::call(Ty::USIZE, Func::IntMax, vec![all, Expr::usize(1)]));
    } else if let Some(fit) = fitting {
        // no more lanes than iterations: rows of few elements far apart are many pages
        fitting = Some(Expr::call(Ty::USIZE, Func::IntMin, vec![fit, in_vectors(all)]));
    }
    let mut around = Vec::new();
    let mut computed = Vec::new();
    let mut most = Expr::usize(lanes as usize);
    if let Some(value) = fitting {
        let buffer = program.add_scalar("lanes", Ty::USIZE, Role::Local);
        around.push(Stmt::set(buffer, value, element.origin));
        most = program.load_scalar(buffer);
        computed.push(buffer);
    }
    for buffer in program.buffer_ids() {
        if expanded.contains(buffer) {
            program[buffer].dims.push(most.clone());
        }
    }
    let left = Expr::binary(BinOp::Sub, for_.hi.clone(), Expr::iter(first, Ty::USIZE));
    let value = Expr::call(Ty::USIZE, Func::IntMin, vec![most.clone(), left]);
    let mut block = vec![Stmt::set(width, value, element.origin)];
    block.extend(body);
    let over_blocks = stmt(StmtKind::For(For {
        iter: first,
        step: most,
        order: crate::ir::Order::Up,
        exec: Exec::Sequential,
        body: scoped(vec![width], block),
        ..for_.clone()
    }));
    around.extend(scoped(hoisted, vec![over_blocks]));
    let mut all = scoped(computed, around);
    if partial {
        let cond = Expr::binary(BinOp::Lt, for_.lo.clone(), for_.hi.clone());
        return Stmt::when(cond, all, element.origin);
    }
    match all.pop() {
        Some(only) => only,
        None => element.clone(),
    }
}

/// Lanes of a block at most, and an expression for the number where it depends on sizes: as many as keep the expanded
/// locals in half of the second-level cache, a multiple of the vector's lanes. Where a size is computed in the body of
/// the block alone, there are few.
fn lanes_that_fit(program: &Program, expanded: &BufferSet, body: &Block) -> (u32, Option<Expr>) {
    let inside = LoopFacts::of_block(body);
    let dims =
        program.buffer_ids().filter(|&buffer| expanded.contains(buffer)).flat_map(|it| &program[it].dims);
    if dims.into_iter().any(|dim| inside.has_part_in(dim)) {
        return (cost::LEAST_LANES as u32, None);
    }
    let mut known = 0usize;
    let mut computed: Option<Expr> = None;
    let call = |func, a, b| Expr::call(Ty::USIZE, func, vec![a, b]);
    for buffer in program.buffer_ids().filter(|&buffer| expanded.contains(buffer)) {
        let declared = &program[buffer];
        let bytes = match declared.elem {
            Ty::Float(crate::ir::Float::F32) => 4,
            Ty::Bool => 1,
            _ => 8,
        };
        if let Some(size) =
            declared.dims.iter().try_fold(bytes, |size: usize, dim| size.checked_mul(dim.as_usize()?))
        {
            known = known.saturating_add(size);
            continue;
        }
        let size = declared
            .dims
            .iter()
            .fold(Expr::usize(bytes), |size, dim| call(Func::SaturatingMul, size, dim.clone()));
        computed = Some(match computed {
            None => size,
            Some(sum) => call(Func::SaturatingAdd, sum, size),
        });
    }
    let Some(computed) = computed else {
        let fits = known.saturating_mul(cost::LANES as usize) <= cost::FOOTPRINT;
        return (if fits { cost::LANES } else { cost::LANES / 2 }, None);
    };
    let bytes = call(Func::SaturatingAdd, computed, Expr::usize(known.max(1)));
    let fit = Expr::binary(BinOp::Div, Expr::usize(cost::FOOTPRINT / cost::VECTOR), bytes);
    let fit = Expr::binary(BinOp::Mul, fit, Expr::usize(cost::VECTOR));
    let least = call(Func::IntMax, fit, Expr::usize(cost::LEAST_LANES));
    (cost::LANES, Some(call(Func::IntMin, least, Expr::usize(cost::LANES as usize))))
}

/// As many iterations or more in whole vectors, one vector at least.
fn in_vectors(all: Expr) -> Expr {
    let vectors = Expr::call(Ty::USIZE, Func::DivCeil, vec![all, Expr::usize(cost::VECTOR)]);
    let vectors = Expr::call(Ty::USIZE, Func::IntMax, vec![vectors, Expr::usize(1)]);
    Expr::binary(BinOp::Mul, vectors, Expr::usize(cost::VECTOR))
}

/// Gives every lane its element and its part of the expanded locals.
struct Rewrite<'a> {
    element: IterId,
    first: IterId,
    expanded: &'a BufferSet,
    /// Iterators of the loops over the lanes of a block.
    over_lanes: &'a [IterId],
    /// Whether nothing of a lane is mentioned outside of lane loops.
    complete: bool,
}

impl Rewrite<'_> {
    fn block(&mut self, block: &mut Block, lane: Option<IterId>) {
        for stmt in block {
            for expr in stmt.exprs_mut() {
                *expr = self.expr(expr, lane);
            }
            if let Some((target, _)) = stmt.as_store_mut()
                && self.expanded.contains(target.buffer)
            {
                self.complete &= lane.is_some();
                target.index.extend(lane.map(|lane| Expr::iter(lane, Ty::USIZE)));
            }
            let inside =
                stmt.as_for().map(|each| each.iter).filter(|it| self.over_lanes.contains(it)).or(lane);
            stmt.blocks_mut().into_iter().for_each(|inner| self.block(inner, inside));
        }
    }

    fn expr(&mut self, expr: &Expr, lane: Option<IterId>) -> Expr {
        expr.map(&mut |mut expr| match &mut expr.kind {
            ExprKind::Iter(iter) if *iter == self.element => match lane {
                Some(lane) => {
                    let (first, lane) = (Expr::iter(self.first, Ty::USIZE), Expr::iter(lane, Ty::USIZE));
                    Expr::binary(BinOp::Add, first, lane)
                }
                None => {
                    self.complete = false;
                    expr
                }
            },
            ExprKind::Load(place) if self.expanded.contains(place.buffer) => {
                self.complete &= lane.is_some();
                place.index.extend(lane.map(|lane| Expr::iter(lane, Ty::USIZE)));
                expr
            }
            _ => expr,
        })
    }
}
