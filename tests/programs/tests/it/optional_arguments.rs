//! Options as parameters and as fields of these: a derivative exists where there is a value.

use pardiff::differentiate;
use pardiff_programs::check;

#[differentiate(check, forward, hvp)]
pub fn compound_interest(principal: f64, rate: f64, period: Option<f64>) -> f64 {
    match period {
        Some(n) => principal * (1.0 + rate / n).powf(n),
        None => principal * rate.exp(),
    }
}

#[differentiate(check, forward, split)]
pub fn smoothed(x: &[f64], width: &Option<f64>, rounds: Option<usize>) -> Option<f64> {
    let width = (*width)?;
    let mut sum = 0.0;
    for _ in 0..rounds.unwrap_or(1) {
        for v in x {
            sum += (v / width).tanh() + sum * 0.01;
        }
    }
    Some(sum)
}

#[differentiate(check)]
mod fits {
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Point {
        pub x: f64,
        pub y: f64,
    }

    #[derive(Clone, Debug, PartialEq)]
    pub struct Fit {
        pub weights: Vec<f64>,
        pub bias: Option<f64>,
        pub clip: Option<[f64; 2]>,
        pub skipped: Option<usize>,
        pub centre: Option<Point>,
    }

    impl Fit {
        pub fn predict(&self, x: &[f64]) -> f64 {
            let mut sum = self.bias.unwrap_or(0.5);
            for (at, (w, v)) in self.weights.iter().zip(x).enumerate() {
                if self.skipped != Some(at) {
                    sum += w * v;
                }
            }
            if let Some(Point { x, y }) = self.centre {
                sum *= x - y;
            }
            match self.clip {
                Some([below, above]) if sum > above => above + 0.1 * (sum - above) * below,
                _ => sum,
            }
        }

        pub fn scaled(&self, x: f64) -> Result<f64, String> {
            let bias = self.bias.ok_or("no bias")?;
            Ok(bias * bias * x)
        }
    }

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Inputs {
        pub price: Option<f32>,
        pub sigma: Option<f32>,
        pub rate: f32,
    }

    pub fn ratio(inputs: Inputs) -> f32 {
        match (inputs.price, inputs.sigma) {
            (Some(p), Some(s)) => p * s * inputs.rate,
            (Some(p), None) => p / inputs.rate,
            _ => inputs.rate.map_none(),
        }
    }

    pub trait MapNone {
        fn map_none(self) -> Self;
    }

    impl MapNone for f32 {
        fn map_none(self) -> f32 {
            self * self
        }
    }
}

use fits::{Fit, Inputs, Point};

#[test]
fn derivatives_are_right_with_and_without_values() {
    for period in [None, Some(3.0)] {
        compound_interest::check(2.0, 0.3, period).unwrap();
    }
    for (bias, clip) in
        [(None, None), (Some(2.0), None), (None, Some([0.5, 1.0])), (Some(1.5), Some([0.5, 2.0]))]
    {
        for (skipped, centre) in [(None, None), (Some(1), Some(Point { x: 3.0, y: 0.5 }))] {
            let fit = Fit { weights: vec![0.5, 0.25, 2.0], bias, clip, skipped, centre };
            fits::fit::predict::check(&fit, &[1.0, 2.0, 3.0]).unwrap();
        }
    }
    for price in [None, Some(2.0)] {
        for sigma in [None, Some(0.5)] {
            fits::ratio::check(Inputs { price, sigma, rate: 1.5 }).unwrap();
        }
    }
    smoothed::check(&[0.5, 1.5], &Some(2.0), None).unwrap();
    smoothed::check(&[0.5, 1.5], &Some(2.0), Some(3)).unwrap();
}

#[test]
fn an_adjoint_has_a_value_where_the_argument_has_one() {
    let (mut d_principal, mut d_rate, mut d_period) = (0.0, 0.0, None);
    compound_interest::grad(2.0, &mut d_principal, 0.3, &mut d_rate, None, &mut d_period);
    assert_eq!(d_period, None);
    compound_interest::grad(2.0, &mut d_principal, 0.3, &mut d_rate, Some(3.0), &mut d_period);
    let slope = 2.0 * 1.1_f64.powi(3) * (1.1_f64.ln() - 0.1 / 1.1);
    assert!((d_period.unwrap() - slope).abs() < 1e-14);
    compound_interest::grad(2.0, &mut d_principal, 0.3, &mut d_rate, Some(3.0), &mut d_period);
    assert!((d_period.unwrap() - 2.0 * slope).abs() < 1e-14);
    compound_interest::grad_into(2.0, &mut d_principal, 0.3, &mut d_rate, Some(3.0), &mut d_period);
    assert!((d_period.unwrap() - slope).abs() < 1e-14);
    // what is there for an argument without a value is not looked at
    compound_interest::grad(2.0, &mut d_principal, 0.3, &mut d_rate, None, &mut d_period);
    assert!((d_period.unwrap() - slope).abs() < 1e-14);
    assert_eq!(compound_interest::gradient(2.0, 0.3, None).1.period, None);
    // a tangent that is not there is zero
    let (_, along) = compound_interest::jvp(2.0, 0.0, 0.3, 0.0, Some(3.0), Some(2.0));
    assert!((along - 2.0 * slope).abs() < 1e-14);
    assert_eq!(compound_interest::jvp(2.0, 0.0, 0.3, 0.0, Some(3.0), None).1, 0.0);
}

#[test]
fn an_adjoint_of_a_struct_gets_values() {
    let fit = Fit { weights: vec![0.5, 0.25], bias: Some(2.0), clip: None, skipped: Some(0), centre: None };
    let mut d_fit = Fit { weights: vec![0.0; 2], bias: None, clip: None, skipped: None, centre: None };
    fits::fit::predict::grad(&fit, &mut d_fit, &[1.0, 2.0], &mut [0.0; 2]);
    assert_eq!(
        d_fit,
        Fit { weights: vec![0.0, 2.0], bias: Some(1.0), clip: None, skipped: None, centre: None }
    );
    assert_eq!(fits::fit::scaled::gradient(&fit, 3.0).unwrap().1.this.bias, Some(12.0));
    let without = Fit { bias: None, ..fit };
    assert_eq!(fits::fit::scaled::gradient(&without, 3.0), Err("no bias".to_owned()));
}

#[test]
fn sweeps_apart_agree() {
    let x = [0.5, 1.5];
    assert!(smoothed::gradient(&x, &None, None).is_none());
    for rounds in [None, Some(2)] {
        let gradient = smoothed::gradient(&x, &Some(2.0), rounds).unwrap().1;
        let mut tape = smoothed::Tape::default();
        smoothed::forward(&x, &Some(2.0), rounds, &mut tape);
        let (mut d_x, mut d_width) = ([0.0; 2], None);
        smoothed::backward(&x, &mut d_x, &Some(2.0), &mut d_width, rounds, &tape, 1.0);
        for (a, b) in d_x.iter().zip(&gradient.x) {
            assert!((a - b).abs() < 1e-14);
        }
        assert!((d_width.unwrap() - gradient.width.unwrap()).abs() < 1e-14);
    }
}

#[test]
#[should_panic = "smoothed::backward: the tape is of a call where `rounds.is_some()` is 1, not 0"]
fn a_tape_of_another_variant_is_refused() {
    let (x, width) = ([0.5, 1.5], Some(2.0));
    let mut tape = smoothed::Tape::default();
    smoothed::forward(&x, &width, Some(2), &mut tape);
    smoothed::backward(&x, &mut [0.0; 2], &width, &mut None, None, &tape, 1.0);
}

/// An option behind a `&mut` that was written to, as a value: its methods and patterns take copies.
#[allow(clippy::option_map_unit_fn, reason = "a call that may do nothing, as people write it")]
#[differentiate]
fn written_and_read(w: &mut Option<[f64; 2]>, v: &mut Option<f64>, x: &[f64]) -> f64 {
    if let Some(w) = w.as_mut() {
        w[0] *= x[0];
    }
    if let Some(w) = &mut *w {
        w[1] *= x[0];
    }
    match *v {
        Some(ref mut v) if *v > 0.0 => *v *= x[0],
        Some(_) | None => {}
    }
    let mut s = w.map_or(x[0], |w| w[0] * w[1]) + w.map(|w| w[0]).unwrap_or(x[1]) + v.unwrap_or(1.0);
    s += w.or(Some([x[0], x[1]])).unwrap()[1] + w.filter(|w| w[0] > 100.0).unwrap_or_default()[0];
    if w.is_some_and(|w| w[0] > 0.1) {
        s *= x[1];
    }
    s *= match *v {
        Some(v) if v > 0.0 => v * v * x[1],
        Some(v) => v,
        None => x[1],
    };
    let Some(z) = *w else { return s };
    w.as_mut().map(|w| w[0] *= 3.0);
    s * z[0] * z[1] + w.as_ref().map_or(0.0, |w| w[0])
}

#[test]
fn what_was_written_behind_a_reference_is_read_as_a_value() {
    let x = [1.3, 1.5];
    for (w, v) in [(None, None), (None, Some(-0.4)), (Some([0.7, 0.2]), Some(0.6)), (Some([0.7, 0.2]), None)]
    {
        let of = |w: Option<[f64; 2]>, v: Option<f64>, x: &[f64]| {
            written_and_read(&mut w.clone(), &mut v.clone(), x)
        };
        let (mut d_w, mut d_v, mut d_x) = (w.map(|_| [0.0; 2]), v.map(|_| 0.0), [0.0; 2]);
        let value = written_and_read::grad(&mut w.clone(), &mut d_w, &mut v.clone(), &mut d_v, &x, &mut d_x);
        assert_eq!(value, of(w, v, &x));
        check(|at| of(w, v, &at[0]), &[&x], &[&d_x]);
        if let (Some(w), Some(d_w)) = (w, d_w) {
            check(|at| of(Some([at[0][0], at[0][1]]), v, &x), &[&w], &[&d_w]);
        }
        if let (Some(v), Some(d_v)) = (v, d_v) {
            check(|at| of(w, Some(at[0][0]), &x), &[&[v]], &[&[d_v]]);
        }
    }
}
