//! Loops that jump: labels, values of `break`, returns in the middle, arrays that grow.

use pardiff::differentiate;
use pardiff_programs::{check, dot, positive, random};

/// Exponent by squaring, while with integers.
#[differentiate]
pub fn power(x: f64, n: u32) -> f64 {
    let mut result = 1.0;
    let mut base = x;
    let mut e = n;
    while e > 0 {
        if e & 1 == 1 {
            result *= base;
        }
        base *= base;
        e >>= 1;
    }
    result
}

#[test]
fn gradient_of_power() {
    let (_, g) = power::gradient(1.1, 13);
    check(|v| power(v[0][0], 13), &[&[1.1]], &[&[g.x]]);
}

/// Linked list traversal.
#[differentiate]
pub fn list(next: &[i32], w: &[f64], start: usize) -> f64 {
    let mut node = start as i32;
    let mut decay = 1.0;
    let mut total = 0.0;
    while node >= 0 {
        let i = node as usize;
        total += decay * w[i];
        decay *= w[i].tanh();
        node = next[i];
    }
    total
}

#[test]
fn gradient_of_list() {
    let w = positive(1, 5);
    let (_, g) = list::gradient(&[3, -1, 1, 4, 2], &w, 0);
    check(|v| list(&[3, -1, 1, 4, 2], &v[0], 0), &[&w], &[&g.w]);
}

/// Early return inside for_each closures and helpers with return in the middle of a loop.
#[differentiate]
pub fn guarded(x: &[f64], lim: f64) -> f64 {
    fn first_above(x: &[f64], lim: f64) -> f64 {
        for (i, &v) in x.iter().enumerate() {
            if v > lim {
                return v * (i + 1) as f64;
            }
            if v < -lim {
                return -v;
            }
        }
        lim
    }
    let mut sum = 0.0;
    x.iter().for_each(|&v| {
        if v < 0.0 {
            return;
        }
        sum += v.sqrt();
    });
    sum + x.chunks(3).map(|c| first_above(c, lim)).sum::<f64>()
}

#[test]
fn gradient_of_guarded() {
    let x = random(5, 11);
    let (v, g) = guarded::gradient(&x, 0.4);
    assert!((v - guarded(&x, 0.4)).abs() < 1e-14);
    check(|v| guarded(&v[0], v[1][0]), &[&x, &[0.4]], &[&g.x, &[g.lim]]);
}

/// Loop/match state machine.
#[differentiate]
pub fn machine(x: &[f64], start: u32) -> f64 {
    let mut state = start;
    let mut acc = 1.0;
    let mut i = 0;
    let result = 'run: loop {
        if i >= x.len() {
            break acc;
        }
        match state {
            0 => {
                acc += x[i];
                state = 2;
            }
            1 => {
                state = 0;
                i += 1;
                continue;
            }
            2 => {
                acc *= x[i];
                state = if x[i] > 0.0 { 1 } else { 3 };
            }
            3 => {
                let mut k = 0;
                while k < 5 {
                    k += 1;
                    if k == 3 {
                        continue;
                    }
                    acc -= x[i] / k as f64;
                    if acc < -3.0 {
                        break 'run acc * 2.0;
                    }
                }
                state = 0;
            }
            _ => return 0.0,
        }
        i += 1;
    };
    result * result
}

#[test]
fn gradient_of_machine() {
    for n in [0, 3, 8, 12] {
        let x = random(3, n);
        let (v, g) = machine::gradient(&x, 0);
        assert_eq!(v, machine(&x, 0));
        check(|v| machine(&v[0], 0), &[&x], &[&g.x]);
    }
}

/// Growing vectors in while, nested allocations per iteration.
#[differentiate]
pub fn events(rate: &[f64], horizon: f64) -> f64 {
    let mut times = Vec::new();
    let mut t = 0.0;
    let mut k = 0;
    while t < horizon {
        t += 0.3 + rate[k % rate.len()].abs();
        if t < horizon {
            times.push(t);
        }
        k += 1;
    }
    let gaps: Vec<f64> = times.windows(2).map(|w| w[1] - w[0]).collect();
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    gaps.iter().map(|g| (g - mean).powi(2)).sum::<f64>() + times[times.len() - 1]
}

#[test]
fn gradient_of_events() {
    let r = random(1, 5);
    let (_, g) = events::gradient(&r, 5.0);
    check(|v| events(&v[0], 5.0), &[&r], &[&g.rate]);
}

/// Nested vectors flattened by closure with index.
#[differentiate]
pub fn levenberg(x: &[f64], y: &[f64], p0: [f64; 2]) -> [f64; 2] {
    let mut p = p0;
    let mut lambda = 1e-2;
    let cost =
        |p: &[f64; 2]| x.iter().zip(y).map(|(x, y)| (p[0] * (p[1] * x).exp() - y).powi(2)).sum::<f64>();
    let mut current = cost(&p);
    for _ in 0..8 {
        let (mut jtj, mut jtr) = ([[0.0; 2]; 2], [0.0; 2]);
        for (&xi, &yi) in x.iter().zip(y) {
            let e = (p[1] * xi).exp();
            let j = [e, p[0] * xi * e];
            let r = p[0] * e - yi;
            for a in 0..2 {
                jtr[a] += j[a] * r;
                for b in 0..2 {
                    jtj[a][b] += j[a] * j[b];
                }
            }
        }
        let improved = 'search: {
            for _ in 0..5 {
                let (a, b, d) = (jtj[0][0] * (1.0 + lambda), jtj[0][1], jtj[1][1] * (1.0 + lambda));
                let det = a * d - b * b;
                let step = [(d * jtr[0] - b * jtr[1]) / det, (a * jtr[1] - b * jtr[0]) / det];
                let trial = [p[0] - step[0], p[1] - step[1]];
                let c = cost(&trial);
                if c < current {
                    p = trial;
                    current = c;
                    lambda *= 0.3;
                    break 'search true;
                }
                lambda *= 4.0;
            }
            false
        };
        if !improved {
            break;
        }
    }
    p
}

#[test]
fn gradient_of_lm() {
    let x = [0.1, 0.4, 0.6, 0.9, 1.3];
    let y = [1.1, 1.3, 1.6, 2.0, 2.9];
    let s = [0.4, -1.3];
    let (mut dx, mut dy, mut dp) = (vec![0.0; 5], vec![0.0; 5], [0.0; 2]);
    levenberg::vjp(&x, &mut dx, &y, &mut dy, [0.8, 0.5], &mut dp, s);
    check(
        |v| dot(&levenberg(&v[0], &v[1], [v[2][0], v[2][1]]), &s),
        &[&x, &y, &[0.8, 0.5]],
        &[&dx, &dy, &dp],
    );
}

/// Bisection with return; monotone.
#[differentiate]
pub fn secant(c: &[f64], mut a: f64, mut b: f64) -> f64 {
    fn poly(c: &[f64], x: f64) -> f64 {
        c.iter().rev().fold(0.0, |s, &k| s * x + k)
    }
    let (mut fa, mut fb) = (poly(c, a), poly(c, b));
    let mut n = 0;
    while (b - a).abs() > 1e-12 && n < 60 {
        if fb == fa {
            return b;
        }
        let next = b - fb * (b - a) / (fb - fa);
        (a, fa) = (b, fb);
        b = next;
        fb = poly(c, b);
        n += 1;
    }
    b
}

#[test]
fn gradient_of_secant() {
    let c = [-2.0, 0.3, 1.0, 0.2];
    let (_, g) = secant::gradient(&c, 0.8, 1.4);
    check(|v| secant(&v[0], 0.8, 1.4), &[&c], &[&g.c]);
}

/// Operations by characters.
#[differentiate]
pub fn operations(x: f64, all: &[char], last: char) -> f64 {
    let mut v = x;
    for c in all {
        v = match c {
            '+' => v + x,
            '*' => v * x,
            _ => v.sin(),
        };
    }
    if last == 's' { v.sin() } else { v }
}

#[test]
fn characters_choose() {
    let all = ['+', '*', 's', '+'];
    let gradient = operations::gradient(0.6, &all, 's').1;
    check(|at| operations(at[0][0], &all, 's'), &[&[0.6]], &[&[gradient.x]]);
}
