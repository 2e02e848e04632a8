//! Types of known crates that bodies import.

use pardiff::differentiate;

#[differentiate(check)]
fn distance(x: &[f64], y: &[f64]) -> f64 {
    use nalgebra::{Matrix2, Vector2 as Pair};
    let turn = Matrix2::new(0.0, -1.0, 1.0, x[2]);
    (turn * Pair::new(x[0], x[1]) - Pair::new(y[0], y[1])).norm()
}

#[differentiate(check)]
fn volume(x: &[f64]) -> f64 {
    fn edge(x: &[f64]) -> glam::DVec3 {
        use glam::dvec3;
        dvec3(x[0], x[1], x[2])
    }
    let mut total = 0.0;
    for i in 0..x.len() / 9 {
        use glam::*;
        let (a, b) = (edge(&x[9 * i..]), edge(&x[9 * i + 3..]));
        total += a.cross(b).dot(DVec3::new(x[9 * i + 6], x[9 * i + 7], x[9 * i + 8]));
    }
    total
}

#[differentiate]
mod inside {
    /// A power of a complex number.
    #[differentiate(check)]
    pub fn real_part(re: f64, im: f64) -> f64 {
        use num_complex::{self as complex, Complex64};
        let z = Complex64::new(re, im) * complex::Complex::<f64>::new(0.5, im);
        z.re
    }
}

/// Macros of the module that have names of those of `nalgebra`.
#[differentiate]
mod own {
    macro_rules! vector {
        ($($x:expr),*) => { [$(2.0 * $x),*] };
    }

    #[differentiate(check)]
    pub fn product(x: f64, y: f64) -> f64 {
        let [a, b] = vector![x, y];
        a * b
    }
}

#[test]
fn a_macro_of_the_module_is_itself() {
    own::product::check(0.7, -1.2).unwrap();
    assert_eq!(own::product::value(0.5, 3.0), 6.0);
}

#[test]
fn imports_in_bodies() {
    distance::check(&[1.0, 2.0, 0.5], &[0.3, 0.4]).unwrap();
    let (value, gradient) = distance::gradient(&[3.0, 4.0, 0.0], &[0.0, 0.0]);
    assert_eq!((value, gradient.y[0]), (5.0, 0.8));
    let x: Vec<f64> = (0..18).map(|k| f64::from(k * k % 7) - 2.5).collect();
    volume::check(&x).unwrap();
    inside::real_part::check(0.7, -1.2).unwrap();
}

/// Variables that begin with a capital are no constants where a pattern cannot fail.
#[differentiate(check)]
#[allow(non_snake_case)]
pub fn capitals(x: &nalgebra::Vector3<f64>, y: &[nalgebra::Vector3<f64>]) -> f64 {
    let F = 2.0 * x;
    let (J_t, K) = (F * x.x, x.y);
    let weigh = |W: f64| W * K;
    let mut sum = F.dot(&J_t);
    for Y in y {
        sum += weigh(Y.norm());
    }
    sum
}

#[test]
fn capitals_are_variables() {
    let x = nalgebra::Vector3::new(1.0, 2.0, 0.3);
    capitals::check(&x, &[x, x * 0.5]).unwrap_or_else(|mismatch| panic!("{mismatch}"));
}

/// Names of nalgebra that are the module's own.
#[differentiate(check)]
mod own_names {
    use nalgebra::Vector2;

    #[derive(Clone, Copy)]
    pub struct Unit(pub f64);

    impl Unit {
        pub fn new_normalize(x: f64) -> Unit {
            Unit(2.0 * x)
        }
    }

    pub struct Grid {
        pub rows: [[f64; 2]; 3],
    }

    impl Grid {
        pub fn ncols(&self) -> usize {
            1
        }

        pub fn column(&self, _: usize) -> f64 {
            100.0
        }

        pub fn column_iter(&self) -> f64 {
            self.rows[1][0] * self.rows[2][1]
        }
    }

    pub fn loss(grid: &Grid, v: &Vector2<f64>) -> f64 {
        Unit::new_normalize(v.x).0 * grid.column_iter() + v.y
    }
}

#[test]
fn names_of_the_module_come_first() {
    let (grid, v) =
        (own_names::Grid { rows: [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]] }, nalgebra::Vector2::new(0.5, 0.7));
    own_names::loss::check(&grid, &v).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    assert_eq!(own_names::loss::value(&grid, &v), own_names::loss(&grid, &v));
    assert_eq!((grid.ncols(), grid.column(0)), (1, 100.0));
}

/// Types that the module imports under other names, and aliases of them.
#[differentiate(check)]
mod other_names {
    use glam::DVec3 as V;
    use nalgebra::{self as na, Vector3 as V3};
    use num_complex::Complex64 as C;

    type Double = num_complex::Complex<f64>;

    pub struct Frame {
        pub origin: V3<f64>,
        pub scale: V,
    }

    pub fn square(x: f64) -> f64 {
        let z = C::new(x, 1.0);
        let w = Double::new(1.0, x);
        (z * z * w).re
    }

    pub fn distance(frame: &Frame, x: V3<f64>) -> f64 {
        let scaled = na::Vector3::new(frame.scale.x, frame.scale.y, 1.0);
        (x - frame.origin).component_mul(&scaled).norm()
    }

    pub fn along(x: V, y: &[V]) -> V {
        let mut sum = V::ZERO;
        for y in y {
            sum += x.cross(*y) * y.length();
        }
        sum
    }
}

#[test]
fn imports_under_other_names() {
    use glam::DVec3;
    use nalgebra::Vector3;
    other_names::square::check(0.7).unwrap();
    let frame = other_names::Frame { origin: Vector3::new(0.1, 0.2, 0.3), scale: DVec3::new(2.0, 3.0, 4.0) };
    other_names::distance::check(&frame, Vector3::new(1.0, 2.0, 0.3)).unwrap();
    let (x, y) = (DVec3::new(0.3, 0.2, 0.1), DVec3::new(0.5, 0.7, 0.4));
    other_names::along::check(x, &[y, x + y]).unwrap();
}

/// A type parameter that stands for a vector of a known crate.
#[differentiate]
pub mod sdf {
    use glam::Vec3;
    use std::ops::{Mul, Sub};

    pub trait Vector<T>: Copy {
        fn x(&self) -> T;
        fn magnitude(&self) -> T;
    }

    impl Vector<f32> for Vec3 {
        fn x(&self) -> f32 {
            self.x
        }

        fn magnitude(&self) -> f32 {
            self.length()
        }
    }

    pub trait Sdf<T, V: Vector<T>> {
        fn dist(&self, p: V) -> T;
    }

    pub struct Torus<T> {
        pub radius: T,
        pub thickness: T,
    }

    impl<T: Copy + Mul<Output = T> + Sub<Output = T>, V: Vector<T>> Sdf<T, V> for Torus<T> {
        #[differentiate(with(T = f32, V = Vec3))]
        fn dist(&self, p: V) -> T {
            p.magnitude() * p.x() - self.radius * self.thickness
        }
    }
}

#[test]
fn a_vector_of_a_known_crate() {
    let torus = sdf::Torus { radius: 2.0_f32, thickness: 0.5 };
    let at = glam::Vec3::new(3.0, 0.0, 4.0);
    assert_eq!(sdf::Sdf::dist(&torus, at), 14.0);
    let (value, slope) = sdf::torus::dist::gradient(&torus, at);
    assert_eq!(value, 14.0);
    assert_eq!((slope.this.radius, slope.this.thickness), (-0.5, -2.0));
    assert_eq!(slope.p.x, 5.0 + 9.0 / 5.0);
}
