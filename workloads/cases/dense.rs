//! Dense matrices and grids.

use super::shapes::{Shape, Slice};
use super::{Constants, Workload, numbers};
use crate::data::Lcg;
use crate::heat2d::heat2d;
use crate::matvec::matvec;
use crate::matvec_tanh::matvec_tanh;

/// Matrix times vector.
pub(super) struct Product {
    n: usize,
    parameters: Vec<f64>,
}

impl Product {
    pub(super) fn load(case: &str) -> Option<Product> {
        let [n] = numbers(case)?;
        let mut random = Lcg(3003);
        let mut parameters = random.floats(n * n, -1.0, 1.0);
        parameters.extend(random.floats(n, -1.0, 1.0));
        Some(Product { n, parameters })
    }
}

impl Workload for Product {
    fn parameters(&self) -> Vec<f64> {
        self.parameters.clone()
    }

    super::entry_points! { self: matvec(a: Slice = self.n * self.n, x: Slice = self.n; self.n) }

    fn constants(&self) -> Constants {
        Constants { sizes: vec![self.n], ..Constants::default() }
    }

    fn operations(&self) -> f64 {
        (6 * self.n * self.n) as f64
    }
}

/// A layer with the hyperbolic tangent.
pub(super) struct Layer {
    n: usize,
    parameters: Vec<f64>,
}

impl Layer {
    pub(super) fn load(case: &str) -> Option<Layer> {
        let [n] = numbers(case)?;
        let mut random = Lcg(3003);
        let mut parameters: Vec<f64> = random.floats(n * n, -1.0, 1.0).iter().map(|a| 0.05 * a).collect();
        parameters.extend(random.floats(n, -1.0, 1.0));
        Some(Layer { n, parameters })
    }
}

impl Workload for Layer {
    fn parameters(&self) -> Vec<f64> {
        self.parameters.clone()
    }

    super::entry_points! { self: matvec_tanh(a: Slice = self.n * self.n, x: Slice = self.n; self.n) }

    fn constants(&self) -> Constants {
        Constants { sizes: vec![self.n], ..Constants::default() }
    }

    fn operations(&self) -> f64 {
        (6 * self.n * self.n) as f64
    }
}

/// The heat equation.
pub(super) struct Heat {
    n: usize,
    steps: usize,
    parameters: Vec<f64>,
}

impl Heat {
    pub(super) fn load(case: &str) -> Option<Heat> {
        let [n, steps] = numbers(case)?;
        let mut random = Lcg(1001);
        let mut parameters = random.floats(n * n, 0.0, 1.0);
        parameters.extend(random.floats(n * n, 0.05, 0.2));
        Some(Heat { n, steps, parameters })
    }
}

impl Workload for Heat {
    fn parameters(&self) -> Vec<f64> {
        self.parameters.clone()
    }

    super::entry_points! {
        self: heat2d(u0: Slice = self.n * self.n, k: Slice = self.n * self.n; self.n, self.steps)
    }

    fn constants(&self) -> Constants {
        Constants { sizes: vec![self.n, self.steps], ..Constants::default() }
    }

    fn operations(&self) -> f64 {
        (24 * self.n * self.n * self.steps) as f64
    }
}
