//! Kernels that copy to shared memory and read there.

use super::reads::{Shift, Window};
use super::{Shape, Tiles};
use crate::ir::thread_loops;
use crate::ir::{
    BinOp, Block, Buffer, BufferId, Exec, Expr, ExprKind, For, Func, IterId, Level, Order, Place, Program,
    Role, Space, Stmt, StmtKind, Ty, clone_stmts,
};
use crate::limits::{THREADS_OF_A_TILE, WARP};
use crate::schedule::Decisions;
use crate::schedule::chunks::Builder;
use crate::schedule::cost::trip_count;
use std::collections::HashMap;

/// A loop that blocks cut.
struct Cut {
    /// The number of the part.
    tile: IterId,
    tiles: Expr,
    /// The first iteration of the part and the one behind its last, with their values.
    bounds: [(BufferId, Expr); 2],
    /// The loop over a part.
    each: For,
}

/// By the iterators of the loops that are cut: where a part begins and ends.
type Parts = HashMap<IterId, [Expr; 2]>;

/// Puts the kernel with tiles in the place of the kernel, or in front of it where a condition decides.
pub(super) fn tiled(program: &mut Program, stmt: &mut Stmt, tiles: &Tiles, decisions: &mut Decisions) {
    let plain = tiles.cond.is_some().then(|| clone_stmts(program, std::slice::from_ref(stmt)));
    let Some(each) = stmt.as_for() else { return };
    let threads: Vec<IterId> = thread_loops(each).iter().map(|each| each.iter).collect();
    let around = threads.len() - if tiles.shape == Shape::Rows { 1 } else { 2 };
    let mut kernel = &mut *stmt;
    for _ in 0..around {
        let Some(each) = kernel.as_for_mut() else { return };
        kernel = &mut each.body[0];
    }
    let Some(innermost) = write(program, kernel, tiles, decisions) else { return };
    // the plan asks by the innermost loop over threads
    let moved = decisions.sums.iter().filter(|((iter, _), _)| threads.contains(iter));
    let moved: Vec<_> = moved.map(|((_, id), why)| ((innermost, *id), why.clone())).collect();
    decisions.sums.extend(moved);
    if let (Some(cond), Some(els)) = (&tiles.cond, plain) {
        let origin = stmt.origin;
        let whole = std::mem::replace(stmt, Stmt::new(StmtKind::Fork { tasks: Vec::new() }, origin));
        stmt.kind = StmtKind::If { cond: cond.clone(), then: vec![whole], els };
    }
}

/// Rewrites the loops that blocks cut; gives the innermost loop over blocks.
fn write(program: &mut Program, stmt: &mut Stmt, tiles: &Tiles, decisions: &mut Decisions) -> Option<IterId> {
    let origin = stmt.origin;
    let (cuts, mut body) = cuts(program, stmt, tiles.shape)?;
    let parts: Parts =
        cuts.iter().map(|cut| (cut.each.iter, [cut.each.lo.clone(), cut.each.hi.clone()])).collect();
    let (mut buffers, mut whole) = (Vec::new(), Block::new());
    for (bound, value) in cuts.iter().flat_map(|cut| &cut.bounds) {
        buffers.push(*bound);
        whole.push(Builder { program, origin }.assign(Place::scalar(*bound), value.clone()));
    }
    for window in &tiles.windows {
        let tile = declare(program, window);
        let copy = copy(&mut Builder { program, origin }, tiles.shape, window, tile, &parts);
        if let Some(each) = copy.as_for() {
            let name = &program[window.of].name;
            let what = format!("parallel: threads of a block copy their part of `{name}`");
            decisions.loops.insert(each.iter, what);
        }
        whole.push(copy);
        body.iter_mut().for_each(|stmt| redirect(program, stmt, window, tile, &parts));
        buffers.push(tile);
    }
    let what = words(program, tiles);
    let build = Builder { program, origin };
    // the iterations of the innermost loop, a row or the columns of one, are the threads
    for (depth, cut) in cuts.iter().enumerate() {
        let exec = if depth + 1 == cuts.len() { Exec::Parallel(Level::Block) } else { Exec::Sequential };
        body = vec![build.stmt(StmtKind::For(For { exec, body, ..cut.each.clone() }))];
    }
    whole.extend(body);
    let innermost = cuts.last().map(|cut| cut.tile);
    *stmt = build.scope(buffers, whole);
    for cut in cuts.into_iter().rev() {
        let inside = innermost == Some(cut.tile);
        let what = if inside { what.clone() } else { "parallel: with the loop inside".to_owned() };
        decisions.loops.insert(cut.tile, what);
        let exec = Exec::Parallel(Level::Grid);
        let body = vec![std::mem::replace(stmt, build.stmt(StmtKind::Fork { tasks: Vec::new() }))];
        *stmt = build.stmt(StmtKind::For(For { exec, ..For::counted(cut.tile, cut.tiles, body) }));
    }
    innermost
}

/// What the plan says of it.
fn words(program: &Program, tiles: &Tiles) -> String {
    let names = tiles.windows.iter().map(|window| format!("`{}`", program[window.of].name));
    let names = names.collect::<Vec<String>>().join(" and of ");
    let size = match tiles.shape {
        Shape::Rows => format!("{THREADS_OF_A_TILE} iterations"),
        Shape::Square { columns } => format!("{} by {columns} iterations", crate::limits::ROWS_OF_A_SQUARE),
    };
    format!("parallel: a block of threads for {size}, with its part of {names} in shared memory")
}

/// The loops that blocks cut, outermost first, and what stands in all of them.
fn cuts(program: &mut Program, stmt: &mut Stmt, shape: Shape) -> Option<(Vec<Cut>, Block)> {
    let outer = stmt.as_for_mut()?;
    let columns = match shape {
        Shape::Rows => {
            let body = std::mem::take(&mut outer.body);
            return Some((vec![cut(program, outer.clone(), THREADS_OF_A_TILE)], body));
        }
        Shape::Square { columns } => columns,
    };
    let [Stmt { kind: StmtKind::For(inner), .. }] = &mut outer.body[..] else { return None };
    let body = std::mem::take(&mut inner.body);
    let inner = inner.clone();
    outer.body.clear();
    Some((
        vec![cut(program, outer.clone(), crate::limits::ROWS_OF_A_SQUARE), cut(program, inner, columns)],
        body,
    ))
}

/// A loop in parts of so many iterations; its body is left out.
fn cut(program: &mut Program, each: For, by: usize) -> Cut {
    let name = program[each.iter].name.clone();
    let tile = program.add_iter(&format!("{name}_tile"), Ty::USIZE);
    let tiles = Expr::call(Ty::USIZE, Func::DivCeil, vec![trip_count(&each), Expr::usize(by)]);
    let [from, to] =
        ["from", "to"].map(|end| program.add_scalar(&format!("{name}_{end}"), Ty::USIZE, Role::Local));
    let [lo, hi] = [from, to].map(|bound| program.load_scalar(bound));
    let begins = Expr::iter(tile, Ty::USIZE) * Expr::usize(by);
    let begins = if each.lo.kind == ExprKind::Int(0) { begins } else { each.lo.clone() + begins };
    let rest = Expr::call(Ty::USIZE, Func::IntMin, vec![each.hi.clone() - lo.clone(), Expr::usize(by)]);
    let bounds = [(from, begins), (to, lo.clone() + rest)];
    Cut { tile, tiles, bounds, each: For { lo, hi, order: Order::Up, ..each } }
}

fn declare(program: &mut Program, window: &Window) -> BufferId {
    let (name, elem) = (format!("{}_tile", program[window.of].name), program[window.of].elem);
    let dims = window.extents().map(Expr::usize).to_vec();
    program.add_buffer(Buffer { space: Space::Shared, ..Buffer::new(&name, elem, dims, Role::Tile) })
}

/// `expr + number`, whatever wraps.
fn moved(expr: Expr, number: i128) -> Expr {
    let by = Expr::usize(number.unsigned_abs() as usize);
    match number.signum() {
        0 => expr,
        1 => Expr::call(Ty::USIZE, Func::WrappingAdd, vec![expr, by]),
        _ => Expr::call(Ty::USIZE, Func::WrappingSub, vec![expr, by]),
    }
}

/// The loop whose iterations are the threads that copy a window.
fn copy(build: &mut Builder<'_>, shape: Shape, window: &Window, tile: BufferId, parts: &Parts) -> Stmt {
    let (thread, row) = (build.index("thread"), build.index("row"));
    let [at_thread, at_row] = [thread, row].map(|iter| Expr::iter(iter, Ty::USIZE));
    let column = match shape {
        Shape::Square { .. } => at_thread.clone(),
        Shape::Rows => Expr::binary(BinOp::Rem, at_thread.clone(), Expr::usize(WARP)),
    };
    let first = |iter: IterId, at: &Expr, first: i128| match parts.get(&iter) {
        Some([start, _]) => moved(start.clone() + at.clone(), first),
        None => at.clone(),
    };
    let (of_row, of_column) = (
        first(window.row, &at_row, window.first[0]).wrapping(Ty::is_usize),
        first(window.column, &column, window.first[1]).wrapping(Ty::is_usize),
    );
    let at = |node: Expr| match node.kind {
        ExprKind::Iter(iter) if iter == window.row => of_row.clone(),
        ExprKind::Iter(iter) if iter == window.column => of_column.clone(),
        _ => node,
    };
    let index =
        window.index.iter().map(|index| index.map(&mut |node| at(node)).wrapping(Ty::is_usize)).collect();
    let value = Place::new(window.of, index).load(build.program[window.of].elem);
    let target = Place::new(tile, vec![at_row, column.clone()]);
    let mut body = build.if_there(&[&value], vec![build.assign(target, value.clone())]);
    if shape == Shape::Rows {
        let columns = window.columns.clone().unwrap_or(Expr::usize(window.size[1]));
        body = vec![build.when(column.below(columns), body)];
    }
    // no more than what the iterations of the part read
    let read = |iter: IterId, beside: usize| match parts.get(&iter) {
        Some([start, end]) => end.clone() - start.clone() + Expr::usize(beside),
        None => Expr::usize(THREADS_OF_A_TILE),
    };
    let reach = match shape {
        Shape::Square { .. } => window.size[0] - crate::limits::ROWS_OF_A_SQUARE,
        Shape::Rows => 0,
    };
    let rows = For { exec: Exec::Sequential, ..For::counted(row, read(window.row, reach), body) };
    let rows = match shape {
        Shape::Square { .. } => rows,
        Shape::Rows => {
            let warp = Expr::binary(BinOp::Div, at_thread, Expr::usize(WARP));
            For { lo: warp, step: Expr::usize(THREADS_OF_A_TILE / crate::limits::COLUMNS_OF_ROWS), ..rows }
        }
    };
    let rows = vec![build.stmt(StmtKind::For(rows))];
    let exec = Exec::Parallel(Level::Block);
    build.stmt(StmtKind::For(For { exec, ..For::counted(thread, read(window.column, window.beside), rows) }))
}

/// Lets a statement read a window where it read the array.
fn redirect(program: &Program, stmt: &mut Stmt, window: &Window, tile: BufferId, parts: &Parts) {
    let from = |iter: IterId, shift: &Shift, first: i128| {
        let mut at = parts.get(&iter).map(|[start, _]| Expr::iter(iter, Ty::USIZE) - start.clone());
        for &(inner, sign) in &shift.iters {
            let inner = Expr::iter(inner, Ty::USIZE);
            at = Some(match (at, sign) {
                (None, _) => inner,
                (Some(at), 1) => at + inner,
                (Some(at), _) => at - inner,
            });
        }
        moved(at.unwrap_or(Expr::usize(0)), shift.number - first).wrapping(Ty::is_usize)
    };
    let elem = program[tile].elem;
    for expr in stmt.exprs_mut() {
        *expr = expr.map(&mut |node| {
            let ExprKind::Load(place) = &node.kind else { return node };
            let Some(read) = window.reads.iter().find(|read| read.place == *place) else { return node };
            let (row, column) = (
                from(window.row, &read.row, window.first[0]),
                from(window.column, &read.column, window.first[1]),
            );
            Place::new(tile, vec![row, column]).load(elem)
        });
    }
    let inner = stmt.blocks_mut().into_iter().flatten();
    inner.for_each(|stmt| redirect(program, stmt, window, tile, parts));
}
