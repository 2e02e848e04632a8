//! Types of known crates, as generated code names them.
//!
//! Members that are public are read and written where they lie: no value is copied and none is seen as another type. Those
//! that are not are [taken](Private). What is made new is a zero.

mod private;

pub use private::Private;

#[cfg(any(feature = "num-complex", feature = "glam", feature = "nalgebra"))]
use crate::Zero;

/// Types of the standard library.
pub mod core {
    pub use ::core::num::{
        NonZeroI8, NonZeroI16, NonZeroI32, NonZeroI64, NonZeroIsize, NonZeroU8, NonZeroU16, NonZeroU32,
        NonZeroU64, NonZeroUsize,
    };
    pub use ::core::primitive::char;
}

#[cfg(feature = "glam")]
pub use glam;
#[cfg(feature = "nalgebra")]
pub use nalgebra;
#[cfg(feature = "num-complex")]
pub use num_complex;

/// That a type is the known one of its name.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the type that pardiff knows by this name, `{T}`",
    label = "of another crate, or of another version of the crate",
    note = "pardiff knows types of num-complex 0.4, glam 0.34 and nalgebra 0.35",
    note = "a type or a macro of your own that has one of their names is seen in the module under the attribute, or through `uses`"
)]
pub trait Is<T> {}

#[diagnostic::do_not_recommend]
impl<T> Is<T> for T {}

#[cfg(feature = "num-complex")]
impl<T: Zero> Zero for num_complex::Complex<T> {
    const ZERO: Self = num_complex::Complex { re: T::ZERO, im: T::ZERO };
}

#[cfg(feature = "glam")]
macro_rules! zeros_of_glam {
    ($($ty:ident)*) => { $(impl Zero for glam::$ty { const ZERO: Self = Self::ZERO; })* };
}

#[cfg(feature = "glam")]
zeros_of_glam! { Vec2 Vec3 DVec2 DVec3 DVec4 Mat3 DMat2 DMat3 DMat4 }

#[cfg(feature = "glam")]
impl Zero for glam::DQuat {
    const ZERO: Self = Self::from_xyzw(0.0, 0.0, 0.0, 0.0);
}

/// Zeros in the shape of a matrix whose sizes are known at run time.
#[cfg(feature = "nalgebra")]
pub fn zeros_like<T, R, C>(model: &nalgebra::OMatrix<T, R, C>) -> nalgebra::OMatrix<T, R, C>
where
    T: Zero + nalgebra::Scalar,
    R: nalgebra::Dim,
    C: nalgebra::Dim,
    nalgebra::DefaultAllocator: nalgebra::allocator::Allocator<R, C>,
{
    let (rows, columns) = model.shape_generic();
    nalgebra::OMatrix::from_element_generic(rows, columns, T::ZERO)
}

/// Checks that a derivative of a matrix has its shape.
///
/// # Panics
///
/// If it has another one.
#[cfg(feature = "nalgebra")]
#[track_caller]
pub fn same_shape<T, R: nalgebra::Dim, C: nalgebra::Dim, S: nalgebra::RawStorage<T, R, C>>(
    function: &str,
    derivative: &str,
    companion: &str,
    own: &nalgebra::Matrix<T, R, C, S>,
    argument: &str,
    primal: &nalgebra::Matrix<T, R, C, S>,
) {
    let ((rows, columns), (of_rows, of_columns)) = (own.shape(), primal.shape());
    assert!(
        own.shape() == primal.shape(),
        "{function}: the shape of the {derivative} `{companion}` is {rows} x {columns} but that of `{argument}` is \
         {of_rows} x {of_columns}"
    );
}

#[cfg(feature = "nalgebra")]
impl<T, R, C> crate::check::Numbers for nalgebra::VecStorage<T, R, C>
where
    T: crate::check::Numbers,
    R: nalgebra::Dim,
    C: nalgebra::Dim,
{
    fn visit(&mut self, visitor: &mut crate::check::Visitor<'_>) {
        self.as_mut_slice().visit(visitor);
    }
}

#[cfg(feature = "nalgebra")]
impl<T, const R: usize, const C: usize> Zero for nalgebra::SMatrix<T, R, C>
where
    T: Zero + nalgebra::Scalar,
{
    const ZERO: Self = Self::from_array_storage(nalgebra::ArrayStorage([[T::ZERO; R]; C]));
}

#[cfg(feature = "nalgebra")]
impl<T, const N: usize> Zero for nalgebra::Point<T, N>
where
    T: Zero + nalgebra::Scalar,
{
    const ZERO: Self = nalgebra::OPoint { coords: <nalgebra::SVector<T, N> as Zero>::ZERO };
}

#[cfg(feature = "nalgebra")]
impl<T: Zero + nalgebra::Scalar> Zero for nalgebra::Quaternion<T> {
    const ZERO: Self = nalgebra::Quaternion { coords: <nalgebra::Vector4<T> as Zero>::ZERO };
}

#[cfg(feature = "nalgebra")]
impl<T, const N: usize> Zero for nalgebra::Translation<T, N>
where
    T: Zero + nalgebra::Scalar,
{
    const ZERO: Self = nalgebra::Translation { vector: <nalgebra::SVector<T, N> as Zero>::ZERO };
}
