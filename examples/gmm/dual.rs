//! The independent check: the objective once more, from its mathematical definition and in dual numbers, so that one
//! evaluation gives the value and one directional derivative. Shares no code with the differentiated kernel.

use pardiff_inputs::mixture::Problem;
use std::ops::{Add, Mul, Sub};

/// A number and its derivative along the direction.
#[derive(Clone, Copy)]
pub struct Dual {
    /// The value.
    pub value: f64,
    /// Its derivative along the direction.
    pub slope: f64,
}

impl Dual {
    fn constant(value: f64) -> Dual {
        Dual { value, slope: 0.0 }
    }

    fn exp(self) -> Dual {
        let value = self.value.exp();
        Dual { value, slope: value * self.slope }
    }

    fn ln(self) -> Dual {
        Dual { value: self.value.ln(), slope: self.slope / self.value }
    }

    fn square(self) -> Dual {
        self * self
    }
}

impl Add for Dual {
    type Output = Dual;
    fn add(self, other: Dual) -> Dual {
        Dual { value: self.value + other.value, slope: self.slope + other.slope }
    }
}

impl Sub for Dual {
    type Output = Dual;
    fn sub(self, other: Dual) -> Dual {
        Dual { value: self.value - other.value, slope: self.slope - other.slope }
    }
}

impl Mul for Dual {
    type Output = Dual;
    fn mul(self, other: Dual) -> Dual {
        Dual { value: self.value * other.value, slope: self.slope * other.value + self.value * other.slope }
    }
}

impl std::iter::Sum for Dual {
    fn sum<I: Iterator<Item = Dual>>(terms: I) -> Dual {
        terms.fold(Dual::constant(0.0), Add::add)
    }
}

/// `log sum exp`; the shift is a constant of the differentiation, which cancels.
fn log_sum_exp(terms: &[Dual]) -> Dual {
    let shift = Dual::constant(terms.iter().map(|term| term.value).fold(f64::NEG_INFINITY, f64::max));
    shift + terms.iter().map(|&term| (term - shift).exp()).sum::<Dual>().ln()
}

/// ADBench's objective at the file's parameters, with its derivative along `direction` (alphas, means, factors).
pub fn objective(problem: &Problem, direction: &[f64]) -> Dual {
    let (d, k) = (problem.d, problem.k);
    let parameters = problem.alphas.iter().chain(&problem.means).chain(&problem.icf);
    let duals = parameters.zip(direction).map(|(&value, &slope)| Dual { value, slope });
    let mut duals: Vec<Dual> = duals.collect();
    let icf = duals.split_off(k + k * d);
    let means = duals.split_off(k);
    let alphas = duals;

    // the factors as dense matrices
    let factors: Vec<Vec<Vec<Dual>>> = icf.chunks(problem.icf_size()).map(|row| dense(row, d)).collect();
    let log_dets: Vec<Dual> =
        icf.chunks(problem.icf_size()).map(|row| row[..d].iter().copied().sum()).collect();

    let half = Dual::constant(0.5);
    let mut terms = vec![Dual::constant(0.0); k];
    let mut likelihood = Dual::constant(0.0);
    for point in problem.x.chunks(d) {
        for (c, term) in terms.iter_mut().enumerate() {
            let mean = &means[c * d..][..d];
            let centred: Vec<Dual> =
                point.iter().zip(mean).map(|(&x, &mean)| Dual::constant(x) - mean).collect();
            let rows = factors[c].iter();
            let square: Dual =
                rows.map(|row| row.iter().zip(&centred).map(|(&l, &x)| l * x).sum::<Dual>().square()).sum();
            *term = alphas[c] + log_dets[c] - half * square;
        }
        likelihood = likelihood + log_sum_exp(&terms);
    }
    let weights = Dual::constant(problem.n as f64) * log_sum_exp(&alphas);

    let norms: Dual = factors.iter().flatten().flatten().map(|&l| l.square()).sum();
    let log_det: Dual = log_dets.into_iter().sum();
    let prior =
        Dual::constant(0.5 * problem.gamma * problem.gamma) * norms - Dual::constant(problem.m) * log_det;
    Dual::constant(problem.constant) + likelihood - weights + prior
}

/// The rows of the lower triangular factor, each as long as it is inside the triangle.
fn dense(packed: &[Dual], d: usize) -> Vec<Vec<Dual>> {
    let mut rows: Vec<Vec<Dual>> = (0..d).map(|row| vec![packed[row].exp(); row + 1]).collect();
    let mut below = packed[d..].iter();
    for column in 0..d {
        let rows = rows.iter_mut().skip(column + 1);
        for (row, &entry) in rows.zip(&mut below) {
            row[column] = entry;
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::Dual;

    #[test]
    fn every_operation_carries_its_derivative() {
        let f = |x: Dual| (x * x - Dual::constant(0.5) * x).exp() + x.square().ln();
        let x = 0.7;
        let dual = f(Dual { value: x, slope: 2.0 });
        let value = (x * x - 0.5 * x).exp() + (x * x).ln();
        let slope = 2.0 * ((2.0 * x - 0.5) * (x * x - 0.5 * x).exp() + 2.0 / x);
        assert!((dual.value - value).abs() < 1e-14 && (dual.slope - slope).abs() < 1e-14);
    }
}
