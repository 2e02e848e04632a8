//! Functions inside functions.

/// A differentiated function in a function body, with a helper that only the body knows.
pub fn in_a_function_body(x: f64) -> (f64, f64) {
    use pardiff::differentiate as gradient_of;

    const LOCAL: f64 = 7.0;

    #[gradient_of]
    fn local(x: f64) -> f64 {
        const OWN: f64 = 2.0;
        fn twice(a: f64) -> f64 {
            OWN_OF_HELPER * a
        }
        const OWN_OF_HELPER: f64 = 2.0;
        let factor: f64 = LOCAL;
        factor * twice(x) * OWN
    }

    let mut d_x = 0.0;
    (local::grad(x, &mut d_x), d_x)
}

/// Two functions of one name in two blocks.
pub fn in_blocks() -> (f64, f64) {
    let first = {
        #[pardiff::differentiate]
        fn f(x: f64) -> f64 {
            x + 1.0
        }
        f::gradient(1.0).0
    };
    let second = {
        #[pardiff::differentiate]
        fn f(x: f64) -> f64 {
            x + 2.0
        }
        f::gradient(1.0).0
    };
    (first, second)
}

/// A signature with lengths that only the function body knows.
pub fn lengths_of_the_body() -> (f64, f64) {
    const ROWS: usize = 2;
    const COLUMNS: usize = 3;

    #[pardiff::differentiate]
    fn f<const N: usize>(x: &[[f64; COLUMNS]; ROWS], y: [f64; N], z: &[[f64; COLUMNS - 1]; 1]) -> f64 {
        let mut sum = 0.0;
        for i in 0..ROWS {
            for j in 0..COLUMNS {
                sum += x[i][j] * y[i];
            }
        }
        sum * z[0][1]
    }

    let (value, gradient) = f::gradient(&[[1.0; COLUMNS]; ROWS], [2.0, 3.0], &[[0.0, 1.0]]);
    (value, gradient.x[1][2] + gradient.z[0][1])
}

/// A parameter has the function's name.
pub fn parameter_of_the_same_name() -> f64 {
    #[pardiff::differentiate]
    fn f<const N: usize>(f: [f64; N]) -> f64 {
        f[0] * f[0]
    }
    f::gradient([3.0]).1.f[0]
}

/// A constant in lower case, which a pattern of its name would match.
pub fn constant_in_lower_case() -> f64 {
    #[allow(non_upper_case_globals)]
    const scale: f64 = 5.0;

    #[pardiff::differentiate]
    fn f(x: f64) -> f64 {
        let by: f64 = scale;
        x * by
    }
    f::gradient(3.0).1.x
}
