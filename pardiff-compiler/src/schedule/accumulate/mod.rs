//! Accumulations into adjoints as few operations.
//!
//! *Comes in*: a reversed program before it is scheduled. *Goes out*: one with fewer zeros, sums and scalars. *Guarantees*: the
//! adjoints but for their rounding, and those of [`into_zero`] but for the sign of a zero. *Never*: touches what is no local
//! adjoint.

mod common_factors;
mod reassociate_adjoints;
mod zero;

use crate::ir::{Place, Program};
pub(crate) use reassociate_adjoints::in_one;
pub(crate) use zero::into_zero;

fn is_local_adjoint(program: &Program, target: &Place) -> bool {
    let local = !program.params.contains(&target.buffer) && !program.results.contains(&target.buffer);
    target.index.is_empty() && local && program.is_derivative(target.buffer)
}

#[cfg(test)]
mod tests {
    use super::{in_one, into_zero};
    use crate::ir::{Program, parse};

    fn after(body: &str) -> String {
        changed(body, into_zero)
    }

    /// The body behind the declarations.
    fn changed(body: &str, change: impl Fn(&mut Program)) -> String {
        let text = format!(
            "fn f(x: in f64, y: inout f64, w: inout f64[_], b: in bool)\n  scope z: f64, d_z: adjoint(z) f64 # adjoint\n{}",
            body.lines().map(|line| format!("    {line}\n")).collect::<String>()
        );
        let mut program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        change(&mut program);
        let lines = program.to_string();
        let lines: Vec<&str> = lines.lines().skip(2).map(str::trim).collect();
        lines.join("\n")
    }

    #[test]
    fn a_zero_that_is_added_to_is_left_out() {
        assert_eq!(
            after("d_z = 0.0\ny = x\nd_z += x\nd_z += y\ny += d_z"),
            "y = x\nd_z = x\nd_z += y\ny += d_z"
        );
    }

    #[test]
    fn a_zero_that_somebody_sees_stays() {
        for body in [
            "d_z = 0.0\ny = d_z\nd_z += x",
            "d_z = 0.0\nif b\nd_z += x\nd_z += y",
            "d_z = 1.0\nd_z += x",
            "z = 0.0\nz += x",
            "d_z = 0.0\nd_z += d_z",
        ] {
            let indented = body.replace("if b\nd_z += x", "if b\n  d_z += x");
            assert_eq!(after(&indented), body, "{body}");
        }
    }

    #[test]
    fn a_zero_that_one_condition_adds_to_is_left_out() {
        assert_eq!(
            after("d_z = 0.0\ny = x\nif b\n  d_z += x\n  y += d_z\nelse\n  y = 2.0"),
            "y = x\nif b\nd_z = x\ny += d_z\nelse\ny = 2.0"
        );
        for body in [
            // somebody sees it behind the condition, in the condition, or in one of the arms
            "d_z = 0.0\nif b\n  d_z += x\ny += d_z",
            "d_z = 0.0\nif d_z < x\n  d_z += x",
            "d_z = 0.0\nif b\n  d_z += x\nelse\n  y += d_z",
            // or an iteration does
            "d_z = 1.0\nfor i in 0..3\n  d_z = 0.0\n  if b\n    d_z += x",
        ] {
            let flat: Vec<&str> = body.lines().map(str::trim).collect();
            assert_eq!(after(body), flat.join("\n"));
        }
    }

    fn joined(body: &str) -> String {
        changed(body, in_one)
    }

    #[test]
    fn what_is_added_twice_is_added_once() {
        assert_eq!(
            joined("d_z = 1.0\nd_z += x * y\nd_z += x * y\ny = d_z"),
            "d_z = 1.0\nd_z += x * 2.0 * y\ny = d_z"
        );
        assert_eq!(
            joined("d_z = -(x * y)\nd_z += -(x * y)\ny = d_z * d_z"),
            "d_z = -(x * 2.0 * y)\ny = d_z * d_z"
        );
        for body in
            ["d_z = 1.0\nd_z += x\ny = x\nd_z += x", "d_z = x\nd_z += d_z", "y += x\ny += x", "z = x\nz += x"]
        {
            assert_eq!(joined(body), body);
        }
    }

    #[test]
    fn partial_derivatives_are_added_before_they_are_multiplied() {
        let of_u = |body: &str| {
            let declared = "scope u: adjoint(z) f64, v: f64 # adjoint\n  u = x * w[0]\n";
            let after =
                joined(&format!("{declared}{}", body.replace("d_z", "  d_z").replace("v =", "  v =")));
            after.lines().skip(2).collect::<Vec<_>>().join("\n")
        };
        assert_eq!(
            of_u("d_z = u * x * 2.0\nd_z += u * y\nd_z += -u\nv = d_z * d_z"),
            "d_z = u * (x * 2.0 + y - 1.0)\nv = d_z * d_z"
        );
        // as the numbers of a square's half
        assert_eq!(
            of_u("d_z = u * x * 0.5\nd_z += u * (0.5 * x)\nv = d_z * d_z"),
            "d_z = u * x\nv = d_z * d_z"
        );
        // of what is added to, the value of a temporary stays one
        assert_eq!(of_u("v = d_z * u\nd_z += v * x\nd_z += v * y"), "v = d_z * u\nd_z += v * (x + y)");
        // the value of a temporary is taken apart
        assert_eq!(
            of_u("v = u * x\nd_z = v * y\nd_z += u * (x * x)\nd_z += d_z"),
            "d_z = u * (x * (y + x))\nd_z += d_z"
        );
    }

    #[test]
    fn accumulations_of_different_adjoints_stay() {
        for body in [
            "d_z = x * y\nd_z += x * 2.0",
            "scope u: adjoint(z) f64 # adjoint\n  u = x\n  d_z = u * y\n  d_z += x * y\n  w[0] = u",
            "scope u: adjoint(z) f64 # adjoint\n  u = x\n  d_z = u * y\n  w[0] = u\n  d_z += u * x",
        ] {
            let flat: Vec<&str> =
                body.lines().map(|line| line.trim().trim_end_matches(" # adjoint")).collect();
            assert_eq!(joined(body).replace(" # adjoint", ""), flat.join("\n"));
        }
    }

    #[test]
    fn what_is_computed_for_a_sum_is_computed_there() {
        assert_eq!(joined("d_z = x * 3.0\ny += 1.0\nw[2] += -d_z"), "y += 1.0\nw[2] += -(x * 3.0)");
        assert_eq!(
            joined("scope t: f64\n  t = x * 3.0\n  d_z = t * x\ny += d_z"),
            "scope t: f64\nt = x * 3.0\ny += t * x"
        );
        for body in [
            // it is needed elsewhere, or as something else
            "d_z = x * 3.0\ny += d_z\nw[0] += d_z",
            "d_z = x * 3.0\ny += d_z * 2.0",
            "d_z = x * 3.0\nd_z += 1.0\ny += d_z",
            // what it is computed from changes, and so does the target
            "d_z = y * 3.0\ny = 1.0\nw[0] += d_z",
            "d_z = y * 3.0\ny += d_z",
            // it is computed once, and added often
            "d_z = x * 3.0\nfor i in 0..3\n  y += d_z",
        ] {
            let flat: Vec<&str> = body.lines().map(str::trim).collect();
            assert_eq!(joined(body), flat.join("\n"));
        }
    }
}
