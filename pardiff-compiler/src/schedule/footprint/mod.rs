//! Window copies: a chunk copies only the part of an array between the least and the greatest element that it updates.
//!
//! ```text
//! for i in 0..n              for c in 0..chunks parallel(task)
//!   d_x[at[i]] += e            low_part = max; end_part = 0
//!                              for i in from..to
//!                                low_part min= at[i]; end_part max= at[i] + 1
//!                              low[c] = low_part; width[c] = end_part - low_part
//!                      =>    start[c] = width[0] + … + width[c - 1]
//!                            for c in 0..chunks parallel(task)
//!                              parts[start[c]..start[c] + width[c]] = 0
//!                              for i in from..to
//!                                parts[start[c] + (at[i] - low[c])] += e
//!                            for c, k: d_x[low[c] + k] += parts[start[c] + k]
//! ```
//!
//! Legal because the scan executes the updates that the loop executes: it keeps every loop, condition and integer local
//! that decides which elements these are, and is not made where one of them depends on a float or on what the loop
//! changes. The windows of two chunks do not overlap in `parts`. An element outside the array has failed its check.

mod row_ends;

use self::row_ends::{at_ends, saturating};
use super::chunks::Builder;
use super::privatisation::merge::Merged;
use crate::ir::Update;
use crate::ir::{
    BinOp, Block, Buffer, BufferId, BufferSet, Expr, ExprKind, For, Func, IterId, Place, Program, ReduceOp,
    Role, Scheme, Stmt, StmtKind, Ty, UnOp, any, declared, offset_of, written,
};

/// The windows of the chunks in one array.
#[derive(Clone, Debug)]
pub(super) struct Window {
    target: BufferId,
    /// First element, number of elements, and where they stand in the parts: one a chunk.
    low: BufferId,
    width: BufferId,
    start: BufferId,
    /// The number of elements of all windows.
    total: BufferId,
    /// The variables of a chunk of the scan.
    low_part: BufferId,
    end_part: BufferId,
    /// `low` and `start` of the chunk at work.
    own_low: BufferId,
    own_start: BufferId,
}

impl Window {
    pub(super) fn new(build: &mut Builder<'_>, target: BufferId, chunks: &Expr) -> Window {
        let name = build.program[target].name.clone();
        let array = |build: &mut Builder<'_>, what: &str| {
            let dims = vec![chunks.clone()];
            build.program.add_buffer(Buffer::new(&format!("{name}_{what}"), Ty::USIZE, dims, Role::Local))
        };
        let (low, width, start) = (array(build, "low"), array(build, "width"), array(build, "start"));
        let scalar = |build: &mut Builder<'_>, what: &str| build.size(&format!("{name}_{what}"));
        Window {
            target,
            low,
            width,
            start,
            total: scalar(build, "total"),
            low_part: scalar(build, "low_part"),
            end_part: scalar(build, "end_part"),
            own_low: scalar(build, "low_own"),
            own_start: scalar(build, "start_own"),
        }
    }

    /// What is declared around the scan and the tasks.
    pub(super) fn shared(&self) -> [BufferId; 4] {
        [self.low, self.width, self.start, self.total]
    }

    /// The first element of a chunk's window, and one behind its last.
    pub(super) fn bounds(&self, chunk: Expr) -> (Expr, Expr) {
        let at = |array| Place::new(array, vec![chunk.clone()]).load(Ty::USIZE);
        (at(self.low), Expr::call(Ty::USIZE, Func::SaturatingAdd, vec![at(self.low), at(self.width)]))
    }

    /// The number of elements of all parts.
    pub(super) fn total(&self, build: &Builder<'_>) -> Expr {
        build.load(self.total)
    }

    /// The variables of a chunk of the scan.
    pub(super) fn scanned(&self) -> [BufferId; 2] {
        [self.low_part, self.end_part]
    }

    /// The variables of a chunk at work.
    pub(super) fn own(&self) -> [BufferId; 2] {
        [self.own_low, self.own_start]
    }

    /// Before a chunk is scanned.
    pub(super) fn open_scan(&self, build: &Builder<'_>, body: &mut Block) {
        let greatest = Expr::unary(UnOp::Not, Expr::usize(0));
        body.push(build.set(self.low_part, greatest));
        body.push(build.set(self.end_part, Expr::usize(0)));
    }

    /// After a chunk was scanned. An index beyond the array may stand for one that has wrapped around, and then for any.
    pub(super) fn close_scan(&self, build: &Builder<'_>, chunk: IterId, body: &mut Block) {
        let extent = build.program[self.target].dims.first().cloned().unwrap_or(Expr::usize(0));
        let beyond = extent.clone().below(build.load(self.end_part));
        let whole = vec![build.set(self.low_part, Expr::usize(0)), build.set(self.end_part, extent)];
        body.push(build.when(beyond, whole));
        let bounds = vec![build.load(self.end_part), build.load(self.low_part)];
        let width = Expr::call(Ty::USIZE, Func::SaturatingSub, bounds);
        let at = |array| Place::new(array, vec![Expr::iter(chunk, Ty::USIZE)]);
        body.push(build.assign(at(self.low), build.load(self.low_part)));
        body.push(build.assign(at(self.width), width));
    }

    /// Where the windows stand in the parts, after the scan.
    pub(super) fn place(&self, build: &mut Builder<'_>, chunks: &Expr, block: &mut Block) {
        let chunk = build.index("chunk");
        let at = |array| Place::new(array, vec![Expr::iter(chunk, Ty::USIZE)]);
        let next = build.load(self.total) + at(self.width).load(Ty::USIZE);
        let body = vec![build.assign(at(self.start), build.load(self.total)), build.set(self.total, next)];
        block.push(build.set(self.total, Expr::usize(0)));
        block.push(build.sequential(chunk, chunks.clone(), body));
    }

    /// What a chunk at work does first: it finds its window, and zeroes it.
    pub(super) fn open(
        &self,
        build: &mut Builder<'_>,
        chunk: IterId,
        parts: BufferId,
        neutral: &Expr,
        body: &mut Block,
    ) {
        let at = |array| Place::new(array, vec![Expr::iter(chunk, Ty::USIZE)]).load(Ty::USIZE);
        body.push(build.set(self.own_low, at(self.low)));
        body.push(build.set(self.own_start, at(self.start)));
        let k = build.index("k");
        let element = Place::new(parts, vec![build.load(self.own_start) + Expr::iter(k, Ty::USIZE)]);
        let zero = build.assign(element, neutral.clone());
        body.push(build.sequential(k, at(self.width), vec![zero]));
    }

    /// The place of an element in the parts of the chunk at work.
    pub(super) fn redirect(&self, parts: BufferId, index: Expr) -> Place {
        let load = |scalar| Place::scalar(scalar).load(Ty::USIZE);
        Place::new(parts, vec![load(self.own_start) + (index - load(self.own_low))])
    }

    /// Adds the windows to the array, in the order of the chunks.
    pub(super) fn merge(
        &self,
        build: &mut Builder<'_>,
        op: ReduceOp,
        parts: BufferId,
        chunks: &Expr,
        block: &mut Block,
    ) {
        let (chunk, k) = (build.index("chunk"), build.index("k"));
        let at = |array| Place::new(array, vec![Expr::iter(chunk, Ty::USIZE)]).load(Ty::USIZE);
        let elem = build.program[self.target].elem;
        let part = Place::new(parts, vec![at(self.start) + Expr::iter(k, Ty::USIZE)]).load(elem);
        let target = Place::new(self.target, vec![at(self.low) + Expr::iter(k, Ty::USIZE)]);
        let add = build.stmt(StmtKind::Reduce { op, target, value: part, scheme: Scheme::Sequential });
        let elements = build.sequential(k, at(self.width), vec![add]);
        block.push(build.sequential(chunk, chunks.clone(), vec![elements]));
    }

    /// As [`Window::merge`], by tasks that each have a piece of the array.
    pub(super) fn merged<'a>(
        &'a self,
        build: &mut Builder<'_>,
        op: ReduceOp,
        parts: BufferId,
        chunks: &'a Expr,
    ) -> Merged<'a> {
        let chunk = build.index("chunk");
        let at = move |array| Place::new(array, vec![Expr::iter(chunk, Ty::USIZE)]).load(Ty::USIZE);
        let elem = build.program[self.target].elem;
        let dims = build.program[self.target].dims.clone();
        let add = move |build: &mut Builder<'_>, index: &[Expr]| {
            let own = at(self.start)
                + Expr::binary(BinOp::Sub, index.first().cloned().unwrap_or(Expr::usize(0)), at(self.low));
            let value = Place::new(parts, vec![own]).load(elem);
            let target = Place::new(self.target, index.to_vec());
            build.stmt(StmtKind::Reduce { op, target, value, scheme: Scheme::Sequential })
        };
        // a window without elements begins behind all
        let end = Expr::call(Ty::USIZE, Func::SaturatingAdd, vec![at(self.low), at(self.width)]);
        Merged { dims, chunk, chunks, window: Some((at(self.low), end)), add: Box::new(add) }
    }
}

/// What keeps the least index in one variable, and one behind the greatest in the other.
fn extremes(origin: crate::ir::Origin, [low, end]: [BufferId; 2], index: &Expr) -> [Stmt; 2] {
    let reduce = |op, scalar, value| {
        let target = Place::scalar(scalar);
        Stmt::new(StmtKind::Reduce { op, target, value, scheme: Scheme::Sequential }, origin)
    };
    let behind = Expr::call(Ty::USIZE, Func::SaturatingAdd, vec![index.clone(), Expr::usize(1)]);
    [reduce(ReduceOp::Min, low, index.clone()), reduce(ReduceOp::Max, end, behind)]
}

/// The scan of an array of one dimension, if its updates go through index arrays or locals and can be scanned.
pub(super) fn can_scan(program: &Program, each: &For, target: BufferId) -> Option<Block> {
    let mut indirect = false;
    let locals = declared(&each.body);
    let mut visit = |expr: &Expr| {
        if let ExprKind::Load(of) = &expr.kind {
            indirect |= !of.index.is_empty() || locals.contains(of.buffer);
        }
    };
    crate::ir::walk(&each.body, &mut |stmt| {
        if let Some(Update { target: place, .. }) = stmt.as_update().filter(|it| it.target.buffer == target) {
            place.index.iter().for_each(|index| index.walk(&mut visit));
        }
    });
    if !indirect || program[target].rank() != 1 {
        return None;
    }
    Slicer::new(program, each)
        .slice(&each.body, &mut |stmt, place| (place.buffer == target).then(|| vec![stmt.clone()]))
}

/// What one iteration costs the scan of an array.
pub(super) fn slice(program: &Program, each: &For, target: BufferId) -> Option<Block> {
    // what is kept of an update: its first index
    let mut scan = Slicer::new(program, each).slice(&each.body, &mut |stmt, place| {
        (place.buffer == target)
            .then(|| place.index.first().map(|index| extremes(stmt.origin, [target; 2], index)))?
            .map(Vec::from)
    })?;
    shorten(&mut scan);
    Some(scan)
}

/// Leaves out what does not change the windows.
fn shorten(scan: &mut Block) {
    keep_extremes(scan);
    if !reads_elements(scan) {
        drop_checks(scan);
    }
    at_ends(scan);
}

/// Whether a scan reads an element of an array, which a check before it says is there.
fn reads_elements(block: &Block) -> bool {
    any(block, &mut |stmt| stmt.exprs().into_iter().any(Expr::loads_elements))
}

/// The loop itself checks what it updates; a window that is not inside of the array is not used.
fn drop_checks(block: &mut Block) {
    block.retain(|stmt| stmt.as_check().is_none());
    for stmt in block {
        stmt.blocks_mut().into_iter().for_each(drop_checks);
    }
}

/// The statements of a loop body that find the windows.
pub(super) fn scan(program: &Program, each: &For, windows: &[&Window]) -> Option<Block> {
    let mut scan = Slicer::new(program, each).slice(&each.body, &mut |stmt, place| {
        let window = windows.iter().find(|window| window.target == place.buffer)?;
        Some(extremes(stmt.origin, window.scanned(), place.index.first()?).to_vec())
    })?;
    shorten(&mut scan);
    Some(scan)
}

/// Of updates beside each other at `base + k`, with numbers `k`, those with the least and the greatest `k` find the window:
/// in sums that saturate, so that one that wraps around is beyond the array (see [`Window::close_scan`]).
fn keep_extremes(block: &mut Block) {
    for stmt in block.iter_mut() {
        stmt.blocks_mut().into_iter().for_each(keep_extremes);
    }
    let bound = |stmt: &Stmt| {
        let Update { op, target, value, .. } = stmt.as_update()?;
        let index = match &value.kind {
            ExprKind::Call(Func::SaturatingAdd, _, operands) => operands.first()?,
            _ => value,
        };
        let value = saturating(value)?;
        let (base, offset) = offset_of(index);
        match op {
            ReduceOp::Min => Some((target.buffer, base, -offset, value)),
            ReduceOp::Max => Some((target.buffer, base, offset, value)),
            ReduceOp::Add => None,
        }
    };
    let bounds: Vec<_> = block.iter().map(bound).collect();
    let mut at = 0;
    block.retain_mut(|stmt| {
        let here = at;
        at += 1;
        let Some((scalar, base, reach, value)) = &bounds[here] else { return true };
        let before = bounds[..here].iter().rev().map_while(Option::as_ref);
        let behind = bounds[here + 1..].iter().map_while(Option::as_ref);
        let same = |it: &&(BufferId, Expr, i128, Expr)| it.0 == *scalar && it.1 == *base;
        if before.clone().filter(same).count() + behind.clone().filter(same).count() > 0 {
            stmt.exprs_mut().into_iter().for_each(|expr| *expr = value.clone());
        }
        // the first of equals stays
        !before.filter(same).any(|it| it.2 >= *reach) && !behind.filter(same).any(|it| it.2 > *reach)
    });
}

/// The scan of the whole array, for what cannot be scanned.
pub(super) fn whole(build: &Builder<'_>, windows: &[&Window]) -> Block {
    let mut all = Block::new();
    for window in windows {
        let extent = build.program[window.target].dims.first().cloned().unwrap_or(Expr::usize(0));
        all.push(build.set(window.low_part, Expr::usize(0)));
        all.push(build.set(window.end_part, extent));
    }
    all
}

/// What stands for an update in the slice; nothing for those that do not matter.
type Replace<'a> = dyn FnMut(&Stmt, &Place) -> Option<Vec<Stmt>> + 'a;

/// Cuts out the statements that decide which elements are updated.
struct Slicer {
    /// Written in the loop.
    written: BufferSet,
    /// Integer locals of an iteration whose values depend on no float.
    kept: BufferSet,
}

impl Slicer {
    fn new(program: &Program, each: &For) -> Slicer {
        let kept = declared(&each.body).iter().filter(|&local| !program[local].elem.is_float()).collect();
        let mut slicer = Slicer { written: written(&each.body), kept };
        while slicer.drop_tainted(&each.body, false) {}
        slicer
    }

    /// Whether the value is the same in the scan: integers, of what the loop does not change or of kept locals.
    fn is_known(&self, expr: &Expr) -> bool {
        expr.all(&mut |part| match &part.kind {
            _ if part.ty.is_float() => false,
            ExprKind::Load(place) => self.kept.contains(place.buffer) || !self.written.contains(place.buffer),
            _ => true,
        })
    }

    /// Takes a local out that is written with, or under, what is not known; whether there was one.
    fn drop_tainted(&mut self, block: &Block, unknown: bool) -> bool {
        let mut dropped = false;
        for stmt in block {
            let unknown = unknown || !stmt.exprs().into_iter().all(|expr| self.is_known(expr));
            let unknown = unknown
                || matches!(stmt.kind, StmtKind::While(_) | StmtKind::Swap { .. } | StmtKind::Call { .. });
            let is_block = matches!(
                stmt.kind,
                StmtKind::For(_) | StmtKind::If { .. } | StmtKind::While(_) | StmtKind::Guarded { .. }
            );
            if unknown && !is_block {
                let mut targets = Vec::new();
                if stmt.as_scope().is_none() {
                    stmt.writes(&mut |buffer| targets.push(buffer));
                }
                for buffer in targets {
                    dropped |= self.kept.contains(buffer);
                    self.kept.remove(buffer);
                }
            }
            for inner in stmt.blocks() {
                dropped |= self.drop_tainted(inner, unknown);
            }
        }
        dropped
    }

    /// The slice of a block; `None` if it cannot be cut out.
    fn slice(&self, block: &Block, replace: &mut Replace<'_>) -> Option<Block> {
        let mut kept = Block::new();
        for stmt in block {
            match &stmt.kind {
                StmtKind::Reduce { target, .. } => match replace(stmt, target) {
                    Some(stmts) if target.index.iter().all(|index| self.is_known(index)) => {
                        kept.extend(stmts)
                    }
                    Some(_) => return None,
                    None if self.kept.contains(target.buffer) => kept.push(stmt.clone()),
                    None => {}
                },
                StmtKind::Assign { target, .. } => {
                    if self.kept.contains(target.buffer) {
                        kept.push(stmt.clone());
                    }
                }
                StmtKind::Check { .. } => {
                    if stmt.exprs().into_iter().all(|expr| self.is_known(expr)) {
                        kept.push(stmt.clone());
                    }
                }
                StmtKind::Scope { buffers, body } => {
                    let body = self.slice(body, replace)?;
                    let buffers: Vec<_> =
                        buffers.iter().copied().filter(|&buffer| self.kept.contains(buffer)).collect();
                    if matters(&body) && !buffers.is_empty() {
                        kept.push(Stmt::scope(buffers, body, stmt.origin));
                    } else if matters(&body) {
                        kept.extend(body);
                    }
                }
                StmtKind::For(_) | StmtKind::If { .. } => {
                    let inner: Option<Vec<Block>> =
                        stmt.blocks().into_iter().map(|block| self.slice(block, replace)).collect();
                    let inner = inner?;
                    if !inner.iter().any(matters) {
                        continue;
                    }
                    if !stmt.exprs().into_iter().all(|expr| self.is_known(expr)) {
                        return None;
                    }
                    let mut sliced = stmt.clone();
                    sliced.blocks_mut().into_iter().zip(inner).for_each(|(block, inner)| *block = inner);
                    kept.push(sliced);
                }
                _ => {
                    let mut found = false;
                    stmt.walk(&mut |stmt| {
                        if let Some(Update { target, .. }) = stmt.as_update() {
                            found |= replace(stmt, target).is_some();
                        }
                    });
                    if found {
                        return None;
                    }
                }
            }
        }
        Some(kept)
    }
}

/// Whether a block does more than check.
fn matters(block: &Block) -> bool {
    block.iter().any(|stmt| match stmt.as_scope() {
        Some((_, body)) => matters(body),
        None => stmt.as_check().is_none(),
    })
}
