//! Functions that are refused for what stands in its body, and the edits that their messages ask for.

use super::Row;

#[rustfmt::skip]
pub(super) const BODIES: &[Row] = &[
    Row {
        name: "static_that_changes",
        says: "an `unsafe` block",
        filled: &[],
        source: r##"
static mut SCALE: f64 = 2.0;

#[differentiate]
pub fn scaled(x: f64) -> f64 {
    x * unsafe { SCALE }
}
"##,
        edits: &[
            ("x: f64)", "x: f64, {1})"),
            ("unsafe { SCALE }", "{2}"),
        ],
        main: r##"
pub fn main() {
    super::near(scaled::gradient(3.0, 2.0).1.x, 2.0);
}
"##,
    },
    Row {
        name: "collection_by_keys",
        says: "a call of `std::collections::HashMap::new`",
        filled: &[],
        source: r##"
#[differentiate]
pub fn product(x: &[f64], at: &[usize], n: usize) -> f64 {
    let mut values = std::collections::HashMap::new();
    for i in 0..x.len() {
        let k = at[i];
        values.insert(k, x[i]);
    }
    values[&0] * values[&1]
}
"##,
        edits: &[
            ("let mut values = std::collections::HashMap::new();", "{1}"),
            ("values.insert(k, x[i]);", "{2}"),
            ("[&", "["),
        ],
        main: r##"
pub fn main() {
    assert_eq!(product::gradient(&[2.0, 3.0, 5.0], &[1, 0, 1], 2).1.x, [0.0, 5.0, 3.0]);
}
"##,
    },
    Row {
        name: "recursion_of_open_depth",
        says: "calls itself",
        filled: &[],
        source: r##"
#[differentiate]
pub fn cube(x: f64, n: usize) -> f64 {
    fn power(x: f64, depth: usize) -> f64 {
        if depth == 0 { 1.0 } else { power(x, depth - 1) + x * power(0.5 * x, depth - 1) }
    }
    power(x, n)
}
"##,
        edits: &[
            ("power(x, n)", "{1}"),
        ],
        main: r##"
pub fn main() {
    super::near(cube::gradient(2.0, 3).1.x, 10.5);
}
"##,
    },
    Row {
        name: "table_of_functions",
        says: "a call of something that is not a name",
        filled: &[],
        source: r##"
#[differentiate]
pub fn chosen(x: f64, k: usize) -> f64 {
    [f64::sin, f64::cos][k](x)
}
"##,
        edits: &[
            ("[f64::sin, f64::cos][k](x)", "{1}"),
        ],
        main: r##"
pub fn main() {
    super::near(chosen::gradient(0.3, 1).1.x, -0.3f64.sin());
}
"##,
    },
    Row {
        name: "reference_chosen",
        says: "a `&mut` reference that is chosen by a branch",
        filled: &[],
        source: r##"
#[differentiate]
pub fn square(first: bool, v: f64, a: &mut [f64], b: &mut [f64]) {
    let v = v * v;
    (if first { a } else { b })[0] = v;
}
"##,
        edits: &[("(if first { a } else { b })[0] = v;", "{1}")],
        main: r##"
pub fn main() {
    let (mut a, mut b, mut d_v) = ([1.0], [2.0], 0.0);
    square::vjp(false, 3.0, &mut d_v, &mut a, &mut [1.0], &mut b, &mut [1.0]);
    assert_eq!((a, b, d_v), ([1.0], [9.0], 6.0));
}
"##,
    },
    Row {
        name: "two_float_types",
        says: "the types `f32` and `f64` meet here",
        filled: &[],
        source: r##"
#[differentiate]
pub fn f(x: f32, y: f64) -> f64 {
    let z: f64 = x * y;
    z
}
"##,
        edits: &[
            ("x * y", "{1} * y"),
        ],
        main: r##"
pub fn main() {
    super::near(f::gradient(2.0, 3.0).1.y, 2.0);
}
"##,
    },
    Row {
        name: "float_and_integer",
        says: "the types `f64` and `usize` meet here",
        filled: &[],
        source: r##"
#[differentiate]
pub fn mean(x: &[f64], n: usize) -> f64 {
    let total: f64 = x.iter().sum();
    let mean: f64 = total / n;
    mean
}
"##,
        edits: &[
            ("total / n", "total / {1}"),
        ],
        main: r##"
pub fn main() {
    assert_eq!(mean::gradient(&[1.0, 2.0], 2).1.x, [0.5, 0.5]);
}
"##,
    },
    Row {
        name: "references_collected",
        says: "a vector of references",
        filled: &[],
        source: r##"
#[differentiate]
pub fn logarithms(x: &[f64]) -> f64 {
    let kept: Vec<_> = x.iter().filter(|v| **v > 0.0).collect();
    kept.iter().map(|v| v.ln()).sum()
}
"##,
        edits: &[
            (".collect()", "{1}.{2}()"),
        ],
        main: r##"
pub fn main() {
    assert_eq!(logarithms::gradient(&[-1.0, 2.0]).1.x, [0.0, 0.5]);
}
"##,
    },
    Row {
        name: "parallel_bridge",
        says: "the parallel iterator method `par_bridge`",
        filled: &[],
        source: r##"
use rayon::prelude::*;

#[differentiate]
pub fn norm(x: &[f64]) -> f64 {
    x.iter().par_bridge().map(|v| v * v).sum()
}
"##,
        edits: &[
            ("iter().par_bridge()", "{1}"),
        ],
        main: r##"
pub fn main() {
    assert_eq!(norm::gradient(&[1.0, 2.0]).1.x, [2.0, 4.0]);
}
"##,
    },
    Row {
        name: "start_of_a_reduction",
        says: "this start of a parallel `reduce`",
        filled: &[],
        source: r##"
use rayon::prelude::*;

#[differentiate]
pub fn total(x: &[f64], offset: f64) -> f64 {
    x.par_iter().copied().reduce(|| offset, |a, b| a + b)
}
"##,
        edits: &[
            ("|| offset", "|| {1}"),
            ("a + b)", "a + b) + offset"),
        ],
        main: r##"
pub fn main() {
    super::near(total::gradient(&[1.0, 2.0], 0.5).1.offset, 1.0);
}
"##,
    },
    Row {
        name: "random_number",
        says: "a call of `rand::random`",
        filled: &[],
        source: r##"
#[differentiate]
pub fn noisy(x: f64) -> f64 {
    let noise: f64 = rand::random();
    x * noise
}
"##,
        edits: &[
            ("x: f64)", "x: f64, {1})"),
            ("    let noise: f64 = rand::random();\n", ""),
        ],
        main: r##"
pub fn main() {
    super::near(noisy::gradient(3.0, 0.5).1.x, 0.5);
}
"##,
    },
    Row {
        name: "function_of_a_crate",
        says: "a call of `erf`",
        filled: &[("…", "x")],
        source: r##"
#[differentiate]
pub fn f(x: f64) -> f64 {
    erf(x) * x
}
"##,
        edits: &[
            ("erf(x)", "{1}"),
        ],
        main: r##"
pub fn main() {
    let slope = std::f64::consts::FRAC_2_SQRT_PI * (-0.25f64).exp() * 0.5;
    super::near(f::gradient(0.5).1.x, pardiff::math::erf(0.5) + slope);
}
"##,
    },
];
