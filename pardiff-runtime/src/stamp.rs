//! Of which call a tape is.

/// A length or a whole number among the arguments, with what it is.
pub type Number = (&'static str, i128);

/// The lengths and whole numbers among the arguments of the call that left a tape.
#[derive(Debug, Default)]
pub struct Stamp {
    numbers: Vec<i128>,
    /// Whether the call has come to its end.
    complete: bool,
}

impl Stamp {
    /// A call with these arguments begins: until it ends, the tape is of no call.
    pub fn begin(&mut self, numbers: &[Number]) {
        self.complete = false;
        self.numbers.clear();
        self.numbers.extend(numbers.iter().map(|(_, number)| number));
    }

    /// The call has ended.
    pub fn complete(&mut self) {
        self.complete = true;
    }

    /// Whether the tape is of a call with these arguments; `numbers` are those of [`begin`](Stamp::begin) in order.
    ///
    /// # Panics
    ///
    /// Where it is not, with the name of `function`.
    #[track_caller]
    pub fn check(&self, function: &str, numbers: &[Number]) {
        assert!(self.complete, "{function}: the tape is empty; call `forward` with it first");
        for ((what, number), of_tape) in numbers.iter().zip(&self.numbers) {
            assert!(
                number == of_tape,
                "{function}: the tape is of a call where {what} is {of_tape}, not {number}"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tape_of_the_same_call_is_accepted() {
        let mut stamp = Stamp::default();
        stamp.begin(&[("`n`", 3)]);
        stamp.complete();
        stamp.check("f::backward", &[("`n`", 3)]);
    }

    #[test]
    #[should_panic = "f::backward: the tape is of a call where the length of `x` is 7, not 9"]
    fn a_tape_of_another_call_is_not() {
        let mut stamp = Stamp::default();
        stamp.begin(&[("`n`", 3), ("the length of `x`", 7)]);
        stamp.complete();
        stamp.check("f::backward", &[("`n`", 3), ("the length of `x`", 9)]);
    }

    #[test]
    #[should_panic = "f::backward: the tape is empty"]
    fn a_call_that_did_not_end_leaves_no_tape() {
        let mut stamp = Stamp::default();
        stamp.begin(&[]);
        stamp.complete();
        stamp.begin(&[]);
        stamp.check("f::backward", &[]);
    }
}
