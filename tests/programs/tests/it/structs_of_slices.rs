//! Structs of a module that hold slices and vectors: views of the parameters, meshes, states.

use pardiff::differentiate;
use pardiff_programs::{check, positive, random};

#[differentiate]
mod kernels {
    /// A matrix of sparse rows; what is multiplied with is its own.
    struct Sparse<'a> {
        row_ptr: &'a [usize],
        col: &'a [usize],
        val: Vec<f64>,
    }

    impl<'a> Sparse<'a> {
        fn columns(&self, row: usize) -> &'a [usize] {
            &self.col[self.row_ptr[row]..self.row_ptr[row + 1]]
        }

        fn scale(&mut self, row: usize, by: f64) {
            for e in self.row_ptr[row]..self.row_ptr[row + 1] {
                self.val[e] *= by;
            }
        }

        fn row(&self, row: usize, x: &[f64]) -> f64 {
            let range = self.row_ptr[row]..self.row_ptr[row + 1];
            self.columns(row).iter().zip(&self.val[range]).map(|(&j, v)| v * x[j]).sum()
        }
    }

    #[differentiate(wrt(val, x))]
    pub fn energy(row_ptr: &[usize], col: &[usize], val: &[f64], x: &[f64]) -> f64 {
        let mut a = Sparse { row_ptr, col, val: val.to_vec() };
        a.scale(0, x[0]);
        let Sparse { row_ptr, .. } = &a;
        (0..row_ptr.len() - 1).map(|i| a.row(i, x) * x[i]).sum()
    }

    /// Layers that are parts of one array of parameters.
    #[derive(Clone, Copy)]
    struct Linear<'p> {
        w: &'p [f64],
        b: &'p [f64],
    }

    struct Net<'p> {
        hidden: Linear<'p>,
        out: Linear<'p>,
    }

    impl<'p> Linear<'p> {
        fn take(flat: &'p [f64], inputs: usize, outputs: usize) -> (Self, &'p [f64]) {
            let (w, rest) = flat.split_at(inputs * outputs);
            let (b, rest) = rest.split_at(outputs);
            (Self { w, b }, rest)
        }

        fn forward(&self, x: &[f64]) -> Vec<f64> {
            let dot = |row: &[f64]| row.iter().zip(x).map(|(w, x)| w * x).sum::<f64>();
            self.w.chunks_exact(x.len()).zip(self.b).map(|(row, b)| (b + dot(row)).tanh()).collect()
        }
    }

    impl<'p> Net<'p> {
        fn read(flat: &'p [f64], inputs: usize, width: usize) -> Self {
            let (hidden, rest) = Linear::take(flat, inputs, width);
            let (out, _) = Linear::take(rest, width, 1);
            Net { hidden, out }
        }
    }

    pub fn network(params: &[f64], x: &[f64], inputs: usize, width: usize) -> f64 {
        let net = Net::read(params, inputs, width);
        let mut total = 0.0;
        for x in x.chunks_exact(inputs) {
            let h = net.hidden.forward(x);
            let Net { out, .. } = &net;
            total += out.forward(&h)[0];
        }
        total
    }

    /// A state of vectors, two of which are exchanged in each step.
    struct Wave<'a> {
        now: Vec<f64>,
        before: Vec<f64>,
        speed: &'a [f64],
        energy: f64,
    }

    impl<'a> Wave<'a> {
        fn start(u: &[f64], speed: &'a [f64]) -> Self {
            Self { now: u.to_vec(), before: u.to_vec(), speed, energy: 0.0 }
        }

        fn step(&mut self) {
            let n = self.now.len();
            for i in 0..n {
                let (left, right) = (self.now[(i + n - 1) % n], self.now[(i + 1) % n]);
                let bend = left - 2.0 * self.now[i] + right;
                self.before[i] = 2.0 * self.now[i] - self.before[i] + 0.1 * self.speed[i] * bend;
            }
            std::mem::swap(&mut self.now, &mut self.before);
            self.energy += self.now.iter().map(|u| u * u).sum::<f64>();
        }
    }

    pub fn wave(u: &[f64], speed: &[f64], steps: usize) -> f64 {
        let mut wave = Wave::start(u, speed);
        for _ in 0..steps {
            wave.step();
        }
        wave.energy
    }

    /// Vectors of different lengths change places.
    struct Pair {
        long: Vec<f64>,
        factor: f64,
    }

    pub fn exchanged(x: &[f64], y: &[f64]) -> f64 {
        let mut a = Pair { long: x.to_vec(), factor: 2.0 };
        let mut b = Pair { long: y.to_vec(), factor: x[0] };
        std::mem::swap(&mut a, &mut b);
        let first = a.factor * a.long.iter().sum::<f64>() + b.long[0] * b.factor;
        a = Pair { long: vec![x[1]; 5], factor: y[0] };
        first + a.factor * a.long.iter().sum::<f64>() + b.long.len() as f64 * x[0]
    }
}

#[test]
fn a_struct_with_a_matrix() {
    let (row_ptr, col) = ([0, 2, 2, 5], [0, 2, 0, 1, 2]);
    let (val, x) = (random(1, 5), random(2, 3));
    let (y, g) = kernels::energy::gradient(&row_ptr, &col, &val, &x);
    assert!((y - kernels::energy(&row_ptr, &col, &val, &x)).abs() < 1e-14);
    check(|v| kernels::energy(&row_ptr, &col, &v[0], &v[1]), &[&val, &x], &[&g.val, &g.x]);
}

#[test]
fn layers_of_one_array() {
    let (params, x) = (random(3, 4 * 3 + 4 + 4 + 1), random(4, 6));
    let (y, g) = kernels::network::gradient(&params, &x, 3, 4);
    assert!((y - kernels::network(&params, &x, 3, 4)).abs() < 1e-14);
    check(|v| kernels::network(&v[0], &v[1], 3, 4), &[&params, &x], &[&g.params, &g.x]);
}

#[test]
fn a_state_of_vectors() {
    let (u, speed) = (random(5, 6), positive(6, 6));
    let (y, g) = kernels::wave::gradient(&u, &speed, 7);
    assert!((y - kernels::wave(&u, &speed, 7)).abs() < 1e-12);
    check(|v| kernels::wave(&v[0], &v[1], 7), &[&u, &speed], &[&g.u, &g.speed]);
}

#[test]
fn vectors_in_structs_change_places() {
    let (x, y) = (random(7, 2), random(8, 3));
    let (value, g) = kernels::exchanged::gradient(&x, &y);
    assert!((value - kernels::exchanged(&x, &y)).abs() < 1e-14);
    check(|v| kernels::exchanged(&v[0], &v[1]), &[&x, &y], &[&g.x, &g.y]);
}

/// The same with tuples: vectors of other lengths in the places of the first ones.
#[differentiate]
pub fn tuples(x: &[f64], n: usize) -> f64 {
    let mut t = (vec![x[0]; 2], x[1]);
    let first = t.0.len() as f64 * t.1;
    t = (vec![x[1] * x[0]; n], x[0]);
    let (mut u, mut v) = (vec![x[0]; n], vec![x[1]; 2]);
    let second = u.len() as f64 * v[1];
    (u, v) = (vec![x[1]; 3], vec![x[0] * x[0]; n]);
    let mut p = (u.clone(), 1.0);
    let mut q = (v.clone(), x[0]);
    std::mem::swap(&mut p, &mut q);
    let sums = p.0.iter().sum::<f64>() * p.1 + q.0.iter().sum::<f64>();
    first + second + t.0.iter().sum::<f64>() * t.1 + sums + u.len() as f64 * v[0]
}

#[test]
fn vectors_in_tuples_change_their_lengths() {
    let x = random(9, 2);
    for n in [1, 5] {
        let (y, g) = tuples::gradient(&x, n);
        assert!((y - tuples(&x, n)).abs() < 1e-14);
        check(|v| tuples(&v[0], n), &[&x], &[&g.x]);
    }
}

/// A struct of slices in an option, and one that a condition chooses.
#[differentiate]
mod layers {
    struct Layer<'a> {
        weights: &'a [f64],
        bias: &'a [f64],
    }

    impl<'a> Layer<'a> {
        fn read(from: &'a [f64], n: usize) -> Option<(Layer<'a>, &'a [f64])> {
            if from.len() < 2 * n {
                return None;
            }
            let (weights, rest) = from.split_at(n);
            let (bias, rest) = rest.split_at(n);
            Some((Layer { weights, bias }, rest))
        }

        fn apply(&self, x: f64) -> f64 {
            self.weights.iter().zip(self.bias).map(|(w, b)| (w * x + b).tanh()).sum()
        }
    }

    pub fn layered(x: &[f64], n: usize) -> f64 {
        let Some((first, rest)) = Layer::read(x, n) else { return 1.0 };
        let Some((second, _)) = Layer::read(rest, n) else { return first.apply(0.5) };
        let last = if x[0] > 0.0 { first } else { Layer { weights: rest, bias: x } };
        last.apply(second.apply(x[1]))
    }
}

#[test]
fn structs_of_slices_in_options_and_branches() {
    for (seed, len) in [(10, 3), (11, 4), (12, 8), (13, 9), (14, 9), (15, 8)] {
        let x = random(seed, len);
        let (y, g) = layers::layered::gradient(&x, 2);
        assert!((y - layers::layered(&x, 2)).abs() < 1e-14);
        check(|v| layers::layered(&v[0], 2), &[&x], &[&g.x]);
    }
}
