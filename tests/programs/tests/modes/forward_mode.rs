//! `f::jvp`: against the transpose, `<J v, w> = <v, Jᵀ w>`, and against differences.

use pardiff::differentiate;
use pardiff_programs::{dot, positive, random};

/// Whether two numbers agree to rounding.
#[track_caller]
fn near(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-11 * (1.0 + a.abs() + b.abs()), "{a} instead of {b}");
}

/// The derivative of a function of one number at 0.
fn slope(f: impl Fn(f64) -> f64) -> f64 {
    let central = |h: f64| (f(h) - f(-h)) / (2.0 * h);
    let (wide, narrow) = (central(2e-3), central(1e-3));
    (4.0 * narrow - wide) / 3.0
}

fn moved(x: &[f64], along: &[f64], by: f64) -> Vec<f64> {
    x.iter().zip(along).map(|(x, v)| x + by * v).collect()
}

#[differentiate(forward)]
pub fn mixture(x: &[f64], weights: &[f64], scale: f64, n: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..n {
        let mut largest = f64::NEG_INFINITY;
        for k in 0..weights.len() {
            largest = largest.max(weights[k] * x[i]);
        }
        let mut sum = 0.0;
        for k in 0..weights.len() {
            sum += (weights[k] * x[i] - largest).exp();
        }
        total += largest + sum.ln() * scale / (1.0 + x[i] * x[i]).sqrt();
    }
    total
}

#[test]
fn a_lone_float_has_a_tangent() {
    let (n, k) = (57, 5);
    let (x, w, s) = (random(1, n), random(2, k), 0.7);
    let (v_x, v_w, v_s) = (random(3, n), random(4, k), -0.3);
    let (value, tangent) = mixture::jvp(&x, &v_x, &w, &v_w, s, v_s, n);
    near(value, mixture(&x, &w, s, n));
    let g = mixture::gradient(&x, &w, s, n).1;
    near(tangent, dot(&g.x, &v_x) + dot(&g.weights, &v_w) + g.scale * v_s);
    let along = |h: f64| mixture(&moved(&x, &v_x, h), &moved(&w, &v_w, h), s + h * v_s, n);
    assert!((tangent - slope(along)).abs() < 1e-7);
}

#[differentiate(forward)]
pub fn heat(u: &mut [f64], rate: f64, steps: usize) {
    let n = u.len();
    let mut next = vec![0.0; n];
    #[checkpoint]
    for _ in 0..steps {
        for i in 1..n - 1 {
            next[i] = u[i] + rate * (u[i - 1] - 2.0 * u[i] + u[i + 1]) * u[i].sin();
        }
        u[1..n - 1].copy_from_slice(&next[1..n - 1]);
    }
}

#[test]
fn arrays_that_are_written_take_their_tangent_in_and_out() {
    let (u, v, w) = (random(5, 31), random(6, 31), random(7, 31));
    let (mut out, mut v_out) = (u.clone(), v.clone());
    heat::jvp(&mut out, &mut v_out, 0.2, 0.9, 6);
    let mut plain = u.clone();
    heat(&mut plain, 0.2, 6);
    out.iter().zip(&plain).for_each(|(a, b)| near(*a, *b));
    let (mut again, mut d_u, mut d_rate) = (u.clone(), w.clone(), 0.0);
    heat::vjp(&mut again, &mut d_u, 0.2, &mut d_rate, 6);
    near(dot(&v_out, &w), dot(&v, &d_u) + 0.9 * d_rate);
}

#[differentiate(wrt(a), forward)]
pub fn several(a: [f64; 3], b: f64, n: usize) -> (f64, usize, [f64; 2]) {
    let r = a[0].hypot(a[1]) * b;
    (r.powi(3) + a[2] % b, n + 1, [r.atan2(a[2]), (a[2] * r).tanh()])
}

#[test]
fn the_tangent_of_a_tuple_is_that_of_its_floats() {
    let (a, v) = ([0.3, -0.8, 1.7], [0.5, 0.25, -1.0]);
    let ((first, n, rest), (first_dot, rest_dot)) = several::jvp(a, v, 0.6, 4);
    assert_eq!((first, n, rest), several(a, 0.6, 4));
    let mut d_a = [0.0; 3];
    let seed = (0.4, [-1.1, 2.0]);
    several::vjp(a, &mut d_a, 0.6, 4, seed);
    near(seed.0 * first_dot + dot(&seed.1, &rest_dot), dot(&v, &d_a));
}

#[differentiate(forward)]
mod bodies {
    #[derive(Clone, Debug, PartialEq)]
    pub struct Body {
        pub at: [f64; 2],
        pub charge: f64,
        pub kind: usize,
    }

    pub fn energy(all: &[Body], shift: &Body) -> f64 {
        let mut total = 0.0;
        for i in 0..all.len() {
            for j in 0..i {
                let (dx, dy) = (all[i].at[0] - all[j].at[0], all[i].at[1] - all[j].at[1] + shift.at[0]);
                if all[i].kind != all[j].kind {
                    total += all[i].charge * all[j].charge / (dx * dx + dy * dy + 0.1).sqrt();
                }
            }
        }
        total * shift.charge
    }

    pub fn moved(body: &Body, by: f64) -> Body {
        Body { at: [body.at[0] * by, body.at[1] + by.sin()], charge: body.charge, kind: body.kind + 1 }
    }

    pub fn push(all: &mut [Body], force: f64) {
        for i in 0..all.len() {
            all[i].at[0] += force * all[i].charge.cos();
            all[i].at[1] *= all[i].at[0];
        }
    }
}

#[test]
fn structs_have_tangents_of_their_type() {
    use bodies::Body;
    let body = |seed: u64| {
        let r = random(seed, 3);
        Body { at: [r[0], r[1]], charge: r[2], kind: seed as usize % 2 }
    };
    let all: Vec<Body> = (0..9).map(body).collect();
    let along: Vec<Body> = (20..29).map(body).collect();
    let (shift, v_shift) = (body(40), body(41));
    let (value, tangent) = bodies::energy::jvp(&all, &along, &shift, &v_shift);
    near(value, bodies::energy(&all, &shift));
    let g = bodies::energy::gradient(&all, &shift).1;
    let pair = |a: &Body, b: &Body| dot(&a.at, &b.at) + a.charge * b.charge;
    let sum: f64 = g.all.iter().zip(&along).map(|(a, b)| pair(a, b)).sum();
    near(tangent, sum + pair(&g.shift, &v_shift));

    let (out, out_dot) = bodies::moved::jvp(&shift, &v_shift, 0.3, 0.5);
    assert_eq!(out, bodies::moved(&shift, 0.3));
    near(out_dot.at[0], v_shift.at[0] * 0.3 + shift.at[0] * 0.5);
    near(out_dot.at[1], v_shift.at[1] + 0.3f64.cos() * 0.5);
    assert_eq!((out_dot.charge, out_dot.kind), (v_shift.charge, 0));

    let (mut state, mut v_state, seeds) =
        (all.clone(), along.clone(), (60..69).map(body).collect::<Vec<_>>());
    bodies::push::jvp(&mut state, &mut v_state, 0.4, 0.8);
    let (mut again, mut d_state, mut d_force) = (all.clone(), seeds.clone(), 0.0);
    bodies::push::vjp(&mut again, &mut d_state, 0.4, &mut d_force);
    assert_eq!(state, again);
    let pairs = |a: &[Body], b: &[Body]| a.iter().zip(b).map(|(a, b)| pair(a, b)).sum::<f64>();
    near(pairs(&v_state, &seeds), pairs(&along, &d_state) + 0.8 * d_force);
}

#[differentiate(forward)]
pub fn of_rayon(x: &[f64], y: &[f64]) -> f64 {
    use rayon::prelude::*;
    x.par_iter().zip(y).map(|(&x, &y)| (x * y).sin() + x.max(y) * 0.5 + x.abs()).sum()
}

#[differentiate(forward)]
pub fn scattered(x: &[f64], index: &[usize], y: &mut [f64]) {
    for i in 0..x.len() {
        y[index[i]] += x[i] * x[i];
    }
}

#[differentiate(forward)]
pub fn product(x: &[f64]) -> f64 {
    x.iter().product()
}

#[differentiate(forward)]
pub fn until_converged(a: f64) -> f64 {
    let mut x = a;
    while (x * x - a).abs() > 1e-14 {
        x = 0.5 * (x + a / x);
    }
    x
}

#[differentiate(forward)]
pub fn singles(x: &[f32], w: f32) -> f32 {
    x.iter().map(|&x| (w * x).exp() - f64::from(x).sqrt() as f32).sum()
}

#[differentiate(forward, strict, sequential)]
pub fn in_order(x: &[f64], out: &mut [f64; 2]) {
    for (i, x) in x.iter().enumerate() {
        out[i % 2] += x.powi(2).ln();
    }
}

#[differentiate(forward)]
pub fn growing(x: &[f64]) -> f64 {
    let mut kept = vec![];
    for i in 0..x.len() {
        if x[i] > 0.0 {
            kept.push(x[i] * x[i]);
        }
    }
    let mut total = 0.0;
    for k in 0..kept.len() {
        total += kept[k] * (k as f64 + 1.0);
    }
    total
}

#[test]
fn loops_of_all_kinds_have_tangents() {
    let (x, y, v, w) = (positive(1, 203), random(2, 203), random(3, 203), random(4, 203));
    let (value, tangent) = of_rayon::jvp(&x, &v, &y, &w);
    near(value, of_rayon(&x, &y));
    let g = of_rayon::gradient(&x, &y).1;
    near(tangent, dot(&g.x, &v) + dot(&g.y, &w));

    let index: Vec<usize> = (0..203).map(|i| i * i % 17).collect();
    let (mut out, mut v_out, seed) = (random(5, 17), random(6, 17), random(7, 17));
    let (before, v_before) = (out.clone(), v_out.clone());
    scattered::jvp(&x, &v, &index, &mut out, &mut v_out);
    let (mut d_x, mut again, mut d_y) = (vec![0.0; 203], before, seed.clone());
    scattered::vjp(&x, &mut d_x, &index, &mut again, &mut d_y);
    near(dot(&v_out, &seed), dot(&v, &d_x) + dot(&v_before, &d_y));

    let few = &x[..12];
    near(product::jvp(few, &v[..12]).1, dot(&product::gradient(few).1.x, &v[..12]));
    near(until_converged::jvp(7.0, 2.0).1, 2.0 * 0.5 / 7.0f64.sqrt());
    near(growing::jvp(&y, &v).1, dot(&growing::gradient(&y).1.x, &v));

    let narrow = |v: &[f64]| -> Vec<f32> { v.iter().map(|x| *x as f32).collect() };
    let (x32, v32) = (narrow(&x), narrow(&v));
    let tangent = singles::jvp(&x32, &v32, 0.5, 0.25).1;
    let g = singles::gradient(&x32, 0.5).1;
    let expected: f32 = g.x.iter().zip(&v32).map(|(a, b)| a * b).sum::<f32>() + g.w * 0.25;
    assert!((tangent - expected).abs() < 1e-3 * (1.0 + expected.abs()));

    let (mut out, mut v_out) = ([0.5, 0.25], [1.0, -1.0]);
    in_order::jvp(&x, &v, &mut out, &mut v_out);
    let expected = [0, 1].map(|k| (k..203).step_by(2).map(|i| 2.0 * v[i] / x[i]).sum::<f64>());
    near(v_out[0], 1.0 + expected[0]);
    near(v_out[1], -1.0 + expected[1]);
}

#[test]
fn tangents_are_the_same_bits_at_any_number_of_threads() {
    let (x, v) = (positive(1, 100_000), random(3, 100_000));
    let index: Vec<usize> = (0..x.len()).map(|i| i * i % 1017).collect();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            let (mut y, mut v_y) = (vec![0.5; 1017], vec![0.25; 1017]);
            scattered::jvp(&x, &v, &index, &mut y, &mut v_y);
            (y, v_y, of_rayon::jvp(&x, &v, &v, &x))
        })
    };
    assert!(run(1) == run(4));
}

#[test]
fn tangents_of_a_wrong_length_panic_by_name() {
    let panic = std::panic::catch_unwind(|| of_rayon::jvp(&[1.0, 2.0], &[1.0], &[1.0, 2.0], &[1.0, 2.0]));
    let message = panic.expect_err("it panics");
    let text = message.downcast_ref::<String>().map(String::as_str);
    assert_eq!(text, Some("of_rayon: the length of the tangent `x_dot` is 1 but the length of `x` is 2"));
}

#[differentiate(forward)]
mod with_rules {
    #[differentiate(custom(partials = slope))]
    fn error(x: f64) -> f64 {
        libm::erf(x)
    }

    fn slope(x: f64) -> f64 {
        std::f64::consts::FRAC_2_SQRT_PI * (-x * x).exp()
    }

    pub fn total(x: &[f64]) -> f64 {
        x.iter().map(|&x| error(x) * x).sum()
    }
}

mod arrays {
    use super::differentiate;
    use ndarray::{Array1, ArrayView2, ArrayViewMut2};

    #[differentiate(forward)]
    pub fn layer(w: ArrayView2<'_, f64>, x: &Array1<f64>, mut out: ArrayViewMut2<'_, f64>) -> f64 {
        let mut total = 0.0;
        for i in 0..w.nrows() {
            let mut sum = 0.0;
            for j in 0..w.ncols() {
                sum += w[[i, j]] * x[j];
                out[[i, j]] *= sum.tanh();
            }
            total += sum * sum;
        }
        total
    }
}

#[test]
fn arrays_of_ndarray_have_tangents_of_their_shape() {
    use ndarray::{Array1, Array2};
    let array = |seed: u64| Array2::from_shape_vec((5, 7), random(seed, 35)).expect("35 elements");
    // one in another layout
    let (w, v_w, out, v_out, seed) = (
        array(1),
        array(2).reversed_axes().as_standard_layout().reversed_axes().to_owned(),
        array(3),
        array(4),
        array(5),
    );
    let (x, v_x) = (Array1::from(random(6, 7)), Array1::from(random(7, 7)));
    let (mut after, mut v_after) = (out.clone(), v_out.clone());
    let (value, tangent) =
        arrays::layer::jvp(w.view(), v_w.view(), &x, &v_x, after.view_mut(), v_after.view_mut());
    let (mut again, mut d_out) = (out.clone(), seed.clone());
    near(value, arrays::layer(w.view(), &x, again.view_mut()));
    let (mut d_w, mut d_x, mut again) = (Array2::zeros((5, 7)), Array1::zeros(7), out);
    arrays::layer::vjp(w.view(), d_w.view_mut(), &x, &mut d_x, again.view_mut(), d_out.view_mut(), 0.3);
    let left = (&v_after * &seed).sum() + 0.3 * tangent;
    near(left, (&v_w * &d_w).sum() + (&v_x * &d_x).sum() + (&v_out * &d_out).sum());
}

#[test]
fn rules_by_hand_have_tangents() {
    let (x, v) = (random(1, 33), random(2, 33));
    let (value, tangent) = with_rules::total::jvp(&x, &v);
    near(value, with_rules::total(&x));
    near(tangent, dot(&with_rules::total::gradient(&x).1.x, &v));
}
