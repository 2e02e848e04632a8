//! Vectors of rows as generated code sees them: one array with as many columns as each row has elements.
//!
//! *Comes in*: rows, of one length or of lengths of their own. *Goes out*: a copy of their elements, one row behind the
//! other, which is written back where the rows are mutable, and where each begins. *Guarantees*: what is read and
//! written through the slice is what would be read and written through the rows. *Never*: changes how long a row
//! is.

use crate::{Arena, Element};

/// How many rows there are, and how long they are.
///
/// # Panics
///
/// Where a row is not as long as the first one.
#[track_caller]
pub fn extents<T, R: AsRef<[T]>>(function: &str, name: &str, rows: &[R]) -> (usize, usize) {
    let len = rows.first().map_or(0, |row| row.as_ref().len());
    if let Some(at) = rows.iter().position(|row| row.as_ref().len() != len) {
        unequal(function, name, at, rows[at].as_ref().len(), len);
    }
    (rows.len(), len)
}

/// How many elements are in rows of any lengths.
pub fn elements<T, R: AsRef<[T]>>(rows: &[R]) -> usize {
    rows.iter().map(|row| row.as_ref().len()).sum()
}

/// Where each of several vectors begins in the array of all of them, and where the last one ends.
pub fn starts<'a>(lengths: &[usize], arena: &'a Arena) -> &'a [usize] {
    let starts = arena.scratch(lengths.len() + 1);
    starts[0] = 0;
    for (at, len) in lengths.iter().enumerate() {
        starts[at + 1] = starts[at] + len;
    }
    starts
}

#[cold]
#[inline(never)]
#[track_caller]
fn unequal(function: &str, name: &str, at: usize, own: usize, len: usize) -> ! {
    let [own_name, first] = [at, 0].map(|at| row(name, at));
    panic!(
        "{function}: the length of `{own_name}` is {own} but the length of `{first}` is {len}; derivatives read rows of \
         one length"
    )
}

/// `x[3]` of `x`, and `x[3].0` of `x[].0`.
fn row(name: &str, at: usize) -> String {
    match name.split_once("[]") {
        Some((of, member)) => format!("{of}[{at}]{member}"),
        None => format!("{name}[{at}]"),
    }
}

/// Panics where a derivative, an adjoint or a tangent, has not the lengths of the rows that it belongs to.
#[track_caller]
pub fn same_shape<T, R: AsRef<[T]>>(
    function: &str,
    derivative: &str,
    name: &str,
    own: &[R],
    array: &str,
    rows: &[R],
) {
    if own.len() != rows.len() {
        crate::wrong_shape(function, derivative, name, own.len(), array, rows.len());
    }
    let lengths = |at: usize| (own[at].as_ref().len(), rows[at].as_ref().len());
    if let Some(at) = (0..own.len()).find(|at| lengths(*at).0 != lengths(*at).1) {
        let ([name, array], (own, len)) = ([name, array].map(|name| row(name, at)), lengths(at));
        crate::wrong_shape(function, derivative, &name, own, &array, len);
    }
}

/// The elements of rows that are read.
pub fn dense<'a, T: Element, R: AsRef<[T]>>(rows: &[R], arena: &'a Arena) -> &'a [T] {
    copied(rows, arena)
}

/// The elements of rows that are written; the copy is written back when this is dropped, after a panic as well.
pub struct DenseMut<'a, T: Element, R: AsMut<[T]>> {
    rows: &'a mut [R],
    copy: &'a mut [T],
}

impl<'a, T: Element, R: AsRef<[T]> + AsMut<[T]>> DenseMut<'a, T, R> {
    /// Of rows whose elements are read as well.
    pub fn new(rows: &'a mut [R], arena: &'a Arena) -> DenseMut<'a, T, R> {
        let copy = copied(rows, arena);
        DenseMut { rows, copy }
    }

    /// One row behind the other.
    pub fn slice(&mut self) -> &mut [T] {
        self.copy
    }
}

impl<T: Element, R: AsMut<[T]>> Drop for DenseMut<'_, T, R> {
    fn drop(&mut self) {
        let mut rest = &*self.copy;
        for row in self.rows.iter_mut() {
            let row = row.as_mut();
            let (own, behind) = rest.split_at(row.len());
            row.copy_from_slice(own);
            rest = behind;
        }
    }
}

/// One row behind the other.
fn copied<'a, T: Element, R: AsRef<[T]>>(rows: &[R], arena: &'a Arena) -> &'a mut [T] {
    let copy = arena.scratch(elements(rows));
    let mut rest = &mut *copy;
    for row in rows {
        let row = row.as_ref();
        let (own, behind) = rest.split_at_mut(row.len());
        own.copy_from_slice(row);
        rest = behind;
    }
    copy
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_copied_and_written_back() {
        let mut rows = vec![vec![1.0, 2.0], vec![3.0, 4.0]];
        let arena = Arena::new();
        assert_eq!(extents("f", "x", &rows), (2, 2));
        assert_eq!(dense(&rows, &arena), [1.0, 2.0, 3.0, 4.0]);
        DenseMut::new(&mut rows, &arena).slice()[2] = 5.0;
        assert_eq!(rows, [[1.0, 2.0], [5.0, 4.0]]);
        assert_eq!(extents::<f64, Vec<f64>>("f", "x", &[]), (0, 0));
        assert_eq!(starts(&[2, 0, 3], &arena), [0, 2, 2, 5]);
        assert_eq!(starts(&[], &arena), [0]);
    }

    #[test]
    #[should_panic(expected = "f: the length of `x[1]` is 1 but the length of `x[0]` is 2")]
    fn rows_of_other_lengths_are_named() {
        extents("f", "x", &[vec![1.0, 2.0], vec![3.0]]);
    }

    #[test]
    #[should_panic(expected = "f: the length of the adjoint `d_x[1]` is 1 but the length of `x[1]` is 2")]
    fn adjoints_of_other_lengths_are_named() {
        let own = [vec![0.0; 2], vec![0.0; 1]];
        same_shape("f", "adjoint", "d_x", &own, "x", &[vec![0.0; 2], vec![0.0; 2]]);
    }
}
