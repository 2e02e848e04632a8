//! The traits that stand before type parameters of numbers: those of the crates `num-traits` and `nalgebra`, and of
//! the standard library.
//!
//! A table. Which trait a name means is proved by code beside the function (`attribute/proofs`); what a trait gives
//! is what it gives `f64` and `f32` there.

use super::Features;
use syn::TypeParamBound;

/// A trait of `num-traits`: its name, the traits above it, and what it gives a type.
struct Trait {
    name: &'static str,
    above: &'static str,
    gives: &'static str,
}

const TRAITS: &[Trait] = &[
    Trait { name: "Zero", above: "Add", gives: "zero is_zero" },
    Trait { name: "One", above: "Mul", gives: "one is_one" },
    Trait { name: "NumOps", above: "Add Sub Mul Div Rem", gives: "" },
    Trait { name: "Num", above: "PartialEq Zero One NumOps", gives: "" },
    Trait { name: "NumRef", above: "Num", gives: "" },
    Trait { name: "NumAssignOps", above: "AddAssign SubAssign MulAssign DivAssign RemAssign", gives: "" },
    Trait { name: "NumAssign", above: "Num NumAssignOps", gives: "" },
    Trait { name: "NumAssignRef", above: "NumAssign", gives: "" },
    Trait { name: "Signed", above: "Num Neg", gives: "abs signum is_positive is_negative" },
    Trait { name: "Inv", above: "", gives: "inv" },
    Trait { name: "AsPrimitive", above: "", gives: "as_" },
    Trait { name: "ConstZero", above: "Zero", gives: "ZERO" },
    Trait { name: "ConstOne", above: "One", gives: "ONE" },
    Trait { name: "Bounded", above: "", gives: "min_value max_value" },
    Trait {
        name: "ToPrimitive",
        above: "",
        gives: "to_f32 to_f64 to_i8 to_i16 to_i32 to_i64 to_isize to_u8 to_u16 to_u32 to_u64 to_usize",
    },
    Trait {
        name: "FromPrimitive",
        above: "",
        gives: "from_f32 from_f64 from_i8 from_i16 from_i32 from_i64 from_isize from_u8 from_u16 from_u32 \
            from_u64 from_usize",
    },
    Trait { name: "NumCast", above: "ToPrimitive", gives: "from" },
    Trait {
        name: "Float",
        above: "Num Copy NumCast PartialOrd Neg",
        gives: "nan infinity neg_infinity neg_zero min_value min_positive_value epsilon max_value is_nan is_infinite \
            is_finite is_normal is_subnormal floor ceil round trunc fract abs signum is_sign_positive \
            is_sign_negative mul_add recip powi powf sqrt exp exp2 ln log log2 log10 to_degrees to_radians max min \
            cbrt hypot sin cos tan asin acos atan atan2 sin_cos exp_m1 ln_1p sinh cosh tanh asinh acosh atanh copysign",
    },
    Trait {
        name: "FloatCore",
        above: "Num Copy NumCast PartialOrd Neg",
        gives: "nan infinity neg_infinity neg_zero min_value min_positive_value epsilon max_value is_nan is_infinite \
            is_finite is_normal is_subnormal floor ceil round trunc fract abs signum is_sign_positive \
            is_sign_negative max min recip powi to_degrees to_radians",
    },
    Trait {
        name: "Real",
        above: "Num Copy NumCast PartialOrd Neg",
        gives: "min_value min_positive_value epsilon max_value floor ceil round trunc fract abs signum \
            is_sign_positive is_sign_negative mul_add recip powi powf sqrt exp exp2 ln log log2 log10 to_degrees \
            to_radians max min cbrt hypot sin cos tan asin acos atan atan2 sin_cos exp_m1 ln_1p sinh cosh tanh asinh \
            acosh atanh",
    },
    Trait {
        name: "FloatConst",
        above: "",
        gives: "E FRAC_1_PI FRAC_1_SQRT_2 FRAC_2_PI FRAC_2_SQRT_PI FRAC_PI_2 FRAC_PI_3 FRAC_PI_4 FRAC_PI_6 FRAC_PI_8 \
            LN_10 LN_2 LOG10_E LOG2_E PI SQRT_2 TAU LOG10_2 LOG2_10",
    },
    Trait { name: "Scalar", above: "", gives: "" },
    Trait { name: "SimdValue", above: "", gives: "" },
    Trait { name: "SimdComplexField", above: "NumAssign Neg", gives: "" },
    Trait { name: "SimdRealField", above: "SimdComplexField", gives: "" },
    Trait { name: "ClosedAddAssign", above: "Add AddAssign", gives: "" },
    Trait { name: "ClosedSubAssign", above: "Sub SubAssign", gives: "" },
    Trait { name: "ClosedMulAssign", above: "Mul MulAssign", gives: "" },
    Trait { name: "ClosedDivAssign", above: "Div DivAssign", gives: "" },
    Trait {
        name: "ComplexField",
        above: "NumAssign FromPrimitive Neg",
        gives: "from_real real conjugate modulus norm1 modulus_squared signum floor ceil round trunc fract mul_add abs hypot \
            recip sin cos tan asin acos atan sin_cos sinh cosh tanh asinh acosh atanh log log2 log10 ln ln_1p sqrt exp \
            exp2 exp_m1 powi powf cbrt is_finite",
    },
    Trait {
        name: "RealField",
        above: "ComplexField Signed PartialOrd",
        gives: "is_sign_positive is_sign_negative copysign max min atan2 default_epsilon pi two_pi frac_pi_2 \
            frac_pi_3 frac_pi_4 frac_pi_6 frac_pi_8 frac_1_pi frac_2_pi frac_2_sqrt_pi e log2_e log10_e ln_2 ln_10",
    },
];

/// Those of `nalgebra`.
const OF_NALGEBRA: &str = "Scalar SimdValue SimdComplexField SimdRealField ClosedAddAssign ClosedSubAssign \
    ClosedMulAssign ClosedDivAssign ComplexField RealField";

/// Traits of the standard library that floats have and that give no other functions than operators, copies and the
/// like.
const OF_STD: &str = "Add AddAssign Clone Copy Debug Default Display Div DivAssign LowerExp Mul MulAssign Neg \
    PartialEq PartialOrd Product Rem RemAssign Send Sized Sub SubAssign Sum Sync Unpin UnwindSafe RefUnwindSafe \
    UpperExp From Into";

/// Others of the standard library that give no other functions than operators, calls and views.
const OTHERS_OF_STD: &str = "AsRef BitAndAssign BitOrAssign BitXorAssign Fn FnMut FnOnce Index IndexMut Not ShlAssign \
    ShrAssign";

/// Traits of integers.
const OF_INTEGERS: &str = "PrimInt Integer Unsigned Ord Eq Hash Step BitAnd BitOr BitXor Shl Shr";

fn named(name: &str) -> Option<&'static Trait> {
    TRAITS.iter().find(|it| it.name == name)
}

/// Whether a trait of this name is one of a crate that is known.
pub(crate) fn is_known(name: &str) -> bool {
    named(name).is_some()
}

/// Whether a known trait of this name has a type as its argument.
pub(crate) fn takes_argument(name: &str) -> bool {
    name == "AsPrimitive"
}

/// The crate and the feature that a known trait is of, and whether that is on.
pub(super) fn origin(name: &str, features: Features) -> (&'static str, &'static str, bool) {
    match super::is_word(OF_NALGEBRA, name) {
        true => ("nalgebra", "nalgebra", features.nalgebra),
        false => ("num_traits", "num-traits", features.num_traits),
    }
}

/// Why the traits of a crate are refused while its feature is off, and what to do.
pub(super) fn switched_off(of_crate: &str, feature: &str) -> (String, String) {
    (
        format!(
            "traits of `{of_crate}` are accepted where the feature `{feature}` of pardiff is on, and it is off"
        ),
        format!(
            "switch it on in `Cargo.toml`: `pardiff = {{ version = \"…\", features = [\"{feature}\"] }}`"
        ),
    )
}

/// Whether a trait of this name is one of the standard library that floats have.
pub(super) fn is_of_std(name: &str) -> bool {
    super::is_word(OF_STD, name)
}

/// Whether all that a trait of this name gives is known.
pub(super) fn is_seen(name: &str) -> bool {
    is_of_std(name) || super::is_word(OTHERS_OF_STD, name) || is_of_integers(name) || is_known(name)
}

/// Whether only integers have a trait of this name.
pub(super) fn is_of_integers(name: &str) -> bool {
    super::is_word(OF_INTEGERS, name)
}

/// Whether traits of these names, and those above them, give a function of this name.
pub(crate) fn give<'a>(traits: impl IntoIterator<Item = &'a str>, name: &str) -> bool {
    traits.into_iter().any(|it| {
        named(it).is_some_and(|it| super::is_word(it.gives, name) || give(it.above.split_whitespace(), name))
    })
}

/// Where the primitive type keeps what a function of `num-traits` without arguments returns.
pub(super) fn constant(name: &str) -> Option<&'static str> {
    Some(match name {
        "nan" => "NAN",
        "infinity" => "INFINITY",
        "neg_infinity" => "NEG_INFINITY",
        "min_value" => "MIN",
        "max_value" => "MAX",
        "min_positive_value" => "MIN_POSITIVE",
        "epsilon" | "default_epsilon" => "EPSILON",
        _ => return None,
    })
}

/// The last name of the trait of a bound; none of a lifetime and of `?Sized`.
pub(crate) fn name_of(bound: &TypeParamBound) -> Option<String> {
    let TypeParamBound::Trait(bound) = bound else { return None };
    bound.path.segments.last().filter(|_| bound.maybe.is_none()).map(|last| last.ident.to_string())
}
