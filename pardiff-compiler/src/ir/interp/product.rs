//! Matrix products, term by term.

use super::Number;
use super::fault::Fault;
use super::machine::Machine;
use crate::ir::{BinOp, BufferId, Expr, Matrix, Place, Product, ReduceOp, Scheme};

impl<N: Number> Machine<'_, N> {
    pub(super) fn product(&mut self, product: &Product, reads: &[BufferId]) -> Result<(), Fault> {
        let Some([target, left, right]) = product.matrices(reads) else {
            return Err(Fault::unsupported("a product of other than two matrices"));
        };
        let mut sizes = [0; 3];
        for (size, expr) in sizes.iter_mut().zip(&product.sizes) {
            *size = self.index(expr)?;
        }
        let [target, left, right] = [self.fixed(target)?, self.fixed(left)?, self.fixed(right)?];
        for row in 0..sizes[0] {
            for column in 0..sizes[1] {
                for term in 0..sizes[2] {
                    self.burn()?;
                    let ty = product.scale.ty;
                    let factors = [left.at(row, term), right.at(term, column)].map(|place| place.load(ty));
                    let value = factors
                        .into_iter()
                        .fold(product.scale.clone(), |value, factor| Expr::binary(BinOp::Mul, value, factor));
                    self.reduce(ReduceOp::Add, &target.at(row, column), &value, Scheme::Sequential)?;
                }
            }
        }
        Ok(())
    }

    /// A matrix whose indices have been evaluated.
    fn fixed(&self, (buffer, matrix): (BufferId, &Matrix)) -> Result<Fixed, Fault> {
        let values =
            |exprs: &[Expr]| exprs.iter().map(|expr| self.index(expr)).collect::<Result<Vec<_>, _>>();
        let steps = [values(&matrix.steps[0])?, values(&matrix.steps[1])?];
        Ok(Fixed { buffer, first: values(&matrix.first)?, steps })
    }
}

struct Fixed {
    buffer: BufferId,
    first: Vec<usize>,
    steps: [Vec<usize>; 2],
}

impl Fixed {
    fn at(&self, row: usize, column: usize) -> Place {
        let steps = self.steps[0].iter().zip(&self.steps[1]);
        let along = steps.map(|(by_row, by_column)| row * by_row + column * by_column);
        Place::new(self.buffer, self.first.iter().zip(along).map(|(at, by)| Expr::usize(at + by)).collect())
    }
}
