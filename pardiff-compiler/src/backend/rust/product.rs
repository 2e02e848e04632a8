//! Matrix products: a call of the runtime, which checks that all elements are there.
//!
//! ```text
//! call product [m, n, k] c[0] by [n] [1]      product([m, n, k], 1.0, &mut c[..], [&a[..], &b[..]],
//!     += a[0] by [k] [1] * b[0] by [n] [1] * 1.0       [[0, n, 1], [0, k, 1], [0, n, 1]])
//! ```

use super::emitter::Emitter;
use super::storage::Storage;
use super::{Code, code};
use crate::ir::{BufferId, Matrix, Product};

impl Emitter<'_> {
    pub(super) fn product(&self, product: &Product, reads: &[BufferId]) -> Code {
        let Some(matrices) = product.matrices(reads) else { return code!() };
        let runtime = &self.runtime;
        let sizes = product.sizes.iter().map(|size| self.typed(size));
        let scale = self.typed(&product.scale);
        let (sizes_of, scale_of, places) = (self.fresh("sizes"), self.fresh("scale"), self.fresh("places"));
        let at = matrices.map(|(buffer, matrix)| self.places(buffer, matrix));
        let [(target, _), (left, _), (right, _)] = matrices;
        let target = self.elements(target, true);
        let (left, right) = (self.elements(left, false), self.elements(right, false));
        // lengths are read before the target is borrowed
        code! {{
            let #sizes_of: [usize; 3] = [#(#sizes),*];
            let #places: [[usize; 3]; 3] = [#(#at),*];
            let #scale_of = #scale;
            #runtime::product(#sizes_of, #scale_of, #target, [#left, #right], #places);
        }}
    }

    /// Where a matrix begins and by what its rows and its columns differ, in memory.
    fn places(&self, buffer: BufferId, matrix: &Matrix) -> Code {
        let parts = [matrix.start(buffer), matrix.step(0, buffer), matrix.step(1, buffer)];
        let parts = parts.map(|place| self.typed(&self.position(&place)));
        code!([#(#parts),*])
    }

    /// All elements of an array.
    pub(super) fn elements(&self, buffer: BufferId, mutable: bool) -> Code {
        let base = self.base(buffer);
        let rows = match self.storage(buffer) {
            Storage::Host { .. } => self.program[buffer].rank() - 1,
            _ => 0,
        };
        match (mutable, rows) {
            (true, 0) => code!(&mut #base[..]),
            (false, 0) => code!(&#base[..]),
            (true, _) => {
                let rows: Code = (0..rows).map(|_| code!(.as_flattened_mut())).collect();
                code!(#base[..]#rows)
            }
            (false, _) => {
                let rows: Code = (0..rows).map(|_| code!(.as_flattened())).collect();
                code!(#base[..]#rows)
            }
        }
    }
}
