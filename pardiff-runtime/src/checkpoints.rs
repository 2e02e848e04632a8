//! Which states of a loop over time are kept.

/// Behind how many of `steps` the next state is kept, where that of the first is and `free` more may be: the most of
/// all with which the fewest steps run again while all of them are reversed (Griewank and Walther, Algorithm 799). All
/// steps if none is free.
///
/// With `c = free + 1` states, of which none has more than `r` runs before it, `C(c + r, c)` steps can be reversed. For
/// the least such `r`, the steps before the next state need `r - 1` runs at most, and those behind it `c - 1` states
/// and at least `C(c + r - 2, c - 1)` steps.
#[must_use]
pub fn binomial_checkpoint(steps: usize, free: usize) -> usize {
    if free == 0 || steps <= 1 {
        return steps.max(1);
    }
    let (steps, states) = (steps as u128, free as u128 + 1);
    let (mut repeats, mut fewer, mut reach) = (0, 0, 1);
    while reach < steps {
        repeats += 1;
        (fewer, reach) = (reach, reach * (states + repeats) / repeats);
    }
    fewer.min(steps - fewer * states / (states + repeats - 1)) as usize
}
