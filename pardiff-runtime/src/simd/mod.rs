//! Eight lanes at a time: the vectors that generated lane loops compute with.
//!
//! *Comes in*: pointers and values of generated code. *Goes out*: vectors of [`LANES`] lanes, whatever their element,
//! and masks of as many bits. *Guarantees*: element-wise operations are those of Rust's scalars, bit for bit, at every
//! level (`mul_add_fast` alone depends on it); sums over lanes are made in the order of the lanes; memory under an
//! inactive lane is neither read nor written. *Never*: decides which level to use; [`level()`] says what the machine has.
//!
//! `Baseline` is what every machine of the architecture has: [`Sse2`] on x86-64, [`Arrays`] elsewhere. The arrays would
//! do on x86-64 as well, but what the compiler has to unroll and to join again takes it several times as long.
//!
//! # Safety of the whole module
//!
//! The vectors of [`Avx2`] and [`Avx512`] execute instructions of that level in safe methods (an operator cannot be an
//! `unsafe fn`). So code that names one of these two markers must run only where [`level()`] returned it, or a higher
//! one: in functions with `#[target_feature]` that are called behind that test. The module is for generated code.

mod arrays;
mod lane;
mod level;
mod rows;
mod sum;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use crate::math::Real;
pub use arrays::Arrays;
#[cfg(not(target_arch = "x86_64"))]
pub use arrays::Arrays as Baseline;
pub use lane::Lane;
pub use level::{Level, level};
pub use rows::{first_outside, load_rows, scatter_add_rows, scatter_rows};
pub use sum::Sum;
#[cfg(target_arch = "x86_64")]
pub use x86::{Avx2, Avx512, Sse2, Sse2 as Baseline, align_frame};

use crate::Zero;
use std::ops::{BitAnd, BitOr, BitXor, Not};

/// The number of lanes of every vector, whatever its element.
pub const LANES: usize = 8;

/// An instruction-set level: its vectors.
pub trait Isa: Copy + Send + Sync + 'static {
    /// Whether [`Real::mul_add_fast`] is fused.
    const FMA: bool;
    /// The level that must have been detected.
    const LEVEL: Level;
    /// One bit a lane.
    type Mask: Mask;
    /// Eight `f64`.
    type F64: Vector<f64, Mask = Self::Mask>;
    /// Eight `f32`.
    type F32: Vector<f32, Mask = Self::Mask>;
    /// The sum of the lanes of `F64` where many are under way at once.
    type SumF64: Sum<Self::F64>;

    /// `x as f64`, lane by lane.
    fn widen(x: Self::F32) -> Self::F64;

    /// `x as f32`, lane by lane.
    fn narrow(x: Self::F64) -> Self::F32;
}

/// One bit a lane.
pub trait Mask:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Not<Output = Self> + 'static
{
    /// The same bit in every lane.
    fn splat(bit: bool) -> Self;

    /// The lanes below `n`; all of them if `n >= 8`.
    fn first(n: usize) -> Self;

    /// Whether some lane is active.
    fn any(self) -> bool;

    /// Whether every lane is active.
    fn all(self) -> bool;

    /// The number of active lanes.
    fn count(self) -> u32;

    /// The bit of a lane below 8.
    fn get(self, lane: usize) -> bool;

    /// The first active lane, 0 if there is none.
    #[cfg_attr(not(unoptimised), inline(always))]
    fn first_active(self) -> usize {
        self.to_array().into_iter().position(|active| active).unwrap_or(0)
    }

    /// The bits in the order of the lanes.
    fn from_array(bits: [bool; LANES]) -> Self;

    /// The bits in the order of the lanes.
    fn to_array(self) -> [bool; LANES];

    /// `a < b`, lane by lane.
    #[inline(always)]
    fn less(a: [usize; LANES], b: [usize; LANES]) -> Self {
        Self::from_array(map2(a, b, |a, b| a < b))
    }

    /// The numbers of active lanes, 0 in the others.
    #[cfg_attr(not(unoptimised), inline(always))]
    fn keep(self, numbers: [usize; LANES]) -> [usize; LANES] {
        keep(self, numbers)
    }
}

/// Eight floats. The element-wise operations are those of [`Real`].
pub trait Vector<T: Copy>: Real<Scalar = T, Mask: Mask> {
    /// The lanes in order.
    fn from_array(lanes: [T; LANES]) -> Self;

    /// The lanes in order.
    fn to_array(self) -> [T; LANES];

    /// Eight consecutive elements.
    ///
    /// # Safety
    ///
    /// `p..p + 8` is readable and initialised. It need not be aligned to more than `T`.
    unsafe fn load(p: *const T) -> Self;

    /// Writes eight consecutive elements.
    ///
    /// # Safety
    ///
    /// `p..p + 8` is writable. It need not be aligned to more than `T`.
    unsafe fn store(self, p: *mut T);

    /// Lane `l` is `p[l]` if it is active, else zero and not touched.
    ///
    /// # Safety
    ///
    /// `p + l` is readable and initialised for every active lane `l`.
    unsafe fn load_masked(p: *const T, mask: Self::Mask) -> Self;

    /// `p[l] = self[l]` for active lanes; the others are not touched.
    ///
    /// # Safety
    ///
    /// `p + l` is writable for every active lane `l`.
    unsafe fn store_masked(self, p: *mut T, mask: Self::Mask);

    /// `p[l] = self[l]` for the lanes below `n`; the others are not touched. For the ends of rows, whose `n` is the same time
    /// after time: branches that are foretold cost less than a store under a mask of AVX2 (8.9 against 0.4 to 2.4 ns on a loaded Zen 3).
    ///
    /// # Safety
    ///
    /// `p..p + min(n, 8)` is writable.
    #[inline(always)]
    unsafe fn store_first(self, p: *mut T, n: usize) {
        // Safety: the caller's promise
        unsafe { self.store_masked(p, Self::Mask::first(n)) }
    }

    /// Lane `l` is `base[offsets[l]]`.
    ///
    /// # Safety
    ///
    /// `base + offsets[l]` is readable and initialised for every lane.
    #[inline(always)]
    unsafe fn gather(base: *const T, offsets: [isize; LANES]) -> Self {
        // Safety: the caller's promise, lane by lane
        Self::from_array(map1(offsets, |offset| unsafe { base.offset(offset).read() }))
    }

    /// Lane `l` is `base[offsets[l]]` if it is active, else zero and not touched.
    ///
    /// # Safety
    ///
    /// `base + offsets[l]` is readable and initialised for every active lane.
    #[inline(always)]
    unsafe fn gather_masked(base: *const T, offsets: [isize; LANES], mask: Self::Mask) -> Self
    where
        T: Zero,
    {
        let zero: *const T = &T::ZERO;
        Self::from_array(map2(offsets, mask.to_array(), |offset, active| {
            let p = std::hint::select_unpredictable(active, base.wrapping_offset(offset), zero);
            // Safety: the caller's promise, for an active lane; the zero outlives the call
            unsafe { p.read() }
        }))
    }

    /// `base[offsets[l]] = self[l]`, in the order of the lanes: the last one stays where offsets collide.
    ///
    /// # Safety
    ///
    /// `base + offsets[l]` is writable for every lane.
    #[inline(always)]
    unsafe fn scatter(self, base: *mut T, offsets: [usize; LANES]) {
        // Safety: the caller's promise, for this lane
        map2(offsets, self.to_array(), |offset, lane| unsafe { base.add(offset).write(lane) });
    }

    /// `base[offsets[l]] = self[l]` for active lanes, in their order.
    ///
    /// # Safety
    ///
    /// `base + offsets[l]` is writable for every active lane.
    #[inline(always)]
    unsafe fn scatter_masked(self, base: *mut T, offsets: [usize; LANES], mask: Self::Mask) {
        map2(zip(offsets, self.to_array()), mask.to_array(), |(offset, lane), active| {
            if active {
                // Safety: the caller's promise, for this active lane
                unsafe { base.add(offset).write(lane) };
            }
        });
    }

    /// `base[offsets[l]] += self[l]`, lane after lane: offsets may collide.
    ///
    /// # Safety
    ///
    /// `base + offsets[l]` is readable, initialised and writable for every lane.
    unsafe fn scatter_add(self, base: *mut T, offsets: [usize; LANES]);

    /// `base[offsets[l]] += self[l]` for active lanes, one after the other: offsets may collide.
    ///
    /// # Safety
    ///
    /// `base + offsets[l]` is readable, initialised and writable for every active lane.
    unsafe fn scatter_add_masked(self, base: *mut T, offsets: [usize; LANES], mask: Self::Mask);

    /// The lane `lane`, which is below 8.
    #[inline(always)]
    fn get(self, lane: usize) -> T {
        self.to_array()[lane]
    }

    /// `f` folded over the lanes in order, from the first lane on.
    #[inline(always)]
    fn fold(self, f: impl Fn(T, T) -> T + Copy) -> T {
        let [a, b, c, d, e, g, h, i] = self.to_array();
        f(f(f(f(f(f(f(a, b), c), d), e), g), h), i)
    }

    /// The sum of the lanes, added in their order.
    fn sum(self) -> T;

    /// The sums of the lanes of one vector or more, each with the bits of [`Vector::sum`]: the lanes of eight vectors are
    /// added at once, by columns.
    #[inline(always)]
    fn sums<const N: usize>(vectors: [Self; N]) -> [T; N] {
        let mut sums = [vectors[0].get(0); N];
        let mut first = 0;
        while first < N {
            // rows that are missing repeat the first one; nobody looks at their sums
            let mut rows = [vectors[first]; LANES];
            let here = if N - first < LANES { N - first } else { LANES };
            let mut row = 1;
            while row < here {
                rows[row] = vectors[first + row];
                row += 1;
            }
            let [a, b, c, d, e, f, g, h] = Self::transpose(rows);
            let all = (((((((a + b) + c) + d) + e) + f) + g) + h).to_array();
            let mut row = 0;
            while row < here {
                sums[first + row] = all[row];
                row += 1;
            }
            first += LANES;
        }
        sums
    }

    /// The product of the lanes, multiplied in their order.
    fn product(self) -> T;

    /// The largest lane, by [`Real::max`] in the order of the lanes.
    fn max_lane(self) -> T;

    /// The smallest lane, by [`Real::min`] in the order of the lanes.
    fn min_lane(self) -> T;

    /// Lane `l` of result `k` is lane `k` of `rows[l]`.
    fn transpose(rows: [Self; LANES]) -> [Self; LANES];

    /// Elements `0..R` of the rows: lane `l` of result `k` is element `k` of row `l`.
    ///
    /// # Safety
    ///
    /// `R` elements of each row are readable and initialised.
    #[inline(always)]
    unsafe fn load_rows<const R: usize>(rows: [*const T; LANES]) -> [Self; R] {
        // Safety: the first elements of each row
        let mut columns = [unsafe { Self::splat(rows[0].read()) }; R];
        let mut first = 0;
        while first < R {
            let width = if R - first < LANES { R - first } else { LANES };
            // no closure around the loads: it would not have the features of the function that calls this, and the
            // intrinsics in it would stay calls
            let mut part = [columns[0]; LANES];
            let mut lane = 0;
            while lane < LANES {
                // Safety: `first + width <= R`
                part[lane] = unsafe {
                    let row = rows[lane].add(first);
                    if width == LANES {
                        Self::load(row)
                    } else {
                        Self::load_masked(row, Self::Mask::first(width))
                    }
                };
                lane += 1;
            }
            let part = Self::transpose(part);
            columns[first..first + width].copy_from_slice(&part[..width]);
            first += LANES;
        }
        columns
    }
}

/// `f` of every element. Neither the results nor `f` need dropping, so that a call leaves no way to unwind: those would
/// be most of the code.
#[inline(always)]
pub fn map1<A: Copy, B: Copy>(a: [A; LANES], f: impl Fn(A) -> B + Copy) -> [B; LANES] {
    let [a0, a1, a2, a3, a4, a5, a6, a7] = a;
    [f(a0), f(a1), f(a2), f(a3), f(a4), f(a5), f(a6), f(a7)]
}

/// `f` of the elements of two arrays; as [`map1`].
#[inline(always)]
pub fn map2<A: Copy, B: Copy, C: Copy>(
    a: [A; LANES],
    b: [B; LANES],
    f: impl Fn(A, B) -> C + Copy,
) -> [C; LANES] {
    let [a0, a1, a2, a3, a4, a5, a6, a7] = a;
    let [b0, b1, b2, b3, b4, b5, b6, b7] = b;
    [f(a0, b0), f(a1, b1), f(a2, b2), f(a3, b3), f(a4, b4), f(a5, b5), f(a6, b6), f(a7, b7)]
}

/// `f` of every active lane, `otherwise` in the others.
///
/// `f` does not have the features of its caller, so no intrinsic may stand in it: it would stay a call. That is why the
/// mask comes apart here, and not in `f`.
#[inline(always)]
pub fn map_active<M: Mask, A: Copy>(mask: M, otherwise: A, f: impl Fn(usize) -> A) -> [A; LANES] {
    let active = mask.to_array();
    let lane = |lane: usize| if active[lane] { f(lane) } else { otherwise };
    [lane(0), lane(1), lane(2), lane(3), lane(4), lane(5), lane(6), lane(7)]
}

/// Numbers that `as` converts to `T`.
///
/// Lanes are converted and compared by functions with names: each closure is a type of its own, with a copy of what
/// calls it for each level.
pub trait As<T>: Copy {
    /// `self as T`
    fn cast(self) -> T;
}

macro_rules! casts {
    ($to:tt: $($from:ty)*) => {
        $(casts!(@ $from, $to);)*
    };
    (@ $from:ty, [$($to:ty)*]) => {
        $(impl As<$to> for $from {
            #[inline(always)]
            fn cast(self) -> $to {
                self as $to
            }
        })*
    };
}

casts!([u8 u16 u32 u64 usize i8 i16 i32 i64 isize f32 f64]: u8 u16 u32 u64 usize i8 i16 i32 i64 isize f32 f64);

macro_rules! comparisons {
    ($($name:ident $operator:tt)*) => {
        $(
            #[doc = concat!("`a ", stringify!($operator), " b`")]
            #[inline(always)]
            pub fn $name<T: PartialOrd>(a: T, b: T) -> bool {
                a $operator b
            }
        )*
    };
}

comparisons!(eq == ne != lt < le <= gt > ge >=);

/// The numbers of active lanes, zero in the others.
#[cfg_attr(not(unoptimised), inline(always))]
pub fn keep<M: Mask, A: Copy + Default>(mask: M, numbers: [A; LANES]) -> [A; LANES] {
    map2(mask.to_array(), numbers, kept)
}

#[inline(always)]
fn kept<A: Default>(active: bool, number: A) -> A {
    if active { number } else { A::default() }
}

/// Pairs of the elements of two arrays.
#[inline(always)]
pub fn zip<A: Copy, B: Copy>(a: [A; LANES], b: [B; LANES]) -> [(A, B); LANES] {
    map2(a, b, |a, b| (a, b))
}

/// `a` in active lanes, `b` in the others.
#[inline(always)]
pub fn select_array<M: Mask, A: Copy>(mask: M, a: [A; LANES], b: [A; LANES]) -> [A; LANES] {
    map2(mask.to_array(), zip(a, b), |active, (a, b)| if active { a } else { b })
}

/// The positions of active lanes, and that of an active lane in the others; none if no lane is active. It does not branch
/// on which lanes are active, as that is often not to be predicted.
#[inline(always)]
pub fn filled<M: Mask>(index: [usize; LANES], mask: M) -> Option<[usize; LANES]> {
    if !mask.any() {
        return None;
    }
    let others = (!mask).keep([index[mask.first_active()]; LANES]);
    Some(map2(mask.keep(index), others, |own, other| own | other))
}

/// Numbers with a sign as numbers without one, in the same order.
#[inline(always)]
pub fn in_order(numbers: [isize; LANES]) -> [usize; LANES] {
    map1(numbers, |number| (number as usize) ^ (isize::MIN as usize))
}

/// `first, first + 1, …`; lanes past the end of the type wrap.
#[inline(always)]
pub fn iota(first: usize) -> [usize; LANES] {
    [
        first,
        first.wrapping_add(1),
        first.wrapping_add(2),
        first.wrapping_add(3),
        first.wrapping_add(4),
        first.wrapping_add(5),
        first.wrapping_add(6),
        first.wrapping_add(7),
    ]
}
