//! Native values as arguments of a function and of the interpreter.

use ndarray::{self as nd, Dimension};
use pardiff_compiler::ir::interp::{Array, Value};

/// A native value as the interpreter takes it.
pub trait Host {
    fn array(&self) -> Array<f64>;
}

/// How a value is passed to a parameter of type `P`.
pub trait Pass<'a, P> {
    fn pass(&'a mut self) -> P;
}

/// What a function returns, as the interpreter returns it.
pub trait Results {
    fn arrays(self) -> Vec<Array<f64>>;
}

macro_rules! scalars {
    ($($ty:ty => $variant:ident($as:ty);)*) => {$(
        impl Host for $ty {
            fn array(&self) -> Array<f64> { Array::scalar(Value::$variant(*self as $as)) }
        }
        impl Pass<'_, $ty> for $ty {
            fn pass(&mut self) -> $ty { *self }
        }
        impl<'a> Pass<'a, &'a $ty> for $ty {
            fn pass(&'a mut self) -> &'a $ty { self }
        }
        impl<'a> Pass<'a, &'a mut $ty> for $ty {
            fn pass(&'a mut self) -> &'a mut $ty { self }
        }
        impl Results for $ty {
            fn arrays(self) -> Vec<Array<f64>> { vec![self.array()] }
        }
    )*};
}

scalars! {
    f64 => Float(f64);
    f32 => Float(f64);
    bool => Bool(bool);
    i8 => Int(i128);
    i32 => Int(i128);
    i64 => Int(i128);
    u8 => Int(i128);
    u32 => Int(i128);
    u64 => Int(i128);
    usize => Int(i128);
    isize => Int(i128);
}

fn joined(parts: impl ExactSizeIterator<Item = Array<f64>>) -> Array<f64> {
    let mut dims = vec![parts.len()];
    let mut data = Vec::new();
    for part in parts {
        if dims.len() == 1 {
            dims.extend(&part.dims);
        }
        data.extend(part.data);
    }
    Array { dims, data }
}

impl<T: Host> Host for Vec<T> {
    fn array(&self) -> Array<f64> {
        joined(self.iter().map(Host::array))
    }
}

impl<T: Host, const N: usize> Host for [T; N] {
    fn array(&self) -> Array<f64> {
        joined(self.iter().map(Host::array))
    }
}

impl<'a, T> Pass<'a, &'a [T]> for Vec<T> {
    fn pass(&'a mut self) -> &'a [T] {
        self
    }
}

impl<'a, T> Pass<'a, &'a mut [T]> for Vec<T> {
    fn pass(&'a mut self) -> &'a mut [T] {
        self
    }
}

impl<T: Copy, const N: usize> Pass<'_, [T; N]> for [T; N] {
    fn pass(&mut self) -> [T; N] {
        *self
    }
}

impl<'a, T, const N: usize> Pass<'a, &'a [T; N]> for [T; N] {
    fn pass(&'a mut self) -> &'a [T; N] {
        self
    }
}

impl<'a, T, const N: usize> Pass<'a, &'a mut [T; N]> for [T; N] {
    fn pass(&'a mut self) -> &'a mut [T; N] {
        self
    }
}

impl<T: Host, D: Dimension> Host for nd::Array<T, D> {
    fn array(&self) -> Array<f64> {
        let data = self.iter().flat_map(|element| element.array().data);
        Array { dims: self.shape().to_vec(), data: data.collect() }
    }
}

impl<'a, T, D: Dimension> Pass<'a, &'a nd::Array<T, D>> for nd::Array<T, D> {
    fn pass(&'a mut self) -> &'a nd::Array<T, D> {
        self
    }
}

impl<'a, T, D: Dimension> Pass<'a, &'a mut nd::Array<T, D>> for nd::Array<T, D> {
    fn pass(&'a mut self) -> &'a mut nd::Array<T, D> {
        self
    }
}

impl<'a, T, D: Dimension> Pass<'a, nd::ArrayView<'a, T, D>> for nd::Array<T, D> {
    fn pass(&'a mut self) -> nd::ArrayView<'a, T, D> {
        self.view()
    }
}

impl<'a, T, D: Dimension> Pass<'a, nd::ArrayViewMut<'a, T, D>> for nd::Array<T, D> {
    fn pass(&'a mut self) -> nd::ArrayViewMut<'a, T, D> {
        self.view_mut()
    }
}

impl Results for () {
    fn arrays(self) -> Vec<Array<f64>> {
        Vec::new()
    }
}

impl<T: Host, const N: usize> Results for [T; N] {
    fn arrays(self) -> Vec<Array<f64>> {
        vec![self.array()]
    }
}

impl<A: Host, B: Host> Results for (A, B) {
    fn arrays(self) -> Vec<Array<f64>> {
        vec![self.0.array(), self.1.array()]
    }
}

impl<A: Host, B: Host, C: Host> Results for (A, B, C) {
    fn arrays(self) -> Vec<Array<f64>> {
        vec![self.0.array(), self.1.array(), self.2.array()]
    }
}
