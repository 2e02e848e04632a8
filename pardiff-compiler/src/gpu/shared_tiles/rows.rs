//! A row for each thread.

use super::reads::{Inside, Read, Shift, Window, at_zero};
use super::{Shape, Tiles, that_fit};
use crate::gpu::blocks::{is_of_host, width};
use crate::ir::{BufferId, Expr, For, IterId, Program, Ty, offset_of};
use crate::limits::{COLUMNS_OF_ROWS, THREADS_OF_A_TILE, WARP};
use crate::schedule::cost::{Costs, trip_count};
use crate::schedule::offsets::{Linear, Offsets};

/// The windows of a kernel whose only loop over threads is this one.
pub(super) fn find(
    program: &Program,
    inside: &Inside<'_>,
    each: &For,
    room: usize,
    costs: &Costs,
) -> Option<Tiles> {
    if each.lo.ty != Ty::USIZE || each.step != Expr::usize(1) || each.inclusive || is_short(each) {
        return None;
    }
    let iters: Vec<IterId> = [each.iter].iter().chain(&inside.iters).copied().collect();
    let fixed = |expr: &Expr| inside.is_fixed(expr, &iters);
    let mut offsets = Offsets::new(&iters, &fixed);
    let mut found: Vec<(Linear, Expr, Window)> = Vec::new();
    for place in &inside.places {
        let Some(linear) = offsets.linear(&place.index) else { continue };
        let Some((column, bound)) = row_of(program, inside, &iters, (place.buffer, &linear), costs) else {
            continue;
        };
        let own = linear.of_first(1);
        let is_it = |(known, length, window): &(Linear, Expr, Window)| {
            window.of == place.buffer && *known == own && *length == bound
        };
        let at = found.iter().position(is_it).unwrap_or_else(|| {
            let window = Window {
                of: place.buffer,
                index: at_zero(&place.index, &iters, [each.iter, column]),
                row: each.iter,
                column,
                first: [0, 0],
                size: [THREADS_OF_A_TILE, bound.as_usize().unwrap_or(COLUMNS_OF_ROWS)],
                beside: 0,
                columns: bound.as_usize().is_none().then(|| bound.clone()),
                reads: Vec::new(),
            };
            found.push((own, bound, window));
            found.len() - 1
        });
        let column = Shift { number: 0, iters: vec![(column, 1)] };
        found[at].2.reads.push(Read { place: place.clone(), row: Shift::default(), column });
    }
    let windows = found.into_iter().map(|(_, _, window)| window).filter(|window| is_read(inside, window));
    let windows = that_fit(program, windows.collect(), room);
    if windows.is_empty() {
        return None;
    }
    // where there are few iterations, blocks of as many threads as iterations leave multiprocessors idle
    let (trips, least) = (trip_count(each), costs.tiles * WARP);
    let many = match trips.as_usize() {
        Some(trips) if trips < least => return None,
        Some(_) => None,
        None => Some(Expr::usize(least).at_most(trips)).filter(|_| least > 0),
    };
    let mut cond = None;
    for window in &windows {
        let Some(columns) = &window.columns else { continue };
        let least = Expr::usize(costs.far_apart / width(program[window.of].elem));
        let fits = least.at_most(columns.clone()) & columns.clone().at_most(Expr::usize(COLUMNS_OF_ROWS));
        cond = match cond {
            Some(known) if known == fits => Some(known),
            known => Some(known.map_or(fits.clone(), |known| known & fits)),
        };
    }
    let cond = [many, cond].into_iter().flatten().reduce(|a, b| a & b);
    Some(Tiles { shape: Shape::Rows, windows, cond })
}

/// Whether a loop is known to have fewer iterations than a block has threads.
fn is_short(each: &For) -> bool {
    let ((lo, first), (hi, behind)) = (offset_of(&each.lo), offset_of(&each.hi));
    let trips = match trip_count(each).as_usize() {
        None if lo == hi => Some(behind - first),
        trips => trips.map(|trips| trips as i128),
    };
    trips.is_some_and(|trips| trips < THREADS_OF_A_TILE as i128)
}

/// Whether a loop reads rows from their beginning on, and not their last elements alone.
fn is_read(inside: &Inside<'_>, window: &Window) -> bool {
    let along = window.reads.iter().flat_map(|read| &read.column.iters);
    along.into_iter().any(|(iter, _)| {
        let begins = inside.loops.get(iter).and_then(|each| each.lo.as_usize());
        begins.is_some_and(|first| first <= 1)
    })
}

/// The iterator of the columns and what it is below, if neighbouring threads read rows and each of them along its own.
fn row_of(
    program: &Program,
    inside: &Inside<'_>,
    iters: &[IterId],
    (of, linear): (BufferId, &Linear),
    costs: &Costs,
) -> Option<(IterId, Expr)> {
    let last = program[of].rank() - 1;
    let mut moving = (1..iters.len()).filter(|&dimension| linear.moves(dimension));
    let along = moving.next()?;
    let near = linear.number(0, last).map(|by| by.unsigned_abs() as usize * width(program[of].elem));
    if moving.next().is_some()
        || linear.number(along, last) != Some(1)
        || !linear.moves(0)
        || near.is_some_and(|bytes| bytes < costs.far_apart)
    {
        return None;
    }
    let bound = inside.bound(iters[along])?;
    let fits = match bound.as_usize() {
        Some(columns) => columns * width(program[of].elem) >= costs.far_apart && columns <= COLUMNS_OF_ROWS,
        None => is_of_host(program, &inside.changed, &bound),
    };
    fits.then_some((iters[along], bound))
}
