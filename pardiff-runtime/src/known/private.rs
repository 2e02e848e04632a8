//! Types whose members are private, or in a vector of the machine: generated code takes the members of a value, and makes
//! a value of them.

use crate::Zero;

/// A type with private members.
///
/// A derivative is a value of the same type whose members are any numbers: no constructor of the crate makes them be of
/// unit length.
pub trait Private {
    /// A tuple of the members, in the order of the crate.
    type Members;

    /// The members of a value.
    fn members(&self) -> Self::Members;

    /// The value with these members, whatever they are.
    fn of_members(members: Self::Members) -> Self;
}

macro_rules! nonzero {
    ($($ty:ident $of:ident)*) => { $(
        impl Private for ::core::num::$ty {
            type Members = ($of,);

            fn members(&self) -> ($of,) {
                (self.get(),)
            }

            fn of_members((number,): ($of,)) -> Self {
                Self::new(number).unwrap_or(Self::MIN)
            }
        }

        impl Zero for ::core::num::$ty {
            /// In a derivative an integer says nothing.
            const ZERO: Self = Self::MIN;
        }
    )* };
}

nonzero! {
    NonZeroU8 u8 NonZeroU16 u16 NonZeroU32 u32 NonZeroU64 u64 NonZeroUsize usize
    NonZeroI8 i8 NonZeroI16 i16 NonZeroI32 i32 NonZeroI64 i64 NonZeroIsize isize
}

impl Private for char {
    type Members = (u32,);

    fn members(&self) -> (u32,) {
        (u32::from(*self),)
    }

    fn of_members((code,): (u32,)) -> char {
        char::from_u32(code).unwrap_or_default()
    }
}

impl Zero for char {
    const ZERO: char = '\0';
}

#[cfg(feature = "nalgebra")]
mod of_nalgebra {
    use super::{Private, Zero};
    use nalgebra::{Isometry, Rotation, SMatrix, Scalar, Translation, Unit};

    impl<V: Clone> Private for Unit<V> {
        type Members = (V,);

        fn members(&self) -> (V,) {
            (V::clone(self),)
        }

        fn of_members((value,): (V,)) -> Self {
            Unit::new_unchecked(value)
        }
    }

    impl<V: Zero> Zero for Unit<V> {
        const ZERO: Self = Unit::new_unchecked(V::ZERO);
    }

    impl<T: Scalar, const N: usize> Private for Rotation<T, N> {
        type Members = (SMatrix<T, N, N>,);

        fn members(&self) -> Self::Members {
            (self.matrix().clone(),)
        }

        fn of_members((matrix,): Self::Members) -> Self {
            Rotation::from_matrix_unchecked(matrix)
        }
    }

    impl<T: Zero + Scalar, const N: usize> Zero for Rotation<T, N> {
        const ZERO: Self = Rotation::from_matrix_unchecked(<SMatrix<T, N, N> as Zero>::ZERO);
    }

    // its members are public, and hold private ones
    impl<T: Scalar, R: Clone, const N: usize> Private for Isometry<T, R, N> {
        type Members = (R, Translation<T, N>);

        fn members(&self) -> Self::Members {
            (self.rotation.clone(), self.translation.clone())
        }

        fn of_members((rotation, translation): Self::Members) -> Self {
            Isometry { rotation, translation }
        }
    }

    impl<T: Zero + Scalar, R: Zero, const N: usize> Zero for Isometry<T, R, N> {
        const ZERO: Self = Isometry { rotation: R::ZERO, translation: Translation::ZERO };
    }
}

#[cfg(feature = "glam")]
mod of_glam {
    use super::{Private, Zero};
    use glam::{Mat2, Mat4, Quat, Vec2, Vec4};

    macro_rules! of_four {
        ($($ty:ident)*) => { $(
            impl Private for $ty {
                type Members = (f32, f32, f32, f32);

                fn members(&self) -> Self::Members {
                    self.to_array().into()
                }

                fn of_members(members: Self::Members) -> Self {
                    $ty::from_array(members.into())
                }
            }
        )* };
    }

    of_four! { Vec4 Quat }

    impl Private for Mat2 {
        type Members = (Vec2, Vec2);

        fn members(&self) -> Self::Members {
            (self.x_axis, self.y_axis)
        }

        fn of_members((x, y): Self::Members) -> Self {
            Mat2::from_cols(x, y)
        }
    }

    impl Private for Mat4 {
        type Members = (Vec4, Vec4, Vec4, Vec4);

        fn members(&self) -> Self::Members {
            (self.x_axis, self.y_axis, self.z_axis, self.w_axis)
        }

        fn of_members((x, y, z, w): Self::Members) -> Self {
            Mat4::from_cols(x, y, z, w)
        }
    }

    macro_rules! zeros {
        ($($ty:ident)*) => { $(impl Zero for $ty { const ZERO: Self = Self::ZERO; })* };
    }

    zeros! { Vec4 Mat2 Mat4 }

    impl Zero for Quat {
        const ZERO: Self = Self::from_xyzw(0.0, 0.0, 0.0, 0.0);
    }
}
