//! Columns of eight short rows of memory.

use crate::simd::LANES;
use std::arch::x86_64::*;

/// The first four columns of eight rows. Two rows share a register from the start, which takes loads instead of shuffles:
/// there is one port for those.
///
/// # Safety
///
/// AVX-512 was detected, and four elements of each row are readable.
#[inline(always)]
pub(super) unsafe fn four_columns(rows: [*const f64; LANES]) -> [__m512d; 4] {
    let [a, b, c, d, e, f, g, h] = rows;
    // Safety: the caller's promise
    unsafe {
        let (ac, bd, eg, fh) = (fours(a, c), fours(b, d), fours(e, g), fours(f, h));
        let (low, high) = (_mm512_unpacklo_pd(ac, bd), _mm512_unpacklo_pd(eg, fh));
        let (low_odd, high_odd) = (_mm512_unpackhi_pd(ac, bd), _mm512_unpackhi_pd(eg, fh));
        [
            _mm512_shuffle_f64x2::<0x88>(low, high),
            _mm512_shuffle_f64x2::<0x88>(low_odd, high_odd),
            _mm512_shuffle_f64x2::<0xdd>(low, high),
            _mm512_shuffle_f64x2::<0xdd>(low_odd, high_odd),
        ]
    }
}

/// Four elements at `low`, and four at `high` behind them.
///
/// # Safety
///
/// AVX-512 was detected, and four elements of both are readable.
#[inline(always)]
unsafe fn fours(low: *const f64, high: *const f64) -> __m512d {
    // Safety: the caller's promise
    unsafe { _mm512_insertf64x4::<1>(_mm512_castpd256_pd512(_mm256_loadu_pd(low)), _mm256_loadu_pd(high)) }
}

/// The first two columns of eight rows, of which four share a register from the start.
///
/// # Safety
///
/// AVX-512 was detected, and two elements of each row are readable.
#[inline(always)]
pub(super) unsafe fn two_columns(rows: [*const f64; LANES]) -> [__m512d; 2] {
    let [a, b, c, d, e, f, g, h] = rows;
    // Safety: the caller's promise
    unsafe {
        let (even, odd) = (pairs([a, c, e, g]), pairs([b, d, f, h]));
        [_mm512_unpacklo_pd(even, odd), _mm512_unpackhi_pd(even, odd)]
    }
}

/// Two elements at each of four places, one pair after the other.
///
/// # Safety
///
/// AVX-512 was detected, and two elements at each place are readable.
#[inline(always)]
unsafe fn pairs(places: [*const f64; 4]) -> __m512d {
    let [a, b, c, d] = places;
    // Safety: the caller's promise
    unsafe {
        let pairs = _mm512_castpd128_pd512(_mm_loadu_pd(a));
        let pairs = _mm512_insertf64x2::<1>(pairs, _mm_loadu_pd(b));
        let pairs = _mm512_insertf64x2::<2>(pairs, _mm_loadu_pd(c));
        _mm512_insertf64x2::<3>(pairs, _mm_loadu_pd(d))
    }
}
