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
