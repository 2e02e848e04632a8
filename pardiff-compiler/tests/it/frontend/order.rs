//! Evaluation order: operands that change each other's variables.

use super::same;

same! {
    fn operands_from_left_to_right(x: f64) -> f64 {
        let mut a = x;
        let s = a + { a += 1.0; a } * { a *= 2.0; a } - a;
        let mut k = 0;
        let v = [1.0, 2.0, 3.0, 4.0];
        let t = v[k] + v[{ k += 1; k }] * 10.0 + v[{ k += 1; k } + 1] * 100.0 + v[k] * 1000.0;
        s + t
    }
    with (x = 1.5);

    fn right_side_first(x: &mut [f64]) {
        let mut k = 0;
        x[k] = { k += 1; 5.0 };
        x[{ k += 1; k }] += { k -= 1; 7.0 };
        x[k] = x[k] + { x[k] = 100.0; 1.0 };
    }
    with (x = vec![1.0, 2.0, 3.0]);

    fn arguments_in_order(x: f64) -> f64 {
        fn f(a: f64, b: f64, c: f64) -> f64 { a + 10.0 * b + 100.0 * c }
        let mut t = x;
        let s = f(t, { t += 1.0; t }, t);
        let u = t.max({ t *= 3.0; t }).min(t);
        let (a, b) = (t, { t -= 1.0; t });
        let v = [t, { t *= 2.0; t }, t];
        s + u + a * b + v[0] - v[1] + v[2] * 0.5
    }
    with (x = 1.5);

    fn panics_in_order(x: &[f64], y: &mut [f64], k: usize) {
        y[0] = 1.0;
        y[k] = x[k];
    }
    with (x = vec![1.0], y = vec![0.0; 2], k = 0usize);
    with (x = vec![1.0], y = vec![0.0; 2], k = 1usize);
    with (x = vec![1.0; 4], y = vec![0.0; 2], k = 3usize);

    fn in_place_updates(y: &mut [f64], x: &[f64]) {
        for i in 0..y.len() { y[i] = y[i] * x[i]; y[i] = y[i] * y[i]; y[i] -= y[0]; }
    }
    with (y = vec![1.0, 2.0, 3.0], x = vec![0.5, 1.5, 2.5]);

    fn ranges_that_arguments_change(x: &[f64], y: &mut [f64]) -> f64 {
        let mut k = 3;
        y[..k].fill({ k = 1; x[0] * 2.0 });
        y[k..k + 2].copy_from_slice(&x[{ k = 0; 1 }..3]);
        y[k..].rotate_left({ k = 2; 1 });
        y[..k].fill({ k = 4; x[2] });
        y[k] * k as f64 + y[0] - y[3]
    }
    with (x = vec![0.5, 1.25, -2.0], y = vec![3.0, 4.0, 5.0, 6.0, 7.0]);

    fn condition_with_effects(x: f64, n: usize) -> f64 {
        let mut c = n;
        let mut s = x;
        if { c += 1; c > 2 } { s += 1.0; } else if { c += 10; c > 11 } { s += c as f64; }
        for i in ({ c += 1; 0 })..({ c += 1; c }) { s += i as f64; if i > 20 { continue; } }
        s
    }
    with (x = 1.5, n = 2usize);
    with (x = 1.5, n = 1usize);
    with (x = 1.5, n = 0usize);
}
