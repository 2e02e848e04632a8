//! Colours of columns: those of one colour are computed together.
//!
//! Greedy, columns with many entries first. *Columns* (Curtis, Powell and Reid): two with a row in common differ.
//! *Star* (Gebremedhin, Manne and Pothen, "What color is your Jacobian?", 2005), for a symmetric matrix, where each
//! entry is there twice: neighbours differ, and so does a third colour on each path of four vertices. Then of an
//! entry `(i, j)` either row `i` has no other entry in the colour of `j`, or row `j` none in the colour of `i`.

use super::pattern::Pattern;

/// A colour for each column, from 0 on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Colouring {
    of: Vec<usize>,
    count: usize,
}

impl Colouring {
    /// Two columns of one colour have no row in common.
    pub fn of_columns(pattern: &Pattern) -> Colouring {
        let by_column = pattern.transposed();
        greedy(&by_column, |j, colours, forbid| {
            for &i in by_column.row(j) {
                pattern.row(i).iter().filter_map(|&k| colours[k]).for_each(&mut *forbid);
            }
        })
    }

    /// A star colouring of a symmetric pattern.
    ///
    /// # Panics
    ///
    /// If the pattern is not symmetric.
    pub fn star(pattern: &Pattern) -> Colouring {
        let (rows, columns) = (pattern.rows(), pattern.columns());
        assert!(rows == columns, "a pattern of {rows} by {columns} is not symmetric");
        let asymmetric = pattern.iter().find(|&(i, j)| pattern.position(j, i).is_none());
        if let Some((i, j)) = asymmetric {
            panic!("a pattern with the entry ({i}, {j}) and without ({j}, {i}) is not symmetric");
        }
        let neighbours = |v: usize| pattern.row(v).iter().copied().filter(move |&w| w != v);
        greedy(pattern, |v, colours, forbid| {
            for w in neighbours(v) {
                colours[w].into_iter().for_each(&mut *forbid);
                for x in neighbours(w).filter(|&x| x != v) {
                    let Some(colour) = colours[x] else { continue };
                    // where `w` has no colour yet, the path of `v`, `w`, `x` gets three colours now
                    let is_path = |y: usize| y != w && colours[y].is_some() && colours[y] == colours[w];
                    if colours[w].is_none() || neighbours(x).any(is_path) {
                        forbid(colour);
                    }
                }
            }
        })
    }

    /// The colour of a column.
    pub fn of(&self, column: usize) -> usize {
        self.of[column]
    }

    /// The number of columns.
    pub fn len(&self) -> usize {
        self.of.len()
    }

    /// Whether there are no columns.
    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// The number of colours.
    pub fn count(&self) -> usize {
        self.count
    }
}

/// The least colours that are not forbidden, by rows of `vertices`, long ones first.
fn greedy(
    vertices: &Pattern,
    forbidden: impl Fn(usize, &[Option<usize>], &mut dyn FnMut(usize)),
) -> Colouring {
    let mut order: Vec<usize> = (0..vertices.rows()).collect();
    order.sort_by_key(|&v| std::cmp::Reverse(vertices.row(v).len()));
    let mut colours = vec![None; vertices.rows()];
    // for which vertex each colour was forbidden last
    let mut last: Vec<usize> = Vec::new();
    for v in order {
        forbidden(v, &colours, &mut |colour| last[colour] = v);
        let free = last.iter().position(|&of| of != v).unwrap_or_else(|| {
            last.push(usize::MAX);
            last.len() - 1
        });
        colours[v] = Some(free);
    }
    Colouring { of: colours.into_iter().flatten().collect(), count: last.len() }
}
