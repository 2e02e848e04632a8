//! Methods that hand the receiver on: `k.add(a).add(b)`.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
mod kernels {
    #[derive(Clone, Copy, Default)]
    struct Moments {
        sum: f64,
        squares: f64,
        count: usize,
    }

    impl Moments {
        fn add(&mut self, v: f64) -> &mut Self {
            self.sum += v;
            self.squares += v * v;
            self.count += 1;
            self
        }

        fn scale(&mut self, by: f64) -> &mut Moments {
            self.sum *= by;
            self.squares *= by * by;
            self
        }

        fn variance(&self) -> f64 {
            let n = self.count.max(1) as f64;
            self.squares / n - (self.sum / n).powi(2)
        }
    }

    struct Spin {
        m: [f64; 3],
    }

    impl Spin {
        fn rotate(&mut self, angle: f64) -> &mut Self {
            let (s, c) = angle.sin_cos();
            self.m = [c * self.m[0] - s * self.m[1], s * self.m[0] + c * self.m[1], self.m[2]];
            self
        }

        fn relax(&mut self, rate: f64) -> &mut Self {
            for v in &mut self.m[..2] {
                *v *= (-rate).exp();
            }
            self.m[2] = 1.0 + (self.m[2] - 1.0) * (-0.5 * rate).exp();
            self
        }
    }

    /// Of a local, of elements of an array, and under a name.
    pub fn moments(x: &[f64], w: f64) -> f64 {
        let mut all = Moments::default();
        let mut each = [Moments::default(); 2];
        for (i, v) in x.iter().enumerate() {
            all.add(*v).add(w * v * v).scale(0.9);
            let last = each[i % 2].add(v.sin()).add(w);
            last.sum += 0.1 * v;
        }
        all.scale(w).variance() + each.iter().map(|m| m.variance() * m.sum).sum::<f64>()
    }

    pub fn precession(x: &[f64], rate: f64) -> f64 {
        let mut spin = Spin { m: [1.0, 0.0, 0.0] };
        for v in x {
            spin.rotate(*v).relax(rate).rotate(0.5 * v * rate);
        }
        spin.m[0] + 2.0 * spin.m[1] * spin.m[2]
    }
}

#[test]
fn moments() {
    for n in [0, 1, 2, 7, 40] {
        let (x, w) = (random(1, n), 0.7);
        let (value, g) = kernels::moments::gradient(&x, w);
        assert!((value - kernels::moments(&x, w)).abs() < 1e-12 * (1.0 + value.abs()));
        check(|v| kernels::moments(&v[0], v[1][0]), &[&x, &[w]], &[&g.x, &[g.w]]);
    }
}

#[test]
fn precession() {
    for n in [0, 1, 2, 7, 40] {
        let (x, rate) = (random(2, n), 0.1);
        let (_, g) = kernels::precession::gradient(&x, rate);
        check(|v| kernels::precession(&v[0], v[1][0]), &[&x, &[rate]], &[&g.x, &[g.rate]]);
    }
}
