//! Second derivatives through functions over arrays whose rules are given by hand: the tangent of a rule is that of its
//! own code, or a rule as well.

use pardiff::differentiate;
use pardiff_programs::{check, dot, random};

#[differentiate]
mod linear {
    use std::collections::BTreeMap;

    /// `a x = b`, in a way that is not looked into.
    #[differentiate(custom(vjp = solve_vjp, jvp = solve_jvp))]
    pub fn solve(a: &[f64], b: &[f64], x: &mut [f64], n: usize) {
        let rows: BTreeMap<usize, Vec<f64>> = (0..n).map(|i| (i, a[i * n..i * n + n].to_vec())).collect();
        let all: Vec<f64> = rows.into_values().flatten().collect();
        eliminated(&all, b, x, n);
    }

    /// The transposed solve is a call of the function itself.
    fn solve_vjp(
        a: &[f64],
        d_a: &mut [f64],
        b: &[f64],
        d_b: &mut [f64],
        x: &mut [f64],
        d_x: &mut [f64],
        n: usize,
    ) {
        solve(a, b, x, n);
        let transposed: Vec<f64> = (0..n * n).map(|k| a[k % n * n + k / n]).collect();
        let mut l = vec![0.0; n];
        solve(&transposed, d_x, &mut l, n);
        for i in 0..n {
            d_b[i] += l[i];
            for j in 0..n {
                d_a[i * n + j] -= l[i] * x[j];
            }
        }
        d_x.fill(0.0);
    }

    fn solve_jvp(
        a: &[f64],
        a_dot: &[f64],
        b: &[f64],
        b_dot: &[f64],
        x: &mut [f64],
        x_dot: &mut [f64],
        n: usize,
    ) {
        solve(a, b, x, n);
        let row = |i: usize| b_dot[i] - (0..n).map(|j| a_dot[i * n + j] * x[j]).sum::<f64>();
        let right: Vec<f64> = (0..n).map(row).collect();
        solve(a, &right, x_dot, n);
    }

    /// Elimination without pivots, of a matrix with a large diagonal.
    fn eliminated(a: &[f64], b: &[f64], x: &mut [f64], n: usize) {
        let mut a = a.to_vec();
        x.copy_from_slice(b);
        for k in 0..n {
            for i in k + 1..n {
                let factor = a[i * n + k] / a[k * n + k];
                for j in k..n {
                    a[i * n + j] -= factor * a[k * n + j];
                }
                x[i] -= factor * x[k];
            }
        }
        for k in (0..n).rev() {
            for j in k + 1..n {
                x[k] -= a[k * n + j] * x[j];
            }
            x[k] /= a[k * n + k];
        }
    }

    /// Two solves, of which the second takes what the first finds.
    #[differentiate(forward, hvp, check, batch(2))]
    pub fn misfit(a: &[f64], b: &[f64], wanted: &[f64], n: usize) -> f64 {
        let mut x = vec![0.0; n];
        solve(a, b, &mut x, n);
        let right: Vec<f64> = x.iter().map(|x| x * x).collect();
        solve(a, &right, &mut x, n);
        x.iter().zip(wanted).map(|(x, wanted)| (x - wanted) * (x - wanted)).sum()
    }

    /// The same with the elimination in the place of the rule.
    #[differentiate(hvp)]
    pub fn inlined(a: &[f64], b: &[f64], wanted: &[f64], n: usize) -> f64 {
        let mut x = vec![0.0; n];
        eliminated(a, b, &mut x, n);
        let right: Vec<f64> = x.iter().map(|x| x * x).collect();
        eliminated(a, &right, &mut x, n);
        x.iter().zip(wanted).map(|(x, wanted)| (x - wanted) * (x - wanted)).sum()
    }

    /// Steps of an implicit scheme, whose states are checkpoints; outputs have adjoints and tangents.
    #[differentiate(hvp)]
    pub fn implicit(a: &[f64], u: &mut [f64], steps: usize) {
        let n = u.len();
        let mut right = vec![0.0; n];
        #[checkpoint(every = 2)]
        for _ in 0..steps {
            for i in 0..n {
                right[i] = u[i] + 0.1 * u[i] * u[i];
            }
            solve(a, &right, u, n);
        }
    }
}

fn matrix(seed: u64, n: usize) -> Vec<f64> {
    let mut a = random(seed, n * n);
    (0..n).for_each(|i| a[i * n + i] += 4.0);
    a
}

#[test]
fn a_solve_is_the_same_as_its_elimination() {
    let n = 4;
    let (a, b, wanted) = (matrix(1, n), random(2, n), random(3, n));
    let (a_dot, b_dot, w_dot) = (random(4, n * n), random(5, n), random(6, n));
    let zeros = || (vec![0.0; n * n], vec![0.0; n], vec![0.0; n]);
    let ((mut h_a, mut h_b, mut h_w), (mut k_a, mut k_b, mut k_w)) = (zeros(), zeros());
    let of_rule =
        linear::misfit::hvp(&a, &a_dot, &mut h_a, &b, &b_dot, &mut h_b, &wanted, &w_dot, &mut h_w, n);
    let inlined =
        linear::inlined::hvp(&a, &a_dot, &mut k_a, &b, &b_dot, &mut k_b, &wanted, &w_dot, &mut k_w, n);
    close(&[of_rule.0, of_rule.1], &[inlined.0, inlined.1]);
    close(&[&h_a[..], &h_b, &h_w].concat(), &[&k_a[..], &k_b, &k_w].concat());

    let along = |v: &[Vec<f64>]| {
        let (mut d_a, mut d_b, mut d_w) = zeros();
        linear::misfit::grad(&v[0], &mut d_a, &v[1], &mut d_b, &v[2], &mut d_w, n);
        dot(&d_a, &a_dot) + dot(&d_b, &b_dot) + dot(&d_w, &w_dot)
    };
    check(along, &[&a, &b, &wanted], &[&h_a, &h_b, &h_w]);
    linear::misfit::check(&a, &b, &wanted, n).unwrap();
}

#[test]
fn directions_at_once_are_as_each_alone() {
    let n = 3;
    let (a, b, wanted) = (matrix(7, n), random(8, n), random(9, n));
    let dots: Vec<[Vec<f64>; 3]> =
        (0..2).map(|w| [random(10 + w, n * n), random(12 + w, n), random(14 + w, n)]).collect();
    let both = |k: usize| -> Vec<[f64; 2]> {
        (0..dots[0][k].len()).map(|i| [dots[0][k][i], dots[1][k][i]]).collect()
    };
    let (mut h_a, mut h_b, mut h_w) = (vec![[0.0; 2]; n * n], vec![[0.0; 2]; n], vec![[0.0; 2]; n]);
    let (_, slopes) = linear::misfit::hvp_batch(
        &a,
        &both(0),
        &mut h_a,
        &b,
        &both(1),
        &mut h_b,
        &wanted,
        &both(2),
        &mut h_w,
        n,
    );
    for w in 0..2 {
        let [a_dot, b_dot, w_dot] = &dots[w];
        let (mut e_a, mut e_b, mut e_w) = (vec![0.0; n * n], vec![0.0; n], vec![0.0; n]);
        let (_, slope) =
            linear::misfit::hvp(&a, a_dot, &mut e_a, &b, b_dot, &mut e_b, &wanted, w_dot, &mut e_w, n);
        let member = |all: &[[f64; 2]]| all.iter().map(|it| it[w]).collect::<Vec<_>>();
        close(&[member(&h_a), member(&h_b), member(&h_w)].concat(), &[e_a, e_b, e_w].concat());
        close(&[slopes[w]], &[slope]);
    }
}

#[test]
fn steps_that_solve_run_again() {
    let n = 3;
    let (a, u, seed) = (matrix(20, n), random(21, n), random(22, n));
    let (a_dot, u_dot, seed_dot) = (random(23, n * n), random(24, n), random(25, n));
    for steps in [0, 1, 5] {
        let (mut after, mut after_dot, mut d_u, mut h_u) =
            (u.clone(), u_dot.clone(), seed.clone(), seed_dot.clone());
        let mut h_a = vec![0.0; n * n];
        linear::implicit::hvp(&a, &a_dot, &mut h_a, &mut after, &mut after_dot, &mut d_u, &mut h_u, steps);
        // of the gradient along the directions, with the seed, by differences
        let along = |t: f64| {
            let moved = |x: &[f64], dot: &[f64]| -> Vec<f64> {
                x.iter().zip(dot).map(|(x, dot)| x + t * dot).collect()
            };
            let (a, mut u, mut d_u) = (moved(&a, &a_dot), moved(&u, &u_dot), moved(&seed, &seed_dot));
            let mut d_a = vec![0.0; n * n];
            linear::implicit::vjp(&a, &mut d_a, &mut u, &mut d_u, steps);
            [d_a, d_u, u].concat()
        };
        let h = 1e-5;
        let differences: Vec<f64> =
            along(h).iter().zip(&along(-h)).map(|(up, down)| (up - down) / (2.0 * h)).collect();
        for (found, by_differences) in [h_a, h_u, after_dot].concat().iter().zip(&differences) {
            assert!((found - by_differences).abs() < 1e-7, "{found} {by_differences}");
        }
        let mut d_a = vec![0.0; n * n];
        let (mut e_u, mut again) = (seed.clone(), u.clone());
        linear::implicit::vjp(&a, &mut d_a, &mut again, &mut e_u, steps);
        close(&[after, d_u].concat(), &[again, e_u].concat());
    }
}

#[differentiate(hvp)]
mod elementwise {
    /// `y = y * by + sin(x)`, and the sum of it.
    #[differentiate(custom(vjp = bent_vjp, jvp = bent_jvp))]
    fn bent(x: &[f64], by: f64, y: &mut [f64], visits: &mut [usize]) -> f64 {
        let all = Box::new(x.iter().map(|x| x.sin()));
        for (y, bent) in y.iter_mut().zip(all) {
            *y = *y * by + bent;
        }
        visits[0] += 1;
        y.iter().sum()
    }

    #[allow(clippy::too_many_arguments)]
    fn bent_vjp(
        x: &[f64],
        d_x: &mut [f64],
        by: f64,
        d_by: &mut f64,
        y: &mut [f64],
        d_y: &mut [f64],
        visits: &mut [usize],
        seed: f64,
    ) -> f64 {
        for k in 0..x.len() {
            let d = d_y[k] + seed;
            d_x[k] += d * x[k].cos();
            *d_by += d * y[k];
            d_y[k] = d * by;
        }
        bent(x, by, y, visits)
    }

    #[allow(clippy::too_many_arguments)]
    fn bent_jvp(
        x: &[f64],
        x_dot: &[f64],
        by: f64,
        by_dot: f64,
        y: &mut [f64],
        y_dot: &mut [f64],
        visits: &mut [usize],
    ) -> (f64, f64) {
        for k in 0..x.len() {
            y_dot[k] = y_dot[k] * by + y[k] * by_dot + x[k].cos() * x_dot[k];
        }
        (bent(x, by, y, visits), y_dot.iter().sum())
    }

    /// What is given, what is found and what comes out are not linear.
    #[differentiate(check)]
    pub fn energy(x: &[f64], by: f64) -> f64 {
        let mut y = vec![0.5; x.len()];
        let mut visits = vec![0usize; 1];
        let mut total = 1.0;
        for k in 0..3 {
            total *= bent(x, by * by + k as f64, &mut y, &mut visits);
        }
        for i in 0..x.len() {
            total += y[i] * y[i] * visits[0] as f64;
        }
        total
    }

    /// Of sizes that are constant.
    pub fn small(x: [f64; 3], by: f64) -> f64 {
        let mut y = x;
        let first = bent(&x, by, &mut y, &mut [0]);
        first * y[1] * y[2]
    }

    /// By the scalar alone.
    #[differentiate(wrt(by), check)]
    pub fn by_scalar(x: &[f64], by: f64) -> f64 {
        let mut y = x.to_vec();
        bent(x, by, &mut y, &mut [0]) * y[0]
    }
}

#[test]
fn elements_and_numbers_have_second_derivatives() {
    let (n, x, x_dot) = (4, random(30, 4), random(31, 4));
    elementwise::energy::check(&x, 0.7).unwrap();
    elementwise::by_scalar::check(&x, 0.7).unwrap();
    let (mut h_x, mut h_by) = (vec![0.0; n], 0.0);
    elementwise::energy::hvp(&x, &x_dot, &mut h_x, 0.7, 0.5, &mut h_by);
    let along = |v: &[Vec<f64>]| {
        let (mut d_x, mut d_by) = (vec![0.0; n], 0.0);
        elementwise::energy::grad(&v[0], &mut d_x, v[1][0], &mut d_by);
        dot(&d_x, &x_dot) + 0.5 * d_by
    };
    check(along, &[&x, &[0.7]], &[&h_x, &[h_by]]);

    let at = [0.3, -0.6, 0.8];
    let (_, hessian) = elementwise::small::hessian(at, 0.4);
    for j in 0..3 {
        let slope = |v: &[Vec<f64>]| {
            let (mut d_x, mut d_by) = ([0.0; 3], 0.0);
            elementwise::small::grad(v[0][..].try_into().unwrap(), &mut d_x, v[1][0], &mut d_by);
            d_x[j]
        };
        check(slope, &[&at, &[0.4]], &[&hessian.x[j].x, &[hessian.x[j].by]]);
    }
}

mod elsewhere {
    use pardiff::differentiate;

    /// Differentiated in another module.
    #[differentiate(forward)]
    pub fn cubes(x: &[f64], by: f64, y: &mut [f64]) {
        for (y, x) in y.iter_mut().zip(x) {
            *y = *y * *y * by + x * x * x;
        }
    }

    /// Its rule, of which the derivative is taken in another module as well.
    #[differentiate(forward)]
    pub fn cubes_vjp(x: &[f64], d_x: &mut [f64], by: f64, d_by: &mut f64, y: &mut [f64], d_y: &mut [f64]) {
        for k in 0..x.len() {
            d_x[k] += 3.0 * x[k] * x[k] * d_y[k];
            *d_by += y[k] * y[k] * d_y[k];
            d_y[k] *= 2.0 * y[k] * by;
        }
    }
}

#[differentiate(hvp)]
mod given {
    /// All of its rules stand elsewhere.
    #[differentiate(custom(
        vjp = super::elsewhere::cubes_vjp,
        jvp = super::elsewhere::cubes::jvp,
        vjp_jvp = super::elsewhere::cubes_vjp::jvp
    ))]
    fn cubes(x: &[f64], by: f64, y: &mut [f64]) {
        super::elsewhere::cubes(x, by, y);
    }

    #[differentiate(check)]
    pub fn total(x: &[f64], by: f64) -> f64 {
        let mut y = x.to_vec();
        for _ in 0..2 {
            cubes(x, by, &mut y);
        }
        y.iter().map(|y| y * y).sum()
    }

    /// The inner product of what is before and the squares.
    #[differentiate(custom(vjp = product_vjp, jvp = product_jvp))]
    fn product(x: &[f64]) -> f64 {
        Box::new(x.iter().zip(x.iter().skip(1)).map(|(x, y)| x * x * y)).sum()
    }

    /// Not looked into, as its own rule says.
    #[differentiate(custom(jvp = product_vjp_jvp))]
    fn product_vjp(x: &[f64], d_x: &mut [f64], seed: f64) -> f64 {
        Box::new(0..x.len() - 1).for_each(|k| {
            d_x[k] += 2.0 * x[k] * x[k + 1] * seed;
            d_x[k + 1] += x[k] * x[k] * seed;
        });
        0.0
    }

    fn product_vjp_jvp(
        x: &[f64],
        x_dot: &[f64],
        d_x: &mut [f64],
        h_x: &mut [f64],
        seed: f64,
        seed_dot: f64,
    ) -> (f64, f64) {
        for k in 0..x.len() - 1 {
            h_x[k] +=
                2.0 * (x_dot[k] * x[k + 1] + x[k] * x_dot[k + 1]) * seed + 2.0 * x[k] * x[k + 1] * seed_dot;
            h_x[k + 1] += 2.0 * x[k] * x_dot[k] * seed + x[k] * x[k] * seed_dot;
        }
        (product_vjp(x, d_x, seed), 0.0)
    }

    fn product_jvp(x: &[f64], x_dot: &[f64]) -> (f64, f64) {
        let slope = (0..x.len() - 1).map(|k| 2.0 * x[k] * x_dot[k] * x[k + 1] + x[k] * x[k] * x_dot[k + 1]);
        (product(x), slope.sum())
    }

    #[differentiate(check)]
    pub fn nested(x: &[f64]) -> f64 {
        let y: Vec<f64> = x.iter().map(|x| x.sin()).collect();
        product(&y) * product(x)
    }
}

#[test]
fn rules_of_rules_are_called() {
    given::total::check(&random(40, 3), 0.6).unwrap();
    given::nested::check(&random(41, 4)).unwrap();
    let (x, x_dot) = (random(42, 4), random(43, 4));
    let mut h_x = vec![0.0; 4];
    given::nested::hvp(&x, &x_dot, &mut h_x);
    let along = |v: &[Vec<f64>]| {
        let mut d_x = vec![0.0; 4];
        given::nested::grad(&v[0], &mut d_x);
        dot(&d_x, &x_dot)
    };
    check(along, &[&x], &[&h_x]);
}

/// A linear map and its transpose, each the rule of the other.
#[differentiate(hvp)]
mod transforms {
    #[differentiate(custom(vjp = transform_vjp, jvp = transform_jvp))]
    fn transform(x: &[f64], y: &mut [f64]) {
        super::cosines(x, y, |k, j, n| (j, k, n));
    }

    fn transform_vjp(_: &[f64], d_x: &mut [f64], _: &mut [f64], d_y: &mut [f64]) {
        let mut back = vec![0.0; d_x.len()];
        transposed(d_y, &mut back);
        d_x.iter_mut().zip(&back).for_each(|(d, back)| *d += back);
        d_y.fill(0.0);
    }

    fn transform_jvp(x: &[f64], x_dot: &[f64], y: &mut [f64], y_dot: &mut [f64]) {
        transform(x, y);
        transform(x_dot, y_dot);
    }

    #[differentiate(custom(vjp = transposed_vjp, jvp = transposed_jvp))]
    fn transposed(x: &[f64], y: &mut [f64]) {
        super::cosines(x, y, |k, j, n| (k, j, n));
    }

    fn transposed_vjp(_: &[f64], d_x: &mut [f64], _: &mut [f64], d_y: &mut [f64]) {
        let mut back = vec![0.0; d_x.len()];
        transform(d_y, &mut back);
        d_x.iter_mut().zip(&back).for_each(|(d, back)| *d += back);
        d_y.fill(0.0);
    }

    fn transposed_jvp(x: &[f64], x_dot: &[f64], y: &mut [f64], y_dot: &mut [f64]) {
        transposed(x, y);
        transposed(x_dot, y_dot);
    }

    /// A power spectrum that is filtered.
    #[differentiate(check)]
    pub fn filtered(x: &[f64], filter: &[f64]) -> f64 {
        let n = x.len();
        let (mut spectrum, mut out) = (vec![0.0; n], vec![0.0; n]);
        transform(x, &mut spectrum);
        for k in 0..n {
            spectrum[k] = spectrum[k] * spectrum[k] * filter[k];
        }
        transposed(&spectrum, &mut out);
        out.iter().map(|out| out * out).sum()
    }
}

fn cosines(x: &[f64], y: &mut [f64], order: impl Fn(usize, usize, usize) -> (usize, usize, usize)) {
    let n = x.len();
    for (k, y) in y.iter_mut().enumerate() {
        let term = |(j, x): (usize, &f64)| {
            let (j, k, n) = order(k, j, n);
            x * (std::f64::consts::PI * (j as f64 + 0.5) * k as f64 / n as f64).cos()
        };
        *y = x.iter().enumerate().map(term).sum();
    }
}

#[test]
fn linear_maps_are_rules_of_each_other() {
    transforms::filtered::check(&random(50, 5), &random(51, 5)).unwrap();
}

#[track_caller]
fn close(a: &[f64], b: &[f64]) {
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() <= 1e-10 * (1.0 + b.abs()), "{a} instead of {b}");
    }
}
