//! Arrays of the crate `ndarray` as generated code sees them: slices in standard layout, and extents.
//!
//! *Comes in*: arrays and views with any strides. *Goes out*: their elements in logical order, the last index contiguous:
//! the memory itself where that is how it lies, else a copy, which is written back where the array is mutable.
//! *Guarantees*: what is read and written through the slice is what would be read and written through the array.
//! *Never*: copies an array that is in standard layout.

use crate::{Arena, Element};
use ::ndarray::ArrayRef;
pub use ::ndarray::{
    Array1, Array2, Array3, Array4, ArrayRef1, ArrayRef2, ArrayRef3, ArrayRef4, ArrayView1, ArrayView2,
    ArrayView3, ArrayView4, ArrayViewMut1, ArrayViewMut2, ArrayViewMut3, ArrayViewMut4, Dimension,
};
use ::ndarray::{ArrayView, ArrayViewMut, Zip};

/// The elements of an array that is read, in logical order.
pub fn dense<'a, T: Element, D: Dimension>(array: ArrayView<'a, T, D>, arena: &'a Arena) -> &'a [T] {
    array.to_slice().unwrap_or_else(|| copied(&array, arena))
}

/// The elements of an array that is written; a copy is written back when this is dropped, after a panic as well.
pub struct DenseMut<'a, T: Element, D: Dimension> {
    array: ArrayViewMut<'a, T, D>,
    /// Where the elements do not lie in order.
    copy: Option<&'a mut [T]>,
}

impl<'a, T: Element, D: Dimension> DenseMut<'a, T, D> {
    /// Of an array whose elements are read as well.
    pub fn new(array: ArrayViewMut<'a, T, D>, arena: &'a Arena) -> DenseMut<'a, T, D> {
        let copy = if array.is_standard_layout() { None } else { Some(copied(&array, arena)) };
        DenseMut { array, copy }
    }

    /// Of an array all of whose elements are written before they are read, if it is `overwritten`: a copy holds anything
    /// then.
    pub fn written(array: ArrayViewMut<'a, T, D>, overwritten: bool, arena: &'a Arena) -> DenseMut<'a, T, D> {
        if !overwritten || array.is_standard_layout() {
            return DenseMut::new(array, arena);
        }
        let copy = arena.scratch(array.len());
        DenseMut { array, copy: Some(copy) }
    }

    /// In logical order.
    pub fn slice(&mut self) -> &mut [T] {
        match &mut self.copy {
            Some(copy) => copy,
            None => self.array.as_slice_mut().unwrap_or_default(),
        }
    }
}

impl<T: Element, D: Dimension> Drop for DenseMut<'_, T, D> {
    fn drop(&mut self) {
        if let Some(copy) = &self.copy
            && let Ok(copy) = ArrayView::from_shape(self.array.raw_dim(), copy)
        {
            Zip::from(&mut self.array).and(&copy).for_each(|element, value| *element = *value);
        }
    }
}

/// A copy of its own.
pub fn owned<T: Clone, D: Dimension>(array: ArrayView<'_, T, D>) -> ::ndarray::Array<T, D> {
    array.to_owned()
}

/// The elements in logical order.
fn copied<'a, T: Element, D: Dimension>(array: &ArrayRef<T, D>, arena: &'a Arena) -> &'a mut [T] {
    let copy = arena.scratch(array.len());
    if let Ok(copy) = ArrayViewMut::from_shape(array.raw_dim(), &mut copy[..]) {
        Zip::from(copy).and(array).for_each(|element, value| *element = *value);
    }
    copy
}

/// A derivative, an adjoint or a tangent, has another shape than the array that it belongs to.
#[cold]
#[inline(never)]
#[track_caller]
pub fn wrong_shape(
    function: &str,
    derivative: &str,
    name: &str,
    own_shape: &[usize],
    array: &str,
    shape: &[usize],
) -> ! {
    panic!(
        "{function}: the shape of the {derivative} `{name}` is {own_shape:?} but the shape of `{array}` is {shape:?}"
    )
}

/// The same for a batch of derivatives, whose last axis is as long as the batch is wide.
#[cold]
#[inline(never)]
#[track_caller]
pub fn wrong_batch(
    function: &str,
    derivative: &str,
    name: &str,
    own_shape: &[usize],
    array: &str,
    shape: &[usize],
    width: usize,
) -> ! {
    panic!(
        "{function}: the shape of the {derivative} `{name}` is {own_shape:?} but the shape of `{array}` is {shape:?}, so that \
         of a batch is {:?}",
        [shape, &[width]].concat()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::ndarray::{Axis, arr1, arr2, s};

    #[test]
    fn standard_layout_is_borrowed() {
        let a = arr2(&[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
        let arena = Arena::new();
        let slice = dense(a.view(), &arena);
        assert_eq!(slice, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(slice.as_ptr(), a.as_ptr());
        // rows of it are in order as well
        assert_eq!(dense(a.slice(s![1.., ..]), &arena).as_ptr(), &raw const a[[1, 0]]);
    }

    #[test]
    fn any_strides_are_read_in_logical_order() {
        let a = arr2(&[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
        for (view, expected) in [
            (a.t(), vec![1.0, 4.0, 2.0, 5.0, 3.0, 6.0]),
            (a.slice(s![.., ..;-1]), vec![3.0, 2.0, 1.0, 6.0, 5.0, 4.0]),
            (a.slice(s![..;-1, ..;2]), vec![4.0, 6.0, 1.0, 3.0]),
            (a.slice(s![.., ..0]), vec![]),
        ] {
            assert_eq!(dense(view, &Arena::new()), expected);
        }
        let row = arr1(&[1.0, 2.0]);
        let rows = row.broadcast((3, 2)).expect("a row for each");
        assert_eq!(dense(rows, &Arena::new()), [1.0, 2.0, 1.0, 2.0, 1.0, 2.0]);
    }

    #[test]
    fn copies_are_written_back() {
        let mut a = arr2(&[[1, 2, 3], [4, 5, 6]]);
        DenseMut::new(a.view_mut(), &Arena::new()).slice()[1] = 20;
        let mut turned = a.view_mut();
        turned.swap_axes(0, 1);
        DenseMut::new(turned, &Arena::new()).slice()[1] = 40;
        let mut reversed = a.view_mut();
        reversed.invert_axis(Axis(1));
        DenseMut::new(reversed, &Arena::new()).slice()[0] = 30;
        assert_eq!(a, arr2(&[[1, 20, 30], [40, 5, 6]]));
        for overwritten in [false, true] {
            let arena = Arena::new();
            let mut dense = DenseMut::written(a.view_mut().reversed_axes(), overwritten, &arena);
            dense.slice().copy_from_slice(&[1, 2, 3, 4, 5, 6]);
            drop(dense);
            assert_eq!(a, arr2(&[[1, 3, 5], [2, 4, 6]]));
        }
    }

    #[test]
    #[should_panic(expected = "f: the shape of the adjoint `d_a` is [2, 3] but the shape of `a` is [3, 2]")]
    fn shapes_are_named() {
        wrong_shape("f", "adjoint", "d_a", &[2, 3], "a", &[3, 2]);
    }
}
