//! Modules under the attribute: helpers, constants and aliases of the module in the functions that it differentiates.

use pardiff::differentiate;
use pardiff_programs::{assert_near, check, random};

/// A name that the module's own one hides.
#[expect(dead_code, reason = "the module has one of the same name, and is to use that")]
const SHIFT: f64 = 100.0;

#[differentiate]
mod kernels {
    use std::f64::consts::PI;

    type Real = f64;
    type Point = [Real; DIM];
    type Pair<T, const N: usize = 2> = [T; N];

    const DIM: usize = 3;
    const SHIFT: Real = 0.25;
    const STEP: Real = 1.0 / 64.0;
    const WEIGHTS: [Real; DIM] = [0.5, 1.0, 2.0];
    static OFFSETS: [usize; 2] = [1, 0];

    fn square(x: Real) -> Real {
        x * x
    }

    fn dot<const N: usize>(a: &[Real; N], b: &[Real; N]) -> Real {
        let mut sum = 0.0;
        for k in 0..N {
            sum += a[k] * b[k];
        }
        sum
    }

    fn norm<const N: usize>(a: &[Real; N]) -> Real {
        dot::<N>(a, a).sqrt()
    }

    /// Visible and called by others of the module.
    pub fn weighted(p: &Point) -> Real {
        let mut sum = SHIFT;
        for k in 0..DIM {
            sum += WEIGHTS[k] * square(p[k] - STEP);
        }
        sum
    }

    pub fn energy(points: &[Point], charges: &[Real]) -> Real {
        let mut total = 0.0;
        for i in 0..points.len() {
            total += charges[i] * weighted(&points[i]) + (PI * norm(&points[i])).sin();
        }
        total
    }

    /// Its body hides names of the module; the helpers must not see that.
    pub fn hidden(x: Real) -> Real {
        const SHIFT: f64 = 3.0;
        const STEP: f64 = 2.0 * 8.0;
        fn square(x: f64) -> f64 {
            x
        }
        let p = [x, SHIFT * x, square(x) * STEP];
        self::weighted(&p) + self::SHIFT * x + self::square(x)
    }

    #[differentiate(wrt(x), sequential)]
    pub(crate) fn with_options(x: &[Real], y: &[Real], swap: Pair<usize>) -> Real {
        let mut total = 0.0;
        for i in 0..x.len() {
            total += Real::max(x[i], y[i]) * x[swap[i % 2] % x.len()] + x[OFFSETS[i % 2]];
        }
        total
    }

    /// Without floats: as it is.
    pub fn count(n: usize) -> usize {
        n + DIM
    }

    /// Takes floats and has none to return: as it is.
    pub fn is_long(x: &[f64]) -> bool {
        x.len() > DIM
    }

    /// A generic constant of the function reaches the helper.
    pub fn scaled<const N: usize>(x: &[Real; N], y: &mut [Real; N]) {
        let length = norm(x);
        for k in 0..N {
            y[k] = x[k] * length;
        }
    }

    pub mod inner {
        pub fn not_looked_at(text: &str) -> String {
            text.to_owned()
        }
    }

    impl Unit {
        pub fn of(x: f64) -> Unit {
            Unit(x)
        }
    }

    pub struct Unit(pub f64);
}

fn points(x: &[f64]) -> Vec<[f64; 3]> {
    x.as_chunks::<3>().0.to_vec()
}

#[test]
fn helpers_constants_and_aliases() {
    let (x, charges) = (random(1, 12), random(2, 4));
    let (value, gradient) = kernels::energy::gradient(&points(&x), &charges);
    assert_near(&[value], &[kernels::energy(&points(&x), &charges)]);
    check(
        |v| kernels::energy(&points(&v[0]), &v[1]),
        &[&x, &charges],
        &[gradient.points.as_flattened(), &gradient.charges],
    );
    assert!(kernels::energy::DECISIONS.contains("parallel"), "{}", kernels::energy::DECISIONS);
}

#[test]
fn a_function_that_others_call_has_a_gradient() {
    let p = [0.3, -0.2, 0.9];
    let (value, gradient) = kernels::weighted::gradient(&p);
    assert_eq!(value, kernels::weighted(&p));
    check(|v| kernels::weighted(&[v[0][0], v[0][1], v[0][2]]), &[&p], &[&gradient.p]);
}

#[test]
fn names_of_the_body_are_not_those_of_the_module() {
    let (value, gradient) = kernels::hidden::gradient(0.7);
    assert_eq!(value, kernels::hidden(0.7));
    check(|v| kernels::hidden(v[0][0]), &[&[0.7]], &[&[gradient.x]]);
}

#[test]
fn options_of_one_function() {
    let (x, y) = (random(5, 6), random(6, 6));
    let mut d_x = vec![0.0; 6];
    let value = kernels::with_options::grad(&x, &mut d_x, &y, [1, 3]);
    assert_eq!(value, kernels::with_options(&x, &y, [1, 3]));
    check(|v| kernels::with_options(&v[0], &y, [1, 3]), &[&x], &[&d_x]);
    assert!(!kernels::with_options::DECISIONS.contains("parallel"), "{}", kernels::with_options::DECISIONS);
}

#[test]
fn constants_of_the_function_reach_the_helpers() {
    let (x, seed) = (random(7, 4), random(8, 4));
    let x: [f64; 4] = x.try_into().expect("four");
    let (mut y, mut d_y, mut d_x) = ([0.0; 4], [0.0; 4], [0.0; 4]);
    d_y.copy_from_slice(&seed);
    kernels::scaled::vjp(&x, &mut d_x, &mut y, &mut d_y);
    let value = |v: &[f64]| {
        let (x, mut y) = (v.try_into().expect("four"), [0.0; 4]);
        kernels::scaled::<4>(x, &mut y);
        pardiff_programs::dot(&y, &seed)
    };
    check(|v| value(&v[0]), &[&x], &[&d_x]);
}

#[test]
fn what_has_no_gradient_stays() {
    assert_eq!(kernels::count(2), 5);
    assert!(kernels::is_long(&[0.0; 4]));
    assert_eq!(kernels::inner::not_looked_at("a"), "a");
    assert_eq!(kernels::Unit::of(1.0).0, 1.0);
}
