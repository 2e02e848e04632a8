//! Neighbours in two dimensions.

use super::reads::{Inside, Read, Shift, Window, at_zero};
use super::{Shape, Tiles, that_fit};
use crate::ir::{Expr, For, Func, IterId, Place, Program, Ty};
use crate::limits::{
    COLUMNS_BESIDE_A_SQUARE, COLUMNS_OF_SQUARES, NEIGHBOURING_ROWS, ROWS_OF_A_SQUARE, THREADS_OF_A_TILE,
};
use crate::schedule::cost::{Costs, saturating_mul, trip_count};
use crate::schedule::offsets::{Linear, Offsets};
use std::collections::BTreeSet;

/// Reads that are apart by numbers.
struct Group {
    linear: Linear,
    place: Place,
    /// The rows that are read, by their distance from that of the iteration.
    rows: BTreeSet<i128>,
    columns: (i128, i128),
    reads: Vec<Read>,
}

/// The windows of a kernel whose innermost loops are these.
pub(super) fn find(
    program: &Program,
    inside: &Inside<'_>,
    [outer, inner]: [&For; 2],
    room: usize,
    costs: &Costs,
) -> Option<Tiles> {
    let counts = |each: &For| each.is_plain();
    if !counts(outer) || !counts(inner) {
        return None;
    }
    let iters: Vec<IterId> = [outer.iter, inner.iter].iter().chain(&inside.iters).copied().collect();
    let fixed = |expr: &Expr| inside.is_fixed(expr, &iters);
    let mut offsets = Offsets::new(&iters, &fixed);
    let mut groups: Vec<Group> = Vec::new();
    for place in &inside.places {
        if let Some(linear) = offsets.linear(&place.index) {
            add(program, inside, &iters, place, &linear, &mut groups);
        }
    }
    groups.retain(pays);
    // what saves most comes first
    groups.sort_by_key(|group| std::cmp::Reverse(group.rows.len()));
    let windows: Vec<Window> = groups.into_iter().map(|group| window(group, &iters)).collect();
    let windows = that_fit(program, windows, room);
    let columns = THREADS_OF_A_TILE - windows.iter().map(|window| window.beside).max()?;
    let [down, across] = [outer, inner].map(trip_count);
    let blocks = saturating_mul(parts(&down, ROWS_OF_A_SQUARE), parts(&across, columns));
    let enough = [(blocks, costs.tiles), (across, costs.tiles.min(COLUMNS_OF_SQUARES))];
    let mut cond = None;
    for (of, least) in enough {
        let holds = match of.as_usize() {
            Some(of) if of < least => return None,
            Some(_) => continue,
            None => Expr::usize(least).at_most(of),
        };
        cond = Some(cond.map_or(holds.clone(), |cond| cond & holds));
    }
    Some(Tiles { shape: Shape::Square { columns }, windows, cond })
}

/// How many parts of a length there are in a number of iterations.
fn parts(trips: &Expr, by: usize) -> Expr {
    match trips.as_usize() {
        Some(trips) => Expr::usize(trips.div_ceil(by)),
        None => Expr::call(Ty::USIZE, Func::DivCeil, vec![trips.clone(), Expr::usize(by)]),
    }
}

/// Adds a read to those that it is apart from by numbers, if neighbouring iterations read neighbours.
fn add(
    program: &Program,
    inside: &Inside<'_>,
    iters: &[IterId],
    place: &Place,
    linear: &Linear,
    groups: &mut Vec<Group>,
) -> Option<()> {
    let last = program[place.buffer].rank() - 1;
    if linear.number(1, last) != Some(1) || !linear.moves(0) || linear.number(0, last) == Some(1) {
        return None;
    }
    let mut shifts = [Shift::default(), Shift::default()];
    let mut spans = [(0, 0); 2];
    for (dimension, &iter) in iters.iter().enumerate().skip(2).filter(|(at, _)| linear.moves(*at)) {
        let along = |of| linear.sign(dimension, of).map(|sign| (of, sign));
        let (of, sign) = along(1).or_else(|| along(0))?;
        let (first, last) = inside.range(iter)?;
        let (least, most) = if sign > 0 { (first, last) } else { (-last, -first) };
        spans[of] = (spans[of].0 + least, spans[of].1 + most);
        shifts[of].iters.push((iter, sign));
    }
    let linear = linear.of_first(2);
    let known = groups
        .iter()
        .position(|group| group.place.buffer == place.buffer && linear.minus(&group.linear).is_some());
    let at = known.unwrap_or_else(|| {
        let (rows, columns) = (BTreeSet::new(), (i128::MAX, i128::MIN));
        groups.push(Group { linear: linear.clone(), place: place.clone(), rows, columns, reads: Vec::new() });
        groups.len() - 1
    });
    let group = &mut groups[at];
    let apart = linear.minus(&group.linear)?;
    let (rows, columns) = (spans[0], spans[1]);
    // longer ranges do not fit anyway
    group.rows.extend((rows.0..=rows.1.min(rows.0 + THREADS_OF_A_TILE as i128)).map(|row| row + apart[0]));
    let (least, most) = group.columns;
    group.columns = (least.min(columns.0 + apart[1]), most.max(columns.1 + apart[1]));
    let [mut row, mut column] = shifts;
    (row.number, column.number) = (apart[0], apart[1]);
    group.reads.push(Read { place: place.clone(), row, column });
    Some(())
}

/// Whether it saves a third of what blocks fetch.
fn pays(group: &Group) -> bool {
    let (Some(first), Some(last)) = (group.rows.first(), group.rows.last()) else { return false };
    let (read, copied) = (group.rows.len(), ROWS_OF_A_SQUARE + (last - first) as usize);
    let beside = group.columns.1 - group.columns.0;
    read >= NEIGHBOURING_ROWS
        && 2 * read * ROWS_OF_A_SQUARE >= 3 * copied
        && beside <= COLUMNS_BESIDE_A_SQUARE
}

fn window(group: Group, iters: &[IterId]) -> Window {
    let first = group.rows.first().copied().unwrap_or(0);
    let reach = group.rows.last().map_or(0, |last| (last - first) as usize);
    Window {
        of: group.place.buffer,
        index: at_zero(&group.place.index, iters, [iters[0], iters[1]]),
        row: iters[0],
        column: iters[1],
        first: [first, group.columns.0],
        size: [ROWS_OF_A_SQUARE + reach, THREADS_OF_A_TILE],
        beside: (group.columns.1 - group.columns.0) as usize,
        columns: None,
        reads: group.reads,
    }
}
