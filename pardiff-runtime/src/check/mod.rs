//! Derivatives against differences: what `f::check` does.
//!
//! *Comes in*: a function and its derivatives as closures over all floats of the active arguments and of the outputs, one
//! after the other. *Goes out*: a [`Report`], or the element that is wrong. *Guarantees*: the same directions in every run; a
//! function that has no derivative along a direction is not taken for one with a wrong one. *Never*: keeps more than a few
//! copies of the floats.
//!
//! Each argument is moved along three random directions `v`; the outputs are weighted by random numbers `w` and added:
//!
//! ```text
//! d/dt <w, f(x + t v)> = <v, J^T w>               differences against the gradient
//! <J v, w> = <v, J^T w>                           forward against reverse mode, to rounding
//! d/dt <u, J(x + t v)^T w> = <u, H v>             differences of the gradient against the product with the Hessian
//! ```
//!
//! Where the two sides differ by more than rounding can do, directions are halved until one element is left.

mod differences;
mod random;
mod report;
mod rounding;
#[cfg(test)]
mod tests;
mod visit;

pub use differences::{Estimate, derivative};
pub use report::{Compared, Derivative, Mismatch, Report};
pub use visit::{Numbers, Visitor};

use differences::{Claim, Difference, Precision, Rounding, SAFETY, Verdict};
use random::Random;
use std::ops::Range;
use visit::Part;

/// Along how many directions each argument is moved.
const DIRECTIONS: usize = 3;

/// How often a direction along which the function is not smooth is halved to find the elements that are the reason.
const HALVINGS: usize = 24;

/// Floats from arguments, and from tangents of them or adjoints of outputs; none where the function has no value.
pub type First<'a> = dyn Fn(&[f64], &[f64]) -> Option<Vec<f64>> + 'a;

/// Floats from arguments, tangents of them and adjoints of outputs; none where the function has no value.
pub type Second<'a> = dyn Fn(&[f64], &[f64], &[f64]) -> Option<Vec<f64>> + 'a;

/// A function and its derivatives, by all floats of its active arguments and of its outputs.
pub struct Functions<'a> {
    /// What it is called.
    pub name: &'static str,
    /// Visits the arguments of the call.
    pub inputs: &'a dyn Fn(&mut Visitor<'_>),
    /// Visits the outputs at these arguments; none where there are none: an `Err` or a `None`.
    pub value: &'a dyn Fn(&[f64], &mut Visitor<'_>) -> Option<()>,
    /// The adjoints of the arguments, from arguments and the adjoints of outputs.
    pub vjp: &'a First<'a>,
    /// The tangents of outputs, from arguments and their tangents.
    pub jvp: Option<&'a First<'a>>,
    /// The tangents of the adjoints of the arguments, from arguments, their tangents and the adjoints of outputs.
    pub hvp: Option<&'a Second<'a>>,
    /// Whether `hvp` takes the adjoint of the first output to be one.
    pub unit_seed: bool,
}

/// Compares the derivatives of a function with each other and with differences.
///
/// # Errors
///
/// A derivative is wrong.
///
/// # Panics
///
/// The function has no value at its arguments.
pub fn check(functions: &Functions<'_>) -> Result<Report, Mismatch> {
    let mut check = Check::new(functions);
    let mut arguments = Vec::new();
    for part in 0..check.parts.len() {
        arguments.push(check.gradient(part)?);
    }
    if let Some(jvp) = functions.jvp {
        for (part, compared) in arguments.iter_mut().enumerate() {
            compared.tangent_error = check.tangent(part, jvp)?;
        }
    }
    if let Some(hvp) = functions.hvp {
        for (part, compared) in arguments.iter_mut().enumerate() {
            compared.product_error = check.product(part, hvp)?;
        }
    }
    Ok(Report { function: functions.name, arguments })
}

/// A check at one point.
struct Check<'a> {
    functions: &'a Functions<'a>,
    precision: Precision,
    random: Random,
    /// The floats of the active arguments.
    at: Vec<f64>,
    parts: Vec<Part>,
    /// How far each float is moved.
    scale: Vec<f64>,
    /// The outputs, and their weights.
    here: Vec<f64>,
    weights: Vec<f64>,
    /// The adjoints of the arguments by these.
    gradient: Vec<f64>,
}

/// A derivative along a direction, and what differences say of it.
struct Judged {
    slope: f64,
    verdict: Verdict,
}

/// A wrong derivative along the part of a direction.
struct Wrong {
    range: Range<usize>,
    slope: f64,
    difference: Difference,
}

impl<'a> Check<'a> {
    fn new(functions: &'a Functions<'a>) -> Check<'a> {
        let mut visitor = Visitor::load();
        (functions.inputs)(&mut visitor);
        let (at, parts, is_single) = visitor.collected();
        let mut visitor = Visitor::load();
        required(functions.name, (functions.value)(&at, &mut visitor));
        let (here, _, returns_single) = visitor.collected();
        let mut random = Random::new();
        let weights = weights(&here, &mut random);
        let gradient = required(functions.name, (functions.vjp)(&at, &weights));
        let precision = if is_single || returns_single { Precision::SINGLE } else { Precision::DOUBLE };
        let ends = parts.iter().skip(1).map(|part| part.start).chain([at.len()]);
        let scale = parts.iter().zip(ends).flat_map(|(part, end)| scales(&at[part.start..end])).collect();
        Check { functions, precision, random, at, parts, scale, here, weights, gradient }
    }

    /// The floats of a part.
    fn range(&self, part: usize) -> Range<usize> {
        let end = self.parts.get(part + 1).map_or(self.at.len(), |next| next.start);
        self.parts[part].start..end
    }

    /// A random direction of these floats; those that are not to be moved have the scale zero.
    fn direction(&mut self, range: Range<usize>) -> Vec<f64> {
        let mut direction = vec![0.0; self.at.len()];
        for at in range {
            direction[at] = self.random.weight() * self.scale[at];
        }
        direction
    }

    /// The arguments, moved along the part of a direction.
    fn moved(&self, direction: &[f64], range: &Range<usize>, by: f64) -> Vec<f64> {
        let mut at = self.at.clone();
        for (at, along) in at[range.clone()].iter_mut().zip(&direction[range.clone()]) {
            *at += by * along;
        }
        at
    }

    /// The weighted sum of the outputs; not a number where there are none.
    fn value(&self, at: &[f64]) -> f64 {
        let mut visitor = Visitor::load();
        match (self.functions.value)(at, &mut visitor) {
            Some(()) => dot(&self.weights, &visitor.numbers()).sum,
            None => f64::NAN,
        }
    }

    /// Compares the gradient with differences along directions of a part.
    fn gradient(&mut self, part: usize) -> Result<Compared, Mismatch> {
        let range = self.range(part);
        let mut compared = Compared {
            name: self.parts[part].name,
            elements: range.len(),
            directions: 0,
            error: 0.0,
            not_smooth: Vec::new(),
            rounded: Vec::new(),
            tangent_error: None,
            product_error: None,
        };
        if range.is_empty() {
            return Ok(compared);
        }
        for _ in 0..DIRECTIONS {
            let direction = self.direction(range.clone());
            let mut not_smooth = Vec::new();
            let mut open = vec![range.clone()];
            let mut halvings = 0;
            let mut settled = false;
            while let Some(range) = open.pop() {
                if direction[range.clone()].iter().all(|along| *along == 0.0) {
                    continue;
                }
                let Judged { slope, verdict } = self.along(&direction, range.clone());
                match verdict {
                    Verdict::Right(error) => {
                        settled = true;
                        compared.error = compared.error.max(error);
                    }
                    Verdict::Wrong(difference) => {
                        let wrong = Wrong { range, slope, difference };
                        let judge = &mut |range| self.along(&direction, range);
                        let wrong = narrowed(wrong, judge);
                        return Err(self.mismatch(Derivative::Gradient, &direction, &wrong));
                    }
                    Verdict::NotSmooth if range.len() > 1 && halvings < HALVINGS => {
                        halvings += 1;
                        let middle = range.start + range.len() / 2;
                        open.extend([middle..range.end, range.start..middle]);
                    }
                    Verdict::NotSmooth => not_smooth.push(range),
                    Verdict::Rounded => {
                        settled = true;
                        let named = self.named(&range);
                        if !compared.rounded.contains(&named) {
                            compared.rounded.push(named);
                        }
                    }
                }
            }
            compared.directions += usize::from(settled);
            for range in not_smooth {
                compared.not_smooth.push(self.named(&range));
                self.scale[range].fill(0.0);
            }
        }
        Ok(compared)
    }

    /// The gradient along the part of a direction.
    fn along(&self, direction: &[f64], range: Range<usize>) -> Judged {
        let along = &direction[range.clone()];
        let slope = dot(along, &self.gradient[range.clone()]);
        let here = dot(&self.weights, &self.here);
        let claim = claimed(&slope, &here);
        let value = &mut |by| self.value(&self.moved(direction, &range, by));
        self.judged(claim, value, &|| Rounding {
            value: self.noise(here.sum, &|rounded| Some(self.value(&rounded(&self.at)))),
            slope: self.noise(slope.sum, &|rounded| {
                let gradient = (self.functions.vjp)(&rounded(&self.at), &rounded(&self.weights))?;
                Some(dot(along, &gradient[range.clone()]).sum)
            }),
        })
    }

    /// Compares forward with reverse mode.
    fn tangent(&mut self, part: usize, jvp: &First<'_>) -> Result<Option<f64>, Mismatch> {
        let range = self.range(part);
        let mut largest = None;
        for _ in 0..DIRECTIONS {
            let direction = self.direction(range.clone());
            let judge = &mut |range: Range<usize>| {
                let along = &direction[range.clone()];
                let mut own = vec![0.0; self.at.len()];
                own[range.clone()].copy_from_slice(along);
                let tangent = dot(&self.weights, &required(self.functions.name, jvp(&self.at, &own)));
                let slope = dot(along, &self.gradient[range.clone()]);
                let terms = slope.terms + tangent.terms;
                let error = (tangent.sum - slope.sum).abs();
                let tolerance = self.precision.rounding * terms;
                let noise = || {
                    let of_tangent = self.noise(tangent.sum, &|rounded| {
                        Some(dot(&self.weights, &jvp(&rounded(&self.at), &rounded(&own))?).sum)
                    });
                    let of_slope = self.noise(slope.sum, &|rounded| {
                        let gradient = (self.functions.vjp)(&rounded(&self.at), &rounded(&self.weights))?;
                        Some(dot(along, &gradient[range.clone()]).sum)
                    });
                    of_tangent + of_slope
                };
                let verdict = match tangent.sum.is_finite() || slope.sum.is_finite() {
                    false => Verdict::NotSmooth,
                    true if error <= tolerance && error == 0.0 => Verdict::Right(0.0),
                    true if error <= tolerance => Verdict::Right(error / terms),
                    true if error <= SAFETY * noise() => Verdict::Rounded,
                    true => Verdict::Wrong(Difference { value: slope.sum, tolerance }),
                };
                Judged { slope: tangent.sum, verdict }
            };
            let Judged { slope, verdict } = judge(range.clone());
            match verdict {
                Verdict::Right(error) => largest = Some(largest.unwrap_or(0.0_f64).max(error)),
                Verdict::NotSmooth | Verdict::Rounded => {}
                Verdict::Wrong(difference) => {
                    let wrong = narrowed(Wrong { range: range.clone(), slope, difference }, judge);
                    return Err(self.mismatch(Derivative::Tangent, &direction, &wrong));
                }
            }
        }
        Ok(largest)
    }

    /// Compares the product of the Hessian and directions of a part with differences of the gradient.
    fn product(&mut self, part: usize, hvp: &Second<'_>) -> Result<Option<f64>, Mismatch> {
        let range = self.range(part);
        let mut seed = self.weights.clone();
        if let (true, Some(first)) = (self.functions.unit_seed, seed.first_mut()) {
            *first = 1.0;
        }
        let name = self.functions.name;
        let gradient = required(name, (self.functions.vjp)(&self.at, &seed));
        let mut largest = None;
        for _ in 0..DIRECTIONS {
            let direction = self.direction(range.clone());
            let others = self.direction(0..self.at.len());
            let product = required(name, hvp(&self.at, &direction, &seed));
            let judge = &mut |part: Range<usize>| {
                let others = &others[part.clone()];
                let (slope, here) =
                    (dot(others, &product[part.clone()]), dot(others, &gradient[part.clone()]));
                let claim = claimed(&slope, &here);
                let value = &mut |by| {
                    let moved = (self.functions.vjp)(&self.moved(&direction, &range, by), &seed);
                    moved.map_or(f64::NAN, |moved| dot(others, &moved[part.clone()]).sum)
                };
                self.judged(claim, value, &|| Rounding {
                    value: self.noise(here.sum, &|rounded| {
                        let gradient = (self.functions.vjp)(&rounded(&self.at), &rounded(&seed))?;
                        Some(dot(others, &gradient[part.clone()]).sum)
                    }),
                    slope: self.noise(slope.sum, &|rounded| {
                        let product = hvp(&rounded(&self.at), &rounded(&direction), &rounded(&seed))?;
                        Some(dot(others, &product[part.clone()]).sum)
                    }),
                })
            };
            let all = 0..self.at.len();
            let Judged { slope, verdict } = judge(all.clone());
            match verdict {
                Verdict::Right(error) => largest = Some(largest.unwrap_or(0.0_f64).max(error)),
                Verdict::NotSmooth | Verdict::Rounded => {}
                Verdict::Wrong(difference) => {
                    let wrong = narrowed(Wrong { range: all, slope, difference }, judge);
                    return Err(self.mismatch(Derivative::Product, &others, &wrong));
                }
            }
        }
        Ok(largest)
    }

    /// The name of an element.
    fn element(&self, at: usize) -> String {
        let mut visitor = Visitor::find(at);
        (self.functions.inputs)(&mut visitor);
        let part = self.parts.partition_point(|part| part.start <= at);
        visit::element(self.parts[part - 1].name, &visitor.index())
    }

    /// The name of an element, or of the first and the last one.
    fn named(&self, range: &Range<usize>) -> String {
        match range.len() {
            1 => self.element(range.start),
            _ => format!("{} to {}", self.element(range.start), self.element(range.end - 1)),
        }
    }

    fn mismatch(&self, derivative: Derivative, direction: &[f64], wrong: &Wrong) -> Mismatch {
        let Wrong { range, slope, difference } = wrong;
        let by = if range.len() == 1 { direction[range.start] } else { 1.0 };
        Mismatch {
            function: self.functions.name,
            derivative,
            element: self.named(range),
            computed: slope / by,
            expected: difference.value / by,
            tolerance: difference.tolerance / by.abs(),
            is_weighted: self.here.len() > 1,
        }
    }
}

/// What the function has at its arguments.
fn required<T>(name: &str, value: Option<T>) -> T {
    value.unwrap_or_else(|| panic!("{name}: there is no value to be checked here"))
}

/// The element whose derivative is most wrong, found by halves; a range, if neither half of it is wrong.
fn narrowed(mut wrong: Wrong, judge: &mut dyn FnMut(Range<usize>) -> Judged) -> Wrong {
    while wrong.range.len() > 1 {
        let middle = wrong.range.start + wrong.range.len() / 2;
        let halves = [wrong.range.start..middle, middle..wrong.range.end];
        let of_half = |range: Range<usize>| {
            let Judged { slope, verdict } = judge(range.clone());
            match verdict {
                Verdict::Wrong(difference) => Some(Wrong { range, slope, difference }),
                _ => None,
            }
        };
        let error = |it: &Wrong| {
            let error = (it.slope - it.difference.value).abs();
            if error.is_nan() { f64::INFINITY } else { error }
        };
        match halves.into_iter().filter_map(of_half).max_by(|a, b| error(a).total_cmp(&error(b))) {
            Some(half) => wrong = half,
            None => break,
        }
    }
    wrong
}

/// A scalar product.
struct Dot {
    sum: f64,
    /// The sum of the magnitudes of its terms.
    terms: f64,
}

/// The product of numbers with weights; what has the weight zero is left out, whatever it is.
fn dot(weights: &[f64], numbers: &[f64]) -> Dot {
    let terms = weights.iter().zip(numbers).filter(|(weight, _)| **weight != 0.0).map(|(a, b)| a * b);
    let add = |dot: Dot, term: f64| Dot { sum: dot.sum + term, terms: dot.terms + term.abs() };
    terms.fold(Dot { sum: 0.0, terms: 0.0 }, add)
}

/// The derivative of the number `here`, of which nothing is known but their terms.
fn claimed(slope: &Dot, here: &Dot) -> Claim {
    let rounding = Rounding::default();
    Claim { slope: slope.sum, terms: slope.terms, here: here.sum, magnitude: here.terms, rounding }
}

/// The weights of outputs: each counts as much as the others. Outputs that are not finite count nothing where others are; a
/// single output has the weight one.
fn weights(outputs: &[f64], random: &mut Random) -> Vec<f64> {
    if outputs.len() == 1 {
        return vec![1.0];
    }
    let any_finite = outputs.iter().any(|it| it.is_finite());
    let scales = scales(outputs);
    let weight = |(output, scale): (&f64, f64)| {
        let own = random.weight();
        match output.is_finite() {
            false if any_finite => 0.0,
            true if (own / scale).is_finite() => own / scale,
            _ => own,
        }
    };
    outputs.iter().zip(scales).map(weight).collect()
}

/// How far numbers are moved: by their own magnitude, as far as it is not small beside the others'; zeros by the mean of
/// the others'. Numbers that are not finite are not moved.
fn scales(numbers: &[f64]) -> Vec<f64> {
    let others = || numbers.iter().map(|it| it.abs()).filter(|it| *it > 0.0 && it.is_finite());
    let count = others().count();
    let mean = if count == 0 { 1.0 } else { others().map(|it| it / count as f64).sum() };
    let scale = |number: &f64| match number.abs() {
        0.0 => mean,
        own if own.is_finite() => own.max(mean / 64.0),
        _ => 0.0,
    };
    numbers.iter().map(scale).collect()
}
