//! Every operation of the vectors against the same on scalars, at every level.

use crate::at_level::{Job, at, levels};
use pardiff_runtime::math::{self, Real};
use pardiff_runtime::simd::{self, Isa, LANES, Lane, Mask, Sum, Vector};
use pardiff_runtime::{Arena, Zero};
use std::fmt::Debug;

/// What the test needs of `f64` and `f32`.
trait Float: Real<Scalar = Self, Mask = bool> + Zero + PartialEq + Debug {
    const SPECIAL: [Self; 24];

    /// The same bits, or NaN both.
    fn same(self, other: Self) -> bool;

    /// `a * b + c`, rounded once.
    fn fused(a: Self, b: Self, c: Self) -> Self;
}

macro_rules! floats {
    ($($float:ident)*) => {
        $(impl Float for $float {
            const SPECIAL: [$float; 24] = [
                0.0, -0.0, $float::NAN, $float::INFINITY, $float::NEG_INFINITY, $float::MAX, $float::MIN,
                $float::MIN_POSITIVE, $float::MIN_POSITIVE / 4.0, 1.0, -1.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5,
                0.5 - $float::EPSILON / 4.0, 0.1, -3.7, 1.0 / $float::EPSILON, 1.0 / $float::EPSILON - 0.5, 1e30, -7e-9,
            ];

            fn same(self, other: $float) -> bool {
                self.to_bits() == other.to_bits() || (self.is_nan() && other.is_nan())
            }

            fn fused(a: $float, b: $float, c: $float) -> $float {
                a.mul_add(b, c)
            }
        })*
    };
}

floats! { f64 f32 }

fn assert_same<T: Float>(what: &str, vector: [T; LANES], scalar: [T; LANES]) {
    let same = vector.iter().zip(&scalar).all(|(a, b)| a.same(*b));
    assert!(same, "{what}: {vector:?} instead of {scalar:?}");
}

fn zip_with<T: Copy, U: Copy, R>(a: [T; LANES], b: [U; LANES], f: impl Fn(T, U) -> R) -> [R; LANES] {
    std::array::from_fn(|l| f(a[l], b[l]))
}

/// Element-wise operations on three vectors.
#[inline(always)]
fn element_wise<T: Float, V: Vector<T>>(a: [T; LANES], b: [T; LANES], c: [T; LANES]) {
    let (va, vb, vc) = (V::from_array(a), V::from_array(b), V::from_array(c));
    assert_same("round trip", va.to_array(), a);
    assert_same("splat", V::splat(a[3]).to_array(), [a[3]; LANES]);
    assert_same("add", (va + vb).to_array(), zip_with(a, b, |a, b| a + b));
    assert_same("sub", (va - vb).to_array(), zip_with(a, b, |a, b| a - b));
    assert_same("mul", (va * vb).to_array(), zip_with(a, b, |a, b| a * b));
    assert_same("div", (va / vb).to_array(), zip_with(a, b, |a, b| a / b));
    assert_same("neg", (-va).to_array(), a.map(|a| -a));
    assert_same("max", Real::max(va, vb).to_array(), zip_with(a, b, <T as Real>::max));
    assert_same("min", Real::min(va, vb).to_array(), zip_with(a, b, <T as Real>::min));
    assert_same("copysign", va.copysign(vb).to_array(), zip_with(a, b, <T as Real>::copysign));
    assert_same("map2", va.map2(vb, |a, b| a - b).to_array(), zip_with(a, b, |a, b| a - b));
    assert_same("map", va.map(|a| a + a).to_array(), a.map(|a| a + a));
    assert_same("sqrt", va.sqrt().to_array(), a.map(<T as Real>::sqrt));
    assert_same("abs", va.abs().to_array(), a.map(<T as Real>::abs));
    assert_same("floor", va.floor().to_array(), a.map(<T as Real>::floor));
    assert_same("ceil", va.ceil().to_array(), a.map(<T as Real>::ceil));
    assert_same("trunc", va.trunc().to_array(), a.map(<T as Real>::trunc));
    assert_same("round", va.round().to_array(), a.map(<T as Real>::round));
    assert_same("round_ties_even", va.round_ties_even().to_array(), a.map(<T as Real>::round_ties_even));
    assert_same("fract", math::fract(va).to_array(), a.map(|a| a - <T as Real>::trunc(a)));
    assert_same("signum", math::signum(va).to_array(), a.map(<T as Real>::signum));
    let product_and_sum = |l: usize| if V::FMA { T::fused(a[l], b[l], c[l]) } else { a[l] * b[l] + c[l] };
    assert_same("mul_add", va.mul_add_fast(vb, vc).to_array(), std::array::from_fn(product_and_sum));
    let less = zip_with(a, b, |a, b| Real::lt(a, b));
    assert_eq!(Real::lt(va, vb).to_array(), less);
    assert_eq!(Real::le(va, vb).to_array(), zip_with(a, b, |a, b| Real::le(a, b)));
    assert_eq!(Real::gt(va, vb).to_array(), zip_with(a, b, |a, b| Real::gt(a, b)));
    assert_eq!(Real::ge(va, vb).to_array(), zip_with(a, b, |a, b| Real::ge(a, b)));
    assert_eq!(Real::eq(va, vb).to_array(), zip_with(a, b, |a, b| Real::eq(a, b)));
    assert_eq!(Real::ne(va, vb).to_array(), zip_with(a, b, |a, b| Real::ne(a, b)));
    let selected = V::select(Real::lt(va, vb), va, vc);
    assert_same("select", selected.to_array(), std::array::from_fn(|l| if less[l] { a[l] } else { c[l] }));
    let fold = |f: fn(T, T) -> T| [a[1..].iter().fold(a[0], |x, &y| f(x, y)); LANES];
    assert_same("sum", [va.sum(); LANES], fold(|x, y| x + y));
    assert_same("product", [va.product(); LANES], fold(|x, y| x * y));
    assert_same("max_lane", [va.max_lane(); LANES], fold(<T as Real>::max));
    assert_same("min_lane", [va.min_lane(); LANES], fold(<T as Real>::min));
    assert_same("fold", [va.fold(|x, y| x - y); LANES], fold(|x, y| x - y));
    assert_same("get", std::array::from_fn(|l| va.get(l)), a);
}

/// All pairs of special values, in changing lanes.
struct ElementWise;

impl Job for ElementWise {
    type Output = ();

    #[inline(always)]
    fn run<S: Isa>(self) {
        for shift in 0..f64::SPECIAL.len() {
            for start in (0..f64::SPECIAL.len()).step_by(LANES) {
                let lanes = |k: usize, l: usize| (start + l + k * shift) % f64::SPECIAL.len();
                let double = |k| std::array::from_fn(|l| f64::SPECIAL[lanes(k, l)]);
                let single = |k| std::array::from_fn(|l| f32::SPECIAL[lanes(k, l)]);
                element_wise::<f64, S::F64>(double(0), double(1), double(2));
                element_wise::<f32, S::F32>(single(0), single(1), single(2));
                let wide = S::widen(S::F32::from_array(single(1))).to_array();
                assert_same("widen", wide, single(1).map(f64::from));
                let narrow = S::narrow(S::F64::from_array(double(1))).to_array();
                assert_same("narrow", narrow, double(1).map(|x| x as f32));
            }
        }
        let lane = Lane::<S, f64>::new(0.1).mul_add_fast(Lane::new(0.3), Lane::new(-0.03)).value();
        let vector = S::F64::splat(0.1).mul_add_fast(S::F64::splat(0.3), S::F64::splat(-0.03)).to_array();
        assert_same("a lane on its own", vector, [lane; LANES]);
    }
}

#[test]
fn element_wise_operations_are_those_of_scalars() {
    for level in levels() {
        at(level, ElementWise);
    }
}

#[test]
fn max_and_min_are_those_of_std_and_give_the_first_of_a_tie() {
    for (a, b) in f64::SPECIAL.iter().flat_map(|&a| f64::SPECIAL.map(|b| (a, b))) {
        if a == b {
            assert!(math::max(a, b).same(a) && math::min(a, b).same(a));
        } else {
            assert!(math::max(a, b).same(a.max(b)) && math::min(a, b).same(a.min(b)), "{a} {b}");
        }
    }
}

/// Masks of every number.
struct Masks;

impl Job for Masks {
    type Output = ();

    #[inline(always)]
    fn run<S: Isa>(self) {
        for number in 0..256u32 {
            let bits = std::array::from_fn(|l| number >> l & 1 != 0);
            let mask = S::Mask::from_array(bits);
            assert_eq!(mask.to_array(), bits);
            assert_eq!((mask.any(), mask.all()), (number != 0, number == 255));
            assert_eq!(mask.count(), number.count_ones());
            assert_eq!(std::array::from_fn(|l| mask.get(l)), bits);
            assert_eq!((!mask).to_array(), bits.map(|bit| !bit));
            let other_bits = bits.map(|bit| bit ^ (number % 3 == 0));
            let other = S::Mask::from_array(other_bits);
            let numbers = [0, 1, usize::MAX, usize::MAX / 2, usize::MAX / 2 + 1, 7, 8, 1 << 40];
            let kept = std::array::from_fn(|l| if bits[l] { numbers[l] } else { 0 });
            assert_eq!(mask.keep(numbers), kept);
            let limits = std::array::from_fn(|l| numbers[(l + 3) % LANES]);
            let less = S::Mask::less(numbers, limits).to_array();
            assert_eq!(less, std::array::from_fn(|l| numbers[l] < limits[l]));
            assert!(!S::Mask::less(numbers, numbers).any());
            assert_eq!((mask & other).to_array(), zip_with(bits, other_bits, |a, b| a & b));
            assert_eq!((mask | other).to_array(), zip_with(bits, other_bits, |a, b| a | b));
            assert_eq!((mask ^ other).to_array(), zip_with(bits, other_bits, |a, b| a ^ b));
            let [a, b] = [std::array::from_fn(|l| l), [99; LANES]];
            let selected = simd::select_array(mask, a, b);
            assert_eq!(selected, std::array::from_fn(|l| if bits[l] { l } else { 99 }));
        }
        for n in 0..12 {
            assert_eq!(S::Mask::first(n).to_array(), std::array::from_fn(|l| l < n));
        }
        assert!(
            S::Mask::first(usize::MAX).all() && S::Mask::splat(true).all() && !S::Mask::splat(false).any()
        );
    }
}

#[test]
fn masks_are_eight_bits() {
    for level in levels() {
        at(level, Masks);
    }
}

/// Accesses at both ends of an allocation of exactly the active elements.
#[inline(always)]
fn at_the_ends<T: Float, V: Vector<T>>() {
    let numbers: [T; 24] = T::SPECIAL.map(|x| if Real::eq(x, x) { x } else { T::ZERO });
    for n in 1..=LANES {
        // an own allocation: a tool that watches memory sees an access beyond
        let memory: Box<[T]> = numbers[..n].into();
        let expected = std::array::from_fn(|l| if l < n { numbers[l] } else { T::ZERO });
        // Safety: the first `n` lanes are there
        let loaded = unsafe { V::load_masked(memory.as_ptr(), V::Mask::first(n)) };
        assert_same("load_masked", loaded.to_array(), expected);
        // the last lanes of a vector that begins before the allocation
        let last = V::Mask::from_array(std::array::from_fn(|l| l >= LANES - n));
        let before = memory.as_ptr().wrapping_sub(LANES - n);
        // Safety: the last `n` lanes are there
        let loaded = unsafe { V::load_masked(before, last) };
        let expected = std::array::from_fn(|l| if l + n >= LANES { numbers[l + n - LANES] } else { T::ZERO });
        assert_same("load_masked", loaded.to_array(), expected);
        let offsets = std::array::from_fn(|l| if l < n { n - 1 - l } else { usize::MAX / 2 });
        // Safety: the first `n` offsets are below `n`
        let gathered =
            unsafe { V::gather_masked(memory.as_ptr(), offsets.map(usize::cast_signed), V::Mask::first(n)) };
        let expected = std::array::from_fn(|l| if l < n { numbers[n - 1 - l] } else { T::ZERO });
        assert_same("gather_masked", gathered.to_array(), expected);
        let mut memory = memory;
        // Safety: the first `n` lanes are there
        unsafe {
            V::from_array([T::SPECIAL[14]; LANES]).store_masked(memory.as_mut_ptr(), V::Mask::first(n))
        };
        assert!(memory.iter().all(|&x| x == T::SPECIAL[14]));
        let values: [T; LANES] = std::array::from_fn(|l| numbers[23 - l]);
        // Safety: the first `n` lanes are there
        unsafe { V::from_array(values).store_first(memory.as_mut_ptr(), n) };
        assert!(memory.iter().zip(&values).all(|(a, b)| a.same(*b)), "store_first of {n}");
    }
    for n in [0, 3, 8, 9, usize::MAX] {
        let mut memory = numbers;
        // Safety: there are more than eight elements
        unsafe { V::from_array([T::SPECIAL[14]; LANES]).store_first(memory.as_mut_ptr(), n) };
        let written = memory.iter().take_while(|&&x| x == T::SPECIAL[14]).count();
        assert!(
            written >= n.min(LANES)
                && memory[n.min(LANES)..].iter().zip(&numbers[n.min(LANES)..]).all(|(a, b)| a.same(*b))
        );
    }
    for number in 0..256u32 {
        let bits = std::array::from_fn(|l| number >> l & 1 != 0);
        let mask = V::Mask::from_array(bits);
        let mut memory = numbers;
        let values: [T; LANES] = std::array::from_fn(|l| numbers[23 - l]);
        // Safety: there are more than eight elements
        unsafe { V::from_array(values).store_masked(memory.as_mut_ptr(), mask) };
        assert_same(
            "store_masked",
            memory[..8].try_into().unwrap(),
            std::array::from_fn(|l| if bits[l] { values[l] } else { numbers[l] }),
        );
        let mut memory = numbers;
        let offsets = [3, 0, 3, 5, 5, 5, 1, 0];
        // Safety: the offsets are below 24
        unsafe { V::from_array(values).scatter_add_masked(memory.as_mut_ptr(), offsets, mask) };
        let mut expected = numbers;
        for l in (0..LANES).filter(|&l| bits[l]) {
            expected[offsets[l]] = expected[offsets[l]] + values[l];
        }
        assert!(memory.iter().zip(&expected).all(|(a, b)| a.same(*b)));
        let mut memory = numbers;
        // Safety: the offsets are below 24
        unsafe { V::from_array(values).scatter_masked(memory.as_mut_ptr(), offsets, mask) };
        let mut expected = numbers;
        for l in (0..LANES).filter(|&l| bits[l]) {
            expected[offsets[l]] = values[l];
        }
        assert!(memory.iter().zip(&expected).all(|(a, b)| a.same(*b)));
    }
    let offsets = [7, 0, 23, 4, 4, 1, 16, 2];
    let mut memory = numbers;
    // Safety: the offsets are below 24, and 8 elements are there from the second on
    unsafe {
        assert_same(
            "gather",
            V::gather(numbers.as_ptr(), offsets.map(usize::cast_signed)).to_array(),
            offsets.map(|o| numbers[o]),
        );
        let unaligned = V::load(numbers.as_ptr().add(1));
        assert_same("load", unaligned.to_array(), numbers[1..9].try_into().unwrap());
        unaligned.store(memory.as_mut_ptr());
        unaligned.scatter(memory.as_mut_ptr(), offsets);
        unaligned.scatter_add(memory.as_mut_ptr(), offsets);
    }
    let mut expected = numbers;
    expected.copy_within(1..9, 0);
    for l in 0..LANES {
        expected[offsets[l]] = numbers[1 + l];
    }
    for l in 0..LANES {
        expected[offsets[l]] = expected[offsets[l]] + numbers[1 + l];
    }
    assert!(memory.iter().zip(&expected).all(|(a, b)| a.same(*b)), "{memory:?} {expected:?}");
}

/// Loads and stores of both elements.
struct Memory;

impl Job for Memory {
    type Output = ();

    #[inline(always)]
    fn run<S: Isa>(self) {
        at_the_ends::<f64, S::F64>();
        at_the_ends::<f32, S::F32>();
    }
}

#[test]
fn memory_of_inactive_lanes_is_not_touched() {
    for level in levels() {
        at(level, Memory);
    }
}

/// Rows of `R` elements at offsets, of which two overlap.
#[inline(always)]
fn rows<T: Float, V: Vector<T>, const R: usize>(number: fn(usize) -> T) {
    let offsets: [usize; LANES] = [5, 0, 2 * R + 1, 5, 6, 3 * R, 1, 40];
    // the last row ends with the memory
    let memory: Box<[T]> = (0..40 + R.max(3 * R)).map(number).collect();
    let offsets = offsets.map(|offset| offset.min(memory.len() - R));
    // Safety: every row lies in memory
    let columns: [V; R] = unsafe { simd::load_rows(memory.as_ptr(), offsets) };
    for (k, column) in columns.iter().enumerate() {
        assert_same("load_rows", column.to_array(), offsets.map(|offset| memory[offset + k]));
    }
    // a negative zero stays one where nothing is added
    let memory: Box<[T]> =
        memory.iter().enumerate().map(|(k, x)| if k % 3 == 0 { -T::ZERO } else { *x }).collect();
    for number in [0u32, 1, 0b1010_0110, 0x7f, 0xff] {
        let bits: [bool; LANES] = std::array::from_fn(|l| number >> l & 1 != 0);
        let mask = V::Mask::from_array(bits);
        assert_eq!(mask.first_active(), bits.iter().position(|bit| *bit).unwrap_or(0));
        let anywhere = std::array::from_fn(|l| if bits[l] { offsets[l] } else { usize::MAX / 2 });
        assert_eq!(simd::first_outside(anywhere, R, memory.len(), mask), None);
        let (mut sums, mut expected) = (memory.clone(), memory.clone());
        // Safety: every row lies in memory
        unsafe {
            simd::scatter_add_rows(sums.as_mut_ptr(), offsets, columns, mask);
        }
        for l in (0..LANES).filter(|&l| bits[l]) {
            for k in 0..R {
                expected[offsets[l] + k] = expected[offsets[l] + k] + columns[k].get(l);
            }
        }
        assert!(sums.iter().zip(&expected).all(|(a, b)| a.same(*b)));
    }
}

/// Rows of every kind of length.
struct Rows;

impl Job for Rows {
    type Output = ();

    #[inline(always)]
    fn run<S: Isa>(self) {
        let double = |k| (k * k % 101) as f64 / 7.0;
        let single = |k| (k * k % 101) as f32 / 7.0;
        rows::<f64, S::F64, 1>(double);
        rows::<f64, S::F64, 3>(double);
        rows::<f64, S::F64, 8>(double);
        rows::<f64, S::F64, 11>(double);
        rows::<f64, S::F64, 16>(double);
        rows::<f64, S::F64, 32>(double);
        rows::<f32, S::F32, 2>(single);
        rows::<f32, S::F32, 8>(single);
        rows::<f32, S::F32, 13>(single);
        let table: [S::F64; LANES] = std::array::from_fn(|row| {
            S::F64::from_array(std::array::from_fn(|column| (8 * row + column) as f64))
        });
        for (k, column) in S::F64::transpose(table).iter().enumerate() {
            assert_same("transpose", column.to_array(), std::array::from_fn(|l| (8 * l + k) as f64));
        }
    }
}

#[test]
fn rows_become_columns_and_back() {
    for level in levels() {
        at(level, Rows);
    }
}

struct Sums;

impl Job for Sums {
    type Output = ();

    #[inline(always)]
    fn run<S: Isa>(self) {
        // sums whose order shows in their bits, and zeros with signs
        let mut seed = 7u64;
        let mut lane = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let small = (seed >> 33) as f64 - 1e9;
            if seed.is_multiple_of(5) { -0.0 } else { small * 10f64.powi((seed >> 59) as i32 - 16) }
        };
        for _ in 0..50 {
            let doubles: [S::F64; 17] =
                std::array::from_fn(|_| S::F64::from_array(std::array::from_fn(|_| lane())));
            let singles: [S::F32; 17] =
                std::array::from_fn(|_| S::F32::from_array(std::array::from_fn(|_| lane() as f32)));
            same_sums(doubles);
            same_sums(singles);
        }
    }
}

/// The sums of the first vectors, for several numbers of them, have the bits that each has alone.
#[inline(always)]
fn same_sums<T: Copy + std::fmt::LowerExp, V: Vector<T>>(vectors: [V; 17]) {
    #[inline(always)]
    fn first<T: Copy + std::fmt::LowerExp, V: Vector<T>, const N: usize>(vectors: [V; 17]) {
        let some: [V; N] = std::array::from_fn(|k| vectors[k]);
        for (sum, vector) in V::sums(some).into_iter().zip(some) {
            assert_eq!(format!("{sum:e}"), format!("{:e}", vector.sum()));
        }
    }
    first::<T, V, 1>(vectors);
    first::<T, V, 4>(vectors);
    first::<T, V, 8>(vectors);
    first::<T, V, 9>(vectors);
    first::<T, V, 17>(vectors);
}

#[test]
fn sums_of_several_vectors_have_the_bits_of_each() {
    for level in levels() {
        at(level, Sums);
    }
}

struct NarrowSums;

impl Job for NarrowSums {
    type Output = ();

    #[inline(always)]
    fn run<S: Isa>(self) {
        // integers, so that every order of the terms and every rounding of products gives the same sum
        let vector =
            |k: usize| S::F64::from_array(std::array::from_fn(|l| (k * 37 + l * l * 5) as f64 - 90.0));
        let sum_of = |k: usize| (0..LANES).map(|l| (k * 37 + l * l * 5) as f64 - 90.0).sum::<f64>();
        let squares_of =
            |k: usize| (0..LANES).map(|l| ((k * 37 + l * l * 5) as f64 - 90.0).powi(2)).sum::<f64>();
        let mut sums = [S::SumF64::zero(); 9];
        assert!(sums[0].plus(S::F64::splat(-0.0)).total().to_bits() == (-0.0f64).to_bits());
        let mut expected = [0.0; 9];
        for turn in 0..11 {
            for (k, (sum, expected)) in sums.iter_mut().zip(&mut expected).enumerate() {
                let x = vector(k + turn);
                *sum = sum.plus(x).plus_product(x, x);
                *expected += sum_of(k + turn) + squares_of(k + turn);
            }
        }
        assert_eq!(sums.map(|sum| sum.total()), expected);
        assert_eq!(S::SumF64::totals(sums), expected);
        assert_eq!(S::SumF64::totals([sums[3] + sums[4]]), [expected[3] + expected[4]]);
    }
}

#[test]
fn sums_in_single_registers_have_all_lanes() {
    for level in levels() {
        at(level, NarrowSums);
    }
}

#[test]
fn a_row_outside_is_found_in_an_active_lane() {
    use pardiff_runtime::simd::Baseline;
    type M = <Baseline as Isa>::Mask;
    let offsets = [0, 1, 9, 3, 12, 0, 0, usize::MAX];
    assert_eq!(simd::first_outside(offsets, 4, 13, M::splat(true)), Some(4));
    assert_eq!(simd::first_outside(offsets, 4, 16, M::splat(true)), Some(7));
    assert_eq!(simd::first_outside(offsets, 4, 16, M::first(7)), None);
    assert_eq!(simd::first_outside(offsets, 4, 3, M::first(7) & !M::first(2)), Some(2));
    assert_eq!(simd::first_outside(offsets, 4, 3, M::first(0)), None);
}

#[test]
fn integers_in_lanes_are_arrays() {
    assert_eq!(simd::map1(simd::iota(3), |x| x * 2), [6, 8, 10, 12, 14, 16, 18, 20]);
    assert_eq!(simd::iota(usize::MAX)[1], 0);
    assert_eq!(simd::map2(simd::iota(0), [1; LANES], |a, b| a + b), simd::iota(1));
    assert_eq!(simd::zip([1; LANES], [true; LANES])[7], (1, true));
    assert!(Arena::new().scratch::<f64>(3).as_ptr().cast::<[f64; LANES]>().is_aligned());
}

#[test]
fn numbers_with_a_sign_keep_their_order() {
    let numbers = [isize::MIN, -7, -1, 0, 1, 2, isize::MAX - 1, isize::MAX];
    let positions = pardiff_runtime::simd::in_order(numbers);
    assert!(positions.windows(2).all(|pair| pair[0] < pair[1]), "{positions:?}");
    assert_eq!((positions[0], positions[7]), (0, usize::MAX));
}
