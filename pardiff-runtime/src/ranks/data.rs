//! What messages carry: numbers of one type, one after the other.

/// The smallest number, the largest, or the sum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    /// `+`, in the order of ranks; integers wrap.
    Sum,
    /// That of the first rank, on a tie.
    Min,
    /// That of the first rank, on a tie.
    Max,
}

/// A type whose values messages carry.
pub trait Number: Copy + PartialOrd + Send + Sync + 'static {
    /// As the language calls it.
    const NAME: &'static str;
    /// Zero, or `false`.
    const ZERO: Self;
    /// The sum of two; of bools, whether one is true.
    fn plus(self, other: Self) -> Self;
    /// Elements as they are sent.
    fn data(elements: &[Self]) -> Data<'_>;
    /// Elements as they are received.
    fn data_mut(elements: &mut [Self]) -> DataMut<'_>;

    /// The two reduced to one, the first on a tie.
    fn reduce(self, op: Op, other: Self) -> Self {
        match op {
            Op::Sum => self.plus(other),
            Op::Min if other < self => other,
            Op::Max if other > self => other,
            Op::Min | Op::Max => self,
        }
    }
}

macro_rules! numbers {
    ($($variant:ident $ty:ident $zero:literal $plus:expr;)*) => {
        /// Elements that are sent.
        #[derive(Clone, Copy, Debug)]
        pub enum Data<'a> {
            $(#[doc = concat!("Of `", stringify!($ty), "`.")] $variant(&'a [$ty]),)*
        }

        /// Where elements are received.
        #[derive(Debug)]
        pub enum DataMut<'a> {
            $(#[doc = concat!("Of `", stringify!($ty), "`.")] $variant(&'a mut [$ty]),)*
        }

        #[cfg(any(feature = "mpi", feature = "mpi-rs"))]
        impl DataMut<'_> {
            /// How many numbers there are.
            pub(super) fn len(&self) -> usize {
                match self {
                    $(DataMut::$variant(to) => to.len(),)*
                }
            }

            /// Copies as many numbers of the same type.
            pub(super) fn copy_from(self, from: Data<'_>) {
                match (self, from) {
                    $((DataMut::$variant(to), Data::$variant(from)) => to.copy_from_slice(from),)*
                    _ => panic!("what is sent and what is received are of different types"),
                }
            }
        }

        $(
            impl Number for $ty {
                const NAME: &'static str = stringify!($ty);
                const ZERO: $ty = $zero;

                fn plus(self, other: $ty) -> $ty {
                    let plus: fn($ty, $ty) -> $ty = $plus;
                    plus(self, other)
                }

                fn data(elements: &[$ty]) -> Data<'_> {
                    Data::$variant(elements)
                }

                fn data_mut(elements: &mut [$ty]) -> DataMut<'_> {
                    DataMut::$variant(elements)
                }
            }

            impl Equivalence for $ty {
                type Scalar = $ty;

                fn scalars(elements: &[$ty]) -> &[$ty] {
                    elements
                }

                fn scalars_mut(elements: &mut [$ty]) -> &mut [$ty] {
                    elements
                }
            }

            impl Buffer for $ty {
                type Scalar = $ty;

                fn scalars(&self) -> &[$ty] {
                    std::slice::from_ref(self)
                }
            }

            impl BufferMut for $ty {
                fn scalars_mut(&mut self) -> &mut [$ty] {
                    std::slice::from_mut(self)
                }
            }
        )*

        /// Calls `$call` with what is sent and what is received as slices of their type, if they are of one.
        macro_rules! typed {
            ($send:expr, $receive:expr, |$s:ident, $r:ident| $call:expr) => {
                match ($send, $receive) {
                    $(
                        (Some($crate::ranks::Data::$variant(s)), Some($crate::ranks::DataMut::$variant(r))) => {
                            let ($s, $r) = (Some(s), Some(r));
                            $call
                        }
                        (Some($crate::ranks::Data::$variant(s)), None) => {
                            let ($s, $r): (_, Option<&mut [$ty]>) = (Some(s), None);
                            $call
                        }
                        (None, Some($crate::ranks::DataMut::$variant(r))) => {
                            let ($s, $r): (Option<&[$ty]>, _) = (None, Some(r));
                            $call
                        }
                    )*
                    (None, None) => {
                        let ($s, $r): (Option<&[f64]>, Option<&mut [f64]>) = (None, None);
                        $call
                    }
                    _ => panic!("what is sent and what is received are of different types"),
                }
            };
        }
    };
}

numbers! {
    F64 f64 0.0 |a, b| a + b;
    F32 f32 0.0 |a, b| a + b;
    I8 i8 0 i8::wrapping_add;
    I16 i16 0 i16::wrapping_add;
    I32 i32 0 i32::wrapping_add;
    I64 i64 0 i64::wrapping_add;
    Isize isize 0 isize::wrapping_add;
    U8 u8 0 u8::wrapping_add;
    U16 u16 0 u16::wrapping_add;
    U32 u32 0 u32::wrapping_add;
    U64 u64 0 u64::wrapping_add;
    Usize usize 0 usize::wrapping_add;
    Bool bool false |a, b| a || b;
}

pub(in crate::ranks) use typed;

/// An element of a slice that messages carry: a number, or an array of such elements.
pub trait Equivalence: Sized {
    /// The numbers it consists of.
    type Scalar: Number;
    /// Elements as numbers.
    fn scalars(elements: &[Self]) -> &[Self::Scalar];
    /// Elements as numbers that are written.
    fn scalars_mut(elements: &mut [Self]) -> &mut [Self::Scalar];
}

impl<T: Equivalence, const N: usize> Equivalence for [T; N] {
    type Scalar = T::Scalar;

    fn scalars(elements: &[[T; N]]) -> &[T::Scalar] {
        T::scalars(elements.as_flattened())
    }

    fn scalars_mut(elements: &mut [[T; N]]) -> &mut [T::Scalar] {
        T::scalars_mut(elements.as_flattened_mut())
    }
}

/// What is received as a value: a number, or an array of such values.
pub trait Received {
    /// What it is before.
    const ZERO: Self;
}

impl<T: Number> Received for T {
    const ZERO: T = <T as Number>::ZERO;
}

impl<T: Received, const N: usize> Received for [T; N] {
    const ZERO: [T; N] = [T::ZERO; N];
}

/// What is sent: a number, an array, a slice or a vector.
pub trait Buffer {
    /// The numbers in it.
    type Scalar: Number;
    /// All of them.
    fn scalars(&self) -> &[Self::Scalar];
}

/// What is received into: the same.
pub trait BufferMut: Buffer {
    /// All numbers in it.
    fn scalars_mut(&mut self) -> &mut [Self::Scalar];
}

impl<T: Equivalence> Buffer for [T] {
    type Scalar = T::Scalar;

    fn scalars(&self) -> &[T::Scalar] {
        T::scalars(self)
    }
}

impl<T: Equivalence> BufferMut for [T] {
    fn scalars_mut(&mut self) -> &mut [T::Scalar] {
        T::scalars_mut(self)
    }
}

impl<T: Equivalence, const N: usize> Buffer for [T; N] {
    type Scalar = T::Scalar;

    fn scalars(&self) -> &[T::Scalar] {
        T::scalars(self)
    }
}

impl<T: Equivalence, const N: usize> BufferMut for [T; N] {
    fn scalars_mut(&mut self) -> &mut [T::Scalar] {
        T::scalars_mut(self)
    }
}

impl<T: Equivalence> Buffer for Vec<T> {
    type Scalar = T::Scalar;

    fn scalars(&self) -> &[T::Scalar] {
        T::scalars(self)
    }
}

impl<T: Equivalence> BufferMut for Vec<T> {
    fn scalars_mut(&mut self) -> &mut [T::Scalar] {
        T::scalars_mut(self)
    }
}
