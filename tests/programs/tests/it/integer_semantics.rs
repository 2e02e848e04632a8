//! Integers as Rust has them: every operator and method, casts that wrap and saturate, all types beside floats.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
pub fn ints(x: &[f64], a: i32, b: i32, c: u8, d: u64, e: i8, out: &mut [i64]) -> f64 {
    out[0] = (a as i64).wrapping_mul(b as i64) >> 3;
    out[1] = (a.wrapping_shl(5) ^ b) as i64;
    out[2] = a.checked_add(b).unwrap_or(-7) as i64;
    out[3] = a.checked_mul(b).unwrap_or(i32::MIN) as i64;
    out[4] = (c as i8) as i64 + (e as u8) as i64;
    out[5] = (x[0] * 1e3) as i64 + (x[1] * -300.0) as u8 as i64 + (x[2] * 1e30) as i32 as i64;
    out[6] = a.div_euclid(7) as i64 * 1000 + a.rem_euclid(7) as i64 + (a / 7) as i64 + (a % 7) as i64;
    out[7] = d.count_ones() as i64 + d.leading_zeros() as i64 * 100 + d.trailing_zeros() as i64 * 10000;
    out[8] = a.abs_diff(b) as i64 + a.unsigned_abs() as i64 + a.signum() as i64;
    out[9] = c.rotate_left(3) as i64
        + c.reverse_bits() as i64
        + c.saturating_add(200) as i64
        + e.saturating_sub(100) as i64;
    out[10] = (d as i128 * 3 % 1000003) as i64;
    out[11] = if a < b && !(c > 10) || d == 3 { 1 } else { 0 };
    out[12] = (a & b | 0x0f) as i64 ^ !(c as i64);
    // roots, logarithms and multiples
    out[13] = d.isqrt() as i64
        + d.ilog2() as i64
        + (d.is_power_of_two() as i64)
        + d.next_multiple_of(7) as i64
        + d.next_power_of_two() as i64
        + d.div_ceil(3) as i64;
    out[14] = i64::from(a)
        + i64::from(c)
        + usize::MAX as i64
        + u32::MAX as i64
        + i64::pow(3, 4)
        + 2i64.pow(c as u32 % 5);
    out[15] = a.clamp(-5, 5) as i64 + i32::max(a, b) as i64 + c.min(9) as i64;
    let mut h: u32 = 2166136261;
    for i in 0..x.len() {
        h = (h ^ (x[i].abs() * 10.0) as u32).wrapping_mul(16777619);
    }
    out[16] = h as i64;
    let (mut p, mut q) = (d, 48u64);
    for _ in 0..20 {
        if q != 0 {
            let t = p % q;
            p = q;
            q = t;
        }
    }
    out[17] = p as i64;
    x[(h % x.len() as u32) as usize] * x[0] * out[17] as f64
}

#[test]
fn what_the_primal_computes() {
    let x = random(3, 5);
    let cases = [
        (5, -3, 200u8, 1u64 << 40, -128i8),
        (-2000000000, 2000000000, 7, 3, 127),
        (0, 0, 0, 1, 0),
        (i32::MIN, 1, 255, u64::MAX >> 8, -1),
    ];
    for (a, b, c, d, e) in cases {
        let (mut expected, mut found, mut d_x) = ([0; 18], [0; 18], [0.0; 5]);
        let value = ints(&x, a, b, c, d, e, &mut expected);
        assert_eq!(ints::grad(&x, &mut d_x, a, b, c, d, e, &mut found), value);
        assert_eq!(found, expected);
        check(|v| ints(&v[0], a, b, c, d, e, &mut [0; 18]), &[&x], &[&d_x]);
    }
}
