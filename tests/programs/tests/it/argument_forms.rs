//! Forms of parameters: references to scalars, arrays by value, `&mut` arrays of arrays, what is not used.

use pardiff::differentiate;
use pardiff_programs::{check, dot};

#[differentiate]
pub fn powers(a: &f64, out: &mut f64, n: &usize) {
    let mut acc = *a;
    for _ in 0..*n {
        acc = acc * *a + 1.0;
        *out += acc;
    }
    *out *= *a;
}

#[differentiate]
pub fn scaled_rows(m: &mut [[f64; 3]; 2], v: &[f64; 3]) -> [f64; 2] {
    let mut out = [0.0; 2];
    for i in 0..2 {
        for j in 0..3 {
            m[i][j] *= v[j];
            out[i] += m[i][j];
        }
    }
    out
}

#[differentiate]
pub fn columns<const N: usize, const M: usize>(a: &[[f64; M]; N]) -> f64 {
    let mut col = [0.0; M];
    for row in 0..N {
        for c in 0..M {
            col[c] += a[row][c] * (N - row) as f64;
        }
    }
    let mut s = 1.0;
    for c in (0..M).rev() {
        s *= 1.0 + col[c];
    }
    s
}

#[differentiate]
pub fn rows(m: &mut [[f64; 2]], s: f64) {
    for i in 0..m.len() {
        let row = &mut m[i];
        row[0] = row[0] * s + row[1];
        let old = row[1];
        row[1] = old * old - s;
    }
    if m.len() > 1 {
        m.swap(0, 1);
    }
}

#[differentiate]
pub fn by_value(mut q: [f64; 3], s: f64) -> [f64; 3] {
    for i in 0..3 {
        q[i] = q[i] * s + q[(i + 1) % 3];
    }
    q
}

#[differentiate]
pub fn unused(x: &[f64], _y: &[f64], _z: f64) -> f64 {
    x[0] * 3.0
}

#[test]
fn references_to_scalars() {
    let (mut out, mut d_out, mut d_a) = (0.3, 1.0, 0.0);
    powers::vjp(&1.2, &mut d_a, &mut out, &mut d_out, &3);
    let run = |v: &[Vec<f64>]| {
        let mut out = v[1][0];
        powers(&v[0][0], &mut out, &3);
        out
    };
    check(run, &[&[1.2], &[0.3]], &[&[d_a], &[d_out]]);
}

#[test]
fn arrays_of_arrays() {
    let (m, v) = ([[0.1, 0.2, 0.3], [1.0, -1.0, 0.5]], [0.5, 2.0, -1.0]);
    let (mut out, mut d_m, mut d_v) = (m, [[0.5; 3]; 2], [0.0; 3]);
    scaled_rows::vjp(&mut out, &mut d_m, &v, &mut d_v, [1.0, 2.0]);
    let run = |w: &[Vec<f64>]| {
        let mut m = [[w[0][0], w[0][1], w[0][2]], [w[0][3], w[0][4], w[0][5]]];
        let sums = scaled_rows(&mut m, &[w[1][0], w[1][1], w[1][2]]);
        sums[0] + 2.0 * sums[1] + 0.5 * m.as_flattened().iter().sum::<f64>()
    };
    check(run, &[m.as_flattened(), &v], &[d_m.as_flattened(), &d_v]);
}

fn three_rows(w: &[f64]) -> [[f64; 2]; 3] {
    [[w[0], w[1]], [w[2], w[3]], [w[4], w[5]]]
}

#[test]
fn two_const_parameters() {
    let a = [[0.1, 0.2], [0.3, 0.4], [0.5, -0.6]];
    let (value, gradient) = columns::gradient(&a);
    assert_eq!(value, columns(&a));
    check(|w| columns(&three_rows(&w[0])), &[a.as_flattened()], &[gradient.a.as_flattened()]);
}

#[test]
fn rows_of_an_output() {
    let (m, seed) = ([[0.1, 0.2], [0.3, 0.4], [0.5, -0.6]], [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]);
    let (mut out, mut d_m, mut d_s) = (m, seed, 0.0);
    rows::vjp(&mut out, &mut d_m, 0.7, &mut d_s);
    let run = |w: &[Vec<f64>]| {
        let mut m = three_rows(&w[0]);
        rows(&mut m, w[1][0]);
        dot(m.as_flattened(), seed.as_flattened())
    };
    check(run, &[m.as_flattened(), &[0.7]], &[d_m.as_flattened(), &[d_s]]);
}

#[test]
fn arrays_by_value() {
    let (mut d_q, mut d_s) = ([0.0; 3], 0.0);
    by_value::vjp([0.1, 0.2, 0.3], &mut d_q, 2.0, &mut d_s, [1.0, -1.0, 0.5]);
    let run = |w: &[Vec<f64>]| {
        let out = by_value([w[0][0], w[0][1], w[0][2]], w[1][0]);
        out[0] - out[1] + 0.5 * out[2]
    };
    check(run, &[&[0.1, 0.2, 0.3], &[2.0]], &[&d_q, &[d_s]]);
}

#[test]
fn parameters_without_influence() {
    let (value, gradient) = unused::gradient(&[2.0], &[1.0], 4.0);
    assert_eq!((value, gradient.x[0], gradient._y[0], gradient._z), (6.0, 3.0, 0.0, 0.0));
}

#[differentiate(wrt(ax_ay, cx_cy, s))]
pub fn triangle((ax, ay): (f64, f64), (bx, by): (f64, f64), [cx, cy]: [f64; 2], &[s, _]: &[f64; 2]) -> f64 {
    let cross = |(ux, uy): (f64, f64), [vx, vy]: [f64; 2]| ux * vy - uy * vx;
    0.5 * s * cross((bx - ax, by - ay), [cx - ax, cy - ay]).abs()
}

#[test]
fn patterns_as_parameters() {
    let (_, g) = triangle::gradient((0.1, 0.2), (1.3, 0.4), [0.5, 1.6], &[2.0, 3.0]);
    check(
        |v| triangle((v[0][0], v[0][1]), (1.3, 0.4), [v[1][0], v[1][1]], &[v[2][0], v[2][1]]),
        &[&[0.1, 0.2], &[0.5, 1.6], &[2.0, 3.0]],
        &[&[g.ax_ay.0, g.ax_ay.1], &g.cx_cy, &g.s],
    );
}
