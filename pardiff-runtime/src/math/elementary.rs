//! Which kernel computes a method of [`Real`](super::Real).

/// The elementary functions of an implementation of `Real`: of a double, or of a single by way of doubles.
macro_rules! elementary {
    (double) => {
        $crate::math::elementary! {
            unary_double exp exp2 exp_m1 ln ln_1p log2 log10 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh cbrt
        }
        $crate::math::elementary! { binary_double atan2 hypot log }

        #[inline(always)]
        fn sin_cos(self) -> (Self, Self) {
            $crate::math::double::sin_cos(self)
        }

        #[inline(always)]
        fn pow(self, y: Self) -> Self {
            $crate::math::double::pow(self, y)
        }

        #[inline(always)]
        fn powi(self, n: i32) -> Self {
            $crate::math::double::powi(self, n)
        }

        $crate::math::elementary! { common }
    };
    (single) => {
        $crate::math::elementary! {
            unary_single exp exp2 exp_m1 ln ln_1p log2 log10 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh cbrt
        }
        $crate::math::elementary! { binary_single atan2 hypot log }

        #[inline(always)]
        fn sin_cos(self) -> (Self, Self) {
            let (sin, cos) = $crate::math::single::sin_cos($crate::math::Single::widen(self));
            ($crate::math::Single::narrow(sin), $crate::math::Single::narrow(cos))
        }

        #[inline(always)]
        fn pow(self, y: Self) -> Self {
            use $crate::math::Single;
            if !Self::FMA {
                // std's power is faster than one in doubles of a level that fuses nothing
                return self.map2(y, |x, y| x.powf(y));
            }
            Single::narrow($crate::math::single::pow(Single::widen(self), Single::widen(y)))
        }

        #[inline(always)]
        fn powi(self, n: i32) -> Self {
            $crate::math::Single::narrow($crate::math::single::powi($crate::math::Single::widen(self), n))
        }

        $crate::math::elementary! { common }
    };
    (common) => {
        #[inline(always)]
        fn recip(self) -> Self {
            Self::splat(1.0) / self
        }

        #[inline(always)]
        fn signum(self) -> Self {
            // NaN keeps its place
            Self::select(Real::eq(self, self), Self::splat(1.0).copysign(self), self)
        }
    };
    (binary_double $($name:ident)*) => {
        $(#[inline(always)]
        fn $name(self, other: Self) -> Self {
            $crate::math::double::$name(self, other)
        })*
    };
    (binary_single $($name:ident)*) => {
        $(#[inline(always)]
        fn $name(self, other: Self) -> Self {
            use $crate::math::Single;
            Single::narrow($crate::math::single::$name(Single::widen(self), Single::widen(other)))
        })*
    };
    (unary_double $($name:ident)*) => {
        $(#[inline(always)]
        fn $name(self) -> Self {
            $crate::math::double::$name(self)
        })*
    };
    (unary_single $($name:ident)*) => {
        $(#[inline(always)]
        fn $name(self) -> Self {
            $crate::math::Single::narrow($crate::math::single::$name($crate::math::Single::widen(self)))
        })*
    };
}
pub(crate) use elementary;
