//! Values and arrays as the interpreter takes and returns them.

use super::{Dual, Number};
use crate::ir::Ty;

/// The value of a scalar.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value<N> {
    /// Of a float.
    Float(N),
    /// Of an integer of any type; a `u128` above `i128::MAX` as the `i128` of the same bits.
    Int(i128),
    /// A truth value.
    Bool(bool),
}

/// An array, or a scalar if it has no dimensions.
#[derive(Clone, PartialEq, Debug)]
pub struct Array<N> {
    /// Extents, outermost first.
    pub dims: Vec<usize>,
    /// In memory order; `None` is unspecified, and reading it is a fault.
    pub data: Vec<Option<Value<N>>>,
}

/// The value behind a user path.
#[derive(Clone, Debug)]
pub enum Given<N> {
    /// Of a constant.
    Value(Value<N>),
    /// Of a constant table.
    Table(Array<N>),
    /// A function of scalars.
    Function(Function<N>),
}

/// A function of the user.
pub type Function<N> = fn(&[Value<N>]) -> Value<N>;

impl<N: Number> Value<N> {
    /// Whether a buffer of element type `ty` can hold it.
    pub fn fits(self, ty: Ty) -> bool {
        match (self, ty) {
            (Value::Float(_), Ty::Float(_)) | (Value::Bool(_), Ty::Bool) => true,
            (Value::Int(value), Ty::Int(int)) => int.holds(value),
            _ => false,
        }
    }

    /// The number, if it is a float that has one, as `f64`; integers and truth values converted.
    pub fn real(self) -> Option<f64> {
        match self {
            Value::Float(number) => number.real(),
            Value::Int(value) => Some(value as f64),
            Value::Bool(value) => Some(f64::from(u8::from(value))),
        }
    }
}

impl<N: Number> Array<N> {
    /// A scalar.
    pub fn scalar(value: Value<N>) -> Array<N> {
        Array { dims: Vec::new(), data: vec![Some(value)] }
    }

    /// A float scalar.
    pub fn float(value: f64) -> Array<N> {
        Array::scalar(Value::Float(N::constant(value)))
    }

    /// An integer scalar.
    pub fn int(value: i128) -> Array<N> {
        Array::scalar(Value::Int(value))
    }

    /// A truth value.
    pub fn bool(value: bool) -> Array<N> {
        Array::scalar(Value::Bool(value))
    }

    /// An array of rank 1 of floats.
    pub fn floats(values: &[f64]) -> Array<N> {
        Array::of(values.iter().map(|&value| Value::Float(N::constant(value))))
    }

    /// An array of rank 1 of integers.
    pub fn ints(values: &[i128]) -> Array<N> {
        Array::of(values.iter().map(|&value| Value::Int(value)))
    }

    /// An array of rank 1 of `usize`.
    pub fn usizes(values: &[usize]) -> Array<N> {
        Array::of(values.iter().map(|&value| Value::Int(value as i128)))
    }

    /// An array of rank 1 of any values.
    pub fn of(values: impl IntoIterator<Item = Value<N>>) -> Array<N> {
        let data: Vec<_> = values.into_iter().map(Some).collect();
        Array { dims: vec![data.len()], data }
    }

    /// An array whose elements are unspecified.
    pub fn unspecified(dims: &[usize]) -> Array<N> {
        Array { dims: dims.to_vec(), data: vec![None; dims.iter().product()] }
    }

    /// An array of these extents that holds zero, one or `false`-like values: every element is `value`.
    pub fn filled(dims: &[usize], value: Value<N>) -> Array<N> {
        Array { dims: dims.to_vec(), data: vec![Some(value); dims.iter().product()] }
    }

    /// The same elements with other extents.
    pub fn shaped(mut self, dims: &[usize]) -> Array<N> {
        self.dims = dims.to_vec();
        self
    }

    /// The elements as numbers; unspecified ones, and those without a number, are NaN.
    pub fn reals(&self) -> Vec<f64> {
        let real = |value: &Option<Value<N>>| value.and_then(Value::real).unwrap_or(f64::NAN);
        self.data.iter().map(real).collect()
    }

    /// The first element as a number: the value of a scalar.
    pub fn real(&self) -> f64 {
        self.reals().first().copied().unwrap_or(f64::NAN)
    }

    /// The integers; unspecified elements and floats are left out.
    pub fn integers(&self) -> Vec<i128> {
        let int = |value: &Option<Value<N>>| match value {
            Some(Value::Int(value)) => Some(*value),
            Some(Value::Bool(value)) => Some(i128::from(*value)),
            _ => None,
        };
        self.data.iter().filter_map(int).collect()
    }
}

impl Array<Dual> {
    /// The array with tangents: `tangents[k]` is the tangent of the element at position `k`, which has to be a
    /// float; missing ones are 0.
    pub fn with_tangents(mut self, tangents: &[f64]) -> Array<Dual> {
        for (element, &tangent) in self.data.iter_mut().zip(tangents) {
            if let Some(Value::Float(dual)) = element {
                dual.tangent = tangent;
            }
        }
        self
    }

    /// The tangents; 0 for what is no float, NaN for what is unspecified.
    pub fn tangents(&self) -> Vec<f64> {
        let tangent = |value: &Option<Value<Dual>>| match value {
            Some(Value::Float(dual)) => dual.tangent,
            Some(_) => 0.0,
            None => f64::NAN,
        };
        self.data.iter().map(tangent).collect()
    }
}
