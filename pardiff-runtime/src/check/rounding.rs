//! What rounding does to derivatives whose terms cancel, and where the last bit chooses a branch.
//!
//! Everything that a number is computed from is rounded otherwise a few times, arguments, directions and seeds by some
//! units in the last place. The function cannot tell these from what it was given, so what the number changes by is
//! how far it can be trusted.

use super::differences::{Claim, Rounding, Verdict, compare};
use super::random::Random;
use super::{Check, Judged};

/// How often.
const TIMES: usize = 8;

/// Rounds floats otherwise.
pub(super) type Otherwise<'a> = dyn FnMut(&[f64]) -> Vec<f64> + 'a;

impl Check<'_> {
    /// What differences say of a claim. Where they contradict it, `rounding` says how much of that rounding may be.
    pub(super) fn judged(
        &self,
        mut claim: Claim,
        value: &mut dyn FnMut(f64) -> f64,
        rounding: &dyn Fn() -> Rounding,
    ) -> Judged {
        let slope = claim.slope;
        let mut verdict = compare(self.precision, &claim, value);
        if let Verdict::Wrong(_) = verdict {
            claim.rounding = rounding();
            verdict = match compare(self.precision, &claim, value) {
                Verdict::Right(_) => Verdict::Rounded,
                other => other,
            };
        }
        Judged { slope, verdict }
    }

    /// By how much a number changes where the floats that it is computed from are rounded otherwise.
    pub(super) fn noise(&self, here: f64, computed: &dyn Fn(&mut Otherwise<'_>) -> Option<f64>) -> f64 {
        let mut random = Random::new();
        let mut rounded = |numbers: &[f64]| -> Vec<f64> {
            let mut other = |number: &f64| number * (1.0 + 8.0 * self.precision.epsilon * random.weight());
            numbers.iter().map(&mut other).collect()
        };
        let others = (0..TIMES).filter_map(|_| computed(&mut rounded));
        others.map(|other| (other - here).abs()).fold(0.0, f64::max)
    }
}
