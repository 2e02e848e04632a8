//! Functions that are refused for what a function takes and returns, or what it names of elsewhere, and the edits
//! that their messages ask for.

use super::Row;

#[rustfmt::skip]
pub(super) const SIGNATURES: &[Row] = &[
    Row {
        name: "function_of_elsewhere",
        says: "a call of `smooth`",
        filled: &[],
        source: r##"
fn smooth(x: f64) -> f64 {
    x * x + 1.0
}

#[differentiate]
pub fn f(x: f64) -> f64 {
    smooth(x).ln()
}
"##,
        edits: &[
            ("fn smooth", "{1}\nfn smooth"),
            ("#[differentiate]\npub", "#[differentiate({3})]\npub"),
        ],
        main: r##"
pub fn main() {
    super::near(f::gradient(2.0).1.x, 0.8);
}
"##,
    },
    Row {
        name: "struct_of_elsewhere",
        says: "the type `Spring`",
        filled: &[],
        source: r##"
pub struct Spring {
    pub stiffness: f64,
}

#[differentiate]
pub fn energy(s: &Spring, x: f64) -> f64 {
    0.5 * s.stiffness * x * x
}
"##,
        edits: &[
            ("pub struct", "{1}\npub struct"),
            ("#[differentiate]\npub fn", "#[differentiate({3})]\npub fn"),
        ],
        main: r##"
pub fn main() {
    super::near(energy::gradient(&Spring { stiffness: 3.0 }, 2.0).1.x, 6.0);
}
"##,
    },
    Row {
        name: "methods_of_elsewhere",
        says: "on an `impl`",
        filled: &[],
        source: r##"
pub struct Model {
    pub scale: f64,
}

#[differentiate]
impl Model {
    pub fn loss(&self, x: f64) -> f64 {
        self.scale * x * x
    }
}
"##,
        edits: &[
            ("pub struct", "{1}\npub struct"),
            ("#[differentiate]\nimpl", "{3}\nimpl"),
        ],
        main: r##"
pub fn main() {
    super::near(model::loss::gradient(&Model { scale: 2.0 }, 3.0).1.x, 12.0);
}
"##,
    },
    Row {
        name: "asynchronous",
        says: "an `async` function",
        filled: &[],
        source: r##"
#[differentiate]
pub async fn square(x: f64) -> f64 {
    x * x
}
"##,
        edits: &[
            ("{1} fn", "fn"),
        ],
        main: r##"
pub fn main() {
    super::near(square::gradient(3.0).1.x, 6.0);
}
"##,
    },
    Row {
        name: "function_behind_dyn",
        says: "a function as a value",
        filled: &[("path", "f64::sin")],
        source: r##"
#[differentiate]
pub fn twice(f: &dyn Fn(f64) -> f64, x: f64) -> f64 {
    f(f(x))
}
"##,
        edits: &[
            ("#[differentiate]", "{1}"),
        ],
        main: r##"
pub fn main() {
    super::near(twice::gradient(0.5).1.x, 0.5f64.sin().cos() * 0.5f64.cos());
}
"##,
    },
    Row {
        name: "function_in_a_box",
        says: "a function as a value",
        filled: &[("path", "f64::sin")],
        source: r##"
#[differentiate]
pub fn twice(f: Box<dyn Fn(f64) -> f64>, x: f64) -> f64 {
    f(f(x))
}
"##,
        edits: &[
            ("Box<dyn Fn(f64) -> f64>", "{1}"),
            ("#[differentiate]", "{2}"),
        ],
        main: r##"
pub fn main() {
    super::near(twice::gradient(0.5).1.x, 0.5f64.sin().cos() * 0.5f64.cos());
}
"##,
    },
    Row {
        name: "function_of_a_type_parameter",
        says: "the type parameter `F`",
        filled: &[("path", "f64::exp")],
        source: r##"
#[differentiate]
pub fn trapezoid<F: Fn(f64) -> f64>(f: F, a: f64, b: f64) -> f64 {
    0.5 * (b - a) * (f(a) + f(b))
}
"##,
        edits: &[
            ("#[differentiate]", "{1}"),
        ],
        main: r##"
pub fn main() {
    let (sum, slope) = (0.5f64.exp() + 1.5f64.exp(), 1.5f64.exp());
    super::near(trapezoid::gradient(0.5, 1.5).1.b, 0.5 * (sum + slope));
}
"##,
    },
    Row {
        name: "iterator_taken",
        says: "an iterator as a parameter or a result",
        filled: &[],
        source: r##"
#[differentiate]
pub fn norm(items: impl Iterator<Item = f64>) -> f64 {
    items.map(|v| v * v).sum()
}
"##,
        edits: &[
            ("items: impl Iterator<Item = f64>", "{1}"),
            ("items.map", "x.iter().map"),
        ],
        main: r##"
pub fn main() {
    assert_eq!(norm::gradient(&[1.0, 2.0]).1.x, [2.0, 4.0]);
}
"##,
    },
    Row {
        name: "iterator_returned",
        says: "an iterator as a parameter or a result",
        filled: &[],
        source: r##"
#[differentiate]
pub fn squares(x: &[f64]) -> impl Iterator<Item = f64> + '_ {
    x.iter().map(|v| v * v)
}
"##,
        edits: &[
            ("-> impl Iterator<Item = f64> + '_", "{2}"),
            ("v * v)", "v * v){3}"),
        ],
        main: r##"
pub fn main() {
    let mut d_x = [0.0; 2];
    assert_eq!(squares::vjp(&[1.0, 2.0], &mut d_x, &[1.0, 10.0]), [1.0, 4.0]);
    assert_eq!(d_x, [2.0, 40.0]);
}
"##,
    },
    Row {
        name: "vector_of_the_caller_grows",
        says: "a change of the length of `v`",
        filled: &[],
        source: r##"
#[differentiate]
pub fn squares(x: &[f64], v: &mut Vec<f64>) {
    v.clear();
    for a in x {
        v.push(a * a);
    }
}
"##,
        edits: &[
            (", v: &mut Vec<f64>)", ") -> Vec<f64>"),
            ("v.clear();", "{1}"),
            ("    }\n}", "    }\n    v\n}"),
        ],
        main: r##"
pub fn main() {
    let mut d_x = [0.0; 2];
    assert_eq!(squares::vjp(&[1.0, 2.0], &mut d_x, &[1.0, 10.0]), [1.0, 4.0]);
    assert_eq!(d_x, [2.0, 40.0]);
}
"##,
    },
    Row {
        name: "whole_numbers_alone",
        says: "there is nothing to differentiate",
        filled: &[],
        source: r##"
#[differentiate]
pub fn norm(x: &[i32]) -> f64 {
    x.iter().map(|&v| v as f64 * v as f64).sum()
}
"##,
        edits: &[
            ("x: &[i32]", "{1}"),
        ],
        main: r##"
pub fn main() {
    assert_eq!(norm::gradient(&[1.0, 2.0]).1.x, [2.0, 4.0]);
}
"##,
    },
    Row {
        name: "reference_returned",
        says: "the return type `&[f64]`",
        filled: &[],
        source: r##"
#[differentiate]
pub fn first(x: &[f64]) -> &[f64] {
    &x[..1]
}
"##,
        edits: &[
            ("-> &[f64]", "-> {1}"),
            ("&x[..1]", "x[0]"),
        ],
        main: r##"
pub fn main() {
    assert_eq!(first::gradient(&[1.0, 2.0]).1.x, [1.0, 0.0]);
}
"##,
    },
    Row {
        name: "trait_of_elsewhere",
        says: "behind the trait `Number`",
        filled: &[],
        source: r##"
use num_traits::Float;

trait Number: Float {}

impl<T: Float> Number for T {}

#[differentiate]
fn product<T: Number>(x: &[T]) -> T {
    x[0] * x[1]
}
"##,
        edits: &[
            ("#[differentiate]", "{1}"),
        ],
        main: r##"
pub fn main() {
    assert_eq!(product::gradient(&[2.0, 3.0]).1.x, [3.0, 2.0]);
}
"##,
    },
    Row {
        name: "vector_of_open_size",
        says: "the type `nalgebra::OVector<f64, nalgebra::Dyn>`",
        filled: &[],
        source: r##"
#[differentiate]
pub fn norm(x: &nalgebra::OVector<f64, nalgebra::Dyn>) -> f64 {
    x.iter().map(|v| v * v).sum()
}
"##,
        edits: &[
            ("nalgebra::OVector<f64, nalgebra::Dyn>", "{1}"),
        ],
        main: r##"
pub fn main() {
    let gradient = norm::gradient(&nalgebra::DVector::from_vec(vec![1.0, 2.0])).1;
    assert_eq!(gradient.x.as_slice(), [2.0, 4.0]);
}
"##,
    },
];
