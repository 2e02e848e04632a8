//! Vectors by the intrinsics of x86-64. Every `unsafe` block here calls intrinsics under one assumption, which is that
//! of the [module](super): the code runs on a machine with the level that its marker names.

mod avx2;
mod avx512;
mod sse2;

pub use avx2::Avx2;
pub use avx512::Avx512;
pub use sse2::Sse2;

use crate::simd::LANES;
use std::arch::x86_64::*;
use std::mem::MaybeUninit;

/// Makes the stack frame of the function that this is inlined into begin at a cache line.
///
/// LLVM aligns a frame for what a function keeps there by itself, but not for registers that it spills later on: a vector
/// on the stack then lies across two lines, and one of them across two pages, where reading back what was just stored
/// took 20 % of a loop with 16 accumulators (AVX2, Zen 3).
#[inline(always)]
pub fn align_frame() {
    // as large as a cache line, and aligned to it
    let line = MaybeUninit::<__m512i>::uninit();
    #[cfg(not(miri))]
    // Safety: no instruction is executed, so nothing is read or written
    unsafe {
        std::arch::asm!("/* {} */", in(reg) line.as_ptr(), options(readonly, nostack, preserves_flags));
    }
    #[cfg(miri)]
    let _ = line;
}

/// Methods of `Real` for doubles and for singles, of vectors whose `raw_max` and `raw_min` are the instructions.
macro_rules! common {
    ($name:ident $float:ident) => {
        #[inline(always)]
        fn any(mask: Self::Mask) -> bool {
            mask.any()
        }

        #[inline(always)]
        fn map(self, f: impl Fn($float) -> $float + Copy) -> $name {
            $name::from_array(crate::simd::map1(self.to_array(), f))
        }

        #[inline(always)]
        fn map2(self, other: $name, f: impl Fn($float, $float) -> $float + Copy) -> $name {
            $name::from_array(crate::simd::map2(self.to_array(), other.to_array(), f))
        }

        #[inline(always)]
        fn round(self) -> $name {
            // the largest number below one half: half itself would carry its predecessor to 1
            (self + $name::splat(0.5 - $float::EPSILON / 4.0).copysign(self)).trunc()
        }

        #[inline(always)]
        fn max(self, other: $name) -> $name {
            // the instruction gives its second operand on a tie and where one is NaN
            $name::select(Real::ne(self, self), other, other.raw_max(self))
        }

        #[inline(always)]
        fn min(self, other: $name) -> $name {
            $name::select(Real::ne(self, self), other, other.raw_min(self))
        }
    };
}
use common;

/// Operators by the intrinsics of each register.
///
/// The intrinsics stand in a function with their features. LLVM puts them into it before it puts it into its callers:
/// these get one operation, instead of a call for each register with operands in memory.
macro_rules! operators {
    ($feature:literal $name:ident $registers:tt $($operator:ident $method:ident $intrinsic:ident)*) => {
        $(crate::simd::x86::operators! { one $feature $name $registers $operator $method $intrinsic })*
    };
    (one $feature:literal $name:ident [$($register:tt)*] $operator:ident $method:ident $intrinsic:ident) => {
        impl std::ops::$operator for $name {
            type Output = $name;

            #[inline(always)]
            fn $method(self, other: $name) -> $name {
                #[inline]
                #[target_feature(enable = $feature)]
                fn all(a: $name, b: $name) -> $name {
                    $name($($intrinsic(a.$register, b.$register)),*)
                }
                // Safety: the machine has the level
                unsafe { all(self, other) }
            }
        }
    };
}
use operators;

/// Operators of a mask of whole lanes.
macro_rules! mask_operators {
    ($feature:literal $name:ident $registers:tt $and:ident $or:ident $xor:ident) => {
        crate::simd::x86::operators! {
            $feature $name $registers BitAnd bitand $and  BitOr bitor $or  BitXor bitxor $xor
        }

        impl std::ops::Not for $name {
            type Output = $name;

            #[inline(always)]
            fn not(self) -> $name {
                self ^ $name::splat(true)
            }
        }
    };
}
use mask_operators;

/// The lowest eight bits.
#[inline(always)]
fn bits(bits: u32) -> [bool; LANES] {
    [
        bits & 1 != 0,
        bits & 2 != 0,
        bits & 4 != 0,
        bits & 8 != 0,
        bits & 16 != 0,
        bits & 32 != 0,
        bits & 64 != 0,
        bits & 128 != 0,
    ]
}

/// Integers of a register as positions.
#[inline(always)]
fn numbers(integers: [u64; LANES]) -> [usize; LANES] {
    let [a, b, c, d, e, f, g, h] = integers;
    [a as usize, b as usize, c as usize, d as usize, e as usize, f as usize, g as usize, h as usize]
}

/// The transpose of eight rows of eight singles.
///
/// # Safety
///
/// The machine has AVX.
#[inline(always)]
unsafe fn transpose_singles(rows: [__m256; 8]) -> [__m256; 8] {
    let [a, b, c, d, e, f, g, h] = rows;
    // Safety: the caller's promise
    unsafe {
        // pairs of rows, then fours, in each half of 128 bits; then the halves
        let (ab0, ab1) = (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
        let (cd0, cd1) = (_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
        let (ef0, ef1) = (_mm256_unpacklo_ps(e, f), _mm256_unpackhi_ps(e, f));
        let (gh0, gh1) = (_mm256_unpacklo_ps(g, h), _mm256_unpackhi_ps(g, h));
        const LOW: i32 = 0b01_00_01_00;
        const HIGH: i32 = 0b11_10_11_10;
        let (p04, q04) = (_mm256_shuffle_ps::<LOW>(ab0, cd0), _mm256_shuffle_ps::<LOW>(ef0, gh0));
        let (p15, q15) = (_mm256_shuffle_ps::<HIGH>(ab0, cd0), _mm256_shuffle_ps::<HIGH>(ef0, gh0));
        let (p26, q26) = (_mm256_shuffle_ps::<LOW>(ab1, cd1), _mm256_shuffle_ps::<LOW>(ef1, gh1));
        let (p37, q37) = (_mm256_shuffle_ps::<HIGH>(ab1, cd1), _mm256_shuffle_ps::<HIGH>(ef1, gh1));
        [
            _mm256_permute2f128_ps::<0x20>(p04, q04),
            _mm256_permute2f128_ps::<0x20>(p15, q15),
            _mm256_permute2f128_ps::<0x20>(p26, q26),
            _mm256_permute2f128_ps::<0x20>(p37, q37),
            _mm256_permute2f128_ps::<0x31>(p04, q04),
            _mm256_permute2f128_ps::<0x31>(p15, q15),
            _mm256_permute2f128_ps::<0x31>(p26, q26),
            _mm256_permute2f128_ps::<0x31>(p37, q37),
        ]
    }
}
