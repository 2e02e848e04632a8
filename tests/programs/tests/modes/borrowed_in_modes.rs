//! Parameters with references in them, in all modes.

use pardiff::differentiate;
use programs::Samples;

#[differentiate(check, forward, hvp, batch(2), split)]
mod programs {
    pub struct Samples<'a> {
        pub x: &'a [f64],
        pub y: &'a [f64],
        pub scale: f64,
    }

    pub fn loss(samples: &Samples, w: (&[f64], f64), prior: Option<&[f64]>) -> f64 {
        let mut sum = 0.0;
        for i in 0..samples.x.len() {
            let r = w.0[0] * samples.x[i].sin() + w.1 - samples.y[i];
            sum += r * r * samples.scale;
        }
        sum + prior.map_or(0.0, |prior| prior[0] * w.0[0] * w.0[0])
    }

    pub struct Output<'a> {
        pub y: &'a mut [f64],
        pub x: &'a [f64],
    }

    impl Output<'_> {
        pub fn fill(&mut self, s: f64) {
            for i in 0..self.y.len() {
                self.y[i] = self.y[i] * s + self.x[i] * self.x[i] * s;
            }
        }
    }
}

const X: [f64; 3] = [0.5, 1.0, -2.0];
const Y: [f64; 3] = [1.0, 2.0, 0.5];

#[test]
fn all_modes_agree_with_differences() {
    let samples = Samples { x: &X, y: &Y, scale: 0.5 };
    programs::loss::check(&samples, (&[1.5], 0.25), None).unwrap();
    programs::loss::check(&samples, (&[1.5], 0.25), Some(&[0.75])).unwrap();
    programs::output::fill::check(&mut programs::Output { y: &mut Y.clone(), x: &X }, 1.5).unwrap();
}

#[test]
fn a_batch_is_its_members() {
    let samples = Samples { x: &X, y: &Y, scale: 0.5 };
    let member = |at: usize| {
        let (x_dot, w_dot) = (X.map(|x| x * at as f64), [at as f64 - 1.0]);
        programs::loss::jvp(&samples, &x_dot, &Y, 0.5, (&[1.5], 0.25), &w_dot, 2.0, Some(&[0.75]), &[1.0])
    };
    let [one, two] = [member(1), member(2)];
    let x_dot = X.map(|x| [x, 2.0 * x]);
    let (value, slopes) = programs::loss::jvp_batch(
        &samples,
        &x_dot,
        &Y.map(|y| [y; 2]),
        [0.5; 2],
        (&[1.5], 0.25),
        &[[0.0, 1.0]],
        [2.0; 2],
        Some(&[0.75]),
        &[[1.0; 2]],
    );
    assert_eq!(value, one.0);
    assert!((slopes[0] - one.1).abs() < 1e-12 && (slopes[1] - two.1).abs() < 1e-12);
}

#[test]
fn the_sweeps_apart_are_both_together() {
    let samples = Samples { x: &X, y: &Y, scale: 0.5 };
    let (value, g) = programs::loss::gradient(&samples, (&[1.5], 0.25), Some(&[0.75]));
    let mut tape = programs::loss::Tape::default();
    assert_eq!(programs::loss::forward(&samples, (&[1.5], 0.25), Some(&[0.75]), &mut tape), value);
    let (mut d_x, mut d_y, mut d_scale, mut d_w, mut d_bias, mut d_prior) =
        ([0.0; 3], [0.0; 3], 0.0, [0.0], 0.0, [0.0]);
    programs::loss::backward(
        &samples,
        &mut d_x,
        &mut d_y,
        &mut d_scale,
        (&[1.5], 0.25),
        &mut d_w,
        &mut d_bias,
        Some(&[0.75]),
        &mut d_prior,
        &tape,
        1.0,
    );
    assert_eq!((&d_x[..], &d_y[..], d_scale), (&g.samples_x[..], &g.samples_y[..], g.samples_scale));
    assert_eq!((&d_w[..], d_bias, &d_prior[..]), (&g.w_0[..], g.w_1, &g.prior[..]));
}
