//! Sums over rows of data.

use super::shapes::{Number, Shape, Slice};
use super::{Constants, Workload, numbers};
use crate::by_hand;
use crate::data::Lcg;
use crate::logistic_regression::logistic_regression;
use crate::option_book::option_book;
use crate::polynomial_features::polynomial_features;
use crate::soft_k_means::soft_k_means;
use crate::softmax_regression::softmax_regression;

/// Classification by log-sum-exp.
pub(super) struct Softmax {
    n: usize,
    d: usize,
    k: usize,
    x: Vec<f64>,
    label: Vec<u32>,
    parameters: Vec<f64>,
}

impl Softmax {
    pub(super) fn load(case: &str) -> Option<Softmax> {
        let [n, d, k] = numbers(case)?;
        let mut random = Lcg(11);
        let parameters = random.floats(k * d, -1.0, 1.0);
        let x = random.floats(n * d, -1.0, 1.0);
        let label = random.indices(n, k);
        Some(Softmax { n, d, k, x, label, parameters })
    }
}

impl Workload for Softmax {
    fn parameters(&self) -> Vec<f64> {
        self.parameters.clone()
    }

    super::entry_points! {
        self: softmax_regression(w: Slice = self.k * self.d; &self.x, &self.label, self.d, self.k, self.n)
    }

    fn constants(&self) -> Constants {
        Constants { sizes: vec![], indices: vec![self.label.clone()], floats: vec![self.x.clone()] }
    }

    fn operations(&self) -> f64 {
        (self.n * self.k * (4 * self.d + 25)) as f64
    }

    fn by_hand(&self, p: &[f64], g: &mut [f64]) -> Option<f64> {
        Some(by_hand::softmax_regression(p, g, &self.x, &self.label, self.d, self.k, self.n))
    }
}

/// Soft clustering.
pub(super) struct KMeans {
    n: usize,
    d: usize,
    k: usize,
    x: Vec<f64>,
    parameters: Vec<f64>,
}

const BETA: f64 = 1.5;

impl KMeans {
    pub(super) fn load(case: &str) -> Option<KMeans> {
        let [n, d, k] = numbers(case)?;
        let mut random = Lcg(12);
        let parameters = random.floats(k * d, -1.0, 1.0);
        let x = random.floats(n * d, -1.0, 1.0);
        Some(KMeans { n, d, k, x, parameters })
    }
}

impl Workload for KMeans {
    fn parameters(&self) -> Vec<f64> {
        self.parameters.clone()
    }

    super::entry_points! {
        self: soft_k_means(centres: Slice = self.k * self.d; &self.x, BETA, self.d, self.k, self.n)
    }

    fn constants(&self) -> Constants {
        Constants { floats: vec![self.x.clone()], ..Constants::default() }
    }

    fn operations(&self) -> f64 {
        (self.n * self.k * (6 * self.d + 30)) as f64
    }

    fn by_hand(&self, p: &[f64], g: &mut [f64]) -> Option<f64> {
        Some(by_hand::soft_k_means(p, g, &self.x, BETA, self.d, self.k))
    }
}

/// Options on one share.
pub(super) struct Book {
    strike: Vec<f64>,
    maturity: Vec<f64>,
    quantity: Vec<f64>,
    parameters: Vec<f64>,
}

impl Book {
    pub(super) fn load(case: &str) -> Option<Book> {
        let [n] = numbers(case)?;
        let mut random = Lcg(13);
        let mut parameters = vec![100.0, 0.02];
        parameters.extend(random.floats(n, 0.1, 0.6));
        Some(Book {
            strike: random.floats(n, 60.0, 160.0),
            maturity: random.floats(n, 0.1, 3.0),
            quantity: random.floats(n, -5.0, 5.0),
            parameters,
        })
    }
}

impl Workload for Book {
    fn parameters(&self) -> Vec<f64> {
        self.parameters.clone()
    }

    super::entry_points! {
        self: option_book(
            spot: Number = 1, rate: Number = 1, volatility: Slice = self.strike.len();
            &self.strike, &self.maturity, &self.quantity
        )
    }

    fn constants(&self) -> Constants {
        let floats = vec![self.strike.clone(), self.maturity.clone(), self.quantity.clone()];
        Constants { floats, ..Constants::default() }
    }

    fn operations(&self) -> f64 {
        (180 * self.strike.len()) as f64
    }

    fn by_hand(&self, p: &[f64], g: &mut [f64]) -> Option<f64> {
        Some(by_hand::option_book(p, g, &self.strike, &self.maturity, &self.quantity))
    }
}

/// Logistic regression.
pub(super) struct Logistic {
    d: usize,
    x: Vec<f64>,
    y: Vec<f64>,
    parameters: Vec<f64>,
}

const PENALTY: f64 = 0.1;

impl Logistic {
    pub(super) fn load(case: &str) -> Option<Logistic> {
        let [n, d] = numbers(case)?;
        let mut random = Lcg(14);
        let parameters = random.floats(d, -1.0, 1.0);
        let x = random.floats(n * d, -1.0, 1.0);
        let y = random.indices(n, 2).iter().map(|&b| 2.0 * f64::from(b) - 1.0).collect();
        Some(Logistic { d, x, y, parameters })
    }
}

impl Workload for Logistic {
    fn parameters(&self) -> Vec<f64> {
        self.parameters.clone()
    }

    super::entry_points! { self: logistic_regression(w: Slice = self.d; &self.x, &self.y, PENALTY) }

    fn constants(&self) -> Constants {
        Constants { floats: vec![self.x.clone(), self.y.clone()], ..Constants::default() }
    }

    fn operations(&self) -> f64 {
        (4 * self.x.len() + 50 * self.y.len()) as f64
    }

    fn by_hand(&self, p: &[f64], g: &mut [f64]) -> Option<f64> {
        Some(by_hand::logistic_regression(p, g, &self.x, &self.y, PENALTY))
    }
}

/// Polynomials of the features.
pub(super) struct Polynomial {
    d: usize,
    degree: usize,
    x: Vec<f64>,
    y: Vec<f64>,
    parameters: Vec<f64>,
}

impl Polynomial {
    pub(super) fn load(case: &str) -> Option<Polynomial> {
        let [n, d, degree] = numbers(case)?;
        let mut random = Lcg(15);
        let parameters = random.floats(d * (degree + 1), -1.0, 1.0);
        let x = random.floats(n * d, -1.0, 1.0);
        let y = random.floats(n, -1.0, 1.0);
        Some(Polynomial { d, degree, x, y, parameters })
    }
}

impl Workload for Polynomial {
    fn parameters(&self) -> Vec<f64> {
        self.parameters.clone()
    }

    super::entry_points! {
        self: polynomial_features(
            coefficients: Slice = self.d * (self.degree + 1); &self.x, &self.y, self.d, self.degree
        )
    }

    fn constants(&self) -> Constants {
        Constants { floats: vec![self.x.clone(), self.y.clone()], ..Constants::default() }
    }

    fn operations(&self) -> f64 {
        (6 * self.x.len() * (self.degree + 1)) as f64
    }

    fn by_hand(&self, p: &[f64], g: &mut [f64]) -> Option<f64> {
        Some(by_hand::polynomial_features(p, g, &self.x, &self.y, self.d, self.degree))
    }
}
