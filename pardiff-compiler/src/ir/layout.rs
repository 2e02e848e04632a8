//! From a logical index to a position in memory: the one place that knows what a [`Layout`] means.
//!
//! The same function computes positions as numbers (the interpreter) and as expressions (the back ends).

use super::{BinOp, Expr, ExprKind, Layout, Ty};

/// What positions are computed with.
pub trait Offset: Clone {
    /// A constant.
    fn constant(value: usize) -> Self;
    /// The sum.
    fn add(self, rhs: Self) -> Self;
    /// The product.
    fn mul(self, rhs: Self) -> Self;
    /// The quotient by a positive constant, rounded down.
    fn div(self, divisor: usize) -> Self;
    /// `q`, if the index of a row is written `q / extent` and that in the row `q % extent`.
    fn joined(extent: &Self, outer: &Self, inner: &Self) -> Option<Self>;
}

impl Layout {
    /// Whether the outermost extent is found as the program runs.
    pub fn grows(&self) -> bool {
        matches!(self, Layout::Growing | Layout::Reserved)
    }
}

/// The position of the element `index` of a buffer with these extents, counted from the start of its storage. An index of
/// the wrong length has an unspecified position.
pub fn position<O: Offset>(layout: &Layout, extents: &[O], index: &[O]) -> O {
    let rank = index.len().min(extents.len());
    let row_major = |pairs: &mut dyn Iterator<Item = (O, O)>| {
        let mut flat: Vec<(O, O)> = Vec::with_capacity(rank);
        for (extent, index) in pairs {
            let joined = flat.last().and_then(|(_, outer)| O::joined(&extent, outer, &index));
            match (joined, flat.last_mut()) {
                (Some(joined), Some(last)) => *last = (last.0.clone().mul(extent), joined),
                _ => flat.push((extent, index)),
            }
        }
        let position = flat
            .into_iter()
            .reduce(|(_, position), (extent, index)| (extent.clone(), position.mul(extent).add(index)));
        position.map_or_else(|| O::constant(0), |(_, position)| position)
    };
    let pair = |k: usize| (extents[k].clone(), index[k].clone());
    match layout {
        Layout::RowMajor | Layout::Growing | Layout::Reserved => row_major(&mut (0..rank).map(pair)),
        Layout::Padded(multiple) => row_major(&mut (0..rank).map(|k| {
            let (extent, index) = pair(k);
            (if k + 1 == rank { padded(extent, *multiple) } else { extent }, index)
        })),
        Layout::PackedTriangular if rank >= 2 => {
            let outer = row_major(&mut (0..rank - 2).map(pair));
            let triangle = |n: O| n.clone().mul(n.add(O::constant(1))).div(2);
            let inner = triangle(index[rank - 2].clone()).add(index[rank - 1].clone());
            if rank == 2 { inner } else { outer.mul(triangle(extents[rank - 2].clone())).add(inner) }
        }
        Layout::PackedTriangular => row_major(&mut (0..rank).map(pair)),
    }
}

/// The number of elements in memory; `None` where the storage grows.
pub fn size<O: Offset>(layout: &Layout, extents: &[O]) -> Option<O> {
    let product = |extents: &mut dyn Iterator<Item = O>| extents.reduce(O::mul).unwrap_or(O::constant(1));
    let rank = extents.len();
    Some(match layout {
        layout if layout.grows() => return None,
        Layout::Padded(multiple) => product(&mut extents.iter().enumerate().map(|(k, extent)| {
            if k + 1 == rank { padded(extent.clone(), *multiple) } else { extent.clone() }
        })),
        Layout::PackedTriangular if rank >= 2 => {
            let n = extents[rank - 2].clone();
            let triangle = n.clone().mul(n.add(O::constant(1))).div(2);
            product(&mut extents[..rank - 2].iter().cloned().chain([triangle]))
        }
        _ => product(&mut extents.iter().cloned()),
    })
}

fn padded<O: Offset>(extent: O, multiple: usize) -> O {
    let multiple = multiple.max(1);
    extent.add(O::constant(multiple - 1)).div(multiple).mul(O::constant(multiple))
}

/// Numbers; `None` is what does not fit.
impl Offset for Option<usize> {
    fn constant(value: usize) -> Self {
        Some(value)
    }

    fn add(self, rhs: Self) -> Self {
        self?.checked_add(rhs?)
    }

    fn mul(self, rhs: Self) -> Self {
        self?.checked_mul(rhs?)
    }

    fn div(self, divisor: usize) -> Self {
        self?.checked_div(divisor)
    }

    fn joined(_: &Self, _: &Self, _: &Self) -> Option<Self> {
        None
    }
}

/// `usize` expressions; constants are folded.
impl Offset for Expr {
    fn constant(value: usize) -> Self {
        Expr::usize(value)
    }

    fn add(self, rhs: Self) -> Self {
        fold(BinOp::Add, self, rhs)
    }

    fn mul(self, rhs: Self) -> Self {
        fold(BinOp::Mul, self, rhs)
    }

    fn div(self, divisor: usize) -> Self {
        fold(BinOp::Div, self, Expr::usize(divisor))
    }

    fn joined(extent: &Self, outer: &Self, inner: &Self) -> Option<Self> {
        match (&outer.kind, &inner.kind) {
            (ExprKind::Binary(BinOp::Div, q, by), ExprKind::Binary(BinOp::Rem, same, of)) => {
                (q == same && **by == *extent && **of == *extent).then(|| (**q).clone())
            }
            _ => None,
        }
    }
}

fn fold(op: BinOp, lhs: Expr, rhs: Expr) -> Expr {
    use ExprKind::Int;
    let max = usize::MAX as i128;
    match (op, &lhs.kind, &rhs.kind) {
        (BinOp::Add, Int(0), _) | (BinOp::Mul, Int(1), _) => rhs,
        (BinOp::Add, _, Int(0)) | (BinOp::Mul | BinOp::Div, _, Int(1)) => lhs,
        (BinOp::Mul, Int(0), _) | (BinOp::Mul, _, Int(0)) => Expr::usize(0),
        (BinOp::Add, Int(a), Int(b)) if a + b <= max => Expr::int(Ty::USIZE, a + b),
        (BinOp::Mul, Int(a), Int(b)) if a.checked_mul(*b).is_some_and(|c| c <= max) => {
            Expr::int(Ty::USIZE, a * b)
        }
        (BinOp::Div, Int(a), Int(b)) if *b > 0 => Expr::int(Ty::USIZE, a / b),
        _ => Expr::binary(op, lhs, rhs),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(layout: &Layout, extents: &[usize], index: &[usize]) -> usize {
        let numbers = |list: &[usize]| list.iter().map(|&n| Some(n)).collect::<Vec<_>>();
        position(layout, &numbers(extents), &numbers(index)).unwrap()
    }

    #[test]
    fn every_layout_places_its_elements() {
        assert_eq!(at(&Layout::RowMajor, &[4, 5, 6], &[1, 2, 3]), 45);
        assert_eq!(at(&Layout::RowMajor, &[], &[]), 0);
        assert_eq!(at(&Layout::Growing, &[0, 5], &[7, 2]), 37);
        assert_eq!(at(&Layout::Padded(8), &[3, 5], &[2, 4]), 20);
        assert_eq!(at(&Layout::PackedTriangular, &[4, 4], &[3, 1]), 7);
        assert_eq!(at(&Layout::PackedTriangular, &[2, 4, 4], &[1, 3, 1]), 17);
    }

    #[test]
    fn positions_fill_the_size_without_gaps_or_collisions() {
        for (layout, extents) in [(Layout::RowMajor, [3, 4, 4]), (Layout::PackedTriangular, [3, 4, 4])] {
            let triangular = layout == Layout::PackedTriangular;
            let mut seen = Vec::new();
            for i in 0..extents[0] {
                for j in 0..extents[1] {
                    for k in 0..if triangular { j + 1 } else { extents[2] } {
                        seen.push(at(&layout, &extents, &[i, j, k]));
                    }
                }
            }
            seen.sort();
            let numbers: Vec<_> = extents.iter().map(|&n| Some(n)).collect();
            let size: Option<usize> = size(&layout, &numbers).unwrap();
            assert_eq!(seen, (0..size.unwrap()).collect::<Vec<_>>(), "{layout:?}");
        }
    }

    #[test]
    fn expressions_fold_constants() {
        let extents = [Expr::usize(3), Expr::usize(4)];
        let place = position(&Layout::RowMajor, &extents, &[Expr::usize(2), Expr::usize(1)]);
        assert_eq!(place, Expr::usize(9));
        assert_eq!(size(&Layout::Padded(8), &extents), Some(Expr::usize(24)));
    }

    #[test]
    fn what_does_not_fit_is_not_a_number() {
        assert_eq!(size(&Layout::RowMajor, &[Some(usize::MAX), Some(2)]), Some(None));
    }
}
