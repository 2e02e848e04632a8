//! Derivatives of a function of one number by differences, with how far they can be trusted.

/// A derivative at zero that differences gave.
#[derive(Clone, Copy, Debug)]
pub struct Estimate {
    /// The derivative.
    pub value: f64,
    /// The estimate of its error.
    pub error: f64,
    /// The least step that went into it.
    pub step: f64,
    /// By how much the derivatives on both sides differ, and the estimate of the error of that.
    pub(super) kink: (f64, f64),
}

/// The derivative of `value` at zero, by Ridders' method: central differences at the steps `step`, `step / 2`, …, as many as
/// `rows`, are extrapolated to the step zero; of all extrapolations the one counts that changes least from those that it is
/// made of, and this change is the estimate of its error. Steps at which `value` is not finite are left out. `None` if there are
/// less than two others.
///
/// C. Ridders: Accurate computation of F'(x) and F'(x) F''(x). Advances in Engineering Software 4 (1982).
pub fn derivative(step: f64, rows: usize, mut value: impl FnMut(f64) -> f64) -> Option<Estimate> {
    let here = value(0.0);
    along(step, rows, here, &mut value)
}

/// The same where the value at zero is known.
pub(super) fn along(
    step: f64,
    rows: usize,
    here: f64,
    value: &mut dyn FnMut(f64) -> f64,
) -> Option<Estimate> {
    // a central difference is even in the step; what the one-sided ones differ by is odd
    let (mut central, mut sided) = (Tableau::new(4.0), Tableau::new(2.0));
    let mut step = step;
    for _ in 0..rows {
        let (up, down) = (value(step), value(-step));
        let (first, second) = ((up - down) / (2.0 * step), ((up - here) - (here - down)) / step);
        if first.is_finite() && second.is_finite() {
            central.add(first, step);
            sided.add(second, step);
        } else {
            (central.row, sided.row) = (Vec::new(), Vec::new());
        }
        step /= 2.0;
    }
    let (value, error, step) = central.best?;
    let (kink, kink_error, _) = sided.best?;
    Some(Estimate { value, error, step, kink: (kink, kink_error) })
}

/// Extrapolations to the step zero of what was computed at steps that are halved each time.
struct Tableau {
    /// What the error of lowest order loses when the step is halved; those of higher orders lose four times more each.
    factor: f64,
    /// Those that end at the last step, by how many went into them.
    row: Vec<f64>,
    /// The best one, its error, and the last step.
    best: Option<(f64, f64, f64)>,
}

impl Tableau {
    fn new(factor: f64) -> Tableau {
        Tableau { factor, row: Vec::new(), best: None }
    }

    fn add(&mut self, number: f64, step: f64) {
        let mut row = vec![number];
        let mut factor = self.factor;
        for (k, last) in self.row.iter().enumerate() {
            let better = (factor * row[k] - last) / (factor - 1.0);
            let error = (better - row[k]).abs().max((better - last).abs());
            if self.best.is_none_or(|(_, least, _)| error <= least) && error.is_finite() {
                self.best = Some((better, error, step));
            }
            row.push(better);
            factor *= 4.0;
        }
        self.row = row;
    }
}

/// What one can expect of a function that computes in floats of a width.
#[derive(Clone, Copy)]
pub(super) struct Precision {
    /// The distance from one to the next float.
    pub(super) epsilon: f64,
    /// The relative error that a derivative may have.
    pub(super) tolerance: f64,
    /// How much two ways to compute one sum may differ by, relative to its terms.
    pub(super) rounding: f64,
    /// The first steps, from which on differences are extrapolated.
    steps: &'static [f64],
    /// How many steps each.
    rows: usize,
}

impl Precision {
    pub(super) const SINGLE: Precision = Precision {
        epsilon: f32::EPSILON as f64,
        tolerance: 2e-3,
        rounding: 5e-4,
        steps: &[0.25, 0.08, 0.01],
        rows: 5,
    };

    pub(super) const DOUBLE: Precision = Precision {
        epsilon: f64::EPSILON,
        tolerance: 1e-6,
        rounding: 2e-10,
        steps: &[0.06, 0.02, 1e-3, 1.5e-5],
        rows: 8,
    };
}

/// A derivative that is to be compared with differences.
pub(super) struct Claim {
    /// The derivative.
    pub(super) slope: f64,
    /// The sum of the magnitudes of its terms.
    pub(super) terms: f64,
    /// The function at zero.
    pub(super) here: f64,
    /// The sum of the magnitudes of the terms of this.
    pub(super) magnitude: f64,
    /// What is known of errors of the function and of the derivative by rounding, besides these magnitudes.
    pub(super) rounding: Rounding,
}

/// How much rounding was seen to change.
#[derive(Clone, Copy, Default)]
pub(super) struct Rounding {
    /// A value of the function.
    pub(super) value: f64,
    /// The derivative.
    pub(super) slope: f64,
}

/// What differences say of a derivative.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Verdict {
    /// It is right; the relative error.
    Right(f64),
    /// It is wrong.
    Wrong(Difference),
    /// They do not settle, or the function has a kink.
    NotSmooth,
    /// It differs by no more than rounding does.
    Rounded,
}

/// A derivative by differences.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Difference {
    /// The derivative.
    pub(super) value: f64,
    /// By how much another one may differ from it.
    pub(super) tolerance: f64,
}

/// By how much more than its estimate an error may be larger.
pub(super) const SAFETY: f64 = 10.0;

/// Compares a derivative with differences of `value`. It is wrong where differences from two first steps settle, on the same
/// number, and none contradicts them.
pub(super) fn compare(precision: Precision, claim: &Claim, value: &mut dyn FnMut(f64) -> f64) -> Verdict {
    if !claim.here.is_finite() {
        return Verdict::NotSmooth;
    }
    let terms = if claim.terms.is_finite() { claim.terms } else { 0.0 };
    let mut found: Option<(Difference, usize)> = None;
    for &step in precision.steps {
        let Some(estimate) = along(step, precision.rows, claim.here, value) else { continue };
        let Rounding { value: of_value, slope: of_slope } = claim.rounding;
        let noise = 16.0 * precision.epsilon * (claim.magnitude / estimate.step + terms)
            + SAFETY * (of_value / estimate.step + of_slope);
        let relative = precision.tolerance * terms.max(estimate.value.abs());
        let settled = noise.max(relative).max(1e-3 * estimate.value.abs());
        let (kink, kink_error) = estimate.kink;
        if estimate.error > settled || kink.abs() > SAFETY * kink_error + noise + relative {
            continue;
        }
        let own = Difference { value: estimate.value, tolerance: SAFETY * estimate.error + relative + noise };
        let error = (claim.slope - own.value).abs();
        if error <= own.tolerance {
            match found {
                // it is too coarse to contradict
                Some((other, _)) if (claim.slope - other.value).abs() < SAFETY * own.tolerance => {}
                _ if error == 0.0 => return Verdict::Right(0.0),
                _ if terms.max(own.value.abs()) <= noise => return Verdict::Rounded,
                _ => return Verdict::Right(error / terms.max(own.value.abs())),
            }
            continue;
        }
        found = match found {
            Some((other, count)) if (other.value - own.value).abs() <= other.tolerance + own.tolerance => {
                Some((if own.tolerance < other.tolerance { own } else { other }, count + 1))
            }
            _ => Some((own, 1)),
        };
    }
    match found {
        Some((difference, 2..)) => Verdict::Wrong(difference),
        _ => Verdict::NotSmooth,
    }
}
