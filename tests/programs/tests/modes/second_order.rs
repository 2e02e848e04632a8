//! `f::hvp`: against differences of gradients, and `<u, H v> = <v, H u>`.

use pardiff::differentiate;
use pardiff_programs::{dot, positive, random};

/// Whether two numbers agree to rounding.
#[track_caller]
fn near(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-10 * (1.0 + a.abs() + b.abs()), "{a} instead of {b}");
}

/// Checks a product against the derivative of the gradient along the direction.
#[track_caller]
fn check(gradient: impl Fn(f64) -> Vec<f64>, product: &[f64]) {
    let central = |h: f64| -> Vec<f64> {
        let (up, down) = (gradient(h), gradient(-h));
        up.iter().zip(&down).map(|(a, b)| (a - b) / (2.0 * h)).collect()
    };
    let (wide, narrow) = (central(2e-3), central(1e-3));
    assert_eq!(product.len(), wide.len());
    for (k, own) in product.iter().enumerate() {
        let expected = (4.0 * narrow[k] - wide[k]) / 3.0;
        assert!((own - expected).abs() <= 1e-6 * (1.0 + expected.abs()), "{k}: {own} instead of {expected}");
    }
}

fn moved(x: &[f64], along: &[f64], by: f64) -> Vec<f64> {
    x.iter().zip(along).map(|(x, v)| x + by * v).collect()
}

#[differentiate(hvp)]
pub fn mixture(x: &[f64], weights: &[f64], scale: f64) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() {
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
fn the_product_is_the_tangent_of_the_gradient() {
    let (x, w, s) = (random(1, 23), random(2, 4), 0.7);
    let product = |v_x: &[f64], v_w: &[f64], v_s: f64| {
        let (mut h_x, mut h_w, mut h_s) = (vec![0.0; 23], vec![0.0; 4], 0.0);
        let (value, slope) = mixture::hvp(&x, v_x, &mut h_x, &w, v_w, &mut h_w, s, v_s, &mut h_s);
        near(value, mixture(&x, &w, s));
        let g = mixture::gradient(&x, &w, s).1;
        near(slope, dot(&g.x, v_x) + dot(&g.weights, v_w) + g.scale * v_s);
        [h_x, h_w, vec![h_s]].concat()
    };
    let (v_x, v_w, v_s) = (random(3, 23), random(4, 4), -0.4);
    let own = product(&v_x, &v_w, v_s);
    let gradient = |h: f64| {
        let g = mixture::gradient(&moved(&x, &v_x, h), &moved(&w, &v_w, h), s + h * v_s).1;
        [g.x, g.weights, vec![g.scale]].concat()
    };
    check(gradient, &own);
    // symmetric
    let (u_x, u_w, u_s) = (random(5, 23), random(6, 4), 0.9);
    let other = product(&u_x, &u_w, u_s);
    near(dot(&own, &[u_x, u_w, vec![u_s]].concat()), dot(&other, &[v_x, v_w, vec![v_s]].concat()));
}

#[test]
fn products_are_added() {
    let (x, w) = (random(1, 5), random(2, 3));
    let (v_x, v_w) = (random(3, 5), random(4, 3));
    let run = |start: f64| {
        let (mut h_x, mut h_w, mut h_s) = (vec![start; 5], vec![start; 3], start);
        mixture::hvp(&x, &v_x, &mut h_x, &w, &v_w, &mut h_w, 0.5, 1.0, &mut h_s);
        [h_x, h_w, vec![h_s]].concat()
    };
    run(2.5).iter().zip(run(0.0)).for_each(|(a, b)| near(*a, b + 2.5));
}

/// A loop over time with tapes, in segments where it is marked.
#[differentiate(hvp)]
pub fn heat(u0: &[f64], rate: f64, steps: usize) -> f64 {
    let n = u0.len();
    let mut u = u0.to_vec();
    let mut next = u0.to_vec();
    for _ in 0..steps {
        for i in 1..n - 1 {
            next[i] = u[i] + rate * (u[i - 1] - 2.0 * u[i] + u[i + 1]) * u[i].sin();
        }
        std::mem::swap(&mut u, &mut next);
    }
    u.iter().map(|u| u * u * u).sum()
}

#[differentiate(hvp)]
pub fn heat_in_segments(u0: &[f64], rate: f64, steps: usize) -> f64 {
    let n = u0.len();
    let mut u = u0.to_vec();
    let mut next = u0.to_vec();
    #[checkpoint]
    for _ in 0..steps {
        for i in 1..n - 1 {
            next[i] = u[i] + rate * (u[i - 1] - 2.0 * u[i] + u[i + 1]) * u[i].sin();
        }
        std::mem::swap(&mut u, &mut next);
    }
    u.iter().map(|u| u * u * u).sum()
}

#[test]
fn tapes_and_checkpoints_have_tangents() {
    let (u, v, w) = (random(7, 17), random(8, 17), random(9, 17));
    let product = |along: &[f64], rate: f64, steps: usize| {
        let (mut h_u, mut h_rate) = (vec![0.0; 17], 0.0);
        let (value, _) = heat::hvp(&u, along, &mut h_u, 0.05, rate, &mut h_rate, steps);
        near(value, heat(&u, 0.05, steps));
        let (mut k_u, mut k_rate) = (vec![0.0; 17], 0.0);
        heat_in_segments::hvp(&u, along, &mut k_u, 0.05, rate, &mut k_rate, steps);
        k_u.iter().zip(&h_u).for_each(|(a, b)| near(*a, *b));
        near(k_rate, h_rate);
        [h_u, vec![h_rate]].concat()
    };
    for steps in [0, 1, 2, 9, 40] {
        let own = product(&v, 0.3, steps);
        let gradient = |h: f64| {
            let g = heat::gradient(&moved(&u, &v, h), 0.05 + 0.3 * h, steps).1;
            [g.u0, vec![g.rate]].concat()
        };
        // differences of many steps say little
        if steps < 10 {
            check(gradient, &own);
        }
        let other = product(&w, -0.7, steps);
        near(dot(&own, &[w.clone(), vec![-0.7]].concat()), dot(&other, &[v.clone(), vec![0.3]].concat()));
    }
}

/// Outputs that are weighted by their adjoints, and a state that is read and written.
#[differentiate(hvp)]
pub fn outputs(x: &[f64], y: &mut [f64]) -> (f64, [f64; 2]) {
    let mut total = 0.0;
    for i in 0..x.len() {
        y[i] = (y[i] * x[i]).sin() + y[i] * y[i];
        total += y[i] / (2.0 + x[i]);
    }
    (total, [x[0] * x[1], y[0].exp()])
}

#[test]
fn several_outputs_are_weighted() {
    let (n, seed) = (6, (0.7, [-0.4, 1.2]));
    let (x, v_x, y, v_y, d_y) = (random(1, n), random(2, n), random(3, n), random(4, n), random(5, n));
    let gradient = |h: f64| {
        let (mut d_x, mut after, mut d_y) = (vec![0.0; n], moved(&y, &v_y, h), d_y.clone());
        outputs::vjp(&moved(&x, &v_x, h), &mut d_x, &mut after, &mut d_y, seed);
        [d_x, d_y].concat()
    };
    let (mut h_x, mut after, mut v_after) = (vec![0.0; n], y.clone(), v_y.clone());
    let (mut own, mut h_y) = (d_y.clone(), vec![0.0; n]);
    let (value, tangent) =
        outputs::hvp(&x, &v_x, &mut h_x, &mut after, &mut v_after, &mut own, &mut h_y, seed);
    let mut plain = y.clone();
    let (first, rest) = outputs(&x, &mut plain);
    near(value.0, first);
    value.1.iter().zip(&rest).for_each(|(a, b)| near(*a, *b));
    after.iter().zip(&plain).for_each(|(a, b)| near(*a, *b));
    gradient(0.0)[n..].iter().zip(&own).for_each(|(a, b)| near(*a, *b));
    check(gradient, &[h_x, h_y].concat());
    // the tangent of the outputs is that along the direction
    let out = |h: f64| {
        let mut state = moved(&y, &v_y, h);
        let (a, [b, c]) = outputs(&moved(&x, &v_x, h), &mut state);
        [vec![a, b, c], state].concat()
    };
    check(out, &[vec![tangent.0], tangent.1.to_vec(), v_after].concat());
}

#[differentiate(hvp, forward)]
mod model {
    #[derive(Clone, Debug)]
    pub struct Spring {
        pub ends: [usize; 2],
        pub length: f64,
    }

    #[differentiate(custom(partials = slope))]
    fn soft(x: f64) -> f64 {
        x.exp().ln_1p()
    }

    /// The rule calls the function that it belongs to.
    fn slope(x: f64) -> f64 {
        1.0 - (-soft(x)).exp()
    }

    pub fn energy(at: &[[f64; 2]], springs: &[Spring]) -> f64 {
        let mut total = 0.0;
        for spring in springs {
            let [i, j] = spring.ends;
            let (dx, dy) = (at[i][0] - at[j][0], at[i][1] - at[j][1]);
            let stretch = (dx * dx + dy * dy).sqrt() - spring.length;
            total += soft(stretch * stretch) * spring.length;
        }
        total
    }
}

#[test]
fn structs_and_rules_have_second_derivatives() {
    use model::Spring;
    let points = |seed: u64| -> Vec<[f64; 2]> { random(seed, 24).chunks(2).map(|p| [p[0], p[1]]).collect() };
    let (at, v_at) = (points(1), points(2));
    let lengths = positive(3, 20);
    let springs: Vec<Spring> = (0..20)
        .map(|k| Spring { ends: [k % 12, (k * 5 + 1) % 12], length: lengths[k] })
        .filter(|spring| spring.ends[0] != spring.ends[1])
        .collect();
    let v_springs: Vec<Spring> = springs
        .iter()
        .zip(random(4, 20))
        .map(|(spring, length)| Spring { length, ..spring.clone() })
        .collect();
    let mut h_at = vec![[0.0; 2]; 12];
    let mut h_springs: Vec<Spring> =
        springs.iter().map(|spring| Spring { length: 0.0, ..spring.clone() }).collect();
    let (value, slope) = model::energy::hvp(&at, &v_at, &mut h_at, &springs, &v_springs, &mut h_springs);
    near(value, model::energy(&at, &springs));
    near(slope, model::energy::jvp(&at, &v_at, &springs, &v_springs).1);
    let gradient = |h: f64| {
        let at: Vec<[f64; 2]> =
            at.iter().zip(&v_at).map(|(a, v)| [a[0] + h * v[0], a[1] + h * v[1]]).collect();
        let springs: Vec<Spring> = springs
            .iter()
            .zip(&v_springs)
            .map(|(spring, v)| Spring { length: spring.length + h * v.length, ..spring.clone() })
            .collect();
        let g = model::energy::gradient(&at, &springs).1;
        [g.at.concat(), g.springs.iter().map(|spring| spring.length).collect()].concat()
    };
    let lengths = h_springs.iter().map(|spring| spring.length).collect();
    check(gradient, &[h_at.concat(), lengths].concat());
}

#[differentiate(hvp)]
pub fn scattered(x: &[f32], index: &[usize], y: &[f64]) -> f64 {
    let mut sums = [0.0; 9];
    for i in 0..x.len() {
        sums[index[i]] += f64::from(x[i]) * y[i] * y[i];
    }
    sums.iter().map(|s| s.tanh()).sum()
}

#[test]
fn floats_of_both_types_and_any_number_of_threads() {
    let n = 30_000;
    let (x, y, v) = (random(1, n), random(2, n), random(3, n));
    let narrow = |v: &[f64]| -> Vec<f32> { v.iter().map(|x| *x as f32 / 300.0).collect() };
    let (x, v_x) = (narrow(&x), narrow(&v));
    let index: Vec<usize> = (0..n).map(|i| i * i % 9).collect();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            let (mut h_x, mut h_y) = (vec![0.0; n], vec![0.0; n]);
            let out = scattered::hvp(&x, &v_x, &mut h_x, &index, &y, &v, &mut h_y);
            (out, h_x, h_y)
        })
    };
    let one = run(1);
    assert!(one == run(3));
    let gradient = |h: f64| scattered::gradient(&x, &index, &moved(&y, &v, h)).1.y[..40].to_vec();
    let (mut h_x, mut h_y) = (vec![0.0; n], vec![0.0; n]);
    scattered::hvp(&x, &vec![0.0; n], &mut h_x, &index, &y, &v, &mut h_y);
    check(gradient, &h_y[..40]);
}
