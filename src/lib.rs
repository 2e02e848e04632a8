//! Gradients of ordinary Rust loop functions, made at compile time by one attribute.
//!
//! ```
//! use pardiff::differentiate;
//!
//! #[differentiate(wrt(w))]
//! pub fn loss(w: &[f64], x: &[f64], y: &[f64], n: usize, d: usize) -> f64 {
//!     let mut total = 0.0;
//!     for i in 0..n {
//!         let mut r = -y[i];
//!         for j in 0..d {
//!             r += x[i * d + j] * w[j];
//!         }
//!         total += r * r;
//!     }
//!     total
//! }
//!
//! let (w, x, y) = ([1.0, 2.0], [1.0, 0.0, 0.0, 1.0], [0.0, 0.0]);
//! let mut d_w = [0.0; 2];
//! let value = loss::grad(&w, &mut d_w, &x, &y, 2, 2); // d_w += dloss/dw
//! assert_eq!((value, d_w), (5.0, [2.0, 4.0]));
//! ```
//!
//! # What the attribute adds
//!
//! The function stays as written. Beside it stands a module of its name (functions and modules do not share names):
//!
//! | item | what it does |
//! | --- | --- |
//! | `f::grad(args…) -> value` | runs `f` and adds its gradient to the adjoints; exists where `f` returns `f32` or `f64` |
//! | `f::vjp(args…, seed) -> value` | the same with the adjoint of the result given |
//! | `f::grad_into(args…)`, `f::vjp_into(args…, seed)` | the same, but the adjoints of inputs are overwritten |
//! | `f::gradient(args…) -> (value, f::Gradient)` | takes the arguments of `f`, allocates, returns named fields; exists where `f` returns one float and has no `&mut` float parameter |
//! | `f::value(args…) -> value` | `f` itself, compiled as its gradient is |
//! | `f::jvp(args…) -> (value, tangent)` | forward mode, asked for with `forward`: each active argument is followed by its tangent |
//! | `f::hvp(args…) -> (value, slope)` | the product of the Hessian with a direction, asked for with `hvp` |
//! | `f::cuda::grad`, `f::cuda::vjp` | the same on an NVIDIA GPU, asked for with `cuda` |
//! | `f::PLAN` | what runs in parallel, what in order and why, the size of tapes; also the documentation of the module |
//! | `f::DECISIONS` | the whole list: each loop, each tape, each summation |
//!
//! Arguments are those of `f` in order; each *active* one is followed at once by its adjoint:
//!
//! | parameter of `f` | adjoint argument | meaning |
//! | --- | --- | --- |
//! | `x: &[f64]`, `&[[f64; M]]`, `&[f64; N]`, … | `d_x: &mut …` of the same shape | the gradient is added to it |
//! | `s: f64`, `s: &f64` | `d_s: &mut f64` | the gradient is added to it |
//! | `y: &mut …` | `d_y: &mut …` | in: the adjoint of `y` after the call; out: the adjoint of `y` before it |
//! | `a: ArrayView2<'_, f64>`, `a: &Array2<f64>`, … | `d_a: ArrayViewMut2<'_, f64>`, `d_a: &mut Array2<f64>`, … | the gradient is added to it |
//! | integers, booleans, their slices | none | constants of the differentiation |
//!
//! Every float parameter is active, or those that `wrt(…)` names together with every `&mut` float parameter; `f32` and
//! `f64` may be mixed. The seed of `vjp` has the shape of the result: a float, an array of floats, or the tuple of the
//! float members in order (one member alone is a plain float); without a returned float there is no seed, because the
//! adjoints of the outputs are the seeds.
//!
//! ```
//! use pardiff::differentiate;
//!
//! /// One explicit step of the heat equation, in place.
//! #[differentiate]
//! fn heat(u: &mut [f64], k: f64) {
//!     let mut left = u[0];
//!     for i in 1..u.len() - 1 {
//!         let here = u[i];
//!         u[i] = here + k * (left - 2.0 * here + u[i + 1]);
//!         left = here;
//!     }
//! }
//!
//! let (mut u, mut d_k) = ([0.0, 1.0, 0.0], 0.0);
//! let mut d_u = [0.0, 1.0, 0.0]; // the adjoint of the new `u`: we ask for its middle element
//! heat::vjp(&mut u, &mut d_u, 0.25, &mut d_k);
//! assert_eq!(u, [0.0, 0.5, 0.0]);
//! assert_eq!(d_u, [0.25, 0.5, 0.25]); // the adjoint of the old one
//! assert_eq!(d_k, -2.0);
//! ```
//!
//! # Promises
//!
//! - **Right or refused.** What cannot be differentiated exactly is a compile error at the construct, with what to write
//!   instead.
//! - **Safe.** The generated code is safe Rust. Adjoints of a wrong length panic before anything is written; an index
//!   out of range panics where `f` does, with the names of the function and of the array, the access, its line, the
//!   index and the length.
//! - **Deterministic.** The same call gives the same bits.
//!
//! # Options
//!
//! `#[differentiate(wrt(…), forward, hvp, crate = path, module = name, sequential, strict, cuda, deny(atomics),
//! custom(partials = d_f), custom(vjp = f_vjp, jvp = f_jvp), export, uses(path, …))]`: `crate` names pardiff where
//! it is renamed or re-exported, `module` renames the module where its name is taken, `strict` keeps the order of
//! sums, `cuda` makes kernels for a GPU as well (feature `cuda`), and `deny(atomics)` refuses those of its sums
//! that need atomic additions.
//!
//! # Modules
//!
//! On an inline module the attribute sees what stands beside a function: helpers, constants and aliases of types.
//!
//! ```
//! use pardiff::differentiate;
//!
//! #[differentiate]
//! mod kernels {
//!     type Real = f64;
//!     const STIFFNESS: Real = 4.0;
//!
//!     fn norm<const N: usize>(x: &[Real; N]) -> Real {
//!         x.iter().map(|x| x * x).sum::<Real>().sqrt()
//!     }
//!
//!     pub fn energy(points: &[[Real; 3]]) -> Real {
//!         points.iter().map(|p| 0.5 * STIFFNESS * norm(p)).sum()
//!     }
//!
//!     #[differentiate(wrt(x))]
//!     pub fn loss(x: &[Real], y: &[Real]) -> Real {
//!         x.iter().zip(y).map(|(x, y)| (x - y) * (x - y)).sum()
//!     }
//! }
//!
//! let (_, gradient) = kernels::energy::gradient(&[[0.0, 3.0, 4.0]]);
//! assert!((gradient.points[0][1] - 1.2).abs() < 1e-15);
//! ```
//!
//! Each function that is visible outside, takes floats and returns or writes floats gets its module beside it; the others
//! stay as they are. `crate`, `strict` and `sequential` on the module hold for all of them, and a function may have a
//! `#[differentiate(…)]` of its own, a private one as well. Helpers are inlined. A function that is refused leaves the
//! others as they are; one that uses what cannot be differentiated, and whose gradient nobody wants, is better private or
//! outside of the module. What the module imports from elsewhere, and modules inside of it, are not looked into.
//!
//! Structs of the module are taken apart into their fields. The adjoint of a struct has the same type; its integers and
//! bools are left alone, and `gradient` returns the primal's.
//!
//! ```
//! use pardiff::differentiate;
//!
//! #[differentiate]
//! mod springs {
//!     #[derive(Clone, Debug)]
//!     pub struct Node {
//!         pub at: [f64; 2],
//!         pub mass: f64,
//!         pub group: usize,
//!     }
//!
//!     impl Node {
//!         fn distance(&self, other: &Node) -> f64 {
//!             let [dx, dy] = [self.at[0] - other.at[0], self.at[1] - other.at[1]];
//!             (dx * dx + dy * dy).sqrt()
//!         }
//!     }
//!
//!     pub fn energy(nodes: &[Node], springs: &[[usize; 2]]) -> f64 {
//!         springs.iter().map(|&[i, j]| 0.5 * nodes[i].distance(&nodes[j]).powi(2)).sum()
//!     }
//! }
//!
//! use springs::Node;
//! let nodes = [Node { at: [0.0, 0.0], mass: 1.0, group: 7 }, Node { at: [3.0, 4.0], mass: 1.0, group: 8 }];
//! let (value, gradient) = springs::energy::gradient(&nodes, &[[0, 1]]);
//! assert!((value - 12.5).abs() < 1e-14 && (gradient.nodes[1].at[1] - 4.0).abs() < 1e-14);
//! assert_eq!(gradient.nodes[1].group, 8);
//! ```
//!
//! # Forward mode and second order
//!
//! ```
//! use pardiff::differentiate;
//!
//! #[differentiate(forward, hvp)]
//! fn rosenbrock(x: &[f64]) -> f64 {
//!     let mut total = 0.0;
//!     for i in 0..x.len() - 1 {
//!         let (a, b) = (1.0 - x[i], x[i + 1] - x[i] * x[i]);
//!         total += a * a + 100.0 * b * b;
//!     }
//!     total
//! }
//!
//! let (x, direction) = ([1.0, 1.0], [1.0, 0.0]);
//! let (value, slope) = rosenbrock::jvp(&x, &direction);
//! assert_eq!((value, slope), (0.0, 0.0));
//! let mut product = [0.0; 2];
//! rosenbrock::hvp(&x, &direction, &mut product); // the first column of the Hessian is added
//! assert_eq!(product, [802.0, -400.0]);
//! ```
//!
//! # Several files and crates
//!
//! What stands elsewhere is exported with one attribute line, and named where it is used; nothing moves.
//!
//! ```
//! mod atom {
//!     use pardiff::differentiate;
//!
//!     #[differentiate(export)]
//!     pub struct Atom {
//!         pub at: [f64; 2],
//!         pub charge: f64,
//!     }
//! }
//!
//! mod motion {
//!     use super::atom::Atom;
//!     use pardiff::differentiate;
//!
//!     #[differentiate(export, uses(Atom))]
//!     impl Atom {
//!         pub fn distance(&self, other: &Atom) -> f64 {
//!             (self.at[0] - other.at[0]).hypot(self.at[1] - other.at[1])
//!         }
//!     }
//! }
//!
//! mod energy {
//!     use super::atom::Atom;
//!     use super::motion::atom; // the module that the `impl` makes
//!     use pardiff::differentiate;
//!
//!     #[differentiate(uses(Atom, atom))]
//!     pub fn energy(a: &Atom, b: &Atom) -> f64 {
//!         a.charge * b.charge / a.distance(b)
//!     }
//! }
//!
//! fn main() {
//!     let a = atom::Atom { at: [0.0, 0.0], charge: 1.0 };
//!     let b = atom::Atom { at: [3.0, 4.0], charge: 5.0 };
//!     let (value, gradient) = energy::energy::gradient(&a, &b);
//!     assert_eq!((value, gradient.a.charge), (1.0, 1.0));
//!     assert!((gradient.b.at[0] + 0.12).abs() < 1e-15);
//! }
//! ```
//!
//! # Types of known crates
//!
//! With the features `num-complex`, `glam` and `nalgebra`, functions take and return complex numbers, vectors,
//! matrices and points of these crates; adjoints have the same types. The adjoint of a complex number is
//! `dL/dre + i dL/dim`.
//!
//! ```text
//! #[differentiate]
//! fn energy(at: &[glam::DVec3]) -> f64 {
//!     let mut total = 0.0;
//!     for i in 0..at.len() {
//!         for j in 0..i {
//!             total += 1.0 / at[i].distance(at[j]);
//!         }
//!     }
//!     total
//! }
//! let (value, gradient) = energy::gradient(&at); // gradient.at: Vec<DVec3>
//! ```
//!
//! # Derivatives by hand
//!
//! A function of scalars that the attribute cannot or should not look into gets a rule: a function of the same
//! arguments that returns the derivative, or an array or a tuple with one for each float argument in order. The value
//! is the function's own, computed as often as it is called.
//!
//! ```
//! use pardiff::differentiate;
//!
//! #[differentiate]
//! mod kinetics {
//!     /// Lambert's W: `w exp(w) = x`, by Newton's method.
//!     #[differentiate(custom(partials = slope))]
//!     fn lambert(x: f64) -> f64 {
//!         std::iter::successors(Some(1.0), |w: &f64| Some(w - (w - x * (-w).exp()) / (w + 1.0))).nth(20).unwrap()
//!     }
//!
//!     fn slope(x: f64) -> f64 {
//!         let w = lambert(x);
//!         w / (x * (1.0 + w))
//!     }
//!
//!     pub fn total(x: &[f64]) -> f64 {
//!         x.iter().map(|&x| lambert(x)).sum()
//!     }
//! }
//!
//! let (_, gradient) = kinetics::total::gradient(&[std::f64::consts::E]);
//! assert!((gradient.x[0] - 0.5 / std::f64::consts::E).abs() < 1e-15);
//! ```
//!
//! Such functions have no effects besides their value; they may panic. With `cuda` they are refused.
//!
//! Over arrays the rule has the contract of `f::vjp` itself, and `f` may call any crate:
//!
//! ```
//! #[pardiff::differentiate]
//! mod kernels {
//!     #[differentiate(custom(vjp = sorted_vjp))]
//!     fn sorted(x: &[f64], y: &mut [f64]) {
//!         y.copy_from_slice(x);
//!         y.sort_by(f64::total_cmp);
//!     }
//!
//!     fn sorted_vjp(x: &[f64], d_x: &mut [f64], y: &mut [f64], d_y: &mut [f64]) {
//!         let mut order: Vec<usize> = (0..x.len()).collect();
//!         order.sort_by(|&a, &b| x[a].total_cmp(&x[b]));
//!         for (k, &of) in order.iter().enumerate() {
//!             y[k] = x[of];
//!             d_x[of] += std::mem::take(&mut d_y[k]); // `sorted` overwrites `y`
//!         }
//!     }
//!
//!     pub fn weighted(x: &[f64], n: usize) -> f64 {
//!         let mut y = vec![0.0; n];
//!         sorted(x, &mut y);
//!         (0..n).map(|k| k as f64 * y[k]).sum()
//!     }
//! }
//!
//! let (value, gradient) = kernels::weighted::gradient(&[5.0, 1.0, 3.0], 3);
//! assert_eq!((value, gradient.x), (13.0, vec![2.0, 0.0, 1.0]));
//! ```
//!
//! # Sparse Jacobians and Hessians
//!
//! [`sparse`] makes them of a few products: it colours columns, and tells apart what is in one product.
//!
//! ```
//! use pardiff::sparse::{Compression, Pattern};
//!
//! #[pardiff::differentiate(hvp)]
//! fn rosenbrock(x: &[f64]) -> f64 {
//!     let mut total = 0.0;
//!     for i in 0..x.len() - 1 {
//!         let (a, b) = (1.0 - x[i], x[i + 1] - x[i] * x[i]);
//!         total += a * a + 100.0 * b * b;
//!     }
//!     total
//! }
//!
//! let x = [1.0; 1000];
//! let hvp = |x_dot: &[f64], h_x: &mut [f64]| _ = rosenbrock::hvp(&x, x_dot, h_x);
//! let compression = Compression::symmetric(Pattern::found(1000, 1000, hvp)); // once
//! assert_eq!(compression.directions(), 3);
//! let hessian = compression.matrix(hvp); // at each point, by three products
//! assert_eq!([hessian.get(7, 7), hessian.get(7, 8), hessian.get(7, 9)], [1002.0, -400.0, 0.0]);
//! ```
//!
//! # Generic functions
//!
//! A type parameter stands for `f64` and `f32`: there is a module for each, and the functions of the module with
//! the function's name take either. Traits of the crate `num-traits` before it need the feature `num-traits` of
//! pardiff.
//!
//! ```
//! use pardiff::differentiate;
//! use std::ops::{Add, Mul};
//!
//! #[differentiate]
//! fn dot<T: Copy + Default + Add<Output = T> + Mul<Output = T>>(x: &[T], y: &[T]) -> T {
//!     let mut sum = T::default();
//!     for i in 0..x.len() {
//!         sum = sum + x[i] * y[i];
//!     }
//!     sum
//! }
//!
//! fn main() {
//!     let (_, gradient) = dot::gradient(&[1.0_f32, 2.0], &[3.0, 4.0]); // dot_of_f32::gradient
//!     assert_eq!(gradient.x, [3.0, 4.0]);
//! }
//! ```
//!
//! Such a function stands in a module, and not in the body of another function.
//!
//! # Arrays of `ndarray`
//!
//! With the feature `ndarray`, parameters may be arrays and views of one to four dimensions of the crate `ndarray` (0.17),
//! with any strides. What is in standard layout is computed on where it lies; other arrays are copied, and copied back
//! where they are written.
//!
//! ```ignore
//! use ndarray::{Array2, ArrayView1, arr1, arr2};
//! use pardiff::differentiate;
//!
//! #[differentiate]
//! fn loss(a: &Array2<f64>, x: ArrayView1<'_, f64>) -> f64 {
//!     a.outer_iter().map(|row| row.dot(&x).powi(2)).sum()
//! }
//!
//! let (a, x) = (arr2(&[[1.0, 2.0], [3.0, 4.0]]), arr1(&[1.0, 0.0]));
//! let (value, gradient) = loss::gradient(&a, x.view()); // gradient.a is an Array2<f64>
//! let (mut d_a, mut d_x) = (Array2::zeros((2, 2)), arr1(&[0.0, 0.0]));
//! let value = loss::grad(&a, &mut d_a, x.view(), d_x.view_mut());
//! ```
//!
//! # Matrix products
//!
//! With the feature `gemm`, loops that are matrix products, and the adjoints of such loops, are done by the crate `gemm` where
//! they are large, on all cores and with the same bits at any number of threads. `DECISIONS` names them.
//!
//! # Conventions at kinks
//!
//! `abs'(0) = 0`; on a tie `max` and `min` give the whole adjoint to their first argument, and a running maximum or
//! minimum to the first element that attains it; `sqrt'(0)` is infinite as in the mathematics; `x.powf(y)` at `x = 0`,
//! `y > 0` has derivative 0 in `y`. A branch that was not taken contributes nothing.
#![forbid(unsafe_code)]

pub use pardiff_macros::differentiate;

#[doc(hidden)]
pub use pardiff_macros::{__Configured, __removed, __with};
pub use pardiff_runtime::sparse;

/// What `f::check` of the option `check` finds: what it compared, or a derivative that is wrong.
pub use pardiff_runtime::check::{Compared, Derivative, Mismatch, Report};

/// Gives the scratch memory that gradients keep between calls back to the system: tapes, block locals and private
/// copies. Never needed for a right result; the next calls allocate again.
pub use pardiff_runtime::release_scratch;

/// Ranks that exchange messages, as threads of one process: programs with MPI, without it.
pub use pardiff_runtime::ranks;

/// Special functions of `f32` and `f64` that the standard library does not have. They are ordinary functions; a gradient of
/// what calls them has the same functions, and their derivatives.
///
/// ```
/// use pardiff::{differentiate, math};
///
/// /// The negative logarithm of a Poisson likelihood.
/// #[differentiate]
/// fn loss(rate: &[f64], count: &[f64]) -> f64 {
///     let mut total = 0.0;
///     for i in 0..rate.len() {
///         total += rate[i] - count[i] * rate[i].ln() + pardiff::math::ln_gamma(count[i] + 1.0);
///     }
///     total
/// }
///
/// let (_, gradient) = loss::gradient(&[2.0], &[0.0]);
/// assert_eq!(gradient.rate, [1.0]);
/// assert!((gradient.count[0] - (math::digamma(1.0) - 2f64.ln())).abs() < 1e-15);
/// ```
///
/// The functions of the crates `libm` and `statrs` are known by their paths as well: `libm::erf(x)`, and all that are methods of
/// floats anyway, as `libm::cosf(x)`; `statrs::function::gamma::ln_gamma(x)`. The gradient computes these functions by its own
/// implementations: the values are equal to rounding, and it does not call those crates.
pub mod math {
    pub use pardiff_runtime::math::special::*;
}

/// Gradients on NVIDIA GPUs, with the feature `cuda`: a device, arrays in its memory, and what can go wrong.
#[cfg(feature = "cuda")]
pub mod cuda {
    pub use pardiff_runtime::cuda::{Buffer, Element, Error, Gpu, OnCpu, Pending, Pinned};
}

/// What generated code calls; no part of the interface.
#[doc(hidden)]
pub use pardiff_runtime as runtime;
