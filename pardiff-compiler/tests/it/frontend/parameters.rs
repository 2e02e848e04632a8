//! Every kind of parameter and of result.

use super::same;

same! {
    fn slices(x: &[f64], y: &mut [f64]) {
        for i in 0..x.len() { y[i] += 2.0 * x[i]; }
    }
    with (x = vec![1.0, 2.0, 3.5], y = vec![0.5, 0.25, -1.0]);
    with (x = Vec::<f64>::new(), y = vec![1.0]);
    with (x = vec![1.0, 2.0], y = vec![1.0]);

    fn scalars(s: f64, mut t: f32, n: usize, b: bool) -> f64 {
        t *= 2.0;
        t += 0.1;
        if b { s * n as f64 } else { t as f64 }
    }
    with (s = 1.5, t = 0.3f32, n = 3usize, b = true);
    with (s = 1.5, t = 0.3f32, n = 3usize, b = false);

    fn scalar_references(a: &f64, b: &mut f64, k: &mut usize, n: &i32) {
        *b = *b * *a + a * 2.0;
        *k += 3;
        *b += *n as f64;
    }
    with (a = 1.25, b = 3.0, k = 4usize, n = -2);

    fn array_by_reference(x: &[f64; 3], y: &mut [f64; 3]) -> f64 {
        let mut s = 0.0;
        for i in 0..3 { s += x[i]; y[i] = s; }
        s
    }
    with (x = [1.0, 2.0, 4.0], y = [0.0; 3]);

    fn array_by_value(x: [f64; 3], mut y: [f64; 2]) -> f64 {
        y[0] += x[2];
        y[1] *= x[1];
        y[0] + y[1]
    }
    with (x = [1.0, 2.0, 4.0], y = [0.5, 3.0]);

    fn rows_of_slice(x: &[[f64; 2]], y: &mut [[f64; 2]]) {
        for i in 0..x.len() { for j in 0..2 { y[i][j] = x[i][1 - j]; } }
    }
    with (x = vec![[1.0, 2.0], [3.0, 4.0]], y = vec![[0.0; 2]; 2]);

    fn matrices(x: &[[f64; 2]; 3], y: &mut [[f64; 3]; 2]) {
        for i in 0..3 { for j in 0..2 { y[j][i] = x[i][j]; } }
    }
    with (x = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], y = [[0.0; 3]; 2]);

    fn integer_slices(x: &[f64], k: &[i32], m: &[bool], c: &mut [u8]) -> f64 {
        let mut s = 0.0;
        for i in 0..x.len() {
            if m[i] { s += x[k[i] as usize]; c[i] += 1; }
        }
        s
    }
    with (x = vec![1.0, 2.0], k = vec![1, 0], m = vec![true, false], c = vec![7u8, 255]);
    with (x = vec![1.0, 2.0], k = vec![1, 2], m = vec![true, true], c = vec![7u8, 25]);
    with (x = vec![1.0, 2.0], k = vec![1, 0], m = vec![true, true], c = vec![7u8, 255]);
    with (x = vec![1.0, 2.0], k = vec![-1, 0], m = vec![true, true], c = vec![7u8, 0]);

    fn const_generic<const N: usize = 3, const M: usize = 2>(x: &[f64; N], y: &[[f64; M]; N]) -> f64 {
        let mut s = [0.0; M];
        for i in 0..N { for j in 0..M { s[j] += x[i] * y[i][j]; } }
        let mut t = 0.0;
        for j in 0..M { t += s[j] * s[j]; }
        t / N as f64
    }
    with (x = [1.0, 2.0, 3.0], y = [[1.0, 0.5], [0.25, 2.0], [3.0, 0.125]]);

    fn returns_tuple(x: &[f64]) -> (f64, usize, bool) {
        let mut best = x[0];
        let mut at = 0;
        for i in 1..x.len() { if x[i] > best { best = x[i]; at = i; } }
        (best, at, best > 0.0)
    }
    with (x = vec![1.0, 4.0, 3.0]);
    with (x = Vec::<f64>::new());

    fn returns_array(x: &[f64]) -> [f64; 2] {
        [x[0] * x[1], x[0] + x[1]]
    }
    with (x = vec![1.0, 4.0]);

    fn returns_matrix(x: f64) -> [[f64; 2]; 2] {
        let (s, c) = x.sin_cos();
        [[c, -s], [s, c]]
    }
    with (x = 0.7);

    fn returns_array_and_float(x: &[f64; 2]) -> (f64, [f64; 2]) {
        let mut y = *x;
        y[0] += 1.0;
        (x[0], y)
    }
    with (x = [1.0, 4.0]);

    fn returns_integer(x: &[f64], y: &mut [f64]) -> usize {
        let mut count = 0;
        for i in 0..x.len() { if x[i] > 0.0 { y[count] = x[i]; count += 1; } }
        return count;
    }
    with (x = vec![1.0, -4.0, 2.0], y = vec![0.0; 3]);

    fn lifetimes_and_paths(x: &'static [core::primitive::f64]) -> f64 { x[0] }
    with (x = Static(&[2.0]));

    fn unused_parameter(_: f64, x: f64) -> f64 { x }
    with (a = 1.0, b = 2.0);
}

/// A slice that lives for ever.
struct Static(&'static [f64]);

impl super::Host for Static {
    fn array(&self) -> pardiff_compiler::ir::interp::Array<f64> {
        self.0.to_vec().array()
    }
}

impl super::host::Pass<'_, &'static [f64]> for Static {
    fn pass(&mut self) -> &'static [f64] {
        self.0
    }
}
