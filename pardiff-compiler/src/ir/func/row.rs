//! What a row of the table of functions says.

use super::{Contribution, Rule};
use crate::ir::{Float, Ty};

/// A function: its name, what a caller may rely on, and how each back end computes it.
pub struct Row {
    /// The method of std, or the runtime's function.
    pub name: &'static str,
    /// The name in the IR's text form.
    pub text: &'static str,
    /// The number of operands, the receiver included.
    pub arity: usize,
    /// Operands and result.
    pub kind: Kind,
    /// The closed interval of first operands outside of which a float function of one operand is NaN.
    pub domain: (f64, f64),
    /// Whether it returns for every operand, in debug builds as well.
    pub total: bool,
    /// The work of one call.
    pub cost: Cost,
    /// How the interpreter computes it.
    pub value: Value,
    /// The derivative: what is added to the adjoint of each operand.
    pub derivative: fn(&Rule<'_>) -> Vec<Contribution>,
    /// What the runtime has for vectors.
    pub lanes: Lanes,
    /// The function in the text of kernels.
    pub cuda: Cuda,
    /// Whether it is a method of std; the others are functions of the runtime's `math`.
    pub method: bool,
    /// The functions of the crate `libm` for `f64` that are the same to rounding; those for `f32` end in `f`.
    pub libm: &'static [&'static str],
    /// The function of the crate `statrs` that is the same to rounding, in `statrs::function`.
    pub statrs: Option<[&'static str; 2]>,
    /// The type of the second operand, where it is not that of the first.
    pub second: Option<Ty>,
    /// The type of the result, where it is not that of the first operand.
    pub result: Option<Ty>,
    /// Whether the bits of the result need the exact width of the operand's type.
    pub exact: bool,
}

/// What kind of operands and result a function has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Floats in, a float of the same type out.
    Float,
    /// Floats in, an integer, `bool` or piecewise constant float out: the derivative is zero.
    FloatConstant,
    /// Integers in, an integer (or `bool`) out.
    Int,
    /// Floats in, the first of them out, with a derivative that is given beside it.
    Attached,
}

/// The work of a call, in classes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cost {
    /// About one instruction.
    Instruction,
    /// A division: computed again rather than kept in memory.
    Quotient,
    /// A square root.
    Root,
    /// A series, or a rational approximation.
    Series,
    /// A few products, how many depends on an exponent.
    Products,
    /// Two series, or a loop.
    Power,
}

impl Cost {
    /// The work in additions.
    pub fn additions(self) -> usize {
        match self {
            Cost::Instruction => 1,
            Cost::Quotient | Cost::Root => 6,
            Cost::Series => 15,
            Cost::Products | Cost::Power => 30,
        }
    }

    /// Whether the value is worth a scalar where it is used twice.
    pub fn is_worth_a_name(self) -> bool {
        !matches!(self, Cost::Instruction | Cost::Products)
    }

    /// Whether computing it again costs less than loading a stored value from memory, roughly.
    pub fn is_below_a_load(self) -> bool {
        matches!(self, Cost::Instruction | Cost::Quotient)
    }
}

/// What the runtime has of a function for vectors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lanes {
    /// Nothing: it is called for each lane.
    Each,
    /// The function of its name, with exactly the bits of std.
    Exact,
    /// A branch-free function of that name, equal to rounding, which serves scalars as well.
    Polynomial(&'static str),
}

/// Which function of the text of kernels is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cuda {
    /// Ours, `pd_` and the name.
    Ours,
    /// Ours of that name.
    Named(&'static str),
    /// CUDA's: of that name for doubles, and with an `f` for singles.
    Math(&'static str),
}

/// How the interpreter computes a function; std's, in both float types.
#[derive(Clone, Copy)]
pub enum Value {
    /// Not by itself: an integer function, an integer power, or a function that only the runtime has.
    Elsewhere,
    /// Of one operand.
    One(fn(f64) -> f64, fn(f32) -> f32),
    /// Of two operands.
    Two(fn(f64, f64) -> f64, fn(f32, f32) -> f32),
    /// Of three operands.
    Three(fn(f64, f64, f64) -> f64, fn(f32, f32, f32) -> f32),
    /// A property of one operand.
    Test(fn(f64) -> bool),
}

impl Value {
    /// The value in the float type, of operands of that type.
    pub fn of(self, args: &[f64], float: Float) -> Option<f64> {
        let single = |k: usize| args[k] as f32;
        Some(match (self, args.len(), float) {
            (Value::One(f, _), 1, Float::F64) => f(args[0]),
            (Value::One(_, f), 1, Float::F32) => f64::from(f(single(0))),
            (Value::Two(f, _), 2, Float::F64) => f(args[0], args[1]),
            (Value::Two(_, f), 2, Float::F32) => f64::from(f(single(0), single(1))),
            (Value::Three(f, _), 3, Float::F64) => f(args[0], args[1], args[2]),
            (Value::Three(_, f), 3, Float::F32) => f64::from(f(single(0), single(1), single(2))),
            _ => return None,
        })
    }
}

/// Every real number.
const REALS: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

impl Row {
    /// A function of one float that has a derivative; rows of the table say what is different.
    pub const FLOAT: Row = Row {
        name: "",
        text: "",
        arity: 1,
        kind: Kind::Float,
        domain: REALS,
        total: true,
        cost: Cost::Series,
        value: Value::Elsewhere,
        derivative: |_| Vec::new(),
        lanes: Lanes::Each,
        cuda: Cuda::Ours,
        method: true,
        libm: &[],
        statrs: None,
        second: None,
        result: None,
        exact: false,
    };

    /// A function of one float that std does not have.
    pub const SPECIAL: Row = Row { method: false, cost: Cost::Power, ..Row::FLOAT };

    /// A piecewise constant function of one float.
    pub const STEP: Row = Row { kind: Kind::FloatConstant, cost: Cost::Instruction, ..Row::FLOAT };

    /// A property of one float.
    pub const TEST: Row = Row { result: Some(Ty::Bool), ..Row::STEP };

    /// A function of two integers.
    pub const INT: Row = Row { arity: 2, kind: Kind::Int, cost: Cost::Instruction, ..Row::FLOAT };

    /// A function of one integer that counts bits.
    pub const BITS: Row = Row { arity: 1, exact: true, result: Some(super::U32), ..Row::INT };
}
