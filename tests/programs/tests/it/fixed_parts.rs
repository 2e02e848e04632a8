//! Slices in parts of a length that the type says.

use pardiff::differentiate;
use pardiff_programs::{check, random};

/// What slices have since 1.94; their own method goes first.
#[allow(dead_code, reason = "in front of newer toolchains")]
trait ArrayWindows {
    fn array_windows<const N: usize>(&self)
    -> impl DoubleEndedIterator<Item = &[f64; N]> + ExactSizeIterator;
}

impl ArrayWindows for [f64] {
    fn array_windows<const N: usize>(
        &self,
    ) -> impl DoubleEndedIterator<Item = &[f64; N]> + ExactSizeIterator {
        self.windows(N).map(|w| w.try_into().expect("as many as asked for"))
    }
}

#[allow(unstable_name_collisions, clippy::incompatible_msrv, reason = "both are meant")]
#[differentiate]
fn roughness(x: &[f64]) -> f64 {
    let mut s: f64 = x.array_windows().map(|[a, b, c]| (a - 2.0 * b + c).powi(2)).sum();
    for (k, &[a, b]) in x.array_windows::<2>().enumerate().skip(1) {
        s += a * b * b * k as f64;
    }
    s
}

#[test]
fn windows() {
    for n in [0, 1, 2, 3, 7, 31] {
        let x = random(7, n);
        let (value, g) = roughness::gradient(&x);
        assert!((value - roughness(&x)).abs() < 1e-12 * (1.0 + value.abs()));
        check(|v| roughness(&v[0]), &[&x], &[&g.x]);
    }
}

#[differentiate]
mod kernels {
    const D: usize = 2;

    fn dot(a: &[f64; D], b: &[f64; D]) -> f64 {
        a[0] * b[0] + a[1] * b[1]
    }

    fn turned([x, y]: [f64; D]) -> [f64; D] {
        [x.cos() * y, x + y * y]
    }

    /// Chunks and what is left under names, and parts of the chunks.
    pub fn repulsion(x: &[f64]) -> f64 {
        let (points, rest) = x.as_chunks::<3>();
        let mut s = rest.iter().map(|r| r * r).sum::<f64>();
        for (i, p) in points.iter().enumerate() {
            for q in &points[..i] {
                s += 1.0 / (0.1 + p.iter().zip(q).map(|(a, b)| (a - b) * (a - b)).sum::<f64>());
            }
        }
        let (pairs, _) = x[rest.len()..].as_chunks::<D>();
        s + pairs.last().map_or(0.0, |c| dot(c, c))
    }

    /// Chunks that are gone through, read and written, of a length that is given or follows from their use.
    pub fn moved(x: &[f64], w: &mut [f64]) -> f64 {
        for (c, v) in x.as_chunks::<D>().0.iter().zip(w.as_chunks_mut::<D>().0) {
            let t = turned(*c);
            *v = [v[0] * t[0], v[1] + t[1]];
        }
        let mut total = 0.0;
        for c in w.as_chunks::<D>().0 {
            total += dot(c, &[1.5, 2.5]) * c[0];
        }
        for v in w.as_chunks_mut().0.iter_mut().rev().take(1) {
            let [a, b] = *v;
            *v = [b * a, a];
        }
        total
    }

    /// The numbers of rows beside others, at the same position.
    pub fn beside(u: &[[f64; 3]], t: &[f64]) -> f64 {
        let mut v = u.to_vec();
        for (k, (x, s)) in v.iter_mut().flatten().zip(t).enumerate() {
            *x = *x * x.sin() + s * k as f64;
        }
        let a: f64 = u.iter().flatten().zip(t).map(|(a, b)| (a - b) * (a - b)).sum();
        let b: f64 = t.iter().zip(v.iter().flatten().copied()).map(|(a, b)| a * b).sum();
        let c = u.iter().flatten().map(|v| v.cos()).skip(2).step_by(2).zip(t);
        let m = [[1.0, 2.0], [3.0, 4.0]];
        let d: f64 = m.iter().flatten().zip(t).map(|(a, b)| a * b * b).sum();
        a + b + c.map(|(a, b)| a * b).sum::<f64>() + d
    }
}

#[test]
fn rows_beside_numbers() {
    for n in [0, 1, 2, 7, 40] {
        let (u, t) = (random(1, 3 * n), random(2, 3 * n + 1));
        let (_, g) = kernels::beside::gradient(u.as_chunks().0, &t);
        check(|v| kernels::beside(v[0].as_chunks().0, &v[1]), &[&u, &t], &[g.u.as_flattened(), &g.t]);
    }
}

#[test]
fn chunks_under_a_name() {
    for n in [0, 1, 2, 3, 7, 8, 31] {
        let x: Vec<f64> = random(3, n);
        let (value, g) = kernels::repulsion::gradient(&x);
        assert!((value - kernels::repulsion(&x)).abs() < 1e-12 * (1.0 + value.abs()));
        check(|v| kernels::repulsion(&v[0]), &[&x], &[&g.x]);
    }
}

#[test]
fn chunks_that_are_gone_through() {
    for n in [0, 1, 2, 3, 7, 8, 31] {
        let (x, w): (Vec<f64>, Vec<f64>) = (random(4, n), random(5, n));
        let seed: Vec<f64> = random(6, n);
        let with_seeds = |x: &[f64], w: &[f64]| {
            let mut w = w.to_vec();
            kernels::moved(x, &mut w) + w.iter().zip(&seed).map(|(w, s)| w * s).sum::<f64>()
        };
        let (mut out, mut d_x, mut d_w) = (w.clone(), vec![0.0; n], seed.clone());
        kernels::moved::grad(&x, &mut d_x, &mut out, &mut d_w);
        check(|v| with_seeds(&v[0], &v[1]), &[&x, &w], &[&d_x, &d_w]);
    }
}
