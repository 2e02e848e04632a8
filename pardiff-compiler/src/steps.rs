//! Steps of the compiler, which tests count to see how expansion grows with the program; nothing is counted elsewhere.
//!
//! A step is a visit of a statement or an expression, a constraint of a question, or a word of a set. Seconds would depend on
//! the machine.

#[cfg(test)]
thread_local! {
    static STEPS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Counts steps.
#[inline(always)]
pub(crate) fn count(_steps: usize) {
    #[cfg(test)]
    STEPS.with(|steps| steps.set(steps.get() + _steps as u64));
}

/// The steps that `run` takes.
#[cfg(test)]
pub(crate) fn of<T>(run: impl FnOnce() -> T) -> (T, u64) {
    let before = STEPS.with(std::cell::Cell::get);
    let out = run();
    (out, STEPS.with(std::cell::Cell::get) - before)
}

/// Runs what is not to be counted.
#[inline(always)]
#[cfg(feature = "verify")]
pub(crate) fn uncounted<T>(run: impl FnOnce() -> T) -> T {
    #[cfg(test)]
    let before = STEPS.with(std::cell::Cell::get);
    let out = run();
    #[cfg(test)]
    STEPS.with(|steps| steps.set(before));
    out
}
