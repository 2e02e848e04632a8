//! Scalar types of the IR: the machine types of Rust, with Rust's ranges.

use std::fmt;

/// A floating-point type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Float {
    /// `f32`
    F32,
    /// `f64`
    F64,
}

/// An integer type of Rust.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum Int {
    I8,
    I16,
    I32,
    I64,
    I128,
    Isize,
    U8,
    U16,
    U32,
    U64,
    U128,
    Usize,
}

/// The type of a scalar value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ty {
    /// A float; the only kind of value that has a derivative.
    Float(Float),
    /// A machine integer: arithmetic panics or wraps as in Rust, it is never mathematical.
    Int(Int),
    /// A truth value.
    Bool,
}

impl Ty {
    /// `f64`
    pub const F64: Ty = Ty::Float(Float::F64);
    /// `f32`
    pub const F32: Ty = Ty::Float(Float::F32);
    /// `usize`, the type of every index.
    pub const USIZE: Ty = Ty::Int(Int::Usize);

    /// Whether values of this type can be active.
    pub fn is_float(self) -> bool {
        matches!(self, Ty::Float(_))
    }

    /// Whether this is an integer type.
    pub fn is_int(self) -> bool {
        matches!(self, Ty::Int(_))
    }

    /// Whether this is an integer as wide as a `usize`: casts between these are the identity modulo their width.
    pub fn is_word(self) -> bool {
        matches!(self, Ty::Int(Int::Usize | Int::Isize))
    }

    /// Whether this is the type of an index.
    pub fn is_usize(self) -> bool {
        self == Ty::USIZE
    }

    /// The type that Rust calls `name`.
    pub fn from_name(name: &str) -> Option<Ty> {
        Some(match name {
            "bool" => Ty::Bool,
            "f32" => Ty::F32,
            "f64" => Ty::F64,
            _ => Ty::Int(*Int::ALL.iter().find(|int| int.name() == name)?),
        })
    }
}

impl Int {
    /// Every integer type.
    pub const ALL: [Int; 12] = [
        Int::I8,
        Int::I16,
        Int::I32,
        Int::I64,
        Int::I128,
        Int::Isize,
        Int::U8,
        Int::U16,
        Int::U32,
        Int::U64,
        Int::U128,
        Int::Usize,
    ];

    /// The name in Rust, the width in bits on the 64-bit machines that the interpreter models, and the type of the same
    /// width with the other sign.
    fn row(self) -> (&'static str, u32, Int) {
        match self {
            Int::I8 => ("i8", 8, Int::U8),
            Int::I16 => ("i16", 16, Int::U16),
            Int::I32 => ("i32", 32, Int::U32),
            Int::I64 => ("i64", 64, Int::U64),
            Int::I128 => ("i128", 128, Int::U128),
            Int::Isize => ("isize", 64, Int::Usize),
            Int::U8 => ("u8", 8, Int::I8),
            Int::U16 => ("u16", 16, Int::I16),
            Int::U32 => ("u32", 32, Int::I32),
            Int::U64 => ("u64", 64, Int::I64),
            Int::U128 => ("u128", 128, Int::I128),
            Int::Usize => ("usize", 64, Int::Isize),
        }
    }

    /// The name in Rust.
    pub fn name(self) -> &'static str {
        self.row().0
    }

    /// Width in bits on the 64-bit machines that the interpreter models.
    pub fn bits(self) -> u32 {
        self.row().1
    }

    /// Whether the type has negative values.
    pub fn is_signed(self) -> bool {
        matches!(self, Int::I8 | Int::I16 | Int::I32 | Int::I64 | Int::I128 | Int::Isize)
    }

    /// The unsigned type of the same width.
    pub fn unsigned(self) -> Int {
        if self.is_signed() { self.row().2 } else { self }
    }

    /// The signed type of the same width.
    pub fn signed(self) -> Int {
        if self.is_signed() { self } else { self.row().2 }
    }

    /// The smallest value.
    pub fn min(self) -> i128 {
        if self.is_signed() { i128::MIN >> (128 - self.bits()) } else { 0 }
    }

    /// Whether a constant of this type may have this value. Every `i128` stands for a `u128`: those above
    /// `i128::MAX` for the one of the same bits, which only the interpreter has.
    pub fn holds(self, value: i128) -> bool {
        self == Int::U128 || (value >= self.min() && self.max().is_none_or(|max| value <= max))
    }

    /// The largest value; `None` for `u128`, whose maximum does not fit the IR's constants.
    pub fn max(self) -> Option<i128> {
        match (self.is_signed(), self.bits()) {
            (true, bits) => Some(i128::MAX >> (128 - bits)),
            (false, 128) => None,
            (false, bits) => Some((1i128 << bits) - 1),
        }
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Ty::Float(Float::F32) => "f32",
            Ty::Float(Float::F64) => "f64",
            Ty::Int(int) => int.name(),
            Ty::Bool => "bool",
        })
    }
}
