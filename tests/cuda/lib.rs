//! Functions whose gradients run on the device in the tests.

#![deny(warnings, missing_docs, unused)]
#![forbid(unsafe_code)]
#![allow(
    clippy::manual_clamp,
    clippy::needless_range_loop,
    reason = "a clamp panics where its limits are wrong, and loops are those of numerical programmers"
)]

use ndarray::{Array1, ArrayView2};
use pardiff::differentiate;

pub mod blast;
/// The workloads of the project with their data; their gradients are computed by the device of [`device::with`].
#[path = "../../workloads/cases/mod.rs"]
#[allow(clippy::too_many_arguments)]
pub mod cases;
pub mod device;
/// The state of LULESH.
#[path = "../../workloads/lulesh/domain.rs"]
pub mod domain;
/// Its hexahedra.
#[path = "../../workloads/lulesh/geometry.rs"]
pub mod geometry;
/// What happens to its elements.
#[path = "../../workloads/lulesh/physics.rs"]
pub mod physics;
pub use domain::Domain;

// what the workloads and their data call
use pardiff_workloads::{by_hand, data};
include!(concat!(env!("OUT_DIR"), "/workloads.rs"));

/// Each element by itself, and their sum.
#[differentiate(cuda, forward, batch(3))]
pub fn elementwise(x: &[f64], y: &mut [f64], scale: f64) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() {
        y[i] = (scale * x[i]).sin() + y[i] * y[i];
        total += y[i] * x[i];
    }
    total
}

/// The mean of what is kept, of which a counter tells how many it is.
#[differentiate(cuda)]
pub fn masked_mean(x: &[f64], keep: &[bool]) -> f64 {
    let mut total = 0.0;
    let mut count = 0;
    for i in 0..x.len() {
        if keep[i] {
            total += x[i].sin();
            count += 1;
        }
    }
    total / count as f64
}

/// A sum, a largest value, and what depends on both.
#[differentiate(cuda, forward)]
pub fn reductions(x: &[f32], w: &[f32]) -> f32 {
    let mut largest = x[0];
    for i in 1..x.len() {
        largest = largest.max(x[i]);
    }
    let mut sum = 0.0;
    for i in 0..x.len() {
        sum += w[i] * (x[i] - largest).exp();
    }
    sum.ln() + largest
}

/// Adds to elements that an index array names.
#[differentiate(cuda, forward, wrt(x))]
pub fn scatter(x: &[f32], to: &[usize], out: &mut [f32]) {
    for i in 0..x.len() {
        out[to[i]] += x[i] * x[i];
    }
}

/// Rows of a table that an index array names, and elements of `x` under a condition at a place that is computed.
#[differentiate(cuda, deny(atomics), wrt(x, table))]
pub fn embedded(x: &[f64], table: &[f64], at: &[u32], start: &[u32], m: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..start.len() - 1 {
        let mut sum = 0.0;
        for k in start[i] as usize..start[i + 1] as usize {
            let row = at[k] as usize;
            for f in 0..m {
                sum += x[i] * table[row * m + f];
            }
            if sum > 0.0 {
                sum += x[(at[k] as usize + i) % x.len()];
            }
        }
        total += sum.tanh();
    }
    total
}

/// Elements of few that an index array names, in two arrays of which one has rows.
#[differentiate(cuda, deny(atomics))]
pub fn by_class(x: &[f64], class: &[usize], centre: &[[f64; 2]; 5], scale: &mut [f64; 7]) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() {
        let far = [x[i] - centre[class[i]][0], x[i] - centre[class[i]][1]];
        total += (far[0] * far[1]).tanh();
        scale[(class[i] + i) % 7] += far[0] * far[0];
    }
    total
}

/// One value after the other: no thread has company.
#[differentiate(cuda)]
pub fn recurrence(x: &[f64], a: f64) -> f64 {
    let mut state = 1.0;
    let mut total = 0.0;
    for i in 0..x.len() {
        state = a * state + x[i].tanh();
        total += state * state;
    }
    total
}

/// Reads what it is told to read.
#[differentiate(cuda, wrt(x))]
pub fn gathered(x: &[f64], from: &[usize], step: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..from.len() {
        total += x[from[i] / step] * x[i];
    }
    total
}

/// Adds to one element of an array, which may not be there.
#[differentiate(cuda, wrt(x, y))]
pub fn one_element(x: &[f64], y: &mut [f64], k: usize, above: f64) {
    for i in 0..x.len() {
        if x[i] > above {
            y[k] += x[i] * x[i];
        }
    }
}

/// Weights of neighbours, for all functions.
pub const WEIGHTS: [[f64; 3]; 2] = [[0.25, 0.5, 0.25], [0.5, -0.5, 0.125]];

/// Functions of integers, constant tables and `clamp`.
#[differentiate(cuda, wrt(x))]
pub fn tabulated(x: &[f64], keys: &[i32], least: f64, greatest: f64) -> f64 {
    let mut total = 0.0;
    for i in 0..keys.len() {
        let row = keys[i].rem_euclid(2) as usize;
        let column = (keys[i].unsigned_abs().isqrt().count_ones() % WEIGHTS[0].len() as u32) as usize;
        let far = (keys[i].div_euclid(7) + 100).clamp(0, 1000) as usize;
        let near = far.next_multiple_of(4).saturating_mul(2) / far.max(1).div_ceil(3);
        let bits = far.trailing_zeros() + far.leading_zeros() + (far as u32 | 1).ilog2();
        let power = if far.is_power_of_two() { 2.0 } else { 1.0 };
        let turned = (keys[i] as u8).rotate_left(3).reverse_bits() as usize;
        let at = (near + bits as usize + turned) % x.len();
        total += power * WEIGHTS[row][column] * (x[at] * x[i]).clamp(least, greatest);
    }
    total
}

/// A kernel as one writes it for a GPU: the threads of a block fill a tile, and read what others wrote there.
#[differentiate(cuda)]
pub fn tiles(x: &[f64], w: &[f64; 64], y: &mut [f64]) -> f64 {
    let mut total = 0.0;
    for b in 0..x.len() / 64 {
        let mut tile = [0.0; 64];
        for t in 0..64 {
            tile[t] = x[64 * b + t] * w[t];
        }
        for step in 0..3 {
            let mut next = [0.0; 64];
            for t in 0..64 {
                next[t] = (tile[t] + tile[(t + 1 + step) % 64]).sin();
            }
            for t in 0..64 {
                tile[t] = next[63 - t];
            }
        }
        let mut sum = 0.0;
        for t in 0..64 {
            sum += tile[t];
        }
        if sum > 0.5 {
            for t in 0..64 {
                y[64 * b + t] += tile[t] * sum;
            }
        }
        total += sum * sum;
    }
    total
}

/// Neighbours in two dimensions.
#[differentiate(cuda, forward)]
pub fn smoothed(x: &[f64], y: &mut [f64], n: usize) {
    for i in 1..n - 1 {
        for j in 1..n - 1 {
            let around = x[(i - 1) * n + j] + x[(i + 1) * n + j] + x[i * n + j - 1] + x[i * n + j + 1];
            y[i * n + j] = (around - 4.0 * x[i * n + j]).tanh();
        }
    }
}

/// A grid whose rows are apart where no index wraps.
#[differentiate(cuda, wrt(x))]
pub fn sheared(x: &[f64], y: &mut [f64], n: usize, m: usize) {
    for i in 1..n - 1 {
        for j in 1..m - 1 {
            y[i * m + j] = (x[i * m + j + 1] * x[(i + 1) * m + j]).sin();
        }
    }
}

/// Rows of features, element by element: what comes of one is needed for the next.
#[differentiate(cuda, wrt(w))]
pub fn scanned(x: &[f64], w: &[f64], n: usize, d: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..n {
        let mut state = 0.5;
        for j in 0..d {
            state = (state + x[i * d + j]).sin() * w[j];
        }
        total += state * state;
    }
    total
}

/// Rows of a matrix, each divided by its norm, with scratch of a length that the caller decides.
#[differentiate(cuda, wrt(a, x))]
pub fn rows(a: &[f64], x: &[f64], index: &[usize], n: usize, m: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..n {
        let mut square = 0.0;
        for j in 0..m {
            square += a[i * m + j] * a[i * m + j];
        }
        let mut row = vec![0.0; m];
        for j in 0..m {
            row[j] = a[i * m + j] / square.sqrt() * x[index[j]];
        }
        for j in 0..m {
            total += row[j] * row[m - 1 - j];
        }
    }
    total
}

/// Rows of a sparse matrix, each with scratch of its own length.
#[differentiate(cuda, forward, wrt(values, x))]
pub fn ragged(values: &[f64], x: &[f64], start: &[u32], columns: &[u32]) -> f64 {
    let mut total = 0.0;
    for i in 0..start.len() - 1 {
        let (from, to) = (start[i] as usize, start[i + 1] as usize);
        let mut row = vec![0.0; to - from];
        for k in from..to {
            row[k - from] = (values[k] * x[columns[k] as usize]).tanh();
        }
        for k in 0..row.len() {
            total += row[k] * row[row.len() - 1 - k];
        }
    }
    total
}

/// As many elements as the first one says.
#[differentiate(cuda, wrt(x))]
pub fn counted(x: &[f64], counts: &[usize]) -> f64 {
    let mut squares = vec![0.0; counts[0] + counts[1]];
    for i in 0..squares.len() {
        squares[i] = x[i] * x[i];
    }
    let mut total = 0.0;
    for i in 0..squares.len() {
        total += squares[i] * squares[squares.len() - 1 - i];
    }
    total
}

/// Structs, which lie on the host.
#[differentiate(cuda, forward, batch(3))]
pub mod records {
    /// A body.
    #[derive(Clone, Debug)]
    pub struct Body {
        /// Its mass.
        pub mass: f64,
        /// Its place.
        pub at: [f64; 3],
        /// Which law is its own.
        pub kind: u32,
    }

    /// How bodies attract.
    #[derive(Clone, Debug)]
    pub struct Law {
        /// Of both kinds.
        pub strength: [f64; 2],
        /// Near by.
        pub softening: f64,
    }

    /// What bodies of both kinds have together, and moves them.
    pub fn energies(bodies: &mut [Body], law: &Law, step: f64) -> [f64; 2] {
        let mut energies = [0.0; 2];
        for i in 0..bodies.len() {
            let mut square = law.softening;
            for c in 0..3 {
                square += bodies[i].at[c] * bodies[i].at[c];
            }
            let energy = bodies[i].mass / square.sqrt();
            if bodies[i].kind == 0 {
                energies[0] += law.strength[0] * energy;
            } else {
                energies[1] += law.strength[1] * energy * energy;
            }
            for c in 0..3 {
                bodies[i].at[c] += step * energy;
            }
        }
        energies
    }
}

/// Arrays of `ndarray`, an array by value, and a tuple of results.
#[differentiate(cuda, forward, batch(3))]
pub fn layer(a: ArrayView2<'_, f64>, x: &Array1<f64>, y: &mut Array1<f64>, w: [f64; 2]) -> (f64, [f64; 2]) {
    let mut total = 0.0;
    let mut parts = [0.0; 2];
    for i in 0..a.nrows() {
        let mut sum = 0.0;
        for j in 0..a.ncols() {
            sum += a[[i, j]] * x[j];
        }
        y[i] += w[0] * sum.tanh();
        total += sum * sum;
    }
    parts[0] = w[1] * total;
    parts[1] = w[0] * w[1];
    (total, parts)
}
