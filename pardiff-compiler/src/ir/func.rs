//! The table of functions that expressions may call: one row each, with the name in Rust, the number of
//! operands and what a caller may rely on.

use super::{Int, Ty};

/// What kind of operands and result a function has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Floats in, a float of the same type out.
    Float,
    /// Floats in, an integer, `bool` or piecewise constant float out: the derivative is zero.
    FloatConstant,
    /// Integers in, an integer (or `bool`) out.
    Int,
}

macro_rules! functions {
    ($($variant:ident $name:literal $arity:literal $kind:ident $total:literal;)*) => {
        /// A function of the IR; see the module's table.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[allow(missing_docs, reason = "the names are Rust's own")]
        pub enum Func { $($variant,)* }

        impl Func {
            /// Every function, in the order of the table.
            pub const ALL: &'static [Func] = &[$(Func::$variant,)*];

            /// The name of the method in Rust; it is also the name in the IR's text form.
            pub fn name(self) -> &'static str { match self { $(Func::$variant => $name,)* } }

            /// The number of operands, the receiver included.
            pub fn arity(self) -> usize { match self { $(Func::$variant => $arity,)* } }

            /// Operands and result.
            pub fn kind(self) -> Kind { match self { $(Func::$variant => Kind::$kind,)* } }

            /// Whether it returns for every operand, in debug builds as well: a partial function must not be
            /// evaluated where the source did not evaluate it.
            pub fn is_total(self) -> bool { match self { $(Func::$variant => $total,)* } }
        }
    };
}

functions! {
    // floats with a derivative
    Exp "exp" 1 Float true;
    Exp2 "exp2" 1 Float true;
    ExpM1 "exp_m1" 1 Float true;
    Ln "ln" 1 Float true;
    Ln1p "ln_1p" 1 Float true;
    Log2 "log2" 1 Float true;
    Log10 "log10" 1 Float true;
    Log "log" 2 Float true;
    Sqrt "sqrt" 1 Float true;
    Cbrt "cbrt" 1 Float true;
    Sin "sin" 1 Float true;
    Cos "cos" 1 Float true;
    Tan "tan" 1 Float true;
    Asin "asin" 1 Float true;
    Acos "acos" 1 Float true;
    Atan "atan" 1 Float true;
    Atan2 "atan2" 2 Float true;
    Sinh "sinh" 1 Float true;
    Cosh "cosh" 1 Float true;
    Tanh "tanh" 1 Float true;
    Asinh "asinh" 1 Float true;
    Acosh "acosh" 1 Float true;
    Atanh "atanh" 1 Float true;
    Powi "powi" 2 Float true; // the second operand is an i32
    Powf "powf" 2 Float true;
    Hypot "hypot" 2 Float true;
    Recip "recip" 1 Float true;
    Abs "abs" 1 Float true;
    Max "max" 2 Float true;
    Min "min" 2 Float true;
    Clamp "clamp" 3 Float false; // panics unless min <= max
    MulAdd "mul_add" 3 Float true;
    Copysign "copysign" 2 Float true;
    Fract "fract" 1 Float true;
    DivEuclidF "div_euclid" 2 FloatConstant true;
    RemEuclidF "rem_euclid" 2 Float true;
    ToDegrees "to_degrees" 1 Float true;
    ToRadians "to_radians" 1 Float true;
    // piecewise constant
    Signum "signum" 1 FloatConstant true;
    Floor "floor" 1 FloatConstant true;
    Ceil "ceil" 1 FloatConstant true;
    Round "round" 1 FloatConstant true;
    RoundTiesEven "round_ties_even" 1 FloatConstant true;
    Trunc "trunc" 1 FloatConstant true;
    IsNan "is_nan" 1 FloatConstant true;
    IsInfinite "is_infinite" 1 FloatConstant true;
    IsFinite "is_finite" 1 FloatConstant true;
    IsSignNegative "is_sign_negative" 1 FloatConstant true;
    IsSignPositive "is_sign_positive" 1 FloatConstant true;
    // integers
    IntMin "int::min" 2 Int true;
    IntMax "int::max" 2 Int true;
    IntClamp "int::clamp" 3 Int false;
    IntAbs "int::abs" 1 Int false;
    IntSignum "int::signum" 1 Int true;
    IntPow "int::pow" 2 Int false; // the exponent is a u32
    AbsDiff "abs_diff" 2 Int true; // the result is unsigned
    UnsignedAbs "unsigned_abs" 1 Int true;
    IntDivEuclid "int::div_euclid" 2 Int false;
    IntRemEuclid "int::rem_euclid" 2 Int false;
    DivCeil "div_ceil" 2 Int false;
    NextMultipleOf "next_multiple_of" 2 Int false;
    Isqrt "isqrt" 1 Int false;
    Ilog2 "ilog2" 1 Int false; // the result is a u32
    WrappingAdd "wrapping_add" 2 Int true;
    WrappingSub "wrapping_sub" 2 Int true;
    WrappingMul "wrapping_mul" 2 Int true;
    WrappingNeg "wrapping_neg" 1 Int true;
    WrappingShl "wrapping_shl" 2 Int true; // the second operand is a u32
    WrappingShr "wrapping_shr" 2 Int true;
    SaturatingAdd "saturating_add" 2 Int true;
    SaturatingSub "saturating_sub" 2 Int true;
    SaturatingMul "saturating_mul" 2 Int true;
    RotateLeft "rotate_left" 2 Int true; // the second operand is a u32
    RotateRight "rotate_right" 2 Int true;
    ReverseBits "reverse_bits" 1 Int true;
    CountOnes "count_ones" 1 Int true; // the results of these are u32
    CountZeros "count_zeros" 1 Int true;
    LeadingZeros "leading_zeros" 1 Int true;
    TrailingZeros "trailing_zeros" 1 Int true;
    IsPowerOfTwo "is_power_of_two" 1 Int true; // the result is a bool
    // `checked_add(a, b)` is the pair (CheckedAddOk, WrappingAdd): whether there is a value, and the value
    CheckedAddOk "checked_add_ok" 2 Int true;
    CheckedSubOk "checked_sub_ok" 2 Int true;
    CheckedMulOk "checked_mul_ok" 2 Int true;
    // trip_count(lo, hi, step): how often `for _ in (lo..hi).step_by(step)` iterates, as a usize; saturates,
    // and counts a step of 0 as 1
    TripCount "trip_count" 3 Int true;
}

impl Func {
    /// The type of operand `k` where the first operand has type `first`.
    pub fn operand_ty(self, k: usize, first: Ty) -> Ty {
        use Func::*;
        match (self, k) {
            (_, 0) => first,
            (Powi, 1) => Ty::Int(Int::I32),
            (IntPow | WrappingShl | WrappingShr | RotateLeft | RotateRight, 1) => Ty::Int(Int::U32),
            (TripCount, 2) => Ty::USIZE,
            _ => first,
        }
    }

    /// The type of the result where it does not depend on the operands' types.
    pub fn fixed_result_ty(self) -> Option<Ty> {
        use Func::*;
        match self {
            IsNan | IsInfinite | IsFinite | IsSignNegative | IsSignPositive => Some(Ty::Bool),
            IsPowerOfTwo | CheckedAddOk | CheckedSubOk | CheckedMulOk => Some(Ty::Bool),
            Ilog2 | CountOnes | CountZeros | LeadingZeros | TrailingZeros => Some(Ty::Int(Int::U32)),
            TripCount => Some(Ty::USIZE),
            _ => None,
        }
    }

    /// The type of the result where the first operand has type `first`.
    pub fn result_ty(self, first: Ty) -> Ty {
        match (self, first) {
            (Func::AbsDiff | Func::UnsignedAbs, Ty::Int(int)) => Ty::Int(int.unsigned()),
            _ => self.fixed_result_ty().unwrap_or(first),
        }
    }

    /// The function of that name.
    pub fn from_name(name: &str) -> Option<Func> {
        let mut named = Func::ALL.iter().copied();
        named.find(|func| func.text() == name)
    }

    /// The name in the IR's text form: the method's name, made unique by a suffix where floats share it.
    pub fn text(self) -> &'static str {
        match self {
            Func::DivEuclidF => "float::div_euclid",
            Func::RemEuclidF => "float::rem_euclid",
            _ => self.name(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Func;

    #[test]
    fn text_names_are_unique() {
        for &func in Func::ALL {
            assert_eq!(Func::from_name(func.text()), Some(func));
        }
    }
}
