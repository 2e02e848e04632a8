//! `let`, shadowing, blocks, deferred initialisation.

use super::same;

same! {
    fn shadowing(x: f64) -> f64 {
        let y = x * 2.0;
        let y = y + 1.0;
        { let y = y * 100.0; let _ = y; }
        let x = { let y = y * y; y + x };
        x + y
    }
    with (x = 1.5);

    fn deferred(x: f64, c: bool) -> f64 {
        let y;
        let z: f64;
        if c { y = x; z = 2.0; } else { y = -x; z = 3.0; }
        y * z
    }
    with (x = 1.5, c = true);
    with (x = 1.5, c = false);

    fn block_values(x: f64) -> f64 {
        let a = { 1.0 };
        let b = { let t = x + a; t * t };
        let c = { { b } } + { let s = b; s };
        c
    }
    with (x = 1.5);

    fn types_by_unification(x: &[f32], n: i64) -> f64 {
        let mut s = 0.0;
        let mut k = 0;
        for i in 0..x.len() { s += x[i] * 0.1; k += 1; }
        let m = k as i64 + n;
        let t: f64 = 0.1;
        s as f64 + m as f64 + t
    }
    with (x = vec![0.3f32, 0.7], n = 4i64);

    fn float_flavours(x: f32, y: f64) -> f64 {
        let a = 0.1f32;
        let b = 1f64;
        let c = 1e-3;
        let d = x * 0.1 + a;
        d as f64 * b + c * y
    }
    with (x = 0.7f32, y = 0.3);

    fn mutable_parameter(mut n: usize, mut x: f64) -> f64 {
        n += 1;
        for _ in 0..n { x *= 1.5; n = 0; }
        x + n as f64
    }
    with (n = 3usize, x = 2.0);

    fn unit_statements(x: f64) -> f64 {
        let mut y = x;
        (); {}
        ;;
        let _ = y;
        let () = { y += 1.0; };
        y
    }
    with (x = 2.0);

    fn compound_assignments(x: f64, n: i32) -> f64 {
        let mut y = x;
        y += 1.0; y -= 0.5; y *= 3.0; y /= 7.0; y %= 0.4;
        let mut k = n;
        k += 5; k -= 1; k *= 3; k /= 2; k %= 7; k <<= 2; k >>= 1; k |= 8; k &= 13; k ^= 5;
        y + k as f64
    }
    with (x = 2.0, n = 10);
    with (x = 2.0, n = -10);

    fn boolean_locals(x: &[f64]) -> f64 {
        let mut any = false;
        let mut all = true;
        let mut odd = false;
        for i in 0..x.len() { let p = x[i] > 0.0; any |= p; all &= p; odd ^= p; }
        let none = !any;
        (any as i32 + 2 * all as i32 + 4 * odd as i32 + 8 * none as i32) as f64
    }
    with (x = vec![1.0, -1.0]);
    with (x = vec![1.0]);
    with (x = Vec::<f64>::new());

    fn references(x: &[f64]) -> f64 {
        let mut a = x[0];
        let r = &x[1];
        let s = *r + r * 2.0;
        { let m = &mut a; *m += s; *m *= 2.0; }
        let t = &a;
        *t + 1.0
    }
    with (x = vec![1.0, 2.0]);

    fn raw_identifier(r#type: f64) -> f64 {
        let r#match = r#type * 2.0;
        r#match + r#type
    }
    with (r#type = 2.0);

    fn branch_return(x: f64) -> f64 {
        if x > 0.0 { return x; } else if x < -1.0 { return -x; } else { return 2.0 * x; }
    }
    with (x = 2.0);
    with (x = -2.0);
    with (x = -0.5);
}
