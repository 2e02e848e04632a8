//! Functions that return a `&mut` of what they were given, and helpers that others meant for themselves.

use pardiff::differentiate;

#[differentiate(check)]
mod descent {
    pub fn sigmoid(x: &mut Vec<f64>, by: f64) -> &mut Vec<f64> {
        if by == 0.0 {
            return x;
        }
        for value in &mut *x {
            *value = by / (1.0 + (-*value).exp());
        }
        x
    }

    /// Visible, and for others: it takes a function.
    pub fn descend(
        slope: impl Fn(&[f64]) -> Vec<f64>,
        x: &mut Vec<f64>,
        rate: f64,
        steps: i32,
    ) -> &mut Vec<f64> {
        for _ in 0..steps {
            let slope = slope(x);
            for (x, slope) in x.iter_mut().zip(slope.iter()) {
                *x -= rate * slope;
            }
        }
        x
    }

    /// Visible, and for others: it returns a part of what it is given.
    pub fn inner(x: &[f64]) -> &[f64] {
        &x[1..x.len() - 1]
    }

    pub fn fitted(at: Vec<f64>, rate: f64) -> Option<Vec<f64>> {
        if at.len() < 3 {
            return None;
        }
        let mut x = vec![0.5; at.len() - 2];
        let slope =
            |x: &[f64]| x.iter().zip(inner(&at)).map(|(x, at)| 4.0 * (x - at).powi(3)).collect::<Vec<f64>>();
        descend(slope, &mut x, rate, 5);
        Some(x)
    }

    pub struct Gains {
        pub p: f64,
        pub limit: f64,
    }

    impl Gains {
        pub fn set(&mut self, p: f64, limit: f64) -> &mut Self {
            self.p = p * limit;
            self.limit += limit;
            self
        }

        pub fn both(&mut self, p: f64) -> f64 {
            self.set(p, 2.0).set(p * p, 0.5);
            self.p * self.limit
        }
    }
}

#[test]
fn what_is_behind_the_reference_is_a_parameter() {
    let mut x = vec![0.3, -0.7];
    descent::sigmoid::check(&mut x, 1.5).unwrap();
    let (mut x, mut d_x, mut d_by) = (vec![0.0], vec![1.0], 0.0);
    descent::sigmoid::vjp(&mut x, &mut d_x, 2.0, &mut d_by);
    assert_eq!((x, d_x, d_by), (vec![1.0], vec![0.5], 0.5));
    let mut gains = descent::Gains { p: 0.3, limit: 0.8 };
    descent::gains::set::check(&mut gains, 1.5, 0.7).unwrap();
    descent::gains::both::check(&mut gains, 1.5).unwrap();
    descent::fitted::check(&[0.3, 0.8, 0.9, -0.4], 0.05).unwrap();
}

#[differentiate(check, forward)]
mod filters {
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct State {
        pub level: f64,
        pub rate: [f64; 2],
    }

    #[derive(Clone)]
    pub struct Filter {
        pub state: State,
        pub gain: f64,
        pub seen: Vec<f64>,
    }

    #[derive(Debug, PartialEq)]
    pub struct NotFinite;

    impl Filter {
        pub fn update(&mut self, x: f64) -> Result<&State, NotFinite> {
            if !x.is_finite() {
                return Err(NotFinite);
            }
            if x < 0.0 {
                return Ok(self.forget());
            }
            self.state.level += self.gain * (x - self.state.level);
            self.state.rate[1] = self.state.rate[0] * x;
            Ok(&self.state)
        }

        pub fn forget(&mut self) -> &State {
            self.state.level *= self.gain;
            &self.state
        }

        pub fn rate(&self) -> &[f64; 2] {
            &self.state.rate
        }

        pub fn largest(&self) -> Option<&f64> {
            if self.seen.is_empty() { None } else { self.seen.iter().max_by(|a, b| a.total_cmp(b)) }
        }

        pub fn chosen(&self, late: bool) -> &f64 {
            match late {
                true => &self.state.rate[1],
                false => &self.state.level,
            }
        }
    }
}

#[test]
fn a_shared_reference_is_returned_as_a_copy() {
    use filters::{Filter, NotFinite, State, filter};
    let mut of =
        Filter { state: State { level: 0.4, rate: [0.3, 0.7] }, gain: 0.8, seen: vec![0.2, 0.9, 0.5] };
    for x in [1.3, -0.5] {
        filter::update::check(&mut of.clone(), x).unwrap_or_else(|mismatch| panic!("{mismatch}"));
        let value = filter::update::value(&mut of.clone(), x);
        assert_eq!(value, of.clone().update(x).copied());
    }
    assert_eq!(filter::update::value(&mut of, f64::NAN), Err(NotFinite));
    filter::forget::check(&mut of.clone()).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    filter::rate::check(&of).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    filter::largest::check(&of).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    for late in [true, false] {
        filter::chosen::check(&of, late).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    }
    assert_eq!(filter::largest::value(&of), Some(0.9));
}
