//! Integer arithmetic of every kind.

use super::same;

same! {
    fn operators(a: i32, b: i32, x: f64) -> (f64, i32) {
        let mut s = 0i64;
        s += (a + b) as i64; s = s * 3 + (a - b) as i64; s = s * 3 + (a * b) as i64;
        s = s * 3 + (a / b) as i64; s = s * 3 + (a % b) as i64; s = s * 3 + (-a) as i64;
        s = s * 3 + (a & b) as i64; s = s * 3 + (a | b) as i64; s = s * 3 + (a ^ b) as i64; s = s * 3 + (!a) as i64;
        s = s * 3 + (a << 2) as i64; s = s * 3 + (a >> 1u8) as i64;
        (s as f64 * x, s as i32)
    }
    with (a = 17, b = -5, x = 0.5);
    with (a = -17, b = 4, x = 0.5);
    with (a = 17, b = 0, x = 0.5);
    with (a = i32::MAX, b = 1, x = 0.5);
    with (a = i32::MIN, b = -1, x = 0.5);

    fn methods(a: i32, b: i32, x: f64) -> (f64, i32, u32) {
        let s = a.min(b) + 2 * a.max(b) + 4 * a.clamp(-3, 3) + a.signum() + a.rem_euclid(7) + a.div_euclid(7);
        let t = a.abs_diff(b) + a.unsigned_abs() + b.count_ones() + a.leading_zeros() + a.trailing_zeros() + b.count_zeros();
        let w = a.wrapping_add(i32::MAX).wrapping_mul(3).wrapping_sub(b).wrapping_neg();
        let v = a.saturating_add(i32::MAX) / 2 + b.saturating_sub(i32::MAX) / 2 + a.saturating_mul(1 << 20) / 4;
        let u = a.wrapping_shl(33).wrapping_shr(1) ^ a.rotate_left(3) ^ b.rotate_right(5) ^ (a ^ b).reverse_bits();
        (x * s as f64, w ^ v ^ u, t)
    }
    with (a = 17, b = -5, x = 0.5);
    with (a = -17, b = 40, x = 0.5);

    fn more_methods(n: usize, k: u32, x: f64) -> (f64, usize) {
        let a = n.pow(2) + n.div_ceil(3) + n.next_multiple_of(4) + n.next_power_of_two() + n.isqrt() + (n as u64).ilog2() as usize;
        let b = if n.is_power_of_two() { 1 } else { 0 };
        let c = 2i32.pow(k) + 3_i32.abs() + (-4i32).abs();
        let d = if (n as i64 - 5).is_positive() { 1.0 } else if (n as i64 - 5).is_negative() { -1.0 } else { 0.0 };
        (x + c as f64 + d, a + b)
    }
    with (n = 8usize, k = 3u32, x = 1.0);
    with (n = 5usize, k = 3u32, x = 1.0);
    with (n = 0usize, k = 3u32, x = 1.0);
    with (n = 3usize, k = 31u32, x = 1.0);

    fn checked(a: usize, b: usize, x: &[f64]) -> f64 {
        let i = a.checked_sub(b).unwrap_or(0);
        let j = a.checked_add(b).unwrap();
        let k = a.checked_mul(usize::MAX).unwrap_or(x.len() - 1);
        let l = a.checked_sub(1).expect("positive");
        let some = a.checked_sub(b).is_some() && !b.checked_sub(a).is_none();
        x[i] + x[j % x.len()] + x[k % x.len()] + l as f64 + if some { 0.5 } else { 0.25 }
    }
    with (a = 3usize, b = 1usize, x = vec![1.0, 2.0, 3.0]);
    with (a = 1usize, b = 3usize, x = vec![1.0, 2.0, 3.0]);
    with (a = 0usize, b = 3usize, x = vec![1.0, 2.0, 3.0]);

    fn mixed_signs(a: usize, d: isize, x: &[f64]) -> (f64, usize) {
        let i = a.checked_add_signed(d).unwrap_or(0);
        let j = a.saturating_add_signed(d).min(2);
        let k = a.wrapping_add_signed(d) % x.len();
        let near = if let Some(l) = a.checked_add_signed(-1) { x[l] } else { 0.5 };
        let mut s = 0.0;
        for e in [-2, 0, 1isize] {
            let Some(l) = a.checked_add_signed(e) else { continue };
            if l < x.len() { s += x[l] * e as f64; }
        }
        let far = a.checked_add_signed(d).map_or(0.25, |l| x[l % 3]);
        let some = a.checked_add_signed(d).is_some() && !a.checked_add_signed(1).is_none();
        (x[i % x.len()] + x[j] * x[k] + near + s + far + if some { 4.0 } else { 8.0 }, a.saturating_add_signed(d))
    }
    with (a = 1usize, d = 1isize, x = vec![1.0, 2.0, 3.0]);
    with (a = 1usize, d = -1isize, x = vec![1.0, 2.0, 3.0]);
    with (a = 0usize, d = -1isize, x = vec![1.0, 2.0, 3.0]);
    with (a = 2usize, d = isize::MIN, x = vec![1.0, 2.0, 3.0]);
    with (a = usize::MAX - 1, d = 3isize, x = vec![1.0, 2.0, 3.0]);
    with (a = usize::MAX - 1, d = 1isize, x = vec![1.0, 2.0, 3.0]);

    fn filtered(a: usize, d: isize, x: &[f64]) -> f64 {
        let n = x.len();
        let mut s = 0.0;
        for i in 0..n {
            if let Some(j) = i.checked_add_signed(d).filter(|&j| j < n) { s += x[i] * x[j]; }
            let Some(v) = x.get(i + a).filter(|v| **v < 2.5) else { continue };
            s += v * i.checked_sub(a).filter(|j| *j != 1).map_or(0.5, |j| x[j]);
            s += match x.iter().position(|v| *v > 1.5).filter(|k| *k >= i) { Some(k) => k as f64, None => 0.25 };
        }
        s
    }
    with (a = 1usize, d = 1isize, x = vec![1.0, 2.0, 3.0]);
    with (a = 0usize, d = -1isize, x = vec![1.0, 2.0, 3.0]);
    with (a = 2usize, d = isize::MIN, x = vec![1.0, 2.0, 3.0, -1.0]);

    fn mixed_signs_open(a: usize, d: isize, x: &[f64]) -> f64 { x[a.checked_add_signed(d).unwrap()] }
    with (a = 1usize, d = 1isize, x = vec![1.0, 2.0, 3.0]);
    with (a = 1usize, d = -2isize, x = vec![1.0, 2.0, 3.0]);

    fn signed_and_unsigned(a: i32, b: u32, x: f64, out: &mut [i32]) -> f64 {
        let (c, d) = (a.checked_add_unsigned(b).unwrap_or(7), a.checked_sub_unsigned(b).unwrap_or(9));
        let (e, f) = (a.saturating_add_unsigned(b), a.saturating_sub_unsigned(b));
        (out[0], out[1], out[2], out[3]) = (c, d, e, f);
        (out[4], out[5]) = (a.wrapping_add_unsigned(b), a.wrapping_sub_unsigned(b));
        x * 2.0
    }
    with (a = 17, b = 4u32, x = 0.5, out = vec![0i32; 6]);
    with (a = -17, b = 40u32, x = 0.5, out = vec![0i32; 6]);
    with (a = -17, b = u32::MAX, x = 0.5, out = vec![0i32; 6]);
    with (a = 17, b = u32::MAX, x = 0.5, out = vec![0i32; 6]);
    with (a = i32::MIN, b = u32::MAX, x = 0.5, out = vec![0i32; 6]);
    with (a = i32::MAX, b = u32::MAX, x = 0.5, out = vec![0i32; 6]);
    with (a = i32::MIN, b = 1u32, x = 0.5, out = vec![0i32; 6]);
    with (a = i32::MAX, b = 1u32, x = 0.5, out = vec![0i32; 6]);
    with (a = -1, b = 1 << 31, x = 0.5, out = vec![0i32; 6]);
    with (a = 0, b = 1 << 31, x = 0.5, out = vec![0i32; 6]);

    fn bytes_of_both_signs(x: f64) -> (f64, u64) {
        let mut h = 7u64;
        for i in -128i8..=127 {
            for j in 0..=255u8 {
                h = h.wrapping_mul(31) ^ i.checked_add_unsigned(j).unwrap_or(3) as u64;
                h = h.wrapping_mul(31) ^ i.checked_sub_unsigned(j).unwrap_or(5) as u64;
                h = h.wrapping_mul(31) ^ i.saturating_add_unsigned(j) as u64;
                h = h.wrapping_mul(31) ^ i.saturating_sub_unsigned(j) as u64;
                h = h.wrapping_mul(31) ^ i.wrapping_sub_unsigned(j) as u64;
                h = h.wrapping_mul(31) ^ j.checked_add_signed(i).unwrap_or(6) as u64;
                h = h.wrapping_mul(31) ^ j.saturating_add_signed(i) as u64;
                h = h.wrapping_mul(31) ^ j.wrapping_add_signed(i) as u64;
            }
        }
        (x, h)
    }
    with (x = 1.0);

    fn mixed_signs_of_all_widths(a: i64, x: f64, out: &mut [i64]) -> f64 {
        let h = (a as u16).saturating_add_signed(a as i16);
        let l = (a as u64).saturating_add_signed(a).wrapping_add((a as u64).checked_add_signed(-3).unwrap_or_default());
        let w = (a as i128).saturating_sub_unsigned(a as u64 as u128);
        let s = (a as i16).saturating_sub_unsigned(a as u16);
        let z = 5u128.saturating_add_signed(-(a as i128).abs());
        (out[0], out[1], out[2], out[3], out[4]) = (h as i64, l as i64, (w >> 3) as i64, s as i64, z as i64);
        (out[5], out[6]) = ((a as isize).saturating_add_unsigned(usize::MAX) as i64, (a as u8).wrapping_add_signed(-3) as i64);
        x
    }
    with (a = 17i64, x = 0.5, out = vec![0i64; 8]);
    with (a = -17i64, x = 0.5, out = vec![0i64; 8]);
    with (a = i64::MAX, x = 0.5, out = vec![0i64; 8]);
    with (a = i64::MIN, x = 0.5, out = vec![0i64; 8]);

    fn path_forms(a: usize, b: usize, c: i32, x: f64) -> f64 {
        let m = usize::min(a, b) + std::cmp::max(a, b) * 10 + core::cmp::min(a, 2);
        let p = i32::pow(c, 2) + i32::abs(c) + i32::signum(c);
        x + m as f64 + p as f64
    }
    with (a = 3usize, b = 1usize, c = -3, x = 1.0);

    fn casts(x: f64, n: i64, b: bool) -> (f64, i32, u8) {
        let a = x as i32;
        let c = n as u8;
        let d = (n as f64) as f32 as f64 + b as i32 as f64 + (x as f32) as f64 + 300.7 as u8 as f64 + -1.5 as i32 as f64;
        let e = (b as usize + n as usize % 7) as f64 + (-1i32) as u32 as f64 + 0xFFFF_FFFF as u32 as f64;
        (d + e + f64::from(a) + f64::from(c) + f64::from(0.5f32) + f64::from(b), a, c)
    }
    with (x = 3.99, n = 1000i64, b = true);
    with (x = -3.99e10, n = -1i64, b = false);
    with (x = f64::NAN, n = 1i64 << 40, b = false);

    fn unsigned_underflow(n: usize, x: &[f64]) -> f64 { x[n - 1] }
    with (n = 1usize, x = vec![1.0]);
    with (n = 0usize, x = vec![1.0]);

    fn hashes(n: u64, x: &[f64]) -> f64 {
        let mut h = n;
        let mut s = 0.0;
        for _ in 0..5 {
            h ^= h << 13; h ^= h >> 7; h ^= h << 17;
            s += x[(h % x.len() as u64) as usize];
        }
        s
    }
    with (n = 88172645463325252u64, x = vec![1.0, 2.0, 4.0]);

    fn small_types(a: i8, b: u8, x: f64) -> f64 {
        let c = a + 1;
        let d = b * 2;
        x + c as f64 + d as f64
    }
    with (a = 126i8, b = 100u8, x = 1.0);
    with (a = 127i8, b = 100u8, x = 1.0);
    with (a = 1i8, b = 200u8, x = 1.0);

    fn literals(x: f64) -> f64 {
        let a = 0xFF + 0b101 + 0o17 + 1_000;
        let b = -128i8;
        let c = i64::MIN + 1;
        let d = 1u64 << 40;
        x + a as f64 + b as f64 + c as f64 + d as f64 + u32::MAX as f64
    }
    with (x = 1.0);
}

/// A constant of a type that follows from where it goes is no array.
#[test]
fn a_constant_is_rotated() {
    super::lowered("fn f(x: f64) -> f64 { let h: u64 = SEED.rotate_left(3); x * h as f64 }");
}
