//! How many iterations of a nest are executed together.

use super::nest::{Nest, Row, Touch};
use crate::ir::{BinOp, Expr, ExprKind, For, Place};
use crate::schedule::lanes::cost;
use crate::schedule::lanes::price::call;

/// So many iterations of the outer and of the inner loop are executed together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Tile {
    pub(super) outer: usize,
    pub(super) inner: usize,
}

impl Tile {
    const ONE: Tile = Tile { outer: 1, inner: 1 };

    fn copies(self) -> usize {
        self.outer * self.inner
    }
}

/// What decides the price of a tile: how often each kind of access is made depends on which loops its index mentions.
struct Body {
    elements: Vec<Element>,
    operations: f64,
}

struct Element {
    varies: bool,
    loaded: bool,
    stored: bool,
    /// A sum of all lanes.
    sum: bool,
    outer: bool,
    inner: bool,
}

/// The tile of a row that pays most; nothing if none does, or if the row is shorter than the tile.
pub(super) fn of_row(row: &Row) -> Option<usize> {
    let body = Body::of(row, None);
    body.best(&tiles(&[1])).map(|tile| tile.inner).filter(|by| runs(&row.each, *by))
}

/// The tile of a nest that pays most; nothing if the rows are better off alone, or fewer than the tile has.
pub(super) fn of_nest(nest: &Nest) -> Option<Tile> {
    let best = Body::of(&nest.row, Some(nest)).best(&tiles(&[1, 2, 4]));
    let Tile { outer, inner } = best.filter(|tile| tile.outer > 1 && runs(&nest.each, tile.outer))?;
    Some(Tile { outer, inner: if runs(&nest.row.each, inner) { inner } else { 1 } })
}

/// Whether so many iterations of a loop are ever executed together.
fn runs(each: &For, together: usize) -> bool {
    each.constant_trip().is_none_or(|trip| trip >= together)
}

/// The price of one iteration of a row, in a nest if there is one, with the tile that pays most.
pub(super) fn lowest(row: &Row, nest: Option<&Nest>) -> f64 {
    let body = Body::of(row, nest);
    let outer: &[usize] = if nest.is_some() { &[1, 2, 4] } else { &[1] };
    body.with(body.best(&tiles(outer)).unwrap_or(Tile::ONE))
}

fn tiles(outer: &[usize]) -> Vec<Tile> {
    outer.iter().flat_map(|&outer| [1, 2, 4, 8].map(|inner| Tile { outer, inner })).collect()
}

impl Body {
    fn of(row: &Row, nest: Option<&Nest>) -> Body {
        let mut elements: Vec<(Place, Element)> = Vec::new();
        for (place, touch) in row.touches() {
            if touch == Touch::Read && place.index.is_empty() {
                // a size, or a number: what is computed from it counts
                continue;
            }
            let sum = matches!(touch, Touch::Update(_)) && !row.varies(&place);
            let loaded = touch != Touch::Write;
            let stored = touch != Touch::Read;
            let known = elements.iter_mut().find(|(known, element)| *known == place && element.sum == sum);
            if let Some((_, known)) = known {
                // what is written before it is read need not be loaded
                known.stored |= stored;
                continue;
            }
            let held = |expr: &Expr| {
                let mut held = false;
                expr.each_load(&mut |place| {
                    held |= row.piece.held.contains(&place.buffer);
                    held |= nest.is_some_and(|nest| nest.piece.held.contains(&place.buffer));
                });
                held
            };
            let mentions = |iter| place.index.iter().any(|index| index.mentions(iter) || held(index));
            let outer = nest.is_some_and(|nest| mentions(nest.each.iter));
            let inner = mentions(row.each.iter);
            let element = Element { varies: row.varies(&place), loaded, stored, sum, outer, inner };
            elements.push((place, element));
        }
        let mut operations = 0.0;
        for stmt in &row.list {
            let Some((_, value)) = stmt.as_store() else { continue };
            operations += if stmt.as_update().is_some() { 1.0 } else { 0.0 };
            value.walk(&mut |expr| {
                if row.varies_expr(expr) {
                    operations += operation(expr);
                }
            });
        }
        Body { elements: elements.into_iter().map(|(_, element)| element).collect(), operations }
    }

    /// The tile with the lowest price that leaves everything in registers, if it pays by a margin. Of tiles that are
    /// about equal the smallest is taken.
    fn best(&self, tiles: &[Tile]) -> Option<Tile> {
        let fits = |tile: &&Tile| {
            let (live, sums) = self.live(**tile);
            live <= cost::REGISTERS
                && (sums <= cost::ACCUMULATORS || tile.copies() == 1)
                && self.shares(**tile)
        };
        let lowest = tiles.iter().filter(fits).map(|&tile| self.with(tile)).fold(f64::INFINITY, f64::min);
        let close = |tile: &&Tile| self.with(**tile) <= lowest * cost::JAM_TIE;
        let best = tiles.iter().filter(fits).filter(close).min_by_key(|tile| tile.copies())?;
        (best.copies() > 1 && self.with(*best) * cost::JAM_MARGIN < self.price(Tile::ONE)).then_some(*best)
    }

    /// The price of one copy, where some are left over that are executed alone.
    fn with(&self, tile: Tile) -> f64 {
        let left = |by: usize| (by - 1) as f64 / 2.0 / cost::JAMMED_TRIP;
        let left = (left(tile.outer) + left(tile.inner)).min(1.0);
        left * self.price(Tile::ONE) + (1.0 - left) * self.price(tile)
    }

    fn times(element: &Element, tile: Tile) -> f64 {
        let outer = if element.outer { tile.outer } else { 1 };
        let inner = if element.inner { tile.inner } else { 1 };
        (outer * inner) as f64
    }

    /// Whether the copies have so much in common that they make notably fewer accesses.
    fn shares(&self, tile: Tile) -> bool {
        let accesses = |tile: Tile| -> f64 {
            let of = |element: &Element| {
                let each = f64::from(u8::from(element.loaded)) + f64::from(u8::from(element.stored));
                if element.varies { each * Body::times(element, tile) } else { 0.0 }
            };
            self.elements.iter().map(of).sum::<f64>() / tile.copies() as f64
        };
        tile == Tile::ONE || accesses(tile) * cost::JAM_SHARE <= accesses(Tile::ONE)
    }

    /// The price of one copy.
    fn price(&self, tile: Tile) -> f64 {
        let copies = tile.copies() as f64;
        let (mut vector, mut sums) = (copies * self.operations, 0.0);
        for element in &self.elements {
            let times = Body::times(element, tile);
            if element.sum {
                sums += times;
            } else if element.varies {
                vector += times * (f64::from(u8::from(element.loaded)) + f64::from(u8::from(element.stored)));
            }
        }
        let vectors = f64::from(cost::LANES) / cost::VECTOR as f64;
        let folds = f64::min(cost::FOLD * sums, cost::FOLDS + cost::FOLD / 4.0 * sums);
        (vectors * vector + cost::LANE_LOOP + folds) / copies
    }

    /// Vectors that are live at once: sums, what is the same in all lanes, what several copies use; and the sums among them.
    fn live(&self, tile: Tile) -> (usize, usize) {
        let (mut live, mut sums) = (2, 0);
        for element in &self.elements {
            let times = Body::times(element, tile) as usize;
            sums += if element.sum { times } else { 0 };
            live += if element.sum || !element.varies {
                times
            } else if element.outer && !element.inner {
                // copies of one column follow each other: those of one row are live in between
                tile.outer
            } else {
                1
            };
        }
        (live, sums)
    }
}

fn operation(expr: &Expr) -> f64 {
    match &expr.kind {
        ExprKind::Binary(BinOp::Div, ..) => cost::DIVISION,
        ExprKind::Binary(..) | ExprKind::Unary(..) | ExprKind::Select(_) => 1.0,
        ExprKind::Call(func, ..) => call(*func),
        ExprKind::Apply(..) => cost::FUNCTION,
        _ => 0.0,
    }
}
