//! The panics of generated code. Each one is cold and never returns, so that a check costs its comparison alone.

use std::fmt;

/// The line of the user's source; 0 is unknown and prints as nothing.
struct Line(u32);

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => Ok(()),
            line => write!(f, " (line {line})"),
        }
    }
}

/// The index of an access is not below the length of its array.
#[cold]
#[inline(never)]
#[track_caller]
pub fn out_of_range(function: &str, array: &str, access: &str, line: u32, index: usize, len: usize) -> ! {
    panic!(
        "{function}: index out of range in `{access}`{}: the index is {index} but the length of `{array}` is {len}",
        Line(line)
    )
}

/// The range of a slice does not lie in its array.
#[cold]
#[inline(never)]
#[track_caller]
pub fn slice_out_of_range(
    function: &str,
    array: &str,
    access: &str,
    line: u32,
    range: [usize; 2],
    len: usize,
) -> ! {
    let [start, end] = range;
    panic!(
        "{function}: slice out of range in `{access}`{}: the range is {start}..{end} but the length of `{array}` is {len}",
        Line(line)
    )
}

/// An assertion of the user, or another condition that the source implies, does not hold.
#[cold]
#[inline(never)]
#[track_caller]
pub fn failed(function: &str, text: &str, line: u32) -> ! {
    panic!("{function}: {text}{}", Line(line))
}

/// A derivative, an adjoint or a tangent, has not as many elements as the array that it belongs to.
#[cold]
#[inline(never)]
#[track_caller]
pub fn wrong_shape(
    function: &str,
    derivative: &str,
    name: &str,
    own_len: usize,
    array: &str,
    len: usize,
) -> ! {
    panic!(
        "{function}: the length of the {derivative} `{name}` is {own_len} but the length of `{array}` is {len}"
    )
}

/// A derivative is of another variant than the value it belongs to.
#[cold]
#[inline(never)]
#[track_caller]
pub fn wrong_variant(
    function: &str,
    derivative: &str,
    name: &str,
    own: &str,
    value: &str,
    variant: &str,
) -> ! {
    panic!("{function}: the {derivative} `{name}` is `{own}` but `{value}` is `{variant}`")
}

/// An argument has not as many elements as the function's type says.
#[cold]
#[inline(never)]
#[track_caller]
pub fn wrong_length(function: &str, array: &str, len: usize, wanted: usize) -> ! {
    panic!("{function}: the length of `{array}` is {len} but must be {wanted}")
}

/// A storage size does not fit the machine.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn too_large(function: &str, buffer: &str, formula: &str) -> ! {
    panic!("{function}: the size of `{buffer}`, {formula} elements, is too large for this machine")
}

#[cfg(test)]
mod tests {
    use std::panic::{UnwindSafe, catch_unwind};

    fn message(call: impl FnOnce() + UnwindSafe) -> String {
        let payload = catch_unwind(call).expect_err("the call panics");
        payload.downcast_ref::<String>().cloned().unwrap_or_default()
    }

    #[test]
    fn messages_name_function_array_access_line_index_and_length() {
        assert_eq!(
            message(|| super::out_of_range("loss", "x", "x[i * d + j]", 12, 7, 6)),
            "loss: index out of range in `x[i * d + j]` (line 12): the index is 7 but the length of `x` is 6"
        );
        assert_eq!(
            message(|| super::slice_out_of_range("loss", "x", "&x[a..b]", 0, [2, 9], 6)),
            "loss: slice out of range in `&x[a..b]`: the range is 2..9 but the length of `x` is 6"
        );
        assert_eq!(
            message(|| super::wrong_shape("loss", "adjoint", "d_x", 3, "x", 4)),
            "loss: the length of the adjoint `d_x` is 3 but the length of `x` is 4"
        );
        assert_eq!(
            message(|| super::failed("loss", "assertion failed: n > 0", 3)),
            "loss: assertion failed: n > 0 (line 3)"
        );
    }
}
