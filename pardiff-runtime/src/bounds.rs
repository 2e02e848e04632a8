//! The traits of `num-traits` and `nalgebra` that generated code proves bounds to be.

/// One trait for each, which its types have and no others.
macro_rules! bounds {
    ($($name:ident = $path:path;)+) => {$(
        #[doc = concat!("What has the known trait `", stringify!($name), "`.")]
        #[diagnostic::on_unimplemented(
            message = "this bound is not the trait of `num_traits` or of `nalgebra` that has its name",
            label = "a trait that pardiff does not see",
            note = "put the trait, its `impl`s and the function into one module under `#[differentiate]`, or write the bound of `num_traits`"
        )]
        pub trait $name {}

        #[diagnostic::do_not_recommend]
        impl<T: $path> $name for T {}
    )+};
}

/// What has the known trait `AsPrimitive`.
#[cfg(feature = "num-traits")]
#[diagnostic::on_unimplemented(
    message = "this bound is not the trait of `num_traits` that has its name",
    label = "a trait that pardiff does not see",
    note = "give the trait another name, or write the bound of `num_traits`"
)]
pub trait AsPrimitive<A> {}

#[cfg(feature = "num-traits")]
#[diagnostic::do_not_recommend]
impl<A: Copy + 'static, T: num_traits::AsPrimitive<A>> AsPrimitive<A> for T {}

#[cfg(feature = "num-traits")]
bounds! {
    Zero = num_traits::Zero;
    One = num_traits::One;
    ConstZero = num_traits::ConstZero;
    ConstOne = num_traits::ConstOne;
    NumOps = num_traits::NumOps;
    Num = num_traits::Num;
    NumRef = num_traits::NumRef;
    NumAssignOps = num_traits::NumAssignOps;
    NumAssign = num_traits::NumAssign;
    NumAssignRef = num_traits::NumAssignRef;
    Signed = num_traits::Signed;
    Inv = num_traits::Inv;
    Bounded = num_traits::Bounded;
    ToPrimitive = num_traits::ToPrimitive;
    FromPrimitive = num_traits::FromPrimitive;
    NumCast = num_traits::NumCast;
    Float = num_traits::Float;
    FloatCore = num_traits::float::FloatCore;
    Real = num_traits::real::Real;
    FloatConst = num_traits::FloatConst;
}

#[cfg(feature = "nalgebra")]
bounds! {
    Scalar = nalgebra::Scalar;
    SimdValue = nalgebra::SimdValue;
    SimdComplexField = nalgebra::SimdComplexField;
    SimdRealField = nalgebra::SimdRealField;
    ClosedAddAssign = nalgebra::ClosedAddAssign;
    ClosedSubAssign = nalgebra::ClosedSubAssign;
    ClosedMulAssign = nalgebra::ClosedMulAssign;
    ClosedDivAssign = nalgebra::ClosedDivAssign;
    ComplexField = nalgebra::ComplexField;
    RealField = nalgebra::RealField;
}
