//! Loops that make a vector each step and move it: states whose lengths are seen to be equal, are equal in some calls, or
//! differ from step to step.

use pardiff::differentiate;
use pardiff_programs::{check, positive, random};

/// A length that only the caller knows to be equal to another.
#[differentiate]
fn diffusion(u0: &[f64], k: &[f64], nx: usize, ny: usize, steps: usize) -> f64 {
    let n = nx * ny;
    let mut u = u0.to_vec();
    for _ in 0..steps {
        let mut next = vec![0.0; n];
        for y in 1..ny - 1 {
            for x in 1..nx - 1 {
                let i = y * nx + x;
                let around = u[i - 1] + u[i + 1] + u[i - nx] + u[i + nx];
                next[i] = u[i] + k[i] * (around - 4.0 * u[i]) * u[i];
            }
        }
        u = next;
    }
    u.iter().map(|u| u * u).sum()
}

#[test]
fn lengths_that_are_equal_in_some_calls() {
    // as many elements, more than a step uses, and more than it makes
    for (more, steps) in [(0, 3), (0, 0), (5, 0), (5, 1), (5, 3)] {
        let (nx, ny) = (6, 5);
        let (u, k) = (random(1, nx * ny + more), positive(2, nx * ny));
        let (value, g) = diffusion::gradient(&u, &k, nx, ny, steps);
        assert!((value - diffusion(&u, &k, nx, ny, steps)).abs() < 1e-12 * value.abs().max(1.0));
        assert!((value - diffusion::value(&u, &k, nx, ny, steps)).abs() < 1e-12 * value.abs().max(1.0));
        check(|v| diffusion(&v[0], &v[1], nx, ny, steps), &[&u, &k], &[&g.u0, &g.k]);
        let (mut d_u, mut d_k) = (vec![7.0; u.len()], vec![-3.0; k.len()]);
        diffusion::grad_into(&u, &mut d_u, &k, &mut d_k, nx, ny, steps);
        assert_eq!((&d_u, &d_k), (&g.u0, &g.k));
    }
    assert!(diffusion::DECISIONS.contains("in calls with u0.len() == nx * ny"), "{}", diffusion::DECISIONS);
}

#[test]
#[should_panic(expected = "u[i + nx]")]
fn a_vector_that_is_too_short_is_still_found() {
    let (u, k) = (random(1, 28), positive(2, 30));
    diffusion::gradient(&u, &k, 6, 5, 2);
}

#[test]
fn a_length_that_overflows_is_no_length() {
    let half = 1_usize << (usize::BITS / 2);
    let (value, g) = diffusion::gradient(&[2.0, 3.0], &[], half, 0, 0);
    assert_eq!((value, g.u0), (13.0, vec![4.0, 6.0]));
    let (value, g) = diffusion::gradient(&[], &[], 1, 0, 0);
    assert_eq!((value, g.u0), (0.0, vec![]));
}

/// A ring of three, one of another vector's length, and rows.
#[differentiate(wrt(speed, start))]
fn leapfrog(speed: &[f64], start: &[[f64; 3]], n: usize, steps: usize) -> f64 {
    let mut before = start.to_vec();
    let mut now = vec![[0.1; 3]; n];
    let mut sum = 0.0;
    for t in 0..steps {
        let mut after = vec![[0.0; 3]; n];
        for i in 1..n - 1 {
            for d in 0..3 {
                let curve = now[i - 1][d] - 2.0 * now[i][d] + now[i + 1][(d + 1) % 3];
                after[i][d] = 2.0 * now[i][d] - before[i][d] + speed[i] * speed[i] * curve;
            }
        }
        after[n / 2][t % 3] += 0.5;
        sum += after[n / 2][0] * after[1][1];
        before = now;
        now = after;
    }
    sum + now.iter().map(|row| row[0] * row[1] * row[2]).sum::<f64>() + before[0][1]
}

#[test]
fn rings_of_rows() {
    let n = 7;
    for (more, steps) in [(0, 4), (2, 4), (0, 1), (2, 0)] {
        let (speed, start) = (positive(3, n), random(4, 3 * (n + more)));
        let rows = |x: &[f64]| -> Vec<[f64; 3]> { x.chunks_exact(3).map(|r| [r[0], r[1], r[2]]).collect() };
        let (_, g) = leapfrog::gradient(&speed, &rows(&start), n, steps);
        let f = |v: &[Vec<f64>]| leapfrog(&v[0], &rows(&v[1]), n, steps);
        check(f, &[&speed, &start], &[&g.speed, g.start.as_flattened()]);
    }
}

/// Positions and velocities as rows that are cloned, changed and moved.
#[differentiate]
fn orbits(position: &[[f64; 2]], velocity: &[[f64; 2]], steps: usize, dt: f64) -> f64 {
    let mut x = position.to_vec();
    let mut v = velocity.to_vec();
    for _ in 0..steps {
        let mut force = vec![[0.0; 2]; x.len()];
        for i in 0..x.len() {
            for j in 0..x.len() {
                if i != j {
                    let d = [x[j][0] - x[i][0], x[j][1] - x[i][1]];
                    let r = (d[0] * d[0] + d[1] * d[1] + 0.1).sqrt();
                    force[i][0] += d[0] / (r * r * r);
                    force[i][1] += d[1] / (r * r * r);
                }
            }
        }
        let mut moved = x.clone();
        let mut pushed = v.clone();
        for i in 0..x.len() {
            for d in 0..2 {
                pushed[i][d] += dt * force[i][d];
                moved[i][d] += dt * pushed[i][d];
            }
        }
        x = moved;
        v = pushed;
    }
    x.iter().zip(&v).map(|(x, v)| x[0] * v[1] - x[1] * v[0] + v[0] * v[0]).sum()
}

#[test]
fn vectors_that_are_cloned_and_moved() {
    for (n, steps) in [(4, 3), (1, 2), (0, 2), (3, 0)] {
        let (x, v) = (random(5, 2 * n), random(6, 2 * n));
        let rows = |x: &[f64]| -> Vec<[f64; 2]> { x.chunks_exact(2).map(|r| [r[0], r[1]]).collect() };
        let (_, g) = orbits::gradient(&rows(&x), &rows(&v), steps, 0.1);
        let f = |a: &[Vec<f64>]| orbits(&rows(&a[0]), &rows(&a[1]), steps, a[2][0]);
        check(f, &[&x, &v, &[0.1]], &[g.position.as_flattened(), g.velocity.as_flattened(), &[g.dt]]);
    }
}

/// A state that is only read in some steps, moved under a condition, in a loop that ends early.
#[differentiate]
fn sometimes(x: &[f64], w: &[f64], n: usize, limit: f64) -> f64 {
    let mut state = x.to_vec();
    let mut total = 0.0;
    let mut step = 0;
    while step < 6 && total < limit {
        if step % 2 == 0 {
            let mut next = vec![1.0; n];
            for i in 0..n {
                next[i] += w[i] * state[i] * state[(i + 1) % n];
            }
            state = next;
        }
        for i in 0..n {
            total += state[i] * state[i];
        }
        step += 1;
    }
    total
}

#[test]
fn vectors_that_are_moved_under_conditions() {
    for (more, limit) in [(0, 1e9), (0, 40.0), (3, 1e9), (3, 20.0), (0, -1.0)] {
        let n = 5;
        let (x, w) = (positive(7, n + more), positive(8, n));
        let (_, g) = sometimes::gradient(&x, &w, n, limit);
        check(|v| sometimes(&v[0], &v[1], n, limit), &[&x, &w], &[&g.x, &g.w]);
    }
}

/// What a step makes is exchanged by `swap`, in a loop in a loop, and filled with something else than zero.
#[differentiate]
fn nested(x: &[f64], a: f64, rounds: usize, steps: usize) -> f64 {
    let mut sum = 0.0;
    for r in 0..rounds {
        let mut u = x.to_vec();
        for _ in 0..steps {
            let mut next = vec![a; x.len()];
            for i in 1..x.len() {
                next[i] = u[i] * a + u[i - 1] * u[i - 1];
            }
            std::mem::swap(&mut u, &mut next);
            sum += next[0] * u[x.len() - 1] * (r + 1) as f64;
        }
        sum += u.iter().sum::<f64>();
    }
    sum
}

#[test]
fn what_is_exchanged_in_loops_in_loops() {
    for (n, rounds, steps) in [(5, 2, 3), (1, 1, 2), (4, 0, 3), (4, 2, 0)] {
        let x = random(9, n);
        let (_, g) = nested::gradient(&x, 0.7, rounds, steps);
        check(|v| nested(&v[0], v[1][0], rounds, steps), &[&x, &[0.7]], &[&g.x, &[g.a]]);
    }
}

/// A number that is not constant fills the gaps, elements are read before they are written, and others twice.
#[differentiate]
fn gaps(x: &[f64], steps: usize) -> f64 {
    let n = x.len();
    let mut u = x.to_vec();
    let mut sum = 0.0;
    for t in 0..steps {
        let mut next = vec![0.0; n];
        sum += next[t % n] + u[t % n];
        for i in 2..n {
            next[i - 1] = u[i] * u[i - 2];
        }
        let mut third = vec![2.0; n];
        for i in 0..n / 2 {
            third[2 * i] = next[i] + third[i];
        }
        u = next;
        for i in 0..n {
            sum += third[i] * u[i];
        }
    }
    sum + u.iter().map(|u| u * u).sum::<f64>()
}

#[test]
fn what_is_not_assigned_is_what_filled_it() {
    for (n, steps) in [(7, 3), (2, 2), (1, 1), (3, 0)] {
        let x = random(10, n);
        let (_, g) = gaps::gradient(&x, steps);
        check(|v| gaps(&v[0], steps), &[&x], &[&g.x]);
    }
}

/// Layers, each a vector of its own length.
#[differentiate(wrt(weights, x))]
fn perceptron(weights: &[f64], sizes: &[usize], x: &[f64], label: usize) -> f64 {
    let mut at = x.to_vec();
    let mut offset = 0;
    for l in 1..sizes.len() {
        let (n, m) = (sizes[l - 1], sizes[l]);
        let (w, b) = (&weights[offset..offset + n * m], &weights[offset + n * m..offset + n * m + m]);
        let mut next = vec![0.0; m];
        for o in 0..m {
            let z = b[o] + w[o * n..(o + 1) * n].iter().zip(&at).map(|(w, x)| w * x).sum::<f64>();
            next[o] = if l + 1 < sizes.len() { z.tanh() } else { z };
        }
        at = next;
        offset += n * m + m;
    }
    at[label] + at.iter().map(|z| z * z).sum::<f64>()
}

#[test]
fn lengths_that_differ_per_step() {
    for sizes in [&[3, 5, 4, 2][..], &[3, 1, 6], &[3, 3, 3], &[3], &[3, 0, 2]] {
        let n: usize = sizes.windows(2).map(|s| s[0] * s[1] + s[1]).sum();
        let (w, x) = (random(11, n), random(12, 3));
        let (_, g) = perceptron::gradient(&w, sizes, &x, 1);
        check(|v| perceptron(&v[0], sizes, &v[1], 1), &[&w, &x], &[&g.weights, &g.x]);
    }
}

/// Vectors that take each other's places by `std::mem::replace`, as statements, initial values and assigned values.
#[differentiate]
fn replaced(x: &[f64], a: f64, n: usize, steps: usize) -> f64 {
    let mut before = x.to_vec();
    let mut now = x.to_vec();
    let mut sum = 0.0;
    for _ in 0..steps {
        let mut after = vec![0.0; n];
        for i in 1..n {
            after[i] = a * now[i] * now[i - 1] - before[i];
        }
        before = std::mem::replace(&mut now, after);
        let mut other = vec![a; n];
        other[0] += now[n - 1];
        let old = std::mem::replace(&mut before, other);
        sum += old[n - 1] * now[n / 2] + before[0];
        before = old;
        let mut pair = [now[0] + a, a];
        let [p, q] = std::mem::replace(&mut pair, [2.0 * a, now[n - 1]]);
        sum += p * q + pair[0] * pair[1];
    }
    sum + now.iter().sum::<f64>() + before[0]
}

#[test]
fn vectors_that_are_replaced() {
    for (n, more, steps) in [(5, 0, 3), (5, 2, 3), (1, 0, 2), (3, 1, 0)] {
        let x = random(13, n + more);
        let (_, g) = replaced::gradient(&x, 0.6, n, steps);
        check(|v| replaced(&v[0], v[1][0], n, steps), &[&x, &[0.6]], &[&g.x, &[g.a]]);
    }
}
