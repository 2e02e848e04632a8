//! From products with directions to the entries of a matrix.

use super::colouring::Colouring;
use super::matrix::Matrix;
use super::pattern::{Pattern, Real};
use std::sync::Arc;

/// How the entries of a matrix are read from few products: made once for a pattern, used at as many points as there
/// are.
#[derive(Clone, Debug)]
pub struct Compression {
    pattern: Arc<Pattern>,
    /// Of the elements of a direction.
    colours: Colouring,
    /// The elements of a result.
    results: usize,
    /// For each colour, which entry is at which element of its result.
    taken: Vec<Vec<(usize, usize)>>,
}

impl Compression {
    /// A Jacobian by products with directions, `f::jvp`: `rows` results, `columns` inputs.
    pub fn by_columns(pattern: Pattern) -> Compression {
        let colours = Colouring::of_columns(&pattern);
        let results = pattern.rows();
        Compression::new(pattern, colours, results, |colours, i, j| (colours.of(j), i))
    }

    /// A Jacobian by products of its transpose with seeds, `f::vjp`.
    pub fn by_rows(pattern: Pattern) -> Compression {
        let colours = Colouring::of_columns(&pattern.transposed());
        let results = pattern.columns();
        Compression::new(pattern, colours, results, |colours, i, j| (colours.of(i), j))
    }

    /// A Hessian by products with directions, `f::hvp`. Each entry is read once, and stands at both of its places.
    ///
    /// # Panics
    ///
    /// If the pattern is not symmetric.
    pub fn symmetric(pattern: Pattern) -> Compression {
        let colours = Colouring::star(&pattern);
        let results = pattern.rows();
        // how many entries of each row have the colour of an entry: a star colouring lets one of the two rows have
        // no other
        let alone: Vec<bool> = {
            let mut of_colour = vec![0usize; colours.count()];
            let mut alone = Vec::with_capacity(pattern.entries());
            for i in 0..pattern.rows() {
                let others = || pattern.row(i).iter().filter(move |&&j| j != i).map(|&j| colours.of(j));
                others().for_each(|colour| of_colour[colour] += 1);
                alone.extend(pattern.row(i).iter().map(|&j| j == i || of_colour[colours.of(j)] == 1));
                others().for_each(|colour| of_colour[colour] = 0);
            }
            alone
        };
        let at = |i: usize, j: usize| pattern.position(i, j);
        let is_alone = |i: usize, j: usize| at(i, j).is_some_and(|at| alone[at]);
        // the same of both places, so that the matrix is symmetric in every bit
        let sources: Vec<(usize, usize)> = pattern
            .iter()
            .map(|(i, j)| {
                let (i, j) = (i.min(j), i.max(j));
                if is_alone(i, j) { (j, i) } else { (i, j) }
            })
            .collect();
        let mut sources = sources.into_iter();
        Compression::new(pattern, colours, results, |colours, _, _| {
            let (column, row) = sources.next().expect("one for each entry");
            (colours.of(column), row)
        })
    }

    /// Where each entry `(i, j)` is found: the colour, and the element of its result.
    fn new(
        pattern: Pattern,
        colours: Colouring,
        results: usize,
        mut source: impl FnMut(&Colouring, usize, usize) -> (usize, usize),
    ) -> Compression {
        let mut taken = vec![Vec::new(); colours.count()];
        for (entry, (i, j)) in pattern.iter().enumerate() {
            let (colour, at) = source(&colours, i, j);
            taken[colour].push((entry, at));
        }
        Compression { pattern: Arc::new(pattern), colours, results, taken }
    }

    /// How many products the matrix takes.
    pub fn directions(&self) -> usize {
        self.colours.count()
    }

    /// The pattern of the matrix.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// The colour of each element of a direction.
    pub fn colours(&self) -> &Colouring {
        &self.colours
    }

    /// The matrix, by `product(direction, result)`, whose result is zero before: `f::jvp` stores in it, `f::vjp`
    /// and `f::hvp` add to it.
    pub fn matrix<T: Real>(&self, product: impl FnMut(&[T], &mut [T])) -> Matrix<T> {
        let mut matrix = Matrix::zeros(self.pattern.clone());
        self.update(&mut matrix, product);
        matrix
    }

    /// The same with `W` directions in each call, such as `f::jvp_batch`. Those that are not needed are zero.
    pub fn matrix_batch<T: Real, const W: usize>(
        &self,
        product: impl FnMut(&[[T; W]], &mut [[T; W]]),
    ) -> Matrix<T> {
        let mut matrix = Matrix::zeros(self.pattern.clone());
        self.update_batch(&mut matrix, product);
        matrix
    }

    /// Stores the entries at another point.
    ///
    /// # Panics
    ///
    /// If the matrix has another pattern.
    pub fn update<T: Real>(&self, matrix: &mut Matrix<T>, mut product: impl FnMut(&[T], &mut [T])) {
        self.update_batch::<T, 1>(matrix, |directions, results| {
            product(directions.as_flattened(), results.as_flattened_mut());
        });
    }

    /// The same with `W` directions in each call.
    ///
    /// # Panics
    ///
    /// If the matrix has another pattern.
    pub fn update_batch<T: Real, const W: usize>(
        &self,
        matrix: &mut Matrix<T>,
        mut product: impl FnMut(&[[T; W]], &mut [[T; W]]),
    ) {
        const { assert!(W > 0, "a batch has one direction at least") }
        let is_same = Arc::ptr_eq(&self.pattern, &matrix.pattern) || self.pattern == matrix.pattern;
        assert!(is_same, "the matrix has another pattern than the compression");
        let inputs = self.colours.len();
        let (mut directions, mut results) =
            (vec![[T::default(); W]; inputs], vec![[T::default(); W]; self.results]);
        for (group, taken) in self.taken.chunks(W).enumerate() {
            let first = group * W;
            for (j, direction) in directions.iter_mut().enumerate() {
                let colour = self.colours.of(j);
                *direction = std::array::from_fn(|w| if colour == first + w { T::ONE } else { T::default() });
            }
            results.fill([T::default(); W]);
            product(&directions, &mut results);
            for (w, taken) in taken.iter().enumerate() {
                for &(entry, at) in taken {
                    matrix.values[entry] = results[at][w];
                }
            }
        }
    }
}
