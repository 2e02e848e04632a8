//! Loops whose trip count is known only when they end, and jumps: each gradient against finite differences.

use pardiff::differentiate;
use pardiff_programs::{check, positive, random};

#[differentiate]
pub fn root(a: f64, tolerance: f64) -> f64 {
    let mut y = a;
    while (y * y - a).abs() > tolerance {
        y = 0.5 * (y + a / y);
    }
    y
}

#[test]
fn newton_until_it_converges() {
    let (value, g) = root::gradient(7.0, 1e-12);
    assert!((value - 7.0f64.sqrt()).abs() < 1e-12);
    assert!((g.a - 0.5 / 7.0f64.sqrt()).abs() < 1e-9, "{}", g.a);
    // the steps of a loop that stops early are differentiated as they are
    let (_, g) = root::gradient(7.0, 0.5);
    check(|v| root(v[0][0], 0.5), &[&[7.0]], &[&[g.a]]);
}

#[differentiate(wrt(x))]
pub fn bisected(x: &[f64], rounds: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() {
        let (mut lo, mut hi) = (0.0, x[i] + 1.0);
        let mut k = 0;
        loop {
            let middle = 0.5 * (lo + hi);
            if middle * middle > x[i] {
                hi = middle;
            } else {
                lo = middle;
            }
            k += 1;
            if k == rounds + i {
                break;
            }
        }
        total += (i + 1) as f64 * hi;
    }
    total
}

#[test]
fn loops_in_loops() {
    let x = positive(1, 5);
    let (_, g) = bisected::gradient(&x, 3);
    check(|v| bisected(&v[0], 3), &[&x], &[&g.x]);
}

#[differentiate]
pub fn settled(start: &[f64], k: f64, steps: &mut usize) -> f64 {
    let n = start.len();
    let mut u = start.to_vec();
    let mut next = vec![0.0; n];
    *steps = 0;
    loop {
        let mut change = 0.0;
        for i in 0..n {
            next[i] = u[i] + k * (u[(i + n - 1) % n] - 2.0 * u[i] + u[(i + 1) % n]);
            change += (next[i] - u[i]).powi(2);
        }
        std::mem::swap(&mut u, &mut next);
        *steps += 1;
        if change < 0.01 || *steps >= 100 {
            break;
        }
    }
    u.iter().enumerate().map(|(i, v)| v * v * (i + 1) as f64).sum()
}

#[test]
fn heat_until_it_settles() {
    let start = random(2, 6);
    let (mut d_start, mut d_k, mut steps) = (vec![0.0; 6], 0.0, 0);
    settled::grad(&start, &mut d_start, 0.2, &mut d_k, &mut steps);
    assert!(steps > 2, "{steps}");
    check(|v| settled(&v[0], v[1][0], &mut 0), &[&start, &[0.2]], &[&d_start, &[d_k]]);
}

#[differentiate]
pub fn first_above(x: &[f64], limit: f64) -> f64 {
    let mut sum = 0.0;
    for (i, &v) in x.iter().enumerate() {
        sum = 0.9 * sum + v;
        if sum > limit {
            return sum * (i + 1) as f64;
        }
    }
    sum - limit
}

#[test]
fn an_early_return() {
    let x = positive(3, 8);
    for limit in [1.5, 3.0, 100.0] {
        let (value, g) = first_above::gradient(&x, limit);
        assert_eq!(value, first_above(&x, limit));
        check(|v| first_above(&v[0], v[1][0]), &[&x, &[limit]], &[&g.x, &[g.limit]]);
    }
}

#[differentiate(wrt(position, direction))]
pub fn marched(position: &[f64; 2], direction: &[f64; 2], radius: f64) -> f64 {
    let (mut x, mut y, mut length) = (position[0], position[1], 0.0);
    let hit = 'march: {
        for _ in 0..200 {
            let distance = (x * x + y * y).sqrt() - radius;
            if distance < 1e-3 {
                break 'march 1.0;
            }
            if length > 10.0 {
                break 'march 0.0;
            }
            x += distance * direction[0];
            y += distance * direction[1];
            length += distance;
        }
        0.5
    };
    hit * length + 0.1 * x
}

#[test]
fn a_labelled_block_with_a_value() {
    let (p, d) = ([-3.0, 0.3], [1.0, 0.05]);
    for d in [d, [1.0, 0.9]] {
        let (_, g) = marched::gradient(&p, &d, 1.0);
        let array = |v: &[f64]| [v[0], v[1]];
        check(|v| marched(&array(&v[0]), &array(&v[1]), 1.0), &[&p, &d], &[&g.position, &g.direction]);
    }
}

#[differentiate]
pub fn row_products(x: &[f64], n: usize) -> f64 {
    let mut total = 0.0;
    'rows: for i in 0..n {
        let mut product = 1.0;
        let mut j = 0;
        while j < n {
            let v = x[i * n + j];
            j += 1;
            if v < -0.9 {
                break 'rows;
            }
            if v < -0.6 {
                continue 'rows;
            }
            if v < 0.0 {
                continue;
            }
            product *= 1.0 + v;
        }
        total += product;
    }
    total
}

#[test]
fn labelled_jumps() {
    for seed in 4..10 {
        let x = random(seed, 25);
        let (value, g) = row_products::gradient(&x, 5);
        assert_eq!(value, row_products(&x, 5));
        check(|v| row_products(&v[0], 5), &[&x], &[&g.x]);
    }
}

#[differentiate]
pub fn escaped(re: f64, im: f64, most: usize) -> f64 {
    let (mut x, mut y) = (0.0, 0.0);
    for k in 0..most {
        (x, y) = (x * x - y * y + re, 2.0 * x * y + im);
        let size = x * x + y * y;
        if size > 16.0 {
            return k as f64 + 1.0 - (size.ln() * 0.5).ln();
        }
    }
    x * x + y * y
}

#[test]
fn iterations_until_they_escape() {
    for at in [[0.4, 0.3], [-0.5, 0.2], [1.0, 1.0]] {
        let (_, g) = escaped::gradient(at[0], at[1], 6);
        check(|v| escaped(v[0][0], v[0][1], 6), &[&at], &[&[g.re, g.im]]);
    }
}

#[differentiate]
pub fn kept_values(x: &[f64], decay: f64) -> f64 {
    let mut kept = Vec::new();
    let mut a = x[0];
    let mut i = 0;
    while a > 0.1 && i < x.len() {
        kept.push(a * x[i]);
        a *= decay;
        i += 1;
    }
    let mut total = 0.0;
    for (i, v) in kept.iter().rev().enumerate() {
        total = total * 0.5 + v * (i + 1) as f64;
    }
    total
}

#[test]
fn a_vector_that_grows() {
    let x = positive(11, 7);
    for decay in [0.9, 0.4] {
        let (_, g) = kept_values::gradient(&x, decay);
        check(|v| kept_values(&v[0], v[1][0]), &[&x, &[decay]], &[&g.x, &[g.decay]]);
    }
}

#[differentiate]
pub fn adaptive(y0: f64, rate: f64, end: f64) -> f64 {
    let (mut t, mut y, mut h) = (0.0, y0, 0.1);
    while t < end {
        if t + h > end {
            h = end - t;
        }
        let full = y - h * rate * y * y;
        let middle = y - 0.5 * h * rate * y * y;
        let fine = middle - 0.5 * h * rate * middle * middle;
        let error = (fine - full).abs();
        if error > 1e-3 {
            h *= 0.5;
            continue;
        }
        t += h;
        y = 2.0 * fine - full;
        if error < 1e-5 {
            h *= 2.0;
        }
    }
    y
}

#[test]
fn an_adaptive_step() {
    let (_, g) = adaptive::gradient(1.2, 0.8, 1.0);
    check(|v| adaptive(v[0][0], v[0][1], 1.0), &[&[1.2, 0.8]], &[&[g.y0, g.rate]]);
}

#[differentiate]
pub fn cleaned(x: &[f64], codes: &[usize]) -> f64 {
    let mut total = 1.0;
    for i in 0..x.len() {
        let root = if x[i] > 0.0 { x[i].sqrt() } else { continue };
        let value = match codes[i] {
            0 => continue,
            1 => root,
            9 => break,
            _ => root * x[i],
        };
        total = 0.5 * total + value;
    }
    total
}

#[test]
fn values_that_may_not_be_there() {
    let (x, codes) = (random(12, 9), [1, 2, 0, 1, 3, 1, 2, 9, 1]);
    let (_, g) = cleaned::gradient(&x, &codes);
    check(|v| cleaned(&v[0], &codes), &[&x], &[&g.x]);
}

#[differentiate]
pub fn helpers(x: &[f64], above: f64) -> f64 {
    fn first(x: &[f64], above: f64) -> f64 {
        for &v in x {
            if v > above {
                return v;
            }
        }
        above
    }
    fn cube_root(a: f64) -> f64 {
        let mut y = a;
        let mut rounds = 0;
        while (y * y * y - a).abs() > 1e-14 && rounds < 60 {
            y -= (y * y * y - a) / (3.0 * y * y);
            rounds += 1;
        }
        y
    }
    let mut total = 0.0;
    for part in x.chunks(3) {
        total += cube_root(first(part, above));
    }
    total * first(x, 2.0 * above)
}

#[test]
fn helpers_with_returns() {
    let x = positive(13, 8);
    let (_, g) = helpers::gradient(&x, 0.8);
    check(|v| helpers(&v[0], v[1][0]), &[&x, &[0.8]], &[&g.x, &[g.above]]);
}
